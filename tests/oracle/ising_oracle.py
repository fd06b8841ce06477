#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""Random tiny Ising lattices through the program, every printed number against the enumeration of all states; cluster
numbers against the enumeration of all bonds in the random-cluster representation of Fortuin and Kasteleyn."""

import functools
import itertools
import math
import os
import random
import sys

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import numpy as np

import program

SIGMAS = 5.0
MOST_SITES, MOST_BONDS = 18, 18


def neighbours(extents):
    """Pairs of neighbours of the periodic lattice; with an extent of 2 every pair along it comes twice."""
    sites = list(itertools.product(*map(range, extents)))
    place = {site: i for i, site in enumerate(sites)}
    pairs = []
    for site in sites:
        for axis, extent in enumerate(extents):
            other = list(site)
            other[axis] = (other[axis] + 1) % extent
            pairs.append((place[site], place[tuple(other)]))
    return sites, pairs


@functools.lru_cache(maxsize=64)
def all_states(extents):
    """Of every configuration: energy and magnetisation per site, structure factor at the smallest wave vector."""
    sites, pairs = neighbours(extents)
    n = len(sites)
    codes = np.arange(1 << (n - 1))  # the last spin is up: the other half has the same energy, m^2 and structure factor
    spins = [1 - 2 * ((codes >> i) & 1).astype(np.int8) for i in range(n)]
    energy = -sum((spins[i] * spins[j]).astype(np.int16) for i, j in pairs) / n
    m = sum(s.astype(np.int16) for s in spins) / n
    longest = max(extents)
    axes = [a for a, extent in enumerate(extents) if extent == longest]
    factor = 0.0
    for a in axes:
        wave = [np.exp(2j * math.pi * site[a] / longest) for site in sites]
        factor = factor + abs(sum(w * s for w, s in zip(wave, spins))) ** 2 / n / len(axes)
    return energy, abs(m), factor


@functools.lru_cache(maxsize=64)
def all_bonds(extents):
    """Of every set of open bonds between neighbours (a pair that comes twice is one bond here): how many single and
    double ones are open, clusters, the largest one."""
    sites, pairs = neighbours(extents)
    n = len(sites)
    unordered = [tuple(sorted(p)) for p in pairs]
    single = sorted(p for p in set(unordered) if unordered.count(p) == 1)
    double = sorted(p for p in set(unordered) if unordered.count(p) == 2)
    bonds = single + double
    if len(bonds) > MOST_BONDS:
        return None
    codes = np.arange(1 << len(bonds))
    opened = [((codes >> b) & 1).astype(bool) for b in range(len(bonds))]
    labels = np.tile(np.arange(n, dtype=np.int8), (len(codes), 1))
    changed = True
    while changed:
        changed = False
        for o, (i, j) in zip(opened, bonds):
            low = np.minimum(labels[:, i], labels[:, j])
            for k in (i, j):
                new = np.where(o, low, labels[:, k])
                changed |= bool((new != labels[:, k]).any())
                labels[:, k] = new
    sizes = np.stack([(labels == i).sum(axis=1) for i in range(n)], axis=1)
    of_single = sum((o.astype(int) for o in opened[: len(single)]), np.zeros(len(codes), int))
    of_double = sum((o.astype(int) for o in opened[len(single):]), np.zeros(len(codes), int))
    return of_single, len(single), of_double, len(double), (sizes > 0).sum(axis=1), sizes.max(axis=1)


def exact_values(extents, k, beta):
    """Name -> (value, standard deviation of one independent observation, by the linear part of the function)."""
    e, m, f = all_states(extents)
    n = math.prod(extents)
    w = np.exp(-k * n * (e - e.min()))
    w /= w.sum()

    def mean(x):
        return float(w @ x)

    def spread(x):
        return math.sqrt(max(0.0, mean((x - mean(x)) ** 2)))
    m2, m4 = m**2, m**4
    average, second, fourth, absolute = mean(e), mean(m2), mean(m4), mean(m)
    squares = (e - average) ** 2
    heat = k * k * n
    length = 1 / (2 * math.sin(math.pi / max(extents)))
    ratio = n * second / mean(f)
    xi = length * math.sqrt(max(0.0, ratio - 1))
    values = {
        "energy": (average, spread(e)),
        "specific-heat": (heat * mean(squares), heat * spread(squares)),
        "magnetisation": (absolute, spread(m)),
        "magnetisation-2": (second, spread(m2)),
        "magnetisation-4": (fourth, spread(m4)),
        "binder": (1 - fourth / (3 * second**2), spread(m4 / (3 * second**2) - 2 * fourth * m2 / (3 * second**3))),
        "susceptibility": (beta * n * second, beta * n * spread(m2)),
        "susceptibility-improved": (beta * n * second, 0.0),
        "susceptibility-connected": (beta * n * (second - absolute**2), beta * n * spread(m2 - 2 * absolute * m)),
        "correlation-length": (xi, 0.0 if xi == 0 else length**2 / (2 * xi) * n * second / mean(f) ** 2 * spread(f)),
    }
    bonds = all_bonds(extents)
    if bonds is not None:
        single, singles, double, doubles, clusters, largest = bonds
        p = -math.expm1(-2 * k)
        pp = 1 - (1 - p) ** 2
        fk = p**single * (1 - p) ** (singles - single) * pp**double * (1 - pp) ** (doubles - double) * 2.0**clusters
        fk /= fk.sum()
        for name, x in (("clusters", clusters / n), ("largest-cluster", largest / n)):
            average = float(fk @ x)
            values[name] = (average, math.sqrt(max(0.0, float(fk @ (x - average) ** 2))))
    return values


def random_extents(rng):
    """And ranks: slices are whole tiles, 8 sites along the last axis of two and 4 of three, so few lattices have more."""
    if rng.random() < 0.2:
        extents = rng.choice(((2, 9), (2, 10), (2, 2, 5)))
        return extents, rng.choice((1, 2, 2))
    dimensions = rng.choice((2, 3))
    while True:
        extents = tuple(rng.randint(2, 8) for _ in range(dimensions))
        if math.prod(extents) <= MOST_SITES:
            return extents, 1


def examine(seed, index, account, state, options):
    rng = random.Random(f"ising {seed} {index}")
    extents, ranks = random_extents(rng)
    job = program.Job("swendsen-wang", ranks)
    state.update(task=f"ising {len(extents)}D", job=job)
    job.set("lattice.extents", extents)
    coupling = 1.0
    if rng.random() < 0.5:
        coupling = round(rng.uniform(0.3, 3), 3)
        job.set("model.coupling", coupling)
    # up to where a flip of one spin costs so much that too few are seen
    most = 0.85 if len(extents) == 2 else 0.5
    by_beta = rng.random() < 0.5
    betas, given = [], []
    for _ in range(rng.randint(1, 3)):
        k = math.exp(rng.uniform(math.log(0.02), math.log(most)))
        given.append(round(k / coupling if by_beta else coupling / k, 5))
        betas.append(given[-1] if by_beta else 1 / given[-1])
    job.set("model.beta" if by_beta else "model.temperature", given)
    every = rng.choice((1, 1, 2, 3))
    sweeps = rng.randint(2000, 5000)
    job.set("run.sweeps", sweeps)
    job.set("run.thermalization", rng.randint(50, 200))
    job.set("run.measure-every", every)
    job.set("run.start", rng.choice(("cold", "hot")))
    job.set("run.seed", rng.randint(1, 10**6))
    job.set("backend.threads", rng.choice((1, 1, 2)) if job.ranks == 1 else 1)
    if rng.random() < 0.3:
        job.set("run.merge", rng.choice(("auto", "exchange", "tree")))
    outcome = program.run(job, options.keep)
    if options.only:
        print(job.describe(), outcome.said, sep="\n")
    if outcome.code != 0:
        return account.fail(f"exit code {outcome.code}: {outcome.sentence()}")
    name = "beta" if by_beta else "temperature"
    account.compare(name, outcome.values[name], given, 1e-12)
    compare_points(account, outcome, [exact_values(extents, b * coupling, b) for b in betas], sweeps // every, name)
    return None


def compare_points(account, outcome, points, observations, coordinate):
    for name in outcome.values.keys() - {coordinate} - points[0].keys():
        if name not in ("clusters", "largest-cluster"):
            account.fail(f"'{name}' has no oracle")
    for name in points[0]:
        if name not in outcome.values:
            account.fail(f"'{name}' is missing")
            continue
        for i, point in enumerate(points):
            exact, spread = point[name]
            value, error = outcome.values[name][i], outcome.errors[name][i]
            if name == "correlation-length" and exact < 0.3:
                continue  # the root of a difference of noise
            # the error of so few independent observations cannot be much below what the exact spread says
            bound = SIGMAS * max(error, 0.7 * spread / math.sqrt(observations)) + 1e-9 * (1 + abs(exact))
            account.compare(name, value, exact, bound)
            if error > 1e-7 * (1 + abs(exact)):
                account.pulls[name].append((value - exact) / error)


def main():
    options = program.options_of(__doc__).parse_args()
    return program.summary(program.run_all(examine, options), options)


if __name__ == "__main__":
    sys.exit(main())
