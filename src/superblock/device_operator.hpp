// SPDX-License-Identifier: BSD-3-Clause
// The target Hamiltonian on devices, one rank per device: operators, vectors and all linear algebra remain in device
// memory; the host receives sums and, for checkpoints, slabs. A product consists of two launches (device_plan.hpp),
// with several ranks of three: blocks that read other ranks' patches are computed after the messages have arrived,
// which are sent from device to device or staged through pinned memory.
#pragma once

#include <memory>

#include "comm/device_binding.hpp"
#include "comm/patch_exchange.hpp"
#include "kernels/kronecker/device_tiles.hpp"
#include "strata/event_timers.hpp"
#include "superblock/device_plan.hpp"
#include "superblock/target_operator.hpp"

namespace strata::superblock {

using kronecker::TileMemory;

/// Memory that a rank allocates, with `others` vectors in addition to the working pair.
template <class Real>
MemoryPrediction device_memory(const MultiplyPlan& plan, int rank, std::uint64_t others);

template <class Real>
class DeviceOperator : public TargetOperator {
  public:
    /// As TargetOperator; `operators` must outlive the object, too. Collective.
    DeviceOperator(const Communicator& comm, const MultiplyPlan& plan, const OperatorSource& operators,
                   std::uint64_t seed, const DeviceBinding& device, Timers& timers);

    std::string name() const override;
    bool on_device() const override { return true; }
    MemoryPrediction memory(std::uint64_t vectors) const override;
    std::string exchange_description() const override;

    krylov::VectorSpace& space() override { return space_; }
    void allocate() override;

  protected:
    void add_product() override;

  private:
    using Space = krylov::BackendSpace<Cuda, Real>;
    /// The messages of other ranks' patches of one vector.
    struct Planned {
        const Real* own;
        std::unique_ptr<Exchange<Cuda>> exchange;
    };
    static Real* elements(const DistributedVector& x) { return Space::own(x); }
    void plan_messages(const DistributedVector& x);
    void pack();
    void compute(const Buffer<Tile, Cuda>& tiles, TileMemory<Real> memory) const;

    const OperatorSource& operators_;
    const std::string device_name_;
    const DeviceRoute route_;
    const unsigned blocks_;  ///< thread blocks that run at the same time
    const DevicePlan device_plan_;
    ItemMessages messages_;
    Queue<Cuda> queue_;
    EventTimers event_timers_;
    Space space_;
    std::vector<Planned> planned_;
    Buffer<Real, Cuda> pool_, scratch_, gathered_;
    Buffer<TileProduct, Cuda> products_;
    Buffer<Tile, Cuda> own_tiles_, gathered_tiles_, result_tiles_;
};

extern template class DeviceOperator<double>;
extern template class DeviceOperator<float>;

}  // namespace strata::superblock
