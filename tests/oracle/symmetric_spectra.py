# SPDX-License-Identifier: BSD-3-Clause
"""Spectra above the lowest state of a sector of symmetries, and averages over all of its states at a temperature, in
random jobs of sectors_oracle.py: of the user's own operators as lists over the sites at wave vectors and as sums over
all sites, that keep conserved numbers or change them; off-diagonal ones; of densities, spins, removals and additions;
from all eigenvectors of H on all states."""

import math
import random

import numpy as np

import charged_spectra
from charged_operators import LOCAL, target
from products_evolution import launched

NEUTRAL = {"fermions": ("n {i}", "cdag {i} c {j}", "n {i} n {j}"), "bosons": ("n {i}", "bdag {i} b {j}"),
           "spins": ("Sz {i}", "S+ {i} S- {j}", "Sz {i} Sz {j}"),
           "electrons": ("n_up {i}", "Sz {i}", "n_up {i} n_dn {i}", "cdag_up {i} c_up {j}",
                         "cdag_dn {i} n_up {j} c_dn {j}", "S+ {i} S- {j}"),
           "t-j": ("n_up {i}", "Sz {i}", "cdag_up {i} c_up {j}", "S+ {i} S- {j}")}
OFFERED = {"electrons": {"density": "1 n_up {i}\n1 n_dn {i}", "spin": "1 Sz {i}", "removal": "1 c_dn {i}",
                         "addition": "1 cdag_dn {i}"},
           "fermions": {"density": "1 n {i}", "removal": "1 c {i}", "addition": "1 cdag {i}"},
           "bosons": {"density": "1 n {i}", "removal": "1 b {i}", "addition": "1 bdag {i}"},
           "t-j": {"density": "1 n_up {i}\n1 n_dn {i}", "spin": "1 Sz {i}", "removal": "1 c_dn {i}",
                   "addition": "1 cdag_dn {i}"},
           "spins": {"density": "1 S+ {i} S- {i}", "spin": "1 Sz {i}"},
           "spins 1": {"spin": "1 Sz {i}"}, "spins 3/2": {"spin": "1 Sz {i}"}}
CHARGED = LOCAL | {"t-j": ("cdag_up {i}", "c_dn {i}", "S- {i}", "cdag_up {i} cdag_dn {j}")}


class Operator:
    """A list over the sites of a ring, or its sum over all sites as one operator."""

    def __init__(self, case, name, word, single, wave=0):
        n, factor = case.sites, case.rng.choice(("1", "0.5-1i"))
        phases = [complex(factor.replace("i", "j")) * np.exp(-2j * np.pi * wave * i / n) for i in range(n)]
        factors_of = [f"{z.real!r}{z.imag:+.17g}i" for z in phases] if wave else n * [factor]
        texts = [f"{f} {word.format(i=i, j=(i + 1) % n)}" for i, f in enumerate(factors_of)]
        self.lines = [f"{name} = {text}" for text in texts] if single else \
            [f"{name} = {factor} {word.replace('{j}', '{i+1}')}"]
        raw = [case.space.matrix(text) for text in texts]
        self.set_matrices(case, [sum(raw)] if single else raw)

    def set_matrices(self, case, raw):
        rows, columns = np.nonzero(sum(abs(m) for m in raw) > 1e-13)
        self.changes = {tuple((c[i] - c[j]) % m if m else c[i] - c[j] for c, m in case.charges)
                        for i, j in zip(rows, columns)}
        self.matrices = [case.projected(m) for m in raw]

    def at(self, m):
        n = len(self.matrices)
        return sum(np.exp(-2j * np.pi * m * i / n) * o for i, o in enumerate(self.matrices)) / math.sqrt(n)


class Offered(Operator):
    """An operator that spectra have by name, with conjugate phases where it adds a particle."""

    def __init__(self, case, name):
        self.lines, self.name = [], name
        lines = OFFERED[case.kind][name].split("\n")
        self.set_matrices(case, [sum(case.space.matrix(line.format(i=i)) for line in lines)
                                 for i in range(case.sites)])

    def at(self, m):
        return super().at(-m if self.name == "addition" else m)


def factors(case, keys, o):
    """By what the operations of the sector multiply an operator; None where one changes it into another."""
    n, operations, found = case.sites, [], []
    if abs(o).max() < 1e-9:
        return "0"
    if "sector.momentum" in keys:
        operations.append(case.space.moved([(i + 1) % n for i in range(n)]))
    if "sector.parity" in keys:
        operations.append(case.space.moved([-i % n for i in range(n)]))
    if "sector.spin-inversion" in keys:
        operations.append(case.space.turned(np.eye(case.space.dimension)))
    for matrix in operations:
        moved = matrix @ o @ np.linalg.inv(matrix)
        at = np.unravel_index(abs(o).argmax(), o.shape)
        factor = moved[at] / o[at]
        if abs(moved - factor * o).max() > 1e-9 * abs(o).max() or abs(abs(factor) - 1) > 1e-9:
            return None
        found.append(complex(np.round(factor, 6)))
    return found


def words_of(case):
    return NEUTRAL.get(case.kind, NEUTRAL["spins"]) + CHARGED.get(case.kind, CHARGED["spins"])


def draw(case):
    """B, and in some jobs A with the same changes; or nothing."""
    rng, single = case.rng, case.rng.random() < 0.15
    words = words_of(case)
    right = Operator(case, "right", rng.choice(words), single)
    if len(right.changes) != 1:
        return None, None
    left = Operator(case, "left", rng.choice(words), single) if rng.random() < 0.5 else None
    return right, left if left is not None and left.changes == right.changes else None


def compare_all_momenta(case, account, state, keys, states):
    """Averages over all states of a sector of conserved numbers, as sums over its momenta."""
    keys = {**keys, "sector.momentum": "all"}
    job = case.job(keys)
    state.update(job=job)
    levels, vectors = np.linalg.eigh(case.h[np.ix_(states, states)])
    account.note("all momenta")
    return compare(case, account, job, keys, levels, charged_spectra.in_all_states(case, states, vectors), True)


def compare(case, account, job, keys, levels, states, thermal=False):
    rng, n = case.rng, case.sites
    more = random.Random(repr((job.keys, case.lines)))
    thermal = thermal or len(levels) > 1 and more.random() < 0.5
    if not thermal and len(levels) > 1 and levels[1] - levels[0] < 1e-3:
        return account.note("degenerate ground states: no spectrum")
    right, left = draw(case)
    if case.kind in OFFERED and more.random() < 0.4:
        right, left = Offered(case, more.choice(list(OFFERED[case.kind]))), None
    if right is None:
        return account.note("no operator of a definite change")
    lists = len(right.matrices) > 1
    waves = sorted(rng.sample(range(n), rng.randint(1, min(n, 3)))) if lists else [0]
    job.update({"run.task": "spectrum", "spectrum.operator": "observable", "spectrum.omega": "-3:6:0.5",
                "spectrum.broadening": charged_spectra.WIDTH, "spectrum.steps": 300, "run.tolerance": "1e-11"})
    if lists:
        job.set("spectrum.momenta", waves)
    if left is not None:
        job.set("spectrum.second", "right")
    if isinstance(right, Offered):
        job.set("spectrum.operator", right.name)
    else:
        job.set("observables.file", "observables.txt")
        job.files["observables.txt"] = "\n".join(right.lines + (left.lines if left else [])) + "\n"
    probabilities = charged_spectra.at_temperature(case, job, levels) if thermal else np.ones(1)
    outcome = launched(case, job)
    sectors = [[factors(case, keys, o.at(m)) for o in (right, left) if o is not None] for m in waves]
    some = abs(states).sum(axis=1) > 1e-9
    if not target(case, case.charges, some, next(iter(right.changes))).any():
        return account.claim("refused where the other sector does not exist", outcome.code == 2 and any(
            text in outcome.said for text in ("no such state", "no particle", "no empty site")),
                             f"{outcome.code}: {outcome.said}")
    impossible = any(pair[0] is None for pair in sectors)
    reasons = ["not possible in this sector", "not possible for wave vector"] * impossible + \
        ["into another operator"] * any(None in pair for pair in sectors) + \
        ["lead to two sectors"] * any("0" not in pair and None not in pair and pair[0] != pair[-1] for pair in sectors)
    if reasons or outcome.code == 2 and any("0" in pair for pair in sectors):
        reasons += ["lead to two sectors"] * any("0" in pair for pair in sectors)
        return account.claim("refused where symmetries change the operator", outcome.code == 2 and
                             any(reason in outcome.said for reason in reasons), f"{outcome.code}: {outcome.said}")
    if outcome.code != 0:
        return account.fail(f"ended with {outcome.code}: {outcome.said}")
    account.note(("off-diagonal, " if left else "") + ("leads to other numbers" if any(next(iter(right.changes)))
                                                       else "keeps the numbers"))
    if thermal:
        account.note("at a temperature, " + job.keys.get("thermal.method", "random-vectors"))
    count = len(probabilities)
    charged_spectra.compare_waves(case, account, outcome, (levels[:count], states[:, :count], probabilities), right,
                                  left, waves, lists)
    return None
