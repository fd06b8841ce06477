// SPDX-License-Identifier: BSD-3-Clause
// Types, ranges and conditions that keys.cpp declares are checked before (cli/applicability.hpp). Here are the rules
// that relate values to each other; model, drive, state and schedule are made once to find their errors.
#include "trotter/config.hpp"

#include <algorithm>
#include <bit>

#include "strata/error.hpp"
#include "trotter/chebyshev_series.hpp"
#include "trotter/drive.hpp"
#include "trotter/entanglement.hpp"
#include "trotter/initial_state.hpp"
#include "trotter/schedule.hpp"

namespace strata::trotter {
namespace {

using InputErrors = std::vector<std::string>;

/// Runs `make` and adds what it throws.
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

/// Adds errors that only the number of spins shows.
void check_spins(const TrotterConfig& c, int spins, InputErrors& found) {
    collect(found, [&] { Drive drive(c); });
    collect(found, [&] { InitialState state(c, spins, 0); });
    if (c.method == Method::chebyshev)
        collect(found, [&] { chebyshev_series(spectral_bounds(make_hamiltonian(c)), c.step, c.tolerance); });
    if (c.observes(Observable::entropy) && !c.cut.empty()) collect(found, [&] { cut_spins(c.cut, spins); });
}

/// Adds errors of observables that the job does not give what they need.
void check_observables(const Config& config, const TrotterConfig& c, InputErrors& found) {
    const std::string& type = c.lattice.type;
    if (c.observes(Observable::structure_factor) && type != "ring" && type != "chain")
        found.push_back(config.cite("run.observables") +
                        " names structure-factor, which is computed for lattice.type = ring or chain only.");
    if (c.observes(Observable::entropy) && c.cut.empty())
        found.push_back(config.cite("run.observables") +
                        " names entropy, which needs the spins of one side: give run.cut, e.g. run.cut = first 6.");
    if (!c.observes(Observable::entropy) && config.given("run.cut"))
        found.push_back(config.cite("run.cut") + " is for the entropy; add entropy to run.observables.");
}

void resolve_drive(const Config& config, TrotterConfig::Drive& d) {
    d.fields = config.text("drive.fields");
    d.couplings = config.text("drive.couplings");
    for (const auto& choice : axis_choices) {
        d.field[index_of(choice.value)] = config.text(std::string("drive.h") + choice.word);
        d.coupling[index_of(choice.value)] = config.text(std::string("drive.j") + choice.word);
    }
    d.table = {config.text("drive.table"), config.content("drive.table")};
    if (config.given("drive.reversals")) d.reversals = config.reals("drive.reversals");
    d.pulses = config.text("drive.pulses");
}

/// Of the three ways to choose the times of observation, the one that is given counts.
void resolve_schedule(const Config& config, TrotterConfig& c) {
    const auto count = [&](const char* key) { return static_cast<std::uint64_t>(config.integer(key)); };
    c.method = chosen(config, "run.method", method_choices);
    c.tolerance = config.real("run.tolerance");
    c.order = static_cast<int>(config.integer("run.order"));
    c.scheme = chosen(config, "run.scheme", scheme_choices);
    c.step = config.real("run.step");
    c.steps = count("run.steps");
    if (config.given("run.measure-times")) c.measure_times = config.reals("run.measure-times");
    c.measure_per_decade = count("run.measure-per-decade");
    c.measure_every = c.measure_times.empty() && c.measure_per_decade == 0 ? count("run.measure-every") : 0;
    c.samples = count("run.samples");
    c.concurrent = count("run.concurrent");
    c.seed = count("run.seed");
    c.echo = config.boolean("run.echo");
    c.perturbation = config.text("echo.perturbation");
    c.echo_pulse = config.text("echo.pulse");
}

/// The words of run.observables.
std::vector<Observable> read_observables(const Config& config) {
    std::vector<Observable> observables;
    const std::string& text = config.text("run.observables");
    for (std::size_t from = 0; from <= text.size();) {
        const std::size_t to = std::min(text.find(',', from), text.size());
        std::string word = text.substr(from, to - from);
        std::erase(word, ' ');
        const auto found = std::ranges::find(observable_choices, word, &Choice<Observable>::word);
        if (found == std::end(observable_choices)) {
            std::string words;
            for (const auto& choice : observable_choices)
                words += (words.empty() ? "" : ", ") + std::string(choice.word);
            throw Error(ExitCode::bad_input,
                        config.cite("run.observables") + " names '" + word + "'; possible are " + words + ".");
        }
        if (std::ranges::find(observables, found->value) != observables.end())
            throw Error(ExitCode::bad_input, config.cite("run.observables") + " names " + word + " twice.");
        observables.push_back(found->value);
        from = to + 1;
    }
    return observables;
}

}  // namespace

bool TrotterConfig::observes(Observable o) const { return std::ranges::find(observables, o) != observables.end(); }

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
    // the places of steps in an echo and in rounds follow from run.steps
    const bool rounds = before.integer("run.samples") > 1 || now.integer("run.samples") > 1;
    if (before.integer("run.steps") != now.integer("run.steps") && (now.boolean("run.echo") || rounds))
        found.push_back(now.cite("run.steps") + " was " + before.value("run.steps").text +
                        "; it can be changed only in a run of one state without echo.");
    if (now.text("backend.tune") == "refresh")
        found.push_back(now.cite("backend.tune") +
                        " might choose another plan in the middle of a run; resume it with backend.tune = use.");
    return found;
}

TrotterConfig resolve_config(const Config& config) {
    TrotterConfig c;
    static_cast<ModelConfig&>(c) = resolve_model(config, {max_spins, Amplitudes::real});
    c.terms = config.text("model.terms");
    resolve_drive(config, c.drive);
    c.state.type = chosen(config, "state.initial", state_choices);
    c.state.pattern = config.text("state.pattern");
    c.state.spin = static_cast<int>(config.integer("state.spin"));
    c.state.theta = config.reals("state.theta");
    c.state.phi = config.reals("state.phi");
    c.state.file = {config.text("state.file"), config.content("state.file")};
    resolve_schedule(config, c);
    c.observables = read_observables(config);
    c.cut = config.text("run.cut");
    c.target_error = config.real("run.target-error");
    c.target_observable = config.text("run.target-observable");
    if (config.given("run.target-time")) c.target_time = config.real("run.target-time");
    c.estimate_error = config.boolean("run.estimate-error");
    c.precision = config.text("backend.precision") == "single" ? Precision::single : Precision::double_;
    c.simd = config.text("backend.simd");
    c.tuning = chosen(config, "backend.tune", tuning_choices);
    c.tuning_file = config.text("backend.tune-file");
    return c;
}

}  // namespace strata::trotter
