// SPDX-License-Identifier: BSD-3-Clause
// Words are separated by blanks; numbers are read as everywhere in jobs (strata/config.hpp), to the last character.
#include "models/text.hpp"

#include <sstream>

#include "strata/config.hpp"
#include "strata/error.hpp"

namespace strata {
namespace {

/// Splits a text into words; Item::text joins them by single blanks for messages.
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

int Item::index(std::size_t word, int count, const std::string& what) const {
    std::int64_t value = 0;
    if (!parse_integer(words[word], value) || value < 0 || value >= count)
        refuse("names " + what + " " + words[word] + "; " + what + "s are numbered from 0 to " +
               std::to_string(count - 1) + ".");
    return static_cast<int>(value);
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

void for_each_item(const std::vector<Item>& items, const std::function<void(const Item&)>& read) {
    constexpr int most_told = 10;
    std::string sentences;
    int wrong = 0;
    for (const Item& item : items) {
        try {
            read(item);
        } catch (const Error& error) {
            if (++wrong <= most_told) sentences += (wrong == 1 ? "" : "\n        ") + std::string(error.what());
        }
    }
    if (wrong > most_told) sentences += "\n        " + std::to_string(wrong - most_told) + " more are refused.";
    if (wrong > 0) throw Error(ExitCode::bad_input, sentences);
}

}  // namespace strata
