// SPDX-License-Identifier: BSD-3-Clause
// y += C x by the program's own kernels. The operators of a rank are packed once into one pool; a multiplication reads
// it in order, and every stored block is read once for both of its directions. Blocks whose patches are this rank's own
// are multiplied while pieces of x arrive. With one thread, and all pieces in memory of the node, products are added to
// y immediately; otherwise they are stored and added in the same order, that of the patches J:
//
//     y_I = ((y_I + C_I0 x_0) + C_I1 x_1) + ...
#pragma once

#include <memory>
#include <vector>

#include "kernels/kronecker/block_product.hpp"
#include "kernels/kronecker/pool_walk.hpp"
#include "superblock/host_product.hpp"
#include "superblock/task_ranges.hpp"

namespace strata::kronecker {

template <class Real>
class HostMultiply : public HostProduct<Real> {
  public:
    /// All references must outlive the object. Collective.
    HostMultiply(const Communicator& comm, const MultiplyPlan& plan, const Node& node,
                 const BlockKernels<Real>& kernels, Timers& timers);

    std::string name() const override { return std::string(kernels_.name); }
    MemoryPrediction memory() const override;
    void allocate(const OperatorSource& operators) override;
    void add_product(const NodeBuffer& x, Real* y) override;

  private:
    using HostProduct<Real>::plan_, HostProduct<Real>::timers_, HostProduct<Real>::exchange_;

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

}  // namespace strata::kronecker
