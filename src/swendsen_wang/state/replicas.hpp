// SPDX-License-Identifier: BSD-3-Clause
// Replicas of one lattice that advance side by side by single-spin updates (kernels/swendsen_wang/replicas.hpp). They
// may differ in seeds, temperatures, fields and signs of couplings; each has the spins that a Slab would have alone.
#pragma once

#include <complex>
#include <cstdint>
#include <span>
#include <vector>

#include "kernels/swendsen_wang/sweep_kernels.hpp"
#include "strata/timer.hpp"
#include "swendsen_wang/job/config.hpp"

namespace strata::swendsen_wang {

class Replicas {
  public:
    /// One replica for each config; all have the same extents, boundaries and instruction set. Sweep numbers begin at
    /// `first_random` [replica]. Spins are set by write().
    Replicas(std::span<const SwendsenWangConfig> configs, std::vector<std::uint64_t> first_random);

    const TileLattice& lattice() const { return view_.lattice; }
    const SweepKernels& kernels() const { return kernels_; }
    /// Sets the acceptance probabilities of a replica.
    void set_table(std::size_t replica, const MetropolisTable& table);
    /// Copies the words of a replica, of all tiles in global order.
    void read(std::size_t replica, std::span<std::uint64_t> words) const;
    void write(std::size_t replica, std::span<const std::uint64_t> words);
    /// Sweep number `step` of all replicas.
    void sweep(std::uint64_t step, Timers& timers);

    /// Counts the configurations.
    void count(Timers& timers);
    std::uint64_t satisfied(std::size_t replica) const { return count(replica, 0); }
    std::uint64_t up(std::size_t replica) const { return count(replica, 1); }
    /// The structure factor at the smallest wave vector, as Observation computes it.
    double smallest_mode(std::size_t replica) const {
        return modes_[replica / group_replicas].lane[replica % group_replicas];
    }

  private:
    void set_tiles(const SwendsenWangConfig& config);
    void set_signs(std::size_t replica, const Couplings& couplings);
    ReplicaWords* spins(std::size_t group) { return spins_.data() + group * tiles_.size(); }
    std::uint64_t count(std::size_t replica, std::size_t row) const {
        return counts_[replica / group_replicas * count_rows_ + row].lane[replica % group_replicas];
    }

    /// Acceptance probabilities of a group.
    struct Table {
        MetropolisTable of_replica[group_replicas];
        std::vector<MetropolisTable::Entry> entries;
        std::vector<ReplicaWords> digits, accepted;
        bool changed = true;  ///< classes of a replica
    };
    void set_classes(std::size_t group);
    static void set_digits(Table& table, std::size_t lane);

    const SweepKernels& kernels_;
    ReplicaView view_;
    std::vector<std::uint64_t> first_random_;
    std::vector<ReplicaTile> tiles_;
    std::vector<std::complex<double>> phases_[3];
    std::vector<ReplicaWords> spins_;     ///< [group][tile]
    std::vector<ReplicaWords> negative_;  ///< [group][tile][axis][direction]
    std::vector<Table> tables_;           ///< [group]
    std::vector<ReplicaGroup> groups_;
    std::size_t count_rows_ = 2;
    std::vector<ReplicaWords> counts_;   ///< [group][satisfied, up, planes of all axes]
    std::vector<ReplicaNumbers> modes_;  ///< [group]
};

}  // namespace strata::swendsen_wang
