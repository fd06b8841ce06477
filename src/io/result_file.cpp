// SPDX-License-Identifier: BSD-3-Clause
// Writes and reads result files. Numbers are attributes and small datasets with units, as jobs/README.md describes.
#include "io/result_file.hpp"

#include "io/axes.hpp"
#include "io/content_digest.hpp"
#include "io/files.hpp"
#include "io/hdf5.hpp"
#include "strata/error.hpp"
#include "strata/printable.hpp"

namespace strata::io {
namespace {

constexpr const char* format_name = "strata-result";
constexpr std::size_t max_shown_path = 4096;

void write_job(hid_t file, const Report& report) {
    const Handle job = create_group(file, "job");
    write_attribute(job, "application", report.config.application());
    write_attribute(job, "text", report.job_text);
    write_attribute(job, "ranks", std::int64_t{report.ranks});
    write_attribute(job, "threads", std::int64_t{report.threads});
    write_attribute(job, "backend", report.backend);
    for (const Fact& fact : report.provenance) write_attribute(job, fact.name, fact.value);
    const Handle keys = create_group(job, "keys");
    const Handle files = create_group(job, "files");
    for (const Config::Value& value : report.config.values()) {
        write_attribute(keys, value.key.name, value.text);
        if (!value.content.empty()) write_text_dataset(files, value.key.name, value.content);
    }
}

void write_series(hid_t file, const Series& series, std::size_t first) {
    const Handle group = create_group(file, "series");
    for (std::size_t c = 0; c < series.width(); ++c) {
        const Column& column = series.columns()[c];
        const Handle dataset =
            write_dataset(group, column.name, series.column(c, first, series.rows() - first), Growth::extendible);
        write_attribute(dataset, "unit", column.unit);
        write_attribute(dataset, "description", column.meaning);
        write_axes(dataset, column);
    }
}

void write_quantities(hid_t file, const Report& report) {
    const Handle group = create_group(file, "results");
    for (const Quantity& q : report.quantities) {
        const Handle one = create_group(group, q.name);
        write_attribute(one, "unit", q.unit);
        write_attribute(one, "description", q.meaning);
        write_axes(one, q);
        write_dataset(one, "value", q.value, Growth::fixed);
        if (!q.error.empty()) write_dataset(one, "error", q.error, Growth::fixed);
        if (!q.tau.empty()) write_dataset(one, "tau", q.tau, Growth::fixed);
        if (!q.reference.empty()) write_dataset(one, "reference", q.reference, Growth::fixed);
    }
}

void write_timers(hid_t file, const Report& report) {
    const Handle timers = create_group(file, "timers");
    for (const PhaseTime& phase : report.timers) {
        const Handle one = create_group(timers, phase.name);
        write_attribute(one, "seconds", phase.seconds);
        write_attribute(one, "seconds_slowest_rank", phase.seconds_most);
        write_attribute(one, "calls", static_cast<std::int64_t>(phase.calls));
    }
    const Handle performance = create_group(file, "performance");
    for (const Figure& figure : report.performance) {
        const Handle one = create_group(performance, figure.name);
        write_attribute(one, "value", figure.value);
        write_attribute(one, "unit", figure.unit);
        write_attribute(one, "description", figure.meaning);
    }
}

std::vector<double> read_if_there(hid_t group, const std::string& name) {
    return H5Lexists(group, name.c_str(), H5P_DEFAULT) > 0 ? read_dataset(group, name) : std::vector<double>{};
}

void read_job(hid_t file, Report& report) {
    const Handle job = open_group(file, "job");
    report.job_text = read_text_attribute(job, "text");
    report.ranks = static_cast<int>(read_integer_attribute(job, "ranks"));
    report.threads = static_cast<int>(read_integer_attribute(job, "threads"));
    report.backend = read_text_attribute(job, "backend");
    for (const std::string& name : attribute_names(job))
        if (name != "application" && name != "text" && name != "ranks" && name != "threads" && name != "backend")
            report.provenance.push_back({name, read_text_attribute(job, name)});
    const Handle keys = open_group(job, "keys");
    std::vector<Config::Value> values;
    for (const std::string& name : attribute_names(keys)) {
        Config::Value value;
        value.key.name = name;
        value.text = read_text_attribute(keys, name);
        value.origin = "result file";
        values.push_back(value);
    }
    report.config = Config(read_text_attribute(job, "application"), std::move(values));
}

void read_quantities(hid_t file, Report& report) {
    const Handle results = open_group(file, "results");
    for (const std::string& name : child_names(results)) {
        const Handle one = open_group(results, name);
        report.quantities.push_back({name, read_text_attribute(one, "unit"), read_text_attribute(one, "description"),
                                     read_dataset(one, "value"), read_if_there(one, "error"), read_if_there(one, "tau"),
                                     read_if_there(one, "reference")});
        read_axes(one, report.quantities.back(), report.quantities.back().value.size());
        const Quantity& q = report.quantities.back();
        for (const std::vector<double>* list : {&q.error, &q.tau, &q.reference})
            if (!list->empty() && list->size() != q.value.size())
                throw Error(ExitCode::file, "The lists of " + printable(name) + " have different lengths.");
    }
}

void read_timers(hid_t file, Report& report) {
    const Handle timers = open_group(file, "timers");
    for (const std::string& name : child_names(timers)) {
        const Handle one = open_group(timers, name);
        report.timers.push_back({name, read_real_attribute(one, "seconds"),
                                 read_real_attribute(one, "seconds_slowest_rank"),
                                 static_cast<std::uint64_t>(read_integer_attribute(one, "calls"))});
    }
    const Handle performance = open_group(file, "performance");
    for (const std::string& name : child_names(performance)) {
        const Handle one = open_group(performance, name);
        report.performance.push_back({name, read_real_attribute(one, "value"), read_text_attribute(one, "unit"),
                                      read_text_attribute(one, "description")});
    }
}

/// Description of a file that is not a result file, as the end of a sentence.
std::string foreign_kind(hid_t file, const std::string& path) {
    const std::size_t mark = path.rfind(".checkpoint.");
    if (H5Lexists(file, "header", H5P_DEFAULT) <= 0) return " is not a result file of strata.";
    return " is a checkpoint, not a result" +
           (mark == std::string::npos ? "." : "; that is " + printable(path.substr(0, mark), max_shown_path) + ".h5.");
}

/// Throws Error(file) unless format, version and digest of the file are correct.
void check_format(hid_t file) {
    if (read_text_attribute(file, "format") != format_name)
        throw Error(ExitCode::file, "It is not a result file of strata.");
    const std::int64_t version = read_integer_attribute(file, "format_version");
    if (version < oldest_result_format || version > result_format)
        throw Error(ExitCode::file, "It has layout version " + std::to_string(version) + "; this program reads " +
                                        std::to_string(oldest_result_format) + " to " + std::to_string(result_format) +
                                        ".");
    if (read_text_attribute(file, digest_name) != content_digest(file))
        throw Error(ExitCode::file,
                    "Its content does not fit its digest: it is damaged, or was changed after it was written.");
}

Report read_report(hid_t file) {
    Report report;
    report.complete = read_integer_attribute(file, "complete") != 0;
    report.steps = static_cast<std::uint64_t>(read_integer_attribute(file, "steps"));
    report.total_steps = static_cast<std::uint64_t>(read_integer_attribute(file, "total_steps"));
    report.seconds = read_real_attribute(file, "seconds");
    report.state_hash = read_text_attribute(file, "state_hash");
    if (H5Aexists(file, "remark") > 0) report.remark = read_text_attribute(file, "remark");
    if (H5Aexists(file, "exit_code") > 0)
        report.exit_code = static_cast<int>(read_integer_attribute(file, "exit_code"));
    if (H5Aexists(file, "sentence") > 0) report.sentence = read_text_attribute(file, "sentence");
    read_job(file, report);
    read_quantities(file, report);
    read_timers(file, report);
    for (const Fact& fact : report.provenance)
        if (fact.name == "version") report.version = fact.value;
    return report;
}

}  // namespace

void write_result(const std::string& path, const Report& report, const Series& series) {
    write_digested_file(path, 2 * series.values().size_bytes() + (std::uint64_t{1} << 20), [&](hid_t file) {
        write_attribute(file, "format", std::string(format_name));
        write_attribute(file, "format_version", std::int64_t{result_format});
        write_attribute(file, "complete", std::int64_t{report.complete ? 1 : 0});
        write_attribute(file, "steps", static_cast<std::int64_t>(report.steps));
        write_attribute(file, "total_steps", static_cast<std::int64_t>(report.total_steps));
        write_attribute(file, "seconds", report.seconds);
        write_attribute(file, "state_hash", report.state_hash);
        if (!report.remark.empty()) write_attribute(file, "remark", report.remark);
        if (report.exit_code) write_attribute(file, "exit_code", std::int64_t{*report.exit_code});
        if (!report.sentence.empty()) write_attribute(file, "sentence", report.sentence);
        write_job(file, report);
        write_series(file, series, report.rows_left_out);
        write_quantities(file, report);
        write_timers(file, report);
    });
}

bool is_checkpoint(const std::string& path) {
    if (!exists(path)) return false;
    const auto lock = lock_hdf5();
    const Handle file = open_file(path);
    return H5Aexists(file, "format") <= 0 && H5Lexists(file, "header", H5P_DEFAULT) > 0;
}

Report read_result(const std::string& path) {
    const auto lock = lock_hdf5();
    const Handle file = open_file(path);
    const std::string shown = printable(path, max_shown_path);
    if (H5Aexists(file, "format") <= 0) throw Error(ExitCode::file, shown + foreign_kind(file, path));
    try {
        check_format(file);
        return read_report(file);
    } catch (const Error& error) {
        throw Error(ExitCode::file, shown + " is not shown: " + error.what());
    }
}

}  // namespace strata::io
