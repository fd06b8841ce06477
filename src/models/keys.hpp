// SPDX-License-Identifier: BSD-3-Clause
// The keys of [lattice], [model] and [sector]: declared once, so that they mean the same in every application. Each
// application names the lattices and models that it takes.
#pragma once

#include <string>
#include <vector>

#include "strata/config.hpp"

namespace strata {

/// Fields along x and y, which change the total S^z.
enum class TransverseFields { no, yes };

/// Bonds with complex amplitudes, and phases around the torus.
enum class Fluxes { no, yes };

/// What an application takes.
struct ModelOffer {
    std::vector<std::string> lattices, models;  ///< choices of lattice.type and model.type
    std::string default_lattice, default_model;
    std::vector<std::string> spins = {"0.5"};
    TransverseFields transverse = TransverseFields::no;
    Fluxes fluxes = Fluxes::no;
    std::string default_u = "0";  ///< empty: model.u must be given
    double max_energy = 1e9;      ///< of a parameter: larger ones leave too few digits to the others
};

/// The types of periodic lattices made of unit cells, and of those of two dimensions.
std::vector<std::string> periodic_lattices();
std::vector<std::string> planar_lattices();
/// All types that are made of unit cells, the open chain among them.
std::vector<std::string> cell_lattices();
/// Those of `types` whose positions lattice.type = all can take its distances from.
std::vector<std::string> distance_lattices(const std::vector<std::string>& types);

std::vector<Key> lattice_keys(const ModelOffer& offer);
std::vector<Key> model_keys(const ModelOffer& offer);
/// sector.up, sector.down and sector.sz.
std::vector<Key> filling_keys(const ModelOffer& offer);

}  // namespace strata
