// SPDX-License-Identifier: BSD-3-Clause
// Exponents count from the lowest level of each vector, so that none overflows; ratios of all vectors count from the lowest
// of all. Errors are those of the jackknife for ratios, as those of observed operators (observed_averages.hpp).
#include "lanczos/physics/thermal_spectra.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "kernels/instruction_sets.hpp"
#include "kernels/kronecker/block_product.hpp"
#include "lanczos/physics/thermal_averages.hpp"
#include "strata/standard_error.hpp"

namespace strata::lanczos {
namespace {

/// (exp(-a) - exp(-b)) / (b - a) for a, b >= 0, counted from the smaller one, so that nothing overflows.
double divided_difference(double a, double b) {
    if (b < a) std::swap(a, b);
    const double d = b - a;
    return d < 1e-6 ? std::exp(-a) * (1 - d / 2 + d * d / 6) : -std::exp(-a) * std::expm1(-d) / d;
}

/// tanh(x) / x
double tanh_ratio(double x) { return std::abs(x) < 1e-4 ? 1 - x * x / 3 : std::tanh(x) / x; }

}  // namespace

/// Two products of matrices, column by column: (Phi^T O)_jk = <v_k| A^+ |phi_j>, with column j of Phi the vector phi_j, and
/// its product with the vectors before.
Transitions transitions_of(const krylov::TridiagonalPairs& from, const krylov::TridiagonalPairs& to, double norm,
                           std::span<const double> overlaps, std::size_t row, const std::string& simd) {
    const std::size_t n = from.values.size(), m = to.values.size();
    const auto multiply = choose_kernels(kronecker::block_variants<double>(), simd).gemm;
    std::vector<double> phi(m * m), half(n * m);
    for (std::size_t j = 0; j < m; ++j)
        for (std::size_t l = 0; l < m; ++l) phi[l * m + j] = to.vectors[j * m + l];
    Transitions t{from.values, to.values, std::vector<double>(n * m)};
    multiply({.m = m, .n = n, .k = m, .lda = m, .ldb = row, .ldc = m}, phi.data(), overlaps.data(), half.data());
    multiply({.m = m, .n = n, .k = n, .lda = m, .ldb = n, .ldc = m}, half.data(), from.vectors.data(),
             t.weights.data());
    for (std::size_t i = 0; i < n; ++i)
        for (std::size_t j = 0; j < m; ++j) t.weights[i * m + j] *= norm * from.vectors[i * n] * to.vectors[j * m];
    return t;
}

ThermalSpectra::ThermalSpectra(SpectralGrid grid, std::size_t vectors, std::size_t lists, std::vector<double> states)
    : grid_(std::move(grid)),
      states_(std::move(states)),
      vectors_(vectors),
      lists_(lists),
      zeros_(vectors * states_.size()),
      z_(zeros_.size() * grid_.temperatures.size()),
      probability_(z_.size()),
      sums_(z_.size() * lists * width()) {}

void ThermalSpectra::clear() {
    for (std::vector<double>* list : {&zeros_, &z_, &probability_, &sums_}) std::ranges::fill(*list, 0.0);
}

void ThermalSpectra::replace(std::size_t sector, const ThermalSpectra& other) {
    for (const auto list :
         {&ThermalSpectra::zeros_, &ThermalSpectra::z_, &ThermalSpectra::probability_, &ThermalSpectra::sums_})
        std::ranges::copy(other.*list,
                          (this->*list).begin() + static_cast<std::ptrdiff_t>(sector * (other.*list).size()));
}

void ThermalSpectra::add_state(const std::string& name, std::vector<DistributedArray>& arrays) {
    Record record(name);
    record.field("zeros", std::span(zeros_)).field("z", std::span(z_)).field("probability", std::span(probability_));
    arrays.push_back(record.array());
    arrays.push_back(Record(name + "-sums").field("sums", std::span(sums_)).array());
}

void ThermalSpectra::set_levels(std::size_t vector, std::span<const double> levels, std::span<const double> weights) {
    const std::size_t count = grid_.temperatures.size();
    zeros_[vector] = *std::ranges::min_element(levels);
    for (std::size_t at = 0; at < count; ++at) {
        double z = 0, squares = 0;
        for (std::size_t i = 0; i < levels.size(); ++i) {
            const double w = weights[i] * std::exp(-(levels[i] - zeros_[vector]) / grid_.temperatures[at]);
            z += w;
            squares += w * w;
        }
        z_[vector * count + at] = z;
        probability_[vector * count + at] = squares / (z * z);
        for (std::size_t list = 0; list < lists_; ++list)
            for (std::size_t place = 0; place < width(); ++place) sum(vector, list, at, place) = 0;
    }
}

double ThermalSpectra::level_factor(std::size_t vector, std::size_t temperature, double level, StateAt state) const {
    const double e = (level - zeros_[vector]) / grid_.temperatures[temperature];
    return state ? std::sqrt(z_[vector * grid_.temperatures.size() + temperature]) * std::exp(-e / 2) : std::exp(-e);
}

void ThermalSpectra::add(std::size_t vector, std::size_t list, const Transitions& t, StateAt state) {
    const std::size_t m = t.to.size(), omegas = grid_.omega.size();
    const auto [first, last] = range(state);
    const double eta = grid_.broadening;
    const bool current = grid_.function == SpectralFunction::conductivity, even = current && state;
    std::vector<double> lorentz(omegas), factors(last);
    for (std::size_t i = 0; i < t.from.size(); ++i)
        for (std::size_t j = 0; j < m; ++j) {
            const double weight = t.weights[i * m + j], pole = t.to[j] - t.from[i];
            if (weight == 0) continue;
            for (std::size_t at = first; at < last; ++at) {
                const double temperature = grid_.temperatures[at], e = (t.from[i] - zeros_[vector]) / temperature;
                factors[at] = weight * (current && !state ? divided_difference(e, e + pole / temperature) / temperature
                                                          : level_factor(vector, at, t.from[i], state));
                if (even) factors[at] *= tanh_ratio(pole / (2 * temperature)) / (2 * temperature);
                sum(vector, list, at, omegas) += even ? 2 * factors[at] : factors[at];
            }
            for (std::size_t o = 0; o < omegas; ++o) {
                const double d = grid_.omega[o] - pole, mirrored = grid_.omega[o] + pole;
                lorentz[o] = eta / std::numbers::pi / (d * d + eta * eta);
                if (even) lorentz[o] += eta / std::numbers::pi / (mirrored * mirrored + eta * eta);
            }
            for (std::size_t at = first; at < last; ++at)
                for (std::size_t o = 0; o < omegas; ++o) sum(vector, list, at, o) += factors[at] * lorentz[o];
        }
}

void ThermalSpectra::add_static(std::size_t vector, std::size_t list, std::span<const double> levels,
                                std::span<const double> values, StateAt state) {
    const auto [first, last] = range(state);
    for (std::size_t at = first; at < last; ++at)
        for (std::size_t i = 0; i < levels.size(); ++i)
            sum(vector, list, at, integral()) += values[i] * level_factor(vector, at, levels[i], state);
}

void ThermalSpectra::combine(std::size_t vector, std::size_t to, double a, std::size_t first, double b,
                             std::size_t second) {
    for (std::size_t at = 0; at < grid_.temperatures.size(); ++at)
        sum(vector, to, at, integral()) =
            a * sum(vector, first, at, integral()) + b * sum(vector, second, at, integral());
}

std::vector<ThermalSpectra::Ratio> ThermalSpectra::of_vectors(std::size_t list, std::size_t temperature,
                                                              std::size_t omega) const {
    const double lowest = *std::ranges::min_element(zeros_);
    std::vector<Ratio> all;
    for (std::size_t r = 0; r < zeros_.size(); ++r) {
        const double scale = std::exp(-(zeros_[r] - lowest) / grid_.temperatures[temperature]);
        all.push_back(
            {scale * sum(r, list, temperature, omega), scale * z_[r * grid_.temperatures.size() + temperature]});
    }
    return all;
}

std::vector<ThermalSpectra::Ratio> ThermalSpectra::of_sectors(const std::vector<Ratio>& of_vectors) const {
    std::vector<Ratio> all;
    for (std::size_t k = 0; k < states_.size(); ++k) {
        Ratio sum;
        for (std::size_t r = 0; r < vectors_; ++r) sum += of_vectors[k * vectors_ + r];
        all.push_back(sum * states_[k]);
    }
    return all;
}

double ThermalSpectra::value(std::size_t list, std::size_t temperature, std::size_t omega) const {
    Ratio all;
    for (const Ratio& sector : of_sectors(of_vectors(list, temperature, omega))) all += sector;
    return all.value();
}

/// Variance of an average by the vectors of one sector: sums without one of them are those of the vectors before and
/// behind it, which count as all of the sector.
double ThermalSpectra::sector_variance(std::span<const Ratio> vectors, double states, const Ratio& others,
                                       double average) const {
    const auto count = static_cast<double>(vectors.size());
    const double factor = states * count / (count - 1);
    std::vector<Ratio> behind(vectors.size() + 1);
    for (std::size_t r = vectors.size(); r-- > 0;) {
        behind[r] = behind[r + 1];
        behind[r] += vectors[r];
    }
    Ratio before;
    double mean = 0, variance = 0;
    std::vector<double> without;
    for (std::size_t r = 0; r < vectors.size(); ++r) {
        Ratio all = before;
        all += behind[r + 1];
        all = all * factor;
        all += others;
        without.push_back(all.value());
        mean += without[r] / count;
        before += vectors[r];
    }
    for (const double a : without) variance += (a - mean) * (a - mean) * (count - 1) / count;
    const double bias = (count - 1) * (mean - average);
    return variance * (count - 1) / (count - 3) + bias * bias;
}

/// Relative variance of the trace (thermal_averages.cpp); a sector of one state has none.
double ThermalSpectra::variance_of_trace(const std::vector<Ratio>& sectors, const Ratio& all,
                                         std::size_t temperature) const {
    double variance = 0;
    for (std::size_t k = 0; k < sectors.size(); ++k) {
        if (sectors.size() > 1 && states_[k] == 1) continue;
        const double share = sectors[k].denominator / all.denominator;
        double sum = 0;
        for (std::size_t r = k * vectors_; r < (k + 1) * vectors_; ++r)
            sum += 2 * probability_[r * grid_.temperatures.size() + temperature];
        variance += share * share * sum / static_cast<double>(vectors_ * vectors_);
    }
    return variance;
}

SpectralAverage ThermalSpectra::average(std::size_t list, std::size_t temperature, std::size_t omega) const {
    const std::vector<Ratio> vectors = of_vectors(list, temperature, omega), sectors = of_sectors(vectors);
    Ratio all;
    for (const Ratio& sector : sectors) all += sector;
    SpectralAverage average{all.value(), NAN};
    if (vectors_ < fewest_samples || variance_of_trace(sectors, all, temperature) > largest_variance) return average;
    double variance = 0;
    for (std::size_t k = 0; k < sectors.size(); ++k) {
        Ratio others;
        for (std::size_t other = 0; other < sectors.size(); ++other)
            if (other != k) others += sectors[other];
        variance +=
            sector_variance(std::span(vectors).subspan(k * vectors_, vectors_), states_[k], others, average.value);
    }
    average.error = std::sqrt(variance);
    return average;
}

}  // namespace strata::lanczos
