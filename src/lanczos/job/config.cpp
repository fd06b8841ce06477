// SPDX-License-Identifier: BSD-3-Clause
// Texts become values; run/validation.cpp checks which of them can be combined.
#include "lanczos/job/config.hpp"

#include <algorithm>
#include <cmath>

#include "models/other_model.hpp"
#include "strata/error.hpp"

namespace strata::lanczos {
namespace {

constexpr double default_tolerance = 1e-9, default_single_tolerance = 1e-5;
constexpr std::uint64_t default_steps = 300;

/// The model of [initial-model], whose sites must be those of the Hamiltonian.
ModelConfig resolve_initial_model(const Config& config, const LanczosConfig& c, int sites) {
    const ModelConfig initial = resolve_model(with_other_model(config, initial_section), model_limits);
    const int own = make_lattice(initial.lattice).sites;
    if (initial.kind() != c.kind() || own != sites)
        throw Error(ExitCode::bad_input, config.cite("initial-model.terms") + " is for " + std::to_string(own) +
                                             " sites of " + name_of(initial.kind()) + "; the Hamiltonian has " +
                                             std::to_string(sites) + " sites of " + name_of(c.kind()) +
                                             ", and both must have the same.");
    return initial;
}

/// Adds the products of a sum that are not there; equal ones must not cancel, since both sums have to be conserved.
void add_products(const OperatorSum& sum, OperatorSum& to) {
    for (const auto& [product, coefficient] : sum.terms())
        if (!to.terms().contains(product)) to += OperatorSum::product(sum.kind(), product, coefficient);
}

/// The sector of what both Hamiltonians conserve, that of the evolution and that of the initial state.
Filling resolve_filling_of_both(const Config& config, const LanczosConfig& c, const LatticeModel& model,
                                const OperatorSum& others) {
    try {
        return resolve_filling(config, c, model.lattice.sites, others);
    } catch (const Error& error) {
        resolve_filling(config, c, model.lattice.sites, other_terms(c, model));  // throws if it is H that is refused
        throw Error(ExitCode::bad_input, std::string(error.what()) +
                                             " Here H is that of [initial-model]: the sector is one of what both "
                                             "Hamiltonians conserve.");
    }
}

}  // namespace

SymmetryRequest symmetry_request(const Config& config) {
    SymmetryRequest request = parse_momentum(config.text("sector.momentum")).value_or(SymmetryRequest{});
    request.parity = chosen(config, "sector.parity", parity_choices);
    request.rotation = parse_rotation(config.text("sector.rotation")).value_or(Rotation{});
    request.reflection = chosen(config, "sector.reflection", parity_choices);
    request.spin_inversion = chosen(config, "sector.spin-inversion", parity_choices);
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

LanczosConfig resolve_config(const Config& config) {
    LanczosConfig c;
    static_cast<ModelConfig&>(c) = resolve_model(config, model_limits);
    require_couplings(c);
    const LatticeModel model = make_lattice_model(c);
    OperatorSum others = other_terms(c, model);
    c.task = requested_task(config);
    c.evolution = {.up = config.integers("evolution.up"),
                   .down = config.integers("evolution.down"),
                   .step = config.real("evolution.step"),
                   .steps = config.count("evolution.steps"),
                   .krylov = config.count("evolution.krylov"),
                   .start = chosen(config, "evolution.start", start_choices),
                   .op = config.text("evolution.operator")};
    if (has_other_model(config, initial_section)) {
        c.evolution.initial_model = resolve_initial_model(config, c, model.lattice.sites);
        const ModelConfig& initial = *c.evolution.initial_model;
        add_products(other_terms(initial, make_lattice_model(initial)), others);
    }
    const Filling filling = resolve_filling_of_both(config, c, model, others);
    c.up = filling.up;
    c.down = filling.down;
    c.conserved = filling.conserved;
    c.all_numbers = config.text("sector.numbers") == "all";
    if (c.all_numbers) c.conserved = conserved_by(others);  // a parity, too, of which one sector takes both values
    c.symmetry = symmetry_request(config);
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
    c.observables = {config.text("observables.file"), config.content("observables.file")};
    c.degeneracy = config.boolean("run.degeneracy") && c.vectors;
    c.sublattices = chosen(config, "run.sublattices", sublattice_choices);
    c.allow_unconverged = config.boolean("run.allow-unconverged");
    c.seed = config.count("run.seed");
    c.spectrum.op = chosen(config, "spectrum.operator", operator_choices);
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
    c.precision = config.text("backend.precision") == "single" ? Precision::single : Precision::double_;
    c.exchange = chosen(config, "backend.exchange", exchange_choices);
    c.simd = config.text("backend.simd");
    return c;
}

LanczosConfig initial_config(const LanczosConfig& config) {
    LanczosConfig initial = config;
    static_cast<ModelConfig&>(initial) = *config.evolution.initial_model;
    initial.evolution.initial_model.reset();
    return initial;
}

std::string particles_of(const LanczosConfig& c) {
    const std::string particles = !c.spins() ? "particles" : c.twice_spin == 1 ? "spins up" : "units of m + S";
    if (c.conserved == Conserved::particles) return std::to_string(c.up) + " particles";
    if (c.conserved == Conserved::spin) return "N_up - N_down = " + std::to_string(c.up);
    if (c.conserved == Conserved::parity)
        return std::string(c.up == 0 ? "an even" : "an odd") + " number of " + particles;
    if (c.conserved == Conserved::nothing) return "all numbers of " + particles;
    if (c.components() == 2) return std::to_string(c.up) + " up and " + std::to_string(c.down) + " down particles";
    return std::to_string(c.up) + " " + particles;
}

std::uint64_t bit_string(const std::vector<std::int64_t>& sites) {
    std::uint64_t occupied = 0;
    for (std::int64_t site : sites) occupied |= std::uint64_t{1} << site;
    return occupied;
}

}  // namespace strata::lanczos
