# SPDX-License-Identifier: BSD-3-Clause
"""Random observables of the user's own in jobs of spin dynamics: their lines, and their expectation values from
sparse matrices of operators.py."""

import numpy as np
from scipy.sparse import csr_matrix

import operators

NAMES = ("Sx", "Sy", "Sz", "S+", "S-", "X", "Y", "Z")
COEFFICIENTS = ("1", "-0.5", "3/4", "2i", "0.5-1i", "-1+0.25i")


class OwnObservables:
    """Families over sites, pairs, bonds and neighbours, and sums of products of up to five spins. bonds: of the
    lattice, if they are known; line: "ring", "chain" or ""."""

    def __init__(self, rng, spins, bonds, line):
        self.rng, self.spins, self.lines, self.members = rng, spins, [], {}
        self.space = operators.Space(spins * [operators.spins(1)])
        sites = range(spins)
        if rng.random() < 0.5:
            self.family("own-sites", [(i, i) for i in sites], [(f"-{i}",) for i in sites], ("{i}",))
        if rng.random() < 0.4:
            pairs = [(i, j) for i in sites for j in sites]
            self.family("own-pairs", pairs, [(f"-{i}-{j}",) for i, j in pairs], ("{i}", "{j}"))
        if bonds and rng.random() < 0.6:
            some = list(dict.fromkeys(bonds))
            self.family("own-bonds", some, [(f"-{i}-{j}",) for i, j in some], ("{i}", "{j}"), "{<i,j>} ")
        if line and spins > 1 and rng.random() < 0.5:
            far = rng.randint(1, spins - 1)
            after = [(i + far) % spins if line == "ring" or i + far < spins else None for i in sites]
            self.family("own-next", list(enumerate(after)), [(f"-{i}",) for i in sites], ("{i}", f"{{i+{far}}}"))
        if not self.lines or rng.random() < 0.7:
            self.sum_of_products()
        rng.shuffle(self.lines)

    def coefficient(self):
        return self.rng.choice(COEFFICIENTS)

    def family(self, name, places, endings, words, behind=""):
        """One or two lines of a family, each of which names all the words and maybe a site."""
        rng, texts = self.rng, [[] for _ in places]
        for _ in range(rng.randint(1, 2)):
            chosen = [*words, *rng.choices([*words, str(rng.randrange(self.spins))], k=rng.randint(0, 2))]
            rng.shuffle(chosen)
            factors = [(rng.choice(NAMES), word) for word in chosen]
            coefficient = self.coefficient()
            self.lines.append(f"{name} = {coefficient} {behind}" + " ".join(f"{o} {word}" for o, word in factors))
            for (i, j), text in zip(places, texts):
                sites = dict(zip(words, (i, j)))
                if None not in sites.values():
                    text.append(f"{coefficient} " + " ".join(f"{o} {sites.get(word, word)}" for o, word in factors))
        self.members[name] = [(ending, self.matrix(text)) for (ending,), text in zip(endings, texts)]

    def sum_of_products(self):
        rng, text = self.rng, []
        for _ in range(rng.randint(1, 4)):
            sites = rng.sample(range(self.spins), min(self.spins, rng.randint(1, 5)))
            if rng.random() < 0.2:
                sites.append(rng.choice(sites))
            text.append(f"{self.coefficient()} " + " ".join(f"{rng.choice(NAMES)} {site}" for site in sites))
        self.lines += [f"own-one = {line}" for line in text]
        self.members["own-one"] = [("", self.matrix(text))]

    def matrix(self, lines):
        """Of the states of spin_half.py, whose bits are 1 where a digit of operators.py is 0."""
        rows, columns, values = self.space.elements("; ".join(lines))
        last = self.space.dimension - 1
        return csr_matrix((values, (last - rows, last - columns)), (last + 1, last + 1))

    def parts(self):
        """(name of a list, [(ending of a column, Hermitian matrix), ...])"""
        for name, members in self.members.items():
            yield name, [(ending, (m + m.conj().T) / 2) for ending, m in members]
            if any(abs(m - m.conj().T).max() > 1e-12 for _, m in members):
                yield name + "-imaginary", [(ending, (m - m.conj().T) / 2j) for ending, m in members]

    def columns(self, psi):
        return {name + ending: np.vdot(psi, m @ psi).real for name, members in self.lists for ending, m in members}

    def add_to(self, job):
        job.set("observables.file", "own.txt")
        job.files["own.txt"] = "\n".join(self.lines) + "\n"
        self.lists = list(self.parts())
