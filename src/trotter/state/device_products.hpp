// SPDX-License-Identifier: BSD-3-Clause
// Products of H that flip any spins, on states in the memory of devices (kernels/trotter/flip_products.hpp). Flips of
// the bits that number a rank's rows take the rows of another rank, which are exchanged slab by slab.
#pragma once

#include <map>

#include "comm/device_exchange.hpp"
#include "kernels/trotter/device_energies.hpp"
#include "trotter/state/plan.hpp"

namespace strata::trotter {

template <class Real>
class DeviceProducts {
  public:
    /// All arguments must outlive the object; `state_comm`: the ranks that share a state.
    DeviceProducts(const TrotterPlan& plan, const Communicator& state_comm, const Queue<Cuda>& queue, DeviceRoute route)
        : plan_(plan), state_comm_(state_comm), queue_(queue), route_(route) {}

    void allocate();
    /// Adds a times the products from one state of this rank to another. `products` must outlive the object. Collective
    /// over the ranks of the state where products flip bits of ranks.
    void add(const FlipProducts& products, double a, const Amplitude<Real>* from, Amplitude<Real>* to);

  private:
    /// FlipProducts in device memory.
    struct Tables {
        Buffer<EntryGroup, Cuda> groups;
        Buffer<std::uint32_t, Cuda> first_term;
        Buffer<EntryTerm, Cuda> terms;
        Buffer<std::uint16_t, Cuda> entry_blocks;
    };
    FlipProductsView tables(const FlipProducts& products);
    /// As add(), for groups with the same flips of ranks, whose rows are on the rank `other`.
    void add_remote(const FlipProducts& products, const FlipProductsView& v, Range groups, double a, int other,
                    const Amplitude<Real>* from, Amplitude<Real>* to);

    const TrotterPlan& plan_;
    const Communicator& state_comm_;
    const Queue<Cuda>& queue_;
    DeviceRoute route_;
    std::map<const FlipProducts*, Tables> tables_;
    Buffer<Amplitude<Real>, Cuda> sent_, received_;  ///< slabs
    std::map<int, Exchange<Cuda>> exchanges_;        ///< with every rank whose rows are needed
};

extern template class DeviceProducts<double>;
extern template class DeviceProducts<float>;

}  // namespace strata::trotter
