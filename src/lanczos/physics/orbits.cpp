// SPDX-License-Identifier: BSD-3-Clause
// A bit string is a representative if no element of the group makes it smaller; a cyclic permutation of k occupied
// sites multiplies the fermion sign by (-1)^(k - 1).
#include "lanczos/physics/orbits.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <map>
#include <numeric>

#include "strata/parallel.hpp"

namespace strata::lanczos {
namespace {

constexpr std::uint64_t one_bit = 1;

/// The sign of an exchange of particles and holes together with a cycle x0 -> x1 -> ... -> x0 of so many sites, from the
/// signs e_i of its sites. The operators c+ of x0, x2, ... become e_i c_i of x1, x3, ..., which act on all sites of the
/// cycle; `first_empty`: those of x1, x3, ... become those of x2, ..., x0.
bool minus_of_cycle(const std::vector<int>& signs, const std::vector<std::size_t>& cycle, bool first_empty) {
    bool minus = (cycle.size() / 2 - (first_empty ? 1 : 0)) % 2 == 1;
    for (std::size_t i = first_empty ? 0 : 1; i < cycle.size(); i += 2) minus ^= signs[cycle[i]] < 0;
    return minus;
}

/// Whether sorting these numbers takes an odd number of exchanges.
bool is_odd(const std::vector<std::size_t>& order) {
    bool odd = false;
    for (std::size_t i = 0; i < order.size(); ++i)
        for (std::size_t j = 0; j < i; ++j) odd ^= order[j] > order[i];
    return odd;
}

/// Number of bit strings that an element leaves unchanged, or for fermions the sum of their signs: the sites of a cycle
/// have the same state; with a complement they are alternately occupied and empty.
double unchanged(const SymmetryGroup& group, std::uint32_t g, const SiteStates& strings, Statistics signs) {
    const SitePermutation& image = group.image(g);
    const auto bits = static_cast<std::size_t>(strings.bits), sites = image.size() / bits;
    const bool in_turns = group.complements(g), exchanges = in_turns && signs == Statistics::fermions;
    std::vector<std::size_t> all_cycles;
    std::map<int, double> ways = {{0, 1}};  // [charge]
    std::vector<bool> seen(sites, false);
    for (std::size_t start = 0; start < sites; ++start) {
        std::vector<std::size_t> cycle;
        for (std::size_t site = start; !seen[site]; site = static_cast<std::size_t>(image[site * bits]) / bits) {
            seen[site] = true;
            cycle.push_back(site);
        }
        const int length = static_cast<int>(cycle.size());
        if (length == 0) continue;
        all_cycles.insert(all_cycles.end(), cycle.begin(), cycle.end());
        if (in_turns && length % 2 == 1) return 0;
        std::map<int, double> longer;
        for (const auto& [charge, number] : ways)
            for (const SiteStates::State& state : strings.states) {
                const bool minus = exchanges ? minus_of_cycle(group.sublattice_signs(), cycle, state.charge == 0)
                                             : signs == Statistics::fermions && state.odd && length % 2 == 0;
                const int added = in_turns ? length / 2 : length * state.charge;
                longer[strings.reduced(charge + added)] += minus ? -number : number;
            }
        ways = std::move(longer);
    }
    double sum = 0;
    for (const auto& [charge, number] : ways)
        if (strings.holds(charge)) sum += number;
    return exchanges && is_odd(all_cycles) ? -sum : sum;  // all sites of the cycles in the order of the sites
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

/// T_g of a bit string: its particles are moved, and then the string is complemented if T_g does.
Moved moved(const SymmetryGroup& group, std::uint32_t g, Statistics statistics, std::uint64_t occupation) {
    Moved to = moved(group.image(g), statistics, occupation);
    if (!group.complements(g)) return to;
    to.minus ^= std::popcount(to.occupation & group.negative_sites()) % 2 == 1;
    to.occupation ^= ~std::uint64_t{0} >> (64 - group.sites());
    return to;
}

/// Calls of(i) for all i below `count` with several threads, each taking the next one that is left.
template <class Of>
void for_each_in_turn(std::uint64_t count, Of of) {
#pragma omp parallel for schedule(dynamic, 64)
    for (std::uint64_t i = 0; i < count; ++i) of(i);
}

/// Bits that are looked up at once: as many as there may be strings, so that small sectors need no large tables.
int top_bits(const BitStrings& strings, Orbits::Order order) {
    constexpr int most = 20;
    return order == Orbits::Order::numerical ? 0
                                             : std::min(most, static_cast<int>(std::bit_width(strings.count())) - 1);
}

/// Number of marks of so many values of T with representatives; 0 where a list of these takes less memory.
std::uint64_t marks_of(std::uint64_t tops, int low_bits, std::uint64_t orbits) {
    if (low_bits > 32 || orbits >> 32 != 0) return 0;
    const std::uint64_t marks = tops * OrbitListView::marks_of_top(low_bits);
    return sizeof(OrbitListView::Mark) * marks <= sizeof(std::uint32_t) * orbits ? marks : 0;
}

}  // namespace

double projected_square(const SymmetryGroup& group, Statistics statistics, int components, std::uint64_t up,
                        std::uint64_t down) {
    double sum = 0;
    for (std::uint32_t g = 0; g < group.order(); ++g) {
        const Moved u = moved(group, g, statistics, up),
                    d = components == 2 ? moved(group, g, statistics, down) : Moved{down, false};
        if (u.occupation == up && d.occupation == down)
            sum += (u.minus != d.minus ? -1 : 1) * group.character(g).real();
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

Orbits::Orbits(const SymmetryGroup& group, Statistics statistics, const BitStrings& strings, Order order)
    : group_(group), statistics_(statistics), images_(group, top_bits(strings, order)) {
    if (strings.kind() == BitStrings::Kind::number && images_.top_bits() > 0)
        list_by_tops(strings.particles());
    else
        list(strings);
    if (marks_.empty())
        make_cells();
    else
        number_marks();
}

std::uint64_t Orbits::bytes(const SymmetryGroup& group, const BitStrings& strings, std::uint64_t count) {
    const SearchedBlock block(group, top_bits(strings, Order::by_blocks));
    const int top = std::popcount(block.sites), low = group.sites() - top;
    const std::uint64_t of_value =
                            sizeof(std::uint64_t) + sizeof(std::uint32_t) + block.images * sizeof(OrbitSearchView::Top),
                        marks = marks_of(block.smallest, low, count), most_cells = count / 4 + 2 * block.smallest;
    return (of_value << top) + (marks > 0 ? marks * sizeof(OrbitListView::Mark)
                                          : count * (low <= 32 ? 4 : 8) + most_cells * sizeof(std::uint32_t));
}

std::uint64_t Orbits::tops_with_representatives() const {
    std::uint64_t tops = 0;
    for (std::size_t top = 0; top + 1 < first_.size(); ++top) tops += first_[top] < first_[top + 1] ? 1 : 0;
    return tops;
}

/// Memory for the representatives, whose numbers are counted in first_.
void Orbits::reserve() {
    marks_.resize(marks_of(tops_with_representatives(), images_.low_bits(), count()));
    if (!marks_.empty()) {
        other_bits_ = OrbitListView::mark_bits;
        first_cell_.assign(one_bit << images_.top_bits(), 0);
        std::uint64_t cell = 0;
        for (std::size_t top = 0; top < first_cell_.size(); ++top) {
            first_cell_[top] = static_cast<std::uint32_t>(cell);
            if (first_[top] < first_[top + 1]) cell += OrbitListView::marks_of_top(images_.low_bits());
        }
    } else if (images_.low_bits() <= 32) {
        low_ = Buffer<std::uint32_t>(count());
    } else {
        wide_low_ = Buffer<std::uint64_t>(count());
    }
}

void Orbits::set(std::uint64_t orbit, std::uint64_t coded) {
    const OrbitListView orbits = view();
    const std::uint64_t rest = orbits.rest_of(coded);
    if (orbits.marks != nullptr)
        marks_[first_cell_[orbits.top_of(coded)] + (rest >> OrbitListView::mark_bits)].bits[rest / 32 % 2] |=
            1u << rest % 32;
    else if (images_.low_bits() <= 32)
        low_[orbit] = static_cast<std::uint32_t>(rest);
    else
        wide_low_[orbit] = rest;
}

void Orbits::number_marks() {
    std::uint32_t before = 0;
    for (OrbitListView::Mark& mark : marks_) {
        mark.before = before;
        before += static_cast<std::uint32_t>(std::popcount(mark.set()));
    }
}

/// Cells of some eight representatives on average.
void Orbits::make_cells() {
    const std::uint64_t tops = one_bit << images_.top_bits(),
                        in_top = count() / std::max<std::uint64_t>(tops_with_representatives(), 1);
    const int least = images_.low_bits() == 64 ? 1 : 0;  // a shift by 64 bits is none
    const int bits = std::clamp(static_cast<int>(std::bit_width(in_top / 8)), least, images_.low_bits());
    other_bits_ = images_.low_bits() - bits;
    first_cell_.assign(tops, 0);
    const OrbitListView orbits = view();
    for (std::uint64_t top = 0; top < tops; ++top) {
        if (first_[top] == first_[top + 1]) continue;
        first_cell_[top] = static_cast<std::uint32_t>(cells_.size());
        std::uint64_t orbit = first_[top];
        for (std::uint64_t cell = 0; cell <= one_bit << bits; ++cell) {
            while (orbit < first_[top + 1] && (bits == 0 ? 0 : orbits.low_of(orbit) >> other_bits_) < cell) ++orbit;
            cells_.push_back(static_cast<std::uint32_t>(orbit - first_[top]));
        }
        if (bits == 0) cells_.back() = static_cast<std::uint32_t>(first_[top + 1] - first_[top]);
    }
}

void Orbits::list(const BitStrings& strings) {
    const bool number = strings.kind() == BitStrings::Kind::number;  // the next string of a number is found at once
    std::vector<std::uint64_t> found;
    std::uint64_t occupation = 0;
    for (std::uint64_t i = 0; i < strings.count(); ++i) {
        occupation = number && i > 0 ? BitStrings::next(occupation) : strings.occupation(i);
        const std::uint64_t coded = images_.coded(occupation);
        if (images_.is_smallest(coded)) found.push_back(coded);
    }
    std::ranges::sort(found);
    first_.assign((one_bit << images_.top_bits()) + 1, 0);
    for (const std::uint64_t coded : found) ++first_[view().top_of(coded) + 1];
    std::partial_sum(first_.begin(), first_.end(), first_.begin());
    reserve();
    for (std::uint64_t orbit = 0; orbit < found.size(); ++orbit) {
        set(orbit, found[orbit]);
        stabilisers_.push_back(images_.find(found[orbit]).count);
    }
}

/// The strings with a number of bits set: for every value of the highest bits, all of the others. They are counted
/// before they are stored.
void Orbits::list_by_tops(int particles) {
    const int low = images_.low_bits();
    const OrbitSearchView search = images_.view();
    const std::uint64_t tops = one_bit << images_.top_bits();
    const auto for_each_representative = [&](std::uint64_t top, auto of) {
        const int others = particles - std::popcount(top);
        if (others < 0 || others > low || search.tops[top].smallest != top) return;
        std::uint64_t rest = others == 0 ? 0 : ~std::uint64_t{0} >> (64 - others);
        for (std::uint64_t i = choose(low, others); i > 0; --i, rest = i > 0 ? BitStrings::next(rest) : 0)
            if (const std::uint64_t coded = top << low | rest; images_.is_smallest(coded)) of(coded);
    };
    first_.assign(tops + 1, 0);
    for_each_in_turn(
        tops, [&](std::uint64_t top) { for_each_representative(top, [&](std::uint64_t) { ++first_[top + 1]; }); });
    std::partial_sum(first_.begin(), first_.end(), first_.begin());
    reserve();
    for_each_in_turn(tops, [&](std::uint64_t top) {
        std::uint64_t at = first_[top];
        for_each_representative(top, [&](std::uint64_t coded) { set(at++, coded); });
    });
}

std::vector<Orbits::Stabiliser> Orbits::stabiliser(std::uint64_t orbit) const {
    const std::uint64_t string = coded(orbit);
    std::vector<Stabiliser> found;
    images_.view().for_each_candidate(string, [&](std::uint32_t g) {
        if (images_.image(g, string) == string) found.push_back({g, minus(g, representative(orbit))});
    });
    return found;
}

std::uint64_t Orbits::image(std::uint32_t g, std::uint64_t occupation) const {
    return images_.occupation(images_.image(g, images_.coded(occupation)));
}

bool Orbits::minus(std::uint32_t g, std::uint64_t occupation) const {
    return statistics_ == Statistics::fermions && moved(group_, g, statistics_, occupation).minus;
}

Orbits::Place Orbits::find(std::uint64_t occupation) const {
    const SmallestImage smallest = images_.find(images_.coded(occupation));
    const std::uint32_t back = group_.inverse(smallest.element);
    return {view().index_of(smallest.string), back, minus(back, images_.occupation(smallest.string)), smallest.count};
}

}  // namespace strata::lanczos
