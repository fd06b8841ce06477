#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""jobs/finite_size.py against exact results: enumeration of 4 x 4 spins, T_c and exponents of the square lattice,
series of known autocorrelation time, direct runs between the temperatures of a scan. Seeds are fixed; the bounds in
sigma are stated."""

import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

import h5py
import numpy as np

JOBS = pathlib.Path(__file__).resolve().parents[1] / "jobs"
sys.path.insert(0, str(JOBS))
import finite_size  # noqa: E402
import reweighting  # noqa: E402
from reweighting import Lattice, jackknife  # noqa: E402
from strata_lattice.digest import Walk  # noqa: E402 (reweighting knows its folder)

CRITICAL = 2 / np.log(1 + np.sqrt(2))
HEAD = "application = swendsen-wang\n[run]\nsweeps = {sweeps}\nthermalization = 200\nmeasure-every = {every}\n{seed}" \
       "[backend]\nthreads = 1\n"


def mean_square_bound(count, sigma=3.5):
    """Of the mean square of `count` independent normal pulls."""
    return sigma * np.sqrt(2 / count)


class ScanTest(unittest.TestCase):
    """Runs scans in a directory that all tests share."""

    @classmethod
    def setUpClass(cls):
        cls.directory = pathlib.Path(tempfile.mkdtemp(prefix="strata-fss-"))

    @classmethod
    def tearDownClass(cls):
        shutil.rmtree(cls.directory, ignore_errors=True)

    @classmethod
    def run_job(cls, name, text, sweeps, every=1, seed=1):
        head = HEAD.format(sweeps=sweeps, every=every, seed=f"seed = {seed}\n" if seed else "")
        (cls.directory / f"{name}.ini").write_text(head + text)
        done = subprocess.run([os.environ["STRATA_PROGRAM"], "run", f"{name}.ini"], cwd=cls.directory,
                              capture_output=True, text=True)
        if done.returncode:
            raise AssertionError(done.stdout + done.stderr)
        return str(cls.directory / f"out/{name}.h5")

    def analyse(self, *arguments, code=0):
        done = subprocess.run([os.environ["STRATA_PROGRAM"], "fit", *arguments], cwd=self.directory,
                              capture_output=True, text=True, env={**os.environ, "STRATA_PYTHON": sys.executable})
        self.assertEqual(done.returncode, code, done.stdout + done.stderr)
        return done.stdout if code == 0 else done.stderr


class Exponents(ScanTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.scan = cls.run_job("scan", "[scan]\nlattice.extents = 8,8; 12,12; 16,16; 24,24; 32,32\n"
                               "model.temperature = 2.25:2.29:0.02\nseeds = different\n", sweeps=150000, every=6,
                               seed=101)

    def test_square_lattice(self):
        """T_c, nu, beta and gamma of Onsager and Yang within 3 sigma; the crossing of the largest sizes within 0.1
        %."""
        out = self.analyse(self.scan, "--format=pdf")
        found = json.loads(pathlib.Path(self.scan.replace(".h5", "-sizes.json")).read_text())
        self.assertTrue((self.directory / "out/scan-sizes.pdf").stat().st_size > 10000)
        for name, exact, largest in (("T_c", CRITICAL, 0.003), ("1/nu", 1, 0.03), ("beta/nu", 1 / 8, 0.005),
                                     ("gamma/nu", 7 / 4, 0.008)):
            result = found["results"][name]
            self.assertLess(abs(result["value"] - exact), 3 * result["error"], name)
            self.assertLess(result["error"], largest, name)
            self.assertIn(finite_size.number(result["value"], result["error"]), out)
        for c in found["crossings"]:
            if c["of"] == "binder" and c["sizes"] == [16, 32]:
                self.assertLess(abs(c["T"][0] / CRITICAL - 1), 1e-3)
        self.assertEqual(len(found["crossings"]), 6)
        for fit in found["fits"]:
            self.assertEqual(fit["verdict"] == "no degrees of freedom", fit["dof"] == 0)

    def test_between_the_temperatures(self):
        """A direct run of 32 x 32 at T = 2.267, within 3.5 sigma of both errors; the exact energy of a torus; nothing
        outside."""
        path = self.run_job("direct", "[lattice]\nextents = 32,32\n[model]\ntemperature = 2.267\n", sweeps=60000,
                            every=4, seed=7)
        sizes, notes = reweighting.read_lattices([self.scan])
        self.assertEqual(notes, [])
        curve = sizes[-1].at(2.267)
        with h5py.File(path) as file:
            for name in ("energy", "specific-heat", "magnetisation", "susceptibility", "susceptibility-connected",
                         "binder"):
                (value, error), result = jackknife(curve[name]), file["results"][name]
                both = np.hypot(error, result["error"][0])
                self.assertLess(abs(value - result["value"][0]), 3.5 * both, name)
                self.assertLess(error, result["error"][0], name)
            for name in ("energy", "specific-heat"):
                value, error = jackknife(curve[name])
                self.assertLess(abs(value - file["results"][name]["reference"][0]), 3.5 * error, name)
        self.assertIsNone(sizes[-1].at(2.2499))
        self.assertIsNone(sizes[-1].at(2.2901))

    def test_scan_under_way(self):
        path = str(self.directory / "half.h5")
        shutil.copy(self.scan, path)
        with h5py.File(path, "a") as file:
            file["points/state"][12:] = 0   # 32 x 32
            file.attrs["digest"] = np.bytes_(Walk(file).text())
        self.assertIn("only 12 of 15 points are finished", self.analyse(path))
        self.assertIn("half.h5 repeats runs", self.analyse(self.scan, path))


class Enumeration(ScanTest):
    """Sums over all 65536 states of the 4 x 4 torus, at 12 temperatures between those of the runs."""
    TEMPERATURES = np.linspace(2.05, 3.45, 12)

    @staticmethod
    def exact(temperature):
        s = 2.0 * ((np.arange(2**16)[:, None] >> np.arange(16)) & 1).reshape(-1, 4, 4) - 1
        energy = -np.sum(s * np.roll(s, 1, 1) + s * np.roll(s, 1, 2), axis=(1, 2))
        m = np.abs(s.mean(axis=(1, 2)))
        structure = sum(np.abs(np.fft.fft(s.sum(axis=axis), axis=1)[:, 1])**2 for axis in (1, 2)) / 32
        weight = np.exp(-(energy + 32) / temperature)
        weight /= weight.sum()
        e, m1, m2, m4, f = (weight @ x for x in (energy, m, m**2, m**4, structure))
        return {"energy": e / 16, "specific-heat": (weight @ energy**2 - e**2) / temperature**2 / 16,
                "magnetisation": m1,
                "susceptibility": 16 * m2 / temperature, "susceptibility-connected": 16 * (m2 - m1**2) / temperature,
                "binder": 1 - m4 / (3 * m2**2), "xi-over-l": np.sqrt(16 * m2 / f - 1) / (2 * np.sin(np.pi / 4) * 4),
                "log-slope": e - weight @ (m * energy) / m1}

    def test_curves(self):
        count = 60
        path = self.run_job("torus", "[lattice]\nextents = 4,4\n[scan]\nmodel.temperature = 2.0, 2.4, 2.9, 3.5\n"
                            f"run.seed = 1:{count}:1\n", sweeps=2500, seed=None)
        coupling, runs, _ = reweighting.read_scan(path)
        self.check_curves(coupling, [runs[i::count] for i in range(count)])

    def test_curves_of_parallel_tempering(self):
        """Replicas that exchange temperatures every 20 sweeps."""
        count = 60
        path = self.run_job("replicas",
                            "[run]\ntempering = 2.0, 2.4, 2.9, 3.5\nexchange-every = 20\n[lattice]\nextents = 4,4\n"
                            f"[scan]\nrun.seed = 1:{count}:1\n", sweeps=2500, seed=None)
        coupling, runs, _ = reweighting.read_scan(path)
        self.check_curves(coupling, [runs[4 * i:4 * i + 4] for i in range(count)])
        self.assertTrue(np.isfinite([run.binder for run in runs]).all())

    def check_curves(self, coupling, sets):
        """Mean squares of the pulls of independent sets of runs, each at one of the temperatures, are 1 within 3.5
        sigma."""
        count = len(sets)
        for run in sum(sets, []):
            run.tau = reweighting.integrated_time(run.energy)
        exact = {t: self.exact(t) for t in self.TEMPERATURES}
        step = 1e-4
        for t, known in exact.items():
            above, below = self.exact(t + step)["binder"], self.exact(t - step)["binder"]
            known["binder-slope"] = -t**2 * (above - below) / (2 * step)
        pulls = {name: [] for name in exact[self.TEMPERATURES[0]]}
        for i in range(count):
            lattice, t = Lattice((4, 4), coupling, sets[i], 50), self.TEMPERATURES[i % 12]
            self.assertEqual(lattice.gaps, [])
            found = lattice.at(t)
            for name in pulls:
                value, error = jackknife(found[name])
                pulls[name].append((value - exact[t][name]) / error)
        for name, p in pulls.items():
            self.assertLess(abs(np.mean(np.square(p)) - 1), mean_square_bound(count), name)
            self.assertLess(abs(np.mean(p)), 3.5 / np.sqrt(count), name)


class Input(ScanTest):
    SCAN = "[scan]\nlattice.extents = 4,4; 8,8\n"

    def test_units_of_the_coupling(self):
        """J = 2 at 2 T, and beta in place of T, are the same spins: equal curves."""
        plain = self.run_job("plain", self.SCAN + "model.temperature = 2, 2.5\n", sweeps=2000)
        double = self.run_job("double", "[model]\ncoupling = 2\n" + self.SCAN + "model.temperature = 4, 5\n",
                              sweeps=2000)
        inverse = self.run_job("inverse", self.SCAN + "model.beta = 0.4, 0.5\n", sweeps=2000)
        a, b, c = (reweighting.read_lattices([path])[0][1] for path in (plain, double, inverse))
        for name, by_beta in (("binder", 1), ("specific-heat", 1), ("log-slope", 2), ("susceptibility", 0.5),
                              ("energy", 1)):
            value = a.at(2.2)[name]
            self.assertTrue(np.allclose(b.at(4.4)[name], by_beta * value, rtol=1e-9), name)
            self.assertTrue(np.allclose(c.at(2.2)[name], value, rtol=1e-9), name)

    def test_no_overlap(self):
        path = self.run_job("gap", "[scan]\nlattice.extents = 8,8; 24,24\nmodel.temperature = 1.9, 2, 3, 3.2\n",
                            sweeps=1000)
        self.assertIn("Histograms do not overlap between T = 2 and 3: nothing is given there.", self.analyse(path))
        large = reweighting.read_lattices([path])[0][1]
        self.assertIsNone(large.at(2.5))
        self.assertIsNotNone(large.at(1.95))
        self.assertIsNotNone(large.at(3.1))

    def test_bad_input_is_refused(self):
        one = self.run_job("one", "[lattice]\nextents = 4,4\n[scan]\nmodel.temperature = 2, 2.5\n", sweeps=500)
        short = self.run_job("short", self.SCAN + "model.temperature = 2, 2.5\n", sweeps=30)
        other = self.run_job("other", "[model]\ntemperature = 2\n" + self.SCAN + "model.coupling = 1, 2\n", sweeps=50)
        frozen = self.run_job("frozen", "[run]\nupdate = metropolis\nstart = hot\n" + self.SCAN
                              + "model.temperature = 1.5, 1.6\n", sweeps=100)
        single = self.run_job("single", "[lattice]\nextents = 4,4\n[model]\ntemperature = 2\n", sweeps=50)
        bare = str(self.directory / "bare.h5")
        shutil.copy(one, bare)
        with h5py.File(bare, "a") as file:
            del file["series/energy"]
        for path, sentence in ((one, "several sizes of one shape and coupling, not of 4 x 4."),
                               (short, "raise run.sweeps."),
                               (other, "scans model.coupling:"), (single, "is not a scan"),
                               (frozen, "point 0 is not known to be in equilibrium: Single-spin"),
                               (bare, "does not fit its digest"),
                               (str(JOBS / "README.md"), "could not be read"), ("none.h5", "does not exist")):
            error = self.analyse(path, code=4 if path in (bare, "none.h5") or path.endswith(".md") else 2)
            self.assertIn(sentence, error)
            self.assertEqual(error.count("\n"), 1)


class Statistics(unittest.TestCase):
    """Parts without the program, on random numbers."""

    def test_autocorrelation_time(self):
        """x' = a x + noise has tau = (1 + a) / (2 - 2 a): within 4 sigma, 2 tau sqrt((W + 1/2) / N) with W = 5 tau (N.
        Madras, A. D. Sokal, J. Stat. Phys. 50, 109 (1988))."""
        random = np.random.default_rng(5)
        for a in (0, 0.5, 0.9):
            noise, n = random.normal(size=200000), 200000
            x = np.zeros(n)
            for i in range(1, n):
                x[i] = a * x[i - 1] + noise[i]
            tau = (1 + a) / (2 - 2 * a)
            self.assertLess(abs(reweighting.integrated_time(x) - tau), 4 * 2 * tau * np.sqrt((5 * tau + 0.5) / n))

    def test_weights(self):
        """A run with tau = 9.5 counts 1 / 19 of its length, also without a block."""
        random, runs = np.random.default_rng(6), []
        for k in (0.4, 0.41):
            x = np.zeros(6000)
            for i in range(1, len(x)):
                x[i] = 0.9 * x[i - 1] + random.normal()
            runs.append(reweighting.Run((4, 4), k, np.rint(x), np.full(len(x), 0.5), None, (0, 0)))
        runs[0].tau = 9.5
        pieces = Lattice((4, 4), 1, runs, 20).pieces
        self.assertEqual(len(pieces), 1)
        self.assertTrue(np.allclose(pieces[0].lengths[0], [6000 / 19, 6000]))
        self.assertTrue(np.allclose(pieces[0].lengths[1:], [5700 / 19, 5700]))

    def fits(self, extra, count=300, blocks=40):
        """Straight lines through six correlated data with errors from blocks; `extra` is added to the last datum, in
        errors."""
        random = np.random.default_rng(7)
        x, fits = np.arange(6.0), []
        for _ in range(count):
            data = random.normal(size=(blocks, 6)) + random.normal(size=(blocks, 1)) + 3 * x + 1
            data[:, 5] += extra * np.sqrt(2 / blocks)
            samples = np.concatenate([[data.mean(axis=0)], (data.sum(axis=0) - data) / (blocks - 1)])
            fits.append(finite_size.make_fit("", "", 0, samples, np.column_stack([x, np.ones(6)])))
        return fits

    def test_fits(self):
        """Pulls of the slope and chi^2 / dof have means of 1 within 4 sigma; one fit in 20 is refused, all with a wrong
        datum."""
        fits = self.fits(0)
        pulls = np.array([(f["value"] - 3) / f["error"] for f in fits])
        self.assertLess(abs(np.mean(pulls**2) - 1), mean_square_bound(300, 4))
        self.assertLess(abs(np.mean([f["chi2"] / f["dof"] for f in fits]) - 1), 4 * np.sqrt(2 / 4 / 300) + 0.05)
        refused = np.mean([f["verdict"] != "good" for f in fits])
        self.assertTrue(0.01 < refused < 0.12, refused)
        self.assertTrue(all(f["verdict"] == "chi^2 too large" for f in self.fits(15, 20)))

    def test_numbers(self):
        for value, error, written in ((2.269185, 0.00051, "2.26918(51)"), (1.75, 0.0999, "1.75(10)"),
                                      (123.4, 45.2, "123(45)"),
                                      (-0.5, 0.02, "-0.500(20)"), (1, float("nan"), "-"), (6.5e4, 1234, "65000(1234)")):
            self.assertEqual(finite_size.number(value, error), written)


if __name__ == "__main__":
    unittest.main()
