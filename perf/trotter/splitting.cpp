// SPDX-License-Identifier: BSD-3-Clause
// Stored phases of the splitting. The energies of a row, in which the high spins are fixed, are those of the low spins
// among themselves plus a field of the high spins on each low spin: one addition and one exponential per amplitude for
// any couplings.
#include "splitting.hpp"

#include <algorithm>
#include <cmath>

namespace strata::perf {
namespace {

/// The Ising energy of the fields and couplings of one axis.
class IsingEnergy {
  public:
    IsingEnergy(const SpinProblem& problem, Axis axis)
        : spins_(static_cast<std::size_t>(problem.spins)), fields_(spins_), couplings_(spins_ * spins_, 0.0) {
        const auto a = static_cast<std::size_t>(axis);
        for (std::size_t j = 0; j < spins_; ++j) fields_[j] = problem.fields[j][a];
        for (const auto& [first, second, values] : problem.couplings) {
            const auto j = static_cast<std::size_t>(first), k = static_cast<std::size_t>(second);
            couplings_[j * spins_ + k] += values[a];
            couplings_[k * spins_ + j] += values[a];
        }
    }
    static double spin(std::uint64_t state, std::size_t j) { return (state >> j & 1) != 0 ? -0.5 : 0.5; }

    /// Energy of the spins [begin, end) of a state among themselves; `fields` is the factor of their fields (0 or 1).
    double among(std::uint64_t state, std::size_t begin, std::size_t end, double fields) const {
        double energy = 0;
        for (std::size_t j = begin; j < end; ++j) {
            energy += fields * fields_[j] * spin(state, j);
            for (std::size_t k = begin; k < j; ++k)
                energy += couplings_[j * spins_ + k] * spin(state, j) * spin(state, k);
        }
        return energy;
    }
    /// Field on spin j, including that of the spins from `begin` on.
    double field(std::uint64_t state, std::size_t j, std::size_t begin) const {
        double field = fields_[j];
        for (std::size_t k = begin; k < spins_; ++k) field += couplings_[j * spins_ + k] * spin(state, k);
        return field;
    }

  private:
    std::size_t spins_;
    std::vector<double> fields_, couplings_;
};

}  // namespace

Buffer<Amplitude> phase_vector(const SpinProblem& problem, Axis axis, double time, double scale) {
    const IsingEnergy ising(problem, axis);
    const auto spins = static_cast<std::size_t>(problem.spins), low = std::min<std::size_t>(spins, 12);
    const std::uint64_t row = std::uint64_t{1} << low;
    Buffer<Amplitude> phases(problem.dimension());
    std::vector<double> inner(row);
    for (std::uint64_t i = 0; i < row; ++i) inner[i] = ising.among(i, 0, low, 0);
#pragma omp parallel for schedule(static)
    for (std::uint64_t high = 0; high < problem.dimension(); high += row) {
        std::vector<double> energy(row, ising.among(high, low, spins, 1));
        for (std::size_t j = 0; j < low; ++j) {
            const double field = ising.field(high, j, low);
            const std::uint64_t half = std::uint64_t{1} << j;
            for (std::uint64_t i = 0; i < half; ++i) {
                energy[i + half] = energy[i] - 0.5 * field;
                energy[i] += 0.5 * field;
            }
        }
        for (std::uint64_t i = 0; i < row; ++i) phases[high + i] = std::polar(scale, -time * (energy[i] + inner[i]));
    }
    return phases;
}

Splitting::Splitting(const SpinProblem& problem, Scheme scheme) {
    const double half = problem.step / 2, outer = scheme == Scheme::merged ? problem.step : half;
    x_ = phase_vector(problem, Axis::x, outer, std::ldexp(1.0, -2 * problem.spins));
    y_ = phase_vector(problem, Axis::y, half);
    z_ = phase_vector(problem, Axis::z, outer);
    if (scheme == Scheme::literal)
        append_literal();
    else
        append_merged();
}

void Splitting::append_literal() {
    const auto enclosed = [this](Rotation to, const Buffer<Amplitude>& phases, Rotation back) {
        rotate(to);
        multiply(phases);
        rotate(back);
    };
    multiply(z_);
    enclosed(Rotation::forward, y_, Rotation::backward);
    enclosed(Rotation::backward, x_, Rotation::forward);
    enclosed(Rotation::backward, x_, Rotation::forward);
    enclosed(Rotation::forward, y_, Rotation::backward);
    multiply(z_);
}

// C^3 is a scalar, so that C after C leads to the basis of x like C^+.
void Splitting::append_merged() {
    rotate(Rotation::forward);
    multiply(y_);
    rotate(Rotation::forward);
    multiply(x_);
    rotate(Rotation::backward);
    multiply(y_);
    rotate(Rotation::backward);
    multiply(z_);
}

}  // namespace strata::perf
