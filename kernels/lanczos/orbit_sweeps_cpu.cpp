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

#include "kernels/lanczos/panel_rows.hpp"
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

/// Hops of one row after the other, computed, with memory for as many as there are terms. All hops of a row go through each
/// stage together, so that what the next stage reads is on its way from memory.
class HopsOfRow {
  public:
    explicit HopsOfRow(const ComputedHopsView& h) : h_(h), hops_(h.count), complex_(h.count), found_(h.count + 1) {}

    /// Lists the hops to the representative `string`, those with real amplitudes first. `numbers` of `bytes` each are read
    /// next.
    void list(std::uint64_t string, const void* numbers, std::uint64_t bytes) {
        std::uint64_t count = 0;
        for (std::uint64_t t = 0; t < h_.count; ++t) {
            found_[count].term = t;
            count += (string & h_.terms[t].mask) == h_.terms[t].target ? 1 : 0;
        }
        const std::uint32_t own = smallest_image(h_.orbits.search, string).count;
        find_representatives(string, count);
        for (std::uint64_t i = 0; i < count; ++i) h_.orbits.fetch(found_[i].cell);
        std::uint64_t complex = 0;
        real_count_ = 0;
        for (std::uint64_t i = 0; i < count; ++i) {
            const Found& from = found_[i];
            const OrbitTerm& term = h_.terms[from.term];
            const bool minus = (std::popcount((string ^ term.flip) & term.parity) & 1) != 0;
            const HopAmplitude amplitude = hop_amplitude(minus ? -term.re : term.re, minus ? -term.im : term.im,
                                                         h_.character + 2 * from.element, from.count, own);
            const Hop hop = {h_.orbits.index_in(from.cell), amplitude.re, amplitude.im};
            __builtin_prefetch(static_cast<const char*>(numbers) + hop.row * bytes);
            if (hop.im == 0)
                hops_[real_count_++] = hop;
            else
                complex_[complex++] = hop;
        }
        count_ = real_count_ + complex;
        std::copy_n(complex_.begin(), complex, hops_.begin() + static_cast<std::ptrdiff_t>(real_count_));
    }
    std::uint64_t real_count() const { return real_count_; }
    std::uint64_t count() const { return count_; }
    const Hop& operator[](std::uint64_t e) const { return hops_[e]; }

  private:
    struct Found {
        std::uint64_t term;
        std::uint32_t element, count;
        OrbitListView::Cell cell;
    };
    static constexpr std::uint32_t most_blocks = 8;

    /// Representatives of the strings from which the terms lead that were found. Mostly one element alone leads to the
    /// smallest T.
    void find_representatives(std::uint64_t string, std::uint64_t count) {
        const OrbitSearchView& search = h_.orbits.search;
        const std::uint32_t blocks = search.blocks <= most_blocks ? search.blocks : 0;
        std::uint32_t values[most_blocks];
        for (std::uint32_t k = 0; k < blocks; ++k) values[k] = search.value(k, string);
        for (std::uint64_t i = 0; i < count; ++i) {
            Found& found = found_[i];
            const std::uint64_t source = string ^ h_.terms[found.term].flip;
            const std::uint32_t* flip = h_.flip_values + found.term * search.blocks;
            OrbitSearchView::Top best = {~std::uint32_t{0}, search.order};
            for (std::uint32_t k = 0; k < blocks; ++k) {
                const OrbitSearchView::Top top = search.top(k, values[k] ^ flip[k]);
                const std::uint32_t list =
                    top.smallest == best.smallest ? search.order : top.list;  // several lead there
                best = top.smallest <= best.smallest ? OrbitSearchView::Top{top.smallest, list} : best;
            }
            SmallestImage image = {0, best.list, 1};
            if (search.single(best.list))
                image.string = search.image(best.list, source);
            else
                image = smallest_image(search, source);
            found.element = image.element;
            found.count = image.count;
            found.cell = h_.orbits.cell_of(image.string);
            __builtin_prefetch(found.cell.begin);
        }
    }

    const ComputedHopsView& h_;
    std::vector<Hop> hops_, complex_;
    std::vector<Found> found_;
    std::uint64_t real_count_ = 0, count_ = 0;
};

template <int Reals, class Real>
TileSums sums_of_block(const Real* v, const Real* w) {
    TileDots<Real> dots;
    for (std::uint64_t i = 0; i < block_rows * Reals; i += lanes<Real>) dots.add(load(v + i), load(w + i));
    return dots.sums();
}

template <int Reals, class Real>
void add_stored_hops(const HamiltonianView& h, std::uint64_t block, const Real* numbers, Real* w) {
    const HoppingView& hops = h.rows;
    const std::uint32_t classes = hops.class_mask();
    const std::uint64_t first = block * block_rows, rows = h.layout.rows_of(block);
    for (std::uint64_t row = first; row < first + rows; ++row)
        add_hops<Reals>(
            hops.first[row], hops.complex[row], hops.first[row + 1],
            [&](std::uint64_t e) {
                const std::uint32_t entry = hops.entries[e], c = entry & classes;
                return Hop{entry >> hops.bits, hops.re[c], hops.im[c]};
            },
            numbers, w + row * Reals);
}

template <int Reals, class Real>
void add_computed_hops(const HamiltonianView& h, std::uint64_t block, HopsOfRow& hops, const Real* numbers, Real* w) {
    const OrbitListView& orbits = h.computed->orbits;
    const std::uint64_t first = block * block_rows, rows = h.layout.rows_of(block),
                        orbit = h.layout.blocks.first * block_rows + first;
    std::uint64_t top = orbits.top_of_orbit(orbit);
    for (std::uint64_t u = 0; u < rows; ++u) {
        while (orbit + u >= orbits.first[top + 1]) ++top;
        hops.list(orbits.string(top, orbit + u), numbers, sizeof(Real) * Reals);
        add_hops<Reals>(
            0, hops.real_count(), hops.count(), [&](std::uint64_t e) { return hops[e]; }, numbers,
            w + (first + u) * Reals);
    }
}

template <int Reals, class Real>
void hop_sweep(const HamiltonianView& h, const Real* numbers, const Real* v, Real* w, TileSums* sums) {
    const std::uint64_t size = h.layout.block_size();
    in_team(omp_get_max_threads(), [&](int) {
        std::optional<HopsOfRow> computed;
        if (h.computed != nullptr) computed.emplace(*h.computed);
#pragma omp for schedule(static) nowait
        for (std::uint64_t block = 0; block < h.layout.blocks.size(); ++block) {
            if (computed)
                add_computed_hops<Reals>(h, block, *computed, numbers, w);
            else
                add_stored_hops<Reals>(h, block, numbers, w);
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
