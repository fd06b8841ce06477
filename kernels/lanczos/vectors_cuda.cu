// SPDX-License-Identifier: BSD-3-Clause
// Linear algebra of whole vectors on a device, one block of threads per tile, and the table of all device kernels. Sums
// are accumulated in doubles in a fixed order (kernels/device_block.hpp).
#include <string>

#include "kernels/device_block.hpp"
#include "kernels/lanczos/device_kernels.hpp"
#include "strata/error.hpp"

namespace strata::lanczos::cuda {
namespace {

template <class Real>
struct Factor {
    Real re, im;
};

template <class Real>
Factor<Real> factor(Complex z) {
    return {static_cast<Real>(z.real()), static_cast<Real>(z.imag())};
}

/// The real number of a x that belongs to this lane. The neighbouring lane has the other number of the pair (re, im).
template <class Real>
__device__ Real times(Factor<Real> a, Real x) {
    if (a.im == Real(0)) return a.re * x;
    const Real partner = a.im * __shfl_xor_sync(full_warp, x, 1);
    return a.re * x + (threadIdx.x % 2 == 1 ? partner : -partner);
}

/// One block of threads per tile, whose size is a multiple of a warp. A thread reads several numbers before it writes
/// any: since out may be x or y, later loads would otherwise have to wait for earlier stores.
template <class Real>
__global__ void __launch_bounds__(tile_threads) axpby_kernel(unsigned tile, Factor<Real> a, const Real* x,
                                                             Factor<Real> b, const Real* y, Real* out, TileSums* sums) {
    constexpr unsigned together = 2;
    const std::uint64_t first = std::uint64_t{blockIdx.x} * tile;
    TileSums own;
    for (unsigned i = threadIdx.x; i < tile; i += together * blockDim.x) {
        Real result[together] = {};
        for (unsigned j = 0, at = i; j < together && at < tile; ++j, at += blockDim.x)
            result[j] = times(a, x[first + at]) + times(b, y[first + at]);
        for (unsigned j = 0, at = i; j < together && at < tile; ++j, at += blockDim.x) {
            if (out != nullptr) out[first + at] = result[j];
            own.vv += static_cast<double>(result[j]) * static_cast<double>(result[j]);
        }
    }
    sum_over_block<tile_threads>(own, sums + blockIdx.x);
}

template <class Real>
__global__ void __launch_bounds__(tile_threads)
    dot_kernel(unsigned tile, bool complex, const Real* x, const Real* y, TileSums* sums) {
    double re = 0, im = 0;
    for (unsigned i = threadIdx.x; i < tile; i += blockDim.x) {
        const std::uint64_t at = std::uint64_t{blockIdx.x} * tile + i;
        const double of_y = static_cast<double>(y[at]);
        re += static_cast<double>(x[at]) * of_y;
        if (!complex) continue;
        const double times_i = static_cast<double>(x[at ^ 1]) * of_y;
        im += at % 2 == 1 ? times_i : -times_i;  // (-im x, re x) . (re y, im y)
    }
    sum_over_block<tile_threads>(TileSums::of_dot(re, im), sums + blockIdx.x);
}

__global__ void __launch_bounds__(tile_threads)
    sum_kernel(std::uint64_t panels, const TileSums* tiles, TileSums* blocks) {
    TileSums own;
    for (std::uint64_t panel = threadIdx.x; panel < panels; panel += tile_threads) {
        const TileSums& tile = tiles[blockIdx.x * panels + panel];
        own.vw += tile.vw;
        own.ww += tile.ww;
        own.vv += tile.vv;
    }
    sum_over_block<tile_threads>(own, blocks + blockIdx.x);
}

constexpr unsigned rotated_reals = 32;

/// A thread holds one real number of every vector in shared memory.
template <class Real>
__global__ void __launch_bounds__(rotated_reals)
    rotate_kernel(Real* const* v, std::uint64_t count, const double* c, std::uint64_t kept) {
    auto old = gpu_dynamic_shared<Real>();
    const std::uint64_t at = std::uint64_t{blockIdx.x} * rotated_reals + threadIdx.x;
    for (std::uint64_t i = 0; i < count; ++i) old[i * rotated_reals + threadIdx.x] = v[i][at];
    __syncthreads();
    const unsigned partner = threadIdx.x ^ 1;
    for (std::uint64_t j = 0; j < kept; ++j) {
        Real sum = 0;
        for (std::uint64_t i = 0; i < count; ++i) {
            const double* z = c + 2 * (j * count + i);
            sum += static_cast<Real>(z[0]) * old[i * rotated_reals + threadIdx.x];
            if (z[1] == 0) continue;
            const Real times_i = static_cast<Real>(z[1]) * old[i * rotated_reals + partner];
            sum += threadIdx.x % 2 == 1 ? times_i : -times_i;
        }
        v[j][at] = sum;
    }
}

GpuLaunch on_tiles(const char* name, const BlockLayout& l) {
    return {name, dim3(static_cast<unsigned>(l.tiles())), dim3(threads_of(l))};
}

}  // namespace

template <class Real>
void axpby(const Queue<Cuda>& queue, const BlockLayout& l, Complex a, const Real* x, Complex b, const Real* y,
           Real* out, TileSums* sums) {
    gpu_launch(queue, on_tiles("combine", l), axpby_kernel<Real>, static_cast<unsigned>(l.tile()), factor<Real>(a), x,
               factor<Real>(b), y, out, sums);
}

template <class Real>
void dot(const Queue<Cuda>& queue, const BlockLayout& l, const Real* x, const Real* y, TileSums* sums) {
    gpu_launch(queue, on_tiles("dot", l), dot_kernel<Real>, static_cast<unsigned>(l.tile()),
               l.arithmetic == Arithmetic::complex, x, y, sums);
}

void sum_blocks(const Queue<Cuda>& queue, const BlockLayout& l, const TileSums* tiles, TileSums* blocks) {
    gpu_launch(queue, {"sum_blocks", dim3(static_cast<unsigned>(l.blocks.size())), dim3(tile_threads)}, sum_kernel,
               l.panels(), tiles, blocks);
}

template <class Real>
void rotate(const Queue<Cuda>& queue, const BlockLayout& l, Real* const* v, std::uint64_t count, const double* c,
            std::uint64_t kept) {
    // without an attribute of the kernel a block of threads has at most 48 KiB of shared memory
    if (count * rotated_reals * sizeof(Real) > 48 * 1024)
        throw Error(ExitCode::does_not_fit, "A device rotates at most " +
                                                std::to_string(48 * 1024 / rotated_reals / sizeof(Real)) +
                                                " vectors; use a smaller run.basis.");
    gpu_launch(queue,
               {"rotate", dim3(static_cast<unsigned>(l.size() / rotated_reals)), dim3(rotated_reals),
                count * rotated_reals * sizeof(Real)},
               rotate_kernel<Real>, v, count, c, kept);
}

}  // namespace strata::lanczos::cuda

namespace strata::lanczos {

template <class Real>
const DeviceStepKernels<Real>& device_step_kernels() {
    static const DeviceStepKernels<Real> table = {
        cuda::advance<Real>, cuda::down_hops<Real>, cuda::up_hops<Real>, cuda::subspace_hops<Real>, cuda::axpby<Real>,
        cuda::dot<Real>,     cuda::sum_blocks,      cuda::rotate<Real>,  cuda::pack_rows<Real>,
    };
    return table;
}
template <class Real>
const DeviceStepKernels<Real>& symmetric_device_step_kernels() {
    static const DeviceStepKernels<Real> table = [] {
        DeviceStepKernels<Real> kernels = device_step_kernels<Real>();
        kernels.advance = cuda::symmetric_advance<Real>;
        kernels.down_hops = cuda::symmetric_down_hops<Real>;
        kernels.up_hops = cuda::symmetric_up_hops<Real>;
        kernels.project_onto_sector = cuda::project_onto_sector<Real>;
        return kernels;
    }();
    return table;
}
template const DeviceStepKernels<double>& device_step_kernels<double>();
template const DeviceStepKernels<float>& device_step_kernels<float>();
template const DeviceStepKernels<double>& symmetric_device_step_kernels<double>();
template const DeviceStepKernels<float>& symmetric_device_step_kernels<float>();

}  // namespace strata::lanczos
