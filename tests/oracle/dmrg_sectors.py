# SPDX-License-Identifier: BSD-3-Clause
"""Lowest levels of a sector from the keys of a job of dmrg. H is a list of matrix elements of its terms. Small sectors
are diagonalised, those of up to some ten thousand states take Lanczos steps with full orthogonalisation, whose residual
is computed and whose level a second random start has to find again. Larger ones are solved where electrons are free or
nothing moves. Nothing here is shared with the program."""

import itertools
import math

import numpy as np

import operators

DENSE = 1200  # states that are diagonalised at once
DENSE_WIDE = 5000  # where energies of very different size would cost Lanczos its digits
SPARSE = 21000
MULTIPLETS = {"0.5": 1, "1": 2, "1.5": 3, "2": 4}


def rectangle(length, width, periodic):
    """Nearest and next-nearest bonds, each as often as there are ways around; a chain's next-nearest are two apart."""
    near, far = [], []
    for x in range(length):
        for y in range(width):
            here = width * x + y
            steps = [(1, 0, near)] + ([(0, 1, near), (1, 1, far), (1, -1, far)] if width > 1 else [(2, 0, far)])
            for dx, dy, bonds in steps:
                if x + dx < length and (periodic or 0 <= y + dy < width):
                    bonds.append((here, width * (x + dx) + (y + dy) % width))
    return near, far


class Sector:
    """keys: those of the job file, as texts; lines: (i, j, amplitude[, weight]) of a list of bonds on so many sites."""

    def __init__(self, keys, lines=None, sites=0):
        self.keys, self.sites, self.hubbard = keys, sites, keys.get("model.type", "hubbard") == "hubbard"
        self.set_bonds(lines)
        self.twice = 1 if self.hubbard else MULTIPLETS[keys.get("model.spin", "0.5")]
        most = self.sites if self.hubbard else self.twice * self.sites
        self.up = int(keys.get("sector.up", (most + 1) // 2))
        if "sector.sz" in keys:
            self.up = round(float(keys["sector.sz"]) + most / 2)
        self.down = int(keys.get("sector.down", self.sites // 2))
        self.count = self.size()

    def number(self, key, default=0.0):
        return float(self.keys.get(key, default))

    def of_sites(self, key):
        values = [float(x) for x in self.keys.get(key, "0").split(",")]
        return np.array(values * self.sites if len(values) == 1 else values)

    def set_bonds(self, lines):
        """self.bonds: (i, j, factor of moves, factor of z z or n n), energies included."""
        hubbard, number = self.hubbard, self.number
        move, z = (-number("model.t", 1), number("model.v")) if hubbard else (number("model.j", 1),) * 2
        z = z if hubbard else number("model.jz", z)
        if lines is not None:
            self.bonds = [(i, j, move * a, z * (w[0] if w else 1 if hubbard else a)) for i, j, a, *w in lines]
            return
        extents = [int(x) for x in self.keys["lattice.extents"].split(",")]
        length, width = extents if len(extents) == 2 else (extents[0], 1)
        self.sites = length * width
        near, far = rectangle(length, width, self.keys.get("lattice.type") == "cylinder")
        self.bonds = [(i, j, move, z) for i, j in near]
        second = -number("model.t2") if hubbard else number("model.j2")
        if second:
            self.bonds += [(i, j, second, 0 if hubbard else second * z / move) for i, j in far]

    def size(self):
        if self.hubbard:
            return math.comb(self.sites, self.up) * math.comb(self.sites, self.down)
        ways = [1]
        for _ in range(self.sites):
            ways = [sum(ways[k - m] for m in range(self.twice + 1) if 0 <= k - m < len(ways))
                    for k in range(len(ways) + self.twice)]
        return ways[self.up]

    def spread(self):
        """Largest energy of the job over its smallest that is not 0."""
        all_energies = ([abs(x) for bond in self.bonds for x in bond[2:]]
                        + [abs(self.number("model.u", 4 if self.hubbard else 0))])
        all_energies += [abs(self.number("model.anisotropy"))]
        all_energies = [x for x in all_energies if x] or [1.0]
        fields = abs(self.of_sites("model.potential" if self.hubbard else "model.field")).max()
        self.largest = max(*all_energies, fields)
        return self.largest / min(all_energies)

    def build(self):
        if self.hubbard:
            kind, particles, z = operators.electrons(), (self.up, self.down), "n"
            moves, of_site = [("cdag_up", "c_up"), ("cdag_dn", "c_dn")], self.of_sites("model.potential")
            own, pair = self.number("model.u", 4), ("n_up", "n_dn")
        else:
            kind, particles, z = operators.spins(self.twice), (self.up,), "Sz"
            moves, of_site = [("S+", "S-")], self.of_sites("model.field")
            own, pair = self.number("model.anisotropy"), ("Sz", "Sz")
        terms = [term for i, value in enumerate(of_site)
                 for term in ((value, ((z, i),)), (own, ((pair[0], i), (pair[1], i))))]
        for i, j, move, both in self.bonds:
            terms.append((both, ((z, i), (z, j))))
            terms += [(move if self.hubbard else move / 2, ((create, a), (annihilate, b)))
                      for create, annihilate in moves for a, b in ((i, j), (j, i)) if move]
        space = operators.Space(self.sites * [kind], particles)
        rows, columns, elements = space.elements(terms)
        here = rows == columns
        self.diagonal = np.bincount(rows[here], weights=elements[here], minlength=space.dimension)
        self.rows, self.columns, self.elements = rows[~here], columns[~here], elements[~here]

    def product(self, x):
        return self.diagonal * x + np.bincount(self.rows, weights=self.elements * x[self.columns], minlength=len(x))

    def dense(self):
        h = np.diag(self.diagonal)
        np.add.at(h, (self.rows, self.columns), self.elements)
        return h

    def lowest(self, number=1):
        """The lowest levels with their multiplicity, or None where no way is open."""
        spread = self.spread()
        static = not any(move for _, _, move, _ in self.bonds)
        if self.hubbard and not self.number("model.u", 4) and not self.number("model.v") and number == 1:
            return self.free()
        if self.hubbard and static and not self.number("model.v") and number == 1:
            return self.localised()
        if self.count > SPARSE:
            return None
        self.build()
        if not len(self.elements):
            return np.sort(self.diagonal)[:number]
        if self.count <= DENSE or spread > 200:
            return np.linalg.eigvalsh(self.dense())[:number] if self.count <= DENSE_WIDE else None
        levels = [lanczos(self.product, self.count, number, seed) for seed in (1, 2)]
        if max(abs(levels[0] - levels[1])) > 1e-9 * self.largest:
            raise ArithmeticError(f"two starts of the oracle disagree: {levels}")
        return np.minimum(*levels)

    def free(self):
        h = np.diag(self.of_sites("model.potential"))
        for i, j, move, _ in self.bonds:
            h[i, j] += move
            h[j, i] += move
        levels = np.linalg.eigvalsh(h)
        return np.array([levels[: self.up].sum() + levels[: self.down].sum()])

    def localised(self):
        """No electron moves: the cheapest way to put them, site after site."""
        best = {(0, 0): 0.0}
        for e in self.of_sites("model.potential"):
            ways = {}
            for (a, b), energy in best.items():
                for up, down in itertools.product((0, 1), repeat=2):
                    cost = energy + (up + down) * e + up * down * self.number("model.u", 4)
                    key = a + up, b + down
                    ways[key] = min(ways.get(key, math.inf), cost)
            best = ways
        return np.array([best[self.up, self.down]])


def lanczos(product, count, number, seed):
    """The lowest levels one after another, each in the complement of the vectors found before."""
    rng, found, levels = np.random.default_rng(seed), np.zeros((0, count)), []
    for _ in range(number):
        x = rng.standard_normal(count)
        for _ in range(30):
            x, level, residual = lanczos_run(product, x, found)
            if residual < 1e-9 * max(1e-3, abs(level)):
                break
        else:
            raise ArithmeticError(f"the oracle's Lanczos steps do not converge: residual {residual}")
        found, levels = np.vstack((found, x)), [*levels, level]
    return np.sort(levels)


def lanczos_run(product, x, found, steps=160):
    def clean(v, rows):
        for _ in range(2):
            v = v - rows.T @ (rows @ v)
        return v

    x = clean(x, found)
    basis, alphas, betas = [x / np.linalg.norm(x)], [], []
    while True:
        w = product(basis[-1])
        alphas.append(basis[-1] @ w)
        w = clean(clean(w, found), np.array(basis))
        beta = np.linalg.norm(w)
        if len(alphas) == min(steps, len(x) - len(found)) or beta < 1e-11 * max(map(abs, alphas)):
            break
        betas.append(beta)
        basis.append(w / beta)
    _, vectors = np.linalg.eigh(np.diag(alphas) + np.diag(betas, 1) + np.diag(betas, -1))
    y = vectors[:, 0] @ np.array(basis)
    y = clean(y, found)
    y /= np.linalg.norm(y)
    hy = product(y)
    level = y @ hy
    return y, level, np.linalg.norm(clean(hy - level * y, found))
