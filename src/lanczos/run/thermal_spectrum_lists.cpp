// SPDX-License-Identifier: BSD-3-Clause
// Columns and results of spectra at finite temperature.
#include <cmath>
#include <numbers>
#include <set>

#include "lanczos/physics/currents.hpp"
#include "lanczos/physics/observables.hpp"
#include "lanczos/run/thermal_spectrum.hpp"
#include "lanczos/state/spectral_target.hpp"

namespace strata::lanczos {
namespace {

Column with_error(Column column) {
    column = with_ending(std::move(column), "-error");
    column.meaning = "one standard deviation of the " + column.meaning;
    return column;
}

}  // namespace

ThermalSpectrumLists::ThermalSpectrumLists(const LanczosPlan& plan)
    : plan_(plan),
      waves_(spectral_waves(plan.config(), plan.model().lattice)),
      current_(plan.config().spectrum.op == SpectralOperator::current),
      columns_({{"temperature", "energy/k_B", "of the average", Role::coordinate},
                {"omega", "energy", "energy that the operator adds", Role::coordinate}}) {
    std::vector<Column> intensities;
    if (current_)
        intensities.push_back({"conductivity", "e^2/hbar", "optical conductivity, per site"});
    else
        for (const PlaneWave& wave : waves_) intensities.push_back(intensity_column(wave));
    for (std::size_t w = 0; w < waves_.size() && off_diagonal(); ++w) {
        Column column = intensities[w];
        column.meaning = "imaginary part of the " + column.meaning;
        intensities.push_back(with_ending(std::move(column), "-imaginary"));
    }
    columns_.insert(columns_.end(), intensities.begin(), intensities.end());
    for (const Column& column : intensities) columns_.push_back(with_error(column));
}

SpectralGrid ThermalSpectrumLists::grid() const {
    const auto& s = plan_.config().spectrum;
    return {s.temperatures, s.omega, s.broadening,
            current_ ? SpectralFunction::conductivity : SpectralFunction::correlation};
}

double ThermalSpectrumLists::factor() const { return current_ ? std::numbers::pi / plan_.model().lattice.sites : 1; }

void ThermalSpectrumLists::append_rows(const ThermalSpectra& sums, std::vector<double>& rows) const {
    const SpectralGrid& grid = sums.grid();
    for (std::size_t at = 0; at < grid.temperatures.size(); ++at)
        for (std::size_t o = 0; o < grid.omega.size(); ++o) {
            std::vector<double> row = {grid.temperatures[at], grid.omega[o]}, errors;
            for (std::size_t list = 0; list < intensities(); ++list) {
                const SpectralAverage average = sums.average(list, at, o);
                row.push_back(average.value);
                errors.push_back(exact() ? 0 : average.error);
            }
            row.insert(row.end(), errors.begin(), errors.end());
            rows.insert(rows.end(), row.begin(), row.end());
        }
}

/// sum_j a+_j a_j, where it is the same in all states of the sector; else NaN.
double ThermalSpectrumLists::constant_weight() const {
    const LanczosConfig& c = plan_.config();
    const int sites = plan_.model().lattice.sites;
    const bool numbers = c.conserved == Conserved::numbers;
    constexpr double unknown = NAN;
    switch (c.spectrum.op) {
        case SpectralOperator::removal: return !numbers ? unknown : c.kind() == SiteKind::electrons ? c.down : c.up;
        case SpectralOperator::addition:
            if (!numbers) return unknown;
            return sites - (c.projected() ? c.up + c.down : c.kind() == SiteKind::electrons ? c.down : c.up);
        case SpectralOperator::spin: return c.spins() && c.twice_spin == 1 ? sites / 4.0 : unknown;
        case SpectralOperator::density: return c.kind() == SiteKind::fermions && numbers ? c.up : unknown;
        default: return unknown;
    }
}

Quantity ThermalSpectrumLists::over_temperatures(Quantity list, const ThermalSpectra& sums, std::size_t of,
                                                 double factor) const {
    for (std::size_t at = 0; at < sums.grid().temperatures.size(); ++at) {
        const SpectralAverage average = sums.average(of, at, sums.integral());
        list.value.push_back(factor * average.value);
        list.error.push_back(exact() ? 0 : factor * average.error);
    }
    return std::move(list).over("temperature");
}

std::vector<Quantity> ThermalSpectrumLists::current_results(const ThermalSpectra& sums) const {
    return {over_temperatures({"kinetic-energy", "energy", "total, along the direction of the current: <T_d>", {}},
                              sums, kinetic(), 1),
            over_temperatures({"conductivity-weight",
                               "e^2/hbar",
                               "integral of the conductivity over omega > 0, with poles at 0 by half",
                               {}},
                              sums, 0, 0.5),
            over_temperatures({"stiffness", "e^2/hbar", "pi/N <-T_d> - 2 conductivity-weight, by the f-sum rule", {}},
                              sums, stiffness(), 1)};
}

/// The weights of one sublattice, or of all sites.
Quantity ThermalSpectrumLists::weights_of(Quantity list, std::size_t first, int sublattice,
                                          const ThermalSpectra& sums) const {
    list.name += suffix_of(sublattice);
    list.meaning += " for every temperature and wave vector";
    const std::size_t count = sums.grid().temperatures.size();
    for (std::size_t at = 0; at < count; ++at)
        for (std::size_t w = 0; w < waves_.size(); ++w) {
            if (waves_[w].sublattice != sublattice) continue;
            const SpectralAverage average = sums.average(first + w, at, sums.integral());
            list.value.push_back(average.value);
            list.error.push_back(exact() ? 0 : average.error);
        }
    const std::size_t length = list.value.size() / count;
    return std::move(list).over("temperature", "k", length);
}

/// Integrals over omega; of off-diagonal spectra their real and imaginary parts.
std::vector<Quantity> ThermalSpectrumLists::weights(const ThermalSpectra& sums) const {
    std::vector<Quantity> lists = {{"weight", "1", "integral over omega", {}}};
    if (off_diagonal())
        lists = {{"weight", "1", "real part of integral over omega, <A+ B>,", {}},
                 {"weight-imaginary", "1", "imaginary part of <A+ B>", {}}};
    std::vector<Quantity> all;
    for (std::size_t part = 0; part < lists.size(); ++part) {
        const std::size_t first = part * waves_.size();
        if (waves_[0].m.empty()) {
            all.push_back(over_temperatures(lists[part], sums, first, 1));
            continue;
        }
        std::set<int> sublattices;
        for (const PlaneWave& wave : waves_) sublattices.insert(wave.sublattice);
        for (const int sublattice : sublattices) all.push_back(weights_of(lists[part], first, sublattice, sums));
    }
    return all;
}

Quantity ThermalSpectrumLists::weight_sum(const ThermalSpectra& sums) const {
    const LanczosConfig& c = plan_.config();
    Quantity all = {"weight-sum", "1", "over all wave vectors", {}};
    for (std::size_t at = 0; at < sums.grid().temperatures.size(); ++at) {
        double sum = 0;
        for (std::size_t w = 0; w < waves_.size(); ++w) sum += sums.value(w, at, sums.integral());
        all.value.push_back(sum);
    }
    const bool complete = c.spectrum.momenta.empty() && c.spectrum.op != SpectralOperator::observable &&
                          (plan_.model().lattice.sublattices == 1 || c.sublattices == Sublattices::separate);
    if (const double constant = constant_weight(); complete && !std::isnan(constant))
        all.reference.assign(all.value.size(), constant);
    return std::move(all).over("temperature");
}

Quantity ThermalSpectrumLists::step_errors(const ThermalSpectra& sums, const ThermalSpectra& shorter) const {
    Quantity change = {"intensity-step-error",
                       current_ ? "e^2/hbar" : "1/energy",
                       "largest change of an intensity by the last step of all recurrences",
                       {}};
    for (std::size_t at = 0; at < sums.grid().temperatures.size(); ++at) {
        double largest = 0;
        for (std::size_t list = 0; list < intensities(); ++list)
            for (std::size_t o = 0; o < sums.integral(); ++o)
                largest = std::max(largest, std::abs(sums.value(list, at, o) - shorter.value(list, at, o)));
        change.value.push_back(largest);
    }
    return std::move(change).over("temperature");
}

std::vector<double> ThermalSpectrumLists::without_unknown_errors(std::span<const double> row) const {
    std::vector<double> values(row.begin(), row.end());
    for (std::size_t i = 0; i < values.size(); ++i)
        if (columns_[i].name.find("-error") != std::string::npos && std::isnan(values[i])) values[i] = 0;
    return values;
}

std::string ThermalSpectrumLists::remark() const {
    if (!plan_.counts().symmetric()) return {};
    return "Averages are those over the states of this sector of symmetries alone; "
           "sector.momentum = all gives those over all states.";
}

std::vector<Quantity> ThermalSpectrumLists::results(const ThermalSpectra& sums, const ThermalSpectra* shorter) const {
    const Lattice& lattice = plan_.model().lattice;
    std::vector<Quantity> q = {
        Quantity{"temperature", "energy/k_B", "of the averages", sums.grid().temperatures}.coordinate_of(
            "temperature")};
    const bool with_waves = !waves_[0].m.empty();
    if (current_) {
        for (Quantity& list : current_results(sums)) q.push_back(std::move(list));
    } else {
        for (Quantity& list : weights(sums)) q.push_back(std::move(list));
        if (with_waves) q.push_back(weight_sum(sums));
    }
    if (shorter != nullptr) q.push_back(step_errors(sums, *shorter));
    if (with_waves)
        for (Quantity& more : position_results(lattice, spectral_momenta(plan_.config(), lattice)))
            q.push_back(std::move(more));
    return q;
}

}  // namespace strata::lanczos
