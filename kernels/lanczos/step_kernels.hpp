// SPDX-License-Identifier: BSD-3-Clause
// CPU kernels of the Lanczos recurrence (C. Lanczos, J. Res. NBS 45, 255 (1950)), after T. Siro, A. Harju, Exact
// diagonalization of quantum lattice models on coprocessors. Two vectors are stored: v, the Lanczos vector, and w, the
// residual before its component along v is subtracted. A step computes
//
//     v' = (w - alpha v) / beta          the next Lanczos vector
//     w' = H v' - beta v                 the next residual; alpha' = <v', w'> is subtracted in the step after it
//
// with H = H_up x 1 + 1 x H_down + diagonal. The two vectors exchange their memory in a step: down_sweep overwrites w
// by v' and v by the first part of w'; its caller then swaps the two, so that up_sweep and subspace_sweep add to w'.
//
// Bytes per real number of a vector of doubles (half of them in single precision):
//
//     down_sweep       32    v and w, read and written
//     up_sweep         24    v read, w read and written
//     subspace_sweep   16    w read and written, and 8 for the source row of every site that has one
//     add_up           32    h and v read, w read and written
//
// Operations: 2 per hop and real number, 4 with a complex amplitude.
#pragma once

#include <complex>
#include <cstdint>
#include <string_view>
#include <vector>

#include "kernels/lanczos/component_table.hpp"
#include "strata/backend.hpp"

namespace strata::lanczos {

using Complex = std::complex<double>;

/// Coefficients alpha, 1 / beta and beta of one step (top of this file).
struct Recurrence {
    double alpha = 0, inverse_beta = 1, beta = 0;
};

/// Sums over one or several tiles: the real part of <v, w> and the squares of the norms of w and v.
struct TileSums {
    double vw = 0, ww = 0, vv = 0;

    STRATA_HOST_DEVICE TileSums& operator+=(const TileSums& other) {
        vw += other.vw;
        ww += other.ww;
        vv += other.vv;
        return *this;
    }
};

/// Some panels of all rows of a vector, gathered from all ranks: pieces[r] has the rows of rank r, [panel][block of
/// r][tile].
template <class Real>
struct GatheredPanels {
    const Real* const* pieces = nullptr;
    const Range* blocks = nullptr;  ///< [rank] blocks of the rank
    int ranks = 1;
};

/// A vector whose product with H is computed in doubles, with what leads to its rows from other subspaces.
template <class Real>
struct WideVector {
    const Real* own = nullptr;         ///< the rank's own rows
    const Real* local_rows = nullptr;  ///< row with local index 0
    /// [local index] number among all rows; in a sector of lattice symmetries alone
    const std::uint32_t* row_numbers = nullptr;
    const SubspaceHopsView* incoming = nullptr;
    int incoming_count = 0;
    const Real* const* sources = nullptr;  ///< [incoming] row with local index 0 in the source subspace
};

/// Kernels of one instruction set, for vectors of doubles or floats. They work on the blocks of this rank. Sums are
/// accumulated in doubles, and the sums of every tile or block are returned, so that their total does not depend on the
/// number of ranks or threads.
template <class Real>
struct StepKernels {
    std::string_view name;
    /// w := (w - alpha v) / beta, the next v; v := (H_down + diagonal - shift) w - beta v, the first part of the next
    /// w. `scratch`: scratch_reals() per thread.
    void (*down_sweep)(const HamiltonianView&, const Recurrence&, Real* v, Real* w, Real* scratch);
    /// w += H_up v. `local_rows`: address of the row with local index 0; `v`: the rank's own rows. sums[tile]: sums of
    /// v and the new w.
    void (*up_sweep)(const HamiltonianView& h, const Real* local_rows, const Real* v, Real* w, TileSums* sums);
    /// Adds all `count` hopping matrices into one subspace to w. `local_rows`: for each, the row of v with local index
    /// 0 in the source subspace. `scratch`: `per_thread` reals for each thread, at least subspace_scratch_reals().
    void (*subspace_sweep)(const SubspaceHopsView* between, int count, const Real* const* local_rows, Real* w,
                           Real* scratch, std::uint64_t per_thread);
    /// h := H_up v for `panels` gathered panels; `h` has the layout of `v`.
    void (*up_gathered)(const HamiltonianView&, const GatheredPanels<Real>& v, std::uint64_t panels, Real* const* h);
    /// w += h for the tiles of some panels; sums as in up_sweep.
    void (*add_up)(const HamiltonianView&, const Real* h, Range panels, const Real* v, Real* w, TileSums* sums);
    /// Replaces x by its projection onto the sector of the symmetries; null without them. `scratch`: scratch_reals()
    /// per thread.
    void (*project_onto_sector)(const HamiltonianView&, Real* x, Real* scratch) = nullptr;
    /// y = (H - shift - energy) x by products and sums of doubles; sums[tile]: products of x and y as v and w. `scratch`:
    /// `per_thread` doubles for each thread, at least wide_scratch_doubles().
    void (*wide_product)(const HamiltonianView&, double energy, const WideVector<Real>& x, double* scratch,
                         std::uint64_t per_thread, TileSums* sums) = nullptr;
};

/// Cuts the down sites of an interaction into chunks of at most 9 sites, whose tables of energies for 16 rows stay in the
/// second-level cache. Every sweep tabulates the energies of a few rows chunk by chunk and looks them up for each of
/// `strings` bit strings: the number of chunks that takes the fewest operations is chosen.
void cut_into_chunks(CouplingView& c, std::uint64_t strings);
/// Reals of scratch memory per thread that down_sweep and subspace_sweep need.
std::uint64_t scratch_reals(const HamiltonianView& h);
std::uint64_t subspace_scratch_reals(const SubspaceHopsView& c);
/// Doubles of scratch memory per thread that wide_product needs; `between`: reals of a block of the largest subspace
/// from which terms lead to this one, or 0.
std::uint64_t wide_scratch_doubles(const HamiltonianView& h, std::uint64_t between);

/// Variants that this processor can run, the fastest first; the last one is "portable".
template <class Real>
const std::vector<StepKernels<Real>>& step_variants();
/// Variants for sectors of lattice symmetries, of two spin components and of one.
template <class Real>
const std::vector<StepKernels<Real>>& symmetric_step_variants();
template <class Real>
const std::vector<StepKernels<Real>>& orbit_step_variants();

}  // namespace strata::lanczos
