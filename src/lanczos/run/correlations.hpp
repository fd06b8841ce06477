// SPDX-License-Identifier: BSD-3-Clause
// Equal-time expectation values of a state: occupations, double occupancy, correlations of density and spin and their
// structure factors, <c+_i c_j> and the momentum distribution.
#pragma once

#include <vector>

#include "lanczos/state/hamiltonian_operator.hpp"
#include "lanczos/state/pair_hops.hpp"
#include "strata/record.hpp"

namespace strata::lanczos {

/// Expectation values of products of two occupations.
struct PairOccupations {
    static constexpr std::size_t max_sites = 64;
    /// [up][up] (the only component for one), [down][down], [up][down]; the diagonals of the first two are occupations.
    /// Spins above 1/2, with n = m + S, have <n_i n_j> in [up][up], with <n_i> on its diagonal, and <n_i^2> on the
    /// diagonal of [up][down].
    double uu[max_sites][max_sites] = {}, dd[max_sites][max_sites] = {}, ud[max_sites][max_sites] = {};
    double measured = 0;  ///< number of states that were added up; 0: nothing is known

    void add(const PairOccupations& other);
    PairOccupations mean() const;  ///< averages over the states that were added up
    /// Adds all numbers to a record of a checkpoint.
    void add_fields(Record& record);
};

/// Measures a normalised state, with the same bits on any number of ranks and threads. Collective; complete on all
/// ranks.
void measure(HamiltonianOperator& hamiltonian, const DistributedVector& state, PairOccupations& result);

/// <(Sz_i)^2> of spins.
double square_of_sz(const Model& model, const PairOccupations& pairs, std::size_t site);

/// Results derived from pair occupations: occupations, double occupancy, correlations with site 0, structure factors,
/// sum rules with their exact values, positions and wave vectors.
std::vector<Quantity> correlation_results(const LanczosPlan& plan, const PairOccupations& pairs);

/// <c+_i c_j>, summed over the spin components, computed for one pair of sites after another as the expectation value
/// of a hop between them.
class DensityMatrix {
  public:
    /// `plan` and `timers` must outlive it.
    DensityMatrix(const LanczosPlan& plan, const MakeHamiltonian& make, Timers& timers);

    void initialise();
    void add_fields(Record& record);
    /// Number of pairs i < j, in a sector of symmetries one per orbit; twice that if imaginary parts are computed too.
    std::uint64_t total_steps() const;
    bool complete() const { return steps_ == total_steps(); }
    /// Computes the next element for a normalised state. Collective.
    void step(const DistributedVector& state);
    Complex operator()(std::size_t i, std::size_t j) const { return {re_[index(i, j)], im_[index(i, j)]}; }  ///< i < j

  private:
    static std::size_t index(std::size_t i, std::size_t j) { return i * PairOccupations::max_sites + j; }
    void set(SitePair pair, bool imaginary, double value);

    const LanczosPlan& plan_;
    const MakeHamiltonian make_;
    Timers& timers_;
    std::vector<SitePair> pairs_;  ///< pairs that are computed, the first one of each orbit
    std::vector<double> re_, im_;  ///< [i][j], j > i
    std::uint64_t steps_ = 0;
};

/// n(k) = 1/N sum_ij e^(ik (r_i - r_j)) <c+_i c_j> for all wave vectors of the cluster, over all sites or for each
/// sublattice (i, j and N then belong to it), and the sum rule where there is one. Requires a lattice with a torus.
std::vector<Quantity> momentum_distribution(const LanczosPlan& plan, const PairOccupations& pairs,
                                            const DensityMatrix& matrix);

}  // namespace strata::lanczos
