# SPDX-License-Identifier: BSD-3-Clause
"""Runs the program on a job as a user does, in parallel workers, and keeps account of what was compared."""

import argparse
import collections
import multiprocessing
import os
import pathlib
import random
import re
import shutil
import sys
import tempfile
import time
import traceback

import h5py
import numpy as np

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path += [str(ROOT / "jobs"), str(ROOT / "tests")]
import launch as launcher  # noqa: E402
import read_vector  # noqa: E402
from launch import PROGRAM, instruction_sets  # noqa: E402, F401


class Job:
    """An application's keys, files beside the job file, and how it is launched."""

    def __init__(self, application, ranks=1):
        self.application, self.ranks, self.keys, self.files = application, ranks, {}, {}

    def set(self, key, value):
        if isinstance(value, (list, tuple)):
            value = ",".join(map(str, value))
        self.keys[key] = str(value)

    def update(self, values):
        for key, value in values.items():
            self.set(key, value)

    def text(self):
        lines, sections = [f"application = {self.application}"], collections.defaultdict(list)
        for key, value in self.keys.items():
            section, name = key.split(".", 1)
            sections[section].append(f"{name} = {value}")
        for section, entries in sections.items():
            lines += [f"[{section}]", *entries]
        return "\n".join(lines) + "\n"

    def with_definitions(self):
        """The job with some of its own observables in [observables]: as definitions, as files of terms, or all in the
        file of the job; the same for the same lines."""
        name = self.keys.get("observables.file")
        draw, moved = random.Random(self.files.get(name)), {}
        if name is None or draw.random() < 0.4:
            return self
        lines = [line.partition("=") for line in self.files[name].splitlines() if line.strip()]
        job = Job(self.application, self.ranks)
        job.keys, job.files = dict(self.keys), dict(self.files)
        for own in dict.fromkeys(line[0].strip() for line in lines):
            if draw.random() < 0.7:
                moved[own] = [line[2].strip() for line in lines if line[0].strip() == own]
                if draw.random() < 0.3:
                    job.files[own + ".txt"] = "\n".join(moved[own]) + "\n"
                    moved[own] = [own + ".txt"]
        rest = [line for line in lines if line[0].strip() not in moved]
        job.files[name] = "".join("".join(line) + "\n" for line in rest)
        if not rest:
            del job.files[name], job.keys["observables.file"]
        job.update({f"observables.{own}": "; ".join(terms) for own, terms in moved.items()})
        return job

    def describe(self):
        files = "".join(f"--- {name}\n{text}" for name, text in self.files.items())
        return f"{self.ranks} rank(s)\n{self.text()}{files}"


class Outcome:
    """Exit code, what was said, and where there is a result file: series and results as arrays, results' errors."""

    def __init__(self, code, out, err):
        self.code, self.said = code, out + err
        self.values, self.errors, self.references, self.series, self.vectors = {}, {}, {}, {}, {}

    def take_scan(self, file):
        """Columns over points; errors and references that no point has are NaN, as in the results of a single job."""
        scan = file["scan"]
        for name in scan:
            if not set("._") & set(name) and name != "point":
                self.values[name] = scan[name][()]
                missing = np.full(self.values[name].shape, np.nan)
                for ending, to in (("_error", self.errors), ("_reference", self.references)):
                    if name not in ("beta", "temperature"):
                        to[name] = scan[name + ending][()] if name + ending in scan else missing

    def sentence(self):
        """The last line that says why the run ended; all that is said after a signal, with the stack of Open MPI."""
        if self.code < 0 or self.code > 128:
            return self.said.strip()
        lines = [line for line in self.said.splitlines() if re.search(r"strata|converge|degenera|not |Step", line)]
        return (lines or self.said.splitlines() or [""])[-1].strip()


def read_vectors(checkpoint):
    """Name -> (psi[up][down], strings of both, sites of the down strings), with the script that users are given."""
    with h5py.File(checkpoint) as file:
        sites = {name: int(data.attrs["down_sites"])
                 for name, data in file["state"].items() if "down_sites" in data.attrs}
    return {name: (*read_vector.read_vector(checkpoint, name), sites[name]) for name in sites}


def run(job, keep=None, vectors=False, steps=0, ends=False):
    """Runs a job in a directory of its own; vectors: reads the states of the checkpoint, too; steps: stops after so
    many, one in every launch (if the run has more); ends: and then goes on to the end."""
    directory = pathlib.Path(keep or tempfile.mkdtemp(prefix="strata-oracle-"))
    job = job.with_definitions()
    try:
        directory.mkdir(parents=True, exist_ok=True)
        for name, text in {**job.files, "job.ini": job.text()}.items():
            (directory / name).write_text(text)
        commands = [["run", "job.ini", "--output.overwrite=yes"]]
        if steps > 0:
            commands = [[*commands[0], "--run.wall-time=0s"], *(steps - 1) * [["resume", "out/job.checkpoint.h5"]],
                        *ends * [["resume", "out/job.checkpoint.h5", "--run.wall-time=none"]]]
        for words in commands:
            done = launcher.run(launcher.command(job.ranks if job.ranks > 1 else None, *words), directory)
            if done.returncode != 0:
                break
        outcome = Outcome(done.returncode, done.stdout, done.stderr)
        path = directory / "out/job.h5"
        if path.exists():
            with h5py.File(path) as file:
                if "scan" in file:
                    outcome.take_scan(file)
                for name, group in file.get("results", {}).items():
                    outcome.values[name] = np.atleast_1d(group["value"][()])
                    if "reference" in group:
                        outcome.references[name] = np.atleast_1d(group["reference"][()])
                    if "error" in group:
                        outcome.errors[name] = np.atleast_1d(group["error"][()])
                outcome.series = {name: column[()] for name, column in file["series"].items()}
        if vectors and done.returncode == 0:
            outcome.vectors = read_vectors(directory / "out/job.checkpoint.h5")
        return outcome
    finally:
        if keep is None:
            shutil.rmtree(directory, ignore_errors=True)


def launch(job, options, vectors=False, steps=0):
    """run(), which tells the job and all that the program says where --only asks for it."""
    outcome = run(job, options.keep, vectors, steps)
    if options.only:
        print(job.with_definitions().describe(), outcome.said, sep="\n")
    return outcome


def finished(job, account, options, code=0):
    """launch(), or nothing where the run ends with another exit code, which the account then tells."""
    outcome = launch(job, options)
    if outcome.code == code:
        return outcome
    account.fail(f"exit code {outcome.code}: {outcome.sentence()}")
    return None


class Account:
    """Comparisons of one job: name -> [number, largest deviation / bound], and sentences about what failed."""

    def __init__(self):
        self.compared, self.failures, self.notes = {}, [], collections.Counter()
        self.pulls = collections.defaultdict(list)
        self.extra = None  # what an oracle collects of its own

    def fail(self, sentence):
        self.failures.append(sentence)

    def note(self, what):
        self.notes[what] += 1

    def claim(self, name, holds, sentence=""):
        self.compare(name, 0.0 if holds else 2.0, 0.0, 1.0, sentence)

    def compare(self, name, value, exact, bound, sentence=""):
        """|value - exact| <= bound for all elements."""
        value, exact = np.atleast_1d(value).astype(float), np.atleast_1d(exact).astype(float)
        if len(exact) == 1:
            exact = np.full(value.shape, exact[0])
        if value.shape != exact.shape:
            return self.fail(f"{name}: {len(value)} values, not {len(exact)}")
        bound = np.broadcast_to(np.asarray(bound, float), value.shape)
        deviation = np.where(np.isfinite(value), abs(value - exact), np.inf)
        with np.errstate(divide="ignore", invalid="ignore"):
            ratio = np.where(deviation == 0, 0.0, deviation / bound)
        worst = int(np.argmax(ratio)) if len(ratio) else 0
        entry = self.compared.setdefault(name, [0, 0.0])
        entry[0] += len(value)
        if len(ratio) == 0:
            return None
        entry[1] = max(entry[1], float(ratio[worst]))
        if ratio[worst] > 1:
            self.fail(f"{name}{'' if len(value) == 1 else f'[{worst}]'} = {value[worst]:.12g}, exact "
                      f"{exact[worst]:.12g}, "
                      f"bound {bound[worst]:.2g}" + (f": {sentence}" if sentence else ""))
        return None


class Verdict:
    """What a worker hands back of one job."""

    def __init__(self, index, task, job, account, seconds):
        self.index, self.task, self.text, self.seconds = index, task, job.describe() if job else "", seconds
        self.compared, self.failures, self.notes = account.compared, account.failures, account.notes
        self.pulls, self.extra = dict(account.pulls), account.extra


def judge(arguments):
    examine, seed, index, options = arguments
    account, begin, state = Account(), time.monotonic(), {}
    try:
        examine(seed, index, account, state, options)
    except Exception:  # noqa: BLE001  (told with the job)
        account.fail("the oracle itself: " + traceback.format_exc(limit=4))
    return Verdict(index, state.get("task", "?"), state.get("job"), account, time.monotonic() - begin)


def options_of(description):
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("--count", type=int, default=200, help="jobs")
    parser.add_argument("--first", type=int, default=0, help="index of the first one")
    parser.add_argument("--seed", type=int, default=1, help="of the jobs")
    parser.add_argument("--only", type=int, action="append",
                        help="indices to run alone, with all that the program says")
    parser.add_argument("--workers", type=int, default=2 * (os.cpu_count() or 1),
                        help="a launch waits more than it computes")
    parser.add_argument("--seconds", type=float, default=0, help="stop after so many; 0: when the count is reached")
    parser.add_argument("--keep", help="directory that keeps the files of --only")
    parser.add_argument("--list", type=int, default=8, help="failed jobs told in full")
    return parser


def run_all(examine, options):
    """Verdicts of all jobs in the order of their indices."""
    if options.only:
        return [judge((examine, options.seed, index, options)) for index in options.only]
    end = time.monotonic() + options.seconds if options.seconds else float("inf")
    jobs = ((examine, options.seed, options.first + index, options) for index in range(options.count))
    verdicts = []
    with multiprocessing.Pool(options.workers) as pool:
        for verdict in pool.imap(judge, jobs):
            verdicts.append(verdict)
            if time.monotonic() > end:
                pool.terminate()
                break
    return verdicts


def summary(verdicts, options, rare=0.02):
    """Prints what was compared and what failed; the exit code."""
    table, tasks = {}, collections.Counter()
    notes = collections.Counter()
    for v in verdicts:
        tasks[v.task] += 1
        notes.update(v.notes)
        for name, (number, ratio) in v.compared.items():
            entry = table.setdefault((v.task, name), [0, 0, 0.0])
            entry[0] += number
            entry[1] += 1
            entry[2] = max(entry[2], ratio)
    print(f"{'task':10} {'quantity':38} {'jobs':>6} {'numbers':>8}  largest deviation / bound")
    for (task, name), (number, jobs, ratio) in sorted(table.items()):
        print(f"{task:10} {name:38} {jobs:6} {number:8}  {ratio:.2g}{'   <<<' if ratio > 1 else ''}")
    for task in sorted(tasks):
        pulls = collections.defaultdict(list)
        for v in verdicts:
            for name, some in v.pulls.items() if v.task == task else ():
                pulls[name] += some
        for name, some in sorted((name, some) for name, some in pulls.items() if some):
            some = np.array(some)
            print(f"{task:10} {name:38} {len(some)} pulls: mean {some.mean():+.2f}, mean square "
                  f"{np.mean(some**2):.2f}, "
                  f"largest {abs(some).max():.2f} sigma")
    for what, number in sorted(notes.items()):
        print(f"{number:5} {what}")
    failed = [v for v in verdicts if v.failures]
    kinds = collections.Counter()
    for v in failed:
        for sentence in {re.sub(r"[\d.+-]+(e[+-]?\d+)?", "#", s.split(" = ")[0].split(", exact")[0])[:100]
                         for s in v.failures}:
            kinds[v.task, sentence] += 1
    for v in failed[: options.list] if not options.only else failed:
        print(f"\nFAILED {v.task}, index {v.index}: STRATA_PROGRAM={PROGRAM} {sys.argv[0]} --seed {options.seed} "
              f"--only {v.index}")
        print(v.text + "\n".join("  " + s for s in v.failures[:12]))
    if failed:
        print("\nfailures by kind:")
        for (task, kind), number in kinds.most_common(60):
            print(f"{number:5} {task:10} {kind}")
        print("failed indices:", *[v.index for v in failed])
    numbers = sum(entry[0] for entry in table.values())
    rest = sum(number for what, number in notes.items() if what.startswith("UNEXPECTED"))
    print(f"\n{len(verdicts)} jobs ({', '.join(f'{n} {t}' for t, n in sorted(tasks.items()))}), {numbers} numbers "
          "compared, "
          f"{len(failed)} jobs failed, {rest} ended with 5 without a known reason")
    return 1 if failed or rest > max(1, rare * len(verdicts)) else 0


def main(description, examine):
    options = options_of(description).parse_args()
    return summary(run_all(examine, options), options)
