#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""perf/papers/papers.py with small sizes: its files and tables appear, and its exact comparisons hold (energies and
specific heats of the square lattice, the energy of Lieb and Wu, counts of operations, orders of the splittings). No
time is looked at."""

import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

SCRIPT = pathlib.Path(__file__).resolve().parents[1] / "perf/papers/papers.py"
PROGRAM = pathlib.Path(os.environ["STRATA_PROGRAM"]).resolve()
MPIRUN = pathlib.Path(os.environ.get("STRATA_MPIEXEC") or shutil.which("mpirun")).resolve()


class InFolder(unittest.TestCase):
    def setUp(self):
        self.directory = pathlib.Path(tempfile.mkdtemp(prefix="strata papers "))  # a path with a blank, on purpose

    def tearDown(self):
        shutil.rmtree(self.directory, ignore_errors=True)

    def tables(self, paper):
        """Runs a paper; its tables by their titles, of which every row must be in the Markdown, too."""
        path = f"{MPIRUN.parent}:{os.environ['PATH']}"
        done = subprocess.run([sys.executable, str(SCRIPT), paper, "--quick", f"--build={PROGRAM.parents[1]}",
                               f"--output={self.directory}"],
                              capture_output=True, text=True, env={**os.environ, "PATH": path}, timeout=600)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertEqual(sorted(p.name for p in self.directory.iterdir()),
                         [f"{paper}.json", f"{paper}.md", f"{paper}.png"])
        self.assertEqual((self.directory / f"{paper}.png").read_bytes()[:4], b"\x89PNG")
        self.assertLess((self.directory / f"{paper}.png").stat().st_size, 100000)
        found = json.loads((self.directory / f"{paper}.json").read_text())
        for word in ("processor", "busy cores before", "commit", "date"):
            self.assertIn(word, found["machine"])
        rows = sum(map(len, found["tables"].values()))
        lines = (self.directory / f"{paper}.md").read_text().splitlines()
        self.assertEqual(sum(line.startswith("| ") for line in lines), rows + 2 * len(found["tables"]))
        self.assertTrue(all(found["tables"].values()))
        return found["tables"]


class Wende(InFolder):
    def test_tables(self):
        tables = self.tables("wende")
        square = tables["Table 2, square lattice"]
        self.assertEqual([row["L"] for row in square], [64, 128])
        for row in square:
            self.assertLess(abs(float(row["-E"]) - float(row["exact"])), 4 * row["error"])
            self.assertLess(row["error"], 0.01)
        self.assertEqual(tables["Table 2, cubic lattice"][0]["published"], "1.006960")
        times = tables["Figures 7 and 8: time against L and threads"]
        self.assertEqual({(row["dimensions"], row["L"]) for row in times}, {(2, 128), (3, 32)})
        self.assertEqual(times[0]["GPU"], "not measured")


class Siro(InFolder):
    def test_tables(self):
        tables = self.tables("siro")
        rows = next(rows for title, rows in tables.items() if title.startswith("Figures 3 to 6"))
        self.assertEqual([row["states"] for row in rows], [325, 14950, 435, 4060, 324, 23409, 324, 23409])
        self.assertLess(abs(tables["Exact comparison"][0]["difference"]), 1e-9)
        self.assertIn("not at hand", [row["value"] for row in tables["Published"]])


class Hernandez(InFolder):
    def test_tables(self):
        tables = self.tables("hernandez")
        variants = [row["variant"] for row in tables["Loops, tasks and batches"] if row["threads"] == 1]
        for way in ("loops", "tasks", "batched", "fused"):
            self.assertIn(way, " ".join(variants))
        self.assertIn("own", variants)
        published = next(row for row in tables["Load balance"] if row["width"] == 1 and row["ranks"] == 32)
        self.assertLess(published["cut at columns"], 1.01)
        self.assertGreater(published["cut at rows"], 1.5)


class Dente(InFolder):
    def test_tables(self):
        tables = self.tables("dente")
        orders = {}
        for row in tables["Accuracy: error against the step"]:
            if row["order"] is not None:
                orders.setdefault(row["splitting"], []).append(row["order"])
        self.assertEqual([round(sum(o) / len(o)) for o in orders.values()], [2, 4, 4])
        self.assertLess(float(tables["Accuracy: forward and back"][-1]["1 - echo"]), 1e-11)


if __name__ == "__main__":
    unittest.main(verbosity=2)
