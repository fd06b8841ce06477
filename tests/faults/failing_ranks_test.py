# SPDX-License-Identifier: BSD-3-Clause
"""One rank fails alone, anywhere between the start of MPI and its end: a call of MPI, an allocation or LAPACK. All
ranks end soon, with one sentence and the code of the failure, and leave no process; or the run does without what was
refused and gives the right numbers. STRATA_FAILING_RANKS=N draws N failures; STRATA_FAILING_RANKS_SEED other ones."""

import collections
import json
import os
import random
import signal
import subprocess
import time
import unittest

from program import MPIRUN, PROGRAM, ProgramTest

LIBRARY = os.environ["STRATA_FAILING_RANK_LIBRARY"]
COUNT = int(os.environ.get("STRATA_FAILING_RANKS", "0"))
SEED = int(os.environ.get("STRATA_FAILING_RANKS_SEED", "1"))
SOON = 10.0  # seconds
KINDS = ("mpi", "memory", "arrays", "lapack", "windows")
REFUSED = "The system refused memory that was free when the run began."
EXPECTED = {"mpi": (70, "MPI failed in "), "memory": (3, REFUSED), "arrays": (3, REFUSED),
            "lapack": (5, "LAPACK found no "), "windows": (70, "MPI failed in ~Window")}

RING = "application = lanczos\n[lattice]\ntype = ring\nextents = 8\n[model]\nu = 4\n[sector]\nup = 4\ndown = 4\n[run]\n"
BLOCKS = "application = kronecker\n[model]\nsites = 8\nsaved-states = 20\noperators = 3\n[run]\n"
SPINS = ("application = trotter\n[lattice]\ntype = ring\nextents = 10\n[model]\ntype = heisenberg\n"
         "[state]\ninitial = neel\n")
ISING = "application = swendsen-wang\n[lattice]\nextents = 32,32\n[run]\nsweeps = 30\nthermalization = 3\n"
CHAIN = "application = dmrg\n[lattice]\ntype = chain\nextents = 6\n[model]\n"
OFTEN = "[checkpoint]\ninterval = 0.01s\n"

# name: text, numbers of ranks; "0,0,1" puts ranks 0 and 1 on one node and rank 2 on another
JOBS = {
    "ground-state": (RING + "seed = 1\n" + OFTEN, ("2", "3", "0,0,1", "0,1,1,1")),
    "states": (RING + "states = 3\n", ("2", "3", "0,0,1")),
    "spectrum": (RING + "task = spectrum\n[spectrum]\nsteps = 20\n", ("2", "0,1", "3")),
    "evolution": (RING + "task = evolution\n[evolution]\nup = 0,2,4,6\ndown = 1,3,5,7\nsteps = 4\n" + OFTEN,
                  ("2", "0,0,1", "4")),
    "thermal": (RING + "task = thermal\n[thermal]\nsamples = 3\nsteps = 20\n", ("2", "0,0,1")),
    "momenta": (RING + "degeneracy = no\n[sector]\nmomentum = all\n", ("2", "0,1,1")),
    "product": (BLOCKS + "repeats = 10\n" + OFTEN, ("2", "3", "0,0,1")),
    "dmrg": (CHAIN + "u = 4\n[run]\nschedule = 10,20\n" + OFTEN, ("2", "3")),
    "superblocks": (CHAIN.replace("extents = 6", "extents = 8") + "type = heisenberg\nspin = 2\n"
                    "[run]\nschedule = 110,110\n", ("2", "0,0,1")),
    "passes": (SPINS + "[run]\nsteps = 20\nobservables = total,entropy\ncut = 0,1,2\nmeasure-every = 2\n" + OFTEN,
               ("2", "4", "0,1")),
    "ensemble": (SPINS.replace("neel", "random") + "[run]\nsamples = 4\nsteps = 6\n", ("2", "0,0,1,1")),
    "sweeps": (ISING + "[model]\nbeta = 0.44\n" + OFTEN, ("2", "3", "0,0,1", "4")),
    "tempering": (ISING + "tempering = 2,2.2,2.4,2.6\noverlap = yes\n", ("2", "4")),
    "scan": (ISING + "[scan]\nmodel.temperature = 2,2.1,2.2,2.3,2.4\n", ("2", "3")),
    "scan-of-pairs": (RING + "max-steps = 300\n[scan]\nrun.seed = 1,2,3\nranks-per-point = 2\n", ("2", "4")),
}

# What ctest tries: job, ranks, failing rank, kind, share of its calls before it. The second pair of ranks takes one or
# two of the three points of scan-of-pairs, whichever is free first: 0.3 of two points are within the first.
QUICK = [
    ("ground-state", "2", 1, "mpi", 0.5), ("ground-state", "0,0,1", 2, "mpi", 0.3),
    ("evolution", "2", 0, "lapack", 0.5), ("ground-state", "2", 1, "arrays", 0.6),
    ("states", "2", 0, "lapack", 0.9), ("evolution", "2", 1, "mpi", 0.7), ("thermal", "0,0,1", 1, "memory", 0.4),
    ("product", "2", 1, "mpi", 0.2), ("product", "2", 1, "mpi", 0.6),
    ("product", "3", 2, "arrays", 0.8),
    ("dmrg", "2", 1, "memory", 0.5), ("dmrg", "2", 0, "lapack", 0.2), ("passes", "2", 1, "mpi", 0.5),
    ("passes", "2", 0, "arrays", 0.5), ("sweeps", "2", 1, "mpi", 0.999), ("tempering", "2", 1, "memory", 0.9),
    ("ground-state", "2", 1, "windows", 0.5), ("scan", "3", 2, "mpi", 0.5), ("scan-of-pairs", "4", 3, "arrays", 0.3),
]


class FailingRanks(ProgramTest):
    def setUp(self):
        super().setUp()
        self.counts, self.whole = {}, {}

    def number_of(self, ranks):
        return len(ranks.split(",")) if "," in ranks else int(ranks)

    def let_fail(self, job, ranks, rank, kind, number):
        """Runs a job of which one call fails; returns code, stderr, the seconds from the failure to the end, and the
        numbers of calls of each kind if it did not fail."""
        self.write(f"{job}.ini", JOBS[job][0])
        note = self.directory / "failure"
        note.unlink(missing_ok=True)
        nodes = [f"STRATA_NODES={ranks}"] if "," in ranks else []
        command = [MPIRUN, "-n", str(self.number_of(ranks)), "env", f"LD_PRELOAD={LIBRARY}",
                   f"STRATA_FAILING_RANK={rank} {kind} {number} {note}", *nodes, PROGRAM, "run",
                   str(self.directory / f"{job}.ini"), "--output.overwrite=yes", "--backend.threads=1", "--quiet"]
        run = subprocess.Popen(command, cwd=self.directory, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
                               text=True, start_new_session=True)
        begin = time.monotonic()
        while True:
            try:
                _, err = run.communicate(timeout=0.25)
                break
            except subprocess.TimeoutExpired:
                pass
            failed = self.time_in(note)
            if time.monotonic() - (failed or begin) > (3 * SOON if failed else 300):
                os.killpg(run.pid, signal.SIGKILL)
                _, err = run.communicate()
                raise AssertionError(f"hangs: {' '.join(command)}\n{err}")
        failed = self.time_in(note)
        since = time.monotonic() - failed if failed else 0
        words = note.read_text().split() if note.exists() else []
        calls = [int(w) for w in words[:len(KINDS)]] if "calls" in words else None
        return run.returncode, err, since, calls

    def time_in(self, note):
        words = note.read_text().split() if note.exists() else []
        return float(words[0]) if "failed" in words else None

    def expect_no_process(self, what):
        end = time.monotonic() + SOON
        while subprocess.run(["pgrep", "-f", str(self.directory)], capture_output=True).returncode == 0:
            self.assertLess(time.monotonic(), end, f"{what} leaves processes")
            time.sleep(0.1)

    def numbers(self, job):
        """The results of a job without what differs from run to run."""
        if job.startswith("scan"):
            return self.strata("show", "--csv", f"out/{job}.h5")[0]
        whole = json.loads(self.strata("show", "--json", f"out/{job}.h5")[0])
        return whole["observables"], whole["state_hash"]

    def undisturbed(self, job, ranks, rank):
        """Numbers of calls on a rank of a run without a failure."""
        if (job, ranks, rank) not in self.counts:
            code, err, _, calls = self.let_fail(job, ranks, rank, "mpi", -1)
            self.assertEqual(code, 0, err)
            self.assertIsNotNone(calls, err)
            self.counts[job, ranks, rank] = calls
            self.whole.setdefault(job, self.numbers(job))
        return self.counts[job, ranks, rank]

    def expect_an_end(self, job, ranks, rank, kind, share):
        """Lets a call fail and returns how the run ended, and the seconds that it took to."""
        calls = self.undisturbed(job, ranks, rank)[KINDS.index(kind)]
        number = min(calls - 1, int(calls * share))
        what = f"{job} on {ranks} ranks, rank {rank}: {kind} {number} of {calls}"
        code, err, seconds, not_failed = self.let_fail(job, ranks, rank, kind, number)
        self.expect_no_process(what)
        if code == 0:
            self.assertEqual(self.numbers(job), self.whole[job], what)
            return ("not failed" if not_failed else "survived"), 0
        expected, says = EXPECTED[kind]
        sentences = [line for line in err.splitlines() if line.startswith("strata: ")]
        if code == 4 and says == REFUSED and "strata resume" in err:  # as for any result that cannot be written
            expected = 4
        self.assertEqual(code, expected, f"{what}\n{err}")
        if job.startswith("scan") and not sentences:  # an error of one point: it is in its record, and the others go on
            self.assertIn(says, self.strata("show", f"out/{job}.h5")[0], what)
            return "recorded", 0
        self.assertEqual(len(sentences), 1, f"{what}\n{err}")
        self.assertIn(says, sentences[0], what)
        self.assertLess(seconds, SOON, what)
        return "ended", seconds

    def test_quickly(self):
        for case in QUICK:
            with self.subTest(case=case):
                how, _ = self.expect_an_end(*case)
                self.assertIn(how, ("ended", "survived", "recorded"))

    @unittest.skipUnless(COUNT > 0, "STRATA_FAILING_RANKS=N draws N failures")
    def test_at_random(self):
        chance = random.Random(SEED)
        table, longest, bad = collections.Counter(), 0, []
        while sum(number for (_, _, how), number in table.items() if how != "not failed") < COUNT:
            job = chance.choice(list(JOBS))
            ranks = chance.choice(JOBS[job][1])
            kind = chance.choice(("mpi", "mpi", "mpi", "memory", "memory", "memory", "arrays", "lapack", "windows"))
            rank = 0 if kind == "lapack" else chance.randrange(self.number_of(ranks))
            share = chance.random() ** chance.choice((1, 1, 4))
            if self.undisturbed(job, ranks, rank)[KINDS.index(kind)] == 0:
                continue
            try:
                how, seconds = self.expect_an_end(job, ranks, rank, kind, share)
            except AssertionError as error:
                how, seconds = "wrong", 0
                bad.append(str(error))
                print(bad[-1], flush=True)
            table[job, kind, how] += 1
            longest = max(longest, seconds)
        for (job, kind, how), number in sorted(table.items()):
            print(f"{job:14} {kind:7} {how:12} {number}")
        print(f"slowest end: {longest:.1f} s after the failure")
        self.assertEqual(bad, [])


class UnevenNodes(ProgramTest):
    def test_all_come_to_the_same_answer_near_the_limit_of_memory(self):
        """Two ranks of one node read each other's rows in place, and the third, alone, needs more memory than they."""
        job = self.write("a.ini", JOBS["ground-state"][0].replace("extents = 8", "extents = 10"))
        codes = set()
        for kib in (200, 1000, 1500, 2000, 2500, 3000, 4000, 6000, 20000):
            command = [MPIRUN, "-n", "3", "env", f"LD_PRELOAD={LIBRARY}", "STRATA_NODES=0,0,1",
                       f"STRATA_FREE_KIB={kib}", PROGRAM, "run", str(job), "--output.overwrite=yes",
                       "--backend.threads=1"]
            done = subprocess.run(command, cwd=self.directory, capture_output=True, text=True, timeout=60)
            self.assertIn(done.returncode, (0, 3), done.stderr)
            self.assertEqual("free there" in done.stderr, done.returncode == 3, done.stderr)
            codes.add(done.returncode)
        self.assertEqual(codes, {0, 3})


class LimitedSpace(ProgramTest):
    def test_runs_or_is_refused(self):
        """OpenBLAS takes 128 MiB for each thread that calls it, and waits for ever for what a limit refuses."""
        for text in (JOBS["states"][0], JOBS["product"][0], JOBS["dmrg"][0]):
            job, codes = self.write("a.ini", text), []
            for limit, megabytes in (("-v", 250), ("-v", 340), ("-v", 445), ("-v", 560), ("-v", 900), ("-d", 40),
                                     ("-d", 160), ("-d", 800)):
                words = " ".join(f"'{w}'" for w in self.command(None, "run", job, "--output.overwrite=yes",
                                                                "--backend.threads=2"))
                environment = {k: v for k, v in os.environ.items() if k != "OPENBLAS_NUM_THREADS"}
                done = subprocess.run(["bash", "-c", f"ulimit {limit} {megabytes * 1024}; exec {words}"], timeout=60,
                                      cwd=self.directory, capture_output=True, text=True, env=environment)
                codes.append(done.returncode)
                self.assertIn(done.returncode, (0, 3), f"{limit} {megabytes}: {done.stderr}")
            self.assertEqual([codes[4], codes[7]], [0, 0])


if __name__ == "__main__":
    unittest.main(verbosity=2)
