// SPDX-License-Identifier: BSD-3-Clause
// The keys of a density-matrix renormalization other than those of lattice, model and filling. when() restricts a key
// to some models or lattices; the program rejects it elsewhere, and `strata keys dmrg` prints the condition.
#include "models/keys.hpp"

#include <algorithm>
#include <iterator>

#include "dmrg/job/config.hpp"
#include "models/drive.hpp"
#include "models/observables.hpp"

namespace strata::dmrg {
namespace {

using enum ValueType;
using enum KeyRole;

Condition states() { return {"run.task", {"states"}}; }
Condition evolution() { return {"run.task", {"evolution"}}; }
Condition thermal() { return {"run.task", {"thermal"}}; }
Condition spectrum() { return {"run.task", {"spectrum"}}; }

ModelOffer offer() {
    ModelOffer offer;
    offer.lattices = put_first({"chain", "ladder", "cylinder"}, lattices_that([](const LatticeType&) { return true; }));
    offer.fluxes = Fluxes::yes;
    offer.models = {"hubbard", "fermions", "t-j", "heisenberg", "xxz", "xyz", "xx", "ising", "dipolar", "terms"};
    offer.default_lattice = "chain";
    offer.default_model = "hubbard";
    offer.spins = {"0.5", "1", "1.5", "2"};
    offer.default_u = "";
    offer.max_energy = max_energy;
    return offer;
}

// clang-format off
std::vector<Key> search_keys() {
    return {
        {"run.schedule", integers, "", "states",
         "M, states that are kept in each sweep from left to right and back. Without it M grows from sweep to "
         "sweep until the energy is converged to run.tolerance; resume --run.schedule=none goes on in that way.", length, 2, 100000},
        {"run.noise", reals, "", "",
         "Noise of the density matrix in each sweep, the last member also in all that follow, which should be 0; "
         "default: 1e-5, 1e-6, 1e-8, 0.", length, 0, 1},
        {"run.tolerance", real, "1e-8", "energy",
         "Error of the energy at which a run without run.schedule ends; with a schedule it only bounds the searches at "
         "the bonds.", length, 1e-12, 1},
        {"run.max-states", integer, "2000", "states", "Largest M of a run without run.schedule.", length, 2, 100000},
        {"run.max-sweeps", integer, "60", "sweeps", "Sweeps of a run without run.schedule, at most.", length, 1, max_sweeps},
        {"run.start-states", integer, "64", "states", "M of the first sweep without run.schedule, and states of the starts that are compared, which have at least 64.", physics, 1, 10000},
        {"run.products", integer, "10", "products",
         "Multiplications by the Hamiltonian at each bond, at most; superblocks of up to 2000 states are solved to a "
         "residual of 1e-10 instead, and without run.schedule every sweep that did not use its M doubles the number.",
         length, 2, 1000},
        {"run.single-precision-sweeps", integer, "0", "sweeps",
         "First sweeps whose superblocks are solved in single precision, which takes half the memory; the last two should "
         "not be among them.", length, 0, max_sweeps},
        {"run.cutoff", real, "1e-14", "", "States of smaller weight are not kept.", length, 1e-16, 0.1},
    };
}

/// Keys of a search apply where there is one.
std::vector<Key> where_searched(std::vector<Key> keys) {
    for (Key& key : keys) key = key.when({states()}).when({spectrum()}).when({starts_from(InitialStateKind::ground_state)});
    return keys;
}

std::vector<Key> run_keys() {
    return {
        {"run.task", choice, "states", "",
         "Lowest states; or the time evolution of a state, averages at temperatures by one in imaginary time, or a spectrum above "
         "the ground state by one in real time (two-site time-dependent variational principle).", measurement, 0, 0,
         words_of(task_choices)},
        Key{"run.states", integer, "1", "states",
         "Lowest states of the sector, found one after another, each orthogonal to those before; every one takes the "
         "sweeps of a run.", physics, 1, 100}
            .when({states()}),
        Key{"run.measure", choice, "local", "",
         "At the end: densities, bond energies and entropies (local), or also correlations of all pairs of sites.", measurement,
         0, 0, words_of(measured_choices)}
            .when({states()}),
        observables_key("of the state that is kept at the end, or at every time, each from products of matrices of its tensors; or the operator of a spectrum, "
            "a list over the sites {i}, which may lead to another sector.")
            .when({states()}).when({evolution()}).when({thermal()}).when({spectrum(), {"spectrum.operator", {"observable"}}}),
        {"run.blocks", choice, "memory", "",
         "Where the blocks of the bonds far from the centre are: in memory, or on disk, from where they come back with "
         "the same bits.", backend, 0, 0, {"memory", "disk"}},
        Key{"run.blocks-directory", text, "", "",
            "Directory of blocks on disk, which may be local to a node; default: output.directory. Nothing of them is "
            "left when a run ends, or is killed.", backend}.when({{"run.blocks", {"disk"}}}),
        {"run.allow-unconverged", yes_no, "no", "",
         "End with 0 and not 5 if run.tolerance, or evolution.tolerance, was not reached.", output},
    };
}

std::vector<Key> evolution_keys() {
    std::vector<Key> keys = initial_state_keys(evolution(), 9999);
    for (Key& key : keys)
        if (key.name == "evolution.step") key = key.when({spectrum()});
    keys.push_back(Key{"evolution.sweeps", integer, "2", "sweeps",
        "Sweeps through the lattice and back in a time step; the error of one is of third order in its time.", physics, 1, 10000}
        .when({evolution()}).when({spectrum()}));
    for (const Key& key : std::vector<Key>{
        {"evolution.max-states", integer, "500", "states",
         "Largest M. States are real, and up to twice as many as complex ones.", length, 2, 100000},
        {"evolution.cutoff", real, "1e-11", "", "States of smaller weight are not kept.", length, 1e-16, 0.1},
        {"evolution.estimate-error", yes_no, "yes", "",
         "A second evolution makes half as many sweeps, of twice the time, and keeps fewer states: local values differ by "
         "step-error. Half of the time more, twice the memory.", physics},
        {"evolution.tolerance", real, "0.01", "1",
         "Largest step-error, discarded weight and error of the energy per site, or difference of averages, at which the run ends with 0; of a "
         "spectrum the first two times exp(-broadening^2 t^2 / 2).", length, 1e-12, 1}})
        keys.push_back(key.when({evolution()}).when({thermal()}).when({spectrum()}));
    std::ranges::copy(drive_keys(evolution()), std::back_inserter(keys));
    return keys;
}

std::vector<Key> spectrum_keys() {
    Key momenta = spectral_momenta_key(spectrum());
    momenta.role = physics;  // step-error is that of these wave vectors
    Key op = spectral_operator_key(spectrum(), spectral_words(), "or the operator of [observables], a list over {i} of one site each.");
    op.role = physics;
    return {
        op,
        Key{"spectrum.site", integer, "", "", "Site c whose operator acts on the ground state; default: the middle one.", physics, 0, 9999}
            .when({spectrum()}),
        momenta, spectral_omega_key(spectrum()),
        Key{"spectrum.broadening", real, "0.1", "energy",
            "Standard deviation of the Gaussian that every pole becomes, by the weight exp(-broadening^2 t^2 / 2) of the times; not the half width of a "
            "Lorentzian, as in lanczos.", physics, 1e-9, 1e9}
            .when({spectrum()}),
        Key{"spectrum.time", real, "", "1/energy",
            "Time up to which correlations are computed; default 4 / broadening. What lies beyond is stated as truncation-bound.", length, 1e-12, 1e12}
            .when({spectrum()}),
    };
}

std::vector<Key> thermal_keys() {
    return {
        Key{"thermal.temperatures", reals, "0.25:4:0.25", "energy/k_B", "Temperatures of the averages, over all sectors.", physics, 1e-9, 1e12}
            .when({thermal()}),
        Key{"thermal.chemical-potential", real, "0", "energy",
            "mu in exp(-(H - mu N) / T), with the particles of both spins as N.", physics, -max_energy, max_energy}
            .when({thermal()}),
        Key{"thermal.step", real, "", "1/energy", "Largest change of 1/T in a sweep through the lattice and back; default: 0.1 over the largest coupling.", physics, 1e-9, 1e9}
            .when({thermal()}),
    };
}
// clang-format on

}  // namespace

std::vector<Key> keys() {
    std::vector<Key> all;
    for (const auto& part :
         {lattice_keys(offer()), model_keys(offer()), filling_keys(offer()), where_searched(search_keys()), run_keys(),
          evolution_keys(), spectrum_keys(), thermal_keys(), initial_model_keys(offer())})
        all.insert(all.end(), part.begin(), part.end());
    return all;
}

}  // namespace strata::dmrg
