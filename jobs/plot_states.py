# SPDX-License-Identifier: BSD-3-Clause
"""Panels of plot.py: states of exact diagonalization."""

import numpy as np

from plot_axes import (GREY, SMALLEST, Panel, around_zero, finish, integer_ticks, momentum_axis, never, plane)
from plot_dmrg import (bonds_of, densities, draw_lattice, draw_levels, draw_profile, draw_sites, has_sz, line_of_sites,
                       on_lattice, varies)
from plot_labels import Unusable


ROUNDING = 1e-16  # least residual that is drawn


def on_square(result):
    return result.key("lattice.type") in ("square", "tilted")


def wave_vectors(result, prefix=""):
    x = result.value(prefix + "wave-vector-x")
    return x, result.value(prefix + "wave-vector-y") if result.has(f"results/{prefix}wave-vector-y") else None


# States of exact diagonalization

def draw_lanczos_convergence(result, axes, look):
    steps = np.arange(1, len(result.column("residual-estimate")) + 1)
    if result.has("series/energy") and result.has("results/energy"):
        above = np.abs(result.column("energy") - result.value("energy")[0])
        use = above > 1e-14 * max(1, abs(result.value("energy")[0]))
        axes.semilogy(np.arange(1, len(above) + 1)[use], above[use], color=look.colour,
                      label=look.name("energy above the last one" if look.alone else None))
    axes.semilogy(steps, np.maximum(result.column("residual-estimate"), ROUNDING), "--", color=look.colour, lw=0.9,
                  label="residual, estimated" if look.alone else None)
    axes.set_xlabel("Lanczos step")
    axes.set_ylabel(result.energy_label("error of the lowest state"))


def draw_momenta(result, axes, look):
    """The lowest energy of every momentum above the lowest of all."""
    energies = result.value("momentum-energies")
    kx, ky = wave_vectors(result, "momentum-")
    label = result.label("momentum-energies")
    if ky is not None:
        plane(axes, kx, ky, energies - energies.min(), label, on_square(result))
        return
    axes.plot(*around_zero(kx, energies - energies.min()), "o-", color=look.colour, ms=4, lw=0.8, label=look.label)
    momentum_axis(axes)
    axes.set_ylabel(label)
    finish(axes, SMALLEST)


def draw_over_k(name):
    """A quantity of every wave vector: a curve, or points in the plane."""
    def draw(result, axes, look):
        values = result.value(name)
        kx, ky = wave_vectors(result)
        if name == "density-structure-factor":  # without N n^2, the part of the mean density
            values[np.isclose(kx, 0) & (ky is None or np.isclose(ky, 0))] = 0
        if len(kx) != len(values):
            raise Unusable(f"has {name} of several sublattices, which has no panel")
        if ky is not None:
            plane(axes, kx, ky, values, result.label(name), on_square(result))
            return
        axes.plot(*around_zero(kx, values), "o-", color=look.colour, ms=4, lw=0.8, label=look.label)
        momentum_axis(axes)
        axes.set_ylabel(result.label(name))
        finish(axes, SMALLEST)
    return draw


def draw_from_origin(name):
    """A correlation with site 0: over the distance, or on the lattice."""
    def draw(result, axes, look):
        values = result.value(name).copy()
        if name == "density-correlation":
            density = densities(result)["density"]
            values -= density[0] * density
        positions = result.positions()
        if positions is not None and len(positions) == len(values):
            draw_lattice(axes, positions, np.where(np.arange(len(values)) > 0, values, np.nan), result.label(name),
                         True, bonds_of(result, positions))
            axes.plot(*positions[0], "*", color="black", ms=9)
            return
        axes.plot(np.arange(1, len(values)), values[1:], line_of_sites(result), color=look.colour, label=look.label)
        axes.axhline(0, color=GREY, lw=0.6)
        integer_ticks(axes.xaxis)
        axes.set_xlabel("site $j$")
        axes.set_ylabel(result.label(name))
        finish(axes, SMALLEST)
    return draw


def in_plane(result):
    return result.has("results/wave-vector-y")


def one_component(name):
    """Structure factors of electrons count two spins; of spins and spinless fermions one of them says all."""
    return lambda result: name != "density-structure-factor" or result.has("results/occupation-up") or not result.has(
        "results/spin-structure-factor")


STATES = [
    Panel("momenta", draw_momenta, ("results/momentum-energies", "results/momentum-wave-vector-x"),
          map=lambda r: r.has("results/momentum-wave-vector-y")),
    Panel("levels", draw_levels, ("results/energies",), lambda r: len(r.value("energies")) > 1),
    Panel("convergence", draw_lanczos_convergence, ("series/residual-estimate",),
          lambda r: not r.has("results/momentum-energies")),
    *(Panel(name, draw_over_k(name), (f"results/{name}", "results/wave-vector-x"), one_component(name), in_plane)
      for name in ("spin-structure-factor", "density-structure-factor", "momentum-distribution")),
    Panel("spin-correlation", draw_from_origin("spin-correlation"), ("results/spin-correlation",),
          map=lambda r: r.positions() is not None),
    Panel("density-correlation", draw_from_origin("density-correlation"), ("results/density-correlation", has_sz),
          never, map=lambda r: r.positions() is not None),
    Panel("lattice-density", draw_sites("density"), (on_lattice("density"), has_sz), never, map=True),
    Panel("lattice-sz", draw_sites("sz"), (on_lattice("sz"),), never, map=True),
    Panel("density", draw_profile("density"), (has_sz,), varies("density")),
    Panel("sz", draw_profile("sz"), (has_sz,), varies("sz")),
]
