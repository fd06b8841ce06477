// SPDX-License-Identifier: BSD-3-Clause
// Rules that relate values to each other. Types, ranges and conditions that keys.cpp declares have been checked before
// (cli/applicability.hpp).
#include "lanczos/run/validation.hpp"

#include <algorithm>

#include "lanczos/physics/orbits.hpp"
#include "lanczos/physics/symmetries.hpp"
#include "lanczos/run/task.hpp"
#include "models/other_model.hpp"
#include "strata/error.hpp"

namespace strata::lanczos {
namespace {

/// Adds errors of keys that do not go with a certified energy.
void check_certified(const Config& config, InputErrors& found) {
    if (config.text("backend.precision") != "certified") return;
    const auto refuse = [&](const std::string& why) {
        found.push_back(config.cite("backend.precision") + " is not possible " + why);
    };
    if (config.text("run.task") != "states")
        return refuse("with run.task = " + config.text("run.task") +
                      ": it is of the energy of one state; use double or single.");
    if (config.count("run.states") > 1) refuse("with run.states > 1; use run.states = 1, or double.");
    if (!config.boolean("run.vectors")) refuse("without the state; use run.vectors = yes.");
    if (!config.boolean("run.degeneracy"))
        refuse("without the next level, from which the error of the energy is estimated; use run.degeneracy = yes.");
    if (config.text("sector.numbers") == "all") refuse("with sector.numbers = all; scan sectors of given numbers.");
    if (symmetry_request(config).several())
        refuse("with sector.momentum = " + config.text("sector.momentum") + "; give one momentum, or scan them.");
    if (config.text("backend.device") == "cuda") refuse("on a GPU; use backend.device = auto or cpu.");
    if (config.text("backend.exchange") == "transpose") refuse("with backend.exchange = transpose; use auto or rows.");
}

constexpr double min_single_tolerance = 1e-6;  // rounding of single precision, 6e-8, summed over a row of H

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
}

/// Adds an error of a request to compute hops where they are stored in any case.
void check_hops(const Config& config, const LanczosConfig& c, const Model& model, InputErrors& found) {
    if (c.hops == Hops::stored) return;
    const auto refuse = [&](const std::string& why) {
        found.push_back(config.cite("backend.hops") + " is not possible: " + why + "; use stored.");
    };
    if (!c.symmetry.any()) return refuse("it serves sectors of lattice symmetries");
    if (model.spin_components == 2) return refuse("electrons have a table for each spin alone, which is small");
    if (model.statistics() == Statistics::fermions) return refuse("it serves spins and bosons");
    if (config.text("backend.device") == "cuda") return refuse("devices need tables");
    if (c.certified) return refuse("backend.precision = certified reads tables");
}

/// Adds errors of keys that the backend cannot serve.
void check_backend(const Config& config, const ModelConfig& model, InputErrors& found) {
    const bool one_component = model.components() == 1 || model.projected();
    if (config.text("backend.exchange") == "transpose" && (one_component || !model.terms.others.empty()))
        found.push_back(config.cite("backend.exchange") +
                        (model.projected()         ? " is not possible with model.type = t-j; use auto or rows."
                         : model.components() == 1 ? " needs two spin components; use auto or rows."
                                                   : " is not possible with terms that act on both spins of different "
                                                     "sites; use auto or rows."));
    check_certified(config, found);
    if (config.text("backend.precision") == "single" && config.given("run.tolerance") &&
        config.real("run.tolerance") < min_single_tolerance)
        found.push_back(
            config.cite("run.tolerance") +
            " is not reached with backend.precision = single; give at least 1e-6, or leave it out for 1e-5.");
}

}  // namespace

void check_states(const LanczosConfig& c, const Model& model, InputErrors& found) {
    if (c.symmetry.spin_inversion != Parity::any) {
        const auto refuse = [&](const std::string& why) {
            found.push_back("sector.spin-inversion is not possible: " + why);
        };
        const bool numbers = c.conserved == Conserved::numbers;
        if (!c.spins() || model.codes.coded()) return refuse("it is that of spins 1/2; leave it out.");
        if (model.lattice.sites % 2 != 0 && c.conserved == Conserved::parity)
            return refuse("it changes the parity of an odd number of spins; leave sector.number-parity out.");
        if (model.lattice.sites % 2 != 0 && c.conserved != Conserved::nothing)
            return refuse("it needs as many spins up as down, and " + std::to_string(model.lattice.sites) +
                          " spins are an odd number; leave it out.");
        if (numbers && 2 * c.up != model.lattice.sites)
            return refuse("it needs as many spins up as down, and " + std::to_string(c.up) + " of " +
                          std::to_string(model.lattice.sites) + " are up; use sector.sz = 0.");
        const std::vector<double> field = make_lattice_model(c).field[index_of(Axis::z)];
        if (std::ranges::count(field, field[0]) != std::ranges::ssize(field))
            return refuse("the field differs from site to site.");
        if (!numbers && field[0] != 0) return refuse("H has a field along z.");
        if (!are_equal(model.others, model.others.inverted())) return refuse("it changes some terms of H.");
        const auto hops = model.hops();
        if (std::ranges::any_of(hops, [](const auto& hop) { return hop.second.imag() != 0; }))
            return refuse("some amplitudes of S+ S- are complex.");
    }
    if (c.symmetry.particle_hole != Parity::any) {
        const auto refuse = [&](const std::string& why) {
            found.push_back("sector.particle-hole is not possible: " + why);
        };
        const int sites = model.lattice.sites, components = model.spin_components;
        if (c.coded_electrons)
            return refuse("it takes hops and interactions of pairs alone, and H has other terms; leave it out.");
        if (!is_fermionic(model.kind) || model.codes.coded())
            return refuse("it is that of electrons and of fermions without spin; leave it out.");
        if (c.conserved != Conserved::numbers)
            return refuse("it needs an H that conserves the number of particles of each spin; leave it out.");
        if (sites % 2 != 0)
            return refuse("it needs a particle for every second site, and " + std::to_string(sites) +
                          " sites are an odd number; leave it out.");
        if (!c.half_filled(sites))
            return refuse("it needs half filling, and there are " + particles_of(c) + " on " + std::to_string(sites) +
                          " sites; use sector.up = " + std::to_string(sites / 2) +
                          (components == 2 ? " and sector.down = " + std::to_string(sites / 2) : "") + ".");
    }
    const auto group = make_symmetry_group(c.symmetry, model);
    if (group == nullptr || c.several_sectors() || OrbitCounts::states(*group, model, {c.up, c.down, c.conserved}) > 0)
        return;
    found.push_back("No state of " + particles_of(c) +
                    " is in this sector of symmetries; sector.momentum = all lists the momenta that there are.");
}

std::string beyond_devices(const LanczosConfig& c, const Model& model) {
    if (c.symmetry.particle_hole == Parity::any || model.spin_components == 1) return "";
    return make_symmetry_group(c.symmetry, model)->has_component_signs()
               ? "in this sector of particles and holes the bit strings of one spin have signs that devices do not take"
               : "";
}

InputErrors validate(const Config& config) {
    InputErrors found;
    try {
        const ModelConfig resolved = resolve_model(config, model_limits);
        const TaskEntry& task = task_of(requested_task(config), chosen(config, "thermal.method", trace_choices));
        task.check(config, resolved, found);
        check_backend(config, resolved, found);
        check_symmetry(config, found);
        if (!found.empty()) return found;
        const int sites = make_lattice(resolved.lattice).sites;
        if (found = length_errors(config, sites); !found.empty()) return found;
        if (found = length_errors(with_other_model(config, initial_section), sites); !found.empty()) return found;
        const LanczosConfig c = resolve_config(config);
        const Model model = make_model(c);
        check_states(c, model, found);
        check_hops(config, c, model, found);
        if (config.text("backend.device") == "cuda")
            if (const std::string beyond = beyond_devices(c, model); !beyond.empty())
                found.push_back(config.cite("backend.device") + " is not possible: " + beyond + "; use auto or cpu.");
        if (task.check_sector != nullptr) task.check_sector(config, c, model, found);
    } catch (const Error& error) {
        found.emplace_back(error.what());
    }
    return found;
}

InputErrors validate_measurement(const Config& stored, const Config& now) {
    const std::string &before = stored.text("run.task"), &task = now.text("run.task");
    if (std::string other = task_without_ground_state(stored, now); !other.empty()) return {other};
    if (before != task && stored.text("backend.precision") == "certified")
        return {
            "A run with backend.precision = certified can be measured with run.task = states alone, such as with "
            "[observables] or run.cut; for run.task = " +
            task + " run the job with backend.precision = single or double."};
    if (task == "evolution" && before == task)
        for (const char* key : {"evolution.operator", "drive.operator"})
            if (std::string changed = changed_definition(stored, now, key); !changed.empty()) return {changed};
    return {};
}

}  // namespace strata::lanczos
