// SPDX-License-Identifier: BSD-3-Clause
// Number of columns of a result that are computed at a time, and the scratch memory for them: at most 4 panels of rows
// m, which stay in the second-level cache with the operators, and whole panels where that is possible. Beside it is
// space for a copy of the source.
#pragma once

#include <algorithm>
#include <cstdint>
#include <numeric>

#include "kernels/kronecker/block_layout.hpp"

namespace strata::kronecker {

/// Smallest number of columns of a result whose rows m fill whole panels, or, where these would be too many, whole
/// vectors.
template <class Real>
std::uint64_t chunk_step(const BlockLayout<Real>& layout) {
    constexpr std::uint64_t panel = BlockLayout<Real>::panel, vector = BlockLayout<Real>::vector;
    const std::uint64_t stride = layout.row_stride(), step = panel / std::gcd(panel, stride);
    return step * stride > 16 * vector ? vector / std::gcd(vector, stride) : step;
}

/// Largest number of columns of a result that are computed at a time.
template <class Real>
std::uint64_t chunk_columns(const BlockLayout<Real>& layout) {
    const std::uint64_t step = chunk_step(layout);
    return step * std::max<std::uint64_t>(1, 4 * BlockLayout<Real>::panel / (step * layout.row_stride()));
}

/// Number of rows m of the scratch memory; a range of columns may begin within a vector.
template <class Real>
std::uint64_t scratch_rows(const BlockLayout<Real>& layout) {
    constexpr std::uint64_t vector = BlockLayout<Real>::vector;
    return (chunk_columns(layout) * layout.row_stride() / vector + 2) * vector;
}

/// Reals of the scratch memory V for either direction, a multiple of 64 bytes.
template <class Real>
std::uint64_t scratch_reals(const BlockLayout<Real>& layout) {
    constexpr std::uint64_t vector = BlockLayout<Real>::vector;
    const BlockShape& shape = layout.shape();
    const std::uint64_t forward = scratch_rows(layout) * shape.from.r;
    if (layout.directions() == Directions::forward) return forward;
    const std::uint64_t padded = (shape.to.r + vector - 1) / vector * vector;
    return std::max({forward, scratch_rows(layout) * shape.to.r, padded * chunk_columns(layout) * shape.operators});
}

/// Reals of scratch memory for either direction: V, and a copy of the source.
template <class Real>
std::uint64_t workspace_reals(const BlockLayout<Real>& layout) {
    const BlockShape& shape = layout.shape();
    const std::uint64_t back = layout.directions() == Directions::both ? shape.to.size() : 0;
    return scratch_reals(layout) + std::max(shape.from.size(), back);
}

}  // namespace strata::kronecker
