// SPDX-License-Identifier: BSD-3-Clause
// Truncation of an enlarged block to the eigenvectors of its reduced density matrix with the largest weights (White,
// Phys. Rev. Lett. 69, 2863 (1992)), sector by sector.
#pragma once

#include "comm/communicator.hpp"
#include "dmrg/state/block.hpp"
#include "strata/timer.hpp"

namespace strata::dmrg {

struct TruncationOptions {
    std::uint64_t max_states = 0;  ///< bond dimension M
    double cutoff = 0;             ///< states with smaller weights are discarded
    double noise = 0;              ///< noise of the density matrix, see add_noise()
};

/// [sector] rank that diagonalises it, and [sector] whether this rank does.
std::vector<int> solving_ranks(const EnlargedSectors& basis, int ranks);
std::vector<bool> own_sectors(const Communicator& comm, const EnlargedSectors& basis);

/// Reduced density matrices of the enlarged block of a side, [sector of the enlarged block], from the wave function
/// x[sector of the left enlarged block] (rows: right block, columns: left block); zeros in sectors that are not
/// `requested`. The traces of all sectors add up to the square of the norm of x.
std::vector<Matrix> density_matrices(const Algebra& algebra, const std::vector<Matrix>& x, Side side,
                                     const EnlargedBlock& left, const EnlargedBlock& right,
                                     const std::vector<bool>& requested);

/// sum += factor * (O rho O^T + O^T rho O) for all operators O that couple the block to the rest (White, Phys. Rev. B 72,
/// 180403 (2005)): states that the Hamiltonian connects with the wave function but that it may not contain yet. All sectors of
/// rho are read; those of `sum` that are `requested` are changed.
void add_coupled_states(const Algebra& algebra, const EnlargedBlock& block, double factor,
                        const std::vector<bool>& requested, const std::vector<Matrix>& rho, std::vector<Matrix>& sum);
/// Adds these states of rho to rho, with factor `noise`, and two further terms, which mix the states of the site and all
/// states of the block (truncation.cpp).
void add_noise(const Algebra& algebra, const EnlargedBlock& block, double noise, const std::vector<bool>& requested,
               std::vector<Matrix>& rho);

struct Truncation {
    SiteTensor tensor;            ///< tensor of the given side, with orthonormal columns
    std::vector<double> weights;  ///< eigenvalues of rho of the kept states
};

/// States that are kept beside those of the density matrix, as far as M allows, because a coming step will need them.
struct FurtherStates {
    std::vector<Matrix> rho;            ///< [sector] their density matrix
    std::vector<std::uint64_t> limits;  ///< [sector] largest number of states of both kinds
    double cutoff = 0;                  ///< states with smaller weights are not needed
};

/// Keeps the states of largest weight over all sectors, then the further ones. States of equal weight, members of a
/// multiplet, are kept or discarded together. Where no state reaches the cut-off, there is none. Each sector is diagonalised
/// by LAPACK on one rank (timer "truncation"), the only one that needs its rho, and broadcast (timer "sharing states").
/// Collective.
Truncation truncate(const Communicator& comm, const Algebra& algebra, Side side, const EnlargedSectors& basis,
                    const std::vector<Matrix>& rho, const TruncationOptions& options, Timers& timers,
                    const FurtherStates* further = nullptr);

/// The tensor of the other site at the centre: the wave function x in the kept states of one side.
SiteTensor remaining_tensor(const Algebra& algebra, const std::vector<Matrix>& x, const SiteTensor& kept,
                            const EnlargedBlock& left, const EnlargedBlock& right);
double squared_norm(const std::vector<Matrix>& x);
void scale(double factor, SiteTensor& t);
/// to += factor a, sector by sector.
void add(const std::vector<Matrix>& a, double factor, std::vector<Matrix>& to);

/// Weights of the wave function itself in the kept states of one side, i.e. the squares of its singular values; the
/// weights of Truncation are those of a density matrix with noise. x: [sector] one column per kept state. Collective.
std::vector<double> schmidt_weights(const Communicator& comm, const Algebra& algebra, const std::vector<Matrix>& x,
                                    Timers& timers);

/// Entropy -sum p ln p of the normalised weights p.
double entropy(const std::vector<double>& weights);

/// Number of levels of an entanglement spectrum that are stored.
inline constexpr std::size_t spectrum_levels = 16;
/// The largest weights in descending order, normalised; 0 where there are fewer.
std::vector<double> entanglement_spectrum(std::vector<double> weights);

}  // namespace strata::dmrg
