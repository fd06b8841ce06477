// SPDX-License-Identifier: BSD-3-Clause
// Words are separated by blanks; numbers are read as everywhere in jobs (strata/config.hpp), to the last character.
#include "trotter/text.hpp"

#include <charconv>
#include <cmath>
#include <sstream>

#include "strata/error.hpp"

namespace strata::trotter {
namespace {

/// How far a time may be from a boundary between steps, in steps.
constexpr double boundary_tolerance = 1e-6;

Item item(std::string place, const std::string& text) {
    std::istringstream stream(text);
    Item result{std::move(place), {}, {}};
    for (std::string word; stream >> word;) {
        result.text += (result.text.empty() ? "" : " ") + word;
        result.words.push_back(word);
    }
    return result;
}

}  // namespace

void Item::refuse(const std::string& rule) const {
    throw Error(ExitCode::bad_input, place + ": '" + text + "' " + rule);
}

double Item::real(std::size_t word, const std::string& rule) const {
    double value = 0;
    if (word >= words.size() || !parse_real(words[word], value)) refuse(rule);
    return value;
}

std::vector<double> Item::reals_from(std::size_t first, const std::string& rule) const {
    std::vector<double> values;
    for (std::size_t word = first; word < words.size(); ++word) values.push_back(real(word, rule));
    return values;
}

int Item::spin(std::size_t word, int spins) const {
    std::int64_t value = 0;
    if (!parse_integer(words[word], value) || value < 0 || value >= spins)
        refuse("names spin " + words[word] + "; spins are numbered from 0 to " + std::to_string(spins - 1) + ".");
    return static_cast<int>(value);
}

Axis Item::axis(std::size_t word) const {
    for (const auto& choice : axis_choices)
        if (words[word] == choice.word) return choice.value;
    refuse("has the axis " + words[word] + "; it must be x, y or z.");
}

std::vector<Item> items_of(const std::string& key, std::string_view text) {
    std::vector<Item> items;
    std::istringstream all{std::string(text)};
    for (std::string part; std::getline(all, part, ';');)
        if (Item next = item(key, part); !next.words.empty()) items.push_back(std::move(next));
    return items;
}

std::vector<Item> lines_of(const NamedText& file) {
    std::vector<Item> items;
    std::istringstream all(file.content);
    int number = 0;
    for (std::string line; std::getline(all, line);)
        if (Item next = item(file.name + ":" + std::to_string(++number), line.substr(0, line.find('#')));
            !next.words.empty())
            items.push_back(std::move(next));
    return items;
}

std::string number_text(double value) {
    char text[32];
    const auto end = std::to_chars(text, text + sizeof text, value).ptr;
    return {text, end};
}

std::uint64_t step_at(double time, double step, const std::string& what) {
    const double steps = time / step, nearest = std::max(0.0, std::round(steps));
    if (std::abs(steps - nearest) > boundary_tolerance || nearest > 1e15)
        throw Error(ExitCode::bad_input, what + " is no multiple of run.step = " + number_text(step) +
                                             " from time 0 on; the nearest one is " + number_text(nearest * step) +
                                             ".");
    return static_cast<std::uint64_t>(nearest);
}

}  // namespace strata::trotter
