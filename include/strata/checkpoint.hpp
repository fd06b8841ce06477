// SPDX-License-Identifier: BSD-3-Clause
// How an application shows its state to the outside: arrays in global order, cut into rows, each rank holding a
// contiguous range of rows. Checkpoint, restart on other rank counts and the state hash all read this one view.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "strata/partition.hpp"

namespace strata {

enum class ElementType { u64, f64 };

/// Bytes of an array that a rank packs and writes to a checkpoint at a time, at most.
constexpr std::size_t checkpoint_piece_bytes = std::size_t{128} << 20;

/// A borrowed view of one array of the state. Row r of `rows` (global) starts at data + (r - rows.first) * row_stride.
struct DistributedArray {
    std::string name;
    ElementType type = ElementType::u64;  ///< all types have 8 bytes
    std::uint64_t global_rows = 0;
    std::uint64_t row_elements = 0;  ///< elements of one row that belong to the state
    std::uint64_t row_stride = 0;    ///< elements from one local row to the next, >= row_elements
    Range rows;                      ///< rows held by this rank
    void* data = nullptr;
    /// For those who read the file with other programs: what a row is, and numbers that it takes to find one's way.
    std::string meaning = {};
    std::vector<std::pair<std::string, double>> facts = {};
};

}  // namespace strata
