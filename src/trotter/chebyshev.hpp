// SPDX-License-Identifier: BSD-3-Clause
// Steps of exp(-i H t) by a Chebyshev series, for an H that does not change in time. H v needs no matrix: H is the sum of
// three diagonals, each in the basis of its axis, so that the vector v and the sum w are taken to the bases of x and y
// and back to that of z, and in each of them w += E v. Memory: the vectors T_{k-1} psi and T_k psi beside psi.
#pragma once

#include <array>
#include <memory>
#include <optional>

#include "trotter/chebyshev_series.hpp"
#include "trotter/drive.hpp"
#include "trotter/plan.hpp"
#include "trotter/spin_state.hpp"

namespace strata::trotter {

class Chebyshev {
  public:
    /// `first` and `second` are the two vectors, states of the same plan.
    Chebyshev(const TrotterPlan& plan, const Drive& drive, std::unique_ptr<SpinState> first,
              std::unique_ptr<SpinState> second);

    void allocate();
    /// One step of the run of all states: forwards, or on the way back of an echo backwards with its own H.
    void step(SpinState& psi, Leg leg);

  private:
    struct Motion {
        SpectralBounds bounds;
        ChebyshevSeries series;
        std::array<std::optional<Diagonal>, 3> energies;  ///< [index_of(Axis)], none without terms
    };
    /// to <- factor (H - c) / r from + keep to. `from` comes back to rounding.
    void multiply(const Motion& m, SpinState& from, SpinState& to, double factor, double keep);

    int spins_;
    std::unique_ptr<SpinState> first_, second_;
    std::vector<Motion> motions_;  ///< there, and on the way back
};

}  // namespace strata::trotter
