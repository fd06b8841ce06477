// SPDX-License-Identifier: BSD-3-Clause
// Linear algebra of vectors on a device. A segment is added up by eight threads of a warp, one for each accumulator, or
// by four threads for complex numbers, each with the accumulators of a pair (re, im).
#include "kernels/device_block.hpp"
#include "kernels/vectors/exact_sums.hpp"
#include "kernels/vectors/vector_kernels.hpp"

namespace strata::vectors {
namespace cuda {
namespace {

constexpr unsigned threads = 256;

__device__ std::uint64_t global_thread() { return std::uint64_t{blockIdx.x} * blockDim.x + threadIdx.x; }

/// A number of a vector: a real, or a pair (re, im).
template <class Real, Arithmetic A>
struct Number {
    static constexpr unsigned reals = A == Arithmetic::complex ? 2 : 1;
    Real part[reals];

    __device__ static Number at(const Real* x) {
        Number n;
        for (unsigned r = 0; r < reals; ++r) n.part[r] = x[r];
        return n;
    }
    __device__ void store(Real* x) const {
        for (unsigned r = 0; r < reals; ++r) x[r] = part[r];
    }
    /// i times the number.
    __device__ Number times_i() const {
        Number n = *this;
        if constexpr (reals == 2) {
            n.part[0] = -part[1];
            n.part[1] = part[0];
        }
        return n;
    }
};

/// sum + z x, with the product by i added last; the order of the host.
template <class Real, Arithmetic A, class Z>
__device__ Number<Real, A> add_times(Number<Real, A> sum, Z re, Z im, const Number<Real, A>& x) {
    for (unsigned r = 0; r < sum.reals; ++r) sum.part[r] = add_product(sum.part[r], static_cast<Real>(re), x.part[r]);
    if (A == Arithmetic::complex && im != Z(0)) {
        const Number<Real, A> i_times_x = x.times_i();
        for (unsigned r = 0; r < sum.reals; ++r)
            sum.part[r] = add_product(sum.part[r], static_cast<Real>(im), i_times_x.part[r]);
    }
    return sum;
}
template <class Real, Arithmetic A>
__device__ Number<Real, A> times(Factor z, const Number<Real, A>& x) {
    Number<Real, A> product;
    for (unsigned r = 0; r < product.reals; ++r) product.part[r] = rounded_product(static_cast<Real>(z.re), x.part[r]);
    if (A == Arithmetic::complex && z.im != 0) {
        const Number<Real, A> i_times_x = x.times_i();
        for (unsigned r = 0; r < product.reals; ++r)
            product.part[r] = add_product(product.part[r], static_cast<Real>(z.im), i_times_x.part[r]);
    }
    return product;
}

/// Segment of this thread, with the reals that belong to its accumulators.
template <class Real, Arithmetic A>
struct SegmentLane {
    static constexpr unsigned reals = Number<Real, A>::reals, lanes = accumulators / reals;
    static constexpr unsigned segments_per_block = threads / lanes;
    std::uint64_t segment, first = 0, last = 0;
    unsigned lane;

    __device__ explicit SegmentLane(const Segments& segments)
        : segment(global_thread() / lanes), lane(threadIdx.x % lanes) {
        if (segment < segments.count) {
            first = segments.begin(segment) + lane * reals;
            last = segments.begin(segment + 1);
        }
    }
    /// Calls visit(real) for the first real of each number of this thread.
    template <class Visit>
    __device__ void for_numbers(Visit visit) const {
        for (std::uint64_t at = first; at < last; at += accumulators) visit(at);
    }
    /// Writes the sum of the accumulators to sums[segment * stride]. All threads of the warp must call.
    __device__ void store(const double* sum, const Segments& segments, double* sums, std::uint64_t stride) const {
        double total[reals];
        for (unsigned r = 0; r < reals; ++r) {
            total[r] = sum[r];
            for (unsigned distance = lanes / 2; distance != 0; distance /= 2)
                total[r] += __shfl_down_sync(full_warp, total[r], distance, static_cast<int>(lanes));
        }
        if (reals == 2) total[0] += total[reals - 1];
        if (lane == 0 && segment < segments.count) sums[segment * stride] = total[0];
    }
};

template <class Real>
__global__ void advance_kernel(std::uint64_t size, Real scale, Real part, Real beta, Real* v, Real* w) {
    const std::uint64_t e = global_thread();
    if (e >= size) return;
    w[e] = add_product(rounded_product(scale, w[e]), part, v[e]);
    v[e] = beta * v[e];
}

template <class Real, Arithmetic A>
__global__ void axpby_kernel(Segments segments, Factor a, const Real* x, Factor b, const Real* y, Real* out,
                             double* sums, std::uint64_t stride) {
    const SegmentLane<Real, A> part(segments);
    double squares[part.reals] = {};
    part.for_numbers([&](std::uint64_t at) {
        Number<Real, A> value = times(a, Number<Real, A>::at(x + at));
        const Number<Real, A> other = times(b, Number<Real, A>::at(y + at));
        for (unsigned r = 0; r < part.reals; ++r) {
            value.part[r] += other.part[r];
            const auto wide = static_cast<double>(value.part[r]);
            squares[r] = add_product(squares[r], wide, wide);
        }
        if (out != nullptr) value.store(out + at);
    });
    if (sums != nullptr) part.store(squares, segments, sums, stride);
}

/// blockIdx.y is the index of the pair.
template <class Real, Arithmetic A>
__global__ void dots_kernel(Segments segments, const Pair<Real>* pairs, double* sums, std::uint64_t stride) {
    const SegmentLane<Real, A> part(segments);
    const Pair<Real> pair = pairs[blockIdx.y];
    double re[part.reals] = {}, im[part.reals] = {};
    part.for_numbers([&](std::uint64_t at) {
        const Number<Real, A> x = Number<Real, A>::at(pair.x + at), i_times_x = x.times_i();
        for (unsigned r = 0; r < part.reals; ++r) {
            const double y = pair.y == nullptr ? 1 : static_cast<double>(pair.y[at + r]);
            re[r] = add_product(re[r], static_cast<double>(x.part[r]), y);
            if (A == Arithmetic::complex) im[r] = add_product(im[r], static_cast<double>(i_times_x.part[r]), y);
        }
    });
    part.store(re, segments, sums + blockIdx.y * part.reals, stride);
    if (A == Arithmetic::complex) part.store(im, segments, sums + blockIdx.y * part.reals + 1, stride);
}

template <class Real, Arithmetic A>
__global__ void subtract_kernel(std::uint64_t reals, Subtraction<Real> s) {
    const std::uint64_t at = global_thread() * Number<Real, A>::reals;
    if (at >= reals) return;
    Number<Real, A> value = Number<Real, A>::at(s.x + at);
    for (std::uint64_t i = 0; i < s.count; ++i)
        value = add_times(value, -s.factors[2 * i], -s.factors[2 * i + 1], Number<Real, A>::at(s.basis[i] + at));
    value.store(s.x + at);
}

/// A thread copies one number of all vectors to its place in the scratch memory, [vector][thread].
template <class Real, Arithmetic A>
__global__ void rotate_kernel(std::uint64_t reals, Real* const* v, std::uint64_t count, const double* c,
                              std::uint64_t kept, std::uint64_t together, double* scratch) {
    using Wide = Number<double, A>;
    const std::uint64_t thread = global_thread() * Wide::reals;
    if (thread >= together) return;
    for (std::uint64_t at = thread; at < reals; at += together) {
        for (std::uint64_t i = 0; i < count; ++i)
            for (unsigned r = 0; r < Wide::reals; ++r)
                scratch[i * together + thread + r] = static_cast<double>(v[i][at + r]);
        for (std::uint64_t j = 0; j < kept; ++j) {
            Wide sum = {};
            for (std::uint64_t i = 0; i < count; ++i) {
                const double* z = c + 2 * (j * count + i);
                sum = add_times(sum, z[0], z[1], Wide::at(scratch + i * together + thread));
            }
            for (unsigned r = 0; r < Wide::reals; ++r) v[j][at + r] = static_cast<Real>(sum.part[r]);
        }
    }
}

/// Sums over segments take one block of threads each, of a single warp where there are few segments.
constexpr unsigned few_segments = 64, few_threads = 32, many_threads = 512;

template <unsigned Threads>
__global__ void __launch_bounds__(Threads)
    exact_sums_kernel(const double* values, std::uint64_t segments, std::uint64_t width, ExactSum* sums) {
    ExactSum own;
    for (std::uint64_t segment = threadIdx.x; segment < segments; segment += Threads)
        own.add(values[segment * width + blockIdx.x]);
    sum_over_block<Threads>(own, sums + blockIdx.x);
}

/// Grid of blocks of threads for all segments (x) and for `count` sums over each (y).
template <class Real, Arithmetic A>
dim3 segment_blocks(const Segments& segments, std::uint64_t count = 1) {
    return dim3(gpu_blocks(segments.count, SegmentLane<Real, A>::segments_per_block).x, static_cast<unsigned>(count));
}

using On = const Workers<Cuda>&;

template <class Real>
void clear(On workers, const Segments& segments, Real* x) {
    fill_bytes(*workers.queue, View<Real, Cuda>(x, segments.reals), 0);
}

template <class Real>
void advance(On workers, const Segments& segments, Real scale, Real part, Real beta, Real* v, Real* w) {
    gpu_launch(*workers.queue, {"advance", gpu_blocks(segments.reals, threads), dim3(threads)}, advance_kernel<Real>,
               segments.reals, scale, part, beta, v, w);
}

template <class Real, Arithmetic A>
void axpby(On workers, const Segments& segments, Factor a, const Real* x, Factor b, const Real* y, Real* out,
           double* sums, std::uint64_t stride) {
    gpu_launch(*workers.queue, {"axpby", segment_blocks<Real, A>(segments), dim3(threads)}, axpby_kernel<Real, A>,
               segments, a, x, b, y, out, sums, stride);
}

template <class Real, Arithmetic A>
void subtract(On workers, const Segments& segments, const Subtraction<Real>& s) {
    if (s.count == 0) return;
    gpu_launch(*workers.queue,
               {"subtract", gpu_blocks(segments.reals, threads * Number<Real, A>::reals), dim3(threads)},
               subtract_kernel<Real, A>, segments.reals, s);
}

template <class Real, Arithmetic A>
void dots(On workers, const Segments& segments, const Subtraction<Real>& subtraction, const Pair<Real>* pairs,
          std::uint64_t count, double* sums, std::uint64_t stride) {
    subtract<Real, A>(workers, segments, subtraction);
    if (count == 0) return;
    gpu_launch(*workers.queue, {"dots", segment_blocks<Real, A>(segments, count), dim3(threads)}, dots_kernel<Real, A>,
               segments, pairs, sums, stride);
}

template <class Real, Arithmetic A>
void rotate(On workers, const Segments& segments, Real* const* v, std::uint64_t count, const double* c,
            std::uint64_t kept, double* scratch) {
    const std::uint64_t together = segments.reals < rotated_by_device ? segments.reals : rotated_by_device;
    gpu_launch(*workers.queue, {"rotate", gpu_blocks(together, threads * Number<Real, A>::reals), dim3(threads)},
               rotate_kernel<Real, A>, segments.reals, v, count, c, kept, together, scratch);
}

}  // namespace
}  // namespace cuda

void exact_sums(const Workers<Cuda>& workers, const double* values, std::uint64_t segments, std::uint64_t width,
                ExactSum* sums) {
    const bool few = segments <= cuda::few_segments;
    gpu_launch(*workers.queue,
               {"exact_sums", dim3(static_cast<unsigned>(width)), dim3(few ? cuda::few_threads : cuda::many_threads)},
               few ? cuda::exact_sums_kernel<cuda::few_threads> : cuda::exact_sums_kernel<cuda::many_threads>, values,
               segments, width, sums);
}

namespace {

template <class Real, Arithmetic A>
const VectorKernels<Cuda, Real>& table() {
    static const VectorKernels<Cuda, Real> kernels = {
        .name = "cuda",
        .clear = cuda::clear<Real>,
        .advance = cuda::advance<Real>,
        .axpby = cuda::axpby<Real, A>,
        .dots = cuda::dots<Real, A>,
        .subtract = cuda::subtract<Real, A>,
        .rotate = cuda::rotate<Real, A>,
    };
    return kernels;
}

}  // namespace

template <class Real>
const VectorKernels<Cuda, Real>& device_vector_kernels(Arithmetic arithmetic) {
    return arithmetic == Arithmetic::real ? table<Real, Arithmetic::real>() : table<Real, Arithmetic::complex>();
}
template const VectorKernels<Cuda, double>& device_vector_kernels<double>(Arithmetic);
template const VectorKernels<Cuda, float>& device_vector_kernels<float>(Arithmetic);

}  // namespace strata::vectors
