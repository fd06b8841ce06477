# SPDX-License-Identifier: BSD-3-Clause
"""sector.momentum = all: the table of all momenta, each against the dense matrix projected onto its sector, and the
momenta of one star, whose sectors have the same levels."""

import numpy as np

import symmetry
from checks import launch, refused, rounding, spread, tolerance
from dense import Solution


def suits(case):
    """Whether the case has the translations of a torus: equal sites, at different places."""
    model, cell = case.model, case.cell
    uniform = len(set(model.u)) <= 1 and len(set(model.energies)) <= 1
    placed = cell.kind != "custom" or case.cluster.basis == 1 or "lattice.cell-positions" in cell.keys
    return bool(case.cluster.torus) and cell.kind != "chain" and uniform and placed and not case.single


def check_momenta(case, account, options):
    job, cluster = case.job, case.cluster
    job.set("sector.momentum", "all")
    job.set("run.max-steps", 2000)
    symmetry.let_arithmetic_follow(case)
    case.solution = Solution(case.model, case.filling)
    outcome = launch(case, account, options)
    if outcome is None:
        return refused(case, account, False, ())
    values, axes = outcome.values, "xy"[:len(cluster.torus)]
    sectors = [symmetry.SectorSolution(case.model, case.filling, m, []) for m in cluster.numbers()]
    sectors = {tuple(m): s for m, s in zip(cluster.numbers(), sectors) if s.dimension}
    listed = [tuple(int(m) for m in row) for row in zip(*(values[f"momentum-{axis}"] for axis in axes))]
    own = [next((m for m in sectors if same(cluster, m, given)), None) for given in listed]
    if None in own or sorted(own) != sorted(sectors):
        return account.fail(f"momenta {listed} are not {sorted(sectors)}")
    scale, found = case.solution.scale, [sectors[m] for m in own]
    bound = 2 * tolerance(case) * spread(case) + rounding(case) * scale
    account.compare("momentum-energies", values["momentum-energies"], [s.energies[0] for s in found], bound)
    account.compare("momentum-dimensions", values["momentum-dimensions"], [s.dimension for s in found], 0)
    waves = np.array([cluster.wave_vector(m) for m in listed])
    for i, axis in enumerate(axes):
        account.compare("momentum-wave-vectors", values[f"momentum-wave-vector-{axis}"], waves[:, i], 1e-9)
    account.compare("energy of all momenta", values["energy"], case.solution.energies[0], bound)
    for given, energy in zip(listed, values["momentum-energies"]):
        name = "energy-momentum-" + "-".join(map(str, given))  # of the first momentum of a star
        account.compare("energy-momentum-m", values.get(name, energy), energy, 0)
    for i, s in enumerate(found):
        first = int(np.argmax(values["momentum-stars"] == values["momentum-stars"][i]))
        account.compare("levels of a star", s.energies, found[first].energies, 1e-9 * scale)
        several = int(np.sum(s.energies - s.energies[0] <= 1e-10 * scale))
        told, least = (values[name][i] if name in values else np.nan
                       for name in ("momentum-degeneracies", "momentum-degeneracies-at-least"))
        if several == int(np.sum(s.energies - s.energies[0] <= 1e-6 * scale)):
            account.claim("momentum-degeneracies", not np.isfinite(told) or told == several, f"{told} of {several}")
            account.claim("momentum-degeneracies-at-least", not least > several, f"{least} of {several}")
    return None


def same(cluster, m, n):
    """Whether two lists of wave numbers mean one momentum."""
    turns = cluster.fractions(np.array(m)) - cluster.fractions(np.array(n))
    return abs(turns - np.round(turns)).max() < 1e-9
