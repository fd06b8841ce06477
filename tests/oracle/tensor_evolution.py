#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""run.task = evolution of dmrg in random jobs of products_oracle.py, from product states and from ground states of
other Hamiltonians, also under drives: every column against the dense exponential, or the Schroedinger equation of a
driven H by a method of order eight, within the errors that the program claims."""

import sys

import numpy as np

import program
from lanczos_oracle import number
from products_evolution import ELECTRONS, Cut, acted_on, add_observed, in_all_states, launched, random_state

MOST_SWEEPS = 128
REFUSED = {"distribute": "parts that nothing connects", "odd number of fermion operators": "odd terms of fermions",
           "leaves the sector": "odd observables of fermions",
           "by 0; give them two names": "operators that are odd and even in fermions"}


def initial_ground_state(case, job, states):
    job.update({"evolution.start": "ground-state", "initial-model.terms": "initial.txt", "run.tolerance": "1e-10",
                "run.seed": case.rng.randint(1, 99)})
    job.files["initial.txt"] = "\n".join(case.initial_lines) + "\n"
    levels, vectors = np.linalg.eigh(case.h0[np.ix_(states, states)])
    return levels, in_all_states(case, states, vectors)[:, 0]


def draw_settings(case, job):
    """Steps, and sweeps that leave errors of some 1e-4. Returns the time between rows and their number."""
    rng = case.rng
    step, steps, sweeps = number(rng, 0.1, 0.5), rng.randint(1, 3), 4
    width, fastest = np.ptp(np.linalg.eigvalsh(case.h)), 0
    job.application = "dmrg"
    if case.drive:
        case.drive.draw_factors(float(step), steps)
        width, fastest = width + case.drive.width(), case.drive.fastest()
    while sweeps < MOST_SWEEPS and (width * step / sweeps > 0.5 or fastest * step / sweeps > 1):
        sweeps *= 2
    job.keys.pop("backend.exchange", None)
    job.update({"run.task": "evolution", "evolution.step": step, "evolution.steps": steps, "evolution.sweeps": sweeps,
                "evolution.cutoff": "1e-13", "run.allow-unconverged": "yes"})
    if rng.random() < 0.3:
        job.set("run.blocks", "disk")
    return step, steps


def is_too_fast(case, job, said):
    """Whether a drive is refused since a sweep of the second evolution does not resolve it; it must be, of cosines and
    pulses."""
    if not case.drive:
        return False
    sweep = 2 * float(job.keys["evolution.step"]) / float(job.keys["evolution.sweeps"])
    sure = max([f.fastest() for f in case.drive.factors.values() if f.form in ("cos", "gauss")], default=0)
    refused = "more than half a period" in said
    assert refused or sure * sweep <= np.pi
    return refused and case.drive.fastest() * sweep > np.pi


def entropy_of(case, psi, cut):
    """Of the sites below a cut."""
    of_cut = Cut.__new__(Cut)
    of_cut.case, of_cut.sites = case, list(range(cut))
    p = of_cut.schmidt_values(psi)
    return -sum(x * np.log(x) for x in p if x > 0)


def states_in_time(case, psi, times):
    if case.drive:
        return case.drive.states(case.h, psi, times)
    levels, vectors = np.linalg.eigh(case.h)
    amplitudes = vectors.conj().T @ psi
    return [vectors @ (np.exp(-1j * levels * t) * amplitudes) for t in times]


def compare(case, account, job, states, options):
    step, steps = draw_settings(case, job)
    levels0 = []
    if case.h0 is None:
        psi = random_state(case, job, states)
    else:
        levels0, psi = initial_ground_state(case, job, states)
    mine = add_observed(case, job)
    psi, norm = acted_on(case, job, mine, states, psi)
    if case.drive:
        case.drive.add_to(job)
    if psi is None:
        outcome = program.run(job)
        return account.claim("no sector to lead to", outcome.code == 2 and "no such state exists" in outcome.said,
                             outcome.said)
    if norm is not None and norm < 1e-4:
        return account.note("an operator that annihilates the state")
    outcome = launched(case, job)
    for words, meaning in REFUSED.items():
        possible = words == "distribute" or case.wanted == "nothing" or case.h0 is not None or case.drive
        if outcome.code == 2 and words in outcome.said and possible:
            return account.note(f"refused: {meaning}")
    if outcome.code in (0, 2) and is_too_fast(case, job, outcome.said):
        return account.note("refused: a drive that sweeps do not resolve")
    if outcome.code != 0:
        return account.fail(f"ended with {outcome.code}: {outcome.said}")
    if case.h0 is not None:
        error = outcome.errors["initial-energy"] + 1e-10 * (1 + abs(levels0).max())
        account.compare("initial energy of DMRG", outcome.values["initial-energy"], levels0[0], error)
        if len(levels0) > 1 and levels0[1] - levels0[0] < 1e-3:
            return account.note("degenerate initial ground states: the energy alone")
        account.claim("no mixture of states that are not degenerate", "is a mixture" not in outcome.said)
    if norm is not None:
        account.note("evolution of DMRG after an operator")
        account.compare("norm after an operator of DMRG", outcome.values["initial-norm"], norm,
                        (1e-7 if case.h0 is None else 1e-4) * (1 + norm))
    account.note("evolution of DMRG from a " + ("product state" if case.h0 is None else "ground state"))
    if case.drive:
        account.note("driven evolution of DMRG")
    energies = []
    names = ("density-up", "density-down") if case.kind in ELECTRONS else ("sz",) if case.twice else ("density",)
    for row, now in enumerate(states_in_time(case, psi, step * np.arange(steps + 1))):
        h = case.drive.at(case.h, row * step) if case.drive else case.h
        norm = np.linalg.norm(h, 2)
        energies.append((now.conj() @ h @ now).real)
        of_row = {name: column[row] for name, column in outcome.series.items()}
        bound = of_row["step-error"] + (1e-6 if case.h0 is None else 2e-5)
        account.claim("small errors", bound < 0.2, f"{bound:.3g}")
        for name, exact in zip(names, case.occupations(abs(now) ** 2)):
            found = [of_row[f"{name}-{i}"] for i in range(case.sites)]
            account.compare("local values of DMRG in time", found, exact - 0.5 * case.twice, bound)
        if case.drive:
            error = of_row["energy-error"] + (1e-5 if case.h0 is None else 2e-4) * (1 + norm)
            account.compare("energy of driven DMRG", of_row["energy"], energies[row], error)
            account.compare("work of driven DMRG", of_row["work"], energies[row] - energies[0], error)
            for name, factor in case.drive.factors.items():
                account.compare("factors of DMRG in time", of_row[f"drive-{name}"], factor.at(row * step), 1e-9)
        else:
            account.compare("energy of DMRG in time", of_row["energy"], energies[0], 1e-5 * (1 + norm))
        account.compare("echo of DMRG in time", of_row["loschmidt-echo"], abs(psi.conj() @ now) ** 2, 10 * bound)
        entropies = [entropy_of(case, now, cut) for cut in range(1, case.sites)]
        account.compare("entropies of DMRG in time", [of_row[f"entropies-{i}"] for i in range(case.sites - 1)],
                        entropies, 30 * bound)
        account.claim("entropy of the halves", of_row["entropy"] == of_row[f"entropies-{(case.sites - 2) // 2}"])
        if mine:
            mine.compare_time(account, outcome, row, now, 30 * bound)
    return None


def examine(seed, index, account, state, options):
    """A job of products_oracle.py; those of two sites or more."""
    import products_oracle
    case = products_oracle.Case(seed, index, driven_share=0.4)
    keys, states = case.sector()
    states = case.project(states)
    state.update(task=f"{case.kind}, {case.wanted}", job=case.job(keys))
    if case.sites < 2 or not states.any():
        return account.note("not for dmrg")
    return compare(case, account, state["job"], states, options)


if __name__ == "__main__":
    sys.exit(program.main("Random jobs of products_oracle.py as time evolutions by dmrg.", examine))
