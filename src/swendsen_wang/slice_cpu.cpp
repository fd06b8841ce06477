// SPDX-License-Identifier: BSD-3-Clause
#include "swendsen_wang/slice_cpu.hpp"

#include <omp.h>

#include <algorithm>

#include "strata/error.hpp"

namespace strata::swendsen_wang {
namespace {

/// Zeroes the rows of each thread, and the halo and guards around them, from that thread.
void first_touch(const SliceView& s, std::uint64_t* memory, std::uint64_t words, std::uint64_t origin) {
    const std::uint64_t stride = s.lattice.row_stride();
#pragma omp parallel num_threads(s.thread_count)
    {
        const int t = omp_get_thread_num();
        const Range rows = s.threads[t].rows;
        const std::uint64_t first = t == 0 ? 0 : origin + rows.first * stride;
        const std::uint64_t last = t + 1 == s.thread_count ? words : origin + rows.last * stride;
        std::fill(memory + first, memory + last, 0);
    }
}

/// Sites, last sites and shift of each tile of a row: three rows of words.
Buffer<std::uint64_t> make_columns(const TileLattice& l) {
    const std::uint64_t length = l.row_stride();
    Buffer<std::uint64_t> columns(3 * length);
    std::fill(columns.begin(), columns.end(), 0);
    for (std::uint64_t tile = 0; tile < l.row_tiles(); ++tile) {
        const std::uint64_t width = l.width(0, tile);
        columns[tile] = sites_below(l.dimensions, 0, width);
        columns[length + tile] = last_sites(l.dimensions, 0, width);
        columns[2 * length + tile] = width - 1;
    }
    return columns;
}

}  // namespace

Slice<Cpu>::Slice(const SwendsenWangPlan& plan) : kernels_(plan.kernels()) {
    const TileLattice& l = plan.lattice();
    const std::uint64_t tiles = l.slice_tiles(), ids = plan.id_capacity();
    view_.lattice = l;
    view_.seed = plan.config().seed;
    view_.id_capacity = ids;
    view_.thread_count = plan.threads();
    threads_.resize(static_cast<std::size_t>(plan.threads()));
    for (std::size_t t = 0; t < threads_.size(); ++t) {
        threads_[t].rows = plan.thread_rows(static_cast<int>(t));
        threads_[t].first_id = t == 0 ? 0 : threads_[t - 1].id_end + id_slack;
        threads_[t].last_id = threads_[t].first_id;
        threads_[t].id_end =
            threads_[t].first_id + static_cast<std::uint32_t>(plan.thread_ids(static_cast<int>(t))) - id_slack;
        row_words_.emplace_back(8 * l.row_stride() + 64);
        pairs_.emplace_back(staged_pairs + 32);
        pairs_.emplace_back(staged_pairs + 32);
        threads_[t].row_words = row_words_.back().data();
        threads_[t].pair_a = pairs_[2 * t].data();
        threads_[t].pair_b = pairs_[2 * t + 1].data();
    }
    view_.threads = threads_.data();
    columns_ = make_columns(l);
    view_.column_sites = columns_.data();
    view_.column_last = columns_.data() + l.row_stride();
    view_.column_shift = columns_.data() + 2 * l.row_stride();

    for (int i = 0; i < 1 + l.dimensions; ++i) {
        padded_.emplace_back(plan.padded_words());
        first_touch(view_, padded_.back().data(), plan.padded_words(), plan.origin());
        (i == 0 ? view_.spins : view_.bonds[i - 1]) = padded_.back().data() + plan.origin();
    }
    view_.codes = (codes_ = Buffer<std::uint8_t>(64 * tiles)).data();
    view_.open = (open_ = Buffer<std::uint64_t>(tiles)).data();
    view_.closed = (closed_ = Buffer<std::uint64_t>(tiles)).data();
    view_.coins = (coins_ = Buffer<std::uint64_t>(tiles)).data();
    view_.base = (bases_ = Buffer<std::uint32_t>(tiles)).data();
    view_.parent = (parents_ = Buffer<std::uint32_t>(ids)).data();
    view_.flip = (flips_ = Buffer<std::uint8_t>(ids)).data();
    sizes_ = Buffer<std::uint64_t>(ids);
}

void Slice<Cpu>::fill(Start start) {
    fill_spins(view_.lattice, view_.seed, start, {0, view_.lattice.rows()}, view_.lattice.row_stride(),
               view_.thread_count, view_.spins + view_.word(0, 0));
    restored();
}

/// What follows from the spins: the copies beyond the end of each row.
void Slice<Cpu>::restored() {
    for (std::uint64_t r = 0; r < view_.lattice.rows(); ++r) {
        std::uint64_t* spins = view_.spins + view_.word(static_cast<std::int64_t>(r), 0);
        spins[view_.lattice.row_tiles()] = spins[0];
    }
}

void Slice<Cpu>::begin(const Sweep& sweep, Timers&) {
    view_.sweep = sweep.number;
    view_.bond_threshold = sweep.bond.threshold;
    view_.bond_always = sweep.bond.always;
}

/// Bonds, labels, numbers and unions go band by band, so the kernel itself measures them.
void Slice<Cpu>::label(Timers& timers) {
    if (!kernels_.label_slice(view_))
        throw Error(ExitCode::internal, "This configuration has more open components than foreseen.");
    constexpr const char* names[] = {"bonds", "labels", "numbers", "merge"};
    for (int phase = 0; phase < slice_phases; ++phase)
        timers.add(names[phase], phase_seconds(static_cast<SlicePhase>(phase)));
    const Timers::Scope scope = timers.scope("join threads");
    kernels_.join_threads(view_);
}

/// Mean over the threads of what label_slice spent in a phase.
double Slice<Cpu>::phase_seconds(SlicePhase phase) const {
    double sum = 0;
    for (const ThreadSlice& thread : threads_) sum += thread.seconds[phase];
    return sum / static_cast<double>(threads_.size());
}

void Slice<Cpu>::count(Observation& observation) {
    for (const ThreadSlice& thread : threads_) observation.add_spins(thread.aligned, thread.up);
    kernels_.count_planes(view_, observation.planes());
    kernels_.count_sizes(view_, sizes_.data(), observation.clusters());
}

void Slice<Cpu>::sum_sizes(Observation& observation) {
    kernels_.sum_sizes(view_, sizes_.data(), observation.clusters());
}

void Slice<Cpu>::flip(Timers& timers) {
    const Timers::Scope scope = timers.scope("flip");
    kernels_.flip_clusters(view_);
}

}  // namespace strata::swendsen_wang
