# SPDX-License-Identifier: BSD-3-Clause
"""Jobs of swendsen-wang: updates, couplings, thermalization and target errors."""

import unittest

from program import ProgramTest


class Thermalization(ProgramTest):
    HOT = ("--run.start=hot", "--output.overwrite=yes")
    AUTO = ("--run.thermalization=auto", *HOT)

    def series(self, name="a"):
        import h5py
        with h5py.File(self.directory / f"out/{name}.h5") as file:
            return {column: values[:] for column, values in file["series"].items()}

    def test_it_is_found_in_the_series_and_left_out(self):
        job = self.job(extents="64,64", sweeps=2000)
        self.strata("run", job, *self.HOT, "--run.thermalization=0", "--output.name=all")
        every_row = self.series("all")
        texts = set()
        for ranks in (1, 2):
            out, _ = self.strata("run", job, *self.AUTO, "--run.measure-every=2", ranks=ranks)
            self.assertNotIn("thermalization is not found", out)
            result = self.result()
            left_out = int(result["observables"]["thermalization"]["value"])
            self.assertTrue(20 <= left_out <= 1000 and left_out % 2 == 0, left_out)
            for column, values in self.series().items():
                self.assertEqual(values.tolist(), every_row[column][left_out::2].tolist())
            texts.add(str(result["observables"]) + result["state_hash"])
        self.assertEqual(len(texts), 1)
        self.strata("run", job, *self.HOT, f"--run.thermalization={left_out}", f"--run.sweeps={2000 - left_out}",
                    "--run.measure-every=2", "--output.name=fixed")
        fixed = self.result("fixed")["observables"]
        self.assertEqual(fixed, {k: v for k, v in self.result()["observables"].items() if k != "thermalization"})

    def test_a_longer_run_finds_its_own(self):
        job = self.job(extents="32,32", sweeps=3000)
        self.strata("run", job, *self.AUTO, "--output.name=whole")
        out, _ = self.strata("run", job, *self.AUTO, "--run.sweeps=60")
        self.assertIn("The end of the thermalization is not found", out)
        short = self.result()["observables"]
        self.assertEqual(short["thermalization"]["value"], 30)
        self.assertNotIn("error", short["energy"])
        self.assertEqual(len(self.series()["energy"]), 30)
        out, _ = self.strata("resume", "out/a.checkpoint.h5", "--run.sweeps=3000")
        self.assertNotIn("thermalization is not found", out)
        self.assertEqual(self.result()["observables"], self.result("whole")["observables"])
        self.assertIn("error", self.result()["observables"]["energy"])
        for name in ("energy", "largest-cluster"):
            self.assertEqual(self.series()[name].tolist(), self.series("whole")[name].tolist())

    def test_points_of_a_scan_have_their_own(self):
        job = self.job(extents="16,16", sweeps=2000)
        self.strata("run", job, *self.AUTO, "--run.sweeps=2000", "--scan.model.beta=0.2, 0.44")
        import h5py
        with h5py.File(self.directory / "out/a.h5") as file:
            left_out = file["scan/thermalization"][:]
            points = file["series/point"][:]
        self.assertEqual([int((points == i).sum()) for i in range(2)], [2000 - int(left) for left in left_out])

    def test_other_words_are_refused(self):
        self.refused("run", self.job(), "--run.thermalization=automatic",
                     says=("run.thermalization = automatic", "an integer", "or auto"))


class TargetError(ProgramTest):
    TARGET = ("--run.target-error=4e-3", "--run.thermalization=auto", "--output.overwrite=yes")

    def test_the_run_ends_when_the_error_is_small_enough(self):
        job = self.job(extents="32,32", sweeps=100000)
        texts = set()
        for ranks, more in ((1, ()), (3, ("--backend.threads=2",))):
            out, _ = self.strata("run", job, *self.TARGET, *more, ranks=ranks)
            self.assertIn("once the error of energy is at most 0.004", out)
            result = self.result()
            energy, steps = result["observables"]["energy"], result["steps"]
            self.assertTrue(result["complete"])
            self.assertLessEqual(energy["error"], 4e-3)
            self.assertGreater(steps - result["observables"]["thermalization"]["value"], 400 * energy["tau"])
            self.assertLess(steps, 30000)
            texts.add(str(result["observables"]) + result["state_hash"])
        self.assertEqual(len(texts), 1)
        # it had not ended at the review before, of four fifths of the observations
        self.strata("run", job, *self.TARGET, f"--run.sweeps={int(steps / 1.25)}", "--output.name=less")
        self.assertFalse(self.result("less")["observables"]["energy"]["error"] <= 4e-3
                         and int(steps / 1.25) > 450 * energy["tau"])

    def test_resumed_it_ends_at_the_same_sweep(self):
        job = self.job(extents="32,32", sweeps=100000)
        self.strata("run", job, *self.TARGET, "--output.name=whole")
        self.strata("run", job, *self.TARGET, "--run.sweeps=333")
        self.strata("resume", "out/a.checkpoint.h5", "--run.sweeps=100000", ranks=2)
        whole, resumed = self.result("whole"), self.result()
        for part in ("observables", "state_hash", "steps"):
            self.assertEqual(whole[part], resumed[part])
        self.strata("resume", "out/a.checkpoint.h5", "--output.name=again")  # makes no step
        self.assertEqual(self.result("again")["observables"], whole["observables"])
        self.strata("resume", "out/a.checkpoint.h5", "--run.target-error=2e-3", ranks=2)
        self.assertGreater(self.result()["steps"], whole["steps"])
        self.assertLessEqual(self.result()["observables"]["energy"]["error"], 2e-3)

    def test_what_is_not_reached_is_told(self):
        out, _ = self.strata("run", self.job(sweeps=2000), "--run.target-error=1e-9", "--run.target=binder")
        self.assertIn("run.target-error is not reached", out)
        self.refused("run", self.job(), "--run.target=energy", says="--run.target=energy belongs to run.target-error")


class Tempering(ProgramTest):
    def test_errors_that_frozen_lattices_do_not_have_are_explained(self):
        for temperatures, frozen in (("0.4,0.5,0.6", True), ("1.8,1.9", False)):
            job = self.write("a.ini", "application = swendsen-wang\n[lattice]\nextents = 32,32\n[run]\n"
                             f"sweeps = 1000\nthermalization = 100\ntempering = {temperatures}\n")
            out, _ = self.strata("run", job, "--output.overwrite=yes")
            energy = self.result()["observables"]["energy"]
            self.assertEqual("error" not in energy or None in energy["error"], frozen)
            self.assertEqual("the energy rarely left one value at some temperatures" in out, frozen)

    def test_any_number_of_ranks_up_to_the_layers_of_all_replicas(self):
        job = self.write("a.ini", "application = swendsen-wang\n[lattice]\nextents = 8,8,8\n"
                         "[model]\nopposite-bonds = 0.5\n[run]\ntempering = 1,1.4,2,2.6\nexchange-every = 3\n"
                         "sweeps = 40\nthermalization = 10\n[backend]\nthreads = 1\n")
        for ranks in range(1, 9):
            self.strata("plan", job, f"--ranks={ranks}")
        self.strata("run", job, "--output.name=whole")
        self.strata("run", job, "--run.sweeps=15", ranks=3)
        self.strata("resume", "out/a.checkpoint.h5", "--run.sweeps=28", ranks=5)
        self.strata("resume", "out/a.checkpoint.h5", "--run.sweeps=40", ranks=3)
        self.assertEqual(self.result("whole")["state_hash"], self.result()["state_hash"])
        self.assertEqual(self.result("whole")["observables"], self.result()["observables"])
        overlap = ("--run.overlap=yes", "--output.overwrite=yes")
        self.strata("run", job, *overlap, "--output.name=whole")
        self.strata("run", job, *overlap, ranks=3)
        self.assertEqual(self.result("whole")["observables"], self.result()["observables"])
        self.refused("run", job, *overlap, ranks=11, says=["11 ranks cannot share the 8 replicas", "use 10 ranks"])

    def test_missing_domain_walls_leave_no_errors(self):
        job = self.job(extents="6,16", beta="0.625", sweeps=1000)
        out, _ = self.strata("run", job, "--run.seed=25")
        self.assertIn("binder and susceptibility-connected have no error: states with domain walls", out)
        self.assertIn("a weight of 1.1e-03 and", out)
        observables = self.result()["observables"]
        self.assertNotIn("error", observables["binder"])
        self.assertIn("error", observables["magnetisation"])


class Metropolis(ProgramTest):
    FIELD = ("--run.update=metropolis", "--model.field=-0.2")

    def test_resumed_on_other_ranks_it_has_the_same_bits(self):
        hashes = []
        for update in (self.FIELD, ("--run.update=mixed",), self.FIELD[1:],
                       ("--run.update=mixed", "--model.field=0.01")):
            job = self.job(extents="48,64", sweeps=300)
            self.strata("run", job, *update, "--run.thermalization=100", "--output.name=whole",
                        "--output.overwrite=yes", ranks=2)
            self.strata("run", job, *update, "--run.thermalization=100", "--run.sweeps=120", "--output.overwrite=yes",
                        ranks=3)
            self.strata("resume", "out/a.checkpoint.h5", "--run.sweeps=300", "--backend.threads=2")
            self.assertEqual(self.result("whole")["state_hash"], self.result()["state_hash"])
            self.assertEqual(self.result("whole")["observables"], self.result()["observables"])
            hashes.append(self.result()["state_hash"])
        self.assertEqual(len(set(hashes)), 4)

    def test_bad_input_is_told(self):
        for given, says in ((("--lattice.extents=63,64", "--run.update=mixed"),
                             ["lattice.extents=63,64", "even extents"]),
                            (("--run.update=wulff",), ["swendsen-wang, metropolis, mixed or wolff"]),
                            (("--model.beta=inf", "--run.update=metropolis"), ["model.beta"])):
            self.refused("run", self.job(), *given, says=says)

    def test_runs_that_may_stay_where_they_began_have_no_errors(self):
        for given, errors in ((("--run.start=hot", "--model.beta=0.6"), False),
                              (("--run.start=cold", "--model.beta=0.6"), True),
                              (("--run.start=hot", "--model.beta=0.3"), True),
                              (("--model.coupling=-1", "--model.beta=0.6"), False),
                              (("--model.field=1e-6", "--model.beta=0.6"), False),
                              (("--model.field=-0.1", "--model.beta=0.6"), True)):
            out, _ = self.strata("run", self.job(sweeps=200), "--run.update=metropolis", *given,
                                 "--output.overwrite=yes")
            self.assertEqual("may stay in the domains" in out, not errors)
            self.assertEqual("error" in self.result()["observables"]["magnetisation-2"], errors, given)
            if given[0] == "--model.field=-0.1":
                self.assertLess(self.result()["observables"]["signed-magnetisation"]["value"], -0.9)

    def test_clusters_in_a_field_have_no_errors_where_they_are_bound(self):
        """Below the transition, where a lattice that is no ferromagnet has large clusters with sites parallel to the
        field."""
        for given, errors in ((("--model.beta=0.6",), True), (("--model.beta=0.6", "--model.coupling=-1"), False),
                              (("--model.beta=0.6", "--model.coupling=-1", "--run.update=mixed"), False),
                              (("--model.beta=0.3", "--model.coupling=-1"), True)):
            out, _ = self.strata("run", self.job(sweeps=400), "--model.field=-0.1", *given, "--output.overwrite=yes")
            self.assertEqual("clusters move little" in out, not errors)
            observables = self.result()["observables"]
            self.assertEqual("error" in observables["magnetisation-2"], errors, given)
            self.assertFalse({"staggered-binder", "clusters", "largest-cluster"} & observables.keys())
            self.assertEqual("susceptibility-improved" in observables, "--model.coupling=-1" not in given)


class SingleClusters(ProgramTest):
    WOLFF = ("--run.update=wolff", "--run.clusters-per-sweep=3")
    TEMPERING = "--run.tempering=2,3"

    def job_for(self, *given, **keys):
        """Without model.beta where it tempers."""
        path = self.job(**keys)
        if self.TEMPERING in given:
            path.write_text("".join(line for line in path.read_text().splitlines(True) if not line.startswith("beta")))
        return path

    def test_resumed_it_has_the_same_bits_for_any_threads_and_instruction_sets(self):
        hashes = []
        for given in ((), ("--model.opposite-bonds=0.3", "--lattice.boundaries=open,antiperiodic"),
                      ("--model.states=5", "--model.beta=1"), ("--lattice.extents=10,9,18",),
                      (self.TEMPERING,)):
            job = self.job_for(*given, extents="48,62", sweeps=300)
            self.strata("run", job, *self.WOLFF, *given, "--output.name=whole", "--output.overwrite=yes")
            self.strata("run", job, *self.WOLFF, *given, "--run.sweeps=120", "--output.overwrite=yes",
                        "--backend.simd=portable")
            self.strata("resume", "out/a.checkpoint.h5", "--run.sweeps=300", "--backend.threads=2")
            self.assertEqual(self.result("whole")["state_hash"], self.result()["state_hash"])
            self.assertEqual(self.result("whole")["observables"], self.result()["observables"])
            hashes.append(self.result()["state_hash"])
        self.assertEqual(len(set(hashes)), 5)

    def test_replicas_have_ranks_of_their_own(self):
        given = (self.TEMPERING, *self.WOLFF)
        job = self.job_for(*given, extents="16,16", sweeps=100)
        self.strata("run", job, *given, "--output.name=whole")
        self.strata("run", job, *given, ranks=2)
        self.assertEqual(self.result("whole")["state_hash"], self.result()["state_hash"])
        self.refused("run", job, *given, ranks=4,
                     says=["grows each cluster on one rank", "the lattice of 2 replicas", "use 2 ranks"])

    def test_few_clusters_give_no_errors(self):
        for clusters, errors in ((1, False), (400, True)):
            out, _ = self.strata("run", self.job(extents="32,32", beta="0.1", sweeps=300), "--run.update=wolff",
                                 "--run.start=hot", f"--run.clusters-per-sweep={clusters}", "--output.overwrite=yes")
            self.assertEqual("in fewer than 100 of the single clusters" in out, not errors)
            self.assertEqual("error" in self.result()["observables"]["energy"], errors)

    def test_bad_input_is_told(self):
        for given, says in ((("--model.field=0.1",), ["model.field=0.1", "run.update = wolff has no field"]),
                            (("--backend.device=cuda",), ["backend.device=cuda", "on the CPU"]),
                            (("--run.sweeps=1e15",), ["run.clusters-per-sweep", "2^48 clusters"]),
                            ((self.TEMPERING, "--run.sweeps=1e9"), ["2^31 clusters"])):
            self.refused("run", self.job_for(*given), *self.WOLFF, *given, says=says)
        self.refused("run", self.job(), "--run.clusters-per-sweep=3", says=["belongs to run.update = wolff"])
        self.refused("run", self.job(), *self.WOLFF, ranks=2,
                     says=["run.update = wolff grows each cluster on one rank", "2 ranks", "use 1 rank, or run.update"])


class Potts(ProgramTest):
    def test_the_wrong_phase_has_no_errors(self):
        """Ten states at 0.99 T_c, where the lattice is ordered."""
        for start, errors in (("cold", True), ("hot", False)):
            out, _ = self.strata("run", self.job(extents="64,64", beta="1.440467", sweeps=300), "--model.states=10",
                                 f"--run.start={start}", "--output.overwrite=yes")
            self.assertEqual("saw mostly one phase" in out, not errors)
            self.assertEqual("error" in self.result()["observables"]["energy"], errors)

    def test_resumed_on_other_ranks_it_has_the_same_bits(self):
        job = self.job(extents="48,64", beta="1.0", sweeps=100)
        self.strata("run", job, "--model.states=5", "--output.name=whole", ranks=2)
        self.strata("run", job, "--model.states=5", "--run.sweeps=40", ranks=3)
        self.strata("resume", "out/a.checkpoint.h5", "--run.sweeps=100", "--backend.threads=2")
        self.assertEqual(self.result("whole")["state_hash"], self.result()["state_hash"])
        self.assertEqual(self.result("whole")["observables"], self.result()["observables"])

    def test_bad_input_is_told(self):
        for given, says in ((("--model.states=1",), ["model.states"]),
                            (("--model.states=257",), ["model.states", "256"]),
                            (("--model.states=2.5",), ["model.states"]),
                            (("--model.coupling=-1",), ["model.coupling=-1", "positive"]),
                            (("--model.opposite-bonds=0.1",), ["model.opposite-bonds=0.1", "without opposite bonds"]),
                            (("--model.field=0.1",), ["model.field=0.1 is for the Ising model", "no field"]),
                            (("--lattice.boundaries=antiperiodic",), ["lattice.boundaries", "periodic or open"]),
                            (("--run.update=mixed",), ["run.update=mixed", "run.update = swendsen-wang"])):
            states = () if "states" in given[0] else ("--model.states=3",)
            self.refused("run", self.job(), *states, *given, says=says)


class Signs(ProgramTest):
    def test_frozen_random_signs_have_no_errors(self):
        job = self.job(sweeps=300)
        for beta, errors in (("3", False), ("0.1", True)):
            out, _ = self.strata("run", job, "--model.opposite-bonds=0.5", f"--model.beta={beta}",
                                 "--output.overwrite=yes")
            self.assertEqual("frustrate the lattice" in out, not errors)
            self.assertEqual("error" in self.result()["observables"]["energy"], errors)

    def test_frozen_seams_have_no_errors(self):
        """Of uniform couplings that the ends of an axis frustrate; two seams, or ends that an odd extent makes even, do
        not."""
        for given, frustrated in ((("--lattice.boundaries=periodic,antiperiodic",), True),
                                  (("--lattice.boundaries=open,periodic",), False),
                                  (("--model.coupling=-1", "--lattice.extents=5,4"), True),
                                  (("--model.coupling=-1",), False),
                                  (("--model.coupling=-1", "--lattice.extents=5,5",
                                    "--lattice.boundaries=antiperiodic"), False)):
            out, _ = self.strata("run", self.job(extents="4,4", beta="1.5", sweeps=4000), *given,
                                 "--output.overwrite=yes")
            self.assertEqual("frustrate the lattice" in out, frustrated, given)
            self.assertFalse(frustrated and "error" in self.result()["observables"]["magnetisation-2"], given)

    def test_bad_input_is_told_in_one_sentence(self):
        for override, words in (("--lattice.boundaries=open,closed", "once or for each of the 2 axes"),
                                ("--lattice.boundaries=open,open,open", "once or for each of the 2 axes"),
                                ("--model.coupling=0", "must be at least 1e-12 in magnitude"),
                                ("--model.opposite-bonds=1.5", "must be a number from 0 to 1"),
                                ("--model.disorder-seed=2", "belongs to model.opposite-bonds > 0")):
            self.refused("run", self.job(), override, says=words)


if __name__ == "__main__":
    unittest.main(verbosity=2)
