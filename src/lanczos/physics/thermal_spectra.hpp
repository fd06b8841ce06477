// SPDX-License-Identifier: BSD-3-Clause
// Spectra at finite temperature by the finite-temperature Lanczos method (J. Jaklic, P. Prelovsek, Adv. Phys. 49, 1
// (2000), section 3.4): with random vectors r of norm 1, the Ritz pairs (E_i, psi_i) of their recurrences and (F_j, phi_j)
// of those that start from A r,
//
//     A(omega) = 1/Z sum_r sum_ij exp(-E_i/T) W_ij delta(omega - (F_j - E_i)),   Z = sum_r sum_i exp(-E_i/T) |<r|psi_i>|^2
//     W_ij = <r|psi_i> <psi_i| A^+ |phi_j> <phi_j| A |r>
//
// An off-diagonal spectrum <A^+ delta(omega - (H - E)) B> has B |r> in the place of A |r>; its W_ij are complex, and real
// and imaginary parts are two lists.
//
// Of a current, sigma(omega) has pi/N (exp(-E_i/T) - exp(-F_j/T)) / (F_j - E_i) in the place of exp(-E_i/T). All levels of
// a sector are one vector with <r|psi_i> = 1 / sqrt(D) and W_ij = |<j|A|i>|^2 / D.
//
// The intensities of one vector fluctuate with <r|0> at T = 0. The form with the state x = exp(-H/2T) |r> on both sides
// (M. Aichhorn, M. Daghofer, H. G. Evertz, W. von der Linden, Phys. Rev. B 67, 161103 (2003)),
//
//     A(omega) = 1/Z sum_r sum_ij exp(-E_i/2T) <r|psi_i> <psi_i| A^+ |phi_j> <phi_j| A |x> delta(omega - (F_j - E_i)),
//
// has those of the ground state there for every vector; phi_j are those of the recurrence from A |x>, one for every
// temperature. sigma(omega), which is even, has then pi/N tanh(d/2T) / d, d = F_j - E_i, at d and at -d: factors of
// detailed balance, exp(-d/T), would enlarge the noise of transitions to lower levels.
//
// The sums of several sectors, each with as many vectors, count D times, with the D states of the sector.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "krylov/tridiagonal.hpp"
#include "strata/checkpoint.hpp"

namespace strata::lanczos {

/// Transitions of one vector and one operator: levels before and after with their weights W_ij.
struct Transitions {
    std::vector<double> from, to;  ///< E_i, F_j
    std::vector<double> weights;   ///< [i][j]
};
/// From recurrences with these coefficients, of offsets of the energies, the norm of A |r> or B |r>, and the real or
/// imaginary parts of <v_k| A^+ |u_l> of both recurrences' vectors, [k][l] with rows of `row` numbers. `simd`: instruction
/// set of the products of matrices, which has no influence on the result.
Transitions transitions_of(const krylov::TridiagonalPairs& from, const krylov::TridiagonalPairs& to, double norm,
                           std::span<const double> overlaps, std::size_t row, const std::string& simd);

/// What the numerators of a spectrum are made of.
enum class SpectralFunction { correlation, conductivity };

/// Temperatures, energies and broadening of a job's spectra.
struct SpectralGrid {
    std::vector<double> temperatures, omega;
    double broadening = 0.1;
    SpectralFunction function = SpectralFunction::correlation;
};

/// An average over the vectors with its standard error, NaN where there is none.
struct SpectralAverage {
    double value = 0, error = 0;
};

/// Sums over the levels of all vectors of a sector or of several, from which averages are ratios. A vector has Z, and for each of `lists` lists
/// numerators for every omega and for the integral over omega; a list may have the latter alone.
class ThermalSpectra {
  public:
    /// `vectors`: number of those of each sector; `states`: the dimensions of all sectors, one of any where there is one.
    ThermalSpectra(SpectralGrid grid, std::size_t vectors, std::size_t lists, std::vector<double> states = {1});

    /// The levels of a vector and |<r|psi_i>|^2.
    void set_levels(std::size_t vector, std::span<const double> levels, std::span<const double> weights);
    /// The temperature of the state exp(-H/2T) |r> / sqrt(Z) to which an operator is applied; none: it is applied to |r>,
    /// once for all temperatures.
    using StateAt = std::optional<std::size_t>;
    /// Adds transitions to a list of a vector, whose levels have been set.
    void add(std::size_t vector, std::size_t list, const Transitions& t, StateAt state = {});
    /// Adds sum_i exp(-E_i/T) values[i], or sqrt(Z) sum_i exp(-E_i/2T) values[i], to the integral of a list.
    void add_static(std::size_t vector, std::size_t list, std::span<const double> levels,
                    std::span<const double> values, StateAt state = {});

    /// Integral of list `to` <- a times that of one list plus b times that of another.
    void combine(std::size_t vector, std::size_t to, double a, std::size_t first, double b, std::size_t second);

    /// Sets the sums of all vectors of a sector to those of `other`, which has that sector alone.
    void replace(std::size_t sector, const ThermalSpectra& other);
    /// Average at a temperature of the intensity at a place of omega, or of the integral, for omega = number of omegas.
    SpectralAverage average(std::size_t list, std::size_t temperature, std::size_t omega) const;
    /// The same without errors.
    double value(std::size_t list, std::size_t temperature, std::size_t omega) const;
    void add_state(const std::string& name, std::vector<DistributedArray>& arrays);
    void clear();
    const SpectralGrid& grid() const { return grid_; }
    std::size_t integral() const { return grid_.omega.size(); }  ///< place of the integral
    static std::uint64_t bytes(std::uint64_t vectors, std::uint64_t lists, std::uint64_t temperatures,
                               std::uint64_t omegas) {
        return 8 * vectors * temperatures * (2 + lists * (omegas + 1));
    }

  private:
    std::size_t width() const { return grid_.omega.size() + 1; }
    double& sum(std::size_t vector, std::size_t list, std::size_t temperature, std::size_t omega) {
        return sums_[((vector * lists_ + list) * grid_.temperatures.size() + temperature) * width() + omega];
    }
    double sum(std::size_t vector, std::size_t list, std::size_t temperature, std::size_t omega) const {
        return const_cast<ThermalSpectra&>(*this).sum(vector, list, temperature, omega);
    }
    /// The temperatures of a state, and the factor of level E_i at one of them.
    std::pair<std::size_t, std::size_t> range(StateAt state) const {
        return state ? std::pair(*state, *state + 1) : std::pair(std::size_t{0}, grid_.temperatures.size());
    }
    double level_factor(std::size_t vector, std::size_t temperature, double level, StateAt state) const;
    /// Numerator and denominator of averages, or parts of them.
    struct Ratio {
        double numerator = 0, denominator = 0;
        Ratio& operator+=(const Ratio& r) {
            numerator += r.numerator;
            denominator += r.denominator;
            return *this;
        }
        Ratio operator*(double factor) const { return {factor * numerator, factor * denominator}; }
        double value() const { return numerator / denominator; }
    };
    /// [vector]
    std::vector<Ratio> of_vectors(std::size_t list, std::size_t temperature, std::size_t omega) const;
    /// [sector] the sums over its vectors, times its states.
    std::vector<Ratio> of_sectors(const std::vector<Ratio>& of_vectors) const;
    double sector_variance(std::span<const Ratio> vectors, double states, const Ratio& others, double average) const;
    double variance_of_trace(const std::vector<Ratio>& sectors, const Ratio& all, std::size_t temperature) const;

    SpectralGrid grid_;
    std::vector<double> states_;           ///< [sector]
    std::size_t vectors_, lists_;          ///< vectors of each sector
    std::vector<double> zeros_;            ///< [vector] lowest level, from which its exponents count
    std::vector<double> z_, probability_;  ///< [vector][temperature] Z, and sum of the squares of its terms over Z^2
    std::vector<double> sums_;             ///< [vector][list][temperature][omega and integral]
};

}  // namespace strata::lanczos
