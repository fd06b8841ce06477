# SPDX-License-Identifier: BSD-3-Clause
"""Pictures of scans, for plot.py: quantities against a scanned key, one curve for every value of the others, an intensity
map for two keys with many values, and averages over replicas with their errors."""

import numpy as np

BLUE, RED, GREY = "#2060a0", "#c03020", "#808080"

# What is drawn of an application where it is there; other quantities, up to six, where none of these is.
QUANTITIES = {
    "swendsen-wang": ("energy", "specific-heat", "magnetisation", "susceptibility-connected", "binder", "correlation-length"),
    "lanczos": ("energy", "gap", "double-occupancy", "energies", "specific-heat", "entropy"),
    "dmrg": ("energy per site", "entropy", "truncation-error", "states"),
    "trotter": ("imbalance", "energy", "entropy", "loschmidt-echo"),
}
MAP_FROM = 8   # values of two keys from which on a map is drawn
MOST_CURVES = 12


def text(value):
    return value.decode() if isinstance(value, bytes) else str(value)


class Scan:
    """Rows of points, or of groups of replicas: keys as columns, quantities as (value, error, unit)."""

    def __init__(self, file):
        self.application = text(file["job"].attrs["application"])
        self.averaged = "averages" in file
        table = file["averages" if self.averaged else "scan"]
        self.keys, self.units, self.quantities = {}, {}, {}
        for name in table:
            unit = text(table[name].attrs.get("unit", "1"))
            if name == "run.seed" and text(file["job/keys"].attrs.get("scan.seeds", "")) == "different":
                continue  # every point has its own, which is no coordinate
            if "." in name:
                values = table[name][:]
                self.keys[name] = [text(v) for v in values] if values.dtype.kind in "SO" else values
                self.units[name] = unit
            elif "_" not in name and name not in ("point", "group", "replicas"):
                error = table[name + "_error"][:] if name + "_error" in table else None
                reference = table[name + "_reference"][:] if name + "_reference" in table else None
                self.quantities[name] = (table[name][:], error, unit, reference)
        extents = text(file["job/keys"].attrs.get("lattice.extents", "")) or "1"
        self.total = np.prod([float(x) for x in extents.split(",")])  # sites, for lattices with one to a cell
        self.first = self.first_points(file)
        self.add_derived()

    def first_points(self, file):
        """Groups of replicas as lists of points; every point alone where nothing is averaged."""
        scan = file["scan"]
        rows = list(zip(*(scan[name][:].tolist() for name in self.keys))) or [()] * len(scan["point"])
        groups = {}
        for point, row in enumerate(rows):
            groups.setdefault(row if self.averaged else (point,), []).append(point)
        return list(groups.values())

    def sites(self):
        """Sites of the lattice from scanned extents; None if these are not scanned."""
        if "lattice.extents" not in self.keys:
            return None
        return np.array([np.prod([float(x) for x in str(v).split(",")]) for v in self.keys["lattice.extents"]])

    def add_derived(self):
        sites = self.sites()
        if sites is not None and self.application in ("dmrg", "lanczos") and "energy" in self.quantities:
            value, error, unit, _ = self.quantities["energy"]
            if value.ndim == 1:
                self.quantities["energy per site"] = (value / sites, None if error is None else error / sites, unit, None)
        if "energies" in self.quantities and self.quantities["energies"][0].shape[1] > 1:
            levels = self.quantities["energies"][0]
            self.quantities["gap"] = (levels[:, 1] - levels[:, 0], None, self.quantities["energies"][2], None)
        if "entropy" in self.quantities and self.varied() == ["model.u"] and self.quantities["entropy"][0].ndim == 2:
            self.add_double_occupancy()

    def add_double_occupancy(self):
        """Per site, as the derivative of the free energy E - T S by U, from differences of neighbouring points."""
        u, order = self.numbers("model.u"), np.argsort(self.numbers("model.u"))
        free = self.quantities["energy"][0] / self.total - self.quantities["temperature"][0] * self.quantities["entropy"][0]
        occupancy = np.empty_like(free)
        occupancy[order] = np.gradient(free[order], u[order], axis=0)
        self.quantities["double-occupancy"] = (occupancy, None, "1", None)

    def numbers(self, key):
        """A key as numbers: itself, or the first of its list; None if it is a word."""
        try:
            return np.array([float(str(v).split(",")[0]) for v in self.keys[key]])
        except ValueError:
            return None

    def varied(self):
        """Keys that take several values, the one with the most first; sizes after numbers of other keys."""
        names = [k for k in self.keys if len(set(map(str, self.keys[k]))) > 1]
        return sorted(names, key=lambda k: (self.numbers(k) is None, k == "lattice.extents", -len(set(map(str, self.keys[k])))))


def curves(scan, x_key):
    """Rows of each curve and its label: all keys but x, without those that go in step with x or with each other."""
    others = [k for k in scan.varied() if k != x_key]
    labels = {}
    for row in range(len(next(iter(scan.keys.values())))):
        labels.setdefault(tuple((k, str(scan.keys[k][row])) for k in others), []).append(row)
    if all(len(rows) == 1 for rows in labels.values()) and others:
        return [(range(len(labels)), "")]  # everything goes in step
    return [(rows, ", ".join(f"{k.split('.')[-1]} {v}" for k, v in label)) for label, rows in labels.items()]


def label_of(name, unit):
    return f"{name} [{unit}]" if unit not in ("", "1") else name


def draw_quantity(scan, name, x_key, axes):
    value, error, unit, reference = scan.quantities[name]
    x, x_label = scan.numbers(x_key), label_of(x_key, scan.units[x_key])
    if x_key == "lattice.extents":
        x_label = "L [sites]"
        if name == "energy per site":
            x, x_label = 1 / scan.sites(), "1 / L"
    for number, (rows, label) in enumerate(curves(scan, x_key)[:MOST_CURVES]):
        rows = sorted(rows, key=lambda r: x[r])
        colour = f"C{number}" if label else BLUE
        members = [None] if value.ndim == 1 else range(min(value.shape[1], 6))
        for member in members:
            pick = (rows,) if member is None else (rows, member)
            shown = label if member is None else member_label(scan, rows, member)
            if member is not None:
                colour = f"C{member}"
            spread = None if error is None or error.shape != value.shape else np.nan_to_num(error[pick])
            axes.errorbar(x[rows], value[pick], spread, fmt="o-", ms=3, lw=0.8, capsize=2, color=colour, label=shown or None)
        if reference is not None and value.ndim == 1 and np.isfinite(reference[rows]).any():
            axes.plot(x[rows], reference[rows], "_", color=RED, ms=9, label="exact" if number == 0 else None)
    if name == "entropy" and x_key == "lattice.extents" and scan.application == "dmrg" and value.ndim == 1:
        draw_central_charge(x, value, axes)
    if name in ("susceptibility-connected", "correlation-length", "truncation-error") and np.nanmin(value) > 0:
        axes.set_yscale("log")
    axes.set_xlabel(x_label)
    axes.set_ylabel(label_of(name, unit))
    if axes.get_legend_handles_labels()[0]:
        axes.legend(frameon=False, fontsize=7)


def member_label(scan, rows, member):
    """Of a member of a list: the temperature where there is one for each, else its number."""
    if "temperature" in scan.quantities and scan.quantities["temperature"][0].ndim == 2:
        return f"T = {scan.quantities['temperature'][0][rows[0], member]:g}"
    return str(member)


def draw_central_charge(x, value, axes):
    """S = (c / 6) ln L + a + b / L of one half of an open chain (P. Calabrese, J. Cardy, J. Stat. Mech. P06002 (2004)); the
    last term stands for the alternating part, which falls so in halves of equal parity. A chain with a gap has no c."""
    if len(x) < 4:
        return
    terms = np.array([np.log(x), np.ones_like(x), 1 / x]).T
    fit = np.linalg.lstsq(terms, value, rcond=None)[0]
    if 6 * fit[0] < 0.25:
        return
    order = np.argsort(x)
    axes.plot(x[order], (terms @ fit)[order], color=RED, lw=1, label=f"(c / 6) ln L + a + b / L, c = {6 * fit[0]:.3f}")
    axes.set_xscale("log")


def draw_map(scan, name, keys, axes, figure):
    value, unit = scan.quantities[name][0], scan.quantities[name][2]
    x, y = scan.numbers(keys[0]), scan.numbers(keys[1])
    across, down = np.unique(x), np.unique(y)
    cells = np.full((len(down), len(across)), np.nan)
    cells[np.searchsorted(down, y), np.searchsorted(across, x)] = value
    picture = axes.pcolormesh(across, down, cells, shading="nearest", cmap="viridis")
    figure.colorbar(picture, ax=axes, label=label_of(name, unit))
    axes.set_xlabel(label_of(keys[0], scan.units[keys[0]]))
    axes.set_ylabel(label_of(keys[1], scan.units[keys[1]]))


def draw_in_time(file, scan, axes):
    """Spin dynamics: the imbalance sum_i s_i(0) s_i(t) / sum_i s_i(0)^2 of all points of a group, mean and standard error."""
    series = file["series"]
    owner, time = series["point"][:], series["time"][:]
    spins = [series[name][:] for name in sorted((n for n in series if n.startswith("sz-") and "_" not in n and n[3:].isdigit()),
                                                key=lambda n: int(n[3:]))]
    z = np.array(spins).T
    varied = [k for k in scan.varied()]
    for number, points in enumerate(scan.first[:MOST_CURVES]):
        runs, times = [], None
        for point in points:
            rows = owner == point
            if not rows.any():
                continue
            start, times = z[rows][0], time[rows]
            runs.append(np.nansum(z[rows] * start, axis=1) / np.nansum(start * start))
        if not runs or len({len(r) for r in runs}) > 1:
            continue
        mean = np.mean(runs, axis=0)
        label = ", ".join(f"{k.split('.')[-1]} {scan.keys[k][number]}" for k in varied)
        axes.plot(times, mean, color=f"C{number}", lw=1, label=label + (f" ({len(runs)})" if len(runs) > 1 else ""))
        if len(runs) > 1:
            error = np.std(runs, axis=0, ddof=1) / np.sqrt(len(runs))
            axes.fill_between(times, mean - error, mean + error, color=f"C{number}", alpha=0.3, lw=0)
    axes.set_xlabel("time")
    axes.set_ylabel("imbalance")
    axes.legend(frameon=False, fontsize=7)


def chosen(scan):
    """Names of the quantities to draw."""
    usable = {n: q for n, q in scan.quantities.items() if np.isfinite(q[0]).any() and (q[0].ndim == 1 or q[0].shape[1] <= 6)}
    names = [n for n in QUANTITIES.get(scan.application, ()) if n in usable]
    if "gap" in names or "energy per site" in names:
        names = [n for n in names if n != "energies"]
    return names or [n for n in usable if n not in ("time", "temperature", "beta")][:6]


def plot(file, figure):
    """Draws the points of a scan that are done. Throws LookupError with a reason where there is nothing to draw."""
    scan = Scan(file)
    varied = [k for k in scan.varied() if scan.numbers(k) is not None]
    in_time = scan.application == "trotter" and any(n.startswith("sz-") for n in file["series"])
    names = [] if in_time and len(varied) < 2 else chosen(scan)[:6]
    if not varied and not in_time:
        raise LookupError("scans no key whose values are numbers")
    panels = len(names) + in_time
    if panels == 0:
        raise LookupError("has no quantity that could be drawn against a key")
    columns = min(3, panels) if panels != 4 else 2
    rows = -(-panels // columns)
    if in_time:
        draw_in_time(file, scan, figure.add_subplot(rows, columns, 1))
    lengths = [len(set(scan.numbers(k))) for k in varied]
    for panel, name in enumerate(names):
        axes = figure.add_subplot(rows, columns, panel + 1 + in_time)
        grid = len(varied) == 2 and lengths[0] * lengths[1] == len(scan.numbers(varied[0]))
        if grid and min(lengths) >= MAP_FROM and scan.quantities[name][0].ndim == 1:
            draw_map(scan, name, varied[:2], axes, figure)
        else:
            draw_quantity(scan, name, varied[0], axes)


def title(file):
    """Model and lattice that all points share, and what is scanned."""
    keys = {name: text(value) for name, value in file["job/keys"].attrs.items()}
    shown = [text(file["job"].attrs["application"])]
    shown += [keys[k] for k in ("model.type", "lattice.type") if keys.get(k)]
    if keys.get("lattice.extents"):
        shown.append(keys["lattice.extents"].replace(",", " x "))
    points = f"{file.attrs['done']} of {file.attrs['points']} points" if not file.attrs["complete"] else f"{file.attrs['points']} points"
    return ", ".join(shown) + f": {points}"
