#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""Small systems on one core: this program against mcising, peapods and scipy.

    perf/peers/small_peers.py --install                        makes the environment of the peers (build/small_peers)
    perf/peers/small_peers.py --output perf/results/small-peers

Sweeps at the transition with the energy and the magnetisation of each, and points of a scan over U of a half-filled
Hubbard ring. This program also computes what its jobs compute by default: improved estimators, autocorrelations and
errors; the degeneracy and the correlations of a ground state. Programs take turns --rounds times; the least times
count.
"""

import math
import pathlib
import sys

from peers import HERE, arguments, load_of_machine, measured, parser, print_table

sys.path.insert(0, str(HERE.parent))
from small_systems import BETA, POINTS, SWEEPS, point_milliseconds, sweep_microseconds  # noqa: E402

PEER_SWEEPS = 20000
RINGS = {"Hubbard ring of 6": ("6", "200"), "Hubbard ring of 8": ("8", "40")}  # sites, points


def peer(args, *words):
    _, printed = measured([args.python, HERE / "small_system.py", *words])
    return float(printed)


def sweep_row(args, program, name):
    update, extents, _ = SWEEPS[name]
    words = (update, extents, str(PEER_SWEEPS), str(BETA[extents.count(",") + 1]))
    times = {"strata": lambda: sweep_microseconds(program, SWEEPS[name], ""),
             "without clusters": lambda: sweep_microseconds(program, SWEEPS[name], "clusters = no"),
             "mcising": lambda: peer(args, "mcising", *words),
             "peapods": lambda: peer(args, "peapods", *words)}
    if update != "metropolis":
        del times["without clusters"]
    return times


def point_row(args, program, name):
    return {"strata": lambda: 1e3 * point_milliseconds(program, POINTS[name], ""),
            "scipy": lambda: peer(args, "scipy", *RINGS[name])}


COLUMNS = ("strata", "without clusters", "mcising", "peapods", "scipy")


def rows(args):
    program = str(pathlib.Path(args.program).resolve())
    makers = {name: sweep_row for name in SWEEPS if "2048" not in name} | {name: point_row for name in RINGS}
    for name, maker in makers.items():
        times = maker(args, program, name)
        least = dict.fromkeys(times, math.inf)
        for _ in range(args.rounds):
            for column, time in times.items():
                least[column] = min(least[column], time())
        yield [name] + [f"{least[c]:.{2 if least[c] < 100 else 0}f}" if c in least else "" for c in COLUMNS]


def main():
    args = arguments(parser(__doc__, "small_peers"), "small_requirements.txt")
    print_table(args, "Microseconds of a sweep with its observation, or of a point of a scan, on one core; "
                      f"{load_of_machine()}\n\n| case | {' | '.join(COLUMNS)} |\n"
                      + (1 + len(COLUMNS)) * "|---" + "|\n",
                rows(args))


if __name__ == "__main__":
    main()
