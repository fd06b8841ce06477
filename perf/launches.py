# SPDX-License-Identifier: BSD-3-Clause
"""Launches of a job on ranks and threads, for scale.py and the other scripts: what the program says, what its result
file holds, and the machine on which it runs."""

import argparse
import json
import os
import pathlib
import platform
import re
import shlex
import subprocess
import sys
import tempfile
import time

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1] / "tests"))
import launch  # noqa: E402


def environment():
    """What mpirun of Open MPI needs: nothing that changes how a benchmark runs."""
    return launch.environment(small=False)


def launched(args, ranks, threads, overrides):
    """Runs the job once; the exit code, what was printed, and what the result file says."""
    import h5py

    with tempfile.TemporaryDirectory(prefix="strata-scale-") as directory:
        command = {"mpirun": ["mpirun", "-n", str(ranks)],
                   "srun": ["srun", "-n", str(ranks), "-c", str(threads)]}[args.launcher]
        command += shlex.split(args.launcher_options)
        command += [args.program, "run", args.job, "--quiet", f"--backend.threads={threads}", "--checkpoint.interval=0",
                    "--output.name=scale", f"--output.directory={directory}", *overrides]
        done = subprocess.run(command, capture_output=True, text=True, env=environment(), check=False)
        path = f"{directory}/scale.h5"
        if not os.path.exists(path):
            return done.returncode, done.stdout + done.stderr, None
        shown = subprocess.run([args.program, "show", "--json", path], capture_output=True, text=True,
                               env=environment(), check=True)
        result = json.loads(shown.stdout)
        with h5py.File(path) as file:
            if "timers" in file and "scan" not in file:
                result["timers"] = {name: {"mean": float(phase.attrs["seconds"]),
                                           "slowest": float(phase.attrs["seconds_slowest_rank"])}
                                    for name, phase in file["timers"].items()}
            commit = file["job"].attrs.get("commit", b"")
            result["commit"] = commit.decode() if isinstance(commit, bytes) else str(commit)
    return done.returncode, done.stdout + done.stderr, result


def run_text(program, text, ranks, threads, *overrides):
    """The result of a job that is given as text."""
    with tempfile.NamedTemporaryFile("w", suffix=".ini") as job:
        job.write(text)
        job.flush()
        args = argparse.Namespace(program=program, job=job.name, launcher="mpirun", launcher_options="")
        code, said, result = launched(args, ranks, threads, overrides)
    if code not in (0, 5) or result is None:
        sys.exit(f"This job ended with exit code {code}:\n{text}{said}")
    return result


def busy_cores(seconds=1.0):
    """Cores that other programs keep busy, over a short time (a load average would remember the run before); 0 if
    unknown."""
    def ticks():
        own = [int(word) for word in pathlib.Path("/proc/stat").read_text().splitlines()[0].split()[1:9]]
        return sum(own), own[3] + own[4]  # idle, and waiting for a disk
    try:
        total, idle = ticks()
        time.sleep(seconds)
        later, still_idle = ticks()
    except (OSError, ValueError, IndexError):
        return 0.0
    return (1 - (still_idle - idle) / max(later - total, 1)) * (os.cpu_count() or 1)


def processor():
    try:
        text = pathlib.Path("/proc/cpuinfo").read_text()
        return re.search(r"model name\s*: (.*)", text)[1].strip()
    except (OSError, TypeError):
        return platform.processor() or platform.machine()
