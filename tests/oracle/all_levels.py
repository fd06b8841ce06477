# SPDX-License-Identifier: BSD-3-Clause
"""All levels (run.task = levels, thermal.method = all-levels) and sums over all numbers that H conserves, against
eigenvalues of dense matrices: averages are sums over all states with the numbers of each."""

import math

import numpy as np
import scipy.sparse

import program


def averages(levels, particles, spin, t, mu, sites):
    """Averages in the ensemble exp(-(H - mu N) / T), by name; `particles` and `spin` are those of every level, or
    None."""
    n = 0 * levels if particles is None else particles
    exponents = -(levels - mu * n) / t
    p = np.exp(exponents - exponents.max())
    log_z = math.log(p.sum()) + exponents.max()
    p /= p.sum()

    def variance(x):
        return p @ (x - p @ x) ** 2
    k = levels - mu * n
    found = {"energy": p @ levels, "specific-heat": variance(k) / t ** 2 / sites,
             "entropy": (log_z + p @ k / t) / sites}
    if particles is not None:
        found |= {"particles": p @ n, "compressibility": variance(n) / t / sites}
    if spin is not None:
        found |= {"total-sz": p @ spin, "spin-susceptibility": variance(spin) / t / sites}
    return found


def spacing_ratios(levels, share):
    """Sum and number of the ratios of neighbouring spacings of the central levels, those of degenerate ones as 0; and
    whether all spacings are far from what counts as rounding."""
    out = math.floor((1 - share) / 2 * len(levels))
    s = np.diff(levels[out:len(levels) - out])
    scale = max(abs(levels[0]), abs(levels[-1]), levels[-1] - levels[0])
    clear = not ((s > 1e-13 * scale) & (s < 1e-9 * scale)).any()
    s[s <= 1e-9 * scale] = 0
    least, most = np.minimum(s[:-1], s[1:]), np.maximum(s[:-1], s[1:])
    return (least[most > 0] / most[most > 0]).sum(), int((most > 0).sum()), clear


def compare_list(account, outcome, levels, sectors, share):
    """The result of the task levels: `sectors` are the levels of those that are computed, or None."""
    scale = 1 + abs(levels).max()
    account.claim("number of levels", outcome.values["states"] == len(levels),
                  f"{outcome.values['states']} of {len(levels)}")
    account.compare("all levels", np.atleast_1d(outcome.values["levels"]), np.sort(levels), 1e-10 * scale)
    account.compare("lowest level", outcome.values["energy"], levels.min(), 1e-10 * scale)
    if sectors is None:
        return
    found = [spacing_ratios(np.sort(s), share) for s in sectors]
    if not all(clear for _, _, clear in found):
        return
    count = sum(n for _, n, _ in found)
    account.claim("number of spacing ratios", outcome.values["gap-ratio-count"] == count,
                  f"{outcome.values['gap-ratio-count']} of {count}")
    # two spacings of small sectors may be equal but for rounding, or nearly 0
    if count:
        account.compare("ratios of spacings", outcome.values["gap-ratio"], sum(r for r, _, _ in found) / count, 1e-6)


def compare_averages(account, outcome, temperatures, exact, sigmas):
    """`exact`: averages by name for each temperature; sigmas 0: without statistical errors."""
    for name in exact[0]:
        for k, t in enumerate(temperatures):
            value, error = (np.atleast_1d(x)[k] for x in (outcome.values[name], outcome.errors[name]))
            scale = 1 + abs(exact[k][name])
            if np.isfinite(error):
                account.compare(f"{name} of {'samples' if sigmas else 'all levels'}", value, exact[k][name],
                                sigmas * error + (1e-8 if sigmas else 1e-9) * scale)
                account.claim(f"the error of {name} is not absurd",
                              error <= (3 * scale * (1 + 30 / t ** 2) if sigmas else 1e-8 * scale * (1 + 1 / t ** 2)),
                              f"{error} at T = {t}")
            else:
                account.note("averages without errors")


def temperatures_of(rng, levels):
    width = max(0.1, levels.max() - levels.min())
    return [round(width * x, 4) for x in sorted(rng.choice((0.02, 0.1, 0.3, 1, 3)) for _ in range(2))]


def check_levels(case, account, options):
    """In a sector of lanczos_oracle, and with the levels of all momenta."""
    rng, job, s = case.rng, case.job, case.solution
    momenta = job.keys.get("sector.momentum") == "all"
    thermal = rng.random() < 0.4
    share = rng.choice((1, 1, 0.5))
    temperatures = temperatures_of(rng, s.energies)
    if thermal:
        job.update({"run.task": "thermal", "thermal.method": "all-levels", "thermal.temperatures": temperatures})
    else:
        job.set("levels.share", share)
    outcome = program.launch(job, options)
    if outcome.code != 0:
        return account.fail(f"exit code {outcome.code}: {outcome.sentence()}")
    if thermal:
        exact = [averages(s.energies, None, None, t, 0, case.cluster.sites) for t in temperatures]
        return compare_averages(account, outcome, temperatures, exact, 0)
    return compare_list(account, outcome, s.energies, None if momenta else [s.energies], share)


def numbers_of(case):
    """Particles and S^z of all states, None where H does not conserve them."""
    up, down = (case.numbers[0], case.numbers[1]) if case.kind in ("electrons", "t-j") else (case.numbers[0], None)
    if down is None:
        if not case.conserves(up):
            return None, None
        return (None, up - case.sites * case.twice / 2) if case.twice else (up, None)
    return (up + down if case.conserves(up + down) else None, (up - down) / 2 if case.conserves(up - down) else None)


def compare_lowest(account, job, lowest, particles, spin):
    """The lowest state of every sector; `lowest` by particles and S^z."""
    job.update({"run.tolerance": "1e-10", "run.max-steps": 2000})
    outcome = program.run(job, steps=3, ends=True)
    if outcome.code != 0:
        return account.fail(f"ended with {outcome.code}: {outcome.said}")
    values = {name: np.atleast_1d(value) for name, value in outcome.values.items()}
    energies = values["sector-energies"]
    n, sz = values.get("sector-particles"), values.get("sector-sz")
    if "sector-up" in values:
        n = values["sector-up"] + values.get("sector-down", 0)
        if "sector-down" in values:
            sz = (values["sector-up"] - values["sector-down"]) / 2
    scale = 1 + max(map(abs, lowest.values()))
    account.compare("lowest of all sectors", outcome.values["energy"], min(lowest.values()), 1e-8 * scale)
    if not particles and not spin or (particles and n is None) or (spin and sz is None):
        return account.note("sectors without numbers")
    found = {(n[k] if particles else 0, sz[k] if spin else 0): energies[k] for k in range(len(energies))}
    account.claim("every sector has a level", sorted(found) == sorted(lowest), f"{sorted(found)} {sorted(lowest)}")
    for label, energy in found.items():
        account.compare("lowest levels of sectors", energy, lowest.get(label, np.nan), 1e-8 * scale)
    return None


def compare_all_numbers(case, account, job, states, options):
    """The sectors of all numbers of a case of products_oracle, or one sector by all levels."""
    rng = case.rng
    everything = rng.random() < 0.7
    if everything:
        for key in ("sector.up", "sector.down", "sector.sz", "sector.particles", "sector.number-parity"):
            job.keys.pop(key, None)
        job.set("sector.numbers", "all")
        states = case.project(np.ones(case.space.dimension, bool))
    particles, spin = numbers_of(case) if everything else (None, None)
    labels = np.array([0 * states if n is None else n for n in (particles, spin)])
    levels, found = np.array([]), np.zeros((2, 0))  # sector by sector, so that every level has its numbers
    lowest = {}
    for label in sorted(set(map(tuple, labels.T[states]))):
        members = np.flatnonzero(states & (labels.T == label).all(axis=1))
        levels = np.append(levels, np.linalg.eigvalsh(case.h[np.ix_(members, members)]))
        lowest[label] = levels[-len(members)]
        found = np.append(found, np.outer(label, np.ones(len(members))), axis=1)
    particles = None if particles is None else found[0]
    spin = None if spin is None else found[1]
    if everything and rng.random() < 0.25:
        return compare_lowest(account, job, lowest, particles is not None, spin is not None)
    if rng.random() < 0.3:
        job.set("run.task", "levels")
        outcome = program.run(job, steps=rng.randint(1, 3) if everything and rng.random() < 0.3 else 0, ends=True)
        if outcome.code != 0:
            return account.fail(f"ended with {outcome.code}: {outcome.said}")
        return compare_list(account, outcome, levels, None if everything else [levels], 1)
    exact = rng.random() < 0.6 or not everything
    temperatures = temperatures_of(rng, levels)
    mu = 0
    job.update({"run.task": "thermal", "thermal.temperatures": temperatures})
    if exact:
        job.set("thermal.method", "all-levels")
    else:
        job.update({"thermal.samples": 40, "thermal.steps": 60, "run.seed": rng.randint(1, 99)})
    if particles is not None and rng.random() < 0.7:
        mu = round(rng.uniform(-2, 2), 3)
        job.set("thermal.chemical-potential", mu)
    outcome = program.run(job, steps=rng.randint(1, 3) if everything and rng.random() < 0.3 else 0, ends=True)
    if outcome.code == 2 and case.kind == "t-j" and "no number of particles is conserved" in outcome.said:
        return account.note("refused: terms that are 0 on sites of one electron")
    if outcome.code != 0:
        return account.fail(f"ended with {outcome.code}: {outcome.said}")
    right = [averages(levels, particles, spin, t, mu, case.sites) for t in temperatures]
    return compare_averages(account, outcome, temperatures, right, 0 if exact else 6)


def compare_total_spins(case, account, found, keys, states, levels):
    """The numbers of levels of each energy and spin, by the eigenvalues of H + x S^2, where the two commute."""
    if case.kind not in ("t-j", "electrons") and not case.twice:
        return account.claim("no total spins", "level-total-spin" not in found)
    if "sector.numbers" not in keys or not all(map(case.conserves, case.numbers)):
        return account.claim("no total spins", "level-total-spin" not in found)
    s = [sum(case.space.sparse(f"1 S{axis} {i}") for i in range(case.sites)) for axis in "xyz"]
    h, kept = scipy.sparse.csr_matrix(case.h), scipy.sparse.diags(case.allowed().astype(float))
    raising = kept @ (s[0] + 1j * s[1]) @ kept
    if abs(raising @ h - h @ raising).max() > 1e-10 * (1 + abs(h).max()):
        return account.claim("no total spins", "level-total-spin" not in found)
    if case.kind == "t-j" and "level-total-spin" not in found:
        return account.note("terms that the projection removes")
    account.note("total spins")
    squared = sum(a @ a for a in s).toarray()[np.ix_(states, states)].real
    factor = 1.7320508 * (1 + abs(levels).max())
    exact = np.linalg.eigvalsh(case.h[np.ix_(states, states)] + factor * squared)
    spin = found["level-total-spin"]
    mine = np.sort(found["levels"] + factor * spin * (spin + 1))
    return account.compare("levels with their total spins", mine, exact, 1e-7 * (1 + abs(exact).max()))
