// SPDX-License-Identifier: BSD-3-Clause
// Checkpoints, rows of half sweeps, and results. Order of the measured values: each local operator at every site, bond
// energies, <H>, <F> and <H F> if the model has a spin flip F, one matrix per pair operator, then the observables of the
// user's own.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <map>

#include "comm/collectives.hpp"
#include "dmrg/run/dmrg.hpp"
#include "strata/error.hpp"

namespace strata::dmrg {
namespace {

/// Least value of 1 - |<F>| at which a state counts as mixed: a constant for rounding, and a multiple of the discarded
/// weight.
constexpr double min_part = 1e-6, truncated_part = 100;

std::vector<std::pair<int, int>> all_pairs(int sites) {
    std::vector<std::pair<int, int>> pairs;
    for (int i = 0; i < sites; ++i)
        for (int j = i + 1; j < sites; ++j) pairs.emplace_back(i, j);
    return pairs;
}

std::string found_prefix(std::size_t state) { return "found-" + std::to_string(state) + "-"; }

}  // namespace

Record Dmrg::record() {
    Record r("renormalization");
    r.field("sweeps", history_.sweeps)
        .field("start-energy", history_.start_energy)
        .field("energies", history_.energies)
        .field("truncations", history_.truncations);
    r.field("energies-to-right", history_.energies_to_right).field("costs-to-right", history_.costs_to_right);
    r.field("states", history_.states).field("entropies", entropies_).field("measured", measured_);
    r.field("entanglement-spectra", spectra_).field("found-spectra", table_.spectra);
    r.field("is-measured", is_measured_).field("first-sweep", first_sweep_);
    r.field("measured-before", measured_before_).field("states-before", states_before_);
    r.field("half-sweep", half_.sweep)
        .field("half-sweep-state", half_.state)
        .field("half-sweep-energy", half_.energy)
        .field("half-sweep-truncation", half_.truncation);
    r.field("half-sweep-residual", half_.residual).field("half-sweep-states", half_.states);
    r.field("half-sweep-truncation-cost", half_.truncation_cost).field("bond-energy", bond_energy_);
    r.field("truncation-costs", history_.truncation_costs).field("extra-noise", history_.extra_noise);
    r.field("half-sweep-products", half_.products).field("half-sweep-search-error", half_.search_error);
    r.field("search-errors", history_.search_errors).field("wanted-states", history_.requested_states);
    r.field("found", table_.finished).field("found-converged", table_.converged).field("found-states", table_.states);
    r.field("found-energies", table_.energies).field("found-errors", table_.errors);
    r.field("found-truncations", table_.truncations).field("found-entropies", table_.entropies);
    r.field("found-measured", table_.measured).field("found-ritz-values", table_.ritz);
    r.field("found-largest-overlap", table_.largest_overlap);
    return r;
}

/// The arrays refer to a copy of the tensors, because a resumed run gets their shapes only from the file.
std::vector<DistributedArray> Dmrg::state() {
    if (!restoring_) packed_ = PackedState::of(dmrg_.chain());
    return arrays(record());
}

std::vector<DistributedArray> Dmrg::arrays(const Record& numbers) {
    std::vector<DistributedArray> arrays = {numbers.array()};
    packed_.add_to(arrays, "", model());
    for (std::size_t i = 0; i < found_.size(); ++i) found_[i].add_to(arrays, found_prefix(i), model());
    return arrays;
}

void Dmrg::prepare_state(const std::vector<ArrayShape>& stored) {
    restoring_ = true;
    const auto is_stored = [&](std::size_t state) {
        return std::ranges::any_of(stored,
                                   [&](const ArrayShape& a) { return a.name == found_prefix(state) + "bonds"; });
    };
    while (found_.size() + 1 < n_states() && is_stored(found_.size())) found_.emplace_back();
    const auto sites = static_cast<std::size_t>(model().sites);
    for (const ArrayShape& shape : stored) {
        packed_.resize(sites, "", shape);
        for (std::size_t i = 0; i < found_.size(); ++i) found_[i].resize(sites, found_prefix(i), shape);
    }
}

void Dmrg::restored(std::uint64_t step) {
    restoring_ = false;
    steps_made_ = step;
    if (step == 0) return initialise();
    check_length(step);
    if (history_.sweeps > 0) decide();  // with the limits of the run that goes on
    for (const PackedState& state : found_) {
        state.unpack(0, dmrg_.chain());
        dmrg_.exclude_state();
    }
    const auto [centre, direction] = place_of(step - 1);
    packed_.unpack(centre, dmrg_.chain());
    dmrg_.tensors_were_set(direction);
}

/// The numbers of the search and the tensors of all states, without measured values.
std::vector<DistributedArray> Dmrg::final_state(const std::vector<ArrayShape>& stored) {
    if (std::ranges::count(stored, record().array().shape.name, &ArrayShape::name) == 0)
        throw CollectiveError(ExitCode::bad_input,
                              "The checkpoint holds no states of a search (run.task = states), with which this "
                              "measurement begins.");
    prepare_state(stored);
    return arrays(record().without({"measured", "measured-before", "states-before", "found-measured"}));
}

std::optional<std::uint64_t> Dmrg::begin_with_final_state(std::uint64_t step) {
    restored(step);
    if (table_.finished != n_states() || total_steps() != step) return {};
    for (std::size_t state = 0; state + 1 < n_states(); ++state) {
        ChainState chain(model(), dmrg_.algebra());
        found_[state].unpack(0, chain);
        measure(chain);
        keep_measured(state);
    }
    measure();
    keep_measured(n_states() - 1);
    return step;
}

std::size_t Dmrg::measured_values() const {
    const auto sites = static_cast<std::size_t>(model().sites);
    std::size_t pairs = 0;
    for_correlations([&](const PairOperator&, bool) { ++pairs; });
    return model().local.size() * sites + plan_.config().bonds.size() + (model().flips.empty() ? 1 : 3) +
           pairs * sites * sites + plan_.config().observable_lists.width();
}

std::size_t Dmrg::energy_among_measured() const {
    return model().local.size() * static_cast<std::size_t>(model().sites) + plan_.config().bonds.size();
}

std::span<const double> Dmrg::measured(std::size_t state) const {
    return std::span(table_.measured).subspan(state * measured_values(), measured_values());
}

/// A state that the spin flip changes is a mixture of an even and an odd state of nearly the same energy, which the
/// search cannot separate; the energies of its parts are upper bounds of the lowest even and odd energies.
std::optional<Dmrg::ByParity> Dmrg::by_parity() const {
    if (is_measured_ == 0 || model().flips.empty() || n_states() > 1) return std::nullopt;
    const std::size_t at = energy_among_measured();
    const double energy = measured_[at], overlap = measured_[at + 1], flipped = measured_[at + 2];
    const double discarded = history_.truncations[static_cast<std::size_t>(history_.sweeps) - 1];
    if (1 - std::abs(overlap) < std::max(min_part, truncated_part * discarded)) return std::nullopt;
    return ByParity{overlap, (energy + flipped) / (1 + overlap), (energy - flipped) / (1 - overlap)};
}

double Dmrg::energy(std::span<const double> last_row) const {
    const auto parts = by_parity();
    return parts ? std::min({last_row[2], parts->even, parts->odd}) : last_row[2];
}

void Dmrg::measure(const ChainState& chain) {
    const Timers::Scope scope = timers_.scope("measurement");
    const ExpectationValues values = expectation_values(comm_, dmrg_.algebra(), timers_, chain);
    const Measurement& m = values.real();
    auto to = measured_.begin();
    for (const LocalOperator& op : model().local) to = std::ranges::copy(m.local(op.values), to).out;
    const Measurement::Energies energies = values.energies(plan_.config().bonds);
    to = std::ranges::copy(energies.bonds, to).out;
    *to++ = energies.all;
    if (!model().flips.empty()) {
        const Measurement::Elements flip = m.spin_flip();
        *to++ = flip.overlap;
        *to++ = flip.energy;
    }
    is_measured_ = 1;
    measure_pairs(values, {to, measured_.end()});
    const DmrgConfig& c = plan_.config();
    std::ranges::copy(c.observable_lists.numbers(c.observables, [&](const auto& all) { return values.products(all); }),
                      measured_.end() - static_cast<std::ptrdiff_t>(c.observable_lists.width()));
    if (!model().complex) return;
    for (std::size_t cut = 0; cut < entropies_.size(); ++cut) {  // those of the steps are of the real state
        const std::vector<double> weights = values.weights(static_cast<int>(cut) + 1);
        entropies_[cut] = entropy(weights);
        std::ranges::copy(entanglement_spectrum(weights),
                          spectra_.begin() + static_cast<std::ptrdiff_t>(cut * spectrum_levels));
    }
}

/// Writes matrices [site][site], symmetric ones of real parts and antisymmetric ones of imaginary parts.
void Dmrg::measure_pairs(const ExpectationValues& values, std::span<double> to) const {
    const auto sites = static_cast<std::size_t>(model().sites);
    const std::vector<std::pair<int, int>> pairs = all_pairs(model().sites);
    for_correlations([&](const PairOperator& op, bool imaginary) {
        const std::vector<double> of_pairs = imaginary ? values.imaginary_pairs(op.channel, pairs)
                                                       : values.real().pairs(op.channel, pairs),
                                  on_site = imaginary ? std::vector<double>(sites) : values.real().local(op.on_site);
        for (std::size_t i = 0; i < sites; ++i) to[i * (sites + 1)] = on_site[i];
        for (std::size_t n = 0; n < pairs.size(); ++n) {
            const auto i = static_cast<std::size_t>(pairs[n].first), j = static_cast<std::size_t>(pairs[n].second);
            to[i * sites + j] = of_pairs[n];
            to[j * sites + i] = imaginary ? -of_pairs[n] : of_pairs[n];
        }
        to = to.subspan(sites * sites);
    });
}

void Dmrg::observe(std::vector<double>& rows) {
    rows.insert(rows.end(),
                {static_cast<double>(half_.sweep), static_cast<double>(half_.states), half_.energy, half_.truncation,
                 half_.residual, static_cast<double>(half_.products), half_.truncation_cost});
    if (n_states() > 1) rows.push_back(static_cast<double>(half_.state));
}

std::string Dmrg::broken_invariant(std::span<const double> row) const {
    if (std::isinf(row[2]))
        return "the superblocks have no state that is orthogonal to those found before: ask for fewer run.states.";
    if (!std::isfinite(row[2])) return "the energy is not a number.";
    const Conserved conserved = model().conserved;
    if (is_measured_ == 0 || conserved == Conserved::parity || conserved == Conserved::nothing) return {};
    double particles = 0;
    const auto sites = static_cast<std::size_t>(model().sites);
    const std::size_t species = model().kind == SiteKind::electrons ? 2 : 1;
    for (std::size_t i = 0; i < species * sites; ++i)
        particles += i >= sites && conserved == Conserved::spin ? 1 - measured_[i] : measured_[i];
    const double half = model().kind == SiteKind::spins ? 0.5 * static_cast<double>((model().states() - 1) * sites) : 0;
    const double expected = model().target.up + model().target.down - half;
    if (std::abs(particles - expected) < 1e-8 * (1 + static_cast<double>(sites))) return {};
    return "the measured particles, " + std::to_string(particles) + ", are not those of the sector, " +
           std::to_string(expected) + ".";
}

std::vector<Quantity> Dmrg::results(const Series& series) const {
    if (series.rows() == 0) return {};
    if (n_states() > 1 && table_.finished > 0) return results_of_states();
    std::vector<Quantity> q;
    add_state_under_way(series.row(series.rows() - 1), q);
    if (is_measured_ == 1) add_measured(measured_, "", q);
    if (states_before_ != 0) {
        q.push_back({"states-before", "1", "largest number of states kept at the last M but one", {states_before_}});
        add_measured(measured_before_, "-before", q);
    }
    return q;
}

void Dmrg::add_state_under_way(std::span<const double> last, std::vector<Quantity>& q) const {
    q.push_back({"energy", "energy", "lowest energy of the last half sweep; an upper bound", {energy(last)}});
    if (const auto parts = by_parity()) {
        q.push_back(
            {"energy-even", "energy", "of the part that turning all spins over does not change", {parts->even}});
        q.push_back({"energy-odd", "energy", "of the part that turning all spins over negates", {parts->odd}});
    }
    if (history_.sweeps > plan_.config().single_sweeps) {
        const double error = control_.error_estimate(is_measured_ == 1 && !signs_of_a_mixture().empty());
        if (const auto e = extrapolated_energy(history_, plan_.config().single_sweeps))
            q.push_back(
                {"energy-extrapolated", "energy", "to zero truncation error", {*e + energy(last) - last[2]}, {error}});
        q.push_back({"error-estimate",
                     "energy",
                     "of the energy: what truncation adds and what further sweeps can gain",
                     {error}});
    }
    q.push_back({"truncation-error", "1", "largest weight discarded at a bond of the last half sweep", {last[3]}});
    q.push_back({"states", "1", "largest number of states kept", {last[1]}});
    if (is_measured_ == 1 || !model().complex) add_entanglement(entropies_, spectra_, "", q);
}

void Dmrg::add_entanglement(std::span<const double> entropies, std::span<const double> spectra,
                            const std::string& suffix, std::vector<Quantity>& q) {
    const double half = entropies[(entropies.size() - 1) / 2];
    q.push_back({"entropy" + suffix, "1", "entanglement entropy of the two halves", {half}});
    q.push_back(
        Quantity{"entropies" + suffix, "1", "entanglement entropy at each bond", {entropies.begin(), entropies.end()}}
            .over("cut"));
    q.push_back(Quantity{
        "entanglement-spectrum" + suffix,
        "1",
        "largest weights of the density matrix at each bond, " + std::to_string(spectrum_levels) + " for every bond",
        {spectra.begin(), spectra.end()}}
                    .over("cut", "weight-number", spectrum_levels));
}

void Dmrg::add_measured(std::span<const double> values, const std::string& suffix, std::vector<Quantity>& q) const {
    const auto sites = static_cast<std::size_t>(model().sites);
    auto from = values.begin();
    const auto add = [&](const std::string& name, const std::string& unit, const std::string& meaning,
                         std::size_t count) {
        q.push_back({name + suffix, unit, meaning, {from, from + static_cast<std::ptrdiff_t>(count)}});
        from += static_cast<std::ptrdiff_t>(count);
    };
    const auto add_list = [&](const std::string& name, const std::string& unit, const std::string& meaning,
                              std::size_t count, const std::string& axis) {
        add(name, unit, meaning, count);
        q.back() = std::move(q.back()).over(axis);
    };
    for (const LocalOperator& op : model().local) add_list(op.name, "1", op.meaning, sites, "site");
    add_list("bond-energies", "energy", "of all terms of two sites, in the order of the sites",
             plan_.config().bonds.size(), "bond");
    add("measured-energy", "energy", "<H> of the state that is kept", 1);
    if (!model().flips.empty()) {
        add("spin-flip", "1", "<F>, F turning all spins over: 1 or -1 unless states are mixed", 1);
        ++from;
    }
    for_correlations([&](const PairOperator& op, bool imaginary) {
        add(op.name + (imaginary ? "-imaginary" : ""), "1", (imaginary ? "imaginary part of " : "") + op.meaning,
            sites * sites);
        q.back() = std::move(q.back()).over("site", "other-site", sites);
    });
    for (Quantity& own : plan_.config().observable_lists.quantities({from, values.end()})) {
        if (own.role == Role::coordinate && !suffix.empty()) continue;
        own.name += suffix;
        std::ranges::replace(own.axes, "bond", "neighbours");  // the bonds of bond-energies have another order
        q.push_back(std::move(own));
    }
}

std::vector<Figure> Dmrg::performance(std::uint64_t steps, double seconds) const {
    return performance_of_bonds(steps, seconds, dmrg_.flops());
}

}  // namespace strata::dmrg
