# SPDX-License-Identifier: BSD-3-Clause
"""Observables of the user's own in random jobs of products_oracle.py: their lines, and their expectation values from
matrices in states, at times and at temperatures."""

import functools
import random

import numpy as np
import scipy.sparse

FAMILIES = {"electrons": "cdag_up {i} n_dn {j} c_up {j}", "t-j": "cdag_dn {i} c_dn {j}",
            "fermions": "cdag {i} n 0 c {j}", "spins": "S+ {i} S- {j}", "bosons": "bdag {i} n 0 b {j}"}
NEXT = {"electrons": "n_dn", "t-j": "n_dn", "fermions": "n", "spins": "Sz", "bosons": "n"}
SINGLE = {"electrons": "n_up {i} n_dn {i}", "t-j": "n_up {i} n_dn 0", "fermions": "n {i}", "spins": "Sz {i} Sz 0",
          "bosons": "n {i} n 0"}


def of_kind(table, case):
    """The entry of the sites of a case; spins of any S share theirs."""
    return table.get(case.kind, table["spins"])


def add_spectral(case, job):
    """Makes the operator of a spectrum one of the user's own. Returns its matrices: one, or on a ring that of every
    site."""
    rng, n = case.rng, case.sites
    factor = rng.choice(("1", "0.5i", "0.5-1i"))
    if case.ring and rng.random() < 0.6:
        family = of_kind(FAMILIES if rng.random() < 0.6 else SINGLE, case)
        lines = [f"mine = {factor} {family.replace('{j}', '{i+1}')}"]
        texts = [f"{factor} {family.format(i=i, j=(i + 1) % n)}" for i in range(n)]
    else:
        drawn = case.draw_product(list(case.numbers))
        product = " ".join(f"{name} {site}" for name, site in drawn[0]) if drawn else of_kind(SINGLE, case).format(i=0)
        more = "0.5 n 0" if case.kind in ("electrons", "t-j", "fermions", "bosons") else "0.5 Sz 0"
        lines, texts = [f"mine = {factor} {product}", f"mine = {more}"], [f"{factor} {product}; {more}"]
    job.update({"observables.file": "observables.txt", "spectrum.operator": "observable"})
    job.files["observables.txt"] = "\n".join(lines) + "\n"
    return [case.space.matrix(text) for text in texts]


class Observed:
    """Observables added to a job: families of all pairs of sites and of all sites, and a random product that stays in
    the sector."""

    def __init__(self, case, job):
        rng, n = case.rng, case.sites
        self.case, self.sites, self.axes, self.elements = case, n, {}, []
        factor = rng.choice(("1", "0.5i", "1/2-1i"))
        number = factor.replace("1/2", "0.5")
        texts, lines = {}, []
        if rng.random() < 0.6:
            family = of_kind(FAMILIES, case)
            lines.append(f"pairs = {factor} {family}")
            texts["pairs"] = [f"{number} {family.format(i=i, j=j)}" for i in range(n) for j in range(n)]
            self.axes["pairs"] = [f"-{i}-{j}" for i in range(n) for j in range(n)]
        if rng.random() < 0.6:
            lines.append(f"local = 2 {of_kind(SINGLE, case)}")
            texts["local"] = [f"2 {of_kind(SINGLE, case).format(i=i)}" for i in range(n)]
            self.axes["local"] = [f"-{i}" for i in range(n)]
        if getattr(case, "bonds", None) and rng.random() < 0.6:
            bonds = list(dict.fromkeys(case.bonds))
            lines.append(f"bonds = 3 {{<i,j>}} {of_kind(FAMILIES, case)}")
            texts["bonds"] = [f"3 {of_kind(FAMILIES, case).format(i=i, j=j)}" for i, j in bonds]
            self.axes["bonds"] = [f"-{i}-{j}" for i, j in bonds]
        if getattr(case, "line", "") and rng.random() < 0.6:
            word = of_kind(NEXT, case)
            lines += [f"next = 2 {word} {{i}} {word} {{i+1}}", f"next = 1 {word} {{i}}"]
            after = [(i + 1) % n if case.line == "ring" or i + 1 < n else None for i in range(n)]
            texts["next"] = [f"1 {word} {i}" + (f"; 2 {word} {i} {word} {j}" if j is not None else "")
                             for i, j in enumerate(after)]
            self.axes["next"] = [f"-{i}" for i in range(n)]
        drawn = case.draw_product(list(case.numbers))
        if drawn is not None or not lines:
            product = (" ".join(f"{name} {site}" for name, site in drawn[0]) if drawn
                       else of_kind(SINGLE, case).format(i=0))
            more = "0.5 n 0" if case.kind in ("electrons", "t-j", "fermions", "bosons") else "0.5 Sz 0"
            lines += [f"one = -0.25+0.75i {product}", f"one = {more}"]
            texts["one"] = [f"-0.25+0.75i {product}; {more}"]
            self.axes["one"] = [""]
        self.matrices = {name: [case.space.sparse(text) for text in some] for name, some in texts.items()}
        job.set("observables.file", "observables.txt")
        job.files["observables.txt"] = "\n".join(lines) + "\n"

    @functools.cached_property
    def hermitian(self):
        """name -> matrices of the real parts, and of the imaginary parts or None if all of them vanish."""
        both = {name: ([(m + m.conj().T) / 2 for m in some], [(m - m.conj().T) / 2j for m in some])
                for name, some in self.matrices.items()}
        return {name: (real, imaginary if any(abs(m).max() > 5e-13 for m in imaginary) else None)
                for name, (real, imaginary) in both.items()}

    def parts(self, account, outcome):
        """(name in the program, endings of columns, Hermitian sparse matrices) of all real and imaginary parts."""
        for name, (real, imaginary) in self.hermitian.items():
            yield name, self.axes[name], real
            if imaginary is None:
                account.claim("real ones of Hermitian operators", f"{name}-imaginary" not in outcome.values)
            else:
                yield f"{name}-imaginary", self.axes[name], imaginary

    def compare_state(self, account, outcome, psi, bound=1e-5):
        for name, _, matrices in self.parts(account, outcome):
            exact = [(psi.conj() @ m @ psi).real for m in matrices]
            account.compare("expectation values", outcome.values[name].ravel(), exact, bound)

    def compare_levels(self, account, outcome, levels, vectors, count):
        """Values of `count` lowest states: averages over levels, nan for one that is cut off. vectors: columns, of all
        states."""
        begins = [0, *(k for k in range(1, len(levels)) if levels[k] - levels[k - 1] > 1e-7), len(levels)]
        self.compare_elements(account, outcome, begins, vectors, count)
        for name, endings, matrices in self.parts(account, outcome):
            values = outcome.values[name].reshape(count, len(endings))
            for first, end in zip(begins, begins[1:]):
                if first >= count:
                    break
                clear = min([*np.diff(levels[max(0, first - 1):first + 1]), *np.diff(levels[end - 1:end + 1]), 1])
                found, states = values[first:min(end, count)], vectors[:, first:end]
                exact = [np.vdot(states, m @ states).real / (end - first) for m in matrices]
                if end > count:
                    account.claim("no values of levels that are cut off", np.all(np.isnan(found)))
                elif clear > 1e-3:
                    account.compare("values of levels", found.ravel(), np.tile(exact, len(found)), 1e-5)
                else:
                    account.note("levels near others")

    def ask_elements(self, job):
        """Matrix elements of a real and Hermitian operator, of the random product, or of both."""
        rng = random.Random(repr(job.files))
        if "one" not in self.axes or rng.random() < 0.6:
            line = of_kind(SINGLE, self.case).format(i=self.sites - 1)
            self.matrices["real"], self.axes["real"] = [self.case.space.sparse(f"1.5 {line}")], [""]
            job.files["observables.txt"] += f"real = 1.5 {line}\n"
        self.elements = [name for name, axis in self.axes.items() if axis == [""]]
        if rng.random() < 0.8:
            job.set("run.matrix-elements", self.elements)
        else:
            self.elements = []

    def compare_elements(self, account, outcome, begins, vectors, count):
        for name in self.elements:
            found = outcome.values[f"{name}-elements"].reshape(count, count)
            matrix = abs(vectors.conj().T @ (self.matrices[name][0] @ vectors)) ** 2
            ends = list(zip(begins, begins[1:]))
            for m, (first, last) in enumerate(ends):
                for other, end in ends:
                    if first >= count or other >= count:
                        continue
                    some = found[first:min(last, count), other:min(end, count)]
                    if last > count or end > count:
                        account.claim("no elements of levels that are cut off", np.all(np.isnan(some)))
                    elif not np.any(np.isnan(some)):
                        account.compare("squared matrix elements", some.ravel(),
                                        np.full(some.size, matrix[first:last, other:end].mean()), 1e-5)

    def compare_time(self, account, outcome, row, psi, bound):
        for name, endings, matrices in self.parts(account, outcome):
            found = [outcome.series[f"{name}{ending}"][row] for ending in endings]
            account.compare("values in time", found, [(psi.conj() @ m @ psi).real for m in matrices], bound)

    def draw_method(self, case, job, temperatures):
        """Half of the averages by <r|exp(-H/2T) O exp(-H/2T)|r>, also at a tenth of the lowest temperature. Returns the
        temperatures."""
        self.low = case.rng.random() < 0.5
        if self.low:
            temperatures = [temperatures[0] / 10, *temperatures]
            job.update({"thermal.method": "low-temperature", "thermal.temperatures": temperatures})
        return temperatures

    def compare_thermal(self, account, outcome, temperatures, levels, vectors):
        """Within 6 errors, and those of too few steps; the errors must not be larger than what the operator allows, and
        nearly vanish where the symmetric form has the ground state alone."""
        account.note(f"thermal values{', low-temperature' if self.low else ''}")
        for name, endings, matrices in self.parts(account, outcome):
            diagonals = [(vectors.conj() * (m @ vectors)).sum(axis=0).real for m in matrices]
            shape = len(temperatures), len(endings)
            values, errors, steps = (np.reshape(some, shape) for some in (
                outcome.values[name], outcome.errors[name], outcome.values[f"{name}-step-error"]))
            norms = [np.linalg.norm(m.toarray(), 2) for m in matrices]
            for k, t in enumerate(temperatures):
                p = np.exp(-(levels - levels[0]) / t)
                for value, error, step, of_level, norm in zip(values[k], errors[k], steps[k], diagonals, norms):
                    account.compare("thermal values", value, p @ of_level / p.sum(), 6 * error + step + 1e-9)
                    account.claim("errors of thermal values", error <= norm + 1e-9)
                    if self.low and p[0] > (1 - 1e-13) * p.sum():
                        account.claim("errors at low temperatures", error <= 1e-5 * norm + 1e-9, f"{error} of {norm}")
