// SPDX-License-Identifier: BSD-3-Clause
// Averages at finite temperature from random vectors in one sector or in several: with D_k the dimension of sector k, r
// its R_k random vectors of norm 1 and O = 1, H, H^2,
//
//     Tr O exp(-H/T) = sum_k D_k / R_k sum_r <r| O exp(-H/T) |r>
//
// Energies and entropies are ratios and logarithms of such sums. Their statistical errors are those of the jackknife
// for samples of several kinds: each vector is left out of its sector once, and sectors add their variances,
// sum_k (R_k - 1) / R_k sum_r (a_kr - mean_r a_kr)^2 (J. Arvesen, Ann. Math. Stat. 40, 2076 (1969)). They are enlarged by the
// variance of Student's t (strata/standard_error.hpp), and by the jackknife bias, without which they would nearly vanish
// where an average is stationary in the traces. They are absent for too few vectors, or where few states count: the
// ratios are then far from normal.
#pragma once

#include <string>
#include <vector>

#include "krylov/recurrence_table.hpp"
#include "krylov/tridiagonal.hpp"
#include "strata/record.hpp"

namespace strata::lanczos {

/// The random vectors of one sector.
struct SectorSamples {
    double states;  ///< number of states that the vectors represent: of the sector and of others with the same energies
    std::vector<krylov::Quadrature> gauss, radau;  ///< [vector] levels and weights by both quadratures
};
/// Quadratures of recurrences first .. first + count - 1 of a table. `offset` is added to all levels. The prescribed
/// node of the Radau rules is the smallest value, over all samples, of the lowest Ritz value less its estimated
/// residual.
SectorSamples sector_samples(const krylov::RecurrenceTable& table, std::size_t first, std::size_t count, double states,
                             double offset);

/// Columns for temperature, energy, specific heat and entropy with statistical errors, and errors by too few steps.
const std::vector<Column>& thermal_columns();
/// Appends a row of these columns for every temperature. Specific heat and entropy are divided by `sites`.
void append_thermal_rows(const std::vector<SectorSamples>& sectors, const std::vector<double>& temperatures, int sites,
                         std::vector<double>& rows);
std::vector<Quantity> thermal_results(const Series& series);
/// A sentence if some averages have no statistical errors; else empty.
std::string remark_on_samples(const Series& series);

}  // namespace strata::lanczos
