// SPDX-License-Identifier: BSD-3-Clause
// A row needs the sources of its hops within a product, and those of hops from one product to another.
#include "lanczos/reach.hpp"

#include <algorithm>

namespace strata::lanczos {
namespace {

Range rows_of(const Sector& sector, std::size_t product, int ranks, int rank) {
    const BlockLayout l = sector.layout(product, Arithmetic::real, ranks, rank);
    return {std::min(l.dim_up, l.blocks.first * block_rows), std::min(l.dim_up, l.blocks.last * block_rows)};
}

}  // namespace

std::vector<bool> rows_in_reach(const Sector& sector, std::size_t product, int ranks, int rank) {
    const SpeciesView up = sector.products()[product].up.view();
    std::vector<bool> needed(up.dim, false);
    const Range own = rows_of(sector, product, ranks, rank);
    for (std::uint64_t row = own.first; row < own.last; ++row) {
        needed[row] = true;
        for (std::uint64_t e = up.hops.first[row]; e < up.hops.first[row + 1]; ++e)
            needed[up.hops.entries[e] >> up.hops.bits] = true;
    }
    for (const Crossing& c : sector.crossings()) {
        if (c.from != product) continue;
        const Range to = rows_of(sector, c.to, ranks, rank);
        for (std::uint64_t row = to.first; row < to.last; ++row)
            for (std::size_t s = 0; s < c.sites.size(); ++s) {
                const Sector::Source source = sector.source(c, row, s);
                if (source.row != Sector::no_row) needed[source.row] = true;
            }
    }
    return needed;
}

}  // namespace strata::lanczos
