# SPDX-License-Identifier: BSD-3-Clause
"""Clusters of sites from their textbook definitions: positions in space, bonds found by their length.

A lattice is a Bravais lattice a1, a2 with a basis of sites; a cluster is the lattice modulo two torus vectors. Cells
are numbered along the first axis first, in the rectangle that represents the torus; the sites of a cell follow each
other.
"""

import cmath
import collections
import itertools
import math

import numpy as np

SQUARE_AXES = ((1.0, 0.0), (0.0, 1.0))
TRIANGULAR_AXES = ((1.0, 0.0), (0.5, math.sqrt(3) / 2))

Textbook = collections.namedtuple("Textbook", "axes places length second", defaults=[None])
# axes, sites of the cell in units of the axes, distance of the neighbours, and that of next-nearest ones, where the
# program has them, in units of the first
TEXTBOOK = {
    "square": Textbook(SQUARE_AXES, ((0, 0),), 1.0, math.sqrt(2)),
    "tilted": Textbook(SQUARE_AXES, ((0, 0),), 1.0, math.sqrt(2)),
    "triangular": Textbook(TRIANGULAR_AXES, ((0, 0),), 1.0, math.sqrt(3)),
    "honeycomb": Textbook(TRIANGULAR_AXES, ((0, 0), (1 / 3, 1 / 3)), 1 / math.sqrt(3), math.sqrt(3)),
    "kagome": Textbook(TRIANGULAR_AXES, ((0, 0), (1 / 2, 0), (0, 1 / 2)), 0.5),
}
WITH_DISTANCES = ("chain", "ring", "ladder", *TEXTBOOK)  # choices of lattice.geometry


def basis(kind):
    """Number of sites of a cell."""
    return len(TEXTBOOK[kind].places) if kind in TEXTBOOK else {"checkerboard": 2}.get(kind, 1)


class Edge:
    def __init__(self, start, end, amplitude, weight):
        self.start, self.end, self.amplitude, self.weight = start, end, complex(amplitude), float(weight)


class Cluster:
    """sites, edges; where there is a torus: cell (integers) and place (units of the axes) of every site, wave
    vectors."""

    def __init__(self, sites, edges, torus=None, places=None, axes=SQUARE_AXES, basis=1):
        self.sites, self.edges, self.torus, self.axes, self.basis = sites, edges, torus, axes, basis
        self.places = None if places is None else np.array(places, float).reshape(sites, 2)

    def positions(self):
        """Cartesian coordinates of the sites, [site][x, y]."""
        return self.places @ np.array(self.axes)

    def numbers(self):
        """One (m1[, m2]) for each of the cluster's different wave vectors, m1 running first."""
        if len(self.torus) == 1:
            return [(m,) for m in range(self.torus[0][0])]
        cells = self.sites // self.basis
        found, seen = [], set()
        for m2, m1 in itertools.product(range(cells), repeat=2):
            # two k are the same if e^(ik.r) is the same for all r, that is for both axes
            key = tuple(int(round(cells * f)) % cells for f in self.fractions((m1, m2)))
            if key not in seen:
                seen.add(key)
                found.append((m1, m2))
        return found

    def fractions(self, m):
        """k . a1 / 2 pi and k . a2 / 2 pi, where k . (torus vector i) = 2 pi m[i]."""
        if len(self.torus) == 1:
            return np.array([m[0] / self.torus[0][0], 0.0])
        return np.linalg.solve(np.array(self.torus, float), np.array(m, float))

    def wave_vector(self, m):
        """Cartesian k."""
        return np.linalg.solve(np.array(self.axes), 2 * math.pi * self.fractions(m))

    def phases(self, m):
        """k . r of every site."""
        return 2 * math.pi * self.places @ self.fractions(m)


def same_cell(torus, dx, dy):
    """Whether (dx, dy) is an integer combination of the torus vectors."""
    (ax, ay), (bx, by) = torus
    area = ax * by - ay * bx
    return (dx * by - dy * bx) % area == 0 and (ax * dy - ay * dx) % area == 0


def cells_of(torus):
    """Cells in the order of their numbers."""
    (ax, ay), (bx, by) = torus
    area = abs(ax * by - ay * bx)
    height = math.gcd(ay, by)
    return [(x, y) for y in range(height) for x in range(area // height)]


def neighbour_bonds(kind, times=1.0):
    """(from, to, dx, dy): every pair of sites at so many times the lattice's bond length once."""
    axes, places, length, _ = TEXTBOOK[kind]
    length *= times
    bonds = []
    for i, j in itertools.product(range(len(places)), repeat=2):
        for d in itertools.product(range(-2, 3), repeat=2):
            if (j, *d) <= (i, 0, 0):
                continue  # the same bond from its other end
            apart = (np.array(d) + places[j] - np.array(places[i])) @ np.array(axes)
            if abs(np.hypot(*apart) - length) < 1e-9:
                bonds.append((i, j, *d))
    return bonds


def periodic(torus, basis, axes, bonds, flux=()):
    """Bonds (from, to, dx, dy, amplitude, weight) of every cell; a hop by a torus vector has the phase flux."""
    cells = cells_of(torus)
    number = {}
    matrix = np.array(torus, float)
    edges = []

    def find(x, y):
        if (x, y) not in number:
            number[x, y] = next(n for n, (X, Y) in enumerate(cells) if same_cell(torus, x - X, y - Y))
        return number[x, y]

    for x, y in cells:
        for start, end, dx, dy, amplitude, weight in bonds:
            turn = 0.0
            if len(flux):
                both = np.zeros(2)
                both[: len(flux)] = flux
                turn = float(np.array([dx, dy]) @ np.linalg.solve(matrix, both))
            edges.append(Edge(len(basis) * find(x, y) + start, len(basis) * find(x + dx, y + dy) + end,
                              amplitude * cmath.exp(1j * turn), weight))
    places = [(x + bx, y + by) for x, y in cells for bx, by in basis]
    return Cluster(len(places), edges, torus, places, axes, len(basis))


def ring(n, t=1.0, flux=()):
    turn = cmath.exp(1j * (flux[0] if len(flux) else 0.0) / n)
    edges = [Edge(i, (i + 1) % n, t * turn, 1) for i in range(n)]
    return Cluster(n, edges, [(n, 0)], [(i, 0) for i in range(n)])


def chain(n, t=1.0):
    return Cluster(n, [Edge(i, i + 1, t, 1) for i in range(n - 1)], [(n, 0)], [(i, 0) for i in range(n)])


def textbook(kind, torus, t=1.0, flux=()):
    row = TEXTBOOK[kind]
    return periodic(torus, row.places, row.axes, [(*bond, t, 1) for bond in neighbour_bonds(kind)], flux)


def second_bonds(kind, cluster, t, flux=()):
    """Edges between next-nearest neighbours of weight 1, none for lattices that have no such bonds here."""
    n = cluster.sites
    if kind in ("ring", "chain"):
        turn = cmath.exp(2j * flux[0] / n) if len(flux) else 1.0
        return [Edge(i, (i + 2) % n, t * turn, 1) for i in range(n if kind == "ring" else n - 2)]
    if kind in TEXTBOOK and TEXTBOOK[kind].second:
        row = TEXTBOOK[kind]
        return periodic(cluster.torus, row.places, row.axes, [(*b, t, 1) for b in neighbour_bonds(kind, row.second)],
                        flux).edges
    if kind in ("ladder", "cylinder"):
        return rectangle_bonds(cluster.shape, kind == "cylinder", 2, t)
    return []


def rectangle_bonds(shape, periodic, squared, t):
    """Bonds of a rectangle of sites, numbered along the second direction first, by their squared length; those of a
    line are 1 and 2 sites long. Around two legs there are two bonds of a pair."""
    length, legs = shape
    edges = []
    for x, y, dx, dy in itertools.product(range(length), range(legs), (0, 1, 2), (-1, 0, 1)):
        if (legs == 1 and dy != 0) or (dx == 0 and dy < 1) or x + dx >= length:
            continue
        if not periodic and not 0 <= y + dy < legs:
            continue
        if dx + abs(dy) == squared and (dx < 2 or legs == 1):
            edges.append(Edge(legs * x + y, legs * (x + dx) + (y + dy) % legs, t, 1))
    return edges


def rectangle(length, legs, periodic, t=1.0):
    cluster = Cluster(length * legs, rectangle_bonds((length, legs), periodic, 1, t))
    cluster.shape = (length, legs)
    return cluster


def checkerboard(torus, t, phase, flux=()):
    """The flat band of Sun, Gu, Katsura and Das Sarma, PRL 106, 236803: A at (0, 0), B at (1/2, 1/2); t e^(+-i phase)
    between neighbours, +-t' along the axes, t'' along the diagonals. t: one to three values."""
    first = t[0]
    second = t[1] if len(t) > 1 else first / (2 + math.sqrt(2))
    third = t[2] if len(t) > 2 else first / (2 + 2 * math.sqrt(2))
    bonds = []
    for sx, sy in itertools.product((1, -1), repeat=2):  # from B to the A at (sx/2, sy/2) from it
        sign = 1 if sx == sy else -1
        bonds.append((1, 0, (sx + 1) // 2, (sy + 1) // 2, first * cmath.exp(1j * sign * phase), 1))
    for site, sign in ((0, 1), (1, -1)):
        bonds += [(site, site, 1, 0, sign * second, 0), (site, site, 0, 1, -sign * second, 0),
                  (site, site, 1, 1, third, 0), (site, site, 1, -1, third, 0)]
    return periodic(torus, ((0, 0), (0.5, 0.5)), SQUARE_AXES, bonds, flux)


def custom(torus, bonds, places, flux=()):
    """bonds as in lattice.cell-bonds with model.t in the amplitudes; places: of the cell's sites, or None: its
    corner."""
    sites = 1 + max(max(bond[0], bond[1]) for bond in bonds)
    return periodic(torus, places if places is not None else [(0, 0)] * sites, SQUARE_AXES, bonds, flux)


def from_edges(edges):
    return Cluster(1 + max(max(e.start, e.end) for e in edges), edges)
