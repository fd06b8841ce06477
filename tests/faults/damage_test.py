# SPDX-License-Identifier: BSD-3-Clause
"""Damaged, hostile and foreign checkpoints: the one before is used, the reason told, nothing overwritten."""

import ctypes
import json
import os
import random
import shutil
import subprocess
import time
import unittest

from program import ProgramTest

SOAK = int(os.environ.get("STRATA_SOAK", "1"))


class Damage(ProgramTest):
    def setUp(self):
        super().setUp()
        self.strata("run", self.job(), "--checkpoint.keep=2")
        self.strata("resume", "out/a.checkpoint.h5", "--run.sweeps=400")  # leaves one before
        self.strata("run", self.job(sweeps=500), "--output.name=whole")
        self.good = (self.directory / "out/a.checkpoint.h5").read_bytes()

    def resumed(self, data):
        """Exit code and hash of a run resumed from this checkpoint."""
        place = self.directory / "damaged"
        shutil.rmtree(place, ignore_errors=True)
        place.mkdir()
        (place / "a.checkpoint.h5").write_bytes(data)
        done = subprocess.run(self.command(None, "resume", place / "a.checkpoint.h5", "--run.sweeps=500"),
                              cwd=self.directory, capture_output=True, text=True, timeout=180)
        self.assertIn(done.returncode, (0, 2, 4), done.stderr)
        return (done.returncode, done.stdout.split("state_hash ")[-1].split()[0] if done.returncode == 0 else None,
                done.stderr)

    def test_flips_and_truncations_end_to_end(self):
        chance = random.Random(3)
        whole = self.result("whole")["state_hash"]
        interesting = [i for i, byte in enumerate(self.good) if byte != 0]
        for _ in range(20 * SOAK):
            data = bytearray(self.good)
            data[chance.choice(interesting)] ^= 1 << chance.randrange(8)
            code, found, _ = self.resumed(bytes(data))
            if code == 0:
                self.assertEqual(found, whole)
        for _ in range(10 * SOAK):
            code, _, err = self.resumed(self.good[: chance.randrange(len(self.good))])
            self.assertEqual(code, 4, err)

    def test_the_one_before_is_used_and_the_reason_told(self):
        path = self.directory / "out/a.checkpoint.h5"
        path.write_bytes(self.good[: len(self.good) // 2])
        out, err = self.strata("resume", "out/a.checkpoint.h5", "--run.sweeps=500", ranks=2)
        self.assertIn("is not used", err)
        self.assertEqual(self.result()["state_hash"], self.result("whole")["state_hash"])

    def test_a_damaged_one_never_takes_the_place_of_the_good_one(self):
        good = (self.directory / "out/a.checkpoint.1.h5").read_bytes()
        (self.directory / "out/a.checkpoint.h5").write_bytes(self.good[: len(self.good) // 2])
        self.strata("resume", "out/a.checkpoint.h5", "--run.sweeps=500")
        self.assertEqual((self.directory / "out/a.checkpoint.1.h5").read_bytes(), good)
        self.strata("resume", "out/a.checkpoint.h5", "--run.sweeps=510")
        self.assertNotEqual((self.directory / "out/a.checkpoint.1.h5").read_bytes(), good)

    def test_a_gap_hides_nothing(self):
        (self.directory / "out/a.checkpoint.h5").unlink()
        (self.directory / "out/a.checkpoint.1.h5").rename(self.directory / "out/a.checkpoint.3.h5")
        self.strata("resume", "out/a.checkpoint.h5", "--run.sweeps=500")
        self.assertEqual(self.result()["state_hash"], self.result("whole")["state_hash"])

    def test_damaged_state_behind_a_good_header_too(self):
        import h5py

        path = self.directory / "out/a.checkpoint.h5"
        with h5py.File(path, "r+") as f:
            spins = f["state/spins"]
            spins[3, 2] = int(spins[3, 2]) ^ 1 << 17
        out, err = self.strata("resume", "out/a.checkpoint.h5", "--run.sweeps=500", ranks=2)
        self.assertIn("row 3 of state/spins is damaged", err)
        self.assertEqual(self.result()["state_hash"], self.result("whole")["state_hash"])

    def test_both_bad_is_4_and_nothing_is_overwritten(self):
        for name in ("a.checkpoint.h5", "a.checkpoint.1.h5"):
            (self.directory / "out" / name).write_bytes(b"x" * 1000)
        before = {f: (self.directory / f).read_bytes() for f in self.files()}
        _, err = self.strata("resume", "out/a.checkpoint.h5", "--run.sweeps=500", code=4)
        self.assertEqual(err.count("is not used"), 2)
        self.assertEqual(before, {f: (self.directory / f).read_bytes() for f in self.files()})

    def hostile(self, change):
        import h5py

        path = self.directory / "hostile.checkpoint.h5"
        path.write_bytes(self.good)
        with h5py.File(path, "r+") as f:
            change(f)
        begin = time.monotonic()
        _, err = self.strata("resume", path, "--run.sweeps=500", code=4)
        self.assertLess(time.monotonic() - begin, 5)
        return err

    def test_hostile_files_are_refused_before_anything_is_allocated(self):
        import h5py

        secret = self.write("secret", b"s" * 4096)
        original = self.write("other.h5", self.good)

        def replaced(name, make):
            def change(f):
                del f[name]
                make(f)
            return change

        shape = (8, 8)
        cases = {
            "external link": replaced("state/spins", lambda f: f.__setitem__(
                "state/spins", h5py.ExternalLink(str(original), "/state/spins"))),
            "soft link": replaced("state/spins",
                                  lambda f: f.__setitem__("state/spins", h5py.SoftLink("/digest/spins"))),
            "external storage": replaced("state/spins", lambda f: f.create_dataset("state/spins", shape, "<u8",
                                                                                   external=[(str(secret), 0, 4096)])),
            "filter": replaced("state/spins", lambda f: f.create_dataset("state/spins", shape, "<u8", chunks=shape,
                                                                         compression="gzip")),
            "huge": replaced("state/spins",
                             lambda f: f.create_dataset("state/spins", (2**30, 2**29), "<u8", chunks=(1, 8))),
            "many axes": replaced("state/spins", lambda f: f.create_dataset("state/spins", (1,) * 32, "<u8")),
            "text": replaced("state/spins", lambda f: f.create_dataset("state/spins", shape, "S8")),
            "group": replaced("state/spins", lambda f: f.create_group("state/spins")),
            "no digests": replaced("digest/spins", lambda f: None),
            "huge series": replaced("series", lambda f: f.create_dataset("series", (2**60,), "<f8", chunks=(1024,))),
            "huge header": replaced("header", lambda f: f.create_dataset("header", (2**40,), "u1", chunks=(1024,))),
            "no header": replaced("header", lambda f: None),
            "loop": replaced("header", lambda f: f.__setitem__("header", h5py.SoftLink("/header"))),
        }
        for name, change in cases.items():
            with self.subTest(name):
                self.assertNotIn("terminate", self.hostile(change))

    def with_header(self, **changes):
        """Changes entries of the header and signs it again, as a forger would."""
        xxhash = ctypes.CDLL("libxxhash.so.0")
        xxhash.XXH64.restype = ctypes.c_uint64
        xxhash.XXH64.argtypes = (ctypes.c_void_p, ctypes.c_size_t, ctypes.c_uint64)

        def change(f):
            header = json.loads(bytes(f["header"][:]))
            for key, value in changes.items():
                header[key] = value(header[key]) if callable(value) else value
            text = json.dumps(header).encode()
            del f["header"]
            dataset = f.create_dataset("header", data=list(text), dtype="u1")
            digest = xxhash.XXH64(text, len(text), 0)
            dataset.attrs.create("digest", digest - (1 << 64) if digest >> 63 else digest, dtype="<i8")
        return change

    def test_headers_of_others_are_refused_with_the_reason(self):
        self.assertIn("layout version is 99", self.hostile(self.with_header(format_version=99)))
        self.assertIn("no checkpoint of strata", self.hostile(self.with_header(format="other")))
        other_lattice = self.with_header(job=lambda job: job.replace("lattice.extents\t64,64",
                                                                     "lattice.extents\t64,128"))
        self.assertIn("another shape", self.hostile(other_lattice))
        self.hostile(self.with_header(job=lambda job: job.replace("run.seed\t5", "run.seed\t-5")))
        self.hostile(self.with_header(series_values=2**62))
        self.hostile(self.with_header(arrays=[]))
        self.assertIn("other columns", self.hostile(self.with_header(columns=lambda columns: columns[:-1])))
        self.hostile(self.with_header(step="many"))


if __name__ == "__main__":
    unittest.main(verbosity=2)
