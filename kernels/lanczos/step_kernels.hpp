// SPDX-License-Identifier: BSD-3-Clause
// One Lanczos step as two sweeps over two vectors, for two species, H = H_up x 1 + 1 x H_dn + diagonal (Siro & Harju,
// Exact diagonalization of quantum lattice models on coprocessors). Per real number of a vector: dn_sweep moves 32
// bytes (previous and next f, twice), up_sweep 24. One species: cross_sweep updates q, 16 bytes, and reads a source
// row, 8 bytes, for every site that takes part and has one. Operations: 2 per hop and real (4 for complex amplitudes).
// In single precision half the bytes. Every sum is left as one number per tile, to be added up in global order.
#pragma once

#include <complex>
#include <cstdint>
#include <string_view>
#include <vector>

#include "kernels/lanczos/species_table.hpp"
#include "strata/backend.hpp"

namespace strata::lanczos {

using Complex = std::complex<double>;

/// v_next = (q - alpha v) / beta, and what is subtracted from H v_next: beta v.
struct Recurrence {
    double alpha = 0, inverse_beta = 1, beta = 0;
};

/// Scalar products f.q, q.q, f.f (their real parts) of one tile, or of many.
struct TileSums {
    double fq = 0, qq = 0, ff = 0;

    STRATA_HOST_DEVICE TileSums& operator+=(const TileSums& other) {
        fq += other.fq;
        qq += other.qq;
        ff += other.ff;
        return *this;
    }
};

/// Where the up rows of some panels lie: those of rank r in pieces[r], [panel][block of r][tile].
template <class Real>
struct GatheredPanels {
    const Real* const* pieces = nullptr;
    const Range* blocks = nullptr;  ///< [rank]
    int ranks = 1;
};

/// For vectors of doubles or floats; sums are of doubles.
template <class Real>
struct StepKernels {
    std::string_view name;
    /// q := (q - alpha f) / beta, which is the next f; f := H_dn f_next + (diagonal - shift) f_next - beta f, the first
    /// part of the next q. For blocks of this rank; `scratch`: scratch_reals() per thread.
    void (*dn_sweep)(const HamiltonianView&, const Recurrence&, Real* f, Real* q, Real* scratch);
    /// q += H_up f for the blocks of this rank. `reach`: the first of the rows that h.rows counts, `f` the rank's own
    /// among them. sums[tile] of f and the new q.
    void (*up_sweep)(const HamiltonianView& h, const Real* reach, const Real* f, Real* q, TileSums* sums);
    /// q += all `count` crossings into one product; `reach`: for each the first of the rows of f that its sources
    /// count. `scratch`: the most of crossing_scratch_reals() per thread, in `per_thread` reals.
    void (*cross_sweep)(const CrossingView* crossings, int count, const Real* const* reach, Real* q, Real* scratch,
                        std::uint64_t per_thread);
    /// h := H_up f for `panels` panels that were gathered; blocks in the order of the ranks, h likewise in pieces.
    void (*up_gathered)(const HamiltonianView&, const GatheredPanels<Real>& f, std::uint64_t panels, Real* const* h);
    /// q += h for tiles of some panels; sums as in up_sweep.
    void (*add_up)(const HamiltonianView&, const Real* h, Range panels, const Real* f, Real* q, TileSums* sums);
    /// out := x * a + y * b (out may be null or one of the two); real vectors take real factors. sums[tile].ff of the
    /// result. 24 bytes per real number.
    void (*combine)(const BlockLayout&, Complex a, const Real* x, Complex b, const Real* y, Real* out, TileSums* sums);
    /// <x, y>: sums[tile].fq is its real part, .qq its imaginary one. 16 bytes per real number.
    void (*dot)(const BlockLayout&, const Real* x, const Real* y, TileSums* sums);
    /// <v_i, x> of all blocks: sums[block * stride + 2 i] is its real part, the next its imaginary one. Bytes per real
    /// number: 8 (count + 1), if a tile stays in the cache.
    void (*project)(const BlockLayout&, const Real* const* v, std::uint64_t count, const Real* x, double* sums,
                    std::uint64_t stride);
    /// x -= sum_i h_i v_i: 8 (count + 2) bytes per real number.
    void (*subtract)(const BlockLayout&, const Real* const* v, std::uint64_t count, const Complex* h, Real* x);
    /// v_j := sum_i c[j * count + i] v_i for the first `kept` of `count` vectors, in place: 8 (count + kept) bytes and
    /// 2 count kept operations (4 with complex factors) per real number.
    void (*rotate)(const BlockLayout&, Real* const* v, std::uint64_t count, const Complex* c, std::uint64_t kept);
};

/// Reals of scratch that dn_sweep and cross_sweep want per thread.
std::uint64_t scratch_reals(const HamiltonianView& h);
std::uint64_t crossing_scratch_reals(const CrossingView& c);

/// The variants that this machine can run, the fastest first; the last one is "portable".
template <class Real>
const std::vector<StepKernels<Real>>& step_variants();

}  // namespace strata::lanczos
