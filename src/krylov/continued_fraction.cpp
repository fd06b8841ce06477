// SPDX-License-Identifier: BSD-3-Clause
// The fraction is evaluated from its end, where it is stable: each level adds an imaginary part of the sign of z.
#include "krylov/continued_fraction.hpp"

namespace strata::krylov {

std::complex<double> resolvent(std::complex<double> z, std::span<const double> alpha, std::span<const double> beta) {
    std::complex<double> fraction = 0;
    for (std::size_t k = alpha.size(); k-- > 0;) {
        const std::complex<double> below = k + 1 == alpha.size() ? 0 : beta[k] * beta[k] * fraction;
        fraction = 1.0 / (z - alpha[k] - below);
    }
    return fraction;
}

}  // namespace strata::krylov
