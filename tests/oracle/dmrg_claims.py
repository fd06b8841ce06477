#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""Whether renormalizations know how wrong they are: random runs with too few states, schedules of any length, tolerances and starts,
also of systems that trap a search (frustrated ladders, easy-axis magnets, strong repulsion, steep potentials, few particles). The
true error of the energy, against sparse diagonalization from the definitions, must not exceed the printed estimate in more than one of a
hundred runs. Prints a histogram of true / estimated error by kind of run. Needs scipy."""

import itertools
import math
import os
import random
import sys

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import numpy as np
import scipy.sparse as sparse
import scipy.sparse.linalg

import dmrg_oracle
import program

MOST_STATES, MOST_DENSE = 6000, 1500
EDGES = (0.01, 0.1, 0.3, 1.0, 3.0, 10.0)


def strings(sites, particles):
    return np.array(sorted(sum(1 << i for i in chosen) for chosen in itertools.combinations(range(sites), particles)), dtype=np.int64)


def hops(basis, i, j):
    """c+_i c_j + h.c. of one kind of electrons: the sign counts those between the two sites."""
    low, high = min(i, j), max(i, j)
    between = ((1 << high) - 1) & ~((1 << (low + 1)) - 1)
    moved = np.flatnonzero((basis >> i & 1) != (basis >> j & 1))
    signs = [(-1.0) ** int(s & between).bit_count() for s in basis[moved]]
    rows = np.searchsorted(basis, basis[moved] ^ (1 << i | 1 << j))
    return sparse.csr_matrix((signs, (rows, moved)), shape=(len(basis),) * 2)


class Electrons:
    def __init__(self, sites, up, down):
        self.sites, self.up, self.down = sites, strings(sites, up), strings(sites, down)
        self.dimension = len(self.up) * len(self.down)

    def hamiltonian(self, bonds, u, potential):
        """`bonds`: (i, j, t, V)."""
        occupied = [np.array([s >> i & 1 for i in range(self.sites)], float) for s in (self.up, self.down)]
        n = occupied[0][:, :, None] + occupied[1][:, None, :]
        diagonal = u * np.einsum("ia,ib->ab", *occupied) + np.einsum("i,iab->ab", potential, n)
        kinetic = [sparse.csr_matrix((len(s), len(s))) for s in (self.up, self.down)]
        for i, j, t, v in bonds:
            diagonal = diagonal + v * n[i] * n[j]
            kinetic = [k - t * hops(s, i, j) for k, s in zip(kinetic, (self.up, self.down))]
        one = [sparse.identity(len(s)) for s in (self.up, self.down)]
        return (sparse.kron(kinetic[0], one[1]) + sparse.kron(one[0], kinetic[1]) + sparse.diags(diagonal.ravel())).tocsr()


class Magnet:
    def __init__(self, sites, twice, raised):
        base = twice + 1
        every = np.arange(base**sites, dtype=np.int64)
        digits = np.array([every // base**i % base for i in range(sites)])
        chosen = digits.sum(axis=0) == raised
        self.sites, self.twice, self.codes, self.digits = sites, twice, every[chosen], digits[:, chosen]
        self.dimension = len(self.codes)

    def hamiltonian(self, bonds, field, anisotropy):
        """`bonds`: (i, j, J, Jz)."""
        s, base = self.twice / 2, self.twice + 1
        z = self.digits - s
        diagonal = field @ z + anisotropy * (z**2).sum(axis=0)
        h = sparse.csr_matrix((self.dimension,) * 2)
        for i, j, exchange, jz in bonds:
            diagonal = diagonal + jz * z[i] * z[j]
            raised = s * (s + 1) - z[i] * (z[i] + 1)
            lowered = s * (s + 1) - z[j] * (z[j] - 1)
            moved = np.flatnonzero((raised > 0) & (lowered > 0))
            rows = np.searchsorted(self.codes, self.codes[moved] + base**i - base**j)
            flips = sparse.csr_matrix((np.sqrt(raised * lowered)[moved], (rows, moved)), shape=h.shape)
            h = h + exchange / 2 * (flips + flips.T)
        return (h + sparse.diags(diagonal)).tocsr()


def lowest(h):
    if h.shape[0] <= MOST_DENSE:
        return np.linalg.eigvalsh(h.toarray())[0]
    values = [scipy.sparse.linalg.eigsh(h, k=1, which="SA", v0=np.random.default_rng(seed).normal(size=h.shape[0]),
                                        return_eigenvectors=False)[0] for seed in (1, 2)]
    assert abs(values[0] - values[1]) < 1e-9 * max(1, abs(values[0])), "two starts of the oracle disagree"
    return min(values)


class Case:
    def __init__(self, seed, index):
        rng = self.rng = random.Random(f"claims {seed} {index}")
        self.electrons, self.automatic = rng.random() < 0.55, rng.random() < 0.5
        self.job = None
        while self.job is None:
            self.random_system()
        self.random_run()

    def random_bonds(self):
        """((i, j, factor of the first, of the second strength)), sites."""
        rng, job = self.rng, self.job
        kind = rng.choice(("chain", "chain", "ladder", "ladder", "cylinder", "file"))
        job.set("lattice.type", kind)
        if kind == "file":
            sites = rng.randint(3, 12)
            order = rng.sample(range(sites), sites)
            pairs = list(zip(order, order[1:])) + [rng.sample(range(sites), 2) for _ in range(rng.randint(0, 3))]
            if rng.random() < 0.1:
                pairs.pop(0)
            lines = [(i, j, round(rng.uniform(-1.5, 1.5), 2)) for i, j in pairs]
            job.set("lattice.file", "bonds.txt")
            job.files["bonds.txt"] = "".join(f"{i} {j} {a} {a}\n" for i, j, a in lines) + f"{sites - 1} 0 0 0\n"
            return [(i, j, a, 0) for i, j, a in lines], sites
        extents = (rng.randint(3, 20),) if kind == "chain" else rng.choice(((3, 2), (4, 2), (5, 2), (6, 2), (3, 3), (4, 3), (2, 4), (8, 2)))
        job.set("lattice.extents", extents)
        length, width = extents if len(extents) == 2 else (extents[0], 1)
        near, far = dmrg_oracle.rectangle(length, width, kind == "cylinder")
        return [(i, j, 1, 0) for i, j in near] + [(i, j, 0, 1) for i, j in far], length * width

    def random_system(self):
        rng = self.rng
        self.job = program.Job("dmrg")
        factors, sites = self.random_bonds()
        regular = self.job.keys["lattice.type"] != "file"
        self.job.set("model.type", "hubbard" if self.electrons else "heisenberg")
        few = rng.random() < 0.25
        number = (lambda most: rng.choice((1, 2, most - 1, most - 2))) if few else (lambda most: rng.randint(0, most))
        if self.electrons:
            up, down = (max(0, min(sites, number(sites))) for _ in range(2))
            dimension = math.comb(sites, up) * math.comb(sites, down)
        else:
            twice = rng.choice((1, 1, 1, 2, 3))
            up, down = max(0, number(twice * sites)), 0
            dimension = (twice + 1) ** sites if (twice + 1) ** sites > 2e6 else 0
        if dimension > MOST_STATES or dimension < 0:
            self.job = None
            return
        self.job.set("sector.up", up)
        second = 0
        if regular and rng.random() < 0.5:
            second = rng.choice((1, -1, round(rng.uniform(-1, 1), 2)))
        if self.electrons:
            self.job.set("sector.down", down)
            t, u, v = rng.choice((1, 1, -1, 0.3)), rng.choice((0, 1, 4, 8, 30, 100, 1000, -3)), rng.choice((0, 0, 0, -1, 1))
            potential = self.site_values("model.potential", sites, rng.choice((1, 5, 20)))
            for key, value in (("t", t), ("t2", second * t), ("u", u), ("v", v)):
                if value or key in "tu":
                    self.job.set("model." + key, value)
            space = Electrons(sites, up, down)
            bonds = [(i, j, t * (a + second * b), v * (a if regular else a)) for i, j, a, b in factors]
            self.matrix = lambda: space.hamiltonian(bonds, u, potential)
        else:
            if twice > 1:
                self.job.set("model.spin", {2: "1", 3: "1.5"}[twice])
            space = Magnet(sites, twice, up)
            if not 0 < space.dimension <= MOST_STATES:
                self.job = None
                return
            j, jz = rng.choice(((1, 1), (1, 1), (round(rng.uniform(0.02, 0.6), 2), -1), (1, -1), (0.2, 1), (-1, -1)))
            self.job.set("model.j", j)
            self.job.set("model.jz", jz)
            if second:
                self.job.set("model.j2", second * j)
            d = rng.choice((0, 0, round(rng.uniform(-1, 1), 2)))
            self.job.set("model.anisotropy", d)
            field = self.site_values("model.field", sites, rng.choice((0.5, 5)))
            bonds = [(i, k, j * (a + second * b), jz * (a + second * b)) for i, k, a, b in factors]
            self.matrix = lambda: space.hamiltonian(bonds, field, d)
        self.dimension = space.dimension
        if self.electrons and u >= 100 and space.dimension > MOST_DENSE:
            self.job = None

    def site_values(self, key, sites, width):
        if self.rng.random() < 0.65:
            return np.zeros(sites)
        values = [round(self.rng.uniform(-width, width), 3) for _ in range(sites)]
        self.job.set(key, values)
        return np.array(values)

    def random_run(self):
        rng, job = self.rng, self.job
        if self.automatic:
            job.set("run.tolerance", rng.choice((1e-5, 1e-6, 1e-7, 1e-8, 1e-9)))
            job.set("run.start-states", rng.choice((1, 2, 4, 8, 16, 32, 64, 64)))
            if rng.random() < 0.3:
                job.set("run.max-states", rng.choice((8, 16, 32)))
            job.set("run.max-sweeps", 40)
        else:
            m, states = rng.choice((2, 3, 4, 8, 16)), []
            for _ in range(rng.choice((1, 2, 3, 4, 6, 8))):
                states.append(m)
                m = min(60, int(m * rng.choice((1, 1, 1, 1.5, 2))))
            job.set("run.schedule", states)
        job.set("run.products", rng.choice((3, 10, 10, 30)))
        job.set("run.seed", rng.randint(1, 2**40))
        job.set("backend.threads", 1)


def examine(seed, index, account, state, options):
    case = Case(seed, index)
    mode = "tolerance" if case.automatic else "schedule"
    state.update(task=mode, job=case.job)
    outcome = program.run(case.job, options.keep)
    if options.only:
        print(case.job.describe(), outcome.said, sep="\n")
    if outcome.code == 2 and "connects the" in outcome.said:
        return account.note(f"{mode}: refused, charges of separate groups")
    if outcome.code == 5 and case.automatic:
        account.note(f"{mode}: ended with 5")
    elif outcome.code != 0:
        return account.fail(f"exit code {outcome.code}: {outcome.sentence()}")
    h = case.matrix()
    exact = lowest(h)
    rounding = 1e-14 * abs(h).sum(axis=0).max() + 1e-13
    true, claimed = outcome.values["energy"][0] - exact, outcome.values["error-estimate"][0]
    account.claim("energy not below the ground state", true > -100 * rounding, f"{-true:.3g} below")
    kind = mode if outcome.code == 0 else "code 5"
    if true < 1e-11 + 100 * rounding:
        return account.note(f"{kind}: exact to rounding")
    ratio = true / max(claimed, 1e-300)
    account.note(f"{kind}: true / estimated {bin_of(ratio)}")
    if options.only:
        print(f"exact {exact:.12g}, true error {true:.3g}, estimated {claimed:.3g}, ratio {ratio:.3g}")
    if ratio > 1:
        account.fail(f"error = {true:.3g}, estimated {claimed:.3g}, {ratio:.3g} times, exact {exact:.12g}, {case.dimension} states")
    return None


def bin_of(ratio):
    names = ["< 0.01", *(f"{a:g} to {b:g}" for a, b in zip(EDGES, EDGES[1:])), "> 10"]
    return f"{sum(ratio >= e for e in EDGES)} ({names[sum(ratio >= e for e in EDGES)]})"


def main():
    options = program.options_of(__doc__).parse_args()
    verdicts = program.run_all(examine, options)
    program.summary(verdicts, options)
    failed = sum(bool(v.failures) for v in verdicts)
    print(f"{failed} of {len(verdicts)} runs failed; at most one of a hundred may")
    return 1 if failed > 0.01 * len(verdicts) else 0


if __name__ == "__main__":
    sys.exit(main())
