// SPDX-License-Identifier: BSD-3-Clause
// y += C x on the CPU. A rank reads every patch as a whole that a block of its columns reads: its own patches and their
// neighbours. The operators of a rank are packed once into one pool; a multiplication reads
// it in order, and every stored block is read once for both of its directions. Blocks whose patches are this rank's own
// are multiplied while pieces of x arrive. With one thread, and all pieces in memory of the node, products are added to
// y immediately; otherwise they are stored and added in the same order, that of the patches J:
//
//     y_I = ((y_I + C_I0 x_0) + C_I1 x_1) + ...
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "comm/patch_exchange.hpp"
#include "kernels/kronecker/block_product.hpp"
#include "kernels/kronecker/pool_walk.hpp"
#include "strata/timer.hpp"
#include "superblock/multiply_plan.hpp"
#include "superblock/task_ranges.hpp"

namespace strata::superblock {

using kronecker::BlockKernels, kronecker::PoolWalk, kronecker::Prefetch, kronecker::ReadAgain, kronecker::Update;

template <class Real>
class HostProduct {
  public:
    /// All references must outlive the object. Collective.
    HostProduct(const Communicator& comm, const MultiplyPlan& plan, const Node& node, const BlockKernels<Real>& kernels,
                Timers& timers);

    std::string name() const { return std::string(kernels_.name); }  ///< e.g. "avx512"
    /// All memory that the object allocates.
    MemoryPrediction memory() const { return plan_.multiply_memory<Real>(plan_.rank(), in_place_); }
    /// Allocates and packs the operators.
    void allocate(const OperatorSource& operators);
    /// `x`: this rank's elements, exchange().own_doubles() doubles of its node's memory; they must not change before a
    /// later collective call. `y`: this rank's elements. Collective.
    void add_product(const NodeBuffer& x, Real* y);

    /// Processor time of all threads of this rank in products so far, without exchanges.
    double processor_seconds() const { return processor_seconds_; }

    const PatchExchange& exchange() const { return exchange_; }

  private:
    /// Measures a phase in which all threads compute: wall time for the timers, and processor time of all threads.
    class Phase {
      public:
        Phase(HostProduct& of, std::string_view name)
            : of_(of), scope_(of.timers_.scope(name)), start_(strata::processor_seconds(ClockOf::process)) {}
        ~Phase() { of_.processor_seconds_ += strata::processor_seconds(ClockOf::process) - start_; }
        Phase(const Phase&) = delete;
        Phase& operator=(const Phase&) = delete;

      private:
        HostProduct& of_;
        const Timers::Scope scope_;
        const double start_;
    };

    /// Some columns of the products of one block. Large blocks are divided into several tasks, so that threads share
    /// them.
    struct Task {
        std::size_t block;
        Range forward, backward;                                       ///< columns of Y_to and of Y_from
        Real *forward_product = nullptr, *backward_product = nullptr;  ///< memory of stored products
    };
    /// This rank's columns of a patch of y and the stored products, in the order in which they are added.
    struct Sum {
        std::uint64_t first, size;  ///< begin and number of elements of y
        std::vector<const Real*> products;
    };
    /// Some elements of a sum: the unit of work of a thread.
    struct SumPiece {
        std::size_t sum;
        Range elements;
    };
    void make_tasks();
    void make_sums();
    void place_products();
    void pack(const OperatorSource& operators);
    void run(const Task& task, Update update, const NodeBuffer& x, Real* forward, Real* backward, Real* workspace,
             PoolWalk& walk) const;
    void run_copies(const Task& task, Update update, const NodeBuffer& x, Real* forward, Real* backward) const;
    void run_in_order(const NodeBuffer& x, Real* y);
    void run_shared(const std::vector<Task>& tasks, TaskRanges& ranges, const NodeBuffer& x);
    void add_products(Real* y);
    /// Index in y of the first of this rank's columns of a patch.
    std::uint64_t first_in_y(std::size_t patch) const;
    /// First element of a patch that this rank reads.
    const Real* patch(std::size_t patch, const NodeBuffer& x) const {
        return static_cast<const Real*>(exchange_.piece(piece_of_patch_[patch], x));
    }

    const MultiplyPlan& plan_;
    Timers& timers_;
    const std::vector<std::size_t> patches_read_;  ///< ascending
    PatchExchange exchange_;
    const bool in_place_;  ///< true if every rank finds all patches that it reads in the memory of its node
    std::vector<std::size_t> piece_of_patch_;
    double processor_seconds_ = 0;
    const BlockKernels<Real>& kernels_;
    const std::vector<RankBlock<Real>> blocks_;
    const bool keeps_products_;
    /// Tasks of blocks that read own patches only, and all other tasks.
    std::vector<Task> own_tasks_, other_tasks_;
    std::unique_ptr<TaskRanges> own_ranges_, other_ranges_;
    std::vector<Sum> sums_;
    std::vector<SumPiece> sum_pieces_;
    std::uint64_t products_reals_ = 0;
    std::uint64_t workspace_reals_ = 0;  ///< workspace of one thread
    Buffer<Real> pool_, products_, workspace_;
};

}  // namespace strata::superblock
