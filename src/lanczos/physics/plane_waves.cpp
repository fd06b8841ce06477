// SPDX-License-Identifier: BSD-3-Clause
// Weights of sites for a wave vector, shared by structure factors, the momentum distribution and spectra; reported
// positions and wave vectors are computed from the same lattice.
#include "lanczos/physics/plane_waves.hpp"

#include <cmath>

namespace strata::lanczos {
namespace {

PlaneWave plane_wave(const Lattice& lattice, const std::vector<std::int64_t>& m, int sublattice) {
    PlaneWave wave{m, sublattice, {}};
    const double norm = 1 / std::sqrt(sublattice < 0 ? lattice.sites : lattice.sites / lattice.sublattices);
    for (int site = 0; site < lattice.sites; ++site) {
        const bool part = sublattice < 0 || lattice.sublattice[static_cast<std::size_t>(site)] == sublattice;
        wave.weight.push_back(part ? std::polar(norm, -lattice.phase(m, site)) : 0);
    }
    return wave;
}

}  // namespace

std::vector<PlaneWave> plane_waves(const Lattice& lattice, const std::vector<std::vector<std::int64_t>>& momenta,
                                   Sublattices sublattices) {
    std::vector<PlaneWave> waves;
    for (const auto& m : momenta) {
        if (sublattices == Sublattices::summed) waves.push_back(plane_wave(lattice, m, -1));
        for (int s = 0; sublattices == Sublattices::separate && s < lattice.sublattices; ++s)
            waves.push_back(plane_wave(lattice, m, s));
    }
    return waves;
}

Column intensity_column(const PlaneWave& wave) {
    if (wave.m.empty()) return {"intensity", "1/energy", "intensity of the spectrum"};
    Column column = member_column("momentum", "k", wave.m, "1/energy",
                                  "intensity for this wave vector, in units of 2 pi over the torus");
    column.array = "intensity" + suffix_of(wave.sublattice);
    column.name += suffix_of(wave.sublattice);
    return column;
}

Column with_ending(Column column, const std::string& ending) {
    for (std::string* name : {&column.name, &column.array})
        for (const std::string beginning :
             {"momentum-imaginary", "intensity-imaginary", "momentum", "intensity", "conductivity"})
            if (name->starts_with(beginning)) {  // what follows are numbers
                name->insert(beginning.size(), ending);
                break;
            }
    return column;
}

}  // namespace strata::lanczos
