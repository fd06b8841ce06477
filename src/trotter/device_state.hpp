// SPDX-License-Identifier: BSD-3-Clause
// Spin states in the memory of devices, one rank per device. Rows lie one after another without gaps. Between ranks all
// rows of some columns at a time come to a rank by messages (comm/bit_exchange.hpp), from device to device or staged
// through pinned memory. The host sees slabs of rows only.
#pragma once

#include <optional>

#include "comm/bit_exchange.hpp"
#include "comm/device_binding.hpp"
#include "kernels/trotter/device_energies.hpp"
#include "strata/event_timers.hpp"
#include "trotter/plan.hpp"
#include "trotter/spin_state.hpp"
#include "trotter/state_sums.hpp"

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
    void combine(Complex z, const SpinState& from, double c) override;
    void scale(const std::vector<double>& factors) override;
    void finish() override;
    DistributedArray array() override;

  private:
    /// The launches of a group. The diagonal goes with the last one.
    const std::vector<DeviceTile>& tiles(Group group) const;
    /// A diagonal in device memory.
    struct Tables {
        Buffer<Amplitude<Real>, Cuda> tile;
        Buffer<double, Cuda> angles;
    };
    /// Energies of an axis in device memory.
    struct Energies {
        Buffer<double, Cuda> low, angles;
    };
    EnergyView energy_tables(const Diagonal& energy);
    const Tables& tables(Group group, const Phases& phases, int transforms);
    void set_tables(Group group, const Phases& phases, int transforms, Tables& tables) const;
    /// Runs the launches of a pass on the memory that `pass` describes.
    void launch(Group group, DevicePass<Real> pass) const;
    void exchange_columns(DevicePass<Real> pass);
    /// Calls visit(state, rows of it, its amplitudes) for slabs of this rank's rows.
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
    std::optional<BitExchange<Cuda>> exchange_;
};

extern template class DeviceState<double>;
extern template class DeviceState<float>;

}  // namespace strata::trotter
