// SPDX-License-Identifier: BSD-3-Clause
// Observables of one configuration: integers that are summed exactly over threads and ranks, and the row of real
// numbers computed from the sums, which is therefore the same for any number of ranks.
#pragma once

#include <complex>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "comm/communicator.hpp"
#include "kernels/swendsen_wang/cluster_moments.hpp"
#include "strata/record.hpp"
#include "swendsen_wang/state/plan.hpp"

namespace strata::swendsen_wang {

/// Columns of the series, in the order of SeriesColumn, then those of axis_columns().
std::vector<Column> series_columns(const SwendsenWangConfig& config);
enum SeriesColumn : std::size_t {
    energy_column,
    absolute_magnetisation,
    magnetisation_2,
    magnetisation_4,
    cluster_2,
    cluster_4,
    largest_cluster,
    cluster_count,
    structure_factor,
    column_count,
    signed_magnetisation = column_count,  ///< only in a field
    improved_magnetisation,               ///< this and the next one only by clusters of a ferromagnet in a field
    improved_magnetisation_2,
};
/// Where a series has this column: without observables of clusters there are no columns cluster_2 to cluster_count.
inline std::size_t place_of(std::size_t column, const SwendsenWangConfig& config) {
    return column > cluster_count && !config.clusters ? column - (cluster_count + 1 - cluster_2) : column;
}

/// Columns of the correlations along one periodic axis of L sites: the structure factors at k = 2 pi n / L, and the
/// correlations of planes at distance n, n = 0 .. last of both.
struct AxisColumns {
    std::size_t axis = 0;
    std::string name;                    ///< x, y or z
    std::uint64_t last = 0;              ///< no larger than L / 2
    std::size_t structure_factors = 0;   ///< first column
    std::size_t plane_correlations = 0;  ///< first column
};
/// One entry for each periodic axis; none without run.correlations.
std::vector<AxisColumns> axis_columns(const SwendsenWangConfig& config);

/// exp(2 pi i x / L) for x = 0 .. L - 1.
std::vector<std::complex<double>> unit_circle(std::uint64_t extent);

/// Counts from which the energy follows.
struct SpinCounts {
    std::uint64_t satisfied = 0, up = 0;
};

/// Columns of energy and magnetisation of an Ising configuration. The energy follows from n_s satisfied of n_b bonds by
/// E = -|J| (2 n_s - n_b) - h N m, the magnetisation m from the up spins.
class SpinColumns {
  public:
    explicit SpinColumns(const SwendsenWangConfig& config);
    void fill(const SpinCounts& counts, std::span<double> row) const;
    double field() const { return field_; }

  private:
    double sites_, bonds_per_site_, field_;  ///< field_: h / |J|
    std::size_t signed_magnetisation_;       ///< its column in a field, even if field_ underflows to 0; else 0
};

/// Integers of one configuration: of this rank, and after reduce() of all ranks on rank 0.
class Observation {
  public:
    explicit Observation(const SwendsenWangPlan& plan);

    /// Sets all counters to 0.
    void clear();
    /// [axis] counters of up spins, or of odd states of the Potts model, by coordinate, from the first layer of this slab
    /// along the slow axis.
    std::uint64_t* const* planes() const { return plane_starts_; }
    /// Counters of the sites in each state of the Potts model.
    std::uint64_t* states() { return states_.data(); }
    /// Adds satisfied bonds and up spins, or odd states.
    void add_spins(std::uint64_t satisfied, std::uint64_t up) {
        satisfied_ += satisfied;
        up_ += up;
    }
    SpinCounts spins() const { return {satisfied_, up_}; }
    /// Moments of the cluster sizes that are counted on this rank.
    ClusterMoments& clusters() { return clusters_; }

    /// Sums all counters over the ranks and fills the row on rank 0. Collective.
    void reduce(const Communicator& comm, std::span<double> row);
    /// Number of sites in all clusters at the last reduce(), on rank 0. It equals the number of lattice sites if every
    /// site was counted once.
    std::uint64_t sites_in_clusters() const { return sites_in_clusters_; }

  private:
    std::uint64_t first_plane(std::size_t axis) const;
    void subtract_mean();
    double mode(std::size_t axis, std::uint64_t n) const;
    double smallest_mode() const;
    double plane_correlation(std::size_t axis, std::uint64_t distance) const;
    double squared_order_parameter(std::span<const std::uint64_t> sites_in_state) const;

    TileLattice lattice_;
    std::uint64_t q_, odd_;  ///< states of a site, and the odd ones among them: 0 is down, 1 up for the Ising model
    SpinColumns spin_columns_;
    bool improves_in_field_;
    bool has_clusters_;
    std::size_t structure_factor_;  ///< column
    std::vector<AxisColumns> axis_columns_;
    std::uint64_t satisfied_ = 0, up_ = 0, sites_in_clusters_ = 0;
    ClusterMoments clusters_;
    /// up spins, or odd states, at each x, then at each y (then z) of the whole lattice
    std::vector<std::uint64_t> planes_;
    std::vector<std::complex<double>> phases_;  ///< exp(2 pi i x / L) in the order of planes_
    std::vector<double> deviations_;            ///< sums of the spins less their mean, in the order of planes_
    std::uint64_t* plane_starts_[3] = {nullptr, nullptr, nullptr};
    std::vector<std::uint64_t> states_;  ///< sites in each state of the Potts model; empty for the Ising model
    std::vector<std::uint64_t> sums_;
};

/// Counts the configuration of the products q_i = s_i s'_i of two configurations of a slab, as spins are counted: its
/// magnetisation is the overlap of both (S. F. Edwards, P. W. Anderson, J. Phys. F 5, 965 (1975)). `one` and `other`: words
/// of all tiles of the slab, row by row.
void count_overlap(const TileLattice& slab, std::span<const std::uint64_t> one, std::span<const std::uint64_t> other,
                   Observation& observation);

}  // namespace strata::swendsen_wang
