#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""Prints the constants of physics/trotter_test.cpp and of `strata selftest`, <S_j^z> and echoes of three small systems
from the Neel state (even spins down): products of exponentials, and the exact motion by numpy's eigh of the dense H."""

import numpy as np

from spin_half import Terms, product_state, spin, stages


def random_fields(spins):
    """h = 2 x / 2^31 - 1, x <- (1103515245 x + 12345) mod 2^31 from x = 12345."""
    x, fields = 12345, []
    for _ in range(spins):
        x = (1103515245 * x + 12345) % 2**31
        fields.append(2 * x / 2**31 - 1)
    return fields


def ring(spins, couplings, hx=0.0, hy=0.0):
    terms = Terms(spins)
    terms.field[:] = [spins * [hx], spins * [hy], random_fields(spins)]
    for j in range(spins):
        terms.couple(j, (j + 1) % spins, couplings)
    return terms


def dipolar_chain(spins):
    """2 zz - xx - yy over the cube of the distance."""
    terms = Terms(spins)
    for k in range(spins):
        for j in range(k):
            terms.couple(j, k, np.array([-1, -1, 2]) / (k - j) ** 3)
    return terms


def neel(spins):
    return product_state([(0, 1) if j % 2 == 0 else (1, 0) for j in range(spins)])


def sz(j, psi):
    return np.vdot(psi, spin(2, j, psi)).real


def split(terms, order, step, steps):
    psi = neel(terms.spins)
    for _ in range(steps):
        for axis, _, part in stages(order, "suzuki"):
            psi = terms.exponential(axis, part * step, psi)
    return psi


def exact(terms, t, psi):
    values, vectors = np.linalg.eigh(terms.dense())
    return vectors @ (np.exp(-1j * t * values) * (vectors.conj().T @ psi))


def main():
    ring8 = ring(8, (1, 1, 1))
    for name, terms in (("ring8", ring8), ("ring10", ring(10, (1, 0.7, 0.4), 0.3, -0.2)),
                        ("dipolar8", dipolar_chain(8))):
        print(f"{name}: <S_0^z> after 20 steps of 0.05, order 2: {sz(0, split(terms, 2, 0.05, 20)):.14f}; "
              f"5 steps of 0.2, order 4: {sz(0, split(terms, 4, 0.2, 5)):.14f}")
    psi = exact(ring8, 5, neel(8))
    print(f"ring8: exact at time 5: <S_0^z> {sz(0, psi):.12f}, <S_1^z> {sz(1, psi):.12f}")
    staggered = Terms(8)
    staggered.field[2] = [0.1 * (-1) ** j for j in range(8)]
    for t in (2, 5):
        back = exact(ring8.plus(staggered), -t, exact(ring8, t, neel(8)))
        print(f"ring8: echo after {t} there and back with 0.1 (-1)^j S_j^z: {abs(np.vdot(neel(8), back)) ** 2:.12f}")


if __name__ == "__main__":
    main()
