#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Sectors of the exchange of particles and holes: random half filled Hubbard models and fermions without spin on
rings, chains, squares and random bipartite graphs, alone and with momenta and point operations, by lanczos on 1 to 3
ranks, against dense matrices. The exchange P is a product of Majorana operators on all states, P c_i P^-1 = e_i c+_i;
jobs of other lattices, energies and interactions, and those whose operations do not commute, must be refused."""

import math
import sys

import numpy as np
import scipy.sparse

import all_levels
import charged_spectra
import program
from particle_hole import Case, basis_of, draw_sector, number
from products_evolution import Cut


class Observed:
    """Hermitian operators of the user's own: lists over the sites and sums on a few sites."""

    def __init__(self, case, job):
        rng, n, s = case.rng, case.sites, case.spins
        i, j, k = (rng.randrange(n) for _ in range(3))
        i, j = (i, j) if i != j else (i, (i + 1) % n)
        a, b = rng.choice(s), rng.choice(s)
        texts = {"local": [f"1 n{a} {{i}}"], "hop": [f"1 cdag{a} {i} c{a} {j}", f"1 cdag{a} {j} c{a} {i}"],
                 "pair": [f"2 n{a} {i} n{b} {j}", f"-0.5 n{b} {k}"],
                 "three": [f"1 cdag{a} {i} n{b} {k} c{a} {j}", f"1 cdag{a} {j} n{b} {k} c{a} {i}"],
                 "turn": [f"1i cdag{a} {i} c{a} {j}", f"-1i cdag{a} {j} c{a} {i}"]}
        if b == a and k in (i, j):
            texts.pop("three")
        if len(s) == 2:
            texts |= {"both": ["1 n_up {i} n_dn {i}"],
                      "flip": [f"1 cdag_up {i} c_dn {i} cdag_dn {j} c_up {j}",
                               f"1 cdag_up {j} c_dn {j} cdag_dn {i} c_up {i}"]}
        names = [name for name in sorted(texts) if rng.random() < 0.5] or ["pair"]
        job.set("observables.file", "observables.txt")
        job.files["observables.txt"] = "".join(f"{name} = {line}\n" for name in names for line in texts[name])
        self.matrices = {}
        for name in names:
            places = range(n) if "{i}" in texts[name][0] else [0]
            self.matrices[name] = [case.operator("; ".join(texts[name]).format(i=place)) for place in places]

    def compare(self, account, values, psi, bound):
        for name, matrices in self.matrices.items():
            exact = [(psi.conj() @ (m @ psi)).real for m in matrices]
            account.compare(f"<{name}>", np.ravel(values[name]), exact, bound)


    def compare_thermal(self, account, outcome, row, rows, p, states):
        for name, matrices in self.matrices.items():
            value, error, steps = (np.reshape(x, (rows, -1))[row] for x in (
                outcome.values[name], outcome.errors[name], outcome.values[f"{name}-step-error"]))
            exact = [(p @ (states.conj() * (m @ states)).sum(axis=0)).real for m in matrices]
            if np.all(np.isfinite(error)):
                account.compare(f"<{name}> at a temperature", value, exact, 6 * error + steps + 1e-8)
            else:
                account.note("averages without errors")


def finished(case, account, job):
    rng = case.rng
    outcome = program.run(job, steps=rng.randint(1, 4) if rng.random() < 0.2 else 0, ends=True)
    if outcome.code != 0:
        account.fail(f"ended with {outcome.code}: {outcome.said}")
        return None
    return outcome


def diagonal_of(case, *factors):
    return case.space.diagonal(*factors)[case.inside]


def compare_states(case, account, job, levels, states):
    rng, n = case.rng, case.sites
    job.update({"run.tolerance": "1e-10", "run.max-steps": 2000, "run.density-matrix": "yes"})
    count = min(rng.choice((1, 1, 3)), len(levels))
    bound = 1e-8 * (1 + abs(levels).max())
    if count > 1:
        job.keys.pop("run.density-matrix")
        job.set("run.states", count)
    mine = Observed(case, job) if rng.random() < 0.7 else None
    cut = Cut(case, job)
    outcome = finished(case, account, job)
    if outcome is None:
        return None
    account.compare("energy", outcome.values["energy"], levels[0], bound)
    whole = np.zeros((case.space.dimension, count), complex)
    whole[case.inside] = states[:, :count]
    if count > 1:
        cut.compare_levels(account, outcome, levels, whole, count)
        account.compare("energies", outcome.values["energies"], levels[:count], bound)
        if mine and all(np.diff(levels[:count + 1]) > 1e-3):
            for k in range(count):
                mine.compare(account, {name: outcome.values[name].reshape(count, -1)[k] for name in mine.matrices},
                             states[:, k], 1e-5)
        return None
    if len(levels) > 1 and levels[1] - levels[0] < 1e-3:
        return account.note("degenerate ground states: energies alone")
    psi = states[:, 0]
    cut.compare_state(account, outcome, whole[:, 0])
    weights = abs(psi) ** 2
    names = ("occupation-up", "occupation-down") if len(case.spins) == 2 else ("occupation",)
    for name, s in zip(names, case.spins):
        exact = [weights @ diagonal_of(case, (f"n{s}", i)) for i in range(n)]
        account.compare("occupations", outcome.values[name], exact, 1e-5)
    density = [weights @ sum(diagonal_of(case, (f"n{s}", 0), (f"n{r}", j)) for s in case.spins for r in case.spins)
               for j in range(n)]
    account.compare("density correlations", outcome.values["density-correlation"], density, 1e-5)
    if len(case.spins) == 2:
        double = sum(weights @ diagonal_of(case, ("n_up", i), ("n_dn", i)) for i in range(n)) / n
        account.compare("double occupancy", outcome.values["double-occupancy"], double, 1e-5)
        spin = [weights @ diagonal_of(case, ("Sz", 0), ("Sz", j)) for j in range(n)]
        account.compare("spin correlations", outcome.values["spin-correlation"], spin, 1e-5)
    if "momentum-distribution" in outcome.values and case.lattice.shape == "ring":
        matrix = np.array([[psi.conj() @ (sum(case.operator(f"1 cdag{s} {i} c{s} {j}") for s in case.spins) @ psi)
                            for j in range(n)] for i in range(n)])
        waves = [np.exp(-2j * np.pi * m * np.arange(n) / n) for m in range(n)]
        exact = [(w.conj() @ matrix @ w).real / n for w in waves]
        account.compare("momentum distribution", outcome.values["momentum-distribution"], exact, 1e-5)
    if mine:
        mine.compare(account, outcome.values, psi, 1e-5)
    return None


def compare_levels(case, account, job, levels, states):
    rng = case.rng
    if rng.random() < 0.5:
        job.set("run.task", "levels")
        outcome = finished(case, account, job)
        return outcome and all_levels.compare_list(account, outcome, levels, [levels], 1)
    temperatures = all_levels.temperatures_of(rng, levels)
    job.update({"run.task": "thermal", "thermal.temperatures": ",".join(map(str, temperatures))})
    exact = rng.random() < 0.4
    job.update({"thermal.method": "all-levels"} if exact else {"thermal.samples": 60, "thermal.steps": 60})
    mine = None if exact or rng.random() < 0.5 else Observed(case, job)
    if mine:
        job.set("thermal.method", rng.choice(("random-vectors", "low-temperature")))
    outcome = finished(case, account, job)
    if mine and outcome:
        for k, t in enumerate(temperatures):
            p = np.exp(-(levels - levels[0]) / t)
            mine.compare_thermal(account, outcome, k, len(temperatures), p / p.sum(), states)
    right = [all_levels.averages(levels, None, None, t, 0, case.sites) for t in temperatures]
    return outcome and all_levels.compare_averages(account, outcome, temperatures, right, 0 if exact else 6)


def compare_evolution(case, account, job, basis, levels, states):
    """The part of a product state in the sector."""
    rng, n = case.rng, case.sites
    weights = np.asarray(abs(basis).power(2).sum(axis=1)).ravel()
    start = int(rng.choice(np.flatnonzero(weights > 1e-9)))
    step, steps = number(rng, 0.1, 0.5), rng.randint(1, 3)
    job.update({"run.task": "evolution", "evolution.step": step, "evolution.steps": steps})
    occupied = [c[case.inside[start]] for c in case.space.occupations()]
    for key, c in zip(("evolution.up", "evolution.down"), occupied):
        job.set(key, [i for i in range(n) if c[i]])
    mine = Observed(case, job) if rng.random() < 0.7 else None
    outcome = finished(case, account, job)
    if outcome is None:
        return
    amplitudes = states[start].conj() / math.sqrt(weights[start])
    account.compare("weight in the sector", outcome.values["sector-weight"], weights[start], 1e-10)
    names = ("occupation-up", "occupation-down") if len(case.spins) == 2 else ("occupation",)
    for row in range(steps + 1):
        phases = np.exp(-1j * levels * row * step)
        now = states @ (phases * amplitudes)
        account.compare("energy in time", outcome.series["energy"][row], levels @ abs(amplitudes) ** 2, 1e-8)
        account.compare("echo", outcome.series["loschmidt-echo"][row], abs(phases @ abs(amplitudes) ** 2) ** 2, 1e-8)
        for name, s in zip(names, case.spins):
            exact = [abs(now) ** 2 @ diagonal_of(case, (f"n{s}", i)) for i in range(n)]
            account.compare("occupations in time", [outcome.series[f"{name}-{i}"][row] for i in range(n)], exact, 1e-8)
        if mine:
            found = {name: [outcome.series[name + (f"-{i}" if len(m) > 1 else "")][row] for i in range(len(m))]
                     for name, m in mine.matrices.items()}
            mine.compare(account, found, now, 1e-8)


class Wave:
    """sum_j w_j O_j of a list over the sites of a ring."""

    def __init__(self, case, text):
        self.matrices = [case.operator(text.format(i=i, j=(i + 1) % case.sites)).toarray() for i in range(case.sites)]

    def at(self, m):
        n = len(self.matrices)
        return sum(np.exp(-2j * np.pi * m * i / n) * o for i, o in enumerate(self.matrices)) / math.sqrt(n)


def factor_of(operation, o):
    """c with T O T^-1 = c O; None if there is none."""
    if abs(o).max() < 1e-9:
        return 0
    moved = operation @ (o @ operation.conj().T)
    at = np.unravel_index(abs(o).argmax(), o.shape)
    c = moved[at] / o[at]
    return c if abs(moved - c * o).max() < 1e-9 else None


def compare_spectrum(case, account, job, operations, p, levels, states):
    """Spectra of density, spin and operators of the user's own above the lowest state."""
    rng, n = case.rng, case.sites
    thermal = rng.random() < 0.4 and len(levels) > 1
    if not thermal and len(levels) > 1 and levels[1] - levels[0] < 1e-3:
        return account.note("degenerate ground states: no spectrum")
    s = rng.choice(case.spins)
    texts = {"density": "; ".join(f"1 n{t} {{i}}" for t in case.spins)}
    if len(case.spins) == 2:
        texts["spin"] = "1 Sz {i}"
    texts["mine"] = rng.choice((f"1 n{s} {{i}} n{s} {{j}}", f"1 cdag{s} {{i}} c{s} {{j}}; 1 cdag{s} {{j}} c{s} {{i}}",
                                f"1 cdag{s} {{i}} c{s} {{j}}; -1 cdag{s} {{j}} c{s} {{i}}",
                                f"1 n{s} {{i}}; -1 n{s} {{j}}"))
    name = rng.choice(sorted(texts))
    waves = sorted(rng.sample(range(n), 2))
    job.update({"run.task": "spectrum", "spectrum.operator": name, "spectrum.omega": "-3:6:0.5",
                "spectrum.broadening": charged_spectra.WIDTH, "spectrum.steps": 300, "run.tolerance": "1e-11"})
    job.set("spectrum.momenta", waves)
    if name == "mine":
        job.update({"spectrum.operator": "observable", "observables.file": "observables.txt"})
        job.files["observables.txt"] = "".join(f"mine = {line}\n" for line in
                                               texts["mine"].replace("{j}", "{i+1}").split("; "))
    wave = Wave(case, texts[name])
    probabilities = charged_spectra.at_temperature(case, job, levels) if thermal else np.ones(1)
    outcome = program.run(job)
    matrices = [case.part(case.moved(image)).toarray() for _, image, _ in operations] + [p.toarray()]
    factors = [factor_of(t, wave.at(m)) for m in waves for t in matrices]
    if outcome.code == 2 and "not possible" in outcome.said:
        if any(f is None for f in factors):
            return account.note("refused: a symmetry changes the operator")
        # a constant of the sector, or a sum that differs from a multiple of its image by such a constant
        constant = any(abs(o - np.diag(np.full(len(o), o[0, 0]))).max() < 1e-9 for o in map(wave.at, waves))
        account.note("refused: an operator and its image differ by a constant")
        return account.claim("refused spectra have no character",
                             name == "mine" and (constant or texts["mine"].count(f"n{s}") == 2), outcome.said)
    if outcome.code != 0 or any(f is None for f in factors):
        return account.fail(f"spectrum ended with {outcome.code}: {outcome.said}")
    account.note(f"spectrum of {name}" + (" at a temperature" if thermal else ""))
    count = len(probabilities)
    return charged_spectra.compare_waves(case, account, outcome, (levels[:count], states[:, :count], probabilities),
                                         wave, None, waves, True)


def compare_vector(case, account, job, states):
    """The amplitudes as users read them, up to a phase."""
    outcome = program.run(job, vectors=True)
    if outcome.code != 0:
        return account.fail(f"ended with {outcome.code}: {outcome.said}")
    psi, up, down, _ = outcome.vectors["ground-state"]
    counts, n = case.space.occupations(), case.sites
    bits = [c[case.inside] @ (2.0 ** np.arange(n)) for c in counts]
    rows = np.searchsorted(up, bits[0])
    found = psi[rows, np.searchsorted(down, bits[1]) if len(bits) == 2 else 0]
    return account.compare("amplitudes", abs(np.vdot(vector_signs(case) * found, states[:, 0])), 1, 1e-8)


def vector_signs(case):
    """The sign of each state of the oracle as up operators times down operators, each in the order of the sites."""
    empty = np.eye(1, case.space.dimension)[0]
    signs = []
    for state in case.inside:
        psi = empty
        for s, c in reversed(list(zip(case.spins, case.space.occupations()))):
            for i in reversed(range(case.sites)):
                if c[state][i]:
                    psi = case.creators[s, i] @ psi
        signs.append(psi[state])
    return np.array(signs)


def examine(seed, index, account, state, options):
    case = Case(seed, index)
    keys, operations, sign = draw_sector(case)
    rng = case.rng
    job = program.Job("lanczos", rng.choice((1, 1, 2, 3)))
    job.update({**case.keys, **keys, "backend.threads": 1})
    if case.sites % 2 == 0:
        job.set("sector.up", case.sites // 2)
        if len(case.spins) == 2:
            job.set("sector.down", case.sites // 2)
    job.files.update(case.lattice.files)
    state.update(task=case.kind, job=job)
    account.note(f"{case.kind} on {case.lattice.shape}")
    e = case.colours()
    refusal = case.refusal(e, [image for _, image, _ in operations])
    if refusal:
        outcome = program.run(job)
        account.note("refused: " + refusal)
        return account.claim("impossible sectors are refused", outcome.code == 2 and
                             (refusal in outcome.said or refusal == "changes" and "not possible" in outcome.said),
                             f"{outcome.code}: {outcome.said}")
    if case.anticommute:
        account.note("operations anticommute on each spin")
    p = case.part(case.exchange(case.space, case.spins, e))
    basis = basis_of(case, operations, p, sign)
    if basis.shape[1] == 0:
        outcome = program.run(job)
        return account.claim("sectors without states are refused", outcome.code == 2 and "No state" in outcome.said,
                             f"{outcome.code}: {outcome.said}")
    if basis.shape[1] > 1500:
        return account.note("too large a sector")
    levels, vectors = np.linalg.eigh((basis.conj().T @ (scipy.sparse.csr_matrix(case.h) @ basis)).toarray())
    states = basis @ vectors
    account.note(f"{job.ranks} ranks")
    which = rng.choice(("states", "states", "levels", "evolution", "spectrum", "spectrum", "vector"))
    ring = case.lattice.shape == "ring" and len(case.inside) <= 500
    if which == "spectrum" and ring:
        return compare_spectrum(case, account, job, operations, p, levels, states)
    if which == "vector" and len(case.inside) <= 500 and (len(levels) < 2 or levels[1] - levels[0] > 1e-3):
        case.creators = {(s, i): case.space.sparse([(1.0, ((f"cdag{s}", i),))]) for s in case.spins
                         for i in range(case.sites)}
        job.update({"run.tolerance": "1e-11", "run.max-steps": 2000})
        return compare_vector(case, account, job, states)
    if which == "levels":
        return compare_levels(case, account, job, levels, states)
    if which == "evolution":
        return compare_evolution(case, account, job, basis, levels, states)
    return compare_states(case, account, job, levels, states)


if __name__ == "__main__":
    sys.exit(program.main(__doc__, examine))
