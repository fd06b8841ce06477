# SPDX-License-Identifier: BSD-3-Clause
"""What the panels of plot.py share: colours, legends beside the data, ranges that do not magnify rounding, maps,
momenta."""

import dataclasses
import typing

import numpy as np
from matplotlib import rcParams
from matplotlib.collections import PathCollection, QuadMesh
from matplotlib.colors import LogNorm
from matplotlib.ticker import AutoLocator, LogLocator, MaxNLocator, NullFormatter, NullLocator, ScalarFormatter

from plot_labels import visible_length

BLUE, RED, GREY = "#2060a0", "#c03020", "#808080"
COLOURS = (BLUE, RED, "#209060", "#d08000", "#7040a0", "#00a0b0", "#a05020", "#505050")
LEGENDS = ("above", "inside", "none")
MARKERS, LINES = "os^vDPX*<>ph", ("-", "--", ":", "-.")
FONT, NARROWEST = 10, 4.6  # points without --font, and width of a panel in inches without --size
SMALLEST = 1e-3  # range of local values below which their scatter is taken for rounding
ROUGH = 0.3  # scatter of the logarithms of correlations around a fit that is drawn
MISSED, VARIED = 3e-3, 0.03  # of the fit of a central charge: entropies around it, and c with the fitted range
FEWEST_SAMPLES = 4  # from whose scatter an error follows, as in the program


@dataclasses.dataclass
class Look:
    """How the curves of one file are drawn."""

    colour: str = BLUE
    label: str | None = None
    alone: bool = True

    def name(self, label=None):
        """Label of a curve: that of the file, and what the curve is."""
        return ", ".join(part for part in (self.label, label) if part) or None


@dataclasses.dataclass
class Panel:
    """A part of a figure. Maps of several files get a panel each; curves of several files share one."""

    name: str
    draw: typing.Callable  # (result, axes, look)
    needs: tuple = ()      # paths in the file, or conditions, all of which must be there
    shown: typing.Callable = lambda result: True  # whether it is drawn without --what
    map: bool | typing.Callable = False
    together: typing.Callable = lambda results: None  # a function that draws several files in one map, or None

    def is_map(self, result):
        return self.map(result) if callable(self.map) else self.map

    def possible(self, result):
        return all(need(result) if callable(need) else result.has(need) for need in self.needs)


def error_of_mean(samples):
    """Error of the mean over axis 0, with the factor of Student's t as in include/strata/standard_error.hpp; 0 for too
    few samples."""
    n = len(samples)
    return np.std(samples, axis=0) / np.sqrt(n - 3) if n >= FEWEST_SAMPLES else np.zeros(np.shape(samples)[1:])


def never(result):
    return False


def style(number):
    """Marker and line of a curve; the first 48 are different."""
    return MARKERS[number % len(MARKERS)] + LINES[(number + number // len(MARKERS)) % len(LINES)]


def letters(points):
    """The size of letters that have so many points without --font."""
    return points * rcParams["font.size"] / FONT


def legend(axes, known, place="above"):
    """Above the panel, where it hides no data, or where matplotlib finds room inside it; without the curves that the
    panels before it have, `known`."""
    if place == "none":
        return
    handles, labels = axes.get_legend_handles_labels()
    once = dict(zip(reversed(labels), reversed(handles)))  # the first one of every label
    labels = [label for label in dict.fromkeys(labels) if label not in known]
    handles = [once[label] for label in labels]
    if handles:
        known.update(labels)
        room = axes.figure.get_figwidth() / axes.get_subplotspec().get_gridspec().ncols
        longest = letters(max(map(visible_length, labels))) * max(1, NARROWEST / room)
        columns = 1 if len(handles) == 1 or longest > 26 else 2 if longest > 16 else 3
        if place == "inside":
            axes.legend(handles, labels, loc="best", fontsize=letters(8), handlelength=1.6)
            return
        axes.legend(handles, labels, loc="lower left", bbox_to_anchor=(-0.01, 1.0), ncol=columns, frameon=False,
                    fontsize=letters(8), handlelength=1.6, columnspacing=1.2, borderaxespad=0.2)


def finish(axes, smallest=0.0, logarithmic=None):
    """Asks for a smallest range of y, or for a logarithmic one that reaches below its first and beyond its second limit
    at most and at least; settle() sees to it when all files are drawn."""
    axes.smallest, axes.logarithmic = smallest, logarithmic


def settle(axes):
    """Widens a linear range that rounding alone fills, and writes numbers of an axis without an offset."""
    smallest, logarithmic = getattr(axes, "smallest", 0.0), getattr(axes, "logarithmic", None)
    if logarithmic:
        low, high = axes.get_ylim()
        axes.set_ylim(max(low, logarithmic[0]), max(high, logarithmic[1]))
    for get, put, scale, axis in ((axes.get_ylim, axes.set_ylim, axes.get_yscale, axes.yaxis),
                                  (axes.get_xlim, axes.set_xlim, axes.get_xscale, axes.xaxis)):
        if scale() != "linear":
            continue
        low, high = get()
        middle = (low + high) / 2
        span = max(1e-6 * abs(middle), smallest if axis is axes.yaxis else 0)
        if high - low < span:
            put(middle - span / 2, middle + span / 2)
        if axis is axes.xaxis and isinstance(axis.get_major_locator(), AutoLocator):
            axis.get_major_locator().set_params(nbins=7)
        if isinstance(axis.get_major_formatter(), ScalarFormatter):
            axis.get_major_formatter().set_useOffset(False)


def plain_log(axis):
    """Numbers such as 1, 2, 5, 10 on a logarithmic axis."""
    axis.set_major_locator(LogLocator(subs=(1, 2, 5)))
    axis.set_major_formatter(lambda value, _: f"{value:g}")
    axis.set_minor_formatter(NullFormatter())


def few_decades(axis):
    """Plain numbers on a logarithmic axis that less than two powers of ten lie on."""
    low, high = axis.get_view_interval()
    if np.floor(np.log10(high)) - np.ceil(np.log10(low)) >= 1:
        return
    plain_log(axis)
    if np.count_nonzero((low <= (ticks := axis.get_majorticklocs())) & (ticks <= high)) < 3:
        axis.set_major_locator(MaxNLocator(nbins=5, steps=(1, 2, 5, 10)))
        axis.set_minor_locator(NullLocator())


def heights(points, low, high, joined):
    """Of points (x, y), those y that lie between two x, also of the lines that join the points."""
    x, y = points.T
    found = [y[(low <= x) & (x <= high)]]
    for border in (low, high) if joined else ():
        left = np.flatnonzero((x[:-1] - border) * (x[1:] - border) < 0)
        share = (border - x[left]) / (x[left + 1] - x[left])
        found.append(y[left] + share * (y[left + 1] - y[left]))
    return np.concatenate(found)


def drawn_parts(axes):
    """Curves, error bars, bands and bars of a panel as pairs (points, whether lines join them); lines across the whole
    panel are no part."""
    parts = [(line.get_xydata(), line.get_linestyle() not in ("None", "none", " ", "")) for line in axes.lines
             if line.get_transform() is axes.transData]
    paths = [patch.get_path().transformed(patch.get_patch_transform()) for patch in axes.patches]
    for drawn in axes.collections:
        if isinstance(drawn, PathCollection):
            parts.append((np.asarray(drawn.get_offsets()), False))
        else:
            paths += drawn.get_paths()
    return parts + [(np.array(points), True) for path in paths for points in path.to_polygons(closed_only=False)]


def fit_height(axes):
    """Fits the limits of y to what is drawn between those of x."""
    def scaled(points):
        points = np.array(points, dtype=float)
        for column, scale in enumerate((axes.get_xscale(), axes.get_yscale())):
            if scale == "log":
                points[points[:, column] <= 0, column] = np.nan
        return axes.transScale.transform(points)

    x = axes.get_xlim()
    borders = scaled([(side, 1) for side in x])[:, 0]
    found = np.concatenate([heights(scaled(points), *borders, joined) for points, joined in drawn_parts(axes)
                            if len(points)] or [[]])
    found = found[np.isfinite(found)]
    if len(found):
        ends = np.array([(borders[0], found.min()), (borders[1], found.max())])
        axes.dataLim.intervaly = axes.transScale.inverted().transform(ends)[:, 1]
        axes.autoscale(axis="y")
        axes.autoscale_view(scalex=False)


def limited(given, present, scale):
    """Limits of an axis with the given sides, of which None is free, as is one that a logarithm does not have; the
    present limits where the given ones leave nothing."""
    low, high = (now if side is None or (scale == "log" and side <= 0) else side for side, now in zip(given, present))
    return (low, high) if low < high else present


def apply(axes, options):
    """--range and --log. An axis with ticks of its own (sites, states, momenta) stays linear. Returns sentences on what
    could not be followed."""
    notes, maps = [], [drawn.get_coordinates() for drawn in axes.collections if isinstance(drawn, QuadMesh)]
    for column, (name, axis) in enumerate((("x", axes.xaxis), ("y", axes.yaxis))):
        if name in options.logs and axis.get_scale() == "linear":
            if type(axis.get_major_locator()) is not AutoLocator or axes.get_aspect() != "auto":
                notes.append(f"--log={name} leaves axes of sites, states and momenta linear")
            elif axis.get_view_interval()[1] > 0:
                getattr(axes, f"set_{name}scale")("log")
                for places in maps:
                    places = places[..., column]
                    getattr(axes, f"set_{name}lim")(places[places > 0].min(), places.max())
    if "x" in options.ranges:
        axes.set_xlim(limited(options.ranges["x"], axes.get_xlim(), axes.get_xscale()))
    if not maps and axes.get_aspect() == "auto" and ("x" in options.ranges or "y" in options.logs):
        fit_height(axes)
    settle(axes)
    if "y" in options.ranges:
        axes.set_ylim(limited(options.ranges["y"], axes.get_ylim(), axes.get_yscale()))
    for picture in [*axes.collections, *axes.images]:
        if picture.colorbar is not None:
            limit_colours(picture, options)
    for axis in (axes.xaxis, axes.yaxis):
        if axis.get_scale() == "log":
            few_decades(axis)
    return notes


def limit_colours(picture, options):
    """--range=z=... and --log=z."""
    given, bar = options.ranges.get("z", (None, None)), picture.colorbar
    if "z" in options.logs and (high := picture.get_array().max()) > 0:
        high = given[1] if given[1] and given[1] > 0 else high
        picture.set_norm(LogNorm(*limited(given, (high / 1e3, high), "log")))
        few_decades(bar.ax.xaxis if bar.orientation == "horizontal" else bar.ax.yaxis)
    elif "z" in options.ranges:
        picture.set_clim(*limited(given, picture.get_clim(), "linear"))


def integer_ticks(axis):
    axis.set_major_locator(MaxNLocator(integer=True, nbins=8, min_n_ticks=1))


def largest(values, smallest=SMALLEST):
    """Limit of a colour scale around zero."""
    return max(smallest, float(np.nanmax(np.abs(values), initial=0)))


def image(axes, x, y, cells, label, centred=False, floor=False, **options):
    """A map with cells around the points (x, y), and its scale."""
    if centred:
        options = {"cmap": "RdBu_r", "vmin": -largest(cells), "vmax": largest(cells), **options}
    elif not floor and np.nanmax(cells) - np.nanmin(cells) < SMALLEST:
        middle = float(np.nanmean(cells))
        options = {"vmin": middle - SMALLEST / 2, "vmax": middle + SMALLEST / 2, **options}
    elif floor:
        options = {"vmin": 0, **options}
    picture = axes.pcolormesh(x, y, cells, shading="nearest", rasterized=True, **options)
    colour_scale(axes, picture, label)
    return picture


def colour_scale(axes, picture, label, below=False):
    options = {"location": "bottom", "shrink": 0.8, "aspect": 40} if below else {}
    bar = axes.figure.colorbar(picture, ax=axes, label=label, **options)
    if hasattr(bar.formatter, "set_useOffset"):
        bar.formatter.set_useOffset(False)
    bar.locator = MaxNLocator(nbins=5 if below else 8)
    bar.update_ticks()


def momentum_axis(axes):
    axes.set_xlabel(r"$k/\pi$")
    axes.set_xticks(np.linspace(-1, 1, 5))


def around_zero(k, values):
    """Momenta of a ring in units of pi between -1 and 1, in order; the border of the zone on both sides."""
    k = np.asarray(k) / np.pi
    folded = k - 2 * np.floor((k + 1) / 2 + 1e-9)
    folded[np.isclose(folded, -1)] = 1
    order = np.argsort(folded)
    folded, values = folded[order], np.asarray(values)[order]
    if np.isclose(folded[-1], 1):
        folded, values = np.concatenate([[-1.0], folded]), np.concatenate([values[-1:], values])
    return folded, values


def plane(axes, kx, ky, values, label, square=True):
    """Values at the wave vectors of two dimensions; those of a square lattice in its zone, with both sides of the
    border."""
    points = np.array([kx, ky]).T / np.pi
    if square:
        shifts = 2.0 * np.array([(x, y) for x in (-1, 0, 1) for y in (-1, 0, 1)])
        points, values = (points[None] + shifts[:, None]).reshape(-1, 2), np.tile(values, len(shifts))
        inside = (np.abs(points) < 1 + 1e-6).all(axis=1)
        points, values = points[inside], values[inside]
    picture = axes.scatter(*points.T, c=values, s=120, cmap="viridis", edgecolors=GREY)
    axes.set_xlabel(r"$k_x/\pi$")
    axes.set_ylabel(r"$k_y/\pi$")
    axes.set_aspect("equal", adjustable="box")
    axes.locator_params(nbins=5)
    colour_scale(axes, picture, label)


def decay(distance, values):
    """A power or an exponential fitted to |values|, in ln: (words, fitted values), or None where they do not decay or
    where it is not clear which one it is. Values that oscillate count where no later one is larger, and are not fitted
    by an exponential, of which a few zeros of the oscillation give any length. The words have one digit: exponents of
    exact correlations of 16 to 64 free fermions come out up to 0.3 too small."""
    size = np.abs(values)
    use = (distance >= 2) & (size > 1e-11)
    latest = size >= np.maximum.accumulate(size[::-1])[::-1]
    oscillates = bool((use & ~latest).any())
    use &= latest
    if use.sum() < 5:
        return None
    logs = np.log(np.maximum(size, 1e-300))
    power, exponential = (fitted(logs, use, (-x, np.ones_like(x))) for x in (np.log(distance), distance))
    if power[0] < min(ROUGH, exponential[0] / 2) and power[1] > 0:
        return rf"roughly $r^{{-{power[1]:.1g}}}$", np.exp(power[2])
    if exponential[0] < min(ROUGH, power[0] / 2) and exponential[1] > 0 and not oscillates:
        return rf"roughly $e^{{-r/{float(f'{1 / exponential[1]:.1g}'):g}}}$", np.exp(exponential[2])
    return None


def central_charge(cut, entropies, particles):
    """S(l) = (c/6) ln x + a + sum over the species of b sin(k (2 l + 1)) / x^p, x = (2 (L + 1) / pi) sin(pi (2 l + 1) /
    (2 (L + 1))), k = pi (N + 1/2) / (L + 1), of an open critical chain of L sites cut after l with N particles of a
    species (P. Calabrese, J. Cardy, J. Stat. Mech. P06002 (2004); M. Fagotti, P. Calabrese, J. Stat. Mech. P01017
    (2011)). Returns c and the fitted entropies; None where a chain is short, a species has few particles or few holes,
    the entropies are not of this form to MISSED, or c depends on how far from the ends the fit begins, as with a
    gap."""
    sites, cut = len(entropies) + 1, np.asarray(cut)
    if sites < 16 or any(min(n, sites - n) < 4 for n in particles):
        return None
    angle = np.pi * (2 * cut + 1) / (2 * (sites + 1))
    chord, distance = 2 * (sites + 1) / np.pi * np.sin(angle), np.minimum(cut, sites - cut)
    waves = [np.sin(2 * (n + 0.5) * angle) for n in set(particles)]
    fits = []
    for least in (max(3, sites // 10), max(4, sites // 6), max(5, sites // 4)):
        use = distance >= least
        tried = [fitted(entropies, use, (np.log(chord) / 6, np.ones(len(cut)), *(wave / chord**p for wave in waves)))
                 for p in np.linspace(0.3, 1.5, 25)]
        fits.append(min(tried, key=lambda f: f[0]))
        missed = np.abs(entropies - fits[-1][2])[use].max()
        if least == max(4, sites // 6) and missed > MISSED:
            return None
    charges = [charge for _, charge, _ in fits]
    return fits[1][1:] if np.ptp(charges) < VARIED and charges[1] > 0.25 else None


def fitted(values, use, terms):
    """Least squares on the rows `use`: scatter, first coefficient, and the curve on all rows."""
    terms = np.array(terms).T
    fit = np.linalg.lstsq(terms[use], values[use], rcond=None)[0]
    return np.std(values[use] - terms[use] @ fit), fit[0], terms @ fit
