// SPDX-License-Identifier: BSD-3-Clause
// Multiplication by library products, every variant with every back end of this system, against loops over elements.
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <random>

#include "library_multiply.hpp"

namespace strata::perf {
namespace {

using Matrix = std::vector<double>;

/// Three patches whose rows have 3, 1 and 2 blocks with their own K; random operators.
struct Problem {
    std::array<PatchShape, 3> patches = {{{5, 9}, {18, 3}, {1, 20}}};
    std::array<std::uint64_t, 3> begin = {0, 45, 99};
    std::vector<LibraryBlock> blocks;
    std::vector<Matrix> a, b;  ///< [block] [k][row][column]
    Matrix x = Matrix(119);

    Problem() {
        for (const auto& [i, j, k] :
             {std::array<std::size_t, 3>{0, 0, 3}, {0, 1, 1}, {0, 2, 8}, {1, 1, 2}, {2, 0, 5}, {2, 2, 4}})
            blocks.push_back({i, patches[i].r, patches[i].l, patches[j], k, begin[j], begin[i]});
        std::mt19937_64 engine(3);
        std::uniform_real_distribution<double> uniform(-1, 1);
        for (double& value : x) value = uniform(engine);
        for (const LibraryBlock& block : blocks) {
            a.emplace_back(block.operators * block.columns * block.from.l);
            b.emplace_back(block.operators * block.r * block.from.r);
            for (double& value : a.back()) value = uniform(engine);
            for (double& value : b.back()) value = uniform(engine);
        }
    }
    double left(std::size_t n, std::uint64_t k, std::uint64_t row, std::uint64_t column) const {
        return a[n][(k * blocks[n].columns + row) * blocks[n].from.l + column];
    }
    double right(std::size_t n, std::uint64_t k, std::uint64_t p, std::uint64_t q) const {
        return b[n][(k * blocks[n].r + p) * blocks[n].from.r + q];
    }
    Matrix product() const {
        Matrix y(x.size());
        for (std::size_t n = 0; n < blocks.size(); ++n) {
            const LibraryBlock& block = blocks[n];
            for (std::uint64_t k = 0; k < block.operators; ++k)
                for (std::uint64_t row = 0; row < block.columns; ++row)
                    for (std::uint64_t c = 0; c < block.from.l; ++c)
                        for (std::uint64_t p = 0; p < block.r; ++p)
                            for (std::uint64_t q = 0; q < block.from.r; ++q)
                                y[block.y + p + block.r * row] +=
                                    left(n, k, row, c) * right(n, k, p, q) * x[block.x + q + block.from.r * c];
        }
        return y;
    }
};

void check(LibraryVariant variant, GemmBackend backend, LibraryThreads threads) {
    SCOPED_TRACE(std::string(name_of(backend)) + " variant " + std::to_string(static_cast<int>(variant)));
    const Problem problem;
    LibraryMultiply multiply(variant, problem.blocks, backend, threads);
    for (std::size_t n = 0; n < problem.blocks.size(); ++n)
        multiply.pack(
            n, [&](auto k, auto a, auto c) { return problem.left(n, k, a, c); },
            [&](auto k, auto p, auto q) { return problem.right(n, k, p, q); });
    Matrix y(problem.x.size(), 7);
    const Matrix expected = problem.product();
    multiply.multiply(problem.x.data(), y.data());
    for (std::size_t i = 0; i < y.size(); ++i) EXPECT_NEAR(y[i], expected[i], 1e-12);
}

TEST(KroneckerLibrary, VariantsAndBackends) {
    for (const GemmBackend backend : usable_gemm_backends())
        for (const LibraryVariant variant :
             {LibraryVariant::loops, LibraryVariant::tasks, LibraryVariant::batched, LibraryVariant::fused})
            for (const LibraryThreads threads : {LibraryThreads{1, 1}, LibraryThreads{2, 2}})
                check(variant, backend, threads);
}

TEST(KroneckerLibrary, TrialNamesEveryBackend) {
    const auto trials = try_gemm_backends();
    EXPECT_EQ(trials.size(), usable_gemm_backends().size());
    for (std::size_t i = 0; i < trials.size(); ++i) {
        EXPECT_GT(trials[i].gflops, 0);
        EXPECT_FALSE(describe(trials[i].backend).empty());
        EXPECT_LE(trials[i].gflops, trials[i == 0 ? 0 : i - 1].gflops);
    }
}

}  // namespace
}  // namespace strata::perf
