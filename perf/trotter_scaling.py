#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""Weak and strong scaling of a Trotter step over MPI ranks of one thread, and over threads of one rank.

    perf/trotter_scaling.py --program build/release/src/strata --workers 1,2,4 --output perf/results/trotter-scaling

Strong: one state on more and more ranks or threads. Weak: one more spin for every doubling. The numbers are powers of two.
The cases take turns --repeats times and medians count; all runs of one system must agree to the last bit. The times hold
no observations but the last.
"""

import argparse
import json
import pathlib
import statistics

from scaling import run_job

JOB = """application = trotter
[lattice]
type = {lattice}
extents = {spins}
[model]
jx = 1
jy = 1
jz = 1
field = {fields}
{more}
[state]
initial = neel
[run]
order = 2
step = 0.05
steps = {steps}
measure-every = {steps}
[backend]
precision = {precision}
[checkpoint]
interval = 0
"""


def random_fields(spins):
    """Fields in [-1, 1) from x <- (1103515245 x + 12345) mod 2^31, as in perf/trotter/problem.hpp."""
    x, fields = 12345, []
    for _ in range(spins):
        x = (1103515245 * x + 12345) % 2**31
        fields.append(2 * x / 2**31 - 1)
    return fields


def trotter_job(lattice, spins, steps, precision="double"):
    """The Heisenberg ring, or couplings of 1 / distance between all pairs, in random fields."""
    return JOB.format(lattice=lattice, spins=spins, steps=steps, precision=precision,
                      fields=",".join(f"{h:.17g}" for h in random_fields(spins)), more="range = 1" if lattice == "all" else "")


def cases(args):
    """(lattice, kind, workers' sort, spins, ranks, threads)."""
    workers = [int(n) for n in args.workers.split(",")]
    for lattice in ("ring", "all"):
        for sort in ("ranks", "threads"):
            for kind in ("strong", "weak"):
                for n in workers:
                    spins = args.spins + (n.bit_length() - 1 if kind == "weak" else 0)
                    yield lattice, kind, sort, spins, *((n, 1) if sort == "ranks" else (1, n))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", default="build/release/src/strata")
    parser.add_argument("--mpirun", default="mpirun")
    parser.add_argument("--workers", default="1,2", help="numbers of ranks and of threads")
    parser.add_argument("--spins", type=int, default=24)
    parser.add_argument("--steps", type=int, default=10)
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--output", default="perf/results/trotter-scaling", help="stem of the .md and .json written")
    args = parser.parse_args()

    found = {case: [] for case in cases(args)}
    for _ in range(args.repeats):
        for (lattice, _, _, spins, ranks, threads), results in found.items():
            results.append(run_job(args, trotter_job(lattice, spins, args.steps), ranks, threads))
    text = ("| couplings | scaling | N | ranks | threads | ms per step | efficiency |\n"
            "|---|---|---|---|---|---|---|\n")
    data, first, hashes = [], {}, {}
    for (lattice, kind, sort, spins, ranks, threads), results in found.items():
        seconds = statistics.median(r["performance"]["seconds_per_step"] for r in results)
        bits = {r["state_hash"] for r in results}
        assert len(bits | hashes.setdefault((lattice, spins), bits)) == 1, "the layouts disagree"
        cost = seconds * ranks * threads / 2**spins
        efficiency = first.setdefault((lattice, kind, sort), cost) / cost
        text += f"| {lattice} | {kind} | {spins} | {ranks} | {threads} | {1e3 * seconds:.2f} | {100 * efficiency:.0f} % |\n"
        data.append({"lattice": lattice, "kind": kind, "spins": spins, "ranks": ranks, "threads": threads, "seconds": seconds,
                     "timers": results[0]["timers"], "hash": bits.pop()})
    stem = pathlib.Path(args.output)
    stem.with_suffix(".md").write_text(text)
    stem.with_suffix(".json").write_text(json.dumps(data, indent=1) + "\n")
    print(text)


if __name__ == "__main__":
    main()
