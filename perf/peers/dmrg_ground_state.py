#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""The half-filled Hubbard chain by two-site renormalization in TeNPy or block2; in TeNPy also the critical Ising chain
in a transverse field, and the XX chain with a Dzyaloshinskii-Moriya vector along z, whose H is complex. Runs in the
environment that dmrg_peers.py makes. Electrons are sorted by their numbers and Sz, Ising spins by their parity, XX
spins by Sz. All get a schedule of stages, a few sweeps each.
The time is that of the processor, without imports: to the end of the first stage whose energy is within the tolerance.
Prints one line of JSON.
"""

import argparse
import json
import os
import shutil
import sys
import tempfile
import time

# M, sweeps, noise
ISING_STAGES = [(20, 2, 1e-5), (30, 2, 1e-7), (30, 2, 0), (40, 1, 0), (40, 1, 0), (60, 2, 0)]
DM_STAGES = [(20, 2, 1e-5), (40, 2, 1e-7), (60, 1, 0), (60, 1, 0), (80, 1, 0), (80, 1, 0), (120, 2, 0),
             (160, 2, 0)]
STAGES = [(100, 4, 1e-5), (200, 2, 1e-6), (300, 1, 0), (400, 1, 0), (400, 1, 0), (500, 1, 0), (500, 1, 0), (700, 2, 0)]


def tenpy_stages(sites, u):
    """u: U, or "ising", H = - sum sx sx - sum sz, or "dm", H = sum Sx Sx + Sy Sy + (Sx Sy - Sy Sx) / 2."""
    import warnings

    warnings.filterwarnings("ignore")
    from tenpy.algorithms.dmrg import TwoSiteDMRGEngine
    from tenpy.models.hubbard import FermiHubbardModel
    from tenpy.models.spins import SpinChain
    from tenpy.models.tf_ising import TFIChain
    from tenpy.networks.mps import MPS

    begin = time.process_time(), time.perf_counter()
    stages = {"ising": ISING_STAGES, "dm": DM_STAGES}.get(u, STAGES)
    if u == "ising":
        model, start = TFIChain({"L": sites, "bc_MPS": "finite", "J": 1, "g": 1, "conserve": "parity"}), ["up"]
    elif u == "dm":
        model = SpinChain({"L": sites, "bc_MPS": "finite", "S": 0.5, "conserve": "Sz", "Jx": 1, "Jy": 1, "Jz": 0,
                           "muJ": 0.5})
        start = ["up", "down"]
    else:
        model = FermiHubbardModel({"L": sites, "bc_MPS": "finite", "cons_N": "N", "cons_Sz": "Sz", "t": 1, "U": u,
                                   "V": 0, "mu": 0})
        start = ["up", "down"]
    psi = MPS.from_product_state(model.lat.mps_sites(), (start * sites)[:sites], bc="finite")
    for states, sweeps, noise in stages:
        engine = TwoSiteDMRGEngine(psi, model, {
            "mixer": noise > 0, "mixer_params": {"amplitude": max(noise, 1e-9), "decay": 1, "disable_after": sweeps},
            "trunc_params": {"chi_max": states, "svd_min": 1e-10}, "min_sweeps": sweeps, "max_sweeps": sweeps,
            "N_sweeps_check": sweeps, "max_E_err": 1e-13, "lanczos_params": {"N_min": 2, "N_max": 4}, "norm_tol": None})
        energy, _ = engine.run()
        yield begin, energy, states


def block2_stages(sites, u):
    from pyblock2.driver.core import DMRGDriver, SymmetryTypes

    begin = time.process_time(), time.perf_counter()
    scratch = tempfile.mkdtemp(prefix="block2-")
    try:
        driver = DMRGDriver(scratch=scratch, symm_type=SymmetryTypes.SZ, n_threads=1, stack_mem=2 << 30)
        driver.initialize_system(n_sites=sites, n_elec=sites, spin=0)
        b = driver.expr_builder()
        for spin in ("cd", "CD"):
            for i in range(sites - 1):
                b.add_term(spin, [i, i + 1, i + 1, i], -1)
        for i in range(sites):
            b.add_term("cdCD", [i, i, i, i], u)
        mpo = driver.get_mpo(b.finalize(), iprint=0)
        ket = driver.get_random_mps(tag="KET", bond_dim=STAGES[0][0], nroots=1)
        for states, sweeps, noise in STAGES:
            energy = driver.dmrg(mpo, ket, n_sweeps=2 * sweeps, bond_dims=[states] * 2 * sweeps,
                                 noises=[noise] * 2 * sweeps,
                                 thrds=[1e-10] * 2 * sweeps, tol=0, iprint=0)  # its sweep goes in one direction
            yield begin, energy, states
    finally:
        shutil.rmtree(scratch, ignore_errors=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("peer", choices=("tenpy", "block2"))
    parser.add_argument("sites", type=int)
    parser.add_argument("u", type=lambda text: text if text in ("ising", "dm") else float(text))
    parser.add_argument("exact", type=float)
    parser.add_argument("--tolerance", type=float, default=1e-8)
    args = parser.parse_args()
    stages = {"tenpy": tenpy_stages, "block2": block2_stages}[args.peer](args.sites, args.u)
    found = {}
    with open(os.devnull, "w") as nothing:
        printed, sys.stdout = sys.stdout, nothing
        for (processor, wall), energy, states in stages:
            found = {"peer": args.peer, "seconds": time.process_time() - processor, "wall": time.perf_counter() - wall,
                     "error": energy - args.exact, "states": states}
            if abs(found["error"]) <= args.tolerance:
                break
        sys.stdout = printed
    print(json.dumps(found))


if __name__ == "__main__":
    for library in ("OMP", "MKL", "OPENBLAS"):
        os.environ[library + "_NUM_THREADS"] = "1"
    main()
