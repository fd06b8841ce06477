// SPDX-License-Identifier: BSD-3-Clause
// The algorithm of F. Wende and T. Steinke (SC13, sections 3 and 4.1) as described for wide vectors: one byte per spin,
// one 32-bit label per site, iterated minima within sub-lattices, atomic minima between them. Baseline of sweep_bench
// (baseline.hpp).
#include <omp.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <random>
#include <utility>

#include "baseline.hpp"
#include "strata/buffer.hpp"
#include "strata/partition.hpp"
#include "strata/timer.hpp"

namespace strata::perf {
namespace {

// Labels of the sites along x that one register holds; the compiler would keep a wider vector in memory.
#if defined(__AVX512F__)
constexpr std::uint64_t width = 16;
#else
constexpr std::uint64_t width = 8;
#endif
using Labels = std::uint32_t __attribute__((vector_size(4 * width)));
constexpr std::uint8_t bond_x = 1, bond_y = 2, bond_z = 4;

inline Labels smaller(Labels a, Labels b) { return a < b ? a : b; }

/// Lane i receives lane i - 1 or i + 1; the end lanes receive their own value.
template <std::uint32_t... lane>
Labels from_left(Labels l, std::integer_sequence<std::uint32_t, lane...>) {
    return __builtin_shuffle(l, Labels{(lane == 0 ? 0 : lane - 1)...});
}
template <std::uint32_t... lane>
Labels from_right(Labels l, std::integer_sequence<std::uint32_t, lane...>) {
    return __builtin_shuffle(l, Labels{(lane + 1 == width ? lane : lane + 1)...});
}
constexpr std::make_integer_sequence<std::uint32_t, width> all_lanes;
inline Labels from_left(Labels l) { return from_left(l, all_lanes); }
inline Labels from_right(Labels l) { return from_right(l, all_lanes); }

template <int D>
class WendeSteinke : public Baseline {
  public:
    static constexpr std::uint64_t tile_y = D == 2 ? 8 : 4, tile_z = D == 2 ? 1 : 2, rows = tile_y * tile_z;

    WendeSteinke(std::uint64_t extent, double probability, int threads, const Spins& spins)
        : n_(extent),
          nz_(D == 2 ? 1 : extent),
          threshold_(static_cast<std::uint32_t>(probability * 4294967296.0)),
          threads_(threads),
          up_(spins.size()),
          bonds_(spins.size()),
          flip_(spins.size()),
          label_(spins.size()),
          numbers_(static_cast<std::size_t>(threads)) {
        std::memcpy(up_.data(), spins.data(), spins.size());
        for (int t = 0; t < threads; ++t) generators_.emplace_back(static_cast<unsigned>(1000 + t));
        for (auto& row : numbers_) row.resize(D * n_ + 64);
    }

    void sweep() override {
        timed(0, [this] { for_lines([this](std::uint64_t y, std::uint64_t z) { draw_line(y, z); }); });
        timed(1, [this] {
            for_tiles([this](std::uint64_t x, std::uint64_t y, std::uint64_t z) { label_tile(x, y, z); });
        });
        timed(2, [this] {
            for_tiles([this](std::uint64_t x, std::uint64_t y, std::uint64_t z) { unite_across_tile(x, y, z); });
        });
        timed(3, [this] {
            for_lines([this](std::uint64_t y, std::uint64_t z) { draw_cluster_spins(y, z); });
            for_lines([this](std::uint64_t y, std::uint64_t z) { flip_line(y, z); });
        });
    }

    double energy() const override {
        std::int64_t sum = 0;
        for (std::uint64_t z = 0; z < nz_; ++z)
            for (std::uint64_t y = 0; y < n_; ++y)
                for (std::uint64_t x = 0; x < n_; ++x) {
                    const std::uint8_t s = up_[at(x, y, z)];
                    sum -= s == up_[at((x + 1) % n_, y, z)] ? 1 : -1;
                    sum -= s == up_[at(x, (y + 1) % n_, z)] ? 1 : -1;
                    if (D == 3) sum -= s == up_[at(x, y, (z + 1) % n_)] ? 1 : -1;
                }
        return static_cast<double>(sum) / static_cast<double>(up_.size());
    }

    std::vector<std::pair<std::string, double>> phases() const override {
        return {{"bonds", seconds_[0]}, {"labels", seconds_[1]}, {"union", seconds_[2]}, {"flip", seconds_[3]}};
    }

  private:
    /// Index of a site in all arrays, x fastest.
    std::uint64_t at(std::uint64_t x, std::uint64_t y, std::uint64_t z) const { return x + n_ * (y + n_ * z); }

    template <class Body>
    void timed(std::size_t phase, Body body) {  // adds the time of body() to a phase
        const double start = monotonic_seconds();
        body();
        seconds_[phase] += monotonic_seconds() - start;
    }
    /// Calls body(y, z) for every line of sites along x, in parallel.
    template <class Body>
    void for_lines(Body body) {
#pragma omp parallel for schedule(static) num_threads(threads_)
        for (std::uint64_t line = 0; line < n_ * nz_; ++line) body(line % n_, line / n_);
    }
    /// Calls body(x, y, z) for the first site of every sub-lattice, in parallel.
    template <class Body>
    void for_tiles(Body body) {
        const std::uint64_t across = n_ / width, along = n_ / tile_y;
#pragma omp parallel for schedule(static) num_threads(threads_)
        for (std::uint64_t row = 0; row < along * (nz_ / tile_z); ++row)
            for (std::uint64_t x = 0; x < across; ++x) body(x * width, row % along * tile_y, row / along * tile_z);
    }

    /// Draws the bonds of one line of sites: all random numbers first, then a loop that the compiler vectorises.
    void draw_line(std::uint64_t y, std::uint64_t z) {
        const auto t = static_cast<std::size_t>(omp_get_thread_num());
        std::uint32_t* r = numbers_[t].data();
        for (std::uint64_t i = 0; i < D * n_; ++i) r[i] = static_cast<std::uint32_t>(generators_[t]());
        const std::uint8_t* here = &up_[at(0, y, z)];
        const std::uint8_t* up = &up_[at(0, (y + 1) % n_, z)];
        const std::uint8_t* back = &up_[at(0, y, (z + 1) % nz_)];
        std::uint8_t* bonds = &bonds_[at(0, y, z)];
        for (std::uint64_t x = 0; x < n_; ++x) {
            const std::uint8_t right = here[x + 1 == n_ ? 0 : x + 1];
            std::uint8_t b = static_cast<std::uint8_t>((here[x] == right) & (r[x] < threshold_));
            b = static_cast<std::uint8_t>(b | ((here[x] == up[x]) & (r[n_ + x] < threshold_)) << 1);
            if (D == 3) b = static_cast<std::uint8_t>(b | ((here[x] == back[x]) & (r[2 * n_ + x] < threshold_)) << 2);
            bonds[x] = b;
        }
    }

    /// Self-labelling (section 3): every site takes the smallest label among itself and its bonded neighbours in the
    /// tile, until no label changes.
    void label_tile(std::uint64_t x, std::uint64_t y, std::uint64_t z) {
        Labels l[rows], right[rows], left[rows], up[rows], back[rows];
        for (std::uint64_t k = 0; k < rows; ++k) {
            const std::uint64_t site = at(x, y + k % tile_y, z + k / tile_y);
            Labels b;
            for (unsigned i = 0; i < width; ++i) {
                l[k][i] = static_cast<std::uint32_t>(site) + i;
                b[i] = bonds_[site + i];
            }
            const Labels all = ~Labels{};
            right[k] = (b & bond_x) != 0 ? all : Labels{};
            right[k][width - 1] = 0;
            left[k] = from_left(right[k]);
            left[k][0] = 0;
            up[k] = k % tile_y + 1 < tile_y ? ((b & bond_y) != 0 ? all : Labels{}) : Labels{};
            back[k] = D == 3 && k < tile_y ? ((b & bond_z) != 0 ? all : Labels{}) : Labels{};
        }
        const auto take = [](Labels mine, Labels mask, Labels other) { return smaller(mine, other | ~mask); };
        for (bool changed = true; changed;) {
            Labels difference = {};
            Labels before[rows];
            for (std::uint64_t k = 0; k < rows; ++k) before[k] = l[k];
            for (std::uint64_t k = 0; k < rows; ++k) {
                l[k] = take(l[k], right[k], from_right(l[k]));
                l[k] = take(l[k], left[k], from_left(l[k]));
            }
            for (std::uint64_t k = 0; k + 1 < rows; ++k) {
                const Labels both = take(l[k], up[k], l[k + 1]);
                l[k + 1] = take(l[k + 1], up[k], l[k]);
                l[k] = both;
            }
            for (std::uint64_t k = 0; D == 3 && k < tile_y; ++k) {
                const Labels both = take(l[k], back[k], l[k + tile_y]);
                l[k + tile_y] = take(l[k + tile_y], back[k], l[k]);
                l[k] = both;
            }
            for (std::uint64_t k = 0; k < rows; ++k) difference |= before[k] ^ l[k];
            changed = false;
            for (unsigned i = 0; i < width; ++i) changed |= difference[i] != 0;
        }
        for (std::uint64_t k = 0; k < rows; ++k)
            std::memcpy(&label_[at(x, y + k % tile_y, z + k / tile_y)], &l[k], sizeof l[k]);
    }

    /// Current root of a site, while other threads may unite clusters.
    std::uint32_t root(std::uint32_t site) const {
        for (;;) {
            const std::uint32_t up = __atomic_load_n(&label_[site], __ATOMIC_RELAXED);
            if (up == site) return site;
            site = up;
        }
    }

    /// The label of the larger root becomes the minimum of itself and the smaller root. If another thread has changed
    /// it in the meantime, the search for the roots is repeated.
    void unite(std::uint64_t site_a, std::uint64_t site_b) {
        std::uint32_t a = root(static_cast<std::uint32_t>(site_a)), b = root(static_cast<std::uint32_t>(site_b));
        while (a != b) {
            if (a < b) std::swap(a, b);
            std::uint32_t expected = a;
            if (__atomic_compare_exchange_n(&label_[a], &expected, b, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED))
                return;
            a = root(expected);
            b = root(b);
        }
    }

    /// Unites across the boundaries to the next tiles along x, y and z.
    void unite_across_tile(std::uint64_t x, std::uint64_t y, std::uint64_t z) {
        for (std::uint64_t dz = 0; dz < tile_z; ++dz)
            for (std::uint64_t dy = 0; dy < tile_y; ++dy) {
                const std::uint64_t last = at(x + width - 1, y + dy, z + dz);
                if (bonds_[last] & bond_x) unite(last, at((x + width) % n_, y + dy, z + dz));
            }
        for (std::uint64_t dz = 0; dz < tile_z; ++dz)
            for (std::uint64_t dx = 0; dx < width; ++dx) {
                const std::uint64_t last = at(x + dx, y + tile_y - 1, z + dz);
                if (bonds_[last] & bond_y) unite(last, at(x + dx, (y + tile_y) % n_, z + dz));
            }
        for (std::uint64_t dy = 0; D == 3 && dy < tile_y; ++dy)
            for (std::uint64_t dx = 0; dx < width; ++dx) {
                const std::uint64_t last = at(x + dx, y + dy, z + tile_z - 1);
                if (bonds_[last] & bond_z) unite(last, at(x + dx, y + dy, (z + tile_z) % nz_));
            }
    }

    /// Draws a random bit per site; a cluster uses the bit of its root.
    void draw_cluster_spins(std::uint64_t y, std::uint64_t z) {
        std::mt19937& random = generators_[static_cast<std::size_t>(omp_get_thread_num())];
        std::uint32_t bits = 0;
        for (std::uint64_t x = 0; x < n_; ++x) {
            if (x % 32 == 0) bits = static_cast<std::uint32_t>(random());
            flip_[at(x, y, z)] = bits >> (x % 32) & 1;
        }
    }
    void flip_line(std::uint64_t y, std::uint64_t z) {
        std::uint8_t* up = &up_[at(0, y, z)];
        for (std::uint64_t x = 0; x < n_; ++x) up[x] ^= flip_[root(static_cast<std::uint32_t>(at(x, y, z)))];
    }

    std::uint64_t n_, nz_;  ///< sites along x and y, and along z (1 in 2D)
    std::uint32_t threshold_;
    int threads_;
    Buffer<std::uint8_t> up_, bonds_, flip_;  ///< [site] spin, bonds to the next sites as bits, random bit
    Buffer<std::uint32_t> label_;             ///< [site] a smaller site of the same cluster, or itself
    std::vector<std::mt19937> generators_;
    std::vector<std::vector<std::uint32_t>> numbers_;  ///< [thread] random numbers of a line of sites
    std::array<double, 4> seconds_{};
};

}  // namespace

std::unique_ptr<Baseline> make_wende_steinke(int dimensions, std::uint64_t extent, double probability, int threads,
                                             const Spins& spins) {
    if (dimensions == 2) return std::make_unique<WendeSteinke<2>>(extent, probability, threads, spins);
    return std::make_unique<WendeSteinke<3>>(extent, probability, threads, spins);
}

}  // namespace strata::perf
