// SPDX-License-Identifier: BSD-3-Clause
// The Lanczos recurrence (C. Lanczos, J. Res. NBS 45, 255 (1950)) for two species of lattice fermions, with two vectors
// (T. Siro, A. Harju, Exact diagonalization of quantum lattice models on coprocessors). A first pass finds the lowest
// energy; a second one repeats it, bit by bit, and adds up the ground state, whose true residual and observables are
// then computed.
#pragma once

#include <memory>
#include <vector>

#include "comm/communicator.hpp"
#include "lanczos/plan.hpp"
#include "lanczos/up_hops.hpp"
#include "strata/application.hpp"
#include "strata/buffer.hpp"

namespace strata::lanczos {

class Lanczos : public Application {
  public:
    /// `comm` must outlive it.
    Lanczos(const Communicator& comm, LanczosPlan plan);

    std::vector<std::string> description() const override { return plan_.description(); }
    std::string backend() const override { return "cpu " + std::string(plan_.kernels().name); }
    MemoryPrediction memory() const override { return plan_.memory(); }
    void allocate() override;
    void initialise() override;
    std::vector<DistributedArray> state() override;
    void restored(std::uint64_t step) override;

    /// Less once the energy has converged.
    std::uint64_t total_steps() const override;
    std::string step_name() const override { return "steps"; }
    void step(std::uint64_t step) override;
    bool observes(std::uint64_t step) const override { return step < first_pass(); }
    const std::vector<Column>& columns() const override;
    void observe(std::span<double> row) override;
    std::string broken_invariant(std::span<const double> row) const override;
    std::string shortfall() const override;
    std::vector<Quantity> results(const Series& series) const override;
    std::vector<Figure> performance(std::uint64_t steps, double seconds) const override;

  private:
    /// What every rank knows of the run; kept in checkpoints as one row of numbers.
    struct Coefficients {
        double steps = 0;       ///< made in the first pass
        double converged = 0;   ///< 1: no more are needed
        double energy = 0;      ///< lowest Ritz value, shift included
        double estimate = 0;    ///< of the residual
        double start_norm = 0;  ///< of the start vector as drawn
        double residual = -1;   ///< true one; -1: not computed
        double double_occupancy = -1;
        double occupation[2][64] = {};  ///< [species][site]
        double alpha[most_steps] = {}, beta[most_steps] = {};
    };

    std::uint64_t made() const { return static_cast<std::uint64_t>(c_->steps); }
    std::uint64_t first_pass() const;
    void draw_start();
    TileSums multiply(const Recurrence& r);
    void recurrence_step(std::uint64_t k);
    void look_at_ritz_pair();
    void add_to_ground_state(std::uint64_t k);
    void examine_ground_state();
    void measure();

    const Communicator& comm_;
    const LanczosPlan plan_;
    HamiltonianView h_;
    Buffer<double> f_, q_, ground_, scratch_;
    std::unique_ptr<UpHops> up_hops_;
    std::unique_ptr<Coefficients> c_;
    std::vector<double> ritz_vector_;  ///< for the second pass
};

}  // namespace strata::lanczos
