// SPDX-License-Identifier: BSD-3-Clause
// ThermalAverages of one temperature from sums over energy levels, as ratios and logarithms of them (scaled_sums.hpp), and their
// derivatives by the weights of levels, of which errors are made (thermal_averages.hpp).
#pragma once

#include <algorithm>
#include <array>
#include <cmath>

#include "lanczos/physics/scaled_sums.hpp"

namespace strata::lanczos {

/// Conserved numbers of the states that the vectors of a sector represent, as means and mean squares. They are 0 where H
/// does not conserve them. Sectors of total S^z and -S^z that have the same energies are traced as one, of mean 0.
struct SectorCharges {
    double particles = 0;              ///< all states have this number
    double spin = 0, spin_square = 0;  ///< mean of S^z and of its square
    double chemical_potential = 0;     ///< levels are those of H - mu N
};

/// Sums over levels, of weights w exp(-E/T) times 1, E, E^2, N, N^2, S^z and (S^z)^2, with energies E from a common zero.
using TraceMoments = ScaledSums<7>;

inline TraceMoments moments(const krylov::Quadrature& levels, const SectorCharges& charges, double zero, double t) {
    TraceMoments m;
    m.offset = largest_log_weight(levels, zero, t);
    for (std::size_t n = 0; n < levels.nodes.size(); ++n) {
        const double e = levels.nodes[n] - zero, w = std::exp(log_weight(levels, n, zero, t) - m.offset);
        m.sum[0] += w;
        m.sum[1] += w * e;
        m.sum[2] += w * e * e;
    }
    m.sum[3] = charges.particles * m.sum[0];
    m.sum[4] = charges.particles * m.sum[3];
    m.sum[5] = charges.spin * m.sum[0];
    m.sum[6] = charges.spin_square * m.sum[0];
    return m;
}

/// Energy, specific heat, entropy, particles, compressibility, total S^z, spin susceptibility.
using ThermalAverages = std::array<double, 7>;

/// Means and variances of energy, particles and S^z.
struct Spread {
    double mean, variance;
    Spread(const TraceMoments& m, std::size_t first)
        : mean(m.sum[first] / m.sum[0]), variance(std::max(0.0, m.sum[first + 1] / m.sum[0] - mean * mean)) {}
};

/// One point of the temperature scan: temperature, zero of the energies, number of sites, and chemical potential.
struct ThermalPoint {
    double t, zero, sites, mu;

    /// ThermalAverages from the moments of a trace.
    ThermalAverages averages(const TraceMoments& m) const {
        const Spread energy(m, 1), particles(m, 3), spin(m, 5);
        const double log_z = std::log(m.sum[0]) + m.offset;
        return {zero + energy.mean + mu * particles.mean,
                energy.variance / (t * t) / sites,
                (log_z + energy.mean / t) / sites,
                particles.mean,
                particles.variance / t / sites,
                spin.mean,
                spin.variance / t / sites};
    }

    /// Derivatives of the averages by the contribution of a level at energy e, counted from the zero, to a trace.
    ThermalAverages slopes(double e, const SectorCharges& charges, const TraceMoments& trace) const {
        const Spread energy(trace, 1), particles(trace, 3), spin(trace, 5);
        const double d = e - energy.mean, n = charges.particles - particles.mean,
                     s = charges.spin_square - 2 * charges.spin * spin.mean + spin.mean * spin.mean,
                     p = std::exp(-e / t - trace.offset) / trace.sum[0];
        return {p * (d + mu * n),
                p * (d * d - energy.variance) / (t * t) / sites,
                p * (1 + d / t) / sites,
                p * n,
                p * (n * n - particles.variance) / t / sites,
                p * (charges.spin - spin.mean),
                p * (s - spin.variance) / t / sites};
    }

    /// Squares of the changes of the averages if every level moves by `rounding`, which may have either sign.
    ThermalAverages rounding_variances(const TraceMoments& trace, double rounding) const {
        const Spread energy(trace, 1), particles(trace, 3), spin(trace, 5);
        const double width = std::sqrt(energy.variance), weights = rounding / t;
        ThermalAverages change = {rounding + std::abs(mu) * std::sqrt(particles.variance) * weights,
                                  (2 * width * (1 + width / t) + rounding) * rounding / (t * t) / sites,
                                  (width + rounding) * rounding / (t * t) / sites,
                                  std::sqrt(particles.variance) * weights,
                                  2 * particles.variance * weights / t / sites,
                                  std::sqrt(spin.variance) * weights,
                                  2 * spin.variance * weights / t / sites};
        for (double& c : change) c *= c;
        return change;
    }
};

}  // namespace strata::lanczos
