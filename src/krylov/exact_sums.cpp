// SPDX-License-Identifier: BSD-3-Clause
// All ranks agree on a power of two that brings the largest partial sum as near to the limit of the fixed-point numbers
// as the sum over all segments allows.
#include "krylov/exact_sums.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

#include "comm/collectives.hpp"

namespace strata::krylov {
namespace {

/// Sums remain below 2^30, half the limit.
constexpr int largest_exponent = 30;

int common_exponent(const Communicator& comm, double largest, std::uint64_t segments) {
    // the bits of numbers that are not negative have the order of the numbers
    largest = std::bit_cast<double>(all_max(comm, std::bit_cast<std::uint64_t>(largest)));
    if (largest == 0) return 0;
    return std::clamp(largest_exponent - std::ilogb(largest) - 1 - static_cast<int>(std::bit_width(segments)), -900,
                      900);
}

/// The first `count` numbers of a buffer in host memory.
template <class T>
std::span<T> on_host(const vectors::Workers<Cpu>&, Buffer<T>& from, Buffer<T>&, std::size_t count) {
    return {from.data(), count};
}
template <class T>
std::span<T> on_host(const vectors::Workers<Cuda>& workers, Buffer<T, Cuda>& from, Buffer<T, Pinned>& to,
                     std::size_t count) {
    const std::span<T> host(to.data(), count);
    copy_to_host(*workers.queue, host, View<const T, Cuda>(from.data(), count));
    workers.queue->wait();
    return host;
}

}  // namespace

template <class Backend>
void ExactSums<Backend>::reserve(std::size_t width) {
    if (width_ >= width) return;
    width_ = width;
    partial_ = {};  // before the new one is taken
    partial_ = Buffer<double, Backend>(own_ * width);
    largest_ = Buffer<double, Backend>(width);
    sums_ = Buffer<FixedPointSum, Backend>(width);
    if constexpr (!std::is_same_v<Backend, Cpu>) {
        host_largest_ = Buffer<double, Host>(width);
        host_sums_ = Buffer<FixedPointSum, Host>(width);
    }
    total_.reserve(width);
}

template <class Backend>
const std::vector<double>& ExactSums<Backend>::total(std::size_t width) {
    double largest = 0;
    {
        const Timers::Scope scope = timers_.scope("vectors");
        vectors::largest(workers_, partial_.data(), own_, width, largest_.data());
        for (const double one : on_host(workers_, largest_, host_largest_, width)) largest = std::max(largest, one);
    }
    int exponent = 0;
    {
        const Timers::Scope scope = timers_.scope("sums");
        exponent = common_exponent(comm_, largest, all_);
    }
    std::span<FixedPointSum> sums;
    {
        const Timers::Scope scope = timers_.scope("vectors");
        vectors::exact_sums(workers_, partial_.data(), own_, width, std::ldexp(1.0, exponent), sums_.data());
        sums = on_host(workers_, sums_, host_sums_, width);
    }
    {
        const Timers::Scope scope = timers_.scope("sums");
        all_sum(comm_, sums);
    }
    total_.clear();
    for (const FixedPointSum& sum : sums) total_.push_back(std::ldexp(1.0, -exponent) * sum.value());
    return total_;
}

template class ExactSums<Cpu>;
template class ExactSums<Cuda>;

}  // namespace strata::krylov
