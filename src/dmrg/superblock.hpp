// SPDX-License-Identifier: BSD-3-Clause
// The Hamiltonian of an enlarged left and an enlarged right block as a target of the Kronecker multiply,
//
//     H = H_L x 1 + 1 x H_R + sum_channels sum_k (A_k x B_k [+ h.c.])
//
// The two sites at the centre act on product states of the enlarged blocks by moving parts of the wave function; their
// coupling is listed as copies and costs next to nothing.
//
// A patch is a label that both blocks have. The couplings of a channel between the blocks are gathered on the side with
// fewer sites: A_k = X_i, B_k = sum_j c_ij Y_j, or the other way round (complementary operators, T. Xiang, Phys. Rev. B
// 53, R10445 (1996)).
#pragma once

#include <vector>

#include "dmrg/block.hpp"
#include "kronecker/target.hpp"

namespace strata::dmrg {

class Superblock : public kronecker::OperatorSource {
  public:
    /// Of the blocks that end with the sites centre and centre + 1; they must outlive it.
    Superblock(const Model& model, int centre, const EnlargedBlock& left, const EnlargedBlock& right);

    const kronecker::Target& target() const { return target_; }
    /// Sectors of the left and right block of a patch.
    std::size_t left_sector(std::size_t patch) const { return left_sector_[patch]; }
    std::size_t right_sector(std::size_t patch) const { return right_sector_[patch]; }

    void left(std::size_t term, std::uint64_t k, const kronecker::Rectangle& part, double* elements) const override;
    void right(std::size_t term, std::uint64_t k, const kronecker::Rectangle& part, double* elements) const override;

  private:
    /// A product of operators of both blocks, as sums of those of sites.
    struct Product {
        std::vector<std::pair<const EnlargedOperator*, double>> left, right;
    };
    /// Matrices of a term, [k] in the direction in which the channel leads.
    struct Operators {
        const Matrix *left_hamiltonian = nullptr, *right_hamiltonian = nullptr;
        std::vector<Matrix> left, right;
        bool transposed = false;  ///< the channel leads to the higher patch, the term to the lower one
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
    kronecker::Target target_;
    std::vector<Operators> operators_;  ///< [term]
};

}  // namespace strata::dmrg
