// SPDX-License-Identifier: BSD-3-Clause
// Expectation values of the operators of [observables], in the basis of z, for any backend: amplitudes are read slab
// by slab through the arrays of a checkpoint. Groups of products that flip the same bits above those of a slab share
// the reading of the state; two ranks that differ in such bits send each other half of their amplitudes, slab by slab.
// Operations per amplitude and group: flip_sums.hpp, and 4 per sum and tile of 2^9 amplitudes; half of the tiles where a
// group flips a bit above those of a tile.
#pragma once

#include <tuple>
#include <vector>

#include "comm/communicator.hpp"
#include "kernels/trotter/pass_kernels.hpp"
#include "strata/buffer.hpp"
#include "strata/checkpoint.hpp"
#include "strata/exact_sum.hpp"
#include "strata/timer.hpp"
#include "trotter/physics/moments.hpp"
#include "trotter/state/product_layout.hpp"

namespace strata::trotter {

class TrotterPlan;

class ExpectationValues {
  public:
    /// `comm`, `plan` and `timers` must outlive the object. Collective.
    ExpectationValues(const Communicator& comm, const TrotterPlan& plan, Timers& timers);

    void allocate();
    /// The numbers of all lists, [state][number], on all ranks; `psi`: amplitudes of the states in the basis of z,
    /// `moments`: [state]. Collective.
    std::vector<double> values(const DistributedArray& psi, const std::vector<Moments>& moments);

  private:
    using Batch = std::vector<TiledGroup>;
    /// Adds the sums of a batch over this rank's part of a state.
    template <class Real>
    void add_batch(const DistributedArray& psi, std::uint64_t state, std::uint64_t high, const Batch& batch);
    /// As add_batch(), for groups that flip bits of the ranks: every pair of slabs is summed by one of its two ranks.
    template <class Real>
    void add_pairs(const DistributedArray& psi, std::uint64_t state, std::uint64_t high, const Batch& batch);
    /// Adds the sums of a batch over a slab of states, of which the first one is s, in which the highest of the bits that
    /// are flipped above those of a slab is 0; `flipped`: the slab with these bits flipped.
    template <class Real>
    void add_slab(const Batch& batch, std::uint64_t s, const Real* slab, const Real* flipped);
    template <class Real>
    void add_block(const TiledGroup& group, std::uint64_t s, std::uint64_t block, const Real* slab, const Real* flipped,
                   int thread);
    /// Reads a slab, counted through the amplitudes of this rank.
    void read(const DistributedArray& psi, std::uint64_t state, std::uint64_t slab, Buffer<double>& to) const;

    const Communicator& comm_;
    const TrotterPlan& plan_;
    Timers& timers_;
    const std::tuple<const PassKernels<double>*, const PassKernels<float>*> kernels_;
    const ObservedProducts& products_;
    const ProductLayout& layout_;
    Communicator state_comm_;      ///< ranks that share this rank's state
    Buffer<double> slabs_[3];      ///< own, flipped, and one that is sent
    Buffer<double> scratch_;       ///< [thread] re and im of a tile's results, and of the sums of a block
    std::vector<ExactSum> exact_;  ///< [thread][sum] re, im
};

}  // namespace strata::trotter
