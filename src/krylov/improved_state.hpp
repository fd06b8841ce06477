// SPDX-License-Identifier: BSD-3-Clause
// Improves a good guess of the lowest eigenvector by a few Lanczos steps, as the innermost loop of a density-matrix
// renormalization: few vectors, restarted from the Ritz vector, no search for states that the guess does not contain.
#pragma once

#include <cstdint>
#include <vector>

#include "krylov/hermitian_operator.hpp"

namespace strata::krylov {

struct ImproveOptions {
    std::size_t max_basis = 8;       ///< vectors, at least 2
    std::uint64_t min_products = 2;  ///< multiplications by H, so that even a good guess takes in new directions
    std::uint64_t max_products = 20;
    double tolerance = 1e-8;  ///< norm of the residual at which it stops
};

struct ImprovedState {
    double start_energy = 0;  ///< of the guess
    double energy = 0;        ///< of the improved vector
    double residual = 0;      ///< estimated norm of H x - E x
    double gap = 0;           ///< to the next Ritz value, which is above the next energy; 0: not known
    std::uint64_t products = 0;
};

/// basis[0] holds the guess, of any norm but 0, and the improved vector afterwards, normalised; the operator is
/// allocated and `basis` has max_basis vectors. The search is for the lowest state orthogonal to the `excluded` vectors,
/// which are orthonormal and fewer than the dimension. Basis memory is reserved for either number of vectors. Collective.
ImprovedState improve_lowest(HermitianOperator& op, std::vector<DistributedVector>& basis,
                             const std::vector<DistributedVector>& excluded, const ImproveOptions& options);

}  // namespace strata::krylov
