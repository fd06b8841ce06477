// SPDX-License-Identifier: BSD-3-Clause
// One Lanczos step as two sweeps over two vectors, for two spin components, H = H_up x 1 + 1 x H_down + diagonal (Siro & Harju,
// Exact diagonalization of quantum lattice models on coprocessors). Per real number of a vector: down_sweep moves 32
// bytes (previous and next v, twice), up_sweep 24. One spin component: subspace_sweep updates w, 16 bytes, and reads a source
// row, 8 bytes, for every site that takes part and has one. Operations: 2 per hop and real (4 for complex amplitudes).
// In single precision half the bytes. Every sum is left as one number per tile, to be added up in global order.
#pragma once

#include <complex>
#include <cstdint>
#include <string_view>
#include <vector>

#include "kernels/lanczos/component_table.hpp"
#include "strata/backend.hpp"

namespace strata::lanczos {

using Complex = std::complex<double>;

/// v_next = (w - alpha v) / beta, and what is subtracted from H v_next: beta v.
struct Recurrence {
    double alpha = 0, inverse_beta = 1, beta = 0;
};

/// Scalar products v.w, w.w, v.v (their real parts) of one tile, or of many.
struct TileSums {
    double vw = 0, ww = 0, vv = 0;

    STRATA_HOST_DEVICE TileSums& operator+=(const TileSums& other) {
        vw += other.vw;
        ww += other.ww;
        vv += other.vv;
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
    /// w := (w - alpha v) / beta, which is the next v; v := H_down v_next + (diagonal - shift) v_next - beta v, the first
    /// part of the next w. For blocks of this rank; `scratch`: scratch_reals() per thread.
    void (*down_sweep)(const HamiltonianView&, const Recurrence&, Real* v, Real* w, Real* scratch);
    /// w += H_up v for the blocks of this rank. `local_rows`: the first of the rows that h.rows counts, `v` the rank's own
    /// among them. sums[tile] of v and the new w.
    void (*up_sweep)(const HamiltonianView& h, const Real* local_rows, const Real* v, Real* w, TileSums* sums);
    /// w += all `count` hops between subspaces into one subspace; `local_rows`: for each the first of the rows of v that its sources
    /// count. `scratch`: the most of crossing_scratch_reals() per thread, in `per_thread` reals.
    void (*subspace_sweep)(const SubspaceHopsView* subspace_hops, int count, const Real* const* local_rows, Real* w,
                           Real* scratch, std::uint64_t per_thread);
    /// h := H_up v for `panels` panels that were gathered; blocks in the order of the ranks, h likewise in pieces.
    void (*up_gathered)(const HamiltonianView&, const GatheredPanels<Real>& v, std::uint64_t panels, Real* const* h);
    /// w += h for tiles of some panels; sums as in up_sweep.
    void (*add_up)(const HamiltonianView&, const Real* h, Range panels, const Real* v, Real* w, TileSums* sums);
    /// out := x * a + y * b (out may be null or one of the two); real vectors take real factors. sums[tile].vv of the
    /// result. 24 bytes per real number.
    void (*axpby)(const BlockLayout&, Complex a, const Real* x, Complex b, const Real* y, Real* out, TileSums* sums);
    /// <x, y>: sums[tile].vw is its real part, .ww its imaginary one. 16 bytes per real number.
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

/// Reals of scratch that down_sweep and subspace_sweep want per thread.
std::uint64_t scratch_reals(const HamiltonianView& h);
std::uint64_t subspace_scratch_reals(const SubspaceHopsView& c);

/// The variants that this machine can run, the fastest first; the last one is "portable".
template <class Real>
const std::vector<StepKernels<Real>>& step_variants();

}  // namespace strata::lanczos
