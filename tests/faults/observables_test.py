# SPDX-License-Identifier: BSD-3-Clause
"""Definitions in the section [observables]: the numbers of the same definitions in a file, in every method and verb,
and refusals that name the key."""

import pathlib
import sys
import unittest

import h5py
import numpy as np
from program import ProgramTest

sys.path.append(str(pathlib.Path(__file__).resolve().parents[2] / "python"))
import strata_lattice  # noqa: E402

ONE_THREAD = "[backend]\nthreads = 1\n"
SPINS = "[lattice]\ntype = {}\nextents = 6\n[model]\ntype = heisenberg\njz = 0.5\n" + ONE_THREAD
ELECTRONS = "application = lanczos\n[lattice]\nextents = 6\n[sector]\nup = 3\ndown = 3\n[model]\nu = 4\n" + ONE_THREAD
RING = "application = lanczos\n" + SPINS.format("ring").replace("heisenberg", "xxz")
# name -> terms, as lines of a file
OF_SPINS = {"zz": ["3 Sz {i} Sz {j}", "0.5 Sz {i}"], "hop": ["2i S+ {i} S- {i+1}"], "kick": ["1 Sz 0", "-1 Sz 1"]}
OF_ELECTRONS = {"right": ["1 cdag_up {i}"], "left": ["1 cdag_up {i} n_dn {i}", "0.25i cdag_up {i+1}"]}
CASES = {
    "states": (RING, OF_SPINS, ()),
    "a thermal average": (RING, OF_SPINS, ("--run.task=thermal", "--thermal.samples=2", "--thermal.steps=8")),
    "a low temperature": (RING, OF_SPINS, ("--run.task=thermal", "--thermal.samples=2", "--thermal.steps=8",
                                           "--thermal.method=low-temperature", "--thermal.temperatures=0.1,1")),
    "sums over sectors": (RING, OF_SPINS, ("--run.task=thermal", "--thermal.samples=2", "--thermal.steps=8",
                                           "--sector.momentum=all")),
    "a spectrum": (ELECTRONS, {"left": OF_ELECTRONS["left"]},
                   ("--run.task=spectrum", "--spectrum.operator=observable", "--spectrum.steps=20")),
    "an off-diagonal spectrum": (ELECTRONS, OF_ELECTRONS, ("--run.task=spectrum", "--spectrum.operator=observable",
                                                           "--spectrum.second=right", "--spectrum.steps=20")),
    "a driven evolution": (RING, OF_SPINS, ("--run.task=evolution", "--evolution.start=ground-state",
                                            "--evolution.steps=3", "--evolution.operator=kick",
                                            "--drive.operator=zz,kick",
                                            "--drive.factor=cos 0 0.5 2 0; linear 0 0; 1 1")),
    "trotter": ("application = trotter\n" + SPINS.format("ring") + "[run]\nsteps = 4\n", OF_SPINS, ()),
    "dmrg": ("application = dmrg\n" + SPINS.format("chain"), OF_SPINS, ()),
}
CASES = {name: (text.replace("heisenberg", "xxz"), own, keys) for name, (text, own, keys) in CASES.items()}


def lines(own, names):
    return "".join(f"{name} = {term}\n" for name in names for term in own[name])


class Definitions(ProgramTest):
    def written(self, text, own, *, of_file=(), of_terms=(), name="a.ini"):
        """A job with some definitions in the file of the job, some in files of terms, and all others in the section."""
        section = ["file = own.txt"] if of_file else []
        self.write("own.txt", "# mine\n\n" + lines(own, of_file))
        for one in of_terms:
            self.write(f"{one}.txt", "# terms\n" + "".join(f"{term} # one\n" for term in own[one]))
        for one in own.keys() - set(of_file):
            section.append(f"{one} = {one}.txt" if one in of_terms else f"{one} = {' ; '.join(own[one])}")
        return self.write(name, text + "[observables]\n" + "".join(line + "\n" for line in sorted(section)))

    def numbers(self, name):
        observables = self.result(name)["observables"]
        with h5py.File(self.directory / f"out/{name}.h5") as file:
            return observables, {column: values[:] for column, values in file["series"].items()}

    def same(self, name, other):
        (found, rows), (expected, others) = self.numbers(name), self.numbers(other)
        self.assertEqual(found, expected)
        self.assertEqual(rows.keys(), others.keys())
        for column, values in others.items():
            np.testing.assert_array_equal(rows[column], values)

    def test_the_numbers_are_those_of_a_file(self):
        for case, (text, own, keys) in CASES.items():
            names = sorted(own)
            for number, parts in enumerate(({"of_file": names}, {}, {"of_terms": names},
                                            {"of_file": names[:1], "of_terms": names[1:2]})):
                with self.subTest(case, **parts):
                    self.written(text, own, **parts)
                    self.strata("run", "a.ini", *keys, f"--output.name={number}", "--output.overwrite=yes",
                                ranks=number % 2 + 1)
                    self.same(str(number), "0")
                    self.strata("plan", "a.ini", *keys)

    def test_the_command_line(self):
        text, own, _ = CASES["trotter"]
        self.written(text, own, of_file=["zz"], of_terms=["kick"])
        self.strata("run", "a.ini", "--output.name=whole")
        self.written(text, {**own, "hop": ["7 Sz 0"]}, of_terms=["hop"])
        self.write("own.txt", lines(own, ["zz"]))
        self.strata("run", "a.ini", "--observables.zz=none", "--observables.file=own.txt",
                    "--observables.hop=" + own["hop"][0], "--observables.kick", "1 Sz 0;-1 Sz 1")
        self.same("a", "whole")

    def test_a_result_has_the_definitions(self):
        text, own, _ = CASES["dmrg"]
        self.written(text, own, of_terms=["zz"])
        self.strata("run", "a.ini")
        parameters = self.result("a")["parameters"]
        self.assertEqual({name: parameters[f"observables.{name}"] for name in own},
                         {"zz": "zz.txt", "hop": own["hop"][0], "kick": " ; ".join(own["kick"])})
        self.assertNotIn("observables.NAME", parameters)
        with h5py.File(self.directory / "out/a.h5") as file:
            self.assertEqual(list(file["job/files"]), ["observables.zz"])
            self.assertIn("3 Sz {i} Sz {j}", file["job/files/observables.zz"].asstr()[()])

    def test_resuming(self):
        """The definitions of the run stay, whatever becomes of the file, and no others are taken."""
        text, own, _ = CASES["trotter"]
        self.written(text, own, of_terms=["zz"])
        self.strata("run", "a.ini", "--output.name=whole", "--run.steps=8")
        self.strata("run", "a.ini")
        self.write("zz.txt", "1 Sz 0\n")
        checkpoint = "out/a.checkpoint.h5"
        for key, says in (("kick=2 Sz 0", "(it was 1 Sz 0 ; -1 Sz 1); resume may change only"),
                          ("more=2 Sz 0", "would change what the run computes (it was not given)"),
                          ("hop=none", "would change what the run computes"), ("zz=own.txt", "(it was zz.txt)")):
            self.refused("resume", checkpoint, f"--observables.{key}", "--run.steps=8", says=[key, says])
        _, err = self.strata("resume", checkpoint, "--run.steps=8", ranks=2)
        self.assertIn("observables.zz = zz.txt has changed since the run began", err)
        self.expect_same_result()

    def test_measuring(self):
        for case in ("states", "dmrg", "trotter"):
            text, own, keys = CASES[case]
            name = case[0]
            self.written(text, own, of_terms=["zz"], name=f"{name}.ini")
            self.strata("run", f"{name}.ini", "--observables.more=5 Sz {i}", "--observables.hop=none",
                        f"--output.name={name}-whole")
            self.written(text, {"kick": own["kick"]}, name=f"{name}.ini")
            self.strata("run", f"{name}.ini", "--observables.hop=1 Sz 0")
            self.strata("measure", f"out/{name}.checkpoint.h5", "--observables.more=5 Sz {i}", "--observables.hop=none",
                        "--observables.zz=zz.txt")
            found, whole = self.result(f"{name}-measured"), self.result(f"{name}-whole")
            self.assertEqual(found["observables"].keys(), whole["observables"].keys())
            for quantity, of in whole["observables"].items():
                np.testing.assert_allclose(np.array(found["observables"][quantity]["value"], float),
                                           np.array(of["value"], float), rtol=0, atol=1e-12, err_msg=quantity)

    def test_an_operator_of_the_state_stays_in_a_measurement(self):
        text, own, keys = CASES["a driven evolution"]
        self.written(text, own)
        self.strata("run", "a.ini", *keys)
        for name in ("zz", "kick"):
            self.refused("measure", "out/a.checkpoint.h5", f"--observables.{name}=3 Sz 0", says="belongs to its state")
        self.strata("measure", "out/a.checkpoint.h5", "--observables.more=2 Sz {i}")
        _, rows = self.numbers("a-measured")
        self.assertAlmostEqual(sum(rows[f"more-{i}"][-1] for i in range(6)), 0, places=10)

    def test_scans(self):
        text, own, _ = CASES["states"]
        self.written(text.replace("jz = 0.5\n", "") + "[scan]\nmodel.jz = 0.5, 1\n", own)
        self.strata("run", "a.ini")
        self.written(text, own, name="b.ini")
        self.strata("run", "b.ini")
        self.assertEqual(self.result("a")["observables"]["kick"]["value"][0],
                         self.result("b")["observables"]["kick"]["value"])
        says = "defines a result, which all points of a job have"
        self.refused("run", "b.ini", "--scan.observables.kick=1 Sz 0; 2 Sz 0", says=["observables.kick", says])
        self.write("points.txt", "observables.more\na.txt\n")
        self.refused("run", "b.ini", "--scan.file=points.txt", says=["observables.more", says])

    def test_what_is_wrong_names_the_key(self):
        text, own, _ = CASES["states"]
        self.write("two.txt", "zz = 1 Sz 0\nmine = 1 Sz 1\n")
        self.write("bad.txt", "1 Sz 0\n\n1 Sq 0\n")
        self.write("empty.txt", "# nothing\n")
        for options, says in (
                (["energy=1 Sz 0"], ["observables.energy: 'energy = 1 Sz 0' has the name energy", "my-energy"]),
                (["drive-x=1 Sz 0"], ["observables.drive-x: ", "begin with drive-"]),
                (["energy-2=1 Sz 0"], ["observables.energy-2: "]),
                (["a-before=1 Sz 0"], ["observables.a-before: ", "given by the program"]),
                (["a=1 Sz 0", "a-1=1 Sz 0"], ["observables.a-1: ", "as a number of a"]),
                (["file=two.txt", "zz=1 Sz 0"], ["two.txt:1: ", "has the name of observables.zz"]),
                (["file=1 Sz 0"], ["--observables.file=1 Sz 0 cannot be opened", "no name of your own"]),
                (["zz=1 Sq 0"], ["observables.zz: '1 Sq 0' has the operator Sq; possible are Sx, "]),
                (["zz=1 Sz 0; 1 n_up 0"], ["observables.zz: '1 n_up 0' has the operator n_up on sites of spins"]),
                (["zz=1 Sz 6"], ["observables.zz: '1 Sz 6' names site 6", "0 to 5"]),
                (["zz=Sz 0"], ["observables.zz: 'Sz 0' is no term 'coefficient operator site"]),
                (["zz=1 S+ 0"], ["observables.zz: '1 S+ 0' changes Sz by 1 and leaves the sector"]),
                (["zz=1 S+ {k}"], ["observables.zz: ", "{k}"]),
                (["zz=Sz"], ["--observables.zz=Sz cannot be opened", "terms are several words, such as 1 n 0"]),
                (["zz=; ;"], ["--observables.zz=; ; has no terms"]),
                (["zz=empty.txt"], ["--observables.zz=empty.txt has no terms"]),
                (["zz=bad.txt"], ["observables.zz = bad.txt:3: '1 Sq 0' has the operator Sq"]),
                (["zz=two.txt"], ["observables.zz = two.txt:1: ", "name of its own", "value of observables.file"]),
                (["zz=none.txt"], ["--observables.zz=none.txt cannot be opened: No such file"]),
                (["Zz=1 Sz 0"], ["observables.Zz is no name of your own in [observables]", "small letters"]),
                (["NAME=1 Sz 0"], ["observables.NAME is no name of your own"]),
                (["a.b=1 Sz 0"], ["observables.a.b is no name of your own"]),
                (["zz=1 Sz 0", "zz=1 Sz 0"], ["observables.zz is given twice, first in command line"])):
            with self.subTest(options):
                self.write("a.ini", text)
                options = [f"--observables.{option}" for option in options]
                if options[0].split("=")[0] == options[-1].split("=")[0] and len(options) > 1:
                    self.assertIn("observables.zz", self.refused("run", "a.ini", *options))
                    continue
                self.refused("run", "a.ini", *options, says=says)
                self.refused("plan", "a.ini", *options, says=says)
        self.write("a.ini", text + "[observables]\nzz = 1 Sz 0\nzz = 1 Sz 1\n")
        self.refused("run", "a.ini", says="observables.zz is given twice, first in ")
        self.write("a.ini", text + "[observables]\nfile = 1 Sz 0\n")
        self.refused("run", "a.ini", says=["observables.file = 1 Sz 0 cannot be opened", "no name of your own"])

    def test_names_of_each_method_are_refused(self):
        for application, result in (("trotter", "total-x"), ("lanczos", "particles"), ("dmrg", "sweep")):
            self.write("a.ini", f"application = {application}\n" + SPINS.format("chain").replace("heisenberg", "xxz"))
            self.refused("run", "a.ini", f"--observables.{result}=1 Sz 0",
                         says=f"observables.{result}: '{result} = 1 Sz 0' has the name {result}, as a result")

    def test_jobs_without_definitions(self):
        for keys, says in ((("--run.task=evolution", "--evolution.start=ground-state", "--evolution.operator=kick"),
                            "needs the operator's definition: observables.kick, such as 1 n 0"),
                           (CASES["a spectrum"][2], "needs the operator's definition: observables.mine")):
            self.write("a.ini", RING)
            self.refused("run", "a.ini", *keys, says=says)
        self.refused("run", "a.ini", *CASES["an off-diagonal spectrum"][2], "--observables.a=1 Sz 0",
                     says="spectrum.second = right is no name in [observables]")

    def test_misspelled_sections(self):
        self.write("a.ini", RING)
        for key, says in (("observable.pair", "is not a key of lanczos. Did you mean observables.pair?"),
                          ("modl.jz", "Did you mean model.jz?"), ("model.pair", "is not a key of lanczos."),
                          ("observable.file", "Did you mean observables.file?"),
                          ("run.taks", "Did you mean run.task?")):
            err = self.refused("run", "a.ini", f"--{key}=1 Sz 0", says=says)
            self.assertNotIn("NAME", err)
        err = self.refused("run", "a.ini", "--model.pair=1 Sz 0")
        self.assertNotIn("observables", err)
        self.job(name="s.ini")
        self.refused("run", "s.ini", "--observables.pair=1 Sz 0",
                     says="observables.pair is not a key of swendsen-wang")

    def test_listed_keys(self):
        for application in ("lanczos", "trotter", "dmrg"):
            keys = self.keys_of(application)
            own, file = keys["observables.NAME"], keys["observables.file"]
            self.assertEqual((own["type"], own["role"]), ("terms", "measurement"))
            self.assertEqual(own["conditions"], file["conditions"])
            self.assertIn("\n[observables]\n", self.strata("keys", application)[0])
        self.assertNotIn("observables.NAME", self.keys_of("swendsen-wang"))

    def test_matrix_elements_are_averages_over_both_levels(self):
        """One particle on a ring: each state of a level has the share 1/6 of every site, and degenerate ones, too, of
        which none alone has an entanglement."""
        self.strata("run", self.write("a.ini", "application = lanczos\n[lattice]\ntype = ring\nextents = 6\n[model]\n"
                                               "type = fermions\n[sector]\nup = 1\n[run]\nstates = 6\ncut = 0\n"
                                               "matrix-elements = site\n[observables]\nsite = 1 n 0\n"))
        found = self.result()["observables"]
        np.testing.assert_allclose(found["site-elements"]["value"], 36 * [1 / 36], atol=1e-9)
        entropy = -sum(p * np.log(p) for p in (1 / 6, 5 / 6))
        np.testing.assert_allclose(np.array(found["entanglement-entropy"]["value"], float),
                                   [entropy, *4 * [np.nan], entropy], atol=1e-9)

    def test_opposite_momenta_count_each_by_itself(self):
        """The current of one particle, in sectors of one state each, vanishes in their sum alone."""
        self.strata("run", self.write("a.ini", "application = lanczos\n[lattice]\ntype = ring\nextents = 6\n[model]\n"
                                               "type = fermions\n[sector]\nup = 1\nmomentum = all\n[run]\n"
                                               "task = thermal\n[observables]\nturn = 1i cdag 0 c 1; -1i cdag 1 c 0\n"
                                               "hop = 1 cdag 0 c 1\n[thermal]\ntemperatures = 1\n"))
        found = self.result()["observables"]
        k = 2 * np.pi * np.arange(6) / 6
        p = np.exp(2 * np.cos(k)) / np.exp(2 * np.cos(k)).sum()
        self.assertAlmostEqual(found["turn"]["value"], 0, delta=1e-12)
        self.assertAlmostEqual(found["hop"]["value"], p @ np.cos(k) / 6, delta=1e-12)

    def test_matrix_elements_of_operators_that_symmetries_map_to_each_other_are_equal(self):
        job = self.write("a.ini", "application = lanczos\n[lattice]\ntype = ring\nextents = 10\n[model]\nu = 4\n"
                                  "[sector]\nmomentum = 5\n[run]\nstates = 3\nmatrix-elements = first, next\n"
                                  "[observables]\nfirst = 1i cdag_up 0 c_up 1\nnext = 1i cdag_up 4 c_up 5\n"
                                  "pairs = 1 n_up {i} n_dn {j}\n")
        self.strata("run", job)
        result = self.result()["observables"]
        first, following = (result[f"{name}-elements"]["value"] for name in ("first", "next"))
        self.assertEqual(first, following)
        mean = [result[name]["value"][0] for name in ("first", "first-imaginary")]
        self.assertGreater(first[0], 1e-3)
        self.assertAlmostEqual(first[0], mean[0] ** 2 + mean[1] ** 2, delta=1e-8)
        for names, says in (("pairs", ["pairs", "list over sites"]),
                            ("first,other", ["other is no name", "first, next"]), ("first,first", ["twice"])):
            self.refused("run", job, f"--run.matrix-elements={names}", says=["run.matrix-elements", *says])
        self.refused("run", job, "--backend.arithmetic=real", "--sector.momentum=0",
                     says=["run.matrix-elements is not Hermitian"])

    def test_python(self):
        text, own, _ = CASES["trotter"]
        self.written(text, own, of_file=list(own))
        self.strata("run", "a.ini")
        job = strata_lattice.Job("trotter", lattice={"type": "ring", "extents": 6}, model={"type": "xxz", "jz": 0.5},
                                 backend={"threads": 1}, run={"steps": 4},
                                 observables={name: "; ".join(terms) for name, terms in own.items()})
        result = job.run(directory=str(self.directory), name="b")
        self.assertEqual(self.result("b")["observables"], self.result("a")["observables"])
        self.assertEqual(result.keys["observables.hop"], own["hop"][0])
        again = strata_lattice.measure(self.directory / "out/b.checkpoint.h5", observables__more="1 Sz {i}")
        self.assertIn("more", {column.split("-")[0] for column in again.series})


if __name__ == "__main__":
    unittest.main()
