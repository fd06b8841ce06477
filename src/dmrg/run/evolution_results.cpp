// SPDX-License-Identifier: BSD-3-Clause
// Rows and results of a time evolution. A row has the values of columns_of() in their order.
#include <algorithm>
#include <cmath>

#include "dmrg/run/evolution.hpp"
#include "strata/formatted.hpp"

namespace strata::dmrg {
namespace {

enum : std::size_t { at_time, at_energy, at_discarded, at_step_error, at_states, at_echo, at_entropy, first_local };

using Part = Measurement::ComplexPart;

}  // namespace

std::vector<Column> Evolution::columns_of(const DmrgConfig& config) {
    const Model& model = config.model;
    std::vector<Column> columns = {
        {"time", "1/energy", "time, hbar = 1", Role::coordinate},
        {"energy", "energy",
         config.evolution.driven.empty() ? "expectation value; it is conserved but for truncations" : driven_energy},
        {"discarded-weight", "1", "weight that all truncations so far have taken from the state"},
        {"step-error", "1",
         "error of local values: twice the largest difference so far from an evolution with sweeps of twice the time "
         "and fewer states, and no less than the amplitudes that evolution.cutoff leaves out"},
        {"states", "1", "largest number of states kept since the last row"},
        {"loschmidt-echo", "1", "|<psi(0)|psi(t)>|^2"},
        {"entropy", "1", "entanglement entropy of the two halves"}};
    add_drive_columns(config.evolution.drive, columns);
    if (!config.evolution.driven.empty() && config.evolution.estimates_error)
        columns.push_back(
            {"energy-error", "energy",
             "of energy and work: twice the largest difference so far from those of the second evolution"});
    for (const LocalOperator& op : model.local)
        for (int i = 0; i < model.sites; ++i) columns.push_back(member_column(op.name, "site", {i}, "1", op.meaning));
    for (int cut = 0; cut + 1 < model.sites; ++cut)
        columns.push_back(member_column("entropies", "cut", {cut}, "1", "entanglement entropy at each bond"));
    config.observable_lists.add_columns(columns);
    if (!config.evolution.estimates_error) columns.erase(columns.begin() + at_step_error);
    return columns;
}

std::vector<double> Evolution::local_values(const Measurement& m) const {
    std::vector<double> all;
    for (const LocalOperator& op : model().local) std::ranges::copy(m.local(op.values), std::back_inserter(all));
    return all;
}

/// <H(t)>.
double Evolution::energy(const ExpectationValues& values, std::span<const double> factors) const {
    double sum = values.energies(plan_.config().bonds).all;
    for (std::size_t n = 0; n < factors.size(); ++n) {
        std::vector<OperatorProduct> products;
        std::vector<Complex> coefficients;
        for (const auto& [product, coefficient] : settings().driven[n].op.terms()) {
            products.push_back(product);
            coefficients.push_back(coefficient);
        }
        const std::vector<std::complex<double>> means = values.products(products);
        for (std::size_t k = 0; k < means.size(); ++k) sum += factors[n] * (coefficients[k] * means[k]).real();
    }
    return sum;
}

void Evolution::observe(std::vector<double>& rows) {
    const Timers::Scope scope = timers_.scope("measurement");
    const ExpectationValues values(model(), fine().algebra(), fine().chain());
    const Measurement& real = values.real();
    std::vector<double> row(first_local);
    const std::vector<double> local = local_values(real);
    if (evolutions_.has_coarse()) {
        const std::vector<double> other =
            local_values(Measurement(model(), fine().algebra(), evolutions_.of(true).chain(), Part::real));
        // a difference may vanish by chance, so that the largest one so far counts
        for (std::size_t i = 0; i < local.size(); ++i)
            s_.step_error = std::max(s_.step_error, 2 * std::abs(local[i] - other[i]));
        const TdvpSettings next = tdvp_settings(false, 0);
        row[at_step_error] =
            std::max(s_.step_error, evolutions_.resolution(settings().cutoff, next.time, next.largest_factors));
    }
    std::vector<double> factors;
    for (const DrivenOperator& v : settings().driven) factors.push_back(v.factor.from(time()));
    row[at_time] = time();
    row[at_energy] = energy(values, factors);
    if (s_.rows == 0) s_.first_energy = row[at_energy];
    if (is_driven()) row.push_back(row[at_energy] - s_.first_energy);
    row.insert(row.end(), factors.begin(), factors.end());
    if (is_driven() && evolutions_.has_coarse()) {
        const ExpectationValues coarse(model(), fine().algebra(), evolutions_.of(true).chain());
        s_.energy_error = std::max(s_.energy_error, 2 * std::abs(row[at_energy] - energy(coarse, factors)));
        row.push_back(s_.energy_error);
    }
    row[at_discarded] = 1 - s_.kept;
    row[at_states] = static_cast<double>(s_.states);
    row[at_echo] = std::norm(first_->overlap(real));
    row.insert(row.end(), local.begin(), local.end());
    append_entropies(values, row);
    const DmrgConfig& c = plan_.config();
    const std::vector<double> own =
        c.observable_lists.numbers(c.observables, [&](const auto& products) { return values.products(products); });
    row.insert(row.end(), own.begin(), own.end());
    const double of_energy = is_driven() ? s_.energy_error : std::abs(row[at_energy] - s_.first_energy);
    judge(std::max({row[at_step_error], row[at_discarded], of_energy / static_cast<double>(model().sites)}),
          row[at_time]);
    if (!evolutions_.has_coarse()) row.erase(row.begin() + at_step_error);
    rows.insert(rows.end(), row.begin(), row.end());
    ++s_.rows;
}

void Evolution::append_entropies(const ExpectationValues& values, std::vector<double>& row) const {
    std::vector<double> entropies(static_cast<std::size_t>(model().sites) - 1);
    for_each(fine().algebra(), entropies.size(),
             [&](std::size_t cut) { entropies[cut] = dmrg::entropy(values.weights(static_cast<int>(cut) + 1)); });
    row[at_entropy] = entropies[(entropies.size() - 1) / 2];
    row.insert(row.end(), entropies.begin(), entropies.end());
}

void Evolution::judge(double worst, double at_time) {
    if (worst > settings().tolerance && s_.worst_time < 0) s_.worst_time = at_time;
    s_.worst = std::max(s_.worst, worst);
}

std::string Evolution::judged() const {
    return std::string("the largest of step-error, discarded-weight and ") +
           (is_driven() ? "energy-error per site" : "the change of the energy per site");
}

std::string Evolution::broken_invariant(std::span<const double> row) const {
    for (const double x : row)
        if (!std::isfinite(x)) return "a value is not a number.";
    return {};
}

std::string Evolution::log_line(std::span<const double> row) const {
    const std::string error = evolutions_.has_coarse() ? formatted("  step-error %7.1e", row[at_step_error]) : "";
    const std::size_t shift = evolutions_.has_coarse() ? 0 : 1;
    return formatted("time %8.4g  M %5.0f  energy %16.10f  entropy %7.4f  discarded %7.1e", row[at_time],
                     row[at_states - shift], row[at_energy], row[at_entropy - shift], row[at_discarded]) +
           error;
}

std::string Evolution::shortfall() const {
    if (plan_.config().allow_unconverged) return {};
    if (s_.searched_well == 0)
        return formatted(
            "The energy of the initial ground state is known to about %.2g, not to run.tolerance (%.2g). Allow a "
            "larger "
            "run.max-states or more run.max-sweeps, or this with run.allow-unconverged = yes.",
            s_.search_error, plan_.config().tolerance);
    if (s_.worst_time < 0) return {};
    return formatted(
        "From time %.4g on %s is above evolution.tolerance (%.2g); the largest is %.2g. Allow a larger "
        "evolution.max-states, a smaller evolution.cutoff, more evolution.sweeps, or this with "
        "run.allow-unconverged = yes.",
        s_.worst_time, judged().c_str(), settings().tolerance, s_.worst);
}

std::string Evolution::remark() const {
    if (!started()) return "The initial state has not been found yet.";
    std::string text =
        evolutions_.has_coarse()
            ? "step-error compares with an evolution of half as many sweeps and fewer states."
            : "Errors by time steps and by truncation were not estimated (evolution.estimate-error = no).";
    if (settings().initial.start == InitialStateKind::product) return text;
    return text +
           (s_.starts_mixed == 1
                ? " The initial ground state is a mixture: its level is degenerate or nearly so, or the search has not "
                  "converged, and all values depend on the mixture and so on run.seed."
                : " Whether other states have the energy of the initial ground state was not looked for.");
}

std::vector<Quantity> Evolution::results(const Series& series) const {
    std::vector<Quantity> q;
    if (settings().initial.start == InitialStateKind::ground_state && started())
        q.push_back({"initial-energy",
                     "energy",
                     formatted("of the ground state of %s", settings().initial.hamiltonian()),
                     {s_.search_energy},
                     {s_.search_error}});
    if (settings().op && started())
        q.push_back({"initial-norm",
                     "1",
                     "of evolution.operator on the initial state, before normalisation",
                     {s_.initial_norm}});
    if (series.rows() == 0) return q;
    const std::span<const double> last = series.row(series.rows() - 1);
    for (std::size_t c = 0; c < columns_.size(); ++c)
        if (columns_[c].axis.empty())
            q.push_back({columns_[c].name, columns_[c].unit, "in the last row: " + columns_[c].meaning, {last[c]}});
    q.push_back({"largest-error", "1", "of all rows: " + judged(), {s_.worst}});
    q.push_back(
        {"krylov-error", "1", "bound of the sum of the errors of all exponentials, as norms", {s_.krylov_error}});
    return q;
}

std::vector<Figure> Evolution::performance(std::uint64_t steps, double seconds) const {
    return performance_of_bonds(steps, seconds, evolutions_.flops());
}

}  // namespace strata::dmrg
