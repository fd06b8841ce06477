# SPDX-License-Identifier: BSD-3-Clause
"""Result files and scans as labelled arrays.

`open_result(path)` gives a Result, which holds no open file: `result["energy"]` is a Quantity (values, error, unit, meaning, names
of its dimensions), `result.series` the recorded rows, `result.keys` the job. `result.to_xarray()` and `result.to_pandas()` need
these packages, all else numpy and h5py. Names are those of the file, with hyphens. Formats: jobs/README.md.
"""

import dataclasses
import re

import h5py
import numpy as np

PARTS = ("error", "tau", "reference")  # datasets beside a value

# Dimension of lists of numbers, by the name of the quantity without its suffixes.
DIMENSIONS = {
    "site": "site-x site-y site-z occupation occupation-up occupation-down density-up density-down double-occupancy sx sy sz "
            "spin-correlation density-correlation pair-correlation",
    "k": "weight wave-vector-x wave-vector-y wave-vector-z momentum-distribution momentum-distribution-up momentum-distribution-down "
         "spin-structure-factor density-structure-factor structure-factor momentum-x momentum-y momentum-z momentum-energies "
         "momentum-residuals momentum-dimensions momentum-stars momentum-wave-vector-x momentum-wave-vector-y",
    "state": "energies gaps residuals",
    "cut": "entropies",
    "bond": "bond-energies",
    "patch": "patch-rows patch-columns patch-flops",
}
DIMENSION_OF = {name: dimension for dimension, names in DIMENSIONS.items() for name in names.split()}
PAIRS = {"spin-correlations", "spin-flip-correlations", "density-correlations", "pair-correlations"}  # [site, other site]
# A column of the series that the rows stand for; else rows are counted.
ROW_COLUMNS = ("time", "omega", "temperature")
ROW_NAMES = {"swendsen-wang": "observation", "dmrg": "half-sweep"}


class StrataFileError(ValueError):
    """A file that is no result of Strata, as one sentence."""


@dataclasses.dataclass(frozen=True)
class Quantity:
    """Values of one result or column with the names of their dimensions (none for a single number). `error` is one standard
    deviation where the program is statistical, else an estimate or bound, as `meaning` says; `tau` the integrated autocorrelation time;
    `reference` an exact value. They are None where the file has none."""

    name: str
    value: np.ndarray
    dimensions: tuple = ()
    unit: str = ""
    meaning: str = ""
    error: np.ndarray = None
    tau: np.ndarray = None
    reference: np.ndarray = None

    def __float__(self):
        return float(self.value)

    def __array__(self, dtype=None, copy=None):
        return np.asarray(self.value, dtype)

    def __str__(self):
        if self.value.ndim:
            return f"{self.name} {self.value} {self.unit}".rstrip()
        error = np.nan if self.error is None else float(self.error)
        if np.isfinite(error) and error > 0:
            digits = max(0, 1 - int(np.floor(np.log10(error))))
            number = f"{float(self.value):.{digits}f}({error * 10**digits:.0f})"
        else:
            number = f"{float(self.value):.12g}"
        return f"{self.name} {number} {self.unit if self.unit != '1' else ''}".rstrip()


def text(value):
    return value.decode() if isinstance(value, bytes) else str(value)


def attribute(data, *names):
    return next((text(data.attrs[name]) for name in names if name in data.attrs), "")


def stem_of(name):
    """The name of a list without the suffixes of states, sublattices and earlier bond dimensions."""
    return re.sub(r"(-before|-state-\d+|-sublattice-\d+)+$", "", name)


class Result:
    """What a result file or scan held when it was read."""

    def __init__(self, path):
        self.path = str(path)
        try:
            file = h5py.File(path)
        except OSError as reason:
            raise StrataFileError(f"{path} could not be read: {reason}.") from reason
        with file:
            kind = attribute(file, "format")
            if kind not in ("strata-result", "strata-scan"):
                raise StrataFileError(f"{path} is neither a result nor a scan of Strata.")
            self.scan = kind == "strata-scan"
            self.attributes = {name: text(v) if isinstance(v, bytes) else v for name, v in file.attrs.items()}
            self.complete = bool(file.attrs["complete"])
            job = file["job"]
            self.application, self.job_text = attribute(job, "application"), attribute(job, "text")
            self.keys = {name: text(value) for name, value in job["keys"].attrs.items()}
            self.timers = {name: group.attrs.get("seconds") for name, group in file.get("timers", {}).items() if not self.scan}
            self._quantities = self._read_points(file) if self.scan else self._read_results(file)
            self.series = self._read_series(file)
            self.points = {name: data[:] for name, data in file["points"].items()} if self.scan else {}

    @property
    def remark(self):
        """What the program says about doubtful results; empty where there is nothing to say."""
        return self.attributes.get("remark", "")

    def __getitem__(self, name):
        try:
            return self._quantities[name]
        except KeyError:
            raise KeyError(f"{self.path} has no {name}; it has {', '.join(self._quantities)}") from None

    def __contains__(self, name):
        return name in self._quantities

    def __iter__(self):
        return iter(self._quantities)

    def __len__(self):
        return len(self._quantities)

    def __repr__(self):
        state = "" if self.complete else ", not complete"
        lines = [f"{self.application}: {self.path}{state}"]
        for quantity in self._quantities.values():
            lines.append(f"  {quantity}" if not quantity.value.ndim else
                         f"  {quantity.name} [{', '.join(quantity.dimensions)}] {quantity.value.shape}")
        return "\n".join(lines + ([self.remark] if self.remark else []))

    # --- reading ------------------------------------------------------------------------------------------------------

    def _dimensions(self, name, value, sites):
        """Shape and dimension names of a list."""
        stem = stem_of(name)
        if stem in PAIRS and sites and len(value) == sites**2:
            return (sites, sites), ("site", "other-site")
        if stem == "entanglement-spectrum" and self._cuts and len(value) % self._cuts == 0:
            return (self._cuts, len(value) // self._cuts), ("cut", "weight-number")
        if len(value) == 1 and stem not in ("energies", "entropies"):
            return (), ()
        if self.keys.get("run.task") == "thermal" and len(value) == self._temperatures:
            return value.shape, ("temperature",)
        return value.shape, (DIMENSION_OF.get(stem, stem + "-number"),)

    def _read_results(self, file):
        results = file["results"]
        lengths = {name: len(group["value"]) for name, group in results.items()}
        sites = max((n for name, n in lengths.items() if DIMENSION_OF.get(stem_of(name)) == "site"), default=0)
        self._cuts, self._temperatures = lengths.get("entropies", 0), lengths.get("temperature", 0)
        found = {}
        for name, group in results.items():
            value = group["value"][:]
            shape, dimensions = self._dimensions(name, value, sites)
            parts = {part: group[part][:].reshape(shape) for part in PARTS if part in group}
            found[name] = Quantity(name, value.reshape(shape), dimensions, attribute(group, "unit"),
                                   attribute(group, "description"), **parts)
        return found

    def _read_points(self, file):
        columns = {name: data for name, data in file["scan"].items() if name != "point"}
        found = {}
        for name, data in columns.items():
            stem, _, part = name.rpartition("_")
            if part in PARTS and stem in columns:
                continue
            value = data.asstr()[:] if h5py.check_string_dtype(data.dtype) else data[:]
            dimensions = ("point",) if value.ndim == 1 else ("point", DIMENSION_OF.get(stem_of(name), stem_of(name) + "-number"))
            parts = {p: columns[f"{name}_{p}"][:] for p in PARTS if f"{name}_{p}" in columns}
            found[name] = Quantity(name, value, dimensions, attribute(data, "unit"), attribute(data, "description", "long_name"), **parts)
        return found

    def _read_series(self, file):
        """Columns as Quantities; those that are numbered from 0 (sz-0, sz-1, ...) as one with a second dimension."""
        columns = {name: data for name, data in file.get("series", {}).items()}
        row = next((name for name in ROW_COLUMNS if name in columns), ROW_NAMES.get(self.application, "step"))
        if self.scan:
            row = "row"
        families = {}
        for name in columns:
            stem, _, number = name.rpartition("-")
            if number.isdigit() and stem:
                families.setdefault(stem, {})[int(number)] = name
        families = {stem: [of[i] for i in range(len(of))] for stem, of in families.items()
                    if len(of) > 1 and sorted(of) == list(range(len(of))) and stem not in columns}
        members = {name: stem for stem, names in families.items() for name in names}
        found = {}
        for name, data in columns.items():
            stem = members.get(name, name)
            if stem in found:
                continue
            value = data[:] if stem == name else np.stack([columns[n][:] for n in families[stem]], axis=1)
            second = "k" if stem.startswith("momentum") else "site"
            found[stem] = Quantity(stem, value, (row,) if stem == name else (row, second), attribute(data, "unit"),
                                   attribute(data, "description"))
        return found

    # --- scans --------------------------------------------------------------------------------------------------------

    def scanned_keys(self):
        """Names of the keys that vary, in the order of the columns; the last one of a grid varies fastest."""
        if not self.scan:
            return []
        return [name for name in self._quantities if "." in name]

    def rows_of_point(self, point):
        """The series of one point of a scan: name -> values."""
        own = self.series["point"].value == point
        return {name: quantity.value[own] for name, quantity in self.series.items() if name != "point"}

    def grid(self):
        """Values of each scanned key, if the points are all their combinations and the key listed last varies fastest; else None."""
        axes = {}
        for name in self.scanned_keys():
            values = self[name].value
            _, first = np.unique(values, return_index=True)
            axes[name] = values[np.sort(first)]
        shape = tuple(map(len, axes.values()))
        if not axes or int(np.prod(shape)) != len(self[next(iter(axes))].value):
            return None
        whole = np.meshgrid(*axes.values(), indexing="ij")
        same = all(np.array_equal(self[name].value.reshape(shape), of) for name, of in zip(axes, whole))
        return axes if same else None

    # --- other packages -----------------------------------------------------------------------------------------------

    def to_xarray(self, series=False):
        """An xarray.Dataset of the results (of the series instead if `series`), with NAME_error, NAME_tau and NAME_reference beside
        NAME, units and meanings as attributes. The points of a scan that are a grid become dimensions named as the keys."""
        import xarray

        quantities = self.series if series else self._quantities
        grid = None if series else self.grid()
        coordinates = {}
        if grid:
            coordinates = dict(grid)
        variables = {}
        for name, quantity in quantities.items():
            if grid and name in grid:
                continue
            for part in ("value", *PARTS):
                value = getattr(quantity, part)
                if value is None:
                    continue
                dimensions = quantity.dimensions
                if grid and dimensions[:1] == ("point",):
                    value = value.reshape(*map(len, grid.values()), *value.shape[1:])
                    dimensions = (*grid, *dimensions[1:])
                about = {"units": quantity.unit, "long_name": quantity.meaning} if part == "value" else {}
                variables[name if part == "value" else f"{name}_{part}"] = (dimensions, value, about)
        for name in (*ROW_COLUMNS, *self.scanned_keys()):  # what others are functions of
            if name in variables and (variables[name][0] == (name,) or variables[name][0] == ("point",) and "." in name):
                coordinates[name] = variables.pop(name)
        facts = {"application": self.application, "complete": int(self.complete), "source": self.path, "remark": self.remark}
        return xarray.Dataset(variables, coordinates, facts)

    def to_pandas(self):
        """A pandas.DataFrame: of a result a row for each single number (value, error, tau, reference, unit, meaning), of a scan a row
        for each point."""
        import pandas

        if self.scan:
            columns = {}
            for name, quantity in self._quantities.items():
                if quantity.value.ndim > 1:
                    continue
                columns[name] = quantity.value
                columns.update({f"{name}_{part}": getattr(quantity, part) for part in PARTS if getattr(quantity, part) is not None})
            return pandas.DataFrame(columns).rename_axis("point")
        single = [quantity for quantity in self._quantities.values() if not quantity.value.ndim]
        rows = [[q.value, *(np.nan if getattr(q, part) is None else getattr(q, part) for part in PARTS), q.unit, q.meaning]
                for q in single]
        frame = pandas.DataFrame(rows, [q.name for q in single], ["value", *PARTS, "unit", "meaning"])
        return frame.astype({name: float for name in ("value", *PARTS)})


def open_result(path):
    """The Result of a file NAME.h5, finished or of a running job (`complete` tells). Raises StrataFileError."""
    return Result(path)


def open_results(*paths):
    """A list of Results, and the names of the keys in which they differ apart from output and backend."""
    results = [Result(path) for path in paths]
    names = sorted({name for result in results for name in result.keys})
    ignored = ("output.", "backend.", "checkpoint.")
    differ = [n for n in names if not n.startswith(ignored) and len({result.keys.get(n, "") for result in results}) > 1]
    return results, differ
