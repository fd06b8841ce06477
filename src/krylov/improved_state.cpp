// SPDX-License-Identifier: BSD-3-Clause
// Every new vector is orthogonalised against all of the basis, which is small, twice: once is not enough where the energy
// is large against the width of the spectrum. The projected matrix is then tridiagonal to rounding (Golub, Van Loan,
// Matrix Computations, section 10.1).
#include "krylov/improved_state.hpp"

#include <algorithm>
#include <cmath>

#include "comm/collectives.hpp"
#include "krylov/tridiagonal.hpp"

namespace strata::krylov {
namespace {

/// One cycle: from basis[0] to the lowest Ritz vector of at most options.max_basis vectors, in basis[0] again.
bool cycle(HermitianOperator& op, std::vector<DistributedVector>& basis, const ImproveOptions& options,
           ImprovedState& state) {
    const double rounding = op.precision() == Precision::single ? 3e-6 : 1e-13;
    std::vector<double> alpha, beta;
    RitzPair pair;
    bool converged = false;
    const auto most =
        static_cast<std::size_t>(std::min<double>(static_cast<double>(options.max_basis), op.dimension()));
    for (std::size_t j = 0; j < most && !converged; ++j) {
        const PairProducts products = op.apply(basis[j]);
        ++state.products;
        alpha.push_back(op.orthogonalise(basis, j + 1, op.w())[j].real());
        beta.push_back(op.norm(op.w()));
        if (state.products == 1) state.start_energy = alpha[0] + op.offset();
        pair = lowest_pair(op.comm(), alpha, beta);
        state.residual = beta[j] * std::abs(pair.vector[j]);
        const double smallest = rounding * std::sqrt(products.ww);  // nothing else is left
        converged = state.residual <= smallest ||
                    (state.residual <= options.tolerance && state.products >= options.min_products);
        const bool last = converged || j + 1 == most || state.products >= options.max_products;
        if (last) break;
        op.axpby(1 / beta[j], op.w(), 0, op.w(), basis[j + 1]);
    }
    state.energy = pair.value + op.offset();
    if (alpha.size() > 1 && op.comm().is_root()) state.gap = all_pairs(alpha, beta).values[1] - pair.value;
    broadcast(op.comm(), state.gap);
    const std::vector<Complex> c(pair.vector.begin(), pair.vector.end());
    if (c.size() > 1) op.rotate(basis, c.size(), c, 1);
    return converged || static_cast<double>(alpha.size()) >= op.dimension();
}

}  // namespace

ImprovedState improve_lowest(HermitianOperator& op, std::vector<DistributedVector>& basis,
                             const ImproveOptions& options) {
    ImprovedState state;
    bool converged = false;
    while (!converged && state.products < options.max_products) {
        op.axpby(1 / op.norm(basis[0]), basis[0], 0, basis[0], basis[0]);
        converged = cycle(op, basis, options, state);
    }
    op.axpby(1 / op.norm(basis[0]), basis[0], 0, basis[0], basis[0]);
    return state;
}

}  // namespace strata::krylov
