#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""One second-order Trotter step of the Heisenberg model in random fields: this program against Qulacs and Qiskit Aer.

    perf/peers/trotter_peers.py --install                      makes the environment of the peers (build/peers) from
    PyPI perf/peers/trotter_peers.py --output perf/results/trotter-peers

Each peer takes the number of qubits to which gates are joined that is fastest in a first round (trotter_step.py). Then
the programs take turns --rounds times, and medians count. The peers are held against exact states of 8 spins first.
"""

import json
import statistics
import subprocess
import sys

from peers import HERE, arguments, parser, print_table
from trotter_step import trotter_job

sys.path.insert(0, str(HERE.parent))
from launches import run_text  # noqa: E402

PEERS = ("qulacs", "aer")


def peer_step(args, peer, lattice, spins, threads, *more):
    command = [args.python, HERE / "trotter_step.py", peer, lattice, str(spins), f"--threads={threads}", *more]
    shown = subprocess.run(command, check=True, capture_output=True, text=True)
    return json.loads(shown.stdout)


def program_knows_trotter(args):
    try:
        return subprocess.run([args.program, "keys", "trotter"], capture_output=True).returncode == 0
    except FileNotFoundError:
        return False


def own_step(args, lattice, spins, threads, precision):
    return run_text(args.program, trotter_job(lattice, spins, 10, precision), 1,
                    threads)["performance"]["seconds_per_step"]


def measure(args, lattice, spins, threads, own):
    """Median seconds per step of every program, and the setting of every peer."""
    settings = {peer: peer_step(args, peer, lattice, spins, threads, "--repeats=1")["setting"] for peer in PEERS}
    found = {name: [] for name in (*PEERS, *(("double", "single") if own else ()))}
    for _ in range(args.rounds):
        for peer in PEERS:
            timed = peer_step(args, peer, lattice, spins, threads, f"--setting={settings[peer]}", "--repeats=2")
            found[peer].append(timed["seconds"])
        for precision in ("double", "single") if own else ():
            found[precision].append(own_step(args, lattice, spins, threads, precision))
    return {name: statistics.median(seconds) for name, seconds in found.items()}, settings


def row(lattice, spins, threads, seconds, settings):
    cells = [lattice, str(spins), str(threads)]
    cells += [f"{1e3 * seconds[peer]:.1f} ({settings[peer]})" for peer in PEERS]
    cells += [f"{1e3 * seconds[p]:.2f}" if p in seconds else "-" for p in ("double", "single")]
    cells += [f"{seconds[peer] / seconds['double']:.1f}" if "double" in seconds else "-" for peer in PEERS]
    return cells


def rows(args, own):
    for lattice, sizes in (("ring", args.ring), ("all", args.all)):
        for spins in map(int, filter(None, sizes.split(","))):
            for threads in map(int, args.threads.split(",")):
                yield row(lattice, spins, threads, *measure(args, lattice, spins, threads, own))


def main():
    options = parser(__doc__, "peers")
    options.add_argument("--ring", default="20,22,24", help="numbers of spins of the ring")
    options.add_argument("--all", default="18", help="numbers of spins with couplings between all pairs")
    options.add_argument("--threads", default="1,2")
    args = arguments(options, "requirements.txt")
    head = ""
    for lattice in ("ring", "all"):
        errors = ", ".join(f"{peer} {peer_step(args, peer, lattice, 8, 1, '--check')['error']:.1e}" for peer in PEERS)
        head += (f"Error of 8 spins ({lattice}) at t = 1 with steps of 0.05, a fourth of it with half the step: "
                 f"{errors}.\n\n")
    own = program_knows_trotter(args)
    if not own:
        head += f"The program {args.program} has no application trotter; its columns are empty.\n\n"
    head += ("ms per step; in brackets the qubits to which a peer joins gates (0: none)\n\n"
             "| couplings | N | threads | Qulacs | Qiskit Aer | double | single | Qulacs / double | Aer / double |\n"
             "|---|---|---|---|---|---|---|---|---|\n")
    print_table(args, head, rows(args, own))


if __name__ == "__main__":
    main()
