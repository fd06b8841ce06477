// SPDX-License-Identifier: BSD-3-Clause
// A block of sites, its Hamiltonian and the operators that couple it to sites outside, in a truncated basis (White,
// Phys. Rev. B 48, 10345 (1993)). A left block holds X of the couplings' left sites, a right block Y of the right ones,
// each with the parities of fermions between its site and the end of the block, so that a coupling across the end is
// the plain Kronecker product X x Y.
//
//     grow: block, site -> enlarged block (product states, nothing truncated) -> rotate: block of one site more
#pragma once

#include <map>
#include <span>
#include <utility>
#include <vector>

#include "comm/communicator.hpp"
#include "dmrg/sectors.hpp"

namespace strata::dmrg {

/// An operator that changes labels by `change`: [sector] a matrix from that sector, empty where it leads nowhere.
struct BlockOperator {
    Charge change;
    std::vector<Matrix> from_sector;
};

/// X or Y of a channel at a site.
struct OperatorName {
    std::size_t channel = 0;
    int site = 0;
    friend auto operator<=>(const OperatorName&, const OperatorName&) = default;
};

struct Block {
    Sectors sectors;
    BlockOperator hamiltonian;
    std::map<OperatorName, BlockOperator> operators;

    /// The block without sites at the bond with this label.
    static Block empty(Charge label);
    std::uint64_t bytes() const;
    /// The elements of all matrices, one after another.
    std::vector<std::span<double>> parts();
    /// Gives up the elements, which are elsewhere; the shapes stay. And takes memory for them again.
    void release_elements();
    void allocate_elements();
};

/// Part of an operator of an enlarged block: amplitude times a matrix of the block, or an identity, from one segment to
/// another.
struct Piece {
    Rows to, from;
    double amplitude = 1;
    const Matrix* matrix = nullptr;  ///< none: the identity
};

/// [sector] pieces from that sector.
struct EnlargedOperator {
    Charge change;
    std::vector<std::vector<Piece>> from_sector;
};

/// A block and one site more, in product states. Its operators refer to matrices of the block, which must outlive it.
struct EnlargedBlock {
    EnlargedSectors basis;
    BlockOperator hamiltonian;  ///< dense, symmetric
    std::map<OperatorName, EnlargedOperator> operators;
};

/// Adds `site` at the open end of a block of the given side. Keeps the operators that couple to sites outside of both.
EnlargedBlock grow(const Model& model, const Block& block, Side side, int site, const ChargeRange& allowed);

/// `factor` times an operator of an enlarged block, added to a dense matrix from one of its sectors.
void add_dense(const EnlargedOperator& op, std::size_t sector, double factor, Matrix& to);

/// Operations of a rotation (milliseconds) below which ranks wait longer for each other than they gain.
inline constexpr double min_shared_rotation = 1e8;

/// The enlarged block in the kept states of `tensor`. With `shared`, every rank makes some of the matrices if all of
/// them take `min_shared` operations or more; collective then.
Block rotate(const Algebra& algebra, const EnlargedBlock& block, const SiteTensor& tensor,
             const Communicator* shared = nullptr, double min_shared = min_shared_rotation);

}  // namespace strata::dmrg
