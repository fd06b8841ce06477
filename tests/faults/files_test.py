# SPDX-License-Identifier: BSD-3-Clause
"""Locks, damaged and changed results, links, FIFOs and long paths: one run per set of files, and no number is shown
that was not written. STRATA_SOAK=N repeats the random tests N times as often."""

import json
import os
import random
import shlex
import shutil
import signal
import subprocess
import time
import unittest

from program import JOB, MPIRUN, PROGRAM, ProgramTest

SOAK = int(os.environ.get("STRATA_SOAK", "1"))

SMALL_JOBS = {
    "swendsen-wang": "[lattice]\nextents = 16,16\n[model]\nbeta = 0.4\n[run]\nsweeps = 50\n",
    "lanczos": "[lattice]\ntype = ring\nextents = 6\n[sector]\nup = 3\ndown = 3\n[model]\nu = 4\n",
    "kronecker": "[model]\nsites = 8\nsaved-states = 20\noperators = 2\n[run]\nrepeats = 2\n",
    "dmrg": "[lattice]\nextents = 8\n[model]\nu = 4\n[run]\nschedule = 16,16\n",
    "trotter": "[lattice]\ntype = ring\nextents = 6\n[model]\ntype = heisenberg\n[run]\nsteps = 20\n",
}


class Locks(ProgramTest):
    """The kernel's lock decides, whatever is written in the file."""

    def setUp(self):
        super().setUp()
        self.lock = self.directory / "out/a.lock"
        self.write("a.ini", JOB.format(extents="64,60", beta="0.44",
                                       sweeps=10**9).replace("seed = 5", "seed = 5\nmeasure-every = 997"))
        self.runs = []

    def tearDown(self):
        for run in self.runs:
            self.end(run)
        super().tearDown()

    def end(self, run):
        run.kill()
        run.wait()
        run.stderr.close()

    def begin(self, program=PROGRAM, output="out"):
        run = subprocess.Popen([str(program), "run", "a.ini", "--output.overwrite=yes", "--checkpoint.interval=0.1s"],
                               cwd=self.directory, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        self.runs.append(run)
        return run

    def expect_in_use(self, program, owner):
        for words in (("run", "a.ini", "--output.overwrite=yes"), ("resume", "out/a.checkpoint.h5")):
            done = subprocess.run([str(program), *words], cwd=self.directory, capture_output=True, text=True,
                                  timeout=60)
            self.assertEqual(done.returncode, 2, done.stderr)
            self.assertIn(f"in use by process {owner.pid} on", done.stderr)

    def test_programs_of_other_names_respect_each_other(self):
        other, blank = self.directory / "strata-new", self.directory / "my strata (2)"
        for link in (other, blank):
            link.symlink_to(PROGRAM)
        for first, second in ((PROGRAM, other), (other, PROGRAM), (blank, blank)):
            run = self.begin(first)
            self.wait_for("out/a.checkpoint.h5")
            self.expect_in_use(second, run)
            self.end(run)
            # a kill between the renames of two checkpoints leaves the older one alone
            (self.directory / "out/a.checkpoint.h5").unlink(missing_ok=True)

    def test_what_dead_runs_leave_is_taken_over(self):
        host = subprocess.run(["hostname"], capture_output=True, text=True).stdout.strip()
        # of a number that lives again, made but not written, torn
        for words in (f"{host} {os.getpid()} 2026-01-01T00:00:00Z\n", "", host):
            (self.directory / "out").mkdir(exist_ok=True)
            self.lock.write_text(words)
            self.strata("run", "a.ini", "--run.wall-time=0s", "--output.overwrite=yes")
            self.assertFalse(self.lock.exists())

    def in_container(self, name, *words):
        """The program in a UTS namespace of its own, as a container is: another host name, the same kernel."""
        program = " ".join(map(shlex.quote, (PROGRAM, *words)))
        return subprocess.Popen(["unshare", "-u", "sh", "-c", f"hostname {name} && exec {program}"],
                                cwd=self.directory, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)

    def test_a_run_of_a_container_that_is_gone_is_taken_over(self):
        if subprocess.run(["unshare", "-u", "hostname", "other"], capture_output=True).returncode != 0:
            self.skipTest("this user may not unshare the host name")
        first = self.in_container("first", "run", "a.ini", "--checkpoint.interval=0.1s")
        self.runs.append(first)
        self.wait_for("out/a.checkpoint.h5")
        second = self.in_container("second", "resume", "out/a.checkpoint.h5")
        self.assertIn(f"in use by process {first.pid} on first", second.communicate(timeout=60)[1])
        self.assertEqual(second.returncode, 2)
        self.assertIn("running: process", self.strata("show", "out/a.h5")[0])
        first.kill()
        first.wait()
        self.assertNotIn("running", self.strata("show", "out/a.h5")[0])
        third = self.in_container("third", "resume", "out/a.checkpoint.h5", "--run.wall-time=0s")
        self.assertEqual((third.communicate(timeout=60)[1], third.returncode), ("", 0))

    def test_a_requeued_job_of_slurm_takes_over_its_own_lock(self):
        (self.directory / "out").mkdir()
        run = ("run", "a.ini", "--run.wall-time=0s", "--output.overwrite=yes")
        for lock, restarts, taken in (("c/7#0", "1", True), ("c/7#1", "3", True), ("c/7#1", "1", False),
                                      ("c/7#2", "1", False), ("c/8#0", "1", False), ("d/7#0", "1", False),
                                      ("-", "1", False), ("", "1", False)):
            self.lock.write_text(f"lost-node 5 2026-01-01T00:00:00Z another-boot:1 {lock}\n")
            _, err = self.strata(*run, code=0 if taken else 2, environment={
                "SLURM_JOB_ID": "7", "SLURM_CLUSTER_NAME": "c", "SLURM_RESTART_COUNT": restarts})
            self.assertEqual("in use by process 5 on lost-node" in err, not taken, lock)
        _, err = self.strata(*run, code=2)  # no job of Slurm at all
        self.assertIn("remove the file", err)

    def test_of_runs_that_start_on_a_stale_lock_one_begins(self):
        (self.directory / "out").mkdir()
        for _ in range(3 * SOAK):
            self.lock.write_text("")
            started = [self.begin() for _ in range(3)]
            end = time.monotonic() + 90
            while sum(run.poll() is None for run in started) > 1 and time.monotonic() < end:
                time.sleep(0.05)
            self.assertEqual(sorted(run.poll() is None for run in started), [False, False, True])
            for run in started:
                self.end(run)

    def test_a_run_does_not_remove_the_lock_of_another(self):
        first = self.begin()
        self.wait_for("out/a.checkpoint.h5")
        self.lock.unlink()  # as the sentence of another host's lock advises, too early
        self.write("out/a.lock", "of another run\n")
        first.send_signal(signal.SIGTERM)
        first.wait(timeout=60)
        self.assertEqual(self.lock.read_text(), "of another run\n")

    def test_what_is_no_lock_is_named(self):
        (self.directory / "out").mkdir()
        secret = self.write("secret", "mine")
        for make in (lambda: os.mkfifo(self.lock), lambda: self.lock.symlink_to(secret)):
            make()
            _, err = self.strata("run", "a.ini", code=2, timeout=60)
            self.assertIn("out/a.lock is not a regular file", err)
            self.lock.unlink()
        self.assertEqual(secret.read_text(), "mine")
        self.lock.write_text("host\x1b[31m 7 today\n")
        self.refused("run", "a.ini", says="process 7 on host\\x1b[31m since today")


class DamagedResults(ProgramTest):
    """A result is shown as it was written, or refused with 4."""

    def show(self, path):
        done = subprocess.run([PROGRAM, "show", "--json", str(path)], cwd=self.directory, capture_output=True,
                              text=True, errors="replace", timeout=60)
        return done.returncode, done.stdout, done.stderr

    def test_flipped_bits_and_truncations(self):
        chance = random.Random(11)
        count = 20 if SOAK == 1 else 75 * SOAK
        for application, text in SMALL_JOBS.items():
            self.strata("run", self.write(f"{application}.ini", f"application = {application}\n{text}"))
            good = (self.directory / f"out/{application}.h5").read_bytes()
            _, shown, _ = self.show(f"out/{application}.h5")
            interesting = [i for i, byte in enumerate(good) if byte != 0]
            for number in range(count):
                data = bytearray(good)
                place, bit = chance.choice(interesting), chance.randrange(8)
                data[place] ^= 1 << bit
                if number % 10 == 9:
                    data = data[: chance.randrange(len(data))]
                code, out, err = self.show(self.write("damaged.h5", bytes(data)))
                self.assertIn(code, (0, 4), f"{application}: byte {place}, bit {bit}: {err}")
                if code == 0:
                    self.assertEqual(out, shown, f"{application}: byte {place}, bit {bit}")
                else:
                    self.assertIn("damaged.h5", err)

    def test_changed_numbers_are_refused_and_written_again(self):
        import h5py

        self.strata("run", self.job())
        path = self.directory / "out/a.h5"
        good = json.loads(self.show(path)[1])
        changes = (lambda f: f["results/energy/value"].__setitem__(0, -99),
                   lambda f: f["series/energy"].__setitem__(7, 1),
                   lambda f: f["job"].attrs.__setitem__("ranks", 7), lambda f: f["results"].move("energy", "binder-2"))
        for number, change in enumerate(changes):
            with h5py.File(path, "r+") as f:
                change(f)
            code, out, err = self.show(path)
            self.assertEqual((code, out), (4, ""), number)
            self.assertIn("out/a.h5 cannot be read: ", err)
            _, err = self.strata("resume", "out/a.checkpoint.h5")
            self.assertIn("It is written again.", err)
            self.assertEqual(json.loads(self.show(path)[1])["observables"], good["observables"])

    def test_hostile_results(self):
        import h5py

        self.strata("run", self.job())
        good = (self.directory / "out/a.h5").read_bytes()
        secret = self.write("secret", b"s" * 4096)
        fifo = self.directory / "fifo.h5"
        os.mkfifo(fifo)
        value = "results/energy/value"

        def replaced(name, make):
            def change(f):
                del f[name]
                make(f)
            return change

        source = h5py.VirtualSource(str(fifo), "x", shape=(4,))
        virtual = h5py.VirtualLayout(shape=(4,), dtype="<f8")
        virtual[:] = source
        cases = {
            "huge": replaced(value, lambda f: f.create_dataset(value, (2**60,), "<f8", chunks=(1024,))),
            "huge and contiguous": replaced(value, lambda f: f.create_dataset(value, (2**38,), "<f8")),
            "compressed": replaced(value, lambda f: f.create_dataset(value, (2**20,), "<f8", chunks=(1024,),
                                                                     compression="gzip")),
            "external storage": replaced(value, lambda f: f.create_dataset(value, (8,), "<f8",
                                                                           external=[(str(secret), 0, 64)])),
            "external link": replaced("results/energy",
                                      lambda f: f.__setitem__("results/energy", h5py.ExternalLink(str(fifo), "/x"))),
            "external results": replaced("results",
                                         lambda f: f.__setitem__("results", h5py.ExternalLink(str(fifo), "/x"))),
            "virtual": replaced(value, lambda f: f.create_virtual_dataset(value, virtual)),
            "soft link": replaced(value, lambda f: f.__setitem__(value, h5py.SoftLink("/series/energy"))),
            "group in itself": replaced(value, lambda f: f["results/energy"].__setitem__("value", f["results"])),
            "text": replaced(value, lambda f: f.__setitem__(value, "text")),
            "names": lambda f: f["results"].create_group("\x1b[31mred"),
        }
        for name, change in cases.items():
            with self.subTest(name):
                path = self.write("hostile.h5", good)
                with h5py.File(path, "r+") as f:
                    change(f)
                code, out, err = self.show(path)
                self.assertEqual((code, out), (4, ""), err)
                self.assertNotIn("\x1b", err)


class OtherFiles(ProgramTest):
    def test_what_is_no_result_or_checkpoint_is_named(self):
        self.strata("run", self.job())
        os.mkfifo(self.directory / "f.checkpoint.h5")
        self.write("terms.txt", "1 Sz 0\n")
        for words, code, sentence in ((("show", "nosuch.h5"), 4, "nosuch.h5 does not exist."),
                                      (("show", "out"), 4, "out is a directory."),
                                      (("show", "f.checkpoint.h5"), 4, "is not a regular file."),
                                      (("show", "/dev/zero"), 4, "is not a regular file."),
                                      (("show", "a.ini"), 4, "a.ini is a job, not a result"),
                                      (("show", "terms.txt"), 4, "terms.txt is not an HDF5 file"),
                                      (("show", "out/a.checkpoint.h5"), 4,
                                       "is a checkpoint, not a result; that is out/a.h5."),
                                      (("resume", "out/a.h5"), 2, "That of this result is out/a.checkpoint.h5."),
                                      (("resume", "out/b.checkpoint.h5"), 4, "out/b.checkpoint.h5 does not exist."),
                                      (("resume", "f.checkpoint.h5"), 4, "is not a regular file.")):
            _, err = self.strata(*words, code=code, timeout=60)
            self.assertIn(sentence, err)
            self.assertNotIn("errno", err)

    def test_external_links_of_a_checkpoint_are_not_opened(self):
        import h5py

        self.strata("run", self.job())
        good = (self.directory / "out/a.checkpoint.h5").read_bytes()
        os.mkfifo(self.directory / "fifo.h5")
        for name in ("header", "series", "state", "digest"):
            path = self.write("hostile.checkpoint.h5", good)
            with h5py.File(path, "r+") as f:
                del f[name]
                f[name] = h5py.ExternalLink("fifo.h5", "/x")
            _, err = self.strata("resume", path, "--run.sweeps=500", code=4, timeout=60)
            self.assertIn("is a link to elsewhere", err)

    def test_long_paths(self):
        for length in (225, 700):
            pieces = [("d" * 120)[: length - start] for start in range(0, length, 121)]
            place = "/".join(filter(None, pieces))
            self.strata("run", self.job(), f"--output.directory={place}", ranks=2)
            self.strata("resume", f"{place}/a.checkpoint.h5", "--run.sweeps=250")
            shutil.rmtree(self.directory / pieces[0])
        self.refused("run", self.job(), "--output.name=" + "n" * 201, says="names may have 200 bytes")
        self.refused("run", self.job(), "--output.directory=" + "d/" * 2000, says="is too long")
        self.assertEqual(self.files(), ["a.ini"])

    def test_a_file_of_plans_is_known_by_its_first_line(self):
        job = self.write("t.ini", "application = trotter\n" + SMALL_JOBS["trotter"])
        foreign = self.write("mine.txt", "alias ls=rm\n")
        os.mkfifo(self.directory / "fifo")
        (self.directory / "folder").mkdir()
        for path in ("mine.txt", "fifo", "/dev/zero", "folder"):
            for tune in ("use", "refresh"):
                done = subprocess.run([PROGRAM, "run", str(job), f"--backend.tune={tune}",
                                       f"--backend.tune-file={path}"], cwd=self.directory,
                                      capture_output=True, text=True, timeout=60)
                self.assertIn(done.returncode, (2, 4), done.stderr)
                self.assertIn(path, done.stderr)
        self.assertEqual(foreign.read_text(), "alias ls=rm\n")
        (self.directory / "link.txt").symlink_to("plans.txt")
        self.strata("run", job, "--backend.tune=refresh", "--backend.tune-file=plans.txt")
        first = (self.directory / "plans.txt").read_text()
        self.strata("run", job, "--backend.tune=refresh", "--backend.tune-file=link.txt", "--output.overwrite=yes")
        self.assertTrue((self.directory / "link.txt").is_symlink())
        self.assertEqual(first.splitlines()[0], (self.directory / "plans.txt").read_text().splitlines()[0])


class MpirunSignals(ProgramTest):
    def test_terminated_mpirun_with_time_to_save(self):
        job = JOB.format(extents="64,60", beta="0.44", sweeps=10**9).replace("seed = 5",
                                                                             "seed = 5\nmeasure-every = 997")
        environment = {**os.environ, "OMPI_MCA_odls_base_sigkill_timeout": "10",
                       "PRTE_MCA_odls_base_sigkill_timeout": "10"}
        for number in (signal.SIGTERM, signal.SIGINT):
            run = subprocess.Popen([MPIRUN, "-n", "2", PROGRAM, "run", str(self.write("a.ini", job)),
                                    "--output.overwrite=yes",
                                    "--checkpoint.interval=1d"], cwd=self.directory, env=environment,
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True)
            self.wait_for("out/a.lock")
            time.sleep(1.5)
            run.send_signal(number)
            out, err = run.communicate(timeout=120)
            self.assertIn("Stopped cleanly", out, err)
            for name in ("a.h5", "a.checkpoint.h5"):
                self.assertTrue((self.directory / "out" / name).exists())
            self.assertFalse((self.directory / "out/a.lock").exists())
            shutil.rmtree(self.directory / "out")


if __name__ == "__main__":
    unittest.main(verbosity=2)
