// SPDX-License-Identifier: BSD-3-Clause
// H in a sector of lattice symmetries of one spin component. A vector has one number for every orbit of bit strings, in
// the order of their representatives, 16 of them to a tile:
//
//     | u = 0 | u = 1 | ... | u = 15 |  next tile ...        complex numbers are pairs of reals (re, im)
//
//     (H psi)(u) = (energy(u) - shift) psi(u) + sum over the hops from r to u of amplitude * psi(r)
//
// Amplitudes include characters, signs and the square roots of the sizes of stabilisers (src/lanczos/physics/
// symmetric_sector.hpp). An orbit whose stabiliser contradicts the character of the sector has the number 0.
#include <omp.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <optional>
#include <vector>

#include "kernels/instruction_sets.hpp"
#include "kernels/lanczos/four_rows.hpp"
#include "kernels/lanczos/hop_batch.hpp"
#include "kernels/lanczos/panel_rows.hpp"
#include "kernels/lanczos/rows_together.hpp"
#include "kernels/lanczos/step_kernels.hpp"
#include "strata/parallel.hpp"

namespace strata::lanczos::STRATA_ISA {
namespace {

/// w := (w - alpha v) / beta, projected; v := (energy - shift) w - beta v, for the rows of a block.
template <int Reals, class Real>
void advance_block(const HamiltonianView& h, const Recurrence& r, std::uint64_t block, Real* v, Real* w) {
    const auto minus_alpha = static_cast<Real>(-r.alpha), inverse_beta = static_cast<Real>(r.inverse_beta),
               minus_beta = static_cast<Real>(-r.beta);
    const std::uint64_t rows = h.layout.rows_of(block), first = (h.layout.blocks.first + block) * block_rows;
    for (std::uint64_t u = 0; u < rows; ++u) {
        const bool zero = h.symmetry.vanishes(first + u);
        const auto energy = static_cast<Real>(h.up.diagonal[first + u] - h.shift);
        for (std::uint64_t i = Reals * u; i < Reals * (u + 1); ++i) {
            const Real next = zero ? 0 : fused(minus_alpha, v[i], w[i]) * inverse_beta;
            w[i] = next;
            v[i] = fused(minus_beta, v[i], energy * next);
        }
    }
}

/// An element of a row of H: amplitude * number `row`.
struct Hop {
    std::uint64_t row;
    double re, im;
};

/// Adds the sum over the hops first .. end - 1 of a row to w. hop(e) is a Hop; its imaginary part counts from `complex` on.
template <int Reals, class Real, class HopOf>
[[gnu::always_inline]] inline void add_hops(std::uint64_t first, std::uint64_t complex, std::uint64_t end, HopOf hop,
                                            const Real* numbers, Real* w) {
    Real sum[Reals] = {}, imaginary[Reals] = {};
    for (std::uint64_t e = first; e < complex; ++e) {
        const Hop from = hop(e);
        for (int k = 0; k < Reals; ++k)
            sum[k] = fused(static_cast<Real>(from.re), numbers[from.row * Reals + k], sum[k]);
    }
    if constexpr (Reals == 2) {
        for (std::uint64_t e = complex; e < end; ++e) {
            const Hop from = hop(e);
            for (int k = 0; k < Reals; ++k) {
                const Real x = numbers[from.row * Reals + k];
                sum[k] = fused(static_cast<Real>(from.re), x, sum[k]);
                imaginary[k] = fused(static_cast<Real>(from.im), x, imaginary[k]);
            }
        }
        sum[0] -= imaginary[1];
        sum[1] += imaginary[0];
    }
    for (int k = 0; k < Reals; ++k) w[k] += sum[k];
}

template <int Reals, class Real>
TileSums sums_of_block(const Real* v, const Real* w) {
    TileDots<Real> dots;
    for (std::uint64_t i = 0; i < block_rows * Reals; i += lanes<Real>) dots.add(load(v + i), load(w + i));
    return dots.sums();
}

template <int Reals, class Real>
void add_stored_hops(const HamiltonianView& h, std::uint64_t block, [[maybe_unused]] bool gather, const Real* numbers,
                     Real* w) {
    const HoppingView& hops = h.rows;
    const std::uint32_t classes = hops.class_mask();
    const std::uint64_t first = block * block_rows, rows = h.layout.rows_of(block);
#if defined(__AVX512F__)
    if constexpr (Reals == 1)
        if (gather && rows == block_rows) return add_rows_together(hops, first, numbers, w + first);
#endif
    const auto add_row = [&](std::uint64_t row) {
        add_hops<Reals>(
            hops.first[row], hops.complex[row], hops.first[row + 1],
            [&](std::uint64_t e) {
                const std::uint32_t entry = hops.entries[e], c = entry & classes;
                return Hop{entry >> hops.bits, hops.re[c], hops.im[c]};
            },
            numbers, w + row * Reals);
    };
    // rows of complex amplitudes are as fast one by one, and are often together
    const bool real = Reals == 1 || hops.complex[first] == hops.first[first + 1];
    for (std::uint64_t row = first, end; row < first + rows; row = end) {
        end = std::min(row + (real ? 4 : rows), first + rows);
#if defined(__AVX2__) && defined(__FMA__)
        const std::uint64_t entries = hops.first[h.layout.own_rows().size()];
        if (end == row + 4 && add_four_rows<Reals>(hops, row, entries, numbers, w + row * Reals)) continue;
#endif
        for (std::uint64_t r = row; r < end; ++r) add_row(r);
    }
}

template <int Reals, class Real>
void add_computed_hops(const HamiltonianView& h, std::uint64_t block, HopBatch& hops, const Real* numbers, Real* w) {
    const std::uint64_t first = block * block_rows, rows = h.layout.rows_of(block);
    std::uint64_t strings[block_rows];
    hops.list_rows(h.layout.blocks.first * block_rows + first, rows, strings);
    for (std::uint64_t u = 0; u < rows; u += hops.rows())
        hops.add<Reals>(strings + u, std::min(hops.rows(), rows - u), numbers, w + (first + u) * Reals);
}

template <int Reals, class Real>
void hop_sweep(const HamiltonianView& h, const Real* numbers, const Real* v, Real* w, TileSums* sums) {
    const std::uint64_t size = h.layout.block_size();
    const bool gather = has_fast_gathers();
    in_team(omp_get_max_threads(), [&](int) {
        std::optional<HopBatch> computed;
        if (h.computed != nullptr) computed.emplace(*h.computed);
#pragma omp for schedule(static) nowait
        for (std::uint64_t block = 0; block < h.layout.blocks.size(); ++block) {
            if (computed)
                add_computed_hops<Reals>(h, block, *computed, numbers, w);
            else
                add_stored_hops<Reals>(h, block, gather, numbers, w);
            sums[block] = sums_of_block<Reals>(v + block * size, w + block * size);
        }
    });
}

template <class Real>
void orbit_down_sweep(const HamiltonianView& h, const Recurrence& r, Real* v, Real* w, Real*) {
    const std::uint64_t size = h.layout.block_size();
    in_team(omp_get_max_threads(), [&](int) {
#pragma omp for schedule(static) nowait
        for (std::uint64_t block = 0; block < h.layout.blocks.size(); ++block)
            if (h.layout.arithmetic == Arithmetic::real)
                advance_block<1>(h, r, block, v + block * size, w + block * size);
            else
                advance_block<2>(h, r, block, v + block * size, w + block * size);
    });
}

template <class Real>
void orbit_up_sweep(const HamiltonianView& h, const Real* local_rows, const Real* v, Real* w, TileSums* sums) {
    if (h.layout.arithmetic == Arithmetic::real)
        hop_sweep<1>(h, local_rows, v, w, sums);
    else
        hop_sweep<2>(h, local_rows, v, w, sums);
}

template <class Real>
void project_orbits(const HamiltonianView& h, Real* x, Real*) {
    const std::uint64_t reals = h.layout.reals();
    const Range own = h.layout.own_rows();
    for_each_parallel(
        {0, own.size()},
        [&](std::uint64_t u) {
            if (h.symmetry.vanishes(own.first + u)) std::fill_n(x + u * reals, reals, Real{0});
        },
        omp_get_max_threads());
}

}  // namespace

/// Ranks never transpose panels of single numbers, hence no up_gathered and add_up.
template <class Real>
void fill_orbit_sweeps(StepKernels<Real>& table) {
    table.down_sweep = orbit_down_sweep;
    table.up_sweep = orbit_up_sweep;
    table.up_gathered = nullptr;
    table.add_up = nullptr;
    table.project_onto_sector = project_orbits;
}
template void fill_orbit_sweeps(StepKernels<double>&);
template void fill_orbit_sweeps(StepKernels<float>&);

}  // namespace strata::lanczos::STRATA_ISA
