#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""A Lanczos step in a sector of momentum beside steps without symmetries, interleaved in one run, as a table.

    perf/lanczos_sectors.py --program build/release/src/strata --threads 1 --output perf/results/lanczos-sectors.md

Half-filled Hubbard rings, U = 4. Time per step is that of H_down and H_up, the least of --repeats runs of --steps
steps. The ring of 16 without symmetries takes 2.7 GB; --large adds the ring of 18 with k = 0 (2.2 GB), to its energy.
"""

import argparse
import math

from launches import run_text

JOB = """application = lanczos
[lattice]
type = ring
extents = {sites}
[model]
u = 4
[sector]
up = {half}
down = {half}
{sector}
[run]
vectors = no
degeneracy = no
max-steps = {steps}
allow-unconverged = yes
[checkpoint]
interval = 0
"""
CASES = {"ring 14": (14, None, 1), "ring 16, k = pi": (16, "momentum = 8", 1),
         "ring 16, k = pi / 8": (16, "momentum = 1", 1),
         "ring 16, k = pi, even": (16, "momentum = 8\nparity = even", 1), "ring 16": (16, None, 0.2)}


def seconds_per_step(args, sites, sector, steps):
    found = run_text(args.program, JOB.format(sites=sites, half=sites // 2, sector=sector or "", steps=steps), 1,
                     args.threads)
    return sum(found["timers"][phase]["mean"] for phase in ("H down", "H up")) / steps, found


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", default="build/release/src/strata")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--steps", type=int, default=20)
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--large", action="store_true")
    parser.add_argument("--output", default="perf/results/lanczos-sectors.md")
    args = parser.parse_args()
    least = {}
    for _ in range(args.repeats):
        for name, (sites, sector, part) in CASES.items():
            seconds, _ = seconds_per_step(args, sites, sector, max(3, int(part * args.steps)))
            least[name] = min(seconds, least.get(name, math.inf))
    lines = [f"Half-filled Hubbard rings, U = 4, {args.threads} thread(s), ms per step (H_down and H_up), least of "
             f"{args.repeats} runs:", "",
             "| system | ms per step | of the ring of 14 |", "|---|---|---|"]
    lines += [f"| {name} | {1e3 * s:.1f} | {s / least['ring 14']:.2f} |" for name, s in least.items()]
    if args.large:
        seconds, found = seconds_per_step(args, 18, "momentum = 0", 86)
        lines += ["", f"Ring of 18, k = 0, 86 steps: {1e3 * seconds:.0f} ms per step, "
                      f"E = {found['observables']['energy']['value'][0]:.12f} (Lieb and Wu: -10.366229993360)."]
    text = "\n".join(lines) + "\n"
    print(text)
    with open(args.output, "w") as file:
        file.write("# Lanczos steps in sectors of momentum\n\n" + text)


if __name__ == "__main__":
    main()
