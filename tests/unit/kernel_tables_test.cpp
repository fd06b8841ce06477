// SPDX-License-Identifier: BSD-3-Clause
// Tables of kernels of all instruction sets: every pointer is set.
#include <gtest/gtest.h>

#include "kernels/kronecker/block_product.hpp"
#include "kernels/lanczos/step_kernels.hpp"
#include "kernels/swendsen_wang/sweep_kernels.hpp"
#include "kernels/trotter/pass_kernels.hpp"
#include "kernels/vectors/vector_kernels.hpp"
#include "support/null_pointers.hpp"

namespace strata {
namespace {

template <class Kernels>
void expect_whole(const std::vector<Kernels>& variants, std::ptrdiff_t unused = 0) {
    for (const Kernels& table : variants) EXPECT_EQ(null_pointers(table), unused) << table.name;
}

template <class Real>
void expect_whole_tables() {
    expect_whole(lanczos::step_variants<Real>(), 1);  // project_onto_sector is for symmetries
    expect_whole(lanczos::symmetric_step_variants<Real>());
    expect_whole(lanczos::orbit_step_variants<Real>(), 2);  // panels of one number are never transposed
    expect_whole(trotter::pass_variants<Real>());
    expect_whole(kronecker::block_variants<Real>());
    for (const auto arithmetic : {vectors::Arithmetic::real, vectors::Arithmetic::complex})
        expect_whole(vectors::vector_variants<Real>(arithmetic));
}

TEST(KernelTables, AreWhole) {
    expect_whole(swendsen_wang::sweep_variants());
    expect_whole_tables<double>();
    expect_whole_tables<float>();
}

}  // namespace
}  // namespace strata
