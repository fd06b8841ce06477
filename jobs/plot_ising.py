# SPDX-License-Identifier: BSD-3-Clause
"""Panels of plot.py: Monte Carlo runs; exact values of the Ising model on the square lattice."""

import math
import os
import pathlib
import sys

import numpy as np
from matplotlib.colors import ListedColormap

from plot_axes import COLOURS, GREY, RED, SMALLEST, Panel, finish, integer_ticks, never
from plot_labels import Unusable

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "python"))
from strata_lattice.states import ising_spins, potts_states  # noqa: E402

CRITICAL = 2 / np.log(1 + np.sqrt(2))  # T_c, in J/k_B


def log_partition_function(rows, columns, k):
    """ln Z of a torus at the couplings k = J / (k_B T), without N/2 ln(2 sinh 2k) (B. Kaufman, Phys. Rev. 76, 1232
    (1949)); gamma_0 is negative above T_c."""
    k = np.asarray(k)[:, None]
    ratio = np.cosh(2 * k) ** 2 / np.sinh(2 * k)
    gamma = np.arccosh(np.maximum(1, ratio - np.cos(np.pi * np.arange(1, 2 * rows) / rows)))
    gamma = np.concatenate([2 * k + np.log(np.tanh(k)), gamma], axis=1) * columns / 2
    logs, signs = [], []
    for chosen in (gamma[:, 1::2], gamma[:, 0::2]):
        size = np.abs(chosen)
        logs += [np.sum(size + np.log1p(np.exp(-2 * size)), axis=1),
                 np.sum(size + np.log(-np.expm1(-2 * np.maximum(size, 1e-300))), axis=1)]
        signs += [np.ones(len(k)), np.prod(np.sign(chosen), axis=1)]
    most = np.max(logs, axis=0)
    return most + np.log(sum(s * np.exp(x - most) for s, x in zip(signs, logs)))


def torus(rows, columns, temperature):
    """Energy and specific heat per site at the temperatures, by differences of ln Z."""
    k, h, sites = 1 / np.asarray(temperature), 1e-4, rows * columns
    below, here, above = (log_partition_function(rows, columns, k + d) for d in (-h, 0, h))
    energy = -((above - below) / (2 * h) / sites + 1 / np.tanh(2 * k))
    heat = k**2 * ((above - 2 * here + below) / h**2 / sites - 2 / np.sinh(2 * k) ** 2)
    return energy, heat


def magnetisation(temperature):
    """|m| of the infinite lattice (C. N. Yang, Phys. Rev. 85, 808 (1952))."""
    return np.maximum(0, 1 - np.sinh(2 / np.asarray(temperature)) ** -4.0) ** 0.125


def draw_energy_mean(result, axes, look):
    """Mean of the energy over the first n observations."""
    energy, error = result.column("energy"), result.error("energy")[0]
    count = np.arange(1, len(energy) + 1)
    running, spread = np.cumsum(energy) / count, error * np.sqrt(len(energy) / count)
    start = slice(min(len(energy) // 2, max(10, len(energy) // 100)), None, max(1, len(energy) // 4000))
    axes.fill_between(count[start], (running - spread)[start], (running + spread)[start], color=look.colour, alpha=0.2,
                      lw=0)
    axes.plot(count[start], running[start], color=look.colour,
              label=look.name(None if not look.alone else "mean with error" if np.isfinite(error)
                              else "mean, error unknown"))
    exact = result.error("energy", "reference")[0]
    if np.isfinite(exact):
        axes.axhline(exact, color=RED if look.alone else look.colour, lw=1, ls="-" if look.alone else ":",
                     label="exact" if look.alone else None)
    axes.set_xscale("log")
    axes.set_xlabel("observations")
    axes.set_ylabel(result.label("energy"))
    finish(axes)


def draw_magnetisation(result, axes, look):
    """Without a field P(m) is even, so that a histogram of |m| gives both sides."""
    in_field = result.has("series/signed-magnetisation")
    size = result.column("signed-magnetisation" if in_field else "absolute-magnetisation")
    both, most = size if in_field else np.concatenate([size, -size]), largest_of(np.abs(size))
    counts, edges = np.histogram(both, bins=61, range=(-most, most), density=True)
    axes.stairs(counts, edges, color=look.colour, fill=look.alone, alpha=0.7 if look.alone else 1, label=look.label)
    axes.set_xlabel("magnetisation per site $m$")
    axes.set_ylabel("$P(m)$" if in_field else "$P(m)$, made even")


def largest_of(values):
    return 1.05 * max(SMALLEST, float(np.max(values)))


def bins_of(values, most=60):
    """Edges of at most so many bins, each over the same number of the levels that values take."""
    levels = np.unique(np.round(values, 10))
    spacing = np.min(np.diff(levels)) if len(levels) > 1 else 0
    if len(levels) < 2 or np.ptp(levels) / spacing > 1e6 or len(levels) > len(values) / 2:
        return most  # not a few levels
    width = spacing * max(1, np.ceil(np.ptp(levels) / spacing / most))
    return np.arange(levels[0] - spacing / 2, levels[-1] + width, width)


def draw_histogram(name, words):
    def draw(result, axes, look):
        values = result.column(name)
        axes.hist(values, bins=bins_of(values), density=True, color=look.colour, alpha=0.7, label=look.label,
                  histtype="stepfilled" if look.alone else "step")
        axes.set_xlabel(result.label(name))
        axes.set_ylabel(words)
        finish(axes)
    return draw


def autocorrelation(values, most):
    """Normalised autocorrelation at distances 0 .. most - 1."""
    shifted = np.fft.rfft(values - values.mean(), 2 * len(values))
    sums = np.fft.irfft(np.abs(shifted) ** 2)[:most] / np.arange(len(values), len(values) - most, -1)
    return sums / sums[0] if sums[0] > 0 else np.zeros(most)


def draw_autocorrelation(result, axes, look):
    for name, column, symbol, style in (("energy", "energy", "e", "-"),
                                        ("magnetisation", "absolute-magnetisation", "|m|", "--")):
        values, tau = result.column(column), result.error(name, "tau")[0]
        most = int(min(len(values) // 4, max(10, 10 * tau if np.isfinite(tau) else 10)))
        if most < 2:
            raise Unusable("has too few observations for an autocorrelation")
        words = rf"${symbol}$" + (rf": $\tau_{{\rm int}} = {tau:.2f}$" if np.isfinite(tau) else "")
        axes.plot(np.arange(most), autocorrelation(values, most), style, color=look.colour,
                  label=look.name(words) if look.alone or style == "-" else None)
    axes.axhline(0, color=GREY, lw=0.6)
    axes.set_xlabel("distance in observations")
    axes.set_ylabel("autocorrelation")


def checkpoint_of(result):
    """Path of the checkpoint beside a result, which holds the last spins."""
    return result.source.removesuffix(".h5") + ".checkpoint.h5"


def configuration(result):
    """States of the sites in the checkpoint, [y, x] or [z, y, x]; 0 is down and 1 up for the Ising model."""
    path = checkpoint_of(result)
    return (ising_spins(path) + 1) // 2 if int(result.key("model.states") or 2) == 2 else potts_states(path)


def name_axes(sites, axes):
    axes.set_xlabel("$x$" if sites.ndim == 2 else "$x$, in the layer $z = 0$")
    axes.set_ylabel("$y$")
    for axis in (axes.xaxis, axes.yaxis):
        integer_ticks(axis)


def draw_snapshot(result, axes, look):
    """The spins of the checkpoint; of a cubic lattice the layer z = 0."""
    states, sites = int(result.key("model.states") or 2), configuration(result)
    layer = sites if sites.ndim == 2 else sites[0]
    colours = ["white", look.colour] if states == 2 else COLOURS[:states] if states <= len(COLOURS) else None
    axes.imshow(layer, cmap=ListedColormap(colours) if colours else "viridis", vmin=-0.5, vmax=states - 0.5,
                origin="lower", interpolation="nearest")
    for state, colour in enumerate(colours or []):
        axes.plot([], [], "s", color=colour, mec=GREY,
                  label=("spin down", "spin up")[state] if states == 2 else f"state {state}")
    name_axes(sites, axes)


def bond_probability(result):
    """Probability of a bond between equal neighbours, 1 - exp(-2 J / T), of Potts models 1 - exp(-J / T)."""
    if float(result.key("model.coupling")) <= 0 or float(result.key("model.opposite-bonds") or 0) > 0:
        raise Unusable("is of no ferromagnet, whose clusters say nothing")
    coupling = float(result.key("model.coupling")) * (2 if int(result.key("model.states") or 2) == 2 else 1)
    return -math.expm1(-coupling * beta_of(result))


def beta_of(result):
    temperature = result.key("model.temperature")
    return float(result.key("model.beta") if not temperature else 1 / float(temperature) if float(temperature)
                 else math.inf)


def clusters_of(sites, probability, boundaries, seed=1):
    """Labels of the clusters of a configuration: bonds between equal neighbours are drawn with the given probability
    (C. M. Fortuin and P. W. Kasteleyn, Physica 57, 536 (1972)). boundaries: periodic or open, for each axis of the
    array."""
    draws, number = np.random.default_rng(seed), np.arange(sites.size).reshape(sites.shape)
    bonds = []
    for axis, boundary in enumerate(boundaries):
        bound = (sites == np.roll(sites, -1, axis)) & (draws.random(sites.shape) < probability)
        if boundary == "open":
            np.moveaxis(bound, axis, 0)[-1] = False
        bonds.append((number[bound], np.roll(number, -1, axis)[bound]))
    one, other = (np.concatenate(ends) for ends in zip(*bonds))
    label = number.ravel().copy()
    while len(one):
        low, high = np.minimum(label[one], label[other]), np.maximum(label[one], label[other])
        apart = low < high
        one, other = one[apart], other[apart]
        label[high[apart]] = low[apart]  # a root gets a smaller one: of several, any will do
        while not np.array_equal(label, label[label]):
            label = label[label]
    return label.reshape(sites.shape)


def draw_clusters(result, axes, look):
    """Clusters of the spins of the checkpoint, with bonds that are drawn for the picture: the largest ones in
    colours."""
    boundaries = (result.key("lattice.boundaries") or "periodic").split(",")
    sites = configuration(result)
    boundaries = boundaries * sites.ndim if len(boundaries) == 1 else boundaries[::-1]
    if "antiperiodic" in boundaries:
        raise Unusable("has antiperiodic boundaries, over which clusters have spins of both signs")
    labels = clusters_of(sites, bond_probability(result), boundaries)
    roots, sizes = np.unique(labels, return_counts=True)
    largest = roots[np.argsort(-sizes, kind="stable")][:len(COLOURS)]
    layer = labels if labels.ndim == 2 else labels[0]
    colour = len(COLOURS) + (layer * 2654435761 >> 16) % 3  # neighbouring labels rarely have the same grey
    for number, root in enumerate(largest):
        colour[layer == root] = number
    axes.imshow(colour, cmap=ListedColormap([*COLOURS, "0.97", "0.9", "0.83"]), vmin=-0.5, vmax=len(COLOURS) + 2.5,
                origin="lower", interpolation="nearest")
    axes.plot([], [], "s", color=COLOURS[0], label=f"largest cluster, {sizes.max() / sites.size:.0%} of the sites")
    axes.plot([], [], "s", color="0.9", mec=GREY, label=f"beyond the largest {len(largest)} of {len(roots)}")
    name_axes(sites, axes)


def measured_axes(result, name):
    return [axis for axis in "xyz" if result.has(f"results/{name}-{axis}")]


def draw_structure_factor(result, axes, look):
    """S(k) along the axes, without k = 0, which holds the magnetisation."""
    for axis, marker in zip(measured_axes(result, "structure-factor"), "osd"):
        name = f"structure-factor-{axis}"
        value, error = result.value(name)[1:], result.error(name)[1:]
        k = 2 * np.arange(1, len(value) + 1) / result.extents()["xyz".index(axis)]
        axes.errorbar(k, value, error, fmt=marker, ms=3, lw=0.8, color=look.colour, mfc="none",
                      label=look.name(f"along {axis}"))
    axes.set_xscale("log")
    axes.set_yscale("log")
    axes.set_xlabel(r"$k/\pi$")
    axes.set_ylabel(r"structure factor $S(k)$")


def exact_decay(result):
    """Correlation length of planes of the square lattice above T_c, 1 / (ln coth K - 2 K) (L. Onsager, Phys. Rev. 65,
    117 (1944)); None for other jobs."""
    k = square_ising_coupling(result.key) * beta_of(result)
    return 1 / (math.log(1 / math.tanh(k)) - 2 * k) if 0 < k < 1 / CRITICAL else None


def square_ising_coupling(key):
    """J of a job, key(name) of which has its keys, whose exact results are known: spins of two states, no field, bonds
    of one sign, a periodic square lattice; 0 for other jobs."""
    others = (("opposite-bonds", 0), ("field", 0), ("states", 2))
    boundaries = (key("lattice.boundaries") or "periodic").replace(" ", "").split(",")
    if (any(float(key(f"model.{name}") or plain) != plain for name, plain in others)
            or len(key("lattice.extents").split(",")) != 2 or set(boundaries) != {"periodic"}):
        return 0.0
    return max(0.0, float(key("model.coupling") or 1))


def draw_plane_correlation(result, axes, look):
    """Correlations of planes of sites at a distance, with the exact decay where it is known; logarithmic, and then only
    what is above its error, where that is at least half of them."""
    length, names = (exact_decay(result),
                     [f"plane-correlation-{axis}" for axis in measured_axes(result, "plane-correlation")])
    logarithmic = np.mean(np.concatenate([result.value(n) > np.nan_to_num(result.error(n)) for n in names])) > 0.5
    for axis, marker in zip(measured_axes(result, "plane-correlation"), "osd"):
        name, extent = f"plane-correlation-{axis}", result.extents()["xyz".index(axis)]
        value, error = result.value(name), result.error(name)
        r, known = np.arange(len(value)), (value > np.nan_to_num(error)) | (not logarithmic)
        axes.errorbar(r[known], value[known], error[known], fmt=marker, ms=3, lw=0.8, color=look.colour, mfc="none",
                      label=look.name(f"along {axis}"))
        if length and axis == measured_axes(result, "plane-correlation")[0]:
            shape = np.cosh((extent / 2 - r) / length)
            axes.plot(r[known], (shape * value[0] / shape[0])[known], color=RED if look.alone else look.colour, lw=0.8,
                      ls="--", label=look.name(rf"exact decay, $\xi = {length:.4g}$"))
    axes.set_yscale("log" if logarithmic else "linear")
    integer_ticks(axes.xaxis)
    axes.set_xlabel("distance of planes of sites")
    axes.set_ylabel(r"$\langle M(x) M(x + r)\rangle$ per site")


def draw_series(result, axes, look):
    energy = result.column("energy")
    thin = slice(None, None, max(1, len(energy) // 4000))
    axes.plot(np.arange(1, len(energy) + 1)[thin], energy[thin], color=look.colour, lw=0.5, label=look.label)
    axes.set_xlabel("observation")
    axes.set_ylabel(result.label("energy"))
    finish(axes)


def is_antiferromagnet(result):
    return result.magnet() == "antiferromagnet"


ISING = [
    Panel("energy", draw_energy_mean, ("series/energy", "results/energy")),
    Panel("magnetisation", draw_magnetisation, ("series/absolute-magnetisation",), lambda r: not is_antiferromagnet(r)),
    Panel("energy-distribution", draw_histogram("energy", "$P(e)$"), ("series/energy",)),
    Panel("autocorrelation", draw_autocorrelation, ("series/energy", "series/absolute-magnetisation")),
    Panel("structure-factor", draw_structure_factor, (lambda r: measured_axes(r, "structure-factor"),)),
    Panel("plane-correlation", draw_plane_correlation, (lambda r: measured_axes(r, "plane-correlation"),)),
    Panel("series", draw_series, ("series/energy",), never),
    Panel("snapshot", draw_snapshot, (lambda r: os.path.isfile(checkpoint_of(r)),), never, map=True),
    Panel("clusters", draw_clusters, (lambda r: os.path.isfile(checkpoint_of(r)),), never, map=True),
    Panel("largest-cluster", draw_histogram("largest-cluster", "probability density"), ("series/largest-cluster",),
          is_antiferromagnet),
]


def draw_ladder(name):
    """A quantity over the temperatures of parallel tempering."""
    def draw(result, axes, look):
        temperature, value, error = result.value("temperature"), result.value(name), result.error(name)
        axes.errorbar(temperature, value, np.nan_to_num(error), fmt=".-", ms=4, lw=0.8, color=look.colour,
                      label=look.label)
        exact = result.error(name, "reference")
        if np.isfinite(exact).any():
            axes.plot(temperature, exact, "x", color=RED if look.alone else look.colour, ms=4,
                      label="exact" if look.alone else None)
        if name == "exchange-acceptance":
            axes.set_ylim(0, 1.02)
        axes.set_xlabel(result.label("temperature"))
        axes.set_ylabel(result.label(name))
        finish(axes)
    return draw


TEMPERING = [Panel(name, draw_ladder(name), (f"results/{name}",)) for name in (
    "energy", "specific-heat", "overlap-binder", "spin-glass-susceptibility", "binder", "exchange-acceptance")]
TEMPERING += [Panel(name, draw_ladder(name), (f"results/{name}",), never) for name in (
    "magnetisation", "susceptibility", "susceptibility-connected", "correlation-length", "overlap",
    "overlap-correlation-length", "staggered-susceptibility", "staggered-binder", "signed-magnetisation",
    "largest-cluster", "clusters")]
