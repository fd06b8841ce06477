// SPDX-License-Identifier: BSD-3-Clause
// Entanglement entropy S = -tr rho ln rho (in nats) of some spins with all others, from the reduced density matrix rho of
// the smaller side: both sides of a pure state have the same entropy. Every rank of a state sees all amplitudes, batch
// by batch in the order of the states b of the larger side, and sums its own tiles of rho (kernels/trotter/
// density_tiles.hpp); rank 0 of the state diagonalises rho. No number depends on how many ranks there are.
#pragma once

#include <string>
#include <vector>

#include "comm/communicator.hpp"
#include "kernels/trotter/density_tiles.hpp"
#include "kernels/trotter/pass_kernels.hpp"
#include "strata/buffer.hpp"
#include "strata/checkpoint.hpp"
#include "strata/timer.hpp"

namespace strata::trotter {

class TrotterPlan;

/// Spins of the smaller side, at most.
constexpr int max_cut_spins = 14;

/// The spins of run.cut = "first n" or "0,3,4" or, if they are fewer, all others; ascending. Throws Error(bad_input) for
/// other texts, spins that the system does not have, a side without spins, and a smaller side beyond max_cut_spins.
std::vector<int> cut_spins(const std::string& text, int spins);

/// How amplitudes come in batches. Bits of a basis state that vary within a batch are those of the cut (a) and the lowest
/// ones of the rest (b); a chunk is what is consecutive among them and lies on one rank.
class CutLayout {
  public:
    CutLayout() = default;
    /// A state has 2^bits amplitudes, a rank 2^own_bits of them.
    CutLayout(std::vector<int> cut, int bits, int own_bits);

    int size() const { return static_cast<int>(cut_.size()); }
    const std::vector<int>& spins() const { return cut_; }
    int chunk_bits() const { return chunk_bits_; }
    int block_bits() const { return block_bits_; }
    std::uint64_t chunks() const { return std::uint64_t{1} << high_.size(); }                 ///< of a batch
    std::uint64_t batches() const { return std::uint64_t{1} << fixed_.size(); }               ///< of a state
    std::uint64_t blocks() const { return std::uint64_t{1} << (batch_bits_ - block_bits_); }  ///< of a batch
    /// The first amplitude of a chunk, and the place in the panels of what lies there.
    std::uint64_t amplitude(std::uint64_t batch, std::uint64_t chunk) const;
    std::uint64_t place(std::uint64_t chunk) const;
    /// Places of the amplitudes of chunk 0: low[i % low.size()] + high[i / low.size()].
    struct Places {
        std::vector<std::uint64_t> low, high;
    };
    Places places() const;

    std::uint64_t block_doubles() const;
    std::uint64_t panel_doubles() const { return blocks() * block_doubles(); }
    /// Bytes on the rank of a state that diagonalises, if `ranks` share it; operations of one measurement.
    std::uint64_t bytes(int ranks) const;
    double operations() const;

  private:
    std::vector<int> cut_, rest_;  ///< bits, ascending
    int batch_bits_ = 0, block_bits_ = 0, chunk_bits_ = 0;
    std::vector<int> high_, fixed_;      ///< bits that number chunks, and batches
    std::vector<std::uint64_t> stride_;  ///< [bit] in the panels; 0 for bits that number batches
};

class Entanglement {
  public:
    /// `comm`, `plan` and `timers` must outlive the object. Collective.
    Entanglement(const Communicator& comm, const TrotterPlan& plan, Timers& timers);

    void allocate();
    /// Of every state, on all ranks; `psi`: the states in the basis of z.
    std::vector<double> entropies(const DistributedArray& psi);

  private:
    void load_batch(const DistributedArray& psi, std::uint64_t state, std::uint64_t batch);
    template <class Real>
    void scatter(std::uint64_t place);
    double entropy_of_tiles() const;

    const Communicator& comm_;
    const TrotterPlan& plan_;
    Timers& timers_;
    const PassKernels<double>& kernels_;
    const CutLayout& cut_;
    Communicator state_comm_;  ///< ranks that share this rank's state
    Range tiles_;              ///< of this rank
    CutLayout::Places places_;
    Buffer<double> chunk_, panels_, sums_;
};

}  // namespace strata::trotter
