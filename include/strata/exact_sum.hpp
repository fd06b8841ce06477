// SPDX-License-Identifier: BSD-3-Clause
// A sum of doubles that does not depend on their order, nor on how they are divided among threads, ranks and devices. A
// number is written in digits of 32 bits whose weights are the powers of 2^32; the digits of all addends are added as
// integers. Kept are the three highest positions, from that of the largest addend downwards:
//
//     position of a digit       2          1          0         -1         -2
//     largest addend                   digit[0]   digit[1]   digit[2]
//     another addend                       0      digit[1]   digit[2]   (dropped)
//
// A digit is dropped because of its position alone, so that it is of no importance when the largest addend arrives
// (J. Demmel, H. D. Nguyen, IEEE Trans. Comput. 64, 2060 (2015), binned sums).
#pragma once

#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>

#include "strata/backend.hpp"

namespace strata {

/// Exact except for what lies below 2^-64 of the largest addend, less than 1/2000 of the rounding error of that addend. Up
/// to 2^31 addends.
class ExactSum {
  public:
    /// Adds a number. One that is not finite sets the sum to NaN permanently.
    STRATA_HOST_DEVICE void add(double x) {
        double rest = x * unit_;
        if (!(std::fabs(rest) < 0x1p32)) {  // also where the sum is not a number, nor its unit
            if (first_ == not_finite) return;
            raise(position(x));
            if (first_ == not_finite) return;
            rest = x * unit_;
        }
        for (std::int64_t& digit : digit_) {
            const auto integer = static_cast<std::int64_t>(rest);
            digit += integer;
            rest = (rest - static_cast<double>(integer)) * 0x1p32;
        }
    }
    STRATA_HOST_DEVICE ExactSum& operator+=(const ExactSum& other) {
        ExactSum addend = other;
        raise(addend.first_);
        addend.raise(first_);
        for (int i = 0; i < digits; ++i) digit_[i] += addend.digit_[i];
        return *this;
    }

    /// The sum, rounded once; NaN if an addend was not finite.
    double value() const {
        if (first_ == not_finite) return std::numeric_limits<double>::quiet_NaN();
        __extension__ typedef __int128 Wide;
        const Wide sum = ((static_cast<Wide>(digit_[0]) << 32) + digit_[1]) * (Wide{1} << 32) + digit_[2];
        return std::ldexp(static_cast<double>(sum), 32 * (static_cast<int>(first_) - 2));
    }
    bool invalid() const { return first_ == not_finite; }
    friend bool operator==(const ExactSum& a, const ExactSum& b) {
        if (a.invalid() || b.invalid()) return a.invalid() && b.invalid();
        return a.first_ == b.first_ && std::memcmp(a.digit_, b.digit_, sizeof a.digit_) == 0;
    }

  private:
    static constexpr int digits = 3;
    /// Positions of the highest digit: of numbers below 2^-928, and of what is not finite.
    static constexpr std::int64_t lowest = -30, not_finite = 32;

    /// 2^(32 position), for positions from -31 to 31.
    STRATA_HOST_DEVICE static double weight(std::int64_t position) {
        const std::int64_t bits = (1023 + 32 * position) * (std::int64_t{1} << 52);
        double power = 0;
        std::memcpy(&power, &bits, sizeof power);
        return power;
    }
    /// Position of the highest digit of x that is not zero.
    STRATA_HOST_DEVICE static std::int64_t position(double x) {
        std::int64_t bits = 0;
        std::memcpy(&bits, &x, sizeof bits);
        return (((bits >> 52) & 0x7ff) + 1) / 32 - 32;  // (exponent + 1024) / 32
    }
    STRATA_HOST_DEVICE void raise(std::int64_t first) {
        if (first >= first_ + digits) {
            for (std::int64_t& digit : digit_) digit = 0;
            first_ = first;
        }
        for (; first_ < first; ++first_) {
            for (int i = digits - 1; i > 0; --i) digit_[i] = digit_[i - 1];
            digit_[0] = 0;
        }
        unit_ = weight(-first_);
    }

    double unit_ = 0x1p960;            ///< 2^(-32 first_)
    std::int64_t first_ = lowest;      ///< position of digit_[0]
    std::int64_t digit_[digits] = {};  ///< sums of digits, of the signs of the addends
};

}  // namespace strata
