// SPDX-License-Identifier: BSD-3-Clause
// Means over parts of a step of products of factors of fields and couplings (models/drive_factor.hpp). Between its jumps and
// kinks a factor is analytic, so that they follow from a Gauss-Legendre rule to rounding.
#pragma once

#include <vector>

#include "models/drive_factor.hpp"

namespace strata::trotter {

/// Part of a time step of the forward evolution, inside of which no factor has a jump or a kink.
struct StepPart {
    double begin = 0, length = 0;
    double inside = 0;  ///< the middle of the step: factors that jump between steps have their value there
};

/// Mean of the product of factors from begin + from * length to begin + to * length of a part, by gauss_mean().
double mean_of_product(const std::vector<DriveFactor>& factors, const StepPart& part, double from, double to);

/// The six columns hx, hy, hz, jx, jy, jz of drive.table as points (time, factor). Throws Error(bad_input) that names
/// the line.
std::vector<DriveFactor> read_factor_table(const NamedText& table);

}  // namespace strata::trotter
