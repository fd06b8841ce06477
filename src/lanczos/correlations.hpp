// SPDX-License-Identifier: BSD-3-Clause
// Equal-time expectation values of a state: occupations, double occupancy, correlations of density and spin and their
// structure factors, <c+_i c_j> and the momentum distribution.
#pragma once

#include <vector>

#include "lanczos/hamiltonian_operator.hpp"
#include "strata/record.hpp"

namespace strata::lanczos {

/// Expectation values of subspaces of two occupations.
struct PairOccupations {
    static constexpr std::size_t max_sites = 64;
    /// [up or only][up or only], [down][down], [up][down]; the diagonals of the first two are the occupations.
    double uu[max_sites][max_sites] = {}, dd[max_sites][max_sites] = {}, ud[max_sites][max_sites] = {};
    double measured = 0;  ///< states that were added up; 0: nothing is known

    void add(const PairOccupations& other);
    PairOccupations mean() const;  ///< over the states
};

/// Of a normalised state, the same bits on any ranks and threads. Collective; complete on all ranks.
void measure(HamiltonianOperator& hamiltonian, const DistributedVector& state, PairOccupations& result);

/// What there is to tell of them: occupations, double-occupancy, correlations with site 0, structure factors, sum rules
/// with their exact values, positions and wave vectors. The plan tells the sector and run.sublattices.
std::vector<Quantity> correlation_results(const LanczosPlan& plan, const PairOccupations& pairs);

/// <c+_i c_j>, both spin components together, one pair of sites after another.
class DensityMatrix {
  public:
    /// Pairs i < j, twice if the imaginary part must be found too.
    static std::uint64_t steps(const LanczosPlan& plan);
    /// Makes entry number `step` of `re` or `im`, [i][j], j > i. Collective; takes a working pair of its own.
    static void step(std::uint64_t step, HamiltonianOperator& hamiltonian, const DistributedVector& state,
                     const DeviceBinding* device, Timers& timers, double* re, double* im);
};

/// n(k) = 1/N sum_ij e^(ik (r_i - r_j)) <c+_i c_j> for all wave vectors of the cluster, of all sites or of each
/// sublattice (i, j and N then belong to it), and the sum rule where there is one. Of a lattice with a torus.
std::vector<Quantity> momentum_distribution(const LanczosPlan& plan, const PairOccupations& pairs, const double* re,
                                            const double* im);

}  // namespace strata::lanczos
