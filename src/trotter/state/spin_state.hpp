// SPDX-License-Identifier: BSD-3-Clause
// Interface of the states that evolve at once, distributed over the ranks. States are numbered by further bits above
// those of the spins, which no pass transforms:
//
//     bit   ...... N | N-1 .... a | a-1 .... 0
//           state    | row        | within a row
//
// Every rank holds consecutive rows: whole states, or a part of one.
#pragma once

#include <complex>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "comm/communicator.hpp"
#include "kernels/trotter/energies.hpp"
#include "kernels/trotter/flip_products.hpp"
#include "strata/checkpoint.hpp"
#include "strata/error.hpp"
#include "strata/timer.hpp"
#include "trotter/physics/initial_state.hpp"
#include "trotter/physics/layers.hpp"
#include "trotter/physics/moments.hpp"

namespace strata::trotter {

/// Bits that a pass transforms: the low (local) ones within a row, or the high ones, which number the rows.
enum class Group { within_row, across_rows };
constexpr std::size_t index_of(Group group) { return static_cast<std::size_t>(group); }

class SpinState {
  public:
    virtual ~SpinState() = default;

    /// The ranks over which the states are spread.
    virtual const Communicator& comm() const = 0;
    /// Text for the report about the processor or device that runs the kernels.
    virtual std::string backend() const = 0;
    virtual void allocate() = 0;
    /// Sets the states to start(number of the state).
    virtual void fill(const std::function<InitialState(std::uint64_t)>& start) = 0;
    /// Runs one pass over all states: the transform of a group before (`before`) and after (`after`) the diagonal.
    /// Transforms are normalised.
    virtual void pass(Group group, const Phases& phases, bool before, bool after) = 0;
    /// Runs one light-cone pass (kernels/trotter/light_cone.hpp) with the diagonals D_{2p-1}, D_2p and D_{2p+1}; it
    /// begins or ends with D_2p if `before` or `after` is null. For plans with light_cone() only.
    virtual void light_cone_pass(Group /*group*/, const Phases* /*before*/, const Phases& /*middle*/,
                                 const Phases* /*after*/) {
        throw Error(ExitCode::internal, "Light-cone passes run on hosts only.");
    }
    /// Moments of each state in its current basis, [state], the same on all ranks. Collective.
    virtual std::vector<Moments> moments() = 0;
    /// Overlaps <start(state)|state>, [state], the same on all ranks. Collective.
    virtual std::vector<Complex> overlaps(const std::function<InitialState(std::uint64_t)>& start) = 0;
    /// Compute this <- (a E + b) from + c this, with the energies E of a diagonal in the common basis of both states,
    /// and this <- z from + c this; `from` has the same class and plan.
    virtual void add_energies(const Diagonal& energy, const EnergySum& sum, const SpinState& from) = 0;
    /// this <- this + a products from, both in the basis of z. Collective.
    virtual void add_products(const FlipProducts& products, double a, const SpinState& from) = 0;
    virtual void combine(Complex z, const SpinState& from, double c) = 0;
    /// Multiplies each state by its factor, [state].
    virtual void scale(const std::vector<double>& factors) = 0;
    /// Waits until all queued work is done and adds the times of its phases to the timers.
    virtual void finish() {}
    /// The amplitudes, row by row.
    virtual DistributedArray array() = 0;
    /// Memory of a host that holds the amplitudes of this rank; empty on a device.
    virtual std::span<const double> memory() const { return {}; }
};

/// Runs the passes of the remaining diagonals of a sequence, which have transforms between them, in an order that is the
/// same for all backends; `done` passes of the sequence have been run already.
inline void run_layers(SpinState& states, const std::deque<Phases>& layers, std::uint64_t done = 0) {
    for (std::size_t i = 0; i < layers.size(); ++i, ++done)
        states.pass(done % 2 == 0 ? Group::within_row : Group::across_rows, layers[i], done > 0, i + 1 < layers.size());
}

}  // namespace strata::trotter
