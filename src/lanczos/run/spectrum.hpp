// SPDX-License-Identifier: BSD-3-Clause
// Dynamical spectra above the ground state, sum_n |<n| A |0>|^2 delta(omega - (E_n - E_0)), by the continued fraction
// (krylov/continued_fraction.hpp) of the Lanczos recurrence that starts from A |0>: A = N^(-1/2) sum_j e^(-ik r_j) a_j,
// with a_j the density, the z component of the spin, or the removal of a down particle; for its addition the conjugate,
// c+_k = N^(-1/2) sum_j e^(ik r_j) c+_j. With real vectors the cosines and the sines of A make two recurrences whose
// spectra add up, since the mixed terms cancel. An operator of the job's own is A itself, or a_j. An off-diagonal
// spectrum <0| A+ delta(omega - (H - E_0)) B |0> is that of a recurrence from B |0>, whose vectors |v_k> have the
// products <0|A+|v_k> (krylov::resolvent_column). The current gives the optical conductivity (conductivity.hpp). For
// degenerate ground states the spectrum is the average. From a sector of lattice symmetries every k leads to a separate
// sector (spectral_target.hpp), whose tables and vectors are made when its recurrence begins.
#pragma once

#include "krylov/ground_state.hpp"
#include "krylov/recurrence_table.hpp"
#include "lanczos/physics/currents.hpp"
#include "lanczos/physics/plane_waves.hpp"
#include "lanczos/run/conductivity.hpp"
#include "lanczos/run/correlations.hpp"
#include "lanczos/run/sector_search.hpp"
#include "lanczos/run/target_operator.hpp"
#include "lanczos/run/task.hpp"
#include "lanczos/state/spectral_target.hpp"

namespace strata::lanczos {

class Spectrum : public LanczosTask, public Growing, public Remeasured {
  public:
    Spectrum(const LanczosPlan& plan, const MakeHamiltonian& make);

    /// Number of vectors beside both working pairs: the ground states.
    static std::uint64_t ground_states(const LanczosPlan& plan) { return plan.config().states; }

    /// Columns for omega and the intensity of every wave.
    static std::vector<Column> columns_of(const LanczosConfig& config, const Lattice& lattice);
    const krylov::GroundStateSolver& solver() const { return solver_; }

    std::vector<std::string> description() const override;
    MemoryPrediction memory() const override;
    void allocate() override;
    void initialise() override;
    std::vector<DistributedArray> state() override;
    void prepare_state(const std::vector<ArrayShape>& stored) override;
    std::vector<DistributedArray> final_state(const std::vector<ArrayShape>& stored) override;
    std::optional<std::uint64_t> begin_with_final_state(std::uint64_t step) override;
    void restored(std::uint64_t step) override;
    bool observes_final_state() const override { return observes(0); }  // where every wave leads to nothing

    /// Steps of the ground state and of the recurrences.
    std::uint64_t total_steps() const override;
    void step(std::uint64_t step) override;
    /// All rows, one for every omega, are observed after the last step.
    bool observes(std::uint64_t) const override { return possible() && s_.part == parts(); }
    const std::vector<Column>& columns() const override { return columns_; }
    void observe(std::vector<double>& rows) override;
    std::string shortfall() const override;
    std::string remark() const override;
    std::vector<Quantity> results(const Series& series) const override;

  private:
    struct State {
        std::uint64_t part = 0;   ///< index of the current recurrence
        std::uint64_t steps = 0;  ///< number of steps done in all recurrences
        std::uint64_t rows = 0;   ///< number of rows of the spectrum observed
        krylov::RecurrenceState recurrence;
    };

    /// Part of a wave's weights that makes the operator of one recurrence.
    enum class Part { whole, cosines, sines };
    struct Recurrence {
        std::size_t wave;
        Part part;
    };

    /// Number of recurrences: those of the first ground state, then those of the next.
    std::size_t parts() const { return solver_.states() * recurrences_.size(); }
    /// Largest number of recurrences, at least 1 for the arrays of checkpoints.
    std::size_t max_parts() const { return std::max<std::size_t>(1, ground_states(plan_) * recurrences_.size()); }
    const Recurrence& recurrence(std::size_t part) const { return recurrences_[part % recurrences_.size()]; }
    std::size_t wave_of(std::size_t part) const { return recurrence(part).wave; }
    bool possible() const { return solver_.done() && solver_.converged() && solver_.whole_multiplet(); }
    HamiltonianOperator& target() { return target_.get(); }
    static std::vector<Recurrence> recurrences(const LanczosPlan& plan, const std::vector<PlaneWave>& waves);
    bool of_current() const { return plan_.config().spectrum.op == SpectralOperator::current; }
    /// Memory of the vectors of the sector that A leads to.
    void allocate_target();
    /// Weights of the sites in the operator of a recurrence.
    std::vector<Complex> weights_of(std::size_t part) const;
    void measure_ground_states();
    /// out <- this operator at the wave of the current recurrence, on its ground state. Collective.
    void apply_to_state(const OwnObservable& o, krylov::DistributedVector& out);
    void begin_part();
    void apply_current(const krylov::DistributedVector& state);
    Conductivity conductivity() const;
    std::vector<Quantity> conductivity_results(std::vector<Quantity> q) const;
    /// Complex energy of the continued fractions: omega above the ground state, and the broadening.
    Complex fraction_energy(double omega) const;
    /// Real but for off-diagonal spectra.
    Complex intensity(std::size_t part, double omega) const;
    Complex weight_of(std::size_t part) const;
    Complex first_moment_of(std::size_t part) const;
    Complex overlap(std::size_t part, std::size_t step) const { return overlaps_[part * table_.max_steps() + step]; }
    enum class Component { real, imaginary };
    /// Adds a list over the wave vectors for each sublattice.
    void add_by_waves(const Quantity& empty, const std::vector<Complex>& values, Component component,
                      std::vector<Quantity>& q) const;
    double truncation_bound(std::size_t wave, double omega) const;
    double total_weight() const;
    std::string weight_remark() const;

    const MakeHamiltonian make_;
    const std::optional<OwnObservable> own_;   ///< operator that is a sum of products
    const std::optional<OwnObservable> left_;  ///< A of an off-diagonal spectrum, own_ is B
    krylov::GroundStateSolver solver_;
    std::vector<PlaneWave> waves_;
    std::vector<Recurrence> recurrences_;  ///< recurrences of one ground state
    std::vector<Column> columns_;
    double target_offset_ = 0;  ///< offset of energies in the sectors that A leads to
    TargetOperator target_;
    State s_;
    std::unique_ptr<PairOccupations> pairs_;  ///< sums over the ground states
    krylov::RecurrenceTable table_;           ///< [part], allocated for max_parts()
    std::vector<double> norms_;               ///< [part] norm of A |0>; of B |0> where there is a B
    krylov::DistributedVector left_state_;    ///< A |0> of an off-diagonal spectrum
    std::vector<double> left_norms_;          ///< [part] its norm
    std::vector<Complex> overlaps_;           ///< [part][step] its products with the vectors of the recurrence
    double kinetic_ = 0;                      ///< kinetic energy along the direction of the current
};

/// The spectrum in the sector of the ground state, after a search for its momentum; only the spectrum is observed.
class SpectrumSearch : public SectorSearch {
  public:
    using SectorSearch::SectorSearch;

    bool observes(std::uint64_t step) const override { return final_part() && task().observes(step); }
    const std::vector<Column>& columns() const override { return columns_; }
    void observe(std::vector<double>& rows) override { task().observe(rows); }
    std::string broken_invariant(std::span<const double> row) const override { return task().broken_invariant(row); }
    std::string log_line(std::span<const double>) const override { return {}; }

  private:
    std::unique_ptr<LanczosTask> make_final(const LanczosPlan& plan) override {
        return searching(std::make_unique<Spectrum>(plan, make_));
    }

    const std::vector<Column> columns_ = Spectrum::columns_of(config(), sectors_.model().lattice);
};

}  // namespace strata::lanczos
