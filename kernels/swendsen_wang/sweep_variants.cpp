// SPDX-License-Identifier: BSD-3-Clause
// Tables of sweep kernels that this processor can run. Each one is made by sweep_variant.cpp, compiled for its
// instruction set.
#include "kernels/swendsen_wang/sweep_kernels.hpp"
#include "kernels/variants.hpp"

namespace strata::swendsen_wang {

SweepKernels sweep_kernels(instruction_set::portable);
SweepKernels sweep_kernels(instruction_set::x86_64_v3);
SweepKernels sweep_kernels(instruction_set::avx512);

const std::vector<SweepKernels>& sweep_variants() {
    static const std::vector<SweepKernels> variants = usable_variants([](auto set) { return sweep_kernels(set); });
    return variants;
}

}  // namespace strata::swendsen_wang
