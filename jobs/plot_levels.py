# SPDX-License-Identifier: BSD-3-Clause
"""Panels of plot.py: all levels of a sector or of several, by the numbers of their sectors and as a density, and the
ratios of their spacings."""

import numpy as np

from plot_axes import BLUE, GREY, RED, Panel, finish, integer_ticks

LABELS = {"momentum-x": "momentum $m$", "sz": "$S^z$", "up": r"$N_\uparrow$", "down": r"$N_\downarrow$",
          "particles": "particles $N$", "number-parity": "parity of the number"}
ENSEMBLES = ((0.386294, "independent levels", ":"), (0.5359, "random real matrices", "--"),
             (0.6027, "random complex matrices", "-."))  # Y. Atas et al., Phys. Rev. Lett. 110, 084101 (2013)


def levels_by(name):
    def draw(result, axes, look):
        x, y = result.value(f"level-{name}"), result.value("levels")
        axes.plot(x, y, "_", color=look.colour, ms=9, mew=0.8, label=look.label)
        axes.set_xlabel(LABELS[name])
        axes.set_ylabel(result.energy_label("levels $E_n$"))
        integer_ticks(axes.xaxis)
        finish(axes)
    return draw


def draw_list(result, axes, look):
    levels = result.value("levels")
    axes.plot(np.arange(len(levels)), levels, ".", color=look.colour, ms=3, label=look.label)
    axes.set_xlabel("number $n$")
    axes.set_ylabel(result.energy_label("levels $E_n$"))
    finish(axes)


def draw_density(result, axes, look):
    levels = result.value("levels")
    bins = int(np.clip(np.sqrt(len(levels)), 10, 100))
    density, edges = np.histogram(levels, bins=bins, density=True)
    axes.stairs(density, edges, color=look.colour, fill=look.alone, alpha=0.6 if look.alone else 1, label=look.label)
    axes.set_xlabel(result.energy_label("energy $E$"))
    axes.set_ylabel("share of the levels per energy")
    finish(axes)


def draw_ratios(result, axes, look):
    ratios = result.value("sector-gap-ratios")
    axes.plot(np.arange(len(ratios)), ratios, "o", color=look.colour, ms=4, label=look.label)
    if look.alone:
        for value, words, line in ENSEMBLES:
            axes.axhline(value, color=GREY if line == ":" else RED if line == "--" else BLUE, ls=line, lw=0.9,
                         label=words)
    axes.set_xlabel("number of the sector")
    axes.set_ylabel("mean ratio of spacings $r$")
    integer_ticks(axes.xaxis)
    finish(axes)


def first_label(name):
    """Whether the levels are drawn over this number without --what."""
    return lambda result: name == next((n for n in LABELS if result.has(f"results/level-{n}")), None)


LEVELS = [
    *(Panel(f"levels-{name}", levels_by(name), ("results/levels", f"results/level-{name}"), first_label(name))
      for name in LABELS),
    Panel("levels", draw_list, ("results/levels",), lambda r: not any(r.has(f"results/level-{n}") for n in LABELS)),
    Panel("density-of-levels", draw_density, ("results/levels",), lambda r: len(r.value("levels")) > 30),
    Panel("gap-ratios", draw_ratios, ("results/sector-gap-ratios",),
          lambda r: np.isfinite(r.value("sector-gap-ratios")).sum() > 1),
]
