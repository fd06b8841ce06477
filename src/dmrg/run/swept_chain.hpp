// SPDX-License-Identifier: BSD-3-Clause
// A matrix product state whose centre goes from bond to bond, with the blocks that the steps at the centre read.
#pragma once

#include <optional>

#include "comm/communicator.hpp"
#include "dmrg/state/chain_state.hpp"
#include "strata/record.hpp"
#include "strata/timer.hpp"

namespace strata::dmrg {

/// Direction of a sweep. right: the left block is enlarged by its site at the centre; left: the right block.
enum class Direction { right, left };
/// The side of the tensor at the centre whose columns are orthonormal after a step in this direction.
inline Side orthonormal_side(Direction d) { return d == Direction::right ? Side::left : Side::right; }

/// Figures of performance of steps that update one bond each; `flops`: operations of all multiplications.
std::vector<Figure> performance_of_bonds(std::uint64_t steps, double seconds, double flops);

class SweptChain {
  public:
    /// `comm`, `model` and `timers` must outlive the object.
    SweptChain(const Communicator& comm, const Model& model, const Algebra& algebra, Timers& timers);
    virtual ~SweptChain() = default;
    SweptChain(const SweptChain&) = delete;
    SweptChain& operator=(const SweptChain&) = delete;

    const Model& model() const { return model_; }
    const Algebra& algebra() const { return algebra_; }
    ChainState& chain() { return chain_; }
    const ChainState& chain() const { return chain_; }

    /// Announces that the tensors were replaced by those after a step in this direction; prepare() recomputes the
    /// blocks from them.
    void tensors_were_set(Direction direction) {
        stale_blocks_ = direction;
        prepared_.reset();
    }
    /// Brings the blocks that a step at bond `centre` needs to memory, without a change of the state. Collective;
    /// throws CollectiveError(file) if an access to blocks on disk has failed.
    void prepare(int centre);

  protected:
    /// Moves the centre to a bond, whose blocks prepare() has brought to memory, or does so now. Collective.
    void go_to(int centre);
    /// Recomputes blocks, and what else belongs to the tensors, from them; every rank does this for itself.
    virtual void rebuild(Direction direction);

    const Communicator& comm_;
    const Model& model_;
    const Algebra algebra_;
    ChainState chain_;
    Timers& timers_;

  private:
    /// Set while blocks do not belong to the tensors, which are those after a step in this direction.
    std::optional<Direction> stale_blocks_;
    /// Centre that prepare() has brought to memory, until its step.
    std::optional<int> prepared_;
};

}  // namespace strata::dmrg
