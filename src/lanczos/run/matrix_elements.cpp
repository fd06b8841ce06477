// SPDX-License-Identifier: BSD-3-Clause
// A step multiplies one state by one operator and takes its scalar products with all states.
#include "lanczos/run/matrix_elements.hpp"

#include <algorithm>
#include <cmath>

namespace strata::lanczos {

void check_elements(const Config& config, const LanczosConfig& c, InputErrors& found) {
    constexpr const char* key = "run.matrix-elements";
    if (c.elements.empty()) return;
    if (c.observables.source.empty()) return found.push_back(config.cite(key) + needs_definition(c.elements[0]));
    const std::vector<OwnObservable> all = observables_of(c);
    for (const std::string& name : c.elements) {
        if (std::ranges::count(c.elements, name) > 1) return found.push_back(config.cite(key) + " has a name twice.");
        try {
            named_operator(config, key, name, all, c.observables.source);
        } catch (const Error& error) {
            return found.push_back(error.what());
        }
    }
}

std::uint64_t elements_steps(const LanczosPlan& plan) { return plan.config().elements.size(); }

MatrixElements::MatrixElements(const LanczosPlan& plan, OperatorMeans& means, std::size_t states)
    : means_(means), states_(states) {
    if (plan.config().elements.empty()) return;
    const std::vector<OwnObservable> all = observables_of(plan.config());
    for (const std::string& name : plan.config().elements) {
        const auto o = std::ranges::find(all, name, &OwnObservable::name);
        operators_.push_back({name, o->text, static_cast<std::size_t>(o - all.begin())});
    }
    squares_.resize(operators_.size() * states_ * states_);
}

void MatrixElements::initialise() {
    std::ranges::fill(squares_, 0.0);
    steps_ = 0;
}

void MatrixElements::add_fields(Record& record) {
    if (!squares_.empty()) record.field("matrix-elements", std::span(squares_)).field("matrix-elements-steps", steps_);
}

void MatrixElements::step(const krylov::LowestStatesSolver& solver, krylov::VectorSpace& space,
                          DistributedVector& work) {
    const std::size_t op = steps_ / states_, n = steps_ % states_;
    means_.apply_observable(operators_[op].number, solver.vector(n), space, work);
    for (std::size_t m = 0; m < states_; ++m) square(op, m, n) = std::norm(space.dot(solver.vector(m), work));
    ++steps_;
}

std::vector<Quantity> MatrixElements::results(const std::vector<krylov::ComputedLevel>& levels) const {
    std::vector<Quantity> q;
    if (steps_ < total_steps()) return q;
    for (std::size_t op = 0; op < operators_.size(); ++op) {
        const double* squares = squares_.data() + op * states_ * states_;
        std::vector<double> means(states_ * states_);
        for (const krylov::ComputedLevel& of_m : levels)
            for (const krylov::ComputedLevel& of_n : levels) {
                const auto for_each = [&](const auto& body) {
                    for (std::size_t m = of_m.first; m < of_m.first + of_m.count; ++m)
                        for (std::size_t n = of_n.first; n < of_n.first + of_n.count; ++n) body(m * states_ + n);
                };
                double sum = 0;
                for_each([&](std::size_t at) { sum += squares[at]; });
                const bool resolved = of_m.resolved && of_n.resolved;
                for_each([&](std::size_t at) {
                    means[at] = resolved ? sum / static_cast<double>(of_m.count * of_n.count) : NAN;
                });
            }
        q.push_back(
            Quantity{operators_[op].name + "-elements", "1",
                     "|<m|O|n>|^2, averaged over the states of the levels of m and n, of O = " + operators_[op].text,
                     std::move(means)}
                .over("state", "other-state", states_));
    }
    return q;
}

}  // namespace strata::lanczos
