// SPDX-License-Identifier: BSD-3-Clause
// Products of fermion operators as products over sites, against their action on occupation numbers: modes are numbered
// site by site, spin up before spin down, and an operator gets a sign for every electron in a mode before its own.
#include <gtest/gtest.h>

#include <array>
#include <map>
#include <random>

#include "dmrg/job/model.hpp"
#include "dmrg/job/site_products.hpp"

namespace strata::dmrg {
namespace {

constexpr int sites = 4;
const std::vector<int> parities = {0, 1, 1, 0};
using State = std::array<int, sites>;  // [site] bit 0: up, bit 1: down
using Vector = std::map<State, double>;

Vector applied(const ModeOperator& o, const Vector& x) {
    const int bit = o.mode == Mode::up ? 1 : 2;
    Vector y;
    for (const auto& [from, value] : x) {
        State state = from;
        int& own = state[static_cast<std::size_t>(o.site)];
        const bool occupied = (own & bit) != 0;
        if (o.local == Local::z) {
            if (occupied) y[state] += value;
            continue;
        }
        if (occupied == (o.local == Local::raise)) continue;
        int before = bit == 2 ? own & 1 : 0;
        for (int site = 0; site < o.site; ++site)
            before += parities[static_cast<std::size_t>(state[std::size_t(site)])];
        own ^= bit;
        y[state] += before % 2 != 0 ? -value : value;
    }
    return y;
}

/// The element of a site's matrix from a state; 0: none.
std::pair<int, double> image(const SiteOperator& op, int from) {
    for (const SiteOperator::Element& e : op.elements)
        if (e.from == from) return {e.to, e.value};
    return {0, 0.0};
}

Vector applied(const SiteProduct& product, const State& state) {
    State to = state;
    double value = product.sign;
    bool odd = false;
    auto factor = product.factors.begin();
    for (int site = 0; site < sites; ++site) {
        int& own = to[static_cast<std::size_t>(site)];
        if (factor != product.factors.end() && factor->site == site) {
            const auto [target, element] = image(matrix_of(SiteKind::electrons, parities, *factor), own);
            own = target;
            value *= element;
            odd = factor++->odd;
        } else if (odd && parities[static_cast<std::size_t>(own)] == 1) {
            value = -value;
        }
    }
    return value == 0 ? Vector{} : Vector{{to, value}};
}

TEST(DmrgTerms, ProductsOverSitesActAsTheirOperators) {
    std::mt19937 engine(7);
    int compared = 0;
    for (int trial = 0; trial < 400; ++trial) {
        std::vector<ModeOperator> factors;
        for (int n = 0; n < 4; ++n)
            factors.push_back({engine() % 2 == 0 ? Mode::up : Mode::down, static_cast<int>(engine() % sites),
                               std::array{Local::z, Local::raise, Local::lower}[engine() % 3]});
        const OperatorSum sum = OperatorSum::product(SiteKind::electrons, factors);
        bool even = true;
        for (const auto& [product, coefficient] : sum.terms())
            even = even && (change_of(product)[0] + change_of(product)[1]) % 2 == 0;
        if (!even) continue;
        for (int number = 0; number < 256; ++number) {
            const State state = {number & 3, number >> 2 & 3, number >> 4 & 3, number >> 6};
            Vector expected = {{state, 1.0}}, found;
            for (auto o = factors.rbegin(); o != factors.rend(); ++o) expected = applied(*o, expected);
            for (const auto& [product, coefficient] : sum.terms())
                for (const auto& [to, value] : applied(by_sites(product, SiteKind::electrons), state))
                    found[to] += coefficient.real() * value;
            std::erase_if(found, [](const auto& element) { return element.second == 0; });
            EXPECT_EQ(found, expected) << "trial " << trial << ", state " << number;
            compared += expected.empty() ? 0 : 1;
        }
    }
    EXPECT_GT(compared, 1000);
}

TEST(DmrgTerms, StatesOfAParityAreCountedUpToAMillion) {
    for (const auto& [count, states] : {std::pair(2, 2U), {20, 524288U}, {21, 1000000U}, {40, 1000000U}}) {
        const std::vector<double> zero(static_cast<std::size_t>(count));
        const Model model = heisenberg(1, {}, zero, 0, {0, 0, Conserved::parity});
        EXPECT_EQ(product_states(model, count, model.target), states) << count;
    }
}

/// Whether a model of two sites with these further terms has the spin flip.
bool has_flip(int twice_spin, const OperatorSum& others) {
    const Filling all = {0, 0, Conserved::nothing};
    const std::vector<double> zero(2);
    return twice_spin > 0 ? !heisenberg(twice_spin, {}, zero, 0, all, others).flips.empty()
                          : !hubbard({}, zero, zero, all, others).flips.empty();
}

TEST(DmrgTerms, SpinFlipIsASymmetryOfSomeTerms) {
    const auto sum = [](SiteKind kind, const std::vector<std::pair<std::vector<ModeOperator>, double>>& terms) {
        OperatorSum all(kind);
        for (const auto& [factors, coefficient] : terms) all += OperatorSum::product(kind, factors, coefficient);
        return all;
    };
    const auto at = [](int site, Local local, Mode mode = Mode::down) { return ModeOperator{mode, site, local}; };
    using enum Local;
    using enum SiteKind;
    EXPECT_TRUE(has_flip(1, {}));
    EXPECT_TRUE(has_flip(1, sum(spins, {{{at(0, z), at(1, z)}, 1}})));
    EXPECT_TRUE(has_flip(1, sum(spins, {{{at(0, raise)}, 1}, {{at(0, lower)}, 1}})));  // a field along x
    EXPECT_FALSE(has_flip(1, sum(spins, {{{at(0, z)}, 1}})));
    EXPECT_FALSE(has_flip(1, sum(spins, {{{at(0, z), at(1, raise)}, 1}, {{at(0, z), at(1, lower)}, 1}})));
    const Local above[] = {above_level(0), above_level(1)};  // of spins 1: S^z = A_0 + A_1 - 1, (S^z)^2 = 1 - A_0 + A_1
    EXPECT_TRUE(has_flip(2, sum(spins, {{{at(0, above[0])}, -1}, {{at(0, above[1])}, 1}})));
    EXPECT_FALSE(has_flip(2, sum(spins, {{{at(0, above[0])}, 1}, {{at(0, above[1])}, 1}})));
    EXPECT_TRUE(has_flip(0, sum(electrons, {{{at(0, z)}, 1}, {{at(0, z, Mode::up)}, 1}})));
    EXPECT_FALSE(has_flip(0, sum(electrons, {{{at(0, z)}, 1}})));
}

}  // namespace
}  // namespace strata::dmrg
