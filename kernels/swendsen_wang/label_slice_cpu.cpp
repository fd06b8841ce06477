// SPDX-License-Identifier: BSD-3-Clause
// Bonds, labels, ids and unions of a slice. Each thread walks its layers in bands that its second-level cache holds, so
// that what one step wrote the next one still finds there.
#include <omp.h>

#include <algorithm>

#include "kernels/swendsen_wang/band_kernels.hpp"
#include "kernels/swendsen_wang/sweep_kernels.hpp"
#include "strata/timer.hpp"

namespace strata::swendsen_wang::STRATA_ISA {
namespace {

constexpr std::uint64_t band_tiles = 2048;  // 128 KiB of codes

/// Adds the time since the last lap to a phase.
class Laps {
  public:
    explicit Laps(double* seconds) : seconds_(seconds), last_(monotonic_seconds()) {}
    void close(SlicePhase phase) {
        const double now = monotonic_seconds();
        seconds_[phase] += now - last_;
        last_ = now;
    }

  private:
    double* seconds_;
    double last_;
};

void label_band(const SliceView& s, ThreadSlice& mine, Range undrawn, Range band, Laps& laps) {
    draw_rows(s, mine, undrawn);
    laps.close(bonds_phase);
    const std::uint64_t open = label_rows(s, band);
    laps.close(labels_phase);
    mine.overflow = mine.overflow || open > mine.id_end - mine.last_id;
    if (mine.overflow) return;
    number_rows(s, mine, band);
    laps.close(numbers_phase);
    merge_rows(s, mine, band);
    laps.close(merge_phase);
}

}  // namespace

bool label_slice(const SliceView& s) {
    const std::uint64_t per_layer = s.lattice.rows_per_layer(), layer_tiles = per_layer * s.lattice.row_tiles();
    const std::uint64_t band_rows = std::max<std::uint64_t>(1, band_tiles / layer_tiles) * per_layer;
#pragma omp parallel num_threads(s.thread_count)
    {
        ThreadSlice& mine = s.threads[omp_get_thread_num()];
        std::fill(mine.seconds, mine.seconds + slice_phases, 0.0);
        Laps laps(mine.seconds);
        mine.aligned = mine.up = 0;
        mine.last_id = mine.first_id;
        mine.overflow = false;
        // labels look at the bonds of the layer before: each thread draws its last one before the others start
        const Range rows = mine.rows;
        const std::uint64_t last_layer = rows.empty() ? rows.last : rows.last - per_layer;
        draw_rows(s, mine, {last_layer, rows.last});
        if (rows.first == 0 && !rows.empty()) draw_entering_rows(s);
        laps.close(bonds_phase);
#pragma omp barrier
        for (std::uint64_t row = rows.first; row < rows.last; row += band_rows) {
            const Range band = {row, std::min(row + band_rows, rows.last)};
            label_band(s, mine, {std::min(row, last_layer), std::min(band.last, last_layer)}, band, laps);
        }
    }
    return std::none_of(s.threads, s.threads + s.thread_count, [](const ThreadSlice& t) { return t.overflow; });
}

}  // namespace strata::swendsen_wang::STRATA_ISA
