# SPDX-License-Identifier: BSD-3-Clause
"""Jobs of kronecker and dmrg: what a user types and gets."""

import json
import os
import re
import signal
import unittest

from program import JOBS, ProgramTest


class Kronecker(ProgramTest):
    JOB = """application = kronecker
[model]
sites = 16
saved-states = {saved}
operators = 3
[run]
repeats = {repeats}
"""

    def products(self, saved=60, repeats=5):
        return self.write("a.ini", self.JOB.format(saved=saved, repeats=repeats))

    def test_the_jobs_that_are_ready(self):
        for path in sorted(JOBS.glob("kronecker-*.ini")):
            self.strata("run", path, "--run.repeats=2", "--model.saved-states=300", ranks=2)
            result = self.result(path.stem)
            self.assertTrue(result["complete"])
            self.assertIn("checksum", result["observables"])
            self.assertGreater(result["performance"]["gflops"], 0)
            self.assertGreater(result["performance"]["fraction_of_gemm_peak"], 0)
            self.draw(path.stem)

    def test_same_bits_on_any_ranks_threads_and_partition(self):
        job, found = self.products(), set()
        for ranks, threads, more in ((None, 1, ()), (None, 3, ()), (2, 1, ()), (2, 2, ("--run.partition=rows",)),
                                     (3, 1, ("--run.partition=columns",)), (4, 1, ("--backend.simd=portable",))):
            self.strata("run", job, "--output.overwrite=yes", f"--backend.threads={threads}", *more, ranks=ranks)
            r = self.result()
            found.add((r["state_hash"], str(r["observables"])))
        self.assertEqual(len(found), 1, found)

    def test_single_precision_gives_the_same_product_to_rounding(self):
        job = self.products()
        self.strata("run", job)
        expected = self.result()["observables"]["checksum"]["value"]
        self.strata("run", job, "--output.overwrite=yes", "--backend.precision=single")
        self.assertAlmostEqual(self.result()["observables"]["checksum"]["value"], expected, delta=1e-3)

    def test_plan_tells_memory_and_partitions(self):
        out, _ = self.strata("plan", self.write("a.ini", "application = kronecker\n[model]\nsaved-states = 2000\n"),
                             "--ranks=4")
        self.assertIn("221 patches, 1037 blocks", out)
        self.assertRegex(out, r" +4 ranks:  rows +1\.0\d+, .* columns +1\.000\d, .*\(taken\)")
        self.assertIn("M = 4000: vector of 631898 elements", out)
        self.assertRegex(out, r"operators +\d")
        self.assertEqual(self.files(), ["a.ini"])

    def test_killed_and_resumed_on_other_ranks_it_gives_the_same_bits(self):
        job = self.products(saved=200, repeats=3000)
        self.kill_after_a_checkpoint(2, job, "--checkpoint.interval=0.3s")
        self.strata("resume", "out/a.checkpoint.h5", "--backend.threads=2")
        self.strata("run", job, "--output.name=whole", ranks=3)
        self.assertTrue(self.expect_same_result()["complete"])

    def test_bad_input_is_told_in_one_sentence(self):
        for overrides, words in ((["--model.saved-states=0"], ["model.saved-states"]),
                                 (["--model.operators=0"], ["model.operators"]),
                                 (["--sector.up=17"], ["sector.up=17", "16"]),
                                 (["--sector.up=0", "--sector.down=16"], ["No patch reaches", "49152 is enough"]),
                                 (["--model.file=operators.txt"], ["model.file has left the program", "random"]),
                                 (["--run.lanczos-steps=30"], ["run.lanczos-steps has left", "application = dmrg"]),
                                 (["--run.variant=loops"], ["run.variant has left the program", "perf/kronecker"])):
            err = self.refused("run", self.products(saved=12), *overrides, says=words)
            self.assertEqual(err.count("strata:"), 1, err)
        self.refused("run", self.products(saved=12), "--run.partition=rows", "--model.width=0.05", ranks=7,
                     says=["start at most"])

    def test_what_does_not_fit_names_the_ranks_that_would(self):
        _, err = self.strata("run", self.products(saved=200000), "--model.sites=144", code=3)
        self.assertRegex(err, r"needs .* per rank")
        self.assertRegex(err, r"\d+ ranks would fit|No number of ranks")
        self.assertEqual(self.files(), ["a.ini"])


class Dmrg(ProgramTest):
    JOB = """application = dmrg
[lattice]
extents = {sites}
[model]
u = 4
[run]
{run}
"""

    def chain(self, sites=8, run="tolerance = 1e-9"):
        return self.write("a.ini", self.JOB.format(sites=sites, run=run))

    def test_a_run_without_schedule_finds_the_bethe_energy(self):
        self.strata("run", self.chain())
        r = self.result()
        o = r["observables"]
        self.assertAlmostEqual(o["energy"]["value"], -4.235806999130, delta=1e-9)
        self.assertLess(o["error-estimate"]["value"], 1e-9)
        for name in ("energy", "truncation-error", "entropy", "states", "energy-extrapolated", "measured-energy"):
            self.assertIsInstance(o[name]["value"], (int, float), name)
        for name, number in (("entropies", 7), ("entanglement-spectrum", 112), ("density-up", 8), ("density-down", 8),
                             ("double-occupancy", 8), ("bond-energies", 7)):
            self.assertEqual(len(o[name]["value"]), number, name)
        self.assertAlmostEqual(sum(o["density-up"]["value"]), 4, delta=1e-9)
        self.assertIn("seconds_per_step", r["performance"])
        self.assertIn("upper bounds", r["remark"])

    def test_same_bits_on_any_ranks_threads_and_instructions(self):
        job, found = self.chain(10, "schedule = 30,60\nmeasure = correlations"), set()
        for ranks, threads, more in ((None, 1, ()), (None, 3, ()), (2, 2, ()), (4, 1, ("--backend.simd=portable",))):
            self.strata("run", job, "--output.overwrite=yes", f"--backend.threads={threads}", *more, ranks=ranks)
            r = self.result()
            found.add((r["state_hash"], str(r["observables"])))
        self.assertEqual(len(found), 1, found)

    def test_any_terms_and_observables_keep_the_bits(self):
        """Three sites, a field along x, a random field, and own operators; the energies of bonds are those of their
        terms."""
        self.write("terms.txt", "0.7 Sx 0 Sz 1 Sx 3\n-0.4 S+ 2 S- 4 Sz 7\n0.3 S+ 5 S+ 6\n")
        self.write("own.txt", "bond = 0.5 Sx {i} Sx {i+1}\nbond = 1.5 Sy {i} Sy {i+1}\nbond = -1 Sz {i} Sz {i+1}\n"
                              "three = 1i Sx 0 Sy 1 Sz 2\nx = 1 Sx {i}\n")
        job, found = self.write("a.ini", """application = dmrg
[lattice]
extents = 9
[model]
type = xyz
jx = 0.5
jy = 1.5
jz = -1
field-x = 0.2
disorder = 0.5
terms = terms.txt
[run]
schedule = 20,20
[observables]
file = own.txt
"""), set()
        for ranks, threads, more in ((None, 1, ()), (2, 2, ()), (3, 1, ("--backend.simd=portable",))):
            self.strata("run", job, "--output.overwrite=yes", f"--backend.threads={threads}", *more, ranks=ranks)
            r = self.result()
            found.add((r["state_hash"], str(r["observables"])))
        self.assertEqual(len(found), 1, found)
        o = r["observables"]
        bonds = {(i, i + 1): e for i, e in enumerate(o["bond"]["value"][:8])}
        both = dict(zip(bonds, o["bond-energies"]["value"]))
        for pair in set(bonds) - {(5, 6)}:
            self.assertAlmostEqual(both[pair], bonds[pair], delta=1e-12)
        self.assertGreater(abs(both[5, 6] - bonds[5, 6]), 1e-3)  # S+ S+ of the list
        self.assertEqual(o["bond"]["value"][8], 0)  # beyond the open end
        self.assertAlmostEqual(o["measured-energy"]["value"], o["energy"]["value"], delta=1e-6)

    def test_plan_tells_sweeps_and_memory(self):
        out, _ = self.strata("plan", self.chain(100, "schedule = 100,1000,2000"), "--ranks=4")
        for words in ("chain of 100 sites", "up 50, down 50", "3 sweeps with M up to 2000", "594"):
            self.assertIn(words, out)
        for phase in ("blocks", "matrix product state", "superblock", "vectors", "total"):
            self.assertRegex(out, rf"{phase} +\d")
        self.assertEqual(self.files(), ["a.ini"])

    def test_killed_and_resumed_on_other_ranks_it_gives_the_same_bits(self):
        job = self.chain(16, "schedule = 40" + 9 * ",60" + "\nproducts = 8\nmeasure = correlations")
        self.kill_after_a_checkpoint(2, job, "--checkpoint.interval=0.1s")
        self.strata("resume", "out/a.checkpoint.h5", "--backend.threads=2", ranks=3)
        self.strata("run", job, "--output.name=whole")
        self.assertTrue(self.expect_same_result()["complete"])

    def test_a_finished_run_goes_on_with_a_longer_schedule(self):
        self.strata("run", self.chain(10, "schedule = 20,30"))
        short = self.result()["observables"]
        for schedule in ("20", "80"):
            self.refused("resume", "out/a.checkpoint.h5", f"--run.schedule={schedule}",
                         says=["has 2 sweeps already (M = 20,30)", f"run.schedule = 20,30,{schedule}."])
        self.strata("resume", "out/a.checkpoint.h5", "--run.schedule=20,30,80,120", "--run.noise=1e-5,1e-6,0", ranks=2)
        longer = self.result()["observables"]
        self.assertLess(longer["energy"]["value"], short["energy"]["value"])
        self.assertAlmostEqual(longer["energy"]["value"], -5.380618820415, delta=1e-6)
        self.strata("run", "a.ini", "--run.schedule=20,30,80,120", "--run.noise=1e-5,1e-6,0", "--output.name=whole")
        self.assertEqual(self.result("whole")["observables"], longer)

    def test_settings_of_several_states_do_not_change_halfway(self):
        self.strata("run", self.chain(6, "states = 2\nschedule = 10,20\nnoise = 1e-5,0"))
        for change in ("--run.schedule=10,20,30,30", "--run.schedule=none", "--run.noise=1e-5,1e-6",
                       "--run.products=20", "--run.tolerance=1e-10"):
            self.refused("resume", "out/a.checkpoint.h5", change,
                         says=[f"A change of {change[2:change.index('=')]} ", "some of run.states = 2 only"])
        self.strata("resume", "out/a.checkpoint.h5", "--run.allow-unconverged=yes")

    def test_a_tolerance_beside_a_schedule_is_told_to_end_nothing(self):
        for more, words in (("", 0), ("\ntolerance = 1e-6", 1)):
            out, _ = self.strata("plan", self.chain(8, "schedule = 20,30" + more))
            self.assertEqual(out.count("run.tolerance (1e-06) does not end it"), words)

    def test_gaps_are_said_to_be_those_of_a_sector(self):
        job = self.write("a.ini", "application = dmrg\n[lattice]\nextents = 6\n[model]\ntype = heisenberg\nspin = 1\n"
                         "anisotropy = 0.5\n[run]\nstates = 2\n")
        import h5py

        self.strata("run", job)
        with h5py.File(self.directory / "out/a.h5") as file:
            self.assertIn(b"within the sector Sz = 0", file["results/gaps"].attrs["description"])
        self.assertIn("within the sector Sz = 0", self.result()["remark"])

    def test_values_before_the_last_m_are_those_of_the_longer_schedule(self):
        for schedule in ("20,30,80", "20,30,30", "20,30,40,80", "20,30,24"):
            self.strata("run", self.chain(10, "schedule = 20,30\nmeasure = correlations"), "--output.overwrite=yes")
            self.strata("resume", "out/a.checkpoint.h5", f"--run.schedule={schedule}")
            resumed = self.result()["observables"]
            self.strata("run", "a.ini", f"--run.schedule={schedule}", "--output.name=whole", "--output.overwrite=yes")
            self.assertEqual(self.result("whole")["observables"], resumed, schedule)

    def test_too_few_states_are_told_and_more_are_taken(self):
        _, err = self.strata("run", self.chain(10, "max-states = 20\ntolerance = 1e-9"), code=5)
        for words in ("run.tolerance", "run.max-states"):
            self.assertIn(words, err)
        self.strata("run", "a.ini", "--output.overwrite=yes", "--run.allow-unconverged=yes")
        self.strata("resume", "out/a.checkpoint.h5", "--run.max-states=500", "--run.allow-unconverged=no", ranks=2)
        self.assertAlmostEqual(self.result()["observables"]["energy"]["value"], -5.380618820415, delta=1e-8)

    def test_a_cylinder_has_the_energy_that_lanczos_finds(self):
        bonds = "".join(f"{4 * x + y} {4 * x + (y + 1) % 4} 1\n" for x in range(4) for y in range(4))
        bonds += "".join(f"{4 * x + y} {4 * x + 4 + y} 1\n" for x in range(3) for y in range(4))
        self.write("bonds.txt", bonds)
        for model in ("type = heisenberg\n", "u = 4\n[sector]\nup = 2\ndown = 2\n"):
            self.strata("run", self.write("lanczos.ini",
                                          "application = lanczos\n[lattice]\ntype = file\nfile = bonds.txt\n[model]\n"
                                          + model + "[run]\ntolerance = 1e-12\n"), "--output.overwrite=yes")
            exact = self.result("lanczos")["observables"]["energy"]["value"]
            for lattice in ("type = cylinder\nextents = 4,4", "type = file\nfile = bonds.txt"):
                self.strata("run", self.write("a.ini", f"application = dmrg\n[lattice]\n{lattice}\n[model]\n" + model),
                            "--output.overwrite=yes")
                found = self.result()["observables"]["energy"]["value"]
                self.assertGreater(found, exact - 1e-10)
                self.assertLess(found, exact + 1e-8)

    def test_bad_input_is_told_in_one_sentence(self):
        spins = ["--model.type=heisenberg"]
        self.write("bad.txt", "0 1 1\n1 2 x\n")
        self.write("same.txt", "0 1 1\n2 2 1\n")
        self.write("none.txt", "# nothing\n")
        self.write("odd.txt", "0.1 c_up 0\n")
        self.write("raises.txt", "a = 1 cdag_up 0\n")
        self.write("taken.txt", "energies = 1 n_up 0\n")
        self.write("before.txt", "my-before = 1 n_up 0\n")
        for overrides, words in ((["--sector.up=9"], ["sector.up=9", "at most"]),
                                 (["--sector.down=9"], ["sector.down=9", "at most"]),
                                 ([*spins, "--sector.up=9"], ["sector.up=9 counts electrons", "sector.sz = 4."]),
                                 ([*spins, "--sector.down=3"], ["sector.down=3", "belongs to"]),
                                 (["--lattice.extents=1"], ["lattice.extents=1", "at least 2"]),
                                 (["--lattice.extents=4,2"], ["lattice.type = chain takes 1 extent", "not 2"]),
                                 (["--lattice.type=ladder"], ["lattice.type = ladder takes 2 extents", "not 1"]),
                                 (["--lattice.type=cylinder", "--lattice.extents=8,1"], ["circumference, from 2"]),
                                 (["--run.schedule=40,1"], ["run.schedule = 40,1", "2 to 100000"]),
                                 (["--run.schedule=40,x"], ["run.schedule = 40,x"]),
                                 (["--run.noise=-1"], ["run.noise = -1"]),
                                 (["--run.states=0"], ["run.states = 0"]),
                                 (["--run.states=9", "--sector.up=1", "--sector.down=0"],
                                  ["run.states=9", "sector has, 8"]),
                                 ([*spins, "--run.states=50"],
                                  ["run.states=50", "the 70 states", "application = lanczos", "at most 23"]),
                                 (["--run.states=40", "--run.schedule=60,20"], ["run.states=40", "smallest M", "20"]),
                                 (["--run.products=1"], ["run.products = 1"]),
                                 (["--model.potential=1,2"], ["model.potential=1,2", "2 values", "all sites or 8"]),
                                 ([*spins, "--model.field=1,2,3"], ["model.field=1,2,3", "3 values", "all sites or 8"]),
                                 ([*spins, "--model.spin=0.7"], ["model.spin = 0.7", "0.5"]),
                                 (["--model.spin=1"], ["model.spin=1", "belongs to"]),
                                 ([*spins, "--model.anisotropy=0.5"], ["model.anisotropy=0.5", "model.spin is 0.5"]),
                                 ([*spins, "--model.field-x=1", "--sector.sz=0"],
                                  ["sector.sz=0", "the term S+ 0 changes it", "all states are taken"]),
                                 (["--model.terms=odd.txt"], ["The term cdag_up 0", "odd number of fermion operators"]),
                                 (["--observables.file=raises.txt"], ["raises.txt:1", "leaves the sector"]),
                                 (["--observables.file=taken.txt"],
                                  ["taken.txt:1", "the name energies", "my-energies"]),
                                 (["--observables.file=before.txt"],
                                  ["before.txt:1", "my-before", "given by the program"]),
                                 (["--model.t=0", "--model.t2=1"], ["groups of sites (0, 2, 4, 6), (1, 3, 5, 7)"]),
                                 (["--model.t=1.3,1.1"], ["model.t=1.3,1.1", "2 values", "1 hopping amplitude"]),
                                 (["--scan.model.t=1.3,1.1"], ["a list of 2 values", "Write 1.3;1.1 for 2 points"]),
                                 (["--scan.model.t=1.3,1.1;"], ["model.t", "2 values", "1 hopping amplitude"]),
                                 (["--model.hopping=1"], ["model.hopping"]),
                                 (["--lattice.type=file", "--lattice.file=bad.txt"], ["bad.txt:2", "an edge is"]),
                                 (["--lattice.type=file", "--lattice.file=same.txt"],
                                  ["same.txt:2", "two different sites"]),
                                 (["--lattice.type=file", "--lattice.file=none.txt"], ["none.txt", "no edge"]),
                                 (["--lattice.type=file", "--lattice.file=missing.txt"],
                                  ["missing.txt", "No such file"])):
            job = self.chain()
            if any(o.startswith("--lattice.file") for o in overrides):
                job.write_text(job.read_text().replace("extents = 8\n", ""))
            if overrides[0] in spins:
                job.write_text(job.read_text().replace("u = 4\n", ""))
            err = self.refused("run", job, *overrides, says=words)
            self.assertEqual(err.count("strata:"), 1, err)

    def test_the_content_of_the_file_is_part_of_the_run(self):
        self.write("bonds.txt", "0 1 1\n1 3 0.5 0 2\n2 0 0 0 0\n")  # site 2 is alone
        job = self.write("a.ini", "application = dmrg\n[lattice]\ntype = file\nfile = bonds.txt\n[model]\nu = 4\n"
                                  "[run]\nschedule = 8,8\n")
        self.refused("run", job, says="groups of sites (0, 1, 3), (2)")
        self.write("bonds.txt", "0 1 1\n1 3 0.5 0 2\n2 3 0.1\n")
        self.strata("run", job)
        self.assertEqual(len(self.result()["observables"]["density-up"]["value"]), 4)
        self.write("bonds.txt", "0 1 9\n")
        self.strata("resume", "out/a.checkpoint.h5", "--run.schedule=8,8,8")  # the file's content is in the checkpoint

    def test_memory_is_not_more_than_predicted(self):
        self.chain(16, "products = 2\nnoise = 1e-6,0\nschedule = 8")
        program = self.peak_bytes()
        for lattice, extents, schedule in (("chain", "20", "60,400"), ("cylinder", "6,4", "100,300")):
            keys = (f"--lattice.type={lattice}", f"--lattice.extents={extents}", f"--run.schedule={schedule}")
            predicted = self.planned("a.ini", *keys, "--backend.threads=1")["host_memory"]["total"]
            self.assertLess(self.peak_bytes(*keys) - program, 1.1 * predicted, lattice)

    def test_plan_tells_what_blocks_take_on_disk(self):
        job = self.chain(100, "schedule = 1000")
        memory, _ = self.strata("plan", job, "--backend.device=cpu")
        disk, _ = self.strata("plan", job, "--backend.device=cpu", "--run.blocks=disk")
        in_memory = re.search(r" blocks +([\d.]+ MiB)", memory)[1]
        self.assertIn(f"run.blocks = memory would hold all blocks in memory, {in_memory}", disk)
        near, file = (re.search(rf" {name} +([\d.]+ MiB)", disk)[1] for name in ("blocks", "scratch file of a rank"))
        self.assertIn(f"run.blocks = disk would hold {near} of the blocks in memory and {file} on disk", memory)
        self.assertLess(float(near.split()[0]), 0.15 * float(in_memory.split()[0]))

    def test_checkpoints_follow_half_sweeps(self):
        import h5py

        run = self.start(None, "run", self.chain(10, "schedule = " + ",".join(1000 * ["20"])))
        self.wait_for("out/a.checkpoint.h5")
        os.kill(run.pid, signal.SIGKILL)
        run.communicate(timeout=60)
        with h5py.File(self.directory / "out/a.checkpoint.h5") as file:
            step = json.loads(bytes(file["header"][:]))["step"]
        self.assertGreater(step, 0)
        self.assertEqual(step % 9, 0)  # bonds of the chain

    def test_killed_with_blocks_on_disk(self):
        run_keys = "schedule = 40" + 9 * ",60" + "\nproducts = 8\n"
        job = self.chain(16, run_keys + "blocks = disk\nblocks-directory = scratch")
        self.kill_after_a_checkpoint(2, job, "--checkpoint.interval=0.1s", rank=1)
        self.assertEqual(list((self.directory / "scratch").iterdir()), [])
        self.strata("resume", "out/a.checkpoint.h5", ranks=3)
        self.strata("run", self.chain(16, run_keys), "--output.name=whole")
        self.assertEqual(self.result()["state_hash"], self.result("whole")["state_hash"])

    def test_what_does_not_fit_is_said_before_allocating(self):
        _, err = self.strata("run", self.chain(100, "schedule = 100000"), code=3)
        self.assertRegex(err, r"needs .* per rank")
        self.assertEqual(self.files(), ["a.ini"])


if __name__ == "__main__":
    unittest.main(verbosity=2)
