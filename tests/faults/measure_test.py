# SPDX-License-Identifier: BSD-3-Clause
"""`strata measure`: what is measured of the final state of a run has the numbers of a run that asked for it from the
start, for every method and on any ranks; and what cannot be measured is refused."""

import json
import shutil
import unittest

import h5py
import numpy as np
from program import ProgramTest

ONE_THREAD = "[backend]\nthreads = 1\n"
RING = ("application = lanczos\n[lattice]\ntype = ring\nextents = 8\n[model]\ntype = {}\n" + ONE_THREAD)
SPINS, ELECTRONS = RING.format("heisenberg"), RING.format("hubbard\nu = 4\n[sector]\nup = 3\ndown = 3")
CHAIN = "application = dmrg\n[lattice]\ntype = {}\nextents = 8\n[model]\ntype = {}\n" + ONE_THREAD
HUBBARD = CHAIN.format("chain", "hubbard\nu = 4")
TROTTER = ("application = trotter\n[lattice]\ntype = ring\nextents = 8\n[model]\njz = 0.5\n[run]\nsteps = 10\n"
           "step = 0.1\n" + ONE_THREAD)
OPERATORS = {"first.txt": "zz = 3 Sz {i} Sz {j}\nhop = 2 S+ {i} S- {i+1}\nkick = 1 Sz 0\n",
             "few.txt": "a = 1 n_up 0\n", "more.txt": "kick = 1 n_up 2\na = 1 n_up {i} n_dn {i}\n",
             "spins.txt": "zz = 1 Sz {i} Sz {j}\nhop = 1 S+ {i} S- {i+1}\nkick = 1 Sz 0\n",
             "pair.txt": "pair = 1 cdag_up {i} cdag_dn {i+1}\n", "two.txt": "left = 1 c_up 0\nright = 1 c_up 2\n",
             "leave.txt": "leave = 1 c_dn 0\nnn = 1 n_up {i} n_dn {i}\n",
             "electrons.txt": "nn = 1 n_up {i} n_dn {j}\nhop = 1 cdag_up {i} c_up {i+1}\nkick = 1 n_up 2\n"}
OF_SPINS, OF_ELECTRONS = "--observables.file=spins.txt", "--observables.file=electrons.txt"
MOVES = ("--run.task=evolution", "--evolution.up=0,2,4,6", "--evolution.steps=5")
ELECTRONS_MOVE = ("--run.task=evolution", "--evolution.up=0,2,4", "--evolution.down=1,3,5", "--evolution.steps=5")
# name -> (job, keys of both runs, keys of the measurement)
CASES = {
    "ground state of spins": (SPINS, (), (OF_SPINS, "--run.cut=0,1,2")),
    "ground state of electrons": (ELECTRONS, (), (OF_ELECTRONS, "--run.cut=first 3", "--run.density-matrix=yes")),
    "other operators than before": (SPINS, ("--observables.file=first.txt", "--run.cut=0"),
                                    (OF_SPINS, "--run.cut=1,2")),
    "fewer operators than before": (ELECTRONS, (OF_ELECTRONS,), ("--observables.file=few.txt",)),
    "a momentum": (ELECTRONS, ("--sector.momentum=1",), ("--run.density-matrix=yes", "--run.cut=1,2")),
    "the momentum of the ground state": (SPINS, ("--sector.momentum=auto",), (OF_SPINS, "--run.cut=first 3")),
    "several states": (ELECTRONS, ("--run.states=3",), (OF_ELECTRONS, "--run.cut=0,1")),
    "matrix elements": (ELECTRONS, ("--run.states=3", "--backend.arithmetic=complex"),
                        (OF_ELECTRONS, "--run.matrix-elements=kick")),
    "a spectrum of spins": (SPINS, (), ("--run.task=spectrum", "--spectrum.operator=spin", "--spectrum.steps=30")),
    "a spectrum of electrons": (ELECTRONS, (), ("--run.task=spectrum", "--spectrum.operator=removal",
                                                "--spectrum.steps=20")),
    "a spectrum of pairs": (ELECTRONS, (), ("--run.task=spectrum", "--spectrum.operator=observable",
                                            "--observables.file=pair.txt", "--spectrum.steps=20")),
    "a spectrum of two operators": (ELECTRONS, (), ("--run.task=spectrum", "--spectrum.operator=observable",
                                                    "--observables.file=two.txt", "--spectrum.second=right")),
    "an evolution after a removal": (ELECTRONS, ("--backend.arithmetic=complex",),
                                     ("--run.task=evolution", "--evolution.start=ground-state",
                                      "--observables.file=leave.txt", "--evolution.operator=leave",
                                      "--evolution.steps=4")),
    "another spectrum": (ELECTRONS, ("--run.task=spectrum", "--spectrum.steps=20", "--backend.arithmetic=complex"),
                         ("--spectrum.operator=current", "--spectrum.omega=0:5:0.5")),
    "the same spectrum, broader": (ELECTRONS, ("--run.task=spectrum", "--spectrum.steps=20"),
                                   ("--spectrum.broadening=0.3", "--spectrum.omega=0:5:0.5")),
    "an evolution after an operator": (ELECTRONS, ("--backend.arithmetic=complex",),
                                       ("--run.task=evolution", "--evolution.start=ground-state", OF_ELECTRONS,
                                        "--evolution.operator=kick", "--evolution.steps=5")),
    "the end of an evolution": (ELECTRONS, ELECTRONS_MOVE, (OF_ELECTRONS, "--run.cut=first 3")),
    "the end of an evolution of spins": (SPINS, MOVES, (OF_SPINS,)),
    "an evolution by other operators of the same names": (SPINS, (*MOVES, "--observables.file=first.txt"), (OF_SPINS,)),
    "dmrg": (HUBBARD, (), (OF_ELECTRONS, "--run.measure=correlations")),
    "dmrg of other operators than before": (HUBBARD, ("--run.measure=correlations", OF_ELECTRONS),
                                            ("--run.measure=local", "--observables.file=few.txt")),
    "dmrg of two states": (HUBBARD, ("--run.states=2",), (OF_ELECTRONS, "--run.measure=correlations")),
    "dmrg of spins 1": (CHAIN.format("chain", "heisenberg\nspin = 1"), (), (OF_SPINS,)),
    "the end of an evolution by dmrg": (HUBBARD, ("--run.task=evolution", "--evolution.up=0,2,4,6",
                                                  "--evolution.down=1,3,5,7",
                                                  "--evolution.steps=2"), (OF_ELECTRONS,)),
    "the end of an evolution by dmrg after an operator": (HUBBARD, ("--run.task=evolution",
                                                                    "--evolution.start=ground-state", OF_ELECTRONS,
                                                                    "--evolution.operator=kick",
                                                                    "--evolution.steps=2"),
                                                          ("--observables.file=more.txt",)),
    "a spectrum by dmrg": (HUBBARD, (), ("--run.task=spectrum", "--spectrum.operator=removal", "--spectrum.omega=0:3:1",
                                        "--spectrum.broadening=0.6", "--evolution.step=0.3")),
    "an evolution by dmrg after a removal": (HUBBARD, (), (
        "--run.task=evolution", "--evolution.start=ground-state", "--observables.file=leave.txt",
        "--evolution.operator=leave", "--evolution.steps=2")),
    "a driven evolution by dmrg": (HUBBARD, (), (
        "--run.task=evolution", "--evolution.start=ground-state", OF_ELECTRONS, "--drive.operator=kick",
        "--drive.factor=cos 0 0.5 2 0", "--evolution.steps=2")),
    "dmrg of a complex H": (SPINS.replace("lanczos", "dmrg"), ("--model.field-y=0.3", "--run.states=2"),
                            (OF_SPINS, "--run.measure=correlations")),
    "spin dynamics": (TROTTER, (), (OF_SPINS, "--run.observables=correlations-z,entropy,energy", "--run.cut=0,1,2")),
    "spin dynamics without the entropy": (TROTTER, ("--run.observables=entropy", "--run.cut=0,1"),
                                          ("--run.observables=sz", "--run.cut=none")),
    "spin dynamics with step errors": (TROTTER, ("--run.estimate-error=yes",), (OF_SPINS,)),
    "an echo by chebyshev": (TROTTER, ("--run.echo=yes", "--run.method=chebyshev"), (OF_SPINS,)),
}
ROUNDING = {"trotter": 1e-12}  # its observations turn the basis back and forth


def numbers(of):
    """name -> [values, errors] of a result, without figures that only say how it was computed."""
    return {name: [quantity.get("value"), quantity.get("error")] for name, quantity in of["observables"].items()}


class Measure(ProgramTest):
    def setUp(self):
        super().setUp()
        for name, text in OPERATORS.items():
            self.write(name, text)

    def rows(self, name):
        with h5py.File(self.directory / f"out/{name}.h5") as file:
            return {column: values[:] for column, values in file["series"].items()}

    def compare(self, text, given, asked, ranks):
        self.write("a.ini", text)
        self.strata("run", "a.ini", *given, ranks=ranks[0])
        self.strata("measure", "out/a.checkpoint.h5", *asked, ranks=ranks[1])
        both = {option.split("=")[0]: option for option in (*given, *asked)}
        self.strata("run", "a.ini", *(o for o in both.values() if not o.endswith("=none")), "--output.name=whole")
        found, expected = numbers(self.result("a-measured")), numbers(self.result("whole"))
        self.assertEqual(set(found), set(expected))
        tolerance = ROUNDING.get(text.split()[2], 0)
        if tolerance == 0:
            self.assertEqual(found, expected)
        found, expected = self.rows("a-measured"), self.rows("whole")
        self.assertEqual(set(found), set(expected))
        ends = "trotter" in text or "--run.task=evolution" in given  # then the final state has a row of its own
        for name, values in expected.items():
            np.testing.assert_allclose(found[name], values[-1:] if ends else values, rtol=0, atol=tolerance)

    def test_the_numbers_of_a_run_that_asked_from_the_start(self):
        for k, (name, case) in enumerate(CASES.items()):
            with self.subTest(name):
                shutil.rmtree(self.directory / "out", ignore_errors=True)
                self.compare(*case, ranks=[(None, 2), (2, None)][k % 2])

    def test_a_measurement_that_was_stopped_goes_on(self):
        asked = ("--run.task=spectrum", "--spectrum.operator=spin", "--spectrum.steps=60")
        self.write("a.ini", SPINS.replace("= 8", "= 18"))
        self.strata("run", "a.ini")
        self.strata("measure", "out/a.checkpoint.h5", *asked, "--output.name=whole", ranks=2)
        out, _ = self.strata("measure", "out/a.checkpoint.h5", *asked, "--run.wall-time=0.6s", ranks=2)
        if "strata resume" in out:  # a fast machine needs no second part
            self.strata("resume", "out/a-measured.checkpoint.h5", "--run.wall-time=none")
        self.expect_same_result("a-measured")

    def test_keys_that_no_longer_apply_are_left_out(self):
        self.write("a.ini", ELECTRONS)
        self.strata("run", "a.ini", "--run.density-matrix=yes", OF_ELECTRONS)
        asked = ("--run.task=spectrum", "--spectrum.steps=20")
        self.strata("measure", "out/a.checkpoint.h5", *asked)
        self.strata("run", "a.ini", *asked, "--output.name=whole")
        self.assertEqual(numbers(self.result("a-measured")), numbers(self.result("whole")))

    def test_a_result_says_what_was_measured(self):
        self.write("a.ini", HUBBARD)
        self.strata("run", "a.ini")
        out, _ = self.strata("measure", "out/a.checkpoint.h5", OF_ELECTRONS, "--output.name=b")
        self.assertIn("measuring the final state of out/a.checkpoint.h5", out)
        result = self.result("b")
        self.assertEqual(result["parameters"]["observables.file"], "electrons.txt")
        self.assertTrue(result["complete"])
        self.assertEqual(self.files().count("out/b.checkpoint.h5"), 0)  # there is nothing to go on with

    def test_other_states_are_refused(self):
        self.write("a.ini", ELECTRONS)
        self.strata("run", "a.ini")
        checkpoint = "out/a.checkpoint.h5"
        for key, says in (("--model.u=5", "would change the state that is measured (it was 4); measure may"),
                          ("--run.tolerance=1e-12", "would change the state that is measured"),
                          ("--run.max-steps=500", "would change the state that is measured"),
                          ("--output.name=b", "a key that says what to compute; measure may change run.task"),
                          ("--observables.fiel=electrons.txt", "is the value of observables.file"),
                          ("--spectrum.steps=5", "--spectrum.steps=5 belongs to run.task = spectrum"),
                          ("--run.task=thermal", "strata measure is not possible here: the results of lanczos"),
                          ("--observables.file=none.txt", "none.txt")):
            with self.subTest(key):
                self.refused("measure", checkpoint, key, says=says)
        self.refused("measure", checkpoint, OF_ELECTRONS, "--output.name=a", says="would replace those of out/a.h5")
        self.refused("measure", "out/a.h5", OF_ELECTRONS, says="out/a.checkpoint.h5")
        self.refused("measure", checkpoint, *ELECTRONS_MOVE, says="evolution.start = ground-state")
        self.refused("measure", checkpoint, "--run.task=evolution", "--evolution.start=ground-state", OF_ELECTRONS,
                     "--evolution.operator=kick", says="backend.arithmetic = complex")

    def test_states_of_another_h_or_start_are_refused(self):
        quench = ("--backend.arithmetic=complex", *ELECTRONS_MOVE[:1], "--evolution.start=ground-state",
                  "--evolution.steps=2")
        self.write("a.ini", ELECTRONS)
        self.strata("run", "a.ini", *quench, "--initial-model.u=1")
        spectrum = ("--run.task=spectrum", "--spectrum.steps=20")
        self.refused("measure", "out/a.checkpoint.h5", *spectrum, says="run.task = evolution can be measured with")
        self.strata("run", "a.ini", *spectrum, "--output.name=s")
        self.refused("measure", "out/s.checkpoint.h5", "--run.task=states", says="run.task = spectrum can be measured")
        kick = (*quench, "--evolution.operator=kick", OF_ELECTRONS)
        self.strata("run", "a.ini", *kick, "--output.name=k")
        self.write("other.txt", OPERATORS["electrons.txt"].replace("kick = 1", "kick = 2"))
        self.refused("measure", "out/k.checkpoint.h5", "--observables.file=other.txt", says="belongs to its state")
        self.strata("measure", "out/k.checkpoint.h5", "--run.cut=0,1")
        self.write("d.ini", HUBBARD)
        self.strata("run", "d.ini", "--output.name=e")
        start = ("--run.task=evolution", "--evolution.start=ground-state")
        flip = ("--drive.operator=flip", "--drive.factor=linear 0 0; 1 1")
        for asked, says in (((*start, "--initial-model.u=1"), "no [initial-model]"),
                            (("--run.task=evolution", "--evolution.up=0,2,4,6", "--evolution.down=1,3,5,7"),
                             "needs evolution.start = ground-state"),
                            ((*start, *flip, "--observables.flip=1 Sx 3"), "conserved numbers that"),
                            ((*start, *flip, "--observables.flip=1i cdag_up 3 c_up 4; -1i cdag_up 4 c_up 3"),
                             "has real numbers, and what is computed here needs complex"),
                            (("--run.task=thermal",), "the results of dmrg with")):
            self.refused("measure", "out/e.checkpoint.h5", *asked, says=says)
        self.strata("run", "d.ini", "--run.states=2", "--output.name=f")
        self.refused("measure", "out/f.checkpoint.h5", "--run.task=spectrum", "--spectrum.operator=removal",
                     says="run.states = 2 is not possible with another run.task")
        self.strata("run", "d.ini", *kick[1:], "--run.max-states=40", "--run.allow-unconverged=yes")
        self.refused("measure", "out/d.checkpoint.h5", "--observables.file=other.txt", says="belongs to its state")

    def test_states_that_did_not_converge_end_as_their_run(self):
        few = ("--run.states=3", "--run.max-steps=5")
        self.write("a.ini", ELECTRONS)
        self.strata("run", "a.ini", *few, code=5)
        self.strata("measure", "out/a.checkpoint.h5", OF_ELECTRONS, code=5)
        self.strata("run", "a.ini", *few, OF_ELECTRONS, "--output.name=whole", code=5)
        self.assertEqual(numbers(self.result("a-measured")), numbers(self.result("whole")))

    def test_a_certified_state(self):
        """Its means are measured; another task would be one in single precision, which the run was not."""
        self.write("a.ini", ELECTRONS)
        self.strata("run", "a.ini", "--backend.precision=certified")
        err = self.refused("measure", "out/a.checkpoint.h5", "--run.task=spectrum", says=[
            "A run with backend.precision = certified can be measured with run.task = states alone",
            "for run.task = spectrum run the job with backend.precision = single or double."])
        self.assertEqual(err.count("certified"), 1)
        self.strata("measure", "out/a.checkpoint.h5", OF_ELECTRONS, "--run.cut=0")
        self.strata("run", "a.ini", OF_ELECTRONS, "--run.cut=0", "--output.name=whole")
        found, whole = self.result("a-measured")["observables"], self.result("whole")["observables"]
        for name in ("nn", "kick", "entanglement-entropy"):
            np.testing.assert_allclose(found[name]["value"], whole[name]["value"], rtol=0, atol=1e-5)

    def test_states_that_are_not_there_are_refused(self):
        self.write("a.ini", ELECTRONS)
        no_vectors = ("--run.vectors=no", "--output.name=b")
        self.strata("run", "a.ini", *no_vectors)
        self.refused("measure", "out/b.checkpoint.h5", "--run.cut=0", says="run.vectors")
        self.strata("run", "a.ini", "--sector.momentum=all", "--output.name=c")
        self.refused("measure", "out/c.checkpoint.h5", OF_ELECTRONS, says="is not possible with sector.momentum = all")
        self.write("t.ini", TROTTER)
        self.strata("run", "t.ini", "--state.initial=random", "--run.samples=2")
        self.refused("measure", "out/t.checkpoint.h5", OF_SPINS, says="run.samples")
        self.job(sweeps=20, name="s.ini")
        self.strata("run", "s.ini")
        self.refused("measure", "out/s.checkpoint.h5", "--run.observe=x", says="not possible for swendsen-wang")
        self.write("d.ini", HUBBARD + "[scan]\nmodel.v = 0, 1\n")
        self.strata("run", "d.ini")
        self.refused("measure", "out/d.h5", OF_ELECTRONS, says="is a scan, whose points leave no states")

    def test_runs_that_have_not_come_to_their_end_are_refused(self):
        jobs = {"l": (SPINS.replace("= 8", "= 20"), ("--run.cut=0",)),
                "d": (HUBBARD.replace("= 8", "= 60"), (OF_ELECTRONS,)),
                "t": (TROTTER.replace("steps = 10", "steps = 1000000000\nmeasure-every = 1000000"), (OF_SPINS,))}
        for name, (text, asked) in jobs.items():
            with self.subTest(name):
                self.write(f"{name}.ini", text)
                self.strata("run", f"{name}.ini", "--run.wall-time=1.2s")
                self.refused("measure", f"out/{name}.checkpoint.h5", *asked, says="has not come to its end")

    def test_a_damaged_state_is_not_measured(self):
        for text, array in ((ELECTRONS, "ground-state"), (HUBBARD, "tensor-3"), (ELECTRONS, "coefficients")):
            with self.subTest(array):
                shutil.rmtree(self.directory / "out", ignore_errors=True)
                self.write("a.ini", text)
                self.strata("run", "a.ini", "--checkpoint.keep=1")
                with h5py.File(self.directory / "out/a.checkpoint.h5", "r+") as file:
                    data = file[f"state/{array}"]
                    place, size = data.id.get_offset(), data.id.get_storage_size()
                path = self.directory / "out/a.checkpoint.h5"
                content = bytearray(path.read_bytes())
                content[place + size // 2] ^= 1
                path.write_bytes(content)
                self.refused("measure", "out/a.checkpoint.h5", "--observables.file=electrons.txt", code=4,
                             says="is damaged")


if __name__ == "__main__":
    unittest.main()
