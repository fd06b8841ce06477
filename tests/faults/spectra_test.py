# SPDX-License-Identifier: BSD-3-Clause
"""Spectra and evolutions after operators that lead to another sector: identities, equal bits, and resumed runs."""

import unittest

import h5py
import numpy as np
from program import ProgramTest

RING = ("application = lanczos\n[lattice]\ntype = ring\nextents = {}\n[model]\ntype = {}\n[run]\ntask = spectrum\n"
        "[spectrum]\nomega = -2:6:0.1\nsteps = 200\n[backend]\nthreads = 1\n")
OWN = ("--spectrum.operator=observable", "--observables.file=own.txt")


class Spectra(ProgramTest):
    def spectrum(self, *options, name, ranks=None):
        """Weights, first moments and intensities [k][omega]."""
        self.strata("run", "a.ini", f"--output.name={name}", *options, ranks=ranks)
        with h5py.File(self.directory / f"out/{name}.h5") as file:
            columns = [c for c in file["series"] if c.startswith("momentum") and "imaginary" not in c]
            return (file["results/weight/value"][()], file["results/first-moment/value"][()],
                    np.array([file["series"][c][()] for c in columns]))

    def same(self, found, expected, factor=1):
        for a, b in zip(found, expected):
            np.testing.assert_allclose(a, factor * b, atol=1e-7)

    def test_raising_a_singlet(self):
        """S^+ and S^- of a singlet have twice the spectrum of S^z."""
        self.write("a.ini", RING.format(8, "heisenberg"))
        sz = self.spectrum("--spectrum.operator=spin", name="sz")
        for word in ("S+", "S-"):
            self.write("own.txt", f"moving = 1 {word} {{i}}\n")
            self.same(self.spectrum(*OWN, name=f"of-{word[1:]}".replace("+", "p").replace("--", "-m")), sz, 2)

    def test_removal_and_addition_by_own_operators(self):
        """A list of cdag_dn has the phases of a removal: its wave vectors are the opposite ones of `addition`."""
        self.write("a.ini", RING.format(6, "hubbard\nu = 4\nflux = 0.4\n[sector]\nup = 3\ndown = 2"))
        opposite = [0, 5, 4, 3, 2, 1]
        for operator, word, order in (("removal", "c_dn", range(6)), ("addition", "cdag_dn", opposite)):
            self.write("own.txt", f"mine = 1 {word} {{i}}\n")
            built_in = self.spectrum(f"--spectrum.operator={operator}", name=operator)
            mine = self.spectrum(*OWN, name="mine-" + operator, ranks=2)
            self.same([values[list(order)] for values in mine], built_in)
            # A = B
            twice = self.spectrum(*OWN, "--spectrum.second=mine", name="twice-" + operator)
            self.same(twice, mine)

    def test_sums_of_removal_and_addition(self):
        for model, up, down in (("t-j\nj = 0.4\n[sector]\nup = 2\ndown = 1", 2, 1),
                                ("fermions\nv = 1\n[sector]\nup = 3", 0, 3)):
            self.write("a.ini", RING.format(7, model).replace("[run]", "[run]\nstates = 2"))
            for operator in ("removal", "addition"):
                self.strata("run", "a.ini", f"--spectrum.operator={operator}", "--output.overwrite=yes")
                total = self.result()["observables"]["weight-sum"]
                self.assertAlmostEqual(total["value"], down if operator == "removal" else 7 - up - down, delta=1e-9)
                self.assertAlmostEqual(total["reference"], total["value"], delta=1e-9)

    def test_two_sites_by_hand(self):
        """<c+_0 c_1> of a Hubbard chain of two sites is t / sqrt(U^2/4 + 4 t^2)."""
        self.write("a.ini", RING.format(2, "hubbard\nu = 4").replace("ring", "chain"))
        self.write("own.txt", "left = 1 c_up 0\nright = 1 c_up 1\n")
        self.strata("run", "a.ini", *OWN, "--spectrum.second=right")
        found = self.result()["observables"]
        self.assertAlmostEqual(found["weight"]["value"], 8 ** -0.5, delta=1e-12)
        self.assertEqual(found["weight-imaginary"]["value"], 0)

    def test_runs_with_operators_that_lead_elsewhere_go_on(self):
        """One step in every launch, on one rank or two: the vectors of both sectors and of A|0> are there again."""
        self.write("two.txt", "left = 1 S+ 0\nright = 0.5 S+ 1 Sz 2\nright = 1 S+ 2\n")
        self.write("raise.txt", "raise = 1 S+ {i}\n")
        spectrum = "spectrum\n[spectrum]\noperator = observable\n"
        for name, task in (("two", spectrum + "second = right\n[observables]\nfile = two.txt\n"),
                           ("raise", spectrum + "[observables]\nfile = raise.txt\n"),
                           ("moving", "evolution\n[evolution]\nstart = ground-state\noperator = left\nsteps = 2\n"
                                      "[observables]\nfile = left.txt\n")):
            self.write("left.txt", "left = 1 S+ 0\nzz = 1 Sz 0 Sz {i}\n")
            self.write(name + ".ini", "application = lanczos\n[lattice]\ntype = chain\nextents = 5\n[model]\n"
                                      "type = xxz\njz = 0.7\nfield = 0,0.3,0,0.1,0\n[backend]\nthreads = 1\n"
                                      f"[run]\ntask = {task}")
            self.strata("run", name + ".ini", f"--output.name=whole-{name}")
            self.strata("run", name + ".ini", "--run.wall-time=0s")
            for launch in range(12):
                self.strata("resume", f"out/{name}.checkpoint.h5", ranks=(None, 2)[launch % 2])
            self.strata("resume", f"out/{name}.checkpoint.h5", "--run.wall-time=none", ranks=3)
            self.expect_same_result(name, "whole-" + name)

    def test_equal_bits_on_any_ranks(self):
        for model, text in (("hubbard\nu = 4\n[sector]\nup = 2\ndown = 2",
                             "a = 1 c_up {i}\nb = 0.5i c_up {i} n_dn {i+1}\n"),
                            ("heisenberg\nspin = 1", "a = 1 S+ {i} Sz {i+1}\nb = 1 S+ {i}\n")):
            self.write("a.ini", RING.format(5 if "hubbard" in model else 6, model))
            self.write("own.txt", text)
            self.strata("run", "a.ini", *OWN, "--spectrum.second=b", "--output.name=whole",
                        "--output.overwrite=yes")
            for ranks, more in ((2, ()), (3, ("--backend.exchange=rows",)), (None, ("--backend.threads=2",))):
                self.strata("run", "a.ini", *OWN, "--spectrum.second=b", *more, "--output.overwrite=yes", ranks=ranks)
                self.expect_same_result()


if __name__ == "__main__":
    unittest.main()
