// SPDX-License-Identifier: BSD-3-Clause
// The points of a job and the keys that take several values. Points are numbered from 0; the last axis varies fastest.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "strata/config.hpp"

namespace strata {

/// A key that takes several values in one job.
struct ScanKey {
    Key key;
    std::string origin;  ///< "command line" or "FILE:LINE"
};

/// Keys that vary together: `values[i][k]` is the text of key k at position i.
struct ScanAxis {
    std::vector<ScanKey> keys;
    std::vector<std::vector<std::string>> values;
};

/// The points of a job: all combinations of the positions on the axes. A job without axes is one point.
struct Scan {
    std::vector<ScanAxis> axes;         ///< the last one varies fastest
    std::vector<std::string> averaged;  ///< names of keys over which results are averaged
    /// The seed key if every point has its own seed, first_seed plus the number of the point; else empty.
    std::vector<ScanKey> seed;
    std::int64_t first_seed = 0;
    /// Axis along which every point starts from the final state of its predecessor; none: all points start alike.
    std::optional<std::size_t> chained;

    bool empty() const { return axes.empty(); }
    std::size_t points() const;
    /// All scanned keys: those of the axes in order, then the seed key.
    std::vector<ScanKey> keys() const;
    /// Values of all keys() at a point, as texts.
    std::vector<std::string> values(std::size_t point) const;
    /// Keys and values of a point, e.g. "model.u = 4, run.seed = 2".
    std::string label(std::size_t point) const;
    /// Position of a point along the chained axis, from 0; 0 if there is no chained axis.
    std::size_t place_in_chain(std::size_t point) const;
    /// The point from whose final state this one starts.
    std::optional<std::size_t> previous(std::size_t point) const;
    /// The point that starts from this one's final state.
    std::optional<std::size_t> next(std::size_t point) const;

  private:
    /// Difference of the point numbers of neighbours along an axis.
    std::size_t stride(std::size_t axis) const;
};

}  // namespace strata
