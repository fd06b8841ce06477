// SPDX-License-Identifier: BSD-3-Clause
// H_up, panel by panel: a row of H_up v is a sum of rows of v, 32 reals of each at a time, while one panel of all rows
// stays in the cache. Scalar products of the result are accumulated row by row and returned tile by tile, in a fixed
// order.
#include <omp.h>

#include "kernels/lanczos/hop_sums.hpp"
#include "kernels/lanczos/panel_rows.hpp"
#include "kernels/lanczos/step_kernels.hpp"

namespace strata::lanczos::STRATA_ISA {

using namespace strata::STRATA_ISA;
namespace {

template <class Real>
constexpr int vectors = panel_reals / lanes<Real>;
template <class Real>
using RowLanes = Lanes<Real>[vectors<Real>];  // the 32 reals of a row in one panel, in vector registers

/// sum := sum over the entries of row `u` of amplitude * row of v. `row(column)` points to the 32 reals of that row.
template <Arithmetic A, class Real, class Row>
[[gnu::always_inline]] inline void apply_row(const HoppingView& hops, std::uint64_t u, Row row, RowLanes<Real>& sum) {
    RowLanes<Real> imaginary;
    sum_hops<A, Real>(hops, u, row, sum, imaginary);
    if constexpr (A == Arithmetic::complex)
        for (int i = 0; i < vectors<Real>; ++i) sum[i] += times_i<Real>(imaginary[i]);
}

template <Arithmetic A, class Real>
void sweep_tile(const HamiltonianView& h, std::uint64_t block, std::uint64_t panel, const Real* local_rows,
                const Real* v, Real* w, TileSums& sums) {
    const std::uint64_t size = h.layout.block_size(), column = panel * tile_reals;
    const auto row = [=](std::uint64_t u) {
        return local_rows + u / block_rows * size + column + u % block_rows * panel_reals;
    };
    const std::uint64_t at = block * size + column;
    TileDots<Real> dots;
    if (panel + 1 < h.layout.panels()) fetch(v + at + tile_reals, tile_reals);
    if (block + 1 < h.layout.blocks.size()) fetch(w + at + size, tile_reals);
    const std::uint64_t rows = h.layout.rows_of(block);
    for (std::uint64_t u = 0; u < rows; ++u) {
        RowLanes<Real> sum;
        apply_row<A, Real>(h.rows, block * block_rows + u, row, sum);
        Real* out = w + at + u * panel_reals;
        for (int i = 0; i < vectors<Real>; ++i) {
            sum[i] += load(out + i * lanes<Real>);
            store(out + i * lanes<Real>, sum[i]);
            dots.add(load(v + at + u * panel_reals + i * lanes<Real>), sum[i]);
        }
    }
    sums = dots.sums();
}

template <Arithmetic A, class Real>
void gathered(const HamiltonianView& h, const GatheredPanels<Real>& v, std::uint64_t panels, Real* const* out) {
    for_each_gathered_row(h.layout, v, panels, out, [&](std::uint64_t u, const GatheredRows<Real>& row, Real* to) {
        RowLanes<Real> sum = {};
        if (u < h.up.dim) apply_row<A, Real>(h.up.hops, u, row, sum);
        for (int i = 0; i < vectors<Real>; ++i) store(to + i * lanes<Real>, sum[i]);
    });
}

template <class Real>
void up_sweep(const HamiltonianView& h, const Real* local_rows, const Real* v, Real* w, TileSums* sums) {
    with_arithmetic(h.layout, [&](auto a) {
        for_each_tile(h.layout, sums, [&](std::uint64_t block, std::uint64_t panel, TileSums& of_tile) {
            sweep_tile<a()>(h, block, panel, local_rows, v, w, of_tile);
        });
    });
}

template <class Real>
void up_gathered(const HamiltonianView& h, const GatheredPanels<Real>& v, std::uint64_t panels, Real* const* out) {
    with_arithmetic(h.layout, [&](auto a) { gathered<a()>(h, v, panels, out); });
}

template <class Real>
void add_up(const HamiltonianView& h, const Real* up, Range panels, const Real* v, Real* w, TileSums* sums) {
    add_up_panels(h.layout, up, panels, v, w, sums, [](const Real* from, const Real* x, Real* to) {
        TileDots<Real> dots;  // in the order of sweep_tile
        for (std::uint64_t i = 0; i < tile_reals; i += lanes<Real>) {
            const Lanes<Real> sum = load(from + i) + load(to + i);
            store(to + i, sum);
            dots.add(load(x + i), sum);
        }
        return dots.sums();
    });
}

}  // namespace

template <class Real>
void fill_up_sweep(StepKernels<Real>& table) {
    table.up_sweep = up_sweep;
    table.up_gathered = up_gathered;
    table.add_up = add_up;
}
template void fill_up_sweep(StepKernels<double>&);
template void fill_up_sweep(StepKernels<float>&);

}  // namespace strata::lanczos::STRATA_ISA
