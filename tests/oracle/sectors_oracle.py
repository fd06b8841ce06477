#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Sectors of momentum, parity and spin inversion of random H on a ring: sums of products of any operators, repeated on
all sites, of spins, fermions, bosons and t-J electrons, by lanczos on 1 to 3 ranks, against dense matrices on all
states, projected here onto those which a translation, a reflection or an inversion multiplies by a factor."""

import cmath
import math
import random
import sys

import numpy as np
import scipy.sparse

import all_levels
import driven
import operators
import patterns_oracle
import products_oracle
import program
import symmetric_spectra
from lanczos_oracle import number
from symmetry import SectorSolution

KINDS = ("fermions", "spins", "spins", "spins", "bosons", "t-j", "spins 1", "spins 3/2", "electrons")
MOST = {"electrons": 5, "t-j": 5, "spins 1": 5, "spins 3/2": 4}


class Case(patterns_oracle.Case):
    def __init__(self, seed, index):
        rng = self.rng = random.Random(f"sectors {seed} {index}")
        self.kind = rng.choice(KINDS)
        self.twice = products_oracle.TWICE.get(self.kind, 0)
        self.sites = rng.randint(3, MOST.get(self.kind, 8))
        self.bonds, self.line = [(i, (i + 1) % self.sites) for i in range(self.sites)], "ring"
        self.lattice, self.files = {"lattice.type": "ring", "lattice.extents": self.sites}, {}
        kind = {"t-j": operators.electrons, "electrons": operators.electrons, "fermions": operators.fermions,
                "bosons": lambda: operators.bosons(1)}.get(self.kind, lambda: operators.spins(self.twice))
        self.space = operators.Space(self.sites * [kind()])
        self.numbers = np.array([n.sum(axis=1) for n in self.space.occupations()])
        self.h = np.zeros(2 * (self.space.dimension,), complex)
        self.lines, self.listed, self.refusal = [], [], ""
        self.real = rng.random() < 0.6
        wanted = products_oracle.WANTED["two" if self.kind in ("t-j", "electrons") else "one"]
        self.wanted = rng.choice(list(wanted))
        charges = wanted[self.wanted]
        charges = None if charges is None else [np.array(c) @ self.numbers for c in charges]
        self.twisted = self.kind == "spins" and rng.random() < 0.3
        if self.kind == "electrons" and rng.random() < 0.3:  # without further terms
            self.twisted = False
        elif self.twisted:  # S^z and -S^z have the levels of opposite momenta
            self.draw_twist()
        else:
            for _ in range(rng.randint(1, 3)):
                self.draw_pattern(charges)
        self.alone = self.kind == "bosons" or self.kind not in ("t-j", "electrons") and rng.random() < 0.5
        if self.alone:
            self.lines.append("0 " + dict(fermions="cdag {i} c {i}", bosons="bdag {i} b {i}")
                              .get(self.kind, "Sz {i}"))
            self.ring = True
        else:
            while True:
                self.add_chain()
                if self.ring:
                    break
                self.h -= self.added
        self.complex = bool(np.any(self.h.imag))

    def draw_twist(self):
        a = complex(number(self.rng, -1, 1), number(self.rng, 0.1, 1))
        self.lines.append(f"{a.real!r}{a.imag:+.17g}i S+ {{i}} S- {{i+1}}")
        for i, j in self.bonds:
            matrix = self.matrix(("S+", "S-"), (i, j))
            self.h += (a * matrix + a.conjugate() * matrix.conj().T).toarray()

    def add_chain(self):
        before = self.h.copy()
        super().add_chain()
        self.added = self.h - before

    def places(self, bond):
        """Without single sites, which no translation leaves."""
        while True:
            words, places = super().places(bond)
            if all(word.startswith("{") for word in words):
                return words, places

    def job(self, keys):
        job = products_oracle.Case.job(self, keys)
        job.update(self.lattice)
        job.ranks = self.rng.choice((1, 1, 2, 3))
        job.set("backend.threads", 1)
        if self.kind not in ("fermions", "t-j", "electrons") and random.Random(repr(self.lines)).random() < 0.5:
            job.set("backend.hops", "computed")
        return job


def basis_of(case, states, keys):
    """An orthonormal basis of a random sector of symmetries, as columns over all states; sets its keys."""
    rng, n = case.rng, case.sites
    basis = np.eye(case.space.dimension)[:, states]
    if rng.random() < 0.85:
        m = rng.randrange(n)
        keys["sector.momentum"] = m if m == 0 or rng.random() < 0.7 else m - n
        shift = scipy.sparse.csr_matrix(case.space.moved([(i + 1) % n for i in range(n)]))
        basis = SectorSolution.kept(shift, basis, cmath.exp(-2j * math.pi * m / n))
    inversion = case.space.turned(np.eye(case.space.dimension)) if case.twice == 1 else None
    for key, matrix in (("parity", case.space.moved([-i % n for i in range(n)])), ("spin-inversion", inversion)):
        if matrix is None or rng.random() < 0.5:
            continue
        moved_to, matrix = np.abs(matrix).argmax(axis=0), scipy.sparse.csr_matrix(matrix)
        if abs(matrix @ case.h - case.h @ matrix).max() > 1e-12:
            continue
        if key == "spin-inversion" and case.complex:
            continue
        allowed = states[moved_to][states].all()
        possible = key == "spin-inversion" or keys.get("sector.momentum", 0) in (0, n / 2, -n / 2)
        if allowed and possible:
            sign = rng.choice((1, -1))
            keys["sector." + key] = "even" if sign == 1 else "odd"
            basis = SectorSolution.kept(matrix, basis, complex(sign))
    return basis


def compare_states(case, account, job, levels, states):
    job.update({"run.tolerance": "1e-10", "run.max-steps": 2000})
    count = min(case.rng.choice((1, 1, 3)), len(levels))
    if count > 1:
        job.set("run.states", count)
    mine, cut = products_oracle.add_observed(case, job), products_oracle.Cut(case, job)
    if mine and count > 1:
        mine.ask_elements(job)
    outcome = products_oracle.launched(case, job)
    if outcome.code != 0:
        return account.fail(f"ended with {outcome.code}: {outcome.said}")
    bound = 1e-8 * (1 + abs(levels).max())
    account.compare("energy", outcome.values["energy"], levels[0], bound)
    if count > 1:
        if mine:
            mine.compare_levels(account, outcome, levels, states, count)
        cut.compare_levels(account, outcome, levels, states, count)
        return account.compare("energies", outcome.values["energies"], levels[:count], bound)
    if len(levels) > 1 and levels[1] - levels[0] < 1e-3:
        return account.note("degenerate ground states: energies alone")
    weights = abs(states[:, 0]) ** 2
    for name, exact in zip(products_oracle.names_of(case), case.occupations(weights)):
        account.compare("occupations", outcome.values[name], exact, 1e-5)
    if case.kind not in ("fermions", "bosons"):
        spin = [weights @ case.space.diagonal(("Sz", 0), ("Sz", j)) for j in range(case.sites)]
        account.compare("spin correlations", outcome.values["spin-correlation"], spin, 1e-5)
    if mine:
        mine.compare_state(account, outcome, states[:, 0])
    cut.compare_state(account, outcome, states[:, 0])
    return None


def compare_driven(case, account, outcome, drive, psi, times):
    for row, now in enumerate(drive.states(case.h, psi, times)):
        energy = (now.conj() @ drive.at(case.h, times[row]) @ now).real
        account.compare("driven energy in time", outcome.series["energy"][row], energy, 1e-7)
        account.compare("driven echo", outcome.series["loschmidt-echo"][row], abs(psi.conj() @ now) ** 2, 1e-8)
        for name, exact in zip(products_oracle.names_of(case), case.occupations(abs(now) ** 2)):
            found = [outcome.series[f"{name}-{i}"][row] for i in range(case.sites)]
            account.compare("driven occupations", found, exact, 1e-8)


def compare_evolution(case, account, job, basis):
    """The part of a product state in the sector."""
    rng = case.rng
    weights = (abs(basis) ** 2).sum(axis=1)
    start = int(rng.choice(np.flatnonzero(weights > 1e-9)))
    step, steps = number(rng, 0.1, 0.5), rng.randint(1, 3)
    job.update({"run.task": "evolution", "evolution.step": step, "evolution.steps": steps})
    for key, n in zip(("evolution.up", "evolution.down"), case.space.occupations()):
        if n[start].any():
            job.set(key, [i for i, digit in enumerate(n[start]) for _ in range(int(digit))])
    mine, cut = products_oracle.add_observed(case, job), products_oracle.Cut(case, job)
    if rng.random() < 0.3:
        psi = basis @ basis[start].conj() / math.sqrt(weights[start])
        return compare_after_operator(case, account, job, basis, psi)
    drive = None
    if random.Random(repr(job.keys)).random() < 0.4:
        drive = driven.Drive.of_bonds(case, repr(job.keys))
        drive.draw_factors(float(step), steps)
        drive.add_to(job)
        account.note("driven evolution")
    outcome = products_oracle.launched(case, job)
    if outcome.code != 0:
        return account.fail(f"ended with {outcome.code}: {outcome.said}")
    levels, vectors = np.linalg.eigh(basis.conj().T @ case.h @ basis)
    vectors = basis @ vectors
    amplitudes = vectors[start].conj() / math.sqrt(weights[start])
    if drive:
        return compare_driven(case, account, outcome, drive, vectors @ amplitudes,
                              [row * step for row in range(steps + 1)])
    account.compare("weight in the sector", outcome.values["sector-weight"], weights[start], 1e-10)
    for row in range(steps + 1):
        phases = np.exp(-1j * levels * row * step)
        now = vectors @ (phases * amplitudes)
        account.compare("energy in time", outcome.series["energy"][row], levels @ abs(amplitudes) ** 2, 1e-8)
        account.compare("echo", outcome.series["loschmidt-echo"][row], abs(phases @ abs(amplitudes) ** 2) ** 2, 1e-8)
        for name, exact in zip(products_oracle.names_of(case), case.occupations(abs(now) ** 2)):
            found = [outcome.series[f"{name}-{i}"][row] for i in range(case.sites)]
            account.compare("occupations in time", found, exact, 1e-8)
        if mine:
            mine.compare_time(account, outcome, row, now, 1e-8)
        cut.compare_time(account, outcome, row, now, 1e-8)
    return None


def compare_after_operator(case, account, job, basis, psi):
    """An operator of all sites acts on the initial state first, which may change its momentum and its numbers."""
    rng = case.rng
    words = symmetric_spectra.words_of(case)
    o = symmetric_spectra.Operator(case, "first", rng.choice(words), True, rng.choice((0, rng.randrange(case.sites))))
    job.set("evolution.operator", "first")
    job.set("observables.file", "observables.txt")
    job.files["observables.txt"] = "\n".join(o.lines) + "\n"
    outcome = products_oracle.launched(case, job)
    factors, some = symmetric_spectra.factors(case, job.keys, o.matrices[0]), abs(basis).sum(axis=1) > 1e-9
    psi = o.matrices[0] @ psi
    norm = np.linalg.norm(psi)
    if outcome.code == 2:
        reasons = (len(o.changes) != 1 and "changes", factors is None and "into another operator",
                   norm < 1e-3 and ("annihilate", "No state", "no such state", " is 0"))
        account.note("refused after an operator")
        return account.claim("refused where the operator leads nowhere", any(
            reason and any(text in outcome.said for text in (reason if isinstance(reason, tuple) else (reason,)))
            for reason in reasons), outcome.said)
    if outcome.code != 0 or factors is None or not some.any():
        return account.fail(f"ended with {outcome.code}: {outcome.said}")
    account.note("an operator acts first")
    account.compare("norm after an operator", outcome.values["initial-norm"], norm, 1e-9)
    levels, vectors = np.linalg.eigh(case.h)
    amplitudes, step = vectors.conj().T @ psi / norm, float(job.keys["evolution.step"])
    for row in range(int(job.keys["evolution.steps"]) + 1):
        phases = np.exp(-1j * levels * row * step)
        now = vectors @ (phases * amplitudes)
        account.compare("energy after an operator", outcome.series["energy"][row], levels @ abs(amplitudes) ** 2, 1e-8)
        account.compare("echo after an operator", outcome.series["loschmidt-echo"][row],
                        abs(phases @ abs(amplitudes) ** 2) ** 2, 1e-8)
        for name, exact in zip(products_oracle.names_of(case), case.occupations(abs(now) ** 2)):
            found = [outcome.series[f"{name}-{i}"][row] for i in range(case.sites)]
            account.compare("occupations after an operator", found, exact, 1e-8)
    return None


def compare_levels(case, account, job, levels, states):
    rng = case.rng
    if rng.random() < 0.6:
        job.set("run.task", "levels")
        outcome = products_oracle.launched(case, job)
        if outcome.code != 0:
            return account.fail(f"ended with {outcome.code}: {outcome.said}")
        return all_levels.compare_list(account, outcome, levels, [levels], 1)
    temperatures = all_levels.temperatures_of(rng, levels)
    job.update({"run.task": "thermal", "thermal.temperatures": temperatures})
    exact = rng.random() < 0.3
    job.update({"thermal.method": "all-levels"} if exact else {"thermal.samples": 60, "thermal.steps": 60})
    mine = None if exact else products_oracle.add_observed(case, job)
    if mine:
        temperatures = mine.draw_method(case, job, list(temperatures))
    outcome = products_oracle.launched(case, job)
    if outcome.code != 0:
        return account.fail(f"ended with {outcome.code}: {outcome.said}")
    if mine:
        mine.compare_thermal(account, outcome, temperatures, levels, states)
    right = [all_levels.averages(levels, None, None, t, 0, case.sites) for t in temperatures]
    return all_levels.compare_averages(account, outcome, temperatures, right, 0 if exact else 6)


def compare_all_thermal(case, account, state, keys, states):
    """Averages of the user's own operators over all momenta, over all numbers, or both."""
    rng, h = random.Random(repr(case.lines) + "thermal"), case.h
    keys = {**keys, "sector.momentum": "all"}
    if rng.random() < 0.6:
        keys = {"sector.numbers": "all"} | ({"sector.momentum": "all"} if rng.random() < 0.5 else {})
        states = case.project(np.ones(case.space.dimension, bool))
    particles = case.twice == 0 and case.kind != "t-j" and case.conserves(case.numbers.sum(axis=0))
    if "sector.numbers" in keys and particles:
        keys["thermal.chemical-potential"] = mu = number(rng, -1, 1)
        h = h - mu * np.diag(case.numbers.sum(axis=0))
    levels, vectors = np.linalg.eigh(h[np.ix_(states, states)])
    temperatures = [round(max(0.1, np.ptp(levels)) * x, 4) for x in sorted(rng.choice((0.1, 0.3, 1, 3))
                                                                          for _ in range(2))]
    job = case.job({**keys, "run.task": "thermal", "thermal.temperatures": temperatures, "thermal.samples": 40,
                    "thermal.steps": 60})
    state.update(job=job)
    mine = products_oracle.add_observed(case, job)
    if mine is None:
        return account.note("sums over sectors without observables")
    temperatures = mine.draw_method(case, job, temperatures)
    outcome = products_oracle.launched(case, job)
    if outcome.code != 0:
        return account.fail(f"ended with {outcome.code}: {outcome.said}")
    whole = np.zeros((case.space.dimension, len(levels)), complex)
    whole[states] = vectors
    account.note("sums over sectors")
    return mine.compare_thermal(account, outcome, temperatures, levels, whole)


def compare_all_sectors(case, account, state, keys, states):
    """The levels of all momenta, of one sector of what H conserves or of all, each with its numbers; or spectra, or
    averages of operators."""
    if random.Random(repr(case.lines)).random() > 0.6:
        return compare_all_thermal(case, account, state, keys, states)
    if random.Random(repr(case.lines)).random() < 0.3:
        return symmetric_spectra.compare_all_momenta(case, account, state, keys, states)
    if case.twisted or case.rng.random() < 0.5:
        keys, states = {"sector.numbers": "all"}, case.project(np.ones(case.space.dimension, bool))
    job = case.job({**keys, "sector.momentum": "all", "run.task": "levels"})
    state.update(job=job)
    levels = np.linalg.eigvalsh(case.h[np.ix_(states, states)])
    outcome = products_oracle.launched(case, job)
    if outcome.code != 0:
        return account.fail(f"ended with {outcome.code}: {outcome.said}")
    all_levels.compare_list(account, outcome, levels, None, 1)
    found = {name: np.atleast_1d(value) for name, value in outcome.values.items()}
    number, of_levels = np.zeros(case.space.dimension), np.zeros(len(levels))
    for name, n in zip(("level-up", "level-down"), case.numbers):
        if name in found:
            number, of_levels = 100 * number + n, 100 * of_levels + found[name]
    if "level-sz" in found:
        number, of_levels = case.numbers[0] - case.sites * case.twice / 2, found["level-sz"]
        if case.kind == "t-j":
            number = (case.numbers[0] - case.numbers[1]) / 2
    if "level-particles" in found:
        number, of_levels = case.numbers.sum(axis=0), found["level-particles"]
    if "level-number-parity" in found:
        number, of_levels = case.numbers.sum(axis=0) % 2, found["level-number-parity"]
    all_levels.compare_total_spins(case, account, found, keys, states, levels)
    shift = case.space.moved([(i + 1) % case.sites for i in range(case.sites)])
    for value in sorted(set(number[states])):
        for m in range(case.sites):
            basis = SectorSolution.kept(shift, np.eye(case.space.dimension)[:, states & (number == value)],
                                        cmath.exp(-2j * math.pi * m / case.sites))
            exact = np.linalg.eigvalsh(basis.conj().T @ case.h @ basis) if basis.shape[1] else np.zeros(0)
            mine = np.sort(found["levels"][(of_levels == value) & (found["level-momentum-x"] % case.sites == m)])
            account.claim("number of levels of a sector", len(mine) == len(exact), f"{len(mine)} of {len(exact)}")
            if len(mine) == len(exact) and len(mine):
                account.compare("levels with their numbers", mine, exact, 1e-9 * (1 + abs(levels).max()))
    return None


def examine(seed, index, account, state, options):
    case = Case(seed, index)
    if case.kind == "t-j":  # some products are equal on sites of one electron, which the program does not see
        account.fail = lambda sentence, fail=account.fail: (
            account.note("refused: products that symmetries change") if "changes the term" in sentence
            else fail(sentence))
    if case.refusal:
        return account.note("lists whose conjugates are not clear")
    keys, states = case.sector()
    states = case.project(states)
    state.update(task=case.kind, job=None)
    if not states.any():
        return account.note("no state")
    if case.rng.random() < (0.7 if case.twisted else 0.25):
        return compare_all_sectors(case, account, state, keys, states)
    basis = basis_of(case, states, keys)
    job = case.job(keys)
    state.update(job=job)
    account.note(f"{job.ranks} ranks")
    if not any(key in keys for key in ("sector.momentum", "sector.parity", "sector.spin-inversion")):
        return account.note("no symmetries")
    if basis.shape[1] == 0:
        outcome = program.run(job)
        return account.claim("sectors without states are refused", outcome.code == 2 and "No state" in outcome.said,
                             f"{outcome.code}: {outcome.said}")
    levels, vectors = np.linalg.eigh(basis.conj().T @ case.h @ basis)
    which = case.rng.choice(("states", "states", "levels", "evolution", "spectrum", "spectrum"))
    if which == "spectrum":
        return symmetric_spectra.compare(case, account, job, keys, levels, basis @ vectors)
    if which == "states":
        return compare_states(case, account, job, levels, basis @ vectors)
    return compare_levels(case, account, job, levels, basis @ vectors) if which == "levels" else \
        compare_evolution(case, account, job, basis)


if __name__ == "__main__":
    sys.exit(program.main(__doc__, examine))
