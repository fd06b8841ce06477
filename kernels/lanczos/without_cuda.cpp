// SPDX-License-Identifier: BSD-3-Clause
// Replacement of the device kernels in a build without CUDA, where no device is ever found.
#include "kernels/lanczos/device_step.hpp"
#include "strata/error.hpp"

namespace strata::lanczos {

namespace {

[[noreturn]] void refuse() { throw Error(ExitCode::internal, "This build of strata has no CUDA kernels."); }

}  // namespace

template <class Real>
const DeviceStepKernels<Real>& device_step_kernels() {
    refuse();
}
template <class Real>
const DeviceStepKernels<Real>& symmetric_device_step_kernels() {
    refuse();
}
template const DeviceStepKernels<double>& device_step_kernels<double>();
template const DeviceStepKernels<float>& device_step_kernels<float>();
template const DeviceStepKernels<double>& symmetric_device_step_kernels<double>();
template const DeviceStepKernels<float>& symmetric_device_step_kernels<float>();

}  // namespace strata::lanczos
