#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Predictions of `strata plan` beside what runs take: perf/predictions.py BUILD [--jobs 40] [--seed 5].

Random jobs of all applications on one thread and 1 or 2 ranks. Memory: predicted bytes of the largest rank over the
peak of the largest process, less that of a run of four spins. Time: predicted seconds of the steps that were made over
the processor seconds of a rank, less those of a run of four spins. Times mean something on a machine without other load
only.
"""

import argparse
import csv
import io
import json
import os
import pathlib
import random
import subprocess
import sys
import tempfile

from launches import environment

EMPTY = "application = trotter\n[lattice]\ntype = ring\nextents = 4\n[model]\ntype = heisenberg\n[run]\nsteps = 2\n"


def text_of(application, keys):
    lines, section = [f"application = {application}"], None
    for key, value in keys.items():
        if key.split(".")[0] != section:
            section = key.split(".")[0]
            lines.append(f"[{section}]")
        lines.append(f"{key.split('.', 1)[1]} = {value}")
    return "\n".join(lines) + "\n"


def ising(rng):
    if rng.random() < 0.5:
        length, hot = rng.choice([1024, 2048, 4096]), 2.269
        sites, extents = length ** 2, f"{length},{length}"
    else:
        length, hot = rng.choice([64, 128, 200, 256]), 4.51
        sites, extents = length ** 3, ",".join(3 * [str(length)])
    states = rng.choice([2, 2, 3, 10])
    return {"lattice.extents": extents, "model.states": states,
            "model.temperature": round(rng.uniform(0.7, 1.5) * hot * (1 if states == 2 else 0.6), 3),
            "run.sweeps": max(10, int(1e9 / sites)), "run.thermalization": 5,
            "run.start": rng.choice(["hot", "cold"])}


def tempering(rng):
    length, temperatures = rng.choice([32, 48, 64]), rng.choice([7, 10, 13])
    step = 1.5 / (temperatures - 1)
    return {"lattice.extents": ",".join(3 * [str(length)]), "model.opposite-bonds": 0.5, "model.disorder-seed": 1,
            "run.tempering": ",".join(f"{0.9 + step * i:.4g}" for i in range(temperatures)),
            "run.overlap": rng.choice(["yes", "no"]), "run.update": rng.choice(["mixed", "metropolis"]),
            "run.start": "hot", "run.sweeps": max(20, int(3e8 / length ** 3 / temperatures)), "run.thermalization": 10}


def lanczos(rng):
    task = rng.choice(["ground", "ground", "states", "states", "spectrum", "evolution", "thermal"])
    if rng.random() < 0.5:
        sites = rng.choice([10, 12] if task != "ground" else [10, 12, 13])
        keys = {"lattice.type": rng.choice(["ring", "chain"]), "lattice.extents": sites, "model.type": "hubbard",
                "model.u": rng.choice([2, 4, 8]), "sector.up": sites // 2,
                "sector.down": sites // 2 - rng.choice([0, 1])}
    else:
        sites = rng.choice([16, 18, 20, 22])
        keys = {"lattice.type": "ring", "lattice.extents": sites, "model.type": "heisenberg", "sector.sz": 0}
    if task == "ground" and keys["lattice.type"] == "ring" and rng.random() < 0.4:
        keys["sector.momentum"] = 0
    if task == "states":
        keys["run.states"] = rng.choice([2, 3])
    elif task != "ground":
        keys["run.task"] = task
    if task == "spectrum":
        keys |= {"lattice.type": "ring", "spectrum.operator": "spin", "spectrum.omega": "0:6:0.05"}
    if task == "evolution":
        up = list(range(0, sites, 2)) if "sector.up" not in keys else list(range(keys["sector.up"]))
        keys["evolution.up"] = ",".join(map(str, up))
        if "sector.down" in keys:
            keys["evolution.down"] = ",".join(map(str, range(keys["sector.down"])))
        keys |= {"evolution.step": 0.1, "evolution.steps": 20}
    if task == "thermal":
        keys |= {"thermal.temperatures": "0.5:2:0.5", "thermal.samples": 5, "thermal.steps": 50}
    return keys


def kronecker(rng):
    keys = {"model.sites": rng.choice([32, 48, 64]), "model.saved-states": rng.choice([300, 500, 700]),
            "model.operators": rng.choice([2, 4, 8]), "model.width": rng.choice([0.05, 0.2])}
    return keys | {"run.repeats": 20}


def dmrg(rng):
    states = rng.choice([100, 200, 300])
    schedule = ",".join(map(str, [states // 2, states, states]))
    return rng.choice([
        {"lattice.type": "chain", "lattice.extents": 32, "model.type": "heisenberg"},
        {"lattice.type": "chain", "lattice.extents": 24, "model.type": "hubbard", "model.u": 4},
        {"lattice.type": "ladder", "lattice.extents": "8,2", "model.type": "hubbard", "model.u": 8, "sector.up": 7,
         "sector.down": 7},
        {"lattice.type": "ladder", "lattice.extents": "12,2", "model.type": "heisenberg", "model.spin": 1},
    ]) | {"run.schedule": schedule}


def trotter(rng):
    return {"lattice.type": rng.choice(["ring", "chain"]), "lattice.extents": rng.choice([18, 20, 22, 23]),
            "model.type": rng.choice(["heisenberg", "xxz"]), "model.jz": 1.2, "model.field-x": 0.7,
            "state.initial": "neel", "run.order": rng.choice([1, 2, 4]), "run.step": 0.05,
            "run.steps": rng.choice([20, 40]), "backend.precision": rng.choice(["double", "single"])}


KINDS = [("swendsen-wang", ising), ("tempering", tempering), ("lanczos", lanczos), ("kronecker", kronecker),
         ("dmrg", dmrg), ("trotter", trotter)]


def random_job(seed, index):
    """Name of the kind, text and number of ranks of a job; a function of both arguments alone."""
    rng = random.Random(f"{seed} {index}")
    kind, keys = KINDS[index % len(KINDS)]
    application = "swendsen-wang" if kind == "tempering" else kind
    values = keys(rng)
    if kind == "trotter" and values["model.type"] != "xxz":
        values.pop("model.jz")
    return kind, text_of(application, {**values, "backend.threads": 1}), rng.choice([1, 1, 2])


def measured(program, job, ranks, directory):
    """Exit code, peak bytes of the largest process, processor seconds of a rank, and the steps made."""
    command = ["mpirun", "-n", str(ranks)] if ranks > 1 else []
    command += [program, "run", job, "--quiet", "--output.overwrite=yes", "--output.name=r", "--checkpoint.interval=0",
                f"--output.directory={directory}", "--run.wall-time=120s"]
    with open(os.devnull, "w") as nowhere:
        process = subprocess.Popen(command, stdout=nowhere, stderr=nowhere, env=environment())
        _, status, usage = os.wait4(process.pid, 0)
    shown = subprocess.run([program, "show", "--json", f"{directory}/r.h5"], capture_output=True, text=True,
                           env=environment())
    steps = json.loads(shown.stdout).get("steps", 0) if shown.returncode == 0 else 0
    return os.waitstatus_to_exitcode(status), usage.ru_maxrss * 1024, (usage.ru_utime + usage.ru_stime) / ranks, steps


def predicted(program, job, ranks):
    """Bytes of the largest rank, seconds per step and number of steps by `strata plan`, or what it says instead."""
    done = subprocess.run([program, "plan", job, f"--ranks={ranks}", "--csv"], capture_output=True, text=True,
                          env=environment())
    rows = list(csv.DictReader(io.StringIO(done.stdout)))
    if done.returncode != 0 or not rows or not rows[0]["bytes_per_rank"]:
        return (done.stderr + done.stdout).strip()
    return int(rows[0]["bytes_per_rank"]), float(rows[0]["seconds_per_step"]), int(rows[0]["steps"])


def row(program, seed, index, directory, empty):
    kind, text, ranks = random_job(seed, index)
    path = pathlib.Path(directory) / "r.ini"
    path.write_text(text)
    plan = predicted(program, str(path), ranks)
    if isinstance(plan, str):
        return {"index": index, "kind": kind, "ranks": ranks, "note": plan.splitlines()[-1] if plan else "no plan"}
    code, peak, seconds, steps = measured(program, str(path), ranks, directory)
    net, own = max(1, peak - empty[ranks][0]), max(1e-3, seconds - empty[ranks][1])
    return {"index": index, "kind": kind, "ranks": ranks, "code": code, "predicted_mb": plan[0] / 1e6,
            "net_mb": net / 1e6, "memory_ratio": plan[0] / net, "predicted_s": plan[1] * steps, "cpu_s": own,
            "time_ratio": plan[1] * steps / own, "steps": steps, "planned_steps": plan[2]}


def show(result):
    if "note" in result:
        return f"{result['index']:3d} {result['kind']:13s} {result['ranks']}  {result['note']}"
    return ("{index:3d} {kind:13s} {ranks}  {code:3d} {predicted_mb:9.1f} {net_mb:9.1f} {memory_ratio:6.2f} "
            "{predicted_s:9.2f} {cpu_s:8.2f} {time_ratio:6.2f}  {steps} of {planned_steps}").format(**result)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("build", help="build folder, such as build/release")
    parser.add_argument("--jobs", type=int, default=40)
    parser.add_argument("--seed", type=int, default=5)
    parser.add_argument("--only", type=int, help="number of one job, whose text is printed, too")
    args = parser.parse_args()
    program = str(pathlib.Path(args.build) / "src/strata")
    print("job kind          ranks code predicted MB net MB  ratio predicted s CPU s  ratio  steps")
    bad = 0
    with tempfile.TemporaryDirectory(prefix="strata-predictions-") as directory:
        empty = {}
        for ranks in (1, 2):
            job = pathlib.Path(directory) / "empty.ini"
            job.write_text(EMPTY)
            empty[ranks] = measured(program, str(job), ranks, directory)[1:3]
        for index in range(args.jobs) if args.only is None else [args.only]:
            if args.only is not None:
                print(random_job(args.seed, index)[1])
            result = row(program, args.seed, index, directory, empty)
            print(show(result), flush=True)
            large = result.get("net_mb", 0) > 100 or result.get("predicted_mb", 0) > 100
            bad += large and not 0.8 <= result["memory_ratio"] <= 1.25
            bad += result.get("cpu_s", 0) > 0.5 and not 0.5 <= result["time_ratio"] <= 2
    print(f"{bad} ratios beyond 0.8 to 1.25 (memory above 100 MB) or a factor of 2 (time above half a second)")
    return 0


if __name__ == "__main__":
    sys.exit(main())
