// SPDX-License-Identifier: BSD-3-Clause
// Cache-blocked baseline: a tile is processed by sweeps, each of which rotates up to four spins in registers. The first
// sweep reads the memory, the last one writes it, and the intermediate results stay in a buffer in the cache.
#include "dente.hpp"

#include <omp.h>

#include <algorithm>
#include <array>
#include <utility>

#include "amplitude_vector.hpp"
#include "strata/timer.hpp"

namespace strata::perf {
namespace {

constexpr int max_sweep_spins = 4;  ///< 16 registers of 64 bytes

/// Position of the amplitudes of a tile: amplitude t lies in row t >> row_bits, and rows are 2^row_shift apart.
struct Placement {
    Amplitude* base;
    int row_bits, row_shift;

    std::uint64_t offset(std::uint64_t t) const {
        return (t >> row_bits << row_shift) + (t & ((std::uint64_t{1} << row_bits) - 1));
    }
};

/// Arguments of a sweep over a tile. `first`: lowest bit of the tile that it rotates.
struct Sweep {
    Placement from, to;
    std::uint64_t size;
    int first;
    const Amplitude* before;
    const Amplitude* after;
    Placement next;                      ///< The tile after this one
    std::uint64_t fetched, fetched_end;  ///< Range of its amplitudes that this sweep prefetches
};

template <Rotation rotation, int count, int spin = 0>
inline void rotate_registers(AmplitudeVector (&v)[1 << count]) {
    if constexpr (spin < count) {
#pragma GCC unroll 16
        for (int i = 0; i < 1 << count; ++i)
            if ((i >> spin & 1) == 0) rotate_pair<rotation>(v[i], v[i | 1 << spin]);
        rotate_registers<rotation, count, spin + 1>(v);
    }
}

template <Rotation rotation, int count, bool within>
void sweep(const Sweep& s) {
    constexpr std::uint64_t vectors = 1 << count;
    const std::uint64_t inner = std::uint64_t{1} << s.first, outer = inner << count;
    const std::uint64_t from_distance = s.from.offset(inner), to_distance = s.to.offset(inner);
    const std::uint64_t turns = s.size / vector_size >> count;
    const std::uint64_t per_turn = ((s.fetched_end - s.fetched) / vector_size + turns - 1) / turns * vector_size;
    std::uint64_t fetched = s.fetched;
    for (std::uint64_t block = 0; block < s.size; block += outer)
        for (std::uint64_t t = block; t < block + inner; t += vector_size) {
            AmplitudeVector v[vectors];
            const std::uint64_t from = s.from.offset(t), to = s.to.offset(t);
            for (std::uint64_t end = std::min(fetched + per_turn, s.fetched_end); fetched < end; fetched += vector_size)
                __builtin_prefetch(s.next.base + s.next.offset(fetched), 1, 2);
#pragma GCC unroll 16
            for (std::uint64_t k = 0; k < vectors; ++k) v[k] = load(s.from.base + from + k * from_distance);
            if (s.before != nullptr)
#pragma GCC unroll 16
                for (std::uint64_t k = 0; k < vectors; ++k)
                    v[k] = product(v[k], load(s.before + from + k * from_distance));
            if constexpr (within)
#pragma GCC unroll 16
                for (std::uint64_t k = 0; k < vectors; ++k) v[k] = rotate_all_within<rotation>(v[k]);
            rotate_registers<rotation, count>(v);
            if (s.after != nullptr)
#pragma GCC unroll 16
                for (std::uint64_t k = 0; k < vectors; ++k) v[k] = product(v[k], load(s.after + to + k * to_distance));
#pragma GCC unroll 16
            for (std::uint64_t k = 0; k < vectors; ++k) store(s.to.base + to + k * to_distance, v[k]);
        }
}

using SweepFunction = void (*)(const Sweep&);

template <Rotation rotation, bool within, int... counts>
constexpr auto sweep_table(std::integer_sequence<int, counts...>) {
    return std::array<SweepFunction, sizeof...(counts)>{&sweep<rotation, counts, within>...};
}

template <bool within>
SweepFunction sweep_of(Rotation rotation, int count) {
    constexpr std::make_integer_sequence<int, max_sweep_spins + 1> counts;
    static constexpr auto forward = sweep_table<Rotation::forward, within>(counts);
    static constexpr auto backward = sweep_table<Rotation::backward, within>(counts);
    return (rotation == Rotation::forward ? forward : backward)[static_cast<std::size_t>(count)];
}

struct PlannedSweep {
    SweepFunction function;
    int first;  ///< Lowest bit that it rotates
};

/// Divides the rotated bits [first, last) of a tile into as few sweeps as possible, of similar sizes.
std::vector<PlannedSweep> plan_sweeps(Rotation rotation, int first, int last) {
    const bool within = first == 0;
    if (within) first = vector_bits;
    const int sweeps = std::max(1, (last - first + max_sweep_spins - 1) / max_sweep_spins);
    std::vector<PlannedSweep> planned;
    for (int i = 0; i < sweeps; ++i) {
        const int begin = first + (last - first) * i / sweeps,
                  count = first + (last - first) * (i + 1) / sweeps - begin;
        const bool lowest = within && i == 0;
        planned.push_back({lowest ? sweep_of<true>(rotation, count) : sweep_of<false>(rotation, count), begin});
    }
    return planned;
}

/// All tiles of a kernel: their positions, and the sweeps that process them.
class Tiling {
  public:
    Tiling(const TileKernel& kernel, std::uint64_t dimension)
        : kernel_(kernel),
          low_(kernel.first == 0),
          tile_bits_(low_ ? kernel.last : kernel.row_bits + kernel.last - kernel.first),
          column_bits_(low_ ? 0 : kernel.first - kernel.row_bits),
          count_(dimension >> tile_bits_),
          sweeps_(plan_sweeps(kernel.rotation, low_ ? 0 : kernel.row_bits, tile_bits_)) {}

    std::uint64_t count() const { return count_; }
    /// Processes tile i; `buffer` has the size of a tile.
    void run(std::uint64_t i, View<Amplitude> state, Amplitude* buffer) const {
        const std::uint64_t offset = first_amplitude(i), size = std::uint64_t{1} << tile_bits_;
        const Placement memory = placement(state.data() + offset), cache{buffer, tile_bits_, tile_bits_};
        const Placement next = placement(state.data() + first_amplitude(std::min(i + 1, count_ - 1)));
        for (std::size_t k = 0; k < sweeps_.size(); ++k) {
            const bool begins = k == 0, ends = k + 1 == sweeps_.size();
            const std::uint64_t share = size / sweeps_.size() / vector_size * vector_size;
            const std::uint64_t fetched_end = sweeps_.size() == 1 ? 0 : ends ? size : share * (k + 1);
            sweeps_[k].function({begins ? memory : cache, ends ? memory : cache, size, sweeps_[k].first,
                                 begins && kernel_.before != nullptr ? kernel_.before + offset : nullptr,
                                 ends && kernel_.after != nullptr ? kernel_.after + offset : nullptr, next, share * k,
                                 fetched_end});
        }
    }

  private:
    std::uint64_t first_amplitude(std::uint64_t i) const {
        const std::uint64_t column = i & ((std::uint64_t{1} << column_bits_) - 1);
        return (i >> column_bits_ << kernel_.last) + (column << kernel_.row_bits);
    }
    Placement placement(Amplitude* base) const {
        return {base, kernel_.row_bits, low_ ? kernel_.row_bits : kernel_.first};
    }

    TileKernel kernel_;
    bool low_;
    int tile_bits_, column_bits_;  ///< 2^column_bits tiles lie side by side in a row of memory
    std::uint64_t count_;
    std::vector<PlannedSweep> sweeps_;
};

void run_kernel(const TileKernel& kernel, View<Amplitude> state, Buffer<Amplitude>& buffers, int threads) {
    const Tiling tiling(kernel, state.size());
    const std::size_t room = buffers.size() / static_cast<std::size_t>(threads);
#pragma omp parallel for schedule(static) num_threads(threads)
    for (std::uint64_t i = 0; i < tiling.count(); ++i)
        tiling.run(i, state, buffers.data() + room * static_cast<std::size_t>(omp_get_thread_num()));
}

}  // namespace

Dente::Dente(const Splitting& splitting, int spins, TileShape shape, int threads)
    : spins_(spins),
      threads_(threads),
      shape_(shape),
      buffers_(static_cast<std::size_t>(threads) << std::max(shape.low_spins, shape.high_spins + shape.row_bits)) {
    const Amplitude* before = nullptr;
    for (const Operation& operation : splitting.operations())
        if (operation.kind == Operation::Kind::rotation)
            append_layer(operation.rotation, std::exchange(before, nullptr));
        else if (kernels_.empty())
            before = operation.phases;
        else
            kernels_.back().after = operation.phases;
}

void Dente::append_layer(Rotation rotation, const Amplitude* before) {
    const int low = std::min(spins_, shape_.low_spins);
    const TileKernel low_kernel{rotation, 0, low, low, before, nullptr};
    if (before != nullptr) kernels_.push_back(low_kernel);
    for (int first = low; first < spins_; first += shape_.high_spins)
        kernels_.push_back(
            {rotation, first, std::min(spins_, first + shape_.high_spins), shape_.row_bits, nullptr, nullptr});
    if (before == nullptr) kernels_.push_back(low_kernel);
}

void Dente::step(View<Amplitude> state) {
    for (const TileKernel& kernel : kernels_) run_kernel(kernel, state, buffers_, threads_);
}

TileShape tuned_shape(const Splitting& splitting, int spins, int threads, View<Amplitude> state) {
    TileShape best{};
    double least = 1e300;
    for (const int low_spins : {10, 11, 12, 13, 14})
        for (const int high_spins : {3, 4, 6, 8, 10})
            for (const int row_bits : {3, 4, 5, 6, 7}) {
                if (low_spins > spins || high_spins + row_bits > 15) continue;
                const TileShape shape{low_spins, high_spins, row_bits};
                Dente dente(splitting, spins, shape, threads);
                for (double seconds = 0; seconds < least;) {
                    const double start = monotonic_seconds();
                    dente.step(state);
                    seconds = monotonic_seconds() - start;
                    if (seconds < least) best = shape;
                    least = std::min(least, seconds);
                }
            }
    return best;
}

}  // namespace strata::perf
