// SPDX-License-Identifier: BSD-3-Clause
// Every line is checked against the shapes of its two patches. An element of a diagonal term also sets the transposed
// element.
#include "kronecker/physics/operator_file.hpp"

#include <algorithm>
#include <sstream>

#include "strata/config.hpp"
#include "strata/error.hpp"

namespace strata::kronecker {
namespace {

[[noreturn]] void refuse(const std::string& sentence) { throw Error(ExitCode::bad_input, sentence); }

std::int64_t index_from(const std::string& word, const std::string& place) {
    std::int64_t value = 0;
    if (!parse_integer(word, value) || value < 0) refuse(place + "'" + word + "' is no index; use 0, 1, 2, ...");
    return value;
}

std::string shape_text(std::uint64_t rows, std::uint64_t columns) {
    return std::to_string(rows) + " x " + std::to_string(columns);
}

}  // namespace

FileOperators::FileOperators(const Target& target, const std::string& path, const std::string& content)
    : target_(target) {
    std::istringstream lines(content);
    std::string line;
    for (std::size_t number = 1; std::getline(lines, line); ++number) {
        line.resize(std::min(line.find('#'), line.size()));
        if (line.find_first_not_of(" \t\r") == std::string::npos) continue;
        read_line(line, path + ":" + std::to_string(number) + ": ");
    }
    if (operators_.empty()) refuse(path + " holds no elements of operators; give lines 'i j k left row column value'.");
}

std::size_t FileOperators::find_term(std::int64_t i, std::int64_t j, const std::string& place) const {
    const auto patches = static_cast<std::int64_t>(target_.layout.size());
    if (std::max(i, j) >= patches)
        refuse(place + "patch " + std::to_string(std::max(i, j)) + " is none of the " + std::to_string(patches) +
               " of this target; the last one is " + std::to_string(patches - 1) + ".");
    if (i > j)
        refuse(place + "block " + std::to_string(i) + " " + std::to_string(j) + " is the transpose of block " +
               std::to_string(j) + " " + std::to_string(i) + "; give that one.");
    const auto found = std::ranges::find_if(target_.terms, [&](const Term& t) {
        return t.i == static_cast<std::size_t>(i) && t.j == static_cast<std::size_t>(j);
    });
    if (found == target_.terms.end())
        refuse(place + "patches " + std::to_string(i) + " and " + std::to_string(j) +
               " are not connected by model.rule; remove the line.");
    return static_cast<std::size_t>(found - target_.terms.begin());
}

void FileOperators::read_line(const std::string& line, const std::string& place) {
    std::istringstream words(line);
    std::vector<std::string> w;
    for (std::string word; words >> word;) w.push_back(word);
    if (w.size() != 7 || (w[3] != "left" && w[3] != "right"))
        refuse(place + "is not of the form 'i j k left row column value' or 'i j k right row column value'.");
    const std::int64_t i = index_from(w[0], place), j = index_from(w[1], place), k = index_from(w[2], place);
    const std::size_t term = find_term(i, j, place);
    const Term& t = target_.terms[term];
    if (k >= static_cast<std::int64_t>(t.operators))
        refuse(place + "operator " + w[2] + " is none of the " + std::to_string(t.operators) +
               " of model.operators; the last one is " + std::to_string(t.operators - 1) + ".");
    const Side side = w[3] == "left" ? Side::left : Side::right;
    const PatchShape &of_i = target_.layout[t.i], &of_j = target_.layout[t.j];
    const std::uint64_t rows = side == Side::left ? of_i.l : of_i.r, columns = side == Side::left ? of_j.l : of_j.r;
    const auto row = static_cast<std::uint64_t>(index_from(w[4], place)),
               column = static_cast<std::uint64_t>(index_from(w[5], place));
    if (row >= rows || column >= columns)
        refuse(place + "element " + w[4] + " " + w[5] + " lies outside of the " + shape_text(rows, columns) +
               " matrix that the " + w[3] + " operators of patches " + w[0] + " and " + w[1] + " are.");
    double value = 0;
    if (!parse_real(w[6], value)) refuse(place + "'" + w[6] + "' is no number.");
    Elements& elements = operators_[{term, static_cast<std::uint64_t>(k), side}];
    // a second value for an element is an error, unless both are equal
    const auto set = [&](std::uint64_t a, std::uint64_t c) {
        const auto [place_of, fresh] = elements.emplace(std::pair(a, c), value);
        if (!fresh && place_of->second != value)
            refuse(place + "element " + w[4] + " " + w[5] + " was given another value before" +
                   (t.diagonal() ? "; operators within a patch are symmetric." : "; give it once."));
    };
    set(row, column);
    if (t.diagonal()) set(column, row);
}

void FileOperators::left(std::size_t term, std::uint64_t k, const Rectangle& part, double* elements) const {
    fill({term, k, Side::left}, part, elements);
}

void FileOperators::right(std::size_t term, std::uint64_t k, const Rectangle& part, double* elements) const {
    fill({term, k, Side::right}, part, elements);
}

void FileOperators::fill(const Operator& which, const Rectangle& part, double* elements) const {
    std::fill_n(elements, part.size(), 0.0);
    const auto found = operators_.find(which);
    if (found == operators_.end()) return;
    for (const auto& [at, value] : found->second) {
        const auto& [row, column] = at;
        if (part.rows.contains(row) && part.columns.contains(column))
            elements[(column - part.columns.first) * part.rows.size() + row - part.rows.first] = value;
    }
}

}  // namespace strata::kronecker
