// SPDX-License-Identifier: BSD-3-Clause
// Search over few plans, each measured by steps of the job's own splitting without observations. Rank 0 decides.
#include "trotter/run/tuning.hpp"

#include <sys/utsname.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <limits>
#include <optional>
#include <sstream>
#include <tuple>

#include "comm/collectives.hpp"
#include "io/files.hpp"
#include "kernels/cache_sizes.hpp"
#include "strata/error.hpp"
#include "strata/printable.hpp"

namespace strata::trotter {
namespace {

/// Ratio to the best time beyond which a plan is dropped after a step, or is not measured if the model of the caches
/// predicts it.
constexpr double hopeless = 1.25;
constexpr int measured_steps = 3;

/// Bits by which rows may be shorter or longer than the default ones.
constexpr int shorter_rows = 3, longer_rows = 2;

/// log2 of the number of rows above which columns are slow to read, since the TLB has too few entries for their pages.
constexpr int easy_column_bits = 11;

/// Job without observations, with an initial state that is computed quickly.
TrotterConfig bare_job(TrotterConfig c) {
    c.state.type = StateType::up;
    c.drive = {};
    c.echo = false;
    c.perturbation = c.echo_pulse = "";
    c.observables.clear();
    c.own_observables = {};
    c.estimate_error = false;
    c.method = Method::splitting;
    c.target_error = 0;
    c.target_observable = "";
    c.target_time.reset();
    c.measure_times.clear();
    c.measure_per_decade = 0;
    c.samples = c.concurrent;
    c.steps = c.measure_every = 1000000000;
    return c;
}

/// Time of two passes, from a model of the caches, relative to two passes whose tiles fit in the second-level cache.
double modelled_cost(const TrotterPlan& plan) {
    const StateLayout& layout = plan.layout();
    const int column = layout.spins - layout.row_bits;
    double cost = 2;
    for (int bits : {layout.row_bits, column + layout.lane_bits})
        if (2 * plan.real_bytes() << bits > second_cache_bytes()) cost += 1;
    return (column > easy_column_bits ? cost + 0.5 : cost) / 2;
}

/// Plan with these options; none if the job does not allow it.
std::optional<TrotterPlan> plan_of(const TuningTarget& target, int ranks, int rank, const PlanOptions& options) {
    try {
        return TrotterPlan(bare_job(target.config), ranks, rank, target.threads, target.backend, options);
    } catch (const Error& error) {
        if (error.code() != ExitCode::bad_input) throw;
        return std::nullopt;  // more ranks than rows or columns, or a tile that is too large
    }
}

/// Seconds of the fastest of some steps on the slowest rank; infinity for a plan that cannot beat `best`.
double measure(const Communicator& comm, const TrotterPlan& plan, const MakeState& make, double best) {
    Trotter system(plan, make);
    system.allocate();
    system.initialise();
    double least = std::numeric_limits<double>::infinity();
    for (std::uint64_t step = 0; step <= measured_steps; ++step) {
        const double start = monotonic_seconds();
        system.step(step);
        system.finish();
        const auto nanoseconds = static_cast<std::uint64_t>(1e9 * (monotonic_seconds() - start));
        const double seconds = 1e-9 * static_cast<double>(all_max(comm, nanoseconds));
        if (step == 0) continue;  // the first step also computes the tables
        least = std::min(least, seconds);
        if (least > hopeless * best) break;
    }
    return least;
}

std::string key_of(const TuningTarget& target, int ranks) {
    return target.machine + ", " + (target.config.precision == Precision::single ? "single" : "double") + ", " +
           std::to_string(spins_of(target.config)) + " spins, " + std::to_string(ranks) + " ranks x " +
           std::to_string(target.threads) + " threads";
}

constexpr const char* value_format = "row-bits %d, top-bits %d, tile-bits %d";

/// First line of a file of plans: no other file is read or replaced.
constexpr const char* first_line = "# Plans of strata trotter, as measured by backend.tune = refresh";
constexpr std::uintmax_t max_file_bytes = std::uintmax_t{1} << 20;

/// Lines of a file; none if it cannot be read.
std::vector<std::string> lines_of_file(const std::string& path) {
    std::vector<std::string> lines;
    std::ifstream file(path);
    for (std::string line; std::getline(file, line);) lines.push_back(line);
    return lines;
}

/// Lines of plans, without the first line of the file; none if there is no file. Throws Error for any other file.
std::vector<std::string> stored_plans(const std::string& path) {
    if (!io::exists(path)) return {};
    io::expect_regular_file(path);
    std::vector<std::string> lines;
    if (std::filesystem::file_size(path) <= max_file_bytes) lines = lines_of_file(path);
    if (lines.empty() || lines.front() != first_line)
        throw Error(ExitCode::bad_input, "backend.tune-file = " + printable(path, 4096) +
                                             " is no file of plans, which begins with '" + first_line +
                                             "' and has at most 1 MiB; choose another name, or remove it.");
    lines.erase(lines.begin());
    return lines;
}

std::optional<PlanOptions> find(const std::string& path, const std::string& key) {
    for (const std::string& line : stored_plans(path)) {
        PlanOptions o;
        if (line.starts_with(key + " = ") &&
            std::sscanf(line.c_str() + key.size() + 3, value_format, &o.row_bits, &o.top_bits, &o.tile_bits) == 3)
            return o;
    }
    return std::nullopt;
}

void store(const std::string& path, const std::string& key, const PlanOptions& plan, double seconds) {
    char value[128];
    std::snprintf(value, sizeof value, value_format, plan.row_bits, plan.top_bits, plan.tile_bits);
    std::ostringstream text;
    text << first_line << "\n";
    for (const std::string& line : stored_plans(path))
        if (!line.starts_with(key + " = ")) text << line << "\n";
    text << key << " = " << value << ", " << seconds << " s\n";
    const std::size_t folder = path.rfind('/');
    if (folder != std::string::npos && folder > 0) io::make_directory(path.substr(0, folder));
    io::replace_text_file(path, text.str());
}

/// Plans that a model of the caches expects to be within a quarter of the best, the most promising first.
std::vector<PlanOptions> promising_plans(const TuningTarget& target, int ranks) {
    std::vector<std::pair<double, PlanOptions>> costs;
    for (const PlanOptions& options : possible_plans(target, ranks)) {
        const double cost =
            target.backend == BackendKind::cuda ? 1 : modelled_cost(*plan_of(target, ranks, 0, options));
        costs.emplace_back(cost, options);
    }
    std::ranges::stable_sort(costs, {}, &std::pair<double, PlanOptions>::first);
    std::vector<PlanOptions> promising;
    for (const auto& [cost, options] : costs)
        if (cost <= hopeless * costs.front().first) promising.push_back(options);
    return promising;
}

/// The fastest of the promising plans.
std::pair<PlanOptions, double> fastest(const Communicator& comm, const TuningTarget& target, const MakeState& make) {
    PlanOptions best;
    double least = std::numeric_limits<double>::infinity();
    for (const PlanOptions& options : promising_plans(target, comm.size())) {
        const double seconds = measure(comm, *plan_of(target, comm.size(), comm.rank(), options), make, least);
        if (seconds >= least) continue;
        best = options;
        least = seconds;
    }
    return {best, least};
}

/// Index of a plan in `plans`, or plans.size() if it is not among them.
std::uint64_t index_in(const std::vector<PlanOptions>& plans, const std::optional<PlanOptions>& plan) {
    const auto found = std::ranges::find_if(plans, [&](const PlanOptions& o) {
        return plan && o.row_bits == plan->row_bits && o.top_bits == plan->top_bits && o.tile_bits == plan->tile_bits;
    });
    return static_cast<std::uint64_t>(found - plans.begin());
}

}  // namespace

std::string processor_name() {
    for (const std::string& line : lines_of_file("/proc/cpuinfo"))
        if (line.starts_with("model name") && line.find(": ") != std::string::npos)
            return line.substr(line.find(": ") + 2);
    utsname names{};
    return uname(&names) == 0 ? names.machine : "processor";
}

std::string tuning_file(const TrotterConfig& config) {
    if (!config.tuning_file.empty()) return config.tuning_file;
    const char *cache = std::getenv("XDG_CACHE_HOME"), *home = std::getenv("HOME");
    const std::string name = "/strata/trotter-plans.txt";
    if (cache != nullptr && *cache == '/') return cache + name;
    return home != nullptr && *home == '/' ? std::string(home) + "/.cache" + name : std::string();
}

std::vector<PlanOptions> possible_plans(const TuningTarget& target, int ranks) {
    const StateLayout layout = default_layout(spins_of(target.config), target.config.precision, target.backend);
    std::vector<PlanOptions> all;
    if (target.backend == BackendKind::cuda)
        for (int less : {0, 1, 2}) all.push_back({.row_bits = layout.row_bits, .tile_bits = target.tile_bits - less});
    else
        for (int row = layout.row_bits + longer_rows; row >= layout.row_bits - shorter_rows; --row)
            for (int top : {3, 4}) all.push_back({.row_bits = row, .top_bits = top});
    std::erase_if(all, [&](const PlanOptions& o) {
        return o.row_bits <= layout.lane_bits || o.row_bits > layout.spins || !plan_of(target, ranks, 0, o);
    });
    return all;
}

PlanOptions tuned_plan(const Communicator& comm, const TuningTarget& target, const MakeState& make) {
    PlanOptions plan = {.tile_bits = target.tile_bits};
    if (target.config.tuning == Tuning::off) return plan;
    const std::string path = tuning_file(target.config), key = key_of(target, comm.size());
    std::optional<PlanOptions> known;
    collectively(comm, [&] {
        if (!comm.is_root()) return;
        if (path.empty())
            throw Error(ExitCode::bad_input,
                        "backend.tune needs backend.tune-file here, where no home directory is set.");
        known = find(path, key);
    });
    if (target.config.tuning == Tuning::refresh) {
        double seconds = 0;
        std::tie(plan, seconds) = fastest(comm, target, make);
        collectively(comm, [&] {
            if (comm.is_root()) store(path, key, plan, seconds);
        });
        plan.origin = "measured for " + path;
        return plan;
    }
    const std::vector<PlanOptions> possible = possible_plans(target, comm.size());
    std::uint64_t chosen = possible.size();
    if (comm.is_root()) chosen = index_in(possible, known);
    broadcast(comm, chosen);
    if (chosen < possible.size()) plan = possible[chosen];
    plan.origin = (chosen < possible.size() ? "measured, from " : "the default: no measured one in ") + path;
    return plan;
}

}  // namespace strata::trotter
