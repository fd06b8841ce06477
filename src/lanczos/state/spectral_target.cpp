// SPDX-License-Identifier: BSD-3-Clause
// Characters are computed from the weights themselves, so that no convention of phases enters twice; they are roots of
// unity like those of the group.
#include "lanczos/state/spectral_target.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>

#include "lanczos/physics/characters.hpp"
#include "lanczos/physics/observables.hpp"
#include "lanczos/physics/symmetries.hpp"

namespace strata::lanczos {
namespace {

constexpr double near = 1e-9;  ///< tolerance of weights and their phases

/// The factor c, |c| = 1, with w_(g j) = c w_j for all sites j; empty if there is none.
std::optional<Complex> character_of(const std::vector<Complex>& weights, const SitePermutation& image) {
    std::optional<Complex> c;
    for (std::size_t j = 0; j < weights.size(); ++j) {
        const Complex from = weights[j], to = weights[static_cast<std::size_t>(image[j])];
        if (from == Complex(0) && to == Complex(0)) continue;
        if (from == Complex(0) || std::abs(std::abs(to / from) - 1) > near) return {};
        if (c && std::abs(to / from - *c) > near) return {};
        c = c.value_or(to / from);
    }
    return c.value_or(1);
}

/// Factor of the operator under a complement of bit strings, n -> 1 - n: S^z changes its sign, and so does n where the
/// constants add up to 0; with equal weights the operator is a multiple of the number of particles or of spins up, a
/// constant where it is conserved. Empty if it is a sum of both kinds, or a removal, which becomes an addition.
std::optional<double> factor_of_complement(SpectralOperator op, Conserved conserved,
                                           const std::vector<Complex>& weights) {
    if (op == SpectralOperator::removal || op == SpectralOperator::addition) return {};
    const Complex sum = std::accumulate(weights.begin(), weights.end(), Complex(0));
    if (op == SpectralOperator::spin || std::abs(sum) < near) return -1;
    const bool equal = std::ranges::all_of(weights, [&](Complex w) { return std::abs(w - weights[0]) < near; });
    return equal && conserved == Conserved::numbers ? std::optional(1.0) : std::nullopt;
}

}  // namespace

std::vector<std::vector<std::int64_t>> spectral_momenta(const LanczosConfig& config, const Lattice& lattice) {
    return wave_vectors(config.spectrum.momenta, lattice);
}

std::vector<PlaneWave> spectral_waves(const LanczosConfig& config, const Lattice& lattice) {
    const auto own = own_operator(config);
    if (config.spectrum.op == SpectralOperator::current || (own && own->pattern == SitePattern::none))
        return {{.m = {}, .sublattice = -1, .weight = {1}}};
    return plane_waves(lattice, spectral_momenta(config, lattice), config.sublattices);
}

std::vector<Complex> operator_weights(SpectralOperator op, const PlaneWave& wave) {
    std::vector<Complex> weights = wave.weight;
    if (op == SpectralOperator::addition)
        for (Complex& w : weights) w = std::conj(w);
    return weights;
}

std::shared_ptr<const SymmetryGroup> led_to(const SymmetryGroup& from, const LanczosConfig& config,
                                            const PlaneWave& wave, const Model& model) {
    const SpectralOperator op = config.spectrum.op;
    const std::vector<Complex> weights = operator_weights(op, wave);
    if (const auto own = own_operator(config)) return led_to(from, weighted_sum(*own, weights), model);
    return with_factors(from, model.lattice, [&](std::uint32_t g) -> std::optional<Complex> {
        const std::optional<Complex> c = character_of(weights, from.image(g));
        const std::optional<double> sign =
            from.complements(g) ? factor_of_complement(op, config.conserved, weights) : std::optional(1.0);
        return c && sign ? std::optional(*sign * *c) : std::nullopt;
    });
}

namespace {

/// A sentence on A and B of an off-diagonal spectrum that lead to different sectors; empty if they do not.
std::string without_common_sector(const SymmetryGroup& group, const LanczosConfig& config,
                                  const std::vector<PlaneWave>& waves, const Model& model) {
    const std::optional<OwnObservable> left = left_operator(config);
    if (!left) return {};
    for (const PlaneWave& wave : waves) {
        const auto of_b = led_to(group, config, wave, model),
                   of_a = led_to(group, weighted_sum(*left, operator_weights(config.spectrum.op, wave)), model);
        if (of_a != nullptr && are_equal(*of_a, *of_b)) continue;
        const std::string where = wave.m.empty() ? "" : " of wave vector " + list_of(wave.m);
        return "spectrum.second = " + config.spectrum.second + " and " + left->name + where +
               (of_a == nullptr ? ": a symmetry of this sector changes " + left->name +
                                      " into another operator. Leave the keys of symmetries out."
                                : " lead to two sectors of the symmetries, and <A+ (omega - H)^-1 B> is 0.");
    }
    return {};
}

}  // namespace

std::string without_character(const LanczosConfig& config, const Model& model) {
    const std::shared_ptr<const SymmetryGroup> group = make_symmetry_group(config.symmetry, model);
    if (group == nullptr) return {};
    if (config.symmetry.particle_hole != Parity::any && spectral_change(config) != FillingChange{})
        return "A spectrum that changes the number of particles is not possible with sector.particle-hole, which "
               "turns a removal into an addition; leave the key out.";
    const auto possible = [&](const PlaneWave& wave) { return led_to(*group, config, wave, model) != nullptr; };
    const std::vector<PlaneWave> waves = spectral_waves(config, model.lattice);
    const auto refused = std::ranges::find_if_not(waves, possible);
    if (refused == waves.end()) return without_common_sector(*group, config, waves, model);
    LanczosConfig of_spin = config;
    of_spin.spectrum.op = SpectralOperator::spin;
    if (config.spectrum.op == SpectralOperator::density && led_to(*group, of_spin, *refused, model) != nullptr)
        return "A spectrum of the density is not possible for wave vector " + list_of(refused->m) + " with " +
               keys_of_further(config.symmetry) +
               ", under which it is neither even nor odd: take spectrum.operator = spin.";
    if (refused->m.empty())
        return "The spectrum of this operator is not possible in this sector: a symmetry changes it into another "
               "operator. Leave the keys of symmetries out, or give a list over the sites {i}.";
    LanczosConfig every = config;
    every.spectrum.momenta.clear();
    std::string others;
    for (const PlaneWave& wave : spectral_waves(every, model.lattice))
        if (wave.sublattice <= 0 && possible(wave)) others += (others.empty() ? "" : " or ") + list_of(wave.m);
    return "A spectrum of wave vector " + list_of(refused->m) +
           " is not possible in this sector: its point operations change the operator into that of another wave "
           "vector or sublattice. " +
           (others.empty() ? "Leave them out, or take sector.momentum alone."
                           : "Give spectrum.momenta = " + others + ", or take sector.momentum alone.");
}

bool leads_elsewhere(const LanczosPlan& plan) {
    if (plan.config().spectrum.op == SpectralOperator::current) return false;
    return plan.counts().symmetric() || spectral_change(plan.config()) != FillingChange{};
}

LanczosPlan target_plan(const LanczosPlan& plan, const PlaneWave& wave) {
    const LanczosConfig& c = plan.config();
    const auto& symmetric = plan.counts().symmetric();
    const auto group = symmetric ? led_to(*symmetric->group, c, wave, plan.model()) : nullptr;
    const Filling target = changed({c.up, c.down, c.conserved}, spectral_change(c));
    return plan.in_sector(target.up, target.down, group);
}

std::optional<LanczosPlan> largest_target(const LanczosPlan& plan) {
    if (!leads_elsewhere(plan)) return {};
    std::optional<LanczosPlan> largest;
    for (const PlaneWave& wave : spectral_waves(plan.config(), plan.model().lattice)) {
        const LanczosPlan target = target_plan(plan, wave);
        if (!largest || target.vector_bytes() > largest->vector_bytes()) largest.emplace(target);
        if (!plan.counts().symmetric()) break;  // all waves lead to the same sector
    }
    return largest;
}

}  // namespace strata::lanczos
