// SPDX-License-Identifier: BSD-3-Clause
// Random operators of a synthetic target: every element is a function of the seed, the term, k, the side, the row and
// the column, so that a rank generates only the elements that it stores.
#pragma once

#include "superblock/target.hpp"

namespace strata::kronecker {

class RandomOperators : public superblock::OperatorSource {
  public:
    /// `target` must outlive the object.
    RandomOperators(const superblock::Target& target, std::uint64_t seed) : target_(target), seed_(seed) {}
    void left(std::size_t term, std::uint64_t k, const superblock::Rectangle& part, double* elements) const override;
    void right(std::size_t term, std::uint64_t k, const superblock::Rectangle& part, double* elements) const override;

  private:
    enum class Side : std::uint32_t { left, right };
    /// Uniform numbers in (-factor, factor).
    void fill(std::size_t term, std::uint64_t k, Side side, const superblock::Rectangle& part, double factor,
              double* elements) const;

    const superblock::Target& target_;
    const std::uint64_t seed_;
};

}  // namespace strata::kronecker
