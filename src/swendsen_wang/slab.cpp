// SPDX-License-Identifier: BSD-3-Clause
// The first configuration of a slab, and its spins as rows of an array that checkpoints distribute over ranks. Both are
// the same for every backend.
#include "swendsen_wang/slab.hpp"

#include "kernels/swendsen_wang/counter_words.hpp"

namespace strata::swendsen_wang {

void fill_spins(const TileLattice& l, std::uint64_t seed, Start start, std::uint64_t stride, int threads,
                std::uint64_t* words) {
#pragma omp parallel for schedule(static) num_threads(threads)
    for (std::uint64_t r = 0; r < l.rows(); ++r) {
        const auto row = static_cast<std::int64_t>(r);
        const std::uint64_t in_row = row_sites(l, row);
        for (std::uint64_t t = 0; t < l.row_tiles(); ++t) {
            const std::uint64_t random =
                start == Start::cold ? ~std::uint64_t{0} : start_word(seed, l.first_tile(row) + t);
            words[r * stride + t] = random & tile_sites(l, in_row, t);
        }
    }
}

DistributedArray spin_rows(const TileLattice& l, std::uint64_t stride, std::uint64_t* words) {
    const std::uint64_t per_layer = l.rows_per_layer();
    return {"spins",       ElementType::u64, l.all_layers() * per_layer,
            l.row_tiles(), stride,           {l.layers.first * per_layer, l.layers.last * per_layer},
            words};
}

}  // namespace strata::swendsen_wang
