# SPDX-License-Identifier: BSD-3-Clause
"""What the checks of all tasks of Lanczos share: launches, bounds, the lowest pair, names that have an oracle."""

import math

import numpy as np

import program

MOST_OF_SPECTRA = 200  # states: as many steps make the continued fraction exact

NEVER_COMPARED = {"steps", "residual-estimate", "converged", "temperature"}  # said elsewhere, or of the run only


def launch(case, account, options, job=None, vectors=False):
    """Runs a job; None where it ended for a reason that is reported or counted."""
    outcome = program.launch(job or case.job, options, vectors)
    account.note(f"{case.task}: exit code {outcome.code}")
    if outcome.code == 0:
        return outcome
    if outcome.code == 5:
        case.refused = outcome
    else:
        account.fail(f"exit code {outcome.code}: {outcome.sentence()}")
    return None


def refused(case, account, known, words):
    """A run that ended with 5: `known` is whether it had to, `words` what it must say."""
    said = getattr(case, "refused", None)
    if said is None:
        return
    if known and any(word in said.said for word in words):
        account.note(f"{case.task}: ended with 5 where it must")
    else:
        account.note(f"UNEXPECTED {case.task}: ended with 5: {said.sentence()[:150]}")
        account.fail(f"exit code 5: {said.sentence()[:300]}")


def rounding(case):
    return 3e-6 if case.single else 1e-11


def tolerance(case):
    if getattr(case, "certified", False):  # its key is of the error of the energy
        return 1e-5
    return float(case.job.keys.get("run.tolerance", 1e-5 if case.single else 1e-9))


def spread(case):
    """An upper bound of what run.tolerance is relative to."""
    return 2 * case.solution.scale


def ambiguous(case):
    """Levels are nearer to each other than the run can tell, but not equal."""
    limit = max(1e-6, 3e3 * tolerance(case), 3 * math.sqrt(tolerance(case)) if case.single else 0)
    return case.solution.multiplicity(limit) != case.solution.multiplicity()


def lowest_pair(case, account, values):
    """energy, residual and converged of one state."""
    s = case.solution
    energy = values["energy"][0]
    small = rounding(case) * s.scale
    account.claim("energy not below the ground state", energy >= s.energies[0] - 10 * small,
                  f"{energy:.12g} < {s.energies[0]:.12g}")
    converged = values.get("converged", [0])[0] == 1
    if "residual" in values:
        residual = values["residual"][0]
        nearest = abs(s.energies - energy).min()
        account.claim("residual is not below the distance to a level", residual * (1 + 1e-6) + small >= nearest,
                      f"residual {residual:.3g}, distance {nearest:.3g}")
        if converged:
            account.compare("residual", residual, 0, tolerance(case) * spread(case) + small)
    if converged:
        limit = tolerance(case) * spread(case)
        account.compare("energy", energy, s.energies[0], 2 * min(limit, limit**2 / s.gap()) + small)
    return converged


def unknown_names(case, account, values, known):
    for name in values:
        if name not in known and name not in NEVER_COMPARED:
            account.fail(f"'{name}' has no oracle")


def geometry(case, account, values):
    """Positions and wave vectors."""
    cluster = case.cluster
    expected = {}
    if cluster.torus:
        r, k = cluster.positions(), np.array([cluster.wave_vector(m) for m in wave_numbers(case)])
        expected = {"site-x": r[:, 0], "wave-vector-x": k[:, 0]}
        if len(cluster.torus) == 2:
            expected |= {"site-y": r[:, 1], "wave-vector-y": k[:, 1]}
    for name, exact in expected.items():
        if name in values:
            account.compare(name, values[name], exact, 1e-9)
        else:
            account.fail(f"'{name}' is missing")
    return set(expected)


def sum_over(case, account, outcome, name, exact, bound):
    """A sum rule NAME-sum: its value and the exact one beside it, against the dense state; empty where there is no
    rule."""
    rule = name + "-sum"
    if rule not in outcome.values:
        return set()
    account.compare("sum rules", outcome.values[rule], exact, bound)
    if rule in outcome.references:
        account.compare("sum rules, exact value reported", outcome.references[rule], exact, bound)
    return {rule}


def wave_numbers(case):
    return getattr(case, "momenta", None) or case.cluster.numbers()


def geometry_names():
    return {"site-x", "site-y", "wave-vector-x", "wave-vector-y"}


def number(rng, low, high):
    return round(rng.uniform(low, high), 3)
