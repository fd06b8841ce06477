# SPDX-License-Identifier: BSD-3-Clause
"""Averages over all sectors of a scan of run.task = thermal, for plot.py. The partition function of a sector follows
from its energy and entropy, ln Z = S - E / T; sectors add up with the weights Z."""

import numpy as np

from plot_axes import GREY, Panel, finish

NAMES = ("energy", "specific-heat", "entropy")


def sum_of_sectors(temperature, energy, heat, entropy):
    """Energy, specific heat and entropy of all sectors together, [temperature], from those of each,
    [sector][temperature]. All are totals, k_B = 1."""
    logs = entropy - energy / temperature
    largest = logs.max(axis=0)
    parts = np.exp(logs - largest)
    total = parts.sum(axis=0)
    weights = parts / total
    mean = (weights * energy).sum(axis=0)
    square = (weights * (heat * temperature**2 + energy**2)).sum(axis=0)
    return mean, (square - mean**2) / temperature**2, largest + np.log(total) + mean / temperature


def with_errors(temperature, values, errors, independent):
    """sum_of_sectors() and its errors: the changes by one standard error of each sector, added in quadrature where
    sectors have random numbers of their own, else their magnitudes: sectors of opposite S^z have equal errors. Within a
    sector the three errors are taken to have one cause and one sign."""
    sums = np.array(sum_of_sectors(temperature, *values))
    changes = []
    for sector in range(len(values[0])):
        shifted = values.copy()
        shifted[:, sector] += errors[:, sector]
        changes.append(np.abs(np.array(sum_of_sectors(temperature, *shifted)) - sums))
    return sums, np.sqrt(np.sum(np.square(changes), axis=0)) if independent else np.sum(changes, axis=0)


def possible(scan):
    """Whether the points of a scan are sectors and nothing else, all at the same temperatures."""
    varied = scan.varied()
    if (not varied or any(not key.startswith("sector.") for key in varied)
            or any(n not in scan.quantities for n in NAMES)):
        return False
    temperatures = scan.quantities.get("temperature", (np.zeros(1),))[0]
    return temperatures.ndim == 2 and bool((temperatures == temperatures[:1]).all())


def draw(name):
    def draw_sum(result, axes, look):
        scan, sites = result.scan, result.sites()
        scale = np.array([1, sites, sites])[:, None, None]  # energies of the file are totals, the others are per site
        values = np.array([scan.quantities[n][0] for n in NAMES]) * scale
        errors = np.array([np.full(values.shape[1:], np.nan) if scan.quantities[n][1] is None else scan.quantities[n][1]
                           for n in NAMES]) * scale  # NaN where a sector has none: no band there
        temperature, at = scan.quantities["temperature"][0][0], NAMES.index(name)
        sums, spread = with_errors(temperature, values, errors, result.key("scan.seeds") == "different")
        value, error = sums[at] / sites, spread[at] / sites
        axes.plot(temperature, value, ".-", color=look.colour, lw=0.9, ms=4,
                  label=look.name(f"sum of {len(values[0])} sectors"))
        axes.fill_between(temperature, value - error, value + error, color=look.colour, alpha=0.25, lw=0)
        if look.alone:
            largest = np.argmax(values[2, :, -1])
            axes.plot(temperature, values[at, largest] / sites, "--", color=GREY, lw=0.9,
                      label="the largest sector alone")
        if temperature[-1] > 30 * temperature[0]:
            axes.set_xscale("log")
        axes.set_xlabel(result.label("temperature"))
        axes.set_ylabel(result.label("energy-per-site", "energy") if name == "energy" else result.label(name))
        finish(axes)
    return draw_sum


def panels(result):
    return [Panel(name, draw(name)) for name in NAMES] if possible(result.scan) and result.sites() else []
