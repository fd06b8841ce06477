#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""What the Python package and the scripts of jobs refuse: files that do not fit their digest, values that a job file
cannot hold, runs that failed, misspelt names; and job files as they are read."""

import ctypes.util
import os
import pathlib
import random
import subprocess
import sys
import unittest
from unittest import mock

from python_test import RING, ROOT, InFolder, h5py, np, strata

from strata_lattice import digest  # noqa: E402 (python_test knows its folder)

SOAK = int(os.environ.get("STRATA_SOAK", "1"))
SCAN = {"lattice": {"extents": [8, 8]}, "run": {"sweeps": 60}, "scan": {"model.temperature": [2.2, 2.4]}}
# Opens each file named and prints what the package makes of it; a file that ends the process prints nothing.
READER = """
import sys
import strata_lattice
for path in sys.argv[1:]:
    try:
        result = strata_lattice.open_result(path)
        print("read", [q.value.tolist() for q in result.table().values()])
    except strata_lattice.StrataFileError as reason:
        print("refused", reason)
    sys.stdout.flush()
"""


def xxh64(data):
    found = digest.Xxh64()
    for start in range(0, len(data), 37):
        found.update(data[start:start + 37])
    return found.digest()


class Damaged(InFolder):
    def setUp(self):
        super().setUp()
        self.sources = []
        for name, job in (("one", strata.Job("lanczos", RING)), ("scan", strata.Job("swendsen-wang", **SCAN))):
            job.run(name=name)
            self.sources.append(f"out/{name}.h5")

    def read(self, paths):
        """A line for each file, in processes of their own, as damaged files may end one."""
        environment = {**os.environ, "PYTHONPATH": str(ROOT / "python")}
        done = subprocess.run([sys.executable, "-c", READER, *paths], env=environment, capture_output=True, text=True,
                              timeout=300)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        return done.stdout.splitlines()

    def test_flips_and_truncations_end_with_a_sentence_or_the_same_numbers(self):
        chance = random.Random(5)
        for source in self.sources:
            good, whole, names = pathlib.Path(source).read_bytes(), self.read([source])[0], []
            interesting = [i for i, byte in enumerate(good) if byte]
            for number in range(100 * SOAK):
                data = bytearray(good)
                if number % 3:
                    data[chance.choice(interesting)] ^= 1 << chance.randrange(8)
                else:
                    del data[chance.randrange(len(data)):]
                names.append(f"damaged-{number}.h5")
                pathlib.Path(names[-1]).write_bytes(data)
            lines = self.read(names)
            self.assertEqual(len(lines), len(names))
            refused = 0
            for name, line in zip(names, lines):
                if line.startswith("refused"):
                    refused += 1
                    self.assertRegex(line, rf"^refused {name} .*[^.]\.$")
                else:
                    self.assertEqual(line, whole)
            self.assertGreater(refused, len(names) / 3)

    def test_scripts_refuse_what_does_not_fit_its_digest(self):
        for source, scripts in zip(self.sources, (["plot.py"], ["plot.py", "finite_size.py"])):
            with h5py.File(source, "r+") as file:
                values = file["results/energy/value" if "results" in file else "scan/energy"]
                values[0] -= 0.5
            for script in scripts:
                done = subprocess.run([sys.executable, ROOT / "jobs" / script, source], capture_output=True, text=True)
                self.assertEqual((done.returncode, done.stderr.count("\n")), (4, 1), done.stderr)
                self.assertIn(f"{source} does not fit its digest", done.stderr)
            with self.assertRaisesRegex(strata.StrataFileError, "does not fit its digest"):
                strata.open_result(source)

    def test_the_hash_is_xxh64_with_and_without_the_library(self):
        # test vectors of the specification: 222 bytes of its generator, and none
        state, data = 2654435761, bytearray()
        for _ in range(222):
            data.append(state >> 56)
            state = state * 11400714785074694797 & (1 << 64) - 1
        for size, expected in ((0, 0xEF46DB3751D8E999), (1, 0xE934A84ADB052768), (4, 0x9136A0DCA57457EE),
                               (14, 0x8282DCC4994E35C8), (222, 0xB641AE8CB691C174)):
            self.assertEqual(xxh64(bytes(data[:size])), expected)
        with mock.patch.object(ctypes.util, "find_library", return_value="libnowhere.so"):
            self.assertIsInstance(digest.new_hash(), digest.Xxh64)
            for source in self.sources:
                strata.open_result(source)


class JobFiles(InFolder):
    def test_ready_jobs_are_read_as_the_program_reads_them(self):
        ready = sorted((ROOT / "jobs").glob("*.ini"))
        self.assertGreater(len(ready), 30)
        for path in ready:
            job = strata.Job.read(path)
            self.assertEqual(strata.Job.read(job.write(path.name)).keys, job.keys, path.name)
        for name in ("scan-binder-crossing", "hubbard-ring", "dmrg-haldane-gap"):  # that name no other file
            with self.subTest(name):
                plans = [strata.jobs.data_of("plan", path) for path in (ROOT / f"jobs/{name}.ini", f"{name}.ini")]
                self.assertEqual(plans[0]["parameters"], plans[1]["parameters"])

    def test_lines(self):
        pathlib.Path("a.ini").write_bytes(b'\xef\xbb\xbfapplication = lanczos  # comment\r\n[model]\r\nu = 4\r\n'
                                          b'type = "hubbard"\r\n[scan]\r\nmodel.v = 0, 1\r\n')
        job = strata.Job.read("a.ini")
        self.assertEqual((job.application, job.keys),
                         ("lanczos", {"model.u": "4", "model.type": "hubbard", "scan.model.v": "0, 1"}))
        for wrong, sentence in (("[model]\nu = 4\n", "a.ini: the line 'application = ...' is missing"),
                                ("application = lanczos\n[model]\nu\n", "a.ini:3: expected .section. or key = value"),
                                ("application = lanczos\n[model]\nu = 4\nu = 5\n", "a.ini:4: model.u is given twice")):
            pathlib.Path("a.ini").write_text(wrong)
            with self.assertRaisesRegex(strata.StrataError, sentence):
                strata.Job.read("a.ini")


class Refusals(InFolder):
    def test_values_that_a_job_file_cannot_hold(self):
        for keys in ({"output.name": "run#3"}, {"output.directory": "data#5"}, {"run.seed": "1\nsteps = 3"},
                     {"lattice.file": "a\r\nb"}):
            job = strata.Job("lanczos", {**RING, **keys})
            for call in (job.text, job.plan, job.run):
                with self.subTest(keys), self.assertRaisesRegex(strata.StrataError, "must hold no '#' and") as told:
                    call()
                self.assertEqual(told.exception.code, 2)
        self.assertEqual(os.listdir(), [])

    def test_numbers_of_ranks(self):
        for ranks in (0, -1, 1.5, "2"):
            with self.subTest(ranks), self.assertRaisesRegex(strata.StrataError, "must be a whole number from 1 on"):
                strata.Job("lanczos", RING).run(ranks=ranks)

    def test_points_that_did_not_converge_are_told_and_kept(self):
        job = strata.Job("lanczos", {**RING, "lattice.extents": 10, "run.max-steps": 4}, scan={"model.j2": [0, 0.1]})
        with self.assertRaises(strata.StrataError) as told:
            job.run(name="a")
        self.assertEqual(told.exception.code, 5)
        self.assertRegex(str(told.exception), r"Point 0: .*\n.*Point 1: ")
        np.testing.assert_array_equal(told.exception.result.points["state"], [2, 2])
        with self.assertRaises(strata.StrataError) as told:
            job.run(name="a")  # the files exist: nothing is written, and what is there is not of this run
        self.assertEqual((told.exception.code, told.exception.result), (2, None))

    def test_names_that_are_not_there(self):
        job = strata.Job("swendsen-wang", lattice={"extents": [8, 8]}, model={"temperature": 3}, run={"sweeps": 50})
        result = job.run(name="a")
        for name, words in (("enrgy", "has no enrgy; the nearest is energy'$"),
                            ("cluster2", "is cluster-2, of .series"), ("cluster-2", "it is a column of .series")):
            with self.assertRaisesRegex(KeyError, words):
                result[name]
        pathlib.Path("folder.h5").mkdir()
        for name, words in (("none.h5", "none.h5 does not exist"), ("folder.h5", "folder.h5 is no file")):
            with self.assertRaisesRegex(strata.StrataFileError, words):
                strata.open_result(name)


if __name__ == "__main__":
    unittest.main(verbosity=2)
