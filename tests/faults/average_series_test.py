# SPDX-License-Identifier: BSD-3-Clause
"""Means over replicas of every row of their series: in the file, as CSV, in Python and in pictures, against means and
errors that are computed here from the rows of the points."""

import csv
import io
import sys
import unittest

import h5py
import numpy as np
from matplotlib.figure import Figure
from program import JOBS, ProgramTest

sys.path[:0] = [str(JOBS.parent / "python"), str(JOBS)]
from strata_lattice import open_result  # noqa: E402

import plot  # noqa: E402
from plot_axes import Look  # noqa: E402

SPINS = ("application = trotter\n[lattice]\ntype = ring\nextents = 6\n[model]\ntype = heisenberg\n[run]\nsteps = 6\n"
         "step = 0.3\nobservables = staggered,sz\n[backend]\nthreads = 1\n[scan]\nmodel.disorder = 1; 4\n"
         "run.seed = 1:6:1\n")
SPECTRUM = ("application = lanczos\n[lattice]\ntype = ring\nextents = 6\n[model]\ntype = heisenberg\n"
            "[run]\ntask = spectrum\n[spectrum]\nomega = 0:4:0.5\nmomenta = 1\n[backend]\nthreads = 1\n[scan]\n"
            "model.disorder = 1; 2\nrun.seed = 1:5:1\n")


def mean_and_error(rows):
    """Of replicas, [replica][row]; the variance of Student's t for few of them."""
    n = len(rows)
    return np.mean(rows, axis=0), np.sqrt(np.var(rows, axis=0, ddof=1) / n * (n - 1) / (n - 3))


class Averages(ProgramTest):
    def averages(self, name="a"):
        with h5py.File(self.directory / f"out/{name}.h5") as file:
            self.assertIn("series", file["averages"])
            return {column: data[:] for column, data in file["averages/series"].items()}

    def expected(self, groups, replicas, name="a"):
        """column -> (mean, error), [group, row]."""
        with h5py.File(self.directory / f"out/{name}.h5") as file:
            series = {column: data[:].reshape(groups, replicas, -1) for column, data in file["series"].items()}
        return {column: np.transpose([mean_and_error(group) for group in values], (1, 0, 2))
                for column, values in series.items() if column != "point"}

    def check(self, text, replicas, coordinate):
        self.write("a.ini", text)
        self.strata("run", "a.ini", ranks=2)
        found, expected = self.averages(), self.expected(2, replicas)
        np.testing.assert_array_equal(found["group"], np.repeat([0, 1], expected[coordinate].shape[2]))
        for column, (mean, error) in expected.items():
            np.testing.assert_allclose(found[column].reshape(mean.shape), mean, atol=1e-13)
            if column != coordinate:
                np.testing.assert_allclose(found[column + "_error"].reshape(mean.shape), error, atol=1e-13)
        return expected

    def test_times(self):
        expected = self.check(SPINS, 6, "time")
        rows = list(csv.DictReader(io.StringIO(self.strata("show", "out/a.h5", "--series", "--averages")[0])))
        self.assertEqual([row["model.disorder"] for row in rows], ["1"] * 7 + ["4"] * 7)
        np.testing.assert_allclose([float(row["staggered-z_error"]) for row in rows],
                                   expected["staggered-z"][1].ravel(), atol=1e-13)
        result = open_result(self.directory / "out/a.h5")
        quantity = result.table("average series")["sz"]
        self.assertEqual((quantity.dimensions, quantity.value.shape), (("group", "time", "site"), (2, 7, 6)))
        np.testing.assert_allclose(quantity.error[:, :, 2], expected["sz-2"][1], atol=1e-13)
        table = self.strata("show", "out/a.h5", "--csv", "--averages")[0].splitlines()
        self.assertEqual(len(table), 3)
        last = dict(zip(table[0].split(","), table[2].split(",")))
        self.assertAlmostEqual(float(last["staggered-z"]), expected["staggered-z"][0, 1, -1], delta=1e-12)
        self.assertEqual(last["replicas"], "6")

    def test_frequencies(self):
        self.check(SPECTRUM, 5, "omega")

    def test_replicas_that_share_a_seed_are_not_independent(self):
        """Four initial states in each disorder: the error is that of the means over them at least."""
        self.write("a.ini", SPINS.replace("model.disorder = 1; 4\nrun.seed = 1:6:1",
                                          "run.seed = 1:5:1\nstate.theta = 0.3; 0.4; 0.5; 0.6\n"
                                          "average = run.seed, state.theta")
                   .replace("[run]", "disorder = 2\n[state]\ninitial = product\n[run]"))
        self.strata("run", "a.ini")
        with h5py.File(self.directory / "out/a.h5") as file:
            rows = file["series/sz-1"][:].reshape(5, 4, -1)
        found = self.averages()
        np.testing.assert_allclose(found["sz-1"], rows.mean(axis=(0, 1)), atol=1e-13)
        of_disorder = mean_and_error(rows.mean(axis=1))[1]
        with h5py.File(self.directory / "out/a.h5") as file:
            last = file["averages/sz_error"][0, 1]
        np.testing.assert_allclose(found["sz-1_error"][-1], last, equal_nan=True)
        known = np.isfinite(found["sz-1_error"])
        self.assertTrue((found["sz-1_error"][known] >= of_disorder[known] - 1e-13).all())

    def test_rows_of_other_times_have_no_means(self):
        self.write("a.ini", SPINS.replace("model.disorder = 1; 4", "run.step = 0.1; 0.3\naverage = run.seed, run.step")
                   .replace("step = 0.3\nobs", "obs").replace("[run]", "disorder = 1\n[run]"))
        self.strata("run", "a.ini")
        with h5py.File(self.directory / "out/a.h5") as file:
            self.assertNotIn("series", file["averages"])
        self.refused("show", "out/a.h5", "--series", "--averages", says="the same times")
        self.job(sweeps=50)  # sweeps of Monte Carlo have no coordinate
        self.strata("run", "a.ini", "--scan.run.seed=1:4:1", "--output.name=b")
        self.refused("show", "out/b.h5", "--series", "--averages", says="the same times")
        self.strata("run", "a.ini", "--output.name=c")
        self.refused("show", "out/c.h5", "--csv", "--averages", says="no averages")
        self.refused("show", "out/b.h5", "--averages", says="--csv or --series")

    def test_groups_of_other_times_have_no_array(self):
        self.write("a.ini", SPINS.replace("model.disorder = 1; 4", "run.step = 0.1; 0.3")
                   .replace("step = 0.3\nobs", "obs").replace("[run]", "disorder = 1\n[run]"))
        self.strata("run", "a.ini")
        self.assertEqual(open_result(self.directory / "out/a.h5").table("average series"), {})
        time = self.averages()["time"]
        np.testing.assert_allclose(time, np.concatenate([np.arange(7) * 0.1, np.arange(7) * 0.3]), atol=1e-12)

    def test_pictures(self):
        """Seeds alone: one point, but several times."""
        self.write("a.ini", SPINS.replace("model.disorder = 1; 4\n", "").replace("[run]", "disorder = 2\n[run]"))
        self.strata("run", "a.ini")
        names = self.strata("plot", "--what=list", "out/a.h5", environment={"STRATA_PYTHON": sys.executable})[0]
        for name in ("imbalance", "staggered-z-over-time"):
            self.assertIn(name, names)
        with h5py.File(self.directory / "out/a.h5") as file:
            result = plot.opened(file, "out/a.h5")
            panel = next(p for p in plot.panels_of(result) if p.name == "staggered-z-over-time")
            axes = Figure().subplots()
            panel.draw(result, axes, Look())
            line, = axes.get_lines()
            np.testing.assert_allclose(line.get_ydata(), self.expected(1, 6)["staggered-z"][0, 0], atol=1e-13)
            self.assertEqual(len(axes.collections), 1)  # the band of errors


if __name__ == "__main__":
    unittest.main()
