// SPDX-License-Identifier: BSD-3-Clause
// total() consists of two launches; between them all ranks agree on the exponent that follows from the largest partial
// sum.
#include "superblock/device_sums.hpp"

#include <algorithm>
#include <cmath>

#include "comm/collectives.hpp"
#include "kernels/kronecker/device_tiles.hpp"
#include "superblock/column_sums.hpp"

namespace strata::kronecker {

DeviceSums::DeviceSums(const Communicator& comm, const Queue<Cuda>& queue, std::uint64_t own, std::uint64_t all)
    : comm_(comm), queue_(queue), own_(own), all_(all) {}

void DeviceSums::reserve(std::size_t width) {
    if (sums_.size() >= width) return;
    partial_ = Buffer<double, Cuda>(own_ * width);
    largest_ = Buffer<double, Cuda>(width);
    sums_ = Buffer<FixedPointSum, Cuda>(width);
    host_largest_ = Buffer<double, Pinned>(width);
    host_sums_ = Buffer<FixedPointSum, Pinned>(width);
    total_.reserve(width);
}

double DeviceSums::largest(std::size_t width) {
    device_largest(queue_, partial_.data(), own_, width, largest_.data());
    copy_to_host(queue_, std::span<double>(host_largest_).first(width),
                 View<const double, Cuda>(largest_.data(), width));
    queue_.wait();
    return width == 0 ? 0 : *std::max_element(host_largest_.begin(), host_largest_.begin() + width);
}

const std::vector<double>& DeviceSums::total(std::size_t width) {
    const int exponent = common_exponent(comm_, largest(width), all_);
    device_exact_sums(queue_, partial_.data(), own_, width, std::ldexp(1.0, exponent), sums_.data());
    const std::span<FixedPointSum> sums = std::span<FixedPointSum>(host_sums_).first(width);
    copy_to_host(queue_, sums, View<const FixedPointSum, Cuda>(sums_.data(), width));
    queue_.wait();
    all_sum(comm_, sums);
    total_.clear();
    for (const FixedPointSum& sum : sums) total_.push_back(std::ldexp(1.0, -exponent) * sum.value());
    return total_;
}

}  // namespace strata::kronecker
