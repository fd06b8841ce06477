// SPDX-License-Identifier: BSD-3-Clause
// Results of a phase of a multiply on a device by grouped matrix products of cuBLAS, to be compared with the program's
// own tiles (kernels/kronecker/device_tiles.hpp). One call computes one product of every result; further products of a result are added by later
// calls, in their order. The library's rounding is not specified; results agree with the tiles to rounding only.
#pragma once

#include <cstdint>
#include <vector>

#include "cublas.hpp"
#include "kernels/kronecker/device_tiles.hpp"

namespace strata::perf {

using kronecker::Operand, kronecker::Tile, kronecker::TileMemory, kronecker::TileProduct;

/// The results of which the tiles of a phase are parts, each as one tile.
std::vector<Tile> whole_results(const std::vector<Tile>& tiles);

template <class Real>
class GroupedProducts {
  public:
    /// Each result is a tile as large as a matrix, without copies among its products. `library` and `queue` must
    /// outlive the object.
    GroupedProducts(const CublasLibrary& library, const Queue<Cuda>& queue, const std::vector<Tile>& results,
                    const std::vector<TileProduct>& products);

    /// Sets the results to the sums of their products. Queued; it overwrites tables in host memory, so that the queue
    /// must have finished the last call before.
    void multiply(const TileMemory<Real>& memory);

  private:
    /// One call of the library: a group of a single product for each result, C = op(A) op(B) + beta C, all stored by
    /// columns.
    struct Call {
        std::vector<int> transposed_a, transposed_b;
        std::vector<std::int64_t> m, n, k, lda, ldb, ldc, size;
        std::vector<Real> alpha, beta;
        std::vector<Operand> a, b;
        std::vector<std::uint64_t> c;   ///< index of the first real of the result
        std::uint64_t first_table = 0;  ///< index in the tables of the pointers of A, followed by those of B and C
    };
    void add(Call& call, const Tile& result, const TileProduct& product, Real beta);
    void write_tables(const Call& call, const TileMemory<Real>& memory);

    const CublasLibrary& library_;
    const Queue<Cuda>& queue_;
    std::vector<Call> calls_;
    Buffer<Real*, Pinned> host_tables_;
    Buffer<Real*, Cuda> tables_;
};

}  // namespace strata::perf
