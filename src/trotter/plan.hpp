// SPDX-License-Identifier: BSD-3-Clause
// What does not change while spins evolve: how states lie over the ranks, which bits a pass transforms, memory. The bits
// of a row follow from the number of spins and the precision alone, so that a job gives the same amplitudes on any
// machine and on any number of ranks.
#pragma once

#include <string>
#include <vector>

#include "kernels/trotter/pass_kernels.hpp"
#include "strata/memory.hpp"
#include "trotter/chebyshev_series.hpp"
#include "trotter/config.hpp"
#include "trotter/cut_layout.hpp"
#include "trotter/device_tiles.hpp"
#include "trotter/schedule.hpp"

namespace strata::trotter {

/// What a tuner or a test chooses; 0: as the job alone decides.
struct PlanOptions {
    int row_bits = 0;              ///< of the layout
    int tile_bits = 0;             ///< of the largest tile on a device
    std::uint64_t part_bytes = 0;  ///< of a piece of an exchange between two ranks, at most
    int top_bits = 0;              ///< of the registers of a host, see TileBits
    std::string origin = {};       ///< of a plan that was asked of a tuner, for the report
};

class TrotterPlan {
  public:
    /// Throws Error(bad_input) for a number of ranks that is no power of two or larger than the number of rows, with the
    /// numbers that are possible, for more spins than the tiles of a host hold, and as make_hamiltonian and Schedule do.
    TrotterPlan(const TrotterConfig& config, int ranks, int rank, int threads, BackendKind backend,
                const PlanOptions& options = {});

    const TrotterConfig& config() const { return config_; }
    const SpinHamiltonian& hamiltonian() const { return hamiltonian_; }
    const Schedule& schedule() const { return schedule_; }
    /// Spins of the Hamiltonian. Very small systems get further spins without terms, which stay up, to fill a block.
    int spins() const { return hamiltonian_.spins; }
    const StateLayout& layout() const { return layout_; }
    /// Bits of the tiles of a host.
    TileBits row_tile_bits() const { return row_bits(layout_, options_.top_bits); }
    TileBits column_tile_bits() const { return column_bits(layout_, options_.top_bits); }
    /// Whether steps are made of light-cone passes, two layers each: on hosts where only neighbours on a ring are coupled.
    bool light_cone() const { return light_cone_; }
    /// What a tuner chose; empty for the default plan.
    std::string tuned() const;
    int ranks() const { return ranks_; }
    int rank() const { return rank_; }
    int threads() const { return threads_; }
    BackendKind backend() const { return backend_; }

    /// The cut of the entanglement entropy, where it is observed.
    const CutLayout& cut() const { return cut_; }

    /// States that evolve at once, over all ranks.
    std::uint64_t states() const { return config_.concurrent; }
    /// Ranks that share a state: consecutive ones.
    int ranks_of_state() const;
    /// States of this rank, whole ones or its part of one, and this rank's rows of each.
    Range own_states() const;
    Range own_rows() const;
    /// This rank's rows of all states, counted through the states.
    Range all_own_rows() const;

    std::uint64_t real_bytes() const { return config_.precision == Precision::single ? 4 : 8; }
    /// Bytes of amplitudes of this rank, with gaps.
    std::uint64_t state_bytes() const;
    /// Diagonals of a group whose tables are kept: all of a step of Blanes and Moan.
    static constexpr int kept_diagonals = 16;
    /// Blocks of a row that are exchanged at a time between ranks that do not share memory.
    std::uint64_t piece_blocks() const;
    /// Blocks from a row to the next one in the part of a piece that goes between two ranks: odd on hosts, as in the
    /// state. Bytes of such a part.
    std::uint64_t part_row_blocks() const {
        return backend_ == BackendKind::cuda ? piece_blocks() : piece_blocks() | 1;
    }
    std::uint64_t part_bytes() const;
    /// Rows that go between a device and the host at a time: a power of two.
    std::uint64_t slab_rows() const;
    /// Amplitudes of a slab by which two states are compared (distance.hpp).
    std::uint64_t compared_amplitudes() const;
    /// On a device: the tiles of its passes, and the bits of the parts of a row that are summed by themselves.
    const DeviceTiles& tiles() const { return tiles_; }
    int sum_bits() const;

    /// Passes over the state per step of the splitting, without observations; on a device its launches.
    double passes_per_step() const { return layers_per_step_ * passes_per_layer() + sum_passes_per_step(); }
    double bytes_per_step() const;
    /// The power p of the step by which errors are taken to fall: the order of the splitting, at most 2 where factors of
    /// the drive have kinks; and 2^p / (2^p - 1), by which the difference from half the step becomes an error.
    int error_order() const { return error_order_; }
    double error_factor() const;

    /// Bounds of the spectrum and the Chebyshev series of a step forwards.
    const SpectralBounds& bounds() const { return bounds_; }
    const ChebyshevSeries& series() const { return series_; }

    MemoryPrediction memory() const;
    std::vector<std::string> description() const;
    std::vector<std::string> traffic() const;

  private:
    double count_layers() const;
    double count_chebyshev_layers() const;
    double products_per_step() const;    ///< with H, of a Chebyshev series
    double sum_passes_per_step() const;  ///< passes over a state that sums of states are worth
    double amplitude_bytes() const;      ///< of all states that are observed, over all ranks
    std::uint64_t copies() const;        ///< states of each number in memory
    std::string method_line() const;
    double passes_per_layer() const {
        return backend_ == BackendKind::cuda ? static_cast<double>(tiles_.launches()) / 2 : light_cone_ ? 0.5 : 1;
    }
    std::uint64_t table_bytes() const;  ///< of one diagonal of each group

    TrotterConfig config_;
    SpinHamiltonian hamiltonian_;
    Schedule schedule_;
    int ranks_, rank_, threads_;
    BackendKind backend_;
    StateLayout layout_;
    PlanOptions options_;
    DeviceTiles tiles_;
    bool light_cone_;
    double layers_per_step_;  ///< transforms of all spins
    int error_order_;
    CutLayout cut_;
    SpectralBounds bounds_;
    ChebyshevSeries series_;
};

/// The layout of `spins` spins on a backend.
StateLayout default_layout(int spins, Precision precision, BackendKind backend);

/// The smallest number of ranks, `ranks` or more, that can hold the states of a job on some backend; 0 if there is none.
int next_ranks(const Config& config, int ranks);

}  // namespace strata::trotter
