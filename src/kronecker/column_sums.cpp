// SPDX-License-Identifier: BSD-3-Clause
// A power of two brings the largest partial sum so near to the limit of the fixed-point numbers that all columns
// together stay below it.
#include "kronecker/column_sums.hpp"

#include <omp.h>

#include <bit>
#include <cmath>

#include "comm/collectives.hpp"

namespace strata::kronecker {
namespace {

/// Sums stay below 2^30, half the limit.
constexpr int largest_exponent = 30;

}  // namespace

ColumnSums::ColumnSums(const Communicator& comm, std::uint64_t own, std::uint64_t all)
    : comm_(comm), own_(own), all_(all) {}

void ColumnSums::reserve(std::size_t width) {
    if (sums_.size() >= width) return;
    partial_ = Buffer<double>(own_ * width);
    sums_.resize(width);
    of_threads_.resize(width * static_cast<std::size_t>(omp_get_max_threads()));
    total_.reserve(width);
}

/// Power of two by which partial sums are multiplied.
int ColumnSums::common_exponent(std::size_t width) const {
    double largest = 0;
#pragma omp parallel for schedule(static) reduction(max : largest)
    for (std::uint64_t i = 0; i < own_ * width; ++i) {
        const double value = std::abs(partial_[i]);
        largest = std::max(largest, std::isfinite(value) ? value : 0);
    }
    largest = std::bit_cast<double>(all_max(comm_, std::bit_cast<std::uint64_t>(largest)));
    if (largest == 0) return 0;
    return largest_exponent - std::ilogb(largest) - 1 - static_cast<int>(std::bit_width(all_));
}

const std::vector<double>& ColumnSums::total(std::size_t width) {
    const int exponent = common_exponent(width);
    const auto threads = static_cast<std::size_t>(omp_get_max_threads());
#pragma omp parallel
    {
        FixedPointSum* sums = of_threads_.data() + width * static_cast<std::size_t>(omp_get_thread_num());
        std::fill_n(sums, width, FixedPointSum());
#pragma omp for schedule(static)
        for (std::uint64_t column = 0; column < own_; ++column)
            for (std::size_t i = 0; i < width; ++i) sums[i].add(std::ldexp(partial_[column * width + i], exponent));
    }
    const std::span<FixedPointSum> all(sums_.data(), width);
    std::fill(all.begin(), all.end(), FixedPointSum());
    for (std::size_t thread = 0; thread < threads; ++thread)
        for (std::size_t i = 0; i < width; ++i) all[i].add(of_threads_[thread * width + i]);
    all_sum(comm_, all);
    total_.clear();
    for (const FixedPointSum& sum : all) total_.push_back(std::ldexp(sum.value(), -exponent));
    return total_;
}

}  // namespace strata::kronecker
