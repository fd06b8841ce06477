// SPDX-License-Identifier: BSD-3-Clause
// Particles that hop between the up sites and the dn sites of one species: for each block of 16 up rows and each up
// site that takes part, the 16 source rows are turned into lanes (with their signs, nothing where there is no source),
// and the dn strings lose or gain a particle as in dn_sweep.
#include <omp.h>

#include "kernels/lanczos/lanes.hpp"
#include "kernels/lanczos/step_kernels.hpp"

namespace strata::lanczos::STRATA_ISA {
namespace {

template <class Real>
constexpr int groups = block_rows / lanes<Real>;

/// Source rows of one block and site, transposed: [real][row]. False if no row has a source.
template <class Real>
bool turn_sources(const CrossingView& c, const std::uint32_t* sources, std::uint64_t rows, const Real* reach,
                  Real* columns) {
    const Real* from[block_rows] = {};
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
        for (int g = 0; g < groups<Real>; ++g)
            for (std::uint64_t real = 0; real < panel_reals; real += lanes<Real>) {
                Lanes<Real> v[lanes<Real>];
                for (int i = 0; i < lanes<Real>; ++i) {
                    const int r = g * lanes<Real> + i;
                    v[i] = from[r] == nullptr ? Lanes<Real>{} : load(from[r] + tile + real) * all<Real>(sign[r]);
                }
                transpose<Real>(v);
                Real* out = columns + (tile / block_rows + real) * block_rows + g * lanes<Real>;
                for (int i = 0; i < lanes<Real>; ++i) store(out + static_cast<std::uint64_t>(i) * block_rows, v[i]);
            }
    return true;
}

/// sum[dn of `to`] += B_s columns
template <int Reals, class Real>
void add_site(const CrossingView& c, const HopView& hops, const Real* columns, Real* sum) {
    constexpr std::uint64_t stride = Reals * block_rows;
    const std::uint32_t classes = (1u << hops.bits) - 1;
    for (std::uint64_t d = 0; d < c.to.dim_dn; ++d) {
        const std::uint64_t complex = hops.complex[d], end = hops.first[d + 1];
        if (hops.first[d] == end) continue;
        Real* out = sum + d * stride;
        Lanes<Real> real[Reals][groups<Real>], imaginary[Reals][groups<Real>] = {};
        for (int k = 0; k < Reals; ++k)
            for (int g = 0; g < groups<Real>; ++g) real[k][g] = load(out + k * block_rows + g * lanes<Real>);
        const auto hop = [&](std::uint64_t e, const double* amplitude, Lanes<Real>(&to)[Reals][groups<Real>]) {
            const std::uint32_t entry = hops.entries[e];
            const Real* from = columns + (entry >> hops.bits) * stride;
            const Lanes<Real> a = all<Real>(amplitude[entry & classes]);
            for (int k = 0; k < Reals; ++k)
                for (int g = 0; g < groups<Real>; ++g)
                    to[k][g] = fma(a, load(from + k * block_rows + g * lanes<Real>), to[k][g]);
        };
        for (std::uint64_t e = hops.first[d]; e < complex; ++e) hop(e, hops.re, real);
        if constexpr (Reals == 2)
            for (std::uint64_t e = complex; e < end; ++e) {
                hop(e, hops.re, real);
                hop(e, hops.im, imaginary);
            }
        for (int k = 0; k < Reals; ++k)
            for (int g = 0; g < groups<Real>; ++g) {
                if constexpr (Reals == 2) real[k][g] += k == 0 ? -imaginary[1][g] : imaginary[0][g];
                store(out + k * block_rows + g * lanes<Real>, real[k][g]);
            }
    }
}

/// q += the block's sum, turned back.
template <class Real>
void add_turned(const CrossingView& c, const Real* sum, Real* q) {
    for (std::uint64_t tile = 0; tile < c.to.block_size(); tile += tile_reals)
        for (int g = 0; g < groups<Real>; ++g)
            for (std::uint64_t real = 0; real < panel_reals; real += lanes<Real>) {
                const Real* in = sum + (tile / block_rows + real) * block_rows + g * lanes<Real>;
                Lanes<Real> v[lanes<Real>];
                for (int i = 0; i < lanes<Real>; ++i) v[i] = load(in + static_cast<std::uint64_t>(i) * block_rows);
                transpose<Real>(v);
                Real* out = q + tile + static_cast<std::uint64_t>(g) * lanes<Real> * panel_reals + real;
                for (int i = 0; i < lanes<Real>; ++i) {
                    Real* row = out + static_cast<std::uint64_t>(i) * panel_reals;
                    store(row, load(row) + v[i]);
                }
            }
}

}  // namespace

template <class Real>
void cross_sweep(const CrossingView& c, const Real* reach, Real* q, Real* scratch) {
    const std::uint64_t size = c.to.block_size(), per_thread = crossing_scratch_reals(c);
#pragma omp parallel for schedule(static)
    for (std::uint64_t block = 0; block < c.to.blocks.size(); ++block) {
        Real* columns = scratch + static_cast<std::uint64_t>(omp_get_thread_num()) * per_thread;
        Real* sum = columns + c.from.block_size();
        bool any = false;
        for (int s = 0; s < c.sites; ++s) {
            const std::uint32_t* sources =
                c.sources + block * block_rows * static_cast<std::uint64_t>(c.sites) + static_cast<std::uint64_t>(s);
            if (!turn_sources(c, sources, c.to.rows_of(block), reach, columns)) continue;
            if (!any)
                for (std::uint64_t i = 0; i < size; i += lanes<Real>) store(sum + i, Lanes<Real>{});
            any = true;
            if (c.to.arithmetic == Arithmetic::real)
                add_site<1, Real>(c, c.hops[s], columns, sum);
            else
                add_site<2, Real>(c, c.hops[s], columns, sum);
        }
        if (any) add_turned(c, sum, q + block * size);
    }
}

template void cross_sweep<double>(const CrossingView&, const double*, double*, double*);
template void cross_sweep<float>(const CrossingView&, const float*, float*, float*);

}  // namespace strata::lanczos::STRATA_ISA
