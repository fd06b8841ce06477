// SPDX-License-Identifier: BSD-3-Clause
// Sums of two states on a device, one block of threads for every row. One thread for each bit computes the field that
// the row's number causes on it; the energies of these fields are in two tables, each of half the row's bits, in shared
// memory. Products with H take one block of threads for every tile: its entries are in shared memory, and its
// amplitudes in registers, while the groups follow one another.
#include <cmath>

#include "kernels/device_block.hpp"
#include "kernels/trotter/device_energies.hpp"

namespace strata::trotter::cuda {
namespace {

constexpr unsigned sum_threads = 256, max_row_bits = 14;

__device__ double spin_of(std::uint64_t row, int bit) { return 0.5 - static_cast<double>(row >> bit & 1); }

/// Energy of the bits of the row's number, and the field that they cause on bit `j` of a row.
__device__ double energy_of_row(const EnergyView& e, std::uint64_t row) {
    double energy = 0;
    for (int k = e.row_bits; k < e.spins; ++k) {
        double field = e.angles[k * e.spins + k];
        for (int j = e.row_bits; j < k; ++j) field += e.angles[j * e.spins + k] * spin_of(row, j - e.row_bits);
        energy += field * spin_of(row, k - e.row_bits);
    }
    return energy;
}
__device__ double field_of_row(const EnergyView& e, std::uint64_t row, int j) {
    double field = 0;
    for (int k = e.row_bits; k < e.spins; ++k) field += e.angles[j * e.spins + k] * spin_of(row, k - e.row_bits);
    return field;
}

template <class Real>
__device__ Amplitude<Real> plus(Amplitude<Real> a, Amplitude<Real> b, Real c) {
    return {a.re + c * b.re, a.im + c * b.im};
}

template <class Real>
__global__ void __launch_bounds__(sum_threads) energies_kernel(EnergyView e, std::uint64_t first_row, EnergySum sum,
                                                               const Amplitude<Real>* from, Amplitude<Real>* to) {
    GPU_SHARED(double, field, max_row_bits + 1);
    GPU_SHARED(double, tables, 2u << (max_row_bits / 2));
    const std::uint64_t row = first_row + blockIdx.x, start = std::uint64_t{blockIdx.x} << e.row_bits;
    const auto bits = static_cast<unsigned>(e.row_bits), lower = (bits + 1) / 2;
    for (unsigned j = threadIdx.x; j <= bits; j += sum_threads)
        field[j] = j < bits ? field_of_row(e, row, static_cast<int>(j)) : energy_of_row(e, row);
    __syncthreads();
    const unsigned counts[2] = {1u << lower, 1u << (bits - lower)};
    for (unsigned i = threadIdx.x; i < counts[0] + counts[1]; i += sum_threads) {
        const unsigned half = i < counts[0] ? 0 : 1, x = i - half * counts[0], first = half * lower;
        double energy = 0;
        if (half == 0) energy = field[bits];
        for (unsigned j = 0; 1u << j < counts[half]; ++j) energy += ((x >> j & 1) == 0 ? 0.5 : -0.5) * field[first + j];
        tables[i] = energy;
    }
    __syncthreads();
    for (unsigned x = threadIdx.x; x < 1u << bits; x += sum_threads) {
        const double energy = e.low[x] + (tables[x & (counts[0] - 1)] + tables[counts[0] + (x >> lower)]);
        const auto factor = static_cast<Real>(sum.a * energy + sum.b);
        const Amplitude<Real> f = from[start + x], part = {factor * f.re, factor * f.im};
        to[start + x] = sum.c == 0 ? part : plus(part, to[start + x], static_cast<Real>(sum.c));
    }
}

template <class Real>
__global__ void __launch_bounds__(sum_threads) combine_kernel(std::uint64_t amplitudes, Amplitude<Real> z, Real c,
                                                              const Amplitude<Real>* from, Amplitude<Real>* to) {
    const std::uint64_t i = std::uint64_t{blockIdx.x} * sum_threads + threadIdx.x;
    if (i >= amplitudes) return;
    const Amplitude<Real> f = from[i], part = {z.re * f.re - z.im * f.im, z.re * f.im + z.im * f.re};
    to[i] = c == 0 ? part : plus(part, to[i], c);
}

constexpr unsigned tile_parts = (1u << max_flip_tile_bits) / sum_threads;

/// The entries of a group in the tile that begins with state s.
template <class Shared>
__device__ void make_entries(const FlipProductsView& v, const EntryGroup& group, std::uint64_t s, Shared& re,
                             Shared& im) {
    const unsigned count = 1u << group.entry_bits;
    __syncthreads();
    for (unsigned e = threadIdx.x; e < count; e += sum_threads) {
        const ComplexNumber sum = entry_sum(v, group, e, s);
        re[e] = sum.re;
        im[e] = sum.im;
    }
    for (int bit = group.entry_bits - 1; bit >= 0; --bit) {
        if (group.of_bit[bit] != BitSum::both) continue;
        __syncthreads();
        for (unsigned i = threadIdx.x; i < count / 2; i += sum_threads) {
            const unsigned low = (i >> bit << (bit + 1)) | (i & ((1u << bit) - 1)), high = low | 1u << bit;
            const double a = re[low], b = re[high], c = im[low], d = im[high];
            re[low] = a + b;
            re[high] = a - b;
            im[low] = c + d;
            im[high] = c - d;
        }
    }
    __syncthreads();
}

template <class Real>
__global__ void __launch_bounds__(sum_threads, 4)
    products_kernel(FlipProductsView v, Range groups, std::uint64_t first, std::uint64_t amplitudes, double a,
                    const Amplitude<Real>* from, Amplitude<Real>* to) {
    GPU_SHARED(double, re, 1u << max_flip_tile_bits);
    GPU_SHARED(double, im, 1u << max_flip_tile_bits);
    const std::uint64_t start = std::uint64_t{blockIdx.x} << v.tile_bits;
    const unsigned size = 1u << v.tile_bits, lane = (1u << v.lane_bits) - 1;
    Amplitude<Real> own[tile_parts];
    for (unsigned p = 0; p < tile_parts; ++p)
        if (const unsigned x = p * sum_threads + threadIdx.x; x < size) own[p] = to[start + x];
    for (std::uint64_t g = groups.first; g < groups.last; ++g) {
        const EntryGroup& group = v.groups[g];
        make_entries(v, group, first + start, re, im);
        for (unsigned p = 0; p < tile_parts; ++p) {
            const unsigned x = p * sum_threads + threadIdx.x;
            if (x >= size) continue;
            const std::uint64_t block = v.entry_blocks[group.first_block + (x >> v.lane_bits)];
            const auto entry = static_cast<unsigned>(block << v.lane_bits) | (x & lane);
            const Real dr = static_cast<Real>(a * re[entry]), di = static_cast<Real>(a * im[entry]);
            const Amplitude<Real> f = from[(start + x) ^ (group.flip & (amplitudes - 1))];
            own[p].re = std::fma(dr, f.re, std::fma(-di, f.im, own[p].re));
            own[p].im = std::fma(dr, f.im, std::fma(di, f.re, own[p].im));
        }
    }
    for (unsigned p = 0; p < tile_parts; ++p)
        if (const unsigned x = p * sum_threads + threadIdx.x; x < size) to[start + x] = own[p];
}

template <class Real>
void add_products(const Queue<Cuda>& queue, const FlipProductsView& products, Range groups, std::uint64_t first,
                  std::uint64_t amplitudes, double a, const Amplitude<Real>* from, Amplitude<Real>* to) {
    gpu_launch(queue,
               {"add_products", dim3(static_cast<unsigned>(amplitudes >> products.tile_bits)), dim3(sum_threads)},
               products_kernel<Real>, products, groups, first, amplitudes, a, from, to);
}

template <class Real>
void add_energies(const Queue<Cuda>& queue, const EnergyView& energies, Range rows, const EnergySum& sum,
                  const Amplitude<Real>* from, Amplitude<Real>* to) {
    gpu_launch(queue, {"add_energies", dim3(static_cast<unsigned>(rows.size())), dim3(sum_threads)},
               energies_kernel<Real>, energies, rows.first, sum, from, to);
}

template <class Real>
void combine(const Queue<Cuda>& queue, std::uint64_t amplitudes, Amplitude<Real> z, Real c, const Amplitude<Real>* from,
             Amplitude<Real>* to) {
    gpu_launch(queue, {"combine", gpu_blocks(amplitudes, sum_threads), dim3(sum_threads)}, combine_kernel<Real>,
               amplitudes, z, c, from, to);
}

}  // namespace
}  // namespace strata::trotter::cuda

namespace strata::trotter {

template <class Real>
const DeviceSumKernels<Real>& device_sum_kernels() {
    static const DeviceSumKernels<Real> table = {.add_energies = cuda::add_energies<Real>,
                                                 .add_products = cuda::add_products<Real>,
                                                 .combine = cuda::combine<Real>};
    return table;
}
template const DeviceSumKernels<double>& device_sum_kernels<double>();
template const DeviceSumKernels<float>& device_sum_kernels<float>();

}  // namespace strata::trotter
