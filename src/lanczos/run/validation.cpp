// SPDX-License-Identifier: BSD-3-Clause
// Rules that relate values to each other. Types, ranges and conditions that keys.cpp declares have been checked before
// (cli/applicability.hpp).
#include "lanczos/run/validation.hpp"

#include <algorithm>

#include "lanczos/job/config.hpp"
#include "lanczos/physics/make_model.hpp"
#include "lanczos/physics/orbits.hpp"
#include "lanczos/physics/symmetries.hpp"
#include "lanczos/state/spectral_target.hpp"
#include "models/keys.hpp"
#include "strata/error.hpp"

namespace strata::lanczos {
namespace {

using InputErrors = std::vector<std::string>;

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

/// Adds errors of keys that need a state that is not kept, or that the task cannot serve.
void check_task(const Config& config, const ModelConfig& model, InputErrors& found) {
    const std::string& task = config.text("run.task");
    const bool single = model.components() == 1, spins = model.spins();
    const std::string& op = config.text("spectrum.operator");
    if (task == "spectrum" && single && (op == "removal" || op == "addition"))
        found.push_back(config.cite("spectrum.operator") + " acts on particles with spin down; use density" +
                        (spins ? " or spin." : "."));
    if (task == "spectrum" && single && !spins && op == "spin")
        found.push_back(config.cite("spectrum.operator") + " needs particles with a spin; use density.");
    const std::string& lattice = model.lattice.type;
    const std::string& positions = lattice == "all" ? model.lattice.geometry : lattice;
    if (task == "spectrum" && std::ranges::count(cell_lattices(), positions) == 0)
        found.push_back("run.task = spectrum needs a lattice with momenta, which " +
                        (lattice == "none" ? "model.type = terms" : "lattice.type = " + lattice) +
                        (lattice == "all" ? " with lattice.geometry = " + positions : "") + " does not have.");
    if (task == "states" && !config.boolean("run.vectors"))
        for (const char* key : {"run.density-matrix", "run.degeneracy"})
            if (config.given(key) && config.boolean(key))
                found.push_back(config.cite("run.vectors") + " leaves no ground state, which " + key + " = yes needs.");
    if (task == "evolution" && config.text("backend.arithmetic") == "real")
        found.push_back(config.cite("backend.arithmetic") + " is not possible: motion in time is complex; use auto.");
    if (single && config.given("evolution.down"))
        found.push_back(config.cite("evolution.down") + " does not apply to " + name_of(model.kind()) +
                        "; leave it out.");
    const std::int64_t basis = config.integer("run.basis"),
                       least = config.integer("run.states") + 2 * config.integer("run.block") + 2;
    if (basis != 0 && basis < least)
        found.push_back(config.cite("run.basis") + " is too small; " + std::to_string(least) +
                        " is the least for so many states and start vectors.");
}

/// Adds errors of the symmetries of the sector. make_symmetry_group() checks later whether the model has them.
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
        if (model.lattice.sites % 2 != 0)
            return refuse("it needs as many spins up as down, and " + std::to_string(model.lattice.sites) +
                          " spins are an odd number; leave it out.");
        if (2 * c.up != model.lattice.sites)
            return refuse("it needs as many spins up as down, and " + std::to_string(c.up) + " of " +
                          std::to_string(model.lattice.sites) + " are up; use sector.sz = 0.");
        const std::vector<double> field = make_lattice_model(c).field[index_of(Axis::z)];
        if (std::ranges::count(field, field[0]) != std::ranges::ssize(field))
            return refuse("the field differs from site to site.");
        if (!model.real()) return refuse("some amplitudes are complex.");
    }
    const auto group = make_symmetry_group(c.symmetry, model);
    if (group == nullptr || c.symmetry.several() || OrbitCounts::states(*group, model, c.up, c.down) > 0) return;
    found.push_back("No state of " + particles_of(c) +
                    " is in this sector of symmetries; sector.momentum = all lists the momenta that there are.");
}

/// Adds an error if the initial state of an evolution has no component in the sector. Throws as
/// make_symmetry_group() does.
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
void check_backend(const Config& config, const ModelConfig& model, InputErrors& found) {
    if (config.text("backend.exchange") == "transpose" && model.components() == 1)
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
    try {
        const ModelConfig resolved = resolve_model(config, model_limits);
        check_task(config, resolved, found);
        check_backend(config, resolved, found);
        check_symmetry(config, found);
        if (!found.empty()) return found;
        const int sites = make_lattice(resolved.lattice).sites;
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

}  // namespace strata::lanczos
