// SPDX-License-Identifier: BSD-3-Clause
// Reading of jobs. A job is resolved on the rank that reads it and broadcast as canonical text, which every rank
// resolves again and compares.
#include "job_source.hpp"

#include "cli/applicability.hpp"
#include "cli/job_file.hpp"
#include "comm/collectives.hpp"
#include "io/provenance.hpp"
#include "io/scan_file.hpp"
#include "output_files.hpp"
#include "scan/definition.hpp"
#include "strata/error.hpp"

namespace strata {
namespace {

/// Collects errors of points, each with its point; at most max_shown of them are listed.
class PointErrors {
  public:
    PointErrors(const Scan& scan, cli::InputErrors& errors) : scan_(scan), errors_(errors) {}
    void add(std::size_t point, const std::string& sentence) {
        if (++found_ <= max_shown)
            errors_.add(sentence + " (point " + std::to_string(point) + ": " + scan_.label(point) + ")");
    }
    void finish() {
        if (found_ > max_shown) errors_.add("And " + std::to_string(found_ - max_shown) + " more about other points.");
    }

  private:
    static constexpr std::size_t max_shown = 20;
    const Scan& scan_;
    cli::InputErrors& errors_;
    std::size_t found_ = 0;
};

/// Checks the conditions between keys at every point but point 0, which is checked already.
void check_points(const Job& job, cli::InputErrors& errors) {
    PointErrors found(job.scan, errors);
    for (std::size_t point = 1; point < job.scan.points(); ++point) {
        const Config config = scan::config_of(job.config, job.scan, point);
        cli::InputErrors here;
        cli::check_applicability(config, here);
        for (const std::string& sentence : here.sentences()) found.add(point, sentence);
        if (!here.empty()) continue;
        for (const std::string& sentence : validate(*job.entry, config)) found.add(point, sentence);
    }
    found.finish();
}

/// Adds errors for settings of [scan] in a job without points.
void check_settings(const Job& job, cli::InputErrors& errors) {
    if (!job.scan.empty()) return;
    for (const char* name : {"scan.together", "scan.average", "scan.seeds", "scan.start", "scan.ranks-per-point"})
        if (job.config.has(name) && job.config.given(name))
            errors.add(job.config.cite(name) + " says nothing here: [scan] names no key with several values.");
}

/// Adds the errors of a resumed job: those of any job, and changes that its application does not permit.
void check_resumed(const ApplicationEntry& entry, const Config& before, const Config& now, cli::InputErrors& errors) {
    for (const std::string& error : validate(entry, now)) errors.add(error);
    if (entry.validate_resume == nullptr) return;
    for (const std::string& error : entry.validate_resume(before, now)) errors.add(error);
}

}  // namespace

Job job_of_point(const Job& job, std::size_t point) {
    return {job.entry, scan::config_of(job.config, job.scan, point), job.text};
}

Job read_job_from_text(const std::string& name, const std::string& text, const std::vector<cli::Override>& given) {
    cli::InputErrors errors;
    std::vector<cli::Override> overrides = given;
    cli::JobFile file = cli::parse_job(name, text, errors);
    std::vector<std::string> names;
    for (const ApplicationEntry& entry : applications()) names.push_back(entry.name);
    const std::string application = cli::application_of(file, overrides, names, errors);
    if (application.empty()) errors.throw_if_any();
    Job job{&find_application(application), {}, file.text};
    const std::vector<Key> keys = all_keys(*job.entry);
    const std::vector<scan::Entry> entries = scan::take_entries(file, overrides, errors);
    const std::size_t found = errors.sentences().size();
    job.scan = scan::define(entries, file, overrides, keys, errors);
    if (errors.sentences().size() > found) errors.throw_if_any();  // the points are not defined
    const std::vector<ScanKey> scanned = job.scan.keys();
    for (std::size_t k = 0; k < scanned.size() - job.scan.seed.size(); ++k)
        overrides.push_back({scanned[k].key.name, job.scan.values(0)[k]});
    job.config = cli::resolve(application, file, overrides, keys, errors);
    if (errors.empty() && !job.scan.empty()) job.config = scan::config_of(job.config, job.scan, 0);  // with origins
    if (errors.empty())
        for (const std::string& error : validate(*job.entry, job.config)) errors.add(error);
    check_names(job.config, errors);
    check_settings(job, errors);
    if (errors.empty()) check_points(job, errors);
    errors.throw_if_any();
    return job;
}

Job read_job(const std::string& path, const std::vector<cli::Override>& overrides) {
    return read_job_from_text(path, cli::read_job_text(path), overrides);
}

/// The overrides may change only length, output and backend keys.
Job job_of(const io::CheckpointHeader& header, const std::vector<cli::Override>& overrides) {
    Job job{&find_application(header.application), {}, header.job_text};
    const Config before = cli::from_canonical_text(header.job, all_keys(*job.entry));
    if (before.application() != header.application)
        throw Error(ExitCode::file, "The checkpoint is one of " + cli::printable(header.application) +
                                        ", and its job one of " + cli::printable(before.application()) + ".");
    cli::InputErrors errors;
    job.config = cli::override_for_resume(before, overrides, errors);
    errors.throw_if_any();
    check_resumed(*job.entry, before, job.config, errors);
    check_names(job.config, errors);
    errors.throw_if_any();
    return job;
}

ScanReport read_scan_report(const std::string& path) {
    ScanReport report = io::read_scan(path);
    const std::size_t tab = report.job.find('\t');
    const std::string application = report.job.substr(tab + 1, report.job.find('\n') - tab - 1);
    const std::vector<Key> keys = all_keys(find_application(application));
    report.config = cli::from_canonical_text(report.job, keys);
    report.scan = scan::from_text(report.points_text, keys);
    if (report.scan.points() != report.points.size())
        throw Error(ExitCode::file, path + " has " + std::to_string(report.points.size()) + " points, but describes " +
                                        std::to_string(report.scan.points()) + ".");
    return report;
}

Job job_of_scan(const ScanReport& report, const std::vector<cli::Override>& overrides) {
    Job job{&find_application(report.config.application()), {}, report.job_text, report.scan};
    cli::InputErrors errors;
    for (const cli::Override& o : overrides) {
        if (o.key.starts_with("output.") ||
            (report.config.has(o.key) && report.config.value(o.key).key.role == KeyRole::length &&
             o.key != "run.wall-time"))
            errors.add("--" + cli::printable(o.key) + "=" + cli::printable(o.value) +
                       " cannot change when a scan is resumed: its finished points are done; run another job.");
        if (o.key.starts_with("scan.") && o.key != "scan.ranks-per-point")
            errors.add("--" + cli::printable(o.key) + "=" + cli::printable(o.value) +
                       " would change the points of the scan; run another job.");
    }
    errors.throw_if_any();
    job.config = cli::override_for_resume(report.config, overrides, errors);
    errors.throw_if_any();
    check_resumed(*job.entry, report.config, job.config, errors);
    errors.throw_if_any();
    return job;
}

void share_job(const Communicator& comm, Job& job) {
    if (!same_on_all_ranks(comm, cli::digest(io::build_name())))
        throw CollectiveError(ExitCode::bad_input,
                              "The ranks run different builds of strata: start the same program on "
                              "all nodes, as on rank 0 " +
                                  io::build_name() + ".");
    std::string canonical = comm.is_root() ? cli::canonical_text(job.config) : "", points = scan::to_text(job.scan);
    broadcast(comm, canonical);
    broadcast(comm, job.text);
    broadcast(comm, points);
    collectively(comm, [&] {
        if (comm.is_root()) return;
        const std::size_t tab = canonical.find('\t');
        job.entry = &find_application(canonical.substr(tab + 1, canonical.find('\n') - tab - 1));
        job.config = cli::from_canonical_text(canonical, all_keys(*job.entry));
        job.scan = scan::from_text(points, all_keys(*job.entry));
    });
    if (!same_on_all_ranks(comm, cli::digest(cli::canonical_text(job.config))))
        throw CollectiveError(ExitCode::internal,
                              "The ranks do not hold the same job, although one of them has read it.");
}

}  // namespace strata
