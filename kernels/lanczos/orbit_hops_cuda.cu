// SPDX-License-Identifier: BSD-3-Clause
// H in a sector of lattice symmetries of one spin component on a device, with the layout and the rules of
// orbit_sweeps_cpu.cpp. A thread computes one real number; the 16 or 32 neighbouring threads of a tile add up its sums.
#include "kernels/lanczos/device_hops.hpp"
#include "kernels/lanczos/device_step.hpp"
#include "kernels/lanczos/device_tile.hpp"

namespace strata::lanczos::cuda {
namespace {

/// The real number of this thread, counted from the first one of the rank, and its row among those of the rank.
struct OwnReal {
    __device__ OwnReal(const BlockLayout& l, std::uint64_t first)
        : real(first + blockIdx.x * std::uint64_t{tile_threads} + threadIdx.x), row(real / l.reals()) {}
    std::uint64_t real, row;
};

/// w := (w - alpha v) / beta, projected; also written to `columns`, whose order is that of w.
template <class Real>
__global__ void __launch_bounds__(tile_threads)
    orbit_advance_kernel(HamiltonianView h, Range reals, Recurrence r, const Real* v, Real* w, Real* columns) {
    const OwnReal own(h.layout, reals.first);
    if (own.real >= reals.last) return;
    const std::uint64_t row = h.layout.blocks.first * rows + own.row;
    const auto alpha = static_cast<Real>(r.alpha), inverse_beta = static_cast<Real>(r.inverse_beta);
    const bool zero = row >= h.layout.dim_up || h.symmetry.vanishes(row);
    const Real next = zero ? Real(0) : (w[own.real] - alpha * v[own.real]) * inverse_beta;
    w[own.real] = next;
    columns[own.real - reals.first] = next;
}

/// v := (energy - shift) columns - beta v.
template <class Real>
__global__ void __launch_bounds__(tile_threads)
    orbit_diagonal_kernel(HamiltonianView h, Range reals, Real beta, const Real* columns, Real* v) {
    const OwnReal own(h.layout, reals.first);
    if (own.real >= reals.last) return;
    const std::uint64_t row = h.layout.blocks.first * rows + own.row;
    const auto energy = row < h.layout.dim_up ? static_cast<Real>(h.up.diagonal[row] - h.shift) : Real(0);
    v[own.real] = energy * columns[own.real - reals.first] - beta * v[own.real];
}

/// w += H_up v, and the sums of the tiles.
template <int Reals, class Real>
__global__ void __launch_bounds__(tile_threads)
    orbit_up_kernel(HamiltonianView h, const Real* local_rows, const Real* v, Real* w, TileSums* sums) {
    constexpr unsigned tile = rows * Reals;
    const OwnReal own(h.layout, 0);
    const bool odd = Reals == 2 && own.real % 2 == 1;
    TileSums of_thread;
    if (own.real < h.layout.size() && h.layout.blocks.first * rows + own.row < h.layout.dim_up) {
        const HoppingView& hops = h.rows;
        const std::uint64_t complex = hops.complex[own.row], end = hops.first[own.row + 1];
        Real sum = w[own.real];
        for (std::uint64_t e = hops.first[own.row]; e < end; ++e) {
            const std::uint32_t entry = hops.entries[e], c = entry & hops.class_mask();
            const Real* from = local_rows + std::uint64_t{entry >> hops.bits} * Reals;
            sum += static_cast<Real>(hops.re[c]) * from[odd ? 1 : 0];
            if (Reals == 1 || e < complex) continue;
            const Real crossed = static_cast<Real>(hops.im[c]) * from[odd ? 0 : 1];
            sum += odd ? crossed : -crossed;
        }
        w[own.real] = sum;
        const double x = static_cast<double>(v[own.real]), y = static_cast<double>(sum);
        of_thread = {x * y, y * y, x * x};
    }
    for (unsigned distance = tile / 2; distance != 0; distance /= 2) of_thread += shuffle_down(of_thread, distance);
    if (threadIdx.x % tile == 0 && own.real < h.layout.size()) sums[own.real / tile] = of_thread;
}

template <class Real>
__global__ void __launch_bounds__(tile_threads) orbit_project_kernel(HamiltonianView h, Real* x) {
    const OwnReal own(h.layout, 0);
    const std::uint64_t row = h.layout.blocks.first * rows + own.row;
    if (own.real < h.layout.size() && row < h.layout.dim_up && h.symmetry.vanishes(row)) x[own.real] = 0;
}

/// Launch with a thread for every real.
GpuLaunch on_reals(const char* name, std::uint64_t reals) {
    return {name, dim3(static_cast<unsigned>((reals + tile_threads - 1) / tile_threads)), dim3(tile_threads)};
}

Range reals_of_blocks(const BlockLayout& l, Range blocks) {
    return {blocks.first * l.block_size(), blocks.last * l.block_size()};
}

template <class Real>
void orbit_advance(const Queue<Cuda>& queue, const HamiltonianView& h, Range blocks, const Recurrence& r, const Real* v,
                   Real* w, Real* columns) {
    const Range reals = reals_of_blocks(h.layout, blocks);
    gpu_launch(queue, on_reals("advance", reals.size()), orbit_advance_kernel<Real>, h, reals, r, v, w, columns);
}

template <class Real>
void orbit_diagonal(const Queue<Cuda>& queue, const HamiltonianView& h, Range blocks, double beta, const Real* columns,
                    Real* v) {
    const Range reals = reals_of_blocks(h.layout, blocks);
    gpu_launch(queue, on_reals("dn_hops", reals.size()), orbit_diagonal_kernel<Real>, h, reals, static_cast<Real>(beta),
               columns, v);
}

template <class Real>
void orbit_up_hops(const Queue<Cuda>& queue, const HamiltonianView& h, const Real* local_rows, const Real* v, Real* w,
                   TileSums* sums) {
    const auto kernel = h.layout.arithmetic == Arithmetic::real ? orbit_up_kernel<1, Real> : orbit_up_kernel<2, Real>;
    gpu_launch(queue, on_reals("up_hops", h.layout.size()), kernel, h, local_rows, v, w, sums);
}

template <class Real>
void project_orbits(const Queue<Cuda>& queue, const HamiltonianView& h, Real* x) {
    gpu_launch(queue, on_reals("project", h.layout.size()), orbit_project_kernel<Real>, h, x);
}

}  // namespace

template <class Real>
void fill_orbit_hops(DeviceStepKernels<Real>& table) {
    table.advance = orbit_advance;
    table.down_hops = orbit_diagonal;
    table.up_hops = orbit_up_hops;
    table.project_onto_sector = project_orbits;
}
template void fill_orbit_hops(DeviceStepKernels<double>&);
template void fill_orbit_hops(DeviceStepKernels<float>&);

}  // namespace strata::lanczos::cuda
