// SPDX-License-Identifier: BSD-3-Clause
// The textbook algorithm of Swendsen and Wang, a baseline: every cluster is grown from a site by breadth-first search,
// and its bonds are drawn on the way.
#include <random>

#include "baseline.hpp"

namespace strata::perf {
namespace {

class Textbook : public Baseline {
  public:
    Textbook(int dimensions, std::uint64_t extent, double probability, const Spins& spins)
        : dimensions_(dimensions),
          extent_(static_cast<std::uint32_t>(extent)),
          threshold_(static_cast<std::uint32_t>(probability * 4294967296.0)),
          up_(spins),
          visited_(spins.size()),
          random_(12345) {
        queue_.reserve(spins.size());
    }

    void sweep() override {
        std::fill(visited_.begin(), visited_.end(), std::uint8_t{0});
        for (std::uint32_t site = 0; site < up_.size(); ++site)
            if (!visited_[site]) grow(site);
    }

    double energy() const override {
        std::int64_t sum = 0;
        for (std::uint32_t site = 0; site < up_.size(); ++site)
            for (int axis = 0; axis < dimensions_; ++axis) sum -= up_[site] == up_[next(site, axis)] ? 1 : -1;
        return static_cast<double>(sum) / static_cast<double>(up_.size());
    }

  private:
    std::uint32_t stride(int axis) const { return axis == 0 ? 1 : axis == 1 ? extent_ : extent_ * extent_; }
    std::uint32_t next(std::uint32_t site, int axis) const {
        const std::uint32_t s = stride(axis);
        return site / s % extent_ + 1 == extent_ ? site - (extent_ - 1) * s : site + s;
    }
    std::uint32_t previous(std::uint32_t site, int axis) const {
        const std::uint32_t s = stride(axis);
        return site / s % extent_ == 0 ? site + (extent_ - 1) * s : site - s;
    }
    /// Grows the cluster of `start`. A bond is drawn when the first of its two sites leaves the queue and the other is
    /// not yet visited; this happens at most once, because from the other side its first site is visited.
    void grow(std::uint32_t start) {
        const std::uint8_t old = up_[start], flip = random_() >> 31 & 1;
        queue_.clear();
        queue_.push_back(start);
        visited_[start] = 1;
        for (std::size_t i = 0; i < queue_.size(); ++i) {
            const std::uint32_t site = queue_[i];
            for (int axis = 0; axis < dimensions_; ++axis)
                for (std::uint32_t n : {next(site, axis), previous(site, axis)})
                    if (!visited_[n] && up_[n] == old && random_() < threshold_) {
                        visited_[n] = 1;
                        queue_.push_back(n);
                    }
            up_[site] = old ^ flip;
        }
    }

    int dimensions_;
    std::uint32_t extent_, threshold_;
    Spins up_;
    std::vector<std::uint8_t> visited_;
    std::vector<std::uint32_t> queue_;
    std::mt19937 random_;
};

}  // namespace

std::unique_ptr<Baseline> make_textbook(int dimensions, std::uint64_t extent, double probability, const Spins& spins) {
    return std::make_unique<Textbook>(dimensions, extent, probability, spins);
}

}  // namespace strata::perf
