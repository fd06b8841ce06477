#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""Time and error of a melting wall between spins up and down in the XX chain on one core: this program (with the second
evolution that tells its errors, and without) against two-site TDVP and fourth-order TEBD of TeNPy.

    perf/peers/evolution_peers.py --install                     makes the environment of the peers (build/dmrg_peers)
    perf/peers/evolution_peers.py --output perf/results/evolution-peers

Errors are the largest of all S^z at the end, by free fermions. Programs take turns --rounds times, and medians count.
Seconds are those of the processor: of the whole run for this program, of the evolution alone for a peer.
"""

import json
import pathlib
import statistics
import subprocess
import tempfile

import peers

STEPS = {"tdvp": (0.25, 0.125, 0.05), "tebd": (0.25, 0.125)}


def exact(sites, time):
    """S^z of the sites by free fermions; numpy is that of the peers' environment."""
    code = ("import sys, json, numpy as np; n, t = int(sys.argv[1]), float(sys.argv[2]); "
            "e, v = np.linalg.eigh(0.5 * (np.eye(n, k=1) + np.eye(n, k=-1))); u = (v * np.exp(-1j * e * t)) @ v.T; "
            "print(json.dumps(list((abs(u[:, :n // 2]) ** 2).sum(axis=1) - 0.5)))")
    return code, str(sites), str(time)


def own_run(args, sites, time, estimate):
    with tempfile.TemporaryDirectory() as directory:
        (pathlib.Path(directory) / "job.ini").write_text(
            f"application = dmrg\n[lattice]\nextents = {sites}\n[model]\ntype = xx\n[run]\ntask = evolution\n"
            f"[evolution]\nup = 0:{sites // 2 - 1}:1\nstep = 0.5\nsteps = {round(2 * time)}\nsweeps = 2\n"
            f"cutoff = {args.cutoff}\nestimate-error = {estimate}\n")
        program = str(pathlib.Path(args.program).resolve())
        found, _ = peers.measured([program, "run", "job.ini", "--backend.threads=1", "--quiet"], directory)
        rows = subprocess.run([program, "show", "--series", "--csv", "out/job.h5"], cwd=directory, check=True,
                              capture_output=True, text=True).stdout.splitlines()
    names, last = ([line for line in rows if not line.startswith("#")][k].split(",") for k in (0, -1))
    values = dict(zip(names, last))
    return {"seconds": found["seconds"], "states": float(values["states"]),
            "sz": [float(values[f"sz-{i}"]) for i in range(sites)]}


def peer_run(args, engine, sites, time, step):
    _, printed = peers.measured([args.python, peers.HERE / "tensor_evolution.py", engine, str(sites), str(time),
                                 str(step), str(args.cutoff)])
    return json.loads(printed.splitlines()[-1])


def rows(args):
    for sites, time in ((int(a), float(b)) for a, b in (c.split(",") for c in args.cases.split(";"))):
        code, *numbers = exact(sites, time)
        right = json.loads(subprocess.run([args.python, "-c", code, *numbers], check=True, capture_output=True).stdout)
        runs = {f"strata{', no errors' if e == 'no' else ''}": lambda e=e: own_run(args, sites, time, e)
                for e in ("yes", "no")}
        runs |= {f"TeNPy {engine.upper()}, step {step}": lambda g=engine, s=step: peer_run(args, g, sites, time, s)
                 for engine, steps in STEPS.items() for step in steps}
        found = {name: [] for name in runs}
        for _ in range(args.rounds):
            for name, run in runs.items():
                found[name].append(run())
        first = statistics.median(r["seconds"] for r in found["strata"])
        for name, some in found.items():
            seconds = statistics.median(r["seconds"] for r in some)
            error = max(abs(a - b) for a, b in zip(some[-1]["sz"], right))
            yield [str(sites), f"{time:g}", name, f"{seconds:.1f}", f"{error:.1e}", f"{some[-1]['states']:.0f}",
                   f"{seconds / first:.1f}"]


def main():
    options = peers.parser(__doc__, "dmrg_peers")
    options.add_argument("--cases", default="40,8;60,12", help="sites,time;...")
    options.add_argument("--cutoff", default=1e-11, type=float)
    args = peers.arguments(options, "dmrg_requirements.txt")
    head = (f"# A wall in the XX chain, one core, {peers.load_of_machine()}\n\n"
            "| sites | time | program | seconds | error | M | seconds / strata |\n|---|---|---|---|---|---|---|\n")
    peers.print_table(args, head, rows(args))


if __name__ == "__main__":
    main()
