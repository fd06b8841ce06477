// SPDX-License-Identifier: BSD-3-Clause
// Spins become hard-core bosons, S+ = b+, Sz = n - 1/2.
#include "lanczos/physics/make_model.hpp"

#include <algorithm>
#include <numbers>
#include <utility>

namespace strata::lanczos {

Model make_model(const LanczosConfig& c) {
    LatticeModel from = make_lattice_model(c);
    Model m;
    m.u = std::move(from.u);
    m.v = from.v;
    m.kind = c.kind();
    m.spin_components = c.components();
    m.others = other_terms(c, from);
    // a uniform site energy shifts the spectrum and must not count as a scale of energies, so it is stored apart
    std::vector<double> energies = c.spins() ? from.field[index_of(Axis::z)] : std::move(from.potential);
    const bool uniform = std::ranges::count(energies, energies[0]) == std::ranges::ssize(energies);
    m.site_energy = uniform ? energies[0] : 0;
    m.epsilon = uniform ? std::vector<double>(energies.size(), 0.0) : energies;
    if (c.spins()) {
        // (S+ S- + h.c.) (Jx + Jy) / 4 moves a spin up, Sz Sz = n n - (n + n) / 2 + 1/4, h Sz = h n - h / 2
        m.v = 1;
        for (std::size_t i = 0; i < from.lattice.edges.size(); ++i) {
            Edge& e = from.lattice.edges[i];
            const auto& [jx, jy, jz] = c.coupling_of(e.shell);
            e.amplitude *= -(jx + jy) / 4;
            e.weight = from.exchange[i][2];
            m.constant += e.weight / 4;
            for (const int site : {e.from, e.to}) m.epsilon[static_cast<std::size_t>(site)] -= e.weight / 2;
        }
        m.neutral_filling = 0.5 * from.lattice.sites;
        for (const double h : energies) m.constant -= uniform ? 0 : h / 2;
    }
    m.lattice = std::move(from.lattice);
    return m;
}

}  // namespace strata::lanczos
