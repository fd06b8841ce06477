# SPDX-License-Identifier: BSD-3-Clause
"""Sectors of momentum and of point operations: permutations of the sites from their places, as dense matrices on the
strings of a sector, and the eigenpairs of H projected onto the states that they multiply by a given factor.

A state of momentum k has T_a |k> = exp(-i k a) |k>, as c+_k |0> = sum_r exp(i k r) c+_r |0> has, for a translation T_a
that moves every particle by a. Just so R |l> = exp(-2 pi i l / n) |l> for a rotation by 2 pi / n.
"""

import cmath

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
        at = [j for j in range(cluster.sites) if same_place(cluster, cluster.places[j] - moved(cluster.places[i]))
              and j not in image]
        if not at:
            return None
        image.append(at[0])
    return image


class SectorSolution(Solution):
    """All eigenpairs of a momentum (None: any), of point operations: (Cartesian map, factor) each, and of a sign when
    all spins are turned over."""

    def __init__(self, model, particles, momentum, operations, turned_over=None):
        self.model, self.sector = model, model.sector(particles)
        self.h, cluster = model.hamiltonian(self.sector), model.cluster
        basis = np.eye(self.sector.dimension)
        for axis in range(len(cluster.torus)) if momentum is not None else ():
            step = np.eye(2)[axis]
            t = self.sector.moved(permutation(cluster, lambda r: r + step))
            basis = self.kept(t, basis, cmath.exp(-2j * np.pi * cluster.fractions(momentum)[axis]))
        images = self.about_one_centre([cartesian for cartesian, _ in operations])
        for (_, factor), image in zip(operations, images or [None] * len(operations)):
            basis = basis[:, :0] if image is None else self.kept(self.sector.moved(image), basis, complex(factor))
        if turned_over is not None:
            basis = self.kept(self.sector.turned(np.eye(self.sector.dimension)), basis, complex(turned_over))
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

    def unchanging(self, cartesian):
        """The permutations r -> M r + t, in the order of the sites that site 0 is moved to, that leave the model as it
        is: H of one particle of each species, since that of full bands has more symmetries."""
        cluster, pair = self.model.cluster, self.model.sector((1,) * len(self.sector.particles))
        h, map_place = self.model.hamiltonian(pair), turned(cluster, cartesian)
        images = (permutation(cluster, lambda r: to + map_place(r - cluster.places[0]))
                  for to in (cluster.places if map_place else ()))
        for image in images:
            if image is not None:
                p = pair.moved(image)
                if abs(p @ h - h @ p).max() < 1e-9:
                    yield image

    def about_one_centre(self, maps, chosen=()):
        """A permutation for each map, the first ones that have a centre in common; None if none have."""
        if len(chosen) == len(maps):
            return [image for _, image in chosen]
        cartesian = maps[len(chosen)]
        for image in self.unchanging(cartesian):
            more = (*chosen, (np.array(cartesian, float), image))
            if has_a_fixed_point(more) and (found := self.about_one_centre(maps, more)) is not None:
                return found
        return None


def has_a_fixed_point(operations):
    """Whether the group of (Cartesian map, permutation) holds no translation: products that turn nothing move
    nothing."""
    def known(group, m, image):
        return any(image == other and abs(m - n).max() < 1e-6 for n, other in group)
    unmoved = list(range(len(operations[0][1])))
    group = [(np.eye(2), unmoved)]
    for m, image in group:  # which grows
        for n, by in operations:
            product = (n @ m, [by[i] for i in image])
            if abs(product[0] - np.eye(2)).max() < 1e-6 and product[1] != unmoved:
                return False
            if not known(group, *product):
                group.append(product)
    return True


def point_operations(rng, cluster):
    """Some keys of point operations with their values, and [(Cartesian map, factor)] in the order of the program's
    choice."""
    kinds = [("parity",)]
    if len(cluster.torus) == 2:
        kinds += 2 * [("rotation",), ("reflection",), ("rotation", "reflection")]
        kinds += [("parity", "rotation"), ("parity", "reflection"), ("parity", "rotation", "reflection")]
    kind, keys, operations = rng.choice(kinds), {}, []
    n = rng.choice((2, 3, 4, 4, 6))
    for key, cartesian in (("parity", -np.eye(2)), ("rotation", None), ("reflection", np.diag((1, -1)))):
        if key not in kind:
            continue
        if key != "rotation":
            keys[key] = rng.choice(("even", "odd"))
            operations.append((cartesian, 1 if keys[key] == "even" else -1))
            continue
        turn = rng.choice((0, n // 2)) if "reflection" in kind and n % 2 == 0 else rng.randrange(n)
        angle = 2 * np.pi / n
        keys["rotation"] = f"{turn if rng.random() < 0.8 or turn == 0 else turn - n}/{n}"
        operations.append(([[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]],
                           cmath.exp(-1j * angle * turn)))
    return keys, operations


def expect_all_states(case, account, momentum, operations, turned_over):
    """The factors that one operation can have divide the states of the others among them, if all keep the momentum and
    the operation commutes with the others."""
    if len(operations) != 1 or momentum is not None and any(momentum):
        return
    cartesian, _ = operations[0]
    turns = next(n for n in range(1, 7)
                 if abs(np.linalg.matrix_power(np.array(cartesian, float), n) - np.eye(2)).max() < 1e-6)
    without = SectorSolution(case.model, case.filling, momentum, [], turned_over).dimension
    parts = [SectorSolution(case.model, case.filling, momentum, [(cartesian, cmath.exp(2j * np.pi * l / turns))],
                            turned_over)
             for l in range(turns)]
    account.compare("states of all factors", sum(p.dimension for p in parts), without, 0)


def choose(case, account):
    """The sector of a random case, or None."""
    cluster, model, rng = case.cluster, case.model, case.rng
    uniform = len(set(model.u)) <= 1 and len(set(model.energies)) <= 1
    if not cluster.torus or not uniform or rng.random() < 0.3:
        return None
    if case.cell.kind == "custom" and cluster.basis > 1 and "lattice.cell-positions" not in case.cell.keys:
        return None  # sites at one place cannot be told apart by it
    if case.task in ("thermal", "levels") and case.cell.kind != "chain" and rng.random() < 0.5:
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
            if solution.sector.dimension <= 60:
                expect_all_states(case, account, momentum, operations, turned_over)
            if len(operations) > 1:
                account.note("sectors of several point operations")
            case.momentum = momentum
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
    """All states, or those with a sign when all spins are turned over, with a search for the momentum of the lowest
    one; None if there are several."""
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


def period(cluster, direction):
    """By how much one number of a momentum can change without changing the momentum."""
    unit = np.eye(len(cluster.torus), dtype=int)[direction]
    return next(p for p in range(1, cluster.sites + 1)
                if abs((f := cluster.fractions(p * unit)) - np.round(f)).max() < 1e-9)


def cells_around(case, direction):
    """What leads to the same momentum at or beyond 0, within the zone: numbers below the period in magnitude."""
    number = case.momentum[direction] % period(case.cluster, direction)
    return number - case.momentum[direction] - case.rng.choice((0, 0, period(case.cluster, direction) if number else 0))


def outside(case):
    """The same momentum outside of the zone, which is refused."""
    number = case.momentum[0] % period(case.cluster, 0)
    away = period(case.cluster, 0) * case.rng.choice((1, 2, -2))
    return [number + away, *case.momentum[1:]]
