// SPDX-License-Identifier: BSD-3-Clause
// Rows of the result are equally spaced in time; the time between two of them is divided into as many pieces as the
// error bound requires. Checkpoints store psi without the vectors of a piece: one that was interrupted is repeated.
#include "lanczos/run/evolution.hpp"

#include <algorithm>
#include <cmath>

#include "comm/collectives.hpp"
#include "krylov/exponential.hpp"
#include "lanczos/physics/orbits.hpp"
#include "lanczos/state/memory.hpp"

namespace strata::lanczos {
namespace {

/// Largest norm of the error that one piece of time may add.
double piece_tolerance(Precision precision) { return precision == Precision::single ? 1e-7 : 1e-12; }
/// Largest deviation of the norm from 1 that is accepted: rounding errors add up over many pieces.
double norm_tolerance(Precision precision) { return precision == Precision::single ? 1e-3 : 1e-8; }

krylov::ExponentialOptions exponential_options(const LanczosConfig& c) {
    return {.dimension = c.evolution.krylov, .tolerance = piece_tolerance(c.precision)};
}

std::vector<Column> columns_of(const LanczosPlan& plan, const ObservedOperators& observed) {
    const Model& model = plan.model();
    const bool driven = !plan.config().drive.operators.empty();
    std::vector<Column> columns = {{"time", "1/energy", "time, hbar = 1", Role::coordinate},
                                   {"energy", "energy", driven ? driven_energy : "expectation value; it is conserved"},
                                   {"norm", "1", "of the state; it is conserved"},
                                   {"loschmidt-echo", "1", "|<psi(0)|psi(t)>|^2"}};
    add_drive_columns(plan.config().drive, columns);
    const bool two = model.kind == SiteKind::electrons;
    if (two) columns.push_back({"double-occupancy", "1", "mean of n_up n_down over the sites"});
    for (int i = 0; i < model.lattice.sites; ++i)
        columns.push_back(member_column(two ? "occupation-up" : "occupation", "site", {i}, "1", "of a site"));
    for (int i = 0; i < model.lattice.sites && two; ++i)
        columns.push_back(member_column("occupation-down", "site", {i}, "1", "of a site"));
    observed.add_columns(columns);
    Entanglement::add_columns(plan, columns);
    return columns;
}

void check_evolution(const Config& config, const ModelConfig& model, InputErrors& found) {
    if (config.text("backend.arithmetic") == "real")
        found.push_back(config.cite("backend.arithmetic") + " is not possible: time evolution is complex; use auto.");
    if (model.components() == 1 && config.given("evolution.down"))
        found.push_back(config.cite("evolution.down") + " does not apply to " + name_of(model.kind()) +
                        "; leave it out.");
    if (symmetry_request(config).several())
        found.push_back(config.cite("sector.momentum") +
                        " is not possible with run.task = evolution, which moves one state; give one momentum.");
}

/// A time step is divided into pieces: a Krylov space of m vectors bounds the error by about (e w t / 4 m)^m for a
/// spectrum of width w, and that must be below 1e-12. Of Taylor series it is about (r t)^m / m! for a norm r.
double pieces_of_step(const LanczosPlan& plan) {
    const auto& e = plan.config().evolution;
    const auto m = static_cast<double>(e.krylov);
    const double width = plan.counts().upper_bound() - plan.counts().lower_bound();
    if (!plan.config().drive.operators.empty())
        return std::max(1.0,
                        std::ceil(e.step * driven_radius(plan) * std::exp((std::log(1e12) - std::lgamma(m + 1)) / m)));
    if (plan.dimension() <= m || !(width > 0)) return 1;
    return std::max(1.0, std::ceil(e.step * width * std::exp(1.0) / (4 * m) * std::pow(1e12, 1 / m)));
}

TaskSize size_of_evolution(const LanczosPlan& plan, std::uint64_t) {
    const auto& e = plan.config().evolution;
    const auto m = static_cast<double>(e.krylov);
    const auto driven = static_cast<double>(plan.config().drive.operators.size());
    const double vectors = driven > 0 ? m : std::min(m, plan.dimension());
    const std::uint64_t steps = whole_steps(static_cast<double>(e.steps) * vectors * pieces_of_step(plan));
    const StepCounts first = initial_steps(plan);
    const ObservedOperators observed(plan);
    const auto measured = static_cast<double>(observed.parts().size() * (e.steps + 1)) / static_cast<double>(steps);
    const std::uint64_t ground_state = first.most > 0 ? 1 : 0;
    return {.vectors = e.krylov + (measured > 0 ? 4 : 2) + ground_state,
            .steps = {steps + first.most, steps + first.usually},
            // a copy, and a vector added; an operator of a drive multiplies a sum of about half of the vectors
            .work = {4 + (work_of_mean.products + 2 * m) * driven + work_of_mean.products * measured,
                     5 + (work_of_mean.moved + m / 2) * driven + work_of_mean.moved * measured,
                     step_overhead / 4 + work_of_mean.seconds * (measured + driven) +
                         entanglement_seconds(plan) * static_cast<double>(e.steps + 1) / static_cast<double>(steps)},
            .recording = {.rows = e.steps + 1,
                          .columns = columns_of(plan, observed).size(),
                          .key = "evolution.steps",
                          .value = e.steps}};
}

MemoryItems memory_of_evolution(const LanczosPlan& plan, int rank, BackendKind backend, std::uint64_t) {
    MemoryItems items = means_memory(plan, backend);
    items.push_back(buffer_memory(plan, rank, backend, &plan));
    for (MemoryPrediction::Item& item : entanglement_memory(plan, rank, backend)) items.push_back(std::move(item));
    if (const std::uint64_t bytes = initial_bytes(plan, rank, backend); bytes > 0)
        items.push_back({"evolution.operator", bytes});
    if (const std::uint64_t bytes = driven_bytes(plan); bytes > 0) items.push_back({"drive.operator by rows", bytes});
    const std::uint64_t basis = plan.config().drive.operators.empty() ? 0 : plan.config().evolution.krylov;
    const std::uint64_t states = initial_steps(plan).most > 0 ? 1 : 0;
    if (basis + states > 0) items.push_back(orthogonalisation_memory(plan, rank, std::max(basis, states), backend));
    return items;
}

void check_evolution_state(const Config& config, const LanczosConfig& c, const Model& model, InputErrors& found) {
    check_drive(config, c, model, found);  // decides about the sector
    if (found.empty()) check_initial_state(config, c, model, found);
}

std::vector<OtherOperator> operators_beside(const LanczosPlan& plan) {
    std::vector<OtherOperator> all = initial_operator(plan);
    for (OtherOperator& driven : driven_plans(plan)) all.push_back(std::move(driven));
    return all;
}

std::unique_ptr<krylov::Propagator> make_propagator(HamiltonianOperator& h, Drive* drive, Timers& timers) {
    const krylov::ExponentialOptions options = exponential_options(h.plan().config());
    if (drive != nullptr) return drive->propagator(h, options);
    return std::make_unique<krylov::KrylovExponential>(h, options, timers);
}

}  // namespace

const TaskEntry evolution_task = {
    .task = Task::evolution,
    .samples = {"run.task=evolution evolution.up=0,2,4 evolution.down=1,3,5 evolution.steps=4",
                "run.task=evolution evolution.start=ground-state initial-model.u=2 evolution.steps=4",
                "run.task=evolution evolution.start=ground-state evolution.steps=4 evolution.operator=own "
                "observables.own=1 n_up 0 drive.operator=own drive.factor=cos 0 0.5 2 0"},
    .check = check_evolution,
    .check_sector = check_evolution_state,
    .size = size_of_evolution,
    .memory = memory_of_evolution,
    .other_operators = operators_beside,
    .make = make_as<Evolution>};

Evolution::Evolution(const LanczosPlan& plan, const MakeHamiltonian& make)
    : LanczosTask(plan, make),
      drive_(plan_.config().drive.operators.empty() ? nullptr : std::make_unique<Drive>(plan_, make, timers_)),
      propagator_(make_propagator(hamiltonian_, drive_.get(), timers_)),
      means_(plan_, make, timers_),
      initial_(plan_, hamiltonian_, means_, make, timers_),
      entanglement_(plan_, timers_),
      columns_(columns_of(plan_, means_.operators())),
      pairs_(std::make_unique<PairOccupations>()) {}

std::vector<std::string> Evolution::description() const {
    std::vector<std::string> lines = LanczosTask::description();
    lines.push_back("time evolution in " + std::to_string(plan_.config().evolution.steps) + " time steps, by " +
                    (drive_ == nullptr ? "Krylov spaces" : "Taylor series") + " of " +
                    std::to_string(plan_.config().evolution.krylov) + " vectors");
    std::ranges::copy(described(plan_.config().drive), std::back_inserter(lines));
    lines.push_back(initial_.description());
    return lines;
}

MemoryPrediction Evolution::memory() const {
    MemoryPrediction m = LanczosTask::memory();
    initial_.add_memory(m);
    if (drive_ != nullptr) drive_->add_memory(m);
    return m;
}

void Evolution::allocate() {
    hamiltonian_.allocate();
    psi_ = hamiltonian_.space().vector();
    first_ = hamiltonian_.space().vector();
    if (drive_ != nullptr) drive_->allocate();
    propagator_->allocate();
    initial_.allocate();
}

void Evolution::initialise() {
    s_ = State();
    propagator_->reset();
    steps_ = 0;
    initial_.initialise();
    if (!initial_.is_searched()) return begin();
    for (krylov::DistributedVector* x : {&psi_, &first_}) hamiltonian_.space().clear(*x);
}

/// The initial state becomes that of time 0, whose row is due.
void Evolution::begin() {
    initial_.set(first_);
    hamiltonian_.space().copy(first_, psi_);
    s_.rows_due = 1;
}

std::vector<DistributedArray> Evolution::state() {
    std::vector<DistributedArray> arrays;
    hamiltonian_.add_state("psi", psi_, arrays);
    initial_.add_state(arrays);
    Record progress("progress");
    progress.field("rows", s_.rows)
        .field("rows-due", s_.rows_due)
        .field("time-in-row", s_.done)
        .field("piece", s_.piece)
        .field("error", s_.error);
    if (drive_ != nullptr) progress.field("first-energy", s_.first_energy);
    arrays.push_back(progress.array());
    return arrays;
}

void Evolution::restored(std::uint64_t step) {
    propagator_->reset();
    steps_ = step;
    if (!started()) return;
    initial_.set(first_);
    const std::string error = too_few_steps(plan_.config().evolution.steps, s_.rows_due - 1, s_.done > 0);
    if (!error.empty()) throw CollectiveError(ExitCode::bad_input, error);
}

/// The state that an evolution has reached, or the ground state with which one begins.
std::vector<DistributedArray> Evolution::final_state(const std::vector<ArrayShape>& stored) {
    initialise();
    if (std::ranges::any_of(stored, [](const ArrayShape& a) { return a.name.starts_with("psi"); })) return state();
    std::vector<DistributedArray> arrays;
    initial_.add_final_state(stored, arrays);
    return arrays;
}

std::optional<std::uint64_t> Evolution::begin_with_final_state(std::uint64_t step) {
    if (started()) {
        restored(step);
        if (s_.rows_due != plan_.config().evolution.steps + 1 || s_.done > 0) return {};
        s_.rows = s_.rows_due - 1;
        return step;
    }
    if (!initial_.found()) return {};
    steps_ = initial_.steps();
    if (initial_.exists()) begin();
    return steps_;
}

std::uint64_t Evolution::total_steps() const {
    const auto& e = plan_.config().evolution;
    if (!started() && initial_.found() && !initial_.exists()) return steps_;
    const auto rows = static_cast<double>(e.steps + (started() ? 1 - s_.rows_due : 0));  // rows that remain
    if (rows == 0) return steps_;
    const double piece = s_.piece > 0 ? s_.piece : e.step;
    const double pieces = rows * std::ceil(e.step / piece - 1e-9) - std::floor(s_.done / piece);
    const double multiplications = std::max(0.0, pieces) * static_cast<double>(e.krylov);
    return steps_ + (started() ? 0 : initial_.total_steps() - initial_.steps()) +
           static_cast<std::uint64_t>(std::max(1.0, multiplications - static_cast<double>(propagator_->size())));
}

void Evolution::step(std::uint64_t) {
    ++steps_;
    if (!started()) {
        if (!initial_.found()) initial_.step();
        if (initial_.found() && initial_.exists()) begin();
        return;
    }
    const double left = plan_.config().evolution.step - s_.done;
    krylov::Propagator::Interval next = {time(), left};
    if (drive_ != nullptr) next = drive_->smooth_part(next);
    if (!propagator_->expand(psi_, next)) return;
    const krylov::Propagator::Piece piece = propagator_->advance(psi_, next);
    s_.piece = piece.time;
    s_.error += piece.error;
    s_.done += piece.time;
    if (piece.time < left * (1 - 1e-12)) return;
    s_.done = 0;
    ++s_.rows_due;
}

/// The time of psi.
double Evolution::time() const {
    return static_cast<double>(s_.rows_due - 1) * plan_.config().evolution.step + s_.done;
}

void Evolution::observe(std::vector<double>& rows) {
    const Timers::Scope scope = timers_.scope("observables");
    const auto sites = static_cast<std::size_t>(plan_.model().lattice.sites);
    const krylov::PairProducts products = hamiltonian_.apply(psi_);
    measure(hamiltonian_, psi_, *pairs_);
    const double time = static_cast<double>(s_.rows) * plan_.config().evolution.step;
    double energy = products.vw / products.vv + plan_.sector().offset();
    std::vector<double> factors;
    if (drive_ != nullptr) {
        factors = drive_->factors(time);
        energy += drive_->energy(factors, psi_);
        if (s_.rows == 0) s_.first_energy = energy;
    }
    rows.insert(rows.end(), {time, energy, std::sqrt(products.vv), std::norm(hamiltonian_.space().dot(first_, psi_))});
    if (drive_ != nullptr) rows.push_back(energy - s_.first_energy);
    rows.insert(rows.end(), factors.begin(), factors.end());
    const bool two = plan_.model().kind == SiteKind::electrons;
    if (two) {
        double doubly = 0;
        for (std::size_t i = 0; i < sites; ++i) doubly += pairs_->ud[i][i] / static_cast<double>(sites);
        rows.push_back(doubly);
    }
    for (std::size_t i = 0; i < sites; ++i) rows.push_back(pairs_->uu[i][i]);
    for (std::size_t i = 0; i < sites && two; ++i) rows.push_back(pairs_->dd[i][i]);
    for (means_.initialise(); !means_.complete();) means_.step(psi_);
    rows.insert(rows.end(), means_.values().begin(), means_.values().end());
    entanglement_.measure(hamiltonian_, psi_);
    rows.insert(rows.end(), entanglement_.values().begin(), entanglement_.values().end());
    ++s_.rows;
}

std::string Evolution::broken_invariant(std::span<const double> row) const {
    const std::string error = LanczosTask::broken_invariant(row);
    if (!error.empty() || std::abs(row[2] - 1) < norm_tolerance(plan_.config().precision)) return error;
    return "the norm of the state has become " + std::to_string(row[2]) + ".";
}

std::vector<Quantity> Evolution::results(const Series& series) const {
    std::vector<Quantity> q;
    initial_.add_results(q);
    if (series.rows() == 0) return q;
    const std::span<const double> last = series.row(series.rows() - 1);
    for (std::size_t c = 0; c < columns_.size(); ++c)
        if (columns_[c].axis.empty())
            q.push_back({columns_[c].name, columns_[c].unit, "in the last row: " + columns_[c].meaning, {last[c]}});
    std::vector<double> spectrum;
    for (std::size_t c = 0; c < columns_.size(); ++c)
        if (columns_[c].axis == "level") spectrum.push_back(last[c]);
    if (!spectrum.empty())
        q.push_back(
            Quantity{"entanglement-spectrum", "1", "in the last row: largest eigenvalues of rho", spectrum}.over(
                "level"));
    if (plan_.counts().symmetric() && !initial_.is_searched())
        q.push_back({"sector-weight",
                     "1",
                     "of the product state in this sector, whose normalised part this is",
                     {product_weight(plan_.config(), plan_.model())}});
    q.push_back({"error-bound",
                 "1",
                 "of |psi - exact psi| by finite Krylov spaces or Taylor series, without rounding",
                 {s_.error}});
    return q;
}

}  // namespace strata::lanczos
