#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""Random small Kronecker jobs through the program, every number against dense matrices that are put together here from
the definitions: binomial patches, random operators, numpy.kron."""

import math
import os
import random
import sys

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import numpy as np

import program
from program import instruction_sets
from spin_half import philox, uniform

MOST_ELEMENTS = 700
OPERATOR, VECTOR = 0x4B724F70, 0x4B725665  # purposes of random numbers
COMPARED = {"checksum", "norm", "rayleigh-quotient", "patch-rows", "patch-columns", "patch-flops"}


def numbers(seed, *words):
    """In (-1, 1) for arrays of counter words."""
    arrays = np.broadcast_arrays(*(np.asarray(w, np.uint64) for w in words))
    return 2 * uniform(philox(seed, arrays), 0) - 1


def round_half_up(x):
    return math.floor(x + 0.5)


def probabilities(n, filling, width):
    p = np.array([math.comb(n, u) for u in range(n + 1)], float) / 2.0**n
    if width != 1:
        p *= np.exp(-((np.arange(n + 1) - n * filling) ** 2) * (1 / width - 1) * 2 / n)
        p /= p.sum()
    return p


def patches(sites, up, down, saved, width):
    """(u, d, r, l) of the left block's particle numbers; the target fixes those of the right one."""
    left, right = sites // 2, sites - sites // 2
    p = {(n, total): probabilities(n, total / sites, width) for n in (left, right) for total in (up, down)}
    found = []
    for u in range(left + 1):
        for d in range(left + 1):
            if not (0 <= up - u <= right and 0 <= down - d <= right):
                continue
            l = round_half_up(4 * saved * p[left, up][u] * p[left, down][d])
            r = round_half_up(saved * p[right, up][up - u] * p[right, down][down - d])
            if l and r:
                found.append((u, d, r, l))
    return found


class Case:
    """A random job, its patches, its connected pairs and its operators."""

    def __init__(self, seed, index):
        rng = self.rng = random.Random(f"kronecker {seed} {index}")
        self.job = program.Job("kronecker", rng.choice((2, 3, 4)) if rng.random() < 0.4 else 1)
        while not self.random_model():
            pass
        self.random_operators()
        self.random_run()

    def random_model(self):
        rng, keys = self.rng, {}
        sites = rng.randint(2, 14)
        up, down = (sites + 1) // 2, sites // 2
        if rng.random() < 0.5:
            up, down = keys["sector.up"], keys["sector.down"] = rng.randint(0, sites), rng.randint(0, sites)
        saved = int(2 ** rng.uniform(0, 8))
        width = round(rng.uniform(0.03, 0.99), 3) if rng.random() < 0.5 else 1
        self.patches = patches(sites, up, down, saved, width)
        elements = sum(r * l for _, _, r, l in self.patches)
        if not 1 <= elements <= MOST_ELEMENTS:
            return False
        keys |= {"model.sites": sites, "model.saved-states": saved,
                 "model.operators": rng.choice((1, 1, 2, 3, 4, 5, 7, 8, 9, 12, 17)),
                 "model.rule": rng.choice(("axis", "moore")), "run.seed": rng.randint(1, 2**40)}
        if width != 1:
            keys["model.width"] = width
        for key, value in keys.items():
            self.job.set(key, value)
        self.k, self.seed, self.moore = keys["model.operators"], keys["run.seed"], keys["model.rule"] == "moore"
        columns = sum(l for *_, l in self.patches)
        self.job.ranks = min(self.job.ranks, columns)
        return True

    def connected(self):
        """Pairs i <= j in their order."""
        for i, (u, d, *_) in enumerate(self.patches):
            for j in range(i, len(self.patches)):
                du, dd = abs(self.patches[j][0] - u), abs(self.patches[j][1] - d)
                if max(du, dd) <= 1 and (self.moore or du + dd <= 1):
                    yield i, j

    def random_matrix(self, term, k, side, rows, columns, symmetric):
        a, c = np.indices((rows, columns))
        if symmetric:
            a, c = np.minimum(a, c), np.maximum(a, c)
        which = 2 * k + side
        return numbers(self.seed, a + ((which & 255) << 24), c + ((which >> 8) << 24), term, OPERATOR)

    def random_operators(self):
        """[pair] -> lists of A_k and B_k."""
        self.operators = {}
        for term, (i, j) in enumerate(self.connected()):
            (_, _, r_i, l_i), (_, _, r_j, l_j) = self.patches[i], self.patches[j]
            shapes = ((l_i, l_j), (r_i, r_j))
            factor = [math.sqrt(3) / (math.sqrt(m) + math.sqrt(n)) for m, n in shapes]
            factor[1] /= math.sqrt(self.k)
            self.operators[i, j] = [[factor[side] * self.random_matrix(term, k, side, *shapes[side], i == j)
                                     for k in range(self.k)] for side in (0, 1)]

    def random_run(self):
        rng, job = self.rng, self.job
        job.set("run.repeats", rng.randint(1, 3))
        self.single = rng.random() < 0.2
        if self.single:
            job.set("backend.precision", "single")
        job.set("backend.threads", rng.choice((1, 1, 2, 3)))
        job.set("backend.simd", rng.choice(instruction_sets()))
        partition = rng.choice(("auto", "rows", "columns"))
        if partition != "rows" or job.ranks <= len(self.patches):
            job.set("run.partition", partition)

    def matrix(self):
        sizes = [r * l for _, _, r, l in self.patches]
        first = np.concatenate([[0], np.cumsum(sizes)])
        c = np.zeros((first[-1], first[-1]))
        for (i, j), (left, right) in self.operators.items():
            block = sum(np.kron(a, b) for a, b in zip(left, right))  # r is fast: the right operator is the inner one
            c[first[i]:first[i + 1], first[j]:first[j + 1]] = block
            c[first[j]:first[j + 1], first[i]:first[i + 1]] = block.T
        return c

    def flops(self):
        counts = []
        for i, (_, _, r_i, l_i) in enumerate(self.patches):
            others = [b if a == i else a for a, b in self.operators if i in (a, b)]
            counts.append(sum(2 * self.k * l_i * r_j * (l_j + r_i)
                              for _, _, r_j, l_j in (self.patches[j] for j in others)))
        return counts


def examine(seed, index, account, state, options):
    case = Case(seed, index)
    state.update(task="products", job=case.job)
    outcome = program.finished(case.job, account, options)
    if not outcome:
        return None
    for name in outcome.values.keys() - COMPARED:
        account.fail(f"result {name} has no oracle")
    account.compare("patch-rows", outcome.values["patch-rows"], [r for _, _, r, _ in case.patches], 0.0)
    account.compare("patch-columns", outcome.values["patch-columns"], [l for *_, l in case.patches], 0.0)
    account.compare("patch-flops", outcome.values["patch-flops"], case.flops(), 0.0)
    check_products(case, account, outcome, case.matrix())
    return None


def check_products(case, account, outcome, c):
    n = len(c)
    x = numbers(case.seed, np.arange(n), 0, 0, VECTOR)
    if case.single:
        x = x.astype(np.float32).astype(float)
    y = c @ x
    sizes = abs(c) @ abs(x)
    rounding = 3e-6 if case.single else 1e-14
    bound = rounding * sizes.sum()
    word = ", single" if case.single else ""
    account.compare("checksum" + word, outcome.values["checksum"], y.sum(), bound)
    account.compare("norm" + word, outcome.values["norm"], np.linalg.norm(y), bound)
    account.compare("rayleigh-quotient" + word, outcome.values["rayleigh-quotient"], x @ y / (x @ x),
                    rounding * (abs(x) @ sizes) / (x @ x))
    for name in ("checksum", "norm", "rayleigh-quotient"):
        account.compare("every product", outcome.series[name], outcome.values[name][0], 0.0)


if __name__ == "__main__":
    sys.exit(program.main(__doc__, examine))
