// SPDX-License-Identifier: BSD-3-Clause
// For width 1, probabilities are computed by exactly rounded operations only (C(n, u) divided by a power of two), so
// that the patches of the paper's model are the same on every machine.
#include "superblock/patches.hpp"

#include <algorithm>
#include <cmath>

namespace strata::superblock {
namespace {

/// p(u) of u particles of one kind on n sites, for u = 0 ... n.
std::vector<double> particle_probabilities(int n, double filling, double width) {
    std::vector<double> p = {1};
    for (int u = 1; u <= n; ++u) p.push_back(p.back() * (n - u + 1) / u);
    if (width == 1) {
        for (double& value : p) value = std::ldexp(value, -n);
        return p;
    }
    double sum = 0;
    for (int u = 0; u <= n; ++u) {
        const double distance = u - n * filling;  // the binomial distribution has the variance n / 4
        p[static_cast<std::size_t>(u)] *= std::exp(-2 * distance * distance * (1 / width - 1) / n);
        sum += p[static_cast<std::size_t>(u)];
    }
    for (double& value : p) value /= sum;
    return p;
}

/// [particles] probabilities of the particle numbers of the left and the right block, for both kinds of particles.
struct Probabilities {
    std::vector<double> left_up, left_down, right_up, right_down;
};

std::uint64_t rounded(double states) { return static_cast<std::uint64_t>(std::round(states)); }

}  // namespace

PatchLayout::PatchLayout(std::vector<Patch> patches) : patches_(std::move(patches)) {
    for (const Patch& patch : patches_) {
        first_column_.push_back(first_column_.back() + patch.shape.l);
        first_element_.push_back(first_element_.back() + patch.shape.size());
    }
}

std::size_t PatchLayout::patch_of(std::uint64_t column) const {
    return static_cast<std::size_t>(std::ranges::upper_bound(first_column_, column) - first_column_.begin()) - 1;
}

std::uint64_t PatchLayout::element_of(std::uint64_t column) const {
    if (column == columns()) return elements();
    const std::size_t i = patch_of(column);
    return first_element_[i] + (column - first_column_[i]) * patches_[i].shape.r;
}

Range PatchLayout::part_of(std::size_t i, const Range& some) const {
    const Range own = columns_of(i);
    const std::uint64_t first = std::clamp(some.first, own.first, own.last);
    return {first - own.first, std::clamp(some.last, first, own.last) - own.first};
}

std::vector<Patch> synthetic_patches(const SyntheticModel& m) {
    const int left = m.sites / 2, right = m.sites - left;
    const double up = static_cast<double>(m.up) / m.sites, down = static_cast<double>(m.down) / m.sites;
    const Probabilities p = {particle_probabilities(left, up, m.width), particle_probabilities(left, down, m.width),
                             particle_probabilities(right, up, m.width), particle_probabilities(right, down, m.width)};
    const auto saved = static_cast<double>(m.saved_states);
    const auto at = [](const std::vector<double>& of, int number) { return of[static_cast<std::size_t>(number)]; };
    std::vector<Patch> patches;
    for (int u = std::max(0, m.up - right); u <= std::min(left, m.up); ++u)
        for (int d = std::max(0, m.down - right); d <= std::min(left, m.down); ++d) {
            const PatchShape shape = {rounded(saved * at(p.right_up, m.up - u) * at(p.right_down, m.down - d)),
                                      rounded(4 * saved * at(p.left_up, u) * at(p.left_down, d))};
            if (shape.size() != 0) patches.push_back({u, d, shape});
        }
    return patches;
}

}  // namespace strata::superblock
