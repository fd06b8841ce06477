// SPDX-License-Identifier: BSD-3-Clause
// Linear algebra of patch vectors on the CPU. Sums go column by column in the order of column_core.hpp, which every
// instruction set, rank, thread and device keeps; additions and multiplications are rounded apart.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "strata/partition.hpp"

namespace strata::kronecker {

/// Two vectors whose scalar product is wanted.
template <class Real>
struct ColumnPair {
    const Real *x = nullptr, *y = nullptr;
};

/// The kernels of one instruction set. Element e of column c lies at begin[c] + e of every vector.
template <class Real>
struct ColumnKernels {
    std::string_view name;
    /// sums[c * pairs.size() + i] = sum over column c of x y of pair i, for the columns given. Two operations and two
    /// elements read per element and pair.
    void (*dots)(const std::uint64_t* begin, Range columns, std::span<const ColumnPair<Real>> pairs, double* sums);
    /// y[e] -= sum_i factors[i] x[i][e], added in the order of i, for the elements given. Two operations and one element
    /// read per element and vector.
    void (*subtract)(Range elements, std::span<const Real* const> x, std::span<const Real> factors, Real* y);
};

/// The variants that this machine can run, the fastest first.
template <class Real>
const std::vector<ColumnKernels<Real>>& column_variants();

}  // namespace strata::kronecker
