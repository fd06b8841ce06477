// SPDX-License-Identifier: BSD-3-Clause
// Pairs (row, column) are listed part by part of the rows, and within a part by left sites and signs.
#include "lanczos/physics/left_hops.hpp"

#include <algorithm>

namespace strata::lanczos {

LeftHops::LeftHops(const BitStrings& from, const ComponentTable& to, Statistics statistics,
                   const std::vector<Complex>& amplitudes, std::uint64_t entries)
    : sites_(static_cast<std::uint32_t>(from.sites())), to_(to.basis().count()) {
    std::uint64_t with_hops = 0;
    for (std::size_t at = 0; at < amplitudes.size(); ++at) {
        re_.push_back(amplitudes[at].real());
        im_.push_back(amplitudes[at].imag());
        if (at % sites_ == 0) partners_.push_back(0);
        if (amplitudes[at] != Complex(0)) partners_.back() |= std::uint64_t{1} << at % sites_;
        with_hops |= partners_.back();
    }
    const std::uint64_t* strings = to.view().sites;
    const std::uint64_t filled = to.basis().particles() > from.particles() ? 1 : 0;  // occupation of j after the hop
    first_.reserve(2 * parts(to_) * sites_ + 1);
    rows_.reserve(entries);
    columns_.reserve(entries);
    for (std::uint64_t part = 0; part < to_; part += LeftHopsView::part_rows)
        for (std::uint32_t j = 0; j < sites_; ++j)
            for (std::uint64_t minus : {0, 1}) {
                for (std::uint64_t row = part; row < std::min(to_, part + LeftHopsView::part_rows); ++row) {
                    if ((with_hops >> j & 1) == 0 || (strings[row] >> j & 1) != filled) continue;
                    const bool odd = statistics == Statistics::fermions && odd_above(strings[row], static_cast<int>(j));
                    if (odd != (minus == 1)) continue;
                    rows_.push_back(static_cast<std::uint32_t>(row));
                    columns_.push_back(static_cast<std::uint32_t>(from.index_of(strings[row] ^ std::uint64_t{1} << j)));
                }
                first_.push_back(rows_.size());
            }
}

LeftHopsView LeftHops::view() const {
    return {sites_, parts(to_), first_.data(), rows_.data(), columns_.data(), re_.data(), im_.data(), partners_.data()};
}

}  // namespace strata::lanczos
