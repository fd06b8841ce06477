#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""Plots a result file of strata: NAME.h5 -> NAME.png.

A scan is shown as curves of its quantities over a scanned key (plot_scan.py); Ising runs as their series, their
distributions and the running mean of the energy against the exact value. Lanczos: convergence, E(k), spectra, averages over the
temperature, or occupations in time. Spin dynamics: Sz of all spins in time (the light cone of a domain wall or a flipped
spin), or curves of single spins, energy and echo. Kronecker: histograms of the patches and of their operations. Density-
matrix renormalization: energy against truncation error, entropy of every bond, densities, correlations.

    jobs/plot.py out/ising-2d-critical.h5 [picture.png]
"""

import sys

import h5py
import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt  # noqa: E402
import numpy as np  # noqa: E402

import plot_scan  # noqa: E402

BLUE, RED, GREY = "#2060a0", "#c03020", "#808080"


class Unusable(Exception):
    """Why a file cannot be plotted, as the end of a sentence that begins with its name."""


def text(value):
    return value.decode() if isinstance(value, bytes) else str(value)


def column(group, name):
    return group[name][:] if name in group else None


def plot_point(file, figure):
    series, results = file["series"], file["results"]
    energy, magnetisation = series["energy"][:], series["absolute-magnetisation"][:]
    sweeps = np.arange(1, len(energy) + 1)
    thin = slice(None, None, max(1, len(energy) // 4000))

    axes = figure.add_subplot(2, 2, 1)
    axes.plot(sweeps[thin], energy[thin], color=BLUE, lw=0.5)
    axes.set_xlabel("observation")
    axes.set_ylabel("energy per site [J]")

    axes = figure.add_subplot(2, 2, 2)
    running = np.cumsum(energy) / sweeps
    error = results["energy"]["error"][0]
    spread = error * np.sqrt(len(energy) / sweeps)
    start = max(10, len(energy) // 100)
    axes.fill_between(sweeps[start:], (running - spread)[start:], (running + spread)[start:], color=BLUE, alpha=0.2, lw=0)
    axes.plot(sweeps[start:], running[start:], color=BLUE, label="running mean, one sigma")
    reference = column(results["energy"], "reference")
    if reference is not None and np.isfinite(reference[0]):
        axes.axhline(reference[0], color=RED, lw=1, label="exact")
    axes.set_xscale("log")
    axes.set_xlabel("observation")
    axes.set_ylabel("energy per site [J]")
    axes.legend(frameon=False)

    axes = figure.add_subplot(2, 2, 3)
    axes.hist(magnetisation, bins=60, density=True, color=BLUE, alpha=0.7)
    axes.set_xlabel("|m|")
    axes.set_ylabel("density")

    axes = figure.add_subplot(2, 2, 4)
    axes.hist(series["largest-cluster"][:], bins=60, density=True, color=GREY, alpha=0.7)
    axes.set_xlabel("largest cluster [fraction of sites]")
    axes.set_ylabel("density")


def plot_energies(file, figure):
    series = file["series"]
    axes = figure.add_subplot(1, 2, 1)
    energies = series["energy"][:]
    axes.plot(np.arange(1, len(energies) + 1), energies, color=BLUE)
    axes.axhline(file["results/energy/value"][0], color=RED, lw=1)
    axes.set_xlabel("Lanczos step")
    axes.set_ylabel("lowest energy")
    axes = figure.add_subplot(1, 2, 2)
    axes.semilogy(np.arange(1, len(energies) + 1), series["residual-estimate"][:], color=BLUE)
    axes.set_xlabel("Lanczos step")
    axes.set_ylabel("residual")


def plot_momenta(file, figure):
    """The lowest energy of every momentum."""
    results = file["results"]
    energies = results["momentum-energies/value"][:]
    kx = results["momentum-wave-vector-x/value"][:]
    axes = figure.add_subplot(1, 1, 1)
    if "momentum-wave-vector-y" in results:
        ky = results["momentum-wave-vector-y/value"][:]
        picture = axes.scatter(kx / np.pi, ky / np.pi, c=energies, s=160, cmap="viridis", edgecolors=GREY)
        axes.plot(kx[energies.argmin()] / np.pi, ky[energies.argmin()] / np.pi, "*", color=RED)
        figure.colorbar(picture, ax=axes, label="lowest energy")
        axes.set_xlabel(r"$k_x / \pi$")
        axes.set_ylabel(r"$k_y / \pi$")
        return
    order = kx.argsort()
    axes.plot(kx[order] / np.pi, energies[order], "o-", color=BLUE, ms=4, lw=0.8)
    axes.axhline(energies.min(), color=RED, lw=1)
    axes.set_xlabel(r"$k / \pi$")
    axes.set_ylabel("lowest energy")


def plot_spectrum(file, figure):
    series = file["series"]
    names = sorted((n for n in series if n.startswith("momentum")), key=lambda n: [int(m) for m in n.split("-")[1:]])
    axes = figure.add_subplot(1, 1, 1)
    step = 1.1 * max(series[n][:].max() for n in names)
    for i, name in enumerate(names):
        axes.plot(series["omega"][:], series[name][:] + i * step, color=BLUE, lw=1)
        axes.text(series["omega"][0], (i + 0.1) * step, name.removeprefix("momentum-").replace("-", ","), fontsize=8)
    axes.set_xlabel("omega")
    axes.set_ylabel("intensity, one curve for each wave vector")


def plot_thermal(file, figure):
    results = file["results"]
    for i, name in enumerate(("energy", "specific-heat", "entropy")):
        axes = figure.add_subplot(1, 3, i + 1)
        axes.errorbar(results["temperature"]["value"][:], results[name]["value"][:], column(results[name], "error"),
                      fmt="o", ms=3, color=BLUE, capsize=2)
        axes.set_xlabel("temperature")
        axes.set_ylabel(name)


def plot_evolution(file, figure):
    series = file["series"]
    names = sorted((n for n in series if n.startswith("occupation")), key=lambda n: (n.split("-")[:-1], int(n.split("-")[-1])))
    axes = figure.add_subplot(1, 1, 1)
    image = axes.imshow([series[n][:] for n in names], aspect="auto", origin="lower", cmap="viridis",
                        extent=(series["time"][0], series["time"][-1], -0.5, len(names) - 0.5))
    axes.set_xlabel("time")
    axes.set_ylabel("site" if names[0].count("-") == 1 else "site of down, then of up")
    figure.colorbar(image, label="occupation")


def spin_columns(series, axis):
    return sorted((n for n in series if n.startswith(axis + "-")), key=lambda n: int(n.split("-")[1]))


def over_samples(series, name):
    """Mean and standard error of a column over its random states, one row per observation of a state."""
    values = series[name][:]
    samples = series["sample"][:] if "sample" in series else np.zeros(len(values))
    parts = [values[samples == sample] for sample in np.unique(samples)]
    rows = max(map(len, parts))
    parts = np.array([part for part in parts if len(part) == rows])  # without states under way
    return parts.mean(axis=0), parts.std(axis=0, ddof=1) / np.sqrt(len(parts)) if len(parts) > 1 else np.zeros(rows)


def elapsed(series):
    """Time that has passed at each observation: on the way back of an echo the column `time` runs back."""
    time, _ = over_samples(series, "time")
    return time[0] + np.concatenate([[0], np.cumsum(np.abs(np.diff(time)))])


def plot_light_cone(file, figure):
    series = file["series"]
    spins = [over_samples(series, name)[0] for name in spin_columns(series, "sz")]
    axes = figure.add_subplot(1, 1, 1)
    image = axes.pcolormesh(np.arange(len(spins)), elapsed(series), np.transpose(spins), shading="nearest",
                            cmap="RdBu_r", vmin=-0.5, vmax=0.5)
    axes.set_xlabel("spin")
    axes.set_ylabel("time")
    figure.colorbar(image, label="Sz")


def plot_decay(file, figure):
    series = file["series"]
    time = elapsed(series)
    spins = spin_columns(series, "sz")
    others = [name for name in ("energy", "loschmidt-echo") if name in series]
    panels = bool(spins) + len(others)
    if panels == 0:
        raise Unusable("has neither Sz nor energy nor echo, of which this script has plots")
    first = f"sz-{key(file, 'state.spin') or 0}"
    for i, name in enumerate(([first] if spins else []) + others):
        axes = figure.add_subplot(panels, 1, i + 1)
        if name == first:
            for other in spins:
                axes.plot(time, over_samples(series, other)[0], color=GREY, lw=0.4, alpha=0.6)
        mean, error = over_samples(series, name)
        axes.fill_between(time, mean - error, mean + error, color=BLUE, alpha=0.3, lw=0)
        axes.plot(time, mean, color=BLUE)
        axes.set_ylabel(f"Sz of spin {first[3:]}" if name == first else name)
        if key(file, "run.echo") == "yes":
            axes.axvline(time[-1] / 2, color=RED, lw=0.8)
    axes.set_xlabel("time")


def plot_trotter(file, figure):
    walls = key(file, "state.initial") in ("domain-wall", "flipped") and spin_columns(file["series"], "sz")
    (plot_light_cone if walls else plot_decay)(file, figure)


def key(file, name):
    return text(file["job/keys"].attrs.get(name, ""))


def plot_lanczos(file, figure):
    tasks = {"states": plot_energies, "spectrum": plot_spectrum, "thermal": plot_thermal, "evolution": plot_evolution}
    task = key(file, "run.task")
    if task not in tasks:
        raise Unusable(f"is of lanczos {task}, of which this script has no plot")
    momenta = task == "states" and "momentum-energies" in file["results"]
    (plot_momenta if momenta else tasks[task])(file, figure)


def plot_kronecker(file, figure):
    """Histograms of the patches and of their operations, and where the work lies; beside them a run's convergence."""
    results, series = file["results"], file["series"]
    rows, columns, flops = (results[f"patch-{name}"]["value"][:] for name in ("rows", "columns", "flops"))
    axes = figure.add_subplot(2, 2, 1)
    bins = np.linspace(0, max(columns.max(), rows.max()) + 1, 31)
    axes.hist(columns, bins, color=BLUE, alpha=0.7, label="l, left block")
    axes.hist(rows, bins, color=RED, alpha=0.7, label="r, right block")
    axes.set_xlabel("states of a patch")
    axes.set_ylabel("patches")
    axes.set_yscale("log")
    axes.legend(frameon=False)

    axes = figure.add_subplot(2, 2, 2)
    axes.hist(np.log10(flops), 30, color=BLUE)
    axes.set_xlabel("log10 of the operations of a patch")
    axes.set_ylabel("patches")

    axes = figure.add_subplot(2, 2, 3)
    share = np.sort(flops)[::-1] / flops.sum()
    axes.plot(np.arange(1, len(share) + 1), np.cumsum(share), ".-", color=BLUE)
    axes.set_xlabel("largest patches")
    axes.set_ylabel("share of all operations")
    axes.set_ylim(0, 1.02)

    axes = figure.add_subplot(2, 2, 4)
    if "residual-estimate" in series:
        axes.semilogy(np.maximum(series["residual-estimate"][:], 1e-300), color=BLUE)
        axes.set_xlabel("step")
        axes.set_ylabel("residual, estimated")
    else:
        image = axes.scatter(rows, columns, s=10, c=np.log10(flops), cmap="viridis")
        axes.set_xlabel("r")
        axes.set_ylabel("l")
        figure.colorbar(image, label="log10 of the operations")


def plot_truncation(file, axes):
    """How far the energy of every sweep lies above the extrapolated one, against what it discarded."""
    series, results = file["series"], file["results"]
    energy, discarded = series["energy"][:][1::2], series["truncation-error"][:][1::2]
    if "energy-extrapolated" not in results or not len(energy):
        energy, discarded = series["energy"][:], series["truncation-error"][:]
    best = min(energy.min(), results["energy-extrapolated"]["value"][0] if "energy-extrapolated" in results else np.inf)
    smallest = 1e-16
    axes.loglog(np.maximum(discarded, smallest), np.maximum(energy - best, smallest), ".-", color=BLUE, lw=0.8)
    for states, x, y in zip(series["states"][:][-len(discarded) * 2 + 1::2], discarded, energy - best):
        axes.annotate(f"{states:.0f}", (max(x, smallest), max(y, smallest)), fontsize=7, color=GREY)
    axes.set_xlabel("truncation error (rounding below 1e-15); numbers: states kept")
    axes.set_ylabel(f"energy above {best:.9g}")


def plot_profile(axes, x, values, xlabel, ylabel):
    axes.plot(x, values, ".-", color=BLUE)
    axes.set_xlabel(xlabel)
    axes.set_ylabel(ylabel)


def plot_densities(results, axes):
    if "sz" in results:
        sz = results["sz"]["value"][:]
        plot_profile(axes, np.arange(len(sz)), sz, "site", "Sz")
        return
    up, down = (results[f"density-{spin}"]["value"][:] for spin in ("up", "down"))
    axes.plot(up + down, ".-", color=BLUE, label="electrons")
    axes.plot((up - down) / 2, ".-", color=RED, label="Sz")
    axes.plot(results["double-occupancy"]["value"][:], ".-", color=GREY, label="double occupancy")
    axes.set_xlabel("site")
    axes.legend(frameon=False)


def plot_correlations(results, axes):
    """Connected correlations with a site in the middle."""
    sites = len(results["sz" if "sz" in results else "density-up"]["value"])
    middle = sites // 2
    densities = {"spin": results["sz"]["value"][:]} if "sz" in results else {}
    if not densities:
        up, down = (results[f"density-{spin}"]["value"][:] for spin in ("up", "down"))
        densities = {"spin": (up - down) / 2, "density": up + down}
    names = {"spin": "Sz Sz", "density": "n n", "pair": "pairs"}
    for name, colour in zip(names, (BLUE, RED, GREY)):
        if f"{name}-correlations" not in results:
            continue
        values = results[f"{name}-correlations"]["value"][:].reshape(sites, sites)[middle]
        if name in densities:
            values = values - densities[name][middle] * densities[name]
        others = np.arange(sites) != middle
        axes.semilogy(np.arange(sites)[others], np.maximum(abs(values[others]), 1e-16), ".-", color=colour, label=names[name])
    axes.set_xlabel(f"site; correlated with site {middle}")
    axes.set_ylabel("|connected correlation|")
    axes.legend(frameon=False)


def plot_levels(results, axes):
    """Energies of several states above the lowest one."""
    gaps, errors = results["gaps"]["value"][:], results["gaps"]["error"][:]
    axes.errorbar(np.arange(1, len(gaps) + 1), gaps, errors, fmt="_", ms=24, color=BLUE)
    axes.set_xlim(0.3, len(gaps) + 0.7)
    axes.set_xticks(np.arange(1, len(gaps) + 1))
    axes.set_ylim(bottom=0)
    axes.set_xlabel("state")
    axes.set_ylabel(f"energy above {results['energy']['value'][0]:.9g}")


def plot_entanglement(results, bonds, axes):
    """Levels -ln p of the weights p at each bond."""
    weights = results["entanglement-spectrum"]["value"][:].reshape(bonds, -1)
    bond = np.arange(bonds)[:, None] + 0.5 + 0 * weights
    present = weights > 1e-14
    axes.plot(bond[present], -np.log(weights[present]), "_", color=BLUE, ms=4)
    axes.set_xlabel("bond, by the sites beside it")
    axes.set_ylabel("entanglement spectrum, -ln p")


def plot_dmrg(file, figure):
    results = file["results"]
    if "gaps" in results:
        plot_levels(results, figure.add_subplot(2, 3, 1))
    else:
        plot_truncation(file, figure.add_subplot(2, 3, 1))
    # The states of a degenerate level have no entropies: these would depend on how the states were mixed.
    names = ["entropies"] + [f"entropies-state-{i}" for i in range(1, len(results["states"]["value"]))]
    profiles = [(name, results[name]["value"][:]) for name in names if name in results]
    if profiles:
        axes = figure.add_subplot(2, 3, 2)
        for name, entropies in profiles:
            style = {"color": BLUE} if name == "entropies" else {"color": GREY, "lw": 0.8}
            axes.plot(np.arange(len(entropies)) + 0.5, entropies, ".-" if name == "entropies" else "-", **style)
        axes.set_xlabel("bond, by the sites beside it")
        axes.set_ylabel("entanglement entropy")
    if "entanglement-spectrum" in results:
        plot_entanglement(results, len(profiles[0][1]), figure.add_subplot(2, 3, 3))
    axes = [figure.add_subplot(2, 3, i) for i in (4, 5, 6)]
    if "bond-energies" not in results:  # measured at the end of the run
        for a in axes:
            a.set_axis_off()
        return
    plot_densities(results, axes[0])
    bonds = results["bond-energies"]["value"][:]
    plot_profile(axes[1], np.arange(len(bonds)), bonds, "bond of the lattice", "bond energy")
    if "spin-correlations" in results:
        plot_correlations(results, axes[2])
    else:
        axes[2].set_axis_off()


def title_dmrg(file):
    extents = key(file, "lattice.extents").replace(",", " x ")
    sector = ", ".join(f"{name} {key(file, 'sector.' + name)}" for name in ("up", "down") if key(file, "sector." + name))
    return f"{key(file, 'model.type')} model, {key(file, 'lattice.type')} {extents}".strip() + (f", {sector}" if sector else "")


def title_kronecker(file):
    return (f"Kronecker target, {key(file, 'model.sites')} sites, M = {key(file, 'model.saved-states')}, "
            f"K = {key(file, 'model.operators')}, width {key(file, 'model.width')}")


def title_swendsen_wang(file):
    return "Ising model, " + key(file, "lattice.extents").replace(",", " x ") + " sites"


def title_lanczos(file):
    extents = key(file, "lattice.extents").replace(",", " x ")
    return (key(file, "lattice.type") or "Lanczos") + (f", {extents} cells" if extents else "")


def title_trotter(file):
    place = (key(file, "lattice.type") + " " + key(file, "lattice.extents").replace(",", " x ")).strip()
    return f"{key(file, 'model.type')} spins, {place or 'terms'}, from {key(file, 'state.initial')}"


# By the attribute `application` of /job: what draws a result file, and its title.
APPLICATIONS = {"swendsen-wang": (plot_point, title_swendsen_wang), "lanczos": (plot_lanczos, title_lanczos),
                "trotter": (plot_trotter, title_trotter), "kronecker": (plot_kronecker, title_kronecker),
                "dmrg": (plot_dmrg, title_dmrg)}


def draw_scan(file, target):
    if not file.attrs["done"]:
        raise Unusable("has no results yet")
    figure = plt.figure(figsize=(11, 7))
    figure.suptitle(plot_scan.title(file))
    try:
        plot_scan.plot(file, figure)
    except LookupError as reason:
        raise Unusable(str(reason.args[0])) from reason
    figure.tight_layout()
    figure.savefig(target, dpi=130)


def draw(source, target):
    """Throws Unusable with the end of a sentence about the file, or OSError."""
    with h5py.File(source) as file:
        form = text(file.attrs.get("format", ""))
        if form == "strata-scan":
            return draw_scan(file, target)
        if form != "strata-result":
            if "header" in file and "state" in file:
                raise Unusable("is a checkpoint; its results are in NAME.h5")
            raise Unusable("is no result file of strata")
        series = file["series"]
        if not len(file["results"]) or any(len(series[name]) == 0 for name in series):
            raise Unusable("has no results yet")
        application = text(file["job"].attrs["application"])
        if application not in APPLICATIONS:
            raise Unusable(f"is of {application}, of which this script has no plot")
        plot, title = APPLICATIONS[application]
        steps = "" if file.attrs["complete"] else f" (after {file.attrs['steps']} of {file.attrs['total_steps']} steps)"
        figure = plt.figure(figsize=(11, 7))
        figure.suptitle(title(file) + steps)
        plot(file, figure)
        figure.tight_layout()
        figure.savefig(target, dpi=130)


def main():
    if len(sys.argv) not in (2, 3) or sys.argv[1].startswith("-"):
        asked = sys.argv[1:2] in (["-h"], ["--help"])
        print(__doc__, file=sys.stdout if asked else sys.stderr)
        return 0 if asked else 2
    source = sys.argv[1]
    target = sys.argv[2] if len(sys.argv) == 3 else source.removesuffix(".h5") + ".png"
    try:
        draw(source, target)
    except Unusable as reason:
        print(f"{source} {reason}.", file=sys.stderr)
        return 4
    except KeyError as missing:
        print(f"{source} lacks a part that this script plots: {missing.args[0]}.", file=sys.stderr)
        return 4
    except (OSError, RuntimeError, ValueError) as reason:  # ValueError: an unknown kind of picture
        print(f"{source} could not be plotted as {target}: {reason}.", file=sys.stderr)
        return 4
    print(f"{target}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
