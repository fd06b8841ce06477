// SPDX-License-Identifier: BSD-3-Clause
// Linear algebra of patch vectors on a device, and the table of all device kernels. Sums over a column are computed by
// eight lanes of a warp in the order of column_core.hpp; sums over columns are sums of integers.
#include "kernels/device_block.hpp"
#include "kernels/kronecker/column_core.hpp"
#include "kernels/kronecker/device_kernels.hpp"

namespace strata::kronecker::cuda {
namespace {

constexpr unsigned threads = 256, columns_per_block = threads / column_lanes;

__device__ std::uint64_t global_thread() { return std::uint64_t{blockIdx.x} * blockDim.x + threadIdx.x; }

/// Column of this thread, with the elements that its lane adds up.
struct ColumnLane {
    std::uint64_t column, first = 0, last = 0;
    unsigned lane;

    __device__ ColumnLane(const std::uint64_t* begin, std::uint64_t columns)
        : column(global_thread() / column_lanes), lane(threadIdx.x % column_lanes) {
        if (column < columns) {
            first = begin[column] + lane;
            last = begin[column + 1];
        }
    }
    /// Calls visit(e) for the elements of this lane.
    template <class Visit>
    __device__ void for_elements(Visit visit) const {
        for (std::uint64_t e = first; e < last; e += column_lanes) visit(e);
    }
    /// Writes the sum over the eight lanes to sums[column]. All threads of the warp must call.
    __device__ void store(double sum, std::uint64_t columns, double* sums) const {
        for (unsigned distance = column_lanes / 2; distance != 0; distance /= 2)
            sum += __shfl_down_sync(full_warp, sum, distance, static_cast<int>(column_lanes));
        if (lane == 0 && column < columns) sums[column] = sum;
    }
};

template <class Real>
__global__ void advance_kernel(std::uint64_t size, Real scale, Real part, Real beta, Real* v, Real* w) {
    const std::uint64_t e = global_thread();
    if (e >= size) return;
    w[e] = add_product(rounded_product(scale, w[e]), part, v[e]);
    v[e] = beta * v[e];
}

template <class Real>
__global__ void draw_kernel(std::uint64_t seed, std::uint64_t stream, std::uint64_t first, std::uint64_t size,
                            Real* x) {
    const std::uint64_t e = global_thread();
    if (e < size) x[e] = static_cast<Real>(random_element(seed, first + e, stream));
}

template <class Real>
__global__ void combine_kernel(const std::uint64_t* begin, std::uint64_t columns, Real a, const Real* x, Real b,
                               const Real* y, Real* out, double* sums) {
    const ColumnLane part(begin, columns);
    double squares = 0;
    part.for_elements([&](std::uint64_t e) {
        const Real value = add_product(rounded_product(a, x[e]), b, y[e]);
        squares = add_product(squares, static_cast<double>(value), static_cast<double>(value));
        if (out != nullptr) out[e] = value;
    });
    if (sums != nullptr) part.store(squares, columns, sums);
}

/// blockIdx.y is the index of the pair.
template <class Real>
__global__ void dots_kernel(const std::uint64_t* begin, std::uint64_t columns, const DotPair<Real>* pairs,
                            double* sums) {
    const ColumnLane part(begin, columns);
    const DotPair<Real> pair = pairs[blockIdx.y];
    double sum = 0;
    part.for_elements([&](std::uint64_t e) {
        const double of_y = pair.y == nullptr ? 1 : static_cast<double>(pair.y[e]);
        sum = add_product(sum, static_cast<double>(pair.x[e]), of_y);
    });
    part.store(sum, columns, sums + blockIdx.y * columns);
}

template <class Real>
__global__ void subtract_kernel(std::uint64_t size, const Real* const* basis, const double* c, std::uint64_t count,
                                Real* x) {
    const std::uint64_t e = global_thread();
    if (e >= size) return;
    Real value = x[e];
    for (std::uint64_t i = 0; i < count; ++i) value = add_product(value, -static_cast<Real>(c[i]), basis[i][e]);
    x[e] = value;
}

/// A thread copies element e of all vectors to its column of the scratch memory, [vector][thread].
template <class Real>
__global__ void rotate_kernel(std::uint64_t size, Real* const* basis, std::uint64_t count, const double* c,
                              std::uint64_t kept, std::uint64_t together, Real* scratch) {
    const std::uint64_t thread = global_thread();
    if (thread >= together) return;
    for (std::uint64_t e = thread; e < size; e += together) {
        for (std::uint64_t i = 0; i < count; ++i) scratch[i * together + thread] = basis[i][e];
        for (std::uint64_t j = 0; j < kept; ++j) {
            double sum = 0;
            for (std::uint64_t i = 0; i < count; ++i)
                sum = add_product(sum, c[j * count + i], static_cast<double>(scratch[i * together + thread]));
            basis[j][e] = static_cast<Real>(sum);
        }
    }
}

/// Maximum as an addend of sum_over_block().
struct Largest {
    double value = 0;
    __device__ Largest& operator+=(const Largest& other) {
        value = value < other.value ? other.value : value;
        return *this;
    }
};

/// Sums over columns take one block of threads each, of a single warp where there are few columns.
constexpr unsigned few_columns = 64, few_threads = 32, many_threads = 512;

template <unsigned Threads>
__global__ void __launch_bounds__(Threads)
    largest_kernel(const double* values, std::uint64_t columns, double* largest) {
    Largest own;
    for (std::uint64_t column = threadIdx.x; column < columns; column += Threads) {
        const double value = values[blockIdx.x * columns + column], magnitude = value < 0 ? -value : value;
        if (magnitude - magnitude == 0) own += Largest{magnitude};  // finite
    }
    sum_over_block<Threads>(own, reinterpret_cast<Largest*>(largest) + blockIdx.x);
}

template <unsigned Threads>
__global__ void __launch_bounds__(Threads)
    exact_sums_kernel(const double* values, std::uint64_t columns, double factor, FixedPointSum* sums) {
    FixedPointSum own;
    for (std::uint64_t column = threadIdx.x; column < columns; column += Threads)
        own.add(factor * values[blockIdx.x * columns + column]);
    sum_over_block<Threads>(own, sums + blockIdx.x);
}

/// Grid of blocks of threads for all columns (x) and for `count` sums over each (y).
dim3 column_blocks(std::uint64_t columns, std::uint64_t count = 1) {
    return dim3(gpu_blocks(columns, columns_per_block).x, static_cast<unsigned>(count));
}

}  // namespace

template <class Real>
void advance(const Queue<Cuda>& queue, std::uint64_t size, Real scale, Real part, Real beta, Real* v, Real* w) {
    gpu_launch(queue, {"advance", gpu_blocks(size, threads), dim3(threads)}, advance_kernel<Real>, size, scale, part,
               beta, v, w);
}

template <class Real>
void draw(const Queue<Cuda>& queue, std::uint64_t seed, std::uint64_t stream, std::uint64_t first, std::uint64_t size,
          Real* x) {
    gpu_launch(queue, {"draw", gpu_blocks(size, threads), dim3(threads)}, draw_kernel<Real>, seed, stream, first, size,
               x);
}

template <class Real>
void combine(const Queue<Cuda>& queue, const std::uint64_t* begin, std::uint64_t columns, Real a, const Real* x, Real b,
             const Real* y, Real* out, double* sums) {
    gpu_launch(queue, {"combine", column_blocks(columns), dim3(threads)}, combine_kernel<Real>, begin, columns, a, x, b,
               y, out, sums);
}

template <class Real>
void dots(const Queue<Cuda>& queue, const std::uint64_t* begin, std::uint64_t columns, const DotPair<Real>* pairs,
          std::uint64_t count, double* sums) {
    gpu_launch(queue, {"dots", column_blocks(columns, count), dim3(threads)}, dots_kernel<Real>, begin, columns, pairs,
               sums);
}

template <class Real>
void subtract(const Queue<Cuda>& queue, std::uint64_t size, const Real* const* basis, const double* c,
              std::uint64_t count, Real* x) {
    gpu_launch(queue, {"subtract", gpu_blocks(size, threads), dim3(threads)}, subtract_kernel<Real>, size, basis, c,
               count, x);
}

template <class Real>
void rotate(const Queue<Cuda>& queue, std::uint64_t size, Real* const* basis, std::uint64_t count, const double* c,
            std::uint64_t kept, Real* scratch) {
    const std::uint64_t together = size < rotated_together ? size : rotated_together;
    gpu_launch(queue, {"rotate", gpu_blocks(together, threads), dim3(threads)}, rotate_kernel<Real>, size, basis, count,
               c, kept, together, scratch);
}

}  // namespace strata::kronecker::cuda

namespace strata::kronecker {

void device_largest(const Queue<Cuda>& queue, const double* values, std::uint64_t columns, std::uint64_t width,
                    double* largest) {
    const bool few = columns <= cuda::few_columns;
    gpu_launch(queue,
               {"largest", dim3(static_cast<unsigned>(width)), dim3(few ? cuda::few_threads : cuda::many_threads)},
               few ? cuda::largest_kernel<cuda::few_threads> : cuda::largest_kernel<cuda::many_threads>, values,
               columns, largest);
}

void device_exact_sums(const Queue<Cuda>& queue, const double* values, std::uint64_t columns, std::uint64_t width,
                       double factor, FixedPointSum* sums) {
    const bool few = columns <= cuda::few_columns;
    gpu_launch(queue,
               {"exact_sums", dim3(static_cast<unsigned>(width)), dim3(few ? cuda::few_threads : cuda::many_threads)},
               few ? cuda::exact_sums_kernel<cuda::few_threads> : cuda::exact_sums_kernel<cuda::many_threads>, values,
               columns, factor, sums);
}

template <class Real>
const DeviceKernels<Real>& device_kernels() {
    static const DeviceKernels<Real> table = {cuda::multiply<Real>, cuda::advance<Real>, cuda::draw<Real>,
                                              cuda::combine<Real>,  cuda::dots<Real>,    cuda::subtract<Real>,
                                              cuda::rotate<Real>};
    return table;
}
template const DeviceKernels<double>& device_kernels<double>();
template const DeviceKernels<float>& device_kernels<float>();

}  // namespace strata::kronecker
