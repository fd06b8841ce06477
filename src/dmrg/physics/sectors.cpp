// SPDX-License-Identifier: BSD-3-Clause
// Segments follow from the charges alone and are the same on all ranks.
#include "dmrg/physics/sectors.hpp"

#include <algorithm>
#include <map>
#include <numeric>

namespace strata::dmrg {

std::optional<std::size_t> Sectors::find(Charge q) const {
    const auto at = std::ranges::lower_bound(charges, q);
    if (at == charges.end() || *at != q) return std::nullopt;
    return static_cast<std::size_t>(at - charges.begin());
}

std::uint64_t Sectors::total() const { return std::accumulate(states.begin(), states.end(), std::uint64_t{0}); }

const Segment* EnlargedSectors::find(std::size_t enlarged, std::size_t site_state, std::size_t sector) const {
    for (const Segment& s : segments[enlarged])
        if (s.site_state == site_state && s.sector == sector) return &s;
    return nullptr;
}

namespace {

/// As enlarge(), but keeps the charges for which allowed(charge) is true.
template <class Allowed>
EnlargedSectors enlarge_if(const Sectors& block, const std::vector<Charge>& site, Side side, Allowed allowed) {
    std::map<Charge, std::vector<Segment>> found;
    for (std::size_t s = 0; s < site.size(); ++s)
        for (std::size_t q = 0; q < block.size(); ++q) {
            const Charge label = side == Side::left ? block.charges[q] + site[s] : block.charges[q] - site[s];
            if (allowed(label)) found[label].push_back({s, q, {0, block.states[q]}});
        }
    EnlargedSectors e;
    for (auto& [label, segments] : found) {
        std::uint64_t rows = 0;
        for (Segment& s : segments) {
            s.rows.first = rows;
            rows += s.rows.count;
        }
        e.sectors.charges.push_back(label);
        e.sectors.states.push_back(rows);
        e.segments.push_back(std::move(segments));
    }
    return e;
}

}  // namespace

EnlargedSectors enlarge(const Sectors& block, const std::vector<Charge>& site, Side side, const ChargeRange& allowed) {
    return enlarge_if(block, site, side, [&](Charge label) { return allowed.contains(label); });
}

void SiteTensor::allocate_matrices() {
    matrices.clear();
    for (std::size_t k = 0; k < kept.size(); ++k) {
        const auto e = enlarged_sector(k);
        matrices.emplace_back(e ? enlarged.sectors.states[*e] : 0, kept.states[k]);
    }
}

namespace {

/// Calls f(sector of `kept`, segment) for all parts of a tensor.
template <class F>
void for_segments(const SiteTensor& tensor, F f) {
    for (std::size_t k = 0; k < tensor.kept.size(); ++k)
        if (const auto e = tensor.enlarged_sector(k))
            for (const Segment& s : tensor.enlarged.segments[*e]) f(k, s);
}

/// The other bond of a tensor, at which its block ended before it was enlarged; numbers of states are those of the
/// segments.
Sectors outer_bond(const SiteTensor& tensor, const std::vector<Charge>& site) {
    std::map<Charge, std::uint64_t> states;
    for_segments(tensor, [&](std::size_t k, const Segment& s) {
        const Charge label = tensor.kept.charges[k];
        states[tensor.side == Side::left ? label - site[s.site_state] : label + site[s.site_state]] = s.rows.count;
    });
    Sectors bond;
    for (const auto& [label, count] : states) {
        bond.charges.push_back(label);
        bond.states.push_back(count);
    }
    return bond;
}

}  // namespace

SiteTensor regrouped(const SiteTensor& tensor, const std::vector<Charge>& site) {
    SiteTensor t;
    t.side = tensor.side == Side::left ? Side::right : Side::left;
    t.kept = outer_bond(tensor, site);
    t.enlarged = enlarge_if(tensor.kept, site, t.side, [&](Charge label) { return t.kept.find(label).has_value(); });
    t.allocate_matrices();
    for_segments(tensor, [&](std::size_t k, const Segment& from) {
        const Charge label = tensor.kept.charges[k], change = site[from.site_state];
        const std::size_t sector = *t.kept.find(t.side == Side::right ? label - change : label + change);
        const Segment& to = *t.enlarged.find(*t.enlarged_sector(sector), from.site_state, k);
        for (std::uint64_t j = 0; j < to.rows.count; ++j)
            for (std::uint64_t i = 0; i < from.rows.count; ++i)
                t.matrices[sector](to.rows.first + j, i) = tensor.matrices[k](from.rows.first + i, j);
    });
    return t;
}

SiteTensor times_imaginary_unit(const SiteTensor& tensor) {
    SiteTensor t = tensor;
    for_segments(tensor, [&](std::size_t k, const Segment& s) {
        const std::uint64_t re = s.rows.first, im = re + 1;
        for (std::uint64_t j = 0; j < tensor.matrices[k].columns; ++j) {
            t.matrices[k](re, j) = -tensor.matrices[k](im, j);
            t.matrices[k](im, j) = tensor.matrices[k](re, j);
        }
    });
    return t;
}

std::vector<Matrix> joined(const Algebra& algebra, const SiteTensor& left, const SiteTensor& right) {
    std::vector<Matrix> x(left.enlarged.sectors.size());
    for_each(algebra, left.kept.size(), [&](std::size_t k) {
        const auto other = right.kept.find(left.kept.charges[k]), sector = left.enlarged_sector(k);
        if (other && sector) x[*sector] = algebra.product(right.matrices[*other], transposed(left.matrices[k]));
    });
    return x;
}

}  // namespace strata::dmrg
