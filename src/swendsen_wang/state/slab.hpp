// SPDX-License-Identifier: BSD-3-Clause
// The memory of one rank's slab and the phases of a sweep on it, for one backend (slab_cpu.hpp, slab_cuda.hpp).
// Every Slab<Backend> has
//   Slab(plan)                         allocates
//   fill(start)                        sets the first configuration
//   state() / restored()               the spins as arrays of the state; restored() follows writes from outside
//   begin(sweep, timers)               sets the parameters of the next sweep
//   update_colour(table, colour, timers)  Metropolis update of the sites of one colour of the checkerboard
//   draw_and_label(timers)             draws bonds, finds the clusters within the slab, binds them to the ghost spin
//   count_spins(observation, timers)   adds the satisfied bonds and up spins of the configuration; needs no labels
//   count_spins_and_planes(observation, timers)  adds these and the up spins by plane
//   count(observation)                 adds those of the last labels, spins by plane, the sizes of the slab's clusters
//   accumulate_moments(observation)    adds the moments of the clusters whose sizes this slab holds
//   flip(timers)                       flips the clusters whose spin is -1
//   finish(timers)                     waits until all phases are complete
#pragma once

#include <cstdint>
#include <string>

#include "comm/device_exchange.hpp"
#include "comm/label_ownership.hpp"
#include "kernels/swendsen_wang/sweep.hpp"
#include "kernels/swendsen_wang/tile_lattice.hpp"
#include "strata/buffer.hpp"
#include "strata/checkpoint.hpp"
#include "swendsen_wang/state/plan.hpp"

namespace strata::swendsen_wang {

template <class Backend>
class Slab;

/// Properties of the device and of the transport of messages that a backend uses.
template <class Backend>
struct BackendOptions;
template <>
struct BackendOptions<Cpu> {};
template <>
struct BackendOptions<Cuda> {
    std::string device;  ///< name of the device, for the report
    DeviceRoute route = DeviceRoute::staged;
};

/// Exchange of a slab with other slabs: halo spins, labels and sizes of the clusters on its borders (borders_cpu.hpp,
/// borders_cuda.hpp).
template <class Backend>
class Borders;

/// Label of a border cluster: labels of clusters that are bound to the ghost spin are preferred, so that a cluster is
/// bound if any of its parts is.
inline BorderLabel spin_label(const Sweep& sweep, std::uint64_t label, std::uint8_t spin) {
    const bool bound = sweep.ghost.binds() && spin == bound_spin;
    return border_label(label, spin, bound ? Preference::preferred : Preference::none);
}

/// Replaces `buffer` by one of `size` elements and returns a view of it.
template <class T, class Backend>
View<T, Backend> allocate(Buffer<T, Backend>& buffer, std::uint64_t size) {
    buffer = Buffer<T, Backend>(size);
    return buffer.view();
}

/// Writes digit `bit` of the spins of step 0 for the local tile rows `rows`. Row r starts at words + (r - rows.first) *
/// stride.
void fill_spins(const TileLattice& lattice, const FirstSpins& first, int bit, const Range& rows, std::uint64_t stride,
                int threads, std::uint64_t* words);

/// Shape of the spins as an array of the state, one tile row of words per row of the array, and the rows of this rank.
/// Ising spins are the array "spins"; of the Potts model each binary digit of the states is one, "states-0", ...
ArrayShape spin_shape(const TileLattice& lattice, int states, int bit);
Range spin_rows(const TileLattice& lattice);

}  // namespace strata::swendsen_wang
