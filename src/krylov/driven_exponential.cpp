// SPDX-License-Identifier: BSD-3-Clause
// The defect of psi(s) = sum_k<m c_k s^k is i sum of all products H c_k and V f_j c_k-j of the orders m - 1 and higher that no
// c_k+1 cancels. That of order m - 1 is m c_m, whose norm is computed; those of higher orders have a factor f_j, j >= 1,
// and are bounded by the norm of V.
#include "krylov/driven_exponential.hpp"

#include <algorithm>
#include <cmath>

#include "comm/collectives.hpp"

namespace strata::krylov {

DrivenExponential::DrivenExponential(HermitianOperator& op, std::vector<DrivenTerm> terms, double rate,
                                     const ExponentialOptions& options, Timers& timers)
    : op_(op),
      terms_(std::move(terms)),
      rate_(rate),
      options_(options),
      timers_(timers),
      norms_(options.dimension + 1) {}

void DrivenExponential::allocate() {
    for (std::size_t i = 0; i < options_.dimension; ++i) basis_.push_back(op_.space().vector());
    op_.space().reserve_basis(options_.dimension);
}

/// The same series on all ranks, that of rank 0.
void DrivenExponential::share(FactorSeries& series) const {
    std::vector<double> numbers = {static_cast<double>(series.terms.size()), series.rest};
    numbers.insert(numbers.end(), series.terms.begin(), series.terms.end());
    numbers.resize(options_.dimension + 2);
    broadcast_bytes(op_.comm(), numbers.data(), numbers.size() * sizeof(double), 0);
    series.rest = numbers[1];
    series.terms.assign(numbers.begin() + 2, numbers.begin() + 2 + static_cast<std::ptrdiff_t>(numbers[0]));
}

/// The terms of a factor grow at most as powers do up to the number of vectors, where the unit of time is so short.
void DrivenExponential::begin(const DistributedVector& psi, const Interval& time) {
    length_ = std::min(time.length, 0.5 * static_cast<double>(options_.dimension) / rate_);
    series_.clear();
    for (const DrivenTerm& term : terms_) {
        series_.push_back(truncated(term.factor(time, length_, options_.dimension), term));
        share(series_.back());
    }
    op_.space().copy(psi, basis_[0]);
    norms_[0] = op_.space().norm(psi);
}

/// The first terms alone, as many as have an effect on a piece of half the length.
FactorSeries DrivenExponential::truncated(FactorSeries series, const DrivenTerm& term) const {
    const double small = options_.tolerance / 16 / (length_ * term.magnitude);
    double dropped = std::ldexp(series.rest, -static_cast<int>(series.terms.size()));
    while (series.terms.size() > 1) {
        dropped += std::ldexp(std::abs(series.terms.back()), 1 - static_cast<int>(series.terms.size()));
        if (!(dropped <= small)) break;
        series.rest += std::abs(series.terms.back());
        series.terms.pop_back();
    }
    return series;
}

void DrivenExponential::add_term(const DrivenTerm& term, const FactorSeries& series) {
    std::vector<Complex> factors(size_ + 1);
    for (std::size_t j = 0; j < std::min(series.terms.size(), size_ + 1); ++j) factors[size_ - j] = -series.terms[j];
    VectorSpace& space = op_.space();
    {
        const Timers::Scope scope = timers_.scope("Taylor series");
        space.clear(*term.x);
        space.subtract(basis_, factors, *term.x);
    }
    term.multiply();
    const Timers::Scope scope = timers_.scope("Taylor series");
    space.axpby(1, *term.x, 1, op_.w(), op_.w());
}

bool DrivenExponential::expand(const DistributedVector& psi, const Interval& time) {
    if (size_ == 0) begin(psi, time);
    op_.apply(basis_[size_]);
    for (std::size_t n = 0; n < terms_.size(); ++n) add_term(terms_[n], series_[n]);
    const Timers::Scope scope = timers_.scope("Taylor series");
    ++size_;
    const bool complete = size_ == options_.dimension;
    const Complex factor = {0, -length_ / static_cast<double>(size_)};
    norms_[size_] = std::sqrt(op_.space().axpby_norm(factor, op_.w(), 0, op_.w(), complete ? nullptr : &basis_[size_]));
    return complete;
}

double DrivenExponential::error_of(double s) const {
    const std::size_t m = options_.dimension;
    double error = norms_[m] * std::pow(s, static_cast<double>(m));
    for (std::size_t n = 0; n < terms_.size(); ++n) {
        const FactorSeries& f = series_[n];
        for (std::size_t j = 1; j < f.terms.size(); ++j)
            for (std::size_t k = m - std::min(j, m); k < m; ++k) {
                const auto order = static_cast<double>(k + j + 1);
                error += terms_[n].centred * length_ * std::abs(f.terms[j]) * norms_[k] * std::pow(s, order) / order;
            }
        error +=
            terms_[n].magnitude * length_ * f.rest * norms_[0] * std::pow(s, static_cast<double>(f.terms.size() + 1));
    }
    return error;
}

Propagator::Piece DrivenExponential::choose_piece(double left) const {
    double pieces = std::max(1.0, std::ceil(left / length_ * (1 - 1e-12))), error = 0;
    const auto unit = [&] { return std::min(1.0, left / pieces / length_); };
    while ((error = error_of(unit())) > options_.tolerance) pieces = std::ceil(1.1 * pieces);
    return {unit() * length_, error};
}

Complex DrivenExponential::phase(double s) const {
    double turn = op_.offset() * s;
    for (std::size_t n = 0; n < terms_.size(); ++n)
        for (std::size_t j = 0; j < series_[n].terms.size(); ++j) {
            const auto order = static_cast<double>(j + 1);
            turn += terms_[n].offset * series_[n].terms[j] * std::pow(s, order) / order;
        }
    return std::polar(1.0, -turn * length_);
}

Propagator::Piece DrivenExponential::advance(DistributedVector& psi, const Interval& time) {
    const Timers::Scope scope = timers_.scope("Taylor series");
    Piece piece;
    std::vector<Complex> c(size_);
    if (op_.comm().is_root()) {
        piece = choose_piece(time.length);
        const double s = piece.time / length_;
        for (std::size_t k = 0; k < size_; ++k) c[k] = -phase(s) * std::pow(s, static_cast<double>(k));
    }
    broadcast(op_.comm(), piece);
    broadcast_bytes(op_.comm(), c.data(), c.size() * sizeof(Complex), 0);
    op_.space().clear(psi);
    op_.space().subtract(basis_, c, psi);
    reset();
    return piece;
}

}  // namespace strata::krylov
