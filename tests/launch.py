# SPDX-License-Identifier: BSD-3-Clause
"""The one launch of the program for tests, oracles and benchmarks: its path, mpirun, and what the environment needs."""

import functools
import os
import pathlib
import re
import subprocess

PROGRAM = os.environ.get("STRATA_PROGRAM", "build/release/src/strata")
MPIRUN = os.environ.get("STRATA_MPIEXEC", "mpirun")


def paragraphs():
    """Those of environment.txt: name -> value each."""
    text = pathlib.Path(__file__).with_name("environment.txt").read_text()
    return [dict(line.split("=", 1) for line in part.splitlines() if not line.startswith("#"))
            for part in text.split("\n\n")]


def environment(small=True, **more):
    """This process's environment, which goes before what launches of its kind need; small: runs on a busy machine."""
    cores, root, busy = paragraphs()
    needed = cores | (root if small or os.geteuid() == 0 else {}) | (busy if small else {})
    return {**needed, **os.environ, **more}


def command(ranks, *arguments, program=PROGRAM):
    """The words of a launch; ranks=None: without mpirun."""
    words = [os.path.abspath(program), *map(str, arguments)]
    return words if ranks is None else [MPIRUN, "-n", str(ranks), *words]


@functools.cache
def instruction_sets():
    """Those of the program that this processor can do, "auto" first: the refusal of one that it cannot lists them."""
    job = pathlib.Path(__file__).resolve().parents[1] / "jobs/ising-2d-critical.ini"
    for simd in ("avx512", "x86_64_v3"):
        done = run(command(None, "plan", job, f"--backend.simd={simd}"), ".")
        if done.returncode == 2:
            return re.search(r"can do (auto, .*)\.", done.stderr)[1].split(", ")
    return ["auto", "avx512", "x86_64_v3", "portable"]


def run(words, directory, timeout=300, **more):
    """Runs a command to its end; what it prints is text."""
    return subprocess.run(words, cwd=directory, capture_output=True, text=True, errors="replace", timeout=timeout,
                          env=environment(**more))
