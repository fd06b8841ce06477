// SPDX-License-Identifier: BSD-3-Clause
// The target Hamiltonian of a superblock as a symmetric block matrix over patches,
//
//     Y_I += sum_J C_IJ X_J,    C_IJ X_J = sum_k B_k X_J A_k^T,
//
// with A_k (l_I x l_J) of the left block and B_k (r_I x r_J) of the right one. Only terms with I <= J are listed: C_JI
// is the transpose of C_IJ, and in a term on the diagonal every A_k and B_k is symmetric. Owners of operators (a random
// generator, a file, a density-matrix renormalization) derive from OperatorSource.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "superblock/patches.hpp"

namespace strata::superblock {

/// Particle numbers that a block connects. axis: one of the two numbers changes by at most one; moore: both may change
/// by at most one (Moore neighbourhood).
enum class Rule { axis, moore };

/// A rectangle of a matrix.
struct Rectangle {
    Range rows, columns;
    std::uint64_t size() const { return rows.size() * columns.size(); }
};

/// A scaled rectangular copy: adds factor times the rectangle of X_J that begins at (from_row, from_column) to the
/// rectangle `to` of Y_I, which has the same shape. The couplings of the two centre sites of a superblock are such
/// copies.
struct PatchCopy {
    Rectangle to;
    std::uint64_t from_row = 0, from_column = 0;
    double factor = 1;
};

/// A term of C between two patches, i <= j. A pair of patches may have several terms, e.g. operators of the left block
/// alone (whose right factor is the identity) and operators of both blocks. A factor is the identity only on the
/// diagonal, with K = 1.
struct Term {
    std::size_t i = 0, j = 0;
    std::uint64_t operators = 1;  ///< K
    Factor left = Factor::dense, right = Factor::dense;
    /// If not empty, the term is a sum of scaled rectangular copies of X_J into Y_I and has no operators (K = 1, both
    /// factors identities). The copies overlap neither in Y_I nor in X_J.
    std::vector<PatchCopy> copies = {};
    bool diagonal() const { return i == j; }
};

/// Terms of every pair of patches that the rule connects, in the order of (i, j).
std::vector<Term> terms_of_rule(const std::vector<Patch>& patches, Rule rule, std::uint64_t operators);

/// Interface of the owner of operators. Every call must return the same elements; several threads call it at the same
/// time, and it is not called for identities.
class OperatorSource {
  public:
    virtual ~OperatorSource() = default;
    /// Writes part of A_k of a term, which is l_i x l_j, column by column.
    virtual void left(std::size_t term, std::uint64_t k, const Rectangle& part, double* elements) const = 0;
    /// Writes part of B_k of a term, which is r_i x r_j, column by column.
    virtual void right(std::size_t term, std::uint64_t k, const Rectangle& part, double* elements) const = 0;
};

/// Patches and terms. Terms are sorted by (i, j); products are added in this order.
struct Target {
    PatchLayout layout;
    std::vector<Term> terms;
};

}  // namespace strata::superblock
