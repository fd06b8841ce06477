// SPDX-License-Identifier: BSD-3-Clause
// Declarations of the device kernels for the table in step_table_cuda.cu; kernels/lanczos/device_step.hpp documents them.
#pragma once

#include "kernels/lanczos/device_step.hpp"

namespace strata::lanczos::cuda {

constexpr unsigned tile_threads = 256, warps = tile_threads / 32;  ///< largest block of threads for a tile

/// Number of threads of the block for a tile of any width: whole warps that divide its numbers evenly.
inline unsigned threads_of(const BlockLayout& l) {
    unsigned together = warps;
    while (l.tile() / 32 % together != 0) --together;
    return 32 * together;
}

/// Positions of one thread in a rectangle with rows of `width` numbers: the numbers, row by row, are distributed
/// cyclically over the `threads` threads of a block.
struct TilePosition {
    STRATA_HOST_DEVICE TilePosition(unsigned thread, unsigned threads, unsigned width_of_row)
        : row(thread / width_of_row),
          column(thread % width_of_row),
          width(width_of_row),
          row_step(threads / width_of_row),
          column_step(threads % width_of_row) {}
    STRATA_HOST_DEVICE void next() {
        row += row_step;
        column += column_step;
        if (column < width) return;
        column -= width;
        ++row;
    }

    unsigned row, column, width, row_step, column_step;
};

template <class Real>
void advance(const Queue<Cuda>&, const HamiltonianView&, Range, const Recurrence&, const Real*, Real*, Real*);
template <class Real>
void down_hops(const Queue<Cuda>&, const HamiltonianView&, Range, double, const Real*, Real*);
template <class Real>
void up_hops(const Queue<Cuda>&, const HamiltonianView&, const Real*, const Real*, Real*, TileSums*);
template <class Real>
void subspace_hops(const Queue<Cuda>&, const SubspaceHopsView&, const Real*, Real*);
template <class Real>
void pack_rows(const Queue<Cuda>&, const BlockLayout&, const std::uint64_t*, std::uint64_t, const Real*, Real*);

template <class Real>
void draw(const Queue<Cuda>&, const StartVector&, const BlockLayout&, Real*);

template <class Real>
void symmetric_advance(const Queue<Cuda>&, const HamiltonianView&, Range, const Recurrence&, const Real*, Real*, Real*);
template <class Real>
void symmetric_down_hops(const Queue<Cuda>&, const HamiltonianView&, Range, double, const Real*, Real*);
template <class Real>
void symmetric_up_hops(const Queue<Cuda>&, const HamiltonianView&, const Real*, const Real*, Real*, TileSums*);
template <class Real>
void project_onto_sector(const Queue<Cuda>&, const HamiltonianView&, Real*);

}  // namespace strata::lanczos::cuda
