#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""A small system by a peer, on one thread; prints the microseconds of a sweep or of a point.

    small_system.py mcising|peapods metropolis|swendsen-wang|wolff EXTENTS SWEEPS BETA
    small_system.py scipy SITES POINTS        ground energies of a half-filled Hubbard ring by eigsh, H from two stored
                                              sparse matrices

Energy and magnetisation of every sweep are observed.
"""

import itertools
import sys
import time


def of_mcising(update, extents, sweeps, beta):
    from mcising import Algorithm, LatticeConfig, LatticeType, Simulation, SimulationConfig
    kind = LatticeType.SQUARE if len(extents) == 2 else LatticeType.CUBIC
    simulation = Simulation(SimulationConfig(
        lattice=LatticeConfig(lattice_type=kind, size=extents[0]), algorithm=Algorithm(update.replace("-", "_")),
        temperatures=(1 / beta,), n_sweeps=sweeps, n_thermalization=100, measurement_interval=1,
        store_configs=False))
    return lambda: simulation.run(show_progress=False), sweeps


def of_peapods(update, extents, sweeps, beta):
    import numpy as np
    from peapods import Ising
    model = Ising(extents, temperatures=np.array([1 / beta]))
    if update == "metropolis":
        return lambda: model.sample(sweeps, sweep_mode="metropolis", sequential=True), sweeps
    # a cluster update follows every sweep of single spins, and both are counted
    cluster = {"swendsen-wang": "sw", "wolff": "wolff"}[update]
    return lambda: model.sample(sweeps, sweep_mode="metropolis", sequential=True, cluster_update_interval=1,
                                cluster_mode=cluster), sweeps


def of_scipy(sites, points):
    import numpy as np
    from scipy import sparse
    from scipy.sparse.linalg import eigsh
    states = [s for s in range(1 << sites) if s.bit_count() == sites // 2]
    index = {s: i for i, s in enumerate(states)}
    rows, columns, values = [], [], []
    for s in states:
        for i in range(sites):
            j = (i + 1) % sites
            for to, of in ((i, j), (j, i)):
                if s >> of & 1 and not s >> to & 1:
                    between = sum(s >> k & 1 for k in range(min(to, of) + 1, max(to, of)))
                    rows.append(index[s ^ 1 << of ^ 1 << to])
                    columns.append(index[s])
                    values.append(-1.0 if between % 2 == 0 else 1.0)
    hops = sparse.csr_matrix((values, (rows, columns)), (len(states),) * 2)
    one = sparse.identity(len(states))
    kinetic = (sparse.kron(hops, one) + sparse.kron(one, hops)).tocsr()
    pairs = sparse.diags([float((a & b).bit_count()) for a, b in itertools.product(states, states)]).tocsr()

    def run():
        for u in np.linspace(0.1, 8, points):
            eigsh(kinetic + u * pairs, k=1, which="SA", return_eigenvectors=False)
    return run, points


def main():
    peer, *words = sys.argv[1:]
    if peer == "scipy":
        run, count = of_scipy(int(words[0]), int(words[1]))
    else:
        make = {"mcising": of_mcising, "peapods": of_peapods}[peer]
        run, count = make(words[0], tuple(int(n) for n in words[1].split(",")), int(words[2]), float(words[3]))
    run()
    started = time.process_time()
    run()
    print(1e6 * (time.process_time() - started) / count)


if __name__ == "__main__":
    main()
