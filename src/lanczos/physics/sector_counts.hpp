// SPDX-License-Identifier: BSD-3-Clause
// The basis states of a sector as a direct sum of subspaces, each a tensor product of up and down bit
// strings, and the sizes of all tables from binomial coefficients: nothing is built, so that a sector of any size is
// described and checked at once.
//
// Two spin components (Siro & Harju): one subspace, H = H_up x 1 + 1 x H_down + interaction. One spin component: the
// lattice is cut into a left half (sites 0 .. n/2 - 1, the down bit strings) and a right half (the other sites, the up
// bit strings). There is a subspace for every number k of particles in the right half, within which H has the same
// form; particles that hop between the halves lead from k to k + 1 or k - 1: sum_i c+_i x (sum_j t_ij c_j) and its
// inverse.
//
//     site        0 1 2 | 3 4 5            N = 3:   k = 0   k = 1   k = 2   k = 3      subspaces
//                 left  | right                        <->     <->     <->            hopping between them
//                 down    up
//
// Where H has other terms than hops and energies, their parts on one factor belong to H_up and H_down, and the rest is
// sum_R R x C_R (split_terms.hpp), which has the same form as hopping between subspaces: R leads from row to row, and C_R
// is a matrix between columns. What H conserves gives the subspaces:
//
//     numbers     as above
//     particles   of two spin components: every number k of spins up, with N - k down; spin: with k - (N_up - N_down)
//     parity      even and odd up bit strings, with those of the other factor that the parity leaves
//     nothing     one subspace of all bit strings
//
// Coded sites (coded_strings.hpp) are cut into halves, too, electrons with both spins of a site in one half. There is a
// subspace for every charge of the right half: both numbers of its electrons, or the one number that is conserved.
//
// A sum of products that changes a conserved number acts on the subspaces of two sectors together, as terms between
// them.
//
// In a sector of lattice symmetries: one subspace, by orbits, and no halves (symmetric_sector.hpp).
#pragma once

#include <optional>
#include <vector>

#include "lanczos/physics/hamiltonian.hpp"
#include "lanczos/physics/symmetric_sector.hpp"
#include "models/filling.hpp"
#include "strata/partition.hpp"

namespace strata::lanczos {

/// One subspace: its bit strings and the entries of its hopping matrices.
struct SubspaceCounts {
    BitStrings up, down;
    std::uint64_t up_entries, down_entries;  ///< entries of the two hopping matrices
};

/// sum_R R x C_R from subspace `from` to subspace `to`: hopping between the halves of the lattice, or other terms.
struct SubspaceHopCounts {
    enum class Kind { between_halves, others };
    std::size_t from = 0, to = 0;
    Kind kind = Kind::others;
    std::vector<RowTerm> rows = {};           ///< R with C_R; of hops between the halves one for each right site
    std::vector<std::uint64_t> entries = {};  ///< [row term] number of entries of C_R
    std::uint64_t left_entries = 0;           ///< between halves: entries of D_j of all left sites j (left_hops.hpp)
};

class SectorCounts {
  public:
    /// One spin component has `up` particles. Throws Error(does_not_fit) if a tensor factor has more bit strings than
    /// the 32 bits of an entry hold beside the class of an amplitude.
    SectorCounts(Model model, const Filling& filling) : SectorCounts(std::move(model), std::vector{filling}) {}
    SectorCounts(Model model, int up, int down) : SectorCounts(std::move(model), Filling{up, down}) {}
    /// The subspaces of several sectors of one kind, for a model whose products all lead from one to another. Energies
    /// and bounds are those of the first.
    SectorCounts(Model model, const std::vector<Filling>& fillings);
    /// The sector of a group that leaves the model unchanged. Throws as the other constructors.
    SectorCounts(Model model, const Filling& filling, std::shared_ptr<const SymmetryGroup> group,
                 const SymmetricLayout& layout);

    const Model& model() const { return model_; }
    const Filling& filling() const { return filling_; }
    /// Whether all hops are those of particles whose numbers are conserved, within subspaces and between halves.
    bool hops_alone() const {
        return filling_.conserved == Conserved::numbers && model_.others.empty() && !model_.codes.coded();
    }
    const AmplitudeTable& amplitudes() const { return amplitudes_; }
    const std::vector<SubspaceCounts>& subspace_counts() const { return subspace_counts_; }
    const std::vector<SubspaceHopCounts>& subspace_hop_counts() const { return subspace_hop_counts_; }
    /// The terms of the model that act on the up bit strings alone.
    const Model& up_model() const { return up_model_; }
    /// Terms beside those of the models that act on one factor alone.
    const std::vector<BitTerm>& up_terms() const { return terms_.up; }
    const std::vector<BitTerm>& down_terms() const { return terms_.down; }

    /// Sizes by orbits; empty without lattice symmetries.
    const std::optional<SymmetricCounts>& symmetric() const { return symmetric_; }
    bool computes_hops() const { return symmetric_ && symmetric_->computes_hops; }
    BlockLayout layout(std::size_t subspace, Arithmetic arithmetic, int ranks, int rank) const;
    /// Interaction between up and down bit strings, the same in all subspaces.
    CouplingView coupling() const;

    /// Numbers of bits of the up and the down bit strings.
    int up_sites() const { return up_model_.lattice.sites; }
    int down_sites() const { return down_model_.lattice.sites; }

    double dimension() const;
    /// Entries of H_up and R of all rows.
    std::uint64_t up_entries() const;
    /// Number of non-zero elements off the diagonal of H; with symmetries an estimate.
    double nonzeros() const;
    /// Memory of the tables of a Sector.
    std::uint64_t table_bytes(Arithmetic arithmetic) const;
    /// Energies are offset() plus eigenvalues of the matrix that the recurrence uses, whose diagonal is shifted.
    double offset() const { return shift_ + model_.constant + constant(); }
    /// Uniform site energy of all particles together and the constant of the terms, common to all states of the sector.
    double constant() const { return constant_; }
    /// Bounds of all energies, from the sizes of the terms that act in the sector.
    double lower_bound() const { return kept(lower_bound_, -1); }
    double upper_bound() const { return kept(upper_bound_, 1); }

  protected:
    const Model& down_model() const { return down_model_; }
    double shift() const { return shift_; }

  private:
    /// Site in the right half, counted from its first one, of a hop (to, from) between the halves by which the right
    /// half gains, or loses, a particle; -1 for other hops.
    int right_site(std::pair<int, int> hop, bool gains) const;
    /// The site of such a hop in the left half.
    static int left_site(std::pair<int, int> hop, bool gains) { return gains ? hop.second : hop.first; }
    int left_sites() const { return model_.lattice.sites / 2; }
    void split_terms(const OperatorSum& others, OneFactor one_factor = OneFactor::apart);
    void take_coupling();
    void add_subspaces(const std::vector<Filling>& fillings);
    double bound(double sign) const;
    /// The bound of this sign, which is computed once: every step asks for it.
    double kept(std::optional<double>& bound_of_sign, double sign) const {
        if (!bound_of_sign) bound_of_sign = bound(sign);
        return *bound_of_sign;
    }
    void count_subspace_hops(std::size_t from, std::size_t to);
    void count_row_terms();

    Model model_;
    Filling filling_;  ///< with one spin component all particles are `up`
    Model up_model_, down_model_;
    AmplitudeTable amplitudes_;
    SplitTerms terms_;
    std::vector<SubspaceCounts> subspace_counts_;
    std::vector<SubspaceHopCounts> subspace_hop_counts_;
    std::vector<double> coupling_;  ///< [up bit][down bit]
    double shift_ = 0, constant_ = 0;
    mutable std::optional<double> lower_bound_, upper_bound_;
    std::optional<SymmetricCounts> symmetric_;
};

}  // namespace strata::lanczos
