#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""run.task = spectrum of dmrg in random jobs of products_oracle.py with a real H: correlations in time, intensities of
all sites and wave vectors, and weights, as sums over all eigenvectors of the dense H, within the errors that the
program claims."""

import random
import sys

import numpy as np

import products_oracle
import program
from lanczos_oracle import number
from products_evolution import ELECTRONS, in_all_states, launched

MOST_SWEEPS = 128
LEAST_GAP = 1e-2
WORDS = {"electrons": ("removal", "addition", "density", "spin"), "t-j": ("removal", "addition", "density", "spin"),
         "fermions": ("removal", "addition", "density"), "bosons": ("removal", "addition", "density"),
         "spins": ("spin",), "spins 1": ("spin",), "spins 3/2": ("spin",)}
DOWN = {"electrons": "_dn", "t-j": "_dn", "fermions": "", "bosons": ""}
OWN = {"electrons": ("0.7 c_up {i}", "-1.5 cdag_up {i}", "1 S+ {i}", "0.5 n_up {i} n_dn {i}; 0.3 n {i}", "1 Sz {i}",
                     "1i cdag_dn {i}", "1 cdag_up {i} cdag_dn {i}", "1 c_up {i} n_dn {i}; 0.4 c_up {i}"),
       "fermions": ("0.5 c {i}", "1i cdag {i}", "2 n {i}"), "bosons": ("0.5 b {i}", "-2i bdag {i}", "1 n {i}"),
       "spins": ("1 S+ {i}", "1i S- {i}", "0.5 Sx {i}; 1 Sz {i}", "1 Sy {i}", "1 X {i}"),
       "spins 1": ("1 S+ {i}", "1 Sz {i} Sz {i}; 0.5 Sz {i}", "0.3 S- {i}", "1 Sy {i}", "1 S+ {i} S+ {i}")}
OWN |= {"t-j": OWN["electrons"][:5], "spins 3/2": OWN["spins 1"]}


def text_of(case, word):
    """The terms of a word, as the documentation defines them."""
    letter = "b" if case.kind == "bosons" else "c"
    down = DOWN.get(case.kind, "")
    two = case.kind in ELECTRONS
    return {"removal": f"1 {letter}{down} {{i}}", "addition": f"1 {letter}dag{down} {{i}}", "density": "1 n {i}",
            "spin": "0.5 n_up {i}; -0.5 n_dn {i}" if two else "1 Sz {i}"}[word]


def leads(case, matrix):
    """Whether an operator changes every conserved number by one amount."""
    rows, columns = np.nonzero(abs(matrix) > 1e-13)
    changes = [c[rows] - c[columns] if period == 0 else (c[rows] - c[columns]) % period for c, period in case.charges]
    return len(rows) > 0 and all(len(set(change)) == 1 for change in changes)


def draw_family(case, job):
    """The matrices A_x on all states; None where the operator leads to two sectors."""
    rng = case.rng
    if rng.random() < 0.5:
        word = rng.choice(WORDS[case.kind])
        text = text_of(case, word)
    else:
        word, text = "observable", rng.choice(OWN[case.kind])
        job.set("observables.mine", text)
    job.set("spectrum.operator", word)
    family = [case.projected(case.space.matrix(text.replace("{i}", str(i)))) for i in range(case.sites)]
    return family if all(leads(case, a) for a in family) else None


def gaussians(omega, poles, weights, sigma):
    """[list][omega] of weights [list][pole]."""
    g = np.exp(-(omega[None, :] - poles[:, None]) ** 2 / (2 * sigma ** 2)) / (sigma * np.sqrt(2 * np.pi))
    return weights @ g


def draw_times(case, job, poles):
    """Broadening and time step, which leaves all images outside."""
    rng, low, high = case.rng, poles.min(), poles.max()
    width = max(high - low, 1)
    sigma = round(width * number(rng, 0.08, 0.3), 4)
    period = max(4 * (6 * sigma - min(low, 0)), 4 / 3 * (high + 6 * sigma))
    step = float(f"{2 * np.pi / period * number(rng, 0.6, 0.95):.4g}")
    omega = np.round(np.sort([number(rng, low - 2 * sigma, high + 2 * sigma) for _ in range(rng.randint(1, 9))]), 4)
    sweeps, span = 4, np.ptp(np.linalg.eigvalsh(case.h))
    while sweeps < MOST_SWEEPS and span * step / sweeps > 0.5:
        sweeps *= 2
    job.update({"spectrum.broadening": sigma, "evolution.step": step, "evolution.sweeps": sweeps,
                "spectrum.omega": list(omega), "evolution.cutoff": rng.choice(("1e-13", "1e-9", "1e-7")),
                "run.allow-unconverged": "yes"})
    if rng.random() < 0.3:
        job.set("spectrum.time", round(number(rng, 2.2, 5) / sigma, 3))
    return sigma, step, omega


def cosines(case, job, site):
    """[k][x] of the wave vectors of a chain or ring."""
    if case.alone:
        return np.zeros((0, case.sites))
    m = np.arange(case.sites)
    if case.rng.random() < 0.4:
        m = np.array(sorted(case.rng.sample(range(case.sites), case.rng.randint(1, case.sites))))
        job.set("spectrum.momenta", list(m))
    return np.cos(2 * np.pi / case.sites * np.outer(m, np.arange(case.sites) - site))


class Drawn:
    """A job, and poles and weights of its spectrum; `ready` where it has one ground state on which A_c acts."""

    def __init__(self, case, keys, states):
        rng, self.case, self.job = case.rng, case, case.job(keys)
        self.job.application, self.ready = "dmrg", False
        self.job.keys.pop("backend.exchange", None)
        self.job.update({"run.task": "spectrum", "run.tolerance": "1e-10", "run.seed": rng.randint(1, 99)})
        if rng.random() < 0.2:
            self.job.set("run.blocks", "disk")
        self.family = draw_family(case, self.job)
        self.levels, vectors = np.linalg.eigh(case.h.real[np.ix_(states, states)])
        if self.family is None or (len(self.levels) > 1 and self.levels[1] - self.levels[0] < LEAST_GAP):
            return
        psi = in_all_states(case, states, vectors)[:, 0]
        self.site = rng.randrange(case.sites) if rng.random() < 0.5 else case.sites // 2
        if self.site != case.sites // 2 or rng.random() < 0.3:
            self.job.set("spectrum.site", self.site)
        self.norms = np.array([np.linalg.norm(a @ psi) for a in self.family])
        self.every, basis = np.linalg.eigh(case.h.real)
        amplitudes = np.array([basis.T @ (a @ psi) for a in self.family])
        used = (abs(amplitudes) > 1e-9).any(axis=0)
        self.poles = (self.every - self.levels[0])[used]
        self.weights = (amplitudes.conj() * amplitudes[self.site]).real[:, used]  # [x][n]
        self.ready = self.norms[self.site] > 1e-3


def compare(drawn, account):
    case, job, site, levels, every = drawn.case, drawn.job, drawn.site, drawn.levels, drawn.every
    poles, weights, norms = drawn.poles, drawn.weights, drawn.norms
    sigma, step, omega = draw_times(case, job, poles)
    waves = cosines(case, job, site)
    outcome = launched(case, job)
    if outcome.code == 2 and "distribute" in outcome.said:
        return account.note("refused: parts that nothing connects")
    if outcome.code != 0:
        return account.fail(f"ended with {outcome.code}: {outcome.said}")
    values, series = outcome.values, outcome.series
    account.note(f"spectrum of {job.keys['spectrum.operator']}")
    account.compare("energy of DMRG", values["energy"], levels[0],
                    outcome.errors["energy"] + 1e-10 * (1 + abs(every).max()))
    own, most = norms[site] ** 2, norms[site] * norms.max()
    of_state = 1e-6 * most
    for row, time in enumerate(series["time"]):
        exact = weights @ np.exp(-1j * poles * time)
        error = series["step-error"][row] * own + of_state
        for name, part in (("correlation", exact.real), ("correlation-imaginary", exact.imag)):
            found = [series[f"{name}-{x}"][row] for x in range(case.sites)]
            account.compare(f"{name} of DMRG", found, part, error)
        drift = 1e-5 + 1e3 * float(job.keys["evolution.cutoff"])
        account.compare("energy drift", series["energy-drift"][row], 0, drift * (1 + abs(every).max()))
    error = (values["spectrum-error"] + values["truncation-bound"] + values["state-error"]
             + of_state * np.sqrt(case.sites) / sigma + outcome.errors["energy"] * most / sigma ** 2)
    account.claim("small errors", values["spectrum-error"][0] * sigma < 0.05 * own, str(values["spectrum-error"]))
    account.claim("no aliased weight", values["aliased-weight"][0] < 1e-3, str(values["aliased-weight"]))
    for prefix, lists in (("site-", np.eye(case.sites)), ("", waves)):
        if not len(lists):
            account.claim("no wave vectors", "intensity" not in values)
            continue
        exact = gaussians(omega, poles, lists @ weights, sigma)
        sums = 1 if prefix else np.sqrt(case.sites)
        account.compare(f"{prefix}intensity of DMRG", values[f"{prefix}intensity"], exact.ravel(), error)
        account.compare(f"{prefix}weight of DMRG", values[f"{prefix}weight"], (lists @ weights).sum(axis=1),
                        series["step-error"][0] * own + of_state * sums)
        account.compare(f"{prefix}grid weight of DMRG", values[f"{prefix}grid-weight"], np.trapezoid(exact, omega)
                        if hasattr(np, "trapezoid") else np.trapz(exact, omega),
                        error * sums * (1e-9 + np.ptp(omega)))
    account.compare("energies of DMRG", values["omega"], omega, 1e-12)
    return None


def examine(seed, index, account, state, options):
    """The first job of an index with several sites, a real H, and one ground state; more than half with particles."""
    particles = random.Random(f"{seed} {index}").random() < 0.6
    for attempt in range(2000):
        case = products_oracle.Case(f"{seed} spectra {attempt}", index, driven_share=0)
        keys, states = case.sector()
        states = case.project(states)
        odd = case.kind not in ("bosons", *products_oracle.TWICE) and not case.conserves(case.numbers.sum(axis=0) % 2)
        if case.sites < 2 or case.h0 is not None or case.complex or odd or (particles and case.twice):
            continue
        if not states.any():
            continue
        drawn = Drawn(case, keys, states)
        if drawn.ready or (drawn.family is None and case.rng.random() < 0.1):
            break
    state.update(task=f"{case.kind}, {case.wanted}", job=drawn.job)
    if drawn.family is None:
        outcome = program.run(drawn.job)
        return account.claim("operators of two sectors are refused", outcome.code == 2, outcome.said)
    return compare(drawn, account)


if __name__ == "__main__":
    sys.exit(program.main("Random jobs of products_oracle.py as spectra by dmrg.", examine))
