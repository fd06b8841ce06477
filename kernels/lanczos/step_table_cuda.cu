// SPDX-License-Identifier: BSD-3-Clause
// Tables of all device kernels of a step.
#include "kernels/lanczos/device_kernels.hpp"

namespace strata::lanczos {

template <class Real>
const DeviceStepKernels<Real>& device_step_kernels() {
    static const DeviceStepKernels<Real> table = {
        .advance = cuda::advance<Real>,
        .down_hops = cuda::down_hops<Real>,
        .up_hops = cuda::up_hops<Real>,
        .subspace_hops = cuda::subspace_hops<Real>,
        .pack_rows = cuda::pack_rows<Real>,
        .draw = cuda::draw<Real>,
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
