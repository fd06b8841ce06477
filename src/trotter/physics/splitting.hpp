// SPDX-License-Identifier: BSD-3-Clause
// XYZ splittings of a time step: H = H_x + H_y + H_z, where H_a holds the fields and couplings of axis a, and the
// exponential of each is known. Order 1 is S1(t) = e_z(t) e_y(t) e_x(t), with e_a(t) = exp(-i H_a t) and the rightmost
// factor acting first; order 2 is S2(t) = e_z(t/2) e_y(t/2) e_x(t) e_y(t/2) e_z(t/2); order 4 is Suzuki's
// S2(at) S2(at) S2((1-4a)t) S2(at) S2(at) with a = 1 / (4 - 4^(1/3)) (Phys. Lett. A 146, 319 (1990)), or the
// composition of S1 and its adjoint in twelve stages by S. Blanes, P. C. Moan (J. Comput. Appl. Math. 142, 313 (2002),
// S6 of order 4).
#pragma once

#include <vector>

#include "trotter/job/config.hpp"

namespace strata::trotter {

/// exp(-i m fraction t) of a step of length t, where m is the mean of H_axis from begin t to (begin + fraction) t.
struct Stage {
    Axis axis;
    double fraction;
    double begin;
};

/// The stages of one step in the order in which they act; those of an axis follow one another from the begin of the step
/// to its end. Every splitting is a composition of S1 and its adjoint over such intervals, so that an H that is smooth in
/// time is integrated to the same order as a constant one; the terms of one axis alone are integrated exactly.
std::vector<Stage> splitting(int order, Scheme scheme);

}  // namespace strata::trotter
