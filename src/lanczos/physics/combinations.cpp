// SPDX-License-Identifier: BSD-3-Clause
// Index of a bit string and back by combinadics. The next bit string in order moves the lowest run of set bits by a
// carry (HAKMEM, item 175).
#include "lanczos/physics/combinations.hpp"

namespace strata::lanczos {

std::uint64_t Combinations::index_of(std::uint64_t occupation) const {
    std::uint64_t n = 0;
    for (std::size_t k = 1; occupation != 0; occupation &= occupation - 1, ++k)
        n += binomials[static_cast<std::size_t>(__builtin_ctzll(occupation))][k];
    return n;
}

std::uint64_t Combinations::occupation(std::uint64_t index) const {
    std::uint64_t s = 0;
    auto position = static_cast<std::size_t>(sites_);
    for (auto k = static_cast<std::size_t>(particles_); k > 0; --k) {
        do --position;
        while (binomials[position][k] > index);
        s |= std::uint64_t{1} << position;
        index -= binomials[position][k];
    }
    return s;
}

std::uint64_t Combinations::next(std::uint64_t occupation) {
    const std::uint64_t low = occupation & (0 - occupation), up = occupation + low;
    return up == 0 ? 0 : up | (((occupation ^ up) / low) >> 2);
}

}  // namespace strata::lanczos
