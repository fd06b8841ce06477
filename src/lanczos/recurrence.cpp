// SPDX-License-Identifier: BSD-3-Clause
// One step of the recurrence. The sums f.q, q.q and f.f of the multiplication give alpha and beta without another pass
// over the vectors; only where beta^2 is less than a millionth of q.q, and the difference has lost its digits, q is
// orthogonalised twice against f and its norm taken. What is then below the rounding of H f is no direction at all.
#include "lanczos/recurrence.hpp"

#include <algorithm>
#include <cmath>

namespace strata::lanczos {
namespace {

constexpr double cancellation = 1e-6;  // of beta^2 in q.q
/// Rounding of H f relative to H, generously: norms below it are noise.
double rounding(const Engine& engine) { return engine.plan().config().precision == Precision::single ? 2e-6 : 1e-11; }

}  // namespace

void begin_recurrence(Engine& engine, RecurrenceState& state) {
    engine.clear(engine.f());
    state = {0, engine.norm(engine.q()), 0, 0};
    if (!(state.start_norm > 0)) state.exhausted = 1;
}

void recurrence_step(Engine& engine, RecurrenceState& state, std::span<double> alpha, std::span<double> beta) {
    const auto k = static_cast<std::size_t>(state.steps);
    const Recurrence coefficients =
        k == 0 ? Recurrence{0, 1 / state.start_norm, 0} : Recurrence{state.rest, 1 / beta[k - 1], beta[k - 1]};
    const TileSums sums = engine.multiply(coefficients);
    alpha[k] = state.rest = sums.fq / sums.ff;
    // with f.f from the same pass the recursion stays stable where |alpha| > beta
    double square = sums.qq - sums.fq * sums.fq / sums.ff;
    if (square <= cancellation * sums.qq) {
        engine.combine_only(1, engine.q(), -alpha[k], engine.f(), engine.q());
        const double more = engine.dot(engine.f(), engine.q()).real() / sums.ff;
        square = engine.combine(1, engine.q(), -more, engine.f(), &engine.q());
        alpha[k] += more;
        state.rest = 0;
    }
    beta[k] = std::sqrt(square);
    double scale = 1e-300;
    for (std::size_t i = 0; i <= k; ++i) scale = std::max({scale, std::abs(alpha[i]), i < k ? beta[i] : 0});
    if (beta[k] <= rounding(engine) * scale) state.exhausted = 1;
    ++state.steps;
}

}  // namespace strata::lanczos
