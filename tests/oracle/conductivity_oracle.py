#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Random small clusters of electrons and fermions: the optical conductivity by lanczos against Lehmann sums over all
states, with currents made from the positions of the sites, and Drude weights against the curvature by a flux; spectra
at temperatures (thermal_spectra.py)."""

import math
import random
import sys

import numpy as np

import lattices
import operators
import program
import thermal_spectra
from checks import number

MOST_STATES = 250
PLANES = [kind for kind, row in lattices.TEXTBOOK.items() if row.second and kind != "tilted"]


class Bond:
    """Of the cell: from site `start` to site `end` of the cell (dx, dy) further."""

    def __init__(self, start, end, dx, dy, amplitude, weight=1.0):
        self.start, self.end, self.dx, self.dy = start, end, dx, dy
        self.amplitude, self.weight = complex(amplitude), weight


class Hop:
    """- amplitude c+_end c_start + h.c. over a Cartesian displacement and so many torus vectors."""

    def __init__(self, start, end, amplitude, r, turns=(0, 0), weight=1.0):
        self.start, self.end, self.amplitude, self.weight = start, end, complex(amplitude), weight
        self.r, self.turns = np.array(r, float), np.array(turns, float)


def open_hops(kind, length, legs, t, t2):
    """Of a ladder or cylinder, sites numbered rung by rung."""
    hops = []
    steps = [(1, 0, t, 1.0), (0, 1, t, 1.0)] if legs > 1 else [(1, 0, t, 1.0)]
    if t2:
        steps += [(2, 0, t2, 0.0)] if legs == 1 else [(1, 1, t2, 0.0), (1, -1, t2, 0.0)]
    for x in range(length):
        for y in range(legs):
            for dx, dy, amplitude, weight in steps:
                inside = x + dx < length and (kind == "cylinder" or 0 <= y + dy < legs)
                if inside:
                    hops.append(Hop(legs * x + y, legs * (x + dx) + (y + dy) % legs, amplitude, (dx, dy),
                                    weight=weight))
    return hops


def periodic_hops(torus, places, axes, bonds):
    cells = lattices.cells_of(torus)
    hops, basis = [], len(places)
    for x, y in cells:
        for b in bonds:
            cell = next(n for n, (X, Y) in enumerate(cells)
                        if lattices.same_cell(torus, x + b.dx - X, y + b.dy - Y))
            within = np.array([b.dx, b.dy]) + np.array(places[b.end]) - np.array(places[b.start])
            turns = np.linalg.solve(np.array(torus, float).T, np.array([b.dx, b.dy], float))
            hops.append(Hop(basis * cells.index((x, y)) + b.start, basis * cell + b.end, b.amplitude,
                            within @ np.array(axes), turns, b.weight))
    return hops


class Case:
    def __init__(self, seed, index):
        rng = self.rng = random.Random(f"conductivity {seed} {index}")
        self.job = program.Job("lanczos", rng.choice((2, 3)) if rng.random() < 0.15 else 1)
        self.type = rng.choice(("hubbard", "hubbard", "fermions", "t-j"))
        while True:
            self.draw_lattice()
            if 2 <= self.sites <= (8 if self.type == "fermions" else 6) and all(h.start != h.end for h in self.hops):
                break
        self.job.set("model.type", self.type)
        self.draw_model()
        self.draw_flux()
        self.draw_direction()

    def draw_lattice(self):
        rng, keys = self.rng, {}
        kind = self.kind = rng.choice(("ring", "ring", "chain", *PLANES, "ladder", "cylinder", "custom", "custom"))
        t = number(rng, 0.3, 2) * rng.choice((1, -1))
        t2 = number(rng, -1, 1) if kind not in ("custom",) and rng.random() < 0.4 else 0.0
        self.torus = None
        if kind in ("ring", "chain"):
            n = rng.randint(2, 8)
            keys["lattice.extents"] = n
            if kind == "ring":
                bonds = [Bond(0, 0, 1, 0, t)] + ([Bond(0, 0, 2, 0, t2, 0.0)] if t2 else [])
                self.torus, self.hops = [(n, 0), (0, 1)], periodic_hops([(n, 0), (0, 1)], [(0, 0)],
                                                                       lattices.SQUARE_AXES, bonds)
                self.places, self.basis, self.axes = [(i, 0) for i in range(n)], 1, lattices.SQUARE_AXES
            else:
                self.hops = open_hops("ladder", n, 1, t, t2)
            self.sites = n
        elif kind in ("ladder", "cylinder"):
            length, legs = rng.choice(((2, 2), (3, 2), (2, 3), (4, 2), (1, 3)))
            keys["lattice.extents"] = [length, legs]
            self.sites, self.hops = length * legs, open_hops(kind, length, legs, t, t2)
        else:
            x, y = rng.choice(((1, 2), (2, 1), (2, 2), (3, 2), (2, 3), (4, 1), (1, 3)))
            self.torus = [(x, 0), (0, y)]
            keys["lattice.extents"] = [x, y]
            row = lattices.TEXTBOOK.get(kind)
            axes = self.axes = row.axes if row else lattices.SQUARE_AXES
            if kind == "custom":
                places = [(number(rng, 0, 1), number(rng, 0, 1)) for _ in range(rng.randint(1, 3))]
                bonds = self.custom_bonds(len(places))
                keys["lattice.cell-bonds"] = "; ".join(
                    f"{b.start} {b.end} {b.dx} {b.dy} {b.amplitude.real} {b.amplitude.imag} {b.weight}" for b in bonds)
                keys["lattice.cell-positions"] = "; ".join(f"{a} {b}" for a, b in places)
                for b in bonds:
                    b.amplitude *= t
            else:
                places = row.places
                bonds = [Bond(*b, t) for b in lattices.neighbour_bonds(kind)]
                if t2:
                    bonds += [Bond(*b, t2, 0.0) for b in lattices.neighbour_bonds(kind, row.second)]
            self.hops = periodic_hops(self.torus, places, axes, bonds)
            self.basis = len(places)
            self.places = [(x + a, y + b) for x, y in lattices.cells_of(self.torus) for a, b in places]
            self.sites = len(places) * x * y
        self.job.keys.clear()
        self.job.set("lattice.type", kind)
        self.job.update(keys)
        self.job.set("model.t", t)
        if t2:
            self.job.set("model.t2", t2)

    def custom_bonds(self, basis):
        rng, bonds = self.rng, []
        for i in range(basis + rng.randint(0, 2)):
            start, end = (i, (i + 1) % basis) if i < basis else (rng.randrange(basis), rng.randrange(basis))
            dx, dy = (rng.randint(-1, 1), rng.randint(-1, 1))
            if start == end and dx == dy == 0:
                dx = 1
            bonds.append(Bond(start, end, dx, dy, complex(number(rng, -1, 1), number(rng, -1, 1) * rng.randint(0, 1)),
                              number(rng, -1, 2)))
        return bonds

    def draw_model(self):
        rng, job = self.rng, self.job
        self.u = self.v = self.j = 0.0
        if self.type == "hubbard":
            self.u = number(rng, -2, 8)
            job.set("model.u", self.u)
        if self.type == "t-j":
            self.j = number(rng, 0.1, 1)
            job.set("model.j", self.j)
        elif rng.random() < 0.5:
            self.v = number(rng, -1, 2)
            job.set("model.v", self.v)
        self.energies = [0.0] * self.sites
        if rng.random() < 0.5:
            self.energies = [number(rng, -0.5, 0.5) for _ in range(self.sites)]
        job.set("model.potential", self.energies)
        species = 1 if self.type == "fermions" else 2
        for _ in range(50):
            self.filling = tuple(rng.randint(0, self.sites) for _ in range(species))
            states = math.prod(math.comb(self.sites, n) for n in self.filling)
            if states <= (2 if self.type == "t-j" else 1) * MOST_STATES and (
                    self.type != "t-j" or sum(self.filling) < self.sites) and 0 < sum(self.filling):
                break
        else:
            self.filling = (1,) + (0,) * (species - 1)
        job.set("sector.up", self.filling[0])
        if species == 2:
            job.set("sector.down", self.filling[1])
        self.terms = []
        if self.kind == "chain" and self.type == "hubbard" and self.sites > 2 and rng.random() < 0.5:
            c = complex(number(rng, -1, 1), number(rng, -1, 1))
            self.terms = [(c, (("n_dn", 1), ("cdag_up", 2), ("c_up", 0)), 2.0),
                          (c.conjugate(), (("n_dn", 1), ("cdag_up", 0), ("c_up", 2)), -2.0)]
            job.set("model.terms", "terms.txt")
            job.files = {"terms.txt": "".join(
                f"{c.real}{c.imag:+}i {' '.join(f'{name} {site}' for name, site in factors)}\n"
                for c, factors, _ in self.terms)}
        else:
            job.files = {}

    def draw_flux(self):
        self.flux = np.zeros(2)
        if self.torus is None or self.rng.random() < 0.5:
            return
        count = 1 if self.kind == "ring" else 2
        self.flux[:count] = [number(self.rng, -3, 3) for _ in range(count)]
        self.job.set("model.flux", list(self.flux[:count]))

    def draw_direction(self):
        rng = self.rng
        word = rng.choice(("x", "y", "vector", None))
        if word == "vector":
            r = np.array([number(rng, -1, 1), number(rng, -1, 1)])
            self.direction = r / np.linalg.norm(r)
            self.job.set("spectrum.direction", list(r))
            return
        self.direction = np.array([0.0, 1.0] if word == "y" else [1.0, 0.0])
        if word:
            self.job.set("spectrum.direction", word)

    def space(self):
        kind = operators.fermions() if self.type == "fermions" else operators.electrons()
        return operators.Space([kind] * self.sites, self.filling)

    def matrices(self, flux):
        """H, J and T_d."""
        space = self.space()
        ends = [""] if self.type == "fermions" else ["_up", "_dn"]
        diagonal = [(e, (("n", i),)) for i, e in enumerate(self.energies)]
        if self.type == "hubbard":
            diagonal += [(self.u, (("n_up", i), ("n_dn", i))) for i in range(self.sites)]
        hops, current, kinetic = [], [], []
        for h in self.hops:
            a, delta = h.amplitude * np.exp(1j * h.turns @ flux), h.r @ self.direction
            diagonal.append((self.v * h.weight, (("n", h.start), ("n", h.end))))
            for end in ends:
                there = (("cdag" + end, h.end), ("c" + end, h.start))
                back = (("cdag" + end, h.start), ("c" + end, h.end))
                hops += [(-a, there), (-a.conjugate(), back)]
                current += [(1j * delta * a, there), (-1j * delta * a.conjugate(), back)]
                kinetic += [(-delta**2 * a, there), (-delta**2 * a.conjugate(), back)]
            if self.type == "t-j":
                strength = self.j * h.weight
                diagonal += [(strength, ((s, h.start), (s, h.end))) for s in ("Sx", "Sy", "Sz")]
                diagonal.append((-strength / 4, (("n", h.start), ("n", h.end))))
        for c, factors, x in self.terms:
            delta = x * self.direction[0]
            hops.append((c, factors))
            current.append((-1j * delta * c, factors))
            kinetic.append((delta**2 * c, factors))
        all_three = [space.matrix(terms).astype(complex) if terms else np.zeros(2 * (space.dimension,), complex)
                     for terms in (diagonal + hops, current, kinetic)]
        if self.type == "t-j":
            up, down = space.occupations()
            single = np.nonzero((up * down).sum(axis=1) == 0)[0]
            all_three = [m[np.ix_(single, single)] for m in all_three]
        return all_three


def curvature(case, multiplicity):
    """Second derivative by a vector potential along the direction, of the mean of the lowest levels, by the twist of
    the boundary alone."""
    vectors = np.array(case.torus, float) @ np.array(case.axes)

    def mean(a):
        twist = case.flux + a * np.array([case.direction @ v for v in vectors])
        return np.linalg.eigvalsh(case.matrices(twist)[0])[:multiplicity].mean()
    h = 2e-3
    at = [mean(k * h) for k in (-2, -1, 0, 1, 2)]
    return (-at[0] + 16 * at[1] - 30 * at[2] + 16 * at[3] - at[4]) / (12 * h * h)


def check_ground_state(case, account, options):
    rng, job = case.rng, case.job
    h, current, kinetic = case.matrices(case.flux)
    energies, states = np.linalg.eigh(h)
    scale = max(abs(energies).max(), energies[-1] - energies[0], 1e-3)
    multiplicity = int(np.sum(energies - energies[0] < 1e-10 * scale))
    gap = energies[multiplicity] - energies[0] if multiplicity < len(energies) else math.inf
    width = number(rng, 0.05, 0.5)
    omega = sorted(number(rng, 0, 12) for _ in range(6))
    job.update({"run.task": "spectrum", "spectrum.operator": "current", "spectrum.broadening": width,
                "run.seed": rng.randint(1, 10**6), "run.max-steps": 2000,
                "spectrum.steps": 2 * MOST_STATES, "backend.threads": 1})
    job.set("spectrum.omega", omega)
    if multiplicity > 1:
        job.set("run.states", multiplicity)
    outcome = program.launch(job, options)
    if not kinetic.any() and not any(abs(hop.r @ case.direction) > 0 for hop in case.hops):
        return account.claim("no current along the direction is refused",
                             outcome.code == 2 and "no term" in outcome.said, outcome.sentence())
    if outcome.code == 5 and gap < 1e-4 * scale:
        return account.note("levels too near to each other")
    if outcome.code != 0:
        return account.fail(f"exit code {outcome.code}: {outcome.sentence()}")
    ground, others = states[:, :multiplicity], states[:, multiplicity:]
    poles = energies[multiplicity:] - energies[0]
    strengths = math.pi / case.sites * np.mean(abs(others.conj().T @ current @ ground) ** 2, axis=1) / poles
    mean = np.trace(ground.conj().T @ kinetic @ ground).real / multiplicity
    values = outcome.values
    size = abs(current).sum(axis=0).max(initial=1e-3)
    bound = (values["residual"][0] / gap + 1e-11) * (1 + size**2 / min(gap, 1) + abs(kinetic).max())
    account.compare("energy", values["energy"], energies[0], 1e-8 * scale)
    account.compare("kinetic-energy", values["kinetic-energy"], mean, bound)
    account.compare("conductivity-weight", values["conductivity-weight"], strengths.sum(), bound)
    drude = -math.pi / case.sites * mean - 2 * strengths.sum()
    account.compare("drude-weight", values["drude-weight"], drude, 3 * bound)
    account.compare("drude-weight-step-error", values["drude-weight-step-error"], 0, 3 * bound)
    exact = (width / math.pi / ((np.array(omega)[:, None] - poles) ** 2 + width**2)) @ strengths
    account.compare("conductivity", outcome.series["conductivity"], exact, bound / width)
    account.compare("truncation-bound", values["truncation-bound"], 0, bound / width**2)
    if case.torus is None and case.kind != "cylinder" and len(case.filling):
        account.compare("open ends have no Drude weight", values["drude-weight"], 0, 3 * bound)
        account.compare("reference of open ends", outcome.references["drude-weight"], 0, 1e-300)
    if case.kind not in ("chain", "ladder", "cylinder") and gap > 0.02 * scale:
        account.compare("drude-weight is the curvature by a flux", drude, math.pi / case.sites * curvature(
            case, multiplicity), 1e-5 * (1 + size**2 / gap))
    if case.torus and multiplicity == 1 and not any(case.energies) and rng.random() < 0.7:
        compare_in_sector(case, account, options, outcome, bound)
    for name in values:
        if not name.startswith(("energ", "residual", "site-", "wave-vector")) and name not in (
                "steps", "converged", "degeneracy", "next-energy", "kinetic-energy", "conductivity-weight",
                "drude-weight", "drude-weight-step-error", "truncation-bound"):
            account.fail(f"'{name}' has no oracle")
    return None


def compare_in_sector(case, account, options, whole, bound):
    """The same ground state in the sector of its momentum."""
    job = program.Job("lanczos", case.job.ranks)
    job.keys, job.files = dict(case.job.keys), case.job.files
    job.set("sector.momentum", "auto")
    outcome = program.launch(job, options)
    if outcome.code != 0:
        return account.fail(f"sector: exit code {outcome.code}: {outcome.sentence()}")
    for name in ("kinetic-energy", "conductivity-weight", "drude-weight"):
        account.compare("sector of momentum: " + name, outcome.values[name], whole.values[name], 10 * bound)
    return account.compare("sector of momentum: conductivity", outcome.series["conductivity"],
                           whole.series["conductivity"], 1e3 * bound)


def examine(seed, index, account, state, options):
    case = Case(seed, index)
    thermal = case.rng.random() < 0.35
    state.update(task="temperatures" if thermal else "ground state", job=case.job)
    (thermal_spectra.check_temperatures if thermal else check_ground_state)(case, account, options)


if __name__ == "__main__":
    sys.exit(program.main(__doc__, examine))
