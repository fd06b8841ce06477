// SPDX-License-Identifier: BSD-3-Clause
// The keys of a density-matrix renormalization. A key that applies only to some models or lattices says so by when();
// the program refuses it elsewhere, and `strata keys dmrg` prints the condition.
#include <limits>

#include "dmrg/config.hpp"

namespace strata::dmrg {
namespace {

using enum ValueType;
using enum KeyRole;

Condition model(const char* type) { return {"model.type", {type}}; }
Condition lattices(std::vector<std::string> types) { return {"lattice.type", std::move(types)}; }

// clang-format off
std::vector<Key> lattice_keys() {
    const std::vector<std::string> types = {"chain", "ladder", "cylinder", "file"};
    return {
        {"lattice.type", choice, "chain", "",
         "Open chain; ladder of open ends; cylinder, periodic around its circumference; or the bonds of lattice.file. "
         "Sites are numbered rung by rung.", physics, 0, 0, types},
        Key{"lattice.extents", integers, "", "sites",
            "Length of a chain; rungs,legs of a ladder; length,circumference of a cylinder.", physics, 1, 10000}
            .when({lattices({"chain", "ladder", "cylinder"})})
            .required("give the number of sites, e.g. lattice.extents = 32, or 16,2 for a ladder."),
        Key{"lattice.file", file, "", "",
            "Bonds, one per line: 'i j amplitude [weight]', sites from 0 in the order of the chain; the amplitude is a "
            "factor of model.t (Heisenberg: model.j), the weight one of model.v (model.jz), 1 if it is not given "
            "(Heisenberg: the amplitude). Result and checkpoint keep the content of the file.", physics}
            .when({lattices({"file"})}).required("lattice.type = file reads the bonds from there."),
    };
}

std::vector<Key> model_keys() {
    const Condition hubbard = model("hubbard"), spins = model("heisenberg");
    const Condition regular = lattices({"chain", "ladder", "cylinder"});
    return {
        {"model.type", choice, "hubbard", "",
         "hubbard: H = -t sum (c+ c + h.c.) + U sum n_up n_down + V sum n n + sum e n; heisenberg: H = J sum (Sx Sx + "
         "Sy Sy) + Jz sum Sz Sz + sum h Sz + D sum Sz^2.", physics, 0, 0, {"hubbard", "heisenberg"}},
        Key{"model.t", real, "1", "energy", "Hopping t between neighbours; energies are in the same unit as all parameters.", physics, -1e6, 1e6}
            .when({hubbard}),
        Key{"model.t2", real, "0", "energy",
            "Hopping t2 between next neighbours, not relative to t: second ones of a chain, along both diagonals of a plaquette otherwise.",
            physics, -1e6, 1e6}.when({hubbard, regular}),
        Key{"model.u", real, "4", "energy", "Repulsion U of two electrons on a site, not relative to t.", physics, -1e6, 1e6}.when({hubbard}),
        Key{"model.v", real, "0", "energy", "Repulsion V of electrons on neighbouring sites.", physics, -1e6, 1e6}
            .when({hubbard}),
        Key{"model.potential", reals, "", "energy",
            "Energies e of the sites: one for all, or one for each site.", physics, -1e6, 1e6}.when({hubbard}),
        Key{"model.spin", choice, "0.5", "", "Spin S of every site.", physics, 0, 0, {"0.5", "1", "1.5", "2"}}
            .when({spins}),
        Key{"model.j", real, "1", "energy", "Exchange J between neighbours; energies are in the same unit as all parameters.", physics, -1e6, 1e6}
            .when({spins}),
        Key{"model.jz", real, "", "energy", "Exchange Jz of the z components, not relative to J; default: model.j.", physics, -1e6, 1e6}
            .when({spins}),
        Key{"model.j2", real, "0", "energy",
            "Exchange J2 between next neighbours, as model.t2 for hubbard; its anisotropy Jz / J is that of model.j.", physics,
            -1e6, 1e6}.when({spins, regular}),
        Key{"model.field", reals, "", "energy", "Fields h of the sites: one for all, or one for each site.", physics, -1e6,
            1e6}.when({spins}),
        Key{"model.anisotropy", real, "0", "energy", "Single-ion anisotropy D.", physics, -1e6, 1e6}.when({spins}),
        {"sector.up", integer, "", "particles",
         "Electrons with spin up; of spins the sum of m + S, for S = 1/2 the number of spins up. Default: half filling, "
         "or total Sz = 0 (1/2 if that is impossible).", physics, 0, 100000},
        Key{"sector.down", integer, "", "particles", "Electrons with spin down; default: half filling.", physics, 0,
            100000}.when({hubbard}),
    };
}

std::vector<Key> run_keys() {
    return {
        {"run.schedule", integers, "", "states",
         "M, states that are kept in each sweep from left to right and back. Without it M grows from sweep to "
         "sweep until the energy is converged to run.tolerance; resume --run.schedule=none goes on in that way.", length, 2, 100000},
        {"run.noise", reals, "", "",
         "Noise of the density matrix in each sweep, the last member also in all that follow, which should be 0; "
         "default: 1e-5, 1e-6, 1e-8, 0.", length, 0, 1},
        {"run.tolerance", real, "1e-8", "energy",
         "Error of the energy at which a run without run.schedule ends.", length, 1e-12, 1},
        {"run.max-states", integer, "2000", "states", "Largest M of a run without run.schedule.", length, 2, 100000},
        {"run.max-sweeps", integer, "60", "sweeps", "Sweeps of a run without run.schedule, at most.", length, 1, max_sweeps},
        {"run.states", integer, "1", "states",
         "Lowest states of the sector, found one after another, each orthogonal to those before; every one takes the "
         "sweeps of a run.", physics, 1, 100},
        {"run.start-states", integer, "64", "states", "M of the first sweep without run.schedule, and states of the starts that are compared, which have at least 64.", physics, 1, 10000},
        {"run.products", integer, "10", "products",
         "Multiplications by the Hamiltonian at each bond, at most.", length, 2, 1000},
        {"run.single-precision-sweeps", integer, "0", "sweeps",
         "First sweeps whose superblocks are solved in single precision, which takes half the memory; the last two should "
         "not be among them.", length, 0, max_sweeps},
        {"run.cutoff", real, "1e-14", "", "States of smaller weight are not kept.", length, 1e-16, 0.1},
        {"run.measure", choice, "local", "",
         "At the end: densities, bond energies and entropies (local), or also correlations of all pairs of sites.", physics,
         0, 0, words_of(measured_choices)},
        {"run.blocks", choice, "memory", "",
         "Where the blocks of the bonds far from the centre are: in memory, or on disk, from where they come back with "
         "the same bits.", backend, 0, 0, {"memory", "disk"}},
        Key{"run.blocks-directory", text, "", "",
            "Directory of blocks on disk, which may be local to a node; default: output.directory. Nothing of them is "
            "left when a run ends, or is killed.", backend}.when({{"run.blocks", {"disk"}}}),
        {"run.allow-unconverged", yes_no, "no", "",
         "End with 0 and not 5 if run.tolerance was not reached.", output},
    };
}
// clang-format on

}  // namespace

std::vector<Key> keys() {
    std::vector<Key> all;
    for (const auto& part : {lattice_keys(), model_keys(), run_keys()}) all.insert(all.end(), part.begin(), part.end());
    return all;
}

}  // namespace strata::dmrg
