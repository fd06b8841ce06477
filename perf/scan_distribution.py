#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""How well are the points of a scan spread over groups of ranks? The rule of src/scan/distribution.hpp in a simulation:
the points wait in the order of their predicted costs, the longest first; a group that is done asks rank 0, which
answers one group after another between two of its own steps. Costs differ 30-fold, predictions are wrong by a random
factor.

    perf/scan_distribution.py [--points-per-group 10] [--seconds 10] [--step 0.01]

Efficiency: the least time that any distribution could take (the mean load of a group, or the longest point) over the
time of this one; mean and worst of 20 draws."""

import argparse
import heapq

import numpy as np

ANSWER = 10e-6  # seconds that rank 0 takes for one record and its answer


def makespan(costs, predicted, groups, step, rng):
    """Time until the last group is done; `step` is the length of a step of rank 0, which looks for messages between
    two."""
    queue = np.argsort(-predicted, kind="stable")
    free = [(0.0, g) for g in range(groups)]
    heapq.heapify(free)
    server, end = 0.0, 0.0
    for point in queue:
        ready, group = heapq.heappop(free)
        if group != 0:  # waits for the end of the step that rank 0 is in, and for the groups before it
            server = max(server, ready + rng.uniform(0, step)) + ANSWER
            ready = server
        heapq.heappush(free, (ready + costs[point], group))
        end = max(end, ready + costs[point])
    return end


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--points-per-group", type=float, default=10)
    parser.add_argument("--seconds", type=float, default=10, help="mean cost of a point")
    parser.add_argument("--step", type=float, default=0.01, help="seconds of a step of rank 0")
    arguments = parser.parse_args()
    print("groups  points   predictions within   efficiency: mean   worst")
    for groups in (4, 16, 64, 256, 1024, 4096):
        points = int(groups * arguments.points_per_group)
        for wrong in (1, 2, 10):
            found = []
            for draw in range(20 if groups <= 1024 else 5):
                rng = np.random.default_rng([groups, draw])
                costs = np.exp(rng.uniform(0, np.log(30), points))
                costs *= arguments.seconds / costs.mean()
                predicted = costs * np.exp(rng.uniform(-1, 1, points) * np.log(wrong)) if wrong > 1 else costs
                best = max(costs.sum() / groups, costs.max())
                found.append(best / makespan(costs, predicted, groups, arguments.step, rng))
            print(f"{groups:6d}  {points:6d}   a factor of {wrong:<4d}     {np.mean(found):12.3f}       "
                  f"{np.min(found):.3f}")


if __name__ == "__main__":
    main()
