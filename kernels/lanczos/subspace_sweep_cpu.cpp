// SPDX-License-Identifier: BSD-3-Clause
// Hopping between the halves of the lattice, from one subspace to another, for vectors of one spin component. For each
// block of 16 rows and each right site s, the source rows of S_s are transposed into columns (with their signs, zero
// where there is no source), B_s acts on the down bit strings as in down_sweep, and the sum over all sites is
// transposed back and added to w.
#include <omp.h>

#include "kernels/lanczos/step_kernels.hpp"
#include "kernels/lanes.hpp"

namespace strata::lanczos::STRATA_ISA {

using namespace strata::STRATA_ISA;
namespace {

template <class Real>
constexpr int groups = block_rows / lanes<Real>;
constexpr std::uint64_t ahead = 3 * tile_reals;

/// columns[real][row] := source rows of one block and site, with their signs. Returns false if no row has a source.
template <class Real>
bool transpose_sources(const SubspaceHopsView& c, const std::uint32_t* sources, std::uint64_t rows,
                       const Real* local_rows, Real* columns) {
    const Real* from[block_rows] = {};
    double sign[block_rows] = {};
    bool any = false;
    for (std::uint64_t r = 0; r < rows; ++r) {
        const std::uint32_t source = sources[r * static_cast<std::uint64_t>(c.sites)];
        if (source == SubspaceHopsView::none) continue;
        const std::uint64_t row = source >> 1;
        from[r] = local_rows + row / block_rows * c.from.block_size() + row % block_rows * panel_reals;
        sign[r] = source & 1 ? -1 : 1;
        any = true;
    }
    if (!any) return false;
    for (std::uint64_t tile = 0; tile < c.from.block_size(); tile += tile_reals) {
        // the source rows are scattered in memory, where no hardware prefetcher follows them from tile to tile
        if (tile + ahead < c.from.block_size())
            for (const Real* row : from)
                if (row != nullptr) fetch(row + tile + ahead, panel_reals);
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
    }
    return true;
}

/// sum += B_s columns. `Reals`: 1 for real elements, 2 for complex ones.
template <int Reals, class Real>
void add_site(const PairView& pairs, const Real* columns, Real* sum) {
    constexpr std::uint64_t stride = Reals * block_rows;
    for (std::uint32_t c = 0; c < pairs.classes; ++c) {
        const Lanes<Real> re = all<Real>(pairs.re[c]), im = all<Real>(pairs.im[c]), minus_im = all<Real>(-pairs.im[c]);
        for (std::uint64_t e = pairs.first[c]; e < pairs.first[c + 1]; ++e) {
            const Real* from = columns + pairs.columns[e] * stride;
            Real* to = sum + pairs.rows[e] * stride;
            for (int g = 0; g < groups<Real>; ++g, from += lanes<Real>, to += lanes<Real>) {
                if constexpr (Reals == 1) {
                    store(to, fma(re, load(from), load(to)));
                } else {
                    const Lanes<Real> x = load(from), y = load(from + block_rows);
                    store(to, fma(minus_im, y, fma(re, x, load(to))));
                    store(to + block_rows, fma(im, x, fma(re, y, load(to + block_rows))));
                }
            }
        }
    }
}

/// w += the sum of one block, transposed back.
template <class Real>
void add_transposed(const BlockLayout& to, const Real* sum, Real* w) {
    for (std::uint64_t tile = 0; tile < to.block_size(); tile += tile_reals)
        for (int g = 0; g < groups<Real>; ++g)
            for (std::uint64_t real = 0; real < panel_reals; real += lanes<Real>) {
                const Real* in = sum + (tile / block_rows + real) * block_rows + g * lanes<Real>;
                Lanes<Real> v[lanes<Real>];
                for (int i = 0; i < lanes<Real>; ++i) v[i] = load(in + static_cast<std::uint64_t>(i) * block_rows);
                transpose<Real>(v);
                Real* out = w + tile + static_cast<std::uint64_t>(g) * lanes<Real> * panel_reals + real;
                for (int i = 0; i < lanes<Real>; ++i) {
                    Real* row = out + static_cast<std::uint64_t>(i) * panel_reals;
                    store(row, load(row) + v[i]);
                }
            }
}

}  // namespace

template <class Real>
void subspace_sweep(const SubspaceHopsView* subspace_hops, int count, const Real* const* local_rows, Real* w,
                    Real* scratch, std::uint64_t per_thread) {
    if (count == 0) return;
    const BlockLayout& to = subspace_hops[0].to;
    const std::uint64_t size = to.block_size();
#pragma omp parallel for schedule(static)
    for (std::uint64_t block = 0; block < to.blocks.size(); ++block) {
        Real* sum = scratch + static_cast<std::uint64_t>(omp_get_thread_num()) * per_thread;
        Real* columns = sum + size;
        for (std::uint64_t i = 0; i < size; i += lanes<Real>) store(sum + i, Lanes<Real>{});
        for (int i = 0; i < count; ++i) {
            const SubspaceHopsView& c = subspace_hops[i];
            const auto sites = static_cast<std::uint64_t>(c.sites);
            for (std::uint64_t s = 0; s < sites; ++s) {
                const std::uint32_t* sources = c.sources + block * block_rows * sites + s;
                if (!transpose_sources(c, sources, to.rows_of(block), local_rows[i], columns)) continue;
                if (to.arithmetic == Arithmetic::real)
                    add_site<1, Real>(c.pairs[s], columns, sum);
                else
                    add_site<2, Real>(c.pairs[s], columns, sum);
            }
        }
        add_transposed(to, sum, w + block * size);
    }
}

template void subspace_sweep<double>(const SubspaceHopsView*, int, const double* const*, double*, double*,
                                     std::uint64_t);
template void subspace_sweep<float>(const SubspaceHopsView*, int, const float* const*, float*, float*, std::uint64_t);

}  // namespace strata::lanczos::STRATA_ISA
