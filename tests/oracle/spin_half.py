# SPDX-License-Identifier: BSD-3-Clause
"""Spins 1/2 from their definitions: H_a = sum_j h_j S_j^a + sum_{j<k} J_jk S_j^a S_k^a, products of its exponentials,
expectation values. Bit j of a basis state is spin j, 0 is up; S = sigma / 2, hbar = 1."""

import functools
import math

import numpy as np
from scipy.sparse import csr_matrix

import operators

PAULI = (np.array([[0, 1], [1, 0]], complex), np.array([[0, -1j], [1j, 0]], complex),
         np.array([[1, 0], [0, -1]], complex))
HALF = math.sqrt(0.5)
LETTERS = {"u": (1, 0), "0": (1, 0), "d": (0, 1), "1": (0, 1), "+": (HALF, HALF), "-": (HALF, -HALF),
           "r": (HALF, 1j * HALF), "l": (HALF, -1j * HALF)}


def on_spin(matrix, j, psi):
    """A 2x2 matrix applied to spin j."""
    parts = psi.reshape(-1, 2, 2**j)
    return np.einsum("ab,xbl->xal", matrix, parts).reshape(-1)


@functools.cache
def spin_matrix(axis, j, spins):
    """S_j^axis; a digit of operators.py is 1 where the bit of a state is 0."""
    space = operators.Space(spins * [operators.spins(1)])
    rows, columns, values = space.elements(f"1 S{'xyz'[axis]} {j}")
    return csr_matrix((values, (space.dimension - 1 - rows, space.dimension - 1 - columns)))


def spin(axis, j, psi):
    """S_j^axis on a state, or on several columns."""
    return spin_matrix(axis, j, len(psi).bit_length() - 1) @ psi


def product_state(spinors):
    state = np.array([1.0 + 0j])
    for spinor in spinors:
        state = np.kron(np.array(spinor, complex), state)
    return state


class Terms:
    """Fields [axis][spin] and couplings [axis][j][k], j < k, and a sparse matrix of other products with a bound of its
    norm, which has no factors in time."""

    def __init__(self, spins):
        self.spins, self.field, self.coupling = spins, np.zeros((3, spins)), np.zeros((3, spins, spins))
        self.others, self.others_bound = csr_matrix((2**spins, 2**spins), dtype=complex), 0.0

    def couple(self, j, k, couplings):
        self.coupling[:, min(j, k), max(j, k)] += couplings

    def scaled(self, field, coupling):
        """With factors [axis] of fields and of couplings."""
        result = Terms(self.spins)
        result.field = self.field * np.reshape(field, (3, 1))
        result.coupling = self.coupling * np.reshape(coupling, (3, 1, 1))
        result.others, result.others_bound = self.others, self.others_bound
        return result

    def plus(self, other):
        result = Terms(self.spins)
        result.field, result.coupling = self.field + other.field, self.coupling + other.coupling
        result.others = self.others + other.others
        result.others_bound = self.others_bound + other.others_bound
        return result

    def size(self):
        """An upper bound of |energy|."""
        return float(abs(self.field).sum() / 2 + abs(self.coupling).sum() / 4) + self.others_bound

    def width(self):
        """An upper bound of the width of the spectrum: the sum of those of all fields and pairs."""
        width = sum(np.linalg.norm(self.field[:, j]) for j in range(self.spins))
        for j in range(self.spins):
            for k in range(j + 1, self.spins):
                levels = np.linalg.eigvalsh(sum(self.coupling[a, j, k] / 4 * np.kron(PAULI[a], PAULI[a])
                                                for a in range(3)))
                width += levels[-1] - levels[0]
        return float(width) + 2 * self.others_bound

    def turn(self):
        """The largest difference of two levels of one field or coupling alone; 0 where all terms are of one axis."""
        axes = [a for a in range(3) if self.field[a].any() or self.coupling[a].any()]
        return max(abs(self.field).max(), abs(self.coupling).max() / 2) if len(axes) > 1 else 0.0

    def apply(self, axis, psi):
        """H_axis psi."""
        result = np.zeros_like(psi)
        for j in range(self.spins):
            flipped = spin(axis, j, psi)
            result += self.field[axis, j] * flipped
            for k in range(j + 1, self.spins):
                if self.coupling[axis, j, k]:
                    result += self.coupling[axis, j, k] * spin(axis, k, flipped)
        return result

    def dense(self, axes=(0, 1, 2)):
        of_axes = sum(self.apply(a, np.eye(2**self.spins, dtype=complex)) for a in axes)
        return of_axes + self.others.toarray() if len(axes) == 3 else of_axes

    def exponential(self, axis, t, psi):
        """exp(-i t H_axis) psi in the common eigenbasis of all S_j^axis."""
        values, vectors = np.linalg.eigh(PAULI[axis])
        for j in range(self.spins):
            psi = on_spin(vectors.conj().T, j, psi)
        signs = [np.where(np.arange(2**self.spins) >> j & 1, values[1], values[0]) / 2 for j in range(self.spins)]
        energy = sum(self.field[axis, j] * signs[j] for j in range(self.spins))
        for j in range(self.spins):
            for k in range(j + 1, self.spins):
                energy = energy + self.coupling[axis, j, k] * signs[j] * signs[k]
        psi = np.exp(-1j * t * energy) * psi
        for j in range(self.spins):
            psi = on_spin(vectors, j, psi)
        return psi


def second_order(start, length):
    half, middle = length / 2, start + length / 2
    return [(2, start, half), (1, start, half), (0, start, length), (1, middle, half), (2, middle, half)]


def blanes_moan():
    """Blanes & Moan (2002), Table 2, S6: exponentials a1 b1 a2 ... b1 a1 of A and B. A composition of the method
    e_z e_y e_x and of its adjoint e_x e_y e_z in the order c1, c2, ... has, for H = A + B, the coefficients a1 = c1,
    b1 = c1 + c2, a2 = c2 + c3, ..."""
    a1, a2, a3 = 0.0792036964311957, 0.353172906049774, -0.0420650803577195
    a4 = 1 - 2 * (a1 + a2 + a3)
    b1, b2 = 0.209515106613362, -0.143851773179818
    b3 = 0.5 - b1 - b2
    merged = [b1, a2, b2, a3, b3, a4, b3, a3, b2, a2, b1, a1]
    parts = [a1]
    for value in merged[:-1]:
        parts.append(value - parts[-1])
    stages, start = [], 0.0
    for i, part in enumerate(parts):
        stages += [(axis, start, part) for axis in ((2, 1, 0) if i % 2 == 0 else (0, 1, 2))]
        start += part
    return stages


def stages(order, scheme):
    """(axis, place in the step, part of it) of intervals over which H of the axis is integrated, the first one acting
    first."""
    if order == 1:
        return [(0, 0, 1), (1, 0, 1), (2, 0, 1)]
    if order == 2:
        return second_order(0, 1)
    if scheme == "blanes-moan":
        return blanes_moan()
    a = 1 / (4 - 4 ** (1 / 3))
    result, start = [], 0.0
    for part in (a, a, 1 - 4 * a, a, a):
        result += second_order(start, part)
        start += part
    return result


def rotate(axis, angle, spins, psi):
    """exp(-i angle sum_j S_j)."""
    for j in spins:
        psi = on_spin(math.cos(angle / 2) * np.eye(2) - 1j * math.sin(angle / 2) * PAULI[axis], j, psi)
    return psi


def energy(terms, psi):
    return float(sum(np.vdot(psi, terms.apply(a, psi)).real for a in range(3)) + np.vdot(psi, terms.others @ psi).real)


def entropy(psi, spins, cut):
    """-sum p ln p of the squared Schmidt coefficients between the spins of the cut and the others."""
    tensor = psi.reshape([2] * spins)  # axis i is spin N - 1 - i
    first = [spins - 1 - j for j in cut]
    matrix = np.transpose(tensor, first + [i for i in range(spins) if i not in first]).reshape(2 ** len(cut), -1)
    p = np.linalg.svd(matrix, compute_uv=False) ** 2
    p = p[p > 0] / p.sum()
    return float(-(p * np.log(p)).sum())


def columns(psi, terms, start, wanted, cut=()):
    """Every column that run.observables = wanted means, by its name."""
    spins = terms.spins
    p = abs(psi) ** 2
    flipped = [[spin(a, j, psi) for j in range(spins)] for a in range(3)]
    s = [[np.vdot(psi, flipped[a][j]).real for j in range(spins)] for a in range(3)]

    def pair(a, j, k):
        return np.vdot(flipped[a][j], flipped[a][k]).real
    row = {}
    if "energy" in wanted:
        row["energy"] = energy(terms, psi)
    if "loschmidt-echo" in wanted:
        row["loschmidt-echo"] = abs(np.vdot(start, psi)) ** 2
    for a, axis in enumerate("xyz"):
        if "s" + axis in wanted:
            row.update({f"s{axis}-{j}": s[a][j] for j in range(spins)})
        if "total" in wanted:
            row["total-" + axis] = sum(s[a])
        if "correlations-" + axis in wanted:
            row.update({f"correlations-{axis}-{j}-{k}": pair(a, j, k) for k in range(spins) for j in range(k)})
    if "staggered" in wanted:
        row["staggered-z"] = sum((-1) ** j * s[2][j] for j in range(spins))
    if "structure-factor" in wanted:
        for m in range(spins // 2 + 1):
            wave = sum(np.exp(2j * math.pi * m * j / spins) * flipped[2][j] for j in range(spins))
            row[f"structure-factor-{m}"] = np.vdot(wave, wave).real / spins
    if "distribution" in wanted:
        down = np.array([bin(x).count("1") for x in range(2**spins)])
        row.update({f"distribution-{n}": p[down == n].sum() for n in range(spins + 1)})
    if "participation" in wanted:
        row["participation"] = (p**2).sum()
    if "entropy" in wanted:
        row["entropy"] = entropy(psi, spins, cut)
    return row


def philox(seed, counter):
    """Salmon et al. (2011), Philox-4x32 with ten rounds."""
    mask = 2**32 - 1
    k0, k1 = seed & mask, seed >> 32
    c = list(counter)
    for _ in range(10):
        p0, p1 = 0xD2511F53 * c[0], 0xCD9E8D57 * c[2]
        c = [(p1 >> 32) ^ c[1] ^ k0, p1 & mask, (p0 >> 32) ^ c[3] ^ k1, p0 & mask]
        k0, k1 = (k0 + 0x9E3779B9) & mask, (k1 + 0xBB67AE85) & mask
    return c


def uniform(words, first):
    """53 bits of two words, in [0, 1)."""
    return ((words[first + 1] << 32 | words[first]) >> 11) / 2**53


def random_fields(seed, spins):
    """In [-1, 1)."""
    return [2 * uniform(philox(seed, (j, 0, 0, 0x54724669)), 0) - 1 for j in range(spins)]


def random_state(seed, spins, sample, polarised=None):
    """Gaussian amplitudes; with a polarised spin random phases where it is up."""
    state = np.zeros(2**spins, complex)
    for x in range(2**spins):
        words = philox(seed, (x, 0, sample, 0x54725374))
        phase = np.exp(2j * math.pi * uniform(words, 2))
        if polarised is None:
            state[x] = math.sqrt(-math.log(uniform(words, 0) + 2.0**-53)) * phase
        elif not x >> polarised & 1:
            state[x] = phase
    return state / np.linalg.norm(state)
