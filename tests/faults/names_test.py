# SPDX-License-Identifier: BSD-3-Clause
"""Names of a user's own observables: none that the program gives a result or column of the same application."""

import pathlib
import re
import unittest

from program import ProgramTest

SOURCES = pathlib.Path(__file__).resolve().parents[2] / "src"
ONE_THREAD = "[backend]\nthreads = 1\n"
RING = "[lattice]\ntype = {}\nextents = 4\n[model]\ntype = heisenberg\n[observables]\nfile = own.txt\n" + ONE_THREAD
JOBS = {"trotter": "application = trotter\n" + RING.format("ring") + "[run]\nsteps = 2\n",
        "lanczos": "application = lanczos\n" + RING.format("ring") + "[run]\nvectors = yes\n",
        "dmrg": "application = dmrg\n" + RING.format("chain")}
# a result or column in a source: name, unit and meaning
DECLARED = re.compile(r'\{\s*"([a-z][a-z0-9-]+)",\s*"[^"]*",\s*"')
# figures of performance, arrays of a checkpoint, and numbers of sectors, whose results are sector-up ...
OTHERS = {"passes", "gflops", "measured", "up", "down", "sz", "number-parity"}


class Names(ProgramTest):
    def job_of(self, application, name):
        self.write("own.txt", f"{name} = 1 Sz 0\n")
        self.write("a.ini", JOBS[application])

    def names_of(self, application):
        """Results and columns, and single columns of arrays."""
        names = set()
        for output in self.json("keys", application, "--outputs")["outputs"]:
            if output["kind"] in ("result", "series"):
                names |= {output["name"].replace("-N", ""), output["name"].replace("N", "0")}
        return names

    def refusal(self, application, name):
        self.job_of(application, name)
        return self.strata("plan", "a.ini", code=2)[1]

    def test_a_name_of_an_output_is_refused(self):
        for application in JOBS:
            names = self.names_of(application)
            self.assertGreater(len(names), 30)
            forms = [name + ending for name in ("energy", "time") for ending in
                     ("-0", "-2-13", "-error", "-step-error", "-imaginary", "-error-3", "-before", "-state-1")]
            for name in (*sorted(names), *forms, "bond-site-i"):
                with self.subTest(application, name=name):
                    self.assertIn(f"own.txt:1: '{name} = 1 Sz 0' has the name {name}", self.refusal(application, name))

    def test_a_name_in_a_source_is_refused(self):
        """Results that the small jobs of `strata keys --outputs` do not have."""
        for application in JOBS:
            text = "".join(path.read_text(encoding="utf-8") for folder in ("physics", "run")
                           for path in sorted((SOURCES / application / folder).glob("*.[ch]pp")))
            for name in sorted(set(DECLARED.findall(text)) - OTHERS):
                with self.subTest(application, name=name):
                    self.assertIn(f" has the name {name}", self.refusal(application, name))

    def test_all_verbs_refuse_before_they_write(self):
        for application, result in (("trotter", "total-x"), ("lanczos", "particles"), ("dmrg", "sweep")):
            self.job_of(application, "mine")
            self.strata("run", "a.ini", "--output.directory=before", f"--output.name={application}")
            self.job_of(application, result)
            says = (f"has the name {result}, as a result of the program; take another, e.g. my-{result}.")
            self.refused("plan", "a.ini", says=says)
            self.refused("run", "a.ini", says=says)
            self.refused("measure", f"before/{application}.checkpoint.h5", "--observables.file=own.txt", says=says)

    def test_other_names_are_taken(self):
        for application in JOBS:
            for name in ("my-energy", "energy-density", "energies-2b", "times", "xx"):
                self.job_of(application, name)
                self.strata("plan", "a.ini")


if __name__ == "__main__":
    unittest.main()
