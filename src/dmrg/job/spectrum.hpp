// SPDX-License-Identifier: BSD-3-Clause
// The keys of a spectrum above the ground state, and the values that they resolve to.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "models/lattice.hpp"
#include "models/observables.hpp"
#include "models/spectral.hpp"
#include "strata/config.hpp"
#include "strata/record.hpp"

namespace strata::dmrg {

/// The operators that dmrg has spectra of.
std::vector<std::string> spectral_words();

/// C(x,t) = <0| A_x^+ exp(-i (H - E0) t) A_c |0> and its spectra (physics/time_spectrum.hpp).
struct SpectrumSettings {
    OwnObservable family;  ///< A_x, [site] an operator of this site with real matrix elements
    int site = 0;          ///< c
    /// [k][site] cos(k . (r_x - r_c)); empty: the lattice has no wave vectors.
    std::vector<std::vector<double>> cosines;
    std::vector<Quantity> positions;  ///< positions of sites, and wave vectors
    std::vector<double> omega;
    double broadening = 0.1;  ///< sigma
    double time = 0;          ///< T
    std::uint64_t steps = 0;  ///< time steps until T

    /// A_c, which acts on the ground state.
    OwnObservable at_site() const;
};

/// What a job gives beside its keys.
struct SpectrumInput {
    const Config& config;
    SiteKind kind;
    int twice_spin;
    const Lattice& lattice;
    const PatternLattice& patterns;
    Conserved conserved;
    const std::vector<OwnObservable>& observables;  ///< those of [observables]
};

/// Throws Error(bad_input) for operators of several sites or with complex matrix elements, wave vectors that the lattice does
/// not have, times that are too short for the broadening, and steps too long for the energies.
SpectrumSettings read_spectrum(const SpectrumInput& input);

}  // namespace strata::dmrg
