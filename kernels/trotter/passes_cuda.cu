// SPDX-License-Identifier: BSD-3-Clause
// A pass on a device: a block of threads loads a tile into shared memory, transforms it three bits at a time in
// registers, multiplies it by the diagonal and stores it. The phase of an amplitude is a product of three numbers: one
// from the table of the tile's own spins, which all tiles share, and two for the fields that the other spins cause in
// this tile, one for the lower and one for the upper half of the tile's bits.
#include <cmath>

#include "kernels/device_block.hpp"
#include "kernels/trotter/device_pass.hpp"

namespace strata::trotter::cuda {
namespace {

constexpr unsigned tile_threads = 256;
constexpr unsigned max_spins = 64;     ///< largest number of bits of a basis state
constexpr unsigned max_half_bits = 7;  ///< largest number of bits of half a tile
static_assert((max_tile_bits<float> + max_spins) * sizeof(double) + (2u << max_half_bits) * sizeof(Amplitude<double>) <=
              pass_table_bytes);

__host__ __device__ constexpr unsigned below(int bits) { return (1u << bits) - 1; }

template <class Real>
__device__ Amplitude<Real> times(Amplitude<Real> a, Amplitude<Real> b) {
    return {a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re};
}
template <class Real>
__device__ Amplitude<Real> sum(Amplitude<Real> a, Amplitude<Real> b) {
    return {a.re + b.re, a.im + b.im};
}
template <class Real>
__device__ Amplitude<Real> difference(Amplitude<Real> a, Amplitude<Real> b) {
    return {a.re - b.re, a.im - b.im};
}
__device__ double sum(double a, double b) { return a + b; }
__device__ double difference(double a, double b) { return a - b; }

/// (a, b) -> (a + b, a - b) for `Bits` bits of the index from `bit` on. T: type of the elements.
template <class T, int Bits, class Shared>
__device__ void transform_bits(Shared elements, unsigned count, int bit) {
    for (unsigned u = threadIdx.x; u < count >> Bits; u += tile_threads) {
        const unsigned base = (u & below(bit)) | (u >> bit << (bit + Bits));
        T v[1 << Bits];
        for (unsigned i = 0; i < 1u << Bits; ++i) v[i] = elements[shared_place<T>(base + (i << bit))];
        for (int round = 0; round < Bits; ++round)
            for (unsigned pair = 0; pair < 1u << (Bits - 1); ++pair) {
                const unsigned step = 1u << round, i = (pair & (step - 1)) | (pair & ~(step - 1)) << 1;
                const T a = v[i], b = v[i + step];
                v[i] = sum(a, b);
                v[i + step] = difference(a, b);
            }
        for (unsigned i = 0; i < 1u << Bits; ++i) elements[shared_place<T>(base + (i << bit))] = v[i];
    }
    __syncthreads();
}

template <class T, class Shared>
__device__ void transform(Shared elements, unsigned count, int first, int bits) {
    const int last = first + bits;
    for (; first + 3 <= last; first += 3) transform_bits<T, 3>(elements, count, first);
    if (first + 2 == last) transform_bits<T, 2>(elements, count, first);
    if (first + 1 == last) transform_bits<T, 1>(elements, count, first);
}

__device__ double spin(std::uint64_t state, int j) { return (state >> j & 1) == 0 ? 0.5 : -0.5; }

/// Index in memory of the first amplitude of a tile, and of amplitude `i` of a tile relative to it.
template <class Real>
__device__ std::uint64_t first_index(const DevicePass<Real>& pass, std::uint64_t tile) {
    const int middle = pass.first - pass.low;
    const std::uint64_t low = tile & ((std::uint64_t{1} << middle) - 1);
    return low << pass.low | tile >> middle << (pass.first + pass.count);
}

template <class Real>
__device__ std::uint64_t index_in_tile(const DevicePass<Real>& pass, unsigned i) {
    return (i & below(pass.low)) | std::uint64_t{i >> pass.low} << pass.first;
}

/// Multiplies a tile by the diagonal. Spins outside the tile contribute an energy of their own, and fields on the spins
/// inside.
template <class Real, class Shared>
__device__ void multiply(const DevicePass<Real>& pass, std::uint64_t first, Shared tile) {
    GPU_SHARED(double, field, max_tile_bits<Real>);
    GPU_SHARED(double, energy, max_spins);
    GPU_SHARED(Amplitude<Real>, of_half, 2u << max_half_bits);
    const int bits = pass.tile_bits(), half = bits / 2, spins = pass.phases.spins;
    const std::uint64_t index = first & ((std::uint64_t{1} << pass.split) - 1);
    const std::uint64_t state = index | first >> pass.split << (pass.split + pass.shift) | pass.fixed;
    std::uint64_t inside = 0;
    for (int bit = 0; bit < bits; ++bit) inside |= std::uint64_t{1} << pass.spin_of(bit);

    // threads 0..63 compute the energy of one spin outside the tile each, threads 64... the field on one spin inside
    const int thread = static_cast<int>(threadIdx.x), bit = thread - static_cast<int>(max_spins);
    const bool outer = thread < spins && (inside >> thread & 1) == 0, inner = bit >= 0 && bit < bits;
    const int own = outer ? thread : inner ? pass.spin_of(bit) : 0;
    double angle = outer ? pass.phases.angles[own * spins + own] : 0;
    for (int other = 0; other < (outer ? own : inner ? spins : 0); ++other)
        if ((inside >> other & 1) == 0) angle += pass.phases.angles[other * spins + own] * spin(state, other);
    if (inner) field[bit] = angle;
    if (thread < static_cast<int>(max_spins)) energy[thread] = outer ? angle * spin(state, own) : 0.0;
    __syncthreads();

    const unsigned lower = 1u << half, upper = 1u << (bits - half);
    if (threadIdx.x < lower + upper) {
        const bool is_lower = threadIdx.x < lower;
        const unsigned x = is_lower ? threadIdx.x : threadIdx.x - lower;
        const int from = is_lower ? 0 : half, to = is_lower ? half : bits;
        double total = 0;
        for (int j = from; j < to; ++j) total += field[j] * spin(x, j - from);
        for (int j = 0; !is_lower && j < spins; ++j) total += energy[j];
        of_half[threadIdx.x] = Amplitude<Real>{static_cast<Real>(cos(total)), static_cast<Real>(-sin(total))};
    }
    __syncthreads();
    for (unsigned i = threadIdx.x; i < 1u << bits; i += tile_threads) {
        const Amplitude<Real> a = of_half[i & (lower - 1)], b = of_half[lower + (i >> half)],
                              v = tile[shared_place<Amplitude<Real>>(i)];
        tile[shared_place<Amplitude<Real>>(i)] = times(v, times(pass.phases.tile[i], times(a, b)));
    }
    __syncthreads();
}

/// One block of threads per tile.
template <class Real>
__global__ void __launch_bounds__(tile_threads) pass_kernel(DevicePass<Real> pass) {
    auto tile = gpu_dynamic_shared<Amplitude<Real>>();
    const unsigned count = 1u << pass.tile_bits();
    const std::uint64_t first = first_index(pass, blockIdx.x);
    Amplitude<Real>* amplitudes = pass.amplitudes + first;
    for (unsigned i = threadIdx.x; i < count; i += tile_threads)
        tile[shared_place<Amplitude<Real>>(i)] = amplitudes[index_in_tile(pass, i)];
    __syncthreads();
    if (pass.before) transform<Amplitude<Real>>(tile, count, pass.low, pass.count);
    if (pass.phases.tile != nullptr) multiply(pass, first, tile);
    if (pass.after) transform<Amplitude<Real>>(tile, count, pass.low, pass.count);
    for (unsigned i = threadIdx.x; i < count; i += tile_threads)
        amplitudes[index_in_tile(pass, i)] = tile[shared_place<Amplitude<Real>>(i)];
}

/// One block of threads per row. The Walsh transform of the probabilities contains the sums over all products of signs;
/// sums over products of at most two signs are written.
template <class Real>
__global__ void __launch_bounds__(tile_threads)
    row_sums_kernel(int bits, const Amplitude<Real>* state, double* out, std::uint64_t width) {
    constexpr unsigned warps = tile_threads / 32, most = max_sum_bits + 2;
    GPU_SHARED(double, of_warp, warps* most);
    auto p = gpu_dynamic_shared<double>();
    const unsigned count = 1u << bits;
    const Amplitude<Real>* row = state + (std::uint64_t{blockIdx.x} << bits);
    double squares = 0;
    for (unsigned x = threadIdx.x; x < count; x += tile_threads) {
        const auto re = static_cast<double>(row[x].re), im = static_cast<double>(row[x].im);
        const double probability = re * re + im * im;
        p[shared_place<double>(x)] = probability;
        squares += probability * probability;
    }
    __syncthreads();
    // sums of the probabilities by the number of bits set, and last the sum of their squares
    for (int n = 0; n <= bits + 1; ++n) {
        double own = n > bits ? squares : 0;
        for (unsigned x = threadIdx.x; x < count; x += tile_threads)
            if (__popc(x) == n) own += p[shared_place<double>(x)];
        own = warp_sum(own);
        if (threadIdx.x % 32 == 0) of_warp[static_cast<unsigned>(n) * warps + threadIdx.x / 32] = own;
    }
    __syncthreads();
    double* sums = out + blockIdx.x * width;
    const unsigned n = static_cast<unsigned>(bits), signs = 1 + n + n * (n - 1) / 2;
    if (threadIdx.x < n + 2) {
        double total = 0;
        for (unsigned w = 0; w < warps; ++w) total += of_warp[threadIdx.x * warps + w];
        sums[signs + threadIdx.x] = total;
    }
    transform<double>(p, count, 0, bits);
    for (unsigned j = threadIdx.x; j < n; j += tile_threads) sums[1 + j] = p[shared_place<double>(1u << j)];
    for (unsigned jk = threadIdx.x; jk < n * n; jk += tile_threads) {
        const unsigned j = jk % n, k = jk / n;
        if (j < k) sums[1 + n + k * (k - 1) / 2 + j] = p[shared_place<double>(1u << j | 1u << k)];  // pair_index(j, k)
    }
    if (threadIdx.x == 0) sums[0] = p[0];
}

template <class Real>
__global__ void __launch_bounds__(tile_threads)
    scale_kernel(Amplitude<Real>* state, std::uint64_t amplitudes, Real factor) {
    const std::uint64_t i = std::uint64_t{blockIdx.x} * tile_threads + threadIdx.x;
    if (i >= amplitudes) return;
    const Amplitude<Real> v = state[i];
    state[i] = Amplitude<Real>{factor * v.re, factor * v.im};
}

/// Copies columns of rows between a state and packed memory, one thread per amplitude.
template <bool to_part, class State, class Part>
__global__ void __launch_bounds__(tile_threads)
    copy_kernel(int row_bits, State state, std::uint64_t rows, std::uint64_t first, std::uint64_t columns, Part part) {
    const std::uint64_t i = std::uint64_t{blockIdx.x} * tile_threads + threadIdx.x;
    if (i >= rows * columns) return;
    const std::uint64_t in_state = (i / columns << row_bits) + first + i % columns;
    if constexpr (to_part)
        part[i] = state[in_state];
    else
        state[in_state] = part[i];
}

template <class Real>
void pass(const Queue<Cuda>& queue, const DevicePass<Real>& pass) {
    const std::size_t shared = shared_place<Amplitude<Real>>(1u << pass.tile_bits()) * sizeof(Amplitude<Real>);
    const auto tiles = static_cast<unsigned>(std::uint64_t{1} << (pass.bits - pass.tile_bits()));
    gpu_launch(queue, {"pass", dim3(tiles), dim3(tile_threads), shared}, pass_kernel<Real>, pass);
}

template <class Real>
void row_sums(const Queue<Cuda>& queue, int row_bits, const Amplitude<Real>* state, std::uint64_t rows, double* out) {
    const std::size_t shared = shared_place<double>(1u << row_bits) * sizeof(double);
    gpu_launch(queue, {"row_sums", dim3(static_cast<unsigned>(rows)), dim3(tile_threads), shared},
               row_sums_kernel<Real>, row_bits, state, out, RowSums::width(row_bits));
}

template <class Real>
void scale(const Queue<Cuda>& queue, Amplitude<Real>* state, std::uint64_t amplitudes, double factor) {
    gpu_launch(queue, {"scale", gpu_blocks(amplitudes, tile_threads), dim3(tile_threads)}, scale_kernel<Real>, state,
               amplitudes, static_cast<Real>(factor));
}

template <class Real>
void pack(const Queue<Cuda>& queue, int row_bits, const Amplitude<Real>* state, std::uint64_t rows, Range columns,
          Amplitude<Real>* part) {
    gpu_launch(queue, {"pack", gpu_blocks(rows * columns.size(), tile_threads), dim3(tile_threads)},
               copy_kernel<true, const Amplitude<Real>*, Amplitude<Real>*>, row_bits, state, rows, columns.first,
               columns.size(), part);
}

template <class Real>
void unpack(const Queue<Cuda>& queue, int row_bits, Amplitude<Real>* state, std::uint64_t rows, Range columns,
            const Amplitude<Real>* part) {
    gpu_launch(queue, {"unpack", gpu_blocks(rows * columns.size(), tile_threads), dim3(tile_threads)},
               copy_kernel<false, Amplitude<Real>*, const Amplitude<Real>*>, row_bits, state, rows, columns.first,
               columns.size(), part);
}

}  // namespace
}  // namespace strata::trotter::cuda

namespace strata::trotter {

template <class Real>
const DevicePassKernels<Real>& device_pass_kernels() {
    static const DevicePassKernels<Real> table = {
        .pass = cuda::pass<Real>,
        .row_sums = cuda::row_sums<Real>,
        .scale = cuda::scale<Real>,
        .pack = cuda::pack<Real>,
        .unpack = cuda::unpack<Real>,
    };
    return table;
}
template const DevicePassKernels<double>& device_pass_kernels<double>();
template const DevicePassKernels<float>& device_pass_kernels<float>();

}  // namespace strata::trotter
