# SPDX-License-Identifier: BSD-3-Clause
"""Exact lines in pictures of scans of swendsen-wang, for plot.py: curves of the same torus, and T_c; each only where it
is that of all points."""

import numpy as np

from plot_axes import GREY
from plot_ising import CRITICAL, magnetisation, square_ising_coupling, torus


def key_at(result, row, name):
    """The value of a key at a point, as a text; empty if the job has none."""
    return str(result.scan.keys[name][row]) if name in result.scan.keys else result.key(name)


def draw_exact(result, name, x_key, rows, axes, colour, first):
    """Of the square Ising model: the exact curve of the torus, and the magnetisation of the infinite lattice."""
    scan = result.scan
    if (result.application != "swendsen-wang" or x_key not in ("model.temperature", "model.beta")
            or name not in ("energy", "specific-heat", "magnetisation")):
        return False
    coupling = {square_ising_coupling(lambda key, row=row: key_at(result, row, key)) for row in rows}
    sizes = {key_at(result, row, "lattice.extents") for row in rows}
    x = scan.numbers(x_key)[rows]
    if len(coupling) > 1 or len(sizes) > 1 or (coupling := coupling.pop()) <= 0 or len(x) < 2 or x.min() <= 0:
        return False
    sizes = [int(n) for n in sizes.pop().split(",")]
    fine = np.linspace(x.min(), x.max(), 400)
    temperature = (fine if x_key == "model.temperature" else 1 / fine) / coupling
    if name == "magnetisation":
        if first and "model.coupling" not in scan.keys:
            axes.plot(fine, magnetisation(temperature), color=GREY, lw=1, ls="--", zorder=0, label="infinite lattice")
        return False
    values = torus(*sizes, temperature)[0 if name == "energy" else 1]
    axes.plot(fine, values, color=colour, lw=1, zorder=0, label="lines: exact, this lattice" if first else None)
    return True


def critical_temperature(result, row):
    """T_c of the infinite square lattice, of Ising models of both signs of J and of Potts models with J > 0, as far as
    boundaries do not matter; None where there is none or it is not known."""
    coupling = float(key_at(result, row, "model.coupling") or 1)
    states = int(float(key_at(result, row, "model.states") or 2))
    if (key_at(result, row, "lattice.extents").count(",") != 1 or (coupling < 0 and states > 2)
            or any(float(key_at(result, row, f"model.{key}") or 0) != 0 for key in ("opposite-bonds", "field"))):
        return None
    return abs(coupling) * (CRITICAL if states == 2 else 1 / np.log(1 + np.sqrt(states)))


def mark_critical(result, x_key, axes, look):
    """T_c, where it is that of all points; of several files with other ones each in the colour of its curves."""
    if result.application != "swendsen-wang" or x_key not in ("model.temperature", "model.beta"):
        return
    found = {critical_temperature(result, row) for row in range(len(result.scan.first))}
    if len(found) > 1 or None in found:
        return
    place = found.pop() ** (1 if x_key == "model.temperature" else -1)
    low, high = axes.get_xlim()
    marked = [line.get_gid() for line in axes.lines if str(line.get_gid()).startswith("critical")]
    if low < place < high and (name := f"critical {place:.9g}") not in marked:
        axes.axvline(place, color=look.colour if marked else GREY, lw=0.8, ls=":", zorder=0, gid=name,
                     label="$T_c$" if x_key == "model.temperature" else r"$\beta_c$")
