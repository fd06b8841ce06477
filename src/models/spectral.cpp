// SPDX-License-Identifier: BSD-3-Clause
// Operators are written as a user writes them in [observables], with the spin that the keys name.
#include "models/spectral.hpp"

namespace strata {

using enum ValueType;
using enum KeyRole;

Key spectral_operator_key(const Condition& spectrum, const std::vector<std::string>& words,
                          const std::string& further) {
    return Key{"spectrum.operator",
               choice,
               "density",
               "",
               "What acts on the ground state: removal or addition of a particle (with spin down), density n, spin "
               "(n_up - n_down)/2, " +
                   further,
               measurement,
               0,
               0,
               words}
        .when({spectrum});
}

// clang-format off
Key spectral_momenta_key(const Condition& spectrum) {
    return Key{"spectrum.momenta", integers, "", "2 pi / N",
        "Wave numbers m, or pairs m1,m2 on lattices of two dimensions, each wave vector once; default: all of the cluster. "
        "Numbers beyond the zone only where sites of a cell make them other wave vectors.", measurement, -1000, 1000}
        .when({spectrum});
}

Key spectral_omega_key(const Condition& spectrum) {
    return Key{"spectrum.omega", reals, "0:10:0.05", "energy",
        "Energies above the ground state at which the spectrum is given.", measurement}
        .when({spectrum});
}
// clang-format on

std::string terms_of(SpectralOperator op, SiteKind kind) {
    const bool electrons = kind == SiteKind::electrons, bosons = kind == SiteKind::bosons;
    if (kind == SiteKind::spins) return op == SpectralOperator::spin ? "1 Sz {i}" : "";
    switch (op) {
        case SpectralOperator::removal: return electrons ? "1 c_dn {i}" : bosons ? "1 b {i}" : "1 c {i}";
        case SpectralOperator::addition: return electrons ? "1 cdag_dn {i}" : bosons ? "1 bdag {i}" : "1 cdag {i}";
        case SpectralOperator::density: return "1 n {i}";
        case SpectralOperator::spin: return electrons ? "0.5 n_up {i}; -0.5 n_dn {i}" : "";
        default: return "";
    }
}

}  // namespace strata
