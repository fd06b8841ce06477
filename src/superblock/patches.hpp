// SPDX-License-Identifier: BSD-3-Clause
// Patches of a superblock vector. The Hilbert space of left and right block is divided by the particle numbers of the
// left block, which determine those of the right block; a patch is the set of product states of one pair of numbers.
// Its part of a vector is a matrix of r rows (states of the right block, contiguous in memory) and l columns (states of
// the left block). Patches are contiguous:
//
//     | patch 0: r_0 x l_0 | patch 1: r_1 x l_1 | ...        columns are numbered consecutively over all patches
//
// The vector is distributed over ranks in ranges of whole columns.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "kernels/kronecker/block_layout.hpp"
#include "strata/partition.hpp"

namespace strata::superblock {

using kronecker::BlockLayout, kronecker::BlockShape, kronecker::Directions, kronecker::Factor, kronecker::PatchShape;

struct Patch {
    int up = 0, down = 0;  ///< particle numbers of the left block
    PatchShape shape;      ///< states of the right block, r, and of the left one, l
};

/// Positions of the patches in a vector.
class PatchLayout {
  public:
    PatchLayout() = default;
    explicit PatchLayout(std::vector<Patch> patches);

    std::size_t size() const { return patches_.size(); }
    const PatchShape& operator[](std::size_t i) const { return patches_[i].shape; }
    const std::vector<Patch>& patches() const { return patches_; }

    /// Columns and elements of all patches.
    std::uint64_t columns() const { return first_column_.back(); }
    std::uint64_t elements() const { return first_element_.back(); }
    Range columns_of(std::size_t i) const { return {first_column_[i], first_column_[i + 1]}; }
    Range elements_of(std::size_t i) const { return {first_element_[i], first_element_[i + 1]}; }
    /// Index of the first element of a column; the number of elements if `column` is columns().
    std::uint64_t element_of(std::uint64_t column) const;
    /// Patch of a column, which must be less than columns().
    std::size_t patch_of(std::uint64_t column) const;
    /// The columns of patch i that `some` contains, counted from the first column of the patch.
    Range part_of(std::size_t i, const Range& some) const;

  private:
    std::vector<Patch> patches_;
    std::vector<std::uint64_t> first_column_ = {0}, first_element_ = {0};
};

/// Largest bond dimension M that a job may request.
inline constexpr std::uint64_t max_saved_states = 1'000'000;

/// A superblock of `sites` sites, divided in the middle, whose left block has about 4 M states and whose right block
/// has M.
struct SyntheticModel {
    int sites = 64;
    int up = 32, down = 32;             ///< particle numbers of the target
    std::uint64_t saved_states = 1000;  ///< bond dimension M
    double width = 1;                   ///< variance of particle numbers, relative to equally probable states
};

/// Patches (u, d) with l = round(4 M p_L(u) p_L(d)) and r = round(M p_R(up - u) p_R(down - d)), without patches that
/// have no states. With width 1 all states of a block are equally probable, p(u) = C(n, u) / 2^n (A. Hernandez et al.,
/// the DMRG++ miniapps); a smaller width multiplies p by a Gaussian around the filling of the target.
std::vector<Patch> synthetic_patches(const SyntheticModel& model);

}  // namespace strata::superblock
