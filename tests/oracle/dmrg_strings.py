# SPDX-License-Identifier: BSD-3-Clause
"""Operators on strings of electrons, as products of creation and annihilation operators, and on strings of spins, as
raising operators; a state cut in two, and its entanglement."""

import itertools
import math

import numpy as np

SPECTRUM_LEVELS = 16


class Fermions:
    """Strings of 2 L bits, up and down of site 0 first; a mode passes those below it."""

    def __init__(self, sites, up, down):
        self.sites = sites
        self.strings = np.array(sorted(sum(1 << 2 * i for i in ups) + sum(2 << 2 * i for i in downs)
                                       for ups in itertools.combinations(range(sites), up)
                                       for downs in itertools.combinations(range(sites), down)), dtype=np.int64)

    def product(self, *factors):
        """Matrix of a product of (site, spin, creates) in the order in which it is written."""
        n = len(self.strings)
        sign, now, alive = np.ones(n), self.strings.copy(), np.ones(n, bool)
        for site, spin, creates in reversed(factors):
            bit = 2 * site + spin
            alive &= (now >> bit & 1) == (0 if creates else 1)
            below = now & ((1 << bit) - 1)
            sign *= [(-1.0) ** int(b).bit_count() for b in below]
            now ^= 1 << bit
        matrix = np.zeros((n, n))
        matrix[np.searchsorted(self.strings, now[alive]), np.flatnonzero(alive)] = sign[alive]
        return matrix

    def density(self, site, spin):
        return (self.strings >> 2 * site + spin & 1).astype(float)

    def turned(self, psi):
        """Spins turned over: up and down of every site change places, which two electrons of a site do with a sign."""
        up = self.strings & 0x5555555555555555
        down = self.strings >> 1 & 0x5555555555555555
        result = np.empty_like(psi)
        result[np.searchsorted(self.strings, up << 1 | down)] = psi * [(-1.0) ** int(b).bit_count() for b in up & down]
        return result

    def cut(self, psi, sites):
        """The state as a matrix between strings of the first sites and the others."""
        shape = 1 << 2 * sites, 1 << 2 * (self.sites - sites)
        matrix = np.zeros(shape)
        matrix[self.strings & shape[0] - 1, self.strings >> 2 * sites] = psi
        return matrix


class Spins:
    """Strings of L digits m + S, site 0 the lowest."""

    def __init__(self, sites, twice_spin, raised):
        self.sites, self.twice, self.base = sites, twice_spin, twice_spin + 1
        all_strings = np.arange(self.base**sites)
        self.digits = np.array([all_strings // self.base**i % self.base for i in range(sites)])
        chosen = self.digits.sum(axis=0) == raised
        self.strings, self.digits = all_strings[chosen], self.digits[:, chosen]

    def z(self, site):
        return self.digits[site] - self.twice / 2

    def flip(self, i, j):
        """S^+_i S^-_j."""
        n, s = len(self.strings), self.twice / 2
        now, value = self.digits.astype(int).copy(), np.ones(n)
        for site, step in ((j, -1), (i, 1)):
            m = now[site] - s
            value *= np.sqrt(np.maximum(s * (s + 1) - m * (m + step), 0))
            now[site] += step
        alive = value > 0
        strings = sum(now[k] * self.base**k for k in range(self.sites))
        matrix = np.zeros((n, n))
        matrix[np.searchsorted(self.strings, strings[alive]), np.flatnonzero(alive)] = value[alive]
        return matrix

    def turned(self, psi):
        result = np.empty_like(psi)
        strings = sum((self.twice - self.digits[k]) * self.base**k for k in range(self.sites))
        result[np.searchsorted(self.strings, strings)] = psi
        return result

    def cut(self, psi, sites):
        shape = self.base**sites, self.base ** (self.sites - sites)
        matrix = np.zeros(shape)
        matrix[self.strings % shape[0], self.strings // shape[0]] = psi
        return matrix


def spectrum(matrix):
    """The largest weights, as many as the program gives."""
    p = np.linalg.svd(matrix, compute_uv=False) ** 2
    return np.concatenate((p, np.zeros(SPECTRUM_LEVELS)))[:SPECTRUM_LEVELS]


def entropy(matrix):
    p = np.linalg.svd(matrix, compute_uv=False) ** 2
    return float(-sum(x * math.log(x) for x in p if x > 0))
