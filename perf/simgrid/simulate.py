#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""A job on simulated ranks (README.md) beside what `strata plan` predicts for it, as a table.

    simulate.py jobs/hubbard-ring.ini --machine=jobs/machines/epyc-milan-hdr200.ini --threads=16 --ranks=1,16,64,256 \\
        --run.max-steps=5
    simulate.py jobs/ising-2d-critical.ini --machine=... --threads=16 --ranks=1,16,64 --weak --run.sweeps=4 \\
        --scale=256 '--lattice.extents=4096,{2048*p//s}'

--section.key=value overrides keys; expressions in braces have p, the ranks, and s, the scale: kernels are charged s
times their work, so that lattices beyond this memory have thin slabs with borders of the true width. The plan gets s =
1.
"""

import argparse
import csv
import pathlib
import re
import subprocess
import sys
import tempfile
import time

LEAF = 16  # nodes of a leaf switch of the fat tree, which has as many links upwards


def machine_of(path):
    lines = (line.split("#")[0].partition("=") for line in pathlib.Path(path).read_text(encoding="utf-8").splitlines())
    return {key.strip(): value.strip() for key, equals, value in lines if equals}


def platform(machine, nodes):
    """Hosts of one flop per ns in a fat tree of two levels. Four links and what both ends take make up the latency."""
    leaves = -(-nodes // LEAF)
    # an idle one beside a single one
    shape = f"2;{LEAF},{leaves};1,{LEAF};1,1" if leaves > 1 else f"1;{max(nodes, 2)};1;1"
    last = (leaves * LEAF if leaves > 1 else max(nodes, 2)) - 1
    inner = float(machine["inner-latency"]) / 2
    return f"""<?xml version="1.0"?>
<!DOCTYPE platform SYSTEM "https://simgrid.org/simgrid.dtd">
<platform version="4.1">
  <cluster id="c" prefix="node-" suffix="" radical="0-{last}" speed="1Gf" core="{machine["cores"]}"
    bw="{machine["injection"]}GBps" lat="{(float(machine["latency"]) - inner) / 4}us"
    loopback_bw="{machine["inner-bandwidth"]}GBps" loopback_lat="{inner}us"
    sharing_policy="SPLITDUPLEX" topology="FAT_TREE" topo_parameters="{shape}"/>
</platform>
"""


def configuration(machine):
    """The defaults of SMPI's network are those of old Ethernet. Each end takes a quarter of the latency within a
    node."""
    overhead = f"0:{float(machine['inner-latency']) / 4}e-6:0"
    values = {"smpi/host-speed": "1Gf", "smpi/simulate-computation": "no", "smpi/wtime": "0", "smpi/bw-factor": "0:1",
              "smpi/lat-factor": "0:1", "smpi/os": overhead, "smpi/ois": overhead, "smpi/or": overhead,
              "smpi/send-is-detached-thresh": "16384", "smpi/async-small-thresh": "16384", "smpi/coll-selector": "ompi",
              "contexts/stack-size": "1024"}
    return [f"--cfg={key}:{value}" for key, value in values.items()] + ["--log=root.thres:warning"]


def simulate(a, machine, ranks, overrides):
    per_node = max(1, int(float(machine["cores"]) // a.threads))
    with tempfile.TemporaryDirectory() as folder:
        files = pathlib.Path(folder)
        (files / "platform.xml").write_text(platform(machine, -(-ranks // per_node)))
        (files / "hosts").write_text("".join(f"node-{r // per_node}\n" for r in range(ranks)))
        command = ["smpirun", "-no-privatize", "-np", str(ranks), "-platform", files / "platform.xml", "-hostfile",
                   files / "hosts", *configuration(machine), a.driver.resolve(), a.job, f"--machine={a.machine}",
                   f"--threads={a.threads}", f"--here={a.here}", f"--scale={a.scale}", f"--times={files / 'times'}",
                   *overrides]
        for _ in range(a.runs):
            done = subprocess.run(command, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
            found = re.search(r"^RESULT (.*)$", done.stdout, re.M)
            if done.returncode or not found:
                sys.exit(f"{done.stdout[-4000:]}\nsimulate.py: {ranks} ranks ended with code {done.returncode}.")
    if a.phases:
        print("\n".join(line for line in done.stdout.splitlines() if line.startswith("PHASE")), file=sys.stderr)
    return dict(item.split("=") for item in found.group(1).split())


def planned(a, ranks, overrides):
    """us per step and what limits, from `strata plan`, which also checks job and machine."""
    done = subprocess.run([a.program, "plan", a.job, f"--ranks={ranks}", f"--backend.threads={a.threads}", "--csv",
                           f"--machine={a.machine}", *overrides], text=True, stdout=subprocess.PIPE)
    if done.returncode:
        sys.exit(done.returncode)  # it has printed a sentence about the job or the machine
    (row,) = csv.DictReader(done.stdout.splitlines())
    return f"{1e6 * float(row['seconds_per_step']):.0f}", row["limit"]


def real_hash(a, overrides):
    """State hash of the real program on one rank; an unconverged state has one, too."""
    with tempfile.TemporaryDirectory() as folder:
        done = subprocess.run([a.program, "run", a.job, *overrides, f"--output.directory={folder}"], text=True,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    found = re.search(r"^state_hash (\w+)$", done.stdout, re.M)
    return found[1] if found else sys.exit(done.stdout)


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("job")
    p.add_argument("--machine", required=True, help="machine file, as for strata plan")
    p.add_argument("--ranks", default="1,16,64")
    p.add_argument("--threads", type=int, default=1, help="per rank")
    p.add_argument("--here", type=float, default=1,
                   help="core-speed of this machine, as in machine files: times measured here are converted")
    p.add_argument("--scale", type=int, default=1)
    p.add_argument("--weak", action="store_true", help="efficiency of a job that grows as the ranks")
    p.add_argument("--driver", type=pathlib.Path, default="build/simgrid/driver")
    p.add_argument("--program", default="build/release/src/strata")
    p.add_argument("--runs", type=int, default=1,
                   help="simulate so often; each step of a rank is charged the least of its processor times here")
    p.add_argument("--check", action="store_true",
                   help="fail if a state hash is not that of the real program on one rank")
    p.add_argument("--phases", action="store_true", help="print the times of phases to stderr")
    a, keys = p.parse_known_args()
    print("| ranks | simulated, us | efficiency | in MPI | messages (most) | KB sent (most) | plan, us | limited by | "
          "hash | run, s |\n"
          "|---|---|---|---|---|---|---|---|---|---|")
    first = 0
    for ranks in map(int, a.ranks.split(",")):
        def filled(scale):
            return [re.sub(r"\{(.*?)\}", lambda m: str(eval(m[1], {"p": ranks, "s": scale})), key) for key in keys]
        time_planned, limit = planned(a, ranks, filled(1))
        start = time.time()
        r = simulate(a, machine_of(a.machine), ranks, filled(a.scale))
        us = float(r["us"])
        first = first or us * (1 if a.weak else ranks)
        print(f"| {ranks} | {us:.0f} | {100 * first / us / (1 if a.weak else ranks):.0f} % | "
              f"{100 * float(r['mpi']) / us:.0f} % | "
              f"{float(r['messages']):.1f} ({float(r['most_messages']):.0f}) | {float(r['bytes']) / 1e3:.1f} "
              f"({float(r['most_bytes']) / 1e3:.1f}) | {time_planned} | {limit} | {r['hash']} | "
              f"{time.time() - start:.0f} |",
              flush=True)
        if a.check and (real := real_hash(a, filled(1))) != r["hash"]:
            sys.exit(f"simulate.py: the state hash of the real program is {real}, not {r['hash']}.")


if __name__ == "__main__":
    main()
