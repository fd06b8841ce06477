// SPDX-License-Identifier: BSD-3-Clause
// A momentum has a state if its orbits are not all cancelled by their characters.
#include "lanczos/run/momentum_sectors.hpp"

#include <optional>

#include "lanczos/physics/make_model.hpp"
#include "strata/error.hpp"

namespace strata::lanczos {

MomentumSectors::MomentumSectors(const LanczosConfig& config) : config_(config), model_(make_model(config)) {
    for (std::vector<Momentum>& star : momentum_stars(config.symmetry, model_)) {
        const auto group = make_symmetry_group(config.symmetry.with_momentum(star[0]), model_);
        const double dimension = OrbitCounts::states(*group, model_, config.up, config.down);
        if (dimension > 0)
            sectors_.push_back({std::move(star), dimension, choose_arithmetic(config, model_, group.get())});
    }
    if (sectors_.empty())
        throw Error(ExitCode::bad_input,
                    "No momentum has a state of " + particles_of(config) + " with these symmetries.");
}

LanczosConfig MomentumSectors::job_of(std::size_t i) const {
    LanczosConfig job = config_;
    job.symmetry = job.symmetry.with_momentum(sectors_[i].momentum());
    return job;
}

LanczosPlan MomentumSectors::largest_plan(int ranks, int rank, int threads) const {
    std::optional<LanczosPlan> largest;
    for (std::size_t i = 0; i < size(); ++i) {
        const LanczosPlan plan(job_of(i), model_, ranks, rank, threads);
        if (!largest || plan.vector_bytes() > largest->vector_bytes()) largest.emplace(plan);
    }
    return *largest;
}

std::string MomentumSectors::line() const {
    std::size_t momenta = 0;
    for (const MomentumSector& sector : sectors_) momenta += sector.star.size();
    return std::to_string(size()) + " of " + std::to_string(momenta) +
           " momenta, one after the other; the others have the same energies by symmetry" +
           (config_.symmetry.momenta == Momenta::automatic ? "; then the sector of the ground state" : "");
}

}  // namespace strata::lanczos
