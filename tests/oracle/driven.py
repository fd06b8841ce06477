# SPDX-License-Identifier: BSD-3-Clause
"""Drives of random jobs of products_oracle.py, H(t) = H + sum f(t) V: their operators, their factors in time, and the
Schroedinger equation by dense matrices and a Runge-Kutta method of order eight."""

import math
import random

import numpy as np
from scipy.integrate import solve_ivp

import observed
from lanczos_oracle import number

ADJOINT = {"cdag_up": "c_up", "cdag_dn": "c_dn", "cdag": "c", "bdag": "b", "S+": "S-"}
ADJOINT |= {lower: raising for raising, lower in ADJOINT.items()}


def text_of(coefficient, factors):
    number_text = f"{coefficient.real!r}{coefficient.imag:+.17g}i" if coefficient.imag else repr(coefficient.real)
    return " ".join([number_text, *(f"{name} {site}" for name, site in factors)])


class Factor:
    """A random factor: its text, its value, and the times at which it is not analytic."""

    def __init__(self, rng, end, step):
        self.form = rng.choice(("cos", "gauss", "steps", "linear"))
        self.breaks = []
        if self.form == "cos":
            self.numbers = number(rng, -1, 1), number(rng, -2, 2), number(rng, -9, 9), number(rng, -1, 1)
        elif self.form == "gauss":
            self.numbers = (number(rng, -3, 3), number(rng, -9, 9), number(rng, -1, 1), number(rng, -0.5, 1.5 * end),
                            number(rng, 0.05, 1) * end)
        else:
            times = {rng.choice((number(rng, -0.3, 1.2) * end, rng.randint(0, 4) * step))
                     for _ in range(rng.randint(1, 4))}
            self.points = [(t, number(rng, -2, 2)) for t in sorted(times)]
            self.breaks = [t for t, _ in self.points]

    def text(self):
        if self.form in ("cos", "gauss"):
            return " ".join([self.form, *map(repr, self.numbers)])
        return f"{self.form} " + "; ".join(f"{t!r} {f!r}" for t, f in self.points)

    def bound(self):
        """Upper bound of its magnitude."""
        if self.form == "cos":
            return abs(self.numbers[0]) + abs(self.numbers[1])
        return abs(self.numbers[0]) if self.form == "gauss" else max(1, *(abs(f) for _, f in self.points))

    def fastest(self):
        """The angular frequency of its fastest oscillation, of points no less than that."""
        if self.form == "cos":
            return abs(self.numbers[2])
        if self.form == "gauss":
            return abs(self.numbers[1]) + 3 / self.numbers[4]
        times = [t for t, _ in self.points]
        return 2 * math.pi / min((b - a for a, b in zip(times, times[2:])), default=math.inf)

    def at(self, t):
        """Of jumps at t the value after them, up to rounding."""
        if self.form == "cos":
            mean, amplitude, frequency, phase = self.numbers
            return mean + amplitude * math.cos(frequency * t + math.pi * phase)
        if self.form == "gauss":
            amplitude, frequency, phase, centre, width = self.numbers
            x = t - centre
            return amplitude * math.cos(frequency * x + math.pi * phase) * math.exp(-(x / width) ** 2 / 2)
        if self.form == "linear":
            return float(np.interp(t, *zip(*self.points)))
        return [1.0, *(f for time, f in self.points if time <= t + 1e-12)][-1]


class Drive:
    """One or two operators that conserve these charges, Hermitian, and later their factors."""

    def __init__(self, case, seed, charges):
        self.rng, drawn_by = random.Random(f"drive {seed}"), case.rng
        self.lines, self.matrices = [], {}
        case.rng = self.rng
        for name in ("shake", "kick")[:self.rng.randint(1, 2)]:
            drawn = case.draw_product(charges)
            if drawn is not None:
                self.add(name, *drawn, real=case.real)
        case.rng = drawn_by

    @classmethod
    def of_bonds(cls, case, seed):
        """The sum over the bonds of a ring of a product that inversions and translations do not change."""
        drive, word = cls.__new__(cls), observed.of_kind(observed.NEXT, case)
        n = case.sites
        drive.rng, drive.lines = random.Random(f"drive {seed}"), [f"shake = 1 {word} {{i}} {word} {{i+1}}"]
        drive.matrices = {"shake": case.space.matrix("\n".join(f"1 {word} {i} {word} {(i + 1) % n}"
                                                               for i in range(n)))}
        return drive

    def add(self, name, factors, matrix, real):
        rng = self.rng
        coefficient = complex(number(rng, -1, 1), 0 if real or rng.random() < 0.5 else number(rng, -1, 1))
        total = coefficient * matrix + (coefficient * matrix).conj().T
        if abs(total).max() < 1e-9:
            return
        adjoint = [(ADJOINT.get(word, word), site) for word, site in reversed(factors)]
        self.lines += [f"{name} = {text_of(coefficient, factors)}",
                       f"{name} = {text_of(coefficient.conjugate(), adjoint)}"]
        self.matrices[name] = total

    def project(self, allowed):
        self.matrices = {name: v * np.outer(allowed, allowed) for name, v in self.matrices.items()}

    def draw_factors(self, step, steps):
        self.factors = {name: Factor(self.rng, step * steps, step) for name in self.matrices}

    def add_to(self, job):
        """Appends to the observables of the job."""
        job.update({"drive.operator": ",".join(self.factors), "observables.file": "observables.txt",
                    "drive.factor": "; ".join(f.text() for f in self.factors.values())})
        job.files["observables.txt"] = job.files.get("observables.txt", "") + "\n".join(self.lines) + "\n"
        if job.application == "lanczos" and self.rng.random() < 0.3:
            job.set("evolution.krylov", self.rng.randint(6, 40))

    def fastest(self):
        return max(f.fastest() for f in self.factors.values())

    def width(self):
        """Upper bound of what the drive adds to differences of energies."""
        return sum(2 * np.linalg.norm(self.matrices[name], 2) * f.bound() for name, f in self.factors.items())

    def at(self, h, t):
        return h + sum(f.at(t) * self.matrices[name] for name, f in self.factors.items())

    def states(self, h, psi, times):
        """psi at these times, which ascend from 0: from break to break."""
        breaks = {t for f in self.factors.values() for t in f.breaks}
        now, begin, all_states = psi.astype(complex), 0.0, []
        for time in times:
            for end in sorted({t for t in breaks if begin < t < time} | {time}):
                if end > begin:
                    now, begin = self.integrated(h, now, begin, end), end
            all_states.append(now)
        return all_states

    def integrated(self, h, psi, begin, end):
        """An interval without breaks: the factors of its ends are those inside of it."""
        inside = (end - begin) * 1e-11

        def slope(t, y):
            t = min(max(t, begin + inside), end - inside)
            out = h @ y
            for name, f in self.factors.items():
                out = out + f.at(t) * (self.matrices[name] @ y)
            return -1j * out
        return solve_ivp(slope, (begin, end), psi, method="DOP853", rtol=2e-13, atol=1e-14).y[:, -1]


def drawn(case, wanted, name, share):
    """A drive of a share of all cases, of operators that conserve other charges than H; None for others."""
    if random.Random(f"driven {name}").random() >= share:
        return None
    charges = wanted[random.Random(f"charges {name}").choice(list(wanted))]
    drive = Drive(case, name, None if charges is None else [np.array(c) @ case.numbers for c in charges])
    return drive if drive.matrices else None
