// SPDX-License-Identifier: BSD-3-Clause
// Replacement of the device kernels in a build without CUDA, where no device is ever found.
#include "kernels/kronecker/device_tiles.hpp"
#include "strata/error.hpp"

namespace strata::kronecker {
namespace {

[[noreturn]] void refuse() { throw Error(ExitCode::internal, "This build of strata has no CUDA kernels."); }

}  // namespace

void device_largest(const Queue<Cuda>&, const double*, std::uint64_t, std::uint64_t, double*) { refuse(); }
void device_exact_sums(const Queue<Cuda>&, const double*, std::uint64_t, std::uint64_t, double, FixedPointSum*) {
    refuse();
}

template <class Real>
const DeviceKernels<Real>& device_kernels() {
    refuse();
}
template const DeviceKernels<double>& device_kernels<double>();
template const DeviceKernels<float>& device_kernels<float>();

}  // namespace strata::kronecker
