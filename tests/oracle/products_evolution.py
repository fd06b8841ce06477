# SPDX-License-Identifier: BSD-3-Clause
"""run.task = evolution in random jobs of products_oracle.py, from product states and from ground states of other
Hamiltonians, also after an operator; and what all comparisons of these jobs share."""

import itertools
import math

import numpy as np

import observed
import program
from charged_operators import Charged, random_product, target
from lanczos_oracle import number

ELECTRONS = ("electrons", "t-j")


def names_of(case):
    return ("occupation-up", "occupation-down") if case.kind in ELECTRONS else ("occupation",)


def add_observed(case, job):
    """Observables of the user's own in half of the jobs."""
    return observed.Observed(case, job) if case.rng.random() < 0.5 else None


class Cut:
    """run.cut in most of the jobs where it is possible, and the entropies and levels of some of the sites."""

    def __init__(self, case, job):
        rng, n, keys = case.rng, case.sites, job.keys
        self.case, self.sites = case, None
        if n < 2 or rng.random() < 0.15:
            return
        fermions = case.kind in (*ELECTRONS, "fermions")
        if fermions and not any(key in keys for key in ("sector.up", "sector.down", "sector.particles", "sector.sz",
                                                        "sector.number-parity")):
            return  # perhaps without a parity
        self.sites = sorted(rng.sample(range(n), rng.randint(1, n - 1)))
        first = self.sites == list(range(len(self.sites)))
        job.set("run.cut", f"first {len(self.sites)}" if first else self.sites)

    def schmidt_values(self, psi):
        """psi as a matrix between the states of the sites and of the others; fermions of the sites pass those of the
        others on modes before their own."""
        space = self.case.space
        own = np.array([site in self.sites for site, _ in space.modes])
        fermions = space.digits * space.fermions[:, None]
        before = np.cumsum(fermions * ~own[:, None], axis=0)
        sign = (-1.0) ** (before * fermions * own[:, None]).sum(axis=0)
        rows, columns = (np.unique(space.encode(space.digits * side[:, None]), return_inverse=True)[1]
                         for side in (own, ~own))
        matrix = np.zeros((rows.max() + 1, columns.max() + 1), complex)
        matrix[rows, columns] = sign * psi
        return np.linalg.svd(matrix, compute_uv=False) ** 2

    def by_operators(self, psi):
        """The same from expectation values of the operators |a><b| of one site of fermions or electrons."""
        space, site = self.case.space, self.sites[0]
        spins = ("_up", "_dn") if self.case.kind == "electrons" else ("",)
        states = [tuple(s for k, s in enumerate(spins) if n >> k & 1) for n in range(2 ** len(spins))]
        empty = space.matrix(" ".join(["1"] + [f"c{s} {site} cdag{s} {site}" for s in spins]))
        raising = [space.matrix(" ".join(["1"] + [f"cdag{s} {site}" for s in of])) if of else np.eye(len(psi))
                   for of in states]
        rho = [[psi.conj() @ (a @ empty @ b.conj().T) @ psi for b in raising] for a in raising]
        return np.linalg.eigvalsh(np.array(rho))

    def compare(self, account, psi, entropies, levels, bound):
        p = np.sort(self.schmidt_values(psi))[::-1]
        if len(self.sites) == 1 and self.case.kind in ("electrons", "fermions") and len(psi) <= 4096:
            few = np.sort(self.by_operators(psi))[::-1]
            assert abs(p[:len(few)] - few[:len(p)]).max() < 1e-9
        account.compare("entanglement entropy", entropies[0], -sum(x * np.log(x) for x in p if x > 0), 40 * bound)
        account.compare("Renyi entropy", entropies[1], -np.log(sum(p ** 2)), 10 * bound)
        p, levels = (np.append(some, np.zeros(16))[:16] for some in (p, levels))
        account.compare("entanglement spectrum", levels, p, 4 * bound)

    def compare_state(self, account, outcome, psi):
        if self.sites:
            values = outcome.values
            self.compare(account, psi, [values[name][0] for name in ("entanglement-entropy", "renyi-entropy")],
                         values["entanglement-spectrum"], 1e-6)

    def compare_levels(self, account, outcome, levels, states, count):
        """Those of `count` lowest states; nan for states of degenerate levels. states: columns, of all states."""
        if not self.sites:
            return
        entropies, more = (outcome.values[name] for name in ("entanglement-entropy", "renyi-entropy"))
        spectra = outcome.values["entanglement-spectrum"].reshape(count, -1)
        for k in range(count):
            near = min([abs(levels[i] - levels[k]) for i in (k - 1, k + 1) if 0 <= i < len(levels)], default=1)
            if near < 1e-7:
                account.claim("no entanglement of degenerate states", np.all(np.isnan(spectra[k])))
            elif near > 1e-3 and not (k == count - 1 < len(levels) - 1 and np.isnan(entropies[k])):
                self.compare(account, states[:, k], [entropies[k], more[k]], spectra[k], 1e-6)

    def compare_time(self, account, outcome, row, psi, bound):
        if self.sites:
            columns = [name for name in outcome.series if name.startswith("entanglement-spectrum-")]
            columns.sort(key=lambda name: int(name.rpartition("-")[2]))
            entropies, levels = ([outcome.series[name][row] for name in names]
                                 for names in (("entanglement-entropy", "renyi-entropy"), columns))
            self.compare(account, psi, entropies, levels, bound)


def launched(case, job):
    """Some runs end after one step and are resumed, several times."""
    return program.run(job, steps=case.rng.randint(1, 4) if case.rng.random() < 0.2 else 0, ends=True)


def in_all_states(case, states, vectors):
    """Columns of a sector, with zeros elsewhere."""
    whole = np.zeros((case.space.dimension, vectors.shape[1]), complex)
    whole[states] = vectors
    return whole


def random_state(case, job, states):
    """A random product state of the sector, in all states."""
    start = int(case.rng.choice(np.flatnonzero(states)))
    for key, n in zip(("evolution.up", "evolution.down"), case.space.occupations()):
        if n[start].any():
            job.set(key, [i for i, digit in enumerate(n[start]) for _ in range(int(digit))])
    return np.eye(1, case.space.dimension, start)[0]


def initial_ground_state(case, job, states):
    """The lowest levels of h0 in the sector, and its ground state in all states."""
    job.update({"evolution.start": "ground-state", "initial-model.terms": "initial.txt", "run.tolerance": "1e-10",
                "run.max-steps": 2000})
    job.files["initial.txt"] = "\n".join(case.initial_lines) + "\n"
    levels, vectors = np.linalg.eigh(case.h0[np.ix_(states, states)])
    return levels, in_all_states(case, states, vectors)[:, 0]


def led_elsewhere(case, job, states, psi):
    """An operator that may lead to another sector as evolution.operator: its matrix, None where that does not exist."""
    draw, lines = random_product(case), 1
    if case.kind in (*ELECTRONS, "fermions") and case.rng.random() < 0.4:  # one more particle, or one less
        name = case.rng.choice(("c", "cdag")) + (case.rng.choice(("_up", "_dn")) if case.kind in ELECTRONS else "")
        possible = [f"{name} {i}" for i in range(case.sites)
                    if np.linalg.norm(case.space.matrix(f"1 {name} {i}") @ psi) > 1e-3]
        places = itertools.cycle(case.rng.sample(possible, len(possible)) or [f"{name} 0"])
        draw, lines = lambda: next(places), min(2, len(possible))
    some = (Charged(case, "moving", False, draw) for _ in range(60))
    o = next((o for o in some if o.matrices and len(o.lines) >= lines and len(o.changes(case.charges)) == 1), None)
    if o is None:
        return np.eye(len(psi)), False
    job.update({"evolution.operator": "moving", "observables.file": "observables.txt"})
    job.files["observables.txt"] = "\n".join([job.files.get("observables.txt", ""), *o.lines]) + "\n"
    exists = target(case, case.charges, states, next(iter(o.changes(case.charges)))).any()
    return o.matrices[0] if exists else None, True


def acted_on(case, job, mine, states, psi):
    """What evolution.operator makes of psi, in some jobs, and its norm; None where it is not given. No state where the
    sector that it leads to does not exist."""
    if case.rng.random() < 0.4:
        matrix, given = led_elsewhere(case, job, states, psi)
        if matrix is None:
            return None, None
        norm = np.linalg.norm(matrix @ psi)
        return (matrix @ psi / max(norm, 1e-300), norm) if given else (psi, None)
    if mine is None or "one" not in mine.matrices or case.rng.random() < 0.4:
        return psi, None
    job.set("evolution.operator", "one")
    psi = mine.matrices["one"][0] @ psi
    norm = np.linalg.norm(psi)
    return psi / max(norm, 1e-300), norm


def compare_drive(case, account, outcome, row, time, energies, bound):
    for name, factor in case.drive.factors.items():
        account.compare("factors in time", outcome.series[f"drive-{name}"][row], factor.at(time), 1e-9)
    account.compare("work of a drive", outcome.series["work"][row], energies[row] - energies[0],
                    bound * (1 + np.linalg.norm(case.h, 2)) * 10)
    account.claim("bounds of errors of a drive", 0 <= outcome.values["error-bound"] < 1e-8)


def compare_evolution(case, account, job, states, options):
    rng = case.rng
    step, steps = number(rng, 0.1, 0.5), rng.randint(1, 4)
    job.update({"run.task": "evolution", "evolution.step": step, "evolution.steps": steps})
    lowest, bound = [], 1e-8
    if case.h0 is None:
        psi = random_state(case, job, states)
    else:
        lowest, psi = initial_ground_state(case, job, states)
        bound = 1e-6
    cut, mine = Cut(case, job), add_observed(case, job)
    psi, norm = acted_on(case, job, mine, states, psi)
    if case.drive:
        case.drive.draw_factors(float(step), steps)
        case.drive.add_to(job)
        account.note("driven evolution")
    outcome = launched(case, job)
    if psi is None:
        return account.claim("refused where the other sector does not exist",
                             outcome.code == 2 and "no such state" in outcome.said, outcome.said)
    clear = len(lowest) < 2 or lowest[1] - lowest[0] > 1e-3
    if norm is not None and norm < 1e-8 and clear:
        return account.claim("an operator that annihilates the state is refused",
                             outcome.code == 2 and "annihilate" in outcome.said, f"{outcome.code}: {outcome.said}")
    if outcome.code == 2 and not clear and "annihilate" in outcome.said:
        return account.note("degenerate initial ground states, one of them annihilated")
    if outcome.code != 0:
        return account.fail(f"ended with {outcome.code}: {outcome.said}")
    if case.h0 is not None:
        account.note("evolution from a ground state")
        account.compare("initial energy", outcome.values["initial-energy"], lowest[0], 1e-8 * (1 + abs(lowest).max()))
    if not clear:
        account.claim("a degenerate initial ground state is told", lowest[1] - lowest[0] > 1e-12
                      or "depends on run.seed" in outcome.said)
        return account.note("degenerate initial ground states: the energy alone")
    if norm is not None:
        account.note("evolution after an operator")
        account.compare("norm after an operator", outcome.values["initial-norm"], norm, bound * (1 + norm))
        bound *= 1 + 1 / norm
    levels, vectors = np.linalg.eigh(case.h)
    amplitudes = vectors.conj().T @ psi
    times = [row * step for row in range(steps + 1)]
    evolved = (case.drive.states(case.h, psi, times) if case.drive
               else [vectors @ (np.exp(-1j * levels * t) * amplitudes) for t in times])
    energies = []
    for row, now in enumerate(evolved):
        h = case.drive.at(case.h, times[row]) if case.drive else case.h
        energies.append((now.conj() @ h @ now).real)
        account.compare("energy in time", outcome.series["energy"][row], energies[row],
                        bound * (1 + np.linalg.norm(h, 2)))
        if case.drive:
            compare_drive(case, account, outcome, row, times[row], energies, bound)
        account.compare("echo in time", outcome.series["loschmidt-echo"][row], abs(psi.conj() @ now) ** 2, bound)
        for name, exact in zip(names_of(case), case.occupations(abs(now) ** 2)):
            found = [outcome.series[f"{name}-{i}"][row] for i in range(case.sites)]
            account.compare("occupations in time", found, exact, bound)
        if mine:
            mine.compare_time(account, outcome, row, now, bound)
        cut.compare_time(account, outcome, row, now, bound)
    return None


def compare_thermal(case, account, job, states, options):
    """Canonical averages of the sector, within 6 of their errors: 40 vectors in some tens of states."""
    levels, vectors = np.linalg.eigh(case.h[np.ix_(states, states)])
    temperatures = np.array([0.7, 2, 6]) * max(0.1, (levels[-1] - levels[0]) / 6)
    job.update({"run.task": "thermal", "thermal.temperatures": list(temperatures), "thermal.samples": 40,
                "thermal.steps": min(60, len(levels) + 10)})
    mine = add_observed(case, job)
    if mine:
        temperatures = mine.draw_method(case, job, list(temperatures))
    outcome = launched(case, job)
    if outcome.code != 0:
        return account.fail(f"ended with {outcome.code}: {outcome.said}")
    for k, t in enumerate(temperatures):
        p = np.exp(-(levels - levels[0]) / t)
        energy, square = (p @ levels / p.sum() for levels in (levels, levels ** 2))
        entropy = (math.log(p.sum()) + (energy - levels[0]) / t) / case.sites
        for name, exact in (("energy", energy), ("specific-heat", (square - energy ** 2) / t ** 2 / case.sites),
                            ("entropy", entropy)):
            error = outcome.errors[name][k]
            account.compare(f"{name} in equilibrium", outcome.values[name][k], exact, 6 * error + 1e-9)
    if mine:
        mine.compare_thermal(account, outcome, temperatures, levels, in_all_states(case, states, vectors))
    return None
