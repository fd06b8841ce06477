// SPDX-License-Identifier: BSD-3-Clause
// Exponentials of one axis as Walsh-Hadamard transforms and diagonals. With W the transform of all spins, normalised,
// and K = exp(-i pi/2 sum_j S_j^z),
//
//     exp(-i H_x t) = W D_x(t) W        exp(-i H_y t) = K W D_y(t) W K^+        exp(-i H_z t) = D_z(t),
//
// where D_a(t) = exp(-i t (sum_j h_j^a S_j^z + sum_{j<k} J_jk^a S_j^z S_k^z)): the terms of axis a written with S^z. In a
// sequence of them W W = 1, W K W = (-i)^N K^+ W K^+, and neighbouring diagonals merge. A step of second order becomes
//
//     [D_z(t/2) K] W [D_y(t/2) K] W D_x(t) W [D_y(t/2) K^+] W [D_z(t/2) K^+],
//
// four transforms and, since its ends merge with the neighbouring steps, four diagonals. An axis without terms drops
// out by itself: the transverse Ising model takes two transforms per step.
#pragma once

#include <cstddef>
#include <deque>
#include <optional>

#include "kernels/trotter/diagonal.hpp"
#include "trotter/hamiltonian.hpp"

namespace strata::trotter {

/// A diagonal times i^quarter_turns.
struct Phases {
    Diagonal diagonal;
    int quarter_turns = 0;

    explicit Phases(int spins) : diagonal(spins) {}
    bool operator==(const Phases&) const = default;
};

/// The alternation D W D W ... D of an evolution, made from exponentials in the order in which they act. The first
/// diagonals can be taken from its front as soon as what follows cannot change them.
class LayerSequence {
  public:
    explicit LayerSequence(int spins) : spins_(spins), pending_(1, Phases(spins)) {}

    /// exp(-i t terms), terms of one axis.
    void append(Axis axis, const AxisTerms& terms, double t);
    /// exp(-i angle sum_j S_j^axis) for some spins.
    void append_rotation(Axis axis, double angle, const std::vector<int>& spins);
    /// W, and K or its inverse: for changes of the basis that is observed.
    void append_transform();
    void append_quarter_rotation(double sign);

    /// The next diagonal that is followed by a transform and final.
    std::optional<Phases> take();
    /// The end of the evolution: the diagonals that are left, transforms between them. Begins a new one.
    std::deque<Phases> finish();

  private:
    /// Calls add(diagonal) where the terms of an axis act like those of z.
    template <class Add>
    void in_basis_of(Axis axis, Add add);
    void simplify();

    int spins_;
    std::deque<Phases> pending_;
};

}  // namespace strata::trotter
