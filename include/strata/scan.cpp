// SPDX-License-Identifier: BSD-3-Clause
// Numbering of points. The number of a point is a mixed-radix number whose digits are the positions on the axes; the last
// axis is the lowest digit.
#include "strata/scan.hpp"

namespace strata {

std::size_t Scan::points() const {
    std::size_t count = 1;
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

}  // namespace strata
