# SPDX-License-Identifier: BSD-3-Clause
"""Sectors of fixed particle numbers on bit strings, and operators as what they do to each string.

Bit i is site i of the first species, bit n + i site i of the second one. c_i takes the sign of the occupied bits below
it (Jordan and Wigner); the operators of spins and hard-core bosons have no sign.
"""

import itertools

import numpy as np

BYTE = np.array([bin(i).count("1") for i in range(256)], np.int64)
ONE = np.uint64(1)


def ones(strings):
    """Set bits of each."""
    return BYTE[np.ascontiguousarray(strings).view(np.uint8).reshape(-1, 8)].sum(axis=1)


class Sector:
    def __init__(self, sites, particles, fermions=True):
        """particles: one number per species."""
        self.sites, self.particles, self.fermions = sites, tuple(particles), fermions
        strings = [0]
        for species, number in enumerate(particles):
            of_species = [sum(1 << (species * sites + i) for i in occupied)
                          for occupied in itertools.combinations(range(sites), number)]
            strings = [a | b for a in strings for b in of_species]
        self.strings = np.sort(np.array(strings, np.uint64))

    @property
    def dimension(self):
        return len(self.strings)

    def occupied(self, bit):
        return ((self.strings >> np.uint64(bit)) & ONE).astype(float)

    def occupations(self):
        """[species][string, site]"""
        return [np.stack([self.occupied(s * self.sites + i) for i in range(self.sites)], axis=1)
                for s in range(len(self.particles))]

    def index(self, strings):
        return np.searchsorted(self.strings, strings)

    def string(self, *occupied):
        """Index of the product state with these bits set."""
        return int(self.index(np.array([sum(1 << bit for bit in occupied)], np.uint64))[0])

    def after(self, operators):
        """Strings after the operators, ("+" or "-", bit), the last of which acts first: (which strings survive, what
        they become, sign)."""
        strings, sign = self.strings.copy(), np.ones(self.dimension)
        alive = np.ones(self.dimension, bool)
        for kind, bit in reversed(operators):
            mask = ONE << np.uint64(bit)
            alive &= ((strings & mask) != 0) == (kind == "-")
            if self.fermions:
                sign *= 1 - 2 * (ones(strings & (mask - ONE)) % 2)
            strings = strings ^ mask
        return np.nonzero(alive)[0], strings[alive], sign[alive]

    def matrix(self, operators, target=None):
        """Dense, from this sector to `target` (itself)."""
        target = target or self
        columns, strings, sign = self.after(operators)
        m = np.zeros((target.dimension, self.dimension))
        m[target.index(strings), columns] = sign
        return m


class Model:
    """Parameters as the job has them; u and energies (site energies, of spins fields along z): one per site."""

    def __init__(self, cluster, spins, species, u, v, energies, jxy, jz):
        self.cluster, self.spins, self.species = cluster, spins, species
        self.u, self.v, self.energies, self.jxy, self.jz = u, v, energies, jxy, jz

    def sector(self, particles):
        return Sector(self.cluster.sites, particles, not self.spins)

    def hamiltonian(self, sector):
        """H = -sum a c+_end c_start + h.c. + U n_up n_down + V w n n + e n, or
        sum jxy Re-or-complex a (Sx Sx + Sy Sy) + jz w Sz Sz + h Sz; real where all amplitudes are."""
        n = self.cluster.sites
        real = all(e.amplitude.imag == 0 for e in self.cluster.edges)
        h = np.zeros((sector.dimension,) * 2, float if real else complex)
        occupations = sector.occupations()
        total = sum(occupations)
        diagonal = (total - (0.5 if self.spins else 0)) @ np.array(self.energies)
        if self.species == 2:
            diagonal += (occupations[0] * occupations[1]) @ np.array(self.u)
        for e in self.cluster.edges:
            amplitude = e.amplitude * self.jxy / 2 if self.spins else -e.amplitude
            amplitude = amplitude.real if real else amplitude
            if self.spins:
                diagonal += self.jz * e.weight * (total[:, e.start] - 0.5) * (total[:, e.end] - 0.5)
            else:
                diagonal += self.v * e.weight * total[:, e.start] * total[:, e.end]
            for s in range(self.species):
                columns, strings, sign = sector.after([("+", s * n + e.end), ("-", s * n + e.start)])
                rows = sector.index(strings)
                np.add.at(h, (rows, columns), amplitude * sign)
                np.add.at(h, (columns, rows), np.conj(amplitude) * sign)
        h[np.diag_indices(sector.dimension)] += diagonal
        return h


class Solution:
    """All eigenpairs of a model in a sector."""

    def __init__(self, model, particles):
        self.model, self.sector = model, model.sector(particles)
        self.h = model.hamiltonian(self.sector)
        self.energies, self.states = np.linalg.eigh(self.h)
        self.dimension = len(self.energies)
        self.scale = max(abs(self.energies[0]), abs(self.energies[-1]), self.energies[-1] - self.energies[0], 1e-3)

    def whole(self):
        """All states, where these are of a sector of symmetries."""
        return self

    def multiplicity(self, relative=1e-10):
        """Of the lowest energy."""
        return int(np.sum(self.energies - self.energies[0] <= relative * self.scale))

    def gap(self):
        """From the lowest multiplet to the next level; infinite if there is none."""
        above = self.energies[self.multiplicity():]
        return float(above[0] - self.energies[0]) if len(above) else float("inf")
