#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""Random tiny Ising and Potts lattices through the program, every printed number against the enumeration of all states; cluster
numbers against the enumeration of all bonds in the random-cluster representation of Fortuin and Kasteleyn; updates of
clusters, of single spins, and of both, also in a field, and parallel tempering of all of them. A third of
the jobs are short runs (few observations, hot or frozen lattices included), many equal ones in a scan, whose errors are
judged by the mean square of deviation / error; --pulls prints a table of these for fixed lattices instead."""

import functools
import itertools
import math
import os
import random
import sys

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import numpy as np

import program
from spin_half import philox

SIGMAS = 5.0
MOST_SITES, MOST_BONDS = 18, 18
CRITICAL = math.log(1 + math.sqrt(2)) / 2
MEANS = {"energy", "magnetisation", "magnetisation-2", "magnetisation-4", "susceptibility", "susceptibility-improved",
         "largest-cluster", "clusters"}
TOO_FEW = {True: 10, False: 20}  # observations that give no error: of means, of functions of means


PLAIN = ("periodic", 1, 0, 1)  # boundaries, sign of J, fraction of couplings -J, seed of these


def random_number(seed, site, axis):
    """In [0, 1): the number that decides the sign of the bond of a site to the next one along an axis. Tiles of 8 x 8 or
    4 x 4 x 4 sites are numbered x first; here all lattices have a single tile, or two along the last axis."""
    edge = 8 if len(site) == 2 else 4
    tile = site[-1] // edge
    assert all(x < edge for x in site[:-1])
    bit = sum(x % edge * edge**a for a, x in enumerate(site))
    value = 0.0
    for call in range(14):
        words = philox(seed, (2 * tile + bit // 32, 3 << 16 | axis << 8 | call, 0, 0))
        for level, word in enumerate(words):
            value += (word >> bit % 32 & 1) * 2.0 ** -(4 * call + level + 1)
    return value


@functools.lru_cache(maxsize=64)
def neighbours(extents, couplings=PLAIN):
    """Pairs of neighbours with the signs of their couplings; with an extent of 2 every pair along it comes twice."""
    boundaries, inverted, opposite, seed = couplings
    boundaries = boundaries.split(",") * (1 if "," in boundaries else len(extents))
    sites = list(itertools.product(*map(range, extents)))
    place = {site: i for i, site in enumerate(sites)}
    pairs = []
    for site in sites:
        for axis, extent in enumerate(extents):
            other = list(site)
            other[axis] = (other[axis] + 1) % extent
            across = site[axis] + 1 == extent
            if across and boundaries[axis] == "open":
                continue
            sign = -inverted if across and boundaries[axis] == "antiperiodic" else inverted
            if opposite and random_number(seed, site, axis) < opposite:
                sign = -sign
            pairs.append((place[site], place[tuple(other)], sign))
    return sites, pairs


@functools.lru_cache(maxsize=64)
def all_states(extents, couplings=PLAIN):
    """Of every configuration: energy and magnetisation per site, without field, structure factor at the smallest wave
    vector."""
    sites, pairs = neighbours(extents, couplings)
    n = len(sites)
    codes = np.arange(1 << (n - 1))  # the last spin is up: the other half has the same energy, m^2 and structure factor
    spins = [1 - 2 * ((codes >> i) & 1).astype(np.int8) for i in range(n)]
    energy = -sum(sign * (spins[i] * spins[j]).astype(np.int16) for i, j, sign in pairs) / n + np.zeros(len(codes))
    m = sum(s.astype(np.int16) for s in spins) / n
    longest = max(extents)
    axes = [a for a, extent in enumerate(extents) if extent == longest]
    factor = 0.0
    for a in axes:
        wave = [np.exp(2j * math.pi * site[a] / longest) for site in sites]
        factor = factor + abs(sum(w * s for w, s in zip(wave, spins))) ** 2 / n / len(axes)
    return energy, m, factor


@functools.lru_cache(maxsize=64)
def all_bonds(extents):
    """Of every set of open bonds between neighbours (a pair that comes twice is one bond here): how many single and
    double ones are open, clusters, the largest one."""
    sites, pairs = neighbours(extents)
    n = len(sites)
    unordered = [tuple(sorted(p[:2])) for p in pairs]
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


def thermal_values(extents, k, beta, e, m2, m=None):
    """Name -> (value, standard deviation of one independent observation, by the linear part of the function) of what all
    models have; the mean and the spread of any observable; from energy and m^2 per site of every configuration."""
    n = math.prod(extents)
    w = np.exp(-k * n * (e - e.min()))
    w /= w.sum()

    def mean(x):
        return float(w @ x)

    def spread(x):
        return math.sqrt(max(0.0, mean((x - mean(x)) ** 2)))
    m = np.sqrt(m2) if m is None else m
    m4, squares, heat = m2**2, (e - mean(e)) ** 2, k * k * n
    second, fourth, absolute = mean(m2), mean(m4), mean(m)
    values = {
        "energy": (mean(e), spread(e)),
        "specific-heat": (heat * mean(squares), heat * spread(squares)),
        "magnetisation": (absolute, spread(m)),
        "magnetisation-2": (second, spread(m2)),
        "magnetisation-4": (fourth, spread(m4)),
        "binder": (1 - fourth / (3 * second**2), spread(m4 / (3 * second**2) - 2 * fourth * m2 / (3 * second**3))),
        "susceptibility": (beta * n * second, beta * n * spread(m2)),
        "susceptibility-improved": (beta * n * second, 0.0),
        "susceptibility-connected": (beta * n * (second - absolute**2), beta * n * spread(m2 - 2 * absolute * m)),
    }
    return values, mean, spread


def staggered_moments(extents, couplings):
    """Of every configuration: the square of the staggered magnetisation per site."""
    sites, _ = neighbours(extents, couplings)
    codes = np.arange(1 << (len(sites) - 1))
    signs = [(-1) ** sum(site) for site in sites]
    return (sum(sign * (1 - 2 * (codes >> i & 1)) for i, sign in enumerate(signs)) / len(sites)) ** 2


def exact_values(extents, k, beta, couplings=PLAIN, field=0.0):
    """Name -> (value, standard deviation of one independent observation, by the linear part of the function). `field`
    is h / |J|."""
    e, signed, f = all_states(extents, couplings)
    n = math.prod(extents)
    if field:  # both values of the last spin
        e, signed, f = np.concatenate((e - field * signed, e + field * signed)), np.concatenate((signed, -signed)), np.tile(f, 2)
    values, mean, spread = thermal_values(extents, k, beta, e, signed**2, abs(signed))
    second, m2 = mean(signed**2), signed**2
    length = 1 / (2 * math.sin(math.pi / max(extents)))
    ratio = n * second / mean(f)
    xi = length * math.sqrt(max(0.0, ratio - 1))
    values["correlation-length"] = (xi, 0.0 if xi == 0 else length**2 / (2 * xi) * n * second / mean(f) ** 2 * spread(f))
    if field:
        average = mean(signed)
        values["signed-magnetisation"] = (average, spread(signed))
        values["susceptibility-connected"] = (beta * n * (second - average**2), beta * n * spread(m2 - 2 * average * signed))
        del values["susceptibility-improved"], values["correlation-length"]
        return values
    boundaries, inverted, opposite, _ = couplings
    positive = inverted > 0 and opposite == 0 and "antiperiodic" not in boundaries
    if not positive:
        del values["susceptibility-improved"]
    if not positive or boundaries not in ("periodic", "periodic," * (len(extents) - 1) + "periodic"):
        del values["correlation-length"]
    two_sublattices = all(extent % 2 == 0 or b == "open" for extent, b in zip(
        extents, boundaries.split(",") * (1 if "," in boundaries else len(extents))))
    if inverted < 0 and opposite == 0 and "antiperiodic" not in boundaries and two_sublattices:
        s2 = staggered_moments(extents, couplings)
        values["staggered-magnetisation-2"] = (mean(s2), 0.0)
        values["staggered-susceptibility"] = (beta * n * mean(s2), 0.0)
        values["staggered-binder"] = (1 - mean(s2**2) / (3 * mean(s2) ** 2),
                                      spread(s2**2 / (3 * mean(s2) ** 2) - 2 * mean(s2**2) * s2 / (3 * mean(s2) ** 3)))
    bonds = all_bonds(extents) if couplings == PLAIN else None
    if bonds is not None:
        values.update(cluster_values(bonds, -math.expm1(-2 * k), 2, n))
    return values


def periodic_axes(extents, couplings):
    boundaries = couplings[0].split(",") * (1 if "," in couplings[0] else len(extents))
    return [axis for axis, b in enumerate(boundaries) if b == "periodic"]


def correlation_values(extents, k, couplings, field, last):
    """Name -> [n] (value, standard deviation of an independent observation) of structure factors at 2 pi n / L and products of
    the spins of planes at distance n, along each periodic axis. `field` is h / |J|."""
    e, m, _ = all_states(extents, couplings)
    sites, n, codes = neighbours(extents, couplings)[0], math.prod(extents), np.arange(len(e))
    spins = [1 - 2 * (codes >> i & 1) for i in range(n)]
    w = sum(np.exp(-k * n * (e - sign * field * m - (e - abs(field * m)).min())) for sign in (1, -1))  # and all spins turned
    w /= w.sum()
    found = {}
    for axis in periodic_axes(extents, couplings):
        length = extents[axis]
        planes = [sum(spins[i] for i, site in enumerate(sites) if site[axis] == x) for x in range(length)]
        for j in range(min(last, length // 2) + 1):
            wave = sum(np.exp(2j * math.pi * j * x / length) * plane for x, plane in enumerate(planes))
            products = sum(plane * planes[(x + j) % length] for x, plane in enumerate(planes))
            for name, x in (("structure-factor-", abs(wave) ** 2 / n), ("plane-correlation-", products / n)):
                mean = float(w @ x)
                found.setdefault(name + "xyz"[axis], []).append((mean, math.sqrt(max(0.0, float(w @ (x - mean) ** 2)))))
    return found


def compare_correlations(account, outcome, exact, frozen, observations, independent):
    """exact: correlation_values() of each point. Removes what it compared from the outcome."""
    for name in exact[0]:
        if name not in outcome.values:
            account.fail(f"'{name}' is missing")
            continue
        value, error = outcome.values.pop(name), outcome.errors.pop(name)
        few = observations if independent else observations / 20
        for i, point in enumerate(exact):
            if not frozen[i] and np.isfinite(error[i]).any():
                mean, spread = np.array(point[name]).T
                bound = SIGMAS * np.maximum(np.nan_to_num(error[i]), 0.7 * spread / math.sqrt(few)) + 1e-9 * (1 + abs(mean))
                account.compare(name[:-2], value[i], mean, bound)


def walsh_hadamard(values):
    """sum over y of (-1)^|x & y| values[y] for every x."""
    size = 1
    while size < len(values):
        values = values.reshape(-1, 2, size)
        values = np.stack((values[:, 0] + values[:, 1], values[:, 0] - values[:, 1]), axis=1).reshape(-1)
        size *= 2
    return values


def overlap_values(extents, k, couplings, field):
    """Name -> (value, standard deviation of an independent observation) of the products s_i s'_i of two independent
    configurations, whose distribution is the convolution of that of one with itself. `field` is h / |J|."""
    e, signed, factor = all_states(extents, couplings)
    n, codes = math.prod(extents), np.arange(len(e))
    least = (e - abs(field * signed)).min()
    states = np.zeros(2 * len(e))
    states[codes] = np.exp(-k * n * (e - field * signed - least))
    states[2 * len(e) - 1 - codes] = np.exp(-k * n * (e + field * signed - least))  # all spins are turned
    states /= states.sum()
    w = walsh_hadamard(walsh_hadamard(states) ** 2) / len(states)
    q, f = np.concatenate((signed, -signed[::-1])), np.concatenate((factor, factor[::-1]))

    def mean(x):
        return float(w @ x)

    def spread(x):
        return math.sqrt(max(0.0, mean((x - mean(x)) ** 2)))
    second, fourth = mean(q**2), mean(q**4)
    values = {"overlap": (mean(abs(q)), spread(abs(q))), "overlap-2": (second, spread(q**2)),
              "overlap-binder": (1 - fourth / (3 * second**2), spread(q**4 / (3 * second**2) - 2 * fourth * q**2 / (3 * second**3))),
              "spin-glass-susceptibility": (n * second, n * spread(q**2))}
    if set(couplings[0].split(",")) == {"periodic"}:
        length, ratio = 1 / (2 * math.sin(math.pi / max(extents))), n * second / mean(f)
        xi = length * math.sqrt(max(0.0, ratio - 1))
        values["overlap-correlation-length"] = (xi, 0.0 if xi == 0 else length**2 / (2 * xi) * ratio * spread(
            q**2 / second - f / mean(f)))
    return values


@functools.lru_cache(maxsize=16)
def all_potts_states(extents, boundaries, q):
    """Of every configuration of q states, the first site in state 0: energy per site, square of the order parameter."""
    sites, pairs = neighbours(extents, (boundaries, 1, 0, 1))
    n = len(sites)
    codes = np.arange(q ** (n - 1))
    states = [np.zeros_like(codes), *(codes // q**i % q for i in range(n - 1))]
    energy = -sum((states[i] == states[j]).astype(int) for i, j, _ in pairs) / n + np.zeros(len(codes))
    shares = sum((sum(s == a for s in states) / n) ** 2 for a in range(q))
    return energy, np.abs(q * shares - 1) / (q - 1)


def exact_potts_values(extents, boundaries, q, k, beta):
    """As exact_values(), for H = -J sum delta; clusters by p = 1 - exp(-K) and weights q^clusters."""
    e, m2 = all_potts_states(extents, boundaries, q)
    values, _, _ = thermal_values(extents, k, beta, e, m2)
    bonds = all_bonds(extents) if boundaries == "periodic" else None
    if bonds is not None:
        values.update(cluster_values(bonds, -math.expm1(-k), q, math.prod(extents)))
    return values


def random_cluster_values(extents, q, k):
    """Name -> value for H = -J sum delta of any q from all sets of open bonds, of which a satisfied one is open with probability p,
    one or both of two with pp."""
    p, n = -math.expm1(-k), math.prod(extents)
    single, singles, double, doubles, clusters, largest = all_bonds(extents)
    pp = 1 - (1 - p) ** 2
    log = single * math.log(p) - k * (singles - single) + double * math.log(pp) - 2 * k * (doubles - double) + clusters * math.log(q)
    weight = np.exp(log - log.max())
    weight /= weight.sum()
    satisfied = float(weight @ (single / p + 2 * double / pp))
    return {"energy": -satisfied / n, "clusters": float(weight @ clusters) / n, "largest-cluster": float(weight @ largest) / n}


def examine_coexistence(rng, account, state, options):
    """Equal runs of many states near the transition: errors that hold, or none and a sentence."""
    extents = rng.choice(((3, 3), (2, 4), (2, 2, 2)))
    q = rng.choice((5, 10, 30, 100, 256))
    transition = math.log(1 + math.sqrt(q)) if len(extents) == 2 else math.log((q - 2) / ((q - 1) ** (2 / 3) - 1))
    k = round(transition * rng.uniform(0.7, 1.3), 5)
    job = program.Job("swendsen-wang")
    state.update(task="coexistence", job=job)
    points, seed = 20, rng.randint(1, 10**6)
    for key, value in {"lattice.extents": extents, "model.states": q, "model.beta": k, "run.sweeps": rng.choice((1000, 4000, 16000)),
                       "run.thermalization": 100, "run.start": rng.choice(("cold", "hot")), "backend.threads": 1,
                       "scan.run.seed": f"{seed}:{seed + points - 1}:1"}.items():
        job.set(key, value)
    outcome = program.run(job, options.keep)
    if options.only:
        print(job.describe(), outcome.said, sep="\n")
    if outcome.code != 0:
        return account.fail(f"exit code {outcome.code}: {outcome.sentence()}")
    for name, exact in random_cluster_values(extents, q, k).items():
        value, error = outcome.values[name], outcome.errors[name]
        has = np.isfinite(error)
        if has.any():
            account.compare(name, value[has], exact, 8 * error[has])
    return None


def cluster_values(bonds, p, q, n):
    """Clusters and the largest one in the random-cluster representation; p of a single bond."""
    single, singles, double, doubles, clusters, largest = bonds
    pp = 1 - (1 - p) ** 2
    fk = p**single * (1 - p) ** (singles - single) * pp**double * (1 - pp) ** (doubles - double) * float(q) ** clusters
    fk /= fk.sum()
    found = {}
    for name, x in (("clusters", clusters / n), ("largest-cluster", largest / n)):
        average = float(fk @ x)
        found[name] = (average, math.sqrt(max(0.0, float(fk @ (x - average) ** 2))))
    return found


def examine_potts(rng, account, state, options):
    q = rng.choice((3, 3, 4, 5, 7, 10))
    most = {3: 11, 4: 9, 5: 8, 7: 7, 10: 6}[q]
    extents = None
    while extents is None or math.prod(extents) > most:
        extents = tuple(rng.randint(2, 5) for _ in range(rng.choice((2, 2, 3))))
    boundaries = rng.choice(("periodic", "periodic", "open", ",".join(rng.choice(("open", "periodic")) for _ in extents)))
    job = program.Job("swendsen-wang")
    state.update(task=f"potts {len(extents)}D", job=job)
    coupling = rng.choice((1.0, round(rng.uniform(0.3, 3), 3)))
    most = 1.6 if len(extents) == 2 and min(extents) > 2 else 1.0  # pairs along an extent of 2 have two bonds
    betas = [round(math.exp(rng.uniform(math.log(0.05), math.log(most))) / coupling, 5) for _ in range(rng.randint(1, 2))]
    name, given = "beta", betas
    if len(betas) == 2 and rng.random() < 0.5:
        name, given = "temperature", sorted(round(1 / b, 5) for b in betas)
        betas = [1 / t for t in given]
        job.set("run.tempering", given)
    else:
        job.set("scan.model.beta", betas)
    sweeps, every = rng.randint(2000, 5000), rng.choice((1, 2))
    for key, value in {"lattice.extents": extents, "lattice.boundaries": boundaries, "model.states": q, "model.coupling": coupling,
                       "run.sweeps": sweeps, "run.measure-every": every, "run.thermalization": 100,
                       "run.start": rng.choice(("cold", "hot")), "run.seed": rng.randint(1, 10**6), "backend.threads": 1}.items():
        job.set(key, value)
    outcome = program.run(job, options.keep)
    if options.only:
        print(job.describe(), outcome.said, sep="\n")
    if outcome.code != 0:
        return account.fail(f"exit code {outcome.code}: {outcome.sentence()}")
    account.compare(name, outcome.values[name], given, 1e-12)
    if name == "temperature":
        energies = math.prod(extents) * all_potts_states(extents, boundaries, q)[0]
        compare_acceptance(account, outcome, energies, [b * coupling for b in betas], sweeps / 20)
    exact = [exact_potts_values(extents, boundaries, q, b * coupling, b) for b in betas]
    return compare_points(account, outcome, exact, sweeps // every, name, max(extents), [False] * len(betas))


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


def random_couplings(rng, job, dimensions):
    """Sets boundaries and signs of couplings."""
    kinds = ("periodic", "open", "antiperiodic")
    boundaries = rng.choice((rng.choice(kinds), ",".join(rng.choice(kinds) for _ in range(dimensions))))
    opposite, seed = rng.choice((0, 0, 0.5, round(rng.random(), 3), 1)), rng.randint(1, 10**12)
    job.set("lattice.boundaries", boundaries)
    if opposite:
        job.set("model.opposite-bonds", opposite)
        job.set("model.disorder-seed", seed)
    return boundaries, rng.choice((1, -1)), opposite, seed


def ferromagnetic(couplings):
    return couplings[1] > 0 and couplings[2] == 0 and "antiperiodic" not in couplings[0]


def checkerboard(extents, couplings):
    boundaries = couplings[0].split(",") * (1 if "," in couplings[0] else len(extents))
    return all(extent % 2 == 0 or b == "open" for extent, b in zip(extents, boundaries))


def frustrated(extents, couplings):
    """Whether no configuration satisfies all bonds, or random signs may do so."""
    return 0 < couplings[2] < 1 or all_states(extents, couplings)[0].min() * math.prod(extents) > 0.5 - len(
        neighbours(extents, couplings)[1])


def random_update(rng, job, extents, couplings, coupling, options):
    """Sets the update where a checkerboard divides the lattice, and the field; returns both."""
    update = rng.choice(("swendsen-wang", "metropolis", "metropolis", "mixed")) if checkerboard(extents, couplings) else "swendsen-wang"
    if update != "swendsen-wang":
        job.set("run.update", update)
    field = 0.0
    if options.field or rng.random() < 0.5:
        field = round(rng.choice((-1, 1)) * rng.choice((rng.uniform(0.001, 0.1), rng.uniform(0.1, 1.5))) * coupling, 5)
    if field:
        job.set("model.field", field)
    return update, field


def set_temperatures(rng, job, coupling, most):
    """Points of a scan, or replicas of parallel tempering; K from 0.02 to `most`. Returns the coordinate and its values, the
    inverse temperatures, and whether replicas exchange them."""
    tempers = rng.random() < 0.3
    by_beta = not tempers and rng.random() < 0.5
    given = []
    for _ in range(rng.randint(2, 4) if tempers else rng.randint(1, 3)):
        k = math.exp(rng.uniform(math.log(0.02), math.log(most)))
        given.append(round(k / coupling if by_beta else coupling / k, 5))
    if tempers:
        given = sorted(set(given))
        if len(given) == 1:
            given.append(2 * given[0])
        job.set("run.tempering", given)
        if rng.random() < 0.7:
            job.set("run.exchange-every", rng.choice((1, 2, 3, 7)))
        if rng.random() < 0.5:
            job.set("run.overlap", "yes")
        if job.ranks == 1:
            job.ranks = rng.choice((1, len(given)))
    else:
        job.set("scan.model.beta" if by_beta else "scan.model.temperature", given)
    return "beta" if by_beta else "temperature", given, [b if by_beta else 1 / b for b in given], tempers


def examine(seed, index, account, state, options):
    rng = random.Random(f"ising {seed} {index}")
    if index % 3 == 2 and not options.field:
        return examine_short(rng, account, state, options)
    if index % 12 == 7 and not options.field:
        return examine_coexistence(rng, account, state, options)
    if index % 6 == 1 and not options.field:
        return examine_potts(rng, account, state, options)
    extents, ranks = random_extents(rng)
    job = program.Job("swendsen-wang", ranks)
    state.update(task=f"ising {len(extents)}D", job=job)
    job.set("lattice.extents", extents)
    coupling = 1.0
    if rng.random() < 0.5:
        coupling = round(rng.uniform(0.3, 3), 3)
        job.set("model.coupling", coupling)
    couplings = random_couplings(rng, job, len(extents)) if rng.random() < 0.5 else PLAIN
    if couplings[1] < 0:
        job.set("model.coupling", -coupling)
    update, field = random_update(rng, job, extents, couplings, coupling, options)
    # up to where a flip of one spin costs so much that too few are seen; runs of frustrated lattices must say it themselves
    most = 0.85 if len(extents) == 2 else 0.5
    if update == "swendsen-wang" and frustrated(extents, couplings):
        most = rng.choice((most, 2.5))
    name, given, betas, tempers = set_temperatures(rng, job, coupling, most)
    every = rng.choice((1, 1, 2, 3))
    sweeps = rng.randint(2000, 5000)
    job.set("run.sweeps", sweeps)
    automatic = not tempers and rng.random() < 0.3
    job.set("run.thermalization", "auto" if automatic else rng.randint(50, 200))
    job.set("run.measure-every", every)
    job.set("run.start", rng.choice(("cold", "hot")))
    job.set("run.seed", rng.randint(1, 10**6))
    job.set("backend.threads", rng.choice((1, 1, 2)) if job.ranks == 1 else 1)
    if rng.random() < 0.3:
        job.set("run.merge", rng.choice(("auto", "exchange", "tree")))
    correlations = rng.choice((0, 1, 2, 5)) if not tempers and periodic_axes(extents, couplings) else 0
    if correlations:
        job.set("run.correlations", correlations)
    outcome = program.run(job, options.keep)
    if options.only:
        print(job.describe(), outcome.said, sep="\n")
    if outcome.code != 0:
        return account.fail(f"exit code {outcome.code}: {outcome.sentence()}")
    account.compare(name, outcome.values[name], given, 1e-12)
    frozen = [(update == "metropolis" or field != 0 and not ferromagnetic(couplings))
              and b * coupling > (0.440687 if len(extents) == 2 else 0.221655) and
              (job.keys["run.start"] == "hot" or not ferromagnetic(couplings) or
               0 < b * abs(field) * math.prod(extents) < 10) for b in betas]
    if tempers:
        e, signed, _ = all_states(extents, couplings)
        energies = np.concatenate((e - field / coupling * signed, e + field / coupling * signed)) * math.prod(extents)
        compare_acceptance(account, outcome, energies, [b * coupling for b in betas],
                           sweeps / int(job.keys.get("run.exchange-every", 10)) / 2)
        if not frozen[-1]:  # replicas of lower temperatures come from there: points without errors say so
            frozen = [not np.isfinite(error) for error in outcome.errors["magnetisation"]]
            account.claim("errors or a sentence", not any(frozen) or "known to be in equilibrium" in outcome.said or
                          "fewer than 40" in outcome.said)
    for i, point_is in enumerate(frozen):
        account.claim("no errors where domains may stay", not point_is or not np.isfinite(outcome.errors["energy"][i]))
    sentences = ("domains", "frustrate the lattice", "known to be in equilibrium", "fewer than 40")
    account.claim("and a sentence", any(sentence in outcome.said for sentence in sentences[:4 if tempers else 2]) >= any(frozen))
    exact = [exact_values(extents, b * coupling, b, couplings, field / coupling) for b in betas]
    if job.keys.get("run.overlap") == "yes":
        exact = [point | overlap_values(extents, b * coupling, couplings, field / coupling) for point, b in zip(exact, betas)]
    observations = sweeps // every
    if automatic:
        for i, left_out in enumerate(outcome.values.pop("thermalization")):
            account.claim("thermalization: at most half", 0 <= left_out <= sweeps / 2 + every and left_out % every == 0)
            if not np.isfinite(outcome.errors["energy"][i]) and "thermalization is not found" in outcome.said:
                frozen[i] = True
        observations //= 2
    independent = update != "metropolis" and (field == 0 or ferromagnetic(couplings))
    if correlations:
        compare_correlations(account, outcome, [correlation_values(extents, b * coupling, couplings, field / coupling, correlations)
                                                for b in betas], frozen, observations, independent)
    compare_points(account, outcome, exact, observations, name, max(extents), frozen,
                   hampered=update != "metropolis" and frustrated(extents, couplings),
                   independent=independent)
    return None


def compare_acceptance(account, outcome, energies, ks, tried):
    """Mean of min(1, exp((K_a - K_b) (E_a - E_b))) over independent states at neighbouring temperatures, from the energies of all
    states in units of J. At least a twentieth of the `tried` exchanges are independent."""
    levels, number = np.unique(np.round(energies, 9), return_counts=True)
    weights = [number * np.exp(-k * (levels - levels[0])) for k in ks]
    found = outcome.values.pop("exchange-acceptance")
    account.claim("exchange-acceptance: none beyond the hottest", np.isnan(found[-1]))
    for a, (cold, hot) in enumerate(zip(weights, weights[1:])):
        chance = np.minimum(1, np.exp(np.minimum(0, (ks[a] - ks[a + 1]) * np.subtract.outer(levels, levels))))
        exact = cold @ chance @ hot / cold.sum() / hot.sum()
        spread = math.sqrt(max(1e-4, exact * (1 - exact)) / (tried / 20))
        account.compare("exchange-acceptance", found[a], exact, SIGMAS * spread)


def short_job(extents, beta, observations, points, thermalization, seed):
    """A scan of seeds."""
    job = program.Job("swendsen-wang")
    job.set("lattice.extents", extents)
    job.set("model.beta", beta)
    job.set("run.sweeps", observations)
    job.set("run.thermalization", thermalization)
    job.set("scan.run.seed", f"{seed}:{seed + points - 1}:1")
    job.set("backend.threads", 1)
    return job


def examine_short(rng, account, state, options):
    extents, _ = random_extents(rng)
    kind = rng.choice(("any", "any", "any", "hot", "frozen"))
    k = {"any": math.exp(rng.uniform(math.log(0.05), math.log(0.5))), "hot": rng.choice((0, 1e-300, 0.001, 0.02)),
         "frozen": rng.choice((3, 20, 1e5, 1e308))}[kind]
    observations = rng.choice((1, 2, 3, 5, 8, 12, 20, 25, 40, 60, 100, 200))
    job = short_job(extents, float(f"{k:.6g}"), observations, 200, 50, rng.randint(1, 10**6))
    job.set("run.start", "cold" if kind == "frozen" else rng.choice(("cold", "hot")))
    state.update(task="ising short", job=job)
    outcome = program.run(job, options.keep)
    if options.only:
        print(job.describe(), outcome.said, sep="\n")
    if outcome.code != 0:
        return account.fail(f"exit code {outcome.code}: {outcome.sentence()}")
    beta = float(f"{k:.6g}")
    account.claim("remark", ("fewer than 40" in outcome.said) >= (observations < 40), "a short run has none")
    compare_short(account, outcome, extents, beta, observations, kind)
    return None


def compare_short(account, outcome, extents, beta, observations, kind):
    """Values are finite or absent, errors positive or absent; where there are errors they say how far values are off."""
    exact = exact_values(extents, beta, beta) if beta < 100 else {}
    ground = {"energy": -len(extents), "specific-heat": 0, "magnetisation": 1, "magnetisation-2": 1, "magnetisation-4": 1,
              "susceptibility-connected": 0, "largest-cluster": 1, "clusters": 1 / math.prod(extents)}
    for name in outcome.errors:
        value, error = outcome.values[name], outcome.errors[name]
        has = np.isfinite(error)
        account.claim(name + ": a number or nothing", not np.isinf(value).any() and not np.isinf(error).any())
        account.claim(name + ": errors are positive", (error[has] > 0).all() and np.isfinite(value[has]).all())
        account.claim(name + ": no error of few", observations > TOO_FEW[name in MEANS] or not has.any())
        if name not in MEANS and observations == 1:
            account.claim(name + ": no function of one value", np.isnan(value).all())
            continue
        if kind == "frozen":
            account.claim(name + ": no error", not has.any())
            if name in ground:
                account.compare(name, value, ground[name], 0)
        if name == "correlation-length":
            compare_lengths(account, value, error, exact.get(name, (math.inf,))[0], max(extents))
        elif name in exact and kind != "frozen":
            ordered = exact["magnetisation"][0] > 0.8  # most runs miss the rare configurations that others see
            compare_pulls(account, name, value, np.full_like(error, np.nan) if ordered else error, exact[name], observations)


def compare_lengths(account, value, error, exact, longest):
    known = np.isfinite(value)
    account.claim("correlation-length: never without error", np.isfinite(error[known]).all())
    account.claim("correlation-length: never of an ordered lattice", (value[known] <= 2 * longest).all())
    if exact < 0.1:  # shown by 3 sigma of a ratio: rarely, and with an error of the same order
        account.claim("correlation-length: rarely where there is none", known.mean() < 0.05)
    elif exact < longest:
        account.claim("correlation-length: pulls", np.mean((abs(value - exact) > 5 * error)[known]) < 0.03
                      if known.any() else True)


def compare_pulls(account, name, value, error, exact_and_spread, observations):
    """Means are unbiased, functions of means from 40 observations on but for a few percent. Mean-square pulls are 1.3 at
    most from 40 observations on, and 200 points scatter by 0.3 with the tails of skew distributions."""
    exact, spread = exact_and_spread
    bound = SIGMAS * max(np.std(value), spread / math.sqrt(observations)) / math.sqrt(len(value)) + 1e-9 * (1 + abs(exact))
    if name in MEANS:
        account.compare(name + ": mean", np.mean(value), exact, bound)
    elif observations >= 40:
        account.compare(name + ": mean", np.mean(value), exact, bound + 0.06 * (abs(exact) + (name == "binder")))
    has = np.isfinite(error)
    if spread == 0 or has.mean() < 0.99:
        return  # where many runs see no fluctuation, others see too few
    pulls = (value[has] - exact) / error[has]
    skew = name in ("binder", "susceptibility-connected", "magnetisation-4")
    limit = (30.0 if skew else 6.0) if observations < 40 else 2.2 if not skew else 6.0 if observations < 100 else 3.0
    account.compare(name + ": mean-square pull", np.mean(pulls**2), 0, limit)
    account.pulls[name].extend(pulls)


def pull_cases():
    """Extents, coupling, thermalization, points, observations; the longest runs give what enumeration cannot."""
    return (((4, 4), 0.4, 60, 2000, (20, 40, 100, 400)), ((32, 32), CRITICAL, 60, 800, (100, 400)),
            ((128, 128), CRITICAL, 100, 400, (100, 400)), ((64, 64), 0.4, 60, 400, (20, 40, 100, 400)),
            ((8, 8, 8), 0.221654626, 60, 800, (20, 40, 100, 400)))


def print_pulls(options):
    """Of each quantity mean, mean square and share beyond 3 of deviation / error, and of the points that have an error."""
    names = ("energy", "specific-heat", "magnetisation-2", "binder", "susceptibility-improved", "susceptibility-connected",
             "correlation-length")
    print("| lattice, observations | " + " | ".join(names) + " |\n" + "|---" * (len(names) + 1) + "|")
    for extents, k, thermalization, points, lengths in pull_cases():
        exact, rows = {}, []
        if math.prod(extents) <= MOST_SITES:
            exact = {name: value for name, (value, _) in exact_values(extents, k, k).items()}
        for observations in sorted(lengths, reverse=True):
            outcome = program.run(short_job(extents, k, observations, points, thermalization, options.seed + observations))
            cells = []
            for name in names:
                value, error = outcome.values[name], outcome.errors[name]
                if name not in exact:
                    known = outcome.references.get(name, [math.nan])[0]
                    exact[name] = known if math.isfinite(known) else np.nanmean(value)
                has = np.isfinite(error)
                pulls = (value[has] - exact[name]) / error[has]
                cells.append(f"{pulls.mean():+.2f} {np.mean(pulls**2):.2f} {100 * np.mean(abs(pulls) > 3):.0f} %"
                             + ("" if has.all() else f" ({100 * has.mean():.0f} %)") if has.any() else "-")
            rows.append(f"| {' x '.join(map(str, extents))}, {observations} | " + " | ".join(cells) + " |")
        print(*reversed(rows), sep="\n", flush=True)


def compare_points(account, outcome, points, observations, coordinate, longest, frozen, hampered=False, independent=True):
    """`frozen`: points that may stay where they began. Observations of single-spin updates are not `independent`; without
    errors they are compared by the bound of 20 correlated ones."""
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
            known = outcome.references.get(name, [math.nan] * len(points))[i]
            if math.isfinite(known):
                account.compare(name + ": reference", known, exact, 1e-10 * (1 + abs(exact)))
            if frozen[i]:
                continue  # such a run has no errors and says so
            if hampered and not np.isfinite(outcome.errors["energy"][i]):
                account.claim("no errors where spins hardly move", "frustrate the lattice" in outcome.said
                              and not np.isfinite(error))
                continue
            if name.endswith("correlation-length") and not math.isfinite(value):
                # absent where it is small, or long against the lattice, or where observations are few
                account.claim(name + ": absent", not independent or not 1 < exact < 1.5 * longest)
                continue
            # the error of so few independent observations cannot be much below what the exact spread says
            few = observations if independent else observations / 20
            bound = SIGMAS * max(np.nan_to_num(error), 0.7 * spread / math.sqrt(few)) + 1e-9 * (1 + abs(exact))
            account.compare(name, value, exact, bound)
            if error > 1e-7 * (1 + abs(exact)):
                account.pulls[name].append((value - exact) / error)


def main():
    parser = program.options_of(__doc__)
    parser.add_argument("--pulls", action="store_true", help="print the table of pulls of tests/README.md")
    parser.add_argument("--field", action="store_true", help="only Ising lattices, all of them in a field")
    options = parser.parse_args()
    if options.pulls:
        return print_pulls(options)
    return program.summary(program.run_all(examine, options), options)


if __name__ == "__main__":
    sys.exit(main())
