# SPDX-License-Identifier: BSD-3-Clause
"""Jobs, written, planned, run and resumed from Python.

    job = Job("swendsen-wang", lattice={"extents": [64, 64]}, model={"temperature": 2.4}, run={"sweeps": 4000})
    result = job.run(ranks=2)

The program itself checks a job, its keys and its memory; program.py says how it is called.
"""

import contextlib
import dataclasses
import json
import os
import pathlib
import re
import tempfile

from .digest import StrataFileError
from .program import StrataError, call
from .results import open_result

MARK = "# Written by strata_lattice.\n"  # a job file without it belongs to somebody else and is not overwritten
LAYOUT = 1  # of the JSON that is read here
BACKENDS = {"cpu": "CPU", "cuda": "GPU"}
PARTS = ("host_memory", "device_memory", "records", "disk")


def written(value):
    """A value as it stands in a job file: lists with commas, lists of lists with semicolons."""
    if value is None:
        return "none"
    if hasattr(value, "tolist"):
        value = value.tolist()
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, (list, tuple)):
        nested = any(isinstance(member, (list, tuple)) for member in value)
        return ("; " if nested else ", ").join(written(member) for member in value)
    return repr(value) if isinstance(value, float) else str(value)


def values_of_points(value):
    """A list of the values of a scanned key, which may be lists themselves: with semicolons in any case, because commas
    would make one value of the members of a list of extents or words. A single list ends with a semicolon."""
    value = value.tolist() if hasattr(value, "tolist") else value
    if not isinstance(value, (list, tuple)):
        return written(value)
    text = "; ".join(map(written, value))
    return text + ";" if len(value) == 1 and "," in text else text


def data_of(*arguments, **options):
    """The JSON that the program prints."""
    data = json.loads(call(*arguments, "--json", **options))
    if data["layout"] != LAYOUT:
        raise StrataError(2, f"the program strata {data['version']} prints layout {data['layout']} of its JSON, this "
                             f"package reads {LAYOUT}: take the package that came with the program.")
    return data


def entries(text, name):
    """The application and section.key -> value of a job file's text. The program itself checks keys and values."""
    found, section = {}, ""
    for number, line in enumerate(text.splitlines(), 1):
        line = line.split("#")[0].strip()
        if line.startswith("[") and line.endswith("]"):
            section = line[1:-1].strip()
        elif line:
            key, equals, value = (word.strip() for word in line.partition("="))
            key = f"{section}.{key}" if section else key
            if not equals or not value or key.endswith("."):
                raise StrataError(2, f"{name}:{number}: expected [section] or key = value, found {line!r}.")
            if key in found:
                raise StrataError(2, f"{name}:{number}: {key} is given twice.")
            found[key] = value[1:-1] if len(value) > 1 and value[0] == value[-1] == '"' else value
    if "application" not in found:
        raise StrataError(2, f"{name}: the line 'application = ...' is missing.")
    return found.pop("application"), found


@dataclasses.dataclass(frozen=True)
class Key:
    """A key of an application as `strata keys` lists it: type with the range, default, unit, meaning with the
    condition."""

    name: str
    type: str
    default: str
    unit: str
    meaning: str


def keys(application):
    """The keys of an application: section.key -> Key."""
    listed = data_of("keys", application)["applications"][application]["keys"]
    return {name: Key(name, key["text"]["type"], key["text"]["default"], key["unit"], meaning_of(key))
            for name, key in listed.items()}


def meaning_of(key):
    """The sentence of a key, and the one about its condition."""
    condition = key["text"]["condition"]
    return key["meaning"] + (f" Only with {condition}." if condition else "")


@dataclasses.dataclass(frozen=True)
class Plan:
    """What `strata plan` predicts. `sizes`: bytes as (backend, heading, name) -> number, e.g. ("CPU", "host memory of
    the largest rank", "total"); `seconds` on the CPU, to an order of magnitude, None where none is given; `text` all
    that was printed."""

    text: str
    sizes: dict
    seconds: float = None

    def __str__(self):
        return self.text

    @classmethod
    def read(cls, plan):
        """The plan in the JSON of `strata plan`."""
        sizes = {}
        for backend, needs in plan["backends"].items():
            for part in (needs[name] for name in PARTS if name in needs):
                named = {item["name"]: item["bytes"] for item in part["items"]}
                if part.get("total"):
                    named["total"] = part["total"]
                sizes.update({(BACKENDS[backend], part["heading"], name): size for name, size in named.items()})
        known = [needs["seconds"] for needs in plan["backends"].values() if needs["seconds"] is not None]
        return cls("".join(line + "\n" for line in plan["text"]), sizes, known[0] if known else None)


class Job:
    """An application and its keys, section.key -> value."""

    def __init__(self, application, keys=None, **sections):
        """`keys` are section.key: value; sections are dicts, in which measure_every stands for measure-every. A key of
        `scan` is a whole name with a list of values, one for each point: scan={"model.temperature": [2.2, 2.3],
        "lattice.extents": [[8, 8], [12, 12]]}."""
        self.application, self.keys = application, dict(keys or {})
        for section, values in sections.items():
            self.keys.update({f"{section}.{key.replace('_', '-')}": value for key, value in values.items()})

    @classmethod
    def example(cls, application):
        """The program's own short job of an application."""
        return cls(application, entries(call("example", application), "example")[1])

    @classmethod
    def read(cls, path):
        """The job of a file, with the values as they are written there, a list as its text. Files that it names are
        looked for in the folder where it runs. Raises StrataError for what is no line of a job file."""
        path = pathlib.Path(path)
        return cls(*entries(path.read_text(encoding="utf-8-sig"), path.name))

    def __getitem__(self, key):
        return self.keys[key]

    def __setitem__(self, key, value):
        self.keys[key] = value

    def __repr__(self):
        return self.text()

    def text(self):
        """The job file."""
        sections = {}
        for name, value in self.keys.items():
            section, _, key = name.partition(".")
            write = values_of_points if section == "scan" and "." in key else written
            line = f"{key} = {write(value)}"
            if "#" in line or len(line.splitlines()) != 1:
                raise StrataError(2, f"{name} = {write(value)!r} must hold no '#' and no line break, with which a line "
                                     "of a job file ends.")
            sections.setdefault(section, []).append(line)
        return "\n".join([f"application = {self.application}", *(
            "\n".join([f"\n[{section}]", *lines]) for section, lines in sections.items())]) + "\n"

    def write(self, path, overwrite=False):
        """Writes the job file and returns its path. Raises FileExistsError for a file that was not written by this
        package, unless `overwrite`."""
        path = pathlib.Path(path)
        if not overwrite and path.exists() and not path.read_text(encoding="utf-8", errors="replace").startswith(MARK):
            raise FileExistsError(
                f"{path} exists and was not written from Python; take another name, or overwrite=True")
        path.write_text(MARK + self.text(), encoding="utf-8")
        return path

    def plan(self, directory=".", ranks=None):
        """The Plan of the job; nothing is run. Files that the job names are looked for in `directory`."""
        with tempfile.NamedTemporaryFile("w", suffix=".ini", prefix="plan-", dir=directory, encoding="utf-8") as file:
            file.write(self.text())
            file.flush()
            options = [] if ranks is None else [f"--ranks={ranks}"]
            return Plan.read(data_of("plan", os.path.basename(file.name), *options, directory=directory))

    def run(self, directory=".", name="job", ranks=None, threads=None, overwrite=False, show=None):
        """Runs the job as DIRECTORY/NAME.ini, without mpirun unless `ranks` is given, and opens its result. Progress
        and tables are shown in a notebook or on a terminal (or as `show` says). Raises StrataError, which has the
        result where points did not converge; files that exist are kept unless `overwrite`."""
        path = self.write(pathlib.Path(directory) / f"{name}.ini", overwrite)
        folder = pathlib.Path(directory) / written(self.keys.get("output.directory", "out"))
        return result_of(folder / f"{self.keys.get('output.name') or name}.h5", "run", path.name,
                         *(["--output.overwrite=yes"] if overwrite else []), ranks=ranks, threads=threads,
                         directory=directory, show=show)


def result_of(path, *arguments, **options):
    """The result that a call of the program writes to `path`. A StrataError after which the file is a new one, as where
    numbers did not converge, has its content as `result`, and the sentences of its points."""
    before = time_of(path)
    try:
        call(*arguments, **options)
    except StrataError as failed:
        if time_of(path) != before:
            with contextlib.suppress(StrataFileError):
                failed.attach(open_result(path))
        raise
    return open_result(path)


def time_of(path):
    """When a file was written, in nanoseconds; None where there is none."""
    return path.stat().st_mtime_ns if path.exists() else None


def resume(checkpoint, ranks=None, threads=None, show=None, **keys):
    """Resumes from NAME.checkpoint.h5 (a scan from its NAME.h5) and opens the result. Keys that may change:
    run__sweeps=20000 for run.sweeps, two underscores between section and key."""
    path = pathlib.Path(checkpoint)
    return result_of(path.with_name(name_of_run(path) + ".h5"), "resume", path.name, *options_of(keys), ranks=ranks,
                     threads=threads, directory=path.parent, show=show)


def measure(checkpoint, name=None, ranks=None, threads=None, overwrite=False, show=None, **keys):
    """Measures other quantities of the final state in NAME.checkpoint.h5, without running again, and opens the result,
    `name`.h5 beside it or NAME-measured.h5: measure("out/a.checkpoint.h5", observables__file="ops.txt")."""
    path = pathlib.Path(checkpoint)
    name = name or name_of_run(path) + "-measured"
    options = [f"--output.directory={path.parent}", f"--output.name={name}", *options_of(keys)]
    return result_of(path.with_name(name + ".h5"), "measure", str(path), *options,
                     *(["--output.overwrite=yes"] if overwrite else []), ranks=ranks, threads=threads, show=show)


def name_of_run(checkpoint):
    """NAME of NAME.checkpoint.h5."""
    return re.sub(r"\.checkpoint(\.\d+)?\.h5$", "", checkpoint.name)


def options_of(keys):
    """Options of the command line for keys of which section and name have two underscores between them."""
    return [f"--{name.replace('__', '.').replace('_', '-')}={written(value)}" for name, value in keys.items()]
