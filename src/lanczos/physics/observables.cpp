// SPDX-License-Identifier: BSD-3-Clause
// A name of a result of any task is refused, also where the job does not have that result; tests/faults/names_test.py
// compares the list with the results.
#include "lanczos/physics/observables.hpp"

#include "strata/error.hpp"

namespace strata::lanczos {

std::vector<OwnObservable> observables_of(const LanczosConfig& config) {
    // clang-format off
    static const std::vector<std::string> results = {
        "alpha", "beta", "compressibility", "conductivity", "conductivity-weight", "converged", "degeneracy",
        "degenerate-spacings", "density-correlation", "density-structure-factor*", "density-sum", "double-occupancy",
        "drude-weight", "energies", "energy", "energy-momentum*", "entanglement*", "entropy", "error-bound",
        "first-moment*", "gap-ratio", "gap-ratio-count", "highest-energy", "initial*", "intensity*", "kinetic-energy",
        "level-*", "levels", "loschmidt-echo", "momentum*", "next-energy", "norm", "occupation", "occupation-down",
        "occupation-up", "omega", "particles", "renyi*", "represented", "residual", "residual-estimate", "residuals",
        "sector*", "site-x", "site-y", "specific-heat", "spin-correlation", "spin-structure-factor*",
        "spin-susceptibility", "states", "steps", "stiffness", "temperature", "time", "total-sz", "truncation-bound",
        "wave-vector*", "weight*"};
    // clang-format on
    return read_observables(config.observables, config.kind(), config.twice_spin, PatternLattice(config.lattice),
                            config.conserved, results);
}

std::optional<OwnObservable> own_operator(const LanczosConfig& config) {
    if (!is_spectrum(config.task) || config.spectrum.op != SpectralOperator::observable) return {};
    const std::vector<OwnObservable> all = observables_of(config);
    const bool one = all.size() == 1 && (all[0].pattern == SitePattern::none || all[0].pattern == SitePattern::site);
    if (!one)
        throw Error(ExitCode::bad_input,
                    "A spectrum is that of one operator, or of one list over the sites {i}; observables.file = " +
                        config.observables.name +
                        (all.empty()       ? " has none."
                         : all.size() == 1 ? " has a list over pairs or bonds."
                                           : " has " + std::to_string(all.size()) + " names."));
    return all[0];
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
