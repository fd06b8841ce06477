# SPDX-License-Identifier: BSD-3-Clause
"""Panels of plot.py: averages over the temperature, motion in time, Kronecker targets."""

import math

import numpy as np

from plot_axes import BLUE, GREY, RED, SMALLEST, Panel, error_of_mean, finish, image, integer_ticks, never
from plot_labels import ELECTRONS, Unusable, conserves_numbers

# Averages over the temperature

def draw_thermal(name):
    def draw(result, axes, look):
        temperature, value, error = result.value("temperature"), result.value(name).copy(), result.error(name)
        sites = result.sites()
        sampled = result.application == "lanczos" and result.key("thermal.method") != "all-levels"
        if name == "energy" and sites:
            value, error = value / sites, error / sites
        axes.plot(temperature, value, ".-", color=look.colour, lw=0.8, ms=4, label=look.label)
        axes.fill_between(temperature, value - error, value + error, color=look.colour, alpha=0.25, lw=0,
                          label="one standard error" if look.alone and sampled else None)
        if name == "entropy":
            mark_negative(result, axes, temperature, value, error)
            if look.alone and result.application == "lanczos" and (states := sector_states(result, sites)):
                axes.axhline(math.log(states) / sites, color=GREY, ls=":", label="ln(states of the sector) / N")
        axes.set_xlabel(result.label("temperature"))
        inverse = name in ("compressibility", "spin-susceptibility")  # of an energy, which is no time
        axes.set_ylabel(result.label(name, "1 / energy" if inverse else None) if name != "energy" else
                        result.label("energy-per-site" if sites else "energy", "energy"))
        finish(axes)
    return draw


def mark_negative(result, axes, x, value, error):
    below = value < 0
    if below.any():
        axes.plot(x[below], value[below], "x", color=RED, ms=6, label="below 0: error of the samples")
        inside = "within two standard errors of 0" if (value[below] + 2 * error[below] >= 0).all() else \
            "some of them by more than two standard errors, so that more samples or steps are needed"
        result.notes.append(f"{below.sum()} entropies are negative, {inside}")


def sector_states(result, sites):
    """Dimension of a sector without symmetries of the lattice; 0 where it does not follow from the keys, as where Sz or
    particle numbers may not be conserved."""
    symmetries = ("momentum", "parity", "rotation", "reflection", "spin-inversion", "particle-hole")
    if not sites or any(result.key("sector." + k) not in ("", "any", "all") for k in symmetries):
        return 0
    if not conserves_numbers(result) or result.key("model.spin") not in ("", "0.5"):
        return 0
    if result.key("sector.numbers") == "all":
        return 0
    up, down, sz = (result.key("sector." + k) for k in ("up", "down", "sz"))
    if result.key("model.type") == "hubbard":
        return math.comb(sites, int(up or (sites + 1) // 2)) * math.comb(sites, int(down or sites // 2))
    if result.key("model.type") in ELECTRONS or up:
        return math.comb(sites, int(up or sites // 2))
    try:
        return math.comb(sites, round(sites / 2 + float(sz or 0.5 * (sites % 2))))
    except ValueError:
        return 0


# Motion in time

def over_samples(result, name):
    """Mean and error of a column over its random states, one row per observation of a state."""
    values = result.column(name)
    samples = result.column("sample") if result.has("series/sample") else np.zeros(len(values))
    parts = [values[samples == sample] for sample in np.unique(samples)]
    rows = max(map(len, parts))
    parts = np.array([part for part in parts if len(part) == rows])  # without states under way
    return parts.mean(axis=0), error_of_mean(parts)


def passed(time):
    """Time that has passed at each observation: on the way back of an echo the column `time` runs back."""
    return time[0] + np.concatenate([[0], np.cumsum(np.abs(np.diff(time)))])


def elapsed(result):
    return passed(over_samples(result, "time")[0])


def time_axis(result, axes, put):
    put(result.label("time"))
    if result.key("run.echo") == "yes" and put == axes.set_xlabel:
        axes.axvline(elapsed(result)[-1] / 2, color=RED, lw=0.8, ls="--", label="H is reversed")


def local_values(result, name):
    """Expectation values [site][time] of sx, sy, sz or density."""
    if columns := result.columns(name):
        return np.array([over_samples(result, n)[0] for n in columns])
    word = "occupation" if result.application == "lanczos" else "density"
    up = np.array([result.column(n) for n in result.columns(f"{word}-up")])
    down = np.array([result.column(n) for n in result.columns(f"{word}-down")])
    if len(up):
        return {"sz": (up - down) / 2, "density": up + down}[name]
    single = np.array([result.column(n) for n in result.columns("occupation")])
    return single - 0.5 if name == "sz" else single


def draw_time_map(name):
    def draw(result, axes, look):
        values = local_values(result, name)
        image(axes, np.arange(len(values)), elapsed(result), values.T, result.label(name, "1"),
              centred=name != "density")
        integer_ticks(axes.xaxis)
        axes.set_xlabel("site")
        time_axis(result, axes, axes.set_ylabel)
    return draw


def draw_cuts(result, axes, look):
    values = np.array([result.column(n) for n in result.columns("entropies")])
    image(axes, np.arange(len(values)), elapsed(result), values.T, result.label("entropy"), floor=True)
    integer_ticks(axes.xaxis)
    axes.set_xlabel("cut behind site")
    time_axis(result, axes, axes.set_ylabel)


def draw_errors(result, axes, look):
    """What a tensor-network evolution says about its errors."""
    for name, style in (("step-error", "-"), ("discarded-weight", "--")):
        if result.has(f"series/{name}"):
            values = result.column(name)
            axes.semilogy(elapsed(result)[values > 0], values[values > 0], style, color=look.colour,
                          label=look.name(name.replace("-", " ")))
    axes.set_ylabel("step error, discarded weight")
    time_axis(result, axes, axes.set_xlabel)
    finish(axes, logarithmic=(1e-17, 1e-12))


def draw_correlation(result, axes, look):
    """Real part of the correlations in time of one site with all."""
    values = np.array([result.column(name) for name in result.columns("correlation")])
    image(axes, np.arange(len(values)), elapsed(result), values.T, r"Re $C(x,t)$", centred=True)
    integer_ticks(axes.xaxis)
    axes.set_xlabel("site")
    time_axis(result, axes, axes.set_ylabel)


def moves(name):
    """Whether a local value is more than a constant and rounding."""
    return lambda result: np.ptp(local_values(result, name)) > SMALLEST


def draw_momentum_map(result, axes, look):
    values = np.array([over_samples(result, n)[0] for n in result.columns("structure-factor")])
    k = np.arange(len(values)) * 2 / (result.sites() or 2 * len(values) - 2)
    image(axes, k, elapsed(result), values.T, result.label("structure-factor", "1"), floor=True)
    axes.set_xticks(np.linspace(0, 1, 5))
    axes.set_xlabel(r"$k/\pi$")
    time_axis(result, axes, axes.set_ylabel)


def draw_profile(result, axes, look):
    """Sz over the sites at a few times; of a domain wall over (x - x_0) / t, where late times lie on one curve."""
    values, time = local_values(result, "sz"), elapsed(result)
    wall = result.key("state.initial") == "domain-wall"
    last = len(time) - 1
    if wall:  # until the ends of the chain move
        still = np.flatnonzero(np.abs(values[[0, -1]] - values[[0, -1], :1]).max(axis=0) < 0.05)
        last = max(1, still[-1] if len(still) else last)
    rows = np.unique(np.linspace(last // 3 if wall else 0, last, 4 if look.alone else 2).astype(int))
    rows = rows[time[rows] > 0] if wall else rows
    x = np.arange(len(values), dtype=float)
    for row, strength in zip(rows, np.linspace(0.35, 1, len(rows))):
        across = (x - (len(x) - 1) / 2) / time[row] if wall else x
        axes.plot(across, values[:, row], ".-", color=look.colour, alpha=strength, lw=0.9,
                  label=look.name(f"$t = {time[row]:.3g}$"))
    axes.set_xlabel("$(x - x_0)/t$" if wall else "site")
    if not wall:
        integer_ticks(axes.xaxis)
    axes.set_ylabel(result.label("sz", "1"))
    finish(axes, SMALLEST)


def draw_spins(result, axes, look):
    """Sz of every spin, one of them with the error of its mean."""
    spins, time = result.columns("sz"), elapsed(result)
    first = f"sz-{result.key('state.spin') or 0}"
    if look.alone:
        for number, name in enumerate(n for n in spins if n != first):
            axes.plot(time, over_samples(result, name)[0], color=GREY, lw=0.4, alpha=0.6,
                      label=None if number else "other spins")
    mean, error = over_samples(result, first)
    axes.fill_between(time, mean - error, mean + error, color=look.colour, alpha=0.3, lw=0)
    axes.plot(time, mean, color=look.colour, label=look.name(f"spin {first[3:]}"))
    axes.set_ylabel(result.label("sz", "1"))
    time_axis(result, axes, axes.set_xlabel)
    finish(axes, SMALLEST)


def draw_imbalance(result, axes, look):
    """sum_i s_i(0) s_i(t) / sum_i s_i(0)^2: 1 at the start, 0 when the pattern is forgotten."""
    spins = local_values(result, "sz")
    scale = (spins[:, 0] ** 2).sum()
    if scale < 1e-12:
        raise Unusable("starts without a pattern of Sz, so that there is no imbalance")
    axes.plot(elapsed(result), spins.T @ spins[:, 0] / scale, color=look.colour, label=look.label)
    axes.axhline(0, color=GREY, lw=0.6)
    axes.set_ylabel(result.label("imbalance", "1"))
    time_axis(result, axes, axes.set_xlabel)


def drift_parts(result):
    """Rows between which H is constant."""
    energy = over_samples(result, "energy")[0]
    turn = len(energy) // 2 + 1
    parts = [slice(0, turn), slice(turn, len(energy))] if result.key("run.echo") == "yes" else [slice(0, len(energy))]
    return energy, [part for part in parts if len(energy[part]) > 1]


def drifts(result):
    """Whether the energy changes by more than rounding."""
    energy, parts = drift_parts(result)
    return any(np.ptp(energy[part]) > 1e-12 for part in parts)


def draw_drift(result, axes, look):
    """H is constant apart from the turn of an echo, after which the energy has another value."""
    if any(result.key(k) for k in result.keys if k.startswith("drive.")):
        return draw_time_curve("energy")(result, axes, look)
    (energy, parts), time = drift_parts(result), elapsed(result)
    for number, part in enumerate(parts):
        drift = np.abs(energy[part] - energy[part][0])
        axes.semilogy(time[part][drift > 0], drift[drift > 0], color=look.colour,
                      label=look.label if number == 0 else None)
    finish(axes, logarithmic=(1e-17, 1e-12))  # below 1e-12 lies rounding
    axes.set_ylabel(result.label("energy-drift", "energy"))
    time_axis(result, axes, axes.set_xlabel)


def draw_time_curve(name):
    def draw(result, axes, look):
        mean, error = over_samples(result, name)
        time = elapsed(result)
        axes.fill_between(time, mean - error, mean + error, color=look.colour, alpha=0.3, lw=0)
        axes.plot(time, mean, color=look.colour, label=look.label)
        axes.set_ylabel(result.label(name))
        time_axis(result, axes, axes.set_xlabel)
        finish(axes, SMALLEST)
    return draw


# Kronecker targets

def draw_patches(result, axes, look):
    rows, columns = result.value("patch-rows"), result.value("patch-columns")
    bins = np.linspace(0, max(columns.max(), rows.max()) + 1, 31)
    axes.hist(columns, bins, color=BLUE, alpha=0.6, label="left block, l")
    axes.hist(rows, bins, color=RED, histtype="step", lw=1.2, label="right block, r")
    axes.set_xlabel("states of a patch")
    axes.set_ylabel("number of patches")
    axes.set_yscale("log")
    axes.set_ylim(bottom=0.7)


def draw_operations(result, axes, look):
    axes.hist(np.log10(np.maximum(result.value("patch-flops"), 1)), 30, color=look.colour, alpha=0.7)
    axes.set_xlabel("log10 of the operations of a patch")
    axes.set_ylabel("number of patches")


def draw_share(result, axes, look):
    share = np.sort(result.value("patch-flops"))[::-1]
    axes.plot(np.arange(1, len(share) + 1), np.cumsum(share) / share.sum(), color=look.colour, label=look.label)
    axes.set_xlabel("patches, the largest first")
    axes.set_ylabel("share of all operations")
    axes.set_ylim(0, 1.02)


def draw_sizes(result, axes, look):
    picture = axes.scatter(result.value("patch-rows"), result.value("patch-columns"), s=10,
                           c=np.log10(np.maximum(result.value("patch-flops"), 1)), cmap="viridis")
    axes.set_xlabel("states of the right block, r")
    axes.set_ylabel("states of the left block, l")
    axes.figure.colorbar(picture, ax=axes, label="log10 of the operations")


def starts_as(*names):
    return lambda result: result.key("state.initial") in names


THERMAL = [Panel(name, draw_thermal(name), (f"results/{name}", "results/temperature"))
           for name in ("energy", "specific-heat", "entropy", "particles", "compressibility", "spin-susceptibility")]
THERMAL.append(Panel("total-sz", draw_thermal("total-sz"), ("results/total-sz", "results/temperature"),
                     lambda result: np.abs(result.value("total-sz")).max() > 1e-8 * (result.sites() or 1)))
PATTERNS = ("neel", "pattern")
TROTTER = [
    Panel("sz", draw_time_map("sz"), ("series/sz-0",), lambda r: not starts_as("random", "polarised-random")(r),
          map=True),
    Panel("profile", draw_profile, ("series/sz-0",), starts_as("domain-wall", "flipped")),
    Panel("spins", draw_spins, ("series/sz-0",), starts_as("random", "polarised-random", "product", "file", "up")),
    Panel("imbalance", draw_imbalance, ("series/sz-0",), starts_as(*PATTERNS)),
    Panel("energy-drift", draw_drift, ("series/energy",), drifts),
    Panel("energy", draw_time_curve("energy"), ("series/energy",), never),
    Panel("loschmidt-echo", draw_time_curve("loschmidt-echo"), ("series/loschmidt-echo",)),
    Panel("entropy", draw_time_curve("entropy"), ("series/entropy",)),
    Panel("structure-factor", draw_momentum_map, ("series/structure-factor-0",), map=True),
    Panel("sx", draw_time_map("sx"), ("series/sx-0",), never, map=True),
    Panel("sy", draw_time_map("sy"), ("series/sy-0",), never, map=True),
    Panel("norm", draw_time_curve("norm"), ("series/norm",), never),
]
EVOLUTION = [
    *(Panel(name, draw_time_map(name), ("series/occupation-up-0",), moves(name), map=True)
      for name in ("sz", "density")),
    Panel("sz", draw_time_map("sz"), ("series/occupation-0",), lambda r: r.key("model.type") not in ELECTRONS,
          map=True),
    Panel("density", draw_time_map("density"), ("series/occupation-0",), lambda r: r.key("model.type") in ELECTRONS,
          map=True),
    Panel("imbalance", draw_imbalance, ("series/occupation-up-0",), moves("sz")),
    Panel("imbalance", draw_imbalance, ("series/occupation-0",), moves("sz")),
    Panel("double-occupancy", draw_time_curve("double-occupancy"), ("series/double-occupancy",)),
    Panel("loschmidt-echo", draw_time_curve("loschmidt-echo"), ("series/loschmidt-echo",)),
    Panel("entanglement-entropy", draw_time_curve("entanglement-entropy"), ("series/entanglement-entropy",)),
    Panel("energy-drift", draw_drift, ("series/energy",), drifts),
    Panel("norm", draw_time_curve("norm"), ("series/norm",), never),
]
TENSOR_EVOLUTION = [  # of dmrg
    *(Panel(name, draw_time_map(name), (columns,), moves(name), map=True)
      for name in ("sz", "density") for columns in ("series/density-up-0", f"series/{name}-0")),
    Panel("entropies", draw_cuts, ("series/entropies-0",), map=True),
    Panel("errors", draw_errors, ("series/discarded-weight",)),
    *(Panel("imbalance", draw_imbalance, (columns,), lambda r: r.key("evolution.start") != "ground-state" and
            np.ptp(local_values(r, "sz")) > SMALLEST) for columns in ("series/density-up-0", "series/sz-0")),
    Panel("loschmidt-echo", draw_time_curve("loschmidt-echo"), ("series/loschmidt-echo",)),
    Panel("entropy", draw_time_curve("entropy"), ("series/entropy",)),
    Panel("energy-drift", draw_drift, ("series/energy",), never),
]
TENSOR_SPECTRUM = [  # of dmrg, beside the spectrum
    Panel("correlation", draw_correlation, ("series/correlation-0",), map=True),
    Panel("errors", draw_errors, ("series/discarded-weight",), never),
]
KRONECKER = [
    Panel("patches", draw_patches, ("results/patch-rows",), map=True),
    Panel("operations", draw_operations, ("results/patch-flops",), map=True),
    Panel("share", draw_share, ("results/patch-flops",)),
    Panel("sizes", draw_sizes, ("results/patch-flops",), map=True),
]
