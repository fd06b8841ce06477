// SPDX-License-Identifier: BSD-3-Clause
// Steps of the search, then one multiplication for each state; observables are measured on states of the lowest energy.
// The row of the task `states`, of which the class is one part and GroundState the other.
#include "lanczos/run/lowest_states.hpp"

#include <algorithm>
#include <cmath>

#include "comm/collectives.hpp"
#include "krylov/lowest_states_report.hpp"
#include "lanczos/run/ground_state.hpp"
#include "lanczos/run/sector_search.hpp"
#include "lanczos/run/sector_traces.hpp"
#include "lanczos/state/memory.hpp"

namespace strata::lanczos {
namespace {

krylov::LowestStatesOptions solver_options(const LanczosConfig& c) {
    return {.n_states = c.states,
            .block = c.block,
            .max_basis = c.basis,
            .max_steps = c.max_steps,
            .tolerance = c.tolerance};
}

void check_search(const Config& config, const ModelConfig&, InputErrors& found) {
    if (!config.boolean("run.vectors"))
        for (const char* key : {"run.density-matrix", "run.degeneracy"})
            if (config.given(key) && config.boolean(key))
                found.push_back(config.cite("run.vectors") + " leaves no ground state, which " + key + " = yes needs.");
    const std::int64_t states = config.integer("run.states"), basis = config.integer("run.basis"),
                       least = states + 2 * config.integer("run.block") + 2;
    if (basis != 0 && basis < least)
        found.push_back(config.cite("run.basis") + " is too small; " + std::to_string(least) +
                        " is the least for so many states and start vectors.");
    const SymmetryRequest request = symmetry_request(config);
    check_all_numbers(config, found);
    if (config.text("sector.numbers") == "all")
        for (const auto& [key, wrong] : {std::pair("run.states", states > 1),
                                         std::pair("run.density-matrix", config.boolean("run.density-matrix"))})
            if (wrong)
                found.push_back(config.cite(key) +
                                " is not possible with sector.numbers = all, which finds the lowest state of every "
                                "sector; give the numbers of one.");
    if (request.several() && states > 1)
        found.push_back(config.cite("run.states") +
                        " is not possible with sector.momentum = " + config.text("sector.momentum") +
                        ", which finds the lowest state of every momentum; give one momentum.");
    if (request.momenta == Momenta::all && config.boolean("run.density-matrix"))
        found.push_back(config.cite("run.density-matrix") +
                        " is not possible with sector.momentum = all; take auto or one momentum.");
}

/// Two passes of projection and subtraction in each step; a restart rotates all vectors to those that it keeps.
TaskSize size_of_states(const LanczosPlan& plan, std::uint64_t sectors) {
    const LanczosConfig& c = plan.config();
    const std::uint64_t means = c.vectors ? means_steps(plan) + elements_steps(plan) : 0;
    const Recording recording = {.rows = std::max<std::uint64_t>(1, sectors) * c.max_steps,
                                 .columns = std::max<std::uint64_t>(4, c.states + 1),
                                 .key = "run.max-steps",
                                 .value = c.max_steps};
    if (c.states == 1) {  // the ground state, and another pair of vectors for the density matrix
        const std::uint64_t state = c.vectors ? 1 : 0, pair = c.density_matrix || means > 0 ? 2 : 0;
        const StepCounts steps = ground_state_steps(plan);
        const std::uint64_t searches = c.fidelity.model ? 2 : 1;
        return {searches * state + pair,
                {searches * steps.most + means, searches * steps.usually + means},
                {1, static_cast<double>(state), step_overhead},
                recording};
    }
    constexpr double basis_overhead = 4e-8;  // seconds of small eigenvalue problems of n vectors, per n^3
    const std::uint64_t vectors = LowestStates::basis_size(plan);
    const auto most = static_cast<double>(vectors), states = static_cast<double>(c.states),
               kept = std::min(most - 1, states + std::floor((most - states) / 2)), mean = (kept + most) / 2;
    const double restarts = plan.dimension() <= most ? 0 : 1 / (most - kept),
                 examined = c.vectors ? std::min(states, plan.dimension()) : 0,
                 measured = examined * static_cast<double>(means);
    return {
        vectors + (means > 0 ? 2 : 0),
        {c.max_steps + c.states * (1 + means), whole_steps(usual_search(plan, 6 + 5 * states) + examined + measured)},
        {4 * mean + restarts * kept * most, 4 * mean + restarts * (kept + most) + 3,
         step_overhead + basis_overhead * std::pow(mean, 3)},
        recording};
}

MemoryItems memory_of_states(const LanczosPlan& plan, int rank, BackendKind backend, std::uint64_t sectors) {
    constexpr std::uint64_t matrices = 5;
    const std::uint64_t n = size_of_states(plan, sectors).vectors;
    MemoryItems items = {buffer_memory(plan, rank, backend), orthogonalisation_memory(plan, rank, n, backend)};
    if (plan.config().states > 1)
        items.push_back({"projected matrix", matrices * sizeof(Complex) * n * n});
    else if (const std::size_t kept = kept_vectors(plan, backend); kept > 0)
        items.push_back({"kept Lanczos vectors", kept * plan.vector_bytes(rank)});
    if (plan.config().density_matrix) items.push_back(density_matrix_memory(plan, backend));
    for (MemoryPrediction::Item& item : means_memory(plan, backend)) items.push_back(std::move(item));
    for (MemoryPrediction::Item& item : entanglement_memory(plan, rank, backend)) items.push_back(std::move(item));
    return items;
}

std::unique_ptr<Application> make_states(const LanczosPlan& plan, const MakeHamiltonian& make) {
    if (plan.config().states > 1) return std::make_unique<LowestStates>(plan, make);
    return std::make_unique<GroundState>(plan, make);
}

/// Adds errors of [observables] and of the density matrix.
void check_observed_states(const Config& config, const LanczosConfig& c, const Model& model, InputErrors& found) {
    if (c.density_matrix && model.codes.coded())
        found.push_back(config.cite("run.density-matrix") +
                        " is not possible for sites with other states than those of particles; give its operators in "
                        "[observables], e.g. 'c = 1 cdag_up {i} c_up {j}'.");
    if (!c.observables.source.empty() && !c.vectors)
        found.push_back(cite_observables(config) + " needs the states, which run.vectors = no leaves out.");
    check_observables(config, c, found);
    check_elements(config, c, found);
    check_cut(config, c, model, found);
    check_fidelity(config, c, model, found);
}

}  // namespace

const TaskEntry states_task = {
    .task = Task::states,
    .samples = {"run.density-matrix=yes fidelity.parameter=u",
                "run.states=3 run.cut=0 observables.own=1i cdag_up 0 c_up 1 run.matrix-elements=own",
                "sector.momentum=all run.degeneracy=no",
                "sector.numbers=all sector.up= sector.down=", "observables.own=1i cdag_up {i} c_up {j}"},
    .check = check_search,
    .check_sector = check_observed_states,
    .size = size_of_states,
    .memory = memory_of_states,
    .other_operators = fidelity_operator,
    .make = make_states,
    .make_sequence = make_as<SectorSearch>};

std::uint64_t LowestStates::basis_size(const LanczosPlan& plan) {
    return krylov::LowestStatesSolver::max_basis(solver_options(plan.config()), plan.dimension());
}

LowestStates::LowestStates(const LanczosPlan& plan, const MakeHamiltonian& make)
    : LanczosTask(plan, make),
      solver_(hamiltonian_, solver_options(plan_.config()), timers_),
      n_states_(solver_.n_states()),
      columns_(krylov::search_columns(solver_)),
      pairs_(std::make_unique<PairOccupations>()),
      measured_(std::make_unique<PairOccupations>()),
      entanglement_(plan_, timers_, n_states_),
      means_(plan_, make, timers_, n_states_),
      elements_(plan_, means_, n_states_) {}

void LowestStates::allocate() {
    hamiltonian_.allocate();
    solver_.allocate();
}

void LowestStates::initialise() {
    solver_.initialise();
    *pairs_ = PairOccupations();
    entanglement_.initialise();
    means_.initialise();
    elements_.initialise();
}

std::vector<DistributedArray> LowestStates::state() {
    std::vector<DistributedArray> arrays;
    solver_.add_basis(arrays);
    Record numbers("numbers");
    solver_.add_fields(numbers);
    pairs_->add_fields(numbers);
    entanglement_.add_fields(numbers);
    means_.add_fields(numbers);
    elements_.add_fields(numbers);
    arrays.push_back(numbers.array());
    solver_.add_matrices(arrays);
    return arrays;
}

std::vector<DistributedArray> LowestStates::final_state(const std::vector<ArrayShape>& stored) {
    if (std::ranges::count(stored, std::string("numbers"), &ArrayShape::name) == 0)
        throw CollectiveError(
            ExitCode::bad_input,
            "The checkpoint holds no states of a search for several (run.task = states with run.states "
            "> 1), with which this measurement begins.");
    initialise();
    std::vector<DistributedArray> arrays;
    solver_.add_basis(arrays);
    Record numbers("numbers");
    solver_.add_fields(numbers);
    pairs_->add_fields(numbers);
    arrays.push_back(numbers.array());
    solver_.add_matrices(arrays);
    return arrays;
}

std::optional<std::uint64_t> LowestStates::begin_with_final_state(std::uint64_t) {
    if (!solver_.found())
        return solver_.steps() < solver_.search_steps() ? std::nullopt : std::optional(solver_.steps());
    if (solver_.examined() < n_states_) return {};
    for (std::size_t i = 0; i < n_states_; ++i) entanglement_.measure(hamiltonian_, solver_.vector(i));
    return solver_.search_steps() + n_states_;
}

std::uint64_t LowestStates::total_steps() const {
    const bool examines = solver_.found() && plan_.config().vectors;
    return solver_.search_steps() + (examines ? n_states_ + means_.total_steps() + elements_.total_steps() : 0);
}

void LowestStates::step(std::uint64_t step) {
    if (step < solver_.search_steps()) return solver_.step();
    const std::size_t i = step - solver_.search_steps();
    if (i >= n_states_) {
        const Timers::Scope scope = timers_.scope("observables");
        if (means_.complete()) return elements_.step(solver_, hamiltonian_.space(), hamiltonian_.w());
        return means_.step(solver_.vector(means_.next_state()));
    }
    solver_.examine(i);
    const Timers::Scope scope = timers_.scope("observables");
    entanglement_.measure(hamiltonian_, solver_.vector(i));
    if (i >= solver_.multiplicity()) return;
    measure(hamiltonian_, solver_.vector(i), *measured_);
    pairs_->add(*measured_);
}

bool LowestStates::converged() const {
    const bool known = solver_.examined() == n_states_ && solver_.max_residual() <= solver_.tolerance();
    return solver_.found() && (!plan_.config().vectors || known);
}

void LowestStates::observe(std::vector<double>& rows) { krylov::append_search_row(solver_, rows); }

std::string LowestStates::log_line(std::span<const double> row) const {
    return search_line(solver_.steps(), row[0], row.back(), solver_.found());
}

std::string LowestStates::shortfall() const {
    if (converged() || plan_.config().allow_unconverged) return {};
    return krylov::search_shortfall(solver_, "run.max-steps", plan_.config().precision);
}

std::string LowestStates::remark() const {
    const std::string on_multiplet = multiplet_remark(), on_means = means_remark();
    return of_sector(on_multiplet + (on_multiplet.empty() || on_means.empty() ? "" : " ") + on_means);
}

bool LowestStates::gives_means() const {
    return means_.operators().width() > 0 && solver_.examined() == n_states_ && means_.complete();
}

std::string LowestStates::means_remark() const {
    if (!gives_means()) return {};
    const std::vector<krylov::ComputedLevel> levels = solver_.levels();
    return std::ranges::all_of(levels, [](const krylov::ComputedLevel& level) { return level.resolved; })
               ? ""
               : "Values of [observables] are nan for states of levels that are not known to be complete, such as "
                 "the last one, or not resolved from others. More run.states, or a smaller run.tolerance, give more.";
}

std::string LowestStates::multiplet_remark() const {
    if (!plan_.config().vectors) return "Without run.vectors the true residuals are not known, only their estimates.";
    if (!solver_.found()) return {};
    if (solver_.may_be_more())
        return "There may be further states of the lowest energy: what depends on their mixture is not given. Ask for "
               "more run.states.";
    if (solver_.unresolved())
        return unresolved_remark(solver_.max_residual(),
                                 " A smaller run.tolerance resolves more, as far as rounding allows.");
    if (solver_.multiplicity() > 1)
        return "Expectation values are averages over the " + std::to_string(solver_.multiplicity()) +
               " degenerate states of the lowest energy.";
    return {};
}

std::vector<Quantity> LowestStates::results(const Series& series) const {
    if (series.rows() == 0) return {};
    const std::vector<double> energies = solver_.energies();
    std::vector<Quantity> q = {{"energy", "energy", "of the lowest state, total", {energies[0]}}};
    constexpr std::size_t shown = 16;  // energies with a quantity of their own; the list has all
    for (std::size_t i = 1; i < std::min(shown, n_states_); ++i)
        q.push_back({"energy-" + std::to_string(i), "energy", "of the next state", {energies[i]}});
    q.push_back(
        Quantity{"energies", "energy", "of all requested states, each as often as it is degenerate", energies}.over(
            "state"));
    krylov::append_degeneracy(solver_, q);
    if (!solver_.whole_space() || n_states_ < static_cast<std::size_t>(plan_.dimension()))
        q.push_back({"next-energy",
                     "energy",
                     "roughly, of the first state beyond",
                     {std::max(solver_.next_energy(), energies.back())}});
    const bool examined = plan_.config().vectors && solver_.examined() == n_states_;
    const std::string name = examined ? "residual" : "residual-estimate";
    q.push_back(Quantity{name + "s", "energy", "norms of H x - E x", solver_.residuals()}.over("state"));
    q.push_back({name, "energy", "the largest of them", {solver_.max_residual()}});
    q.push_back({"steps", "1", "multiplications by H", {static_cast<double>(solver_.steps())}});
    if (plan_.config().vectors)
        q.push_back({"converged", "1", "1: all true residuals are below run.tolerance", {converged() ? 1.0 : 0.0}});
    if (examined)
        for (Quantity& of_cut : entanglement_.results(solver_.levels())) q.push_back(std::move(of_cut));
    if (gives_means())
        for (Quantity& mean : means_.results(solver_.levels())) q.push_back(std::move(mean));
    if (examined)
        for (Quantity& more : elements_.results(solver_.levels())) q.push_back(std::move(more));
    if (!examined || solver_.may_be_more() || solver_.unresolved()) return q;
    for (Quantity& correlation : correlation_results(plan_, pairs_->mean())) q.push_back(std::move(correlation));
    return q;
}

}  // namespace strata::lanczos
