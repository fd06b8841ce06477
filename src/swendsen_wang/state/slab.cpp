// SPDX-License-Identifier: BSD-3-Clause
// The first configuration of a slab, and its spins as rows of a distributed array for checkpoints; independent of the
// backend.
#include "swendsen_wang/state/slab.hpp"

#include "kernels/swendsen_wang/counter_words.hpp"

namespace strata::swendsen_wang {

namespace {

/// Digit `bit` of the first states of tile `tile`.
std::uint64_t first_word(const FirstSpins& first, std::uint64_t tile, int bit) {
    if (first.start == Start::hot)
        return first.states == 2 ? start_word(first.seed, tile) : start_states(first.seed, tile, first.states, bit);
    return first.states == 2 && first.start == Start::cold ? ~std::uint64_t{0} : 0;
}

}  // namespace

void fill_spins(const TileLattice& l, const FirstSpins& first, int bit, const Range& rows, std::uint64_t stride,
                int threads, std::uint64_t* words) {
#pragma omp parallel for schedule(static) num_threads(threads)
    for (std::uint64_t r = rows.first; r < rows.last; ++r) {
        const auto row = static_cast<std::int64_t>(r);
        const std::uint64_t in_row = row_sites(l, row);
        for (std::uint64_t t = 0; t < l.row_tiles(); ++t)
            words[(r - rows.first) * stride + t] =
                first_word(first, l.first_tile(row) + t, bit) & tile_sites(l, in_row, t);
    }
}

ArrayShape spin_shape(const TileLattice& l, int states, int bit) {
    return {states == 2 ? "spins" : "states-" + std::to_string(bit), ElementType::u64,
            l.all_layers() * l.rows_per_layer(), l.row_tiles()};
}

Range spin_rows(const TileLattice& l) {
    return {l.layers.first * l.rows_per_layer(), l.layers.last * l.rows_per_layer()};
}

}  // namespace strata::swendsen_wang
