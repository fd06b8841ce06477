// SPDX-License-Identifier: BSD-3-Clause
// Models of electrons, of fermions without spin, and of spins on a lattice, as the sections [lattice], [model] and
// [sector] declare them (keys.hpp). With edges (i, j) of amplitude a and weight w, n = n_up + n_down and S = sigma / 2:
//
//     electrons   H = - sum_(i,j),s (a c+_js c_is + h.c.) + V sum w n_i n_j + sum_i (U_i n_i,up n_i,down + e_i n_i)
//     fermions    the same with one spin component
//     t-J         P (- sum_(i,j),s (a c+_js c_is + h.c.) + sum w (J S_i . S_j + (V - J/4) n_i n_j) + sum_i e_i n_i) P
//                 on the states without doubly occupied sites, on which P projects
//     spins       H = sum_(i,j) a (J^x S^x_i S^x_j + J^y S^y_i S^y_j) + w J^z S^z_i S^z_j
//                     + sum_i (h_i . S_i + D (S^z_i)^2)
//
// where a of electrons includes t; the terms of a file (terms.hpp) are added. Applications make their own form of H
// from a LatticeModel.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "models/lattice.hpp"
#include "models/terms.hpp"
#include "strata/choices.hpp"
#include "strata/config.hpp"

namespace strata {

enum class ModelType { hubbard, fermions, t_j, heisenberg, xxz, xyz, xx, ising, dipolar, double_quantum, terms };
inline constexpr Choice<ModelType> model_choices[] = {
    {"hubbard", ModelType::hubbard}, {"fermions", ModelType::fermions},
    {"t-j", ModelType::t_j},         {"heisenberg", ModelType::heisenberg},
    {"xxz", ModelType::xxz},         {"xyz", ModelType::xyz},
    {"xx", ModelType::xx},           {"ising", ModelType::ising},
    {"dipolar", ModelType::dipolar}, {"double-quantum", ModelType::double_quantum},
    {"terms", ModelType::terms}};

enum class Axis { x, y, z };
inline constexpr std::array<Axis, 3> all_axes = {Axis::x, Axis::y, Axis::z};
constexpr std::size_t index_of(Axis axis) { return static_cast<std::size_t>(axis); }
inline constexpr Choice<Axis> axis_choices[] = {{"x", Axis::x}, {"y", Axis::y}, {"z", Axis::z}};

/// The values of [lattice] and [model].
struct ModelConfig {
    LatticeSpec lattice;
    ModelType model = ModelType::hubbard;
    bool couples = true;                           ///< whether couplings are given or follow from the model
    int twice_spin = 1;                            ///< 2 S
    std::vector<double> u = {0}, potential = {0};  ///< one for all sites, or one per site
    double v = 0;                                  ///< interaction V of nearest neighbours
    Vector3 coupling = {0, 0, 0}, second_coupling = {0, 0, 0};     ///< J^x, J^y, J^z of the shells of neighbours
    std::array<std::vector<double>, 3> field = {{{0}, {0}, {0}}};  ///< [axis], one for all sites, or one per site
    double anisotropy = 0;                                         ///< D
    double disorder = 0;                                           ///< random fields from -disorder to disorder
    Axis disorder_axis = Axis::z;
    std::uint64_t disorder_seed = 1;
    TermSums terms;  ///< added to the model; of sites 0 if there are none

    SiteKind kind() const {
        if (model == ModelType::terms) return terms.kind;
        if (model == ModelType::hubbard || projected()) return SiteKind::electrons;
        return model == ModelType::fermions ? SiteKind::fermions : SiteKind::spins;
    }
    /// Whether sites hold at most one electron, on whose states all operators are projected.
    bool projected() const { return model == ModelType::t_j; }
    bool spins() const { return kind() == SiteKind::spins; }
    /// Number of spin components: 2 for electrons, 1 for other sites.
    int components() const { return kind() == SiteKind::electrons ? 2 : 1; }
    /// J^x, J^y, J^z that the edges of a shell are factors of.
    Vector3 coupling_of(Shell shell) const {
        if (shell == Shell::term) return {1, 1, 1};
        return shell == Shell::first ? coupling : second_coupling;
    }
};

/// A lattice, and the values of a model per site and edge.
struct LatticeModel {
    Lattice lattice;
    std::vector<double> u, potential;          ///< [site]
    std::array<std::vector<double>, 3> field;  ///< [axis][site], with disorder
    std::vector<Vector3> exchange;             ///< [edge] J^x, J^y, J^z of spins; J^z that of t-J, which terms have not
    double v = 0;                              ///< factor of the edges' weights, of electrons and fermions
    OperatorSum others;                        ///< terms of model.terms that sites and edges do not hold
};

/// Limits of an application: its largest number of sites, whether amplitudes of the lattice and of terms may be
/// complex, and terms that it takes.
struct ModelLimits {
    int max_sites = 64;
    Amplitudes amplitudes = Amplitudes::complex;
    double max_energy = 1e9;  ///< largest coefficient of a term
    TermSet terms = TermSet::sites_and_edges;
    Amplitudes term_amplitudes = amplitudes;
};

/// Resolves [lattice] and [model] from a Config whose values each have their type and lie in their range; keys that the
/// application does not declare have their defaults. Throws Error(bad_input) for couplings that contradict each other.
ModelConfig resolve_model(const Config& config, const ModelLimits& limits);

/// Builds the lattice and expands the model to values per site and edge. Throws Error(bad_input) as make_lattice does,
/// for lists of a wrong length, and for couplings that are not finite.
LatticeModel make_lattice_model(const ModelConfig& config);

/// One sentence for each list of [model] of a wrong length: values of sites that are neither one nor one per site, and
/// more hoppings or fluxes than lattice.type has amplitudes or directions.
std::vector<std::string> length_errors(const Config& config, int sites);

/// Throws Error(bad_input) for a model whose couplings are free if none of them is given: H would be 0 unnoticed.
void require_couplings(const ModelConfig& config);

}  // namespace strata
