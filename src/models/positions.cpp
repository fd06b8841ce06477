// SPDX-License-Identifier: BSD-3-Clause
// Lists over sites are coordinates of the axis "site", lists over wave vectors of the axis "k".
#include "models/positions.hpp"

namespace strata {

std::vector<Quantity> position_results(const Lattice& lattice, const std::vector<std::vector<std::int64_t>>& momenta) {
    std::vector<Quantity> sites, waves;
    for (std::size_t axis = 0; axis < lattice.torus.size(); ++axis) {
        const std::string name = axis == 0 ? "x" : "y";
        const std::string where = lattice.positions_unknown()
                                      ? "of each site, which lies at the corner of its cell: lattice.cell-positions "
                                        "was not given"
                                      : "position of each site, Cartesian";
        sites.push_back(Quantity{"site-" + name, "lattice constant", where, {}}.coordinate_of("site"));
        waves.push_back(Quantity{
            "wave-vector-" + name,
            "1/lattice constant",
            "Cartesian, in the order of all lists over wave vectors",
            {}}.coordinate_of("k"));
        for (int site = 0; site < lattice.sites; ++site)
            sites.back().value.push_back(lattice.cartesian_position(site)[axis]);
        for (const auto& m : momenta) waves.back().value.push_back(lattice.cartesian_wave_vector(m)[axis]);
    }
    sites.insert(sites.end(), waves.begin(), waves.end());
    return sites;
}

}  // namespace strata
