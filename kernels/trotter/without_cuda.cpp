// SPDX-License-Identifier: BSD-3-Clause
// Replacement of the device kernels in a build without CUDA, where no device is ever found.
#include "kernels/trotter/device_energies.hpp"
#include "strata/error.hpp"

namespace strata::trotter {

template <class Real>
const DevicePassKernels<Real>& device_pass_kernels() {
    throw Error(ExitCode::internal, "This build of strata has no CUDA kernels.");
}
template const DevicePassKernels<double>& device_pass_kernels<double>();
template const DevicePassKernels<float>& device_pass_kernels<float>();

template <class Real>
const DeviceSumKernels<Real>& device_sum_kernels() {
    throw Error(ExitCode::internal, "This build of strata has no CUDA kernels.");
}
template const DeviceSumKernels<double>& device_sum_kernels<double>();
template const DeviceSumKernels<float>& device_sum_kernels<float>();

}  // namespace strata::trotter
