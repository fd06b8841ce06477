# SPDX-License-Identifier: BSD-3-Clause
"""What a user types and gets: verbs, files, same bits on any layout, clean stops, restarts."""

import itertools
import json
import os
import re
import signal
import subprocess
import sys
import time
import unittest

from program import JOBS, ProgramTest


class Verbs(ProgramTest):
    def test_help_is_printed_once_on_four_ranks(self):
        out, err = self.strata("--help", ranks=4)
        self.assertEqual(out.count("strata run JOB.ini"), 1)
        self.assertEqual(err, "")

    def test_version_names_build_and_packages(self):
        out, _ = self.strata("--version")
        for word in ("strata", "commit", "compiler", "mpi", "hdf5"):
            self.assertIn(word, out)

    def test_keys_lists_every_key(self):
        out, _ = self.strata("keys", "swendsen-wang")
        for word in ("extents", "temperature", "sweeps", "seed", "wall-time", "threads", "overwrite", "interval", "keep"):
            self.assertIn(word, out)

    def test_keys_about_a_word_and_examples(self):
        out, _ = self.strata("keys", "swendsen-wang", "Wall-Time")
        self.assertIn("  wall-time", out)
        self.assertNotIn("  extents", out)
        self.assertNotIn("Example job", out)
        out, _ = self.strata("keys", "lanczos")
        for every in ("  samples", "  omega"):
            self.assertIn(every, out)
        for task, its_own, of_another in (("thermal", "  samples", "  omega"), ("spectrum", "  omega", "  samples")):
            out, _ = self.strata("keys", "lanczos", f"--run.task={task}")
            self.assertIn(its_own, out)
            self.assertNotIn(of_another, out)
        for arguments, words in ((["lanczos", "--thermal.samples=3"], "belongs to run.task = thermal"), (["--run.task=thermal"], "an application"),
                                 (["lanczos", "--outputs", "--run.task=thermal"], "leave the keys out"), (["lanczos", "--run.tusk=3"], "run.task"),
                                 (["lanczos", "--application=dmrg"], "the application is a word")):
            self.assertIn(words, self.strata("keys", *arguments, code=2)[1])
        for application in ("swendsen-wang", "lanczos", "kronecker", "dmrg", "trotter"):
            example, _ = self.strata("example", application)
            self.write("example.ini", example)
            self.assertIn(application, self.strata("plan", "example.ini")[0])

    def test_plan_predicts_and_writes_nothing(self):
        out, _ = self.strata("plan", self.job(extents="4096,4096"), "--ranks=64")
        self.assertRegex(out, r"total +\d")
        self.assertEqual(self.files(), ["a.ini"])

    MACHINE = ("[machine]\nname = a\nnodes = 8\ncores = 2\ncore-speed = 1\ncore-bandwidth = 28\nnode-bandwidth = 35\nmemory = 16\n"
               "latency = 2\ninjection = 25\ninner-latency = 0.5\ninner-bandwidth = 5\n")

    def test_plan_compares_numbers_of_ranks_on_a_machine(self):
        machine, job = self.write("m.ini", self.MACHINE), self.job(extents="4096,4096")
        out, _ = self.strata("plan", job, "--ranks=1,2,16,32,1000", f"--machine={machine}")
        self.assertIn("16 nodes are more than the 8 of the machine", out)
        self.assertRegex(out, r"1000 +1000 ranks are more than the 512 tile layers")
        out, _ = self.strata("plan", job, "--ranks=1,2,16", "--csv", f"--machine={machine}")
        rows = [dict(zip(out.split()[0].split(","), line.split(","))) for line in out.splitlines()[1:]]
        self.assertEqual([(r["ranks"], r["nodes"]) for r in rows], [("1", "1"), ("2", "1"), ("16", "8")])
        self.assertEqual(float(rows[0]["efficiency"]), 1)
        computation = [float(r["computation"]) for r in rows]
        self.assertAlmostEqual(computation[0] / computation[2], 16, places=2)
        self.assertEqual(float(rows[0]["serial"]), 0)  # one rank has no border
        self.assertGreater(float(rows[2]["serial"]), float(rows[1]["latency"]))
        self.assertEqual(self.files(), ["a.ini", "m.ini"])

    def test_machines_are_refused_in_one_sentence(self):
        job = self.job()
        for text, words in ((self.MACHINE.replace("cores = 2\n", ""), "lacks machine.cores"),
                            (self.MACHINE.replace("latency = 2", "latency = low"), "m.ini:9: machine.latency = low must be"),
                            (None, "cannot be opened")):
            machine = self.write("m.ini", text) if text else "none.ini"
            self.refused("plan", job, "--ranks=1,2", f"--machine={machine}", says=words)
        self.refused("plan", job, "--ranks=600,700", f"--machine={self.write('m.ini', self.MACHINE)}",
                     says="600 ranks are more than")

    def test_machines_that_are_ready(self):
        machines = sorted((JOBS / "machines").glob("*.ini"))
        applications = ("swendsen-wang", "lanczos", "kronecker", "dmrg", "trotter")
        for path, application in zip(itertools.cycle(machines), applications):
            with self.subTest(machine=path.name, application=application):
                example = self.strata("example", application)[0]
                job = self.write("a.ini", example.replace("[scan]\nmodel.temperature = 2.1:2.4:0.05", "[model]\ntemperature = 2.1"))
                out, _ = self.strata("plan", job, "--ranks=1,2,4", f"--machine={path}")
                self.assertIn("limited by", out)

    def test_run_prints_the_table_and_the_exact_value(self):
        out, _ = self.strata("run", self.job(), ranks=2)
        for word in ("energy", "specific-heat", "binder", "tau_int", "sigma", "state_hash", "out/a.h5"):
            self.assertIn(word, out)
        self.assertEqual(self.files(), ["a.ini", "out/a.checkpoint.h5", "out/a.h5"])

    def test_quiet_leaves_the_table_only(self):
        out, _ = self.strata("run", self.job(), "--quiet")
        self.assertTrue(out.startswith("Results"), out)
        self.assertNotIn("state_hash", out)

    def test_short_runs_say_so_and_give_no_errors(self):
        out, _ = self.strata("run", self.job(sweeps=2))
        self.assertRegex(out, r"specific-heat +\d\S* +- ")
        self.assertIn("fewer than 40 observations", out)
        self.assertNotIn("error", self.result()["observables"]["specific-heat"])
        self.strata("run", self.job(sweeps=1), "--output.overwrite=yes")
        self.assertIsNone(self.result()["observables"]["specific-heat"]["value"])

    def test_fewer_threads_than_asked_for_are_used_and_said(self):
        self.strata("run", self.job())
        expected = self.result()["state_hash"]
        out, _ = self.strata("run", self.job(), "--backend.threads=4", "--output.overwrite=yes",
                             environment={"OMP_THREAD_LIMIT": "2"})
        self.assertIn("OpenMP gives 2 of 4 threads", out)
        self.assertEqual((self.result()["state_hash"], self.result()["threads"]), (expected, 2))
        _, err = self.strata("run", self.job(), "--backend.threads=2", "--output.overwrite=yes", code=3,
                             environment={"OMP_STACKSIZE": "16k"})
        self.assertIn("give a smaller backend.threads", err)

    def test_json_has_the_promised_names(self):
        self.strata("run", self.job(), ranks=2)
        r = self.result()
        self.assertEqual(r["application"], "swendsen-wang")
        self.assertEqual(r["ranks"], 2)
        for name in ("energy", "specific-heat", "magnetisation", "magnetisation-2", "magnetisation-4", "binder", "susceptibility",
                     "susceptibility-improved", "correlation-length", "largest-cluster", "clusters"):
            self.assertIn("value", r["observables"][name])
        self.assertIn("reference", r["observables"]["energy"])
        self.assertIn("ns_per_site_update", r["performance"])
        self.assertRegex(r["state_hash"], "^[0-9a-f]{16}$")
        self.assertGreater(r["seconds"], 0)

    def test_scan_has_one_entry_per_point(self):
        job = self.write("a.ini", self.job(sweeps=50).read_text().replace("beta = 0.44", ""))
        self.strata("run", job, "--scan.model.beta=0.40:0.48:0.02")
        r = self.result()
        self.assertEqual(len(r["observables"]["energy"]["value"]), 5)
        self.assertEqual(r["scan"]["model.beta"], [0.4, 0.42, 0.44, 0.46, 0.48])
        out, _ = self.strata("show", "out/a.h5")
        self.assertIn("0.46", out)

    def test_temperature_is_inverse_beta(self):
        self.strata("run", self.job(beta="0.5"))
        job = self.write("b.ini", self.job(name="c.ini").read_text().replace("beta = 0.44", "temperature = 2"))
        self.strata("run", job)
        self.assertEqual(self.result("a")["state_hash"], self.result("b")["state_hash"])

    def test_h5py_reads_a_result_and_a_running_one(self):
        import h5py

        run = self.start(2, "run", self.job(extents="256,256", sweeps=1000000), "--checkpoint.interval=0.2s")
        try:
            self.wait_for("out/a.h5")
            for _ in range(20):
                with h5py.File(self.directory / "out/a.h5") as f:
                    self.assertEqual(f.attrs["complete"], 0)
                    lengths = {len(f["series"][name]) for name in f["series"]}
                    self.assertEqual(len(lengths), 1)
                time.sleep(0.05)
        finally:
            run.send_signal(signal.SIGUSR2)
            out, err = run.communicate(timeout=180)
        self.assertEqual(run.returncode, 0, err)


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
            found, series = self.logged(self.CHAIN.format("dmrg", "chain"), pattern, f"--run.states={states}", ranks=ranks)
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
                rows = [r for r in range(len(series["energy"])) if "sector" not in series or series["sector"][r] == part]
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


class Thermalization(ProgramTest):
    HOT = ("--run.start=hot", "--output.overwrite=yes")
    AUTO = ("--run.thermalization=auto", *HOT)

    def series(self, name="a"):
        import h5py
        with h5py.File(self.directory / f"out/{name}.h5") as file:
            return {column: values[:] for column, values in file["series"].items()}

    def test_it_is_found_in_the_series_and_left_out(self):
        job = self.job(extents="64,64", sweeps=2000)
        self.strata("run", job, *self.HOT, "--run.thermalization=0", "--output.name=all")
        every_row = self.series("all")
        texts = set()
        for ranks in (1, 2):
            out, _ = self.strata("run", job, *self.AUTO, "--run.measure-every=2", ranks=ranks)
            self.assertNotIn("thermalization is not found", out)
            result = self.result()
            left_out = int(result["observables"]["thermalization"]["value"])
            self.assertTrue(20 <= left_out <= 1000 and left_out % 2 == 0, left_out)
            for column, values in self.series().items():
                self.assertEqual(values.tolist(), every_row[column][left_out::2].tolist())
            texts.add(str(result["observables"]) + result["state_hash"])
        self.assertEqual(len(texts), 1)
        self.strata("run", job, *self.HOT, f"--run.thermalization={left_out}", f"--run.sweeps={2000 - left_out}",
                    "--run.measure-every=2", "--output.name=fixed")
        fixed = self.result("fixed")["observables"]
        self.assertEqual(fixed, {k: v for k, v in self.result()["observables"].items() if k != "thermalization"})

    def test_a_longer_run_finds_its_own(self):
        job = self.job(extents="32,32", sweeps=3000)
        self.strata("run", job, *self.AUTO, "--output.name=whole")
        out, _ = self.strata("run", job, *self.AUTO, "--run.sweeps=60")
        self.assertIn("The end of the thermalization is not found", out)
        short = self.result()["observables"]
        self.assertEqual(short["thermalization"]["value"], 30)
        self.assertNotIn("error", short["energy"])
        self.assertEqual(len(self.series()["energy"]), 30)
        out, _ = self.strata("resume", "out/a.checkpoint.h5", "--run.sweeps=3000")
        self.assertNotIn("thermalization is not found", out)
        self.assertEqual(self.result()["observables"], self.result("whole")["observables"])
        self.assertIn("error", self.result()["observables"]["energy"])
        for name in ("energy", "largest-cluster"):
            self.assertEqual(self.series()[name].tolist(), self.series("whole")[name].tolist())

    def test_points_of_a_scan_have_their_own(self):
        job = self.job(extents="16,16", sweeps=2000)
        self.strata("run", job, *self.AUTO, "--run.sweeps=2000", "--scan.model.beta=0.2, 0.44")
        import h5py
        with h5py.File(self.directory / "out/a.h5") as file:
            left_out = file["scan/thermalization"][:]
            points = file["series/point"][:]
        self.assertEqual([int((points == i).sum()) for i in range(2)], [2000 - int(left) for left in left_out])

    def test_other_words_are_refused(self):
        self.refused("run", self.job(), "--run.thermalization=automatic",
                     says=("run.thermalization = automatic", "an integer", "or auto"))


class TargetError(ProgramTest):
    TARGET = ("--run.target-error=4e-3", "--run.thermalization=auto", "--output.overwrite=yes")

    def test_the_run_ends_when_the_error_is_small_enough(self):
        job = self.job(extents="32,32", sweeps=100000)
        texts = set()
        for ranks, more in ((1, ()), (3, ("--backend.threads=2",))):
            out, _ = self.strata("run", job, *self.TARGET, *more, ranks=ranks)
            self.assertIn("once the error of energy is at most 0.004", out)
            result = self.result()
            energy, steps = result["observables"]["energy"], result["steps"]
            self.assertTrue(result["complete"])
            self.assertLessEqual(energy["error"], 4e-3)
            self.assertGreater(steps - result["observables"]["thermalization"]["value"], 400 * energy["tau"])
            self.assertLess(steps, 30000)
            texts.add(str(result["observables"]) + result["state_hash"])
        self.assertEqual(len(texts), 1)
        # it had not ended at the review before, of four fifths of the observations
        self.strata("run", job, *self.TARGET, f"--run.sweeps={int(steps / 1.25)}", "--output.name=less")
        self.assertFalse(self.result("less")["observables"]["energy"]["error"] <= 4e-3
                         and int(steps / 1.25) > 450 * energy["tau"])

    def test_resumed_it_ends_at_the_same_sweep(self):
        job = self.job(extents="32,32", sweeps=100000)
        self.strata("run", job, *self.TARGET, "--output.name=whole")
        self.strata("run", job, *self.TARGET, "--run.sweeps=333")
        self.strata("resume", "out/a.checkpoint.h5", "--run.sweeps=100000", ranks=2)
        whole, resumed = self.result("whole"), self.result()
        for part in ("observables", "state_hash", "steps"):
            self.assertEqual(whole[part], resumed[part])
        self.strata("resume", "out/a.checkpoint.h5", "--output.name=again")  # makes no step
        self.assertEqual(self.result("again")["observables"], whole["observables"])
        self.strata("resume", "out/a.checkpoint.h5", "--run.target-error=2e-3", ranks=2)
        self.assertGreater(self.result()["steps"], whole["steps"])
        self.assertLessEqual(self.result()["observables"]["energy"]["error"], 2e-3)

    def test_what_is_not_reached_is_told(self):
        out, _ = self.strata("run", self.job(sweeps=2000), "--run.target-error=1e-9", "--run.target=binder")
        self.assertIn("run.target-error is not reached", out)
        self.refused("run", self.job(), "--run.target=energy", says="--run.target=energy belongs to run.target-error")


class Metropolis(ProgramTest):
    FIELD = ("--run.update=metropolis", "--model.field=-0.2")

    def test_resumed_on_other_ranks_it_has_the_same_bits(self):
        hashes = []
        for update in (self.FIELD, ("--run.update=mixed",), self.FIELD[1:], ("--run.update=mixed", "--model.field=0.01")):
            job = self.job(extents="48,64", sweeps=300)
            self.strata("run", job, *update, "--run.thermalization=100", "--output.name=whole", "--output.overwrite=yes", ranks=2)
            self.strata("run", job, *update, "--run.thermalization=100", "--run.sweeps=120", "--output.overwrite=yes", ranks=3)
            self.strata("resume", "out/a.checkpoint.h5", "--run.sweeps=300", "--backend.threads=2")
            self.assertEqual(self.result("whole")["state_hash"], self.result()["state_hash"])
            self.assertEqual(self.result("whole")["observables"], self.result()["observables"])
            hashes.append(self.result()["state_hash"])
        self.assertEqual(len(set(hashes)), 4)

    def test_bad_input_is_told(self):
        for given, says in ((("--lattice.extents=63,64", "--run.update=mixed"), ["lattice.extents=63,64", "even extents"]),
                            (("--run.update=wolff",), ["swendsen-wang, metropolis or mixed"]),
                            (("--model.beta=inf", "--run.update=metropolis"), ["model.beta"])):
            self.refused("run", self.job(), *given, says=says)

    def test_runs_that_may_stay_where_they_began_have_no_errors(self):
        for given, errors in ((("--run.start=hot", "--model.beta=0.6"), False), (("--run.start=cold", "--model.beta=0.6"), True),
                              (("--run.start=hot", "--model.beta=0.3"), True), (("--model.coupling=-1", "--model.beta=0.6"), False),
                              (("--model.field=1e-6", "--model.beta=0.6"), False), (("--model.field=-0.1", "--model.beta=0.6"), True)):
            out, _ = self.strata("run", self.job(sweeps=200), "--run.update=metropolis", *given, "--output.overwrite=yes")
            self.assertEqual("may stay in the domains" in out, not errors)
            self.assertEqual("error" in self.result()["observables"]["magnetisation-2"], errors, given)
            if given[0] == "--model.field=-0.1":
                self.assertLess(self.result()["observables"]["signed-magnetisation"]["value"], -0.9)

    def test_clusters_in_a_field_have_no_errors_where_they_are_bound(self):
        """Below the transition, where a lattice that is no ferromagnet has large clusters with sites parallel to the field."""
        for given, errors in ((("--model.beta=0.6",), True), (("--model.beta=0.6", "--model.coupling=-1"), False),
                              (("--model.beta=0.6", "--model.coupling=-1", "--run.update=mixed"), False),
                              (("--model.beta=0.3", "--model.coupling=-1"), True)):
            out, _ = self.strata("run", self.job(sweeps=400), "--model.field=-0.1", *given, "--output.overwrite=yes")
            self.assertEqual("clusters move little" in out, not errors)
            observables = self.result()["observables"]
            self.assertEqual("error" in observables["magnetisation-2"], errors, given)
            self.assertFalse({"susceptibility-improved", "staggered-binder", "clusters", "largest-cluster"} & observables.keys())


class Potts(ProgramTest):
    def test_the_wrong_phase_has_no_errors(self):
        """Ten states at 0.99 T_c, where the lattice is ordered."""
        for start, errors in (("cold", True), ("hot", False)):
            out, _ = self.strata("run", self.job(extents="64,64", beta="1.440467", sweeps=300), "--model.states=10", f"--run.start={start}",
                                 "--output.overwrite=yes")
            self.assertEqual("saw mostly one phase" in out, not errors)
            self.assertEqual("error" in self.result()["observables"]["energy"], errors)

    def test_resumed_on_other_ranks_it_has_the_same_bits(self):
        job = self.job(extents="48,64", beta="1.0", sweeps=100)
        self.strata("run", job, "--model.states=5", "--output.name=whole", ranks=2)
        self.strata("run", job, "--model.states=5", "--run.sweeps=40", ranks=3)
        self.strata("resume", "out/a.checkpoint.h5", "--run.sweeps=100", "--backend.threads=2")
        self.assertEqual(self.result("whole")["state_hash"], self.result()["state_hash"])
        self.assertEqual(self.result("whole")["observables"], self.result()["observables"])

    def test_bad_input_is_told(self):
        for given, says in ((("--model.states=1",), ["model.states"]), (("--model.states=257",), ["model.states", "256"]),
                            (("--model.states=2.5",), ["model.states"]), (("--model.coupling=-1",), ["model.coupling=-1", "positive"]),
                            (("--model.opposite-bonds=0.1",), ["model.opposite-bonds=0.1", "without opposite bonds"]),
                            (("--model.field=0.1",), ["model.field=0.1 is for the Ising model", "no field"]),
                            (("--lattice.boundaries=antiperiodic",), ["lattice.boundaries", "periodic or open"]),
                            (("--run.update=mixed",), ["run.update=mixed", "run.update = swendsen-wang"])):
            states = () if "states" in given[0] else ("--model.states=3",)
            self.refused("run", self.job(), *states, *given, says=says)


class Signs(ProgramTest):
    def test_frozen_random_signs_have_no_errors(self):
        job = self.job(sweeps=300)
        for beta, errors in (("3", False), ("0.1", True)):
            out, _ = self.strata("run", job, "--model.opposite-bonds=0.5", f"--model.beta={beta}", "--output.overwrite=yes")
            self.assertEqual("frustrate the lattice" in out, not errors)
            self.assertEqual("error" in self.result()["observables"]["energy"], errors)

    def test_frozen_seams_have_no_errors(self):
        """Of uniform couplings that the ends of an axis frustrate; two seams, or ends that an odd extent makes even, do not."""
        for given, frustrated in ((("--lattice.boundaries=periodic,antiperiodic",), True), (("--lattice.boundaries=open,periodic",), False),
                                  (("--model.coupling=-1", "--lattice.extents=5,4"), True), (("--model.coupling=-1",), False),
                                  (("--model.coupling=-1", "--lattice.extents=5,5", "--lattice.boundaries=antiperiodic"), False)):
            out, _ = self.strata("run", self.job(extents="4,4", beta="1.5", sweeps=4000), *given, "--output.overwrite=yes")
            self.assertEqual("frustrate the lattice" in out, frustrated, given)
            self.assertFalse(frustrated and "error" in self.result()["observables"]["magnetisation-2"], given)

    def test_bad_input_is_told_in_one_sentence(self):
        for override, words in (("--lattice.boundaries=open,closed", "once or for each of the 2 axes"),
                                ("--lattice.boundaries=open,open,open", "once or for each of the 2 axes"),
                                ("--model.coupling=0", "must be at least 1e-12 in magnitude"), ("--model.opposite-bonds=1.5", "must be a number from 0 to 1"),
                                ("--model.disorder-seed=2", "belongs to model.opposite-bonds > 0")):
            self.refused("run", self.job(), override, says=words)


class Recording(ProgramTest):
    def test_a_long_series_takes_what_was_predicted(self):
        """Memory on rank 0 and files on disk."""
        self.job(extents="2,2", sweeps=10)
        program = self.peak_bytes()
        for keys in (("--run.sweeps=4e5",),):
            out, _ = self.strata("plan", "a.ini", *keys, "--backend.device=cpu", "--backend.threads=1")
            memory = float(re.search(r"series, on rank 0 +([\d.]+) MiB", out)[1]) * 2**20
            disk = float(re.search(r"series in the result +([\d.]+) MiB", out)[1]) * 2**20
            used = self.peak_bytes(*keys) - program
            self.assertLess(used, memory + 2**20, keys)
            self.assertGreater(used, memory / 1.3, keys)
            for name in ("out/a.h5", "out/a.checkpoint.h5"):
                size = (self.directory / name).stat().st_size
                self.assertLess(size, 1.1 * disk + 2**21, keys)
                self.assertGreater(size, disk, keys)


class SameBits(ProgramTest):
    def instruction_sets(self):
        """Those that this processor can do; the refusal of one that it cannot lists them."""
        for simd in ("avx512", "x86_64_v3"):
            done = subprocess.run(self.command(None, "plan", self.job(name="simd.ini"), f"--backend.simd={simd}"),
                                  cwd=self.directory, capture_output=True, text=True)
            if done.returncode == 2:
                return re.search(r"can do auto, (.*)\.", done.stderr).group(1).split(", ")
        return ["avx512", "x86_64_v3", "portable"]

    def hashes(self, extents, beta):
        job = self.job(extents=extents, beta=beta, sweeps=60)
        found = {}
        for ranks in (1, 2, 3, 4, 7):
            for threads in (1, 2):
                self.strata("run", job, f"--backend.threads={threads}", "--output.overwrite=yes", ranks=ranks)
                r = self.result()
                found[ranks, threads] = (r["state_hash"], r["observables"])
        for simd in self.instruction_sets():
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
        """Real and complex vectors, sectors, couplings of neighbours and of all spins, several states; both precisions."""
        lanczos = "application = lanczos\n[lattice]\ntype = ring\nextents = 9\n[model]\nu = 4\n[run]\nmax-steps = 25\nallow-unconverged = yes\n"
        trotter = "application = trotter\n[lattice]\ntype = ring\nextents = 12\n[state]\ninitial = random\n[run]\nstep = 0.1\nsteps = 3\n"
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
                for simd in self.instruction_sets():
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
        job = self.job(extents="512,480", sweeps=10000)
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
        self.strata("resume", "second/a.b.checkpoint.h5", "--run.sweeps=260", "--output.directory=./second", "--output.overwrite=yes")

    def test_a_finished_run_has_nothing_to_do_but_can_be_lengthened(self):
        job = self.job(sweeps=300)
        self.strata("run", job)
        before = (self.directory / "out/a.h5").read_bytes()
        out, _ = self.strata("resume", "out/a.checkpoint.h5")
        self.assertIn("Nothing to do", out)
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


class Lanczos(ProgramTest):
    JOB = """application = lanczos
[lattice]
type = ring
extents = 10
[model]
u = 4
[sector]
up = 5
down = 5
[run]
tolerance = 1e-10
"""

    def test_energy_and_bits_on_any_ranks(self):
        hashes = set()
        for ranks, threads in ((None, 1), (2, 2), (3, 1)):
            out, _ = self.strata("run", self.write("a.ini", self.JOB), "--output.overwrite=yes",
                                 f"--backend.threads={threads}", ranks=ranks)
            r = self.result()
            self.assertAlmostEqual(r["observables"]["energy"]["value"], -5.834322635773, delta=1e-11)
            self.assertLess(r["observables"]["residual"]["value"], 1e-8)
            self.assertIn("seconds_per_step", r["performance"])
            hashes.add(r["state_hash"])
        self.assertEqual(len(hashes), 1)
        self.assertIn("-5.834322635773", out)

    def test_sectors_take_the_memory_that_was_predicted(self):
        self.write("a.ini", self.JOB.replace("down = 5\n[run]\ntolerance = 1e-10\n", "down = 5\nmomentum = 0\n"))
        program = self.peak_bytes()
        ring = ("--lattice.extents=14", "--sector.up=7", "--sector.down=7")
        spectrum = ("--run.task=spectrum", "--spectrum.momenta=2,0", "--spectrum.steps=4", "--run.tolerance=1e-3",
                    "--run.degeneracy=no", "--spectrum.operator=removal")
        sites = ",".join(str(i) for i in range(0, 14, 2))
        for keys in (("--sector.momentum=1", "--run.max-steps=5", "--run.allow-unconverged=yes"),
                     ("--run.task=thermal", "--sector.momentum=all", "--thermal.samples=2", "--thermal.steps=2"), spectrum,
                     ("--run.task=evolution", f"--evolution.up={sites}", f"--evolution.down={sites}", "--evolution.steps=1",
                      "--evolution.krylov=6")):
            out, _ = self.strata("plan", "a.ini", *ring, *keys, "--backend.threads=1")
            predicted = float(re.search(r"total +([\d.]+) MiB", out)[1]) * 2**20
            used = self.peak_bytes(*ring, *keys) - program
            self.assertLess(used, predicted, keys)
            self.assertGreater(used, 0.4 * predicted, keys)

    def test_every_momentum_has_the_energy_of_lieb_and_wu(self):
        import h5py
        sys.path.append(os.path.join(os.path.dirname(__file__), "../oracle"))
        import lieb_wu
        for sites, u in ((6, 4), (8, 4), (8, 10), (10, 1.5)):
            job = (f"application = lanczos\n[lattice]\ntype = ring\nextents = {sites}\n[model]\nu = {u}\n[sector]\n"
                   f"up = {sites // 2}\ndown = {sites // 2}\nmomentum = all\n")
            out, _ = self.strata("run", self.write("a.ini", job), "--output.overwrite=yes", "--backend.threads=1")
            exact, ground = lieb_wu.lowest_energies(sites, u)
            self.assertIn(f"belongs to sector.momentum = {ground}.", out)
            with h5py.File(self.directory / "out/a.h5") as file:
                momenta = [int(m) for m in file["results/momentum-x/value"]]
                energies = file["results/momentum-energies/value"][:]
            self.assertEqual(sorted(momenta), list(range(sites)))
            for m, energy in zip(momenta, energies):
                self.assertAlmostEqual(energy, exact[m], delta=1e-9, msg=f"ring of {sites}, U = {u}, momentum {m}")

    def test_the_job_of_fourteen_sites(self):
        self.strata("run", JOBS / "hubbard-ring.ini", ranks=2)
        r = self.result("hubbard-ring")["observables"]
        self.assertAlmostEqual(r["energy"]["value"], -8.088349103862, delta=1e-10)
        self.assertLess(r["residual"]["value"], 1e-7)

    def test_the_job_of_the_torus_of_sixteen_sites(self):
        """The energy is that of the whole space, 1.66e8 states (shown by a prototype without symmetries)."""
        self.strata("run", JOBS / "hubbard-4x4.ini", "--run.vectors=no")
        self.assertAlmostEqual(self.result("hubbard-4x4")["observables"]["energy"]["value"], -13.621854821, delta=2e-9)

    def test_it_goes_on_where_it_stopped_on_other_ranks(self):
        self.strata("run", self.write("a.ini", self.JOB), "--output.name=whole")
        _, err = self.strata("run", self.directory / "a.ini", "--run.max-steps=20", ranks=2, code=5)
        self.assertEqual(err.count("has not converged in 20 steps"), 1)
        self.assertEqual(self.result()["observables"]["converged"]["value"], 0)
        self.strata("resume", "out/a.checkpoint.h5", "--run.max-steps=25", "--run.allow-unconverged=yes")
        self.refused("resume", "out/a.checkpoint.h5", "--run.max-steps=10", says="has 25 steps already, more than the")
        self.strata("resume", "out/a.checkpoint.h5", "--run.max-steps=300", ranks=2)
        self.expect_same_result()
        out, _ = self.strata("resume", "out/a.checkpoint.h5", "--run.max-steps=200")
        self.assertIn("Nothing to do", out)

    def test_it_goes_on_from_the_phase_in_which_its_states_are_examined(self):
        # energies on the sites leave no symmetry, so that the search takes long and the examination some steps
        job = self.write("a.ini", self.JOB.replace("extents = 10", "extents = 6").replace("up = 5", "up = 3").replace(
            "down = 5", "down = 2").replace("u = 4", "u = 4\npotential = 0.31,-0.72,0.15,0.88,-0.4,0.05") + "states = 6\n")
        self.strata("run", job, "--output.name=whole")
        search = int(self.result("whole")["observables"]["steps"]["value"])
        limit = f"--run.max-steps={search}"
        self.strata("run", job, f"--run.max-steps={search - 1}", "--run.allow-unconverged=yes")
        self.strata("resume", "out/a.checkpoint.h5", limit, "--run.wall-time=0s")
        out, _ = self.strata("resume", "out/a.checkpoint.h5", limit, "--run.wall-time=0s", ranks=2)
        self.assertIn(f"Stopped cleanly after {search + 1} of {search + 6} steps", out)
        self.strata("resume", "out/a.checkpoint.h5", limit, "--run.wall-time=none", ranks=3)
        self.expect_same_result()
        out, _ = self.strata("resume", "out/a.checkpoint.h5", limit)
        self.assertIn("Nothing to do", out)

    def test_h5py_reads_the_ground_state(self):
        sys.path.insert(0, str(JOBS))
        from read_vector import read_vector
        self.strata("run", self.write("a.ini", self.JOB))
        psi, up, dn = read_vector(self.directory / "out/a.checkpoint.h5")
        self.assertEqual(psi.shape, (252, 252))
        self.assertAlmostEqual(float((psi ** 2).sum()), 1, delta=1e-12)
        self.assertAlmostEqual(float(abs((psi * psi.T).sum())), 1, delta=1e-6)  # up and down are alike
        double = sum(bin(u & d).count("1") * psi[i, j] ** 2 for i, u in enumerate(up) for j, d in enumerate(dn)) / 10
        self.assertAlmostEqual(double, self.result()["observables"]["double-occupancy"]["value"], delta=1e-12)
        self.strata("run", self.directory / "a.ini", "--output.name=s", "--backend.precision=single", "--model.flux=0.3",
                    "--run.tolerance=1e-5", ranks=2)
        psi, _, _ = read_vector(self.directory / "out/s.checkpoint.h5")
        self.assertEqual(psi.dtype.kind, "c")
        self.assertAlmostEqual(float((abs(psi) ** 2).sum()), 1, delta=1e-5)

    def test_the_jobs_that_are_ready(self):
        for name, quantity in (("hubbard-spectrum", "weight"), ("heisenberg-thermal", "entropy"), ("neel-evolution", "norm"), ("hubbard-momenta", "momentum-energies")):
            self.strata("run", JOBS / f"{name}.ini", ranks=2)
            self.assertIn(quantity, self.result(name)["observables"])
            self.draw(name)

    def test_bad_input_is_told(self):
        for override, words in (("--sector.up=11", ["sector.up", "10 sites"]), ("--lattice.extents=1", ["own neighbour"]),
                                ("--lattice.extents=4,4", ["takes 1 extent"]), ("--model.u=1,2", ["one per site"]),
                                ("--sector.momentum=pi", ["one integer for each direction", "all"]),
                                ("--sector.momentum=0,1", ["takes 1"]), ("--sector.parity=left", ["even"]),
                                ("--sector.rotation=0/2", ["lattice.type"]),
                                ("--spectrum.steps=3", ["run.task = spectrum"]),
                                ("--model.species=1", ["model.species is now model.type"]),
                                ("--model.type=fermions", ["sector.down", "model.type = hubbard"]),
                                (("--run.states=2", "--run.basis=2"), ["too small"]), ("--model.jz=1", ["heisenberg, xxz"]),
                                (("--run.task=spectrum", "--run.vectors=no"), ["run.vectors", "run.task = states"]),
                                (("--run.density-matrix=yes", "--run.vectors=no"), ["run.vectors", "density-matrix"]),
                                ("--lattice.type=file", ["lattice.file"]),
                                ("--sector.momentum=11", ["outside of the zone", "the same momentum is 1."]),
                                (("--run.task=spectrum", "--spectrum.momenta=1,1"), ["the same wave vector twice"]),
                                (("--run.task=spectrum", "--spectrum.momenta=1,-9"), ["the same wave vector twice"]),
                                (("--run.task=spectrum", "--spectrum.momenta=12"), ["the same momentum is 2."]),
                                (("--run.task=spectrum", "--spectrum.momenta=6000000000000001"), ["1000"]),
                                ("--lattice.extents=100", ["100 sites", "64"])):
            overrides = override if isinstance(override, tuple) else (override,)
            self.refused("run", self.write("a.ini", self.JOB), *overrides, says=words)
        job = self.write("a.ini", self.JOB.replace("tolerance = 1e-10", "task = evolution"))
        self.refused("run", job, says=["evolution.up", "5 particles"])

    def test_what_a_spin_inversion_excludes_is_refused(self):
        job = self.write("a.ini", "application = lanczos\n[lattice]\ntype = ring\nextents = 12\n[model]\ntype = heisenberg\n[sector]\n"
                                  "spin-inversion = odd\n")
        for overrides, words in ((("--run.task=thermal", "--sector.momentum=all"), ["Leave sector.spin-inversion out"]),
                                 (("--run.task=spectrum", "--lattice.type=honeycomb", "--lattice.extents=2,3",
                                   "--spectrum.momenta=0,0", "--run.sublattices=separate"),
                                  ["wave vector 0,0", "take spectrum.operator = spin"]),
                                 (("--run.task=evolution", "--evolution.up=0,2,4,6,8,10", "--sector.momentum=0"),
                                  ["no part in this sector"]),
                                 (("--sector.sz=1",), ["as many spins up as down", "sector.sz = 0"])):
            self.refused("run", job, *overrides, says=words)

    FILE_JOB = """application = lanczos
[lattice]
type = file
file = edges.txt
[model]
u = 4
[sector]
up = 2
down = 2
"""

    def test_a_file_is_part_of_the_run(self):
        """Changed or removed between run and resume, it changes nothing; result and checkpoint hold its content."""
        import h5py

        edges = "".join(f"{i} {(i + 1) % 4} 1.0  # \u00fc\n" for i in range(4))
        for name, change in (("a", lambda p: p.write_text(edges.replace("3 0 1.0", "3 0 0.2"))), ("b", lambda p: p.unlink())):
            path = self.write("edges.txt", edges)
            job = self.write(name + ".ini", self.FILE_JOB)
            self.strata("run", job, f"--output.name=whole-{name}")
            self.strata("run", job, "--run.max-steps=4", ranks=2, code=5)
            change(path)
            _, err = self.strata("resume", f"out/{name}.checkpoint.h5", "--run.max-steps=300", ranks=2)
            self.assertEqual(err.count("stored"), 1)
            resumed = self.expect_same_result(name, "whole-" + name)
            self.assertAlmostEqual(resumed["observables"]["energy"]["value"], -2.102748483462, delta=1e-10)  # Lieb and Wu
            with h5py.File(self.directory / f"out/{name}.h5") as f:
                self.assertEqual(f["job/files/lattice.file"][()].decode(), edges)
            self.assertEqual(resumed["parameters"]["lattice.file"], "edges.txt")
        self.refused("resume", "out/a.checkpoint.h5", "--lattice.file=other.txt",
                     says="would change what the run computes")

    def test_an_edge_of_half_strength_is_half_an_exchange(self):
        """Two spins 1/2: the singlet has -jz w / 4 - j a / 2."""
        spins = self.FILE_JOB.replace("u = 4", "type = heisenberg").replace("[sector]\nup = 2\ndown = 2\n", "")
        custom = spins.replace("type = file\nfile = edges.txt", "type = custom\nextents = 1,1\ncell-bonds = 0 1 0 0 {}")
        for amplitude, options, exact in (("1", (), -0.75), ("0.5", (), -0.375), ("0.5 0 1", (), -0.5),
                                          ("0.5", ("--model.jz=3",), -0.625), ("0.5", ("--model.j=3", "--model.jz=1"), -0.875),
                                          ("0 0.5 0.5", (), -0.375), ("-0.5 0 0.5", (), -0.375)):
            self.write("edges.txt", f"0 1 {amplitude}\n")
            for job in (spins, custom.format(amplitude)):
                self.strata("run", self.write("a.ini", job), "--output.overwrite=yes", *options)
                self.assertAlmostEqual(self.result()["observables"]["energy"]["value"], exact, delta=1e-12, msg=amplitude)


class Trotter(ProgramTest):
    JOB = """application = trotter
[lattice]
type = ring
extents = {spins}
[model]
type = heisenberg
disorder = 1
[run]
steps = {steps}
measure-every = 50
"""

    def ring(self, spins=8, steps=3):
        return self.write("a.ini", self.JOB.format(spins=spins, steps=steps))

    def test_the_jobs_that_are_ready(self):
        # the path of the positions is relative to the folder above jobs
        (self.directory / "jobs").symlink_to(JOBS)
        for path in sorted(JOBS.glob("trotter-*.ini")):
            self.strata("run", path, "--run.steps=2", ranks=2)
            result = self.result(path.stem)
            self.assertTrue(result["complete"])
            self.assertIn("sz", result["observables"])
            self.assertIn("energy", result["observables"])
            self.draw(path.stem)

    def test_plan_tells_memory_and_traffic(self):
        out, _ = self.strata("plan", self.ring(spins=30))
        self.assertIn("30 spins 1/2, 1073741824 amplitudes in double precision", out)
        self.assertRegex(out, r"states +16\.\d GiB")
        self.assertIn("passes over the state per step", out)
        self.assertEqual(self.files(), ["a.ini"])

    def test_it_takes_the_memory_that_was_predicted(self):
        self.ring(spins=4)
        program = self.peak_bytes()
        for spins, keys in ((8, ()), (20, ()), (20, ("--run.method=chebyshev",)), (22, ("--backend.precision=single",))):
            keys = (f"--lattice.extents={spins}", "--run.observables=energy", "--run.step=0.01", *keys)
            out, _ = self.strata("plan", "a.ini", *keys, "--backend.threads=1", "--backend.device=cpu")
            number, unit = re.search(r"total +([\d.]+) (KiB|MiB)", out).groups()
            predicted = float(number) * {"KiB": 2**10, "MiB": 2**20}[unit]
            used = self.peak_bytes(*keys) - program
            self.assertLess(used, 1.1 * predicted + 4 * 2**20, keys)
            self.assertGreater(used, 0.8 * predicted - 4 * 2**20, keys)

    def test_a_stopped_ensemble_shows_its_finished_states(self):
        import h5py

        job = self.write("a.ini", "application = trotter\n[lattice]\ntype = ring\nextents = 10\n[model]\ntype = heisenberg\n"
                         "[state]\ninitial = polarised-random\n[run]\nsamples = 100000\nstep = 0.1\nsteps = 300\n"
                         "measure-every = 1000000\necho = yes\nobservables = sz,loschmidt-echo\n"
                         "[echo]\nperturbation = 0.3 Sz 0; -0.4 Sz 1\n")
        run = self.start(None, "run", job, "--checkpoint.interval=1s")
        self.wait_for("out/a.h5")
        time.sleep(1)  # for some more states on a busy machine
        os.kill(run.pid, signal.SIGUSR2)
        run.communicate(timeout=60)
        self.assertEqual(run.returncode, 0)
        with h5py.File(self.directory / "out/a.h5") as file:
            sample, echo = file["series/sample"][:], file["series/loschmidt-echo"][:]
            finished = [i for i in range(1, len(sample)) if sample[i] == sample[i - 1]]  # rows at the start and at the end
            self.assertGreater(len(finished), 1)
            self.assertEqual(file["results/states/value"][()], len(finished))
            self.assertAlmostEqual(file["results/loschmidt-echo/value"][()], echo[finished].mean(), delta=1e-14)
            self.assertLess(echo[finished].max(), 0.1)

    def test_killed_and_resumed_on_other_ranks_it_gives_the_same_bits(self):
        job = self.ring(spins=14, steps=4000)
        self.kill_after_a_checkpoint(2, job, "--checkpoint.interval=1s")
        self.strata("resume", "out/a.checkpoint.h5", "--backend.threads=2")
        self.strata("run", job, "--output.name=whole")
        self.assertTrue(self.expect_same_result()["complete"])

    def test_bad_input_is_told_in_one_sentence(self):
        self.write("state.txt", "uuuuuuuu 0.5\n")
        self.write("beyond.txt", "0.5 Sx 8\n")
        self.write("same.txt", "1 Sz 3 Sz 3\n")
        file = ("--state.initial=file", "--state.file=state.txt")
        for overrides, words in ((["--run.step=0"], ["run.step = 0"]),
                                 (["--lattice.extents=60"], ["60 sites", "40 are the most"]),
                                 (["--lattice.extents=34"], ["at most 33 spins"]),
                                 (["--model.terms=beyond.txt"], ["model.terms", "site 8", "0 to 7"]),
                                 (["--model.terms=same.txt"], ["two spin operators on site 3"]),
                                 (["--drive.pulses=0.07 x 1 all"], ["no multiple of run.step", "nearest one is 0.05"]),
                                 (["--run.order=3"], ["1, 2 or 4"]), (["--run.observables=sw"], ["'sw'", "participation"]),
                                 (file, ["norm 0.5", "must be 1"]), (["--model.field-x=1,2"], ["one for all sites or 8"]),
                                 (["--model.hx=1"], ["model.hx is now model.field-x."])):
            err = self.refused("run", self.ring(), *overrides, says=words)
            self.assertEqual(err.strip().count("\n"), 0, err)
        self.refused("run", self.write("a.ini", "application = trotter\n"), says=["neither a lattice nor couplings"])
        self.refused("run", self.ring(spins=33), code=3, says=["are free"])
        self.refused("run", self.ring(), ranks=3, says=["start 2 or 4."])


class OneModel(ProgramTest):
    """The lattice and model of one job by three applications."""

    JOB = os.path.join(os.path.dirname(__file__), "../../jobs/heisenberg-ladder.ini")

    def energy(self, *options):
        self.strata("run", self.JOB, "--output.overwrite=yes", *options)
        return self.result("heisenberg-ladder")["observables"]["energy"]["value"]

    def test_it_has_one_energy(self):
        exact = self.energy()
        script = os.path.join(os.path.dirname(self.JOB), "read_vector.py")
        lines = subprocess.run([sys.executable, script, "--spins", "out/heisenberg-ladder.checkpoint.h5"], cwd=self.directory,
                               capture_output=True, text=True, check=True).stdout
        self.write("ground.txt", lines)
        self.assertAlmostEqual(self.energy("--application=dmrg"), exact, delta=1e-8)
        self.assertAlmostEqual(self.energy("--application=trotter", "--state.initial=file", "--state.file=ground.txt"), exact, delta=1e-5)
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
            self.assertAlmostEqual(self.result("anderson-impurity")["observables"]["energy"]["value"], exact, delta=1e-8)

    def test_what_a_method_cannot_take_is_told(self):
        for options, says in ((["--application=dmgr"], ["Did you mean dmrg?"]),
                              (["--application=trotter", "--model.type=hubbard"], ["model.type = hubbard must be xyz, heisenberg"]),
                              (["--application=dmrg", "--model.spin=3"], ["must be 0.5, 1, 1.5 or 2"]),
                              (["--application=trotter", "--model.spin=1"], ["model.spin = 1 must be 0.5"]),
                              (["--model.field-x=1"], ["model.field-x is not a key of lanczos", "model.field"]),
                              (["--model.type=xyz", "--model.jx=1"], ["model.j = 1 belongs to", "model.type is xyz here"]),
                              (["--application=dmrg", "--lattice.type=checkerboard"], ["lattice.type = checkerboard must be"])):
            self.refused("run", self.JOB, *options, says=says)
        self.refused("show", "out/x.h5", "--application=dmrg", says="says nothing here")


class Scripts(ProgramTest):
    """jobs/plot.py and jobs/read_vector.py: pictures, or one sentence and exit code 4 (2 for wrong arguments)."""

    def script(self, name, *arguments, code=0):
        path = JOBS / name
        done = subprocess.run([sys.executable, path, *map(str, arguments)], cwd=self.directory, capture_output=True, text=True)
        self.assertEqual(done.returncode, code, done.stdout + done.stderr)
        self.assertNotIn("Traceback", done.stderr)
        if code == 4:
            self.assertEqual(done.stderr.count("\n"), 1, done.stderr)
        return done.stderr

    def test_a_lattice_from_a_file_has_no_extents(self):
        self.write("square.txt", "0 1 1\n1 2 1\n2 3 1\n3 0 1\n")
        job = self.write("a.ini", "application = lanczos\n[lattice]\ntype = file\nfile = square.txt\n[model]\nu = 4\n[sector]\nup = 2\ndown = 2\n")
        self.strata("run", job)
        self.script("plot.py", "out/a.h5")
        self.assertTrue((self.directory / "out/a.png").exists())
        self.assertIn("no vector basis-0: it has f, q, ground-state", self.script("read_vector.py", "out/a.checkpoint.h5", "basis-0", code=4))
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
        self.assertIn("is no result file of strata", self.script("plot.py", "other.h5", code=4))
        self.strata("resume", "out/a.checkpoint.h5", "--run.wall-time=none")
        self.script("plot.py", "out/a.h5", "b.png")
        self.assertTrue((self.directory / "b.png").exists())
        self.assertIn("must end in", self.script("plot.py", "out/a.h5", "b.nothing", code=2))
        with h5py.File(self.directory / "out/a.h5", "r+") as f:
            f["job"].attrs["application"] = "another"
        self.assertIn("is of another", self.script("plot.py", "out/a.h5", code=4))
        for name in ("plot.py", "read_vector.py"):
            self.script(name, code=2)
            self.script(name, "missing.h5", code=4)


class SectorStates(ProgramTest):
    """States of sectors of lattice symmetries as jobs/read_vector.py unfolds them: eigenvectors of the dense Hamiltonian of
    tests/oracle, which knows no symmetries."""

    def setUp(self):
        super().setUp()
        for folder in ("../../jobs", "../oracle"):
            if os.path.join(os.path.dirname(__file__), folder) not in sys.path:
                sys.path.append(os.path.join(os.path.dirname(__file__), folder))

    def run_job(self, lattice, model, sector, options=()):
        job = f"application = lanczos\n[lattice]\n{lattice}\n[model]\n{model}\n[sector]\n{sector}\n"
        self.strata("run", self.write("a.ini", job), "--run.degeneracy=no", "--output.overwrite=yes",
                    *(() if "--backend.threads=2" in options else ("--backend.threads=1",)), *options)
        return self.result()["observables"]["energy"]["value"]

    def test_they_are_eigenvectors_of_the_whole_hamiltonian(self):
        import dense
        import lattices
        import numpy as np
        from read_vector import read_vector

        ring, torus = "type = ring\nextents = {}", "type = square\nextents = {}\n"
        half, xxz = "up = 3\ndown = 3\n", "type = xxz\njz = 1.3\n"
        square = lattices.textbook("square", [(3, 0), (0, 3)])
        for lattice, cluster, model, filling, sector, options in (
                (ring.format(6), lattices.ring(6), "u = 4", (3, 3), half + "momentum = 0\nparity = even", ()),
                (ring.format(6), lattices.ring(6), "u = 4", (3, 3), half + "momentum = 1", ()),
                (ring.format(6), lattices.ring(6), "u = 4", (3, 3), half + "momentum = 2",
                 ("--backend.precision=single", "--run.tolerance=1e-6")),
                (ring.format(7), lattices.ring(7), "u = 4", (3, 2), "up = 3\ndown = 2\nmomentum = 2", ()),
                (ring.format(6), lattices.ring(6, 1, [0.7]), "u = 4\nflux = 0.7", (3, 2), "up = 3\ndown = 2\nmomentum = 5", ()),
                (torus.format("3,3"), square, "u = 4", (2, 2), "up = 2\ndown = 2\nmomentum = 0,0\nrotation = 1/4", ()),
                (torus.format("3,3"), square, "u = 4", (3, 1),
                 "up = 3\ndown = 1\nmomentum = 0,0\nrotation = 2/4\nreflection = odd", ("--backend.threads=2",)),
                (torus.format("3,3"), square, "u = 4", (2, 1), "up = 2\ndown = 1\nmomentum = 1,2", ()),
                (ring.format(8), lattices.ring(8), "type = fermions\nv = 2", (4,), "up = 4\nmomentum = 3", ()),
                (ring.format(10), lattices.ring(10), xxz, (5,), "momentum = 5\nspin-inversion = odd", ()),
                (ring.format(10), lattices.ring(10), xxz, (5,), "momentum = 3\nspin-inversion = even", ())):
            energy = self.run_job(lattice, model, sector, options)
            spins = "xxz" in model
            whole = dense.Model(cluster, spins, len(filling), [4.0] * cluster.sites, 2.0 if "v =" in model else 0.0,
                                [0.0] * cluster.sites, 1.0, 1.3)
            space = whole.sector(filling)
            psi, up, dn = read_vector(self.directory / "out/a.checkpoint.h5")
            x = np.zeros(space.dimension, complex)
            strings = up.astype(np.uint64)[:, None] | dn.astype(np.uint64)[None, :] << np.uint64(cluster.sites)
            x[space.index(strings.ravel())] = psi.ravel()
            delta = 1e-5 if options and "single" in options[0] else 1e-8
            self.assertEqual(psi.size, space.dimension, sector)
            self.assertAlmostEqual(np.linalg.norm(x), 1, delta=delta, msg=sector)
            self.assertLess(np.linalg.norm(whole.hamiltonian(space) @ x - energy * x), delta, sector)

    def test_a_state_of_spins_goes_into_the_dynamics_of_spins(self):
        energy = self.run_job("type = ring\nextents = 12", "type = xxz\njz = 1.3", "momentum = 2\nspin-inversion = odd")
        script = JOBS / "read_vector.py"
        lines = subprocess.run([sys.executable, script, "--spins", "out/a.checkpoint.h5"], cwd=self.directory, capture_output=True,
                               text=True, check=True).stdout
        self.write("psi.txt", lines)
        self.run_job("type = ring\nextents = 4", "type = fermions", "up = 2")
        refused = subprocess.run([sys.executable, script, "--spins", "out/a.checkpoint.h5"], cwd=self.directory, capture_output=True,
                                 text=True)
        self.assertEqual(refused.returncode, 4)
        self.assertIn("state of fermions", refused.stderr)
        job = ("application = trotter\n[lattice]\ntype = ring\nextents = 12\n[model]\ntype = xxz\njz = 1.3\n"
               "[state]\ninitial = file\nfile = psi.txt\n[run]\nsteps = 10\nstep = 0.05\norder = 4\n")
        self.strata("run", self.write("b.ini", job))
        result = self.result("b")["observables"]
        self.assertAlmostEqual(result["energy"]["value"], energy, delta=1e-7)
        self.assertAlmostEqual(result["loschmidt-echo"]["value"], 1, delta=1e-7)

    def test_a_group_of_any_size_is_stored(self):
        from read_vector import read_vector

        self.run_job("type = square\nextents = 6,6", "type = fermions", "up = 2\nmomentum = 0,0\nrotation = 1/4")
        self.run_job("type = triangular\nextents = 6,6", "type = fermions",
                     "up = 2\nmomentum = 0,0\nrotation = 3/6\nreflection = odd")
        psi, _, _ = read_vector(self.directory / "out/a.checkpoint.h5")  # images: 124 KB
        self.assertEqual(psi.shape, (630, 1))
        self.assertAlmostEqual(float((abs(psi) ** 2).sum()), 1, delta=1e-12)


class BatchScript(ProgramTest):
    def test_a_stopped_job_goes_back_into_the_queue_and_is_resumed(self):
        self.make_slurm()
        job = self.job(extents="256,256", sweeps=20000)
        queue = self.directory / "queue"
        for part in range(100):
            queue.unlink(missing_ok=True)
            limit = {"SLURM_JOB_END_TIME": str(int(time.time()) + 4)}
            self.batch(job, limit)
            if not queue.exists():
                break
            self.assertEqual(queue.read_text(), "requeue 7\n")
        self.assertGreater(part, 0)
        self.assertTrue(self.result()["complete"])


class Kronecker(ProgramTest):
    JOB = """application = kronecker
[model]
sites = 16
saved-states = {saved}
operators = 3
[run]
"""

    def products(self, saved=60, repeats=5):
        return self.write("a.ini", self.JOB.format(saved=saved) + f"repeats = {repeats}\n")

    def states(self, saved=40, steps=3000):
        return self.write("a.ini", self.JOB.format(saved=saved) + f"lanczos-steps = {steps}\nstates = 2\n")

    def test_the_jobs_that_are_ready(self):
        for path in sorted(JOBS.glob("kronecker-*.ini")):
            shorter = [] if "states" in path.stem else ["--run.repeats=2", "--model.saved-states=300"]
            self.strata("run", path, *shorter, ranks=2)
            result = self.result(path.stem)
            self.assertTrue(result["complete"])
            self.assertIn("energy" if "states" in path.stem else "checksum", result["observables"])
            self.assertGreater(result["performance"]["gflops"], 0)
            self.assertGreater(result["performance"]["fraction_of_gemm_peak"], 0)
            self.draw(path.stem)

    def test_same_bits_on_any_ranks_threads_and_partition(self):
        for job in (self.products(), self.states()):
            found = set()
            for ranks, threads, more in ((None, 1, ()), (None, 3, ()), (2, 1, ()), (2, 2, ("--run.partition=rows",)),
                                         (3, 1, ("--run.partition=columns",)), (4, 1, ("--backend.simd=portable",))):
                self.strata("run", job, "--output.overwrite=yes", f"--backend.threads={threads}", *more, ranks=ranks)
                r = self.result()
                found.add((r["state_hash"], str(r["observables"])))
            self.assertEqual(len(found), 1, found)

    def test_single_precision_gives_the_same_product_to_rounding(self):
        job = self.products()
        self.strata("run", job)
        expected = self.result()["observables"]["checksum"]["value"]
        self.strata("run", job, "--output.overwrite=yes", "--backend.precision=single")
        self.assertAlmostEqual(self.result()["observables"]["checksum"]["value"], expected, delta=1e-3)

    def test_plan_tells_memory_and_partitions(self):
        out, _ = self.strata("plan", self.write("a.ini", "application = kronecker\n[model]\nsaved-states = 2000\n"),
                             "--ranks=4")
        self.assertIn("221 patches, 1037 blocks", out)
        self.assertRegex(out, r" +4 ranks:  rows +1\.0\d+, .* columns +1\.000\d, .*\(taken\)")
        self.assertIn("M = 4000: vector of 631898 elements", out)
        self.assertRegex(out, r"operators +\d")
        self.assertEqual(self.files(), ["a.ini"])

    def test_killed_and_resumed_on_other_ranks_it_gives_the_same_bits(self):
        for job in (self.products(saved=200, repeats=3000), self.states(saved=200)):
            self.kill_after_a_checkpoint(2, job, "--checkpoint.interval=0.3s", "--run.tolerance=1e-13"
                             if "lanczos" in job.read_text() else "--run.repeats=3000")
            allowed = ["--run.allow-unconverged=yes"] if "lanczos" in job.read_text() else []
            length = ["--run.lanczos-steps=400"] if allowed else []
            self.strata("resume", "out/a.checkpoint.h5", "--backend.threads=2", *allowed, *length)
            tolerance = ["--run.tolerance=1e-13"] if allowed else []
            self.strata("run", job, "--output.name=whole", *tolerance, *allowed, *length, ranks=3)
            self.assertTrue(self.expect_same_result()["complete"])
            for path in (self.directory / "out").iterdir():
                path.unlink()

    def test_too_few_steps_are_refused_and_more_are_taken_up(self):
        job = self.states()
        self.strata("run", job, "--output.name=whole")
        _, err = self.strata("run", job, "--run.lanczos-steps=20", ranks=2, code=5)
        self.assertIn("have converged in 20 steps", err)
        self.assertEqual(self.result()["observables"]["converged"]["value"], 0)
        self.refused("resume", "out/a.checkpoint.h5", "--run.lanczos-steps=0", says="run.lanczos-steps=0 was 20")
        self.strata("resume", "out/a.checkpoint.h5", "--run.lanczos-steps=3000", ranks=3)
        self.expect_same_result()

    def test_bad_input_is_told_in_one_sentence(self):
        self.write("operators.txt", "0 0 0 left 0 0 1\n0 0 0 left 99 0 1\n")
        for overrides, words in ((["--model.saved-states=0"], ["model.saved-states"]),
                                 (["--model.operators=0"], ["model.operators"]),
                                 (["--sector.up=17"], ["sector.up=17", "16"]),
                                 (["--sector.up=0", "--sector.down=16"], ["No patch reaches", "49152 is enough"]),
                                 (["--model.file=operators.txt"], ["operators.txt:2:", "99 0", "matrix"]),
                                 (["--model.file=missing.txt"], ["missing.txt"]),
                                 (["--run.states=3"], ["run.states", "run.lanczos-steps"]),
                                 (["--run.variant=loops"], ["run.variant has left the program", "perf/kronecker"])):
            err = self.refused("run", self.products(saved=12), *overrides, says=words)
            self.assertEqual(err.count("strata:"), 1, err)
        self.refused("run", self.products(saved=12), "--run.partition=rows", "--model.width=0.05", ranks=7, says=["start at most"])

    def test_what_does_not_fit_names_the_ranks_that_would(self):
        _, err = self.strata("run", self.products(saved=200000), "--model.sites=144", code=3)
        self.assertRegex(err, r"needs .* per rank")
        self.assertRegex(err, r"\d+ ranks would fit|No number of ranks")
        self.assertEqual(self.files(), ["a.ini"])


class Dmrg(ProgramTest):
    JOB = """application = dmrg
[lattice]
extents = {sites}
[model]
u = 4
[run]
{run}
"""

    def chain(self, sites=8, run="tolerance = 1e-9"):
        return self.write("a.ini", self.JOB.format(sites=sites, run=run))

    def test_the_jobs_that_are_ready(self):
        for path in sorted(JOBS.glob("dmrg-*.ini")):
            self.strata("run", path, "--run.schedule=24,24", "--run.noise=1e-5,0", "--run.products=4", ranks=2)
            result = self.result(path.stem)
            self.assertTrue(result["complete"])
            self.assertIn("measured-energy", result["observables"])
            self.draw(path.stem)

    def test_a_run_without_schedule_finds_the_bethe_energy(self):
        self.strata("run", self.chain())
        r = self.result()
        o = r["observables"]
        self.assertAlmostEqual(o["energy"]["value"], -4.235806999130, delta=1e-9)
        self.assertLess(o["error-estimate"]["value"], 1e-9)
        for name in ("energy", "truncation-error", "entropy", "states", "energy-extrapolated", "measured-energy"):
            self.assertIsInstance(o[name]["value"], (int, float), name)
        for name, number in (("entropies", 7), ("entanglement-spectrum", 112), ("density-up", 8), ("density-down", 8), ("double-occupancy", 8), ("bond-energies", 7)):
            self.assertEqual(len(o[name]["value"]), number, name)
        self.assertAlmostEqual(sum(o["density-up"]["value"]), 4, delta=1e-9)
        self.assertIn("seconds_per_step", r["performance"])
        self.assertIn("upper bounds", r["remark"])

    def test_same_bits_on_any_ranks_threads_and_instructions(self):
        job, found = self.chain(10, "schedule = 30,60\nmeasure = correlations"), set()
        for ranks, threads, more in ((None, 1, ()), (None, 3, ()), (2, 2, ()), (4, 1, ("--backend.simd=portable",))):
            self.strata("run", job, "--output.overwrite=yes", f"--backend.threads={threads}", *more, ranks=ranks)
            r = self.result()
            found.add((r["state_hash"], str(r["observables"])))
        self.assertEqual(len(found), 1, found)

    def test_plan_tells_sweeps_and_memory(self):
        out, _ = self.strata("plan", self.chain(100, "schedule = 100,1000,2000"), "--ranks=4")
        for words in ("chain of 100 sites", "up 50, down 50", "3 sweeps with M up to 2000", "594"):
            self.assertIn(words, out)
        for phase in ("blocks", "matrix product state", "superblock", "vectors", "total"):
            self.assertRegex(out, rf"{phase} +\d")
        self.assertEqual(self.files(), ["a.ini"])

    def test_killed_and_resumed_on_other_ranks_it_gives_the_same_bits(self):
        job = self.chain(16, "schedule = 40" + 9 * ",60" + "\nproducts = 8\nmeasure = correlations")
        self.kill_after_a_checkpoint(2, job, "--checkpoint.interval=0.1s")
        self.strata("resume", "out/a.checkpoint.h5", "--backend.threads=2", ranks=3)
        self.strata("run", job, "--output.name=whole")
        self.assertTrue(self.expect_same_result()["complete"])

    def test_a_finished_run_goes_on_with_a_longer_schedule(self):
        self.strata("run", self.chain(10, "schedule = 20,30"))
        short = self.result()["observables"]
        self.refused("resume", "out/a.checkpoint.h5", "--run.schedule=20", says="steps already")
        self.strata("resume", "out/a.checkpoint.h5", "--run.schedule=20,30,80,120", "--run.noise=1e-5,1e-6,0", ranks=2)
        longer = self.result()["observables"]
        self.assertLess(longer["energy"]["value"], short["energy"]["value"])
        self.assertAlmostEqual(longer["energy"]["value"], -5.380618820415, delta=1e-6)
        self.strata("run", "a.ini", "--run.schedule=20,30,80,120", "--run.noise=1e-5,1e-6,0", "--output.name=whole")
        self.assertEqual(self.result("whole")["observables"], longer)

    def test_too_few_states_are_told_and_more_are_taken(self):
        _, err = self.strata("run", self.chain(10, "max-states = 20\ntolerance = 1e-9"), code=5)
        for words in ("run.tolerance", "run.max-states"):
            self.assertIn(words, err)
        self.strata("run", "a.ini", "--output.overwrite=yes", "--run.allow-unconverged=yes")
        self.strata("resume", "out/a.checkpoint.h5", "--run.max-states=500", "--run.allow-unconverged=no", ranks=2)
        self.assertAlmostEqual(self.result()["observables"]["energy"]["value"], -5.380618820415, delta=1e-8)

    def test_a_cylinder_has_the_energy_that_lanczos_finds(self):
        bonds = "".join(f"{4 * x + y} {4 * x + (y + 1) % 4} 1\n" for x in range(4) for y in range(4))
        bonds += "".join(f"{4 * x + y} {4 * x + 4 + y} 1\n" for x in range(3) for y in range(4))
        self.write("bonds.txt", bonds)
        for model in ("type = heisenberg\n", "u = 4\n[sector]\nup = 2\ndown = 2\n"):
            self.strata("run", self.write("lanczos.ini", "application = lanczos\n[lattice]\ntype = file\nfile = bonds.txt\n[model]\n"
                                          + model + "[run]\ntolerance = 1e-12\n"), "--output.overwrite=yes")
            exact = self.result("lanczos")["observables"]["energy"]["value"]
            for lattice in ("type = cylinder\nextents = 4,4", "type = file\nfile = bonds.txt"):
                self.strata("run", self.write("a.ini", f"application = dmrg\n[lattice]\n{lattice}\n[model]\n" + model),
                            "--output.overwrite=yes")
                found = self.result()["observables"]["energy"]["value"]
                self.assertGreater(found, exact - 1e-10)
                self.assertLess(found, exact + 1e-8)

    def test_bad_input_is_told_in_one_sentence(self):
        spins = ["--model.type=heisenberg"]
        self.write("bad.txt", "0 1 1\n1 2 x\n")
        self.write("same.txt", "0 1 1\n2 2 1\n")
        self.write("none.txt", "# nothing\n")
        for overrides, words in ((["--sector.up=9"], ["sector.up=9", "at most"]),
                                 (["--sector.down=9"], ["sector.down=9", "at most"]),
                                 ([*spins, "--sector.up=9"], ["sector.up=9 counts electrons", "sector.sz = 4."]),
                                 ([*spins, "--sector.down=3"], ["sector.down=3", "belongs to"]),
                                 (["--lattice.extents=1"], ["lattice.extents=1", "at least 2"]),
                                 (["--lattice.extents=4,2"], ["lattice.type = chain takes 1 extent", "not 2"]),
                                 (["--lattice.type=ladder"], ["lattice.type = ladder takes 2 extents", "not 1"]),
                                 (["--lattice.type=cylinder", "--lattice.extents=8,1"], ["circumference, from 2"]),
                                 (["--run.schedule=40,1"], ["run.schedule = 40,1", "2 to 100000"]),
                                 (["--run.schedule=40,x"], ["run.schedule = 40,x"]),
                                 (["--run.noise=-1"], ["run.noise = -1"]),
                                 (["--run.states=0"], ["run.states = 0"]),
                                 (["--run.states=9", "--sector.up=1", "--sector.down=0"], ["run.states=9", "sector has, 8"]),
                                 (["--run.states=40", "--run.schedule=60,20"], ["run.states=40", "smallest M", "20"]),
                                 (["--run.products=1"], ["run.products = 1"]),
                                 (["--model.potential=1,2"], ["model.potential=1,2", "2 values", "all sites or 8"]),
                                 ([*spins, "--model.field=1,2,3"], ["model.field=1,2,3", "3 values", "all sites or 8"]),
                                 ([*spins, "--model.spin=0.7"], ["model.spin = 0.7", "0.5"]),
                                 (["--model.spin=1"], ["model.spin=1", "belongs to"]),
                                 (["--model.t=0", "--model.t2=1"], ["groups of sites (0, 2, 4, 6), (1, 3, 5, 7)"]),
                                 (["--model.hopping=1"], ["model.hopping"]),
                                 (["--lattice.type=file", "--lattice.file=bad.txt"], ["bad.txt:2", "an edge is"]),
                                 (["--lattice.type=file", "--lattice.file=same.txt"], ["same.txt:2", "two different sites"]),
                                 (["--lattice.type=file", "--lattice.file=none.txt"], ["none.txt", "no edge"]),
                                 (["--lattice.type=file", "--lattice.file=missing.txt"], ["missing.txt", "No such file"])):
            job = self.chain()
            if any(o.startswith("--lattice.file") for o in overrides):
                job.write_text(job.read_text().replace("extents = 8\n", ""))
            if overrides[0] in spins:
                job.write_text(job.read_text().replace("u = 4\n", ""))
            err = self.refused("run", job, *overrides, says=words)
            self.assertEqual(err.count("strata:"), 1, err)

    def test_the_content_of_the_file_is_part_of_the_run(self):
        self.write("bonds.txt", "0 1 1\n1 3 0.5 0 2\n")  # site 2 is alone
        job = self.write("a.ini", "application = dmrg\n[lattice]\ntype = file\nfile = bonds.txt\n[model]\nu = 4\n[run]\nschedule = 8,8\n")
        self.refused("run", job, says="groups of sites (0, 1, 3), (2)")
        self.write("bonds.txt", "0 1 1\n1 3 0.5 0 2\n2 3 0.1\n")
        self.strata("run", job)
        self.assertEqual(len(self.result()["observables"]["density-up"]["value"]), 4)
        self.write("bonds.txt", "0 1 9\n")
        self.strata("resume", "out/a.checkpoint.h5", "--run.schedule=8,8,8")  # the file's content is in the checkpoint

    def test_memory_is_not_more_than_predicted(self):
        self.chain(16, "products = 2\nnoise = 1e-6,0\nschedule = 8")
        program = self.peak_bytes()
        for lattice, extents, schedule in (("chain", "20", "60,400"), ("cylinder", "6,4", "100,300")):
            keys = (f"--lattice.type={lattice}", f"--lattice.extents={extents}", f"--run.schedule={schedule}")
            out, _ = self.strata("plan", "a.ini", *keys, "--backend.threads=1")
            predicted = float(re.search(r"total +([\d.]+) MiB", out)[1]) * 2**20
            self.assertLess(self.peak_bytes(*keys) - program, 1.1 * predicted, lattice)

    def test_plan_tells_what_blocks_take_on_disk(self):
        job = self.chain(100, "schedule = 1000")
        memory, _ = self.strata("plan", job, "--backend.device=cpu")
        disk, _ = self.strata("plan", job, "--backend.device=cpu", "--run.blocks=disk")
        in_memory = re.search(r" blocks +([\d.]+ MiB)", memory)[1]
        self.assertIn(f"run.blocks = memory would hold all blocks in memory, {in_memory}", disk)
        near, file = (re.search(rf" {name} +([\d.]+ MiB)", disk)[1] for name in ("blocks", "scratch file of a rank"))
        self.assertIn(f"run.blocks = disk would hold {near} of the blocks in memory and {file} on disk", memory)
        self.assertLess(float(near.split()[0]), 0.15 * float(in_memory.split()[0]))

    def test_checkpoints_follow_half_sweeps(self):
        import h5py

        run = self.start(None, "run", self.chain(10, "schedule = " + ",".join(1000 * ["20"])))
        self.wait_for("out/a.checkpoint.h5")
        os.kill(run.pid, signal.SIGKILL)
        run.communicate(timeout=60)
        with h5py.File(self.directory / "out/a.checkpoint.h5") as file:
            step = json.loads(bytes(file["header"][:]))["step"]
        self.assertGreater(step, 0)
        self.assertEqual(step % 9, 0)  # bonds of the chain

    def test_killed_with_blocks_on_disk(self):
        run_keys = "schedule = 40" + 9 * ",60" + "\nproducts = 8\n"
        job = self.chain(16, run_keys + "blocks = disk\nblocks-directory = scratch")
        self.kill_after_a_checkpoint(2, job, "--checkpoint.interval=0.1s", rank=1)
        self.assertEqual(list((self.directory / "scratch").iterdir()), [])
        self.strata("resume", "out/a.checkpoint.h5", ranks=3)
        self.strata("run", self.chain(16, run_keys), "--output.name=whole")
        self.assertEqual(self.result()["state_hash"], self.result("whole")["state_hash"])

    def test_what_does_not_fit_is_said_before_allocating(self):
        _, err = self.strata("run", self.chain(100, "schedule = 100000"), code=3)
        self.assertRegex(err, r"needs .* per rank")
        self.assertEqual(self.files(), ["a.ini"])


if __name__ == "__main__":
    unittest.main(verbosity=2)
