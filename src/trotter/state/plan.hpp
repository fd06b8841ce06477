// SPDX-License-Identifier: BSD-3-Clause
// Constants of a run: the distribution of the states over the ranks, the bits that a pass transforms, memory. In a
// default plan the bits of a row follow from the number of spins, the precision and the backend alone, so that a job
// gives the same amplitudes on any host and on any number of ranks.
#pragma once

#include <bit>
#include <memory>
#include <string>
#include <vector>

#include "kernels/trotter/pass_kernels.hpp"
#include "strata/memory.hpp"
#include "trotter/job/config.hpp"
#include "trotter/physics/chebyshev_series.hpp"
#include "trotter/physics/drive.hpp"
#include "trotter/physics/schedule.hpp"
#include "trotter/state/cut_layout.hpp"
#include "trotter/state/device_tiles.hpp"
#include "trotter/state/product_layout.hpp"

namespace strata::trotter {

/// Choices of a tuner or a test; 0 selects the default, which follows from the job alone.
struct PlanOptions {
    int row_bits = 0;              ///< bits of a row
    int tile_bits = 0;             ///< bits of the largest tile on a device
    std::uint64_t part_bytes = 0;  ///< largest piece of an exchange between two ranks
    int top_bits = 0;              ///< bits of the blocks in registers of a host, see TileBits
    int slab_bits = 0;             ///< bits of a slab of amplitudes for the operators of [observables]
    std::string origin = {};       ///< source of a tuner's plan, for the report
};

class TrotterPlan {
  public:
    /// Throws Error(bad_input) for a number of ranks that is no power of two or too large for the rows and columns of
    /// the layout, with the numbers that are possible, for more spins than the tiles of a host hold, and as
    /// Drive and Schedule do.
    TrotterPlan(const TrotterConfig& config, int ranks, int rank, int threads, BackendKind backend,
                const PlanOptions& options = {});

    const TrotterConfig& config() const { return config_; }
    const Drive& drive() const { return drive_; }
    const SpinHamiltonian& hamiltonian() const { return drive_.hamiltonian(); }
    const Schedule& schedule() const { return schedule_; }
    /// Number of spins of the Hamiltonian. Layouts of very small systems are padded with spins without terms, which
    /// stay up, to fill a block.
    int spins() const { return hamiltonian().spins; }
    const StateLayout& layout() const { return layout_; }
    /// Bits of the tiles of a host.
    TileBits row_tile_bits() const { return row_bits(layout_, options_.top_bits); }
    TileBits column_tile_bits() const { return column_bits(layout_, options_.top_bits); }
    /// Whether steps use light-cone passes, which cover two layers each: on hosts where only neighbours on a ring are
    /// coupled.
    bool light_cone() const { return light_cone_; }
    /// Text about the plan that a tuner chose; empty for the default plan.
    std::string tuned() const;
    int ranks() const { return ranks_; }
    int rank() const { return rank_; }
    int threads() const { return threads_; }
    BackendKind backend() const { return backend_; }

    /// The cut of the entanglement entropy, where it is observed.
    const CutLayout& cut() const { return cut_; }

    /// The operators of [observables], and those of H that the moments do not hold; null without both. And the order
    /// of their sums.
    const ObservedProducts* observed() const { return observed_.get(); }
    const ProductLayout& product_layout() const { return product_layout_; }

    /// States that evolve at once, over all ranks.
    std::uint64_t states() const { return config_.concurrent; }
    /// Ranks that share a state: consecutive ones.
    int ranks_of_state() const;
    /// log2 of the amplitudes of a state that a rank has.
    int own_bits() const { return layout_.spins - std::countr_zero(static_cast<unsigned>(ranks_of_state())); }
    /// States of this rank (several whole ones, or the one that it shares), and this rank's rows of each.
    Range own_states() const;
    Range own_rows() const;
    /// This rank's rows of all states, counted through the states.
    Range all_own_rows() const;

    std::uint64_t real_bytes() const { return config_.precision == Precision::single ? 4 : 8; }
    /// Bytes of amplitudes of this rank, with gaps.
    std::uint64_t state_bytes() const;
    /// Number of diagonals of a group whose tables are kept: enough for all of a step of Blanes and Moan.
    static constexpr int kept_diagonals = 16;
    /// Blocks of a row that are exchanged at a time between ranks that do not share memory.
    std::uint64_t piece_blocks() const;
    /// Distance from a row to the next one, in blocks, in the part of a piece that two ranks exchange: odd on hosts, as
    /// in the state; and bytes of such a part.
    std::uint64_t part_row_blocks() const {
        return backend_ == BackendKind::cuda ? piece_blocks() : piece_blocks() | 1;
    }
    std::uint64_t part_bytes() const;
    /// Rows copied at a time between a device and the host: a power of two.
    std::uint64_t slab_rows() const;
    /// Rows that two ranks exchange at a time for products of H that flip bits of ranks: a power of two, 0 without
    /// such.
    std::uint64_t product_slab_rows() const;
    /// Amplitudes of a slab by which two states are compared (distance.hpp).
    std::uint64_t compared_amplitudes() const;
    /// On a device: the tiles of its passes, and the bits of the parts of a row that are summed by themselves.
    const DeviceTiles& tiles() const { return tiles_; }
    int sum_bits() const;

    /// Passes over the states per step of the run, including those of an error estimate, without observations; launches
    /// on a device.
    double passes_per_step() const { return layers_per_step_ * passes_per_layer() + sum_passes_per_step(); }
    /// Bytes that these passes, or one pass, read and write, over all ranks.
    double bytes_per_step() const { return passes_per_step() * bytes_per_pass(); }
    double bytes_per_pass() const { return 2 * amplitude_bytes(); }
    /// 2^p / (2^p - 1), the ratio of an error to the difference from the result with half the step, where errors fall as
    /// the step to the power p, the order of the splitting.
    double error_factor() const;

    /// Bounds of the spectrum and the Chebyshev series of a forward step; both are empty for a splitting.
    const SpectralBounds& bounds() const { return bounds_; }
    const ChebyshevSeries& series() const { return series_; }

    /// Text about a step of a splitting in which one field or coupling alone turns phases by more than pi; empty for
    /// shorter steps.
    std::string long_step() const;

    MemoryPrediction memory() const;
    std::vector<std::string> description() const;
    std::vector<std::string> traffic() const;
    /// Bytes that a rank sends per step if it shares no memory with others.
    double sent_bytes() const;
    /// Transforms of all spins per step of the run.
    double layers_per_step() const { return layers_per_step_; }

  private:
    double count_layers() const;
    double parts_per_step() const;  ///< mean number of parts into which kinks of the drive divide a step
    double count_chebyshev_layers() const;
    double products_per_step() const;    ///< products with H of a Chebyshev series
    double sum_passes_per_step() const;  ///< sums of states, counted in passes over a state
    /// Bytes of product_slab_rows() with their gaps.
    std::uint64_t product_slab_bytes() const { return layout_.reals(product_slab_rows()) * real_bytes(); }
    double amplitude_bytes() const;  ///< bytes of the observed states, over all ranks
    std::uint64_t copies() const;    ///< vectors in memory for each observed state
    std::string method_line() const;
    double passes_per_layer() const {
        return backend_ == BackendKind::cuda ? static_cast<double>(tiles_.launches()) / 2 : light_cone_ ? 0.5 : 1;
    }
    std::uint64_t table_bytes() const;  ///< tables of one diagonal of each group

    TrotterConfig config_;
    Drive drive_;
    Schedule schedule_;
    int ranks_, rank_, threads_;
    BackendKind backend_;
    StateLayout layout_;
    PlanOptions options_;
    DeviceTiles tiles_;
    bool light_cone_;
    double layers_per_step_;  ///< transforms of all spins per step of the run
    ProductCounts products_;
    CutLayout cut_;
    std::shared_ptr<const ObservedProducts> observed_;
    ProductLayout product_layout_;
    SpectralBounds bounds_;
    ChebyshevSeries series_;
};

/// The layout of `spins` spins on a backend.
StateLayout default_layout(int spins, Precision precision, BackendKind backend);

/// The smallest number of ranks, `ranks` or more, that can hold the states of a job on some backend; 0 if there is
/// none.
int next_ranks(const Config& config, int ranks);

}  // namespace strata::trotter
