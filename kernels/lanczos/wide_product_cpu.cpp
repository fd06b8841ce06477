// SPDX-License-Identifier: BSD-3-Clause
// (H - energy) x in doubles for a vector x of stored reals, which are converted one by one: amplitudes and diagonal come
// from the tables of doubles and nothing is rounded to the precision of the storage. One block of 16 rows is computed
// at a time, from H_down, the diagonal and the terms between subspaces by columns, [real of a row][16 rows], and from
// H_up by rows; of the result only the scalar products remain. In a sector of lattice symmetries x is projected onto
// the sector in doubles as it is read. A vector without symmetries is that of a group with one element.
#include <omp.h>

#include <algorithm>

#include "kernels/lanczos/coupling_table.hpp"
#include "kernels/lanczos/panel_rows.hpp"
#include "kernels/lanczos/step_kernels.hpp"
#include "strata/parallel.hpp"

namespace strata::lanczos::STRATA_ISA {
namespace {

/// Order of the reals of a row: the number `orbit` of group element h begins at first(orbit) + h * line.
struct RowOrder {
    std::uint64_t order, line, reals, width, row, padded;

    explicit RowOrder(const HamiltonianView& h)
        : order(std::max<std::uint64_t>(1, h.symmetry.order)),
          line(h.layout.panel / order),
          reals(h.layout.reals()),
          width(h.layout.panel),
          row(h.layout.panels() * h.layout.panel),
          padded(std::max<std::uint64_t>(width, lanes<double>)) {}
    std::uint64_t first(std::uint64_t orbit) const { return orbit * reals / line * width + orbit * reals % line; }
    /// Element h g, whose columns a hop of spin down with element g reads.
    std::uint64_t right(const HamiltonianView& h, std::uint32_t g, std::uint64_t i) const {
        return g == 0 ? i : h.symmetry.right[g * order + i] / (reals * line);
    }
    /// Offset of the columns of g^-1 h, which a hop of spin up with element g reads.
    std::uint64_t left(const HamiltonianView& h, std::uint32_t g, std::uint64_t i) const {
        return g == 0 ? i * line : h.symmetry.left[g * order + i];
    }
    /// Their signs.
    double right_sign(const HamiltonianView& h, std::uint32_t g, std::uint64_t i) const {
        return h.symmetry.right_sign == nullptr ? 1 : h.symmetry.right_sign[g * order + i];
    }
    double left_sign(const HamiltonianView& h, std::uint32_t g, std::uint64_t i) const {
        return h.symmetry.left_sign == nullptr ? 1 : h.symmetry.left_sign[g * order + i];
    }
};

struct Amplitude {
    double re = 0, im = 0;
    Amplitude times(double sign) const { return {sign * re, sign * im}; }
};
Amplitude amplitude_of(const HoppingView& hops, std::uint32_t c, std::uint64_t reals) {
    return {hops.re[c], reals == 2 ? hops.im[c] : 0};
}
std::uint32_t element_of(const HoppingView& hops, std::uint32_t c) {
    return hops.element == nullptr ? 0 : hops.element[c];
}

/// to[i] += a * from[i] for `count` reals, which are pairs (re, im) where a is complex.
void add_scaled(Amplitude a, const double* from, std::uint64_t count, double* to) {
    for (std::uint64_t i = 0; i < count; ++i) to[i] += a.re * from[i];
    if (a.im == 0) return;
    for (std::uint64_t i = 0; i < count; i += 2) {
        to[i] -= a.im * from[i + 1];
        to[i + 1] += a.im * from[i];
    }
}

/// The same for the 16 rows of one number, [re or im][row].
[[gnu::always_inline]] inline void add_columns(Amplitude a, const double* from, std::uint64_t reals, double* to) {
    for (std::uint64_t i = 0; i < reals * block_rows; ++i) to[i] += a.re * from[i];
    if (a.im == 0) return;
    for (std::uint64_t i = 0; i < block_rows; ++i) {
        to[i] -= a.im * from[block_rows + i];
        to[block_rows + i] += a.im * from[i];
    }
}

/// The reals of one row of one panel. `row`: its number among all rows; `spare`: memory of as many doubles.
template <class Real>
void read_row(const HamiltonianView& h, const RowOrder& r, std::uint64_t row, std::uint64_t panel, const Real* from,
              double* x, double* spare) {
    for (std::uint64_t i = 0; i < r.width; ++i) x[i] = static_cast<double>(from[i]);
    if (h.symmetry.vanishing != nullptr && h.symmetry.vanishes(row)) std::fill_n(x, r.width, 0.0);
    if (h.symmetry.order == 0 || h.symmetry.vanishing != nullptr) return;
    const StabiliserView &rows = h.symmetry.rows, &columns = h.symmetry.columns;
    if (!rows.empty(row)) {
        std::fill_n(spare, r.width, 0.0);
        for (std::uint64_t e = rows.first[row]; e < rows.first[row + 1]; ++e)
            for (std::uint64_t i = 0; i < r.order; ++i)
                add_scaled(Amplitude{rows.re[e], rows.im[e]}.times(r.left_sign(h, rows.element[e], i)),
                           x + r.left(h, rows.element[e], i), r.line, spare + i * r.line);
        std::copy_n(spare, r.width, x);
    }
    const std::uint64_t orbits = r.line / r.reals, last = std::min((panel + 1) * orbits, h.down.dim);
    for (std::uint64_t orbit = panel * orbits; orbit < last; ++orbit) {
        if (columns.empty(orbit)) continue;
        double* of_orbit = x + orbit % orbits * r.reals;
        for (std::uint64_t i = 0; i < r.order; ++i)
            for (std::uint64_t k = 0; k < r.reals; ++k) {
                double sum = 0;
                for (std::uint64_t e = columns.first[orbit]; e < columns.first[orbit + 1]; ++e)
                    sum += r.right_sign(h, columns.element[e], i) * columns.re[e] *
                           of_orbit[r.right(h, columns.element[e], i) * r.line + k];
                spare[i * r.reals + k] = sum;
            }
        for (std::uint64_t i = 0; i < r.order; ++i)
            for (std::uint64_t k = 0; k < r.reals; ++k) of_orbit[i * r.line + k] = spare[i * r.reals + k];
    }
}

/// columns[real][row] := x for a block.
template <class Real>
void read_block(const HamiltonianView& h, const RowOrder& r, std::uint64_t first_row, const Real* block, double* row,
                double* columns) {
    for (std::uint64_t panel = 0; panel < h.layout.panels(); ++panel)
        for (std::uint64_t u = 0; u < block_rows; ++u) {
            if (first_row + u < h.up.dim)
                read_row(h, r, first_row + u, panel, block + (panel * block_rows + u) * r.width, row, row + r.width);
            else
                std::fill_n(row, r.width, 0.0);
            for (std::uint64_t i = 0; i < r.width; ++i) columns[(panel * r.width + i) * block_rows + u] = row[i];
        }
}

/// y := (H_down + diagonal - energy) x by columns. `table`: memory for the interactions of the rows.
void apply_columns(const HamiltonianView& h, const RowOrder& r, std::uint64_t first_row, double energy, const double* x,
                   double* table, double* y) {
    const HoppingView& hops = h.down.hops;
    const std::uint64_t orbits = r.line / r.reals, values = std::uint64_t{1} << h.coupling.chunk_bits;
    double of_up[block_rows] = {};
    for (std::uint64_t u = 0; u < block_rows && first_row + u < h.up.dim; ++u)
        of_up[u] = h.up.diagonal[first_row + u] - h.shift;
    tabulate_coupling<block_rows>(h, first_row, table);
    std::fill_n(y, r.row * block_rows, 0.0);
    for (std::uint64_t orbit = 0; orbit < h.down.dim; ++orbit) {
        double* to = y + r.first(orbit) * block_rows;
        for (std::uint64_t e = hops.first[orbit]; e < hops.first[orbit + 1]; ++e) {
            const std::uint32_t entry = hops.entries[e], c = entry & hops.class_mask();
            const Amplitude a = amplitude_of(hops, c, r.reals);
            const double* from = x + r.first(entry >> hops.bits) * block_rows;
            for (std::uint64_t i = 0; i < r.order; ++i)
                add_columns(a.times(r.right_sign(h, element_of(hops, c), i)),
                            from + r.right(h, element_of(hops, c), i) * r.line * block_rows, r.reals,
                            to + i * r.line * block_rows);
        }
        const double own = h.down.diagonal[orbit] - energy;
        for (std::uint64_t i = 0; i < r.order; ++i) {
            std::uint64_t sites = h.down.sites[(orbit / orbits * r.order + i) * orbits + orbit % orbits];
            double diagonal[block_rows];
            for (std::uint64_t u = 0; u < block_rows; ++u) diagonal[u] = of_up[u] + own;
            const double* of_chunk = table;
            for (int chunk = 0; chunk < h.coupling.chunks; ++chunk, of_chunk += values * block_rows) {
                for (std::uint64_t u = 0; u < block_rows; ++u)
                    diagonal[u] += of_chunk[(sites & (values - 1)) * block_rows + u];
                sites >>= h.coupling.chunk_bits;
            }
            const std::uint64_t at = i * r.line * block_rows;
            const double* from = x + r.first(orbit) * block_rows + at;
            for (std::uint64_t k = 0; k < r.reals; ++k)
                for (std::uint64_t u = 0; u < block_rows; ++u)
                    to[at + k * block_rows + u] += diagonal[u] * from[k * block_rows + u];
        }
    }
}

/// y += sum_s S_s x B_s from one subspace, for the rows of a block. `columns`: memory for the source rows.
template <class Real>
void apply_between(const SubspaceHopsView& c, std::uint64_t block, const Real* local_rows, double* columns, double* y) {
    const std::uint64_t reals = c.to.reals(), rows = c.to.rows_of(block), width = c.from.panel;
    const std::uint32_t* sources = c.sources + block * block_rows * static_cast<std::uint64_t>(c.sites);
    for (int s = 0; s < c.sites; ++s) {
        bool any = false;
        for (std::uint64_t u = 0; u < block_rows; ++u) {
            const std::uint32_t source =
                u < rows ? sources[u * static_cast<std::uint64_t>(c.sites) + static_cast<std::uint64_t>(s)]
                         : SubspaceHopsView::none;
            const double sign = source == SubspaceHopsView::none ? 0 : (source & 1) != 0 ? -1 : 1;
            const std::uint64_t row = sign == 0 ? 0 : source >> 1;
            const Real* from = local_rows + row / block_rows * c.from.block_size() + row % block_rows * width;
            any = any || sign != 0;
            for (std::uint64_t real = 0; real < c.from.dim_down * reals; ++real)
                columns[real * block_rows + u] =
                    sign == 0 ? 0 : sign * static_cast<double>(from[real / width * c.from.tile() + real % width]);
        }
        if (!any) continue;
        const HoppingView& b = c.hops[s];
        for (std::uint64_t d = 0; d < c.to.dim_down; ++d)
            for (std::uint64_t e = b.first[d]; e < b.first[d + 1]; ++e)
                add_columns(amplitude_of(b, b.entries[e] & b.class_mask(), reals),
                            columns + (b.entries[e] >> b.bits) * reals * block_rows, reals, y + d * reals * block_rows);
    }
}

/// Adds H_up x to the rows of a block in y and returns the products of every tile. `rows`: memory of four rows of a panel.
template <class Real>
void add_up_rows(const HamiltonianView& h, const RowOrder& r, const WideVector<Real>& v, std::uint64_t block,
                 const double* x, const double* y, double* rows, TileSums* sums) {
    double *own = rows, *result = own + r.padded, *source = result + r.padded, *spare = source + r.padded;
    const HoppingView& hops = h.rows;
    std::fill_n(own, 2 * r.padded, 0.0);  // also what follows a row of a single number
    for (std::uint64_t panel = 0; panel < h.layout.panels(); ++panel) {
        TileDots<double> dots;
        for (std::uint64_t u = 0; u < h.layout.rows_of(block); ++u) {
            for (std::uint64_t i = 0; i < r.width; ++i) {
                own[i] = x[(panel * r.width + i) * block_rows + u];
                result[i] = y[(panel * r.width + i) * block_rows + u];
            }
            const std::uint64_t row = block * block_rows + u;
            for (std::uint64_t e = hops.first[row]; e < hops.first[row + 1]; ++e) {
                const std::uint32_t entry = hops.entries[e], c = entry & hops.class_mask(), from = entry >> hops.bits;
                read_row(h, r, v.row_numbers == nullptr ? from : v.row_numbers[from], panel,
                         v.local_rows + from / block_rows * h.layout.block_size() + panel * h.layout.tile() +
                             from % block_rows * r.width,
                         source, spare);
                const Amplitude a = amplitude_of(hops, c, r.reals);
                for (std::uint64_t i = 0; i < r.order; ++i)
                    add_scaled(a.times(r.left_sign(h, element_of(hops, c), i)),
                               source + r.left(h, element_of(hops, c), i), r.line, result + i * r.line);
            }
            for (std::uint64_t i = 0; i < r.width; i += lanes<double>) dots.add(load(own + i), load(result + i));
        }
        sums[panel] = dots.sums();
    }
}

template <class Real>
void wide_product(const HamiltonianView& h, double energy, const WideVector<Real>& v, double* scratch,
                  std::uint64_t per_thread, TileSums* sums) {
    const RowOrder r(h);
    in_team(omp_get_max_threads(), [&](int) {
#pragma omp for schedule(static) nowait
        for (std::uint64_t block = 0; block < h.layout.blocks.size(); ++block) {
            double* x = scratch + static_cast<std::uint64_t>(omp_get_thread_num()) * per_thread;
            double *y = x + h.layout.block_size(), *rows = y + h.layout.block_size(), *rest = rows + 4 * r.padded;
            const std::uint64_t first_row = (h.layout.blocks.first + block) * block_rows;
            read_block(h, r, first_row, v.own + block * h.layout.block_size(), rows, x);
            apply_columns(h, r, first_row, energy, x, rest, y);
            for (int i = 0; i < v.incoming_count; ++i) apply_between(v.incoming[i], block, v.sources[i], rest, y);
            add_up_rows(h, r, v, block, x, y, rows, sums + block * h.layout.panels());
        }
    });
}

}  // namespace

template <class Real>
void fill_wide_product(StepKernels<Real>& table) {
    table.wide_product = wide_product;
}
template void fill_wide_product(StepKernels<double>&);
template void fill_wide_product(StepKernels<float>&);

}  // namespace strata::lanczos::STRATA_ISA
