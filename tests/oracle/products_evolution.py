# SPDX-License-Identifier: BSD-3-Clause
"""run.task = evolution in random jobs of products_oracle.py, from product states and from ground states of other
Hamiltonians, also after an operator; and what all comparisons of these jobs share."""

import numpy as np

import observed
import program
from lanczos_oracle import number

ELECTRONS = ("electrons", "t-j")


def names_of(case):
    return ("occupation-up", "occupation-down") if case.kind in ELECTRONS else ("occupation",)


def add_observed(case, job):
    """Observables of the user's own in half of the jobs."""
    return observed.Observed(case, job) if case.rng.random() < 0.5 else None


def launched(case, job):
    """Some runs end after one step and are resumed, several times."""
    return program.run(job, steps=case.rng.randint(1, 4) if case.rng.random() < 0.2 else 0, ends=True)


def in_all_states(case, states, vectors):
    """Columns of a sector, with zeros elsewhere."""
    whole = np.zeros((case.space.dimension, vectors.shape[1]), complex)
    whole[states] = vectors
    return whole


def random_product(case, job, states):
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


def acted_on(case, job, mine, psi):
    """What evolution.operator makes of psi, in some jobs, and its norm; None where it is not given."""
    if mine is None or "one" not in mine.matrices or case.rng.random() < 0.4:
        return psi, None
    job.set("evolution.operator", "one")
    psi = mine.matrices["one"][0] @ psi
    norm = np.linalg.norm(psi)
    return psi / max(norm, 1e-300), norm


def compare_evolution(case, account, job, states, options):
    rng = case.rng
    step, steps = number(rng, 0.1, 0.5), rng.randint(1, 4)
    job.update({"run.task": "evolution", "evolution.step": step, "evolution.steps": steps})
    lowest, bound = [], 1e-8
    if case.h0 is None:
        psi = random_product(case, job, states)
    else:
        lowest, psi = initial_ground_state(case, job, states)
        bound = 1e-6
    mine = add_observed(case, job)
    psi, norm = acted_on(case, job, mine, psi)
    outcome = launched(case, job)
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
    amplitudes, energy = vectors.conj().T @ psi, (psi.conj() @ case.h @ psi).real
    for row in range(steps + 1):
        now = vectors @ (np.exp(-1j * levels * row * step) * amplitudes)
        account.compare("energy in time", outcome.series["energy"][row], energy, bound * (1 + abs(levels).max()))
        account.compare("echo in time", outcome.series["loschmidt-echo"][row], abs(psi.conj() @ now) ** 2, bound)
        for name, exact in zip(names_of(case), case.occupations(abs(now) ** 2)):
            found = [outcome.series[f"{name}-{i}"][row] for i in range(case.sites)]
            account.compare("occupations in time", found, exact, bound)
        if mine:
            mine.compare_time(account, outcome, row, now, bound)
    return None
