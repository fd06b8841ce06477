// SPDX-License-Identifier: BSD-3-Clause
// The keys of a job of spin dynamics other than those of lattice and model. when() restricts a key to some lattices,
// models or states; the program rejects it elsewhere, and `strata keys trotter` prints the condition. Angles are in
// units of pi.
#include <limits>

#include "models/drive_factor.hpp"
#include "models/keys.hpp"
#include "models/observables.hpp"
#include "trotter/job/config.hpp"

namespace strata::trotter {
namespace {

using enum ValueType;
using enum KeyRole;

constexpr double no_limit = std::numeric_limits<double>::infinity();
constexpr double max_energy = 1e9;

Condition states(std::vector<std::string> types) { return {"state.initial", std::move(types)}; }
Condition echo() { return {"run.echo", {"yes"}}; }
Condition splittings() { return {"run.method", {"splitting"}}; }
Condition target() { return {"run.target-error", {}, std::numeric_limits<double>::min(), no_limit}; }
Condition several_samples() { return {"run.samples", {}, 2, no_limit}; }

ModelOffer offer() {
    ModelOffer offer;
    offer.lattices = lattices_that([](const LatticeType&) { return true; });
    offer.models = {"xyz", "heisenberg", "xxz", "xx", "ising", "dipolar", "double-quantum", "terms"};
    offer.default_model = "xyz";
    return offer;
}

// clang-format off
std::vector<Key> drive_keys() {
    std::vector<Key> keys = {
        {"drive.fields", text, "", "",
         std::string("Factor of all fields in time: ") + factor_forms +
             ". The frequency, of gauss that and 3 / width, is at most pi / run.step; jumps stand at multiples of run.step (an "
             "observation there is after the jump); points inside a step divide it.", physics},
        {"drive.couplings", text, "", "", "Factor of all couplings in time, as drive.fields.", physics},
    };
    for (const char* axis : {"x", "y", "z"}) {
        const std::string a = axis;
        keys.push_back({"drive.h" + a, text, "", "", "Further factor of the fields along " + a +
                        " in time, as drive.fields.", physics});
        keys.push_back({"drive.j" + a, text, "", "", "Further factor of the couplings of " + a +
                        " components in time, as drive.fields.", physics});
    }
    keys.push_back({"drive.table", file, "", "",
                    "Further factors in time, one line 't hx hy hz jx jy jz' per point, straight from point to point; points "
                    "inside a step divide it.", physics});
    keys.push_back({"drive.reversals", reals, "", "1/energy",
                    "Times, multiples of run.step, at which H changes its sign; an observation at such a time is after it.",
                    physics, 0, no_limit});
    keys.push_back({"drive.pulses", text, "", "",
                    "Rotations between steps, separated by semicolons: 'time axis angle spins' is exp(-i angle sum S), "
                    "angle in units of pi, e.g. '1.5 x 0.5 all'; spins are all, even, odd or 0,3,4. An observation at such "
                    "a time is before the rotation.", physics});
    return keys;
}

std::vector<Key> state_keys() {
    return {
        {"state.initial", choice, "neel", "",
         "State at time 0: all up; neel (even spins down); state.pattern; one spin up and the others down (flipped); "
         "the first half up (domain-wall); a product of directions; random; polarised-random (state.spin up, random "
         "phases of the others); state.file.", physics, 0, 0, words_of(state_choices)},
        Key{"state.pattern", text, "", "",
            "A letter for each spin: u or 0 up, d or 1 down, + or - along x, r or l along y. A shorter pattern is "
            "repeated.", physics}
            .when({states({"pattern"})}).required("give a letter for each spin, e.g. state.pattern = uudd."),
        Key{"state.spin", integer, "0", "", "The spin that is up.", physics, 0, max_spins - 1}
            .when({states({"flipped", "polarised-random"})}),
        Key{"state.theta", reals, "0", "pi", "Angle of spins to the z axis: one for all spins, or one per spin.",
            physics, -1e3, 1e3}
            .when({states({"product"})}),
        Key{"state.phi", reals, "0", "pi", "Angle of spins in the xy plane from the x axis: one, or one per spin.",
            physics, -1e3, 1e3}
            .when({states({"product"})}),
        Key{"state.file", file, "", "",
            "Amplitudes, one per line: 'spins re [im]' with spins such as uddu, spin 0 first; 0 where no line is. The "
            "state is normalised; its norm must be 1 to six digits. At most 20 spins and 1 MiB. jobs/read_vector.py "
            "writes such lines of a Lanczos run.", physics}
            .when({states({"file"})}).required("state.initial = file reads the amplitudes from there."),
    };
}

std::vector<Key> run_keys() {
    const Condition random = states({"random", "polarised-random"});
    return {
        {"run.method", choice, "splitting", "",
         "Evolution by a splitting of every step, or by a Chebyshev series of exp(-i H t) to run.tolerance (H constant in "
         "time, of any products of spins in model.terms; memory of two states more; long steps take fewer products with H).",
         physics, 0, 0,
         words_of(method_choices)},
        Key{"run.tolerance", real, "1e-13", "",
            "What the Chebyshev series of a step leaves out changes the state by less, in 2-norm.", physics, 1e-15, 1e-2}
            .when({{"run.method", {"chebyshev"}}}),
        Key{"run.order", integer, "2", "", "Order of the splitting of a step: 1, 2 or 4.", physics, 1, 4}
            .when({splittings()}),
        Key{"run.scheme", choice, "suzuki", "",
            "Splitting of order 4: five steps of order 2 by Suzuki, or the six stages of Blanes and Moan, which are "
            "more accurate.", physics, 0, 0, words_of(scheme_choices)}
            .when({{"run.order", {}, 4, 4}}),
        {"run.step", real, "0.05", "1/energy", "Time step.", physics, 1e-12, 1e6},
        {"run.steps", integer, "100", "steps", "Number of time steps; an echo makes as many back again.", length, 1,
         1e12},
        {"run.measure-every", integer, "1", "steps", "Steps from one observation to the next.", physics, 1, 1e12},
        {"run.measure-times", reals, "", "1/energy",
         "Times of observation instead, multiples of run.step; the end is always observed.", physics, 0, no_limit},
        {"run.measure-per-decade", integer, "0", "",
         "Observations per factor 10 of time instead, at equal ratios.", physics, 0, 1000},
        {"run.observables", text, "sz,sx,sy,energy,loschmidt-echo", "",
         "What is observed beside the norm, separated by commas: " + observable_text() + ".", measurement},
        observables_key("in every row of the series, such as '1 S+ {i} S- {j}'; nothing needs to be conserved."),
        {"run.cut", text, "", "",
         "Spins whose entanglement entropy with all others is the observable entropy, in nats: 'first n', or a list such "
         "as 0,3,4. At most 14 spins on the smaller side.", measurement},
        Key{"run.estimate-error", yes_no, "no", "",
         "Estimate the errors by the time step, of all observables and of the state: a second evolution makes two steps of "
         "half the size. Twice the memory, three times the work.", physics}
            .when({splittings()}),
        {"run.echo", yes_no, "no", "",
         "Evolve back to time 0 after run.steps steps, with echo.perturbation added to H.", physics},
        Key{"echo.perturbation", text, "", "", "Terms added to H on the way back, in the "
            "notation of model.terms, separated by semicolons: '0.5 Sx 0; 1 Sz 0 Sz 3'.", physics}
            .when({echo()}),
        Key{"echo.pulse", text, "", "",
            "Rotation before the way back: 'axis angle spins', as drive.pulses; several are separated by semicolons.",
            physics}
            .when({echo()}),
        Key{"run.samples", integer, "1", "states",
            "Random states that are averaged over; results of a run under way are those of the finished ones.", physics,
            1, 1e6}
            .when({random}),
        Key{"run.target-error", real, "0", "",
            "Ends the ensemble when the error of run.target-observable is not larger, after at least 16 states and "
            "at most run.samples; 0: all of them. A run that does not come there ends with exit code 5.", physics, 0,
            max_energy}
            .when({random, several_samples()}),
        Key{"run.target-observable", text, "", "",
            "Column whose error that is, e.g. sz-0, or an observable, of whose columns the largest error counts, e.g. sz.",
            physics}
            .when({target()}).required("run.target-error is the error of an observable, e.g. run.target-observable = sz-0."),
        Key{"run.target-time", real, "", "1/energy",
            "Time at which the error is taken, one of observation; the end if it is not given.", physics, 0, no_limit}
            .when({target(), {"run.echo", {"no"}}}),
        Key{"run.concurrent", integer, "1", "states",
            "Random states that evolve at once, a power of two; each takes the memory of a state.", physics, 1, 65536}
            .when({random, several_samples()}),
    };
}

std::vector<Key> backend_keys() {
    return {
        {"backend.tune", choice, "off", "",
         "Sizes of tiles: off, as the job alone decides, so that its bits are the same on any machine; use, as "
         "backend.tune-file has them for this machine, if it has; refresh, measured first (some steps of some plans) "
         "and written there.", backend, 0, 0, words_of(tuning_choices)},
        Key{"backend.tune-file", text, "", "",
            "File of measured plans; by default strata/trotter-plans.txt in the user's folder for caches.", backend}
            .when({{"backend.tune", {"use", "refresh"}}}),
    };
}
// clang-format on

}  // namespace

std::vector<Key> keys() {
    std::vector<Key> all;
    for (const auto& part :
         {lattice_keys(offer()), model_keys(offer()), drive_keys(), state_keys(), run_keys(), backend_keys()})
        all.insert(all.end(), part.begin(), part.end());
    return all;
}

}  // namespace strata::trotter
