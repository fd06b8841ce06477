// SPDX-License-Identifier: BSD-3-Clause
// The states of one species: strings of `sites` bits with `particles` of them set, numbered in numerical order. The
// number of a string is sum_k C(position of its k-th set bit, k) (combinadics), so nothing is ever searched.
#pragma once

#include <cstdint>

namespace strata::lanczos {

class Combinations {
  public:
    /// 0 <= particles <= sites <= 64. Throws Error(does_not_fit) if there are 2^63 strings or more.
    Combinations(int sites, int particles);

    int sites() const { return sites_; }
    int particles() const { return particles_; }
    std::uint64_t count() const { return count_; }
    std::uint64_t number(std::uint64_t string) const;
    std::uint64_t string(std::uint64_t number) const;
    /// The next string in order; the last one has none.
    static std::uint64_t next(std::uint64_t string);

  private:
    int sites_, particles_;
    std::uint64_t choose_[65][65];  ///< [n][k], at most 2^63
    std::uint64_t count_;
};

}  // namespace strata::lanczos
