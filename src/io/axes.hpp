// SPDX-License-Identifier: BSD-3-Clause
// Parts of a quantity, and axes of results and of columns as attributes of their objects: `axes` names the axes of a
// list, separated by commas, and `row_length` is the length of the last one where there are two; `array`, `axis` and
// `label` say which member of an array a column is; `role` is "coordinate" for positions along an axis. What is empty
// is not written.
#pragma once

#include <string>
#include <vector>

#include "io/hdf5.hpp"
#include "strata/record.hpp"

namespace strata::io {

/// Names of the layouts of one point and of many.
constexpr const char *result_format_name = "strata-result", *scan_format_name = "strata-scan";

/// One list of numbers of a quantity: its dataset in the group of the quantity, and the end of the name of its column
/// in a scan.
struct QuantityPart {
    const char *name, *ending;
    std::vector<double> Quantity::*list;
};
constexpr QuantityPart quantity_parts[] = {{"value", "", &Quantity::value},
                                           {"error", "_error", &Quantity::error},
                                           {"tau", "_tau", &Quantity::tau},
                                           {"reference", "_reference", &Quantity::reference}};

void write_axes(hid_t where, const Quantity& q);
void write_axes(hid_t where, const Column& column);
/// Reads what write_axes wrote; files of earlier programs have none. Throws Error(file) for axes that a list of
/// `members` numbers cannot have.
void read_axes(hid_t where, Quantity& q, std::size_t members);
void read_axes(hid_t where, Column& column);

}  // namespace strata::io
