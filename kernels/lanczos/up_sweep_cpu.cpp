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
[[gnu::always_inline]] inline void apply_row(const HopView& hops, std::uint64_t u, Row row, Lanes (&sum)[vectors]) {
    const std::uint32_t classes = (1u << hops.bits) - 1;
    Lanes imaginary[vectors] = {};
    for (Lanes& s : sum) s = Lanes{};
    const auto hop = [&](std::uint64_t e, const double* amplitude, Lanes(&to)[vectors]) {
        const std::uint32_t entry = hops.entries[e];
        const double* from = row(entry >> hops.bits);
        const Lanes a = all(amplitude[entry & classes]);
        for (int i = 0; i < vectors; ++i) to[i] = fma(a, load(from + i * lanes), to[i]);
    };
    const std::uint64_t complex = hops.complex[u], end = hops.first[u + 1];
    for (std::uint64_t e = hops.first[u]; e < complex; ++e) hop(e, hops.re, sum);
    if constexpr (A == Arithmetic::complex) {
        for (std::uint64_t e = complex; e < end; ++e) {
            hop(e, hops.re, sum);
            hop(e, hops.im, imaginary);
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
void sweep_tile(const HamiltonianView& h, std::uint64_t block, std::uint64_t panel, const double* reach,
                const double* f, double* q, TileSums& sums) {
    const std::uint64_t size = h.layout.block_size(), column = panel * tile_reals;
    const auto row = [=](std::uint64_t u) {
        return reach + u / block_rows * size + column + u % block_rows * panel_reals;
    };
    const std::uint64_t at = block * size + column;
    TileDots dots;
    if (panel + 1 < h.layout.panels()) fetch(f + at + tile_reals, tile_reals);
    if (block + 1 < h.layout.blocks.size()) fetch(q + at + size, tile_reals);
    const std::uint64_t rows = h.layout.rows_of(block);
    for (std::uint64_t u = 0; u < rows; ++u) {
        Lanes sum[vectors];
        apply_row<A>(h.rows, block * block_rows + u, row, sum);
        double* out = q + at + u * panel_reals;
        for (int i = 0; i < vectors; ++i) {
            sum[i] += load(out + i * lanes);
            store(out + i * lanes, sum[i]);
        }
        dots.add(f + at + u * panel_reals, sum);
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
                if (u < h.up.dim) apply_row<A>(h.up.hops, u, row, sum);
                double* to = const_cast<double*>(out_row(u));
                for (int i = 0; i < vectors; ++i) store(to + i * lanes, sum[i]);
            }
        }
}

}  // namespace

void up_sweep(const HamiltonianView& h, const double* reach, const double* f, double* q, TileSums* sums) {
    const std::uint64_t panels = h.layout.panels(), blocks = h.layout.blocks.size();
#pragma omp parallel for collapse(2) schedule(static)
    for (std::uint64_t panel = 0; panel < panels; ++panel)
        for (std::uint64_t block = 0; block < blocks; ++block) {
            TileSums& of_tile = sums[block * panels + panel];
            if (h.layout.arithmetic == Arithmetic::real)
                sweep_tile<Arithmetic::real>(h, block, panel, reach, f, q, of_tile);
            else
                sweep_tile<Arithmetic::complex>(h, block, panel, reach, f, q, of_tile);
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
            const std::uint64_t rows = h.layout.rows_of(block);
            for (std::uint64_t row = 0; row < rows; ++row) {
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

}  // namespace strata::lanczos::STRATA_ISA
