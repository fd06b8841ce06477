# SPDX-License-Identifier: BSD-3-Clause
"""Random jobs of dmrg in which a sweep may stay in the wrong state or claim too small an error: quantities conserved by
parts of the lattice, energies of very different size, few particles, few states that are kept. An energy may be refused
(2) or said not to be converged (5); one that is given must lie within the error that is claimed for it."""

import collections
import math
import random

import program
from dmrg_sectors import DENSE, Sector

TOLERANCES = ("1e-5", "1e-6", "1e-7", "1e-8", "1e-9")
MOST = 6000
SEEN = 1e-9  # true errors below it say nothing about an estimate


class HardJob:
    """A random job of one kind; mode: tolerance or schedule."""

    def __init__(self, seed, index, mode=None):
        self.rng = random.Random(f"dmrg hard {seed} {index}")
        kinds = ("frustrated", "wide", "steep", "easy", "static", "apart", "dilute", "slow", "plain")
        self.kind, self.mode = self.rng.choice(kinds), mode or self.rng.choice(("tolerance", "schedule"))
        while True:
            self.job, self.lines = program.Job("dmrg"), None
            getattr(self, self.kind)()
            self.sector = Sector(self.job.keys, self.lines, self.sites)
            wide = self.sector.spread() > 200
            if 1 < self.sector.count <= (DENSE if wide else MOST):
                break
        self.random_run()

    def set(self, **values):
        for key, value in values.items():
            self.job.set(key.replace("__", "."), value)

    def near(self, low, high):
        return round(self.rng.uniform(low, high), 3)

    def lattice(self, *extents, kind=None):
        self.sites = math.prod(extents)
        self.set(lattice__type=kind or ("chain" if len(extents) == 1 else self.rng.choice(("ladder", "cylinder"))),
                 lattice__extents=extents)

    def electrons(self, few=None):
        n = self.sites
        self.set(model__type="hubbard")
        if few is None:
            up, down = self.rng.choice(((None, None), (self.rng.randint(0, n), self.rng.randint(0, n))))
        else:
            up, down = (n - x if self.rng.random() < 0.4 else x for x in few)
        if up is not None:
            self.set(sector__up=up, sector__down=down)

    def spins(self, twice=1, few=None):
        self.set(model__type="heisenberg")
        if twice > 1:
            self.set(model__spin=(0.5, 1, 1.5, 2)[twice - 1])
        if few is not None or self.rng.random() < 0.5:
            raised = few if few is not None else self.rng.randint(0, twice * self.sites)
            self.set(sector__sz=raised - twice * self.sites / 2)

    def frustrated(self):
        """Rungs of parity that no bond changes."""
        rng = self.rng
        self.lattice(*rng.choice(((3, 2), (4, 2), (2, 3), (3, 3), (5, 2), (6, 2), (8, 2))))
        if rng.random() < 0.6:
            t = self.near(0.3, 1.5)
            self.electrons()
            self.set(model__t=t, model__t2=rng.choice((-t, t)),
                     model__u=rng.choice((0, 4, 8, 30, 100, self.near(-6, 10))))
        else:
            j = self.near(0.3, 1.5)
            self.spins(rng.choice((1, 1, 2)))
            self.set(model__j=j, model__j2=j, model__jz=self.near(-1.5, 1.5))

    def wide(self):
        """U far above t."""
        rng = self.rng
        self.lattice(*rng.choice(((5,), (6,), (8,), (3, 2), (4, 2))))
        self.electrons()
        self.set(model__u=rng.choice((100, 1e3, 1e4, 1e5, -1e3)))
        if rng.random() < 0.7:
            self.set(model__t2=rng.choice((-1, 1, 0.5)))

    def steep(self):
        """Fields or potentials far above t and J."""
        rng = self.rng
        self.lattice(*rng.choice(((5,), (6,), (8,), (10,), (12,), (3, 2), (4, 2))))
        width, small = rng.choice((5, 10, 50)), rng.choice((0.05, 0.3, 1))
        values = [self.near(-width, width) for _ in range(self.sites)]
        if rng.random() < 0.5:
            self.electrons()
            self.set(model__t=small, model__u=self.near(-4, 10), model__potential=values)
        else:
            self.spins(rng.choice((1, 2, 3)))
            self.set(model__j=small, model__field=values)

    def easy(self):
        """Ferromagnets of easy axis, whose ground states are domains."""
        self.lattice(self.rng.choice((7, 8, 10, 12, 13, 14)))
        self.spins()
        self.set(model__j=self.rng.choice((0, 0.02, 0.05, 0.1, 0.2, 0.3, 0.5)), model__jz=-1)

    def static(self):
        """Nothing moves."""
        rng = self.rng
        self.lattice(rng.choice((4, 6, 7, 8, 10, 12)))
        if rng.random() < 0.5:
            self.electrons()
            self.set(model__t=0, model__u=rng.choice((0, 4, 10)), model__v=rng.choice((0, 1, -0.5)),
                     model__potential=[self.near(-3, 3) for _ in range(self.sites)])
        else:
            self.spins()
            self.set(model__j=0, model__jz=rng.choice((-1, 1)),
                     model__field=[self.near(-3, 3) for _ in range(self.sites)])

    def apart(self):
        """Sites without a bond, two lattices, bonds of amplitude 0, a star."""
        rng = self.rng
        self.sites = n = rng.randint(5, 8)
        order = rng.sample(range(n), n)
        pairs = {"loose": list(zip(order[1:], order[2:])),
                 "two": [p for k, p in enumerate(zip(order, order[1:])) if k != n // 2 - 1],
                 "zero": list(zip(order, order[1:])), "star": [(order[0], x) for x in order[1 : n - 1]]}
        kind = rng.choice(sorted(pairs))
        zero = rng.randrange(n - 1)
        self.lines = [(i, j, 0 if kind == "zero" and k == zero else self.near(0.3, 1.5) * rng.choice((-1, 1)))
                      for k, (i, j) in enumerate(pairs[kind])]
        if all(n - 1 not in line[:2] for line in self.lines):
            # a file says no number of sites
            self.lines.append((order[0] if order[0] != n - 1 else order[1], n - 1, 0, 0))
        self.set(lattice__type="file", lattice__file="bonds.txt")
        self.job.files["bonds.txt"] = "".join(" ".join(map(str, line)) + "\n" for line in self.lines)
        values = [self.near(-2, 2) for _ in range(n)]
        if rng.random() < 0.6:
            self.electrons()
            self.set(model__u=self.near(-4, 8), model__potential=values)
        else:
            self.spins()
            self.set(model__field=values)

    def dilute(self):
        """One to three particles, holes or magnons on many sites."""
        rng = self.rng
        self.lattice(*rng.choice(((15,), (18,), (20,), (24,), (8, 2), (12, 2), (6, 3))))
        if rng.random() < 0.6:
            self.electrons(rng.choice(((1, 0), (1, 1), (1, 1), (2, 1), (3, 0))))
            self.set(model__u=self.near(-6, 10), model__v=rng.choice((0, -1, 1)), model__t2=rng.choice((0, 0.5, -0.3)))
        else:
            few = rng.randint(1, 3)
            self.spins(1, few if rng.random() < 0.5 else self.sites - few)
            self.set(model__jz=rng.choice((-1, 0.5, 1)))
            self.set(model__j2=rng.choice((0, 0.3)))

    def slow(self):
        """A pair or a hole that a sweep moves little."""
        self.lattice(self.rng.choice((16, 20, 24)))
        self.set(model__u=self.near(2, 8), model__t2=self.near(0.2, 0.6), model__v=self.near(-1.5, 0),
                 sector__up=self.sites - 1, sector__down=1)

    def plain(self):
        """Spins and electrons of all kinds."""
        rng = self.rng
        self.lattice(*rng.choice(((6,), (7,), (8,), (10,), (12,), (3, 2), (4, 2), (2, 4), (5, 2))))
        if rng.random() < 0.5:
            self.electrons()
            self.set(model__u=self.near(0, 8), model__t2=rng.choice((0, -0.5, 0.7)), model__v=rng.choice((0, 0, 1)))
        else:
            twice = rng.choice((1, 2, 3))
            self.spins(twice)
            if twice > 1:
                self.set(model__anisotropy=rng.choice((0, -1, 0.5)))
            self.set(model__j2=rng.choice((0, 0.3, 0.5)),
                     model__field=[self.near(-0.5, 0.5) for _ in range(self.sites)] if rng.random() < 0.3 else 0)

    def random_run(self):
        rng = self.rng
        self.states = 1
        if self.sector.count <= DENSE and rng.random() < 0.15:
            self.states = rng.randint(2, min(3, self.sector.count))
            self.set(run__states=self.states)
        if self.mode == "tolerance":
            self.tolerance = rng.choice(TOLERANCES)
            self.set(run__tolerance=self.tolerance)
            if rng.random() < 0.7:
                self.job.set("run.start-states", rng.choice((1, 2, 4, 8, 16)))
            self.group = self.mode + " " + self.tolerance
        else:
            m = rng.choice((3, 4, 6, 8, 12, 20))
            grows = [max(2, m // 2)] * 2 + [m] * 2, [2, 2, m // 2 + 1, m // 2 + 1, m, m], [m, 2 * m, 2 * m, 2 * m]
            steps = rng.choice(([m] * 4, [m] * 6, *grows, [m], [m] * 2, [m] * 3))
            self.set(run__schedule=steps)
            self.group = f"schedule of {'1-3' if len(steps) < 4 else '4-6'}"
        self.set(run__seed=rng.randint(1, 2**40), backend__threads=1)

    def exact(self):
        return self.sector.lowest(self.states)

    def rounding(self):
        """What sums of energies of this size lose."""
        return 1e-13 * self.sector.largest * max(4, self.sector.sites) + 1e-12


class Answer:
    """What a job came to: refused, honest, right or WRONG, and true and claimed errors of its energies."""

    def __init__(self, outcome, exact, rounding, tolerance=None):
        self.code, self.sentence, self.errors, self.sentences = outcome.code, outcome.sentence(), [], []
        self.grave = outcome.code not in (0, 2, 5)  # whatever the size of an estimate
        self.energy = float(outcome.values["energy"][0]) if "energy" in outcome.values else math.nan
        if outcome.code:
            self.word = {2: "refused", 5: "honest"}.get(outcome.code, "WRONG")
            return
        energies, claimed = outcome.values["energy"], outcome.values.get("error-estimate", [math.inf])
        if "energies" in outcome.values:
            energies, claimed = outcome.values["energies"], outcome.errors["energies"]
            self.hold_states(outcome, energies, claimed, rounding)
        for i, (energy, level, claim) in enumerate(zip(energies, exact, claimed)):
            true = max(abs(energy - level) - rounding, 0)
            self.errors.append((true, float(claim)))
            if not true <= claim:
                self.sentences.append(f"state {i}: energy {energy:.12g}, exact {level:.12g}, off by {true:.2g}, "
                                      f"claimed {claim:.2g}")
            if tolerance and true > tolerance:
                self.grave = True
                self.sentences.append(f"state {i}: off by {true:.2g}, tolerance {tolerance:g}")
        if float(outcome.values["measured-energy"][0]) < exact[0] - rounding:
            self.grave = True
            self.sentences.append("measured energy below the ground state")
        self.word = "WRONG" if self.sentences else "right"

    def hold_states(self, outcome, energies, claimed, rounding):
        """Energies that contradict what was measured in the states themselves."""
        apart = abs(energies - outcome.values["measured-energies"]) - claimed - rounding
        if apart.max() > 0:
            self.grave = True
            self.sentences.append(f"energies are {apart.max():.2g} further from measured-energies than their errors")

    def ratio(self):
        """Largest true error over its claim; 0 where true errors are too small to tell."""
        return max((true / claim if claim > 0 else math.inf for true, claim in self.errors if true > SEEN), default=0)


def answer(case, keep=None):
    outcome = program.run(case.job, keep)
    tolerance = float(case.tolerance) if case.mode == "tolerance" else None
    return Answer(outcome, case.exact(), case.rounding(), tolerance), outcome


def examine(seed, index, account, state, options):
    """One job of the random oracle: an estimate may be too small by a factor of 3 now and then, an energy not be beyond
    its tolerance."""
    case = HardJob(seed, index)
    state.update(task="hard", job=case.job)
    got, outcome = answer(case, options.keep)
    if options.only:
        print(case.job.describe(), outcome.said, sep="\n")
    account.note(f"{case.kind}: {got.word}")
    if got.word == "WRONG" and (got.grave or got.ratio() > 3):
        account.fail(f"{case.kind}: " + ("; ".join(got.sentences) or f"exit code {got.code}: {got.sentence}"))


def claims_examine(seed, index, account, state, options):
    """One of two jobs ends by its tolerance, the other by its schedule."""
    case = HardJob(seed, index, ("tolerance", "schedule")[index % 2])
    state.update(task=case.group, job=case.job)
    got, _ = answer(case)
    account.extra = got.errors
    account.note(f"{case.mode}: {got.word}"
                 + (", nothing claimed" if any(claim == math.inf for _, claim in got.errors) else ""))
    if got.word == "refused":
        account.note("REFUSED " + got.sentence)
    if got.word == "WRONG":
        account.fail(f"{case.kind}: " + ("; ".join(got.sentences) or f"exit code {got.code}: {got.sentence}"))


def histogram(pairs):
    """pairs: group -> (true, claimed) of every energy; the text of a table."""
    bins = ("< 1e-3", "1e-3 - 1e-2", "1e-2 - 0.1", "0.1 - 1", "1 - 10", "10 - 100", "> 100")
    head = ("mode", "energies", "true error > 1e-9", "claimed < true", *bins)
    lines = ["| " + " | ".join(head) + " |", "|---" * len(head) + "|"]
    total = collections.defaultdict(list)
    for group, some in pairs.items():
        total[group] += some
        total["all by " + group.split()[0]] += some
    for group, some in sorted(total.items(), key=lambda item: (item[0].startswith("all"), item[0])):
        seen = [(true / claim if claim > 0 else math.inf) for true, claim in some if true > SEEN]
        counts = collections.Counter(0 if r < 1e-3 else min(6, 4 + math.floor(math.log10(r))) if r < math.inf else 6
                                     for r in seen)
        missed = sum(r > 1 for r in seen)
        lines.append(f"| {group} | {len(some)} | {len(seen)} | {missed} ({100 * missed / max(1, len(some)):.1f} %) | "
                     + " | ".join(str(counts[k]) for k in range(7)) + " |")
    return "\n".join(lines)
