// SPDX-License-Identifier: BSD-3-Clause
// Probabilities as 64-bit thresholds. That of satisfied bonds is computed in long double by expm1, so that
// small couplings keep all their digits; a probability that rounds to 1 has a flag, because its threshold 2^64 does not
// fit.
#include <cmath>

#include "kernels/swendsen_wang/sweep.hpp"

namespace strata::swendsen_wang {

Probability threshold_of(long double probability) {
    const long double scaled = std::ldexp(probability, 64);
    if (scaled >= std::ldexp(1.0L, 64)) return {0, true};
    return {static_cast<std::uint64_t>(scaled), false};
}

Probability bond_probability(double reduced_coupling) {
    return threshold_of(-std::expm1(-2.0L * static_cast<long double>(reduced_coupling)));
}

}  // namespace strata::swendsen_wang
