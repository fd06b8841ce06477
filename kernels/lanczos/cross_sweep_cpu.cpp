// SPDX-License-Identifier: BSD-3-Clause
// Particles that hop between the up sites and the dn sites of one species: for each block of 16 up rows and each up
// site that takes part, the 16 source rows are turned into lanes (with their signs, nothing where there is no source),
// and the dn strings lose or gain a particle as in dn_sweep.
#include <omp.h>

#include "kernels/lanczos/lanes.hpp"
#include "kernels/lanczos/step_kernels.hpp"

namespace strata::lanczos::STRATA_ISA {
namespace {

constexpr int groups = block_rows / lanes;

/// Source rows of one block and site, transposed: [real][row]. False if no row has a source.
bool turn_sources(const CrossingView& c, const std::uint32_t* sources, std::uint64_t rows, const double* reach,
                  double* columns) {
    const double* from[block_rows] = {};
    double sign[block_rows] = {};
    bool any = false;
    for (std::uint64_t r = 0; r < rows; ++r) {
        const std::uint32_t source = sources[r * static_cast<std::uint64_t>(c.sites)];
        if (source == CrossingView::none) continue;
        const std::uint64_t row = source >> 1;
        from[r] = reach + row / block_rows * c.from.block_size() + row % block_rows * panel_reals;
        sign[r] = source & 1 ? -1 : 1;
        any = true;
    }
    if (!any) return false;
    for (std::uint64_t tile = 0; tile < c.from.block_size(); tile += tile_reals)
        for (int g = 0; g < groups; ++g)
            for (std::uint64_t real = 0; real < panel_reals; real += lanes) {
                Lanes v[lanes];
                for (int i = 0; i < lanes; ++i) {
                    const int r = g * lanes + i;
                    v[i] = from[r] == nullptr ? Lanes{} : load(from[r] + tile + real) * all(sign[r]);
                }
                transpose(v);
                double* out = columns + (tile / block_rows + real) * block_rows + g * lanes;
                for (int i = 0; i < lanes; ++i) store(out + static_cast<std::uint64_t>(i) * block_rows, v[i]);
            }
    return true;
}

/// sum[dn of `to`] += B_s columns
template <int Reals>
void add_site(const CrossingView& c, const HopView& hops, const double* columns, double* sum) {
    constexpr std::uint64_t stride = Reals * block_rows;
    const std::uint32_t classes = (1u << hops.bits) - 1;
    for (std::uint64_t d = 0; d < c.to.dim_dn; ++d) {
        const std::uint64_t complex = hops.complex[d], end = hops.first[d + 1];
        if (hops.first[d] == end) continue;
        double* out = sum + d * stride;
        Lanes real[Reals][groups], imaginary[Reals][groups] = {};
        for (int k = 0; k < Reals; ++k)
            for (int g = 0; g < groups; ++g) real[k][g] = load(out + k * block_rows + g * lanes);
        const auto hop = [&](std::uint64_t e, const double* amplitude, Lanes(&to)[Reals][groups]) {
            const std::uint32_t entry = hops.entries[e];
            const double* from = columns + (entry >> hops.bits) * stride;
            const Lanes a = all(amplitude[entry & classes]);
            for (int k = 0; k < Reals; ++k)
                for (int g = 0; g < groups; ++g) to[k][g] = fma(a, load(from + k * block_rows + g * lanes), to[k][g]);
        };
        for (std::uint64_t e = hops.first[d]; e < complex; ++e) hop(e, hops.re, real);
        if constexpr (Reals == 2)
            for (std::uint64_t e = complex; e < end; ++e) {
                hop(e, hops.re, real);
                hop(e, hops.im, imaginary);
            }
        for (int k = 0; k < Reals; ++k)
            for (int g = 0; g < groups; ++g) {
                if constexpr (Reals == 2) real[k][g] += k == 0 ? -imaginary[1][g] : imaginary[0][g];
                store(out + k * block_rows + g * lanes, real[k][g]);
            }
    }
}

/// q += the block's sum, turned back.
void add_turned(const CrossingView& c, const double* sum, double* q) {
    for (std::uint64_t tile = 0; tile < c.to.block_size(); tile += tile_reals)
        for (int g = 0; g < groups; ++g)
            for (std::uint64_t real = 0; real < panel_reals; real += lanes) {
                const double* in = sum + (tile / block_rows + real) * block_rows + g * lanes;
                Lanes v[lanes];
                for (int i = 0; i < lanes; ++i) v[i] = load(in + static_cast<std::uint64_t>(i) * block_rows);
                transpose(v);
                double* out = q + tile + static_cast<std::uint64_t>(g) * lanes * panel_reals + real;
                for (int i = 0; i < lanes; ++i) {
                    double* row = out + static_cast<std::uint64_t>(i) * panel_reals;
                    store(row, load(row) + v[i]);
                }
            }
}

}  // namespace

void cross_sweep(const CrossingView& c, const double* reach, double* q, double* scratch) {
    const std::uint64_t size = c.to.block_size(), per_thread = crossing_scratch_reals(c);
#pragma omp parallel for schedule(static)
    for (std::uint64_t block = 0; block < c.to.blocks.size(); ++block) {
        double* columns = scratch + static_cast<std::uint64_t>(omp_get_thread_num()) * per_thread;
        double* sum = columns + c.from.block_size();
        bool any = false;
        for (int s = 0; s < c.sites; ++s) {
            const std::uint32_t* sources =
                c.sources + block * block_rows * static_cast<std::uint64_t>(c.sites) + static_cast<std::uint64_t>(s);
            if (!turn_sources(c, sources, c.to.rows_of(block), reach, columns)) continue;
            if (!any)
                for (std::uint64_t i = 0; i < size; i += lanes) store(sum + i, Lanes{});
            any = true;
            if (c.to.arithmetic == Arithmetic::real)
                add_site<1>(c, c.hops[s], columns, sum);
            else
                add_site<2>(c, c.hops[s], columns, sum);
        }
        if (any) add_turned(c, sum, q + block * size);
    }
}

}  // namespace strata::lanczos::STRATA_ISA
