#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""The Python package: numbers of files against h5py alone, states against dense Hamiltonians made here, jobs through
the program; and the notebooks of docs/notebooks, cell by cell, whose assertions compare with exact values."""

import importlib.util
import json
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
import unittest
import zipfile

os.environ.setdefault("MPLBACKEND", "Agg")
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
ROOT = pathlib.Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "python"))

import h5py  # noqa: E402
import numpy as np  # noqa: E402

import strata_lattice as strata  # noqa: E402
from strata_lattice.digest import Walk  # noqa: E402

RING = {"lattice.type": "ring", "lattice.extents": 6, "model.type": "heisenberg", "model.j": 1}


def interrupt_when(path):
    """Interrupts this process as the stop button of a notebook does, when a file is there."""
    for _ in range(3000):
        if os.path.exists(path):
            os.kill(os.getpid(), signal.SIGINT)
            return
        time.sleep(0.02)


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
        result = strata.Job("dmrg", {**RING, "lattice.type": "chain", "run.schedule": [16, 32],
                                     "run.measure": "correlations"}).run(name="a")
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
        with self.assertRaisesRegex(KeyError, "has no enrgy; the nearest is energy"):
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

    @unittest.skipUnless(importlib.util.find_spec("xarray") and importlib.util.find_spec("pandas"),
                         "xarray or pandas is not installed")
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
        self.assertEqual(len(result.to_pandas("series")), len(result.series["energy"].value))
        self.assertEqual(frame["energy"][4], result["energy"].value[4])
        motion = strata.Job("trotter", {**RING, "state.initial": "neel", "run.step": 0.1, "run.steps": 5}).run(name="m")
        data = motion.to_xarray("series")
        self.assertEqual(data["sz"].dims, ("time", "site"))
        np.testing.assert_allclose(data["time"], np.arange(6) * 0.1, atol=1e-12)
        self.assertEqual(float(motion.to_pandas().loc["norm", "value"]), float(motion["norm"]))

    @unittest.skipUnless(importlib.util.find_spec("xarray"), "xarray is not installed")
    def test_temperatures_of_a_scan_are_a_coordinate(self):
        job = strata.Job("lanczos", lattice={"type": "ring", "extents": 4}, model={"type": "heisenberg"},
                         run={"task": "thermal"}, thermal={"temperatures": [0.5, 2]},
                         scan={"model.j": [1, 3], "run.seed": "1:4:1"})
        result = job.run(name="a")
        data, means = result.to_xarray(), result.to_xarray("averages")
        self.assertEqual(data["energy"].dims, ("model.j", "run.seed", "temperature"))
        one = data["energy"].sel({"model.j": 3, "run.seed": 2, "temperature": 2})
        self.assertEqual(float(one), result["energy"].value[5, 1])
        self.assertEqual(float(means["energy"].sel({"model.j": 3, "temperature": 0.5})),
                         result.averages["energy"].value[1, 0])
        lists = {"thermal.temperatures": [[0.5, 2], [1, 2]]}
        job = strata.Job("lanczos", lattice={"type": "ring", "extents": 4}, model={"type": "heisenberg"},
                         run={"task": "thermal"}, scan=lists)
        data = job.run(name="b").to_xarray()
        self.assertEqual(data["entropy"].dims, ("thermal.temperatures", "temperature-number"))
        np.testing.assert_array_equal(data["temperature"], lists["thermal.temperatures"])

    def test_spectra_and_pairs_are_labelled(self):
        job = strata.Job("lanczos", lattice={"type": "square", "extents": [2, 4]}, model={"u": 4},
                         sector={"up": 2, "down": 2},
                         run={"task": "spectrum"}, spectrum={"operator": "density", "omega": "0:4:0.1"})
        spectrum = job.run(name="a")
        ring = {**RING, "lattice.extents": 4, "run.steps": 3, "run.observables": "correlations-z,structure-factor"}
        motion = strata.Job("trotter", ring).run(name="b")
        self.assertEqual(spectrum.series["intensity"].dimensions, ("omega", "k"))
        self.assertEqual(motion.series["structure-factor"].dimensions, ("time", "k"))
        self.assertEqual(motion.series["correlations-z"].dimensions, ("time", "pair"))
        x, y = (spectrum[f"wave-vector-{axis}"].value for axis in "xy")
        with h5py.File("out/a.h5") as a, h5py.File("out/b.h5") as b:
            for place, label in enumerate(spectrum.column_labels["intensity"]):
                numbers = [int(n) for n in label.split(",")]
                np.testing.assert_array_equal(spectrum.series["intensity"].value[:, place],
                                              a[f"series/momentum-{numbers[0]}-{numbers[1]}"][:])
                turns = [x[place] / np.pi - numbers[0], y[place] / (np.pi / 2) - numbers[1]]  # k = 2 pi m / L
                np.testing.assert_allclose(turns, np.round(np.divide(turns, [2, 4])) * [2, 4], atol=1e-12)
            for place, label in enumerate(motion.column_labels["correlations-z"]):
                column = b[f"series/correlations-z-{label.replace(',', '-')}"]
                np.testing.assert_array_equal(motion.series["correlations-z"].value[:, place], column[:])

    def test_spectra_of_negative_wave_numbers(self):
        job = strata.Job("lanczos", lattice={"type": "square", "extents": [2, 4]}, model={"u": 4},
                         sector={"up": 2, "down": 2},
                         run={"task": "spectrum"}, spectrum={"momenta": "0,1,-1,0,1,-1", "omega": "0:4:0.1"})
        spectrum = job.run(name="a")
        self.assertEqual(spectrum.column_labels["intensity"], ["0,1", "-1,0", "1,-1"])
        self.assertEqual(spectrum.series["intensity"].value.shape, (41, len(spectrum["weight"].value)))
        with h5py.File("out/a.h5") as file:
            np.testing.assert_array_equal(spectrum.series["intensity"].value[:, 2], file["series/momentum-1--1"][:])

    def test_momenta_are_no_wave_vectors(self):
        job = strata.Job("lanczos", lattice={"type": "square", "extents": [2, 3]}, model={"u": 4},
                         sector={"up": 1, "down": 1, "momentum": "auto"})
        result = job.run(name="a")
        self.assertEqual(result["momentum-energies"].dimensions, ("momentum",))
        self.assertEqual(result["spin-structure-factor"].dimensions, ("k",))
        # other orders
        self.assertFalse(np.allclose(result["momentum-wave-vector-y"].value, result["wave-vector-y"].value))

    def test_lists_of_another_length_have_a_dimension_of_their_own(self):
        chain = {**RING, "lattice.type": "chain", "run.schedule": "8", "run.measure": "correlations"}
        del chain["lattice.extents"]
        result = strata.Job("dmrg", chain, scan={"lattice.extents": [4, 6]}).run(name="a")
        self.assertEqual((result["sz"].dimensions, result["sz"].value.shape), (("point", "site"), (2, 6)))
        self.assertTrue(np.isnan(result["sz"].value[0, 4:]).all())
        self.assertEqual(result["spin-correlations"].dimensions, ("point", "spin-correlations-number"))
        ladder = {"lattice.extents": [8, 8], "run.tempering": [2, 2.2, 2.4], "run.sweeps": 60}
        result = strata.Job("swendsen-wang", ladder).run(name="b")
        self.assertEqual(result["energy"].dimensions, ("temperature",))
        self.assertEqual(result["exchange-acceptance"].dimensions, ("temperature",))

    def test_files_without_axes_are_read(self):
        """Files of programs that wrote no axes: lists have dimensions of their own."""
        strata.Job("dmrg", {**RING, "lattice.type": "chain", "run.schedule": "8"}).run(name="a")
        with h5py.File("out/a.h5", "r+") as file:
            for group in file["results"].values():
                for name in ("axes", "row_length", "role"):
                    group.attrs.pop(name, None)
            file.attrs["digest"] = np.bytes_(Walk(file).text())
        self.assertEqual(strata.open_result("out/a.h5")["entropies"].dimensions, ("entropies-number",))
        shown = subprocess.run([os.environ["STRATA_PROGRAM"], "show", "out/a.h5"], capture_output=True, text=True)
        self.assertEqual(shown.returncode, 0, shown.stderr)

    def test_averages_over_replicas_and_lists_of_points(self):
        job = strata.Job("lanczos", lattice={"type": "ring", "extents": 6}, model={"type": "heisenberg"},
                         scan={"model.disorder": [0.5, 2], "run.seed": "1:4:1"})
        result = job.run(name="a")
        energies = result["energy"].value.reshape(2, 4)
        np.testing.assert_allclose(result.averages["energy"].value, energies.mean(axis=1), atol=1e-12)
        np.testing.assert_allclose(result.averages["energy"].error, energies.std(axis=1), atol=1e-12)  # times Student's
        self.assertEqual(result["occupation"].dimensions, ("point", "site"))
        self.assertFalse([name for name in result if name.startswith("members")])
        self.assertEqual(result.points["sentence"][0], "")

    def test_files_that_are_no_results(self):
        pathlib.Path("text.h5").write_text("no HDF5")
        h5py.File("other.h5", "w").close()
        for name, words in (("text.h5", "text.h5 could not be read"), ("other.h5", "neither a result nor a scan"),
                            ("none.h5", "none.h5 does not exist")):
            with self.assertRaisesRegex(strata.StrataFileError, words):
                strata.open_result(name)
        with self.assertRaises(strata.StrataFileError):
            strata.ising_spins("other.h5")


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

    def test_an_interrupt_ends_a_run_with_a_checkpoint(self):
        job = strata.Job("swendsen-wang", lattice={"extents": [16, 16]}, model={"temperature": 2.3},
                         run={"sweeps": 10**7, "measure_every": 10**4})
        for ranks in (None, 2):
            thread = threading.Thread(target=interrupt_when, args=("out/a.lock",))
            thread.start()
            with self.assertRaises(KeyboardInterrupt):
                job.run(name="a", ranks=ranks, threads=1, overwrite=True)
            thread.join()
            result = strata.open_result("out/a.h5")
            self.assertFalse(result.complete)
            self.assertIn("not complete", repr(result))
            self.assertGreaterEqual(result.attributes["steps"], 0)
        resumed = strata.resume("out/a.checkpoint.h5", run__sweeps=int(result.attributes["steps"]) + 20000)
        self.assertTrue(resumed.complete)

    def test_job_files_of_others_are_kept(self):
        pathlib.Path("mine.ini").write_text("application = lanczos\n")
        with self.assertRaisesRegex(FileExistsError, "mine.ini exists and was not written from Python"):
            strata.Job("lanczos", RING).run(name="mine")
        self.assertEqual(pathlib.Path("mine.ini").read_text(), "application = lanczos\n")

    def test_examples_and_texts(self):
        self.assertIn("scan.model.temperature", strata.Job.example("swendsen-wang").keys)
        self.assertEqual(strata.Job("x", {"a.b": [[1, 2], [3, 4]], "a.c": True, "a.d": np.float64(1e-9), "a.e": None,
                                          "a.f": np.bool_(0)}).text(),
                         "application = x\n\n[a]\nb = 1, 2; 3, 4\nc = yes\nd = 1e-09\ne = none\nf = no\n")

    def test_members_of_a_scanned_list_are_points(self):
        for key, values, points in (("lattice.extents", [4, 6, 8], 3), ("lattice.extents", [[4], [6]], 2),
                                    ("lattice.extents", np.array([6]), 1), ("model.field", [[0.5] * 6], 1),
                                    ("state.initial", ["neel", "domain-wall"], 2), ("run.step", [0.1, 0.2], 2)):
            job = strata.Job("trotter", lattice={"type": "ring", "extents": 6}, model={"type": "heisenberg"},
                             scan={key: values})
            if key == "lattice.extents":
                del job.keys[key]
            with self.subTest(key=key, values=values):
                self.assertRegex(str(job.plan()), rf"\b{points} points?: {re.escape(key)} \({points}\)")

    def test_plans_have_the_predicted_numbers(self):
        plan = strata.Job("lanczos", lattice={"type": "ring", "extents": 12}, model={"u": 4},
                          sector={"up": 6, "down": 6}).plan(ranks=2)
        sizes = {name: size for (backend, heading, name), size in plan.sizes.items() if backend == "CPU"
                 and heading.startswith("host")}
        total = sizes.pop("total")
        self.assertEqual(sum(sizes.values()), total)
        self.assertTrue(1 < sizes["two vectors"] / (8 * 924**2) < 1.3)  # half of each on a rank, padded
        self.assertGreater(plan.seconds, 0)
        self.assertIn(f"{plan.seconds:.1f} s", str(plan))
        self.assertEqual([path.name for path in pathlib.Path(".").iterdir()], [])

    def test_keys_are_those_of_the_program(self):
        keys = strata.keys("trotter")
        self.assertEqual((keys["run.step"].unit, keys["run.seed"].default), ("1/energy", "1"))
        self.assertEqual(keys["lattice.extents"],
                         strata.Key("lattice.extents", "integers or start:stop:step", "none, must be given", "cells",
                                    keys["lattice.extents"].meaning))
        result = strata.Job("trotter", {**RING, "run.steps": 2}).run(name="a")
        self.assertEqual(set(keys) - {"observables.NAME"}, set(result.keys))


class Documents(InFolder):
    @unittest.skipUnless(all(map(importlib.util.find_spec, ("pip", "setuptools", "wheel"))),
                         "pip, setuptools or wheel is not installed")
    def test_a_wheel_is_built_without_a_network_and_finds_the_program_of_its_prefix(self):
        shutil.copytree(ROOT / "python", "prefix/share/strata/python")
        build = [sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "--no-build-isolation", "--no-index",
                 "prefix/share/strata/python"]
        subprocess.run(build, check=True, capture_output=True, timeout=120)
        with zipfile.ZipFile(next(pathlib.Path(".").glob("strata_lattice-*.whl"))) as wheel:
            modules = {name for name in wheel.namelist() if name.startswith("strata_lattice/")}
        self.assertEqual(modules,
                         {f"strata_lattice/{path.name}" for path in (ROOT / "python/strata_lattice").glob("*.py")})
        os.mkdir("prefix/bin")
        os.symlink(os.environ["STRATA_PROGRAM"], "prefix/bin/strata")
        environment = {**os.environ, "PYTHONPATH": "prefix/share/strata/python", "PATH": "/nowhere"}
        del environment["STRATA_PROGRAM"]
        asked = [sys.executable, "-c", "from strata_lattice.program import program; print(program())"]
        done = subprocess.run(asked, env=environment, capture_output=True, text=True, timeout=60)
        self.assertEqual(done.stdout.strip(), os.path.realpath("prefix") + "/bin/strata", done.stderr)

    def test_the_code_of_the_guide_runs(self):
        text = (ROOT / "docs/python.md").read_text(encoding="utf-8")
        names = {}
        for number, block in enumerate(re.findall(r"^```python\n(.*?)^```", text, re.M | re.S)):
            needs = [package for package in ("pandas", "xarray") if f"to_{package}" in block]
            if all(map(importlib.util.find_spec, needs)):
                exec(compile(block, f"docs/python.md, block {number}", "exec"), names)
        self.assertAlmostEqual(float(names["result"]["energy"].reference), -1.20423173, delta=1e-8)
        self.assertEqual(names["spins"].shape, (64, 64))

    def test_cells_of_notebooks_run_and_their_assertions_hold(self):
        paths = sorted((ROOT / "docs/notebooks").glob("*.ipynb"))
        self.assertEqual(len(paths), 5)
        for path in paths:
            with self.subTest(path.name):
                cells = [cell for cell in json.loads(path.read_text(encoding="utf-8"))["cells"]
                         if cell["cell_type"] == "code"]
                self.assertTrue(all(not cell["outputs"] for cell in cells), "stored outputs would grow old")
                names = {}
                for number, cell in enumerate(cells):
                    exec(compile("".join(cell["source"]), f"{path.name}, code cell {number}", "exec"), names)
                import matplotlib.pyplot
                matplotlib.pyplot.close("all")


if __name__ == "__main__":
    unittest.main(verbosity=2)
