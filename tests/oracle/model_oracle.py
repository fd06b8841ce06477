#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""One physics: the same random [lattice] and [model] by lanczos, dmrg and trotter. Ground states of lanczos and dmrg
agree in energy, densities and correlations with the first site; motions in time of spins agree between lanczos and
trotter. Each application is held against dense references by an oracle of its own; this one finds keys that mean
something else there."""

import math
import random
import sys

import numpy as np

import lattices
import program
from lanczos_oracle import number, random_cell

MOST_SPINS, MOST_ELECTRONS = 9, 6
PERIODIC = ("ring", "square", "triangular", "honeycomb", "kagome", "checkerboard")


class Case:
    """Keys of [lattice] and [model] that all jobs of a case share."""

    def __init__(self, seed, index):
        rng = self.rng = random.Random(f"model {seed} {index}")
        self.electrons = rng.random() < 0.4
        self.keys, self.files = {}, {}
        self.seed = rng.randint(1, 10**6)
        self.random_lattice()
        (self.random_electrons if self.electrons else self.random_spins)()

    def random_lattice(self):
        rng = self.rng
        self.complex = rng.random() < 0.3
        while True:
            cell = random_cell(rng, not self.electrons)
            if not self.complex and (cell.complex or cell.kind == "checkerboard"):
                continue
            cluster = cell.build([1.0], 0.0, [])
            if any(e.start == e.end for e in cluster.edges):
                continue
            if not self.complex and (any(e.amplitude.imag for e in cluster.edges) or self.has_four_words(cell)):
                continue
            if 2 <= cluster.sites <= (MOST_ELECTRONS if self.electrons else MOST_SPINS):
                break
        if self.complex and cell.kind in PERIODIC:
            self.keys["model.flux"] = number(rng, -3, 3)
        self.cell, self.sites = cell, cluster.sites
        self.keys.update(cell.keys)
        self.files.update(cell.files)
        self.pairs = not self.complex and cell.kind in lattices.WITH_DISTANCES and rng.random() < 0.35
        if self.pairs:
            self.keys["lattice.geometry"], self.keys["lattice.type"] = cell.kind, "all"
            if rng.random() < 0.3:
                places = [(number(rng, -1, 1), number(rng, -1, 1), 2.0 * i) for i in range(self.sites)]
                self.keys = {"lattice.type": "all", "lattice.geometry": "positions", "lattice.positions": "places.txt"}
                self.files["places.txt"] = "".join(f"{x} {y} {z}\n" for x, y, z in places)

    @staticmethod
    def has_four_words(cell):
        """An amplitude with an imaginary part but no weight, which real methods refuse even if that part is 0."""
        lines = cell.files.get("edges.txt", "").splitlines() + [
            " ".join(bond.split()[2:]) for bond in cell.keys.get("lattice.cell-bonds", "").split(";")]
        return any(len(line.split()) == 4 for line in lines if not line.startswith("#"))

    def second_neighbours(self, key, largest):
        """Random next-nearest neighbours where the lattice has them."""
        if self.pairs or self.rng.random() < 0.6:
            return
        cluster = self.cell.build([1.0], 0.0, [])
        second = lattices.second_bonds(self.cell.kind, cluster, 1.0)
        if second and all(e.start != e.end for e in second):
            self.keys[key] = number(self.rng, -largest, largest)

    def per_site(self, key, width, chance):
        if self.rng.random() < chance:
            values = [number(self.rng, -width, width) for _ in range(self.rng.choice((1, self.sites)))]
            self.keys[key] = ",".join(map(str, values))

    def random_electrons(self):
        rng, keys = self.rng, self.keys
        keys["model.type"] = "hubbard"
        keys["model.t"] = number(rng, 0.4, 1.5)
        self.per_site("model.u", 6, 1)
        keys.setdefault("model.u", "4")
        if rng.random() < 0.4:
            keys["model.v"] = number(rng, -1, 1)
        self.per_site("model.potential", 1, 0.5)
        self.second_neighbours("model.t2", 0.7)
        if self.pairs and rng.random() < 0.8:
            keys["model.range"] = number(rng, 0.5, 4)
        self.up, self.down = (rng.randint(0, self.sites) for _ in range(2))

    def random_spins(self):
        rng, keys = self.rng, self.keys
        kinds = ["heisenberg", "heisenberg", "xxz", "xx", "xyz", "ising"] + ["dipolar"] * 3 * self.pairs
        kind = keys["model.type"] = rng.choice(kinds)
        if kind in ("heisenberg", "xxz", "xx", "dipolar"):
            keys["model.j"] = number(rng, 0.3, 1.5) * rng.choice((1, 1, -1))
        if kind in ("xxz", "ising") or kind == "heisenberg" and rng.random() < 0.4:
            keys["model.jz"] = number(rng, -1.5, 1.5)
        if kind == "xyz":
            keys["model.jx"] = keys["model.jy"] = number(rng, 0.2, 1.5)
            if rng.random() < 0.7:
                keys["model.jz"] = number(rng, -1.5, 1.5)
        if kind in ("heisenberg", "xxz", "xx"):
            self.second_neighbours("model.j2", 0.7)
        if kind == "dipolar" and rng.random() < 0.7:
            keys["model.direction"] = ",".join(str(number(rng, -1, 1)) for _ in range(2)) + ",0.5"
        elif self.pairs and kind != "dipolar" and rng.random() < 0.8:
            keys["model.range"] = number(rng, 0.5, 4)
        self.per_site("model.field", 1, 0.5)
        if rng.random() < 0.4:
            keys["model.disorder"] = number(rng, 0.1, 2)
        self.up, self.down = rng.randint(0, self.sites), 0

    def job(self, application, **more):
        job = program.Job(application)
        job.files = dict(self.files)
        for key, value in self.keys.items():
            job.set(key, value)
        for key, value in more.items():
            job.set(key.replace("__", ".").replace("_", "-"), value)
        job.set("backend.threads", 1)
        if application != "trotter":
            if self.electrons:
                job.set("sector.up", self.up)
                job.set("sector.down", self.down)
            else:
                twice = 2 * self.up - self.sites
                job.set("sector.sz", f"{twice}/2" if twice % 2 else twice // 2)
        return job


def compare_ground_states(case, account, state):
    lanczos = program.run(case.job("lanczos", run__tolerance="1e-11", run__max_steps=2000, run__seed=case.seed))
    job = state["job"] = case.job("dmrg", run__tolerance="1e-11", run__measure="correlations", run__seed=case.seed)
    dmrg = program.run(job)
    if lanczos.code != 0:
        return account.fail(f"lanczos ended with {lanczos.code}: {lanczos.said}")
    if dmrg.code == 2 and "groups of sites" in dmrg.said:
        return account.note("refused by dmrg: parts that exchange no charge")
    if dmrg.code == 5:
        return account.note("dmrg says that it did not converge")
    if dmrg.code != 0:
        return account.fail(f"dmrg ended with {dmrg.code}: {dmrg.said}")
    energy, found = lanczos.values["energy"][0], dmrg.values["energy"][0]
    account.compare("energy", found, energy, 1e-8 * (1 + abs(energy)))
    gap = lanczos.values.get("next-energy", [energy])[0] - energy
    if lanczos.values.get("degeneracy", [2])[0] != 1 or not gap > 1e-4:
        return account.note("degenerate ground states: energies alone")
    bound = 1e-6 + 10 * math.sqrt((abs(found - energy) + 1e-12) / gap)
    if case.electrons:
        for spin in ("up", "down"):
            account.compare(f"density-{spin}", dmrg.values[f"density-{spin}"], lanczos.values[f"occupation-{spin}"],
                            bound)
    else:
        account.compare("sz", dmrg.values["sz"], lanczos.values["occupation"] - 0.5, bound)
    pairs = np.ravel(dmrg.values["spin-correlations"]).reshape(case.sites, case.sites)
    account.compare("spin-correlations", pairs[0], lanczos.values["spin-correlation"], bound)
    return None


def compare_motions(case, account, state):
    """From a product state, the same by a Krylov space, a Chebyshev series and splittings."""
    rng, sites = case.rng, case.sites
    case.up = max(case.up, 1)  # an empty list of sites cannot be written
    up = sorted(rng.sample(range(sites), case.up))
    pattern = "".join("u" if i in up else "d" for i in range(sites))
    step, steps = number(rng, 0.05, 0.3), rng.randint(1, 5)
    lanczos = program.run(case.job("lanczos", run__task="evolution", evolution__up=up, evolution__step=step,
                                   evolution__steps=steps,
                                   **({"run__seed": case.seed} if "model.disorder" in case.keys else {})))
    splitting = rng.random() < 0.4
    more = {"run__method": "chebyshev", "run__step": step, "run__steps": steps}
    if splitting:
        more = {"run__order": 4, "run__step": step / 20, "run__steps": 20 * steps, "run__measure_every": 20}
    job = state["job"] = case.job("trotter", state__initial="pattern", state__pattern=pattern,
                                  run__observables="sz,energy", run__seed=case.seed, **more)
    trotter = program.run(job)
    for name, outcome in (("lanczos", lanczos), ("trotter", trotter)):
        if outcome.code != 0:
            return account.fail(f"{name} ended with {outcome.code}: {outcome.said}")
    bound = 1e-4 if splitting else 1e-8
    kind = ", splitting" if splitting else ", series"
    for j in range(sites):
        here = [f"occupation-{j}", f"occupation-up-{j}"]
        name = next(n for n in here if n in lanczos.series)
        account.compare("sz in time" + kind, trotter.series[f"sz-{j}"], lanczos.series[name] - 0.5, bound)
    scale = 1 + abs(lanczos.series["energy"]).max()
    account.compare("energy in time" + kind, trotter.series["energy"], lanczos.series["energy"], bound * scale)
    return None


def examine(seed, index, account, state, options):
    case = Case(seed, index)
    state.update(task="electrons" if case.electrons else "spins")
    state["job"] = case.job("lanczos")
    account.note("lattice " + case.keys["lattice.type"])
    account.note("model " + case.keys["model.type"])
    if case.complex or case.electrons or case.rng.random() < 0.5:
        compare_ground_states(case, account, state)
    else:
        compare_motions(case, account, state)


if __name__ == "__main__":
    sys.exit(program.main(__doc__, examine))
