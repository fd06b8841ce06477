// SPDX-License-Identifier: BSD-3-Clause
// One list of what a job records: add_observables() has the column, the value and the bounds of every observable.
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

std::string name_of(Axis axis) { return std::string(1, "xyz"[index_of(axis)]); }

Observable spin_observable(Axis axis) {
    return axis == Axis::x ? Observable::sx : axis == Axis::y ? Observable::sy : Observable::sz;
}
Observable correlation_observable(Axis axis) {
    return axis == Axis::x   ? Observable::correlations_x
           : axis == Axis::y ? Observable::correlations_y
                             : Observable::correlations_z;
}

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
    const auto wants = [&](Observable o) { return config_.observes(o); };
    for (Axis axis : all_axes) {
        const bool in_energy = wants(Observable::energy) &&
                               (plan.hamiltonian()[axis].has_terms() || plan.drive().perturbation()[axis].has_terms());
        needs_[index_of(axis)] = in_energy || wants(spin_observable(axis)) || wants(correlation_observable(axis)) ||
                                 wants(Observable::total) || axis == Axis::z;
    }
    overlap_ = wants(Observable::loschmidt_echo);

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
    const auto wants = [&](Observable o) { return config_.observes(o); };
    if (wants(Observable::energy))
        add({"energy", "energy", "expectation value of H, or of H + Sigma on the way back"},
            [](const Measured& m) { return energy(*m.hamiltonian, m.moments) + m.energy_of_products; });
    if (overlap_)
        add({"loschmidt-echo", "1",
             "|<psi(0)|psi>|^2; at the end of an echo, that of the state that was evolved there and back"},
            [](const Measured& m) { return m.echo; });
    for (Axis axis : all_axes)
        for (int j = 0; wants(spin_observable(axis)) && j < spins_; ++j)
            add(member_column("s" + name_of(axis), "site", {j}, "1", "expectation value of a spin component"),
                [=](const Measured& m) { return m.along(axis).spin(j); },
                {-0.5 - rounding, 0.5 + rounding, "a spin of 1/2"});
    for (Axis axis : all_axes)
        if (wants(Observable::total))
            add({"total-" + name_of(axis), "1", "sum of the spins"},
                [=, n = spins_](const Measured& m) { return total(m.along(axis), n, false); });
    if (wants(Observable::staggered))
        add({"staggered-z", "1", "sum of (-1)^j S_j^z"},
            [n = spins_](const Measured& m) { return total(m.along(Axis::z), n, true); });
    for (Axis axis : all_axes)
        for (int k = 1; wants(correlation_observable(axis)) && k < spins_; ++k)
            for (int j = 0; j < k; ++j)
                add(member_column("correlations-" + name_of(axis), "pair", {j, k}, "1", "<S_j S_k>"),
                    [=](const Measured& m) { return m.along(axis).pair(j, k); });
    for (int q = 0; wants(Observable::structure_factor) && q <= spins_ / 2; ++q)
        add(member_column("structure-factor", "k", {q}, "1", "sum_jk cos(2 pi m (j - k) / N) <S_j^z S_k^z> / N"),
            [=, n = spins_](const Measured& m) { return structure_factor(m.along(Axis::z), n, q); });
    for (int down = 0; wants(Observable::distribution) && down <= spins_; ++down)
        add(member_column("distribution", "spins-down", {down}, "1", "probability of so many spins down"),
            [=](const Measured& m) { return m.along(Axis::z).distribution(down); });
    if (wants(Observable::participation))
        add({"participation", "1", "sum of the squared probabilities of the basis states"},
            [](const Measured& m) { return m.along(Axis::z).inverse_participation(); });
    if (wants(Observable::entropy))
        add({"entropy", "nat", "-tr rho ln rho of the spins of run.cut, their entanglement with all others"},
            [](const Measured& m) { return m.entropy; },
            {-rounding, cut_spins * std::numbers::ln2 + rounding, "the spins of run.cut"});
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
    for (Quantity& q : all)  // lists over all ordered pairs, which are those of observables.file
        if (q.axes == std::vector<std::string>{"pair"} && q.value.size() == static_cast<std::size_t>(spins_ * spins_))
            q = std::move(q).over("site", "other-site", static_cast<std::size_t>(spins_));
    for (Quantity& q : observed_->bond_sites()) all.push_back(std::move(q));
    return all;
}

}  // namespace strata::trotter
