// SPDX-License-Identifier: BSD-3-Clause
// One step of the recurrence. The products <v, w>, <w, w> and <v, v> of the multiplication give alpha and beta without
// another pass over the vectors. Only where beta^2 is less than a millionth of <w, w>, and the difference has lost its
// digits, w is orthogonalised once more against v and its norm taken. A vector below the rounding of H v has no
// direction.
#include "krylov/recurrence.hpp"

#include <algorithm>
#include <cmath>

namespace strata::krylov {
namespace {

constexpr double recomputed_below =
    1e-6;  // largest beta^2 relative to <w, w> that is computed once more from the vector
/// Upper bound of the rounding error of H v, relative to |H|: norms below it are noise.
double rounding(const HermitianOperator& op) { return op.space().precision() == Precision::single ? 2e-6 : 1e-11; }
/// Factor of op.least_scale() in the smallest |H| assumed for that bound: where H vanishes, its terms still round.
constexpr double terms = 100;

}  // namespace

void add_fields(Record& record, RecurrenceState& state) {
    record.field("recurrence-steps", state.steps)
        .field("start-norm", state.start_norm)
        .field("rest", state.rest)
        .field("exhausted", state.exhausted);
}

void begin_recurrence(HermitianOperator& op, RecurrenceState& state) {
    op.space().clear(op.v());
    state = {0, op.space().norm(op.w()), 0, 0};
    if (!(state.start_norm > 0)) state.exhausted = 1;
}

void recurrence_step(HermitianOperator& op, RecurrenceState& state, std::span<double> alpha, std::span<double> beta) {
    const std::size_t k = state.steps;
    const StepFactors factors =
        k == 0 ? StepFactors{0, 1 / state.start_norm, 0} : StepFactors{state.rest, 1 / beta[k - 1], beta[k - 1]};
    const PairProducts products = op.multiply(factors);
    alpha[k] = state.rest = products.vw / products.vv;
    // with <v, v> from the same pass the recurrence stays stable where |alpha| > beta
    double square = products.ww - products.vw * products.vw / products.vv;
    if (square <= recomputed_below * products.ww) {
        op.space().axpby(1, op.w(), -alpha[k], op.v(), op.w());
        const double more = op.space().dot(op.v(), op.w()).real() / products.vv;
        square = op.space().axpby_norm(1, op.w(), -more, op.v(), &op.w());
        alpha[k] += more;
        state.rest = 0;
    }
    beta[k] = std::sqrt(square);
    double scale = terms * op.least_scale();
    for (std::size_t i = 0; i <= k; ++i) scale = std::max({scale, std::abs(alpha[i]), i < k ? beta[i] : 0});
    if (beta[k] <= rounding(op) * scale) state.exhausted = 1;
    ++state.steps;
}

}  // namespace strata::krylov
