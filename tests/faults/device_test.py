# SPDX-License-Identifier: BSD-3-Clause
"""Choosing a device, and what goes wrong with devices, end to end: on the emulated one, whose faults the environment
sets (support/emulation/device.hpp), or with STRATA_TEST_DEVICE on a real one."""

import math
import os
import re
import shutil
import sys
import unittest

from program import PROGRAM, ProgramTest

REAL = "STRATA_TEST_DEVICE" in os.environ
emulated_only = unittest.skipIf(REAL, "a real device does not fail on demand")
CPU, CUDA = "--backend.device=cpu", "--backend.device=cuda"


class SameBits(ProgramTest):
    def hash_of(self, *arguments, ranks=None, **job):
        self.strata("run", self.job(**job), "--output.overwrite=yes", *arguments, ranks=ranks)
        return self.result()["state_hash"]

    def test_device_and_cpu_on_any_ranks(self):
        many = 30 if REAL else 1  # rare orders of threads need many sweeps, for which the emulation is too slow
        for job in ({"extents": "96,72", "sweeps": 60 * many},
                    {"extents": "20,24,28", "beta": "0.2216546", "sweeps": 40 * many}):
            expected = self.hash_of(CPU, **job)
            series = self.result()["observables"]
            for ranks in (None, 2, 3):
                self.assertEqual(self.hash_of(CUDA, ranks=ranks, **job), expected)
                r = self.result()
                self.assertTrue(r["backend"].startswith("cuda "))
                self.assertEqual(r["observables"], series)  # every mean and every error, to the last digit

    def test_runs_move_between_backends(self):
        expected = self.hash_of(CPU, sweeps=90)
        for first, second in ((CPU, CUDA), (CUDA, CPU)):
            self.strata("run", self.job(sweeps=40), "--output.overwrite=yes", first, ranks=2)
            self.strata("resume", "out/a.checkpoint.h5", "--run.sweeps=90", second, ranks=3)
            self.assertEqual(self.result()["state_hash"], expected)

    def test_auto_takes_the_device_and_says_which(self):
        out, _ = self.strata("run", self.job(sweeps=20), ranks=2)
        self.assertRegex(out, r"rank 1: device \d+, .*GPU-[0-9a-f-]{36}, .* free")
        self.assertIn("device memory", out)
        self.assertTrue(self.result()["backend"].startswith("cuda "))

    def test_plan_predicts_device_memory(self):
        plans = self.json("plan", self.job(extents="4096,4096"), "--ranks=4")["backends"]
        self.assertEqual(plans["cpu"]["device_memory"]["total"], 0)
        self.assertGreater(plans["cuda"]["device_memory"]["total"], 4096**2 / 8 / 4)

    def test_the_batch_script_asks_for_devices(self):
        self.make_slurm()
        self.batch(self.job(sweeps=20), {"SLURM_GPUS_ON_NODE": "1"})
        self.assertTrue(self.result()["backend"].startswith("cuda "))
        self.assertFalse((self.directory / "queue").exists())


class Scans(ProgramTest):
    def test_points_of_groups_have_the_bits_of_the_cpu(self):
        job = self.write("a.ini", "application = swendsen-wang\n[lattice]\nextents = 32,32\n[run]\nsweeps = 20\n"
                                  "thermalization = 5\n[scan]\nmodel.beta = 0.3, 0.44\nrun.seed = 1, 2\n")
        tables = []
        for device, ranks in (("cuda", 2), ("cpu", 1)):
            self.strata("run", job, f"--backend.device={device}", f"--output.name={device}", ranks=ranks)
            tables.append(self.strata("show", "--csv", f"out/{device}.h5")[0])
        self.assertEqual(*tables)


class Lanczos(ProgramTest):
    JOB = """application = lanczos
[lattice]
type = ring
extents = 8
[model]
u = 4
[sector]
up = 4
down = 4
[backend]
device = cuda
"""

    def test_energies_and_moves_between_backends(self):
        exact = -4.603526299989  # Lieb and Wu
        job = self.write("a.ini", self.JOB)
        out, _ = self.strata("run", job)
        self.assertIn("cuda", self.result()["backend"])
        self.assertAlmostEqual(self.result()["observables"]["energy"]["value"], exact, delta=1e-10)
        self.strata("run", job, "--output.name=b", "--run.max-steps=8", ranks=2, code=5)
        self.strata("resume", "out/b.checkpoint.h5", "--backend.device=cpu", "--run.max-steps=300", ranks=3)
        self.assertAlmostEqual(self.result("b")["observables"]["energy"]["value"], exact, delta=1e-10)
        self.strata("run", job, "--output.name=c", "--backend.precision=single", "--run.tolerance=1e-5", ranks=2)
        self.assertAlmostEqual(self.result("c")["observables"]["energy"]["value"], exact, delta=1e-5)

    def test_products_of_operators(self):
        """The critical ring of spins in a transverse field: its energy, and <Z Z> = <X>, by duality."""
        sites = 8
        self.write("h.txt", "".join(f"-1 Z {i} Z {(i + 1) % sites}\n-1 X {i}\n" for i in range(sites)))
        self.write("o.txt", "zz = 1 Z 0 Z 1\nx = 1 X {i}\n")
        job = self.write("a.ini", "application = lanczos\n[model]\ntype = terms\nterms = h.txt\n[observables]\n"
                         "file = o.txt\n[backend]\ndevice = cuda\n")
        bond = 1 / math.sin(math.pi / (2 * sites)) / sites
        hashes = set()
        for ranks in (None, 2, 3, 4):
            self.strata("run", job, "--output.overwrite=yes", ranks=ranks)
            r = self.result()
            self.assertTrue(r["backend"].startswith("cuda "))
            found = r["observables"]
            self.assertAlmostEqual(found["energy"]["value"], -2 * sites * bond, delta=1e-10)
            for value in [found["zz"]["value"], *found["x"]["value"]]:
                self.assertAlmostEqual(value, bond, delta=1e-6)
            hashes.add(r["state_hash"])
        self.assertEqual(len(hashes), 1)

    def test_plan_predicts_device_memory(self):
        plan = self.json("plan", self.write("a.ini", self.JOB))["backends"]["cuda"]
        self.assertIn("two vectors", self.bytes_of(plan["device_memory"]))

    def test_sectors_have_the_same_bits_on_any_ranks(self):
        exact = -4.603526299989  # Lieb and Wu
        job = self.write("a.ini", self.JOB + "[run]\ntolerance = 1e-10\n")
        for momentum in ("4", "auto"):
            hashes = set()
            for ranks in (None, 2, 3, 4):
                self.strata("run", job, f"--sector.momentum={momentum}", "--output.overwrite=yes", ranks=ranks)
                r = self.result()
                self.assertTrue(r["backend"].startswith("cuda "))
                self.assertAlmostEqual(r["observables"]["energy"]["value"], exact, delta=1e-10)
                self.assertEqual(r["observables"]["degeneracy"]["value"], 1)
                hashes.add(r["state_hash"])
            self.assertEqual(len(hashes), 1)
        self.strata("run", job, "--sector.momentum=4", "--backend.device=auto", "--output.overwrite=yes")
        self.assertTrue(self.result()["backend"].startswith("cuda "))
        self.assertIn("cuda", self.json("plan", job, "--sector.momentum=4", "--backend.device=auto")["backends"])

    def test_a_killed_search_for_momenta_goes_on_on_either_backend(self):
        text = self.JOB.replace("extents = 8", "extents = 10").replace("= 4\ndown = 4", "= 5\ndown = 5\nmomentum = all")
        job = self.write("a.ini", text)
        self.kill_after_a_checkpoint(2, job, "--checkpoint.interval=1s")
        shutil.copy(self.directory / "out/a.checkpoint.h5", self.directory / "b.checkpoint.h5")
        self.strata("resume", "out/a.checkpoint.h5", CPU, ranks=3)
        self.strata("resume", "b.checkpoint.h5", "--output.name=b", ranks=3)
        self.strata("run", job, "--output.name=c", CPU)
        expected = self.result("c")["observables"]
        self.assertAlmostEqual(expected["energy"]["value"], -5.834322635773, delta=1e-9)
        for name in ("a", "b"):
            found = self.result(name)["observables"]
            for a, b in zip(found["momentum-energies"]["value"], expected["momentum-energies"]["value"]):
                self.assertAlmostEqual(a, b, delta=1e-9, msg=name)


class Trotter(ProgramTest):
    JOB = """application = trotter
[lattice]
type = ring
extents = 13
[model]
type = heisenberg
disorder = 1
[run]
steps = 4
measure-every = 2
observables = sz, energy
[backend]
device = cuda
"""

    def near(self, first, second):
        for name, quantity in self.result(first)["observables"].items():
            other = self.result(second)["observables"][name]["value"]
            for a, b in zip(*(v if isinstance(v, list) else [v] for v in (quantity["value"], other))):
                self.assertAlmostEqual(a, b, delta=1e-12, msg=name)

    def test_device_and_cpu_on_any_ranks(self):
        job = self.write("a.ini", self.JOB)
        self.strata("run", job, CPU)
        hashes = []
        for ranks in (None, 2):
            self.strata("run", job, "--output.name=b", "--output.overwrite=yes", ranks=ranks)
            self.assertTrue(self.result("b")["backend"].startswith("cuda "))
            self.near("b", "a")
            hashes.append(self.result("b")["state_hash"])
        self.assertEqual(hashes[0], hashes[1])

    def test_it_moves_between_backends_at_a_measurement(self):
        job = self.write("a.ini", self.JOB)
        self.strata("run", job, CPU)
        self.strata("run", job, "--output.name=b", "--run.steps=2")
        self.strata("resume", "out/b.checkpoint.h5", CPU, "--run.steps=4", ranks=2)
        self.near("b", "a")

    @emulated_only
    def test_a_device_with_less_shared_memory_takes_more_passes(self):  # of sm_75
        job = self.write("a.ini", self.JOB)
        self.strata("run", job, CPU)
        out, _ = self.strata("run", job, "--output.name=b", environment={"EMULATION_SHARED": "65536"})
        self.assertIn("8 passes over the state per step", out)
        self.near("b", "a")

    def test_a_tuned_plan_is_told_stored_and_used_again(self):
        job = self.write("a.ini", self.JOB)
        tuned = ("--backend.tune-file=plans.txt", "--output.overwrite=yes")
        for device in (CUDA, CPU):
            self.strata("run", job, device, "--backend.tune=refresh", *tuned)
            backend, state = self.result()["backend"], self.result()["state_hash"]
            self.assertRegex(backend, r"(tiles|rows) of \d+ amplitudes")
            self.strata("run", job, device, "--backend.tune=use", *tuned)
            self.assertEqual((self.result()["backend"], self.result()["state_hash"]), (backend, state))
        self.refused("resume", "out/a.checkpoint.h5", "--backend.tune=refresh", "--run.steps=6",
                     says="resume it with backend.tune = use")

    @emulated_only
    def test_memory_too_small(self):
        _, err = self.strata("run", self.write("a.ini", self.JOB), "--lattice.extents=22", code=3,
                             environment={"EMULATION_MEMORY": "40000000"})
        self.assertRegex(err, r"of device memory per rank.* \d+ ranks would fit")
        self.assertEqual(self.files(), ["a.ini"])


class Kronecker(ProgramTest):
    JOB = """application = kronecker
[model]
sites = 8
saved-states = 20
operators = 3
[run]
repeats = 2
"""
    EXACT = -6.932569749777406  # numpy (tests/oracle/kronecker_oracle.py)

    def setUp(self):
        super().setUp()
        self.path = self.write("a.ini", self.JOB)

    def checksum(self):
        return self.result()["observables"]["checksum"]["value"]

    def test_device_and_cpu_on_any_ranks(self):
        states = set()
        for device, ranks in ((CPU, None), (CUDA, None), (CUDA, 3)):
            self.strata("run", self.path, device, "--output.overwrite=yes", ranks=ranks)
            self.assertTrue(self.result()["backend"].startswith("cuda " if device == CUDA else "cpu "))
            self.assertAlmostEqual(self.checksum(), self.EXACT, delta=1e-11)
            states.add(self.result()["state_hash"])
        self.assertEqual(len(states), 1)  # plain arithmetic has the CPU's bits

    def test_it_moves_between_backends(self):
        for first, second in ((CPU, CUDA), (CUDA, CPU)):
            self.strata("run", self.path, first, "--output.overwrite=yes", ranks=2)
            self.strata("resume", "out/a.checkpoint.h5", second, "--run.repeats=3", ranks=3)
            self.assertAlmostEqual(self.checksum(), self.EXACT, delta=1e-11)

    def test_auto_leaves_small_targets_to_the_cpu(self):
        for command in ("run", "plan"):
            out, _ = self.strata(command, self.path)
            self.assertRegex(out, r"No GPU is used: one product has only [\d.e-]+ GFLOP per rank")
        self.assertTrue(self.result()["backend"].startswith("cpu "))
        large = ("--model.sites=16", "--model.saved-states=1000")
        out, _ = self.strata("plan", self.path, *large)
        self.assertIn("On a GPU per rank", out)
        self.assertIn("products of left operators", out)

    @emulated_only
    def test_memory_too_small(self):
        _, err = self.strata("run", self.path, CUDA, "--model.saved-states=400", code=3,
                             environment={"EMULATION_MEMORY": "3000000"})
        self.assertRegex(err, r"of device memory per rank.* \d+ ranks would fit")
        self.assertEqual(self.files(), ["a.ini"])


@emulated_only
class Faults(ProgramTest):
    def on(self, *arguments, code, ranks=None, **environment):
        return self.strata("run", self.job(sweeps=50), *arguments, code=code, ranks=ranks,
                           environment={"EMULATION_" + k: str(v) for k, v in environment.items()})

    def falls_back(self, words, **environment):
        """auto goes on with the CPU and one line, cuda ends with 3 and the same words, with nothing written."""
        for ranks in (None, 2):
            _, err = self.on(CUDA, code=3, ranks=ranks, **environment)
            for word in words + ["backend.device=cuda", "use auto or cpu"]:
                self.assertEqual(err.count(word), 1, err)
            self.assertEqual(self.files(), ["a.ini"])
        out, _ = self.on("--output.overwrite=yes", code=0, **environment)
        line = re.findall(r"No GPU is used: .*", out)
        self.assertEqual(len(line), 1, out)
        for word in words:
            self.assertIn(word, line[0])
        self.assertTrue(self.result()["backend"].startswith("cpu "))

    def test_no_driver(self):  # G1
        self.falls_back(["there is no NVIDIA driver"], ERROR=35)

    def test_no_device(self):  # G1
        self.falls_back(["there is no device, or it is hidden"], ERROR=100)

    def test_devices_hidden(self):  # G1
        self.falls_back(["there is no device, or it is hidden"], DEVICES=0)

    def test_no_code_for_this_device(self):  # G2: both lists
        self.falls_back(["device 0 is an sm_90", "holds code for CUDA 13.0 for sm_90, emulated"], IMAGE="no")

    def test_memory_too_small(self):  # G3: predicted, before anything is allocated or written
        _, err = self.strata("run", self.job(extents="1024,1024"), CUDA, code=3,
                             environment={"EMULATION_MEMORY": "3000000"})
        self.assertRegex(err, r"needs [\d.]+ MiB of device memory per rank.*2.86 MiB are free.* (\d+) ranks would fit")
        self.assertEqual(self.files(), ["a.ini"])

    def test_a_launch_that_fails(self):  # G4: the kernel is named
        _, err = self.on(CUDA, code=70, LAUNCHES=25)
        self.assertRegex(err, r"The device failed at [a-z]+_[a-z]+: .*cudaErrorLaunchFailure")
        _, err = self.on(CUDA, "--output.overwrite=yes", code=70, ranks=2, LAUNCHES=25)
        self.assertRegex(err, r"\[rank \d .*The device failed at")

    def test_more_ranks_than_devices(self):  # G5
        out, _ = self.on(CUDA, code=0, ranks=3, DEVICES=2)
        self.assertIn("warning: 2 ranks share", out)
        out, _ = self.on(CUDA, "--output.overwrite=yes", code=0, ranks=2, DEVICES=2)
        self.assertNotIn("ranks share", out)

    def test_exclusive_devices(self):  # G5
        self.falls_back(["has it for itself (exclusive mode)"], EXCLUSIVE="yes")


if __name__ == "__main__":
    if REAL and "devices      none" in os.popen(f"'{PROGRAM}' --version").read():
        print("SKIPPED: there is no device")
        sys.exit(1 if os.environ.get("STRATA_REQUIRE_DEVICE") == "1" else 77)
    unittest.main(verbosity=2)
