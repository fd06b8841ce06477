// SPDX-License-Identifier: BSD-3-Clause
// Linear algebra of patch vectors on the CPU. Sums are formed column by column in the order of column_core.hpp, which
// is the same for every instruction set, rank, thread and device; additions and multiplications are rounded separately.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "strata/partition.hpp"

namespace strata::kronecker {

/// Two vectors of a scalar product.
template <class Real>
struct ColumnPair {
    const Real *x = nullptr, *y = nullptr;
};

/// Kernels of one instruction set. Element e of column c has the index begin[c] + e in every vector.
template <class Real>
struct ColumnKernels {
    std::string_view name;
    /// sums[c * pairs.size() + i] = sum over column c of x y of pair i, for `columns`. Two operations and two reals
    /// read per element and pair.
    void (*dots)(const std::uint64_t* begin, Range columns, std::span<const ColumnPair<Real>> pairs, double* sums);
    /// y[e] -= sum_i factors[i] x[i][e], subtracted in the order of i, for `elements`. Two operations and one real read
    /// per element and vector.
    void (*subtract)(Range elements, std::span<const Real* const> x, std::span<const Real> factors, Real* y);
};

/// Variants that this processor can run, the fastest first.
template <class Real>
const std::vector<ColumnKernels<Real>>& column_variants();

}  // namespace strata::kronecker
