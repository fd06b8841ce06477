// SPDX-License-Identifier: BSD-3-Clause
// A density-matrix renormalization as an application: one step updates one bond, and a sweep from left to right and
// back has 2 (L - 1) steps. Several states are computed one after another. A checkpoint contains the matrix product
// states after any step; blocks and overlaps are recomputed from them.
#pragma once

#include <optional>

#include "dmrg/run/expectation_values.hpp"
#include "dmrg/run/plan.hpp"
#include "dmrg/run/renormalization.hpp"
#include "dmrg/run/sweep_control.hpp"
#include "dmrg/state/packed_state.hpp"
#include "strata/application.hpp"

namespace strata::dmrg {

/// Largest difference, in units of run.tolerance, between the energy of the truncated state, in which everything is
/// measured, and that of the search.
inline constexpr double measured_truncation = 10;

/// Results of all states, [state] in the order in which they were computed.
struct StateTable {
    std::uint64_t finished = 0;
    std::vector<std::uint64_t> converged;
    std::vector<double> energies, errors, truncations, states;
    std::vector<double> entropies, measured;  ///< [state][bond], [state][value]
    std::vector<double> spectra;              ///< [state][bond][level]
    std::vector<double> ritz;                 ///< eigenvalues of H in the space of all states, ascending
    double largest_overlap = 0;               ///< largest overlap of two states

    StateTable(std::size_t n_states, std::size_t bonds, std::size_t values)
        : converged(n_states),
          energies(n_states),
          errors(n_states),
          truncations(n_states),
          states(n_states),
          entropies(n_states * bonds),
          measured(n_states * values),
          spectra(n_states * bonds * spectrum_levels),
          ritz(n_states) {}
};

/// The current half sweep.
struct HalfSweep {
    std::uint64_t sweep = 0;  ///< number of the sweep, from 1
    std::uint64_t state = 0;  ///< number of the state that is computed
    double energy = 0, truncation = 0, residual = 0, search_error = 0;
    /// Energy that the truncations at its bonds have added.
    double truncation_cost = 0;
    std::uint64_t states = 0, products = 0;
};

class Dmrg : public Application, public Growing, public Remeasured {
  public:
    /// `make` makes the operators of superblocks; `comm` must outlive the object. Collective.
    Dmrg(const Communicator& comm, const DmrgPlan& plan, const superblock::MakeOperator& make);

    std::vector<std::string> description() const override { return plan_.description(); }
    std::string backend() const override;
    MemoryPrediction memory() const override { return plan_.memory(); }
    void allocate() override;
    void initialise() override;
    std::vector<DistributedArray> state() override;
    void prepare_state(const std::vector<ArrayShape>& stored) override;
    void restored(std::uint64_t step) override;
    std::vector<DistributedArray> final_state(const std::vector<ArrayShape>& stored) override;
    std::optional<std::uint64_t> begin_with_final_state(std::uint64_t step) override;
    bool keeps_series() const override { return true; }

    std::uint64_t total_steps() const override;
    std::string step_name() const override { return "bonds"; }
    Outlook outlook() const override;
    void prepare_step(std::uint64_t step) override;
    void step(std::uint64_t step) override;
    bool observes(std::uint64_t step) const override { return (step + 1) % bonds_per_half_sweep() == 0; }
    bool ends_part(std::uint64_t step) const override { return observes(step); }
    const std::vector<Column>& columns() const override { return columns_; }
    void observe(std::vector<double>& rows) override;
    std::string broken_invariant(std::span<const double> row) const override;
    std::string log_line(std::span<const double> row) const override;
    std::string shortfall() const override;
    std::string remark() const override;
    std::vector<Quantity> results(const Series& series) const override;
    std::vector<Figure> performance(std::uint64_t steps, double seconds) const override;

    const ChainState& chain() const { return dmrg_.chain(); }
    /// Energy of the last sweep and its error.
    std::pair<double, double> ground_energy() const;
    /// Whether the measured state shows that it is a mixture of states with nearly the same energy.
    bool is_mixture() const { return !signs_of_a_mixture().empty(); }

  private:
    std::uint64_t bonds_per_half_sweep() const { return static_cast<std::uint64_t>(model().sites) - 1; }
    std::uint64_t bonds_per_sweep() const { return 2 * bonds_per_half_sweep(); }
    const Model& model() const { return plan_.config().model; }
    std::size_t n_states() const { return static_cast<std::size_t>(plan_.config().states); }
    /// Number of a step's sweep among the sweeps of the current state, from 0.
    std::uint64_t sweep_of(std::uint64_t step) const { return step / bonds_per_sweep() - first_sweep_; }
    /// The bond and direction of a step.
    std::pair<int, Direction> place_of(std::uint64_t step) const;
    BondSettings settings(std::uint64_t step) const;
    double search_tolerance(std::uint64_t sweep) const;
    /// <F> of a mixed state, F the spin flip, and the energies of its even and odd parts.
    struct ByParity {
        double overlap, even, odd;
    };
    std::optional<ByParity> by_parity() const;
    double energy(std::span<const double> last_row) const;
    /// Number of values that measure() writes, the values of the finished state `state`, and the index of <H> in them.
    std::size_t measured_values() const;
    std::span<const double> measured(std::size_t state) const;
    std::size_t energy_among_measured() const;
    void add_measured(std::span<const double> values, const std::string& suffix, std::vector<Quantity>& q) const;
    static void add_entanglement(std::span<const double> entropies, std::span<const double> spectra,
                                 const std::string& suffix, std::vector<Quantity>& q);
    void add_state_under_way(std::span<const double> last_row, std::vector<Quantity>& q) const;
    std::vector<Quantity> results_of_states() const;
    std::vector<std::size_t> states_by_energy() const;
    void begin_state();
    std::vector<double> errors_by_energy() const;
    std::vector<std::size_t> levels_by_energy() const;
    std::vector<double> mean_measured(std::size_t rank) const;
    std::optional<std::size_t> unresolved_state() const;
    std::string degeneracy_remark() const;
    /// What shows that the measured state is a mixture of states with nearly the same energy; empty if nothing does.
    std::string signs_of_a_mixture() const;
    std::string levels_remark() const;
    void end_sweep();
    void decide();
    bool measures_before_more_states() const { return n_states() == 1 && control_.may_begin_last_states(); }
    void continue_last_state();
    /// Keeps the values just measured as those at the last M but one.
    void keep_as_before();
    void measure(const ChainState& chain);
    void measure() { measure(dmrg_.chain()); }
    void keep_measured(std::size_t state);
    void measure_pairs(const ExpectationValues& values, std::span<double> to) const;
    /// Calls f(pair operator, whether it is the matrix of imaginary parts) for each matrix of correlations.
    template <class F>
    void for_correlations(F f) const {
        if (plan_.config().measured != Measured::correlations) return;
        for (const PairOperator& op : model().pairs)
            for (const bool imaginary : {false, true})
                if (!imaginary || (model().complex && op.channel.conjugate)) f(op, imaginary);
    }
    void end_state();
    void check_length(std::uint64_t step) const;
    void compare_states();
    Record record();
    std::vector<DistributedArray> arrays(const Record& numbers);

    const Communicator& comm_;
    const DmrgPlan plan_;
    Renormalization dmrg_;
    SweepHistory history_;
    const SweepControl control_;
    SweepDecision decision_;  ///< after the last whole sweep; the same on all ranks
    HalfSweep half_;
    /// Energy of the superblock of the last step.
    double bond_energy_ = 0;
    /// Number of sweeps of all previous states.
    std::uint64_t first_sweep_ = 0;
    std::uint64_t steps_made_ = 0;
    std::vector<double> entropies_;  ///< [bond]
    std::vector<double> spectra_;    ///< [bond][level]
    /// Values in the order that dmrg_results.cpp describes.
    std::vector<double> measured_;
    std::uint64_t is_measured_ = 0;
    /// The same values at the last M but one, if states_before_ is not 0.
    std::vector<double> measured_before_;
    double states_before_ = 0;
    StateTable table_;
    std::vector<Column> columns_;
    PackedState packed_;
    /// The previous states, without the last one.
    std::vector<PackedState> found_;
    /// True while the packed arrays are being filled from a checkpoint.
    bool restoring_ = false;
};

}  // namespace strata::dmrg
