# SPDX-License-Identifier: BSD-3-Clause
"""Stops, kills, damage and lack of space while a job computes many points: no point is lost, no other number comes
out."""

import os
import random
import resource
import signal
import subprocess
import time
import unittest

from program import ScanTest, kill_rank, ranks_of


class Faults(ScanTest):
    """Points of some tenths of a second each, two for each of eight costs."""

    KILLS = int(os.environ.get("STRATA_SCAN_KILLS", "6"))

    def long_scan(self, name="a", interruptions=3):
        most = 1000 * interruptions  # a second more than they leave
        return self.write(f"{name}.ini",
                          "application = swendsen-wang\n[lattice]\nextents = 256,256\n[model]\nbeta = 0.44\n"
                          "[run]\nthermalization = 10\nmeasure-every = 10\n[checkpoint]\n"
                          "interval = 0.1s\n[backend]\nthreads = 1\n"
                          f"[scan]\nrun.sweeps = {most // 8}:{most}:{most // 8}\nrun.seed = 1, 2\n")

    def expected(self, interruptions=3):
        self.long_scan("whole", interruptions)
        self.strata("run", "whole.ini", ranks=2)
        return self.csv("whole")

    def done(self):
        return sum(row["exit_code"] != "" for row in self.table())

    def test_a_stop_keeps_all_points(self):
        expected = self.expected(interruptions=8)
        self.long_scan(interruptions=8)
        for ranks, what in ((2, "run"), (3, "resume"), (1, "resume")):
            run = self.start(ranks, what, "a.ini" if what == "run" else "out/a.h5")
            self.wait_for("out/a.h5")
            time.sleep(1)
            run.send_signal(signal.SIGUSR2)
            out, err = run.communicate(timeout=120)
            self.assertEqual(run.returncode, 0, out + err)
            if "Stopped cleanly" not in out:
                break
        self.strata("resume", "out/a.h5", ranks=2)
        self.assertEqual(self.csv(), expected)
        self.assertEqual([f for f in self.files() if "point" in f], [])

    def test_a_signal_to_one_rank_stops_all_groups(self):
        self.long_scan()
        for rank in (0, 2):
            run = self.start(3, "run", "a.ini", "--output.overwrite=yes", "--run.thermalization=20000")
            self.wait_for("out/a.h5")
            time.sleep(0.5)
            os.kill(ranks_of(run, 3)[rank], signal.SIGUSR2)
            out, err = run.communicate(timeout=60)
            self.assertEqual(run.returncode, 0, out + err)
            self.assertIn("Stopped cleanly", out)

    def test_kills_lose_no_point(self):
        expected = self.expected(self.KILLS)
        self.long_scan("a", self.KILLS)
        chance = random.Random(26)
        before = 0
        for kill in range(self.KILLS):
            ranks = chance.choice((1, 2, 3))
            run = self.start(ranks, "resume" if kill else "run", "out/a.h5" if kill else "a.ini")
            self.wait_for("out/a.h5")
            time.sleep(chance.uniform(0.1, 0.6))
            kill_rank(run, ranks, chance.randrange(ranks))
            done = self.done()
            self.assertGreaterEqual(done, before)
            before = done
            if done == 16:
                break
        self.assertGreater(kill, self.KILLS // 2)  # else the scan was too short
        self.strata("resume", "out/a.h5", ranks=2)
        self.assertEqual(self.csv(), expected)

    def test_a_point_goes_on_from_its_checkpoint(self):
        self.write("a.ini", "application = swendsen-wang\n[lattice]\nextents = 64,64\n[model]\nbeta = 0.44\n"
                            "[run]\nthermalization = 10\n[checkpoint]\ninterval = 0.1s\n[scan]\n"
                            "run.sweeps = 200, 1000000\n")
        run = self.start(2, "run", "a.ini")
        self.wait_for("out/a.point-1.checkpoint.1.h5")
        self.assertTrue(kill_rank(run, 2, 0))
        stored = self.steps_saved("a.point-1")
        self.assertGreater(stored, 0)
        out, _ = self.strata("resume", "out/a.h5", "--run.wall-time=1s")
        self.assertIn("Stopped cleanly after 0 of 2 points", out)
        self.assertGreater(self.steps_saved("a.point-1"), stored)
        for age in ("", ".1"):  # a torn checkpoint: the point begins anew, and says so
            (self.directory / f"out/a.point-1.checkpoint{age}.h5").write_bytes(b"torn")
        _, err = self.strata("resume", "out/a.h5", "--run.wall-time=1s")
        self.assertIn("The point begins anew", err)

    def test_a_file_that_cannot_grow_keeps_the_good_one(self):
        self.scan(sweeps=700, temperatures="2:2.9:0.1", seeds="1:20:1")

        def limit():  # below the 13 MB of its series
            resource.setrlimit(resource.RLIMIT_FSIZE, (4 << 20, resource.RLIM_INFINITY))
        done = subprocess.run(self.command(None, "run", "a.ini", "--backend.threads=1"), cwd=self.directory,
                              capture_output=True, text=True, timeout=180, preexec_fn=limit)
        self.assertEqual(done.returncode, 4, done.stdout + done.stderr)
        self.assertIn("out/a.h5", done.stderr)
        self.strata("resume", "out/a.h5", ranks=2)
        resumed = self.csv()
        self.strata("run", "a.ini", "--output.name=whole", ranks=2)
        self.assertEqual(resumed, self.csv("whole"))

    def test_a_point_without_space_keeps_its_checkpoint(self):
        self.write("a.ini", "application = swendsen-wang\n[lattice]\nextents = 8192,8192\n[run]\nsweeps = 1000\n"
                            "thermalization = 0\nmeasure-every = 1000000\n[checkpoint]\ninterval = 0.1s\n"
                            "[scan]\nmodel.beta = 0.44, 0.4\n")
        self.strata("run", "a.ini", "--run.wall-time=0s")
        path = self.directory / "out/a.point-0.checkpoint.h5"
        before = path.read_bytes()

        def limit():  # below the 8 MB of a checkpoint
            resource.setrlimit(resource.RLIMIT_FSIZE, (4 << 20, resource.RLIM_INFINITY))
        done = subprocess.run(self.command(None, "resume", "out/a.h5"), cwd=self.directory, capture_output=True,
                              text=True, timeout=180, preexec_fn=limit)
        self.assertEqual(done.returncode, 4, done.stdout + done.stderr)
        self.assertRegex(done.stdout, r"point 0 .* failed: .*a\.point-0\.checkpoint")
        self.assertEqual(path.read_bytes(), before)
        out, err = self.strata("resume", "out/a.h5", "--run.wall-time=0s")
        self.assertIn("Stopped cleanly after 0 of 2 points", out)
        self.assertNotIn("anew", err)

    def test_a_batch_script_goes_on_until_all_points_are_done(self):
        self.make_slurm()
        job, queue = self.long_scan(interruptions=8), self.directory / "queue"
        for part in range(100):  # a few on a quiet machine; a busy one leaves little of the 5 s
            queue.unlink(missing_ok=True)
            self.batch(job, {"SLURM_JOB_END_TIME": str(int(time.time()) + 5)})
            if not queue.exists():
                break
        self.assertGreater(part, 0)
        self.assertTrue(self.result()["complete"])
        self.assertEqual([f for f in self.files() if "point" in f], [])

    def test_a_damaged_file_is_told(self):
        self.scan()
        self.strata("run", "a.ini")
        path = self.directory / "out/a.h5"
        bytes_ = bytearray(path.read_bytes())
        at = bytes_.find(b"run.seed")
        bytes_[at] ^= 1
        path.write_bytes(bytes_)
        for verb in ("show", "resume"):
            self.strata(verb, "out/a.h5", code=4)


class WallTime(ScanTest):
    def test_a_scan_uses_the_time_that_the_batch_system_gives(self):
        """Points of half a second each: however late a point begins, the end of the batch job stays where it is."""
        self.write("a.ini", "application = swendsen-wang\n[lattice]\nextents = 256,256\n[model]\nbeta = 0.44\n"
                            "[run]\nsweeps = 2000\n[backend]\nthreads = 1\n[scan]\nrun.seed = 1:1000:1\n")
        begin, limit = time.time(), 16
        out, _ = self.strata("run", "a.ini", environment={"SLURM_JOB_END_TIME": str(int(begin) + limit)})
        self.assertIn("Stopped cleanly", out)
        self.assertGreater(time.time() - begin, 0.7 * limit)
        self.assertLess(time.time() - begin, 3 * limit)  # on a busy machine


class Files(ScanTest):
    """Which files are those of points, and which belong to others."""

    def test_have_names_that_no_other_job_takes(self):
        """s.point-1 recomputed by itself would lose its checkpoints to the scan s."""
        self.job(name="s.point-1.ini")
        self.refused("run", "s.point-1.ini", says="those of a point of the scan 's'")
        self.refused("run", self.job(), "--output.name=s.point-1", says="choose another output.name")
        self.strata("run", self.scan("s", sweeps=10**6), "--run.wall-time=0s")
        point = "out/s.point-0.checkpoint.h5"
        self.refused("resume", point, says="choose another output.name")
        self.strata("resume", point, "--output.name=alone", "--run.sweeps=20", "--run.wall-time=none")
        self.assertTrue(self.result("alone")["complete"])

    def test_leave_files_of_others(self):
        """Checkpoints with names of points whose content is another job's, and points that the scan does not have."""
        self.strata("run", self.job(), "--run.wall-time=0s", "--output.name=other")
        other = (self.directory / "out/other.checkpoint.h5").read_bytes()
        foreign = ["out/a.point-1.checkpoint.h5", "out/a.point-77.checkpoint.h5"]
        for path in foreign:
            self.write(path, other)
        self.refused("run", self.scan(), says="exists, of a point of a scan whose file is gone")
        for path in foreign:
            (self.directory / path).unlink()
        self.strata("run", "a.ini", "--run.wall-time=0s")
        for path in foreign:
            self.write(path, other)
        self.strata("resume", "out/a.h5")
        for path in foreign:
            self.assertEqual((self.directory / path).read_bytes(), other)
        self.strata("run", "a.ini", "--output.overwrite=yes")  # the user lets go of them
        self.assertEqual([f for f in self.files() if "point-" in f], [])

    def test_resume_with_what_the_job_of_a_point_refuses(self):
        text = ("application = trotter\n[lattice]\ntype = ring\nextents = 6\n[model]\ntype = heisenberg\n[run]\n"
                "steps = 20\n")
        self.strata("run", self.write("a.ini", text + "[scan]\nrun.step = 0.05, 0.1\n"), "--run.wall-time=0s")
        self.strata("run", self.write("b.ini", text), "--run.wall-time=0s")
        for name in ("a.h5", "b.checkpoint.h5"):
            self.refused("resume", f"out/{name}", "--backend.tune=refresh", says="backend.tune")


class Records(ScanTest):
    """What rank 0 keeps of all points, and writes."""

    def test_take_what_is_planned_for_their_records(self):
        """Points without much else: their records are the memory and the file."""
        small = "application = swendsen-wang\n[lattice]\nextents = 4,4\n[model]\nbeta = 0.4\n[run]\nsweeps = 10\n"
        self.write("a.ini", small)
        program = self.peak_bytes()
        for more in ("", "thermalization = 2\n"):
            job = self.write("a.ini", small + more + "[scan]\nrun.seed = 1:4000:1\n")
            plan = self.planned(job)
            memory, disk = plan["records"]["total"], plan["result_bytes"]
            used = self.peak_bytes() - program
            self.assertLess(used, memory)
            self.assertGreater(used, memory / 3)
            size = (self.directory / "out/a.h5").stat().st_size
            self.assertLess(size, disk)
            self.assertGreater(size, disk / 3)

    def test_whose_records_do_not_fit_are_refused(self):
        job = self.write("a.ini", "application = swendsen-wang\n[lattice]\nextents = 4,4\n[model]\nbeta = 0.4\n[run]\n"
                                  "sweeps = 10\n[scan]\nrun.seed = 1:99999:1\n")

        def limit():
            resource.setrlimit(resource.RLIMIT_AS, (1 << 30, 1 << 30))
        done = subprocess.run(self.command(None, "run", job, "--backend.threads=1"), cwd=self.directory,
                              capture_output=True, text=True, timeout=180, preexec_fn=limit)
        self.assertEqual(done.returncode, 3, done.stderr)
        self.assertIn("The records of 99999 points take", done.stderr)
        self.assertFalse((self.directory / "out/a.h5").exists())


if __name__ == "__main__":
    unittest.main()
