#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Random lists of terms with patterns, {i}, {i+1}, {<i,j>}, on rings, chains, ladders, squares and files of edges, by
lanczos on 1 to 3 ranks, against the dense matrices of all terms that they stand for, written out here. Checks as in
products_oracle.py, with observables over sites, pairs and bonds."""

import random
import sys

import numpy as np

import operators
import products_oracle
import program
from lanczos_oracle import number


def bonds_of(rng):
    """(keys of a lattice, files, number of sites, bonds, whether sites have successors: "", "chain" or "ring")"""
    kind = rng.choice(("ring", "ring", "chain", "chain", "square", "ladder", "file"))
    if kind in ("ring", "chain"):
        n = rng.randint(2, 7)
        bonds = [(i, (i + 1) % n) for i in range(n if kind == "ring" else n - 1)]
        return {"lattice.type": kind, "lattice.extents": n}, {}, n, bonds, kind
    if kind == "square":
        a, b = rng.choice(((2, 2), (3, 2), (2, 3)))
        bonds = [(x + a * y, other) for y in range(b) for x in range(a)
                 for other in ((x + 1) % a + a * y, x + a * ((y + 1) % b))]
        return {"lattice.type": kind, "lattice.extents": [a, b]}, {}, a * b, bonds, ""
    if kind == "ladder":
        length, legs = rng.choice(((2, 2), (3, 2), (2, 3)))
        sites = [(x, y) for x in range(length) for y in range(legs)]
        bonds = [(legs * x + y, legs * (x + dx) + y + dy) for x, y in sites for dx, dy in ((1, 0), (0, 1))
                 if x + dx < length and y + dy < legs]
        return {"lattice.type": kind, "lattice.extents": [length, legs]}, {}, length * legs, bonds, ""
    n = rng.randint(2, 6)
    bonds = [(i, rng.randrange(i)) for i in range(1, n)] + [(0, n - 1)]
    text = "".join(f"{a} {b} {rng.choice(('', '1', '0.5'))}\n" for a, b in bonds)
    return {"lattice.type": "file", "lattice.file": "edges.txt"}, {"edges.txt": text}, n, bonds, ""


def sorted_rows(matrix):
    """A sparse matrix whose elements other than 0 are stored row by row."""
    matrix = matrix.tocsr()
    matrix.sum_duplicates()
    matrix.eliminate_zeros()
    return matrix


class Case(products_oracle.Case):
    def __init__(self, seed, index):
        rng = self.rng = random.Random(f"patterns {seed} {index}")
        self.kind = rng.choice(("electrons", "fermions", "spins", "spins"))
        self.twice = products_oracle.TWICE.get(self.kind, 0)
        while True:
            self.lattice, self.files, self.sites, self.bonds, self.line = bonds_of(rng)
            if self.sites <= (4 if self.kind == "electrons" else 8):
                break
        kind = {"electrons": operators.electrons, "fermions": operators.fermions, "spins": lambda: operators.spins(1)}
        self.space = operators.Space(self.sites * [kind[self.kind]()])
        self.numbers = np.array([n.sum(axis=1) for n in self.space.occupations()])
        self.h = np.zeros(2 * (self.space.dimension,), complex)
        self.lines, self.listed, self.refusal = [], [], ""
        self.real, self.alone, self.ring = rng.random() < 0.5, True, False
        wanted = products_oracle.WANTED["two" if self.kind == "electrons" else "one"]
        self.wanted = rng.choice(list(wanted))
        charges = wanted[self.wanted]
        charges = None if charges is None else [np.array(c) @ self.numbers for c in charges]
        for _ in range(rng.randint(1, 5)):
            self.draw_pattern(charges)
        self.lines.append("0 " + dict(electrons="n_up 0", fermions="cdag {i} c {i}", spins="Sz {i}")[self.kind])
        rng.shuffle(self.lines)
        self.complex = bool(np.any(self.h.imag))

    def places(self, bond):
        """Words for the sites of a random term, and for each term that they stand for the sites."""
        rng, n = self.rng, self.sites
        choices = ["{i}", "{i}", "{j}"] if bond else ["{i}", "{i}"]
        if self.line:
            choices += [f"{{i{s}{rng.randint(1, n - 1)}}}" for s in "+-"]
        if rng.random() < 0.2:
            choices.append(str(rng.randrange(n)))
        words = [rng.choice(choices) for _ in range(rng.randint(1, 3))]
        if bond:
            words += ["{i}", "{j}"]
            rng.shuffle(words)
        return words, [sites for i, j in (self.bonds if bond else [(i, None) for i in range(n)])
                       for sites in [[self.site(word, i, j) for word in words]] if None not in sites]

    def site(self, word, i, j):
        if not word.startswith("{"):
            return int(word)
        site = (i if word[1] == "i" else j) + int(word[2:-1] or 0)
        return site % self.sites if self.line == "ring" else site if 0 <= site < self.sites else None

    def matrix(self, names, sites):
        return sorted_rows(self.space.sparse([(1.0, tuple(zip(names, sites)))]).astype(complex))

    def draw_pattern(self, charges):
        rng = self.rng
        kept = [] if charges is None else [*charges, self.numbers.sum(axis=0) % 2]
        for _ in range(60):
            bond = rng.random() < 0.5
            words, places = self.places(bond)
            names = [rng.choice(products_oracle.NAMES[self.kind]) for _ in words]
            some = [self.matrix(names, sites) for sites in places]
            if not any(m.nnz for m in some) or not any(w.startswith("{") for w in words):
                continue
            if all(np.array_equal(c[rows], c[columns]) for m in some for rows, columns in [m.nonzero()]
                   for c in kept):
                break
        else:
            return
        some = [m for m in some if m.nnz]
        signs = {1 if abs(m - m.conj().T).max() < 1e-13 else -1 if abs(m + m.conj().T).max() < 1e-13 else 0
                 for m in some}
        if len(signs) > 1:
            return
        sign, coefficient = signs.pop(), complex(number(rng, -1.5, 1.5), 0 if self.real else number(rng, -1, 1))
        if sign:
            coefficient = complex(coefficient.real) if sign > 0 else 1j * coefficient.real
        unit = [m / m.data[0] for m in some]
        adjoint = [m / m.data[0] for m in (sorted_rows(m.conj().T) for m in some)]
        same = lambda a, b: abs(a - b).max() < 1e-13  # noqa: E731
        if not sign and any(same(a, b) for a in adjoint for b in self.listed):
            return
        if not sign and any(same(a, b) for a in adjoint for b in unit):
            if rng.random() < 0.8:
                return
            self.refusal = "stands for terms of which one is the Hermitian conjugate"
        if not sign:
            self.listed += unit
        for m in some:
            self.h += (coefficient * m + (0 if sign else coefficient.conjugate()) * m.conj().T).toarray()
        text = f"{coefficient.real!r}{coefficient.imag:+.17g}i" if coefficient.imag else repr(coefficient.real)
        self.lines.append(" ".join([text, *bond * ["{<i,j>}"], *(f"{n} {w}" for n, w in zip(names, words))]))

    def job(self, keys):
        job = super().job({**keys, **self.lattice})
        job.files.update(self.files)
        return job


def examine(seed, index, account, state, options):
    case = Case(seed, index)
    if case.refusal:
        job = case.job({})
        state.update(task="refused", job=job)
        outcome = program.run(job)
        return account.claim("lists whose conjugates are not clear are refused",
                             outcome.code == 2 and case.refusal in outcome.said)
    return products_oracle.examine_case(case, account, state, options)


if __name__ == "__main__":
    sys.exit(program.main(__doc__, examine))
