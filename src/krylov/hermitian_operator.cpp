// SPDX-License-Identifier: BSD-3-Clause
// The multiplication of any vector as a step of the recurrence.
#include "krylov/hermitian_operator.hpp"

namespace strata::krylov {

PairProducts HermitianOperator::apply(const DistributedVector& x) {
    space().copy(x, w_);
    space().clear(v_);
    return multiply({0, 1, 0});
}

}  // namespace strata::krylov
