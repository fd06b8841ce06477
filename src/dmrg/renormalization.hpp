// SPDX-License-Identifier: BSD-3-Clause
// Two-site density-matrix renormalization (White, Phys. Rev. Lett. 69, 2863 (1992); Schollwoeck, Ann. Phys. 326, 96
// (2011)): the centre goes from bond to bond; at each the lowest state of the superblock is improved, one of its blocks
// takes in a site, and its basis is truncated to M states.
#pragma once

#include <optional>

#include "dmrg/overlaps.hpp"
#include "dmrg/superblock_solver.hpp"
#include "dmrg/truncation.hpp"

namespace strata::dmrg {

/// Which block takes in its site at the centre, and whether the centre then goes on in that direction.
enum class Direction { right, left };

struct BondSettings {
    TruncationOptions truncation;
    krylov::ImproveOptions solver;
    krylov::Precision precision = krylov::Precision::double_;  ///< of vectors and operators of the superblock
    Direction direction = Direction::right;
    RandomPart random_part;
};

struct BondResult {
    double start_energy = 0;            ///< of the guess
    double energy = 0;                  ///< of the superblock: of a normalised state, before it is truncated
    double residual = 0;                ///< of the superblock
    double search_error = 0;            ///< estimate of how far the energy is from the lowest one of the superblock
    double truncation = 0;              ///< weight that was discarded
    double entropy = 0;                 ///< between the blocks
    std::vector<double> spectrum = {};  ///< see entanglement_spectrum()
    std::uint64_t states = 0;           ///< kept
    std::uint64_t products = 0;
};

class Renormalization {
  public:
    /// `comm`, `model` and `timers` must outlive it; operators of superblocks take the threads of `algebra`.
    /// Collective.
    Renormalization(const Communicator& comm, const Model& model, const Algebra& algebra, const MakeOperator& make,
                    Timers& timers);

    const Model& model() const { return model_; }
    const Algebra& algebra() const { return algebra_; }
    ChainState& chain() { return chain_; }
    const ChainState& chain() const { return chain_; }
    double flops() const { return solver_.flops(); }

    /// From now on states are sought that are orthogonal to this one, whose centre is at bond 0.
    void exclude_state();
    const std::vector<Overlaps>& excluded() const { return excluded_; }
    /// Number `state` of the starts of a seed, with its centre at bond 0: the lower of two that are made in different ways
    /// and swept with noise, with about `states` states per bond. Returns its energy. Collective.
    double begin(std::uint64_t seed, std::uint64_t state, std::uint64_t states);
    /// The tensors are those after a step in that direction, and blocks are to be made from them anew.
    void tensors_were_set(Direction direction) {
        stale_blocks_ = direction;
        prepared_.reset();
    }

    /// Has the blocks that update() takes at bond `centre` in memory. Changes nothing of the state. Collective; throws
    /// CollectiveError(file) if blocks are on disk and that has failed.
    void prepare(int centre);
    /// Improves the state at bond `centre`, at which the centre is or which is next to it. Collective.
    BondResult update(int centre, const BondSettings& settings);

  private:
    /// What a step works on.
    struct AtBond {
        EnlargedBlock left, right;
        WaveFunction x;
        std::vector<WaveFunction> others;  ///< the excluded states
    };
    void rebuild(Direction direction);
    void broadcast_tensors();
    double sweep_start(std::uint64_t seed, std::uint64_t start, std::uint64_t states);
    void go_to(int centre);
    AtBond at_bond(int centre);
    krylov::ImprovedState improve(int centre, AtBond& b, const BondSettings& settings);
    Truncation truncated(const AtBond& b, const BondSettings& settings);

    const Communicator& comm_;
    const Model& model_;
    const Algebra algebra_;
    SuperblockSolver solver_;
    ChainState chain_;
    std::vector<Overlaps> excluded_;
    std::optional<Direction> stale_blocks_;  ///< blocks and overlaps are not those of the tensors after such a step
    std::optional<int> prepared_;            ///< centre whose blocks are in memory, until its step
    Timers& timers_;
};

}  // namespace strata::dmrg
