# SPDX-License-Identifier: BSD-3-Clause
"""Random jobs of spin dynamics: the keys of [state], [drive], [run] and [echo] of a random system, and what they
mean."""

import math
import random

import numpy as np

import spin_half
from checks import number
from program import instruction_sets
from spin_products import OwnObservables
from spin_systems import System, random_terms

OBSERVABLES = ("sx", "sy", "sz", "energy", "loschmidt-echo", "total", "staggered", "correlations-x", "correlations-y",
               "correlations-z", "structure-factor", "distribution", "participation", "entropy")


def point_list(points):
    return "; ".join(f"{t} {f}" for t, f in points)


def short_pulse(rng, step, end):
    """Up and down again within a part of a step, around a random time; the angle of a field of 1 is about 1."""
    width = step * rng.choice((0.03, 0.3, 0.8, 2.5))
    first = rng.uniform(-0.2 * width, end - 0.5 * width)
    height = number(rng, -1, 1) / width
    return [(first, 0.0), (first + 0.4 * width, height), (first + width, number(rng, -1, 1))]


def zigzag(rng, step, end):
    """Several oscillations in every step, or in a step and a half."""
    period = step / rng.choice((0.7, 2, 3.3))
    count = min(2 * int(end / period) + 2, 60)
    low, high = number(rng, -1, 1), number(rng, -1, 1)
    return [(i * period / 2, high if i % 2 else low) for i in range(count)]


class Factor:
    """A random factor in time: the text of its key and its value. Jumps lie between steps, kinks anywhere."""

    def __init__(self, rng, step, steps, slow=False):
        self.form = "cos" if slow else rng.choice(("cos", "steps", "linear"))
        if self.form == "cos":
            self.numbers = [number(rng, -1, 1) for _ in range(4)]
            if not slow and rng.random() < 0.4:  # fast ones, of which the fastest are refused
                self.numbers[2] = round(rng.uniform(0.3, 3.3) / step, 2)
            if not slow and self.numbers[0] > 0.5:
                self.form, width = "gauss", max(1.5, 0.3 * steps) * step
                self.numbers = [*self.numbers[1:], self.numbers[0] * step * steps, width]
            self.text = f"{self.form} " + " ".join(map(str, self.numbers))
            return
        places = sorted(rng.sample(range(steps + 1), min(steps + 1, rng.randint(1, 3))))
        self.points = [(n * step, number(rng, -1, 1)) for n in places]
        if self.form == "linear" and (kind := rng.randrange(4)) > 0:
            self.points = [[((n + 0.3) * step, f) for n, (_, f) in zip(places, self.points)],
                           short_pulse(rng, step, step * steps), zigzag(rng, step, step * steps)][kind - 1]
        self.text = f"{self.form} {point_list(self.points)}"

    @classmethod
    def through(cls, points):
        factor = cls.__new__(cls)
        factor.form, factor.points = "linear", points
        return factor

    def frequency(self):
        if self.form == "gauss":
            return abs(self.numbers[1]) + 3 / self.numbers[4] if self.numbers[0] else 0.0
        return abs(self.numbers[2]) if self.form == "cos" and self.numbers[1] else 0.0

    def kinks(self):
        """Times at which the slope changes."""
        if self.form != "linear":
            return []
        times, values = np.array(self.points).T
        slopes = np.concatenate(([0], np.diff(values) / np.diff(times), [0]))
        spacing = np.concatenate(([0], np.diff(times), [0]))
        change = abs(np.diff(slopes)) * np.maximum(spacing[1:], spacing[:-1])
        return [t for t, c, v in zip(times, change, values) if c > 1e-12 * (1 + abs(v))]

    def at(self, t, inside=None):
        """At a time or an array of times within a step, at `inside` of which there is no jump."""
        if self.form == "cos":
            mean, amplitude, frequency, phase = self.numbers
            return mean + amplitude * np.cos(frequency * t + phase * math.pi)
        if self.form == "gauss":
            amplitude, frequency, phase, centre, width = self.numbers
            x = t - centre
            return amplitude * np.cos(frequency * x + phase * math.pi) * np.exp(-(x / width) ** 2 / 2)
        if self.form == "steps":
            return [1.0, *(f for time, f in self.points if time <= (t if inside is None else inside))][-1]
        return np.interp(t, *zip(*self.points))


def spins_text(rng, spins):
    """A word for some spins, and their numbers."""
    word = rng.choice(("all", "even", "odd", "list"))
    if word == "list":
        chosen = rng.sample(range(spins), rng.randint(1, spins))
        return ",".join(map(str, chosen)), chosen
    return word, list(range(spins))[{"all": slice(None), "even": slice(0, None, 2), "odd": slice(1, None, 2)}[word]]


class Case(System):
    """A random job; trotter_oracle.py computes the motion that it means."""

    def columns(self, psi, h, start):
        """The observed columns of a state."""
        row = spin_half.columns(psi, h, start, self.observables, self.cut)
        return {**row, **self.own.columns(psi)} if self.own else row

    def __init__(self, seed, index):
        rng = random.Random(f"trotter {seed} {index}")
        ranks, system_seed = rng.choice((2, 4)) if rng.random() < 0.2 else 1, rng.randint(1, 2**40)
        self.step = number(rng, 0.02, 0.3) if rng.random() < 0.9 else number(rng, 0.3, 4)
        self.stop = rng.randint(1, 8) if rng.random() < 0.12 else 0  # steps of an ensemble that is stopped
        self.steps = rng.randint(1, 3 if self.stop else 12)
        tiny = rng.uniform(20, 300) if rng.random() < 0.02 else 0  # couplings that do nothing, by a Chebyshev series
        super().__init__(rng, ranks, system_seed, tiny > 0 or rng.random() < 0.15, tiny)
        self.random_state()
        self.random_drive()
        self.random_run()

    def random_state(self):
        rng, job, n = self.rng, self.job, self.spins
        kind = rng.choice(("up", "neel", "pattern", "flipped", "domain-wall", "product", "product", "random",
                           "polarised-random", "file"))
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
            state = np.array([complex(float(f"{v.real:.{digits}g}"), float(f"{v.imag:.{digits}g}"))
                              for v in state.tolist()])
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
            spinors = [down if kind == "neel" and j % 2 == 0 or kind == "domain-wall" and j >= n // 2 else up
                       for j in range(n)]
        state = spin_half.product_state(spinors)
        self.start = lambda sample: state

    def random_drive(self):
        rng, job = self.rng, self.job
        self.factors, self.reversals, self.pulses, self.kinks = [[], [], [], [], [], []], [], [], []
        self.jumps = []
        self.too_fast = False
        if self.chebyshev:  # takes none of them
            return
        for key in ("fields", "couplings", "hx", "hy", "hz", "jx", "jy", "jz"):
            if rng.random() < 0.15:
                factor = Factor(rng, self.step, self.steps)
                self.jumps += [t for t, _ in factor.points] if factor.form == "steps" else []
                job.set("drive." + key, factor.text)
                for i, name in enumerate(("hx", "hy", "hz", "jx", "jy", "jz")):
                    if key == name or key == ("fields" if i < 3 else "couplings"):
                        self.factors[i].append(factor)
        if rng.random() < 0.1:
            self.table()
        if rng.random() < 0.15:
            places = rng.sample(range(self.steps + 1), rng.randint(1, min(3, self.steps + 1)))
            self.reversals = [n * self.step for n in places]
            self.jumps += self.reversals
            job.set("drive.reversals", self.reversals)
        if rng.random() < 0.3:
            for _ in range(rng.randint(1, 4)):
                word, chosen = spins_text(rng, self.spins)
                self.pulses.append((rng.randrange(self.steps), rng.randrange(3), number(rng, -1, 1), word, chosen))
            job.set("drive.pulses",
                    "; ".join(f"{n * self.step} {'xyz'[a]} {angle} {word}" for n, a, angle, word, _ in self.pulses))

        self.look_at_factors()

    def table(self):
        rng, end = self.rng, self.step * self.steps
        points = rng.choice((4, 4, 5 * self.steps))
        times = sorted({number(rng, 0, end) for _ in range(points)})
        if points > 4 and rng.random() < 0.5:  # a point in every fifth of a step
            times = [i * self.step / 5 for i in range(points)]
        rows = [[t, *(number(rng, -1, 1) for _ in range(6))] for t in times]
        self.job.set("drive.table", "table.txt")
        self.job.files["table.txt"] = "".join(" ".join(map(str, row)) + "\n" for row in rows)
        for i in range(6):
            self.factors[i].append(Factor.through([(row[0], row[1 + i]) for row in rows]))

    def look_at_factors(self):
        """Kinks inside steps, and whether cosines are too fast, of factors that act on terms."""
        kinks, end, self.too_fast = set(), self.step * self.steps, False
        for i, some in enumerate(self.factors):
            if not (self.terms.field[i] if i < 3 else self.terms.coupling[i - 3]).any():
                continue
            self.too_fast = self.too_fast or sum(f.frequency() for f in some) * self.step > math.pi
            kinks |= {float(t) for f in some for t in f.kinks()}
        self.kinks = sorted(t for t in kinks
                            if 0 < t < end and abs(t / self.step - round(t / self.step)) > 1e-10)
        self.jumps += sorted(kinks - set(self.kinks))  # between steps, as jumps are

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
        self.own = None
        if rng.random() < 0.5:
            self.own = OwnObservables(rng, self.spins, self.bonds, self.line)
            self.own.add_to(job)
        self.random_times()
        self.estimates = not self.chebyshev and rng.random() < 0.25
        if self.estimates:
            job.set("run.estimate-error", "yes")
        self.echo, self.turning, self.perturbation = rng.random() < 0.3, [], spin_half.Terms(self.spins)
        if self.echo:
            job.set("run.echo", "yes")
            if rng.random() < 0.7:
                text, self.perturbation = random_terms(rng, self.spins, rng.randint(1, 4))
                if self.chebyshev and self.strings.random() < 0.5:
                    lines, more = self.more_terms()
                    text, self.perturbation = "; ".join([text, *lines]), self.perturbation.plus(more)
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
            job.set("backend.simd", rng.choice(instruction_sets()))
        # a state has 2^(N - a) rows, blocks of 2^l amplitudes: src/trotter/state/plan.cpp
        lanes = 4 if self.single else 3
        bits = max(self.spins, lanes + 1)
        rows = 2 ** (bits - min(max((bits + lanes + 1) // 2, lanes + 1), bits))
        job.ranks = min(job.ranks, rows * self.concurrent)

    def random_target(self):
        """An error at which the ensemble may end."""
        rng, job, self.target = self.rng, self.job, None
        names = [o for o in ("sx", "sy", "sz", "energy", "loschmidt-echo", "participation", "entropy")
                 if o in self.observables]
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
