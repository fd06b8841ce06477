# SPDX-License-Identifier: BSD-3-Clause
"""run.task = states: its random keys, and what must be true of the result."""

import math
import random
import re

import numpy as np

import checks
import observables
import program
from dense import Solution
from checks import ambiguous, geometry, launch, lowest_pair, refused, rounding, spread, tolerance, unknown_names


def random_states(case):
    rng, job = case.rng, case.job
    case.states = 1 if rng.random() < (0.8 if case.tiny else 0.5) else rng.randint(2, 8)
    case.vectors = rng.random() > 0.1
    case.density_matrix = False
    case.searched = True
    if case.states == 1:
        case.density_matrix = case.vectors and rng.random() < 0.35
        if rng.random() < 0.1:
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
        job.set("run.tolerance",
                rng.choice(("1e-6", "1e-8", "1e-11", "1e-12") if not case.single else ("1e-4", "1e-5")))
    case.certified = draw_certified(case)
    case.unconverged = rng.random() < 0.07
    if case.unconverged:
        job.set("run.max-steps", rng.randint(1, 30))
        job.set("run.allow-unconverged", "yes")


def draw_certified(case):
    """Whether the energy is to be certified, which needs one state, its vector and the search beyond it."""
    job = case.job
    if job.keys.get("backend.exchange") == "transpose" or case.states > 1 or not (case.vectors and case.searched):
        return False
    rng = random.Random(f"certified {sorted(job.keys.items(), key=str)}")
    if rng.random() < 0.8:
        return False
    case.single = True
    job.set("backend.precision", "certified")
    job.keys.pop("run.tolerance", None)
    if rng.random() < 0.5:
        job.set("run.tolerance", rng.choice(("1e-5", "1e-5", "1e-7", "1e-10")))
    return True


def may_be_uncertain(case):
    """A certified energy may end with 5 where levels are near, and where a small error is asked for."""
    small = float(case.job.keys.get("run.tolerance", 1e-9)) < 1e-9
    return case.certified and (case.solution.multiplicity(1e-3) > 1 or small)


def certified_energy(case, account, outcome):
    """The energy and the residual are those of the stored vector to the digits of double precision; a level lies within
    the bound, the lowest one within the error."""
    s, values = case.solution, outcome.values
    energy, bound, error = (values[name][0] for name in ("energy", "energy-bound", "energy-error"))
    account.note("states: certified energies" + (", one spin component" if case.species == 1 else "") +
                 (", symmetric" if case.symmetric else ""))
    x = stored_vector(case, outcome)
    x = s.states @ (s.states.conj().T @ x)
    norm, small = np.vdot(x, x).real, 2e-14 * (s.scale + abs(energy))
    h_x = s.h @ x
    account.compare("certified energy against the quotient of the vector", energy, np.vdot(x, h_x).real / norm,
                    small + 1e-14)
    residual = np.linalg.norm(h_x - energy * x) / math.sqrt(norm)
    # vectors of sectors are unfolded in single precision, which the energy feels in second order
    unfolded = 3e-7 * s.scale if case.symmetric else 0
    account.compare("certified residual against that of the vector", values["residual"][0], residual,
                    50 * small + 1e-13 + unfolded)
    account.claim("a bound above the residual", bound >= max(values["residual"][0], residual - small - unfolded))
    account.claim("rounding in the bound", bound <= 1.0001 * values["residual"][0] + 1e-11 * (1 + s.scale),
                  f"{bound:.3g}")
    account.claim("a level within the bound", abs(s.energies - energy).min() <= bound + small)
    account.claim("the lowest level within the error", abs(energy - s.energies[0]) <= error + small,
                  f"{energy - s.energies[0]:.3g} with {error:.3g}")
    if s.multiplicity(1e-5) == 1 and s.dimension > 1:
        account.claim("an error below the bound", error <= bound, f"{error:.3g}, {bound:.3g}")


def check_wide_scales(case, account, options):
    """A large interaction or a large site energy that is the same everywhere: low levels are nearer than the tolerance,
    which is relative to the largest energy. What is said of them must be so, from any start vector."""
    rng, job, model, sites = case.rng, case.job, case.model, case.cluster.sites
    for key in ("backend.precision", "model.potential", "model.field"):
        job.keys.pop(key, None)
    large = rng.random() < 0.8
    if large:
        size = float(10 ** rng.uniform(2, 8.5))
        job.set("model.u", size)
        model.u = [size] * sites
    constant = 0.0 if large else rng.choice((-1, 1)) * float(10 ** rng.uniform(5, 9))
    job.set("model.field" if case.spins else "model.potential", constant)
    model.energies = [0.0] * sites
    s = Solution(model, case.filling)
    count = min(rng.choice((1, 2, 2, 3, 4, 6)), s.dimension)
    job.set("run.states", count)
    job.set("run.max-steps", 2000)
    if count > 1 and rng.random() < 0.3:
        job.set("run.block", rng.randint(2, 3))
    if rng.random() < 0.2:
        job.set("run.tolerance", rng.choice(("1e-7", "1e-8", "1e-11")))
    account.note("states: wide scales" + (", large interaction" if large else ", large constant"))
    if large and count > 1 and s.multiplicity(1e-14) > 1:
        account.note("states: wide scales, several states of a large interaction with a degenerate lowest level")
    for _ in range(3):
        outcome = launch(case, account, options)
        if outcome is None:
            return refused(case, account, large, ("There is a state at",))
        failures = len(account.failures)
        if "Whether the ground state is degenerate is not known" in outcome.said:
            account.note("states: wide scales, search beyond the ground state not ended")
        else:
            wide_levels(case, account, outcome.values, s, large, constant * sum(case.filling))
        if len(account.failures) > failures:
            account.failures[-1] += f" (run.seed = {job.keys['run.seed']})"
        job.set("run.seed", rng.randint(1, 10**6))
    return None


def wide_levels(case, account, values, s, large, shift):
    count, small = int(case.job.keys["run.states"]), 1e-12 * s.scale + 4e-16 * abs(shift)
    energies = values.get("energies", values["energy"]) - shift
    residuals = values.get("residuals", values.get("residual", [0]))
    account.compare("energies of wide scales", abs(energies[:, None] - s.energies[None, :]).min(axis=1), 0,
                    residuals + 10 * small)
    if "next-energy" in values:
        account.claim("next energy is not below the energy", values["next-energy"][0] - values["energy"][0] >= -small)
    told = values.get("degeneracy-at-least", values.get("degeneracy", [np.nan]))[0]
    complete = "degeneracy-at-least" not in values
    above = s.energies - s.energies[0]
    fewest = int(np.sum(above <= (1e-14 * s.scale if large else 1e-9 * s.scale)))
    if not np.isfinite(told):
        account.note("states: wide scales that are said to be unresolved")
        account.claim("without a degeneracy no averages", "occupation-up" not in values)
        coarse, fine = (1e-5, 1e-8) if count == 1 else (1e-6, 2e-11)
        nearest = above[fewest] if fewest < s.dimension else np.inf
        account.claim("levels that are said to be unresolved are so", least_hop(case) < 2 * coarse * s.scale or
                      nearest < max(fine * s.scale, 20 * max(residuals)),
                      f"hop {least_hop(case):.3g}, distance {nearest:.3g}")
        return
    account.compare("lowest energies of wide scales", energies, s.energies[:count], max(residuals) + 10 * small)
    rough = (1e-10 if count == 1 else 1e-13) * s.scale + 0.02 * max(residuals) if large else 1e-9 * s.scale
    most, limit = int(np.sum(above <= rough)), max(count, 2)
    account.claim("degeneracy of wide scales", min(fewest, limit) <= told <= min(most, limit) and
                  (not complete or told >= fewest), f"{told:.0f} of {fewest} to {most}")
    if told == fewest and "occupation-up" in values:
        p = np.mean(abs(s.states[:, :fewest]) ** 2, axis=1)
        gap = above[fewest] if fewest < s.dimension else np.inf
        account.compare("occupations of wide scales", values["occupation-up"], p @ s.sector.occupations()[0],
                        1e-8 + 4 * max(residuals) / gap + 100 * small / gap)


def least_hop(case):
    """The smallest amplitude between two sites that is not 0; infinite where nothing hops."""
    hops = {}
    for e in case.cluster.edges:
        for key, amplitude in (((e.start, e.end), e.amplitude), ((e.end, e.start), np.conj(e.amplitude))):
            hops[key] = hops.get(key, 0) + amplitude
    sizes = [abs(a) for a in hops.values()]
    return min((a for a in sizes if a > 1e-12 * max(sizes)), default=np.inf)


def check_states(case, account, options):
    random_states(case)
    if case.symmetric:
        account.note("states: sectors of lattice symmetries" + (", one spin component" if case.species == 1 else ""))
        if {"sector.rotation", "sector.reflection"} & case.job.keys.keys():
            account.note("states: sectors of rotations or reflections")
    case.states = min(case.states, case.solution.dimension)
    outcome = launch(case, account, options, vectors=case.states == 1 and case.vectors)
    if outcome is None:
        return refused(case, account, may_be_uncertain(case), ("The energy is known to",))
    values = outcome.values
    true_residual(case, account, outcome)
    if case.certified and "residual" in values:
        certified_energy(case, account, outcome)
    s, small = case.solution, rounding(case) * case.solution.scale
    told = any(name.startswith("occupation") for name in values)
    known = geometry(case, account, values) if told else set()
    known |= {"energy", "residual", "degeneracy", "degeneracy-at-least", "next-energy", "residual-estimates",
              "energy-bound", "energy-error"}
    if "energy" in outcome.series and len(outcome.series["energy"]):
        account.claim("no step's energy below the ground state",
                      outcome.series["energy"].min() >= s.energies[0] - 10 * small,
                      f"{outcome.series['energy'].min():.12g} < {s.energies[0]:.12g}")
    several = "energies" in values
    converged = several_states(case, account, values) if several else lowest_pair(case, account, values)
    if several:
        known |= {"energies", "residuals"} | {f"energy-{i}" for i in range(1, case.states)}
    if not converged and case.vectors and not case.unconverged:
        account.fail("exit code 0 without convergence")
    if not case.vectors:
        estimate_only(case, account, values)
    if case.tiny and case.states == 1 and case.vectors:
        other_starts(case, account, options)
    multiplicity = s.multiplicity()
    unclear = ambiguous(case)
    if converged and not unclear:
        degeneracy(case, account, values, several, multiplicity)
    exact = observables.correlations(s, multiplicity, case.separate, case.density_matrix)
    present = values.keys() & exact.keys()
    for name in values:  # a sum rule belongs to a quantity, or to that of every sublattice
        parts = [exact[n]
                 for n in exact if name.endswith("-sum") and re.fullmatch(name[:-4] + "(-sublattice-[0-9]+)?", n)]
        if parts:
            known |= checks.sum_over(case, account, outcome, name[:-4], sum(part.sum() for part in parts),
                                     sum_bound(case, s))
    if "density-sum" in values:
        known |= checks.sum_over(case, account, outcome, "density", sum(case.filling[: case.species]),
                                 sum_bound(case, s))
    unknown_names(case, account, values, known | exact.keys())
    if not converged or unclear or not case.vectors:
        return None
    if not several and "next-energy" in values and np.isfinite(values["next-energy"][0]):
        account.claim("next energy is above the next state", values["next-energy"][0] >= s.energies[1] - 10 * small)
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


def sum_bound(case, s):
    """Sums of as many terms as wave vectors times sites; averages of nearly degenerate states differ by more."""
    return s.sector.sites**2 * (1e-4 if case.single else 1e-6)


def stored_vector(case, outcome):
    """The ground state in the checkpoint, over the bit strings of the dense matrix."""
    x = np.zeros(case.solution.sector.dimension, complex)
    for name, (psi, up, down, sites) in outcome.vectors.items():
        if not name.startswith("ground-state"):
            continue
        if case.species == 2:  # the second species has the upper bits
            strings = up.astype(np.uint64)[:, None] | down.astype(np.uint64)[None, :] << np.uint64(sites)
        else:  # the lower sites are the down string; a product of strings for every number of particles there
            strings = up.astype(np.uint64)[:, None] << np.uint64(sites) | down.astype(np.uint64)[None, :]
        x[case.solution.sector.index(strings.ravel())] = psi.ravel()
    return x


def true_residual(case, account, outcome):
    """|H x - E x| of the vector in the checkpoint, by the dense matrix, against what is told of it."""
    if not any(name.startswith("ground-state") for name in outcome.vectors) or "residual" not in outcome.values:
        return
    s = case.solution
    x = stored_vector(case, outcome)
    account.compare("norm of the vector", np.linalg.norm(x), 1, 1e-5 if case.single else 1e-11)
    if case.symmetric:  # all eigenstates of the sector
        account.compare("part outside of the sector", np.linalg.norm(x - s.states @ (s.states.conj().T @ x)), 0,
                        1e-5 if case.single else 1e-9)
        account.note("states: vectors of sectors unfolded")
    energy = outcome.values["energy"][0]
    account.compare("residual against that of the vector", outcome.values["residual"][0],
                    np.linalg.norm(s.h @ x - energy * x), rounding(case) * s.scale)


def other_starts(case, account, options):
    """The same job from other start vectors: whether a used-up Krylov space is seen depends on rounding."""
    for _ in range(4):
        job = program.Job("lanczos", 1)
        job.keys = {key: value for key, value in case.job.keys.items() if key != "run.density-matrix"}
        job.files = case.job.files
        job.set("run.seed", case.rng.randint(1, 10**6))
        outcome = launch(case, account, options, job)
        if outcome is None:
            return refused(case, account, may_be_uncertain(case), ("The energy is known to",))
        failures = len(account.failures)
        lowest_pair(case, account, outcome.values)
        if len(account.failures) > failures:
            account.failures[-1] += f" (run.seed = {job.keys['run.seed']})"
    return None


def several_states(case, account, values):
    s, small = case.solution, rounding(case) * case.solution.scale
    converged = values.get("converged", [0])[0] == 1
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
            account.claim("residual is not below the distance to a level",
                          r * (1 + 1e-6) + small >= abs(s.energies - e).min())
    if case.states < s.dimension and "next-energy" in values:
        account.claim("next energy is above the last state",
                      values["next-energy"][0] >= s.energies[case.states] - 10 * small)
    return True


def estimate_only(case, account, values):
    """Without the second pass the Ritz value is an upper bound, and no more is claimed."""
    account.claim("no convergence is claimed without a vector", values.get("converged", [0])[0] == 0)
    if case.unconverged:
        return
    s, limit = case.solution, tolerance(case) * spread(case)
    account.compare("energy estimate", values["energy"], s.energies[0], max(limit, 1e-6 * s.scale))


def degeneracy(case, account, values, several, multiplicity):
    """A number that is called the degeneracy is the degeneracy; what is more than was searched has a lower bound."""
    told, least = (values.get(name, [np.nan])[0] for name in ("degeneracy", "degeneracy-at-least"))
    if not several and not (case.searched and case.vectors) and not np.isfinite(told) and not np.isfinite(least):
        return
    most = case.states if several else 1
    if multiplicity <= most:
        account.compare("degeneracy", told, multiplicity, 0)
        account.claim("no lower bound beside a degeneracy", "degeneracy-at-least" not in values)
    else:
        account.claim("no degeneracy where a part of the level is searched", not np.isfinite(told), str(told))
        account.compare("degeneracy-at-least", least, most if several else 2, 0)
