// SPDX-License-Identifier: BSD-3-Clause
// The plan of one rank: its part of a sector, known by counting, and the bytes, operations and messages of a step.
// Tables are built when they are first used, so that a plan of any size costs nothing.
#pragma once

#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "kernels/lanczos/step_kernels.hpp"
#include "lanczos/job/config.hpp"
#include "lanczos/physics/sector.hpp"
#include "lanczos/state/ghost_rows.hpp"
#include "strata/backend.hpp"

namespace strata::lanczos {

/// Number of blocks that a device transposes at a time: those of 16 MiB, which stay in its L2 cache, or 1.
std::uint64_t device_blocks_together(const BlockLayout& l, std::uint64_t real_bytes);

/// Real arithmetic where the amplitudes, the characters of the group, if there is one, and the operator of a spectrum
/// allow it and the job does not forbid it. Throws Error(bad_input) where the job asks for real arithmetic that is not possible.
Arithmetic choose_arithmetic(const LanczosConfig& c, const Model& model, const SymmetryGroup* group);

class LanczosPlan {
  public:
    /// Throws Error(bad_input) for real arithmetic with complex amplitudes, and as SectorCounts does.
    LanczosPlan(const LanczosConfig& config, int ranks, int rank, int threads);
    /// The same for the model of the job, which has been made.
    LanczosPlan(const LanczosConfig& config, const Model& model, int ranks, int rank, int threads);
    /// The plan for other particle numbers and, in a sector of symmetries, for the character of `group`. Its arithmetic
    /// is real if this plan's is and the character allows it.
    LanczosPlan in_sector(int up, int down, std::shared_ptr<const SymmetryGroup> group) const;
    /// The plan for another Hamiltonian with the same symmetries in the same sector.
    LanczosPlan for_model(Model model) const;
    /// The plan of vectors of this sector and of that of `target` together, the subspaces of this one first, for a
    /// model whose products lead from one to the other. No symmetries.
    LanczosPlan joined(const LanczosPlan& target, Model model) const;

    const LanczosConfig& config() const { return config_; }
    const SectorCounts& counts() const { return *counts_; }
    /// The sector with its tables, which the first call builds; copies of a plan share them.
    const Sector& sector() const;
    const Model& model() const { return counts_->model(); }
    Arithmetic arithmetic() const { return arithmetic_; }
    double reals() const { return arithmetic_ == Arithmetic::complex ? 2 : 1; }  ///< real numbers of an element
    int ranks() const { return ranks_; }
    int threads() const { return threads_; }
    BlockLayout layout(std::size_t subspace, int rank) const {
        return counts_->layout(subspace, arithmetic_, ranks_, rank);
    }
    /// Ghost rows of all ranks, by counting.
    const GhostRows& ghost_rows() const;
    /// Whether transposing panels moves less between nodes than sending needed rows.
    bool transposes() const;

    /// Whether all states have the same number of particles, that of the job.
    bool conserves_particles() const {
        return config_.conserved == Conserved::numbers || config_.conserved == Conserved::particles;
    }
    double dimension() const { return counts_->dimension(); }
    std::uint64_t real_bytes() const { return config_.precision == Precision::single ? 4 : 8; }
    std::uint64_t transpose_bytes(int rank) const;                      ///< buffers of the panel transpose on `rank`
    std::uint64_t vector_bytes() const { return vector_bytes(rank_); }  ///< bytes of one vector on this rank
    std::uint64_t vector_bytes(int rank) const;
    std::uint64_t all_vector_bytes() const;  ///< bytes of one vector on all ranks, as a checkpoint stores it
    /// Bytes of one step over all ranks: 7 reals per real number of the vector, and 3 more with hopping between
    /// subspaces.
    double bytes_per_step() const;
    double flops_per_step() const;

    std::vector<std::string> description() const;
    /// Lines about memory and network traffic; measures the memory bandwidth for the CPU.
    std::vector<std::string> traffic(BackendKind backend) const;

  private:
    LanczosPlan(const LanczosConfig& config, Model model, std::shared_ptr<const SymmetryGroup> group, int ranks,
                int rank, int threads, const std::vector<Filling>& further = {});
    Filling filling() const { return {config_.up, config_.down, config_.conserved}; }

    /// Elements that all ranks receive in one step if panels are transposed there and back; infinite for one spin
    /// component.
    double transposed_elements() const;

    /// Results that are computed when first needed, and shared by copies of the plan.
    struct Cached {
        std::once_flag tables_once, rows_once;
        std::unique_ptr<const Sector> tables;
        GhostRows rows;
    };

    LanczosConfig config_;
    int ranks_, rank_, threads_;
    std::shared_ptr<const SectorCounts> counts_;
    Arithmetic arithmetic_;
    std::shared_ptr<Cached> cached_;
};

}  // namespace strata::lanczos
