// SPDX-License-Identifier: BSD-3-Clause
// A sum of both Hamiltonians decides what is conserved: equal products must not cancel there.
#include "models/initial_state.hpp"

#include <algorithm>
#include <cmath>

#include "models/other_model.hpp"
#include "strata/error.hpp"
#include "strata/formatted.hpp"

namespace strata {
namespace {

using enum ValueType;
using enum KeyRole;

/// The model of [initial-model], whose sites must be those of the Hamiltonian.
ModelConfig resolve_initial_model(const Config& config, const ModelConfig& h, const ModelLimits& limits, int sites) {
    ModelConfig initial = resolve_model(with_other_model(config, initial_section), limits);
    const int own = make_lattice(initial.lattice).sites;
    if (initial.kind() != h.kind() || own != sites)
        throw Error(ExitCode::bad_input, config.cite("initial-model.terms") + " is for " + std::to_string(own) +
                                             " sites of " + name_of(initial.kind()) + "; the Hamiltonian has " +
                                             std::to_string(sites) + " sites of " + name_of(h.kind()) +
                                             ", and both must have the same.");
    return initial;
}

/// Adds the products of a sum that are not there.
void add_products(const OperatorSum& sum, OperatorSum& to) {
    for (const auto& [product, coefficient] : sum.terms())
        if (!to.terms().contains(product)) to += OperatorSum::product(sum.kind(), product, coefficient);
}

class ProductStateCheck {
  public:
    ProductStateCheck(const Config& config, const ModelConfig& model, const Filling& filling, int sites)
        : config_(config), model_(model), filling_(filling), sites_(sites) {}

    std::vector<std::string> errors(const InitialStateSpec& state) {
        const bool two = model_.components() == 2;
        const int up = count_occupied("evolution.up", state.up, model_.spins() ? std::size_t(model_.twice_spin) : 1),
                  down = two ? count_occupied("evolution.down", state.down, 1) : 0;
        if (found_.empty() && filling_.conserved == Conserved::numbers) {
            check_count("evolution.up", up, filling_.up);
            if (two) check_count("evolution.down", down, filling_.down);
        } else if (found_.empty()) {
            check_in_sector(up, down);
        }
        if (model_.projected()) check_projected(state);
        return std::move(found_);
    }

  private:
    /// Number of sites in a list; adds an error unless it names each at most `most` times.
    int count_occupied(const char* key, std::vector<std::int64_t> occupied, std::size_t most) {
        std::ranges::sort(occupied);
        bool too_often = false;
        for (std::size_t i = 0; i + most < occupied.size(); ++i)
            too_often = too_often || occupied[i] == occupied[i + most];
        if (too_often || (!occupied.empty() && occupied.back() >= sites_))
            found_.push_back(
                config_.cite(key) + " must name " + (most == 1 ? "different " : "") + "sites from 0 to " +
                std::to_string(sites_ - 1) +
                (most == 1 ? "." : ", each at most " + std::to_string(most) + " times, m + S of its spin."));
        return static_cast<int>(occupied.size());
    }
    /// Adds an error unless a list names as many sites as the sector has particles.
    void check_count(const char* key, int count, int particles) {
        if (count == 0 && particles != 0)
            found_.push_back(std::string(key) + " is not given; name the sites of the " + std::to_string(particles) +
                             (model_.spins() ? " spins up" : " particles") + " at time 0.");
        else if (count != particles)
            found_.push_back(config_.cite(key) + " names " + std::to_string(count) + " sites for " +
                             std::to_string(particles) + " particles.");
    }
    /// Adds an error if the state is in no subspace of the sector.
    void check_in_sector(int up, int down) {
        const Conserved c = filling_.conserved;
        const bool outside = (c == Conserved::particles && up + down != filling_.up) ||
                             (c == Conserved::spin && up - down != filling_.up) ||
                             (c == Conserved::parity && (up + down) % 2 != filling_.up);
        if (outside)
            found_.push_back(config_.cite("evolution.up") + (model_.components() == 2 ? " with evolution.down" : "") +
                             " is a state of " + std::to_string(up + down) +
                             (model_.spins() ? " spins up" : " particles") + "; the sector has " +
                             particles_of(model_, filling_) + ".");
    }
    /// Adds an error if two electrons are on one site that holds one.
    void check_projected(const InitialStateSpec& state) {
        for (const std::int64_t site : state.up)
            if (std::ranges::count(state.down, site) != 0)
                return found_.push_back(config_.cite("evolution.up") + " and evolution.down both name site " +
                                        std::to_string(site) +
                                        ", which holds one electron in model.type = t-j; name different sites.");
    }

    const Config& config_;
    const ModelConfig& model_;
    const Filling& filling_;
    const int sites_;
    std::vector<std::string> found_;
};

}  // namespace

Condition starts_from(InitialStateKind kind) {
    return {"evolution.start", {start_choices[static_cast<std::size_t>(kind)].word}};
}

// clang-format off
std::vector<Key> initial_state_keys(const Condition& evolution, double last_site, const std::string& note) {
    const Condition product = starts_from(InitialStateKind::product);
    return {
        Key{"evolution.start", choice, "product", "",
            "State at time 0: particles or spins up on given sites; or the ground state, in the sector, of the Hamiltonian of [initial-model], "
            "which has the values of [model] where its own are not given.", physics, 0, 0, words_of(start_choices)}
            .when({evolution}),
        Key{"evolution.up", integers, "", "sites",
            "Sites of the particles with spin up, or without spin, or of the spins up, at time 0; a spin S is named m + S times." + note,
            physics, 0, last_site}
            .when({product}),
        Key{"evolution.down", integers, "", "sites", "Sites of the particles with spin down at time 0.", physics, 0, last_site}
            .when({product, {"model.type", {"hubbard", "t-j", "terms"}}}),
        Key{"evolution.operator", text, "", "",
            "Name of an operator in [observables] that acts on the state before the evolution begins; the result is normalised.",
            physics}
            .when({evolution}),
        Key{"evolution.step", real, "0.1", "1/energy", "Time between two rows of the result.", physics, 1e-12, 1e6}
            .when({evolution}),
        Key{"evolution.steps", integer, "100", "steps", "Number of time steps.", length, 1, 1e9}
            .when({evolution}),
    };
}
// clang-format on

std::vector<Key> initial_model_keys(const ModelOffer& offer) {
    return other_model_keys(initial_section, offer, starts_from(InitialStateKind::ground_state),
                            "the Hamiltonian whose ground state an evolution begins with");
}

InitialStateSpec resolve_initial_state(const Config& config, const ModelConfig& h, const ModelLimits& limits,
                                       int sites) {
    InitialStateSpec s{chosen(config, "evolution.start", start_choices),
                       config.integers("evolution.up"),
                       config.integers("evolution.down"),
                       {},
                       config.text("evolution.operator")};
    if (has_other_model(config, initial_section)) s.model = resolve_initial_model(config, h, limits, sites);
    return s;
}

Filling resolve_filling_of_both(const Config& config, const ModelConfig& h, const LatticeModel& model,
                                const OperatorSum& others, const InitialStateSpec& initial,
                                const std::vector<OperatorSum>& further) {
    OperatorSum all = others;
    for (const OperatorSum& sum : further) add_products(sum, all);
    if (initial.model) add_products(other_terms(*initial.model, make_lattice_model(*initial.model)), all);
    try {
        return resolve_filling(config, h, model.lattice.sites, all);
    } catch (const Error& error) {
        resolve_filling(config, h, model.lattice.sites, others);  // throws if it is H that is refused
        throw Error(
            ExitCode::bad_input,
            std::string(error.what()) +
                (further.empty() ? " Here H is that of [initial-model]: the sector is one of what both "
                                   "Hamiltonians conserve."
                                 : " Here H has the terms of the job's other operators, too: the sector is one of what "
                                   "all of them conserve."));
    }
}

std::string particles_of(const ModelConfig& model, const Filling& f) {
    const std::string particles = !model.spins() ? "particles" : model.twice_spin == 1 ? "spins up" : "units of m + S";
    switch (f.conserved) {
        case Conserved::particles: return std::to_string(f.up) + " particles";
        case Conserved::spin: return "N_up - N_down = " + std::to_string(f.up);
        case Conserved::parity: return std::string(f.up == 0 ? "an even" : "an odd") + " number of " + particles;
        case Conserved::nothing: return "all numbers of " + particles;
        default: break;
    }
    if (model.components() == 2) return std::to_string(f.up) + " up and " + std::to_string(f.down) + " down particles";
    return std::to_string(f.up) + " " + particles;
}

std::vector<std::string> product_state_errors(const Config& config, const ModelConfig& model, const Filling& filling,
                                              const InitialStateSpec& state, int sites) {
    return ProductStateCheck(config, model, filling, sites).errors(state);
}

std::string task_without_ground_state(const Config& stored, const Config& now) {
    const std::string &before = stored.text("run.task"), &task = now.text("run.task");
    if (before == task || before == "states") return {};
    return "A run with run.task = " + before +
           " can be measured with that task alone; run the job with run.task = " + task + ".";
}

std::string too_few_steps(std::uint64_t steps, std::uint64_t made, bool begun) {
    const std::uint64_t needed = made + (begun ? 1 : 0);
    if (needed <= steps) return {};
    return "evolution.steps = " + std::to_string(steps) + " ends before the checkpoint, which has made " +
           std::to_string(made) + (begun ? " time steps and a part of the next one" : " time steps") + "; ask for " +
           std::to_string(needed) + " or more.";
}

std::string annihilated(const OwnObservable& op, double norm, double resolution, const char* key) {
    double magnitude = 0;
    for (const auto& [product, coefficient] : op.members[0].terms()) magnitude += std::abs(coefficient);
    if (norm > resolution * magnitude) return {};
    return formatted(
        "%s = %s takes the initial state to one of norm %.1e, which is rounding; take an operator that does not "
        "annihilate it.",
        key, op.name.c_str(), norm);
}

std::string eigenstate_error(const Config& config, const std::string& otherwise) {
    return config.cite("evolution.start") +
           " begins with an eigenstate, in which nothing moves: give values of the Hamiltonian that it is the ground "
           "state of in [initial-model]" +
           otherwise + ".";
}

}  // namespace strata
