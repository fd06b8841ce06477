// SPDX-License-Identifier: BSD-3-Clause
// Writes the file of a study. In a scan every quantity is one column over all points, so that the number of HDF5
// objects does not depend on the number of points.
#include "io/study_file.hpp"

#include <hdf5_hl.h>
#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <set>

#include "io/axes.hpp"
#include "io/content_digest.hpp"
#include "io/files.hpp"
#include "io/hdf5.hpp"
#include "strata/error.hpp"
#include "strata/printable.hpp"

namespace strata::io {
namespace {

constexpr double unknown = std::numeric_limits<double>::quiet_NaN();

void describe(hid_t where, const std::string& unit, const std::string& meaning) {
    write_attribute(where, "unit", unit);
    write_attribute(where, "description", meaning);
}

std::vector<std::int64_t> counted_up(std::size_t size) {
    std::vector<std::int64_t> numbers(size);
    for (std::size_t i = 0; i < size; ++i) numbers[i] = static_cast<std::int64_t>(i);
    return numbers;
}

/// A group whose datasets share their first dimension, whose scale is the dataset of the numbers of points.
class Table {
  public:
    Table(hid_t where, const std::string& group, const std::string& dimension, const std::vector<std::int64_t>& numbers,
          const std::string& meaning)
        : group_(create_group(where, group)), scale_(write_dataset(group_, dimension, numbers)) {
        check_hdf5(H5DSset_scale(scale_, dimension.c_str()), "make a dimension scale");
        describe(scale_, "1", meaning);
    }
    hid_t group() const { return group_; }

    void column(const Handle& dataset, const std::string& unit, const std::string& meaning) {
        describe(dataset, unit, meaning);
        check_hdf5(H5DSattach_scale(dataset, scale_, 0), "attach a dimension scale");
    }
    Handle numbers(const std::string& name, const std::vector<double>& values, const std::string& unit,
                   const std::string& meaning, std::size_t width = 1) {
        Handle dataset = write_dataset(group_, name, values, Growth::fixed, width);
        column(dataset, unit, meaning);
        if (width != 1) check_hdf5(H5DSattach_scale(dataset, members(width), 1), "attach a dimension scale");
        return dataset;
    }
    /// Writes the column of a key: numbers if all texts are numbers, else the texts.
    void values(const ScanKey& key, const std::vector<std::string>& texts) {
        std::vector<double> reals(texts.size());
        bool all = true;
        for (std::size_t i = 0; i < texts.size(); ++i) all = all && parse_real(texts[i], reals[i]);
        column(all ? write_dataset(group_, key.key.name, reals, Growth::fixed)
                   : write_dataset(group_, key.key.name, texts),
               key.key.unit.empty() ? "1" : key.key.unit, key.key.meaning);
    }
    void quantity(const ScanQuantity& q) {
        const Quantity& all = q.over_points;
        for (const QuantityPart& part : quantity_parts)
            if (part.list == &Quantity::value ||
                std::ranges::any_of(all.*part.list, [](double v) { return !std::isnan(v); }))
                write_axes(numbers(all.name + part.ending, all.*part.list, all.unit, all.meaning, q.width), all);
    }

  private:
    /// The dimension scale of lists of this length: readers of netCDF require a name for every dimension or for none.
    hid_t members(std::size_t width) {
        const auto [at, fresh] = members_.try_emplace(width);
        if (fresh) {
            const std::string name = "members_" + std::to_string(width);
            at->second = write_dataset(group_, name, counted_up(width));
            check_hdf5(H5DSset_scale(at->second, name.c_str()), "make a dimension scale");
            describe(at->second, "1", "Number of the member of a list, from 0.");
        }
        return at->second;
    }
    Handle group_, scale_;
    std::map<std::size_t, Handle> members_;
};

/// Values of key `k` at the points `at`.
std::vector<std::string> texts_of(const Scan& scan, std::size_t k, const std::vector<std::size_t>& at) {
    std::vector<std::string> texts;
    for (const std::size_t point : at) texts.push_back(scan.values(point)[k]);
    return texts;
}

void write_columns(hid_t file, const Study& study) {
    Table table(file, "scan", "point", counted_up(study.records.size()), "Number of the point, from 0.");
    std::vector<std::size_t> all(study.records.size());
    for (std::size_t i = 0; i < all.size(); ++i) all[i] = i;
    const std::vector<ScanKey> keys = study.scan.keys();
    for (std::size_t k = 0; k < keys.size(); ++k) table.values(keys[k], texts_of(study.scan, k, all));
    for (const ScanQuantity& q : merged_quantities(study.records)) table.quantity(q);
}

void write_average_series(hid_t averages, const SeriesAverages& all) {
    if (all.group.empty()) return;
    const Handle series = create_group(averages, "series");
    describe(write_dataset(series, "group", all.group), "1", "Number of the group of replicas of the row.");
    for (std::size_t c = 0; c < all.columns.size(); ++c) {
        const Column& column = all.columns[c];
        const auto write = [&](const std::string& name, const std::vector<double>& values) {
            const Handle dataset = write_dataset(series, name, values, Growth::fixed);
            describe(dataset, column.unit, column.meaning);
            write_axes(dataset, column);
        };
        write(column.name, all.mean[c]);
        if (column.role != Role::coordinate) write(column.name + "_error", all.error[c]);
    }
}

void write_averages(hid_t file, const Study& study) {
    const ScanAverages averages = average_replicas(study.scan, study.records);
    if (averages.first_point.empty()) return;
    Table table(file, "averages", "group", counted_up(averages.first_point.size()),
                "Number of the group of replicas: points that differ only in averaged keys.");
    const std::vector<ScanKey> keys = study.scan.keys();
    for (std::size_t k = 0; k < keys.size(); ++k)
        if (std::ranges::count(study.scan.averaged, keys[k].key.name) == 0)
            table.values(keys[k], texts_of(study.scan, k, averages.first_point));
    table.numbers("replicas", averages.replicas, "1", "Replicas that have results.");
    for (const ScanQuantity& q : averages.quantities) table.quantity(q);
    write_average_series(table.group(), average_series(study.scan, study.records));
}

void write_points(hid_t file, const Study& study) {
    Table table(file, "points", "point", counted_up(study.records.size()), "Number of the point, from 0.");
    std::vector<std::int64_t> state, code, steps;
    std::vector<std::string> sentence, remark, backend, hash;
    std::vector<double> seconds;
    for (const PointRecord& p : study.records) {
        state.push_back(static_cast<std::int64_t>(p.state));
        code.push_back(p.exit_code.value_or(0));
        steps.push_back(static_cast<std::int64_t>(p.steps));
        sentence.push_back(p.sentence);
        remark.push_back(p.remark);
        backend.push_back(p.backend);
        hash.push_back(p.state_hash);
        seconds.push_back(p.seconds);
    }
    const hid_t group = table.group();
    table.column(write_dataset(group, "state", state), "1",
                 "0: open, 1: finished, 2: finished but not converged, 3: failed.");
    table.column(write_dataset(group, "exit_code", code), "1", "Exit code of a job of this point alone.");
    table.column(write_dataset(group, "sentence", sentence), "", "What is missing or failed.");
    table.column(write_dataset(group, "remark", remark), "", "What a reader of the results should know.");
    table.column(write_dataset(group, "backend", backend), "", "Where the kernels ran.");
    table.column(write_dataset(group, "state_hash", hash), "", "Hash of the final state.");
    table.column(write_dataset(group, "steps", steps), "1", "Steps made.");
    table.numbers("seconds", seconds, "s", "Wall time in steps.");
}

/// The columns of all series that have rows, in the order of first appearance.
std::vector<Column> all_columns(const std::vector<PointRecord>& points) {
    std::vector<Column> columns;
    std::set<std::string> seen;
    for (const PointRecord& p : points)
        for (const Column& column : p.series.columns())
            if (p.series.rows() > 0 && seen.insert(column.name).second) columns.push_back(column);
    return columns;
}

/// The rows of one column of all points, one point after another; unknown where a point lacks the column.
std::vector<double> rows_of(const std::vector<PointRecord>& points, const Column& column) {
    std::vector<double> values;
    for (const PointRecord& p : points) {
        const auto at = std::ranges::find(p.series.columns(), column.name, &Column::name);
        const std::size_t rows = p.series.rows() - p.rows_left_out;
        if (at == p.series.columns().end()) {
            values.insert(values.end(), rows, unknown);
            continue;
        }
        const std::vector<double> own =
            p.series.column(static_cast<std::size_t>(at - p.series.columns().begin()), p.rows_left_out, rows);
        values.insert(values.end(), own.begin(), own.end());
    }
    return values;
}

void write_series(hid_t file, const Study& study) {
    const Handle group = create_group(file, "series");
    const bool one = study.scan.empty();
    if (!one) {
        std::vector<std::int64_t> owner;
        for (std::size_t p = 0; p < study.records.size(); ++p)
            owner.insert(owner.end(), study.records[p].series.rows(), static_cast<std::int64_t>(p));
        describe(write_dataset(group, "point", owner), "1", "Number of the point to which the row belongs.");
    }
    for (const Column& column : one ? study.records.front().series.columns() : all_columns(study.records)) {
        const Handle dataset =
            write_dataset(group, column.name, rows_of(study.records, column), one ? Growth::extendible : Growth::fixed);
        describe(dataset, column.unit, column.meaning);
        write_axes(dataset, column);
    }
}

void write_costs(hid_t file, const Study& study) {
    std::map<std::string, std::vector<double>> seconds;
    std::map<std::string, std::pair<Figure, std::vector<double>>> figures;
    for (std::size_t p = 0; p < study.records.size(); ++p) {
        for (const PhaseTime& phase : study.records[p].timers) {
            std::vector<double>& all = seconds[phase.name];
            all.resize(study.records.size(), unknown);
            all[p] = phase.seconds;
        }
        for (const Figure& figure : study.records[p].performance) {
            auto& [first, all] = figures.try_emplace(figure.name, figure, std::vector<double>{}).first->second;
            all.resize(study.records.size(), unknown);
            all[p] = figure.value;
        }
    }
    Table timers(file, "timers", "point", counted_up(study.records.size()), "Number of the point, from 0.");
    for (const auto& [name, values] : seconds) timers.numbers(name, values, "s", "Wall time, mean over ranks.");
    Table table(file, "performance", "point", counted_up(study.records.size()), "Number of the point, from 0.");
    for (const auto& [name, entry] : figures) table.numbers(name, entry.second, entry.first.unit, entry.first.meaning);
}

void write_job(hid_t file, const Study& study) {
    const bool one = study.scan.empty();
    const Handle job = create_group(file, "job");
    write_attribute(job, "application", study.config.application());
    write_attribute(job, "text", study.text);
    write_attribute(job, "ranks", std::int64_t{study.ranks});
    write_attribute(job, "threads", std::int64_t{study.threads});
    if (one)
        write_attribute(job, "backend", study.records.front().backend);
    else
        write_attribute(job, "ranks_per_point", std::int64_t{study.ranks_per_point});
    for (const Fact& fact : study.provenance) write_attribute(job, fact.name, fact.value);
    const Handle keys = create_group(job, "keys"), files = create_group(job, "files");
    const std::vector<ScanKey> scanned = study.scan.keys();
    for (const Config::Value& value : study.config.values()) {
        if (value.key.stands_for_own_names() ||
            std::ranges::any_of(scanned, [&](const ScanKey& k) { return k.key.name == value.key.name; }))
            continue;
        write_attribute(keys, value.key.name, value.text);
        if (!value.content.empty()) write_text_dataset(files, value.key.name, value.content);
    }
    if (one) return;
    write_text_dataset(job, "first_point", study.first_point);
    write_text_dataset(job, "points", study.points_text);
}

/// Everything of a single point but its series.
void write_result(hid_t file, const PointRecord& point) {
    write_attribute(file, "complete", std::int64_t{point.state == PointState::open ? 0 : 1});
    write_attribute(file, "steps", static_cast<std::int64_t>(point.steps));
    write_attribute(file, "total_steps", static_cast<std::int64_t>(point.total_steps));
    write_attribute(file, "seconds", point.seconds);
    write_attribute(file, "state_hash", point.state_hash);
    if (!point.remark.empty()) write_attribute(file, "remark", point.remark);
    if (point.exit_code) write_attribute(file, "exit_code", std::int64_t{*point.exit_code});
    if (!point.sentence.empty()) write_attribute(file, "sentence", point.sentence);
    const Handle results = create_group(file, "results"), timers = create_group(file, "timers"),
                 performance = create_group(file, "performance");
    for (const Quantity& q : point.quantities) {
        const Handle one = create_group(results, q.name);
        describe(one, q.unit, q.meaning);
        write_axes(one, q);
        for (const QuantityPart& part : quantity_parts)
            if (part.list == &Quantity::value || !(q.*part.list).empty())
                write_dataset(one, part.name, q.*part.list, Growth::fixed);
    }
    for (const PhaseTime& phase : point.timers) {
        const Handle one = create_group(timers, phase.name);
        write_attribute(one, "seconds", phase.seconds);
        write_attribute(one, "seconds_slowest_rank", phase.seconds_most);
        write_attribute(one, "calls", static_cast<std::int64_t>(phase.calls));
    }
    for (const Figure& figure : point.performance) {
        const Handle one = create_group(performance, figure.name);
        write_attribute(one, "value", figure.value);
        describe(one, figure.unit, figure.meaning);
    }
}

/// Everything of a scan but its series.
void write_scan(hid_t file, const Study& study) {
    write_attribute(file, "complete", std::int64_t{study.complete() ? 1 : 0});
    write_attribute(file, "points", static_cast<std::int64_t>(study.records.size()));
    write_attribute(file, "done", static_cast<std::int64_t>(study.done()));
    write_attribute(file, "seconds", study.seconds);
    write_columns(file, study);
    write_averages(file, study);
    write_points(file, study);
    write_costs(file, study);
}

/// Upper bound of the size of the file. Columns that can grow are stored in chunks.
std::uint64_t file_bytes(const Study& study) {
    std::uint64_t bytes = std::uint64_t{1} << 20;
    std::size_t longest = 64;
    for (const PointRecord& p : study.records) {
        // A scan with averages also has means and errors: as many as there are numbers, for a group of one replica.
        const std::size_t copies = study.scan.empty() ? 2 : study.scan.averaged.empty() ? 1 : 3;
        bytes += copies * p.series.values().size_bytes() + 16 * p.series.rows() + 1024;
        for (const Quantity& q : p.quantities) bytes += 8 * 8 * (q.value.size() + 1);
        longest = std::max({longest, p.sentence.size() + p.remark.size()});
    }
    return bytes + (longest + 256) * study.records.size() + study.first_point.size() + study.points_text.size();
}

}  // namespace

void write_study(const std::string& path, const Study& study) {
    const bool one = study.scan.empty();
    write_digested_file(path, file_bytes(study), [&](hid_t file) {
        write_attribute(file, "format", std::string(one ? result_format_name : scan_format_name));
        write_attribute(file, "format_version", std::int64_t{one ? result_format : scan_format});
        write_job(file, study);
        write_series(file, study);
        one ? write_result(file, study.records.front()) : write_scan(file, study);
    });
}

}  // namespace strata::io
