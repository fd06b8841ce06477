// SPDX-License-Identifier: BSD-3-Clause
// Products of one block in every instruction set against loops over the operators, in both directions, for all kinds of
// K, odd shapes, identities and ranges of columns. Instruction sets, directions and ranges give equal bits.
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <random>
#include <string>

#include "kernels/kronecker/block_product.hpp"
#include "kernels/kronecker/pool_walk.hpp"
#include "strata/buffer.hpp"

namespace strata::kronecker {
namespace {

/// A block with random operators, A_k(a, c) and B_k(p, q).
struct Operators {
    BlockShape shape;
    std::vector<double> a, b;

    Operators(const BlockShape& s, unsigned seed) : shape(s) {
        std::mt19937_64 engine(seed);
        std::uniform_real_distribution<double> uniform(-1, 1);
        a.resize(s.operators * s.to.l * s.from.l);
        b.resize(s.operators * s.to.r * s.from.r);
        for (double& x : a) x = static_cast<float>(uniform(engine));
        for (double& x : b) x = static_cast<float>(uniform(engine));
    }
    double left(std::uint64_t k, std::uint64_t row, std::uint64_t column) const {
        if (shape.left == Factor::identity) return row == column;
        return a[(k * shape.to.l + row) * shape.from.l + column];
    }
    double right(std::uint64_t k, std::uint64_t row, std::uint64_t column) const {
        if (shape.right == Factor::identity) return row == column;
        return b[(k * shape.to.r + row) * shape.from.r + column];
    }
    /// The block (J, I), with transposed operators.
    Operators transposed() const {
        Operators other = *this;
        other.shape.to = shape.from;
        other.shape.from = shape.to;
        for (std::uint64_t k = 0; k < shape.operators; ++k) {
            for (std::uint64_t i = 0; i < shape.to.l; ++i)
                for (std::uint64_t j = 0; j < shape.from.l; ++j)
                    other.a[(k * shape.from.l + j) * shape.to.l + i] = a[(k * shape.to.l + i) * shape.from.l + j];
            for (std::uint64_t i = 0; i < shape.to.r; ++i)
                for (std::uint64_t j = 0; j < shape.from.r; ++j)
                    other.b[(k * shape.from.r + j) * shape.to.r + i] = b[(k * shape.to.r + i) * shape.from.r + j];
        }
        return other;
    }
    /// sum_k B_k X A_k^T in plain loops, with the order of operations that the header specifies.
    template <class Real>
    std::vector<Real> product(const std::vector<Real>& x) const {
        const auto [to, from, operators, l, r] = shape;
        std::vector<Real> y(to.size()), v(from.r * operators);
        for (std::uint64_t row = 0; row < to.l; ++row) {
            for (std::uint64_t q = 0; q < from.r; ++q)
                for (std::uint64_t k = 0; k < operators; ++k) {
                    Real sum = 0;
                    for (std::uint64_t c = 0; c < from.l; ++c)
                        sum = std::fma(static_cast<Real>(left(k, row, c)), x[q + from.r * c], sum);
                    v[q * operators + k] = sum;
                }
            for (std::uint64_t p = 0; p < to.r; ++p) {
                Real sum = 0;
                for (std::uint64_t q = 0; q < from.r; ++q)
                    for (std::uint64_t k = 0; k < operators; ++k)
                        sum = std::fma(static_cast<Real>(right(k, p, q)), v[q * operators + k], sum);
                y[p + to.r * row] = sum;
            }
        }
        return y;
    }
};

template <class Real>
std::vector<Real> random_patch(PatchShape shape, unsigned seed) {
    std::mt19937_64 engine(seed);
    std::uniform_real_distribution<Real> uniform(-1, 1);
    std::vector<Real> x(shape.size());
    for (Real& value : x) value = uniform(engine);
    return x;
}

template <class Real>
Buffer<Real> packed(const BlockLayout<Real>& layout, const Operators& operators) {
    Buffer<Real> pool(layout.reals());
    for (Real& value : pool) value = std::numeric_limits<Real>::quiet_NaN();
    pack_right(
        layout, [&](auto k, auto p, auto q) { return operators.right(k, p, q); }, pool.data());
    pack_left(
        layout, {0, layout.left_panels()}, [&](auto k, auto a, auto c) { return operators.left(k, a, c); },
        pool.data());
    return pool;
}

/// Computes `columns` of the product by the kernels, between guard values that must not change; adds them to one if
/// requested.
template <class Real>
std::vector<Real> kernel_product(const BlockKernels<Real>& kernels, bool forward, const BlockLayout<Real>& layout,
                                 const Buffer<Real>& pool, const std::vector<Real>& x, Range columns,
                                 Update update = Update::set, std::uint64_t second_cache = 1 << 20) {
    Buffer<Real> workspace(workspace_reals(layout));
    for (Real& value : workspace) value = std::numeric_limits<Real>::quiet_NaN();
    const std::uint64_t rows = forward ? layout.shape().to.r : layout.shape().from.r, guard = 7;
    std::vector<Real> y(columns.size() * rows + 2 * guard, Real(1));
    BlockProduct<Real> args{layout,           pool.data(), x.data(),         columns,
                            y.data() + guard, update,      workspace.data(), {pool.data(), pool.bytes()},
                            second_cache};
    (forward ? kernels.forward : kernels.backward)(args);
    for (std::uint64_t i = 0; i < guard; ++i) {
        EXPECT_EQ(y[i], Real(1));
        EXPECT_EQ(y[y.size() - 1 - i], Real(1));
    }
    return {y.begin() + guard, y.end() - guard};
}

template <class Real>
std::vector<Real> columns_of(const std::vector<Real>& y, std::uint64_t rows, Range columns) {
    return {y.begin() + static_cast<std::ptrdiff_t>(rows * columns.first),
            y.begin() + static_cast<std::ptrdiff_t>(rows * columns.last)};
}

std::string text(const BlockShape& s) {
    return "r_I " + std::to_string(s.to.r) + " l_I " + std::to_string(s.to.l) + " r_J " + std::to_string(s.from.r) +
           " l_J " + std::to_string(s.from.l) + " K " + std::to_string(s.operators);
}

/// Compares both directions, whole and in parts, in every instruction set.
template <class Real>
void check(const BlockShape& shape, unsigned seed) {
    SCOPED_TRACE(text(shape));
    const Operators operators(shape, seed);
    const auto x_from = random_patch<Real>(shape.from, seed + 1), x_to = random_patch<Real>(shape.to, seed + 2);
    const auto forward = operators.product(x_from), backward = operators.transposed().product(x_to);
    const BlockLayout<Real> whole(shape, Directions::both);
    const auto pool = packed(whole, operators);
    const Range all{0, shape.to.l}, all_back{0, shape.from.l};
    const Range part{shape.to.l / 3, shape.to.l - shape.to.l / 4};
    const Range part_back{shape.from.l / 4, shape.from.l - shape.from.l / 3};
    const BlockLayout<Real> rows(shape, part, Directions::forward);
    const auto rows_pool = packed(rows, operators);
    const Range inner{part.first + part.size() / 3, part.last - part.size() / 5};
    for (const auto& kernels : block_variants<Real>()) {
        SCOPED_TRACE(std::string(kernels.name));
        EXPECT_EQ(kernel_product(kernels, true, whole, pool, x_from, all), forward);
        EXPECT_EQ(kernel_product(kernels, false, whole, pool, x_to, all_back), backward);
        EXPECT_EQ(kernel_product(kernels, true, whole, pool, x_from, part), columns_of(forward, shape.to.r, part));
        EXPECT_EQ(kernel_product(kernels, false, whole, pool, x_to, part_back),
                  columns_of(backward, shape.from.r, part_back));
        EXPECT_EQ(kernel_product(kernels, true, rows, rows_pool, x_from, part), columns_of(forward, shape.to.r, part));
        EXPECT_TRUE(kernel_product(kernels, true, rows, rows_pool, x_from, {part.first, part.first}).empty());
        auto increased = columns_of(forward, shape.to.r, inner);
        for (Real& value : increased) value += Real(1);
        EXPECT_EQ(kernel_product(kernels, true, rows, rows_pool, x_from, inner, Update::add), increased);
    }
}

TEST(KroneckerBlock, ProductsOfEveryK) {
    for (std::uint64_t operators = 1; operators <= 26; ++operators) {
        check<double>({{7, 21}, {10, 19}, operators}, 1);
        check<float>({{5, 19}, {19, 22}, operators}, 2);
    }
}

TEST(KroneckerBlock, ProductsOfRandomShapes) {
    std::mt19937_64 engine(5);
    const auto draw = [&](std::uint64_t largest) { return 1 + engine() % largest; };
    for (unsigned i = 0; i < 25; ++i) {
        const BlockShape shape{{draw(50), draw(60)}, {draw(50), draw(60)}, draw(17)};
        check<double>(shape, i);
        check<float>(shape, i);
    }
}

TEST(KroneckerBlock, ThinShapes) {
    check<double>({{1, 1}, {1, 1}, 1}, 1);
    check<double>({{1, 200}, {3, 1}, 8}, 2);
    check<double>({{200, 1}, {1, 130}, 16}, 3);
    check<double>({{5, 6}, {4, 7}, 110}, 7);
}

TEST(KroneckerBlock, LargeShapes) {
    check<double>({{66, 40}, {50, 64}, 8}, 4);
    check<double>({{64, 90}, {70, 48}, 1}, 5);
    check<float>({{70, 64}, {50, 96}, 16}, 6);
}

TEST(KroneckerBlock, ContractionsWhoseSumsLeaveTheRegisters) {
    check<double>({{3, 300}, {5, 530}, 3}, 8);
    check<double>({{3, 300}, {5, 530}, 8}, 9);
}

/// Enough columns for a copy of the source by tiles.
TEST(KroneckerBlock, CopiesByTilesInDoublePrecision) {
    for (const std::uint64_t operators : {8, 12, 16}) check<double>({{30, 110}, {23, 140}, operators}, 10);
}

TEST(KroneckerBlock, CopiesByTilesInSinglePrecision) {
    for (const std::uint64_t operators : {8, 12, 16}) check<float>({{20, 150}, {31, 135}, operators}, 11);
}

/// Checks the position of every element, for stored rows that start anywhere.
TEST(KroneckerBlock, LayoutFindsElements) {
    for (std::uint64_t operators : {1, 3, 7, 8, 12, 30}) {
        const BlockShape shape{{29, 21}, {9, 16}, operators};
        const Operators source(shape, 11);
        for (const BlockLayout<double>& layout :
             {BlockLayout<double>(shape, Directions::both), BlockLayout<double>(shape, {5, 17}, Directions::forward)}) {
            const auto pool = packed(layout, source);
            for (std::uint64_t k = 0; k < operators; ++k) {
                for (std::uint64_t a = layout.own().first; a < layout.own().last; ++a)
                    for (std::uint64_t c = 0; c < shape.from.l; ++c)
                        ASSERT_EQ(pool[layout.left_index(k, a, c)], source.left(k, a, c));
                for (std::uint64_t p = 0; p < shape.to.r; ++p)
                    for (std::uint64_t q = 0; q < shape.from.r; ++q) {
                        ASSERT_EQ(pool[layout.forward_index(k, p, q)], source.right(k, p, q));
                        if (layout.directions() == Directions::both) {
                            ASSERT_EQ(pool[layout.backward_index(k, p, q)], source.right(k, p, q));
                        }
                    }
            }
        }
    }
}

TEST(KroneckerBlock, Identities) {
    for (std::uint64_t l : {1, 5, 24, 70})
        for (std::uint64_t r : {1, 7, 16, 45}) {
            check<double>({{r, l}, {r + 3, l}, 1, Factor::identity, Factor::dense}, 1);
            check<double>({{r, l}, {r, l + 9}, 1, Factor::dense, Factor::identity}, 2);
            check<float>({{r, l}, {r + 3, l}, 1, Factor::identity, Factor::dense}, 3);
            check<float>({{r, l}, {r, l + 9}, 1, Factor::dense, Factor::identity}, 4);
        }
}

/// A prefetch cursor over blocks of these sizes, two products each: prefetched ranges follow each other without gaps,
/// stay within the pool, and lie ahead of the data that the next product reads.
void check_prefetch(std::uint64_t second_cache) {
    const std::vector<std::uint64_t> sizes = {1 << 20, 4096, 64, 3 << 20, 500'000, 500'000};
    const char* const pool = nullptr;
    std::uint64_t end = 0, covered = 0, first = 0;
    for (std::uint64_t size : sizes) end += size;
    PoolWalk walk(pool, pool + end, second_cache);
    for (std::uint64_t size : sizes) {
        for (const ReadAgain again : {ReadAgain::yes, ReadAgain::no}) {
            const Prefetch range = walk.before(pool + first, pool + first + size, again);
            EXPECT_TRUE(range.bytes == 0 || range.first == pool + covered);
            covered += range.bytes;
            EXPECT_GE(covered, std::min(first + size, end));
        }
        first += size;
        EXPECT_TRUE(first == end || covered > first);
    }
    EXPECT_EQ(covered, end);
    const Prefetch restarted = walk.before(pool, pool + 64, ReadAgain::yes);  // a cursor that jumps back starts again
    EXPECT_EQ(restarted.first, pool);
    EXPECT_GT(restarted.bytes, 64u);
    EXPECT_EQ(PoolWalk(pool, pool + end, second_cache).before(pool + 4096, pool + 8192, ReadAgain::no).first,
              pool + 4096);
}

TEST(KroneckerBlock, PrefetchCoversThePool) {
    for (const std::uint64_t kibibytes : {64, 256, 512, 1024, 2048, 65536}) check_prefetch(kibibytes << 10);
}

/// Blocks that fit a second-level cache, and those that do not, are prefetched differently and have the same products.
TEST(KroneckerBlock, ProductsOfEveryCacheSize) {
    for (const std::uint64_t operators : {1, 3, 8, 12, 16}) {
        const BlockShape shape{{9, 40}, {13, 50}, operators};
        const Operators source(shape, 3);
        const auto x = random_patch<double>(shape.to, 4), expected = source.transposed().product(x);
        const BlockLayout<double> layout(shape, Directions::both);
        const auto pool = packed(layout, source);
        for (const auto& kernels : block_variants<double>())
            for (const std::uint64_t second_cache : {std::uint64_t{0}, layout.reals() * 8, std::uint64_t{1} << 30})
                EXPECT_EQ(kernel_product(kernels, false, layout, pool, x, {0, shape.from.l}, Update::set, second_cache),
                          expected);
    }
}

/// Plain matrix products, whose elements are chains of fused multiply-adds in the order of k, with every instruction set.
template <class Real>
void check_plain_products() {
    std::mt19937_64 engine(7);
    std::uniform_real_distribution<Real> uniform(-1, 1);
    for (const auto& [m, n, k] :
         {std::array<std::uint64_t, 3>{1, 1, 1}, {5, 9, 3}, {18, 20, 40}, {39, 33, 17}, {64, 7, 128}})
        for (const GemmUpdate update : {GemmUpdate::set, GemmUpdate::add}) {
            const GemmShape shape = {m, n, k, m + 1, k + 2, m + 3, update};
            std::vector<Real> a(shape.lda * k), b(shape.ldb * n), before(shape.ldc * n);
            for (std::vector<Real>* matrix : {&a, &b, &before})
                for (Real& x : *matrix) x = uniform(engine);
            std::vector<Real> expected = before;
            for (std::uint64_t j = 0; j < n; ++j)
                for (std::uint64_t i = 0; i < m; ++i) {
                    Real sum = 0;
                    for (std::uint64_t d = 0; d < k; ++d)
                        sum = std::fma(a[i + d * shape.lda], b[d + j * shape.ldb], sum);
                    Real& c = expected[i + j * shape.ldc];
                    c = update == GemmUpdate::set ? sum : c + sum;
                }
            for (const BlockKernels<Real>& kernels : block_variants<Real>()) {
                std::vector<Real> c = before;
                kernels.gemm(shape, a.data(), b.data(), c.data());
                EXPECT_EQ(c, expected) << kernels.name << " " << m << " x " << n << " x " << k;
            }
        }
}

TEST(KroneckerBlock, PlainProducts) {
    check_plain_products<double>();
    check_plain_products<float>();
}

}  // namespace
}  // namespace strata::kronecker
