// SPDX-License-Identifier: BSD-3-Clause
// A bond that a cylinder of circumference 2 has twice, around both sides, is listed once with twice the strength.
#include "dmrg/bonds.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <sstream>

#include "strata/error.hpp"

namespace strata::dmrg {
namespace {

/// Bonds by their pair of sites, so that those listed several times add up.
class Bonds {
  public:
    void add(int i, int j, double hopping, double weight) {
        Bond& b = bonds_.try_emplace({std::min(i, j), std::max(i, j)}, Bond{std::min(i, j), std::max(i, j), 0, 0})
                      .first->second;
        b.hopping += hopping;
        b.weight += weight;
    }
    std::vector<Bond> list() const {
        std::vector<Bond> all;
        for (const auto& [pair, bond] : bonds_) all.push_back(bond);
        return all;
    }

  private:
    std::map<std::pair<int, int>, Bond> bonds_;
};

/// Energies of the bonds of each kind: t and V, or J and Jz.
struct Strengths {
    double hopping = 0, weight = 0;
};

Strengths neighbours(const Config& config) {
    if (config.text("model.type") == "hubbard") return {config.real("model.t"), config.real("model.v")};
    const double j = config.real("model.j");
    return {j, config.given("model.jz") ? config.real("model.jz") : j};
}

/// V acts between nearest neighbours only; J2 has the anisotropy of J.
Strengths second_neighbours(const Config& config) {
    if (config.text("model.type") == "hubbard") return {config.real("model.t2"), 0};
    const double j2 = config.real("model.j2");
    const auto [j, jz] = neighbours(config);
    const double j2z = jz == j || j2 == 0 ? j2 : jz / j * j2;
    if (!std::isfinite(j2z))
        refuse(config.cite("model.j2") + " has the anisotropy Jz / J of the neighbours, and " + config.cite("model.j") +
               " is too small for it; give model.j another value, or model.jz the same.");
    return {j2, j2z};
}

BondList rectangle(const Config& config, int length, int width, bool periodic) {
    const Strengths first = neighbours(config), second = second_neighbours(config);
    Bonds bonds;
    const auto site = [&](int x, int y) { return width * x + (y % width); };
    const auto join = [&](int x, int y, int dx, int dy, const Strengths& s) {
        if (x + dx >= length || y + dy < 0 || (y + dy >= width && !periodic)) return;
        bonds.add(site(x, y), site(x + dx, y + dy), s.hopping, s.weight);
    };
    for (int x = 0; x < length; ++x)
        for (int y = 0; y < width; ++y) {
            join(x, y, 1, 0, first);
            if (width > 1) join(x, y, 0, 1, first);
            if (second.hopping == 0) continue;
            if (width == 1) join(x, y, 2, 0, second);
            if (width > 1) join(x, y, 1, 1, second);
            if (width > 1) join(x, y, 1, periodic ? width - 1 : -1, second);
        }
    BondList list;
    list.sites = length * width;
    list.width = width;
    list.bonds = bonds.list();
    list.description = config.text("lattice.type") + " of " + std::to_string(length) +
                       (width > 1 || periodic ? " x " + std::to_string(width) : "") + " sites";
    return list;
}

BondList regular(const Config& config) {
    const std::string& type = config.text("lattice.type");
    const std::vector<std::int64_t> extents = config.integers("lattice.extents");
    const std::size_t wanted = type == "chain" ? 1 : 2;
    if (extents.size() != wanted)
        refuse(config.cite("lattice.extents") + " has " + std::to_string(extents.size()) + " members; a " + type +
               (wanted == 1 ? " has one, its length." : " has two, its length and its width, e.g. 16,2."));
    const int length = static_cast<int>(extents[0]), width = wanted == 2 ? static_cast<int>(extents[1]) : 1;
    if (type == "cylinder" && width < 2)
        refuse(config.cite("lattice.extents") + " makes a cylinder of circumference 1; use at least 2, or a chain.");
    if (length > 10000 / width) refuse(config.cite("lattice.extents") + " is more than 10000 sites; use fewer.");
    return rectangle(config, length, width, type == "cylinder");
}

BondList from_file(const Config& config) {
    const std::string& name = config.text("lattice.file");
    std::istringstream lines(config.content("lattice.file"));
    const bool hubbard = config.text("model.type") == "hubbard";
    const Strengths unit = neighbours(config);
    constexpr int max_sites = 10000;
    Bonds bonds;
    BondList list;
    int number = 0;
    for (std::string line; std::getline(lines, line);) {
        ++number;
        line = line.substr(0, line.find('#'));
        std::istringstream words(line);
        std::vector<std::string> fields;
        for (std::string word; words >> word;) fields.push_back(word);
        if (fields.empty()) continue;
        std::int64_t i = -1, j = -1;
        double amplitude = 0, weight = 1;
        bool good = fields.size() == 3 || fields.size() == 4;
        good = good && parse_integer(fields[0], i) && parse_integer(fields[1], j) && parse_real(fields[2], amplitude);
        if (good && fields.size() == 4) good = parse_real(fields[3], weight);
        if (good && fields.size() == 3 && !hubbard) weight = amplitude;
        if (!good || std::min(i, j) < 0 || std::max(i, j) >= max_sites || i == j ||
            !std::isfinite(amplitude * unit.hopping) || !std::isfinite(weight * unit.weight))
            refuse(name + ":" + std::to_string(number) +
                   ": a bond is 'i j amplitude [weight]' of two different sites from 0 to 9999, e.g. '0 1 1.0'.");
        bonds.add(static_cast<int>(i), static_cast<int>(j), amplitude * unit.hopping, weight * unit.weight);
        list.sites = std::max(list.sites, static_cast<int>(std::max(i, j)) + 1);
    }
    if (list.sites == 0) refuse("lattice.file = " + name + " holds no bond.");
    list.bonds = bonds.list();
    list.description = std::to_string(list.sites) + " sites, bonds from " + name;
    return list;
}

}  // namespace

void refuse(const std::string& sentence) { throw Error(ExitCode::bad_input, sentence); }

BondList make_bonds(const Config& config) {
    BondList list = config.text("lattice.type") == "file" ? from_file(config) : regular(config);
    if (list.sites < 2) refuse(config.cite("lattice.extents") + " is a single site; a chain has at least 2.");
    return list;
}

}  // namespace strata::dmrg
