// SPDX-License-Identifier: BSD-3-Clause
// Two-site density-matrix renormalization (White, Phys. Rev. Lett. 69, 2863 (1992); Schollwoeck, Ann. Phys. 326, 96
// (2011)): the centre moves from bond to bond; at each bond the lowest state of the superblock is improved, one of its
// blocks is enlarged by a site, and its basis is truncated to M states.
#pragma once

#include "dmrg/run/overlaps.hpp"
#include "dmrg/run/swept_chain.hpp"
#include "dmrg/run/truncation.hpp"
#include "dmrg/state/superblock_solver.hpp"

namespace strata::dmrg {

struct BondSettings {
    TruncationOptions truncation;
    krylov::ImproveOptions solver;
    /// Precision of vectors and operators of the superblock.
    krylov::Precision precision = krylov::Precision::double_;
    Direction direction = Direction::right;
    RandomPart random_part;
};

struct BondResult {
    /// Energy of the guess.
    double start_energy = 0;
    /// Energy of the superblock's normalised state before truncation.
    double energy = 0;
    double residual = 0;  ///< norm of H x - E x in the superblock
    /// Estimated distance of the energy from the lowest one of the superblock.
    double search_error = 0;
    double truncation = 0;              ///< discarded weight
    double entropy = 0;                 ///< entanglement entropy of the blocks
    std::vector<double> spectrum = {};  ///< see entanglement_spectrum()
    std::uint64_t states = 0;           ///< number of kept states
    std::uint64_t products = 0;
};

class Renormalization : public SweptChain {
  public:
    /// `comm`, `model` and `timers` must outlive the object; superblocks use the number of threads of `algebra`.
    /// Collective.
    Renormalization(const Communicator& comm, const Model& model, const Algebra& algebra,
                    const superblock::MakeOperator& make, Timers& timers);

    double flops() const { return solver_.flops(); }

    /// Adds the current state, whose centre is at bond 0, to the states to which all later states are orthogonal; of a
    /// complex H also i times the state, so that each has two of excluded().
    void exclude_state();
    const std::vector<Overlaps>& excluded() const { return excluded_; }
    /// Makes the start of state number `state`, with its centre at bond 0: the lower in energy of two starts that are
    /// made in different ways and swept with noise, with about `states` states per bond. Returns its energy.
    /// Collective.
    double begin(std::uint64_t seed, std::uint64_t state, std::uint64_t states);
    /// Performs a step at bond `centre`. Blocks up to there must exist, so that the bond is the present centre or next
    /// to it. Collective.
    BondResult update(int centre, const BondSettings& settings);

  private:
    /// The data of a step: enlarged blocks and wave functions.
    struct AtBond {
        EnlargedBlock left, right;
        WaveFunction x;
        std::vector<WaveFunction> others;  ///< the excluded states in the same basis
    };
    void rebuild(Direction direction) override;
    void broadcast_tensors();
    double sweep_start(std::uint64_t seed, std::uint64_t start, std::uint64_t states);
    AtBond at_bond(int centre);
    krylov::ImprovedState improve(int centre, AtBond& b, const BondSettings& settings);
    Truncation truncated(const AtBond& b, const BondSettings& settings);

    SuperblockSolver solver_;
    std::vector<Overlaps> excluded_;
};

}  // namespace strata::dmrg
