// SPDX-License-Identifier: BSD-3-Clause
// Exponentials of one axis as Walsh-Hadamard transforms and diagonals. With W the transform of all spins, normalised,
// and K = exp(-i pi/2 sum_j S_j^z),
//
//     exp(-i H_x t) = W D_x(t) W        exp(-i H_y t) = K W D_y(t) W K^+        exp(-i H_z t) = D_z(t),
//
// where D_a(t) = exp(-i t (sum_j h_j^a S_j^z + sum_{j<k} J_jk^a S_j^z S_k^z)): the terms of axis a written with S^z. In
// a sequence of them W W = 1, W K W = (-i)^N K^+ W K^+, and neighbouring diagonals merge. A step of second order
// becomes
//
//     [D_z(t/2) K] W [D_y(t/2) K] W D_x(t) W [D_y(t/2) K^+] W [D_z(t/2) K^+],
//
// four transforms and, since its ends merge with the neighbouring steps, four diagonals. For an axis without terms the
// transforms around it cancel: the transverse Ising model takes two transforms per step.
#pragma once

#include <cstddef>
#include <deque>
#include <optional>

#include "kernels/trotter/diagonal.hpp"
#include "trotter/physics/hamiltonian.hpp"

namespace strata::trotter {

/// Diagonal gate exp(-i diagonal) times the power i^quarter_turns.
struct Phases {
    Diagonal diagonal;
    int quarter_turns = 0;

    explicit Phases(int spins) : diagonal(spins) {}
    bool operator==(const Phases&) const = default;
};

/// Alternating sequence D W D W ... D of diagonal gates and transforms, built from exponentials in the order in which
/// they act. Diagonals can be taken from its front once later exponentials cannot change them.
class LayerSequence {
  public:
    explicit LayerSequence(int spins) : spins_(spins), pending_(1, Phases(spins)) {}

    /// Appends exp(-i t H_axis), where `terms` are the fields and couplings of that axis.
    void append(Axis axis, const AxisTerms& terms, double t);
    /// Appends exp(-i angle sum_j S_j^axis), the sum over `spins`; angle in radians.
    void append_rotation(Axis axis, double angle, const std::vector<int>& spins);
    /// Append W, and K (sign +1) or its inverse (sign -1), for changes of the observed basis.
    void append_transform();
    void append_quarter_rotation(double sign);

    /// Removes the first diagonal and returns it, if it is final; a transform follows it.
    std::optional<Phases> take();
    /// Ends the sequence and begins a new one. Returns the remaining diagonals, which have transforms between them.
    std::deque<Phases> finish();

  private:
    /// Appends the change to the basis of an axis, calls add(diagonal) with the diagonal there, and appends the change
    /// back.
    template <class Add>
    void in_basis_of(Axis axis, Add add);
    void simplify();

    int spins_;
    std::deque<Phases> pending_;  ///< diagonals with transforms between them
};

}  // namespace strata::trotter
