// SPDX-License-Identifier: BSD-3-Clause
// Intensities, weights and sum rules from the coefficients of all recurrences.
#include <algorithm>
#include <cmath>
#include <numbers>

#include "krylov/continued_fraction.hpp"
#include "krylov/tridiagonal.hpp"
#include "lanczos/run/spectrum.hpp"
#include "strata/formatted.hpp"

namespace strata::lanczos {

Complex Spectrum::fraction_energy(double omega) const {
    return {omega + solver_.energy() - target_offset_, plan_.config().spectrum.broadening};
}

/// - Im G / pi at omega + E_0 + i broadening, G the resolvent of A |0>.
double Spectrum::intensity(std::size_t part, double omega) const {
    const Complex fraction = krylov::resolvent(fraction_energy(omega), table_.alpha(part), table_.beta(part));
    return -norms_[part] * norms_[part] * fraction.imag() / std::numbers::pi;
}

/// Upper bound of the error that the finite number of steps makes in an intensity of one wave.
double Spectrum::truncation_bound(std::size_t wave, double omega) const {
    double sum = 0;
    for (std::size_t part = 0; part < parts(); ++part)
        if (wave_of(part) == wave)
            sum += norms_[part] * norms_[part] *
                   krylov::truncation_bound(fraction_energy(omega), table_.alpha(part), table_.beta(part));
    return sum / std::numbers::pi / static_cast<double>(solver_.states());
}

void Spectrum::observe(std::vector<double>& rows) {
    const std::vector<double>& omegas = plan_.config().spectrum.omega;
    s_.rows = omegas.size();
    if (of_current()) {
        const Conductivity sigma = conductivity();
        for (const double omega : omegas) rows.insert(rows.end(), {omega, sigma.at(omega)});
        return;
    }
    for (double omega : omegas) {
        std::vector<double> row(columns_.size());
        row[0] = omega;
        for (std::size_t p = 0; p < parts(); ++p)
            row[1 + wave_of(p)] += intensity(p, omega) / static_cast<double>(solver_.states());
        rows.insert(rows.end(), row.begin(), row.end());
    }
}

/// Integral over omega, summed over all wave vectors and sublattices: sum_j <a+_j a_j> if the waves are complete.
double Spectrum::total_weight() const {
    const Model& model = plan_.model();
    const PairOccupations c = pairs_->mean();
    const SpectralOperator op = plan_.config().spectrum.op;
    const bool spins = model.kind == SiteKind::spins;
    double sum = 0;
    for (std::size_t j = 0; j < static_cast<std::size_t>(model.lattice.sites); ++j) {
        const double up = c.uu[j][j], down = c.dd[j][j], both = c.ud[j][j];
        switch (op) {
            case SpectralOperator::density: sum += up + down + 2 * both; break;
            case SpectralOperator::spin: sum += spins ? square_of_sz(model, c, j) : (up + down - 2 * both) / 4; break;
            case SpectralOperator::removal: sum += down; break;
            case SpectralOperator::addition: sum += 1 - down; break;
            case SpectralOperator::current:
            case SpectralOperator::observable: break;  // known by the spectrum alone
        }
    }
    return sum;
}

/// Says where the poles are if much of the weight lies outside of spectrum.omega.
std::string Spectrum::weight_remark() const {
    constexpr double much = 0.05, counted = 1e-3;  // share of the weight, and that of the outermost poles
    if (!possible() || s_.part < parts() || of_current()) return {};
    std::vector<std::pair<double, double>> poles;  // energy and weight
    double all = 0, outside = 0;
    const auto [low, high] = std::ranges::minmax(plan_.config().spectrum.omega);
    for (std::size_t part = 0; part < parts(); ++part) {
        if (table_.steps(part) == 0) continue;
        const krylov::Quadrature rule = krylov::gauss_rule(table_.alpha(part), table_.beta(part));
        for (std::size_t n = 0; n < rule.nodes.size(); ++n) {
            const double omega = rule.nodes[n] + target_offset_ - solver_.energy(),
                         weight = norms_[part] * norms_[part] * rule.weights[n];
            poles.emplace_back(omega, weight);
            all += weight;
            if (omega < low || omega > high) outside += weight;
        }
    }
    if (!(outside > much * all)) return {};
    std::erase_if(poles, [&](const auto& pole) { return pole.second < counted * all; });
    const auto [first, last] = std::ranges::minmax(poles);
    return formatted("%.0f %% of the weight lies outside of spectrum.omega; the poles reach from %.3g to %.3g.",
                     100 * outside / all, first.first, last.first);
}

std::string Spectrum::remark() const {
    const std::string on_state = ground_state_remark(solver_), on_weight = weight_remark();
    return of_sector(on_state + (on_state.empty() || on_weight.empty() ? "" : " ") + on_weight);
}

/// Without steps J |0> is 0.
Conductivity Spectrum::conductivity() const {
    constexpr double remnant = 10;  // multiple of the largest residual of a ground state
    Conductivity sigma(remnant * solver_.tolerance(), plan_.config().spectrum.broadening);
    const double sites = plan_.model().lattice.sites, states = static_cast<double>(solver_.states());
    for (std::size_t part = 0; part < parts(); ++part)
        if (table_.steps(part) > 0)
            sigma.add(table_.alpha(part), table_.beta(part), target_offset_ - solver_.energy(),
                      std::numbers::pi / sites * norms_[part] * norms_[part] / states);
    return sigma;
}

std::vector<Quantity> Spectrum::conductivity_results(std::vector<Quantity> q) const {
    const Conductivity sigma = conductivity();
    const double sites = plan_.model().lattice.sites;
    q.push_back({"kinetic-energy", "energy", "total, along the direction of the current: <T_d>", {kinetic_}});
    q.push_back({"conductivity-weight", "e^2/hbar", "integral of the regular part over omega", {sigma.weight()}});
    Quantity drude = {"drude-weight",
                      "e^2/hbar",
                      "D = pi/N <-T_d> - 2 conductivity-weight, by the f-sum rule",
                      {-std::numbers::pi / sites * kinetic_ - 2 * sigma.weight()}};
    if (has_open_ends(plan_.config())) drude.reference = {0};
    q.push_back(drude);
    q.push_back(
        {"drude-weight-step-error", "e^2/hbar", "by too few spectrum.steps, an estimate", {2 * sigma.step_error()}});
    double bound = 0;
    for (const double omega : plan_.config().spectrum.omega) bound = std::max(bound, sigma.truncation_bound(omega));
    q.push_back(
        {"truncation-bound", "e^2/hbar", "of the error of the conductivity by too few spectrum.steps", {bound}});
    return q;
}

std::vector<Quantity> Spectrum::results(const Series&) const {
    std::vector<Quantity> q = ground_state_results(solver_);
    if (!possible() || s_.part < parts()) return q;
    if (of_current()) return conductivity_results(std::move(q));
    std::vector<double> weight(waves_.size()), moment(waves_.size());
    double sum = 0;
    for (std::size_t p = 0; p < parts(); ++p) {
        const double w = norms_[p] * norms_[p] / static_cast<double>(solver_.states());
        weight[wave_of(p)] += w;
        if (!table_.alpha(p).empty())
            moment[wave_of(p)] += w * (table_.alpha(p)[0] + target_offset_ - solver_.energy());
        sum += w;
    }
    const bool without_waves = waves_[0].m.empty();
    const auto add = [&](std::string name, const char* unit, const std::string& meaning, std::size_t w, double value) {
        name += suffix_of(waves_[w].sublattice);
        auto list = std::ranges::find(q, name, &Quantity::name);
        if (list == q.end()) {
            Quantity one = {name, unit, meaning + (without_waves ? "" : " for every wave vector"), {}};
            list = q.insert(q.end(), without_waves ? std::move(one) : std::move(one).over("k"));
        }
        list->value.push_back(value);
    };
    for (std::size_t w = 0; w < waves_.size(); ++w) add("weight", "1", "integral over omega", w, weight[w]);
    for (std::size_t w = 0; w < waves_.size(); ++w)
        add("first-moment", "energy", "integral of omega times the intensity, <A+ [H, A]> by the f-sum rule", w,
            moment[w]);
    const Lattice& lattice = plan_.model().lattice;
    Quantity all = {"weight-sum", "1", "over all wave vectors", {sum}};
    const bool complete = !own_ && plan_.config().spectrum.momenta.empty() &&
                          (lattice.sublattices == 1 || plan_.config().sublattices == Sublattices::separate);
    if (complete) all.reference = {total_weight()};
    if (!without_waves) q.push_back(all);
    double bound = 0;
    for (std::size_t w = 0; w < waves_.size(); ++w)
        for (double omega : plan_.config().spectrum.omega) bound = std::max(bound, truncation_bound(w, omega));
    q.push_back({"truncation-bound", "1/energy", "of the error of an intensity by too few spectrum.steps", {bound}});
    if (without_waves) return q;
    for (Quantity& more : position_results(lattice, spectral_momenta(plan_.config(), lattice)))
        q.push_back(std::move(more));
    return q;
}

}  // namespace strata::lanczos
