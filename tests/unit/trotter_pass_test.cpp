// SPDX-License-Identifier: BSD-3-Clause
// A pass over a state in every instruction set against loops over amplitudes and bits, with equal bits among them; row
// sums and their combination; layers of exponentials against the exponentials applied one after another, global phase
// included.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <complex>
#include <numbers>
#include <random>

#include "kernels/trotter/pass_kernels.hpp"
#include "support/spin_states.hpp"
#include "trotter/physics/layers.hpp"
#include "trotter/physics/moments.hpp"

namespace strata::trotter {
namespace {

using trotter::apply;

struct Shape {
    int spins, row_bits, slabs;
};

/// Layouts: one row, one block per row, long rows, many rows, several slabs, 1024 slabs.
template <class Real>
std::vector<Shape> shapes() {
    constexpr int l = lane_bits<Real>;
    return {{l + 1, l + 1, 1}, {l + 2, l + 1, 2}, {l + 3, l + 1, 4},    {l + 4, l + 2, 1}, {9, l + 3, 2},
            {11, l + 1, 8},    {12, 8, 1},        {13, l + 2, 4},       {13, 13, 1},       {14, 12, 2},
            {16, 6, 4},        {14, 13, 1},       {l + 12, l + 1, 1024}};
}

/// Compares one pass of every instruction set, with and without transforms before and after the diagonal gate. The
/// scale of the unnormalised transforms is part of the tables.
template <class Real>
void expect_pass(const Shape& shape, bool across, bool before, bool after, double bound) {
    const StateLayout layout{shape.spins, shape.row_bits, lane_bits<Real>};
    const State start = random_state(shape.spins, 3);
    const Diagonal diagonal = random_diagonal(shape.spins, 4);
    const int first = across ? shape.row_bits : 0, end = across ? shape.spins : shape.row_bits;
    State expected = start;
    for (int j = first; before && j < end; ++j) transform(expected, j);
    apply(diagonal, expected);
    for (int j = first; after && j < end; ++j) transform(expected, j);

    const DiagonalTables<Real> tables(diagonal, across ? column_bits(layout) : row_bits(layout),
                                      std::exp2(-0.5 * (end - first) * (int{before} + int{after})));
    std::vector<State> found;
    for (const PassKernels<Real>& kernels : pass_variants<Real>()) {
        Rows<Real> rows(layout, shape.slabs, start);
        Pass<Real> pass{{}, Lanes::kept, before, after, tables.view(), 0};
        if (across) {
            pass.blocks = column_tiles(layout, rows.slabs(), std::countr_zero(rows.slab_rows()));
            const std::uint64_t half = layout.row_blocks() / 2;  // the blocks of two ranks
            kernels.pass(pass, {0, half});
            kernels.pass(pass, {half, layout.row_blocks()});
        } else {
            pass.lanes = Lanes::transformed;
            for (int s = 0; s < shape.slabs; ++s) {
                Real* slab = rows.slab(s);
                pass.blocks = row_tiles(layout, &slab);
                pass.first_outer = static_cast<std::uint64_t>(s) * rows.slab_rows();
                kernels.pass(pass, {0, rows.slab_rows()});
            }
        }
        found.push_back(rows.state());
        EXPECT_LT(distance(found.back(), expected), bound) << kernels.name;
        EXPECT_EQ(found.back(), found.front()) << kernels.name << " differs from " << pass_variants<Real>()[0].name;
    }
}

template <class Real>
void expect_passes(double bound) {
    for (const Shape& shape : shapes<Real>())
        for (const bool across : {false, true})
            for (const bool before : {false, true})
                for (const bool after : {false, true}) {
                    if (across && shape.spins == shape.row_bits) continue;
                    SCOPED_TRACE(testing::Message() << shape.spins << " spins, rows of 2^" << shape.row_bits << ", "
                                                    << shape.slabs << " slabs, " << (across ? "across" : "within")
                                                    << " rows, before " << before << ", after " << after);
                    expect_pass<Real>(shape, across, before, after, bound);
                }
}

TEST(TrotterPass, IsThatOfPlainLoopsInDouble) { expect_passes<double>(1e-13); }
TEST(TrotterPass, IsThatOfPlainLoopsInSingle) { expect_passes<float>(2e-5); }

/// The sums of RowSums over states [0, 2^bits) of probabilities p.
std::vector<double> plain_sums(int bits, const Complex* amplitudes) {
    const auto n = static_cast<std::size_t>(bits);
    std::vector<double> sums(RowSums::width(bits));
    for (std::size_t x = 0; x < std::size_t{1} << bits; ++x) {
        const double p = std::norm(amplitudes[x]);
        sums[0] += p;
        for (int k = 0; k < bits; ++k) {
            sums[1 + static_cast<std::size_t>(k)] += p * 2 * sz(x, k);
            for (int j = 0; j < k; ++j) sums[1 + n + pair_index(j, k)] += p * 4 * sz(x, j) * sz(x, k);
        }
        sums[1 + n + pair_count(bits) + static_cast<std::size_t>(std::popcount(x))] += p;
        sums.back() += p * p;
    }
    return sums;
}

void expect_near(const std::vector<double>& found, const std::vector<double>& expected, double relative) {
    ASSERT_EQ(found.size(), expected.size());
    for (std::size_t i = 0; i < found.size(); ++i)
        EXPECT_NEAR(found[i], expected[i], relative * (1 + expected[0] + expected.back())) << i;
}

template <class Real>
void expect_row_sums(const Shape& shape) {
    const StateLayout layout{shape.spins, shape.row_bits, lane_bits<Real>};
    Rows<Real> rows(layout, 1, random_state(shape.spins, 5));
    const State state = rows.state();
    const std::uint64_t width = RowSums::width(shape.row_bits);
    std::vector<double> first;
    for (const PassKernels<Real>& kernels : pass_variants<Real>()) {
        std::vector<double> out(width * layout.rows());
        constexpr std::uint64_t threads = 64;  // at least the threads of this machine
        Buffer<double> scratch(threads * layout.row_amplitudes());
        kernels.row_sums(layout, rows.slab(0), layout.rows(), out.data(), scratch.data(), layout.row_amplitudes());
        if (first.empty()) first = out;
        EXPECT_EQ(out, first) << kernels.name;
    }
    for (std::uint64_t row = 0; row < layout.rows(); ++row) {
        const auto begin = first.begin() + static_cast<std::ptrdiff_t>(row * width);
        expect_near({begin, begin + static_cast<std::ptrdiff_t>(width)},
                    plain_sums(shape.row_bits, &state[row << shape.row_bits]), 1e-13);
    }
    expect_near(join_parts(shape.row_bits, shape.spins - shape.row_bits, first), plain_sums(shape.spins, state.data()),
                1e-12);
}

TEST(TrotterPass, SumsRowsAndJoinsThem) {
    for (const Shape& shape : shapes<double>())
        if (shape.spins <= 13) expect_row_sums<double>(shape);
    for (const Shape& shape : shapes<float>())
        if (shape.spins <= 13) expect_row_sums<float>(shape);
}

TEST(TrotterPass, ScalesRows) {
    const StateLayout layout{9, 5, 3};
    const State start = random_state(9, 6);
    for (const PassKernels<double>& kernels : pass_variants<double>()) {
        Rows<double> rows(layout, 1, start);
        kernels.scale(layout, rows.slab(0), layout.rows(), 0.25);
        State expected = start;
        for (Complex& amplitude : expected) amplitude *= 0.25;
        EXPECT_EQ(rows.state(), expected) << kernels.name;
    }
}

/// S_j^axis applied to a state, by the Pauli matrices.
State spin(Axis axis, int j, const State& state) {
    State result(state.size());
    const std::size_t bit = std::size_t{1} << j;
    for (std::size_t x = 0; x < state.size(); ++x) {
        const bool down = (x & bit) != 0;
        if (axis == Axis::z) result[x] = (down ? -0.5 : 0.5) * state[x];
        if (axis == Axis::x) result[x] = 0.5 * state[x ^ bit];
        if (axis == Axis::y) result[x] = Complex(0, down ? 0.5 : -0.5) * state[x ^ bit];
    }
    return result;
}

/// Applies exp(-i angle A), A = S_j or S_j S_k with eigenvalues +-size: cos(angle size) - i sin(angle size) A / size.
/// `image` is A applied to `state`.
void rotate(State& state, const State& image, double angle, double size) {
    for (std::size_t x = 0; x < state.size(); ++x)
        state[x] = std::cos(angle * size) * state[x] - Complex(0, std::sin(angle * size) / size) * image[x];
}

/// Applies exp(-i t terms) term by term; the terms of one axis commute.
void exponential(Axis axis, const AxisTerms& terms, double t, State& state) {
    for (int k = 0; k < static_cast<int>(terms.field.size()); ++k) {
        rotate(state, spin(axis, k, state), t * terms.field[static_cast<std::size_t>(k)], 0.5);
        for (int j = 0; j < k; ++j)
            rotate(state, spin(axis, j, spin(axis, k, state)), t * terms.coupling[pair_index(j, k)], 0.25);
    }
}

void apply(const Phases& phases, State& state) {
    apply(phases.diagonal, state);
    const Complex i(0, 1);
    for (Complex& amplitude : state)
        for (int turn = 0; turn < ((phases.quarter_turns % 4) + 4) % 4; ++turn) amplitude *= i;
}

AxisTerms random_terms(int spins, std::mt19937_64& engine) {
    std::normal_distribution<double> normal;
    AxisTerms terms{std::vector<double>(static_cast<std::size_t>(spins)), std::vector<double>(pair_count(spins))};
    for (double& field : terms.field) field = normal(engine);
    for (double& coupling : terms.coupling) coupling = normal(engine);
    return terms;
}

/// Applies the layers D W D W ... of a sequence to a state and counts the transforms.
class Layers {
  public:
    explicit Layers(int spins, State state) : spins_(spins), state_(std::move(state)) {}
    /// Applies the available diagonal gates, each followed by a transform.
    void take(LayerSequence& sequence) {
        while (const auto phases = sequence.take()) {
            apply(*phases, state_);
            transform(state_, 0, spins_);
            ++transforms_;
        }
    }
    void finish(LayerSequence& sequence) {
        take(sequence);
        const auto rest = sequence.finish();
        for (std::size_t i = 0; i < rest.size(); ++i) {
            apply(rest[i], state_);
            if (i + 1 == rest.size()) break;
            transform(state_, 0, spins_);
            ++transforms_;
        }
    }
    const State& state() const { return state_; }
    int transforms() const { return transforms_; }

  private:
    int spins_;
    State state_;
    int transforms_ = 0;
};

TEST(TrotterLayers, AreTheExponentialsOfRandomSequences) {
    std::mt19937_64 engine(11);
    for (int trial = 0; trial < 60; ++trial) {
        const int spins = 1 + trial % 5;
        State expected = random_state(spins, 100 + static_cast<unsigned>(trial));
        Layers layers(spins, expected);
        LayerSequence sequence(spins);
        for (int i = 0; i < 1 + trial % 13; ++i) {
            const Axis axis = all_axes[engine() % 3];
            if (engine() % 4 == 0) {
                const double angle = 0.1 * static_cast<double>(engine() % 60);
                const int j = static_cast<int>(engine() % static_cast<unsigned>(spins));
                sequence.append_rotation(axis, angle, {j});
                rotate(expected, spin(axis, j, expected), angle, 0.5);
            } else {
                const AxisTerms terms = random_terms(spins, engine);
                const double t = 0.3 * static_cast<double>(engine() % 7) - 0.9;
                sequence.append(axis, terms, t);
                exponential(axis, terms, t, expected);
            }
            if (engine() % 2 == 0) layers.take(sequence);
        }
        layers.finish(sequence);
        EXPECT_LT(distance(layers.state(), expected), 1e-12) << "trial " << trial;
    }
}

/// W K^+ psi is psi in the basis of y, in which exp(-i t S_j^y) acts as exp(-i t S_j^z).
TEST(TrotterLayers, ChangeTheBasis) {
    const int spins = 3;
    const State start = random_state(spins, 8);
    for (const Axis axis : {Axis::x, Axis::y}) {
        LayerSequence there(spins), back(spins);
        if (axis == Axis::y) there.append_quarter_rotation(-1);
        there.append_transform();
        back.append_transform();
        if (axis == Axis::y) back.append_quarter_rotation(+1);
        Layers layers(spins, start);
        layers.finish(there);
        State turned = layers.state();
        rotate(turned, spin(Axis::z, 1, turned), 0.7, 0.5);
        Layers returned(spins, turned);
        returned.finish(back);
        State expected = start;
        rotate(expected, spin(axis, 1, expected), 0.7, 0.5);
        EXPECT_LT(distance(returned.state(), expected), 1e-14);
    }
}

/// Number of transforms of 50 second-order steps with the terms of some axes.
int transforms_of_steps(const std::vector<Axis>& axes) {
    const int spins = 3, steps = 50;
    std::mt19937_64 engine(2);
    const AxisTerms none{std::vector<double>(spins), std::vector<double>(pair_count(spins))};
    std::array<AxisTerms, 3> terms = {none, none, none};
    for (const Axis axis : axes) terms[index_of(axis)] = random_terms(spins, engine);
    LayerSequence sequence(spins);
    Layers layers(spins, random_state(spins, 1));
    for (int step = 0; step < steps; ++step) {
        for (const auto& [axis, t] :
             {std::pair(Axis::z, 0.05), {Axis::y, 0.05}, {Axis::x, 0.1}, {Axis::y, 0.05}, {Axis::z, 0.05}})
            sequence.append(axis, terms[index_of(axis)], t);
        layers.take(sequence);
    }
    layers.finish(sequence);
    return layers.transforms();
}

TEST(TrotterLayers, CostFourTransformsAStepAndTwoWithoutY) {
    EXPECT_EQ(transforms_of_steps({Axis::x, Axis::y, Axis::z}), 4 * 50);
    EXPECT_EQ(transforms_of_steps({Axis::x, Axis::z}), 2 * 50);
    EXPECT_EQ(transforms_of_steps({Axis::z}), 0);
    EXPECT_EQ(transforms_of_steps({Axis::x}), 2);
    EXPECT_EQ(transforms_of_steps({Axis::y}), 2);
}

}  // namespace
}  // namespace strata::trotter
