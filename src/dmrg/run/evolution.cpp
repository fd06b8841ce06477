// SPDX-License-Identifier: BSD-3-Clause
// The steps of a time evolution: first those of the search for the initial state, then for every row the sweeps of the
// evolution and those of the second one.
#include "dmrg/run/evolution.hpp"

#include <algorithm>
#include <cmath>

#include "comm/collectives.hpp"
#include "strata/error.hpp"
#include "strata/formatted.hpp"

namespace strata::dmrg {
namespace {

/// Largest norm of the error of an exponential at a bond, relative to the state; there are thousands in a run.
constexpr double exponential_tolerance = 1e-10;
/// What the second evolution keeps of the states, and the factor of its cut-off.
constexpr double coarse_states = 0.75, coarse_cutoff = 10;

/// States of the sites of a product state, which are numbered by occupation: up + 2 down of electrons, m + S of spins.
std::vector<std::size_t> product_of(const Model& model, const InitialStateSpec& spec) {
    std::vector<std::size_t> states(static_cast<std::size_t>(model.sites));
    for (const std::int64_t site : spec.up) ++states[static_cast<std::size_t>(site)];
    for (const std::int64_t site : spec.down) states[static_cast<std::size_t>(site)] += 2;
    return states;
}

}  // namespace

Evolution::Evolution(const Communicator& comm, const DmrgPlan& plan, const superblock::MakeOperator& make)
    : comm_(comm), plan_(plan), make_(make), columns_(columns_of(plan.config())) {
    const Algebra algebra(plan.config().simd, plan.threads());
    if (settings().initial.start == InitialStateKind::ground_state)
        search_ = std::make_unique<Dmrg>(comm, plan_.of_search(), make);
    fine_ = std::make_unique<Tdvp>(comm, model(), algebra, make, timers_);
    if (settings().estimates_error) coarse_ = std::make_unique<Tdvp>(comm, model(), algebra, make, timers_);
}

void Evolution::allocate() {
    if (search_) search_->allocate();
    const std::string& directory = plan_.config().scratch_directory;
    if (directory.empty()) return;
    collectively(comm_, [&] {
        for (Tdvp* t : {fine_.get(), coarse_.get()})
            if (t != nullptr) t->chain().blocks().use_disk(directory);
    });
}

void Evolution::initialise() {
    s_ = {};
    if (search_) return search_->initialise();
    begin(nullptr);
}

/// Both evolutions begin with the state of these tensors, whose centre is at bond 0, or with the product state.
void Evolution::begin(const std::vector<SiteTensor>* tensors) {
    for (Tdvp* t : {fine_.get(), coarse_.get()}) {
        if (t == nullptr) continue;
        if (tensors != nullptr)
            t->chain().set_tensors(*tensors);
        else
            t->chain().begin_product(product_of(model(), settings().initial));
        t->tensors_were_set(Direction::left);
    }
    first_ = std::make_unique<Measurement>(model(), fine_->algebra(), fine_->chain());
    if (tensors != nullptr) packed_first_ = PackedState::of(fine_->chain());
    for (const bool coarse : {false, true}) {
        if (coarse && !coarse_) continue;
        evolution(coarse).chain().become_complex(0);
        evolution(coarse).grow_bases(tdvp_settings({coarse, 0, Direction::right}));
    }
    s_.rows_due = 1;
}

void Evolution::end_search(std::uint64_t steps) {
    s_.search_steps = steps;
    s_.searched_well = search_->shortfall().empty() ? 1 : 0;
    const auto [energy, error] = search_->ground_energy();
    s_.search_energy = energy;
    s_.search_error = error;
    begin(&search_->chain().tensors());
    search_.reset();
}

std::uint64_t Evolution::bonds_per_row(bool coarse) const {
    if (!coarse) return settings().sweeps * bonds_per_sweep();
    return coarse_ ? settings().sweeps / 2 * bonds_per_sweep() : 0;
}

Evolution::Place Evolution::place_of(std::uint64_t bond_of_row) const {
    const std::uint64_t of_fine = bonds_per_row(false);
    const bool coarse = bond_of_row >= of_fine;
    const std::uint64_t at = (coarse ? bond_of_row - of_fine : bond_of_row) % bonds_per_sweep(),
                        half = bonds_per_sweep() / 2;
    if (at < half) return {coarse, static_cast<int>(at), Direction::right};
    return {coarse, static_cast<int>(bonds_per_sweep() - 1 - at), Direction::left};
}

TdvpSettings Evolution::tdvp_settings(const Place& place) const {
    const EvolutionSettings& e = settings();
    TdvpSettings s;
    s.direction = place.direction;
    s.time = 0.5 * e.step / static_cast<double>(e.sweeps) * (place.coarse ? 2 : 1);
    s.growth_time = s.time;
    s.truncation = {e.max_states, e.cutoff, 0};
    if (place.coarse) {
        s.truncation.max_states =
            std::max<std::uint64_t>(2, static_cast<std::uint64_t>(coarse_states * static_cast<double>(e.max_states)));
        s.truncation.cutoff *= coarse_cutoff;
    }
    s.exponential = {krylov_dimension, exponential_tolerance};
    return s;
}

std::uint64_t Evolution::total_steps() const {
    const std::uint64_t of_row = bonds_per_row(false) + bonds_per_row(true);
    return (search_ ? search_->total_steps() : s_.search_steps) + settings().steps * of_row;
}

void Evolution::prepare_step(std::uint64_t step) {
    if (search_) return search_->prepare_step(step);
    const Place place = place_of(s_.bonds);
    try {
        evolution(place.coarse).prepare(place.bond);
    } catch (const CollectiveError&) {  // a disk that was too small has space for a checkpoint then
        for (Tdvp* t : {fine_.get(), coarse_.get()})
            if (t != nullptr) t->chain().blocks().leave_disk();
        throw;
    }
}

void Evolution::step(std::uint64_t step) {
    if (search_) {
        search_->step(step);
        if (search_->total_steps() == step + 1) end_search(step + 1);
        return;
    }
    const Place place = place_of(s_.bonds);
    const TdvpResult r = evolution(place.coarse).update(place.bond, tdvp_settings(place));
    if (!place.coarse) {
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
    r.field("kept-weight", s_.kept).field("krylov-error", s_.krylov_error).field("first-energy", s_.first_energy);
    r.field("worst", s_.worst).field("worst-time", s_.worst_time);
    r.field("search-energy", s_.search_energy).field("search-error", s_.search_error);
    return r;
}

std::vector<DistributedArray> Evolution::state() {
    if (search_) return search_->state();
    if (!restoring_) {
        packed_fine_ = PackedState::of(fine_->chain());
        if (coarse_) packed_coarse_ = PackedState::of(coarse_->chain());
    }
    std::vector<DistributedArray> arrays = {record().array()};
    packed_fine_.add_to(arrays, "");
    if (coarse_) packed_coarse_.add_to(arrays, "coarse-");
    if (!packed_first_.tensors.empty()) packed_first_.add_to(arrays, "first-");
    return arrays;
}

void Evolution::prepare_state(const std::vector<ArrayShape>& stored) {
    if (search_ && std::ranges::none_of(stored, [](const ArrayShape& a) { return a.name == "evolution"; }))
        return search_->prepare_state(stored);
    const bool searched = search_ != nullptr;
    search_.reset();
    restoring_ = true;
    const auto sites = static_cast<std::size_t>(model().sites);
    for (const ArrayShape& shape : stored) {
        packed_fine_.resize(sites, "", shape);
        packed_coarse_.resize(sites, "coarse-", shape);
        if (searched) packed_first_.resize(sites, "first-", shape);
    }
}

void Evolution::restored(std::uint64_t step) {
    if (step == 0) {
        restoring_ = false;
        return initialise();
    }
    if (search_) return search_->restored(step);
    restoring_ = false;
    const std::uint64_t made = s_.rows_due - 1;
    if (made > settings().steps || (made == settings().steps && s_.bonds > 0))
        throw CollectiveError(ExitCode::bad_input,
                              "evolution.steps = " + std::to_string(settings().steps) +
                                  " ends before the checkpoint, which has made " + std::to_string(made) +
                                  (s_.bonds > 0 ? " steps of time and a part of the next one" : " steps of time") +
                                  "; ask for " + std::to_string(made + (s_.bonds > 0 ? 1 : 0)) + " or more.");
    set_first_state();
    const std::uint64_t of_fine = bonds_per_row(false);
    for (const bool coarse : {false, true}) {
        if (coarse && !coarse_) continue;
        const std::uint64_t done = coarse ? std::max(s_.bonds, of_fine) - of_fine : std::min(s_.bonds, of_fine);
        Place last{coarse, 0, Direction::left};
        if (done > 0) last = place_of((coarse ? of_fine : 0) + done - 1);
        Tdvp& t = evolution(coarse);
        (coarse ? packed_coarse_ : packed_fine_)
            .unpack(last.bond, t.chain(), last.direction == Direction::right ? last.bond + 1 : last.bond);
        t.tensors_were_set(last.direction);
    }
}

/// The state at time 0 after a restart: from its arrays, or the product state.
void Evolution::set_first_state() {
    ChainState chain(model(), fine_->algebra());
    if (packed_first_.tensors.empty())
        chain.begin_product(product_of(model(), settings().initial));
    else
        packed_first_.unpack(0, chain);
    first_ = std::make_unique<Measurement>(model(), fine_->algebra(), chain);
}

}  // namespace strata::dmrg
