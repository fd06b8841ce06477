// SPDX-License-Identifier: BSD-3-Clause
// exp(-i H t)(x + i y) of a real symmetric H and real vectors x and y, as the innermost loop of a time evolution of matrix
// product states. Functions of H are real, so that a Krylov space of x gives cos(H t) x and sin(H t) x, and one of y the
// same of y: no vector is complex. exp(-H t) x, of imaginary time, is real by itself. Errors are bounded as in
// exponential.hpp.
#pragma once

#include "krylov/exponential.hpp"

namespace strata::krylov {

struct RealExponentialResult {
    double error = 0;            ///< bound of the norm of the error
    std::uint64_t products = 0;  ///< multiplications by H
};

/// (x, y) <- real and imaginary part of exp(-i H t)(x + i y), for t of either sign. A Krylov space grows until the error is
/// below the tolerance, to at most `options.dimension` vectors, which are allocated as they are needed; where these are too
/// few the time is divided. The operator must be allocated, its vectors real. Collective.
RealExponentialResult advance_real(HermitianOperator& op, const ExponentialOptions& options, double t,
                                   DistributedVector& x, DistributedVector& y);

/// x <- exp(-H t) x / |exp(-H t) x|, for t of either sign, in the same way. `log_norm` += ln(|exp(-H t) x| / |x|).
/// Collective.
RealExponentialResult advance_imaginary(HermitianOperator& op, const ExponentialOptions& options, double t,
                                        DistributedVector& x, double& log_norm);

}  // namespace strata::krylov
