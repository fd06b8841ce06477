// SPDX-License-Identifier: BSD-3-Clause
// The symmetries of a job: which momentum, parity and angular momentum it asks for, the group that they make, and whether
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
    one,       ///< that of SymmetryRequest::momentum
    all,       ///< one after the other
    automatic  ///< that of the ground state, after a search over all
};

/// Sign of the states under an operation of order two.
enum class Parity { any, even, odd };

/// Of states with Psi(R x) = exp(2 pi i number / order) Psi(x) under the rotation R by 2 pi / order; order 1: of any.
struct Rotation {
    int number = 0, order = 1;
};

struct SymmetryRequest {
    Momenta momenta = Momenta::none;
    std::vector<std::int64_t> momentum = {};  ///< k . (torus vector i) = 2 pi m[i]
    Parity parity = Parity::any;              ///< under r -> -r: the inversion, on a ring the reflection
    Rotation rotation = {};
    Parity reflection = Parity::any;      ///< under (x, y) -> (x, -y)
    Parity spin_inversion = Parity::any;  ///< of as many spins up as down

    bool point_operations() const { return parity != Parity::any || rotation.order > 1 || reflection != Parity::any; }
    bool any() const { return momenta != Momenta::none || point_operations() || spin_inversion != Parity::any; }
    bool several() const { return momenta == Momenta::all || momenta == Momenta::automatic; }
    /// The same with one momentum.
    SymmetryRequest with_momentum(std::vector<std::int64_t> m) const {
        SymmetryRequest one = *this;
        one.momenta = Momenta::one;
        one.momentum = std::move(m);
        return one;
    }
};

/// "1,2", as a job gives a momentum.
std::string list_of(const std::vector<std::int64_t>& momentum);
/// Empty for numbers between the periods of the momenta of a cluster; else the end of a sentence that names the same
/// momentum within them.
std::string inside_the_zone(const std::vector<std::int64_t>& momentum, const Lattice& lattice);
/// From "all", "auto", or one integer for each direction of the lattice, separated by a comma or a space. Nothing if
/// the text is none of these.
std::optional<SymmetryRequest> parse_momentum(const std::string& text);

/// From "1/4", the number and the order of a rotation; any for an empty text, nothing if it is neither.
std::optional<Rotation> parse_rotation(const std::string& text);

/// The group with its character; null without symmetries, and for a momentum that is not yet chosen that of all zeros.
/// Throws Error(bad_input) if the model does not have a symmetry, or if no state can have all of the characters.
std::shared_ptr<const SymmetryGroup> make_symmetry_group(const SymmetryRequest& request, const Model& model);

/// A line for the user: the translations, rotations and reflections that leave the model unchanged, and the keys of their
/// sectors. Empty if there are none.
std::string possible_symmetries(const Model& model);

using Momentum = std::vector<std::int64_t>;  ///< [direction], as SymmetryRequest::momentum
/// Momenta that have the same energies, by a point operation of the model or because all amplitudes are real: one list
/// for each star, whose first momentum stands for all. Of a request with point operations only the momenta that they
/// leave unchanged.
std::vector<std::vector<Momentum>> momentum_stars(const SymmetryRequest& request, const Model& model);

}  // namespace strata::lanczos
