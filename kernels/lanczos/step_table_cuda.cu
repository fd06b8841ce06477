// SPDX-License-Identifier: BSD-3-Clause
// Tables of all device kernels of a step.
#include "kernels/lanczos/device_kernels.hpp"

namespace strata::lanczos {

template <class Real>
const DeviceStepKernels<Real>& device_step_kernels() {
    static const DeviceStepKernels<Real> table = {
        cuda::advance<Real>,       cuda::down_hops<Real>, cuda::up_hops<Real>,
        cuda::subspace_hops<Real>, cuda::pack_rows<Real>, cuda::draw<Real>,
    };
    return table;
}
template <class Real>
const DeviceStepKernels<Real>& symmetric_device_step_kernels() {
    static const DeviceStepKernels<Real> table = [] {
        DeviceStepKernels<Real> kernels = device_step_kernels<Real>();
        kernels.advance = cuda::symmetric_advance<Real>;
        kernels.down_hops = cuda::symmetric_down_hops<Real>;
        kernels.up_hops = cuda::symmetric_up_hops<Real>;
        kernels.project_onto_sector = cuda::project_onto_sector<Real>;
        return kernels;
    }();
    return table;
}
template const DeviceStepKernels<double>& device_step_kernels<double>();
template const DeviceStepKernels<float>& device_step_kernels<float>();
template const DeviceStepKernels<double>& symmetric_device_step_kernels<double>();
template const DeviceStepKernels<float>& symmetric_device_step_kernels<float>();

}  // namespace strata::lanczos
