// SPDX-License-Identifier: BSD-3-Clause
// Phases of draw_and_label() for a band of tile rows of one thread; draw_and_label_cpu.cpp runs them band by band, so
// that each phase reads the results of the phase before it from the cache.
#pragma once

#include <cstdint>

#include "kernels/swendsen_wang/simd.hpp"
#include "kernels/swendsen_wang/slab_view.hpp"

namespace strata::swendsen_wang::STRATA_ISA {

/// Draws the bonds of the rows towards the positive direction of each axis; adds their satisfied bonds and up spins to
/// `mine`.
void draw_rows(const SlabView& s, ThreadPart& mine, Range rows);

/// Draws the bonds that enter the slab from the tile layer below. The rank below draws the same bonds.
void draw_entering_rows(const SlabView& s);

/// Labels the components of each tile: component indices and minimal sites. The bonds of these rows, and of the rows
/// before them along y and z, must have been drawn. Returns the number of boundary components.
std::uint64_t label_rows(const SlabView& s, Range rows);

/// Assigns the ids from mine.last_id on to the boundary components, and a random cluster spin to every component.
void assign_ids(const SlabView& s, ThreadPart& mine, Range rows);

/// Binds sites of these rows to the ghost spin: interior components with a bound site do not flip, and boundary
/// components with one get bound_spin.
void bind_components(const SlabView& s, ThreadPart& mine, Range rows);

/// Unites components across all tile boundaries within the rows, and with the tile layer before them if it belongs to
/// this thread.
void unite_rows(const SlabView& s, const ThreadPart& mine, Range rows);

}  // namespace strata::swendsen_wang::STRATA_ISA
