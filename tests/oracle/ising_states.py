# SPDX-License-Identifier: BSD-3-Clause
"""Exact averages of tiny Ising and Potts lattices: sums over all configurations, and over all sets of open bonds in the
random-cluster representation of Fortuin and Kasteleyn. Every quantity has the standard deviation of one independent
observation beside its value, of a function of means by its linear part."""

import functools
import itertools
import math

import numpy as np
from scipy.special import xlogy

from spin_half import philox

MOST_SITES, MOST_BONDS = 18, 18
PLAIN = ("periodic", 1, 0, 1)  # boundaries, sign of J, fraction of couplings -J, seed of these


class Ensemble:
    """Configurations by their weights; an observable is an array over them."""

    def __init__(self, weights):
        self.weights = weights / weights.sum()

    def mean(self, x):
        return float(self.weights @ x)

    def spread(self, x):
        return math.sqrt(max(0.0, self.mean((x - self.mean(x)) ** 2)))

    def value(self, x, factor=1.0):
        """Mean and standard deviation."""
        return factor * self.mean(x), factor * self.spread(x)

    def binder(self, square):
        """1 - <m^4> / (3 <m^2>^2) from m^2."""
        second, fourth = self.mean(square), self.mean(square**2)
        linear = square**2 / (3 * second**2) - 2 * fourth * square / (3 * second**3)
        return 1 - fourth / (3 * second**2), self.spread(linear)

    def correlation_length(self, extents, square, factor, linear):
        """From m^2 and the structure factor at the smallest wave vector; `linear`: relative fluctuations of their
        ratio."""
        unit = 1 / (2 * math.sin(math.pi / max(extents)))
        ratio = math.prod(extents) * self.mean(square) / self.mean(factor)
        xi = unit * math.sqrt(max(0.0, ratio - 1))
        return xi, 0.0 if xi == 0 else unit**2 / (2 * xi) * ratio * self.spread(linear)


def axis_boundaries(extents, couplings):
    return couplings[0].split(",") * (1 if "," in couplings[0] else len(extents))


def periodic_axes(extents, couplings):
    return [axis for axis, b in enumerate(axis_boundaries(extents, couplings)) if b == "periodic"]


def ferromagnetic(couplings):
    return couplings[1] > 0 and couplings[2] == 0 and "antiperiodic" not in couplings[0]


def checkerboard(extents, couplings):
    """Whether neighbours always belong to different sublattices."""
    return all(extent % 2 == 0 or b == "open" for extent, b in zip(extents, axis_boundaries(extents, couplings)))


def frustrated(extents, couplings):
    """Whether no configuration satisfies all bonds, or random signs may do so."""
    return 0 < couplings[2] < 1 or all_states(extents, couplings)[0].min() * math.prod(extents) > 0.5 - len(
        neighbours(extents, couplings)[1])


def random_number(seed, site, axis):
    """In [0, 1): the number that decides the sign of the bond of a site to the next one along an axis. Tiles of 8 x 8
    or 4 x 4 x 4 sites are numbered x first; here all lattices have a single tile, or two along the last axis."""
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
    _, inverted, opposite, seed = couplings
    boundaries = axis_boundaries(extents, couplings)
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
    """Energy and magnetisation per site without field, and the structure factor at the smallest wave vector, of every
    configuration."""
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
    """Numbers of open single and double bonds, of clusters and of the sites of the largest one for every set of open
    bonds between neighbours (a pair that comes twice is one bond here)."""
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
    """What all models have, and the ensemble, from energy and m^2 per site of every configuration."""
    n = math.prod(extents)
    ensemble = Ensemble(np.exp(-k * n * (e - e.min())))
    m = np.sqrt(m2) if m is None else m
    return {
        "energy": ensemble.value(e),
        "specific-heat": ensemble.value((e - ensemble.mean(e)) ** 2, k * k * n),
        "magnetisation": ensemble.value(m),
        "magnetisation-2": ensemble.value(m2),
        "magnetisation-4": ensemble.value(m2**2),
        "binder": ensemble.binder(m2),
        "susceptibility": ensemble.value(m2, beta * n),
        "susceptibility-improved": (beta * n * ensemble.mean(m2), 0.0),
        "susceptibility-connected": connected_susceptibility(ensemble, beta * n, m2, m),
    }, ensemble


def connected_susceptibility(ensemble, factor, m2, m):
    average = ensemble.mean(m)
    return factor * (ensemble.mean(m2) - average**2), factor * ensemble.spread(m2 - 2 * average * m)


def staggered_moments(extents, couplings):
    """The square of the staggered magnetisation per site of every configuration."""
    sites, _ = neighbours(extents, couplings)
    codes = np.arange(1 << (len(sites) - 1))
    signs = [(-1) ** sum(site) for site in sites]
    return (sum(sign * (1 - 2 * (codes >> i & 1)) for i, sign in enumerate(signs)) / len(sites)) ** 2


def exact_values(extents, k, beta, couplings=PLAIN, field=0.0):
    """Name -> (value, standard deviation of one independent observation). `field` is h / |J|."""
    e, signed, f = all_states(extents, couplings)
    n = math.prod(extents)
    if field:  # both values of the last spin
        e, signed = np.concatenate((e - field * signed, e + field * signed)), np.concatenate((signed, -signed))
    m2 = signed**2
    values, ensemble = thermal_values(extents, k, beta, e, m2, abs(signed))
    if field:
        values["signed-magnetisation"] = ensemble.value(signed)
        values["susceptibility-connected"] = connected_susceptibility(ensemble, beta * n, m2, signed)
        del values["susceptibility-improved"]
        return values
    if not ferromagnetic(couplings):
        del values["susceptibility-improved"]
    elif len(periodic_axes(extents, couplings)) == len(extents):
        values["correlation-length"] = ensemble.correlation_length(extents, m2, f, f / ensemble.mean(f))
    antiferromagnetic = couplings[1] < 0 and couplings[2] == 0 and "antiperiodic" not in couplings[0]
    if antiferromagnetic and checkerboard(extents, couplings):
        s2 = staggered_moments(extents, couplings)
        values["staggered-magnetisation-2"] = (ensemble.mean(s2), 0.0)
        values["staggered-susceptibility"] = (beta * n * ensemble.mean(s2), 0.0)
        values["staggered-binder"] = ensemble.binder(s2)
    if couplings == PLAIN:
        values.update(cluster_values(extents, 2, 2 * k))
    return values


def correlation_values(extents, k, couplings, field, last):
    """Name -> [n] (value, standard deviation of an independent observation) of structure factors at 2 pi n / L and
    products of the spins of planes at distance n, along each periodic axis. `field` is h / |J|."""
    e, m, _ = all_states(extents, couplings)
    sites, n, codes = neighbours(extents, couplings)[0], math.prod(extents), np.arange(len(e))
    spins = [1 - 2 * (codes >> i & 1) for i in range(n)]
    least = (e - abs(field * m)).min()
    # and all spins turned
    ensemble = Ensemble(sum(np.exp(-k * n * (e - sign * field * m - least)) for sign in (1, -1)))
    found = {}
    for axis in periodic_axes(extents, couplings):
        length = extents[axis]
        planes = [sum(spins[i] for i, site in enumerate(sites) if site[axis] == x) for x in range(length)]
        for j in range(min(last, length // 2) + 1):
            wave = sum(np.exp(2j * math.pi * j * x / length) * plane for x, plane in enumerate(planes))
            products = sum(plane * planes[(x + j) % length] for x, plane in enumerate(planes))
            for name, x in (("structure-factor-", abs(wave) ** 2 / n), ("plane-correlation-", products / n)):
                found.setdefault(name + "xyz"[axis], []).append(ensemble.value(x))
    return found


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
    ensemble = Ensemble(walsh_hadamard(walsh_hadamard(states) ** 2) / len(states))
    q, f = np.concatenate((signed, -signed[::-1])), np.concatenate((factor, factor[::-1]))
    q2 = q**2
    values = {"overlap": ensemble.value(abs(q)), "overlap-2": ensemble.value(q2), "overlap-binder": ensemble.binder(q2),
              "spin-glass-susceptibility": ensemble.value(q2, n)}
    if len(periodic_axes(extents, couplings)) == len(extents):
        values["overlap-correlation-length"] = ensemble.correlation_length(
            extents, q2, f, q2 / ensemble.mean(q2) - f / ensemble.mean(f))
    return values


def potts_configurations(sites, q):
    """States of each site in all configurations whose first site is in state 0."""
    codes = np.arange(q ** (sites - 1))
    return [np.zeros_like(codes), *(codes // q**i % q for i in range(sites - 1))]


@functools.lru_cache(maxsize=16)
def all_potts_states(extents, boundaries, q):
    """Energy per site, square of the order parameter, and structure factor at the smallest wave vector of the longest
    axes, of every configuration of q states, the first site in state 0."""
    sites, pairs = neighbours(extents, (boundaries, 1, 0, 1))
    n, states = len(sites), potts_configurations(len(sites), q)
    energy = -sum((states[i] == states[j]).astype(int) for i, j, _ in pairs) / n + np.zeros(len(states[0]))
    shares = sum((sum(s == a for s in states) / n) ** 2 for a in range(q))
    axes = [axis for axis in range(len(extents)) if extents[axis] == max(extents)]
    factor = sum(potts_correlations(extents, states, q, axis, 1)[0] for axis in axes) / len(axes)
    return energy, np.abs(q * shares - 1) / (q - 1), factor


def potts_correlations(extents, states, q, axis, number):
    """Structure factor at 2 pi number / L and sum of M(x) M(x + number) / N along an axis, of every configuration, from
    the vectors of the shares of all states: q / (q - 1) sum over a of n_a n'_a, n_a = 1 in state a, less 1 / q."""
    sites, length, found = list(itertools.product(*map(range, extents))), extents[axis], [0, 0]
    for a in range(q):
        planes = [sum((states[i] == a) - 1 / q for i, site in enumerate(sites) if site[axis] == x)
                  for x in range(length)]
        wave = sum(np.exp(2j * math.pi * number * x / length) * p for x, p in enumerate(planes))
        found[0] = found[0] + abs(wave) ** 2
        found[1] = found[1] + sum(p * planes[(x + number) % length] for x, p in enumerate(planes))
    return [f * q / (q - 1) / len(sites) for f in found]


def exact_potts_values(extents, boundaries, q, k, beta):
    """As exact_values(), for H = -J sum delta."""
    e, m2, factor = all_potts_states(extents, boundaries, q)
    values, ensemble = thermal_values(extents, k, beta, e, m2)
    if len(periodic_axes(extents, (boundaries,))) == len(extents):
        # the program averages one function of the state, which fluctuates more than the mean of q - 1 functions
        values["correlation-length"] = ensemble.correlation_length(
            extents, m2, factor, math.sqrt(q - 1) * factor / ensemble.mean(factor))
    if boundaries == "periodic":
        values.update(cluster_values(extents, q, k))
    return values


def potts_correlation_values(extents, boundaries, q, k, last):
    """As correlation_values()."""
    energy, _, _ = all_potts_states(extents, boundaries, q)
    n, found = math.prod(extents), {}
    ensemble, states = Ensemble(np.exp(-k * n * (energy - energy.min()))), potts_configurations(n, q)
    for axis in periodic_axes(extents, (boundaries,)):
        for j in range(min(last, extents[axis] // 2) + 1):
            for name, x in zip(("structure-factor-", "plane-correlation-"),
                               potts_correlations(extents, states, q, axis, j)):
                mean, spread = ensemble.value(x)
                found.setdefault(name + "xyz"[axis], []).append((mean, math.sqrt(q - 1) * spread))
    return found


def cluster_values(extents, q, k, with_energy=False):
    """Numbers of clusters, and the energy where it is asked for, of H = -J sum delta for any q, from all sets of open
    bonds: a satisfied bond is open with probability p, one or both of two with pp. Nothing where there are too many
    bonds."""
    bonds = all_bonds(extents)
    if bonds is None:
        return {}
    p, n = -math.expm1(-k), math.prod(extents)
    single, singles, double, doubles, clusters, largest = bonds
    pp = 1 - (1 - p) ** 2
    log = (xlogy(single, p) - k * (singles - single) + xlogy(double, pp) - 2 * k * (doubles - double)
           + clusters * math.log(q))
    ensemble = Ensemble(np.exp(log - log.max()))
    values = {"clusters": ensemble.value(clusters / n), "largest-cluster": ensemble.value(largest / n)}
    if with_energy:
        values["energy"] = ensemble.value(-(single / p + 2 * double / pp) / n)
    return values
