// SPDX-License-Identifier: BSD-3-Clause
// States of spins in the layout of rows that kernels of spin dynamics work on (kernels/trotter/state_layout.hpp).
#pragma once

#include <algorithm>
#include <complex>
#include <vector>

#include "kernels/trotter/state_layout.hpp"
#include "strata/buffer.hpp"

namespace strata::trotter {

/// A state in row layout.
template <class Real>
Buffer<Real> laid_out(const StateLayout& layout, const std::vector<std::complex<double>>& state) {
    Buffer<Real> memory(layout.reals(layout.rows()));
    std::fill(memory.begin(), memory.end(), Real(0));
    const std::uint64_t width = std::uint64_t{1} << layout.lane_bits;
    for (std::uint64_t x = 0; x < state.size(); ++x) {
        const std::uint64_t in_row = x % layout.row_amplitudes();
        Real* at = memory.data() + layout.row_offset(x / layout.row_amplitudes()) +
                   layout.block_offset(in_row / width) + in_row % width;
        at[0] = static_cast<Real>(state[x].real());
        at[width] = static_cast<Real>(state[x].imag());
    }
    return memory;
}

}  // namespace strata::trotter
