// SPDX-License-Identifier: BSD-3-Clause
// H_dn and the diagonal, block by block: the 16 up rows of a block are the lanes of two vectors, so one hop of the dn
// species serves 16 elements and nothing is gathered. The block's next f, transposed, stays in the second-level cache.
#include <omp.h>

#include "kernels/lanczos/lanes.hpp"
#include "kernels/lanczos/step_kernels.hpp"

namespace strata::lanczos::STRATA_ISA {
namespace {

constexpr int groups = block_rows / lanes;  // vectors for the rows of a block

/// f_next of a block to q, and transposed, [real][row], to `columns`.
void advance_block(const HamiltonianView& h, const Recurrence& r, const double* f, double* q, double* columns) {
    const Lanes minus_alpha = all(-r.alpha), inverse_beta = all(r.inverse_beta);
    for (std::uint64_t tile = 0; tile < h.layout.block_size(); tile += tile_reals) {
        // the vectors are walked straight through, as the prefetchers like it; the tile is turned from the first cache
        for (std::uint64_t i = tile; i < tile + tile_reals; i += lanes)
            store(q + i, fma(minus_alpha, load(f + i), load(q + i)) * inverse_beta);
        for (int g = 0; g < groups; ++g)
            for (std::uint64_t real = 0; real < panel_reals; real += lanes) {
                const std::uint64_t at = tile + static_cast<std::uint64_t>(g) * lanes * panel_reals + real;
                Lanes rows[lanes];
                for (int i = 0; i < lanes; ++i) rows[i] = load(q + at + static_cast<std::uint64_t>(i) * panel_reals);
                transpose(rows);
                double* out = columns + (tile / block_rows + real) * block_rows + g * lanes;
                for (int i = 0; i < lanes; ++i) store(out + static_cast<std::uint64_t>(i) * block_rows, rows[i]);
            }
    }
}

/// [chunk][occupation of the chunk][row]: energy of dn particles there with the up particles of each row.
void tabulate_coupling(const HamiltonianView& h, std::uint64_t block, double* table) {
    const CouplingView& c = h.coupling;
    const std::uint64_t values = std::uint64_t{1} << c.chunk_bits;
    for (int chunk = 0; chunk < c.chunks; ++chunk, table += values * block_rows) {
        for (std::uint64_t row = 0; row < block_rows; ++row) table[row] = 0;
        for (int bit = 0; bit < c.chunk_bits; ++bit) {
            const int site = chunk * c.chunk_bits + bit;
            double energy[block_rows] = {};
            for (std::uint64_t row = 0; row < block_rows && site < c.dn_sites; ++row) {
                const std::uint64_t up = block * block_rows + row;
                if (up >= h.up.dim) break;
                for (std::uint64_t left = h.up.sites[up]; left != 0; left &= left - 1)
                    energy[row] += c.energy[__builtin_ctzll(left) * c.dn_sites + site];
            }
            for (std::uint64_t lower = 0; lower < std::uint64_t{1} << bit; ++lower)
                for (std::uint64_t row = 0; row < block_rows; ++row)
                    table[((std::uint64_t{1} << bit) + lower) * block_rows + row] =
                        table[lower * block_rows + row] + energy[row];
        }
    }
}

/// Diagonal of dn row `d` for the rows of a block.
[[gnu::always_inline]] inline void diagonal(const HamiltonianView& h, const double* up_energy, const double* table,
                                            std::uint64_t d, Lanes (&energy)[groups]) {
    const CouplingView& c = h.coupling;
    for (int g = 0; g < groups; ++g) energy[g] = load(up_energy + g * lanes) + all(h.dn.diagonal[d]);
    const std::uint64_t values = std::uint64_t{1} << c.chunk_bits;
    std::uint64_t sites = h.dn.sites[d];
    for (int chunk = 0; chunk < c.chunks; ++chunk, sites >>= c.chunk_bits, table += values * block_rows)
        for (int g = 0; g < groups; ++g) energy[g] += load(table + (sites & (values - 1)) * block_rows + g * lanes);
}

/// (H_dn + diagonal) f_next of one dn row: `Reals` (1 or 2) vectors per group.
template <int Reals>
[[gnu::always_inline]] inline void apply_row(const HamiltonianView& h, const double* columns, const double* up_energy,
                                             const double* table, std::uint64_t d, Lanes (&out)[Reals][groups]) {
    constexpr std::uint64_t stride = Reals * block_rows;
    const HopView& hops = h.dn.hops;
    const std::uint32_t classes = (1u << hops.bits) - 1;
    Lanes real[Reals][groups] = {}, imaginary[Reals][groups] = {};
    const auto hop = [&](std::uint64_t e, const double* amplitude, Lanes(&sum)[Reals][groups]) {
        const std::uint32_t entry = hops.entries[e];
        const double* from = columns + (entry >> hops.bits) * stride;
        const Lanes a = all(amplitude[entry & classes]);
        for (int k = 0; k < Reals; ++k)
            for (int g = 0; g < groups; ++g) sum[k][g] = fma(a, load(from + k * block_rows + g * lanes), sum[k][g]);
    };
    const std::uint64_t complex = hops.complex[d], end = hops.first[d + 1];
    for (std::uint64_t e = hops.first[d]; e < complex; ++e) hop(e, hops.re, real);
    if constexpr (Reals == 2)
        for (std::uint64_t e = complex; e < end; ++e) {
            hop(e, hops.re, real);
            hop(e, hops.im, imaginary);
        }
    Lanes energy[groups];
    diagonal(h, up_energy, table, d, energy);
    for (int k = 0; k < Reals; ++k)
        for (int g = 0; g < groups; ++g) {
            out[k][g] = fma(energy[g], load(columns + d * stride + k * block_rows + g * lanes), real[k][g]);
            if constexpr (Reals == 2) out[k][g] += k == 0 ? -imaginary[1][g] : imaginary[0][g];
        }
}

/// All dn rows of a block; f := result - beta f.
template <int Reals>
void apply_block(const HamiltonianView& h, double beta, const double* columns, const double* up_energy,
                 const double* table, double* f) {
    constexpr std::uint64_t together = lanes / Reals;  // dn rows whose reals fill one transpose
    const Lanes minus_beta = all(-beta);
    alignas(64) double turned[tile_reals];
    for (std::uint64_t tile = 0; tile < h.layout.block_size(); tile += tile_reals, f += tile_reals) {
        fetch(f, tile_reals);
        for (std::uint64_t real = 0; real < panel_reals; real += lanes) {
            const std::uint64_t d = (tile / block_rows + real) / Reals;
            Lanes columns_out[groups][lanes];
            for (std::uint64_t i = 0; i < together; ++i) {
                Lanes out[Reals][groups] = {};
                if (d + i < h.dn.dim) apply_row<Reals>(h, columns, up_energy, table, d + i, out);
                for (int g = 0; g < groups; ++g)
                    for (int k = 0; k < Reals; ++k)
                        columns_out[g][i * Reals + static_cast<std::uint64_t>(k)] = out[k][g];
            }
            for (int g = 0; g < groups; ++g) {
                transpose(columns_out[g]);
                for (int i = 0; i < lanes; ++i)
                    store(turned + static_cast<std::uint64_t>(g * lanes + i) * panel_reals + real, columns_out[g][i]);
            }
        }
        for (std::uint64_t i = 0; i < tile_reals; i += lanes)
            store(f + i, fma(minus_beta, load(f + i), load(turned + i)));
    }
}

}  // namespace

void dn_sweep(const HamiltonianView& h, const Recurrence& r, double* f, double* q, double* scratch) {
    const std::uint64_t per_thread = scratch_reals(h), size = h.layout.block_size();
#pragma omp parallel for schedule(static)
    for (std::uint64_t b = 0; b < h.layout.blocks.size(); ++b) {
        double* columns = scratch + static_cast<std::uint64_t>(omp_get_thread_num()) * per_thread;
        double *up_energy = columns + size, *table = up_energy + block_rows;
        const std::uint64_t block = h.layout.blocks.first + b;
        for (std::uint64_t row = 0; row < block_rows; ++row) {
            const std::uint64_t up = block * block_rows + row;
            up_energy[row] = up < h.up.dim ? h.up.diagonal[up] - h.shift : 0;
        }
        tabulate_coupling(h, block, table);
        advance_block(h, r, f + b * size, q + b * size, columns);
        if (h.layout.arithmetic == Arithmetic::real)
            apply_block<1>(h, r.beta, columns, up_energy, table, f + b * size);
        else
            apply_block<2>(h, r.beta, columns, up_energy, table, f + b * size);
    }
}

}  // namespace strata::lanczos::STRATA_ISA
