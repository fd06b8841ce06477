// SPDX-License-Identifier: BSD-3-Clause
// Passes over spin states on a device. Amplitudes lie one after another as pairs (re, im), without gaps. A tile fits in
// the shared memory of a block of threads: it has the amplitudes that differ in some neighbouring bits of their index,
// which are transformed, and in a few lowest bits, so that memory is read in pieces of 128 bytes.
//
//     index of an amplitude   | high | transformed | middle | low |     tile: transformed, low; tile number: the others
//
// Bytes per amplitude (double) and launch: 32, the state read and written. A group of more bits than a tile holds takes
// several launches: one of them transforms and applies the diagonal, the others transform before and after it.
#pragma once

#include <cstdint>

#include "kernels/trotter/pass_kernels.hpp"
#include "strata/queue.hpp"

namespace strata::trotter {

template <class Real>
struct alignas(2 * sizeof(Real)) Amplitude {
    Real re, im;
};

/// Largest number of bits of a tile: 4096 complex doubles or 8192 complex floats are 64 KiB.
template <class Real>
constexpr int max_tile_bits = sizeof(Real) == 8 ? 12 : 13;
/// Lowest bits that belong to a tile whose transformed bits begin higher up: 128 bytes.
template <class Real>
constexpr int max_low_bits = sizeof(Real) == 8 ? 3 : 4;

/// Index of element i in shared memory: one unused element follows every 128 bytes, so that elements a power of two
/// apart, which neighbouring threads access, lie in different banks.
template <class T>
STRATA_HOST_DEVICE constexpr unsigned shared_place(unsigned i) {
    return i + (i >> (sizeof(T) == 16 ? 3 : 4));
}

/// Largest shared memory of a pass beside the tile, in bytes.
constexpr std::uint64_t pass_table_bytes = 5 << 10;

/// Bits of the largest tile for blocks of threads with `shared_bytes` bytes of shared memory.
template <class Real>
constexpr int usable_tile_bits(std::uint64_t shared_bytes) {
    int bits = max_tile_bits<Real>;
    while (bits > 1 &&
           shared_place<Amplitude<Real>>(1u << bits) * sizeof(Amplitude<Real>) + pass_table_bytes > shared_bytes)
        --bits;
    return bits;
}

/// Longer rows than 2^max_sum_bits amplitudes are cut for their sums; 2^12 doubles and gaps take 34 KiB of shared
/// memory.
constexpr int max_sum_bits = 12;

/// Tables of a diagonal in device memory, for tiles of certain spins.
template <class Real>
struct DevicePhases {
    const Amplitude<Real>* tile = nullptr;  ///< [index in the tile] factor of the terms of its spins, scaled
    const double* angles = nullptr;         ///< [spin][spin] couplings, and on the diagonal the fields
    int spins = 0;
};

template <class Real>
constexpr std::uint64_t device_table_bytes(int spins) {
    return (sizeof(Amplitude<Real>) << max_tile_bits<Real>)+sizeof(double) * static_cast<std::uint64_t>(spins * spins);
}

/// T D T on all tiles of some memory. Bit b of an index belongs to spin b for b < split and to spin b + shift from
/// there on; spins without a bit have the values in `fixed`.
template <class Real>
struct DevicePass {
    Amplitude<Real>* amplitudes = nullptr;
    int bits = 0;                       ///< bits of an index
    int low = 0, first = 0, count = 0;  ///< number of low bits; first transformed bit and their number
    bool before = true, after = true;   ///< whether T acts before and after D
    DevicePhases<Real> phases;          ///< no D where `tile` is null
    int split = 0, shift = 0;
    std::uint64_t fixed = 0;

    STRATA_HOST_DEVICE int tile_bits() const { return low + count; }
    STRATA_HOST_DEVICE int spin_of(int tile_bit) const {
        const int bit = tile_bit < low ? tile_bit : first + tile_bit - low;
        return bit < split ? bit : bit + shift;
    }
};

/// All kernels are queued and return at once; all pointers are to device memory.
template <class Real>
struct DevicePassKernels {
    void (*pass)(const Queue<Cuda>&, const DevicePass<Real>&);
    /// Writes out[row * width + i] as in RowSums, for `rows` rows of 2^row_bits amplitudes; row_bits <= max_sum_bits.
    void (*row_sums)(const Queue<Cuda>&, int row_bits, const Amplitude<Real>* state, std::uint64_t rows, double* out);
    void (*scale)(const Queue<Cuda>&, Amplitude<Real>* state, std::uint64_t amplitudes, double factor);
    /// Copies some columns of rows into packed memory, part[row][column], and back.
    void (*pack)(const Queue<Cuda>&, int row_bits, const Amplitude<Real>* state, std::uint64_t rows, Range columns,
                 Amplitude<Real>* part);
    void (*unpack)(const Queue<Cuda>&, int row_bits, Amplitude<Real>* state, std::uint64_t rows, Range columns,
                   const Amplitude<Real>* part);
};

template <class Real>
const DevicePassKernels<Real>& device_pass_kernels();

}  // namespace strata::trotter
