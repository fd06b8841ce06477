// SPDX-License-Identifier: BSD-3-Clause
// Numbers of bit strings by combinadics; the next string by the carry that moves its lowest run of set bits.
#include "lanczos/combinations.hpp"

namespace strata::lanczos {

std::uint64_t Combinations::number(std::uint64_t string) const {
    std::uint64_t n = 0;
    for (std::size_t k = 1; string != 0; string &= string - 1, ++k)
        n += binomials[static_cast<std::size_t>(__builtin_ctzll(string))][k];
    return n;
}

std::uint64_t Combinations::string(std::uint64_t number) const {
    std::uint64_t s = 0;
    auto position = static_cast<std::size_t>(sites_);
    for (auto k = static_cast<std::size_t>(particles_); k > 0; --k) {
        do --position;
        while (binomials[position][k] > number);
        s |= std::uint64_t{1} << position;
        number -= binomials[position][k];
    }
    return s;
}

std::uint64_t Combinations::next(std::uint64_t string) {
    const std::uint64_t low = string & (0 - string), up = string + low;
    return up == 0 ? 0 : up | (((string ^ up) / low) >> 2);
}

}  // namespace strata::lanczos
