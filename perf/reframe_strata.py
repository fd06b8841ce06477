# SPDX-License-Identifier: BSD-3-Clause
"""Scaling of the ready jobs under ReFrame: perf/scale.py runs all layouts, the check takes its JSON.

    STRATA_PROGRAM=build/release/src/strata reframe -c perf/reframe_strata.py -r --performance-report
    ... -S ranks=1,2,4,8 -S start_ranks=srun      other layouts; inside an allocation, or with the scheduler of your
    ReFrame site

A layout that ends in another state than the first fails, since scale.py then leaves with 2. ReFrame keeps the figures
and compares them with the references that you give."""

import json
import os
import pathlib

import reframe as rfm
import reframe.utility.sanity as sn
from reframe.core.builtins import parameter, run_after, sanity_function, variable

ROOT = pathlib.Path(__file__).resolve().parents[1]
JOBS = {"ising-2d-critical": "--lattice.extents=512,512 --run.sweeps=200",
        "hubbard-ring": "--lattice.extents=10 --sector.up=5 --sector.down=5",
        "neel-evolution": "--evolution.steps=10"}


@rfm.simple_test
class Scaling(rfm.RunOnlyRegressionTest):
    valid_systems = ["*"]
    valid_prog_environs = ["*"]
    job_name = parameter(sorted(JOBS))
    ranks = variable(str, value="1,2")
    threads = variable(str, value="1")
    start_ranks = variable(str, value="mpirun")  # or srun
    executable = "/usr/bin/python3"  # needs h5py and matplotlib

    @run_after("setup")
    def set_command(self):
        self.job.launcher = rfm.core.backends.getlauncher("local")()  # scale.py starts the ranks itself
        program = pathlib.Path(os.environ.get("STRATA_PROGRAM", "strata"))
        self.executable_opts = [str(ROOT / "perf/scale.py"), str(ROOT / f"jobs/{self.job_name}.ini"),
                                *JOBS[self.job_name].split(),
                                f"--program={program.resolve() if os.sep in str(program) else program}",
                                f"--ranks={self.ranks}", f"--threads={self.threads}", f"--launcher={self.start_ranks}"]

    @sanity_function
    def same_state_on_all_layouts(self):
        return sn.assert_found("All layouts ended in the same state", self.stdout)

    @run_after("sanity")
    def take_figures(self):
        cases = json.loads((pathlib.Path(self.stagedir) / "scaling.json").read_text())["cases"]
        for case in cases:
            layout = f"{case['ranks']}x{case['threads']}"
            times = sorted(case["seconds_per_step"])
            self.perf_variables[f"step_{layout}"] = sn.make_performance_function(sn.defer(1e3 * times[len(times) // 2]),
                                                                                 "ms")
            self.perf_variables[f"efficiency_{layout}"] = sn.make_performance_function(sn.defer(case["efficiency"]),
                                                                                       "1")
