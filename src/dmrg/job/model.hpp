// SPDX-License-Identifier: BSD-3-Clause
// A Hamiltonian on sites in a row, as sums of products of operators of one or two sites,
//
//     H = sum_i h_i + sum_(i<j) c_ij (X_i Y_j [+ h.c.]) + others
//
// where every term conserves the charges of the sites, and `others` are products of operators of any number of sites.
// Fermion operators are products over sites (Jordan, Wigner, Z. Phys. 47, 631 (1928)): with P the parity of a site,
// c+_i c_j = (a+ P)_i P_(i+1) ... P_(j-1) a_j for i < j. All numbers are real; a complex H acts on the real and the
// imaginary part of a state (terms.hpp).
#pragma once

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "dmrg/job/site_products.hpp"
#include "dmrg/job/terms.hpp"
#include "models/filling.hpp"

namespace strata::dmrg {

/// An operator pair: the two factors of the products X_i Y_j, i < j.
struct Channel {
    std::string name;
    SiteOperator x, y;
    bool fermionic = false;  ///< sites between i and j contribute their parity
    bool conjugate = false;  ///< H has the Hermitian conjugate, too; otherwise X and Y are symmetric
};

struct Coupling {
    int i = 0, j = 0;  ///< sites, i < j
    std::size_t channel = 0;
    double amplitude = 0;  ///< c_ij
};

/// A measured operator of one site that is diagonal in its states.
struct LocalOperator {
    std::string name, meaning;
    std::vector<double> values;  ///< [state]
};

/// A product X_i Y_j that is measured for all pairs of sites.
struct PairOperator {
    std::string name, meaning;
    Channel channel;
    std::vector<double> on_site;  ///< [state] value of X Y on one site
};

struct Model {
    int sites = 0;
    SiteKind kind = SiteKind::spins;
    Conserved conserved = Conserved::numbers;
    std::vector<Charge> charges;     ///< [state of a site]
    std::vector<int> parities;       ///< [state] fermions modulo 2
    std::vector<std::string> names;  ///< [state]
    std::vector<Channel> channels;
    std::vector<Coupling> couplings;
    std::vector<std::vector<double>> energies;  ///< [site][state] h_i, diagonal
    OperatorSum others;
    /// [n][site][state] the diagonal terms of single sites of V_n, the operators of a drive (terms.hpp), whose other terms are
    /// in `terms`. All else is that of H without them.
    std::vector<std::vector<std::vector<double>>> driven_energies;
    Terms terms;           ///< couplings and others, but diagonal terms of single sites, which are energies
    bool complex = false;  ///< whether states have an imaginary part, as those of a complex H
    /// Charge of all sites together.
    Charge target;
    /// Spin flip F = prod_i F_i with F_i |s> = flip_signs[s] |flips[s]>. Empty unless F commutes with H and conserves
    /// the charge of the target.
    std::vector<std::size_t> flips;
    std::vector<double> flip_signs;
    std::vector<LocalOperator> local;
    std::vector<PairOperator> pairs;

    std::size_t states() const { return charges.size(); }
    /// Number of states of the bond behind the last site: the real and the imaginary part of a complex state.
    std::uint64_t end_states() const { return complex ? 2 : 1; }
    /// Gives states an imaginary part. Their parity under the spin flip is not measured.
    void become_complex() {
        complex = true;
        flips.clear();
        flip_signs.clear();
    }
    /// The largest charge of a site. All combinations of components up to it are states of a site, but where a site holds
    /// one electron.
    Charge largest_charge() const;
    /// Charge after the spin flip of `of_sites` sites that have the charge q.
    Charge flipped(Charge q, int of_sites) const;
};

/// The factor of a site between two factors of a product: its parity between fermionic operators, or the identity.
SiteOperator factor_between(const Model& model, bool fermionic);

/// A pair of sites that H couples, i < j, in units of energy:
///
///     particles   amplitude -`hopping` (t = hopping), `weight` V
///     t-J         the same with `weight` V - J/4, and `exchange` J
///     spins       `hopping` (J^x + J^y) / 2, `weight` J^z
struct Bond {
    int i = 0, j = 0;
    double hopping = 0, weight = 0;
    double exchange = 0;
};

/// The pairs of sites that a lattice or a term connects. Multiple bonds of a pair, as around a cylinder of circumference
/// 2, become one bond with the sum of their amplitudes; `others`: terms that bonds do not hold.
std::vector<Bond> bonds_of(const ModelConfig& config, const LatticeModel& model, const OperatorSum& others);

/// A product in the states of the sites.
std::vector<Terms::Factor> factors_of(const Model& model, const SiteProduct& product);

/// Whether a product is a diagonal operator of one site or a number, which Model::energies hold.
bool is_energy_of_site(const OperatorProduct& product);

/// The imaginary parts of the amplitudes a of a lattice's edges, as terms beside bonds_of(): -i Im(a) c+_to c_from + h.c., of
/// spins i Im(a) (J^x + J^y) / 4 S+_to S-_from + h.c.
OperatorSum imaginary_hops(const ModelConfig& config, const LatticeModel& model);

/// H = -sum hopping (c+_is c_js + h.c.) + weight n_i n_j + sum_i (U_i n_i,up n_i,down + e_i n_i). `u`, `potential`:
/// [site]; `others`: terms that are added, which conserve what the filling names.
Model hubbard(const std::vector<Bond>& bonds, const std::vector<double>& u, const std::vector<double>& potential,
              const Filling& filling, const OperatorSum& others = {});

/// The same with hopping and weight alone on sites that hold one electron, + sum exchange S_i . S_j.
Model t_j(const std::vector<Bond>& bonds, const std::vector<double>& potential, const Filling& filling,
          const OperatorSum& others = {});

/// H = -sum hopping (c+_i c_j + h.c.) + weight n_i n_j + sum_i e_i n_i of fermions without spin or hard-core bosons.
Model particles(SiteKind kind, const std::vector<Bond>& bonds, const std::vector<double>& potential,
                const Filling& filling, const OperatorSum& others = {});

/// H = sum hopping (S^x_i S^x_j + S^y_i S^y_j) + weight S^z_i S^z_j + sum_i (h_i S^z_i + D (S^z_i)^2). `field`: [site];
/// `filling` and `others` as those of electrons.
Model heisenberg(int twice_spin, const std::vector<Bond>& bonds, const std::vector<double>& field, double anisotropy,
                 const Filling& filling, const OperatorSum& others = {});
/// What these functions do at their end: sets charges and target by what is conserved, makes the terms, and removes the
/// spin flip where some term does not commute with it, or H is complex. Throws Error(bad_input) for terms of an odd number
/// of fermion operators.
void complete(const Filling& filling, const OperatorSum& others, Model& model);

/// Adds an operator V_n of a drive, which conserves the charges of the model. A complex one makes the model complex. Throws as
/// complete().
void add_driven(const OperatorSum& v, Model& model);

/// The charge of all states of a sector.
Charge target_of(const Filling& filling, int sites);

/// Number of product states of `sites` sites with this charge, but at most 10^6.
std::uint64_t product_states(const Model& model, int sites, Charge q);

/// All charges between two limits, in every component and in the sum of `up` and `down`.
struct ChargeRange {
    Charge lowest, highest;
    int fewest = 0, most = std::numeric_limits<int>::max();

    bool contains(Charge q) const {
        return lowest.up <= q.up && q.up <= highest.up && lowest.down <= q.down && q.down <= highest.down &&
               lowest.parity <= q.parity && q.parity <= highest.parity && fewest <= q.up + q.down &&
               q.up + q.down <= most;
    }
};

/// Charges of the sites to the left of a bond that can belong to a state of the target, and no others: both blocks at a
/// bond have the same.
ChargeRange reachable_charges(const Model& model, int bond);

}  // namespace strata::dmrg
