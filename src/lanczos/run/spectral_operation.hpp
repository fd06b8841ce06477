// SPDX-License-Identifier: BSD-3-Clause
// The operators of spectra at finite temperature with their adjoints, between the sector whose states are averaged over
// and the one that a wave leads to.
#pragma once

#include <vector>

#include "lanczos/physics/plane_waves.hpp"
#include "lanczos/run/operator_sums.hpp"

namespace strata::lanczos {

/// Recurrences of all waves that lead to states, each with the weights of its operator; two of a wave where the vectors
/// that it leads to are real.
struct WaveOperator {
    std::size_t wave;
    std::vector<Complex> weights;
};
std::vector<WaveOperator> wave_operators(const LanczosPlan& plan, const std::vector<PlaneWave>& waves);
/// The operator whose sums with conjugate weights are the adjoint of those of this one.
SpectralOperator adjoint_of(SpectralOperator op);

/// The operator A of a wave, or one part of it; of an off-diagonal spectrum B, with the adjoint of A. Where real vectors
/// lead to complex ones, A^+ gives the real part, since the trace of the other one with functions of a real H is 0.
class SpectralOperation {
  public:
    /// Makes what the job's operator needs. `to`: the operator of the sector that it leads to, `from` if it does not leave
    /// its own; both must outlive the object. Collective.
    SpectralOperation(HamiltonianOperator& from, HamiltonianOperator& to, const std::vector<Complex>& weights,
                      const MakeHamiltonian& make, Timers& timers);

    /// out <- A x, or B x. Collective.
    void apply(const DistributedVector& x, DistributedVector& out) { forth_(x, out); }
    /// out <- A^+ x. Collective.
    void apply_adjoint(const DistributedVector& x, DistributedVector& out) { back_(x, out); }

  private:
    /// Both directions of a sum in one sector, with that of `left`.
    void set_parts(HamiltonianOperator& h, const OperatorSum& sum, const OperatorSum* left, const MakeHamiltonian& make,
                   Timers& timers);

    LinearMap forth_, back_;
};

}  // namespace strata::lanczos
