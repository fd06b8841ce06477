#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""Ground state of half-filled Hubbard rings, U = 4, in the sector of its momentum, on one core: this program against
QuSpin.

    perf/peers/lanczos_peers.py --install                      makes the environment of the peer (build/lanczos_peers)
    perf/peers/lanczos_peers.py --output perf/results/lanczos-peers

Both find the energy without the vector, from nothing: QuSpin's time is that of basis, matrix and search, without
imports; this program's is that of the whole process. Seconds are those of the processor, so that other programs disturb
them little. Programs take turns --rounds times, and medians count. Energies are held against Lieb and Wu's.
"""

import json
import pathlib
import statistics
import subprocess
import tempfile

from peers import HERE, arguments, load_of_machine, measured, parser, print_table

# sites: momentum of the ground state, energy (from the Bethe equations)
EXACT = {10: (0, -5.834322635773), 12: (6, -6.920353562419), 14: (0, -8.088349103862), 16: (8, -9.214430971983)}
JOB = """application = lanczos
[lattice]
type = ring
extents = {sites}
[model]
u = 4
[sector]
up = {half}
down = {half}
momentum = {momentum}
[run]
vectors = no
"""


def peer_run(args, sites):
    found, printed = measured([args.python, HERE / "lanczos_ground_state.py", str(sites), "4", str(EXACT[sites][0])])
    told = json.loads(printed.splitlines()[-1])
    return {**found, **told, "seconds": told["basis"] + told["matrix"] + told["search"]}


def own_run(args, sites):
    program = str(pathlib.Path(args.program).resolve())
    with tempfile.TemporaryDirectory() as directory:
        job = pathlib.Path(directory) / "job.ini"
        job.write_text(JOB.format(sites=sites, half=sites // 2, momentum=EXACT[sites][0]))
        found, _ = measured([program, "run", "job.ini", "--backend.threads=1", "--quiet"], directory)
        shown = subprocess.run([program, "show", "--json", "out/job.h5"], cwd=directory, check=True,
                               capture_output=True, text=True)
    return {**found, "energy": json.loads(shown.stdout)["observables"]["energy"]["value"]}


def row(sites, runs):
    """Cells of the table: medians of the seconds, errors, largest memory."""
    cells = [str(sites), str(EXACT[sites][0]), f"{runs['quspin'][-1]['dimension']}"]
    seconds = {name: statistics.median(r["seconds"] for r in some) for name, some in runs.items()}
    memory = {name: max(r["bytes"] for r in some) for name, some in runs.items()}
    for name, some in runs.items():
        cells.append(f"{seconds[name]:.2f} ({some[-1]['energy'] - EXACT[sites][1]:+.0e}, {memory[name] / 1e6:.0f} MB)")
    search = statistics.median(r["search"] for r in runs["quspin"])
    cells += [f"{search:.2f}", f"{seconds['quspin'] / seconds['strata']:.0f}"]
    return cells


def rows(args):
    for sites in map(int, args.sites.split(",")):
        runs = {"strata": [], "quspin": []}
        for _ in range(args.rounds):
            runs["strata"].append(own_run(args, sites))
            runs["quspin"].append(peer_run(args, sites))
        yield row(sites, runs)


def main():
    options = parser(__doc__, "lanczos_peers")
    options.add_argument("--sites", default="10,12,14", help="16 takes QuSpin many minutes and several GB")
    args = arguments(options, "lanczos_requirements.txt", "--no-deps")
    print_table(args, "Seconds of one core to the ground state in its sector of momentum (error, peak memory); "
                      f"{load_of_machine()}\n\n"
                      "| ring | m | states | strata | QuSpin | QuSpin: search alone | QuSpin / strata "
                      "|\n|---|---|---|---|---|---|---|\n",
                rows(args))


if __name__ == "__main__":
    main()
