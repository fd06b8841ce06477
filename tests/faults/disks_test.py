# SPDX-License-Identifier: BSD-3-Clause
"""Full, small and vanishing disks, files that cannot grow, and several runs of one name: a good checkpoint stays, and
what was not written is told."""

import json
import resource
import subprocess
import unittest

from program import LongRun, ProgramTest


def small_disk(test, megabytes):
    """A file system of its own in the folder of a test, which is skipped without the right to mount one."""
    disk = test.directory / "disk"
    disk.mkdir()
    if subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={megabytes}m", "tmpfs", str(disk)],
                      capture_output=True).returncode != 0:
        test.skipTest("a small tmpfs needs the right to mount")
    test.addCleanup(subprocess.run, ["umount", str(disk)], check=True)
    return disk


def fill(disk):
    with open(disk / "filler", "wb", buffering=0) as filler:
        try:
            while True:
                filler.write(bytes(4096))
        except OSError:
            pass


class Files(LongRun):
    def test_one_run_at_a_time(self):
        run = self.start(None, "run", self.long_job())
        self.wait_for("out/a.checkpoint.h5")
        _, err = self.strata("run", "a.ini", "--output.overwrite=yes", code=2)
        self.assertIn(f"in use by process {run.pid} on", err)
        _, err = self.strata("resume", "out/a.checkpoint.h5", code=2)
        self.assertIn("in use by process", err)
        run.kill()
        run.communicate()
        self.assertTrue((self.directory / "out/a.lock").exists())
        self.strata("resume", "out/a.checkpoint.h5", "--run.wall-time=0s")  # the owner is dead: taken over
        self.assertFalse((self.directory / "out/a.lock").exists())
        (self.directory / "out/a.lock").write_text("another-host 123 2026-01-01T00:00:00Z\n")
        self.refused("resume", "out/a.checkpoint.h5", says="another-host since 2026-01-01")

    def test_a_vanished_directory_ends_the_run_with_4(self):
        run = self.start(2, "run", self.long_job())
        self.wait_for("out/a.checkpoint.h5")
        (self.directory / "out").rename(self.directory / "vanished")  # at once: the run may be writing into it
        out, err = run.communicate(timeout=180)
        self.assertEqual(run.returncode, 4, out + err)
        self.assertIn("Checkpoint not written", out)

    def test_files_that_cannot_grow_keep_the_good_checkpoint(self):
        # checkpoints of 33 MB under a limit of 16 MB per file: every write of one fails, whatever the disk
        job = self.job(extents="16384,16384", sweeps=1)
        short = ("--run.thermalization=0", "--checkpoint.interval=0.1s", "--run.measure-every=1000000")
        self.strata("run", job, *short)
        before = (self.directory / "out/a.checkpoint.h5").read_bytes()

        def limit():
            resource.setrlimit(resource.RLIMIT_FSIZE, (16 << 20, resource.RLIM_INFINITY))
        done = subprocess.run(self.command(None, "resume", "out/a.checkpoint.h5", "--run.sweeps=100"),
                              cwd=self.directory, capture_output=True, text=True, timeout=180, preexec_fn=limit)
        self.assertEqual(done.returncode, 4, done.stdout + done.stderr)
        self.assertIn("Checkpoint not written, the one before stays", done.stdout)
        self.assertEqual((self.directory / "out/a.checkpoint.h5").read_bytes(), before)
        self.assertEqual([f for f in self.files() if ".tmp." in f], [])
        self.strata("resume", "out/a.checkpoint.h5", "--run.sweeps=3", ranks=2)

    def test_a_stop_whose_checkpoint_fails_is_not_clean(self):
        def limit():
            resource.setrlimit(resource.RLIMIT_FSIZE, (16 << 20, resource.RLIM_INFINITY))
        job = self.job(extents="16384,16384", sweeps=1000)
        done = subprocess.run(self.command(None, "run", job, "--run.wall-time=0s"), cwd=self.directory,
                              capture_output=True, text=True, timeout=180, preexec_fn=limit)
        self.assertEqual(done.returncode, 4, done.stdout + done.stderr)
        self.assertNotIn("Stopped cleanly", done.stdout)
        self.assertIn("a.checkpoint.h5", done.stderr)

    def test_a_result_that_cannot_be_written_is_written_by_a_resume(self):
        # a series of 9 MB fits into a checkpoint under the limit of 16 MB per file, not into a result, which is chunked
        def limit():
            resource.setrlimit(resource.RLIMIT_FSIZE, (16 << 20, resource.RLIM_INFINITY))
        job = self.job(extents="8,8", sweeps=120000)
        for interval in ("10min", "0"):  # without any checkpoint the table is at least on the screen
            options = (f"--checkpoint.interval={interval}", "--backend.threads=1", "--output.overwrite=yes")
            done = subprocess.run(self.command(None, "run", job, *options), cwd=self.directory,
                                  capture_output=True, text=True, timeout=180, preexec_fn=limit)
            self.assertEqual(done.returncode, 4, done.stdout + done.stderr)
            self.assertIn("out/a.h5", done.stderr)
            self.assertRegex(done.stdout, r"energy +-\d")
            if interval != "0":
                self.assertIn("strata resume out/a.checkpoint.h5 writes the result", done.stderr)
                self.strata("resume", "out/a.checkpoint.h5")
                resumed = self.result()
        self.strata("run", job, "--output.name=whole", "--backend.threads=1")
        self.assertEqual(resumed["observables"], self.result("whole")["observables"])

    def test_files_of_an_earlier_run_stay_until_the_new_one_begins(self):
        import h5py

        self.strata("run", self.job())
        self.strata("run", self.job(), "--output.name=b")
        before = (self.directory / "out/b.h5").read_bytes()
        with h5py.File(self.directory / "out/a.checkpoint.h5", "r+") as f:  # found only when the state is read
            f["state/spins"][3, 2] = int(f["state/spins"][3, 2]) ^ 1
        self.strata("resume", "out/a.checkpoint.h5", "--run.sweeps=300", "--output.name=b", "--output.overwrite=yes",
                    code=4)
        self.assertEqual((self.directory / "out/b.h5").read_bytes(), before)
        self.assertTrue((self.directory / "out/b.checkpoint.h5").exists())

    def test_only_an_older_checkpoint_is_a_run_too(self):
        self.strata("run", self.job())
        (self.directory / "out/a.h5").unlink()
        (self.directory / "out/a.checkpoint.h5").rename(self.directory / "out/a.checkpoint.1.h5")
        self.refused("run", self.job(), says="out/a.checkpoint.1.h5 exists")
        self.refused("run", self.job(), "--output.name=b.checkpoint", says="must not contain '.checkpoint'")

    def test_a_full_disk_keeps_the_good_checkpoint(self):
        disk, job = small_disk(self, 6), self.job(extents="1024,1024", sweeps=10**7)
        place = f"--output.directory={disk}"
        _, err = self.strata("run", job, place, "--checkpoint.keep=60", code=3)
        self.assertIn("are free beside", err)
        run = self.start(2, "run", job, place, "--checkpoint.interval=0.3s", "--run.measure-every=1000000")
        self.wait_for("disk/a.checkpoint.h5")
        fill(disk)
        out, err = run.communicate(timeout=180)
        self.assertEqual(run.returncode, 4, out + err)
        self.assertIn("Checkpoint not written, the one before stays", out)
        _, err = self.strata("resume", disk / "a.checkpoint.h5", code=3)
        (disk / "filler").unlink()
        self.strata("resume", disk / "a.checkpoint.h5", "--run.wall-time=2s", ranks=2)


class ScratchDisk(ProgramTest):
    """A renormalization whose blocks lie on a small disk of their own."""

    JOB = """application = dmrg
[lattice]
extents = 16
[model]
u = 4
[run]
schedule = {schedule}
noise = 1e-5,1e-6,0
products = 4
"""

    def setUp(self):
        super().setUp()
        self.disk = small_disk(self, 16)
        self.place = ("--run.blocks=disk", f"--run.blocks-directory={self.disk}")

    def test_too_small_for_the_blocks_it_is_refused(self):
        job = self.write("a.ini", self.JOB.format(schedule="2000"))
        _, err = self.strata("run", job, *self.place, code=3)
        self.assertRegex(err,
                         r"Scratch files take [\d.]+ MiB for each of 1 rank, but only [\d.]+ MiB are free in .*/disk")
        self.assertEqual(list(self.disk.iterdir()), [])

    def test_full_it_ends_the_run_after_a_checkpoint(self):
        job = self.write("a.ini", self.JOB.format(schedule=60 * "16," + "300"))
        run = self.start(2, "run", job, *self.place, "--checkpoint.interval=0.05s")
        self.wait_for("out/a.checkpoint.h5")
        fill(self.disk)
        _, err = run.communicate(timeout=180)
        self.assertEqual(run.returncode, 4, err)
        self.assertRegex(err, r"Could not take \d+ bytes for a scratch file in .*/disk: No space left.* The work so "
                              r"far is saved")
        (self.disk / "filler").unlink()
        self.strata("resume", "out/a.checkpoint.h5", ranks=3)
        self.strata("run", job, "--output.name=whole")
        hashes = [json.loads(self.strata("show", "--json", f"out/{name}.h5")[0])["state_hash"]
                  for name in ("a", "whole")]
        self.assertEqual(hashes[0], hashes[1])


if __name__ == "__main__":
    unittest.main(verbosity=2)
