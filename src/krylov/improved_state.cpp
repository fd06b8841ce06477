// SPDX-License-Identifier: BSD-3-Clause
// Every new vector is compared with all of the basis, which is small: what rounding has left of it is subtracted, again
// where little of the vector remains, unless it is too little to be seen in the energy. A basis that is orthogonal to
// half of the digits has a projected matrix that is tridiagonal to rounding (H. D. Simon, Math. Comp. 42, 115 (1984)).
#include "krylov/improved_state.hpp"

#include <algorithm>
#include <cmath>

#include "comm/collectives.hpp"
#include "krylov/tridiagonal.hpp"

namespace strata::krylov {
namespace {

/// What a vector may have of the basis, relative to its norm; an energy then errs by this part of the residual.
double negligible(const HermitianOperator& op) { return op.precision() == Precision::single ? 3e-6 : 1e-12; }

double sum_of_squares(const std::vector<Complex>& components) {
    double sum = 0;
    for (const Complex& c : components) sum += std::norm(c);
    return sum;
}

/// Coefficients of the recurrence: beta_j x_(j+1) = H x_j - alpha_j x_j - beta_(j-1) x_(j-1).
struct Coefficients {
    std::vector<double> alpha, beta;
};

/// From H x_j in op.w(), whose product with x_j is given, to beta_j x_(j+1). Once more if the components that were
/// subtracted were a good part of the vector (J. Daniel et al., Math. Comp. 30, 772 (1976)), as those of excluded vectors
/// always may be. Collective.
void orthogonalise_next(HermitianOperator& op, const std::vector<DistributedVector>& basis,
                        const std::vector<DistributedVector>& excluded, double product, Coefficients& c) {
    constexpr int max_passes = 3;
    const int min_passes = excluded.empty() ? 1 : 2;
    const std::size_t j = c.alpha.size();
    std::vector<Complex> factors(j + 1);
    factors[j] = product;
    if (j > 0) factors[j - 1] = c.beta[j - 1];
    c.alpha.push_back(0);
    for (int pass = 0; pass < max_passes; ++pass) {
        op.orthogonalise(excluded, excluded.size(), op.w(), Passes::one);
        const Projection left = op.subtract_and_project(basis, factors, op.w());
        c.alpha[j] += factors[j].real();
        factors = left.components;
        const double squares = sum_of_squares(factors), limit = negligible(op);
        if (pass == 0) c.beta.push_back(0);
        c.beta[j] = std::sqrt(std::max(0.0, left.square - squares));
        if (pass + 1 >= min_passes && squares <= limit * limit * left.square) return;
    }
}

/// basis[0], normalised, without what it has of the excluded vectors; random numbers if nothing else is left.
void begin(HermitianOperator& op, std::vector<DistributedVector>& basis,
           const std::vector<DistributedVector>& excluded) {
    constexpr double nothing = 1e-6;
    op.axpby(1 / op.norm(basis[0]), basis[0], 0, basis[0], basis[0]);
    if (excluded.empty()) return;
    op.orthogonalise(excluded, excluded.size(), basis[0]);
    if (!(op.norm(basis[0]) > nothing)) {
        op.draw(basis[0], 0);
        op.orthogonalise(excluded, excluded.size(), basis[0]);
    }
    op.axpby(1 / op.norm(basis[0]), basis[0], 0, basis[0], basis[0]);
}

/// One cycle: from basis[0] to the lowest Ritz vector of at most options.max_basis vectors, in basis[0] again.
bool cycle(HermitianOperator& op, std::vector<DistributedVector>& basis, const std::vector<DistributedVector>& excluded,
           const ImproveOptions& options, ImprovedState& state) {
    const double rounding = op.precision() == Precision::single ? 3e-6 : 1e-13;
    Coefficients c;
    RitzPair pair;
    bool converged = false;
    const double dimension = op.dimension() - static_cast<double>(excluded.size());
    const auto most = static_cast<std::size_t>(std::min<double>(static_cast<double>(options.max_basis), dimension));
    for (std::size_t j = 0; j < most && !converged; ++j) {
        const PairProducts products = op.apply(basis[j]);
        ++state.products;
        orthogonalise_next(op, basis, excluded, products.vw, c);
        if (state.products == 1) state.start_energy = c.alpha[0] + op.offset();
        pair = lowest_pair(op.comm(), c.alpha, c.beta);
        state.residual = c.beta[j] * std::abs(pair.vector[j]);
        const double smallest = rounding * std::sqrt(products.ww);  // nothing else is left
        converged = state.residual <= smallest ||
                    (state.residual <= options.tolerance && state.products >= options.min_products);
        const bool last = converged || j + 1 == most || state.products >= options.max_products;
        if (last) break;
        op.axpby(1 / c.beta[j], op.w(), 0, op.w(), basis[j + 1]);
    }
    state.energy = pair.value + op.offset();
    if (c.alpha.size() > 1 && op.comm().is_root()) state.gap = all_pairs(c.alpha, c.beta).values[1] - pair.value;
    broadcast(op.comm(), state.gap);
    const std::vector<Complex> vector(pair.vector.begin(), pair.vector.end());
    if (vector.size() > 1) op.rotate(basis, vector.size(), vector, 1);
    return converged || static_cast<double>(c.alpha.size()) >= dimension;
}

}  // namespace

ImprovedState improve_lowest(HermitianOperator& op, std::vector<DistributedVector>& basis,
                             const std::vector<DistributedVector>& excluded, const ImproveOptions& options) {
    ImprovedState state;
    bool converged = false;
    while (!converged && state.products < options.max_products) {
        begin(op, basis, excluded);
        converged = cycle(op, basis, excluded, options, state);
    }
    op.axpby(1 / op.norm(basis[0]), basis[0], 0, basis[0], basis[0]);
    return state;
}

}  // namespace strata::krylov
