// SPDX-License-Identifier: BSD-3-Clause
// A sum of doubles that does not depend on their order: every addend is converted to an integer multiple of 2^-96, and
// integers are added modulo 2^128. Partial sums of threads and ranks therefore give the same bits for any distribution
// of the addends.
#pragma once

#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <span>

#include "strata/backend.hpp"

namespace strata {

/// Addends and sums must be below 2^31 in magnitude. Addends are truncated towards zero to multiples of 2^-96; a double
/// of magnitude 2^-44 or more is added exactly.
class FixedPointSum {
  public:
    /// Adds a number. A non-finite or too large addend sets the sum to NaN permanently.
    STRATA_HOST_DEVICE void add(double x) {
        const double scaled = (x < 0 ? -x : x) * 0x1p32;
        if (!(scaled < 0x1p63)) return set_invalid();
        FixedPointSum addend;
        addend.high_ = static_cast<std::uint64_t>(static_cast<std::int64_t>(scaled));
        addend.low_ = fraction_bits(scaled - static_cast<double>(static_cast<std::int64_t>(addend.high_)));
        if (x < 0) addend.negate();
        add(addend);
    }
    STRATA_HOST_DEVICE void add(const FixedPointSum& other) {
        if (invalid() || other.invalid()) return set_invalid();
        low_ += other.low_;
        high_ += other.high_ + (low_ < other.low_ ? 1 : 0);
    }
    STRATA_HOST_DEVICE FixedPointSum& operator+=(const FixedPointSum& other) {
        add(other);
        return *this;
    }

    /// The sum, up to the rounding of its high and low halves to double; NaN if it is invalid.
    double value() const {
        if (invalid()) return std::numeric_limits<double>::quiet_NaN();
        FixedPointSum magnitude = *this;
        const bool negative = high_ >> 63 != 0;
        if (negative) magnitude.negate();
        const double sum =
            static_cast<double>(magnitude.high_) * 0x1p-32 + static_cast<double>(magnitude.low_) * 0x1p-96;
        return negative ? -sum : sum;
    }

    /// The sum as four digits of 32 bits, lowest first. Up to 2^32 sums can be added digit by digit in words of 64
    /// bits.
    std::array<std::uint64_t, 4> pieces() const {
        constexpr std::uint64_t mask = 0xffffffff;
        return {low_ & mask, low_ >> 32, high_ & mask, high_ >> 32};
    }
    /// Sum from digits that were added in this way; `invalid` if one of the sums was invalid.
    static FixedPointSum from_pieces(const std::array<std::uint64_t, 4>& p, bool invalid) {
        FixedPointSum sum;
        const std::uint64_t p1 = p[1] + (p[0] >> 32), p2 = p[2] + (p1 >> 32), p3 = p[3] + (p2 >> 32);
        sum.low_ = (p[0] & 0xffffffff) | p1 << 32;
        sum.high_ = (p2 & 0xffffffff) | p3 << 32;
        if (invalid) sum.set_invalid();
        return sum;
    }

    /// high 2^-32 + middle 2^-64 + low 2^-96.
    static FixedPointSum from_words(std::int64_t high, std::int64_t middle, std::int64_t low) {
        __extension__ typedef __int128 Wide;
        const Wide all = (static_cast<Wide>(high) << 64) + (static_cast<Wide>(middle) << 32) + low;
        FixedPointSum sum;
        sum.high_ = static_cast<std::uint64_t>(all >> 64);
        sum.low_ = static_cast<std::uint64_t>(all);
        return sum;
    }
    static FixedPointSum not_finite() {
        FixedPointSum sum;
        sum.set_invalid();
        return sum;
    }

    STRATA_HOST_DEVICE bool invalid() const { return high_ == not_a_number && low_ == 0; }
    friend bool operator==(const FixedPointSum&, const FixedPointSum&) = default;

  private:
    static constexpr std::uint64_t not_a_number = std::uint64_t{1} << 63;  // the one integer without a negative

    /// x * 2^64 for 0 <= x < 1, in two conversions of 32 bits.
    STRATA_HOST_DEVICE static std::uint64_t fraction_bits(double x) {
        const double upper = x * 0x1p32;
        const auto bits = static_cast<std::uint64_t>(static_cast<std::int64_t>(upper));
        const double rest = (upper - static_cast<double>(static_cast<std::int64_t>(bits))) * 0x1p32;
        return bits << 32 | static_cast<std::uint64_t>(static_cast<std::int64_t>(rest));
    }
    STRATA_HOST_DEVICE void negate() {
        low_ = ~low_ + 1;
        high_ = ~high_ + (low_ == 0 ? 1 : 0);
    }
    STRATA_HOST_DEVICE void set_invalid() {
        high_ = not_a_number;
        low_ = 0;
    }

    std::uint64_t high_ = 0, low_ = 0;  ///< together, two's complement, in units of 2^-96
};

/// The same sum of up to 2^31 numbers on a host, in three words without carries between them, which is faster.
class SplitSum {
  public:
    /// Adds a number, with the conditions and the truncation of FixedPointSum::add().
    void add(double x) {
        const bool valid = std::abs(x) < 0x1p31;
        finite_ &= valid;
        const double scaled = valid ? x * 0x1p32 : 0;
        const auto high = static_cast<std::int64_t>(scaled);
        const double rest = (scaled - static_cast<double>(high)) * 0x1p32;
        const auto middle = static_cast<std::int64_t>(rest);
        high_ += static_cast<std::uint64_t>(high);
        middle_ += middle;
        low_ += static_cast<std::int64_t>((rest - static_cast<double>(middle)) * 0x1p32);
    }
    FixedPointSum total() const {
        return finite_ ? FixedPointSum::from_words(static_cast<std::int64_t>(high_), middle_, low_)
                       : FixedPointSum::not_finite();
    }

  private:
    std::uint64_t high_ = 0;
    std::int64_t middle_ = 0, low_ = 0;
    bool finite_ = true;
};

}  // namespace strata
