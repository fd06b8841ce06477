# SPDX-License-Identifier: BSD-3-Clause
"""Panels of a scan over time, frequency or temperature: means over replicas of every row of their series, with standard
errors (/averages/series), and the imbalance of spins; one curve for every group of replicas."""

import numpy as np

from plot_axes import COLOURS, FEWEST_SAMPLES, GREY, LINES, RED, Panel, error_of_mean, finish, style
from plot_labels import parameter_text, text
from plot_panels import passed

# Columns that are drawn without --what: those whose names begin with one of these.
SHOWN = ("loschmidt-echo", "staggered", "entropy", "entanglement-entropy", "double-occupancy", "conductivity")
MOST_CURVES = 12


def key_value(key, value):
    """The value of a scanned key for a legend: L = 16, U = 4 t."""
    if key == "lattice.extents":
        sizes = value.split(",")
        return f"$L = {sizes[0]}$" if len(set(sizes)) == 1 else r" $\times$ ".join(sizes)
    try:
        value = f"{float(value):g}"
    except ValueError:
        pass
    return parameter_text(key, value)


def names_and_coordinate(series):
    """Columns that are single numbers, and the one coordinate of the rows; none where rows have several or none."""
    role = {name: text(data.attrs.get("role", "")) for name, data in series.items()}
    coordinates = [name for name in series if role[name] == "coordinate"]
    if len(coordinates) != 1:
        return [], None
    return [name for name, data in series.items() if name not in ("group", "sample") and name + "_error" in series
            and not text(data.attrs.get("array", ""))], coordinates[0]


def look_of(number, look):
    """Colour, line and marker of a curve."""
    turn = number // len(COLOURS) if look.alone else number
    return {"color": COLOURS[number % len(COLOURS)] if look.alone else look.colour, "ls": LINES[turn % len(LINES)],
            "marker": style(turn)[0] if turn >= len(LINES) else None}


def draw_curve(axes, look, number, label, x, mean, error):
    form = look_of(number, look)
    axes.plot(x, mean, lw=1, label=look.name(label), ms=3.5, markevery=max(1, len(x) // 20), **form)
    if error is not None:
        axes.fill_between(x, mean - error, mean + error, color=form["color"], alpha=0.3, lw=0)


def label_of(scan, number):
    return ", ".join(key_value(key, str(scan.keys[key][number])) for key in scan.varied())


def finish_rows(result, axes, coordinate, x):
    """The axis of time, with a line where an echo turns, and a logarithmic one where rows are."""
    if coordinate == "time" and result.key("run.echo") == "yes":
        axes.axvline(x[-1] / 2, color=RED, lw=0.8, ls="--", label="H is reversed")
    if coordinate == "time" and result.key("run.measure-per-decade") not in ("", "0"):
        axes.set_xscale("log")
    axes.set_xlabel(result.label(coordinate))


def draw_rows(name, coordinate):
    def draw(result, axes, look):
        series = result.file["averages/series"]
        group, x = series["group"][:], None
        for number in np.unique(group)[:MOST_CURVES]:
            rows = group == number
            x = series[coordinate][:][rows]
            x = passed(x) if coordinate == "time" else x
            error = series[name + "_error"][:][rows]
            draw_curve(axes, look, number, label_of(result.scan, number), x, series[name][:][rows],
                       error if np.isfinite(error).any() else None)
        finish_rows(result, axes, coordinate, x)
        axes.set_ylabel(result.label(name, text(series[name].attrs["unit"])))
        finish(axes)
    return draw


def draw_imbalance(result, axes, look):
    """Spin dynamics: sum_i s_i(0) s_i(t) / sum_i s_i(0)^2 of all points of a group, mean and standard error."""
    scan, series = result.scan, result.file["series"]
    owner, time = series["point"][:], series["time"][:]
    z = np.array([series[name][:] for name in result.columns("sz")]).T
    times = None
    for number, points in enumerate(scan.first[:MOST_CURVES]):
        runs = []
        for point in points:
            rows = owner == point
            if rows.any():
                start, times = z[rows][0], passed(time[rows])
                runs.append(np.nansum(z[rows] * start, axis=1) / np.nansum(start * start))
        if runs:
            draw_curve(axes, look, number, label_of(scan, number), times, np.mean(runs, axis=0),
                       error_of_mean(runs) if len(runs) >= FEWEST_SAMPLES else None)
    axes.axhline(0, color=GREY, lw=0.6)
    if times is not None:
        finish_rows(result, axes, "time", times)
    axes.set_ylabel(result.label("imbalance", "1"))


def panels(result):
    """Imbalance of spins, then every column of averages; shown are those of SHOWN."""
    found = ([Panel("imbalance", draw_imbalance)]
             if result.scan.application == "trotter" and result.columns("sz") else [])
    names, coordinate = names_and_coordinate(result.file.get("averages/series", {}))
    for name in names:
        found.append(Panel(f"{name}-over-{coordinate}", draw_rows(name, coordinate), (),
                           lambda _, shown=name.startswith(SHOWN): shown))
    return found
