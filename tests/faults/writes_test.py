# SPDX-License-Identifier: BSD-3-Clause
"""Single writes to files that fail, one after the other: the run ends with code 4 or makes up for it later, it never
shows another number, and files that were good stay."""

import errno
import os
import unittest

from program import ProgramTest

LIBRARY = os.environ["STRATA_FAILING_WRITES_LIBRARY"]
ALL_LATER = 10**6


def each(*firsts):
    return [(first, count) for first in firsts for count in (1, ALL_LATER)]


class FailingWrites(ProgramTest):
    def failing(self, name, first, count, *arguments, ranks=None, code=4):
        """Runs a command of which `count` writes (and a rank, if all ranks are not meant) fail, from number `first` on,
        of those to files with `name` in the path."""
        environment = {"LD_PRELOAD": LIBRARY, "STRATA_FAILING_WRITES": f"{name} {first} {count}"}
        out, err = self.strata(*arguments, "--backend.threads=1", ranks=ranks, code=code, timeout=240,
                               environment=environment)
        if code != 0:
            self.assertIn("No space left on device", err)
        self.assertEqual([f for f in self.files() if ".tmp." in f], [])
        return out, err

    def test_results(self):
        job = self.job(sweeps=50)
        self.strata("run", job, "--output.name=whole")
        run = ("run", job, "--output.overwrite=yes")
        # of 117 writes, of which 10 to 58 are values
        for first, count in (*each(0, 1, 3, 30, 110), *((n, 1) for n in range(10, 60, 6))):
            _, err = self.failing("a.h5.tmp", first, count, *run)
            self.assertIn("strata resume out/a.checkpoint.h5 writes the result", err)
            self.assertNotIn("out/a.h5", self.files())
        self.strata("resume", "out/a.checkpoint.h5")
        self.expect_same_result()
        self.failing("a.h5.tmp", 1000, ALL_LATER, *run, code=0)  # the library alone changes nothing
        self.expect_same_result()

    def test_checkpoints_of_two_ranks(self):
        self.strata("run", self.job(sweeps=50), "--output.name=whole")
        self.strata("run", self.job(sweeps=20))
        before = (self.directory / "out/a.checkpoint.h5").read_bytes()
        resume = ("resume", "out/a.checkpoint.h5", "--run.sweeps=50")
        # of 13 writes of rank 0; rank 1 has one, its rows, which fails alone at the end
        for first, count in (*each(0, 1, 4, 9), *((n, 1) for n in (2, 3, 5, 6, 7)), (0, "1 1")):
            self.failing("a.checkpoint.h5.tmp", first, count, *resume, ranks=2)
            self.assertEqual((self.directory / "out/a.checkpoint.h5").read_bytes(), before)
        self.failing("a.checkpoint.h5.tmp", 1000, 1, *resume, ranks=2, code=0)
        self.expect_same_result()

    def test_a_run_goes_on_after_a_failure(self):
        job = self.job(sweeps=12000)
        self.strata("run", job, "--output.name=whole", "--checkpoint.interval=0")
        for name, says in (("a.checkpoint.h5.tmp", "Checkpoint not written, the one before stays"),
                           ("a.h5.tmp", "Checkpoint written, but not the result so far")):
            out, _ = self.failing(name, 3, 1, "run", job, "--checkpoint.interval=0.05s", "--output.overwrite=yes",
                                  ranks=2, code=0)
            self.assertIn(says, out)
            self.expect_same_result()

    def test_blocks_on_disk(self):
        job = self.write("a.ini", "application = dmrg\n[lattice]\nextents = 8\n[model]\nu = 4\n"
                                  "[run]\nschedule = 16,32\nproducts = 6\nblocks = disk\nblocks-directory = blocks\n")
        for first, count in each(0, 1, 5, 30):
            self.failing("scratch.", first, count, "run", job, "--output.overwrite=yes")


class RefusedCalls(ProgramTest):
    """File systems without some calls: the run is that of any other file system."""

    CALLS = {"flock": (errno.ENOLCK, errno.EOPNOTSUPP, errno.ENOSYS), "fsync": (errno.EINVAL, errno.EOPNOTSUPP),
             "fallocate": (errno.EOPNOTSUPP, errno.ENOSYS)}

    def with_refused(self, call, number, count, *arguments, **options):
        environment = {"LD_PRELOAD": LIBRARY, "STRATA_REFUSED_CALLS": f"{call} {number} {count}"}
        environment.update(options.pop("environment", {}))
        return self.strata(*arguments, "--backend.threads=1", environment=environment, **options)

    def test_locks_directories_and_space(self):
        job = self.job(sweeps=50)
        self.strata("run", job, "--output.name=whole")
        for call, number in [(call, number) for call, numbers in self.CALLS.items() for number in numbers]:
            with self.subTest(call, number=number):
                self.with_refused(call, number, ALL_LATER, "run", job, "--output.overwrite=yes", "--run.sweeps=20")
                self.with_refused(call, number, ALL_LATER, "resume", "out/a.checkpoint.h5", "--run.sweeps=50",
                                  ranks=2)
                self.expect_same_result()

    def test_another_failure_of_a_directory_ends_the_run(self):
        _, err = self.with_refused("fsync", errno.EIO, ALL_LATER, "run", self.job(sweeps=50), code=4)
        self.assertIn("Could not bring out to the disk", err)

    def test_an_interrupted_reservation_is_repeated(self):
        out, _ = self.with_refused("fallocate", errno.EINTR, 3, "run", self.job(sweeps=50))
        self.assertNotIn("Checkpoint not written", out)
        self.assertTrue(self.result()["complete"])

    def test_space_that_cannot_be_reserved_takes_no_writes(self):
        """A checkpoint of 8 MB, and blocks on disk: a byte in every page would be 2000 writes."""
        few = {"STRATA_FAILING_WRITES": f"a.checkpoint.h5.tmp 300 {ALL_LATER}"}
        self.with_refused("fallocate", errno.EOPNOTSUPP, ALL_LATER, "run",
                          self.job(extents="8192,8192", sweeps=1), "--run.thermalization=0", environment=few)
        job = self.write("a.ini", "application = dmrg\n[lattice]\nextents = 8\n[model]\nu = 4\n"
                                  "[run]\nschedule = 16,32\nproducts = 6\nblocks = disk\nblocks-directory = blocks\n")
        self.strata("run", job, "--output.name=whole")
        for number, count in ((errno.EOPNOTSUPP, ALL_LATER), (errno.EINTR, 2)):
            self.with_refused("fallocate", number, count, "run", job, "--output.overwrite=yes")
            self.expect_same_result()


if __name__ == "__main__":
    unittest.main(verbosity=2)
