// SPDX-License-Identifier: BSD-3-Clause
// Tables of device kernels: every pointer is set.
#include <gtest/gtest.h>

#include "kernels/lanczos/device_step.hpp"
#include "kernels/swendsen_wang/device_sweep.hpp"
#include "kernels/trotter/device_energies.hpp"
#include "kernels/vectors/vector_kernels.hpp"
#include "support/null_pointers.hpp"

namespace strata {
namespace {

template <class Real>
void expect_whole_tables() {
    EXPECT_EQ(null_pointers(lanczos::device_step_kernels<Real>()), 1);  // project_onto_sector is for symmetries
    EXPECT_EQ(null_pointers(lanczos::symmetric_device_step_kernels<Real>()), 0);
    EXPECT_EQ(null_pointers(trotter::device_pass_kernels<Real>()), 0);
    EXPECT_EQ(null_pointers(trotter::device_sum_kernels<Real>()), 0);
    for (const auto arithmetic : {vectors::Arithmetic::real, vectors::Arithmetic::complex})
        EXPECT_EQ(null_pointers(vectors::device_vector_kernels<Real>(arithmetic)), 0);
}

TEST(KernelTables, AreWholeOnDevices) {
    EXPECT_EQ(null_pointers(swendsen_wang::device_sweep_kernels()), 0);
    expect_whole_tables<double>();
    expect_whole_tables<float>();
}

}  // namespace
}  // namespace strata
