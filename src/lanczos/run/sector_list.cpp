// SPDX-License-Identifier: BSD-3-Clause
// A momentum has a state if its orbits are not all cancelled by their characters. Where nothing distinguishes up from
// down, the sectors of (N_up, N_down) and (N_down, N_up), or of S^z and -S^z, have the same energies.
#include "lanczos/run/sector_list.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <tuple>

#include "lanczos/physics/make_model.hpp"
#include "models/wave_vectors.hpp"
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

/// A number that sectors differ in, and its value.
struct Label {
    const char *name, *unit, *meaning;
    double (*value)(const LanczosConfig& c, int sites, const Filling& filling);
};

std::vector<Label> labels_of(const LanczosConfig& c) {
    if (!c.all_numbers || c.conserved == Conserved::nothing) return {};
    const auto first = [](const LanczosConfig&, int, const Filling& f) { return static_cast<double>(f.up); };
    switch (c.conserved) {
        case Conserved::particles: return {{"particles", "1", "electrons of both spins", first}};
        case Conserved::parity: return {{"number-parity", "1", "0: even, 1: odd", first}};
        case Conserved::spin:
            return {{"sz", "1", "total S^z",
                     [](const LanczosConfig&, int, const Filling& f) { return static_cast<double>(f.up) / 2; }}};
        default: break;
    }
    if (c.spins())
        return {{"sz", "1", "total S^z", [](const LanczosConfig& job, int sites, const Filling& f) {
                     return f.up - static_cast<double>(job.twice_spin * sites) / 2;
                 }}};
    if (c.components() == 1) return {{"up", "1", "number of particles", first}};
    return {{"up", "1", "electrons with spin up", first},
            {"down", "1", "electrons with spin down",
             [](const LanczosConfig&, int, const Filling& f) { return static_cast<double>(f.down); }}};
}

/// The same with all spins inverted.
Filling inverted(const LanczosConfig& c, int sites, Filling f) {
    if (c.kind() == SiteKind::electrons) return {f.down, f.up, f.conserved};
    return {c.twice_spin * sites - f.up, 0, f.conserved};
}

/// Whether operators may distinguish sectors of the same energies.
bool distinguishes(const LanczosConfig& c) {
    return c.task == Task::thermal_spectrum || (c.task == Task::thermal && !c.observables.source.empty());
}

/// Each momentum by itself.
std::vector<std::vector<Momentum>> one_by_one(const std::vector<std::vector<Momentum>>& stars) {
    std::vector<std::vector<Momentum>> all;
    for (const std::vector<Momentum>& star : stars)
        for (const Momentum& momentum : star) all.push_back({momentum});
    return all;
}

}  // namespace

SectorList::SectorList(const LanczosConfig& config) : config_(config), model_(make_model(config)) {
    std::vector<std::vector<Momentum>> stars = {{{}}};
    if (config.symmetry.several()) stars = momentum_stars(config.symmetry, model_);
    if (distinguishes(config)) stars = one_by_one(stars);
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
    const bool mirrors = inverts(config_, model_) && !distinguishes(config_);
    std::vector<std::pair<Filling, bool>> all;
    for (const Filling& filling : all_fillings(config_, model_.lattice.sites, config_.conserved)) {
        const int other = mirrors ? inverted(config_, model_.lattice.sites, filling).up : 0;
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

std::vector<SectorMember> SectorList::members(std::size_t sectors) const {
    std::vector<SectorMember> all;
    for (std::size_t k = 0; k < sectors; ++k)
        for (const Momentum& momentum : sectors_[k].star) {
            all.push_back({k, sectors_[k].filling, momentum});
            if (sectors_[k].mirrored)  // the image has the opposite momentum where H is complex
                all.push_back({k, inverted(config_, model_.lattice.sites, sectors_[k].filling),
                               momentum.empty() || model_.real() ? momentum : opposite(momentum, model_.lattice)});
        }
    std::ranges::stable_sort(
        all, {}, [](const SectorMember& m) { return std::tuple(m.filling.up, m.filling.down, m.momentum); });
    return all;
}

void SectorList::add_labels(const std::vector<SectorMember>& members, const std::vector<std::size_t>& of_entries,
                            const std::string& axis, std::vector<Quantity>& q) const {
    const auto list = [&](const std::string& name, const char* unit, const std::string& meaning, auto value) {
        Quantity& numbers = q.emplace_back(Quantity{axis + "-" + name, unit, meaning, {}}.over(axis));
        for (const std::size_t m : of_entries) numbers.value.push_back(value(members[m]));
    };
    for (const Label& label : labels_of(config_))
        list(label.name, label.unit, label.meaning,
             [&](const SectorMember& m) { return label.value(config_, model_.lattice.sites, m.filling); });
    for (std::size_t d = 0; config_.symmetry.several() && d < model_.lattice.torus.size(); ++d)
        list(d == 0 ? "momentum-x" : "momentum-y", "2 pi / N", "m of the momentum",
             [&](const SectorMember& m) { return static_cast<double>(m.momentum[d]); });
}

void SectorList::add_list(const std::vector<SectorMember>& members, const std::string& name, const std::string& unit,
                          const std::string& meaning, const std::vector<double>& of_sectors,
                          std::vector<Quantity>& q) const {
    Quantity& list = q.emplace_back(Quantity{name, unit, meaning, {}}.over("sector"));
    for (const SectorMember& m : members) list.value.push_back(of_sectors[m.sector]);
}

std::string SectorList::words(std::size_t sector) const {
    const std::string momentum =
        sectors_[sector].momentum().empty() ? "" : "momentum " + list_of(sectors_[sector].momentum());
    if (!config_.all_numbers) return momentum;
    return particles_of(job_of(sector)) + (momentum.empty() ? "" : ", " + momentum);
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
    return std::to_string(size()) + " of " + std::to_string(represented) + " " + what + ", one after the other" +
           (size() < represented ? "; the others have the same energies by symmetry" : "") +
           (config_.symmetry.momenta == Momenta::automatic ? "; then the sector of the ground state" : "");
}

}  // namespace strata::lanczos
