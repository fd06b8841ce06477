// SPDX-License-Identifier: BSD-3-Clause
// Spins of the cut, and the order in which amplitudes become columns of panels for the density matrix.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace strata::trotter {

/// Largest number of spins on the smaller side.
constexpr int max_cut_spins = 14;

/// The spins of run.cut = "first n" or "0,3,4" or, if they are fewer, all others; ascending. Throws Error(bad_input)
/// for other texts, spins that the system does not have, a side without spins, and a smaller side beyond max_cut_spins.
std::vector<int> cut_spins(const std::string& text, int spins);

/// Division of the amplitudes of a state into batches. Bits of a basis state that vary within a batch are those of the
/// cut (a) and the lowest ones of the rest (b); a chunk is a range of consecutive amplitudes of a batch on one rank.
class CutLayout {
  public:
    CutLayout() = default;
    /// A state has 2^bits amplitudes, a rank 2^own_bits of them.
    CutLayout(std::vector<int> cut, int bits, int own_bits);

    int size() const { return static_cast<int>(cut_.size()); }
    const std::vector<int>& spins() const { return cut_; }
    int chunk_bits() const { return chunk_bits_; }
    int block_bits() const { return block_bits_; }
    std::uint64_t chunks() const { return std::uint64_t{1} << high_.size(); }                 ///< chunks of a batch
    std::uint64_t batches() const { return std::uint64_t{1} << fixed_.size(); }               ///< batches of a state
    std::uint64_t blocks() const { return std::uint64_t{1} << (batch_bits_ - block_bits_); }  ///< blocks of a batch
    /// Index of the first amplitude of a chunk, and the offset in the panels of a chunk's first amplitude, in doubles.
    std::uint64_t amplitude(std::uint64_t batch, std::uint64_t chunk) const;
    std::uint64_t place(std::uint64_t chunk) const;
    /// Offsets in the panels of the amplitudes i of chunk 0, in doubles: low[i % low.size()] + high[i / low.size()].
    struct Places {
        std::vector<std::uint64_t> low, high;
    };
    Places places() const;

    std::uint64_t block_doubles() const;
    std::uint64_t panel_doubles() const { return blocks() * block_doubles(); }
    /// Bytes on the rank that diagonalises, if `ranks` ranks share a state; and operations of one measurement.
    std::uint64_t bytes(int ranks) const;
    double operations() const;

  private:
    std::vector<int> cut_, rest_;  ///< bits, ascending
    int batch_bits_ = 0, block_bits_ = 0, chunk_bits_ = 0;
    std::vector<int> high_, fixed_;      ///< bits that number chunks, and batches
    std::vector<std::uint64_t> stride_;  ///< [bit] stride in the panels, in doubles; 0 for bits that number batches
};

}  // namespace strata::trotter
