# SPDX-License-Identifier: BSD-3-Clause
"""Random half filled models for particle_hole_oracle.py: lattices, H and the exchange of particles and holes as
matrices, which sectors they have, and the states of these."""

import cmath
import math
import random

import numpy as np
import scipy.sparse

import operators

RINGS = {"electrons": (4, 6, 6, 6, 8), "fermions": (4, 6, 8, 10, 10)}


def number(rng, low, high):
    return round(rng.uniform(low, high), 3)


class Lattice:
    """Edges (i, j, amplitude), each one hop -amplitude c+_j c_i + h.c., and permutations of the sites."""

    def __init__(self, rng, kind):
        self.keys, self.files, self.translations, self.points = {}, {}, [], {}
        self.shape = rng.choice(("ring", "ring", "ring", "chain", "square", "file"))
        size = rng.choice(RINGS[kind])
        if self.shape in ("ring", "chain"):
            n = self.sites = size
            self.edges = [(i, (i + 1) % n, 1.0) for i in range(n if self.shape == "ring" else n - 1)]
            self.keys = {"lattice.type": self.shape, "lattice.extents": n}
            if self.shape == "ring":
                self.translations = [(n, [(i + 1) % n for i in range(n)])]
            self.points["parity"] = (2, [-i % n if self.shape == "ring" else n - 1 - i for i in range(n)])
        elif self.shape == "square":
            self.draw_square(rng, kind)
        else:
            self.draw_file(rng, min(size, 8) if kind == "fermions" else rng.choice((4, 5, 6, 6, 6)))

    def draw_square(self, rng, kind):
        x, y = self.extents = rng.choice(((4, 2), (2, 2), (4, 2)) if kind == "electrons" else ((4, 2), (4, 4), (3, 2)))
        self.sites = x * y
        self.keys = {"lattice.type": "square", "lattice.extents": f"{x},{y}"}
        def at(i, j):
            return i % x + x * (j % y)
        places = [(i, j) for j in range(y) for i in range(x)]
        self.edges = [(at(i, j), to, 1.0) for i, j in places for to in (at(i + 1, j), at(i, j + 1))]
        self.translations = [(x, [at(i + 1, j) for i, j in places]), (y, [at(i, j + 1) for i, j in places])]
        self.points = {"parity": (2, [at(-i, -j) for i, j in places]),
                       "reflection": (2, [at(i, -j) for i, j in places])}
        if x == y:
            self.points["rotation"] = (4, [at(-j, i) for i, j in places])

    def draw_file(self, rng, n):
        """A random tree and further edges between its two sublattices, mostly; signs are those of any boundaries."""
        self.sites, side, pairs = n, [1], []
        for j in range(1, n):
            i = rng.randrange(j)
            side.append(-side[i])
            pairs.append((i, j))
        if rng.random() < 0.2:
            pairs.pop(rng.randrange(len(pairs)))
        pairs += [(i, j) for i in range(n) for j in range(i) if side[i] != side[j] and rng.random() < 0.3]
        if rng.random() < 0.06:
            pairs += [(i, j) for i in range(n) for j in range(i) if side[i] == side[j]][:1]
        self.edges = [(i, j, rng.choice((-1, 1)) * number(rng, 0.3, 1.5)) for i, j in pairs]
        self.keys = {"lattice.type": "file", "lattice.file": "edges.txt"}
        alone = "".join(f"{i} {(i + 1) % n} 0 0 0\n" for i in range(n) if all(i not in pair for pair in pairs))
        self.files = {"edges.txt": alone + "".join(f"{i} {j} {a}\n" for i, j, a in self.edges)}


class Case:
    def __init__(self, seed, index):
        rng = self.rng = random.Random(f"particles and holes {seed} {index}")
        self.kind = rng.choice(("electrons", "electrons", "fermions"))
        self.lattice = Lattice(rng, self.kind)
        n = self.sites = self.lattice.sites
        self.spins, self.anticommute = ("_up", "_dn") if self.kind == "electrons" else ("",), False
        self.keys = {**self.lattice.keys, "model.type": "hubbard" if len(self.spins) == 2 else "fermions"}
        self.draw_energies()
        kind = operators.electrons() if len(self.spins) == 2 else operators.fermions()
        self.space = operators.Space(n * [kind])
        counts = [c.sum(axis=1) for c in self.space.occupations()]
        self.inside = np.flatnonzero(np.all([c == n // 2 for c in counts], axis=0))
        self.h = self.part(self.space.sparse(self.terms())).toarray()

    def draw_energies(self):
        rng, n, edges = self.rng, self.sites, self.lattice.edges
        uniform = self.lattice.shape in ("ring", "square")
        self.u = number(rng, -6, 8) if len(self.spins) == 2 else 0
        interacting = rng.random() < (0.6 if uniform else 0.1) and self.lattice.shape != "file"
        self.v = number(rng, -1.5, 2) if interacting else 0
        self.energies, self.flux = n * [0.0], 0
        if rng.random() < 0.15:
            self.energies = n * [number(rng, -1, 1)] if rng.random() < 0.6 else [number(rng, -1, 1) for _ in range(n)]
            self.keys["model.potential"] = ",".join(map(str, self.energies[:1] if len(set(self.energies)) == 1
                                                        else self.energies))
        if len(self.spins) == 2:
            self.keys["model.u"] = self.u
        if self.v:
            self.keys["model.v"] = self.v
        if self.lattice.shape == "ring" and rng.random() < 0.06:
            self.flux = self.keys["model.flux"] = number(rng, 0.1, 2)
        phase = cmath.exp(1j * self.flux / n)
        self.amplitudes = [a * phase if self.flux else a for _, _, a in edges]

    def terms(self):
        found = [(e, ((f"n{s}", i),)) for i, e in enumerate(self.energies) for s in self.spins]
        if len(self.spins) == 2:
            found += [(self.u, (("n_up", i), ("n_dn", i))) for i in range(self.sites)]
        for (i, j, _), a in zip(self.lattice.edges, self.amplitudes):
            found += [(self.v, ((f"n{s}", i), (f"n{r}", j))) for s in self.spins for r in self.spins]
            for s in self.spins:
                found += [(-a, ((f"cdag{s}", j), (f"c{s}", i))), (-np.conj(a), ((f"cdag{s}", i), (f"c{s}", j)))]
        return found

    def part(self, matrix):
        """Of half filling."""
        return scipy.sparse.csr_matrix(matrix)[self.inside][:, self.inside]

    def operator(self, text):
        return self.part(self.space.sparse(text))

    def colours(self):
        """e_i, 1 on the first site of every part of the graph; None where there are none."""
        e = self.sites * [0]
        for first in range(self.sites):
            e[first] = e[first] or 1
            for _ in range(self.sites):
                for i, j, _ in self.lattice.edges:
                    for a, b in ((i, j), (j, i)):
                        e[b] = e[b] or -e[a]
        return None if any(e[i] == e[j] for i, j, _ in self.lattice.edges) else e

    @staticmethod
    def exchange(space, spins, e):
        """P on all states: (c - c+) on sites with e = 1 and (c + c+) on others, with P |0> = prod c+ |0>."""
        def single(s, i, sign):
            return space.sparse([(1.0, ((f"c{s}", i),)), (sign, ((f"cdag{s}", i),))])
        p = scipy.sparse.identity(space.dimension, format="csr")
        full = np.eye(1, space.dimension)[0]
        for s in reversed(spins):
            for i in reversed(range(len(e))):
                full = space.sparse([(1.0, ((f"cdag{s}", i),))]) @ full
        for s in spins:
            for i, sign in enumerate(e):
                p = p @ single(s, i, -sign)
        at = np.flatnonzero(full)[0]
        p = p * (full[at] / (p @ np.eye(1, space.dimension)[0])[at])
        for s in spins:  # the definition
            for i, sign in enumerate(e):
                c, creation = (space.sparse([(1.0, ((name + s, i),))]) for name in ("c", "cdag"))
                assert abs(p @ c - sign * (creation @ p)).max() < 1e-12
        return p

    def moved(self, image, space=None):
        space = space or self.space
        to, sign = space.permuted([space.position[image[site], m] for site, m in space.modes])
        return scipy.sparse.csr_matrix((sign, (to, np.arange(space.dimension))), (space.dimension,) * 2)

    def refusal(self, e, images):
        """Words of the refusal that a sector must have; empty if it is possible."""
        n = self.sites
        if n % 2:
            return "odd number"
        if e is None:
            return "of the same sublattice"
        p = self.part(self.exchange(self.space, self.spins, e))
        if abs(p @ self.h - self.h @ p).max() > 1e-9:
            return "changes"
        one = operators.Space(n * [operators.fermions()])
        half = np.flatnonzero(one.occupations()[0].sum(axis=1) == n // 2)
        single = self.exchange(one, ("",), e)[half][:, half]
        signs = (1, -1) if len(self.spins) == 2 else (1,)  # on one spin; both together have none
        if abs(single @ single - scipy.sparse.identity(len(half))).max() > 1e-9 and len(signs) == 1:
            return "applied twice"
        for image in images:
            t = self.moved(image, one)[half][:, half]
            if all(abs(t @ single - sign * (single @ t)).max() > 1e-9 for sign in signs):
                return "does not commute"
            self.anticommute |= abs(t @ single - single @ t).max() > 1e-9
        return ""


def draw_sector(case):
    """Keys of a sector, its operations [(powers, image, factor of one)], and the sign of the exchange."""
    rng, lattice, keys, operations = case.rng, case.lattice, {}, []
    if lattice.translations and rng.random() < 0.7:
        m = [rng.randrange(n) if rng.random() < 0.6 else 0 for n, _ in lattice.translations]
        keys["sector.momentum"] = ",".join(map(str, m))
        operations += [(n, image, cmath.exp(-2j * math.pi * k / n)) for k, (n, image) in zip(m, lattice.translations)]
    else:
        m = [0]
    if lattice.points and rng.random() < 0.4 and not case.flux and len(set(case.energies)) == 1 and not any(m):
        key = rng.choice(sorted(lattice.points))
        order, image = lattice.points[key]
        turn = rng.randrange(order)
        keys["sector." + key] = f"{turn}/4" if order == 4 else ("even", "odd")[turn]
        operations.append((order, image, cmath.exp(-2j * math.pi * turn / order)))
    sign = rng.choice((1, -1))
    keys["sector.particle-hole"] = "even" if sign == 1 else "odd"
    return keys, operations, sign


def basis_of(case, operations, p, sign):
    """An orthonormal basis of the sector, as sparse columns: projections of basis states, one of each orbit."""
    identity = scipy.sparse.identity(len(case.inside), format="csr")
    projector = (identity + sign * p) / 2
    for order, image, factor in operations:
        power, total, t = identity, 0, case.part(case.moved(image))
        for k in range(order):
            total = total + power * (factor.conjugate() ** k / order)
            power = power @ t
        projector = projector @ total
    columns = scipy.sparse.csc_matrix(projector)
    columns.data[abs(columns.data) < 1e-10] = 0
    columns.eliminate_zeros()
    columns.sort_indices()
    kept = [j for j in range(columns.shape[1]) if columns.indptr[j] < columns.indptr[j + 1]
            and columns.indices[columns.indptr[j]] == j]
    basis = columns[:, kept]
    norms = np.sqrt(np.asarray(abs(basis).power(2).sum(axis=0)).ravel())
    return basis @ scipy.sparse.diags(1 / norms)
