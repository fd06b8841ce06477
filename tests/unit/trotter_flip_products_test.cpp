// SPDX-License-Identifier: BSD-3-Clause
// Sums of any products of spin operators on a state, in every instruction set against operators that act one after
// another on basis states, with equal bits for any division of the rows; bounds of their norm against eigenvalues.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>

#include "kernels/trotter/pass_kernels.hpp"
#include "krylov/tridiagonal.hpp"
#include "models/operator_text.hpp"
#include "support/laid_out.hpp"
#include "trotter/physics/chebyshev_series.hpp"
#include "trotter/state/product_layout.hpp"

namespace strata::trotter {
namespace {

using Numbers = std::vector<Complex>;
using Factors = std::vector<std::pair<char, int>>;

/// X, Y, Z, + and - of spins, the last one first, times a number: <bit 0: up|.
void act(const Factors& factors, Complex c, const Numbers& from, Numbers& to) {
    for (std::uint64_t x = 0; x < from.size(); ++x) {
        std::uint64_t y = x;
        Complex value = c * from[x];
        for (auto factor = factors.rbegin(); factor != factors.rend(); ++factor) {
            const auto& [name, site] = *factor;
            const bool down = (y >> site & 1) != 0;
            if (name == 'Z') value *= down ? -1 : 1;
            if (name == 'Y') value *= Complex(0, down ? -1 : 1);
            if ((name == '+' && !down) || (name == '-' && down)) value = 0;
            if (name != 'Z') y ^= std::uint64_t{1} << site;
        }
        to[y] += value;
    }
}

/// A sum of products, not Hermitian.
struct RandomSum {
    std::vector<std::pair<Factors, Complex>> products;
    OperatorSum sum{SiteKind::spins};

    RandomSum(int spins, int count, std::mt19937_64& engine) {
        std::normal_distribution<double> normal;
        for (int n = 0; n < count; ++n) {
            std::vector<int> sites(static_cast<std::size_t>(spins));
            for (int j = 0; j < spins; ++j) sites[static_cast<std::size_t>(j)] = j;
            std::ranges::shuffle(sites, engine);
            sites.resize(n % 4 == 0 ? 1 + engine() % 6 : 1 + engine() % 3);
            const Complex c(normal(engine), n % 3 == 0 ? normal(engine) : 0);
            const std::string names = n % 5 == 0 ? "Z" : n % 5 == 1 ? "+-" : "XYZ+-";
            OperatorSum product = OperatorSum::product(SiteKind::spins, {}, c);
            products.push_back({{}, c});
            for (const int site : sites) {
                const char name = names[engine() % names.size()];
                products.back().first.emplace_back(name, site);
                product =
                    product * site_operator(SiteKind::spins,
                                            name == '+' || name == '-' ? std::string("S") + name : std::string(1, name),
                                            site);
            }
            sum += product;
        }
    }
};

template <class Real>
void expect_products(int spins, int row_bits, std::mt19937_64& engine) {
    const StateLayout layout{spins, row_bits, sizeof(Real) == 8 ? 3 : 4};
    std::normal_distribution<double> normal;
    const RandomSum random(spins, 25, engine);
    Numbers from(std::size_t{1} << spins), expected(from.size());
    for (Complex& z : from) z = {normal(engine), normal(engine)};
    for (Complex& z : expected) z = {normal(engine), normal(engine)};
    const Buffer<Real> source = laid_out<Real>(layout, from), before = laid_out<Real>(layout, expected);
    for (const auto& [factors, c] : random.products) act(factors, 0.7 * c, from, expected);
    const Buffer<Real> wanted = laid_out<Real>(layout, expected);
    const FlipProducts products = lay_out(FlipTerms(random.sum), layout.row_bits, layout.lane_bits);
    const FlipProductsView view = products.view();
    std::vector<Real> first;
    for (const PassKernels<Real>& kernels : pass_variants<Real>())
        for (const std::uint64_t parts : {std::uint64_t{1}, std::uint64_t{2}, layout.rows()}) {
            if (parts > layout.rows()) continue;
            Buffer<Real> to(before.size());
            std::ranges::copy(before, to.begin());
            const std::uint64_t rows = layout.rows() / parts;
            for (std::uint64_t part = 0; part < parts; ++part)  // as ranks or slabs do
                for (std::uint64_t g = 0; g < products.groups.size(); ++g) {
                    const std::uint64_t other = part ^ (products.groups[g].flip >> row_bits) / rows;
                    kernels.add_products(layout, view, {g, g + 1}, {part * rows, (part + 1) * rows}, 0.7,
                                         source.data() + layout.row_offset(other * rows),
                                         to.data() + layout.row_offset(part * rows));
                }
            for (std::size_t i = 0; i < to.size(); ++i)
                ASSERT_NEAR(to[i], wanted[i], sizeof(Real) == 8 ? 1e-12 : 1e-3) << kernels.name << " " << i;
            if (first.empty()) first.assign(to.begin(), to.end());
            EXPECT_EQ(std::vector<Real>(to.begin(), to.end()), first) << kernels.name << " " << parts;
        }
}

TEST(TrotterFlipProducts, AreOperatorsOnStates) {
    std::mt19937_64 engine(3);
    for (const auto& [spins, row_bits] : {std::pair(6, 5), {9, 5}, {12, 10}, {12, 11}, {13, 5}}) {
        expect_products<double>(spins, row_bits, engine);
        expect_products<float>(spins, row_bits, engine);
    }
}

TEST(TrotterFlipProducts, HaveBoundsOfTheirNorm) {
    std::mt19937_64 engine(4);
    for (int trial = 0; trial < 40; ++trial) {
        const int spins = 1 + trial % 6;
        OperatorSum sum(SiteKind::spins);
        std::vector<std::pair<Factors, Complex>> products;
        for (int n = 0; n < 1 + trial % 4; ++n) {
            const RandomSum random(std::max(spins, 6), 1, engine);
            OperatorSum one = random.sum;
            one += random.sum.conjugate();
            sum += one;
            products.push_back(random.products[0]);
        }
        SpinHamiltonian h(6);
        h.others = sum;
        const std::size_t size = 64;
        Numbers matrix(size * size);
        for (std::size_t column = 0; column < size; ++column) {
            Numbers state(size), image(size);
            state[column] = 1;
            for (const auto& [factors, c] : products) act(factors, c, state, image);
            for (std::size_t row = 0; row < size; ++row) {
                matrix[row * size + column] += image[row];
                matrix[column * size + row] += std::conj(image[row]);
            }
        }
        const std::vector<double> values = krylov::hermitian_values(size, matrix);
        const SpectralBounds bounds = spectral_bounds(h);
        EXPECT_LE(bounds.lowest, values.front() + 1e-12);
        EXPECT_GE(bounds.highest, values.back() - 1e-12);
        if (products.size() == 1 && std::ranges::all_of(products[0].first, [](auto f) { return f.first == 'Z'; })) {
            EXPECT_NEAR(bounds.highest, values.back(), 1e-12);
        }
    }
}

/// Of products with the same flips the largest counts, where they act on different states, and constants move both bounds.
TEST(TrotterFlipProducts, OnDifferentStatesDoNotAddUp) {
    const auto bounds = [](const std::string& text) {
        SpinHamiltonian h(3);
        h.others = read_operators(items_of("model.terms", text), SiteKind::spins, {}).hamiltonian();
        return spectral_bounds(h);
    };
    for (const char* text : {"2 S+ 0 S- 1; 0.1 S+ 0 S+ 1", "0.1 S+ 0 S- 1; 2 S+ 0 S+ 1", "8 Sx 0 Sx 1",
                             "16 Sx 0 Sy 1 Sz 2", "2 S+ 0 S- 1; 0.5 S+ 0 S+ 1 ; 1 S+ 0 S+ 1"}) {
        EXPECT_DOUBLE_EQ(bounds(text).lowest, -2) << text;
        EXPECT_DOUBLE_EQ(bounds(text).highest, 2) << text;
    }
    EXPECT_DOUBLE_EQ(bounds("8 Sz 0 Sz 0; 2 S+ 0 S- 1").lowest, 0);
    EXPECT_DOUBLE_EQ(bounds("8 Sz 0 Sz 0; 2 S+ 0 S- 1").highest, 4);
}

}  // namespace
}  // namespace strata::trotter
