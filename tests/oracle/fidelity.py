# SPDX-License-Identifier: BSD-3-Clause
"""The fidelity of ground states in random jobs of products_oracle.py, against dense ground states of both H."""

import random

import numpy as np

from lanczos_oracle import number


def add(case, job, states, ground):
    """In some jobs the overlap with the ground state for another value of the chain; otherwise None."""
    rng = random.Random(repr(job.keys))
    if case.alone or rng.random() < 0.5:
        return None
    parameter, step = rng.choice(list(case.slopes)), rng.choice((-1, 1)) * number(rng, 0.01, 0.3)
    if case.chain[f"model.{parameter}"] == 0 or case.chain.get("model.jx") == case.chain.get("model.jy", 0):
        return None  # H' may conserve less
    job.update({"fidelity.parameter": parameter, "fidelity.step": step})
    slope = case.space.matrix("\n".join(case.slopes[parameter]))
    levels, vectors = np.linalg.eigh((case.h + step * slope)[np.ix_(states, states)])
    return step, levels, abs(vectors[:, 0].conj() @ ground)


def compare(account, outcome, step, levels, overlap):
    if len(levels) > 1 and levels[1] - levels[0] < 1e-3:
        return account.note("degenerate second ground states")
    account.note("fidelity")
    account.compare("fidelity", outcome.values["fidelity"], overlap, 1e-7)
    account.compare("energy of the second state", outcome.values["second-energy"], levels[0],
                    1e-8 * (1 + abs(levels[0])))
    if overlap > 1e-3:
        account.compare("fidelity susceptibility", outcome.values["fidelity-susceptibility"],
                        -2 * np.log(min(overlap, 1)) / step ** 2, 1e-6 / step ** 2 / overlap)
    return None
