// SPDX-License-Identifier: BSD-3-Clause
// The keys of [lattice], [model] and [sector]: declared once, so that they mean the same in every application. Each
// application names the lattices and models that it takes.
#pragma once

#include <string>
#include <vector>

#include "models/unit_cell.hpp"
#include "strata/config.hpp"

namespace strata {

/// Bonds with complex amplitudes, and phases around the torus.
enum class Fluxes { no, yes };

/// Lattices, models and parameters that an application supports.
struct ModelOffer {
    std::vector<std::string> lattices, models;  ///< choices of lattice.type and model.type
    std::string default_lattice, default_model;
    std::vector<std::string> spins = {"0.5"};  ///< choices of model.spin
    Fluxes fluxes = Fluxes::no;
    std::string default_u = "0";  ///< empty: model.u must be given
    double max_energy = 1e9;      ///< largest parameter in units of energy: larger ones leave the others too few digits
};

/// Words of the types of lattices for which this is true, in the order of lattice_types().
std::vector<std::string> lattices_that(bool (*is_one)(const LatticeType&));
/// The words with some of them, `first`, before all others.
std::vector<std::string> put_first(const std::vector<std::string>& first, const std::vector<std::string>& words);
/// Types of periodic lattices made of unit cells, and the two-dimensional ones among them.
std::vector<std::string> periodic_lattices();
std::vector<std::string> planar_lattices();
/// All types that are made of unit cells: the periodic ones and the open chain.
std::vector<std::string> cell_lattices();
/// Lattices that can give the positions, and so the distances, of lattice.type = all, and those among `types`.
std::vector<std::string> distance_lattices();
std::vector<std::string> distance_lattices(const std::vector<std::string>& types);

/// Keys of the sections [lattice] and [model] that apply to the offered lattices and models.
std::vector<Key> lattice_keys(const ModelOffer& offer);
std::vector<Key> model_keys(const ModelOffer& offer);
/// The keys of what H conserves, where they apply.
std::vector<Key> filling_keys(const ModelOffer& offer);

}  // namespace strata
