// SPDX-License-Identifier: BSD-3-Clause
// Occupation bit strings of one tensor factor: integers of `sites` bits, bit i set where site i is occupied (in quantum
// chemistry: alpha and beta strings). They are those with a number of bits set, those whose number has a parity, or all,
// or those of sites with other than two states (coded_strings.hpp), each indexed in numerical order, so that nothing is
// ever searched:
//
//     a number   sum_k C(position of the k-th set bit, k), k = 1, 2, ... (combinadics)
//     a parity   the string without its lowest bit, which follows from the others
//     all        the string
//     codes      by counting, site by site
#pragma once

#include <array>
#include <cstdint>
#include <memory>

#include "lanczos/physics/coded_strings.hpp"

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

class BitStrings {
  public:
    enum class Kind { number, parity, all, codes };

    /// Those with `particles` bits set, 0 <= particles <= sites <= 64.
    BitStrings(int sites, int particles) : BitStrings(sites, Kind::number, particles) {}
    /// `value`: the number, the parity 0 or 1, or 0.
    BitStrings(int sites, Kind kind, int value) : sites_(sites), value_(value), kind_(kind), count_(with_fixed(0, 0)) {}

    /// Those of a charge of coded sites.
    BitStrings(std::shared_ptr<const CodedStrings> coded, int charge)
        : sites_(coded->bits()),
          value_(coded->reduced(charge)),
          kind_(Kind::codes),
          count_(coded->count(charge)),
          coded_(std::move(coded)) {}

    int sites() const { return sites_; }  ///< number of bits
    Kind kind() const { return kind_; }
    int particles() const { return value_; }  ///< of strings with a number
    int value() const { return value_; }
    std::uint64_t count() const { return count_; }
    /// Number of strings of which `fixed` given sites have given occupations, `occupied` of them 1.
    std::uint64_t with_fixed(int fixed, int occupied) const;
    /// Number of strings s with (s & mask) = value.
    std::uint64_t count_with(std::uint64_t mask, std::uint64_t value) const;
    /// The strings from which an operator leads to these that flips the bits `flip`, which have the values `value` before.
    BitStrings before(std::uint64_t flip, std::uint64_t value) const;
    bool operator==(const BitStrings& other) const {
        return sites_ == other.sites_ && kind_ == other.kind_ && value_ == other.value_ && coded_ == other.coded_;
    }

    /// Whether a bit string of states of the sites is one of them.
    bool contains(std::uint64_t occupation) const;
    /// Index of a bit string, and the bit string with an index below count().
    std::uint64_t index_of(std::uint64_t occupation) const;
    std::uint64_t occupation(std::uint64_t index) const;
    /// The next bit string of the same number of bits; the last one has none.
    static std::uint64_t next(std::uint64_t occupation);

  private:
    int sites_, value_;
    Kind kind_;
    std::uint64_t count_;
    std::shared_ptr<const CodedStrings> coded_;
};

}  // namespace strata::lanczos
