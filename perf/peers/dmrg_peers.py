#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""Time to accuracy of the half-filled open Hubbard chain on one core: this program against TeNPy and block2.

    perf/peers/dmrg_peers.py --install                         makes the environment of the peers (build/dmrg_peers) from PyPI
    perf/peers/dmrg_peers.py --output perf/results/dmrg-peers

This program is given the tolerance alone, finds out by itself that it has reached it, and its time is that of the whole
run; a peer's time ends with the first stage whose energy is right, which it is told (dmrg_ground_state.py). Programs take
turns --rounds times, and medians count. Seconds are those of the processor, so that other programs disturb them little.
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
PEERS = ("tenpy", "block2")
# Bethe ansatz (src/dmrg/README.md): (sites, U) -> energy
EXACT = {(16, 4): -8.818767454812, (32, 4): -17.994578365127, (32, 8): -10.275379040030, (64, 4): -36.351832696660}
ONE_THREAD = {f"{library}_NUM_THREADS": "1" for library in ("OMP", "MKL", "OPENBLAS")}


def install(environment):
    subprocess.run([sys.executable, "-m", "venv", environment], check=True)
    subprocess.run([environment / "bin/pip", "install", "-q", "-r", HERE / "dmrg_requirements.txt"], check=True)


def peer_run(args, peer, case):
    sites, u = case
    command = [args.environment / "bin/python", HERE / "dmrg_ground_state.py", peer, str(sites), str(u), str(EXACT[case]),
               f"--tolerance={args.tolerance}"]
    done = subprocess.run(command, check=True, capture_output=True, text=True, env={**os.environ, **ONE_THREAD})
    return json.loads(done.stdout.splitlines()[-1])


def own_run(args, case):
    sites, u = case
    with tempfile.TemporaryDirectory() as directory:
        job = pathlib.Path(directory) / "job.ini"
        job.write_text(f"application = dmrg\n[lattice]\nextents = {sites}\n[model]\nu = {u}\n[run]\ntolerance = {args.tolerance}\n")
        program = str(pathlib.Path(args.program).resolve())
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        subprocess.run([program, "run", "job.ini", "--backend.threads=1", "--quiet"], cwd=directory, check=True,
                       capture_output=True, env={**os.environ, **ONE_THREAD})
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        shown = subprocess.run([program, "show", "--json", "out/job.h5"], cwd=directory, check=True, capture_output=True, text=True)
        result = json.loads(shown.stdout)
    user, system = after.ru_utime - before.ru_utime, after.ru_stime - before.ru_stime
    values = {name: result["observables"][name]["value"] for name in ("energy", "states")}
    return {"peer": "strata", "seconds": user + system, "system": system, "error": values["energy"] - EXACT[case],
            "states": values["states"]}


def row(case, runs):
    """Medians of the seconds, errors and states of the last run, ratios."""
    seconds = {name: statistics.median(r["seconds"] for r in some) for name, some in runs.items()}
    cells = [str(case[0]), f"{case[1]:g}"]
    for name in ("strata", *PEERS):
        if name in runs:
            last = runs[name][-1]
            cells.append(f"{seconds[name]:.1f} ({last['error']:+.1e}, M = {last['states']:.0f})")
        else:
            cells.append("-")
    cells += [f"{seconds[peer] / seconds['strata']:.1f}" if peer in seconds else "-" for peer in PEERS]
    cells.append(f"{statistics.median(r['system'] / r['seconds'] for r in runs['strata']):.0%}")
    return "| " + " | ".join(cells) + " |"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--install", action="store_true", help="make the environment, and measure nothing")
    parser.add_argument("--environment", type=pathlib.Path, default=HERE.parent.parent / "build/dmrg_peers")
    parser.add_argument("--program", default="build/release/src/strata")
    parser.add_argument("--cases", default="32,4", help="sites,U, separated by semicolons")
    parser.add_argument("--peers", default=",".join(PEERS))
    parser.add_argument("--tolerance", type=float, default=1e-8)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--output", help="stem of the .md written")
    args = parser.parse_args()
    if args.install:
        install(args.environment)
        return
    if not (args.environment / "bin/python").exists():
        sys.exit(f"There is no environment {args.environment} with the peers: run perf/peers/dmrg_peers.py --install.")
    text = (f"Seconds of one core to an energy within {args.tolerance:g} (error reached, states kept); load of the machine "
            f"{os.getloadavg()[0]:.1f} on {os.cpu_count()} cores\n\n"
            "| L | U | strata | TeNPy | block2 | TeNPy / strata | block2 / strata | strata: system |\n|---|---|---|---|---|---|---|---|\n")
    print(text, end="", flush=True)
    for case in (tuple(map(int, c.split(","))) for c in args.cases.split(";")):
        runs = {name: [] for name in ("strata", *filter(None, args.peers.split(",")))}
        for _ in range(args.rounds):
            for name, some in runs.items():
                some.append(own_run(args, case) if name == "strata" else peer_run(args, name, case))
        line = row(case, runs)
        print(line, flush=True)
        text += line + "\n"
    if args.output:
        pathlib.Path(args.output).with_suffix(".md").write_text(text)


if __name__ == "__main__":
    main()
