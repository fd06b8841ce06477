#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Random sums of products of operators, alone or added to a chain, by lanczos and dmrg in sectors of whatever they
conserve, on 1 to 3 ranks, against dense matrices on all states (operators.py)."""

import math
import random
import sys

import numpy as np

import all_levels
import charged_spectra
import driven
import fidelity
import observed
import operators
import program
import tensor_evolution
from lanczos_oracle import number
from products_evolution import (ELECTRONS, Cut, add_observed, compare_evolution, compare_thermal, in_all_states,
                                launched, names_of)

# what a term must conserve for it to be drawn: combinations of N_up and N_down of electrons, (1, 0) of other sites
WANTED = {"two": {"numbers": [(1, 0), (0, 1)], "particles": [(1, 1)], "spin": [(1, -1)], "parity": [],
                  "nothing": None},
          "one": {"numbers": [(1,)], "parity": [], "nothing": None}}
KINDS = ("electrons", "fermions", "spins", "spins", "bosons", "t-j", "spins 1", "spins 3/2")
TWICE = {"spins": 1, "spins 1": 2, "spins 3/2": 3}  # 2 S
NAMES = {"electrons": ("cdag_up", "c_up", "cdag_dn", "c_dn") * 2
         + ("n_up", "n_dn", "n", "Sx", "Sy", "Sz", "S+", "S-", "P0"),
         "fermions": ("cdag", "c", "cdag", "c", "n"), "bosons": ("bdag", "b", "bdag", "b", "n"),
         "spins": ("Sx", "Sy", "Sz", "S+", "S-", "X", "Y", "Z")}
NAMES |= {"t-j": NAMES["electrons"], "spins 1": NAMES["spins"][:5], "spins 3/2": NAMES["spins"][:5]}


class Case:
    """A list of terms, and the matrix that it is."""
    h0, initial_lines = None, ()  # of the Hamiltonian whose ground state an evolution begins with
    drive = None

    def __init__(self, seed, index, driven_share=0.1):
        rng = self.rng = random.Random(f"products {seed} {index}")
        self.kind = rng.choice(KINDS)
        self.sites = rng.randint(1, 4 if self.kind == "electrons" else 8)
        self.twice = TWICE.get(self.kind, 0)
        if self.kind == "t-j" or self.twice > 1:
            self.sites = rng.randint(2 - (self.twice > 1), 4)
        kind = {"electrons": operators.electrons, "t-j": operators.electrons, "fermions": operators.fermions,
                "bosons": lambda: operators.bosons(1)}.get(self.kind, lambda: operators.spins(self.twice))
        self.space = operators.Space(self.sites * [kind()])
        self.numbers = np.array([n.sum(axis=1) for n in self.space.occupations()])
        self.h = np.zeros(2 * (self.space.dimension,), complex)
        self.lines, self.listed = [], []
        self.real = rng.random() < 0.5
        wanted = WANTED["two" if self.kind in ELECTRONS else "one"]
        self.wanted = rng.choice(list(wanted))
        self.draw_terms(wanted[self.wanted])
        self.alone, self.ring = self.sites == 1 or self.kind == "bosons" or rng.random() < 0.6, False
        if self.kind == "t-j":
            self.alone = False
        terms = self.h.copy()
        if not self.alone:
            self.add_chain()
        self.name_sites()
        if rng.random() < 0.2:
            self.draw_initial(wanted[rng.choice(list(wanted))], self.h - terms)
        self.complex = bool(np.any(self.h.imag))
        self.drive = driven.drawn(self, wanted, f"{seed} {index}", driven_share)

    def draw_terms(self, charges):
        for _ in range(self.rng.randint(1, 12)):
            self.draw_term(None if charges is None else [np.array(c) @ self.numbers for c in charges])

    def name_sites(self):
        """Terms alone name every site."""
        for site in range(self.sites * self.alone):
            self.lines.append("0 " + dict(electrons="n_up {0}", fermions="cdag {0} c {0}", bosons="bdag {0} b {0}")
                              .get(self.kind, "Sz {0}").format(site))
        self.rng.shuffle(self.lines)

    def draw_initial(self, charges, chain):
        """Terms of the Hamiltonian h0 whose ground state an evolution begins with, in the place of those of h."""
        h, lines, self.lines, self.listed = self.h, self.lines, [], []
        self.h = chain.copy()
        self.draw_terms(charges)
        self.name_sites()
        if self.lines:
            self.h0, self.initial_lines = self.h, self.lines
        self.h, self.lines = h, lines

    def draw_product(self, charges):
        """A random product that conserves the charges, where there are some also the parity of their sum."""
        rng = self.rng
        for _ in range(200):
            factors = tuple((rng.choice(NAMES[self.kind]), rng.randrange(self.sites)) for _ in range(rng.randint(1, 4)))
            rows, columns, values = self.space.elements([(1.0, factors)])
            kept = [] if charges is None else [*charges, self.numbers.sum(axis=0) % 2]
            matrix = np.zeros(self.h.shape, complex)
            np.add.at(matrix, (rows, columns), values)
            there = np.nonzero(matrix)
            if len(there[0]) and all(np.array_equal(c[there[0]], c[there[1]]) for c in kept):
                return factors, matrix
        return None

    def draw_term(self, charges):
        rng = self.rng
        drawn = self.draw_product(charges)
        if drawn is None:
            return
        factors, matrix = drawn
        coefficient = complex(number(rng, -1.5, 1.5), 0 if self.real or rng.random() < 0.5 else number(rng, -1, 1))
        adjoint = matrix.conj().T
        if abs(matrix - adjoint).max() < 1e-13:
            coefficient = complex(coefficient.real)
        elif abs(matrix + adjoint).max() < 1e-13:
            coefficient = 1j * coefficient.real
        else:
            # a listed conjugate would have to fit
            unit = adjoint / adjoint.flat[np.flatnonzero(adjoint)[0]]
            if any(abs(unit - other).max() < 1e-13 for other in self.listed):
                return
            self.listed.append(matrix / matrix.flat[np.flatnonzero(matrix)[0]])
            self.h += coefficient.conjugate() * adjoint
        self.h += coefficient * matrix
        text = f"{coefficient.real!r}{coefficient.imag:+.17g}i" if coefficient.imag else repr(coefficient.real)
        self.lines.append(" ".join([text, *(f"{name} {site}" for name, site in factors)]))

    def add_chain(self):
        """A chain or a ring to which the terms are added."""
        rng, n = self.rng, self.sites
        self.ring = n > 2 and rng.random() < 0.5
        self.chain = {"lattice.type": "ring" if self.ring else "chain", "lattice.extents": n}
        bonds = [(i, (i + 1) % n) for i in range(n if self.ring else n - 1)]
        a, b, c = (number(rng, -1, 1) for _ in range(3))
        if self.twice:
            x = number(rng, -1, 1)
            self.chain |= {"model.type": "xyz", "model.jx": a, "model.jy": b, "model.jz": c, "model.field-x": x}
            if rng.random() < 0.4:
                self.chain["model.jy"], self.chain["model.field-x"], b, x = a, 0, a, 0
            text = [f"{j} S{axis} {i} S{axis} {k}" for i, k in bonds for j, axis in zip((a, b, c), "xyz")]
            text += [f"{x} Sx {i}" for i in range(n)]
            if self.twice > 1:
                d = self.chain["model.anisotropy"] = number(rng, -1, 1)
                z = self.chain["model.field"] = number(rng, -1, 1)
                text += [f"{d} Sz {i} Sz {i}; {z} Sz {i}" for i in range(n)]
        else:
            spins = ("_up", "_dn") if self.kind in ELECTRONS else ("",)
            self.chain |= {"model.type": {"electrons": "hubbard"}.get(self.kind, self.kind), "model.t": a,
                           "model.v": b, "model.potential": c}
            text = [f"{-a} cdag{s} {i} c{s} {k}" for s in spins for i, k in bonds + [(k, i) for i, k in bonds]]
            text += [f"{b} n {i} n {k}" for i, k in bonds] + [f"{c} n {i}" for i in range(n)]
            if self.kind == "t-j":
                j = self.chain["model.j"] = number(rng, -2, 2)
                text += [f"{j} S{axis} {i} S{axis} {k}" for i, k in bonds for axis in "xyz"]
                text += [f"{-j / 4} n {i} n {k}" for i, k in bonds]
            if self.kind == "electrons":
                u = self.chain["model.u"] = number(rng, -4, 4)
                text += [f"{u} n_up {i} n_dn {i}" for i in range(n)]
        self.h += self.space.matrix("\n".join(text))
        self.slopes = {"field-x": [f"1 Sx {i}" for i in range(n)]} if self.twice else {
            "t": [f"-1 cdag{s} {i} c{s} {k}" for s in spins for i, k in bonds + [(k, i) for i, k in bonds]],
            "v": [f"1 n {i} n {k}" for i, k in bonds]}
        self.slopes |= {f"j{a}": [f"1 S{a} {i} S{a} {k}" for i, k in bonds] for a in "xyz" if self.twice}
        if self.kind == "electrons":
            self.slopes["u"] = [f"1 n_up {i} n_dn {i}" for i in range(n)]

    def conserves(self, charge):
        """Whether H does and, where an evolution begins with its ground state, h0, and the operators of a drive."""
        all_terms = abs(self.h) + (0 if self.h0 is None else abs(self.h0))
        if self.drive:
            all_terms = all_terms + sum(map(abs, self.drive.matrices.values()))
        rows, columns = np.nonzero(all_terms > 1e-13)
        return np.array_equal(charge[rows], charge[columns])

    def sector(self):
        """Keys of a random sector of what H conserves, and its states. charges: values, and 2 of a parity or 0."""
        rng, total = self.rng, self.numbers.sum(axis=0)
        self.charges = []
        if all(map(self.conserves, self.numbers)):
            keys, states = {}, np.ones(self.space.dimension, bool)
            self.charges = [(n, 0) for n in self.numbers]
            for name, n in zip(("sector.up", "sector.down"), self.numbers):
                value = rng.randint(0, self.sites * max(1, self.twice))
                states &= n == value
                keys |= {"sector.sz": f"{2 * value - self.sites * self.twice}/2"} if self.twice else {name: value}
            return keys, states
        if self.kind in ELECTRONS and self.conserves(total):
            value = rng.randint(0, self.sites * (2 if self.kind == "electrons" else 1))
            self.charges = [(total, 0)]
            return {"sector.particles": value}, total == value
        if self.kind in ELECTRONS and self.conserves(self.numbers[0] - self.numbers[1]):
            value = 0 if not self.alone else rng.randint(-self.sites, self.sites)
            self.charges = [(self.numbers[0] - self.numbers[1], 0)]
            return {"sector.sz": f"{value}/2"} if self.alone else {}, self.numbers[0] - self.numbers[1] == value
        if self.conserves(total % 2) and rng.random() < 0.7:
            parity, self.charges = rng.randrange(2), [(total, 2)]
            return {"sector.number-parity": ("even", "odd")[parity]}, total % 2 == parity
        return {}, np.ones(self.space.dimension, bool)

    def project(self, states):
        """H and states without doubly occupied sites, where sites hold one electron."""
        self.h = self.projected(self.h)
        if self.h0 is not None:
            self.h0 = self.projected(self.h0)
        if self.drive:
            self.drive.project(self.allowed())
        return states & self.allowed()

    def allowed(self):
        if self.kind != "t-j":
            return np.ones(self.space.dimension, bool)
        return np.max(sum(self.space.occupations()), axis=1) < 2

    def projected(self, matrix):
        return matrix * np.outer(self.allowed(), self.allowed())

    @property
    def names(self):
        return NAMES[self.kind]

    def job(self, keys):
        rng = self.rng
        job = program.Job("lanczos", ranks=rng.choice((1, 1, 2, 3)))
        job.update({"model.type": "terms"} if self.alone else self.chain)
        if self.lines:
            job.set("model.terms", "terms.txt")
            job.files["terms.txt"] = "\n".join(self.lines) + "\n"
        if self.twice > 1:
            job.set("model.spin", self.twice / 2 if self.twice % 2 else self.twice // 2)
        job.update(keys)
        job.set("backend.threads", 1 if job.ranks > 1 else rng.choice((1, 2)))
        if job.ranks > 1 and rng.random() < 0.5:
            job.set("backend.exchange", "rows")
        return job

    def occupations(self, weights):
        """[species][site]"""
        return [weights @ n for n in self.space.occupations()]


def compare_states(case, account, job, states, options):
    levels, vectors = np.linalg.eigh(case.h[np.ix_(states, states)])
    several = case.rng.random() < 0.3
    job.update({"run.tolerance": "1e-10", "run.max-steps": 2000})
    if several:
        job.set("run.states", min(4, len(levels)))
    cut = Cut(case, job)
    mine = add_observed(case, job)
    if mine and several and len(levels) > 1:
        mine.ask_elements(job)
    neighbour = None if several else fidelity.add(case, job, states, vectors[:, 0])
    outcome = launched(case, job)
    if outcome.code != 0:
        return account.fail(f"ended with {outcome.code}: {outcome.said}")
    bound = 1e-8 * (1 + abs(levels).max())
    account.compare("energy", outcome.values["energy"], levels[0], bound)
    if several and len(levels) > 1:
        count = min(4, len(levels))
        account.compare("energies", outcome.values["energies"], levels[:count], bound)
        if mine:
            mine.compare_levels(account, outcome, levels, in_all_states(case, states, vectors), count)
        cut.compare_levels(account, outcome, levels, in_all_states(case, states, vectors), count)
        return None
    if len(levels) > 1 and levels[1] - levels[0] < 1e-3:
        return account.note("degenerate ground states: energies alone")
    if neighbour:
        fidelity.compare(account, outcome, *neighbour)
    weights = np.zeros(case.space.dimension)
    weights[states] = abs(vectors[:, 0]) ** 2
    for name, exact in zip(names_of(case), case.occupations(weights)):
        account.compare("occupations", outcome.values[name], exact, 1e-5)
    if mine:
        mine.compare_state(account, outcome, in_all_states(case, states, vectors)[:, 0])
    if not several:
        cut.compare_state(account, outcome, in_all_states(case, states, vectors)[:, 0])
    spin = [weights @ (case.space.diagonal(("Sz", 0), ("Sz", j))) for j in range(case.sites)] \
        if case.kind not in ("fermions", "bosons") else []
    if spin:
        account.compare("spin correlations", outcome.values["spin-correlation"], spin, 1e-5)
    return None


def compare_spectrum(case, account, job, states, options):
    """S(k, omega) or N(k, omega) on a ring, or the spectrum of an operator of the user's own, by all eigenvectors of
    the sector."""
    levels, vectors = np.linalg.eigh(case.h[np.ix_(states, states)])
    if len(levels) > 1 and levels[1] - levels[0] < 1e-3:
        return account.note("degenerate ground states: no spectrum")
    width, n, rng = 0.1, case.sites, case.rng
    spin = case.twice > 0 or (case.kind == "t-j" and rng.random() < 0.5)
    job.update({"run.task": "spectrum", "spectrum.omega": "0:5:0.25", "spectrum.broadening": width,
                "spectrum.steps": 400, "run.tolerance": "1e-10"})
    own = not case.ring or rng.random() < 0.6
    if own:
        local = [m[np.ix_(states, states)] for m in observed.add_spectral(case, job)]
    else:
        job.set("spectrum.operator", "spin" if spin else "density")
        local = [np.diag(case.space.diagonal(("Sz" if spin else "n", i))[states]) for i in range(n)]
    outcome = launched(case, job)
    if outcome.code != 0:
        return account.fail(f"ended with {outcome.code}: {outcome.said}")
    lists = len(local) == n and n > 1
    for m in range(len(local)):
        wave = sum(np.exp(-2j * np.pi * m * i / n) * o for i, o in enumerate(local)) / math.sqrt(len(local))
        weights = abs(vectors.conj().T @ (wave @ vectors[:, 0])) ** 2
        for name, exact in (("weight", weights.sum()), ("first-moment", weights @ (levels - levels[0]))):
            account.compare(name, np.atleast_1d(outcome.values[name])[m], exact, 1e-6 * (1 + abs(exact)))
        exact = [(weights * width / math.pi / ((omega - levels + levels[0]) ** 2 + width ** 2)).sum()
                 for omega in outcome.series["omega"]]
        account.compare("spectra of own operators" if own else "spectra",
                        outcome.series[f"momentum-{m}" if lists else "intensity"], exact, 1e-6 * (1 + max(exact)))
    return None


def compare_dmrg(case, account, job, states, options):
    """Ground state by density-matrix renormalization: H and observables of the same texts."""
    rng = case.rng
    job.application = "dmrg"
    job.keys.pop("backend.exchange", None)
    levels, vectors = np.linalg.eigh(case.h[np.ix_(states, states)])
    job.update({"run.tolerance": "1e-9", "run.seed": rng.randint(1, 99)})
    if len(levels) > 60 and rng.random() < 0.3:
        job.set("run.states", 2)
    mine = add_observed(case, job)
    outcome = launched(case, job)
    if outcome.code == 2 and "distribute" in outcome.said:
        return account.note("refused: parts that nothing connects")
    if outcome.code == 2 and "odd number of fermion operators" in outcome.said and case.wanted == "nothing":
        return account.note("refused: odd terms of fermions")
    if outcome.code == 2 and mine and "leaves the sector" in outcome.said and case.wanted == "nothing":
        return account.note("refused: odd observables of fermions")
    if outcome.code != 0:
        return account.fail(f"ended with {outcome.code}: {outcome.said}")
    scale = 1 + abs(levels).max()
    for name in ("energies", "energy", "measured-energy"):
        if name in outcome.values:
            count = len(outcome.values[name])
            error = 1e-7 if "measured" in name else outcome.errors.get(name, outcome.values.get("error-estimate"))
            account.compare(f"{name} of DMRG", outcome.values[name], levels[:count], 1e-10 * scale + error)
    if len(levels) > 1 and levels[1] - levels[0] < 1e-3:
        return account.note("degenerate ground states: energies alone")
    weights = np.zeros(case.space.dimension)
    weights[states] = abs(vectors[:, 0]) ** 2
    occupations = case.occupations(weights)
    names = (("density-up", "density-down") if case.kind in ELECTRONS else ("sz",) if case.twice else ("density",))
    for name, exact in zip(names, occupations):
        account.compare("local values of DMRG", outcome.values[name], exact - 0.5 * case.twice, 1e-4)
    psi = in_all_states(case, states, vectors)[:, 0]
    bound = 1e-6 + 3 * math.sqrt(abs(outcome.values["measured-energies" if "energies" in outcome.values else
                                                     "measured-energy"][0] - levels[0]) + 1e-13)
    if len(levels) == 1 or levels[1] - levels[0] > 0.05:
        account.compare("entropies of DMRG", outcome.values["entropies"],
                        [tensor_evolution.entropy_of(case, psi, cut) for cut in range(1, case.sites)], 30 * bound)
    if mine:
        mine.compare_state(account, outcome, psi, 1e-4)
    return None


def examine(seed, index, account, state, options):
    return examine_case(Case(seed, index), account, state, options)


def examine_case(case, account, state, options):
    assert abs(case.h - case.h.conj().T).max() < 1e-12
    keys, states = case.sector()
    states = case.project(states)
    job = case.job(keys)
    state.update(task=f"{case.kind}, {case.wanted}", job=job)
    account.note(f"{job.ranks} ranks")
    account.note("complex" if case.complex else "real")
    empty = not states.any()
    if empty:
        return account.note("no state")
    compare = compare_states
    if case.rng.random() < 0.5 and states.sum() > 1:
        compare = case.rng.choice((compare_evolution, compare_spectrum, charged_spectra.compare,
                                   charged_spectra.compare, all_levels.compare_all_numbers,
                                   compare_thermal if states.sum() > 15 else compare_evolution))
    if case.sites > 1 and case.rng.random() < 0.4:
        compare = compare_dmrg
    if case.h0 is not None or case.drive:
        compare = compare_evolution
    both = compare in (compare_dmrg, compare_evolution)
    if case.sites > 1 and case.rng.random() < (0.5 if both else 0):
        compare = tensor_evolution.compare
    compare(case, account, job, states, options)
    return None


if __name__ == "__main__":
    sys.exit(program.main(__doc__, examine))
