// SPDX-License-Identifier: BSD-3-Clause
// Reduction of the counters over ranks, and the observables: energy and magnetisation from satisfied bonds and up
// spins, improved estimators from moments of the cluster sizes (M. Sweeny, Phys. Rev. B 27, 4445 (1983)), and the
// structure factor from up spins per line or plane of sites. In a field, flips of the free
// clusters give M = B + sum +-size, B the sites of clusters that are bound to the ghost spin, so that their means are
// <M> = B and <M^2> = B^2 + sum size^2.
//
// The structure factor of the Potts model is that of the sites in odd states: all states are alike, so that for any
// function f of the state <f f'> - <f>^2 = (mean of f^2 - <f>^2 over the q states) G, with G = (q P(s = s') - 1) / (q - 1).
// For f = 1 in the r odd states and 0 in the others the bracket is r (q - r) / q^2; it is 1/4 for q = 2, r = 1, where
// spins of +1 and -1 are 2 f - 1.
#include "swendsen_wang/state/observation.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <numbers>

#include "comm/collectives.hpp"
#include "kernels/swendsen_wang/modes.hpp"

namespace strata::swendsen_wang {
namespace {

constexpr int limbs = 4;  // a 128-bit sum is sent as four words of 32 bits, whose sums over ranks do not overflow

/// Appends a 128-bit sum as limbs.
void put_wide(WideCount value, std::vector<std::uint64_t>& words) {
    for (int i = 0; i < limbs; ++i) words.push_back(static_cast<std::uint64_t>(value >> (32 * i)) & 0xFFFFFFFFu);
}

/// Combines the limbs of a sum over ranks and advances `words` past them.
WideCount take_wide(const std::uint64_t*& words) {
    WideCount value = 0;
    for (int i = 0; i < limbs; ++i) value += static_cast<WideCount>(*words++) << (32 * i);
    return value;
}

}  // namespace

std::vector<AxisColumns> axis_columns(const SwendsenWangConfig& config) {
    std::vector<AxisColumns> all;
    std::size_t next = place_of(config.improves_in_field() ? improved_magnetisation_2 + 1
                                : config.field != 0        ? signed_magnetisation + 1
                                                           : column_count,
                                config);
    for (std::size_t axis = 0; axis < config.extents.size() && config.correlations > 0; ++axis) {
        if (config.boundary(axis) != Boundary::periodic) continue;
        const std::uint64_t last = std::min(config.correlations, config.extents[axis] / 2);
        all.push_back({axis, std::string(1, "xyz"[axis]), last, next, next + last + 1});
        next += 2 * (last + 1);
    }
    return all;
}

std::vector<Column> series_columns(const SwendsenWangConfig& config) {
    std::vector<Column> columns = {
        {"energy", "J", "energy per site in units of |J|: -sum s s' / N, with the signs of the couplings"},
        {"absolute-magnetisation", "1", "|m|, m = sum s / N"},
        {"magnetisation-2", "1", "m^2"},
        {"magnetisation-4", "1", "m^4"},
        {"cluster-2", "1",
         "sum over clusters of size^2 / N^2: improved estimator of m^2 where all couplings are positive"},
        {"cluster-4", "1", "sum over clusters of size^4 / N^4"},
        {"largest-cluster", "1", "fraction of the sites in the largest cluster"},
        {"clusters", "1", "clusters per site"},
        {"structure-factor", "1", "|sum s exp(i k x)|^2 / N at k = 2 pi / L, averaged over the longest axes"},
    };
    if (config.states > 2) {
        columns[structure_factor].meaning +=
            ", s = (o - r / q) q / sqrt(r (q - r)), o = 1 in the r odd states and 0 in the others";
        columns[energy_column].meaning = "energy per site in units of J: -(bonds between equal states) / N";
        columns[absolute_magnetisation].meaning =
            "|m|, m^2 = (q sum_a (N_a / N)^2 - 1) / (q - 1), N_a sites in state a";
    } else if (config.field != 0) {
        columns[energy_column].meaning = "energy per site in units of |J|: (-sum s s' - h / |J| sum s) / N";
        columns[cluster_2].meaning = "sum over clusters of size^2 / N^2, without bonds to the ghost spin";
        columns.push_back({"signed-magnetisation", "1", "m"});
    }
    if (config.improves_in_field()) {
        columns.push_back({"improved-magnetisation", "1",
                           "mean of m over the flips of free clusters: sites of clusters that are bound to the ghost "
                           "spin / N, with the sign of h"});
        columns.push_back(
            {"improved-magnetisation-2", "1",
             "mean of m^2 over the same: ((sites of bound clusters)^2 + sum over free clusters of size^2) "
             "/ N^2"});
    }
    if (!config.clusters) columns.erase(columns.begin() + cluster_2, columns.begin() + cluster_count + 1);
    for (const AxisColumns& a : axis_columns(config)) {
        const std::string plane = "M(" + a.name;
        const auto add = [&](const std::string& name, const std::string& axis, const std::string& meaning) {
            for (std::uint64_t n = 0; n <= a.last; ++n)
                columns.push_back(member_column(name + a.name, axis + a.name, {static_cast<std::int64_t>(n)}, "1",
                                                meaning + " by n = 0, 1, ..."));
        };
        add("structure-factor-", "wave-number-", "|sum s exp(i k " + a.name + ")|^2 / N at k = 2 pi n / L");
        add("plane-correlation-", "distance-",
            "sum over " + a.name + " of " + plane + ") " + plane + " + n) / N, " + plane +
                ") the sum of the spins at " + a.name + ",");
    }
    return columns;
}

SpinColumns::SpinColumns(const SwendsenWangConfig& config)
    : sites_(static_cast<double>(config.sites())),
      bonds_per_site_(config.bonds_per_site()),
      field_(config.relative_field()),
      signed_magnetisation_(config.field == 0 ? 0 : place_of(signed_magnetisation, config)) {}

void SpinColumns::fill(const SpinCounts& counts, std::span<double> row) const {
    const double m = (2 * static_cast<double>(counts.up) - sites_) / sites_;
    row[energy_column] = bonds_per_site_ - 2 * (static_cast<double>(counts.satisfied) / sites_) - field_ * m;
    row[absolute_magnetisation] = std::abs(m);
    row[magnetisation_2] = m * m;
    row[magnetisation_4] = m * m * m * m;
    if (signed_magnetisation_ != 0) row[signed_magnetisation_] = m;
}

std::vector<std::complex<double>> unit_circle(std::uint64_t extent) {
    std::vector<std::complex<double>> phases;
    for (std::uint64_t x = 0; x < extent; ++x) {
        const double angle = 2 * std::numbers::pi * static_cast<double>(x) / static_cast<double>(extent);
        phases.emplace_back(std::cos(angle), std::sin(angle));
    }
    return phases;
}

/// Every rank has counters for the planes of the whole lattice, so that a plain sum over ranks combines the slabs.
Observation::Observation(const SwendsenWangPlan& plan)
    : lattice_(plan.lattice()),
      q_(static_cast<std::uint64_t>(plan.config().states)),
      odd_(q_ / 2),
      spin_columns_(plan.config()),
      improves_in_field_(plan.config().improves_in_field()),
      has_clusters_(plan.config().clusters),
      structure_factor_(place_of(structure_factor, plan.config())),
      axis_columns_(axis_columns(plan.config())) {
    std::uint64_t all = 0;
    for (int axis = 0; axis < lattice_.dimensions; ++axis) all += lattice_.extent[axis] + lattice_.edge();
    planes_.resize(all);
    phases_.resize(all);
    deviations_.resize(all);
    std::uint64_t start = 0;
    for (int axis = 0; axis < lattice_.dimensions; ++axis) {
        const bool slow = axis == lattice_.slow_axis();
        plane_starts_[axis] = planes_.data() + start + (slow ? lattice_.layers.first * lattice_.edge() : 0);
        std::ranges::copy(unit_circle(lattice_.extent[axis]), phases_.begin() + static_cast<std::ptrdiff_t>(start));
        start += lattice_.extent[axis] + lattice_.edge();  // the last tile may reach beyond the lattice
    }
    if (plan.config().states > 2) states_.resize(static_cast<std::size_t>(plan.config().states));
    sums_.reserve(planes_.size() + states_.size() + 24);
}

void Observation::clear() {
    satisfied_ = up_ = 0;
    clusters_ = {};
    std::fill(planes_.begin(), planes_.end(), 0);
    std::fill(states_.begin(), states_.end(), 0);
}

/// Place in planes_ of the first plane along an axis.
std::uint64_t Observation::first_plane(std::size_t axis) const {
    std::uint64_t start = 0;
    for (std::size_t before = 0; before < axis; ++before) start += lattice_.extent[before] + lattice_.edge();
    return start;
}

/// Deviations of all planes. Spins have variance 1 over the states of a site.
void Observation::subtract_mean() {
    const double scale = static_cast<double>(q_) / std::sqrt(static_cast<double>(odd_ * (q_ - odd_)));  // 2 for q = 2
    for (std::size_t axis = 0; axis < static_cast<std::size_t>(lattice_.dimensions); ++axis) {
        const std::uint64_t planes = lattice_.extent[axis], start = first_plane(axis);
        for (std::uint64_t x = start; x < start + planes; ++x) {  // products stay below 2^53
            const auto excess = static_cast<std::int64_t>(planes * planes_[x]) - static_cast<std::int64_t>(up_);
            deviations_[x] = deviation_of(scale, static_cast<double>(excess), planes);
        }
    }
}

/// |sum s exp(i k x)|^2 / N at k = 2 pi n / L along an axis, n > 0.
double Observation::mode(std::size_t axis, std::uint64_t n) const {
    const std::uint64_t start = first_plane(axis);
    return squared_mode<double>(lattice_.extent[axis], phases_.data() + start, n,
                                [&](std::uint64_t x) { return deviations_[start + x]; }) /
           static_cast<double>(lattice_.sites());
}

/// The mode at the smallest wave vector k = 2 pi / L, averaged over the axes of largest extent.
double Observation::smallest_mode() const {
    const std::uint64_t longest = *std::max_element(lattice_.extent, lattice_.extent + lattice_.dimensions);
    double sum = 0;
    int axes = 0;
    for (std::size_t axis = 0; axis < static_cast<std::size_t>(lattice_.dimensions); ++axis) {
        if (lattice_.extent[axis] != longest) continue;
        sum += mode(axis, 1);
        ++axes;
    }
    return sum / axes;
}

/// sum over x of M(x) M(x + distance) / N along a periodic axis, M(x) = (q u(x) - r A) / sqrt(r (q - r)) the sum of the
/// spins of a plane of A sites with u up spins or odd states, which is 2 u(x) - A for q = 2; summed in integers.
double Observation::plane_correlation(std::size_t axis, std::uint64_t distance) const {
    const std::uint64_t planes = lattice_.extent[axis], start = first_plane(axis);
    const WideCount sites_of_plane = lattice_.sites() / planes;
    WideCount products = 0;  // below 2^106, and q^2 at most 2^16
    for (std::uint64_t x = 0, other = distance; x < planes; ++x, other = other + 1 < planes ? other + 1 : 0)
        products += static_cast<WideCount>(planes_[start + x]) * planes_[start + other];
    const WideCount positive = q_ * q_ * products + odd_ * odd_ * sites_of_plane * lattice_.sites(),
                    negative = 2 * q_ * odd_ * sites_of_plane * up_;
    const double sum =
        positive >= negative ? static_cast<double>(positive - negative) : -static_cast<double>(negative - positive);
    return sum / static_cast<double>(odd_ * (q_ - odd_)) / static_cast<double>(lattice_.sites());
}

/// m^2 = (q sum_a (N_a / N)^2 - 1) / (q - 1): the square of the vector of the shares N_a / N less 1 / q, 1 where all
/// sites are in one state. It is m^2 of the Ising model for q = 2, and its mean that of sum size^2 / N^2 over clusters.
double Observation::squared_order_parameter(std::span<const std::uint64_t> sites_in_state) const {
    const auto q = static_cast<WideCount>(sites_in_state.size()), n = static_cast<WideCount>(lattice_.sites());
    WideCount squares = 0;  // integers, at most 2^8 times the square of 2^53, give exactly 1 where all states are equal
    for (const std::uint64_t sites : sites_in_state) squares += static_cast<WideCount>(sites) * sites;
    return static_cast<double>(q * squares - n * n) / static_cast<double>((q - 1) * n * n);
}

void Observation::reduce(const Communicator& comm, std::span<double> row) {
    sums_ = {satisfied_, up_, clusters_.clusters, clusters_.sites};
    put_wide(clusters_.squares, sums_);
    put_wide(clusters_.fourths, sums_);
    put_wide(clusters_.bound_squares, sums_);
    sums_.push_back(clusters_.bound_sites);
    sums_.insert(sums_.end(), planes_.begin(), planes_.end());
    sums_.insert(sums_.end(), states_.begin(), states_.end());
    sum_to_root(comm, sums_);
    max_to_root(comm, std::span(&clusters_.largest, 1));
    if (!comm.is_root()) return;  // only rank 0 has the sums

    const std::uint64_t* word = sums_.data() + 4;
    sites_in_clusters_ = sums_[3];
    const WideCount squares = take_wide(word), fourths = take_wide(word), bound_squares = take_wide(word);
    const WideCount bound = *word++;
    std::copy(word, word + planes_.size(), planes_.begin());
    const auto n = static_cast<double>(lattice_.sites());
    up_ = sums_[1];
    spin_columns_.fill({sums_[0], up_}, row);
    if (has_clusters_) {
        row[cluster_2] = static_cast<double>(squares) / n / n;
        row[cluster_4] =
            std::ldexp(static_cast<double>(fourths), 2 * fourth_moment_shift(lattice_.sites())) / n / n / n / n;
        row[largest_cluster] = static_cast<double>(clusters_.largest) / n;
        row[cluster_count] = static_cast<double>(sums_[2]) / n;
    }
    if (!states_.empty()) {
        const double m2 = squared_order_parameter(std::span<const std::uint64_t>(sums_).last(states_.size()));
        row[energy_column] = -static_cast<double>(sums_[0]) / n;
        row[absolute_magnetisation] = std::sqrt(m2);
        row[magnetisation_2] = m2;
        row[magnetisation_4] = m2 * m2;
    }
    subtract_mean();
    row[structure_factor_] = smallest_mode();
    if (improves_in_field_) {
        row[improved_magnetisation] = std::copysign(static_cast<double>(bound) / n, spin_columns_.field());
        row[improved_magnetisation_2] = static_cast<double>(bound * bound + squares - bound_squares) / n / n;
    }
    for (const AxisColumns& a : axis_columns_)
        for (std::uint64_t i = 0; i <= a.last; ++i) {
            row[a.structure_factors + i] = i == 0 ? n * row[magnetisation_2] : mode(a.axis, i);
            row[a.plane_correlations + i] = plane_correlation(a.axis, i);
        }
}

void count_overlap(const TileLattice& slab, std::span<const std::uint64_t> one, std::span<const std::uint64_t> other,
                   Observation& observation) {
    const std::uint64_t edge = slab.edge();
    const auto count = [](std::uint64_t sites) { return static_cast<std::uint64_t>(std::popcount(sites)); };
    std::uint64_t word = 0, up = 0;
    for (std::uint64_t row = 0; row < slab.rows(); ++row) {
        const std::uint64_t in_row = row_sites(slab, static_cast<std::int64_t>(row));
        const std::uint64_t layer = row / slab.rows_per_layer(), in_layer = row % slab.rows_per_layer();
        for (std::uint64_t tile = 0; tile < slab.row_tiles(); ++tile, ++word) {
            const std::uint64_t equal = ~(one[word] ^ other[word]) & tile_sites(slab, in_row, tile);
            up += count(equal);
            for (int axis = 0; axis < slab.dimensions; ++axis) {
                const std::uint64_t index = axis == 0 ? tile : axis == slab.slow_axis() ? layer : in_layer;
                for (std::uint64_t i = 0; i < edge; ++i)
                    observation.planes()[axis][index * edge + i] +=
                        count(equal & last_sites(slab.dimensions, axis, i + 1));
            }
        }
    }
    observation.add_spins(0, up);
}

}  // namespace strata::swendsen_wang
