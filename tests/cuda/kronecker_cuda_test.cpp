// SPDX-License-Identifier: BSD-3-Clause
// The Kronecker multiply on devices: the tiles of a plan, products against dense matrices and against the CPU, the same
// bits on any ranks, linear algebra, and whole runs. Plain arithmetic, as the emulation has it, gives the bits of the
// CPU; tensor cores may round in another way.
#include <gtest/gtest.h>

#include <cmath>
#include <numeric>
#include <vector>

#include "cuda/schedule.hpp"
#include "kronecker/physics/make_target.hpp"
#include "kronecker/run/repeated_product.hpp"
#include "superblock/device_operator.hpp"
#include "support/kronecker_jobs.hpp"
#include "support/kronecker_runs.hpp"
#include "support/kronecker_targets.hpp"
#include "support/restarts.hpp"
#include "support/world.hpp"

namespace strata::kronecker {
namespace {

using namespace superblock;

template <class Real>
void expect_like_cpu(const std::vector<Real>& found, const std::vector<Real>& expected) {
    if (emulated) {
        EXPECT_EQ(found, expected);
        return;
    }
    double scale = 0;
    for (const Real x : expected) scale = std::max(scale, std::abs(static_cast<double>(x)));
    const double tolerance = (sizeof(Real) == sizeof(float) ? 1e-5 : 1e-13) * scale;
    ASSERT_EQ(found.size(), expected.size());
    for (std::size_t i = 0; i < found.size(); ++i) EXPECT_NEAR(found[i], expected[i], tolerance) << i;
}

/// The operator of a plan on a device, or on the CPU without one.
template <class Real>
std::unique_ptr<TargetOperator> made(const Communicator& comm, const DeviceBinding* binding, const MultiplyPlan& plan,
                                     const OperatorSource& operators, Timers& timers) {
    const HostOptions options = {.seed = 7};
    const auto precision = sizeof(Real) == sizeof(float) ? krylov::Precision::single : krylov::Precision::double_;
    return (binding != nullptr ? device_operators(options, *binding) : host_operators(options))(comm, plan, operators,
                                                                                                precision, timers);
}

/// C x for the random vector of a seed; on the CPU without a device.
template <class Real>
std::vector<Real> product(const Target& target, const OperatorSource& operators, const Communicator& comm,
                          const DeviceBinding* binding) {
    Timers timers;
    const MultiplyPlan plan(target, Partition::columns, comm.size(), comm.rank(), 1);
    const auto op = made<Real>(comm, binding, plan, operators, timers);
    op->allocate();
    op->draw(op->v(), 3);
    for (int repeat = 0; repeat < 2; ++repeat) op->product();  // what the first one leaves behind is not seen
    return state_elements<Real>(*op, op->w());
}

/// All blocks of two large patches with K operators, and terms with identities.
Target target_of(std::uint64_t operators) {
    Target target{PatchLayout({{0, 0, {67, 2}}, {1, 0, {5, 15}}}), {}};
    for (std::size_t i = 0; i < 2; ++i)
        for (std::size_t j = i; j < 2; ++j) {
            target.terms.push_back({i, j, operators});
            if (i == j) target.terms.push_back({i, i, 1, Factor::identity, Factor::dense});
            if (i == j) target.terms.push_back({i, i, 1, Factor::dense, Factor::identity});
            if (i == j) target.terms.push_back({i, i, 1, Factor::identity, Factor::identity});
        }
    return target;
}

std::vector<Target> targets() {
    std::vector<Target> all;
    for (unsigned seed = 1; seed <= 10; ++seed) all.push_back(random_target(seed, 1 + seed % 5, 13, 1 + seed % 9));
    all.push_back(random_target(20, 1, 90, 2));  // a single patch
    all.push_back(make_target(kronecker_job("[model]\nsites = 12\nsaved-states = 60\noperators = 3\n")));
    return all;
}

class KroneckerCuda : public testing::Test {
  protected:
    void SetUp() override { next_schedule(); }
};

/// Every element of a result belongs to one tile.
TEST_F(KroneckerCuda, TilesCoverTheResults) {
    for (const Target& target : targets()) {
        const std::uint64_t columns = target.layout.columns();
        for (const Range own : {Range{0, columns}, Range{columns / 3, columns / 2 + 1}}) {
            const DevicePlan plan(target, own);
            const auto count = [&](std::initializer_list<const std::vector<Tile>*> lists, std::uint64_t size) {
                std::vector<int> found(size);
                for (const std::vector<Tile>* tiles : lists)
                    for (const Tile& t : *tiles)
                        for (std::uint64_t row = t.rows.first; row < t.rows.last; ++row)
                            for (std::uint64_t column = t.columns.first; column < t.columns.last; ++column)
                                ++found.at(t.first + row * t.row_stride + column * t.column_stride);
                return found;
            };
            EXPECT_EQ(count({&plan.own_tiles(), &plan.gathered_tiles()}, plan.scratch_reals()),
                      std::vector<int>(plan.scratch_reals(), 1));
            std::vector<int> expected;  // patches without terms get nothing
            for (std::size_t i = 0; i < target.layout.size(); ++i) {
                const bool any = std::ranges::any_of(plan.blocks(), [i](const DeviceBlock& b) { return b.to == i; });
                expected.insert(expected.end(), target.layout.part_of(i, own).size() * target.layout[i].r, any ? 1 : 0);
            }
            EXPECT_EQ(count({&plan.result_tiles()}, expected.size()), expected);
        }
    }
}

TEST_F(KroneckerCuda, ProductsAreThoseOfTheDenseMatrix) {
    const DeviceBinding binding = test_device();
    unsigned seed = 0;
    for (const Target& target : targets()) {
        const StoredOperators operators(target, ++seed);
        if (target.layout.columns() < static_cast<std::uint64_t>(world().size()) || target.layout.elements() > 3000)
            continue;
        Timers timers;
        const MultiplyPlan plan(target, Partition::columns, world().size(), world().rank(), 1);
        DeviceOperator<double> op(world(), plan, operators, 7, binding, timers);
        op.allocate();
        op.draw(op.v(), 3);
        op.product();
        const std::vector<double> x = state_elements<double>(op, op.v()), y = state_elements<double>(op, op.w()),
                                  c = dense_matrix(target, operators);
        for (std::size_t row = 0; row < x.size(); ++row) {
            double exact = 0, scale = 0;
            for (std::size_t column = 0; column < x.size(); ++column) {
                exact += c[row * x.size() + column] * x[column];
                scale += std::abs(c[row * x.size() + column] * x[column]);
            }
            EXPECT_NEAR(y[row], exact, 1e-14 * scale) << row;
        }
    }
}

/// The products of one rank are computed by the ranks in turn and shared.
template <class Real>
void expect_products_of_cpu(const std::vector<Target>& targets, const std::vector<unsigned>& seeds, DeviceRoute route) {
    const Communicator self = Communicator::alone();
    const DeviceBinding small = test_device(route, 1), large = test_device(route, 40);
    const auto size = static_cast<std::size_t>(world().size()), rank = static_cast<std::size_t>(world().rank());
    std::vector<std::vector<Real>> of_one_rank(targets.size());
    for (std::size_t i = rank; i < targets.size(); i += size) {
        const StoredOperators operators(targets[i], seeds[i]);
        of_one_rank[i] = product<Real>(targets[i], operators, self, &small);
        expect_like_cpu(of_one_rank[i], product<Real>(targets[i], operators, self, nullptr));
    }
    for (std::size_t i = 0; i < targets.size(); ++i) {
        SCOPED_TRACE(testing::Message() << "target " << i);
        share(of_one_rank[i], static_cast<int>(i % size));
        if (targets[i].layout.columns() < size) continue;
        const StoredOperators operators(targets[i], seeds[i]);
        EXPECT_EQ(product<Real>(targets[i], operators, world(), &large), of_one_rank[i]);  // other ranks, another grid
    }
}

TEST_F(KroneckerCuda, ProductsAreThoseOfTheCpuOnAnyRanks) {
    const std::vector<Target> all = targets();
    std::vector<unsigned> seeds(all.size());
    std::iota(seeds.begin(), seeds.end(), 101U);
    expect_products_of_cpu<double>(all, seeds, DeviceRoute::staged);
    expect_products_of_cpu<float>(all, seeds, DeviceRoute::staged);
}

TEST_F(KroneckerCuda, AnyNumberOfOperators) {
    std::vector<Target> every, fourth;
    std::vector<unsigned> seeds, of_fourth;
    for (unsigned k = 1; k <= 17; ++k) {
        every.push_back(target_of(k));
        seeds.push_back(k);
        if (k % 4 != 1) continue;
        fourth.push_back(every.back());
        of_fourth.push_back(k);
    }
    expect_products_of_cpu<double>(every, seeds, DeviceRoute::staged);
    expect_products_of_cpu<float>(fourth, of_fourth, DeviceRoute::staged);
}

/// Copies of parts of a patch, back and forth and within one, between other terms.
TEST_F(KroneckerCuda, CopiesOfParts) {
    Target target = target_of(2);
    Term between = {0, 1, 1, Factor::identity, Factor::identity},
         within = {1, 1, 1, Factor::identity, Factor::identity};
    between.copies = {{{{60, 64}, {0, 2}}, 1, 7, -0.3}, {{{3, 4}, {1, 2}}, 0, 2, 1.7}};
    within.copies = {{{{0, 2}, {0, 3}}, 3, 9, 0.1}, {{{3, 5}, {9, 12}}, 0, 0, 0.1}};
    target.terms.insert(target.terms.begin() + 4, {between, between});
    target.terms.push_back(within);
    expect_products_of_cpu<double>({target}, {3}, DeviceRoute::staged);
    expect_products_of_cpu<float>({target}, {3}, DeviceRoute::staged);
}

TEST_F(KroneckerCuda, DeviceMemoryHandedToMpi) {
    if (!mpi_reads_device_memory()) GTEST_SKIP() << "this MPI does not read device memory";
    expect_products_of_cpu<double>({random_target(3, 5, 13, 4)}, {1}, DeviceRoute::direct);
}

/// What solvers do with vectors, one thing after another; all numbers and vectors that come out.
template <class Real>
std::vector<Real> algebra(const Target& target, const OperatorSource& operators, const DeviceBinding* binding) {
    Timers timers;
    const MultiplyPlan plan(target, Partition::columns, world().size(), world().rank(), 1);
    const auto owned = made<Real>(world(), binding, plan, operators, timers);
    TargetOperator& op = *owned;
    op.allocate();
    op.space().reserve_basis(5);
    std::vector<DistributedVector> basis;
    std::vector<Real> out;
    const auto number = [&](double x) { out.push_back(static_cast<Real>(x)); };
    const auto vector = [&](DistributedVector& x) {
        const std::vector<Real> elements = state_elements<Real>(op, x);
        out.insert(out.end(), elements.begin(), elements.end());
    };
    for (std::uint64_t i = 0; i < 5; ++i) {
        basis.push_back(op.space().vector());
        op.draw(basis.back(), i);
        op.space().orthogonalise(basis, i, basis[i]);
        op.space().axpby(1 / op.space().norm(basis[i]), basis[i], 0, basis[i], basis[i]);
        number(op.space().sum(basis[i]));
    }
    number(op.space().dot(basis[0], basis[1]).real());
    op.space().copy(basis[0], op.v());
    op.space().copy(basis[1], op.w());
    const krylov::PairProducts p = op.multiply({0.3, 0.5, 2});
    for (const double x : {p.vw, p.ww, p.vv}) number(x);
    vector(op.v());
    vector(op.w());
    number(op.space().axpby_norm(0.7, op.v(), -0.2, op.w(), &op.w()));
    const auto q = op.apply(basis[2]);
    for (const double x : {q.vw, q.ww, q.vv}) number(x);
    for (const krylov::Complex& x : op.space().orthogonalise(basis, 5, op.w())) number(x.real());
    for (double size = 1; size > 1e-4; size /= 1.2) {  // the square of a short vector is far below its other products
        op.space().axpby(size, basis[2], size, basis[3], op.w());
        const std::vector<krylov::Complex> factors = {0.0, 0.3 * size, -0.7 * size};
        const krylov::Projection left = op.space().subtract_and_project(basis, factors, op.w());
        for (const krylov::Complex& x : left.components) number(x.real());
        number(left.square);
    }
    vector(op.w());
    std::vector<krylov::Complex> c;
    for (int i = 0; i < 15; ++i) c.push_back(std::sin(i));
    op.space().rotate(basis, 5, c, 3);
    for (DistributedVector& x : basis) vector(x);
    return out;
}

TEST_F(KroneckerCuda, LinearAlgebraIsThatOfTheCpu) {
    const DeviceBinding binding = test_device();
    for (const unsigned seed : {8U, 9U}) {
        const Target target = random_target(seed, 5, 40, 4);
        const StoredOperators operators(target, seed);
        expect_like_cpu(algebra<double>(target, operators, &binding), algebra<double>(target, operators, nullptr));
        expect_like_cpu(algebra<float>(target, operators, &binding), algebra<float>(target, operators, nullptr));
    }
}

/// Sums of any magnitude have the bits of the host, and not numbers stay visible.
TEST_F(KroneckerCuda, SumsOverSegmentsAreThoseOfTheHost) {
    const Queue<Cuda> queue;
    Timers timers;
    for (const std::uint64_t all : {std::uint64_t{40}, std::uint64_t{3000}}) {
        const Range own =
            equal_part(all, static_cast<std::uint64_t>(world().size()), static_cast<std::uint64_t>(world().rank()));
        krylov::ExactSums<Cuda> sums(world(), {&queue}, own.size(), timers);
        krylov::ExactSums<Cpu> expected(world(), {1}, own.size(), timers);
        sums.reserve(3);
        expected.reserve(3);
        for (const double scale : {1e-280, 1.0, 1e200}) {
            std::vector<double> values(3 * own.size());  // [segment][sum]
            for (std::uint64_t i = 0; i < own.size(); ++i) {
                const auto x = static_cast<double>(own.first + i);
                const double terms[] = {scale * std::sin(x), scale * std::cos(x) * 1e-9, x == 7 ? NAN : scale};
                std::ranges::copy(terms, values.begin() + static_cast<std::ptrdiff_t>(3 * i));
            }
            std::ranges::copy(values, expected.partial());
            copy_to_device(queue, View<double, Cuda>(sums.partial(), values.size()), std::span<const double>(values));
            const std::vector<double>&found = sums.total(3), &host = expected.total(3);
            EXPECT_EQ(found[0], host[0]);
            EXPECT_EQ(found[1], host[1]);
            EXPECT_TRUE(std::isnan(found[2]) && std::isnan(host[2]));
        }
    }
}

TEST_F(KroneckerCuda, MemoryIsPredicted) {
    if (world().size() > 1) GTEST_SKIP() << "ranks share a device";
    const Target target = make_target(kronecker_job("[model]\nsites = 12\nsaved-states = 100\noperators = 5\n"));
    const StoredOperators operators(target, 1);
    const DeviceBinding binding = test_device();
    Timers timers;
    const MultiplyPlan plan(target, Partition::columns, 1, 0, 1);
    DeviceOperator<double> op(world(), plan, operators, 1, binding, timers);
    const std::uint64_t before = device::free_memory();
    op.allocate();
    op.space().reserve_basis(4);
    std::vector<DistributedVector> basis;
    for (int i = 0; i < 4; ++i) basis.push_back(op.space().vector());
    const std::uint64_t taken = before - device::free_memory();
    EXPECT_NEAR(static_cast<double>(op.memory(4).device_bytes()), static_cast<double>(taken), emulated ? 1e3 : 64e6);
}

const std::string small_model = "[model]\nsites = 8\nsaved-states = 14\noperators = 3\n";

std::unique_ptr<Application> products_on(const std::string& job, const DeviceBinding* binding) {
    const KroneckerConfig c = kronecker_job(job);
    const KroneckerPlan plan(c, world().size(), world().rank(), 1);
    const HostOptions options = {.seed = c.seed};
    return std::make_unique<RepeatedProduct>(
        world(), plan, binding == nullptr ? host_operators(options) : device_operators(options, *binding));
}

/// A run on the device, one on the CPU, and two that move between them.
TEST_F(KroneckerCuda, RunsAreThoseOfTheCpuAndMoveBetweenThem) {
    const std::string job = small_model + "[run]\nrepeats = 4\n";
    const DeviceBinding binding = test_device();
    std::vector<std::vector<double>> last;
    for (const DeviceBinding* first : {static_cast<const DeviceBinding*>(nullptr), &binding})
        for (const DeviceBinding* second : {static_cast<const DeviceBinding*>(nullptr), &binding}) {
            const auto begun = products_on(job, first), ended = products_on(job, second);
            hand_over(*begun, *ended, 2);
            const Series series = run_steps(*ended, 2);
            if (!world().is_root()) continue;
            const std::span<const double> row = series.row(series.rows() - 1);
            last.emplace_back(row.begin(), row.end());
            EXPECT_EQ(ended->broken_invariant(row), "");
        }
    for (const std::vector<double>& row : last)
        for (std::size_t i = 0; i < row.size(); ++i) EXPECT_NEAR(row[i], last[0][i], 1e-10);
}

}  // namespace
}  // namespace strata::kronecker
