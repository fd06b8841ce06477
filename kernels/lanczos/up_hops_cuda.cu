// SPDX-License-Identifier: BSD-3-Clause
// H_up on a device: a warp computes rows of a tile, a lane one real of the panel. Blocks of threads of one panel have
// consecutive numbers, so that the panel of all rows is read from the L2 cache. Hopping between subspaces and the
// packing of rows for other ranks are divided into tiles in the same way.
#include "kernels/device_block.hpp"
#include "kernels/lanczos/device_hops.hpp"
#include "kernels/lanczos/device_kernels.hpp"

namespace strata::lanczos::cuda {
namespace {

/// One block of threads per tile, in the order of panels.
template <class Real>
__global__ void __launch_bounds__(tile_threads)
    up_kernel(HamiltonianView h, const Real* local_rows, const Real* v, Real* w, TileSums* sums) {
    const BlockLayout& l = h.layout;
    const std::uint64_t blocks = l.blocks.size(), block = blockIdx.x % blocks, panel = blockIdx.x / blocks;
    const std::uint64_t size = l.block_size();
    const unsigned lane = threadIdx.x % 32;
    const bool odd = lane % 2 == 1;
    const Real* column = local_rows + panel * tile_reals;
    TileSums own;
    for (std::uint64_t row = threadIdx.x / 32; row < l.rows_of(block); row += warps) {
        const std::uint64_t u = block * block_rows + row;
        Real sum = hop_sum<Real>(h.rows, u, odd, [=](std::uint64_t local, std::uint32_t) {
            return column + local / block_rows * size + local % block_rows * panel_reals + lane;
        });
        const std::uint64_t at = block * size + panel * tile_reals + row * panel_reals + lane;
        sum += w[at];
        w[at] = sum;
        const double x = static_cast<double>(v[at]), y = static_cast<double>(sum);
        own.vw += x * y;
        own.ww += y * y;
        own.vv += x * x;
    }
    sum_over_block<tile_threads>(own, sums + block * l.panels() + panel);
}

/// One block of threads per tile of w.
template <class Real>
__global__ void __launch_bounds__(tile_threads) subspace_kernel(SubspaceHopsView c, const Real* local_rows, Real* w) {
    const BlockLayout& to = c.to;
    const std::uint64_t block = blockIdx.x / to.panels(), panel = blockIdx.x % to.panels();
    const unsigned lane = threadIdx.x % 32;
    const auto reals = static_cast<unsigned>(to.reals());
    const std::uint64_t d = (panel * panel_reals + lane) / reals;
    const unsigned k = lane % reals;
    for (std::uint64_t row = threadIdx.x / 32; row < to.rows_of(block); row += warps) {
        if (d >= to.dim_down) continue;
        Real sum = 0;
        for (int s = 0; s < c.sites; ++s) {
            const std::uint32_t source = c.sources[(block * block_rows + row) * static_cast<std::uint64_t>(c.sites) +
                                                   static_cast<std::uint64_t>(s)];
            if (source == SubspaceHopsView::none) continue;
            const std::uint64_t local = source >> 1;
            const Real* from = local_rows + local / block_rows * c.from.block_size() + local % block_rows * panel_reals;
            const Real of_site = hop_sum<Real>(c.hops[s], d, k == 1, [=](std::uint64_t down, std::uint32_t) {
                const std::uint64_t real = down * reals + k;
                return from + real / panel_reals * tile_reals + real % panel_reals;
            });
            sum += source & 1 ? -of_site : of_site;
        }
        w[block * to.block_size() + panel * tile_reals + row * panel_reals + lane] += sum;
    }
}

/// One block of threads per tile of packed rows, which have the layout of the rank's own rows.
template <class Real>
__global__ void __launch_bounds__(tile_threads)
    pack_kernel(BlockLayout l, const std::uint64_t* sent, const Real* own, Real* packed) {
    const std::uint64_t block = blockIdx.x / l.panels(), column = blockIdx.x % l.panels() * l.tile();
    const auto width = static_cast<unsigned>(l.panel);
    for (TilePosition i(threadIdx.x, blockDim.x, width); i.row < block_rows; i.next()) {
        const std::uint64_t row = sent[block * block_rows + i.row];
        packed[block * l.block_size() + column + i.row * width + i.column] =
            row == DeviceStepKernels<Real>::none
                ? Real(0)
                : own[row / block_rows * l.block_size() + column + row % block_rows * width + i.column];
    }
}

}  // namespace

template <class Real>
void up_hops(const Queue<Cuda>& queue, const HamiltonianView& h, const Real* local_rows, const Real* v, Real* w,
             TileSums* sums) {
    const dim3 grid(static_cast<unsigned>(h.layout.tiles()));
    gpu_launch(queue, {"up_hops", grid, dim3(tile_threads)}, up_kernel<Real>, h, local_rows, v, w, sums);
}

template <class Real>
void subspace_hops(const Queue<Cuda>& queue, const SubspaceHopsView& c, const Real* local_rows, Real* w) {
    const dim3 grid(static_cast<unsigned>(c.to.tiles()));
    gpu_launch(queue, {"cross", grid, dim3(tile_threads)}, subspace_kernel<Real>, c, local_rows, w);
}

template <class Real>
void pack_rows(const Queue<Cuda>& queue, const BlockLayout& l, const std::uint64_t* sent, std::uint64_t count,
               const Real* own, Real* packed) {
    const dim3 grid(static_cast<unsigned>(l.panels() * count / block_rows));
    gpu_launch(queue, {"pack_rows", grid, dim3(tile_threads)}, pack_kernel<Real>, l, sent, own, packed);
}

#define STRATA_INSTANTIATE(Real)                                                                               \
    template void up_hops<Real>(const Queue<Cuda>&, const HamiltonianView&, const Real*, const Real*, Real*,   \
                                TileSums*);                                                                    \
    template void subspace_hops<Real>(const Queue<Cuda>&, const SubspaceHopsView&, const Real*, Real*);        \
    template void pack_rows<Real>(const Queue<Cuda>&, const BlockLayout&, const std::uint64_t*, std::uint64_t, \
                                  const Real*, Real*);
STRATA_INSTANTIATE(double)
STRATA_INSTANTIATE(float)

}  // namespace strata::lanczos::cuda
