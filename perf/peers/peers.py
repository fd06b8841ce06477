# SPDX-License-Identifier: BSD-3-Clause
"""What the comparisons with peers share: their environments from PyPI, processes on one core, tables."""

import argparse
import os
import pathlib
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
ONE_THREAD = {f"{library}_NUM_THREADS": "1" for library in ("OMP", "MKL", "OPENBLAS")}


def parser(doc, environment):
    """The options of all comparisons; `environment`: where that of the peers is made, below build."""
    made = argparse.ArgumentParser(description=doc, formatter_class=argparse.RawDescriptionHelpFormatter)
    made.add_argument("--install", action="store_true", help="make the environment, and measure nothing")
    made.add_argument("--environment", type=pathlib.Path, default=HERE.parent.parent / "build" / environment)
    made.add_argument("--program", default="build/release/src/strata")
    made.add_argument("--rounds", type=int, default=3)
    made.add_argument("--output", help="stem of the .md written")
    return made


def arguments(options, requirements, *pip_options):
    """Those given, once there is an environment with the peers; --install makes it from a file of requirements and
    ends."""
    args = options.parse_args()
    if args.install:
        subprocess.run([sys.executable, "-m", "venv", args.environment], check=True)
        subprocess.run([args.environment / "bin/pip", "install", "-q", *pip_options, "-r", HERE / requirements],
                       check=True)
        sys.exit()
    args.python = (args.environment / "bin/python").absolute()
    if not args.python.exists():
        sys.exit(f"There is no environment {args.environment} with the peers: run {sys.argv[0]} --install.")
    return args


def measured(command, directory=None):
    """Runs a program on one thread: its seconds of the processor, those in the system, peak bytes, and what it
    printed."""
    with tempfile.TemporaryFile("w+") as printed:
        child = subprocess.Popen(command, cwd=directory, stdout=printed, stderr=subprocess.DEVNULL,
                                 env={**os.environ, **ONE_THREAD})
        _, status, usage = os.wait4(child.pid, 0)
        if status != 0:
            sys.exit(f"This ended with {status}: {' '.join(map(str, command))}")
        printed.seek(0)
        return ({"seconds": usage.ru_utime + usage.ru_stime, "system": usage.ru_stime, "bytes": 1024 * usage.ru_maxrss},
                printed.read())


def load_of_machine():
    return f"load of the machine {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores"


def print_table(args, head, rows):
    """Prints a heading and rows as they are found, and writes all of it to --output."""
    print(head, end="", flush=True)
    text = head
    for row in rows:
        line = "| " + " | ".join(row) + " |\n"
        print(line, end="", flush=True)
        text += line
    if args.output:
        pathlib.Path(args.output).with_suffix(".md").write_text(text)
