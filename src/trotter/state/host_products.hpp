// SPDX-License-Identifier: BSD-3-Clause
// Products of H that flip any spins, on states in the memory of hosts (kernels/trotter/flip_products.hpp). Flips of the
// bits that number a rank's rows read the rows of another rank: in place where both share memory, else slab by slab by
// messages, with as many amplitudes sent as received.
#pragma once

#include <functional>

#include "comm/node_memory.hpp"
#include "trotter/state/plan.hpp"

namespace strata::trotter {

template <class Real>
class HostProducts {
  public:
    /// `plan`, `state_comm` (the ranks that share a state) and `node` must outlive the object.
    HostProducts(const TrotterPlan& plan, const PassKernels<Real>& kernels, const Communicator& state_comm,
                 const Node& node)
        : plan_(plan), kernels_(kernels), state_comm_(state_comm), node_(node) {}

    void allocate();
    /// Adds a times the products from one state of this rank to another; `from`: first row of the state on a rank of
    /// the node, counted within the node. Collective over the ranks of the state where products flip bits of ranks.
    void add(const FlipProducts& products, double a, const std::function<const Real*(std::size_t node_rank)>& from,
             Real* to);

  private:
    /// As add(), for groups with the same flips of ranks, whose rows are on the rank `other`.
    void add_remote(const FlipProductsView& v, Range groups, double a, const Real* own, int other, Real* to);

    const TrotterPlan& plan_;
    const PassKernels<Real>& kernels_;
    const Communicator& state_comm_;
    const Node& node_;
    std::uint64_t slab_rows_ = 0;
    Buffer<double> slab_;  ///< rows of another rank
};

extern template class HostProducts<double>;
extern template class HostProducts<float>;

}  // namespace strata::trotter
