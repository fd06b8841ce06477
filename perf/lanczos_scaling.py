#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""Weak and strong scaling of a Lanczos step over MPI ranks of one thread each: a table and the raw numbers.

    perf/lanczos_scaling.py --program build/release/src/strata --ranks 1,2,4 --output perf/results/lanczos-scaling

Strong: one sector on more and more ranks. Weak: for every number of ranks the sector of the ring of 16 sites with 6 down
particles whose number of up bit strings is nearest to proportional; its efficiency is in states per second and rank. Every
case is run --repeats times and the fastest counts; all runs of one sector must agree to the last bit.
"""

import argparse
import json
import math
import pathlib

from scaling import run_job

JOB = """application = lanczos
[lattice]
type = {type}
extents = {extents}
[model]
type = {model}
[sector]
up = {up}
{down}
[run]
max-steps = {steps}
vectors = no
allow-unconverged = yes
[checkpoint]
interval = 0
"""
STRONG = {"ring 14, 7 + 7": ("ring", "14", 7, 7), "checkerboard 18, 4 + 4": ("checkerboard", "3,3", 4, 4),
          "ring 26, 13": ("ring", "26", 13, None)}
WEAK_SITES, WEAK_DOWN, WEAK_UP = 16, 6, 3  # up particles on one rank


def measure(args, system, ranks, threads, exchange="auto"):
    """Seconds per step of the fastest repeat, states, hash."""
    kind, extents, up, down = system
    model = "fermions" if down is None else "hubbard"
    job = JOB.format(type=kind, extents=extents, up=up, down="" if down is None else f"down = {down}", model=model, steps=args.steps)
    found = [run_job(args, job, ranks, threads, f"--backend.exchange={exchange}") for _ in range(args.repeats)]
    assert len({r["state_hash"] for r in found}) == 1
    best = min(found, key=lambda r: r["performance"]["seconds_per_step"])
    sites = math.prod(map(int, extents.split(","))) * (2 if kind == "checkerboard" else 1)
    states = math.comb(sites, up) * (1 if down is None else math.comb(sites, down))
    return {"seconds": best["performance"]["seconds_per_step"], "states": states, "hash": best["state_hash"], "timers": best["timers"]}


def weak_system(ranks):
    wanted = ranks * math.comb(WEAK_SITES, WEAK_UP)
    up = min(range(WEAK_SITES // 2 + 1), key=lambda n: abs(math.log(math.comb(WEAK_SITES, n) / wanted)))
    return "ring", str(WEAK_SITES), up, WEAK_DOWN


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", default="build/release/src/strata")
    parser.add_argument("--mpirun", default="mpirun")
    parser.add_argument("--ranks", default="1,2", help="numbers of ranks, one thread each")
    parser.add_argument("--steps", type=int, default=20)
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--output", default="perf/results/lanczos-scaling", help="stem of the .md and .json written")
    args = parser.parse_args()
    ranks = [int(r) for r in args.ranks.split(",")]
    cases = [(name, "strong", system, n) for name, system in STRONG.items() for n in ranks]
    cases += [(f"ring {WEAK_SITES}, {weak_system(n)[2]} + {WEAK_DOWN}", "weak", weak_system(n), n) for n in ranks]
    text = "| system | scaling | ranks | ms per step | ns per state | efficiency |\n|---|---|---|---|---|---|\n"
    data, first = [], {}
    for name, kind, system, n in cases:
        found = measure(args, system, n, 1)
        rate = found["states"] / found["seconds"] / n
        reference = first.setdefault(name if kind == "strong" else kind, (rate, found["hash"]))
        assert kind == "weak" or found["hash"] == reference[1], "the layouts disagree"
        line = (f"| {name} | {kind} | {n} | {1e3 * found['seconds']:.2f} | {1e9 * found['seconds'] / found['states']:.3f} | "
                f"{100 * rate / reference[0]:.0f} % |")
        print(line, flush=True)
        text += line + "\n"
        data.append({"system": name, "kind": kind, "ranks": n, **found})
    most = max(ranks)
    text += "\n"
    for name, system in STRONG.items():
        threads, sent = measure(args, system, 1, most), measure(args, system, most, 1, "rows")
        shared = next(d["seconds"] for d in data if (d["system"], d["ranks"]) == (name, most))
        text += (f"{name}: {most} ranks that read in place take {shared / threads['seconds']:.2f} times what {most} threads do, "
                 f"{most} ranks that send rows {sent['seconds'] / threads['seconds']:.2f} times.\n")
    stem = pathlib.Path(args.output)
    stem.with_suffix(".md").write_text(text)
    stem.with_suffix(".json").write_text(json.dumps(data, indent=1) + "\n")
    print(text)


if __name__ == "__main__":
    main()
