# SPDX-License-Identifier: BSD-3-Clause
"""Numbers of Swendsen-Wang runs against exact averages: values within their reported errors, and for many equal short
runs means, the mean square of deviation / error (pulls), and which numbers must be absent."""

import math

import numpy as np

SIGMAS = 5.0
MEANS = {"energy", "magnetisation", "magnetisation-2", "magnetisation-4", "susceptibility", "susceptibility-improved",
         "largest-cluster", "clusters"}
TOO_FEW = {True: 10, False: 20}  # observations that give no error: of means, of functions of means


def is_seen(spread, observations):
    """Whether a run surely sees energies of more than one level: with the spread s of the energy per site and levels
    that are 2 / 18 apart or more, another one has at most the probability (9 s)^2."""
    return (9 * spread) ** 2 * observations > 10


def compare_points(account, outcome, points, observations, coordinate, longest, frozen, hampered=False,
                   independent=True):
    """`frozen`: points that may stay where they began. `hampered`: spins may hardly move, which a run says instead of
    errors; an energy that all states have has none either. Observations of single-spin updates are not `independent`;
    without errors they are compared by the bound of 20 correlated ones."""
    for name in outcome.values.keys() - {coordinate} - points[0].keys():
        if name not in ("clusters", "largest-cluster"):
            account.fail(f"'{name}' has no oracle")
    for name in points[0]:
        if name not in outcome.values:
            account.fail(f"'{name}' is missing")
            continue
        for i, point in enumerate(points):
            exact, spread = point[name]
            value, error = outcome.values[name][i], outcome.errors[name][i]
            known = outcome.references.get(name, [math.nan] * len(points))[i]
            if math.isfinite(known):
                account.compare(name + ": reference", known, exact, 1e-10 * (1 + abs(exact)))
            if frozen[i]:
                continue  # such a run has no errors and says so
            unknown = not np.isfinite(outcome.errors["energy"][i])
            said = "frustrate the lattice" in outcome.said
            if hampered and unknown and (said or is_seen(point["energy"][1], observations)):
                account.claim("no errors where spins hardly move", said and not np.isfinite(error))
                continue
            if name.endswith("correlation-length") and not math.isfinite(value):
                # absent where it is small, or long against the lattice, or where observations are few
                account.claim(name + ": absent", not independent or not 1 < exact < 1.5 * longest)
                continue
            if name == "susceptibility-improved" and not np.isfinite(error):
                spread = point["susceptibility"][1]  # the mean over the spins of the clusters fluctuates less
            # the error of so few independent observations cannot be much below what the exact spread says
            few = observations if independent else observations / 20
            bound = SIGMAS * max(np.nan_to_num(error), 0.7 * spread / math.sqrt(few)) + 1e-9 * (1 + abs(exact))
            account.compare(name, value, exact, bound)
            if error > 1e-7 * (1 + abs(exact)):
                account.pulls[name].append((value - exact) / error)


def compare_correlations(account, outcome, exact, frozen, observations, independent):
    """exact: correlation_values() of each point. Removes what it compared from the outcome."""
    for name in exact[0]:
        if name not in outcome.values:
            account.fail(f"'{name}' is missing")
            continue
        value, error = outcome.values.pop(name), outcome.errors.pop(name)
        few = observations if independent else observations / 20
        for i, point in enumerate(exact):
            if not frozen[i] and np.isfinite(error[i]).any():
                mean, spread = np.array(point[name]).T
                bound = (SIGMAS * np.maximum(np.nan_to_num(error[i]), 0.7 * spread / math.sqrt(few))
                         + 1e-9 * (1 + abs(mean)))
                account.compare(name[:-2], value[i], mean, bound)


def compare_acceptance(account, outcome, energies, ks, tried):
    """Mean of min(1, exp((K_a - K_b) (E_a - E_b))) over independent states at neighbouring temperatures, from the
    energies of all states in units of J. At least a twentieth of the `tried` exchanges are independent."""
    levels, number = np.unique(np.round(energies, 9), return_counts=True)
    weights = [number * np.exp(-k * (levels - levels[0])) for k in ks]
    found = outcome.values.pop("exchange-acceptance")
    account.claim("exchange-acceptance: none beyond the hottest", np.isnan(found[-1]))
    for a, (cold, hot) in enumerate(zip(weights, weights[1:])):
        chance = np.minimum(1, np.exp(np.minimum(0, (ks[a] - ks[a + 1]) * np.subtract.outer(levels, levels))))
        exact = cold @ chance @ hot / cold.sum() / hot.sum()
        spread = math.sqrt(max(1e-4, exact * (1 - exact)) / (tried / 20))
        account.compare("exchange-acceptance", found[a], exact, SIGMAS * spread)


def compare_short(account, outcome, exact, extents, observations, kind):
    """Values are finite or absent, errors positive or absent; where there are errors they say how far values are
    off."""
    ground = {"energy": -len(extents), "specific-heat": 0, "magnetisation": 1, "magnetisation-2": 1,
              "magnetisation-4": 1,
              "susceptibility-connected": 0, "largest-cluster": 1, "clusters": 1 / math.prod(extents)}
    for name in outcome.errors:
        value, error = outcome.values[name], outcome.errors[name]
        has = np.isfinite(error)
        account.claim(name + ": a number or nothing", not np.isinf(value).any() and not np.isinf(error).any())
        account.claim(name + ": errors are positive", (error[has] > 0).all() and np.isfinite(value[has]).all())
        account.claim(name + ": no error of few", observations > TOO_FEW[name in MEANS] or not has.any())
        if name not in MEANS and observations == 1:
            account.claim(name + ": no function of one value", np.isnan(value).all())
            continue
        if kind == "frozen":
            account.claim(name + ": no error", not has.any())
            if name in ground:
                account.compare(name, value, ground[name], 0)
        if name == "correlation-length":
            compare_lengths(account, value, error, exact.get(name, (math.inf,))[0], max(extents),
                            np.isfinite(outcome.errors["energy"]))
        elif name in exact and kind != "frozen":
            compare_pulls(account, name, value, error, exact[name], observations)


def compare_lengths(account, value, error, exact, longest, has_errors):
    """`has_errors`: [run] whether the run gives errors at all."""
    known = np.isfinite(value)
    account.claim("correlation-length: never without error", np.isfinite(error[known & has_errors]).all())
    account.claim("correlation-length: never of an ordered lattice", (value[known] <= 2 * longest).all())
    if exact < 0.1:  # shown by 3 sigma of a ratio: rarely, and with an error of the same order
        account.claim("correlation-length: rarely where there is none", known.mean() < 0.05)
    elif exact < longest:
        account.claim("correlation-length: pulls", np.mean((abs(value - exact) > 5 * error)[known]) < 0.03
                      if known.any() else True)


def compare_pulls(account, name, value, error, exact_and_spread, observations):
    """Means are unbiased, functions of means from 40 observations on but for a few percent. Mean-square pulls are 1.3
    at most from 40 observations on, and 200 points scatter by 0.3 with the tails of skew distributions."""
    exact, spread = exact_and_spread
    bound = (SIGMAS * max(np.std(value), spread / math.sqrt(observations)) / math.sqrt(len(value))
             + 1e-9 * (1 + abs(exact)))
    if name in MEANS:
        account.compare(name + ": mean", np.mean(value), exact, bound)
    elif observations >= 40:
        account.compare(name + ": mean", np.mean(value), exact, bound + 0.06 * (abs(exact) + (name == "binder")))
    has = np.isfinite(error)
    if spread == 0 or has.mean() < 0.99:
        return  # where many runs see no fluctuation, others see too few
    pulls = (value[has] - exact) / error[has]
    skew = name in ("binder", "susceptibility-connected", "magnetisation-4")
    limit = (30.0 if skew else 6.0) if observations < 40 else 2.2 if not skew else 6.0 if observations < 100 else 3.0
    account.compare(name + ": mean-square pull", np.mean(pulls**2), 0, limit)
    account.pulls[name].extend(pulls)
