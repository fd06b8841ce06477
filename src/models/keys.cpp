// SPDX-License-Identifier: BSD-3-Clause
// Keys of lattices and models. when() restricts a key to some of the lattices and models that the application offers; a
// key that applies to none of them is not declared.
#include "models/keys.hpp"

#include <algorithm>
#include <utility>

#include "models/filling.hpp"
#include "models/unit_cell.hpp"

namespace strata {
namespace {

using enum ValueType;
using enum KeyRole;
using Words = std::vector<std::string>;

const Words electron_models = {"hubbard", "fermions", "t-j"};
const Words spin_models = {"heisenberg", "xxz", "xyz", "xx", "ising", "dipolar", "double-quantum"};
const Words only_terms = {"terms"};  // models whose terms name their sites, without a lattice

Words joined(Words words, const Words& more) {
    words.insert(words.end(), more.begin(), more.end());
    return words;
}

Words without(Words words, const Words& excluded) {
    std::erase_if(words, [&](const std::string& word) { return std::ranges::count(excluded, word) != 0; });
    return words;
}

/// Keys whose conditions hold for some lattice and model of the offer.
class OfferedKeys {
  public:
    explicit OfferedKeys(const ModelOffer& offer) : offer_(offer) {}

    void add(Key key) { keys_.push_back(std::move(key)); }
    /// Adds the key if it applies to models and lattices that are offered; an empty list: to all.
    void add(Key key, const Words& models, const Words& lattices = {}, std::vector<Condition> further = {}) {
        std::vector<Condition> all = std::move(further);
        if (!restrict_to(all, "model.type", models, offer_.models)) return;
        if (!restrict_to(all, "lattice.type", lattices, offer_.lattices)) return;
        keys_.push_back(all.empty() ? key : key.when(all));
    }
    std::vector<Key> take() { return std::move(keys_); }

  private:
    /// Whether some of the words are offered; adds a condition unless all that are offered are among them.
    static bool restrict_to(std::vector<Condition>& all, const char* key, const Words& words, const Words& offered) {
        if (words.empty()) return true;
        Words common = offered;
        std::erase_if(common, [&](const std::string& word) { return std::ranges::count(words, word) == 0; });
        if (common.empty()) return false;
        if (common != offered) all.push_back({key, common});
        return true;
    }

    const ModelOffer& offer_;
    std::vector<Key> keys_;
};

/// What the offered choices of model.type mean.
std::string meanings_of(const Words& offered) {
    const std::pair<const char*, const char*> meanings[] = {
        {"hubbard", "electrons, H = -t sum (c+ c + h.c.) + U sum n_up n_down + V sum n n + sum e n"},
        {"fermions", "the same without spin"},
        {"t-j",
         "electrons, at most one on a site, P (-t sum (c+ c + h.c.)) P + J sum (S.S - n n/4) + V sum n n + sum e n"},
        {"heisenberg", "J (SxSx + SySy) + Jz SzSz, Jz = J unless it is given"},
        {"xxz", "the same with Jz given"},
        {"xyz", "Jx SxSx + Jy SySy + Jz SzSz"},
        {"xx", "J (SxSx + SySy)"},
        {"ising", "Jz SzSz"},
        {"dipolar", "J (1 - 3 cos^2) / r^3 (2 SzSz - SxSx - SySy)"},
        {"double-quantum", "J (SxSx - SySy)"},
        {"terms", "those of model.terms and no others, on the sites that they name"}};
    std::string text;
    for (const auto& [word, meaning] : meanings)
        if (std::ranges::count(offered, word) != 0)
            text += (text.empty() ? "" : "; ") + std::string(word) + ": " + meaning;
    return text + ". Of spins S = sigma/2, each pair once.";
}

bool is_cells(const LatticeType& type) { return type.cell != nullptr; }

Words second_shells() {
    return lattices_that([](const LatticeType& type) { return type.has_second_neighbours(); });
}

}  // namespace

Words lattices_that(bool (*is_one)(const LatticeType&)) {
    Words words;
    for (const LatticeType& type : lattice_types())
        if (is_one(type)) words.emplace_back(type.word);
    return words;
}

Words put_first(const Words& first, const Words& words) { return joined(first, without(words, first)); }

Words periodic_lattices() {
    return lattices_that([](const LatticeType& type) { return is_cells(type) && type.periodic; });
}

Words planar_lattices() {
    return lattices_that([](const LatticeType& type) { return is_cells(type) && type.directions == 2; });
}

Words cell_lattices() { return lattices_that(is_cells); }

Words distance_lattices() {
    return put_first({"chain", "ring", "ladder"},
                     lattices_that([](const LatticeType& type) { return type.distances; }));
}

Words distance_lattices(const Words& types) {
    Words common = distance_lattices();
    std::erase_if(common, [&](const std::string& word) { return std::ranges::count(types, word) == 0; });
    return common;
}

// clang-format off
std::vector<Key> lattice_keys(const ModelOffer& offer) {
    const Words spaced = distance_lattices(), geometries = joined(spaced, {"positions"});
    const Condition all = {"lattice.type", {"all"}};
    const Words with_extents = without(offer.lattices, {"all", "file"});
    OfferedKeys keys(offer);
    const bool offers_terms = std::ranges::count(offer.models, "terms") != 0;
    Key type = {"lattice.type", choice, offer.default_lattice, "",
                "Which sites have bonds: neighbours of a lattice (custom takes lattice.cell-bonds; cylinder is periodic "
                "along its rungs), all pairs by their distance, or the edges of lattice.file. Sites are numbered cell by "
                "cell along x, those of ladders and cylinders rung by rung.", physics, 0, 0, offer.lattices};
    if (offers_terms) {
        type.choices.emplace_back("none");
        type.meaning += " With model.type = terms: what patterns of the terms run over; none, its default: the sites that "
                        "the terms name.";
        type = type.or_default("none", {"model.type", only_terms});
    }
    keys.add(type.renamed_from("lattice.boundaries",
                               "is a key of swendsen-wang; here lattice.type says it: ring is periodic, chain open."));
    keys.add(Key{"lattice.extents", integers, "", "cells",
                 "Cells along each direction: n of a ring or chain; rungs,legs of a ladder; length,circumference of a "
                 "cylinder; x,y of the others; tilted: a,b of the torus (a,b), (-b,a); custom also ax,ay,bx,by of the "
                 "torus (ax,ay), (bx,by). With lattice.type = all: of lattice.geometry.", physics}
                 .when({{"lattice.type", with_extents}}).when({all, {"lattice.geometry", spaced}})
                 .required("give the cells along each direction, e.g. lattice.extents = 12, or 8,2 for a ladder."));
    keys.add(Key{"lattice.cell-bonds", text, "", "",
                 "Bonds of the custom unit cell, separated by semicolons: from to dx dy re [im [weight]], from a site "
                 "of a cell to one of the cell (dx,dy) further. The amplitude re + i im is a factor of t, or of Jx and "
                 "Jy; the weight is one of V (default 1) or of Jz (default: the amplitude).", physics}
                 .required("lattice.type = custom takes the bonds of its cell from there."), {}, {"custom"});
    keys.add({"lattice.cell-positions", text, "", "cells",
              "Positions of the custom cell's sites along its two axes, x y for each, separated by semicolons, e.g. "
              "0 0; 0.5 0.", physics}, {}, {"custom"});
    keys.add({"lattice.geometry", choice, "chain", "",
              "Distances of lattice.type = all: those of an open chain or ladder, of another lattice around its torus "
              "the shorter way (dipolar: the mean over all shortest ways), or of lattice.positions.", physics, 0, 0,
              geometries}, {}, {"all"});
    keys.add(Key{"lattice.positions", file, "", "",
                 "Positions of the sites, one 'x y z' per line. Result and checkpoint keep the content of the file.",
                 physics}
                 .required("lattice.geometry = positions reads them from there."),
             {}, {"all"}, {{"lattice.geometry", {"positions"}}});
    keys.add(Key{"lattice.file", file, "", "",
                 "Edges, one per line: from to [re [im [weight]]], sites from 0, each of them on some edge. Amplitude "
                 "(default 1) and weight as in lattice.cell-bonds. Result and checkpoint keep the content of the file.", physics}
                 .required("lattice.type = file reads the edges from there."), {}, {"file"});
    return keys.take();
}

std::vector<Key> model_keys(const ModelOffer& offer) {
    OfferedKeys keys(offer);
    const double max_energy = offer.max_energy;
    const auto energy = [=](const char* name, const char* value, const char* meaning) {
        return Key{name, real, value, "energy", meaning, physics, -max_energy, max_energy};
    };
    const auto energies = [=](const char* name, const char* value, const char* meaning) {
        return Key{name, reals, value, "energy", meaning, physics, -max_energy, max_energy};
    };
    keys.add(Key{"model.type", choice, offer.default_model, "", meanings_of(offer.models), physics, 0, 0, offer.models}
                 .renamed_from("model.species"));
    keys.add(energies("model.t", "1", "Hopping, H = -t sum c+ c + h.c.; the checkerboard takes up to three, t,t',t'' "
                      "(default: its flat band)."), electron_models);
    keys.add(energy("model.t2", "0", "Hopping between next-nearest neighbours, not relative to t: two sites apart on a "
                    "line, along both diagonals of a square or rung."), electron_models, second_shells());
    keys.add({"model.phase", real, "0.25", "pi", "Phase of the checkerboard's nearest neighbours.", physics, -1e3, 1e3},
             electron_models, {"checkerboard"});
    Key u = energies("model.u", offer.default_u.c_str(), "Interaction of two electrons on a site, sum U n_up n_down: "
                     "one for all, or one per site.");
    if (offer.default_u.empty()) u = u.required("give the interaction of two electrons on a site, e.g. model.u = 4.");
    keys.add(u, {"hubbard"});
    keys.add(energy("model.v", "0", "Interaction of nearest neighbours, V sum n n."), electron_models);
    keys.add(energies("model.potential", "0", "Energy of an electron or fermion on a site: one for all, or one per site.")
                 .renamed_from("model.epsilon"), electron_models);
    if (offer.fluxes == Fluxes::yes)
        keys.add({"model.flux", reals, "", "radians",
                  "Phase on the way around the torus, along each direction; 0 along those that are not given.", physics},
                 {}, periodic_lattices());
    keys.add({"model.spin", choice, "0.5", "", "Spin S of every site.", physics, 0, 0, offer.spins}, joined(spin_models, only_terms));
    keys.add(energy("model.j", "1", "Exchange of nearest neighbours; antiferromagnetic where it is positive.")
                 .renamed_from("model.jxy"), {"heisenberg", "xxz", "xx", "dipolar", "double-quantum", "t-j"});
    keys.add(energy("model.jx", "0", "Exchange of the x components."), {"xyz"});
    keys.add(energy("model.jy", "0", "Exchange of the y components."), {"xyz"});
    keys.add(energy("model.jz", "", "Exchange of the z components, not relative to J; default: model.j of heisenberg, "
                    "otherwise 0."), {"heisenberg", "xxz", "xyz", "ising"});
    keys.add(energy("model.j2", "0", "Exchange of next-nearest neighbours, which are those of model.t2; its anisotropy "
                    "Jz / J is that of model.j."), {"heisenberg", "xxz", "xx"}, second_shells());
    keys.add({"model.range", real, "0", "",
              "Exponent a of amplitudes and weights that fall off as 1 / distance^a.", physics, 0, 100},
             without(offer.models, joined(only_terms, {"dipolar"})), {"all"});
    keys.add({"model.direction", reals, "0,0,1", "",
              "Vector along the magnetic field that dipolar couplings refer to; of any length.", physics}, {"dipolar"});
    keys.add(energies("model.field-x", "0", "Field along x, H = sum h Sx: one for all, or one per site.")
                 .renamed_from("model.hx"), spin_models);
    keys.add(energies("model.field-y", "0", "Field along y: one for all, or one per site.")
                 .renamed_from("model.hy"), spin_models);
    keys.add(energies("model.field", "0", "Field along z, H = sum h Sz: one for all, or one per site.")
                 .renamed_from("model.hz"), spin_models);
    if (offer.spins.size() > 1)  // S_z^2 of a spin 1/2 is a constant
        keys.add(energy("model.anisotropy", "0", "Single-ion anisotropy D of sum D Sz^2, for spins above 1/2."),
                 spin_models, {}, {{"model.spin", without(offer.spins, {"0.5"})}});
    keys.add({"model.disorder", real, "0", "energy",
              "W of random fields from -W to W on every site, drawn from run.seed.", physics, 0, max_energy}, spin_models);
    keys.add({"model.disorder-axis", choice, "z", "", "Axis of the random fields.", physics, 0, 0,
              words_of(axis_choices)}, spin_models);
    keys.add({"model.terms", file, "", "",
              "Terms of H, one per line: a coefficient and operators with their sites, e.g. '1.0 Sx 0 Sx 1' (Sx, Sy, Sz, "
              "S+, S-; X, Y, Z), '-0.5+0.2i cdag_up 3 c_up 7' (cdag_up, c_up, n_up, also with _dn; n, P0 and the spin), "
              "'-1 cdag 0 c 1' of fermions, '-1 bdag 0 b 1' of hard-core bosons; lanczos, dmrg and trotter's run.method = chebyshev take any number of operators. Equal products add up; Hermitian "
              "conjugates that are not listed are added. A site {i} stands for a term for each site, {i+1} beside it for the "
              "next one of a chain or ring, '1.0 {<i,j>} Sz {i} Sz {j}' for a term for each bond of the lattice. Models of "
              "model.type other than terms get them in addition, on the sites of their lattice. Sites are numbered from 0.",
              physics});
    return keys.take();
}

std::vector<Key> filling_keys(const ModelOffer& offer) {
    OfferedKeys keys(offer);
    keys.add({"sector.up", integer, "", "particles",
              "Electrons with spin up, or fermions without spin or bosons; default: half filling.", physics, 0, 100000});
    keys.add({"sector.down", integer, "", "particles", "Electrons with spin down; default: half filling.", physics, 0,
              100000}, {"hubbard", "t-j", "terms"});
    keys.add({"sector.sz", real, "", "", "Total Sz of spins, e.g. 0 or 1/2; default: 0, or 1/2 if that is impossible.",
              physics, -1e6, 1e6}, joined(spin_models, only_terms));
    keys.add({"sector.particles", integer, "", "particles",
              "Electrons of both spins together, where H does not conserve their numbers one by one; default: as many as "
              "sites.", physics, 0, 200000}, {"hubbard", "t-j", "terms"});
    keys.add({"sector.number-parity", choice, "any", "",
              "Parity of the number of particles, or of spins up, where H conserves no more; any: all states.", physics, 0,
              0, words_of(parity_choices)});
    return keys.take();
}
// clang-format on

}  // namespace strata
