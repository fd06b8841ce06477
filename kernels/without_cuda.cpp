// SPDX-License-Identifier: BSD-3-Clause
// Replacement of all .cu files in a build without CUDA, where no device is ever found.
#include "kernels/kronecker/device_tiles.hpp"
#include "kernels/lanczos/device_step.hpp"
#include "kernels/swendsen_wang/device_sweep.hpp"
#include "kernels/trotter/device_energies.hpp"
#include "kernels/vectors/exact_sums.hpp"
#include "strata/error.hpp"

namespace strata {
namespace {

[[noreturn]] void refuse() { throw Error(ExitCode::internal, "This build of strata has no CUDA kernels."); }

}  // namespace

namespace swendsen_wang {
const DeviceSweepKernels& device_sweep_kernels() { refuse(); }
}  // namespace swendsen_wang

namespace lanczos {
template <class Real>
const DeviceStepKernels<Real>& device_step_kernels() {
    refuse();
}
template <class Real>
const DeviceStepKernels<Real>& symmetric_device_step_kernels() {
    refuse();
}
template <class Real>
const DeviceStepKernels<Real>& orbit_device_step_kernels() {
    refuse();
}
template const DeviceStepKernels<double>& device_step_kernels();
template const DeviceStepKernels<float>& device_step_kernels();
template const DeviceStepKernels<double>& symmetric_device_step_kernels();
template const DeviceStepKernels<float>& symmetric_device_step_kernels();
template const DeviceStepKernels<double>& orbit_device_step_kernels();
template const DeviceStepKernels<float>& orbit_device_step_kernels();
}  // namespace lanczos

namespace trotter {
template <class Real>
const DevicePassKernels<Real>& device_pass_kernels() {
    refuse();
}
template <class Real>
const DeviceSumKernels<Real>& device_sum_kernels() {
    refuse();
}
template const DevicePassKernels<double>& device_pass_kernels();
template const DevicePassKernels<float>& device_pass_kernels();
template const DeviceSumKernels<double>& device_sum_kernels();
template const DeviceSumKernels<float>& device_sum_kernels();
}  // namespace trotter

namespace kronecker {
template <class Real>
void multiply_tiles(const Queue<Cuda>&, const TileProduct*, const Tile*, std::uint64_t, unsigned,
                    const TileMemory<Real>&) {
    refuse();
}
template void multiply_tiles(const Queue<Cuda>&, const TileProduct*, const Tile*, std::uint64_t, unsigned,
                             const TileMemory<double>&);
template void multiply_tiles(const Queue<Cuda>&, const TileProduct*, const Tile*, std::uint64_t, unsigned,
                             const TileMemory<float>&);
}  // namespace kronecker

namespace vectors {
template <class Real>
const VectorKernels<Cuda, Real>& device_vector_kernels(Arithmetic) {
    refuse();
}
template const VectorKernels<Cuda, double>& device_vector_kernels(Arithmetic);
template const VectorKernels<Cuda, float>& device_vector_kernels(Arithmetic);
void exact_sums(const Workers<Cuda>&, const double*, std::uint64_t, std::uint64_t, ExactSum*) { refuse(); }
}  // namespace vectors

}  // namespace strata
