// SPDX-License-Identifier: BSD-3-Clause
// The action of hops between the halves of the lattice on the left half (LeftHopsView), with its memory: D_j removes a
// particle from left site j or adds one. A fermion passes the particles of the left half above j.
#pragma once

#include <vector>

#include "lanczos/physics/hamiltonian.hpp"

namespace strata::lanczos {

/// Whether a fermion that hops to or from left site j passes an odd number of particles of the left half.
inline bool odd_above(std::uint64_t occupation, int j) { return __builtin_popcountll(occupation >> (j + 1)) % 2 == 1; }

class LeftHops {
  public:
    /// Leads from the down bit strings `from` to those of `to`, which have one particle more or less. `amplitudes`: [s
    /// * left sites + j] t_sj, 0 without a hop; `entries`: number of entries of all D_j with hops.
    LeftHops(const BitStrings& from, const ComponentTable& to, Statistics statistics,
             const std::vector<Complex>& amplitudes, std::uint64_t entries);
    LeftHopsView view() const;
    std::uint64_t bytes() const { return bytes(to_, sites_, partners_.size(), rows_.size()); }
    /// `to`: number of down bit strings; `left`: of all left sites; `right`: of right sites with hops.
    static constexpr std::uint64_t bytes(std::uint64_t to, std::uint64_t left, std::uint64_t right,
                                         std::uint64_t entries) {
        return 8 * (2 * parts(to) * left + 1) + 8 * (2 * left + 1) * right + 8 * entries;
    }

  private:
    static constexpr std::uint64_t parts(std::uint64_t rows) {
        return (rows + LeftHopsView::part_rows - 1) / LeftHopsView::part_rows;
    }

    std::uint32_t sites_;
    std::uint64_t to_;
    std::vector<double> re_, im_;          ///< [right site][left site] amplitude
    std::vector<std::uint64_t> partners_;  ///< [right site] left sites with a hop, one bit each
    std::vector<std::uint64_t> first_ = {0};
    std::vector<std::uint32_t> rows_, columns_;
};

}  // namespace strata::lanczos
