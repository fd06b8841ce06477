// SPDX-License-Identifier: BSD-3-Clause
// Products on a device by grouped products of cuBLAS, with which the benchmark compares, against those of the program's
// own tiles on the same memory: any shapes, rows and columns of one element. The emulation has a library of its own; on a
// device the real one is taken if there.
#include <dlfcn.h>
#include <gtest/gtest.h>

#include <cmath>

#include "cuda/schedule.hpp"
#include "grouped_products.hpp"
#include "strata/error.hpp"
#include "superblock/device_plan.hpp"
#include "support/error_of.hpp"
#include "support/kronecker_targets.hpp"

namespace strata::perf {
namespace {

using namespace strata::kronecker;
using namespace strata::superblock;

#if defined(STRATA_EMULATION)
const std::vector<std::string> files = {STRATA_EMULATED_CUBLAS};
#else
const std::vector<std::string> files = {"libcublas.so.13", "libcublas.so.12"};
#endif

class KroneckerCublas : public testing::Test {
  protected:
    void SetUp() override {
        next_schedule();
        if (dlopen(files.front().c_str(), RTLD_NOW) == nullptr && dlopen(files.back().c_str(), RTLD_NOW) == nullptr)
            GTEST_SKIP() << "no cuBLAS on this machine";
    }
};

/// Memory of a product, operators and the vector x random, y 0.
template <class Real>
struct Problem {
    Problem(const DevicePlan& plan, std::uint64_t elements)
        : pool(plan.pool_reals()), x(elements), scratch(plan.scratch_reals()), y(elements) {
        std::mt19937_64 engine(1);
        std::uniform_real_distribution<Real> uniform(-1, 1);
        for (Buffer<Real, Cuda>* of : {&pool, &x, &scratch, &y}) {
            std::vector<Real> numbers(of->size());
            for (Real& number : numbers) number = of == &y ? 0 : uniform(engine);
            copy_to_device(queue, of->view(), std::span<const Real>(numbers));
            queue.wait();
        }
    }
    TileMemory<Real> memory(Real* result) const {
        return {{pool.data(), x.data(), nullptr, scratch.data()}, result, result == y.data()};
    }
    std::vector<Real> result() {
        std::vector<Real> numbers(y.size());
        copy_to_host(queue, std::span<Real>(numbers), View<const Real, Cuda>(y.view()));
        queue.wait();
        return numbers;
    }

    Queue<Cuda> queue;
    Buffer<Real, Cuda> pool, x, scratch, y;
};

template <class Real>
std::vector<Real> by_tiles(const DevicePlan& plan, std::uint64_t elements) {
    Problem<Real> p(plan, elements);
    Buffer<TileProduct, Cuda> products(plan.products().size());
    copy_to_device(p.queue, products.view(), std::span<const TileProduct>(plan.products()));
    for (const auto& [tiles, to] :
         {std::pair(&plan.own_tiles(), p.scratch.data()), {&plan.result_tiles(), p.y.data()}}) {
        Buffer<Tile, Cuda> table(tiles->size());
        copy_to_device(p.queue, table.view(), std::span<const Tile>(*tiles));
        multiply_tiles(p.queue, products.data(), table.data(), table.size(), 2, p.memory(to));
        p.queue.wait();
    }
    return p.result();
}

/// Computed twice, so that the tables are written twice.
template <class Real>
std::vector<Real> by_cublas(const DevicePlan& plan, std::uint64_t elements) {
    Problem<Real> p(plan, elements);
    const CublasLibrary library(p.queue, files);
    GroupedProducts<Real> left(library, p.queue, whole_results(plan.own_tiles()), plan.products());
    GroupedProducts<Real> right(library, p.queue, whole_results(plan.result_tiles()), plan.products());
    for (int repeat = 0; repeat < 2; ++repeat) {
        left.multiply(p.memory(p.scratch.data()));
        right.multiply(p.memory(p.y.data()));
        p.queue.wait();
    }
    return p.result();
}

template <class Real>
void expect_same_products(const Target& target) {
    const DevicePlan plan(target, {0, target.layout.columns()});
    const std::vector<Real> expected = by_tiles<Real>(plan, target.layout.elements()),
                            found = by_cublas<Real>(plan, target.layout.elements());
    double scale = 0;
    for (const Real x : expected) scale = std::max(scale, std::abs(static_cast<double>(x)));
    const double tolerance = (sizeof(Real) == sizeof(float) ? 1e-5 : 1e-13) * scale;
    for (std::size_t i = 0; i < found.size(); ++i) EXPECT_NEAR(found[i], expected[i], tolerance) << i;
}

/// Sides of 1 to 3 make operands of single rows and columns, whose strides look alike; sides of 150 several tiles.
TEST_F(KroneckerCublas, ProductsAreThoseOfTiles) {
    for (unsigned seed = 1; seed <= 12; ++seed) {
        SCOPED_TRACE(testing::Message() << "seed " << seed);
        Target target = random_target(seed, 1 + seed % 5, seed % 3 == 0 ? 3 : seed == 10 ? 150 : 13, 1 + seed % 4);
        std::erase_if(target.terms, [](const Term& t) { return t.right == Factor::identity; });  // copies
        expect_same_products<double>(target);
        expect_same_products<float>(target);
    }
}

#if defined(STRATA_EMULATION)
/// The library is what computes them.
TEST_F(KroneckerCublas, CallsTheLibrary) {
    void* loaded = dlopen(STRATA_EMULATED_CUBLAS, RTLD_NOW);
    const auto groups = reinterpret_cast<std::uint64_t (*)()>(dlsym(loaded, "emulated_cublas_groups"));
    const Target target{PatchLayout({{0, 0, {7, 4}}, {1, 0, {5, 9}}}), {{0, 0, 2}, {0, 1, 3}}};
    const std::uint64_t before = groups();
    by_cublas<double>(DevicePlan(target, {0, target.layout.columns()}), target.layout.elements());
    EXPECT_EQ(groups() - before, 2U * (3 + 3));  // two products of three blocks, left and right
}
#endif

TEST(KroneckerCublasLibrary, IsMissedInOneSentence) {
    const Queue<Cuda> queue;
    const auto load = [&] { const CublasLibrary missing(queue, {"libno_such_blas.so.1", "libno_such_blas.so"}); };
    EXPECT_EQ(error_of(ExitCode::bad_input, load),
              "cuBLAS cannot be used: neither libno_such_blas.so.1 nor libno_such_blas.so can be loaded; "
              "install cuBLAS 12.5 or newer, or add its folder to LD_LIBRARY_PATH.");
}

}  // namespace
}  // namespace strata::perf
