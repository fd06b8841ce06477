// SPDX-License-Identifier: BSD-3-Clause
// Numbering of points, and quantities over points. The number of a point is a mixed-radix number whose digits are the
// positions on the axes; the last axis is the lowest digit.
#include "strata/scan.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

namespace strata {
namespace {

constexpr double unknown = std::numeric_limits<double>::quiet_NaN();

/// The members of a Quantity that hold numbers.
constexpr std::vector<double> Quantity::*number_lists[] = {&Quantity::value, &Quantity::error, &Quantity::tau,
                                                           &Quantity::reference};

/// Names of all quantities in the order of first appearance; `first` maps each name to its first quantity.
std::vector<std::string> names_in_order(const std::vector<PointRecord>& points,
                                        std::map<std::string, const Quantity*>& first) {
    std::vector<std::string> names;
    for (const PointRecord& point : points)
        for (const Quantity& q : point.quantities)
            if (first.emplace(q.name, &q).second) names.push_back(q.name);
    return names;
}

const Quantity* find_quantity(const PointRecord& point, const std::string& name) {
    const auto found = std::ranges::find(point.quantities, name, &Quantity::name);
    return found == point.quantities.end() ? nullptr : &*found;
}

/// One list of numbers of a quantity over all points, NaN where a point has none; empty if no point has any.
std::vector<double> over_points(const std::vector<const Quantity*>& at, std::vector<double> Quantity::*list,
                                std::size_t width) {
    std::vector<double> all;
    for (std::size_t p = 0; p < at.size(); ++p) {
        if (at[p] == nullptr || (at[p]->*list).empty()) continue;
        all.resize(at.size() * width, unknown);
        const std::size_t count = std::min(width, (at[p]->*list).size());
        std::copy_n((at[p]->*list).begin(), count, all.begin() + static_cast<std::ptrdiff_t>(p * width));
    }
    return all;
}

/// The quantity of the name of `first` at all points; its width is the largest of any point.
ScanQuantity merged(const std::vector<PointRecord>& points, const Quantity& first) {
    ScanQuantity all{{first.name, first.unit, first.meaning, {}}, 1};
    std::vector<const Quantity*> at;
    for (const PointRecord& point : points) {
        at.push_back(find_quantity(point, first.name));
        if (at.back() != nullptr) all.width = std::max(all.width, at.back()->value.size());
    }
    for (const auto list : number_lists) all.over_points.*list = over_points(at, list, all.width);
    return all;
}

}  // namespace

std::size_t Scan::points() const {
    std::size_t count = axes.empty() ? 0 : 1;
    for (const ScanAxis& axis : axes) count *= axis.values.size();
    return count;
}

std::vector<ScanKey> Scan::keys() const {
    std::vector<ScanKey> all;
    for (const ScanAxis& axis : axes) all.insert(all.end(), axis.keys.begin(), axis.keys.end());
    all.insert(all.end(), seed.begin(), seed.end());
    return all;
}

std::vector<std::string> Scan::values(std::size_t point) const {
    std::vector<std::string> all;
    std::size_t stride = points();
    for (const ScanAxis& axis : axes) {
        stride /= axis.values.size();
        const std::vector<std::string>& here = axis.values[point / stride % axis.values.size()];
        all.insert(all.end(), here.begin(), here.end());
    }
    if (!seed.empty()) all.push_back(std::to_string(first_seed + static_cast<std::int64_t>(point)));
    return all;
}

std::string Scan::label(std::size_t point) const {
    std::string text;
    const std::vector<ScanKey> all = keys();
    const std::vector<std::string> here = values(point);
    for (std::size_t k = 0; k < all.size(); ++k) text += (k == 0 ? "" : ", ") + all[k].key.name + " = " + here[k];
    return text;
}

std::size_t Scan::stride(std::size_t axis) const {
    std::size_t points = 1;
    for (std::size_t a = axis + 1; a < axes.size(); ++a) points *= axes[a].values.size();
    return points;
}

std::size_t Scan::place_in_chain(std::size_t point) const {
    return chained ? point / stride(*chained) % axes[*chained].values.size() : 0;
}

std::optional<std::size_t> Scan::previous(std::size_t point) const {
    if (place_in_chain(point) == 0) return {};
    return point - stride(*chained);
}

std::optional<std::size_t> Scan::next(std::size_t point) const {
    if (!chained || place_in_chain(point) + 1 == axes[*chained].values.size()) return {};
    return point + stride(*chained);
}

std::size_t ScanReport::done() const {
    return static_cast<std::size_t>(
        std::ranges::count_if(points, [](const PointRecord& p) { return p.state != PointState::open; }));
}

std::vector<ScanQuantity> merged_quantities(const std::vector<PointRecord>& points) {
    std::map<std::string, const Quantity*> first;
    std::vector<ScanQuantity> all;
    for (const std::string& name : names_in_order(points, first)) all.push_back(merged(points, *first[name]));
    return all;
}

ScanAverages average_replicas(const Scan& scan, const std::vector<PointRecord>& points) {
    ScanAverages averages;
    if (scan.averaged.empty()) return averages;
    const std::vector<ScanKey> keys = scan.keys();
    const std::size_t of_axes = keys.size() - scan.seed.size();  // individual seeds do not distinguish groups
    std::map<std::vector<std::string>, std::size_t> numbers;
    std::vector<std::size_t> group(points.size());
    for (std::size_t p = 0; p < points.size(); ++p) {
        std::vector<std::string> values = scan.values(p), kept;
        for (std::size_t k = 0; k < keys.size(); ++k)
            if (k < of_axes && std::ranges::count(scan.averaged, keys[k].key.name) == 0) kept.push_back(values[k]);
        const auto [at, fresh] = numbers.emplace(std::move(kept), numbers.size());
        group[p] = at->second;
        if (fresh) averages.first_point.push_back(p);
    }
    averages.replicas.assign(numbers.size(), 0);
    for (std::size_t p = 0; p < points.size(); ++p)
        if (!points[p].quantities.empty()) ++averages.replicas[group[p]];
    for (const ScanQuantity& q : merged_quantities(points)) {
        const std::size_t w = q.width, size = numbers.size() * w;
        std::vector<double> count(size, 0), mean(size, 0), squares(size, 0);
        const std::vector<double>& value = q.over_points.value;
        // two passes: the mean, then deviations from it, because differences of large sums of squares lose digits
        for (std::size_t i = 0; i < value.size(); ++i) {
            if (std::isnan(value[i])) continue;
            count[group[i / w] * w + i % w] += 1;
            mean[group[i / w] * w + i % w] += value[i];
        }
        for (std::size_t i = 0; i < size; ++i) mean[i] = count[i] > 0 ? mean[i] / count[i] : unknown;
        for (std::size_t i = 0; i < value.size(); ++i) {
            const std::size_t to = group[i / w] * w + i % w;
            if (!std::isnan(value[i])) squares[to] += (value[i] - mean[to]) * (value[i] - mean[to]);
        }
        ScanQuantity one{{q.over_points.name, q.over_points.unit, q.over_points.meaning, mean}, w};
        for (std::size_t i = 0; i < size; ++i)
            one.over_points.error.push_back(count[i] > 1 ? std::sqrt(squares[i] / (count[i] * (count[i] - 1)))
                                                         : unknown);
        averages.quantities.push_back(std::move(one));
    }
    return averages;
}

}  // namespace strata
