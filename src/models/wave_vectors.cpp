// SPDX-License-Identifier: BSD-3-Clause
// Wave vectors are the same if they have the same phase at every site: with several sites in a cell, numbers that differ by a
// period of the cluster may belong to different ones.
#include "models/wave_vectors.hpp"

#include <complex>

namespace strata {
namespace {

bool are_same(const std::vector<std::int64_t>& m, const std::vector<std::int64_t>& other, const Lattice& lattice) {
    constexpr double tolerance = 1e-9;
    for (int site = 0; site < lattice.sites; ++site)
        if (std::abs(std::polar(1.0, lattice.phase(m, site)) - std::polar(1.0, lattice.phase(other, site))) > tolerance)
            return false;
    return true;
}

/// The numbers without whole periods.
std::vector<std::int64_t> reduced(std::vector<std::int64_t> m, const Lattice& lattice) {
    for (std::size_t i = 0; i < m.size(); ++i) m[i] %= lattice.momentum_period(i);
    return m;
}

}  // namespace

std::string list_of(const std::vector<std::int64_t>& m) {
    std::string text;
    for (std::int64_t i : m) text += (text.empty() ? "" : ",") + std::to_string(i);
    return text;
}

std::string inside_the_zone(const std::vector<std::int64_t>& m, const Lattice& lattice) {
    const std::vector<std::int64_t> inside = reduced(m, lattice);
    if (inside == m) return {};
    std::string limits;
    for (std::size_t i = 0; i < m.size(); ++i) {
        const std::int64_t period = lattice.momentum_period(i);
        limits += (i == 0 ? " " : " and ") + std::to_string(1 - period) + " to " + std::to_string(period - 1);
    }
    return " lies outside of the zone, with numbers from" + limits + "; the same momentum is " + list_of(inside) + ".";
}

std::vector<std::vector<std::int64_t>> wave_vectors(const std::vector<std::int64_t>& given, const Lattice& lattice) {
    if (given.empty()) return lattice.momenta();
    const std::size_t dimensions = lattice.torus.size();
    std::vector<std::vector<std::int64_t>> all;
    for (std::size_t i = 0; i + dimensions <= given.size(); i += dimensions)
        all.emplace_back(given.begin() + static_cast<std::ptrdiff_t>(i),
                         given.begin() + static_cast<std::ptrdiff_t>(i + dimensions));
    return all;
}

std::string refused_wave_vectors(const Config& config, const Lattice& lattice) {
    const std::vector<std::int64_t> given = config.integers("spectrum.momenta");
    if (lattice.torus.empty()) return {};
    if (given.size() % lattice.torus.size() != 0)
        return config.cite("spectrum.momenta") + " must be pairs m1,m2 on this lattice.";
    const std::vector<std::vector<std::int64_t>> all = wave_vectors(given, lattice);
    for (std::size_t i = 0; i < all.size(); ++i) {
        const std::vector<std::int64_t> inside = reduced(all[i], lattice);
        if (inside != all[i] && are_same(inside, all[i], lattice))
            return "The wave vector " + list_of(all[i]) + " of spectrum.momenta" + inside_the_zone(all[i], lattice);
        for (std::size_t j = 0; j < i; ++j)
            if (are_same(all[i], all[j], lattice))
                return "spectrum.momenta holds the same wave vector twice, " + list_of(all[j]) + " and " +
                       list_of(all[i]) + ". Give it once.";
    }
    return {};
}

}  // namespace strata
