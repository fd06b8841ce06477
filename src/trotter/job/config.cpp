// SPDX-License-Identifier: BSD-3-Clause
// Conversion of texts to values; validation.cpp checks which of them can be combined.
#include "trotter/job/config.hpp"

#include <algorithm>

#include "strata/error.hpp"

namespace strata::trotter {
namespace {

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

/// Resolves the keys of method, steps, samples and echo. Observation times come from the one of three keys that is
/// given.
void resolve_schedule(const Config& config, TrotterConfig& c) {
    c.tolerance = config.real("run.tolerance");
    c.order = static_cast<int>(config.integer("run.order"));
    c.scheme = chosen(config, "run.scheme", scheme_choices);
    c.step = config.real("run.step");
    c.steps = config.count("run.steps");
    if (config.given("run.measure-times")) c.measure_times = config.reals("run.measure-times");
    c.measure_per_decade = config.count("run.measure-per-decade");
    c.measure_every = c.measure_times.empty() && c.measure_per_decade == 0 ? config.count("run.measure-every") : 0;
    c.samples = config.count("run.samples");
    c.concurrent = config.count("run.concurrent");
    c.seed = config.count("run.seed");
    c.echo = config.boolean("run.echo");
    c.perturbation = config.text("echo.perturbation");
    c.echo_pulse = config.text("echo.pulse");
}

/// The rows of the words of run.observables.
std::vector<const ObservableRow*> read_observables(const Config& config) {
    std::vector<const ObservableRow*> observables;
    const std::string& text = config.text("run.observables");
    for (std::size_t from = 0; from <= text.size();) {
        const std::size_t to = std::min(text.find(',', from), text.size());
        std::string word = text.substr(from, to - from);
        std::erase(word, ' ');
        const ObservableRow* row = observable_row(word);
        if (row == nullptr)
            throw Error(ExitCode::bad_input,
                        config.cite("run.observables") + " names '" + word + "'; possible are " +
                            observable_words(", ") + "." +
                            (word == "imbalance" ? " strata plot draws the imbalance from sz." : ""));
        if (std::ranges::count(observables, row) != 0)
            throw Error(ExitCode::bad_input, config.cite("run.observables") + " names " + word + " twice.");
        observables.push_back(row);
        from = to + 1;
    }
    return observables;
}

}  // namespace

std::string observable_words(const char* separator) {
    std::string all;
    for (const ObservableRow& row : observable_rows) all += (all.empty() ? "" : separator) + std::string(row.word);
    return all;
}

std::string observable_text() {
    std::string all;
    for (const ObservableRow& row : observable_rows)
        all += (all.empty() ? "" : ", ") + std::string(row.word) + row.addition;
    return all;
}

bool TrotterConfig::observes(std::string_view word) const {
    return std::ranges::count(observables, observable_row(word)) != 0;
}

bool TrotterConfig::needs(Need need) const {
    return std::ranges::any_of(observables, [&](const ObservableRow* row) { return row->need == need; });
}

TrotterConfig resolve_config(const Config& config) {
    TrotterConfig c;
    c.method = chosen(config, "run.method", method_choices);
    static_cast<ModelConfig&>(c) = resolve_model(config, {.max_sites = max_spins,
                                                          .amplitudes = Amplitudes::real,
                                                          .terms = term_set(c.method),
                                                          .term_amplitudes = Amplitudes::complex});
    if (!c.spins())
        throw Error(ExitCode::bad_input, config.cite("model.terms") + " has terms of " + name_of(c.kind()) +
                                             ", and this application has spins; use application = lanczos.");
    resolve_drive(config, c.drive);
    c.state.type = chosen(config, "state.initial", state_choices);
    c.state.pattern = config.text("state.pattern");
    c.state.spin = static_cast<int>(config.integer("state.spin"));
    c.state.theta = config.reals("state.theta");
    c.state.phi = config.reals("state.phi");
    c.state.file = {config.text("state.file"), config.content("state.file")};
    resolve_schedule(config, c);
    c.observables = read_observables(config);
    c.own_observables = observable_texts(config);
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
