// SPDX-License-Identifier: BSD-3-Clause
// The Hamiltonian of the initial ground state is a second operator on the same vectors, with tables and a working pair of
// its own. Its ground state stays in memory and in checkpoints, so that a resumed run computes the initial state again.
#include "lanczos/run/initial_state.hpp"

#include <algorithm>
#include <cmath>

#include "comm/collectives.hpp"
#include "lanczos/physics/characters.hpp"
#include "lanczos/physics/make_model.hpp"
#include "lanczos/physics/orbits.hpp"
#include "lanczos/physics/symmetries.hpp"
#include "lanczos/run/entanglement.hpp"
#include "lanczos/run/ground_state_report.hpp"
#include "lanczos/run/operators.hpp"
#include "lanczos/run/symmetric_sums.hpp"
#include "lanczos/run/validation.hpp"
#include "lanczos/state/memory.hpp"
#include "strata/formatted.hpp"

namespace strata::lanczos {
namespace {

/// Names of the memory of the initial Hamiltonian end with this.
constexpr const char* initial_suffix = " of the initial Hamiltonian";

bool needs_ground_state(const LanczosConfig& c) { return c.evolution.initial.start == InitialStateKind::ground_state; }

/// The bit strings of the product state, of rows and columns; of coded sites one of all sites (Sector::occupied).
std::pair<std::uint64_t, std::uint64_t> first_strings(const LanczosConfig& c, const SiteCodes& codes) {
    if (!codes.coded()) return {bit_string(c.evolution.initial.up), bit_string(c.evolution.initial.down)};
    std::uint64_t all = 0;
    for (const std::int64_t site : c.evolution.initial.up)
        if (c.spins()) {  // the code of the next level
            const std::int64_t first = site * codes.bits;
            all |= ((all >> first << 1 | 1) & ((std::uint64_t{1} << codes.bits) - 1)) << first;
        }
    if (c.spins()) return {all, 0};
    for (const std::int64_t site : c.evolution.initial.up) all |= std::uint64_t{2} << (site * codes.bits);
    for (const std::int64_t site : c.evolution.initial.down) all |= std::uint64_t{1} << (site * codes.bits);
    return {all, 0};
}

/// The product state must have a component in the sector.
void check_product(const Config& config, const LanczosConfig& c, const Model& model, InputErrors& found) {
    for (std::string& error :
         product_state_errors(config, c, {c.up, c.down, c.conserved}, c.evolution.initial, model.lattice.sites))
        found.push_back(std::move(error));
    if (!found.empty() || product_weight(c, model) > 0) return;
    found.push_back(
        "The state of evolution.up and evolution.down has no part in this sector: symmetries that leave it unchanged "
        "have other factors there. Take another sector.momentum, or other sites.");
}

}  // namespace

void check_other_model(const LanczosConfig& c, const LanczosConfig& of_other, const Model& model,
                       const std::string& subject, InputErrors& found) {
    const Model other = make_model(of_other);
    InputErrors of_it;
    try {
        check_states(of_other, other, of_it);
        const auto group = make_symmetry_group(c.symmetry, model), same = make_symmetry_group(c.symmetry, other);
        if (of_it.empty() && group != nullptr && !are_equal(*group, *same))
            of_it.emplace_back(
                "Its symmetries of these names are other operations than those of the Hamiltonian, e.g. about another "
                "centre; leave the keys of the symmetries out.");
    } catch (const Error& error) {
        of_it.emplace_back(error.what());
    }
    for (const std::string& error : of_it)
        found.push_back(subject + " does not go with the sector of symmetries. " + error);
}

namespace {

void check_ground_state(const Config& config, const LanczosConfig& c, const Model& model, InputErrors& found) {
    if (c.evolution.initial.model) return check_other_model(c, initial_config(c), model, "[initial-model]", found);
    if (c.evolution.op.empty() && c.drive.operators.empty())
        found.push_back(eigenstate_error(config, ", or evolution.operator, or drive.operator"));
}

void check_operator(const Config& config, const LanczosConfig& c, const Model& model, InputErrors& found) {
    constexpr const char* key = "evolution.operator";
    if (c.evolution.op.empty()) return;
    if (c.observables.source.empty()) return found.push_back(config.cite(key) + needs_definition(c.evolution.op));
    const std::vector<OwnObservable> all = operators_of(c);
    const OwnObservable* one = nullptr;
    try {
        one = &named_operator(config, key, c.evolution.op, all, c.observables.source);
    } catch (const Error& error) {
        found.emplace_back(error.what());
        return;
    }
    if (const std::string missing = missing_sector(config.cite(key), c, one->change); !missing.empty())
        found.push_back(missing);
    if (one->members[0].empty())
        found.push_back(config.cite(key) + " is 0: its terms in " + c.observables.source +
                        " cancel or vanish on every state.");
    else if (c.symmetry.any() && group_of_job(c, model) == nullptr)
        found.push_back(config.cite(key) +
                        " is not possible in this sector: a symmetry changes it into another operator. Leave the "
                        "keys of symmetries out, or sum it over the sites that they map to each other.");
}

/// Whether evolution.operator leads to another sector: of other numbers, or perhaps of another character.
bool changes_sector(const LanczosConfig& c) {
    return c.evolution.change != FillingChange{} || (c.symmetry.any() && !c.evolution.op.empty());
}

/// Null if the initial state is one of the Hamiltonian and the sector of the evolution.
std::unique_ptr<const LanczosPlan> initial_plan(const LanczosPlan& plan) {
    const LanczosConfig& c = plan.config();
    const auto [up, down] = c.evolution.change;
    if (!c.evolution.initial.model && !changes_sector(c)) return nullptr;
    const Filling from = changed({c.up, c.down, c.conserved}, {-up, -down});
    const LanczosPlan before =
        changes_sector(c) ? plan.in_sector(from.up, from.down, make_symmetry_group(c.symmetry, plan.model())) : plan;
    if (!c.evolution.initial.model) return std::make_unique<const LanczosPlan>(before);
    return std::make_unique<const LanczosPlan>(before.for_model(make_model(initial_config(before.config()))));
}

/// The operator that leads from the initial state to the sector of the evolution.
OwnObservable leading_operator(const LanczosPlan& plan) {
    const std::vector<OwnObservable> all = operators_of(plan.config());
    return *std::ranges::find(all, plan.config().evolution.op, &OwnObservable::name);
}

}  // namespace

double product_weight(const LanczosConfig& c, const Model& model) {
    const auto group = make_symmetry_group(c.symmetry, model);
    if (group == nullptr) return 1;
    const auto [up, down] = first_strings(c, model.codes);
    return projected_square(*group, model.statistics(), model.spin_components, up, down);
}

void check_initial_state(const Config& config, const LanczosConfig& c, const Model& model, InputErrors& found) {
    check_observables(config, c, found);
    check_cut(config, c, model, found);
    check_operator(config, c, model, found);
    if (needs_ground_state(c)) return check_ground_state(config, c, model, found);
    check_product(config, c, model, found);
}

std::vector<OtherOperator> initial_operator(const LanczosPlan& plan) {
    const auto other = initial_plan(plan);
    if (other == nullptr) return {};
    return {{*other, initial_suffix}};
}

StepCounts initial_steps(const LanczosPlan& plan) {
    if (!needs_ground_state(plan.config())) return {};
    const std::vector<OtherOperator> other = initial_operator(plan);
    return ground_state_steps(other.empty() ? plan : other[0].plan);
}

std::uint64_t initial_bytes(const LanczosPlan& plan, int rank, BackendKind backend) {
    if (!changes_sector(plan.config())) return 0;
    const auto before = initial_plan(plan);
    const OperatorSum sum = leading_operator(plan).members[0];
    const std::uint64_t tables = plan.counts().symmetric() ? SymmetricSum::bytes(sum, *before, plan, rank)
                                                           : ChargedSum::bytes(*before, plan, sum, backend);
    return tables + before->vector_bytes(rank);
}

InitialState::InitialState(const LanczosPlan& plan, HamiltonianOperator& hamiltonian, OperatorMeans& observables,
                           const MakeHamiltonian& make, Timers& timers)
    : plan_(plan),
      hamiltonian_(hamiltonian),
      observables_(observables),
      make_(make),
      timers_(timers),
      other_plan_(initial_plan(plan)),
      other_(other_plan_ == nullptr ? nullptr : make(*other_plan_, timers)) {
    if (needs_ground_state(plan.config()))
        solver_ =
            std::make_unique<krylov::GroundStateSolver>(searched(), ground_state_options(plan.config(), 1), timers);
}

std::string InitialState::description() const {
    const std::string& op = plan_.config().evolution.op;
    const std::string state = solver_ == nullptr                        ? "a product state"
                              : !plan_.config().evolution.initial.model ? "the ground state"
                                                                        : "the ground state of the Hamiltonian of "
                                                                          "[initial-model]";
    return "from " + (op.empty() ? "" : op + " on ") + state;
}

void InitialState::add_memory(MemoryPrediction& memory) const {
    if (other_ != nullptr) memory.add(other_->memory(0), initial_suffix);
}

void InitialState::allocate() {
    if (other_ != nullptr) other_->allocate();
    if (solver_ != nullptr) solver_->allocate();
}

void InitialState::initialise() {
    if (solver_ != nullptr) solver_->initialise();
}

void InitialState::add_state(std::vector<DistributedArray>& arrays) {
    if (solver_ == nullptr) return;
    add_working_pair(searched(), "initial-", arrays);
    solver_->add_state(arrays);
}

void InitialState::add_final_state(const std::vector<ArrayShape>& stored, std::vector<DistributedArray>& arrays) {
    if (solver_ == nullptr || plan_.config().evolution.initial.model)
        throw CollectiveError(ExitCode::bad_input, stored_ground_state_needs);
    lanczos::add_final_state(*solver_, stored, arrays);
}

bool InitialState::exists() const {
    if (solver_ == nullptr) return true;
    return found() && solver_->states() > 0 && solver_->degeneracy() != krylov::Degeneracy::lower &&
           (solver_->converged() || plan_.config().allow_unconverged);
}

void InitialState::set(DistributedVector& out) {
    const LanczosConfig::Evolution& e = plan_.config().evolution;
    const auto [up, down] = first_strings(plan_.config(), plan_.model().codes);
    if (e.op.empty()) {
        if (solver_ == nullptr) return set_state(hamiltonian_, up, down, out);
        return hamiltonian_.space().copy(solver_->vector(0), out);
    }
    if (solver_ == nullptr) set_state(searched(), up, down, searched().w());
    apply_operator(solver_ == nullptr ? searched().w() : solver_->vector(0), out);
}

void InitialState::apply_operator(const DistributedVector& x, DistributedVector& out) {
    const std::vector<OwnObservable> all = operators_of(plan_.config());
    const OwnObservable& op = *std::ranges::find(all, plan_.config().evolution.op, &OwnObservable::name);
    if (plan_.counts().symmetric())
        SymmetricSum(op.members[0], *other_, hamiltonian_).apply(x, out);
    else if (op.change == FillingChange{})
        observables_.apply_observable(static_cast<std::size_t>(&op - all.data()), x, hamiltonian_.space(), out);
    else
        ChargedSum(*other_plan_, plan_, op.members[0], make_, timers_).apply(*other_, x, hamiltonian_, out);
    norm_ = hamiltonian_.space().norm(out);
    const double digits = plan_.config().precision == Precision::single ? 1e-3 : 1e-6;
    if (const std::string error = annihilated(op, norm_, digits); !error.empty())
        throw CollectiveError(ExitCode::bad_input, error);
    hamiltonian_.space().axpby(1 / norm_, out, 0, out, out);
}

std::string InitialState::shortfall() const {
    if (solver_ == nullptr || exists()) return {};
    const std::string why = ground_state_shortfall(*solver_, plan_.config());
    return why.empty() ? why : "The evolution has no initial state. " + why;
}

std::string InitialState::remark() const {
    using enum krylov::Degeneracy;
    if (solver_ == nullptr || !found()) return {};
    if (!exists())  // a shortfall unless the job allows it
        return plan_.config().allow_unconverged
                   ? "The initial state has not converged, and nothing was computed in time: allow more steps with "
                     "run.max-steps."
                   : "";
    const std::string unconverged =
        solver_->converged() ? ""
                             : formatted("The initial state has the residual %.1e, above run.tolerance (%.1e). ",
                                         solver_->residual(), solver_->tolerance());
    switch (solver_->degeneracy()) {
        case complete: return unconverged;
        case more:
            return unconverged +
                   "The ground state of the initial Hamiltonian is degenerate: the evolution is that of one of its "
                   "states, which depends on run.seed.";
        case unresolved:
            return unconverged +
                   "Levels nearer to the initial ground state than its residual cannot be told apart: "
                   "the initial state may be a mixture, which depends on run.seed.";
        default:
            return unconverged +
                   "Whether the ground state of the initial Hamiltonian is degenerate is not known; if "
                   "it is, the evolution depends on run.seed.";
    }
}

void InitialState::add_results(std::vector<Quantity>& q) const {
    if (solver_ != nullptr && solver_->iterations() > 0) {
        q.push_back({"initial-energy",
                     "energy",
                     "lowest one, total, of the Hamiltonian whose ground state is the initial state",
                     {solver_->energy()}});
        if (solver_->states() > 0)
            q.push_back({"initial-residual",
                         "energy",
                         "norm of H x - E x of the initial ground state, by multiplication",
                         {solver_->residual()}});
        else
            q.push_back({"initial-residual-estimate",
                         "energy",
                         "the same from the recurrence",
                         {solver_->residual_estimate()}});
    }
    if (!plan_.config().evolution.op.empty() && norm_ > 0)
        q.push_back({"initial-norm", "1", "of evolution.operator on the initial state, before normalisation", {norm_}});
}

}  // namespace strata::lanczos
