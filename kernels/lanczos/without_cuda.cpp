// SPDX-License-Identifier: BSD-3-Clause
// Takes the place of the device kernels in a build without CUDA, where no device is ever found.
#include "kernels/lanczos/device_step.hpp"
#include "strata/error.hpp"

namespace strata::lanczos {

template <class Real>
const DeviceStepKernels<Real>& device_step_kernels() {
    throw Error(ExitCode::internal, "This build of strata has no CUDA kernels.");
}
template const DeviceStepKernels<double>& device_step_kernels<double>();
template const DeviceStepKernels<float>& device_step_kernels<float>();

}  // namespace strata::lanczos
