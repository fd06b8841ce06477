// SPDX-License-Identifier: BSD-3-Clause
// Compositions of the methods of first and second order.
#include "trotter/physics/splitting.hpp"

#include <cmath>

namespace strata::trotter {
namespace {

/// Append S1 over `fraction` of the step from `start` on, or its adjoint S1(-t)^-1.
void append_first_order(std::vector<Stage>& stages, double start, double fraction) {
    for (Axis axis : {Axis::x, Axis::y, Axis::z}) stages.push_back({axis, fraction, start});
}
void append_adjoint(std::vector<Stage>& stages, double start, double fraction) {
    for (Axis axis : {Axis::z, Axis::y, Axis::x}) stages.push_back({axis, fraction, start});
}

/// Appends S2, the adjoint over the first half and S1 over the second one, whose exponentials of x are one.
void append_second_order(std::vector<Stage>& stages, double start, double fraction) {
    const double half = fraction / 2;
    for (Axis axis : {Axis::z, Axis::y}) stages.push_back({axis, half, start});
    stages.push_back({Axis::x, fraction, start});
    for (Axis axis : {Axis::y, Axis::z}) stages.push_back({axis, half, start + half});
}

std::vector<Stage> suzuki() {
    const double a = 1 / (4 - std::cbrt(4.0));
    std::vector<Stage> stages;
    double start = 0;
    for (double fraction : {a, a, 1 - 4 * a, a, a}) {
        append_second_order(stages, start, fraction);
        start += fraction;
    }
    return stages;
}

/// The coefficients a_i, b_i of the paper's method for two parts become those of the composition: a_1 = c_1, b_1 = c_1
/// + c_2, a_2 = c_2 + c_3, and so on; the twelve are symmetric and add up to 1.
std::vector<Stage> blanes_moan() {
    const double a1 = 0.0792036964311957, a2 = 0.353172906049774, a3 = -0.0420650803577195;
    const double b1 = 0.209515106613362, b2 = -0.143851773179818;
    const double c1 = a1, c2 = b1 - c1, c3 = a2 - c2, c4 = b2 - c3, c5 = a3 - c4, c6 = 0.5 - (c1 + c2 + c3 + c4 + c5);
    std::vector<Stage> stages;
    double start = 0;
    bool adjoint = true;
    for (double fraction : {c1, c2, c3, c4, c5, c6, c6, c5, c4, c3, c2, c1}) {
        if (adjoint)
            append_adjoint(stages, start, fraction);
        else
            append_first_order(stages, start, fraction);
        start += fraction;
        adjoint = !adjoint;
    }
    return stages;
}

}  // namespace

std::vector<Stage> splitting(int order, Scheme scheme) {
    std::vector<Stage> stages;
    if (order == 4) return scheme == Scheme::suzuki ? suzuki() : blanes_moan();
    if (order == 2)
        append_second_order(stages, 0, 1);
    else
        append_first_order(stages, 0, 1);
    return stages;
}

}  // namespace strata::trotter
