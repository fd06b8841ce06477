// SPDX-License-Identifier: BSD-3-Clause
// Averages are ratios and logarithms of sums over the energy levels of all vectors (scaled_sums.hpp).
#include "lanczos/physics/thermal_averages.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "lanczos/physics/scaled_sums.hpp"
#include "strata/standard_error.hpp"

namespace strata::lanczos {
namespace {

constexpr double unknown = std::numeric_limits<double>::quiet_NaN();
/// Relative variance of a trace up to which ratios of traces are nearly normal: that of 16 real vectors where one state counts.
constexpr double largest_variance = 2.0 / 16;

/// Sums of w exp(-E/T) E^i over levels, i = 0, 1, 2, with energies E from a common zero.
using Moments = ScaledSums<3>;

Moments moments(const krylov::Quadrature& levels, double zero, double t) {
    Moments m;
    m.offset = largest_log_weight(levels, zero, t);
    for (std::size_t n = 0; n < levels.nodes.size(); ++n) {
        const double e = levels.nodes[n] - zero, w = std::exp(log_weight(levels, n, zero, t) - m.offset);
        m.sum[0] += w;
        m.sum[1] += w * e;
        m.sum[2] += w * e * e;
    }
    return m;
}

/// Energy, specific heat, entropy.
using Averages = std::array<double, 3>;

/// One point of the temperature scan: temperature, zero of the energies, and number of sites.
struct Point {
    double t, zero, sites;

    /// Averages from the moments of a trace.
    Averages averages(const Moments& m) const {
        const double mean = m.sum[1] / m.sum[0], square = m.sum[2] / m.sum[0], log_z = std::log(m.sum[0]) + m.offset;
        return {zero + mean, std::max(0.0, square - mean * mean) / (t * t) / sites, (log_z + mean / t) / sites};
    }

    /// Derivatives of the averages by the contribution of a level at energy e, counted from the zero, to a trace.
    Averages slopes(double e, const Moments& trace) const {
        const double mean = trace.sum[1] / trace.sum[0], d = e - mean,
                     variance = trace.sum[2] / trace.sum[0] - mean * mean,
                     p = std::exp(-e / t - trace.offset) / trace.sum[0];
        return {p * d, p * (d * d - variance) / (t * t) / sites, p * (1 + d / t) / sites};
    }

    /// Squares of the changes of the averages if every level moves by `rounding`, which may have either sign.
    Averages rounding_variances(const Moments& trace, double rounding) const {
        const double mean = trace.sum[1] / trace.sum[0],
                     width = std::sqrt(std::max(0.0, trace.sum[2] / trace.sum[0] - mean * mean)),
                     heat = (2 * width * (1 + width / t) + rounding) * rounding / (t * t) / sites,
                     entropy = (width + rounding) * rounding / (t * t) / sites;
        return {rounding * rounding, heat * heat, entropy * entropy};
    }

    /// [sector][vector]: moments at this temperature by one of the quadratures, without the last `n` steps.
    std::vector<std::vector<Moments>> of_vectors(const std::vector<SectorSamples>& sectors,
                                                 std::vector<krylov::Quadrature> SectorSamples::Rules::*rule,
                                                 std::size_t n) const {
        std::vector<std::vector<Moments>> all;
        for (const SectorSamples& sector : sectors) {
            all.emplace_back();
            for (const krylov::Quadrature& levels : sector.rules[n].*rule)
                all.back().push_back(moments(levels, zero, t));
        }
        return all;
    }
};

/// [sector]: its contribution to the trace, D_k / R_k times the sum over its vectors.
std::vector<Moments> traces(const std::vector<SectorSamples>& samples,
                            const std::vector<std::vector<Moments>>& of_vectors) {
    std::vector<Moments> all;
    for (std::size_t k = 0; k < samples.size(); ++k)
        all.push_back(
            sum_of(of_vectors[k]).times(samples[k].sector.states / static_cast<double>(of_vectors[k].size())));
    return all;
}

/// Whether all states of a sector have the same energy, so that any vector gives its trace.
bool is_exact(const SectorSamples& sector) {
    return std::ranges::all_of(sector.gauss(),
                               [](const krylov::Quadrature& levels) { return levels.nodes.size() == 1; });
}

/// Variances by the formula for random vectors, from the vectors of one sector.
Averages expected_variances(const Point& point, const SectorSamples& samples, const Moments& trace) {
    const TracedSector& sector = samples.sector;
    const auto count = static_cast<double>(samples.gauss().size());
    Averages mean = {}, variance = {};
    const auto sum = [&](Averages& to, auto value) {
        for (const krylov::Quadrature& levels : samples.gauss())
            for (std::size_t n = 0; n < levels.nodes.size(); ++n) {
                const Averages slopes = point.slopes(levels.nodes[n] - point.zero, trace);
                for (std::size_t i = 0; i < to.size(); ++i) to[i] += levels.weights[n] / count * value(slopes, i);
            }
    };
    sum(mean, [](const Averages& slopes, std::size_t i) { return slopes[i]; });
    sum(variance, [&](const Averages& slopes, std::size_t i) { return (slopes[i] - mean[i]) * (slopes[i] - mean[i]); });
    const double c = 2 / sector.reals, factor = sector.states * sector.states * c / (count * (sector.dimension + c));
    for (double& v : variance) v *= factor;
    return variance;
}

/// Variances of the averages by the vectors of one sector: those measured by the jackknife and the expected ones, each
/// with its number of vectors, and the square of the jackknife bias, which is what is left where an average is
/// stationary in the measured traces; `others`: the trace over the other sectors. NaN for too few vectors.
Averages variances(const Point& point, const std::vector<Moments>& vectors, double states, const Moments& others,
                   const Averages& expected) {
    constexpr double further = 10;  // vectors that the expected variance counts as
    const auto count = static_cast<double>(vectors.size());
    if (vectors.size() < fewest_samples) return {unknown, unknown, unknown};
    const Averages all = point.averages(sum_of(vectors).times(states / count) + others);
    std::vector<Averages> without;
    Averages mean = {}, variance = {};
    for (const Moments& m : sums_without_one(vectors)) {
        without.push_back(point.averages(m.times(states / (count - 1)) + others));
        for (std::size_t i = 0; i < mean.size(); ++i) mean[i] += without.back()[i] / count;
    }
    for (const Averages& a : without)
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
double variance_of_trace(const std::vector<SectorSamples>& sectors, const Point& point,
                         const std::vector<Moments>& of_sectors, const Moments& trace) {
    double variance = 0;
    for (std::size_t k = 0; k < sectors.size(); ++k) {
        if (is_exact(sectors[k])) continue;
        const double count = static_cast<double>(sectors[k].gauss().size());
        const double share = of_sectors[k].sum[0] / trace.sum[0] * std::exp(of_sectors[k].offset - trace.offset);
        for (const krylov::Quadrature& levels : sectors[k].gauss()) {
            const Moments all = moments(levels, point.zero, point.t);
            for (std::size_t n = 0; n < levels.nodes.size(); ++n) {
                const double p =
                    levels.weights[n] / all.sum[0] * std::exp(-(levels.nodes[n] - point.zero) / point.t - all.offset);
                variance += 2 * share * share * p * p / (count * count);
            }
        }
    }
    return variance;
}

/// Errors by too few steps; NaN where there is one number of steps.
Averages step_errors(const std::vector<SectorSamples>& samples, const Point& point) {
    const std::size_t cuts = samples[0].rules.size();
    Averages least, most, error;
    least.fill(std::numeric_limits<double>::infinity());
    most.fill(-std::numeric_limits<double>::infinity());
    for (std::size_t n = 0; n < cuts; ++n)
        for (const auto rule : {&SectorSamples::Rules::gauss, &SectorSamples::Rules::radau}) {
            const Averages a = point.averages(sum_of(traces(samples, point.of_vectors(samples, rule, n))));
            for (std::size_t i = 0; i < a.size(); ++i) {
                least[i] = std::min(least[i], a[i]);
                most[i] = std::max(most[i], a[i]);
            }
        }
    for (std::size_t i = 0; i < error.size(); ++i) error[i] = cuts > 1 ? most[i] - least[i] : unknown;
    const double entropy = error[0] / point.t / point.sites;
    return {error[0], std::max(error[1], 3 * entropy), std::max(error[2], entropy)};
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

/// Appends values, statistical errors and errors by too few steps of the observed operators, each at its places.
void append_observed(const SectorSamples& samples, double t, bool normal, const ObservedPlaces& at,
                     std::vector<double>& rows) {
    const std::size_t first = rows.size();
    rows.resize(first + 3 * at.width);
    std::vector<const std::vector<krylov::Quadrature>*> rules;
    for (const SectorSamples::Rules& r : samples.rules) rules.insert(rules.end(), {&r.gauss, &r.radau});
    const double rounding =
        (samples.sector.precision == krylov::Precision::single ? 4e-6 : 1e-14) * samples.largest_overlap;
    for (std::size_t op = 0; op < at.places.size(); ++op) {
        const ObservedAverage average = observed_average(rules, op, t, rounding);
        double* value = rows.data() + first + at.places[op];
        value[0] = average.value;
        value[at.width] = normal ? average.error : unknown;
        value[2 * at.width] = average.step_error;
    }
}

/// Appends the row of one temperature: averages by Gauss rules with their statistical errors, and errors by too few
/// steps.
void append_row(const std::vector<SectorSamples>& samples, const Point& point, const ObservedPlaces& observed,
                std::vector<double>& rows) {
    const auto gauss = point.of_vectors(samples, &SectorSamples::Rules::gauss, 0);
    const std::vector<Moments> of_sectors = traces(samples, gauss), others = sums_without_one(of_sectors);
    const Moments trace = sum_of(of_sectors);
    const Averages mean = point.averages(trace), by_steps = step_errors(samples, point);
    const bool normal = variance_of_trace(samples, point, of_sectors, trace) <= largest_variance;
    Averages variance = point.rounding_variances(trace, rounding_of_levels(samples));
    for (std::size_t k = 0; k < samples.size(); ++k) {
        if (is_exact(samples[k])) continue;
        const Averages of_sector = variances(point, gauss[k], samples[k].sector.states, others[k],
                                             expected_variances(point, samples[k], trace));
        for (std::size_t i = 0; i < variance.size(); ++i) variance[i] += of_sector[i];
    }
    rows.push_back(point.t);
    for (std::size_t i = 0; i < mean.size(); ++i)
        rows.insert(rows.end(), {mean[i], normal ? std::sqrt(variance[i]) : unknown});
    rows.insert(rows.end(), by_steps.begin(), by_steps.end());
    if (observed.width > 0) append_observed(samples[0], point.t, normal, observed, rows);
}

/// Whether the Krylov space of a recurrence has ended, so that its Gauss rule is exact.
bool has_ended(const krylov::RecurrenceTable& table, std::size_t s) { return table.steps(s) < table.max_steps(); }

}  // namespace

SectorSamples sector_samples(const krylov::RecurrenceTable& table, std::size_t first, std::size_t count,
                             const TracedSector& sector, const OverlapTable* overlaps) {
    constexpr std::size_t most_cuts = 3;
    SectorSamples samples{sector, {}, overlaps == nullptr ? 0 : overlaps->largest()};
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

const std::vector<Column>& thermal_columns() {
    static const std::vector<Column> all = {
        {"temperature", "energy/k_B", "of the average", Role::coordinate},
        {"energy", "energy", "total, in the sector"},
        {"energy-error", "energy", "one standard deviation"},
        {"specific-heat", "k_B", "per site, at fixed particle numbers"},
        {"specific-heat-error", "k_B", "one standard deviation"},
        {"entropy", "k_B", "per site"},
        {"entropy-error", "k_B", "one standard deviation"},
        {"energy-step-error", "energy", "by too few thermal.steps, rather too large than too small"},
        {"specific-heat-step-error", "k_B", "by too few thermal.steps"},
        {"entropy-step-error", "k_B", "by too few thermal.steps"},
    };
    return all;
}

void append_thermal_rows(const std::vector<SectorSamples>& sectors, const std::vector<double>& temperatures, int sites,
                         const ObservedPlaces& observed, std::vector<double>& rows) {
    double lowest = std::numeric_limits<double>::infinity();
    for (const SectorSamples& sector : sectors)
        for (const krylov::Quadrature& levels : sector.gauss())
            lowest = std::min(lowest, *std::ranges::min_element(levels.nodes));
    for (double t : temperatures) append_row(sectors, {t, lowest, static_cast<double>(sites)}, observed, rows);
}

std::vector<Quantity> thermal_results(const Series& series) {
    const std::size_t rows = series.rows();
    if (rows == 0) return {};
    const auto column = [&](std::size_t c) { return series.column(c, 0, rows); };
    std::vector<Quantity> all = {
        {"energy", "energy", "total, in the sector", column(1), column(2)},
        {"specific-heat", "k_B", "per site, at fixed particle numbers", column(3), column(4)},
        {"entropy", "k_B", "per site", column(5), column(6)},
        {"energy-step-error", "energy", "by too few thermal.steps, rather too large than too small", column(7)},
        {"specific-heat-step-error", "k_B", "by too few thermal.steps", column(8)},
        {"entropy-step-error", "k_B", "by too few thermal.steps", column(9)}};
    std::vector<Quantity> lists = {
        Quantity{"temperature", "energy/k_B", "of the averages", column(0)}.coordinate_of("temperature")};
    for (Quantity& list : all) lists.push_back(std::move(list).over("temperature"));
    return lists;
}

std::string remark_on_samples(const std::vector<Quantity>& results) {
    for (const Quantity& q : results)
        if (std::ranges::any_of(q.error, [](double error) { return std::isnan(error); }))
            return "Averages have no errors where thermal.samples are fewer than 4, or fewer than 16 at low "
                   "temperatures, at which few states count.";
    return {};
}

}  // namespace strata::lanczos
