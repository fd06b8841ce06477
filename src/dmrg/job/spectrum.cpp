// SPDX-License-Identifier: BSD-3-Clause
// Operators of particles and spins have the text that a user would give them, so that all take one way.
#include "dmrg/job/spectrum.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "dmrg/job/energy_range.hpp"
#include "models/positions.hpp"
#include "models/wave_vectors.hpp"
#include "strata/error.hpp"
#include "strata/formatted.hpp"

namespace strata::dmrg {
namespace {

/// Least spectrum.time in units of 1 / broadening, where exp(-sigma^2 t^2 / 2) is 0.14, and its default, where it is 3e-4.
constexpr double least_time = 2, default_time = 4;
/// Largest number of time steps.
constexpr double most_steps = 1e6;

/// The family of the operator that a word names.
OwnObservable named_family(const SpectrumInput& in, SpectralOperator op) {
    const std::string& word = in.config.text("spectrum.operator");
    const std::string terms = terms_of(op, in.kind);
    if (terms.empty())
        refuse(in.config.cite("spectrum.operator") +
               (in.kind == SiteKind::spins
                    ? " acts on particles; use spin, or observable with a line such as 'lower = 1 S- {i}'."
                    : " needs particles with a spin; use density."));
    std::string lines;
    for (std::size_t from = 0; from < terms.size();) {
        const std::size_t end = std::min(terms.find(';', from), terms.size());
        lines += word + " = " + terms.substr(from, end - from) + "\n";
        from = end + 1;
    }
    return read_observables(ObservableTexts("spectrum.operator", lines), in.kind, in.twice_spin, in.patterns,
                            in.conserved, {}, [](const std::string&) { return true; })[0];
}

OwnObservable own_family(const SpectrumInput& in) {
    if (in.observables.empty()) refuse(in.config.cite("spectrum.operator") + needs_definition("mine"));
    const std::string where = " the operator of [observables]";
    if (in.observables.size() > 1)
        refuse(in.config.cite("spectrum.operator") + " is" + where + ", which has " +
               std::to_string(in.observables.size()) + " names; leave one.");
    return in.observables[0];
}

/// Checks that every member acts on its own site alone and is real, and makes imaginary ones real: a common factor of the A_x
/// does not change C.
void check_family(const SpectrumInput& in, OwnObservable& family) {
    const std::string what = in.config.cite("spectrum.operator") + ": " + family.name + " = " + family.text;
    if (family.pattern != SitePattern::site)
        refuse(what + " is no list over the sites {i}; give an operator of one site, e.g. 1 Sz {i}.");
    bool real = true, imaginary = true;
    for (std::size_t site = 0; site < family.members.size(); ++site) {
        for (const auto& [product, coefficient] : family.members[site].terms())
            for (const ModeOperator& o : product)
                if (static_cast<std::size_t>(o.site) != site)
                    refuse(what + " acts on site " + std::to_string(o.site) + " where {i} is " + std::to_string(site) +
                           "; spectra of dmrg are those of operators of the one site {i}.");
        OperatorSum times_minus_i = family.members[site];
        times_minus_i *= Complex(0, -1);
        real = real && family.members[site].is_real();
        imaginary = imaginary && times_minus_i.is_real();
    }
    if (!real && !imaginary)
        refuse(what +
               " has real and imaginary matrix elements; a spectrum takes operators that are all real, or all "
               "imaginary.");
    if (real) return;
    for (OperatorSum& member : family.members) member *= Complex(0, -1);
}

std::vector<std::vector<std::int64_t>> momenta_of(const SpectrumInput& in) {
    const Lattice& lattice = in.lattice;
    const bool possible = !lattice.torus.empty() && lattice.sublattices == 1;
    const std::vector<std::int64_t> given = in.config.integers("spectrum.momenta");
    if (!possible && !given.empty())
        refuse(in.config.cite("spectrum.momenta") +
               " needs a lattice of one site per cell with wave vectors; leave it out for the spectra of all sites.");
    if (!possible) return {};
    if (const std::string refused = refused_wave_vectors(in.config, lattice); !refused.empty()) refuse(refused);
    return wave_vectors(given, lattice);
}

void read_times(const Config& config, SpectrumSettings& s) {
    const double step = config.real("evolution.step");
    s.time = config.given("spectrum.time") ? config.real("spectrum.time") : default_time / s.broadening;
    if (s.time * s.broadening < least_time)
        refuse(
            formatted("%s is too short for spectrum.broadening = %g, which needs the times up to %g; take that or "
                      "more, or a larger broadening.",
                      config.cite("spectrum.time").c_str(), s.broadening, least_time / s.broadening));
    const double steps = std::ceil(s.time / step - 1e-9);
    if (steps > most_steps)
        refuse(
            formatted("%s takes %.3g time steps of evolution.step = %g; take a larger broadening, or at most %.0f "
                      "steps.",
                      config.cite(config.given("spectrum.time") ? "spectrum.time" : "spectrum.broadening").c_str(),
                      steps, step, most_steps));
    s.steps = static_cast<std::uint64_t>(std::max(1.0, steps));
    const EnergyRange range = resolved_energies(step);
    if (-range.lowest < gaussian_reach * s.broadening)
        refuse(formatted("%s is too long for spectrum.broadening = %g; take at most %.3g.",
                         config.cite("evolution.step").c_str(), s.broadening,
                         std::numbers::pi / 2 / (gaussian_reach * s.broadening)));
    for (const double omega : s.omega)
        if (omega < range.lowest || omega > range.highest())
            refuse(formatted(
                "spectrum.omega holds %g, and evolution.step = %g tells energies from %.4g to %.4g apart; "
                "take a step of at most %.3g.",
                omega, step, range.lowest, range.highest(), std::numbers::pi / 2 / (omega < 0 ? -omega : omega / 3)));
}

}  // namespace

std::vector<std::string> spectral_words() {
    std::vector<std::string> words = words_of(spectral_operator_choices);
    std::erase(words, "current");
    return words;
}

OwnObservable SpectrumSettings::at_site() const {
    OwnObservable one = family;
    one.pattern = SitePattern::none;
    one.members = {family.members[static_cast<std::size_t>(site)]};
    return one;
}

SpectrumSettings read_spectrum(const SpectrumInput& in) {
    const Config& config = in.config;
    SpectrumSettings s;
    const auto op = chosen(config, "spectrum.operator", spectral_operator_choices);
    s.family = op == SpectralOperator::observable ? own_family(in) : named_family(in, op);
    check_family(in, s.family);
    s.site = in.lattice.sites / 2;
    if (config.given("spectrum.site")) s.site = static_cast<int>(config.count("spectrum.site"));
    if (s.site >= in.lattice.sites)
        refuse(config.cite("spectrum.site") + " is no site; they are 0 to " + std::to_string(in.lattice.sites - 1) +
               ".");
    if (s.family.members[static_cast<std::size_t>(s.site)].empty())
        refuse(config.cite("spectrum.operator") + " is 0 on site " + std::to_string(s.site) +
               ": its terms cancel or vanish on every state.");
    s.omega = config.reals("spectrum.omega");
    if (s.omega.empty()) refuse(config.cite("spectrum.omega") + " holds no energy; give at least one.");
    s.broadening = config.real("spectrum.broadening");
    read_times(config, s);
    const auto momenta = momenta_of(in);
    for (const auto& m : momenta) {
        const double phase = in.lattice.phase(m, s.site);
        std::vector<double>& of_k = s.cosines.emplace_back();
        for (int site = 0; site < in.lattice.sites; ++site) of_k.push_back(std::cos(in.lattice.phase(m, site) - phase));
    }
    if (!momenta.empty()) s.positions = position_results(in.lattice, momenta);
    return s;
}

}  // namespace strata::dmrg
