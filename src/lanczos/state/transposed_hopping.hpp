// SPDX-License-Identifier: BSD-3-Clause
// H_up between nodes that share no memory, by an all-to-all transpose of tiles [block][panel]: each rank owns some
// blocks with all their panels, and computes on all blocks of some panels (comm/transpose_exchange.hpp). Panels are
// divided into groups, the pieces of the transpose. Volume over P ranks: 2 (P - 1) / P vectors, for any computation.
#pragma once

#include <algorithm>
#include <vector>

#include "comm/transpose_exchange.hpp"
#include "kernels/lanczos/step_kernels.hpp"
#include "strata/partition.hpp"

namespace strata::lanczos {

/// Groups of panels, each divided between the ranks; the first group is the largest.
struct PanelGroups {
    std::uint64_t panels, ranks;

    /// The buffers need 6 / count() times the memory of a rank's part of the vector.
    std::uint64_t count() const { return std::clamp<std::uint64_t>(panels / ranks, 1, 8); }
    /// Panels of a group, and those of them that a rank computes on.
    Range of(std::uint64_t group) const { return equal_part(panels, count(), group); }
    Range of(std::uint64_t group, int rank) const {
        const Range part = equal_part(of(group).size(), ranks, static_cast<std::uint64_t>(rank));
        return {of(group).first + part.first, of(group).first + part.last};
    }
};

template <class Real>
class TransposedHopping {
  public:
    /// `blocks`: [rank] its blocks, ascending without gaps. `comm` and `kernels` must outlive the object.
    TransposedHopping(const Communicator& comm, const StepKernels<Real>& kernels, const HamiltonianView& hamiltonian,
                      std::vector<Range> blocks);
    /// w += H_up v; sums[tile] as up_sweep leaves them. Collective.
    void apply(const Real* v, Real* w, TileSums* sums);

  private:
    using Transpose = TransposeExchange<Cpu>;
    Transpose make_exchange() const;
    /// Own tiles of a group, for the ranks that compute on them: [panel][own block][tile].
    void pack(std::uint64_t group, int slot, const Real* v);
    void multiply(std::uint64_t group, int slot);

    const Communicator& comm_;
    const StepKernels<Real>& kernels_;
    const HamiltonianView h_;
    const std::vector<Range> blocks_;
    const PanelGroups groups_;
    Transpose exchange_;
};

}  // namespace strata::lanczos
