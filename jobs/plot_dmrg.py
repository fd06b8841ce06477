# SPDX-License-Identifier: BSD-3-Clause
"""Panels of plot.py: ground states of renormalization, and pictures of lattices."""

import numpy as np
from matplotlib.collections import LineCollection

from plot_axes import (GREY, RED, SMALLEST, Panel, central_charge, colour_scale, decay, finish, integer_ticks, largest,
                       letters, plain_log)
from plot_labels import Unusable


# Ground states of renormalization

def draw_levels(result, axes, look):
    """Energies above the lowest one, each with its error."""
    energies = np.sort(result.value("energies"))
    gaps = energies - energies[0]
    errors = np.nan_to_num(result.error("energies"))
    number = np.arange(len(gaps))
    axes.hlines(gaps, number - 0.3, number + 0.3, color=look.colour, lw=2, label=look.label)
    axes.errorbar(number, gaps, errors, fmt="none", ecolor=look.colour, capsize=2, lw=0.8)
    gaps[gaps < 1e-12 * max(1, abs(energies[0]))] = 0  # rounding
    for number, gap in enumerate(gaps[:12] if look.alone else []):
        axes.annotate(f"{gap:.4g}", (number, gap), (0, 6), textcoords="offset points", ha="center",
                      fontsize=letters(8))
    axes.margins(0.05, 0.15)
    finish(axes, SMALLEST)
    integer_ticks(axes.xaxis)
    axes.set_xlabel("state $n$")
    axes.set_ylabel(result.energy_label("energy above the lowest $E_n - E_0$"))


def densities(result):
    """Expectation values of the sites by name."""
    if result.has("results/density-up"):
        up, down = result.value("density-up"), result.value("density-down")
    elif result.has("results/occupation-up"):
        up, down = result.value("occupation-up"), result.value("occupation-down")
    elif result.has("results/occupation"):
        n = result.value("occupation")
        return {"density": n, "sz": n - 0.5}
    elif result.has("results/density"):
        return {"density": result.value("density")}
    else:
        return {"sz": result.value("sz")}
    return {"density": up + down, "sz": (up - down) / 2}


def has_density(result):
    return result.has("results/density-up") or result.has("results/density")


def has_sz(result):
    return any(result.has(f"results/{name}") for name in ("density-up", "occupation-up", "occupation", "sz"))


def varies(name):
    """Whether a local value is more than rounding and a constant, on a lattice that is a line."""
    def test(result):
        if result.positions() is not None or name not in densities(result):
            return False
        return (np.ptp(densities(result)[name]) > SMALLEST
                or (name == "density" and "double-occupancy" not in result.file["results"]))
    return test


def line_of_sites(result):
    """Values over the numbers of sites are joined where neighbours have neighbouring numbers."""
    return "." if result.positions() is None and result.key("lattice.type") in ("file", "none", "all") else ".-"


def draw_profile(name):
    def draw(result, axes, look):
        values = result.value(name) if name == "double-occupancy" else densities(result)[name]
        positions = result.positions()
        rows = [slice(None)] if positions is None else [positions[:, 1] == y for y in np.unique(positions[:, 1])]
        x = np.arange(len(values)) if positions is None else positions[:, 0]
        for number, row in enumerate(rows):
            axes.plot(x[row], values[row], line_of_sites(result), color=look.colour, alpha=1 - 0.7 * number / len(rows),
                      label=look.name(f"row {number}" if positions is not None else None))
        integer_ticks(axes.xaxis)
        axes.set_xlabel("site" if positions is None else "position along the lattice")
        axes.set_ylabel(result.label(name, "1"))
        finish(axes, SMALLEST)
    return draw


def draw_dmrg_convergence(result, axes, look):
    """How far the energy of every half sweep lies above the best value, and what it discarded."""
    rows = result.column("state") == 0 if result.has("series/state") else slice(None)
    energy, discarded, kept = (result.column(n)[rows] for n in ("energy", "truncation-error", "states"))
    best = energy.min()
    if result.has("results/energy-extrapolated") and result.value("energy-extrapolated")[0] < best:
        best = result.value("energy-extrapolated")[0]
    sweep = 0.5 * np.arange(1, len(energy) + 1)
    rounding = 1e-15 * max(1, abs(best))
    above = np.maximum(energy - best, rounding)
    shown = above > rounding if (energy - best > rounding).any() else slice(None)
    axes.semilogy(sweep[shown], above[shown], ".-", color=look.colour,
                  label=look.name(f"energy above {best:.9g}" if look.alone else None))
    if look.alone:
        shown = discarded > 1e-18
        axes.semilogy(sweep[shown], discarded[shown], ".--", color=GREY, lw=0.9, label="truncation error")
        whole = np.unique(np.linspace(1, max(1, len(energy) // 2), min(8, max(1, len(energy) // 2))).astype(int))
        axes.set_xticks(whole, [f"{n}\n{kept[min(2 * n, len(kept)) - 1]:.0f}" for n in whole])
    axes.set_xlabel("sweep; below it the bond dimension $M$" if look.alone else "sweep")
    axes.set_ylabel(result.energy_label("energy above the best"))


def particles_of(result):
    """Numbers of particles of each species, for spins of S^z quanta below the largest S^z, within one band: whole
    fillings, which have no Fermi points, are left out. None where the chain is not the same along its length or the
    numbers are not whole."""
    uniform = ("model.disorder", "model.terms", "model.range")
    several = ("model.t", "model.u", "model.potential", "model.field", "model.j")
    if (result.key("lattice.type") != "chain" or any(result.key(k) not in ("", "0", "none") for k in uniform)
            or any(len(set(result.key(k).split(","))) > 1 for k in several)):
        return None
    if result.has("results/density-up"):
        numbers = [result.value(name).sum() for name in ("density-up", "density-down") if
                   result.has(f"results/{name}")]
    elif one := [name for name in ("occupation", "density") if result.has(f"results/{name}")]:
        numbers = [result.value(one[0]).sum()]
    else:
        spins = result.value("sz")
        numbers = [len(spins) * float(result.key("model.spin") or 0.5) - spins.sum()]
    sites = result.sites()
    if any(abs(n - round(n)) > 1e-4 for n in numbers):
        return None
    return [round(n) % sites for n in numbers if round(n) % sites]


def draw_entropies(result, axes, look):
    """Entropy of every cut, with the fit of an open critical chain; grey: higher states. The states of a degenerate
    level have no entropies: these would depend on how the states were mixed."""
    for number in range(1, len(result.value("states")) if look.alone else 1):
        if result.has(name := f"results/entropies-state-{number}"):
            values = result.file[name + "/value"][:]
            axes.plot(np.arange(1, len(values) + 1), values, color=GREY, lw=0.8,
                      label="higher states" if number == 1 else None)
    values = result.value("entropies")
    cut = np.arange(1, len(values) + 1)
    particles = particles_of(result)
    fit = central_charge(cut, values, particles) if particles is not None else None
    axes.plot(cut, values, "." if fit else ".-", color=look.colour,
              label=look.name("ground state" if look.alone else None))
    if fit:
        axes.plot(cut, fit[1], color=RED if look.alone else look.colour, lw=0.9,
                  label=look.name(rf"open chain if it has no gap: roughly $c = {fit[0]:.1f}$"))
    integer_ticks(axes.xaxis)
    axes.set_xlabel("sites left of the cut")
    axes.set_ylabel(result.label("entropies", "1"))
    axes.axhline(0, color=GREY, lw=0.6)
    finish(axes, SMALLEST)


def draw_entanglement(result, axes, look):
    """Levels -ln p of the weights p at each cut."""
    bonds = len(result.value("entropies")) if result.has("results/entropies") else max(1, result.sites() - 1)
    weights = result.value("entanglement-spectrum").reshape(bonds, -1)
    cut = np.arange(1, bonds + 1)[:, None] + 0 * weights
    present = weights > 1e-14
    axes.plot(cut[present], -np.log(weights[present]), "_", color=look.colour, ms=4, label=look.label)
    integer_ticks(axes.xaxis)
    axes.set_xlabel("sites left of the cut")
    axes.set_ylabel(result.label("entanglement-spectrum", "1"))


def draw_bond_energies(result, axes, look):
    values = result.value("bond-energies")
    axes.plot(np.arange(len(values)), values, ".-", color=look.colour, lw=0.8, label=look.label)
    integer_ticks(axes.xaxis)
    axes.set_xlabel("bond $(i, i+1)$" if result.key("lattice.type") == "chain" and len(values) == result.sites() - 1
                    else "bond, in the order of the sites")
    axes.set_ylabel(result.label("bond-energies"))
    finish(axes, SMALLEST)


def pairs_of(result, kind):
    """Connected correlations [i][j]."""
    values = result.value(f"{kind}-correlations")
    sites = int(round(np.sqrt(len(values))))
    values = values.reshape(sites, sites)
    local = {"spin": "sz", "density": "density"}.get(kind)
    if local:
        one = densities(result)[local]
        values = values - np.outer(one, one)
    return values


def around_middle(table):
    """Distances to three quarters of a chain, and means of [i][j] over the pairs around the middle at each."""
    length, values = len(table), []
    distance = np.arange(1, max(2, 3 * length // 4))
    for r in distance:
        first = np.unique(np.clip((length - r) // 2 + np.array([-1, 0, 1, 2]), 0, length - r - 1))
        values.append(np.mean(table[first, first + r]))
    return distance, np.array(values)


def draw_correlations(result, axes, look):
    """Correlations over the distance, means over pairs around the middle, of a ladder or cylinder along its first leg;
    filled where they are positive."""
    positions = result.positions()
    line = np.arange(result.sites()) if positions is None else np.flatnonzero(positions[:, 1] == 0)
    drawn = ([("spin", "o", r"$S^z S^z$"), ("density", "s", "$n n$"), ("pair", "^", "pairs")] if look.alone
             else [("spin", "o", "")])
    for (kind, marker, words), colour in zip(drawn, (look.colour, RED, GREY)):
        if not result.has(f"results/{kind}-correlations"):
            continue
        distance, values = around_middle(pairs_of(result, kind)[np.ix_(line, line)])
        length, size = len(line), np.maximum(np.abs(values), 1e-300)
        use = size > 1e-12
        if not use.any():
            continue
        fit = decay(distance[: length // 2].astype(float), values[: length // 2])
        label = look.name(" ".join(part for part in (words, fit[0] if fit else "") if part))
        for sign, face in ((values > 0, colour), (values <= 0, "white")):
            if (use & sign).any():
                axes.loglog(distance[use & sign], size[use & sign], marker, color=colour, mfc=face, ms=4, label=label)
                label = None
        if fit:
            axes.loglog(distance[: length // 2], fit[1], color=colour, lw=0.8)
    if not axes.lines:
        raise Unusable("has correlations of rounding alone")
    plain_log(axes.xaxis)
    axes.set_xlabel("distance $r$ (open symbols: negative)")
    axes.set_ylabel("|connected correlation|")


# Lattices

def bonds_of(result, positions):
    """Pairs (i, j), i < j, of neighbours as renormalization lists them, and whether each wraps around a cylinder."""
    wrap = result.extents()[1] if result.key("lattice.type") == "cylinder" and result.extents()[1] > 2 else 0
    torus = (result.extents() if result.key("lattice.type") == "square" and not result.has("results/site-y")
             else [0, wrap])
    second = any(result.key(k) not in ("", "0") for k in ("model.t2", "model.j2"))
    shortest = min([1.0, *(float(d @ d) for d in np.diff(positions, axis=0))])
    pairs = []
    for i in range(len(positions)):
        for j in range(i + 1, len(positions)):
            away = np.abs(positions[j] - positions[i])
            near = np.array([min(a, n - a) if n > 2 else a for a, n in zip(away, torus)])
            length = float(near @ near)
            if length < 1.01 * shortest or (second and abs(length - 2 * shortest) < 0.01):
                pairs.append((i, j, bool((near != away).any())))
    return pairs


def draw_lattice(axes, positions, values, label, centred, bonds=(), bond_values=None, bond_label=""):
    """Sites coloured by a value, bonds between them by another; bonds around a torus as halves at both ends."""
    lines, colours = [], []
    for number, (i, j, wraps) in enumerate(bonds):
        ends = [(positions[i], positions[j])]
        if wraps:
            step = np.sign(positions[i] - positions[j]) * (np.abs(positions[j] - positions[i]) > 1)
            ends = [(positions[i], positions[i] - 0.45 * np.abs(step)),
                    (positions[j], positions[j] + 0.45 * np.abs(step))]
        lines += ends
        colours += [np.nan if bond_values is None else bond_values[number]] * len(ends)
    if lines:
        given = ({"color": GREY, "lw": 1} if bond_values is None
                 else {"array": np.array(colours), "cmap": "cividis", "lw": 4})
        drawn = axes.add_collection(LineCollection(lines, zorder=1, **given))
        if bond_values is not None:
            colour_scale(axes, drawn, bond_label, below=True)
    scale = largest(values) if centred else None
    limits = {"cmap": "RdBu_r", "vmin": -scale, "vmax": scale} if centred else {"cmap": "viridis"}
    if not centred and np.ptp(values) < SMALLEST:
        limits.update(vmin=np.mean(values) - SMALLEST / 2, vmax=np.mean(values) + SMALLEST / 2)
    width, height = np.ptp(positions, axis=0)
    picture = axes.scatter(*positions.T, c=values, s=np.clip(8000 / (width + 1) ** 2, 12, 130), edgecolors="black",
                           linewidths=0.5, zorder=2, **limits)
    colour_scale(axes, picture, label, below=width > 2 * height)
    axes.set_aspect("equal", adjustable="box")
    for put, places in ((axes.set_xlim, positions[:, 0]), (axes.set_ylim, positions[:, 1])):
        put(places.min() - 0.5, places.max() + 0.5)
    axes.set_xlabel("$x$")
    axes.set_ylabel("$y$")
    integer_ticks(axes.xaxis)
    integer_ticks(axes.yaxis)


def draw_sites(name):
    def draw(result, axes, look):
        positions = result.positions()
        bonds, values, label = bonds_of(result, positions), None, ""
        if result.has("results/bond-energies") and len(result.value("bond-energies")) == len(bonds):
            values, label = result.value("bond-energies"), result.label("bond-energies")
        elif result.has("results/spin-correlations"):
            table = pairs_of(result, "spin")
            values, label = np.array([table[i, j] for i, j, _ in bonds]), r"$\langle S^z_i S^z_j\rangle$"
        draw_lattice(axes, positions, densities(result)[name], result.label(name, "1"), name == "sz", bonds, values,
                     label)
    return draw


def only_sz(result):
    """Whether densities say nothing: spins, or electrons of equal density with a pattern of Sz."""
    local = densities(result)
    return "density" not in local or ("sz" in local and np.ptp(local["density"]) < SMALLEST < np.ptp(local["sz"]))


def on_lattice(name):
    def test(result):
        positions = result.positions()
        return (positions is not None and (has_sz(result) or has_density(result)) and name in densities(result)
                and len(positions) == len(densities(result)[name]))
    return test


DMRG = [
    Panel("levels", draw_levels, ("results/gaps", "results/energies")),
    Panel("convergence", draw_dmrg_convergence, ("series/energy", "series/truncation-error"),
          lambda r: not r.has("results/gaps")),
    Panel("lattice-density", draw_sites("density"), (on_lattice("density"),), lambda r: not only_sz(r), map=True),
    Panel("lattice-sz", draw_sites("sz"), (on_lattice("sz"),),
          lambda r: only_sz(r) or np.ptp(densities(r)["sz"]) > SMALLEST, map=True),
    Panel("entropies", draw_entropies, ("results/entropies",)),
    Panel("entanglement-spectrum", draw_entanglement, ("results/entanglement-spectrum",)),
    Panel("density", draw_profile("density"), (has_density,), varies("density")),
    Panel("sz", draw_profile("sz"), (has_sz,), varies("sz")),
    Panel("double-occupancy", draw_profile("double-occupancy"), ("results/double-occupancy",),
          lambda r: r.positions() is None),
    Panel("bond-energies", draw_bond_energies, ("results/bond-energies",), lambda r: r.positions() is None),
    Panel("correlations", draw_correlations, (lambda r: r.has("results/density-correlations")
                                              or r.has("results/spin-correlations"),),
          lambda r: r.positions() is None or r.extents()[0] >= 8),
]
