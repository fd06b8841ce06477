// SPDX-License-Identifier: BSD-3-Clause
// Columns and rows list the observables of a job in the same order.
#include "trotter/run/observation.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "strata/formatted.hpp"
#include "strata/standard_error.hpp"

namespace strata::trotter {
namespace {

const char* const axis_names[] = {"x", "y", "z"};

Observable spin_observable(Axis axis) {
    return axis == Axis::x ? Observable::sx : axis == Axis::y ? Observable::sy : Observable::sz;
}
Observable correlation_observable(Axis axis) {
    return axis == Axis::x   ? Observable::correlations_x
           : axis == Axis::y ? Observable::correlations_y
                             : Observable::correlations_z;
}

std::string short_text(double value) { return formatted("%.2g", value); }

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
      spins_(plan.spins()),
      max_steps_(plan.schedule().steps_per_round()),
      cut_spins_(plan.cut().size()),
      error_factor_(plan.error_factor()) {
    const auto wants = [&](Observable o) { return config_.observes(o); };
    const bool energy = wants(Observable::energy);
    for (Axis axis : all_axes) {
        const bool in_energy =
            energy && (plan.hamiltonian()[axis].has_terms() || plan.drive().perturbation()[axis].has_terms());
        needs_[index_of(axis)] = in_energy || wants(spin_observable(axis)) || wants(correlation_observable(axis)) ||
                                 wants(Observable::total) || axis == Axis::z;
    }
    overlap_ = wants(Observable::loschmidt_echo);

    add_column("time", "time", "1/energy",
               config_.echo ? "time with hbar = 1, back to 0 on the way back of the echo" : "time with hbar = 1");
    if (config_.samples > 1) add_column("", "sample", "1", "number of the random state");
    add_column("norm", "norm", "1", "of the state, as the splitting and rounding leave it");
    first_observable_ = columns_.size();
    if (energy) add_column("energy", "energy", "energy", "expectation value of H, or of H + Sigma on the way back");
    if (overlap_)
        add_column("loschmidt-echo", "loschmidt-echo", "1",
                   "|<psi(0)|psi>|^2; at the end of an echo, that of the state that was evolved there and back");
    for (Axis axis : all_axes)
        if (wants(spin_observable(axis))) add_spins(axis);
    for (Axis axis : all_axes)
        if (wants(Observable::total))
            add_column(std::string("total-") + axis_names[index_of(axis)],
                       std::string("total-") + axis_names[index_of(axis)], "1", "sum of the spins");
    if (wants(Observable::staggered)) add_column("staggered-z", "staggered-z", "1", "sum of (-1)^j S_j^z");
    for (Axis axis : all_axes)
        if (wants(correlation_observable(axis))) add_correlations(axis);
    for (int m = 0; wants(Observable::structure_factor) && m <= spins_ / 2; ++m)
        add_column("structure-factor", "structure-factor-" + std::to_string(m), "1",
                   "sum_jk cos(2 pi m (j - k) / N) <S_j^z S_k^z> / N");
    for (int down = 0; wants(Observable::distribution) && down <= spins_; ++down)
        add_column("distribution", "distribution-" + std::to_string(down), "1", "probability of so many spins down");
    if (wants(Observable::participation))
        add_column("participation", "participation", "1", "sum of the squared probabilities of the basis states");
    if (wants(Observable::entropy))
        add_column("entropy", "entropy", "nat",
                   "-tr rho ln rho of the spins of run.cut, their entanglement with all others");
    if (config_.estimate_error) add_errors();
}

void Observation::add_column(const std::string& quantity, const std::string& name, const std::string& unit,
                             const std::string& meaning) {
    columns_.push_back({name, unit, meaning});
    quantities_.push_back(quantity);
}

void Observation::add_spins(Axis axis) {
    const std::string name = std::string("s") + axis_names[index_of(axis)];
    for (int j = 0; j < spins_; ++j)
        add_column(name, name + "-" + std::to_string(j), "1", "expectation value of a spin component");
}

void Observation::add_correlations(Axis axis) {
    const std::string name = std::string("correlations-") + axis_names[index_of(axis)];
    for (int k = 1; k < spins_; ++k)
        for (int j = 0; j < k; ++j)
            add_column(name, name + "-" + std::to_string(j) + "-" + std::to_string(k), "1", "<S_j S_k>");
}

std::vector<std::size_t> Observation::columns_of(const std::string& name) const {
    std::vector<std::size_t> found;
    for (std::size_t c = first_observable_; c < columns_.size(); ++c)
        if (columns_[c].name == name || quantities_[c] == name) found.push_back(c);
    return found;
}

/// Error columns of the state, then of all observables in their order.
void Observation::add_errors() {
    const std::size_t last = columns_.size();
    add_column("step-error-state", "step-error-state", "1",
               "estimated distance of the state from the exact one, 2-norm");
    add_column("step-error-rate", "step-error-rate", "energy", "step-error-state over the time of evolution");
    for (std::size_t c = first_observable_; c < last; ++c)
        add_column("step-error-" + quantities_[c], "step-error-" + columns_[c].name, columns_[c].unit,
                   "estimated error of " + columns_[c].name + " by the time step: value less exact value");
}

std::vector<double> Observation::errors(std::span<const double> row, std::span<const double> half_steps,
                                        double distance, double duration) const {
    std::vector<double> all = {error_factor_ * distance, duration > 0 ? error_factor_ * distance / duration : 0};
    for (std::size_t c = first_observable_; c < row.size(); ++c)
        all.push_back(error_factor_ * (row[c] - half_steps[c]));
    return all;
}

std::vector<double> Observation::row(std::uint64_t sample, double time, const Measured& m,
                                     const SpinHamiltonian& h) const {
    const auto wants = [&](Observable o) { return config_.observes(o); };
    const Moments& z = *m.moments[index_of(Axis::z)];
    std::vector<double> row = {time};
    if (config_.samples > 1) row.push_back(static_cast<double>(sample));
    row.push_back(m.norm);
    if (wants(Observable::energy)) row.push_back(energy(h, m.moments));
    if (overlap_) row.push_back(m.echo);
    for (Axis axis : all_axes)
        for (int j = 0; wants(spin_observable(axis)) && j < spins_; ++j)
            row.push_back(m.moments[index_of(axis)]->spin(j));
    for (Axis axis : all_axes)
        if (wants(Observable::total)) row.push_back(total(*m.moments[index_of(axis)], spins_, false));
    if (wants(Observable::staggered)) row.push_back(total(z, spins_, true));
    for (Axis axis : all_axes)
        for (int k = 1; wants(correlation_observable(axis)) && k < spins_; ++k)
            for (int j = 0; j < k; ++j) row.push_back(m.moments[index_of(axis)]->pair(j, k));
    for (int q = 0; wants(Observable::structure_factor) && q <= spins_ / 2; ++q)
        row.push_back(structure_factor(z, spins_, q));
    for (int down = 0; wants(Observable::distribution) && down <= spins_; ++down) row.push_back(z.distribution(down));
    if (wants(Observable::participation)) row.push_back(z.inverse_participation());
    if (wants(Observable::entropy)) row.push_back(m.entropy);
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
    const double allowed = norm_error();
    for (std::size_t c = 0; c < row.size(); ++c) {
        const std::string& name = columns_[c].name;
        if (!std::isfinite(row[c])) return name + " is not a number.";
        if (name == "norm" && std::abs(row[c] - 1) > allowed)
            return "the norm of the state less 1 has become " + short_text(row[c] - 1) + "; rounding" +
                   (config_.method == Method::chebyshev ? " and run.tolerance in every step explain " : " explains ") +
                   short_text(allowed) + " at most.";
        if (quantities_[c].size() == 2 && std::abs(row[c]) > 0.5 + 1e-6)  // sx, sy, sz
            return name + " is " + std::to_string(row[c]) + ", beyond 1/2.";
        if (name == "entropy" && (row[c] < -1e-6 || row[c] > cut_spins_ * std::numbers::ln2 + 1e-6))
            return "the entropy of " + std::to_string(cut_spins_) + " spins is " + std::to_string(row[c]) +
                   ", not between 0 and that many ln 2.";
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
        if (quantities_[c].empty()) continue;
        if (all.empty() || all.back().name != quantities_[c])
            all.push_back({quantities_[c], columns_[c].unit, when + columns_[c].meaning, {}});
        double mean = 0, square = 0;
        for (std::size_t r : last) mean += series.row(r)[c] / n;
        for (std::size_t r : last) square += (series.row(r)[c] - mean) * (series.row(r)[c] - mean);
        all.back().value.push_back(mean);
        if (last.size() >= fewest_samples && quantities_[c] != "time")
            all.back().error.push_back(std::sqrt(variance_of_mean(square, last.size())));
    }
    return all;
}

}  // namespace strata::trotter
