#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""Random small sectors through the program, every printed number against dense diagonalization of operators that are
written here and nowhere else."""

import math
import os
import random
import sys

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import all_levels
import checks
import dynamics
import lattices
import momenta
import program
import symmetry
import states
from checks import number
from dense import Model, Solution
from program import instruction_sets

MOST_STATES = 600
CHECKS = {"states": states.check_states, "spectrum": dynamics.check_spectrum, "thermal": dynamics.check_thermal,
          "levels": all_levels.check_levels,
          "evolution": dynamics.check_evolution}


class Cell:
    """A random lattice: the keys that describe it, and the cluster they mean for given t and flux."""

    def __init__(self, kind, keys, build, dimensions, complex_=False, cells=1, files=None, weights=True):
        self.kind, self.keys, self.build, self.dimensions = kind, keys, build, dimensions
        self.complex, self.basis, self.files, self.weights = complex_, cells, files or {}, weights


def random_torus(rng, cells):
    """Extents as the key has them, and the torus vectors: two or four numbers."""
    while True:
        if rng.random() < 0.5:
            x, y = rng.randint(1, 5), rng.randint(1, 5)
            extents, torus = [x, y], [(x, 0), (0, y)]
        else:
            ax, ay, bx, by = (rng.randint(-4, 4) for _ in range(4))
            extents, torus = [ax, ay, bx, by], [(ax, ay), (bx, by)]
        if 1 <= abs(torus[0][0] * torus[1][1] - torus[0][1] * torus[1][0]) <= cells:
            return extents, torus


def numbers_given(rng, imaginary, spins):
    """How many of amplitude, imaginary part and weight a bond tells."""
    if spins:
        return rng.choice((1, 3)) if imaginary == 0 else 3
    return rng.choice((1, 2, 3)) if imaginary == 0 else rng.choice((2, 3))


def custom_keys(extents, bonds, places):
    return {"lattice.type": "custom", "lattice.extents": extents,
            "lattice.cell-bonds": "; ".join(f"{a} {b} {dx} {dy} {w.real} {w.imag} {v}" for a, b, dx, dy, w, v in bonds),
            "lattice.cell-positions": "; ".join(f"{x} {y}" for x, y in places)}


def mirrored_cell(rng, spins):
    """Two or four sites of which a mirror, a glide, an inversion or several of them make all from the first one, and
    bonds with all their images."""
    kind = rng.choice(("mirror", "glide", "inversion", "both", "mirror and inversion"))
    maps = {"mirror": [(1, -1, 0)], "glide": [(1, -1, 0.5)], "inversion": [(-1, -1, 0)],
            "both": [(1, -1, 0), (-1, -1, 0)], "mirror and inversion": [(1, -1, 0), (-1, -1, 0.5)]}[kind]
    first = (number(rng, 0.1, 0.4), number(rng, 0.1, 0.4))
    places = [first]

    def image(place, map_):
        sx, sy, shift = map_
        return (sx * place[0] + shift, sy * place[1])

    def site_of(place):
        """(site, cell) at a place, which is new where none is there."""
        for i, p in enumerate(places):
            d = (place[0] - p[0], place[1] - p[1])
            if abs(d[0] - round(d[0])) + abs(d[1] - round(d[1])) < 1e-9:
                return i, round(d[0]), round(d[1])
        places.append((place[0] % 1, place[1] % 1))
        return site_of(place)
    for place in places:  # which grows
        for map_ in maps:
            site_of(image(place, map_))
    segments = []
    for _ in range(rng.randint(1, 3)):
        a, b = places[0], places[rng.randrange(len(places))]
        d = (rng.randint(-1, 1), rng.randint(-1, 1))
        segments.append((a, (b[0] + d[0], b[1] + d[1]), number(rng, -1, 1), number(rng, -1, 2)))
    bonds = {}
    for a, b, t, w in segments:  # which grows
        (i, ix, iy), (j, jx, jy) = site_of(a), site_of(b)
        bond, back = (i, j, jx - ix, jy - iy), (j, i, ix - jx, iy - jy)
        if bond in bonds or back in bonds:
            continue
        bonds[bond] = (t, w)
        segments += [(image(a, m), image(b, m), t, w) for m in maps]
    bonds = [(*bond, complex(t), w) for bond, (t, w) in bonds.items()]
    used = 1 + max(max(b[0], b[1]) for b in bonds)
    if used < len(places):
        bonds.append((used, len(places) - 1, 0, 0, 0j, 0.0) if used < len(places) - 1 else (0, used, 0, 0, 0j, 0.0))
    x, y = rng.choice(((2, 1), (1, 2), (2, 2), (3, 1), (1, 3), (4, 1)) if len(places) == 2
                      else ((1, 1), (2, 1), (1, 2), (3, 1)))
    return Cell("custom", custom_keys([x, y], bonds, places),
                lambda t, phase, flux: lattices.custom([(x, 0), (0, y)], [(*b[:4], t[0] * b[4], b[5]) for b in bonds],
                                                       places, flux),
                2, False, len(places))


def cancelling_cell(rng, spins):
    """A ring of one site per cell whose bonds, or their weights, add up to zero."""
    n = rng.randint(5, 9)
    one, two = number(rng, 0.1, 1), number(rng, 0.1, 1)
    amplitudes = [number(rng, -1, 1) for _ in range(3)]
    if rng.random() < 0.5:
        amplitudes[2] = -round(amplitudes[0] + amplitudes[1], 3)
    bonds = [(0, 0, d + 1, 0, complex(t), w)
             for d, (t, w) in enumerate(zip(amplitudes, (one, two, -round(one + two, 3))))]
    return Cell("custom", custom_keys([n, 1], bonds, [(0, 0)]),
                lambda t, phase, flux: lattices.custom([(n, 0), (0, 1)], [(*b[:4], t[0] * b[4], b[5]) for b in bonds],
                                                       [(0, 0)], flux),
                2, False, 1)


def custom_cell(rng, spins):
    basis = rng.randint(1, 3)
    extents, torus = random_torus(rng, 12 // basis)
    imaginary = rng.random() < 0.5
    bonds, texts = [], []
    for i in range(rng.randint(1, 5)):
        start, end = (basis - 1, rng.randrange(basis)) if i == 0 else (rng.randrange(basis), rng.randrange(basis))
        dx, dy = rng.randint(-1, 1), rng.randint(-2, 2)
        re, im, weight = number(rng, -1, 1), number(rng, -1, 1) if imaginary else 0.0, number(rng, -1, 2)
        words = [start, end, dx, dy, re]
        given = numbers_given(rng, im, spins)
        words += [im, weight][: given - 1]
        bonds.append((start, end, dx, dy, complex(re, im), weight if given == 3 else re if spins else 1.0))
        texts.append(" ".join(map(str, words)))
    for site in sorted(set(range(basis)) - {end for bond in bonds for end in bond[:2]}):
        # a site without a bond would be refused
        bonds.append((site, basis - 1, 0, 0, 0j, 0.0))
        texts.append(f"{site} {basis - 1} 0 0 0 0 0")
    places = [(number(rng, 0, 1), number(rng, 0, 1)) for _ in range(basis)] if rng.random() < 0.6 else None
    keys = {"lattice.type": "custom", "lattice.extents": extents, "lattice.cell-bonds": "; ".join(texts)}
    if places is not None:
        keys["lattice.cell-positions"] = "; ".join(f"{x} {y}" for x, y in places)
    else:
        places = None

    def build(t, phase, flux):
        return lattices.custom(torus, [(*b[:4], t[0] * b[4], b[5]) for b in bonds], places, flux)
    return Cell("custom", keys, build, 2, imaginary, basis)


def edge_file(rng, spins):
    sites = rng.randint(2, 9)
    imaginary = rng.random() < 0.5
    edges, lines = [], ["# random"]
    for k in range(rng.randint(1, 2 * sites)):
        start, end = rng.sample(range(sites), 2) if k else (sites - 1, rng.randrange(sites - 1))
        re, im, weight = number(rng, -1, 1), number(rng, -1, 1) if imaginary else 0.0, number(rng, -1, 2)
        given = numbers_given(rng, im, spins)
        if rng.random() < 0.15:
            re, im, given = 1.0, 0.0, 0
        edges.append(lattices.Edge(start, end, complex(re, im), weight if given == 3 else re if spins else 1.0))
        lines.append(" ".join(map(str, [start, end, re, im, weight][: 2 + given])))
    for site in sorted(set(range(sites)) - {end for e in edges for end in (e.start, e.end)}):
        # a site without an edge would be refused
        edges.append(lattices.Edge(site, sites - 1, 0j, 0.0))
        lines.append(f"{site} {sites - 1} 0 0 0")
    return Cell("file", {"lattice.type": "file", "lattice.file": "edges.txt"},
                lambda t, phase, flux: lattices.from_edges([lattices.Edge(e.start, e.end, t[0] * e.amplitude, e.weight)
                                                            for e in edges]),
                0, imaginary, 1, {"edges.txt": "\n".join(lines) + "\n"})


OPEN = ("file", "ladder", "cylinder")  # lattices without wave vectors


def random_cell(rng, spins):
    kind = rng.choice(("ring", "chain", *lattices.TEXTBOOK, "checkerboard", "custom", "custom", "file", "ladder",
                       "cylinder"))
    if kind == "custom":
        return rng.choice((custom_cell, custom_cell, mirrored_cell, mirrored_cell, cancelling_cell))(rng, spins)
    if kind == "file":
        return edge_file(rng, spins)
    keys = {"lattice.type": kind}
    if kind in ("ladder", "cylinder"):
        length, legs = rng.choice(((1, 2), (2, 2), (3, 2), (2, 3), (4, 2), (2, 4), (3, 3), (5, 2),
                                   (1, 5)) + ((6, 1),) * (kind == "ladder"))
        keys["lattice.extents"] = [length, legs]
        return Cell(kind, keys, lambda t, phase, flux: lattices.rectangle(length, legs, kind == "cylinder", t[0]), 0)
    if kind in ("ring", "chain"):
        n = rng.randint(2 if kind == "ring" else 1, 12)
        keys["lattice.extents"] = n
        if kind == "ring":
            return Cell(kind, keys, lambda t, phase, flux: lattices.ring(n, t[0], flux), 1)
        return Cell(kind, keys, lambda t, phase, flux: lattices.chain(n, t[0]), 1)
    if kind == "tilted":
        a, b = rng.choice(((1, 1), (2, 0), (0, 2), (2, 1), (1, 2), (2, 2), (3, 0), (3, 1), (1, -3), (2, -1), (3, 2),
                           (-2, 3)))
        keys["lattice.extents"] = [a, b]
        torus = [(a, b), (-b, a)]
    else:
        least = 2 if kind == "checkerboard" or lattices.basis(kind) == 1 else 1
        most = 12 // lattices.basis(kind)
        while True:
            x, y = rng.randint(least, 6), rng.randint(least, 6)
            if x * y <= most:
                break
        keys["lattice.extents"] = [x, y]
        torus = [(x, 0), (0, y)]
    if kind == "checkerboard":
        return Cell(kind, keys, lambda t, phase, flux: lattices.checkerboard(torus, t, phase, flux), 2, True, 2)
    return Cell(kind, keys, lambda t, phase, flux: lattices.textbook(kind, torus, t[0], flux), 2, False,
                lattices.basis(kind))


def random_filling(rng, sites, species, most):
    for _ in range(40):
        def one():
            return rng.choice((0, sites)) if rng.random() < 0.15 else rng.randint(0, sites)
        filling = tuple(one() for _ in range(species))
        if math.prod(math.comb(sites, n) for n in filling) <= most:
            return filling
    return (min(1, sites),) + (0,) * (species - 1)


class Case:
    """A random job and the model that it means."""

    def __init__(self, seed, index):
        rng = self.rng = random.Random(f"lanczos {seed} {index}")
        self.job = program.Job("lanczos", rng.choice((2, 3, 4)) if rng.random() < 0.15 else 1)
        self.task = rng.choices(("states", "spectrum", "thermal", "evolution", "levels"), (43, 23, 10, 16, 8))[0]
        # few distinct levels, each several times: what Krylov spaces run out of
        self.tiny = rng.random() < 0.25
        self.spins = rng.random() < 0.25
        self.species = 1 if self.spins else rng.choice((1, 2, 2))
        while True:
            cell = random_cell(rng, self.spins)
            if self.spins and cell.kind == "checkerboard" or self.task == "spectrum" and cell.kind in OPEN:
                continue
            cluster = cell.build([1.0], 0.1, [])
            if all(e.start != e.end for e in cluster.edges) and (not self.tiny or cluster.sites <= 6):
                break
        self.cell = cell
        self.random_model()
        self.random_backend()

    def random_model(self):
        rng, cell, job = self.rng, self.cell, self.job
        for key, value in cell.keys.items():
            job.set(key, value)
        job.files = cell.files
        symmetric = self.tiny or rng.random() < 0.5
        t, phase, flux, self.second = [1.0], 0.25 * math.pi, [], []
        if self.spins:
            job.set("model.type", "heisenberg")
        elif rng.random() < 0.5:
            t = [number(rng, -2, 2)]
            if cell.kind == "checkerboard":
                t += [number(rng, -1, 1) for _ in range(rng.randint(0, 2))]
            job.set("model.t", t)
        if cell.kind == "checkerboard" and rng.random() < 0.5:
            job.set("model.phase", part := number(rng, -1, 1))
            phase = part * math.pi
        if cell.kind not in ("chain", *OPEN) and rng.random() < (0.1 if symmetric else 0.5):
            flux = [number(rng, -3, 3) for _ in range(cell.dimensions)]
            job.set("model.flux", flux)
        self.cluster = cell.build(t, phase, flux)
        second = lattices.second_bonds(cell.kind, self.cluster, 1.0, flux) if rng.random() < 0.4 else []
        if second and all(e.start != e.end for e in second):
            factor = number(rng, -1, 1)
            job.set("model.j2" if self.spins else "model.t2", factor)
            if factor != 0:
                self.second = [lattices.Edge(e.start, e.end, factor * e.amplitude, factor if self.spins else 0.0)
                               for e in second]
                self.cluster.edges += self.second
        sites = self.cluster.sites
        per_site = {}
        for name, low, high, there in (("u", -3, 8, self.species == 2), ("energies", -1, 1, True)):
            per_site[name] = [0.0] * sites
            if not there or rng.random() < (0.7 if symmetric and name == "energies" else 0.25):
                continue
            one = symmetric or rng.random() < 0.3
            values = [number(rng, low, high) for _ in range(1 if one else sites)]
            job.set("model." + (name if name == "u" else "field" if self.spins else "potential"), values)
            per_site[name] = values * (sites // len(values))
        v = jxy = jz = 0.0
        if self.spins:
            jxy, jz = 1.0, 1.0
            if rng.random() < 0.6:
                jxy, jz = number(rng, -2, 2) or 1.0, number(rng, -2, 2)
                for e in self.second:  # j2 is an energy, with the anisotropy of the neighbours
                    e.amplitude, e.weight = e.amplitude / jxy, e.weight / jxy
                job.set("model.j", jxy)
                job.set("model.type", rng.choice(("heisenberg", "xxz")))
                job.set("model.jz", jz)
        elif rng.random() < 0.4:
            v = number(rng, -2, 3)
            job.set("model.v", v)
        if not self.spins and self.species == 1:
            job.set("model.type", "fermions")
        self.model = Model(self.cluster, self.spins, self.species, per_site["u"], v, per_site["energies"], jxy, jz)
        most = {"states": MOST_STATES, "spectrum": checks.MOST_OF_SPECTRA}.get(self.task, MOST_STATES // 2)
        most = 20 if self.tiny else int(math.exp(rng.uniform(0, math.log(most)))) if rng.random() < 0.5 else most
        self.filling = random_filling(rng, sites, self.species, most)
        if self.spins:
            twice = 2 * self.filling[0] - sites
            job.set("sector.sz", rng.choice((f"{twice}/2", twice / 2)) if twice % 2 else twice // 2)
        else:
            job.set("sector.up", self.filling[0])
        if self.species == 2:
            job.set("sector.down", self.filling[1])

    def random_backend(self):
        rng, job = self.rng, self.job
        job.set("run.task", self.task)
        if self.task not in ("evolution", "levels"):
            job.set("run.seed", rng.randint(1, 10**6))
        job.set("backend.threads", rng.choice((1, 1, 2)) if job.ranks == 1 else 1)
        real = all(e.amplitude.imag == 0 for e in self.cluster.edges)
        if rng.random() < 0.2 and self.task != "evolution":
            job.set("backend.arithmetic", rng.choice(("auto", "complex", "real") if real else ("auto", "complex")))
        self.single = rng.random() < 0.12 and self.task != "levels"
        if self.single:
            job.set("backend.precision", "single")
        if rng.random() < 0.25:
            job.set("backend.exchange",
                    rng.choice(("auto", "rows", "transpose") if self.species == 2 else ("auto", "rows")))
        if rng.random() < 0.25:
            job.set("backend.simd", rng.choice(instruction_sets()))


def examine(seed, index, account, state, options):
    case = Case(seed, index)
    state.update(task=case.task, job=case.job)
    case.separate = case.cell.basis > 1 and case.task in ("states", "spectrum") and case.rng.random() < 0.4
    if case.separate:
        case.job.set("run.sublattices", "separate")
    if (case.task == "states" and not case.separate and momenta.suits(case)
            and random.Random(f"momenta {seed} {index}").random() < 0.3):
        state["task"] = "momenta"
        return momenta.check_momenta(case, account, options)
    if case.task == "states" and case.species == 2 and case.rng.random() < 0.3:
        return states.check_wide_scales(case, account, options)
    of_sector = symmetry.choose(case, account)
    case.symmetric = of_sector is not None
    case.solution = of_sector or Solution(case.model, case.filling)
    if "sector.spin-inversion" in case.job.keys:
        account.note(f"{case.task}: sectors of the spin inversion")
    if getattr(case, "momentum", None) is not None and case.rng.random() < 0.2:
        expect_refusal_outside(case, account, options)
    CHECKS[case.task](case, account, options)


def expect_refusal_outside(case, account, options):
    job = program.Job("lanczos", 1)
    job.keys, job.files = dict(case.job.keys), case.job.files
    job.set("sector.momentum", symmetry.outside(case))
    outcome = program.run(job, options.keep)
    account.claim("a momentum outside of the zone is refused",
                  outcome.code == 2 and "the same momentum is" in outcome.said, f"{outcome.code}: {outcome.sentence()}")


if __name__ == "__main__":
    sys.exit(program.main(__doc__, examine))
