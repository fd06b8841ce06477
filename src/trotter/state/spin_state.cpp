// SPDX-License-Identifier: BSD-3-Clause
// Order of the passes, which is the same for all backends.
#include "trotter/state/spin_state.hpp"

namespace strata::trotter {

void run_layers(SpinState& states, const std::deque<Phases>& layers, std::uint64_t done) {
    for (std::size_t i = 0; i < layers.size(); ++i, ++done)
        states.pass(done % 2 == 0 ? Group::within_row : Group::across_rows, layers[i], done > 0, i + 1 < layers.size());
}

}  // namespace strata::trotter
