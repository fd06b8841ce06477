// SPDX-License-Identifier: BSD-3-Clause
// Means over parts of steps, and tables of factors.
#include "trotter/physics/factor.hpp"

#include <array>
#include <iterator>

#include "strata/error.hpp"

namespace strata::trotter {

double mean_of_product(const std::vector<DriveFactor>& factors, const StepPart& part, double from, double to) {
    double constant = 1;
    bool varies = false;
    for (const DriveFactor& factor : factors) {
        if (!factor.varies()) constant *= factor.at(part.inside);
        varies = varies || factor.varies();
    }
    if (!varies) return constant;
    const auto product = [&](double x) {
        const double t = part.begin + (from + (to - from) * (1 + x) / 2) * part.length;
        double value = constant;
        for (const DriveFactor& factor : factors)
            if (factor.varies()) value *= factor.at(t);
        return value;
    };
    return gauss_mean(product);
}

std::vector<DriveFactor> read_factor_table(const NamedText& table) {
    const std::string rule = "is no line 'time hx hy hz jx jy jz' of a time and six factors.";
    std::array<std::vector<std::pair<double, double>>, 6> columns;
    for (const Item& line : lines_of(table)) {
        const std::vector<double> numbers = line.reals_from(0, rule);
        if (numbers.size() != 7) line.refuse(rule);
        if (!columns[0].empty() && numbers[0] <= columns[0].back().first)
            line.refuse("must have a later time than the line before.");
        for (std::size_t c = 0; c < columns.size(); ++c) columns[c].emplace_back(numbers[0], numbers[c + 1]);
    }
    if (columns[0].empty()) throw Error(ExitCode::bad_input, "drive.table = " + table.name + " holds no line.");
    return {std::make_move_iterator(columns.begin()), std::make_move_iterator(columns.end())};
}

}  // namespace strata::trotter
