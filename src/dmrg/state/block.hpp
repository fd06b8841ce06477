// SPDX-License-Identifier: BSD-3-Clause
// A block of sites, its Hamiltonian and the operators that couple it to sites outside, in a truncated basis (White,
// Phys. Rev. B 48, 10345 (1993)): the partial products of the terms that cross its end (job/terms.hpp), each multiplied by the
// fermion parities of the sites between its own and the end, so that a term across the end is a plain Kronecker product
// of an operator of the left block and one of the right.
//
//     grow: block, site -> enlarged block (product states, nothing truncated) -> rotate: block of one site more
#pragma once

#include <map>
#include <span>
#include <utility>
#include <vector>

#include "comm/communicator.hpp"
#include "dmrg/physics/sectors.hpp"

namespace strata::dmrg {

/// An operator that changes charges by `change`: [sector] its matrix from that sector to the one whose charge is larger
/// by `change`; empty if that sector does not exist or all elements are 0.
struct BlockOperator {
    Charge change;
    std::vector<Matrix> from_sector;
};

struct Block {
    Sectors sectors;
    BlockOperator hamiltonian;
    std::vector<BlockOperator> driven;               ///< [n] the same of V_n, the operators of a drive
    std::map<std::size_t, BlockOperator> operators;  ///< by the number of their partial product (job/terms.hpp)

    /// The block without sites at the left end of the chain, which has one state.
    static Block left_end(const Model& model);
    /// That at the right end, whose states are the parts of a complex state (job/terms.hpp).
    static Block right_end(const Model& model);
    std::uint64_t bytes() const;
    /// The elements of all matrices that are not empty, in a fixed order.
    std::vector<std::span<double>> parts();
    /// Frees the memory of the elements (which are on disk) but keeps the shapes; allocates it again.
    void release_elements();
    void allocate_elements();
};

/// Part of an operator of an enlarged block: amplitude times a matrix of the block, or times an identity, from one
/// segment to another.
struct Piece {
    Rows to, from;
    double amplitude = 1;
    const Matrix* matrix = nullptr;  ///< not owned; null: the identity
};

/// An operator of an enlarged block that changes charges by `change`: [sector] its pieces from that sector.
struct EnlargedOperator {
    Charge change;
    /// Whether it is the sum of all terms that lack J (job/terms.hpp): like H of the block it leads to no state that a coming
    /// step needs.
    bool is_sum = false;
    std::vector<std::vector<Piece>> from_sector;
};

/// A block enlarged by one site, in the basis of product states. Its operators refer to matrices of the block, which
/// must outlive it.
struct EnlargedBlock {
    bool has_site = true;  ///< false: the block alone, whose operators of its last site are dense, see without_site()
    EnlargedSectors basis;
    BlockOperator hamiltonian;          ///< dense, symmetric
    std::vector<BlockOperator> driven;  ///< [n] the same of V_n
    std::map<std::size_t, EnlargedOperator> operators;
};

/// Enlarges a block of the given side by `site`, at its open end. Keeps the operators that couple to sites outside of
/// the enlarged block. `allowed`: charges of the new bond that are kept.
EnlargedBlock grow(const Model& model, const Block& block, Side side, int site, const ChargeRange& allowed);

/// A block with no further site in the form of an enlarged one, for the superblock of a single site beside it.
EnlargedBlock without_site(const Block& block);

/// H + sum_n numbers[n] V_n of an enlarged block with a drive, [sector].
std::vector<Matrix> driven_hamiltonian(const EnlargedBlock& block, DriveNumbers numbers);

/// Adds `factor` times an operator of an enlarged block, restricted to one of its sectors, to a dense matrix.
void add_dense(const EnlargedOperator& op, std::size_t sector, double factor, Matrix& to);

/// Operations of a rotation (milliseconds) below which its distribution over ranks costs more time than it saves.
inline constexpr double min_shared_rotation = 1e8;

/// Transforms the enlarged block to the kept states of `tensor`. With `shared`, the matrices are distributed over its
/// ranks if all of them need `min_shared` operations or more; the call is then collective.
Block rotate(const Algebra& algebra, const EnlargedBlock& block, const SiteTensor& tensor,
             const Communicator* shared = nullptr, double min_shared = min_shared_rotation);

}  // namespace strata::dmrg
