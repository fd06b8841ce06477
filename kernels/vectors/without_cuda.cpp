// SPDX-License-Identifier: BSD-3-Clause
// Replacement of the device kernels in a build without CUDA, where no device is ever found.
#include "kernels/vectors/exact_sums.hpp"
#include "kernels/vectors/vector_kernels.hpp"
#include "strata/error.hpp"

namespace strata::vectors {
namespace {

[[noreturn]] void refuse() { throw Error(ExitCode::internal, "This build of strata has no CUDA kernels."); }

}  // namespace

void exact_sums(const Workers<Cuda>&, const double*, std::uint64_t, std::uint64_t, ExactSum*) { refuse(); }

template <class Real>
const VectorKernels<Cuda, Real>& device_vector_kernels(Arithmetic) {
    refuse();
}
template const VectorKernels<Cuda, double>& device_vector_kernels<double>(Arithmetic);
template const VectorKernels<Cuda, float>& device_vector_kernels<float>(Arithmetic);

}  // namespace strata::vectors
