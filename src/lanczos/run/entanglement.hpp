// SPDX-License-Identifier: BSD-3-Clause
// Entanglement of a set of sites with all others: the reduced density matrix rho of the smaller side of run.cut, its
// largest eigenvalues, and the entropies -tr rho ln rho and -ln tr rho^2. For each state of the other sites one rank looks
// up the amplitudes of all states of the set, a part of them after the other, so that no second vector is needed, also
// where the vector holds one of many amplitudes that lattice symmetries relate. Products are added as integers: no result
// depends on the number of ranks or threads.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "krylov/lowest_states.hpp"
#include "lanczos/physics/subset_states.hpp"
#include "lanczos/run/task.hpp"
#include "strata/record.hpp"

namespace strata::lanczos {

/// Adds errors of run.cut.
void check_cut(const Config& config, const LanczosConfig& c, const Model& model, InputErrors& found);
/// The states of the smaller side of the job's run.cut; empty without one.
std::optional<SubsetStates> cut_states(const LanczosConfig& c, const Model& model);
/// Memory of a measurement on a rank, on a device with a copy of the vector; nothing without run.cut.
MemoryItems entanglement_memory(const LanczosPlan& plan, int rank, BackendKind backend);
/// Seconds of a measurement on one core, roughly.
double entanglement_seconds(const LanczosPlan& plan);

class Entanglement {
  public:
    /// Number of eigenvalues that are results.
    static constexpr std::size_t max_levels = 16;

    /// Measures one state or several. `plan` and `timers` must outlive it.
    Entanglement(const LanczosPlan& plan, Timers& timers, std::size_t states = 1);

    /// Columns of the entropies and of each of the eigenvalues; none without run.cut.
    static void add_columns(const LanczosPlan& plan, std::vector<Column>& columns);
    void initialise();
    void add_fields(Record& record);
    /// Measures the next state, of norm 1 up to rounding; after the last one the first. Collective; complete on all ranks.
    void measure(const HamiltonianOperator& hamiltonian, const DistributedVector& state);
    const std::vector<double>& values() const { return values_; }  ///< [state] in the order of the columns
    /// The entropies and the eigenvalues as results; nothing before the first measurement.
    std::vector<Quantity> results() const;
    /// Those of all states, over them; NaN for states of degenerate levels and of levels that are not resolved. Nothing
    /// before the last one is measured.
    std::vector<Quantity> results(const std::vector<krylov::ComputedLevel>& levels) const;

  private:
    std::vector<double> eigenvalues() const;
    std::size_t width() const { return values_.size() / n_; }  ///< numbers of a state

    const LanczosPlan& plan_;
    Timers& timers_;
    const std::optional<SubsetStates> states_;
    const std::size_t n_;              ///< number of states that are measured
    std::vector<std::uint64_t> sums_;  ///< [element][re, im], in units of 2^-62, modulo 2^64
    std::vector<double> values_;
    std::uint64_t measured_ = 0;  ///< number of measurements
};

}  // namespace strata::lanczos
