// SPDX-License-Identifier: BSD-3-Clause
// H_up on a device: a warp computes rows of a tile, a lane one real of the panel. Blocks of threads of one panel have
// consecutive numbers, so that the panel of all rows is read from the L2 cache. Hopping between subspaces takes a warp
// for a tile, the packing of rows for other ranks a block of threads.
#include "kernels/device_block.hpp"
#include "kernels/lanczos/device_hops.hpp"
#include "kernels/lanczos/device_step.hpp"
#include "kernels/lanczos/device_tile.hpp"

namespace strata::lanczos::cuda {
namespace {

/// Row of H_up times the numbers of a panel, by the lanes of a warp: a line of a row is the numbers of the lanes.
template <class Real, class Stage, class Line>
__device__ Real up_sum(const HoppingView& hops, std::uint64_t row, const Stage& stage, const Real* column, Line line) {
    const unsigned lane = threadIdx.x % 32;
    const std::uint64_t complex = hops.complex[row];
    Real sum[1] = {};
    for_staged_hops<32, false, Real>(hops, hops.first[row], complex, stage, line, [&](unsigned slot) {
        add_lines<panel_reals>(stage, slot, column + lane, sum, nullptr);
    });
    for_staged_hops<32, true, Real>(hops, complex, hops.first[row + 1], stage, line, [&](unsigned slot) {
        for (unsigned i = 0; i < hops_together; ++i) {
            const StagedHop<Real> hop = stage.hops[slot + i];
            const Real im = stage.imaginary[slot + i];
            const Real* from = column + std::uint64_t{hop.line} * panel_reals;
            sum[0] += hop.re * from[lane];
            const Real crossed = im * from[lane ^ 1];  // real and imaginary parts are neighbours
            sum[0] += lane % 2 == 1 ? crossed : -crossed;
        }
    });
    return sum[0];
}

/// One block of threads per tile, in the order of panels.
template <class Real>
__global__ void __launch_bounds__(tile_threads)
    up_kernel(HamiltonianView h, const Real* local_rows, const Real* v, Real* w, TileSums* sums) {
    GPU_SHARED(StagedHop<Real>, staged, tile_threads);
    GPU_SHARED(Real, imaginary, tile_threads);
    const HopStage stage = {staged, imaginary};
    const BlockLayout& l = h.layout;
    const std::uint64_t blocks = l.blocks.size(), block = blockIdx.x % blocks, panel = blockIdx.x / blocks;
    const std::uint64_t size = l.block_size();
    const auto lines = static_cast<std::uint32_t>(size / panel_reals);
    const auto line = [lines](std::uint32_t local, std::uint32_t) { return local / rows * lines + local % rows; };
    TileSums own;
    for (std::uint64_t row = threadIdx.x / 32; row < l.rows_of(block); row += warps) {
        const std::uint64_t at = block * size + panel * tile_reals + row * panel_reals + threadIdx.x % 32;
        const Real sum = w[at] + up_sum(h.rows, block * block_rows + row, stage, local_rows + panel * tile_reals, line);
        w[at] = sum;
        const double x = static_cast<double>(v[at]), y = static_cast<double>(sum);
        own.vw += x * y;
        own.ww += y * y;
        own.vv += x * x;
    }
    sum_over_block<tile_threads>(own, sums + block * l.panels() + panel);
}

/// Row of another subspace from which a row gets particles, and the sign of the hop.
struct alignas(16) SubspaceSource {
    std::uint64_t first;  ///< position of its first number, or none
    int sign;
    static constexpr std::uint64_t none = UINT64_MAX;
};

/// One warp per tile of w: a lane computes the same real of all of its rows, so that an entry of a hopping matrix is read
/// once for all of them. Three blocks of threads on a multiprocessor need at most 85 registers a thread: with as many as
/// the compiler would take the kernel is slower by up to a quarter.
template <class Real>
__global__ void __launch_bounds__(tile_threads, 3)
    subspace_kernel(SubspaceHopsView c, const Real* local_rows, Real* w) {
    GPU_SHARED(SubspaceSource, sources, warps * rows);
    const BlockLayout& to = c.to;
    const std::uint64_t tile = blockIdx.x * std::uint64_t{warps} + threadIdx.x / 32;
    if (tile >= to.tiles()) return;
    const std::uint64_t block = tile / to.panels(), panel = tile % to.panels();
    const unsigned lane = threadIdx.x % 32, own_sources = threadIdx.x / 32 * rows;
    const auto reals = static_cast<unsigned>(to.reals());
    const std::uint64_t d = (panel * panel_reals + lane) / reals;
    const unsigned k = lane % reals;
    Real sum[rows] = {};
    for (int s = 0; s < c.sites; ++s) {
        if (lane < rows) {
            SubspaceSource source = {SubspaceSource::none, 1};
            if (lane < to.rows_of(block)) {
                const std::uint32_t of_row = c.sources[(block * rows + lane) * static_cast<std::uint64_t>(c.sites) +
                                                       static_cast<std::uint64_t>(s)];
                const std::uint64_t local = of_row >> 1;
                if (of_row != SubspaceHopsView::none)
                    source = {local / rows * c.from.block_size() + local % rows * panel_reals,
                              (of_row & 1) != 0 ? -1 : 1};
            }
            sources[own_sources + lane] = source;
        }
        __syncwarp();
        const HoppingView& hops = c.hops[s];
        const std::uint64_t begin = d < to.dim_down ? hops.first[d] : 0, end = d < to.dim_down ? hops.first[d + 1] : 0;
        for (std::uint64_t e = begin; e < end; ++e) {
            const std::uint32_t entry = hops.entries[e], amplitude = entry & hops.class_mask();
            const std::uint64_t real = std::uint64_t{entry >> hops.bits} * reals + k;
            const Real* from = local_rows + real / panel_reals * tile_reals + real % panel_reals;
            const auto re = static_cast<Real>(hops.re[amplitude]);
            auto im = static_cast<Real>(e < hops.complex[d] ? 0 : hops.im[amplitude]);
            if (k == 0) im = -im;
            for (unsigned row = 0; row < rows; ++row) {
                const SubspaceSource source = sources[own_sources + row];
                if (source.first == SubspaceSource::none) continue;
                Real x = re * from[source.first];
                if (im != 0) x += im * (k == 1 ? from[source.first - 1] : from[source.first + 1]);
                sum[row] += source.sign < 0 ? -x : x;
            }
        }
        __syncwarp();
    }
    if (d >= to.dim_down) return;
    Real* out = w + block * to.block_size() + panel * tile_reals + lane;
    for (unsigned row = 0; row < rows; ++row) out[row * panel_reals] += sum[row];
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

template <class Real>
void up_hops(const Queue<Cuda>& queue, const HamiltonianView& h, const Real* local_rows, const Real* v, Real* w,
             TileSums* sums) {
    const dim3 grid(static_cast<unsigned>(h.layout.tiles()));
    gpu_launch(queue, {"up_hops", grid, dim3(tile_threads)}, up_kernel<Real>, h, local_rows, v, w, sums);
}

template <class Real>
void subspace_hops(const Queue<Cuda>& queue, const SubspaceHopsView& c, const Real* local_rows, Real* w) {
    const dim3 grid(static_cast<unsigned>((c.to.tiles() + warps - 1) / warps));
    gpu_launch(queue, {"cross", grid, dim3(tile_threads)}, subspace_kernel<Real>, c, local_rows, w);
}

template <class Real>
void pack_rows(const Queue<Cuda>& queue, const BlockLayout& l, const std::uint64_t* sent, std::uint64_t count,
               const Real* own, Real* packed) {
    const dim3 grid(static_cast<unsigned>(l.panels() * count / block_rows));
    gpu_launch(queue, {"pack_rows", grid, dim3(tile_threads)}, pack_kernel<Real>, l, sent, own, packed);
}

}  // namespace

template <class Real>
void fill_up_hops(DeviceStepKernels<Real>& table) {
    table.up_hops = up_hops;
    table.subspace_hops = subspace_hops;
    table.pack_rows = pack_rows;
}
template void fill_up_hops(DeviceStepKernels<double>&);
template void fill_up_hops(DeviceStepKernels<float>&);

}  // namespace strata::lanczos::cuda
