// SPDX-License-Identifier: BSD-3-Clause
// Bit strings of sites that have other than two states. A site takes several adjacent bits, and some of their patterns
// are codes of its states; the others are in no string:
//
//     t-J model     bits (up, down)     00 empty, 01 down, 10 up              11 is no code
//     electrons     bits (up, down)     all four, in sectors of lattice symmetries with further terms
//     2 S + 1 levels, 2 S bits          0..00, 0..01, 0..011, ..., 1..11      as many bits as m + S
//
// so that a conserved charge is a sum of weights of bits: the number of bits set is that of particles, or S^z up to a
// constant. Strings of one charge are indexed in numerical order by counting, site by site from the highest one: all
// strings with a lower code on that site and the same codes above it come first. Nothing is listed or searched.
#pragma once

#include <cstdint>
#include <vector>

namespace strata::lanczos {

/// The states of a site as patterns of bits.
struct SiteCodes {
    int bits = 1;                           ///< number of bits of a site
    std::vector<std::uint64_t> codes = {};  ///< patterns that are states, ascending; empty: one bit with both values

    bool coded() const { return !codes.empty(); }
    static SiteCodes without_double_occupancy() { return {2, {0b00, 0b01, 0b10}}; }
    static SiteCodes of_electrons() { return {2, {0b00, 0b01, 0b10, 0b11}}; }
    /// Levels 0 to `highest`: as many of the lowest bits are set.
    static SiteCodes levels(int highest);
};

/// A charge of bit strings.
struct StringCharge {
    std::vector<int> weight;  ///< [bit of a site]
    int modulus = 0;          ///< the charge is the sum of the weights modulo this, or the sum itself where it is 0
};

class CodedStrings {
  public:
    CodedStrings(int sites, SiteCodes codes, StringCharge charge);

    int bits() const { return sites_ * codes_.bits; }
    int least() const { return sites_ * least_; }                        ///< smallest charge
    int most() const { return least() + static_cast<int>(width_) - 1; }  ///< largest charge
    int reduced(int charge) const;                                       ///< modulo the modulus
    std::uint64_t count(int charge) const { return ways(sites_, charge - least()); }
    /// Number of strings s of a charge with (s & mask) = value.
    std::uint64_t count_with(std::uint64_t mask, std::uint64_t value, int charge) const;
    std::uint64_t index_of(std::uint64_t string, int charge) const;
    std::uint64_t string(std::uint64_t index, int charge) const;
    /// Charge that is added where the bits of `flip` are flipped, which have the values `value` before.
    int added(std::uint64_t flip, std::uint64_t value) const;

  private:
    /// Number of strings of so many sites with a charge, counted from the smallest one; 0 for charges that none has.
    std::uint64_t ways(int sites, int charge) const;

    int sites_;
    SiteCodes codes_;
    StringCharge charge_;
    int least_ = 0;                    ///< smallest charge of a site
    std::vector<int> weight_;          ///< [code] charge, counted from the smallest one
    std::uint64_t width_ = 1;          ///< number of charges
    std::vector<std::uint64_t> ways_;  ///< [sites][charge]
};

}  // namespace strata::lanczos
