// SPDX-License-Identifier: BSD-3-Clause
// An evolution, and a coarser one over the same time, whose values show the errors of the first: it makes half as many
// sweeps, of twice the time, with fewer states.
#pragma once

#include <cmath>
#include <memory>
#include <string>

#include "dmrg/run/tdvp.hpp"
#include "dmrg/state/packed_state.hpp"

namespace strata::dmrg {

/// A bond of a sweep: steps of a sweep are numbered from 0, first those to the right.
struct SweepPlace {
    int bond = 0;
    Direction direction = Direction::left;  ///< that of a state after whole sweeps
};
SweepPlace place_in_sweep(std::uint64_t step, int sites);

class TwoEvolutions {
  public:
    /// `model` and `timers` must outlive the object. Collective.
    TwoEvolutions(const Communicator& comm, const Model& model, const Algebra& algebra,
                  const superblock::MakeOperator& make, Timers& timers, bool estimates_error);

    bool has_coarse() const { return coarse_ != nullptr; }
    Tdvp& of(bool coarse) { return coarse ? *coarse_ : *fine_; }
    const Tdvp& of(bool coarse) const { return coarse ? *coarse_ : *fine_; }
    double flops() const { return fine_->flops() + (coarse_ ? coarse_->flops() : 0); }
    /// Calls f(evolution, coarse) for each.
    template <class F>
    void for_all(F f) {
        f(*fine_, false);
        if (coarse_) f(*coarse_, true);
    }
    /// What is kept in a half sweep of this time: fewer states by the coarse one. The cut-off is no larger than 1e-4 (g t)^2, g
    /// the smallest coupling that counts: what a sweep adds to a state would be cut off again and again, and never grow.
    /// `numbers`: those of the operators of a drive, by which their couplings count.
    TruncationOptions truncation(std::uint64_t states, double cutoff, double time, bool coarse,
                                 DriveNumbers numbers = {}) const;
    /// Amplitudes below this are not resolved.
    double resolution(double cutoff, double time, DriveNumbers numbers = {}) const {
        return std::sqrt(truncation(1, cutoff, time, false, numbers).cutoff);
    }

    /// Stores blocks in this directory; none if it is empty. Throws CollectiveError(file). Collective.
    void use_disk(const std::string& directory);
    /// As SweptChain::prepare(); a disk that was too small is given free for a checkpoint.
    void prepare(bool coarse, int bond);

    /// Arrays of a checkpoint, of copies of the states that are made now.
    void add_to(std::vector<DistributedArray>& arrays);
    /// Resizes these arrays to the shapes in a checkpoint, which add_to() then leaves as they are.
    void resize(const std::vector<ArrayShape>& stored);
    /// Gives up the arrays of a checkpoint of step 0, whose state is made again.
    void forget_arrays() { restoring_ = false; }
    /// Sets a state from the arrays that were read, after a step at `last`.
    void unpack(bool coarse, const SweepPlace& last);

  private:
    const Communicator& comm_;
    std::unique_ptr<Tdvp> fine_, coarse_;
    PackedState packed_[2];
    bool restoring_ = false;
};

}  // namespace strata::dmrg
