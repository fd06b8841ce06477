// SPDX-License-Identifier: BSD-3-Clause
// Random start vectors: every number is a function of its global index, so that it does not depend on the rank that
// draws it.
#pragma once

#include <cmath>
#include <cstdint>

#include "kernels/lanczos/block_layout.hpp"
#include "strata/random_purpose.hpp"
#include "strata/rng.hpp"

namespace strata::lanczos {

struct StartVector {
    std::uint64_t seed = 1;
    std::size_t subspace = 0;  ///< subspace of the sector
    std::uint64_t stream = 0;  ///< different for different vectors
};

/// A number in (-1, 1) for one real of a row.
inline double start_number(const StartVector& v, std::uint64_t up, std::uint64_t real) {
    constexpr auto purpose = static_cast<std::uint32_t>(RandomPurpose::lanczos_vector);
    const auto rest = static_cast<std::uint32_t>(real >> 32 | v.subspace << 2 | v.stream << 9);
    const Philox4x32 words =
        philox(v.seed, {static_cast<std::uint32_t>(up), static_cast<std::uint32_t>(real), rest, purpose});
    const std::uint64_t bits = std::uint64_t{words[1]} << 32 | words[0];
    return std::ldexp(static_cast<double>(bits >> 11), -52) - 1;
}

/// The blocks `blocks` of this rank, counted from its first, to `out`.
template <class Real>
void draw_blocks(const StartVector& v, const BlockLayout& l, Range blocks, Real* out) {
    const std::uint64_t reals = l.dim_down * l.reals(), size = l.block_size();
#pragma omp parallel for schedule(static)
    for (std::uint64_t b = blocks.first; b < blocks.last; ++b)
        for (std::uint64_t row = 0; row < block_rows; ++row) {
            const std::uint64_t up = (l.blocks.first + b) * block_rows + row;
            Real* to = out + (b - blocks.first) * size + row * l.panel;
            for (std::uint64_t real = 0; real < l.panels() * l.panel; ++real)
                to[real / l.panel * l.tile() + real % l.panel] =
                    real < reals && up < l.dim_up ? static_cast<Real>(start_number(v, up, real)) : Real(0);
        }
}

}  // namespace strata::lanczos
