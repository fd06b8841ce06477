// SPDX-License-Identifier: BSD-3-Clause
// H_down and the diagonal, with the first line of the recurrence, block by block. The 16 rows of a block become the
// lanes of vector registers: the block is transposed, so that an entry of the hopping matrix of the down bit strings
// serves 16 elements and nothing is gathered. The transposed block stays in the second-level cache.
//
//     block in memory: [panel][row][real]   ->   columns: [real][row], 16 rows side by side
#include <omp.h>

#include "kernels/instruction_sets.hpp"
#include "kernels/lanczos/coupling_table.hpp"
#include "kernels/lanczos/hop_sums.hpp"
#include "kernels/lanczos/step_kernels.hpp"
#include "kernels/lanes.hpp"
#include "strata/parallel.hpp"

namespace strata::lanczos::STRATA_ISA {

using namespace strata::STRATA_ISA;
namespace {

template <class Real>
constexpr int groups = block_rows / lanes<Real>;  // vector registers for the 16 rows of a block

/// First line of the recurrence for one block: w := (w - alpha v) / beta, also written transposed to `columns`.
template <class Real>
void advance_block(const HamiltonianView& h, const Recurrence& r, const Real* v, Real* w, Real* columns) {
    const Lanes<Real> minus_alpha = all<Real>(-r.alpha), inverse_beta = all<Real>(r.inverse_beta);
    for (std::uint64_t tile = 0; tile < h.layout.block_size(); tile += tile_reals) {
        // v and w are read in the order of memory, which hardware prefetchers follow; the transposition reads the tile
        // from the first-level cache
        for (std::uint64_t i = tile; i < tile + tile_reals; i += lanes<Real>)
            store(w + i, fma(minus_alpha, load(v + i), load(w + i)) * inverse_beta);
        for (int g = 0; g < groups<Real>; ++g)
            for (std::uint64_t real = 0; real < panel_reals; real += lanes<Real>) {
                const std::uint64_t at = tile + static_cast<std::uint64_t>(g) * lanes<Real> * panel_reals + real;
                Lanes<Real> rows[lanes<Real>];
                for (int i = 0; i < lanes<Real>; ++i)
                    rows[i] = load(w + at + static_cast<std::uint64_t>(i) * panel_reals);
                transpose<Real>(rows);
                Real* out = columns + (tile / block_rows + real) * block_rows + g * lanes<Real>;
                for (int i = 0; i < lanes<Real>; ++i) store(out + static_cast<std::uint64_t>(i) * block_rows, rows[i]);
            }
    }
}

/// Diagonal elements of down bit string `d` for the 16 rows of a block.
template <class Real>
[[gnu::always_inline]] inline void diagonal(const HamiltonianView& h, const Real* up_energy, const Real* table,
                                            std::uint64_t d, Lanes<Real> (&energy)[groups<Real>]) {
    const CouplingView& c = h.coupling;
    for (int g = 0; g < groups<Real>; ++g)
        energy[g] = load(up_energy + g * lanes<Real>) + all<Real>(h.down.diagonal[d]);
    const std::uint64_t values = std::uint64_t{1} << c.chunk_bits;
    std::uint64_t sites = h.down.sites[d];
    for (int chunk = 0; chunk < c.chunks; ++chunk, sites >>= c.chunk_bits, table += values * block_rows)
        for (int g = 0; g < groups<Real>; ++g)
            energy[g] += load(table + (sites & (values - 1)) * block_rows + g * lanes<Real>);
}

/// out := (H_down + diagonal) columns for down bit string `d`. `Reals`: 1 for real elements, 2 for complex ones.
template <int Reals, class Real>
[[gnu::always_inline]] inline void apply_row(const HamiltonianView& h, const Real* columns, const Real* up_energy,
                                             const Real* table, std::uint64_t d,
                                             Lanes<Real> (&out)[Reals][groups<Real>]) {
    constexpr std::uint64_t stride = Reals * block_rows;
    constexpr int vectors = Reals * groups<Real>;
    Lanes<Real> real[vectors], imaginary[vectors];
    sum_hops<Reals == 1 ? Arithmetic::real : Arithmetic::complex, Real>(
        h.down.hops, d, [=](std::uint64_t column) { return columns + column * stride; }, real, imaginary);
    Lanes<Real> energy[groups<Real>];
    diagonal<Real>(h, up_energy, table, d, energy);
    for (int k = 0; k < Reals; ++k)
        for (int g = 0; g < groups<Real>; ++g) {
            out[k][g] = fma(energy[g], load(columns + d * stride + k * block_rows + g * lanes<Real>),
                            real[k * groups<Real> + g]);
            if constexpr (Reals == 2) out[k][g] += k == 0 ? -imaginary[groups<Real> + g] : imaginary[g];
        }
}

/// v := (H_down + diagonal) columns - beta v for one block.
template <int Reals, class Real>
void apply_block(const HamiltonianView& h, double beta, const Real* columns, const Real* up_energy, const Real* table,
                 Real* v) {
    constexpr std::uint64_t together = lanes<Real> / Reals;  // down bit strings whose reals fill one transpose
    const Lanes<Real> minus_beta = all<Real>(-beta);
    alignas(64) Real result[tile_reals];
    for (std::uint64_t tile = 0; tile < h.layout.block_size(); tile += tile_reals, v += tile_reals) {
        fetch(v, tile_reals);
        for (std::uint64_t real = 0; real < panel_reals; real += lanes<Real>) {
            const std::uint64_t d = (tile / block_rows + real) / Reals;
            Lanes<Real> columns_out[groups<Real>][lanes<Real>];
            for (std::uint64_t i = 0; i < together; ++i) {
                Lanes<Real> out[Reals][groups<Real>] = {};
                if (d + i < h.down.dim) apply_row<Reals, Real>(h, columns, up_energy, table, d + i, out);
                for (int g = 0; g < groups<Real>; ++g)
                    for (int k = 0; k < Reals; ++k)
                        columns_out[g][i * Reals + static_cast<std::uint64_t>(k)] = out[k][g];
            }
            for (int g = 0; g < groups<Real>; ++g) {
                transpose<Real>(columns_out[g]);
                for (int i = 0; i < lanes<Real>; ++i)
                    store(result + static_cast<std::uint64_t>(g * lanes<Real> + i) * panel_reals + real,
                          columns_out[g][i]);
            }
        }
        for (std::uint64_t i = 0; i < tile_reals; i += lanes<Real>)
            store(v + i, fma(minus_beta, load(v + i), load(result + i)));
    }
}

template <class Real>
void down_sweep(const HamiltonianView& h, const Recurrence& r, Real* v, Real* w, Real* scratch) {
    const std::uint64_t per_thread = scratch_reals(h), size = h.layout.block_size();
    in_team(omp_get_max_threads(), [&](int) {
#pragma omp for schedule(static) nowait
        for (std::uint64_t b = 0; b < h.layout.blocks.size(); ++b) {
            Real* columns = scratch + static_cast<std::uint64_t>(omp_get_thread_num()) * per_thread;
            Real *up_energy = columns + size, *table = up_energy + block_rows;
            const std::uint64_t block = h.layout.blocks.first + b;
            for (std::uint64_t row = 0; row < block_rows; ++row) {
                const std::uint64_t up = block * block_rows + row;
                up_energy[row] = up < h.up.dim ? static_cast<Real>(h.up.diagonal[up] - h.shift) : 0;
            }
            tabulate_coupling<block_rows>(h, block * block_rows, table);
            advance_block(h, r, v + b * size, w + b * size, columns);
            if (h.layout.arithmetic == Arithmetic::real)
                apply_block<1, Real>(h, r.beta, columns, up_energy, table, v + b * size);
            else
                apply_block<2, Real>(h, r.beta, columns, up_energy, table, v + b * size);
        }
    });
}

}  // namespace

// Parts of the table that other files fill.
template <class Real>
void fill_up_sweep(StepKernels<Real>&);
template <class Real>
void fill_subspace_sweep(StepKernels<Real>&);
template <class Real>
void fill_symmetric_sweeps(StepKernels<Real>&);
template <class Real>
void fill_orbit_sweeps(StepKernels<Real>&);
template <class Real>
void fill_wide_product(StepKernels<Real>&);

}  // namespace strata::lanczos::STRATA_ISA

namespace strata::lanczos {

template <class Real>
StepKernels<Real> step_kernels(instruction_set::STRATA_ISA set) {
    using namespace STRATA_ISA;
    StepKernels<Real> table = {};
    table.name = set.name;
    table.down_sweep = down_sweep;
    fill_up_sweep(table);
    fill_subspace_sweep(table);
    fill_wide_product(table);
    return table;
}
template <class Real>
StepKernels<Real> symmetric_step_kernels(instruction_set::STRATA_ISA set) {
    StepKernels<Real> table = step_kernels<Real>(set);
    STRATA_ISA::fill_symmetric_sweeps(table);
    return table;
}
template <class Real>
StepKernels<Real> orbit_step_kernels(instruction_set::STRATA_ISA set) {
    StepKernels<Real> table = step_kernels<Real>(set);
    STRATA_ISA::fill_orbit_sweeps(table);
    return table;
}
template StepKernels<double> step_kernels<double>(instruction_set::STRATA_ISA);
template StepKernels<float> step_kernels<float>(instruction_set::STRATA_ISA);
template StepKernels<double> symmetric_step_kernels<double>(instruction_set::STRATA_ISA);
template StepKernels<float> symmetric_step_kernels<float>(instruction_set::STRATA_ISA);
template StepKernels<double> orbit_step_kernels<double>(instruction_set::STRATA_ISA);
template StepKernels<float> orbit_step_kernels<float>(instruction_set::STRATA_ISA);

}  // namespace strata::lanczos
