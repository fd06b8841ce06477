# SPDX-License-Identifier: BSD-3-Clause
"""Jobs of the program `strata`, written, run and resumed from Python.

    job = Job("swendsen-wang", lattice={"extents": [64, 64]}, model={"temperature": 2.4}, run={"sweeps": 4000})
    result = job.run(ranks=2)

The program itself checks a job; what it refuses becomes a StrataError with its sentence and exit code.
"""

import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

from .results import open_result

MEANINGS = {2: "bad input", 3: "does not fit", 4: "file trouble", 5: "numerical failure", 70: "internal error"}


class StrataError(RuntimeError):
    """A run that failed: `code` is the exit code of the program, the text what it said."""

    def __init__(self, code, said):
        self.code = code
        super().__init__(said or MEANINGS.get(code, f"exit code {code}"))


def program():
    """Path of the program: STRATA_PROGRAM, on PATH, or beside this package as it is installed."""
    given = os.environ.get("STRATA_PROGRAM")
    beside = pathlib.Path(__file__).resolve().parents[4] / "bin/strata"  # PREFIX/share/strata/python/strata_lattice
    found = given or shutil.which("strata") or (str(beside) if beside.exists() else "")
    if not found or not os.access(found, os.X_OK):
        raise FileNotFoundError(f"there is no program strata{f' at {given}' if given else ' on PATH'}; set STRATA_PROGRAM to its path")
    return found


def call(*arguments, ranks=None, threads=None, directory=".", show=False):
    """What the program prints. Raises StrataError. With `show` its output appears as it comes."""
    launch = []
    if ranks is not None:
        launch = [os.environ.get("STRATA_MPIEXEC", "mpirun"), "-n", str(ranks)]
    options = [] if threads is None else [f"--backend.threads={threads}"]
    command = [*launch, program(), *map(str, arguments), *options]
    with tempfile.TemporaryFile("w+") as errors:
        with subprocess.Popen(command, cwd=directory, text=True, stdout=subprocess.PIPE, stderr=errors) as run:
            lines = []
            for line in run.stdout:
                lines.append(line)
                if show:
                    print(line, end="", flush=True)
        errors.seek(0)
        said = errors.read()
    if run.returncode:  # what mpirun adds comes after the program's own sentences
        raise StrataError(run.returncode, said[max(0, said.find("strata: ")):].split("\n-----")[0].removeprefix("strata: ").strip())
    return "".join(lines)


def written(value):
    """A value as it stands in a job file: lists with commas, lists of lists with semicolons."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if hasattr(value, "tolist"):
        value = value.tolist()
    if isinstance(value, (list, tuple)):
        nested = any(isinstance(member, (list, tuple)) for member in value)
        return ("; " if nested else ", ").join(written(member) for member in value)
    return repr(value) if isinstance(value, float) else str(value)


class Job:
    """An application and its keys, section.key -> value."""

    def __init__(self, application, keys=None, **sections):
        """`keys` are section.key: value; sections are dicts, in which measure_every stands for measure-every. A key of `scan` is a whole
        name: scan={"model.temperature": [2.2, 2.3]}."""
        self.application, self.keys = application, dict(keys or {})
        for section, values in sections.items():
            for key, value in values.items():
                self.keys[f"{section}.{key if section == 'scan' else key.replace('_', '-')}"] = value

    @classmethod
    def example(cls, application):
        """The program's own short job of an application."""
        job, section = cls(application), ""
        for line in call("example", application).splitlines():
            line = line.split("#")[0].strip()
            if line.startswith("["):
                section = line.strip("[]")
            elif "=" in line and section:
                key, value = (word.strip() for word in line.split("=", 1))
                job.keys[f"{section}.{key}"] = value
        return job

    def __getitem__(self, key):
        return self.keys[key]

    def __setitem__(self, key, value):
        self.keys[key] = value

    def text(self):
        """The job file."""
        sections = {}
        for name, value in self.keys.items():
            section, _, key = name.partition(".")
            sections.setdefault(section, []).append(f"{key} = {written(value)}")
        return "\n".join([f"application = {self.application}", *(
            "\n".join([f"\n[{section}]", *lines]) for section, lines in sections.items())]) + "\n"

    def write(self, path):
        """Writes the job file; returns its path."""
        path = pathlib.Path(path)
        path.write_text(self.text(), encoding="utf-8")
        return path

    def plan(self, directory=".", name="job", ranks=None):
        """What `strata plan` says: memory, traffic, time; nothing is run, but the job file is written."""
        return call("plan", self.write(pathlib.Path(directory) / f"{name}.ini").name, *([f"--ranks={ranks}"] if ranks else []),
                    directory=directory)

    def run(self, directory=".", name="job", ranks=None, threads=None, overwrite=False, show=None):
        """Runs the job as DIRECTORY/NAME.ini, without mpirun unless `ranks` is given, and opens its result. Progress and tables are shown
        in a notebook or on a terminal (or as `show` says). Raises StrataError; files that exist are kept unless `overwrite`."""
        path = self.write(pathlib.Path(directory) / f"{name}.ini")
        call("run", path.name, *(["--output.overwrite=yes"] if overwrite else []), ranks=ranks, threads=threads, directory=directory,
             show=sys.stdout.isatty() or "ipykernel" in sys.modules if show is None else show)
        folder = pathlib.Path(directory) / written(self.keys.get("output.directory", "out"))
        return open_result(folder / f"{self.keys.get('output.name', name)}.h5")


def resume(checkpoint, ranks=None, threads=None, show=False, **keys):
    """Goes on from NAME.checkpoint.h5 (or a scan's NAME.h5) and opens the result. Keys that may change: run__sweeps=20000 for
    run.sweeps, two underscores between section and key."""
    path = pathlib.Path(checkpoint)
    options = [f"--{name.replace('__', '.').replace('_', '-')}={written(value)}" for name, value in keys.items()]
    call("resume", path.name, *options, ranks=ranks, threads=threads, directory=path.parent, show=show)
    return open_result(path.with_name(path.name.replace(".checkpoint", "")))
