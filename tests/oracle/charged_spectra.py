# SPDX-License-Identifier: BSD-3-Clause
"""Spectra of operators that lead to another sector, and off-diagonal ones, in random jobs of products_oracle.py: sums
over all eigenvectors of H on all states, which know no sectors."""

import itertools
import math

import numpy as np

from charged_operators import LOCAL, Charged, random_product, target
from products_evolution import in_all_states, launched

WIDTH = 0.1
DELETED = {"electrons": "c_dn", "t-j": "c_dn", "fermions": "c", "bosons": "b"}


def draw_operators(case, charges, lists):
    """B, and in some jobs A with the same changes, or A = B; or nothing if none of a definite change is drawn."""
    rng = case.rng
    local = LOCAL.get(case.kind, LOCAL["spins"])
    word = rng.choice(local if case.sites > 1 else local[:2])
    draw = (lambda: word) if lists or rng.random() < 0.4 else random_product(case)
    right = next((o for o in (Charged(case, "right", lists, draw) for _ in range(60))
                  if o.matrices and len(o.changes(charges)) == 1), None)
    if right is None or rng.random() < 0.5:
        return right, None
    if rng.random() < 0.2:
        return right, right
    words = itertools.cycle(rng.sample(local, len(local)))
    draw = (lambda: next(words)) if lists or rng.random() < 0.4 else random_product(case)
    change = right.changes(charges)
    left = next((o for o in (Charged(case, "left", lists, draw) for _ in range(60))
                 if o.matrices and o.changes(charges) == change), None)
    return right, left


class ChangedNumber(Charged):
    """Removal or addition, of spin down where there are two, as a list; an addition has conjugate phases."""

    def __init__(self, case, operator):
        self.raw = [case.space.matrix(f"1 {DELETED[case.kind]} {i}") for i in range(case.sites)]
        self.addition = operator == "addition"
        self.matrices = [case.projected(m) for m in self.raw]
        if self.addition:
            self.raw = [m.T for m in self.raw]

    def at(self, m):
        removal = super().at(m)
        return removal.conj().T if self.addition else removal


def at_temperature(case, job, levels):
    """Probabilities of the levels for a canonical average from all levels of both sectors, or from random vectors."""
    temperature = round(case.rng.uniform(0.2, 4), 3)
    job.set("spectrum.temperatures", temperature)
    job.keys.pop("run.tolerance")
    if case.rng.random() < 0.6:
        job.set("thermal.method", "all-levels")
        job.keys.pop("spectrum.steps")
    else:
        job.update({"thermal.samples": 40, "thermal.steps": 60, "spectrum.steps": 80, "spectrum.omega": "-3:5:2",
                    "run.seed": case.rng.randint(1, 10**6)})
        if case.rng.random() < 0.5:
            job.set("thermal.method", "low-temperature")
    p = np.exp(-(levels - levels[0]) / temperature)
    return p / p.sum()


def compare(case, account, job, states, options):
    rng, charges = case.rng, case.charges
    levels, vectors = np.linalg.eigh(case.h[np.ix_(states, states)])
    if len(levels) > 1 and levels[1] - levels[0] < 1e-3:
        return account.note("degenerate ground states: no spectrum")
    job.update({"run.task": "spectrum", "spectrum.omega": "-3:5:0.5", "spectrum.broadening": WIDTH,
                "spectrum.steps": 400, "run.tolerance": "1e-11", "spectrum.operator": "observable"})
    left, lists = None, case.ring and rng.random() < 0.6
    if lists and case.kind in DELETED and rng.random() < 0.3:
        job.set("spectrum.operator", rng.choice(("removal", "addition")))
        right = ChangedNumber(case, job.keys["spectrum.operator"])
    else:
        right, left = draw_operators(case, charges, lists)
        if right is None:
            return account.note("no operator of a definite change")
        lines = right.lines + ([] if left in (None, right) else left.lines)
        if left is not None:
            job.set("spectrum.second", "right")
        job.set("observables.file", "observables.txt")
        job.files["observables.txt"] = "\n".join(lines) + "\n"
    probabilities = np.ones(1)
    thermal = states.sum() > 1 and rng.random() < 0.4
    if thermal:
        probabilities = at_temperature(case, job, levels)
    change = next(iter(right.changes(charges)))
    outcome = launched(case, job)
    if not target(case, charges, states, change).any():
        return account.claim("refused where the other sector does not exist", outcome.code == 2 and any(
            text in outcome.said for text in ("no such state", "no particle", "no empty site")), outcome.said)
    if outcome.code != 0:
        return account.fail(f"ended with {outcome.code}: {outcome.said}")
    account.note("leads to another sector" if any(change) else "stays in the sector")
    account.note(("off-diagonal" if left is not None else "diagonal") + (
        ", " + job.keys.get("thermal.method", "random-vectors") if thermal else ""))
    beginning = levels, in_all_states(case, states, vectors), probabilities
    compare_waves(case, account, outcome, beginning, right, left, range(len(right.matrices)), len(right.matrices) > 1)
    return None


def compare_waves(case, account, outcome, beginning, right, left, waves, lists):
    """`lists`: whether both operators are lists over the sites, with a column for every one of the waves."""
    levels, vectors, probabilities = beginning
    everywhere, basis = np.linalg.eigh(case.h)
    omega = np.unique(outcome.series["omega"])
    for k, m in enumerate(waves):
        weight, moment, intensity = 0, 0, np.zeros(len(omega), complex)
        b = basis.conj().T @ (right.at(m) @ vectors)
        a = b if left is None else basis.conj().T @ (left.at(m) @ vectors)
        for i, p in enumerate(probabilities):
            if p < 1e-14:
                continue
            w, poles = p * a[:, i].conj() * b[:, i], everywhere - levels[i]
            weight, moment = weight + w.sum(), moment + w @ poles
            intensity += [(w * WIDTH / math.pi / ((o - poles) ** 2 + WIDTH ** 2)).sum() for o in omega]
        column = f"momentum{{}}-{m}" if lists else "intensity{}"
        scale = 1e-6 * (1 + abs(weight) + abs(intensity).max())
        for ending, part in (("", np.real), ("-imaginary", np.imag)):
            if ending and left is None:
                continue
            within = [6 * outcome.errors["weight" + ending].ravel()[k] if "weight" + ending in outcome.errors else 0,
                      6 * outcome.series.get(column.format(ending + "-error"), np.zeros(len(omega)))]
            account.compare("weights", outcome.values["weight" + ending].ravel()[k], part(weight), scale + within[0])
            if "first-moment" in outcome.values:
                account.compare("first moments", outcome.values["first-moment" + ending][k], part(moment),
                                1e-6 * (1 + abs(everywhere).max()) * (1 + abs(weight)))
            steps = 10 * outcome.values.get("intensity-step-error", np.zeros(1))[0]  # the change by the last step
            account.compare("spectra", outcome.series[column.format(ending)], part(intensity),
                            scale + steps + within[1])
    sums = outcome.references.get("weight-sum")
    if sums is not None:
        account.compare("weight sums", outcome.values["weight-sum"], sums, 1e-6 * (1 + abs(sums).max()))
    if "truncation-bound" in outcome.values:
        account.claim("converged", outcome.values["truncation-bound"][0] < 1e-6)
