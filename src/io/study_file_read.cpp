// SPDX-License-Identifier: BSD-3-Clause
// Reads the file of a study. Columns of a scan become a record per point: quantities and columns of a series that a
// point does not have are NaN in the file; the record omits these quantities and keeps NaN in the series.
#include <algorithm>
#include <cmath>
#include <set>

#include "io/axes.hpp"
#include "io/content_digest.hpp"
#include "io/files.hpp"
#include "io/hdf5.hpp"
#include "io/study_file.hpp"
#include "strata/error.hpp"
#include "strata/printable.hpp"

namespace strata::io {
namespace {

constexpr std::size_t max_shown_path = 4096;

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

void read_job(hid_t file, Study& study) {
    const Handle job = open_group(file, "job");
    study.text = read_text_attribute(job, "text");
    study.ranks = static_cast<int>(read_integer_attribute(job, "ranks"));
    study.threads = static_cast<int>(read_integer_attribute(job, "threads"));
    const std::set<std::string> own = {"application", "text", "ranks", "threads", "ranks_per_point", "backend"};
    for (const std::string& name : attribute_names(job))
        if (!own.contains(name)) study.provenance.push_back({name, read_text_attribute(job, name)});
    for (const Fact& fact : study.provenance)
        if (fact.name == "version") study.version = fact.value;
    const Handle keys = open_group(job, "keys");
    std::vector<Config::Value> values;
    for (const std::string& name : attribute_names(keys)) {
        Config::Value value;
        value.key.name = name;
        value.text = read_text_attribute(keys, name);
        value.origin = "result file";
        values.push_back(value);
    }
    study.config = Config(read_text_attribute(job, "application"), std::move(values));
}

void read_lists(hid_t group, Quantity& q) {
    for (const QuantityPart& part : quantity_parts)
        if (part.list == &Quantity::value || H5Lexists(group, part.name, H5P_DEFAULT) > 0)
            q.*part.list = read_dataset(group, part.name);
    read_axes(group, q, q.value.size());
    for (const QuantityPart& part : quantity_parts)
        if (const std::vector<double>& list = q.*part.list; !list.empty() && list.size() != q.value.size())
            throw Error(ExitCode::file, "The lists of " + printable(q.name) + " have different lengths.");
}

Figure read_figure(hid_t where, const std::string& name, double value) {
    return {name, value, read_text_attribute(where, "unit"), read_text_attribute(where, "description")};
}

/// The record of a single point, without its series.
PointRecord read_result(hid_t file) {
    PointRecord point;
    point.steps = static_cast<std::uint64_t>(read_integer_attribute(file, "steps"));
    point.total_steps = static_cast<std::uint64_t>(read_integer_attribute(file, "total_steps"));
    point.seconds = read_real_attribute(file, "seconds");
    point.state_hash = read_text_attribute(file, "state_hash");
    point.backend = read_text_attribute(open_group(file, "job"), "backend");
    if (H5Aexists(file, "remark") > 0) point.remark = read_text_attribute(file, "remark");
    if (H5Aexists(file, "exit_code") > 0) point.exit_code = static_cast<int>(read_integer_attribute(file, "exit_code"));
    if (H5Aexists(file, "sentence") > 0) point.sentence = read_text_attribute(file, "sentence");
    if (read_integer_attribute(file, "complete") != 0)
        point.state = point.exit_code.value_or(0) == 0 ? PointState::finished : PointState::unconverged;
    const Handle results = open_group(file, "results"), timers = open_group(file, "timers"),
                 performance = open_group(file, "performance");
    for (const std::string& name : child_names(results)) {
        const Handle one = open_group(results, name);
        point.quantities.push_back(
            {name, read_text_attribute(one, "unit"), read_text_attribute(one, "description"), {}});
        read_lists(one, point.quantities.back());
    }
    for (const std::string& name : child_names(timers)) {
        const Handle one = open_group(timers, name);
        point.timers.push_back({name, read_real_attribute(one, "seconds"),
                                read_real_attribute(one, "seconds_slowest_rank"),
                                static_cast<std::uint64_t>(read_integer_attribute(one, "calls"))});
    }
    for (const std::string& name : child_names(performance)) {
        const Handle one = open_group(performance, name);
        point.performance.push_back(read_figure(one, name, read_real_attribute(one, "value")));
    }
    return point;
}

template <class T, class U>
void assign(std::vector<PointRecord>& points, T PointRecord::*member, const std::vector<U>& values) {
    if (values.size() != points.size()) throw Error(ExitCode::file, "Its columns have different lengths.");
    for (std::size_t p = 0; p < points.size(); ++p) points[p].*member = static_cast<T>(values[p]);
}

void read_points(hid_t file, std::vector<PointRecord>& points) {
    const Handle group = open_group(file, "points");
    points.resize(read_integers(group, "point").size());
    if (points.empty()) throw Error(ExitCode::file, "It has no points.");
    assign(points, &PointRecord::state, read_integers(group, "state"));
    assign(points, &PointRecord::exit_code, read_integers(group, "exit_code"));
    assign(points, &PointRecord::steps, read_integers(group, "steps"));
    assign(points, &PointRecord::sentence, read_texts(group, "sentence"));
    assign(points, &PointRecord::remark, read_texts(group, "remark"));
    assign(points, &PointRecord::backend, read_texts(group, "backend"));
    assign(points, &PointRecord::state_hash, read_texts(group, "state_hash"));
    assign(points, &PointRecord::seconds, read_dataset(group, "seconds"));
    for (PointRecord& point : points)
        if (point.state == PointState::open) point.exit_code.reset();
}

/// A column over points and the length of its rows; no values if there is no such dataset.
std::pair<std::vector<double>, std::size_t> column_if_there(hid_t group, const std::string& name, std::size_t points) {
    std::size_t width = 1;
    if (H5Lexists(group, name.c_str(), H5P_DEFAULT) <= 0) return {{}, 1};
    std::vector<double> values = read_dataset(group, name, width);
    if (values.size() != points * width) throw Error(ExitCode::file, "Its columns have different lengths.");
    return {std::move(values), width};
}

void read_quantities(hid_t file, std::vector<PointRecord>& points) {
    const Handle group = open_group(file, "scan");
    for (const std::string& name : child_names(group)) {
        if (name == "point" || name.find_first_of("._") != std::string::npos) continue;
        const auto [value, width] = column_if_there(group, name, points.size());
        const Handle dataset = open_dataset(group, name);
        Quantity head{name, read_text_attribute(dataset, "unit"), read_text_attribute(dataset, "description"), {}};
        read_axes(dataset, head, width);
        std::vector<std::vector<double>> lists;
        for (const QuantityPart& part : quantity_parts)
            lists.push_back(column_if_there(group, name + part.ending, points.size()).first);
        for (std::size_t p = 0; p < points.size(); ++p) {
            std::size_t count = width;
            while (count > 0 && std::isnan(value[p * width + count - 1])) --count;
            if (count == 0 && width == 1 && points[p].state != PointState::failed)
                count = points[p].state == PointState::open ? 0 : 1;  // an unknown number, stored as NaN
            if (count == 0) continue;
            Quantity q = head;
            for (std::size_t l = 0; l < lists.size(); ++l)
                if (lists[l].size() == value.size()) {
                    const auto from = lists[l].begin() + static_cast<std::ptrdiff_t>(p * width);
                    (q.*quantity_parts[l].list).assign(from, from + static_cast<std::ptrdiff_t>(count));
                }
            points[p].quantities.push_back(std::move(q));
        }
    }
}

/// The columns of the group of the series.
struct SeriesColumns {
    std::vector<Column> columns;
    std::vector<std::vector<double>> values;  ///< [column][row]

    explicit SeriesColumns(hid_t group) {
        for (const std::string& name : child_names(group)) {
            if (name == "point") continue;
            const Handle dataset = open_dataset(group, name);
            columns.push_back(
                {name, read_text_attribute(dataset, "unit"), read_text_attribute(dataset, "description")});
            read_axes(dataset, columns.back());
            values.push_back(read_dataset(group, name));
            if (values.back().size() != values[0].size())
                throw Error(ExitCode::file, "Its series have different lengths.");
        }
    }
};

void read_series(hid_t file, std::vector<PointRecord>& points) {
    const Handle group = open_group(file, "series");
    const std::vector<std::int64_t> owner = read_integers(group, "point");
    const auto [columns, values] = SeriesColumns(group);
    if (!values.empty() && values[0].size() != owner.size())
        throw Error(ExitCode::file, "Its series have different lengths.");
    for (PointRecord& p : points) p.series = Series(columns);
    std::vector<double> row(columns.size());
    for (std::size_t i = 0; i < owner.size(); ++i) {
        if (owner[i] < 0 || static_cast<std::size_t>(owner[i]) >= points.size())
            throw Error(ExitCode::file, "Its series name a point that it does not have.");
        for (std::size_t c = 0; c < row.size(); ++c) row[c] = values[c][i];
        points[static_cast<std::size_t>(owner[i])].series.append(row);
    }
}

void read_costs(hid_t file, std::vector<PointRecord>& points) {
    const Handle timers = open_group(file, "timers"), performance = open_group(file, "performance");
    const auto each = [&](hid_t group, const auto& take) {
        for (const std::string& name : child_names(group)) {
            if (name == "point") continue;
            const std::vector<double> values = column_if_there(group, name, points.size()).first;
            const Handle dataset = open_dataset(group, name);
            for (std::size_t p = 0; p < points.size(); ++p)
                if (!std::isnan(values[p])) take(points[p], read_figure(dataset, name, values[p]));
        }
    };
    each(timers, [](PointRecord& p, const Figure& f) { p.timers.push_back({f.name, f.value, f.value, 0}); });
    each(performance, [](PointRecord& p, const Figure& f) { p.performance.push_back(f); });
}

void read_scan(hid_t file, Study& study) {
    const Handle job = open_group(file, "job");
    study.ranks_per_point = static_cast<int>(read_integer_attribute(job, "ranks_per_point"));
    study.first_point = read_text_dataset(job, "first_point");
    study.points_text = read_text_dataset(job, "points");
    study.seconds = read_real_attribute(file, "seconds");
    read_points(file, study.records);
    read_quantities(file, study.records);
    read_series(file, study.records);
    read_costs(file, study.records);
}

/// Description of a file without a format, as the end of a sentence.
std::string foreign_kind(hid_t file, const std::string& path) {
    const std::size_t mark = path.rfind(".checkpoint.");
    if (H5Lexists(file, "header", H5P_DEFAULT) <= 0) return " is not a result file of strata.";
    return " is a checkpoint, not a result" +
           (mark == std::string::npos ? "." : "; that is " + printable(path.substr(0, mark), max_shown_path) + ".h5.");
}

/// Throws Error(file) unless the version of the layout and the digest of the file are correct.
void check_format(hid_t file, int oldest, int newest) {
    const std::int64_t version = read_integer_attribute(file, "format_version");
    if (version < oldest || version > newest)
        throw Error(ExitCode::file, "It has layout version " + std::to_string(version) + "; this program reads " +
                                        std::to_string(oldest) + " to " + std::to_string(newest) + ".");
    if (read_text_attribute(file, digest_name) != content_digest(file))
        throw Error(ExitCode::file,
                    "Its content does not fit its digest: it is damaged, or was changed after it was written.");
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

bool is_checkpoint(const std::string& path) {
    if (!exists(path)) return false;
    const auto lock = lock_hdf5();
    const Handle file = open_file(path);
    return H5Aexists(file, "format") <= 0 && H5Lexists(file, "header", H5P_DEFAULT) > 0;
}

Series read_series(const std::string& path) {
    const auto lock = lock_hdf5();
    const auto [columns, values] = SeriesColumns(open_group(open_file(path), "series"));
    Series series(columns);
    std::vector<double> row(columns.size());
    for (std::size_t i = 0; !values.empty() && i < values[0].size(); ++i) {
        for (std::size_t c = 0; c < row.size(); ++c) row[c] = values[c][i];
        series.append(row);
    }
    return series;
}

Study read_study(const std::string& path) {
    const auto lock = lock_hdf5();
    const Handle file = open_file(path);
    const std::string shown = printable(path, max_shown_path);
    if (H5Aexists(file, "format") <= 0) throw Error(ExitCode::file, shown + foreign_kind(file, path));
    try {
        const std::string format = read_text_attribute(file, "format");
        if (format != result_format_name && format != scan_format_name)
            throw Error(ExitCode::file, "It is not a result file of strata.");
        const bool one = format == result_format_name;
        check_format(file, one ? oldest_result_format : scan_format, one ? result_format : scan_format);
        Study study;
        read_job(file, study);
        if (one)
            study.records.push_back(read_result(file));
        else
            read_scan(file, study);
        return study;
    } catch (const Error& error) {
        throw Error(ExitCode::file, shown + " cannot be read: " + error.what());
    }
}

}  // namespace strata::io
