// SPDX-License-Identifier: BSD-3-Clause
// Points are rows. A screen has space for the keys and a few quantities, so that the table is divided into blocks.
#include "report/study_table.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <span>

#include "strata/error.hpp"
#include "strata/printable.hpp"

namespace strata::report {
namespace {

constexpr std::size_t quantities_in_block = 4, max_rows = 60, max_failures = 10, max_key_cell = 60, max_sentence = 1000;

using Rows = std::vector<std::vector<std::string>>;

std::string cell(const std::string& text) { return strata::printable(text, max_key_cell); }

double at_row(const std::vector<double>& values, std::size_t i) { return i < values.size() ? values[i] : std::nan(""); }

/// The rows of the table: points, or groups of replicas.
struct Shown {
    std::vector<std::size_t> point;  ///< [row] the point, or the first point of the group
    std::vector<std::string> keys;   ///< names of the keys
    std::vector<ScanQuantity> quantities;
    bool averaged = false;
};

Shown shown_rows(const Study& study) {
    Shown shown;
    ScanAverages averages = average_replicas(study.scan, study.records);
    shown.averaged = !averages.first_point.empty();
    for (const ScanKey& key : study.scan.keys())
        if (!shown.averaged || std::ranges::count(study.scan.averaged, key.key.name) == 0)
            shown.keys.push_back(key.key.name);
    if (shown.averaged) {
        shown.point = averages.first_point;
        shown.quantities = std::move(averages.quantities);
        return shown;
    }
    for (std::size_t p = 0; p < study.records.size(); ++p) shown.point.push_back(p);
    shown.quantities = merged_quantities(study.records);
    return shown;
}

std::vector<std::string> key_cells(const Study& study, const Shown& shown, std::size_t row) {
    std::vector<std::string> cells = {std::to_string(shown.point[row])};
    const std::vector<ScanKey> keys = study.scan.keys();
    const std::vector<std::string> values = study.scan.values(shown.point[row]);
    for (std::size_t k = 0; k < keys.size(); ++k)
        if (std::ranges::count(shown.keys, keys[k].key.name) != 0) cells.push_back(cell(values[k]));
    return cells;
}

std::string block(const Study& study, const Shown& shown, std::span<const ScanQuantity* const> quantities) {
    Rows rows(1);
    rows[0].push_back("point");
    for (const std::string& key : shown.keys) rows[0].push_back(cell(key));
    for (const ScanQuantity* q : quantities) rows[0].push_back(cell(q->over_points.name));
    for (std::size_t r = 0; r < std::min(shown.point.size(), max_rows); ++r) {
        rows.push_back(key_cells(study, shown, r));
        for (const ScanQuantity* q : quantities)
            rows.back().push_back(value_with_error(at_row(q->over_points.value, r), at_row(q->over_points.error, r)));
    }
    return columns(rows);
}

/// Sentences of points without a good result, and the number of those that are omitted.
std::string failures(const Study& study) {
    std::string text;
    std::size_t found = 0;
    for (std::size_t p = 0; p < study.records.size(); ++p) {
        if (study.records[p].sentence.empty() || ++found > max_failures) continue;
        text += "  point " + std::to_string(p) + " (" + cell(study.scan.label(p)) +
                (study.records[p].state == PointState::failed ? ") failed: " : "): ") +
                strata::printable(study.records[p].sentence, max_sentence) + "\n";
    }
    if (found > max_failures) text += "  and " + std::to_string(found - max_failures) + " points more\n";
    return text;
}

/// Numbers of points as ranges: "0 to 5, 7".
std::string ranges_text(const std::vector<std::size_t>& points) {
    std::string text;
    for (std::size_t i = 0, last = 0; i < points.size(); i = last + 1) {
        for (last = i; last + 1 < points.size() && points[last + 1] == points[last] + 1;) ++last;
        text += (text.empty() ? "" : ", ") + std::to_string(points[i]) +
                (last == i ? "" : (last == i + 1 ? ", " : " to ") + std::to_string(points[last]));
    }
    return text;
}

/// The different remarks, each with its points.
std::string remarks(const Study& study) {
    std::vector<std::pair<std::string, std::vector<std::size_t>>> found;
    for (std::size_t p = 0; p < study.records.size(); ++p) {
        const std::string& remark = study.records[p].remark;
        if (remark.empty()) continue;
        auto at = std::ranges::find(found, remark, [](const auto& one) { return one.first; });
        if (at == found.end()) at = found.insert(at, {remark, {}});
        at->second.push_back(p);
    }
    std::string text;
    for (std::size_t i = 0; i < std::min<std::size_t>(found.size(), max_failures); ++i)
        text += (found[i].second.size() == 1 ? "  point " : "  points ") + ranges_text(found[i].second) + ": " +
                strata::printable(found[i].first, max_sentence) + "\n";
    if (found.size() > max_failures)
        text += "  and " + std::to_string(found.size() - max_failures) + " more such remarks\n";
    return text;
}

void append_number(std::string& line, double value) {
    char digits[32];
    line += ',';
    if (!std::isnan(value)) line.append(digits, std::to_chars(digits, digits + sizeof digits, value).ptr);
}

/// Names of all numbers of a line: Q and, if there are any errors, Q_error; members of lists as Q[0].
std::string names_of(const std::vector<ScanQuantity>& quantities) {
    std::string text;
    for (const ScanQuantity& q : quantities)
        for (std::size_t i = 0; i < q.width; ++i) {
            const std::string name = csv_field(q.over_points.name) + (q.width > 1 ? "[" + std::to_string(i) + "]" : "");
            text += "," + name;
            if (!q.over_points.error.empty()) text += "," + name + "_error";
        }
    return text;
}

/// The numbers of a point, or of a group of replicas.
void append_numbers(std::string& text, const std::vector<ScanQuantity>& quantities, std::size_t row) {
    for (const ScanQuantity& q : quantities)
        for (std::size_t i = row * q.width; i < (row + 1) * q.width; ++i) {
            append_number(text, at_row(q.over_points.value, i));
            if (!q.over_points.error.empty()) append_number(text, at_row(q.over_points.error, i));
        }
}

}  // namespace

std::string study_table(const Study& study, Colour colour) {
    if (study.scan.empty()) return result_table(study.records.front(), colour);
    const std::string bold = colour == Colour::on ? "\033[1m" : "", plain = colour == Colour::on ? "\033[0m" : "";
    const Shown shown = shown_rows(study);
    std::string text = bold + "Results" + plain + " of " + std::to_string(study.done()) + " of " +
                       std::to_string(study.records.size()) + " points";
    if (shown.averaged) {
        text += ", averaged over";
        for (const std::string& name : study.scan.averaged) text += " " + cell(name);
        text += " (error: of the mean, from the scatter of the replicas)";
    }
    text += "\n";
    std::vector<const ScanQuantity*> single;
    std::string lists;
    for (const ScanQuantity& q : shown.quantities)
        if (q.width == 1)
            single.push_back(&q);
        else
            lists += (lists.empty() ? "" : ", ") + cell(q.over_points.name) + " (" + std::to_string(q.width) + ")";
    for (std::size_t first = 0; first == 0 || first < single.size(); first += quantities_in_block)
        text +=
            (first == 0 ? "" : "\n") +
            block(study, shown, std::span(single).subspan(first, std::min(quantities_in_block, single.size() - first)));
    if (shown.point.size() > max_rows)
        text += "  and " + std::to_string(shown.point.size() - max_rows) + " rows more: strata show --csv\n";
    if (!lists.empty()) text += "  in the file besides: " + lists + "\n";
    return text + failures(study) + remarks(study);
}

std::string study_csv(const Study& study) {
    const std::vector<ScanQuantity> quantities = merged_quantities(study.records);
    std::string text = "point";
    for (const ScanKey& key : study.scan.keys()) text += "," + csv_field(key.key.name);
    text += ",exit_code";
    text += names_of(quantities) + "\n";
    for (std::size_t p = 0; p < study.records.size(); ++p) {
        const PointRecord& point = study.records[p];
        text += std::to_string(p);
        for (const std::string& value : study.scan.values(p)) text += "," + csv_field(value);
        text += "," + (point.exit_code ? std::to_string(*point.exit_code) : std::string());
        append_numbers(text, quantities, p);
        text += "\n";
    }
    return text;
}

std::string series_csv(const Study& study) {
    std::vector<std::string> names;
    for (const PointRecord& point : study.records)
        for (const Column& column : point.series.columns())
            if (std::ranges::find(names, column.name) == names.end()) names.push_back(column.name);
    const bool one = study.scan.empty();
    std::string text = one ? "" : "point";
    for (const ScanKey& key : study.scan.keys()) text += "," + csv_field(key.key.name);
    for (const std::string& name : names) text += (text.empty() ? "" : ",") + csv_field(name);
    text += "\n";
    for (std::size_t p = 0; p < study.records.size(); ++p) {
        const Series& series = study.records[p].series;
        std::vector<std::size_t> places;  // [name] its column; their number where the point has none
        for (const std::string& name : names)
            places.push_back(static_cast<std::size_t>(std::ranges::find(series.columns(), name, &Column::name) -
                                                      series.columns().begin()));
        std::string keys = one ? "" : std::to_string(p);
        for (const std::string& value : study.scan.values(p)) keys += "," + csv_field(value);
        for (std::size_t row = 0; row < series.rows(); ++row) {
            std::string line;
            for (const std::size_t c : places)
                if (c < series.width())
                    append_number(line, series.row(row)[c]);
                else
                    line += ",";
            text += keys + (one ? line.substr(1) : line) + "\n";
        }
    }
    return text;
}

namespace {

/// Numbers and kept keys of groups of replicas, as the beginnings of lines; `head` has the names.
struct Groups {
    std::string head = "group";
    std::vector<std::string> lines;
};

Groups groups_of(const Study& study) {
    const ScanAverages averages = average_replicas(study.scan, study.records);
    if (averages.first_point.empty())
        throw Error(ExitCode::bad_input, "There are no averages: scan.average names no key of the scan.");
    Groups groups;
    const std::vector<ScanKey> keys = study.scan.keys();
    const auto is_kept = [&](std::size_t k) { return std::ranges::count(study.scan.averaged, keys[k].key.name) == 0; };
    for (std::size_t k = 0; k < keys.size(); ++k)
        if (is_kept(k)) groups.head += "," + csv_field(keys[k].key.name);
    for (std::size_t g = 0; g < averages.first_point.size(); ++g) {
        const std::vector<std::string> values = study.scan.values(averages.first_point[g]);
        groups.lines.push_back(std::to_string(g));
        for (std::size_t k = 0; k < keys.size(); ++k)
            if (is_kept(k)) groups.lines.back() += "," + csv_field(values[k]);
    }
    return groups;
}

}  // namespace

std::string averages_csv(const Study& study) {
    Groups groups = groups_of(study);
    const ScanAverages averages = average_replicas(study.scan, study.records);
    std::string text = groups.head + ",replicas" + names_of(averages.quantities);
    for (std::size_t g = 0; g < groups.lines.size(); ++g) {
        text += "\n" + groups.lines[g];
        append_number(text, averages.replicas[g]);
        append_numbers(text, averages.quantities, g);
    }
    return text + "\n";
}

std::string average_series_csv(const Study& study) {
    const Groups groups = groups_of(study);
    const SeriesAverages all = average_series(study.scan, study.records);
    if (all.group.empty())
        throw Error(ExitCode::bad_input,
                    "There are no averages of series: they need the same times, frequencies or temperatures in all "
                    "replicas.");
    std::string text = groups.head;
    const auto has_error = [&](std::size_t c) { return all.columns[c].role != Role::coordinate; };
    for (std::size_t c = 0; c < all.columns.size(); ++c) {
        text += "," + csv_field(all.columns[c].name);
        if (has_error(c)) text += "," + csv_field(all.columns[c].name + "_error");
    }
    for (std::size_t row = 0; row < all.group.size(); ++row) {
        text += "\n" + groups.lines[static_cast<std::size_t>(all.group[row])];
        for (std::size_t c = 0; c < all.columns.size(); ++c) {
            append_number(text, all.mean[c][row]);
            if (has_error(c)) append_number(text, all.error[c][row]);
        }
    }
    return text + "\n";
}

}  // namespace strata::report
