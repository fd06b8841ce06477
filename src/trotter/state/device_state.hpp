// SPDX-License-Identifier: BSD-3-Clause
// Spin states in the memory of devices, one rank per device. Rows lie one after another without gaps. For a pass across
// rows every rank receives all rows of some of its columns at a time by messages (comm/transpose_exchange.hpp), from device
// to device or staged through pinned memory. The host accesses slabs of rows only.
#pragma once

#include <optional>

#include "comm/device_binding.hpp"
#include "comm/transpose_exchange.hpp"
#include "kernels/trotter/device_energies.hpp"
#include "strata/event_timers.hpp"
#include "trotter/state/device_products.hpp"
#include "trotter/state/plan.hpp"
#include "trotter/state/spin_state.hpp"
#include "trotter/state/state_sums.hpp"

namespace strata::trotter {

template <class Real>
class DeviceState : public SpinState {
  public:
    /// `comm`, `plan` and `timers` must outlive the object. Collective.
    DeviceState(const Communicator& comm, const TrotterPlan& plan, const DeviceBinding& device, Timers& timers);

    const Communicator& comm() const override { return comm_; }
    std::string backend() const override { return "cuda " + device_name_; }
    void allocate() override;
    void fill(const std::function<InitialState(std::uint64_t)>& start) override;
    void pass(Group group, const Phases& phases, bool before, bool after) override;
    std::vector<Moments> moments() override;
    std::vector<Complex> overlaps(const std::function<InitialState(std::uint64_t)>& start) override;
    void add_energies(const Diagonal& energy, const EnergySum& sum, const SpinState& from) override;
    void add_products(const FlipProducts& products, double a, const SpinState& from) override;
    void combine(Complex z, const SpinState& from, double c) override;
    void scale(const std::vector<double>& factors) override;
    void finish() override;
    DistributedArray array() override;

  private:
    /// Launches that transform the bits of a group; the last one also applies the diagonal.
    const std::vector<DeviceTile>& tiles(Group group) const;
    /// Tables of a diagonal in device memory: factors [state of the bits of the last tile], angles [spin][spin] with
    /// the fields at [j][j].
    struct Tables {
        Buffer<Amplitude<Real>, Cuda> tile;
        Buffer<double, Cuda> angles;
    };
    /// EnergyTables of one axis in device memory.
    struct Energies {
        Buffer<double, Cuda> low, angles;
    };
    EnergyView energy_tables(const Diagonal& energy);
    const Tables& tables(Group group, const Phases& phases, int transforms);
    void set_tables(Group group, const Phases& phases, int transforms, Tables& tables) const;
    /// Runs the launches of a pass on the memory that `pass` describes.
    void launch(Group group, DevicePass<Real> pass) const;
    /// Runs a pass across rows whose columns the ranks of a state exchange piece by piece.
    void exchange_columns(DevicePass<Real> pass);
    /// Calls visit(state of this rank, rows counted from own_rows_.first, their amplitudes) for every slab.
    template <class Visit>
    void each_slab(Visit visit);
    std::uint64_t part_amplitudes() const { return own_rows_.size() << layout_.row_bits; }
    const Amplitude<Real>* state(std::uint64_t i) const { return amplitudes_.data() + i * part_amplitudes(); }
    Amplitude<Real>* state(std::uint64_t i) { return amplitudes_.data() + i * part_amplitudes(); }

    const Communicator& comm_;
    const TrotterPlan& plan_;
    Timers& timers_;
    const DevicePassKernels<Real>& kernels_;
    std::string device_name_;
    DeviceRoute route_;
    StateLayout layout_;
    Range own_rows_;
    std::uint64_t own_states_;
    Communicator state_comm_;  ///< ranks that share this rank's state
    Queue<Cuda> queue_;
    EventTimers event_timers_;
    Buffer<Amplitude<Real>, Cuda> amplitudes_;
    Buffer<Amplitude<Real>, Pinned> slab_;
    Buffer<double, Cuda> sums_;
    Buffer<double, Pinned> host_sums_;
    KeptTables<Tables> tables_[2];  ///< [group]
    KeptTables<Energies> energies_;
    DeviceProducts<Real> products_;
    std::optional<TransposeExchange<Cuda>> exchange_;
};

extern template class DeviceState<double>;
extern template class DeviceState<float>;

}  // namespace strata::trotter
