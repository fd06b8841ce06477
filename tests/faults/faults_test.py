# SPDX-License-Identifier: BSD-3-Clause
"""Kills, stalls, full and vanishing disks: at most the work since the last checkpoint is
lost, never a file that was good, never a silent difference. STRATA_SOAK=N repeats the random tests N times as often."""

import json
import os
import pathlib
import random
import resource
import shutil
import signal
import subprocess
import time
import unittest

from program import JOB, MPIRUN, ProgramTest, ranks_of

SOAK = int(os.environ.get("STRATA_SOAK", "1"))
THROWING_RANK = os.environ["STRATA_THROWING_RANK"]


def small_disk(test, megabytes):
    """A file system of its own in the folder of a test, which is skipped without the right to mount one."""
    disk = test.directory / "disk"
    disk.mkdir()
    if subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={megabytes}m", "tmpfs", str(disk)], capture_output=True).returncode != 0:
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


class LongRun(ProgramTest):
    """A run of tiny sweeps that is observed seldom, so that it can go on for minutes with small files."""

    def long_job(self, extents="64,60", tempering=""):
        text = JOB.format(extents=extents, beta="0.44", sweeps=10**9).replace("seed = 5", "seed = 5\nmeasure-every = 997")
        if tempering:
            text = text.replace("beta = 0.44", "opposite-bonds = 0.5").replace("seed = 5", f"seed = 5\ntempering = {tempering}\noverlap = yes")
        return self.write("a.ini", text + "[checkpoint]\ninterval = 0.05s\n")

    def steps_saved(self):
        """Of the newest checkpoint. (The result file may be behind it: it is written after it.)"""
        import h5py

        steps = []
        for name in ("a.checkpoint.h5", "a.checkpoint.1.h5"):
            if (self.directory / "out" / name).exists():
                with h5py.File(self.directory / "out" / name) as f:
                    steps.append(json.loads(bytes(f["header"][:]))["step"])
        return max(steps)

    def finish_and_compare(self):
        """Ends the interrupted run soon and compares it with an undisturbed one."""
        sweeps = self.steps_saved() + 5000
        self.strata("resume", "out/a.checkpoint.h5", f"--run.sweeps={sweeps}", ranks=2)
        self.strata("run", "a.ini", f"--run.sweeps={sweeps}", "--output.name=whole")
        disturbed, whole = self.result("a"), self.result("whole")
        self.assertEqual(disturbed["state_hash"], whole["state_hash"])
        self.assertEqual(disturbed["observables"], whole["observables"])
        self.assertTrue(disturbed["complete"])


class Kills(LongRun):
    def test_kills_at_random_instants(self):
        self.survive(self.long_job(), 25 * SOAK)

    def test_kills_of_replicas(self):
        """Groups of 1 to 3 ranks exchange temperatures."""
        self.survive(self.long_job(tempering="0.8,1.2,1.6,2"), 5 * SOAK)

    def survive(self, job, most):
        """Kills ranks or mpirun, or all of them, so many times, and compares with a run that is not disturbed."""
        chance = random.Random(7)
        kills, steps = 0, 0
        while kills < most:
            there = (self.directory / "out/a.checkpoint.h5").exists() or (self.directory / "out/a.checkpoint.1.h5").exists()
            words = ("resume", "out/a.checkpoint.h5") if there else ("run", job, "--output.overwrite=yes")
            count = chance.choice((1, 2, 2, 3))
            run = self.start(count, *words)
            time.sleep(chance.uniform(0.4, 0.9))
            ranks = ranks_of(run, count)
            victims = {"rank": ranks[:1], "mpirun": [run.pid], "all": ranks + [run.pid]}
            if run.poll() is not None:
                self.fail(run.communicate())
            for process in victims[chance.choice(("rank", "rank", "mpirun", "all", "all"))]:
                try:
                    os.kill(process, signal.SIGKILL)
                except ProcessLookupError:
                    pass
            self.wait_for_mpirun(run, ranks)
            self.assertNotEqual(run.returncode, 0)
            self.wait_until_gone(ranks)
            kills += 1
            if there:
                saved = self.steps_saved()
                self.assertGreaterEqual(saved, steps)
                steps = saved
        self.assertGreater(steps, 0)
        self.finish_and_compare()
        self.assertEqual([f for f in self.files() if ".tmp." in f], [])

    def wait_for_mpirun(self, run, ranks):
        """Open MPI's mpirun has once kept waiting for ranks that had ended, killed while it started them: it is killed then."""
        try:
            run.communicate(timeout=120)
        except subprocess.TimeoutExpired:
            self.wait_until_gone(ranks)
            run.kill()
            run.communicate()

    def wait_until_gone(self, processes):
        end = time.monotonic() + 20
        while any(pathlib.Path(f"/proc/{p}").exists() and " Z " not in pathlib.Path(f"/proc/{p}/stat").read_text() for p in processes):
            self.assertLess(time.monotonic(), end, "ranks outlive mpirun")
            time.sleep(0.05)

    def plant_leftovers(self):
        """Temporary files as kills leave them, and files of others with names alike."""
        own = ["out/a.h5.tmp.123", "out/a.checkpoint.h5.tmp.4567"]
        others = ["out/a2.h5.tmp.123", "out/a2.checkpoint.h5.tmp.123", "out/b.a.h5.tmp.1", "out/a.h5.tmp.12.h5", "out/a.h5.tmp."]
        others += ["out/a.h5.tmp.12.data.", "out/a.h5.tmp.data.0"]
        for name in own + others:
            self.write(name, b"left")
        return own, others

    def expect_removed(self, own, others):
        for name in own:
            self.assertFalse((self.directory / name).exists(), name)
        for name in others:
            self.assertEqual((self.directory / name).read_bytes(), b"left")

    def test_leftovers_go_with_the_next_run_or_resume_of_the_name(self):
        job = self.job()
        self.strata("run", job)
        for words in (("run", job, "--output.overwrite=yes"), ("resume", "out/a.checkpoint.h5", "--run.sweeps=300")):
            own, others = self.plant_leftovers()
            self.strata(*words)
            self.expect_removed(own, others)

    def test_leftovers_stay_while_a_run_holds_the_lock(self):
        run = self.start(None, "run", self.long_job())
        self.wait_for("out/a.checkpoint.h5")
        own, others = self.plant_leftovers()
        self.strata("run", "a.ini", "--output.overwrite=yes", code=2)
        self.strata("resume", "out/a.checkpoint.h5", code=2)
        for name in own + others:
            self.assertTrue((self.directory / name).exists(), name)
        run.kill()
        run.communicate()
        self.strata("resume", "out/a.checkpoint.h5", "--run.wall-time=0s")
        self.expect_removed(own, others)

    def test_kill_between_the_renames(self):
        self.strata("run", self.job())
        whole = self.result()
        checkpoint = self.directory / "out/a.checkpoint.h5"
        checkpoint.rename(self.directory / "out/a.checkpoint.1.h5")
        out, err = self.strata("resume", "out/a.checkpoint.h5", "--run.sweeps=300", ranks=2)
        self.assertIn("is not used", err)
        self.strata("run", self.job(), "--run.sweeps=300", "--output.name=b")
        self.assertEqual(self.result()["state_hash"], self.result("b")["state_hash"])
        self.assertNotEqual(self.result()["state_hash"], whole["state_hash"])

    def test_a_dead_rank_ends_the_run(self):
        run = self.start(3, "run", self.long_job())
        self.wait_for("out/a.checkpoint.h5")
        begin = time.monotonic()
        os.kill(ranks_of(run, 3)[1], signal.SIGKILL)
        run.communicate(timeout=90)
        self.assertNotEqual(run.returncode, 0)
        self.assertLess(time.monotonic() - begin, 6)

    def test_a_throwing_rank_ends_all_with_a_sentence(self):
        begin = time.monotonic()
        done = subprocess.run([MPIRUN, "-n", "3", THROWING_RANK], capture_output=True, text=True, timeout=120)
        self.assertEqual(done.returncode, 4)
        self.assertRegex(done.stderr, r"\[rank 1 \S+\] the disk is on fire")
        self.assertLess(time.monotonic() - begin, 6)


class Signals(LongRun):
    def test_sent_to_one_rank_only_or_twice(self):
        for twice in (False, True):
            shutil.rmtree(self.directory / "out", ignore_errors=True)
            run = self.start(3, "run", self.long_job())
            self.wait_for("out/a.checkpoint.h5")
            for _ in range(1 + twice):
                os.kill(ranks_of(run, 3)[2], signal.SIGUSR2)
            out, err = run.communicate(timeout=120)
            self.assertEqual(run.returncode, 0, err)
            self.assertIn("Stopped cleanly", out)

    def test_during_set_up(self):
        run = self.start(None, "run", self.long_job())
        time.sleep(0.05)
        run.send_signal(signal.SIGUSR2)
        out, err = run.communicate(timeout=120)
        self.assertIn(run.returncode, (0, -signal.SIGUSR2), err)  # before main began, no handler is installed
        if run.returncode == 0:
            self.assertIn("Stopped cleanly", out)

    def test_after_a_resume(self):
        run = self.start(2, "run", self.long_job())
        time.sleep(1)
        run.send_signal(signal.SIGUSR2)
        run.communicate(timeout=120)
        run = self.start(3, "resume", "out/a.checkpoint.h5")
        time.sleep(1.5)
        run.send_signal(signal.SIGUSR2)
        out, err = run.communicate(timeout=120)
        self.assertEqual(run.returncode, 0, err)
        self.assertIn("Stopped cleanly", out)
        self.finish_and_compare()

    def test_a_second_interrupt_ends_at_once(self):
        # sweeps of seconds: the first interrupt waits for the end of one, the second does not
        run = self.start(None, "run", self.job(extents="32768,32768", sweeps=1000), "--backend.threads=1", "--backend.simd=portable")
        time.sleep(3)
        run.send_signal(signal.SIGINT)
        time.sleep(0.1)
        run.send_signal(signal.SIGINT)
        begin = time.monotonic()
        run.communicate(timeout=120)
        self.assertEqual(run.returncode, -signal.SIGINT)
        self.assertLess(time.monotonic() - begin, 1)

    def test_no_time_at_all(self):
        out, _ = self.strata("run", self.long_job(), "--run.wall-time=0s", ranks=2)
        self.assertIn("Stopped cleanly", out)
        out, _ = self.strata("resume", "out/a.checkpoint.h5", ranks=2, environment={"SLURM_JOB_END_TIME": str(int(time.time()) + 3)})
        self.assertIn("Stopped cleanly", out)

    def test_a_closed_pipe_does_not_end_the_run(self):
        command = self.command(None, "run", self.job(extents="256,256", sweeps=2000))
        run = subprocess.Popen(command, cwd=self.directory, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        run.stdout.close()
        run.stderr.close()
        self.assertEqual(run.wait(timeout=180), 0)
        self.assertTrue(self.result()["complete"])


class Stalls(LongRun):
    def stalled(self, *options):
        run = self.start(2, "run", self.long_job(), "--run.stall-warning=1s", *options)
        self.wait_for("out/a.checkpoint.h5")
        rank = ranks_of(run, 2)[1]
        os.kill(rank, signal.SIGSTOP)
        return run, rank

    def test_a_stopped_rank_is_told_by_the_others(self):
        run, rank = self.stalled()
        time.sleep(2.5)
        os.kill(rank, signal.SIGCONT)
        time.sleep(0.5)
        run.send_signal(signal.SIGUSR2)
        _, err = run.communicate(timeout=120)
        self.assertEqual(run.returncode, 0, err)
        self.assertRegex(err, r"\[rank 0 \S+\] no step finished for \d+ s; step \d+, phase '[a-z ]+'")

    def test_and_given_up_if_so_asked(self):
        run, rank = self.stalled("--run.stall-abort=2s")
        time.sleep(3)
        os.kill(rank, signal.SIGCONT)  # mpirun's own kill waits for stopped processes
        _, err = run.communicate(timeout=120)
        self.assertNotEqual(run.returncode, 0)
        self.assertIn("giving up", err)


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
        done = subprocess.run(self.command(None, "resume", "out/a.checkpoint.h5", "--run.sweeps=100"), cwd=self.directory,
                              capture_output=True, text=True, timeout=180, preexec_fn=limit)
        self.assertEqual(done.returncode, 4, done.stdout + done.stderr)
        self.assertIn("Checkpoint not written, the one before stays", done.stdout)
        self.assertEqual((self.directory / "out/a.checkpoint.h5").read_bytes(), before)
        self.assertEqual([f for f in self.files() if ".tmp." in f], [])
        self.strata("resume", "out/a.checkpoint.h5", "--run.sweeps=3", ranks=2)

    def test_a_stop_whose_checkpoint_fails_is_not_clean(self):
        def limit():
            resource.setrlimit(resource.RLIMIT_FSIZE, (16 << 20, resource.RLIM_INFINITY))
        job = self.job(extents="16384,16384", sweeps=1000)
        done = subprocess.run(self.command(None, "run", job, "--run.wall-time=0s"), cwd=self.directory, capture_output=True,
                              text=True, timeout=180, preexec_fn=limit)
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
        self.strata("resume", "out/a.checkpoint.h5", "--run.sweeps=300", "--output.name=b", "--output.overwrite=yes", code=4)
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
        self.assertRegex(err, r"Scratch files take [\d.]+ MiB for each of 1 rank, but only [\d.]+ MiB are free in .*/disk")
        self.assertEqual(list(self.disk.iterdir()), [])

    def test_full_it_ends_the_run_after_a_checkpoint(self):
        job = self.write("a.ini", self.JOB.format(schedule=60 * "16," + "300"))
        run = self.start(2, "run", job, *self.place, "--checkpoint.interval=0.05s")
        self.wait_for("out/a.checkpoint.h5")
        fill(self.disk)
        _, err = run.communicate(timeout=180)
        self.assertEqual(run.returncode, 4, err)
        self.assertRegex(err, r"Could not take \d+ bytes for a scratch file in .*/disk: No space left.* The work so far is saved")
        (self.disk / "filler").unlink()
        self.strata("resume", "out/a.checkpoint.h5", ranks=3)
        self.strata("run", job, "--output.name=whole")
        hashes = [json.loads(self.strata("show", "--json", f"out/{name}.h5")[0])["state_hash"] for name in ("a", "whole")]
        self.assertEqual(hashes[0], hashes[1])


if __name__ == "__main__":
    unittest.main(verbosity=2)
