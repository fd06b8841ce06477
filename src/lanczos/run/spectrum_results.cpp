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

/// - Im G / pi at omega + E_0 + i broadening, G the resolvent of A |0>; of an off-diagonal spectrum - 1/pi sum_k
/// <0|A+|v_k> Im x_k |B 0|, x the column of the resolvent of B |0>.
Complex Spectrum::intensity(std::size_t part, double omega) const {
    const std::span<const double> alpha = table_.alpha(part), beta = table_.beta(part);
    if (!left_) {
        const Complex fraction = krylov::resolvent(fraction_energy(omega), alpha, beta);
        return -norms_[part] * norms_[part] * fraction.imag() / std::numbers::pi;
    }
    const std::vector<Complex> column = krylov::resolvent_column(fraction_energy(omega), alpha, beta);
    Complex sum = 0;
    for (std::size_t k = 0; k < column.size(); ++k) sum += overlap(part, k) * column[k].imag();
    return -norms_[part] / std::numbers::pi * sum;
}

/// <A+ A>, or <A+ B>, as a part of the mean over ground states.
Complex Spectrum::weight_of(std::size_t part) const {
    return norms_[part] * (left_ ? overlap(part, 0) : norms_[part]) / static_cast<double>(solver_.states());
}

/// <A+ (H - E_0) A>, or <A+ (H - E_0) B>, likewise.
Complex Spectrum::first_moment_of(std::size_t part) const {
    const std::span<const double> alpha = table_.alpha(part);
    if (alpha.empty()) return 0;
    const Complex moment = weight_of(part) * (alpha[0] + target_offset_ - solver_.energy());
    if (!left_ || alpha.size() < 2) return moment;
    return moment + norms_[part] * table_.beta(part)[0] * overlap(part, 1) / static_cast<double>(solver_.states());
}

/// Upper bound of the error that the finite number of steps makes in an intensity of one wave. Off the diagonal the
/// approximation of (z - H)^-1 B |0> has a residual, on which (z - H)^-1 has at most the norm 1 / broadening.
double Spectrum::truncation_bound(std::size_t wave, double omega) const {
    double sum = 0;
    for (std::size_t part = 0; part < parts(); ++part) {
        const std::span<const double> alpha = table_.alpha(part), beta = table_.beta(part);
        const Complex z = fraction_energy(omega);
        if (wave_of(part) != wave || (left_ && alpha.empty())) continue;
        if (left_)
            sum += left_norms_[part] * norms_[part] * beta.back() *
                   std::abs(krylov::resolvent_column(z, alpha, beta).back()) / z.imag();
        else
            sum += norms_[part] * norms_[part] * krylov::truncation_bound(z, alpha, beta);
    }
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
        for (std::size_t p = 0; p < parts(); ++p) {
            const Complex value = intensity(p, omega) / static_cast<double>(solver_.states());
            row[1 + wave_of(p)] += value.real();
            if (left_) row[1 + waves_.size() + wave_of(p)] += value.imag();
        }
        rows.insert(rows.end(), row.begin(), row.end());
    }
}

/// Integral over omega, summed over all wave vectors and sublattices: sum_j <a+_j a_j> if the waves are complete.
double Spectrum::total_weight() const {
    const Model& model = plan_.model();
    const PairOccupations c = pairs_->mean();
    const SpectralOperator op = plan_.config().spectrum.op;
    const bool spins = model.kind == SiteKind::spins, electrons = model.kind == SiteKind::electrons,
               projected = plan_.config().projected();
    double sum = 0;
    for (std::size_t j = 0; j < static_cast<std::size_t>(model.lattice.sites); ++j) {
        const double up = c.uu[j][j], down = c.dd[j][j], both = c.ud[j][j];
        switch (op) {
            case SpectralOperator::density: sum += up + down + 2 * both; break;
            case SpectralOperator::spin: sum += spins ? square_of_sz(model, c, j) : (up + down - 2 * both) / 4; break;
            case SpectralOperator::removal: sum += electrons ? down : up; break;
            case SpectralOperator::addition: sum += 1 - (electrons ? down : up) - (projected ? up : 0); break;
            case SpectralOperator::current:
            case SpectralOperator::observable: break;  // known by the spectrum alone
        }
    }
    return sum;
}

/// Says where the poles are if much of the weight lies outside of spectrum.omega.
std::string Spectrum::weight_remark() const {
    constexpr double much = 0.05, counted = 1e-3;  // share of the weight, and that of the outermost poles
    if (!possible() || s_.part < parts() || of_current() || left_) return {};
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

void Spectrum::add_by_waves(const Quantity& empty, const std::vector<Complex>& values, Component component,
                            std::vector<Quantity>& q) const {
    const bool without_waves = waves_[0].m.empty();
    for (std::size_t w = 0; w < waves_.size(); ++w) {
        Quantity one = empty;
        one.name += suffix_of(waves_[w].sublattice);
        auto list = std::ranges::find(q, one.name, &Quantity::name);
        if (list == q.end()) {
            if (!without_waves) one.meaning += " for every wave vector";
            list = q.insert(q.end(), without_waves ? std::move(one) : std::move(one).over("k"));
        }
        list->value.push_back(component == Component::real ? values[w].real() : values[w].imag());
    }
}

std::vector<Quantity> Spectrum::results(const Series&) const {
    std::vector<Quantity> q = ground_state_results(solver_);
    if (!possible() || s_.part < parts()) return q;
    if (of_current()) return conductivity_results(std::move(q));
    std::vector<Complex> weight(waves_.size()), moment(waves_.size());
    Complex sum = 0;
    for (std::size_t p = 0; p < parts(); ++p) {
        weight[wave_of(p)] += weight_of(p);
        moment[wave_of(p)] += first_moment_of(p);
        sum += weight_of(p);
    }
    const bool without_waves = waves_[0].m.empty();
    const std::string right = left_ ? "B" : "A", of_real = left_ ? "real part of " : "";
    add_by_waves({"weight", "1", of_real + "integral over omega" + (left_ ? ", <A+ B>" : ""), {}}, weight,
                 Component::real, q);
    add_by_waves({"first-moment",
                  "energy",
                  of_real + "integral of omega times the intensity, <A+ [H, " + right + "]> by the f-sum rule",
                  {}},
                 moment, Component::real, q);
    if (left_) {
        add_by_waves({"weight-imaginary", "1", "imaginary part of <A+ B>", {}}, weight, Component::imaginary, q);
        add_by_waves({"first-moment-imaginary", "energy", "imaginary part of <A+ [H, B]>", {}}, moment,
                     Component::imaginary, q);
    }
    const Lattice& lattice = plan_.model().lattice;
    Quantity all = {"weight-sum", "1", "over all wave vectors", {sum.real()}};
    const bool complete = plan_.config().spectrum.op != SpectralOperator::observable &&
                          plan_.config().spectrum.momenta.empty() &&
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
