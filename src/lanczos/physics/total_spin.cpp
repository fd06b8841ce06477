// SPDX-License-Identifier: BSD-3-Clause
// Levels of all sectors are taken energy by energy, and those of a sector get their spins in ascending order.
#include "lanczos/physics/total_spin.hpp"

#include <algorithm>
#include <cmath>

#include "models/operator_text.hpp"

namespace strata::lanczos {

bool conserves_total_spin(const Model& model, int twice_spin) {
    const SiteKind kind = model.kind;
    if (kind != SiteKind::spins && kind != SiteKind::electrons) return false;
    if (kind == SiteKind::spins && model.site_energy != 0) return false;  // a field along z
    OperatorSum raise(kind);
    for (int i = 0; i < model.lattice.sites; ++i) raise += site_operator(kind, "S+", i, twice_spin);
    const OperatorSum sum = sum_of_terms(model);
    return commutator(sum, raise).largest() <= 1e-12 * sum.largest();
}

std::map<int, std::vector<double>> total_spins(const std::map<int, std::span<const double>>& levels, double rounding) {
    std::vector<double> all;
    std::map<int, std::vector<double>> spins;
    for (const auto& [twice, of_sector] : levels) {
        all.insert(all.end(), of_sector.begin(), of_sector.end());
        spins[twice];
    }
    std::ranges::sort(all);
    for (std::size_t first = 0, last; first < all.size(); first = last) {
        last = first + 1;
        while (last < all.size() && all[last] - all[last - 1] <= rounding) ++last;
        std::map<int, std::size_t> count;  // [2 S^z] levels of this energy
        for (const auto& [twice, of_sector] : levels) {
            const auto begin = of_sector.begin() + static_cast<std::ptrdiff_t>(spins[twice].size());
            count[twice] = static_cast<std::size_t>(
                std::find_if(begin, of_sector.end(), [&](double e) { return e > all[last - 1]; }) - begin);
        }
        const auto of = [&](int twice) { return count.contains(twice) ? count[twice] : 0; };
        const bool multiplets =
            std::ranges::all_of(count, [&](const auto& sector) { return sector.second >= of(sector.first + 2); });
        for (auto& [twice, list] : spins) {
            const std::size_t size = list.size() + count[twice];
            for (int s = twice; multiplets && of(s) > 0; s += 2) list.insert(list.end(), of(s) - of(s + 2), 0.5 * s);
            list.resize(size, NAN);
        }
    }
    return spins;
}

}  // namespace strata::lanczos
