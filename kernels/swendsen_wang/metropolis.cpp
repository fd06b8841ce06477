// SPDX-License-Identifier: BSD-3-Clause
// Table of the acceptance probabilities of a Metropolis update.
#include "kernels/swendsen_wang/metropolis.hpp"

#include <cmath>
#include <initializer_list>

namespace strata::swendsen_wang {
namespace {

/// Adds a class if its flips raise the energy: `cost` is beta times half of the change.
void add_class(MetropolisTable& table, MetropolisTable::Entry entry, long double cost) {
    if (cost <= 0) return;
    entry.threshold = threshold_of(std::ldexp(std::exp(-2 * cost) * MetropolisTable::otherwise, -64)).threshold;
    table.entries[table.count++] = entry;
}

}  // namespace

MetropolisTable metropolis_table(int dimensions, int open, double reduced_coupling, double reduced_field) {
    MetropolisTable table;
    const int directions = 2 * dimensions;
    for (int missing = 0; missing <= open; ++missing)
        for (int satisfied = 0; satisfied <= directions - missing; ++satisfied) {
            const auto bonds = static_cast<long double>(2 * satisfied + missing - directions);
            const auto number = [](int n) { return static_cast<std::uint8_t>(n); };
            if (reduced_field == 0) {
                add_class(table, {number(satisfied), number(missing)}, reduced_coupling * bonds);
                continue;
            }
            for (const SpinClass spin : {SpinClass::up, SpinClass::down})
                add_class(table, {number(satisfied), number(missing), spin},
                          reduced_coupling * bonds +
                              (spin == SpinClass::up ? 1 : -1) * static_cast<long double>(reduced_field));
        }
    return table;
}

}  // namespace strata::swendsen_wang
