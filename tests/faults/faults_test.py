# SPDX-License-Identifier: BSD-3-Clause
"""Kills, signals and stalls: at most the work since the last checkpoint is lost, never a file that was good, never a
silent difference. STRATA_SOAK=N repeats the random tests N times as often."""

import fcntl
import os
import pathlib
import pty
import random
import shutil
import signal
import subprocess
import termios
import time
import unittest

from program import MPIRUN, LongRun, ranks_of

SOAK = int(os.environ.get("STRATA_SOAK", "1"))
THROWING_RANK = os.environ["STRATA_THROWING_RANK"]


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
            there = any((self.directory / f"out/a.checkpoint{age}.h5").exists() for age in ("", ".1"))
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
        """Open MPI's mpirun has once kept waiting for ranks that had ended, killed while it started them: it is killed
        then."""
        try:
            run.communicate(timeout=120)
        except subprocess.TimeoutExpired:
            self.wait_until_gone(ranks)
            run.kill()
            run.communicate()

    def wait_until_gone(self, processes):
        end = time.monotonic() + 20
        while any(pathlib.Path(f"/proc/{p}").exists() and " Z " not in pathlib.Path(f"/proc/{p}/stat").read_text()
                  for p in processes):
            self.assertLess(time.monotonic(), end, "ranks outlive mpirun")
            time.sleep(0.05)

    def plant_leftovers(self):
        """Temporary files as kills leave them, and files of others with names alike."""
        own = ["out/a.h5.tmp.123", "out/a.checkpoint.h5.tmp.4567"]
        others = ["out/a2.h5.tmp.123", "out/a2.checkpoint.h5.tmp.123", "out/b.a.h5.tmp.1", "out/a.h5.tmp.12.h5",
                  "out/a.h5.tmp."]
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
        refused = "The system refused memory that was free when the run began."
        alone = r"\[rank 1 \S+\] "
        for how, code, says in (("error", 4, alone + "the disk is on fire"), ("memory", 3, alone + refused),
                                ("region", 3, alone + refused), ("thread", 3, alone + refused), ("body", 3, refused),
                                ("other", 70, alone + "An exception that is none of the C\\+\\+ library")):
            begin = time.monotonic()
            done = subprocess.run([MPIRUN, "-n", "3", THROWING_RANK, how], capture_output=True, text=True, timeout=120)
            self.assertEqual(done.returncode, code, how)
            self.assertRegex(done.stderr, "(?m)^strata: " + says, how)
            self.assertEqual(done.stderr.count("strata: "), 1, done.stderr)
            self.assertLess(time.monotonic() - begin, 6)

    def test_ranks_that_a_launcher_of_another_mpi_starts(self):
        """Each is alone for this MPI, and all would write the same files."""
        job = self.job()
        for rank, size in (("PMI_RANK", "PMI_SIZE"), ("SLURM_PROCID", "SLURM_STEP_NUM_TASKS")):
            _, err = self.strata("run", job, code=2, environment={rank: "0", size: "4"})
            self.assertIn(f"strata: {size} = 4 ranks were started, but each is alone", err)
            _, err = self.strata("run", job, code=2, environment={rank: "1", size: "4"})
            self.assertEqual(err, "")
            self.strata("run", job, "--output.overwrite=yes", environment={rank: "0", size: "1"})


class SingleProcesses(LongRun):
    def test_need_nothing_of_their_surroundings(self):
        """Neither a daemon of MPI nor a directory that other processes share and remove."""
        job = self.job()
        self.strata("run", job, environment={"TMPDIR": "/dev/null/none"})
        command = ["env", "-i", *map(str, self.command(None, "run", job, "--output.overwrite=yes"))]
        done = subprocess.run(command, cwd=self.directory, capture_output=True, text=True, timeout=60)
        self.assertEqual(done.returncode, 0, done.stderr)

    def test_load_no_libraries_of_networks(self):
        """They take four times as long as the rest of a start."""
        loader = ("LD_DEBUG=files", f"LD_DEBUG_OUTPUT={self.directory}/loaded")
        command = ["env", "-i", *loader, *map(str, self.command(None, "run", self.job()))]
        done = subprocess.run(command, cwd=self.directory, capture_output=True, text=True, timeout=60)
        self.assertEqual(done.returncode, 0, done.stderr)
        loaded = "".join(path.read_text() for path in self.directory.glob("loaded.*"))
        self.assertIn("calling init", loaded)
        self.assertNotRegex(loaded, "calling init: .*(psm2|fabric|ucp|ibverbs)")


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

    def test_every_one_that_ends_a_process_saves_the_work_unless_it_is_ignored(self):
        for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP, signal.SIGXCPU):
            for ignored in ((), (number,)):
                with self.subTest(number, ignored=ignored):
                    shutil.rmtree(self.directory / "out", ignore_errors=True)
                    run = self.start(None, "run", self.long_job(), "--checkpoint.interval=1d", ignored=ignored)
                    self.wait_for("out/a.lock")
                    time.sleep(0.5)
                    run.send_signal(number)
                    if ignored:
                        time.sleep(0.7)
                        self.assertIsNone(run.poll())
                        run.send_signal(signal.SIGUSR2)
                    out, err = run.communicate(timeout=120)
                    self.assertEqual(run.returncode, 0, err)
                    self.assertIn("Stopped cleanly", out)
                    self.assertTrue((self.directory / "out/a.checkpoint.h5").exists())

    def test_a_closed_terminal_saves_the_work(self):
        ours, theirs = pty.openpty()
        run = subprocess.Popen(self.command(None, "run", self.long_job(), "--checkpoint.interval=1d"),
                               cwd=self.directory, stdin=theirs, stdout=theirs, stderr=theirs, start_new_session=True,
                               preexec_fn=lambda: fcntl.ioctl(0, termios.TIOCSCTTY, 0))
        os.close(theirs)
        self.wait_for("out/a.lock")
        time.sleep(0.5)
        os.close(ours)
        self.assertEqual(run.wait(timeout=120), 0)
        self.assertGreater(self.steps_saved(), 0)

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
        run = self.start(None, "run", self.job(extents="32768,32768", sweeps=1000), "--backend.threads=1",
                         "--backend.simd=portable")
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
        out, _ = self.strata("resume", "out/a.checkpoint.h5", ranks=2,
                             environment={"SLURM_JOB_END_TIME": str(int(time.time()) + 3)})
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


if __name__ == "__main__":
    unittest.main(verbosity=2)
