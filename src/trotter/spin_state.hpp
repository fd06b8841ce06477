// SPDX-License-Identifier: BSD-3-Clause
// The states that evolve at once, spread over the ranks, and what the evolution needs of them. States are numbered by
// further bits above those of the spins, which no pass transforms:
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
#include "strata/checkpoint.hpp"
#include "strata/error.hpp"
#include "strata/timer.hpp"
#include "trotter/initial_state.hpp"
#include "trotter/layers.hpp"
#include "trotter/moments.hpp"

namespace strata::trotter {

/// The bits that a pass transforms: those within a row, or those that number the rows.
enum class Group { within_row, across_rows };
constexpr std::size_t index_of(Group group) { return static_cast<std::size_t>(group); }

class SpinState {
  public:
    virtual ~SpinState() = default;

    /// The ranks over which the states are spread.
    virtual const Communicator& comm() const = 0;
    /// Where the kernels run.
    virtual std::string backend() const = 0;
    virtual void allocate() = 0;
    /// Sets the states to start(number of the state).
    virtual void fill(const std::function<InitialState(std::uint64_t)>& start) = 0;
    /// One pass over all states: the transform of a group before and after the diagonal, where asked for. Transforms are
    /// normalised.
    virtual void pass(Group group, const Phases& phases, bool before, bool after) = 0;
    /// One light-cone pass (kernels/trotter/light_cone.hpp) with the diagonals D_{2p-1}, D_2p and D_{2p+1}; a pass begins
    /// or ends with D_2p where the one before or after it is null. For plans with light_cone() only.
    virtual void light_cone_pass(Group /*group*/, const Phases* /*before*/, const Phases& /*middle*/,
                                 const Phases* /*after*/) {
        throw Error(ExitCode::internal, "Light-cone passes run on hosts only.");
    }
    /// Of each state in the basis it is in; the same on all ranks.
    virtual std::vector<Moments> moments() = 0;
    /// <start(state)|state> for each state, on all ranks.
    virtual std::vector<Complex> overlaps(const std::function<InitialState(std::uint64_t)>& start) = 0;
    /// this <- (a E + b) from + c this, E the energies of a diagonal in the basis that both are in, and
    /// this <- z from + c this; `from` is of the same class and plan.
    virtual void add_energies(const Diagonal& energy, const EnergySum& sum, const SpinState& from) = 0;
    virtual void combine(Complex z, const SpinState& from, double c) = 0;
    /// Multiplies each state by its factor.
    virtual void scale(const std::vector<double>& factors) = 0;
    /// Returns when all work is done, with the time of the phases in the timers.
    virtual void finish() {}
    /// The amplitudes, row by row.
    virtual DistributedArray array() = 0;
    /// Memory of a host that holds the amplitudes of this rank; empty on a device.
    virtual std::span<const double> memory() const { return {}; }
};

/// The passes of a sequence of diagonals with transforms between them, of which the first `done` passes were made.
void run_layers(SpinState& states, const std::deque<Phases>& layers, std::uint64_t done = 0);

}  // namespace strata::trotter
