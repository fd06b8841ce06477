// SPDX-License-Identifier: BSD-3-Clause
// Dynamical spectra above the ground state, sum_n |<n| A |0>|^2 delta(omega - (E_n - E_0)), by the continued fraction
// (krylov/continued_fraction.hpp) of the Lanczos recurrence that starts from A |0>: A = N^(-1/2) sum_j e^(-ik r_j) a_j,
// with a_j the density, the z component of the spin, or the removal of a down particle; for its addition the conjugate,
// c+_k = N^(-1/2) sum_j e^(ik r_j) c+_j. With real vectors the cosines and the sines of A make two recurrences whose
// spectra add up: what would mix them cancels. For degenerate ground states the spectrum is the average. From a sector
// of lattice symmetries every k leads to a sector of its own (spectral_target.hpp), whose tables and vectors are made
// when its recurrence begins.
#pragma once

#include "krylov/ground_state.hpp"
#include "krylov/recurrence_table.hpp"
#include "lanczos/correlations.hpp"
#include "lanczos/ground_state_report.hpp"
#include "lanczos/plane_waves.hpp"
#include "lanczos/spectral_target.hpp"
#include "lanczos/task.hpp"

namespace strata::lanczos {

class Spectrum : public LanczosTask {
  public:
    Spectrum(const LanczosPlan& plan, const MakeHamiltonian& make);

    /// Vectors beside both working pairs: the ground states that are held.
    static std::uint64_t ground_states(const LanczosPlan& plan) { return plan.config().states; }

    /// Omega, and the intensity of every wave.
    static std::vector<Column> columns_of(const std::vector<PlaneWave>& waves);
    const krylov::GroundStateSolver& solver() const { return solver_; }

    std::vector<std::string> description() const override;
    MemoryPrediction memory() const override;
    void allocate() override;
    void initialise() override;
    std::vector<DistributedArray> state() override;
    void prepare_state(const std::vector<ArrayShape>& stored) override;

    /// The ground state and the recurrences.
    std::uint64_t total_steps() const override;
    void step(std::uint64_t step) override;
    /// After the last step: one row for every omega.
    bool observes(std::uint64_t) const override { return possible() && s_.part == parts(); }
    const std::vector<Column>& columns() const override { return columns_; }
    void observe(std::vector<double>& rows) override;
    std::string shortfall() const override;
    std::string remark() const override { return of_sector(ground_state_remark(solver_)); }
    std::vector<Quantity> results(const Series& series) const override;

  private:
    struct State {
        std::uint64_t part = 0;   ///< recurrence under way
        std::uint64_t steps = 0;  ///< steps of all recurrences
        std::uint64_t rows = 0;   ///< rows of the spectrum observed
        krylov::RecurrenceState recurrence;
    };

    /// What of a wave's weights makes the operator of one recurrence.
    enum class Part { whole, cosines, sines };
    struct Recurrence {
        std::size_t wave;
        Part part;
    };

    /// The recurrences of every ground state, one after the other.
    std::size_t parts() const { return solver_.states() * recurrences_.size(); }
    /// At least one, for arrays of checkpoints.
    std::size_t max_parts() const { return std::max<std::size_t>(1, ground_states(plan_) * recurrences_.size()); }
    const Recurrence& recurrence(std::size_t part) const { return recurrences_[part % recurrences_.size()]; }
    std::size_t wave_of(std::size_t part) const { return recurrence(part).wave; }
    bool possible() const { return solver_.done() && solver_.converged() && solver_.whole_multiplet(); }
    HamiltonianOperator& target() { return other_ != nullptr ? *other_ : hamiltonian_; }
    static std::vector<Recurrence> recurrences(const LanczosPlan& plan, const std::vector<PlaneWave>& waves);
    void make_target(std::size_t wave);
    void ground_state_step();
    void begin_part();
    /// Energy of the continued fractions: omega above the ground state, and the broadening.
    Complex fraction_energy(double omega) const;
    double intensity(std::size_t part, double omega) const;
    double truncation_bound(std::size_t wave, double omega) const;
    double total_weight() const;

    const MakeHamiltonian make_;
    krylov::GroundStateSolver solver_;
    std::vector<PlaneWave> waves_;
    std::vector<Recurrence> recurrences_;  ///< of one ground state
    std::vector<Column> columns_;
    double target_offset_ = 0;                 ///< of energies in the sectors that A leads to
    std::unique_ptr<LanczosPlan> other_plan_;  ///< plan of the sector that A leads to, if it is another
    std::unique_ptr<HamiltonianOperator> other_;
    std::vector<std::uint64_t> target_;  ///< as long as the wave whose sector is made, and 2; 1: none is
    State s_;
    std::unique_ptr<PairOccupations> pairs_;  ///< sums over the ground states
    krylov::RecurrenceTable table_;           ///< [part], with space for all ground states
    std::vector<double> norms_;               ///< [part] norm of A |0>
};

}  // namespace strata::lanczos
