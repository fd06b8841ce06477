// SPDX-License-Identifier: BSD-3-Clause
// The recurrence T_{k+1} = 2 x T_k - T_{k-1} on states, and the product with H.
#include "trotter/run/chebyshev.hpp"

namespace strata::trotter {

Chebyshev::Chebyshev(const TrotterPlan& plan, std::unique_ptr<SpinState> first, std::unique_ptr<SpinState> second)
    : spins_(plan.layout().spins), first_(std::move(first)), second_(std::move(second)) {
    const StateLayout& layout = plan.layout();
    for (const Leg leg : {Leg::forward, Leg::back}) {
        const SpinHamiltonian h = plan.drive().at(0, leg);
        const double t = leg == Leg::forward ? plan.config().step : -plan.config().step;
        Motion& motion = motions_.emplace_back();
        motion.bounds = spectral_bounds(h);
        motion.series = chebyshev_series(motion.bounds, t, plan.config().tolerance);
        for (const Axis axis : all_axes)
            if (h[axis].has_terms()) motion.energies[index_of(axis)] = diagonal(h[axis], spins_);
        const FlipTerms others(h.others);
        motion.products = lay_out(others, layout.row_bits, layout.lane_bits);
        motion.centre = motion.bounds.centre() - others.constant();
    }
}

void Chebyshev::allocate() {
    first_->allocate();
    second_->allocate();
}

/// From the basis of z to that of x (W), from there to that of y (W K^+ W), and back to that of z.
void Chebyshev::multiply(const Motion& m, SpinState& from, SpinState& to, double factor, double keep) {
    const auto& [x, y, z] = m.energies;
    const double a = m.bounds.radius() > 0 ? factor / m.bounds.radius() : 0;
    to.add_energies(z ? *z : Diagonal(spins_), {z ? a : 0, -a * m.centre, keep}, from);
    if (!m.products.empty()) to.add_products(m.products, a, from);
    LayerSequence change(spins_);
    const auto add = [&](const Diagonal& energy) {
        const std::deque<Phases> layers = change.finish();
        for (SpinState* vector : {&from, &to}) run_layers(*vector, layers);
        to.add_energies(energy, {a, 0, 1}, from);
    };
    if (x) {
        change.append_transform();
        add(*x);
        change.append_transform();
    }
    if (y) {
        change.append_quarter_rotation(-1);
        change.append_transform();
        add(*y);
        change.append_transform();
        change.append_quarter_rotation(+1);
    }
    if (!x && !y) return;
    const std::deque<Phases> layers = change.finish();
    for (SpinState* vector : {&from, &to}) run_layers(*vector, layers);
}

void Chebyshev::step(SpinState& psi, Leg leg) {
    const Motion& m = motions_[leg == Leg::forward ? 0 : 1];
    const std::vector<Complex>& c = m.series.coefficients;
    SpinState *before = first_.get(), *now = second_.get();
    now->combine(1, psi, 0);
    psi.combine(c[0], *now, 0);
    for (std::size_t k = 1; k < c.size(); ++k) {
        std::swap(before, now);
        multiply(m, *before, *now, k == 1 ? 1 : 2, k == 1 ? 0 : -1);
        psi.combine(c[k], *now, 1);
    }
}

}  // namespace strata::trotter
