#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""Sums of products of site operators as matrices between product states, for all oracles: electrons, fermions without
spin, spins of any S, bosons, and sites of several kinds. Nothing here is shared with the program.

A term is `coefficient op site op site ...`; the last operator acts first. A site has modes, a mode has a digit: 0 or 1
fermion, m + S of a spin, the number of bosons. A fermion operator takes the sign of the fermions on the modes before
its own one (Jordan and Wigner). Run as a script, it compares all this with Kronecker products."""

import fractions
import functools
import random
import sys

import numpy as np
import scipy.sparse

LOWER = np.array([[0.0, 1], [0, 0]])
NUMBER = np.diag([0.0, 1])


class Kind:
    """Sites of one kind: the number of states of each mode, whether modes are of fermions, and the operators: name ->
    [(coefficient, ((mode, matrix), ...)), ...], a sum of products whose last factor acts first."""

    def __init__(self, bases, fermions, **operators):
        self.bases, self.fermions, self.operators = bases, fermions, operators

    def define(self, name, *terms):
        """A sum of products of operators that are there: (coefficient, name, name, ...)."""
        self.operators[name] = [(c * a, p) for c, *names in terms for a, p in self.products(names)]

    def products(self, names):
        if not names:
            return [(1.0, ())]
        return [(a * b, p + q) for a, p in self.operators[names[0]] for b, q in self.products(names[1:])]

    def define_components(self):
        """Sx and Sy from S+ and S-."""
        self.define("Sx", (0.5, "S+"), (0.5, "S-"))
        self.define("Sy", (-0.5j, "S+"), (0.5j, "S-"))


def one_mode(**matrices):
    return {name.replace("plus", "+").replace("minus", "-"): [(1.0, ((0, matrix),))]
            for name, matrix in matrices.items()}


@functools.cache
def electrons():
    kind = Kind((2, 2), True)
    for mode, spin in enumerate(("up", "dn")):
        for name, matrix in (("c", LOWER), ("cdag", LOWER.T), ("n", NUMBER)):
            kind.operators[f"{name}_{spin}"] = [(1.0, ((mode, matrix),))]
    kind.define("n", (1, "n_up"), (1, "n_dn"))
    kind.define("Sz", (0.5, "n_up"), (-0.5, "n_dn"))
    kind.define("S+", (1, "cdag_up", "c_dn"))
    kind.define("S-", (1, "cdag_dn", "c_up"))
    kind.define_components()
    kind.define("P0", (1,), (-1, "n_up", "n_dn"))
    return kind


@functools.cache
def fermions():
    return Kind((2,), True, **one_mode(c=LOWER, cdag=LOWER.T, n=NUMBER))


@functools.cache
def spins(twice):
    """Of S = twice / 2."""
    s, m = twice / 2, np.arange(twice + 1) - twice / 2
    lower = np.diag(np.sqrt(s * (s + 1) - m[1:] * (m[1:] - 1)), 1)
    kind = Kind((twice + 1,), False, **one_mode(Sminus=lower, Splus=lower.T, Sz=np.diag(m)))
    kind.define_components()
    if twice == 1:
        for name in "XYZ":
            kind.define(name, (2, "S" + name.lower()))
    return kind


@functools.cache
def bosons(most):
    """At most so many on a site."""
    lower = np.diag(np.sqrt(np.arange(1.0, most + 1)), 1)
    return Kind((most + 1,), False, **one_mode(b=lower, bdag=lower.T, n=np.diag(np.arange(most + 1.0))))


def number(word):
    """A coefficient: real, a+bi or 1/2."""
    if word.endswith("i"):
        return complex(word[:-1] + "j")
    return float(fractions.Fraction(word)) if "/" in word else float(word)


def parse(text):
    """[(coefficient, ((name, site), ...)), ...] of the terms of a text, one a line or between semicolons."""
    lines = (line.split("#")[0].split() for line in text.replace(";", "\n").splitlines())
    return [(number(words[0]), tuple(zip(words[1::2], map(int, words[2::2])))) for words in lines if words]


class Space:
    """Product states of the sites, those of given numbers of particles. particles: the sum of the digits of the first
    modes of all sites, of the second modes, ...; all states without it. order: modes are those of one species after
    another, or those of one site after another. The first mode is the lowest digit of a string."""

    def __init__(self, kinds, particles=None, order="species"):
        self.kinds, self.sites, self.particles, self.order = list(kinds), len(kinds), particles, order
        self.modes = [(site, m) for site, kind in enumerate(kinds) for m in range(len(kind.bases))]
        if order == "species":
            self.modes.sort(key=lambda mode: mode[::-1])
        self.position = {mode: k for k, mode in enumerate(self.modes)}
        self.bases = [kinds[site].bases[m] for site, m in self.modes]
        self.fermions = np.array([kinds[site].fermions for site, _ in self.modes])
        self.places = np.array([int(np.prod(self.bases[:k], dtype=object)) for k in range(len(self.bases))], np.uint64)
        self.digits = self.enumerate(particles)  # [mode, state]
        self.strings = self.encode(self.digits)

    def enumerate(self, particles):
        """From the last mode to the first one, so that strings ascend."""
        species = max(m for _, m in self.modes) + 1
        left = np.full((species, 1), 0 if particles is None else np.reshape(particles, (-1, 1)))
        room = np.zeros(species, int)
        for (_, m), base in zip(self.modes, self.bases):
            room[m] += base - 1
        digits = np.zeros((0, 1), np.int8)
        for (_, m), base in zip(self.modes[::-1], self.bases[::-1]):
            new = np.tile(np.arange(base, dtype=np.int8), digits.shape[1])
            digits, left = np.vstack((new, np.repeat(digits, base, axis=1))), np.repeat(left, base, axis=1)
            if particles is not None:
                left[m] -= new
                room[m] -= base - 1
                possible = (left[m] >= 0) & (left[m] <= room[m])
                digits, left = digits[:, possible], left[:, possible]
        return digits

    def encode(self, digits):
        return self.places @ digits.astype(np.uint64)

    @property
    def dimension(self):
        return len(self.strings)

    def index(self, strings):
        return np.searchsorted(self.strings, strings)

    def string(self, *occupied):
        """Index of the product state in which these modes have the digit 1 and others 0."""
        return int(self.index(np.array([self.places[list(occupied)].sum()], np.uint64))[0])

    def occupations(self):
        """[species][state, site], for sites of one kind."""
        return [np.stack([self.digits[self.position[i, m]] for i in range(self.sites)], axis=1).astype(float)
                for m in range(len(self.kinds[0].bases))]

    def after(self, factors):
        """What a product ((name, site), ...) makes of all product states: (columns, strings, values)."""
        states = np.arange(self.dimension), self.digits, np.ones(self.dimension)
        for name, site in reversed(factors):
            parts = []
            for coefficient, product in self.kinds[site].operators[name]:
                part = states[0], states[1], coefficient * states[2]
                for mode, matrix in reversed(product):
                    part = self.on_mode(self.position[site, mode], matrix, part)
                parts.append(part)
            states = [np.concatenate(some, axis=-1) for some in zip(*parts)] if len(parts) > 1 else parts[0]
        return states[0], self.encode(states[1]), states[2]

    def on_mode(self, k, matrix, states):
        columns, digits, values = states
        parts = []
        for new, old in zip(*np.nonzero(matrix)):
            at = np.flatnonzero(digits[k] == old)
            moved, some = digits[:, at], values[at] * matrix[new, old]
            moved[k] = new
            if self.fermions[k] and new != old:
                some = some * (1 - 2 * (moved[:k][self.fermions[:k]].sum(axis=0) % 2))
            parts.append((columns[at], moved, some))
        return [np.concatenate(some, axis=-1) for some in zip(*parts)]

    def elements(self, terms, target=None):
        """(rows, columns, values) of a sum of terms, a text or a list, from here to another space of these sites."""
        target = target or self
        found = [(columns, strings, coefficient * values) for coefficient, factors in
                 (parse(terms) if isinstance(terms, str) else terms)
                 for columns, strings, values in (self.after(factors),)]
        if not found:
            return np.zeros(0, int), np.zeros(0, int), np.zeros(0)
        columns, strings, values = (np.concatenate(some) for some in zip(*found))
        rows = np.minimum(target.index(strings), target.dimension - 1)
        outside = target.strings[rows] != strings
        self.expect_to_cancel(strings[outside], columns[outside], values[outside])
        values = values[~outside]
        return rows[~outside], columns[~outside], values if np.any(np.imag(values)) else np.real(values)

    @staticmethod
    def expect_to_cancel(strings, columns, values):
        """Products may lead out of the space (Sx Sx + Sy Sy of a sector), their sum may not."""
        if not len(values):
            return
        order = np.lexsort((columns, strings))
        strings, columns, values = strings[order], columns[order], values[order]
        begin = np.flatnonzero(np.append(True, (np.diff(columns) != 0) | (strings[1:] != strings[:-1])))
        if abs(np.add.reduceat(values, begin)).max() > 1e-12 * abs(values).max():
            raise ValueError("the operator leads out of the space")

    def matrix(self, terms, target=None):
        """Dense."""
        rows, columns, values = self.elements(terms, target)
        m = np.zeros(((target or self).dimension, self.dimension), values.dtype)
        np.add.at(m, (rows, columns), values)
        return m

    def sparse(self, terms):
        """matrix() as a sparse one, which repeated elements add up to."""
        rows, columns, values = self.elements(terms)
        return scipy.sparse.csr_matrix((values, (rows, columns)), (self.dimension,) * 2)

    def diagonal(self, *factors):
        """Real values of a diagonal product of (name, site) on all states."""
        rows, columns, values = self.elements([(1.0, factors)])
        assert np.array_equal(rows, columns)
        return np.bincount(rows, weights=values, minlength=self.dimension)

    def mean(self, terms, psi):
        """<psi| sum |psi>."""
        rows, columns, values = self.elements(terms)
        return psi[rows].conj() @ (values * psi[columns])

    def permuted(self, image):
        """All particles of mode k on mode image[k]: (where each state goes, its sign)."""
        digits, sign = np.empty_like(self.digits), np.ones(self.dimension)
        digits[image] = self.digits
        own = np.flatnonzero(self.fermions)
        for a, b in ((a, b) for a in own for b in own if a < b and image[a] > image[b]):
            sign *= 1 - 2 * (self.digits[a] & self.digits[b])
        return self.index(self.encode(digits)), sign

    def moved(self, image):
        """The matrix that moves what is on site i to site image[i]."""
        rows, sign = self.permuted([self.position[image[site], m] for site, m in self.modes])
        matrix = np.zeros((self.dimension,) * 2)
        matrix[rows, np.arange(self.dimension)] = sign
        return matrix

    def turned(self, psi):
        """Spins turned over: up and down electrons change places, spins change their sign; psi: one or several
        columns."""
        if len(self.kinds[0].bases) == 2:
            rows, sign = self.permuted([self.position[site, 1 - m] for site, m in self.modes])
        else:
            rows, sign = self.index(self.encode(np.reshape(self.bases, (-1, 1)) - 1 - self.digits)), 1.0
        result = np.empty_like(psi)
        result[rows] = (np.transpose(psi) * sign).T
        return result

    def cut(self, psi, sites):
        """The state as a matrix between strings of the first sites and of the others, where modes are in the order of
        the sites."""
        k = sum(len(kind.bases) for kind in self.kinds[:sites])
        assert all(site < sites for site, _ in self.modes[:k])
        rows = int(np.prod(self.bases[:k]))
        matrix = np.zeros((rows, int(np.prod(self.bases[k:]))), psi.dtype)
        matrix[self.strings % rows, self.strings // rows] = psi
        return matrix


def by_kronecker_products(space, factors):
    """The matrix of a product on all states, with strings of parities in place of counted fermions."""
    def on_mode(k, own):
        odd = space.fermions[k] and not np.array_equal(own, np.diag(np.diag(own)))
        return functools.reduce(np.kron, [
            own if j == k else np.diag([1.0, -1]) if odd and j < k and space.fermions[j] else np.eye(space.bases[j])
            for j in reversed(range(len(space.bases)))])

    def of(name, site):
        k, spin = space.position[site, 0], name.partition("_")[2]
        base = space.bases[k]
        raising = np.diag(np.sqrt([(j + 1.0) * (base - 1 - j) for j in range(base - 1)]), -1)  # of a spin
        adding = np.diag(np.sqrt(np.arange(1.0, base)), -1)
        simple = {"S+": raising, "S-": raising.T, "Sx": (raising + raising.T) / 2, "Sy": (raising - raising.T) / 2j,
                  "Sz": (raising @ raising.T - raising.T @ raising) / 2, "bdag": adding, "b": adding.T,
                  "n": adding @ adding.T, "cdag": adding, "c": adding.T}
        simple |= {axis: 2 * simple["S" + axis.lower()] for axis in "XYZ"}
        if len(space.kinds[site].bases) == 1:
            return on_mode(k, simple[name])
        up, dn = (on_mode(space.position[site, m], adding) for m in (0, 1))
        c = {"up": up, "dn": dn}.get(spin)
        return {"cdag": lambda: c, "c": lambda: c.T, "n": lambda: c @ c.T if spin else up @ up.T + dn @ dn.T,
                "S+": lambda: up @ dn.T, "S-": lambda: dn @ up.T, "Sx": lambda: (up @ dn.T + dn @ up.T) / 2,
                "Sy": lambda: (up @ dn.T - dn @ up.T) / 2j, "Sz": lambda: (up @ up.T - dn @ dn.T) / 2,
                "P0": lambda: np.eye(len(up)) - up @ up.T @ dn @ dn.T}[name.partition("_")[0]]()
    return functools.reduce(np.matmul, [of(*factor) for factor in factors])


def check_sector(rng, space, factors, exact):
    """The part of a matrix within a random sector, or the refusal of an operator that leads out of it."""
    totals = np.array([sum(space.digits[k].astype(int) for k, (_, m) in enumerate(space.modes) if m == species)
                       for species in sorted({m for _, m in space.modes})])
    chosen = totals[:, rng.randrange(space.dimension)]
    part, inside = Space(space.kinds, chosen, space.order), np.all(totals == chosen[:, None], axis=0)
    assert np.array_equal(part.strings, space.strings[inside]), chosen
    stays = not exact[~inside][:, inside].any()
    try:
        assert abs(part.matrix([(1.0, factors)]) - exact[np.ix_(inside, inside)]).max() < 1e-12 and stays
    except ValueError:
        assert not stays, factors


def check_moves(rng, space, name):
    """Moves of all particles and of one operator are the same."""
    image = rng.sample(range(space.sites), space.sites)
    move = space.moved(image)
    for site in range(space.sites):
        here, there = (space.matrix(f"1 {name} {i}") for i in (site, image[site]))
        assert abs(move @ here - there @ move).max() < 1e-12, name


def main(count=300):
    kinds = [electrons(), electrons(), fermions(), spins(1), spins(2), spins(3), bosons(1), bosons(3)]
    rng = random.Random("operators")
    for _ in range(count):
        some, order = rng.choices(kinds, k=rng.randint(1, 4)), rng.choice(("sites", "species"))
        while np.prod([base for kind in some for base in kind.bases]) > 300:
            some.pop()
        space = Space(some, order=order)
        sites = rng.choices(range(space.sites), k=rng.randint(1, 4))
        factors = tuple((rng.choice(list(some[i].operators)), i) for i in sites)
        exact = by_kronecker_products(space, factors)
        text = " ".join(["1/2", *(f"{name} {site}" for name, site in factors)])
        assert abs(2 * space.matrix(text) - exact).max() < 1e-12 * max(1, abs(exact).max()), text
        check_sector(rng, space, factors, exact)
        check_moves(rng, Space(3 * some[:1], order=order), rng.choice(list(some[0].operators)))
    print(f"{count} products agree with Kronecker products")


if __name__ == "__main__":
    sys.exit(main())
