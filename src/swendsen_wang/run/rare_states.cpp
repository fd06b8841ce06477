// SPDX-License-Identifier: BSD-3-Clause
// A lattice of L planes along an axis has two walls at any of L (L - 1) / 2 places, one where the axis is open, and q - 1
// phases between them (M. E. Fisher, J. Phys. Soc. Jpn. Suppl. 26, 87 (1969); V. Privman, M. E. Fisher, J. Stat. Phys. 33, 385
// (1983)). A strip of the share u in another phase leaves of m^2 the factor f^2 = (1 - u)^2 + u^2 - 2 u (1 - u) / (q - 1),
// which is (1 - 2 u)^2 for q = 2, and of sums over clusters u^n + (1 - u)^n. A field gives a strip against it the factor
// e^(-H u), H = 2 h m N / T, and the whole phase against it e^-H.
#include "swendsen_wang/run/rare_states.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "swendsen_wang/physics/domain_walls.hpp"
#include "swendsen_wang/state/observation.hpp"

namespace strata::swendsen_wang {
namespace {

constexpr std::uint64_t most_places = 32;  ///< places of the second wall that are distinguished
constexpr double frequent = 0.5;           ///< walls along an axis, from which on no state is without them

/// A strip of some planes along an axis in another phase than the rest.
struct Strip {
    std::size_t axis = 0;
    double share = 0;  ///< part of the planes
    double weight = 0;
};

/// Whether couplings are positive as they are, and not only after a flip of one sublattice.
bool all_positive(const SwendsenWangConfig& c) { return (c.coupling < 0) == (c.opposite == 1); }

/// What rows of the series become with a strip.
class Rows {
  public:
    Rows(const SwendsenWangConfig& config, const std::vector<double>& means, std::size_t first_overlap)
        : c_(config), means_(means), first_overlap_(first_overlap), axes_(axis_columns(config)) {}

    std::vector<double> with(const Strip& s) const {
        std::vector<double> row = means_;
        const double u = s.share, rest = 1 - u;
        if (all_positive(c_)) order_parameter(row, 0, s);
        if (all_positive(c_)) planes(row, s);
        if (c_.clusters) {
            row[cluster_2] *= square(u) + square(rest);
            row[cluster_4] *= square(square(u)) + square(square(rest));
            row[largest_cluster] *= std::max(u, rest);
        }
        if (c_.field != 0) row[place_of(signed_magnetisation, c_)] *= 1 - 2 * u;
        if (c_.improves_in_field()) {
            row[improved_magnetisation] *= rest;
            row[improved_magnetisation_2] *= square(u) + square(rest);
        }
        if (first_overlap_ < row.size()) order_parameter(row, first_overlap_, s);
        return row;
    }

  private:
    double sites() const { return static_cast<double>(c_.sites()); }
    double planes_of(std::size_t axis) const { return static_cast<double>(c_.extents[axis]); }

    /// f^2.
    double left_of_square(double u) const { return square(1 - u) + square(u) - 2 * u * (1 - u) / (c_.states - 1); }

    /// |sum over the planes of f exp(i k x)|^2 / L^2 at k = 2 pi n / L, averaged over the states that are alike.
    double wave(const Strip& s, double n) const {
        const double length = planes_of(s.axis);
        const double sine = std::sin(std::numbers::pi * n * s.share) / std::sin(std::numbers::pi * n / length);
        return 2.0 * c_.states / (c_.states - 1) * square(sine / length);
    }

    /// abs(m), m^2, m^4 and the structure factor at the smallest k, of the spins or, from another column on, of overlaps.
    void order_parameter(std::vector<double>& row, std::size_t first, const Strip& s) const {
        const bool overlap = first > 0;
        const std::size_t factor = overlap ? first + 3 : place_of(structure_factor, c_);
        const double f2 = left_of_square(s.share);
        const std::size_t absolute = overlap ? first : std::size_t{absolute_magnetisation};
        const std::uint64_t longest = *std::ranges::max_element(c_.extents);
        if (c_.extents[s.axis] == longest)
            row[factor] +=
                sites() * row[absolute + 1] * wave(s, 1) / static_cast<double>(std::ranges::count(c_.extents, longest));
        row[absolute] *= std::sqrt(f2);
        row[absolute + 1] *= f2;
        row[absolute + 2] *= square(f2);
    }

    void planes(std::vector<double>& row, const Strip& s) const {
        const double f2 = left_of_square(s.share), m2 = means_[magnetisation_2], per_pair = 1 + 1.0 / (c_.states - 1);
        for (const AxisColumns& a : axes_)
            for (std::uint64_t n = 0; n <= a.last; ++n) {
                double &factor = row[a.structure_factors + n], &planes = row[a.plane_correlations + n];
                if (n == 0) factor *= f2;
                if (n > 0 && a.axis == s.axis) factor += sites() * m2 * wave(s, static_cast<double>(n));
                const double apart = static_cast<double>(n) / planes_of(a.axis);
                const double differ = 2 * std::min({apart, s.share, 1 - s.share, 1 - apart});
                planes *= a.axis == s.axis ? 1 - per_pair * differ : f2;
            }
    }

    const SwendsenWangConfig& c_;
    const std::vector<double>& means_;
    std::size_t first_overlap_;
    std::vector<AxisColumns> axes_;
};

/// Strips along an axis, at most `most_places` of different shares.
void add_strips(const SwendsenWangConfig& c, std::size_t axis, double kappa, double against, std::vector<Strip>& all) {
    const std::uint64_t places = c.extents[axis] - 1, told_apart = std::min(places, most_places);
    const double length = static_cast<double>(c.extents[axis]);
    // strips of equal shares; in a field also with the phases exchanged, which the symmetry makes equal without one
    const double strips = (c.boundary(axis) == Boundary::open ? 2 * kappa : kappa * kappa * length) * (c.states - 1) *
                          static_cast<double>(places) / static_cast<double>(told_apart) / (1 + std::exp(-against));
    for (std::uint64_t i = 0; i < told_apart; ++i) {
        const double share =
            (static_cast<double>(i) + 0.5) / static_cast<double>(told_apart) * static_cast<double>(places) / length +
            0.5 / length;
        all.push_back({axis, share, strips * std::exp(-against * share)});
    }
}

}  // namespace

bool may_miss_rare_states(const SwendsenWangConfig& c) { return !c.frustrated() && (c.field == 0 || all_positive(c)); }

std::vector<RareState> rare_states(const SwendsenWangConfig& c, const std::vector<double>& means,
                                   std::size_t first_overlap) {
    if (!may_miss_rare_states(c)) return {};
    UniformLattice lattice{c.extents, {}, c.states, c.reduced_coupling() * (c.states == 2 ? 2 : 1)};
    for (std::size_t axis = 0; axis < c.extents.size(); ++axis)
        lattice.open.push_back(c.boundary(axis) == Boundary::open);
    const double against =
        2 * c.beta * std::abs(c.field) * means[absolute_magnetisation] * static_cast<double>(c.sites());
    std::vector<Strip> strips;
    for (std::size_t axis = 0; axis < c.extents.size(); ++axis) {
        const double kappa = wall_weight(lattice, axis);
        if (kappa * (c.states - 1) * static_cast<double>(c.extents[axis]) > frequent) return {};
        if (kappa > 0) add_strips(c, axis, kappa, against, strips);
    }
    if (c.field != 0 && !strips.empty()) strips.push_back({0, 1, std::exp(-against) / (1 + std::exp(-against))});
    const Rows rows(c, means, first_overlap);
    std::vector<RareState> states;
    const double replicas = first_overlap < means.size() ? 2 : 1;  // either may have the walls
    for (const Strip& s : strips) states.push_back({replicas * s.weight, rows.with(s)});
    return states;
}

}  // namespace strata::swendsen_wang
