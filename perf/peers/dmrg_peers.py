#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""Time to accuracy of the half-filled open Hubbard chain on one core: this program against TeNPy and block2; with
--cases L,ising of the critical Ising chain in a transverse field, and L,dm of the XX chain with a
Dzyaloshinskii-Moriya vector of 1/2 along z, whose H is complex, against TeNPy; L,xx is the same without it, by this
program alone.

    perf/peers/dmrg_peers.py --install                         makes the environment of the peers (build/dmrg_peers)
    from PyPI perf/peers/dmrg_peers.py --output perf/results/dmrg-peers

This program is given the tolerance alone, finds out by itself that it has reached it, and its time is that of the whole
run; a peer's time ends with the first stage whose energy is right, which it is told (dmrg_ground_state.py). Programs
take turns --rounds times, and medians count. Seconds are those of the processor, so that other programs disturb them
little.
"""

import json
import math
import pathlib
import statistics
import subprocess
import tempfile

from peers import HERE, arguments, load_of_machine, measured, parser, print_table

PEERS = ("tenpy", "block2")
ONLY = {"ising": ("tenpy",), "dm": ("tenpy",), "xx": ()}  # peers that compute a case
# Bethe ansatz (src/dmrg/README.md): (sites, U) -> energy
EXACT = {(16, 4): -8.818767454812, (32, 4): -17.994578365127, (32, 8): -10.275379040030, (64, 4): -36.351832696660}


def exact(sites, u):
    """Free fermions: the critical chain H = - sum sx sx - sum sz with open ends; the XX chain, turned or not."""
    if u == "ising":
        return 1 - 1 / math.sin(math.pi / (4 * sites + 2))
    if u in ("dm", "xx"):
        return (math.sqrt(1.25) if u == "dm" else 1) * (1 - 1 / math.sin(math.pi / (2 * sites + 2))) / 2
    return EXACT[sites, u]


def peer_run(args, peer, case):
    sites, u = case
    _, printed = measured([args.python, HERE / "dmrg_ground_state.py", peer, str(sites), str(u), str(exact(*case)),
                           f"--tolerance={args.tolerance}"])
    return json.loads(printed.splitlines()[-1])


def own_run(args, case):
    sites, u = case
    with tempfile.TemporaryDirectory() as directory:
        job = pathlib.Path(directory) / "job.ini"
        model = {"ising": "type = xyz\njx = -4\nfield = -2\n[sector]\nnumber-parity = even", "xx": "type = xx",
                 "dm": "type = xx\nterms = dm.txt"}.get(u, f"u = {u}")
        (pathlib.Path(directory) / "dm.txt").write_text("0.5 {<i,j>} Sx {i} Sy {j}\n-0.5 {<i,j>} Sy {i} Sx {j}\n")
        job.write_text(f"application = dmrg\n[lattice]\nextents = {sites}\n[model]\n{model}\n"
                       f"[run]\ntolerance = {args.tolerance}\n")
        program = str(pathlib.Path(args.program).resolve())
        found, _ = measured([program, "run", "job.ini", "--backend.threads=1", "--quiet"], directory)
        shown = subprocess.run([program, "show", "--json", "out/job.h5"], cwd=directory, check=True,
                               capture_output=True, text=True)
        result = json.loads(shown.stdout)
    values = {name: result["observables"][name]["value"] for name in ("energy", "states")}
    return {**found, "error": values["energy"] - exact(*case), "states": values["states"]}


def row(case, runs):
    """Cells of the table: medians of the seconds, errors and states of the last run, ratios."""
    seconds = {name: statistics.median(r["seconds"] for r in some) for name, some in runs.items()}
    cells = list(map(str, case))
    for name in ("strata", *PEERS):
        if name in runs:
            last = runs[name][-1]
            cells.append(f"{seconds[name]:.1f} ({last['error']:+.1e}, M = {last['states']:.0f})")
        else:
            cells.append("-")
    cells += [f"{seconds[peer] / seconds['strata']:.1f}" if peer in seconds else "-" for peer in PEERS]
    cells.append(f"{statistics.median(r['system'] / r['seconds'] for r in runs['strata']):.0%}")
    return cells


def rows(args):
    for sites, u in (c.split(",") for c in args.cases.split(";")):
        case = int(sites), u if u in ONLY else int(u)
        peers = [peer for peer in args.peers.split(",") if peer and peer in ONLY.get(u, PEERS)]
        runs = {name: [] for name in ("strata", *peers)}
        for _ in range(args.rounds):
            for name, some in runs.items():
                some.append(own_run(args, case) if name == "strata" else peer_run(args, name, case))
        yield row(case, runs)


def main():
    options = parser(__doc__, "dmrg_peers")
    options.add_argument("--cases", default="32,4", help="sites,U, separated by semicolons")
    options.add_argument("--peers", default=",".join(PEERS))
    options.add_argument("--tolerance", type=float, default=1e-8)
    args = arguments(options, "dmrg_requirements.txt")
    print_table(args, f"Seconds of one core to an energy within {args.tolerance:g} (error reached, states kept); "
                      f"{load_of_machine()}\n\n"
                      "| L | U | strata | TeNPy | block2 | TeNPy / strata | block2 / strata | strata: system "
                      "|\n|---|---|---|---|---|---|---|---|\n",
                rows(args))


if __name__ == "__main__":
    main()
