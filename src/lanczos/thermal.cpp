// SPDX-License-Identifier: BSD-3-Clause
// Sums over levels carry a scale of their own, exp(offset), so that samples whose lowest level lies far above that of
// others neither vanish nor cancel: leaving one sample out adds up the others and never subtracts.
#include "lanczos/thermal.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "comm/collectives.hpp"

namespace strata::lanczos {
namespace {

/// exp(offset) times sums of w e^(-E/T) E^0, E^1, E^2 over levels, with energies E from a common zero.
struct Moments {
    double offset = -std::numeric_limits<double>::infinity();
    std::array<double, 3> sum = {};

    Moments operator+(const Moments& other) const {
        if (offset < other.offset) return other + *this;
        Moments all = *this;
        if (!std::isfinite(other.offset)) return all;
        const double factor = std::exp(other.offset - offset);
        for (std::size_t i = 0; i < 3; ++i) all.sum[i] += factor * other.sum[i];
        return all;
    }
};

Moments moments(const Quadrature& levels, double zero, double t) {
    const auto exponent = [&](std::size_t n) { return std::log(levels.weights[n]) - (levels.nodes[n] - zero) / t; };
    Moments m;
    for (std::size_t n = 0; n < levels.nodes.size(); ++n) m.offset = std::max(m.offset, exponent(n));
    for (std::size_t n = 0; n < levels.nodes.size(); ++n) {
        const double e = levels.nodes[n] - zero, w = std::exp(exponent(n) - m.offset);
        m.sum[0] += w;
        m.sum[1] += w * e;
        m.sum[2] += w * e * e;
    }
    return m;
}

struct Averages {
    double energy = 0, specific_heat = 0, entropy = 0;
};

/// What one point of the temperature scan needs beside its sums.
struct Point {
    double t, zero, dimension, sites;

    Averages averages(const Moments& m, double samples) const {
        const double mean = m.sum[1] / m.sum[0], square = m.sum[2] / m.sum[0];
        const double log_z = std::log(dimension * m.sum[0] / samples) + m.offset;
        return {zero + mean, std::max(0.0, square - mean * mean) / (t * t) / sites, (log_z + mean / t) / sites};
    }

    Averages of_all(const std::vector<Moments>& samples) const {
        Moments all;
        for (const Moments& m : samples) all = all + m;
        return averages(all, static_cast<double>(samples.size()));
    }

    /// Jackknife errors: each sample is left out once.
    Averages errors(const std::vector<Moments>& samples) const {
        const std::size_t n = samples.size();
        const auto count = static_cast<double>(n);
        std::vector<Moments> behind(n + 1);  // of the samples from n on
        for (std::size_t s = n; s-- > 0;) behind[s] = samples[s] + behind[s + 1];
        std::vector<Averages> without;
        Averages mean;
        Moments before;
        for (std::size_t s = 0; s < n; before = before + samples[s], ++s) {
            const Averages a = without.emplace_back(averages(before + behind[s + 1], count - 1));
            mean.energy += a.energy / count;
            mean.specific_heat += a.specific_heat / count;
            mean.entropy += a.entropy / count;
        }
        const auto error = [&](double Averages::*of) {
            double squares = 0;
            for (const Averages& a : without) squares += (a.*of - mean.*of) * (a.*of - mean.*of);
            return std::sqrt(squares * (count - 1) / count);
        };
        return {error(&Averages::energy), error(&Averages::specific_heat), error(&Averages::entropy)};
    }
};

}  // namespace

Thermal::Thermal(const Communicator& comm, const LanczosPlan& plan, const DeviceBinding* device)
    : LanczosTask(comm, plan, device, 0),
      samples_(plan_.config().thermal.samples),
      max_iterations_(plan_.config().thermal.steps),
      state_(std::make_unique<SolverState>()),
      alpha_(samples_ * max_iterations_),
      beta_(samples_ * max_iterations_),
      iterations_(samples_) {}

std::vector<std::string> Thermal::description() const {
    std::vector<std::string> lines = LanczosTask::description();
    lines.push_back("trace over the sector by " + std::to_string(samples_) + " random vectors of " +
                    std::to_string(max_iterations_) + " steps, at " +
                    std::to_string(plan_.config().thermal.temperatures.size()) + " temperatures");
    return lines;
}

void Thermal::initialise() {
    *state_ = SolverState();
    hamiltonian_.clear(hamiltonian_.v());
    hamiltonian_.clear(hamiltonian_.w());
}

std::vector<DistributedArray> Thermal::state() {
    std::vector<DistributedArray> arrays;
    hamiltonian_.add_state("v", hamiltonian_.v(), arrays);
    hamiltonian_.add_state("w", hamiltonian_.w(), arrays);
    arrays.push_back(numbers_array(comm_, "progress", reinterpret_cast<double*>(state_.get()),
                                   sizeof(SolverState) / sizeof(double)));
    arrays.push_back(numbers_array(comm_, "alpha", alpha_.data(), alpha_.size()));
    arrays.push_back(numbers_array(comm_, "beta", beta_.data(), beta_.size()));
    arrays.push_back(numbers_array(comm_, "steps-made", iterations_.data(), iterations_.size()));
    return arrays;
}

void Thermal::restored(std::uint64_t) {
    for (DistributedVector* v : {&hamiltonian_.v(), &hamiltonian_.w()}) hamiltonian_.restored(*v);
    broadcast(comm_, *state_);
    for (std::vector<double>* numbers : {&alpha_, &beta_, &iterations_})
        broadcast_bytes(comm_, numbers->data(), numbers->size() * sizeof(double), 0);
}

std::uint64_t Thermal::total_steps() const {
    const auto ahead = (samples_ - sample()) * max_iterations_ - static_cast<std::uint64_t>(state_->recurrence.steps);
    return static_cast<std::uint64_t>(state_->iterations) + ahead + plan_.config().thermal.temperatures.size();
}

void Thermal::step(std::uint64_t) {
    if (sample() == samples_) {
        ++state_->rows;
        return;
    }
    const std::size_t s = sample();
    RecurrenceState& r = state_->recurrence;
    if (r.steps == 0) {
        hamiltonian_.draw(hamiltonian_.w(), s);
        begin_recurrence(hamiltonian_, r);
    }
    recurrence_step(hamiltonian_, r, {alpha_.data() + s * max_iterations_, max_iterations_},
                    {beta_.data() + s * max_iterations_, max_iterations_});
    ++state_->iterations;
    iterations_[s] = r.steps;
    if (iterations_[s] < static_cast<double>(max_iterations_) && r.exhausted == 0) return;
    ++state_->sample;
    r = {};
}

/// The node that Radau's rule prescribes is the lowest Ritz value of all samples less its residual.
const Thermal::Levels& Thermal::levels() {
    if (!levels_.gauss.empty()) return levels_;
    const double offset = plan_.sector().offset();
    double below = std::numeric_limits<double>::infinity();
    levels_.lowest = below;
    const auto coefficients = [&](const std::vector<double>& all, std::size_t s) {
        return std::span<const double>(all.data() + s * max_iterations_, static_cast<std::size_t>(iterations_[s]));
    };
    for (std::size_t s = 0; s < samples_; ++s) {
        levels_.gauss.push_back(gauss_rule(coefficients(alpha_, s), coefficients(beta_, s)));
        const RitzPair pair = lowest_pair(coefficients(alpha_, s), coefficients(beta_, s));
        levels_.lowest = std::min(levels_.lowest, pair.value + offset);
        below = std::min(below, pair.value - coefficients(beta_, s).back() * std::abs(pair.vector.back()));
    }
    for (std::size_t s = 0; s < samples_; ++s)
        levels_.radau.push_back(gauss_radau_rule(coefficients(alpha_, s), coefficients(beta_, s), below));
    for (auto* rules : {&levels_.gauss, &levels_.radau})
        for (Quadrature& rule : *rules)
            for (double& e : rule.nodes) e += offset;
    return levels_;
}

const std::vector<Column>& Thermal::columns() const {
    static const std::vector<Column> all = {
        {"temperature", "energy/k_B", "of the average"},
        {"energy", "energy", "total, in the sector"},
        {"energy-error", "energy", "one standard deviation"},
        {"specific-heat", "k_B", "per site, at fixed particle numbers"},
        {"specific-heat-error", "k_B", "one standard deviation"},
        {"entropy", "k_B", "per site"},
        {"entropy-error", "k_B", "one standard deviation"},
        {"energy-step-error", "energy", "by too few thermal.steps: difference of two quadratures"},
        {"specific-heat-step-error", "k_B", "by too few thermal.steps"},
        {"entropy-step-error", "k_B", "by too few thermal.steps"},
    };
    return all;
}

void Thermal::observe_row(std::span<double> row) {
    if (comm_.is_root()) average(row);
    broadcast_bytes(comm_, row.data(), row.size_bytes(), 0);
}

/// Both quadratures at the temperature of the last row, and the jackknife errors of Gauss'.
void Thermal::average(std::span<double> row) {
    const Levels& l = levels();
    const double t = plan_.config().thermal.temperatures[static_cast<std::size_t>(state_->rows) - 1];
    const Point point{t, l.lowest, plan_.dimension(), static_cast<double>(plan_.model().lattice.sites)};
    std::vector<Moments> gauss, radau;
    for (std::size_t s = 0; s < samples_; ++s) {
        gauss.push_back(moments(l.gauss[s], l.lowest, t));
        radau.push_back(moments(l.radau[s], l.lowest, t));
    }
    const Averages mean = point.of_all(gauss), error = point.errors(gauss), other = point.of_all(radau);
    const double numbers[] = {t,
                              mean.energy,
                              error.energy,
                              mean.specific_heat,
                              error.specific_heat,
                              mean.entropy,
                              error.entropy,
                              std::abs(other.energy - mean.energy),
                              std::abs(other.specific_heat - mean.specific_heat),
                              std::abs(other.entropy - mean.entropy)};
    std::ranges::copy(numbers, row.begin());
}

/// An error that cannot be computed is no reason to lose the averages.
std::string Thermal::broken_invariant(std::span<const double> row) const {
    std::vector<double> values(row.begin(), row.end());
    for (std::size_t i = 0; i < values.size(); ++i)
        if (columns()[i].name.ends_with("-error") && std::isnan(values[i])) values[i] = 0;
    return LanczosTask::broken_invariant(values);
}

std::vector<Quantity> Thermal::results(const Series& series) const {
    const std::size_t rows = series.rows();
    if (rows == 0) return {};
    const auto column = [&](std::size_t c) { return series.column(c, 0, rows); };
    return {{"temperature", "energy/k_B", "of the averages", column(0)},
            {"energy", "energy", "total, in the sector", column(1), column(2)},
            {"specific-heat", "k_B", "per site, at fixed particle numbers", column(3), column(4)},
            {"entropy", "k_B", "per site", column(5), column(6)},
            {"energy-step-error", "energy", "by too few thermal.steps: difference of two quadratures", column(7)},
            {"specific-heat-step-error", "k_B", "by too few thermal.steps", column(8)},
            {"entropy-step-error", "k_B", "by too few thermal.steps", column(9)}};
}

}  // namespace strata::lanczos
