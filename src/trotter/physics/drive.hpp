// SPDX-License-Identifier: BSD-3-Clause
// Time dependence of H: factors on fields and couplings, reversals of its sign, and pulses between two steps. The
// backward evolution of an echo undoes the forward one: the same H(t), with Sigma added, and inverse pulses in reverse
// order.
#pragma once

#include <cstdint>
#include <vector>

#include "trotter/job/config.hpp"
#include "trotter/physics/factor.hpp"
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

/// Text of the largest number of two digits that is not above a time step.
std::string step_text(double step);

class Drive {
  public:
    /// Throws Error(bad_input) that names the key for texts that cannot be read, spins that the system does not have,
    /// pulses, jumps and reversals that do not lie between two steps, factors that make terms of H too large, and
    /// cosines with less than two steps per period.
    explicit Drive(const TrotterConfig& config);

    /// H with all factors equal to 1, and Sigma of the echo.
    const SpinHamiltonian& hamiltonian() const { return hamiltonian_; }
    const SpinHamiltonian& perturbation() const { return perturbation_; }
    /// Whether H is the same at all times of the forward evolution, and at all times of the backward one.
    bool constant() const;
    /// Number of kinks of factors inside steps, each of which divides its step.
    std::uint64_t kinks_inside() const { return kinks_.size(); }
    /// Largest change of a relative phase in a step by one field or coupling alone, in radians: h step, or J step / 2.
    /// 0 if the terms of H are all along one axis, so that the splitting is exact.
    double largest_turn() const;
    /// H(t) of the forward evolution, or H(t) + Sigma of the backward one, in which the time steps are negative.
    SpinHamiltonian at(double t, Leg leg = Leg::forward) const;
    /// The products of the forward and of the backward evolution that are neither fields nor pairs of one axis; empty
    /// where neither has any.
    std::vector<OperatorSum> other_products() const;
    /// The step that begins at time `begin` of the forward evolution, divided at the kinks inside it, and each part into
    /// so many equal ones.
    std::vector<StepPart> parts(double begin, int divisions = 1) const;
    /// Terms of one axis averaged over a part of a step, from begin + from * length to begin + to * length; with Sigma in
    /// the backward evolution. At different times they commute, so that exp(-i mean t) is their exact evolution.
    AxisTerms mean(Axis axis, const StepPart& part, double from, double to, Leg leg = Leg::forward) const;
    /// Pulses before and after a step, in the order of action; steps are counted through all batches of samples
    /// (schedule.hpp). Pulses after a step exist only in backward evolution.
    std::vector<Pulse> pulses_before(std::uint64_t step) const;
    std::vector<Pulse> pulses_after(std::uint64_t step) const;
    /// Number of pulses before the first `steps` steps of the forward evolution.
    std::uint64_t pulses_until(std::uint64_t steps) const;

  private:
    struct TimedPulse {
        std::uint64_t step;  ///< step that begins at the time of the pulse
        Pulse pulse;
    };
    /// Fields or couplings of one axis, the factors that multiply them, and words for messages.
    struct DrivenTerms {
        const std::vector<double>& terms;
        const std::vector<DriveFactor>& factors;
        std::string what, keys;
        double turn;  ///< change of a relative phase per unit of time by a term of 1

        /// Upper bound of the magnitude of these terms at all times.
        double bound() const;
    };
    std::vector<DrivenTerms> driven_terms() const;
    void read_factors(const TrotterConfig& config);
    /// Adds the kinks of factors that act, after a check of the size and the frequency that they give to the terms.
    void take_kinks(const DrivenTerms& driven);
    void read_pulses(const TrotterConfig& config);

    SpinHamiltonian hamiltonian_, perturbation_;
    std::vector<DriveFactor> field_[3], coupling_[3];  ///< [axis] factors, multiplied with each other
    std::vector<double> reversals_;
    std::vector<double> kinks_;  ///< times inside steps at which the slope of a factor that acts changes, ascending
    std::vector<TimedPulse> pulses_;
    std::vector<Pulse> turning_;  ///< echo pulse, applied at the turning point
    double step_ = 0;             ///< length of a time step
    std::uint64_t steps_ = 0;     ///< steps of the forward evolution
    bool echo_ = false;
};

}  // namespace strata::trotter
