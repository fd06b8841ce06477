# SPDX-License-Identifier: BSD-3-Clause
"""Many points in one job: every point is the job that it would be alone, in any groups of ranks; points that start from
each other; the ready scans of jobs/."""

import random
import resource
import subprocess
import time
import unittest

from program import JOBS as READY_JOBS
from program import ScanTest, kill_rank

# One small job of every application, without the key that is scanned.
JOBS = {
    "swendsen-wang": ("[lattice]\nextents = 16,16\n[run]\nsweeps = 100\nthermalization = 10\n", "model.beta",
                      ["0.3", "0.44"]),
    "lanczos": ("[lattice]\ntype = ring\n[model]\nu = 4\n", "lattice.extents", ["4", "6"]),
    "dmrg": ("[lattice]\nextents = 6\n[model]\ntype = heisenberg\n", "model.j", ["0.5", "1"]),
    "trotter": ("[lattice]\ntype = ring\nextents = 6\n[model]\ntype = heisenberg\n[state]\ninitial = neel\n[run]\n"
                "steps = 20\n", "run.step", ["0.05", "0.1"]),
    "kronecker": ("[model]\nsites = 16\nsaved-states = 20\n", "model.operators", ["2", "4"]),
}


class Points(ScanTest):
    def test_are_the_jobs_that_they_would_be_alone(self):
        for application, (text, key, values) in JOBS.items():
            head = f"application = {application}\n{text}"
            section, bare = key.split(".")
            self.write("s.ini", f"{head}[scan]\n{key} = {'; '.join(values)}\n")
            self.strata("run", "s.ini", "--output.overwrite=yes", ranks=2)
            scan = self.result("s")
            self.assertTrue(scan["complete"])
            for point, value in enumerate(values):
                self.write("one.ini", head)
                self.strata("run", "one.ini", f"--{key}={value}", "--output.overwrite=yes")
                alone = self.result("one")
                self.assertEqual(scan["state_hash"][point], alone["state_hash"], (application, point))
                for name, quantity in alone["observables"].items():
                    same = scan["observables"][name]
                    if "axes" in same:  # the points have the same; if not, the scan has none
                        self.assertEqual([same[k] for k in same if k in ("axes", "row_length")],
                                         [quantity[k] for k in quantity if k in ("axes", "row_length")])
                    for kind in [k for k in ("value", "error", "tau", "reference") if k in quantity]:
                        number, got = quantity[kind], same[kind][point]
                        if isinstance(number, list):  # lists of different lengths end with null
                            got = (got if isinstance(got, list) else [got])[:len(number)]
                        self.assertEqual(got, number, (application, point, name, kind))
            self.assertEqual([float(v) for v in values], [float(v) for v in scan["scan"][key]])

    def test_have_the_same_bits_on_any_ranks(self):
        import h5py

        self.scan(sweeps=30, temperatures="2:2.9:0.1", seeds="1:20:1")
        expected = None
        for ranks, each in ((1, 1), (2, 1), (3, 1), (5, 1), (5, 2)):
            self.strata("run", "a.ini", f"--scan.ranks-per-point={each}", "--backend.threads=1",
                        "--output.overwrite=yes", ranks=ranks)
            with h5py.File(self.directory / "out/a.h5") as file:
                columns = {name: file[name][()].tobytes() for group in ("scan", "averages", "series")
                           for name in (f"{group}/{member}" for member in file[group])}
                hashes = file["points/state_hash"][()].tobytes()
            expected = expected or (columns, hashes)
            self.assertEqual((columns, hashes), expected, (ranks, each))

    def test_that_cannot_be_cut_into_a_group_take_fewer_ranks(self):
        self.write("a.ini", "application = swendsen-wang\n[run]\nsweeps = 20\nthermalization = 5\n[model]\nbeta = 0.4\n"
                            "[scan]\nlattice.extents = 8,8; 64,64; 16,16\n")
        self.strata("run", "a.ini", "--scan.ranks-per-point=3", ranks=3)
        together = self.csv()
        self.strata("run", "a.ini", "--output.overwrite=yes")
        self.assertEqual(together, self.csv())

    def test_give_one_file_and_no_other(self):
        self.scan(sweeps=10, temperatures="2:2.9:0.1", seeds="1:20:1")
        self.strata("run", "a.ini", ranks=2)
        self.assertEqual(self.files(), ["a.ini", "out/a.h5"])

    def test_are_columns_that_other_programs_read(self):
        import h5py

        self.scan(temperatures="2, 2.5, 3", seeds="1, 2, 3, 4")
        self.strata("run", "a.ini", ranks=2)
        with h5py.File(self.directory / "out/a.h5") as file:
            energy = file["scan/energy"]
            self.assertEqual(energy.shape, (12,))
            self.assertEqual(energy.dims[0]["point"][:].tolist(), list(range(12)))
            self.assertEqual(file["scan/model.temperature"][:].tolist(), [2] * 4 + [2.5] * 4 + [3] * 4)
            self.assertEqual(file["scan/run.seed"][:].tolist(), [1, 2, 3, 4] * 3)
            rows = file["series/energy"][file["series/point"][:] == 3]
            self.assertEqual(len(rows), 100)
            self.assertAlmostEqual(rows.mean(), energy[3], delta=1e-12)
            for name in ("energy", "magnetisation", "binder"):  # replicas, by other arithmetic
                values = file[f"scan/{name}"][:].reshape(3, 4)
                for mean, error, four in zip(file[f"averages/{name}"][:], file[f"averages/{name}_error"][:], values):
                    self.assertAlmostEqual(mean, four.sum() / 4, delta=1e-14)
                    squared = ((four ** 2).sum() - four.sum() ** 2 / 4) / 12
                    self.assertAlmostEqual(error, (3 * squared) ** 0.5, delta=1e-11)  # Student's t of 4 has variance 3
            self.assertEqual(file["averages/replicas"][:].tolist(), [4, 4, 4])

    def test_of_failures_are_told_and_the_others_go_on(self):
        self.write("a.ini", "application = lanczos\n[lattice]\ntype = ring\nextents = 8\n[model]\nu = 4\n"
                            "[scan]\nrun.max-steps = 200, 3, 300\n")
        out, _ = self.strata("run", "a.ini", ranks=2, code=5)
        self.assertIn("point 1 (run.max-steps = 3)", out)
        rows = self.table()
        self.assertEqual([row["exit_code"] for row in rows], ["0", "5", "0"])
        self.assertEqual(rows[0]["energy"], rows[2]["energy"])
        _, _ = self.strata("resume", "out/a.h5", code=5)  # nothing to do, and it is told again
        self.write("b.ini", "application = lanczos\n[lattice]\ntype = ring\n[model]\nu = 4\n"
                            "[scan]\nlattice.extents = 4; 24; 6\n")
        out, _ = self.strata("run", "b.ini", ranks=2, code=3)
        self.assertRegex(out, r"point 1 \(lattice.extents = 24\) failed: .*are free")
        self.assertEqual([row["exit_code"] for row in self.table("b")], ["0", "3", "0"])

    def test_are_all_checked_before_the_first(self):
        self.write("a.ini",
                   "application = lanczos\n[lattice]\ntype = ring\n[model]\nu = 4\n[sector]\nup = 3\ndown = 3\n"
                   "[scan]\nlattice.extents = 6; 2; 8; 1\n")
        self.refused("run", "a.ini", says=["point 1: lattice.extents = 2", "point 3: lattice.extents = 1"])

    def test_of_another_scan_are_not_touched(self):
        self.scan()
        self.strata("run", "a.ini")
        self.refused("run", "a.ini", says="strata resume out/a.h5")
        for wrong in ("--run.sweeps=200", "--output.name=b", "--scan.run.seed=1,2,3", "--model.temperature=3",
                      "--scan.average=none"):
            self.refused("resume", "out/a.h5", wrong, says=wrong.split("=")[0])

    def test_and_settings_without_points_are_errors(self):
        self.refused("run", self.job(), "--scan.together=a", says="[scan] names no key")
        self.refused("run", self.scan(), "--scan.ranks-per-point=3", ranks=2, says="are more than the 2 ranks")
        _, err = self.strata("run", "a.ini", "--run.sweeps=1e11", code=3)
        self.assertRegex(err, "rows of observations take .* of memory on rank 0, which keeps those of all "
                              "points.*raise run.measure-every")
        out, _ = self.strata("run", "a.ini", "--scan.ranks-per-point=2", ranks=3)
        self.assertIn("1 group of 2 ranks, 1 rank left over", out)

    def test_in_groups_into_which_the_largest_cannot_be_cut_are_refused_as_by_the_plan(self):
        job = self.write("a.ini", "application = trotter\n" + JOBS["trotter"][0] +
                         "[scan]\nrun.step = 0.05, 0.1\nranks-per-point = 3\n")
        for words, ranks in ((("plan", job, "--ranks=3"), None), (("run", job), 3)):
            self.refused(*words, says="power of two ranks, not 3", ranks=ranks)

    def test_are_planned(self):
        out, _ = self.strata("plan", self.scan(temperatures="2:2.9:0.1", seeds="1:20:1"), "--ranks=7")
        self.assertIn("200 points: model.temperature (10) x run.seed (20)", out)
        self.assertIn("7 groups of 1 rank", out)
        self.assertEqual(self.files(), ["a.ini"])


class Chains(ScanTest):
    """Points that start from the final states of each other."""

    def chain(self, name="a", sweeps=20, temperatures="1000, 0", thermalization=0, seeds="1, 2"):
        return self.write(f"{name}.ini",
                          "application = swendsen-wang\n[lattice]\nextents = 48,48\n[backend]\nthreads = 1\n"
                          f"[run]\nsweeps = {sweeps}\nthermalization = {thermalization}\n"
                          f"[scan]\nrun.seed = {seeds}\nmodel.temperature = {temperatures}\n"
                          "start = previous\n")

    def series(self, point, name="a"):
        import h5py

        with h5py.File(self.directory / f"out/{name}.h5") as file:
            return file["series/energy"][:][file["series/point"][:] == point]

    def test_start_where_the_point_before_has_ended(self):
        import h5py

        self.strata("run", self.chain(), ranks=2)
        # a sweep observes the spins that enter it: one more sweep of the first point shows those that it leaves
        self.write("one.ini", "application = swendsen-wang\n[lattice]\nextents = 48,48\n[model]\ntemperature = 1000\n"
                              "[run]\nsweeps = 21\nthermalization = 0\nseed = 2\n")
        self.strata("run", "one.ini")
        with h5py.File(self.directory / "out/one.h5") as file:
            alone = file["series/energy"][:]
        self.assertEqual(self.series(2).tolist(), alone[:20].tolist())
        self.assertEqual(self.series(3)[0], alone[20])
        self.assertTrue((self.series(3)[1:] <= self.series(3)[:-1]).all())  # at T = 0 whole domains flip
        self.assertNotEqual(self.series(1)[0], self.series(3)[0])
        self.assertEqual(self.files(), ["a.ini", "one.ini", "out/a.h5", "out/one.checkpoint.h5", "out/one.h5"])

    def test_draw_other_random_numbers_at_every_point(self):
        # without bonds a sweep multiplies every spin by a random sign: the same signs again would undo those before
        self.strata("run", self.chain(temperatures="1e9, 1e9, 1e9"))
        for point in (2, 4):
            self.assertLess(abs(self.series(point)[0]), 0.2)  # -2 if all spins are up; 2 / 48 is the deviation

    def test_give_the_exact_energies_on_any_ranks(self):
        import h5py

        self.chain(sweeps=4000, temperatures="3:2:-0.2", thermalization=100)
        self.strata("run", "a.ini", ranks=3)
        with h5py.File(self.directory / "out/a.h5") as file:
            scan = {name: file["scan"][name][()] for name in ("energy", "energy_reference", "energy_error")}
        pull = (scan["energy"] - scan["energy_reference"]) / scan["energy_error"]
        self.assertLess(abs(pull).max(), 4)  # of 12 points
        together = self.csv()
        for ranks, each in ((1, 1), (2, 2)):
            self.strata("run", "a.ini", f"--scan.ranks-per-point={each}", "--output.overwrite=yes", ranks=ranks)
            self.assertEqual(self.csv(), together)

    def test_go_on_after_kills_and_lost_states(self):
        self.chain("whole", sweeps=4000, temperatures="3:2:-0.1", thermalization=100)
        self.strata("run", "whole.ini", ranks=2)
        expected = self.csv("whole")
        self.chain(sweeps=4000, temperatures="3:2:-0.1", thermalization=100)
        chance = random.Random(3)
        kills = 0
        for kill in range(6):
            run = self.start(2, "resume" if kill else "run", "out/a.h5" if kill else "a.ini",
                             "--checkpoint.interval=0.1s")
            self.wait_for("out/a.h5")
            time.sleep(chance.uniform(0.1, 0.5))
            kills += kill_rank(run, 2, chance.randrange(2))
            if kill == 3:
                for path in (self.directory / "out").glob("*.checkpoint*"):
                    path.unlink()
        self.assertGreater(kills, 2)  # else the scan was too short
        self.strata("resume", "out/a.h5", ranks=2)
        self.assertEqual(self.csv(), expected)
        self.assertEqual([f for f in self.files() if "point" in f], [])

    def test_do_not_start_from_a_state_before_the_last_step(self):
        self.chain("whole", sweeps=100000, temperatures="3, 2.5", seeds="1")
        self.strata("run", "whole.ini")
        run = self.start(1, "run", self.chain(sweeps=100000, temperatures="3, 2.5", seeds="1"),
                         "--checkpoint.interval=0.1s")
        self.wait_for("out/a.point-0.checkpoint.h5")
        path = self.directory / "out/a.point-0.checkpoint.h5"
        early = path.read_bytes()
        self.wait_for("out/a.point-1.checkpoint.h5")
        self.assertTrue(kill_rank(run, 1, 0))
        for old in path.parent.glob("a.point-*"):
            old.unlink()
        path.write_bytes(early)
        self.strata("resume", "out/a.h5")
        self.assertEqual(self.csv(), self.csv("whole"))

    def test_end_where_a_state_cannot_be_written(self):
        self.write("a.ini", "application = swendsen-wang\n[lattice]\nextents = 8192,8192\n[run]\nsweeps = 2\n"
                            "thermalization = 0\n"
                            "[scan]\nmodel.beta = 0.4, 0.44, 0.5\nstart = previous\n")

        def limit():  # below the 8 MB of a checkpoint
            resource.setrlimit(resource.RLIMIT_FSIZE, (4 << 20, resource.RLIM_INFINITY))
        done = subprocess.run(self.command(None, "run", "a.ini"), cwd=self.directory, capture_output=True, text=True,
                              timeout=180, preexec_fn=limit)
        self.assertEqual(done.returncode, 4, done.stdout + done.stderr)
        rows = self.table()
        self.assertEqual([row["exit_code"] for row in rows], ["4", "4", "4"])
        self.assertIn("It starts from the point before it, which has no result", done.stdout)
        self.strata("resume", "out/a.h5", ranks=2)
        resumed = self.csv()
        self.strata("run", "a.ini", "--output.name=whole")
        self.assertEqual(resumed, self.csv("whole"))

    def test_are_refused_where_they_say_nothing(self):
        self.refused("run", self.job(), "--scan.start=previous", says="scan.start")
        self.write("b.ini", "application = lanczos\n[lattice]\ntype = ring\nextents = 6\n[scan]\nmodel.u = 1; 2\n"
                            "start = previous\n")
        self.refused("run", "b.ini", says="scan.start")
        self.write("c.ini", "application = lanczos\n[lattice]\ntype = ring\nextents = 6\n")
        for key, value, says in (("model.u", "0,2,4,6,8,10", "a list of 6 values. Write 0;2;4;6;8;10 for 6 points"),
                                 ("lattice.extents", "4,6", "Write 4;6 for 2 points"),
                                 ("sector.momentum", "0,1,2", "Write 0;1;2 for 3 points")):
            self.refused("run", "c.ini", f"--scan.{key}={value}", says=says)
            self.refused("plan", "c.ini", f"--scan.{key}={value}", says=says)
        self.refused("run", self.chain(), "--run.sweeps=3e9", says="more than 2^31 sweeps")


class ReadyJobs(ScanTest):
    """The scans in jobs/, shortened, against exact values of each of their points, and their pictures."""

    def columns(self, name, *options):
        import h5py

        self.strata("run", READY_JOBS / f"{name}.ini", "--output.overwrite=yes", *options, ranks=2)
        self.draw(name)
        with h5py.File(self.directory / f"out/{name}.h5") as file:
            groups = [g for g in ("scan", "averages") if g in file]
            return [{n: file[g][n][()] for n in file[g] if n != "series"} for g in groups]

    def test_ising(self):
        scan, = self.columns("scan-binder-crossing", "--run.sweeps=4000")
        pull = (scan["energy"] - scan["energy_reference"]) / scan["energy_error"]
        self.assertLess(abs(pull).max(), 5)  # of 40 points
        self.assertLess((pull**2).mean(), 2)
        size = [int(e.split(b",")[0]) for e in scan["lattice.extents"]]
        at = {(n, round(t, 2)): u for n, t, u in zip(size, scan["model.temperature"], scan["binder"])}
        self.assertGreater(at[64, 2.2], at[16, 2.2])  # the curves have crossed in between
        self.assertLess(at[64, 2.34], at[16, 2.34])
        scan, averages = self.columns("scan-ising-replicas")
        exact = scan["energy_reference"].reshape(-1, 8)[:, 0]
        pull = (averages["energy"] - exact) / averages["energy_error"]
        self.assertLess((pull**2).mean(), 4)  # the errors are those of 8 replicas

    def test_free_fermions_in_a_flux(self):
        import numpy as np

        scan, = self.columns("scan-flux-ring", "--model.v=0")
        for flux, energy, gap in zip(scan["model.flux"], scan["energies"][:, 0],
                                     scan["energies"][:, 1] - scan["energies"][:, 0]):
            levels = np.sort(-2 * np.cos((2 * np.pi * np.arange(12) + flux) / 12))
            self.assertAlmostEqual(energy, levels[:5].sum(), delta=1e-8)
            self.assertAlmostEqual(gap, levels[5] - levels[4], delta=1e-7)

    def test_the_entropy_of_free_fermions(self):
        import numpy as np

        scan, = self.columns("scan-central-charge", "--scan.lattice.extents=12;16;24;32")
        for length, entropy in zip(scan["lattice.extents"].astype(int), scan["entropy"]):
            modes = np.arange(1, length // 2 + 1)
            waves = np.sqrt(2 / (length + 1)) * np.sin(np.pi * np.outer(modes, modes) / (length + 1))
            filled = np.linalg.eigvalsh(waves @ waves.T).clip(1e-15, 1 - 1e-15)
            exact = -(filled * np.log(filled) + (1 - filled) * np.log(1 - filled)).sum()
            self.assertAlmostEqual(entropy, exact, delta=1e-6)

    def spin_1_chain(self, sites):
        """Lowest energy of the open chain of spins 1 with Sz = 1, from all its states."""
        import numpy as np

        z, plus = np.diag([1.0, 0, -1]), np.sqrt(2) * np.diag([1.0, 1], 1)
        at = lambda matrix, i: np.kron(np.kron(np.eye(3**i), matrix), np.eye(3 ** (sites - i - 1)))  # noqa: E731
        h = sum(at(z, i) @ at(z, i + 1) + (at(plus, i) @ at(plus.T, i + 1) + at(plus.T, i) @ at(plus, i + 1)) / 2
                for i in range(sites - 1))
        sector = np.isclose(np.diag(sum(at(z, i) for i in range(sites))), 1)
        return np.linalg.eigvalsh(h[np.ix_(sector, sector)])[0]

    def test_the_others(self):
        import h5py
        import numpy as np

        scan, = self.columns("scan-energy-per-site", "--scan.lattice.extents=4;6")
        for energy, exact in zip(scan["energy"], map(self.spin_1_chain, (4, 6))):
            self.assertAlmostEqual(energy, exact, delta=1e-6)
        scan, = self.columns("scan-double-occupancy", "--lattice.extents=8")
        # as netCDF wants it: all dimensions named
        with h5py.File(self.directory / "out/scan-double-occupancy.h5") as file:
            for name, column in file["scan"].items():
                self.assertTrue(column.attrs.get("CLASS") == b"DIMENSION_SCALE"
                                or all(len(d) == 1 for d in column.dims), name)
        self.assertEqual(scan["energy"].shape, (13, 3))
        free = scan["energy"] / 8 - scan["temperature"] * scan["entropy"]  # grows by the double occupancy, 1/4 at U = 0
        self.assertTrue((np.diff(free, axis=0) > 0).all())
        self.assertTrue((np.diff(free, axis=0) < 0.26).all())
        scan, averages = self.columns("scan-disorder", "--scan.run.seed=1:10:1")
        self.assertLess(abs(scan["norm"] - 1).max(), 1e-9)
        self.assertLess(abs(scan["sz"].sum(axis=1)).max(), 1e-9)
        self.assertLess(abs(averages["sz"] - scan["sz"].reshape(3, 10, 10).mean(axis=1)).max(), 1e-14)
        imbalance = abs(averages["sz"] @ (-1.0) ** np.arange(10))
        self.assertLess(imbalance[0], imbalance[2])  # strong disorder remembers the start


if __name__ == "__main__":
    unittest.main()
