// SPDX-License-Identifier: BSD-3-Clause
// Operations composed of the primitive ones: norms, and classical Gram-Schmidt in one or two passes (L. Giraud et al.,
// Numer. Math. 101, 87 (2005): two are enough).
#include "krylov/vector_space.hpp"

#include <cmath>

namespace strata::krylov {

double VectorSpace::norm(const DistributedVector& x) { return std::sqrt(axpby_norm(1, x, 0, x, nullptr)); }

std::vector<Complex> VectorSpace::orthogonalise(const std::vector<DistributedVector>& basis, std::size_t count,
                                                DistributedVector& x, Passes passes) {
    std::vector<Complex> components(count), of_pass(count);
    if (count == 0) return components;
    for (int pass = 0; pass < static_cast<int>(passes); ++pass) {
        project(basis, x, of_pass);
        for (std::size_t i = 0; i < count; ++i) components[i] += of_pass[i];
        subtract(basis, of_pass, x);
    }
    return components;
}

}  // namespace strata::krylov
