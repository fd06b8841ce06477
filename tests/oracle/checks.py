# SPDX-License-Identifier: BSD-3-Clause
"""The random keys of each task of Lanczos, and what must be true of its result."""

import math

import numpy as np

import observables
import program

NEW = True  # keys of what is being built are given; --today leaves them out

MOST_OF_SPECTRA = 200  # states: as many steps make the continued fraction exact

NEVER_COMPARED = {"steps", "residual-estimate", "converged", "temperature"}  # said elsewhere, or of the run only


def launch(case, account, options, job=None, vectors=False):
    """Runs a job; None where it ended for a reason that is told or counted."""
    outcome = program.run(job or case.job, options.keep, vectors)
    if options.only:
        print((job or case.job).describe(), outcome.said, sep="\n")
    account.note(f"{case.task}: exit code {outcome.code}")
    if outcome.code == 0:
        return outcome
    if outcome.code == 5:
        case.refused = outcome
    else:
        account.fail(f"exit code {outcome.code}: {outcome.sentence()}")
    return None


def refused(case, account, known, words):
    """A run that ended with 5: `known` is whether it had to, `words` what it must say."""
    said = getattr(case, "refused", None)
    if said is None:
        return
    if known and any(word in said.said for word in words):
        account.note(f"{case.task}: ended with 5 where it must")
    else:
        account.note(f"UNEXPECTED {case.task}: ended with 5: {said.sentence()[:150]}")
        account.fail(f"exit code 5: {said.sentence()[:300]}")


def rounding(case):
    return 3e-6 if case.single else 1e-11


def tolerance(case):
    return float(case.job.keys.get("run.tolerance", 1e-5 if case.single else 1e-9))


def spread(case):
    """An upper bound of what run.tolerance is relative to."""
    return 2 * case.solution.scale


def ambiguous(case):
    """Levels are nearer to each other than the run can tell, but not equal."""
    e = case.solution.energies
    limit = max(1e-6, 3e3 * tolerance(case), 3 * math.sqrt(tolerance(case)) if case.single else 0)
    return case.solution.multiplicity(limit) != case.solution.multiplicity()


def lowest_pair(case, account, values):
    """energy, residual and converged of one state."""
    s = case.solution
    energy = values["energy"][0]
    small = rounding(case) * s.scale
    account.claim("energy not below the ground state", energy >= s.energies[0] - 10 * small,
                  f"{energy:.12g} < {s.energies[0]:.12g}")
    converged = values.get("converged", [0])[0] == 1
    if "residual" in values:
        residual = values["residual"][0]
        nearest = abs(s.energies - energy).min()
        account.claim("residual is not below the distance to a level", residual * (1 + 1e-6) + small >= nearest,
                      f"residual {residual:.3g}, distance {nearest:.3g}")
        if converged:
            account.compare("residual", residual, 0, tolerance(case) * spread(case) + small)
    if converged:
        limit = tolerance(case) * spread(case)
        account.compare("energy", energy, s.energies[0], 2 * min(limit, limit**2 / s.gap()) + small)
    return converged


def unknown_names(case, account, values, known):
    for name in values:
        if name not in known and name not in NEVER_COMPARED:
            account.fail(f"'{name}' has no oracle")


def geometry(case, account, values):
    """Positions and wave vectors."""
    cluster = case.cluster
    expected = {}
    if cluster.torus:
        r, k = cluster.positions(), np.array([cluster.wave_vector(m) for m in wave_numbers(case)])
        expected = {"site-x": r[:, 0], "site-y": r[:, 1], "wave-vector-x": k[:, 0], "wave-vector-y": k[:, 1]}
    for name, exact in expected.items():
        if name in values:
            account.compare(name, values[name], exact, 1e-9)
        elif NEW:
            account.fail(f"'{name}' is missing")
    return set(expected)


def wave_numbers(case):
    return getattr(case, "momenta", None) or case.cluster.numbers()


# ---------------------------------------------------------------- states


def random_states(case):
    rng, job = case.rng, case.job
    case.states = 1 if rng.random() < (0.8 if case.tiny else 0.5) else rng.randint(2, 8)
    case.vectors = rng.random() > 0.1
    case.density_matrix = False
    case.searched = True
    if case.states == 1:
        case.density_matrix = case.vectors and rng.random() < 0.35
        if NEW and rng.random() < 0.1:
            case.searched = False
            job.set("run.degeneracy", "no")
    else:
        job.set("run.states", case.states)
        if rng.random() < 0.5:
            block = rng.randint(1, 5)
            job.set("run.block", block)
            if rng.random() < 0.3:
                job.set("run.basis", case.states + 2 * block + 2 + rng.randint(0, 20))
        job.set("run.max-steps", 2000)
    if not case.vectors:
        job.set("run.vectors", "no")
    if case.density_matrix:
        job.set("run.density-matrix", "yes")
    if rng.random() < 0.2:
        job.set("run.tolerance", rng.choice(("1e-6", "1e-8", "1e-11", "1e-12") if not case.single else ("1e-4", "1e-5")))
    case.unconverged = rng.random() < 0.07
    if case.unconverged:
        job.set("run.max-steps", rng.randint(1, 30))
        job.set("run.allow-unconverged", "yes")


def check_states(case, account, options):
    random_states(case)
    case.states = min(case.states, case.solution.sector.dimension)
    outcome = launch(case, account, options, vectors=case.states == 1 and case.vectors)
    if outcome is None:
        return refused(case, account, False, ())
    values = outcome.values
    true_residual(case, account, outcome)
    s, small = case.solution, rounding(case) * case.solution.scale
    known = geometry(case, account, values) if case.vectors or values.keys() & {"site-x"} else set()
    known |= {"energy", "residual", "degeneracy"}
    if "energy" in outcome.series and len(outcome.series["energy"]):
        account.claim("no step's energy below the ground state", outcome.series["energy"].min() >= s.energies[0] - 10 * small,
                      f"{outcome.series['energy'].min():.12g} < {s.energies[0]:.12g}")
    several = "energies" in values
    converged = several_states(case, account, values) if several else lowest_pair(case, account, values)
    if several:
        known |= {"energies", "residuals", "next-energy"} | {f"energy-{i}" for i in range(1, case.states)}
    if not converged and case.vectors and not case.unconverged:
        account.fail("exit code 0 without convergence")
    if not case.vectors and not several:
        estimate_only(case, account, values)
    if case.tiny and case.states == 1 and case.vectors:
        other_starts(case, account, options)
    multiplicity = s.multiplicity()
    unclear = ambiguous(case)
    if converged and not unclear:
        degeneracy(case, account, values, several, multiplicity)
    exact = observables.correlations(s, multiplicity, case.separate, case.density_matrix)
    present = values.keys() & exact.keys()
    unknown_names(case, account, values, known | exact.keys())
    if not converged or unclear or not case.vectors:
        return None
    hidden = multiplicity > case.states or (multiplicity > 1 and case.states == 1)
    if hidden and case.searched:
        account.claim("correlations of one of several ground states are not told", not present, str(sorted(present)))
        return None
    if hidden or multiplicity == case.states > 1 and not present:
        return None
    residual = values["residual"][0]
    bound = 4 * s.sector.sites * (2 * residual / s.gap() + (1e-5 if case.single else 1e-10))
    for name, value in exact.items():
        if name in values:
            account.compare(name, values[name], value, bound)
        else:
            account.fail(f"'{name}' is missing")
    return None


def true_residual(case, account, outcome):
    """|H x - E x| of the vector in the checkpoint, by the dense matrix, against what is told of it."""
    parts = [(name, part) for name, part in outcome.vectors.items() if name.startswith("ground-state")]
    if not parts or "residual" not in outcome.values:
        return
    s = case.solution
    x = np.zeros(s.sector.dimension, complex)
    for _, (psi, up, down, sites) in parts:
        if case.species == 2:  # the second species has the upper bits
            strings = up.astype(np.uint64)[:, None] | down.astype(np.uint64)[None, :] << np.uint64(sites)
        else:  # the lower sites are the down string; a product of strings for every number of particles there
            strings = up.astype(np.uint64)[:, None] << np.uint64(sites) | down.astype(np.uint64)[None, :]
        x[s.sector.index(strings.ravel())] = psi.ravel()
    account.compare("norm of the vector", np.linalg.norm(x), 1, 1e-5 if case.single else 1e-11)
    energy = outcome.values["energy"][0]
    account.compare("residual against that of the vector", outcome.values["residual"][0], np.linalg.norm(s.h @ x - energy * x),
                    rounding(case) * s.scale)


def other_starts(case, account, options):
    """The same job from other start vectors: whether a used-up Krylov space is seen depends on rounding."""
    for _ in range(4):
        job = program.Job("lanczos", 1)
        job.keys, job.files = {**case.job.keys, "run.density-matrix": "no"}, case.job.files
        job.set("run.seed", case.rng.randint(1, 10**6))
        outcome = launch(case, account, options, job)
        if outcome is None:
            return refused(case, account, False, ())
        failures = len(account.failures)
        lowest_pair(case, account, outcome.values)
        if len(account.failures) > failures:
            account.failures[-1] += f" (run.seed = {job.keys['run.seed']})"
    return None


def several_states(case, account, values):
    s, small = case.solution, rounding(case) * case.solution.scale
    converged = values["converged"][0] == 1
    found = values["energies"]
    account.claim("energy not below the ground state", found.min() >= s.energies[0] - 10 * small)
    if not converged:
        return False
    exact = s.energies[: case.states]
    account.compare("energies", found, exact, 2 * tolerance(case) * spread(case) + small)
    account.compare("energy", values["energy"], exact[0], 2 * tolerance(case) * spread(case) + small)
    for i in range(1, min(16, case.states)):
        account.compare("energy-i", values[f"energy-{i}"], found[i], 0)
    if case.vectors:
        account.compare("residuals", values["residuals"], 0, 2 * tolerance(case) * spread(case) + small)
        account.compare("residual", values["residual"], values["residuals"].max(), 0)
        for e, r in zip(found, values["residuals"]):
            account.claim("residual is not below the distance to a level", r * (1 + 1e-6) + small >= abs(s.energies - e).min())
    if case.states < s.sector.dimension and "next-energy" in values:
        account.claim("next energy is above the last state", values["next-energy"][0] >= s.energies[case.states] - 10 * small)
    return True


def estimate_only(case, account, values):
    """Without the second pass the Ritz value is an upper bound, and no more is claimed."""
    if NEW:
        account.claim("no convergence is claimed without a vector", values.get("converged", [0])[0] == 0 or "residual" in values)
    if case.unconverged:
        return
    s, limit = case.solution, tolerance(case) * spread(case)
    account.compare("energy estimate", values["energy"], s.energies[0], max(limit, 1e-6 * s.scale))


def degeneracy(case, account, values, several, multiplicity):
    if several:
        account.compare("degeneracy", values["degeneracy"], min(multiplicity, case.states), 0)
    elif "degeneracy" in values and np.isfinite(values["degeneracy"][0]):
        account.claim("degeneracy of one state", (values["degeneracy"][0] > 1) == (multiplicity > 1) and values["degeneracy"][0] <= multiplicity,
                      f"{values['degeneracy'][0]} of {multiplicity}")
    elif NEW and case.searched and case.vectors:
        account.fail("'degeneracy' is missing")


# ---------------------------------------------------------------- spectrum


def random_spectrum(case):
    rng, job, s = case.rng, case.job, case.solution
    operators = ["density", "spin"]
    if case.species == 2:
        operators += ["removal"] * 2 * (case.filling[1] > 0) + ["addition"] * 2 * (case.filling[1] < case.cluster.sites)
    case.operator = rng.choice(operators)
    job.set("spectrum.operator", case.operator)
    case.width = number(rng, 0.05, 0.5)
    case.omega = sorted(number(rng, -1, 12) for _ in range(rng.randint(1, 12)))
    job.set("spectrum.omega", case.omega)
    job.set("spectrum.broadening", case.width)
    job.set("spectrum.steps", 2 * MOST_OF_SPECTRA)
    if rng.random() < 0.4 or case.solution.sector.dimension > 60:
        case.momenta = [tuple(rng.randint(-2, 8) for _ in case.cluster.torus) for _ in range(rng.randint(1, 4))]
        case.momenta = list(dict.fromkeys(case.momenta))
        job.set("spectrum.momenta", [i for m in case.momenta for i in m])
    case.states, multiplicity = 1, s.multiplicity()
    if NEW and (rng.random() < 0.7 if multiplicity > 1 else rng.random() < 0.2):
        case.states = min(multiplicity + rng.randint(0, 2), s.sector.dimension)
        if case.states > 1:
            job.set("run.states", case.states)
            job.set("run.max-steps", 2000)


def number(rng, low, high):
    return round(rng.uniform(low, high), 3)


def check_spectrum(case, account, options):
    random_spectrum(case)
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
    known = geometry(case, account, values) | {"energy", "residual", "energies", "residuals", "degeneracy", "next-energy"}
    known |= {f"energy-{i}" for i in range(1, case.states)}
    omega = np.array(case.omega)
    account.compare("omega", outcome.series["omega"], omega, 1e-12)
    columns = {"omega"}
    for group in observables.groups(case.cluster, case.separate):
        strengths = [lehmann.strengths(m, group) for m in wave_numbers(case)]
        weight = np.array([x.sum() for x in strengths])
        scale = case.cluster.sites * residual * 4 + 1e-9
        account.compare("weight" + group[0][:11], values["weight" + group[0]], weight, scale * (1 + weight.max()))
        known.add("weight" + group[0])
        for m, strength in zip(wave_numbers(case), strengths):
            name = "momentum-" + "-".join(map(str, m)) + group[0]
            columns.add(name)
            if name not in outcome.series:
                account.fail(f"column '{name}' is missing")
                continue
            exact = lehmann.intensity(strength, omega, case.width)
            bound = (scale + (1e-4 if case.single else 1e-8)) * (1 + weight.max()) / case.width**2
            account.compare("intensity", outcome.series[name], exact, bound)
    for name in outcome.series.keys() - columns:
        account.fail(f"column '{name}' has no oracle")
    unknown_names(case, account, values, known)
    if case.operator in ("removal", "addition"):
        sum_rules(case, account, options, values)
    return None


def sum_rules(case, account, options, values):
    """{A_k, A_k^+} = 1 from two runs; the removal of all k takes out every particle."""
    sites, cells = case.cluster.sites, case.cluster.sites // case.cluster.basis
    down = case.filling[1]
    every = "momenta" not in case.__dict__
    bound = 1e-4 * sites if case.single else 1e-7
    groups = observables.groups(case.cluster, case.separate)
    if every and (case.separate or case.cluster.basis == 1) and case.cell.kind != "chain":
        total = sum(values["weight" + group[0]].sum() for group in groups)
        account.compare("sum of all weights", total, down if case.operator == "removal" else sites - down, bound * cells)
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


# ---------------------------------------------------------------- thermal


def check_thermal(case, account, options):
    rng, job, s = case.rng, case.job, case.solution
    # at low temperatures few levels count: the error of so few samples is itself uncertain
    samples = rng.randint(100, 150) if s.sector.dimension < 100 else rng.randint(40, 60)
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
    account.claim("energy not below the ground state", values["energy"].min() >= s.energies[0] - 10 * rounding(case) * s.scale,
                  f"{values['energy'].min():.12g} < {s.energies[0]:.12g}")
    reduced = s.scale / np.array(temperatures)
    for name, right, slope in zip(("energy", "specific-heat", "entropy"), exact, (s.scale + 0 * reduced, 1 + reduced**2, 1 + reduced)):
        error = errors.get(name)
        if error is None or len(error) != len(right):
            account.fail(f"'{name}' has no errors")
            continue
        told = np.where(np.isfinite(error), error, 0)
        if not NEW:
            account.claim("errors are numbers", np.isfinite(error).all())
        account.note(f"thermal: errors that are no number: {int(np.sum(~np.isfinite(error)))}")
        account.claim(name + "-error is not absurd", (told <= slope).all(), str(told))
        finite = np.isfinite(error)
        account.compare(name, values[name][finite], right[finite], (5 * told + small * slope)[finite])
        pulls = [(v - r) / e for v, r, e, b in zip(values[name], right, told, small * slope) if e > 10 * b / 5 + 1e-12]
        account.pulls[name] += pulls
    known = {"energy", "specific-heat", "entropy", "temperature"} | {n for n in values if "step" in n}
    unknown_names(case, account, values, known | geometry_names())
    return None


def geometry_names():
    return {"site-x", "site-y", "wave-vector-x", "wave-vector-y"}


# ---------------------------------------------------------------- evolution


def check_evolution(case, account, options):
    rng, job, s = case.rng, case.job, case.solution
    sites, bits = case.cluster.sites, []
    for species, name in enumerate(("up", "down")[: case.species]):
        occupied = sorted(rng.sample(range(sites), case.filling[species]))
        if occupied:
            job.set("evolution." + name, occupied)
        bits += [species * sites + i for i in occupied]
    step = rng.choice((number(rng, 0.01, 0.5), number(rng, 0.01, 0.5), number(rng, 0.5, 3), number(rng, 3, 20)))
    steps = rng.randint(1, 6)
    job.set("evolution.step", step)
    job.set("evolution.steps", steps)
    if rng.random() < 0.7:
        job.set("evolution.krylov", rng.randint(6, 32))
    outcome = launch(case, account, options)
    if outcome is None:
        return refused(case, account, False, ())
    times = step * np.arange(steps + 1)
    exact = observables.motion(s, s.sector.string(*bits), times)
    unknown = outcome.series.keys() - exact.keys()
    if unknown:
        account.fail(f"columns {sorted(unknown)} have no oracle")
    pieces = 1 + s.scale * times[-1]
    bound = (1e-6 if case.single else 2e-11) * pieces + 1e-10
    for name, values in exact.items():
        if name not in outcome.series:
            account.fail(f"column '{name}' is missing")
            continue
        family = name.rstrip("0123456789")
        account.compare(family, outcome.series[name], values, bound * (s.scale if name == "energy" else 1))
        if name in outcome.values:
            account.compare(family + " in the last row", outcome.values[name], outcome.series[name][-1], 0)
    unknown_names(case, account, outcome.values, set(exact) | geometry_names())
    return None


CHECKS = {"states": check_states, "spectrum": check_spectrum, "thermal": check_thermal, "evolution": check_evolution}
