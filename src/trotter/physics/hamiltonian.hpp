// SPDX-License-Identifier: BSD-3-Clause
// H = sum_j sum_a h_j^a S_j^a + sum_{j<k} sum_a J_jk^a S_j^a S_k^a of spins 1/2, a = x, y, z, every pair once, from a
// lattice, from positions, from a file of edges and from terms in the job, and other products of S^z, S+ and S- that
// terms give.
#pragma once

#include <array>
#include <cstddef>
#include <vector>

#include "kernels/trotter/diagonal.hpp"
#include "models/model.hpp"

namespace strata::trotter {

struct TrotterConfig;

/// Largest magnitude of a field or coupling. The phase of exp(-i J t) then has an absolute rounding error of 1e-4 at t
/// = 1.
constexpr double max_term = 1e12;

/// Fields and couplings of one spin component.
struct AxisTerms {
    std::vector<double> field;     ///< h_j, [spin]
    std::vector<double> coupling;  ///< J_jk, [pair_index(j, k)]

    bool has_terms() const;
    bool operator==(const AxisTerms&) const = default;
};

/// Diagonal of the terms of one axis on `bits` bits of a basis state; bits beyond the spins have no terms.
Diagonal diagonal(const AxisTerms& terms, int bits);

struct SpinHamiltonian {
    int spins = 0;
    std::array<AxisTerms, 3> axis;  ///< [index_of(Axis)]
    OperatorSum others;             ///< products that are neither fields nor pairs of one axis, of a Chebyshev series
    int double_pairs = 0;           ///< pairs joined by several bonds of the lattice, whose couplings add up

    /// System of `spins` spins without terms.
    explicit SpinHamiltonian(int spins = 0);
    AxisTerms& operator[](Axis a) { return axis[index_of(a)]; }
    const AxisTerms& operator[](Axis a) const { return axis[index_of(a)]; }
    bool operator==(const SpinHamiltonian&) const = default;
};

/// Number of spins of the lattice, or, without a lattice, of those that the terms name. Throws as make_hamiltonian.
int spins_of(const TrotterConfig& config);

/// H with all factors of the drive equal to 1 (drive.hpp). Throws Error(bad_input) that names the key for a lattice
/// that cannot be made, more than max_spins spins, a spin that the system does not have, a coupling of a spin with
/// itself, terms that are too large, lists of a wrong length, and a job without lattice and couplings.
SpinHamiltonian make_hamiltonian(const TrotterConfig& config);

/// Sigma of an echo, which is added to H in backward evolution; no terms if the job names none. Throws as
/// make_hamiltonian.
SpinHamiltonian make_perturbation(const TrotterConfig& config, int spins);

}  // namespace strata::trotter
