// SPDX-License-Identifier: BSD-3-Clause
// The symmetries of a job: the momentum, parity and angular momentum that it requests, their group, and the check that
// the model has them.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "lanczos/hamiltonian.hpp"
#include "models/symmetry.hpp"

namespace strata::lanczos {

enum class Momenta {
    none,      ///< no sector of translations
    one,       ///< the momentum SymmetryRequest::momentum
    all,       ///< all momenta, one after the other
    automatic  ///< the momentum of the ground state, after a search over all
};

/// Sign of the states under an operation of order two.
enum class Parity { any, even, odd };

/// Behaviour of states under the rotation R by 2 pi / order: Psi(R x) = exp(2 pi i number / order) Psi(x); any for
/// order 1.
struct Rotation {
    int number = 0, order = 1;
};

struct SymmetryRequest {
    Momenta momenta = Momenta::none;
    std::vector<std::int64_t> momentum = {};  ///< k . (torus vector i) = 2 pi m[i]
    Parity parity = Parity::any;              ///< under r -> -r: the inversion, on a ring the reflection
    Rotation rotation = {};
    Parity reflection = Parity::any;      ///< under (x, y) -> (x, -y)
    Parity spin_inversion = Parity::any;  ///< under the inversion of all spins, for as many spins up as down

    bool point_operations() const { return parity != Parity::any || rotation.order > 1 || reflection != Parity::any; }
    bool any() const { return momenta != Momenta::none || point_operations() || spin_inversion != Parity::any; }
    bool several() const { return momenta == Momenta::all || momenta == Momenta::automatic; }
    /// The same request with one momentum.
    SymmetryRequest with_momentum(std::vector<std::int64_t> m) const {
        SymmetryRequest one = *this;
        one.momenta = Momenta::one;
        one.momentum = std::move(m);
        return one;
    }
};

/// "1,2", as a job gives a momentum.
std::string list_of(const std::vector<std::int64_t>& momentum);
/// Empty if all |momentum[i]| are below the period of the cluster's momenta; otherwise the end of a sentence that names
/// the same momentum within these limits.
std::string inside_the_zone(const std::vector<std::int64_t>& momentum, const Lattice& lattice);
/// Parses "all", "auto", or one or two integers, one for each direction of the lattice, separated by a comma or a
/// space. No momenta for an empty text; empty if the text is none of these.
std::optional<SymmetryRequest> parse_momentum(const std::string& text);

/// Parses "1/4", the number and the order of a rotation; order 1 for an empty text; empty if the text is neither.
std::optional<Rotation> parse_rotation(const std::string& text);

/// The group with its character; null without symmetries. If several momenta are requested, the momentum is 0. Throws
/// Error(bad_input) if the model does not have a symmetry, or if no state can have all of the characters.
std::shared_ptr<const SymmetryGroup> make_symmetry_group(const SymmetryRequest& request, const Model& model);

/// A line for the user: the translations, rotations and reflections that leave the model unchanged, and the keys of
/// their sectors. Empty if there are none.
std::string possible_symmetries(const Model& model);

using Momentum = std::vector<std::int64_t>;  ///< [direction], as SymmetryRequest::momentum
/// Momenta that have the same energies, by a point operation of the model or because all amplitudes are real: one list
/// for each star, whose first momentum represents all. If the request has point operations, only momenta that they
/// leave unchanged are listed.
std::vector<std::vector<Momentum>> momentum_stars(const SymmetryRequest& request, const Model& model);

}  // namespace strata::lanczos
