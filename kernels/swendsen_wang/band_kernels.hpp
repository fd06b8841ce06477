// SPDX-License-Identifier: BSD-3-Clause
// The steps of labelling a slice, for a band of tile rows of one thread; label_slice_cpu.cpp runs them band after band.
#pragma once

#include <cstdint>

#include "kernels/swendsen_wang/simd.hpp"
#include "kernels/swendsen_wang/slice_view.hpp"

namespace strata::swendsen_wang::STRATA_ISA {

/// All bonds of the rows towards the positive side of each axis; adds their aligned pairs and up spins to `mine`.
void draw_rows(const SliceView& s, ThreadSlice& mine, Range rows);

/// The bonds that enter the slice from the layer below, which draws them for itself too.
void draw_entering_rows(const SliceView& s);

/// Components within each tile: codes and roots. Needs the bonds of these rows and of those before them along y and z.
/// Returns the number of open components.
std::uint64_t label_rows(const SliceView& s, Range rows);

/// Ids from mine.last_id on for the open components, and coins.
void number_rows(const SliceView& s, ThreadSlice& mine, Range rows);

/// Unites components across all tile faces within the rows, and to the layer before them if it is this thread's.
void merge_rows(const SliceView& s, const ThreadSlice& mine, Range rows);

}  // namespace strata::swendsen_wang::STRATA_ISA
