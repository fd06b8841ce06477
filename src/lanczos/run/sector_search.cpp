// SPDX-License-Identifier: BSD-3-Clause
// Each part is a separate task (sector_sequence.hpp). Of each star its energy, residual, tolerance, degeneracy and
// convergence are stored.
#include "lanczos/run/sector_search.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "krylov/levels.hpp"
#include "lanczos/physics/plane_waves.hpp"
#include "models/wave_vectors.hpp"
#include "strata/error.hpp"
#include "strata/formatted.hpp"

namespace strata::lanczos {
namespace {

std::string name_of(const Momentum& m) {
    std::string name = "momentum";
    for (std::int64_t i : m) name += "-" + std::to_string(i);
    return name;
}

}  // namespace

const std::vector<Column>& SectorSearch::columns() const {
    static const std::vector<Column> all = {
        {"sector", "1", "number of the momentum, in the order of the search"},
        {"energy", "energy", "lowest Ritz value after each step"},
        {"residual-estimate", "energy", "norm of H x - E x of its vector, from the recurrence"}};
    return all;
}

SectorSearch::SectorSearch(const LanczosConfig& config, int ranks, int rank, int threads, MakeHamiltonian make)
    : SectorSequence(config, ranks, rank, threads, std::move(make)) {
    for (std::vector<double>* list : {&energies_, &residuals_, &tolerances_, &multiplicities_, &converged_})
        list->assign(sectors_.size(), 0);
    make_part(0);
}

/// Index of the star with the lowest energy among those whose energy is known.
std::size_t SectorSearch::lowest() const {
    const auto last = energies_.begin() + static_cast<std::ptrdiff_t>(finished());
    return static_cast<std::size_t>(std::min_element(energies_.begin(), last) - energies_.begin());
}

std::unique_ptr<LanczosTask> SectorSearch::make_task(std::uint64_t sector) {
    LanczosConfig c = sectors_.job_of(sector % sectors_.size());
    if (final_part()) return make_final(plan_of(c));
    c.task = Task::states;
    c.observables = {};  // belong to the final part, whose task may take others than expectation values
    c.cut.clear();
    if (automatic()) c.vectors = c.degeneracy = c.density_matrix = false;
    return searching(std::make_unique<GroundState>(plan_of(c), make_));
}

std::unique_ptr<LanczosTask> SectorSearch::make_final(const LanczosPlan& plan) {
    return searching(std::make_unique<GroundState>(plan, make_));
}

void SectorSearch::add_kept(std::vector<DistributedArray>& arrays) {
    Record record("momenta");
    record.field("energies", energies_).field("residuals", residuals_).field("tolerances", tolerances_);
    record.field("multiplicities", multiplicities_).field("converged", converged_);
    arrays.push_back(record.array());
}

void SectorSearch::keep_result() {
    if (final_part()) return;
    const krylov::GroundStateSolver& solver = *solver_;
    energies_[part()] = solver.energy();
    const bool verified = solver.states() > 0;
    residuals_[part()] = verified ? solver.residual() : solver.residual_estimate();
    tolerances_[part()] = solver.tolerance();
    converged_[part()] = solver.converged() ? 1 : 0;
    const bool more = solver.degeneracy() == krylov::Degeneracy::more;
    const bool known = more || solver.degeneracy() == krylov::Degeneracy::complete;
    const auto states = static_cast<double>(solver.states());
    multiplicities_[part()] = !known ? NAN : more ? -states - 1 : states;
}

void SectorSearch::observe(std::vector<double>& rows) {
    rows.insert(rows.end(), {static_cast<double>(part()), solver_->energy(), solver_->residual_estimate()});
}

std::string SectorSearch::broken_invariant(std::span<const double> row) const {
    return task().broken_invariant(row.subspan(1));
}

std::string SectorSearch::log_line(std::span<const double> row) const {
    const std::string line = task().log_line(row.subspan(1));
    if (line.empty()) return {};
    return sectors_.words(final_part() ? lowest() : part()) + "  " + line;
}

std::string SectorSearch::shortfall() const {
    if (config().allow_unconverged) return {};
    for (std::size_t i = 0; i < finished(); ++i)
        if (converged_[i] == 0) {
            return formatted(
                "The state of %s has not converged: its residual is %.2g, above "
                "run.tolerance (%.2g). Start anew with more run.max-steps, for a resumed run does not repeat sectors "
                "that are done, or allow this with run.allow-unconverged = yes.",
                (config().all_numbers ? sectors_.words(i) : "sector.momentum = " + list_of(sectors_[i].momentum()))
                    .c_str(),
                residuals_[i], tolerances_[i]);
        }
    return final_part() ? task().shortfall() : std::string();
}

std::string SectorSearch::remark() const {
    if (!all_done()) return {};
    std::vector<std::string> all;
    for (const std::size_t k : of_lowest_energy())
        if (config().all_numbers)
            all.push_back(sectors_.words(k));
        else
            for (const Momentum& m : sectors_[k].star) all.push_back(list_of(m));
    std::string text =
        "The lowest energy belongs to " + std::string(config().all_numbers ? "" : "sector.momentum = ") + all[0];
    if (all.size() > 1) {
        text += ", and as far as their residuals show also to";
        for (std::size_t i = 1; i < all.size(); ++i) text += (i == 1 ? " " : "; ") + all[i];
        if (automatic()) text += ": averages over all ground states are others than those given";
    }
    const std::string more = automatic() ? ground_state_remark(*solver_) : std::string();
    return text + "." + (more.empty() ? "" : " " + more);
}

std::vector<std::size_t> SectorSearch::of_lowest_energy() const {
    std::vector<std::size_t> all = {lowest()};
    const double rounding = krylov::recurrence_rounding(config().precision);  // relative, as tolerances are
    for (std::size_t i = 0; i < finished(); ++i)
        if (i != lowest() &&
            krylov::compare_levels(energies_[i] - energies_[lowest()], residuals_[i] + residuals_[lowest()],
                                   rounding * tolerances_[i] / config().tolerance) != krylov::Levels::apart)
            all.push_back(i);
    return all;
}

/// Lists over all sectors whose energy is known.
std::vector<Quantity> SectorSearch::energies_by_numbers() const {
    std::vector<Quantity> q;
    if (finished() == 0) return q;
    const std::vector<SectorMember> members = sectors_.members(finished());
    std::vector<std::size_t> each(members.size());
    std::iota(each.begin(), each.end(), 0);
    std::vector<double> dimensions, complete = multiplicities_;
    for (std::size_t k = 0; k < finished(); ++k) dimensions.push_back(sectors_[k].dimension);
    for (double& states : complete) states = states < 0 ? NAN : states;
    sectors_.add_labels(members, each, "sector", q);
    sectors_.add_list(members, "sector-energies", "energy", "lowest level of each sector", energies_, q);
    sectors_.add_list(members, "sector-residuals", "energy", "norms of H x - E x", residuals_, q);
    sectors_.add_list(members, "sector-dimensions", "1", "states of the sectors", dimensions, q);
    if (config().degeneracy)
        sectors_.add_list(members, "sector-degeneracies", "1", "states of this energy in the sector", complete, q);
    return q;
}

/// Results by momentum for all momenta whose energy is known, star by star.
std::vector<Quantity> SectorSearch::energies_by_momentum() const {
    std::vector<Quantity> q;
    std::vector<Momentum> known;
    std::vector<double> star_of, dimensions;
    constexpr std::size_t shown = 36;  // largest number of stars with quantities of their own; the lists have all
    for (std::size_t i = 0; i < finished(); ++i) {
        const std::vector<Momentum>& star = sectors_[i].star;
        known.insert(known.end(), star.begin(), star.end());
        star_of.insert(star_of.end(), star.size(), static_cast<double>(i));
        dimensions.push_back(sectors_[i].dimension);
        if (sectors_.size() <= shown)
            q.push_back(
                {"energy-" + name_of(sectors_[i].momentum()), "energy", "lowest of this momentum", {energies_[i]}});
    }
    if (finished() == 0) return q;
    for (std::size_t d = 0; d < sectors_.model().lattice.torus.size(); ++d) {
        Quantity& m = q.emplace_back(
            Quantity{d == 0 ? "momentum-x" : "momentum-y", "2 pi / N", "m of every momentum", {}}.coordinate_of(
                "momentum"));
        for (const Momentum& of : known) m.value.push_back(static_cast<double>(of[d]));
    }
    const auto add = [&](const char* name, const char* unit, const char* meaning, const std::vector<double>& of_star) {
        Quantity& list = q.emplace_back(Quantity{name, unit, meaning, {}}.over("momentum"));
        for (double star : star_of) list.value.push_back(of_star[static_cast<std::size_t>(star)]);
    };
    add("momentum-energies", "energy", "lowest of every momentum, in the order of momentum-x", energies_);
    add("momentum-residuals", "energy", "norms of H x - E x", residuals_);
    add("momentum-dimensions", "1", "states of this momentum", dimensions);
    if (!automatic() && config().degeneracy) {
        std::vector<double> complete = multiplicities_, at_least = multiplicities_;
        for (double& states : complete) states = states < 0 ? NAN : states;
        for (double& states : at_least) states = std::abs(states);
        add("momentum-degeneracies", "1", "states of this energy and momentum", complete);
        if (std::ranges::any_of(multiplicities_, [](double states) { return states < 0; }))
            add("momentum-degeneracies-at-least", "1", "lower bounds of them", at_least);
    }
    q.push_back(
        Quantity{"momentum-stars", "1", "momenta of one number have the same energies by symmetry", star_of}.over(
            "momentum"));
    for (Quantity& list : position_results(sectors_.model().lattice, known))
        if (list.name.starts_with("wave-vector"))
            q.push_back(
                Quantity{"momentum-" + list.name, list.unit, list.meaning, list.value}.coordinate_of("momentum"));
    return q;
}

std::vector<Quantity> SectorSearch::results(const Series& series) const {
    std::vector<Quantity> q;
    if (final_part()) {
        q = task().results(series);
    } else if (finished() > 0) {
        q.push_back({"energy",
                     "energy",
                     config().all_numbers ? "of the lowest state of all sectors so far, total"
                                          : "of the lowest state of all momenta so far, total",
                     {energies_[lowest()]}});
        q.push_back(
            {"residual",
             "energy",
             config().all_numbers ? "the largest of all sectors" : "the largest of all momenta",
             {*std::max_element(residuals_.begin(), residuals_.begin() + static_cast<std::ptrdiff_t>(finished()))}});
    }
    for (Quantity& more : config().all_numbers ? energies_by_numbers() : energies_by_momentum())
        q.push_back(std::move(more));
    return q;
}

}  // namespace strata::lanczos
