#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""Weak and strong scaling of the Swendsen-Wang sweep over MPI ranks: a table, a plot and the raw numbers.

    perf/scaling.py --program build/release/src/strata --ranks 1,2 --output perf/results/scaling

Strong: one lattice on more and more ranks. Weak: a lattice that grows along its last axis with the ranks. Every case is
run --repeats times and the fastest counts. The times hold no observations. --threads compares 1 rank x N threads with N
ranks x 1 thread on the largest square lattice.
"""

import argparse
import json
import os
import pathlib
import platform
import subprocess
import tempfile

JOB = """application = swendsen-wang
[lattice]
extents = {extents}
[model]
beta = {beta}
[run]
sweeps = {sweeps}
thermalization = 20
measure-every = 1000000000
seed = 1
[checkpoint]
interval = 0
"""
SQUARE_BETA, CUBIC_BETA = 0.44068679350977147, 0.221654626


def environment():
    extra = {"OMPI_MCA_rmaps_base_oversubscribe": "1", "OMPI_MCA_hwloc_base_binding_policy": "none"}
    if os.geteuid() == 0:
        extra |= {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
                  "OMPI_MCA_btl_vader_single_copy_mechanism": "none"}
    return os.environ | extra


def run_job(args, text, ranks, threads, *overrides):
    """Runs a job on `ranks` ranks and returns what `strata show --json` tells of it. `args` has the names of the programs."""
    with tempfile.TemporaryDirectory() as directory:
        job = pathlib.Path(directory) / "scaling.ini"
        job.write_text(text)
        subprocess.run([args.mpirun, "-n", str(ranks), args.program, "run", str(job), "--quiet", f"--backend.threads={threads}",
                        *overrides, f"--output.directory={directory}"], check=True, stdout=subprocess.DEVNULL, env=environment())
        shown = subprocess.run([args.program, "show", "--json", f"{directory}/scaling.h5"], check=True, capture_output=True,
                               env=environment())
    return json.loads(shown.stdout)


def measure(args, extents, ranks, threads, merge="auto"):
    """Nanoseconds per site update, and the phases in seconds, of the fastest repeat."""
    beta = SQUARE_BETA if len(extents) == 2 else CUBIC_BETA
    job = JOB.format(extents=",".join(map(str, extents)), beta=beta, sweeps=args.sweeps)
    best = None
    for _ in range(args.repeats):
        result = run_job(args, job, ranks, threads, f"--run.merge={merge}")
        ns = result["performance"]["ns_per_site_update"]
        if best is None or ns < best["ns"]:
            best = {"ns": ns, "timers": result["timers"], "hash": result["state_hash"]}
    print(f"  {' x '.join(map(str, extents)):>20}  {ranks} ranks x {threads} threads, {merge}: {best['ns']:.3f} ns", flush=True)
    return best


def grown(extents, factor):
    return [*extents[:-1], extents[-1] * factor]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", default="build/release/src/strata")
    parser.add_argument("--mpirun", default="mpirun")
    parser.add_argument("--ranks", default="1,2", help="numbers of ranks, one thread each")
    parser.add_argument("--square", type=int, default=8192)
    parser.add_argument("--cube", type=int, default=256)
    parser.add_argument("--sweeps", type=int, default=40)
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--output", default="perf/results/scaling", help="stem of the .md, .json and .png written")
    args = parser.parse_args()
    ranks = [int(r) for r in args.ranks.split(",")]

    rows, data = [], {"machine": platform.machine(), "cores": os.cpu_count(), "cases": []}
    for name, extents in (("2D", [args.square] * 2), ("3D", [args.cube] * 3)):
        for kind in ("strong", "weak"):
            first = None
            for n in ranks:
                shape = extents if kind == "strong" else grown(extents, n)
                found = measure(args, shape, n, 1)
                first = first or found["ns"] * ranks[0]
                efficiency = first / (found["ns"] * n)
                share = found["timers"].get("border labels", 0) / sum(found["timers"].values())
                rows.append((name, kind, " x ".join(map(str, shape)), n, found["ns"], efficiency, share))
                data["cases"].append({"lattice": shape, "kind": kind, "ranks": n, **found})
    most = max(ranks)
    pair = {"ranks": measure(args, [args.square] * 2, most, 1), "tree": measure(args, [args.square] * 2, most, 1, "tree"),
            "threads": measure(args, [args.square] * 2, 1, most)}
    assert len({v["hash"] for v in pair.values()}) == 1, "the layouts disagree"
    data["layouts"] = pair

    text = "| lattice | scaling | sites | ranks | ns/site | efficiency | border labels |\n|---|---|---|---|---|---|---|\n"
    for name, kind, shape, n, ns, efficiency, share in rows:
        text += f"| {name} | {kind} | {shape} | {n} | {ns:.3f} | {100 * efficiency:.0f} % | {100 * share:.1f} % |\n"
    ratio = pair["ranks"]["ns"] / pair["threads"]["ns"]
    text += (f"\n{args.square} x {args.square}: {most} ranks x 1 thread take {pair['ranks']['ns']:.3f} ns per site (labels by tree: "
             f"{pair['tree']['ns']:.3f}), 1 rank x {most} threads {pair['threads']['ns']:.3f}: {ratio:.2f} times as long, same state_hash.\n")
    stem = pathlib.Path(args.output)
    stem.parent.mkdir(parents=True, exist_ok=True)
    stem.with_suffix(".md").write_text(text)
    stem.with_suffix(".json").write_text(json.dumps(data, indent=1) + "\n")
    print(text)
    plot(rows, stem.with_suffix(".png"))


def plot(rows, path):
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    figure, axes = plt.subplots(figsize=(6, 4))
    for name in ("2D", "3D"):
        for kind, style in (("strong", "o-"), ("weak", "s--")):
            points = [(n, efficiency) for d, k, _, n, _, efficiency, _ in rows if (d, k) == (name, kind)]
            axes.plot(*zip(*points), style, label=f"{name} {kind}")
    axes.axhline(1, color="grey", lw=0.5)
    axes.set_xscale("log", base=2)
    axes.set_ylim(0, 1.1)
    axes.set_xlabel("ranks")
    axes.set_ylabel("efficiency")
    axes.legend(frameon=False)
    figure.tight_layout()
    figure.savefig(path, dpi=130)


if __name__ == "__main__":
    main()
