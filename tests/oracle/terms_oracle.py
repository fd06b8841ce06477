#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Random lists of terms, alone or added to a chain, by lanczos, dmrg and trotter, against dense matrices of all states
that are built term by term from the operators of operators.py."""

import math
import random
import sys

import numpy as np

import operators
import program
from lanczos_oracle import number


class Case:
    """A list of terms and the matrix that they are."""

    def __init__(self, seed, index):
        rng = self.rng = random.Random(f"terms {seed} {index}")
        self.kind = rng.choice(("electrons", "fermions", "spins", "spins"))
        self.spin = rng.choice((0.5, 0.5, 0.5, 1, 1.5)) if self.kind == "spins" else 0.5
        self.sites = rng.randint(2, 6 if self.kind != "electrons" and self.spin == 0.5 else 4)
        kind = {"electrons": operators.electrons, "fermions": operators.fermions,
                "spins": lambda: operators.spins(round(2 * self.spin))}[self.kind]()
        self.space = operators.Space(self.sites * [kind])
        self.h = np.zeros((self.space.dimension,) * 2, complex)
        self.lines, self.complex, self.conserved = [], False, True
        self.complex_allowed = self.spin == 0.5 and rng.random() < 0.4
        self.alone = rng.random() < 0.6
        for _ in range(rng.randint(self.sites, 3 * self.sites)):
            (self.spin_term if self.kind == "spins" else self.particle_term)()
        if self.alone:
            # names the last site and those without a term, which would be refused, and the kind of sites
            names = {"spins": ("Sz",), "electrons": ("cdag_up", "c_up"), "fermions": ("cdag", "c")}[self.kind]
            used = {int(site) for line in self.lines for site in line.split()[2::2]}
            for site in sorted(set(range(self.sites - 1)) - used) + [self.sites - 1]:
                self.add(0, *((name, site) for name in names))
        else:
            self.add_chain()
        rng.shuffle(self.lines)

    def matrix(self, factors):
        return self.space.matrix([(1.0, tuple(factors))])

    def add(self, coefficient, *factors, conjugate="none"):
        """A line; of products that are not Hermitian the conjugate is added by the program, or listed, too."""
        coefficient = complex(coefficient)
        self.complex |= coefficient.imag != 0
        matrix = coefficient * self.matrix(factors)
        self.h += matrix
        lines = [(coefficient, factors)]
        if conjugate != "none":
            self.h += matrix.conj().T
            if conjugate == "listed":
                other = {"S+": "S-", "S-": "S+"}
                swapped = [(other.get(name, name), site) for name, site in factors]
                if factors[0][0].startswith("cdag"):
                    (create, i), (annihilate, j) = factors
                    swapped = [(create, j), (annihilate, i)]
                lines.append((coefficient.conjugate(), swapped))
        for value, some in lines:
            text = f"{value.real!r}{value.imag:+.17g}i" if value.imag else repr(value.real)
            if value.imag and not value.real and self.rng.random() < 0.5:
                text = f"{value.imag!r}i"
            self.lines.append(" ".join([text, *(f"{name} {site}" for name, site in some)]))

    def coefficient(self, may_be_complex=True):
        value = number(self.rng, -1.5, 1.5)
        if may_be_complex and self.complex_allowed and self.rng.random() < 0.5:
            return complex(self.rng.choice((0, value)), number(self.rng, -1, 1))
        return value

    def spin_term(self):
        rng = self.rng
        i, j = rng.sample(range(self.sites), 2)
        what = rng.choice(("exchange", "zz", "flip", "flip", "field", "dm", "free"))
        if what == "exchange":
            value = number(rng, -1.5, 1.5)
            self.add(value, ("Sx", i), ("Sx", j))
            self.add(value, ("Sy", j), ("Sy", i))
        elif what == "zz":
            self.add(self.coefficient(False), ("Sz", i), ("Sz", j))
        elif what == "flip" and not any(f"S+ {i} S- {j}" in x or f"S+ {j} S- {i}" in x for x in self.both(i, j)):
            self.add(self.coefficient(), ("S+", i), ("S-", j), conjugate=rng.choice(("added", "listed")))
        elif what == "field":
            self.add(number(rng, -1, 1), ("Sz", i))
        elif what == "dm" and self.complex_allowed:
            value = number(rng, -1, 1)
            self.add(value, ("Sx", i), ("Sy", j))
            self.add(-value, ("Sy", i), ("Sx", j))
            self.complex = True
        elif what == "free" and not self.complex_allowed and self.spin == 0.5:  # for spin dynamics alone
            self.conserved = False
            axis = rng.choice("xy")
            self.add(number(rng, -1, 1), ("S" + axis, i), *((("S" + axis, j),) if rng.random() < 0.5 else ()))

    def both(self, i, j):
        """Lines of flips between two sites: equal products would add up, as the conjugates that are listed do not."""
        return [x for x in self.lines if "S+" in x and {str(i), str(j)} == set(x.split()[2::2])]

    def particle_term(self):
        rng = self.rng
        i, j = rng.sample(range(self.sites), 2)
        spins = ("_up", "_dn") if self.kind == "electrons" else ("",)
        what = rng.choice(("hop", "hop", "hop", "n", "nn", "u"))
        if what == "hop" and not any(f"cdag{spins[0]} {a} c{spins[0]} {b}" in x for x in self.lines
                                     for a, b in ((i, j), (j, i))):
            value, conjugate = self.coefficient(), rng.choice(("added", "listed"))
            for spin in spins:
                self.add(value, ("cdag" + spin, i), ("c" + spin, j), conjugate=conjugate)
        elif what == "n":
            form = rng.choice((("n",), ("cdag", "c")))
            value = number(rng, -1, 1)
            for spin in [""] if form == ("n",) else spins:
                self.add(value, *((name + spin, i) for name in form))
        elif what == "nn":
            value = self.coefficient(False)
            if rng.random() < 0.5:
                self.add(value, ("n", i), ("n", j))
            else:
                for a in spins:
                    for b in spins:
                        self.add(value, ("n" + a, i), ("n" + b, j))
        elif what == "u" and self.kind == "electrons":
            self.add(number(rng, -4, 4), *rng.choice(((("n_up", i), ("n_dn", i)), (("n", i), ("n", i)))))

    def add_chain(self):
        """An open chain to which the terms are added."""
        rng, lines = self.rng, self.lines
        self.lines, self.chain = [], {"lattice.type": "chain", "lattice.extents": self.sites}
        bonds = [(i, i + 1) for i in range(self.sites - 1)]
        if self.kind == "spins":
            j, jz = number(rng, -1, 1), number(rng, -1, 1)
            self.chain |= {"model.type": "xxz", "model.j": j, "model.jz": jz}
            for a, b in bonds:
                for name, value in (("Sx", j), ("Sy", j), ("Sz", jz)):
                    self.h += value * self.matrix([(name, a), (name, b)])
        else:
            t, v = number(rng, -1, 1), number(rng, -1, 1)
            self.chain |= {"model.type": "hubbard" if self.kind == "electrons" else "fermions", "model.t": t,
                           "model.v": v}
            if self.kind == "electrons":
                self.chain["model.u"] = u = number(rng, -4, 4)
                self.h += sum(u * self.matrix([("n_up", i), ("n_dn", i)]) for i in range(self.sites))
            for a, b in bonds:
                self.h += v * self.matrix([("n", a), ("n", b)])
                for spin in ("_up", "_dn") if self.kind == "electrons" else ("",):
                    hop = self.matrix([("cdag" + spin, a), ("c" + spin, b)])
                    self.h -= t * (hop + hop.T)
        self.lines = lines

    def job(self, application, **more):
        job = program.Job(application)
        for key, value in ({"model.type": "terms"} if self.alone else self.chain).items():
            job.set(key, value)
        if self.lines:
            job.set("model.terms", "terms.txt")
            job.files["terms.txt"] = "# a comment\n" + "\n".join(self.lines) + "  # another\n"
        for key, value in more.items():
            job.set(key.replace("__", ".").replace("_", "-"), value)
        job.set("backend.threads", 1)
        return job

    def sector(self):
        """Keys of a random sector, and its states."""
        rng, n = self.rng, self.sites
        if self.kind == "electrons":
            up, down = rng.randint(0, n), rng.randint(0, n)
            return ({"sector__up": up, "sector__down": down},
                    np.all([o.sum(axis=1) == n for o, n in zip(self.space.occupations(), (up, down))], axis=0))
        up = rng.randint(0, round(2 * self.spin * n))
        states = self.space.occupations()[0].sum(axis=1) == up
        if self.kind == "fermions":
            return {"sector__up": up}, states
        return {"sector__sz": f"{round(2 * up - 2 * self.spin * n)}/2"}, states

    def product_state(self, *occupied):
        """(site, species) of every electron, fermion or spin up."""
        return np.eye(self.space.dimension)[self.space.string(*(self.space.position[mode] for mode in occupied))]


def compare_ground_state(case, account, state):
    keys, states = case.sector()
    levels, vectors = np.linalg.eigh(case.h[np.ix_(states, states)])
    exact, gap = levels[0], levels[1] - levels[0] if len(levels) > 1 else math.inf
    applications = ["lanczos"] if case.spin == 0.5 else []
    if case.kind != "fermions" and case.sites > 1:
        applications.append("dmrg")
    for application in applications:
        more = {"run__tolerance": "1e-11", **({"run__max_steps": 2000} if application == "lanczos" else {})}
        if case.spin != 0.5:
            more["model__spin"] = case.spin
        job = state["job"] = case.job(application, **keys, **more)
        outcome = program.run(job)
        if outcome.code == 2 and application == "dmrg" and "groups of sites" in outcome.said:
            account.note("refused by dmrg: parts that exchange no charge")
            continue
        if outcome.code == 5 and application == "dmrg":
            account.note("dmrg says that it did not converge")
            continue
        if outcome.code != 0:
            account.fail(f"{application} ended with {outcome.code}: {outcome.said}")
            continue
        account.compare(f"energy, {application}", outcome.values["energy"], exact, 1e-8 * (1 + abs(exact)))
        if gap < 1e-3:
            account.note("degenerate ground states: energies alone")
            continue
        weights = abs(vectors[:, 0]) ** 2
        for spin in ("up", "dn") if case.kind == "electrons" else ("",):
            name = {"up": "n_up", "dn": "n_dn"}.get(spin, "Sz" if case.kind == "spins" else "n")
            dense = [weights @ case.space.diagonal((name, i))[states] for i in range(case.sites)]
            word = {"up": "up", "dn": "down"}.get(spin, "")
            found = (outcome.values["sz"] if case.kind == "spins" else outcome.values[f"density-{word}"]) \
                if application == "dmrg" else outcome.values["occupation" + (f"-{word}" if word else "")]
            shift = 0.5 if case.kind == "spins" and application == "lanczos" else 0
            account.compare(f"densities, {application}", found, np.array(dense) + shift, 1e-4)


def compare_motion(case, account, state):
    rng = case.rng
    pattern = "".join(rng.choice("ud") for _ in range(case.sites))
    step, steps = number(rng, 0.05, 0.4), rng.randint(1, 4)
    job = state["job"] = case.job("trotter", state__initial="pattern", state__pattern=pattern, run__method="chebyshev",
                                  run__step=step, run__steps=steps, run__observables="sz,sx,sy,energy")
    if case.complex and rng.random() < 0.3:
        job.set("run.method", "splitting")
        outcome = program.run(job)
        account.claim("complex amplitudes are refused by a splitting",
                      outcome.code == 2 and "run.method = chebyshev takes any term" in outcome.said, outcome.said)
        return
    outcome = program.run(job)
    if outcome.code != 0:
        return account.fail(f"trotter ended with {outcome.code}: {outcome.said}")
    psi = case.product_state(*((i, 0) for i, letter in enumerate(pattern) if letter == "u"))
    levels, vectors = np.linalg.eigh(case.h)
    for row in range(steps + 1):
        now = vectors @ (np.exp(-1j * levels * row * step) * (vectors.conj().T @ psi))
        account.compare("energy in time", outcome.series["energy"][row], (now.conj() @ case.h @ now).real, 1e-8)
        for axis in "xyz":
            for i in range(case.sites):
                exact = case.space.mean(f"1 S{axis} {i}", now).real
                account.compare(f"s{axis} in time", outcome.series[f"s{axis}-{i}"][row], exact, 1e-8)


def compare_evolution(case, account, state):
    """Motion from a product state by lanczos: with complex amplitudes it tells H from its complex conjugate."""
    rng, n = case.rng, case.sites
    spins = ("up", "down") if case.kind == "electrons" else ("up",)
    occupied = {spin: sorted(rng.sample(range(n), rng.randint(1, n))) for spin in spins}
    step, steps = number(rng, 0.1, 0.5), rng.randint(1, 4)
    more = {"sector__up": len(occupied["up"])}
    if case.kind == "spins":
        more = {"sector__sz": f"{2 * len(occupied['up']) - n}/2"}
    if case.kind == "electrons":
        more["sector__down"] = len(occupied["down"])
    for spin in spins:
        more[f"evolution__{spin}"] = occupied[spin]
    job = state["job"] = case.job("lanczos", run__task="evolution", evolution__step=step, evolution__steps=steps,
                                  **more)
    outcome = program.run(job)
    if outcome.code != 0:
        return account.fail(f"lanczos ended with {outcome.code}: {outcome.said}")
    psi = case.product_state(*((i, species) for species, spin in enumerate(spins) for i in occupied[spin]))
    levels, vectors = np.linalg.eigh(case.h)
    for row in range(steps + 1):
        now = vectors @ (np.exp(-1j * levels * row * step) * (vectors.conj().T @ psi))
        for spin in spins:
            for i in range(n):
                name = {"electrons": "n_up" if spin == "up" else "n_dn", "fermions": "n", "spins": "Sz"}[case.kind]
                exact = case.space.mean(f"1 {name} {i}", now).real + (0.5 if case.kind == "spins" else 0)
                column = f"occupation-{spin}-{i}" if case.kind == "electrons" else f"occupation-{i}"
                account.compare("occupations in time", outcome.series[column][row], exact, 1e-8)
    return None


def examine(seed, index, account, state, options):
    case = Case(seed, index)
    assert abs(case.h - case.h.conj().T).max() < 1e-12
    state.update(task=case.kind, job=case.job("lanczos"))
    account.note("terms alone" if case.alone else "terms added to a chain")
    if case.spin == 0.5 and case.kind == "spins" and (not case.conserved or case.rng.random() < 0.5):
        compare_motion(case, account, state)
    elif case.spin == 0.5 and case.rng.random() < (0.7 if case.complex else 0.2):
        compare_evolution(case, account, state)
    else:
        compare_ground_state(case, account, state)


if __name__ == "__main__":
    sys.exit(program.main(__doc__, examine))
