# SPDX-License-Identifier: BSD-3-Clause
"""What the program prints, from all eigenpairs: averages over a multiplet, Lehmann sums, canonical traces, motion."""

import math

import numpy as np

from dense import Solution


def groups(cluster, separate):
    """(suffix of the names, 1 for the sites that take part and 0, number to divide by): one sum over all sites, or one
    for each sublattice."""
    if not separate:
        return [("", np.ones(cluster.sites), cluster.sites)]
    cells = cluster.sites // cluster.basis
    return [(f"-sublattice-{s}", (np.arange(cluster.sites) % cluster.basis == s).astype(float), cells)
            for s in range(cluster.basis)]


def structure_factor(cluster, matrix, group):
    """sum_ij e^(ik(r_i - r_j)) matrix[i][j] / N for every wave vector."""
    _, member, count = group
    waves = [member * np.exp(1j * cluster.phases(m)) for m in cluster.numbers()]
    return np.array([(w @ matrix @ w.conj()).real / count for w in waves])


def one_body_matrix(solution, states):
    """<c+_i c_j>, summed over the species and averaged over the states, [i][j]."""
    model, sector, n = solution.model, solution.sector, solution.sector.sites
    g = np.zeros((n, n), complex)
    for s in range(len(sector.particles)):
        for i in range(n):
            for j in range(n):
                factors = (model.raising[s], i), (model.lowering[s], j)
                rows, columns, values = sector.elements([(1.0, factors)])
                g[i, j] += np.sum(states[rows].conj() * values[:, None] * states[columns])
    return g / states.shape[1]


def correlations(solution, multiplicity, separate=False, density_matrix=False):
    """Name -> values, averaged over the lowest states."""
    model, sector, cluster = solution.model, solution.sector, solution.model.cluster
    states = solution.states[:, :multiplicity]
    p = np.mean(abs(states) ** 2, axis=1)
    occupations = sector.occupations()
    out = {}
    if model.species == 2:
        up, down = occupations
        out["double-occupancy"] = np.array([p @ (up * down).mean(axis=1)])
        out["occupation-up"], out["occupation-down"] = p @ up, p @ down
        sz = (up - down) / 2
    else:
        out["occupation"] = p @ occupations[0]
        sz = occupations[0] - 0.5
    kinds = {}
    if not model.spins:
        kinds["density"] = sum(occupations)
    if model.species == 2 or model.spins:
        kinds["spin"] = sz
    for kind, values in kinds.items():
        pairs = values.T @ (p[:, None] * values)
        out[kind + "-correlation"] = pairs[0]
        if cluster.torus:
            for group in groups(cluster, separate):
                out[kind + "-structure-factor" + group[0]] = structure_factor(cluster, pairs, group)
    if density_matrix and cluster.torus:
        g = one_body_matrix(solution, states)
        for group in groups(cluster, separate):
            out["momentum-distribution" + group[0]] = structure_factor(cluster, g, group)
    return out


class Lehmann:
    """Of A_k = N^(-1/2) sum_j e^(-ik r_j) a_j on the lowest multiplet, a_j = density, spin, c_j of the second species;
    addition: A_k = N^(-1/2) sum_j e^(ik r_j) c+_j, the adjoint of the removal with the same k."""

    def __init__(self, solution, multiplicity, operator, separate=False):
        model, sector, n = solution.model, solution.sector, solution.sector.sites
        self.cluster, self.operator, self.separate = model.cluster, operator, separate
        lowest = solution.states[:, :multiplicity]
        if operator in ("density", "spin"):
            occupations = sector.occupations()
            values = sum(occupations)
            if operator == "spin":
                values = values - 0.5 if model.spins else (occupations[0] - sum(occupations[1:])) / 2
            whole = solution.whole()
            excited, levels = whole.states, whole.energies
            parts = [values[:, j, None] * lowest for j in range(n)]
        else:
            up, down = sector.particles
            change = -1 if operator == "removal" else 1
            other = Solution(model, (up, down + change))
            excited, levels = other.states, other.energies
            name = "c_dn" if operator == "removal" else "cdag_dn"
            parts = [sector.matrix(f"1 {name} {j}", other.sector) @ lowest for j in range(n)]
        # [site][excited state, lowest state]
        self.amplitudes = np.array([excited.conj().T @ part for part in parts])
        self.poles = levels - solution.energies[0]

    def strengths(self, m, group):
        """Weight of every pole."""
        sign = 1 if self.operator == "addition" else -1
        wave = group[1] * np.exp(sign * 1j * self.cluster.phases(m)) / math.sqrt(group[2])
        return np.mean(abs(np.tensordot(wave, self.amplitudes, axes=1)) ** 2, axis=1)

    def intensity(self, strengths, omega, width):
        lorentz = width / math.pi / ((omega[:, None] - self.poles) ** 2 + width**2)
        return lorentz @ strengths


def canonical(energies, temperature, sites):
    """Energy (total), specific heat and entropy per site."""
    e = energies - energies[0]
    w = np.exp(-e / temperature)
    z = w.sum()
    mean = (w @ e) / z
    variance = (w @ (e - mean) ** 2) / z
    return energies[0] + mean, variance / temperature**2 / sites, (math.log(z) + mean / temperature) / sites


def motion(solution, c0, times):
    """Columns of the evolution: rows of time. c0: the state in the eigenstates of the solution, of any norm."""
    sector, model = solution.sector, solution.model
    n = sector.sites
    c0 = c0 / np.linalg.norm(c0)
    first = solution.states @ c0
    psi = (solution.states @ (np.exp(-1j * np.outer(solution.energies, times)) * c0[:, None])).T
    p = abs(psi) ** 2
    occupations = sector.occupations()
    columns = {"time": np.array(times), "norm": np.sqrt(p.sum(axis=1)), "loschmidt-echo": abs(psi @ first.conj()) ** 2,
               "energy": np.full(len(times), abs(c0) ** 2 @ solution.energies)}
    if model.species == 2:
        columns["double-occupancy"] = p @ (occupations[0] * occupations[1]).mean(axis=1)
    for s, name in enumerate(("occupation-up-", "occupation-down-") if model.species == 2 else ("occupation-",)):
        for i in range(n):
            columns[name + str(i)] = p @ occupations[s][:, i]
    return columns
