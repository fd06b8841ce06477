// SPDX-License-Identifier: BSD-3-Clause
// What sweeps over panels share: the scalar products of a tile, for registers of either width, and where the rows of a
// gathered panel lie.
#pragma once

#include "kernels/lanczos/step_kernels.hpp"
#include "kernels/lanes.hpp"

namespace strata::lanczos::STRATA_ISA {

using namespace strata::STRATA_ISA;

/// The scalar products of one tile.
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

/// Finds a row in a gathered panel of rows of `width` reals.
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

}  // namespace strata::lanczos::STRATA_ISA
