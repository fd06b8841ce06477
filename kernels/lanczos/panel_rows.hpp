// SPDX-License-Identifier: BSD-3-Clause
// Parts that sweeps over panels share: the scalar products of a tile, for registers of either width, and the positions
// of the rows of a gathered panel.
#pragma once

#include <type_traits>

#include "kernels/lanczos/step_kernels.hpp"
#include "kernels/lanes.hpp"
#include "strata/parallel.hpp"

namespace strata::lanczos::STRATA_ISA {

using namespace strata::STRATA_ISA;

/// Scalar products of one tile.
template <class Real, int Bytes = 64>
class TileDots {
  public:
    [[gnu::always_inline]] void add(Lanes<Real, Bytes> v, Lanes<Real, Bytes> w) {
        vw_.add(v, w);
        ww_.add(w, w);
        vv_.add(v, v);
    }
    TileSums sums() const { return {vw_.total(), ww_.total(), vv_.total()}; }

  private:
    DoubleSum<Real, Bytes> vw_, ww_, vv_;
};

/// Addresses of the rows of a gathered panel, which have `width` reals.
template <class Real>
class GatheredRows {
  public:
    GatheredRows(const GatheredPanels<Real>& g, std::uint64_t panel, std::uint64_t width)
        : g_(g), panel_(panel), width_(width) {}
    const Real* operator()(std::uint64_t u) const {
        const std::uint64_t block = u / block_rows;
        int rank = 0;
        while (block >= g_.blocks[rank].last) ++rank;
        const Range& own = g_.blocks[rank];
        return g_.pieces[rank] + ((panel_ * own.size() + block - own.first) * block_rows + u % block_rows) * width_;
    }

  private:
    const GatheredPanels<Real>& g_;
    std::uint64_t panel_, width_;
};

/// Calls of(arithmetic) with the arithmetic of a layout as a constant.
template <class Of>
void with_arithmetic(const BlockLayout& l, Of of) {
    if (l.arithmetic == Arithmetic::real)
        of(std::integral_constant<Arithmetic, Arithmetic::real>());
    else
        of(std::integral_constant<Arithmetic, Arithmetic::complex>());
}

/// Calls sweep(block, panel, sums) for all tiles of this rank, panel by panel.
template <class Sweep>
void for_each_tile(const BlockLayout& l, TileSums* sums, Sweep sweep) {
    const std::uint64_t panels = l.panels(), blocks = l.blocks.size();
    in_team(omp_get_max_threads(), [&](int) {
#pragma omp for collapse(2) schedule(static) nowait
        for (std::uint64_t panel = 0; panel < panels; ++panel)
            for (std::uint64_t block = 0; block < blocks; ++block) sweep(block, panel, sums[block * panels + panel]);
    });
}

/// Calls apply(u, row, out) for all rows u of some gathered panels; `row(u)` points to row u of v, `out` to row u of
/// the result, which has the layout of v.
template <class Real, class Apply>
void for_each_gathered_row(const BlockLayout& l, const GatheredPanels<Real>& v, std::uint64_t panels, Real* const* out,
                           Apply apply) {
    const GatheredPanels<Real> target = {out, v.blocks, v.ranks};
    in_team(omp_get_max_threads(), [&](int) {
#pragma omp for collapse(2) schedule(static) nowait
        for (std::uint64_t panel = 0; panel < panels; ++panel)
            for (std::uint64_t block = 0; block < l.all_blocks(); ++block) {
                const GatheredRows<Real> row(v, panel, l.panel), out_row(target, panel, l.panel);
                for (std::uint64_t u = block * block_rows; u < (block + 1) * block_rows; ++u)
                    apply(u, row, const_cast<Real*>(out_row(u)));
            }
    });
}

/// Calls add(h, v, w), which adds a tile of h to w and returns the sums, for the tiles of some panels; `up` is h,
/// [panel][block][tile].
template <class Real, class Add>
void add_up_panels(const BlockLayout& l, const Real* up, Range panels, const Real* v, Real* w, TileSums* sums,
                   Add add) {
    const std::uint64_t blocks = l.blocks.size(), tile = l.tile();
    in_team(omp_get_max_threads(), [&](int) {
#pragma omp for collapse(2) schedule(static) nowait
        for (std::uint64_t panel = panels.first; panel < panels.last; ++panel)
            for (std::uint64_t block = 0; block < blocks; ++block) {
                const Real* from = up + ((panel - panels.first) * blocks + block) * tile;
                const std::uint64_t at = block * l.block_size() + panel * tile;
                sums[block * l.panels() + panel] = add(from, v + at, w + at);
            }
    });
}

}  // namespace strata::lanczos::STRATA_ISA
