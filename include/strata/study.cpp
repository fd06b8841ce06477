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

/// Variance of a mean over replicas. Those with the same value of one of several averaged keys, such as the seed of the
/// disorder, are not independent. With v_k the variance from the scatter of the means at each value of key k, and v that
/// from the scatter of all values, it is sum v_k - (K - 1) v for K keys whose effects add up, and the largest v_k at
/// least; NaN where a v_k is.
class Scatter {
  public:
    /// `keys`: [replica] values of the averaged keys.
    explicit Scatter(const std::vector<std::vector<std::string>>& keys) {
        const std::size_t count = keys.empty() ? 0 : keys.front().size();
        for (std::size_t k = 0; k < count; ++k) {
            std::map<std::string, std::vector<std::size_t>> at;
            for (std::size_t i = 0; i < keys.size(); ++i) at[keys[i][k]].push_back(i);
            if (at.size() < 2) continue;
            sharing_.emplace_back();
            if (at.size() == keys.size()) continue;  // no two share a value
            for (auto& [value, replicas] : at) sharing_.back().push_back(std::move(replicas));
        }
    }

    /// The mean of the values of the replicas and its variance, NaN where that is not known.
    std::pair<double, double> mean_and_variance_of(const std::vector<double>& values) const {
        const auto [mean, variance] = mean_and_variance(values);
        double sum = 0, largest = 0;
        for (const std::vector<std::vector<std::size_t>>& at : sharing_) {
            const double of_key = at.empty() ? variance : variance_of_means(at, values);
            sum += of_key;
            largest = std::max(largest, of_key);
        }
        const auto keys = static_cast<double>(sharing_.size());
        return {mean, keys == 0 || std::isnan(sum) ? unknown : std::max(largest, sum - (keys - 1) * variance)};
    }

  private:
    static double variance_of_means(const std::vector<std::vector<std::size_t>>& at,
                                    const std::vector<double>& values) {
        std::vector<double> means;
        for (const std::vector<std::size_t>& replicas : at) {
            std::vector<double> numbers;
            for (const std::size_t i : replicas) numbers.push_back(values[i]);
            means.push_back(mean_and_variance(numbers).first);
        }
        return mean_and_variance(means).second;
    }

    /// [averaged key with several values][value] replicas that share it; no values where none do.
    std::vector<std::vector<std::vector<std::size_t>>> sharing_;
};

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
        const auto [mean, variance] = scatter(with_results).mean_and_variance_of(values);
        if (std::isnan(mean)) return {unknown, unknown};
        return {mean, known ? std::sqrt(variance) : unknown};
    }

    /// How the values of these points scatter.
    Scatter scatter(const std::vector<std::size_t>& points) const {
        std::vector<std::vector<std::string>> values;
        for (const std::size_t p : points) values.push_back(averaged_[p]);
        return Scatter(values);
    }

  private:
    const std::vector<PointRecord>& points_;
    std::vector<std::vector<std::string>> averaged_;  ///< [point] values of averaged keys
    std::vector<std::vector<std::size_t>> groups_;
};

/// Whether the series of these points have the same columns and rows, at least one column that is a coordinate, and the
/// same numbers in all coordinates.
bool have_same_coordinates(const std::vector<PointRecord>& points, const std::vector<std::size_t>& group) {
    if (group.empty()) return false;
    const Series& first = points[group.front()].series;
    const auto is_coordinate = [](const Column& column) { return column.role == Role::coordinate; };
    if (std::ranges::none_of(first.columns(), is_coordinate)) return false;
    return std::ranges::all_of(group, [&](std::size_t p) {
        const Series& other = points[p].series;
        if (other.rows() != first.rows() ||
            !std::ranges::equal(other.columns(), first.columns(), {}, &Column::name, &Column::name))
            return false;
        for (std::size_t c = 0; c < first.width(); ++c)
            if (is_coordinate(first.columns()[c]) &&
                other.column(c, 0, other.rows()) != first.column(c, 0, first.rows()))
                return false;
        return true;
    });
}

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

SeriesAverages average_series(const Scan& scan, const std::vector<PointRecord>& points) {
    SeriesAverages all;
    if (scan.averaged.empty()) return all;
    const Replicas replicas(scan, points);
    std::vector<std::pair<std::size_t, std::vector<std::size_t>>> groups;  // those with averages, and their replicas
    for (std::size_t g = 0; g < replicas.groups().size(); ++g) {
        std::vector<std::size_t> group;
        for (const std::size_t p : replicas.groups()[g])
            if (!points[p].quantities.empty() && points[p].series.rows() > 0) group.push_back(p);
        if (!have_same_coordinates(points, group)) continue;
        for (const Column& column : points[group.front()].series.columns())
            if (std::ranges::count(all.columns, column.name, &Column::name) == 0) all.columns.push_back(column);
        groups.emplace_back(g, std::move(group));
    }
    all.mean.resize(all.columns.size());
    all.error.resize(all.columns.size());
    for (const auto& [number, group] : groups) {
        const Series& first = points[group.front()].series;
        const Scatter scatter = replicas.scatter(group);
        const std::size_t before = all.group.size();
        all.group.insert(all.group.end(), first.rows(), static_cast<std::int64_t>(number));
        for (std::vector<std::vector<double>>* lists : {&all.mean, &all.error})
            for (std::vector<double>& list : *lists) list.resize(all.group.size(), unknown);
        std::vector<double> values(group.size());
        for (std::size_t c = 0; c < first.width(); ++c) {
            const auto to = static_cast<std::size_t>(
                std::ranges::find(all.columns, first.columns()[c].name, &Column::name) - all.columns.begin());
            for (std::size_t row = 0; row < first.rows(); ++row) {
                for (std::size_t i = 0; i < group.size(); ++i) values[i] = points[group[i]].series.row(row)[c];
                const auto [mean, variance] = scatter.mean_and_variance_of(values);
                all.mean[to][before + row] = mean;
                all.error[to][before + row] = std::sqrt(variance);
            }
        }
    }
    return all;
}

}  // namespace strata
