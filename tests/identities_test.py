#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Exactly solved models by lanczos, most as lists of terms: the Kitaev model on 18 sites against Majorana fermions in
all static gauge fields, the transverse Ising ring against free fermions of both boundaries, the chains of Affleck,
Kennedy, Lieb and Tasaki and of Majumdar and Ghosh, the t-J ring without exchange, the Drude weight as a curvature by a
flux."""

import itertools
import json
import math
import pathlib
import shutil
import tempfile
import unittest

import numpy as np

import launch


def kitaev_bonds(columns, rows):
    """[(site of sublattice A, site of B, axis)] of a honeycomb lattice on a torus, both sublattices numbered alone."""
    cells = [(x, y) for y in range(rows) for x in range(columns)]
    number = {cell: n for n, cell in enumerate(cells)}
    return [(number[x, y], number[(x - dx) % columns, (y - dy) % rows], axis)
            for x, y in cells for dx, dy, axis in ((0, 0, "Z"), (1, 0, "X"), (0, 1, "Y"))]


def kitaev_levels(columns, rows, couplings):
    """All levels of sum K_a sigma^a sigma^a. With sigma^a = i b^a c it is i sum K_a u c c on a doubled space, where
    u = -i b b = +-1 on every bond is conserved; gauge transformations make it 1 on a tree of bonds. A sector of u has
    the energies sum +-s_n by the singular values of its matrix M, and half of its states, those of one fermion
    parity, are physical: that parity is prod u det(M) (-1)^(columns + rows + cells), here up to a sign (F. Pedrocchi,
    S. Chesi, D. Loss, Phys. Rev. B 84, 165414 (2011)). Lists by this sign."""
    cells, bonds = columns * rows, kitaev_bonds(columns, rows)
    reached, free = {("A", 0)}, list(range(len(bonds)))
    grown = True
    while grown:
        grown = False
        for n in list(free):
            ends = {("A", bonds[n][0]), ("B", bonds[n][1])}
            if len(ends & reached) == 1:
                reached |= ends
                free.remove(n)
                grown = True
    signs = np.array(list(itertools.product((1, -1), repeat=cells)))
    levels = {1: [], -1: []}
    for values in itertools.product((1, -1), repeat=len(free)):
        u = np.ones(len(bonds))
        u[free] = values
        matrix = np.zeros((cells, cells))
        for (a, b, axis), sign in zip(bonds, u):
            matrix[a, b] += couplings[axis] * sign
        left, s, right = np.linalg.svd(matrix)
        parity = round(np.linalg.det(left) * np.linalg.det(right)) * np.prod(u) * np.prod(signs, axis=1)
        energies = signs @ s
        for which in levels:
            levels[which] += list(energies[parity == which])
    return {which: np.sort(some) for which, some in levels.items()}


class Identities(unittest.TestCase):
    def setUp(self):
        self.directory = pathlib.Path(tempfile.mkdtemp(prefix="strata identities "))

    def tearDown(self):
        shutil.rmtree(self.directory, ignore_errors=True)

    def results(self, keys, terms=None):
        """Values of a job by its keys, with `terms` as the lines of a file."""
        sections = {}
        for key, value in {"backend.threads": 1, **keys}.items():
            section, _, name = key.partition(".")
            sections.setdefault(section, []).append(f"{name} = {value}")
        if terms:
            (self.directory / "terms.txt").write_text("\n".join(terms) + "\n")
            sections.setdefault("model", []).extend(("type = terms", "terms = terms.txt"))
        text = "application = lanczos\n" + "".join(
            f"[{section}]\n" + "\n".join(lines) + "\n" for section, lines in sections.items())
        (self.directory / "job.ini").write_text(text)
        done = launch.run(launch.command(None, "run", "job.ini", "--output.overwrite=yes"), self.directory)
        self.assertEqual(done.returncode, 0, text + done.stdout + done.stderr)
        shown = launch.run(launch.command(None, "show", "--json", "out/job.h5"), self.directory)
        return {name: q["value"] for name, q in json.loads(shown.stdout)["observables"].items()}

    def lowest(self, count, keys, terms=None):
        found = self.results({"run.states": count, **keys}, terms)
        return np.atleast_1d(found["energies" if count > 1 else "energy"])

    def test_kitaev_model_is_free_majorana_fermions(self):
        couplings = {"X": -1.0, "Y": -0.7, "Z": -1.3}

        def terms(columns, rows):
            return [f"{couplings[axis]} {axis} {2 * a} {axis} {2 * b + 1}"
                    for a, b, axis in kitaev_bonds(columns, rows)]
        found = self.results({"run.task": "levels"}, terms(2, 2))["levels"]
        right = [which for which, levels in kitaev_levels(2, 2, couplings).items()
                 if np.allclose(found, levels, atol=1e-9)]
        self.assertEqual(len(right), 1)  # the other parity has other levels
        for columns, rows in ((3, 2), (3, 3)):
            cells = columns * rows
            exact = kitaev_levels(columns, rows, couplings)[right[0] * (-1) ** (columns + rows + cells)][0]
            self.assertAlmostEqual(self.lowest(1, {}, terms(columns, rows))[0], exact, 8)

    def test_transverse_ising_ring_is_free_fermions(self):
        sites, j, h = 12, 1.0, 0.8
        terms = [f"{-j} Z {i} Z {(i + 1) % sites}" for i in range(sites)] + [f"{-h} X {i}" for i in range(sites)]
        levels = []
        for parity in (1, -1):  # even numbers of fermions are antiperiodic
            k = [2 * math.pi / sites * (m + (0.5 if parity == 1 else 0)) for m in range(sites)]
            modes = [2 * (h - j) if x == 0 else 2 * math.sqrt(h * h + j * j - 2 * h * j * math.cos(x)) for x in k]
            signs = np.array(list(itertools.product((1, -1), repeat=sites)))
            even = np.prod(signs, axis=1) == parity
            levels += list(signs[even] @ np.array(modes) / 2)
        found = self.lowest(12, {}, terms)
        np.testing.assert_allclose(found, np.sort(levels)[:12], atol=1e-8)

    def test_four_spins_have_the_levels_and_total_spins_of_two_pairs(self):
        """On a ring of four sites H is S_A S_B with the spins of both sublattices: E = (S(S+1) - S_A(S_A+1) -
        S_B(S_B+1)) / 2, where S runs from |S_A - S_B| to S_A + S_B; an energy may belong to several S."""
        for twice in (1, 2, 3):
            exact = [((s * (s + 1) - a * (a + 1) - b * (b + 1)) / 2, s) for a in range(twice + 1)
                     for b in range(twice + 1) for s in range(abs(a - b), a + b + 1) for _ in range(2 * s + 1)]
            for momenta in ({}, {"sector.momentum": "all"}):
                found = self.results({"lattice.type": "ring", "lattice.extents": 4, "model.type": "heisenberg",
                                      "model.spin": f"{twice}/2" if twice % 2 else twice // 2, "run.task": "levels",
                                      "sector.numbers": "all", **momenta})
                mine = sorted(zip(np.round(found["levels"], 9) + 0.0, found["level-total-spin"]))
                np.testing.assert_allclose(mine, sorted(exact), atol=1e-8)
        keys = {"lattice.type": "ring", "lattice.extents": 4, "run.task": "levels", "sector.numbers": "all"}
        for other in ({"model.type": "heisenberg", "model.field": 0.3}, {"model.type": "xxz", "model.jz": 0.4},
                      {"model.type": "heisenberg", "model.spin": 1, "model.anisotropy": 0.2}):
            self.assertNotIn("level-total-spin", self.results({**keys, **other}))

    def test_valence_bond_states_are_ground_states(self):
        spins = "Sx {i} Sx {j}; Sy {i} Sy {j}; Sz {i} Sz {j}".split("; ")
        ring = {"lattice.type": "ring", "lattice.extents": 8}
        terms = [f"1 {{<i,j>}} {a}" for a in spins] + [
            f"{1 / 3!r} {{<i,j>}} {a} {b}" for a, b in itertools.product(spins, repeat=2)]
        found = self.lowest(2, {**ring, "model.spin": 1}, terms)
        self.assertAlmostEqual(found[0], -2 / 3 * 8, 8)
        self.assertGreater(found[1] - found[0], 0.3)  # one state, and a gap
        sites = 12
        terms = [f"{value} {a} {i} {a} {(i + d) % sites}" for i in range(sites) for d, value in ((1, 1), (2, 0.5))
                 for a in ("Sx", "Sy", "Sz")]
        found = self.lowest(3, {"sector.sz": 0}, terms)
        np.testing.assert_allclose(found[:2], -3 / 8 * sites, atol=1e-8)  # both coverings by singlets
        self.assertGreater(found[2] - found[1], 0.05)

    def test_t_j_ring_without_exchange_is_fermions_without_spin(self):
        """Spins are permuted cyclically by particles that go around: they are a flux 2 pi p / N_particles."""
        sites, up, down = 8, 2, 1
        found = self.lowest(1, {"lattice.type": "ring", "lattice.extents": sites, "model.type": "t-j", "model.j": 0,
                                "sector.up": up, "sector.down": down})[0]
        lowest = min(sum(sorted(-2 * math.cos((2 * math.pi * m + flux + math.pi * (up + down - 1)) / sites)
                                for m in range(sites))[:up + down])
                     for flux in (2 * math.pi * p / (up + down) for p in range(up + down)))
        self.assertAlmostEqual(found, lowest, 8)

    def test_drude_weight_is_the_curvature_by_a_flux(self):
        keys = {"lattice.type": "ring", "lattice.extents": 6, "model.type": "hubbard", "model.u": 3, "sector.up": 3,
                "sector.down": 3, "run.tolerance": 1e-11}
        drude = self.results({**keys, "run.task": "spectrum", "spectrum.operator": "current", "spectrum.omega": "1"})
        h = 0.02
        energies = [self.lowest(1, {**keys, "model.flux": n * h})[0] for n in (-2, -1, 0, 1, 2)]
        curvature = np.dot(energies, (-1, 16, -30, 16, -1)) / (12 * h * h)
        self.assertAlmostEqual(drude["drude-weight"], math.pi * 6 * curvature, 5)


if __name__ == "__main__":
    unittest.main()
