// SPDX-License-Identifier: BSD-3-Clause
// Base class of both tasks of a Kronecker job: a plan, the operators, the target Hamiltonian as an operator, and the
// rate of its multiplications.
#pragma once

#include <memory>
#include <vector>

#include "kronecker/run/plan.hpp"
#include "strata/application.hpp"
#include "superblock/make_operator.hpp"

namespace strata::kronecker {

class KroneckerTask : public Application {
  public:
    /// `make` makes the operator on the chosen backend. Collective.
    KroneckerTask(const Communicator& comm, const KroneckerPlan& plan, const MakeOperator& make);

    std::vector<std::string> description() const override;
    std::string backend() const override { return operator_.name(); }
    MemoryPrediction memory() const override;
    std::string broken_invariant(std::span<const double> row) const override;

  protected:
    /// Rate of `products` multiplications in `seconds`, and, on the CPU in double precision, its ratio to the rate of
    /// matrix products in the caches, which is measured by the call.
    std::vector<Figure> rate(std::uint64_t products, double seconds) const;
    /// Rows, columns and operations of each patch, for plots.
    std::vector<Quantity> patch_quantities() const;

    const KroneckerPlan plan_;

  private:
    const std::unique_ptr<OperatorSource> operators_;
    const std::unique_ptr<TargetOperator> owned_operator_;

  protected:
    TargetOperator& operator_;
};

}  // namespace strata::kronecker
