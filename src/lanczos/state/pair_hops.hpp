// SPDX-License-Identifier: BSD-3-Clause
// Models that consist of the hops between one pair of sites, by which the density matrix is computed.
#pragma once

#include <utility>
#include <vector>

#include "lanczos/state/plan.hpp"

namespace strata::lanczos {

using SitePair = std::pair<int, int>;
/// The image +- c+_i c_j of a hop between different sites.
struct PairImage {
    SitePair sites;
    double sign;
};
/// A pair of different sites and its images under the symmetries of the sector.
std::vector<PairImage> images(const LanczosPlan& plan, SitePair pair);
/// A model whose only terms are c+_i c_j + h.c., or i c+_i c_j + h.c., summed over the images of the pair.
Model hops_of_pair(const LanczosPlan& plan, SitePair pair, bool imaginary);

}  // namespace strata::lanczos
