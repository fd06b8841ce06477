// SPDX-License-Identifier: BSD-3-Clause
// One Lanczos step on a device, for vectors laid out as on the host. Per real number of a vector, from its memory:
//   advance    24 bytes (double), and 8 written to `columns`, which hold some blocks transposed and stay in the L2
//   cache down_hops    16 bytes; per hop one real from the L2 cache, the entry shared by 16 rows up_hops    24 bytes; per
//   hop one real from the L2 cache, the entry shared by 32 lanes cross      8 + 8 bytes of the source rows; per hop one
//   real
// In single precision half of that. Operations as on the CPU. Sums are of doubles, one per tile, in an order that does
// not depend on the device.
#pragma once

#include "kernels/lanczos/step_kernels.hpp"
#include "strata/queue.hpp"

namespace strata::lanczos {

/// Everything is queued; nothing waits. All pointers, also those in views, are to device memory.
template <class Real>
struct DeviceStepKernels {
    /// w := (w - alpha v) / beta for `blocks` of this rank, and transposed to columns.
    void (*advance)(const Queue<Cuda>&, const HamiltonianView&, Range blocks, const Recurrence&, const Real* v, Real* w,
                    Real* columns);
    /// v := (H_down + diagonal) columns - beta v for the same blocks.
    void (*down_hops)(const Queue<Cuda>&, const HamiltonianView&, Range blocks, double beta, const Real* columns,
                      Real* v);
    /// As up_sweep and subspace_sweep of the CPU.
    void (*up_hops)(const Queue<Cuda>&, const HamiltonianView&, const Real* local_rows, const Real* v, Real* w,
                    TileSums* sums);
    void (*subspace_hops)(const Queue<Cuda>&, const SubspaceHopsView&, const Real* local_rows, Real* w);
    void (*axpby)(const Queue<Cuda>&, const BlockLayout&, Complex a, const Real* x, Complex b, const Real* y, Real* out,
                  TileSums* sums);
    void (*dot)(const Queue<Cuda>&, const BlockLayout&, const Real* x, const Real* y, TileSums* sums);
    /// The sums of each block.
    void (*sum_blocks)(const Queue<Cuda>&, const BlockLayout&, const TileSums* tiles, TileSums* blocks);
    /// As rotate of the CPU; `v` and `c` (re, im) on the device.
    void (*rotate)(const Queue<Cuda>&, const BlockLayout&, Real* const* v, std::uint64_t count, const double* c,
                   std::uint64_t kept);
    /// `count` rows, `none` for padding, to blocks of rows.
    void (*pack_rows)(const Queue<Cuda>&, std::uint64_t panels, const std::uint64_t* rows, std::uint64_t count,
                      const Real* own, Real* packed);

    static constexpr std::uint64_t none = ~std::uint64_t{0};
};

template <class Real>
const DeviceStepKernels<Real>& device_step_kernels();

}  // namespace strata::lanczos
