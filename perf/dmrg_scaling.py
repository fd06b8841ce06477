#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""Strong scaling of renormalizations over MPI ranks of one thread each, and over threads of one rank: time per bond, and
what it goes into.

    perf/dmrg_scaling.py --program build/release/src/strata --workers 1,2,4 --output perf/results/dmrg-scaling

The cases take turns --repeats times and the fastest counts; all runs of one system must agree to the last bit. Waiting are
the phases in which ranks only exchange and wait: patches, wave functions, kept states. Sums over ranks are in vectors.
"""

import argparse
import json
import pathlib

from scaling import run_job

JOB = """application = dmrg
[lattice]
type = {lattice}
extents = {extents}
[model]
type = hubbard
u = 4
[run]
schedule = {schedule}
noise = 1e-5,1e-6,0
[checkpoint]
interval = 0
"""
SYSTEMS = {"chain 32, M = 512": ("chain", "32", "64,128,256,512"), "ladder 16 x 2, M = 600": ("ladder", "16,2", "100,300,600")}
SHARES = {"multiply": ("products", "sums of products"), "vectors": ("vectors",), "packing": ("packing", "superblock", "enlarge blocks"),
          "truncation": ("truncation", "density matrices"), "rotation": ("rotation", "wave function"),
          "waiting": ("exchange", "gathering", "sharing states"), "measurement": ("measurement",)}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", default="build/release/src/strata")
    parser.add_argument("--mpirun", default="mpirun")
    parser.add_argument("--workers", default="1,2", help="numbers of ranks and of threads")
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--output", default="perf/results/dmrg-scaling", help="stem of the .md and .json written")
    args = parser.parse_args()
    workers = [int(n) for n in args.workers.split(",")]
    layouts = [(n, 1) for n in workers] + [(1, n) for n in workers if n > 1]
    found = {(name, *layout): [] for name in SYSTEMS for layout in layouts}
    for _ in range(args.repeats):
        for (name, ranks, threads), results in found.items():
            lattice, extents, schedule = SYSTEMS[name]
            results.append(run_job(args, JOB.format(lattice=lattice, extents=extents, schedule=schedule), ranks, threads))
    text = ("| system | ranks | threads | ms per bond | efficiency | " + " | ".join(SHARES) + " |\n" + "|---" * (5 + len(SHARES)) + "|\n")
    data, first, hashes = [], {}, {}
    for (name, ranks, threads), results in found.items():
        best = min(results, key=lambda r: r["performance"]["seconds_per_step"])
        assert len({r["state_hash"] for r in results} | {hashes.setdefault(name, best["state_hash"])}) == 1, "the layouts disagree"
        seconds, timers = best["performance"]["seconds_per_step"], best["timers"]
        efficiency = first.setdefault(name, seconds) / (seconds * ranks * threads)
        shares = [sum(timers.get(phase, 0) for phase in phases) / sum(timers.values()) for phases in SHARES.values()]
        text += (f"| {name} | {ranks} | {threads} | {1e3 * seconds:.2f} | {100 * efficiency:.0f} % | "
                 + " | ".join(f"{100 * s:.0f} %" for s in shares) + " |\n")
        data.append({"system": name, "ranks": ranks, "threads": threads, "seconds": seconds, "timers": timers, "hash": hashes[name]})
    stem = pathlib.Path(args.output)
    stem.with_suffix(".md").write_text(text)
    stem.with_suffix(".json").write_text(json.dumps(data, indent=1) + "\n")
    print(text)


if __name__ == "__main__":
    main()
