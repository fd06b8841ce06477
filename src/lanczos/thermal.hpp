// SPDX-License-Identifier: BSD-3-Clause
// Averages at finite temperature in a sector of fixed particle numbers, by the finite-temperature Lanczos method
// (J. Jaklic, P. Prelovsek, Phys. Rev. B 49, 5065 (1994)): the trace is sampled by random vectors, and the Lanczos
// recurrence of each gives exp(-H/T) between it and itself. Statistical errors by the jackknife over the vectors. What
// too few steps leave out is shown by a second quadrature: Gauss' and Gauss-Radau's rules bracket each expectation value
// of exp(-H/T), and the averages of both are compared.
#pragma once

#include "lanczos/recurrence.hpp"
#include "lanczos/task.hpp"
#include "lanczos/tridiagonal.hpp"

namespace strata::lanczos {

class Thermal : public LanczosTask {
  public:
    Thermal(const Communicator& comm, const LanczosPlan& plan, const DeviceBinding* device = nullptr);

    std::vector<std::string> description() const override;
    void allocate() override { hamiltonian_.allocate(); }
    void initialise() override;
    std::vector<DistributedArray> state() override;
    void restored(std::uint64_t step) override;

    /// The recurrences, and one step for every temperature.
    std::uint64_t total_steps() const override;
    void step(std::uint64_t step) override;
    bool observes(std::uint64_t) const override { return state_->rows > 0; }
    const std::vector<Column>& columns() const override;
    void observe_row(std::span<double> row) override;
    std::string broken_invariant(std::span<const double> row) const override;
    std::vector<Quantity> results(const Series& series) const override;

  private:
    struct SolverState {
        double sample = 0;      ///< under way
        double iterations = 0;  ///< steps of all
        double rows = 0;        ///< temperatures done
        RecurrenceState recurrence;
    };
    /// Levels and weights in the trace by both quadratures, [sample]; rank 0 only.
    struct Levels {
        std::vector<Quadrature> gauss, radau;
        double lowest = 0;  ///< level of all of Gauss'
    };
    std::size_t sample() const { return static_cast<std::size_t>(state_->sample); }
    const Levels& levels();
    void average(std::span<double> row);

    const std::size_t samples_, max_iterations_;
    std::unique_ptr<SolverState> state_;
    std::vector<double> alpha_, beta_, iterations_;  ///< [sample][step], [sample]
    Levels levels_;
};

}  // namespace strata::lanczos
