// SPDX-License-Identifier: BSD-3-Clause
// A bit string is a representative if no element of the group makes it smaller. Bit strings are mapped byte by byte,
// through tables; a cyclic permutation of k occupied sites multiplies the fermion sign by (-1)^(k - 1).
#include "lanczos/physics/orbits.hpp"

#include <algorithm>
#include <cmath>
#include <map>

namespace strata::lanczos {
namespace {

constexpr std::uint64_t one_bit = 1;

/// Number of bit strings that an element leaves unchanged, or for fermions the sum of their signs: the sites of a cycle
/// have the same state; with a spin inversion they are alternately occupied and empty.
double unchanged(const SymmetryGroup& group, std::uint32_t g, const SiteStates& strings, Statistics signs) {
    const SitePermutation& image = group.image(g);
    const auto bits = static_cast<std::size_t>(strings.bits), sites = image.size() / bits;
    const bool in_turns = group.spin_inversion(g);
    std::map<int, double> ways = {{0, 1}};  // [charge]
    std::vector<bool> seen(sites, false);
    for (std::size_t start = 0; start < sites; ++start) {
        int length = 0;
        for (std::size_t site = start; !seen[site]; ++length) {
            seen[site] = true;
            site = static_cast<std::size_t>(image[site * bits]) / bits;
        }
        if (length == 0) continue;
        if (in_turns && length % 2 == 1) return 0;
        std::map<int, double> longer;
        for (const auto& [charge, number] : ways)
            for (const SiteStates::State& state : strings.states) {
                const bool minus = signs == Statistics::fermions && state.odd && length % 2 == 0;
                const int added = in_turns ? length / 2 : length * state.charge;
                longer[strings.reduced(charge + added)] += minus && !in_turns ? -number : number;
            }
        ways = std::move(longer);
    }
    double sum = 0;
    for (const auto& [charge, number] : ways)
        if (strings.holds(charge)) sum += number;
    return sum;
}

struct Moved {
    std::uint64_t occupation;
    bool minus;  ///< ordering the operators takes an odd number of exchanges
};

Moved moved(const SitePermutation& image, Statistics statistics, std::uint64_t occupation) {
    std::uint64_t passed = 0;  // images of the particles on lower sites
    int exchanges = 0;
    for (; occupation != 0; occupation &= occupation - 1) {
        const int to = image[static_cast<std::size_t>(__builtin_ctzll(occupation))];
        exchanges += __builtin_popcountll(passed >> to);
        passed |= one_bit << to;
    }
    return {passed, statistics == Statistics::fermions && exchanges % 2 == 1};
}

}  // namespace

double projected_square(const SymmetryGroup& group, Statistics statistics, std::uint64_t up, std::uint64_t down) {
    const std::uint64_t all_sites = ~std::uint64_t{0} >> (64 - group.sites());
    double sum = 0;
    for (std::uint32_t g = 0; g < group.order(); ++g) {
        const Moved u = moved(group.image(g), statistics, up), d = moved(group.image(g), statistics, down);
        // spins are one component, whose down bit strings are empty
        const std::uint64_t image = group.spin_inversion(g) ? ~u.occupation & all_sites : u.occupation;
        if (image == up && d.occupation == down) sum += (u.minus != d.minus ? -1 : 1) * group.character(g).real();
    }
    return std::abs(sum) < 0.5 ? 0 : sum / group.order();
}

std::uint64_t OrbitCounts::orbits(const SymmetryGroup& group, const SiteStates& strings) {
    double sum = 0;
    for (std::uint32_t g = 0; g < group.order(); ++g) sum += unchanged(group, g, strings, Statistics::hard_core_bosons);
    return static_cast<std::uint64_t>(std::llround(sum / group.order()));
}

double OrbitCounts::states(const SymmetryGroup& group, const Model& model, const Filling& filling) {
    const bool two = model.spin_components == 2;
    const SiteStates up = two ? SiteStates::of_particles(filling.up) : site_states(model, filling),
                     down = SiteStates::of_particles(filling.down);
    double sum = 0;
    for (std::uint32_t g = 0; g < group.order(); ++g)
        sum += group.character(g).real() * unchanged(group, g, up, model.statistics()) *
               (two ? unchanged(group, g, down, model.statistics()) : 1);
    return std::round(sum / group.order());
}

Orbits::Orbits(const SymmetryGroup& group, Statistics statistics, const BitStrings& strings)
    : group_(group), statistics_(statistics), all_sites_(~std::uint64_t{0} >> (64 - group.sites())) {
    const int sites = group.sites();
    bytes_ = static_cast<std::uint64_t>((sites + 7) / 8);
    for (std::uint32_t g = 0; g < group.order(); ++g)
        for (std::uint64_t byte = 0; byte < bytes_; ++byte)
            for (std::uint64_t value = 0; value < 256; ++value) {
                std::uint64_t moved = 0;
                for (std::uint64_t bit = 0; bit < 8; ++bit)
                    if ((value >> bit & 1) != 0 && 8 * byte + bit < static_cast<std::uint64_t>(sites))
                        moved |= one_bit << group.image(g)[8 * byte + bit];
                byte_images_.push_back(moved);
            }
    const bool number = strings.kind() == BitStrings::Kind::number;  // the next string of a number is found at once
    std::uint64_t occupation = 0;
    for (std::uint64_t i = 0; i < strings.count(); ++i) {
        occupation = number && i > 0 ? BitStrings::next(occupation) : strings.occupation(i);
        bool smallest = true;
        for (std::uint32_t g = 1; g < group.order() && smallest; ++g) smallest = image(g, occupation) >= occupation;
        if (!smallest) continue;
        representatives_.push_back(occupation);
        first_.push_back(stabilisers_.size());
        for (std::uint32_t g = 0; g < group.order(); ++g)
            if (image(g, occupation) == occupation) stabilisers_.push_back({g, minus(g, occupation)});
    }
    first_.push_back(stabilisers_.size());
}

std::uint64_t Orbits::image(std::uint32_t g, std::uint64_t occupation) const {
    const std::uint64_t* of_byte = byte_images_.data() + g * bytes_ * 256;
    std::uint64_t moved = 0;
    for (; occupation != 0; occupation >>= 8, of_byte += 256) moved |= of_byte[occupation & 255];
    return group_.spin_inversion(g) ? ~moved & all_sites_ : moved;
}

bool Orbits::minus(std::uint32_t g, std::uint64_t occupation) const {
    return moved(group_.image(g), statistics_, occupation).minus;
}

Orbits::Place Orbits::find(std::uint64_t occupation) const {
    std::uint64_t smallest = occupation;
    std::uint32_t to = 0;
    for (std::uint32_t g = 1; g < group_.order(); ++g)
        if (const std::uint64_t moved = image(g, occupation); moved < smallest) {
            smallest = moved;
            to = g;
        }
    const auto at = std::ranges::lower_bound(representatives_, smallest);
    const std::uint32_t back = group_.inverse(to);
    return {static_cast<std::uint64_t>(at - representatives_.begin()), back, minus(back, smallest)};
}

}  // namespace strata::lanczos
