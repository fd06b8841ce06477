# SPDX-License-Identifier: BSD-3-Clause
"""Exact values of the Ising model on the square lattice, for plot.py."""

import numpy as np

CRITICAL = 2 / np.log(1 + np.sqrt(2))  # T_c, in J/k_B


def log_partition_function(rows, columns, k):
    """ln Z of a torus at the couplings k = J / (k_B T), without N/2 ln(2 sinh 2k) (B. Kaufman, Phys. Rev. 76, 1232 (1949));
    gamma_0 is negative above T_c."""
    k = np.asarray(k)[:, None]
    ratio = np.cosh(2 * k) ** 2 / np.sinh(2 * k)
    gamma = np.arccosh(np.maximum(1, ratio - np.cos(np.pi * np.arange(1, 2 * rows) / rows)))
    gamma = np.concatenate([2 * k + np.log(np.tanh(k)), gamma], axis=1) * columns / 2
    logs, signs = [], []
    for chosen in (gamma[:, 1::2], gamma[:, 0::2]):
        size = np.abs(chosen)
        logs += [np.sum(size + np.log1p(np.exp(-2 * size)), axis=1),
                 np.sum(size + np.log(-np.expm1(-2 * np.maximum(size, 1e-300))), axis=1)]
        signs += [np.ones(len(k)), np.prod(np.sign(chosen), axis=1)]
    most = np.max(logs, axis=0)
    return most + np.log(sum(s * np.exp(x - most) for s, x in zip(signs, logs)))


def torus(rows, columns, temperature):
    """Energy and specific heat per site at the temperatures, by differences of ln Z."""
    k, h, sites = 1 / np.asarray(temperature), 1e-4, rows * columns
    below, here, above = (log_partition_function(rows, columns, k + d) for d in (-h, 0, h))
    energy = -((above - below) / (2 * h) / sites + 1 / np.tanh(2 * k))
    heat = k**2 * ((above - 2 * here + below) / h**2 / sites - 2 / np.sinh(2 * k) ** 2)
    return energy, heat


def magnetisation(temperature):
    """|m| of the infinite lattice (C. N. Yang, Phys. Rev. 85, 808 (1952))."""
    return np.maximum(0, 1 - np.sinh(2 / np.asarray(temperature)) ** -4.0) ** 0.125
