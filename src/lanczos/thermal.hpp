// SPDX-License-Identifier: BSD-3-Clause
// Averages at finite temperature in a sector of fixed particle numbers, by the finite-temperature Lanczos method (J.
// Jaklic, P. Prelovsek, Phys. Rev. B 49, 5065 (1994)): the trace is sampled by random vectors, and the Lanczos
// recurrence of each gives <r| exp(-H/T) |r>. Statistical errors by the jackknife over the vectors. What too few steps
// leave out is shown by a second quadrature: Gauss' and Gauss-Radau's rules bracket each expectation value of
// exp(-H/T), and the averages of both are compared.
#pragma once

#include "krylov/recurrence_table.hpp"
#include "krylov/tridiagonal.hpp"
#include "lanczos/task.hpp"

namespace strata::lanczos {

class Thermal : public LanczosTask {
  public:
    Thermal(const LanczosPlan& plan, const MakeHamiltonian& make);

    std::vector<std::string> description() const override;
    void allocate() override { hamiltonian_.allocate(); }
    void initialise() override;
    std::vector<DistributedArray> state() override;

    /// The steps of all recurrences, fewer where a Krylov space ends early.
    std::uint64_t total_steps() const override;
    void step(std::uint64_t step) override;
    /// After the last step: one row for every temperature.
    bool observes(std::uint64_t) const override { return s_.sample == samples_; }
    const std::vector<Column>& columns() const override;
    void observe(std::vector<double>& rows) override;
    std::string broken_invariant(std::span<const double> row) const override;
    std::vector<Quantity> results(const Series& series) const override;

  private:
    struct State {
        std::uint64_t sample = 0;  ///< recurrence under way
        std::uint64_t steps = 0;   ///< steps of all recurrences
        std::uint64_t rows = 0;    ///< temperatures observed
        krylov::RecurrenceState recurrence;
    };
    /// Energy levels and their weights in the trace by both quadratures, [sample].
    struct Levels {
        std::vector<krylov::Quadrature> gauss, radau;
        double lowest = 0;  ///< lowest level of the Gauss rules
    };
    Levels levels() const;
    void average(const Levels& levels, double temperature, std::vector<double>& rows) const;

    const std::size_t samples_;
    State s_;
    krylov::RecurrenceTable table_;  ///< one recurrence per sample
};

}  // namespace strata::lanczos
