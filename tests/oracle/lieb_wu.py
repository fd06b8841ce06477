# SPDX-License-Identifier: BSD-3-Clause
"""Half-filled Hubbard rings by the equations of Lieb and Wu, PRL 20, 1445 (1968), for L electrons on L sites, M of them
with spin down, t = 1, u = U / 4:

    L k_j = 2 pi I_j - 2 sum_b atan((sin k_j - lambda_b) / u)
    2 sum_j atan((lambda_a - sin k_j) / u) = 2 pi J_a + 2 sum_b atan((lambda_a - lambda_b) / (2 u))
    E = -2 sum_j cos k_j,   momentum (2 pi / L) (sum_j I_j + sum_a J_a)

I_j are the L different integers (half-odd numbers for odd M) modulo L. J_a are different integers (half-odd numbers for
odd L - M) with |J_a| < (L - M) / 2: all of them for M = L / 2, all but two for M = L / 2 - 1, states of spin 1 that are
the lowest of their momentum wherever the ground state is not.
"""

import itertools

import numpy as np


def equations(k, rapidities, u, i, j):
    """What must be 0, and its derivatives by k and the rapidities."""
    sites = len(k)
    a, b = (np.sin(k)[:, None] - rapidities) / u, (rapidities[:, None] - rapidities) / (2 * u)
    value = np.concatenate([sites * k - 2 * np.pi * i + 2 * np.arctan(a).sum(axis=1),
                            -2 * np.arctan(a).sum(axis=0) - 2 * np.pi * j - 2 * np.arctan(b).sum(axis=1)])
    by_a, by_b = 2 / (u * (1 + a**2)), 1 / (u * (1 + b**2))
    cosines = np.cos(k)[:, None]
    derivatives = np.block([[np.diag(sites + (by_a * cosines).sum(axis=1)), -by_a],
                            [-(by_a * cosines).T, np.diag(by_a.sum(axis=0) - by_b.sum(axis=1)) + by_b]])
    return value, derivatives


def energy(interaction, i, j):
    """By Newton's method, from strong interaction to the one that is asked for."""
    sites, j = len(i), np.array(j, float)
    target = interaction / 4
    k, u = 2 * np.pi * i / sites, max(10.0, target)
    rapidities = u * np.tan(np.pi * j / sites)
    for u in np.geomspace(u, target, 40):
        for _ in range(100):
            value, derivatives = equations(k, rapidities, u, i, j)
            if abs(value).max() < 1e-12 * sites:
                break
            step = np.linalg.solve(derivatives, -value)
            step *= min(1.0, 0.5 / abs(step).max())
            k, rapidities = k + step[:sites], rapidities + step[sites:]
        else:
            raise ArithmeticError(f"the equations of Lieb and Wu for J = {j} are not solved")
    return -2 * np.cos(k).sum()


def states(sites, interaction, holes):
    """[(number of the momentum, energy)] of all states with 0 or 2 holes among the J_a."""
    down = sites // 2 - holes // 2
    i = np.arange(sites) - (sites - 1) / 2 + (0 if down % 2 == 1 else 0.5)
    j = np.arange(sites - down) - (sites - down - 1) / 2
    found = []
    for some in itertools.combinations(j, down):
        momentum = i.sum() + sum(some)
        found.append((round(momentum) % sites, energy(interaction, i, some)))
    return found


def lowest_energies(sites, interaction):
    """[momentum] the energies of the ground state and of the lowest triplets, and the momentum of the ground state."""
    [(momentum, ground)] = states(sites, interaction, 0)
    triplets = states(sites, interaction, 2)
    lowest = [min((e for m, e in triplets if m == k), default=np.inf) for k in range(sites)]
    lowest[momentum] = min(ground, lowest[momentum])
    return np.array(lowest), momentum
