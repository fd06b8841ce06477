// SPDX-License-Identifier: BSD-3-Clause
// Reduced density matrix of some spins, rho[a][a'] = sum_b psi[a, b] psi*[a', b], in tiles of 8 x 8 elements; a: states
// of the spins, b: states of all others. Amplitudes are stored in blocks of 2^8 states b (fewer if there are not as
// many), as panels of 8 neighbouring a:
//
//     panels[p][b][re of a = 8p ... 8p + 7][im of the same]          tile (p, q), q <= p: number p (p + 1) / 2 + q
//
// The sum over one block is formed in registers and then added to the tile, so that an element is the same sum in the
// same order on every thread and rank. Operations per tile and b: 512.
#pragma once

#include <cstdint>

namespace strata::trotter {

struct DensityTiles {
    static constexpr int side_bits = 3, block_bits = 8;
    static constexpr std::uint64_t side = std::uint64_t{1} << side_bits;
    /// Doubles of a tile, [row][re of 8 columns][im of 8 columns], and doubles of one b in a panel.
    static constexpr std::uint64_t tile_doubles = 2 * side * side, step_doubles = 2 * side;

    /// Number of panels of 2^bits states a, and number of tiles of the lower triangle.
    static constexpr std::uint64_t panels(int bits) {
        return bits <= side_bits ? 1 : std::uint64_t{1} << (bits - side_bits);
    }
    static constexpr std::uint64_t count(int bits) { return panels(bits) * (panels(bits) + 1) / 2; }
};

}  // namespace strata::trotter
