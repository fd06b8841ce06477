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
        self.case, self.samples, self.propagators = case, case.samples, {}

    def hamiltonian(self, t, back=False):
        """H at a time; jumps count a little before they come."""
        case = self.case
        sign = (-1) ** sum(r <= t + 1e-5 * case.step for r in case.reversals)
        factors = [sign * math.prod(f.at(t, case.step) for f in some) for some in case.factors]
        h = case.terms.scaled(factors[:3], factors[3:])
        return h.plus(case.perturbation) if back else h

    def forward(self, psi, n, step=None, parts=1):
        """The step from time n * step on, in equal parts. A step of another length than the job's has no pulses."""
        case = self.case
        if case.chebyshev:
            return self.exact(False) @ psi
        for time, axis, angle, _, spins in case.pulses if step is None else ():
            if time == n:
                psi = spin_half.rotate(axis, math.pi * angle, spins, psi)
        step = step or case.step
        for i in range(parts):
            for axis, part, place in spin_half.stages(case.order, case.scheme):
                psi = self.hamiltonian((n + (i + place) / parts) * step).exponential(axis, part * step / parts, psi)
        return psi

    def back(self, psi, n, parts):
        """The inverse of that step, with the perturbation."""
        case = self.case
        if case.chebyshev:
            return self.exact(True) @ psi
        for i in reversed(range(parts)):
            for axis, part, place in reversed(spin_half.stages(case.order, case.scheme)):
                h = self.hamiltonian((n + (i + place) / parts) * case.step, True)
                psi = h.exponential(axis, -part * case.step / parts, psi)
        for time, axis, angle, _, spins in reversed(case.pulses):
            if time == n:
                psi = spin_half.rotate(axis, -math.pi * angle, spins, psi)
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
        order = min(case.order, 2) if case.kinks else case.order
        factor = 2**order / (2**order - 1)
        distance = factor * np.linalg.norm(psi - half)
        other = spin_half.columns(half, h, start, case.observables, case.cut)
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
                row = {"time": time, "norm": 1.0, **spin_half.columns(psi, h, start, case.observables, case.cut)}
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
        self.ends = [i for i, entry in enumerate(found) if entry[1] == last]
        if not self.ends:  # no state is finished
            self.ends = [i for i, entry in enumerate(found) if entry[1] == found[-1][1]]
        return {name: np.array([entry[3][name] for entry in found]) for name in found[0][3]}, largest

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
    """The splitting over a short time against the exact motion: its error falls with the order."""
    case, h = motion.case, motion.hamiltonian(0.0)
    psi = case.start(0)
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
    errors = []
    for steps in (4, 8):
        state = psi
        for n in range(steps):
            state = motion.forward(state, n, length / steps)
        errors.append(np.linalg.norm(state - exact))
    # a leading term that happens to vanish leaves a higher order
    small = errors[1] < 1e-11
    account.claim("splitting: order", small or math.log2(errors[0] / errors[1]) > case.order - 0.25, f"errors {errors}")


def examine(seed, index, account, state, options):
    case = Case(seed, index)
    state.update(task="chebyshev" if case.chebyshev else f"order {case.order}", job=case.job)
    motion, outcome = Motion(case), program.launch(case.job, options, steps=case.stop)
    rows, largest = motion.rows()
    if outcome.code != (0 if motion.reached else 5):
        return account.fail(f"exit code {outcome.code}: {outcome.sentence()}")
    if case.target:
        account.note("ensembles that " + ("came to their target" if motion.reached else "did not come to their target"))
    for name in outcome.series.keys() - rows.keys() - {"step"}:
        account.fail(f"column {name} has no oracle")
    if case.stop:
        account.note(f"ensembles that were stopped, {len(motion.ends)} of {motion.samples} states in the results")
    left_out = 4 * case.left_out * case.steps * (1 + case.echo)
    bound = (1e-5 if case.single else 1e-11) + left_out
    for name, exact in rows.items():
        if name not in outcome.series:
            account.fail(f"no column {name}")
            continue
        kind = re.sub(r"(-\d+)+$", "", name)
        plain = kind.removeprefix("step-error-")
        scale = {"energy": max(1.0, largest),
                 "structure-factor": case.spins}.get(plain, case.spins if plain.startswith("total") else 1.0)
        if kind != plain:  # a difference of two, times at most 2
            scale *= 4
        if plain == "entropy" and left_out > 0:  # p ln p has no bounded slope at 0
            scale *= 40
        allowed = bound * scale
        if name == "norm" and case.single and case.chebyshev:  # every product with H rounds it in the same direction
            allowed += 1.2e-7 * case.steps * (1 + case.echo) * (20 + largest * case.step)
        account.compare(kind + (", single" if case.single else ""), outcome.series[name], exact, allowed)
    check_results(motion, account, outcome, rows, bound * max(1.0, largest, case.spins))
    if case.spins <= 5:
        check_exponentials(motion, account)
        if case.smooth and not case.chebyshev:
            check_order(motion, account)
    return None


def check_results(motion, account, outcome, rows, bound):
    """Means over the last rows of the finished states, with their standard errors."""
    groups = {}
    for name in outcome.series:
        if name not in ("step", "sample") and name in rows:
            estimate = "step-error-" * name.startswith("step-error-")
            plain = name.removeprefix(estimate)
            quantity = next((o for o in OBSERVABLES if o != "total" and plain.startswith(o + "-")), plain)
            groups.setdefault(estimate + ("staggered-z" if quantity == "staggered" else quantity), []).append(name)
    ends = motion.ends if motion.samples > 1 else [-1]
    if motion.samples > 1:
        account.compare("states in the results", outcome.values["states"], len(ends), 0)
    for quantity, names in groups.items():
        if quantity not in outcome.values:
            account.fail(f"no result {quantity}")
            continue
        order = sorted(names, key=lambda name: [int(word) for word in name.split("-") if word.isdigit()][::-1])
        values = np.array([rows[name][ends] for name in order])
        account.compare("results", outcome.values[quantity], values.mean(axis=1), bound)
        account.claim("results, errors of 4 states",
                      len(ends) >= 4 or not np.isfinite(outcome.errors.get(quantity, np.nan)).any())
        if len(ends) >= 4 and quantity != "time":
            errors = values.std(axis=1) / math.sqrt(len(ends) - 3)
            account.compare("results, errors", outcome.errors[quantity], errors, bound)


if __name__ == "__main__":
    sys.exit(program.main(__doc__, examine))
