// SPDX-License-Identifier: BSD-3-Clause
// Sums of two states on a device, one block of threads for every row. One thread for each bit computes the field that
// the row's number causes on it; the energies of these fields are in two tables, each of half the row's bits, in shared
// memory.
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
                                                 .combine = cuda::combine<Real>};
    return table;
}
template const DeviceSumKernels<double>& device_sum_kernels<double>();
template const DeviceSumKernels<float>& device_sum_kernels<float>();

}  // namespace strata::trotter
