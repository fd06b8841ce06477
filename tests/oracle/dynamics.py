# SPDX-License-Identifier: BSD-3-Clause
"""run.task = spectrum, thermal and evolution: random keys, and what must be true of the results."""

import math

import numpy as np

import checks
import observables
import program
import symmetry
from dense import Model
from checks import (MOST_OF_SPECTRA, ambiguous, geometry, geometry_names, launch, lowest_pair, number, refused,
                    rounding, unknown_names, wave_numbers)


def random_spectrum(case):
    rng, job, s = case.rng, case.job, case.solution
    operators = ["density"] + ["spin"] * (case.species == 2 or case.spins)
    if case.species == 2:
        operators += ["removal"] * 2 * (case.filling[1] > 0) + ["addition"] * 2 * (case.filling[1] < case.cluster.sites)
    case.operator = rng.choice(operators)
    if "sector.spin-inversion" in job.keys and case.cluster.basis > 1:
        case.operator = "spin"  # densities of sublattices are neither even nor odd
    job.set("spectrum.operator", case.operator)
    case.width = number(rng, 0.05, 0.5)
    case.omega = sorted(number(rng, -1, 12) for _ in range(rng.randint(1, 12)))
    job.set("spectrum.omega", case.omega)
    job.set("spectrum.broadening", case.width)
    job.set("spectrum.steps", 2 * MOST_OF_SPECTRA)
    if rng.random() < 0.4 or case.solution.sector.dimension > 60:
        case.momenta = [tuple(rng.randint(-2, 8) for _ in case.cluster.torus) for _ in range(rng.randint(1, 4))]
        case.given = case.momenta
        case.momenta, case.repeated = different_waves(case)
        job.set("spectrum.momenta", [i for m in case.momenta for i in m])
    case.states, multiplicity = 1, s.multiplicity()
    if rng.random() < 0.7 if multiplicity > 1 else rng.random() < 0.2:
        case.states = min(multiplicity + rng.randint(0, 2), s.dimension)
        if case.states > 1:
            job.set("run.states", case.states)
            job.set("run.max-steps", 2000)


def different_waves(case):
    """The random wave vectors, each once and within the zone, and whether any had to be changed: waves are the same if
    their phases at all sites are, which beyond the zone holds for cells of one site."""
    cluster, kept, changed = case.cluster, [], False

    def same(m, n):
        turns = (cluster.phases(m) - cluster.phases(n)) / (2 * np.pi)
        return abs(turns - np.round(turns)).max() < 1e-9
    for m in case.momenta:
        periods = [symmetry.period(cluster, i) for i in range(len(m))]
        inside = tuple(int(math.fmod(number, p)) for number, p in zip(m, periods))
        if inside != m and same(inside, m):
            m, changed = inside, True
        if any(same(m, n) for n in kept):
            changed = True
        else:
            kept.append(m)
    return kept, changed


def expect_refusal_of_repeated(case, account, options, given):
    job = program.Job("lanczos", 1)
    job.keys, job.files = dict(case.job.keys), case.job.files
    job.set("spectrum.momenta", [i for m in given for i in m])
    outcome = program.run(job, options.keep)
    account.claim("a wave vector twice or outside of the zone is refused",
                  outcome.code == 2 and "spectrum.momenta" in outcome.said, f"{outcome.code}: {outcome.sentence()}")


def check_spectrum(case, account, options):
    random_spectrum(case)
    if getattr(case, "repeated", False):
        expect_refusal_of_repeated(case, account, options, case.given)
    s, multiplicity = case.solution, case.solution.multiplicity()
    outcome = launch(case, account, options)
    hidden = multiplicity > case.states
    if outcome is None:
        return refused(case, account, hidden or ambiguous(case), ("degenerate", "run.states"))
    values = outcome.values
    if not lowest_pair(case, account, values):
        return account.fail("exit code 0 without convergence")
    if hidden and not ambiguous(case):
        return account.fail("a spectrum of one of several ground states, exit code 0")
    if ambiguous(case):
        return account.note("spectrum: levels too near to each other")
    lehmann = observables.Lehmann(s, multiplicity, case.operator, case.separate)
    case.lehmann = lehmann
    residual = 2 * values["residual"][0] / s.gap() + (1e-5 if case.single else 1e-10)
    known = (geometry(case, account, values)
             | {"energy", "residual", "energies", "residuals", "degeneracy", "degeneracy-at-least",
                "next-energy"})
    known |= {f"energy-{i}" for i in range(1, case.states)}
    omega = np.array(case.omega)
    account.compare("omega", outcome.series["omega"], omega, 1e-12)
    truncation = values.get("truncation-bound", [math.inf])[0]
    if len(lehmann.poles) <= MOST_OF_SPECTRA:
        account.claim("bound of a spectrum of enough steps is small",
                      truncation < (1e-2 if case.single else 1e-8) / case.width)
    known.add("truncation-bound")
    if job_searches(case):
        known |= {n for n in values if n.startswith(("momentum-", "energy-momentum-"))}
    columns = {"omega"}
    for group in observables.groups(case.cluster, case.separate):
        strengths = [lehmann.strengths(m, group) for m in wave_numbers(case)]
        weight = np.array([x.sum() for x in strengths])
        scale = case.cluster.sites * residual * 4 + 1e-9
        known.add("weight" + group[0])
        if "weight" + group[0] not in values:
            return account.fail(f"'weight{group[0]}' is missing")
        account.compare("weight" + group[0][:11], values["weight" + group[0]], weight, scale * (1 + weight.max()))
        moment, largest = np.array([x @ lehmann.poles for x in strengths]), abs(lehmann.poles).max(initial=1)
        known.add("first-moment" + group[0])
        account.compare("first-moment" + group[0][:11], values["first-moment" + group[0]], moment,
                        (scale + (1e-4 if case.single else 1e-8)) * (1 + weight.max()) * (1 + largest))
        for m, strength in zip(wave_numbers(case), strengths):
            name = "momentum-" + "-".join(map(str, m)) + group[0]
            columns.add(name)
            if name not in outcome.series:
                account.fail(f"column '{name}' is missing")
                continue
            exact = lehmann.intensity(strength, omega, case.width)
            bound = (scale + (1e-4 if case.single else 1e-8)) * (1 + weight.max()) / case.width**2
            if math.isfinite(truncation):
                bound += truncation
            account.compare("intensity", outcome.series[name], exact, bound)
    for name in outcome.series.keys() - columns:
        account.fail(f"column '{name}' has no oracle")
    if "weight-sum" in values:
        total = sum(values["weight" + group[0]].sum() for group in observables.groups(case.cluster, case.separate))
        # rounding of the state
        known |= checks.sum_over(case, account, outcome, "weight", total, 1e-9 + 4e-7 * total * case.single)
    unknown_names(case, account, values, known)
    if case.operator in ("removal", "addition"):
        sum_rules(case, account, options, values)
    return None


def job_searches(case):
    return case.job.keys.get("sector.momentum") == "auto"


def sum_rules(case, account, options, values):
    """{A_k, A_k^+} = 1 from two runs; the removal of all k takes out every particle."""
    sites, cells = case.cluster.sites, case.cluster.sites // case.cluster.basis
    down = case.filling[1]
    every = "momenta" not in case.__dict__
    bound = 1e-4 * sites if case.single else 1e-7
    groups = observables.groups(case.cluster, case.separate)
    if every and (case.separate or case.cluster.basis == 1) and case.cell.kind != "chain":
        total = sum(values["weight" + group[0]].sum() for group in groups)
        account.compare("sum of all weights", total, down if case.operator == "removal" else sites - down,
                        bound * cells)
    if case.rng.random() > 0.5 or not 0 < down < sites:
        return
    job = program.Job("lanczos", 1)
    job.keys, job.files = dict(case.job.keys), case.job.files
    job.set("spectrum.operator", "addition" if case.operator == "removal" else "removal")
    other = launch(case, account, options, job)
    if other is None:
        return refused(case, account, False, ())
    for group in groups:
        both = values["weight" + group[0]] + other.values["weight" + group[0]]
        account.compare("removal + addition = 1", both, np.ones(len(both)), bound)




def check_thermal(case, account, options):
    rng, job, s = case.rng, case.job, case.solution
    # at low temperatures few levels count: the error of so few samples is itself uncertain, or absent
    many = rng.randint(100, 150) if s.sector.dimension < 100 else rng.randint(40, 60)
    samples = rng.choice((many, many, rng.randint(2, 24)))
    sigmas = 5 if samples == many else 12
    temperatures = [round(math.exp(rng.uniform(math.log(0.02), math.log(8))), 3) for _ in range(4)]
    job.set("thermal.temperatures", temperatures)
    job.set("thermal.samples", samples)
    job.set("thermal.steps", rng.randint(50, 80))
    outcome = launch(case, account, options)
    if outcome is None:
        return refused(case, account, False, ())
    values, errors = outcome.values, outcome.errors
    account.compare("temperature", values["temperature"], temperatures, 1e-12)
    exact = np.array([observables.canonical(s.energies, t, case.cluster.sites) for t in temperatures]).T
    small = (1e-4 if case.single else 1e-8)
    account.claim("energy not below the ground state",
                  values["energy"].min() >= s.energies[0] - 10 * rounding(case) * s.scale,
                  f"{values['energy'].min():.12g} < {s.energies[0]:.12g}")
    reduced = s.scale / np.array(temperatures)
    for name, right, slope in zip(("energy", "specific-heat", "entropy"), exact,
                                  (s.scale + 0 * reduced, 1 + reduced**2, 1 + reduced)):
        error = errors.get(name)
        if error is None or len(error) != len(right):
            account.fail(f"'{name}' has no errors")
            continue
        reported = np.where(np.isfinite(error), error, 0)
        account.note(f"thermal: errors that are no number: {int(np.sum(~np.isfinite(error)))}")
        account.claim(name + "-error is not absurd", (reported <= slope).all(), str(reported))
        finite = np.isfinite(error)
        account.claim(name + ": no error of fewer than 4", samples >= 4 or (reported <= small * slope).all(),
                      str(error))
        account.compare(name, values[name][finite], right[finite], (sigmas * reported + small * slope)[finite])
        pulls = [(v - r) / e
                 for v, r, e, b in zip(values[name], right, reported, small * slope) if e > 10 * b / 5 + 1e-12]
        account.pulls[name] += pulls
    known = {"energy", "specific-heat", "entropy", "temperature"} | {n for n in values if "step" in n}
    unknown_names(case, account, values, known | geometry_names())
    return None




def random_product(case):
    """A random product state in the eigenstates of H."""
    rng, s, sites, bits = case.rng, case.solution, case.cluster.sites, []
    for species, name in enumerate(("up", "down")[: case.species]):
        occupied = sorted(rng.sample(range(sites), case.filling[species]))
        if occupied:
            case.job.set("evolution." + name, occupied)
        bits += [species * sites + i for i in occupied]
    return s.states[s.sector.string(*bits)].conj()


class Quench:
    """The ground state of H with other couplings as the initial state, in the eigenstates of H."""

    def __init__(self, case):
        rng, job, old, s = case.rng, case.job, case.model, case.solution
        self.case = case
        job.set("evolution.start", "ground-state")
        job.set("run.seed", rng.randint(1, 10**6))
        u, v, jz, energies = old.u, old.v, old.jz, old.energies
        count = 1 if case.symmetric or rng.random() < 0.5 else case.cluster.sites
        if case.spins:
            jz = number(rng, -2, 2)
            job.set("initial-model.jz", jz)
        else:
            v = number(rng, -2, 3)
            job.set("initial-model.v", v)
        if case.species == 2 and rng.random() < 0.7:
            values = [number(rng, -3, 8) for _ in range(count)]
            job.set("initial-model.u", values)
            u = values * (case.cluster.sites // count)
        if rng.random() < 0.5:
            values = [number(rng, -1, 1) for _ in range(count)]
            job.set("initial-model.field" if case.spins else "initial-model.potential", values)
            energies = values * (case.cluster.sites // count)
        model = Model(case.cluster, case.spins, case.species, u, v, energies, old.jxy, jz)
        h = s.states.conj().T @ model.hamiltonian(s.sector) @ s.states
        self.levels, vectors = np.linalg.eigh(h)
        self.first = vectors[:, 0]
        self.scale = max(abs(self.levels).max(), self.levels[-1] - self.levels[0], 1e-3)

    def gap(self):
        return self.levels[1] - self.levels[0] if len(self.levels) > 1 else math.inf

    def distance(self, values):
        """From the exact initial state, by its residual."""
        return 2 * values["initial-residual"][0] / self.gap() + (1e-5 if self.case.single else 1e-10)

    def is_clear(self, account, outcome):
        """Whether the ground state is single; a degenerate one must be told."""
        if self.gap() > max(1e-6, 3e3 * checks.tolerance(self.case)) * self.scale:
            account.claim("a single initial ground state is no degenerate one", "is degenerate" not in outcome.said)
            return True
        if self.gap() < 1e-10 * self.scale:
            account.claim("a degenerate initial ground state is told", "depends on run.seed" in outcome.said)
        account.note("evolution: the initial ground state is not single")
        return False

    def check(self, account, values):
        residual = values["initial-residual"][0]
        account.compare("initial residual", residual, 0, 2 * checks.tolerance(self.case) * self.scale)
        account.compare("initial energy", values["initial-energy"], self.levels[0],
                        residual + 10 * rounding(self.case) * self.scale)


def check_evolution(case, account, options):
    rng, job, s = case.rng, case.job, case.solution
    quench = Quench(case) if rng.random() < 0.4 else None
    first = quench.first if quench else random_product(case)
    step = rng.choice((number(rng, 0.01, 0.5), number(rng, 0.01, 0.5), number(rng, 0.5, 3), number(rng, 3, 20)))
    steps = rng.randint(1, 6)
    job.set("evolution.step", step)
    job.set("evolution.steps", steps)
    if rng.random() < 0.7:
        job.set("evolution.krylov", rng.randint(6, 32))
    weight = np.linalg.norm(first) ** 2
    if weight < 1e-9:
        outcome = program.run(job, options.keep, False)
        account.claim("a state without a part in the sector is refused",
                      outcome.code == 2 and "no part" in outcome.said)
        return None
    outcome = launch(case, account, options)
    if outcome is None:
        return refused(case, account, False, ())
    account.note("evolution: from a ground state" if quench else "evolution: from a product state")
    clear = quench is None or quench.is_clear(account, outcome)
    times = step * np.arange(steps + 1)
    exact = observables.motion(s, first, times)
    unknown = outcome.series.keys() - exact.keys()
    if unknown:
        account.fail(f"columns {sorted(unknown)} have no oracle")
    pieces = len(times) + s.scale * times[-1]  # every step rounds the state
    bound = (1e-6 if case.single else 2e-11) * pieces + 1e-10
    account.claim("bound of the error is small", outcome.values["error-bound"][0] <= bound)
    if quench:
        quench.check(account, outcome.values)
        bound += 4 * quench.distance(outcome.values)
    for name, values in exact.items():
        if name not in outcome.series:
            account.fail(f"column '{name}' is missing")
            continue
        family = name.rstrip("0123456789")
        if clear or family in ("time", "norm"):
            account.compare(family, outcome.series[name], values, bound * (s.scale if name == "energy" else 1))
        if name in outcome.values:
            account.compare(family + " in the last row", outcome.values[name], outcome.series[name][-1], 0)
    if case.symmetric and not quench:
        account.compare("sector-weight", outcome.values["sector-weight"], weight, 1e-9)
    known = {"initial-energy", "initial-residual"} if quench else {"sector-weight"}
    unknown_names(case, account, outcome.values, set(exact) | {"error-bound"} | known)
    return None
