// SPDX-License-Identifier: BSD-3-Clause
// Every new vector is projected onto the whole basis, which is small. Components that rounding has left are subtracted
// again unless they are too small to affect the energy. A basis that is orthogonal to half of the digits has a
// projected matrix that is tridiagonal to rounding (H. D. Simon, Math. Comp. 42, 115 (1984)).
#include "krylov/improved_state.hpp"

#include <algorithm>
#include <cmath>

#include "comm/collectives.hpp"
#include "krylov/tridiagonal.hpp"

namespace strata::krylov {
namespace {

/// Largest components in the basis that a vector may keep, relative to its norm; an energy then errs by this fraction
/// of the residual.
double negligible(const HermitianOperator& op) { return op.space().precision() == Precision::single ? 3e-6 : 1e-12; }

double sum_of_squares(const std::vector<Complex>& components) {
    double sum = 0;
    for (const Complex& c : components) sum += std::norm(c);
    return sum;
}

/// Coefficients of the recurrence: beta_j x_(j+1) = H x_j - alpha_j x_j - beta_(j-1) x_(j-1).
struct Coefficients {
    std::vector<double> alpha, beta;
};

/// Turns H x_j in op.w(), with `product` = <x_j, H x_j>, into beta_j x_(j+1). The projection is repeated while
/// components in the basis remain (J. Daniel et al., Math. Comp. 30, 772 (1976)), and at least once with excluded
/// vectors, whose remaining components are not measured. Collective.
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
        op.space().orthogonalise(excluded, excluded.size(), op.w(), Passes::one);
        const Projection left = op.space().subtract_and_project(basis, factors, op.w());
        c.alpha[j] += factors[j].real();
        factors = left.components;
        const double squares = sum_of_squares(factors), limit = negligible(op);
        if (pass == 0) c.beta.push_back(0);
        c.beta[j] = std::sqrt(std::max(0.0, left.square - squares));
        if (pass + 1 >= min_passes && squares <= limit * limit * left.square) return;
    }
}

/// Normalises basis[0] without its components in the excluded vectors; random numbers replace it if nothing remains.
void begin(HermitianOperator& op, std::vector<DistributedVector>& basis,
           const std::vector<DistributedVector>& excluded) {
    constexpr double nothing = 1e-6;
    op.space().axpby(1 / op.space().norm(basis[0]), basis[0], 0, basis[0], basis[0]);
    if (excluded.empty()) return;
    op.space().orthogonalise(excluded, excluded.size(), basis[0]);
    if (!(op.space().norm(basis[0]) > nothing)) {
        op.draw(basis[0], 0);
        op.space().orthogonalise(excluded, excluded.size(), basis[0]);
    }
    op.space().axpby(1 / op.space().norm(basis[0]), basis[0], 0, basis[0], basis[0]);
}

/// One cycle: replaces basis[0] by the lowest Ritz vector of at most options.max_basis vectors that start from it.
/// Returns whether it has converged or the basis spans the space.
bool cycle(HermitianOperator& op, std::vector<DistributedVector>& basis, const std::vector<DistributedVector>& excluded,
           const ImproveOptions& options, ImprovedState& state) {
    const double rounding = op.space().precision() == Precision::single ? 3e-6 : 1e-13;
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
        const double smallest = rounding * std::sqrt(products.ww);  // nothing but rounding
        converged = state.residual <= smallest ||
                    (state.residual <= options.tolerance && state.products >= options.min_products);
        const bool last = converged || j + 1 == most || state.products >= options.max_products;
        if (last) break;
        op.space().axpby(1 / c.beta[j], op.w(), 0, op.w(), basis[j + 1]);
    }
    state.energy = pair.value + op.offset();
    if (c.alpha.size() > 1 && op.comm().is_root()) state.gap = all_pairs(c.alpha, c.beta).values[1] - pair.value;
    broadcast(op.comm(), state.gap);
    const std::vector<Complex> vector(pair.vector.begin(), pair.vector.end());
    if (vector.size() > 1) op.space().rotate(basis, vector.size(), vector, 1);
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
    op.space().axpby(1 / op.space().norm(basis[0]), basis[0], 0, basis[0], basis[0]);
    return state;
}

}  // namespace strata::krylov
