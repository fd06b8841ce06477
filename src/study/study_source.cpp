// SPDX-License-Identifier: BSD-3-Clause
// Reading of studies. A job is resolved on the rank that reads it and broadcast as canonical text, which every rank
// resolves again and compares.
#include "study/study_source.hpp"

#include <algorithm>
#include <filesystem>

#include "cli/applicability.hpp"
#include "cli/job_file.hpp"
#include "comm/collectives.hpp"
#include "io/files.hpp"
#include "io/provenance.hpp"
#include "io/study_file.hpp"
#include "scan/definition.hpp"
#include "strata/error.hpp"
#include "strata/printable.hpp"

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
void check_points(const Study& study, cli::InputErrors& errors) {
    PointErrors found(study.scan, errors);
    for (std::size_t point = 1; point < study.scan.points(); ++point) {
        const Config config = scan::config_of(study.config, study.scan, point);
        cli::InputErrors here;
        cli::check_applicability(config, here);
        for (const std::string& sentence : here.sentences()) found.add(point, sentence);
        if (!here.empty()) continue;
        for (const std::string& sentence : validate(*study.entry, config)) found.add(point, sentence);
    }
    found.finish();
}

/// Adds errors for settings of [scan] in a job without points.
void check_settings(const Study& study, cli::InputErrors& errors) {
    if (!study.scan.empty()) return;
    for (const char* name : {"scan.together", "scan.average", "scan.seeds", "scan.start", "scan.ranks-per-point"})
        if (study.config.has(name) && study.config.given(name))
            errors.add(study.config.cite(name) + " says nothing here: [scan] names no key with several values.");
}

/// Adds errors for overrides that would change the points of a scan or their results.
void check_overrides_of_scan(const Config& config, const std::vector<cli::Override>& overrides,
                             cli::InputErrors& errors) {
    for (const cli::Override& o : overrides) {
        const std::string option = "--" + cli::printable(o.key) + "=" + cli::printable(o.value);
        if (o.key.starts_with("output.") ||
            (config.has(o.key) && config.value(o.key).key.role == KeyRole::length && o.key != "run.wall-time"))
            errors.add(option +
                       " cannot change when a scan is resumed: its finished points are done; run another job.");
        if (o.key.starts_with("scan.") && o.key != "scan.ranks-per-point")
            errors.add(option + " would change the points of the scan; run another job.");
    }
    errors.throw_if_any();
}

/// Changes keys of a stored study. Throws Error(bad_input) for changes that a resumed run must not make.
void override_stored(Study& study, const std::vector<cli::Override>& overrides) {
    cli::InputErrors errors;
    if (!study.scan.empty()) {
        check_overrides_of_scan(study.config, overrides, errors);
        cli::from_canonical_text(study.first_point, all_keys(*study.entry));  // refuses keys that have left the program
    }
    const Config before = study.config;
    study.config = cli::override_for_resume(before, overrides, errors);
    errors.throw_if_any();
    for (const std::string& error : validate(*study.entry, study.config)) errors.add(error);
    if (study.entry->validate_resume != nullptr)
        for (const std::string& error : study.entry->validate_resume(before, study.config)) errors.add(error);
    check_names(study.config, errors);
    errors.throw_if_any();
}

/// The study of a checkpoint. Throws Error(file) for a damaged header.
Study study_of(const io::CheckpointHeader& header) {
    Study study;
    study.entry = &find_application(header.application);
    study.text = header.job_text;
    study.config = cli::from_canonical_text(header.job, all_keys(*study.entry));
    if (study.config.application() != header.application)
        throw Error(ExitCode::file, "The checkpoint is one of " + cli::printable(header.application) +
                                        ", and its job one of " + cli::printable(study.config.application()) + ".");
    return study;
}

/// The application that a canonical text names.
const ApplicationEntry& application_of(const std::string& canonical) {
    const std::size_t tab = canonical.find('\t');
    return find_application(canonical.substr(tab + 1, canonical.find('\n') - tab - 1));
}

/// Sets the files of a study that begins with a checkpoint: those of its run with `ending` after their names, or as new
/// output keys say. Its own files are not refused. Collective.
void place_files(const Communicator& comm, Source& source, const std::vector<cli::Override>& overrides,
                 const std::string& ending = "") {
    const std::string origin = source.stem;
    const bool renamed = std::ranges::any_of(
        overrides, [](const cli::Override& o) { return o.key == "output.directory" || o.key == "output.name"; });
    collectively(comm, [&] {
        source.stem += ending;
        if (renamed)
            source.stem = stem_of(source.study.config, std::filesystem::path(source.stem).filename().string() + ".ini");
        refuse_point_name(source.stem);
    });
    source.claim = comm.is_root() && same_files(origin, source.stem) ? Claim::own : Claim::fresh;
    broadcast(comm, source.claim);
}

/// Sets stem and checkpoint of a source. Collective.
void open_newest(const Communicator& comm, const std::string& path, Source& source) {
    collectively(comm, [&] { source.stem = stem_of_checkpoint(path); });
    Checkpoint& checkpoint = source.checkpoint.emplace(Checkpoint{path, {}, {}});
    checkpoint.stored = io::open_checkpoint(comm, path, 0, checkpoint.rejections);
    if (comm.is_root())
        for (const std::string& rejection : checkpoint.rejections) print_error(rejection);
}

/// Changes keys of a stored study for a run that measures its final state. Throws Error(bad_input).
void override_measured(Study& study, const std::vector<cli::Override>& overrides) {
    cli::InputErrors errors;
    const Config stored = study.config;
    study.config = cli::override_for_measurement(stored, overrides, errors);
    errors.throw_if_any();
    if (study.entry->validate_measurement != nullptr)
        for (const std::string& error : study.entry->validate_measurement(stored, study.config)) errors.add(error);
    errors.throw_if_any();  // a job that could be run as it is may not be one that measures
    for (const std::string& error : validate(*study.entry, study.config)) errors.add(error);
    check_names(study.config, errors);
    errors.throw_if_any();
}

}  // namespace

Source open_job(const Communicator& comm, const std::string& path, const std::vector<cli::Override>& overrides) {
    Source source;
    collectively(comm, [&] {
        if (comm.is_root()) source.study = read_job(path, overrides);
    });
    share_study(comm, source.study);
    collectively(comm, [&] { source.stem = stem_of(source.study.config, path); });
    return source;
}

Source open_resumed(const Communicator& comm, const std::string& operand, const std::vector<cli::Override>& overrides) {
    Source source;
    std::string path = comm.is_root() ? io::target_of(operand) : "";
    broadcast(comm, path);
    std::string scan = comm.is_root() ? scan_named(path) : "";
    broadcast(comm, scan);
    if (scan.empty()) open_newest(comm, path, source);
    collectively(comm, [&] {
        if (!comm.is_root()) return;
        source.study = scan.empty() ? study_of(source.checkpoint->stored.header) : read_result(scan);
        override_stored(source.study, overrides);
    });
    share_study(comm, source.study);
    if (comm.is_root())
        for (const std::string& change : cli::changed_files(source.study.config)) print_error(change);
    source.claim = Claim::own;
    if (scan.empty())
        place_files(comm, source, overrides);
    else
        source.stem = scan.substr(0, scan.rfind('.'));
    return source;
}

Source open_measured(const Communicator& comm, const std::string& operand,
                     const std::vector<cli::Override>& overrides) {
    Source source;
    source.measured = true;
    std::string path = comm.is_root() ? io::target_of(operand) : "";
    broadcast(comm, path);
    collectively(comm, [&] {
        if (comm.is_root() && !scan_named(path).empty())
            throw Error(ExitCode::bad_input, printable(operand, 4096) +
                                                 " is a scan, whose points leave no states; run one of them as a job, "
                                                 "or the scan with the new keys.");
    });
    open_newest(comm, path, source);
    collectively(comm, [&] {
        if (!comm.is_root()) return;
        source.study = study_of(source.checkpoint->stored.header);
        override_measured(source.study, overrides);
    });
    share_study(comm, source.study);
    if (comm.is_root())
        for (const std::string& change : cli::changed_files(source.study.config)) print_error(change);
    place_files(comm, source, overrides, "-measured");
    if (source.claim == Claim::own)
        throw CollectiveError(ExitCode::bad_input, "The results of the measurement would replace those of " +
                                                       source.stem + ".h5; choose another output.name.");
    return source;
}

Study point_of(const Study& study, std::size_t point) {
    Study one;
    one.entry = study.entry;
    one.config = scan::config_of(study.config, study.scan, point);
    one.text = study.text;
    return one;
}

Study read_job_from_text(const std::string& name, const std::string& text, const std::vector<cli::Override>& given) {
    cli::InputErrors errors;
    std::vector<cli::Override> overrides = given;
    cli::JobFile file = cli::parse_job(name, text, errors);
    std::vector<std::string> names;
    for (const ApplicationEntry& entry : applications()) names.push_back(entry.name);
    const std::string application = cli::application_of(file, overrides, names, errors);
    if (application.empty()) errors.throw_if_any();
    Study study;
    study.entry = &find_application(application);
    study.text = file.text;
    const std::vector<Key> keys = all_keys(*study.entry);
    const std::vector<scan::Entry> entries = scan::take_entries(file, overrides, errors);
    const std::size_t found = errors.sentences().size();
    study.scan = scan::define(entries, file, overrides, keys, errors);
    if (errors.sentences().size() > found) errors.throw_if_any();  // the points are not defined
    const std::vector<ScanKey> scanned = study.scan.keys();
    for (std::size_t k = 0; k < scanned.size() - study.scan.seed.size(); ++k)
        overrides.push_back({scanned[k].key.name, study.scan.values(0)[k]});
    study.config = cli::resolve(application, file, overrides, keys, errors);
    if (errors.empty() && !study.scan.empty())
        study.config = scan::config_of(study.config, study.scan, 0);  // with origins
    if (errors.empty())
        for (const std::string& error : validate(*study.entry, study.config)) errors.add(error);
    check_names(study.config, errors);
    check_settings(study, errors);
    if (errors.empty()) check_points(study, errors);
    errors.throw_if_any();
    return study;
}

Study read_job(const std::string& path, const std::vector<cli::Override>& overrides) {
    return read_job_from_text(path, cli::read_job_text(path), overrides);
}

Study read_result(const std::string& path) {
    if (path.ends_with(".ini"))
        throw Error(ExitCode::file, printable(path, 4096) + " is a job, not a result; strata run computes it.");
    Study study = io::read_study(path);
    if (study.points_text.empty()) return study;
    study.entry = &application_of(study.first_point);
    const std::vector<Key> keys = all_keys(*study.entry);
    study.config = cli::from_canonical_text(study.first_point, keys, cli::FormerKeys::left_out);
    study.scan = scan::from_text(study.points_text, keys);
    if (study.scan.points() != study.records.size())
        throw Error(ExitCode::file, path + " has " + std::to_string(study.records.size()) + " points, but describes " +
                                        std::to_string(study.scan.points()) + ".");
    return study;
}

void share_study(const Communicator& comm, Study& study) {
    if (!same_on_all_ranks(comm, cli::digest(io::build_name())))
        throw CollectiveError(ExitCode::bad_input,
                              "The ranks run different builds of strata: start the same program on "
                              "all nodes, as on rank 0 " +
                                  io::build_name() + ".");
    std::string canonical = comm.is_root() ? cli::canonical_text(study.config) : "";
    std::string points = scan::to_text(study.scan);
    broadcast(comm, canonical);
    broadcast(comm, study.text);
    broadcast(comm, points);
    collectively(comm, [&] {
        if (comm.is_root()) return;
        study.entry = &application_of(canonical);
        study.config = cli::from_canonical_text(canonical, all_keys(*study.entry));
        study.scan = scan::from_text(points, all_keys(*study.entry));
    });
    if (!same_on_all_ranks(comm, cli::digest(cli::canonical_text(study.config))))
        throw CollectiveError(ExitCode::internal,
                              "The ranks do not hold the same job, although one of them has read it.");
}

}  // namespace strata
