// SPDX-License-Identifier: BSD-3-Clause
// Algorithm of Siro and Harju, as a template on the type of the amplitudes, double or complex<double>. The threads
// divide the rows of H_up statically; the sums of the recurrence are OpenMP reductions, so that their last digits
// depend on the number of threads.
#include "siro_harju.hpp"

#include <algorithm>
#include <cmath>
#include <complex>
#include <vector>

#include "krylov/tridiagonal.hpp"
#include "strata/buffer.hpp"
#include "strata/timer.hpp"

namespace strata::perf {
namespace {

using lanczos::ComponentView;

/// Rows of equal width, padded with amplitude 0.
template <class Number>
struct Ell {
    std::uint64_t width = 0;
    std::vector<std::int32_t> column;
    std::vector<Number> value;

    explicit Ell(const ComponentView& s) {
        for (std::uint64_t r = 0; r < s.dim; ++r) width = std::max(width, s.hops.first[r + 1] - s.hops.first[r]);
        column.assign(width * s.dim, 0);
        value.assign(width * s.dim, Number(0));
        for (std::uint64_t r = 0; r < s.dim; ++r)
            for (std::uint64_t e = s.hops.first[r]; e < s.hops.first[r + 1]; ++e) {
                const std::uint32_t entry = s.hops.entries[e], c = entry & ((1u << s.hops.bits) - 1);
                const std::uint64_t at = r * width + e - s.hops.first[r];
                column[at] = static_cast<std::int32_t>(entry >> s.hops.bits);
                if constexpr (std::is_same_v<Number, double>)
                    value[at] = s.hops.re[c];
                else
                    value[at] = {s.hops.re[c], s.hops.im[c]};
            }
    }
};

template <class Number>
double real_dot(const Number& a, const Number& b) {
    if constexpr (std::is_same_v<Number, double>)
        return a * b;
    else
        return a.real() * b.real() + a.imag() * b.imag();
}

template <class Number>
class Baseline {
  public:
    /// `u` is the interaction of all sites; `shift` is subtracted from the diagonal.
    Baseline(const ComponentView& up, const ComponentView& down, double u, double shift)
        : up_sites_(up),
          down_sites_(down),
          u_(u),
          shift_(shift),
          up_(up),
          down_(down),
          size_(up.dim * down.dim),
          x_(size_),
          y_(size_),
          old_(size_) {
        double norm = 0;
        for (std::uint64_t i = 0; i < size_; ++i) {
            x_[i] = Number(std::sin(1.0 + 0.37 * static_cast<double>(i)));
            old_[i] = Number(0);
            norm += real_dot(x_[i], x_[i]);
        }
        for (std::uint64_t i = 0; i < size_; ++i) x_[i] /= std::sqrt(norm);
    }

    /// Multiplies by H: H_up by rows, a barrier, H_down by blocks of 16 x 8 elements, the interaction.
    void multiply() {
        const std::uint64_t up = up_sites_.dim, down = down_sites_.dim;
#pragma omp parallel
        {
#pragma omp for schedule(static)
            for (std::uint64_t i = 0; i < up; ++i) {
                Number* y = y_.data() + i * down;
                std::fill_n(y, down, Number(0));
                for (std::uint64_t e = 0; e < up_.width; ++e) {
                    const Number a = up_.value[i * up_.width + e];
                    const Number* x = x_.data() + static_cast<std::uint64_t>(up_.column[i * up_.width + e]) * down;
                    for (std::uint64_t d = 0; d < down; ++d) y[d] += a * x[d];
                }
            }
#pragma omp for collapse(2) schedule(static)
            for (std::uint64_t block = 0; block < up; block += 16)
                for (std::uint64_t first = 0; first < down; first += 8)
                    for (std::uint64_t i = block; i < std::min(block + 16, up); ++i)
                        for (std::uint64_t d = first; d < std::min(first + 8, down); ++d) {
                            const Number* x = x_.data() + i * down;
                            Number sum(0);
                            for (std::uint64_t e = 0; e < down_.width; ++e)
                                sum += down_.value[d * down_.width + e] * x[down_.column[d * down_.width + e]];
                            const int pairs = __builtin_popcountll(up_sites_.sites[i] & down_sites_.sites[d]);
                            y_[i * down + d] += sum + (u_ * pairs - shift_) * x[d];
                        }
        }
    }

    void step() {
        multiply();
        double a = 0, square = 0;
#pragma omp parallel for reduction(+ : a)
        for (std::uint64_t i = 0; i < size_; ++i) a += real_dot(x_[i], y_[i]);
#pragma omp parallel for
        for (std::uint64_t i = 0; i < size_; ++i) y_[i] -= a * x_[i];
        const double b = beta.empty() ? 0 : beta.back();
#pragma omp parallel for
        for (std::uint64_t i = 0; i < size_; ++i) y_[i] -= b * old_[i];
#pragma omp parallel for reduction(+ : square)
        for (std::uint64_t i = 0; i < size_; ++i) square += real_dot(y_[i], y_[i]);
        const double inverse = 1 / std::sqrt(square);
#pragma omp parallel for
        for (std::uint64_t i = 0; i < size_; ++i) {
            old_[i] = x_[i];
            x_[i] = inverse * y_[i];
        }
        alpha.push_back(a);
        beta.push_back(std::sqrt(square));
    }

    std::vector<double> alpha, beta;

  private:
    ComponentView up_sites_, down_sites_;
    double u_, shift_;
    Ell<Number> up_, down_;
    std::uint64_t size_;
    Buffer<Number> x_, y_, old_;
};

template <class Number>
double measure(const lanczos::LanczosPlan& plan, int steps, double& energy) {
    const lanczos::Sector& sector = plan.sector();
    const lanczos::AmplitudeTable amplitudes(plan.model());
    // with one spin component: its whole matrix, as rows of down bit strings
    const int up = plan.model().spin_components == 2 ? plan.config().up : 0;
    const int down = plan.model().spin_components == 2 ? plan.config().down : plan.config().up;
    const lanczos::ComponentTable first(plan.model(), amplitudes, {plan.model().lattice.sites, up}),
        second(plan.model(), amplitudes, {plan.model().lattice.sites, down});
    const double u = plan.model().spin_components == 2 ? plan.model().u[0] : 0;
    Baseline<Number> baseline(first.view(), second.view(), u, sector.offset());
    baseline.step();
    double least = 1e300;
    for (int i = 0; i < steps; ++i) {
        const double start = monotonic_seconds();
        baseline.step();
        least = std::min(least, monotonic_seconds() - start);
    }
    energy = krylov::lowest_pair(baseline.alpha, baseline.beta).value + sector.offset();
    return least;
}

}  // namespace

double siro_harju_step(const lanczos::LanczosPlan& plan, int steps, double& energy) {
    return plan.arithmetic() == lanczos::Arithmetic::real ? measure<double>(plan, steps, energy)
                                                          : measure<std::complex<double>>(plan, steps, energy);
}

}  // namespace strata::perf
