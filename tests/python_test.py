#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""The Python package: numbers of files against h5py alone, states against dense Hamiltonians made here, jobs through the program;
and the notebooks of docs/notebooks, cell by cell, whose assertions compare with exact values."""

import importlib.util
import json
import os
import pathlib
import re
import sys
import tempfile
import unittest

os.environ.setdefault("MPLBACKEND", "Agg")
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
ROOT = pathlib.Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "python"))

import h5py  # noqa: E402
import numpy as np  # noqa: E402

import strata_lattice as strata  # noqa: E402

RING = {"lattice.type": "ring", "lattice.extents": 6, "model.type": "heisenberg", "model.j": 1}


def spin(site, component, sites):
    """S^x, S^y or S^z of a site; bit j of a basis state is 1 if spin j is down."""
    own = {"x": [[0, 0.5], [0.5, 0]], "y": [[0, -0.5j], [0.5j, 0]], "z": [[0.5, 0], [0, -0.5]]}[component]
    return np.kron(np.kron(np.eye(2 ** (sites - 1 - site)), own), np.eye(2**site))


def heisenberg_ring(sites, field=0.0):
    h = sum(spin(i, a, sites) @ spin((i + 1) % sites, a, sites) for i in range(sites) for a in "xyz")
    return h - field * sum(spin(i, "z", sites) for i in range(sites))


class InFolder(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory(prefix="strata-python-")
        self.before = os.getcwd()
        os.chdir(self.folder.name)

    def tearDown(self):
        os.chdir(self.before)
        self.folder.cleanup()


class Results(InFolder):
    def scan(self):
        job = strata.Job("swendsen-wang", run={"sweeps": 60, "thermalization": 20, "measure_every": 2},
                         scan={"lattice.extents": [[8, 8], [12, 10]], "model.temperature": [2.2, 2.4, 2.6]})
        return job.run(name="a", ranks=2, threads=1)

    def test_numbers_and_labels_are_those_of_the_file(self):
        result = strata.Job("dmrg", {**RING, "lattice.type": "chain", "run.schedule": [16, 32], "run.measure": "correlations"}).run(name="a")
        with h5py.File("out/a.h5") as file:
            self.assertEqual(set(result), set(file["results"]))
            for name, group in file["results"].items():
                np.testing.assert_array_equal(result[name].value.ravel(), group["value"][:])
                self.assertEqual(result[name].unit, group.attrs["unit"].decode())
            for name, column in file["series"].items():
                np.testing.assert_array_equal(result.series[name].value, column[:])
        self.assertEqual(result["spin-correlations"].dimensions, ("site", "other-site"))
        np.testing.assert_allclose(np.diag(result["spin-correlations"].value), 0.25, atol=1e-12)
        self.assertEqual(result["entropies"].value.shape, (5,))
        self.assertEqual(result["energy"].value.shape, ())
        self.assertTrue(result.complete)
        self.assertEqual(result.keys["run.schedule"], "16,32")
        with self.assertRaisesRegex(KeyError, "has no enrgy; it has energy"):
            result["enrgy"]

    def test_points_of_a_scan(self):
        result = self.scan()
        self.assertEqual(result.scanned_keys(), ["lattice.extents", "model.temperature"])
        grid = result.grid()
        self.assertEqual([list(axis) for axis in grid.values()], [["8,8", "12,10"], [2.2, 2.4, 2.6]])
        with h5py.File("out/a.h5") as file:
            np.testing.assert_array_equal(result["energy"].error, file["scan/energy_error"][:])
            for point in range(6):
                own = file["series/energy"][:][file["series/point"][:] == point]
                np.testing.assert_array_equal(result.rows_of_point(point)["energy"], own)
                self.assertAlmostEqual(own.mean(), result["energy"].value[point], delta=1e-12)

    @unittest.skipUnless(importlib.util.find_spec("xarray") and importlib.util.find_spec("pandas"), "xarray or pandas is not installed")
    def test_xarray_and_pandas(self):
        result = self.scan()
        data = result.to_xarray()
        self.assertEqual(data["energy"].dims, ("lattice.extents", "model.temperature"))
        point = data["energy"].sel({"lattice.extents": "12,10", "model.temperature": 2.4})
        self.assertEqual(float(point), result["energy"].value[4])
        self.assertEqual(data["energy"].attrs["units"], "J")
        self.assertIn("energy_error", data)
        frame = result.to_pandas()
        self.assertEqual(len(frame), 6)
        self.assertEqual(frame["energy"][4], result["energy"].value[4])
        motion = strata.Job("trotter", {**RING, "state.initial": "neel", "run.step": 0.1, "run.steps": 5}).run(name="m")
        data = motion.to_xarray(series=True)
        self.assertEqual(data["sz"].dims, ("time", "site"))
        np.testing.assert_allclose(data["time"], np.arange(6) * 0.1, atol=1e-12)
        self.assertEqual(float(motion.to_pandas().loc["norm", "value"]), float(motion["norm"]))

    def test_files_that_are_no_results(self):
        pathlib.Path("text.h5").write_text("no HDF5")
        h5py.File("other.h5", "w").close()
        for name, words in (("text.h5", "text.h5 could not be read"), ("other.h5", "neither a result nor a scan"), ("none.h5", "none.h5 could not be read")):
            with self.assertRaisesRegex(strata.StrataFileError, words):
                strata.open_result(name)
        with self.assertRaises(strata.StrataFileError):
            strata.ising_spins("other.h5")


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
        job = strata.Job("swendsen-wang", lattice={"extents": [20, 12]}, model={"beta": 0.9, "states": 5}, run={"sweeps": 20})
        job.run(name="a", ranks=1)
        s = strata.potts_states("out/a.checkpoint.h5")
        self.assertEqual((s.shape, s.min(), s.max()), ((12, 20), 0, 4))
        series = strata.resume("out/a.checkpoint.h5", run__sweeps=21).series
        equal = sum((s == np.roll(s, -1, axis)).mean() for axis in (0, 1))
        self.assertAlmostEqual(-equal, series["energy"].value[-1], delta=1e-12)
        shares = np.bincount(s.ravel(), minlength=5) / s.size
        self.assertAlmostEqual((5 * (shares**2).sum() - 1) / 4, series["magnetisation-2"].value[-1], delta=1e-12)

    def test_amplitudes_of_spin_dynamics(self):
        job = strata.Job("trotter", {**RING, "model.field": 0.3, "state.initial": "neel", "run.order": 4, "run.step": 0.01, "run.steps": 50})
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


class Jobs(InFolder):
    def test_what_the_program_refuses_is_an_exception(self):
        for ranks in (None, 2):
            with self.assertRaises(strata.StrataError) as refused:
                strata.Job("swendsen-wang", lattice={"extents": [8]}, model={"temperature": 2}).run(ranks=ranks)
            self.assertEqual(refused.exception.code, 2)
            self.assertIn("a lattice has 2 or 3", str(refused.exception))
            self.assertNotIn("---", str(refused.exception))
        self.assertFalse(pathlib.Path("out").exists())

    def test_resumed_it_is_the_longer_run(self):
        job = strata.Job("swendsen-wang", lattice={"extents": [16, 16]}, model={"temperature": 2.3}, run={"sweeps": 40})
        job.run(name="a")
        longer = strata.resume("out/a.checkpoint.h5", run__sweeps=80, threads=1)
        job["run.sweeps"] = 80
        whole = job.run(name="b")
        self.assertEqual(longer.attributes["state_hash"], whole.attributes["state_hash"])
        self.assertEqual(longer.keys["run.sweeps"], "80")
        self.assertEqual(strata.open_results("out/a.h5", "out/b.h5")[1], [])

    def test_examples_and_plans(self):
        job = strata.Job.example("swendsen-wang")
        self.assertIn("scan.model.temperature", job.keys)
        self.assertIn("points", job.plan())
        self.assertEqual(strata.Job("x", {"a.b": [[1, 2], [3, 4]], "a.c": True, "a.d": 1e-9}).text(),
                         "application = x\n\n[a]\nb = 1, 2; 3, 4\nc = yes\nd = 1e-09\n")


class Documents(InFolder):
    def test_the_code_of_the_guide_runs(self):
        text = (ROOT / "docs/python.md").read_text(encoding="utf-8")
        names = {}
        for number, block in enumerate(re.findall(r"^```python\n(.*?)^```", text, re.M | re.S)):
            needs = [package for package in ("pandas", "xarray") if f"to_{package}" in block]
            if all(map(importlib.util.find_spec, needs)):
                exec(compile(block, f"docs/python.md, block {number}", "exec"), names)
        self.assertAlmostEqual(float(names["result"]["energy"].reference), -1.20423173, delta=1e-8)
        self.assertEqual(names["spins"].shape, (64, 64))

    def test_cells_of_notebooks_run_and_their_cells_run_and_their_assertions_hold(self):
        paths = sorted((ROOT / "docs/notebooks").glob("*.ipynb"))
        self.assertEqual(len(paths), 5)
        for path in paths:
            with self.subTest(path.name):
                cells = [cell for cell in json.loads(path.read_text(encoding="utf-8"))["cells"] if cell["cell_type"] == "code"]
                self.assertTrue(all(not cell["outputs"] for cell in cells), "stored outputs would grow old")
                names = {}
                for number, cell in enumerate(cells):
                    exec(compile("".join(cell["source"]), f"{path.name}, code cell {number}", "exec"), names)
                import matplotlib.pyplot
                matplotlib.pyplot.close("all")


if __name__ == "__main__":
    unittest.main(verbosity=2)
