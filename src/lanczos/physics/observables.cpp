// SPDX-License-Identifier: BSD-3-Clause
// Names of results of all tasks are taken, also of those that the job does not have.
#include "lanczos/physics/observables.hpp"

#include "strata/error.hpp"

namespace strata::lanczos {

std::vector<OwnObservable> observables_of(const LanczosConfig& config) {
    static const std::vector<std::string> others = {
        "energy",        "steps",  "converged",        "residual",    "degeneracy",    "occupation",
        "density",       "spin",   "double-occupancy", "momentum",    "next-energy",   "initial",
        "entanglement",  "renyi",  "site-x",           "site-y",      "wave-vector",   "energies",
        "time",          "norm",   "loschmidt",        "error-bound", "sector-weight", "temperature",
        "specific-heat", "entropy"};
    std::vector<std::string> taken = others;
    if (!config.drive.operators.empty()) taken.insert(taken.end(), {"drive-", "work"});
    if (config.fidelity.model) taken.insert(taken.end(), {"fidelity", "second-"});
    return read_observables(config.observables, config.kind(), config.twice_spin, PatternLattice(config.lattice),
                            config.conserved, taken);
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
