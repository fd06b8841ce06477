// SPDX-License-Identifier: BSD-3-Clause
// The symmetries of a job: which momentum and parity it asks for, the group that they make, and whether the model has
// them.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "lanczos/hamiltonian.hpp"
#include "lattices/symmetry.hpp"

namespace strata::lanczos {

enum class Momenta {
    none,      ///< no sector of translations
    one,       ///< that of SymmetryRequest::momentum
    all,       ///< one after the other
    automatic  ///< that of the ground state, after a search over all
};

/// Under the point operation r -> -r: the inversion, on a ring the reflection.
enum class Parity { any, even, odd };

struct SymmetryRequest {
    Momenta momenta = Momenta::none;
    std::vector<std::int64_t> momentum;  ///< k . (torus vector i) = 2 pi m[i]
    Parity parity = Parity::any;

    bool any() const { return momenta != Momenta::none || parity != Parity::any; }
    bool several() const { return momenta == Momenta::all || momenta == Momenta::automatic; }
    /// The same with one momentum.
    SymmetryRequest with_momentum(std::vector<std::int64_t> m) const { return {Momenta::one, std::move(m), parity}; }
};

/// "1,2", as a job gives a momentum.
std::string list_of(const std::vector<std::int64_t>& momentum);
/// From "all", "auto", or one integer for each direction of the lattice, separated by a comma or a space. Nothing if
/// the text is none of these.
std::optional<SymmetryRequest> parse_momentum(const std::string& text);

/// The group with its character; null without symmetries, and for a momentum that is not yet chosen that of all zeros.
/// Throws Error(bad_input) if the model does not have a symmetry, or if parity and momentum exclude each other.
std::shared_ptr<const SymmetryGroup> make_symmetry_group(const SymmetryRequest& request, const Model& model);

/// Momenta whose sectors are to be searched: one of k and -k where both have the same energies because all amplitudes
/// are real. Only those that go with the parity.
std::vector<std::vector<std::int64_t>> distinct_momenta(const SymmetryRequest& request, const Model& model);
/// Whether -k is another momentum than k.
bool has_opposite(const Lattice& lattice, const std::vector<std::int64_t>& momentum);

}  // namespace strata::lanczos
