// SPDX-License-Identifier: BSD-3-Clause
// Replacement of the device kernels in a build without CUDA, where no device is ever found.
#include "kernels/swendsen_wang/device_sweep.hpp"
#include "strata/error.hpp"

namespace strata::swendsen_wang {

const DeviceSweepKernels& device_sweep_kernels() {
    throw Error(ExitCode::internal, "This build of strata has no CUDA kernels.");
}

}  // namespace strata::swendsen_wang
