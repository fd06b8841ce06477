// SPDX-License-Identifier: BSD-3-Clause
#include "lanczos/combinations.hpp"

#include <algorithm>
#include <string>

#include "strata/error.hpp"

namespace strata::lanczos {
namespace {

constexpr std::uint64_t too_many = std::uint64_t{1} << 63;

}  // namespace

Combinations::Combinations(int sites, int particles) : sites_(sites), particles_(particles) {
    for (int n = 0; n <= 64; ++n)
        for (int k = 0; k <= 64; ++k)
            choose_[n][k] = k == 0 ? 1 : k > n ? 0 : std::min(too_many, choose_[n - 1][k - 1] + choose_[n - 1][k]);
    count_ = choose_[sites][particles];
    if (count_ >= too_many)
        throw Error(ExitCode::does_not_fit, std::to_string(particles) + " particles on " + std::to_string(sites) +
                                                " sites have 2^63 states or more.");
}

std::uint64_t Combinations::number(std::uint64_t string) const {
    std::uint64_t n = 0;
    for (int k = 1; string != 0; string &= string - 1, ++k) n += choose_[__builtin_ctzll(string)][k];
    return n;
}

std::uint64_t Combinations::string(std::uint64_t number) const {
    std::uint64_t s = 0;
    int position = sites_;
    for (int k = particles_; k > 0; --k) {
        do --position;
        while (choose_[position][k] > number);
        s |= std::uint64_t{1} << position;
        number -= choose_[position][k];
    }
    return s;
}

std::uint64_t Combinations::next(std::uint64_t string) {
    const std::uint64_t low = string & (0 - string), up = string + low;
    return up == 0 ? 0 : up | (((string ^ up) / low) >> 2);
}

}  // namespace strata::lanczos
