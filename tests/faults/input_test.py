# SPDX-License-Identifier: BSD-3-Clause
"""Bad input: one sentence per fault, exit code 2 (3 if it does not fit), and nothing created."""

import os
import resource
import subprocess
import unittest

from program import ProgramTest


class BadInput(ProgramTest):
    def refused(self, *arguments, says=(), code=2, ranks=None):
        before = self.files()
        out, err = self.strata(*arguments, code=code, ranks=ranks, timeout=20)
        for words in says:
            self.assertIn(words, err)
        self.assertNotIn("terminate called", err)
        self.assertEqual(self.files(), before)
        self.assertFalse((self.directory / "out").exists())
        return err

    def bad_job(self, text, *says, code=2):
        return self.refused("run", self.write("a.ini", text), says=says, code=code)

    def test_no_or_wrong_words(self):
        self.refused(says=["strata --help"])
        self.refused("rum", "a.ini", says=["Did you mean run?"])
        self.refused("run", says=["needs a job file"])
        self.refused("run", self.job(), "b.ini", says=["one word too many"])
        self.refused("run", self.job(), "--run.sweep=3", says=["Did you mean --run.sweeps?"])
        self.refused("run", self.job(), "--run.s=3", says=["neither a switch nor a key"])
        self.refused("keys", "swendsen", says=["not an application"])

    def test_files_that_are_no_job(self):
        self.refused("run", "missing.ini", says=["missing.ini", "No such file"])
        self.refused("run", str(self.directory), says=["not a regular file"])
        os.mkfifo(self.directory / "fifo")
        self.refused("run", "fifo", says=["not a regular file"])
        self.bad_job(b"", "application")
        self.bad_job(b"\0" * 1000, "NUL")
        self.bad_job(os.urandom(100000))
        self.bad_job(b"#" * (1 << 21), "1 MiB")
        self.bad_job(b"[run]\nsweeps = " + b"1" * 100000 + b"\n", "16384")

    def test_the_root_cannot_hide_an_unreadable_file(self):
        if os.geteuid() == 0:
            self.skipTest("root reads everything")
        path = self.job()
        path.chmod(0)
        self.refused("run", path, says=["Permission denied"])

    def test_every_fault_is_told_at_once(self):
        err = self.bad_job("application = swendsen-wang\n[latice]\nextents = 4,4\n[run]\nsweeps = 1e3\nseed = -1\nseed = 2\n;x\n"
                           "[backend]\ndevice = gpu\n")
        for words in ("a.ini:3: latice.extents is not a key", "Did you mean lattice.extents?", "a.ini:5: run.sweeps = 1e3 must be an integer",
                      "a.ini:6: run.seed = -1", "a.ini:7: run.seed is given twice", "a.ini:8: comments begin with #", "a.ini:10: backend.device = gpu"):
            self.assertIn(words, err)

    def test_lattices_and_temperatures(self):
        for extents in ("1,4", "4", "2,2,2,2", "0,4", "-4,4", "4,", "4;4", "4294967296,4294967296", "99999999999999999999,2"):
            self.refused("run", self.job(extents=extents), says=["lattice.extents"])
        for beta in ("-1", "nan", "inf", "", "x", "0.1:0.2", "0.1:0.2:0", "0:1:1e-9"):
            self.refused("run", self.job(beta=beta))
        self.refused("run", self.job(), "--model.temperature=2", says=["exclude each other"])
        self.refused("run", self.job(), "--model.states=3", says=["model.states"])
        self.refused("run", self.job(), "--model.coupling=-1", says=["model.coupling"])
        self.refused("run", self.job(), "--backend.gpu-aware=maybe", says=["auto, on or off"])
        text = self.job().read_text().replace("beta = 0.44", "")
        self.bad_job(text, "model.temperature or model.beta is missing")

    def test_more_ranks_than_layers(self):
        err = self.refused("run", self.job(extents="8,16"), ranks=3)
        self.assertEqual(err.count("tile layers"), 1)
        self.assertIn("at most 2 ranks", err)

    def test_what_does_not_fit_is_said_before_allocating(self):
        self.refused("run", self.job(extents="300000,60000"), code=3, says=["per rank"])
        self.refused("run", self.job(extents="4000000,4000000"), code=3, says=["2^32 - 1 labels"])

    def test_sectors_of_64_sites_are_counted_and_not_built(self):
        job = "application = lanczos\n[lattice]\ntype = square\nextents = 8,8\n[model]\nspecies = {}\n[sector]\n{}"
        one = self.write("one.ini", job.format(1, "up = 32\n"))
        two = self.write("two.ini", job.format(2, "up = 32\ndown = 32\n"))
        few = self.write("few.ini", job.format(2, "up = 4\ndown = 4\n"))
        for ranks in ("--ranks=1", "--ranks=64"):
            self.refused("plan", one, ranks, code=3, says=["129024480 states", "64 sites", "67108864"])
            self.refused("plan", two, ranks, code=3, says=["32 particles on 64 sites", "1832624140942590534", "67108864"])
            out, _ = self.strata("plan", few, ranks)
            self.assertIn("dimension 635376 x 635376", out)
        self.assertIn("at most", out)
        ring = self.write("ring.ini", "application = lanczos\n[lattice]\ntype = ring\nextents = 56\n"
                                      "[model]\ntype = xxz\n[sector]\nup = 28\n")
        out, _ = self.strata("plan", ring, "--ranks=64")
        self.assertIn("dimension 7.649e+15", out)

    def test_existing_output_is_kept(self):
        job = self.job()
        self.strata("run", job)
        before = {p: (self.directory / p).read_bytes() for p in self.files()}
        _, err = self.strata("run", job, code=2)
        self.assertIn("out/a.h5 exists", err)
        self.assertEqual(before, {p: (self.directory / p).read_bytes() for p in self.files()})
        self.strata("run", job, "--output.overwrite=yes")

    def test_names_are_names(self):
        self.refused("run", self.job(), "--output.name=../x", says=["plain file name"])
        self.refused("run", self.job(), "--output.name=..", says=["plain file name"])

    def test_strange_directories_are_taken_literally(self):
        for name in ("a b", "$(touch x)", "quo'te", 'dou"ble', "ü"):
            self.strata("run", self.job(), f"--output.directory={name}")
            self.assertTrue((self.directory / name / "a.h5").exists())
        self.assertFalse((self.directory / "x").exists())

    def test_other_systems_text_files_work(self):
        text = self.job().read_text()
        self.strata("run", self.write("b.ini", b"\xef\xbb\xbf" + text.replace("\n", "\r\n").replace(" = ", "\t=\t").encode()[:-2]))

    def test_extreme_temperatures_run(self):
        self.strata("run", self.write("t.ini", self.job().read_text().replace("beta = 0.44", "temperature = 0,1e-300,1e300")))
        self.strata("run", self.job(beta="0,1e-300,1e300"))


class Surroundings(ProgramTest):
    def test_limits_of_the_process_count_as_memory(self):
        def limit():
            resource.setrlimit(resource.RLIMIT_AS, (3 << 30, 3 << 30))
        done = subprocess.run(self.command(None, "run", self.job(extents="40000,32000")), cwd=self.directory, capture_output=True,
                              text=True, timeout=60, preexec_fn=limit)
        self.assertEqual(done.returncode, 3, done.stderr)
        self.assertIn("free there", done.stderr)

    def test_environment_changes_nothing(self):
        self.strata("run", self.job())
        odd = {"LANG": "de_DE.UTF-8", "LC_ALL": "de_DE.UTF-8", "TZ": "Pacific/Chatham", "HOME": "/nonexistent", "OMP_STACKSIZE": "128k",
               "OMP_DYNAMIC": "true", "OMP_NUM_THREADS": "3"}
        self.strata("run", self.job(), "--output.name=b", environment=odd, ranks=2)
        self.assertEqual(self.result("a")["observables"], self.result("b")["observables"])
        self.assertEqual(self.result("a")["state_hash"], self.result("b")["state_hash"])


class BadCheckpoint(ProgramTest):
    def test_resume_refuses_what_is_none(self):
        self.write("x.checkpoint.h5", b"no HDF5 here")
        _, err = self.strata("resume", "x.checkpoint.h5", code=4)
        self.assertIn("No good checkpoint", err)
        self.strata("resume", "missing.checkpoint.h5", code=4)
        _, err = self.strata("resume", "result.h5", code=2)
        self.assertIn("NAME.checkpoint.h5", err)
        self.strata("run", self.job())
        _, err = self.strata("show", "out/a.checkpoint.h5", code=4)
        self.assertIn("not a result file", err)

    def test_resume_changes_no_physics(self):
        self.strata("run", self.job())
        for key in ("run.seed=6", "model.beta=0.3", "lattice.extents=32,32", "run.thermalization=1"):
            _, err = self.strata("resume", "out/a.checkpoint.h5", f"--{key}", code=2)
            self.assertIn("would change what the run computes", err)
        _, err = self.strata("resume", "out/a.checkpoint.h5", "--run.sweeps=20", code=2)
        self.assertIn("steps already", err)

    def test_a_scan_cannot_be_lengthened(self):
        self.strata("run", self.job(beta="0.4,0.5", sweeps=20))
        _, err = self.strata("resume", "out/a.checkpoint.h5", "--run.sweeps=40", code=2)
        self.assertIn("only a run of one point", err)


if __name__ == "__main__":
    unittest.main(verbosity=2)
