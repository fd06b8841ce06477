// SPDX-License-Identifier: BSD-3-Clause
// Texts become values; run/validation.cpp checks which of them can be combined.
#include "lanczos/job/config.hpp"

#include <algorithm>
#include <cmath>
#include <sstream>

#include "models/observables.hpp"
#include "models/other_model.hpp"
#include "strata/error.hpp"

namespace strata::lanczos {
namespace {

constexpr double default_tolerance = 1e-9;
constexpr std::uint64_t default_steps = 300;

}  // namespace

SymmetryRequest symmetry_request(const Config& config) {
    SymmetryRequest request = parse_momentum(config.text("sector.momentum")).value_or(SymmetryRequest{});
    request.parity = chosen(config, "sector.parity", parity_choices);
    request.rotation = parse_rotation(config.text("sector.rotation")).value_or(Rotation{});
    request.reflection = chosen(config, "sector.reflection", parity_choices);
    request.spin_inversion = chosen(config, "sector.spin-inversion", parity_choices);
    request.particle_hole = chosen(config, "sector.particle-hole", parity_choices);
    return request;
}

Task requested_task(const Config& config) {
    const Task task = chosen(config, "run.task", task_choices);
    const bool thermal = task == Task::spectrum && !config.value("spectrum.temperatures").text.empty();
    return thermal ? Task::thermal_spectrum : task;
}

std::optional<Vector3> parse_direction(const std::string& text) {
    if (text == "x") return Vector3{1, 0, 0};
    if (text == "y") return Vector3{0, 1, 0};
    std::vector<double> r;
    std::string error;
    if (!parse_reals(text, r, error) || r.size() < 2 || r.size() > 3) return {};
    r.resize(3);
    const double length = std::hypot(r[0], r[1], r[2]);
    if (!(length > 0) || !std::isfinite(length)) return {};
    return Vector3{r[0] / length, r[1] / length, r[2] / length};
}

namespace {

/// The Hamiltonian in which the value of fidelity.parameter is larger by fidelity.step.
LanczosConfig::Fidelity resolve_fidelity(const Config& config) {
    const std::string& name = config.text("fidelity.parameter");
    if (name.empty()) return {};
    const double step = config.real("fidelity.step");
    if (step == 0)
        throw Error(ExitCode::bad_input, config.cite("fidelity.step") + " must not be 0; take one such as 0.01.");
    const std::string key = "model." + name;
    double value = 0;
    if (!config.has(key) || !parse_real(config.value(key).text, value))
        throw Error(ExitCode::bad_input, config.cite("fidelity.parameter") +
                                             " is no key of [model] whose value is one number in this job, such as u, "
                                             "field-x or jz; give " +
                                             key + " a number.");
    return {step, resolve_model(with_model_value(config, key, value + step), model_limits)};
}

/// Terms of all operators of a job beside H: those that drive.operator names, and those of a second Hamiltonian. The sector is
/// one that they do not leave.
std::vector<OperatorSum> further_terms(const LanczosConfig& c) {
    std::vector<OperatorSum> terms;
    if (c.fidelity.model) terms.push_back(other_terms(*c.fidelity.model, make_lattice_model(*c.fidelity.model)));
    for (OperatorSum& sum : terms_of_drive(c.drive, c.observables, c)) terms.push_back(std::move(sum));
    return terms;
}

/// Whether another Hamiltonian of the job has terms beside hops and energies.
bool has_further_terms(const LanczosConfig& c) {
    const auto has = [](const std::optional<ModelConfig>& other) {
        return other && !other_terms(*other, make_lattice_model(*other)).empty();
    };
    return has(c.fidelity.model) || has(c.evolution.initial.model);
}

}  // namespace

LanczosConfig resolve_config(const Config& config) {
    LanczosConfig c;
    static_cast<ModelConfig&>(c) = resolve_model(config, model_limits);
    require_couplings(c);
    const LatticeModel model = make_lattice_model(c);
    const OperatorSum others = other_terms(c, model);
    c.task = requested_task(config);
    c.evolution = {.initial = resolve_initial_state(config, c, model_limits, model.lattice.sites),
                   .step = config.real("evolution.step"),
                   .steps = config.count("evolution.steps"),
                   .krylov = config.count("evolution.krylov"),
                   .op = config.text("evolution.operator")};
    c.observables = observable_texts(config);
    if (c.task == Task::evolution) c.drive = resolve_drive(config);
    if (c.task == Task::states) c.fidelity = resolve_fidelity(config);
    const Filling filling = resolve_filling_of_both(config, c, model, others, c.evolution.initial, further_terms(c));
    c.up = filling.up;
    c.down = filling.down;
    c.conserved = filling.conserved;
    c.all_numbers = config.text("sector.numbers") == "all";
    if (c.all_numbers) c.conserved = conserved_by(others);  // a parity, too, of which one sector takes both values
    c.symmetry = symmetry_request(config);
    c.coded_electrons = c.kind() == SiteKind::electrons && !c.projected() && c.symmetry.any() &&
                        (!others.empty() || c.conserved != Conserved::numbers || has_further_terms(c));
    const TaskChoice& task = *std::ranges::find(task_choices, config.text("run.task"), &TaskChoice::word);
    c.states = config.count("run.states");
    c.block = config.count("run.block");
    c.basis = config.count("run.basis");
    c.max_steps = config.given("run.max-steps")
                      ? config.count("run.max-steps")
                      : std::min(max_steps, default_steps + task.steps_per_state * (c.states - 1));
    c.tolerance = config.given("run.tolerance")                  ? config.real("run.tolerance")
                  : config.text("backend.precision") == "single" ? default_single_tolerance
                                                                 : default_tolerance;
    c.vectors = config.boolean("run.vectors");
    c.density_matrix = config.boolean("run.density-matrix");
    c.cut = config.text("run.cut");
    if (c.states > 1) c.elements = names_of_list(config.text("run.matrix-elements"));
    c.degeneracy = config.boolean("run.degeneracy") && c.vectors;
    c.sublattices = chosen(config, "run.sublattices", sublattice_choices);
    c.allow_unconverged = config.boolean("run.allow-unconverged");
    c.seed = config.count("run.seed");
    c.spectrum.op = chosen(config, "spectrum.operator", spectral_operator_choices);
    c.spectrum.second = config.text("spectrum.second");
    c.spectrum.momenta = config.integers("spectrum.momenta");
    c.spectrum.omega = config.reals("spectrum.omega");
    if (c.task == Task::thermal_spectrum) c.spectrum.temperatures = config.reals("spectrum.temperatures");
    c.spectrum.broadening = config.real("spectrum.broadening");
    c.spectrum.steps = config.count("spectrum.steps");
    c.spectrum.direction = parse_direction(config.text("spectrum.direction")).value_or(Vector3{1, 0, 0});
    c.thermal = {config.reals("thermal.temperatures"), config.count("thermal.samples"), config.count("thermal.steps"),
                 config.real("thermal.chemical-potential"), chosen(config, "thermal.method", trace_choices)};
    c.levels.share = config.real("levels.share");
    c.arithmetic = chosen(config, "backend.arithmetic", arithmetic_choices);
    if (task.arithmetic != RequestedArithmetic::automatic) c.arithmetic = task.arithmetic;
    c.precision = config.text("backend.precision") == "double" ? Precision::double_ : Precision::single;
    c.certified = config.text("backend.precision") == "certified";
    c.exchange = chosen(config, "backend.exchange", exchange_choices);
    c.hops = chosen(config, "backend.hops", hops_choices);
    c.simd = config.text("backend.simd");
    return c;
}

LanczosConfig initial_config(const LanczosConfig& config) {
    LanczosConfig initial = config;
    static_cast<ModelConfig&>(initial) = *config.evolution.initial.model;
    initial.evolution.initial.model.reset();
    return initial;
}

std::uint64_t bit_string(const std::vector<std::int64_t>& sites) {
    std::uint64_t occupied = 0;
    for (std::int64_t site : sites) occupied |= std::uint64_t{1} << site;
    return occupied;
}

}  // namespace strata::lanczos
