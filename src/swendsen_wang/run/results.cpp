// SPDX-License-Identifier: BSD-3-Clause
// Observables with errors: means by the Gamma method (U. Wolff, CPC 156, 143 (2004)), functions of means by the
// jackknife, and exact values in two dimensions. A number is NaN if it is undefined or cannot be determined from the
// observations.
#include "swendsen_wang/run/results.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <span>
#include <tuple>

#include "analysis/estimate.hpp"
#include "swendsen_wang/physics/exact.hpp"
#include "swendsen_wang/run/point.hpp"
#include "swendsen_wang/run/rare_states.hpp"
#include "swendsen_wang/state/observation.hpp"

namespace strata::swendsen_wang {
namespace {

using analysis::Estimate;

constexpr double nan = std::numeric_limits<double>::quiet_NaN();

/// Maximum number of columns that are copied at a time: two, and two more by the error estimate of their function.
constexpr std::size_t most_copied_columns = 4;

// Every function below estimates one row of the table from the observations.
/// C = K^2 N (<e^2> - <e>^2).
Estimate specific_heat(const Point& p) {
    // fluctuations about the mean, because <e^2> - <e>^2 loses digits at large N
    const double mean = p.mean(energy_column).value, factor = p.reduced() * std::sqrt(p.sites);
    std::vector<double> deviation = p.column(energy_column), squares;
    squares.reserve(deviation.size());
    for (double& d : deviation) {
        d = times(d - mean, factor);
        squares.push_back(d * d);
    }
    const std::span<const double> both[] = {deviation, squares};
    return p.function(both, [](Means m) { return m[1] - square(m[0]); });
}

/// Binder cumulant U = 1 - <m^4> / (3 <m^2>^2) (K. Binder, Z. Phys. B 43, 119 (1981)).
Estimate binder(const Point& p) {
    return p.function({magnetisation_2, magnetisation_4}, [](Means m) { return 1 - m[1] / (3 * square(m[0])); });
}

/// beta N (<m^2> - <|m|>^2), which has a maximum near T_c on a finite lattice; in a field with m in place of |m|.
template <SeriesColumn Magnetisation, SeriesColumn Square = magnetisation_2>
Estimate connected_susceptibility(const Point& p) {
    const double factor = p.beta * p.sites;
    return p.function({p.place(Square), p.place(Magnetisation)},
                      [=](Means m) { return times(m[0] - square(m[1]), factor); });
}

/// Second-moment correlation length xi = sqrt(1 / r - 1) / (2 sin(k / 2)), r = F / chi: F at the smallest k, chi at k = 0.
/// It is defined if r lies between 0 and 1 by more than its error, which is two-sided because xi is far from linear in r.
/// An ordered lattice has none: chi then contains the square of the order parameter, and xi grows with the lattice without
/// bound.
Estimate length_of_ratio(const Point& p, const Estimate& r) {
    constexpr double above_zero = 1.5, below_one = 3, ordered = 2;
    const double sine = 2 * std::sin(std::numbers::pi / p.longest);
    const auto length = [sine](double ratio) { return std::sqrt(1 / ratio - 1) / sine; };
    if (!(r.value - above_zero * r.error > 0) || !(r.value + below_one * r.error < 1)) return {nan, nan, nan};
    const double value = length(r.value);
    if (value > ordered * p.longest) return {nan, nan, nan};
    return {value, (length(r.value - r.error) - length(r.value + r.error)) / 2, r.tau};
}

/// chi = N <sum size^2> / N^2, without clusters N <m^2>.
Estimate correlation_length(const Point& p) {
    return length_of_ratio(p, p.function({p.place(structure_factor), p.clusters ? cluster_2 : magnetisation_2},
                                         [&](Means m) { return m[0] / (p.sites * m[1]); }));
}

/// Binder cumulant of the staggered magnetisation, from clusters: <m^2> = <sum size^2> / N^2, <m^4> = <3 (sum size^2)^2
/// - 2 sum size^4> / N^4.
Estimate staggered_binder(const Point& p) {
    const std::vector<double> second = p.column(cluster_2);
    std::vector<double> fourth = p.column(cluster_4);
    for (std::size_t i = 0; i < fourth.size(); ++i) fourth[i] = 3 * square(second[i]) - 2 * fourth[i];
    const std::span<const double> both[] = {second, fourth};
    return p.function(both, [](Means m) { return 1 - m[1] / (3 * square(m[0])); });
}

using Rule = bool (*)(const SwendsenWangConfig&);
bool always(const SwendsenWangConfig&) { return true; }
bool in_field(const SwendsenWangConfig& c) { return c.field != 0; }
bool improved_in_field(const SwendsenWangConfig& c) { return c.improves_in_field(); }
bool in_field_not_improved(const SwendsenWangConfig& c) { return in_field(c) && !improved_in_field(c); }
bool without_field(const SwendsenWangConfig& c) { return c.field == 0; }
bool ferromagnetic(const SwendsenWangConfig& c) { return c.ferromagnetic() && c.field == 0; }
bool clusters_without_field(const SwendsenWangConfig& c) { return c.clusters && without_field(c); }
bool ferromagnetic_clusters(const SwendsenWangConfig& c) { return c.clusters && ferromagnetic(c); }
bool periodic_ferromagnet(const SwendsenWangConfig& c) { return ferromagnetic(c) && c.periodic(); }
/// Whether a flip of one sublattice makes all couplings positive.
bool staggered(const SwendsenWangConfig& c) {
    SwendsenWangConfig flipped = c;
    flipped.coupling = -c.coupling;
    return ferromagnetic(flipped) && c.bipartite() && c.clusters;
}

/// A row of the table, the function that estimates it, and the jobs that have it.
struct Row {
    const char* name;
    const char* unit;
    const char* meaning;
    Estimate (*estimate)(const Point&);
    Rule applies = always;
};

const Row quantity_rows[] = {
    {"energy", "J", "energy per site", [](const Point& p) { return p.mean(energy_column); }},
    {"specific-heat", "k_B", "specific heat per site, (beta J)^2 N (<e^2> - <e>^2)", specific_heat},
    {"magnetisation", "1", "mean of |m|", [](const Point& p) { return p.mean(absolute_magnetisation); }},
    {"magnetisation-2", "1", "mean of m^2", [](const Point& p) { return p.mean(magnetisation_2); }},
    {"magnetisation-4", "1", "mean of m^4", [](const Point& p) { return p.mean(magnetisation_4); }},
    {"binder", "1", "Binder cumulant 1 - <m^4> / (3 <m^2>^2)", binder},
    {"susceptibility", "1/J", "beta N <m^2>", [](const Point& p) { return p.mean(magnetisation_2, p.beta * p.sites); }},
    {"susceptibility-improved", "1/J", "beta <sum over clusters of size^2> / N",
     [](const Point& p) { return p.mean(cluster_2, p.beta * p.sites); }, ferromagnetic_clusters},
    {"susceptibility-connected", "1/J", "beta N (<m^2> - <|m|>^2)", connected_susceptibility<absolute_magnetisation>,
     without_field},
    {"signed-magnetisation", "1", "mean of m", [](const Point& p) { return p.mean(p.place(signed_magnetisation)); },
     in_field_not_improved},
    {"signed-magnetisation", "1", "mean of m, by clusters",
     [](const Point& p) { return p.mean(improved_magnetisation); }, improved_in_field},
    {"susceptibility-improved", "1/J", "beta N (<m^2> - <m>^2), by clusters",
     connected_susceptibility<improved_magnetisation, improved_magnetisation_2>, improved_in_field},
    {"susceptibility-connected", "1/J", "beta N (<m^2> - <m>^2) = d<m>/dh",
     connected_susceptibility<signed_magnetisation>, in_field},
    {"correlation-length", "sites", "second-moment correlation length, where it is known and the lattice not ordered",
     correlation_length, periodic_ferromagnet},
    {"staggered-magnetisation-2", "1", "mean of the square of the staggered magnetisation, by clusters",
     [](const Point& p) { return p.mean(cluster_2); }, staggered},
    {"staggered-susceptibility", "1/J", "beta N times that",
     [](const Point& p) { return p.mean(cluster_2, p.beta * p.sites); }, staggered},
    {"staggered-binder", "1", "Binder cumulant of the staggered magnetisation, by clusters", staggered_binder,
     staggered},
    {"largest-cluster", "1", "fraction of the sites in the largest cluster",
     [](const Point& p) { return p.mean(largest_cluster); }, clusters_without_field},
    {"clusters", "1", "clusters per site", [](const Point& p) { return p.mean(cluster_count); },
     clusters_without_field},
};

/// Exact energy and specific heat, NaN if unknown. The last values are cached, because every report needs them again.
ExactTorus reference(const SwendsenWangConfig& c) {
    const double k = c.reduced_coupling();
    const bool open = std::ranges::count(c.boundaries, Boundary::open) != 0, random = c.opposite > 0 && c.opposite < 1;
    if (c.extents.size() != 2 || open || random || c.field != 0 || c.states != 2 || !(k > 0) || !std::isfinite(k))
        return {nan, nan};
    const Antiperiodic axes = {c.twisted(0), c.twisted(1)};
    static std::tuple<std::vector<std::uint64_t>, double, Antiperiodic> known_for;
    static ExactTorus known;
    if (known_for != std::tuple(c.extents, k, axes)) known = exact_torus(c.extents[0], c.extents[1], k, axes);
    known_for = {c.extents, k, axes};
    return known;
}

}  // namespace

void Withheld::add(const std::string& name, const Lack& another) {
    if (another.weight == 0) return;
    if (another.longer > lack.longer) lack = another;
    if (std::ranges::count(names, name) == 0) names.push_back(name);
}

std::uint64_t estimate_bytes(std::uint64_t observations) {
    return saturated_product(8 * most_copied_columns, observations);
}

std::vector<Quantity> estimate(const SwendsenWangConfig& c, const Series& series,
                               const analysis::Transient& thermalization, bool equilibrium, Withheld& withheld) {
    if (series.rows() == 0) return {};
    std::vector<Quantity> table = {c.coordinate == Coordinate::beta
                                       ? Quantity{"beta", "1/J", "inverse temperature", {c.beta}}
                                       : Quantity{"temperature", "J/k_B", "temperature", {c.temperature()}}};
    table.front().role = Role::coordinate;
    if (c.finds_thermalization)
        table.push_back({"thermalization",
                         "sweeps",
                         "sweeps at the start that are left out, as the series shows",
                         {static_cast<double>(thermalization.rows * c.measure_every)}});
    const Point p(c, series, thermalization.rows, series.width());
    const ExactTorus exact = reference(c);
    const bool has_errors = equilibrium && thermalization.ended;
    for (const Row& row : quantity_rows) {
        if (!row.applies(c)) continue;
        const Estimate e = row.estimate(p);
        const std::string name = row.name;
        if (has_errors && std::isfinite(e.value)) withheld.add(name, p.lack());
        table.push_back({name,
                         row.unit,
                         row.meaning,
                         {std::isfinite(e.value) ? e.value : nan},
                         {has_errors && e.error > 0 && std::isfinite(e.error) ? e.error : nan},
                         {e.tau},
                         {name == "energy"          ? exact.energy
                          : name == "specific-heat" ? exact.specific_heat
                                                    : nan}});
    }
    for (const AxisColumns& a : axis_columns(c))
        for (const std::size_t first : {a.structure_factors, a.plane_correlations}) {
            const Column& column = series.columns()[first];
            Quantity q = Quantity{column.array, column.unit, column.meaning, {}}.over(column.axis);
            for (std::size_t n = 0; n <= a.last; ++n) {
                const Estimate e = p.mean(first + n);
                if (has_errors) withheld.add(q.name, p.lack());
                q.value.push_back(e.value);
                q.error.push_back(has_errors && e.error > 0 ? e.error : nan);
                q.tau.push_back(e.tau);
            }
            table.push_back(std::move(q));
        }
    return table;
}

std::vector<Column> overlap_columns() {
    return {{"overlap", "1", "|q|, q = sum s s' / N of the two replicas at this temperature"},
            {"overlap-2", "1", "q^2"},
            {"overlap-4", "1", "q^4"},
            {"overlap-structure-factor", "1",
             "|sum s s' exp(i k x)|^2 / N at k = 2 pi / L, averaged over the longest axes"}};
}

std::vector<Quantity> estimate_overlap(const SwendsenWangConfig& c, const Series& series, std::size_t first_column,
                                       bool equilibrium, Withheld& withheld) {
    const auto column = [&](std::size_t i) { return first_column + i; };
    const Point p(c, series, 0, first_column);
    std::vector<Quantity> table;
    const auto add = [&](const char* name, const char* unit, const char* meaning, const Estimate& e) {
        if (equilibrium && std::isfinite(e.value)) withheld.add(name, p.lack());
        table.push_back({name,
                         unit,
                         meaning,
                         {std::isfinite(e.value) ? e.value : nan},
                         {equilibrium && e.error > 0 && std::isfinite(e.error) ? e.error : nan},
                         {e.tau}});
    };
    add("overlap", "1", "mean of |q|", p.mean(column(0)));
    add("overlap-2", "1", "mean of q^2", p.mean(column(1)));
    add("overlap-binder", "1", "Binder cumulant 1 - <q^4> / (3 <q^2>^2)",
        p.function({column(1), column(2)}, [](Means m) { return 1 - m[1] / (3 * square(m[0])); }));
    add("spin-glass-susceptibility", "1", "N <q^2>", p.mean(column(1), p.sites));
    if (c.periodic())
        add("overlap-correlation-length", "sites", "second-moment correlation length of the overlap, where it is known",
            length_of_ratio(p, p.function({column(3), column(1)}, [&](Means m) { return m[0] / (p.sites * m[1]); })));
    return table;
}

std::string impossible_row(const SwendsenWangConfig& c, std::span<const Column> columns, std::span<const double> row,
                           std::uint64_t sites_in_clusters) {
    const auto outside = [&](std::size_t column, double low, double high) {
        return row[column] >= low && row[column] <= high  // false for NaN
                   ? std::string()
                   : columns[column].name + " = " + std::to_string(row[column]) + " lies outside " +
                         std::to_string(low) + " .. " + std::to_string(high) + ".";
    };
    const bool potts = c.states > 2;
    const double most = static_cast<double>(c.extents.size()) + std::abs(c.relative_field());
    for (const std::string& error :
         {outside(energy_column, -most, potts ? 0 : most), outside(absolute_magnetisation, 0, 1),
          outside(place_of(structure_factor, c), 0, 1e300)})
        if (!error.empty()) return error;
    if (!c.clusters) return {};
    for (const std::string& error : {outside(largest_cluster, 0, 1), outside(cluster_count, 0, 1)})
        if (!error.empty()) return error;
    if (sites_in_clusters == c.sites()) return {};
    return "The clusters hold " + std::to_string(sites_in_clusters) + " sites of " + std::to_string(c.sites()) + ".";
}

std::vector<Figure> update_rates(const SwendsenWangConfig& c, std::uint64_t steps, double seconds,
                                 std::uint64_t changed_sites) {
    if (steps == 0) return {};
    if (c.grows_clusters()) {
        if (changed_sites == 0) return {};
        const auto changed = static_cast<double>(changed_sites);
        return {{"sites_per_cluster", changed / static_cast<double>(steps * c.clusters_per_sweep), "sites",
                 "mean size of a single cluster"},
                {"ns_per_changed_site", 1e9 * seconds / changed, "ns", "wall time, observations included"}};
    }
    const double updates = static_cast<double>(steps) * static_cast<double>(c.sites() * c.replicas());
    return {{"ns_per_site_update", 1e9 * seconds / updates, "ns", "wall time over all ranks, observations included"},
            {"site_updates_per_second", updates / seconds, "1/s", "sites of the whole lattice"}};
}

}  // namespace strata::swendsen_wang
