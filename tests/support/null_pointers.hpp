// SPDX-License-Identifier: BSD-3-Clause
// Number of null pointers in a table of kernels.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>

namespace strata {

/// `table` has pointers to functions, and at most a name besides.
template <class Table>
std::ptrdiff_t null_pointers(const Table& table) {
    std::array<std::uintptr_t, sizeof(Table) / sizeof(std::uintptr_t)> words;
    std::memcpy(words.data(), &table, sizeof table);
    return std::ranges::count(words, std::uintptr_t{0});
}

}  // namespace strata
