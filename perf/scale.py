#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""Strong or weak scaling of any job over MPI ranks and threads: a table, a figure and the raw numbers.

    strata scale jobs/ising-2d-critical.ini --ranks=1,2,4 --lattice.extents=8192,8192 --run.sweeps=50
    strata scale jobs/hubbard-ring-20.ini --ranks=1,2,4,8 --weak --launcher=srun --output=lanczos-weak
    strata scale jobs/neel-evolution.ini --ranks=1,2 --threads=1,2 --repeats=5

Every pair of a number of ranks and of threads is a layout. Layouts take turns, --repeats times; the table has medians
and the range of the repeats. Times are seconds of steps over their number, with observations: to measure steps alone,
let the job observe rarely. --section.key=value overrides keys of the job as in `strata run`.

Strong: the job itself; all layouts must end with the same state_hash. Weak: the job grows in proportion to ranks x
threads:
  swendsen-wang   its last extent
  trotter         one spin more for every doubling
  lanczos         sector.up with the nearest number of states (the spin-up strings are what ranks share)
  kronecker       model.saved-states by the cube root, as work does
or by --grow='lattice.extents=4096,{4096*n}', where n is the growth. Its efficiency compares work per second and worker:
site updates, 2^spins, or floating-point operations by counting.

With --machine=FILE the table says what `strata plan` predicts on that machine, in proportion to the first point, and
its error.

Written: OUTPUT.md, OUTPUT.json, OUTPUT.png; with --extra-p also OUTPUT.extra-p.txt for Extra-P.
"""

import argparse
import csv
import datetime
import io
import json
import math
import os
import pathlib
import platform
import re
import statistics
import subprocess
import sys

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1] / "jobs"))
from packages import require  # noqa: E402

require("h5py", "matplotlib")

from launches import busy_cores, environment, launched, processor  # noqa: E402

# phases in which ranks send, receive and wait for each other
MESSAGES = {"halo", "border labels", "exchange", "sums", "sums of products", "sums of states", "gathering",
            "sharing states", "fetch blocks"}


def refuse(sentence):
    print(f"scale.py: {sentence}", file=sys.stderr)
    sys.exit(2)


class Layout:
    def __init__(self, ranks, threads, growth):
        self.ranks, self.threads, self.growth = ranks, threads, growth
        self.results, self.keys, self.predicted = [], [], None

    def __str__(self):
        plural = lambda n, what: f"{n} {what}{'' if n == 1 else 's'}"  # noqa: E731
        return f"{plural(self.ranks, 'rank')} x {plural(self.threads, 'thread')}"

    def overrides(self, args):
        grown = {key.partition("=")[0] for key in self.keys}
        return [o for o in args.overrides if o.partition("=")[0] not in grown] + self.keys

    @property
    def workers(self):
        return self.ranks * self.threads

    def seconds(self):
        """Of a step, in every repeat."""
        return [r["seconds"] / r["steps"] for r in self.results]

    def median(self):
        return statistics.median(self.seconds())

    def typical(self):
        """The repeat whose time is the median."""
        return min(self.results, key=lambda r: abs(r["seconds"] / r["steps"] - self.median()))

    def work_rate(self):
        """Work of a second, in units that are the same for all sizes."""
        result, seconds = self.typical(), self.median()
        if result["application"] == "trotter":
            return 2.0 ** math.prod(numbers(result["parameters"]["lattice.extents"])) / seconds
        for figure in ("site_updates_per_second", "gflops"):
            if figure in result["performance"]:
                per_step = result["performance"][figure] * result["seconds"] / result["steps"]
                return per_step / seconds
        refuse(f"{result['application']} counts no work, so that sizes cannot be compared; measure strong scaling.")

    def share_of_messages(self):
        timers = self.typical()["timers"]
        return sum(t["mean"] for name, t in timers.items() if name in MESSAGES) / sum(t["mean"]
                                                                                      for t in timers.values())

    def imbalance(self):
        """Time of the slowest ranks over the mean, of all phases without messages."""
        timers = [t for name, t in self.typical()["timers"].items() if name not in MESSAGES]
        return sum(t["slowest"] for t in timers) / max(sum(t["mean"] for t in timers), 1e-30)


def numbers(text):
    return [int(float(n)) for n in str(text).split(",")]


def run(args, layout):
    code, said, result = launched(args, layout.ranks, layout.threads, layout.overrides(args))
    if code not in (0, 5) or result is None:  # 5: too few steps to converge, which is no harm here
        print(said, file=sys.stderr, end="")
        refuse(f"the job ended with exit code {code} on {layout}.")
    if "scan" in result:
        refuse("the job is a scan; scaling is measured for one point.")
    del result["observables"]
    layout.results.append(result)


def grown_keys(growth, application, values, pattern):
    """Overrides that make a job `growth` times as large. `values`: the keys of the job."""
    if pattern:
        return ["--" + re.sub(r"\{([^{}]*)\}", lambda m: str(evaluated(m[1], growth)), pattern)]
    if growth == 1:
        return []
    if application == "swendsen-wang":
        extents = numbers(values["lattice.extents"])
        return [f"--lattice.extents={','.join(map(str, [*extents[:-1], round(extents[-1] * growth)]))}"]
    if application == "trotter" and len(numbers(values["lattice.extents"])) == 1:
        if 2.0 ** round(math.log2(growth)) != growth:
            refuse(f"a state of spins grows by factors of two, not by {growth}; take powers of two.")
        return [f"--lattice.extents={numbers(values['lattice.extents'])[0] + round(math.log2(growth))}"]
    if application == "lanczos" and "sector.up" in values and len(numbers(values["lattice.extents"])) == 1:
        sites, up = numbers(values["lattice.extents"])[0], int(values["sector.up"])
        wanted = growth * math.comb(sites, up)
        best = min(range(sites // 2 + 1), key=lambda n: abs(math.log(math.comb(sites, n) / wanted)))
        return [f"--sector.up={best}"]
    if application == "kronecker":
        return [f"--model.saved-states={round(int(values['model.saved-states']) * growth ** (1 / 3))}"]
    refuse(f"how this job of {application} grows is not known; give --grow='section.key=VALUE' with {{...}} for "
           "numbers "
           "that depend on n, the growth.")


def evaluated(expression, growth):
    """An arithmetic expression in n."""
    if not re.fullmatch(r"[\d n+*/().-]+", expression):
        refuse(f"--grow: '{expression}' is no arithmetic expression in n.")
    value = eval(expression, {"__builtins__": {}}, {"n": growth})  # noqa: S307  (digits, n and signs only)
    return round(value) if abs(value - round(value)) < 1e-9 else value


def predict(args, layouts):
    """Gives every layout the time that `strata plan` predicts, in proportion to the measured time of the first one."""
    for layout in layouts:
        command = [args.program, "plan", args.job, "--csv", f"--ranks={layout.ranks}", f"--machine={args.machine}",
                   f"--backend.threads={layout.threads}", *layout.overrides(args)]
        done = subprocess.run(command, capture_output=True, text=True, env=environment(), check=False)
        if done.returncode != 0:
            refuse(f"there is no prediction for {layout}: {done.stderr.strip()}")
        layout.predicted = float(next(csv.DictReader(io.StringIO(done.stdout)))["seconds_per_step"])
    factor = layouts[0].median() / layouts[0].predicted
    for layout in layouts:
        layout.predicted *= factor
    return factor


def prediction_of(layout, remark):
    """Predicted time and its error, for the table; none where workers wait for each other's cores."""
    if not layout.predicted or remark:
        return ""
    return f"{1e3 * layout.predicted:.4g} ({100 * (layout.predicted / layout.median() - 1):+.0f} %)"


def remarks(layout, cores, launcher):
    if launcher == "mpirun" and layout.workers > cores:
        return f"more workers than the {cores} cores: they wait for each other"
    return ""


def table(args, layouts, cores):
    base = layouts[0]
    rows = ["| ranks | threads | " + ("size | " if args.weak else "") + "ms per step | repeats | " +
            ("" if args.weak else "speed-up | ") + "efficiency | messages | imbalance | predicted | |",
            "|---" * 10 + "|"]
    for layout in layouts:
        efficiency, remark = efficiency_of(args, layout, base), remarks(layout, cores, args.launcher)
        spread = f"{1e3 * min(layout.seconds()):.4g} - {1e3 * max(layout.seconds()):.4g}"
        cells = [str(layout.ranks), str(layout.threads)]
        cells += [" ".join(k.lstrip("-") for k in layout.keys) or "1"] if args.weak else []
        cells += [f"{1e3 * layout.median():.4g}", spread]
        cells += [] if args.weak else [f"{base.median() / layout.median():.2f}"]
        cells += [f"{100 * efficiency:.0f} %", f"{100 * layout.share_of_messages():.0f} %" if layout.ranks > 1 else "",
                  f"{layout.imbalance():.3f}" if layout.ranks > 1 else "", prediction_of(layout, remark), remark]
        rows.append("| " + " | ".join(cells) + " |")
    return "\n".join(rows) + "\n"


def efficiency_of(args, layout, base):
    if args.weak:
        return layout.work_rate() / layout.workers / (base.work_rate() / base.workers)
    return base.median() * base.workers / (layout.median() * layout.workers)


def draw(args, layouts, title, path):
    import matplotlib
    import matplotlib.ticker

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    figure, (left, right) = plt.subplots(1, 2, figsize=(11, 4.2))
    base = layouts[0]
    for threads in sorted({layout.threads for layout in layouts}):
        some = [layout for layout in layouts if layout.threads == threads]
        x, y = [s.workers for s in some], [1e3 * s.median() for s in some]
        low = [1e3 * (s.median() - min(s.seconds())) for s in some]
        high = [1e3 * (max(s.seconds()) - s.median()) for s in some]
        left.errorbar(x, y, [low, high], fmt="o-", capsize=3,
                      label=f"{threads} thread{'s' if threads > 1 else ''} per rank")
    most = max(layout.workers for layout in layouts)
    ideal = [1e3 * base.median() * (1 if args.weak else base.workers / n) for n in (base.workers, most)]
    left.plot([base.workers, most], ideal, "--", color="grey", label="ideal")
    left.set_xscale("log", base=2)
    left.set_yscale("log")
    left.set_xticks(sorted({layout.workers for layout in layouts}))
    for axis in (left.xaxis, left.yaxis):
        axis.set_major_formatter(matplotlib.ticker.FormatStrFormatter("%g"))
        axis.set_minor_formatter(matplotlib.ticker.FormatStrFormatter("%g" if axis is left.yaxis else ""))
    left.set_xlabel("ranks x threads")
    left.set_ylabel("ms per step")
    left.legend(frameon=False)
    bottom = [0.0] * len(layouts)
    phases = sorted({name for layout in layouts for name in layout.typical()["timers"]},
                    key=lambda name:
                    -sum(layout.typical()["timers"].get(name, {"mean": 0})["mean"] for layout in layouts))
    ticks = [f"{layout.ranks} x {layout.threads}" for layout in layouts]
    for i, name in enumerate(phases):
        heights = [1e3 * layout.typical()["timers"].get(name, {"mean": 0})["mean"] / layout.typical()["steps"]
                   for layout in layouts]
        if max(heights) < 0.005 * 1e3 * max(layout.median() for layout in layouts):
            continue
        right.bar(ticks, heights, bottom=bottom, label=name, color=plt.cm.tab20(i % 20),
                  hatch="//" if name in MESSAGES else None)
        bottom = [a + b for a, b in zip(bottom, heights)]
    right.set_xlabel("ranks x threads")
    right.set_ylabel("ms per step, mean of the ranks")
    right.legend(frameon=False, fontsize=8, loc="center left", bbox_to_anchor=(1, 0.5), title="hatched: messages")
    figure.suptitle(title, fontsize=10)
    figure.tight_layout()
    figure.savefig(path, dpi=130)


def extra_p(layouts):
    """Input of Extra-P: the points, and for every phase the repeats of each point on a line."""
    text = "PARAMETER ranks\nPARAMETER threads\nPOINTS " + " ".join(f"({s.ranks} {s.threads})" for s in layouts) + "\n"
    regions = {"step": [layout.seconds() for layout in layouts]}
    for name in sorted({name for layout in layouts for name in layout.results[0]["timers"]}):
        regions[name] = [[r["timers"].get(name, {"slowest": 0.0})["slowest"] / r["steps"] for r in s.results]
                         for s in layouts]
    for name, values in regions.items():
        text += f"REGION {name.replace(' ', '_')}\nMETRIC time\n"
        text += "".join("DATA " + " ".join(f"{v:.9g}" for v in row) + "\n" for row in values)
    return text


def parsed():
    parser = argparse.ArgumentParser(prog="strata scale", description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("job", help="job file")
    parser.add_argument("--ranks", default="1,2", help="numbers of ranks, e.g. 1,2,4")
    parser.add_argument("--threads", default="1", help="numbers of threads per rank; each with every number of ranks")
    parser.add_argument("--weak", action="store_true", help="let the job grow with ranks x threads")
    parser.add_argument("--grow", default="", help="what grows in weak scaling, e.g. 'lattice.extents=4096,{4096*n}'")
    parser.add_argument("--repeats", type=int, default=3, help="runs of every layout (default 3)")
    parser.add_argument("--launcher", choices=("mpirun", "srun"), default="mpirun")
    parser.add_argument("--launcher-options", default="", help="further words for the launcher, e.g. '--map-by core'")
    parser.add_argument("--machine", default="",
                        help="machine file of `strata plan`, e.g. jobs/machines/zen4-2cores.ini: predict, too")
    parser.add_argument("--program", default=os.environ.get("STRATA_PROGRAM", "strata"),
                        help="the program (default: STRATA_PROGRAM, which strata scale sets, or strata)")
    parser.add_argument("--output", default="scaling", help="stem of the files that are written (default: scaling)")
    parser.add_argument("--extra-p", action="store_true", help="write the input of Extra-P, too")
    args, args.overrides = parser.parse_known_args()
    for word in args.overrides:
        if not re.match(r"--[\w-]+\.[\w.-]+=", word):
            refuse(f"{word} is neither an option of scale.py nor --section.key=value.")
    counts = {}
    for name in ("ranks", "threads"):
        text = getattr(args, name)
        if not re.fullmatch(r"\d+(,\d+)*", text) or 0 in numbers(text):
            refuse(f"--{name}={text} must be a list of positive integers, e.g. 1,2,4.")
        counts[name] = numbers(text)
    if args.grow and not args.weak:
        refuse("--grow belongs to --weak.")
    if args.repeats < 1:
        refuse(f"--repeats={args.repeats} must be at least 1.")
    if os.sep in args.program:
        args.program = str(pathlib.Path(args.program).resolve())
    pairs = [(r, t) for t in counts["threads"] for r in counts["ranks"]]
    first = pairs[0][0] * pairs[0][1]
    return args, [Layout(r, t, r * t / first if args.weak else 1) for r, t in pairs]


def main():
    args, layouts = parsed()
    cores, busy = len(os.sched_getaffinity(0)), busy_cores()
    for repeat in range(args.repeats):
        for layout in layouts:
            if args.weak and repeat == 0:
                first = layouts[0].results[0] if layouts[0].results else {"application": "", "parameters": {}}
                layout.keys = grown_keys(layout.growth, first["application"], first["parameters"], args.grow)
            run(args, layout)
            print(f"{layout} {' '.join(layout.keys)}: {1e3 * layout.seconds()[-1]:.4g} ms per step", file=sys.stderr,
                  flush=True)
    hashes = {r["state_hash"] for layout in layouts for r in layout.results}
    if not args.weak and len(hashes) > 1:
        refuse(f"the layouts end in different states ({', '.join(sorted(hashes))}): same job, same bits does not hold.")
    factor = predict(args, layouts) if args.machine else None
    result = layouts[0].results[0]
    machine = {"processor": processor(), "cores": cores, "launcher": args.launcher, "busy cores before": round(busy, 1),
               "host": platform.node(),
               "date": datetime.datetime.now(datetime.timezone.utc).isoformat(timespec="seconds"),
               "commit": result["commit"], "binding": os.environ.get("OMPI_MCA_hwloc_base_binding_policy", "")}
    kind = "weak" if args.weak else "strong"
    title = (f"{pathlib.Path(args.job).stem} ({result['application']}), {kind} scaling\n"
             f"{machine['processor']}, {cores} cores, {result['backend']}")
    text = f"{title.replace(chr(10), ', ')}\n\n{table(args, layouts, cores)}"
    if args.launcher == "mpirun" and busy > 0.1 * cores:
        text += f"\nOther programs kept {busy:.1f} of the {cores} cores busy before the start.\n"
    if not args.weak:
        text += "\nAll layouts ended in the same state, to the last bit.\n"
    if factor:
        text += (f"\nPredictions of {pathlib.Path(args.machine).name} are multiplied by {factor:.3f}, so that the "
                 "first point is its measured one.\n")
    stem = args.output
    pathlib.Path(stem).parent.mkdir(parents=True, exist_ok=True)
    pathlib.Path(f"{stem}.md").write_text(text)
    cases = [{"ranks": layout.ranks, "threads": layout.threads, "keys": layout.keys,
              "seconds_per_step": layout.seconds(), "predicted": layout.predicted,
              "efficiency": efficiency_of(args, layout, layouts[0]), "messages": layout.share_of_messages(),
              "imbalance": layout.imbalance(), "timers": layout.typical()["timers"],
              "performance": layout.typical()["performance"],
              "state_hash": layout.results[0]["state_hash"]} for layout in layouts]
    pathlib.Path(f"{stem}.json").write_text(json.dumps({"job": args.job, "overrides": args.overrides, "scaling": kind,
                                                        "machine": machine, "cases": cases}, indent=1) + "\n")
    if args.extra_p:
        pathlib.Path(f"{stem}.extra-p.txt").write_text(extra_p(layouts))
    draw(args, layouts, title, f"{stem}.png")
    print(text)


if __name__ == "__main__":
    main()
