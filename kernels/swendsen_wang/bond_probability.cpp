// SPDX-License-Identifier: BSD-3-Clause
// Activation probability of satisfied bonds as a 64-bit threshold. It is computed in long double by expm1, so that
// small couplings keep all their digits; a probability that rounds to 1 has a flag, because its threshold 2^64 does not
// fit.
#include <cmath>

#include "kernels/swendsen_wang/sweep.hpp"

namespace strata::swendsen_wang {

BondProbability bond_probability(double reduced_coupling) {
    const long double p = -std::expm1(-2.0L * static_cast<long double>(reduced_coupling));
    const long double scaled = std::ldexp(p, 64);
    if (scaled >= std::ldexp(1.0L, 64)) return {0, true};
    return {static_cast<std::uint64_t>(scaled), false};
}

}  // namespace strata::swendsen_wang
