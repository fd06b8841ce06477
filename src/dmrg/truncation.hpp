// SPDX-License-Identifier: BSD-3-Clause
// Which states of an enlarged block are kept: the eigenvectors of its reduced density matrix with the largest weights
// (White, Phys. Rev. Lett. 69, 2863 (1992)), sector by sector.
#pragma once

#include "comm/communicator.hpp"
#include "dmrg/block.hpp"
#include "strata/timer.hpp"

namespace strata::dmrg {

struct TruncationOptions {
    std::uint64_t max_states = 0;  ///< M
    double cutoff = 0;             ///< weights below it are not kept
    double noise = 0;              ///< of the density matrix, see add_noise()
};

/// The rank that solves each sector of a density matrix, and whether this rank does.
std::vector<int> solving_ranks(const EnlargedSectors& basis, int ranks);
std::vector<bool> own_sectors(const Communicator& comm, const EnlargedSectors& basis);

/// Reduced density matrices of the enlarged block of a side, [sector of the enlarged block], from the wave function
/// x[sector of the left enlarged block] (rows: right block, columns: left block); zeros in sectors that are not wanted.
/// The traces of all add up to the square of the norm of x.
std::vector<Matrix> density_matrices(const Algebra& algebra, const std::vector<Matrix>& x, Side side,
                                     const EnlargedBlock& left, const EnlargedBlock& right,
                                     const std::vector<bool>& wanted);

/// rho += noise * sum (O rho O^T + O^T rho O) over the operators that couple the block to the rest (White, Phys. Rev. B
/// 72, 180403 (2005)): states that the Hamiltonian will need come in although the wave function has none of them yet.
/// Takes all sectors of rho, and changes the wanted ones.
void add_noise(const Algebra& algebra, const EnlargedBlock& block, double noise, const std::vector<bool>& wanted,
               std::vector<Matrix>& rho);

struct Truncation {
    SiteTensor tensor;            ///< of the side, with orthonormal columns
    std::vector<double> weights;  ///< of the kept states, in rho
};

/// Keeps the states of largest weight over all sectors. Equal weights, members of a multiplet, are kept or left out
/// together. Sectors are solved by LAPACK on one rank each (timer "truncation"), which alone must have their rho, and
/// broadcast ("sharing states"). Collective.
Truncation truncate(const Communicator& comm, const Algebra& algebra, Side side, const EnlargedSectors& basis,
                    const std::vector<Matrix>& rho, const TruncationOptions& options, Timers& timers);

/// The weights that the wave function itself has in the kept states of one side, x[sector] with one column for each: the
/// squares of its singular values. Those of Truncation are of a density matrix with noise. Collective.
std::vector<double> schmidt_weights(const Communicator& comm, const Algebra& algebra, const std::vector<Matrix>& x,
                                    Timers& timers);

/// -sum p ln p of weights, which are normalised first.
double entropy(const std::vector<double>& weights);

/// Levels of an entanglement spectrum that are kept.
inline constexpr std::size_t spectrum_levels = 16;
/// The largest weights in descending order, normalised; 0 where there are fewer.
std::vector<double> entanglement_spectrum(std::vector<double> weights);

}  // namespace strata::dmrg
