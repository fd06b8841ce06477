# SPDX-License-Identifier: BSD-3-Clause
"""Pictures of scans, for plot.py: quantities against a scanned key, one curve for every value of the others, an
intensity map for two keys with many values, and averages over replicas with their errors."""

import numpy as np

import plot_replicas
import plot_sectors
import plot_spectra
from plot_axes import COLOURS, FEWEST_SAMPLES, RED, SMALLEST, Panel, finish, image, plain_log, style
from plot_exact import draw_exact, mark_critical
from plot_labels import OTHER_KEYS, PARAMETERS, Result, Unusable, number_of_sites, text, with_unit
from plot_replicas import key_value

# What is drawn of an application where it is there; other quantities, up to six, where none of these is.
QUANTITIES = {
    "swendsen-wang": ("energy", "specific-heat", "signed-magnetisation", "staggered-magnetisation-2",
                      "staggered-susceptibility", "staggered-binder", "magnetisation", "susceptibility-connected",
                      "binder", "correlation-length"),
    "lanczos": ("energy", "gap", "double-occupancy", "energies", "specific-heat", "entropy"),
    "dmrg": ("energy", "energy-per-site", "gap", "entropy", "truncation-error", "states"),
    "trotter": ("imbalance", "energy", "entropy", "loschmidt-echo"),
}
# What is not shown of them without --what: in a field |m| hides the sign, antiferromagnets do not order so.
BESIDES = {"in a field": ("magnetisation", "binder"),
           "antiferromagnet": ("magnetisation", "binder", "correlation-length"), "ferromagnet": ()}
OPEN = 2  # state of a point that did not converge
LOGARITHMIC = ("susceptibility-connected", "correlation-length", "truncation-error")
ROUNDING = 1e-12  # truncation errors below which only rounding is drawn
MAP_FROM = 8   # values of two keys from which on a map is drawn
MOST_CURVES = 12


class Scan:
    """Rows of points, or of groups of replicas: keys as columns, quantities as (value, error, unit)."""

    def __init__(self, file):
        self.application = text(file["job"].attrs["application"])
        self.averaged = "averages" in file
        table = file["averages" if self.averaged else "scan"]
        self.keys, self.units, self.quantities = {}, {}, {}
        for name in (n for n in table if n != "series"):
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
        self.of_job = {name: text(value) for name, value in file["job/keys"].attrs.items()}
        self.first = self.first_points(file)
        state = file["points/state"][:]
        self.loose = np.array([(state[points] == OPEN).any() for points in self.first], dtype=bool)
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
        """Number of sites of each point; 0 where the keys do not tell."""
        names = ("lattice.type", "lattice.geometry", "lattice.extents")
        return np.array([number_of_sites(*(str(self.keys[n][row]) if n in self.keys else self.of_job.get(n, "")
                                           for n in names))
                         for row in range(len(next(iter(self.keys.values()), ())))])

    def add_derived(self):
        sites = self.sites()
        if "error-estimate" in self.quantities and "energy" in self.quantities and not self.averaged:
            value, _, unit, reference = self.quantities["energy"]
            self.quantities["energy"] = value, self.quantities["error-estimate"][0], unit, reference
        if ("lattice.extents" in self.keys and sites.all() and self.application in ("dmrg", "lanczos")
                and "energy" in self.quantities):
            value, error, unit, _ = self.quantities["energy"]
            if value.ndim == 1:
                self.quantities["energy-per-site"] = (value / sites, None if error is None else error / sites, unit,
                                                      None)
        if "energies" in self.quantities and self.quantities["energies"][0].shape[1] > 1:
            levels = self.quantities["energies"][0]
            self.quantities["gap"] = (levels[:, 1] - levels[:, 0], None, self.quantities["energies"][2], None)
        if ("entropy" in self.quantities and self.varied() == ["model.u"] and self.quantities["entropy"][0].ndim == 2
                and sites.all()):
            self.add_double_occupancy(sites[0])

    def add_double_occupancy(self, sites):
        """Per site, as the derivative of the free energy E - T S by U, from differences of neighbouring points."""
        u, order = self.numbers("model.u"), np.argsort(self.numbers("model.u"))
        free = self.quantities["energy"][0] / sites - self.quantities["temperature"][0] * self.quantities["entropy"][0]
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
        return sorted(names, key=lambda k: (self.numbers(k) is None, k == "lattice.extents",
                                            -len(set(map(str, self.keys[k])))))


class ScanResult(Result):
    """A scan as plot.py has it: keys that all points share, and the table of points."""

    def __init__(self, file, source):
        super().__init__(file, source)
        self.scan = Scan(file)
        points, done = int(file.attrs["points"]), int(file.attrs["done"])
        if not file.attrs["complete"]:
            self.notes.append(f"{done} of {points} points are done")

    def energy_unit(self):
        scanned = {"model.t", "model.j", "model.type"} & set(self.scan.keys)
        return "" if scanned else super().energy_unit()


class PointResult(Result):
    """A point of a scan as the result of a job of its own."""

    def __init__(self, scan, point):
        super().__init__(scan.file, scan.source)
        self.point = point
        self.keys |= {name: text(self.file["scan"][name][point]) for name in scan.scan.keys}

    def has(self, path):
        return path.replace("results/", "scan/") in self.file

    def value(self, name):
        return np.atleast_1d(self.file[f"scan/{name}"][self.point])

    def column(self, name):
        return self.file[f"series/{name}"][:][self.file["series/point"][:] == self.point]


def spectrum_of_points(result):
    """The panel of a removal and an addition that are the two points of a scan; none for other scans."""
    if (result.scan.varied() != ["spectrum.operator"] or len(result.scan.first) != 2
            or not result.file.attrs["complete"]):
        return []
    points = [PointResult(result, point) for point in range(2)]
    joined = plot_spectra.whole_spectrum(points)
    return [Panel("spectrum", lambda _, axes, look: joined(points[0], axes, look), map=True)] if joined else []


def facts(result):
    """The second line of a title: how many replicas were averaged, and which points are doubtful."""
    scan, parts = result.scan, []
    most = max(map(len, scan.first))
    if scan.averaged and most > 1:
        parts.append(f"means over {most} seeds" + (" with standard errors" if most >= FEWEST_SAMPLES else ""))
    if scan.loose.any():
        parts.append(f"{scan.loose.sum()} of {len(scan.loose)} points not converged (open symbols)")
    value, error, *_ = scan.quantities.get("energy", (np.zeros(0), None))
    if scan.application == "swendsen-wang" and value.ndim == 1 and len(value):
        unknown = np.isfinite(value) & ~np.isfinite(np.full(len(value), np.nan) if error is None else error)
        if unknown.any():
            parts.append(f"errors unknown at {unknown.sum()} of {np.isfinite(value).sum()} points")
    return ", ".join(parts)


def curves(scan, x_key):
    """Rows of each curve and its label: all keys but x, without those that go in step with x or with each other."""
    others = [k for k in scan.varied() if k != x_key]
    labels = {}
    for row in range(len(next(iter(scan.keys.values())))):
        labels.setdefault(tuple((k, str(scan.keys[k][row])) for k in others), []).append(row)
    if all(len(rows) == 1 for rows in labels.values()) and others:
        return [(range(len(labels)), "")]  # everything goes in step
    return [(rows, ", ".join(key_value(k, v) for k, v in label)) for label, rows in labels.items()]


def key_label(result, key):
    if key == "lattice.extents":
        return "length $L$"
    symbol = PARAMETERS.get(key, (OTHER_KEYS.get(key),))[0]
    words = f"${symbol}$" if symbol else key
    words = {"model.temperature": "temperature $T$", "model.beta": r"inverse temperature $\beta$"}.get(key, words)
    return with_unit(words, result.unit(result.scan.units[key]))


def draw_quantity(name, x_key):
    def draw(result, axes, look):
        scan = result.scan
        value, error, unit, reference = scan.quantities[name]
        x, x_label = scan.numbers(x_key), key_label(result, x_key)
        sites = scan.sites()
        if name == "energy-per-site" and x_key == "lattice.extents":
            x, x_label = 1 / sites, "$1/L$" if (sites == x).all() else "$1/N$"
        if name == "gap" and x_key == "lattice.extents":
            x, x_label = 1 / x, "$1/L$"
        lists, drawn = value.ndim == 2, curves(scan, x_key)[:MOST_CURVES]
        for number, (rows, label) in enumerate(drawn):
            rows = sorted((r for r in rows if np.isfinite(value[r]).any()), key=lambda r: x[r])
            if not rows:
                continue
            exact_colour = (RED if look.alone and len(drawn) == 1 else COLOURS[number % len(COLOURS)] if look.alone
                            else look.colour)
            smooth = draw_exact(result, name, x_key, rows, axes, exact_colour, first=number == 0 and look.alone)
            members = range(min(value.shape[1], 6)) if lists else [None]
            for member in members:
                pick = (rows,) if member is None else (rows, member)
                shown = label if member is None else ", ".join(filter(None, [label, member_label(scan, rows, member)]))
                colour = (COLOURS[(member if lists else number) % len(COLOURS)] if look.alone and (lists or label)
                          else look.colour)
                known = error is not None and error.shape == value.shape and np.isfinite(error[pick]).any()
                spread = error[pick] if known else None  # an unknown error has no bar, not one of length 0
                # curves of one colour: of one member, of one round of the colours, or all of a file
                form = style(number if look.alone and lists else number // len(COLOURS) if look.alone
                             else number * len(members) + (member or 0))
                axes.errorbar(x[rows], value[pick], spread, fmt=form[0] if smooth else form, ms=3.5, lw=0.8, capsize=2,
                              color=colour, label=look.name(shown))
                loose = [r for r in rows if scan.loose[r]]
                if loose:
                    axes.plot(x[loose], value[(loose,) if member is None else (loose, member)], form[0], ms=5,
                              mfc="white", mec=colour, zorder=3)
            if not smooth and not lists and reference is not None and np.isfinite(reference[rows]).any():
                axes.plot(x[rows], reference[rows], "_", color=RED, ms=11, zorder=0,
                          label="exact" if number == 0 and look.alone else None)
        if name == "entropy" and x_key == "lattice.extents" and scan.application == "dmrg" and not lists:
            draw_central_charge(x, value, axes, look)
        if name == "entropy" and scan.application == "lanczos" and np.nanmin(value) < 0:
            result.notes.append(f"{(value < 0).sum()} entropies are negative, by errors of the samples")
        if name in LOGARITHMIC and np.nanmin(value) > 0:
            axes.set_yscale("log")
        mark_critical(result, x_key, axes, look)
        axes.set_xlabel(x_label)
        axes.set_ylabel(result.label(name, unit) + at_time(scan))
        finish(axes, SMALLEST if unit == "1" else 0.0)
    return draw


def at_time(scan):
    """Results of an evolution are those of the last row."""
    time = scan.quantities.get("time", [np.zeros(0)])[0]
    return rf" at $t = {time[0]:g}$" if time.ndim == 1 and len(time) and np.ptp(time) == 0 else ""


def member_label(scan, rows, member):
    """Of a member of a list: the temperature where there is one for each, else its number."""
    if "temperature" in scan.quantities and scan.quantities["temperature"][0].ndim == 2:
        return f"$T = {scan.quantities['temperature'][0][rows[0], member]:g}$"
    return f"$n = {member}$"


def fit_halves(x, value):
    """Factors of ln L, 1 and 1 / L in the entropy of one half of an open chain, c / 6 the first one (P. Calabrese, J.
    Cardy, J. Stat. Mech. P06002 (2004)); the last term stands for the alternating part, which falls so in halves of
    equal parity."""
    return np.linalg.lstsq(np.array([np.log(x), np.ones_like(x), 1 / x]).T, value, rcond=None)[0]


def draw_central_charge(x, value, axes, look):
    """The fit, and how much c changes without the smallest chain: the next terms of the series give it an error of this
    order, and the entropies have none. A chain with a gap has no c. Halves of even and of odd length alternate, and odd
    chains have no halves: the fit takes the lengths of one kind, 4 n or 4 n + 2, of which there are more."""
    kinds = [x % 4 == kind for kind in (0, 2)]
    chosen = max(kinds, key=np.count_nonzero)
    of_kind = "" if chosen.all() else ", $L = 4n$ alone" if chosen is kinds[0] else ", $L = 4n + 2$ alone"
    x, value = x[chosen], value[chosen]
    if len(x) < 4:
        return
    longer, fit = x > x.min(), fit_halves(x, value)
    change = 6 * (fit_halves(x[longer], value[longer]) - fit)[0]
    if 6 * fit[0] < 0.25:
        return
    fine = np.geomspace(x.min(), x.max(), 200)
    axes.plot(fine, np.array([np.log(fine), np.ones_like(fine), 1 / fine]).T @ fit,
              color=RED if look.alone else look.colour, lw=1,
              label=look.name(rf"$\frac{{c}}{{6}}\ln L + a + b/L$, $c = {6 * fit[0]:.3f}$, "
                              rf"${round(change, 3) + 0.0:+.3f}$ without $L = {x.min():g}$" + of_kind))
    axes.set_xscale("log")
    plain_log(axes.xaxis)


def draw_map(name, keys):
    def draw(result, axes, look):
        scan = result.scan
        value, unit = scan.quantities[name][0], scan.quantities[name][2]
        x, y = scan.numbers(keys[0]), scan.numbers(keys[1])
        across, down = np.unique(x), np.unique(y)
        cells = np.full((len(down), len(across)), np.nan)
        cells[np.searchsorted(down, y), np.searchsorted(across, x)] = value
        image(axes, across, down, cells, result.label(name, unit))
        axes.set_xlabel(key_label(result, keys[0]))
        axes.set_ylabel(key_label(result, keys[1]))
    return draw


def panels(result):
    """Panels of all quantities; shown are those of QUANTITIES. Throws Unusable where there is nothing to draw."""
    scan = result.scan
    if own := plot_sectors.panels(result) or spectrum_of_points(result):
        return own
    varied = [k for k in scan.varied() if scan.numbers(k) is not None]
    in_time = plot_replicas.panels(result)
    if not varied and not in_time:
        one = f"has {len(scan.first[0])} replicas of one point" if scan.averaged else "has one point"
        raise Unusable((one if len(scan.first) == 1 else "scans no key whose values are numbers") +
                       f", which makes no curve; strata show {result.source} prints it")
    usable = [n for n, q in scan.quantities.items() if np.isfinite(q[0]).any()
              and (q[0].ndim == 1 or q[0].shape[1] <= 6)] if varied else []
    first = [n for n in QUANTITIES.get(scan.application, ()) if n in usable]
    if scan.application == "swendsen-wang" and not {"model.coupling", "model.field"} & scan.keys.keys():
        first = [n for n in first if n not in BESIDES[result.magnet()]]
    if "truncation-error" in first and np.nanmax(scan.quantities["truncation-error"][0]) < ROUNDING:
        first.remove("truncation-error")
    if "gap" in first or "energy-per-site" in first:
        first = [n for n in first if n != "energies" and (n != "energy" or scan.application != "dmrg"
                                                          or "energy-per-site" not in first)]
    first = first or [n for n in usable if n not in ("time", "temperature", "beta")][:6]
    if in_time and len(varied) < 2:
        first = []
    found = in_time
    lengths = [len(set(scan.numbers(k))) for k in varied]
    for name in first + [n for n in usable if n not in first]:
        grid = len(varied) == 2 and lengths[0] * lengths[1] == len(scan.numbers(varied[0]))
        is_map = grid and min(lengths) >= MAP_FROM and scan.quantities[name][0].ndim == 1
        drawing = draw_map(name, varied[:2]) if is_map else draw_quantity(name, varied[0])
        found.append(Panel(name, drawing, (), lambda r, shown=name in first: shown, map=is_map))
    if not found:
        raise Unusable("has no quantity that could be drawn against a key")
    return found
