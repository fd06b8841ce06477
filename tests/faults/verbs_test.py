# SPDX-License-Identifier: BSD-3-Clause
"""What a user types and gets: the verbs of the program."""

import csv
import io
import itertools
import re
import signal
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
        for word in ("extents", "temperature", "sweeps", "seed", "wall-time", "threads", "overwrite", "interval",
                     "keep"):
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
        for arguments, words in ((["lanczos", "--thermal.samples=3"], "belongs to run.task = thermal"),
                                 (["--run.task=thermal"], "an application"),
                                 (["lanczos", "--outputs", "--run.task=thermal"], "leave the keys out"),
                                 (["lanczos", "--run.tusk=3"], "run.task"),
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

    MACHINE = ("[machine]\nname = a\nnodes = 8\ncores = 2\ncore-speed = 1\ncore-bandwidth = 28\nnode-bandwidth = 35\n"
               "memory = 16\n"
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
                            (self.MACHINE.replace("latency = 2", "latency = low"),
                             "m.ini:9: machine.latency = low must be"),
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
                job = self.write("a.ini", example.replace("[scan]\nmodel.temperature = 2.1:2.4:0.05",
                                                          "[model]\ntemperature = 2.1"))
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

    def test_more_threads_than_processors_are_refused(self):
        for ranks in (None, 2):
            self.refused("run", self.job(), "--backend.threads=4000", ranks=ranks,
                         says=["backend.threads = 4000 is more than a node has processors", "or 0 for the cores"])

    def test_json_has_the_promised_names(self):
        self.strata("run", self.job(), ranks=2)
        r = self.result()
        self.assertEqual(r["application"], "swendsen-wang")
        self.assertEqual(r["ranks"], 2)
        for name in ("energy", "specific-heat", "magnetisation", "magnetisation-2", "magnetisation-4", "binder",
                     "susceptibility", "susceptibility-improved", "correlation-length", "largest-cluster", "clusters"):
            self.assertIn("value", r["observables"][name])
        self.assertIn("reference", r["observables"]["energy"])
        self.assertIn("ns_per_site_update", r["performance"])
        self.assertRegex(r["state_hash"], "^[0-9a-f]{16}$")
        self.assertGreater(r["seconds"], 0)

    def test_a_result_keeps_its_exit_code_and_sentence(self):
        """In every form, alone and beside others, until a resumed run has made up for it."""
        import h5py

        job = self.write("a.ini", "application = lanczos\n[lattice]\ntype = ring\nextents = 8\n[model]\nu = 4\n")
        _, err = self.strata("run", job, "--run.max-steps=12", code=5)
        sentence = err.strip().removeprefix("strata: ")
        self.assertIn(sentence, self.strata("show", "out/a.h5")[0])
        self.assertIn(sentence, self.strata("show", "--quiet", "out/a.h5")[0])
        result = self.result()
        self.assertEqual((result["exit_code"], result["sentence"]), (5, sentence))
        with h5py.File(self.directory / "out/a.h5") as file:
            self.assertEqual((file.attrs["exit_code"], file.attrs["sentence"].decode()), (5, sentence))
        self.strata("run", job, "--output.name=b")
        self.assertEqual(self.result("b")["exit_code"], 0)
        self.assertNotIn("sentence", self.result("b"))
        out, _ = self.strata("show", "out/a.h5", "out/b.h5")
        self.assertRegex(out, r"point 0 \(file = out/a.h5.*" + re.escape(sentence))
        codes = [row["exit_code"] for row in csv.DictReader(
            io.StringIO(self.strata("show", "--csv", "out/a.h5", "out/b.h5")[0]))]
        self.assertEqual(codes, ["5", "0"])
        self.strata("run", job, "--output.name=c", "--run.wall-time=0s")
        self.assertIsNone(self.result("c")["exit_code"])
        self.strata("resume", "out/a.checkpoint.h5", "--run.max-steps=300")
        self.assertEqual(self.result()["exit_code"], 0)
        out, _ = self.strata("resume", "out/a.checkpoint.h5")
        self.assertIn("its length may change by --run.max-steps", out)

    def test_a_remark_names_all_its_points(self):
        out, _ = self.strata("run", self.job(sweeps=8), "--scan.model.beta=0.3:0.5:0.05")
        self.assertRegex(out, r"points 0 to 4: There are fewer than 40 observations")

    def test_a_scan_among_results_is_left_out(self):
        for name in ("b", "c"):
            self.strata("run", self.job(), f"--output.name={name}")
        self.strata("run", self.job(), "--scan.model.beta=0.3;0.4")
        out, err = self.strata("show", "out/a.h5", "out/b.h5", "out/c.h5", "--csv")
        self.assertEqual(out.count("\n"), 3)
        self.assertIn("out/a.h5 is a scan, which is shown alone; it is left out", err)

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


if __name__ == "__main__":
    unittest.main(verbosity=2)
