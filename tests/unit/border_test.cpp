// SPDX-License-Identifier: BSD-3-Clause
// Roots at the borders of a slab against a flood fill of the active bonds, site by site, for every instruction set, any
// number of threads, and extents that do and do not fill tiles.
#include <gtest/gtest.h>

#include <map>
#include <random>

#include "swendsen_wang/state/slab_cpu.hpp"

namespace strata::swendsen_wang {
namespace {

/// Sites of a slab by coordinates, and the clusters of the bonds that its words hold.
class PlainSlab {
  public:
    explicit PlainSlab(const SlabView& s) : s_(s), d_(s.lattice.dimensions), edge_(s.lattice.edge()) {
        for (int axis = 0; axis < d_; ++axis) size_[axis] = s.lattice.extent[axis];
        size_[d_ - 1] = s.lattice.slab_sites() / (s.lattice.sites() / s.lattice.extent[d_ - 1]);
        cluster_.assign(size_[0] * size_[1] * size_[2], none);
        for (std::uint64_t site = 0, next = 0; site < cluster_.size(); ++site)
            if (cluster_[site] == none) fill(site, next++);
    }

    /// The clusters at the active bonds across a border, tile by tile and within a tile in the order of the sites.
    std::vector<std::uint64_t> at_border(Border border) const {
        std::map<std::pair<std::uint64_t, int>, std::uint64_t> ordered;  // (tile, site in the tile): cluster
        const std::uint64_t last = border == Border::to_next ? size_[d_ - 1] - 1 : 0;
        for (std::uint64_t site = 0; site < cluster_.size(); ++site) {
            const Place p = place(site);
            if (p.at[d_ - 1] == last && (border == Border::to_next ? bonded(p, d_ - 1) : entered(p)))
                ordered[{p.tile, p.bit}] = cluster_[site];
        }
        std::vector<std::uint64_t> clusters;
        for (const auto& [position, cluster] : ordered) clusters.push_back(cluster);
        return clusters;
    }

  private:
    static constexpr std::uint64_t none = UINT64_MAX;
    struct Place {
        std::uint64_t at[3], row, column, tile;
        int bit;
    };

    Place place(std::uint64_t site) const {
        Place p = {{site % size_[0], site / size_[0] % size_[1], site / size_[0] / size_[1]}, 0, 0, 0, 0};
        p.column = p.at[0] / edge_;
        p.row = d_ == 2 ? p.at[1] / edge_ : p.at[2] / edge_ * s_.lattice.tiles[1] + p.at[1] / edge_;
        p.tile = p.row * s_.lattice.row_tiles() + p.column;
        p.bit = static_cast<int>(p.at[0] % edge_ + edge_ * (p.at[1] % edge_) + edge_ * edge_ * (p.at[2] % edge_));
        return p;
    }
    std::uint64_t site(const std::uint64_t (&at)[3]) const { return at[0] + size_[0] * (at[1] + size_[1] * at[2]); }
    /// Whether the bond of a site in the positive direction of an axis is active.
    bool bonded(const Place& p, int axis) const {
        return s_.bonds[axis][s_.word(static_cast<std::int64_t>(p.row), p.column)] >> p.bit & 1;
    }
    /// Whether the bond from the halo layer to a site of the first layer is active.
    bool entered(const Place& p) const {
        const std::int64_t row =
            static_cast<std::int64_t>(p.row) - static_cast<std::int64_t>(s_.lattice.rows_per_layer());
        const std::uint64_t sites_along = s_.lattice.row_width(row, d_ - 1);  // in the halo layer
        const auto stride = static_cast<std::uint64_t>(d_ == 2 ? edge_ : edge_ * edge_);
        return s_.bonds[d_ - 1][s_.word(row, p.column)] >>
                   (static_cast<std::uint64_t>(p.bit) + (sites_along - 1) * stride) &
               1;
    }
    void fill(std::uint64_t first, std::uint64_t cluster) {
        std::vector<std::uint64_t> open = {first};
        cluster_[first] = cluster;
        const auto visit = [&](const std::uint64_t(&at)[3]) {
            if (cluster_[site(at)] != none) return;
            cluster_[site(at)] = cluster;
            open.push_back(site(at));
        };
        while (!open.empty()) {
            const Place p = place(open.back());
            open.pop_back();
            for (int axis = 0; axis < d_; ++axis) {
                const bool slow = axis == d_ - 1;
                std::uint64_t up[3] = {p.at[0], p.at[1], p.at[2]}, down[3] = {p.at[0], p.at[1], p.at[2]};
                up[axis] = (up[axis] + 1) % size_[axis];
                down[axis] = (down[axis] + size_[axis] - 1) % size_[axis];
                if (!(slow && up[axis] == 0) && bonded(p, axis)) visit(up);
                if (!(slow && p.at[axis] == 0) && bonded(place(site(down)), axis)) visit(down);
            }
        }
    }

    const SlabView& s_;
    const int d_;
    const std::uint64_t edge_;
    std::uint64_t size_[3] = {1, 1, 1};
    std::vector<std::uint64_t> cluster_;  ///< [site]
};

/// Random spins on the borders of the neighbouring slabs.
void fill_halo(SlabView& s) {
    std::mt19937_64 random(5);
    const auto per_layer = static_cast<std::int64_t>(s.lattice.rows_per_layer()),
               rows = static_cast<std::int64_t>(s.lattice.rows());
    const int slow = s.lattice.slow_axis();
    for (const std::int64_t first : {-per_layer, rows})
        for (std::int64_t row = first; row < first + per_layer; ++row)
            for (std::uint64_t t = 0; t < s.lattice.row_tiles(); ++t)
                s.spins[0][s.word(row, t)] = random() & tile_sites(s.lattice, row_sites(s.lattice, row), t) &
                                             first_sites(s.lattice.dimensions, slow)
                                                 << (first < 0 ? s.lattice.boundary_shift(row, slow) : 0);
}

/// The roots are one to one with the clusters of the flood fill, and every root is its own parent.
void expect_roots(const SlabView& s, const SweepKernels& kernels, const PlainSlab& plain, std::uint64_t border_sites) {
    std::map<std::uint32_t, std::uint64_t> cluster_of;
    std::map<std::uint64_t, std::uint32_t> root_of;
    for (const Border border : {Border::to_next, Border::to_previous}) {
        constexpr std::uint32_t untouched = 0xABCDEF01;
        std::vector<std::uint32_t> roots(border_sites + 1, untouched);
        const std::uint64_t count = kernels.list_border_roots(s, border, roots.data());
        const std::vector<std::uint64_t> expected = plain.at_border(border);
        ASSERT_EQ(count, expected.size());
        for (std::size_t i = 0; i < expected.size(); ++i) {
            EXPECT_EQ(s.parent[roots[i]], roots[i]);
            EXPECT_EQ(cluster_of.try_emplace(roots[i], expected[i]).first->second, expected[i]);
            EXPECT_EQ(root_of.try_emplace(expected[i], roots[i]).first->second, roots[i]);
        }
        for (std::size_t i = expected.size(); i < roots.size(); ++i) EXPECT_EQ(roots[i], untouched);
    }
}

class BorderRoots : public testing::TestWithParam<SweepKernels> {};

TEST_P(BorderRoots, AreThoseOfAFloodFill) {
    for (const std::vector<std::uint64_t>& extents : std::vector<std::vector<std::uint64_t>>{
             {16, 32}, {7, 43}, {300, 24}, {2, 100}, {8, 8, 16}, {5, 6, 15}, {33, 9, 10}, {40, 24, 12}})
        for (const int rank : {0, 1})
            for (const int threads : {1, 3})
                for (const double beta : {0.2, 0.4, 1.0}) {
                    SwendsenWangConfig c;
                    c.extents = extents;
                    c.beta = extents.size() == 2 ? beta : beta / 2;
                    c.sweeps = 1;
                    c.seed = 77;
                    c.simd = "auto";
                    const SwendsenWangPlan plan(c, 2, rank, threads);
                    Slab<Cpu> slab(plan);
                    slab.fill({c.seed, Start::hot, 2});
                    SlabView& s = slab.view();
                    s.sweep.bond = c.bond();
                    fill_halo(s);
                    for (std::uint64_t sweep = 0; sweep < 2; ++sweep) {
                        s.sweep.index = sweep;
                        ASSERT_TRUE(GetParam().draw_and_label(s));
                        GetParam().unite_across_threads(s);
                        expect_roots(s, GetParam(), PlainSlab(s), plan.border_sites());
                        GetParam().flip_clusters(s);
                    }
                }
}

INSTANTIATE_TEST_SUITE_P(Variants, BorderRoots, testing::ValuesIn(sweep_variants()),
                         [](const auto& variant) { return std::string(variant.param.name); });

}  // namespace
}  // namespace strata::swendsen_wang
