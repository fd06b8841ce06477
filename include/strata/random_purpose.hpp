// SPDX-License-Identifier: BSD-3-Clause
// Purposes of random numbers: the last word of a Philox counter, so that two draws of one run never use the same
// counter. The other three words contain the global index, the step and all else that distinguishes draws.
// Swendsen-Wang has its own, denser counters (kernels/swendsen_wang/counters.hpp).
#pragma once

#include <cstdint>

namespace strata {

enum class RandomPurpose : std::uint32_t {
    lanczos_vector = 0x4c616e63,      ///< random start vectors: (row, number, subspace and draw)
    kronecker_operator = 0x4b724f70,  ///< elements of operators: (row, column, k and side, term)
    kronecker_vector = 0x4b725665,    ///< vectors: (element, its upper word, draw)
    dmrg_state = 0x446d5374,          ///< random tensors: (site and sector, column, row)
    dmrg_guess = 0x446d4773,          ///< random parts of guesses: (element, draw, its upper word)
    random_field = 0x54724669,        ///< disorder of the fields: (site)
    trotter_state = 0x54725374,       ///< random amplitudes: (basis state, its upper word, sample)
};

}  // namespace strata
