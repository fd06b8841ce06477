// SPDX-License-Identifier: BSD-3-Clause
// Observables of each scan point with errors: means by the Gamma method (U. Wolff, CPC 156, 143 (2004)), functions of
// means by the jackknife with blocks longer than the autocorrelation time, and exact values in two dimensions.
#include "swendsen_wang/results.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <span>

#include "analysis/estimate.hpp"
#include "swendsen_wang/exact.hpp"
#include "swendsen_wang/observation.hpp"

namespace strata::swendsen_wang {
namespace {

using analysis::Estimate;

constexpr std::size_t most_copied_columns = 3;

/// One scan point: its coupling, its lattice and its observations, of which no more than two columns are copied at once
/// (and one more by the Gamma method), because a series may take most of the memory.
struct Point {
    double beta = 0;  ///< in units of 1 / J_unit: K = beta J
    double coupling = 1;
    double sites = 0;
    double longest = 0;  ///< largest extent
    const Series& series;
    std::size_t first = 0, count = 0;  ///< rows of the series
    std::size_t block = 1;             ///< observations in a block of the jackknife

    double reduced() const { return beta * coupling; }
    std::vector<double> column(SeriesColumn c) const { return series.column(c, first, count); }
    Estimate mean(SeriesColumn c, double factor = 1) const {
        Estimate e = analysis::gamma_method(column(c));
        e.value *= factor;
        e.error *= factor;
        return e;
    }
    /// f of the means of two columns.
    Estimate function(SeriesColumn a, SeriesColumn b, const std::function<double(double, double)>& f) const {
        const std::vector<double> both[] = {column(a), column(b)};
        return analysis::jackknife(
            both, [&](std::span<const double> means) { return f(means[0], means[1]); }, block);
    }
};

// Every function below estimates one row of the table from the observations of one point.
double square(double x) { return x * x; }

/// C = K^2 N (<e^2> - <e>^2).
Estimate specific_heat(const Point& p) {
    // from fluctuations about the mean, because <e^2> - <e>^2 loses digits at large N
    const Estimate e = p.mean(energy_column);
    std::vector<double> both[] = {p.column(energy_column), std::vector<double>(p.count)};
    for (std::size_t i = 0; i < p.count; ++i) {
        both[0][i] -= e.value;
        both[1][i] = square(both[0][i]);
    }
    const double factor = square(p.reduced()) * p.sites;
    Estimate c = analysis::jackknife(
        both, [&](std::span<const double> m) { return factor * (m[1] - square(m[0])); }, p.block);
    return c;
}

/// Binder cumulant U = 1 - <m^4> / (3 <m^2>^2) (K. Binder, Z. Phys. B 43, 119 (1981)).
Estimate binder(const Point& p) {
    return p.function(magnetisation_2, magnetisation_4,
                      [](double squares, double fourths) { return 1 - fourths / (3 * square(squares)); });
}

/// beta N (<m^2> - <|m|>^2), which has a maximum near T_c on a finite lattice.
Estimate connected_susceptibility(const Point& p) {
    const double factor = p.beta * p.sites;
    return p.function(magnetisation_2, absolute_magnetisation,
                      [=](double squares, double absolute) { return factor * (squares - square(absolute)); });
}

/// Second-moment correlation length: xi = sqrt(chi / F - 1) / (2 sin(k / 2)), chi = N <sum size^2> / N^2, F at the
/// smallest k.
Estimate correlation_length(const Point& p) {
    const double sine = 2 * std::sin(std::numbers::pi / p.longest);
    return p.function(cluster_2, structure_factor, [&, sine](double squares, double factor) {
        return std::sqrt(std::max(0.0, p.sites * squares / factor - 1)) / sine;
    });
}

/// A row of the table and the function that estimates it.
struct Row {
    const char* name;
    const char* unit;
    const char* meaning;
    Estimate (*estimate)(const Point&);
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
     [](const Point& p) { return p.mean(cluster_2, p.beta * p.sites); }},
    {"susceptibility-connected", "1/J", "beta N (<m^2> - <|m|>^2)", connected_susceptibility},
    {"correlation-length", "sites", "second-moment correlation length", correlation_length},
    {"largest-cluster", "1", "fraction of the sites in the largest cluster",
     [](const Point& p) { return p.mean(largest_cluster); }},
    {"clusters", "1", "clusters per site", [](const Point& p) { return p.mean(cluster_count); }},
};

/// The first `count` observations of point `index`.
Point make_point(const SwendsenWangPlan& plan, const Series& series, std::size_t index, std::size_t count) {
    const SwendsenWangConfig& c = plan.config();
    Point p{c.betas[index],
            c.coupling,
            static_cast<double>(c.sites()),
            static_cast<double>(*std::max_element(c.extents.begin(), c.extents.end())),
            series,
            index * plan.observations_per_point(),
            count,
            1};
    p.block = analysis::jackknife_block(count, p.mean(energy_column).tau);
    return p;
}

/// Exact energy and specific heat of point `index`, NaN where none is known. Values are kept, because every report of a
/// scan needs all of them again.
ExactTorus reference(const SwendsenWangConfig& c, std::size_t index) {
    const double k = c.betas[index] * c.coupling;
    if (c.extents.size() != 2 || !(k > 0) || !std::isfinite(k)) return {std::nan(""), std::nan("")};
    static std::vector<std::pair<double, ExactTorus>> known;
    for (const auto& [coupling, exact] : known)
        if (coupling == k) return exact;
    known.emplace_back(k, exact_torus(c.extents[0], c.extents[1], k));
    return known.back().second;
}

}  // namespace

std::uint64_t estimate_bytes(std::uint64_t observations) {
    return saturated_product(8 * most_copied_columns, observations);
}

std::vector<Quantity> estimate(const SwendsenWangPlan& plan, const Series& series) {
    const SwendsenWangConfig& c = plan.config();
    const bool by_beta = c.coordinate == Coordinate::beta;
    std::vector<Quantity> table = {by_beta ? Quantity{"beta", "1/J", "inverse temperature", {}}
                                           : Quantity{"temperature", "J/k_B", "temperature", {}}};
    for (const Row& row : quantity_rows) table.push_back({row.name, row.unit, row.meaning, {}});
    const std::size_t per_point = plan.observations_per_point();
    for (std::size_t i = 0; i < c.betas.size() && i * per_point < series.rows(); ++i) {
        const Point p = make_point(plan, series, i, std::min(per_point, series.rows() - i * per_point));
        const ExactTorus exact = reference(c, i);
        table[0].value.push_back(by_beta ? c.betas[i] : c.temperature(i));
        for (std::size_t r = 0; r < std::size(quantity_rows); ++r) {
            const Estimate e = quantity_rows[r].estimate(p);
            Quantity& q = table[r + 1];
            q.value.push_back(e.value);
            q.error.push_back(e.error);
            q.tau.push_back(e.tau);
            q.reference.push_back(q.name == "energy"          ? exact.energy
                                  : q.name == "specific-heat" ? exact.specific_heat
                                                              : std::nan(""));
        }
    }
    if (table[0].value.empty()) return {};
    return table;
}

}  // namespace strata::swendsen_wang
