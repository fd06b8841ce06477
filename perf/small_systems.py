#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Small systems on one rank and one thread, several programs in turns, the least of some rounds:

perf/small_systems.py sweeps|analysis|points|start PROGRAM... [--rounds 5] [--run "clusters = no"]
perf/small_systems.py scans PROGRAM...

sweeps: microseconds of a sweep with its observation, at T_c. analysis: seconds of a whole run less those of its
sweeps and of a start. points: milliseconds of processor time of a point of a scan. start: seconds of a run of four
spins. scans: points per second of eight kinds of scans of 10 001 points, memory and size of the file of each, once.
"""

import argparse
import json
import os
import pathlib
import resource
import subprocess
import sys
import tempfile
import time

from launches import environment

BETA = {2: 0.44068679350977147, 3: 0.22165463}
SWEEPS = {  # update, extents, sweeps
    "Metropolis 8 x 8": ("metropolis", "8,8", 60000),
    "Metropolis 16 x 16": ("metropolis", "16,16", 50000),
    "Metropolis 32 x 32": ("metropolis", "32,32", 40000),
    "Metropolis 8 x 8 x 8": ("metropolis", "8,8,8", 40000),
    "Swendsen-Wang 8 x 8": ("swendsen-wang", "8,8", 60000),
    "Wolff 8 x 8": ("wolff", "8,8", 60000),
    "Swendsen-Wang 2048 x 2048": ("swendsen-wang", "2048,2048", 60),
    "Metropolis 2048 x 2048": ("metropolis", "2048,2048", 100),
}
ANALYSES = {
    "Metropolis 32 x 32, 100 000 sweeps": ("metropolis", "32,32", 100000),
    "Metropolis 64 x 64, 300 000 sweeps": ("metropolis", "64,64", 300000),
    "Metropolis 16 x 16, 1 000 000 sweeps": ("metropolis", "16,16", 1000000),
}
RING = """application = lanczos
[lattice]
type = ring
extents = {sites}
[model]
t = 1
[sector]
up = {half}
down = {half}
[scan]
model.u = 0:8:{step}
"""
# 1000 observations of each of 400 realisations of the signs
GLASS = """application = swendsen-wang
[lattice]
extents = {extents}
[model]
opposite-bonds = 0.5
temperature = 1
[run]
update = metropolis
clusters = no
thermalization = 100
sweeps = {sweeps}
measure-every = {every}
[scan]
model.disorder-seed = 1:400:1
seeds = different
"""
POINTS = {"Hubbard ring of 6": RING.format(sites=6, half=3, step=0.016),
          "Hubbard ring of 8": RING.format(sites=8, half=4, step=0.04),
          "+-J 16 x 16, 1 100 sweeps": GLASS.format(extents="16,16", sweeps=1000, every=1),
          "+-J 8 x 8 x 8, 1 100 sweeps": GLASS.format(extents="8,8,8", sweeps=1000, every=1),
          "+-J 16 x 16, 10 100 sweeps": GLASS.format(extents="16,16", sweeps=10000, every=10),
          "+-J 8 x 8 x 8, 10 100 sweeps": GLASS.format(extents="8,8,8", sweeps=10000, every=10),
          "Ising 16 x 16, 160 sweeps": "application = swendsen-wang\n[lattice]\nextents = 16,16\n[run]\nsweeps = 150\n"
                                       "thermalization = 10\n[scan]\nmodel.temperature = 2:3:0.002\n"}
SWEPT = "application = swendsen-wang\n[lattice]\nextents = {}\n[run]\nupdate = {}\nsweeps = 200\nthermalization = 50\n"
POINTS_BETWEEN = "[scan]\n{} = {}:{}:{}\n"


def scan(job, key, first, last):
    return job + POINTS_BETWEEN.format(key, first, last, (last - first) / 10000)


SCANS = {
    "Metropolis 16 x 16, 250 sweeps": scan(SWEPT.format("16,16", "metropolis\nclusters = no"),
                                           "model.temperature", 2, 3),
    "Swendsen-Wang 8 x 8, 250 sweeps": scan(SWEPT.format("8,8", "swendsen-wang"), "model.temperature", 2, 3),
    "Wolff 8 x 8, 250 sweeps": scan(SWEPT.format("8,8", "wolff"), "model.temperature", 2, 3),
    "+-J 8 x 8 x 8, 1 100 sweeps": GLASS.format(extents="8,8,8", sweeps=1000, every=10).replace(":400:", ":10001:"),
    "Hubbard ring of 6": RING.format(sites=6, half=3, step=0.0008),
    "Heisenberg ring of 10": scan("application = lanczos\n[lattice]\ntype = ring\nextents = 10\n[model]\n"
                                  "type = xxz\nj = 1\n", "model.jz", 0, 2),
    "spin dynamics, ring of 8, 20 steps": scan("application = trotter\n[lattice]\ntype = ring\nextents = 8\n[model]\n"
                                               "type = heisenberg\n[run]\nsteps = 20\nmeasure-every = 20\n",
                                               "model.field", 0, 1),
    "DMRG, Hubbard chain of 4": scan("application = dmrg\n[lattice]\nextents = 4\n", "model.u", 0, 8),
}
FOUR_SPINS = "application = swendsen-wang\n[lattice]\nextents = 2,2\n[model]\nbeta = 0.4\n[run]\nsweeps = 20\n"


def ising(update, extents, sweeps):
    return (f"application = swendsen-wang\n[lattice]\nextents = {extents}\n[model]\nbeta = "
            f"{BETA[extents.count(',') + 1]}\n[run]\nupdate = {update}\nsweeps = {sweeps}\n")


def processor_seconds():
    """Of all processes that have ended."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def measured(program, text, more="", clock=time.monotonic):
    """Seconds of the program by a clock, and the result that it shows; more: lines of the last section of the job."""
    with tempfile.TemporaryDirectory(prefix="strata-small-") as directory:
        job = pathlib.Path(directory, "small.ini")
        job.write_text(f"{text}{more}\n[backend]\nthreads = 1\n[output]\ndirectory = {directory}\n", encoding="utf-8")
        start = clock()
        done = subprocess.run([program, "run", str(job), "--quiet"], env=environment(), stdout=subprocess.DEVNULL)
        seconds = clock() - start
        if done.returncode not in (0, 5):  # 5: not converged
            sys.exit(done.returncode)
        shown = subprocess.run([program, "show", "--json", f"{directory}/small.h5"], env=environment(), check=True,
                               capture_output=True, text=True)
    return seconds, json.loads(shown.stdout)


def sweep_microseconds(program, case, more):
    _, result = measured(program, ising(*case), more)
    return 1e6 * result["seconds"] / result["steps"]


def analysis_seconds(program, case, more):
    seconds, result = measured(program, ising(*case), more)
    return seconds - result["seconds"] - measured(program, FOUR_SPINS)[0]


def point_milliseconds(program, case, more):
    seconds, result = measured(program, case, more, processor_seconds)
    return 1e3 * (seconds - measured(program, FOUR_SPINS, clock=processor_seconds)[0]) / result["points"]


def scan_rate(program, text):
    """Points per second, the program's largest memory in MiB, and the file's size in MiB."""
    with tempfile.TemporaryDirectory(prefix="strata-small-") as directory:
        job = pathlib.Path(directory, "small.ini")
        job.write_text(f"{text}[backend]\nthreads = 1\n[output]\ndirectory = {directory}\n", encoding="utf-8")
        start = time.monotonic()
        child = subprocess.Popen([program, "run", str(job), "--quiet"], env=environment(), stdout=subprocess.DEVNULL)
        _, status, usage = os.wait4(child.pid, 0)
        seconds = time.monotonic() - start
        if os.waitstatus_to_exitcode(status) not in (0, 5):
            sys.exit(os.waitstatus_to_exitcode(status))
        return 10001 / seconds, usage.ru_maxrss / 1024, pathlib.Path(directory, "small.h5").stat().st_size / 2**20


def print_scans(programs, only):
    print("points per second, largest memory in MiB, size of the file in MiB")
    for name, text in SCANS.items():
        if only in name:
            rates = "".join("%12.0f%8.0f%8.1f" % scan_rate(program, text) for program in programs)
            print(f"{name:36}{rates}", flush=True)


def start_seconds(program, case, more):
    return measured(program, case, more)[0]


MEASURES = {"sweeps": (SWEEPS, sweep_microseconds, "us per sweep"),
            "analysis": (ANALYSES, analysis_seconds, "s after the last sweep"),
            "points": (POINTS, point_milliseconds, "ms of processor time per point"),
            "start": ({"four spins": FOUR_SPINS}, start_seconds, "s")}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("measure", choices=[*MEASURES, "scans"])
    parser.add_argument("programs", nargs="+", metavar="PROGRAM")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--only", default="", help="cases whose names contain this text")
    parser.add_argument("--run", default="", help="a line more in the last section of every job")
    args = parser.parse_args()
    if args.measure == "scans":
        return print_scans(args.programs, args.only)
    cases, measure, unit = MEASURES[args.measure]
    print(f"{unit}, the least of {args.rounds} rounds: {', '.join(args.programs)}")
    for name, case in cases.items():
        if args.only not in name:
            continue
        rounds = [[measure(program, case, args.run) for program in args.programs] for _ in range(args.rounds)]
        print(f"{name:36}" + "".join(f"{min(of_program):10.3f}" for of_program in zip(*rounds)), flush=True)


if __name__ == "__main__":
    main()
