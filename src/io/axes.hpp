// SPDX-License-Identifier: BSD-3-Clause
// Axes of results and of columns as attributes of their objects: `axes` names the axes of a list, separated by commas,
// and `row_length` is the length of the last one where there are two; `array`, `axis` and `label` say which member of an
// array a column is; `role` is "coordinate" for positions along an axis. What is empty is not written.
#pragma once

#include "io/hdf5.hpp"
#include "strata/record.hpp"

namespace strata::io {

void write_axes(hid_t where, const Quantity& q);
void write_axes(hid_t where, const Column& column);
/// Reads what write_axes wrote; files of earlier programs have none. Throws Error(file) for axes that a list of `members`
/// numbers cannot have.
void read_axes(hid_t where, Quantity& q, std::size_t members);
void read_axes(hid_t where, Column& column);

}  // namespace strata::io
