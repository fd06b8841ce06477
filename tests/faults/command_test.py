# SPDX-License-Identifier: BSD-3-Clause
"""The command line: outputs with definitions, help, manual pages, completion, and show of many or running jobs."""

import csv
import fcntl
import io
import json
import os
import pty
import re
import shutil
import signal
import struct
import subprocess
import termios
import time
import unittest

from program import JOBS as READY_JOBS
from program import ProgramTest

APPLICATIONS = ("swendsen-wang", "lanczos", "kronecker", "dmrg", "trotter")
KIND, NAME, UNIT, MEANING = range(4)


class Outputs(ProgramTest):
    """`strata keys APPLICATION --outputs` lists what other jobs than its samples return."""

    OTHER = {"swendsen-wang": [["--lattice.extents=6,6", "--run.sweeps=60"]],
             "lanczos": [["--lattice.extents=8", "--sector.up=4", "--sector.down=4", *more]
                         for more in ([], ["--run.task=thermal", "--thermal.samples=2"],
                                      ["--run.task=spectrum", "--spectrum.operator=removal"])],
             "kronecker": [["--model.sites=10", "--model.saved-states=20", "--model.operators=2"]],
             "dmrg": [["--lattice.extents=5", "--run.schedule=20,20", "--run.noise=0", "--run.measure=correlations"]],
             "trotter": [["--lattice.extents=5", "--run.steps=3",
                          "--run.observables=sz,energy,correlations-z,staggered"]]}

    def listed(self, application):
        out, _ = self.strata("keys", application, "--outputs")
        rows = [re.match(r"  (\S+) +(\S+) +(\S+) +(\S.*)", line) for line in out.splitlines() if line.startswith("  ")]
        self.assertTrue(all(rows), out)
        return [row.groups() for row in rows]

    def check(self, application):
        rows = self.listed(application)
        names = {kind: "|".join(re.escape(r[NAME]).replace("N", r"\d+") for r in rows if r[KIND] == kind)
                 for kind in ("result", "performance")}
        self.write("a.ini", self.strata("example", application)[0])
        for more in self.OTHER[application]:
            scan = ["--scan.model.temperature=2.3"] if application == "swendsen-wang" else []
            self.strata("run", "a.ini", "--output.overwrite=yes", "--backend.threads=1", *more, *scan)
            report = json.loads(self.strata("show", "out/a.h5", "--json")[0])
            for name in report["observables"]:
                self.assertRegex(name, f"^({names['result']})$")
            for name in report.get("performance", ()):
                self.assertRegex(name, f"^({names['performance']})$")

    def test_word(self):
        out, _ = self.strata("keys", "kronecker", "checksum", "--outputs")
        self.assertIn("checksum", out)
        self.assertNotIn("gflops", out)
        self.assertIn("No output", self.strata("keys", "kronecker", "nonsense", "--outputs", code=2)[1])


class WithoutMpi(ProgramTest):
    """Verbs that only print, and jobs that are refused."""

    def test_need_no_mpi(self):
        broken = {"OMPI_MCA_pml": "none-such", "OMPI_MCA_btl": "none-such"}
        self.strata("run", self.job())
        for words in (["plan", "a.ini"], ["show", "out/a.h5"], ["keys", "lanczos"], ["example", "dmrg"], ["help"]):
            alone, launched = (re.sub(r"free on this node: .*", "", self.strata(*words, environment=e, ranks=ranks)[0])
                               for e, ranks in ((broken, None), (None, 1)))
            self.assertEqual(alone, launched)
        for words in (["plan", "missing.ini"], ["run", "missing.ini"], ["run", "a.ini", "--run.sweep=3"]):
            _, alone = self.strata(*words, environment=broken, code=2)
            # mpirun adds words of its own
            self.assertTrue(self.strata(*words, ranks=1, code=2)[1].startswith(alone), alone)
        done = subprocess.run(self.command(None, "run", "a.ini"), cwd=self.directory, env={**os.environ, **broken},
                              capture_output=True, timeout=60)
        self.assertNotEqual(done.returncode, 0)  # else the settings break nothing

    def test_are_printed_by_one_rank(self):
        alone, _ = self.strata("keys", "kronecker")
        self.assertEqual(self.strata("keys", "kronecker", ranks=3)[0], alone)


for one in APPLICATIONS:
    setattr(Outputs, "test_" + one.replace("-", "_"), lambda self, one=one: self.check(one))


class Show(ProgramTest):
    def test_many_files_are_a_table_of_the_keys_that_differ(self):
        for beta in ("0.3", "0.44"):
            self.strata("run", self.job(extents="16,16", beta=beta, name=f"b{beta}.ini"))
        paths = ["out/b0.3.h5", "out/b0.44.h5"]
        table, _ = self.strata("show", *paths)
        self.assertRegex(table, r"point +file +model.beta +")
        self.assertNotIn("lattice.extents", table)
        rows = list(csv.DictReader(io.StringIO(self.strata("show", *paths, "--csv")[0])))
        self.assertEqual([row["file"] for row in rows], paths)
        self.assertEqual([row["model.beta"] for row in rows], ["0.3", "0.44"])
        for row in rows:
            alone = json.loads(self.strata("show", row["file"], "--json")[0])["observables"]["energy"]
            self.assertEqual((float(row["energy"]), float(row["energy_error"])), (alone["value"], alone["error"]))
        for wrong in (["--json"], ["--watch"]):
            self.strata("show", *paths, *wrong, code=2)
        folder = sorted(str(path.relative_to(self.directory)) for path in self.directory.glob("out/*.h5"))
        self.assertEqual(len(folder), 4)  # with the checkpoints, as of out/*.h5
        self.assertEqual(self.strata("show", *folder, "--csv"), self.strata("show", *paths, "--csv"))
        self.assertIn("is a checkpoint", self.strata("show", *folder[:1], code=4)[1])
        self.assertIn("does not exist", self.strata("show", paths[0], "out/none.h5", code=4)[1])

    def test_series_are_csv(self):
        import h5py

        self.strata("run", self.job(extents="8,8"), "--run.sweeps=20", "--run.thermalization=0", "--backend.threads=1")
        self.strata("run", self.job(extents="8,8", name="scan.ini"), "--run.sweeps=20", "--scan.run.seed=1:3:1")
        for name, first in (("a", []), ("scan", ["point", "run.seed"])):
            header, *lines = self.strata("show", f"out/{name}.h5", "--series")[0].splitlines()
            rows = [line.split(",") for line in lines]
            with h5py.File(self.directory / f"out/{name}.h5") as file:
                names = header.split(",")
                self.assertEqual(names[:len(first)], first)
                self.assertEqual(sorted(names[len(first):]), sorted(set(file["series"]) - {"point"}))
                for column, label in enumerate(names):
                    if label in file["series"]:
                        self.assertEqual([float(row[column]) for row in rows], list(file["series"][label][()]), label)
                if first:
                    self.assertEqual([row[1] for row in rows], [str(p + 1) for p in file["series/point"][()]])

    def test_a_running_job_is_shown_from_its_lock(self):
        run = self.start(None, "run", self.job(extents="512,512", sweeps=10**7))
        self.wait_for("out/a.lock")
        self.addCleanup(run.kill)
        end = time.monotonic() + 60
        while "sweeps" not in (self.directory / "out/a.lock").read_text():
            self.assertLess(time.monotonic(), end)
            time.sleep(0.02)
        shown, _ = self.strata("show", "out/a.h5")
        self.assertIn(f"running: process {run.pid} on ", shown)
        self.assertRegex(shown, r"%  \d+/10000010 sweeps")
        self.assertIn("No results yet", shown)
        run.send_signal(signal.SIGUSR2)
        run.communicate(timeout=60)
        watched, _ = self.strata("show", "out/a.h5", "--watch")
        self.assertNotIn("running:", watched)
        self.assertIn("Results so far", watched)
        # the lock of a process that was killed is no running job
        (self.directory / "out/a.lock").write_text(f"{subprocess.getoutput('hostname')} 1 2026-01-01T00:00:00Z\nold\n")
        self.assertNotIn("running:", self.strata("show", "out/a.h5")[0])

    def test_a_running_scan_says_how_many_points_are_done(self):
        run = self.start(None, "run", self.job(extents="64,64", sweeps=2000), "--scan.run.seed=1:9999:1")
        self.addCleanup(run.kill)
        self.wait_for("out/a.lock")
        end, shown = time.monotonic() + 60, ""
        while not re.search(r"[1-9]\d* of 9999 points \(running\)", shown):
            self.assertLess(time.monotonic(), end)
            time.sleep(0.1)
            shown = self.strata("show", "out/a.h5")[0] if (self.directory / "out/a.h5").exists() else ""
        self.assertIn(f"running: process {run.pid} on ", shown)
        self.assertRegex(shown, r"%  \d+ of 9999 points, 1 under way  (about .* left|time left not known yet)\n")
        run.send_signal(signal.SIGUSR2)
        run.communicate(timeout=60)
        self.assertRegex(self.strata("show", "out/a.h5")[0], r"\d+ of 9999 points \(stopped\)")


class Plot(ProgramTest):
    def test_it_starts_the_script_beside_the_program(self):
        self.strata("run", self.job(extents="16,16"))
        out, _ = self.strata("plot", "--what=energy", "--dpi=30", "out/a.h5")
        self.assertEqual(out, "out/a.png\n")
        self.assertTrue((self.directory / "out/a.png").exists())
        alone = self.directory / "strata"
        shutil.copy(self.command(None)[0], alone)
        done = subprocess.run([alone, "plot", "out/a.h5"], capture_output=True, text=True)
        self.assertEqual((done.returncode, done.stdout), (4, ""))
        self.assertIn("is not installed", done.stderr)


class Help(ProgramTest):
    def test_a_number_of_threads_that_is_not_used_is_named(self):
        for threads, named in (("1", False), ("7", True)):
            out, _ = self.strata("run", self.job(), "--backend.threads=1", "--output.overwrite=yes",
                                 environment={"OMP_NUM_THREADS": threads})
            self.assertEqual("OMP_NUM_THREADS = 7 is not used" in out, named, out)

    def test_of_verbs_and_applications(self):
        for words in (["help", "run"], ["run", "--help"]):
            out, _ = self.strata(*words)
            self.assertTrue(out.startswith("strata run JOB.ini"), out)
            self.assertNotIn("full digits", out)
        self.assertIn("full digits", self.strata("help", "show")[0])
        self.assertIn("Keys of dmrg", self.strata("help", "dmrg")[0])
        self.assertIn("nonsense", self.strata("help", "nonsense", code=2)[1])

    def test_examples_are_ready_jobs(self):
        out, _ = self.strata("example")
        jobs = sorted(READY_JOBS.glob("*.ini"))
        for job in jobs:
            self.assertRegex(out, rf"(?m)^  {job.stem} +\S")
        self.assertEqual(self.strata("example", "hubbard-ring")[0], (READY_JOBS / "hubbard-ring.ini").read_text())
        text, err = self.strata("example", "aklt-ring")
        self.assertEqual(text, (READY_JOBS / "aklt-ring.ini").read_text())
        self.assertIn("This job reads aklt-ring.txt", err)

    def test_switches_of_other_verbs_are_refused(self):
        for words in (["run", "a.ini", "--watch"], ["show", "a.h5", "--outputs"], ["keys", "--outputs"]):
            self.strata(*words, code=2)

    def test_manual_pages_have_no_errors(self):
        for words in (["manual"], *(["manual", name] for name in APPLICATIONS)):
            page, _ = self.strata(*words)
            self.assertTrue(page.startswith(".TH strata"))
            if shutil.which("groff"):
                done = subprocess.run(["groff", "-man", "-ww", "-Tascii"], input=page, capture_output=True, text=True,
                                      check=True)
                self.assertEqual(done.stderr, "")
                self.assertIn("KEYS" if len(words) > 1 else "OPTIONS", re.sub(".\b", "", done.stdout))


class Completion(ProgramTest):
    def completed(self, line):
        script = 'source strata.bash; COMP_LINE=$1; COMP_POINT=${#1}; _strata; echo "${COMPREPLY[@]}"'
        done = subprocess.run(["bash", "-c", script, "bash", line], cwd=self.directory, capture_output=True, text=True,
                              check=True)
        return done.stdout.split()

    def test_in_a_shell(self):
        self.write("strata.bash", self.strata("completion")[0])
        self.job()
        for line, expected in (("strata r", ["resume", "run"]), ("strata keys l", ["lanczos"]),
                               ("strata show --j", ["--json"]), ("strata plan --ra", ["--ranks="]),
                               ("strata run a", ["a.ini"]), ("strata run a.ini --run.sw", ["--run.sweeps="]),
                               ("strata run a.ini --run.start=", ["cold", "hot"]), ("strata show --run.sw", []),
                               ("strata run a.ini --application=lanczos --run.task=sp", ["spectrum"])):
            self.assertEqual(sorted(self.completed(line)), expected, line)


class NarrowTerminal(ProgramTest):
    def test_lines_of_progress_do_not_scroll(self):
        for columns in (20, 40, 200):
            ours, theirs = pty.openpty()
            fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
            command = self.command(None, "run", self.job(extents="256,256", sweeps=10**8), "--output.overwrite=yes",
                                   "--run.wall-time=4s")
            # the program asks whether the process that has started it shows its output on a terminal, too
            run = subprocess.Popen(["sh", "-c", '"$@"; exit $?', "sh", *command], cwd=self.directory, stdout=theirs,
                                   stderr=theirs, start_new_session=True)
            os.close(theirs)
            shown = b""
            try:
                while piece := os.read(ours, 4096):
                    shown += piece
            except OSError:  # the end of a terminal
                pass
            os.close(ours)
            self.assertEqual(run.wait(timeout=60), 0)
            redrawn = [line for line in re.findall(r"\r([^\r\n]*)(?=\r[^\n])", shown.decode()) if "%" in line]
            self.assertTrue(redrawn, shown)
            self.assertLess(max(map(len, redrawn)), columns)
            self.assertEqual(any(line.startswith("[") for line in redrawn), columns > 100)


if __name__ == "__main__":
    unittest.main()
