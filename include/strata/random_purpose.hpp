// SPDX-License-Identifier: BSD-3-Clause
// What random numbers are drawn for, in one place: the last word of a Philox counter, so that two draws of one run
// never use the same word. The other three words name the global index, the step and whatever else tells one draw from
// another. Swendsen-Wang packs its own purposes more tightly (kernels/swendsen_wang/counters.hpp).
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
