#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Plots result files of strata: NAME.h5 -> NAME.png.

    strata plot [options] out/ising-2d-critical.h5 [picture.png | picture.pdf]
    strata plot [options] out/a.h5 out/b.h5 ... [picture.png]     several files in one figure, a colour for each

  --what=NAME,...     panels by name, for example --what=energy,entropy; --what=list prints the names
  --range=x=0:5,y=-1:1   limits of the axes; z is the colour of a map; an empty side is free: y=0:
                      without y, its limits fit to what is seen
  --log=x|y|z|xy|...  logarithmic axes; those of sites, states and momenta stay linear
  --title=TEXT        in place of the title; formulas between two $
  --size=8x5          width and height in inches
  --font=12           size of letters in points (10)
  --legend=PLACE      above the panels, inside them or none
  --markers=SIZE      of the markers in points; 0: none
  --format=pdf        png, pdf or svg, where no name of a picture is given
  --dpi=70            dots per inch of a png (140)
  --help              this text

A scan is shown as curves of its quantities over a scanned key. Ising and Potts: energy, P(m), autocorrelation, S(k) and
correlations of planes; from the checkpoint beside the result --what=snapshot draws the last spins and --what=clusters
their clusters; parallel tempering as curves over the temperature. Lanczos: convergence, structure factors, E(k), A(k,
omega), averages over the temperature, time evolution. DMRG: convergence, levels, entropy with the central
charge, densities, ladders and cylinders as lattices, correlations with exponents. Spin dynamics: Sz of all spins in
time, profiles, echo, drift of the energy. Kronecker: patches and their operations.
"""

import contextlib
import os
import re
import sys
import warnings

from packages import require

require("h5py", "matplotlib")

import h5py  # noqa: E402
import matplotlib  # noqa: E402
import numpy as np  # noqa: E402

matplotlib.use("Agg")
import matplotlib.pyplot as plt  # noqa: E402
from matplotlib.colors import to_hex  # noqa: E402
from matplotlib.mathtext import MathTextParser  # noqa: E402

import plot_scan  # noqa: E402
from plot_axes import COLOURS, FONT, GREY, LEGENDS, Look, Panel, apply, legend, letters  # noqa: E402
from plot_dmrg import DMRG  # noqa: E402
from plot_ising import ISING, TEMPERING  # noqa: E402 (knows the folder of strata_lattice)
from plot_labels import Result, Unusable, differences, facts, shared_title, text, title, visible_length  # noqa: E402
from plot_levels import LEVELS  # noqa: E402
from plot_panels import EVOLUTION, KRONECKER, TENSOR_EVOLUTION, TENSOR_SPECTRUM, THERMAL, TROTTER  # noqa: E402
from plot_spectra import SPECTRUM  # noqa: E402
from plot_states import STATES  # noqa: E402
from strata_lattice.digest import StrataFileError, checked_file, readable_file  # noqa: E402

# By the attribute `application` of /job, of lanczos and dmrg also by run.task.
PANELS = {"swendsen-wang": ISING, "swendsen-wang tempering": TEMPERING, "dmrg": DMRG, "trotter": TROTTER,
          "kronecker": KRONECKER, "lanczos": STATES,
          "lanczos states": STATES, "lanczos spectrum": SPECTRUM, "lanczos thermal": THERMAL,
          "dmrg evolution": TENSOR_EVOLUTION, "dmrg thermal": THERMAL,
          "dmrg spectrum": SPECTRUM + TENSOR_SPECTRUM,
          "lanczos evolution": EVOLUTION, "lanczos levels": LEVELS}
FORMATS = ("png", "pdf", "svg")
MOST_PANELS = 6  # without --what
OPTIONS = ("--what", "--range", "--log", "--title", "--size", "--font", "--legend", "--markers", "--format", "--dpi")
MOST_PIXELS = 400e6  # of a png


class WrongOption(Exception):
    """Why the command line cannot be followed, as a sentence."""


class Options:
    """The command line: files, the picture, and what is drawn."""

    def __init__(self, arguments):
        self.what, self.ranges, self.logs, self.dpi, form = [], {}, "", 140, "png"
        self.title, self.size, self.font, self.legend, self.markers = None, None, FONT, "above", None
        names = []
        for argument in arguments:
            if not argument.startswith("--"):
                names.append(argument)
                continue
            option, _, value = argument.partition("=")
            if option not in OPTIONS:
                raise WrongOption(f"There is no option {option}; there are {', '.join(OPTIONS)} and --help.")
            if not value:
                raise WrongOption(f"{option} needs a value, {option}=...")
            if option == "--what":
                self.what = value.split(",")
            elif option == "--range":
                self.ranges.update(self.limits(part) for part in value.split(","))
            elif option == "--log":
                self.logs = value
            elif option == "--title":
                self.title = self.drawable(value)
            elif option == "--size":
                self.size = self.numbers(argument, value.split("x"), 1, 50, "WIDTHxHEIGHT in inches, each")
                if len(self.size) != 2:
                    raise WrongOption(f"{argument} must be WIDTHxHEIGHT in inches, as in --size=8x5.")
            elif option == "--font":
                self.font, = self.numbers(argument, [value], 3, 50, "a number of points")
            elif option == "--legend":
                if value not in LEGENDS:
                    raise WrongOption(f"{argument} must be one of {', '.join(LEGENDS)}.")
                self.legend = value
            elif option == "--markers":
                self.markers, = self.numbers(argument, [value], 0, 50, "a number of points")
            elif option == "--dpi":
                self.dpi, = self.numbers(argument, [value], 20, 1200, "a number")
            else:
                form = value
        if set(self.logs) - set("xyz"):
            raise WrongOption(f"--log={self.logs} must be made of x, y and z.")
        if not names:
            raise WrongOption("No result file was given; --help shows how.")
        picture = names.pop() if len(names) > 1 and not names[-1].endswith(".h5") else None
        if picture is None:
            stem = names[0].removesuffix(".h5") + ("-compared" if len(names) > 1 else "")
            picture = f"{stem}.{form}"
        if picture.rpartition(".")[2] not in FORMATS:
            raise WrongOption(f"{picture} must end in one of .{', .'.join(FORMATS)}.")
        if self.size and picture.endswith("png") and self.size[0] * self.size[1] * self.dpi**2 > MOST_PIXELS:
            raise WrongOption(f"--size and --dpi must not make more than {MOST_PIXELS / 1e6:.0f} million dots.")
        self.sources, self.picture = names, picture

    @staticmethod
    def limits(part):
        axis, _, interval = part.partition("=")
        try:
            low, high = (float(side) if side else None for side in interval.split(":"))
        except ValueError:
            axis = ""
        if axis not in ("x", "y", "z") or not all(np.isfinite(side) for side in (low, high) if side is not None):
            raise WrongOption(f"--range: '{part}' must be x=LOW:HIGH, y=LOW:HIGH or z=LOW:HIGH.")
        if low is not None and high is not None and low >= high:
            raise WrongOption(f"--range: in '{part}' the smaller number must come first.")
        return axis, (low, high)

    @staticmethod
    def numbers(argument, words, low, high, what):
        try:
            values = [float(word) for word in words]
        except ValueError:
            values = [low - 1]
        if not all(low <= value <= high for value in values):
            raise WrongOption(f"{argument} must be {what} from {low} to {high}.")
        return values

    @staticmethod
    def drawable(title):
        """The title, of which formulas are read."""
        try:
            MathTextParser("path").parse(title if title.replace(r"\$", "").count("$") % 2 == 0 else "")
        except ValueError:
            raise WrongOption(f"--title: '{title}' has a formula between two $ that cannot be drawn.") from None
        return title


def opened(file, source):
    """The result of a checked file. Throws Unusable with the end of a sentence about the file."""
    if text(file.attrs["format"]) == "strata-scan":
        if not file.attrs["done"]:
            raise Unusable("has no results yet")
        return plot_scan.ScanResult(file, source)
    series = file["series"]
    if not len(file["results"]) or any(len(series[name]) == 0 for name in series):
        raise Unusable("has no results yet")
    return Result(file, source)


def is_checkpoint(source):
    with readable_file(source) as file:
        return "header" in file and "state" in file


def panels_of(result):
    """The panels that a file has data for. Throws Unusable if there are none."""
    if isinstance(result, plot_scan.ScanResult):
        return plot_scan.panels(result)
    name = result.application
    if name == "lanczos" or (name == "dmrg" and result.key("run.task") in ("evolution", "thermal", "spectrum")):
        name += " " + result.key("run.task")
    elif result.key("run.tempering"):
        name += " tempering"
    if name not in PANELS:
        raise Unusable(f"is of {name}, of which this script has no plot")
    found = [panel for panel in PANELS[name] if panel.possible(result)]
    if not found:
        raise Unusable("has no quantity of which this script has plots")
    return found


def chosen(results, options):
    """Pairs (panel, results that it draws)."""
    offered = [{panel.name: panel for panel in reversed(panels_of(result))} for result in results]
    common = [p for p in panels_of(results[0])
              if all(p.name in other and other[p.name].draw.__qualname__ == p.draw.__qualname__ for other in offered)]
    if not common:
        raise WrongOption("The files have no panel in common.")
    if unknown := [name for name in options.what if name not in {p.name for p in common}]:
        everywhere = " all of " if len(results) > 1 else " "
        raise WrongOption(f"There is no panel '{unknown[0]}' of{everywhere}{', '.join(r.source for r in results)}; "
                          f"there are {', '.join(dict.fromkeys(p.name for p in common))}.")
    if options.what:
        panels = [next(p for p in common if p.name == name) for name in options.what]
    else:
        panels = [p for p in common if any(other[p.name].shown(r) for other, r in zip(offered, results))] or common
    pairs = []
    for panel in panels:
        own = [(result, other[panel.name]) for result, other in zip(results, offered)]
        if len(results) > 1 and (joined := panel.together(results)):
            pairs.append([(results[0], Panel(panel.name, joined))])
        else:
            pairs += [[one] for one in own] if any(panel.is_map(result) for result in results) else [own]
    return pairs if options.what else pairs[:MOST_PANELS]


def compose(results, options):
    """The figure of some results."""
    pairs = chosen(results, options)
    columns = 1 if len(pairs) == 1 else 2 if len(pairs) in (2, 4) else 3
    rows = -(-len(pairs) // columns)
    plt.rcParams["font.size"] = options.font
    figure = plt.figure(figsize=options.size or ((6.8, 10.5, 14)[columns - 1], 1.0 + 3.9 * rows), layout="constrained")
    labels = differences(results) if len(results) > 1 else [None]
    colours = (COLOURS if len(results) <= len(COLOURS)
               else [to_hex(c) for c in plt.get_cmap("turbo")(np.linspace(0.05, 0.95, len(results)))])
    looks = [Look(colour, label, len(results) == 1) for colour, label in zip(colours, labels)]
    known = set()  # labels of legends
    for place, drawn in enumerate(pairs):
        axes = figure.add_subplot(rows, columns, place + 1)
        for result, panel in drawn:
            try:
                panel.draw(result, axes, looks[results.index(result)])
            except Unusable as reason:
                if options.what:
                    raise
                axes.text(0.5, 0.5, f"The file {reason}.", ha="center", va="center", wrap=True,
                          transform=axes.transAxes, color=GREY)
        if drawn[0][1].map and len(drawn) == 1 and len(results) > 1:
            axes.set_title(looks[results.index(drawn[0][0])].label, fontsize=letters(9))
        drawn[0][0].notes += apply(axes, options)
        if options.markers is not None:
            for line in axes.get_lines():
                line.set_markersize(options.markers)
        legend(axes, known, options.legend)
    width = int(figure.get_figwidth() * 11 * FONT / options.font)
    head = options.title or (title(results[0]) if len(results) == 1 else shared_title(results))
    second = ("" if options.title or len(results) > 1
              else (plot_scan.facts if isinstance(results[0], plot_scan.ScanResult) else facts)(results[0]))
    figure.suptitle("\n".join(filter(None, [wrapped(head, width), wrapped(second, width)])), fontsize=letters(11))
    return figure


def wrapped(line, width):
    """A line broken at commas; formulas count less than their letters."""
    lines, length = [""], 0
    for part in line.split(", ") if line else []:
        size = visible_length(part)
        if lines[-1] and length + size > width:
            lines.append("")
            length = 0
        lines[-1] += (", " if lines[-1] else "") + part
        length += size + 2
    return ",\n".join(lines)


def refuse_other_files(source):
    """Throws Unusable unless it is a file of HDF5."""
    if not os.path.isfile(source):
        raise Unusable("does not exist" if not os.path.exists(source) else "is no file")
    try:
        with open(source, "rb") as file:
            start = file.read(1 << 16)
    except OSError as error:
        raise Unusable(f"could not be read: {error.strerror}") from None
    if h5py.is_hdf5(source):
        return
    if re.search(rb"^\s*(application\s*=|\[[a-z-]+\]\s*$)", start, re.MULTILINE) and b"\0" not in start:
        raise Unusable(f"is a job, not a result; run it with: strata run {source}")
    raise Unusable("is neither a result of Strata nor a job" if start else "is empty")


def load(options, stack):
    """Opens the files. Throws Unusable, OSError or KeyError with the name of the file as `source`, or
    StrataFileError."""
    results = []
    for source in options.sources:
        try:
            refuse_other_files(source)
            if is_checkpoint(source):
                raise Unusable(f"is a checkpoint; its results are in {source.partition('.checkpoint')[0]}.h5")
            with checked_file(source):
                pass
            results.append(opened(stack.enter_context(h5py.File(source)), source))
            panels_of(results[-1])
        except (Unusable, OSError, KeyError) as reason:
            reason.source = source
            raise
    if len({isinstance(r, plot_scan.ScanResult) for r in results}) > 1:
        raise WrongOption("Scans and single runs do not go into one figure.")
    return results


def draw(options):
    """Draws the picture and returns what is to be said of the results."""
    with contextlib.ExitStack() as stack:
        results = load(options, stack)
        figure = compose(results, options)
        with warnings.catch_warnings():
            warnings.filterwarnings("error", "constrained_layout not applied")
            try:
                figure.savefig(options.picture, dpi=options.dpi)
            except UserWarning:
                raise WrongOption(f"The panels do not fit into {figure.get_figwidth():g} x {figure.get_figheight():g} "
                                  "inches: give a larger --size, a smaller --font or fewer panels by --what.") from None
        plt.close(figure)
        return [f"{result.source}: {note}." for result in results for note in dict.fromkeys(result.notes)]


def print_names(options):
    with contextlib.ExitStack() as stack:
        for result in load(options, stack):
            print(f"{result.source}: {', '.join(dict.fromkeys(p.name for p in panels_of(result)))}")


def main():
    if sys.argv[1:] in (["-h"], ["--help"]) or "--help" in sys.argv:
        print(__doc__)
        return 0
    try:
        options = Options(sys.argv[1:])
        source = options.sources[0]
        if options.what == ["list"]:
            print_names(options)
            return 0
        for note in draw(options):
            print(note, file=sys.stderr)
    except WrongOption as reason:
        print(reason, file=sys.stderr)
        return 2
    except Unusable as reason:
        print(f"{getattr(reason, 'source', source)} {reason}.", file=sys.stderr)
        return 4
    except StrataFileError as reason:
        print(reason, file=sys.stderr)
        return 4
    except KeyError as missing:
        print(f"{getattr(missing, 'source', source)} lacks a part that this script plots: {missing.args[0]}.",
              file=sys.stderr)
        return 4
    except (AttributeError, LookupError, MemoryError, OSError, RuntimeError, TypeError, ValueError) as reason:
        print(f"{getattr(reason, 'source', source)} could not be plotted as {options.picture}: {reason}.",
              file=sys.stderr)
        return 4
    print(options.picture)
    return 0


if __name__ == "__main__":
    sys.exit(main())
