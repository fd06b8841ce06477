// SPDX-License-Identifier: BSD-3-Clause
// Control of sweeps. A run without schedule increases M from sweep to sweep until the estimated error of the energy is
// below run.tolerance.
#include "dmrg/run/dmrg.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "comm/collectives.hpp"
#include "kernels/instruction_sets.hpp"
#include "strata/error.hpp"
#include "strata/formatted.hpp"

namespace strata::dmrg {
namespace {

/// Norm of the random part of guesses in sweeps with noise.
constexpr double random_part = 1e-3;

/// Noise of a sweep that follows a slow sweep without noise: it restores states that the density matrices have lost.
constexpr double noise_of_slow_runs = 1e-4;

/// Bounds of the factor between the M of successive sweeps.
constexpr double min_growth = 1.25, max_growth = 2;

}  // namespace

Dmrg::Dmrg(const Communicator& comm, const DmrgPlan& plan, const superblock::MakeOperator& make)
    : comm_(comm),
      plan_(plan),
      dmrg_(comm, plan_.config().model, Algebra(plan.config().simd, plan.threads()), make, timers_),
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

std::string Dmrg::backend() const {
    const std::string cpu =
        "cpu " + std::string(choose_kernels(kronecker::block_variants<double>(), plan_.config().simd).name);
    return plan_.backend() == BackendKind::cuda ? "cuda for large superblocks, " + cpu : cpu;
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
    s.truncation = {requested_states(sweep), c.cutoff, noise(sweep)};
    const std::uint64_t most = products(sweep);
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
    return std::max(0.003 * std::sqrt(plan_.config().tolerance), 0.1 * energy_scale() * std::sqrt(weight));
}

/// Requested M of a sweep: from the schedule, or chosen at the end of the previous sweep.
std::uint64_t Dmrg::requested_states(std::uint64_t sweep) const {
    const DmrgConfig& c = plan_.config();
    if (!automatic()) return c.schedule[std::min<std::size_t>(sweep, c.schedule.size() - 1)].states;
    return sweep == 0 ? std::min(c.start_states, c.max_states) : history_.requested_states[sweep];
}

/// M of the next sweep. A state of which nothing was discarded gets twice the M that it has used, and at least that of
/// the starts. M stays the same if the last half sweep gained much more energy than truncations have cost, because
/// further sweeps at small M are cheaper. Otherwise it is the M predicted for run.tolerance, within the bounds of the
/// growth factor.
std::uint64_t Dmrg::next_states() const {
    constexpr double unsettled = 10;
    const std::uint64_t states = requested_states(history_.last());
    if (noise(history_.last()) == 0 && history_.truncations[history_.last()] < exact_truncation &&
        has_unused_states()) {
        const auto used = static_cast<std::uint64_t>(history_.states[history_.last()]);
        return std::min(states, std::max(2 * used, plan_.config().states_of_starts()));
    }
    const bool settled = std::abs(history_.gained_in_half_sweep()) <=
                         std::max(unsettled * history_.truncation_costs[history_.last()], plan_.config().tolerance);
    if (!settled && !(is_slow() && has_unused_states())) return states;
    const auto more = static_cast<std::uint64_t>(std::ceil(growth_of_states() * static_cast<double>(states)));
    return std::min(more, plan_.config().max_states);
}

double Dmrg::noise(std::uint64_t sweep) const {
    return std::max(plan_.config().noise_of(sweep), history_.extra_noise[sweep]);
}

/// True if, after a sweep without noise, the energy that further sweeps can gain, that was lost since an earlier sweep,
/// or that sweeps with noise have gained, exceeds both half of run.tolerance and the error of the truncation.
bool Dmrg::is_slow() const {
    const DmrgConfig& c = plan_.config();
    const double gain = std::max({remaining_gain(history_, c.single_sweeps), history_.above_lowest(c.single_sweeps),
                                  gain_through_noise().value_or(0)});
    const double least = std::max(c.tolerance / 2, truncation_estimate(history_, c.single_sweeps));
    return automatic() && noise(history_.last()) == 0 && gain > least;
}

/// Twice the energy that the last sweeps with noise and the sweeps after them have gained on the sweep before them,
/// beyond twice the cost of its truncations. Nothing if there was no sweep with noise after one without.
std::optional<double> Dmrg::gain_through_noise() const {
    std::uint64_t s = history_.sweeps;
    while (s > 0 && noise(s - 1) == 0) --s;
    while (s > 0 && noise(s - 1) > 0) --s;
    if (s == 0) return std::nullopt;
    const double gain = history_.energies[s - 1] - history_.energies[history_.last()];
    return 2 * std::max(0.0, gain - 2 * history_.truncation_costs[s - 1]);
}

/// True if the truncation is exact, so that a larger M cannot show that a lower state was missed, and no sweep with
/// noise has followed a sweep without.
bool Dmrg::is_unconfirmed() const {
    return automatic() && history_.truncations[history_.last()] < exact_truncation && !gain_through_noise();
}

bool Dmrg::has_unused_states() const {
    return history_.states[history_.last()] < static_cast<double>(requested_states(history_.last()));
}

/// Factor by which M must grow for run.tolerance, if the discarded weight continues to fall with the power of M of the
/// last sweeps; nothing if they do not determine it.
std::optional<double> Dmrg::required_growth() const {
    constexpr double margin = 2;
    if (history_.sweeps < 2) return std::nullopt;
    const auto last = static_cast<std::size_t>(history_.sweeps) - 1;
    const double tolerance = plan_.config().tolerance;
    const double excess = truncation_estimate(history_, plan_.config().single_sweeps) / tolerance;
    for (std::size_t before = last; before-- > 0;) {
        const double states = history_.states[last] / history_.states[before],
                     weights = history_.truncations[before] / history_.truncations[last];
        if (states < min_growth) continue;
        if (!(weights > states)) return std::nullopt;  // also false for 0 / 0
        return std::pow(margin * excess, std::log(states) / std::log(weights));
    }
    return std::nullopt;
}

double Dmrg::growth_of_states() const {
    return std::clamp(required_growth().value_or(max_growth), min_growth, max_growth);
}

/// Largest number of multiplications per bond in a sweep. In a run without schedule it is doubled for every previous
/// sweep that did not use all its states.
std::uint64_t Dmrg::products(std::uint64_t sweep) const {
    constexpr std::uint64_t limit = 1000;
    std::uint64_t most = plan_.config().products;
    for (std::uint64_t s = 0; automatic() && s < std::min(sweep, history_.sweeps) && most < limit; ++s)
        if (history_.states[s] < static_cast<double>(requested_states(s))) most *= 2;
    return std::min(most, std::max(limit, plan_.config().products));
}

std::uint64_t Dmrg::total_steps() const {
    const DmrgConfig& c = plan_.config();
    const std::uint64_t of_state = automatic() ? c.max_sweeps : c.schedule.size();
    const std::uint64_t left = n_states() - table_.finished;
    const bool done = automatic() && left == 0 && decision_.finished;
    return (first_sweep_ + (done ? history_.sweeps : std::max<std::uint64_t>(left, 1) * of_state)) * bonds_per_sweep();
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

void Dmrg::end_sweep() {
    const auto sweep = static_cast<std::size_t>(history_.sweeps);
    history_.energies[sweep] = half_.energy;
    history_.truncations[sweep] = half_.truncation;
    history_.search_errors[sweep] = half_.search_error;
    history_.truncation_costs[sweep] = half_.truncation_cost;
    history_.states[sweep] = static_cast<double>(half_.states);
    history_.requested_states[sweep] = requested_states(sweep);  // needed if the schedule is removed by a later resume
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

/// Rank 0 decides after a sweep, since the logarithms of two nodes may differ in the last bit. Collective.
void Dmrg::decide() {
    if (comm_.is_root()) {
        const bool ends_unconfirmed = is_unconfirmed() && noise(history_.last()) == 0 && converged();
        decision_ = {next_states(), is_slow() || ends_unconfirmed ? noise_of_slow_runs : 0, finished(), converged()};
    }
    broadcast(comm_, decision_);
}

/// After the end of the run a resume has given more sweeps. Values measured at the end, or before, are those at the
/// last M but one only where they were if the run had had these sweeps from the start.
void Dmrg::continue_last_state() {
    --table_.finished;
    const auto& schedule = plan_.config().schedule;
    const auto last = static_cast<std::ptrdiff_t>(history_.sweeps) - 1;
    if (measures_before_more_states())
        keep_as_before();
    else if (!automatic() && std::any_of(schedule.begin() + last, schedule.end(), [&](const SweepSettings& s) {
                 return s.states != schedule[static_cast<std::size_t>(last)].states;
             }))
        states_before_ = 0;
}

void Dmrg::keep_as_before() {
    measured_before_ = measured_;
    states_before_ = static_cast<double>(half_.states);
}

/// True if the next sweep has a larger M and may begin the last group of sweeps of equal M.
bool Dmrg::measures_before_more_states() const {
    const std::uint64_t sweep = history_.sweeps - 1;
    if (n_states() > 1 || requested_states(sweep + 1) <= requested_states(sweep)) return false;
    if (automatic()) return noise(sweep) == 0;
    const auto& schedule = plan_.config().schedule;
    return std::all_of(schedule.begin() + static_cast<std::ptrdiff_t>(sweep) + 1, schedule.end(),
                       [&](const SweepSettings& s) { return s.states == schedule.back().states; });
}

/// The magnitude of the largest coupling.
double Dmrg::energy_scale() const {
    double scale = 0;
    for (const Coupling& c : model().couplings) scale = std::max(scale, std::abs(c.amplitude));
    return scale;
}

/// Bound of the rounding error of an energy, from a bound of the norm of H and one rounding per site.
double Dmrg::rounding() const {
    double norm = 0;
    for (const Coupling& c : model().couplings) norm += 2 * std::abs(c.amplitude);
    for (const std::vector<double>& site : model().energies)
        norm += std::abs(*std::ranges::max_element(site, {}, [](double e) { return std::abs(e); }));
    return std::numeric_limits<double>::epsilon() * norm * static_cast<double>(model().sites);
}

double Dmrg::error_estimate() const {
    const double error = dmrg::error_estimate(history_, plan_.config().single_sweeps, rounding());
    return automatic() ? std::max(error, gain_through_noise().value_or(0)) : error;
}

bool Dmrg::converged() const { return history_.sweeps >= 2 && error_estimate() <= plan_.config().tolerance; }

bool Dmrg::finished() const {
    const DmrgConfig& c = plan_.config();
    if (!automatic()) return history_.sweeps >= c.schedule.size();
    if (history_.sweeps >= c.max_sweeps) return true;
    if (history_.sweeps < 2 + c.single_sweeps || noise(history_.sweeps - 1) > 0) return false;
    if (converged()) return !is_unconfirmed();
    const bool at_limit = requested_states(history_.sweeps - 2) == c.max_states;
    return at_limit && std::abs(history_.gained_in_sweep()) < 0.1 * c.tolerance;
}

std::string Dmrg::shortfall() const {
    if (!automatic() || plan_.config().allow_unconverged) return {};
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
