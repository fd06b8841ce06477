// SPDX-License-Identifier: BSD-3-Clause
// Terms between subspaces, sum_s S_s x B_s: products of operators, and hopping between the halves of the lattice. A group
// of rows, as many as a register has lanes, is computed together. For each S_s their source rows are transposed into
// columns, and B_s acts on these, an entry on all rows of the group; the sum over all s is transposed back and added to w.
//
// In hopping between the halves only some rows of a group have a source at a given site. Right sites at which no row has
// two sources share the columns: each lane has the source row, and the amplitudes, of its own site.
//
//     rows of a group, by occupied sites     9 7 0    9 7 1    9 7 2    9 7 3
//     columns, by the site of each lane        9        9        9        9        sources 7 0, 7 1, 7 2, 7 3
//     where a particle arrives                 7        7        7        7                9 0, 9 1, 9 2, 9 3
//                                              0        1        2        3                9 7, 9 7, 9 7, 9 7
#include <omp.h>

#include <array>
#include <bit>

#include "kernels/lanczos/hop_sums.hpp"
#include "kernels/lanczos/step_kernels.hpp"
#include "kernels/lanes.hpp"
#include "strata/parallel.hpp"

namespace strata::lanczos::STRATA_ISA {

using namespace strata::STRATA_ISA;
namespace {

constexpr std::uint64_t ahead = 3 * tile_reals;

/// Right sites that share columns, for one group of rows.
template <class Real>
struct SharedSites {
    std::uint32_t rows = 0;        ///< bit i: row i of the group has a source at one of the sites
    std::uint64_t left_sites = 0;  ///< bit j: hops between one of them and left site j
    std::uint32_t site[lanes<Real>] = {};
};

/// Distributes the right sites of the group whose sources begin at `sources` over sets that share columns. Returns the
/// number of sets.
template <class Real>
int share_sites(const SubspaceHopsView& c, const std::uint32_t* sources, int rows,
                SharedSites<Real> (&sets)[max_half_sites]) {
    int count = 0;
    for (int s = c.sites - 1; s >= 0; --s) {  // the highest sites agree in most rows of a group
        std::uint32_t with_source = 0;
        for (int i = 0; i < rows; ++i)
            if (sources[i * c.sites + s] != SubspaceHopsView::none) with_source |= 1u << i;
        if (with_source == 0) continue;
        int set = 0;
        while (set < count && (sets[set].rows & with_source) != 0) ++set;
        if (set == count) sets[count++] = {};
        sets[set].rows |= with_source;
        sets[set].left_sites |= c.left.partners[s];
        for (std::uint32_t left = with_source; left != 0; left &= left - 1)
            sets[set].site[std::countr_zero(left)] = static_cast<std::uint32_t>(s);
    }
    return count;
}

/// The source rows of a group, null where a row has none.
template <class Real>
using SourceRows = std::array<const Real*, lanes<Real>>;

/// Source rows of one set of sites.
template <class Real>
SourceRows<Real> source_rows(const SubspaceHopsView& c, const std::uint32_t* sources, const SharedSites<Real>& set,
                             const Real* local_rows) {
    SourceRows<Real> from = {};
    for (int i = 0; i < lanes<Real>; ++i) {
        if ((set.rows >> i & 1) == 0) continue;
        const std::uint64_t row = sources[static_cast<std::uint32_t>(i * c.sites) + set.site[i]] >> 1;
        from[static_cast<std::size_t>(i)] =
            local_rows + row / block_rows * c.from.block_size() + row % block_rows * panel_reals;
    }
    return from;
}

/// Prefetches the first tiles of source rows.
template <class Real>
void fetch_sources(const SubspaceHopsView& c, const SourceRows<Real>& from) {
    for (const Real* row : from)
        if (row != nullptr)
            for (std::uint64_t tile = 0; tile < std::min(ahead, c.from.block_size()); tile += tile_reals)
                fetch(row + tile, panel_reals);
}

/// Writes source rows to columns[real][row]; zero where a row has none.
template <class Real>
void transpose_sources(const SubspaceHopsView& c, const SourceRows<Real>& from, Real* columns) {
    for (std::uint64_t tile = 0; tile < c.from.block_size(); tile += tile_reals) {
        // the source rows are scattered in memory, where no hardware prefetcher follows them from tile to tile
        if (tile + ahead < c.from.block_size())
            for (const Real* row : from)
                if (row != nullptr) fetch(row + tile + ahead, panel_reals);
        for (std::uint64_t real = 0; real < panel_reals; real += lanes<Real>) {
            Lanes<Real> v[lanes<Real>];
            for (int i = 0; i < lanes<Real>; ++i)
                v[i] = from[static_cast<std::size_t>(i)] == nullptr
                           ? Lanes<Real>{}
                           : load(from[static_cast<std::size_t>(i)] + tile + real);
            transpose<Real>(v);
            for (int i = 0; i < lanes<Real>; ++i, columns += lanes<Real>) store(columns, v[i]);
        }
    }
}

/// sum += amplitude * columns for the pairs first .. last - 1. `Reals`: 1 for real elements, 2 for complex ones.
template <int Reals, bool complex, class Real>
[[gnu::always_inline]] inline void add_pairs(const LeftHopsView& left, std::uint64_t first, std::uint64_t last,
                                             Lanes<Real> re, Lanes<Real> im, const Real* columns, Real* sum) {
    constexpr std::uint64_t stride = Reals * lanes<Real>;
    for (std::uint64_t e = first; e < last; ++e) {
        const Real* from = columns + left.columns[e] * stride;
        Real* to = sum + left.rows[e] * stride;
        const Lanes<Real> x = load(from);
        if constexpr (Reals == 1) {
            store(to, fma(re, x, load(to)));
        } else {
            const Lanes<Real> y = load(from + lanes<Real>);
            Lanes<Real> real = fma(re, x, load(to)), imaginary = fma(re, y, load(to + lanes<Real>));
            if constexpr (complex) {
                real = fma(-im, y, real);
                imaginary = fma(im, x, imaginary);
            }
            store(to, real);
            store(to + lanes<Real>, imaginary);
        }
    }
}

/// Adds all hops of one set of sites, whose source rows are `columns`, to `sum`.
template <int Reals, class Real>
void add_sites(const SubspaceHopsView& c, const std::uint32_t* sources, const SharedSites<Real>& set,
               const Real* columns, Real* sum) {
    const LeftHopsView& left = c.left;
    Lanes<Real> re[max_half_sites], im[max_half_sites];
    std::uint64_t complex = 0;
    for (std::uint64_t js = set.left_sites; js != 0; js &= js - 1) {
        const int j = std::countr_zero(js);
        re[j] = im[j] = Lanes<Real>{};
        for (int i = 0; i < lanes<Real>; ++i) {
            if ((set.rows >> i & 1) == 0) continue;
            const bool minus = sources[static_cast<std::uint32_t>(i * c.sites) + set.site[i]] & 1;
            const std::uint32_t at = set.site[i] * left.sites + static_cast<std::uint32_t>(j);
            re[j][i] = static_cast<Real>(minus ? -left.re[at] : left.re[at]);
            im[j][i] = static_cast<Real>(minus ? -left.im[at] : left.im[at]);
            if (left.im[at] != 0) complex |= std::uint64_t{1} << j;
        }
    }
    const std::uint64_t* first = left.first;
    for (std::uint64_t part = 0; part < left.parts; ++part, first += 2 * left.sites)
        for (std::uint64_t js = set.left_sites; js != 0; js &= js - 1) {
            const int j = std::countr_zero(js);
            const std::uint64_t* at = first + 2 * j;
            if (Reals == 2 && (complex >> j & 1) != 0) {
                add_pairs<Reals, true, Real>(left, at[0], at[1], re[j], im[j], columns, sum);
                add_pairs<Reals, true, Real>(left, at[1], at[2], -re[j], -im[j], columns, sum);
            } else {
                add_pairs<Reals, false, Real>(left, at[0], at[1], re[j], im[j], columns, sum);
                add_pairs<Reals, false, Real>(left, at[1], at[2], -re[j], -im[j], columns, sum);
            }
        }
}

/// Adds all hops between the halves from one subspace, for a group of rows, to `sum`.
template <class Real>
void add_halves(const SubspaceHopsView& c, const std::uint32_t* sources, int rows, const Real* local_rows,
                Real* columns, Real* sum) {
    SharedSites<Real> sets[max_half_sites];
    const int sets_count = share_sites<Real>(c, sources, rows, sets);
    for (int set = 0; set < sets_count; ++set) {
        transpose_sources<Real>(c, source_rows<Real>(c, sources, sets[set], local_rows), columns);
        if (set + 1 < sets_count) fetch_sources<Real>(c, source_rows<Real>(c, sources, sets[set + 1], local_rows));
        if (c.to.arithmetic == Arithmetic::real)
            add_sites<1, Real>(c, sources, sets[set], columns, sum);
        else
            add_sites<2, Real>(c, sources, sets[set], columns, sum);
    }
}

/// sum += B columns for all down bit strings of the target, each row of the group with its sign.
template <int Reals, class Real>
void add_product(const HoppingView& b, std::uint64_t dim_down, Lanes<Real> sign, const Real* columns, Real* sum) {
    constexpr std::uint64_t stride = Reals * lanes<Real>;
    for (std::uint64_t d = 0; d < dim_down; ++d, sum += stride) {
        if (b.first[d] == b.first[d + 1]) continue;
        Lanes<Real> real[Reals], imaginary[Reals];
        sum_hops<Reals == 1 ? Arithmetic::real : Arithmetic::complex, Real>(
            b, d, [=](std::uint64_t column) { return columns + column * stride; }, real, imaginary);
        if constexpr (Reals == 2) {
            real[0] = real[0] - imaginary[1];
            real[1] += imaginary[0];
        }
        for (int k = 0; k < Reals; ++k) store(sum + k * lanes<Real>, fma(sign, real[k], load(sum + k * lanes<Real>)));
    }
}

/// Adds sum_s S_s x B_s from one subspace, for a group of rows, to `sum`.
template <class Real>
void add_products(const SubspaceHopsView& c, const std::uint32_t* sources, int rows, const Real* local_rows,
                  Real* columns, Real* sum) {
    for (int s = 0; s < c.sites; ++s) {
        SourceRows<Real> from = {};
        Lanes<Real> sign = {};
        bool any = false;
        for (int i = 0; i < rows; ++i) {
            const std::uint32_t source = sources[i * c.sites + s];
            if (source == SubspaceHopsView::none) continue;
            const std::uint64_t row = source >> 1;
            from[static_cast<std::size_t>(i)] =
                local_rows + row / block_rows * c.from.block_size() + row % block_rows * panel_reals;
            sign[i] = (source & 1) != 0 ? Real(-1) : Real(1);
            any = true;
        }
        if (!any) continue;
        transpose_sources<Real>(c, from, columns);
        if (c.to.arithmetic == Arithmetic::real)
            add_product<1, Real>(c.hops[s], c.to.dim_down, sign, columns, sum);
        else
            add_product<2, Real>(c.hops[s], c.to.dim_down, sign, columns, sum);
    }
}

/// Adds the sum of one group, transposed back, to w.
template <class Real>
void add_transposed(const BlockLayout& to, const Real* sum, Real* w) {
    for (std::uint64_t tile = 0; tile < to.block_size(); tile += tile_reals) {
        if (tile + ahead < to.block_size()) fetch(w + tile + ahead, lanes<Real> * panel_reals);
        for (std::uint64_t real = 0; real < panel_reals; real += lanes<Real>) {
            Lanes<Real> v[lanes<Real>];
            for (int i = 0; i < lanes<Real>; ++i, sum += lanes<Real>) v[i] = load(sum);
            transpose<Real>(v);
            for (int i = 0; i < lanes<Real>; ++i) {
                Real* row = w + tile + real + static_cast<std::uint64_t>(i) * panel_reals;
                store(row, load(row) + v[i]);
            }
        }
    }
}

template <class Real>
void subspace_sweep(const SubspaceHopsView* subspace_hops, int count, const Real* const* local_rows, Real* w,
                    Real* scratch, std::uint64_t per_thread) {
    if (count == 0) return;
    const BlockLayout& to = subspace_hops[0].to;
    constexpr std::uint64_t group_rows = lanes<Real>, groups = block_rows / group_rows;
    const std::uint64_t size = to.block_size() / groups;
    in_team(omp_get_max_threads(), [&](int) {
#pragma omp for schedule(static) nowait
        for (std::uint64_t group = 0; group < groups * to.blocks.size(); ++group) {
            const std::uint64_t block = group / groups, first = group % groups * group_rows;
            if (first >= to.rows_of(block)) continue;
            const int rows = static_cast<int>(std::min(group_rows, to.rows_of(block) - first));
            Real* sum = scratch + static_cast<std::uint64_t>(omp_get_thread_num()) * per_thread;
            Real* columns = sum + size;
            for (std::uint64_t i = 0; i < size; i += lanes<Real>) store(sum + i, Lanes<Real>{});
            for (int i = 0; i < count; ++i) {
                const SubspaceHopsView& c = subspace_hops[i];
                const std::uint32_t* sources =
                    c.sources + (block * block_rows + first) * static_cast<std::uint64_t>(c.sites);
                if (c.left.sites != 0)
                    add_halves<Real>(c, sources, rows, local_rows[i], columns, sum);
                else
                    add_products<Real>(c, sources, rows, local_rows[i], columns, sum);
            }
            add_transposed(to, sum, w + block * to.block_size() + first * panel_reals);
        }
    });
}

}  // namespace

template <class Real>
void fill_subspace_sweep(StepKernels<Real>& table) {
    table.subspace_sweep = subspace_sweep;
}
template void fill_subspace_sweep(StepKernels<double>&);
template void fill_subspace_sweep(StepKernels<float>&);

}  // namespace strata::lanczos::STRATA_ISA
