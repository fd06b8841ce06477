# SPDX-License-Identifier: BSD-3-Clause
"""Jobs of trotter: what a user types and gets."""

import math
import os
import signal
import time
import unittest

from program import ProgramTest


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

    def test_plan_tells_memory_and_traffic(self):
        out, _ = self.strata("plan", self.ring(spins=30))
        self.assertIn("30 spins 1/2, 1073741824 amplitudes in double precision", out)
        self.assertRegex(out, r"states +16\.\d GiB")
        self.assertIn("passes over the state per step", out)
        self.assertEqual(self.files(), ["a.ini"])

    def test_it_takes_the_memory_that_was_predicted(self):
        self.ring(spins=4)
        program = self.peak_bytes()
        self.write("own.txt", "flip = 1 Sx {i} Sx {j}\ndiagonal = 1 Sz {i} Sz {j}\n")
        self.write("three.txt", "1 Sx {i} Sy {i+1} Sz {i+2}\n")
        for spins, keys in ((8, ()), (21, ("--observables.file=own.txt",)), (20, ()), (20, ("--run.method=chebyshev",)),
                            (20, ("--run.method=chebyshev", "--model.terms=three.txt")),
                            (22, ("--backend.precision=single",))):
            keys = (f"--lattice.extents={spins}", "--run.observables=energy", "--run.step=0.01", *keys)
            predicted = self.planned("a.ini", *keys, "--backend.threads=1")["host_memory"]["total"]
            used = self.peak_bytes(*keys) - program
            self.assertLess(used, 1.1 * predicted + 4 * 2**20, keys)
            self.assertGreater(used, 0.8 * predicted - 4 * 2**20, keys)

    def test_a_stopped_ensemble_shows_its_finished_states(self):
        import h5py

        job = self.write("a.ini",
                         "application = trotter\n[lattice]\ntype = ring\nextents = 10\n[model]\ntype = heisenberg\n"
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
            # rows at the start and at the end
            finished = [i for i in range(1, len(sample)) if sample[i] == sample[i - 1]]
            self.assertGreater(len(finished), 1)
            self.assertEqual(file["results/states/value"][()], len(finished))
            self.assertAlmostEqual(file["results/loschmidt-echo/value"][()], echo[finished].mean(), delta=1e-14)
            self.assertLess(echo[finished].max(), 0.1)

    def test_killed_and_resumed_on_other_ranks_it_gives_the_same_bits(self):
        self.write("own.txt", "hop = 0.5i S+ {i} S- {j}\nhop = 1 Sz {i}\nstring = 1 X 0 Z 3 Z 4 Y 13\n")
        self.kill_and_resume(self.JOB.format(spins=14, steps=4000) + "[observables]\nfile = own.txt\n")

    def test_with_products_of_spins_it_gives_the_same_bits_after_a_kill(self):
        self.write("three.txt", "0.4 X {i} Z {i+1} Y {i+2}\n0.3-0.2i S+ 0 S- 4 S+ 9 S- 13\n")
        self.kill_and_resume(self.JOB.format(spins=14, steps=600) + "method = chebyshev\n[model]\nterms = three.txt\n")

    def kill_and_resume(self, job):
        job = self.write("a.ini", job)
        self.kill_after_a_checkpoint(2, job, "--checkpoint.interval=1s")
        self.strata("resume", "out/a.checkpoint.h5", "--backend.threads=2")
        self.strata("run", job, "--output.name=whole")
        self.assertTrue(self.expect_same_result()["complete"])

    def test_a_longer_run_has_the_rows_of_one_from_the_start(self):
        import h5py
        import numpy as np

        for name, key in (("every", "measure-every = 3"), ("decade", "measure-per-decade = 2")):
            job = self.write("a.ini", self.JOB.format(spins=8, steps=5).replace("measure-every = 50", key))
            self.strata("run", job, f"--output.name={name}")
            self.strata("resume", f"out/{name}.checkpoint.h5", "--run.steps=10", ranks=2)
            self.strata("run", job, "--run.steps=10", f"--output.name={name}-whole")
            with h5py.File(self.directory / f"out/{name}.h5") as one, \
                    h5py.File(self.directory / f"out/{name}-whole.h5") as other:
                self.assertEqual(list(one["series/time"]), list(other["series/time"]))
                np.testing.assert_allclose(one["series/sz-3"], other["series/sz-3"], atol=1e-14)

    def test_no_run_ends_where_it_was_not_observed(self):
        job = self.ring(spins=14, steps=10**9)
        self.strata("run", job, "--run.measure-every=100000000", "--run.wall-time=3s")
        made = self.result()["steps"]
        self.refused("resume", "out/a.checkpoint.h5", f"--run.steps={made}", says=f"run.steps = {made}", ranks=2)
        self.refused("resume", "out/a.checkpoint.h5", f"--run.steps={made - 1}", says=f"{made} steps already")

    def test_steps_that_are_too_long(self):
        job = self.JOB.format(spins=6, steps=20).replace("ring", "chain").replace("disorder = 1", "field-x = 0.7")
        self.write("a.ini", job)
        steps = ("--run.measure-every=1", "--run.step=10", "--backend.threads=1")
        out, _ = self.strata("plan", "a.ini", *steps)
        self.assertIn("turns phases by 7, more than pi", out)
        self.assertIn("take run.step = 4.4 or less", out)
        _, err = self.strata("run", "a.ini", *steps, code=5)
        self.assertIn("Step 0 gave an impossible result: the energy has changed by 1.45 since time 0", err)
        self.assertIn("take run.step = ", err)
        self.assertFalse((self.directory / "out/a.h5").exists())
        out, _ = self.strata("run", "a.ini", *steps, "--run.method=chebyshev")
        self.assertNotIn("H is constant", out)
        out, _ = self.strata("run", "a.ini", "--run.measure-every=1", "--run.step=0.9", "--output.name=b")
        self.assertIn("of the width of the spectrum, and the state is at least so far from the exact one", out)

    def test_drives_inside_a_step(self):
        job = ("application = trotter\n[lattice]\ntype = chain\nextents = 2\n[model]\ntype = ising\njz = 0\n"
               "field-x = 20\n[state]\ninitial = up\n[run]\nstep = 0.1\nsteps = 100\nobservables = sz\n[drive]\n")
        self.write("table.txt", "0 0 1 1 1 1 1\n5 0 1 1 1 1 1\n5.02 1 1 1 1 1 1\n5.04 0 1 1 1 1 1\n")
        for drive in ("fields = linear 0 0; 5 0; 5.02 1; 5.04 0; 10 0", "table = table.txt"):
            self.write("a.ini", f"{job}{drive}\n")
            out, _ = self.strata("plan", "a.ini")
            self.assertIn("2 kinks of the drive lie inside steps, which are divided there", out)
            for order in (1, 2, 4):
                self.strata("run", "a.ini", f"--run.order={order}", "--output.overwrite=yes")
                self.assertAlmostEqual(self.result()["observables"]["sz"]["value"][0], math.cos(0.4) / 2, delta=1e-12)
        self.refused("run", "a.ini", "--drive.fields=cos 1 1 40 0", says=["half a period", "run.step = 0.078 or less"])

    def test_bad_input_is_told_in_one_sentence(self):
        self.write("state.txt", "uuuuuuuu 0.5\n")
        self.write("beyond.txt", "0.5 Sx 8\n")
        self.write("same.txt", "1 Sz 3 Sz 3\n")
        self.write("three.txt", "1 Sx 3 Sy 4 Sz 5\n")
        self.write("from-1.txt", "1 2\n2 3\n")
        self.write("energy.txt", "a = 1 Sz 0\nenergy-2 = 1 Sz 0\n")
        self.write("eighth.txt", "a = 1 S+ 0 S+ 1 S+ 8\n")
        self.write("electrons.txt", "a = 1 n_up 0\n")
        self.write("no-name.txt", "1 Sz 0\n")
        self.write("member.txt", "a-1 = 1 Sz 0\na = 1 Sz {i}\n")
        self.write("imaginary.txt", "a = 1i Sz {i}\na-imaginary-1 = 1 Sz 0\n")
        file = ("--state.initial=file", "--state.file=state.txt")
        for overrides, words in ((["--run.step=0"], ["run.step = 0"]),
                                 (["--lattice.extents=60"], ["60 sites", "40 are the most"]),
                                 (["--lattice.extents=34"], ["at most 33 spins"]),
                                 (["--model.terms=beyond.txt"], ["model.terms", "site 8", "0 to 7"]),
                                 (["--model.terms=same.txt"], ["same.txt:1", "a splitting does not take",
                                                                    "run.method = chebyshev takes any term"]),
                                 (["--model.terms=three.txt", "--run.method=chebyshev", "--drive.hx=cos 0 1 1 0"],
                                  ["drive.hx", "run.method = chebyshev does not take"]),
                                 (["--run.echo=yes", "--echo.perturbation=1 Sx 0 Sy 1"],
                                  ["echo.perturbation", "a splitting does not take"]),
                                 (["--drive.pulses=0.07 x 1 all"], ["no multiple of run.step", "nearest one is 0.05"]),
                                 (["--run.order=3"], ["1, 2 or 4"]),
                                 (["--run.observables=sw"], ["'sw'", "participation"]),
                                 (file, ["norm 0.5", "must be 1"]),
                                 (["--observables.file=energy.txt"], ["energy.txt:2", "has the name energy-2"]),
                                 (["--observables.file=member.txt"], ["member.txt:1", "a-1, as a number of a"]),
                                 (["--observables.file=imaginary.txt"], ["imaginary.txt:2", "as a number of a"]),
                                 (["--observables.file=eighth.txt"], ["eighth.txt:1", "site 8", "0 to 7"]),
                                 (["--observables.file=electrons.txt"], ["electrons.txt:1", "n_up"]),
                                 (["--observables.file=no-name.txt"], ["no-name.txt:1", "is no line 'NAME = "]),
                                 (["--model.field-x=1,2"], ["one for all sites or 8"]),
                                 (["--model.hx=1"], ["model.hx is now model.field-x."])):
            err = self.refused("run", self.ring(), *overrides, says=words)
            self.assertEqual(err.strip().count("\n"), 0, err)
        self.refused("run", self.write("a.ini", "application = trotter\n"), says=["neither a lattice nor couplings"])
        self.refused("run", self.write("a.ini", "application = trotter\n[lattice]\ntype = file\nfile = from-1.txt\n"
                                       "[model]\ntype = heisenberg\n"), says=["Site 0 of 4 has no edge", "from 0"])
        self.refused("run", self.ring(spins=33), code=3, says=["are free"])
        self.refused("run", self.ring(), ranks=3, says=["start 2 or 4."])


if __name__ == "__main__":
    unittest.main(verbosity=2)
