# SPDX-License-Identifier: BSD-3-Clause
"""strata scale: scaling of any job, in layouts whose results must agree to the last bit."""

import json
import os
import pathlib
import subprocess
import sys
import unittest

from program import MPIRUN, PROGRAM, ProgramTest

MACHINE = pathlib.Path(__file__).parents[2] / "jobs/machines/zen4-2cores.ini"


class Scaling(ProgramTest):
    def scale(self, *options, code=0):
        path = f"{pathlib.Path(MPIRUN).resolve().parent}:{os.environ['PATH']}"
        environment = {**os.environ, "PATH": path, "STRATA_PYTHON": sys.executable, "STRATA_PROGRAM": PROGRAM}
        done = subprocess.run([PROGRAM, "scale", *map(str, options)], cwd=self.directory, capture_output=True,
                              text=True, env=environment, timeout=300)
        self.assertEqual(done.returncode, code, done.stdout + done.stderr)
        return done

    def cases(self, stem="scaling"):
        return json.loads((self.directory / f"{stem}.json").read_text())["cases"]

    def test_strong(self):
        shown = self.scale(self.job(sweeps=20), "--ranks=1,2", "--threads=1,2", "--repeats=2", "--extra-p",
                           "--lattice.extents=128,64",
                           f"--machine={MACHINE}")
        self.assertIn("All layouts ended in the same state", shown.stdout)
        self.assertEqual(self.files(), ["a.ini"] + [f"scaling.{e}" for e in ("extra-p.txt", "json", "md", "png")])
        cases = self.cases()
        self.assertEqual([(c["ranks"], c["threads"]) for c in cases], [(1, 1), (2, 1), (1, 2), (2, 2)])
        self.strata("run", "a.ini", "--lattice.extents=128,64")
        self.assertEqual({c["state_hash"] for c in cases}, {self.result()["state_hash"]})
        self.assertEqual(cases[0]["efficiency"], 1)
        # the first prediction is the measured time; two threads share its computation
        self.assertIn("(+0 %)", shown.stdout)
        self.assertLess(cases[2]["predicted"], cases[0]["predicted"])
        median = [sum(c["seconds_per_step"]) / 2 for c in cases]
        for case, seconds in zip(cases, median):
            self.assertAlmostEqual(case["efficiency"], median[0] / (seconds * case["ranks"] * case["threads"]),
                                   delta=1e-12)
        lines = (self.directory / "scaling.extra-p.txt").read_text().splitlines()
        self.assertEqual(lines[2], "POINTS (1 1) (2 1) (1 2) (2 2)")
        self.assertEqual([float(x) for x in lines[5].split()[1:]],
                         [float(f"{x:.9g}") for x in cases[0]["seconds_per_step"]])

    def test_weak(self):
        chain = ("application = trotter\n[lattice]\ntype = chain\nextents = 9\n[model]\ntype = heisenberg\n[state]\n"
                 "initial = neel\n"
                 "[run]\nsteps = 4\n")
        fermions = "application = lanczos\n[lattice]\nextents = 10\n[model]\ntype = fermions\n[sector]\nup = 2\n"
        products = "application = kronecker\n[model]\nsites = 16\nsaved-states = 40\n"
        for text, options, grown in ((self.job(sweeps=20).read_text(), [], "--lattice.extents=64,128"),
                                     (chain, [], "--lattice.extents=10"),
                                     (fermions, [], "--sector.up=3"), (products, [], "--model.saved-states=50"),
                                     (chain, ["--grow=run.steps={4*n+1}"], "--run.steps=9")):
            self.scale(self.write("b.ini", text), "--weak", "--ranks=1,2", "--repeats=1", "--output=out/weak", *options)
            cases = self.cases("out/weak")
            self.assertEqual(cases[1]["keys"], [grown])
            self.assertEqual(cases[0]["efficiency"], 1)

    def test_bad_input_is_told_in_one_sentence(self):
        dmrg = self.write("d.ini", "application = dmrg\n[lattice]\nextents = 4\n[model]\ntype = heisenberg\n")
        for options, words in ((["--ranks=0"], "must be a list of positive integers"),
                               (["--rank=1", "-x"], "neither an option"),
                               (["--grow=a.b=1"], "--grow belongs to --weak"), (["--repeats=0"], "at least 1"),
                               (["--ranks=1", "--run.sweeps=0x"], "exit code 2 on 1 rank"),
                               (["--weak", "--grow=run.sweeps={__import__('os')}"], "no arithmetic expression"),
                               (["--ranks=1", "--scan.run.seed=1,2"], "the job is a scan")):
            self.assertIn(words, self.scale(self.job(sweeps=20), *options, code=2).stderr)
        self.assertIn("is not known; give --grow", self.scale(dmrg, "--weak", "--ranks=1,2", code=2).stderr)


if __name__ == "__main__":
    unittest.main(verbosity=2)
