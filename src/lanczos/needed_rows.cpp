// SPDX-License-Identifier: BSD-3-Clause
// A row needs the sources of its hops within a subspace, and those of hops from one subspace to another.
#include "lanczos/needed_rows.hpp"

#include <algorithm>

namespace strata::lanczos {
namespace {

Range rows_of(const Sector& sector, std::size_t subspace, int ranks, int rank) {
    const BlockLayout l = sector.layout(subspace, Arithmetic::real, ranks, rank);
    return {std::min(l.dim_up, l.blocks.first * block_rows), std::min(l.dim_up, l.blocks.last * block_rows)};
}

}  // namespace

std::vector<bool> needed_rows(const Sector& sector, std::size_t subspace, int ranks, int rank) {
    const ComponentView up = sector.subspaces()[subspace].up.view();
    std::vector<bool> needed(up.dim, false);
    const Range own = rows_of(sector, subspace, ranks, rank);
    for (std::uint64_t row = own.first; row < own.last; ++row) {
        needed[row] = true;
        for (std::uint64_t e = up.hops.first[row]; e < up.hops.first[row + 1]; ++e)
            needed[up.hops.entries[e] >> up.hops.bits] = true;
    }
    for (const SubspaceHops& c : sector.subspace_hops()) {
        if (c.from != subspace) continue;
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
