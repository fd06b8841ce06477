// SPDX-License-Identifier: BSD-3-Clause
// Kernels of the cluster sweep and of the Metropolis update on one slab that is the whole lattice, against the reference
// sweep (support/plain_ising.hpp): the same spins after every sweep, the same cluster sizes and up spins by coordinate.
// tests/unit/sweep_test.cpp holds more jobs against it; this file needs the kernels alone.
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include "kernels/swendsen_wang/sweep_kernels.hpp"
#include "support/plain_ising.hpp"

namespace strata::swendsen_wang {
namespace {

using Words = std::vector<std::uint64_t>;

/// Arrays of a slab that is the whole lattice, for one thread.
class WholeLattice {
  public:
    WholeLattice(const std::vector<std::uint64_t>& extents, const Sweep& sweep) {
        view.lattice = TileLattice(static_cast<int>(extents.size()), extents.data());
        view.sweep = sweep;
        const TileLattice& l = view.lattice;
        for (view.state_bits = 1; 1 << view.state_bits < sweep.states;) ++view.state_bits;
        for (int bit = 0; bit < view.state_bits; ++bit) view.spins[bit] = padded();
        for (int axis = 0; axis < l.dimensions; ++axis) view.bonds[axis] = padded();
        view.next_spins = padded();
        columns_ = Words(3 * l.row_stride());
        for (std::uint64_t tile = 0; tile < l.row_tiles(); ++tile) {
            columns_[tile] = sites_below(l.dimensions, 0, l.width(0, tile));
            columns_[l.row_stride() + tile] = last_sites(l.dimensions, 0, l.width(0, tile));
            columns_[2 * l.row_stride() + tile] = l.width(0, tile) - 1;
        }
        view.column_sites = columns_.data();
        view.column_last = columns_.data() + l.row_stride();
        view.column_shift = columns_.data() + 2 * l.row_stride();
        const std::uint64_t tiles = l.slab_tiles(), ids = 64 * tiles + id_slack;
        component_.resize(64 * tiles);
        minima_.resize((2 + max_state_bits) * tiles);
        first_id_.resize(tiles);
        parent_.resize(ids);
        cluster_spin_.resize(ids);
        size.resize(ids);
        view.component = component_.data();
        view.boundary_minima = minima_.data();
        view.interior_minima = minima_.data() + tiles;
        for (std::uint64_t bit = 0; bit < max_state_bits; ++bit)
            view.interior_spins[bit] = minima_.data() + (2 + bit) * tiles;
        view.first_id = first_id_.data();
        view.parent = parent_.data();
        view.cluster_spin = cluster_spin_.data();
        view.id_capacity = ids;
        scratch_ = Words(8 * l.row_stride() + 64);
        pairs_.resize(2 * (staged_pairs + 32));
        part_.rows = {0, l.rows()};
        part_.id_end = static_cast<std::uint32_t>(ids - id_slack);
        part_.row_words = scratch_.data();
        part_.pair_a = pairs_.data();
        part_.pair_b = pairs_.data() + staged_pairs + 32;
        view.threads = &part_;
    }
    WholeLattice(const WholeLattice&) = delete;
    WholeLattice& operator=(const WholeLattice&) = delete;

    void set_words(const Words& words) {
        auto word = words.begin();
        for (int bit = 0; bit < view.state_bits; ++bit)
            for (std::int64_t row = 0; row < rows(); ++row)
                for (std::uint64_t t = 0; t < view.lattice.row_tiles(); ++t)
                    view.spins[bit][view.word(row, t)] = *word++;
    }
    Words words() const {
        Words words;
        for (int bit = 0; bit < view.state_bits; ++bit)
            for (std::int64_t row = 0; row < rows(); ++row)
                for (std::uint64_t t = 0; t < view.lattice.row_tiles(); ++t)
                    words.push_back(view.spins[bit][view.word(row, t)]);
        return words;
    }
    /// Copies the periodic neighbours to the halo rows and to the ends of the rows.
    void close() {
        const auto layer = static_cast<std::int64_t>(view.lattice.rows_per_layer());
        for (int bit = 0; bit < view.state_bits; ++bit)
            for (std::int64_t row = -layer; row < rows() + layer; ++row) {
                std::uint64_t* to = view.spins[bit] + view.word(row, 0);
                const std::uint64_t* from = view.spins[bit] + view.word((row + rows()) % rows(), 0);
                std::copy(from, from + view.lattice.row_tiles(), to);
                to[view.lattice.row_tiles()] = to[0];
            }
    }

    SlabView view;
    Words size;

  private:
    std::int64_t rows() const { return static_cast<std::int64_t>(view.lattice.rows()); }
    std::uint64_t* padded() {
        const TileLattice& l = view.lattice;
        padded_.emplace_back(l.stored_rows() * l.row_stride() + 16);
        return padded_.back().data() + l.rows_per_layer() * l.row_stride() + 8;
    }
    std::vector<Words> padded_;
    Words columns_, minima_, scratch_;
    std::vector<std::uint8_t> component_, cluster_spin_;
    std::vector<std::uint32_t> first_id_, parent_, pairs_;
    ThreadPart part_;
};

void expect_same_planes(const SweepKernels& kernels, const WholeLattice& lattice, PlainIsing& plain) {
    const TileLattice& l = lattice.view.lattice;
    Words found[3], expected[3];
    std::uint64_t* planes[3];
    for (int axis = 0; axis < l.dimensions; ++axis) {
        found[axis].resize(l.extent[axis] + l.edge());
        expected[axis].resize(l.extent[axis] + l.edge());
        planes[axis] = found[axis].data();
    }
    kernels.count_planes(lattice.view, planes);
    for (std::uint64_t site = 0; site < plain.sites(); ++site)
        for (std::uint64_t axis = 0, left = site; axis < static_cast<std::uint64_t>(l.dimensions); ++axis) {
            expected[axis][left % l.extent[axis]] += plain.up()[site];
            left /= l.extent[axis];
        }
    for (int axis = 0; axis < l.dimensions; ++axis) EXPECT_EQ(found[axis], expected[axis]);
}

void compare_sweeps(const std::vector<std::uint64_t>& extents, Sweep sweep, const SweepKernels& kernels) {
    WholeLattice lattice(extents, sweep);
    PlainIsing plain(extents, sweep.seed, sweep.couplings, sweep.states);
    plain.start_hot();
    lattice.set_words(plain.words());
    SlabView& s = lattice.view;
    for (s.sweep.index = 0; s.sweep.index < 3; ++s.sweep.index) {
        lattice.close();
        ASSERT_TRUE(kernels.draw_and_label(s));
        kernels.unite_across_threads(s);
        if (s.sweep.ghost.binds()) kernels.bind_clusters(s);
        if (sweep.states == 2) expect_same_planes(kernels, lattice, plain);
        const PlainIsing::Observed expected = plain.sweep(s.sweep.index, sweep.bond.threshold, sweep.ghost);
        ClusterMoments found, moments;
        kernels.count_cluster_sizes(s, lattice.size.data(), found);
        kernels.accumulate_moments(s, lattice.size.data(), found);
        for (const std::uint64_t size : expected.cluster_sizes)
            moments.add(size, 1, fourth_moment_shift(s.lattice.sites()));
        EXPECT_EQ(found.clusters, moments.clusters);
        EXPECT_EQ(found.sites, plain.sites());
        EXPECT_EQ(found.largest, moments.largest);
        EXPECT_TRUE(found.squares == moments.squares && found.fourths == moments.fourths);
        kernels.flip_clusters(s);
        ASSERT_EQ(lattice.words(), plain.words())
            << kernels.name << ", " << extents[0] << " x " << extents[1] << ", q = " << sweep.states;
    }
}

const std::vector<std::vector<std::uint64_t>> lattices = {{7, 9},      {64, 64},    {130, 33}, {5, 6, 7},
                                                          {33, 9, 10}, {16, 12, 8}, {2, 3}};

TEST(SweepKernels, SweepsAreThoseOfPlainLoops) {
    for (const auto& extents : lattices)
        for (const double coupling : {0.1, extents.size() == 2 ? 0.44 : 0.22, 1.0})
            for (const int states : {2, 3, 8})
                for (const bool in_field : {false, true}) {
                    if (in_field && states > 2) continue;
                    Sweep sweep;
                    sweep.seed = 0x5eed;
                    sweep.states = states;
                    sweep.bond = bond_probability(coupling);
                    if (in_field) sweep.ghost = {bond_probability(0.02), true};
                    for (const SweepKernels& kernels : sweep_variants()) compare_sweeps(extents, sweep, kernels);
                }
}

TEST(SweepKernels, SignsAndBoundariesAreThoseOfPlainLoops) {
    for (const auto& extents : lattices) {
        Sweep sweep;
        sweep.seed = 7;
        sweep.bond = bond_probability(0.4);
        sweep.couplings.uniform = false;
        sweep.couplings.opposite = threshold_of(0.3L);
        sweep.couplings.seed = 11;
        sweep.couplings.boundary[0] = Boundary::antiperiodic;
        sweep.couplings.boundary[1] = Boundary::open;
        for (const SweepKernels& kernels : sweep_variants()) compare_sweeps(extents, sweep, kernels);
    }
}

TEST(SweepKernels, SingleSpinsAreThoseOfPlainLoops) {
    for (const std::vector<std::uint64_t>& extents :
         std::vector<std::vector<std::uint64_t>>{{8, 10}, {64, 64}, {130, 34}, {6, 4, 8}, {34, 8, 10}})
        for (const SweepKernels& kernels : sweep_variants()) {
            Sweep sweep;
            sweep.seed = 3;
            WholeLattice lattice(extents, sweep);
            PlainIsing plain(extents, sweep.seed);
            const double k = 0.3, h = 0.05;
            const MetropolisTable table = metropolis_table(static_cast<int>(extents.size()), 0, k, h);
            SlabView& s = lattice.view;
            lattice.set_words(plain.words());
            for (s.sweep.index = 0; s.sweep.index < 3; ++s.sweep.index) {
                for (const int colour : {0, 1}) {
                    lattice.close();
                    kernels.update_colour(s, table, colour);
                    std::swap(s.spins[0], s.next_spins);
                }
                plain.metropolis(s.sweep.index, k, h);
                ASSERT_EQ(lattice.words(), plain.words()) << kernels.name << ", " << extents[0] << " x " << extents[1];
            }
        }
}

}  // namespace
}  // namespace strata::swendsen_wang
