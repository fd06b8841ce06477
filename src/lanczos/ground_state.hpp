// SPDX-License-Identifier: BSD-3-Clause
// The ground state of a sector by the Lanczos recurrence with two vectors (T. Siro, A. Harju, Exact diagonalization of
// quantum lattice models on coprocessors): its energy, true residual, correlations and, if asked for, density matrix.
#pragma once

#include "lanczos/correlations.hpp"
#include "lanczos/ground_state_solver.hpp"
#include "lanczos/task.hpp"

namespace strata::lanczos {

class GroundState : public LanczosTask {
  public:
    GroundState(const Communicator& comm, const LanczosPlan& plan, const DeviceBinding* device = nullptr);

    /// Beside the working pair: the ground state, and another pair for the density matrix.
    static std::uint64_t other_vectors(const LanczosConfig& config);

    void allocate() override;
    void initialise() override;
    std::vector<DistributedArray> state() override;
    void restored(std::uint64_t step) override;

    /// Fewer once the energy has converged.
    std::uint64_t total_steps() const override;
    void step(std::uint64_t step) override;
    bool observes(std::uint64_t) const override { return ground_.in_first_pass(); }
    const std::vector<Column>& columns() const override;
    void observe_row(std::span<double> row) override;
    std::string shortfall() const override { return ground_.shortfall(); }
    std::string remark() const override { return ground_.remark(); }
    std::vector<Quantity> results(const Series& series) const override;

  private:
    struct Observables {
        PairOccupations pairs;
        double re[PairOccupations::max_sites * PairOccupations::max_sites] = {};  ///< <c+_i c_j>
        double im[PairOccupations::max_sites * PairOccupations::max_sites] = {};
        double hops_made = 0;
    };

    bool wants_density_matrix() const;

    GroundStateSolver ground_;
    std::unique_ptr<Observables> observables_;
};

}  // namespace strata::lanczos
