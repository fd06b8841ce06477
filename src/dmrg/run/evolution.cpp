// SPDX-License-Identifier: BSD-3-Clause
// The steps of a time evolution: first those of the search for the initial state, then for every row the sweeps of the
// evolution and those of the second one.
#include "dmrg/run/evolution.hpp"

#include <algorithm>
#include <cmath>

#include "comm/collectives.hpp"
#include "dmrg/run/apply_operator.hpp"
#include "dmrg/run/complex_state.hpp"
#include "strata/error.hpp"
#include "strata/formatted.hpp"

namespace strata::dmrg {
namespace {

/// Largest norm of the error of an exponential at a bond, relative to the state; there are thousands in a run.
constexpr double exponential_tolerance = 1e-10;

/// States of the sites of a product state, which are numbered by occupation: up + 2 down of electrons, m + S of spins.
std::vector<std::size_t> product_of(const Model& model, const InitialStateSpec& spec) {
    std::vector<std::size_t> states(static_cast<std::size_t>(model.sites));
    for (const std::int64_t site : spec.up) ++states[static_cast<std::size_t>(site)];
    for (const std::int64_t site : spec.down) states[static_cast<std::size_t>(site)] += 2;
    return states;
}

std::vector<std::string> description_of_evolution(const DmrgPlan& plan) {
    const EvolutionSettings& e = plan.config().evolution;
    std::vector<std::string> lines = {
        formatted("time evolution in %llu time steps of %g, each of %llu sweeps of the two-site "
                  "time-dependent variational principle, M up to %llu",
                  static_cast<unsigned long long>(e.steps), e.step, static_cast<unsigned long long>(e.sweeps),
                  static_cast<unsigned long long>(e.max_states)),
        e.initial.start == InitialStateKind::product
            ? "initial state: a product state"
            : formatted("initial state: the ground state of %s, by two-site DMRG", e.initial.hamiltonian())};
    std::ranges::copy(described(e.drive), std::back_inserter(lines));
    return lines;
}

std::uint64_t steps_of_evolution(const DmrgPlan& plan) {
    const EvolutionSettings& e = plan.config().evolution;
    return (e.initial.start == InitialStateKind::product ? 0 : plan.steps_of_search()) +
           e.steps * plan.bonds_per_sweep() * (e.sweeps + (e.estimates_error ? e.sweeps / 2 : 0));
}

Recording recording_of_evolution(const DmrgPlan& plan) {
    const std::uint64_t steps = plan.config().evolution.steps;
    return {.rows = steps + 1,
            .columns = Evolution::columns_of(plan.config()).size(),
            .key = "evolution.steps",
            .value = steps};
}

}  // namespace

const TaskEntry evolution_task = {
    .task = Task::evolution,
    .samples = {"run.task=evolution evolution.up=0,2 evolution.down=1,3 evolution.steps=2",
                "run.task=evolution evolution.start=ground-state initial-model.u=2 evolution.steps=2 "
                "evolution.operator=kick observables.kick=1 n 0 drive.operator=kick drive.factor=cos 0 0.5 2 0"},
    .description = description_of_evolution,
    .steps = steps_of_evolution,
    .recording = recording_of_evolution,
    .make = make_as<Evolution>};

Evolution::Evolution(const Communicator& comm, const DmrgPlan& plan, const superblock::MakeOperator& make)
    : Evolution(comm, plan, make, columns_of(plan.config())) {}

Evolution::Evolution(const Communicator& comm, const DmrgPlan& plan, const superblock::MakeOperator& make,
                     std::vector<Column> columns)
    : plan_(plan),
      evolutions_(comm, model(), Algebra(plan.config().simd, plan.threads()), make, timers_,
                  settings().estimates_error),
      comm_(comm),
      columns_(std::move(columns)) {
    if (settings().initial.start == InitialStateKind::ground_state)
        search_ = std::make_unique<Dmrg>(comm, plan_.of_search(), make);
}

void Evolution::allocate() {
    if (search_) search_->allocate();
    evolutions_.use_disk(plan_.config().scratch_directory);
}

void Evolution::initialise() {
    s_ = {};
    if (search_) return search_->initialise();
    begin(nullptr);
}

/// Both evolutions begin with the state of these tensors, whose centre is at bond 0, or with the product state.
void Evolution::begin(const std::vector<SiteTensor>* tensors) {
    const Model& before = settings().initial_model;
    ChainState first(before, fine().algebra()), moved(model(), fine().algebra());
    if (tensors != nullptr)
        first.set_tensors(*tensors);
    else
        first.begin_product(product_of(before, settings().initial));
    if (before.complex && !first.is_complex()) make_complex(comm_, fine().algebra(), timers_, first);
    if (settings().op)
        s_.initial_norm = apply_operator(comm_, *settings().op, fine().algebra(), timers_, first, moved,
                                         keeps_ground_state() ? "spectrum.operator" : "evolution.operator");
    const ChainState& chain = settings().op ? moved : first;
    const ChainState& kept = keeps_ground_state() ? first : chain;
    if (is_stored()) packed_first_ = PackedState::of(kept);
    set_first_state(kept);
    s_.rows_due = 1;
    evolutions_.for_all([&](Tdvp& t, bool coarse) {
        t.chain().set_tensors(chain.tensors());
        t.tensors_were_set(Direction::left);
        if (chain.is_complex())
            t.chain().set_complex(0, chain.tensors()[0], chain.imaginary());
        else
            t.chain().become_complex(0);
        const double weight = t.grow_bases(tdvp_settings(coarse, 0));
        if (!coarse) s_.kept = weight;
    });
}

void Evolution::end_search(std::uint64_t steps) {
    s_.search_steps = steps;
    s_.searched_well = search_->shortfall().empty() ? 1 : 0;
    s_.starts_mixed = search_->is_mixture() ? 1 : 0;
    const auto [energy, error] = search_->ground_energy();
    s_.search_energy = energy;
    s_.search_error = error;
    for (const Timers::Phase& phase : search_->timers().phases()) timers_.add(phase.name, phase.seconds);
    begin(&search_->chain().tensors());
    search_.reset();
}

std::uint64_t Evolution::bonds_per_row(bool coarse) const {
    if (!coarse) return settings().sweeps * bonds_per_sweep();
    return evolutions_.has_coarse() ? settings().sweeps / 2 * bonds_per_sweep() : 0;
}

TdvpSettings Evolution::tdvp_settings(bool coarse, std::uint64_t bond) const {
    const EvolutionSettings& e = settings();
    TdvpSettings s;
    s.direction = place_of(bond).direction;
    s.time = 0.5 * e.step / static_cast<double>(e.sweeps) * (coarse ? 2 : 1);
    const double begin = time() + static_cast<double>(2 * bond / bonds_per_sweep()) * s.time, end = begin + s.time;
    for (const DrivenOperator& v : e.driven) {
        s.factors.push_back(v.factor.mean(begin, end));
        s.largest_factors.push_back(v.factor.bound(0, end));
    }
    s.truncation = evolutions_.truncation(e.max_states, e.cutoff, s.time, coarse, s.largest_factors);
    s.exponential = {krylov_dimension, exponential_tolerance};
    return s;
}

std::uint64_t Evolution::total_steps() const {
    const std::uint64_t of_row = bonds_per_row(false) + bonds_per_row(true);
    return (search_ ? search_->total_steps() : s_.search_steps) + settings().steps * of_row;
}

void Evolution::prepare_step(std::uint64_t step) {
    if (search_) return search_->prepare_step(step);
    evolutions_.prepare(is_coarse(s_.bonds), place_of(s_.bonds).bond);
}

void Evolution::step(std::uint64_t step) {
    if (search_) {
        search_->step(step);
        if (search_->total_steps() == step + 1) end_search(step + 1);
        return;
    }
    const bool coarse = is_coarse(s_.bonds);
    const std::uint64_t bond = s_.bonds - (coarse ? bonds_per_row(false) : 0);
    const TdvpResult r = evolutions_.of(coarse).update(place_of(bond).bond, tdvp_settings(coarse, bond));
    if (!coarse) {
        s_.kept *= 1 - r.discarded;
        s_.krylov_error += r.error;
        s_.states = s_.bonds == 0 ? r.states : std::max(s_.states, r.states);
    }
    if (++s_.bonds < bonds_per_row(false) + bonds_per_row(true)) return;
    s_.bonds = 0;
    ++s_.rows_due;
}

bool Evolution::ends_part(std::uint64_t step) const { return search_ ? search_->ends_part(step) : s_.bonds == 0; }

Outlook Evolution::outlook() const {
    if (search_) {
        Outlook o = search_->outlook();
        return {0, "search for the initial state: " + o.standing};
    }
    const double of_row = static_cast<double>(bonds_per_row(false) + bonds_per_row(true)),
                 rows = static_cast<double>(s_.rows_due - 1) + static_cast<double>(s_.bonds) / of_row;
    return {rows / static_cast<double>(settings().steps),
            formatted("time %.4g, M = %llu, discarded %.1e", rows * settings().step,
                      static_cast<unsigned long long>(s_.states), 1 - s_.kept)};
}

Record Evolution::record() {
    Record r("evolution");
    r.field("rows", s_.rows).field("rows-due", s_.rows_due).field("bonds", s_.bonds).field("states", s_.states);
    r.field("search-steps", s_.search_steps).field("searched-well", s_.searched_well);
    r.field("starts-mixed", s_.starts_mixed).field("step-error", s_.step_error);
    r.field("kept-weight", s_.kept).field("krylov-error", s_.krylov_error).field("first-energy", s_.first_energy);
    r.field("worst", s_.worst).field("worst-time", s_.worst_time);
    r.field("search-energy", s_.search_energy).field("search-error", s_.search_error);
    r.field("initial-norm", s_.initial_norm);
    if (is_driven()) r.field("energy-error", s_.energy_error);
    if (keeps_ground_state()) r.field("moment", s_.moment);
    return r;
}

std::vector<DistributedArray> Evolution::state() {
    if (search_) return search_->state();
    std::vector<DistributedArray> arrays = {record().array()};
    evolutions_.add_to(arrays);
    if (!packed_first_.tensors.empty()) packed_first_.add_to(arrays, "first-", model());
    return arrays;
}

void Evolution::prepare_state(const std::vector<ArrayShape>& stored) {
    if (search_ && std::ranges::none_of(stored, [](const ArrayShape& a) { return a.name == "evolution"; }))
        return search_->prepare_state(stored);
    search_.reset();
    evolutions_.resize(stored);
    for (const ArrayShape& shape : stored)
        if (is_stored()) packed_first_.resize(static_cast<std::size_t>(model().sites), "first-", shape);
}

void Evolution::restored(std::uint64_t step) {
    if (step == 0) {
        evolutions_.forget_arrays();
        return initialise();
    }
    if (search_) return search_->restored(step);
    if (const std::string error = too_short(); !error.empty()) throw CollectiveError(ExitCode::bad_input, error);
    restore_first_state();
    const std::uint64_t of_fine = bonds_per_row(false);
    evolutions_.for_all([&](Tdvp&, bool coarse) {
        const std::uint64_t done = coarse ? std::max(s_.bonds, of_fine) - of_fine : std::min(s_.bonds, of_fine);
        evolutions_.unpack(coarse, done > 0 ? place_of(done - 1) : SweepPlace());
    });
}

std::string Evolution::too_short() const { return too_few_steps(settings().steps, s_.rows_due - 1, s_.bonds > 0); }

std::vector<DistributedArray> Evolution::final_state(const std::vector<ArrayShape>& stored) {
    if (std::ranges::count(stored, std::string("evolution"), &ArrayShape::name) == 0) {
        if (search_ == nullptr || settings().initial.model)
            throw CollectiveError(ExitCode::bad_input, stored_ground_state_needs);
        return search_->final_state(stored);
    }
    prepare_state(stored);
    return state();
}

std::optional<std::uint64_t> Evolution::begin_with_final_state(std::uint64_t step) {
    if (search_) {
        if (!search_->begin_with_final_state(step)) return {};
        end_search(step);
        return step;
    }
    restored(step);
    if (s_.rows_due != settings().steps + 1 || s_.bonds > 0) return {};
    s_.rows = s_.rows_due - 1;
    return step;
}

void Evolution::set_first_state(const ChainState& chain) {
    const Model& m = keeps_ground_state() ? settings().initial_model : model();
    first_ = chain.is_complex()
                 ? std::make_unique<Measurement>(m, fine().algebra(), chain, Measurement::ComplexPart::real)
                 : std::make_unique<Measurement>(m, fine().algebra(), chain);
}

/// The state of set_first_state() after a restart: from its arrays, or the product state.
void Evolution::restore_first_state() {
    ChainState chain(keeps_ground_state() ? settings().initial_model : model(), fine().algebra());
    if (packed_first_.tensors.empty())
        chain.begin_product(product_of(model(), settings().initial));
    else
        packed_first_.unpack(0, chain);
    set_first_state(chain);
}

}  // namespace strata::dmrg
