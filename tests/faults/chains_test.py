# SPDX-License-Identifier: BSD-3-Clause
"""Chains of kills, signals and resumes over small jobs of all applications, on changing numbers of ranks: the numbers
are those of the run in one go, to the last bit, and nothing is left behind. One chain for each application, and others:
STRATA_CHAINS=N runs N of these (8) and prints what was done to them; STRATA_CHAINS_SEED draws others."""

import collections
import json
import os
import pathlib
import random
import shutil
import signal
import subprocess
import time
import unittest

from program import ProgramTest, children

COUNT = int(os.environ.get("STRATA_CHAINS", "8"))
SEED = int(os.environ.get("STRATA_CHAINS_SEED", "1"))

ISING = "application = swendsen-wang\n[lattice]\nextents = {}\n[run]\nthermalization = 10\nmeasure-every = 97\n"
LANCZOS = ("application = lanczos\n[lattice]\ntype = ring\nextents = 10\n[model]\nu = 4\n[sector]\nup = 4\ndown = 3\n"
           "[run]\n")
SPINS = "application = trotter\n[lattice]\ntype = ring\nextents = 12\n[model]\ntype = heisenberg\n"
ANY, POWERS = (None, 1, 2, 3), (None, 1, 2)
# name -> (text, numbers of ranks); each takes about a second on one core
JOBS = {
    "swendsen-wang": (ISING.format("64,60") + "sweeps = 30000\n[model]\nbeta = 0.44\n", ANY),
    "wolff": (ISING.format("32,60") + "sweeps = 30000\nupdate = wolff\n[model]\nbeta = 0.44\n", (None, 1)),
    "tempering": (ISING.format("16,60") + "sweeps = 6000\ntempering = 0.8,1.2,1.6,2\noverlap = yes\n[model]\n"
                                          "opposite-bonds = 0.5\n", (None, 1, 2)),
    "lanczos-states": (LANCZOS + "states = 2\nallow-unconverged = yes\n", ANY),
    "lanczos-evolution": (LANCZOS + "task = evolution\n[evolution]\nsteps = 60\nup = 0,2,4,6\ndown = 1,3,5\n", ANY),
    "lanczos-thermal": (LANCZOS + "task = thermal\n[thermal]\nsamples = 10\n", ANY),
    "kronecker": ("application = kronecker\n[model]\nsites = 12\nsaved-states = 60\n[run]\nrepeats = 1000\n", ANY),
    "dmrg": ("application = dmrg\n[lattice]\nextents = 12\n[model]\nu = 4\n[run]\nschedule = 30,50,70,70\n", ANY),
    "trotter": (SPINS + "[run]\nsteps = 4000\n", POWERS),
    "trotter-ensemble": (SPINS + "[state]\ninitial = random\n[run]\nsteps = 200\nsamples = 20\n", POWERS),
    "scan": (ISING.format("64,64") + "[model]\nbeta = 0.44\n[scan]\nrun.sweeps = 1000:5000:1000\nrun.seed = 1, 2\n",
             ANY),
    "chained-scan": (ISING.format("64,64") + "sweeps = 3000\n[scan]\nmodel.temperature = 2.6:2:-0.1\n"
                                             "start = previous\n", ANY),
    "scan-of-lanczos": (LANCZOS + "[scan]\nmodel.v = 0, 0.5, 1, 1.5\n", ANY),
}

STOPS = {"TERM": signal.SIGTERM, "INT": signal.SIGINT, "USR2": signal.SIGUSR2, "HUP": signal.SIGHUP,
         "XCPU": signal.SIGXCPU}
FAULTS = [*STOPS, "KILL a rank", "KILL all", "KILL the launcher", "KILL after STOP", "KILL after USR1", "second run"]


def is_alive(process):
    try:
        return pathlib.Path(f"/proc/{process}/stat").read_text().rsplit(")", 1)[1].split()[0] != "Z"
    except FileNotFoundError:
        return False


class ChainTest(ProgramTest):
    done = collections.Counter()  # (fault, how the run ended)
    whole = {}  # job -> its numbers in one go

    def numbers(self, name):
        """What must not depend on interruptions."""
        if "scan" in name:
            return self.strata("show", "--csv", f"out/{name}.h5")[0]
        result = json.loads(self.strata("show", "--json", f"out/{name}.h5")[0])
        return result["state_hash"], result["observables"], result["exit_code"]

    def one_go(self, name):
        if name not in self.whole:
            self.strata("run", self.write(f"{name}.ini", JOBS[name][0]), "--backend.threads=1",
                        "--output.overwrite=yes")
            self.whole[name] = self.numbers(name)
            shutil.rmtree(self.directory / "out")
        return self.whole[name]

    def resumable(self, name):
        for file in (f"out/{name}.h5",) if "scan" in name else (f"out/{name}.checkpoint.h5",
                                                                f"out/{name}.checkpoint.1.h5"):
            if (self.directory / file).exists():
                return file.replace(".checkpoint.1", ".checkpoint")
        return None

    def owner(self, name):
        """The line of the lock by which a run is known to have begun, although a killed one has left its own."""
        try:
            return (self.directory / f"out/{name}.lock").read_text().partition("\n")[0]
        except FileNotFoundError:
            return ""

    def words(self, name, chance):
        file = self.resumable(name)
        start = ["resume", file] if file else ["run", f"{name}.ini", "--output.overwrite=yes"]
        return [*start, f"--backend.threads={chance.choice((1, 2))}", f"--checkpoint.keep={chance.choice((1, 2, 3))}",
                f"--checkpoint.interval={chance.choice((0.05, 0.2, 0.5))}s"]

    def send(self, processes, number):
        for process in processes:
            try:
                os.kill(process, number)
            except ProcessLookupError:
                pass

    def has_ended(self, run, own):
        """Whether a run or its ranks have ended; a launcher takes some time to, after the ranks gave up the lock."""
        limit = time.monotonic() + 2
        while run.poll() is None and any(is_alive(process) for process in own):
            if time.monotonic() > limit:
                return False
            time.sleep(0.05)
        return True

    def disturb(self, run, ranks, name, fault, chance):
        """Does it to a run, whose launcher is its only rank if there is no mpirun."""
        own = children(run.pid) if ranks else [run.pid]
        some = chance.choice((own[:1], own[-1:], own))
        if fault in STOPS:
            self.send(some, STOPS[fault])
        elif fault == "second run":
            other = subprocess.run(self.command(None, *self.words(name, chance)), cwd=self.directory,
                                   capture_output=True, text=True, timeout=300)
            self.assertTrue(other.returncode == 2 and "in use" in other.stderr or self.has_ended(run, own),
                            (other.returncode, other.stderr))
            self.send([run.pid, *own], signal.SIGKILL)
        else:
            if fault == "KILL after STOP":
                self.send(own[:1], signal.SIGSTOP)
                time.sleep(chance.uniform(0, 0.3))
            if fault == "KILL after USR1":
                self.send(own, signal.SIGUSR1)
                time.sleep(chance.uniform(0, 0.3))
            victims = {"KILL a rank": own[-1:], "KILL the launcher": [run.pid]}
            self.send(victims.get(fault, [run.pid, *own]), signal.SIGKILL)

    def end(self, run, own):
        """Waits for the end of a run; Open MPI's mpirun may wait for ranks that are gone."""
        try:
            return run.communicate(timeout=240)
        except subprocess.TimeoutExpired:
            run.kill()
            run.communicate()
            self.fail("a run does not end")
        finally:
            limit = time.monotonic() + 20
            while any(is_alive(process) for process in own):
                self.assertLess(time.monotonic(), limit, "a rank outlives its launcher")
                time.sleep(0.05)

    def chain(self, name, chance):
        expected = self.one_go(name)
        shutil.rmtree(self.directory / "out", ignore_errors=True)
        for _ in range(chance.randrange(1, 5)):
            ranks, fault = chance.choice(JOBS[name][1]), chance.choice(FAULTS)
            stale = self.owner(name)
            run = self.start(ranks, *self.words(name, chance))
            limit = time.monotonic() + 60
            while run.poll() is None and self.owner(name) == stale:
                self.assertLess(time.monotonic(), limit, "a run does not begin")
                time.sleep(0.02)
            time.sleep(chance.uniform(0, 1.5))
            own = children(run.pid) if ranks else []
            if run.poll() is None:
                self.disturb(run, ranks, name, fault, chance)
            _, err = self.end(run, own)
            code = run.returncode
            self.assertIn(code, (0, -9) if ranks is None else (0, -9, 1, 137), (fault, err))
            if fault in STOPS:
                self.assertEqual(code, 0, (fault, err))
            self.done[fault, "saved" if code == 0 else "killed"] += 1
        file = self.resumable(name)
        self.strata(*(["resume", file] if file else ["run", f"{name}.ini", "--output.overwrite=yes"]),
                    "--backend.threads=1", ranks=chance.choice(JOBS[name][1]), timeout=900)
        self.assertEqual(self.numbers(name), expected)
        left = [f for f in self.files() if ".tmp." in f or f.endswith(".lock") or "point-" in f]
        self.assertEqual(left, [])


class EachApplication(ChainTest):
    def test_ends_with_the_numbers_of_the_run_in_one_go(self):
        for name in ("swendsen-wang", "lanczos-states", "kronecker", "dmrg", "trotter"):
            with self.subTest(name):
                self.chain(name, random.Random(name))


class Chains(ChainTest):
    def test_end_with_the_numbers_of_the_run_in_one_go(self):
        names = sorted(JOBS)
        for number in range(COUNT):
            chance = random.Random(f"{SEED} {number}")
            name = names[(number + SEED) % len(names)]
            with self.subTest(name, number=number, seed=SEED):
                self.chain(name, chance)
                self.done["chains", name] += 1
        if "STRATA_CHAINS" in os.environ:
            for (what, how), count in sorted(self.done.items()):
                print(f"| {what} | {how} | {count} |", flush=True)


if __name__ == "__main__":
    unittest.main(verbosity=2)
