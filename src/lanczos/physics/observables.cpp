// SPDX-License-Identifier: BSD-3-Clause
// A name of a result of any task is refused, also where the job does not have that result; tests/faults/names_test.py
// compares the list with the results.
#include "lanczos/physics/observables.hpp"

#include <algorithm>
#include <utility>

#include "models/operator_text.hpp"
#include "strata/error.hpp"

namespace strata::lanczos {

namespace {

bool of_observables(const LanczosConfig& c) {
    return is_spectrum(c.task) && c.spectrum.op == SpectralOperator::observable;
}

/// The site operator of a spectrum that acts as a sum of products, by its name; empty for others: removal and addition of
/// a particle, with spin down where there are two, and density and spin of coded sites in sectors of lattice symmetries.
std::string site_operator_of(const LanczosConfig& c) {
    const SiteKind kind = c.kind();
    const bool coded = c.projected() || c.coded_electrons || (c.spins() && c.twice_spin > 1);
    const bool of_columns = c.components() == 2 && !coded && c.conserved == Conserved::numbers;
    const std::string letter = kind == SiteKind::bosons ? "b" : "c", spin = kind == SiteKind::electrons ? "_dn" : "";
    switch (c.spectrum.op) {
        case SpectralOperator::removal: return of_columns ? "" : letter + spin;
        case SpectralOperator::addition: return of_columns ? "" : letter + "dag" + spin;
        case SpectralOperator::density: return coded && c.symmetry.any() && !c.spins() ? "n" : "";
        case SpectralOperator::spin: return coded && c.symmetry.any() ? "Sz" : "";
        default: return "";
    }
}

/// The same as a list over sites.
std::optional<OwnObservable> named_list(const LanczosConfig& c) {
    const std::string name = is_spectrum(c.task) ? site_operator_of(c) : "";
    if (name.empty()) return {};
    const SiteKind kind = c.kind();
    OwnObservable o = {"", "", SitePattern::site, {}, {}};
    const int sites = PatternLattice(c.lattice).sites;
    for (int site = 0; site < sites; ++site) o.members.push_back(site_operator(kind, name, site, c.twice_spin));
    o.change = filling_change(change_of(o.members[0].terms().begin()->first), kind, c.conserved);
    return o;
}

[[noreturn]] void refuse(const LanczosConfig& c, const std::string& why) {
    throw Error(ExitCode::bad_input,
                "A spectrum is that of one operator, or of one list over the sites {i}, or with "
                "spectrum.second of two; " +
                    c.observables.source + why);
}

bool has_spectrum(const OwnObservable& o) { return o.pattern == SitePattern::none || o.pattern == SitePattern::site; }

/// A and B of an off-diagonal spectrum.
std::pair<OwnObservable, OwnObservable> both_operators(const LanczosConfig& c) {
    const std::vector<OwnObservable> all = operators_of(c);
    const std::string second = "spectrum.second = " + c.spectrum.second;
    const auto b = std::ranges::find(all, c.spectrum.second, &OwnObservable::name);
    if (b == all.end() || all.size() > 2)
        throw Error(ExitCode::bad_input,
                    second + (b == all.end() ? " is no name in " : " is one of more than two names in ") +
                        c.observables.source +
                        ", which has the operator A and, under this name, B of <A+ (omega - H)^-1 B>.");
    const OwnObservable& a = all.size() == 1 ? all[0] : all[b == all.begin() ? 1 : 0];
    for (const OwnObservable* o : {&a, &*b})
        if (!has_spectrum(*o)) refuse(c, " has " + o->name + ", a list over pairs or bonds.");
    if (a.pattern != b->pattern)
        throw Error(ExitCode::bad_input,
                    second + " and " + a.name + " must both be lists over {i}, or both be single operators.");
    if (a.change != b->change)
        throw Error(ExitCode::bad_input, second + " changes " + text_of(b->change, c.kind(), c.conserved) + ", and " +
                                             a.name + " changes " + text_of(a.change, c.kind(), c.conserved) +
                                             ": they lead to two sectors, and <A+ (omega - H)^-1 B> is 0.");
    return {a, *b};
}

}  // namespace

std::vector<OwnObservable> operators_of(const LanczosConfig& config) {
    // clang-format off
    static const std::vector<std::string> results = {
        "alpha", "beta", "compressibility", "conductivity", "conductivity-weight", "converged", "degeneracy",
        "degenerate-spacings", "density-correlation", "density-structure-factor*", "density-sum", "double-occupancy",
        "drive-*", "drude-weight", "energies", "energy", "energy-bound", "energy-error", "energy-momentum*", "entanglement*", "entropy", "error-bound", "fidelity", "fidelity-susceptibility",
        "first-moment*", "gap-ratio", "gap-ratio-count", "highest-energy", "initial*", "intensity*", "kinetic-energy",
        "level-*", "levels", "loschmidt-echo", "momentum*", "next-energy", "norm", "occupation", "occupation-down",
        "occupation-up", "omega", "particles", "renyi*", "represented", "residual", "residual-estimate", "residuals",
        "second-energy", "sector*", "site-x", "site-y", "specific-heat", "spin-correlation", "spin-structure-factor*",
        "spin-susceptibility", "states", "steps", "stiffness", "temperature", "time", "total-sz", "truncation-bound",
        "wave-vector*", "weight*", "work"};
    // clang-format on
    return read_observables(config.observables, config.kind(), config.twice_spin, PatternLattice(config.lattice),
                            config.conserved, results, [&](const std::string& name) {
                                return of_observables(config) ||
                                       (config.task == Task::evolution && name == config.evolution.op);
                            });
}

std::vector<OwnObservable> observables_of(const LanczosConfig& config) {
    std::vector<OwnObservable> all = operators_of(config);
    std::erase_if(all, [](const OwnObservable& o) { return o.change != FillingChange{}; });
    return all;
}

LanczosConfig after_operator(LanczosConfig c) {
    if (c.task != Task::evolution || c.evolution.op.empty()) return c;
    const std::vector<OwnObservable> all = operators_of(c);
    const auto op = std::ranges::find(all, c.evolution.op, &OwnObservable::name);
    if (op == all.end()) return c;  // refused
    c.evolution.change = op->change;
    const Filling target = changed({c.up, c.down, c.conserved}, op->change);
    c.up = target.up;
    c.down = target.down;
    return c;
}

std::string missing_sector(const std::string& cited, const LanczosConfig& c, const FillingChange& change) {
    const Filling target = changed({c.up, c.down, c.conserved}, change);
    const int sites = PatternLattice(c.lattice).sites;
    const auto is_target = [&](const Filling& f) { return f.up == target.up && f.down == target.down; };
    if (change == FillingChange{} || std::ranges::any_of(all_fillings(c, sites, c.conserved), is_target)) return {};
    return cited + " changes " + text_of(change, c.kind(), c.conserved) + ", and no such state exists beside " +
           particles_of(c) + " on " + std::to_string(sites) + " sites; take another sector.";
}

std::optional<OwnObservable> own_operator(const LanczosConfig& config) {
    if (!of_observables(config)) return named_list(config);
    if (!config.spectrum.second.empty()) return both_operators(config).second;
    const std::vector<OwnObservable> all = operators_of(config);
    if (all.empty()) refuse(config, " has none.");
    if (all.size() > 1) refuse(config, " has " + std::to_string(all.size()) + " names.");
    if (!has_spectrum(all[0])) refuse(config, " has a list over pairs or bonds.");
    return all[0];
}

std::optional<OwnObservable> left_operator(const LanczosConfig& config) {
    if (!of_observables(config) || config.spectrum.second.empty()) return {};
    return both_operators(config).first;
}

FillingChange spectral_change(const LanczosConfig& config) {
    if (const auto own = own_operator(config)) return own->change;
    if (!is_spectrum(config.task)) return {};
    if (config.spectrum.op == SpectralOperator::removal) return {0, -1};
    return config.spectrum.op == SpectralOperator::addition ? FillingChange{0, 1} : FillingChange{};
}

std::string without_real_vectors(const LanczosConfig& c) {
    if (!c.elements.empty() && !c.observables.source.empty())
        for (const OwnObservable& o : operators_of(c))
            if (std::ranges::count(c.elements, o.name) > 0 && (!o.real() || !o.hermitian()))
                return "an operator of run.matrix-elements is not Hermitian with real matrix elements";
    if (!is_spectrum(c.task)) return {};
    if (c.spectrum.op == SpectralOperator::current) return "the current has imaginary matrix elements";
    const auto own = own_operator(c), left = left_operator(c);
    if (own && own->pattern == SitePattern::site && c.symmetry.any())
        return "the spectrum of a list over sites in a sector of symmetries is complex";
    if (left && own->pattern == SitePattern::site) return "an off-diagonal spectrum of lists over sites is complex";
    for (const auto* o : {&own, &left})
        if (*o && (!(*o)->real() || (!(*o)->hermitian() && (*o)->change == FillingChange{})))
            return "the operator of the spectrum is not Hermitian with real matrix elements";
    return {};
}

OperatorSum weighted_sum(const OwnObservable& o, const std::vector<Complex>& weights) {
    OperatorSum sum(o.members[0].kind());
    for (std::size_t j = 0; j < weights.size(); ++j) {
        OperatorSum member = o.members[j];
        member *= weights[j];
        sum += member;
    }
    sum.remove_rounding();
    return sum;
}

}  // namespace strata::lanczos
