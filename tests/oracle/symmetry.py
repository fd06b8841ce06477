# SPDX-License-Identifier: BSD-3-Clause
"""Sectors of momentum and of point operations: permutations of the sites from their places, as dense matrices on the
strings of a sector, and the eigenpairs of H projected onto the states that they multiply by a given factor.

A state of momentum k has T_a |k> = exp(-i k a) |k>, as c+_k |0> = sum_r exp(i k r) c+_r |0> has, for a translation T_a
that moves every particle by a. Just so R |l> = exp(-2 pi i l / n) |l> for a rotation by 2 pi / n.
"""

import cmath
import itertools

import numpy as np

from dense import Solution


def same_place(cluster, difference):
    """Whether two places that differ so are the same on the torus."""
    torus = np.array(cluster.torus if len(cluster.torus) == 2 else [cluster.torus[0], (0, 1)], float)
    turns = np.linalg.solve(torus.T, difference)
    return abs(turns - np.round(turns)).max() < 1e-6


def turned(cluster, cartesian):
    """The places after a linear map of the plane; None if it maps the torus onto another one."""
    axes = np.array(cluster.axes, float)
    in_places = axes @ np.array(cartesian, float).T @ np.linalg.inv(axes)  # for places as rows
    torus = np.array(cluster.torus if len(cluster.torus) == 2 else [cluster.torus[0], (0, 1)], float)
    if any(not same_place(cluster, vector @ in_places) for vector in torus):
        return None
    return lambda place: place @ in_places


def permutation(cluster, moved):
    """[site] the site at the place that it is moved to; None if there is none."""
    image = []
    for i in range(cluster.sites):
        at = [j for j in range(cluster.sites) if same_place(cluster, cluster.places[j] - moved(cluster.places[i])) and j not in image]
        if not at:
            return None
        image.append(at[0])
    return image


def on_strings(sector, image):
    """The matrix that moves all particles of every string; exchanging operators changes the sign."""
    n, m = sector.sites, np.zeros((sector.dimension,) * 2)
    for column, string in enumerate(int(s) for s in sector.strings):
        bits = [b for b in range(n * len(sector.particles)) if string >> b & 1]
        to = [image[b % n] + b // n * n for b in bits]
        sign = (-1) ** sum(a > b for a, b in itertools.combinations(to, 2)) if sector.fermions else 1
        m[sector.string(*to), column] = sign
    return m


class SectorSolution(Solution):
    """All eigenpairs of a momentum (None: any), of point operations: (Cartesian map, factor) each, and of a sign when all
    spins are turned over."""

    def __init__(self, model, particles, momentum, operations, turned_over=None):
        self.model, self.sector = model, model.sector(particles)
        self.h, cluster = model.hamiltonian(self.sector), model.cluster
        basis = np.eye(self.sector.dimension)
        for axis in range(len(cluster.torus)) if momentum is not None else ():
            step = np.eye(2)[axis]
            t = on_strings(self.sector, permutation(cluster, lambda r: r + step))
            basis = self.kept(t, basis, cmath.exp(-2j * np.pi * cluster.fractions(momentum)[axis]))
        for cartesian, factor in operations:
            basis = self.kept(self.point_operation(cartesian), basis, complex(factor))
        if turned_over is not None:
            all_up = np.uint64((1 << self.sector.sites) - 1)
            turn = np.zeros((self.sector.dimension,) * 2)
            turn[self.sector.index(self.sector.strings ^ all_up), np.arange(self.sector.dimension)] = 1
            basis = self.kept(turn, basis, complex(turned_over))
        self.dimension = basis.shape[1]
        if self.dimension:
            self.energies, vectors = np.linalg.eigh(basis.conj().T @ self.h @ basis)
            self.states = basis @ vectors
            self.scale = max(np.linalg.norm(self.h, 2), 1e-3)

    def whole(self):
        return Solution(self.model, self.sector.particles)

    @staticmethod
    def kept(operation, basis, factor):
        """An orthonormal basis of the part of `basis`, which the operation maps onto itself, with that eigenvalue."""
        if basis.shape[1] == 0:
            return basis
        part = basis.conj().T @ operation @ basis
        if abs(part.conj().T @ part - np.eye(len(part))).max() > 1e-9:
            return basis[:, :0]  # the operation leads out of the sector
        values, vectors = np.linalg.eigh((part * factor.conjugate() + part.conj().T * factor) / 2)
        return basis @ vectors[:, values > 1 - 1e-9]

    def point_operation(self, cartesian):
        """r -> M r + t with the first t, in the order of the sites that site 0 is moved to, that leaves the model as it
        is: H of one particle of each species, since that of full bands has more symmetries."""
        cluster, pair = self.model.cluster, self.model.sector((1,) * len(self.sector.particles))
        h, map_place = self.model.hamiltonian(pair), turned(cluster, cartesian)
        for to in cluster.places if map_place else ():
            image = permutation(cluster, lambda r: to + map_place(r - cluster.places[0]))
            if image is not None:
                p = on_strings(pair, image)
                if abs(p @ h - h @ p).max() < 1e-9:
                    return on_strings(self.sector, image)
        return np.zeros_like(self.h)


def point_operations(rng, cluster):
    """Some keys of point operations with their values, and [(Cartesian map, factor)]."""
    kinds = ["parity"] if len(cluster.torus) == 1 else ["parity", "rotation", "rotation", "reflection", "both"]
    kind, keys, operations = rng.choice(kinds), {}, []
    if kind in ("rotation", "both"):
        n = rng.choice((2, 3, 4, 4, 6))
        turn = rng.choice((0, n // 2)) if kind == "both" and n % 2 == 0 else rng.randrange(n)
        angle = 2 * np.pi / n
        keys["rotation"] = f"{turn if rng.random() < 0.8 or turn == 0 else turn - n}/{n}"
        operations.append(([[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]], cmath.exp(-1j * angle * turn)))
    for key, cartesian in (("reflection", np.diag((1, -1))), ("parity", -np.eye(2))):
        if kind == key or (kind == "both" and key == "reflection"):
            keys[key] = rng.choice(("even", "odd"))
            operations.append((cartesian, 1 if keys[key] == "even" else -1))
    return keys, operations


def choose(case):
    """The sector of a random case, or None."""
    cluster, model, rng = case.cluster, case.model, case.rng
    uniform = len(set(model.u)) <= 1 and len(set(model.epsilon)) <= 1
    if not cluster.torus or not uniform or rng.random() < 0.3:
        return None
    if case.cell.kind == "custom" and cluster.basis > 1:
        return None  # sites at one place cannot be told apart by it
    if case.task == "thermal" and case.cell.kind != "chain" and rng.random() < 0.5:
        case.job.set("sector.momentum", "all")
        let_arithmetic_follow(case)
        return Solution(model, case.filling)
    real = all(e.amplitude.imag == 0 for e in cluster.edges)
    inverts = case.spins and 2 * case.filling[0] == cluster.sites and real
    turned_over = rng.choice((1, -1, None)) if inverts else None
    if case.task == "spectrum" and case.cell.kind != "chain" and rng.random() < 0.3:
        return of_the_ground_state(case, turned_over)
    momentum = rng.choice(cluster.numbers()) if case.cell.kind != "chain" and rng.random() < 0.8 else None
    if momentum is not None and rng.random() < 0.4:
        momentum = cluster.numbers()[0]  # 0, which point operations leave unchanged
    points = case.task != "spectrum" and (momentum is None or rng.random() < 0.6)  # change most plane waves
    keys, operations = point_operations(rng, cluster) if points else ({}, [])
    for keys, operations, turned_over in ((keys, operations, turned_over), ({}, [], turned_over), ({}, [], None)):
        if momentum is None and not keys and turned_over is None:
            return None
        solution = SectorSolution(model, case.filling, momentum, operations, turned_over)
        if solution.dimension:
            if momentum is not None:
                case.job.set("sector.momentum", [m + cells_around(case, i) for i, m in enumerate(momentum)])
            for key, value in keys.items():
                case.job.set(f"sector.{key}", value)
            set_inversion(case, turned_over)
            let_arithmetic_follow(case)
            return solution
    return None


def set_inversion(case, turned_over):
    if turned_over is not None:
        case.job.set("sector.spin-inversion", "even" if turned_over == 1 else "odd")


def of_the_ground_state(case, turned_over):
    """All states, or those with a sign when all spins are turned over, with a search for the momentum of the lowest one; None
    if there are several."""
    solution = SectorSolution(case.model, case.filling, None, [], turned_over)
    if solution.dimension == 0 or (solution.dimension > 1 and solution.multiplicity(1e-6) > 1):
        return None
    set_inversion(case, turned_over)
    case.job.set("sector.momentum", "auto")
    let_arithmetic_follow(case)
    return solution


def let_arithmetic_follow(case):
    """Momenta may be complex."""
    if case.job.keys.get("backend.arithmetic") == "real":
        del case.job.keys["backend.arithmetic"]


def cells_around(case, direction):
    """A multiple of the number of cells changes no momentum of a rectangular torus."""
    torus = case.cluster.torus
    straight = len(torus) == 1 or torus[0][1] == torus[1][0] == 0
    return case.rng.choice((0, 0, -1, 1)) * abs(torus[direction][direction]) if straight else 0
