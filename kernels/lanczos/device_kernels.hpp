// SPDX-License-Identifier: BSD-3-Clause
// Declarations of the device kernels for the table in vectors_cuda.cu; kernels/lanczos/device_step.hpp documents them.
#pragma once

#include "kernels/lanczos/device_step.hpp"

namespace strata::lanczos::cuda {

constexpr unsigned tile_threads = 256, warps = tile_threads / 32;  ///< of the block that works on a tile

template <class Real>
void advance(const Queue<Cuda>&, const HamiltonianView&, Range, const Recurrence&, const Real*, Real*, Real*);
template <class Real>
void down_hops(const Queue<Cuda>&, const HamiltonianView&, Range, double, const Real*, Real*);
template <class Real>
void up_hops(const Queue<Cuda>&, const HamiltonianView&, const Real*, const Real*, Real*, TileSums*);
template <class Real>
void subspace_hops(const Queue<Cuda>&, const SubspaceHopsView&, const Real*, Real*);
template <class Real>
void axpby(const Queue<Cuda>&, const BlockLayout&, Complex, const Real*, Complex, const Real*, Real*, TileSums*);
template <class Real>
void dot(const Queue<Cuda>&, const BlockLayout&, const Real*, const Real*, TileSums*);
void sum_blocks(const Queue<Cuda>&, const BlockLayout&, const TileSums*, TileSums*);
template <class Real>
void rotate(const Queue<Cuda>&, const BlockLayout&, Real* const*, std::uint64_t, const double*, std::uint64_t);
template <class Real>
void pack_rows(const Queue<Cuda>&, std::uint64_t, const std::uint64_t*, std::uint64_t, const Real*, Real*);

}  // namespace strata::lanczos::cuda
