// SPDX-License-Identifier: BSD-3-Clause
// Occupation bit strings of one tensor factor: integers of `sites` bits, bit i set where site i is occupied,
// `particles` of them set (in quantum chemistry: alpha and beta strings). They are indexed in numerical order; the
// index of a bit string is sum_k C(position of its k-th set bit, k), k = 1, 2, ... (combinadics), so that nothing is
// ever searched.
#pragma once

#include <array>
#include <cstdint>

namespace strata::lanczos {

/// [n][k] binomial coefficients for 0 <= n, k <= 64; all are below 2^61.
inline constexpr auto binomials = [] {
    std::array<std::array<std::uint64_t, 65>, 65> c{};
    for (std::size_t n = 0; n <= 64; ++n) {
        c[n][0] = 1;
        for (std::size_t k = 1; k <= n; ++k) c[n][k] = c[n - 1][k - 1] + c[n - 1][k];
    }
    return c;
}();

/// Binomial coefficient C(n, k) for n <= 64; 0 where k is not from 0 to n.
constexpr std::uint64_t choose(int n, int k) {
    return n < 0 || k < 0 || k > n ? 0 : binomials[static_cast<std::size_t>(n)][static_cast<std::size_t>(k)];
}

class Combinations {
  public:
    /// 0 <= particles <= sites <= 64.
    Combinations(int sites, int particles)
        : sites_(sites), particles_(particles), count_(lanczos::choose(sites, particles)) {}

    int sites() const { return sites_; }
    int particles() const { return particles_; }
    std::uint64_t count() const { return count_; }
    /// Index of a bit string with `particles` bits set, and the bit string with an index below count().
    std::uint64_t index_of(std::uint64_t occupation) const;
    std::uint64_t occupation(std::uint64_t index) const;
    /// The next bit string in order; the last one has none.
    static std::uint64_t next(std::uint64_t occupation);

  private:
    int sites_, particles_;
    std::uint64_t count_;
};

}  // namespace strata::lanczos
