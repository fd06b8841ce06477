# SPDX-License-Identifier: BSD-3-Clause
"""Random products of any operators of spins 1/2 as terms of H: their lines, and the matrix that they add, from
Kronecker products of 2x2 matrices. Bit j of a state is spin j, 0 is up."""

import functools

from scipy.sparse import csr_matrix, identity, kron

from checks import number

UP_DOWN = {"Sx": [[0, 0.5], [0.5, 0]], "Sy": [[0, -0.5j], [0.5j, 0]], "Sz": [[0.5, 0], [0, -0.5]],
           "S+": [[0, 1], [0, 0]], "S-": [[0, 0], [1, 0]], "X": [[0, 1], [1, 0]], "Y": [[0, -1j], [1j, 0]],
           "Z": [[1, 0], [0, -1]]}


def on_site(name, site, spins):
    return functools.reduce(kron, [identity(2**(spins - 1 - site)), csr_matrix(UP_DOWN[name], dtype=complex),
                                   identity(2**site)]).tocsr()


def product(factors, spins):
    """The last operator acts first."""
    return functools.reduce(lambda a, b: a @ b, [on_site(name, site, spins) for name, site in factors])


def is_zero(matrix):
    return abs(matrix).max() < 1e-14


def random_strings(rng, spins, count):
    """Lines, the Hermitian matrix that they mean, and a bound of its norm. Conjugates are added to products that are
    not their own conjugate; two such products have different sites, so that none is the conjugate of another."""
    lines, total, bound, taken = [], csr_matrix((2**spins, 2**spins), dtype=complex), 0.0, set()
    for _ in range(count):
        sites = rng.sample(range(spins), rng.randint(1, min(spins, 5)))
        if rng.random() < 0.15:
            sites.append(rng.choice(sites))
        names = rng.choice((("Sx", "Sy", "Sz"), ("X", "Y", "Z"), ("S+", "S-"), ("S+", "S-", "Sz"), tuple(UP_DOWN)))
        factors = [(rng.choice(names), site) for site in sites]
        matrix, value = product(factors, spins), complex(number(rng, -1, 1))
        if is_zero(matrix + matrix.conj().T):
            value *= 1j
        elif not is_zero(matrix - matrix.conj().T):
            if len(set(sites)) < len(sites) or frozenset(sites) in taken:
                continue
            taken.add(frozenset(sites))
            value = rng.choice((value, complex(value.real, number(rng, -1, 1)), 1j * value))
            matrix = matrix + value.conjugate() / value * matrix.conj().T if value else matrix
        total, bound = total + value * matrix, bound + 2 * abs(value) * abs(matrix).sum(axis=1).max()
        text = f"{value.real}" if not value.imag else f"{value.real}{value.imag:+}i" if value.real else f"{value.imag}i"
        lines.append(" ".join([text, *(f"{name} {site}" for name, site in factors)]))
    return lines, total, bound
