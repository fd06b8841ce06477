// SPDX-License-Identifier: BSD-3-Clause
// Tables of sweep kernels that this processor can run. Each one is made by sweep_variant.cpp, compiled for its
// instruction set.
#include "kernels/swendsen_wang/sweep_kernels.hpp"
#include "kernels/variants.hpp"

namespace strata::swendsen_wang {

STRATA_DECLARE_VARIANTS(SweepKernels sweep_kernels)

const std::vector<SweepKernels>& sweep_variants() {
    return usable_variants([](auto set) { return sweep_kernels(set); });
}

}  // namespace strata::swendsen_wang
