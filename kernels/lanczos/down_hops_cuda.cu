// SPDX-License-Identifier: BSD-3-Clause
// First line of the recurrence, and H_down with the diagonal, on a device. Some blocks at a time are transposed into
// columns, [real][row], whose 16 rows are contiguous: a hop then reads 16 rows at once from the L2 cache, and its entry
// is read once for all of them.
#include "kernels/lanczos/device_hops.hpp"
#include "kernels/lanczos/device_step.hpp"
#include "kernels/lanczos/device_tile.hpp"

namespace strata::lanczos::cuda {
namespace {

constexpr unsigned reals = panel_reals, padded = reals + 1;

/// One tile per block of threads; the tile is transposed through shared memory, padded against bank conflicts.
/// blockIdx: panel, block.
template <class Real>
__global__ void __launch_bounds__(tile_threads)
    advance_kernel(BlockLayout l, Range blocks, Recurrence r, const Real* v, Real* w, Real* columns) {
    GPU_SHARED(Real, tile, rows * padded);
    const std::uint64_t at = ((blocks.first + blockIdx.y) * l.panels() + blockIdx.x) * tile_reals;
    const auto alpha = static_cast<Real>(r.alpha), inverse_beta = static_cast<Real>(r.inverse_beta);
    for (unsigned i = threadIdx.x; i < tile_reals; i += tile_threads) {
        const Real next = (w[at + i] - alpha * v[at + i]) * inverse_beta;
        w[at + i] = next;
        tile[i / reals * padded + i % reals] = next;
    }
    __syncthreads();
    Real* out = columns + blockIdx.y * l.block_size() + blockIdx.x * std::uint64_t{tile_reals};
    for (unsigned i = threadIdx.x; i < tile_reals; i += tile_threads) out[i] = tile[i % rows * padded + i / rows];
}

/// Number of panels that a block of threads computes: they share the table of interaction energies.
constexpr unsigned panels_together = 4;

/// A thread computes one row of two down bit strings of each panel (of one, if complex); 16 lanes have a bit string in
/// common. blockIdx: group of panels, block.
template <int Reals, class Real>
__global__ void __launch_bounds__(tile_threads)
    down_kernel(HamiltonianView h, Range blocks, Real beta, const Real* columns, Real* v) {
    GPU_SHARED(Real, tile, rows * padded);
    GPU_SHARED(StagedHop<Real>, staged, tile_threads);
    GPU_SHARED(Real, imaginary, Reals == 1 ? 1 : tile_threads);
    const HopStage stage = {staged, imaginary};
    const auto coupling = gpu_dynamic_shared<double>();
    const BlockLayout& l = h.layout;
    const std::uint64_t block = l.blocks.first + blocks.first + blockIdx.y;
    tabulate_coupling(h, block, coupling);
    const unsigned row = threadIdx.x % rows;
    const std::uint64_t up = block * rows + row;
    const double up_energy = up < h.up.dim ? h.up.diagonal[up] - h.shift : 0;
    const Real* from = columns + blockIdx.y * l.block_size() + row;
    const auto line = [](std::uint32_t column, std::uint32_t) { return column * static_cast<unsigned>(Reals); };
    const std::uint64_t panels = l.panels(), first = blockIdx.x * std::uint64_t{panels_together};
    for (std::uint64_t panel = first; panel < panels && panel < first + panels_together; ++panel) {
        for (unsigned j = threadIdx.x / rows; j < reals / Reals; j += tile_threads / rows) {
            const std::uint64_t d = panel * (reals / Reals) + j;
            const bool exists = d < h.down.dim;
            Real sum[Reals] = {};
            sum_lines(h.down.hops, d, exists, stage, from, line, sum);
            if (exists) {
                const double energy =
                    up_energy + h.down.diagonal[d] + coupling_energy(h.coupling, h.down.sites[d], row, coupling);
                for (int k = 0; k < Reals; ++k) sum[k] += static_cast<Real>(energy) * from[(d * Reals + k) * rows];
            }
            for (int k = 0; k < Reals; ++k) tile[row * padded + j * Reals + k] = sum[k];
        }
        __syncthreads();
        Real* out = v + ((blocks.first + blockIdx.y) * panels + panel) * tile_reals;
        for (unsigned i = threadIdx.x; i < tile_reals; i += tile_threads)
            out[i] = tile[i / reals * padded + i % reals] - beta * out[i];
        __syncthreads();
    }
}

dim3 panels_of(const BlockLayout& l, Range blocks) {
    return {static_cast<unsigned>(l.panels()), static_cast<unsigned>(blocks.size())};
}

template <class Real>
void advance(const Queue<Cuda>& queue, const HamiltonianView& h, Range blocks, const Recurrence& r, const Real* v,
             Real* w, Real* columns) {
    gpu_launch(queue, {"advance", panels_of(h.layout, blocks), dim3(tile_threads)}, advance_kernel<Real>, h.layout,
               blocks, r, v, w, columns);
}

template <class Real>
void down_hops(const Queue<Cuda>& queue, const HamiltonianView& h, Range blocks, double beta, const Real* columns,
               Real* v) {
    dim3 grid = panels_of(h.layout, blocks);
    grid.x = (grid.x + panels_together - 1) / panels_together;
    const GpuLaunch launch = {"dn_hops", grid, dim3(tile_threads), coupling_energies(h.coupling) * sizeof(double)};
    if (h.layout.arithmetic == Arithmetic::real)
        gpu_launch(queue, launch, down_kernel<1, Real>, h, blocks, static_cast<Real>(beta), columns, v);
    else
        gpu_launch(queue, launch, down_kernel<2, Real>, h, blocks, static_cast<Real>(beta), columns, v);
}

}  // namespace

// Parts of the table that other files fill.
template <class Real>
void fill_up_hops(DeviceStepKernels<Real>&);
template <class Real>
void fill_start_vector(DeviceStepKernels<Real>&);
template <class Real>
void fill_symmetric_hops(DeviceStepKernels<Real>&);
template <class Real>
void fill_orbit_hops(DeviceStepKernels<Real>&);

}  // namespace strata::lanczos::cuda

namespace strata::lanczos {

template <class Real>
const DeviceStepKernels<Real>& device_step_kernels() {
    static const DeviceStepKernels<Real> kernels = [] {
        DeviceStepKernels<Real> table = {};
        table.advance = cuda::advance;
        table.down_hops = cuda::down_hops;
        cuda::fill_up_hops(table);
        cuda::fill_start_vector(table);
        return table;
    }();
    return kernels;
}
template <class Real>
const DeviceStepKernels<Real>& symmetric_device_step_kernels() {
    static const DeviceStepKernels<Real> kernels = [] {
        DeviceStepKernels<Real> table = device_step_kernels<Real>();
        cuda::fill_symmetric_hops(table);
        return table;
    }();
    return kernels;
}
template <class Real>
const DeviceStepKernels<Real>& orbit_device_step_kernels() {
    static const DeviceStepKernels<Real> kernels = [] {
        DeviceStepKernels<Real> table = device_step_kernels<Real>();
        cuda::fill_orbit_hops(table);
        return table;
    }();
    return kernels;
}
template const DeviceStepKernels<double>& device_step_kernels<double>();
template const DeviceStepKernels<float>& device_step_kernels<float>();
template const DeviceStepKernels<double>& symmetric_device_step_kernels<double>();
template const DeviceStepKernels<float>& symmetric_device_step_kernels<float>();
template const DeviceStepKernels<double>& orbit_device_step_kernels<double>();
template const DeviceStepKernels<float>& orbit_device_step_kernels<float>();

}  // namespace strata::lanczos
