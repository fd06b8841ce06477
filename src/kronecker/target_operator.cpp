// SPDX-License-Identifier: BSD-3-Clause
// What does not depend on where vectors lie.
#include "kronecker/target_operator.hpp"

namespace strata::kronecker {

TargetOperator::TargetOperator(const Communicator& comm, const MultiplyPlan& plan, Timers& timers)
    : HermitianOperator(comm),
      plan_(plan),
      timers_(timers),
      sums_(comm, plan.columns().size(), plan.layout().columns(), plan.threads()) {}

}  // namespace strata::kronecker
