#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""Random small ground states and lowest states by density-matrix renormalization through the program, every number
against the lowest eigenvectors of a Hamiltonian that is put together here from the operators of operators.py."""

import math
import os
import random
import re
import sys

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import numpy as np

import dmrg_claims
import dmrg_hard
import operators
import program
from dmrg_sectors import rectangle
from program import instruction_sets

MOST_STATES = 900
SPECTRUM_LEVELS = 16  # largest weights of a cut, as many as the program gives
NOT_UNIQUE = 1e-6  # gap below which nothing but the energy is compared
OF_THE_RUN = {"energy-extrapolated", "error-estimate", "truncation-error", "states", "energy-even", "energy-odd",
              "states-before",
              "truncation-errors", "largest-overlap", "energies", "gaps", "measured-energies", "degeneracies"}


class Case:
    """A random job: bonds as {(i, j): [hopping from i to j, weight]}, i < j."""

    def __init__(self, seed, index):
        rng = self.rng = random.Random(f"dmrg {seed} {index}")
        self.hubbard = rng.random() < 0.55
        while not self.random_system():
            pass
        self.random_run()

    def random_system(self):
        self.job = program.Job("dmrg", self.rng.choice((2, 3)) if self.rng.random() < 0.3 else 1)
        self.job.set("model.type", "hubbard" if self.hubbard else "heisenberg")
        self.twice = 1 if self.hubbard else self.rng.choice((1, 1, 1, 2, 2, 3))
        if self.twice > 1:
            self.job.set("model.spin", ("1", "1.5")[self.twice - 2])
        self.random_lattice()
        if not self.random_sector():
            return False
        (self.random_hubbard if self.hubbard else self.random_spins)()
        return True

    def random_lattice(self):
        rng, job = self.rng, self.job
        kind = rng.choice(("chain", "chain", "ladder", "cylinder", "file"))
        job.set("lattice.type", kind)
        self.bonds = {}
        if kind == "file":
            return self.random_file()
        if kind == "chain":
            extents = (rng.choice((2, 3, 4, 5, 6, 7, 8, 9)),)
        else:
            extents = rng.choice(((1, 2), (2, 2), (3, 2), (2, 3), (4, 2), (2, 4), (3, 3), (5, 2)))
        job.set("lattice.extents", extents)
        length, width = extents if len(extents) == 2 else (extents[0], 1)
        self.sites = length * width
        near, far = rectangle(length, width, kind == "cylinder")
        self.second = round(rng.uniform(-0.8, 0.8), 3) if rng.random() < 0.4 else 0
        for i, j in near:
            self.add(i, j, 1, 1)
        if self.second:
            for i, j in far:
                self.add(i, j, self.second, 0 if self.hubbard else self.second)
        return None

    def add(self, i, j, hopping, weight):
        bond = self.bonds.setdefault((min(i, j), max(i, j)), [0, 0])
        bond[0] += hopping if i < j else np.conj(hopping)
        bond[1] += weight

    def random_file(self):
        """A path through all sites in random order, and some bonds more."""
        rng, lines = self.rng, ["# from to re im weight"]
        self.sites, self.second = rng.randint(2, 8), 0
        order = list(range(self.sites))
        rng.shuffle(order)
        pairs = list(zip(order, order[1:])) + [rng.sample(order, 2) for _ in range(rng.randint(0, 4))]
        for i, j in pairs:
            amplitude, weight = round(rng.uniform(-1.5, 1.5), 3) or 1, round(rng.uniform(-1, 1), 3)
            imaginary = round(rng.uniform(-1, 1), 3) if rng.random() < 0.3 else 0
            with_weight = imaginary or rng.random() < 0.4
            lines.append(f"{i} {j} {amplitude}" + (f" {imaginary} {weight}" if with_weight else ""))
            self.add(i, j, amplitude + (1j * imaginary if imaginary else 0),
                     weight if with_weight else (1 if self.hubbard else amplitude))
        self.job.set("lattice.file", "bonds.txt")
        self.job.files["bonds.txt"] = "\n".join(lines) + "\n"

    def random_sector(self):
        rng, job, n = self.rng, self.job, self.sites
        most = n if self.hubbard else self.twice * n
        self.up, self.down = (most + 1) // 2, n // 2
        if rng.random() < 0.6:
            self.up = rng.choice((0, most, rng.randint(0, most), rng.randint(0, most)))
            if self.hubbard:
                job.set("sector.up", self.up)
            else:
                job.set("sector.sz", self.up - most / 2)
        if self.hubbard and rng.random() < 0.6:
            self.down = rng.choice((0, n, rng.randint(0, n), rng.randint(0, n)))
            job.set("sector.down", self.down)
        if self.hubbard:
            return math.comb(n, self.up) * math.comb(n, self.down) <= MOST_STATES
        if (self.twice + 1) ** n > 300000:
            return False
        self.space = operators.Space(n * [operators.spins(self.twice)], (self.up,), "sites")
        return self.space.dimension <= MOST_STATES

    def parameter(self, key, default, low, high, often=0.5):
        """A random value of a key, or its default."""
        if self.rng.random() >= often:
            return default
        value = round(self.rng.uniform(low, high), 3)
        self.job.set(key, value)
        return value

    def site_values(self, key, width):
        rng = self.rng
        if rng.random() < 0.6:
            return np.zeros(self.sites)
        values = [round(rng.uniform(-width, width), 3) for _ in range(1 if rng.random() < 0.3 else self.sites)]
        self.job.set(key, values)
        return np.broadcast_to(values, self.sites)

    def random_hubbard(self):
        self.space = space = operators.Space(self.sites * [operators.electrons()], (self.up, self.down), "sites")
        t, u = self.parameter("model.t", 1, 0.3, 1.5), self.parameter("model.u", 0, -4, 10, 1)
        v, e = self.parameter("model.v", 0, -1, 2, 0.3), self.site_values("model.potential", 2)
        if self.second:
            self.job.set("model.t2", self.second * t)
        self.of_sites = space.matrix([(c, factors) for i in range(self.sites)
                                      for c, factors in ((u, (("n_up", i), ("n_dn", i))), (e[i], (("n", i),)))])
        self.of_bond = {(i, j): space.matrix(
            [(v * weight, (("n", i), ("n", j))),
             *((-t * value, (("cdag" + s, a), ("c" + s, b))) for s in ("_up", "_dn")
               for value, a, b in ((hopping, j, i), (np.conj(hopping), i, j)))])
            for (i, j), (hopping, weight) in self.bonds.items()}

    def random_spins(self):
        space = self.space
        job_j = self.parameter("model.j", 1, 0.3, 1.5)
        jz = self.parameter("model.jz", job_j, -1.5, 2, 0.3)
        h = self.site_values("model.field", 1)
        d = self.parameter("model.anisotropy", 0, -1, 1, 0.3) if self.twice > 1 else 0
        if self.second:
            self.job.set("model.j2", self.second * job_j)
        self.field = h
        self.of_sites = space.matrix([(c, factors) for i in range(self.sites)
                                      for c, factors in ((h[i], (("Sz", i),)), (d, (("Sz", i), ("Sz", i))))])
        self.of_bond = {(i, j): space.matrix(
            [(jz * weight, (("Sz", i), ("Sz", j))),
             *((job_j * value / 2, (("S+", a), ("S-", b)))
               for value, a, b in ((exchange, j, i), (np.conj(exchange), i, j)))])
            for (i, j), (exchange, weight) in self.bonds.items()}

    def random_run(self):
        rng, job = self.rng, self.job
        self.states = 1
        if self.space.dimension > 1 and rng.random() < 0.3:
            self.states = rng.randint(2, min(4, self.space.dimension))
            job.set("run.states", self.states)
        self.automatic = rng.random() < 0.4
        if self.automatic:
            self.tolerance = rng.choice((1e-10, 1e-8, 1e-8, 1e-6))
            job.set("run.tolerance", self.tolerance)
            if rng.random() < 0.5:
                job.set("run.start-states", rng.choice((max(2, (1 + self.is_complex()) * self.states), 8, 32)))
        else:
            self.tolerance = 1e-8
            self.short = self.states == 1 and rng.random() < 0.3
            further = rng.randint(0, 2) if self.short else rng.randint(6, 8)
            job.set("run.schedule", [300 if self.short else rng.choice((40, 300)), *[300] * further])
            job.set("run.tolerance", "1e-12")  # of the search at a bond, too
            if not self.short and rng.random() < 0.3:
                job.set("run.noise", ("1e-4", "1e-5", "1e-6", "1e-7", "0"))
        if not self.automatic or rng.random() < 0.3:
            job.set("run.products", rng.choice((3, 10, 30)) if self.automatic else 60)
        self.correlations = rng.random() < 0.6
        if self.correlations:
            job.set("run.measure", "correlations")
        if rng.random() < 0.2:
            job.set("run.blocks", "disk")
        job.set("run.seed", rng.randint(1, 2**40))
        job.set("backend.threads", rng.choice((1, 1, 2, 3)))
        job.set("backend.simd", rng.choice(instruction_sets()))

    def is_even_under_turning(self):
        """Whether turning all spins over leaves H and the sector as they are; of a complex H it is not asked."""
        if self.is_complex():
            return False
        if self.hubbard:
            return self.up == self.down
        return 2 * self.up == self.twice * self.sites and not self.field.any()

    def is_complex(self):
        return any(np.imag(hopping) for hopping, weight in self.bonds.values())

    def hamiltonian(self):
        return self.of_sites + sum(self.of_bond.values())

    def observables(self, psi):
        """Name -> exact values of a state."""
        values = {"bond-energies": [(psi.conj() @ self.of_bond[bond] @ psi).real for bond in sorted(self.of_bond)]}
        weights = [np.linalg.svd(self.space.cut(psi, cut), compute_uv=False) ** 2 for cut in range(1, self.sites)]
        values["entropies"] = [-np.sum(p[p > 0] * np.log(p[p > 0])) for p in weights]
        values["entropy"] = [values["entropies"][(self.sites - 2) // 2]]
        values["entanglement-spectrum"] = [np.append(p, np.zeros(SPECTRUM_LEVELS))[:SPECTRUM_LEVELS] for p in weights]
        if self.is_even_under_turning():
            values["spin-flip"] = [psi @ self.space.turned(psi)]
        values |= self.of_electrons(psi) if self.hubbard else self.of_spins(psi)
        if self.is_complex():
            for name in {"spin-flip-correlations", "pair-correlations"} & set(values):
                values[name + "-imaginary"] = np.imag(values[name])
        return {name: np.real(of_name) for name, of_name in values.items()}

    def pairs(self, psi, *factors):
        """<psi| product |psi> for all pairs of sites; factors: (name, 0 or 1 for the first or second site)."""
        return [[self.space.mean([(1.0, tuple((name, (i, j)[which]) for name, which in factors))], psi)
                 for j in range(self.sites)] for i in range(self.sites)]

    def of_electrons(self, psi):
        (up, down), p = self.space.occupations(), abs(psi)**2
        values = {"density-up": p @ up, "density-down": p @ down, "double-occupancy": p @ (up * down)}
        if self.correlations:
            values["spin-correlations"] = self.pairs(psi, ("Sz", 0), ("Sz", 1))
            values["density-correlations"] = self.pairs(psi, ("n", 0), ("n", 1))
            values["spin-flip-correlations"] = self.pairs(psi, ("S+", 0), ("S-", 1))
            values["pair-correlations"] = self.pairs(psi, ("cdag_up", 0), ("cdag_dn", 0), ("c_dn", 1), ("c_up", 1))
        return values

    def of_spins(self, psi):
        values = {"sz": [self.space.mean(f"1 Sz {i}", psi) for i in range(self.sites)]}
        if self.correlations:
            values["spin-correlations"] = self.pairs(psi, ("Sz", 0), ("Sz", 1))
            values["spin-flip-correlations"] = self.pairs(psi, ("S+", 0), ("S-", 1))
        return values


def examine(seed, index, account, state, options):
    if index % 3 == 2:
        return dmrg_hard.examine(seed, index, account, state, options)
    case = Case(seed, index)
    state.update(task=("hubbard" if case.hubbard else "heisenberg"), job=case.job)
    outcome = program.finished(case.job, account, options)
    if not outcome:
        return None
    h = case.hamiltonian()
    levels, vectors = np.linalg.eigh(h)
    scale = max(1.0, abs(levels).max())
    if case.states > 1:
        return check_levels(case, account, outcome, levels, vectors, scale)
    check_energies(case, account, outcome, levels[0], scale)
    if "energy-even" in outcome.values:
        check_parts(case, account, outcome, h, scale)
    if gap_around(levels, 0) < NOT_UNIQUE:
        account.note("degenerate: energies only")
        return None
    for suffix in ("", "-before") if "states-before" in outcome.values else ("",):
        check_state(case, account, outcome, suffix, vectors[:, 0], levels[0], gap_around(levels, 0), scale)
    return check_names(case, account, outcome)


def gap_around(levels, i):
    """Distance of a level to the nearest other one."""
    return min(np.delete(abs(levels - levels[i]), i), default=1)


def check_levels(case, account, outcome, levels, vectors, scale):
    """Energies with their errors, upper bounds, and every state whose level is not degenerate."""
    energies, measured = outcome.values["energies"], outcome.values["measured-energies"]
    exact, rounding = levels[: case.states], 1e-10 * scale
    kept = np.maximum(measured - exact, 0).max()
    account.compare("energies of several states", energies, exact, case.tolerance + kept + rounding)
    account.compare("energies of several states by their errors", energies, exact,
                    outcome.errors["energies"] + kept + rounding)
    account.compare("measured energies of several states", measured, exact, 10 * case.tolerance * scale + rounding)
    account.claim("measured energies not below the levels", np.all(measured >= exact - rounding))
    account.compare("gaps", outcome.values["gaps"], energies[1:] - energies[0], 1e-12 * scale)
    account.claim("energy is the lowest", outcome.values["energy"][0] == energies[0])
    sizes = outcome.values["degeneracies"].astype(int)
    for i in range(case.states):
        gap = gap_around(levels, i)
        if sizes[i] > 1:
            check_mean(case, account, outcome, i, sizes, levels, vectors, scale)
        elif gap < NOT_UNIQUE:
            account.note("degenerate level of several: energies only")
        else:
            check_state(case, account, outcome, f"-state-{i}" if i else "", vectors[:, i], levels[i], gap, scale)
    return check_names(case, account, outcome)


def check_mean(case, account, outcome, i, sizes, levels, vectors, scale):
    """Values of a level whose states were all found are averages over it; entropies would depend on the mixture."""
    first = i
    while first > 0 and sizes[first - 1] == sizes[i] and levels[first - 1] > levels[i] - NOT_UNIQUE:
        first -= 1
    members = range(first, first + sizes[i])
    suffix = f"-state-{i}" if i else ""
    account.claim("no entropies of a degenerate level", "entropies" + suffix not in outcome.values)
    rest = np.delete(levels, members)
    gap = min(abs(rest - levels[i]), default=1)
    if members[-1] >= len(levels) or gap < NOT_UNIQUE or abs(levels[list(members)] - levels[i]).max() > NOT_UNIQUE:
        return account.note("level of several that is not whole: energies only")
    all_values = [case.observables(vectors[:, k]) for k in members]
    above = sum(abs(outcome.values["measured-energies"][k] - levels[k]) for k in members) + 1e-13 * scale
    distance = 3 * math.sqrt(above / gap)
    for name in all_values[0]:
        if name.startswith("ent"):
            continue
        mean = np.mean([np.ravel(values[name]) for values in all_values], axis=0)
        largest = {"bond-energies": scale}.get(name, max(1, (case.twice / 2) ** 2 * 4))
        account.compare(name + " averaged over a level", np.ravel(outcome.values[name + suffix]), mean,
                        3 * largest * distance + 1e-9)


def check_energies(case, account, outcome, lowest, scale):
    energy, rounding = outcome.values["energy"], 1e-10 * scale
    bound = case.tolerance + rounding
    account.compare("energy" + (" within its tolerance" if case.automatic else ""), energy, lowest, bound)
    # the superblock of a small lattice is exact, whatever is kept of its state
    truncated = 10 * scale * outcome.values["truncation-error"][0] if case.automatic else 0
    account.compare("measured energy", outcome.values["measured-energy"], lowest, bound + truncated)
    for name, values in (("energy", energy), ("measured energy", outcome.values["measured-energy"]),
                         ("energy of every half sweep", outcome.series["energy"])):
        below = lowest - np.min(values)
        account.claim(name + " not below the ground state", below <= rounding, f"{below:.3g} below")
    parts = [outcome.values[name][0] for name in ("energy-even", "energy-odd") if name in outcome.values]
    account.claim("energy of the last row or of a part", energy[0] == min(outcome.series["energy"][-1], *parts, np.inf))
    account.claim("extrapolated energy not above", outcome.values.get("energy-extrapolated", energy)[0] <= energy[0])
    discarded = outcome.series["truncation-error"]
    account.claim("truncation errors", np.all((discarded >= 0) & (discarded < 1)))


def check_parts(case, account, outcome, h, scale):
    """Both parts lie above the lowest level of their kind."""
    account.note("mixture of even and odd states")
    turn = case.space.turned(np.eye(len(h)))
    for name, sign in (("energy-even", 1), ("energy-odd", -1)):
        weights, vectors = np.linalg.eigh((np.eye(len(h)) + sign * turn) / 2)
        kind = vectors[:, weights > 0.5]
        lowest = np.linalg.eigvalsh(kind.T @ h @ kind)[0]
        account.claim(name + " not below its lowest level", outcome.values[name][0] >= lowest - 1e-10 * scale)


def check_state(case, account, outcome, suffix, psi, level, gap, scale):
    """A normalised state of energy E differs from the eigenstate by at most sqrt(|E - E_0| / gap), or a few times more
    where it is not the lowest."""
    exact = case.observables(psi)
    above = abs(outcome.values["measured-energy" + suffix][0] - level) + 1e-13 * scale
    distance = (3 if "state" in suffix else 1) * math.sqrt(above / gap)
    for name, values in exact.items():
        values = np.ravel(values)
        if suffix == "-before" and name.startswith("ent"):
            continue
        if name + suffix not in outcome.values:
            account.fail(f"result {name}{suffix} is missing")
            continue
        largest = {"bond-energies": scale, "entropies": 10, "entropy": 10}.get(name, max(1, (case.twice / 2) ** 2 * 4))
        noise = 3 * distance * max(math.log(1 / distance), 1) if name.startswith("entrop") else 0
        kind = name + (" of a higher state" if "state" in suffix else suffix)
        account.compare(kind, np.ravel(outcome.values[name + suffix]), values, 3 * largest * distance + noise + 1e-9)


def check_names(case, account, outcome):
    known = set(case.observables(np.eye(case.space.dimension)[0])) | OF_THE_RUN | {"energy", "measured-energy"}
    for name in outcome.values:
        if re.sub(r"(-before|-state-[0-9]+)$", "", name) not in known:
            account.fail(f"result {name} has no oracle")


def main():
    parser = program.options_of(__doc__)
    parser.add_argument("--claims", type=int, metavar="N", help="compare true and claimed errors of N jobs, as a table")
    parser.add_argument("--known", action="store_true", help="the fixed jobs of dmrg_known.py")
    parser.add_argument("--exact", action="store_true",
                        help="with --known: compute their levels again instead of running them")
    options = parser.parse_args()
    if options.known:
        return dmrg_claims.run_known(options)
    if options.claims:
        return dmrg_claims.run_claims(options)
    return program.summary(program.run_all(examine, options), options)


if __name__ == "__main__":
    sys.exit(main())
