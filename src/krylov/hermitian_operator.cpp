// SPDX-License-Identifier: BSD-3-Clause
// Operations composed of the primitive ones: classical Gram-Schmidt in one or two passes (L. Giraud et al., Numer.
// Math. 101, 87 (2005): two are enough), norms, and the multiplication of any vector as a step of the recurrence.
#include "krylov/hermitian_operator.hpp"

#include <cmath>

namespace strata::krylov {

PairProducts HermitianOperator::apply(const DistributedVector& x) {
    copy(x, w_);
    clear(v_);
    return multiply({0, 1, 0});
}

double HermitianOperator::norm(const DistributedVector& x) { return std::sqrt(axpby_norm(1, x, 0, x, nullptr)); }

std::vector<Complex> HermitianOperator::orthogonalise(const std::vector<DistributedVector>& basis, std::size_t count,
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

Projection HermitianOperator::subtract_and_project(const std::vector<DistributedVector>& basis,
                                                   std::span<const Complex> factors, DistributedVector& x) {
    subtract(basis, factors, x);
    Projection p{std::vector<Complex>(factors.size()), 0};
    project(basis, x, p.components);
    p.square = axpby_norm(1, x, 0, x, nullptr);
    return p;
}

}  // namespace strata::krylov
