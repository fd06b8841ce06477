// SPDX-License-Identifier: BSD-3-Clause
// Equal-time expectation values of a state: occupations, double occupancy, correlations of density and spin and their
// structure factors, <c+_i c_j> and the momentum distribution.
#pragma once

#include <vector>

#include "lanczos/engine.hpp"
#include "strata/record.hpp"

namespace strata::lanczos {

/// Expectation values of products of two occupations.
struct PairOccupations {
    static constexpr std::size_t most_sites = 64;
    /// [up or only][up or only], [down][down], [up][down]; the diagonals of the first two are the occupations.
    double uu[most_sites][most_sites] = {}, dd[most_sites][most_sites] = {}, ud[most_sites][most_sites] = {};

    void add(const PairOccupations& other);
    PairOccupations scaled(double factor) const;
};

/// Of a normalised state. Collective; complete on all ranks. 8 n^2 bytes (three times for two species) per block of
/// rows are taken while it works.
void measure(Engine& engine, const Vector& state, PairOccupations& result);

/// What there is to tell of them: occupations, double-occupancy, correlations with site 0, structure factors.
std::vector<Quantity> correlation_results(const Model& model, const PairOccupations& pairs);

/// <c+_i c_j>, both species together, one pair of sites after another.
class DensityMatrix {
  public:
    /// Pairs i < j, twice if the imaginary part must be found too.
    static std::uint64_t steps(const LanczosPlan& plan);
    /// Makes entry number `step` of `re` or `im`, [i][j], j > i. Collective; takes a working pair of its own.
    static void step(std::uint64_t step, Engine& engine, const Vector& state, const DeviceBinding* device,
                     Timers& timers, double* re, double* im);
};

/// n(k) = 1/N sum_ij e^(ik (r_i - r_j)) <c+_i c_j> for all wave vectors of the cluster.
Quantity momentum_distribution(const Model& model, const PairOccupations& pairs, const double* re, const double* im);

}  // namespace strata::lanczos
