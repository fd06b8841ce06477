// SPDX-License-Identifier: BSD-3-Clause
// Declaration of the tile kernel for the table in columns_cuda.cu; kernels/kronecker/device_tiles.hpp documents it.
#pragma once

#include "kernels/kronecker/device_tiles.hpp"

namespace strata::kronecker::cuda {

template <class Real>
void multiply(const Queue<Cuda>&, const TileProduct*, const Tile*, std::uint64_t, unsigned, const TileMemory<Real>&);

}  // namespace strata::kronecker::cuda
