// SPDX-License-Identifier: BSD-3-Clause
// H = sum_j sum_a h_j^a S_j^a + sum_{j<k} sum_a J_jk^a S_j^a S_k^a of spins 1/2, a = x, y, z, every pair once, from a
// lattice, from positions, from a file of edges and from terms in the job.
#pragma once

#include <array>
#include <cstddef>
#include <vector>

#include "kernels/trotter/diagonal.hpp"
#include "models/model.hpp"

namespace strata::trotter {

struct TrotterConfig;

/// The largest field or coupling: a phase exp(-i J t) of a larger one has no correct digit after any time.
constexpr double max_term = 1e12;

/// The part of H that one axis has.
struct AxisTerms {
    std::vector<double> field;     ///< h_j, [spin]
    std::vector<double> coupling;  ///< J_jk, [pair_index(j, k)]

    bool has_terms() const;
    bool operator==(const AxisTerms&) const = default;
};

/// Energies or angles of one axis on the bits of a basis state, of which there may be more than spins.
Diagonal diagonal(const AxisTerms& terms, int bits);

struct SpinHamiltonian {
    int spins = 0;
    std::array<AxisTerms, 3> axis;  ///< [index_of(Axis)]
    int double_pairs = 0;           ///< pairs that the lattice joins more than once: their couplings are added

    /// A system without terms.
    explicit SpinHamiltonian(int spins = 0);
    AxisTerms& operator[](Axis a) { return axis[index_of(a)]; }
    const AxisTerms& operator[](Axis a) const { return axis[index_of(a)]; }
    bool operator==(const SpinHamiltonian&) const = default;
};

/// The spins of the lattice, or those that the terms name. Throws as make_hamiltonian.
int spins_of(const TrotterConfig& config);

/// H at factors 1 of the drive (drive.hpp). Throws Error(bad_input) with a sentence that names the key for a lattice
/// that cannot be made, more than max_spins spins, a spin that the system does not have, a coupling of a spin with
/// itself, terms that are too large, lists of a wrong length, and a job without lattice and couplings.
SpinHamiltonian make_hamiltonian(const TrotterConfig& config);

/// Sigma of an echo, which is added to H on the way back; no terms if the job names none. Throws as make_hamiltonian.
SpinHamiltonian make_perturbation(const TrotterConfig& config, int spins);

}  // namespace strata::trotter
