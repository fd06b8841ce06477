// SPDX-License-Identifier: BSD-3-Clause
// Converts the columns of the file to a record per point. Quantities and columns of a series that a point does not have
// are NaN in the file; the record omits these quantities and keeps NaN in the series.
#include <algorithm>
#include <cmath>
#include <set>

#include "io/axes.hpp"
#include "io/content_digest.hpp"
#include "io/files.hpp"
#include "io/hdf5.hpp"
#include "io/scan_columns.hpp"
#include "io/scan_file.hpp"
#include "strata/error.hpp"
#include "strata/printable.hpp"

namespace strata::io {
namespace {

std::string read_text_dataset(hid_t where, const std::string& name) {
    const Handle dataset = open_dataset(where, name);
    const std::string what = "read the dataset " + name;
    const Handle type(H5Dget_type(dataset), what), space(H5Dget_space(dataset), what);
    if (H5Tget_class(type) != H5T_STRING || H5Tis_variable_str(type) != 0 || H5Sget_simple_extent_npoints(space) != 1)
        throw Error(ExitCode::file, "The dataset " + name + " is not a text.");
    std::string text(H5Tget_size(type), '\0');
    check_hdf5(H5Dread(dataset, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, text.data()), what);
    return text.substr(0, text.find('\0'));
}

void read_job(hid_t file, ScanReport& report) {
    const Handle job = open_group(file, "job");
    report.job_text = read_text_attribute(job, "text");
    report.ranks = static_cast<int>(read_integer_attribute(job, "ranks"));
    report.threads = static_cast<int>(read_integer_attribute(job, "threads"));
    report.ranks_per_point = static_cast<int>(read_integer_attribute(job, "ranks_per_point"));
    const std::set<std::string> own = {"application", "text", "ranks", "threads", "ranks_per_point"};
    for (const std::string& name : attribute_names(job))
        if (!own.contains(name)) report.provenance.push_back({name, read_text_attribute(job, name)});
    report.job = read_text_dataset(job, "first_point");
    report.points_text = read_text_dataset(job, "points");
    for (const Fact& fact : report.provenance)
        if (fact.name == "version") report.version = fact.value;
}

template <class T, class U>
void assign(std::vector<PointRecord>& points, T PointRecord::*member, const std::vector<U>& values) {
    if (values.size() != points.size()) throw Error(ExitCode::file, "Its columns have different lengths.");
    for (std::size_t p = 0; p < points.size(); ++p) points[p].*member = static_cast<T>(values[p]);
}

void read_points(hid_t file, ScanReport& report) {
    const Handle group = open_group(file, "points");
    report.points.resize(read_integers(group, "point").size());
    assign(report.points, &PointRecord::state, read_integers(group, "state"));
    assign(report.points, &PointRecord::exit_code, read_integers(group, "exit_code"));
    assign(report.points, &PointRecord::steps, read_integers(group, "steps"));
    assign(report.points, &PointRecord::sentence, read_texts(group, "sentence"));
    assign(report.points, &PointRecord::remark, read_texts(group, "remark"));
    assign(report.points, &PointRecord::backend, read_texts(group, "backend"));
    assign(report.points, &PointRecord::state_hash, read_texts(group, "state_hash"));
    assign(report.points, &PointRecord::seconds, read_dataset(group, "seconds"));
}

/// A column over points and the length of its rows; no values if there is no such dataset.
std::pair<std::vector<double>, std::size_t> column_if_there(hid_t group, const std::string& name, std::size_t points) {
    std::size_t width = 1;
    if (H5Lexists(group, name.c_str(), H5P_DEFAULT) <= 0) return {{}, 1};
    std::vector<double> values = read_dataset(group, name, width);
    if (values.size() != points * width) throw Error(ExitCode::file, "Its columns have different lengths.");
    return {std::move(values), width};
}

void read_quantities(hid_t file, ScanReport& report) {
    const Handle group = open_group(file, "scan");
    for (const std::string& name : child_names(group)) {
        if (name == "point" || name.find_first_of("._") != std::string::npos) continue;
        const auto [value, width] = column_if_there(group, name, report.points.size());
        const Handle dataset = open_dataset(group, name);
        Quantity head{name, read_text_attribute(dataset, "unit"), read_text_attribute(dataset, "description"), {}};
        read_axes(dataset, head, width);
        std::vector<std::vector<double>> lists;
        for (const auto& [ending, list] : endings)
            lists.push_back(column_if_there(group, name + ending, report.points.size()).first);
        for (std::size_t p = 0; p < report.points.size(); ++p) {
            std::size_t count = width;
            while (count > 0 && std::isnan(value[p * width + count - 1])) --count;
            if (count == 0 && width == 1 && report.points[p].state != PointState::failed)
                count = report.points[p].state == PointState::open ? 0 : 1;  // an unknown number, stored as NaN
            if (count == 0) continue;
            Quantity q = head;
            for (std::size_t l = 0; l < lists.size(); ++l)
                if (lists[l].size() == value.size()) {
                    const auto from = lists[l].begin() + static_cast<std::ptrdiff_t>(p * width);
                    (q.*endings[l].second).assign(from, from + static_cast<std::ptrdiff_t>(count));
                }
            report.points[p].quantities.push_back(std::move(q));
        }
    }
}

void read_series(hid_t file, ScanReport& report) {
    const Handle group = open_group(file, "series");
    const std::vector<std::int64_t> owner = read_integers(group, "point");
    std::vector<Column> columns;
    std::vector<std::vector<double>> values;
    for (const std::string& name : child_names(group)) {
        if (name == "point") continue;
        const Handle dataset = open_dataset(group, name);
        columns.push_back({name, read_text_attribute(dataset, "unit"), read_text_attribute(dataset, "description")});
        read_axes(dataset, columns.back());
        values.push_back(read_dataset(group, name));
        if (values.back().size() != owner.size()) throw Error(ExitCode::file, "Its series have different lengths.");
    }
    for (PointRecord& p : report.points) p.series = Series(columns);
    std::vector<double> row(columns.size());
    for (std::size_t i = 0; i < owner.size(); ++i) {
        if (owner[i] < 0 || static_cast<std::size_t>(owner[i]) >= report.points.size())
            throw Error(ExitCode::file, "Its series name a point that it does not have.");
        for (std::size_t c = 0; c < row.size(); ++c) row[c] = values[c][i];
        report.points[static_cast<std::size_t>(owner[i])].series.append(row);
    }
}

void read_costs(hid_t file, ScanReport& report) {
    const Handle timers = open_group(file, "timers"), performance = open_group(file, "performance");
    const auto each = [&](hid_t group, const auto& take) {
        for (const std::string& name : child_names(group)) {
            if (name == "point") continue;
            const std::vector<double> values = column_if_there(group, name, report.points.size()).first;
            const Handle dataset = open_dataset(group, name);
            for (std::size_t p = 0; p < report.points.size(); ++p)
                if (!std::isnan(values[p]))
                    take(report.points[p], Figure{name, values[p], read_text_attribute(dataset, "unit"),
                                                  read_text_attribute(dataset, "description")});
        }
    };
    each(timers, [](PointRecord& p, const Figure& f) { p.timers.push_back({f.name, f.value, f.value, 0}); });
    each(performance, [](PointRecord& p, const Figure& f) { p.performance.push_back(f); });
}

}  // namespace

bool is_scan(const std::string& path) {
    if (!exists(path)) return false;
    const auto lock = lock_hdf5();
    try {
        const Handle file = open_file(path);
        return H5Aexists(file, "format") > 0 && read_text_attribute(file, "format") == scan_format_name;
    } catch (const Error&) {
        return false;
    }
}

ScanReport read_scan(const std::string& path) {
    const auto lock = lock_hdf5();
    const Handle file = open_file(path);
    try {
        if (read_text_attribute(file, "format") != scan_format_name)
            throw Error(ExitCode::file, "It is not the file of a scan.");
        if (read_integer_attribute(file, "format_version") != scan_format)
            throw Error(ExitCode::file, "It has another layout version than " + std::to_string(scan_format) + ".");
        if (read_text_attribute(file, digest_name) != content_digest(file))
            throw Error(ExitCode::file,
                        "Its content does not fit its digest: it is damaged, or was changed after it was written.");
        ScanReport report;
        report.complete = read_integer_attribute(file, "complete") != 0;
        report.seconds = read_real_attribute(file, "seconds");
        read_job(file, report);
        read_points(file, report);
        read_quantities(file, report);
        read_series(file, report);
        read_costs(file, report);
        return report;
    } catch (const Error& error) {
        throw Error(ExitCode::file, printable(path, 4096) + " cannot be read: " + error.what());
    }
}

}  // namespace strata::io
