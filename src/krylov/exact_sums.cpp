// SPDX-License-Identifier: BSD-3-Clause
// Sums over the segments of this rank by a kernel of its backend, then over the ranks in host memory.
#include "krylov/exact_sums.hpp"

#include "comm/collectives.hpp"

namespace strata::krylov {
namespace {

/// The first `count` sums in host memory.
std::span<ExactSum> on_host(const vectors::Workers<Cpu>&, Buffer<ExactSum>& from, Buffer<ExactSum>&,
                            std::size_t count) {
    return {from.data(), count};
}
std::span<ExactSum> on_host(const vectors::Workers<Cuda>& workers, Buffer<ExactSum, Cuda>& from,
                            Buffer<ExactSum, Pinned>& to, std::size_t count) {
    const std::span<ExactSum> host(to.data(), count);
    copy_to_host(*workers.queue, host, View<const ExactSum, Cuda>(from.data(), count));
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
    sums_ = Buffer<ExactSum, Backend>(width);
    if constexpr (!std::is_same_v<Backend, Cpu>) host_sums_ = Buffer<ExactSum, Host>(width);
    total_.reserve(width);
}

template <class Backend>
const std::vector<double>& ExactSums<Backend>::total(std::size_t width) {
    std::span<ExactSum> sums;
    {
        const Timers::Scope scope = timers_.scope("vectors");
        vectors::exact_sums(workers_, partial_.data(), own_, width, sums_.data());
        sums = on_host(workers_, sums_, host_sums_, width);
    }
    {
        const Timers::Scope scope = timers_.scope("sums");
        all_sum(comm_, sums);
    }
    total_.clear();
    for (const ExactSum& sum : sums) total_.push_back(sum.value());
    return total_;
}

template class ExactSums<Cpu>;
template class ExactSums<Cuda>;

}  // namespace strata::krylov
