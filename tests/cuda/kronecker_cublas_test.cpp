// SPDX-License-Identifier: BSD-3-Clause
// Products on a device by grouped products of cuBLAS against those of the CPU: any shapes, rows and columns of one
// element, identities and copies between them. The emulation has a library of its own; on a device the real one is
// taken if there.
#include <dlfcn.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "cuda/schedule.hpp"
#include "superblock/device_operator.hpp"
#include "superblock/host_operator.hpp"
#include "support/kronecker_runs.hpp"
#include "support/kronecker_targets.hpp"
#include "support/world.hpp"

namespace strata::kronecker {
namespace {

#if defined(STRATA_EMULATION)
const std::vector<std::string> library = {STRATA_EMULATED_CUBLAS};
#else
const std::vector<std::string> library = DeviceOptions().cublas;
#endif

DeviceBinding binding() {
    DeviceBinding binding;
    binding.usable = true;
    binding.facts.name = "device";
    binding.facts.processors = 2;
    binding.route = DeviceRoute::staged;
    return binding;
}

class KroneckerCublas : public testing::Test {
  protected:
    void SetUp() override {
        next_schedule();
        if (dlopen(library.front().c_str(), RTLD_NOW) == nullptr && dlopen(library.back().c_str(), RTLD_NOW) == nullptr)
            GTEST_SKIP() << "no cuBLAS on this machine";
    }
};

/// C x on the device, computed twice, by cuBLAS, and on the CPU; all ranks have both.
template <class Real>
void expect_product_of_cpu(const Target& target, const OperatorSource& operators) {
    if (target.layout.columns() < static_cast<std::uint64_t>(world().size())) return;
    Timers timers;
    const MultiplyPlan plan(target, Partition::columns, world().size(), world().rank(), 1);
    DeviceOperator<Real> device(world(), plan, operators, {7, DeviceGemm::cublas, library}, binding(), timers);
    HostOperator<Real> host(world(), plan, operators, {.seed = 7}, timers);
    for (TargetOperator* op : {static_cast<TargetOperator*>(&device), static_cast<TargetOperator*>(&host)}) {
        op->allocate();
        op->draw(op->v(), 3);
        for (int repeat = 0; repeat < 2; ++repeat) op->product();
    }
    const std::vector<Real> found = state_elements<Real>(device, device.w()),
                            expected = state_elements<Real>(host, host.w());
    double scale = 0;
    for (const Real x : expected) scale = std::max(scale, std::abs(static_cast<double>(x)));
    const double tolerance = (sizeof(Real) == sizeof(float) ? 1e-5 : 1e-13) * scale;
    for (std::size_t i = 0; i < found.size(); ++i) EXPECT_NEAR(found[i], expected[i], tolerance) << i;
}

TEST_F(KroneckerCublas, ProductsAreThoseOfTheCpu) {
    for (unsigned seed = 1; seed <= 12; ++seed) {
        SCOPED_TRACE(testing::Message() << "seed " << seed);
        // sides of 1 to 3 make operands of single rows and columns, whose strides look alike
        const Target target = random_target(seed, 1 + seed % 5, seed % 3 == 0 ? 3 : 13, 1 + seed % 4);
        const StoredOperators operators(target, seed);
        expect_product_of_cpu<double>(target, operators);
        expect_product_of_cpu<float>(target, operators);
    }
}

/// Results with copies among their products are left to the own kernel.
TEST_F(KroneckerCublas, LeavesCopiesToTiles) {
    Target target{PatchLayout({{0, 0, {7, 4}}, {1, 0, {5, 9}}, {2, 0, {3, 3}}}), {}};
    Term copies = {0, 1, 1, Factor::identity, Factor::identity};
    copies.copies = {{{{1, 3}, {0, 2}}, 1, 7, -0.3}};
    target.terms = {{0, 0, 2}, copies, {0, 1, 3}, {1, 2, 1}, {2, 2, 2}};
    const DevicePlan plan(target, {0, target.layout.columns()}, DeviceGemm::cublas);
    EXPECT_EQ(plan.result_matrices().size(), 1U);
    EXPECT_FALSE(plan.result_tiles().empty());
    expect_product_of_cpu<double>(target, StoredOperators(target, 1));
}

TEST_F(KroneckerCublas, MemoryIsPredicted) {
    if (world().size() > 1) GTEST_SKIP() << "ranks share a device";
    const Target target = random_target(4, 5, 30, 4);
    const StoredOperators operators(target, 1);
    Timers timers;
    const MultiplyPlan plan(target, Partition::columns, 1, 0, 1);
    DeviceOperator<double> op(world(), plan, operators, {1, DeviceGemm::cublas, library}, binding(), timers);
    const std::uint64_t before = device::free_memory();
    op.allocate();
    const auto taken = static_cast<double>(before - device::free_memory());
    EXPECT_NEAR(static_cast<double>(op.memory(0).device_bytes()), taken, emulated ? 200 : 64e6);
    EXPECT_THAT(op.name(), testing::HasSubstr("cuBLAS"));
}

#if defined(STRATA_EMULATION)
/// The library is what computes them.
TEST_F(KroneckerCublas, CallsTheLibrary) {
    void* loaded = dlopen(STRATA_EMULATED_CUBLAS, RTLD_NOW);
    const auto groups = reinterpret_cast<std::uint64_t (*)()>(dlsym(loaded, "emulated_cublas_groups"));
    const Target target{PatchLayout({{0, 0, {7, 4}}, {1, 0, {5, 9}}}), {{0, 0, 2}, {0, 1, 3}}};
    if (world().size() > 1) GTEST_SKIP() << "columns of other ranks count there";
    const std::uint64_t before = groups();
    expect_product_of_cpu<double>(target, StoredOperators(target, 1));
    EXPECT_EQ(groups() - before, 2U * (3 + 3));  // two products of three blocks, left and right
}
#endif

TEST(KroneckerCublasLibrary, IsMissedInOneSentence) {
    const Queue<Cuda> queue;
    try {
        const CublasLibrary missing(queue, {"libno_such_blas.so.1", "libno_such_blas.so"});
        FAIL();
    } catch (const Error& error) {
        EXPECT_EQ(error.code(), ExitCode::bad_input);
        EXPECT_STREQ(
            error.what(),
            "backend.device-gemm = cublas: neither libno_such_blas.so.1 nor libno_such_blas.so can be loaded; "
            "install cuBLAS 12.5 or newer, add its folder to LD_LIBRARY_PATH, or use backend.device-gemm = own.");
    }
}

}  // namespace
}  // namespace strata::kronecker
