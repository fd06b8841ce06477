// SPDX-License-Identifier: BSD-3-Clause
// Whether two computed energies belong to one level. Vectors that resolve a level have energies within residual^2 /
// gap, which is far below their residuals; a distance comparable to the residuals shows that they mix levels, however
// small the residuals are relative to the scale of all energies (a large interaction that does not affect low states).
#pragma once

#include <cmath>

#include "krylov/hermitian_operator.hpp"

namespace strata::krylov {

enum class Levels { same, apart, unresolved };

/// Rounding errors of energies, relative to the scale of energies: from a recurrence, whose space may be exhausted, and
/// from an orthogonal basis.
constexpr double recurrence_rounding(Precision precision) { return precision == Precision::single ? 2e-6 : 1e-10; }
constexpr double basis_rounding(Precision precision) { return precision == Precision::single ? 1e-6 : 1e-13; }

/// A Ritz value beyond known states belongs to another level if its residual is at most this multiple of its distance
/// from them; its vector may then still contain a small part of a further state of their level.
constexpr double clear_distance = 1e-4;

/// Whether two energies at a distance belong to one level, from the sum of their residuals and their rounding error.
inline Levels compare_levels(double distance, double residuals, double rounding) {
    constexpr double explained = 0.01, clear = 100;
    if (std::abs(distance) <= rounding + explained * residuals) return Levels::same;
    return std::abs(distance) > rounding + clear * residuals ? Levels::apart : Levels::unresolved;
}

/// The same for energies of an operator. Where its smallest terms may split levels by less than the rounding or the
/// residuals, equal energies do not prove one level, and the result is `unresolved`.
inline Levels compare_levels(double distance, double residuals, double relative_rounding, double scale,
                             double least_coupling) {
    const double rounding = relative_rounding * scale;
    const Levels levels = compare_levels(distance, residuals, rounding);
    const bool may_be_split = least_coupling * least_coupling < (rounding + residuals) * scale;
    return levels == Levels::same && may_be_split ? Levels::unresolved : levels;
}

}  // namespace strata::krylov
