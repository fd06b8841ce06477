// SPDX-License-Identifier: BSD-3-Clause
// States of a few spins as vectors of amplitudes, with transforms and diagonal gates as loops over them, and states in
// the row layout of the program.
#pragma once

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstddef>
#include <cstdint>
#include <numbers>
#include <random>
#include <vector>

#include "kernels/trotter/diagonal.hpp"
#include "kernels/trotter/state_layout.hpp"
#include "strata/buffer.hpp"

namespace strata::trotter {

using Complex = std::complex<double>;
using State = std::vector<Complex>;

inline State random_state(int spins, unsigned seed) {
    std::mt19937_64 engine(seed);
    std::normal_distribution<double> normal;
    State state(std::size_t{1} << spins);
    for (Complex& amplitude : state) amplitude = {normal(engine), normal(engine)};
    return state;
}

inline Diagonal random_diagonal(int spins, unsigned seed) {
    std::mt19937_64 engine(seed);
    std::normal_distribution<double> normal;
    Diagonal diagonal(spins);
    for (double& field : diagonal.field) field = normal(engine);
    for (double& coupling : diagonal.coupling) coupling = normal(engine);
    return diagonal;
}

inline double sz(std::size_t basis, int j) { return 0.5 - static_cast<double>(basis >> j & 1); }

/// Applies the normalised transform W to one spin.
inline void transform(State& state, int j) {
    const std::size_t bit = std::size_t{1} << j;
    for (std::size_t x = 0; x < state.size(); ++x) {
        if ((x & bit) != 0) continue;
        const Complex zero = state[x], one = state[x | bit];
        state[x] = (zero + one) * std::numbers::sqrt2 / 2.0;
        state[x | bit] = (zero - one) * std::numbers::sqrt2 / 2.0;
    }
}

inline void transform(State& state, int first, int end) {
    for (int j = first; j < end; ++j) transform(state, j);
}

/// Applies exp(-i E) with the terms of a diagonal gate.
inline void apply(const Diagonal& diagonal, State& state) {
    for (std::size_t x = 0; x < state.size(); ++x) {
        double energy = 0;
        for (int k = 0; k < diagonal.spins(); ++k) {
            energy += diagonal.field[static_cast<std::size_t>(k)] * sz(x, k);
            for (int j = 0; j < k; ++j) energy += diagonal.angle(j, k) * sz(x, j) * sz(x, k);
        }
        state[x] *= std::polar(1.0, -energy);
    }
}

inline double distance(const State& a, const State& b) {
    double largest = 0;
    for (std::size_t i = 0; i < a.size(); ++i) largest = std::max(largest, std::abs(a[i] - b[i]));
    return largest;
}

/// A state in row layout, with its rows in slabs as the ranks of a node hold them.
template <class Real>
class Rows {
  public:
    Rows(const StateLayout& layout, int slabs, const State& state) : layout_(layout), slabs_(slabs) {
        for (int s = 0; s < slabs; ++s) {
            memory_.emplace_back(layout.reals(slab_rows()));
            std::fill_n(memory_.back().data(), layout.reals(slab_rows()), Real(0));
        }
        for (auto& slab : memory_) pointers_.push_back(slab.data());
        for (std::size_t x = 0; x < state.size(); ++x) {
            at(x)[0] = static_cast<Real>(state[x].real());
            at(x)[lanes()] = static_cast<Real>(state[x].imag());
        }
    }
    State state() {
        State state(std::size_t{1} << layout_.spins);
        for (std::size_t x = 0; x < state.size(); ++x)
            state[x] = {static_cast<double>(at(x)[0]), static_cast<double>(at(x)[lanes()])};
        return state;
    }
    std::uint64_t slab_rows() const { return layout_.rows() / static_cast<std::uint64_t>(slabs_); }
    Real* slab(int s) { return memory_[static_cast<std::size_t>(s)].data(); }
    Real* const* slabs() { return pointers_.data(); }

  private:
    std::size_t lanes() const { return std::size_t{1} << layout_.lane_bits; }
    Real* at(std::size_t x) {
        const std::size_t row = x >> layout_.row_bits, within = x & (layout_.row_amplitudes() - 1);
        return slab(static_cast<int>(row / slab_rows())) + layout_.row_offset(row % slab_rows()) +
               layout_.block_offset(within >> layout_.lane_bits) + (within & (lanes() - 1));
    }
    StateLayout layout_;
    int slabs_;
    std::vector<Buffer<Real>> memory_;
    std::vector<Real*> pointers_;
};

template <class Real>
constexpr int lane_bits = sizeof(Real) == 8 ? 3 : 4;

}  // namespace strata::trotter
