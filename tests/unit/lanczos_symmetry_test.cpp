// SPDX-License-Identifier: BSD-3-Clause
// Groups, orbits and counts of sectors of lattice symmetries, against direct counting.
#include <gtest/gtest.h>

#include <cmath>
#include <numeric>
#include <set>

#include "lanczos/physics/make_model.hpp"
#include "lanczos/physics/particle_hole.hpp"
#include "lanczos/physics/symmetries.hpp"
#include "lanczos/state/ghost_rows.hpp"
#include "lanczos/state/plan.hpp"
#include "support/lattice_specs.hpp"

namespace strata::lanczos {
namespace {

Lattice lattice_of(const std::string& type, std::vector<std::int64_t> extents) {
    return make_lattice(lattice_spec(type, std::move(extents)));
}

TEST(SymmetryGroup, OfTranslationsHasOneElementPerCell) {
    for (const Lattice& lattice : {lattice_of("ring", {7}), lattice_of("square", {4, 3}), lattice_of("tilted", {3, 1}),
                                   lattice_of("honeycomb", {3, 2}), lattice_of("kagome", {2, 2})}) {
        std::set<std::vector<double>> characters;
        for (const auto& m : lattice.momenta()) {
            const auto group =
                SymmetryGroup::generated_by(translations(lattice, m), character_turns(lattice), lattice.sites);
            ASSERT_TRUE(group.has_value());
            ASSERT_EQ(static_cast<int>(group->order()), lattice.sites / lattice.sublattices);
            std::vector<double> all;
            for (std::uint32_t g = 0; g < group->order(); ++g) {
                // chi = exp(i k . r) for the translation that moves site 0 by r
                const double phase = lattice.phase(m, group->image(g)[0]) - lattice.phase(m, 0);
                EXPECT_NEAR(std::abs(group->character(g) - std::polar(1.0, phase)), 0, 1e-12);
                EXPECT_EQ(group->product(g, group->inverse(g)), 0u);
                all.push_back(std::round(1e6 * group->character(g).real()));
                all.push_back(std::round(1e6 * group->character(g).imag()));
            }
            EXPECT_TRUE(characters.insert(all).second) << "two momenta are the same";
        }
    }
}

TEST(SymmetryGroup, RefusesFactorsThatContradictEachOther) {
    const Lattice ring = lattice_of("ring", {6});
    const SitePermutation reflection = point_operations(ring, inversion)[0];
    EXPECT_EQ(reflection, (SitePermutation{0, 5, 4, 3, 2, 1}));
    for (const std::int64_t m : {0, 1, 2, 3}) {
        auto operations = translations(ring, {m});
        operations.push_back({reflection, 0});
        EXPECT_EQ(SymmetryGroup::generated_by(operations, character_turns(ring), 6).has_value(), m % 3 == 0) << m;
    }
}

/// Sign of a permutation of the operators, by exchanges of neighbours.
bool odd_exchanges(const SitePermutation& image, std::uint64_t occupation) {
    std::vector<int> to;
    for (std::size_t i = 0; i < image.size(); ++i)
        if (occupation >> i & 1) to.push_back(image[i]);
    bool odd = false;
    for (std::size_t pass = 0; pass < to.size(); ++pass)
        for (std::size_t i = 0; i + 1 < to.size(); ++i)
            if (to[i] > to[i + 1]) {
                std::swap(to[i], to[i + 1]);
                odd = !odd;
            }
    return odd;
}

/// Groups of translations, an inversion and an inversion of spins.
SymmetryGroup group_of(const Lattice& lattice, bool spin_inversion) {
    auto operations = translations(lattice, std::vector<std::int64_t>(lattice.torus.size(), 0));
    operations.push_back({point_operations(lattice, inversion)[0], 0});
    SitePermutation identity(static_cast<std::size_t>(lattice.sites));
    std::iota(identity.begin(), identity.end(), 0);
    if (spin_inversion) operations.push_back({identity, 0, true});
    return *SymmetryGroup::generated_by(operations, character_turns(lattice), lattice.sites);
}

TEST(SmallestImages, AreThoseOfAllElements) {
    for (const auto& [lattice, block] : {std::pair{lattice_of("ring", {12}), 6},
                                         {lattice_of("ring", {11}), 1},
                                         {lattice_of("square", {4, 3}), 6},
                                         {lattice_of("kagome", {2, 2}), 8},
                                         {lattice_of("tilted", {3, 1}), 5},
                                         {lattice_of("ring", {9}), 3}})
        for (const bool spin_inversion : {false, true}) {
            const SymmetryGroup group = group_of(lattice, spin_inversion);
            for (const int top_bits : {0, 3, 8}) {
                const SmallestImages images(group, top_bits);
                EXPECT_LE(images.top_bits(), top_bits);
                EXPECT_EQ(images.top_bits(), top_bits == 8 ? block : images.top_bits());
                for (std::uint64_t occupation = 0; occupation < std::uint64_t{1} << lattice.sites; ++occupation) {
                    const std::uint64_t coded = images.coded(occupation);
                    ASSERT_EQ(images.occupation(coded), occupation);
                    std::uint64_t smallest = ~std::uint64_t{0};
                    std::uint32_t first = 0, count = 0;
                    for (std::uint32_t g = 0; g < group.order(); ++g) {
                        std::uint64_t moved = 0;
                        for (int site = 0; site < lattice.sites; ++site)
                            if (((occupation >> site & 1) != 0) != group.complements(g))
                                moved |= std::uint64_t{1} << group.image(g)[static_cast<std::size_t>(site)];
                        moved = images.coded(moved);
                        if (moved < smallest) first = g, count = 0;
                        smallest = std::min(smallest, moved);
                        count += moved == smallest ? 1 : 0;
                    }
                    const SmallestImage found = images.find(coded);
                    ASSERT_EQ(found.string, smallest) << lattice.sites << " " << occupation;
                    ASSERT_EQ(found.element, first);
                    ASSERT_EQ(found.count, count);
                    ASSERT_EQ(images.is_smallest(coded), smallest == coded);
                }
            }
        }
}

TEST(Orbits, HoldEveryBitStringOnce) {
    for (const auto& [lattice, order] : {std::pair{lattice_of("ring", {8}), Orbits::Order::numerical},
                                         {lattice_of("square", {3, 3}), Orbits::Order::numerical},
                                         {lattice_of("honeycomb", {2, 2}), Orbits::Order::numerical},
                                         {lattice_of("ring", {10}), Orbits::Order::by_blocks},
                                         {lattice_of("square", {4, 3}), Orbits::Order::by_blocks},
                                         {lattice_of("kagome", {2, 2}), Orbits::Order::by_blocks}})
        for (int particles = 0; particles <= lattice.sites; ++particles) {
            const SymmetryGroup group = group_of(lattice, false);
            const Orbits orbits(group, Statistics::fermions, BitStrings(lattice.sites, particles), order);
            EXPECT_EQ(orbits.count(), OrbitCounts::orbits(group, SiteStates::of_particles(particles)));
            const BitStrings all(lattice.sites, particles);
            std::vector<double> found(orbits.count(), 0);
            for (std::uint64_t i = 0; i < all.count(); ++i) {
                const std::uint64_t occupation = all.occupation(i);
                const Orbits::Place place = orbits.find(occupation);
                const std::uint64_t first = orbits.representative(place.orbit);
                EXPECT_TRUE(first <= occupation || order == Orbits::Order::by_blocks);
                EXPECT_EQ(orbits.image(place.element, first), occupation);
                EXPECT_EQ(place.minus, odd_exchanges(group.image(place.element), first));
                found[place.orbit] += 1;
            }
            for (std::uint64_t o = 0; o < orbits.count(); ++o)
                EXPECT_EQ(found[o] * static_cast<double>(orbits.stabilisers(o)), group.order());
        }
}

/// By marks where representatives are many of all strings, by a list where they are few. The bytes of both are bounded.
TEST(Orbits, AreListedFromAnyPlaceOn) {
    for (const auto& [lattice, particles, marked] : {std::tuple{lattice_of("ring", {16}), 8, true},
                                                     {lattice_of("ring", {18}), 9, true},
                                                     {lattice_of("tilted", {4, 1}), 8, false},
                                                     {lattice_of("ring", {20}), 3, false}}) {
        const SymmetryGroup group = group_of(lattice, 2 * particles == lattice.sites);
        const BitStrings all(lattice.sites, particles);
        const Orbits orbits(group, Statistics::hard_core_bosons, all, Orbits::Order::by_blocks);
        std::vector<std::uint64_t> smallest;
        for (std::uint64_t i = 0; i < all.count(); ++i)
            if (const std::uint64_t coded = orbits.images().coded(all.occupation(i));
                orbits.images().is_smallest(coded))
                smallest.push_back(coded);
        std::ranges::sort(smallest);
        ASSERT_EQ(orbits.count(), smallest.size());
        const OrbitListView view = orbits.view();
        ASSERT_EQ(view.marks != nullptr, marked) << lattice.sites;
        const std::uint64_t all_tops = std::uint64_t{1} << view.search.top_bits;
        std::uint64_t tops = 0;
        for (std::uint64_t top = 0; top < all_tops; ++top) tops += view.first[top] < view.first[top + 1] ? 1 : 0;
        const std::uint64_t of_search = (12 + 8 * std::uint64_t{view.search.blocks}) * all_tops,
                            of_orbits =
                                marked ? 12 * tops * OrbitListView::marks_of_top(view.low_bits()) : 4 * orbits.count(),
                            bound = Orbits::bytes(group, all, orbits.count());
        EXPECT_GE(bound, of_search + of_orbits) << lattice.sites;
        EXPECT_LE(bound, of_search + (marked ? of_orbits : 2 * of_orbits + 8 * all_tops)) << lattice.sites;
        OrbitStrings next(view);
        for (std::uint64_t first = 0; first < smallest.size(); first = 2 * first + 1) {
            next.move_to(first);
            for (std::uint64_t orbit = first; orbit < smallest.size(); ++orbit) {
                ASSERT_EQ(next.next(), smallest[orbit]) << first << " " << orbit;
                ASSERT_EQ(view.index_of(smallest[orbit]), orbit);
            }
        }
    }
}

/// The largest bit strings, in few orbits.
TEST(Orbits, OfSixtyFourSitesAreFound) {
    const Lattice lattice = lattice_of("ring", {64});
    for (const Orbits::Order order : {Orbits::Order::numerical, Orbits::Order::by_blocks})
        for (const int particles : {0, 1, 2, 63}) {
            const BitStrings all(64, particles);
            const SymmetryGroup group = group_of(lattice, false);
            const Orbits orbits(group, Statistics::hard_core_bosons, all, order);
            for (std::uint64_t i = 0; i < all.count(); ++i) {
                const Orbits::Place place = orbits.find(all.occupation(i));
                ASSERT_LT(place.orbit, orbits.count());
                ASSERT_EQ(orbits.image(place.element, orbits.representative(place.orbit)), all.occupation(i));
            }
        }
}

TEST(OrbitCounts, OfAllMomentaAddUpToTheDimension) {
    for (const Lattice& lattice : {lattice_of("ring", {8}), lattice_of("ring", {20}), lattice_of("square", {4, 4})})
        for (const auto& [up, down] : {std::pair{4, 4}, {3, 2}, {0, 5}}) {
            double sum = 0;
            for (const auto& m : lattice.momenta())
                sum += OrbitCounts::states(
                    *SymmetryGroup::generated_by(translations(lattice, m), character_turns(lattice), lattice.sites),
                    Model{}, {up, down});
            EXPECT_EQ(
                sum, static_cast<double>(choose(lattice.sites, up)) * static_cast<double>(choose(lattice.sites, down)));
        }
}

/// The counts of a plan are never smaller than the tables.
TEST(SymmetricCounts, AreThoseOfTheTables) {
    for (const int up : {1, 4, 6}) {
        LanczosConfig c;
        c.lattice.type = "ring";
        c.lattice.extents = {12};
        c.up = up;
        c.down = 6;
        c.symmetry = {Momenta::one, {3}, Parity::any};
        const LanczosPlan plan(c, 3, 1, 1);
        const SymmetricCounts& counts = *plan.counts().symmetric();
        const Subspace& tables = plan.sector().subspaces()[0];
        EXPECT_EQ(plan.arithmetic(), Arithmetic::complex);
        EXPECT_EQ(tables.up.view().dim, counts.rows);
        EXPECT_EQ(tables.down.view().dim, counts.orbits);
        EXPECT_LE(tables.up.entries(), counts.up_entries);
        EXPECT_LE(tables.down.entries(), counts.down_entries);
        EXPECT_LT(static_cast<double>(counts.down_entries), 1.3 * static_cast<double>(tables.down.entries()));
        std::uint64_t needed = 0;
        for (const RankRows& rows : plan.ghost_rows().of_rank) needed += rows.up_entries;
        EXPECT_EQ(needed, tables.up.entries());
    }
}

/// Plans of large sectors have bounds, because the tables from which rows are listed would take minutes.
TEST(SymmetricCounts, BoundTheGhostRowsOfLargeSectors) {
    LanczosConfig c;
    c.model = ModelType::heisenberg;
    c.coupling = {1, 1, 1};
    c.lattice.type = "ring";
    c.lattice.extents = {12};
    c.up = 6;
    c.symmetry = {Momenta::one, {0}, Parity::even};
    for (const int ranks : {1, 2, 5}) {
        const LanczosPlan plan(c, ranks, 0, 1);
        const GhostRows bound = count_ghost_rows(plan.counts(), plan.arithmetic(), ranks, 0),
                        exact = listed_ghost_rows(plan.sector(), plan.arithmetic(), ranks);
        EXPECT_GE(bound.elements, exact.elements);
        for (const RankRows& rows : exact.of_rank) {
            EXPECT_GE(bound.of_rank[0].received, rows.received);
            EXPECT_GE(bound.of_rank[0].sent, rows.sent);
            EXPECT_GE(bound.of_rank[0].up_entries, rows.up_entries);
        }
    }
    c.lattice.extents = {32};
    c.up = 16;
    EXPECT_FALSE(LanczosPlan(c, 4, 0, 1).ghost_rows().exact);
    EXPECT_TRUE(LanczosPlan(c, 1, 0, 1).ghost_rows().exact);
}

TEST(PossibleSymmetries, AreThoseOfTheModel) {
    const auto of = [](const std::string& type, std::vector<std::int64_t> extents, std::vector<double> flux = {}) {
        LanczosConfig c;
        c.lattice = lattice_spec(type, std::move(extents));
        c.lattice.flux = std::move(flux);
        return possible_symmetries(make_model(c), true);
    };
    EXPECT_NE(of("square", {4, 4}).find("16 translations, a rotation by 2 pi / 4, (x, y) -> (x, -y): 128 symmetries"),
              std::string::npos);
    EXPECT_NE(of("square", {4, 3}).find("12 translations, a rotation by 2 pi / 2, (x, y) -> (x, -y): 48 symmetries"),
              std::string::npos);
    EXPECT_NE(of("triangular", {3, 3}).find("a rotation by 2 pi / 6, (x, y) -> (x, -y): 108"), std::string::npos);
    EXPECT_NE(of("square", {4, 4}, {0.3, 0}).find("16 translations, (x, y) -> (x, -y): 32"), std::string::npos);
    EXPECT_NE(of("chain", {6}).find("by r -> -r: 2 symmetries"), std::string::npos);
    EXPECT_NE(of("ring", {6}).find("6 translations, r -> -r: 12"), std::string::npos);
    for (const int sites : {4, 6, 7}) {
        const std::string text = of("ring", {sites});
        EXPECT_EQ(text.find("sector.particle-hole halves vectors") != std::string::npos, sites % 2 == 0);
        EXPECT_EQ(text.find("without some"), std::string::npos);
    }
    EXPECT_EQ(of("triangular", {4, 4}).find("sector.particle-hole"), std::string::npos);
}

/// All elements on one spin component as signed permutations of the strings, whose products are those of the group but
/// for component_sign().
TEST(ParticlesAndHoles, MultiplyLikeTheirGroup) {
    const auto signed_group = [](const Lattice& lattice, const std::vector<int>& signs) {
        auto operations = translations(lattice, std::vector<std::int64_t>(lattice.torus.size(), 0));
        SitePermutation identity(static_cast<std::size_t>(lattice.sites));
        std::iota(identity.begin(), identity.end(), 0);
        operations.push_back({identity, 0, true});
        return *SymmetryGroup::generated_by(operations, character_turns(lattice), lattice.sites, signs);
    };
    for (const auto& [lattice, has_signs] : {std::pair{lattice_of("ring", {4}), true},
                                             {lattice_of("ring", {6}), false},
                                             {lattice_of("ring", {8}), true},
                                             {lattice_of("square", {4, 2}), false}}) {
        LanczosConfig c;
        c.lattice = lattice_spec(
            lattice.torus.size() == 2 ? "square" : "ring",
            lattice.torus.size() == 2 ? std::vector<std::int64_t>{4, 2} : std::vector<std::int64_t>{lattice.sites});
        const ParticleHole found = particle_hole(make_model(c));
        EXPECT_EQ(found.broken, "");
        const SymmetryGroup group = signed_group(lattice, found.signs);
        EXPECT_EQ(group.has_component_signs(), has_signs) << lattice.sites;
        const BitStrings half(lattice.sites, lattice.sites / 2);
        const Orbits orbits(group, Statistics::fermions, half, Orbits::Order::numerical);
        for (std::uint64_t i = 0; i < half.count(); ++i)
            for (std::uint32_t g = 0; g < group.order(); ++g)
                for (std::uint32_t h = 0; h < group.order(); ++h) {
                    const std::uint64_t string = half.occupation(i), once = orbits.image(h, string);
                    ASSERT_EQ(orbits.image(g, once), orbits.image(group.product(g, h), string));
                    ASSERT_EQ(orbits.minus(h, string) != orbits.minus(g, once),
                              orbits.minus(group.product(g, h), string) != (group.component_sign(g, h) < 0));
                }
    }
}

TEST(ParticlesAndHoles, AreExchangedInOperators) {
    const std::vector<int> signs = {1, -1, 1};
    const auto product = [](const std::vector<ModeOperator>& factors) {
        return OperatorSum::product(SiteKind::fermions, factors);
    };
    const ModeOperator raise0{Mode::down, 0, Local::raise}, lower1{Mode::down, 1, Local::lower},
        raise1{Mode::down, 1, Local::raise}, lower0{Mode::down, 0, Local::lower}, n2{Mode::down, 2, Local::z};
    EXPECT_TRUE(are_equal(product({raise0, lower1}).exchanged(signs), product({raise1, lower0})));
    OperatorSum of_hole = product({raise1, lower0, n2});
    of_hole *= -1;
    of_hole += product({raise1, lower0});
    EXPECT_TRUE(are_equal(product({raise0, lower1, n2}).exchanged(signs), of_hole));
}

TEST(ParseRotation, TakesANumberOverAnOrder) {
    const auto pair = [](const char* text) {
        const auto r = parse_rotation(text);
        return r ? std::pair{r->number, r->order} : std::pair{-1, -1};
    };
    EXPECT_EQ(pair(""), (std::pair{0, 1}));
    EXPECT_EQ(pair("1/4"), (std::pair{1, 4}));
    EXPECT_EQ(pair("-1/6"), (std::pair{5, 6}));
    for (const char* wrong : {"1", "1/5", "4/4", "1/4 x", "x/4", "1:4", "0/1"})
        EXPECT_EQ(pair(wrong), (std::pair{-1, -1})) << wrong;
}

TEST(ParseMomentum, TakesIntegersAndTwoWords) {
    EXPECT_EQ(parse_momentum("")->momenta, Momenta::none);
    EXPECT_EQ(parse_momentum("all")->momenta, Momenta::all);
    EXPECT_EQ(parse_momentum("auto")->momenta, Momenta::automatic);
    EXPECT_EQ(parse_momentum("3")->momentum, (std::vector<std::int64_t>{3}));
    EXPECT_EQ(parse_momentum("-1, 2")->momentum, (std::vector<std::int64_t>{-1, 2}));
    for (const char* wrong : {"every", "1.5", "1,2,3", "pi", "99999"})
        EXPECT_FALSE(parse_momentum(wrong).has_value()) << wrong;
}

}  // namespace
}  // namespace strata::lanczos
