// SPDX-License-Identifier: BSD-3-Clause
// H_up, panel by panel: whole pieces of subvectors are added up, 32 reals at a time, while one panel of all up rows
// stays in the cache. Sums are made tile by tile in a fixed order.
#include <omp.h>

#include "kernels/lanczos/lanes.hpp"
#include "kernels/lanczos/step_kernels.hpp"

namespace strata::lanczos::STRATA_ISA {
namespace {

constexpr int vectors = panel_reals / lanes;

/// sum over hops of amplitude * row of f; row(u) finds the 32 reals of an up row.
template <Arithmetic A, class Row>
[[gnu::always_inline]] inline void apply_row(const SpeciesView& up, std::uint64_t u, Row row, Lanes (&sum)[vectors]) {
    Lanes imaginary[vectors] = {};
    for (Lanes& s : sum) s = Lanes{};
    const auto hop = [&](std::uint64_t e, const double* amplitude, Lanes(&to)[vectors]) {
        const std::uint32_t entry = up.entries[e];
        const double* from = row(entry >> amplitude_bits);
        const Lanes a = all(amplitude[entry & (most_amplitudes - 1)]);
        for (int i = 0; i < vectors; ++i) to[i] = fma(a, load(from + i * lanes), to[i]);
    };
    const std::uint64_t complex = up.complex[u], end = up.first[u + 1];
    for (std::uint64_t e = up.first[u]; e < complex; ++e) hop(e, up.re, sum);
    if constexpr (A == Arithmetic::complex) {
        for (std::uint64_t e = complex; e < end; ++e) {
            hop(e, up.re, sum);
            hop(e, up.im, imaginary);
        }
        for (int i = 0; i < vectors; ++i) sum[i] += times_i(imaginary[i]);
    }
}

/// Sums of one tile, as they grow row by row.
class TileDots {
  public:
    [[gnu::always_inline]] void add(const double* f, const Lanes (&q)[vectors]) {
        for (int i = 0; i < vectors; ++i) {
            const Lanes x = load(f + i * lanes);
            fq_ = fma(x, q[i], fq_);
            qq_ = fma(q[i], q[i], qq_);
            ff_ = fma(x, x, ff_);
        }
    }
    TileSums sums() const { return {sum(fq_), sum(qq_), sum(ff_)}; }

  private:
    Lanes fq_ = {}, qq_ = {}, ff_ = {};
};

template <Arithmetic A>
void sweep_tile(const HamiltonianView& h, std::uint64_t block, std::uint64_t panel, const double* f, double* q,
                TileSums& sums) {
    const std::uint64_t size = h.layout.block_size(), column = panel * tile_reals;
    const auto row = [=](std::uint64_t u) { return f + u / block_rows * size + column + u % block_rows * panel_reals; };
    TileDots dots;
    if (panel + 1 < h.layout.panels()) fetch(f + block * size + column + tile_reals, tile_reals);
    if (block + 1 < h.layout.all_blocks()) fetch(q + (block + 1) * size + column, tile_reals);
    for (std::uint64_t u = block * block_rows; u < (block + 1) * block_rows && u < h.up.dim; ++u) {
        Lanes sum[vectors];
        apply_row<A>(h.up, u, row, sum);
        double* out = q + (row(u) - f);
        for (int i = 0; i < vectors; ++i) {
            sum[i] += load(out + i * lanes);
            store(out + i * lanes, sum[i]);
        }
        dots.add(row(u), sum);
    }
    sums = dots.sums();
}

/// Where an up row of a gathered panel lies.
class GatheredRows {
  public:
    GatheredRows(const GatheredPanels& g, std::uint64_t panel) : g_(g), panel_(panel) {}
    const double* operator()(std::uint64_t u) const {
        const std::uint64_t block = u / block_rows;
        int rank = 0;
        while (block >= g_.blocks[rank].last) ++rank;
        const Range& own = g_.blocks[rank];
        return g_.pieces[rank] + (panel_ * own.size() + block - own.first) * tile_reals + u % block_rows * panel_reals;
    }

  private:
    const GatheredPanels& g_;
    std::uint64_t panel_;
};

template <Arithmetic A>
void gathered(const HamiltonianView& h, const GatheredPanels& f, std::uint64_t panels, double* const* out) {
#pragma omp parallel for collapse(2) schedule(static)
    for (std::uint64_t panel = 0; panel < panels; ++panel)
        for (std::uint64_t block = 0; block < h.layout.all_blocks(); ++block) {
            const GatheredRows row(f, panel);
            const GatheredPanels target = {out, f.blocks, f.ranks};
            const GatheredRows out_row(target, panel);
            for (std::uint64_t u = block * block_rows; u < (block + 1) * block_rows; ++u) {
                Lanes sum[vectors] = {};
                if (u < h.up.dim) apply_row<A>(h.up, u, row, sum);
                double* to = const_cast<double*>(out_row(u));
                for (int i = 0; i < vectors; ++i) store(to + i * lanes, sum[i]);
            }
        }
}

}  // namespace

void up_sweep(const HamiltonianView& h, const double* f, double* q, TileSums* sums) {
    const std::uint64_t panels = h.layout.panels(), blocks = h.layout.all_blocks();
#pragma omp parallel for collapse(2) schedule(static)
    for (std::uint64_t panel = 0; panel < panels; ++panel)
        for (std::uint64_t block = 0; block < blocks; ++block) {
            TileSums& of_tile = sums[block * panels + panel];
            if (h.layout.arithmetic == Arithmetic::real)
                sweep_tile<Arithmetic::real>(h, block, panel, f, q, of_tile);
            else
                sweep_tile<Arithmetic::complex>(h, block, panel, f, q, of_tile);
        }
}

void up_gathered(const HamiltonianView& h, const GatheredPanels& f, std::uint64_t panels, double* const* out) {
    if (h.layout.arithmetic == Arithmetic::real)
        gathered<Arithmetic::real>(h, f, panels, out);
    else
        gathered<Arithmetic::complex>(h, f, panels, out);
}

void add_up(const HamiltonianView& h, const double* up, Range panels, const double* f, double* q, TileSums* sums) {
    const std::uint64_t blocks = h.layout.blocks.size(), size = h.layout.block_size();
#pragma omp parallel for collapse(2) schedule(static)
    for (std::uint64_t panel = panels.first; panel < panels.last; ++panel)
        for (std::uint64_t block = 0; block < blocks; ++block) {
            const double* from = up + ((panel - panels.first) * blocks + block) * tile_reals;
            const std::uint64_t at = block * size + panel * tile_reals;
            TileDots dots;
            for (std::uint64_t row = 0; row < block_rows; ++row) {
                if ((h.layout.blocks.first + block) * block_rows + row >= h.up.dim) break;
                Lanes sum[vectors];
                for (int i = 0; i < vectors; ++i) {
                    const std::uint64_t real = row * panel_reals + static_cast<std::uint64_t>(i) * lanes;
                    sum[i] = load(from + real) + load(q + at + real);
                    store(q + at + real, sum[i]);
                }
                dots.add(f + at + row * panel_reals, sum);
            }
            sums[block * h.layout.panels() + panel] = dots.sums();
        }
}

void combine(const BlockLayout& layout, double a, const double* x, double b, const double* y, double* out,
             TileSums* sums) {
    const Lanes by_a = all(a), by_b = all(b);
#pragma omp parallel for schedule(static)
    for (std::uint64_t tile = 0; tile < layout.tiles(); ++tile) {
        Lanes squares = {};
        for (std::uint64_t i = tile * tile_reals; i < (tile + 1) * tile_reals; i += lanes) {
            const Lanes v = fma(by_a, load(x + i), by_b * load(y + i));
            if (out != nullptr) store(out + i, v);
            squares = fma(v, v, squares);
        }
        sums[tile] = {0, 0, sum(squares)};
    }
}

}  // namespace strata::lanczos::STRATA_ISA
