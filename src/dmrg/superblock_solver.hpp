// SPDX-License-Identifier: BSD-3-Clause
// The lowest state of a superblock from a good guess, by the distributed Kronecker multiply and a few Lanczos steps.
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "dmrg/superblock.hpp"
#include "kronecker/target_operator.hpp"
#include "krylov/improved_state.hpp"

namespace strata::dmrg {

/// Makes the operator of a superblock where the factory has chosen that it runs, with vectors of a precision. The
/// references must outlive it. Collective over the communicator.
using MakeOperator = std::function<std::unique_ptr<kronecker::TargetOperator>(
    const Communicator&, const kronecker::MultiplyPlan&, const kronecker::OperatorSource&, krylov::Precision, Timers&)>;

/// [sector of the left enlarged block] rows are states of the right one, columns of the left one.
using WaveFunction = std::vector<Matrix>;

/// Random numbers that are added to a guess: a search stays among the states that H connects with its guess.
struct RandomPart {
    double norm = 0;  ///< relative to that of the guess
    std::uint64_t seed = 1, draw = 0;
};

class SuperblockSolver {
  public:
    /// `comm` and `timers` must outlive it; the operators take `threads`. Collective.
    SuperblockSolver(const Communicator& comm, int threads, MakeOperator make, Timers& timers);

    /// Improves the wave function, [sector of the left enlarged block], in place, with the options `large` and vectors of
    /// the given precision, unless the superblock is small enough to be solved to the end; all ranks hold all of it. It
    /// becomes orthogonal to the `excluded` ones; if they leave nothing, it stays as it is and its energy is infinite.
    /// Superblocks that are too small to be shared are solved by every rank alone. Collective.
    krylov::ImprovedState improve(const Superblock& superblock, const krylov::ImproveOptions& large,
                                  krylov::Precision precision, const std::vector<WaveFunction>& excluded,
                                  const RandomPart& random_part, WaveFunction& x);
    double flops() const { return flops_; }  ///< of all multiplications so far

  private:
    /// With vectors of `Real`. `x`: the whole vector, of which this rank's elements are improved.
    template <class Real>
    krylov::ImprovedState solve(const Communicator& comm, const kronecker::MultiplyPlan& plan,
                                const Superblock& superblock, const krylov::ImproveOptions& options,
                                const std::vector<WaveFunction>& excluded, const RandomPart& random_part,
                                std::vector<double>& x);

    const Communicator& comm_;
    const Communicator alone_;
    const int threads_;
    const MakeOperator make_;
    Timers& timers_;
    double flops_ = 0;
};

}  // namespace strata::dmrg
