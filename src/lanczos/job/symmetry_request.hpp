// SPDX-License-Identifier: BSD-3-Clause
// The symmetries that a job requests: momentum, parity and angular momentum, as values of their keys.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "models/filling.hpp"

namespace strata::lanczos {

enum class Momenta {
    none,      ///< no sector of translations
    one,       ///< the momentum SymmetryRequest::momentum
    all,       ///< all momenta, one after the other
    automatic  ///< the momentum of the ground state, after a search over all
};

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
    Parity particle_hole = Parity::any;   ///< under c_i -> e_i c+_i for each spin, at half filling

    bool point_operations() const { return parity != Parity::any || rotation.order > 1 || reflection != Parity::any; }
    bool complements() const { return spin_inversion != Parity::any || particle_hole != Parity::any; }
    bool any() const { return momenta != Momenta::none || point_operations() || complements(); }
    bool several() const { return momenta == Momenta::all || momenta == Momenta::automatic; }
    /// The same request with one momentum.
    SymmetryRequest with_momentum(std::vector<std::int64_t> m) const {
        SymmetryRequest one = *this;
        one.momenta = Momenta::one;
        one.momentum = std::move(m);
        return one;
    }
};

/// The further symmetries of a request with several momenta, as words for a message, and the keys that request them.
std::string words_of_further(const SymmetryRequest& request);
std::string keys_of_further(const SymmetryRequest& request);

/// Parses "all", "auto", or one or two integers, one for each direction of the lattice, separated by a comma or a
/// space. No momenta for an empty text; empty if the text is none of these.
std::optional<SymmetryRequest> parse_momentum(const std::string& text);

/// Parses "1/4", the number and the order of a rotation; order 1 for an empty text; empty if the text is neither.
std::optional<Rotation> parse_rotation(const std::string& text);

}  // namespace strata::lanczos
