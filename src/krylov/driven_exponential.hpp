// SPDX-License-Identifier: BSD-3-Clause
// Time evolution under H(t) = H + sum_n f_n(t) V_n by Taylor series: with f(t + s) = sum_j f_j s^j and psi(t + s) =
// sum_k c_k s^k the Schroedinger equation is the recurrence (k + 1) c_k+1 = -i (H c_k + sum_nj f_nj V_n c_k-j). What the
// series of m vectors leaves of the equation, its defect, is known term by term. As the evolution is unitary, the integral of
// the norm of the defect bounds the error, without an estimate. All factors stand at a number of time units `length`, so that no
// term overflows.
#pragma once

#include <functional>
#include <vector>

#include "krylov/hermitian_operator.hpp"
#include "krylov/propagator.hpp"
#include "strata/timer.hpp"

namespace strata::krylov {

/// Terms of f(t + s length), 0 <= s <= 1, which are f within rest s^terms.size().
struct FactorSeries {
    std::vector<double> terms;
    double rest = 0;
};

/// An operator V that a factor f(t) multiplies, on vectors of the space of H.
struct DrivenTerm {
    DistributedVector* x = nullptr;  ///< its working vector
    std::function<void()> multiply;  ///< x <- (V - offset) x. Collective.
    double offset = 0;
    double centred = 0, magnitude = 0;  ///< upper bounds of the norms of V - offset and of V
    /// The first `count` terms of the factor from time `begin` on, for times up to `length` later; the interval is one in which
    /// the factor is analytic.
    std::function<FactorSeries(const Propagator::Interval& within, double length, std::size_t count)> factor;
};

class DrivenExponential final : public Propagator {
  public:
    /// `rate`: upper bound of the norm of H(t) and of the rates of its factors, by which the longest piece is chosen. `op`,
    /// what the terms refer to and `timers` must outlive it. All vectors are complex.
    DrivenExponential(HermitianOperator& op, std::vector<DrivenTerm> terms, double rate,
                      const ExponentialOptions& options, Timers& timers);

    void allocate() override;
    void reset() override { size_ = 0; }
    std::size_t size() const override { return size_; }
    bool expand(const DistributedVector& psi, const Interval& time) override;
    Piece advance(DistributedVector& psi, const Interval& time) override;

  private:
    void begin(const DistributedVector& psi, const Interval& time);
    FactorSeries truncated(FactorSeries series, const DrivenTerm& term) const;
    void share(FactorSeries& series) const;
    /// op_.w() <- op_.w() + (V - offset) sum_j f_j c_k-j, with k the last vector.
    void add_term(const DrivenTerm& term, const FactorSeries& series);
    double error_of(double s) const;
    Piece choose_piece(double left) const;
    /// The phase that the offsets of all operators make of psi in a time s length.
    Complex phase(double s) const;

    HermitianOperator& op_;
    const std::vector<DrivenTerm> terms_;
    const double rate_;
    const ExponentialOptions options_;
    Timers& timers_;
    std::vector<DistributedVector> basis_;  ///< [k] c_k length^k
    std::vector<double> norms_;             ///< [k] their norms, one more than there are vectors
    std::vector<FactorSeries> series_;      ///< [term]
    double length_ = 0;                     ///< the longest piece, the unit of time of the series
    std::size_t size_ = 0;                  ///< vectors that H has been applied to
};

}  // namespace strata::krylov
