// SPDX-License-Identifier: BSD-3-Clause
// States of the q-state Potts model as binary digits: digit k of the states of 64 sites is one word, as the spins of
// the Ising model are (q = 2). States are drawn for all sites of a tile at once; a cluster takes the one of its minimal
// site.
#pragma once

#include <bit>
#include <cstdint>

#include "strata/backend.hpp"

namespace strata::swendsen_wang {

constexpr int max_states = 256;  ///< a state is the payload of a border label, one byte
constexpr int max_state_bits = 8;

/// Binary digits of a state 0 .. states - 1.
constexpr int state_bits_of(int states) { return std::bit_width(static_cast<unsigned>(states) - 1); }

/// Calls of four random words that draw_states() takes: 48 digits, of which a power of two needs only the first few.
/// The probability of a state deviates from 1 / q by less than q / 2^48 of it, and not at all for a power of two.
constexpr int state_calls(int states) {
    return std::has_single_bit(static_cast<unsigned>(states)) ? (state_bits_of(states) + 3) / 4 : 12;
}

/// Writes the digits of state = floor(q u) of each site of a word W, u uniform below 1. The digits of u are the random
/// words of draws(call, words), the least significant first: state <- floor((state + q digit) / 2) for each of them,
/// where floor is exact because q and the state are integers.
template <class W, class Draws>
STRATA_HOST_DEVICE void draw_states(int states, const Draws& draws, W (&state)[max_state_bits]) {
    for (W& digit : state) digit = W{};
    for (int call = 0; call < state_calls(states); ++call) {
        W words[4];
        draws(call, words);
        for (const W& random : words) {
            W carry = {}, sum[max_state_bits + 1];
            for (int k = 0; k < max_state_bits; ++k) {
                const W added = states >> k & 1 ? random : W{};
                sum[k] = state[k] ^ added ^ carry;
                carry = (state[k] & added) | (carry & (state[k] ^ added));
            }
            sum[max_state_bits] = carry ^ (states >> max_state_bits & 1 ? random : W{});
            for (int k = 0; k < max_state_bits; ++k) state[k] = sum[k + 1];
        }
    }
}

}  // namespace strata::swendsen_wang
