// SPDX-License-Identifier: BSD-3-Clause
// Tensors of a random matrix product state with orthonormal columns, the start of a renormalization.
#pragma once

#include "dmrg/sectors.hpp"

namespace strata::dmrg {

/// Which random numbers: those of a state, by its number below 4096, of a seed.
struct RandomStream {
    std::uint64_t seed = 1, state = 0;
};

/// The tensor of a site in the enlarged right block `enlarged`, with about `states` states: most in sectors near the mean
/// filling of the sites to its left, and no more than the sites to its left can complete.
SiteTensor random_tensor(const Model& model, const EnlargedSectors& enlarged, int site, std::uint64_t states,
                         const RandomStream& stream);

}  // namespace strata::dmrg
