// SPDX-License-Identifier: BSD-3-Clause
// The state that a time evolution begins with, and the times of its rows: keys of [evolution] and [initial-model], which mean
// the same in every application. The state is a product state, or the ground state of a Hamiltonian on the same sites, on
// which an operator may act.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "models/filling.hpp"
#include "models/keys.hpp"
#include "models/observables.hpp"

namespace strata {

enum class InitialStateKind { product, ground_state };
inline constexpr Choice<InitialStateKind> start_choices[] = {{"product", InitialStateKind::product},
                                                             {"ground-state", InitialStateKind::ground_state}};
/// Section of the Hamiltonian whose ground state an evolution begins with.
inline constexpr const char* initial_section = "initial-model";

/// evolution.start, up, down, operator, step and steps, where the condition `evolution` holds. `last_site`: largest number
/// of a site; `note`: a further sentence on evolution.up.
std::vector<Key> initial_state_keys(const Condition& evolution, double last_site, const std::string& note = {});
/// The keys of [initial-model].
std::vector<Key> initial_model_keys(const ModelOffer& offer);
/// The condition that evolution.start has this word.
Condition starts_from(InitialStateKind kind);

struct InitialStateSpec {
    InitialStateKind start = InitialStateKind::product;
    std::vector<std::int64_t> up = {}, down = {};  ///< occupied sites of the product state
    std::optional<ModelConfig> model = {};         ///< Hamiltonian of the initial ground state, if it is another one
    std::string op = {};                           ///< name of the operator that acts on this state, if there is one

    /// Words for the Hamiltonian of the initial ground state.
    const char* hamiltonian() const { return model ? "the Hamiltonian of [initial-model]" : "H"; }
};
/// What an evolution or a spectrum needs that begins with the ground state of a checkpoint.
inline constexpr const char* stored_ground_state_needs =
    "An evolution from the stored ground state needs evolution.start = ground-state, evolution.operator or "
    "drive.operator, "
    "and no [initial-model], whose ground state is another one.";
/// The error of a measurement with another run.task than that of the run, which must have ended with a ground state; empty
/// if there is none.
std::string task_without_ground_state(const Config& stored, const Config& now);
/// The values of these keys, for a Hamiltonian `h` on so many sites. Throws Error(bad_input) if the other one has other sites.
InitialStateSpec resolve_initial_state(const Config& config, const ModelConfig& h, const ModelLimits& limits,
                                       int sites);

/// The sector of what both Hamiltonians conserve, that of the evolution, with the terms `others`, and that of the initial
/// state; and what the sums `further` conserve. Throws as resolve_filling().
Filling resolve_filling_of_both(const Config& config, const ModelConfig& h, const LatticeModel& model,
                                const OperatorSum& others, const InitialStateSpec& initial,
                                const std::vector<OperatorSum>& further = {});

/// The particles of a sector, e.g. "3 up and 2 down particles".
std::string particles_of(const ModelConfig& model, const Filling& filling);
/// Errors of a product state: it must be one of the sites, of the states that a site has, and of the sector.
std::vector<std::string> product_state_errors(const Config& config, const ModelConfig& model, const Filling& filling,
                                              const InitialStateSpec& state, int sites);
/// The error of a resumed evolution that has made `made` of the job's `steps` time steps and, if `begun`, a part of another
/// one; empty if the job has as many.
std::string too_few_steps(std::uint64_t steps, std::uint64_t made, bool begun);
/// The error of an operator that takes the initial state to one of this norm, if that is rounding; empty if it is not.
/// `resolution`: smallest norm that counts, in units of the sum of the magnitudes of the operator's coefficients. `key`: that
/// which gives the operator.
std::string annihilated(const OwnObservable& op, double norm, double resolution = 1e-6,
                        const char* key = "evolution.operator");
/// The error of an evolution of an eigenstate.
std::string eigenstate_error(const Config& config, const std::string& otherwise);

}  // namespace strata
