# SPDX-License-Identifier: BSD-3-Clause
"""Points of a scan that a rank computes together: each has the bits of a job alone, in any batches, on any ranks, and
after stops and kills within a batch."""

import os
import random
import re
import signal
import time
import unittest

from program import ScanTest, kill_rank

GLASS = """application = swendsen-wang
[lattice]
extents = {extents}
[model]
opposite-bonds = 0.5
temperature = 1.5
[run]
update = metropolis
clusters = no
thermalization = 20
sweeps = {sweeps}
measure-every = {every}
seed = 3
[backend]
threads = 1
[checkpoint]
interval = {interval}
[scan]
{scan}
"""


class Batches(ScanTest):
    def glass(self, name="a", extents="16,16", sweeps=200, every=2, interval="10min",
              scan="model.disorder-seed = 1:70:1\nseeds = different", without=()):
        """Without the keys that have other values, in the scan or on the command line."""
        text = GLASS.format(extents=extents, sweeps=sweeps, every=every, interval=interval, scan=scan)
        for key in without:
            text = re.sub(f"^{key.split('.')[1]} = .*\n", "", text, count=1, flags=re.M)
        return self.write(f"{name}.ini", text if scan else text.replace("[scan]\n", ""))

    def numbers(self, name="a"):
        """All that a scan has computed: series, results and hashes, as bytes."""
        import h5py

        with h5py.File(self.directory / f"out/{name}.h5") as file:
            names = [f"{group}/{member}" for group in ("scan", "series", "observables") if group in file
                     for member in file[group]]
            return {name: file[name][()].tobytes() for name in names if isinstance(file[name], h5py.Dataset)} | {
                "hash": file["points/state_hash"][()].tobytes()}

    def test_points_are_the_jobs_that_they_would_be_alone(self):
        for extents, scan, keys in (
                ("16,16", "model.disorder-seed = 1:9:1\nseeds = different", ("model.disorder-seed", "run.seed")),
                ("4,6,10", "model.temperature = 0.7, 1.1, 1.6, 2.5\nmodel.field = 0, 0.3, -2",
                 ("model.temperature", "model.field")),
                ("8,8", "lattice.extents = 8,8; 9,6\nlattice.boundaries = periodic,periodic; open,antiperiodic\n"
                        "run.seed = 4:9:1\ntogether = lattice.extents, lattice.boundaries",
                 ("lattice.extents", "lattice.boundaries", "run.seed"))):
            scanned = [key for key in keys if key in scan]
            self.glass(extents=extents, scan=scan, without=scanned)
            self.strata("run", "a.ini", "--output.overwrite=yes")
            table = self.result("a")
            hashes = table["state_hash"]
            self.glass("one", extents=extents, scan="", without=scanned)
            for point in random.Random(5).sample(range(len(hashes)), 4):
                values = [f"--{key}={self.value_of(table['scan'][key][point])}" for key in keys]
                self.strata("run", "one.ini", "--output.overwrite=yes", *values)
                alone = self.result("one")
                self.assertEqual(hashes[point], alone["state_hash"], (extents, values))
                for name, quantity in alone["observables"].items():
                    for kind in [k for k in ("value", "error", "tau") if k in quantity]:
                        self.assertEqual(table["observables"][name][kind][point], quantity[kind], (name, values))

    @staticmethod
    def value_of(value):
        return ",".join(str(v) for v in value) if isinstance(value, list) else value

    def test_bits_do_not_depend_on_ranks(self):
        self.glass()
        expected = None
        for ranks, each in ((1, 1), (2, 1), (3, 1), (2, 2)):
            self.strata("run", "a.ini", f"--scan.ranks-per-point={each}", "--output.overwrite=yes", ranks=ranks)
            expected = expected or self.numbers()
            self.assertEqual(self.numbers(), expected, (ranks, each))

    def test_replicas_of_tempering_are_those_of_slabs(self):
        """On one rank they are side by side; on twice as many ranks as replicas each is divided into two slabs."""
        for extents, keys in (("16,16", ["--run.tempering=1,1.3,1.6"]),
                              ("4,6,8", ["--run.tempering=1,2,3", "--model.field=0.2", "--run.exchange-every=2"]),
                              ("8,16", ["--run.tempering=0.9,1.4", "--run.overlap=yes"])):
            self.glass(extents=extents, scan="", without=["model.temperature"])
            ranks = 2 * sum(key.count(",") + 1 for key in keys[:1]) * (2 if "--run.overlap=yes" in keys else 1)
            hashes = []
            for name, number in (("one", 1), ("all", ranks), ("some", 2)):
                self.strata("run", "a.ini", *keys, f"--output.name={name}", "--output.overwrite=yes", ranks=number)
                hashes.append((self.result(name)["state_hash"], self.result(name)["observables"]))
            self.strata("run", "a.ini", *keys, "--run.sweeps=77", "--output.overwrite=yes")
            self.strata("resume", "out/a.checkpoint.h5", "--run.sweeps=200", "--backend.simd=portable")
            hashes.append((self.result("a")["state_hash"], self.result("a")["observables"]))
            for other in hashes[1:]:
                self.assertEqual(other, hashes[0], extents)

    def test_they_go_on_after_stops_and_kills(self):
        sweeps = 800000
        self.glass("whole", sweeps=sweeps, every=1000)
        self.strata("run", "whole.ini", ranks=2)
        expected = self.numbers("whole")
        self.glass(sweeps=sweeps, every=1000, interval="0.1s")
        chance = random.Random(9)
        points = lambda: [f for f in os.listdir(self.directory / "out") if f.startswith("a.point")]  # noqa: E731
        within = 0
        for interruption in range(5):
            ranks = 1 + interruption % 2
            run = self.start(ranks, "resume" if interruption else "run", "out/a.h5" if interruption else "a.ini")
            self.wait_for("out/a.h5")
            time.sleep(chance.uniform(0.3, 0.7))
            if interruption % 2:
                kill_rank(run, ranks, chance.randrange(ranks))
            else:
                run.send_signal(signal.SIGUSR2)
                out, err = run.communicate(timeout=120)
                self.assertEqual(run.returncode, 0, out + err)
            within += len(points()) > 1
        self.assertGreater(within, 0)
        self.strata("resume", "out/a.h5", ranks=2)
        self.assertEqual(self.numbers(), expected)
        self.assertEqual(points(), [])


if __name__ == "__main__":
    unittest.main()
