// SPDX-License-Identifier: BSD-3-Clause
// The states of fixed particle numbers, as a direct sum of subspaces of bit strings, and the sizes of all tables of a sector
// from binomials alone: nothing is built, so a sector of any size is described and checked at once.
// Two spin components: one subspace, bit strings of up particles times bit strings of down particles, H = H_up x 1 + 1 x H_down + coupling
// (Siro & Harju). One spin component: its sites are cut into a left half (down bit strings) and an right half (up bit strings); there
// is a subspace for every number of particles in the right half, within which H has the same form, and particles that
// hop from half to half lead from one subspace to the next: sum_i c+_i x (sum_j t_ij c_j) and its inverse.
#pragma once

#include <vector>

#include "lanczos/hamiltonian.hpp"
#include "strata/partition.hpp"

namespace strata::lanczos {

/// One subspace of bit strings.
struct SubspaceCounts {
    Combinations up, down;
    std::uint64_t up_entries, down_entries;  ///< hops listed for each
};

/// Hops of one spin component from subspace `from` to subspace `to`.
struct SubspaceHopCounts {
    std::size_t from = 0, to = 0;
    std::vector<int> sites;              ///< of the right half that take part
    std::vector<std::uint64_t> entries;  ///< [site that takes part] hops listed between down bit strings
};

class SectorCounts {
  public:
    /// Of one spin component, `up` particles. Throws Error(does_not_fit) if a spin components, or a half of the lattice, has more
    /// bit strings than 32 bits hold beside the class of an amplitude.
    SectorCounts(Model model, int up, int down);

    const Model& model() const { return model_; }
    const AmplitudeTable& amplitudes() const { return amplitudes_; }
    const std::vector<SubspaceCounts>& subspace_counts() const { return subspace_counts_; }
    const std::vector<SubspaceHopCounts>& subspace_hop_counts() const { return subspace_hop_counts_; }
    /// The hops within the up bit strings.
    const Model& up_model() const { return up_model_; }

    BlockLayout layout(std::size_t subspace, Arithmetic arithmetic, int ranks, int rank) const;
    /// Interaction of up and down bit strings, within all subspaces.
    CouplingView coupling() const;

    int up_sites() const { return up_model_.lattice.sites; }  ///< of the bit strings
    int down_sites() const { return down_model_.lattice.sites; }

    double dimension() const;
    /// Off the diagonal, of the whole matrix.
    double nonzeros() const;
    /// Of the tables of a Sector.
    std::uint64_t table_bytes() const;
    /// What is taken off the diagonal for the recurrence; energies are eigenvalues of the rest plus offset().
    double offset() const { return shift_ + model_.constant; }
    /// No energy lies below, nor above: crude bounds from the sizes of all terms.
    double lower_bound() const;
    double upper_bound() const;

  protected:
    const Model& down_model() const { return down_model_; }
    double shift() const { return shift_; }
    /// Site of the right half that a hop (to, from) begins or ends on if it leads from half to half and the right half
    /// gains, or loses, a particle by it; -1 for others.
    int right_site(std::pair<int, int> hop, bool gains) const;
    /// Its other site.
    static int left_site(std::pair<int, int> hop, bool gains) { return gains ? hop.second : hop.first; }

  private:
    void count_subspace(int up, int down);
    void count_subspace_hops(std::size_t from, std::size_t to);

    Model model_, up_model_, down_model_;
    AmplitudeTable amplitudes_;
    std::vector<SubspaceCounts> subspace_counts_;
    std::vector<SubspaceHopCounts> subspace_hop_counts_;
    std::vector<double> coupling_;  ///< [up site][down site]
    double shift_ = 0;
};

}  // namespace strata::lanczos
