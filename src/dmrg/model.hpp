// SPDX-License-Identifier: BSD-3-Clause
// A Hamiltonian on sites in a row, as sums of products of operators of one or two sites,
//
//     H = sum_i h_i + sum_(i<j) c_ij (X_i Y_j [+ h.c.])
//
// whose products conserve two quantum numbers. Fermion operators are products over sites (Jordan, Wigner, Z. Phys. 47,
// 631 (1928)): with P the parity of a site, c+_i c_j = (a+ P)_i P_(i+1) ... P_(j-1) a_j for i < j. All numbers are real.
#pragma once

#include <compare>
#include <cstdint>
#include <string>
#include <vector>

#include "models/model.hpp"

namespace strata::dmrg {

/// Conserved quantum numbers, which add up over sites: particles with spin up and down; of spin models the sum of
/// m + S, and 0.
struct Charge {
    int up = 0, down = 0;

    friend auto operator<=>(const Charge&, const Charge&) = default;
    friend Charge operator+(Charge a, Charge b) { return {a.up + b.up, a.down + b.down}; }
    friend Charge operator-(Charge a, Charge b) { return {a.up - b.up, a.down - b.down}; }
};

/// A matrix of one site by its elements that are not 0.
struct SiteOperator {
    struct Element {
        int to, from;
        double value;
    };
    std::vector<Element> elements;
};

SiteOperator diagonal(const std::vector<double>& values);

/// A kind of product X_i Y_j of two sites, i < j. X adds `change` to the charge of its site and Y takes it away.
struct Channel {
    std::string name;
    Charge change;
    SiteOperator x, y;
    bool fermionic = false;  ///< sites between i and j count with their parity
    bool conjugate = false;  ///< H holds the Hermitian conjugate too; otherwise X and Y are symmetric
};

struct Coupling {
    int i = 0, j = 0;  ///< sites, i < j
    std::size_t channel = 0;
    double amplitude = 0;  ///< c_ij
};

/// An operator of one site that is diagonal in its states, and measured.
struct LocalOperator {
    std::string name, meaning;
    std::vector<double> values;  ///< [state]
};

/// A product X_i Y_j that is measured for pairs of sites.
struct PairOperator {
    std::string name, meaning;
    Channel channel;
    std::vector<double> on_site;  ///< [state] value of X Y on one site
};

struct Model {
    int sites = 0;
    std::vector<Charge> charges;     ///< [state] of a site
    std::vector<int> parities;       ///< [state] fermions modulo 2
    std::vector<std::string> names;  ///< [state]
    std::vector<Channel> channels;
    std::vector<Coupling> couplings;
    std::vector<std::vector<double>> energies;  ///< [site][state] h_i, diagonal
    Charge target;                              ///< of all sites together
    /// Turning all spins over, F = prod_i F_i with F_i |s> = flip_signs[s] |flips[s]>. Empty unless it commutes with H and
    /// leaves the target's charge as it is.
    std::vector<std::size_t> flips;
    std::vector<double> flip_signs;
    std::vector<LocalOperator> local;
    std::vector<PairOperator> pairs;

    std::size_t states() const { return charges.size(); }
    bool is_fermionic() const;
    /// The largest charge of a site. All combinations of components up to it are states of a site.
    Charge largest_charge() const;
    /// Charge of some sites after F.
    Charge flipped(Charge q, int of_sites) const;
};

/// What a site between those of a product of the channel contributes: its parity, or the identity.
SiteOperator factor_between(const Model& model, const Channel& channel);

/// A pair of sites that H couples, i < j: -t and V, or J and J_z, are -`hopping` and `weight`, or `hopping` and `weight`.
struct Bond {
    int i = 0, j = 0;
    double hopping = 0, weight = 0;
};

/// The pairs of sites that a lattice joins; bonds that it has several times, as around both sides of a cylinder of
/// circumference 2, are one with the sum of their strengths.
std::vector<Bond> bonds_of(const ModelConfig& config, const LatticeModel& model);

/// H = -sum hopping (c+_is c_js + h.c.) + weight n_i n_j + sum_i (U_i n_i,up n_i,down + e_i n_i). `u`, `potential`:
/// [site].
Model hubbard(const std::vector<Bond>& bonds, const std::vector<double>& u, const std::vector<double>& potential,
              Charge target);

/// H = sum hopping (S^x_i S^x_j + S^y_i S^y_j) + weight S^z_i S^z_j + sum_i (h_i S^z_i + D (S^z_i)^2). `field`: [site];
/// `raised`: sum of m + S of the target.
Model heisenberg(int twice_spin, const std::vector<Bond>& bonds, const std::vector<double>& field, double anisotropy,
                 int raised);

/// Product states of `sites` sites with this charge; numbers above 10^6 are cut off there.
std::uint64_t product_states(const Model& model, int sites, Charge q);

/// All charges between two, in both components.
struct ChargeRange {
    Charge lowest, highest;

    bool contains(Charge q) const {
        return lowest.up <= q.up && q.up <= highest.up && lowest.down <= q.down && q.down <= highest.down;
    }
};

/// Charges of the sites to the left of a bond that can belong to a state of the target.
ChargeRange reachable_charges(const Model& model, int bond);

}  // namespace strata::dmrg
