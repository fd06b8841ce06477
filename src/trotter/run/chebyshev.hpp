// SPDX-License-Identifier: BSD-3-Clause
// Steps of exp(-i H t) by a Chebyshev series, for an H that does not change in time. H v needs no matrix: fields and
// pairs of one axis are three diagonals, each in the basis of its axis, so that the vector v and the sum w are
// transformed to the bases of x and y and back to that of z, and w += E v is added in each basis; other products flip
// spins in the basis of z. Memory: the vectors T_{k-1} psi and T_k psi
// beside psi.
#pragma once

#include <array>
#include <memory>
#include <optional>

#include "trotter/physics/chebyshev_series.hpp"
#include "trotter/physics/drive.hpp"
#include "trotter/state/plan.hpp"
#include "trotter/state/spin_state.hpp"

namespace strata::trotter {

class Chebyshev {
  public:
    /// `first` and `second` are the two vectors, states of the same plan.
    Chebyshev(const TrotterPlan& plan, std::unique_ptr<SpinState> first, std::unique_ptr<SpinState> second);

    void allocate();
    /// Makes one step of the run for all states: forward, or backward with the H of the backward evolution of an echo.
    void step(SpinState& psi, Leg leg);

  private:
    /// Series and energies of one direction of evolution.
    struct Motion {
        SpectralBounds bounds;
        ChebyshevSeries series;
        std::array<std::optional<Diagonal>, 3> energies;  ///< [index_of(Axis)], none without terms
        FlipProducts products;
        double centre = 0;  ///< of the spectrum without the constant of H, which is a phase alone
    };
    /// Computes to <- factor (H - c) / r from + keep to, with the centre c and the radius r of the bounds. `from` is
    /// transformed and returns to its values up to rounding.
    void multiply(const Motion& m, SpinState& from, SpinState& to, double factor, double keep);

    int spins_;
    std::unique_ptr<SpinState> first_, second_;
    std::vector<Motion> motions_;  ///< forward and backward evolution
};

}  // namespace strata::trotter
