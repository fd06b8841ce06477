#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""Ground state of half-filled Hubbard rings, U = 4, in the sector of its momentum, on one core: this program against QuSpin.

    perf/peers/lanczos_peers.py --install                      makes the environment of the peer (build/lanczos_peers) from PyPI
    perf/peers/lanczos_peers.py --output perf/results/lanczos-peers

Both find the energy without the vector, from nothing: QuSpin's time is that of basis, matrix and search, without imports;
this program's is that of the whole process. Seconds are those of the processor, so that other programs disturb them little.
Programs take turns --rounds times, and medians count. Energies are held against Lieb and Wu's.
"""

import argparse
import json
import os
import pathlib
import resource
import statistics
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
# sites: momentum of the ground state, energy (from the Bethe equations)
EXACT = {10: (0, -5.834322635773), 12: (6, -6.920353562419), 14: (0, -8.088349103862), 16: (8, -9.214430971983)}
ONE_THREAD = {f"{library}_NUM_THREADS": "1" for library in ("OMP", "MKL", "OPENBLAS")}
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


def install(environment):
    subprocess.run([sys.executable, "-m", "venv", environment], check=True)
    subprocess.run([environment / "bin/pip", "install", "-q", "-r", HERE / "lanczos_requirements.txt"], check=True)


def measured(command, directory):
    """Seconds of the processor and memory of a child, and what it printed."""
    with tempfile.TemporaryFile("w+") as printed:
        child = subprocess.Popen(command, cwd=directory, stdout=printed, stderr=subprocess.DEVNULL, env={**os.environ, **ONE_THREAD})
        _, status, usage = os.wait4(child.pid, 0)
        if status != 0:
            sys.exit(f"This ended with {status}: {' '.join(map(str, command))}")
        printed.seek(0)
        return {"seconds": usage.ru_utime + usage.ru_stime, "bytes": 1024 * usage.ru_maxrss}, printed.read()


def peer_run(args, sites):
    found, printed = measured([(args.environment / "bin/python").absolute(), HERE / "lanczos_ground_state.py", str(sites), "4",
                               str(EXACT[sites][0])], None)
    told = json.loads(printed.splitlines()[-1])
    return {**found, **told, "seconds": told["basis"] + told["matrix"] + told["search"]}


def own_run(args, sites):
    program = str(pathlib.Path(args.program).resolve())
    with tempfile.TemporaryDirectory() as directory:
        job = pathlib.Path(directory) / "job.ini"
        job.write_text(JOB.format(sites=sites, half=sites // 2, momentum=EXACT[sites][0]))
        found, _ = measured([program, "run", "job.ini", "--backend.threads=1", "--quiet"], directory)
        shown = subprocess.run([program, "show", "--json", "out/job.h5"], cwd=directory, check=True, capture_output=True, text=True)
    return {**found, "energy": json.loads(shown.stdout)["observables"]["energy"]["value"]}


def row(sites, runs):
    cells = [str(sites), str(EXACT[sites][0]), f"{runs['quspin'][-1]['dimension']}"]
    seconds = {name: statistics.median(r["seconds"] for r in some) for name, some in runs.items()}
    memory = {name: max(r["bytes"] for r in some) for name, some in runs.items()}
    for name, some in runs.items():
        cells.append(f"{seconds[name]:.2f} ({some[-1]['energy'] - EXACT[sites][1]:+.0e}, {memory[name] / 1e6:.0f} MB)")
    search = statistics.median(r["search"] for r in runs["quspin"])
    cells += [f"{search:.2f}", f"{seconds['quspin'] / seconds['strata']:.0f}"]
    return "| " + " | ".join(cells) + " |"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--install", action="store_true", help="make the environment, and measure nothing")
    parser.add_argument("--environment", type=pathlib.Path, default=HERE.parent.parent / "build/lanczos_peers")
    parser.add_argument("--program", default="build/release/src/strata")
    parser.add_argument("--sites", default="10,12,14", help="16 takes QuSpin many minutes and several GB")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--output", help="stem of the .md written")
    args = parser.parse_args()
    if args.install:
        install(args.environment)
        return
    if not (args.environment / "bin/python").exists():
        sys.exit(f"There is no environment {args.environment} with the peer: run perf/peers/lanczos_peers.py --install.")
    text = (f"Seconds of one core to the ground state in its sector of momentum (error, peak memory); load of the machine "
            f"{os.getloadavg()[0]:.1f} on {os.cpu_count()} cores\n\n"
            "| ring | m | states | strata | QuSpin | QuSpin: search alone | QuSpin / strata |\n|---|---|---|---|---|---|---|\n")
    print(text, end="", flush=True)
    for sites in map(int, args.sites.split(",")):
        runs = {"strata": [], "quspin": []}
        for _ in range(args.rounds):
            runs["strata"].append(own_run(args, sites))
            runs["quspin"].append(peer_run(args, sites))
        line = row(sites, runs)
        print(line, flush=True)
        text += line + "\n"
    if args.output:
        pathlib.Path(args.output).with_suffix(".md").write_text(text)


if __name__ == "__main__":
    main()
