// SPDX-License-Identifier: BSD-3-Clause
// The working pair lies in memory that the ranks of a node share, so that they read each other's patches in place.
#include "superblock/host_operator.hpp"

#include "kernels/instruction_sets.hpp"

namespace strata::superblock {

template <class Real>
HostOperator<Real>::HostOperator(const Communicator& comm, const MultiplyPlan& plan, const OperatorSource& operators,
                                 const HostOptions& options, Timers& timers)
    : TargetOperator(comm, plan, options.seed, timers),
      operators_(operators),
      node_(comm, options.sharing, 2 * (plan.elements().size() + 1) * sizeof(Real)),
      product_(comm, plan, node_, choose_kernels(kronecker::block_variants<Real>(), options.simd), timers),
      space_(comm, space_layout(), {plan.threads()}, options.simd, timers) {}

template <class Real>
std::string HostOperator<Real>::name() const {
    return "cpu " + product_.name() + (sizeof(Real) == 4 ? " single" : "");
}

template <class Real>
MemoryPrediction HostOperator<Real>::memory(std::uint64_t vectors) const {
    MemoryPrediction m = product_.memory();
    m.add(plan_.vector_memory<Real>(plan_.rank(), vectors));
    return m;
}

template <class Real>
std::string HostOperator<Real>::exchange_description() const {
    if (comm_.size() == 1) return {};
    const std::uint64_t received = product_.exchange().received_bytes();
    return received == 0 ? "patches of other ranks are read in place, in memory that this node shares"
                         : "this rank receives " + human_bytes(received) + " of patches from other nodes per product";
}

template <class Real>
void HostOperator<Real>::allocate() {
    space_.allocate();
    for (DistributedVector* x : {&v_, &w_}) {
        std::vector<NodeBuffer> memory;
        memory.push_back(Space::shared_memory(node_, plan_.elements().size()));
        *x = space_.adopt(std::move(memory));
    }
    product_.allocate(operators_);
}

template <class Real>
void HostOperator<Real>::add_product() {
    product_.add_product(Space::memory_of(v_), elements(w_));
}

template class HostOperator<double>;
template class HostOperator<float>;

}  // namespace strata::superblock
