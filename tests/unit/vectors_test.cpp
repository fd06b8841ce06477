// SPDX-License-Identifier: BSD-3-Clause
// Linear algebra of vectors in every instruction set against plain loops, bit by bit, in the order of sums that
// kernels/vectors/segments.hpp states; for devices in emulation, too (tests/cuda/vectors_cuda_test.cpp).
#include "support/plain_vectors.hpp"

namespace strata::vectors {
namespace {

template <class Real>
void expect_plain_vectors() {
    for (const Arithmetic arithmetic : {Arithmetic::real, Arithmetic::complex})
        for (const VectorKernels<Cpu, Real>& kernels : vector_variants<Real>(arithmetic)) {
            SCOPED_TRACE(kernels.name);
            for (const int threads : {1, 3}) {
                std::vector<double> scratch(rotation_scratch<Cpu>(4, 0, threads));
                expect_plain(kernels, arithmetic, Workers<Cpu>{threads}, scratch.data(), HostCopies());
            }
        }
}

TEST(Vectors, AreThoseOfPlainLoopsInEveryInstructionSet) {
    expect_plain_vectors<double>();
    expect_plain_vectors<float>();
}

}  // namespace
}  // namespace strata::vectors
