// SPDX-License-Identifier: BSD-3-Clause
// First the ground state with its multiplet, then one recurrence after another, each from a plane wave of operators on
// a ground state; after the last one the rows of the spectrum, from the coefficients of all recurrences.
#include "lanczos/run/spectrum.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <numbers>

#include "krylov/continued_fraction.hpp"
#include "lanczos/run/operator_means.hpp"
#include "lanczos/run/operators.hpp"
#include "lanczos/state/memory.hpp"
#include "models/keys.hpp"

namespace strata::lanczos {
namespace {

void check_spectrum(const Config& config, const ModelConfig& model, InputErrors& found) {
    const bool single = model.components() == 1, spins = model.spins();
    const std::string& op = config.text("spectrum.operator");
    if (single && (op == "removal" || op == "addition"))
        found.push_back(config.cite("spectrum.operator") + " acts on particles with spin down; use density" +
                        (spins ? " or spin." : "."));
    if (single && !spins && op == "spin")
        found.push_back(config.cite("spectrum.operator") + " needs particles with a spin; use density.");
    if (model.projected() && (op == "removal" || op == "addition"))
        found.push_back(config.cite("spectrum.operator") +
                        " is not possible with model.type = t-j; use density or spin.");
    if (op == "observable" && !config.given("observables.file"))
        found.push_back(config.cite("spectrum.operator") + " needs observables.file, which has the operator.");
    const std::string& lattice = model.lattice.type;
    const std::string& positions = lattice == "all" ? model.lattice.geometry : lattice;
    if (op != "observable" && std::ranges::count(cell_lattices(), positions) == 0)
        found.push_back("run.task = spectrum needs a lattice with momenta, which " +
                        (lattice == "none" ? "model.type = terms" : "lattice.type = " + lattice) +
                        (lattice == "all" ? " with lattice.geometry = " + positions : "") + " does not have.");
    if (symmetry_request(config).momenta == Momenta::all)
        found.push_back(config.cite("sector.momentum") +
                        " is not possible with run.task = spectrum, which begins from one ground state; take auto or "
                        "one momentum.");
}

void check_own(const Config& config, const LanczosConfig& c, const Model& model, InputErrors& found) {
    check_observables(config, c, model, found);
    const bool list = own_operator(c)->pattern == SitePattern::site;
    if (list && model.lattice.torus.empty())
        found.push_back(
            "The spectrum of a list over sites needs a lattice with momenta; here it is possible for one operator, "
            "without {i} in observables.file.");
    if (!list && config.given("spectrum.momenta"))
        found.push_back(config.cite("spectrum.momenta") +
                        " does not apply to an operator that is no list over the sites {i}; leave it out.");
}

void check_waves(const Config& config, const LanczosConfig& c, const Model& model, InputErrors& found) {
    const Lattice& lattice = model.lattice;
    if (c.symmetry.any() && (model.codes.coded() || c.spectrum.op == SpectralOperator::observable))
        found.push_back(config.cite("spectrum.operator") + " is not possible in a sector of these lattice symmetries.");
    if (c.spectrum.op == SpectralOperator::observable) check_own(config, c, model, found);
    if (lattice.torus.empty()) return;
    if (c.spectrum.momenta.size() % lattice.torus.size() != 0)
        found.push_back(config.cite("spectrum.momenta") + " must be pairs m1,m2 on this lattice.");
    else if (const std::string repeated = repeated_wave(c, lattice); !repeated.empty())
        found.push_back(repeated);
    else if (found.empty())
        if (const std::string reason = without_character(c, model); !reason.empty()) found.push_back(reason);
    const bool changes = c.spectrum.op == SpectralOperator::removal || c.spectrum.op == SpectralOperator::addition;
    if (changes && c.conserved != Conserved::numbers)
        return found.push_back(config.cite("spectrum.operator") +
                               " changes the number of particles with spin down, which H does not conserve; here only "
                               "density and spin are possible.");
    if (c.spectrum.op == SpectralOperator::removal && c.down == 0)
        found.push_back(config.cite("spectrum.operator") + " finds no particle with spin down.");
    if (c.spectrum.op == SpectralOperator::addition && c.down == lattice.sites)
        found.push_back(config.cite("spectrum.operator") + " has no empty site for a particle with spin down.");
}

/// The ground state, and recurrences for each wave: two where vectors are real.
TaskSize size_of_spectrum(const LanczosPlan& plan, std::uint64_t) {
    const LanczosConfig& c = plan.config();
    const std::uint64_t waves = spectral_waves(c, plan.model().lattice).size();
    const auto states = static_cast<double>(c.states), of_recurrence = static_cast<double>(c.spectrum.steps),
               recurrences = static_cast<double>(waves) * (plan.arithmetic() == Arithmetic::real ? 2 : 1);
    StepCounts steps = ground_state_steps(plan);
    steps.most += static_cast<std::uint64_t>(states * recurrences * of_recurrence);
    steps.usually += whole_steps(recurrences * std::min(of_recurrence, plan.dimension()));
    return {.vectors = Spectrum::ground_states(plan),
            .steps = steps,
            .work = {0, 1, step_overhead},
            .recording = recorded_at_once(c.spectrum.omega.size(), 1 + waves, "the number of spectrum.omega")};
}

/// Bytes of the lists of terms of sum_j w_j a_j, one list for each column of the sector that they lead to.
std::uint64_t operator_terms(const LanczosPlan& target, SpectralOperator op) {
    const int sites = target.model().lattice.sites, down = target.config().down;
    if (op == SpectralOperator::observable) return 0;
    const std::uint64_t columns = target.layout(0, 0).dim_down;
    constexpr std::uint64_t list = 24 + 16, term = 24;  // a std::vector with its allocation, and one term
    if (op == SpectralOperator::density || op == SpectralOperator::spin) return columns * term;
    const int terms = op == SpectralOperator::removal ? sites - down : down;
    return columns * (list + term * std::bit_ceil(static_cast<std::uint64_t>(terms)));
}

MemoryItems memory_of_spectrum(const LanczosPlan& plan, int rank, BackendKind backend, std::uint64_t) {
    const LanczosPlan target = largest_target(plan).value_or(plan);
    MemoryItems items = {buffer_memory(plan, rank, backend, &target, operator_terms(target, plan.config().spectrum.op)),
                         orthogonalisation_memory(plan, rank, Spectrum::ground_states(plan), backend)};
    if (const auto own = own_operator(plan.config())) {
        std::vector<Complex> weights;  // with which no products of neighbours cancel, as they may at one wave vector
        for (std::size_t j = 0; j < own->members.size(); ++j) weights.emplace_back(static_cast<double>(1 + j * j));
        const OperatorSum sum = weighted_sum(*own, weights);
        std::uint64_t most = 0;
        for (const bool imaginary : {false, true})
            most = std::max(most, sum_bytes(plan, hermitian_part(sum, imaginary, plan.arithmetic()), backend));
        items.push_back({"operator of the spectrum", most});
    }
    return items;
}

}  // namespace

const TaskEntry spectrum_task = {.task = Task::spectrum,
                                 .samples = {"run.task=spectrum spectrum.steps=20"},
                                 .check = check_spectrum,
                                 .check_sector = check_waves,
                                 .size = size_of_spectrum,
                                 .memory = memory_of_spectrum,
                                 .other_operator = largest_target,
                                 .make = make_as<Spectrum>,
                                 .make_sequence = make_as<SpectrumSearch>};

Spectrum::Spectrum(const LanczosPlan& plan, const MakeHamiltonian& make)
    : LanczosTask(plan, make),
      make_(make),
      own_(own_operator(plan_.config())),
      solver_(hamiltonian_, ground_state_options(plan_.config(), ground_states(plan)), timers_),
      waves_(spectral_waves(plan_.config(), plan_.model().lattice)),
      recurrences_(recurrences(plan_, waves_)),
      columns_(columns_of(waves_)),
      target_offset_(target_plan(plan_, waves_[0]).counts().offset()),
      pairs_(std::make_unique<PairOccupations>()),
      table_(max_parts(), plan_.config().spectrum.steps),
      norms_(max_parts()) {
    if (leads_elsewhere(plan_) && !plan_.counts().symmetric()) make_target(0);
}

std::vector<Column> Spectrum::columns_of(const std::vector<PlaneWave>& waves) {
    std::vector<Column> columns = {{"omega", "energy", "above the energy of the ground state", Role::coordinate}};
    for (const PlaneWave& wave : waves) columns.push_back(intensity_column(wave));
    return columns;
}

/// Recurrences of one ground state; waves that lead to a sector without states have none.
std::vector<Spectrum::Recurrence> Spectrum::recurrences(const LanczosPlan& plan, const std::vector<PlaneWave>& waves) {
    std::vector<Recurrence> all;
    for (std::size_t wave = 0; wave < waves.size(); ++wave) {
        const LanczosPlan target = leads_elsewhere(plan) ? target_plan(plan, waves[wave]) : plan;
        if (target.dimension() == 0) continue;
        if (target.arithmetic() == Arithmetic::complex || waves[wave].m.empty())
            all.push_back({wave, Part::whole});
        else
            all.insert(all.end(), {{wave, Part::cosines}, {wave, Part::sines}});
    }
    return all;
}

/// Frees the operator of the previous target sector, then makes plan and operator of the sector that a wave leads to.
void Spectrum::make_target(std::size_t wave) {
    other_.reset();
    other_plan_ = std::make_unique<LanczosPlan>(target_plan(plan_, waves_[wave]));
    other_ = make_(*other_plan_, timers_);
    target_.set(wave + 1);
}

std::vector<std::string> Spectrum::description() const {
    std::vector<std::string> lines = LanczosTask::description();
    std::string where;
    if (plan_.counts().symmetric())
        where = ", each in the sector that its wave vector leads to";
    else if (other_ != nullptr)
        where = " in the sector of " + std::to_string(other_plan_->config().up) + " up, " +
                std::to_string(other_plan_->config().down) + " down";
    lines.push_back("spectrum of " +
                    (waves_[0].m.empty() ? "one operator, " : std::to_string(waves_.size()) + " plane waves, ") +
                    std::to_string(recurrences_.size()) + " recurrences for every ground state of " +
                    std::to_string(table_.max_steps()) + " steps" + where);
    return lines;
}

MemoryPrediction Spectrum::memory() const {
    MemoryPrediction m = LanczosTask::memory();
    if (plan_.counts().symmetric())
        m.add(largest_operator_memory(*largest_target(plan_), 0, backend_kind()), " of the other sector");
    else if (other_ != nullptr)
        m.add(other_->memory(0), " of the other sector");
    return m;
}

void Spectrum::allocate() {
    hamiltonian_.allocate();
    solver_.allocate();
    if (other_ != nullptr) other_->allocate();
}

void Spectrum::initialise() {
    solver_.initialise();
    s_ = State();
    *pairs_ = PairOccupations();
    if (plan_.counts().symmetric()) {
        other_.reset();
        target_.set(0);
    }
}

std::vector<DistributedArray> Spectrum::state() {
    std::vector<DistributedArray> arrays;
    if (plan_.counts().symmetric()) arrays.push_back(target_.array());
    add_working_pair(hamiltonian_, "", arrays);
    if (other_ != nullptr) add_working_pair(*other_, "other-", arrays);
    solver_.add_state(arrays);
    Record progress("progress");
    progress.field("part", s_.part).field("steps", s_.steps).field("rows", s_.rows);
    krylov::add_fields(progress, s_.recurrence);
    pairs_->add_fields(progress);
    arrays.push_back(progress.array());
    table_.add_coefficients(arrays);
    arrays.push_back(Record("norms").field("norm", norms_).array());
    table_.add_steps(arrays);
    return arrays;
}

/// Makes the sector of a checkpoint's recurrence, before the state is read.
void Spectrum::prepare_state(const std::vector<ArrayShape>& stored) {
    const auto target = target_.stored(stored);
    if (!target || *target > waves_.size() || *target == target_.get()) return;
    other_.reset();
    target_.set(0);
    if (*target == 0) return;
    make_target(*target - 1);
    other_->allocate();
}

std::uint64_t Spectrum::total_steps() const {
    if (solver_.done() && !possible()) return solver_.total_steps();  // no spectrum
    const std::size_t ahead = (solver_.done() ? parts() : recurrences_.size()) - s_.part;
    return solver_.total_steps() + s_.steps + ahead * table_.max_steps() - s_.recurrence.steps;
}

void Spectrum::step(std::uint64_t) {
    if (!solver_.done()) return ground_state_step();
    if (s_.recurrence.steps == 0) begin_part();
    ++s_.steps;
    constexpr double zero = 1e-12;  // largest norm of A |0> that counts as rounding
    if (norms_[s_.part] > zero && !table_.advance(target(), s_.part, s_.recurrence)) return;
    ++s_.part;
    s_.recurrence = {};
}

/// The last step also measures the occupations if a spectrum follows.
void Spectrum::ground_state_step() {
    solver_.step();
    if (!possible()) return;
    *pairs_ = PairOccupations();
    PairOccupations pairs;
    for (std::size_t i = 0; i < solver_.states(); ++i) {
        measure(hamiltonian_, solver_.vector(i), pairs);
        pairs_->add(pairs);
    }
}

/// Makes A |0> the start vector of the current recurrence, in the sector that the wave leads to.
void Spectrum::begin_part() {
    const SpectralOperator op = plan_.config().spectrum.op;
    const auto [wave, part] = recurrence(s_.part);
    if (plan_.counts().symmetric() && target_.get() != wave + 1) {
        make_target(wave);
        other_->allocate();
    }
    const Timers::Scope scope = timers_.scope("operator");
    std::vector<Complex> weights = operator_weights(op, waves_[wave]);
    for (Complex& w : weights)
        if (part != Part::whole) w = part == Part::cosines ? w.real() : w.imag();
    const krylov::DistributedVector& state = solver_.vector(s_.part / recurrences_.size());
    if (own_)
        apply_sum(weighted_sum(*own_, weights), plan_, make_, timers_, state, hamiltonian_.space(), hamiltonian_.w());
    else
        apply_operator(op, weights, hamiltonian_, state, target(), target().w());
    krylov::begin_recurrence(target(), s_.recurrence);
    norms_[s_.part] = s_.recurrence.start_norm;
}

Complex Spectrum::fraction_energy(double omega) const {
    return {omega + solver_.energy() - target_offset_, plan_.config().spectrum.broadening};
}

/// - Im G / pi at omega + E_0 + i broadening, G the resolvent of A |0>.
double Spectrum::intensity(std::size_t part, double omega) const {
    const Complex fraction = krylov::resolvent(fraction_energy(omega), table_.alpha(part), table_.beta(part));
    return -norms_[part] * norms_[part] * fraction.imag() / std::numbers::pi;
}

/// Upper bound of the error that the finite number of steps makes in an intensity of one wave.
double Spectrum::truncation_bound(std::size_t wave, double omega) const {
    double sum = 0;
    for (std::size_t part = 0; part < parts(); ++part)
        if (wave_of(part) == wave)
            sum += norms_[part] * norms_[part] *
                   krylov::truncation_bound(fraction_energy(omega), table_.alpha(part), table_.beta(part));
    return sum / std::numbers::pi / static_cast<double>(solver_.states());
}

void Spectrum::observe(std::vector<double>& rows) {
    const std::vector<double>& omegas = plan_.config().spectrum.omega;
    s_.rows = omegas.size();
    for (double omega : omegas) {
        std::vector<double> row(columns_.size());
        row[0] = omega;
        for (std::size_t p = 0; p < parts(); ++p)
            row[1 + wave_of(p)] += intensity(p, omega) / static_cast<double>(solver_.states());
        rows.insert(rows.end(), row.begin(), row.end());
    }
}

std::string Spectrum::shortfall() const {
    const std::string error = ground_state_shortfall(solver_, plan_.config());
    if (!error.empty()) return error;
    if (!solver_.converged()) return "Without a converged ground state there is no spectrum; allow more run.max-steps.";
    if (solver_.degeneracy() == krylov::Degeneracy::more)
        return "The ground state is degenerate, at least " + std::to_string(solver_.states() + 1) +
               " times; its spectrum depends on the mixture. With a larger run.states it is averaged over all of them.";
    if (solver_.degeneracy() == krylov::Degeneracy::unresolved)
        return "There is no spectrum: " + unresolved_remark(solver_.residual());
    return {};
}

/// Integral over omega, summed over all wave vectors and sublattices: sum_j <a+_j a_j> if the waves are complete.
double Spectrum::total_weight() const {
    const Model& model = plan_.model();
    const PairOccupations c = pairs_->mean();
    const SpectralOperator op = plan_.config().spectrum.op;
    const bool spins = model.kind == SiteKind::spins;
    double sum = 0;
    for (std::size_t j = 0; j < static_cast<std::size_t>(model.lattice.sites); ++j) {
        const double up = c.uu[j][j], down = c.dd[j][j], both = c.ud[j][j];
        switch (op) {
            case SpectralOperator::density: sum += up + down + 2 * both; break;
            case SpectralOperator::spin: sum += spins ? square_of_sz(model, c, j) : (up + down - 2 * both) / 4; break;
            case SpectralOperator::removal: sum += down; break;
            case SpectralOperator::addition: sum += 1 - down; break;
            case SpectralOperator::observable: break;  // known by the spectrum alone
        }
    }
    return sum;
}

std::vector<Quantity> Spectrum::results(const Series&) const {
    std::vector<Quantity> q = ground_state_results(solver_);
    if (!possible() || s_.part < parts()) return q;
    std::vector<double> weight(waves_.size()), moment(waves_.size());
    double sum = 0;
    for (std::size_t p = 0; p < parts(); ++p) {
        const double w = norms_[p] * norms_[p] / static_cast<double>(solver_.states());
        weight[wave_of(p)] += w;
        if (!table_.alpha(p).empty())
            moment[wave_of(p)] += w * (table_.alpha(p)[0] + target_offset_ - solver_.energy());
        sum += w;
    }
    const bool without_waves = waves_[0].m.empty();
    const auto add = [&](std::string name, const char* unit, const std::string& meaning, std::size_t w, double value) {
        name += suffix_of(waves_[w].sublattice);
        auto list = std::ranges::find(q, name, &Quantity::name);
        if (list == q.end()) {
            Quantity one = {name, unit, meaning + (without_waves ? "" : " for every wave vector"), {}};
            list = q.insert(q.end(), without_waves ? std::move(one) : std::move(one).over("k"));
        }
        list->value.push_back(value);
    };
    for (std::size_t w = 0; w < waves_.size(); ++w) add("weight", "1", "integral over omega", w, weight[w]);
    for (std::size_t w = 0; w < waves_.size(); ++w)
        add("first-moment", "energy", "integral of omega times the intensity, <A+ [H, A]> by the f-sum rule", w,
            moment[w]);
    const Lattice& lattice = plan_.model().lattice;
    Quantity all = {"weight-sum", "1", "over all wave vectors", {sum}};
    const bool complete = !own_ && plan_.config().spectrum.momenta.empty() &&
                          (lattice.sublattices == 1 || plan_.config().sublattices == Sublattices::separate);
    if (complete) all.reference = {total_weight()};
    if (!without_waves) q.push_back(all);
    double bound = 0;
    for (std::size_t w = 0; w < waves_.size(); ++w)
        for (double omega : plan_.config().spectrum.omega) bound = std::max(bound, truncation_bound(w, omega));
    q.push_back({"truncation-bound", "1/energy", "of the error of an intensity by too few spectrum.steps", {bound}});
    if (without_waves) return q;
    for (Quantity& more : position_results(lattice, spectral_momenta(plan_.config(), lattice)))
        q.push_back(std::move(more));
    return q;
}

}  // namespace strata::lanczos
