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
#include "kernels/swendsen_wang/counter_words.hpp"
#include "kernels/swendsen_wang/tile_lattice.hpp"
#include "swendsen_wang/plan.hpp"

namespace strata::swendsen_wang {

template <class Backend>
class Slice;

/// What a backend has to be told about where it runs.
template <class Backend>
struct Setting;
template <>
struct Setting<Cpu> {};
template <>
struct Setting<Cuda> {
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

/// Spins of step 0: all up, or random ones keyed by seed and tile. Row r begins at words + r * stride.
inline void fill_spins(const TileLattice& l, std::uint64_t seed, Start start, std::uint64_t stride, int threads,
                       std::uint64_t* words) {
#pragma omp parallel for schedule(static) num_threads(threads)
    for (std::uint64_t r = 0; r < l.rows(); ++r) {
        const auto row = static_cast<std::int64_t>(r);
        const std::uint64_t in_row = row_sites(l, row);
        for (std::uint64_t t = 0; t < l.row_tiles(); ++t) {
            const std::uint64_t random =
                start == Start::cold ? ~std::uint64_t{0} : start_word(seed, l.first_tile(row) + t);
            words[r * stride + t] = random & tile_sites(l, in_row, t);
        }
    }
}

/// The rows of a slice in global order, `words` at its first one.
inline DistributedArray spin_rows(const TileLattice& l, std::uint64_t stride, std::uint64_t* words) {
    const std::uint64_t per_layer = l.rows_per_layer();
    return {"spins",       ElementType::u64, l.all_layers() * per_layer,
            l.row_tiles(), stride,           {l.layers.first * per_layer, l.layers.last * per_layer},
            words};
}

}  // namespace strata::swendsen_wang
