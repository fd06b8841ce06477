// SPDX-License-Identifier: BSD-3-Clause
// Rules that relate the values of keys to each other; model, drive, state and schedule are made once to find their
// errors. Types, ranges and conditions that keys.cpp declares are checked before (cli/applicability.hpp).
#include "trotter/run/validation.hpp"

#include <algorithm>
#include <bit>
#include <optional>

#include "strata/error.hpp"
#include "trotter/job/config.hpp"
#include "trotter/physics/chebyshev_series.hpp"
#include "trotter/physics/drive.hpp"
#include "trotter/physics/initial_state.hpp"
#include "trotter/physics/observed_products.hpp"
#include "trotter/physics/schedule.hpp"
#include "trotter/state/cut_layout.hpp"

namespace strata::trotter {
namespace {

using InputErrors = std::vector<std::string>;

/// Runs `make` and adds the text of an Error that it throws.
template <class Make>
void collect(InputErrors& found, Make make) {
    try {
        make();
    } catch (const Error& error) {
        found.emplace_back(error.what());
    }
}

/// Adds errors of keys that contradict each other.
void check_keys(const Config& config, InputErrors& found) {
    if (config.integer("run.order") == 3)
        found.push_back(config.cite("run.order") + " is no order of a splitting here; use 1, 2 or 4.");
    const char* chosen_before = nullptr;
    for (const char* key : {"run.measure-every", "run.measure-times", "run.measure-per-decade"}) {
        if (!config.given(key)) continue;
        if (chosen_before != nullptr)
            found.push_back(config.cite(key) + " excludes " + chosen_before + "; give one of them.");
        chosen_before = key;
    }
}

/// Adds errors of a job whose H must not depend on time.
void check_constant(const Config& config, InputErrors& found) {
    if (config.text("run.method") != "chebyshev") return;
    for (const Config::Value& value : config.values()) {
        const std::string& key = value.key.name;
        if (config.given(key) && (key.starts_with("drive.") || key == "echo.pulse"))
            found.push_back(
                config.cite(key) +
                " changes H or the state in time, which run.method = chebyshev does not take; leave it out, "
                "or use run.method = splitting.");
    }
}

/// Adds errors of the number of random states.
void check_samples(const Config& config, InputErrors& found) {
    const std::int64_t samples = config.integer("run.samples"), concurrent = config.integer("run.concurrent");
    if (!std::has_single_bit(static_cast<std::uint64_t>(concurrent)))
        found.push_back(config.cite("run.concurrent") + " must be a power of two, e.g. " +
                        std::to_string(std::bit_floor(static_cast<std::uint64_t>(concurrent))) + ".");
    else if (samples % concurrent != 0)
        found.push_back(config.cite("run.samples") +
                        " must be a multiple of run.concurrent = " + std::to_string(concurrent) + ", e.g. " +
                        std::to_string((samples / concurrent + 1) * concurrent) + ".");
}

/// Adds errors that depend on the number of spins.
void check_spins(const TrotterConfig& c, int spins, InputErrors& found) {
    std::optional<Drive> drive;
    collect(found, [&] { drive.emplace(c); });
    collect(found, [&] { InitialState state(c, spins, 0); });
    if (drive && c.method == Method::chebyshev)
        collect(found, [&] { chebyshev_series(spectral_bounds(drive->hamiltonian()), c.step, c.tolerance); });
    if (c.needs(Need::cut) && !c.cut.empty()) collect(found, [&] { cut_spins(c.cut, spins); });
}

/// Adds an error for every observable whose required keys are missing, and for run.cut without the entropy.
void check_observables(const Config& config, const TrotterConfig& c, InputErrors& found) {
    const bool line = c.lattice.type == "ring" || c.lattice.type == "chain";
    for (const ObservableRow& row : observable_rows) {
        if (!c.observes(row.word)) continue;
        const std::string names = config.cite("run.observables") + " names " + std::string(row.word);
        if (row.need == Need::line && !line)
            found.push_back(names + ", which is computed for lattice.type = ring or chain only.");
        if (row.need == Need::cut && c.cut.empty())
            found.push_back(names + ", which needs the spins of one side: give run.cut, e.g. run.cut = first 6.");
    }
    if (!c.needs(Need::cut) && config.given("run.cut"))
        found.push_back(config.cite("run.cut") + " is for the entropy; add entropy to run.observables.");
    collect(found, [&] { observables_of(c); });
}

}  // namespace

InputErrors validate(const Config& config) {
    InputErrors found;
    check_keys(config, found);
    check_constant(config, found);
    check_samples(config, found);
    if (!found.empty()) return found;
    collect(found, [&] {
        const TrotterConfig c = resolve_config(config);
        const int spins = spins_of(c);
        if (found = length_errors(config, spins); !found.empty()) return;
        collect(found, [&] { Schedule schedule(c); });
        check_observables(config, c, found);
        check_spins(c, spins, found);
    });
    return found;
}

InputErrors validate_resume(const Config& before, const Config& now) {
    InputErrors found;
    // the position of a step in an echo and in a batch of samples follows from run.steps
    const bool rounds = before.integer("run.samples") > 1 || now.integer("run.samples") > 1;
    if (before.integer("run.steps") != now.integer("run.steps") && (now.boolean("run.echo") || rounds))
        found.push_back(now.cite("run.steps") + " was " + before.value("run.steps").text +
                        "; it can be changed only in a run of one state without echo.");
    if (now.text("backend.tune") == "refresh")
        found.push_back(now.cite("backend.tune") +
                        " might choose another plan in the middle of a run; resume it with backend.tune = use.");
    return found;
}

}  // namespace strata::trotter
