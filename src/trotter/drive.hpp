// SPDX-License-Identifier: BSD-3-Clause
// What changes H in time: factors on fields and couplings, reversals of its sign, and pulses between two steps. In an
// echo the way back undoes the way there: the same H(t), with Sigma added, and inverse pulses in reverse order.
#pragma once

#include <cstdint>
#include <vector>

#include "trotter/config.hpp"
#include "trotter/hamiltonian.hpp"

namespace strata::trotter {

/// The two halves of an echo; a run without echo has only the first.
enum class Leg { forward, back };

/// The rotation exp(-i angle sum_j S_j^axis) of some spins.
struct Pulse {
    Axis axis = Axis::x;
    double angle = 0;  ///< radians
    std::vector<int> spins;

    bool operator==(const Pulse&) const = default;
};

/// A factor f(t).
class Factor {
  public:
    enum class Form { constant, cosine, steps, linear };
    /// From "" (1), "cos a b w phi" (a + b cos(w t + phi), phi in units of pi), "steps t f; t f; ..." (f from time t
    /// on, 1 before the first) or "linear t f; t f; ..." (interpolated, constant outside). Throws Error(bad_input) that
    /// begins with `key`.
    Factor(const std::string& key, const std::string& text);
    /// Interpolates between points (time, value) in the order of time.
    explicit Factor(std::vector<std::pair<double, double>> points);

    double at(double t) const;
    /// No magnitude of the factor is larger.
    double bound() const;
    Form form() const { return form_; }
    /// Times at which the factor jumps.
    std::vector<double> jumps() const;

  private:
    Form form_ = Form::constant;
    double mean_ = 1, amplitude_ = 0, frequency_ = 0, phase_ = 0;
    std::vector<std::pair<double, double>> points_;  ///< time, value
};

class Drive {
  public:
    /// Throws Error(bad_input) that names the key for texts that cannot be read, spins that the system does not have,
    /// pulses, jumps and reversals that do not lie between two steps, and factors that make terms of H too large.
    explicit Drive(const TrotterConfig& config);

    /// Whether H is the same at all times of a leg.
    bool constant() const;
    /// Whether all factors are smooth between their jumps: those that go straight from point to point have kinks.
    bool smooth() const;
    /// H(t) of the way there, H(t) + Sigma of the way back, which the state then follows with negative time.
    SpinHamiltonian at(double t, Leg leg = Leg::forward) const;
    /// What acts before and after a step, in the order of action; steps are counted through all rounds (schedule.hpp).
    /// After a step there are pulses only on the way back.
    std::vector<Pulse> pulses_before(std::uint64_t step) const;
    std::vector<Pulse> pulses_after(std::uint64_t step) const;

  private:
    struct TimedPulse {
        std::uint64_t step;  ///< that begins at its time
        Pulse pulse;
    };
    void read_factors(const TrotterConfig& config);
    void check_size() const;
    void read_pulses(const TrotterConfig& config);

    SpinHamiltonian hamiltonian_, perturbation_;
    std::vector<Factor> field_[3], coupling_[3];  ///< [axis], multiplied with each other
    std::vector<double> reversals_;
    std::vector<TimedPulse> pulses_;
    std::vector<Pulse> turning_;  ///< at the turning point of an echo
    double step_ = 0;
    std::uint64_t steps_ = 0;
    bool echo_ = false;
};

}  // namespace strata::trotter
