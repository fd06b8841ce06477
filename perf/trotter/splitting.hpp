// SPDX-License-Identifier: BSD-3-Clause
// One second-order step of the XYZ splitting as a list of operations on a state vector: rotations of all spins that
// change the basis, and products with stored phases. Both baselines execute these lists, in different ways. A rotation
// by 120 degrees, C = ((1, -i), (1, i)) / sqrt(2), permutes the axes cyclically: C S^z C^+ = S^x and C^+ S^z C = S^y.
// The factor 1 / sqrt(2) of every rotation is omitted; the phases of the x axis contain 2^(-2N) instead.
#pragma once

#include <vector>

#include "problem.hpp"
#include "strata/buffer.hpp"

namespace strata::perf {

/// The rotation C (forward) or its adjoint (backward).
enum class Rotation { forward, backward };

/// Composition of a step of time t. `literal`: U1(t/2) and its mirror image, each exponential between a rotation of its
/// own and the reverse: 8 layers of rotations, 6 products with phases. `merged`: adjacent factors of one axis are
/// merged, and bases follow each other (z, y, x, y, z): 4 layers and 4 products, because the factors exp(-i H_z t/2) at
/// the ends of neighbouring steps are merged as well.
enum class Scheme { literal, merged };

struct Operation {
    enum class Kind { rotation, phases } kind;
    Rotation rotation;
    const Amplitude* phases;
};

/// exp(-i H_a time), a vector of 2^N numbers times `scale`, for the fields and couplings of one axis written with S^z.
Buffer<Amplitude> phase_vector(const SpinProblem& problem, Axis axis, double time, double scale = 1);

/// A step and the phases that it uses.
class Splitting {
  public:
    Splitting(const SpinProblem& problem, Scheme scheme);
    const std::vector<Operation>& operations() const { return operations_; }

  private:
    void rotate(Rotation rotation) { operations_.push_back({Operation::Kind::rotation, rotation, nullptr}); }
    void multiply(const Buffer<Amplitude>& phases) {
        operations_.push_back({Operation::Kind::phases, Rotation::forward, phases.data()});
    }
    void append_literal();
    void append_merged();

    Buffer<Amplitude> x_, y_, z_;
    std::vector<Operation> operations_;
};

}  // namespace strata::perf
