// SPDX-License-Identifier: BSD-3-Clause
#include "lanczos/thermal.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "comm/collectives.hpp"
#include "lanczos/recurrence.hpp"
#include "lanczos/tridiagonal.hpp"

namespace strata::lanczos {
namespace {

/// Mean over samples of sum_n w_n e^(-(e_n - lowest)/T) times (e_n - lowest)^0, 1, 2.
using Moments = std::array<double, 3>;

struct Averages {
    double energy, specific_heat, entropy;
};

Averages averages(const Moments& m, double samples, double dimension, double lowest, double t, double sites) {
    const double mean = m[1] / m[0], square = m[2] / m[0];
    const double log_z = std::log(dimension * m[0] / samples);  // energies from the lowest
    return {lowest + mean, (square - mean * mean) / (t * t) / sites, (log_z + mean / t) / sites};
}

}  // namespace

Thermal::Thermal(const Communicator& comm, const LanczosPlan& plan, const DeviceBinding* device)
    : LanczosSystem(comm, plan, device, 0),
      samples_(plan_.config().thermal.samples),
      most_(plan_.config().thermal.steps),
      n_(std::make_unique<Numbers>()),
      alpha_(samples_ * most_),
      beta_(samples_ * most_),
      made_(samples_) {}

std::vector<std::string> Thermal::description() const {
    std::vector<std::string> lines = LanczosSystem::description();
    lines.push_back("trace over the sector by " + std::to_string(samples_) + " random vectors of " +
                    std::to_string(most_) + " steps, at " + std::to_string(plan_.config().thermal.temperatures.size()) +
                    " temperatures");
    return lines;
}

void Thermal::initialise() {
    *n_ = Numbers();
    engine_.clear(engine_.f());
    engine_.clear(engine_.q());
}

std::vector<DistributedArray> Thermal::state() {
    std::vector<DistributedArray> arrays;
    engine_.add_state("f", engine_.f(), arrays);
    engine_.add_state("q", engine_.q(), arrays);
    arrays.push_back(
        numbers_array(comm_, "progress", reinterpret_cast<double*>(n_.get()), sizeof(Numbers) / sizeof(double)));
    arrays.push_back(numbers_array(comm_, "alpha", alpha_.data(), alpha_.size()));
    arrays.push_back(numbers_array(comm_, "beta", beta_.data(), beta_.size()));
    arrays.push_back(numbers_array(comm_, "steps-made", made_.data(), made_.size()));
    return arrays;
}

void Thermal::restored(std::uint64_t) {
    for (Vector* v : {&engine_.f(), &engine_.q()}) engine_.restored(*v);
    broadcast(comm_, *n_);
    for (std::vector<double>* numbers : {&alpha_, &beta_, &made_})
        broadcast_bytes(comm_, numbers->data(), numbers->size() * sizeof(double), 0);
}

std::uint64_t Thermal::total_steps() const {
    const auto ahead = (samples_ - sample()) * most_ - static_cast<std::uint64_t>(n_->k);
    return static_cast<std::uint64_t>(n_->made) + ahead + plan_.config().thermal.temperatures.size();
}

void Thermal::step(std::uint64_t) {
    if (sample() == samples_) {
        ++n_->rows;
        return;
    }
    const std::size_t s = sample();
    const auto k = static_cast<std::uint64_t>(n_->k);
    if (k == 0) {
        engine_.clear(engine_.f());
        engine_.draw(engine_.q(), s);
        n_->norm = engine_.norm(engine_.q());
    }
    const std::span<double> alpha(alpha_.data() + s * most_, most_), beta(beta_.data() + s * most_, most_);
    recurrence_step(engine_, k, n_->norm, alpha, beta);
    ++n_->made;
    made_[s] = ++n_->k;
    if (k + 1 < most_ && !exhausted(k, alpha, beta)) return;
    ++n_->sample;
    n_->k = 0;
}

const Thermal::Levels& Thermal::levels() {
    if (!levels_.energy.empty()) return levels_;
    levels_.lowest = std::numeric_limits<double>::infinity();
    for (std::size_t s = 0; s < samples_; ++s) {
        const auto made = static_cast<std::size_t>(made_[s]);
        Spectrum spectrum = all_pairs({alpha_.data() + s * most_, made}, {beta_.data() + s * most_, made - 1});
        for (double& e : spectrum.values) e += plan_.sector().offset();
        levels_.lowest = std::min(levels_.lowest, spectrum.values.front());
        levels_.energy.push_back(std::move(spectrum.values));
        levels_.weight.push_back(std::move(spectrum.weights));
    }
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
    };
    return all;
}

void Thermal::observe(std::span<double> row) {
    const Levels& l = levels();
    const double t = plan_.config().thermal.temperatures[static_cast<std::size_t>(n_->rows) - 1];
    const double sites = plan_.model().lattice.sites, dimension = plan_.dimension();
    const auto samples = static_cast<double>(samples_);
    std::vector<Moments> of_sample(samples_, Moments{});
    Moments all = {};
    for (std::size_t s = 0; s < samples_; ++s) {
        for (std::size_t n = 0; n < l.energy[s].size(); ++n) {
            const double e = l.energy[s][n] - l.lowest, w = l.weight[s][n] * std::exp(-e / t);
            of_sample[s][0] += w;
            of_sample[s][1] += w * e;
            of_sample[s][2] += w * e * e;
        }
        for (std::size_t i = 0; i < 3; ++i) all[i] += of_sample[s][i];
    }
    const Averages mean = averages(all, samples, dimension, l.lowest, t, sites);
    double squares[3] = {};
    for (const Moments& m : of_sample) {  // leave one out
        const Moments others = {all[0] - m[0], all[1] - m[1], all[2] - m[2]};
        const Averages a = averages(others, samples - 1, dimension, l.lowest, t, sites);
        squares[0] += (a.energy - mean.energy) * (a.energy - mean.energy);
        squares[1] += (a.specific_heat - mean.specific_heat) * (a.specific_heat - mean.specific_heat);
        squares[2] += (a.entropy - mean.entropy) * (a.entropy - mean.entropy);
    }
    const auto error = [&](double sum) { return std::sqrt(sum * (samples - 1) / samples); };
    const double numbers[] = {
        t, mean.energy, error(squares[0]), mean.specific_heat, error(squares[1]), mean.entropy, error(squares[2])};
    std::ranges::copy(numbers, row.begin());
}

std::vector<Quantity> Thermal::results(const Series& series) const {
    const std::size_t rows = series.rows();
    if (rows == 0) return {};
    const auto column = [&](std::size_t c) { return series.column(c, 0, rows); };
    return {{"temperature", "energy/k_B", "of the averages", column(0)},
            {"energy", "energy", "total, in the sector", column(1), column(2)},
            {"specific-heat", "k_B", "per site, at fixed particle numbers", column(3), column(4)},
            {"entropy", "k_B", "per site", column(5), column(6)}};
}

}  // namespace strata::lanczos
