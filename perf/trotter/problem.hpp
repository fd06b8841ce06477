// SPDX-License-Identifier: BSD-3-Clause
// The spin systems of the Trotter benchmarks: H = sum_j sum_a h_j^a S_j^a + sum_{j<k} sum_a J_jk^a S_j^a S_k^a with
// S = sigma / 2 and hbar = 1. Bit j of a basis index is spin j, and bit 0 means up.
#pragma once

#include <array>
#include <complex>
#include <cstdint>
#include <vector>

namespace strata::perf {

using Amplitude = std::complex<double>;

enum class Axis { x, y, z };

struct SpinProblem {
    struct Coupling {
        int first, second;             ///< Spins of the pair
        std::array<double, 3> values;  ///< J of x, y and z
    };
    int spins;
    double step;                                ///< Time of one step
    std::vector<std::array<double, 3>> fields;  ///< h of x, y and z for every spin
    std::vector<Coupling> couplings;            ///< Each pair once

    std::uint64_t dimension() const { return std::uint64_t{1} << spins; }
};

/// Random fields along z in [-1, 1) from the recurrence x <- (1103515245 x + 12345) mod 2^31, h = 2 x / 2^31 - 1.
inline SpinProblem in_random_fields(int spins) {
    SpinProblem problem{spins, 0.05, std::vector<std::array<double, 3>>(static_cast<std::size_t>(spins)), {}};
    std::uint64_t x = 12345;
    for (auto& field : problem.fields) {
        x = (1103515245 * x + 12345) % (std::uint64_t{1} << 31);
        field = {0, 0, 2 * static_cast<double>(x) / 2147483648.0 - 1};
    }
    return problem;
}

/// The Heisenberg ring with J = 1 in random fields.
inline SpinProblem heisenberg_ring(int spins) {
    SpinProblem problem = in_random_fields(spins);
    for (int j = 0; j < spins; ++j) problem.couplings.push_back({j, (j + 1) % spins, {1, 1, 1}});
    return problem;
}

/// Heisenberg couplings of 1 / (k - j) between all pairs j < k, in random fields.
inline SpinProblem heisenberg_all(int spins) {
    SpinProblem problem = in_random_fields(spins);
    for (int j = 0; j < spins; ++j)
        for (int k = j + 1; k < spins; ++k) {
            const double value = 1.0 / (k - j);
            problem.couplings.push_back({j, k, {value, value, value}});
        }
    return problem;
}

}  // namespace strata::perf
