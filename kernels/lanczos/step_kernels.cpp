// SPDX-License-Identifier: BSD-3-Clause
// Sizes of the tables and of the scratch memory of the kernels of a Lanczos step.
#include "kernels/lanczos/step_kernels.hpp"

namespace strata::lanczos {

void cut_into_chunks(CouplingView& c, std::uint64_t strings) {
    constexpr int most_sites = 9;
    std::uint64_t least = 0;
    for (int chunks = (c.down_sites + most_sites - 1) / most_sites; chunks <= c.down_sites; ++chunks) {
        const int bits = (c.down_sites + chunks - 1) / chunks;
        const std::uint64_t operations = static_cast<std::uint64_t>(chunks) * ((std::uint64_t{1} << bits) + strings);
        if (least != 0 && operations >= least) continue;
        least = operations;
        c.chunks = chunks;
        c.chunk_bits = bits;
    }
}

std::uint64_t scratch_reals(const HamiltonianView& h) {
    const std::uint64_t table = static_cast<std::uint64_t>(h.coupling.chunks) << h.coupling.chunk_bits;
    if (h.symmetry.order == 0) return h.layout.block_size() + block_rows + table * block_rows;
    const std::uint64_t lanes = h.layout.panel / h.symmetry.order;  // rows that are transposed together
    return (h.layout.panels() * h.layout.panel + h.layout.panel + 1 + table) * lanes;
}

std::uint64_t wide_scratch_doubles(const HamiltonianView& h, std::uint64_t between) {
    const std::uint64_t table = static_cast<std::uint64_t>(h.coupling.chunks) << h.coupling.chunk_bits;
    const std::uint64_t row = std::max<std::uint64_t>(h.layout.panel, 8);  // a vector of 64 bytes or more
    return 2 * h.layout.block_size() + 4 * row + std::max(table * block_rows, between);
}

std::uint64_t subspace_scratch_reals(const SubspaceHopsView& c) { return c.from.block_size() + c.to.block_size(); }

}  // namespace strata::lanczos
