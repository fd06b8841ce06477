// SPDX-License-Identifier: BSD-3-Clause
// Attributes of axes: every one is a text but row_length, and what is empty has no attribute, so that files of earlier
// programs read as lists without axes.
#include "io/axes.hpp"

#include <sstream>

#include "strata/error.hpp"
#include "strata/printable.hpp"

namespace strata::io {
namespace {

constexpr const char* coordinate = "coordinate";

void write_unless_empty(hid_t where, const char* name, const std::string& text) {
    if (!text.empty()) write_attribute(where, name, text);
}

std::string text_if_there(hid_t where, const char* name) {
    return H5Aexists(where, name) > 0 ? read_text_attribute(where, name) : std::string();
}

std::string text_of(Role role) { return role == Role::coordinate ? coordinate : ""; }
Role role_of(const std::string& text) { return text == coordinate ? Role::coordinate : Role::value; }

}  // namespace

void write_axes(hid_t where, const Quantity& q) {
    std::string names;
    for (const std::string& axis : q.axes) names += (names.empty() ? "" : ",") + axis;
    write_unless_empty(where, "axes", names);
    if (q.axes.size() > 1) write_attribute(where, "row_length", static_cast<std::int64_t>(q.row_length));
    write_unless_empty(where, "role", text_of(q.role));
}

void write_axes(hid_t where, const Column& column) {
    write_unless_empty(where, "array", column.array);
    write_unless_empty(where, "axis", column.axis);
    write_unless_empty(where, "label", column.label);
    write_unless_empty(where, "role", text_of(column.role));
}

void read_axes(hid_t where, Quantity& q, std::size_t members) {
    std::istringstream names(text_if_there(where, "axes"));
    for (std::string axis; std::getline(names, axis, ',');) q.axes.push_back(axis);
    if (q.axes.size() > 1) {
        const std::int64_t length = read_integer_attribute(where, "row_length");
        if (length < 1 || members % static_cast<std::size_t>(length) != 0)
            throw Error(ExitCode::file, "The list " + printable(q.name) + " does not fit its axes.");
        q.row_length = static_cast<std::size_t>(length);
    }
    q.role = role_of(text_if_there(where, "role"));
}

void read_axes(hid_t where, Column& column) {
    column.array = text_if_there(where, "array");
    column.axis = text_if_there(where, "axis");
    column.label = text_if_there(where, "label");
    column.role = role_of(text_if_there(where, "role"));
}

}  // namespace strata::io
