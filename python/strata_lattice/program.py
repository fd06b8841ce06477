# SPDX-License-Identifier: BSD-3-Clause
"""Calls of the program `strata`, alone or by mpirun. What it refuses becomes a StrataError with its sentence and exit
code.

A KeyboardInterrupt, as of the stop button of a notebook, ends the run as the signal USR2 does: after the step, with a
checkpoint. The run has a process group of its own, so that Ctrl-C of a terminal does not reach mpirun, which would kill
the ranks.
"""

import numbers
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import tempfile

MEANINGS = {2: "bad input", 3: "does not fit", 4: "file trouble", 5: "numerical failure", 70: "internal error"}


class StrataError(RuntimeError):
    """A run that failed: `code` is the exit code of the program, the text what it said; `result` what it wrote although
    something did not converge, else None."""

    def __init__(self, code, said):
        self.code, self.result = code, None
        super().__init__(said or MEANINGS.get(code, f"exit code {code}"))

    def attach(self, result):
        """Keeps the result, and adds the sentences of its points to the text."""
        self.result = result
        sentences = [f"Point {point}: {sentence}" for point, sentence in enumerate(result.points.get("sentence", ()))
                     if sentence]
        self.args = ("\n".join([str(self), *sentences]),)


def program():
    """Path of the program: STRATA_PROGRAM, on PATH, or in the prefix where this package is installed."""
    given = os.environ.get("STRATA_PROGRAM")
    found = given or shutil.which("strata")
    if not found:
        *_, prefix = list(pathlib.Path(__file__).resolve().parents)[:5]  # PREFIX/share/strata/python/strata_lattice
        found = str(prefix / "bin/strata")
    if not os.path.isfile(found) or not os.access(found, os.X_OK):
        raise FileNotFoundError(f"there is no program strata{f' at {given}' if given else ' on PATH'}; set "
                                "STRATA_PROGRAM to its path")
    return found


def call(*arguments, ranks=None, threads=None, directory=".", show=False):
    """What the program prints. Raises StrataError. `show`: its output appears as it comes; None: on a terminal and in a
    notebook."""
    if show is None:
        show = sys.stdout.isatty() or "ipykernel" in sys.modules
    if ranks is not None and (not isinstance(ranks, numbers.Integral) or ranks < 1):
        raise StrataError(2, f"ranks = {ranks!r} must be a whole number from 1 on, or None for one without mpirun.")
    launch = [] if ranks is None else [os.environ.get("STRATA_MPIEXEC", "mpirun"), "-n", str(ranks)]
    options = [] if threads is None else [f"--backend.threads={threads}"]
    command = [*launch, os.path.abspath(program()), *map(str, arguments), *options]
    with tempfile.TemporaryFile("w+", errors="replace") as errors:
        with subprocess.Popen(command, cwd=directory, text=True, errors="replace", stdin=subprocess.DEVNULL,
                              stdout=subprocess.PIPE, stderr=errors, start_new_session=True) as run:
            printed = followed(run, show)
        errors.seek(0)
        said = errors.read()
    if run.returncode:  # what mpirun adds comes after the program's own sentences
        raise StrataError(run.returncode,
                          said[max(0, said.find("strata: ")):].split("\n-----")[0].removeprefix("strata: ").strip())
    return printed


def followed(run, show):
    """The output of a running program. An interrupt ends it cleanly, a second one at once."""
    lines = []
    try:
        try:
            for line in run.stdout:
                lines.append(line)
                if show:
                    print(line, end="", flush=True)
        except KeyboardInterrupt:
            run.send_signal(signal.SIGUSR2)
            run.communicate()
            raise
    except BaseException:
        if run.poll() is None:
            os.killpg(run.pid, signal.SIGKILL)
        raise
    return "".join(lines)
