// SPDX-License-Identifier: BSD-3-Clause
// Dynamical spectra above the ground state, sum_n |<n| A |0>|^2 delta(omega - (E_n - E_0)), by the continued fraction
// (krylov/continued_fraction.hpp) of the Lanczos recurrence that starts from A |0>: A = N^(-1/2) sum_j e^(-ik r_j) a_j,
// with a_j the density, the z component of the spin, or the removal of a down particle; for its addition the conjugate,
// c+_k = N^(-1/2) sum_j e^(ik r_j) c+_j. With real vectors the cosines and the sines of A make two recurrences whose
// spectra add up: what would mix them cancels. For degenerate ground states the spectrum is the average.
#pragma once

#include "krylov/ground_state.hpp"
#include "krylov/recurrence_table.hpp"
#include "lanczos/correlations.hpp"
#include "lanczos/ground_state_report.hpp"
#include "lanczos/plane_waves.hpp"
#include "lanczos/task.hpp"

namespace strata::lanczos {

class Spectrum : public LanczosTask {
  public:
    Spectrum(const LanczosPlan& plan, const MakeHamiltonian& make);

    /// Vectors beside both working pairs: the ground states that are held.
    static std::uint64_t ground_states(const LanczosPlan& plan) { return plan.config().states; }

    std::vector<std::string> description() const override;
    MemoryPrediction memory() const override;
    void allocate() override;
    void initialise() override;
    std::vector<DistributedArray> state() override;

    /// The ground state and the recurrences.
    std::uint64_t total_steps() const override;
    void step(std::uint64_t step) override;
    /// After the last step: one row for every omega.
    bool observes(std::uint64_t) const override { return possible() && s_.part == parts(); }
    const std::vector<Column>& columns() const override { return columns_; }
    void observe(std::vector<double>& rows) override;
    std::string shortfall() const override;
    std::string remark() const override { return ground_state_remark(solver_); }
    std::vector<Quantity> results(const Series& series) const override;

  private:
    struct State {
        std::uint64_t part = 0;   ///< recurrence under way
        std::uint64_t steps = 0;  ///< steps of all recurrences
        std::uint64_t rows = 0;   ///< rows of the spectrum observed
        krylov::RecurrenceState recurrence;
    };

    /// A recurrence for every ground state, wave and part of it, parts innermost.
    std::size_t parts_per_state() const { return waves_.size() * parts_per_wave_; }
    std::size_t parts() const { return solver_.states() * parts_per_state(); }
    std::size_t wave_of(std::size_t part) const { return part % parts_per_state() / parts_per_wave_; }
    bool possible() const { return solver_.done() && solver_.converged() && solver_.whole_multiplet(); }
    HamiltonianOperator& target() { return other_ != nullptr ? *other_ : hamiltonian_; }
    const LanczosPlan& target_plan() const { return other_ != nullptr ? *other_plan_ : plan_; }
    void ground_state_step();
    void begin_part();
    /// Energy of the continued fractions: omega above the ground state, and the broadening.
    Complex fraction_energy(double omega) const;
    double intensity(std::size_t part, double omega) const;
    double truncation_bound(std::size_t wave, double omega) const;
    double total_weight() const;

    krylov::GroundStateSolver solver_;
    std::vector<PlaneWave> waves_;
    std::size_t parts_per_wave_;
    std::vector<Column> columns_;
    std::unique_ptr<LanczosPlan> other_plan_;  ///< plan of the sector that A leads to, if it is another
    std::unique_ptr<HamiltonianOperator> other_;
    State s_;
    std::unique_ptr<PairOccupations> pairs_;  ///< sums over the ground states
    krylov::RecurrenceTable table_;           ///< [part], with space for all ground states
    std::vector<double> norms_;               ///< [part] norm of A |0>
};

}  // namespace strata::lanczos
