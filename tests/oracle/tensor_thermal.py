#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""run.task = thermal of dmrg in random jobs of products_oracle.py: grand-canonical averages over all states of dense
matrices, within the errors that the program claims."""

import math
import sys

import numpy as np

import program
import products_oracle
from lanczos_oracle import number
from products_evolution import ELECTRONS, add_observed, launched


def exact_averages(case, k, numbers, spins, mu, t):
    """By all levels of K = H - mu N; numbers, spins: [state], None where H does not conserve them."""
    levels, vectors = np.linalg.eigh(k)
    p = np.exp(-(levels - levels[0]) / t)
    log_z, p = math.log(p.sum()) - levels[0] / t, p / p.sum()
    diagonal = abs(vectors) ** 2 @ p
    mean, square = p @ levels, p @ levels ** 2
    all_numbers = case.numbers.sum(axis=0)
    values = {"energy": mean + (0 if case.twice else mu * (diagonal @ all_numbers)),
              "specific-heat": (square - mean ** 2) / t ** 2 / case.sites, "entropy": (log_z + mean / t) / case.sites}
    for name, variance, n in (("particles", "compressibility", numbers), ("total-sz", "spin-susceptibility", spins)):
        if n is not None:
            values[name] = diagonal @ n
            values[variance] = (diagonal @ n ** 2 - (diagonal @ n) ** 2) / t / case.sites
    return values, diagonal, (vectors * p) @ vectors.conj().T


def charges(case, conserved):
    """Particles and S^z of all states; None where the program has no average of them."""
    total = case.numbers.sum(axis=0)
    if case.twice:
        return None, total - case.sites * case.twice / 2 if conserved["total"] else None
    if case.kind in ELECTRONS:
        difference = case.numbers[0] - case.numbers[1]
        both = conserved["all"]
        return (total if both or conserved["total"] else None,
                difference / 2 if both or (conserved["difference"] and not conserved["total"]) else None)
    return total if conserved["total"] else None, None


def compare(case, account, job):
    rng, case.h0, case.drive = case.rng, None, None  # of evolutions alone
    if case.twice or case.kind in ("fermions", "bosons"):
        conserved = {"total": case.conserves(case.numbers[0])}
    else:
        conserved = {"all": all(map(case.conserves, case.numbers)), "total": case.conserves(case.numbers.sum(axis=0)),
                     "difference": case.conserves(case.numbers[0] - case.numbers[1])}
    mu = 0 if case.twice or rng.random() < 0.4 else number(rng, -2, 2)
    k = case.h - (0 if case.twice else mu * np.diag(case.numbers.sum(axis=0)))
    width = np.ptp(np.linalg.eigvalsh(k))
    if width < 1e-3:
        return account.note("H is a number")
    temperatures = sorted({round(width * x, 3) for x in (number(rng, 0.1, 0.3), number(rng, 0.3, 2))})
    job.application = "dmrg"
    job.keys.pop("backend.exchange", None)
    job.update({"run.task": "thermal", "thermal.temperatures": temperatures, "thermal.step": 0.5 / width,
                "evolution.cutoff": "1e-13", "run.allow-unconverged": "yes"})
    if mu:
        job.set("thermal.chemical-potential", mu)
    if rng.random() < 0.3:
        job.set("run.blocks", "disk")
    mine = add_observed(case, job)
    outcome = launched(case, job)
    if outcome.code == 2 and "odd number of fermion operators" in outcome.said:
        return account.note("refused: odd terms of fermions")
    if outcome.code == 2 and mine and "leaves the sector" in outcome.said:
        return account.note("refused: observables that leave the sector")
    if outcome.code != 0:
        return account.fail(f"ended with {outcome.code}: {outcome.said}")
    found = outcome.values["temperature"]
    account.claim("descending temperatures", np.array_equal(found, sorted(temperatures, reverse=True)))
    names = ("density-up", "density-down") if case.kind in ELECTRONS else ("sz",) if case.twice else ("density",)
    numbers, spins = charges(case, conserved)
    for row, t in enumerate(found):
        exact, diagonal, rho = exact_averages(case, k, numbers, spins, mu, t)
        for name, value in exact.items():
            if name not in outcome.values:
                continue
            error = outcome.errors[name][row]
            account.claim("small errors", error < 0.05 * (1 + abs(value)), f"{name} {error:.3g}")
            account.compare(f"{name} of purified states", outcome.values[name][row], value,
                            error + 1e-6 * (1 + abs(value)))
        for name in ("particles", "total-sz"):  # products that cancel may hide from the program what is conserved
            account.claim(f"{name} only where H conserves them", name in exact or name not in outcome.values)
        relative = outcome.errors["entropy"][row] + 1e-6
        for name, occupation in zip(names, case.occupations(diagonal)):
            account.compare("local values of purified states", np.reshape(outcome.values[name], (len(found), -1))[row],
                            occupation - 0.5 * case.twice, 20 * relative)
        for name, endings, matrices in mine.parts(account, outcome) if mine else ():
            account.compare("own observables of purified states",
                            np.reshape(outcome.values[name], (len(found), -1))[row],
                            [np.trace(rho @ m).real for m in matrices],
                            [30 * relative * (1 + np.linalg.norm(m.toarray(), 2)) for m in matrices])
    return None


def examine(seed, index, account, state, options):
    case = products_oracle.Case(seed, index)
    state.update(task=f"{case.kind}, {case.wanted}", job=case.job({}))
    most = 100 if case.complex else 300
    if not 1 < case.sites or case.space.dimension > most or case.kind == "t-j" or not np.any(case.h):
        return account.note("not for purified states")
    return compare(case, account, state["job"])


if __name__ == "__main__":
    sys.exit(program.main(__doc__, examine))
