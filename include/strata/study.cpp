// SPDX-License-Identifier: BSD-3-Clause
// Verdicts of points, quantities over points, and averages over replicas.
#include "strata/study.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <utility>

#include "strata/error.hpp"
#include "strata/standard_error.hpp"

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

/// Whether the lists of two points can be rows of one array: those over two axes need rows of one length.
bool have_same_axes(const Quantity& a, const Quantity& b) {
    return a.axes == b.axes &&
           (a.axes.size() < 2 || (a.row_length == b.row_length && a.value.size() == b.value.size()));
}

/// The quantity of the name of `first` at all points; its width is the largest of any point. It has axes if all points
/// have the same.
ScanQuantity merged(const std::vector<PointRecord>& points, const Quantity& first) {
    ScanQuantity all{first, 1};
    std::vector<const Quantity*> at;
    for (const PointRecord& point : points) {
        at.push_back(find_quantity(point, first.name));
        if (at.back() == nullptr) continue;
        all.width = std::max(all.width, at.back()->value.size());
        if (!have_same_axes(*at.back(), first)) all.over_points.axes.clear();
    }
    for (const auto list : number_lists) all.over_points.*list = over_points(at, list, all.width);
    return all;
}

/// Mean of numbers, and the variance of this mean from their scatter, NaN for too few. Two passes, because large sums
/// of squares lose digits where they are subtracted.
std::pair<double, double> mean_and_variance(const std::vector<double>& numbers) {
    const double n = static_cast<double>(numbers.size());
    if (numbers.empty()) return {unknown, unknown};
    double mean = 0, squares = 0;
    for (const double x : numbers) mean += (x - numbers[0]) / n;  // equal numbers have no rounding error
    mean += numbers[0];
    for (const double x : numbers) squares += (x - mean) * (x - mean);
    return {mean, variance_of_mean(squares, numbers.size())};
}

/// Points that differ only in averaged keys or seeds.
class Replicas {
  public:
    Replicas(const Scan& scan, const std::vector<PointRecord>& points) : points_(points) {
        const std::vector<ScanKey> keys = scan.keys();
        const std::size_t of_axes = keys.size() - scan.seed.size();  // individual seeds do not distinguish groups
        std::map<std::vector<std::string>, std::size_t> numbers;
        for (std::size_t p = 0; p < points.size(); ++p) {
            const std::vector<std::string> values = scan.values(p);
            std::vector<std::string> kept;
            averaged_.emplace_back();
            for (std::size_t k = 0; k < of_axes; ++k)
                (std::ranges::count(scan.averaged, keys[k].key.name) == 0 ? kept : averaged_.back())
                    .push_back(values[k]);
            const auto [at, fresh] = numbers.emplace(std::move(kept), numbers.size());
            if (fresh) groups_.emplace_back();
            groups_[at->second].push_back(p);
        }
    }

    /// Numbers of the points of each group.
    const std::vector<std::vector<std::size_t>>& groups() const { return groups_; }

    /// Mean of a member of a quantity over a group and its standard error. Both are NaN where a replica with results
    /// has no value: a number that is absent where it is below its noise has a selected mean of those that are not. The
    /// error is NaN where a replica that has a remark gives no error of its own, because it does not know that it is in
    /// equilibrium.
    std::pair<double, double> average(const std::vector<std::size_t>& group, const ScanQuantity& q,
                                      std::size_t member) const {
        std::vector<std::size_t> with_results;
        std::vector<double> values;
        bool known = true;
        for (const std::size_t p : group) {
            if (points_[p].quantities.empty()) continue;
            const std::size_t i = p * q.width + member;
            with_results.push_back(p);
            values.push_back(q.over_points.value[i]);
            const bool has_error = q.over_points.error.empty() || !std::isnan(q.over_points.error[i]);
            known = known && (has_error || points_[p].remark.empty());
        }
        const auto [mean, variance] = mean_and_variance(values);
        if (std::isnan(mean)) return {unknown, unknown};
        return {mean, known ? std::sqrt(variance_over_keys(with_results, values, variance)) : unknown};
    }

  private:
    /// Replicas with the same value of one of several averaged keys, such as the seed of the disorder, are not
    /// independent. With v_k the variance from the scatter of the means at each value of key k, and v that from the
    /// scatter of all values, it is sum v_k - (K - 1) v for K keys whose effects add up, and the largest v_k at least;
    /// NaN where a v_k is.
    double variance_over_keys(const std::vector<std::size_t>& group, const std::vector<double>& values,
                              double variance) const {
        double sum = 0, largest = 0, keys = 0;
        for (std::size_t k = 0; k < averaged_.front().size(); ++k) {
            std::map<std::string, std::vector<double>> at;
            for (std::size_t i = 0; i < group.size(); ++i) at[averaged_[group[i]][k]].push_back(values[i]);
            std::vector<double> means;
            for (const auto& [value, numbers] : at) means.push_back(mean_and_variance(numbers).first);
            if (means.size() == values.size()) means = values;  // in the same order, for the same rounding
            if (means.size() < 2) continue;
            const double of_key = mean_and_variance(means).second;
            sum += of_key;
            largest = std::max(largest, of_key);
            ++keys;
        }
        return keys == 0 || std::isnan(sum) ? unknown : std::max(largest, sum - (keys - 1) * variance);
    }

    const std::vector<PointRecord>& points_;
    std::vector<std::vector<std::string>> averaged_;  ///< [point] values of averaged keys
    std::vector<std::vector<std::size_t>> groups_;
};

}  // namespace

void conclude(PointRecord& record, const std::string& shortfall) {
    record.sentence = shortfall;
    record.state = shortfall.empty() ? PointState::finished : PointState::unconverged;
    record.exit_code = static_cast<int>(shortfall.empty() ? ExitCode::done : ExitCode::numerical);
}

std::size_t Study::done() const {
    return static_cast<std::size_t>(
        std::ranges::count_if(records, [](const PointRecord& p) { return p.state != PointState::open; }));
}

int Study::exit_code() const {
    for (const PointRecord& point : records)
        if (point.exit_code.value_or(0) != 0) return *point.exit_code;
    return 0;
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
    const Replicas replicas(scan, points);
    for (const std::vector<std::size_t>& group : replicas.groups()) {
        averages.first_point.push_back(group.front());
        averages.replicas.push_back(static_cast<double>(
            std::ranges::count_if(group, [&](std::size_t p) { return !points[p].quantities.empty(); })));
    }
    for (const ScanQuantity& q : merged_quantities(points)) {
        ScanQuantity one = q;
        for (const auto list : number_lists) (one.over_points.*list).clear();
        for (const std::vector<std::size_t>& group : replicas.groups())
            for (std::size_t member = 0; member < q.width; ++member) {
                const auto [mean, error] = replicas.average(group, q, member);
                one.over_points.value.push_back(mean);
                one.over_points.error.push_back(error);
            }
        averages.quantities.push_back(std::move(one));
    }
    return averages;
}

}  // namespace strata
