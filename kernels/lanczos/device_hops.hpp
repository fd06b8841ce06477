// SPDX-License-Identifier: BSD-3-Clause
// Functions that device kernels share to apply hopping matrices: sums over the entries of one row, by neighbouring lanes
// that read each entry once, and the interaction energies of a block of rows, tabulated in shared memory. On an H100 the
// instructions that are issued for a hop weigh more than the cache that its numbers come from.
#pragma once

#include <type_traits>

#include "kernels/device_block.hpp"
#include "kernels/lanczos/step_kernels.hpp"
#include "strata/gpu.hpp"

namespace strata::lanczos::cuda {

constexpr unsigned rows = block_rows;

/// What lanes with a common row need of an entry: its amplitude, and the line of numbers that it reads. Lines are counted
/// in 32 bits: 2^32 of 16 floats are 256 GiB.
template <class Real>
struct alignas(16) StagedHop {
    Real re;
    std::uint32_t line;
};

/// Memory of a block of threads for staged hops: an entry and the imaginary part of its amplitude for every thread.
template <class Hops, class Imaginary>
struct HopStage {
    Hops& hops;
    Imaginary& imaginary;
};
template <class Hops, class Imaginary>
HopStage(Hops&, Imaginary&) -> HopStage<Hops, Imaginary>;

/// Number of staged hops that a thread adds at once, so that the reads of all of them are under way together.
constexpr unsigned hops_together = 4;

/// Calls add(first slot of the stage) for groups of `hops_together` of the entries first .. end - 1 of a row, which
/// `Lanes` neighbouring lanes of a warp have in common. Each lane reads one entry, takes the line from line(column, class)
/// and leaves both in the stage for the others; slots beyond the last entry have amplitude 0 and line 0. All lanes of a
/// warp must call.
template <unsigned Lanes, bool Complex, class Real, class Stage, class Line, class Add>
__device__ void for_staged_hops(const HoppingView& hops, std::uint64_t first, std::uint64_t end, const Stage& stage,
                                Line line, Add add) {
    static_assert(Lanes % hops_together == 0 && 32 % Lanes == 0);
    const unsigned lane = threadIdx.x % Lanes;
    auto left = static_cast<std::uint32_t>(end - first), most = left;  // entries of this row, of the warp's longest row
    for (unsigned other = Lanes; other < 32; other *= 2) {
        const std::uint32_t theirs = __shfl_xor_sync(full_warp, most, static_cast<int>(other));
        if (theirs > most) most = theirs;
    }
    for (; most != 0; first += Lanes) {
        StagedHop<Real> own = {0, 0};
        Real imaginary = 0;
        if (lane < left) {
            const std::uint32_t entry = hops.entries[first + lane], c = entry & hops.class_mask();
            own = {static_cast<Real>(hops.re[c]), line(entry >> hops.bits, c)};
            if (Complex) imaginary = static_cast<Real>(hops.im[c]);
        }
        stage.hops[threadIdx.x] = own;
        if (Complex) stage.imaginary[threadIdx.x] = imaginary;
        __syncwarp();
        for (unsigned k = 0; k < (most < Lanes ? most : Lanes); k += hops_together) add(threadIdx.x - lane + k);
        __syncwarp();
        left -= left < Lanes ? left : Lanes;
        most -= most < Lanes ? most : Lanes;
    }
}

/// Adds staged hops to an element, whose numbers are from[line * Stride] and, if complex, the one `Stride` further: the
/// products with the real parts of the amplitudes to `sum`, those with the imaginary parts to `crossed`, unless it is null.
template <unsigned Stride, int Reals, class Real, class Stage>
__device__ void add_lines(const Stage& stage, unsigned slot, const Real* from, Real (&sum)[Reals],
                          std::type_identity_t<Real>* crossed) {
    StagedHop<Real> hop[hops_together];
    Real x[hops_together][Reals];
    for (unsigned i = 0; i < hops_together; ++i) {
        hop[i] = stage.hops[slot + i];
        for (int k = 0; k < Reals; ++k)
            x[i][k] = from[(std::uint64_t{hop[i].line} + static_cast<unsigned>(k)) * Stride];
    }
    for (unsigned i = 0; i < hops_together; ++i)
        for (int k = 0; k < Reals; ++k) sum[k] += hop[i].re * x[i][k];
    if (crossed == nullptr) return;
    for (unsigned i = 0; i < hops_together; ++i) {
        const Real im = stage.imaginary[slot + i];
        for (int k = 0; k < Reals; ++k) crossed[k] += im * x[i][k];
    }
}

/// Row of a hopping matrix times the elements of one of the transposed rows; the 16 lanes of the others compute the same
/// row of the matrix, which does not exist for lanes that only help.
template <int Reals, class Real, class Stage, class Line>
__device__ void sum_lines(const HoppingView& hops, std::uint64_t row, bool exists, const Stage& stage, const Real* from,
                          Line line, Real (&sum)[Reals]) {
    const std::uint64_t first = exists ? hops.first[row] : 0, complex = exists ? hops.complex[row] : 0;
    Real crossed[Reals] = {};
    for_staged_hops<rows, false, Real>(hops, first, complex, stage, line,
                                       [&](unsigned slot) { add_lines<rows>(stage, slot, from, sum, nullptr); });
    if constexpr (Reals == 2) {
        const std::uint64_t end = exists ? hops.first[row + 1] : 0;
        for_staged_hops<rows, true, Real>(hops, complex, end, stage, line,
                                          [&](unsigned slot) { add_lines<rows>(stage, slot, from, sum, crossed); });
        sum[0] -= crossed[1];
        sum[1] += crossed[0];
    }
}

/// Interaction energies of the down particles on `coupling_sites` neighbouring sites, which form a chunk, with the up
/// particles of the rows of a block: energy[chunk][occupation of the chunk][row], in shared memory.
constexpr unsigned coupling_sites = 4, chunk_energies = rows << coupling_sites;

/// Number of energies of a block of rows.
STRATA_HOST_DEVICE inline unsigned coupling_energies(const CouplingView& c) {
    if (c.energy == nullptr) return 0;
    return (static_cast<unsigned>(c.down_sites) + coupling_sites - 1) / coupling_sites * chunk_energies;
}

/// Computes the energies with all threads of the block: those of single particles, and their sums.
template <class Shared>
__device__ void tabulate_coupling(const HamiltonianView& h, std::uint64_t block, const Shared& energy) {
    const CouplingView& c = h.coupling;
    const unsigned count = coupling_energies(c);
    for (unsigned i = threadIdx.x; i < count / (1u << coupling_sites) * coupling_sites; i += blockDim.x) {
        const std::uint64_t up = block * rows + i % rows;
        const auto site = static_cast<int>(i / rows);
        double sum = 0;
        if (up < h.up.dim && site < c.down_sites)
            for (std::uint64_t left = h.up.sites[up]; left != 0; left &= left - 1)
                sum += c.energy[(__ffsll(static_cast<long long>(left)) - 1) * c.down_sites + site];
        energy[i / (coupling_sites * rows) * chunk_energies + (rows << i / rows % coupling_sites) + i % rows] = sum;
    }
    __syncthreads();
    for (unsigned i = threadIdx.x; i < count; i += blockDim.x) {
        const unsigned occupation = i / rows % (1u << coupling_sites);
        if (occupation != 0 && (occupation & (occupation - 1)) == 0) continue;
        double sum = 0;
        for (unsigned site = 0; site < coupling_sites; ++site)
            if ((occupation >> site & 1) != 0)
                sum += energy[i / chunk_energies * chunk_energies + (rows << site) + i % rows];
        energy[i] = sum;
    }
    __syncthreads();
}

/// Interaction energy of a row with the down particles of an occupation.
template <class Shared>
__device__ double coupling_energy(const CouplingView& c, std::uint64_t occupation, unsigned row, const Shared& energy) {
    double sum = 0;
    const unsigned count = coupling_energies(c);
    for (unsigned first = row; first < count; first += chunk_energies, occupation >>= coupling_sites)
        sum += energy[first + static_cast<unsigned>(occupation % (1u << coupling_sites)) * rows];
    return sum;
}

}  // namespace strata::lanczos::cuda
