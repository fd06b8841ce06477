// SPDX-License-Identifier: BSD-3-Clause
// The Hamiltonian of an enlarged left and an enlarged right block as a target of the Kronecker multiply,
//
//     H = H_L x 1 + 1 x H_R + sum_channels sum_k (A_k x B_k [+ h.c.])
//
// The operators of the two centre sites map product states of the enlarged blocks to product states; their coupling is
// therefore a sum of scaled copies of parts of the wave function, which cost little.
//
// A patch is a charge that both blocks have. The couplings of one operator pair between the blocks are summed on one
// side, so that there is one product per site of the side with fewer sites: A_k = X_i, B_k = sum_j c_ij Y_j, or the
// other way round (complementary operators, T. Xiang, Phys. Rev. B 53, R10445 (1996)).
#pragma once

#include <vector>

#include "dmrg/state/block.hpp"
#include "superblock/target.hpp"

namespace strata::dmrg {

class Superblock : public superblock::OperatorSource {
  public:
    /// `left` and `right`: the blocks that end with the sites centre and centre + 1; they must outlive the object.
    Superblock(const Model& model, int centre, const EnlargedBlock& left, const EnlargedBlock& right);

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
    /// Matrices of a term, [k], in the direction in which the operator pair changes the charge.
    struct Operators {
        const Matrix *left_hamiltonian = nullptr, *right_hamiltonian = nullptr;
        std::vector<Matrix> left, right;
        bool transposed = false;  ///< the matrices lead to the higher patch, the term to the lower one
    };

    std::vector<Product> products_of(const Model& model, std::size_t channel) const;
    bool is_of_centre(const Coupling& c) const { return c.i == centre_ && c.j == centre_ + 1; }
    void add_copies(const Coupling& c, Charge change, std::size_t i, std::size_t j);
    void add_terms(const Model& model, std::size_t patch);
    void add_channel(const std::vector<Product>& products, Charge change, std::size_t i, std::size_t j);

    const int centre_;
    const EnlargedBlock &left_, &right_;
    std::vector<std::size_t> left_sector_, right_sector_;  ///< [patch]
    std::vector<std::vector<Product>> products_;           ///< [channel]
    superblock::Target target_;
    std::vector<Operators> operators_;  ///< [term]
};

}  // namespace strata::dmrg
