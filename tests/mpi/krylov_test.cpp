// SPDX-License-Identifier: BSD-3-Clause
// The solvers of src/krylov on a dense matrix whose rows are distributed over the ranks of this run, independent of
// Lanczos sectors, against the diagonalization of the whole matrix by LAPACK.
#include <gtest/gtest.h>

#include <algorithm>

#include "krylov/continued_fraction.hpp"
#include "krylov/exact_sums.hpp"
#include "krylov/exponential.hpp"
#include "krylov/ground_state.hpp"
#include "krylov/improved_state.hpp"
#include "krylov/lowest_states.hpp"
#include "krylov/recurrence_table.hpp"
#include "krylov/tridiagonal.hpp"
#include "support/dense_operator.hpp"
#include "support/world.hpp"

namespace strata::krylov {
namespace {

constexpr std::size_t matrix_rows = 40;

/// A complex Hermitian matrix without symmetry.
Complex generic(std::size_t i, std::size_t j) {
    if (i > j) return std::conj(generic(j, i));
    const auto x = static_cast<double>(3 * i * i + 7 * j * j + i * j + 1);
    return i == j ? Complex(4 * std::sin(x)) : Complex(std::cos(1.3 * x), std::sin(0.7 * x));
}

/// U D U with the reflection U = 1 - 2 u u^+: eigenvalues -3 (three times), then -2, -1, ...
Complex degenerate(std::size_t i, std::size_t j) {
    const auto level = [](std::size_t k) { return k < 3 ? -3.0 : static_cast<double>(k) - 5; };
    const auto u = [](std::size_t k) {
        return std::polar(1 / std::sqrt(static_cast<double>(matrix_rows)), static_cast<double>(k * k));
    };
    Complex sum = 0;
    for (std::size_t k = 0; k < matrix_rows; ++k)
        sum += ((i == k ? 1.0 : 0.0) - 2.0 * u(i) * std::conj(u(k))) * level(k) *
               ((k == j ? 1.0 : 0.0) - 2.0 * u(k) * std::conj(u(j)));
    return sum;
}

DensePairs dense_pairs(Complex (*element)(std::size_t, std::size_t)) {
    std::vector<Complex> matrix(matrix_rows * matrix_rows);
    for (std::size_t j = 0; j < matrix_rows; ++j)
        for (std::size_t i = 0; i < matrix_rows; ++i) matrix[j * matrix_rows + i] = element(i, j);
    return hermitian_pairs(matrix_rows, std::move(matrix));
}

/// |<found| eigenvector k>|.
double overlap(const std::vector<Complex>& found, const DensePairs& pairs, std::size_t k) {
    Complex sum = 0;
    for (std::size_t i = 0; i < matrix_rows; ++i) sum += std::conj(pairs.vectors[k * matrix_rows + i]) * found[i];
    return std::abs(sum);
}

TEST(Krylov, GroundStateIsTheLowestEigenvector) {
    const DensePairs pairs = dense_pairs(generic);
    DenseOperator op(world(), matrix_rows, generic);
    Timers timers;
    GroundStateSolver solver(op, {.max_states = 1, .max_steps = 200, .tolerance = 1e-10}, timers);
    op.allocate();
    solver.allocate();
    solver.initialise();
    while (!solver.done()) {
        ASSERT_LT(solver.steps(), solver.total_steps());
        solver.step();
    }
    EXPECT_EQ(solver.steps(), solver.total_steps());
    EXPECT_TRUE(solver.converged());
    EXPECT_EQ(solver.degeneracy(), Degeneracy::complete);
    EXPECT_NEAR(solver.energy(), pairs.values[0], 1e-11);
    EXPECT_NEAR(solver.next_energy(), pairs.values[1], 1e-2);
    EXPECT_NEAR(overlap(op.all(solver.vector(0)), pairs, 0), 1, 1e-12);
}

TEST(Krylov, GroundStateFindsItsMultiplet) {
    for (std::size_t max_states : {2, 3, 5}) {
        DenseOperator op(world(), matrix_rows, degenerate);
        Timers timers;
        GroundStateSolver solver(op, {.max_states = max_states, .max_steps = 200, .tolerance = 1e-10}, timers);
        op.allocate();
        solver.allocate();
        solver.initialise();
        while (!solver.done()) solver.step();
        EXPECT_EQ(solver.states(), std::min<std::size_t>(max_states, 3));
        EXPECT_EQ(solver.degeneracy(), max_states < 3 ? Degeneracy::more : Degeneracy::complete);
        EXPECT_NEAR(solver.energy(), -3, 1e-11);
        EXPECT_LT(solver.residual(), solver.tolerance());
    }
}

/// The state of a loose tolerance is no exact one, so that the search orthogonal to it must not find its rest once
/// more.
TEST(Krylov, StatesOfLooseTolerancesAreNotFoundTwice) {
    for (std::size_t size = 4; size <= matrix_rows; ++size)
        for (double tolerance : {1e-1, 1e-2, 1e-3, 1e-4}) {
            DenseOperator op(world(), size, generic);
            Timers timers;
            GroundStateSolver solver(op, {.max_states = 1, .max_steps = 200, .tolerance = tolerance}, timers);
            op.allocate();
            solver.allocate();
            solver.initialise();
            while (!solver.done()) solver.step();
            EXPECT_NE(solver.degeneracy(), Degeneracy::more) << size << ' ' << tolerance;
        }
}

/// A basis of 14 vectors requires restarts.
TEST(Krylov, LowestStatesAreTheLowestEigenvectors) {
    for (auto element : {generic, degenerate})
        for (std::size_t block : {1, 3}) {
            const DensePairs pairs = dense_pairs(element);
            DenseOperator op(world(), matrix_rows, element);
            Timers timers;
            LowestStatesSolver solver(
                op, {.n_states = 5, .block = block, .max_basis = 14, .max_steps = 2000, .tolerance = 1e-10}, timers);
            op.allocate();
            solver.allocate();
            solver.initialise();
            while (solver.steps() < solver.search_steps()) solver.step();
            ASSERT_TRUE(solver.found());
            EXPECT_GT(solver.steps(), 14) << "this test restarts nothing";
            EXPECT_EQ(solver.multiplicity(), element == generic ? 1 : 3);
            for (std::size_t i = 0; i < 5; ++i) {
                solver.examine(i);
                EXPECT_NEAR(solver.energies()[i], pairs.values[i], 1e-10) << i;
                EXPECT_LT(solver.residuals()[i], solver.tolerance()) << i;
                if (element == generic) {
                    EXPECT_NEAR(overlap(op.all(solver.vector(i)), pairs, i), 1, 1e-9) << i;
                }
            }
            EXPECT_EQ(solver.examined(), 5);
        }
}

TEST(Krylov, ExponentialIsThatOfAllEigenstates) {
    const DensePairs pairs = dense_pairs(generic);
    DenseOperator op(world(), matrix_rows, generic);
    Timers timers;
    KrylovExponential exponential(op, {.dimension = 12, .tolerance = 1e-12}, timers);
    op.allocate();
    exponential.allocate();
    DistributedVector psi = op.space().vector();
    op.draw(psi, 7);
    const std::vector<Complex> first = op.all(psi);
    const double time = 1.7;
    double done = 0, error = 0;
    int pieces = 0;
    for (; done < time * (1 - 1e-12); ++pieces) {
        while (!exponential.expand(psi, {done, time - done})) {
        }
        const Propagator::Piece piece = exponential.advance(psi, {done, time - done});
        done += piece.time;
        error += piece.error;
    }
    EXPECT_GT(pieces, 1);
    EXPECT_LT(error, 1e-10);
    std::vector<Complex> expected(matrix_rows);
    for (std::size_t k = 0; k < matrix_rows; ++k) {
        Complex component = 0;
        for (std::size_t i = 0; i < matrix_rows; ++i)
            component += std::conj(pairs.vectors[k * matrix_rows + i]) * first[i];
        for (std::size_t i = 0; i < matrix_rows; ++i)
            expected[i] += std::polar(1.0, -time * pairs.values[k]) * component * pairs.vectors[k * matrix_rows + i];
    }
    const std::vector<Complex> found = op.all(psi);
    for (std::size_t i = 0; i < matrix_rows; ++i) EXPECT_NEAR(std::abs(found[i] - expected[i]), 0, 1e-10) << i;
}

/// Compares continued fractions of every length with the exact value: they differ by no more than their bounds, which
/// must not be far too large.
void expect_truncations_within_bounds(Complex z, std::span<const double> alpha, std::span<const double> beta,
                                      Complex exact) {
    double closest = 0;
    for (std::size_t steps = 1; steps <= alpha.size(); ++steps) {
        const double bound = truncation_bound(z, alpha.first(steps), beta.first(steps));
        const double error = std::abs(resolvent(z, alpha.first(steps), beta) - exact);
        EXPECT_LE(error, bound + 1e-10) << steps << " steps at " << z;
        if (bound > 1e-6) closest = std::max(closest, error / bound);
    }
    EXPECT_GT(closest, 0.3);
}

TEST(Krylov, ContinuedFractionIsTheResolvent) {
    const DensePairs pairs = dense_pairs(generic);
    DenseOperator op(world(), matrix_rows, generic);
    op.allocate();
    RecurrenceTable table(2, 60);
    for (std::size_t row : {0, 1}) {
        op.draw(op.w(), row);
        std::vector<Complex> start = op.all(op.w());
        RecurrenceState state;
        begin_recurrence(op, state);
        for (Complex& x : start) x /= state.start_norm;
        while (!table.advance(op, row, state)) {
        }
        for (double omega : {-9.0, -3.1, 0.2, 5.0}) {
            const Complex z(omega, 0.3);
            Complex expected = 0;
            for (std::size_t k = 0; k < matrix_rows; ++k)
                expected += std::pow(overlap(start, pairs, k), 2) / (z - pairs.values[k]);
            const Complex found = resolvent(z - op.offset(), table.alpha(row), table.beta(row));
            EXPECT_NEAR(std::abs(found - expected), 0, 1e-10) << omega;
            expect_truncations_within_bounds(z - op.offset(), table.alpha(row), table.beta(row), expected);
        }
    }
}

/// A reflection has the eigenvalues -1 and 1: the Krylov space of any vector has two dimensions, and the second beta is
/// rounding.
TEST(Krylov, RecurrenceEndsWithItsSpace) {
    const auto reflection = [](std::size_t i, std::size_t j) {
        const auto phase = [](std::size_t k) { return std::polar(1.0, static_cast<double>(k * k)); };
        return (i == j ? 1.0 : 0.0) - 2.0 / static_cast<double>(matrix_rows) * phase(i) * std::conj(phase(j));
    };
    DenseOperator op(world(), matrix_rows, reflection);
    op.allocate();
    for (std::uint64_t stream = 0; stream < 8; ++stream) {
        RecurrenceTable table(1, 5);
        op.draw(op.w(), stream);
        RecurrenceState state;
        begin_recurrence(op, state);
        EXPECT_EQ(state.exhausted, 0);
        while (!table.advance(op, 0, state)) {
        }
        EXPECT_EQ(state.steps, 2) << stream;
        EXPECT_EQ(state.exhausted, 1);
        const TridiagonalPairs pairs = all_pairs(table.alpha(0), table.beta(0));
        EXPECT_NEAR(pairs.values[0] + op.offset(), -1, 1e-12);
        EXPECT_NEAR(pairs.values[1] + op.offset(), 1, 1e-12);
    }
    op.space().clear(op.w());
    RecurrenceState zero;
    begin_recurrence(op, zero);
    EXPECT_EQ(zero.exhausted, 1);
}

TEST(Krylov, HasTheSameBitsOnAnyRanks) {
    const auto energies = [](const Communicator& comm) {
        DenseOperator op(comm, matrix_rows, generic);
        Timers timers;
        LowestStatesSolver solver(op, {.n_states = 4, .max_basis = 12, .max_steps = 2000, .tolerance = 1e-8}, timers);
        op.allocate();
        solver.allocate();
        solver.initialise();
        while (solver.steps() < solver.search_steps()) solver.step();
        return solver.energies();
    };
    const Communicator self = Communicator::alone();
    EXPECT_EQ(energies(world()), energies(self));
}

struct Improved {
    ImprovedState state;
    std::vector<Complex> vector;
};

/// Improves `guess`, by default a vector of equal elements, orthogonal to the first `excluded` of all eigenvectors.
Improved improve(Complex (*element)(std::size_t, std::size_t), std::size_t size, const ImproveOptions& options,
                 const std::vector<Complex>& guess = std::vector<Complex>(matrix_rows, 2), const DensePairs& all = {},
                 std::size_t excluded = 0) {
    DenseOperator op(world(), size, element);
    op.allocate();
    op.space().reserve_basis(std::max(options.max_basis, excluded));
    const auto vector = [&](const Complex* elements) {
        DistributedVector v = op.space().vector();
        for (std::size_t i = 0; i < op.rows().size(); ++i) op.own(v)[i] = elements[op.rows().first + i];
        return v;
    };
    std::vector<DistributedVector> basis, others;
    basis.push_back(vector(guess.data()));
    while (basis.size() < options.max_basis) basis.push_back(op.space().vector());
    for (std::size_t k = 0; k < excluded; ++k) others.push_back(vector(all.vectors.data() + k * size));
    const ImprovedState state = improve_lowest(op, basis, others, options);
    return {state, op.all(basis[0])};
}

/// Energy x^+ A x and residual |A x - E x| of a normalised x.
std::pair<double, double> energy_and_residual(Complex (*element)(std::size_t, std::size_t),
                                              const std::vector<Complex>& x, double energy) {
    double rayleigh = 0, squares = 0;
    for (std::size_t i = 0; i < x.size(); ++i) {
        Complex sum = 0;
        for (std::size_t j = 0; j < x.size(); ++j) sum += element(i, j) * x[j];
        rayleigh += (std::conj(x[i]) * sum).real();
        squares += std::norm(sum - energy * x[i]);
    }
    return {rayleigh, std::sqrt(squares)};
}

TEST(Krylov, AGuessIsImprovedToTheLowestEigenvector) {
    const DensePairs pairs = dense_pairs(generic);
    const Improved found = improve(generic, matrix_rows, {.max_basis = 8, .max_products = 1000, .tolerance = 1e-9});
    EXPECT_LT(found.state.products, 200U);
    EXPECT_NEAR(found.state.energy, pairs.values[0], 1e-11);
    EXPECT_NEAR(overlap(found.vector, pairs, 0), 1, 1e-12);
    EXPECT_LE(energy_and_residual(generic, found.vector, found.state.energy).second, 1.1e-9);
}

TEST(Krylov, FewProductsImproveAGuessAndTellWhatIsLeft) {
    double before =
        energy_and_residual(generic, std::vector<Complex>(matrix_rows, 1 / std::sqrt(double(matrix_rows))), 0).first;
    const double start = before;
    for (const std::size_t basis : {2U, 3U, 8U})
        for (const std::uint64_t products : {2U, 3U, 7U, 20U}) {
            const Improved found =
                improve(generic, matrix_rows, {.max_basis = basis, .max_products = products, .tolerance = 1e-12});
            EXPECT_EQ(found.state.products, products);
            EXPECT_NEAR(found.state.start_energy, start, 1e-12);
            const auto [energy, residual] = energy_and_residual(generic, found.vector, found.state.energy);
            EXPECT_NEAR(found.state.energy, energy, 1e-12);
            EXPECT_NEAR(found.state.residual, residual, 1e-10);
            EXPECT_LT(found.state.energy, products == 2 ? start : before + 1e-12);  // no gain from a restart
            EXPECT_GT(found.state.energy, dense_pairs(generic).values[0]);
            before = found.state.energy;
        }
}

/// Cases: an eigenvector as the guess, one basis state, fewer states than vectors.
TEST(Krylov, AGuessThatCannotBeImprovedIsKept) {
    const DensePairs pairs = dense_pairs(generic);
    const Improved exact = improve(generic, matrix_rows, {.max_basis = 8, .max_products = 20, .tolerance = 1e-10},
                                   {pairs.vectors.begin(), pairs.vectors.begin() + matrix_rows});
    EXPECT_LE(exact.state.products, 2U);
    EXPECT_NEAR(exact.state.energy, pairs.values[0], 1e-12);
    for (const std::size_t size : {1U, 2U, 5U}) {
        const Improved small = improve(generic, size, {.max_basis = 8, .max_products = 20, .tolerance = 1e-13});
        EXPECT_LE(small.state.products, size + 3);
        const auto [energy, residual] = energy_and_residual(generic, small.vector, small.state.energy);
        EXPECT_NEAR(small.state.energy, energy, 1e-12);
        EXPECT_LT(residual, 1e-11);
    }
}

/// The guess is the lowest eigenvector, which is excluded, or the energies are far from 0, which is the energy of
/// excluded vectors; up to all but one eigenvector are excluded.
TEST(Krylov, AGuessIsImprovedOrthogonalToOthers) {
    const auto shifted = [](std::size_t i, std::size_t j) { return generic(i, j) + (i == j ? 300.0 : 0.0); };
    const DensePairs pairs = dense_pairs(generic);
    const std::vector<Complex> lowest(pairs.vectors.begin(), pairs.vectors.begin() + matrix_rows);
    const ImproveOptions options = {.max_basis = 8, .max_products = 2000, .tolerance = 1e-9};
    for (const std::size_t excluded : {std::size_t{1}, std::size_t{3}, matrix_rows - 1}) {
        SCOPED_TRACE(excluded);
        const Improved plain = improve(generic, matrix_rows, options, lowest, pairs, excluded),
                       high = improve(shifted, matrix_rows, options, std::vector<Complex>(matrix_rows, 2), pairs,
                                      excluded);
        for (const Improved& found : {plain, high}) {
            for (std::size_t k = 0; k < excluded; ++k) EXPECT_LT(overlap(found.vector, pairs, k), 1e-12);
            EXPECT_NEAR(overlap(found.vector, pairs, excluded), 1, 1e-10);
        }
        EXPECT_NEAR(plain.state.energy, pairs.values[excluded], 1e-10);
        EXPECT_NEAR(high.state.energy, pairs.values[excluded] + 300, 1e-9);
    }
}

/// With large energies the projections on previous vectors are large compared with the remainder.
TEST(Krylov, AGuessIsImprovedWhereEnergiesAreLarge) {
    const auto shifted = [](std::size_t i, std::size_t j) { return generic(i, j) + (i == j ? 3000.0 : 0.0); };
    const double lowest = dense_pairs(generic).values[0] + 3000;
    for (const std::uint64_t products : {8U, 60U}) {
        const Improved found =
            improve(shifted, matrix_rows, {.max_basis = 8, .max_products = products, .tolerance = 1e-7});
        const auto [energy, residual] = energy_and_residual(shifted, found.vector, found.state.energy);
        EXPECT_NEAR(found.state.energy, energy, 1e-9);
        EXPECT_NEAR(found.state.residual, residual, 1e-8 + 1e-6 * residual);
        EXPECT_GT(found.state.energy, lowest - 1e-9);
    }
}

/// Sums of very small and very large vectors are as accurate as others; elements that are not numbers make the sum not
/// a number.
TEST(ExactSums, AreExactForAnyMagnitude) {
    const std::uint64_t all = 1000, ranks = static_cast<std::uint64_t>(world().size());
    const Range own = equal_part(all, ranks, static_cast<std::uint64_t>(world().rank()));
    Timers timers;
    ExactSums<Cpu> sums(world(), {2}, own.size(), timers);
    sums.reserve(2);
    for (const double scale : {1e-280, 1e-30, 1.0, 1e30, 1e200}) {
        for (std::uint64_t i = 0; i < own.size(); ++i) {
            sums.partial()[2 * i] = scale * static_cast<double>(own.first + i);
            sums.partial()[2 * i + 1] = scale * ((own.first + i) % 2 == 0 ? 1.0 : -1.0);
        }
        const std::vector<double>& total = sums.total(2);
        EXPECT_NEAR(total[0] / scale, 499500, 1e-9);
        EXPECT_EQ(total[1], 0);
    }
    if (!own.empty() && own.contains(7)) sums.partial()[2 * (7 - own.first) + 1] = NAN;
    EXPECT_TRUE(std::isnan(sums.total(2)[1]));
    std::fill_n(sums.partial(), own.size(), 0.0);
    EXPECT_EQ(sums.total(1)[0], 0);
}

}  // namespace
}  // namespace strata::krylov
