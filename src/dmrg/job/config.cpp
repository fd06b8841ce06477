// SPDX-License-Identifier: BSD-3-Clause
// Rules that relate the values of several keys. Types, ranges and conditions that keys.cpp declares have been checked
// before (cli/applicability.hpp).
#include "dmrg/job/config.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "dmrg/job/conserved.hpp"
#include "dmrg/job/purified_model.hpp"
#include "models/filling.hpp"
#include "strata/error.hpp"
#include "strata/formatted.hpp"

namespace strata::dmrg {
namespace {

constexpr ModelLimits limits = {10000, Amplitudes::complex, max_energy, TermSet::all};

std::string lattice_text(const LatticeSpec& spec, int sites) {
    const std::string count = std::to_string(sites) + " sites";
    if (spec.type == "none") return count + ", terms from a file";
    if (spec.type == "file") return count + ", bonds from " + spec.file.name;
    if (spec.type == "all") return "all pairs of " + count;
    std::string extents;
    for (const std::int64_t e : spec.extents) extents += (extents.empty() ? "" : " x ") + std::to_string(e);
    const bool cells = extents != std::to_string(sites) && spec.type != "ladder" && spec.type != "cylinder";
    return spec.type + " of " + extents + (cells ? " cells, " + count : " sites");
}

/// The terms that bonds, energies of sites and an exchange along z do not hold.
OperatorSum others_of(const ModelConfig& model, const LatticeModel& values) {
    OperatorSum sum = other_terms(model, values);
    sum += imaginary_hops(model, values);
    return sum;
}

Model make_model(const ModelConfig& model, const LatticeModel& values, const std::vector<Bond>& bonds,
                 const OperatorSum& others, const Filling& filling) {
    if (model.projected()) return t_j(bonds, values.potential, filling, others);
    if (model.kind() == SiteKind::fermions || model.kind() == SiteKind::bosons)
        return particles(model.kind(), bonds, values.potential, filling, others);
    if (!model.spins()) return hubbard(bonds, values.u, values.potential, filling, others);
    return heisenberg(model.twice_spin, bonds, values.field[index_of(Axis::z)], model.anisotropy, filling, others);
}

std::vector<SweepSettings> make_schedule(const Config& config, const DmrgConfig& c) {
    std::vector<SweepSettings> schedule;
    if (!config.given("run.schedule")) return schedule;
    if (config.integers("run.schedule").size() > max_sweeps)
        refuse(config.cite("run.schedule").substr(0, 60) + "... has more than " + std::to_string(max_sweeps) +
               " sweeps; use at most that many.");
    for (const std::int64_t m : config.integers("run.schedule"))
        schedule.push_back({static_cast<std::uint64_t>(m), c.noise_of(schedule.size())});
    return schedule;
}

/// Checks that the last sweeps are in double precision: energies of single precision are not accurate enough for
/// results.
void check_single_precision(const Config& config, const DmrgConfig& c) {
    const std::uint64_t sweeps = c.schedule.empty() ? c.max_sweeps : c.schedule.size(),
                        last = c.schedule.empty() ? 2 : 1;
    if (c.single_sweeps == 0 || c.single_sweeps + last <= sweeps) return;
    refuse(config.cite("run.single-precision-sweeps") + " leaves too few of " + std::to_string(sweeps) +
           " sweeps in double precision; use at most " + std::to_string(sweeps - std::min(sweeps, last)) + ".");
}

/// Checks that the sector has as many orthogonal states as requested, three times as many where these are not few, and
/// that no bond dimension is smaller than their number. Of 70 states a search found 24 with small errors, 35 with errors
/// that nothing made smaller, and missed some of the first 36.
void check_states(const Config& config, const DmrgConfig& c) {
    constexpr std::uint64_t few = 20, share = 3;
    const std::uint64_t dimension = product_states(c.model, c.model.sites, c.model.target);
    if (c.states > dimension)
        refuse(config.cite("run.states") + " is more than the sector has, " + std::to_string(dimension) +
               "; use at most that.");
    if (c.states > few && share * c.states > dimension)
        refuse(config.cite("run.states") + " is more than a third of the " + std::to_string(dimension) +
               " states that the sector has, of which a search from bond to bond misses some; take application = "
               "lanczos, or at most " +
               std::to_string(std::max(few, dimension / share)) + " states.");
    std::uint64_t kept = std::min(c.start_states, c.max_states);
    for (const SweepSettings& sweep : c.schedule) kept = std::min(kept, sweep.states);
    if (const std::uint64_t most = kept / c.model.end_states(); c.states > most)
        refuse(config.cite("run.states") +
               (c.model.complex
                    ? " takes two real states for each, since H is complex, and the smallest M of a sweep is "
                    : " is more than the smallest M of a sweep, ") +
               std::to_string(kept) + "; use at most " + std::to_string(most) + ", or a larger M.");
}

/// A search from bond to bond cannot compare all ways to distribute charges over parts that nothing connects.
void check_connected(const Model& model) {
    if (const std::string separate = separate_charges(model); !separate.empty())
        refuse(separate +
               "; a search from bond to bond cannot compare all ways to distribute them. Run each group by itself, or "
               "give a coupling between them an amplitude.");
}

/// Factors beyond half a turn per sweep are refused: sweeps of one length and of twice that length can then see the same
/// wrong drive.
void check_frequencies(const Config& config, const EvolutionSettings& e) {
    const double sweep = e.step / static_cast<double>(e.sweeps) * (e.estimates_error ? 2 : 1);
    for (const DrivenOperator& v : e.driven) {
        const double frequency = v.factor.fastest(), turns = frequency * sweep / std::numbers::pi;
        if (turns <= 1 + 1e-9) continue;
        const double sweeps = std::ceil(turns * static_cast<double>(e.sweeps));
        refuse(formatted(
            "%s makes sweeps of time %.4g%s, more than half a period of the factor of %s, whose largest "
            "angular frequency is %.4g; take %.0f, or a smaller evolution.step.",
            config.cite("evolution.sweeps").c_str(), sweep, e.estimates_error ? " in the second evolution" : "",
            v.name.c_str(), frequency, sweeps + std::fmod(sweeps, 2)));
    }
}

void check_sweeps(const Config& config, const EvolutionSettings& e) {
    if (e.estimates_error && e.sweeps % 2 != 0)
        refuse(config.cite("evolution.sweeps") +
               " is odd; with evolution.estimate-error = yes a second evolution makes half as many. Use " +
               std::to_string(e.sweeps + 1) + ".");
}

void check_evolution(const Config& config, const ModelConfig& model, const Filling& filling, const DmrgConfig& c) {
    const EvolutionSettings& e = c.evolution;
    check_sweeps(config, e);
    check_frequencies(config, e);
    if (e.initial.start == InitialStateKind::ground_state) {
        if (!e.initial.model && !e.op && e.driven.empty())
            refuse(eigenstate_error(config, ", or evolution.operator, or drive.operator"));
        return check_connected(e.initial_model);
    }
    if (model.components() == 1 && config.given("evolution.down"))
        refuse(config.cite("evolution.down") + " does not apply to " + name_of(model.kind()) + "; leave it out.");
    const std::vector<std::string> errors = product_state_errors(config, model, filling, e.initial, c.model.sites);
    if (!errors.empty()) refuse(errors[0]);
}

/// What a job gives beside the values of all tasks.
struct TaskInput {
    const Config& config;
    const ModelConfig& model;
    const LatticeModel& values;
    const OperatorSum& others;
    const Filling& filling;
};

/// Makes the target the sector that the operator of an evolution leads to. `key`: that which gives it.
void lead_elsewhere(const TaskInput& input, const char* key, DmrgConfig& c) {
    const OwnObservable& op = *c.evolution.op;
    const Config& config = input.config;
    if (op.members[0].empty()) refuse(config.cite(key) + " is 0: its terms cancel, or vanish on every state.");
    if (input.filling.conserved == Conserved::nothing) return;
    c.model.target = target_of(changed(input.filling, op.change), c.model.sites);
    if (product_states(c.model, c.model.sites, c.model.target) == 0)
        refuse(config.cite(key) + " changes " + text_of(op.change, input.model.kind(), input.filling.conserved) +
               ", and no such state exists; take another sector.");
}

void read_evolution(const TaskInput& input, DmrgConfig& c) {
    const auto& [config, model, lattice, terms, filling] = input;
    EvolutionSettings& e = c.evolution;
    e.step = config.real("evolution.step");
    e.steps = config.count("evolution.steps");
    e.sweeps = config.count("evolution.sweeps");
    e.initial_model = c.model;
    e.initial_bonds = c.bonds;
    if (e.initial.model) {
        const LatticeModel values = make_lattice_model(*e.initial.model);
        const OperatorSum others = others_of(*e.initial.model, values);
        e.initial_bonds = bonds_of(*e.initial.model, values, others);
        e.initial_model = make_model(*e.initial.model, values, e.initial_bonds, others, filling);
    }
    for (const DrivenOperator& v : e.driven) add_driven(v.op, c.model);
    if (c.model.complex || e.initial_model.complex)
        for (Model* both : {&c.model, &e.initial_model}) both->become_complex();
    check_evolution(config, model, filling, c);
    if (e.op) lead_elsewhere(input, "evolution.operator", c);
}

/// An evolution of an operator on the ground state.
void read_spectral_evolution(const TaskInput& input, DmrgConfig& c) {
    const auto& [config, model, lattice, terms, filling] = input;
    if (c.model.complex)
        refuse("run.task = spectrum takes a real H, and here H has complex amplitudes; take application = lanczos.");
    check_connected(c.model);
    Conserved conserved = filling.conserved;
    if (is_fermionic(model.kind()) && conserved == Conserved::nothing) conserved = Conserved::parity;
    c.spectrum = read_spectrum({config, model.kind(), model.twice_spin, lattice.lattice, PatternLattice(model.lattice),
                                conserved, c.observables});
    c.observables.clear();
    EvolutionSettings& e = c.evolution;
    e.step = config.real("evolution.step");
    e.steps = c.spectrum->steps;
    e.sweeps = config.count("evolution.sweeps");
    check_sweeps(config, e);
    e.initial.start = InitialStateKind::ground_state;
    e.initial_model = c.model;
    e.initial_bonds = c.bonds;
    e.op = c.spectrum->at_site();
    lead_elsewhere(input, "spectrum.operator", c);
}

/// The row of physical and auxiliary sites in the place of the lattice's.
void read_thermal(const TaskInput& input, DmrgConfig& c) {
    const auto& [config, model, values, others, filling] = input;
    for (const char* key : {"sector.up", "sector.down", "sector.sz", "sector.particles", "sector.number-parity"})
        if (config.has(key) && config.given(key))
            refuse(config.cite(key) +
                   " does not apply to run.task = thermal, whose averages are over all sectors; leave "
                   "it out, or give thermal.chemical-potential.");
    if (model.projected())
        refuse(config.cite("model.type") +
               " is not possible with run.task = thermal: no state of a site completes the empty one; use hubbard, or "
               "application = lanczos.");
    if (model.spins() && config.given("thermal.chemical-potential"))
        refuse(config.cite("thermal.chemical-potential") +
               " is one of particles, and the sites hold spins; use model.field.");
    c.thermal = {config.reals("thermal.temperatures"), 0, config.real("thermal.chemical-potential")};
    std::vector<double>& t = c.thermal.temperatures;
    std::ranges::sort(t, std::greater<>());
    if (std::ranges::adjacent_find(t) != t.end())
        refuse(config.cite("thermal.temperatures") + " names a temperature twice; give each once.");
    if (t.empty() || t.back() <= 0) refuse(config.cite("thermal.temperatures") + " must be above 0.");
    const PurifiedValues p = purified(values, c.bonds, others, c.thermal.chemical_potential);
    c.bonds = p.bonds;
    c.model = make_model(model, p.values, p.bonds, p.others,
                         purified_filling(model, filling.conserved, values.lattice.sites));
    const double coupling = c.model.terms.largest(), default_step = coupling > 0 ? 0.1 / coupling : 1 / t.back();
    c.thermal.step = config.given("thermal.step") ? config.real("thermal.step") : default_step;
    for (std::size_t site = 1; site < c.model.energies.size(); site += 2)  // an anisotropy is that of all sites
        c.model.energies[site].assign(c.model.states(), 0);
}

/// What one task alone reads of a job, and checks.
struct TaskReader {
    Task task;
    void (*read)(const TaskInput& input, DmrgConfig& c);
};
constexpr TaskReader readers[] = {{Task::states, [](const TaskInput&, DmrgConfig& c) { check_connected(c.model); }},
                                  {Task::evolution, read_evolution},
                                  {Task::thermal, read_thermal},
                                  {Task::spectrum, read_spectral_evolution}};

}  // namespace

double DmrgConfig::noise_of(std::size_t sweep) const { return noise[std::min(sweep, noise.size() - 1)]; }

std::vector<std::string> validate(const Config& config) {
    try {
        resolve_config(config);
    } catch (const Error& error) {
        return {error.what()};
    }
    return {};
}

/// States that are found are not computed again, so that new settings of the searches would hold for the others alone.
std::vector<std::string> validate_resume(const Config& before, const Config& now) {
    if (now.count("run.states") == 1) return {};
    for (const char* key :
         {"run.schedule", "run.noise", "run.tolerance", "run.products", "run.cutoff", "run.single-precision-sweeps"}) {
        const std::string& was = before.value(key).text;
        if (now.value(key).text == was) continue;
        return {std::string("A change of ") + key + (was.empty() ? "" : " (it was " + was + ")") +
                " would hold for some of run.states = " + now.value("run.states").text +
                " only, since states that are found are not computed again; start anew."};
    }
    return {};
}

void read_observables(const Config& config, const ModelConfig& model, Conserved conserved, DmrgConfig& c) {
    // clang-format off
    static const std::vector<std::string> results = {
        "aliased-weight", "bond-energies", "compressibility", "correlation", "degeneracies", "density", "density-correlations", "density-down",
        "density-matrix", "density-up", "discarded-weight", "double-occupancy", "drive-*", "energies", "energy",
        "energy-drift", "energy-error", "energy-even", "energy-extrapolated", "energy-odd", "entanglement*", "entropies",
        "entropy", "error-estimate", "gaps", "grid-weight", "initial*", "intensity", "krylov-error", "largest-error", "largest-overlap",
        "loschmidt-echo", "measured-energies", "measured-energy", "omega", "pair-correlations", "particles", "products",
        "residual", "site-grid-weight", "site-intensity", "site-weight", "site-x", "site-y", "specific-heat", "spin-correlations", "spin-flip",
        "spectrum-error", "spin-flip-correlations", "spin-susceptibility", "state", "state-error", "states", "step-error", "sweep", "sz",
        "temperature", "time", "total-sz", "truncation-bound", "truncation-cost", "truncation-error", "truncation-errors", "wave-vector-x", "wave-vector-y", "weight", "work"};
    // clang-format on
    const ObservableTexts texts = observable_texts(config);
    const std::string& op = c.evolution.initial.op;
    const DriveSpec& drive = c.evolution.drive;
    if (texts.source.empty() && !op.empty()) refuse(config.cite("evolution.operator") + needs_definition(op));
    const PatternLattice lattice(model.lattice);
    if (is_fermionic(model.kind()) && conserved == Conserved::nothing) conserved = Conserved::parity;
    const auto may_lead = [&](const std::string& name) {
        // an odd one of a drive is refused later
        return name == op || c.task == Task::spectrum || std::ranges::count(drive.operators, name) > 0;
    };
    c.observables =
        strata::read_observables(texts, model.kind(), model.twice_spin, lattice, conserved, results, may_lead);
    if (c.task == Task::spectrum) return;
    std::vector<std::string> errors;
    c.evolution.driven = read_drive(config, drive, texts.source, c.observables, errors);
    if (!errors.empty()) refuse(errors[0]);
    if (!op.empty()) c.evolution.op = named_operator(config, "evolution.operator", op, c.observables, texts.source);
    std::erase_if(c.observables, [](const OwnObservable& o) { return o.change != FillingChange{}; });
    c.observable_lists = ObservableLists(c.observables, lattice);
}

DmrgConfig search_config(const DmrgConfig& config) {
    DmrgConfig c = config;
    c.task = Task::states;
    c.model = config.evolution.initial_model;
    c.bonds = config.evolution.initial_bonds;
    c.observables.clear();
    c.observable_lists = {};
    return c;
}

/// Resolves lattice, model and schedule, and checks their combination.
DmrgConfig resolve_config(const Config& config) {
    DmrgConfig c;
    const ModelConfig model = resolve_model(config, limits);
    require_couplings(model);
    const int sites = make_lattice(model.lattice).sites;
    if (sites < 2)
        refuse((model.lattice.type == "none" ? config.cite("model.terms") : config.cite("lattice.extents")) +
               " is a single site; a chain has at least 2.");
    if (const auto errors = length_errors(config, sites); !errors.empty()) refuse(errors[0]);
    const LatticeModel values = make_lattice_model(model);
    c.lattice = lattice_text(model.lattice, sites);
    const OperatorSum others = others_of(model, values);
    c.bonds = bonds_of(model, values, others);
    const bool rungs = model.lattice.type == "ladder" || model.lattice.type == "cylinder";
    c.width = rungs ? static_cast<int>(model.lattice.extents[1]) : 1;
    c.task = chosen(config, "run.task", task_choices);
    c.evolution.initial = resolve_initial_state(config, model, limits, sites);
    if (c.task == Task::evolution) c.evolution.drive = resolve_drive(config);
    const Filling filling = resolve_filling_of_both(config, model, values, others, c.evolution.initial,
                                                    terms_of_drive(c.evolution.drive, observable_texts(config), model));
    c.model = make_model(model, values, c.bonds, others, filling);
    c.noise = config.given("run.noise") ? config.reals("run.noise") : std::vector<double>{1e-5, 1e-6, 1e-8, 0};
    c.schedule = make_schedule(config, c);
    c.tolerance = config.real("run.tolerance");
    c.has_idle_tolerance = !c.schedule.empty() && config.given("run.tolerance");
    c.start_states = config.count("run.start-states");
    c.max_states = config.count("run.max-states");
    c.max_sweeps = config.count("run.max-sweeps");
    c.states = config.count("run.states");
    c.products = config.count("run.products");
    c.single_sweeps = config.count("run.single-precision-sweeps");
    c.cutoff = config.real("run.cutoff");
    c.measured = chosen(config, "run.measure", measured_choices);
    read_observables(config, model, c.model.conserved, c);
    c.evolution.max_states = config.count("evolution.max-states");
    c.evolution.cutoff = config.real("evolution.cutoff");
    c.evolution.tolerance = config.real("evolution.tolerance");
    c.evolution.estimates_error = config.boolean("evolution.estimate-error");
    std::ranges::find(readers, c.task, &TaskReader::task)->read({config, model, values, others, filling}, c);
    for (Model* m : {&c.model, &c.evolution.initial_model}) m->terms.finish();
    check_single_precision(config, c);
    if (c.states > 1) check_states(config, c);
    c.allow_unconverged = config.boolean("run.allow-unconverged");
    if (config.text("run.blocks") == "disk") {
        const std::string& own = config.text("run.blocks-directory");
        c.scratch_directory = own.empty() ? config.text("output.directory") : own;
    }
    c.seed = config.count("run.seed");
    c.simd = config.text("backend.simd");
    return c;
}

}  // namespace strata::dmrg
