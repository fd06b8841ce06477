// SPDX-License-Identifier: BSD-3-Clause
// One function per instruction set that the build compiled the sweep for (kernels/CMakeLists.txt).
#pragma once

#include "kernels/swendsen_wang/sweep_kernels.hpp"

#ifndef STRATA_ISA
#define STRATA_ISA portable
#endif

namespace strata::swendsen_wang {
namespace portable {
SweepKernels kernels();
}
namespace x86_64_v3 {
SweepKernels kernels();
}
namespace avx512 {
SweepKernels kernels();
}
}  // namespace strata::swendsen_wang
