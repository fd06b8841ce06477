// SPDX-License-Identifier: BSD-3-Clause
// The tags of all messages, in one place: two protocols that are under way at the same time between the same ranks must
// have different tags. A new protocol adds its own here.
#pragma once

namespace strata::tag {

constexpr int gather = 11;
constexpr int all_gather = 12;
constexpr int halo_to_next = 21, halo_to_previous = 22;
constexpr int labels_to_next = 31, labels_to_previous = 32;
constexpr int border_tree = 41;
constexpr int overlap = 43;
constexpr int flipped_slabs = 44;
constexpr int device_test = 42;
constexpr int rows = 61;
constexpr int patches = 62;
constexpr int whole_vector = 63;
constexpr int transpose = 81, transpose_back = 85;  // and the next two, one for each slot
constexpr int scan_report = 91, scan_order = 92;

}  // namespace strata::tag
