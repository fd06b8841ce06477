# SPDX-License-Identifier: BSD-3-Clause
"""Driven evolutions and fidelities of lanczos by jobs: a spin in a rotating field, the work of a ramp, what is
refused, and the same bits after a resume. Random ones are compared with dense matrices by oracle/products_oracle.py."""

import unittest

import numpy as np

from program import ProgramTest


class Driven(ProgramTest):
    SPIN = """application = lanczos
[model]
type = terms
terms = spin.txt
[run]
task = evolution
[evolution]
step = 0.5
steps = 12
[observables]
file = axes.txt
[drive]
operator = x,y
factor = cos 0 {field} 2.5 0; cos 0 {field} 2.5 -0.5
"""
    RING = """application = lanczos
[lattice]
type = ring
extents = 8
[model]
type = heisenberg
[run]
task = evolution
[evolution]
up = 0,1,4,5
step = 0.05
steps = 40
[observables]
file = bonds.txt
[drive]
operator = bonds
factor = linear 0.25 0; 1.25 1.5
"""

    def setUp(self):
        super().setUp()
        self.write("spin.txt", "2 Sz 0\n")
        self.write("axes.txt", "x = 1 Sx 0\ny = 1 Sy 0\nraising = 1 S+ 0\nnothing = 1 Sx 0\nnothing = -1 Sx 0\n")
        self.write("bonds.txt", "bonds = 1 Sz {i} Sz {i+1}\none = 1 Sz 0\nother = 1 Sz 1\n")

    def series(self, name):
        head, *rows = self.strata("show", f"out/{name}.h5", "--series")[0].splitlines()
        return dict(zip(head.split(","), np.array([row.split(",") for row in rows], float).T))

    def test_a_spin_in_a_rotating_field(self):
        """I. I. Rabi, Phys. Rev. 51, 652 (1937): no approximation where the field rotates."""
        for field in (0.5, 3):
            job = self.write("a.ini", self.SPIN.format(field=field))
            self.strata("run", job, "--output.overwrite=yes", ranks=2 if field == 3 else None)
            series, nutation = self.series("a"), np.hypot(field, 2 - 2.5)
            flipped = field ** 2 / nutation ** 2 * np.sin(nutation * series["time"] / 2) ** 2
            self.assertLess(abs(series["occupation-0"] - flipped).max(), 1e-10)
            self.assertLess(abs(series["drive-y"] - field * np.sin(2.5 * series["time"])).max(), 1e-12)
            self.assertLess(self.result()["observables"]["error-bound"]["value"], 1e-9)

    def test_a_field_that_jumps_between_rows_turns_a_spin_by_its_integral(self):
        self.write("spin.txt", "0 Sz 0\n")
        job = self.write("a.ini", self.SPIN.format(field=1).replace("x,y", "x"))
        jumps = [(0, 1.0), (0.3, 2.0), (1.15, -1.5), (3.9, 0.25)]
        self.strata("run", job, "--drive.factor=steps " + "; ".join(f"{t} {f}" for t, f in jumps[1:]))
        series = self.series("a")
        times = series["time"][:, None]
        begins, ends = np.array([t for t, _ in jumps]), np.array([*(t for t, _ in jumps[1:]), np.inf])
        angles = (np.clip(np.minimum(times, ends) - begins, 0, None) * [f for _, f in jumps]).sum(axis=1)
        self.assertLess(abs(series["occupation-0"] - np.sin(angles / 2) ** 2).max(), 1e-10)

    def test_work_is_the_integral_of_the_mean_of_what_is_driven(self):
        self.strata("run", self.write("a.ini", self.RING))
        series = self.series("a")
        mean = sum(series[f"bonds-{i}"] for i in range(8))
        self.assertAlmostEqual(series["work"][5], 0, delta=1e-13)
        ramp = mean[5:26]  # from 0.25 to 1.25
        simpson = 0.05 / 3 * (ramp[0] + ramp[-1] + 4 * ramp[1:-1:2].sum() + 2 * ramp[2:-1:2].sum())
        self.assertAlmostEqual(series["work"][25], 1.5 * simpson, delta=1e-5)
        self.assertLess(abs(series["work"][26:] - series["work"][25]).max(), 1e-10)
        self.assertGreater(abs(series["work"][25]), 0.01)

    def test_electrons_are_driven_alike_in_sectors_of_symmetries(self):
        """The ground state of half filling is in the sectors of these keys."""
        hop = "; ".join(f"1 cdag_{s} {{i}} c_{s} {{i+1}}; 1 cdag_{s} {{i+1}} c_{s} {{i}}" for s in ("up", "dn"))
        pairs = "1 n_up {i} n_dn {i}; -0.5 n_up {i}; -0.5 n_dn {i}"  # of particles and of holes
        job = self.write("a.ini", "application = lanczos\n[lattice]\ntype = ring\nextents = 6\n[model]\nu = 4\n"
                                  "[run]\ntask = evolution\n[evolution]\nstart = ground-state\nsteps = 8\n"
                                  "step = 0.25\n[initial-model]\nu = 1\n[drive]\noperator = pairs,hop\n"
                                  "factor = linear 0 0; 1 2; cos 0.1 0.3 2 0\n[observables]\n"
                                  f"pairs = {pairs}\nhop = {hop}\n[backend]\nthreads = 1\n")
        for keys in ((), ("--sector.momentum=0", "--sector.parity=even"), ("--sector.particle-hole=even",)):
            self.strata("run", job, *keys, "--output.name=b" if keys else "--output.name=whole",
                        "--output.overwrite=yes", ranks=2 if keys else None)
            if keys:
                found, exact = self.series("b"), self.series("whole")
                for name in ("energy", "work", "loschmidt-echo", "double-occupancy"):
                    self.assertLess(abs(found[name] - exact[name]).max(), 1e-8, (keys, name))
        self.assertGreater(abs(exact["work"]).max(), 0.1)

    def test_steps_and_ranks_leave_the_bits(self):
        job = self.write("a.ini", self.RING.replace("steps = 40", "steps = 12").replace("linear", "steps"))
        self.strata("run", job, "--output.name=whole")
        self.strata("run", job, "--evolution.steps=7", ranks=2)
        self.strata("resume", "out/a.checkpoint.h5", "--evolution.steps=12", ranks=3)
        self.expect_same_result()
        self.strata("measure", "out/a.checkpoint.h5", "--run.cut=first 2", "--output.name=later")
        later, whole = self.result("later")["observables"], self.result("whole")["observables"]
        self.assertEqual([later[name]["value"] for name in ("work", "energy", "drive-bonds")],
                         [whole[name]["value"] for name in ("work", "energy", "drive-bonds")])
        self.assertIn("entanglement-entropy", later)

    def test_what_cannot_be_driven_is_told(self):
        spin = self.write("a.ini", self.SPIN.format(field=1))
        for overrides, words in ((("--drive.operator=x,z",), ["z is no name in observables.file = axes.txt", "x, y"]),
                                 (("--drive.operator=x",), ["2 factors for 1 operators"]),
                                 (("--drive.operator=x,x",), ["names x twice"]),
                                 (("--drive.operator=x,raising",), ["raising is not Hermitian"]),
                                 (("--drive.operator=x,nothing",), ["nothing is 0"]),
                                 (("--drive.operator=none", "--drive.factor=cos 0 1 2 0"), ["none is no name"]),
                                 (("--drive.factor=sin 1 2; cos 0 1 2 0",), ["is no factor", "gauss"]),
                                 (("--drive.factor=cos 0 1e13 2 0; cos 0 1 2 0",), ["larger than 1e12"]),
                                 (("--drive.factor=gauss 1 2 0 0 0; cos 0 1 2 0",), ["a width above 0"]),
                                 (("--sector.sz=1/2",), ["sector.sz", "S+ 0", "the job's other operators"]),
                                 (("--run.task=states",), ["drive.operator"])):
            self.refused("run", spin, *overrides, says=words)
        ring = self.write("b.ini", self.RING.replace("operator = bonds\n", ""))
        self.refused("run", ring, says="drive.factor needs drive.operator")
        ring = self.write("b.ini", self.RING.replace("[observables]\nfile = bonds.txt\n", ""))
        self.refused("run", ring, says="needs the operator's definition: observables.")
        ring = self.write("b.ini", self.RING)
        self.refused("run", ring, "--drive.operator=one", "--sector.momentum=0",
                     says=["symmetries of the sector", "one "])
        self.write("work.txt", "work = 1 Sz 0\nbonds = 1 Sz 0\n")
        self.refused("run", ring, "--observables.file=work.txt", says=["has the name work"])
        self.strata("run", ring, "--evolution.steps=1", "--output.name=a")
        self.write("second.txt", "bonds = 2 Sz {i} Sz {i+1}\n")
        self.refused("measure", "out/a.checkpoint.h5", "--observables.file=second.txt",
                     says=["drive.operator belongs to its state"])


class Fidelity(ProgramTest):
    JOB = """application = lanczos
[lattice]
type = ring
extents = 6
[model]
u = 4
[fidelity]
parameter = u
step = 0.5
"""

    def test_it_is_refused_or_left_out_without_one_ground_state(self):
        job = self.write("a.ini", self.JOB)
        for overrides, words in ((("--fidelity.parameter=w",), ["no key of [model]"]),
                                 (("--fidelity.parameter=terms",), ["no key of [model]"]),
                                 (("--model.u=1,2,3,4,5,6",), ["one number", "model.u"]),
                                 (("--fidelity.step=0",), ["must not be 0"]),
                                 (("--run.degeneracy=no",), ["run.degeneracy"]),
                                 (("--run.vectors=no",), ["run.vectors"]),
                                 (("--sector.momentum=auto",), ["sector.momentum = auto"]),
                                 (("--run.states=2",), ["fidelity.parameter", "run.states"])):
            self.refused("run", job, *overrides, says=words)
        out, _ = self.strata("run", job, "--sector.up=2", "--sector.down=2", "--model.u=0")
        self.assertIn("No fidelity is given", out)
        self.assertNotIn("fidelity", self.result()["observables"])
        _, err = self.strata("run", job, "--run.max-steps=3", "--output.overwrite=yes", code=5)
        self.assertIn("not converged", err)

    def test_a_level_crossing_within_the_step_is_told(self):
        """A field along z changes its sign, and the direction of a ferromagnet with it."""
        job = self.write("b.ini", self.JOB.replace("u = 4\n", "type = ising\njz = -1\nfield = 0.1\n").replace(
            "parameter = u\nstep = 0.5", "parameter = field\nstep = -0.3"))
        out, _ = self.strata("run", job, "--model.field-x=1e-9", "--output.name=a")
        self.assertIn("levels cross", out)
        self.assertIsNone(self.result()["observables"]["fidelity-susceptibility"]["value"])

    def test_a_stored_ground_state_serves(self):
        job = self.write("a.ini", self.JOB)
        self.strata("run", job, "--output.name=whole", ranks=2)
        alone = self.write("b.ini", self.JOB.replace("parameter = u\nstep = 0.5\n", ""))
        self.strata("run", alone, "--output.name=a")
        self.strata("measure", "out/a.checkpoint.h5", "--fidelity.parameter=u", "--fidelity.step=0.5",
                    "--output.name=later")
        later, whole = (self.result(name)["observables"] for name in ("later", "whole"))
        for name in ("fidelity", "fidelity-susceptibility", "second-energy"):
            self.assertEqual(later[name]["value"], whole[name]["value"])
        self.assertAlmostEqual(later["fidelity-susceptibility"]["value"],
                               -2 * np.log(later["fidelity"]["value"]) / 0.5 ** 2, delta=1e-9)


if __name__ == "__main__":
    unittest.main(verbosity=2)
