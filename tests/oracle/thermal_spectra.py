# SPDX-License-Identifier: BSD-3-Clause
"""Spectra at temperatures: sums over all pairs of levels, by random vectors of both methods within their errors."""

import math

import numpy as np

import lattices
import program
from checks import number


class ThermalSpectrum:
    """exp(-E_m/T) |<n|A|m>|^2 of all pairs of levels of two sectors."""

    def __init__(self, energies, others, elements, temperature):
        """elements: <n|A|m>, [n][m]."""
        self.strengths = abs(elements) ** 2
        self.poles = others[:, None] - energies[None, :]
        e = (energies - energies[0]) / temperature
        self.p = np.exp(-e) / np.exp(-e).sum()
        self.energies, self.others, self.temperature = energies, others, temperature

    def correlation(self):
        return self.strengths * self.p

    def conductivity(self, sites):
        """pi/N (p_m - p_n) / (E_n - E_m) |<n|J|m>|^2, its limit for equal levels."""
        x = self.poles / self.temperature
        factor = np.where(abs(x) < 1e-8, 1 - x / 2, -np.expm1(-x) / np.where(x == 0, 1, x))
        return math.pi / sites * self.strengths * self.p * factor / self.temperature

    def at(self, weights, omega, width):
        d = np.array(omega)[:, None] - self.poles.ravel()
        return (width / math.pi / (d**2 + width**2)) @ weights.ravel()


def compare(account, name, values, errors, exact, small, sigmas):
    """Within so many errors, which all values have."""
    values, errors, exact = (np.atleast_1d(np.asarray(x, float)) for x in (values, errors, exact))
    finite = np.isfinite(errors)
    account.claim(name + ": errors of so many vectors are numbers", finite.all(), str(errors))
    account.compare(name, values[finite], exact[finite], sigmas * errors[finite] + small)
    account.pulls[name] += [(v - r) / e for v, r, e in zip(values[finite], exact[finite], errors[finite])
                            if e > 10 * small]


def random_temperatures(case):
    """Keys of random vectors; the temperatures, energies and the broadening."""
    rng = case.rng
    temperatures = sorted(round(math.exp(rng.uniform(math.log(0.1), math.log(8))), 3) for _ in range(2))
    omega, width = sorted(number(rng, -3, 10) for _ in range(3)), number(rng, 0.2, 0.8)
    case.job.update({"run.task": "spectrum", "spectrum.temperatures": temperatures, "spectrum.omega": omega,
                     "spectrum.broadening": width, "thermal.samples": rng.randint(60, 90),
                     "thermal.steps": 120, "spectrum.steps": 120, "run.seed": rng.randint(1, 10**6),
                     "backend.threads": 1})
    return temperatures, omega, width


def check_temperatures(case, account, options):
    rng, sigmas = case.rng, 6
    operators_there = ["current", "current"] + ["density"] * (case.torus is not None)
    if case.type != "fermions" and case.torus is not None:
        operators_there += ["spin"] + ["removal", "addition"] * 2 * (case.type == "hubbard")
    operator = rng.choice(operators_there)
    if operator == "removal" and case.filling[1] == 0 or operator == "addition" and case.filling[1] == case.sites:
        operator = "spin"
    if operator != "current":
        case.job.keys.pop("spectrum.direction", None)
    case.job.set("spectrum.operator", operator)
    temperatures, omega, width = random_temperatures(case)
    exact_method = rng.random() < 0.4
    if exact_method:
        for key in ("thermal.samples", "thermal.steps", "spectrum.steps", "run.seed"):
            case.job.keys.pop(key)
        case.job.set("thermal.method", "all-levels")
    elif rng.random() < 0.5:
        case.job.set("thermal.method", "low-temperature")
    h, current, kinetic = case.matrices(case.flux)
    if operator == "current" and not any(abs(hop.r @ case.direction) > 0 for hop in case.hops):
        return account.note("no current along the direction")
    outcome = program.finished(case.job, account, options)
    if outcome is None:
        return None
    energies, states = np.linalg.eigh(h)
    if operator == "current":
        waves, levels = {"": states.conj().T @ current @ states}, energies
    else:
        waves, levels = elements_of_waves(case, operator, states, energies)
    account.compare("temperature", outcome.values["temperature"], temperatures, 1e-12)
    names = {"temperature"} | ({"intensity-step-error"} if not exact_method else set())
    scale = max(abs(energies).max(), 1e-3)
    weights = []
    for at, temperature in enumerate(temperatures):
        rows = slice(at * len(omega), (at + 1) * len(omega))
        account.compare("rows", outcome.series["temperature"][rows], temperature, 1e-12)
        account.compare("rows", outcome.series["omega"][rows], omega, 1e-12)
        total = 0.0
        for w, (wave, elements) in enumerate(waves.items()):
            spectrum = ThermalSpectrum(energies, levels, elements, temperature)
            strengths = spectrum.conductivity(case.sites) if operator == "current" else spectrum.correlation()
            column = "conductivity" if operator == "current" else "momentum" + wave
            error = column + "-error" if operator == "current" else "momentum-error" + wave
            small = 1e-8 * (1 + strengths.sum() / width)
            compare(account, operator, outcome.series[column][rows], outcome.series[error][rows],
                    spectrum.at(strengths, omega, width), small, sigmas)
            total += strengths.sum()
            place = at if operator == "current" else at * len(waves) + w
            name = "conductivity-weight" if operator == "current" else "weight"
            names.add(name)
            exact = strengths.sum() / (2 if operator == "current" else 1)
            compare(account, operator + ": " + name, outcome.values[name][place],
                    outcome.errors[name][place], exact, 1e-8 * (1 + exact), sigmas)
        weights.append(total)
        if operator == "current":
            e = np.einsum("am,ab,bm->m", states.conj(), kinetic, states).real @ spectrum.p
            for name, exact in (("kinetic-energy", e), ("stiffness", -math.pi / case.sites * e - total)):
                names.add(name)
                compare(account, name, outcome.values[name][at], outcome.errors[name][at], exact,
                        1e-8 * (1 + scale + abs(exact)), sigmas)
    if operator != "current":
        names.add("weight-sum")
        if "weight-sum" in outcome.references:
            account.compare("sum rules", outcome.values["weight-sum"], weights, 1e-8 * (1 + max(weights)))
            account.compare("sum rules, exact value reported", outcome.references["weight-sum"], weights, 1e-8)
    if exact_method:
        account.claim("all levels have no errors", all(not errors.any() for errors in outcome.errors.values()))
        account.note("temperatures: all levels")
    else:
        account.note("temperatures: " + case.job.keys.get("thermal.method", "random-vectors"))
        account.compare("steps are enough", outcome.values["intensity-step-error"], 0,
                        1e-3 * (1 + max(weights) / width))
    for name in outcome.values:
        if name not in names and not name.startswith(("site-", "wave-vector")):
            account.fail(f"'{name}' has no oracle")
    return None


def elements_of_waves(case, operator, states, energies):
    """<n|A_k|m> for every wave vector, by the column's name, and the levels of the states n."""
    cluster = lattices.Cluster(case.sites, [], [case.torus[0]] if case.kind == "ring" else case.torus, case.places,
                               case.axes, case.basis)
    space, others, levels, filling = case.space(), states, energies, case.filling
    if operator in ("removal", "addition"):
        change, sign = (-1, -1) if operator == "removal" else (1, 1)
        case.filling = (filling[0], filling[1] + change)
        target = case.space()
        levels, others = np.linalg.eigh(case.matrices(case.flux)[0])
        case.filling = filling
        name = "c_dn" if operator == "removal" else "cdag_dn"
        parts = [space.matrix(f"1 {name} {j}", target) for j in range(case.sites)]
    else:
        sign, occupations = -1, space.occupations()
        if case.type == "t-j":
            up, down = occupations
            occupations = [o[(up * down).sum(axis=1) == 0] for o in occupations]
        values = sum(occupations) if operator == "density" else (occupations[0] - occupations[1]) / 2
        parts = [np.diag(values[:, j]) for j in range(case.sites)]
    waves = {}
    for m in cluster.numbers():
        phases = np.exp(sign * 1j * cluster.phases(m)) / math.sqrt(case.sites)
        waves["-" + "-".join(map(str, m))] = others.conj().T @ sum(p * a for p, a in zip(phases, parts)) @ states
    return waves, levels
