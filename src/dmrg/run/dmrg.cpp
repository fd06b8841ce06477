// SPDX-License-Identifier: BSD-3-Clause
// The steps of a run: bonds, half sweeps and sweeps. sweep_control.hpp decides how it goes on.
#include "dmrg/run/dmrg.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "comm/collectives.hpp"
#include "strata/error.hpp"
#include "strata/formatted.hpp"

namespace strata::dmrg {
namespace {

/// Norm of the random part of guesses in sweeps with noise.
constexpr double random_part = 1e-3;

/// Bound of the rounding error of an energy, from a bound of the norm of H and one rounding per site.
double rounding_of(const Model& model) {
    double norm = 0;
    for (const Term& t : model.terms.all()) norm += 2 * std::abs(t.amplitude);
    for (const std::vector<double>& site : model.energies)
        norm += std::abs(*std::ranges::max_element(site, {}, [](double e) { return std::abs(e); }));
    return std::numeric_limits<double>::epsilon() * norm * static_cast<double>(model.sites);
}

std::vector<std::string> description_of_states(const DmrgPlan& plan) {
    const DmrgConfig& c = plan.config();
    std::vector<std::string> lines;
    if (c.schedule.empty())
        lines.push_back(
            formatted("two-site DMRG, M grows from %llu to at most %llu until the energy is "
                      "within %g",
                      static_cast<unsigned long long>(std::min(c.start_states, c.max_states)),
                      static_cast<unsigned long long>(c.max_states), c.tolerance));
    else
        lines.push_back(formatted("two-site DMRG, %zu sweeps with M up to %llu", c.schedule.size(),
                                  static_cast<unsigned long long>(plan.largest_states())));
    if (c.has_idle_tolerance)
        lines.push_back(
            formatted("run.schedule decides when the run ends; run.tolerance (%g) does not end it, and only "
                      "bounds the searches at the bonds",
                      c.tolerance));
    if (c.states > 1)
        lines.push_back(formatted("%llu lowest states, one after another", static_cast<unsigned long long>(c.states)));
    return lines;
}

Recording recording_of_states(const DmrgPlan& plan) {
    const std::uint64_t half_sweeps = plan.steps() / (static_cast<std::uint64_t>(plan.config().model.sites) - 1);
    return {.rows = half_sweeps, .columns = 7, .key = "run.max-sweeps", .value = half_sweeps / 2};
}

}  // namespace

const TaskEntry states_task = {.task = Task::states,
                               .samples = {"run.measure=correlations", "run.states=2"},
                               .evolves = false,
                               .description = description_of_states,
                               .steps = [](const DmrgPlan& plan) { return plan.steps_of_search(); },
                               .recording = recording_of_states,
                               .make = make_as<Dmrg>};

Dmrg::Dmrg(const Communicator& comm, const DmrgPlan& plan, const superblock::MakeOperator& make)
    : comm_(comm),
      plan_(plan),
      dmrg_(comm, plan_.config().model, Algebra(plan.config().simd, plan.threads()), make, timers_),
      control_(plan_.config(), history_, rounding_of(model())),
      entropies_(bonds_per_half_sweep()),
      spectra_(bonds_per_half_sweep() * spectrum_levels),
      measured_(measured_values()),
      measured_before_(measured_values()),
      table_(n_states(), bonds_per_half_sweep(), measured_values()),
      columns_({{"sweep", "1", "number of the sweep, from 1"},
                {"states", "1", "largest number of states kept"},
                {"energy", "energy", "lowest energy of a superblock in the half sweep"},
                {"truncation-error", "1", "largest weight discarded at a bond"},
                {"residual", "energy", "largest residual of a superblock"},
                {"products", "1", "multiplications by the Hamiltonian"},
                {"truncation-cost", "energy", "sum over the bonds of the energy that the truncations have added"}}) {
    if (n_states() > 1) columns_.push_back({"state", "1", "number of the state, from 0, as they were found"});
}

std::string Dmrg::backend() const { return plan_.backend_name(); }

std::pair<double, double> Dmrg::ground_energy() const {
    return {history_.energies[static_cast<std::size_t>(history_.sweeps) - 1],
            control_.error_estimate(is_measured_ == 1 && !signs_of_a_mixture().empty())};
}

void Dmrg::allocate() {
    const std::string& directory = plan_.config().scratch_directory;
    if (!directory.empty()) collectively(comm_, [&] { dmrg_.chain().blocks().use_disk(directory); });
}

void Dmrg::initialise() { begin_state(); }

void Dmrg::begin_state() {
    const DmrgConfig& c = plan_.config();
    history_.start_energy = dmrg_.begin(c.seed, table_.finished, c.states_of_starts());
}

std::pair<int, Direction> Dmrg::place_of(std::uint64_t step) const {
    const std::uint64_t at = step % bonds_per_sweep();
    if (at < bonds_per_half_sweep()) return {static_cast<int>(at), Direction::right};
    return {static_cast<int>(bonds_per_sweep() - 1 - at), Direction::left};
}

BondSettings Dmrg::settings(std::uint64_t step) const {
    const DmrgConfig& c = plan_.config();
    const std::uint64_t sweep = sweep_of(step);
    BondSettings s;
    s.truncation = {control_.requested_states(sweep), c.cutoff, control_.noise(sweep)};
    const std::uint64_t most = control_.products(sweep);
    s.solver.max_basis = std::min<std::size_t>(most, max_basis);
    s.solver.max_products = most;
    s.solver.tolerance = search_tolerance(sweep);
    if (sweep < c.single_sweeps) s.precision = krylov::Precision::single;
    s.direction = place_of(step).second;
    if (s.truncation.noise > 0) s.random_part = {random_part, c.seed, std::uint64_t{1} << 63 | step};
    return s;
}

/// Residual at which a search at a bond ends. The error of the energy is its square over the gap, in units of the
/// couplings either far below run.tolerance or a hundredth of the weight that the previous sweep discarded; a discarded
/// weight costs at least ten times that weight in energy.
double Dmrg::search_tolerance(std::uint64_t sweep) const {
    constexpr double first_weight = 1e-4;
    const double weight = sweep == 0 ? first_weight : history_.truncations[static_cast<std::size_t>(sweep) - 1];
    return std::max(0.003 * std::sqrt(plan_.config().tolerance), 0.1 * model().terms.largest() * std::sqrt(weight));
}

std::uint64_t Dmrg::total_steps() const {
    const std::uint64_t left = n_states() - table_.finished;
    const bool done = control_.automatic() && left == 0 && decision_.finished;
    const std::uint64_t sweeps = done ? history_.sweeps : std::max<std::uint64_t>(left, 1) * control_.max_sweeps();
    return (first_sweep_ + sweeps) * bonds_per_sweep();
}

/// After a failure the scratch file is removed, so that a disk that was too small has space for a checkpoint.
void Dmrg::prepare_step(std::uint64_t step) {
    try {
        dmrg_.prepare(place_of(step).first);
    } catch (const CollectiveError&) {
        dmrg_.chain().blocks().leave_disk();
        throw;
    }
}

void Dmrg::step(std::uint64_t step) {
    if (table_.finished == n_states()) continue_last_state();
    if (step % bonds_per_half_sweep() == 0) half_ = {sweep_of(step) + 1, table_.finished};
    const int bond = place_of(step).first;
    const BondResult r = dmrg_.update(bond, settings(step));
    half_.energy = half_.states == 0 ? r.energy : std::min(half_.energy, r.energy);
    if (step != first_sweep_ * bonds_per_sweep()) half_.truncation_cost += std::max(0.0, r.start_energy - bond_energy_);
    bond_energy_ = r.energy;
    half_.truncation = std::max(half_.truncation, r.truncation);
    half_.residual = std::max(half_.residual, r.residual);
    half_.search_error = std::max(half_.search_error, r.search_error);
    half_.states = std::max(half_.states, r.states);
    half_.products += r.products;
    entropies_[static_cast<std::size_t>(bond)] = r.entropy;
    std::ranges::copy(r.spectrum,
                      spectra_.begin() + static_cast<std::ptrdiff_t>(bond) * std::ptrdiff_t{spectrum_levels});
    is_measured_ = 0;
    steps_made_ = step + 1;
    if ((step + 1) % bonds_per_sweep() == bonds_per_half_sweep()) {
        history_.energies_to_right[history_.sweeps] = half_.energy;
        history_.costs_to_right[history_.sweeps] = half_.truncation_cost;
    }
    if ((step + 1) % bonds_per_sweep() == 0) end_sweep();
}

/// Rank 0 decides, since the logarithms of two nodes may differ in the last bit. Collective.
void Dmrg::decide() {
    if (comm_.is_root()) decision_ = control_.decide();
    broadcast(comm_, decision_);
}

void Dmrg::end_sweep() {
    const auto sweep = static_cast<std::size_t>(history_.sweeps);
    history_.energies[sweep] = half_.energy;
    history_.truncations[sweep] = half_.truncation;
    history_.search_errors[sweep] = half_.search_error;
    history_.truncation_costs[sweep] = half_.truncation_cost;
    history_.states[sweep] = static_cast<double>(half_.states);
    history_.requested_states[sweep] = control_.requested_states(sweep);  // needed if a later resume has no schedule
    ++history_.sweeps;
    decide();
    history_.requested_states[history_.sweeps] = decision_.next_states;
    history_.extra_noise[history_.sweeps] = decision_.extra_noise;
    if (decision_.finished) {
        measure();
        end_state();
    } else if (measures_before_more_states()) {
        measure();
        keep_as_before();
    }
}

/// After the end of the run a resume has given more sweeps. Values measured at the end, or before, are those at the
/// last M but one only where they were if the run had had these sweeps from the start.
void Dmrg::continue_last_state() {
    --table_.finished;
    const auto& schedule = plan_.config().schedule;
    const auto last = static_cast<std::ptrdiff_t>(history_.sweeps) - 1;
    if (measures_before_more_states())
        keep_as_before();
    else if (!control_.automatic() && std::any_of(schedule.begin() + last, schedule.end(), [&](const SweepSettings& s) {
                 return s.states != schedule[static_cast<std::size_t>(last)].states;
             }))
        states_before_ = 0;
}

void Dmrg::keep_as_before() {
    measured_before_ = measured_;
    states_before_ = static_cast<double>(half_.states);
}

std::string Dmrg::shortfall() const {
    if (!control_.automatic() || plan_.config().allow_unconverged) return {};
    const auto rank = unresolved_state();
    if (!rank) return {};
    const std::size_t state = states_by_energy()[*rank];
    const std::string which = n_states() == 1 ? "" : " of state " + std::to_string(*rank);
    const bool improvable = state + 1 == n_states() && table_.converged[state] == 0;
    const char* advice = improvable ? "Allow a larger run.max-states or more run.max-sweeps"
                                    : "States before the last one are not improved by a resumed run: start "
                                      "anew with a larger run.max-states or run.start-states";
    return formatted(
        "After %llu sweeps with up to %.0f states the energy%s is known to about %.2g, not to run.tolerance "
        "(%.2g). %s, or this with run.allow-unconverged = yes.",
        static_cast<unsigned long long>(first_sweep_ + history_.sweeps), table_.states[state], which.c_str(),
        errors_by_energy()[*rank], plan_.config().tolerance, advice);
}

}  // namespace strata::dmrg
