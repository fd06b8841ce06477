// SPDX-License-Identifier: BSD-3-Clause
// Rank 0 looks at the tridiagonal matrix after every other multiplication and broadcasts whether the space is large enough.
#include "krylov/real_exponential.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "comm/collectives.hpp"

namespace strata::krylov {
namespace {

/// What rank 0 has found: whether the space suffices for the piece of time, and the bound of the error.
struct Verdict {
    bool suffices = false;
    double error = 0;
};

/// exp(-(T - mean) t) e_1, which does not overflow where the spectrum is far from 0.
std::vector<double> imaginary_column(const TridiagonalPairs& pairs, double mean, double t) {
    const std::size_t size = pairs.values.size();
    std::vector<double> c(size);
    for (std::size_t n = 0; n < size; ++n) {
        const double factor = std::exp(-t * (pairs.values[n] - mean)) * pairs.vectors[n * size];
        for (std::size_t i = 0; i < size; ++i) c[i] += factor * pairs.vectors[n * size + i];
    }
    return c;
}

double norm_of(const std::vector<double>& c) {
    return std::sqrt(std::inner_product(c.begin(), c.end(), c.begin(), 0.0));
}

/// As exponential_error(), relative to the norm of the result.
double imaginary_error(const TridiagonalPairs& pairs, double mean, double beta, double t) {
    double largest = 0;
    for (double part : {0.25, 0.5, 0.75, 1.0})
        largest = std::max(largest, std::abs(imaginary_column(pairs, mean, part * t).back()));
    return beta * std::abs(t) * largest / norm_of(imaginary_column(pairs, mean, t));
}

enum class Time { real, imaginary };

/// The Krylov space of a vector.
class Space {
  public:
    Space(HermitianOperator& op, const ExponentialOptions& options, Time time)
        : op_(op), options_(options), time_(time), alpha_(options.dimension), beta_(options.dimension) {}

    /// Makes the Krylov space of x for a piece of time. Returns whether its error is below the tolerance.
    Verdict expand(const DistributedVector& x, double t) {
        state_ = {};
        op_.space().copy(x, op_.w());
        begin_recurrence(op_, state_);
        Verdict v{state_.exhausted != 0, 0};
        while (!v.suffices && state_.steps < options_.dimension) {
            recurrence_step(op_, state_, alpha_, beta_);
            if (basis_.size() < state_.steps) basis_.push_back(op_.space().vector());
            op_.space().copy(op_.v(), basis_[state_.steps - 1]);
            ++products_;
            const bool looks = state_.exhausted != 0 || state_.steps == options_.dimension ||
                               (state_.steps >= first_look && state_.steps % 2 == 0);
            if (looks) v = judged(t);
        }
        return v;
    }

    /// out_cos += cos_factor cos(H t) x, out_sin += sin_factor sin(H t) x.
    void add(double t, double cos_factor, DistributedVector& out_cos, double sin_factor, DistributedVector& out_sin) {
        std::vector<Complex> c(state_.steps);
        if (state_.steps == 0) return;
        if (op_.comm().is_root()) {
            c = exponential_column(pairs(), state_.start_norm, t);
            for (Complex& z : c) z *= std::polar(1.0, -t * op_.offset());
        }
        broadcast_bytes(op_.comm(), c.data(), c.size() * sizeof(Complex), 0);
        for (std::size_t i = 0; i < c.size(); ++i) {
            op_.space().axpby(cos_factor * c[i].real(), basis_[i], 1, out_cos, out_cos);
            op_.space().axpby(-sin_factor * c[i].imag(), basis_[i], 1, out_sin, out_sin);
        }
    }

    /// x <- exp(-H t) x / |exp(-H t) x|. Returns ln(|exp(-H t) x| / |x|).
    double set(double t, DistributedVector& x) {
        std::vector<double> c(state_.steps);
        double log_norm = 0;
        if (op_.comm().is_root()) {
            c = imaginary_column(pairs(), alpha_[0], t);
            const double norm = norm_of(c);
            for (double& z : c) z /= norm;
            log_norm = std::log(norm) - t * (alpha_[0] + op_.offset());
        }
        broadcast_bytes(op_.comm(), c.data(), c.size() * sizeof(double), 0);
        broadcast(op_.comm(), log_norm);
        op_.space().axpby(c[0], basis_[0], 0, basis_[0], x);
        for (std::size_t i = 1; i < c.size(); ++i) op_.space().axpby(c[i], basis_[i], 1, x, x);
        return log_norm;
    }

    std::uint64_t products() const { return products_; }

  private:
    static constexpr std::uint64_t first_look = 4;

    TridiagonalPairs pairs() const { return all_pairs({alpha_.data(), state_.steps}, {beta_.data(), state_.steps}); }

    Verdict judged(double t) const {
        Verdict v{true, 0};
        if (state_.exhausted != 0) return v;
        if (op_.comm().is_root()) {
            const double beta = beta_[state_.steps - 1];
            v.error = time_ == Time::real ? exponential_error(pairs(), state_.start_norm, beta, t)
                                          : imaginary_error(pairs(), alpha_[0], beta, t);
            v.suffices = v.error <= options_.tolerance;
        }
        broadcast(op_.comm(), v);
        return v;
    }

    HermitianOperator& op_;
    const ExponentialOptions& options_;
    const Time time_;
    std::vector<DistributedVector> basis_;
    std::vector<double> alpha_, beta_;
    RecurrenceState state_;
    std::uint64_t products_ = 0;
};

/// Calls advance(piece) for pieces of the time t, which become shorter where a Krylov space is too small for one.
template <class Advance>
RealExponentialResult in_pieces(const Space& space, double t, Advance advance) {
    double done = 0, pieces = 1, error = 0;  // `done`: the part of t that has passed
    while (done < 1 - 1e-12) {
        const double part = std::min(1 / pieces, 1 - done);
        const Verdict v = advance(part * t);
        if (v.suffices) {
            done += part;
            error += v.error;
        } else {
            pieces = std::ceil(1.5 * pieces);
        }
    }
    return {error, space.products()};
}

}  // namespace

RealExponentialResult advance_real(HermitianOperator& op, const ExponentialOptions& options, double t,
                                   DistributedVector& x, DistributedVector& y) {
    VectorSpace& vectors = op.space();
    DistributedVector real = vectors.vector(), imaginary = vectors.vector();
    Space space(op, options, Time::real);
    return in_pieces(space, t, [&](double piece) {
        vectors.clear(real);
        vectors.clear(imaginary);
        const Verdict of_x = space.expand(x, piece);
        if (!of_x.suffices) return of_x;
        space.add(piece, 1, real, -1, imaginary);
        const Verdict of_y = space.expand(y, piece);
        if (!of_y.suffices) return of_y;
        space.add(piece, 1, imaginary, 1, real);
        vectors.copy(real, x);
        vectors.copy(imaginary, y);
        return Verdict{true, of_x.error + of_y.error};
    });
}

RealExponentialResult advance_imaginary(HermitianOperator& op, const ExponentialOptions& options, double t,
                                        DistributedVector& x, double& log_norm) {
    Space space(op, options, Time::imaginary);
    return in_pieces(space, t, [&](double piece) {
        const Verdict v = space.expand(x, piece);
        if (v.suffices) log_norm += space.set(piece, x);
        return v;
    });
}

}  // namespace strata::krylov
