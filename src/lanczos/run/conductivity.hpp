// SPDX-License-Identifier: BSD-3-Clause
// The optical conductivity above the ground state (E. Dagotto, Rev. Mod. Phys. 66, 763 (1994), section II.F), in units of
// e^2 / hbar with the lattice constant 1, per site:
//
//     sigma(omega) = D delta(omega) + pi/N sum_n |<n|J|0>|^2 / (E_n - E_0) delta(omega - (E_n - E_0)),    omega > 0
//     D = pi/N (<-T_d> - 2 sum_n |<n|J|0>|^2 / (E_n - E_0))
//
// n outside of the ground states. Poles are those of the Gauss rule of the recurrence that starts from J |0>. A division
// by the energy of a remnant of the ground state would blow up: poles as low as its residual are left out.
#pragma once

#include <span>
#include <vector>

#include "krylov/tridiagonal.hpp"

namespace strata::lanczos {

class Conductivity {
  public:
    /// `least`: energy up to which poles are remnants of the ground states.
    Conductivity(double least, double broadening) : least_(least), broadening_(broadening) {}

    /// Adds the poles of a recurrence with at least one step, whose energies are above the ground state after `shift` is
    /// added; `weight`: pi/N <0|J J|0>.
    void add(std::span<const double> alpha, std::span<const double> beta, double shift, double weight);

    /// The regular part with Lorentzians.
    double at(double omega) const;
    /// Integral of the regular part; NaN if poles that are left out have weight.
    double weight() const { return weight_; }
    /// Change of the integral by the Gauss-Radau rule with a node below the poles: estimate of its error by too few
    /// steps. NaN if no such node is known.
    double step_error() const { return step_error_; }
    /// Upper bound, from step_error(), of the error of at() by too few steps.
    double truncation_bound(double omega) const;

  private:
    struct Part {
        std::vector<double> alpha, beta;  ///< alpha above the ground state
        double weight;
    };
    double inverse_moment(const krylov::Quadrature& rule, double& lost) const;

    double least_, broadening_;
    double weight_ = 0, step_error_ = 0;
    std::vector<Part> parts_;
    std::vector<double> poles_, strengths_;
};

}  // namespace strata::lanczos
