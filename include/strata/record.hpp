// SPDX-License-Identifier: BSD-3-Clause
// Measurements of a run: columns of numbers, one row per observation, and the quantities estimated from them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace strata {

/// Whether numbers are values, or positions along an axis, such as times, sites and wave vectors.
enum class Role : std::uint8_t { value, coordinate };

/// One recorded observable. Columns can be the members of one array over a further axis: sz-0, sz-1 ... of sz.
struct Column {
    std::string name;     ///< lower-case words with hyphens
    std::string unit;     ///< "1" if dimensionless
    std::string meaning;  ///< one sentence with the normalisation
    Role role = Role::value;
    std::string array = {}, axis = {};  ///< names of the array and of its axis; empty: none
    std::string label = {};             ///< number of the member on that axis, or several: "2", "0,1"
};

/// Column `array`-I-J... at the place with these numbers along an axis.
inline Column member_column(const std::string& array, const std::string& axis, const std::vector<std::int64_t>& numbers,
                            const std::string& unit, const std::string& meaning) {
    Column column = {array, unit, meaning, Role::value, array, axis, ""};
    for (const std::int64_t number : numbers) {
        column.name += "-" + std::to_string(number);
        column.label += (column.label.empty() ? "" : ",") + std::to_string(number);
    }
    return column;
}

/// All rows observed so far, row-major; complete on rank 0, empty elsewhere.
class Series {
  public:
    Series() = default;
    explicit Series(std::vector<Column> columns) : columns_(std::move(columns)) {}

    const std::vector<Column>& columns() const { return columns_; }
    std::size_t width() const { return columns_.size(); }
    std::size_t rows() const { return width() == 0 ? 0 : values_.size() / width(); }
    std::span<const double> row(std::size_t i) const { return {values_.data() + i * width(), width()}; }
    std::span<const double> values() const { return values_; }
    void append(std::span<const double> row) { values_.insert(values_.end(), row.begin(), row.end()); }
    void assign(std::vector<double> values) { values_ = std::move(values); }
    void drop_front(std::size_t rows) {
        values_.erase(values_.begin(), values_.begin() + static_cast<std::ptrdiff_t>(rows * width()));
    }
    void drop_back(std::size_t rows) { values_.resize(values_.size() - rows * width()); }
    /// Reserves address space for `rows` rows, so that appending never copies; pages are allocated when rows are
    /// written.
    void reserve(std::size_t rows) { values_.reserve(rows * width()); }

    /// `count` numbers of column `c`, from row `first` on, in order of observation.
    std::vector<double> column(std::size_t c, std::size_t first, std::size_t count) const {
        std::vector<double> out(count);
        for (std::size_t i = 0; i < count; ++i) out[i] = values_[(first + i) * width() + c];
        return out;
    }

  private:
    std::vector<Column> columns_;
    std::vector<double> values_;
};

/// One line of the result table. `value` has one entry, or one per member of a list-valued quantity, which names its axes;
/// `error`, `tau` and `reference` have as many entries or none.
struct Quantity {
    std::string name;
    std::string unit;
    std::string meaning;
    std::vector<double> value;
    std::vector<double> error = {};      ///< one standard deviation
    std::vector<double> tau = {};        ///< integrated autocorrelation time, in observations
    std::vector<double> reference = {};  ///< exact value; NaN if unknown
    std::vector<std::string> axes = {};  ///< what a list runs over, e.g. site; of two axes the last varies fastest
    std::size_t row_length = 1;          ///< length of the last axis where there are two
    Role role = Role::value;

    /// This list over an axis, also if it has one member only. A quantity without axes is a number.
    Quantity over(const std::string& axis) && {
        axes = {axis};
        return std::move(*this);
    }
    Quantity over(const std::string& first, const std::string& last, std::size_t length_of_last) && {
        axes = {first, last};
        row_length = length_of_last;
        return std::move(*this);
    }
    Quantity coordinate_of(const std::string& axis) && {
        role = Role::coordinate;
        return std::move(*this).over(axis);
    }
};

/// One figure of a run's performance, e.g. {"ns_per_site_update", 0.8, "ns", "..."}.
struct Figure {
    std::string name;
    double value = 0;
    std::string unit;
    std::string meaning;
};

}  // namespace strata
