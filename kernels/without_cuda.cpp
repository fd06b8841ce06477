// SPDX-License-Identifier: BSD-3-Clause
// In the place of all device kernels in a build without CUDA, where no device is ever found.
#include "kernels/lanczos/device_step.hpp"
#include "kernels/swendsen_wang/device_sweep.hpp"
#include "strata/error.hpp"

namespace strata {
namespace {

[[noreturn]] void no_kernels() { throw Error(ExitCode::internal, "This build of strata has no CUDA kernels."); }

}  // namespace

const swendsen_wang::DeviceSweepKernels& swendsen_wang::device_sweep_kernels() { no_kernels(); }

template <class Real>
const lanczos::DeviceStepKernels<Real>& lanczos::device_step_kernels() {
    no_kernels();
}
template const lanczos::DeviceStepKernels<double>& lanczos::device_step_kernels<double>();
template const lanczos::DeviceStepKernels<float>& lanczos::device_step_kernels<float>();

}  // namespace strata
