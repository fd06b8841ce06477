// SPDX-License-Identifier: BSD-3-Clause
// Every quantity is one column over all points, so that the number of HDF5 objects does not depend on the number of
// points.
#include "io/scan_file.hpp"

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
#include "io/scan_columns.hpp"
#include "strata/error.hpp"
#include "strata/printable.hpp"

namespace strata::io {
namespace {

constexpr double unknown = std::numeric_limits<double>::quiet_NaN();
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
        for (const auto& [ending, list] : endings)
            if (list == &Quantity::value ||
                std::ranges::any_of(q.over_points.*list, [](double v) { return !std::isnan(v); }))
                write_axes(numbers(q.over_points.name + ending, q.over_points.*list, q.over_points.unit,
                                   q.over_points.meaning, q.width),
                           q.over_points);
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
    static void describe(hid_t dataset, const std::string& unit, const std::string& meaning) {
        write_attribute(dataset, "unit", unit);
        write_attribute(dataset, "description", meaning);
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

void write_columns(hid_t file, const ScanReport& report) {
    Table table(file, "scan", "point", counted_up(report.points.size()), "Number of the point, from 0.");
    std::vector<std::size_t> all(report.points.size());
    for (std::size_t i = 0; i < all.size(); ++i) all[i] = i;
    const std::vector<ScanKey> keys = report.scan.keys();
    for (std::size_t k = 0; k < keys.size(); ++k) table.values(keys[k], texts_of(report.scan, k, all));
    for (const ScanQuantity& q : merged_quantities(report.points)) table.quantity(q);
}

void write_averages(hid_t file, const ScanReport& report) {
    const ScanAverages averages = average_replicas(report.scan, report.points);
    if (averages.first_point.empty()) return;
    Table table(file, "averages", "group", counted_up(averages.first_point.size()),
                "Number of the group of replicas: points that differ only in averaged keys.");
    const std::vector<ScanKey> keys = report.scan.keys();
    for (std::size_t k = 0; k < keys.size(); ++k)
        if (std::ranges::count(report.scan.averaged, keys[k].key.name) == 0)
            table.values(keys[k], texts_of(report.scan, k, averages.first_point));
    table.numbers("replicas", averages.replicas, "1", "Replicas that have results.");
    for (const ScanQuantity& q : averages.quantities) table.quantity(q);
}

void write_points(hid_t file, const ScanReport& report) {
    Table table(file, "points", "point", counted_up(report.points.size()), "Number of the point, from 0.");
    std::vector<std::int64_t> state, code, steps;
    std::vector<std::string> sentence, remark, backend, hash;
    std::vector<double> seconds;
    for (const PointRecord& p : report.points) {
        state.push_back(static_cast<std::int64_t>(p.state));
        code.push_back(p.exit_code);
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

void write_series(hid_t file, const ScanReport& report) {
    std::vector<std::int64_t> owner;
    for (std::size_t p = 0; p < report.points.size(); ++p)
        owner.insert(owner.end(), report.points[p].series.rows(), static_cast<std::int64_t>(p));
    const Handle group = create_group(file, "series");
    const Handle points = write_dataset(group, "point", owner);
    write_attribute(points, "unit", "1");
    write_attribute(points, "description", "Number of the point to which the row belongs.");
    for (const Column& column : all_columns(report.points)) {
        std::vector<double> values;
        values.reserve(owner.size());
        for (const PointRecord& p : report.points) {
            const auto at = std::ranges::find(p.series.columns(), column.name, &Column::name);
            const std::size_t rows = p.series.rows();
            if (at == p.series.columns().end()) {
                values.insert(values.end(), rows, unknown);
                continue;
            }
            const std::vector<double> own =
                p.series.column(static_cast<std::size_t>(at - p.series.columns().begin()), 0, rows);
            values.insert(values.end(), own.begin(), own.end());
        }
        const Handle dataset = write_dataset(group, column.name, values, Growth::fixed);
        write_attribute(dataset, "unit", column.unit);
        write_attribute(dataset, "description", column.meaning);
        write_axes(dataset, column);
    }
}

void write_costs(hid_t file, const ScanReport& report) {
    std::map<std::string, std::vector<double>> seconds;
    std::map<std::string, std::pair<Figure, std::vector<double>>> figures;
    for (std::size_t p = 0; p < report.points.size(); ++p) {
        for (const PhaseTime& phase : report.points[p].timers) {
            std::vector<double>& all = seconds[phase.name];
            all.resize(report.points.size(), unknown);
            all[p] = phase.seconds;
        }
        for (const Figure& figure : report.points[p].performance) {
            auto& [first, all] = figures.try_emplace(figure.name, figure, std::vector<double>{}).first->second;
            all.resize(report.points.size(), unknown);
            all[p] = figure.value;
        }
    }
    Table timers(file, "timers", "point", counted_up(report.points.size()), "Number of the point, from 0.");
    for (const auto& [name, values] : seconds) timers.numbers(name, values, "s", "Wall time, mean over ranks.");
    Table table(file, "performance", "point", counted_up(report.points.size()), "Number of the point, from 0.");
    for (const auto& [name, entry] : figures) table.numbers(name, entry.second, entry.first.unit, entry.first.meaning);
}

void write_job(hid_t file, const ScanReport& report) {
    const Handle job = create_group(file, "job");
    write_attribute(job, "application", report.config.application());
    write_attribute(job, "text", report.job_text);
    write_attribute(job, "ranks", std::int64_t{report.ranks});
    write_attribute(job, "threads", std::int64_t{report.threads});
    write_attribute(job, "ranks_per_point", std::int64_t{report.ranks_per_point});
    for (const Fact& fact : report.provenance) write_attribute(job, fact.name, fact.value);
    const Handle keys = create_group(job, "keys");
    const std::vector<ScanKey> scanned = report.scan.keys();
    for (const Config::Value& value : report.config.values())
        if (std::ranges::none_of(scanned, [&](const ScanKey& k) { return k.key.name == value.key.name; }))
            write_attribute(keys, value.key.name, value.text);
    write_text_dataset(job, "first_point", report.job);
    write_text_dataset(job, "points", report.points_text);
}

}  // namespace

std::uint64_t scan_file_bytes(const ScanReport& report) {
    std::uint64_t bytes = std::uint64_t{1} << 20;
    std::size_t longest = 64;
    for (const PointRecord& p : report.points) {
        bytes += p.series.values().size_bytes() + 8 * p.series.rows() + 1024;
        for (const Quantity& q : p.quantities) bytes += 8 * 8 * (q.value.size() + 1);
        longest = std::max({longest, p.sentence.size() + p.remark.size()});
    }
    return bytes + (longest + 256) * report.points.size() + report.job.size() + report.points_text.size();
}

void write_scan(const std::string& path, const ScanReport& report) {
    write_digested_file(path, scan_file_bytes(report), [&](hid_t file) {
        write_attribute(file, "format", std::string(scan_format_name));
        write_attribute(file, "format_version", std::int64_t{scan_format});
        write_attribute(file, "complete", std::int64_t{report.complete ? 1 : 0});
        write_attribute(file, "points", static_cast<std::int64_t>(report.points.size()));
        write_attribute(file, "done", static_cast<std::int64_t>(report.done()));
        write_attribute(file, "seconds", report.seconds);
        write_job(file, report);
        write_columns(file, report);
        write_averages(file, report);
        write_points(file, report);
        write_series(file, report);
        write_costs(file, report);
    });
}

}  // namespace strata::io
