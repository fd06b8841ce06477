# SPDX-License-Identifier: BSD-3-Clause
"""A wall between spins up and down in the XX chain by TeNPy, run by evolution_peers.py in its environment: seconds of
the evolution alone, M, and S^z of all sites."""

import argparse
import json
import time
import warnings

from tenpy.algorithms.tdvp import TwoSiteTDVPEngine
from tenpy.algorithms.tebd import TEBDEngine
from tenpy.models.xxz_chain import XXZChain
from tenpy.networks.mps import MPS

warnings.simplefilter("ignore")
options = argparse.ArgumentParser(description=__doc__)
options.add_argument("engine", choices=("tdvp", "tebd"))
options.add_argument("sites", type=int)
options.add_argument("time", type=float)
options.add_argument("step", type=float)
options.add_argument("cutoff", type=float, help="smallest weight that is kept")
args = options.parse_args()

model = XXZChain({"L": args.sites, "Jxx": 1.0, "Jz": 0.0, "hz": 0.0, "bc_MPS": "finite"})
half = args.sites // 2
psi = MPS.from_product_state(model.lat.mps_sites(), half * ["up"] + (args.sites - half) * ["down"], bc="finite")
trunc = {"chi_max": 500, "svd_min": args.cutoff ** 0.5}
steps = round(args.time / args.step)
if args.engine == "tdvp":
    engine = TwoSiteTDVPEngine(psi, model, {"dt": args.step, "N_steps": steps, "trunc_params": trunc})
else:
    engine = TEBDEngine(psi, model, {"dt": args.step, "N_steps": steps, "order": 4, "trunc_params": trunc})
start = time.process_time()
engine.run()
seconds = time.process_time() - start
print(json.dumps({"seconds": seconds, "states": max(psi.chi), "sz": list(map(float, psi.expectation_value("Sz")))}))
