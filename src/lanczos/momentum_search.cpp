// SPDX-License-Identifier: BSD-3-Clause
// Each part is a GroundState of its own, with its own plan, tables and vectors; a checkpoint holds those of the part
// under way and the results of the others. Which part it is, is known from the length of an array before the state is
// read, because vectors of real and of complex sectors differ.
#include "lanczos/momentum_search.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "lanczos/memory.hpp"
#include "lanczos/plane_waves.hpp"
#include "strata/error.hpp"

namespace strata::lanczos {
namespace {

constexpr const char* parts_name = "parts-begun";

std::vector<std::vector<Momentum>> stars_with_states(const LanczosConfig& c, const Model& model) {
    std::vector<std::vector<Momentum>> stars = momentum_stars(c.symmetry, model);
    std::erase_if(stars, [&](const auto& star) {
        return OrbitCounts::states(*make_symmetry_group(c.symmetry.with_momentum(star[0]), model), model, c.up,
                                   c.down) == 0;
    });
    if (stars.empty())
        throw Error(ExitCode::bad_input, "No momentum has a state of " + std::to_string(c.up) + " up and " +
                                             std::to_string(c.down) + " down particles with these point operations.");
    return stars;
}

LanczosConfig with_momentum(LanczosConfig c, const Momentum& m) {
    c.symmetry = c.symmetry.with_momentum(m);
    return c;
}

std::string name_of(const Momentum& m) {
    std::string name = "momentum";
    for (std::int64_t i : m) name += "-" + std::to_string(i);
    return name;
}

}  // namespace

LanczosPlan MomentumSearch::largest_plan(const LanczosConfig& config, int ranks, int rank, int threads) {
    std::optional<LanczosPlan> largest;
    for (const std::vector<Momentum>& star : stars_with_states(config, make_model(config))) {
        const LanczosPlan plan(with_momentum(config, star[0]), ranks, rank, threads);
        if (!largest || plan.vector_bytes() > largest->vector_bytes()) largest.emplace(plan);
    }
    return *largest;
}

std::size_t MomentumSearch::sectors(const LanczosConfig& config) {
    return stars_with_states(config, make_model(config)).size();
}

MomentumSearch::MomentumSearch(const LanczosConfig& config, int ranks, int rank, int threads, MakeHamiltonian make)
    : config_(config),
      ranks_(ranks),
      rank_(rank),
      threads_(threads),
      make_(std::move(make)),
      model_(make_model(config)),
      stars_(stars_with_states(config, model_)) {
    for (std::vector<double>* list : {&energies_, &residuals_, &tolerances_, &multiplicities_, &converged_})
        list->assign(stars_.size(), 0);
    for (const std::vector<Momentum>& star : stars_)
        dimensions_.push_back(OrbitCounts::states(*make_symmetry_group(config_.symmetry.with_momentum(star[0]), model_),
                                                  model_, config_.up, config_.down));
    make_part();
}

/// Of the sectors that are finished.
std::size_t MomentumSearch::lowest() const {
    const auto last = energies_.begin() + static_cast<std::ptrdiff_t>(finished_);
    return static_cast<std::size_t>(std::min_element(energies_.begin(), last) - energies_.begin());
}

/// Frees the part before, then makes the plan and the operator of this one.
void MomentumSearch::make_part() {
    current_.reset();
    LanczosConfig c = with_momentum(config_, momentum_of_part());
    if (automatic() && !final_part()) c.vectors = c.degeneracy = c.density_matrix = false;
    const LanczosPlan plan(c, ranks_, rank_, threads_);
    current_ = std::make_unique<GroundState>(plan, make_);
    steps_in_part_ = 0;
    parts_begun_.assign(part_ + 1, 1);
}

void MomentumSearch::initialise() {
    if (part_ != 0) {
        part_ = 0;
        make_part();
        current_->allocate();
    }
    steps_before_ = finished_ = 0;
    current_->initialise();
}

std::vector<DistributedArray> MomentumSearch::state() {
    std::vector<DistributedArray> arrays = {
        replicated_array(parts_name, ElementType::u64, parts_begun_.data(), parts_begun_.size())};
    arrays.back().meaning = "As many numbers as momenta whose search has begun.";
    Record record("momenta");
    record.field("finished", finished_).field("steps-before", steps_before_).field("steps-in-part", steps_in_part_);
    record.field("energies", energies_).field("residuals", residuals_).field("tolerances", tolerances_);
    record.field("multiplicities", multiplicities_).field("converged", converged_);
    arrays.push_back(record.array());
    for (DistributedArray& array : current_->state()) arrays.push_back(std::move(array));
    return arrays;
}

void MomentumSearch::prepare_state(const std::vector<ArrayShape>& stored) {
    for (const ArrayShape& shape : stored) {
        if (shape.name != parts_name || shape.row_elements == 0 || shape.row_elements > parts()) continue;
        if (part_ == shape.row_elements - 1) return;
        part_ = shape.row_elements - 1;
        make_part();
        current_->allocate();
    }
}

/// Sectors that are still to come are expected to take as many steps as this one.
std::uint64_t MomentumSearch::total_steps() const {
    const std::uint64_t ahead = parts() - 1 - part_;
    return steps_before_ + current_->total_steps() * (1 + ahead);
}

void MomentumSearch::step(std::uint64_t step) {
    if (done()) {
        steps_before_ += steps_in_part_;
        ++part_;
        make_part();
        current_->allocate();
        current_->initialise();
    }
    current_->step(step - steps_before_);
    ++steps_in_part_;
    if (done()) keep_result();
}

void MomentumSearch::keep_result() {
    for (const Timers::Phase& phase : current_->timers().phases()) timers_.add(phase.name, phase.seconds);
    if (final_part()) return;
    const krylov::GroundStateSolver& solver = current_->solver();
    energies_[part_] = solver.energy();
    const bool verified = solver.states() > 0;
    residuals_[part_] = verified ? solver.residual() : solver.residual_estimate();
    tolerances_[part_] = solver.tolerance();
    converged_[part_] = solver.converged() ? 1 : 0;
    const bool more = solver.degeneracy() == krylov::Degeneracy::more;
    const bool known = more || solver.degeneracy() == krylov::Degeneracy::complete;
    multiplicities_[part_] = known ? static_cast<double>(solver.states()) + (more ? 1 : 0) : NAN;
    ++finished_;
}

const std::vector<Column>& MomentumSearch::columns() const {
    static const std::vector<Column> all = {
        {"sector", "1", "number of the momentum, in the order of the search"},
        {"energy", "energy", "lowest Ritz value after each step"},
        {"residual-estimate", "energy", "norm of H x - E x of its vector, from the recurrence"}};
    return all;
}

void MomentumSearch::observe(std::vector<double>& rows) {
    const krylov::GroundStateSolver& solver = current_->solver();
    rows.insert(rows.end(), {static_cast<double>(part_), solver.energy(), solver.residual_estimate()});
}

std::string MomentumSearch::broken_invariant(std::span<const double> row) const {
    return current_->broken_invariant(row.subspan(1));
}

std::string MomentumSearch::shortfall() const {
    if (config_.allow_unconverged) return {};
    for (std::size_t i = 0; i < finished_; ++i)
        if (converged_[i] == 0) {
            char text[300];
            std::snprintf(text, sizeof text,
                          "The state of sector.momentum = %s has not converged: its residual is %.2g, above "
                          "run.tolerance (%.2g). Allow more run.max-steps, or this with run.allow-unconverged = yes.",
                          list_of(stars_[i][0]).c_str(), residuals_[i], tolerances_[i]);
            return text;
        }
    return final_part() ? current_->shortfall() : std::string();
}

std::string MomentumSearch::remark() const {
    if (!done() || part_ + 1 < parts()) return {};
    const std::vector<Momentum> all = of_lowest_energy();
    std::string text = "The lowest energy belongs to sector.momentum = " + list_of(all[0]);
    if (all.size() > 1) {
        text += ", and within the tolerance also to";
        for (std::size_t i = 1; i < all.size(); ++i) text += (i == 1 ? " " : "; ") + list_of(all[i]);
        if (automatic()) text += ": averages over all ground states are others than those given";
    }
    const std::string more = automatic() ? ground_state_remark(current_->solver()) : std::string();
    return text + "." + (more.empty() ? "" : " " + more);
}

/// The momentum of the lowest energy, and others whose energy is the same, by symmetry or within the tolerance.
std::vector<Momentum> MomentumSearch::of_lowest_energy() const {
    std::vector<Momentum> all = stars_[lowest()];
    for (std::size_t i = 0; i < finished_; ++i)
        if (i != lowest() && energies_[i] - energies_[lowest()] <= 20 * std::max(tolerances_[i], tolerances_[lowest()]))
            all.insert(all.end(), stars_[i].begin(), stars_[i].end());
    return all;
}

/// Of all momenta whose energy is known, star by star.
std::vector<Quantity> MomentumSearch::energies_by_momentum() const {
    std::vector<Quantity> q;
    std::vector<Momentum> known;
    std::vector<double> star_of;
    constexpr std::size_t shown = 36;  // one by one; all are in the lists
    for (std::size_t i = 0; i < finished_; ++i) {
        known.insert(known.end(), stars_[i].begin(), stars_[i].end());
        star_of.insert(star_of.end(), stars_[i].size(), static_cast<double>(i));
        if (stars_.size() <= shown)
            q.push_back({"energy-" + name_of(stars_[i][0]), "energy", "lowest of this momentum", {energies_[i]}});
    }
    if (finished_ == 0) return q;
    for (std::size_t d = 0; d < model_.lattice.torus.size(); ++d) {
        Quantity& m =
            q.emplace_back(Quantity{d == 0 ? "momentum-x" : "momentum-y", "2 pi / N", "m of every momentum", {}});
        for (const Momentum& of : known) m.value.push_back(static_cast<double>(of[d]));
    }
    const auto add = [&](const char* name, const char* unit, const char* meaning, const std::vector<double>& of_star) {
        Quantity& list = q.emplace_back(Quantity{name, unit, meaning, {}});
        for (double star : star_of) list.value.push_back(of_star[static_cast<std::size_t>(star)]);
    };
    add("momentum-energies", "energy", "lowest of every momentum, in the order of momentum-x", energies_);
    add("momentum-residuals", "energy", "norms of H x - E x", residuals_);
    add("momentum-dimensions", "1", "states of this momentum", dimensions_);
    if (!automatic() && config_.degeneracy)
        add("momentum-degeneracies", "1", "states of this energy and momentum", multiplicities_);
    q.push_back({"momentum-stars", "1", "momenta of one number have the same energies by symmetry", star_of});
    for (Quantity& list : position_results(model_.lattice, known))
        if (list.name.starts_with("wave-vector"))
            q.push_back({"momentum-" + list.name, list.unit, list.meaning, list.value});
    return q;
}

std::vector<Quantity> MomentumSearch::results(const Series& series) const {
    if (series.rows() == 0) return {};
    std::vector<Quantity> q;
    if (final_part()) {
        q = current_->results(series);
    } else if (finished_ > 0) {
        q.push_back({"energy", "energy", "of the lowest state of all momenta so far, total", {energies_[lowest()]}});
        q.push_back(
            {"residual",
             "energy",
             "the largest of all momenta",
             {*std::max_element(residuals_.begin(), residuals_.begin() + static_cast<std::ptrdiff_t>(finished_))}});
    }
    for (Quantity& more : energies_by_momentum()) q.push_back(std::move(more));
    return q;
}

std::vector<Figure> MomentumSearch::performance(std::uint64_t steps, double seconds) const {
    return current_->performance(steps, seconds);
}

std::vector<std::string> MomentumSearch::description() const {
    std::vector<std::string> lines = largest_plan(config_, ranks_, rank_, threads_).description();
    std::size_t momenta = 0;
    for (const std::vector<Momentum>& star : stars_) momenta += star.size();
    lines.push_back(std::to_string(stars_.size()) + " of " + std::to_string(momenta) +
                    " momenta are searched one after the other; the others have the same energies by symmetry" +
                    (automatic() ? "; then the sector of the ground state" : ""));
    return lines;
}

/// Of the largest part: the operator of the first one is made already, and others may be complex.
MemoryPrediction MomentumSearch::memory() const {
    const LanczosPlan plan = largest_plan(config_, ranks_, rank_, threads_);
    const BackendKind backend = current_->memory().device.empty() ? BackendKind::cpu : BackendKind::cuda;
    return largest_memory(plan, GroundState::other_vectors(plan.config()), backend);
}

}  // namespace strata::lanczos
