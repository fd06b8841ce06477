#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""Random small jobs of spin dynamics through the program, every column of every row against products of exponentials
that are written here and in spin_half.py; the splittings themselves against the exact motion."""

import math
import os
import re
import sys

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import numpy as np
from scipy.integrate import solve_ivp
from scipy.linalg import expm

import program
import spin_half
from trotter_jobs import OBSERVABLES, Case


class Motion:
    """The motion that a job means, and the rows that the program writes of it."""

    def __init__(self, case):
        self.case, self.samples, self.propagators, self.matrices = case, case.samples, {}, None

    def hamiltonian(self, t, back=False):
        """H at a time; jumps count a little before they come."""
        case, late = self.case, t + 1e-5 * self.case.step
        sign = (-1) ** sum(r <= late for r in case.reversals)
        return self.scaled([sign * math.prod(float(f.at(t, late)) for f in some) for some in case.factors], back)

    def scaled(self, factors, back):
        h = self.case.terms.scaled(factors[:3], factors[3:])
        return h.plus(self.case.perturbation) if back else h

    def mean(self, begin, end, inside, back=False):
        """H averaged between two times, between which no factor has a jump or a kink."""
        nodes, weights = np.polynomial.legendre.leggauss(16)
        times = begin + (end - begin) * (1 + nodes) / 2
        sign = (-1) ** sum(r <= inside for r in self.case.reversals)
        return self.scaled([sign * float(weights @ math.prod((f.at(times, inside) for f in some),
                                                             start=np.ones(len(times)))) / 2
                            for some in self.case.factors], back)

    def parts(self, begin, step, parts):
        """(begin, length) of the parts of a step, which is cut where factors have kinks."""
        ends = [0.0, *(t - begin for t in self.case.kinks if begin < t < begin + step), step]
        return [(begin + a + i * (b - a) / parts, (b - a) / parts) for a, b in zip(ends, ends[1:])
                for i in range(parts)]

    def stages(self, begin, step, parts, back=False):
        """(H of an axis averaged over its interval, axis, length of the interval) in the order of action."""
        for start, length in self.parts(begin, step, parts):
            for axis, place, part in spin_half.stages(self.case.order, self.case.scheme):
                first, last = start + place * length, start + (place + part) * length
                yield self.mean(first, last, begin + step / 2, back), axis, part * length

    def forward(self, psi, n, parts=1):
        """Step n with the pulses before it."""
        case = self.case
        if case.chebyshev:
            return self.exact(False) @ psi
        for time, axis, angle, _, spins in case.pulses:
            if time == n:
                psi = spin_half.rotate(axis, math.pi * angle, spins, psi)
        return self.split(psi, n * case.step, case.step, parts)

    def split(self, psi, begin, step, parts):
        for h, axis, length in self.stages(begin, step, parts):
            psi = h.exponential(axis, length, psi)
        return psi

    def back(self, psi, n, parts):
        """The inverse of that step, with the perturbation."""
        case = self.case
        if case.chebyshev:
            return self.exact(True) @ psi
        for h, axis, length in reversed(list(self.stages(n * case.step, case.step, parts, True))):
            psi = h.exponential(axis, -length, psi)
        for time, axis, angle, _, spins in reversed(case.pulses):
            if time == n:
                psi = spin_half.rotate(axis, -math.pi * angle, spins, psi)
        return psi

    def driven(self, psi, begin, end):
        """The exact motion of the forward evolution between two times, by a solver of differential equations from one
        kink or jump to the next."""
        case = self.case
        if self.matrices is None:
            self.matrices = []
            for kind in ("field", "coupling"):
                for a in range(3):
                    only = spin_half.Terms(case.spins)
                    getattr(only, kind)[a] = getattr(case.terms, kind)[a]
                    self.matrices.append(only.dense([a]))
        ends = [begin, *sorted({t for t in [*case.kinks, *case.jumps] if begin + 1e-9 < t < end - 1e-9}), end]
        for first, last in zip(ends, ends[1:]):
            middle = (first + last) / 2
            sign = (-1) ** sum(r <= middle for r in case.reversals)

            def slope(t, state, middle=middle, sign=sign):
                values = [sign * math.prod(float(f.at(t, middle)) for f in some) for some in case.factors]
                return -1j * sum(v * (m @ state) for v, m in zip(values, self.matrices))
            psi = solve_ivp(slope, (first, last), psi.astype(complex), method="DOP853", rtol=1e-12, atol=1e-14).y[:, -1]
        return psi

    def exact(self, back):
        """exp(-i H step), or exp(i (H + Sigma) step) on the way back, from the eigenvectors of the dense matrix."""
        if back not in self.propagators:
            energies, vectors = np.linalg.eigh(self.hamiltonian(0.0, back).dense())
            phases = np.exp((1j if back else -1j) * self.case.step * energies)
            self.propagators[back] = vectors * phases @ vectors.conj().T
        return self.propagators[back]

    def trajectory(self, sample, parts=1):
        """(steps done, time, state, whether on the way back) at every observation."""
        case = self.case
        psi = case.start(sample)
        yield 0, 0.0, psi, False
        last = case.steps * (2 if case.echo else 1)
        for done in range(1, last + 1):
            back = done > case.steps
            time = last - done if back else done
            if back:
                for axis, angle, spins in case.turning if done == case.steps + 1 else ():
                    psi = spin_half.rotate(axis, math.pi * angle, spins, psi)
                psi = self.back(psi, time, parts)
            else:
                psi = self.forward(psi, done - 1, parts=parts)
            if done == last or (time if case.mirrored else done) in case.observed:
                yield done, time * case.step, psi, back

    def errors(self, row, psi, half, h, start, duration):
        """Estimates from a motion with half the step."""
        case = self.case
        factor = 2**case.order / (2**case.order - 1)
        distance = factor * np.linalg.norm(psi - half)
        other = case.columns(half, h, start)
        return {"step-error-state": distance, "step-error-rate": distance / duration if duration else 0.0,
                **{"step-error-" + name: factor * (row[name] - other[name]) for name in other}}

    def rows(self):
        """Column -> values in the order in which the program writes them, and the largest energy."""
        case = self.case
        found, largest = [], 0.0
        for sample in range(self.samples):
            start = case.start(sample)
            half_steps = self.trajectory(sample, 2) if case.estimates else iter(())
            for done, time, psi, back in self.trajectory(sample):
                h = self.hamiltonian(time, back)
                largest = max(largest, h.size())
                row = {"time": time, "norm": 1.0, **case.columns(psi, h, start)}
                if case.estimates:
                    row |= self.errors(row, psi, next(half_steps)[2], h, start, done * case.step)
                if self.samples > 1:
                    row["sample"] = sample
                found.append((sample // case.concurrent, done, sample, row))
        found.sort(key=lambda entry: entry[:3])
        self.reached = True
        if case.target:
            self.samples, self.reached = self.end_of_ensemble(found)
            found = [entry for entry in found if entry[2] < self.samples]
        last = case.steps * (1 + case.echo)
        if case.stop:
            found = [entry for entry in found if entry[0] * last + entry[1] <= case.stop]
        self.watch(found)
        self.ends = [i for i, entry in enumerate(found) if entry[1] == last]
        if not self.ends:  # no state is finished
            self.ends = [i for i, entry in enumerate(found) if entry[1] == found[-1][1]]
        return {name: np.array([entry[3][name] for entry in found]) for name in found[0][3]}, largest

    def watch(self, rows):
        """The largest change of the energy over the width of the spectrum while H is constant."""
        case, references, self.drift = self.case, {}, 0.0
        if any(case.factors) or case.reversals or "energy" not in case.observables:
            return
        widths = [self.hamiltonian(0.0, back).width() for back in (False, True)]
        for _, done, sample, row in rows:
            back = done > case.steps
            n = 2 * case.steps - done if back else done
            period = sample, back, sum(time < n for time, *_ in case.pulses)
            start = references.setdefault(period, row["energy"])
            if widths[back] > 0:
                self.drift = max(self.drift, abs(row["energy"] - start) / widths[back])

    def end_of_ensemble(self, rows):
        """States that it takes to come to the target, and whether it is reached."""
        case = self.case
        name, target = case.target
        wanted = case.steps * (1 + case.echo) if case.target_time is None else case.target_time
        columns = [c for c in rows[0][3] if c == name or c.startswith(name + "-")]
        values = np.array([[row[c] for c in columns] for _, done, _, row in rows if done == wanted])

        def error(n):
            return (values[:n].std(axis=0) / math.sqrt(n - 3)).max()
        for n in range(case.concurrent, self.samples + 1, case.concurrent):
            if n >= 16 and error(n) <= target:
                return n, True
        return self.samples, error(self.samples) <= target


def check_exponentials(motion, account):
    """Those of one axis against the matrix exponential of its dense operator."""
    case, h = motion.case, motion.hamiltonian(0.0)
    psi = case.start(0)
    for axis in range(3):
        exact = expm(-1j * case.step * h.dense([axis])) @ psi
        account.compare("oracle: exponential", abs(h.exponential(axis, case.step, psi) - exact).max(), 0, 1e-11)


def check_order(motion, account):
    """The splitting over a short time, with the first kink in it, against the exact motion: its error falls with the
    order when all parts of its steps are halved."""
    case = motion.case
    psi, begin = case.start(0), 0.0
    for shorter in (1, 8, 64, 512):
        length = 0.6 / max(case.terms.size(), 1.0) / shorter
        if case.kinks:
            begin = max(0.0, case.kinks[0] - 0.4 * length)
        inside = [t for t in case.jumps if begin + 1e-9 < t < begin + length]
        length = min([length, *(t - begin for t in inside)])
        exact = motion.driven(psi, begin, begin + length)
        errors = []
        for parts in (1, 2, 4, 8):
            state = psi
            for n in range(4):
                state = motion.split(state, begin + n * length / 4, length / 4, parts)
            errors.append(np.linalg.norm(state - exact))
        if errors[0] < 1e-3:
            break
    # a leading term that happens to vanish leaves a higher order; those of parts may cancel in the longest steps
    steepest = max(math.log2(a / max(b, 1e-300)) for a, b in zip(errors, errors[1:]))
    account.claim("splitting: order", errors[1] < 1e-11 or steepest > case.order - 0.25, f"errors {errors}")


def check_estimates(motion, account, outcome):
    """Values of the way there differ from the exact motion by no more than the estimated errors say, where these are
    small."""
    case, psi, now = motion.case, motion.case.start(0), 0
    there = 1 + sum(n in case.observed for n in range(1, case.steps + 1)) if case.echo else None
    for i, time in enumerate(outcome.series["time"][:there]):
        done = int(round(time / case.step))
        for n in range(now, done):
            for before, axis, angle, _, spins in case.pulses:
                if before == n:
                    psi = spin_half.rotate(axis, math.pi * angle, spins, psi)
            psi = motion.driven(psi, n * case.step, (n + 1) * case.step)
        now = done
        claimed = outcome.series["step-error-state"][i]
        if claimed > 0.02:
            continue
        exact = spin_half.columns(psi, motion.hamiltonian(done * case.step), case.start(0), ("sx", "sy", "sz"))
        for name in exact.keys() & outcome.series.keys():
            account.compare("exact motion: within the estimated error", outcome.series[name][i], exact[name],
                            2 * claimed + (1e-5 if case.single else 1e-10))


def examine(seed, index, account, state, options):
    case = Case(seed, index)
    state.update(task="chebyshev" if case.chebyshev else f"order {case.order}", job=case.job)
    motion, outcome = Motion(case), program.launch(case.job, options, steps=case.stop)
    rows, largest = motion.rows()
    if case.too_fast:
        account.note("drives that are too fast for the step")
        return account.claim("a drive with less than two steps per period is refused",
                             outcome.code == 2 and "half a period" in outcome.said, outcome.sentence())
    if motion.drift > 0.1:
        account.note("energies that change")
        return account.claim("a change of the energy by a tenth of the width ends the run",
                             outcome.code == 5 and "the energy has changed by" in outcome.said, outcome.sentence())
    told = "although H is constant" in outcome.said
    account.claim("a change of the energy is told", told == (motion.drift > 0.01) or abs(motion.drift - 0.01) < 1e-4)
    if outcome.code != (0 if motion.reached else 5):
        return account.fail(f"exit code {outcome.code}: {outcome.sentence()}")
    if case.target:
        account.note("ensembles that " + ("came to their target" if motion.reached else "did not come to their target"))
    for name in outcome.series.keys() - rows.keys() - {"step"}:
        account.fail(f"column {name} has no oracle")
    if case.stop:
        account.note(f"ensembles that were stopped, {len(motion.ends)} of {motion.samples} states in the results")
    left_out = 4 * case.left_out * case.steps * (1 + case.echo)
    parts = 1 + len(case.kinks) / case.steps  # of a step, each of which rounds
    bound = (1e-5 if case.single else 1e-11) * parts + left_out
    for name, exact in rows.items():
        if name not in outcome.series:
            account.fail(f"no column {name}")
            continue
        kind = re.sub(r"(-\d+)+$", "", name)
        plain = kind.removeprefix("step-error-")
        scale = {"energy": max(1.0, largest),
                 "structure-factor": case.spins}.get(plain, case.spins if plain.startswith("total") else 1.0)
        if plain.startswith("own-"):  # sums of two or four products
            scale *= 10
        if kind != plain:  # a difference of two, times at most 2
            scale *= 4
        if plain == "entropy" and left_out > 0:  # p ln p has no bounded slope at 0
            scale *= 40
        allowed = bound * scale
        if name == "norm" and case.single and case.chebyshev:  # every product with H rounds it in the same direction
            allowed += 1.2e-7 * case.steps * (1 + case.echo) * (20 + largest * case.step)
        account.compare(kind + (", single" if case.single else ""), outcome.series[name], exact, allowed)
    check_results(motion, account, outcome, rows, bound * max(10.0, largest, case.spins))
    if case.spins <= 5:
        check_exponentials(motion, account)
        if not case.chebyshev:
            check_order(motion, account)
        if case.estimates and case.samples == 1:
            check_estimates(motion, account, outcome)
    return None


def check_results(motion, account, outcome, rows, bound):
    """Means over the last rows of the finished states, with their standard errors."""
    groups = {}
    own = sorted((name for name, _ in motion.case.own.lists), key=len)[::-1] if motion.case.own else []
    for name in outcome.series:
        if name not in ("step", "sample") and name in rows:
            estimate = "step-error-" * name.startswith("step-error-")
            plain = name.removeprefix(estimate)
            lists = [*own, *(o for o in OBSERVABLES if o != "total")]
            quantity = next((o for o in lists if plain == o or plain.startswith(o + "-")), plain)
            groups.setdefault(estimate + ("staggered-z" if quantity == "staggered" else quantity), []).append(name)
    ends = motion.ends if motion.samples > 1 else [-1]
    if motion.samples > 1:
        account.compare("states in the results", outcome.values["states"], len(ends), 0)
    for quantity, names in groups.items():
        if quantity not in outcome.values:
            account.fail(f"no result {quantity}")
            continue
        order = sorted(names, key=lambda name: [int(word) for word in name.split("-") if word.isdigit()][::-1])
        if quantity.removeprefix("step-error-") in own:  # as the file of observables and the lattice have them
            order = [name for name in rows if name in names]
        values = np.array([rows[name][ends] for name in order])
        account.compare("results", np.ravel(outcome.values[quantity]), values.mean(axis=1), bound)
        account.claim("results, errors of 4 states",
                      len(ends) >= 4 or not np.isfinite(outcome.errors.get(quantity, np.nan)).any())
        if len(ends) >= 4 and quantity != "time":
            errors = values.std(axis=1) / math.sqrt(len(ends) - 3)
            account.compare("results, errors", np.ravel(outcome.errors[quantity]), errors, bound)


if __name__ == "__main__":
    sys.exit(program.main(__doc__, examine))
