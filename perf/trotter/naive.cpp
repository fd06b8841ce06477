// SPDX-License-Identifier: BSD-3-Clause
// Naive baseline: all passes are limited by the memory bandwidth if the state is larger than the caches.
#include "naive.hpp"

#include <bit>

#include "amplitude_vector.hpp"

namespace strata::perf {
namespace {

template <Rotation rotation, int spin = 0>
void rotate_low_spins(View<Amplitude> state, int threads) {
    if constexpr (spin < vector_bits) {
#pragma omp parallel for schedule(static) num_threads(threads)
        for (std::uint64_t i = 0; i < state.size(); i += vector_size)
            store(state.data() + i, rotate_within<rotation, spin>(load(state.data() + i)));
        rotate_low_spins<rotation, spin + 1>(state, threads);
    }
}

/// Rotates the pairs (i, i + distance) of a spin; i is the index of the pair with a zero inserted at the bit of the
/// spin.
template <Rotation rotation>
void rotate_high_spin(View<Amplitude> state, int spin, int threads) {
    const std::uint64_t distance = std::uint64_t{1} << spin;
#pragma omp parallel for schedule(static) num_threads(threads)
    for (std::uint64_t pair = 0; pair < state.size() / 2; pair += vector_size) {
        Amplitude* up = state.data() + (pair & ~(distance - 1)) + pair;
        AmplitudeVector a = load(up), b = load(up + distance);
        rotate_pair<rotation>(a, b);
        store(up, a);
        store(up + distance, b);
    }
}

template <Rotation rotation>
void rotate(View<Amplitude> state, int threads) {
    rotate_low_spins<rotation>(state, threads);
    for (int spin = vector_bits; spin < std::countr_zero(state.size()); ++spin)
        rotate_high_spin<rotation>(state, spin, threads);
}

void multiply(View<Amplitude> state, const Amplitude* phases, int threads) {
#pragma omp parallel for schedule(static) num_threads(threads)
    for (std::uint64_t i = 0; i < state.size(); i += vector_size)
        store(state.data() + i, product(load(state.data() + i), load(phases + i)));
}

}  // namespace

void naive_step(const Splitting& splitting, View<Amplitude> state, int threads) {
    for (const Operation& operation : splitting.operations())
        if (operation.kind == Operation::Kind::phases)
            multiply(state, operation.phases, threads);
        else if (operation.rotation == Rotation::forward)
            rotate<Rotation::forward>(state, threads);
        else
            rotate<Rotation::backward>(state, threads);
}

}  // namespace strata::perf
