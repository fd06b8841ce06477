#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Multiplications by H of spin and t-J models by QuSpin, on one thread; prints a line of JSON.

    lanczos_products.py CASE          ising-22, xyz-22, kitaev-24 (bonds from the standard input), t-j-16, heisenberg-24

Its stored sparse matrix, and its multiplication without one (quantum_LinearOperator), in seconds of the processor; the
lowest energy by scipy's Lanczos method.
"""

import json
import resource
import sys
import time

import numpy as np


def spins(sites):
    from quspin.basis import spin_basis_general
    return spin_basis_general(sites, S="1/2", pauli=False)


def case_of(name):
    """Basis and terms."""
    kind, sites = name.rsplit("-", 1)
    n = int(sites)
    if kind == "heisenberg":  # 4 columns, momentum 0,0
        from quspin.basis import spin_basis_general
        sites = np.arange(n)
        right, up = sites // 4 * 4 + (sites + 1) % 4, (sites + 4) % n
        basis = spin_basis_general(n, Nup=n // 2, S="1/2", pauli=False, kxblock=(right, 0), kyblock=(up, 0))
        bonds = [(1.0, int(i), int(to[i])) for to in (right, up) for i in sites]
        return basis, [["zz", bonds]] + [[flip, [(0.5, i, j) for _, i, j in bonds]] for flip in ("+-", "-+")]
    ring = [(i, (i + 1) % n) for i in range(n)]
    if kind == "ising":
        return spins(n), [["zz", [[1.0, i, j] for i, j in ring]], ["x", [[0.5, i] for i in range(n)]]]
    if kind == "xyz":
        return spins(n), [[axes, [[c, i, j] for i, j in ring]] for axes, c in (("xx", 1.0), ("yy", 0.7), ("zz", 0.4))]
    if kind == "kitaev":
        bonds = [line.split() for line in sys.stdin if line.strip()]
        return spins(n), [[2 * axis, [[-1.0, int(i), int(j)] for a, i, j in bonds if a == axis]] for axis in "xyz"]
    from quspin.basis import spinful_fermion_basis_1d
    basis = spinful_fermion_basis_1d(L=n, Nf=(n // 2 - 1, n // 2 - 1), double_occupancy=False)
    hops = [[word, [[sign, i, j] for i, j in ring]]
            for word, sign in (("+-|", -1.0), ("-+|", 1.0), ("|+-", -1.0), ("|-+", 1.0))]
    half_j = 0.2  # J = 0.4; S+_i S-_j = c+_i,up c_j,up c_i,dn c+_j,dn
    flips = [[word, [[half_j, i, j, i, j] for i, j in ring]] for word in ("+-|-+", "-+|+-")]
    pairs = [[-half_j, i, j] for i, j in ring]
    return basis, hops + flips + [["n|n", pairs + [[c, j, i] for c, i, j in pairs]]]


def seconds_of(product, vector):
    times = []
    for _ in range(5):
        started = time.process_time()
        product(vector)
        times.append(time.process_time() - started)
    return sorted(times)[2]


def main():
    from quspin.operators import hamiltonian, quantum_LinearOperator
    basis, terms = case_of(sys.argv[1])
    checks = {"check_herm": False, "check_symm": False, "check_pcon": False}
    vector = np.random.default_rng(1).normal(size=basis.Ns)
    found = {"dimension": int(basis.Ns)}
    free = quantum_LinearOperator(terms, basis=basis, dtype=np.float64, **checks)
    found["free"] = seconds_of(free.dot, vector)
    started = time.process_time()
    h = hamiltonian(terms, [], basis=basis, dtype=np.float64, **checks)
    found["matrix"] = time.process_time() - started
    found["stored"] = seconds_of(h.dot, vector)
    found["energy"] = float(h.eigsh(k=1, which="SA", tol=1e-9, return_eigenvectors=False)[0])
    found["bytes"] = 1024 * resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    print(json.dumps(found))


if __name__ == "__main__":
    main()
