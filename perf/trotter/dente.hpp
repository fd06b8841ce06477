// SPDX-License-Identifier: BSD-3-Clause
// The cache-blocked baseline of the Trotter benchmarks: the algorithm of A. D. Dente, C. S. Bederian, P. R. Zangara, H.
// M. Pastawski, GPU accelerated Trotter-Suzuki solver for quantum spin dynamics, written for a CPU. A layer of
// rotations consists of a kernel for the low spins, whose tiles are consecutive amplitudes, and kernels for the high
// spins, whose tiles are rows of 2^s amplitudes. A tile is rotated in the cache, where the paper uses shared memory.
// Products with the stored phases of an axis are part of the adjacent low kernel, which reads the phases in order; in a
// high kernel they take three times as long.
#pragma once

#include "splitting.hpp"

namespace strata::perf {

/// Parameters of the tuner.
struct TileShape {
    int low_spins;   ///< Spins of the first kernel of a layer, whose tiles are 2^low_spins consecutive amplitudes
    int high_spins;  ///< Spins of each further kernel, whose tiles are 2^high_spins rows
    int row_bits;    ///< A row has 2^row_bits consecutive amplitudes, 2 <= row_bits < low_spins
};

/// Rotates the spins [first, last) of all tiles and multiplies by phases before or after, in place.
struct TileKernel {
    Rotation rotation;
    int first, last;
    int row_bits;  ///< Equal to `last` in a kernel of low spins, whose tiles are one row each
    const Amplitude* before;
    const Amplitude* after;
};

/// The kernels of a step in one shape, with a buffer of one tile per thread.
class Dente {
  public:
    Dente(const Splitting& splitting, int spins, TileShape shape, int threads);
    void step(View<Amplitude> state);
    /// Number of passes over the state in one step.
    std::size_t passes() const { return kernels_.size(); }

  private:
    void append_layer(Rotation rotation, const Amplitude* before);

    int spins_, threads_;
    TileShape shape_;
    std::vector<TileKernel> kernels_;
    Buffer<Amplitude> buffers_;
};

/// Measures all shapes, like the tuner of the paper, and returns the fastest. The content of `state` is arbitrary and
/// is changed by the measurements.
TileShape tuned_shape(const Splitting& splitting, int spins, int threads, View<Amplitude> state);

}  // namespace strata::perf
