// SPDX-License-Identifier: BSD-3-Clause
// The tridiagonal matrix is diagonalised on rank 0, which chooses the length of the piece and broadcasts it together
// with the coefficients of the new psi in the Krylov space.
#include "krylov/exponential.hpp"

#include <algorithm>
#include <cmath>

#include "comm/collectives.hpp"

namespace strata::krylov {

std::vector<Complex> exponential_column(const TridiagonalPairs& pairs, double norm, double t) {
    const std::size_t size = pairs.values.size();
    std::vector<Complex> c(size);
    for (std::size_t n = 0; n < size; ++n) {
        const Complex factor = std::polar(norm, -t * pairs.values[n]) * pairs.vectors[n * size];
        for (std::size_t i = 0; i < size; ++i) c[i] += factor * pairs.vectors[n * size + i];
    }
    return c;
}

double exponential_error(const TridiagonalPairs& pairs, double norm, double beta, double t) {
    const std::size_t size = pairs.values.size();
    t = std::abs(t);
    // m vectors represent at most 2 m radians of the fastest phase; beyond, small samples do not bound the error
    if (t * (pairs.values.back() - pairs.values.front()) > 2.0 * static_cast<double>(size) * (1 + 1e-12))
        return INFINITY;
    // the integral is estimated by t times the largest of four samples of its integrand, which rises like s^last
    double largest = 0;
    for (double part : {0.25, 0.5, 0.75, 1.0})
        largest = std::max(largest, std::abs(exponential_column(pairs, norm, part * t).back()));
    return beta * t * largest;
}

KrylovExponential::KrylovExponential(HermitianOperator& op, const ExponentialOptions& options, Timers& timers)
    : op_(op), options_(options), timers_(timers), alpha_(options.dimension), beta_(options.dimension) {}

void KrylovExponential::allocate() {
    for (std::size_t i = 0; i < options_.dimension; ++i) basis_.push_back(op_.space().vector());
}

bool KrylovExponential::expand(const DistributedVector& psi, const Interval&) {
    const std::size_t k = size();
    if (k == 0) {
        op_.space().copy(psi, op_.w());
        begin_recurrence(op_, recurrence_);
    }
    recurrence_step(op_, recurrence_, alpha_, beta_);
    const Timers::Scope scope = timers_.scope("Krylov space");
    op_.space().copy(op_.v(), basis_[k]);
    return k + 1 == options_.dimension || recurrence_.exhausted != 0;
}

Propagator::Piece KrylovExponential::choose_piece(const TridiagonalPairs& pairs, double left) const {
    if (recurrence_.exhausted != 0) return {left, 0};
    const std::size_t size = pairs.values.size();
    const double spread = pairs.values.back() - pairs.values.front();
    double pieces = std::max(1.0, std::ceil(left * spread / (2.0 * static_cast<double>(size))));
    double bound = 0;
    while ((bound = exponential_error(pairs, recurrence_.start_norm, beta_[size - 1], left / pieces)) >
           options_.tolerance)
        pieces = std::ceil(1.1 * pieces);
    return {left / pieces, bound};
}

Propagator::Piece KrylovExponential::advance(DistributedVector& psi, const Interval& time) {
    const Timers::Scope scope = timers_.scope("Krylov space");
    Piece piece;
    std::vector<Complex> c(size());
    if (op_.comm().is_root()) {
        const TridiagonalPairs pairs = all_pairs({alpha_.data(), size()}, {beta_.data(), size()});
        piece = choose_piece(pairs, time.length);
        c = exponential_column(pairs, recurrence_.start_norm, piece.time);
        for (Complex& z : c) z *= std::polar(1.0, -piece.time * op_.offset());
    }
    broadcast(op_.comm(), piece);
    broadcast_bytes(op_.comm(), c.data(), c.size() * sizeof(Complex), 0);
    op_.space().axpby(c[0], basis_[0], 0, basis_[0], psi);
    for (std::size_t i = 1; i < c.size(); ++i) op_.space().axpby(c[i], basis_[i], 1, psi, psi);
    reset();
    return piece;
}

}  // namespace strata::krylov
