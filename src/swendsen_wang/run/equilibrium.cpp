// SPDX-License-Identifier: BSD-3-Clause
// Whether the states of a run and the number of its observations allow errors, and the sentences about those that do not.
#include "swendsen_wang/run/equilibrium.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "strata/formatted.hpp"
#include "swendsen_wang/physics/phase_coexistence.hpp"
#include "swendsen_wang/state/observation.hpp"

namespace strata::swendsen_wang {
namespace {

/// Sum over the observations of f(share of the largest cluster, sum of the squared shares of all clusters), times the
/// number of clusters or sweeps from one observation to the next.
template <class F>
double sum_over_clusters(const SwendsenWangConfig& c, const Series& series, F f) {
    const std::vector<double> largest = series.column(largest_cluster, 0, series.rows()),
                              squares = series.column(cluster_2, 0, series.rows());
    double sum = 0;
    for (std::size_t i = 0; i < largest.size(); ++i) sum += f(largest[i], squares[i]);
    return sum * static_cast<double>(c.measure_every * c.clusters_per_sweep);
}

/// Mean number of times that a site of a frustrated lattice has moved against the largest cluster, which is all that
/// clusters can do where nearly all sites are in one; infinite without frustration. With the share L of the largest
/// cluster, a sweep moves the share 1 - L outside it. A single cluster moves the same sites if it is the largest one, and
/// else its own, on average L (1 - L) + (sum of squared shares - L^2).
double moves(const SwendsenWangConfig& c, const Series& series) {
    if (!c.frustrated() || !c.changes_clusters()) return std::numeric_limits<double>::infinity();
    return sum_over_clusters(c, series, [&](double largest, double squares) {
        return c.grows_clusters() ? squares + largest * (1 - 2 * largest) : 1 - largest;
    });
}

/// Mean number of single clusters that a site has been in; infinite for other updates, whose sweeps visit all sites.
double visits(const SwendsenWangConfig& c, const Series& series) {
    if (!c.grows_clusters()) return std::numeric_limits<double>::infinity();
    return sum_over_clusters(c, series, [](double, double squares) { return squares; });
}

/// Whether a Potts model near a transition of first order was seen in a phase that others may outweigh.
bool may_be_metastable(const SwendsenWangConfig& c, const Series& series, const analysis::Transient& thermalization) {
    if (c.states == 2) return false;
    std::vector<double> energies =
        series.column(energy_column, thermalization.rows, series.rows() - thermalization.rows);
    const double tau = analysis::gamma_method(energies).tau;
    return may_be_metastable(PottsLattice{c.extents, c.bonds_per_site(), c.states}, c.reduced_coupling(), tau,
                             std::move(energies));
}

/// Names as a list, and their verb, e.g. "binder and magnetisation-4 have".
std::string subject(const std::vector<std::string>& names) {
    std::string text;
    for (std::size_t i = 0; i < names.size(); ++i)
        text += (i == 0 ? "" : i + 1 < names.size() ? ", " : " and ") + names[i];
    return text + (names.size() > 1 ? " have" : " has");
}

double slowest_tau(const std::vector<Quantity>& table) {
    double slowest = 0;
    for (const Quantity& q : table)
        if (!q.tau.empty()) slowest = std::fmax(slowest, q.tau[0]);
    return slowest;
}

}  // namespace

analysis::Transient thermalization(const SwendsenWangConfig& c, const Series& series) {
    const SeriesColumn columns[] = {energy_column, absolute_magnetisation, c.clusters ? cluster_2 : magnetisation_2};
    if (!c.finds_thermalization)
        return {0, std::ranges::none_of(
                       columns, [&](SeriesColumn i) { return analysis::drifts(series.column(i, 0, series.rows())); })};
    return analysis::find_transient(std::size(columns),
                                    [&](std::size_t i) { return series.column(columns[i], 0, series.rows()); });
}

std::string obstacle_to_equilibrium(const SwendsenWangConfig& c, const Series& series,
                                    const analysis::Transient& thermalization) {
    if (series.rows() == 0) return {};
    if (moves(c, series) < least_moves)
        return "Bonds that cannot all be satisfied frustrate the lattice, and nearly all sites were in one cluster: "
               "spins hardly moved against each other, the states may be far from equilibrium, and no errors are "
               "given. Raise run.sweeps or the temperature, and compare run.start = hot with cold.";
    if (visits(c, series) < least_moves)
        return "Every site was in fewer than 100 of the single clusters on average: the states may be far from "
               "equilibrium, and no errors are given. Raise run.sweeps, or run.clusters-per-sweep to about the sites "
               "of "
               "the lattice over the sites of a cluster.";
    if (c.may_freeze())
        return !c.changes_clusters()
                   ? "Single-spin updates below the transition may stay in the domains that this start leaves, or at "
                     "one sign of the magnetisation in a weak field, for the whole run, and no errors are given. "
                     "Compare with run.update = mixed or swendsen-wang, and with run.start = cold."
                   : "In a field, clusters move little below the transition unless all couplings are positive: the run "
                     "may stay in the domains that this start leaves, and no errors are given. Compare run.update = "
                     "mixed with metropolis, and run.start = hot with cold.";
    if (may_be_metastable(c, series, thermalization))
        return "The transition of this Potts model is of first order, and near it a run may stay in the phase where it "
               "started; this one saw mostly one phase, which others may outweigh, and no errors are given. Compare "
               "run.start = hot with cold.";
    return {};
}

bool reaches_target(const SwendsenWangConfig& c, std::uint64_t observations, const std::vector<Quantity>& table) {
    constexpr double least_in_tau = 400;
    const auto row = std::ranges::find(table, c.target, &Quantity::name);
    return row != table.end() && row->error[0] <= c.target_error &&
           static_cast<double>(observations) >= least_in_tau * slowest_tau(table);
}

bool few_observations(const SwendsenWangConfig& c, std::span<const double> energies,
                      const std::vector<Quantity>& table) {
    constexpr double least = 40, least_in_tau = 50;
    return static_cast<double>(energies.size()) < std::max(least, least_in_tau * slowest_tau(table)) ||
           analysis::departs_rarely(energies, fewest_departures(c));
}

std::string remark_on_few_observations(const std::string& where) {
    return "There are fewer than 40 observations, or than 50 tau_int, or the energy rarely left one value" + where +
           ": errors are rough, and left out where they would say nothing; raise run.sweeps.";
}

std::string remark_on_length(const SwendsenWangConfig& c, const Series& series,
                             const analysis::Transient& thermalization, const std::vector<Quantity>& table) {
    if (table.empty()) return {};
    if (!thermalization.ended && !c.finds_thermalization)
        return "Means still change along the run: the first and the last third of it differ by more than 4 sigma, and "
               "no errors are given. Raise run.thermalization and run.sweeps, and compare run.start = hot with cold.";
    if (!thermalization.ended)
        return "The end of the thermalization is not found: fewer than 70 tau_int were observed, or means still change "
               "along the run. The second half is shown, without errors; raise run.sweeps.";
    const std::uint64_t observations = series.rows() - thermalization.rows;
    const std::vector<double> energies = series.column(energy_column, thermalization.rows, observations);
    if (!few_observations(c, energies, table))
        return c.target_error == 0 || reaches_target(c, observations, table)
                   ? std::string()
                   : "run.target-error is not reached, or there are fewer than 400 tau_int to show it; raise "
                     "run.sweeps.";
    return remark_on_few_observations();
}

std::string remark_on(const Withheld& withheld, std::uint64_t sweeps) {
    const Lack& lack = withheld.lack;
    if (withheld.names.empty()) return {};
    return subject(withheld.names) +
           formatted(
               " no error: states with domain walls across the lattice, or against the field, have a weight of %.1e "
               "and %.0f %% of the variance, which hardly any of these sweeps show; give about %.1e sweeps.",
               lack.weight, 100 * lack.share, static_cast<double>(sweeps) * lack.longer);
}

Evaluation evaluate(const SwendsenWangConfig& c, const Series& series) {
    const analysis::Transient start = thermalization(c, series);
    const std::string obstacle = obstacle_to_equilibrium(c, series, start);
    Withheld withheld;
    Evaluation e = {estimate(c, series, start, obstacle.empty(), withheld), obstacle, start.rows};
    if (obstacle.empty()) e.remark = remark_on_length(c, series, start, e.table);
    if (e.remark.empty()) e.remark = remark_on(withheld, c.sweeps);
    return e;
}

}  // namespace strata::swendsen_wang
