// SPDX-License-Identifier: BSD-3-Clause
// Time dependence of H: factors on fields and couplings, reversals of its sign, and pulses between two steps. The
// backward evolution of an echo undoes the forward one: the same H(t), with Sigma added, and inverse pulses in reverse
// order.
#pragma once

#include <cstdint>
#include <vector>

#include "trotter/job/config.hpp"
#include "trotter/physics/hamiltonian.hpp"

namespace strata::trotter {

/// Forward and backward evolution of an echo; a run without echo has only the forward one.
enum class Leg { forward, back };

/// The rotation exp(-i angle sum_j S_j^axis) of some spins.
struct Pulse {
    Axis axis = Axis::x;
    double angle = 0;  ///< radians
    std::vector<int> spins;

    bool operator==(const Pulse&) const = default;
};

/// Dimensionless factor f(t) of fields or couplings.
class Factor {
  public:
    enum class Form { constant, cosine, steps, linear };
    /// Reads "" (f = 1), "cos a b w phi" (a + b cos(w t + phi), phi in units of pi), "steps t f; t f; ..." (f from time
    /// t on, 1 before the first) or "linear t f; t f; ..." (interpolated, constant outside). Throws Error(bad_input)
    /// that begins with `key`.
    Factor(const std::string& key, const std::string& text);
    /// Interpolates between points (time, value) in the order of time.
    explicit Factor(std::vector<std::pair<double, double>> points);

    double at(double t) const;
    /// Upper bound of |f(t)| over all times.
    double bound() const;
    Form form() const { return form_; }
    /// Times at which the factor jumps.
    std::vector<double> jumps() const;

  private:
    Form form_ = Form::constant;
    double mean_ = 1, amplitude_ = 0, frequency_ = 0, phase_ = 0;
    std::vector<std::pair<double, double>> points_;  ///< (time, value), ascending in time
};

class Drive {
  public:
    /// Throws Error(bad_input) that names the key for texts that cannot be read, spins that the system does not have,
    /// pulses, jumps and reversals that do not lie between two steps, and factors that make terms of H too large.
    explicit Drive(const TrotterConfig& config);

    /// H with all factors equal to 1, and Sigma of the echo.
    const SpinHamiltonian& hamiltonian() const { return hamiltonian_; }
    const SpinHamiltonian& perturbation() const { return perturbation_; }
    /// Whether H is the same at all times of the forward evolution, and at all times of the backward one.
    bool constant() const;
    /// Whether all factors are smooth between their jumps; factors that are interpolated linearly have kinks.
    bool smooth() const;
    /// H(t) of the forward evolution, or H(t) + Sigma of the backward one, in which the time steps are negative.
    SpinHamiltonian at(double t, Leg leg = Leg::forward) const;
    /// Pulses before and after a step, in the order of action; steps are counted through all batches of samples
    /// (schedule.hpp). Pulses after a step exist only in backward evolution.
    std::vector<Pulse> pulses_before(std::uint64_t step) const;
    std::vector<Pulse> pulses_after(std::uint64_t step) const;

  private:
    struct TimedPulse {
        std::uint64_t step;  ///< step that begins at the time of the pulse
        Pulse pulse;
    };
    void read_factors(const TrotterConfig& config);
    void check_size() const;
    void read_pulses(const TrotterConfig& config);

    SpinHamiltonian hamiltonian_, perturbation_;
    std::vector<Factor> field_[3], coupling_[3];  ///< [axis] factors, multiplied with each other
    std::vector<double> reversals_;
    std::vector<TimedPulse> pulses_;
    std::vector<Pulse> turning_;  ///< echo pulse, applied at the turning point
    double step_ = 0;             ///< length of a time step
    std::uint64_t steps_ = 0;     ///< steps of the forward evolution
    bool echo_ = false;
};

}  // namespace strata::trotter
