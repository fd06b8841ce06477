// SPDX-License-Identifier: BSD-3-Clause
// Random start vectors: every number is a function of its global index, so that it does not depend on the rank that
// draws it. Traces over a sector of symmetries use normal numbers, whose projections have no preferred direction; their
// logarithm and cosine are computed by series, whose operations round the same way on every machine and device.
#pragma once

#include <cmath>
#include <cstdint>
#include <numbers>

#include "kernels/lanczos/block_layout.hpp"
#include "strata/backend.hpp"
#include "strata/random_purpose.hpp"
#include "strata/rng.hpp"

namespace strata::lanczos {

enum class Distribution {
    uniform,  ///< in [-1, 1)
    normal    ///< mean 0, variance 1
};

struct StartVector {
    std::uint64_t seed = 1;
    std::size_t subspace = 0;  ///< subspace of the sector
    std::uint64_t stream = 0;  ///< number of the vector
    Distribution distribution = Distribution::uniform;
};

/// log u for 0 < u <= 1: u = m 2^e, and the series of 2 artanh(s), s = (m - 1) / (m + 1).
STRATA_HOST_DEVICE inline double logarithm(double u) {
    int exponent = 0;
    double m = frexp(u, &exponent);
    if (m < std::numbers::sqrt2 / 2) {
        m *= 2;
        --exponent;
    }
    const double s = (m - 1) / (m + 1), square = s * s;
    double sum = 0;
    for (int k = 21; k >= 1; k -= 2) sum = vectors::add_product(1.0 / k, sum, square);
    return vectors::add_product(vectors::rounded_product(2 * s, sum), double(exponent), std::numbers::ln2);
}

/// cos(2 pi v) for 0 <= v < 1, by the series around the nearest quarter of a turn.
STRATA_HOST_DEVICE inline double cosine_of_turns(double v) {
    const int nearest = static_cast<int>(4 * v + 0.5);
    const bool is_sine = nearest % 2 == 1;
    const double x = (4 * v - nearest) * (std::numbers::pi / 2);  // the difference is exact
    double term = is_sine ? x : 1, sum = term;
    for (int k = is_sine ? 3 : 2; k < 24; k += 2) {
        term = vectors::rounded_product(term, -x * x / (k * (k - 1)));
        sum += term;
    }
    return nearest == 1 || nearest == 2 ? -sum : sum;
}

/// The random number of one real of a row.
STRATA_HOST_DEVICE inline double start_number(const StartVector& v, std::uint64_t up, std::uint64_t real) {
    constexpr auto purpose = static_cast<std::uint32_t>(RandomPurpose::lanczos_vector);
    const auto rest = static_cast<std::uint32_t>(real >> 32 | v.subspace << 2 | v.stream << 9);
    const Philox4x32 words =
        philox(v.seed, {static_cast<std::uint32_t>(up), static_cast<std::uint32_t>(real), rest, purpose});
    // 53 bits of two words
    const auto bits = [&](std::size_t i) {
        return static_cast<double>((std::uint64_t{words[i + 1]} << 32 | words[i]) >> 11);
    };
    if (v.distribution == Distribution::uniform) return bits(0) * 0x1p-52 - 1;  // exact
    return sqrt(-2 * logarithm((bits(0) + 1) * 0x1p-53)) * cosine_of_turns(bits(2) * 0x1p-53);
}

/// The number `in_row` of a row of a tile of this rank, as vectors store it; padding is 0.
template <class Real>
STRATA_HOST_DEVICE Real start_number_of_tile(const StartVector& v, const BlockLayout& l, std::uint64_t block,
                                             std::uint64_t panel, std::uint64_t row, std::uint64_t in_row) {
    const std::uint64_t up = (l.blocks.first + block) * block_rows + row, real = panel * l.panel + in_row;
    if (up >= l.dim_up || real >= l.dim_down * l.reals()) return 0;
    return static_cast<Real>(start_number(v, up, real));
}

}  // namespace strata::lanczos
