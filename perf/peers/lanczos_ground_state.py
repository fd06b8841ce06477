#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Ground state of a half-filled Hubbard ring in a sector of momentum by QuSpin, on one thread; prints a line of JSON.

    lanczos_ground_state.py SITES U MOMENTUM [--tolerance=1e-10]

As in QuSpin's own examples: a symmetric basis, the sparse matrix, and scipy's Lanczos method. The energy of the ring is
held against Lieb and Wu's by lanczos_peers.py.
"""

import argparse
import json
import resource
import time

import numpy as np


def quspin(sites, u, momentum, tolerance):
    from quspin.basis import spinful_fermion_basis_1d
    from quspin.operators import hamiltonian

    started = time.process_time()
    basis = spinful_fermion_basis_1d(L=sites, Nf=(sites // 2, sites // 2), kblock=momentum)
    after_basis = time.process_time()
    right = [[-1.0, i, (i + 1) % sites] for i in range(sites)]
    left = [[+1.0, i, (i + 1) % sites] for i in range(sites)]
    interaction = [[u, i, i] for i in range(sites)]
    terms = [["+-|", right], ["-+|", left], ["|+-", right], ["|-+", left], ["n|n", interaction]]
    real = 2 * momentum % sites == 0
    h = hamiltonian(terms, [], basis=basis, dtype=np.float64 if real else np.complex128, check_herm=False,
                    check_symm=False, check_pcon=False)
    after_matrix = time.process_time()
    energy = h.eigsh(k=1, which="SA", tol=tolerance, return_eigenvectors=False)[0]
    return {"energy": float(energy), "dimension": int(basis.Ns), "basis": after_basis - started,
            "matrix": after_matrix - after_basis, "search": time.process_time() - after_matrix}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("sites", type=int)
    parser.add_argument("u", type=float)
    parser.add_argument("momentum", type=int)
    parser.add_argument("--tolerance", type=float, default=1e-10)
    args = parser.parse_args()
    found = quspin(args.sites, args.u, args.momentum, args.tolerance)
    usage = resource.getrusage(resource.RUSAGE_SELF)
    found |= {"peer": "quspin", "seconds": usage.ru_utime + usage.ru_stime, "bytes": 1024 * usage.ru_maxrss}
    print(json.dumps(found))


if __name__ == "__main__":
    main()
