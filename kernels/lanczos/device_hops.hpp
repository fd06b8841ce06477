// SPDX-License-Identifier: BSD-3-Clause
// Functions that device kernels share to apply hopping matrices: sums over the entries of one row by one thread, and
// the interaction energies of a block of rows, tabulated in shared memory. Each kernel defines the position of the
// numbers of an entry: source(column, class of the amplitude) points to the first of them.
#pragma once

#include "kernels/lanczos/step_kernels.hpp"
#include "strata/gpu.hpp"

namespace strata::lanczos::cuda {

constexpr unsigned rows = block_rows;
constexpr unsigned max_sites = 64;

/// Sum of amplitude * number over the entries of a row. `odd`: source() points to the imaginary part of a complex
/// element, whose real part precedes it; otherwise to the real part, which the imaginary part follows.
template <class Real, class Source>
__device__ Real hop_sum(const HoppingView& hops, std::uint64_t row, bool odd, Source source) {
    const std::uint32_t classes = hops.class_mask();
    const std::uint64_t complex = hops.complex[row], end = hops.first[row + 1];
    Real sum = 0;
    for (std::uint64_t e = hops.first[row]; e < end; ++e) {
        const std::uint32_t entry = hops.entries[e], c = entry & classes;
        const Real* from = source(std::uint64_t{entry >> hops.bits}, c);
        sum += static_cast<Real>(hops.re[c]) * *from;
        if (e < complex) continue;
        const Real imaginary = static_cast<Real>(hops.im[c]) * (odd ? from[-1] : from[1]);
        sum += odd ? imaginary : -imaginary;
    }
    return sum;
}

/// Computes sum[re or im] likewise for whole elements of transposed rows, whose real and imaginary parts lie `rows`
/// apart.
template <int Reals, class Real, class Source>
__device__ void sum_columns(const HoppingView& hops, std::uint64_t row, Source source, Real (&sum)[Reals]) {
    const std::uint32_t classes = hops.class_mask();
    const std::uint64_t complex = hops.complex[row], end = hops.first[row + 1];
    Real imaginary[Reals] = {};
    for (int k = 0; k < Reals; ++k) sum[k] = 0;
    for (std::uint64_t e = hops.first[row]; e < end; ++e) {
        const std::uint32_t entry = hops.entries[e], c = entry & classes;
        const Real* from = source(std::uint64_t{entry >> hops.bits}, c);
        const auto re = static_cast<Real>(hops.re[c]);
        for (int k = 0; k < Reals; ++k) sum[k] += re * from[k * rows];
        if (Reals == 1 || e < complex) continue;
        const auto im = static_cast<Real>(hops.im[c]);
        for (int k = 0; k < Reals; ++k) imaginary[k] += im * from[k * rows];
    }
    if (Reals == 1) return;
    sum[0] -= imaginary[Reals - 1];
    sum[Reals - 1] += imaginary[0];
}

/// Computes energy[site][row], the interaction energy of a down particle on `site` with the up particles of a row, with
/// all threads of the block.
template <class Shared>
__device__ void tabulate_coupling(const HamiltonianView& h, std::uint64_t block, Shared& energy) {
    const CouplingView& c = h.coupling;
    if (c.energy == nullptr) return;
    for (unsigned i = threadIdx.x; i < static_cast<unsigned>(c.down_sites) * rows; i += blockDim.x) {
        const std::uint64_t up = block * rows + i % rows;
        double sum = 0;
        if (up < h.up.dim)
            for (std::uint64_t left = h.up.sites[up]; left != 0; left &= left - 1)
                sum +=
                    c.energy[(__ffsll(static_cast<long long>(left)) - 1) * c.down_sites + static_cast<int>(i / rows)];
        energy[i] = sum;
    }
}

/// Interaction energy of a row with the down particles of an occupation.
template <class Shared>
__device__ double coupling_energy(const HamiltonianView& h, std::uint64_t occupation, unsigned row, Shared& energy) {
    double sum = 0;
    if (h.coupling.energy == nullptr) return sum;
    for (; occupation != 0; occupation &= occupation - 1)
        sum += energy[static_cast<unsigned>(__ffsll(static_cast<long long>(occupation)) - 1) * rows + row];
    return sum;
}

}  // namespace strata::lanczos::cuda
