# SPDX-License-Identifier: BSD-3-Clause
"""Runs the program as a user does, for the tests of this folder."""

import csv
import io
import json
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1]))
import launch  # noqa: E402
from launch import MPIRUN, PROGRAM, instruction_sets  # noqa: E402, F401

JOBS = pathlib.Path(__file__).resolve().parents[2] / "jobs"

JOB = """application = swendsen-wang
[lattice]
extents = {extents}
[model]
beta = {beta}
[run]
sweeps = {sweeps}
thermalization = 10
seed = 5
"""

SCAN = """application = swendsen-wang
[lattice]
extents = 16,16
[run]
sweeps = {sweeps}
thermalization = 10
[scan]
model.temperature = {temperatures}
run.seed = {seeds}
"""


class ProgramTest(unittest.TestCase):
    def setUp(self):
        self.directory = pathlib.Path(tempfile.mkdtemp(prefix="strata test "))  # a path with a blank, on purpose
        self.addCleanup(shutil.rmtree, self.directory, ignore_errors=True)  # after a disk in it was unmounted

    def write(self, name, text):
        path = self.directory / name
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        return path

    def job(self, extents="64,64", beta="0.44", sweeps=200, name="a.ini"):
        return self.write(name, JOB.format(extents=extents, beta=beta, sweeps=sweeps))

    def command(self, ranks, *arguments):
        return launch.command(ranks, *arguments)

    def strata(self, *arguments, ranks=None, code=0, timeout=300, environment=None):
        """Runs to the end; returns stdout and stderr. ranks=None runs without mpirun."""
        done = launch.run(self.command(ranks, *arguments), self.directory, timeout, **(environment or {}))
        self.assertEqual(done.returncode, code, f"{arguments}\n{done.stdout}\n{done.stderr}")
        return done.stdout, done.stderr

    def peak_bytes(self, *arguments):
        """Memory of a run with one thread, also of the BLAS, whose buffers come and go with the load of the machine. A
        small process starts it, because the peak of a process counts from that of the one that it was forked from."""
        starter = ("import os, subprocess, sys\n"
                   "run = subprocess.Popen(sys.argv[1:], stdout=subprocess.DEVNULL)\n"
                   "_, status, used = os.wait4(run.pid, 0)\n"
                   "print(used.ru_maxrss)\n"
                   "sys.exit(status != 0)")
        command = self.command(None, "run", "a.ini", "--output.overwrite=yes", "--backend.threads=1", *arguments)
        done = subprocess.run([sys.executable, "-c", starter, *command], cwd=self.directory, capture_output=True,
                              text=True, env=launch.environment(OPENBLAS_NUM_THREADS="1"))
        self.assertEqual(done.returncode, 0, done.stderr)
        return int(done.stdout) * 1024

    def start(self, ranks, *arguments, ignored=()):
        """Starts in the background, in its own process group; it ignores these signals, and no others that the tests
        may ignore because they were started by nohup or by a script in the background."""
        def dispositions():
            for number in (signal.SIGINT, signal.SIGHUP, signal.SIGTERM, signal.SIGXCPU):
                signal.signal(number, signal.SIG_IGN if number in ignored else signal.SIG_DFL)

        return subprocess.Popen(self.command(ranks, *arguments), cwd=self.directory, stdout=subprocess.PIPE,
                                stderr=subprocess.PIPE, text=True, start_new_session=True, preexec_fn=dispositions,
                                env=launch.environment())

    def make_slurm(self):
        """A srun that runs one rank, and an scontrol that only notes what it was asked."""
        for name, text in (("srun", 'while [[ "$1" == --* ]]; do shift; done\nexec "$@"\n'),
                           ("scontrol", 'echo "$@" >> queue\n'), ("strata", f'exec "{PROGRAM}" "$@"\n')):
            (self.directory / "bin").mkdir(exist_ok=True)
            self.write(f"bin/{name}", "#!/bin/bash\n" + text).chmod(0o755)

    def batch(self, job, environment, *words):
        """Runs the batch script of jobs/ as Slurm would."""
        path = pathlib.Path(__file__).parents[2] / "jobs/strata.sbatch"
        slurm = {"PATH": f"{self.directory}/bin:{os.environ['PATH']}", "SLURM_CPUS_PER_TASK": "1", "SLURM_JOB_ID": "7"}
        subprocess.run(["bash", str(path), str(job), *words], cwd=self.directory,
                       env=launch.environment(**slurm, **environment), check=True, capture_output=True)

    def json(self, *arguments, **options):
        """What a verb prints for programs."""
        return json.loads(self.strata(*arguments, "--json", **options)[0])

    def keys_of(self, application, *settings):
        """section.key -> the members of the key."""
        return self.json("keys", application, *settings)["applications"][application]["keys"]

    def planned(self, *arguments):
        """What `strata plan` predicts for the CPU."""
        return self.json("plan", *arguments, "--backend.device=cpu")["backends"]["cpu"]

    @staticmethod
    def bytes_of(part):
        """The sizes of a part of a plan: name -> bytes."""
        return {item["name"]: item["bytes"] for item in part["items"]}

    def result(self, name="a"):
        return self.json("show", f"out/{name}.h5")

    def refused(self, *arguments, says=(), code=2, ranks=None):
        """Expects that a command fails, says this text or each of these, and leaves all files as they are."""
        before = self.files(), (self.directory / "out").exists()
        _, err = self.strata(*arguments, code=code, ranks=ranks, timeout=90)
        for words in [says] if isinstance(says, str) else says:
            self.assertIn(words, err)
        self.assertNotIn("terminate called", err)
        self.assertEqual((self.files(), (self.directory / "out").exists()), before)
        return err

    def draw(self, name):
        """The picture that jobs/plot.py draws of a result."""
        subprocess.run([sys.executable, str(JOBS / "plot.py"), f"out/{name}.h5"], cwd=self.directory, check=True,
                       stdout=subprocess.DEVNULL)
        self.assertTrue((self.directory / f"out/{name}.png").exists())

    def expect_same_result(self, name="a", other="whole"):
        """The same state and the same numbers; returns the first result."""
        found, expected = self.result(name), self.result(other)
        self.assertEqual(found["state_hash"], expected["state_hash"])
        self.assertEqual(found["observables"], expected["observables"])
        return found

    def kill_after_a_checkpoint(self, ranks, *arguments, rank=0):
        """A run of which a rank is killed once it has written a checkpoint; mpirun ends the others."""
        run = self.start(ranks, "run", *arguments)
        self.wait_for("out/a.checkpoint.h5")
        kill_rank(run, ranks, rank)
        self.assertNotEqual(run.returncode, 0)

    def steps_saved(self, name="a"):
        """Of the newest checkpoint: a kill between the two renames of a new one leaves only the one before. (The result
        file may be behind it: it is written after it.)"""
        import h5py

        steps = []
        for path in (self.directory / f"out/{name}.checkpoint{age}.h5" for age in ("", ".1")):
            if path.exists():
                with h5py.File(path) as f:
                    steps.append(json.loads(f["header"][()].tobytes().rstrip(b"\0"))["step"])
        return max(steps)

    def wait_for(self, path, seconds=90):
        end = time.monotonic() + seconds
        while not (self.directory / path).exists():
            self.assertLess(time.monotonic(), end, f"{path} did not appear")
            time.sleep(0.02)

    def files(self):
        return sorted(str(p.relative_to(self.directory)) for p in self.directory.rglob("*") if p.is_file())


class LongRun(ProgramTest):
    """A run of tiny sweeps that is observed seldom, so that it can go on for minutes with small files."""

    def long_job(self, extents="64,60", tempering=""):
        text = JOB.format(extents=extents, beta="0.44", sweeps=10**9).replace("seed = 5",
                                                                              "seed = 5\nmeasure-every = 997")
        if tempering:
            text = text.replace("beta = 0.44", "opposite-bonds = 0.5")
            text = text.replace("seed = 5", f"seed = 5\ntempering = {tempering}\noverlap = yes")
        return self.write("a.ini", text + "[checkpoint]\ninterval = 0.05s\n")

    def finish_and_compare(self):
        """Ends the interrupted run soon and compares it with an undisturbed one."""
        sweeps = self.steps_saved() + 5000
        self.strata("resume", "out/a.checkpoint.h5", f"--run.sweeps={sweeps}", ranks=2)
        self.strata("run", "a.ini", f"--run.sweeps={sweeps}", "--output.name=whole")
        self.assertTrue(self.expect_same_result()["complete"])


class ScanTest(ProgramTest):
    """A scan of tiny Ising lattices, and the table of its points."""

    def scan(self, name="a", sweeps=100, temperatures="2, 2.5", seeds="1, 2"):
        return self.write(f"{name}.ini", SCAN.format(sweeps=sweeps, temperatures=temperatures, seeds=seeds))

    def table(self, name="a"):
        out, _ = self.strata("show", "--csv", f"out/{name}.h5")
        return list(csv.DictReader(io.StringIO(out)))

    def csv(self, name="a"):
        return self.strata("show", "--csv", f"out/{name}.h5")[0]


def children(parent):
    """Process numbers of the ranks that a started mpirun has now, without those that have ended and are not yet waited
    for; MPICH has one more process between."""
    found = subprocess.run(["pgrep", "-l", "-r", "DRSTt", "-P", str(parent)], capture_output=True,
                           text=True).stdout.splitlines()
    return [rank for number, name in (line.split(maxsplit=1) for line in found)
            for rank in (children(number) if name == "hydra_pmi_proxy" else [int(number)])]


def ranks_of(run, count):
    """Process numbers of the ranks below a started mpirun, once it has all of them: on a busy machine that takes
    seconds."""
    end = time.monotonic() + 60
    while True:
        found = children(run.pid)
        if len(found) >= count:
            return found
        if run.poll() is not None or time.monotonic() > end:
            raise AssertionError(f"mpirun has {len(found)} of {count} ranks, exit code {run.returncode}")
        time.sleep(0.02)


def kill_rank(run, count, rank):
    """Kills a rank of a started mpirun and waits until all have ended. Returns whether it was there: a run may end
    before. Open MPI 4.1 may hang when its ranks are gone (PMIx_server_finalize waits for a mutex that nothing holds any
    more): then it is killed. Ranks that stay raise TimeoutExpired."""
    killed = True
    try:
        os.kill(ranks_of(run, count)[rank], signal.SIGKILL)
    except (AssertionError, ProcessLookupError):
        if run.poll() is None:
            raise
        killed = False
    try:
        run.communicate(timeout=90)
    except subprocess.TimeoutExpired:
        if stay := children(run.pid):
            waits = subprocess.run(["ps", "-L", "-o", "pid,lwp,stat,wchan:30,time,comm", "-p",
                                    ",".join(map(str, [run.pid, *stay]))], capture_output=True, text=True).stdout
            raise AssertionError(f"ranks stay 90 s after one was killed:\n{waits}") from None
        run.kill()
        run.communicate()
    return killed


if __name__ == "__main__":
    sys.exit("import this")
