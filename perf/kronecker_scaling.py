#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""Scaling of a Kronecker product over MPI ranks of one thread and over threads of one rank: a table and the raw
numbers.

    perf/kronecker_scaling.py --program build/release/src/strata --workers 1,2,4 --output perf/results/kronecker-scaling

Targets: equally probable states (64 sites, M = 2000, K = 8, width 1), and patches as in ground states (M = 500, K = 1,
width 0.05). Strong: one target on more and more workers. Weak: M grows with their cube root, as work does with the cube
of M. For comparison the loops of the DMRG++ miniapps, whose threads share the rows of C (N0) or the blocks of one row
(N1). The cases take turns --repeats times and the fastest counts; products of one target must agree to the last bit.
"busiest" is the largest processor time of products of a rank over the mean (median of the repeats), which other programs
on the machine disturb less than the wall time. The times hold products only. More workers than cores share them:
efficiency is per core.
"""

import argparse
import json
import os
import pathlib
import statistics

from scaling import run_job

JOB = """application = kronecker
[model]
sites = 64
saved-states = {states}
operators = {operators}
width = {width}
[run]
repeats = {products}
{more}
[checkpoint]
interval = 0
"""
TARGETS = {"equal": (2000, 8, 1), "ground state": (500, 1, 0.05)}  # M, K, width
N0 = "variant = loops\n[backend]\ngemm = blas"


def cases(args):
    """(target, variant, scaling, M, ranks, threads, more lines of the job)."""
    workers = [int(n) for n in args.workers.split(",")]
    for target, (states, _, _) in TARGETS.items():
        for kind in ("strong", "weak"):
            for n in workers:
                grown = states if kind == "strong" else round(states * n ** (1 / 3))
                yield target, "pairs", kind, grown, n, 1, ""
                yield target, "pairs", kind, grown, 1, n, ""
        for n in workers:
            yield target, "loops, N0", "strong", states, 1, n, N0
            yield target, "loops, N1", "strong", states, 1, n, f"{N0}\nblock-threads = {n}"


def compare_ranks_with_threads(found):
    """A line for each target and number of workers."""
    text = ""
    for (target, variant, kind, states, ranks, threads, more), results in found.items():
        others = found.get((target, variant, kind, states, threads, ranks, more))
        if kind == "weak" or ranks == 1 or others is None:
            continue
        ratio = min(r["seconds_per_product"] for r in results) / min(o["seconds_per_product"] for o in others)
        text += f"{target}: {ranks} ranks take {ratio:.2f} times what {ranks} threads take.\n"
    return text


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", default="build/release/src/strata")
    parser.add_argument("--mpirun", default="mpirun")
    parser.add_argument("--workers", default="1,2", help="numbers of ranks and of threads")
    parser.add_argument("--products", type=int, default=20)
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--output", default="perf/results/kronecker-scaling", help="stem of the .md and .json written")
    args = parser.parse_args()

    found = {case: [] for case in dict.fromkeys(cases(args))}
    for _ in range(args.repeats):
        for (target, _, _, states, ranks, threads, more), results in found.items():
            _, operators, width = TARGETS[target]
            job = JOB.format(states=states, operators=operators, width=width, products=args.products, more=more)
            result = run_job(args, job, ranks, threads)
            results.append(result["performance"] | {"hash": result["state_hash"]})
    text = ("| target | variant | scaling | M | ranks | threads | ms per product | GFLOP/s | efficiency | busiest |\n"
            "|---|---|---|---|---|---|---|---|---|---|\n")
    data, first, hashes = [], {}, {}
    for (target, variant, kind, states, ranks, threads, _), results in found.items():
        rate = max(r["gflops"] for r in results)
        seconds = min(r["seconds_per_product"] for r in results)
        imbalance = statistics.median(r.get("imbalance", 1) for r in results)
        bits = {r["hash"] for r in results}
        if variant == "pairs":
            assert len(bits | hashes.setdefault((target, states), bits)) == 1, "the layouts disagree"
        efficiency = rate / min(ranks * threads, os.cpu_count()) / first.setdefault((target, variant), rate)
        text += (f"| {target} | {variant} | {kind} | {states} | {ranks} | {threads} | {1e3 * seconds:.2f} | {rate:.1f} "
                 f"| {100 * efficiency:.0f} % | {f'{imbalance:.3f}' if ranks > 1 else ''} |\n")
        data.append({"target": target, "variant": variant, "scaling": kind, "M": states, "ranks": ranks,
                     "threads": threads, "seconds": [r["seconds_per_product"] for r in results],
                     "imbalance": imbalance})
    text += "\n" + compare_ranks_with_threads(found)
    stem = pathlib.Path(args.output)
    stem.with_suffix(".md").write_text(text)
    stem.with_suffix(".json").write_text(json.dumps(data, indent=1) + "\n")
    print(text)


if __name__ == "__main__":
    main()
