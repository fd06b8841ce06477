// SPDX-License-Identifier: BSD-3-Clause
// One list of what a job records: each row of job/observables.hpp with its functions here, in the order of a row of the
// series.
#include "trotter/run/observation.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "strata/formatted.hpp"
#include "strata/standard_error.hpp"

namespace strata::trotter {
namespace {

/// What rounding may add to the bounds of an expectation value.
constexpr double rounding = 1e-6;

double total(const Moments& m, int spins, bool staggered) {
    double sum = 0;
    for (int j = 0; j < spins; ++j) sum += staggered && j % 2 == 1 ? -m.spin(j) : m.spin(j);
    return sum;
}

/// S(q) = 1/N sum_jk cos(q (j - k)) <S_j S_k>, q = 2 pi m / N.
double structure_factor(const Moments& moments, int spins, int m) {
    double sum = 0;
    for (int j = 0; j < spins; ++j)
        for (int k = 0; k < spins; ++k)
            sum += std::cos(2 * std::numbers::pi * m * (j - k) / spins) * moments.pair(j, k);
    return sum / spins;
}

/// The number of an array of columns, or two of a pair; none of a column that is alone.
using Place = std::vector<std::int64_t>;

std::vector<Place> from_zero_to(int last) {
    std::vector<Place> places;
    for (int n = 0; n <= last; ++n) places.push_back({n});
    return places;
}
std::vector<Place> alone(int) { return {Place()}; }
std::vector<Place> sites(int spins) { return from_zero_to(spins - 1); }
std::vector<Place> wave_vectors(int spins) { return from_zero_to(spins / 2); }
std::vector<Place> pairs(int spins) {
    std::vector<Place> places;
    for (int k = 1; k < spins; ++k)
        for (int j = 0; j < k; ++j) places.push_back({j, k});
    return places;
}

Bounds unbounded(int) { return {}; }
Bounds of_spin(int) { return {-0.5 - rounding, 0.5 + rounding, "a spin of 1/2"}; }
Bounds of_entropy(int cut_spins) {
    return {-rounding, cut_spins * std::numbers::ln2 + rounding, "the spins of run.cut"};
}

/// A number to compute: the moments along the axis of its column, its place and the number of spins.
struct Number {
    const Measured& m;
    Axis axis;
    const Place& at;
    int spins;

    const Moments& moments() const { return m.along(axis); }
    int place(std::size_t n = 0) const { return static_cast<int>(at[n]); }
};

/// The functions of a row of observable_rows.
struct Functions {
    std::string_view word;
    std::vector<Place> (*places)(int spins);
    double (*value)(const Number&);
    Bounds (*bounds)(int cut_spins) = unbounded;
};

double spin(const Number& n) { return n.moments().spin(n.place()); }
double correlation(const Number& n) { return n.moments().pair(n.place(), n.place(1)); }

/// In the order of a row of the series.
constexpr Functions functions[] = {
    {"energy", alone, [](const Number& n) { return energy(*n.m.hamiltonian, n.m.moments) + n.m.energy_of_products; }},
    {"loschmidt-echo", alone, [](const Number& n) { return n.m.echo; }},
    {"sx", sites, spin, of_spin},
    {"sy", sites, spin, of_spin},
    {"sz", sites, spin, of_spin},
    {"total", alone, [](const Number& n) { return total(n.moments(), n.spins, false); }},
    {"staggered", alone, [](const Number& n) { return total(n.moments(), n.spins, true); }},
    {"correlations-x", pairs, correlation},
    {"correlations-y", pairs, correlation},
    {"correlations-z", pairs, correlation},
    {"structure-factor", wave_vectors,
     [](const Number& n) { return structure_factor(n.moments(), n.spins, n.place()); }},
    {"distribution", from_zero_to, [](const Number& n) { return n.moments().distribution(n.place()); }},
    {"participation", alone, [](const Number& n) { return n.moments().inverse_participation(); }},
    {"entropy", alone, [](const Number& n) { return n.m.entropy; }, of_entropy}};

static_assert(std::size(functions) == std::size(observable_rows) &&
                  std::ranges::all_of(observable_rows,
                                      [](const ObservableRow& row) {
                                          return std::ranges::count(functions, row.word, &Functions::word) == 1;
                                      }),
              "every row of observable_rows has its functions here");

}  // namespace

double energy(const SpinHamiltonian& h, const std::array<const Moments*, 3>& moments) {
    double sum = 0;
    for (Axis axis : all_axes) {
        const Moments* m = moments[index_of(axis)];
        if (m == nullptr) continue;
        for (int k = 0; k < h.spins; ++k) {
            sum += h[axis].field[static_cast<std::size_t>(k)] * m->spin(k);
            for (int j = 0; j < k; ++j)
                if (const double c = h[axis].coupling[pair_index(j, k)]; c != 0) sum += c * m->pair(j, k);
        }
    }
    return sum;
}

Observation::Observation(const TrotterPlan& plan)
    : config_(plan.config()),
      observed_(plan.observed()),
      spins_(plan.spins()),
      max_steps_(plan.schedule().steps_per_round()),
      error_factor_(plan.error_factor()) {
    for (const Axis axis : all_axes) {
        const auto along = [&](const ObservedColumn& c) { return c.name != nullptr && c.axis == axis; };
        needs_[index_of(axis)] =
            (config_.needs(Need::hamiltonian) &&
             (plan.hamiltonian()[axis].has_terms() || plan.drive().perturbation()[axis].has_terms())) ||
            axis == Axis::z || std::ranges::any_of(config_.observables, [&](const ObservableRow* row) {
                return std::ranges::any_of(row->columns, along);
            });
    }
    overlap_ = config_.needs(Need::overlap);

    const Column time = {
        "time", "1/energy",
        config_.echo ? "time with hbar = 1, back to 0 on the way back of the echo" : "time with hbar = 1",
        Role::coordinate};
    add(time, [](const Measured& m) { return m.time; });
    if (config_.samples > 1) {
        add({"sample", "1", "number of the random state"},
            [](const Measured& m) { return static_cast<double>(m.sample); });
        recorded_.back().result.clear();
    }
    add({"norm", "1", "of the state, as the splitting and rounding leave it"}, [](const Measured& m) { return m.norm; },
        {-norm_error(), norm_error(),
         "rounding" + std::string(config_.method == Method::chebyshev ? " and run.tolerance in every step" : ""), 1});
    first_observable_ = recorded_.size();
    add_observables(plan.cut().size());
    if (observed_ != nullptr) add_own(*observed_);
    if (config_.estimate_error) add_errors();
    for (const Recorded& one : recorded_) columns_.push_back(one.column);
}

void Observation::add(Column column, Value value, Bounds bounds) {
    std::string result = column.array.empty() ? column.name : column.array;
    recorded_.push_back({std::move(column), std::move(result), std::move(value), std::move(bounds)});
}

/// The observables of run.observables: column, value and bounds of each number, in the order of the rows.
void Observation::add_observables(int cut_spins) {
    for (const Functions& f : functions) {
        const ObservableRow& row = *observable_row(f.word);
        if (!config_.observes(f.word)) continue;
        for (const auto& [name, axis] : row.columns)
            for (const Place& at : name == nullptr ? std::vector<Place>() : f.places(spins_))
                add(
                    at.empty() ? Column{name, row.unit, row.meaning}
                               : member_column(name, row.axis, at, row.unit, row.meaning),
                    [value = f.value, axis, at, n = spins_](const Measured& m) {
                        return value({m, axis, at, n});
                    },
                    f.bounds(cut_spins));
    }
}

void Observation::add_own(const ObservedProducts& observed) {
    std::vector<Column> columns;
    observed.add_columns(columns);
    for (std::size_t n = 0; n < columns.size(); ++n)
        add(std::move(columns[n]), [n](const Measured& m) { return m.own[n]; });
}

std::vector<std::size_t> Observation::columns_of(const std::string& name) const {
    std::vector<std::size_t> found;
    for (std::size_t c = first_observable_; c < recorded_.size(); ++c)
        if (columns_[c].name == name || recorded_[c].result == name) found.push_back(c);
    return found;
}

/// Error columns of the state, then of all observables in their order; errors() has their values.
void Observation::add_errors() {
    const std::size_t last = recorded_.size();
    add({"step-error-state", "1", "estimated distance of the state from the exact one, 2-norm"}, {});
    add({"step-error-rate", "energy", "step-error-state over the time of evolution"}, {});
    for (std::size_t c = first_observable_; c < last; ++c) {
        Column column = recorded_[c].column;
        column.meaning = "estimated error of " + column.name + " by the time step: value less exact value";
        column.name = "step-error-" + column.name;
        if (!column.array.empty()) column.array = "step-error-" + column.array;
        add(std::move(column), {});
    }
}

std::vector<double> Observation::errors(std::span<const double> row, std::span<const double> half_steps,
                                        double distance, double duration) const {
    std::vector<double> all = {error_factor_ * distance, duration > 0 ? error_factor_ * distance / duration : 0};
    for (std::size_t c = first_observable_; c < row.size(); ++c)
        all.push_back(error_factor_ * (row[c] - half_steps[c]));
    return all;
}

std::vector<double> Observation::row(const Measured& m) const {
    std::vector<double> row;
    for (const Recorded& one : recorded_)
        if (one.value) row.push_back(one.value(m));
    return row;
}

/// Bound of the rounding errors, which are corrected at every observation in single precision, and of the terms that
/// the Chebyshev series of all steps omit.
double Observation::norm_error() const {
    const auto steps = static_cast<double>(max_steps_);
    if (config_.precision == Precision::single) return 1e-3 + 2e-6 * steps + series_error(steps);
    return 1e-8 + series_error(steps);
}

double Observation::series_error(double steps) const {
    return config_.method == Method::chebyshev ? std::expm1(steps * std::log1p(config_.tolerance)) : 0;
}

std::string Observation::broken_invariant(std::span<const double> row) const {
    for (std::size_t c = 0; c < row.size(); ++c) {
        const auto& [column, result, value, bounds] = recorded_[c];
        if (!std::isfinite(row[c])) return column.name + " is not a number.";
        if (row[c] - bounds.about >= bounds.lowest && row[c] - bounds.about <= bounds.highest) continue;
        const double about = bounds.about;
        return formatted("%s%s is %.7g, outside of %.7g to %.7g, the bounds by %s.", column.name.c_str(),
                         about == 0 ? "" : formatted(" less %g", about).c_str(), row[c] - about, bounds.lowest,
                         bounds.highest, bounds.by.c_str());
    }
    return {};
}

/// Batches of samples run one after another, so that a state is finished when it has as many rows as the first state;
/// all states of the first batch have equally many rows. Times cannot decide it: an echo begins and ends at 0.
std::vector<std::size_t> Observation::last_rows(const Series& series) const {
    if (config_.samples == 1) return {series.rows() - 1};
    std::vector<std::size_t> counts(config_.samples), last(config_.samples), found;
    for (std::size_t r = 0; r < series.rows(); ++r) {
        const auto sample = static_cast<std::size_t>(series.row(r)[1]);
        ++counts[sample];
        last[sample] = r;
    }
    for (std::size_t sample = 0; sample < counts.size(); ++sample)
        if (counts[sample] == counts[0]) found.push_back(last[sample]);
    return found;
}

std::vector<Quantity> Observation::results(const Series& series) const {
    if (series.rows() == 0) return {};
    const std::vector<std::size_t> last = last_rows(series);
    const auto n = static_cast<double>(last.size());
    const std::string when = config_.samples > 1 ? "mean of the last rows: " : "in the last row: ";
    std::vector<Quantity> all;
    if (config_.samples > 1)
        all.push_back({"states", "1", "random states whose last rows the other results are means of", {n}});
    for (std::size_t c = 0; c < columns_.size(); ++c) {
        const std::string& name = recorded_[c].result;
        if (name.empty()) continue;
        if (all.empty() || all.back().name != name) {
            all.push_back({name, columns_[c].unit, when + columns_[c].meaning, {}});
            if (!columns_[c].axis.empty()) all.back() = std::move(all.back()).over(columns_[c].axis);
        }
        double mean = 0, square = 0;
        for (std::size_t r : last) mean += series.row(r)[c] / n;
        for (std::size_t r : last) square += (series.row(r)[c] - mean) * (series.row(r)[c] - mean);
        all.back().value.push_back(mean);
        if (last.size() >= fewest_samples && columns_[c].role != Role::coordinate)
            all.back().error.push_back(std::sqrt(variance_of_mean(square, last.size())));
    }
    if (observed_ == nullptr) return all;
    for (Quantity& q : all)  // lists over all ordered pairs, which are those of [observables]
        if (q.axes == std::vector<std::string>{"pair"} && q.value.size() == static_cast<std::size_t>(spins_ * spins_))
            q = std::move(q).over("site", "other-site", static_cast<std::size_t>(spins_));
    for (Quantity& q : observed_->bond_sites()) all.push_back(std::move(q));
    return all;
}

}  // namespace strata::trotter
