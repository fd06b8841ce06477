# SPDX-License-Identifier: BSD-3-Clause
"""The models of lanczos as sums of operators, and all their eigenpairs in a sector of fixed particle numbers.

Bit i of a string is site i of the first species, bit n + i site i of the second one."""

import numpy as np

import operators


class Model:
    """Parameters as the job has them; u and energies (site energies, of spins fields along z): one per site."""

    def __init__(self, cluster, spins, species, u, v, energies, jxy, jz):
        self.cluster, self.spins, self.species = cluster, spins, species
        self.u, self.v, self.energies, self.jxy, self.jz = u, v, energies, jxy, jz

        if spins:
            self.kind, self.raising, self.lowering = operators.spins(1), ["S+"], ["S-"]
        else:
            self.kind = operators.electrons() if species == 2 else operators.fermions()
            ends = ("_up", "_dn") if species == 2 else ("",)
            self.raising, self.lowering = ([name + end for end in ends] for name in ("cdag", "c"))

    def sector(self, particles):
        return operators.Space([self.kind] * self.cluster.sites, particles)

    def hamiltonian(self, sector):
        """H = -sum a c+_end c_start + h.c. + U n_up n_down + V w n n + e n, or
        sum jxy Re-or-complex a (Sx Sx + Sy Sy) + jz w Sz Sz + h Sz; real where all amplitudes are."""
        density, strength = ("Sz", self.jz) if self.spins else ("n", self.v)
        terms = [(e, ((density, i),)) for i, e in enumerate(self.energies)]
        if self.species == 2:
            terms += [(u, (("n_up", i), ("n_dn", i))) for i, u in enumerate(self.u)]
        for e in self.cluster.edges:
            amplitude = e.amplitude * self.jxy / 2 if self.spins else -e.amplitude
            terms.append((strength * e.weight, ((density, e.start), (density, e.end))))
            for up, down in zip(self.raising, self.lowering):
                terms += [(amplitude, ((up, e.end), (down, e.start))),
                          (np.conj(amplitude), ((up, e.start), (down, e.end)))]
        return sector.matrix(terms)


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
