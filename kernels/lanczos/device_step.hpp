// SPDX-License-Identifier: BSD-3-Clause
// Device kernels of the Lanczos recurrence, for vectors laid out as on the host; the algebra of a step is in
// kernels/lanczos/step_kernels.hpp. Bytes per real number of a vector of doubles (half of them in single precision):
//
//     advance          24    v read, w read and written; 8 more written to `columns`, which stay in the L2 cache
//     down_hops        16    v read and written; per hop one real from the L2 cache, entries shared by 16 rows
//     up_hops          24    v read, w read and written; per hop one real from the L2 cache, entries shared by 32 lanes
//     subspace_hops    16    w read and written, and 8 for the source row of every site that has one
//     pack_rows        16    of a sent row: read and written
//     project_onto_sector    16    x read and written
//     draw              8    x written; 10 rounds of Philox
//
// In sectors of lattice symmetries the bytes are the same per stored number; entries are shared by a row of a panel
// (up_hops), or by |G| images and the rows of a block (down_hops). A hop by another element of the group than the
// identity also reads 4 bytes of a table of |G|^2 numbers, which stays in the first-level cache.
//
// Operations are those of the CPU kernels: 2 per hop and real number, 4 with a complex amplitude. Sums are accumulated
// in doubles, one per tile, in an order that does not depend on the device.
#pragma once

#include "kernels/lanczos/start_vector.hpp"
#include "kernels/lanczos/step_kernels.hpp"
#include "strata/queue.hpp"

namespace strata::lanczos {

/// All kernels are queued and return at once. All pointers, also those inside of views, point to device memory.
template <class Real>
struct DeviceStepKernels {
    /// First half of down_sweep for `blocks` of this rank: w := (w - alpha v) / beta, also written transposed to
    /// `columns`.
    void (*advance)(const Queue<Cuda>&, const HamiltonianView&, Range blocks, const Recurrence&, const Real* v, Real* w,
                    Real* columns);
    /// Second half for the same blocks: v := (H_down + diagonal - shift) columns - beta v.
    void (*down_hops)(const Queue<Cuda>&, const HamiltonianView&, Range blocks, double beta, const Real* columns,
                      Real* v);
    /// As up_sweep of the CPU.
    void (*up_hops)(const Queue<Cuda>&, const HamiltonianView&, const Real* local_rows, const Real* v, Real* w,
                    TileSums* sums);
    /// As subspace_sweep of the CPU, for one hopping matrix.
    void (*subspace_hops)(const Queue<Cuda>&, const SubspaceHopsView&, const Real* local_rows, Real* w);
    /// Copies `count` rows into packed blocks of rows for a message; a row `none` is padding and is set to zero.
    void (*pack_rows)(const Queue<Cuda>&, const BlockLayout&, const std::uint64_t* rows, std::uint64_t count,
                      const Real* own, Real* packed);
    /// Draws the numbers of a start vector on all tiles of this rank.
    void (*draw)(const Queue<Cuda>&, const StartVector&, const BlockLayout&, Real* x);
    /// Replaces x by its projection onto the sector of the symmetries; null without them.
    void (*project_onto_sector)(const Queue<Cuda>&, const HamiltonianView&, Real* x) = nullptr;

    static constexpr std::uint64_t none = ~std::uint64_t{0};
};

template <class Real>
const DeviceStepKernels<Real>& device_step_kernels();
/// Kernels for sectors of lattice symmetries, of two spin components and of one.
template <class Real>
const DeviceStepKernels<Real>& symmetric_device_step_kernels();
template <class Real>
const DeviceStepKernels<Real>& orbit_device_step_kernels();

}  // namespace strata::lanczos
