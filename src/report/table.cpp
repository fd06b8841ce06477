// SPDX-License-Identifier: BSD-3-Clause
// Tables of results and times. A value is printed to two digits of its error; without one to 13 digits, but not
// beyond the rounding of numbers around 1.
#include "report/table.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "strata/formatted.hpp"
#include "strata/printable.hpp"

namespace strata::report {
namespace {

double entry(const std::vector<double>& values, std::size_t i) { return i < values.size() ? values[i] : std::nan(""); }

std::string padded_left(const std::string& text, std::size_t width) {
    return text.size() < width ? std::string(width - text.size(), ' ') + text : text;
}
std::string padded_right(const std::string& text, std::size_t width) {
    return text.size() < width ? text + std::string(width - text.size(), ' ') : text;
}

using Row = std::vector<std::string>;

/// Bounds of the printed length: names and sentences may come from an untrusted file.
constexpr std::size_t max_cell = 200, max_remark = 4000;
std::string shown(const std::string& text) { return strata::printable(text, max_cell); }

/// Deviation of `q` from its exact value in standard deviations; NaN if either is unknown.
double deviation(const Quantity& q, std::size_t i) {
    return (entry(q.value, i) - entry(q.reference, i)) / entry(q.error, i);
}

/// The rows without the columns that have a head only.
std::vector<Row> without_empty_columns(const std::vector<Row>& rows) {
    std::vector<Row> kept(rows.size());
    for (std::size_t c = 0; c < rows[0].size(); ++c)
        if (std::any_of(rows.begin() + 1, rows.end(), [c](const Row& row) { return !row[c].empty(); }))
            for (std::size_t r = 0; r < rows.size(); ++r) kept[r].push_back(rows[r][c]);
    return kept;
}

/// The first values of a list; the file has all of them.
std::string first_values(const std::vector<double>& values) {
    constexpr std::size_t shown = 4;
    std::string text;
    for (std::size_t i = 0; i < std::min(shown, values.size()); ++i)
        text += (i == 0 ? "" : " ") + formatted("%.6g", values[i]);
    return text + (values.size() > shown ? formatted(" ... (%zu)", values.size()) : "");
}

std::string in_rows(const std::vector<Quantity>& quantities) {
    std::vector<Row> rows = {{"quantity", "value", "error", "tau_int", "exact", "deviation"}};
    for (const Quantity& q : quantities) {
        const double error = entry(q.error, 0), tau = entry(q.tau, 0), exact = entry(q.reference, 0),
                     sigma = deviation(q, 0);
        rows.push_back(
            {shown(q.name), q.value.size() > 1 ? first_values(q.value) : value_with_error(entry(q.value, 0), error),
             std::isfinite(error) ? formatted("%.2g", error)
             : q.error.empty()    ? ""
                                  : "-",
             std::isfinite(tau) ? formatted("%.2f", tau) : "", std::isfinite(exact) ? formatted("%.9g", exact) : "",
             std::isfinite(sigma) ? formatted("%+.1f sigma", sigma) : ""});
    }
    return columns(without_empty_columns(rows));
}

/// Lists of equal length: the first quantity is the coordinate, with four others beside it in each block.
std::string along(const std::vector<Quantity>& quantities) {
    constexpr std::size_t per_block = 4;
    std::string text;
    for (std::size_t first = 1; first < quantities.size(); first += per_block) {
        const std::size_t last = std::min(first + per_block, quantities.size());
        Row head = {shown(quantities[0].name)};
        for (std::size_t q = first; q < last; ++q) head.push_back(shown(quantities[q].name));
        std::vector<Row> rows = {head};
        for (std::size_t i = 0; i < quantities[0].value.size(); ++i) {
            Row row = {formatted("%.9g", quantities[0].value[i])};
            for (std::size_t q = first; q < last; ++q)
                row.push_back(value_with_error(entry(quantities[q].value, i), entry(quantities[q].error, i)));
            rows.push_back(row);
        }
        text += (text.empty() ? "" : "\n") + columns(rows);
    }
    return text;
}

/// A sentence below the table; nothing if it is empty.
std::string line_of(const std::string& sentence) {
    return sentence.empty() ? "" : "  " + strata::printable(sentence, max_remark) + "\n";
}

}  // namespace

std::string columns(const std::vector<std::vector<std::string>>& rows) {
    std::vector<std::size_t> width;
    for (const Row& row : rows)
        for (std::size_t c = 0; c < row.size(); ++c) {
            if (c == width.size()) width.push_back(0);
            width[c] = std::max(width[c], row[c].size());
        }
    std::string text;
    for (std::size_t r = 0; r < rows.size(); ++r) {
        text += "  ";
        for (std::size_t c = 0; c < rows[r].size(); ++c)
            text += c == 0 ? padded_right(rows[r][c], width[c]) : "  " + padded_left(rows[r][c], width[c]);
        text.erase(text.find_last_not_of(' ') + 1);
        text += '\n';
        if (r != 0) continue;
        std::size_t line = 0;
        for (std::size_t w : width) line += w + 2;
        text += "  " + std::string(line - 2, '-') + '\n';
    }
    return text;
}

std::string value_with_error(double value, double error) {
    if (std::isnan(value)) return "-";
    if (!(error > 0) || !std::isfinite(error)) {
        const double magnitude = std::floor(std::log10(std::abs(value)));
        return formatted(
            "%.*g", std::isfinite(magnitude) ? static_cast<int>(std::clamp(16 + magnitude, 2.0, 13.0)) : 13, value);
    }
    const int exponent = static_cast<int>(std::floor(std::log10(error)));
    const int decimals = std::max(0, 1 - exponent);
    const double units = error * std::pow(10.0, decimals);
    if (decimals > 14 || std::abs(value) > 1e12) return formatted("%.10g(%.2g)", value, error);
    return formatted("%.*f(%.0f)", decimals, value, units);
}

std::string result_table(const PointRecord& point, Colour colour) {
    const std::string bold = colour == Colour::on ? "\033[1m" : "", plain = colour == Colour::on ? "\033[0m" : "";
    std::string text = bold + "Results" + plain;
    if (point.quantities.empty()) return text + ": none yet\n";
    const std::size_t length = point.quantities[0].value.size();
    const bool over_coordinate = length > 1 && std::ranges::all_of(point.quantities, [&](const Quantity& q) {
                                     return q.value.size() <= 1 || q.value.size() == length;
                                 });
    return text + (point.state == PointState::open ? " so far" : "") + "\n" +
           (over_coordinate ? along(point.quantities) : in_rows(point.quantities)) + line_of(point.sentence) +
           line_of(point.remark);
}

std::string timer_table(const PointRecord& point) {
    double total = 0;
    for (const PhaseTime& phase : point.timers) total += phase.seconds;
    std::vector<Row> rows = {{"phase", "seconds", "share", "slowest rank"}};
    for (const PhaseTime& phase : point.timers)
        rows.push_back({shown(phase.name), formatted("%.3f", phase.seconds),
                        formatted("%.1f %%", total > 0 ? 100 * phase.seconds / total : 0),
                        formatted("%.3f", phase.seconds_most)});
    std::string text = rows.size() > 1 ? "Time\n" + columns(rows) : "";
    for (const Figure& figure : point.performance)
        text += "  " + padded_right(shown(figure.name), 26) + formatted("%.4g", figure.value) +
                (figure.unit == "1" ? "" : " " + shown(figure.unit)) + "  " + shown(figure.meaning) + "\n";
    return text;
}

std::string human_time(double seconds) {
    if (!std::isfinite(seconds)) return "unknown";
    if (seconds < 60) return formatted(seconds < 10 ? "%.1f s" : "%.0f s", seconds);
    const auto whole = static_cast<long long>(seconds + 0.5);
    if (whole < 3600) return formatted("%lld min %02lld s", whole / 60, whole % 60);
    if (whole < 86400) return formatted("%lld h %02lld min", whole / 3600, whole / 60 % 60);
    return formatted("%lld d %02lld h", whole / 86400, whole / 3600 % 24);
}

std::string csv_field(const std::string& field) {
    const std::string text = strata::printable(field, field.size(), Newlines::kept);
    if (text.find_first_of(",\"\n") == std::string::npos) return text;
    std::string out = "\"";
    for (const char c : text) out += c == '"' ? "\"\"" : std::string(1, c);
    return out + "\"";
}

}  // namespace strata::report
