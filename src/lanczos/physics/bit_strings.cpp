// SPDX-License-Identifier: BSD-3-Clause
// Index of a bit string and back. The next bit string of a number moves the lowest run of set bits by a carry (HAKMEM,
// item 175).
#include "lanczos/physics/bit_strings.hpp"

#include <algorithm>
#include <bit>

namespace strata::lanczos {

std::uint64_t BitStrings::with_fixed(int fixed, int occupied) const {
    const int free = sites_ - fixed;
    if (kind_ == Kind::number) return lanczos::choose(free, value_ - occupied);
    if (free < 0) return 0;
    if (free == 0) return kind_ == Kind::all || occupied % 2 == value_ ? 1 : 0;
    constexpr int most = 62;  // more are as many as no table lists
    return std::uint64_t{1} << std::min(most, kind_ == Kind::all ? free : free - 1);
}

std::uint64_t BitStrings::count_with(std::uint64_t mask, std::uint64_t value) const {
    if (kind_ == Kind::codes) return coded_->count_with(mask, value, value_);
    return with_fixed(std::popcount(mask), std::popcount(value));
}

BitStrings BitStrings::before(std::uint64_t flip, std::uint64_t value) const {
    if (kind_ == Kind::codes) return {coded_, value_ - coded_->added(flip, value)};
    const int added = std::popcount(flip) - 2 * std::popcount(flip & value);
    if (kind_ == Kind::number) return {sites_, kind_, value_ - added};
    return {sites_, kind_, kind_ == Kind::parity ? (value_ - added) & 1 : 0};
}

bool BitStrings::contains(std::uint64_t occupation) const {
    if (kind_ == Kind::codes) return coded_->reduced(coded_->added(occupation, 0)) == value_;
    const int particles = __builtin_popcountll(occupation);
    return kind_ == Kind::all || (kind_ == Kind::parity ? particles % 2 : particles) == value_;
}

std::uint64_t BitStrings::index_of(std::uint64_t occupation) const {
    if (kind_ == Kind::codes) return coded_->index_of(occupation, value_);
    if (kind_ != Kind::number) return kind_ == Kind::parity ? occupation >> 1 : occupation;
    std::uint64_t n = 0;
    for (std::size_t k = 1; occupation != 0; occupation &= occupation - 1, ++k)
        n += binomials[static_cast<std::size_t>(__builtin_ctzll(occupation))][k];
    return n;
}

std::uint64_t BitStrings::occupation(std::uint64_t index) const {
    if (kind_ == Kind::codes) return coded_->string(index, value_);
    if (kind_ == Kind::all || sites_ == 0) return index;
    if (kind_ == Kind::parity)
        return index << 1 | static_cast<std::uint64_t>((__builtin_popcountll(index) ^ value_) & 1);
    std::uint64_t s = 0;
    auto position = static_cast<std::size_t>(sites_);
    for (auto k = static_cast<std::size_t>(value_); k > 0; --k) {
        do --position;
        while (binomials[position][k] > index);
        s |= std::uint64_t{1} << position;
        index -= binomials[position][k];
    }
    return s;
}

std::uint64_t BitStrings::next(std::uint64_t occupation) {
    const std::uint64_t low = occupation & (0 - occupation), up = occupation + low;
    return up == 0 ? 0 : up | (((occupation ^ up) / low) >> 2);
}

}  // namespace strata::lanczos
