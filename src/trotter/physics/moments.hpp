// SPDX-License-Identifier: BSD-3-Clause
// Expectation values of the S_j^z and their pair products, the distribution of their sum, and the inverse
// participation, of a state in the observed basis. They are joined from the sums of its two halves (highest bit 0 and
// 1), first over rows and then over ranks, so that the result does not depend on the partition.
#pragma once

#include <span>
#include <vector>

#include "kernels/trotter/pass_kernels.hpp"

namespace strata::trotter {

/// Sums of probabilities over all states of `bits` spins, in the order of RowSums.
class Moments {
  public:
    Moments(int bits, std::vector<double> sums) : bits_(bits), sums_(std::move(sums)) {}

    double norm_squared() const { return sums_[0]; }
    /// <S_j> and <S_j S_k>, divided by the norm.
    double spin(int j) const { return 0.5 * sums_[1 + static_cast<std::size_t>(j)] / sums_[0]; }
    double pair(int j, int k) const {
        if (j == k) return 0.25;
        return 0.25 * sums_[1 + static_cast<std::size_t>(bits_) + (j < k ? pair_index(j, k) : pair_index(k, j))] /
               sums_[0];
    }
    /// Probability that `down` spins are down.
    double distribution(int down) const { return sums_[first_count() + static_cast<std::size_t>(down)] / sums_[0]; }
    /// sum p^2 over the states of the basis.
    double inverse_participation() const { return sums_.back() / (sums_[0] * sums_[0]); }

  private:
    std::size_t first_count() const { return 1 + static_cast<std::size_t>(bits_) + pair_count(bits_); }
    int bits_;
    std::vector<double> sums_;
};

/// Joins the sums of 2^n parts of `bits` bits each, one after another in `sums`, into those of bits + n bits. The parts
/// are overwritten.
std::vector<double> join_parts(int bits, int n, std::vector<double> sums);

}  // namespace strata::trotter
