# SPDX-License-Identifier: BSD-3-Clause
"""Result files and scans as labelled arrays.

`open_result(path)` gives a Result, which holds no open file: `result["energy"]` is a Quantity (values, error, unit,
meaning, names of its dimensions), `result.series` the recorded rows, `result.keys` the job. `result.to_xarray()` and
`result.to_pandas()` need these packages, all else numpy and h5py. Names are those of the file, with hyphens. Formats:
jobs/README.md.
"""

import dataclasses
import difflib
import os

import numpy as np

from .digest import StrataFileError, checked_file

PARTS = ("error", "tau", "reference")  # datasets beside a value
# What the rows of the series are, where no column is a coordinate.
ROW_NAMES = {"swendsen-wang": "observation", "dmrg": "half-sweep"}


@dataclasses.dataclass(frozen=True)
class Quantity:
    """Values of one result or column with the names of their dimensions (none for a single number). `error` is one
    standard deviation where the program is statistical, else an estimate or bound, as `meaning` says; `tau` the
    integrated autocorrelation time; `reference` an exact value. They are None where the file has none."""

    name: str
    value: np.ndarray
    dimensions: tuple = ()
    unit: str = ""
    meaning: str = ""
    error: np.ndarray = None
    tau: np.ndarray = None
    reference: np.ndarray = None
    coordinate: bool = False  # positions along a dimension, such as times, sites and wave vectors

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
        return f"{self.name} {number} {self.unit if self.unit not in ('1', 'energy') else ''}".rstrip()


def text(value):
    return value.decode() if isinstance(value, bytes) else str(value)


def strings_or_numbers(data):
    """The content of a dataset, texts as str."""
    return (np.char.decode(data[:], "utf-8") if data.dtype.kind == "S" else data.asstr()[:] if data.dtype.kind == "O"
            else data[:])


def attribute(data, *names):
    return next((text(data.attrs[name]) for name in names if name in data.attrs), "")


class Dimensions:
    """Shapes and dimensions of the lists of one table, as the axes in the file say. A list whose length is not that of
    the other lists over the same axis, and one without axes, as in files of early programs, has a dimension of its own,
    NAME-number."""

    def __init__(self):
        self._lengths = {}

    def of(self, name, data, count):
        """Shape and names of the dimensions of a list of `count` numbers."""
        axes = attribute(data, "axes").split(",") if "axes" in data.attrs else [f"{name}-number"]
        row = int(data.attrs["row_length"]) if len(axes) > 1 else count
        shape = (count,) if len(axes) == 1 else (count // row, row)
        return shape, tuple(self.dimension(name, axis, length) for axis, length in zip(axes, shape))

    def dimension(self, name, axis, length):
        return axis if self._lengths.setdefault(axis, length) == length else f"{name}-number"


def is_coordinate(data):
    return attribute(data, "role") == "coordinate"


class Result:
    """What a result file or scan held when it was read."""

    def __init__(self, path):
        self.path = str(path)
        if not os.path.isfile(path):
            raise StrataFileError(f"{path} {'is no file' if os.path.exists(path) else 'does not exist'}.")
        with checked_file(path) as file:
            self.scan = attribute(file, "format") == "strata-scan"
            self.attributes = {name: text(v) if isinstance(v, bytes) else v for name, v in file.attrs.items()}
            self.complete = bool(file.attrs["complete"])
            self.column_labels = {}  # of joined columns of the series: wave numbers "0,1", pairs of sites "2,3"
            job = file["job"]
            self.application, self.job_text = attribute(job, "application"), attribute(job, "text")
            self.keys = {name: text(value) for name, value in job["keys"].attrs.items()}
            self.timers = {name: group.attrs.get("seconds")
                           for name, group in file.get("timers", {}).items() if not self.scan}
            self._quantities = (self._read_table(file["scan"], "point") if self.scan
                                else self._read_quantities({name: (group, group)
                                                            for name, group in file["results"].items()}))
            self.averages = self._read_table(file["averages"], "group") if "averages" in file else {}
            self.series = self._read_series(file.get("series", {}))
            self.average_series = self._read_average_series(file.get("averages/series", {}))
            self.points = {name: strings_or_numbers(data) for name, data in file["points"].items()} if self.scan else {}

    @property
    def remark(self):
        """What the program says about doubtful results; empty where there is nothing to say."""
        return self.attributes.get("remark", "")

    def __getitem__(self, name):
        try:
            return self._quantities[name]
        except KeyError:
            raise KeyError(self._absent(name)) from None

    def _absent(self, name):
        """That there is no such quantity, and where something like it is."""
        sentence = f"{self.path} has no {name}"
        if name in self.series:
            return f"{sentence} among its results: it is a column of .series"
        if near := difflib.get_close_matches(str(name), [*self._quantities, *self.series], 1):
            return f"{sentence}; the nearest is {near[0]}{'' if near[0] in self._quantities else ', of .series'}"
        return f"{sentence}; it has {', '.join(self._quantities)}"

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

    def _read_quantities(self, sources, row=()):
        """Quantities of sources, name -> (what has their attributes, part -> dataset). `row` is the dimension of points
        or groups of replicas, if there is one; lists have further ones."""
        of_table, found = Dimensions(), {}
        for name, (about, parts) in sources.items():
            data = {part: strings_or_numbers(parts[part]) for part in ("value", *PARTS) if part in parts}
            rows = data["value"].shape[:len(row)]
            count = data["value"][:1].size if row else data["value"].size
            single = count == 1 and "axes" not in about.attrs
            shape, dimensions = ((), ()) if single else of_table.of(name, about, count)
            data = {part: values.reshape((*rows, *shape)) for part, values in data.items()}
            found[name] = Quantity(name, data.pop("value"), (*row, *dimensions), attribute(about, "unit"),
                                   attribute(about, "description", "long_name"), **data,
                                   coordinate=is_coordinate(about))
        return found

    def _read_table(self, table, row):
        """Columns with a row for each point of a scan or group of replicas."""
        columns = {name: data for name, data in table.items()
                   if name not in (row, "series") and not name.startswith("members_")}
        sources = {}
        for name, data in columns.items():
            stem, _, part = name.rpartition("_")
            if part not in PARTS or stem not in columns:
                parts = {p: columns[f"{name}_{p}"] for p in PARTS if f"{name}_{p}" in columns}
                sources[name] = data, {"value": data, **parts}
        return self._read_quantities(sources, (row,))

    def _read_series(self, columns):
        """Columns as Quantities; the members of an array (sz-0, sz-1, ...) as one with a second dimension."""
        row = ("row" if self.scan
               else next((name for name, data in columns.items() if is_coordinate(data)),
                         ROW_NAMES.get(self.application, "step")))
        arrays, of_columns, found = {}, Dimensions(), {}
        for name, data in columns.items():
            arrays.setdefault(attribute(data, "array") or name, []).append(data)
        for name, members in arrays.items():
            first, dimensions = members[0], (row,)
            if "array" in first.attrs:
                dimensions = (row, of_columns.dimension(name, attribute(first, "axis"), len(members)))
                self.column_labels[name] = [attribute(member, "label") for member in members]
            value = np.stack([member[:] for member in members], axis=1) if len(dimensions) > 1 else first[:]
            found[name] = Quantity(name, value, dimensions, attribute(first, "unit"), attribute(first, "description"),
                                   coordinate=is_coordinate(first))
        return found

    def _read_average_series(self, columns):
        """Means of rows over replicas, with their errors, [group, row]; empty where groups have other rows."""
        if not columns:
            return {}
        own = {name: data for name, data in columns.items() if name != "group"}
        values = self._read_series({name: data for name, data in own.items() if not name.endswith("_error")})
        errors = self._read_series({name.removesuffix("_error"): data for name, data in own.items()
                                    if name.endswith("_error")})
        rows = next((name for name, quantity in values.items() if quantity.coordinate), "row")
        groups, counts = np.unique(columns["group"][:], return_counts=True)
        if len(set(counts)) > 1 or len(groups) < len(self.averages["replicas"].value):
            return {}
        found = {}
        for name, quantity in values.items():
            value = quantity.value.reshape(len(groups), -1, *quantity.value.shape[1:])
            if quantity.coordinate:
                if (value != value[0]).any():
                    return {}
                found[name] = dataclasses.replace(quantity, value=value[0], dimensions=(rows,))
                continue
            error = errors[name].value.reshape(value.shape) if name in errors else None
            found[name] = dataclasses.replace(quantity, value=value, error=error,
                                              dimensions=("group", rows, *quantity.dimensions[1:]))
        keys = {name: key for name, key in self.averages.items() if "." in name}
        return {**keys, **found}

    # --- scans --------------------------------------------------------------------------------------------------------

    def scanned_keys(self):
        """Names of the keys that vary, in the order of the columns; the last one of a grid varies fastest."""
        return keys_of(self._quantities) if self.scan else []

    def rows_of_point(self, point):
        """The series of one point of a scan: name -> values."""
        own = self.series["point"].value == point
        return {name: quantity.value[own] for name, quantity in self.series.items() if name != "point"}

    def grid(self):
        """Values of each scanned key, if the points are all their combinations and the key listed last varies fastest;
        else None."""
        return grid_of(self._quantities) if self.scan else None

    # --- other packages -----------------------------------------------------------------------------------------------

    def table(self, of="results"):
        """Quantities by name: "results" (of a scan, of all points), "series", "averages" over the replicas of a scan,
        or "average series", the same of every row of their series."""
        tables = {"results": self._quantities, "series": self.series, "averages": self.averages,
                  "average series": self.average_series}
        if of not in tables:
            raise ValueError(f"there is no table {of} of a result; there are {', '.join(tables)}")
        return tables[of]

    def to_xarray(self, of="results"):
        """An xarray.Dataset of a table, with NAME_error, NAME_tau and NAME_reference beside NAME, units and meanings as
        attributes; times, frequencies, temperatures, positions of sites and wave vectors are coordinates. The points of
        a scan that are a grid become dimensions named as the keys."""
        import xarray

        quantities = self.table(of)
        rows = of in ("series", "average series")
        grid = (grid_of(quantities) if not rows and self.scan else None) or {}
        variables, coordinates, renamed = {}, {}, {}
        for name, quantity in quantities.items():
            if quantity.dimensions[1:] == (name,):  # a coordinate of a list at every point
                common = common_row(quantity.value)
                if common is None:
                    renamed[name] = f"{name}-number"
                else:
                    coordinates[name] = (name, common, {"units": quantity.unit, "long_name": quantity.meaning})
        for name, quantity in quantities.items():
            if name in coordinates:
                continue
            if name in grid:
                coordinates[name] = (name, grid[name], {"units": quantity.unit, "long_name": quantity.meaning})
                continue
            for part in ("value", *PARTS):
                value, dimensions = getattr(quantity, part), quantity.dimensions
                if value is None:
                    continue
                if grid:
                    value = value.reshape(*map(len, grid.values()), *value.shape[1:])
                    dimensions = (*grid, *dimensions[1:])
                about = ({"units": quantity.unit, "long_name": quantity.meaning} if part == "value"
                         else {"units": quantity.unit})
                dimensions = tuple(renamed.get(dimension, dimension) for dimension in dimensions)
                place = coordinates if dimensions and (quantity.coordinate or "." in name) else variables
                place[name if part == "value" else f"{name}_{part}"] = (dimensions, value, about)
        if rows:
            coordinates.update(self._coordinates_of_columns(variables))
        facts = {"application": self.application, "complete": int(self.complete), "source": self.path,
                 "remark": self.remark}
        return xarray.Dataset(variables, coordinates, facts)

    def _coordinates_of_columns(self, variables):
        """Positions, wave vectors and labels along the second dimension of the series."""
        sizes = {d: n for dimensions, value, _ in variables.values() for d, n in zip(dimensions, value.shape)}
        found = {}
        for name, quantity in self._quantities.items():
            if quantity.coordinate and len(quantity.dimensions) == 1 and \
                    sizes.get(quantity.dimensions[0]) == len(quantity.value):
                found[name] = (quantity.dimensions, quantity.value,
                               {"units": quantity.unit, "long_name": quantity.meaning})
        for name, numbers in self.column_labels.items():
            dimension = variables[name][0][-1]
            if numbers != [str(i) for i in range(len(numbers))]:  # wave numbers "0,1", pairs of sites "2,3"
                found["wave-numbers" if dimension == "k" else dimension] = (dimension, numbers)
        return found

    def to_pandas(self, of="results"):
        """A pandas.DataFrame of single numbers: of a result a row for each (value, error, tau, reference, unit,
        meaning), of a scan, of averages and of series a column for each."""
        import pandas

        single = {name: q
                  for name, q in self.table(of).items() if q.value.ndim == (1 if self.scan or of == "series" else 0)}
        if self.scan or of == "series":
            columns = {}
            for name, quantity in single.items():
                columns[name] = quantity.value
                columns.update({f"{name}_{part}": getattr(quantity, part)
                                for part in PARTS if getattr(quantity, part) is not None})
            row = next((quantity.dimensions[0] for quantity in single.values()), "row")
            return pandas.DataFrame(columns).rename_axis("row" if row in columns else row)
        rows = [[q.value, *(np.nan if getattr(q, part) is None else getattr(q, part) for part in PARTS), q.unit,
                 q.meaning]
                for q in single.values()]
        frame = pandas.DataFrame(rows, list(single), ["value", *PARTS, "unit", "meaning"])
        return frame.astype({name: float for name in ("value", *PARTS)})


def keys_of(quantities):
    """Names of keys among the columns of a scan."""
    return [name for name in quantities if "." in name]


def grid_of(quantities):
    """Values of each key of a table, if its rows are all their combinations and the last key varies fastest; else
    None."""
    axes = {}
    for name in keys_of(quantities):
        values = quantities[name].value
        _, first = np.unique(values, return_index=True)
        axes[name] = values[np.sort(first)]
    shape = tuple(map(len, axes.values()))
    if not axes or int(np.prod(shape)) != len(quantities[next(iter(axes))].value):
        return None
    whole = np.meshgrid(*axes.values(), indexing="ij")
    same = all(np.array_equal(quantities[name].value.reshape(shape), of) for name, of in zip(axes, whole))
    return axes if same else None


def common_row(values):
    """The row that all points have that have one (those that failed have NaN alone); None where rows differ."""
    rows = values[~np.isnan(values).all(axis=1)]
    return rows[0] if len(rows) and np.all(rows == rows[0]) else None


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
