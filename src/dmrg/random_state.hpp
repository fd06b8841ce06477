// SPDX-License-Identifier: BSD-3-Clause
// Tensors of a random matrix product state with orthonormal columns, the start of a renormalization.
#pragma once

#include "dmrg/sectors.hpp"

namespace strata::dmrg {

/// The tensor of a site in the enlarged right block `enlarged`, with about `states` states: most in sectors near the mean
/// filling of the sites to its left, and no more than the sites to its left can complete.
SiteTensor random_tensor(const Model& model, const EnlargedSectors& enlarged, int site, std::uint64_t states,
                         std::uint64_t seed);

}  // namespace strata::dmrg
