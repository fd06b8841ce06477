// SPDX-License-Identifier: BSD-3-Clause
// Next-nearest neighbours: on a line two sites apart, on a square lattice along the diagonals, on a triangular lattice
// at distance sqrt(3), on a honeycomb on the same sublattice.
#include "models/unit_cell.hpp"

#include <algorithm>
#include <cmath>

#include "strata/config.hpp"
#include "strata/error.hpp"

namespace strata {
namespace {

constexpr std::int64_t max_displacement = 1000;  // largest |dx| and |dy| of a bond, in cells

const std::array<Vector2, 2> triangular_axes = {{{1, 0}, {0.5, std::sqrt(3.0) / 2}}};

UnitCell checkerboard(const LatticeSpec& spec) {
    const double t = spec.t[0];
    const double t1 = spec.t.size() > 1 ? spec.t[1] : t / (2 + std::sqrt(2.0));
    const double t3 = spec.t.size() > 2 ? spec.t[2] : t / (2 + 2 * std::sqrt(2.0));
    const Complex out = t * std::polar(1.0, spec.phase), in = std::conj(out);
    // B of cell (0, 0) lies at (1/2, 1/2) from A; hops from B to A along (+,+), (-,-) have the phase, the others its
    // opposite
    UnitCell cell{2, {{1, 0, 0, 0, out}, {1, 0, 1, 1, out}, {1, 0, 1, 0, in}, {1, 0, 0, 1, in}}, {{0, 0}, {0.5, 0.5}}};
    for (int site : {0, 1}) {  // hops of amplitude 0 are omitted: on a small torus they could end on their own site
        if (t1 != 0) {
            cell.bonds.push_back({site, site, 1, 0, site == 0 ? t1 : -t1, 0});
            cell.bonds.push_back({site, site, 0, 1, site == 0 ? -t1 : t1, 0});
        }
        if (t3 != 0) {
            cell.bonds.push_back({site, site, 1, 1, t3, 0});
            cell.bonds.push_back({site, site, 1, -1, t3, 0});
        }
    }
    return cell;
}

/// Positions of the sites of a custom cell, from text such as "0 0; 0.5 0.5"; all at the corner if there is none.
std::vector<Vector2> custom_positions(const LatticeSpec& spec, int sites) {
    const auto count = static_cast<std::size_t>(sites);
    if (spec.cell_positions.empty()) return std::vector<Vector2>(count, Vector2{0, 0});
    const std::string rule = "is no position 'x y' in units of the cell's axes, e.g. '0.5 0'.";
    std::vector<Vector2> positions;
    for (const Item& item : items_of("lattice.cell-positions", spec.cell_positions)) {
        const std::vector<double> at = item.reals_from(0, rule);
        if (at.size() != 2 || std::max(std::abs(at[0]), std::abs(at[1])) > 1000) item.refuse(rule);
        positions.push_back({at[0], at[1]});
    }
    if (positions.size() != count)
        throw Error(ExitCode::bad_input, "lattice.cell-positions gives " + std::to_string(positions.size()) +
                                             " positions for the " + std::to_string(count) +
                                             " sites of the cell in lattice.cell-bonds; give one for each.");
    return positions;
}

/// Custom cell from text such as "0 0 1 0 1; 0 0 0 1 0.5".
UnitCell custom_cell(const LatticeSpec& spec) {
    const std::string rule = "is no bond 'from to dx dy re [im [weight]]' between sites from 0 to " +
                             std::to_string(spec.max_sites - 1) + ", e.g. '0 0 1 0 1.0'.";
    UnitCell cell;
    for (const Item& item : items_of("lattice.cell-bonds", spec.cell_bonds)) {
        std::array<std::int64_t, 4> number{};
        if (item.words.size() < 5) item.refuse(rule);
        for (std::size_t i = 0; i < 4; ++i) {
            if (!parse_integer(item.words[i], number[i])) item.refuse(rule);
            const std::int64_t least = i < 2 ? 0 : -max_displacement,
                               most = i < 2 ? spec.max_sites - 1 : max_displacement;
            if (number[i] < least || number[i] > most) item.refuse(rule);
        }
        const BondFactors factors = read_factors(item, 4, spec, rule);
        const auto [from, to, dx, dy] = number;
        cell.bonds.push_back({static_cast<int>(from), static_cast<int>(to), static_cast<int>(dx), static_cast<int>(dy),
                              factors.amplitude * spec.t[0], factors.weight});
        cell.sites = std::max({cell.sites, static_cast<int>(from) + 1, static_cast<int>(to) + 1});
    }
    if (cell.bonds.empty()) throw Error(ExitCode::bad_input, "lattice.cell-bonds holds no bond.");
    cell.positions = custom_positions(spec, cell.sites);
    return cell;
}

UnitCell line(const LatticeSpec& spec) { return {1, {{0, 0, 1, 0, spec.t[0]}}}; }

UnitCell square(const LatticeSpec& spec) { return {1, {{0, 0, 1, 0, spec.t[0]}, {0, 0, 0, 1, spec.t[0]}}}; }

UnitCell triangular(const LatticeSpec& spec) {
    const Complex t = spec.t[0];
    return {1, {{0, 0, 1, 0, t}, {0, 0, 0, 1, t}, {0, 0, 1, -1, t}}, {{0, 0}}, triangular_axes};
}

UnitCell honeycomb(const LatticeSpec& spec) {
    constexpr double third = 1.0 / 3;
    const Complex t = spec.t[0];
    return {2, {{0, 1, 0, 0, t}, {1, 0, 1, 0, t}, {1, 0, 0, 1, t}}, {{0, 0}, {third, third}}, triangular_axes};
}

UnitCell kagome(const LatticeSpec& spec) {
    const Complex t = spec.t[0];
    return {3,
            {{0, 1, 0, 0, t}, {1, 0, 1, 0, t}, {0, 2, 0, 0, t}, {2, 0, 0, 1, t}, {1, 2, 0, 0, t}, {2, 1, -1, 1, t}},
            {{0, 0}, {0.5, 0}, {0, 0.5}},
            triangular_axes};
}

constexpr std::array<int, 2> second_of_line[] = {{2, 0}}, diagonals[] = {{1, 1}, {1, -1}},
                             second_of_triangular[] = {{1, 1}, {2, -1}, {-1, 2}},
                             same_sublattice[] = {{1, 0}, {0, 1}, {1, -1}};

constexpr LatticeType types[] = {
    {.word = "ring", .cell = line, .directions = 1, .second_shell = second_of_line},
    {.word = "chain", .cell = line, .directions = 1, .periodic = false, .second_shell = second_of_line},
    {.word = "square", .cell = square, .second_shell = diagonals},
    {.word = "tilted", .cell = square, .second_shell = diagonals},
    {.word = "triangular", .cell = triangular, .second_shell = second_of_triangular},
    {.word = "honeycomb", .cell = honeycomb, .second_shell = same_sublattice, .several_sites = true},
    {.word = "kagome", .cell = kagome, .several_sites = true},
    {.word = "checkerboard", .cell = checkerboard, .distances = false, .several_sites = true, .hoppings = 3},
    {.word = "custom", .cell = custom_cell, .distances = false, .several_sites = true},
    {.word = "ladder", .construction = Construction::legs, .periodic = false},
    {.word = "cylinder", .construction = Construction::legs, .periodic = false, .distances = false},
    {.word = "all", .construction = Construction::pairs, .periodic = false, .distances = false},
    {.word = "file", .construction = Construction::edges, .periodic = false, .distances = false}};

}  // namespace

BondFactors read_factors(const Item& item, std::size_t first, const LatticeSpec& spec, const std::string& rule) {
    const std::vector<double> numbers = item.reals_from(first, rule);
    if (numbers.size() > 3) item.refuse(rule);
    BondFactors factors;
    if (!numbers.empty()) factors.amplitude = {numbers[0], numbers.size() > 1 ? numbers[1] : 0};
    const bool complex = factors.amplitude.imag() != 0;
    if (spec.amplitudes == Amplitudes::real && (complex || numbers.size() == 2))
        item.refuse(
            "has an imaginary part, which this application does not take; a weight follows as the third number, "
            "'... re 0 weight'.");
    if (numbers.size() == 3)
        factors.weight = numbers[2];
    else if (spec.default_weight == DefaultWeight::amplitude && complex)
        item.refuse(
            "has an amplitude with an imaginary part, which cannot be its weight too; give the weight, '... re im "
            "weight'.");
    else if (spec.default_weight == DefaultWeight::amplitude)
        factors.weight = factors.amplitude.real();
    return factors;
}

std::span<const LatticeType> lattice_types() { return types; }

const LatticeType* lattice_type(std::string_view word) {
    const auto* found = std::ranges::find(types, word, &LatticeType::word);
    return found == std::end(types) ? nullptr : found;
}

UnitCell unit_cell(const LatticeSpec& spec) {
    const LatticeType& type = *lattice_type(spec.type);
    UnitCell cell = type.cell(spec);
    const auto& [amplitude, weight] = spec.second;
    if (amplitude == 0 && weight == 0) return cell;
    for (int site = 0; site < cell.sites; ++site)
        for (const auto& [dx, dy] : type.second_shell)
            cell.bonds.push_back({site, site, dx, dy, amplitude, weight, Shell::second});
    return cell;
}

}  // namespace strata
