// SPDX-License-Identifier: BSD-3-Clause
// The target Hamiltonian of a superblock as a symmetric block matrix over patches,
//
//     Y_I += sum_J C_IJ X_J,    C_IJ X_J = sum_k B_k X_J A_k^T,
//
// with A_k (l_I x l_J) of the left block and B_k (r_I x r_J) of the right one. Only terms with I <= J are listed: C_JI is
// the transpose of C_IJ, and in a term on the diagonal every A_k and B_k is symmetric. Whoever owns the operators, a
// random generator, a file or a density-matrix renormalization, derives from OperatorSource.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "kronecker/patches.hpp"

namespace strata::kronecker {

/// Which particle numbers a block connects: changes by one of one kind of particle, or also of both (a Moore
/// neighbourhood).
enum class Rule { axis, moore };

/// A rectangle of a matrix.
struct Rectangle {
    Range rows, columns;
    std::uint64_t size() const { return rows.size() * columns.size(); }
};

/// Part of a patch of X, which begins at a row and a column, times a factor: what Y has more in the rectangle `to`, whose
/// shape it has. Products of operators of single sites are such copies.
struct PatchCopy {
    Rectangle to;
    std::uint64_t from_row = 0, from_column = 0;
    double factor = 1;
};

/// Terms of C between two patches, i <= j. A pair of patches may have several, e.g. operators of the left block alone
/// (whose right factor is the identity) beside those of both. A factor is the identity only on the diagonal, with K = 1.
struct Term {
    std::size_t i = 0, j = 0;
    std::uint64_t operators = 1;  ///< K
    Factor left = Factor::dense, right = Factor::dense;
    /// Instead of operators, with K = 1 and identities as factors: Y_I has these copies of parts of X_J, which do not
    /// overlap in Y_I nor in X_J.
    std::vector<PatchCopy> copies = {};
    bool diagonal() const { return i == j; }
};

/// Terms of every pair of patches that the rule connects, in the order of (i, j).
std::vector<Term> terms_of_rule(const std::vector<Patch>& patches, Rule rule, std::uint64_t operators);

/// Gives the elements of operators, always the same ones; called by several threads at once, not for identities.
class OperatorSource {
  public:
    virtual ~OperatorSource() = default;
    /// Part of A_k of a term, which is l_i x l_j, column by column.
    virtual void left(std::size_t term, std::uint64_t k, const Rectangle& part, double* elements) const = 0;
    /// Part of B_k of a term, which is r_i x r_j, column by column.
    virtual void right(std::size_t term, std::uint64_t k, const Rectangle& part, double* elements) const = 0;
};

/// Patches and terms; the order of terms is that of (i, j), which sums keep.
struct Target {
    PatchLayout layout;
    std::vector<Term> terms;
};

}  // namespace strata::kronecker
