// SPDX-License-Identifier: BSD-3-Clause
// The keys of a Lanczos job other than those of lattice, model and filling. when() restricts a key to some tasks,
// models or lattices; the program rejects it elsewhere, and `strata keys lanczos` prints the condition.
#include <algorithm>
#include <iterator>
#include <limits>

#include "lanczos/job/config.hpp"
#include "models/drive.hpp"
#include "models/keys.hpp"
#include "models/observables.hpp"

namespace strata::lanczos {
namespace {

using enum ValueType;
using enum KeyRole;

constexpr double smallest = std::numeric_limits<double>::min();
constexpr double no_limit = std::numeric_limits<double>::infinity();

Condition lattices(std::vector<std::string> types) { return {"lattice.type", std::move(types)}; }
Condition tasks(std::vector<std::string> names) { return {"run.task", std::move(names)}; }
Condition spins() {
    return {"model.type", {"heisenberg", "xxz", "xyz", "xx", "ising", "dipolar", "double-quantum", "terms"}};
}
/// Spectra of the ground state, and spectra at temperatures.
const Condition of_ground_state = {"spectrum.temperatures", {""}},
                at_temperatures = {"spectrum.temperatures", {}, smallest, no_limit};
const Condition random_vectors = {"thermal.method", {"random-vectors", "low-temperature"}};
Condition one_state() { return {"run.states", {}, 1, 1}; }
Condition several_states() { return {"run.states", {}, 2, no_limit}; }

/// This key, on lattices of these types, or where all pairs interact by their distances on one of them.
Key on_lattices(const Key& key, const std::vector<std::string>& types) {
    return key.when({lattices(types)}).when({lattices({"all"}), {"lattice.geometry", distance_lattices(types)}});
}

ModelOffer offer() {
    ModelOffer offer;
    offer.lattices = lattices_that([](const LatticeType&) { return true; });
    offer.models = {"hubbard", "fermions", "t-j",     "heisenberg",     "xxz",  "xyz",
                    "xx",      "ising",    "dipolar", "double-quantum", "terms"};
    offer.default_lattice = "ring";
    offer.default_model = "hubbard";
    offer.spins = {"0.5", "1", "1.5", "2", "2.5", "3"};
    offer.fluxes = Fluxes::yes;
    return offer;
}

// clang-format off
std::vector<Key> symmetry_keys() {
    return {
        on_lattices({"sector.momentum", text, "", "2 pi / N",
            "Momentum of the states: m of a ring, m1,m2 on lattices of two dimensions, with k . (torus vector i) = "
            "2 pi m_i, |m_i| below the number of different ones. all: the lowest state of every momentum, or averages over all of them; auto: the ground state, "
            "after a search for its momentum. Vectors are smaller by the number of cells.", physics}, periodic_lattices()),
        on_lattices({"sector.parity", choice, "any", "",
            "Sign of the states under r -> -r: inversion, on a ring or chain reflection. Vectors are smaller by two.",
            physics, 0, 0, words_of(parity_choices)}, cell_lattices()),
        on_lattices({"sector.rotation", text, "", "",
            "l/n: states that take the factor exp(2 pi i l/n) under a rotation by 2 pi/n, n = 2, 3, 4 or 6, about a "
            "site or another centre of the lattice, e.g. 0/4, 2/4 or 1/6. Vectors are smaller by n.", physics}, planar_lattices()),
        on_lattices({"sector.reflection", choice, "any", "",
            "Sign of the states under (x,y) -> (x,-y), x along the first axis of the cells, about the centre of the other "
            "point operations; a glide is none. Beside sector.rotation: "
            "A1 of a square is 0/4 even, A2 0/4 odd, B1 (x^2 - y^2) 2/4 even, B2 (xy) 2/4 odd.", physics, 0, 0,
            words_of(parity_choices)}, planar_lattices()),
        Key{"sector.numbers", choice, "given", "",
            "given: the sector of the numbers in [sector]; all: the sectors of all numbers of particles, or of all S^z, "
            "that H conserves, one after the other.", physics, 0, 0, {"given", "all"}}
            .when({tasks({"states", "thermal", "levels"})}),
        Key{"sector.spin-inversion", choice, "any", "",
            "Sign of the states when all spins are inverted, for as many spins up as down. Vectors are smaller by "
            "two.", physics, 0, 0, words_of(parity_choices)}
            .when({spins()}),
        Key{"sector.particle-hole", choice, "any", "",
            "Sign of the states when particles and holes are exchanged, c_(i,s) -> e_i c+_(i,s) with e_i = 1 and -1 on "
            "the two sublattices that hops connect, at half filling. Vectors are smaller by two.", physics, 0, 0,
            words_of(parity_choices)}
            .when({{"model.type", {"hubbard", "fermions", "terms"}}}),
    };
}

std::vector<Key> state_keys() {
    const Condition states = tasks({"states"}), spectrum = tasks({"spectrum"}), both = tasks({"states", "spectrum"}),
                    given = {"sector.numbers", {"given"}};
    const Condition ground_state = starts_from(InitialStateKind::ground_state);
    const Condition several_sites = lattices(lattices_that([](const LatticeType& t) { return t.several_sites; }));
    return {
        {"run.task", choice, "states", "",
         "Lowest states; a spectrum above the ground state; averages at temperatures; time evolution; all levels.", measurement, 0, 0,
         words_of(task_choices)},
        Key{"run.states", integer, "1", "states",
            "Lowest states to find; more than one by thick restarts. In a spectrum: degenerate ground states that are "
            "averaged over.", physics, 1, 1000}
            .when({states}).when({spectrum, of_ground_state}),
        Key{"run.block", integer, "1", "vectors",
            "Start vectors of the search for several states; degenerate ones are found with any.", physics, 1, 64}
            .when({states, several_states()}),
        Key{"run.basis", integer, "0", "vectors",
            "Vectors kept in the search for several states; 0: 2 states + run.block + 20.", physics, 0, 5000}
            .when({states, several_states()}),
        Key{"run.max-steps", integer, "", "steps",
            "Lanczos steps at most; default 300, and 100 more for each further one of run.states.", length, 1,
            static_cast<double>(max_steps)}
            .when({states}).when({spectrum, of_ground_state}).when({ground_state}),
        Key{"run.tolerance", real, "", "1",
            "A state has converged when |H x - E x| is below this times the largest of |E|, |E - mean of the "
            "diagonal| and the width |(H - mean) r| / |r| of a random vector r, E without a site energy that is "
            "the same everywhere, and small beside the distance to the next level; default 1e-9, in single precision "
            "1e-5. Of a certified energy it is the largest energy-error.", physics,
            1e-13, 1}
            .when({states}).when({spectrum, of_ground_state}).when({ground_state}),
        Key{"run.degeneracy", yes_no, "yes", "",
            "After the ground state, search what is orthogonal to it for another one of the same energy, or a lower "
            "one.",
            physics}
            .when({states, one_state()}).when({spectrum, of_ground_state}).when({ground_state}),
        Key{"run.sublattices", choice, "summed", "",
            "Several sites in a cell: wave-vector quantities sum over them with the phases of their positions, or are "
            "computed for each sublattice.", measurement, 0, 0, words_of(sublattice_choices)}
            .when({both, several_sites}),
        Key{"run.vectors", yes_no, "yes", "",
            "Compute the ground state by a second pass, and its true residual and observables.", physics}
            .when({states}),
        Key{"run.density-matrix", yes_no, "no", "",
            "Also <c+_i c_j> and momentum distribution of the ground state: one multiplication per pair of sites and "
            "spin component.", measurement}
            .when({states, one_state()}),
        Key{"fidelity.parameter", text, "", "",
            "Name of a key of [model] whose value is one number, such as u or field-x: also the overlap of the ground state with "
            "that where the value is larger by fidelity.step, and the fidelity susceptibility.", measurement}
            .when({states, one_state(), given}),
        Key{"fidelity.step", real, "0.01", "energy", "Difference of the value of fidelity.parameter; small beside what changes the ground state.",
            measurement, -1e9, 1e9}
            .when({states, one_state(), given}),
        Key{"run.cut", text, "", "",
            "Sites whose entanglement with all others is measured in every state, or at every time: 'first n', or a list such "
            "as 0,3,4. At most 4096 states of the smaller side.", measurement}
            .when({states, given}).when({tasks({"evolution"})}),
        Key{"run.matrix-elements", text, "", "",
            "Names of operators in [observables] without {i}, with commas: also |<m|O|n>|^2 between all computed states, averaged "
            "over the states of degenerate levels.", measurement}
            .when({states, several_states(), given}),
        observables_key("in every state, at every time, or at every temperature; or the operators of a spectrum, which may lead to another sector. One "
                        "multiplication for each value, of thermal averages for each random vector.")
            .when({tasks({"evolution"})})
            .when({states, given})
            .when({tasks({"thermal"}), random_vectors})
            .when({spectrum, {"spectrum.operator", {"observable"}}}),
        Key{"run.allow-unconverged", yes_no, "no", "", "End with 0 and not 5 if run.max-steps were not enough.", output}
            .when({states}).when({ground_state}),
    };
}

std::vector<Key> task_keys() {
    const Condition spectrum = tasks({"spectrum"}), thermal = tasks({"thermal"});
    return {
        spectral_operator_key(spectrum, words_of(spectral_operator_choices),
            "current: the optical conductivity, or the operator of [observables]: at every wave vector if it is a list over {i}."),
        Key{"spectrum.second", text, "", "",
            "Name of B in [observables], for the off-diagonal spectrum <A+ delta(omega - (H - E0)) B>, A the other name there; "
            "left out: B = A.", measurement}
            .when({spectrum, {"spectrum.operator", {"observable"}}}),
        Key{"spectrum.direction", text, "x", "",
            "Direction of the current: x, y, or a Cartesian vector of two or three numbers, of any length.", measurement}
            .when({spectrum, {"spectrum.operator", {"current"}}}),
        spectral_momenta_key(spectrum),
        spectral_omega_key(spectrum),
        Key{"spectrum.temperatures", reals, "", "energy/k_B",
            "Temperatures at which the spectrum is given, averaged over the states of the sector; left out: that of the ground state.",
            physics, 1e-9, 1e12}
            .when({spectrum}),
        Key{"spectrum.broadening", real, "0.1", "energy", "Half width of the Lorentzian around every pole.", measurement,
            1e-9, 1e9}
            .when({spectrum}),
        Key{"spectrum.steps", integer, "150", "steps",
            "Lanczos steps of each continued fraction; what too few of them leave out is stated as truncation-bound.",
            measurement, 1, 2000}
            .when({spectrum, of_ground_state}).when({spectrum, at_temperatures, random_vectors}),
        Key{"thermal.temperatures", reals, "0.1:4:0.1", "energy/k_B", "Temperatures of the averages in the sector.",
            physics, 1e-9, 1e12}
            .when({thermal}),
        Key{"thermal.method", choice, "random-vectors", "",
            "random-vectors: the finite-temperature Lanczos method; low-temperature: that of observables and spectra with errors that "
            "vanish at low temperatures, <r|exp(-H/2T) O exp(-H/2T)|r>; all-levels: exact, by dense matrices of at most 20000 "
            "states in a sector, of a spectrum at most 1000.", physics, 0, 0, words_of(trace_choices)}
            .when({thermal}).when({spectrum, at_temperatures}),
        Key{"thermal.chemical-potential", real, "0", "energy",
            "mu in exp(-(H - mu N) / T), with the particles of both spins as N.", physics, -1e9, 1e9}
            .when({thermal, {"sector.numbers", {"all"}}}),
        Key{"thermal.samples", integer, "20", "vectors",
            "Random vectors of the finite-temperature Lanczos method, in each sector.", physics, 2, 10000}
            .when({thermal, random_vectors}).when({spectrum, at_temperatures, random_vectors}),
        Key{"thermal.steps", integer, "60", "steps", "Lanczos steps of each random vector.", physics, 2, 1000}
            .when({thermal, random_vectors}).when({spectrum, at_temperatures, random_vectors}),
    };
}

std::vector<Key> evolution_keys() {
    std::vector<Key> keys = initial_state_keys(
        tasks({"evolution"}), 63, " In a sector of symmetries the part of this state that lies in it is taken, normalised.");
    keys.insert(keys.end(), {
        Key{"evolution.krylov", integer, "16", "vectors",
            "Vectors of the Krylov space of a time step, or with drive.operator of its Taylor series.", physics, 6, 64}
            .when({tasks({"evolution"})})});
    std::ranges::copy(drive_keys(tasks({"evolution"})), std::back_inserter(keys));
    return keys;
}

std::vector<Key> other_task_keys() {
    const Condition spectrum = tasks({"spectrum"}), thermal = tasks({"thermal"});
    return {
        Key{"levels.share", real, "1", "1",
            "Share of the levels of each sector, about the middle of its list, from whose spacings gap-ratio is taken.",
            physics, 1e-6, 1}
            .when({tasks({"levels"})}),
        Key{"run.seed", integer, "1", "", "Seed of the start vectors and of random fields; the same seed gives the same bits.", physics, 0,
            9.2e18}
            .when({tasks({"states"})}).when({spectrum, of_ground_state}).when({spectrum, at_temperatures, random_vectors})
            .when({thermal, random_vectors})
            .when({starts_from(InitialStateKind::ground_state)})
            .when({{"model.disorder", {}, std::numeric_limits<double>::min(), no_limit}}),
    };
}

std::vector<Key> backend_keys() {
    return {
        {"backend.arithmetic", choice, "auto", "", "Numbers of the vectors; auto: real if all amplitudes are.", physics,
         0, 0, words_of(arithmetic_choices)},
        {"backend.precision", choice, "double", "",
         "Precision of the vectors; sums are always of doubles. certified: vectors in single precision, and the energy of "
         "one state with its bound by a last multiplication in double precision.", physics, 0, 0,
         {"double", "single", "certified"}},
        Key{"backend.exchange", choice, "auto", "",
            "How rows of other ranks are exchanged: rows sends the needed ones; transpose sends panels, so that each "
            "rank has all rows of some, and back; auto reads those of the own node in place and takes what moves "
            "least between nodes.", backend, 0, 0, words_of(exchange_choices)}
            .renamed_from("backend.rows"),
        {"backend.hops", choice, "stored", "",
         "Hops between the states of a sector of lattice symmetries of spins or hard-core bosons: stored in tables, "
         "or computed in every step, which needs no tables and takes some five times as long.",
         backend, 0, 0, words_of(hops_choices)},
    };
}
// clang-format on

}  // namespace

std::vector<Key> keys() {
    std::vector<Key> all;
    for (const auto& part :
         {lattice_keys(offer()), model_keys(offer()), filling_keys(offer()), symmetry_keys(), state_keys(), task_keys(),
          evolution_keys(), other_task_keys(), initial_model_keys(offer()), backend_keys()})
        all.insert(all.end(), part.begin(), part.end());
    return all;
}

}  // namespace strata::lanczos
