// SPDX-License-Identifier: BSD-3-Clause
// Sums over energy levels carry a scale of their own, exp(offset), so that samples whose lowest level lies far above
// that of others neither vanish nor cancel: leaving one sample out adds up the others and never subtracts.
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

Moments moments(const krylov::Quadrature& levels, double zero, double t) {
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
        std::vector<Moments> behind(n + 1);  // [n] sum over the samples from n on
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

Thermal::Thermal(const LanczosPlan& plan, const MakeHamiltonian& make)
    : LanczosTask(plan, make, 0),
      samples_(plan_.config().thermal.samples),
      table_(samples_, plan_.config().thermal.steps) {}

std::vector<std::string> Thermal::description() const {
    std::vector<std::string> lines = LanczosTask::description();
    lines.push_back("trace over the sector by " + std::to_string(samples_) + " random vectors of " +
                    std::to_string(table_.max_steps()) + " steps, at " +
                    std::to_string(plan_.config().thermal.temperatures.size()) + " temperatures");
    return lines;
}

void Thermal::initialise() {
    s_ = State();
    hamiltonian_.clear(hamiltonian_.v());
    hamiltonian_.clear(hamiltonian_.w());
}

std::vector<DistributedArray> Thermal::state() {
    std::vector<DistributedArray> arrays;
    add_working_pair(hamiltonian_, "", arrays);
    Record progress("progress");
    progress.field("sample", s_.sample).field("steps", s_.steps).field("rows", s_.rows);
    krylov::add_fields(progress, s_.recurrence);
    arrays.push_back(progress.array());
    table_.add_coefficients(arrays);
    table_.add_steps(arrays);
    return arrays;
}

std::uint64_t Thermal::total_steps() const {
    return s_.steps + (samples_ - s_.sample) * table_.max_steps() - s_.recurrence.steps;
}

void Thermal::step(std::uint64_t) {
    if (s_.recurrence.steps == 0) {
        hamiltonian_.draw(hamiltonian_.w(), s_.sample);
        krylov::begin_recurrence(hamiltonian_, s_.recurrence);
    }
    ++s_.steps;
    if (!table_.advance(hamiltonian_, s_.sample, s_.recurrence)) return;
    ++s_.sample;
    s_.recurrence = {};
}

/// The node that Radau's rule prescribes is the lowest Ritz value of all samples less its residual.
Thermal::Levels Thermal::levels() const {
    const double offset = plan_.sector().offset();
    double below = std::numeric_limits<double>::infinity();
    Levels levels;
    levels.lowest = below;
    for (std::size_t s = 0; s < samples_; ++s) {
        levels.gauss.push_back(krylov::gauss_rule(table_.alpha(s), table_.beta(s)));
        const krylov::RitzPair pair = krylov::lowest_pair(table_.alpha(s), table_.beta(s));
        levels.lowest = std::min(levels.lowest, pair.value + offset);
        below = std::min(below, pair.value - table_.beta(s).back() * std::abs(pair.vector.back()));
    }
    for (std::size_t s = 0; s < samples_; ++s)
        levels.radau.push_back(krylov::gauss_radau_rule(table_.alpha(s), table_.beta(s), below));
    for (auto* rules : {&levels.gauss, &levels.radau})
        for (krylov::Quadrature& rule : *rules)
            for (double& e : rule.nodes) e += offset;
    return levels;
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

/// Computed on rank 0.
void Thermal::observe(std::vector<double>& rows) {
    const std::vector<double>& temperatures = plan_.config().thermal.temperatures;
    std::vector<double> all;
    if (comm_.is_root()) {
        const Levels of_samples = levels();
        for (double t : temperatures) average(of_samples, t, all);
    }
    all.resize(temperatures.size() * columns().size());
    broadcast_bytes(comm_, all.data(), all.size() * sizeof(double), 0);
    rows.insert(rows.end(), all.begin(), all.end());
    s_.rows = temperatures.size();
}

/// Both quadratures at one temperature, and the jackknife errors of the Gauss rules.
void Thermal::average(const Levels& levels, double t, std::vector<double>& rows) const {
    const Point point{t, levels.lowest, plan_.dimension(), static_cast<double>(plan_.model().lattice.sites)};
    std::vector<Moments> gauss, radau;
    for (std::size_t s = 0; s < samples_; ++s) {
        gauss.push_back(moments(levels.gauss[s], levels.lowest, t));
        radau.push_back(moments(levels.radau[s], levels.lowest, t));
    }
    const Averages mean = point.of_all(gauss), error = point.errors(gauss), other = point.of_all(radau);
    rows.insert(rows.end(),
                {t, mean.energy, error.energy, mean.specific_heat, error.specific_heat, mean.entropy, error.entropy,
                 std::abs(other.energy - mean.energy), std::abs(other.specific_heat - mean.specific_heat),
                 std::abs(other.entropy - mean.entropy)});
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
