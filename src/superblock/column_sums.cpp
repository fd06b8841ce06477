// SPDX-License-Identifier: BSD-3-Clause
// Partial sums are scaled by a power of two that brings the largest one as near to the limit of the fixed-point numbers
// as the sum over all columns allows.
#include "superblock/column_sums.hpp"

#include <omp.h>

#include <algorithm>
#include <bit>
#include <cmath>

#include "comm/collectives.hpp"

namespace strata::kronecker {
namespace {

/// Sums remain below 2^30, half the limit.
constexpr int largest_exponent = 30;

}  // namespace

int common_exponent(const Communicator& comm, double largest, std::uint64_t columns) {
    // the bits of numbers that are not negative have the order of the numbers
    largest = std::bit_cast<double>(all_max(comm, std::bit_cast<std::uint64_t>(largest)));
    if (largest == 0) return 0;
    return std::clamp(largest_exponent - std::ilogb(largest) - 1 - static_cast<int>(std::bit_width(columns)), -900,
                      900);
}

ColumnSums::ColumnSums(const Communicator& comm, std::uint64_t own, std::uint64_t all, int threads)
    : comm_(comm), own_(own), all_(all), threads_(threads) {}

void ColumnSums::reserve(std::size_t width) {
    if (sums_.size() >= width) return;
    partial_ = Buffer<double>(own_ * width);
    sums_.resize(width);
    of_threads_.resize(width * static_cast<std::size_t>(threads_));
    total_.reserve(width);
}

/// Largest magnitude of this rank's finite partial sums.
double ColumnSums::largest(std::size_t width) const {
    double largest = 0;
#pragma omp parallel for schedule(static) reduction(max : largest) num_threads(threads_)
    for (std::uint64_t i = 0; i < own_ * width; ++i) {
        const double value = std::abs(partial_[i]);
        largest = std::max(largest, std::isfinite(value) ? value : 0);
    }
    return largest;
}

const std::vector<double>& ColumnSums::total(std::size_t width) {
    const int exponent = common_exponent(comm_, largest(width), all_);
    const double factor = std::ldexp(1.0, exponent), inverse = std::ldexp(1.0, -exponent);
#pragma omp parallel num_threads(threads_)
    {
        FixedPointSum* sums = of_threads_.data() + width * static_cast<std::size_t>(omp_get_thread_num());
        std::fill_n(sums, width, FixedPointSum());
#pragma omp for schedule(static)
        for (std::uint64_t column = 0; column < own_; ++column)
            for (std::size_t i = 0; i < width; ++i) sums[i].add(factor * partial_[column * width + i]);
    }
    const std::span<FixedPointSum> all(sums_.data(), width);
    std::fill(all.begin(), all.end(), FixedPointSum());
    for (std::size_t i = 0; i < of_threads_.size() / sums_.size() * width; ++i) all[i % width].add(of_threads_[i]);
    all_sum(comm_, all);
    total_.clear();
    for (const FixedPointSum& sum : all) total_.push_back(inverse * sum.value());
    return total_;
}

}  // namespace strata::kronecker
