// SPDX-License-Identifier: BSD-3-Clause
// Pair occupations are weights |x|^2 summed over all basis states. Within a block of 16 rows doubles are summed in a
// fixed order; over blocks, threads and ranks the sums are exact (strata/exact_sum.hpp), so that nothing is stored per
// block and the bits do not depend on which rank or thread sums which block.
#include <algorithm>
#include <array>
#include <memory>

#include "comm/collectives.hpp"
#include "lanczos/run/correlations.hpp"
#include "strata/exact_sum.hpp"
#include "strata/parallel.hpp"

namespace strata::lanczos {
namespace {

/// Calls visit(site) for every bit that is set.
template <class Visit>
void for_each_site(std::uint64_t occupation, Visit visit) {
    for (; occupation != 0; occupation &= occupation - 1) visit(static_cast<std::size_t>(__builtin_ctzll(occupation)));
}

/// Adds weight to out[i * sites + j] for all pairs of occupied sites i <= j.
void add_pairs(std::uint64_t occupation, double weight, std::size_t sites, double* out) {
    for (; occupation != 0; occupation &= occupation - 1) {
        double* row = out + static_cast<std::size_t>(__builtin_ctzll(occupation)) * sites;
        for_each_site(occupation, [&](std::size_t j) { row[j] += weight; });
    }
}

using RowWeights = std::array<double, block_rows>;
using RowStrings = std::array<std::uint64_t, block_rows>;

/// |x|^2 of the elements of one column in all rows of a block; 0 for padding rows.
RowWeights row_weights(const double* z, std::uint64_t rows, const BlockLayout& l) {
    RowWeights weights{};
    for (std::uint64_t row = 0; row < rows; ++row, z += l.panel)
        weights[row] = z[0] * z[0] + (l.reals() == 2 ? z[1] * z[1] : 0);
    return weights;
}

/// The sum of all rows, always in the same order.
double over_rows(RowWeights weights) {
    for (std::size_t half = block_rows / 2; half > 0; half /= 2)
        for (std::size_t row = 0; row < half; ++row) weights[row] += weights[row + half];
    return weights[0];
}

/// Weights of pairs of occupied sites: doubles within one block, in a fixed order, and exact sums over blocks.
class PairSums {
  public:
    PairSums(std::size_t up_sites, std::size_t down_sites)
        : us_(up_sites), ds_(down_sites), of_block_(entries(us_, ds_)), beside_(ds_), total_(entries(us_, ds_)) {}

    static std::size_t entries(std::size_t us, std::size_t ds) { return us * us + ds * ds + us * ds; }

    /// `up`: bit strings of the rows of the block.
    void add_block(const HamiltonianView& h, const RowStrings& up, const double* x, std::uint64_t block);
    void add(const PairSums& other) {
        for (std::size_t i = 0; i < total_.size(); ++i) total_[i] += other.total_[i];
    }
    void over_ranks(const Communicator& comm) { all_sum(comm, total_); }

    double uu(std::size_t i, std::size_t j) const { return total_[std::min(i, j) * us_ + std::max(i, j)].value(); }
    double dd(std::size_t i, std::size_t j) const {
        return total_[us_ * us_ + std::min(i, j) * ds_ + std::max(i, j)].value();
    }
    double ud(std::size_t i, std::size_t j) const { return total_[us_ * us_ + ds_ * ds_ + i * ds_ + j].value(); }

  private:
    std::size_t us_, ds_;
    std::vector<double> of_block_;    ///< [up][up], [down][down] of pairs i <= j, and [up][down]
    std::vector<RowWeights> beside_;  ///< [down site][row of the block]: weight with that down site occupied
    std::vector<ExactSum> total_;     ///< sums over blocks, in the order of of_block_
};

void PairSums::add_block(const HamiltonianView& h, const RowStrings& up, const double* x, std::uint64_t block) {
    const BlockLayout& l = h.layout;
    const std::uint64_t first = (l.blocks.first + block) * block_rows, rows = l.rows_of(block);
    std::ranges::fill(of_block_, 0);
    std::ranges::fill(beside_, RowWeights{});
    double *uu = of_block_.data(), *dd = uu + us_ * us_, *ud = dd + ds_ * ds_;
    RowWeights* const beside = beside_.data();
    RowWeights of_up{};
    for (std::uint64_t d = 0; d < l.dim_down; ++d) {
        const RowWeights weights = row_weights(x + l.at(first, d), rows, l);
        for (std::size_t row = 0; row < block_rows; ++row) of_up[row] += weights[row];
        for_each_site(h.down.sites[d], [&](std::size_t j) {
            for (std::size_t row = 0; row < block_rows; ++row) beside[j][row] += weights[row];
        });
        add_pairs(h.down.sites[d], over_rows(weights), ds_, dd);
    }
    for (std::uint64_t row = 0; row < rows; ++row) {
        add_pairs(up[row], of_up[row], us_, uu);
        for_each_site(up[row], [&](std::size_t i) {
            for (std::size_t j = 0; j < ds_; ++j) ud[i * ds_ + j] += beside[j][row];
        });
    }
    for (std::size_t i = 0; i < of_block_.size(); ++i)
        if (of_block_[i] != 0) total_[i].add(of_block_[i]);
}

void take_two_components(const PairSums& sums, std::size_t sites, PairOccupations& result) {
    for (std::size_t i = 0; i < sites; ++i)
        for (std::size_t j = 0; j < sites; ++j) {
            result.uu[i][j] = sums.uu(i, j);
            result.dd[i][j] = sums.dd(i, j);
            result.ud[i][j] = sums.ud(i, j);
        }
}

/// In a sector of symmetries a row represents all its images, so that the result is the mean over the group. `two`:
/// whether there are two spin components.
void take_orbits(const PairSums& sums, const SymmetryGroup& group, bool two, PairOccupations& result) {
    const int sites = group.sites();
    for (int i = 0; i < sites; ++i)
        for (int j = 0; j < sites; ++j)
            for (std::uint32_t g = 0; g < group.order(); ++g) {
                const auto a = static_cast<std::size_t>(group.image(g)[static_cast<std::size_t>(i)]),
                           b = static_cast<std::size_t>(group.image(g)[static_cast<std::size_t>(j)]);
                const auto [x, y] = std::pair(static_cast<std::size_t>(i), static_cast<std::size_t>(j));
                // both occupied, or both empty
                const auto pair = [&](double of_a, double of_b, double both) {
                    return (group.complements(g) ? 1 - of_a - of_b + both : both) / group.order();
                };
                result.uu[x][y] += pair(sums.uu(a, a), sums.uu(b, b), sums.uu(a, b));
                if (!two) continue;
                result.dd[x][y] += pair(sums.dd(a, a), sums.dd(b, b), sums.dd(a, b));
                result.ud[x][y] += pair(sums.uu(a, a), sums.dd(b, b), sums.ud(a, b));
            }
}

/// Pairs of sites from pairs of bits, of coded electrons: spin down is the lower bit of a site.
void take_electrons(const PairOccupations& of_bits, std::size_t sites, PairOccupations& result) {
    for (std::size_t i = 0; i < sites; ++i)
        for (std::size_t j = 0; j < sites; ++j) {
            result.uu[i][j] = of_bits.uu[2 * i + 1][2 * j + 1];
            result.dd[i][j] = of_bits.uu[2 * i][2 * j];
            result.ud[i][j] = of_bits.uu[2 * i + 1][2 * j];
        }
}

/// The same of levels, whose number of bits is n = m + S.
void take_levels(const PairOccupations& of_bits, std::size_t sites, std::size_t bits, PairOccupations& result) {
    for (std::size_t i = 0; i < sites; ++i)
        for (std::size_t j = 0; j < sites; ++j)
            for (std::size_t a = i * bits; a < (i + 1) * bits; ++a)
                for (std::size_t b = j * bits; b < (j + 1) * bits; ++b) {
                    if (i == j) result.ud[i][i] += of_bits.uu[a][b];
                    if (i != j || a == b) result.uu[i][j] += of_bits.uu[a][b];
                }
}

/// With one spin component the down bit strings are the left half of the sites, the up bit strings the right half.
void take_halves(const PairSums& sums, std::size_t us, std::size_t ds, PairOccupations& result) {
    for (std::size_t i = 0; i < ds; ++i)
        for (std::size_t j = 0; j < ds; ++j) result.uu[i][j] = sums.dd(i, j);
    for (std::size_t i = 0; i < us; ++i) {
        for (std::size_t j = 0; j < us; ++j) result.uu[ds + i][ds + j] = sums.uu(i, j);
        for (std::size_t j = 0; j < ds; ++j) result.uu[ds + i][j] = result.uu[j][ds + i] = sums.ud(i, j);
    }
}

}  // namespace

void PairOccupations::add(const PairOccupations& other) {
    for (std::size_t i = 0; i < max_sites; ++i)
        for (std::size_t j = 0; j < max_sites; ++j) {
            uu[i][j] += other.uu[i][j];
            dd[i][j] += other.dd[i][j];
            ud[i][j] += other.ud[i][j];
        }
    measured += other.measured;
}

PairOccupations PairOccupations::mean() const {
    PairOccupations result = *this;
    for (auto matrix : {result.uu, result.dd, result.ud})
        for (std::size_t i = 0; i < max_sites; ++i)
            for (std::size_t j = 0; j < max_sites; ++j) matrix[i][j] /= measured;
    result.measured = 1;
    return result;
}

void PairOccupations::add_fields(Record& record) {
    constexpr std::size_t size = max_sites * max_sites;
    record.field("up-up", std::span(&uu[0][0], size));
    record.field("down-down", std::span(&dd[0][0], size));
    record.field("up-down", std::span(&ud[0][0], size));
    record.field("measured", measured);
}

void measure(HamiltonianOperator& hamiltonian, const DistributedVector& state, PairOccupations& result) {
    const Sector& sector = hamiltonian.sector();
    const auto us = static_cast<std::size_t>(sector.up_sites()), ds = static_cast<std::size_t>(sector.down_sites());
    PairSums sums(us, ds);
    std::vector<PairSums> of_threads(static_cast<std::size_t>(omp_get_max_threads()), sums);
    for (std::size_t p = 0; p < sector.subspaces().size(); ++p) {
        const BlockLayout l =
            sector.layout(p, hamiltonian.plan().arithmetic(), hamiltonian.comm().size(), hamiltonian.comm().rank());
        const HamiltonianView h = sector.hamiltonian(p, l);
        const HamiltonianOperator::Blocks x = hamiltonian.blocks(state, p);
        for_each_parallel({0, l.blocks.size()}, [&](std::uint64_t b) {
            RowStrings up{};
            for (std::uint64_t row = 0; row < l.rows_of(b); ++row)
                up[row] = sector.up_string(p, (l.blocks.first + b) * block_rows + row);
            of_threads[static_cast<std::size_t>(omp_get_thread_num())].add_block(h, up, x.data(), b);
        });
    }
    for (const PairSums& own : of_threads) sums.add(own);
    sums.over_ranks(hamiltonian.comm());
    result = PairOccupations();
    result.measured = 1;
    const bool two = sector.model().spin_components == 2;
    if (sector.symmetric())
        take_orbits(sums, *sector.symmetric()->group, two, result);
    else if (two)
        take_two_components(sums, us, result);
    else
        take_halves(sums, us, ds, result);
    if (!sector.model().codes.coded()) return;
    const auto of_bits = std::make_unique<const PairOccupations>(result);
    result = PairOccupations();
    result.measured = 1;
    const auto sites = static_cast<std::size_t>(sector.model().lattice.sites);
    if (sector.model().kind == SiteKind::electrons)
        take_electrons(*of_bits, sites, result);
    else
        take_levels(*of_bits, sites, static_cast<std::size_t>(sector.model().codes.bits), result);
}

}  // namespace strata::lanczos
