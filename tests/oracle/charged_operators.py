# SPDX-License-Identifier: BSD-3-Clause
"""Random operators in jobs of products_oracle.py that change what H conserves by a definite amount, and the states of
the sectors that they lead to."""

import math

import numpy as np

LOCAL = {"electrons": ("cdag_up {i}", "c_dn {i}", "S+ {i}", "cdag_up {i} cdag_dn {j}", "c_dn {j} c_dn {i}"),
         "t-j": ("cdag_up {i}", "c_dn {i}", "S- {i}", "cdag_up {i} cdag_dn {j}", "c_up {j} n {i}"),
         "fermions": ("cdag {i}", "c {i}", "cdag {i} cdag {j}", "n {j} c {i}"),
         "bosons": ("bdag {i}", "b {i}", "b {i} b {j}", "n {j} bdag {i}"),
         "spins": ("S+ {i}", "S- {i}", "S+ {i} S+ {j}", "Sz {j} S- {i}")}
FACTORS = ("1", "0.5i", "0.5-1i", "-2")


class Charged:
    """An operator of one or two lines, or a list over the sites of a ring, as text and matrices."""

    def __init__(self, case, name, lists, draw):
        rng, n = case.rng, case.sites
        self.raw, self.lines = [], []
        for _ in range(rng.choice((1, 1, 2))):
            factor, product = rng.choice(FACTORS[:1] if case.real and rng.random() < 0.7 else FACTORS), draw()
            if product is None:
                continue
            last = n if lists else 1
            texts = [f"{factor} {product.format(i=i, j=(i + 1) % n)}" for i in range(last)]
            some = [case.space.matrix(text) for text in texts]
            self.raw = [a + b for a, b in zip(self.raw, some)] if self.raw else some
            written = product.replace("{j}", "{i+1}") if lists else product.format(i=0, j=1 % n)
            self.lines.append(f"{name} = {factor} {written}")
        self.matrices = [case.projected(m) for m in self.raw]

    def changes(self, charges):
        """What the elements between states change; several tuples if they differ."""
        rows, columns = np.nonzero(sum(abs(m) for m in self.raw) > 1e-13)
        return {tuple((c[i] - c[j]) % m if m else c[i] - c[j] for c, m in charges) for i, j in zip(rows, columns)}

    def at(self, m):
        """The sum over the sites with the phases of wave vector m."""
        n = len(self.matrices)
        return sum(np.exp(-2j * np.pi * m * i / n) * o for i, o in enumerate(self.matrices)) / math.sqrt(n)


def random_product(case):
    def draw():
        for _ in range(50):
            factors = [(case.rng.choice(case.names), case.rng.randrange(case.sites))
                       for _ in range(case.rng.randint(1, 3))]
            text = " ".join(f"{name} {site}" for name, site in factors)
            if np.any(abs(case.space.matrix("1 " + text)) > 1e-13):
                return text
        return None
    return draw


def target(case, charges, states, change):
    """The states of the sector that a change leads to."""
    some = np.flatnonzero(states)[0]
    there = case.allowed()
    for (charge, modulus), by in zip(charges, change):
        value = charge[some] + by
        there = there & ((charge % modulus == value % modulus) if modulus else (charge == value))
    return there
