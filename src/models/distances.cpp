// SPDX-License-Identifier: BSD-3-Clause
// Dipolar couplings are the secular (truncated) form in a strong magnetic field along a direction n: for a pair at
// distance r, d = J (1 - 3 cos^2(r, n)) / r^3 times 2 Sz Sz - Sx Sx - Sy Sy (Abragam, Principles of Nuclear Magnetism).
// On a torus a pair has several nearest images where it lies half way around, with different angles to n: the mean over
// all of them keeps every symmetry of the torus.
#include "models/distances.hpp"

#include <algorithm>
#include <cmath>

#include "strata/error.hpp"

namespace strata {
namespace {

/// Relative difference of lengths that are equal but for rounding.
constexpr double same_length = 1e-9;

double dot(const Vector3& a, const Vector3& b) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }

Vector3 sum(const Vector3& a, double factor, const Vector3& b) {
    return {a[0] + factor * b[0], a[1] + factor * b[1], a[2] + factor * b[2]};
}

double norm(const Vector3& r) { return std::sqrt(dot(r, r)); }

double factor_at(const DistanceLaw& law, const Vector3& r) {
    const double squared = dot(r, r), power = std::pow(squared, -law.range / 2);
    if (!law.dipolar) return power;
    const double along = dot(r, law.direction);
    return power * (1 - 3 * along * along / (squared * dot(law.direction, law.direction)));
}

}  // namespace

/// Two periods are replaced by the shortest ones of their torus (Gauss' reduction).
Geometry::Geometry(std::vector<Vector3> positions, std::vector<Vector3> periods)
    : positions_(std::move(positions)), periods_(std::move(periods)) {
    for (bool shorter = periods_.size() == 2; shorter;) {
        if (norm(periods_[1]) < norm(periods_[0])) std::swap(periods_[0], periods_[1]);
        const Vector3 &a = periods_[0], &b = periods_[1];
        const Vector3 next = sum(b, -std::round(dot(a, b) / dot(a, a)), a);
        shorter = norm(next) < norm(b) * (1 - same_length);
        if (shorter) periods_[1] = next;
    }
}

/// The displacement r and its images up to one period away along each vector.
std::vector<Vector3> Geometry::around(const Vector3& r) const {
    std::vector<Vector3> images = {r};
    for (const Vector3& period : periods_)
        for (std::size_t i = 0, count = images.size(); i < count; ++i)
            for (const double turn : {-1.0, 1.0}) images.push_back(sum(images[i], turn, period));
    return images;
}

/// With reduced periods an image that is not longer than those around it is a nearest one, and all other nearest ones
/// are around it.
std::vector<Vector3> Geometry::displacements(std::size_t j, std::size_t k) const {
    std::vector<Vector3> images;
    double shortest = 0;
    for (Vector3 nearest = sum(positions_[k], -1, positions_[j]);;) {
        images = around(nearest);
        const Vector3 next = *std::ranges::min_element(images, {}, norm);
        shortest = norm(next);
        if (!(shortest < norm(nearest) * (1 - same_length))) break;
        nearest = next;
    }
    std::erase_if(images, [&](const Vector3& r) { return norm(r) > shortest * (1 + same_length); });
    return images;
}

Geometry listed_geometry(const NamedText& file) {
    const std::string rule = "is no position 'x y z', three numbers between blanks; of a plane z is 0.";
    std::vector<Vector3> positions;
    for_each_item(lines_of(file), [&](const Item& line) {
        if (line.words.size() != 3) line.refuse(rule);
        positions.push_back({line.real(0, rule), line.real(1, rule), line.real(2, rule)});
    });
    if (positions.empty()) throw Error(ExitCode::bad_input, "lattice.positions = " + file.name + " holds no position.");
    return {std::move(positions), {}};
}

double distance_factor(const DistanceLaw& law, const std::vector<Vector3>& images) {
    if (!law.dipolar) return factor_at(law, images.front());
    double factor = 0;
    for (const Vector3& r : images) factor += factor_at(law, r);
    return factor / static_cast<double>(images.size());
}

}  // namespace strata
