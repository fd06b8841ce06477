# SPDX-License-Identifier: BSD-3-Clause
"""What the four papers share: jobs and benchmarks are run, tables are read from benchmarks, results are written."""

import argparse
import datetime
import json
import os
import pathlib
import statistics
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))
import launches  # noqa: E402

# Ranks and threads that wait give way to other programs: without this they are a hundred times slower on busy cores.
os.environ.setdefault("OMPI_MCA_mpi_yield_when_idle", "1")
os.environ.setdefault("OMP_WAIT_POLICY", "passive")

NOT_AT_HAND = "not at hand"
NOT_MEASURED = "not measured"


class Setting:
    """The command line, and what was found wrong so far."""

    def __init__(self, arguments):
        self.quick, self.device = arguments.quick, arguments.device
        self.build, self.output = pathlib.Path(arguments.build).resolve(), pathlib.Path(arguments.output)
        self.busy = launches.busy_cores()
        self.cores = len(os.sched_getaffinity(0))
        self.commit, self.simd = "", ""
        self.wrong = []

    def job(self, path, *overrides, ranks=1, threads=1):
        """The result of a job file as a dictionary, with `timers` and `performance` unless it is a scan."""
        asked = argparse.Namespace(program=str(self.build / "src/strata"), job=str(path), launcher="mpirun",
                                   launcher_options="")
        code, said, result = launches.launched(asked, ranks, threads, overrides)
        if code not in (0, 5) or result is None:  # 5: too few steps to converge, which is no harm in timings
            sys.exit(f"papers.py: {path} {' '.join(overrides)} ended with exit code {code}:\n{said}")
        self.commit = result["commit"]
        if isinstance(result["backend"], str):  # a scan has a list
            self.simd = result["backend"].split()[-1]
        return result

    def on_device(self, path, *overrides, figure=None):
        """A figure of the job on a GPU, or the seconds of a step; NOT_MEASURED without --device=cuda."""
        if self.device != "cuda":
            return NOT_MEASURED
        result = self.job(path, "--backend.device=cuda", *overrides)
        return result["performance"][figure] if figure else result["seconds"] / result["steps"]

    def benchmark(self, name, *arguments, threads=1):
        """The rows of all Markdown tables that a benchmark prints, as dictionaries."""
        environment = {**launches.environment(), "OMP_NUM_THREADS": str(threads)}
        done = subprocess.run([str(self.build / "perf" / name), *map(str, arguments)], capture_output=True, text=True,
                              env=environment, check=False)
        if done.returncode:
            sys.exit(f"papers.py: {name} ended with exit code {done.returncode}:\n{done.stdout}{done.stderr}")
        return rows_of(done.stdout)

    def check(self, holds, sentence):
        """Notes that an exact comparison failed."""
        if not holds:
            self.wrong.append(sentence)

    def write(self, name, title, tables, draw):
        """NAME.md, NAME.json and NAME.png in the folder of results. tables: (title, remark, rows as dictionaries)."""
        self.output.mkdir(parents=True, exist_ok=True)
        machine = {"processor": launches.processor(), "cores": self.cores, "busy cores before": round(self.busy, 1),
                   "commit": self.commit,
                   "date": datetime.datetime.now(datetime.timezone.utc).isoformat(timespec="seconds"),
                   "device": self.device, "quick": self.quick}
        text = (f"# {title}\n\n`perf/papers/papers.py {name}{' --quick' if self.quick else ''}`; "
                f"{machine['processor']}, {self.cores} cores, {machine['date'][:10]}. ")
        text += (f"The machine was shared: other programs kept {self.busy:.1f} cores busy before.\n"
                 if self.busy > 0.1 * self.cores else
                 "Little else ran before.\n")
        for heading, remark, rows in tables:
            text += f"\n## {heading}\n\n{remark}{2 * chr(10) if remark else ''}{markdown(rows)}"
        (self.output / f"{name}.md").write_text(text)
        (self.output / f"{name}.json").write_text(json.dumps(
            {"title": title, "machine": machine, "tables": {heading: rows for heading, _, rows in tables}},
            indent=1) + "\n")
        save(draw, title, self.output / f"{name}.png")
        print(text)


def number(cell):
    try:
        return float(cell)
    except ValueError:
        return cell


def rows_of(text):
    """Rows of the Markdown tables in a text. A title that occurs twice belongs to the title before it: `merged` after
    `the paper's` becomes `the paper's, merged`."""
    rows, titles = [], None
    for line in text.splitlines():
        if not line.startswith("|"):
            titles = None
            continue
        cells = [cell.strip() for cell in line.strip().strip("|").split("|")]
        if titles is None:
            titles = [f"{cells[i - 1]}, {cell}" if cells.count(cell) > 1 else cell for i, cell in enumerate(cells)]
        elif not set(line) <= set("|-"):
            rows.append(dict(zip(titles, map(number, cells))))
    return rows


def shown(value):
    if isinstance(value, float):
        return f"{value:.4g}"
    return "" if value is None else str(value)


def markdown(rows):
    titles = list(dict.fromkeys(title for row in rows for title in row))
    lines = [titles, ["---"] * len(titles), *([shown(row.get(title)) for title in titles] for row in rows)]
    return "".join(f"| {' | '.join(line)} |\n" for line in lines)


def medians(rounds, of):
    """One row for each case from the same table of several rounds: medians of the columns `of`, the rest of the
    first."""
    return [{**same[0], **{key: statistics.median(row[key] for row in same) for key in of}} for same in zip(*rounds)]


def save(draw, title, path):
    """draw(plt) makes and returns a figure."""
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    plt.rcParams.update({"font.size": 8, "legend.frameon": False, "axes.formatter.min_exponent": 3})
    figure = draw(plt)
    figure.suptitle(title, fontsize=9)
    figure.tight_layout()
    figure.savefig(path, dpi=85)
