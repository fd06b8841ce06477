# SPDX-License-Identifier: BSD-3-Clause
"""Random systems of spins: the keys of [lattice] and [model], and the Hamiltonian that they mean."""

import random

import numpy as np

import lattices
import program
import spin_half
from checks import number
from lanczos_oracle import Cell, random_cell
from spin_strings import random_strings

MOST_SPINS = 9
MOST_SITES = 10  # of a lattice: those of the torus (3, 1), (-1, 3), where some nearest images are three periods away


def random_terms(rng, spins, count):
    """Text of some terms, and what they mean."""
    terms, texts = spin_half.Terms(spins), []
    for _ in range(count):
        a, value = rng.randrange(3), number(rng, -1, 1)
        if spins > 1 and rng.random() < 0.6:
            j, k = rng.sample(range(spins), 2)
            terms.couple(j, k, [value * (b == a) for b in range(3)])
            texts.append(f"{value} S{'xyz'[a]} {j} S{'xyz'[a]} {k}")
        else:
            j = rng.randrange(spins)
            terms.field[a, j] += value
            texts.append(f"{value} S{'xyz'[a]} {j}")
    return "; ".join(texts), terms


def thin_checkerboard(rng):
    """One cell wide in a direction, where the further hops, which spins do not have, would lead back to their site."""
    x, y = rng.choice(((1, 1), (1, 2), (2, 1), (1, 3), (4, 1)))
    return Cell("checkerboard", {"lattice.type": "checkerboard", "lattice.extents": [x, y]},
                lambda t, phase, flux: lattices.checkerboard([(x, 0), (0, y)], t, phase, flux), 2, True, 2)


def nearest_images(r, periods):
    """All images of r that are as near as the nearest one, among more of them than any torus of so few sites needs."""
    turns = range(-MOST_SITES, MOST_SITES + 1)
    images = [r]
    for period in periods:
        images = [image + turn * period for image in images for turn in turns]
    images = np.array(images)
    lengths = np.linalg.norm(images, axis=1)
    return images[lengths <= lengths.min() * (1 + 1e-9)]


class System:
    """A random lattice with couplings, fields and terms: a job that has their keys, and the terms of H."""

    def __init__(self, rng, ranks, seed, chebyshev, tiny):
        """`tiny`: couplings are smaller than 1 by so many decades; such a system has nothing else."""
        self.rng, self.seed, self.chebyshev, self.tiny = rng, seed, chebyshev, tiny
        self.job = program.Job("trotter", ranks)
        self.random_lattice()
        self.random_fields()

    def random_model(self):
        """J^x, J^y, J^z of a bond, with the keys of a random model."""
        rng, job = self.rng, self.job
        model = rng.choice(("xyz", "xyz", "heisenberg", "xxz", "xx", "ising", "double-quantum"))
        job.set("model.type", model)
        if model == "xyz":
            given = {a: number(rng, -2, 2) for a in rng.sample("xyz", rng.randint(1, 3))}
            for a, value in given.items():
                job.set("model.j" + a, value)
            return np.array([given.get(a, 0.0) for a in "xyz"])
        key = "model.jz" if model == "ising" else "model.j"
        value = 0.0 if model == "ising" else 1.0
        if model == "ising" or rng.random() < 0.7:
            job.set(key, value := number(rng, -2, 2))
        if model == "xxz" or model == "heisenberg" and rng.random() < 0.3:
            job.set("model.jz", jz := number(rng, -2, 2))
            return np.array([value, value, jz])
        return value * np.array({"heisenberg": (1, 1, 1), "xx": (1, 1, 0), "ising": (0, 0, 1),
                                 "double-quantum": (1, -1, 0)}[model])

    def write_terms(self, text):
        self.job.set("model.terms", "terms.txt")
        self.job.files["terms.txt"] = text.replace("; ", "\n") + "\n"

    def random_lattice(self):
        rng = self.rng
        kind = rng.choice(("cell", "cell", "cell", "neighbours", "all", "dipolar", "dipolar", "file", "terms"))
        kind = "file" if self.tiny else kind
        self.wave_vectors, self.bonds, self.line = False, [], ""
        if kind == "terms":
            self.terms = spin_half.Terms(rng.randint(1, MOST_SPINS))
            text, self.terms = random_terms(rng, self.terms.spins, rng.randint(1, 8))
            last = self.terms.spins - 1  # the largest spin that is named is the last one
            self.terms.field[0, last] += 0.25
            named = {int(word) for term in text.split("; ") for word in term.split()[2::2]} | {last}
            idle = "".join(f"; 0 Sz {j}" for j in range(last) if j not in named)  # sites that no term names are refused
            self.write_terms(f"{text}{idle}; 0.25 Sx {last}")
        elif kind == "file":
            self.edge_file(self.random_model())
        elif kind in ("all", "dipolar"):
            self.all_pairs(kind == "dipolar")
        elif kind == "neighbours":
            self.neighbours(self.random_model())
        else:
            self.cell(self.random_model())
        self.spins = self.terms.spins

    def random_cluster(self):
        """A lattice with its keys; no bond leads back to its own spin."""
        while True:
            cell = thin_checkerboard(self.rng) if self.rng.random() < 0.05 else random_cell(self.rng, True)
            if cell.kind == "file" or cell.complex and cell.kind != "checkerboard":
                continue
            cluster = cell.build([1.0], 0.0, [])
            if cell.kind == "checkerboard":  # further hops have weight 0: no bonds of spins
                cluster.edges = [e for e in cluster.edges if e.weight != 0]
            if 2 <= cluster.sites <= MOST_SITES and all(e.start != e.end for e in cluster.edges):
                return cell, cluster

    def cell(self, coupling):
        cell, cluster = self.random_cluster()
        self.wave_vectors = cell.kind in ("ring", "chain")  # the structure factor is that of equally spaced spins
        self.set_line(cell.kind if self.wave_vectors else "", cluster.sites)
        for key, value in cell.keys.items():
            self.job.set(key, value)
        self.terms = spin_half.Terms(cluster.sites)
        for e in cluster.edges:
            if cell.kind == "checkerboard":
                factors = np.full(3, e.weight)
            else:
                factors = np.array([e.amplitude.real, e.amplitude.real, e.weight])
            self.terms.couple(e.start, e.end, factors * coupling)
        second = lattices.second_bonds(cell.kind, cluster, 1.0)
        if (second and coupling[0] != 0 and self.job.keys["model.type"] in ("heisenberg", "xxz", "xx")
                and self.rng.random() < 0.4):
            if all(e.start != e.end for e in second):
                self.job.set("model.j2", j2 := number(self.rng, -1, 1))
                for e in second:
                    self.terms.couple(e.start, e.end, j2 / coupling[0] * coupling)

    def neighbours(self, coupling):
        """A ring or chain that is long enough for light-cone passes, in double precision at least. Dense matrices of 12
        spins take minutes."""
        lattice, spins = self.rng.choice(("ring", "chain")), self.rng.randint(10, 10 if self.chebyshev else 12)
        self.job.set("lattice.type", lattice)
        self.job.set("lattice.extents", spins)
        self.wave_vectors = True
        self.set_line(lattice, spins)
        self.terms = spin_half.Terms(spins)
        for j in range(spins if lattice == "ring" else spins - 1):
            self.terms.couple(j, (j + 1) % spins, coupling)

    def set_line(self, line, spins):
        """Bonds of a ring or chain, for the patterns of observables."""
        self.line = line
        if line:
            self.bonds = [(j, (j + 1) % spins) for j in range(spins if line == "ring" else spins - 1)]

    def edge_file(self, coupling):
        rng = self.rng
        spins, lines, idle = rng.randint(2, MOST_SPINS), ["# random"], set()
        self.terms = spin_half.Terms(spins)
        for i in range(rng.randint(1, 2 * spins)):
            j, k = rng.sample(range(spins), 2) if i else (spins - 1, rng.randrange(spins - 1))
            idle = (idle if i else set(range(spins))) - {j, k}
            factor, weight = number(rng, -1, 1), number(rng, -1, 1)
            if self.tiny:
                factor, weight = factor * 10**-self.tiny, weight * 10**-self.tiny
            given = [factor, 0, weight] if self.tiny else rng.choice(([], [factor], [factor, 0, weight]))
            lines.append(" ".join(map(str, [j, k, *given])))
            factor, weight = (1.0, 1.0) if not given else (factor, factor) if len(given) == 1 else (factor, weight)
            self.terms.couple(j, k, np.array([factor, factor, weight]) * coupling)
            if factor or weight:
                self.bonds.append((j, k))
        lines += [f"{j} {(j + 1) % spins} 0 0 0" for j in sorted(idle)]  # sites that no edge names are refused
        self.job.set("lattice.type", "file")
        self.job.set("lattice.file", "edges.txt")
        self.job.files["edges.txt"] = "\n".join(lines) + "\n"

    def all_pairs(self, dipolar):
        rng, job = self.rng, self.job
        job.set("lattice.type", "all")
        periods, direction = [], np.array([0.0, 0.0, 1.0])
        if rng.random() < 0.3:
            positions = [(number(rng, -2, 2), number(rng, -2, 2), 3.0 * i) for i in range(rng.randint(2, MOST_SPINS))]
            job.set("lattice.geometry", "positions")
            job.set("lattice.positions", "positions.txt")
            job.files["positions.txt"] = "".join(f"{x} {y} {z} # spin\n" for x, y, z in positions)
            positions = np.array(positions)
        else:
            while True:
                cell, cluster = self.random_cluster()
                if cell.kind in lattices.WITH_DISTANCES and cell.kind != "ladder":
                    break
            job.set("lattice.geometry", cell.kind)
            job.set("lattice.extents", cell.keys["lattice.extents"])
            positions = np.pad(cluster.positions(), ((0, 0), (0, 1)))
            if cell.kind != "chain":
                periods = [np.pad(np.array(v, float) @ np.array(cluster.axes), (0, 1)) for v in cluster.torus]
        if dipolar:
            job.set("model.type", "dipolar")
            job.set("model.j", j := number(rng, -3, 3))
            coupling, power = j * np.array([-1, -1, 2]), 3.0
            if rng.random() < 0.6:
                direction = np.array([number(rng, -1, 1), number(rng, -1, 1), rng.choice((0.0, 0.5))])
                if not direction.any():
                    direction[0] = 1.0
                job.set("model.direction", list(direction))
        else:
            coupling, power = self.random_model(), 0.0
            if rng.random() < 0.8:
                job.set("model.range", power := number(rng, 0, 4))
        self.terms = spin_half.Terms(len(positions))
        for k in range(len(positions)):
            for j in range(k):
                images = nearest_images(positions[k] - positions[j], periods)
                factor = np.linalg.norm(images[0]) ** -power
                if dipolar:
                    factor *= np.mean([1 - 3 * (r @ direction) ** 2 / (r @ r) / (direction @ direction)
                                       for r in images])
                self.terms.couple(j, k, factor * coupling)

    def random_fields(self):
        rng, job = self.rng, self.job
        for a, axis in enumerate("xyz"):
            if not self.tiny and rng.random() < 0.5:
                values = [number(rng, -2, 2) for _ in range(rng.choice((1, self.spins)))]
                job.set("model.field" + ("" if axis == "z" else "-" + axis), values)
                self.terms.field[a] += values if len(values) > 1 else values[0]
        if not self.tiny and rng.random() < 0.4:
            width, a = number(rng, 0, 2), rng.randrange(3)
            job.set("model.disorder", width)
            if a != 2 or rng.random() < 0.5:
                job.set("model.disorder-axis", "xyz"[a])
            self.terms.field[a] += width * np.array(spin_half.random_fields(self.seed, self.spins))
        if "model.terms" not in job.keys and not self.tiny and rng.random() < 0.3:
            text, more = random_terms(rng, self.spins, rng.randint(1, 5))
            self.write_terms(text)
            self.terms = self.terms.plus(more)
        self.strings = random.Random(f"strings {self.seed}")
        if self.chebyshev and not self.tiny and self.strings.random() < 0.7:
            lines, more = self.more_terms()
            self.write_terms(job.files.get("terms.txt", "") + "\n".join(lines))
            self.terms = self.terms.plus(more)
        job.set("run.seed", self.seed)

    def more_terms(self):
        """Lines of products of any operators, and what they mean."""
        terms = spin_half.Terms(self.spins)
        lines, terms.others, terms.others_bound = random_strings(self.strings, self.spins, self.strings.randint(1, 6))
        return lines or ["0 Sz 0"], terms
