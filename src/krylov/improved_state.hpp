// SPDX-License-Identifier: BSD-3-Clause
// Improves a good guess of the lowest eigenvector by a few Lanczos steps, as the innermost loop of a density-matrix
// renormalization: few vectors, restarted from the Ritz vector, no search for states that the guess does not contain.
#pragma once

#include <cstdint>
#include <vector>

#include "krylov/hermitian_operator.hpp"

namespace strata::krylov {

struct ImproveOptions {
    std::size_t max_basis = 8;        ///< largest number of basis vectors, at least 2
    std::uint64_t min_products = 2;   ///< fewest multiplications by H, so that even a good guess gains new directions
    std::uint64_t max_products = 20;  ///< most multiplications by H
    double tolerance = 1e-8;          ///< norm of the residual at which the search stops
};

struct ImprovedState {
    double start_energy = 0;     ///< energy of the guess
    double energy = 0;           ///< energy of the improved vector
    double residual = 0;         ///< estimated norm of H x - E x
    double gap = 0;              ///< distance to the next Ritz value, which is above the next energy; 0: not known
    std::uint64_t products = 0;  ///< number of multiplications by H
};

/// Replaces the guess in basis[0], of any norm but 0, by an improved, normalised vector for the lowest state orthogonal
/// to the `excluded` vectors, which are orthonormal and fewer than the dimension. The operator must be allocated,
/// `basis` have max_basis vectors, and reserve_basis() cover the larger of both numbers of vectors. Collective.
ImprovedState improve_lowest(HermitianOperator& op, std::vector<DistributedVector>& basis,
                             const std::vector<DistributedVector>& excluded, const ImproveOptions& options);

}  // namespace strata::krylov
