// SPDX-License-Identifier: BSD-3-Clause
// One step of the recurrence. The sums v.w, w.w and v.v of the multiplication give alpha and beta without another pass
// over the vectors; only where beta^2 is less than a millionth of w.w, and the difference has lost its digits, w is
// orthogonalised twice against v and its norm taken. What is then below the rounding of H v is no direction at all.
#include "lanczos/recurrence.hpp"

#include <algorithm>
#include <cmath>

namespace strata::lanczos {
namespace {

constexpr double cancellation = 1e-6;  // of beta^2 in w.w
/// Rounding of H v relative to H, generously: norms below it are noise.
double rounding(const HamiltonianOperator& hamiltonian) {
    return hamiltonian.plan().config().precision == Precision::single ? 2e-6 : 1e-11;
}

}  // namespace

void begin_recurrence(HamiltonianOperator& hamiltonian, RecurrenceState& state) {
    hamiltonian.clear(hamiltonian.v());
    state = {0, hamiltonian.norm(hamiltonian.w()), 0, 0};
    if (!(state.start_norm > 0)) state.exhausted = 1;
}

void recurrence_step(HamiltonianOperator& hamiltonian, RecurrenceState& state, std::span<double> alpha,
                     std::span<double> beta) {
    const auto k = static_cast<std::size_t>(state.steps);
    const Recurrence coefficients =
        k == 0 ? Recurrence{0, 1 / state.start_norm, 0} : Recurrence{state.rest, 1 / beta[k - 1], beta[k - 1]};
    const TileSums sums = hamiltonian.multiply(coefficients);
    alpha[k] = state.rest = sums.vw / sums.vv;
    // with v.v from the same pass the recursion stays stable where |alpha| > beta
    double square = sums.ww - sums.vw * sums.vw / sums.vv;
    if (square <= cancellation * sums.ww) {
        hamiltonian.axpby(1, hamiltonian.w(), -alpha[k], hamiltonian.v(), hamiltonian.w());
        const double more = hamiltonian.dot(hamiltonian.v(), hamiltonian.w()).real() / sums.vv;
        square = hamiltonian.axpby_norm(1, hamiltonian.w(), -more, hamiltonian.v(), &hamiltonian.w());
        alpha[k] += more;
        state.rest = 0;
    }
    beta[k] = std::sqrt(square);
    double scale = 1e-300;
    for (std::size_t i = 0; i <= k; ++i) scale = std::max({scale, std::abs(alpha[i]), i < k ? beta[i] : 0});
    if (beta[k] <= rounding(hamiltonian) * scale) state.exhausted = 1;
    ++state.steps;
}

}  // namespace strata::lanczos
