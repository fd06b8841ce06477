// SPDX-License-Identifier: BSD-3-Clause
// The lowest state of a superblock from a good guess, by a few Lanczos steps with the distributed Kronecker product.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "dmrg/state/superblock.hpp"
#include "krylov/improved_state.hpp"
#include "krylov/real_exponential.hpp"
#include "superblock/make_operator.hpp"

namespace strata::dmrg {

/// [sector of the left enlarged block] rows are states of the right block, columns states of the left one.
using WaveFunction = std::vector<Matrix>;

/// Largest number of vectors of a search at a bond.
inline constexpr std::size_t max_basis = 8;

/// Dimension below which one thread solves a superblock: starting threads takes longer.
inline constexpr std::uint64_t min_threaded_dimension = 5000;

/// Whether the ranks share the search in a superblock; a small one is solved by every rank alone.
bool is_shared(const superblock::PatchLayout& layout, int ranks);

/// Random numbers that are added to a guess, because a search remains among the states that H connects with its guess.
struct RandomPart {
    double norm = 0;  ///< relative to the norm of the guess
    std::uint64_t seed = 1, draw = 0;
};

class SuperblockSolver {
  public:
    /// `comm` and `timers` must outlive the object; operators use `threads` threads. Collective.
    SuperblockSolver(const Communicator& comm, int threads, superblock::MakeOperator make, Timers& timers);

    /// Improves the wave function x, of which every rank has a copy, in place, with the options `large` and vectors of
    /// the given precision; small superblocks are instead solved to convergence in double precision. x becomes
    /// orthogonal to the `excluded` wave functions; if these span the space, x does not change and its energy is
    /// infinite. Superblocks that are too small to be distributed are solved by every rank alone. Collective.
    krylov::ImprovedState improve(const Superblock& superblock, const krylov::ImproveOptions& large,
                                  krylov::Precision precision, const std::vector<WaveFunction>& excluded,
                                  const RandomPart& random_part, WaveFunction& x);
    /// (x, y) <- real and imaginary part of exp(-i H t)(x + i y). The vectors are in double precision. Collective.
    krylov::RealExponentialResult evolve(const Superblock& superblock, const krylov::ExponentialOptions& options,
                                         double t, WaveFunction& x, WaveFunction& y);
    /// x <- exp(-H t) x, normalised; `log_norm` += the logarithm of the change of its norm. Collective.
    krylov::RealExponentialResult evolve_imaginary(const Superblock& superblock,
                                                   const krylov::ExponentialOptions& options, double t, WaveFunction& x,
                                                   double& log_norm);
    double flops() const { return flops_; }  ///< operations of all multiplications so far

  private:
    /// Calls body(comm, plan, all) with the packed vectors `x`, and unpacks what it leaves in this rank's elements of `all`.
    /// Superblocks too small to be distributed are treated by every rank alone. Returns what `body` returns on rank 0.
    template <class Body>
    auto with_packed(const Superblock& superblock, const std::vector<WaveFunction*>& x, Body body);
    std::unique_ptr<superblock::TargetOperator> allocated(const Communicator& comm,
                                                          const superblock::MultiplyPlan& plan,
                                                          const Superblock& superblock);
    /// Solves with vectors of `Real`. `x`: the whole vector, of which this rank's elements are overwritten.
    template <class Real>
    krylov::ImprovedState solve(const Communicator& comm, const superblock::MultiplyPlan& plan,
                                const Superblock& superblock, const krylov::ImproveOptions& options,
                                const std::vector<WaveFunction>& excluded, const RandomPart& random_part,
                                std::vector<double>& x);

    const Communicator& comm_;
    const Communicator alone_;
    const int threads_;
    const superblock::MakeOperator make_;
    Timers& timers_;
    double flops_ = 0;
};

}  // namespace strata::dmrg
