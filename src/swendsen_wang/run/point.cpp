// SPDX-License-Identifier: BSD-3-Clause
// Errors that hold. With the weights w of rare states, what each of them changes, a, and the fluctuations of all others, x,
// a value has the variance sum w a^2 + <x^2>. N independent observations hold about N (sum w a^2)^2 / sum w a^4 of the rare
// states that matter; where these are few and much of the variance is theirs, a series tells neither the mean nor its error. The limits
// are those of mean-square pulls of 1.5 (tests/README.md), and depend as little as possible on whether a run met such a state.
#include "swendsen_wang/run/point.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "analysis/gamma_method.hpp"

namespace strata::swendsen_wang {
namespace {

using analysis::Estimate;
using Columns = std::span<const std::span<const double>>;

/// The first `count` values of each column.
std::vector<std::span<const double>> first_of(Columns columns, std::size_t count) {
    std::vector<std::span<const double>> all;
    for (const std::span<const double> column : columns) all.push_back(column.first(count));
    return all;
}

}  // namespace

std::size_t fewest_departures(const SwendsenWangConfig& c) {
    return c.tempers() ? 4 * analysis::few_departures : analysis::few_departures;
}

Point::Point(const SwendsenWangConfig& c, const Series& series, std::size_t first, std::size_t first_overlap)
    : beta(c.beta),
      coupling(std::abs(c.coupling)),
      sites(static_cast<double>(c.sites())),
      longest(static_cast<double>(*std::ranges::max_element(c.extents))),
      clusters(c.clusters),
      config_(c),
      series_(series),
      first_(first),
      known_(series.width()),
      slow_(c.tempers()),
      fewest_(fewest_departures(c)),
      states_(c.states) {
    if (!may_miss_rare_states(c)) return;
    std::vector<double> means(series.width());
    for (std::size_t i = 0; i < means.size(); ++i) means[i] = analysis::mean_of(column(i));
    rare_ = rare_states(c, means, first_overlap);
}

std::vector<double> Point::column(std::size_t c) const {
    std::vector<double> values = series_.column(c, first_, observations());
    for (const RareState& state : rare_) values.push_back(state.row[c]);
    return values;
}

const Point::Known& Point::known(std::size_t c) const {
    if (!known_[c]) {
        const std::vector<double> values = series_.column(c, first_, observations());
        const analysis::Fluctuations f = analysis::fluctuations(values);
        known_[c] = {f, analysis::departs_rarely(values, f.mean, fewest_)};
    }
    return *known_[c];
}

Estimate Point::mean(std::size_t c, double factor) const {
    const Known& all = known(c);
    Estimate e = unless_rare(analysis::mean_with_error(all.fluctuations), all.departs_rarely);
    if (needs_columns(e)) {
        const std::vector<double> values = column(c);
        const std::span<const double> one[] = {values};
        e = with_known_error(e, one, [](Means m) { return m[0]; });
    }
    return {times(e.value, factor), e.error * factor, e.tau};
}

Estimate Point::unless_rare(Estimate e, bool departs_rarely) const {
    lack_ = {};
    if (departs_rarely) e.error = std::numeric_limits<double>::quiet_NaN();
    return e;
}

Estimate Point::function(std::initializer_list<std::size_t> of, const std::function<double(Means)>& f) const {
    std::vector<std::vector<double>> columns;
    std::vector<Known> all;
    for (const std::size_t c : of) {
        columns.push_back(column(c));
        all.push_back(known(c));
    }
    return function(std::vector<std::span<const double>>(columns.begin(), columns.end()), all, f);
}

Estimate Point::function(Columns columns, const std::function<double(Means)>& f) const {
    std::vector<Known> all;
    for (const std::span<const double> series : first_of(columns, observations())) {
        const analysis::Fluctuations fluctuations = analysis::fluctuations(series);
        all.push_back({fluctuations, analysis::departs_rarely(series, fluctuations.mean, fewest_)});
    }
    return function(columns, all, f);
}

Estimate Point::function(Columns columns, std::span<const Known> all, const std::function<double(Means)>& f) const {
    std::vector<analysis::Fluctuations> fluctuations;
    for (const Known& column : all) fluctuations.push_back(column.fluctuations);
    const Estimate e = unless_rare(analysis::jackknife(first_of(columns, observations()), fluctuations, f),
                                   std::ranges::any_of(all, &Known::departs_rarely));
    return needs_columns(e) ? with_known_error(e, columns, f) : e;
}

Estimate Point::with_known_error(Estimate e, Columns columns, const std::function<double(Means)>& f) const {
    const std::vector<std::span<const double>> all = first_of(columns, observations());
    if (slow_) e.error = std::fmax(e.error, analysis::block_error(all, f));
    if (rare_.empty()) return e;
    const std::vector<double> changes = analysis::linear_changes(columns, observations(), f);
    lack_ = missing(e, changes);
    if (lack_.weight > 0) e.error = std::numeric_limits<double>::quiet_NaN();
    return e;
}

/// Observations that change a quarter of what rare states do, or more, are counted by the weights of these.
Lack Point::missing(const Estimate& e, std::span<const double> changes) const {
    constexpr double tolerated = 0.45, little = 0.02, resolved = 5;
    const double enough = states_ > 2 ? 15 : 5;  // the weights of walls of Potts models are known to a factor of 3
    double weight = 0, squares = 0, fourths = 0, all = 0, others = 0;
    for (std::size_t i = 0; i < rare_.size(); ++i) {
        const double square = changes[observations() + i] * changes[observations() + i];
        if (square > 0) weight += rare_[i].weight;
        squares += rare_[i].weight * square;
        fourths += rare_[i].weight * square * square;
    }
    if (!(squares > 0)) return {};
    const double n = static_cast<double>(observations()), least = fourths / squares / 16;
    for (const double change : changes.first(observations())) {
        all += change * change / n;
        if (change * change < least) others += change * change / n;
    }
    if (squares < little * all) return {};  // they change no more than others do
    // a strip keeps a phase of its own for q sweeps in the mean; small autocorrelation times are noise, by which the choice
    // must not depend on the run
    const double steps = std::max(states_ / 2, e.tau > resolved ? e.tau : 1);
    const double expected = n / steps * squares * squares / fourths, share = squares / (squares + others);
    return expected < enough && share > tolerated ? Lack{weight, share, enough / expected} : Lack{};
}

}  // namespace strata::swendsen_wang
