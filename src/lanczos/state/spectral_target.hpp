// SPDX-License-Identifier: BSD-3-Clause
// Sectors that the operators of a spectrum lead to. A = sum_j w_j a_j may change conserved numbers, and in a
// sector of lattice symmetries also the character: if w_(g j) = c(g) w_j for every element g of the group, then T_g A
// T_g^-1 = conj(c(g)) A, and A leads from the sector of chi to that of c chi. A plane wave exp(-ikr) leads from
// momentum k0 to k0 - k, its conjugate, which creates a particle, to k0 + k. Operations other than translations map
// most plane waves to others: such waves have no character and lead to no single sector. A spin inversion also changes
// the sign of S^z. Of an operator that is a sum of products c is that of T_g A T_g^-1 = conj(c) A itself.
#pragma once

#include <optional>

#include "lanczos/physics/plane_waves.hpp"
#include "lanczos/state/plan.hpp"
#include "models/wave_vectors.hpp"

namespace strata::lanczos {

/// Wave vectors m that the job gives, or all of the cluster if it gives none.
std::vector<std::vector<std::int64_t>> spectral_momenta(const LanczosConfig& config, const Lattice& lattice);
/// Plane waves of spectral_momenta(), sublattices innermost; one without wave vector and with the weight 1 for an
/// operator that is no list over sites, and for the current.
std::vector<PlaneWave> spectral_waves(const LanczosConfig& config, const Lattice& lattice);
/// The weights w_j of a wave, complex conjugated where a particle is added.
std::vector<Complex> operator_weights(SpectralOperator op, const PlaneWave& wave);

/// The group with the character c chi, elements in the same order; null if the operator of the job's spectrum has no
/// character c.
std::shared_ptr<const SymmetryGroup> led_to(const SymmetryGroup& from, const LanczosConfig& config,
                                            const PlaneWave& wave, const Model& model);
/// A sentence on why the job's spectrum is not possible in its sector, with wave vectors that are; empty if it is.
std::string without_character(const LanczosConfig& config, const Model& model);

/// Whether the operators of the plan's spectrum may lead to a sector other than that of the ground state.
bool leads_elsewhere(const LanczosPlan& plan);
/// The plan of the sector that a wave leads to; it may hold no state.
LanczosPlan target_plan(const LanczosPlan& plan, const PlaneWave& wave);
/// The plan of the largest sector that a wave of the spectrum leads to; empty if they lead to no other sector.
std::optional<LanczosPlan> largest_target(const LanczosPlan& plan);

}  // namespace strata::lanczos
