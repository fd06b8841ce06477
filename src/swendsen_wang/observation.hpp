// SPDX-License-Identifier: BSD-3-Clause
// What is seen of one configuration: integers, summed exactly over threads and ranks, then one row of numbers.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "comm/communicator.hpp"
#include "kernels/swendsen_wang/cluster_sums.hpp"
#include "strata/record.hpp"
#include "swendsen_wang/plan.hpp"

namespace strata::swendsen_wang {

/// Columns of the series, in the order of SeriesColumn.
const std::vector<Column>& series_columns();
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
    column_count
};

/// The integers of one configuration, on this rank or over all.
class Observation {
  public:
    explicit Observation(const SwendsenWangPlan& plan);

    void clear();
    /// Where count_planes adds this slice's up spins, by axis.
    std::uint64_t* const* planes() const { return plane_starts_; }
    /// Aligned neighbour pairs and up spins.
    void add_spins(std::uint64_t aligned, std::uint64_t up) {
        aligned_ += aligned;
        up_ += up;
    }
    ClusterSums& clusters() { return clusters_; }

    /// The row of all ranks' sums, complete on rank 0.
    void reduce(const Communicator& comm, std::span<double> row);
    /// Sites in all clusters of the last reduce, on rank 0: all of the lattice if every site was counted once.
    std::uint64_t sites_in_clusters() const { return sites_in_clusters_; }

  private:
    double smallest_mode() const;

    TileLattice lattice_;
    std::uint64_t aligned_ = 0, up_ = 0, sites_in_clusters_ = 0;
    ClusterSums clusters_;
    std::vector<std::uint64_t> planes_;  ///< x, then y (then z) planes of the whole lattice
    std::uint64_t* plane_starts_[3] = {nullptr, nullptr, nullptr};
    std::vector<std::uint64_t> sums_;
};

}  // namespace strata::swendsen_wang
