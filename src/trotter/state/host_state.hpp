// SPDX-License-Identifier: BSD-3-Clause
// Spin states in the memory of hosts. Ranks of a node see each other's rows (a shared window), so that a pass across
// rows needs no message: each rank transforms its share of the columns in place. Ranks of several nodes exchange pieces
// of columns (comm/transpose_exchange.hpp).
#pragma once

#include <memory>
#include <optional>

#include "comm/node_memory.hpp"
#include "comm/transpose_exchange.hpp"
#include "trotter/state/host_products.hpp"
#include "trotter/state/plan.hpp"
#include "trotter/state/spin_state.hpp"
#include "trotter/state/state_sums.hpp"

namespace strata::trotter {

template <class Real>
class HostState : public SpinState {
  public:
    /// `comm` and `timers` must outlive the object. Collective.
    HostState(const Communicator& comm, const TrotterPlan& plan, Timers& timers, Sharing sharing = Sharing::allowed);

    const Communicator& comm() const override { return comm_; }
    std::string backend() const override { return "cpu " + std::string(kernels_.name); }
    void allocate() override;
    void fill(const std::function<InitialState(std::uint64_t)>& start) override;
    void pass(Group group, const Phases& phases, bool before, bool after) override;
    void light_cone_pass(Group group, const Phases* before, const Phases& middle, const Phases* after) override;
    std::vector<Moments> moments() override;
    std::vector<Complex> overlaps(const std::function<InitialState(std::uint64_t)>& start) override;
    void add_energies(const Diagonal& energy, const EnergySum& sum, const SpinState& from) override;
    void add_products(const FlipProducts& products, double a, const SpinState& from) override;
    void combine(Complex z, const SpinState& from, double c) override;
    void scale(const std::vector<double>& factors) override;
    DistributedArray array() override;
    std::span<const double> memory() const override {
        return {memory_.own(), own_states_ * state_reals_ * sizeof(Real) / sizeof(double)};
    }

  private:
    const DiagonalTables<Real>& tables(Group group, const Phases& phases, int transforms);
    PartialView<Real> partial_tables(Group group, const Phases& phases);
    /// Address of the first row of the i-th state of this rank, or of rank `rank` of the node.
    Real* rows(std::uint64_t i) const { return reinterpret_cast<Real*>(memory_.own()) + i * state_reals_; }
    Real* rows_of(int rank, std::uint64_t i) const;
    /// Sets windows_ and their offsets. `rank_reals`: reals of a rank's states; `exchanged`: whether columns of rows
    /// are exchanged between nodes.
    void allocate_windows(std::uint64_t rank_reals, bool exchanged);
    void pass_columns(Pass<Real> pass);
    void pass_columns(LightConePass<Real> pass);
    /// Collects all rows of this rank's columns piece by piece, calls work(memory of the piece, first column, number of
    /// columns) and returns the columns to their ranks. With `halves` = 2 a piece holds the same columns of both halves
    /// of a row.
    template <class Work>
    void exchange_columns(std::uint64_t halves, Work work);
    /// Copies columns of rows between a state and a packed part of an exchange.
    enum class Copy { pack, unpack };
    void copy_columns(Copy direction, Real* state_rows, std::uint64_t halves, Range columns, Real* part) const;
    /// Copies amplitudes (re, im) to a row, counted likewise, in blocks of real and imaginary parts.
    void unpack_amplitudes(std::uint64_t row, const Complex* from);
    /// Address of a row, counted through all states of this rank.
    Real* row(std::uint64_t own_row) const;

    const Communicator& comm_;
    const TrotterPlan& plan_;
    Timers& timers_;
    const PassKernels<Real>& kernels_;
    StateLayout layout_;
    Range own_rows_;
    std::uint64_t own_states_, state_reals_;
    Communicator state_comm_;  ///< ranks that share this rank's state
    Node node_;
    NodeBuffer memory_;
    std::vector<Window> windows_;                   ///< [group] windows of light-cone passes
    std::vector<std::uint64_t> window_offsets_[2];  ///< [group] offsets of their block bits, in reals
    KeptTables<DiagonalTables<Real>> tables_[2];    ///< [group]
    KeptTables<PartialTables<Real>> partial_tables_[2];
    KeptTables<FullTables<Real>> full_tables_[2];
    KeptTables<EnergyTables> energies_;
    HostProducts<Real> products_;
    std::optional<TransposeExchange<Cpu>> exchange_;  ///< set if not all ranks of a state share memory
    Buffer<double> sums_, scratch_;
};

extern template class HostState<double>;
extern template class HostState<float>;

}  // namespace strata::trotter
