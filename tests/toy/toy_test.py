# SPDX-License-Identifier: BSD-3-Clause
"""An application that was added by its own folder and one row has all that the frame promises: keys, checks, the same
bits on any number of ranks and across restarts, its exact value, the self-test."""

import math
import pathlib
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).parents[1] / "faults"))
from program import ProgramTest

JOB = (pathlib.Path(__file__).parent / "chain.ini").read_text()


class Chain(ProgramTest):
    def setUp(self):
        super().setUp()
        self.path = self.write("chain.ini", JOB)

    def outcome(self):
        result = self.result("chain")
        return result["state_hash"], result["observables"]["energy"]

    def test_same_bits_on_any_ranks_and_across_a_restart(self):
        self.strata("run", self.path)
        expected = self.outcome()
        for before, after in ((1, 3), (3, 2), (2, 1)):
            self.strata("run", self.path, "--run.sweeps=1500", "--output.overwrite=yes", ranks=before)
            self.assertNotEqual(self.outcome(), expected)
            self.strata("resume", "out/chain.checkpoint.h5", "--run.sweeps=4000", ranks=after)
            self.assertEqual(self.outcome(), expected)

    def test_energy_is_the_exact_one(self):
        self.strata("run", self.path, "--run.sweeps=20000", ranks=2)
        energy = self.outcome()[1]
        t = math.tanh(0.7)
        exact = -t * (1 + t**60) / (1 + t**62)
        self.assertAlmostEqual(energy["reference"], exact, 12)
        self.assertGreater(energy["error"], 0)
        self.assertLess(energy["error"], 0.01)
        self.assertLess(abs(energy["value"] - exact), 4 * energy["error"])

    def test_keys_are_checked_and_listed(self):
        _, err = self.strata("run", self.path, "--lattice.extent=63", code=2)
        self.assertIn("--lattice.extent=63 is odd", err)
        _, err = self.strata("run", self.path, "--backend.simd=portable", code=2)
        self.assertIn("backend.simd", err)
        out, _ = self.strata("keys", "chain")
        self.assertIn("[lattice]\n  extent ", out)

    def test_plan_and_selftest(self):
        out, _ = self.strata("plan", self.path, "--ranks=2")
        self.assertRegex(out, r"spins +248 B")
        out, _ = self.strata("selftest", ranks=2)
        self.assertRegex(out, "ok +ring of 64 sites, energy")


if __name__ == "__main__":
    unittest.main()
