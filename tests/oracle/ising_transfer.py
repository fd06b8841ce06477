# SPDX-License-Identifier: BSD-3-Clause
"""Exact averages of Ising and Potts lattices of any length by transfer matrices between layers of up to some 500
states. The distribution of the magnetisation is the Fourier transform of Z in imaginary fields, correlations of layers
are traces with the magnetisation of one layer, and energies are derivatives of ln Z in the coupling."""

import itertools
import math

import numpy as np


class Layers:
    """`extents`: the last axis is that of the transfer matrix, which is periodic or open; `periodic`: [axis].
    H = -J sum s s' of two states of a site, -J sum delta of more, `k` = J/T; `field` = h/T."""

    def __init__(self, extents, k, q=2, periodic=None, field=0.0):
        self.extents, self.q, self.field = extents, q, field
        self.periodic = periodic or [True] * len(extents)
        self.sites, cross = math.prod(extents), extents[:-1]
        codes = np.arange(q ** math.prod(cross))
        place = {site: i for i, site in enumerate(itertools.product(*map(range, cross)))}
        states = {site: codes // q**i % q for site, i in place.items()}
        self.spins = {site: 1 - 2 * s for site, s in states.items()} if q == 2 else states
        product = (lambda a, b: a * b) if q == 2 else (lambda a, b: (a == b).astype(int))
        self.within = np.zeros(len(codes))
        for site, axis in itertools.product(place, range(len(cross))):
            neighbour = list(site)
            neighbour[axis] += 1
            if neighbour[axis] < cross[axis] or self.periodic[axis]:
                neighbour[axis] %= cross[axis]
                self.within += product(self.spins[site], self.spins[tuple(neighbour)])
        self.between = sum(product(s[:, None], s[None, :]) for s in self.spins.values())
        # sites of a layer in each state but the last
        self.counts = [sum((s == a).astype(int) for s in states.values()) for a in range(q - 1)]
        self.k = k

    def log_z(self, k):
        values = np.linalg.eigvalsh(self.matrix(k))
        if not self.periodic[-1]:
            t, end = self.matrix(k), self.layer(k) ** 0.5
            return self.log_of(np.linalg.matrix_power(t / values[-1], self.extents[-1] - 1), end, values[-1])
        return self.extents[-1] * math.log(values[-1]) + math.log(np.sum((values / values[-1]) ** self.extents[-1]))

    def log_of(self, power, end, largest):
        return math.log(end @ power @ end) + (self.extents[-1] - 1) * math.log(largest)

    def layer(self, k):
        """Weights of a layer alone."""
        weight = np.exp(k * (self.within - self.within.max()))
        return weight * np.exp(self.field * sum(self.spins.values())) if self.q == 2 and self.field else weight

    def matrix(self, k):
        root = self.layer(k) ** 0.5
        return root[:, None] * np.exp(k * (self.between - len(self.spins))) * root[None, :]

    def distribution(self):
        """[numbers of sites in all states but the last] probabilities."""
        n, t, end = self.sites, self.matrix(self.k), self.layer(self.k) ** 0.5
        t = t / np.linalg.eigvalsh(t)[-1]
        z = np.zeros([n + 1] * (self.q - 1), complex)
        for index in np.ndindex(z.shape):
            phase = np.exp(2j * math.pi * sum(i * c for i, c in zip(index, self.counts)) / (n + 1))
            if self.periodic[-1]:
                z[index] = np.trace(np.linalg.matrix_power(t * phase, self.extents[-1]))
            else:
                z[index] = (end * phase) @ np.linalg.matrix_power(t * phase, self.extents[-1] - 1) @ end
        p = np.maximum(np.fft.fftn(z).real, 0)
        return p / p.sum()

    def energies(self):
        """Mean energy per site in units of J, and K^2 N times its variance."""
        h, k = 2e-3, self.k
        f = [self.log_z(k + i * h) + (k + i * h) * self.ground() for i in range(-3, 4)]
        first = (-f[0] + 9 * f[1] - 45 * f[2] + 45 * f[4] - 9 * f[5] + f[6]) / (60 * h)
        second = sum(w * x for w, x in zip((1 / 90, -0.15, 1.5, -49 / 18, 1.5, -0.15, 1 / 90), f)) / h**2
        return -first / self.sites, k * k * second / self.sites

    def ground(self):
        """Sum over bonds of what the weights leave out."""
        length = self.extents[-1]
        return length * self.within.max() + (length if self.periodic[-1] else length - 1) * len(self.spins)

    def structure_factors(self, axis, last):
        """|sum s exp(i k x)|^2 / N at k = 2 pi n / L along a periodic axis, n = 0 .. last; the last axis must be
        periodic, too."""
        if self.q == 2:
            spins = self.spins
        else:
            odd = self.q // 2  # states 1, 3, ...
            scale = self.q / math.sqrt(odd * (self.q - odd))
            spins = {site: scale * (s % 2 - odd / self.q) for site, s in self.spins.items()}
        t, length = self.matrix(self.k), self.extents[-1]
        values, vectors = np.linalg.eigh(t)
        ratio = values / values[-1]
        found = []
        for n in range(last + 1):
            k = 2 * math.pi * n / self.extents[axis]
            waves = [np.exp(1j * k * (site[axis] if axis < len(site) else 0)) for site in spins]
            inner = vectors.T @ (sum(w * s for w, s in zip(waves, spins.values()))[:, None] * vectors)
            squares = abs(inner) ** 2
            z = np.sum(ratio**length)
            total = 0
            for r in range(length):
                correlation = (ratio ** (length - r)) @ squares @ (ratio**r) / z
                total += correlation * (math.cos(k * r) if axis == len(self.extents) - 1 else 1)
            found.append(total / len(spins))
        return found


def moments(layers):
    """Means of |m|, m^2, m^4 and m, of the order parameter for more than two states."""
    p, n, q = layers.distribution(), layers.sites, layers.q
    counts = np.indices(p.shape)
    if q == 2:
        m = (2 * counts[0] - n) / n
        m2 = m**2
    else:
        rest = n - sum(counts)
        m2 = np.where(rest < 0, 0, (q * (sum(c**2 for c in counts) + rest**2) / n**2 - 1) / (q - 1))
        m = np.zeros_like(m2)
    return np.sum(p * np.sqrt(m2)), np.sum(p * m2), np.sum(p * m2**2), np.sum(p * m)


def exact_values(layers, beta, last=0):
    """Name -> value, of the table of the program."""
    n = layers.sites
    absolute, m2, m4, signed = moments(layers)
    found = {"magnetisation": absolute, "magnetisation-2": m2, "magnetisation-4": m4, "binder": 1 - m4 / (3 * m2**2),
             "susceptibility": beta * n * m2, "susceptibility-connected": beta * n * (m2 - absolute**2)}
    if layers.field:
        found.update({"signed-magnetisation": signed, "susceptibility-connected": beta * n * (m2 - signed**2)})
        found["susceptibility-improved"] = found["susceptibility-connected"]
    else:
        found["energy"], found["specific-heat"] = layers.energies()
        if layers.k > 0:
            found["susceptibility-improved"] = beta * n * m2
    for axis in range(len(layers.extents)):
        if last and layers.periodic[axis] and layers.periodic[-1]:
            factors = layers.structure_factors(axis, last)
            found.update({f"structure-factor-{'xyz'[axis]}[{i}]": f for i, f in enumerate(factors)})
    return found


def wall_weight(cross, k, q=2, periodic=None):
    """Weight of a wall between two given phases across the layers, from the two largest eigenvalues of the transfer
    matrix, (1 + (q - 1) kappa) and (1 - kappa) times that of one phase: ln of their ratio over q."""
    values = np.linalg.eigvalsh(Layers((*cross, 2), k, q, [*(periodic or [True] * len(cross)), True]).matrix(k))
    return math.log(values[-1] / values[-2]) / q


if __name__ == "__main__":  # constants of unit/domain_walls_test.cpp
    for cross_section, reduced, states, around in (
            ((6,), 0.625, 2, (1,)), ((7,), 1 / 1.7, 2, (1,)), ((8,), 0.5, 2, (1,)), ((3,), 0.8, 2, (1,)),
            ((6,), 0.6, 2, (0,)), ((4,), 0.8, 2, (0,)), ((4,), 1.25, 3, (1,)), ((6,), 1.4, 3, (1,)),
            ((3,), 1.7, 10, (1,)), ((4,), 1.4, 3, (0,)), ((3, 3), 0.3, 2, (1, 1)),
            ((3, 3), 0.5, 2, (1, 1)), ((2, 4), 0.26, 2, (1, 1)), ((2, 3), 0.4, 2, (1, 1)), ((3, 3), 0.5, 2, (1, 0)),
            ((3, 3), 0.5, 2, (0, 0)), ((2, 3), 0.8, 3, (1, 1)), ((2, 2), 1.2, 5, (1, 1))):
        print(cross_section, reduced, states, around, f"{wall_weight(cross_section, reduced, states, around):.10g}")
