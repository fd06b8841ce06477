// SPDX-License-Identifier: BSD-3-Clause
// Dynamical spectra above the ground state, sum_n |<n| A |0>|^2 delta(omega - (E_n - E_0)), by the continued fraction
// of the Lanczos recurrence that starts from A |0> (E. Gagliano, C. Balseiro, Phys. Rev. Lett. 59, 2999 (1987)): A =
// N^(-1/2) sum_j e^(-ik r_j) a_j, with a_j the density, the z component of the spin, or the removal of a particle of the
// second spin component; for its addition the conjugate, c+_k = N^(-1/2) sum_j e^(ik r_j) c+_j. With real vectors the cosines and
// the sines of A make two recurrences whose spectra add up: what would mix them cancels. Of degenerate ground states the
// spectrum is the average.
#pragma once

#include "lanczos/correlations.hpp"
#include "lanczos/ground_state_solver.hpp"
#include "lanczos/plane_waves.hpp"
#include "lanczos/task.hpp"

namespace strata::lanczos {

class Spectrum : public LanczosTask {
  public:
    Spectrum(const Communicator& comm, const LanczosPlan& plan, const DeviceBinding* device = nullptr);

    /// Vectors beside both working pairs: the ground states that are held.
    static std::uint64_t ground_states(const LanczosPlan& plan);

    std::vector<std::string> description() const override;
    MemoryPrediction memory() const override;
    void allocate() override;
    void initialise() override;
    std::vector<DistributedArray> state() override;
    void restored(std::uint64_t step) override;

    /// The ground state, the recurrences, and one step for every row of the spectrum.
    std::uint64_t total_steps() const override;
    void step(std::uint64_t step) override;
    bool observes(std::uint64_t) const override { return state_->rows > 0; }
    const std::vector<Column>& columns() const override { return columns_; }
    void observe_row(std::span<double> row) override;
    std::string shortfall() const override;
    std::string remark() const override { return ground_.remark(); }
    std::vector<Quantity> results(const Series& series) const override;

  private:
    struct SolverState {
        double part = 0;        ///< recurrence under way
        double iterations = 0;  ///< steps of all
        double rows = 0;        ///< of the spectrum
        RecurrenceState recurrence;
        PairOccupations pairs;  ///< sums over the ground states
    };

    /// A recurrence for every ground state, wave and part of it, parts innermost.
    std::size_t parts_per_state() const { return waves_.size() * parts_per_wave_; }
    std::size_t parts() const { return ground_.states() * parts_per_state(); }
    std::size_t wave_of(std::size_t part) const { return part % parts_per_state() / parts_per_wave_; }
    std::size_t part() const { return static_cast<std::size_t>(state_->part); }
    bool possible() const { return ground_.done() && ground_.converged() && ground_.whole_multiplet(); }
    HamiltonianOperator& hamiltonian() { return other_ != nullptr ? *other_ : hamiltonian_; }
    const LanczosPlan& target() const { return other_ != nullptr ? *other_plan_ : plan_; }
    std::span<double> alpha(std::size_t part) { return {alpha_.data() + part * max_iterations_, max_iterations_}; }
    std::span<double> beta(std::size_t part) { return {beta_.data() + part * max_iterations_, max_iterations_}; }
    void begin();
    double intensity(std::size_t part, double omega) const;
    double total_weight() const;

    GroundStateSolver ground_;
    const std::size_t max_iterations_;  ///< steps of a recurrence
    std::vector<PlaneWave> waves_;
    std::size_t parts_per_wave_;
    std::vector<Column> columns_;
    std::unique_ptr<LanczosPlan> other_plan_;  ///< of the sector that A leads to, if it is another
    std::unique_ptr<HamiltonianOperator> other_;
    std::unique_ptr<SolverState> state_;
    std::vector<double> alpha_, beta_;        ///< [part][step], with room for all ground states
    std::vector<double> norms_, iterations_;  ///< [part] of A |0>, and steps
};

}  // namespace strata::lanczos
