// SPDX-License-Identifier: BSD-3-Clause
// H in a sector of lattice symmetries. Rows are representatives of the up bit strings, columns (h, o) are the images
// T_h o of representatives of the down bit strings; 32 bytes of neighbouring orbits o are a line:
//
//     panel    | h = 0 | h = 1 | ...            a line: 4 doubles or 8 floats, of as many orbits (half as many
//                line    line                   complex ones); a panel of a row has |G| lines
//
// A hop of spin up reads +- T_g of a row r, a hop of spin down +- T_g of an orbit o':
//
//     (H_up psi)(u, T_h o)   += t s chi(g) psi(r, T_(g^-1 h) o)
//     (H_down psi)(u, T_h o) += t s psi(u, T_(h g) o')
//
// with signs of (g, h), which code of its own applies, where operations on the bit strings of one spin alone do not
// multiply like those of the group (SymmetryView). Hops move whole lines, within a row of a panel, or between orbits of a
// transposed block, whose lines consist of rows. Amplitudes include the square roots of the sizes of stabilisers, so that
// scalar products are plain sums.
#include <omp.h>

#include "kernels/lanczos/coupling_table.hpp"
#include "kernels/lanczos/step_kernels.hpp"
#include "kernels/lanczos/symmetric_lines.hpp"
#include "strata/parallel.hpp"

namespace strata::lanczos::STRATA_ISA {
namespace {

/// First line of the recurrence for rows that are transposed together, with projection, in place: w := (w - alpha v) /
/// beta; also written transposed to columns[orbit][h][re or im][row].
template <bool Signed, class Real>
void advance_rows(const HamiltonianView& h, const Recurrence& r, std::uint64_t first_row, const Real* v, Real* w,
                  Real* columns, Real* scratch) {
    const Shape<Real> shape(h);
    const Line<Real> minus_alpha = all_lines<Real>(-r.alpha), inverse_beta = all_lines<Real>(r.inverse_beta);
    const std::uint64_t width = h.layout.panel, size = line<Real> * width, tile = h.layout.tile();
    for (std::uint64_t panel = 0; panel < h.layout.panels(); ++panel, v += tile, w += tile) {
        if (panel + 1 < h.layout.panels()) {
            fetch(v + tile, size);
            fetch(w + tile, size);
        }
        for (std::uint64_t i = 0; i < size; i += line<Real>)
            store_line(w + i, fma(minus_alpha, load_line(v + i), load_line(w + i)) * inverse_beta);
        project_rows<Signed>(h, first_row, panel, w, columns + panel * shape.orbits * shape.of_orbit(), scratch);
    }
}

/// sum := H_down columns of one orbit, for N vectors of `Bytes` from line `first` on: [h][re or im][row].
template <int N, int Bytes, int Reals, bool Signed, class Real>
[[gnu::always_inline]] inline void hop_lines(const HamiltonianView& h, const Real* columns, std::uint64_t orbit,
                                             std::uint32_t first, Lanes<Real, Bytes> (&sum)[N]) {
    constexpr int parts = Reals == 1 && Bytes == pair_bytes ? 2 : 1;
    const HoppingView& hops = h.down.hops;
    const std::uint32_t classes = hops.class_mask();
    const std::uint64_t complex = hops.complex[orbit], end = hops.first[orbit + 1];
    const std::uint64_t size = h.symmetry.order * Reals * line<Real>;
    for (std::uint64_t e = hops.first[orbit]; e < complex; ++e) {
        const std::uint32_t entry = hops.entries[e], c = entry & classes;
        const Lanes<Real, Bytes> a = all<Real, Bytes>(hops.re[c]);
        for_lines<N, Bytes, parts, Signed>(h, h.symmetry.right, h.symmetry.right_sign, hops.element[c], first,
                                           columns + (entry >> hops.bits) * size,
                                           [&](int i, Lanes<Real, Bytes> x) { sum[i] = fma(a, x, sum[i]); });
    }
    if constexpr (Reals == 2)
        for (std::uint64_t e = complex; e < end; ++e) {
            const std::uint32_t entry = hops.entries[e], c = entry & classes;
            const Lanes<Real, Bytes> re = all<Real, Bytes>(hops.re[c]);
            const Lanes<Real, Bytes> im = join<Real>(all_lines<Real>(-hops.im[c]), all_lines<Real>(hops.im[c]));
            for_lines<N, Bytes, parts, Signed>(h, h.symmetry.right, h.symmetry.right_sign, hops.element[c], first,
                                               columns + (entry >> hops.bits) * size, [&](int i, Lanes<Real, Bytes> x) {
                                                   sum[i] = fma(im, swap_lines<Real>(x), fma(re, x, sum[i]));
                                               });
        }
}

/// out[h][re or im] := (H_down + diagonal) columns of one orbit, for the same lines.
template <int N, int Bytes, int Reals, bool Signed, class Real>
[[gnu::always_inline]] inline void apply_lines(const HamiltonianView& h, const Real* columns, const Real* up_energy,
                                               const Real* table, std::uint64_t orbit, std::uint32_t first, Real* out) {
    constexpr std::uint64_t rows = line<Real>, orbits = line<Real> / Reals;
    Lanes<Real, Bytes> sum[N] = {};
    hop_lines<N, Bytes, Reals, Signed, Real>(h, columns, orbit, first, sum);
    const CouplingView& coupling = h.coupling;
    const std::uint64_t values = std::uint64_t{1} << coupling.chunk_bits;
    const std::uint64_t* sites = h.down.sites + (orbit / orbits * h.symmetry.order + first) * orbits + orbit % orbits;
    const Line<Real> energy = load_line(up_energy) + all_lines<Real>(h.down.diagonal[orbit]);
    const auto diagonal = [&](int element) __attribute__((always_inline)) {
        Line<Real> of_rows = energy;
        std::uint64_t occupation = sites[static_cast<std::uint64_t>(element) * orbits];
        const Real* of_chunk = table;
        for (int chunk = 0; chunk < coupling.chunks; ++chunk, of_chunk += values * rows) {
            of_rows += load_line(of_chunk + (occupation & (values - 1)) * rows);
            occupation >>= coupling.chunk_bits;
        }
        return of_rows;
    };
    const std::uint64_t at = first * Reals * rows;
    const Real* own = columns + orbit * h.symmetry.order * Reals * rows + at;
#pragma GCC unroll 32
    for (int i = 0; i < N; ++i) {
        const std::uint64_t real = static_cast<std::uint64_t>(i) * (Bytes / sizeof(Real));
        Lanes<Real, Bytes> d;
        if constexpr (Bytes == line_bytes) {
            d = diagonal(i);
        } else if constexpr (Reals == 1) {
            d = join<Real>(diagonal(2 * i), diagonal(2 * i + 1));
        } else {
            const Line<Real> of_rows = diagonal(i);
            d = join<Real>(of_rows, of_rows);
        }
        store_unaligned<Bytes>(out + at + real, fma(d, load_unaligned<Real, Bytes>(own + real), sum[i]));
    }
}

template <int Reals, bool Signed, class Real>
void apply_orbit(const HamiltonianView& h, const Real* columns, const Real* up_energy, const Real* table,
                 std::uint64_t orbit, Real* out) {
    const auto apply = [&](auto bytes, auto n, std::uint32_t first) __attribute__((always_inline)) {
        apply_lines<n(), bytes(), Reals, Signed, Real>(h, columns, up_energy, table, orbit, first, out);
    };
    if constexpr (Reals == 1)
        in_pairs<max_together>(h.symmetry.order, apply);
    else  // both lines of an element
        in_parts<max_together>(
            h.symmetry.order, [&](auto n, std::uint32_t first) __attribute__((always_inline)) {
                apply(std::integral_constant<int, pair_bytes>(), n, first);
            });
}

/// v := (H_down + diagonal) columns - beta v for one group of rows. Also prefetches the next rows to be transposed,
/// `next` reals further in v and w.
template <int Reals, bool Signed, class Real>
void apply_rows(const HamiltonianView& h, double beta, const Real* columns, const Real* up_energy, const Real* table,
                Real* result, Real* v, const Real* w, std::uint64_t next) {
    const Shape<Real> shape(h);
    const Line<Real> minus_beta = all_lines<Real>(-beta);
    for (std::uint64_t panel = 0; panel < h.layout.panels(); ++panel, v += h.layout.tile(), w += h.layout.tile()) {
        for (std::uint64_t i = 0; i < shape.orbits; ++i) {
            const std::uint64_t orbit = panel * shape.orbits + i;
            Real* out = result + i * shape.of_orbit();
            fetch(v + next + i * shape.of_orbit(), shape.of_orbit());
            fetch(w + next + i * shape.of_orbit(), shape.of_orbit());
            if (orbit < h.down.dim)
                apply_orbit<Reals, Signed, Real>(h, columns, up_energy, table, orbit, out);
            else
                for (std::uint64_t k = 0; k < shape.of_orbit(); k += line<Real>) store_line(out + k, Line<Real>{});
        }
        for_transposed_columns<Reals>(shape, h.layout.panel, result, v, [&](Real* to, Line<Real> numbers) {
            store_line(to, fma(minus_beta, load_line(to), numbers));
        });
    }
}

/// Calls finish(i, sum) for N vectors of `Bytes` from line `first` on, where sum is the sum over the entries of row `u`
/// of amplitude * moved row of v. `row(column)` points to that row in the panel; i counts reals of the row.
template <int N, int Bytes, Arithmetic A, bool Signed, class Real, class Row, class Finish>
[[gnu::always_inline]] inline void apply_lines(const HamiltonianView& h, const HoppingView& hops, std::uint64_t u,
                                               std::uint32_t first, Row row, Finish finish) {
    constexpr bool is_complex = A == Arithmetic::complex;
    constexpr int parts = Bytes / line_bytes;
    const std::uint32_t classes = hops.class_mask();
    const std::uint64_t complex = hops.complex[u], end = hops.first[u + 1];
    Lanes<Real, Bytes> sum[N] = {}, imaginary[is_complex ? N : 1] = {};
    for (std::uint64_t e = hops.first[u]; e < complex; ++e) {
        const std::uint32_t entry = hops.entries[e], c = entry & classes;
        const Lanes<Real, Bytes> a = all<Real, Bytes>(hops.re[c]);
        for_lines<N, Bytes, parts, Signed>(h, h.symmetry.left, h.symmetry.left_sign, hops.element[c], first,
                                           row(entry >> hops.bits),
                                           [&](int i, Lanes<Real, Bytes> x) { sum[i] = fma(a, x, sum[i]); });
    }
    if constexpr (is_complex) {
        for (std::uint64_t e = complex; e < end; ++e) {
            const std::uint32_t entry = hops.entries[e], c = entry & classes;
            const Lanes<Real, Bytes> re = all<Real, Bytes>(hops.re[c]), im = all<Real, Bytes>(hops.im[c]);
            for_lines<N, Bytes, parts, Signed>(h, h.symmetry.left, h.symmetry.left_sign, hops.element[c], first,
                                               row(entry >> hops.bits), [&](int i, Lanes<Real, Bytes> x) {
                                                   sum[i] = fma(re, x, sum[i]);
                                                   imaginary[i] = fma(im, x, imaginary[i]);
                                               });
        }
#pragma GCC unroll 32
        for (int i = 0; i < N; ++i) sum[i] += times_i<Real, Bytes>(imaginary[i]);
    }
#pragma GCC unroll 32
    for (int i = 0; i < N; ++i)
        finish(first * line<Real> + static_cast<std::uint64_t>(i) * (Bytes / sizeof(Real)), sum[i]);
}

/// Calls finish(i, sum) for all lines of a row.
template <Arithmetic A, bool Signed, class Real, class Row, class Finish>
[[gnu::always_inline]] inline void apply_row(const HamiltonianView& h, const HoppingView& hops, std::uint64_t u,
                                             Row row, Finish finish) {
    in_pairs<max_together / (A == Arithmetic::complex ? 2 : 1)>(
        h.symmetry.order, [&](auto bytes, auto n, std::uint32_t first) __attribute__((always_inline)) {
            apply_lines<n(), bytes(), A, Signed, Real>(h, hops, u, first, row, finish);
        });
}

template <Arithmetic A, bool Signed, class Real>
void sweep_tile(const HamiltonianView& h, std::uint64_t block, std::uint64_t panel, const Real* local_rows,
                const Real* v, Real* w, TileSums& sums) {
    const BlockLayout& l = h.layout;
    const std::uint64_t size = l.block_size(), column = panel * l.tile(), width = l.panel, at = block * size + column;
    const auto row = [=](std::uint64_t u) {
        return local_rows + u / block_rows * size + column + u % block_rows * width;
    };
    LineDots<Real> dots;
    const std::uint64_t rows = l.rows_of(block);
    const bool next_panel = panel + 1 < l.panels(), next_block = block + 1 < l.blocks.size();
    for (std::uint64_t u = 0; u < rows; ++u) {
        const Real* x = v + at + u * width;
        Real* out = w + at + u * width;
        if (next_panel) fetch(x + l.tile(), width);
        if (next_block) fetch(out + size, width);
        apply_row<A, Signed, Real>(
            h, h.rows, block * block_rows + u, row, [&](std::uint64_t i, auto sum) __attribute__((always_inline)) {
                add_lines<sizeof(sum)>(x + i, sum, out + i, dots);
            });
    }
    sums = dots.sums();
}

template <Arithmetic A, bool Signed, class Real>
void gathered(const HamiltonianView& h, const GatheredPanels<Real>& v, std::uint64_t panels, Real* const* out) {
    for_each_gathered_row(h.layout, v, panels, out, [&](std::uint64_t u, const GatheredRows<Real>& row, Real* to) {
        if (u < h.up.dim)
            apply_row<A, Signed, Real>(h, h.up.hops, u, row,
                                       [&](std::uint64_t i, auto sum) { store_unaligned<sizeof(sum)>(to + i, sum); });
        else
            for (std::uint64_t i = 0; i < h.layout.panel; i += line<Real>) store_line(to + i, Line<Real>{});
    });
}

/// Calls of(bool) with whether columns have signs, as a constant.
template <class Function>
void with_signs(const HamiltonianView& h, Function of) {
    if (h.symmetry.left_sign != nullptr)
        of(std::true_type());
    else
        of(std::false_type());
}

template <bool Signed, class Real>
void down_sweep(const HamiltonianView& h, const Recurrence& r, Real* v, Real* w, Real* scratch) {
    const std::uint64_t per_thread = scratch_reals(h), size = h.layout.block_size(), rows = line<Real>;
    const std::uint64_t columns_size = h.layout.panels() * h.layout.panel * rows;
    in_team(omp_get_max_threads(), [&](int) {
#pragma omp for schedule(static) nowait
        for (std::uint64_t b = 0; b < h.layout.blocks.size(); ++b) {
            Real* columns = scratch + static_cast<std::uint64_t>(omp_get_thread_num()) * per_thread;
            Real *result = columns + columns_size, *up_energy = result + h.layout.panel * rows,
                 *table = up_energy + rows;
            for (std::uint64_t first = 0; first < block_rows; first += rows) {
                const std::uint64_t first_row = (h.layout.blocks.first + b) * block_rows + first;
                const std::uint64_t at = b * size + first * h.layout.panel;
                for (std::uint64_t row = 0; row < rows; ++row)
                    up_energy[row] =
                        first_row + row < h.up.dim ? static_cast<Real>(h.up.diagonal[first_row + row] - h.shift) : 0;
                tabulate_coupling<line<Real>>(h, first_row, table);
                advance_rows<Signed>(h, r, first_row, v + at, w + at, columns, result);
                const std::uint64_t next = first + rows < block_rows        ? rows * h.layout.panel
                                           : b + 1 < h.layout.blocks.size() ? size - first * h.layout.panel
                                                                            : 0;
                if (h.layout.arithmetic == Arithmetic::real)
                    apply_rows<1, Signed, Real>(h, r.beta, columns, up_energy, table, result, v + at, w + at, next);
                else
                    apply_rows<2, Signed, Real>(h, r.beta, columns, up_energy, table, result, v + at, w + at, next);
            }
        }
    });
}

template <class Real>
void symmetric_down_sweep(const HamiltonianView& h, const Recurrence& r, Real* v, Real* w, Real* scratch) {
    with_signs(h, [&](auto has_signs) { down_sweep<has_signs()>(h, r, v, w, scratch); });
}

template <class Real>
void symmetric_up_sweep(const HamiltonianView& h, const Real* local_rows, const Real* v, Real* w, TileSums* sums) {
    with_signs(h, [&](auto has_signs) {
        with_arithmetic(h.layout, [&](auto a) {
            for_each_tile(h.layout, sums, [&](std::uint64_t block, std::uint64_t panel, TileSums& of_tile) {
                sweep_tile<a(), has_signs()>(h, block, panel, local_rows, v, w, of_tile);
            });
        });
    });
}

template <class Real>
void symmetric_up_gathered(const HamiltonianView& h, const GatheredPanels<Real>& v, std::uint64_t panels,
                           Real* const* out) {
    with_signs(h, [&](auto has_signs) {
        with_arithmetic(h.layout, [&](auto a) { gathered<a(), has_signs()>(h, v, panels, out); });
    });
}

template <class Real>
void symmetric_add_up(const HamiltonianView& h, const Real* up, Range panels, const Real* v, Real* w, TileSums* sums) {
    add_up_panels(h.layout, up, panels, v, w, sums, [&](const Real* from, const Real* x, Real* to) {
        LineDots<Real> dots;  // in the order of sweep_tile
        for (std::uint64_t row = 0; row < block_rows; ++row)
            in_pairs<1>(h.symmetry.order, [&](auto bytes, auto, std::uint32_t first) {
                const std::uint64_t i = row * h.layout.panel + first * line<Real>;
                add_lines<bytes()>(x + i, load_unaligned<Real, bytes()>(from + i), to + i, dots);
            });
        return dots.sums();
    });
}

template <bool Signed, class Real>
void project(const HamiltonianView& h, Real* x, Real* scratch) {
    const std::uint64_t per_thread = scratch_reals(h);
    const Shape<Real> shape(h);
    in_team(omp_get_max_threads(), [&](int) {
#pragma omp for schedule(static) nowait
        for (std::uint64_t b = 0; b < h.layout.blocks.size(); ++b)
            for (std::uint64_t panel = 0; panel < h.layout.panels(); ++panel) {
                Real* tile = x + b * h.layout.block_size() + panel * h.layout.tile();
                Real* columns = scratch + static_cast<std::uint64_t>(omp_get_thread_num()) * per_thread;
                for (std::uint64_t row = 0; row < block_rows; row += line<Real>)
                    project_rows<Signed>(h, (h.layout.blocks.first + b) * block_rows + row, panel,
                                         tile + row * h.layout.panel, columns,
                                         columns + shape.orbits * shape.of_orbit());
                if ((panel + 1) * shape.orbits <= h.down.dim) continue;
                for (std::uint64_t i = 0; i < h.layout.tile(); ++i)  // lanes without an orbit
                    if (panel * shape.orbits + i % line<Real> / shape.reals >= h.down.dim) tile[i] = 0;
            }
    });
}

template <class Real>
void project_onto_sector(const HamiltonianView& h, Real* x, Real* scratch) {
    with_signs(h, [&](auto has_signs) { project<has_signs()>(h, x, scratch); });
}

}  // namespace

template <class Real>
void fill_symmetric_sweeps(StepKernels<Real>& table) {
    table.down_sweep = symmetric_down_sweep;
    table.up_sweep = symmetric_up_sweep;
    table.up_gathered = symmetric_up_gathered;
    table.add_up = symmetric_add_up;
    table.project_onto_sector = project_onto_sector;
}
template void fill_symmetric_sweeps(StepKernels<double>&);
template void fill_symmetric_sweeps(StepKernels<float>&);

}  // namespace strata::lanczos::STRATA_ISA
