// SPDX-License-Identifier: BSD-3-Clause
// Types, ranges and conditions that keys.cpp declares are checked before (cli/applicability.hpp). Here are the rules
// that relate values to each other, and the model: XXZ spins become hard-core bosons, S+ = b+, Sz = n - 1/2.
#include "lanczos/config.hpp"

#include <algorithm>
#include <numbers>

#include "lanczos/orbits.hpp"
#include "lanczos/spectral_target.hpp"
#include "models/keys.hpp"
#include "strata/error.hpp"

namespace strata::lanczos {
namespace {

using InputErrors = std::vector<std::string>;

constexpr ModelLimits limits = {64, Amplitudes::complex};  // the most sites that a string of bits holds
constexpr double default_tolerance = 1e-9, default_single_tolerance = 1e-5;
constexpr double min_single_tolerance = 1e-6;  // rounding of single precision, 6e-8, summed over a row of H

/// Adds an error unless the list names `particles` different sites.
void check_occupied(const Config& config, const char* key, int sites, std::int64_t particles, InputErrors& found) {
    std::vector<std::int64_t> occupied = config.integers(key);
    std::ranges::sort(occupied);
    if (std::ranges::adjacent_find(occupied) != occupied.end() || (!occupied.empty() && occupied.back() >= sites))
        found.push_back(config.cite(key) + " must name different sites from 0 to " + std::to_string(sites - 1) + ".");
    else if (static_cast<std::int64_t>(occupied.size()) != particles)
        found.push_back(config.cite(key) + " names " + std::to_string(occupied.size()) + " sites for " +
                        std::to_string(particles) + " particles.");
}

/// Adds errors of the lattice and its amplitudes.
void check_model(const Config& config, InputErrors& found) {
    const std::string& type = config.text("lattice.type");
    const auto check_most = [&](const char* key, std::size_t values, std::size_t most, const std::string& what) {
        if (values > most)
            found.push_back(config.cite(key) + " has " + std::to_string(values) + " values; lattice.type = " + type +
                            " has " + std::to_string(most) + " " + what + ".");
    };
    if (type == "checkerboard")
        check_most("model.t", config.reals("model.t").size(), 3, "hopping amplitudes");
    else
        check_most("model.t", config.reals("model.t").size(), 1, "hopping amplitude");
    if (!config.given("model.flux")) return;
    if (type == "ring")
        check_most("model.flux", config.reals("model.flux").size(), 1, "direction");
    else
        check_most("model.flux", config.reals("model.flux").size(), 2, "directions");
}

/// Adds errors of keys that need a state that is not kept, or that the task cannot serve.
void check_task(const Config& config, InputErrors& found) {
    const std::string& task = config.text("run.task");
    const std::string& model = config.text("model.type");
    const bool single = model != "hubbard", spins = single && model != "fermions";
    const std::string& op = config.text("spectrum.operator");
    if (task == "spectrum" && single && (op == "removal" || op == "addition"))
        found.push_back(config.cite("spectrum.operator") + " acts on particles with spin down; use density" +
                        (spins ? " or spin." : "."));
    if (task == "spectrum" && single && !spins && op == "spin")
        found.push_back(config.cite("spectrum.operator") + " needs particles with a spin; use density.");
    const std::string& lattice = config.text("lattice.type");
    const std::string& positions = lattice == "all" ? config.text("lattice.geometry") : lattice;
    if (task == "spectrum" && std::ranges::count(cell_lattices(), positions) == 0)
        found.push_back("run.task = spectrum needs a lattice with momenta, which lattice.type = " + lattice +
                        (lattice == "all" ? " with lattice.geometry = " + positions : "") + " does not have.");
    if (task == "states" && !config.boolean("run.vectors"))
        for (const char* key : {"run.density-matrix", "run.degeneracy"})
            if (config.given(key) && config.boolean(key))
                found.push_back(config.cite("run.vectors") + " leaves no ground state, which " + key + " = yes needs.");
    if (task == "evolution" && config.text("backend.arithmetic") == "real")
        found.push_back(config.cite("backend.arithmetic") + " is not possible: motion in time is complex; use auto.");
    const std::int64_t basis = config.integer("run.basis"),
                       least = config.integer("run.states") + 2 * config.integer("run.block") + 2;
    if (basis != 0 && basis < least)
        found.push_back(config.cite("run.basis") + " is too small; " + std::to_string(least) +
                        " is the least for so many states and start vectors.");
}

/// The symmetries that the keys ask for; a key that is not understood asks for none.
SymmetryRequest symmetry_request(const Config& config) {
    SymmetryRequest request = parse_momentum(config.text("sector.momentum")).value_or(SymmetryRequest{});
    request.parity = chosen(config, "sector.parity", parity_choices);
    request.rotation = parse_rotation(config.text("sector.rotation")).value_or(Rotation{});
    request.reflection = chosen(config, "sector.reflection", parity_choices);
    request.spin_inversion = chosen(config, "sector.spin-inversion", parity_choices);
    return request;
}

/// Adds errors of the symmetries of the sector. Whether the model has them is found when it is made.
void check_symmetry(const Config& config, InputErrors& found) {
    const std::string& momentum = config.text("sector.momentum");
    if (!parse_momentum(momentum))
        found.push_back(config.cite("sector.momentum") +
                        " must be one integer for each direction of the lattice, e.g. 0 or 0,1, or all, or auto.");
    if (!parse_rotation(config.text("sector.rotation")))
        found.push_back(config.cite("sector.rotation") +
                        " must be l/n with |l| < n, for the factor exp(2 pi i l/n) under a rotation by 2 pi/n, n = 2, "
                        "3, 4 or 6, e.g. 2/4.");
    const SymmetryRequest request = symmetry_request(config);
    if (!request.any()) return;
    const std::string& task = config.text("run.task");
    if (request.momenta == Momenta::automatic && task == "thermal")
        found.push_back(config.cite("sector.momentum") +
                        " is not possible with run.task = thermal; take all, for averages over all states, or one "
                        "momentum.");
    const bool inverts = request.spin_inversion != Parity::any;
    if (request.momenta == Momenta::all && (request.point_operations() || inverts) && task == "thermal")
        found.push_back(config.cite("sector.momentum") + " is not possible with run.task = thermal and " +
                        (inverts ? "a spin inversion" : "point operations") +
                        ": the averages are those over all states. Leave " +
                        (inverts ? "sector.spin-inversion" : "sector.parity, sector.rotation and sector.reflection") +
                        " out, or take one momentum.");
    if (request.momenta == Momenta::all && task == "spectrum")
        found.push_back(config.cite("sector.momentum") +
                        " is not possible with run.task = spectrum, which begins from one ground state; take auto or "
                        "one momentum.");
    if (request.several() && task == "evolution")
        found.push_back(config.cite("sector.momentum") +
                        " is not possible with run.task = evolution, which moves one state; give one momentum.");
    if (request.several() && task == "states" && config.integer("run.states") > 1)
        found.push_back(config.cite("run.states") + " is not possible with sector.momentum = " + momentum +
                        ", which finds the lowest state of every momentum; give one momentum.");
    if (request.momenta == Momenta::all && config.boolean("run.density-matrix"))
        found.push_back(config.cite("run.density-matrix") +
                        " is not possible with sector.momentum = all; take auto or one momentum.");
}

/// Adds an error if the sector of the symmetries holds no state. Throws as make_symmetry_group() does.
void check_states(const LanczosConfig& c, const Model& model, InputErrors& found) {
    if (c.symmetry.spin_inversion != Parity::any) {
        const auto refuse = [&](const std::string& why) {
            found.push_back("sector.spin-inversion is not possible: " + why);
        };
        if (2 * c.up != model.lattice.sites)
            return refuse("it needs as many spins up as down, and " + std::to_string(c.up) + " of " +
                          std::to_string(model.lattice.sites) + " are up; use sector.sz = 0.");
        if (c.disorder != 0 || std::ranges::count(c.field[2], c.field[2][0]) != std::ranges::ssize(c.field[2]))
            return refuse("the field differs from site to site.");
        if (!model.real()) return refuse("some amplitudes are complex.");
    }
    const auto group = make_symmetry_group(c.symmetry, model);
    if (group == nullptr || c.symmetry.several() || OrbitCounts::states(*group, model, c.up, c.down) > 0) return;
    found.push_back("No state of " + particles_of(c) +
                    " is in this sector of symmetries; sector.momentum = all lists the momenta that there are.");
}

/// Adds an error if the first state of an evolution has no part in the sector. Throws as make_symmetry_group() does.
void check_first_state(const LanczosConfig& c, const Model& model, InputErrors& found) {
    const auto group = make_symmetry_group(c.symmetry, model);
    if (group == nullptr ||
        projected_square(*group, model.statistics, bit_string(c.evolution.up), bit_string(c.evolution.down)) > 0)
        return;
    found.push_back(
        "The state of evolution.up and evolution.down has no part in this sector: symmetries that leave it unchanged "
        "have other factors there. Take another sector.momentum, or other sites.");
}

/// Adds errors of keys that the backend cannot serve.
void check_backend(const Config& config, InputErrors& found) {
    if (config.text("backend.exchange") == "transpose" && config.text("model.type") != "hubbard")
        found.push_back(config.cite("backend.exchange") + " needs two spin components; use auto or rows.");
    if (config.text("backend.precision") == "single" && config.given("run.tolerance") &&
        config.real("run.tolerance") < min_single_tolerance)
        found.push_back(
            config.cite("run.tolerance") +
            " is not reached with backend.precision = single; give at least 1e-6, or leave it out for 1e-5.");
}

}  // namespace

InputErrors validate(const Config& config) {
    InputErrors found;
    check_model(config, found);
    check_task(config, found);
    check_backend(config, found);
    check_symmetry(config, found);
    if (!found.empty()) return found;
    try {
        const int sites = make_lattice(resolve_model(config, limits).lattice).sites;
        if (found = length_errors(config, sites); !found.empty()) return found;
        const LanczosConfig c = resolve_config(config);
        const Model model = make_model(c);
        const Lattice& lattice = model.lattice;
        if (found.empty()) check_states(c, model, found);
        if (c.task == Task::evolution) {
            check_occupied(config, "evolution.up", lattice.sites, c.up, found);
            if (c.components() == 2) check_occupied(config, "evolution.down", lattice.sites, c.down, found);
            if (found.empty()) check_first_state(c, model, found);
        }
        if (c.task == Task::spectrum) {
            if (c.spectrum.momenta.size() % lattice.torus.size() != 0)
                found.push_back(config.cite("spectrum.momenta") + " must be pairs m1,m2 on this lattice.");
            else if (const std::string repeated = repeated_wave(c, lattice); !repeated.empty())
                found.push_back(repeated);
            else if (found.empty())
                if (const std::string reason = without_character(c, model); !reason.empty()) found.push_back(reason);
            if (c.spectrum.op == SpectralOperator::removal && c.down == 0)
                found.push_back(config.cite("spectrum.operator") + " finds no particle with spin down.");
            if (c.spectrum.op == SpectralOperator::addition && c.down == lattice.sites)
                found.push_back(config.cite("spectrum.operator") + " has no empty site for a particle with spin down.");
        }
    } catch (const Error& error) {
        found.emplace_back(error.what());
    }
    return found;
}

InputErrors validate_resume(const Config&, const Config&) { return {}; }

LanczosConfig resolve_config(const Config& config) {
    const auto count = [&](const char* key) { return static_cast<std::uint64_t>(config.integer(key)); };
    LanczosConfig c;
    static_cast<ModelConfig&>(c) = resolve_model(config, limits);
    require_couplings(c);
    require_conserved_sz(c);
    const Filling filling = resolve_filling(config, c, make_lattice(c.lattice).sites);
    c.up = filling.up;
    c.down = filling.down;
    c.symmetry = symmetry_request(config);
    c.task = chosen(config, "run.task", task_choices);
    c.states = count("run.states");
    c.block = count("run.block");
    c.basis = count("run.basis");
    c.max_steps = count("run.max-steps");
    c.tolerance = config.given("run.tolerance")                  ? config.real("run.tolerance")
                  : config.text("backend.precision") == "single" ? default_single_tolerance
                                                                 : default_tolerance;
    c.vectors = config.boolean("run.vectors") || c.task == Task::spectrum;
    c.density_matrix = config.boolean("run.density-matrix");
    c.degeneracy = config.boolean("run.degeneracy") && c.vectors && (c.task == Task::spectrum || c.states == 1);
    c.sublattices = chosen(config, "run.sublattices", sublattice_choices);
    c.allow_unconverged = config.boolean("run.allow-unconverged");
    c.seed = count("run.seed");
    c.spectrum.op = chosen(config, "spectrum.operator", operator_choices);
    c.spectrum.momenta = config.integers("spectrum.momenta");
    c.spectrum.omega = config.reals("spectrum.omega");
    c.spectrum.broadening = config.real("spectrum.broadening");
    c.spectrum.steps = count("spectrum.steps");
    c.thermal = {config.reals("thermal.temperatures"), count("thermal.samples"), count("thermal.steps")};
    c.evolution = {config.integers("evolution.up"), config.integers("evolution.down"), config.real("evolution.step"),
                   count("evolution.steps"), count("evolution.krylov")};
    c.arithmetic = c.task == Task::evolution ? RequestedArithmetic::complex
                                             : chosen(config, "backend.arithmetic", arithmetic_choices);
    c.precision = config.text("backend.precision") == "single" ? Precision::single : Precision::double_;
    c.exchange = chosen(config, "backend.exchange", exchange_choices);
    c.simd = config.text("backend.simd");
    return c;
}

std::string particles_of(const LanczosConfig& c) {
    if (c.components() == 2) return std::to_string(c.up) + " up and " + std::to_string(c.down) + " down particles";
    return std::to_string(c.up) + (c.spins() ? " spins up" : " particles");
}

std::uint64_t bit_string(const std::vector<std::int64_t>& sites) {
    std::uint64_t occupied = 0;
    for (std::int64_t site : sites) occupied |= std::uint64_t{1} << site;
    return occupied;
}

Model make_model(const LanczosConfig& c) {
    LatticeModel from = make_lattice_model(c);
    Model m;
    m.u = std::move(from.u);
    m.v = c.v;
    m.spin_components = c.components();
    // a uniform energy of all particles is no scale of energies
    std::vector<double> energies = c.spins() ? from.field[index_of(Axis::z)] : std::move(from.potential);
    const bool uniform = std::ranges::count(energies, energies[0]) == std::ranges::ssize(energies);
    m.site_energy = uniform ? energies[0] : 0;
    m.epsilon = uniform ? std::vector<double>(energies.size(), 0.0) : energies;
    if (c.spins()) {
        // (S+ S- + h.c.) / 2 moves a spin up with amplitude 1/2, Sz Sz = n n - (n + n) / 2 + 1/4, h Sz = h n - h / 2
        m.statistics = Statistics::hard_core_bosons;
        m.v = 1;
        for (std::size_t i = 0; i < from.lattice.edges.size(); ++i) {
            Edge& e = from.lattice.edges[i];
            e.amplitude *= -(e.shell == Shell::first ? c.coupling : c.second_coupling)[0] / 2;
            e.weight = from.exchange[i][2];
            m.constant += e.weight / 4;
            for (const int site : {e.from, e.to}) m.epsilon[static_cast<std::size_t>(site)] -= e.weight / 2;
        }
        m.neutral_filling = 0.5 * from.lattice.sites;
        for (const double h : energies) m.constant -= uniform ? 0 : h / 2;
    }
    m.lattice = std::move(from.lattice);
    return m;
}

}  // namespace strata::lanczos
