#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""States of checkpoints in the Python package, against dense Hamiltonians made here and against what the program
observes in them; and measurements of a stored state."""

import pathlib
import unittest

import numpy as np
from python_test import RING, InFolder, strata


def spin(site, component, sites):
    """S^x, S^y or S^z of a site; bit j of a basis state is 1 if spin j is down."""
    own = {"x": [[0, 0.5], [0.5, 0]], "y": [[0, -0.5j], [0.5j, 0]], "z": [[0.5, 0], [0, -0.5]]}[component]
    return np.kron(np.kron(np.eye(2 ** (sites - 1 - site)), own), np.eye(2**site))


def heisenberg_ring(sites, field=0.0):
    h = sum(spin(i, a, sites) @ spin((i + 1) % sites, a, sites) for i in range(sites) for a in "xyz")
    return h - field * sum(spin(i, "z", sites) for i in range(sites))


def contracted(tensors):
    """All amplitudes of a matrix product state, the first site's state as the fastest index."""
    amplitudes = np.ones((1, 1))  # [product state, bond]
    for tensor in tensors:
        amplitudes = np.einsum("pa,asb->spb", amplitudes, tensor).reshape(-1, tensor.shape[2])
    return amplitudes[:, 0]


def chain_of_spins(sites, settings):
    """The Heisenberg chain with fields; states of a site are m = -S to S."""
    s = settings.get("model.spin", 0.5)
    m = np.arange(-s, s + 1)
    plus = np.diag(np.sqrt(s * (s + 1) - m[:-1] * (m[:-1] + 1)), -1)
    of_site = {"x": (plus + plus.T) / 2, "y": (plus - plus.T) / 2j, "z": np.diag(m)}

    def at(site, component):
        return np.kron(np.kron(np.eye(len(m) ** (sites - 1 - site)), of_site[component]), np.eye(len(m) ** site))

    h = sum(at(i, a) @ at(i + 1, a) for i in range(sites - 1) for a in "xyz")
    for key, component in (("model.field", "z"), ("model.field-x", "x"), ("model.field-y", "y")):
        h = h + sum(f * at(i, component) for i, f in enumerate(np.broadcast_to(settings.get(key, 0), sites)))
    return h


def electron(site, species, sites):
    """Annihilation of an electron; a site's states are empty, up, down, both, and signs count all before, up first."""
    lower, sign, one = np.array([[0, 1], [0, 0]]), np.diag([1, -1]), np.eye(2)
    orbital, result = 2 * site + species, np.eye(1)
    for o in range(2 * sites):
        result = np.kron(lower if o == orbital else sign if o < orbital else one, result)
    return result


class States(InFolder):
    def test_spins_of_partial_tiles_have_the_energy_and_magnetisation_of_the_last_row(self):
        for extents in ([20, 12], [6, 10, 14]):
            job = strata.Job("swendsen-wang", lattice={"extents": extents}, model={"beta": 0.3, "field": 0.1},
                             run={"update": "metropolis", "sweeps": 30, "start": "hot"})
            series = job.run(name="a", overwrite=True, ranks=2).series
            s = strata.ising_spins("out/a.checkpoint.h5")
            self.assertEqual(s.shape, tuple(extents[::-1]))
            bonds = sum(s * np.roll(s, -1, axis) for axis in range(s.ndim))
            self.assertAlmostEqual(-bonds.mean() - 0.1 * s.mean(), series["energy"].value[-1], delta=1e-12)
            self.assertAlmostEqual(s.mean(), series["signed-magnetisation"].value[-1], delta=1e-12)

    def test_potts_states_are_those_of_the_program(self):
        """A resumed sweep observes the stored states, before its clusters."""
        job = strata.Job("swendsen-wang", lattice={"extents": [20, 12]}, model={"beta": 0.9, "states": 5},
                         run={"sweeps": 20})
        job.run(name="a", ranks=1)
        s = strata.potts_states("out/a.checkpoint.h5")
        self.assertEqual((s.shape, s.min(), s.max()), ((12, 20), 0, 4))
        series = strata.resume("out/a.checkpoint.h5", run__sweeps=21).series
        equal = sum((s == np.roll(s, -1, axis)).mean() for axis in (0, 1))
        self.assertAlmostEqual(-equal, series["energy"].value[-1], delta=1e-12)
        shares = np.bincount(s.ravel(), minlength=5) / s.size
        self.assertAlmostEqual((5 * (shares**2).sum() - 1) / 4, series["magnetisation-2"].value[-1], delta=1e-12)

    def test_amplitudes_of_spin_dynamics(self):
        job = strata.Job("trotter", {**RING, "model.field": 0.3, "state.initial": "neel", "run.order": 4,
                                     "run.step": 0.01, "run.steps": 50})
        job.run(name="a", ranks=2)
        h = heisenberg_ring(6, 0.3)
        energies, vectors = np.linalg.eigh(h)
        exact = vectors @ (np.exp(-0.5j * energies) * vectors.conj().T[:, 0b010101])  # even spins begin down
        np.testing.assert_allclose(strata.spin_state("out/a.checkpoint.h5"), exact, atol=1e-8)

    def test_vectors_of_exact_diagonalization(self):
        result = strata.Job("lanczos", RING).run(name="a")
        psi = np.zeros(64)
        for letters, value in strata.spin_amplitudes("out/a.checkpoint.h5"):
            psi[sum(1 << j for j, letter in enumerate(letters) if letter == "d")] = value.real
        h = heisenberg_ring(6).real
        self.assertAlmostEqual(float(result["energy"]), np.linalg.eigvalsh(h)[0], delta=1e-9)
        np.testing.assert_allclose(h @ psi, float(result["energy"]) * psi, atol=1e-6)

    def test_vectors_of_sectors_of_symmetries(self):
        """Representatives of one spin component are smallest in an order of the sites of their own."""
        h = heisenberg_ring(6).real
        for keys in ({"momentum": 0}, {"momentum": 1}, {"momentum": 3, "parity": "odd"},
                     {"momentum": 3, "spin-inversion": "odd"}, {"parity": "even", "sz": 1}):
            for hops in ("stored", "computed"):
                with self.subTest(keys, hops=hops):
                    job = strata.Job("lanczos", RING, sector=keys, backend={"hops": hops})
                    result = job.run(name="a", overwrite=True)
                    rows, up, down = strata.read_vector("out/a.checkpoint.h5")
                    psi = np.zeros(64, complex)
                    psi[up] = rows[:, 0]  # H is the same with spins up as bits that are set
                    self.assertAlmostEqual(np.linalg.norm(psi), 1, delta=1e-9)
                    np.testing.assert_allclose(h @ psi, float(result["energy"]) * psi, atol=1e-6)
                    if "momentum" in keys:
                        moved = psi[[(s >> 1) | (s & 1) << 5 for s in range(64)]]  # T s' = s
                        np.testing.assert_allclose(moved, psi * np.exp(-2j * np.pi * keys["momentum"] / 6), atol=1e-8)


    def test_matrix_product_states_of_spins(self):
        """All amplitudes of spins 1/2 and 1, in sectors of S^z and of a parity, of a complex H, and in time, against
        dense Hamiltonians."""
        for settings in ({}, {"model.field-x": 0.3}, {"model.spin": 1}, {"run.states": 2, "model.field": 0.1},
                         {"run.states": 2, "model.field-y": [0.1, 0.3, -0.2, 0.5, 0.7, 0.4], "model.field-x": 0.2}):
            with self.subTest(settings):
                result = strata.Job("dmrg", {**RING, "lattice.type": "chain", **settings}).run(name="a", overwrite=True)
                names = ["found-0", ""] if "run.states" in settings else [""]
                h = chain_of_spins(6, settings)
                energies = []
                for name in names:
                    psi = contracted(strata.matrix_product_state("out/a.checkpoint.h5", name))
                    self.assertAlmostEqual(np.linalg.norm(psi), 1, delta=1e-10)
                    energies.append((psi.conj() @ h @ psi).real)
                    np.testing.assert_allclose(h @ psi, energies[-1] * psi, atol=2e-4)
                self.assertAlmostEqual(min(energies), float(result["energy"]), delta=1e-8)
        keys = {**RING, "lattice.type": "chain", "model.field-y": 0.3, "run.task": "evolution", "evolution.up": [0, 2],
                "evolution.steps": 1, "evolution.step": 0.4, "evolution.sweeps": 16}
        strata.Job("dmrg", keys).run(name="a", overwrite=True)
        psi = contracted(strata.matrix_product_state("out/a.checkpoint.h5"))
        levels, vectors = np.linalg.eigh(chain_of_spins(6, keys))
        first = np.zeros(64)
        first[0b000101] = 1  # states of a site are numbered by m + S
        exact = vectors @ (np.exp(-0.4j * levels) * (vectors.conj().T @ first))
        self.assertAlmostEqual(abs(np.vdot(exact, psi)), 1, delta=1e-5)

    def test_matrix_product_states_of_electrons(self):
        """Occupations and hops of a state in time, whose amplitudes are complex."""
        with open("hops.txt", "w", encoding="ascii") as file:
            file.write("hop = 1 cdag_dn {i} c_dn {i+1}\n")
        keys = {"lattice.type": "chain", "lattice.extents": 5, "model.type": "hubbard", "model.u": 3,
                "sector.up": 2, "sector.down": 3,
                "run.task": "evolution", "evolution.up": [0, 2], "evolution.down": [1, 2, 4], "evolution.steps": 3,
                "observables.file": "hops.txt"}
        result = strata.Job("dmrg", keys).run(name="a")
        psi = contracted(strata.matrix_product_state("out/a.checkpoint.h5"))
        down = [electron(i, 1, 5) for i in range(5)]
        hop = [psi.conj() @ down[i].T @ down[i + 1] @ psi for i in range(4)]
        np.testing.assert_allclose(result.series["hop"].value[-1][:4], np.real(hop), atol=1e-9)
        np.testing.assert_allclose(result.series["hop-imaginary"].value[-1][:4], np.imag(hop), atol=1e-9)
        up = [psi.conj() @ electron(i, 0, 5).T @ electron(i, 0, 5) @ psi for i in range(5)]
        np.testing.assert_allclose(result.series["density-up"].value[-1], np.real(up), atol=1e-9)

    def test_a_state_is_measured_again(self):
        job = strata.Job("dmrg", {**RING, "lattice.type": "chain"})
        job.run(name="a")
        measured = strata.measure("out/a.checkpoint.h5", run__measure="correlations", threads=1)
        job["run.measure"] = "correlations"
        whole = job.run(name="b")
        np.testing.assert_array_equal(measured["spin-correlations"].value, whole["spin-correlations"].value)
        again = strata.measure("out/a.checkpoint.h5", "c", run__measure="correlations")
        self.assertEqual(pathlib.Path(again.path).name, "c.h5")


if __name__ == "__main__":
    unittest.main()
