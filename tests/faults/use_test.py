# SPDX-License-Identifier: BSD-3-Clause
"""What a user types and gets: logs, files, same bits on any layout, clean stops, restarts, scripts."""

import os
import re
import signal
import subprocess
import sys
import time
import unittest

from program import JOBS, ProgramTest, instruction_sets


class Log(ProgramTest):
    """Lines of a log, in which stdout is no terminal, against the series of the result."""

    CHAIN = "application = {}\n[lattice]\ntype = {}\nextents = 10\n[model]\ntype = heisenberg\n[backend]\nthreads = 1\n"

    def logged(self, job, pattern, *options, ranks=None):
        """Groups of every line that fits, and the columns of the series."""
        out, _ = self.strata("run", self.write("a.ini", job), "--output.overwrite=yes", *options, ranks=ranks)
        lines = [re.fullmatch(pattern + r" +(\d+\.\d\d) s", line) for line in out.splitlines()]
        found = [line.groups() for line in lines if line]
        seconds = [float(line[-1]) for line in found]
        self.assertEqual(seconds, sorted(seconds))
        self.assertTrue(found, out)
        import h5py
        with h5py.File(self.directory / "out/a.h5") as file:
            return found, {name: column[:] for name, column in file["series"].items()}

    def test_dmrg_has_a_line_for_every_half_sweep(self):
        pattern = r"(?:state (\d+)  )?sweep +(\d+) (right|left) +M +(\d+)  energy +(\S+)  discarded +(\S+)"
        for states, ranks in ((1, None), (1, 2), (2, None)):
            found, series = self.logged(self.CHAIN.format("dmrg", "chain"), pattern, f"--run.states={states}",
                                        ranks=ranks)
            self.assertEqual(len(found), len(series["energy"]))
            for row, (state, sweep, direction, most, energy, discarded, _) in enumerate(found):
                self.assertEqual(state, f"{series['state'][row]:.0f}" if states > 1 else None)
                self.assertEqual((int(sweep), int(most)), (series["sweep"][row], series["states"][row]))
                self.assertEqual(direction, ("right", "left")[row % 2])
                self.assertAlmostEqual(float(energy), series["energy"][row], delta=1e-12)
                self.assertAlmostEqual(float(discarded), series["truncation-error"][row], delta=0.06 * float(discarded))

    def test_lanczos_has_energy_and_residual_of_some_steps(self):
        pattern = r"(?:momentum (\d+)  )?step +(\d+)  energy +(\S+)  residual estimate +(\S+)"
        for options in ([], ["--run.states=3"], ["--sector.momentum=all"]):
            found, series = self.logged(self.CHAIN.format("lanczos", "ring"), pattern, *options)
            part = -1
            for momentum, step, energy, residual, _ in found:
                part += step == "1"
                self.assertEqual(momentum, str(part) if "--sector.momentum=all" in options else None)
                rows = [r
                        for r in range(len(series["energy"])) if "sector" not in series or series["sector"][r] == part]
                row = rows[int(step) - 1]
                self.assertTrue(step == "1" or int(step) % 10 == 0 or row == rows[-1], found)
                self.assertAlmostEqual(float(energy), series["energy"][row], delta=1e-11)
                self.assertAlmostEqual(float(residual), series["residual-estimate"][row], delta=0.06 * float(residual))
            self.assertEqual(int(found[-1][1]), len(rows))

    def test_quiet_runs_and_scans_have_none(self):
        job = self.CHAIN.format("lanczos", "ring")
        for text, options in ((job, ["--quiet"]), (job + "[scan]\nmodel.jz = 1, 2\n", [])):
            out, _ = self.strata("run", self.write("a.ini", text), "--output.overwrite=yes", *options)
            self.assertNotIn("residual estimate", out)


class Recording(ProgramTest):
    def test_a_long_series_takes_what_was_predicted(self):
        """Memory on rank 0 and files on disk."""
        self.job(extents="2,2", sweeps=10)
        program = self.peak_bytes()
        for keys in (("--run.sweeps=4e5",),):
            plan = self.planned("a.ini", *keys, "--backend.threads=1")
            memory, disk = self.bytes_of(plan["host_memory"])["series, on rank 0"], plan["result_bytes"]
            used = self.peak_bytes(*keys) - program
            self.assertLess(used, memory + 2**20, keys)
            self.assertGreater(used, memory / 1.3, keys)
            for name in ("out/a.h5", "out/a.checkpoint.h5"):
                size = (self.directory / name).stat().st_size
                self.assertLess(size, 1.1 * disk + 2**21, keys)
                self.assertGreater(size, disk, keys)


class SameBits(ProgramTest):
    def hashes(self, extents, beta):
        job = self.job(extents=extents, beta=beta, sweeps=60)
        found = {}
        for ranks in (1, 2, 3, 4, 7):
            for threads in (1, 2):
                self.strata("run", job, f"--backend.threads={threads}", "--output.overwrite=yes", ranks=ranks)
                r = self.result()
                found[ranks, threads] = (r["state_hash"], r["observables"])
        for simd in instruction_sets()[1:]:
            self.strata("run", job, f"--backend.simd={simd}", "--run.merge=tree", "--output.overwrite=yes", ranks=3)
            r = self.result()
            found[simd] = (r["state_hash"], r["observables"])
        return found

    def test_square(self):
        found = self.hashes("70,60", "0.44")
        self.assertEqual(len({str(v) for v in found.values()}), 1, found)

    def test_cubic(self):
        found = self.hashes("10,12,30", "0.2216")
        self.assertEqual(len({str(v) for v in found.values()}), 1, found)

    def test_instruction_sets_of_the_other_applications(self):
        """Real and complex vectors, sectors, couplings of neighbours and of all spins, several states; both
        precisions."""
        lanczos = ("application = lanczos\n[lattice]\ntype = ring\nextents = 9\n[model]\nu = 4\n"
                   "[run]\nmax-steps = 25\nallow-unconverged = yes\n")
        trotter = ("application = trotter\n[lattice]\ntype = ring\nextents = 12\n[state]\ninitial = random\n"
                   "[run]\nstep = 0.1\nsteps = 3\n")
        sector = "[sector]\nup = 4\ndown = 4\n"
        jobs = [lanczos + "[sector]\nup = 4\ndown = 5\n",
                lanczos + sector + "momentum = 1\n",
                lanczos.replace("[run]", "flux = 0.3\n[run]") + sector,
                lanczos.replace("u = 4", "type = fermions\nv = 1") + "[sector]\nup = 4\n",
                trotter + "[model]\ntype = heisenberg\ndisorder = 1\n",
                trotter.replace("ring", "all\ngeometry = ring") + "[model]\ntype = heisenberg\nrange = 3\n",
                "application = dmrg\n[lattice]\nextents = 6\n[model]\nu = 4\n[run]\nschedule = 20,30\nstates = 2\n"]
        for text in jobs:
            for precision in ("double", "single")[:1 if "dmrg" in text else 2]:
                found = set()
                for simd in instruction_sets()[1:]:
                    self.strata("run", self.write("a.ini", text), f"--backend.simd={simd}", "--output.overwrite=yes",
                                *(["--backend.precision=single"] if precision == "single" else []))
                    r = self.result()
                    found.add((r["state_hash"], str(r["observables"])))
                self.assertEqual(len(found), 1, text + precision)


class Stopping(ProgramTest):
    def interrupted(self, ranks, number, job):
        run = self.start(ranks, "run", job, "--checkpoint.interval=100d")
        time.sleep(1.5)
        run.send_signal(number)
        out, err = run.communicate(timeout=180)
        self.assertEqual(run.returncode, 0, out + err)
        self.assertIn("Stopped cleanly after", out)
        self.assertIn("strata resume out/a.checkpoint.h5", out)

    def test_usr2_then_resume_on_other_ranks_gives_the_same_bits(self):
        job = self.job(extents="1024,960", sweeps=2500)
        self.interrupted(2, signal.SIGUSR2, job)
        self.strata("resume", "out/a.checkpoint.h5", "--backend.threads=2", ranks=3)
        self.strata("run", job, "--output.name=whole", ranks=1)
        self.assertTrue(self.expect_same_result()["complete"])

    def test_without_mpirun_term_and_int_stop_too(self):
        for number in (signal.SIGTERM, signal.SIGINT):
            self.interrupted(None, number, self.job(extents="256,256", sweeps=10000000))
            for path in (self.directory / "out").iterdir():
                path.unlink()

    def test_usr1_writes_a_checkpoint_and_goes_on(self):
        run = self.start(2, "run", self.job(extents="256,256", sweeps=10000000), "--checkpoint.interval=100d")
        time.sleep(1.5)
        run.send_signal(signal.SIGUSR1)
        self.wait_for("out/a.checkpoint.h5")
        time.sleep(0.5)
        self.assertIsNone(run.poll())
        run.send_signal(signal.SIGUSR2)
        run.communicate(timeout=180)
        self.assertEqual(run.returncode, 0)

    def test_resume_stays_beside_its_checkpoint_or_goes_where_it_is_told(self):
        self.strata("run", self.job(), "--output.directory=first", "--output.name=a.b")
        (self.directory / "first").rename(self.directory / "moved")
        self.strata("resume", "moved/a.b.checkpoint.h5", "--run.sweeps=220")
        self.assertFalse((self.directory / "first").exists())
        self.strata("resume", "moved/a.b.checkpoint.h5", "--run.sweeps=240", "--output.directory=second")
        self.assertTrue((self.directory / "second/a.b.checkpoint.h5").exists())
        self.refused("resume", "moved/a.b.checkpoint.h5", "--run.sweeps=240", "--output.directory=second",
                     says="exists")
        # its own files are no obstacle, and not removed before they are read
        self.strata("resume", "second/a.b.checkpoint.h5", "--run.sweeps=260", "--output.directory=./second",
                    "--output.overwrite=yes")

    def test_a_link_leads_to_the_files_that_are_resumed(self):
        self.strata("run", self.job(), "--run.wall-time=0s", "--output.directory=first")
        scan = self.write("s.ini", self.job().read_text().replace("beta = 0.44\n", "") +
                          "[scan]\nmodel.beta = 0.4, 0.5\n")
        self.strata("run", scan, "--run.wall-time=0s", "--output.directory=first")
        for name, file in (("link.checkpoint.h5", "a.checkpoint.h5"), ("link.h5", "s.h5")):
            (self.directory / name).symlink_to(f"first/{file}")
            self.strata("resume", name, "--run.wall-time=none")
            self.assertTrue((self.directory / name).is_symlink())
        self.assertEqual([f for f in self.files() if "/" not in f],
                         ["a.ini", "link.checkpoint.h5", "link.h5", "s.ini"])
        for name in ("a", "s"):
            out, _ = self.strata("show", "--json", f"first/{name}.h5")
            self.assertIn('"complete": true', out)

    def test_a_finished_run_has_nothing_to_do_but_can_be_lengthened(self):
        job = self.job(sweeps=300)
        self.strata("run", job)
        before = (self.directory / "out/a.h5").read_bytes()
        out, _ = self.strata("resume", "out/a.checkpoint.h5")
        self.assertIn("its length may change by --run.sweeps", out)
        self.assertEqual((self.directory / "out/a.h5").read_bytes(), before)
        # results that are missing are written, without a further step
        (self.directory / "out/a.h5").unlink()
        out, _ = self.strata("resume", "out/a.checkpoint.h5")
        self.assertIn("resuming out/a.checkpoint.h5 after 310 steps", out)
        self.strata("run", job, "--output.name=b")
        self.assertEqual(self.result()["observables"], self.result("b")["observables"])
        self.assertEqual(self.result()["state_hash"], self.result("b")["state_hash"])
        self.strata("resume", "out/a.checkpoint.h5", "--run.sweeps=500", ranks=2)
        self.strata("run", job, "--run.sweeps=500", "--output.name=whole")
        self.assertEqual(self.result()["state_hash"], self.result("whole")["state_hash"])
        self.assertEqual(self.result()["observables"], self.result("whole")["observables"])


class WallTime(ProgramTest):
    def test_wall_time_ends_the_run_cleanly_also_after_a_resume(self):
        job = self.job(extents="256,256", sweeps=10000000)
        begin = time.monotonic()
        out, _ = self.strata("run", job, "--run.wall-time=4s", ranks=2)
        self.assertIn("Stopped cleanly", out)
        out, _ = self.strata("resume", "out/a.checkpoint.h5", "--run.wall-time=4s", ranks=2)
        self.assertIn("Stopped cleanly", out)
        self.assertLess(time.monotonic() - begin, 12)


class OneModel(ProgramTest):
    """The lattice and model of one job by three applications."""

    JOB = os.path.join(os.path.dirname(__file__), "../../jobs/heisenberg-ladder.ini")

    def energy(self, *options):
        self.strata("run", self.JOB, "--output.overwrite=yes", *options)
        return self.result("heisenberg-ladder")["observables"]["energy"]["value"]

    def test_it_has_one_energy(self):
        exact = self.energy()
        script = os.path.join(os.path.dirname(self.JOB), "read_vector.py")
        lines = subprocess.run([sys.executable, script, "--spins", "out/heisenberg-ladder.checkpoint.h5"],
                               cwd=self.directory, capture_output=True, text=True, check=True).stdout
        self.write("ground.txt", lines)
        self.assertAlmostEqual(self.energy("--application=dmrg"), exact, delta=1e-8)
        self.assertAlmostEqual(self.energy("--application=trotter", "--state.initial=file", "--state.file=ground.txt"),
                               exact, delta=1e-5)
        self.assertGreater(self.result("heisenberg-ladder")["observables"]["loschmidt-echo"]["value"], 1 - 1e-5)

    def test_terms_are_added_to_it(self):
        """An impurity from a list beside the job file, against Lanczos steps in numpy."""
        import itertools

        import numpy as np

        job = os.path.join(os.path.dirname(self.JOB), "anderson-impurity.ini")
        hops = np.diag(-np.ones(8), 1)
        hops[3, 4] = hops[4, 5] = -0.4
        hops = hops + hops.T + np.diag(9 * [0])
        hops[4, 4] = -4

        def one_spin(particles):
            states = list(itertools.combinations(range(9), particles))
            h = np.zeros((len(states), len(states)))
            for n, state in enumerate(states):
                for i, j in itertools.product(range(9), state):
                    if hops[i, j] != 0 and (i == j or i not in state):  # neighbours: no sign
                        h[states.index(tuple(sorted({*state} - {j} | {i}))), n] += hops[i, j]
            return h, np.array([4.0 in state for state in states], float)

        (up, n_up), (down, n_down) = one_spin(5), one_spin(4)
        basis = [np.ones((len(n_up), len(n_down)))]
        matrix = np.zeros((120, 120))
        for k in range(120):
            basis[k] /= np.linalg.norm(basis[k])
            y = up @ basis[k] + basis[k] @ down + 8 * np.outer(n_up, n_down) * basis[k]
            for _ in range(2):
                for i, x in enumerate(basis):
                    overlap = np.vdot(x, y)
                    matrix[i, k] += overlap
                    y = y - overlap * x
            basis.append(y)
        exact = np.linalg.eigvalsh(matrix, "U")[0]
        for application in ("lanczos", "dmrg"):
            self.strata("run", job, "--output.overwrite=yes", f"--application={application}")
            self.assertAlmostEqual(self.result("anderson-impurity")["observables"]["energy"]["value"], exact,
                                   delta=1e-8)

    def test_what_a_method_cannot_take_is_told(self):
        for options, says in ((["--application=dmgr"], ["Did you mean dmrg?"]),
                              (["--application=trotter", "--model.type=hubbard"],
                               ["model.type = hubbard must be xyz, heisenberg"]),
                              (["--application=dmrg", "--model.spin=3"], ["must be 0.5, 1, 1.5 or 2"]),
                              (["--application=trotter", "--model.spin=1"], ["model.spin = 1 must be 0.5"]),
                              (["--model.type=xyz", "--model.jx=1"],
                               ["model.j = 1 belongs to", "model.type is xyz here"]),
                              (["--application=dmrg", "--lattice.type=triangle"],
                               ["lattice.type = triangle must be"])):
            self.refused("run", self.JOB, *options, says=says)
        self.refused("show", "out/x.h5", "--application=dmrg", says="says nothing here")


class Scripts(ProgramTest):
    """jobs/plot.py and jobs/read_vector.py: pictures, or one sentence and exit code 4 (2 for wrong arguments)."""

    def script(self, name, *arguments, code=0):
        path = JOBS / name
        done = subprocess.run([sys.executable, path, *map(str, arguments)], cwd=self.directory, capture_output=True,
                              text=True)
        self.assertEqual(done.returncode, code, done.stdout + done.stderr)
        self.assertNotIn("Traceback", done.stderr)
        if code == 4:
            self.assertEqual(done.stderr.count("\n"), 1, done.stderr)
        return done.stderr

    def test_a_lattice_from_a_file_has_no_extents(self):
        self.write("square.txt", "0 1 1\n1 2 1\n2 3 1\n3 0 1\n")
        job = self.write("a.ini", "application = lanczos\n[lattice]\ntype = file\nfile = square.txt\n[model]\nu = 4\n"
                                  "[sector]\nup = 2\ndown = 2\n")
        self.strata("run", job)
        self.script("plot.py", "out/a.h5")
        self.assertTrue((self.directory / "out/a.png").exists())
        self.assertIn("no vector basis-0: it has f, q, ground-state",
                      self.script("read_vector.py", "out/a.checkpoint.h5", "basis-0", code=4))
        self.script("read_vector.py", "out/a.checkpoint.h5")
        self.assertIn("no checkpoint", self.script("read_vector.py", "out/a.h5", code=4))

    def test_files_without_results_are_told(self):
        import h5py

        self.strata("run", self.job(), "--run.wall-time=0s")
        self.assertIn("has no results yet", self.script("plot.py", "out/a.h5", code=4))
        self.assertIn("is a checkpoint", self.script("plot.py", "out/a.checkpoint.h5", code=4))
        self.assertIn("missing.h5", self.script("plot.py", "missing.h5", code=4))
        self.assertIn("a.ini", self.script("plot.py", "a.ini", code=4))
        with h5py.File(self.directory / "other.h5", "w") as f:
            f["results/energy"] = 1.0
        self.assertIn("is neither a result nor a scan", self.script("plot.py", "other.h5", code=4))
        self.strata("resume", "out/a.checkpoint.h5", "--run.wall-time=none")
        self.script("plot.py", "out/a.h5", "b.png")
        self.assertTrue((self.directory / "b.png").exists())
        self.assertIn("must end in", self.script("plot.py", "out/a.h5", "b.nothing", code=2))
        with h5py.File(self.directory / "out/a.h5", "r+") as f:
            f["job"].attrs["application"] = "another"
        self.assertIn("is damaged", self.script("plot.py", "out/a.h5", code=4))
        for name in ("plot.py", "read_vector.py"):
            self.script(name, code=2)
            self.script(name, "missing.h5", code=4)


class BatchScript(ProgramTest):
    def resubmitted(self, job, *words):
        """Runs the job in pieces of four seconds until the script does not put it back into the queue."""
        queue = self.directory / "queue"
        for part in range(100):
            queue.unlink(missing_ok=True)
            self.batch(job, {"SLURM_JOB_END_TIME": str(int(time.time()) + 4)}, *words)
            if not queue.exists():
                break
            self.assertEqual(queue.read_text(), "requeue 7\n")
        self.assertGreater(part, 0)
        self.assertTrue(self.result()["complete"])

    def test_a_stopped_job_goes_back_into_the_queue_and_is_resumed(self):
        self.make_slurm()
        self.resubmitted(self.job(extents="256,256", sweeps=50000))

    def test_also_a_quiet_one(self):
        self.make_slurm()
        self.resubmitted(self.job(extents="256,256", sweeps=50000), "--quiet")

    def test_a_quiet_run_says_on_stderr_that_it_was_stopped(self):
        scan = self.job().read_text().replace("beta = 0.44\n", "") + "[scan]\nmodel.beta = 0.4, 0.5\n"
        for job, rest in ((self.job(), "210 steps. Go on with: strata resume out/a.checkpoint.h5"),
                          (self.write("b.ini", scan), "2 points. Go on with: strata resume out/b.h5")):
            for stop in ([], ["--run.wall-time=0s"]):
                out, err = self.strata("run", job, "--quiet", "--output.overwrite=yes", *stop)
                self.assertNotIn("Stopped", out)
                self.assertEqual(f"of {rest}" in err, bool(stop), err)


if __name__ == "__main__":
    unittest.main(verbosity=2)
