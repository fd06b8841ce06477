// SPDX-License-Identifier: BSD-3-Clause
// Simplification examines only the last three diagonals of the sequence: a diagonal has all its factors once the
// transform after it is appended, and can then be the identity, which cancels, or K.
#include "trotter/physics/layers.hpp"

#include <algorithm>
#include <numbers>

namespace strata::trotter {
namespace {

constexpr double quarter = std::numbers::pi / 2;

bool is_rotation(const Diagonal& d, double angle) {
    return std::ranges::all_of(d.field, [&](double f) { return f == angle; }) &&
           std::ranges::all_of(d.coupling, [](double c) { return c == 0; });
}

void add_rotation(Diagonal& d, double angle) {
    for (double& f : d.field) f += angle;
}

}  // namespace

void LayerSequence::append_transform() {
    pending_.emplace_back(spins_);
    simplify();
}

void LayerSequence::append_quarter_rotation(double sign) { add_rotation(pending_.back().diagonal, sign * quarter); }

template <class Add>
void LayerSequence::in_basis_of(Axis axis, Add add) {
    if (axis == Axis::y) append_quarter_rotation(-1);
    if (axis != Axis::z) append_transform();
    add(pending_.back().diagonal);
    if (axis != Axis::z) append_transform();
    if (axis == Axis::y) append_quarter_rotation(+1);
}

void LayerSequence::append(Axis axis, const AxisTerms& terms, double t) {
    in_basis_of(axis, [&](Diagonal& d) {
        for (std::size_t j = 0; j < terms.field.size(); ++j) d.field[j] += terms.field[j] * t;
        for (std::size_t p = 0; p < terms.coupling.size(); ++p) d.coupling[p] += terms.coupling[p] * t;
    });
}

void LayerSequence::append_rotation(Axis axis, double angle, const std::vector<int>& spins) {
    in_basis_of(axis, [&](Diagonal& d) {
        for (int spin : spins) d.field[static_cast<std::size_t>(spin)] += angle;
    });
}

void LayerSequence::simplify() {
    if (pending_.size() < 3) return;
    Phases& last = pending_.back();
    const Phases& middle = pending_[pending_.size() - 2];
    Phases& before = pending_[pending_.size() - 3];
    const int turns = middle.quarter_turns;
    if (is_rotation(middle.diagonal, 0)) {  // W W = 1; `last` has no factor yet
        before.quarter_turns += turns + last.quarter_turns;
        pending_.resize(pending_.size() - 2, Phases(0));
        return;
    }
    for (double sign : {1.0, -1.0})
        if (is_rotation(middle.diagonal, sign * quarter)) {  // W K W = (-i)^N K^+ W K^+
            add_rotation(before.diagonal, -sign * quarter);
            before.quarter_turns += turns + static_cast<int>(-sign) * spins_;
            pending_.erase(pending_.end() - 2);
            append_quarter_rotation(-sign);
            return;
        }
}

std::optional<Phases> LayerSequence::take() {
    if (pending_.size() < 3) return std::nullopt;
    std::optional<Phases> first(std::move(pending_.front()));
    pending_.pop_front();
    return first;
}

std::deque<Phases> LayerSequence::finish() {
    std::deque<Phases> all(1, Phases(spins_));
    all.swap(pending_);
    return all;
}

}  // namespace strata::trotter
