// SPDX-License-Identifier: BSD-3-Clause
// ThermalAverages are ratios and logarithms of sums over the energy levels of all vectors (scaled_sums.hpp).
#include "lanczos/physics/thermal_averages.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <map>
#include <optional>

#include "lanczos/physics/thermal_point.hpp"
#include "strata/standard_error.hpp"

namespace strata::lanczos {
namespace {

constexpr double unknown = std::numeric_limits<double>::quiet_NaN();

/// [sector][vector]: moments at a temperature by one of the quadratures, without the last `n` steps.
std::vector<std::vector<TraceMoments>> moments_of_vectors(const std::vector<SectorSamples>& sectors,
                                                          const ThermalPoint& point,
                                                          std::vector<krylov::Quadrature> SectorSamples::Rules::*rule,
                                                          std::size_t n) {
    std::vector<std::vector<TraceMoments>> all;
    for (const SectorSamples& sector : sectors) {
        all.emplace_back();
        for (const krylov::Quadrature& levels : sector.rules[n].*rule)
            all.back().push_back(moments(levels, sector.sector.charges, point.zero, point.t));
    }
    return all;
}

/// [sector]: its contribution to the trace, D_k / R_k times the sum over its vectors.
std::vector<TraceMoments> traces(const std::vector<SectorSamples>& samples,
                                 const std::vector<std::vector<TraceMoments>>& of_vectors) {
    std::vector<TraceMoments> all;
    for (std::size_t k = 0; k < samples.size(); ++k)
        all.push_back(
            sum_of(of_vectors[k]).times(samples[k].sector.states / static_cast<double>(of_vectors[k].size())));
    return all;
}

/// Whether all levels of a sector are known, or all states have the same energy, so that any vector gives the trace.
bool is_exact(const SectorSamples& sector) {
    return sector.sector.exact || std::ranges::all_of(sector.gauss(), [](const krylov::Quadrature& levels) {
               return levels.nodes.size() == 1;
           });
}

/// Variances by the formula for random vectors, from the vectors of one sector.
ThermalAverages expected_variances(const ThermalPoint& point, const SectorSamples& samples, const TraceMoments& trace) {
    const TracedSector& sector = samples.sector;
    const auto count = static_cast<double>(samples.gauss().size());
    ThermalAverages mean = {}, variance = {};
    const auto sum = [&](ThermalAverages& to, auto value) {
        for (const krylov::Quadrature& levels : samples.gauss())
            for (std::size_t n = 0; n < levels.nodes.size(); ++n) {
                const ThermalAverages slopes = point.slopes(levels.nodes[n] - point.zero, sector.charges, trace);
                for (std::size_t i = 0; i < to.size(); ++i) to[i] += levels.weights[n] / count * value(slopes, i);
            }
    };
    sum(mean, [](const ThermalAverages& slopes, std::size_t i) { return slopes[i]; });
    sum(variance,
        [&](const ThermalAverages& slopes, std::size_t i) { return (slopes[i] - mean[i]) * (slopes[i] - mean[i]); });
    const double c = 2 / sector.reals, factor = sector.states * sector.states * c / (count * (sector.dimension + c));
    for (double& v : variance) v *= factor;
    return variance;
}

/// Variances of the averages by the vectors of one sector: those measured by the jackknife and the expected ones, each
/// with its number of vectors, and the square of the jackknife bias, which is what is left where an average is
/// stationary in the measured traces; `others`: the trace over the other sectors. NaN for too few vectors.
ThermalAverages variances(const ThermalPoint& point, const std::vector<TraceMoments>& vectors, double states,
                          const TraceMoments& others, const ThermalAverages& expected) {
    constexpr double further = 10;  // vectors that the expected variance counts as
    const auto count = static_cast<double>(vectors.size());
    if (vectors.size() < fewest_samples) {
        ThermalAverages none;
        none.fill(unknown);
        return none;
    }
    const ThermalAverages all = point.averages(sum_of(vectors).times(states / count) + others);
    std::vector<ThermalAverages> without;
    ThermalAverages mean = {}, variance = {};
    for (const TraceMoments& m : sums_without_one(vectors)) {
        without.push_back(point.averages(m.times(states / (count - 1)) + others));
        for (std::size_t i = 0; i < mean.size(); ++i) mean[i] += without.back()[i] / count;
    }
    for (const ThermalAverages& a : without)
        for (std::size_t i = 0; i < mean.size(); ++i)
            variance[i] += (a[i] - mean[i]) * (a[i] - mean[i]) * (count - 1) / count;
    for (std::size_t i = 0; i < mean.size(); ++i) {
        const double bias = (count - 1) * (mean[i] - all[i]);
        // The factor is that of Student's t with as many degrees of freedom.
        variance[i] = ((count - 1) * variance[i] + further * expected[i]) / (count - 3 + further) + bias * bias;
    }
    return variance;
}

/// Relative variance of the trace by real random vectors, 2 / R sum_n p_n^2 with the probabilities p_n of the states, or
/// more: states whose level the recurrences do not resolve count as one.
double variance_of_trace(const std::vector<SectorSamples>& sectors, const ThermalPoint& point,
                         const std::vector<TraceMoments>& of_sectors, const TraceMoments& trace) {
    double variance = 0;
    for (std::size_t k = 0; k < sectors.size(); ++k) {
        if (is_exact(sectors[k])) continue;
        const double count = static_cast<double>(sectors[k].gauss().size());
        const double share = of_sectors[k].sum[0] / trace.sum[0] * std::exp(of_sectors[k].offset - trace.offset);
        for (const krylov::Quadrature& levels : sectors[k].gauss()) {
            const TraceMoments all = moments(levels, sectors[k].sector.charges, point.zero, point.t);
            for (std::size_t n = 0; n < levels.nodes.size(); ++n) {
                const double p =
                    levels.weights[n] / all.sum[0] * std::exp(-(levels.nodes[n] - point.zero) / point.t - all.offset);
                variance += 2 * share * share * p * p / (count * count);
            }
        }
    }
    return variance;
}

/// Errors by too few steps; NaN where there is one number of steps, 0 where all levels are known.
ThermalAverages step_errors(const std::vector<SectorSamples>& samples, const ThermalPoint& point) {
    const std::size_t cuts = samples[0].rules.size();
    ThermalAverages least, most, error = {};
    if (std::ranges::all_of(samples, [](const SectorSamples& s) { return s.sector.exact; })) return error;
    least.fill(std::numeric_limits<double>::infinity());
    most.fill(-std::numeric_limits<double>::infinity());
    ThermalAverages mean = {};
    for (std::size_t n = 0; n < cuts; ++n)
        for (const auto rule : {&SectorSamples::Rules::gauss, &SectorSamples::Rules::radau}) {
            const ThermalAverages a =
                point.averages(sum_of(traces(samples, moments_of_vectors(samples, point, rule, n))));
            if (n == 0 && rule == &SectorSamples::Rules::gauss) mean = a;
            for (std::size_t i = 0; i < a.size(); ++i) {
                least[i] = std::min(least[i], a[i]);
                most[i] = std::max(most[i], a[i]);
            }
        }
    for (std::size_t i = 0; i < error.size(); ++i) error[i] = cuts > 1 ? most[i] - least[i] : unknown;
    // relative change of the weights of levels that are wrong by the error of the energy
    const double weights = error[0] / point.t;
    return {error[0],
            std::max(error[1], 3 * weights / point.sites),
            std::max(error[2], weights / point.sites),
            std::max(error[3], weights * std::sqrt(mean[4] * point.t * point.sites)),
            std::max(error[4], 2 * weights * mean[4]),
            std::max(error[5], weights * std::sqrt(mean[6] * point.t * point.sites)),
            std::max(error[6], 2 * weights * mean[6])};
}

/// Rounding error of the levels: that of a recurrence, relative to the largest energy.
double rounding_of_levels(const std::vector<SectorSamples>& samples) {
    double rounding = 0;
    for (const SectorSamples& sector : samples)
        for (const krylov::Quadrature& levels : sector.gauss())
            for (const double e : levels.nodes)
                rounding = std::max(
                    rounding, std::abs(e) * (sector.sector.precision == krylov::Precision::single ? 4e-6 : 1e-14));
    return rounding;
}

/// The numbers of an observed operator in each sector, none where it is 0, and the places of its averages in a list.
using ObservedEverywhere = std::map<std::vector<std::optional<std::size_t>>, std::vector<std::size_t>>;

ObservedEverywhere observed_in(const std::vector<SectorSamples>& sectors, std::size_t width) {
    std::vector<std::vector<std::optional<std::size_t>>> numbers(
        width, std::vector<std::optional<std::size_t>>(sectors.size()));  // [place][sector]
    for (std::size_t k = 0; k < sectors.size(); ++k)
        for (std::size_t op = 0; op < sectors[k].observed->places.size(); ++op)
            for (const std::size_t place : sectors[k].observed->places[op]) numbers[place][k] = op;
    ObservedEverywhere all;
    for (std::size_t place = 0; place < width; ++place)
        if (std::ranges::any_of(numbers[place], [](const auto& op) { return op.has_value(); }))
            all[numbers[place]].push_back(place);
    return all;
}

/// Appends values, statistical errors and errors by too few steps of the observed operators, each at its places.
void append_observed(const std::vector<SectorSamples>& samples, double t, bool normal, std::size_t width,
                     std::vector<double>& rows) {
    const std::size_t first = rows.size();
    rows.resize(first + 3 * width);
    std::vector<ObservedSector> sectors;
    double largest = 0;
    for (const SectorSamples& s : samples) {
        sectors.push_back({s.sector.states, {}, {}, s.means, s.first_vector});
        for (const SectorSamples::Rules& r : s.rules)
            sectors.back().rules.insert(sectors.back().rules.end(), {&r.gauss, &r.radau});
        largest = std::max(largest, s.largest_overlap);
    }
    const double rounding = samples[0].sector.precision == krylov::Precision::single ? 4e-6 : 1e-14;
    for (const auto& [numbers, places] : observed_in(samples, width)) {
        for (std::size_t k = 0; k < sectors.size(); ++k) sectors[k].op = numbers[k];
        const ObservedAverage average = samples[0].means != nullptr ? half_weighted_average(sectors, t, rounding)
                                                                    : observed_average(sectors, t, rounding * largest);
        for (const std::size_t place : places) {
            double* value = rows.data() + first + place;
            value[0] = average.value;
            value[width] = normal ? average.error : unknown;
            value[2 * width] = average.step_error;
        }
    }
}

/// An average as a column of the series and a list of the results.
struct Average {
    const char *name, *unit, *meaning, *by_steps;
    std::size_t index;  ///< in ThermalAverages
};

std::vector<Average> averages(ThermalChoice choice) {
    const char* few = "by too few thermal.steps";
    const bool sum = choice.sums_numbers();
    std::vector<Average> all = {{"energy", "energy", sum ? "total, <H>, over all numbers" : "total, in the sector",
                                 "by too few thermal.steps, rather too large than too small", 0},
                                {"specific-heat", "k_B",
                                 choice.particles ? "per site, T dS/dT at fixed chemical potential"
                                 : sum            ? "per site, over all S^z"
                                                  : "per site, at fixed particle numbers",
                                 few, 1},
                                {"entropy", "k_B", "per site", few, 2}};
    if (choice.particles) {
        all.push_back({"particles", "1", "number of particles, <N>", few, 3});
        all.push_back({"compressibility", "1/energy", "per site, dN/dmu = (<N^2> - <N>^2) / (N_sites T)", few, 4});
    }
    if (choice.spin) {
        all.push_back({"total-sz", "1", "total, <S^z>", few, 5});
        all.push_back(
            {"spin-susceptibility", "1/energy", "per site, uniform, (<(S^z)^2> - <S^z>^2) / (N_sites T)", few, 6});
    }
    return all;
}

/// Appends the row of one temperature: averages by Gauss rules with their statistical errors, and errors by too few
/// steps.
void append_row(const std::vector<SectorSamples>& samples, const ThermalPoint& point, ThermalChoice choice,
                std::size_t observed, std::vector<double>& rows) {
    const auto gauss = moments_of_vectors(samples, point, &SectorSamples::Rules::gauss, 0);
    const std::vector<TraceMoments> of_sectors = traces(samples, gauss), others = sums_without_one(of_sectors);
    const TraceMoments trace = sum_of(of_sectors);
    const ThermalAverages mean = point.averages(trace), by_steps = step_errors(samples, point);
    const bool normal = variance_of_trace(samples, point, of_sectors, trace) <= largest_variance;
    ThermalAverages variance = point.rounding_variances(trace, rounding_of_levels(samples));
    for (std::size_t k = 0; k < samples.size(); ++k) {
        if (is_exact(samples[k])) continue;
        const ThermalAverages of_sector = variances(point, gauss[k], samples[k].sector.states, others[k],
                                                    expected_variances(point, samples[k], trace));
        for (std::size_t i = 0; i < variance.size(); ++i) variance[i] += of_sector[i];
    }
    rows.push_back(point.t);
    for (const Average& average : averages(choice))
        rows.insert(rows.end(), {mean[average.index], normal ? std::sqrt(variance[average.index]) : unknown});
    for (const Average& average : averages(choice))
        if (!choice.exact) rows.push_back(by_steps[average.index]);
    if (observed > 0) append_observed(samples, point.t, normal, observed, rows);
}

/// Whether the Krylov space of a recurrence has ended, so that its Gauss rule is exact.
bool has_ended(const krylov::RecurrenceTable& table, std::size_t s) { return table.steps(s) < table.max_steps(); }

}  // namespace

SectorSamples sector_samples(const krylov::RecurrenceTable& table, std::size_t first, std::size_t count,
                             const TracedSector& sector, const OverlapTable* overlaps) {
    constexpr std::size_t most_cuts = 3;
    SectorSamples samples{sector, {}, overlaps == nullptr ? 0 : overlaps->largest(first, count)};
    const auto products = [&](std::size_t s, std::size_t steps) {
        return overlaps == nullptr ? krylov::Overlaps{} : overlaps->of(s, steps);
    };
    for (std::size_t n = 0; n < std::min(most_cuts, table.max_steps()); ++n) {
        SectorSamples::Rules rules;
        const auto cut = [&](std::size_t s, std::span<const double> list) {
            return list.first(has_ended(table, s) ? list.size() : list.size() - n);
        };
        double below = std::numeric_limits<double>::infinity();
        for (std::size_t s = first; s < first + count; ++s) {
            const auto alpha = cut(s, table.alpha(s)), beta = cut(s, table.beta(s));
            rules.gauss.push_back(krylov::gauss_rule(alpha, beta, products(s, alpha.size())));
            const krylov::RitzPair pair = krylov::lowest_pair(alpha, beta);
            below = std::min(below, pair.value - beta.back() * std::abs(pair.vector.back()));
        }
        for (std::size_t s = first; s < first + count; ++s) {
            const auto alpha = cut(s, table.alpha(s));
            rules.radau.push_back(
                krylov::gauss_radau_rule(alpha, cut(s, table.beta(s)), below, products(s, alpha.size())));
        }
        for (auto* list : {&rules.gauss, &rules.radau})
            for (krylov::Quadrature& rule : *list)
                for (double& e : rule.nodes) e += sector.offset;
        samples.rules.push_back(std::move(rules));
    }
    return samples;
}

SectorSamples exact_samples(const std::vector<double>& levels, TracedSector sector) {
    sector.exact = true;
    krylov::Quadrature rule{levels, std::vector<double>(levels.size(), 1 / static_cast<double>(levels.size()))};
    for (double& e : rule.nodes) e += sector.offset;
    return {sector, {{{rule}, {rule}}}};
}

std::vector<Column> thermal_columns(ThermalChoice choice) {
    std::vector<Column> all = {{"temperature", "energy/k_B", "of the average", Role::coordinate}};
    for (const Average& average : averages(choice)) {
        const std::string name = average.name;
        all.push_back({name, average.unit, average.meaning});
        all.push_back({name + "-error", average.unit, "one standard deviation"});
    }
    for (const Average& average : averages(choice))
        if (!choice.exact) all.push_back({std::string(average.name) + "-step-error", average.unit, average.by_steps});
    return all;
}

void append_thermal_rows(const std::vector<SectorSamples>& sectors, const std::vector<double>& temperatures, int sites,
                         ThermalChoice choice, std::size_t observed, std::vector<double>& rows) {
    double lowest = std::numeric_limits<double>::infinity();
    for (const SectorSamples& sector : sectors)
        for (const krylov::Quadrature& levels : sector.gauss())
            lowest = std::min(lowest, *std::ranges::min_element(levels.nodes));
    const double mu = sectors[0].sector.charges.chemical_potential;
    for (double t : temperatures)
        append_row(sectors, {t, lowest, static_cast<double>(sites), mu}, choice, observed, rows);
}

std::vector<Quantity> thermal_results(const Series& series, ThermalChoice choice) {
    const std::size_t rows = series.rows();
    if (rows == 0) return {};
    const auto column = [&](std::size_t c) { return series.column(c, 0, rows); };
    std::vector<Quantity> lists = {
        Quantity{"temperature", "energy/k_B", "of the averages", column(0)}.coordinate_of("temperature")};
    const std::vector<Average> all = averages(choice);
    for (std::size_t i = 0; i < all.size(); ++i)
        lists.push_back(Quantity{all[i].name, all[i].unit, all[i].meaning, column(1 + 2 * i), column(2 + 2 * i)}.over(
            "temperature"));
    for (std::size_t i = 0; i < all.size() && !choice.exact; ++i)
        lists.push_back(Quantity{std::string(all[i].name) + "-step-error", all[i].unit, all[i].by_steps,
                                 column(1 + 2 * all.size() + i)}
                            .over("temperature"));
    return lists;
}

std::string remark_on_samples(const std::vector<Quantity>& results) {
    for (const Quantity& q : results)
        if (std::ranges::any_of(q.error, [](double error) { return std::isnan(error); }))
            return "ThermalAverages have no errors where thermal.samples are fewer than 4, or fewer than 16 at low "
                   "temperatures, at which few states count.";
    return {};
}

}  // namespace strata::lanczos
