// SPDX-License-Identifier: BSD-3-Clause
// Exchanges of temperatures and their statistics.
#include "swendsen_wang/physics/temperature_ladder.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <string>
#include <utility>

#include "kernels/swendsen_wang/counters.hpp"
#include "strata/rng.hpp"

namespace strata::swendsen_wang {
namespace {

/// A uniform number in [0, 1) for the exchange of a temperature with the next higher one before a sweep.
double uniform(std::uint64_t seed, std::uint64_t sweep, std::uint64_t lower) {
    const Philox4x32 words =
        philox(seed, {static_cast<std::uint32_t>(lower), counter_purpose(Purpose::exchange, 0, 0),
                      static_cast<std::uint32_t>(sweep), static_cast<std::uint32_t>(sweep >> 32) << 16});
    return static_cast<double>((std::uint64_t{words[0]} << 32 | words[1]) >> 11) * 0x1p-53;
}

}  // namespace

TemperatureLadder::TemperatureLadder(std::vector<double> betas, std::uint64_t seed, std::uint64_t number)
    : betas_(std::move(betas)),
      seed_(seed),
      number_(number),
      temperatures_(betas_.size()),
      from_hottest_(betas_.size()),
      tried_(betas_.size()),
      accepted_(betas_.size()) {
    std::iota(temperatures_.begin(), temperatures_.end(), std::uint64_t{0});
}

std::size_t TemperatureLadder::replica_at(std::size_t temperature) const {
    return static_cast<std::size_t>(std::ranges::find(temperatures_, temperature) - temperatures_.begin());
}

void TemperatureLadder::exchange(std::uint64_t round, std::uint64_t sweep, std::span<const double> energies) {
    for (std::size_t t = round % 2; t + 1 < size(); t += 2) {
        const std::size_t a = replica_at(t), b = replica_at(t + 1);
        const double exponent = (betas_[t] - betas_[t + 1]) * (energies[a] - energies[b]);
        ++tried_[t];
        if (exponent < 0 && !(uniform(seed_, sweep, number_ * size() + t) < std::exp(exponent))) continue;
        ++accepted_[t];
        std::swap(temperatures_[a], temperatures_[b]);
    }
    count_arrivals();
}

void TemperatureLadder::count_arrivals() {
    const std::size_t coldest = replica_at(0);
    arrivals_ += from_hottest_[coldest];
    from_hottest_[coldest] = 0;
    from_hottest_[replica_at(size() - 1)] = 1;
}

std::vector<double> TemperatureLadder::acceptance() const {
    std::vector<double> fractions(size(), std::numeric_limits<double>::quiet_NaN());
    for (std::size_t t = 0; t + 1 < size(); ++t)
        if (tried_[t] > 0) fractions[t] = static_cast<double>(accepted_[t]) / static_cast<double>(tried_[t]);
    return fractions;
}

DistributedArray TemperatureLadder::state() {
    return Record(number_ == 0 ? "temperature-ladder" : "temperature-ladder-" + std::to_string(number_))
        .field("temperature-of-replica", std::span(temperatures_))
        .field("from-hottest", std::span(from_hottest_))
        .field("tried", std::span(tried_))
        .field("accepted", std::span(accepted_))
        .field("arrivals", arrivals_)
        .array();
}

}  // namespace strata::swendsen_wang
