# SPDX-License-Identifier: BSD-3-Clause
"""Bad input: one sentence per fault, exit code 2 (3 if it does not fit), and nothing created."""

import os
import re
import resource
import subprocess
import unittest

from program import ProgramTest


class BadInput(ProgramTest):
    def bad_job(self, text, *says, code=2):
        return self.refused("run", self.write("a.ini", text), says=says, code=code)

    def test_no_or_wrong_words(self):
        self.refused(says=["strata --help"])
        self.refused("rum", "a.ini", says=["Did you mean run?"])
        self.refused("run", says=["needs a job file"])
        self.refused("run", self.job(), "b.ini", says=["one word too many"])
        self.refused("run", self.job(), "--run.sweep=3",
                     says=["run.sweep is not a key of swendsen-wang. Did you mean run.sweeps?"])
        self.refused("run", self.job(), "--run.s=3", says=["run.s is not a key of swendsen-wang."])
        self.refused("keys", "swendsen", says=["not an application", "Did you mean swendsen-wang?"])
        self.refused("help", "shwo", says=["neither a verb nor an application", "Did you mean show?"])
        self.refused("keys", "swendsen-wang", "sweps",
                     says=["No key of swendsen-wang has 'sweps'", "Did you mean sweeps?"])
        self.refused("keys", "swendsen-wang", "sweeps", "a", says=["one word too many"])
        self.refused("example", "swendsen", says=["no application and no ready job", "Did you mean swendsen-wang?"])
        self.refused("keys", "dmrg", "entropy", says=["No key of dmrg has 'entropy'", "keys dmrg entropy --outputs"])
        self.refused(self.job(), says=["Write strata run "])
        self.refused("a.h5", says=["Write strata show a.h5."])
        self.refused("show", "a.h5", "--json", "--csv", says=["--json and --csv exclude each other"])
        self.refused("show", self.job(), code=4, says=["is a job, not a result"])
        self.refused("show", "a.h5", "--series", "--json", says=["--series prints CSV"])
        self.refused("show", "a.h5", "b.h5", "--series", says=["--series shows one file"])
        self.assertIn("strata run JOB.ini", self.strata("-h")[0])

    def test_suggestions_are_keys_of_the_application(self):
        """What is suggested is a key, or a choice, of this job; a number is never answered by another."""
        dmrg = self.write("dmrg.ini", "application = dmrg\n[lattice]\nextents = 8\n[model]\ntype = heisenberg\n")
        spins = self.write("spins.ini",
                           "application = trotter\n[lattice]\ntype = chain\nextents = 6\n[model]\ntype = heisenberg\n")
        for job, option, meant in ((self.job(), "lattice.L=32", "lattice.extents"),
                                   (dmrg, "run.m=100", "run.max-states"),
                                   (spins, "run.t-max=3", "run.steps"), (spins, "model.h=1", "model.field"),
                                   (self.job(), "model.T=2", "model.temperature"),
                                   (dmrg, "model.type=hubard", "hubbard"),
                                   (dmrg, "lattice.type=torus", "ring"), (dmrg, "model.mu=1", "model.potential"),
                                   (dmrg, "sector.magnetisation=1", "sector.sz"),
                                   (dmrg, "model.D=1", "model.anisotropy"), (dmrg, "sector.N=6", "sector.up"),
                                   (dmrg, "run.chi_max=100", "run.max-states")):
            self.refused("plan", job, f"--{option}", says=[f"Did you mean {meant}?"])
        for job, option in ((self.job(), "model.q=3"), (dmrg, "model.spin=5/2"), (self.job(), "run.foo=1")):
            self.assertNotIn("Did you mean", self.refused("plan", job, f"--{option}"))
        for job, option, says in ((self.job(), "lattice.type=honeycomb", "three a cubic one"),
                                  (self.job(), "model.type=potts", "model.states = 2 is the Ising model"),
                                  (self.job(), "model.q=3", "model.q is now model.states"),
                                  (dmrg, "lattice.boundaries=periodic", "ring is periodic, chain open")):
            self.refused("plan", job, f"--{option}", says=[says])
        out, _ = self.strata("plan", dmrg, "--model.spin=3/2", "--run.max-states=2e2")
        self.assertIn("at most 200 until", out)

    def test_output_that_is_lost_is_an_error(self):
        self.strata("run", self.job())
        for words in (["show", "out/a.h5"], ["show", "out/a.h5", "--json"], ["keys", "lanczos"], ["plan", "a.ini"],
                      ["help"]):
            with open("/dev/full", "w", encoding="utf-8") as full:
                done = subprocess.run(self.command(None, *words), cwd=self.directory, stdout=full,
                                      stderr=subprocess.PIPE, text=True, timeout=60)
            self.assertEqual(done.returncode, 4, words)
            self.assertIn("could not be written", done.stderr)
            early = subprocess.run(["bash", "-o", "pipefail", "-c", '"$@" | true', "-", *self.command(None, *words)],
                                   cwd=self.directory, capture_output=True, timeout=60)
            self.assertEqual((early.returncode, early.stderr), (0, b""), words)  # a reader that has seen enough

    def test_a_series_that_does_not_fit_is_refused(self):
        err = self.refused("run", self.job(extents="8,8"), "--run.sweeps=1e11", code=3,
                           says=["raise run.measure-every to"])
        every = re.search(r"run.measure-every to (\d+)", err)[1]
        plan = self.planned("a.ini", "--run.sweeps=1e11", f"--run.measure-every={every}")
        self.assertGreater(self.bytes_of(plan["host_memory"])["series, on rank 0"], 2**30)
        spins = self.write("b.ini", "application = trotter\n[lattice]\ntype = chain\nextents = 6\n"
                                    "[model]\ntype = heisenberg\n")
        self.refused("run", spins, "--run.steps=1e12", code=3, says=["raise run.measure-every to"])
        motion = self.write("c.ini", "application = lanczos\n[lattice]\ntype = ring\nextents = 8\n[sector]\nup = 1\n"
                                     "down = 1\n[run]\ntask = evolution\n[evolution]\nup = 0\ndown = 1\nsteps = 1e9\n")
        self.refused("run", motion, code=3, says=["lower evolution.steps to"])

    def test_files_tell_all_their_errors(self):
        spins = "application = lanczos\n[lattice]\n{}\n[model]\ntype = {}\n"
        self.write("edges.txt", "0 1\n1 2 x\n2 3\nfoo\n")
        self.write("terms.txt", "1 Sz 0 Sz 1\nfoo\n1 Sy 9999\n" + 12 * "1 Sq 0\n")
        self.write("positions.txt", "0 0 0\n1 0\n0,1,0\n")
        for lattice, model, told in (("type = file\nfile = edges.txt", "heisenberg", ["edges.txt:2", "edges.txt:4"]),
                                     ("", "terms\nterms = terms.txt", ["terms.txt:2", "terms.txt:3", "terms.txt:11",
                                                                        "4 more are refused"]),
                                     ("type = all\ngeometry = positions\npositions = positions.txt", "heisenberg",
                                      ["positions.txt:2", "positions.txt:3", "between blanks"])):
            self.refused("plan", self.write("b.ini", spins.format(lattice, model)), says=told)

    def test_other_programs_and_values_that_do_not_fit(self):
        self.bad_job('LATTICE="chain lattice"\nMODEL="spin"\nL=8\n', "looks like a file of ALPS")
        self.bad_job('model = "Hubbard"\nmethod = "Lanczos"\nlattice = "chain"\nL = 8\n', "looks like a file of HPhi")
        ring = self.write("ring.ini", "application = lanczos\n[lattice]\ntype = ring\nextents = 22\n[model]\nu = 4\n")
        self.refused("run", ring, code=3, says=["22 translations", "sector.momentum"])
        self.refused("plan", ring, "--lattice.type=file", "--lattice.file=edges.txt",
                     says=["lattice.extents = 22 does not apply to lattice.type = file; leave it out."])
        self.write("points.txt", "model.u,model.v\n1,2\n")
        self.refused("plan", ring, "--scan.file=points.txt", says=["separated by blanks"])

    def test_numbers_in_other_notations(self):
        job = self.job()
        for option, says in (("lattice.extents=32x32", "separated by commas"), ("lattice.extents=32 32", "by commas"),
                             ("model.temperature=2.4 ; hot", "Comments begin with #"),
                             ("model.temperature=linspace(1,2,3)", "start:stop:step"),
                             ("model.temperature=\u22122", "the character '-'"),
                             ("model.temperature=2\u00a0", "no-break space"),
                             ("model.temperature=inf", "Numbers are finite"),
                             ("model.temperature=2,4", "Decimals have a point")):
            self.refused("plan", job, f"--{option}", says=[option.split("=")[0], says])

    def test_files_that_are_no_job(self):
        self.strata("run", self.job(extents="8,8"), "--run.sweeps=10")
        for verb in ("run", "plan"):
            err = self.refused(verb, "out/a.h5", says=["is no text but an HDF5 file", "strata show"])
            self.assertEqual(err.count("\n"), 1, err)
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
        err = self.bad_job("application = swendsen-wang\n[latice]\nextents = 4,4\n[run]\nsweeps = 1e3x\nseed = -1\n"
                           "seed = 2\n;x\n"
                           "[backend]\ndevice = gpu\n")
        for words in ("a.ini:3: latice.extents is not a key", "Did you mean lattice.extents?",
                      "a.ini:5: run.sweeps = 1e3x must be an integer",
                      "a.ini:6: run.seed = -1", "a.ini:7: run.seed is given twice", "a.ini:8: comments begin with #",
                      "a.ini:10: backend.device = gpu"):
            self.assertIn(words, err)

    def test_lattices_and_temperatures(self):
        for extents in ("1,4", "4", "2,2,2,2", "0,4", "-4,4", "4,", "4;4", "4294967296,4294967296",
                        "99999999999999999999,2"):
            self.refused("run", self.job(extents=extents), says=["lattice.extents"])
        for beta in ("-1", "nan", "inf", "", "x", "0.1:0.2", "0.1:0.2:0", "0:1:1e-9"):
            self.refused("run", self.job(beta=beta))
        self.refused("run", self.job(), "--model.temperature=2", says=["exclude each other"])
        self.refused("run", self.job(), "--model.states=257", says=["model.states"])
        self.refused("run", self.job(), "--model.coupling=0", says=["model.coupling"])
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
        job = "application = lanczos\n[lattice]\ntype = square\nextents = 8,8\n[model]\ntype = {}\n[sector]\n{}"
        one = self.write("one.ini", job.format("fermions", "up = 32\n"))
        two = self.write("two.ini", job.format("hubbard", "up = 32\ndown = 32\n"))
        few = self.write("few.ini", job.format("hubbard", "up = 4\ndown = 4\n"))
        for ranks in ("--ranks=1", "--ranks=64"):
            self.refused("plan", one, ranks, code=3, says=["129024480 states", "64 sites", "67108864"])
            self.refused("plan", two, ranks, code=3,
                         says=["32 particles on 64 sites", "1832624140942590534", "67108864"])
            out, _ = self.strata("plan", few, ranks)
            self.assertIn("dimension 635376 x 635376", out)
        self.assertIn("at most", out)
        ring = self.write("ring.ini", "application = lanczos\n[lattice]\ntype = ring\nextents = 56\n"
                                      "[model]\ntype = heisenberg\n[sector]\nsz = 0\n")
        out, _ = self.strata("plan", ring, "--ranks=64")
        self.assertIn("dimension 7.649e+15", out)

    def test_existing_output_is_kept(self):
        job = self.job()
        self.strata("run", job)
        before = {p: (self.directory / p).read_bytes() for p in self.files()}
        self.refused("run", job, says="out/a.h5 exists")
        self.assertEqual(before, {p: (self.directory / p).read_bytes() for p in self.files()})
        self.strata("run", job, "--output.overwrite=yes")

    def test_control_characters_of_files_are_not_printed(self):
        """A terminal would obey them. Every message that quotes a file is one of these or of the same class."""
        red, spins = "\x1b[31mX\x1b[0m", "application = trotter\n[model]\ntype = heisenberg\n"
        hubbard = "application = lanczos\n[model]\nu = 4\n[sector]\nup = 1\ndown = 1\n"
        cell = hubbard + "[lattice]\ntype = custom\nextents = 2,2\n"
        self.write("list.txt", f"0 1 1\n{red} 2 3\n")
        self.write("terms.txt", f"1 {red} 0\n")
        for text in (f"{spins}[lattice]\ntype = all\ngeometry = positions\npositions = list.txt\n",
                     f"{hubbard}[lattice]\ntype = file\nfile = list.txt\n",
                     f"{hubbard}[lattice]\nextents = 4\n[model]\nterms = terms.txt\n",
                     f"{cell}cell-bonds = 0 0 1 0 1; {red} 0 0 1 1\n",
                     f"{cell}cell-bonds = 0 0 1 0 1\ncell-positions = {red} 0\n",
                     f"{hubbard}[lattice]\nextents = 4,{red}\n",
                     f"{hubbard}[lattice]\nextents = 4\ntype = {red}\n",
                     f"{hubbard}[{red}]\n{red} = 4\n",
                     f"application = dmrg\n[run]\nschedule = 10,{red}\n",
                     f"{hubbard}[lattice]\nextents = 4\n[scan]\nmodel.v = 1, {red}\n",
                     f"application = {red}\n"):
            with self.subTest(text):
                err = self.refused("run", self.write("a.ini", text))
                self.assertNotIn("\x1b", err)
                self.assertIn("\\x1b[31mX", err)

    def test_none_is_no_value_of_a_list_that_must_be_given(self):
        dmrg = self.write("a.ini", "application = dmrg\n[lattice]\nextents = 4\n[model]\nu = 4\n")
        self.refused("run", dmrg, "--model.u=none", says="'none' is not a number")

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
        self.strata("run", self.write("b.ini", b"\xef\xbb\xbf"
                                      + text.replace("\n", "\r\n").replace(" = ", "\t=\t").encode()[:-2]))

    def test_extreme_temperatures_run(self):
        for key in ("temperature", "beta"):
            text = self.job().read_text().replace("beta = 0.44\n", "") + f"[scan]\nmodel.{key} = 0,1e-300,1e300\n"
            self.strata("run", self.write(f"{key}.ini", text))


class Surroundings(ProgramTest):
    def test_limits_of_the_process_count_as_memory(self):
        def limit():
            resource.setrlimit(resource.RLIMIT_AS, (3 << 30, 3 << 30))
        done = subprocess.run(self.command(None, "run", self.job(extents="40000,32000")), cwd=self.directory,
                              capture_output=True, text=True, timeout=180, preexec_fn=limit)
        self.assertEqual(done.returncode, 3, done.stderr)
        self.assertIn("free there", done.stderr)

    def test_environment_changes_nothing(self):
        self.strata("run", self.job())
        odd = {"LANG": "de_DE.UTF-8", "LC_ALL": "de_DE.UTF-8", "TZ": "Pacific/Chatham", "HOME": "/nonexistent",
               "OMP_STACKSIZE": "128k", "OMP_DYNAMIC": "true", "OMP_NUM_THREADS": "3"}
        self.strata("run", self.job(), "--output.name=b", environment=odd, ranks=2)
        self.assertEqual(self.result("a")["observables"], self.result("b")["observables"])
        self.assertEqual(self.result("a")["state_hash"], self.result("b")["state_hash"])


class BadCheckpoint(ProgramTest):
    def test_resume_refuses_what_is_none(self):
        self.write("x.checkpoint.h5", b"no HDF5 here")
        _, err = self.strata("resume", "x.checkpoint.h5", code=4)
        self.assertIn("No good checkpoint", err)
        self.strata("resume", "missing.checkpoint.h5", code=4)
        self.refused("resume", "result.h5", says="NAME.checkpoint.h5")
        self.strata("run", self.job())
        _, err = self.strata("show", "out/a.checkpoint.h5", code=4)
        self.assertIn("out/a.checkpoint.h5 is a checkpoint, not a result; that is out/a.h5", err)

    def test_resume_changes_no_physics(self):
        self.strata("run", self.job())
        for key in ("run.seed=6", "model.beta=0.3", "lattice.extents=32,32", "run.thermalization=1"):
            self.refused("resume", "out/a.checkpoint.h5", f"--{key}", says="would change what the run computes")
        self.refused("resume", "out/a.checkpoint.h5", "--run.sweeps=20",
                     says="has 210 sweeps already, with run.thermalization, more than the 30 asked for.")

    def test_a_list_where_one_number_is_expected_names_the_scan(self):
        self.refused("run", self.job(beta="0.4,0.5"), says="write model.beta = 0.4,0.5 in [scan]")


if __name__ == "__main__":
    unittest.main(verbosity=2)
