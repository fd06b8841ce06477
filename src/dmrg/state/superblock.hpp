// SPDX-License-Identifier: BSD-3-Clause
// The Hamiltonian of an enlarged left and an enlarged right block as a target of the Kronecker multiply,
//
//     H = H_L x 1 + 1 x H_R + sum_groups sum_k (A_k x B_k [+ h.c.])
//
// with the groups of Terms::crossing(), and likewise of H(t) = H + sum_n f_n V_n for given numbers f_n. The operators of the
// two centre sites map product states of the enlarged blocks to product states; their terms are therefore sums of scaled
// copies of parts of the wave function, which cost little. Where one of the two is a block without a further site, as in the
// backward steps of a time evolution, they are products of matrices as well. A patch is a charge that both blocks have.
#pragma once

#include <vector>

#include "dmrg/state/block.hpp"
#include "superblock/target.hpp"

namespace strata::dmrg {

class Superblock : public superblock::OperatorSource {
  public:
    /// `left` and `right`: the blocks that end with the sites centre and centre + 1; they must outlive the object.
    /// `numbers`: f_n of a drive.
    Superblock(const Model& model, int centre, const EnlargedBlock& left, const EnlargedBlock& right,
               DriveNumbers numbers = {});

    const superblock::Target& target() const { return target_; }
    /// Sectors of a patch in the left and the right block.
    std::size_t left_sector(std::size_t patch) const { return left_sector_[patch]; }
    std::size_t right_sector(std::size_t patch) const { return right_sector_[patch]; }

    void left(std::size_t term, std::uint64_t k, const superblock::Rectangle& part, double* elements) const override;
    void right(std::size_t term, std::uint64_t k, const superblock::Rectangle& part, double* elements) const override;

  private:
    /// A product of an operator of each block; both are weighted sums of operators of sites.
    struct Product {
        std::vector<std::pair<const EnlargedOperator*, double>> left, right;
    };
    /// Matrices of a term, [k].
    struct Operators {
        const Matrix *left_hamiltonian = nullptr, *right_hamiltonian = nullptr;
        std::vector<Matrix> left, right;
        std::vector<bool> transposed;  ///< whether the matrices lead to the higher patch, and the term to the lower one
    };
    /// The products of a group of terms.
    struct Group {
        Charge change;
        bool conjugate = false;
        std::size_t order = 0;
        std::vector<Product> products;
    };

    Group group_of(const CrossingGroup& crossing) const;
    Group group_of(const Model& model, const Term& of_centre, DriveNumbers numbers) const;
    bool copies_terms_of_centre() const { return left_.has_site && right_.has_site; }
    void add_terms(const Model& model, std::size_t patch, DriveNumbers numbers);
    /// Calls f(transposed) for both directions in which an operator that changes the charge leads between patches i <= j:
    /// its elements from j to i, and as the transpose of those from i to j its conjugate's.
    template <class F>
    void for_directions(Charge change, bool conjugate, std::size_t i, std::size_t j, F f) const;
    void add_group(const Group& group, std::size_t i, std::size_t j);
    void add_copies(const Term& term, double amplitude, Charge change, std::size_t i, std::size_t j);

    const int centre_;
    const EnlargedBlock &left_, &right_;
    std::vector<Matrix> driven_left_, driven_right_;       ///< [sector] H_L and H_R of a drive; empty without
    std::vector<std::size_t> left_sector_, right_sector_;  ///< [patch]
    std::vector<Group> groups_;
    superblock::Target target_;
    std::vector<Operators> operators_;  ///< [term]
};

}  // namespace strata::dmrg
