// SPDX-License-Identifier: BSD-3-Clause
// Wave vectors that a job names by their numbers m, k . (torus vector i) = 2 pi m[i] (Lattice::phase), and the key
// spectrum.momenta, which means the same in all applications.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "models/lattice.hpp"
#include "strata/config.hpp"

namespace strata {

/// "1,2", as a job gives the numbers of a wave vector.
std::string list_of(const std::vector<std::int64_t>& m);
/// Empty if all |m[i]| are below the periods of the cluster; otherwise the end of a sentence that names the same wave vector
/// within these limits.
std::string inside_the_zone(const std::vector<std::int64_t>& m, const Lattice& lattice);

/// The wave vectors of spectrum.momenta, in one list of numbers, or all of the cluster if it is empty.
std::vector<std::vector<std::int64_t>> wave_vectors(const std::vector<std::int64_t>& given, const Lattice& lattice);
/// A sentence on spectrum.momenta if it is refused: it has not as many numbers as wave vectors need, gives a wave vector twice,
/// or by numbers outside of the zone although a wave vector within it is the same. Empty if it is not, and for lattices without
/// wave vectors.
std::string refused_wave_vectors(const Config& config, const Lattice& lattice);

}  // namespace strata
