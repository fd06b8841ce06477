// SPDX-License-Identifier: BSD-3-Clause
// Packing of the rows of a state on this rank into one vector, and unpacking.
#pragma once

#include <cstring>
#include <vector>

#include "strata/checkpoint.hpp"

namespace strata {

template <class T>
std::vector<T> packed(const DistributedArray& array) {
    std::vector<T> all(array.shape.elements(array.rows) * element_bytes(array.shape.type) / sizeof(T));
    const ArraySlab whole = {array.rows, {0, array.shape.elements(array.rows)}};
    if (!all.empty()) array.read(whole, reinterpret_cast<std::byte*>(all.data()));
    return all;
}

template <class T>
void unpack(const std::vector<T>& all, const DistributedArray& array) {
    const ArraySlab whole = {array.rows, {0, array.shape.elements(array.rows)}};
    if (!all.empty()) array.write(whole, reinterpret_cast<const std::byte*>(all.data()));
}

/// Copies a state between two applications of the same job on the same ranks.
inline void copy_state(const std::vector<DistributedArray>& from, const std::vector<DistributedArray>& to) {
    for (std::size_t i = 0; i < from.size(); ++i) unpack(packed<std::byte>(from[i]), to[i]);
}

}  // namespace strata
