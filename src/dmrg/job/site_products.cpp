// SPDX-License-Identifier: BSD-3-Clause
// Bit 0 of the number of an electron's state is its spin up, bit 1 its spin down, with |both> = c+_up c+_down |0>.
#include "dmrg/job/site_products.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <set>
#include <utility>

namespace strata::dmrg {
namespace {

using Image = std::optional<std::pair<int, double>>;  ///< state and amplitude; nothing: 0

Image image_of_electron(const ModeOperator& o, int state) {
    const int bit = o.mode == Mode::up ? 1 : 2;
    const bool occupied = (state & bit) != 0;
    if (o.local == Local::z) return occupied ? Image({state, 1.0}) : std::nullopt;
    if (occupied == (o.local == Local::raise)) return std::nullopt;
    const double sign = o.mode == Mode::down && (state & 1) != 0 ? -1 : 1;
    return Image({state ^ bit, sign});
}

Image image_of_particle(Local o, int state) {
    if (o == Local::z) return state == 1 ? Image({state, 1.0}) : std::nullopt;
    return state == (o == Local::raise ? 0 : 1) ? Image({1 - state, 1.0}) : std::nullopt;
}

Image image_of_spin(Local o, int state, int twice_spin) {
    if (is_unit(o)) return state == source_level(o) ? Image({target_level(o), 1.0}) : std::nullopt;
    if (is_of_levels(o)) return state > level_of(o) ? Image({state, 1.0}) : std::nullopt;
    if (o == Local::z) return Image({state, state - 0.5 * twice_spin});
    const int to = state + (o == Local::raise ? 1 : -1);
    if (to < 0 || to > twice_spin) return std::nullopt;
    const int upper = std::max(state, to);  // <m| S+ |m - 1>^2 = (S + m) (S - m + 1), m + S = upper
    return Image({to, std::sqrt(static_cast<double>(upper) * (twice_spin - upper + 1))});
}

}  // namespace

SiteProduct by_sites(const OperatorProduct& product, SiteKind kind) {
    OperatorProduct sorted = product;
    std::ranges::stable_sort(sorted, {}, &ModeOperator::site);
    const auto is_odd = [&](const ModeOperator& o) { return is_fermionic(kind) && o.local != Local::z; };
    SiteProduct result;
    for (std::size_t i = 0; i < product.size(); ++i)
        for (std::size_t j = i + 1; j < product.size(); ++j)
            if (is_odd(product[i]) && is_odd(product[j]) && product[i].site > product[j].site)
                result.sign = -result.sign;
    for (const ModeOperator& o : sorted) {
        if (result.factors.empty() || result.factors.back().site != o.site)
            result.factors.push_back({o.site, {}, false});
        result.factors.back().operators.push_back(o);
    }
    bool odd = false;
    for (auto factor = result.factors.rbegin(); factor != result.factors.rend(); ++factor) {
        factor->odd = odd;
        odd ^= std::ranges::count_if(factor->operators, is_odd) % 2 != 0;
    }
    return result;
}

std::vector<int> sites_of(const OperatorProduct& product) {
    std::set<int> sites;
    for (const ModeOperator& o : product) sites.insert(o.site);
    return {sites.begin(), sites.end()};
}

SiteOperator matrix_of(SiteKind kind, const std::vector<int>& parities, const SiteFactor& factor) {
    SiteOperator matrix;
    const auto states = static_cast<int>(parities.size());
    for (int from = 0; from < states; ++from) {
        Image image({from, factor.odd && parities[static_cast<std::size_t>(from)] != 0 ? -1.0 : 1.0});
        for (auto o = factor.operators.rbegin(); o != factor.operators.rend() && image; ++o) {
            const int state = image->first;
            const Image next = kind == SiteKind::electrons ? image_of_electron(*o, state)
                               : kind == SiteKind::spins   ? image_of_spin(o->local, state, states - 1)
                                                           : image_of_particle(o->local, state);
            image = next ? Image({next->first, next->second * image->second}) : std::nullopt;
        }
        if (image && image->first < states) matrix.elements.push_back({image->first, from, image->second});
    }
    return matrix;
}

}  // namespace strata::dmrg
