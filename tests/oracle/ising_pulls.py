#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""Mean squares of (value - exact) / error of many seeds on fixed lattices from far below to far above T_c, as a table:
all near 1, or without errors and with a sentence. Exact are transfer matrices (ising_transfer.py), all states
(ising_states.py) and Kaufman's energies of the result file; numbers of clusters are compared with their own means."""

import argparse
import math
import sys

import numpy as np

import program
from ising_states import PLAIN, correlation_values, exact_values as states_values
from ising_transfer import Layers, exact_values

GLASS = ("periodic", 1, 0.5, 3)
NAMES = ("energy", "specific-heat", "magnetisation", "magnetisation-2", "binder", "susceptibility-connected",
         "structure-factor", "largest-cluster")
LOWEST, HIGHEST = 0.5, 2.0  # mean squares of 100 seeds that are taken for 1: they scatter by 0.14, and more where skew


def transfer(temperature, extents, coupling=1, q=2, periodic=None, field=0.0):
    layers = Layers(extents, coupling / temperature, q, periodic, field / temperature)
    return [exact_values(layers, 1 / temperature, 1)]


def enumerated(extents, temperatures, coupling=1, couplings=PLAIN, field=0.0, correlations=True):
    found = []
    for t in temperatures:
        values = {name: value for name, (value, _) in
                  states_values(extents, coupling / t, 1 / t, couplings, field / coupling).items()}
        if correlations:
            for name, points in correlation_values(extents, coupling / t, couplings, field / coupling, 1).items():
                values.update({f"{name}[{i}]": value for i, (value, _) in enumerate(points)})
        found.append(values)
    return found


def cases():
    """Title -> (extents, further keys, exact values of each temperature)."""
    def keys(temperature, **more):
        return {"model.temperature": temperature, "run.correlations": 1,
                **{name.replace("__", ".").replace("_", "-"): value for name, value in more.items()}}
    tempering = {"run.tempering": "0.7,1.2,2.5", "model.opposite-bonds": 0.5, "model.disorder-seed": 3,
                 "model.field": 0.3, "run.exchange-every": 2, "run.start": "hot"}
    return {
        "6 x 16, T = 1.6": ((6, 16), keys(1.6), lambda: transfer(1.6, (6, 16))),
        "7 x 29, T = 1.6": ((7, 29), keys(1.6), lambda: transfer(1.6, (7, 29))),
        "5 x 20, T = 1.8": ((5, 20), keys(1.8), lambda: transfer(1.8, (5, 20))),
        "8 x 8, T = 1.9": ((8, 8), keys(1.9), lambda: transfer(1.9, (8, 8))),
        "8 x 8, T = 2.6": ((8, 8), keys(2.6), lambda: transfer(2.6, (8, 8))),
        "8 x 8, T = 5": ((8, 8), keys(5), lambda: transfer(5, (8, 8))),
        "6 x 16, y open, T = 1.6": ((6, 16), keys(1.6, lattice__boundaries="periodic,open"),
                                    lambda: transfer(1.6, (6, 16), periodic=[True, False])),
        "6 x 16, wolff, T = 1.6": ((6, 16), keys(1.6, run__update="wolff", run__clusters_per_sweep=8),
                                   lambda: transfer(1.6, (6, 16))),
        "4 x 12, J = -1, T = 1.5": ((4, 12), keys(1.5, model__coupling=-1), lambda: [{}]),
        "4 x 8, h = 0.05, T = 1.6": ((4, 8), keys(1.6, model__field=0.05),
                                     lambda: transfer(1.6, (4, 8), field=0.05)),
        "4 x 8, q = 3, T = 0.8": ((4, 8), keys(0.8, model__states=3), lambda: transfer(0.8, (4, 8), q=3)),
        "4 x 8, q = 3, T = 1.3": ((4, 8), keys(1.3, model__states=3), lambda: transfer(1.3, (4, 8), q=3)),
        "3 x 3 x 6, T = 3.2": ((3, 3, 6), keys(3.2), lambda: transfer(3.2, (3, 3, 6))),
        "3 x 3 x 6, T = 5": ((3, 3, 6), keys(5), lambda: transfer(5, (3, 3, 6))),
        "3 x 4, signs, h = 0.3, tempering": (
            (3, 4), {**tempering, "run.sweeps": 8000},
            lambda: enumerated((3, 4), (0.7, 1.2, 2.5), couplings=GLASS, field=0.3, correlations=False)),
    }


def columns(outcome, points):
    """Name -> [point] arrays of values and errors over the seeds; members of lists have names with their index."""
    for name, errors in outcome.errors.items():
        values, errors = np.array(outcome.values[name]), np.array(errors)
        if values.ndim == 1:
            yield name, [(values, errors)]
        elif points > 1:
            yield name, [(values[:, t], errors[:, t]) for t in range(points)]
        else:
            for i in range(values.shape[1]):
                yield f"{name}[{i}]", [(values[:, i], errors[:, i])]


def pulls(title, seeds, first=1, sweeps=1000):
    """Name -> [temperature] (share of runs with an error, mean square), and what the runs said."""
    extents, keys, exact = cases()[title]
    exact = exact()
    job = program.Job("swendsen-wang")
    job.update({"lattice.extents": extents, "run.sweeps": sweeps, "run.thermalization": 100, "backend.threads": 1,
                **keys, "scan.run.seed": f"{first}:{first + seeds - 1}:1"})
    outcome = program.run(job)
    if outcome.code:
        raise SystemExit(f"{title}: {outcome.sentence()}")
    found = {}
    for name, points in columns(outcome, len(exact)):
        for (values, errors), known in zip(points, exact):
            has = np.isfinite(errors)
            target = known.get(name, np.ravel(outcome.references.get(name, math.nan))[0])
            if not math.isfinite(target) and np.isfinite(values).any():
                target = np.nanmean(values)
            square = np.mean(((values - target)[has] / errors[has]) ** 2) if has.any() else math.nan
            found.setdefault(name, []).append((has.mean(), square))
    return found, outcome.said


def cell(found, name):
    """The mean square that is farthest from 1 where at least a tenth of the runs have an error."""
    entries = [e for key, points in found.items() for e in points
               if key == name or name == "structure-factor" and key.startswith(name) and key.endswith("[1]")]
    entries = [(share, square) for share, square in entries if share >= 0.1]
    if not entries:
        return "-"
    share, square = max(entries, key=lambda e: abs(math.log(max(e[1], 1e-9))))
    return f"{square:.2f}" + (f" ({100 * share:.0f} %)" if share < 1 else "")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seeds", type=int, default=100)
    parser.add_argument("--only", action="append", help="titles that contain this")
    parser.add_argument("--check", action="store_true", help="exit code 1 if a mean square is far from 1")
    options = parser.parse_args()
    print("| lattice | " + " | ".join(NAMES) + " |\n" + "|---" * (len(NAMES) + 1) + "|")
    wrong = []
    for title in cases():
        if options.only and not any(part in title for part in options.only):
            continue
        found, said = pulls(title, options.seeds)
        print(f"| {title} | " + " | ".join(cell(found, name) for name in NAMES) + " |", flush=True)
        lacking = False
        for name, points in found.items():
            for share, square in points:
                lacking |= name.startswith(("binder", "susceptibility-connected")) and share < 1
                if share > 0.5 and not LOWEST < square < HIGHEST:
                    wrong.append(f"{title}: {name} has a mean square of {square:.2f}")
        if lacking and not any(text in said for text in ("no error: states with", "they have no", "errors are")):
            wrong.append(f"{title}: errors are missing without a sentence")
    for sentence in wrong:
        print(sentence)
    return 1 if options.check and wrong else 0


if __name__ == "__main__":
    sys.exit(main())
