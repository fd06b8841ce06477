// SPDX-License-Identifier: BSD-3-Clause
// y += C x by matrix products of a library, in the forms that other programs use
// (kernels/kronecker/library_multiply.hpp), for comparison with the program's own kernels. Both directions of a block
// are stored.
#pragma once

#include <memory>

#include "kernels/kronecker/library_multiply.hpp"
#include "superblock/host_product.hpp"

namespace strata::kronecker {

template <class Real>
class LibraryProduct : public HostProduct<Real> {
  public:
    /// All references must outlive the object. Collective.
    LibraryProduct(const Communicator& comm, const MultiplyPlan& plan, const Node& node, LibraryVariant variant,
                   GemmBackend backend, int block_threads, Timers& timers);

    std::string name() const override;
    MemoryPrediction memory() const override;
    void allocate(const OperatorSource& operators) override;
    void add_product(const NodeBuffer& x, Real* y) override;

    /// Memory of any rank of a plan.
    static MemoryPrediction memory(const MultiplyPlan& plan, int rank, LibraryVariant variant, int block_threads,
                                   bool in_place);

  private:
    using HostProduct<Real>::plan_, HostProduct<Real>::timers_, HostProduct<Real>::exchange_;
    /// One direction of a term.
    struct Block {
        std::size_t term;
        Orientation orientation;
        std::size_t to, from;
    };
    static std::vector<Block> blocks(const Target& target, const Range& columns);
    static std::vector<LibraryBlock> shapes(const MultiplyPlan& plan, int rank, const std::vector<Block>& blocks);
    void pack(std::size_t block, const OperatorSource& operators);

    const LibraryVariant variant_;
    const GemmBackend backend_;
    const LibraryThreads threads_;
    const std::vector<Block> blocks_;
    std::unique_ptr<LibraryMultiply<Real>> multiply_;
    /// The patches that this rank reads, contiguous, and the product.
    Buffer<Real> x_, y_;
};

}  // namespace strata::kronecker
