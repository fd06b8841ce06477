// SPDX-License-Identifier: BSD-3-Clause
// Base class of the Lanczos tasks: a plan, the Hamiltonian of its sector as an operator, their description, and the
// bounds that every energy must keep.
#pragma once

#include <memory>
#include <vector>

#include "comm/communicator.hpp"
#include "lanczos/state/hamiltonian_operator.hpp"
#include "lanczos/state/plan.hpp"
#include "strata/application.hpp"

namespace strata::lanczos {

class LanczosTask : public Application {
  public:
    /// `make` makes the operator on its backend. `vectors`: number of vectors beside the working pair. Collective.
    LanczosTask(const LanczosPlan& plan, const MakeHamiltonian& make, std::uint64_t vectors);

    const LanczosPlan& plan() const { return plan_; }
    const Communicator& comm() const { return comm_; }

    std::vector<std::string> description() const override;
    BackendKind backend_kind() const {
        return hamiltonian_.memory(0).device.empty() ? BackendKind::cpu : BackendKind::cuda;
    }
    std::string backend() const override { return hamiltonian_.name(); }
    MemoryPrediction memory() const override;
    void finish() override { hamiltonian_.finish(); }
    std::string step_name() const override { return "steps"; }
    std::string broken_invariant(std::span<const double> row) const override;
    void restored(std::uint64_t) override {}
    std::vector<Figure> performance(std::uint64_t steps, double seconds) const override;

  protected:
    /// A remark, followed in a sector of lattice symmetries by the note that other sectors are not included.
    std::string of_sector(std::string remark) const;

    const LanczosPlan plan_;

  private:
    const std::unique_ptr<HamiltonianOperator> owned_hamiltonian_;

  protected:
    HamiltonianOperator& hamiltonian_;
    const Communicator& comm_;

  private:
    const std::uint64_t vectors_;
};

/// Line of a log about step `step` >= 1 of a search: for the first step, every tenth and the last one; empty for others.
std::string search_line(std::uint64_t step, double energy, double residual, bool last);

/// The working pair of an operator as arrays of a checkpoint.
void add_working_pair(HamiltonianOperator& hamiltonian, const std::string& prefix,
                      std::vector<DistributedArray>& arrays);

}  // namespace strata::lanczos
