// SPDX-License-Identifier: BSD-3-Clause
// Replacement of the device kernels in a build without CUDA, where no device is ever found.
#include "kernels/kronecker/device_tiles.hpp"
#include "strata/error.hpp"

namespace strata::kronecker {
namespace {

[[noreturn]] void refuse() { throw Error(ExitCode::internal, "This build of strata has no CUDA kernels."); }

}  // namespace

template <class Real>
void multiply_tiles(const Queue<Cuda>&, const TileProduct*, const Tile*, std::uint64_t, unsigned,
                    const TileMemory<Real>&) {
    refuse();
}
template void multiply_tiles<double>(const Queue<Cuda>&, const TileProduct*, const Tile*, std::uint64_t, unsigned,
                                     const TileMemory<double>&);
template void multiply_tiles<float>(const Queue<Cuda>&, const TileProduct*, const Tile*, std::uint64_t, unsigned,
                                    const TileMemory<float>&);

}  // namespace strata::kronecker
