// SPDX-License-Identifier: BSD-3-Clause
// What all Lanczos applications share: a plan, an operator for its sector, and what they tell of both.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "comm/communicator.hpp"
#include "lanczos/hamiltonian_operator.hpp"
#include "lanczos/plan.hpp"
#include "strata/application.hpp"

namespace strata::lanczos {

/// Numbers that every rank knows of a run, kept in checkpoints as one row of rank 0.
DistributedArray numbers_array(const Communicator& comm, const std::string& name, double* numbers, std::size_t count);

class LanczosTask : public Application {
  public:
    /// `comm` must outlive it; `device` (null: none) is copied. `vectors`: how many beside the working pair. Collective.
    LanczosTask(const Communicator& comm, const LanczosPlan& plan, const DeviceBinding* device, std::uint64_t vectors);

    std::vector<std::string> description() const override;
    std::string backend() const override { return hamiltonian_.name(); }
    MemoryPrediction memory() const override;
    void finish() override { hamiltonian_.finish(); }
    std::string step_name() const override { return "steps"; }
    void observe(std::vector<double>& rows) override {
        rows.resize(rows.size() + columns().size());
        observe_row(std::span(rows).last(columns().size()));
    }
    std::string broken_invariant(std::span<const double> row) const override;
    std::vector<Figure> performance(std::uint64_t steps, double seconds) const override;

  protected:
    /// The one row of an observation, complete on rank 0.
    virtual void observe_row(std::span<double> row) = 0;

    const Communicator& comm_;
    const LanczosPlan plan_;
    const DeviceBinding* device() const { return device_ ? &*device_ : nullptr; }  ///< null: none

    const std::optional<DeviceBinding> device_;
    const std::unique_ptr<HamiltonianOperator> owned_hamiltonian_;
    HamiltonianOperator& hamiltonian_;

  private:
    const std::uint64_t vectors_;
};

}  // namespace strata::lanczos
