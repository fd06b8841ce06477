#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""Random small jobs of spin dynamics through the program, every column of every row against products of exponentials
that are written here and in spin_half.py; the splittings themselves against the exact motion."""

import math
import os
import random
import re
import sys

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import numpy as np
from scipy.integrate import solve_ivp
from scipy.linalg import expm

import lattices
import program
import spin_half
from checks import number
from lanczos_oracle import Cell, program_simd, random_cell

OBSERVABLES = ("sx", "sy", "sz", "energy", "loschmidt-echo", "total", "staggered", "correlations-x", "correlations-y",
               "correlations-z", "structure-factor", "distribution", "participation", "entropy")
MOST_SPINS = 9
MOST_SITES = 10  # of a lattice: those of the torus (3, 1), (-1, 3), where some nearest images are three periods away


def point_list(points):
    return "; ".join(f"{t} {f}" for t, f in points)


class Factor:
    """A random factor in time: the text of its key and its value. Jumps lie between steps."""

    def __init__(self, rng, step, steps, smooth=False):
        self.form = "cos" if smooth else rng.choice(("cos", "steps", "linear"))
        if self.form == "cos":
            self.numbers = [number(rng, -1, 1) for _ in range(4)]
            self.text = "cos " + " ".join(map(str, self.numbers))
            return
        places = sorted(rng.sample(range(steps + 1), min(steps + 1, rng.randint(1, 3))))
        self.points = [(n * step if self.form == "steps" else (n + 0.3) * step, number(rng, -1, 1)) for n in places]
        self.text = f"{self.form} {point_list(self.points)}"

    def at(self, t, step):
        if self.form == "cos":
            mean, amplitude, frequency, phase = self.numbers
            return mean + amplitude * math.cos(frequency * t + phase * math.pi)
        if self.form == "steps":
            return [1.0, *(f for time, f in self.points if time <= t + 1e-5 * step)][-1]
        return float(np.interp(t, *zip(*self.points)))


def spins_text(rng, spins):
    """A word for some spins, and their numbers."""
    word = rng.choice(("all", "even", "odd", "list"))
    if word == "list":
        chosen = rng.sample(range(spins), rng.randint(1, spins))
        return ",".join(map(str, chosen)), chosen
    return word, list(range(spins))[{"all": slice(None), "even": slice(0, None, 2), "odd": slice(1, None, 2)}[word]]


def random_terms(rng, spins, count):
    """Text of some terms, and what they mean."""
    terms, texts = spin_half.Terms(spins), []
    for _ in range(count):
        a, value = rng.randrange(3), number(rng, -1, 1)
        if spins > 1 and rng.random() < 0.6:
            j, k = rng.sample(range(spins), 2)
            terms.couple(j, k, [value * (b == a) for b in range(3)])
            texts.append(f"{value} S{'xyz'[a]} {j} S{'xyz'[a]} {k}")
        else:
            j = rng.randrange(spins)
            terms.field[a, j] += value
            texts.append(f"{value} S{'xyz'[a]} {j}")
    return "; ".join(texts), terms


def thin_checkerboard(rng):
    """One cell wide in a direction, where the further hops, which spins do not have, would lead back to their site."""
    x, y = rng.choice(((1, 1), (1, 2), (2, 1), (1, 3), (4, 1)))
    return Cell("checkerboard", {"lattice.type": "checkerboard", "lattice.extents": [x, y]},
                lambda t, phase, flux: lattices.checkerboard([(x, 0), (0, y)], t, phase, flux), 2, True, 2)


def nearest_images(r, periods):
    """All images of r that are as near as the nearest one, among more of them than any torus of so few sites needs."""
    turns = range(-MOST_SITES, MOST_SITES + 1)
    images = [r]
    for period in periods:
        images = [image + turn * period for image in images for turn in turns]
    images = np.array(images)
    lengths = np.linalg.norm(images, axis=1)
    return images[lengths <= lengths.min() * (1 + 1e-9)]


class Case:
    """A random job and the motion that it means."""

    def __init__(self, seed, index):
        rng = self.rng = random.Random(f"trotter {seed} {index}")
        self.job = program.Job("trotter", rng.choice((2, 4)) if rng.random() < 0.2 else 1)
        self.seed, self.propagators = rng.randint(1, 2**40), {}
        self.step = number(rng, 0.02, 0.3) or 0.1
        self.stop = rng.randint(1, 8) if rng.random() < 0.12 else 0  # steps of an ensemble that is stopped
        self.steps = rng.randint(1, 3 if self.stop else 12)
        self.tiny = rng.uniform(20, 300) if rng.random() < 0.02 else 0  # couplings that do nothing, by a Chebyshev series
        self.chebyshev = self.tiny > 0 or rng.random() < 0.15
        self.random_lattice()
        self.random_fields()
        self.random_state()
        self.random_drive()
        self.random_run()

    def random_model(self):
        """J^x, J^y, J^z of a bond, with the keys of a random model."""
        rng, job = self.rng, self.job
        model = rng.choice(("xyz", "xyz", "heisenberg", "xxz", "xx", "ising", "double-quantum"))
        job.set("model.type", model)
        if model == "xyz":
            given = {a: number(rng, -2, 2) for a in rng.sample("xyz", rng.randint(1, 3))}
            for a, value in given.items():
                job.set("model.j" + a, value)
            return np.array([given.get(a, 0.0) for a in "xyz"])
        key = "model.jz" if model == "ising" else "model.j"
        value = 0.0 if model == "ising" else 1.0
        if model == "ising" or rng.random() < 0.7:
            job.set(key, value := number(rng, -2, 2))
        if model == "xxz" or model == "heisenberg" and rng.random() < 0.3:
            job.set("model.jz", jz := number(rng, -2, 2))
            return np.array([value, value, jz])
        return value * np.array({"heisenberg": (1, 1, 1), "xx": (1, 1, 0), "ising": (0, 0, 1), "double-quantum": (1, -1, 0)}[model])

    def write_terms(self, text):
        self.job.set("model.terms", "terms.txt")
        self.job.files["terms.txt"] = text.replace("; ", "\n") + "\n"

    def random_lattice(self):
        rng, job = self.rng, self.job
        kind = rng.choice(("cell", "cell", "cell", "neighbours", "all", "dipolar", "dipolar", "file", "terms"))
        kind = "file" if self.tiny else kind
        self.wave_vectors = False
        if kind == "terms":
            self.terms = spin_half.Terms(rng.randint(1, MOST_SPINS))
            text, more = random_terms(rng, self.terms.spins, rng.randint(1, 8))
            last = self.terms.spins - 1  # the largest spin that is named is the last one
            more.field[0, last] += 0.25
            self.write_terms(f"{text}; 0.25 Sx {last}")
            self.terms = more
        elif kind == "file":
            self.edge_file(self.random_model())
        elif kind in ("all", "dipolar"):
            self.all_pairs(kind == "dipolar")
        elif kind == "neighbours":
            self.neighbours(self.random_model())
        else:
            self.cell(self.random_model())
        self.spins = self.terms.spins

    def random_cluster(self):
        """A lattice with its keys; no bond leads back to its own spin."""
        while True:
            cell = thin_checkerboard(self.rng) if self.rng.random() < 0.05 else random_cell(self.rng, True)
            if cell.kind == "file" or cell.complex and cell.kind != "checkerboard":
                continue
            cluster = cell.build([1.0], 0.0, [])
            if cell.kind == "checkerboard":  # further hops have weight 0: no bonds of spins
                cluster.edges = [e for e in cluster.edges if e.weight != 0]
            if 2 <= cluster.sites <= MOST_SITES and all(e.start != e.end for e in cluster.edges):
                return cell, cluster

    def cell(self, coupling):
        cell, cluster = self.random_cluster()
        self.wave_vectors = cell.kind in ("ring", "chain")  # the structure factor is that of equally spaced spins
        for key, value in cell.keys.items():
            self.job.set(key, value)
        self.terms = spin_half.Terms(cluster.sites)
        for e in cluster.edges:
            if cell.kind == "checkerboard":
                factors = np.full(3, e.weight)
            else:
                factors = np.array([e.amplitude.real, e.amplitude.real, e.weight])
            self.terms.couple(e.start, e.end, factors * coupling)
        second = lattices.second_bonds(cell.kind, cluster, 1.0)
        if second and coupling[0] != 0 and self.job.keys["model.type"] in ("heisenberg", "xxz", "xx") and self.rng.random() < 0.4:
            if all(e.start != e.end for e in second):
                self.job.set("model.j2", j2 := number(self.rng, -1, 1))
                for e in second:
                    self.terms.couple(e.start, e.end, j2 / coupling[0] * coupling)

    def neighbours(self, coupling):
        """A ring or chain that is long enough for light-cone passes, in double precision at least. Dense matrices of 12 spins
        take minutes."""
        lattice, spins = self.rng.choice(("ring", "chain")), self.rng.randint(10, 10 if self.chebyshev else 12)
        self.job.set("lattice.type", lattice)
        self.job.set("lattice.extents", spins)
        self.wave_vectors = True
        self.terms = spin_half.Terms(spins)
        for j in range(spins if lattice == "ring" else spins - 1):
            self.terms.couple(j, (j + 1) % spins, coupling)

    def edge_file(self, coupling):
        rng = self.rng
        spins, lines = rng.randint(2, MOST_SPINS), ["# random"]
        self.terms = spin_half.Terms(spins)
        for i in range(rng.randint(1, 2 * spins)):
            j, k = rng.sample(range(spins), 2) if i else (spins - 1, rng.randrange(spins - 1))
            factor, weight = number(rng, -1, 1), number(rng, -1, 1)
            if self.tiny:
                factor, weight = factor * 10**-self.tiny, weight * 10**-self.tiny
            given = [factor, 0, weight] if self.tiny else rng.choice(([], [factor], [factor, 0, weight]))
            lines.append(" ".join(map(str, [j, k, *given])))
            factor, weight = (1.0, 1.0) if not given else (factor, factor) if len(given) == 1 else (factor, weight)
            self.terms.couple(j, k, np.array([factor, factor, weight]) * coupling)
        self.job.set("lattice.type", "file")
        self.job.set("lattice.file", "edges.txt")
        self.job.files["edges.txt"] = "\n".join(lines) + "\n"

    def all_pairs(self, dipolar):
        rng, job = self.rng, self.job
        job.set("lattice.type", "all")
        periods, direction = [], np.array([0.0, 0.0, 1.0])
        if rng.random() < 0.3:
            positions = [(number(rng, -2, 2), number(rng, -2, 2), 3.0 * i) for i in range(rng.randint(2, MOST_SPINS))]
            job.set("lattice.geometry", "positions")
            job.set("lattice.positions", "positions.txt")
            job.files["positions.txt"] = "".join(f"{x} {y} {z} # spin\n" for x, y, z in positions)
            positions = np.array(positions)
        else:
            while True:
                cell, cluster = self.random_cluster()
                if cell.kind not in ("custom", "checkerboard", "ladder", "cylinder"):
                    break
            job.set("lattice.geometry", cell.kind)
            job.set("lattice.extents", cell.keys["lattice.extents"])
            positions = np.pad(cluster.positions(), ((0, 0), (0, 1)))
            if cell.kind != "chain":
                periods = [np.pad(np.array(v, float) @ np.array(cluster.axes), (0, 1)) for v in cluster.torus]
        if dipolar:
            job.set("model.type", "dipolar")
            job.set("model.j", j := number(rng, -3, 3))
            coupling, power = j * np.array([-1, -1, 2]), 3.0
            if rng.random() < 0.6:
                direction = np.array([number(rng, -1, 1), number(rng, -1, 1), rng.choice((0.0, 0.5))])
                if not direction.any():
                    direction[0] = 1.0
                job.set("model.direction", list(direction))
        else:
            coupling, power = self.random_model(), 0.0
            if rng.random() < 0.8:
                job.set("model.range", power := number(rng, 0, 4))
        self.terms = spin_half.Terms(len(positions))
        for k in range(len(positions)):
            for j in range(k):
                images = nearest_images(positions[k] - positions[j], periods)
                factor = np.linalg.norm(images[0]) ** -power
                if dipolar:
                    factor *= np.mean([1 - 3 * (r @ direction) ** 2 / (r @ r) / (direction @ direction) for r in images])
                self.terms.couple(j, k, factor * coupling)

    def random_fields(self):
        rng, job = self.rng, self.job
        for a, axis in enumerate("xyz"):
            if not self.tiny and rng.random() < 0.5:
                values = [number(rng, -2, 2) for _ in range(rng.choice((1, self.spins)))]
                job.set("model.field" + ("" if axis == "z" else "-" + axis), values)
                self.terms.field[a] += values if len(values) > 1 else values[0]
        if not self.tiny and rng.random() < 0.4:
            width, a = number(rng, 0, 2), rng.randrange(3)
            job.set("model.disorder", width)
            if a != 2 or rng.random() < 0.5:
                job.set("model.disorder-axis", "xyz"[a])
            self.terms.field[a] += width * np.array(spin_half.random_fields(self.seed, self.spins))
        if "model.terms" not in job.keys and not self.tiny and rng.random() < 0.3:
            text, more = random_terms(rng, self.spins, rng.randint(1, 5))
            self.write_terms(text)
            self.terms = self.terms.plus(more)
        job.set("run.seed", self.seed)

    def random_state(self):
        rng, job, n = self.rng, self.job, self.spins
        kind = rng.choice(("up", "neel", "pattern", "flipped", "domain-wall", "product", "product", "random", "polarised-random", "file"))
        kind = rng.choice(("random", "polarised-random")) if self.stop else kind
        job.set("state.initial", kind)
        self.samples, self.start, self.until = 1, None, False
        if kind in ("random", "polarised-random"):
            polarised = None
            if kind == "polarised-random":
                job.set("state.spin", polarised := rng.randrange(n))
            concurrent = 1
            if self.stop or n <= 6 and rng.random() < 0.6:
                concurrent = rng.choice((1, 2, 4))
                self.samples = concurrent * rng.randint(1, 4 if self.stop else 3)
                if not self.stop and n <= 5 and rng.random() < 0.4:  # until an error is small
                    self.until, self.samples = True, concurrent * rng.randint(12 // concurrent, 32 // concurrent)
                if self.samples > 1:
                    job.set("run.samples", self.samples)
                    job.set("run.concurrent", concurrent)
            self.concurrent = concurrent
            self.start = lambda sample: spin_half.random_state(self.seed, n, sample, polarised)
            return
        up, down = spin_half.LETTERS["u"], spin_half.LETTERS["d"]
        self.concurrent = 1
        if kind == "file":
            state = np.array([complex(rng.gauss(0, 1), rng.gauss(0, 1)) for _ in range(2**n)])
            state[[x for x in range(2**n - 1) if rng.random() < 0.3]] = 0
            state /= np.linalg.norm(state)
            digits = rng.choice((7, 9, 17))
            lines = ["".join("ud"[x >> j & 1] for j in range(n)) + f" {v.real:.{digits}g} {v.imag:.{digits}g}\n"
                     for x, v in enumerate(state.tolist()) if v]
            state = np.array([complex(float(f"{v.real:.{digits}g}"), float(f"{v.imag:.{digits}g}")) for v in state.tolist()])
            state /= np.linalg.norm(state)
            job.set("state.file", "state.txt")
            job.files["state.txt"] = "".join(lines)
            self.start = lambda sample: state
            return
        if kind == "flipped":
            job.set("state.spin", chosen := rng.randrange(n))
            spinors = [up if j == chosen else down for j in range(n)]
        elif kind == "pattern":
            period = rng.choice([p for p in range(1, n + 1) if n % p == 0])
            letters = "".join(rng.choice("ud01+-rl") for _ in range(period))
            job.set("state.pattern", letters)
            spinors = [spin_half.LETTERS[letters[j % period]] for j in range(n)]
        elif kind == "product":
            angles = []
            for key in ("theta", "phi"):
                values = [number(rng, -1, 2) for _ in range(rng.choice((1, n)))]
                job.set("state." + key, values)
                angles.append([math.pi * v for v in (values if len(values) == n else values * n)])
            spinors = [(math.cos(t / 2), np.exp(1j * p) * math.sin(t / 2)) for t, p in zip(*angles)]
        else:
            spinors = [down if kind == "neel" and j % 2 == 0 or kind == "domain-wall" and j >= n // 2 else up for j in range(n)]
        state = spin_half.product_state(spinors)
        self.start = lambda sample: state

    def random_drive(self):
        rng, job = self.rng, self.job
        self.factors, self.reversals, self.pulses, self.smooth = [[], [], [], [], [], []], [], [], True
        self.kinks = False
        if self.chebyshev:  # takes none of them
            return
        for key in ("fields", "couplings", "hx", "hy", "hz", "jx", "jy", "jz"):
            if rng.random() < 0.15:
                factor = Factor(rng, self.step, self.steps)
                self.smooth = self.smooth and factor.form == "cos"
                self.kinks = self.kinks or factor.form == "linear"
                job.set("drive." + key, factor.text)
                for i, name in enumerate(("hx", "hy", "hz", "jx", "jy", "jz")):
                    if key == name or key == ("fields" if i < 3 else "couplings"):
                        self.factors[i].append(factor)
        if rng.random() < 0.1:
            self.table()
        if rng.random() < 0.15:
            self.smooth = False
            places = rng.sample(range(self.steps + 1), rng.randint(1, min(3, self.steps + 1)))
            self.reversals = [n * self.step for n in places]
            job.set("drive.reversals", self.reversals)
        if rng.random() < 0.3:
            for _ in range(rng.randint(1, 4)):
                word, chosen = spins_text(rng, self.spins)
                self.pulses.append((rng.randrange(self.steps), rng.randrange(3), number(rng, -1, 1), word, chosen))
            job.set("drive.pulses", "; ".join(f"{n * self.step} {'xyz'[a]} {angle} {word}" for n, a, angle, word, _ in self.pulses))

    def table(self):
        rng = self.rng
        self.smooth, self.kinks = False, True
        times = sorted({number(rng, 0, self.step * self.steps) for _ in range(4)})
        rows = [[t, *(number(rng, -1, 1) for _ in range(6))] for t in times]
        self.job.set("drive.table", "table.txt")
        self.job.files["table.txt"] = "".join(" ".join(map(str, row)) + "\n" for row in rows)
        for i in range(6):
            factor = Factor(rng, self.step, self.steps)
            factor.form, factor.points = "linear", [(row[0], row[1 + i]) for row in rows]
            self.factors[i].append(factor)

    def random_run(self):
        rng, job = self.rng, self.job
        job.set("run.step", self.step)
        job.set("run.steps", self.steps)
        self.order, self.scheme, self.left_out = rng.choice((1, 2, 2, 4)), "suzuki", 0.0
        if self.chebyshev:
            job.set("run.method", "chebyshev")
            if rng.random() < 0.6:
                job.set("run.tolerance", tolerance := 10.0 ** rng.choice((-14, -12, -9, -7, -5, -3)))
                self.left_out = tolerance
        else:
            job.set("run.order", self.order)
        if not self.chebyshev and self.order == 4 and rng.random() < 0.6:
            job.set("run.scheme", chosen := rng.choice(("suzuki", "blanes-moan")))
            self.scheme = chosen
        impossible = ["structure-factor"] * (not self.wave_vectors) + ["entropy"] * (self.spins == 1)
        names = [o for o in OBSERVABLES if o not in impossible]
        self.observables = rng.sample(names, rng.randint(1, len(names)))
        self.cut = ()
        if "entropy" in self.observables:
            self.cut = rng.sample(range(self.spins), rng.randint(1, self.spins - 1))
            if rng.random() < 0.5:
                self.cut = list(range(len(self.cut)))
            first = self.cut == list(range(len(self.cut))) and rng.random() < 0.7
            job.set("run.cut", f"first {len(self.cut)}" if first else self.cut)
        job.set("run.observables", self.observables)
        self.random_times()
        self.estimates = not self.chebyshev and rng.random() < 0.25
        if self.estimates:
            job.set("run.estimate-error", "yes")
        self.echo, self.turning, self.perturbation = rng.random() < 0.3, [], spin_half.Terms(self.spins)
        if self.echo:
            job.set("run.echo", "yes")
            if rng.random() < 0.7:
                text, self.perturbation = random_terms(rng, self.spins, rng.randint(1, 4))
                job.set("echo.perturbation", text)
            if not self.chebyshev and rng.random() < 0.4:
                word, chosen = spins_text(rng, self.spins)
                self.turning = [(rng.randrange(3), number(rng, -1, 1), chosen)]
                job.set("echo.pulse", f"{'xyz'[self.turning[0][0]]} {self.turning[0][1]} {word}")
        self.random_target()
        job.set("backend.threads", rng.choice((1, 1, 2)) if job.ranks == 1 else 1)
        self.single = rng.random() < 0.2
        if self.single:
            job.set("backend.precision", "single")
        if rng.random() < 0.4:
            job.set("backend.simd", rng.choice(program_simd()))
        # a state has 2^(N - a) rows, blocks of 2^l amplitudes: src/trotter/state/plan.cpp
        lanes = 4 if self.single else 3
        bits = max(self.spins, lanes + 1)
        rows = 2 ** (bits - min(max((bits + lanes + 1) // 2, lanes + 1), bits))
        job.ranks = min(job.ranks, rows * self.concurrent)

    def random_target(self):
        """An error at which the ensemble may end."""
        rng, job, self.target = self.rng, self.job, None
        names = [o for o in ("sx", "sy", "sz", "energy", "loschmidt-echo", "participation", "entropy") if o in self.observables]
        if not self.until or not names:
            return
        name = rng.choice(names)
        if name[0] == "s" and rng.random() < 0.5:
            name += f"-{rng.randrange(self.spins)}"
        self.target, self.target_time = (name, 10 ** number(rng, -3, -0.3)), None
        job.set("run.target-error", self.target[1])
        job.set("run.target-observable", name)
        times = [n for n in range(self.steps + 1) if n in self.observed or n == self.steps]
        if not self.echo and rng.random() < 0.5:
            self.target_time = rng.choice(times)
            job.set("run.target-time", self.target_time * self.step)

    def end_of_ensemble(self, rows):
        """States that it takes to come to the target, and whether it is reached."""
        name, target = self.target
        wanted = self.steps * (1 + self.echo) if self.target_time is None else self.target_time
        columns = [c for c in rows[0][3] if c == name or c.startswith(name + "-")]
        values = np.array([[row[c] for c in columns] for _, done, _, row in rows if done == wanted])

        def error(n):
            return (values[:n].std(axis=0, ddof=1) / math.sqrt(n)).max()
        for n in range(self.concurrent, self.samples + 1, self.concurrent):
            if n >= 16 and error(n) <= target:
                return n, True
        return self.samples, error(self.samples) <= target

    def random_times(self):
        rng, job = self.rng, self.job
        kind = rng.choice(("every", "every", "times", "decade"))
        if kind == "every":
            job.set("run.measure-every", every := rng.randint(1, self.steps + 2))
            self.observed = {n for n in range(self.steps * 2 + 1) if n % every == 0}
            self.mirrored = False
            return
        self.mirrored = True
        if kind == "times":
            chosen = rng.sample(range(self.steps + 1), rng.randint(1, self.steps + 1))
            job.set("run.measure-times", [n * self.step for n in chosen])
            self.observed = set(chosen)
        else:
            job.set("run.measure-per-decade", per := rng.randint(1, 8))
            self.observed = {round(10 ** (i / per)) for i in range(20)}

    def hamiltonian(self, t, back=False):
        """H at a time; jumps count a little before they come."""
        sign = (-1) ** sum(r <= t + 1e-5 * self.step for r in self.reversals)
        factors = [sign * math.prod(f.at(t, self.step) for f in some) for some in self.factors]
        h = self.terms.scaled(factors[:3], factors[3:])
        return h.plus(self.perturbation) if back else h

    def forward(self, psi, n, step=None, parts=1):
        """The step from time n * step on, in equal parts."""
        if self.chebyshev:
            return self.exact(False) @ psi
        step = step or self.step
        for time, axis, angle, _, spins in self.pulses:
            if time == n:
                psi = spin_half.rotate(axis, math.pi * angle, spins, psi)
        for i in range(parts):
            for axis, part, place in spin_half.stages(self.order, self.scheme):
                psi = self.hamiltonian((n + (i + place) / parts) * step).exponential(axis, part * step / parts, psi)
        return psi

    def back(self, psi, n, parts):
        """The inverse of that step, with the perturbation."""
        if self.chebyshev:
            return self.exact(True) @ psi
        for i in reversed(range(parts)):
            for axis, part, place in reversed(spin_half.stages(self.order, self.scheme)):
                h = self.hamiltonian((n + (i + place) / parts) * self.step, True)
                psi = h.exponential(axis, -part * self.step / parts, psi)
        for time, axis, angle, _, spins in reversed(self.pulses):
            if time == n:
                psi = spin_half.rotate(axis, -math.pi * angle, spins, psi)
        return psi

    def exact(self, back):
        """exp(-i H step), or exp(i (H + Sigma) step) on the way back, from the eigenvectors of the dense matrix."""
        if back not in self.propagators:
            energies, vectors = np.linalg.eigh(self.hamiltonian(0.0, back).dense())
            phases = np.exp((1j if back else -1j) * self.step * energies)
            self.propagators[back] = vectors * phases @ vectors.conj().T
        return self.propagators[back]

    def motion(self, sample, parts=1):
        """(steps done, time, state, whether on the way back) at every observation."""
        psi = self.start(sample)
        yield 0, 0.0, psi, False
        last = self.steps * (2 if self.echo else 1)
        for done in range(1, last + 1):
            back = done > self.steps
            time = last - done if back else done
            if back:
                for axis, angle, spins in self.turning if done == self.steps + 1 else ():
                    psi = spin_half.rotate(axis, math.pi * angle, spins, psi)
                psi = self.back(psi, time, parts)
            else:
                psi = self.forward(psi, done - 1, parts=parts)
            if done == last or (time if self.mirrored else done) in self.observed:
                yield done, time * self.step, psi, back

    def errors(self, row, psi, half, h, start, duration):
        """Estimates from a motion with half the step."""
        order = min(self.order, 2) if self.kinks else self.order
        factor = 2**order / (2**order - 1)
        distance = factor * np.linalg.norm(psi - half)
        other = spin_half.columns(half, h, start, self.observables, self.cut)
        return {"step-error-state": distance, "step-error-rate": distance / duration if duration else 0.0,
                **{"step-error-" + name: factor * (row[name] - other[name]) for name in other}}

    def rows(self):
        """Column -> values in the order in which the program writes them, and the largest energy."""
        found, largest = [], 0.0
        for sample in range(self.samples):
            start = self.start(sample)
            half_steps = self.motion(sample, 2) if self.estimates else iter(())
            for done, time, psi, back in self.motion(sample):
                h = self.hamiltonian(time, back)
                largest = max(largest, h.size())
                row = {"time": time, "norm": 1.0, **spin_half.columns(psi, h, start, self.observables, self.cut)}
                if self.estimates:
                    row |= self.errors(row, psi, next(half_steps)[2], h, start, done * self.step)
                if self.samples > 1:
                    row["sample"] = sample
                found.append((sample // self.concurrent, done, sample, row))
        found.sort(key=lambda entry: entry[:3])
        self.reached = True
        if self.target:
            self.samples, self.reached = self.end_of_ensemble(found)
            found = [entry for entry in found if entry[2] < self.samples]
        last = self.steps * (1 + self.echo)
        if self.stop:
            found = [entry for entry in found if entry[0] * last + entry[1] <= self.stop]
        self.ends = [i for i, entry in enumerate(found) if entry[1] == last]
        if not self.ends:  # no state is finished
            self.ends = [i for i, entry in enumerate(found) if entry[1] == found[-1][1]]
        return {name: np.array([entry[3][name] for entry in found]) for name in found[0][3]}, largest


def check_exponentials(case, account):
    """Those of one axis against the matrix exponential of its dense operator."""
    psi, h = case.start(0), case.hamiltonian(0.0)
    for axis in range(3):
        exact = expm(-1j * case.step * h.dense([axis])) @ psi
        account.compare("oracle: exponential", abs(h.exponential(axis, case.step, psi) - exact).max(), 0, 1e-11)


def check_order(case, account):
    """The splitting over a short time against the exact motion: its error falls with the order."""
    h, psi = case.hamiltonian(0.0), case.start(0)
    length = 0.6 / max(case.terms.size(), 1.0)
    parts = [case.terms.dense([a]) for a in range(3)]
    if any(case.factors):
        fields, couplings = [], []
        for a in range(3):
            only = spin_half.Terms(case.spins)
            only.field[a] = case.terms.field[a]
            fields.append(only.dense([a]))
            couplings.append(parts[a] - fields[a])

        def slope(t, state):
            values = [math.prod(f.at(t, case.step) for f in some) for some in case.factors]
            return -1j * sum(values[a] * (fields[a] @ state) + values[3 + a] * (couplings[a] @ state) for a in range(3))
        exact = solve_ivp(slope, (0, length), psi.astype(complex), method="DOP853", rtol=1e-13, atol=1e-14).y[:, -1]
    else:
        exact = expm(-1j * length * h.dense()) @ psi
    pulses, case.pulses = case.pulses, []
    errors = []
    for steps in (4, 8):
        state = psi
        for n in range(steps):
            state = case.forward(state, n, length / steps)
        errors.append(np.linalg.norm(state - exact))
    case.pulses = pulses
    # a leading term that happens to vanish leaves a higher order
    small = errors[1] < 1e-11
    account.claim("splitting: order", small or math.log2(errors[0] / errors[1]) > case.order - 0.25, f"errors {errors}")


def examine(seed, index, account, state, options):
    case = Case(seed, index)
    state.update(task="chebyshev" if case.chebyshev else f"order {case.order}", job=case.job)
    outcome = program.launch(case.job, options, steps=case.stop)
    rows, largest = case.rows()
    if outcome.code != (0 if case.reached else 5):
        return account.fail(f"exit code {outcome.code}: {outcome.sentence()}")
    if case.target:
        account.note("ensembles that " + ("came to their target" if case.reached else "did not come to their target"))
    for name in outcome.series.keys() - rows.keys() - {"step"}:
        account.fail(f"column {name} has no oracle")
    if case.stop:
        account.note(f"ensembles that were stopped, {len(case.ends)} of {case.samples} states in the results")
    left_out = 4 * case.left_out * case.steps * (1 + case.echo)
    bound = (1e-5 if case.single else 1e-11) + left_out
    for name, exact in rows.items():
        if name not in outcome.series:
            account.fail(f"no column {name}")
            continue
        kind = re.sub(r"(-\d+)+$", "", name)
        plain = kind.removeprefix("step-error-")
        scale = {"energy": max(1.0, largest), "structure-factor": case.spins}.get(plain, case.spins if plain.startswith("total") else 1.0)
        if kind != plain:  # a difference of two, times at most 2
            scale *= 4
        if plain == "entropy" and left_out > 0:  # p ln p has no bounded slope at 0
            scale *= 40
        allowed = bound * scale
        if name == "norm" and case.single and case.chebyshev:  # every product with H rounds it in the same direction
            allowed += 1.2e-7 * case.steps * (1 + case.echo) * (20 + largest * case.step)
        account.compare(kind + (", single" if case.single else ""), outcome.series[name], exact, allowed)
    check_results(case, account, outcome, rows, bound * max(1.0, largest, case.spins))
    if case.spins <= 5:
        check_exponentials(case, account)
        if case.smooth and not case.chebyshev:
            check_order(case, account)
    return None


def check_results(case, account, outcome, rows, bound):
    """Means over the last rows of the finished states, with their standard errors."""
    groups = {}
    for name in outcome.series:
        if name not in ("step", "sample") and name in rows:
            estimate = "step-error-" * name.startswith("step-error-")
            plain = name.removeprefix(estimate)
            quantity = next((o for o in OBSERVABLES if o != "total" and plain.startswith(o + "-")), plain)
            groups.setdefault(estimate + ("staggered-z" if quantity == "staggered" else quantity), []).append(name)
    ends = case.ends if case.samples > 1 else [-1]
    if case.samples > 1:
        account.compare("states in the results", outcome.values["states"], len(ends), 0)
    for quantity, names in groups.items():
        if quantity not in outcome.values:
            account.fail(f"no result {quantity}")
            continue
        order = sorted(names, key=lambda name: [int(word) for word in name.split("-") if word.isdigit()][::-1])
        values = np.array([rows[name][ends] for name in order])
        account.compare("results", outcome.values[quantity], values.mean(axis=1), bound)
        account.claim("results, errors of 4 states", len(ends) >= 4 or not np.isfinite(outcome.errors.get(quantity, np.nan)).any())
        if len(ends) >= 4 and quantity != "time":
            errors = values.std(axis=1, ddof=1) / math.sqrt(len(ends))
            account.compare("results, errors", outcome.errors[quantity], errors, bound)


if __name__ == "__main__":
    sys.exit(program.main(__doc__, examine))
