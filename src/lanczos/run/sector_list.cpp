// SPDX-License-Identifier: BSD-3-Clause
// A momentum has a state if its orbits are not all cancelled by their characters. Where nothing distinguishes up from
// down, the sectors of (N_up, N_down) and (N_down, N_up), or of S^z and -S^z, have the same energies.
#include "lanczos/run/sector_list.hpp"

#include <algorithm>
#include <cmath>
#include <optional>

#include "lanczos/physics/make_model.hpp"
#include "strata/error.hpp"

namespace strata::lanczos {
namespace {

/// Whether the inversion of all spins maps H to itself or to its complex conjugate, which has the same energies.
bool inverts(const LanczosConfig& c, const Model& model) {
    if (c.conserved != Conserved::numbers || !model.others.empty() || model.codes.coded()) return false;
    if (c.kind() == SiteKind::electrons) return true;
    if (!c.spins()) return false;
    const std::vector<double> field = make_lattice_model(c).field[index_of(Axis::z)];
    return std::ranges::all_of(field, [](double h) { return h == 0; });
}

}  // namespace

SectorList::SectorList(const LanczosConfig& config) : config_(config), model_(make_model(config)) {
    std::vector<std::vector<Momentum>> stars = {{{}}};
    if (config.symmetry.several()) stars = momentum_stars(config.symmetry, model_);
    for (const auto& [filling, mirrored] : fillings())
        for (const std::vector<Momentum>& star : stars) {
            sectors_.push_back({filling, mirrored, star, 0, Arithmetic::real});
            ListedSector& sector = sectors_.back();
            const LanczosConfig job = job_of(size() - 1);
            const auto group = make_symmetry_group(job.symmetry, model_);
            sector.dimension = group != nullptr ? OrbitCounts::states(*group, model_, filling)
                                                : LanczosPlan(job, model_, 1, 0, 1).dimension();
            if (sector.dimension > 0)
                sector.arithmetic = choose_arithmetic(job, model_, group.get());
            else
                sectors_.pop_back();
        }
    if (sectors_.empty())
        throw Error(ExitCode::bad_input,
                    "No momentum has a state of " + particles_of(config) + " with these symmetries.");
}

std::vector<std::pair<Filling, bool>> SectorList::fillings() const {
    if (!config_.all_numbers) return {{{config_.up, config_.down, config_.conserved}, false}};
    const bool electrons = config_.kind() == SiteKind::electrons;
    std::vector<std::pair<Filling, bool>> all;
    for (const Filling& filling : all_fillings(config_, model_.lattice.sites, config_.conserved)) {
        const int other = electrons ? filling.down : config_.twice_spin * model_.lattice.sites - filling.up;
        const bool mirrors = inverts(config_, model_);
        if (!mirrors || filling.up <= other) all.emplace_back(filling, mirrors && filling.up != other);
    }
    return all;
}

LanczosConfig SectorList::job_of(std::size_t i) const {
    LanczosConfig job = config_;
    const ListedSector& sector = sectors_[i];
    job.up = sector.filling.up;
    job.down = sector.filling.down;
    if (!sector.momentum().empty()) job.symmetry = job.symmetry.with_momentum(sector.momentum());
    return job;
}

LanczosPlan SectorList::largest_plan(int ranks, int rank, int threads) const {
    std::optional<LanczosPlan> largest;
    for (std::size_t i = 0; i < size(); ++i) {
        const LanczosPlan plan(job_of(i), model_, ranks, rank, threads);
        if (!largest || plan.vector_bytes() > largest->vector_bytes()) largest.emplace(plan);
    }
    return *largest;
}

double SectorList::mean_cost(double power) const {
    const double largest = std::ranges::max_element(sectors_, {}, &ListedSector::dimension)->dimension;
    double sum = 0;
    for (const ListedSector& sector : sectors_) sum += std::pow(sector.dimension / largest, power);
    return sum / static_cast<double>(size());
}

std::string SectorList::line() const {
    if (size() == 1 && !config_.several_sectors()) return "one sector";
    std::size_t represented = 0;
    for (const ListedSector& sector : sectors_) represented += sector.star.size() * (sector.mirrored ? 2 : 1);
    const std::string what = !config_.all_numbers         ? "momenta"
                             : config_.symmetry.several() ? "sectors of conserved numbers and momentum"
                                                          : "sectors of conserved numbers";
    return std::to_string(size()) + " of " + std::to_string(represented) + " " + what +
           ", one after the other; the others have the same energies by symmetry" +
           (config_.symmetry.momenta == Momenta::automatic ? "; then the sector of the ground state" : "");
}

}  // namespace strata::lanczos
