// SPDX-License-Identifier: BSD-3-Clause
// The memory of one rank's slice and the phases of a sweep on it, for one backend (slice_cpu.hpp, slice_cuda.hpp).
// Every Slice<Backend> has
//   Slice(plan)                        allocates
//   fill(start)                        the first configuration
//   spins() / restored()               the spins in host memory as rows of tiles, to be read / written by others
//   begin(sweep, timers)               the sweep to come
//   label(timers)                      bonds, and clusters within the slice
//   count(observation)                 spins, planes, and the sizes of the slice's clusters
//   sum_sizes(observation)             the clusters whose sizes are still here
//   flip(timers)                       by the coins of the clusters' roots
//   finish(timers)                     returns when everything begun is done
#pragma once

#include <cstdint>
#include <string>

#include "comm/device_exchange.hpp"
#include "kernels/swendsen_wang/tile_lattice.hpp"
#include "strata/checkpoint.hpp"
#include "swendsen_wang/plan.hpp"

namespace strata::swendsen_wang {

template <class Backend>
class Slice;

/// What a backend has to be told about where it runs.
template <class Backend>
struct BackendOptions;
template <>
struct BackendOptions<Cpu> {};
template <>
struct BackendOptions<Cuda> {
    std::string device;  ///< its name, for people
    DeviceRoute route = DeviceRoute::staged;
};

/// A slice's part of the label protocol (borders_cpu.hpp, borders_cuda.hpp).
template <class Backend>
class Borders;

/// What the kernels need to know of a sweep.
struct Sweep {
    std::uint64_t number = 0;  ///< from 0
    BondProbability bond;
    bool observed = false;  ///< sizes of clusters will be counted
};

/// Spins of step 0 for some rows of a slab: all up, or random ones keyed by seed and tile. Row r begins at
/// words + (r - rows.first) * stride.
void fill_spins(const TileLattice& lattice, std::uint64_t seed, Start start, const Range& rows, std::uint64_t stride,
                int threads, std::uint64_t* words);

/// The spins as an array of the state, and the rows of it that this rank holds.
ArrayShape spin_shape(const TileLattice& lattice);
Range spin_rows(const TileLattice& lattice);

}  // namespace strata::swendsen_wang
