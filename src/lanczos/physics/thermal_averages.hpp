// SPDX-License-Identifier: BSD-3-Clause
// Averages at finite temperature from random vectors in one sector or in several: with D_k the dimension of sector k, r
// its R_k random vectors of norm 1 and O = 1, H, H^2,
//
//     Tr O exp(-H/T) = sum_k D_k / R_k sum_r <r| O exp(-H/T) |r>
//
// Where sectors have different numbers of particles N, H stands for H - mu N; N and the total S^z, which are the same for
// all states of a sector, are averaged with the traces of the sectors as weights. A sector of which all levels are
// known has one vector, whose weights are all 1 / D_k, and no error.
//
// Energies and entropies are ratios and logarithms of such sums. Their variance is known in two ways. The jackknife for
// samples of several kinds leaves each vector out of its sector once, and sectors add their variances,
// sum_k (R_k - 1) / R_k sum_r (a_kr - mean_r a_kr)^2 (J. Arvesen, Ann. Math. Stat. 40, 2076 (1969)); from few vectors it
// is uncertain, and often too small. To first order an average is a trace Tr g(H), whose variance by normal real vectors is
//
//     2 / (R (D + 2)) D^2 (<g^2> - <g>^2),   <f> = Tr f(H) / D,   with 1 for 2 for complex ones
//
// (A. Hams, H. De Raedt, Phys. Rev. E 62, 4365 (2000)); uniform random numbers have less where g is large on the
// diagonal. It counts like the variance measured by ten further vectors. The jackknife bias is added, without which
// errors would nearly vanish where an average is stationary in the traces, and the rounding of the levels, which is what
// is left far below the gap. Errors are absent for too few vectors, or where few states count: the ratios are then far
// from normal.
//
// Errors by too few steps: the range of the averages of Gauss and Gauss-Radau rules, which bracket traces but not
// ratios of them, with all steps and without the last one and two, where curves that cross at one number of steps differ. C and S
// move by at least 3 dE / (N T) and dE / (N T): far below the levels' distances all rules may have the same wrong C.
#pragma once

#include <string>
#include <vector>

#include "krylov/recurrence_table.hpp"
#include "krylov/tridiagonal.hpp"
#include "lanczos/physics/observed_averages.hpp"
#include "lanczos/physics/thermal_point.hpp"
#include "strata/record.hpp"

namespace strata::lanczos {

/// Relative variance of a trace up to which ratios of traces are nearly normal: that of 16 real vectors where one state counts.
constexpr double largest_variance = 2.0 / 16;

/// A sector whose trace is sampled, or known by all its levels.
struct TracedSector {
    double states = 0;     ///< states that the vectors represent: those of the sector, and others of the same energies
    double dimension = 0;  ///< states of the sector
    double reals = 1;      ///< real random numbers in an amplitude: 1 or 2
    double offset = 0;     ///< energy that is added to all levels
    krylov::Precision precision = krylov::Precision::double_;
    SectorCharges charges = {};
    bool exact = false;  ///< the only rule has all levels of the sector, with equal weights
};

/// Places of each observed operator in lists of this length together; those between are 0.
struct ObservedPlaces {
    std::vector<std::vector<std::size_t>> places = {};
    std::size_t width = 0;
};

/// Levels and weights of the random vectors of one sector.
struct SectorSamples {
    struct Rules {
        std::vector<krylov::Quadrature> gauss, radau;  ///< [vector]
    };
    TracedSector sector;
    std::vector<Rules> rules;    ///< [n]: without the last n steps of recurrences whose space has not ended
    double largest_overlap = 0;  ///< scale of the products with observed operators
    /// Their expectation values in states exp(-H/2T) |r>, of which averages are then made; null: of the products.
    const StateMeans* means = nullptr;
    std::size_t first_vector = 0;              ///< number of this sector's first one among those of `means`
    const ObservedPlaces* observed = nullptr;  ///< the observed operators of this sector, if there are any
    const std::vector<krylov::Quadrature>& gauss() const { return rules[0].gauss; }
};
/// The samples of a sector of which all levels are known.
SectorSamples exact_samples(const std::vector<double>& levels, TracedSector sector);
/// Quadratures of recurrences first .. first + count - 1 of a table. The prescribed node of the Radau rules is the
/// smallest value, over all samples, of the lowest Ritz value less its estimated residual. `overlaps`: products of the
/// observed operators with the same recurrences, if there are any.
SectorSamples sector_samples(const krylov::RecurrenceTable& table, std::size_t first, std::size_t count,
                             const TracedSector& sector, const OverlapTable* overlaps = nullptr);

/// Averages that a run gives: energy, specific heat and entropy, and in a sum over all values of conserved numbers those
/// of these numbers and their susceptibilities; `exact`: without errors by too few steps.
struct ThermalChoice {
    bool particles = false, spin = false, exact = false;
    bool sums_numbers() const { return particles || spin; }
};

/// Columns for the temperature and the averages with statistical errors, and errors by too few steps.
std::vector<Column> thermal_columns(ThermalChoice choice = {});
/// Appends a row of these columns for every temperature, then the lists of values, of errors and of errors by too few
/// steps of observed operators, of `observed` numbers each. Specific heat, entropy and susceptibilities are divided by
/// `sites`.
void append_thermal_rows(const std::vector<SectorSamples>& sectors, const std::vector<double>& temperatures, int sites,
                         ThermalChoice choice, std::size_t observed, std::vector<double>& rows);
/// The columns of a series as lists over the temperatures.
std::vector<Quantity> thermal_results(const Series& series, ThermalChoice choice = {});
/// A sentence if some averages have no statistical errors; else empty.
std::string remark_on_samples(const std::vector<Quantity>& results);

}  // namespace strata::lanczos
