// SPDX-License-Identifier: BSD-3-Clause
// Parts of a vector on the ranks that read them; products with a target against its dense matrix; equal bits on any
// ranks and threads; linear algebra.
#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

#include "comm/patch_exchange.hpp"
#include "kronecker/job/config.hpp"
#include "kronecker/physics/make_target.hpp"
#include "support/kronecker_jobs.hpp"
#include "support/kronecker_runs.hpp"
#include "support/kronecker_targets.hpp"
#include "support/world.hpp"

namespace strata::kronecker {
namespace {

using namespace superblock;

/// Random ranges of `elements` elements for the ranks; some may be empty.
std::vector<Range> random_cuts(std::mt19937& engine, std::uint64_t elements) {
    std::vector<std::uint64_t> cuts = {0, elements};
    for (int r = 1; r < world().size(); ++r)
        cuts.push_back(std::uniform_int_distribution<std::uint64_t>(0, elements)(engine));
    std::ranges::sort(cuts);
    std::vector<Range> owned;
    for (std::size_t r = 0; r + 1 < cuts.size(); ++r) owned.push_back({cuts[r], cuts[r + 1]});
    return owned;
}

template <class Real>
void check_exchange(unsigned seed, Sharing sharing) {
    std::mt19937 engine(seed);  // the same on all ranks
    const std::uint64_t elements = 97;
    const std::vector<Range> owned = random_cuts(engine, elements);
    std::vector<std::vector<Range>> pieces(static_cast<std::size_t>(world().size()));
    for (std::vector<Range>& of_rank : pieces)
        for (std::uint64_t at = engine() % 5; at < elements; at += engine() % 7) {
            const std::uint64_t last = std::min<std::uint64_t>(elements, at + 1 + engine() % 20);
            of_rank.push_back({at, last});
            at = last;
        }
    const std::vector<Range>& mine = pieces[static_cast<std::size_t>(world().rank())];
    const Node node(world(), sharing, 1 << 12);
    PatchExchange exchange(world(), node, owned, mine, sizeof(Real));
    const Range own = owned[static_cast<std::size_t>(world().rank())];
    std::vector<NodeBuffer> buffers;
    for (int i = 0; i < 2; ++i) buffers.emplace_back(node, exchange.own_doubles());
    for (int round = 0; round < 5; ++round) {
        const NodeBuffer& x = buffers[static_cast<std::size_t>(round % 2)];
        for (std::uint64_t e = own.first; e < own.last; ++e)
            reinterpret_cast<Real*>(x.own())[e - own.first] = static_cast<Real>(1000 * round) + static_cast<Real>(e);
        exchange.start(x);
        exchange.finish(x);
        for (std::size_t i = 0; i < mine.size(); ++i)
            for (std::uint64_t e = mine[i].first; e < mine[i].last; ++e)
                EXPECT_EQ(static_cast<const Real*>(exchange.piece(i, x))[e - mine[i].first],
                          static_cast<Real>(1000 * round) + static_cast<Real>(e));
        all_max(world(), 0);
    }
}

TEST(PatchExchanges, BringEveryPieceFromItsOwners) {
    for (const std::size_t limit : {std::size_t{24}, std::size_t{1} << 30}) {
        set_message_limit(limit);
        for (unsigned seed = 1; seed <= 20; ++seed)
            for (const Sharing sharing : {Sharing::allowed, Sharing::none}) {
                check_exchange<double>(seed, sharing);
                check_exchange<float>(seed, sharing);
            }
    }
}

/// Distribution of a product over ranks and threads.
struct Spread {
    const Communicator& comm;
    Partition partition = Partition::columns;
    int threads = 1;
    HostOptions options = {};
};

/// C x for the random vector x of a seed.
template <class Real>
std::vector<Real> product(const Target& target, const OperatorSource& operators, const Spread& spread) {
    Timers timers;
    const MultiplyPlan plan(target, spread.partition, spread.comm.size(), spread.comm.rank(), spread.threads);
    HostOptions options = spread.options;
    options.seed = 7;
    HostOperator<Real> op(spread.comm, plan, operators, options, timers);
    op.allocate();
    op.draw(op.v(), 3);
    op.product();
    return all_elements(op, op.w());
}

/// The random vector of product().
template <class Real>
std::vector<Real> start(const Target& target, const OperatorSource& operators) {
    Timers timers;
    const Communicator self = Communicator::alone();
    const MultiplyPlan plan(target, Partition::columns, 1, 0, 1);
    HostOperator<Real> op(self, plan, operators, {.seed = 7}, timers);
    op.allocate();
    op.draw(op.v(), 3);
    return all_elements(op, op.v());
}

std::vector<Target> small_targets() {
    std::vector<Target> targets;
    for (unsigned seed = 1; seed <= 12; ++seed) targets.push_back(random_target(seed, 1 + seed % 6, 11, 1 + seed % 9));
    targets.push_back(random_target(20, 1, 40, 9));  // a single patch
    targets.push_back(random_target(21, 9, 3, 1));
    for (const char* job : {"sites = 12\nsaved-states = 60\noperators = 3\n",
                            "sites = 8\nsaved-states = 40\noperators = 5\nrule = moore\nwidth = 0.2\n"}) {
        const KroneckerConfig c = kronecker_job(std::string("[model]\n") + job);
        targets.push_back(make_target(c));
    }
    return targets;
}

TEST(KroneckerProducts, AreThoseOfTheDenseMatrix) {
    unsigned seed = 0;
    for (const Target& target : small_targets()) {
        SCOPED_TRACE(testing::Message() << "target " << seed << " of " << target.layout.size() << " patches");
        const StoredOperators operators(target, ++seed);
        const std::vector<double> x = start<double>(target, operators), c = dense_matrix(target, operators);
        const std::vector<float> x_single = start<float>(target, operators);
        if (target.layout.columns() < static_cast<std::uint64_t>(world().size())) continue;
        const std::vector<double> y = product<double>(target, operators, {world()});
        const std::vector<float> y_single = product<float>(target, operators, {world()});
        const std::size_t n = x.size();
        for (std::size_t row = 0; row < n; ++row) {
            double exact = 0, exact_single = 0, scale = 0;
            for (std::size_t column = 0; column < n; ++column) {
                exact += c[row * n + column] * x[column];
                exact_single += c[row * n + column] * static_cast<double>(x_single[column]);
                scale += std::abs(c[row * n + column] * x[column]);
            }
            EXPECT_NEAR(y[row], exact, 1e-14 * scale) << row;
            EXPECT_NEAR(static_cast<double>(y_single[row]), exact_single, 2e-6 * scale) << row;
        }
    }
}

template <class Real>
void expect_same_bits(const Target& target, const OperatorSource& operators) {
    const Communicator self = Communicator::alone();
    const std::vector<Real> expected = product<Real>(target, operators, {self});
    EXPECT_EQ(product<Real>(target, operators, {self, Partition::columns, 3}), expected);
    EXPECT_EQ(product<Real>(target, operators, {self, Partition::columns, 1, {.simd = "portable"}}), expected);
    for (const Partition partition : {Partition::rows, Partition::columns}) {
        const std::uint64_t most = partition == Partition::rows ? target.layout.size() : target.layout.columns();
        if (most < static_cast<std::uint64_t>(world().size())) continue;
        for (const int threads : {1, 2})
            for (const Sharing sharing : {Sharing::allowed, Sharing::none})
                EXPECT_EQ(product<Real>(target, operators, {world(), partition, threads, {.sharing = sharing}}),
                          expected);
    }
}

TEST(KroneckerProducts, HaveTheSameBitsOnAnyRanksAndThreads) {
    unsigned seed = 100;
    for (const Target& target : small_targets()) {
        const StoredOperators operators(target, ++seed);
        expect_same_bits<double>(target, operators);
        expect_same_bits<float>(target, operators);
    }
}

/// Products with unit vectors are the columns of C, computed by the kernels: a half-stored block must give equal
/// elements in both of its directions.
TEST(KroneckerProducts, AreSymmetricToTheLastBit) {
    const Target target = random_target(5, 4, 6, 5);
    const StoredOperators operators(target, 5);
    if (target.layout.columns() < static_cast<std::uint64_t>(world().size())) GTEST_SKIP() << "too few columns";
    Timers timers;
    const MultiplyPlan plan(target, Partition::columns, world().size(), world().rank(), 1);
    HostOperator<double> op(world(), plan, operators, {}, timers);
    op.allocate();
    const std::uint64_t n = plan.layout().elements();
    std::vector<std::vector<double>> c;
    for (std::uint64_t e = 0; e < n; ++e) {
        op.space().clear(op.v());
        if (plan.elements().contains(e)) HostOperator<double>::elements(op.v())[e - plan.elements().first] = 1;
        op.product();
        c.push_back(all_elements(op, op.w()));
    }
    for (std::uint64_t i = 0; i < n; ++i)
        for (std::uint64_t j = 0; j < n; ++j) EXPECT_EQ(c[i][j], c[j][i]);
}

/// Steps of the recurrence, sums and linear algebra.
TEST(KroneckerOperators, DoLinearAlgebra) {
    const Target target = random_target(8, 5, 9, 4);
    if (target.layout.columns() < static_cast<std::uint64_t>(world().size())) GTEST_SKIP() << "too few columns";
    const StoredOperators operators(target, 8);
    Timers timers;
    const MultiplyPlan plan(target, Partition::columns, world().size(), world().rank(), 2);
    HostOperator<double> op(world(), plan, operators, {}, timers);
    op.allocate();
    op.space().reserve_basis(3);
    std::vector<DistributedVector> basis;
    for (std::uint64_t i = 0; i < 3; ++i) {
        basis.push_back(op.space().vector());
        op.draw(basis.back(), i);
    }
    std::vector<std::vector<double>> b;
    for (const DistributedVector& x : basis) b.push_back(all_elements(op, x));
    const auto exact_dot = [](const std::vector<double>& x, const std::vector<double>& y) {
        double sum = 0;
        for (std::size_t i = 0; i < x.size(); ++i) sum += x[i] * y[i];
        return sum;
    };
    EXPECT_NEAR(op.space().dot(basis[0], basis[1]).real(), exact_dot(b[0], b[1]), 1e-13);
    EXPECT_NEAR(op.space().norm(basis[2]), std::sqrt(exact_dot(b[2], b[2])), 1e-13);
    EXPECT_NEAR(op.space().sum(basis[2]), std::accumulate(b[2].begin(), b[2].end(), 0.0), 1e-12);
    // v_k = (w - alpha v) / beta, then w = C v_k - beta v
    op.space().copy(basis[0], op.v());
    op.space().copy(basis[1], op.w());
    const krylov::PairProducts products = op.multiply({0.3, 0.5, 2});
    const std::vector<double> v = all_elements(op, op.v()), w = all_elements(op, op.w()),
                              c = dense_matrix(target, operators);
    for (std::size_t i = 0; i < v.size(); ++i) {
        EXPECT_NEAR(v[i], 0.5 * (b[1][i] - 0.3 * b[0][i]), 1e-14);
        double exact = -2 * b[0][i];
        for (std::size_t j = 0; j < v.size(); ++j) exact += c[i * v.size() + j] * v[j];
        EXPECT_NEAR(w[i], exact, 1e-12);
    }
    EXPECT_NEAR(products.vw, exact_dot(v, w), 1e-11);
    EXPECT_NEAR(products.ww, exact_dot(w, w), 1e-10);
    EXPECT_NEAR(products.vv, exact_dot(v, v), 1e-12);
    // the result is orthogonal to all three
    for (std::size_t i = 0; i < 3; ++i) {
        op.space().orthogonalise(basis, i, basis[i]);
        op.space().axpby(1 / op.space().norm(basis[i]), basis[i], 0, basis[i], basis[i]);
    }
    op.space().orthogonalise(basis, 3, op.w());
    for (const DistributedVector& x : basis) EXPECT_NEAR(op.space().dot(x, op.w()).real(), 0, 1e-13);
    const std::vector<double> b0 = all_elements(op, basis[0]), b1 = all_elements(op, basis[1]);
    op.space().rotate(basis, 2, {0.6, 0.8, -0.8, 0.6}, 2);
    const std::vector<double> r0 = all_elements(op, basis[0]), r1 = all_elements(op, basis[1]);
    for (std::size_t i = 0; i < r0.size(); ++i) {
        EXPECT_NEAR(r0[i], 0.6 * b0[i] + 0.8 * b1[i], 1e-15);
        EXPECT_NEAR(r1[i], -0.8 * b0[i] + 0.6 * b1[i], 1e-15);
    }
}

}  // namespace
}  // namespace strata::kronecker
