# SPDX-License-Identifier: BSD-3-Clause
"""Spectra of dmrg by jobs: SU(2), equal bits of runs that are stopped and made longer, other energies afterwards, what
is refused, and what a time step does not resolve. Random ones are compared with dense matrices by
oracle/tensor_spectra.py."""

import unittest

import numpy as np

from program import ProgramTest

CHAIN = """application = dmrg
[lattice]
extents = 6
[model]
type = heisenberg
[run]
task = spectrum
[spectrum]
operator = spin
broadening = 0.5
omega = 0:4:0.5
[evolution]
step = 0.4
sweeps = 4
[backend]
threads = 1
"""
ELECTRONS = CHAIN.replace("heisenberg", "hubbard\nu = 4").replace("operator = spin", "operator = removal")
OWN = ("--spectrum.operator=observable",)


class DmrgSpectra(ProgramTest):
    def values(self, name="a"):
        return {key: np.array(q["value"]) for key, q in self.result(name)["observables"].items()}

    def test_raising_a_singlet(self):
        """S^+ and S^- of a singlet have twice the spectrum of S^z."""
        self.write("a.ini", CHAIN)
        self.strata("run", "a.ini", "--output.name=sz")
        sz = self.values("sz")
        for word in ("S+", "S-"):
            self.strata("run", "a.ini", *OWN, f"--observables.moving=1 {word} {{i}}", "--output.overwrite=yes", ranks=2)
            moving = self.values()
            for name in ("intensity", "site-intensity", "weight"):
                np.testing.assert_allclose(moving[name], 2 * sz[name], atol=1e-6)
        # an imaginary factor of all A_x does not count
        self.strata("run", "a.ini", *OWN, "--observables.turned=1i Sz {i}", "--output.overwrite=yes")
        np.testing.assert_allclose(self.values()["intensity"], sz["intensity"], atol=1e-9)

    def test_stops_ranks_and_longer_times_leave_the_bits(self):
        for job in (CHAIN, ELECTRONS):
            self.write("a.ini", job)
            self.strata("run", "a.ini", "--output.name=whole", "--output.overwrite=yes")
            self.strata("run", "a.ini", "--run.wall-time=0s", "--output.overwrite=yes")
            for launch in range(6):
                self.strata("resume", "out/a.checkpoint.h5", ranks=(None, 2)[launch % 2])
            self.strata("resume", "out/a.checkpoint.h5", "--run.wall-time=none", ranks=3)
            self.expect_same_result()
            self.strata("run", "a.ini", "--spectrum.time=5", "--output.overwrite=yes")
            short = self.values()["truncation-bound"]
            self.strata("resume", "out/a.checkpoint.h5", "--spectrum.time=8")
            self.expect_same_result()
            self.assertLess(self.values()["truncation-bound"], 0.1 * short)
            self.refused("resume", "out/a.checkpoint.h5", "--spectrum.time=6", says=["spectrum.time", "8"])

    def test_energies_may_be_others_later(self):
        self.write("a.ini", CHAIN)
        self.strata("run", "a.ini", "--output.name=whole", "--spectrum.omega=-1:3:0.25")
        self.strata("run", "a.ini", "--spectrum.time=5")
        self.refused("resume", "out/a.checkpoint.h5", "--spectrum.time=8", "--spectrum.omega=-1:3:0.25",
                     says="strata measure")
        self.refused("measure", "out/a.checkpoint.h5", "--spectrum.momenta=1", "--output.name=b",
                     says="spectrum.momenta")
        self.strata("resume", "out/a.checkpoint.h5", "--spectrum.time=8")
        self.strata("measure", "out/a.checkpoint.h5", "--spectrum.omega=-1:3:0.25", "--output.name=b", ranks=2)
        whole, later = self.values("whole"), self.values("b")
        self.assertEqual(whole.keys(), later.keys())
        for name, values in whole.items():
            np.testing.assert_array_equal(later[name], values, name)
        self.strata("run", "a.ini", *OWN, "--observables.mine=1 Sz {i}", "--output.name=mine")
        self.refused("measure", "out/mine.checkpoint.h5", "--observables.mine=2 Sz {i}", "--output.name=b",
                     says="The definition in [observables] differs")

    def test_a_step_that_is_too_long_is_told(self):
        """Two levels 50 apart, of which the step resolves 12."""
        self.write("a.ini", CHAIN.replace("type = heisenberg", "type = heisenberg\nj = 50"))
        short = ("--evolution.sweeps=200", "--evolution.tolerance=0.05")
        _, error = self.strata("run", "a.ini", *short, code=5)
        self.assertIn("evolution.step = 0.4 does not tell from others", error)
        self.assertGreater(self.values()["aliased-weight"], 0.1)
        self.strata("run", "a.ini", "--evolution.step=0.02", "--spectrum.broadening=2", "--output.overwrite=yes")
        self.assertLess(self.values()["aliased-weight"], 1e-4)

    def test_bad_input_is_told_in_one_sentence(self):
        spins, electrons = self.write("a.ini", CHAIN), self.write("b.ini", ELECTRONS)
        for job, overrides, words in (
                (spins, ["--spectrum.operator=density"], ["acts on particles", "use spin"]),
                (spins, ["--spectrum.operator=removal"], ["acts on particles"]),
                (spins, ["--spectrum.operator=current"], ["spectrum.operator", "current"]),
                (spins, ["--spectrum.operator=spinn"], ["spectrum.operator"]),
                (spins, [*OWN], ["needs the operator's definition"]),
                (spins, [*OWN, "--observables.a=1 Sz {i}", "--observables.b=1 S+ {i}"], ["2 names"]),
                (spins, [*OWN, "--observables.a=1 Sz 0"], ["no list over the sites {i}"]),
                (spins, [*OWN, "--observables.a=1 Sz {i} Sz {j}"], ["no list over the sites {i}"]),
                (spins, [*OWN, "--observables.a=1 Sz {i} Sz {i+1}"], ["acts on site 1 where {i} is 0"]),
                (spins, [*OWN, "--observables.a=1+0.5i S+ {i}"], ["real and imaginary matrix elements"]),
                (spins, [*OWN, "--observables.a=1 Sx {i}"], ["leads to another sector"]),
                (spins, ["--observables.a=1 Sz {i}"], ["observables.a"]),
                (spins, ["--spectrum.site=6"], ["spectrum.site=6", "0 to 5"]),
                (spins, ["--spectrum.momenta=1,7"],
                 ["The wave vector 7 of spectrum.momenta lies outside of the zone", "the same momentum is 1"]),
                (spins, ["--spectrum.momenta=1,-5"], ["the same wave vector twice, 1 and -5"]),
                (spins, ["--lattice.type=ladder", "--lattice.extents=3,2", "--spectrum.momenta=1"],
                 ["needs a lattice of one site per cell"]),
                (spins, ["--spectrum.time=3"], ["too short for spectrum.broadening = 0.5", "up to 4"]),
                (spins, ["--spectrum.broadening=1e-8"], ["spectrum.broadening", "time steps"]),
                (spins, ["--evolution.step=0.6"], ["too long for spectrum.broadening = 0.5", "0.524"]),
                (spins, ["--spectrum.omega=20"], ["spectrum.omega holds 20", "at most 0.236"]),
                (spins, ["--spectrum.omega=-5"], ["spectrum.omega holds -5", "at most 0.314"]),
                (spins, ["--evolution.sweeps=3"], ["evolution.sweeps=3", "odd"]),
                (spins, ["--evolution.steps=3"], ["evolution.steps"]),
                (spins, ["--evolution.operator=a"], ["evolution.operator"]),
                (spins, ["--model.field-y=0.1"], ["a real H"]),
                (electrons, ["--sector.down=0", "--sector.up=2"],
                 ["spectrum.operator = removal", "no such state exists"]),
                (electrons, ["--model.t=0"], ["groups of sites"])):
            error = self.refused("run", job, *overrides, says=words)
            self.assertEqual(error.count("strata:"), 1, error)
        # an operator that annihilates the ground state is known after the search
        _, error = self.strata("run", electrons, "--sector.up=1", "--sector.down=0", *OWN,
                               "--observables.pair=1 n_up {i} n_dn {i}", code=2)
        self.assertIn("spectrum.operator = pair takes the initial state", error)


if __name__ == "__main__":
    unittest.main()
