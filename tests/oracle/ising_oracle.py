#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""Random tiny Ising and Potts lattices through the program, every printed number against exact averages
(ising_states.py): updates of all clusters, of single ones, of single spins, and of spins and clusters, also in a field,
and parallel tempering of all of them. A third of the jobs are short runs (few observations, hot or frozen lattices
included), many equal ones in a scan, whose errors are judged by the mean square of deviation / error; --pulls prints a
table of these for fixed lattices instead."""

import math
import os
import random
import sys

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import numpy as np

import program
from ising_checks import compare_acceptance, compare_correlations, compare_points, compare_short
from ising_states import (MOST_SITES, PLAIN, all_potts_states, all_states, checkerboard, cluster_values,
                          correlation_values, exact_potts_values, exact_values, ferromagnetic, frustrated,
                          overlap_values, periodic_axes, potts_correlation_values)

CRITICAL = math.log(1 + math.sqrt(2)) / 2


def random_extents(rng):
    """And ranks: slices are whole tiles, 8 sites along the last axis of two and 4 of three, so few lattices have
    more."""
    if rng.random() < 0.2:
        extents = rng.choice(((2, 9), (2, 10), (2, 2, 5)))
        return extents, rng.choice((1, 2, 2))
    dimensions = rng.choice((2, 3))
    while True:
        extents = tuple(rng.randint(2, 8) for _ in range(dimensions))
        if math.prod(extents) <= MOST_SITES:
            return extents, 1


def random_couplings(rng, job, dimensions):
    """Sets boundaries and signs of couplings."""
    kinds = ("periodic", "open", "antiperiodic")
    boundaries = rng.choice((rng.choice(kinds), ",".join(rng.choice(kinds) for _ in range(dimensions))))
    opposite, seed = rng.choice((0, 0, 0.5, round(rng.random(), 3), 1)), rng.randint(1, 10**12)
    job.set("lattice.boundaries", boundaries)
    if opposite:
        job.set("model.opposite-bonds", opposite)
        job.set("model.disorder-seed", seed)
    return boundaries, rng.choice((1, -1)), opposite, seed


def set_single_clusters(rng, job, extents):
    """As many in a sweep as the lattice has sites, or more, so that sweeps are nearly independent."""
    job.set("run.update", "wolff")
    job.set("run.clusters-per-sweep", rng.choice((1, 1, 2)) * math.prod(extents) + rng.randint(0, 1))


def random_update(rng, job, extents, couplings, coupling, options):
    """Sets the update where a checkerboard divides the lattice, and the field; returns both."""
    update = (rng.choice(("swendsen-wang", "metropolis", "metropolis", "mixed")) if checkerboard(extents, couplings)
              else "swendsen-wang")
    if job.ranks == 1 and not options.field and rng.random() < 0.25:
        set_single_clusters(rng, job, extents)
        return "wolff", 0.0
    if update != "swendsen-wang":
        job.set("run.update", update)
    if update == "metropolis" and rng.random() < 0.5:
        job.set("run.clusters", "no")
    field = 0.0
    if options.field or rng.random() < 0.5:
        field = round(rng.choice((-1, 1)) * rng.choice((rng.uniform(0.001, 0.1), rng.uniform(0.1, 1.5))) * coupling, 5)
    if field:
        job.set("model.field", field)
    return update, field


def set_temperatures(rng, job, coupling, most):
    """Points of a scan, or replicas of parallel tempering; K from 0.02 to `most`. Returns the coordinate and its
    values, the inverse temperatures, and whether replicas exchange them."""
    tempers = rng.random() < 0.3
    by_beta = not tempers and rng.random() < 0.5
    given = []
    for _ in range(rng.randint(2, 4) if tempers else rng.randint(1, 3)):
        k = math.exp(rng.uniform(math.log(0.02), math.log(most)))
        given.append(round(k / coupling if by_beta else coupling / k, 5))
    if tempers:
        given = sorted(set(given))
        if len(given) == 1:
            given.append(2 * given[0])
        job.set("run.tempering", given)
        if rng.random() < 0.7:
            job.set("run.exchange-every", rng.choice((1, 2, 3, 7)))
        if rng.random() < 0.5:
            job.set("run.overlap", "yes")
        if job.ranks == 1:  # each replica then has a rank of its own
            job.ranks = rng.choice((1, len(given)))
    else:
        job.set("scan.model.beta" if by_beta else "scan.model.temperature", given)
    return "beta" if by_beta else "temperature", given, [b if by_beta else 1 / b for b in given], tempers


def examine(seed, index, account, state, options):
    rng = random.Random(f"ising {seed} {index}")
    if index % 3 == 2 and not options.field:
        return examine_short(rng, account, state, options)
    if index % 12 == 7 and not options.field:
        return examine_coexistence(rng, account, state, options)
    if index % 6 == 1 and not options.field:
        return examine_potts(rng, account, state, options)
    extents, ranks = random_extents(rng)
    job = program.Job("swendsen-wang", ranks)
    state.update(task=f"ising {len(extents)}D", job=job)
    job.set("lattice.extents", extents)
    coupling = 1.0
    if rng.random() < 0.5:
        coupling = round(rng.uniform(0.3, 3), 3)
        job.set("model.coupling", coupling)
    couplings = random_couplings(rng, job, len(extents)) if rng.random() < 0.5 else PLAIN
    if couplings[1] < 0:
        job.set("model.coupling", -coupling)
    update, field = random_update(rng, job, extents, couplings, coupling, options)
    # up to where a flip of one spin costs so much that too few are seen; runs of frustrated lattices must say it
    # themselves
    most = 0.85 if len(extents) == 2 else 0.5
    if update in ("swendsen-wang", "wolff") and frustrated(extents, couplings):
        most = rng.choice((most, 2.5))
    name, given, betas, tempers = set_temperatures(rng, job, coupling, most)
    every = rng.choice((1, 1, 2, 3))
    sweeps = rng.randint(2000, 5000)
    job.set("run.sweeps", sweeps)
    automatic = not tempers and rng.random() < 0.3
    job.set("run.thermalization", "auto" if automatic else rng.randint(50, 200))
    job.set("run.measure-every", every)
    job.set("run.start", rng.choice(("cold", "hot")))
    job.set("run.seed", rng.randint(1, 10**6))
    job.set("backend.threads", rng.choice((1, 1, 2)) if job.ranks == 1 else 1)
    if rng.random() < 0.3:
        job.set("run.merge", rng.choice(("auto", "exchange", "tree")))
    correlations = rng.choice((0, 1, 2, 5)) if not tempers and periodic_axes(extents, couplings) else 0
    if correlations:
        job.set("run.correlations", correlations)
    outcome = program.finished(job, account, options)
    if not outcome:
        return None
    account.compare(name, outcome.values[name], given, 1e-12)
    frozen = [(update == "metropolis" or field != 0 and not ferromagnetic(couplings))
              and b * coupling > (0.440687 if len(extents) == 2 else 0.221655) and
              (job.keys["run.start"] == "hot" or not ferromagnetic(couplings) or
               0 < b * abs(field) * math.prod(extents) < 10) for b in betas]
    if tempers:
        e, signed, _ = all_states(extents, couplings)
        energies = np.concatenate((e - field / coupling * signed, e + field / coupling * signed)) * math.prod(extents)
        compare_acceptance(account, outcome, energies, [b * coupling for b in betas],
                           sweeps / int(job.keys.get("run.exchange-every", 10)) / 2)
        if not frozen[-1]:  # replicas of lower temperatures come from there: points without errors say so
            frozen = [not np.isfinite(error) for error in outcome.errors["magnetisation"]]
    for i, point_is in enumerate([] if tempers else frozen):
        account.claim("no errors where domains may stay", not point_is or not np.isfinite(outcome.errors["energy"][i]))
    sentences = ("domains", "frustrate the lattice", "known to be in equilibrium", "fewer than 40", "have no error")
    account.claim("and a sentence",
                  any(sentence in outcome.said for sentence in sentences[:None if tempers else 2]) >= any(frozen))
    exact = [exact_values(extents, b * coupling, b, couplings, field / coupling) for b in betas]
    if field and update != "metropolis" and ferromagnetic(couplings):
        for point in exact:
            point["susceptibility-improved"] = point["susceptibility-connected"]
    if job.keys.get("run.clusters") == "no":
        account.claim("clusters are left out", not {"clusters", "largest-cluster"} & outcome.values.keys())
        exact = [{name: value for name, value in point.items()
                  if not any(of in name for of in ("cluster", "improved", "staggered"))} for point in exact]
    if job.keys.get("run.overlap") == "yes":
        exact = [point | overlap_values(extents, b * coupling, couplings, field / coupling)
                 for point, b in zip(exact, betas)]
    observations = sweeps // every
    if automatic:
        for i, left_out in enumerate(outcome.values.pop("thermalization")):
            account.claim("thermalization: at most half", 0 <= left_out <= sweeps / 2 + every and left_out % every == 0)
            if not np.isfinite(outcome.errors["energy"][i]) and "thermalization is not found" in outcome.said:
                frozen[i] = True
        observations //= 2
    independent = update != "metropolis" and (field == 0 or ferromagnetic(couplings))
    if correlations:
        compare_correlations(account, outcome,
                             [correlation_values(extents, b * coupling, couplings, field / coupling, correlations)
                              for b in betas], frozen, observations, independent)
    compare_points(account, outcome, exact, observations, name, max(extents), frozen,
                   hampered=update != "metropolis" and frustrated(extents, couplings),
                   independent=independent)
    return None


def examine_potts(rng, account, state, options):
    q = rng.choice((3, 3, 4, 5, 7, 10))
    most = {3: 11, 4: 9, 5: 8, 7: 7, 10: 6}[q]
    extents = None
    while extents is None or math.prod(extents) > most:
        extents = tuple(rng.randint(2, 5) for _ in range(rng.choice((2, 2, 3))))
    boundaries = rng.choice(("periodic", "periodic", "open",
                             ",".join(rng.choice(("open", "periodic")) for _ in extents)))
    job = program.Job("swendsen-wang")
    state.update(task=f"potts {len(extents)}D", job=job)
    coupling = rng.choice((1.0, round(rng.uniform(0.3, 3), 3)))
    most = 1.6 if len(extents) == 2 and min(extents) > 2 else 1.0  # pairs along an extent of 2 have two bonds
    betas = [round(math.exp(rng.uniform(math.log(0.05), math.log(most))) / coupling, 5)
             for _ in range(rng.randint(1, 2))]
    name, given = "beta", betas
    if len(betas) == 2 and rng.random() < 0.5:
        name, given = "temperature", sorted(round(1 / b, 5) for b in betas)
        betas = [1 / t for t in given]
        job.set("run.tempering", given)
    else:
        job.set("scan.model.beta", betas)
    sweeps, every = rng.randint(2000, 5000), rng.choice((1, 2))
    if rng.random() < 0.4:
        set_single_clusters(rng, job, extents)
    correlations = rng.choice((0, 1, 2)) if name == "beta" and periodic_axes(extents, (boundaries,)) else 0
    if correlations:
        job.set("run.correlations", correlations)
    job.update({"lattice.extents": extents, "lattice.boundaries": boundaries, "model.states": q,
                "model.coupling": coupling, "run.sweeps": sweeps, "run.measure-every": every, "run.thermalization": 100,
                "run.start": rng.choice(("cold", "hot")), "run.seed": rng.randint(1, 10**6), "backend.threads": 1})
    outcome = program.finished(job, account, options)
    if not outcome:
        return None
    account.compare(name, outcome.values[name], given, 1e-12)
    if name == "temperature":
        energies = math.prod(extents) * all_potts_states(extents, boundaries, q)[0]
        compare_acceptance(account, outcome, energies, [b * coupling for b in betas], sweeps / 20)
    if correlations:
        compare_correlations(
            account, outcome,
            [potts_correlation_values(extents, boundaries, q, b * coupling, correlations) for b in betas],
            [False] * len(betas), sweeps // every, True)
    exact = [exact_potts_values(extents, boundaries, q, b * coupling, b) for b in betas]
    return compare_points(account, outcome, exact, sweeps // every, name, max(extents), [False] * len(betas))


def examine_coexistence(rng, account, state, options):
    """Equal runs of many states near the transition: errors that hold, or none and a sentence."""
    extents = rng.choice(((3, 3), (2, 4), (2, 2, 2)))
    q = rng.choice((5, 10, 30, 100, 256))
    transition = math.log(1 + math.sqrt(q)) if len(extents) == 2 else math.log((q - 2) / ((q - 1) ** (2 / 3) - 1))
    k = round(transition * rng.uniform(0.7, 1.3), 5)
    job = program.Job("swendsen-wang")
    state.update(task="coexistence", job=job)
    points, seed = 20, rng.randint(1, 10**6)
    job.update({"lattice.extents": extents, "model.states": q, "model.beta": k,
                "run.sweeps": rng.choice((1000, 4000, 16000)),
                "run.thermalization": 100, "run.start": rng.choice(("cold", "hot")), "backend.threads": 1,
                "scan.run.seed": f"{seed}:{seed + points - 1}:1"})
    outcome = program.finished(job, account, options)
    if not outcome:
        return None
    for name, (exact, _) in cluster_values(extents, q, k, with_energy=True).items():
        value, error = outcome.values[name], outcome.errors[name]
        has = np.isfinite(error)
        if has.any():
            account.compare(name, value[has], exact, 8 * error[has])
    return None


def short_job(extents, beta, observations, points, thermalization, seed):
    """A scan of seeds."""
    job = program.Job("swendsen-wang")
    job.update({"lattice.extents": extents, "model.beta": beta, "run.sweeps": observations,
                "run.thermalization": thermalization,
                "scan.run.seed": f"{seed}:{seed + points - 1}:1", "backend.threads": 1})
    return job


def examine_short(rng, account, state, options):
    extents, _ = random_extents(rng)
    kind = rng.choice(("any", "any", "any", "hot", "frozen"))
    k = {"any": math.exp(rng.uniform(math.log(0.05), math.log(0.5))), "hot": rng.choice((0, 1e-300, 0.001, 0.02)),
         "frozen": rng.choice((3, 20, 1e5, 1e308))}[kind]
    observations = rng.choice((1, 2, 3, 5, 8, 12, 20, 25, 40, 60, 100, 200))
    job = short_job(extents, float(f"{k:.6g}"), observations, 200, 50, rng.randint(1, 10**6))
    job.set("run.start", "cold" if kind == "frozen" else rng.choice(("cold", "hot")))
    state.update(task="ising short", job=job)
    outcome = program.finished(job, account, options)
    if not outcome:
        return None
    beta = float(f"{k:.6g}")
    account.claim("remark", ("fewer than 40" in outcome.said) >= (observations < 40), "a short run has none")
    exact = exact_values(extents, beta, beta) if beta < 100 else {}
    compare_short(account, outcome, exact, extents, observations, kind)
    return None


def pull_cases():
    """Extents, coupling, thermalization, points, observations; the longest runs give what enumeration cannot."""
    return (((4, 4), 0.4, 60, 2000, (20, 40, 100, 400)), ((32, 32), CRITICAL, 60, 800, (100, 400)),
            ((128, 128), CRITICAL, 100, 400, (100, 400)), ((64, 64), 0.4, 60, 400, (20, 40, 100, 400)),
            ((8, 8, 8), 0.221654626, 60, 800, (20, 40, 100, 400)))


def print_pulls(options):
    """Of each quantity mean, mean square and share beyond 3 of deviation / error, and of the points that have an
    error."""
    names = ("energy", "specific-heat", "magnetisation-2", "binder", "susceptibility-improved",
             "susceptibility-connected", "correlation-length")
    print("| lattice, observations | " + " | ".join(names) + " |\n" + "|---" * (len(names) + 1) + "|")
    for extents, k, thermalization, points, lengths in pull_cases():
        exact, rows = {}, []
        if math.prod(extents) <= MOST_SITES:
            exact = {name: value for name, (value, _) in exact_values(extents, k, k).items()}
        for observations in sorted(lengths, reverse=True):
            outcome = program.run(short_job(extents, k, observations, points, thermalization,
                                            options.seed + observations))
            cells = []
            for name in names:
                value, error = outcome.values[name], outcome.errors[name]
                if name not in exact:
                    known = outcome.references.get(name, [math.nan])[0]
                    exact[name] = known if math.isfinite(known) else np.nanmean(value)
                has = np.isfinite(error)
                pulls = (value[has] - exact[name]) / error[has]
                cells.append(f"{pulls.mean():+.2f} {np.mean(pulls**2):.2f} {100 * np.mean(abs(pulls) > 3):.0f} %"
                             + ("" if has.all() else f" ({100 * has.mean():.0f} %)") if has.any() else "-")
            rows.append(f"| {' x '.join(map(str, extents))}, {observations} | " + " | ".join(cells) + " |")
        print(*reversed(rows), sep="\n", flush=True)


def main():
    parser = program.options_of(__doc__)
    parser.add_argument("--pulls", action="store_true", help="print the table of pulls of tests/README.md")
    parser.add_argument("--field", action="store_true", help="only Ising lattices, all of them in a field")
    options = parser.parse_args()
    if options.pulls:
        return print_pulls(options)
    return program.summary(program.run_all(examine, options), options)


if __name__ == "__main__":
    sys.exit(main())
