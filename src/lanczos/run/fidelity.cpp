// SPDX-License-Identifier: BSD-3-Clause
// Near 1 the fidelity follows from the part of one state that is orthogonal to the other one, whose norm has no cancellation.
#include "lanczos/run/fidelity.hpp"

#include <cmath>

#include "lanczos/physics/make_model.hpp"
#include "lanczos/run/ground_state_report.hpp"
#include "lanczos/run/initial_state.hpp"
#include "strata/formatted.hpp"

namespace strata::lanczos {
namespace {

/// Names of the memory and of the checkpoint's arrays of H'.
constexpr const char* fidelity_suffix = " of the second Hamiltonian";
constexpr const char* fidelity_prefix = "second-";

/// Overlap below which both states count as orthogonal.
constexpr double orthogonal = 1e-7;

LanczosConfig second_config(const LanczosConfig& config) {
    LanczosConfig second = config;
    static_cast<ModelConfig&>(second) = *config.fidelity.model;
    second.fidelity = {};
    return second;
}

std::unique_ptr<const LanczosPlan> second_plan(const LanczosPlan& plan) {
    if (!plan.config().fidelity.model) return nullptr;
    return std::make_unique<const LanczosPlan>(plan.for_model(make_model(second_config(plan.config()))));
}

}  // namespace

void check_fidelity(const Config& config, const LanczosConfig& c, const Model& model, InputErrors& found) {
    if (!c.fidelity.model) return;
    const std::string cited = config.cite("fidelity.parameter");
    if (!c.vectors || !c.degeneracy)
        found.push_back(cited +
                        " needs the ground state and the search for degenerate ones; leave run.vectors and "
                        "run.degeneracy at yes.");
    if (c.symmetry.several())
        found.push_back(cited + " is not possible with sector.momentum = " + config.text("sector.momentum") +
                        "; give one momentum.");
    else
        check_other_model(c, second_config(c), model, cited, found);
}

std::vector<OtherOperator> fidelity_operator(const LanczosPlan& plan) {
    const auto second = second_plan(plan);
    if (second == nullptr) return {};
    return {{*second, fidelity_suffix}};
}

Fidelity::Fidelity(const LanczosPlan& plan, const MakeHamiltonian& make, Timers& timers)
    : plan_(plan),
      other_plan_(second_plan(plan)),
      other_(other_plan_ == nullptr ? nullptr : make(*other_plan_, timers)) {
    if (other_ != nullptr)
        solver_ = std::make_unique<krylov::GroundStateSolver>(*other_, ground_state_options(plan.config(), 1), timers);
}

void Fidelity::add_memory(MemoryPrediction& memory) const {
    if (other_ != nullptr) memory.add(other_->memory(0), fidelity_suffix);
}

void Fidelity::allocate() {
    if (solver_ == nullptr) return;
    other_->allocate();
    solver_->allocate();
}

void Fidelity::initialise() {
    products_ = {};
    if (solver_ != nullptr) solver_->initialise();
}

void Fidelity::add_state(std::vector<DistributedArray>& arrays) {
    if (solver_ == nullptr) return;
    add_working_pair(*other_, fidelity_prefix, arrays);
    solver_->add_state(arrays, fidelity_prefix);
    arrays.push_back(Record("fidelity").field("overlap", products_.overlap).field("rest", products_.rest).array());
}

void Fidelity::step(const DistributedVector& ground_state, krylov::VectorSpace& space) {
    solver_->step();
    if (!solver_->done() || solver_->states() == 0) return;
    const krylov::DistributedVector& second = solver_->vector(0);
    const Complex overlap = space.dot(ground_state, second);
    products_ = {std::abs(overlap), space.axpby_norm(1, second, -overlap, ground_state, nullptr)};
}

bool Fidelity::is_single() const {
    return solver_->done() && solver_->states() == 1 && solver_->degeneracy() == krylov::Degeneracy::complete;
}

std::string Fidelity::shortfall() const {
    if (solver_ == nullptr || !solver_->done()) return {};
    const std::string why = ground_state_shortfall(*solver_, plan_.config());
    return why.empty() ? why : "There is no fidelity, since the second ground state is not known. " + why;
}

std::string Fidelity::remark() const {
    if (solver_ == nullptr) return {};
    if (!solver_->done() || !is_single())
        return "No fidelity is given: the ground states of both Hamiltonians must be known to be the only ones of "
               "their "
               "energies in the sector.";
    if (products_.overlap < orthogonal)
        return "The ground states of both Hamiltonians are orthogonal: levels cross between them, and there is no "
               "fidelity susceptibility.";
    return {};
}

std::vector<Quantity> Fidelity::results() const {
    if (solver_ == nullptr || !is_single()) return {};
    const double step = plan_.config().fidelity.step,
                 logarithm = products_.rest < 0.5 ? 0.5 * std::log1p(-products_.rest) : std::log(products_.overlap);
    const bool crossed = products_.overlap < orthogonal;
    return {{"fidelity",
             "1",
             "|<0|0'>| of the ground states of H and of H', in which fidelity.parameter is larger by fidelity.step",
             {crossed ? products_.overlap : std::exp(logarithm)}},
            {"fidelity-susceptibility",
             "1/energy^2",
             "-2 ln(fidelity) / step^2, of the middle of the step; nan where levels cross",
             {crossed ? NAN : -2 * logarithm / (step * step)}},
            {"second-energy", "energy", "of the ground state of H', total", {solver_->energy()}}};
}

}  // namespace strata::lanczos
