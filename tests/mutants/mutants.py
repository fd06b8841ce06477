#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Breaks the sources in one place after another and reports which test notices.

    git worktree add --detach ../scratch && cmake -S ../scratch -B ../scratch/build/dev ...
    tests/mutants/mutants.py ../scratch [--build build/dev] [--only N ...] [--jobs 2]
    tests/mutants/mutants.py --list

Each mutant replaces a text that occurs once in its file; only the targets its tests need are built, the tests run in a
fixed order up to the first that fails, and the file is restored. The randomised oracle runs in any case, alone. The
unbroken tree must pass everything first. A tool for developers: ctest does not run it.
"""

import argparse
import collections
import os
import pathlib
import re
import subprocess
import sys
import threading
import time

import dmrg
import ising
import lanczos
import lanczos_operators
import shared
import trotter

TABLES = (lanczos, lanczos_operators, ising, dmrg, trotter, shared)
Mutant = collections.namedtuple("Mutant", "number area file old new what")
MUTANTS = sorted(Mutant(number, area, file, *texts) for table in TABLES for area, files in table.MUTANTS.items()
                 for file, some in files.items() for number, *texts in some)

# Per area: gtest filters on 1 and on several ranks, the randomised oracle, what runs on 2 ranks only where all before
# passes (or a script of tests/faults), and the several ranks.
FRAME_TESTS = "Collectives*:*Pieces*:Checkpoint*:Slabs*:Run*:Collectively*:Placement*:Watchdogs*:Recordings*"
TROTTER_PHYSICS = "Splittings*:TwoSpins*:XxChain*:RandomStates*:Echo*"
AREAS = {
    "lanczos": ((f"-{FRAME_TESTS}:*Resolve*:*Trajectory*",
                 "*Multiply*:*SameBits*:Energies.OfC*:Observables.AreThose*:Spectrum.IsThatOf*:LowestStates.AreThose*"),
                ["lanczos_oracle.py", "--count", "60", "--seed", "3"], [], 3),
    "sectors": (2 * ("Sector*:SmallestImages*:Orbit*:Certified*:Thermal*:TakenUpAgain*",),
                ["lanczos_oracle.py", "--count", "150", "--seed", "3"], [], 3),
    "products": (2 * ("OperatorSum*:SubsetStates*:"
                       "BitStrings*:Terms*:SplitTerms*:Products*:Tridiagonal*:TakenUpAgain*",),
                 ["products_oracle.py", "--count", "80"], [], 3),
    "symmetric": (2 * ("SmallestImages*:Orbit*:HalfWeighted*:TotalSpins*",), ["sectors_oracle.py", "--count", "150"],
                  [("observables_test.py", "")], 2),
    "particle-hole": (2 * ("ParticlesAndHoles*:SmallestImages*",), ["particle_hole_oracle.py", "--count", "80"], [], 2),
    "driven": (2 * ("DriveFactor*:DrivenExponential*",), ["products_oracle.py", "--count", "120", "--seed", "5"],
               [("driven_test.py", "")], 2),
    "patterns": (2 * ("Terms*:Products*",), ["patterns_oracle.py", "--count", "80"], [], 3),
    "ising": (2 * ("*Resolve*:*Trajectory*:StructureFactor*:Invariants*:LabelOwnership*:Cluster*",),
              ["ising_oracle.py", "--count", "60"], [("physics_tests", f"-{TROTTER_PHYSICS}:Kronecker*:Dmrg*")], 3),
    "walls": (2 * ("DomainWalls*",), ["ising_oracle.py", "--count", "2"],
              [("ising_test.py", "Tempering.test_missing_domain_walls_leave_no_errors")], 2),
    "replicas": (2 * ("*Replicas*:Scan*",), ["ising_oracle.py", "--count", "2"], [("batches_test.py", "")], 2),
    "frame": (2 * (FRAME_TESTS,), ["lanczos_oracle.py", "--count", "60", "--seed", "3"], [], 3),
    "trotter": (2 * ("Trotter*",), ["trotter_oracle.py", "--count", "20"], [("physics_tests", TROTTER_PHYSICS)], 4),
    "kronecker": (2 * ("Kronecker*:PatchExchange*",), ["kronecker_oracle.py", "--count", "30"],
                  [("physics_tests", "Kronecker*")], 3),
    "dmrg": (2 * ("Dmrg*:Job.*:Krylov.*Guess*",), ["dmrg_oracle.py", "--count", "30"], [("physics_tests", "Dmrg*")], 3),
    "dmrg-evolution": (2 * ("DmrgEvolution*",), ["tensor_evolution.py", "--count", "200"], [], 3),
    "dmrg-thermal": (2 * ("DmrgEvolution*",), ["tensor_thermal.py", "--count", "200"], [], 3),
    "dmrg-terms": (2 * ("DmrgTerms*:DmrgSuperblock*",), ["products_oracle.py", "--count", "150"], [], 3),
    "dmrg-jobs": (2 * ("Job.*",), ["dmrg_oracle.py", "--count", "2"],
                  [("dmrg_test.py", "Dmrg.test_settings_of_several_states_do_not_change_halfway "
                                    "Dmrg.test_bad_input_is_told_in_one_sentence")], 2),
    "measurements": (2 * ("Checkpoint*",), ["lanczos_oracle.py", "--count", "2"], [("measure_test.py", "")], 2),
    "names": (2 * ("Terms*",), ["lanczos_oracle.py", "--count", "2"], [("names_test.py", "")], 2),
    "ranks": (2 * (FRAME_TESTS,), ["lanczos_oracle.py", "--count", "2"],
              [("faults_test.py", "Kills.test_a_throwing_rank_ends_all_with_a_sentence"),
               ("faults_test.py", "Kills.test_ranks_that_a_launcher_of_another_mpi_starts"),
               ("failing_ranks_test.py", "")], 2),
    "models": (2 * ("Positions*:Lattices*:Dmrg*:TrotterHamiltonian*",), ["lanczos_oracle.py", "--count", "100"], [], 3),
    "trotter-device": (2 * ("TrotterPlans*",), ["trotter_oracle.py", "--count", "2"],
                       [("cuda_tests_emulated", "TrotterCuda*")], 4),
}
LIMIT = 240  # seconds, of one command


class Tree:
    """A checkout that may be broken, and its build."""

    def __init__(self, root, build, jobs):
        self.root, self.build, self.jobs = pathlib.Path(root).resolve(), build, jobs
        self.environment = {**os.environ, "OMP_WAIT_POLICY": "passive", "PYTHONDONTWRITEBYTECODE": "1",
                            "STRATA_PROGRAM": str(self.root / build / "src/strata"), "STRATA_MPIEXEC": "mpirun"}
        if subprocess.run(["git", "diff", "--quiet"], cwd=self.root).returncode != 0:
            sys.exit(f"{self.root} has uncommitted changes; give a scratch worktree.")

    def make(self, area):
        targets = ["strata", "unit_tests", "mpi_tests", "throwing_rank", "failing_rank"]
        targets += [program for program, _ in AREAS[area][2] if not program.endswith(".py")]
        done = subprocess.run(["cmake", "--build", self.build, f"-j{self.jobs}", "--target", *targets], cwd=self.root,
                              capture_output=True, text=True, env=self.environment)
        return "" if done.returncode == 0 else (re.findall(r".*error:.*", done.stdout) or ["?"])[0]

    def failing_test(self, program, filter_="*", ranks=0):
        """Name of the first gtest case that fails; empty if none does."""
        command = [str(self.root / self.build / "tests" / program), "--gtest_color=no", f"--gtest_filter={filter_}"]
        if ranks:
            command = ["mpirun", "-n", str(ranks), *command]
        process = subprocess.Popen(command, cwd=self.root, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                                   errors="replace", env={**self.environment, "OMP_NUM_THREADS": "1" if ranks else "2"})
        timer = threading.Timer(LIMIT, process.terminate)
        timer.start()
        case, failed = "start", ""
        for line in process.stdout:
            if found := re.match(r"\[ RUN +\] (\S+)", line):
                case = found.group(1)
            if found := re.match(r"\[rank \d+\] (\S+) failed at|.*: (Failure)$|.*\[  FAILED  \] (\S+)", line):
                failed = failed or (found.group(1) or found.group(3) or case).rstrip(",")
                process.terminate()  # MPI's other ranks might wait for ever
        process.wait()
        timer.cancel()
        if not failed and process.returncode != 0:
            failed = f"{case} (exit code {process.returncode})"
        return failed and f"{program}{f' on {ranks}' if ranks > 1 else ''}: {failed}"

    def failing_script(self, script, names):
        """Name of the first test of a script of tests/faults that fails; empty if none does."""
        tests = self.root / self.build / "tests"
        environment = {**self.environment, "STRATA_THROWING_RANK": str(tests / "throwing_rank"),
                       "STRATA_FAILING_RANK_LIBRARY": str(tests / "libfailing_rank.so")}
        done = subprocess.run(["/usr/bin/python3", str(self.root / "tests/faults" / script), *names.split()],
                              capture_output=True, text=True, errors="replace", env=environment)
        failed = re.search(r"^(?:FAIL|ERROR): (.+)", done.stderr, re.M)
        return f"{script}: {failed.group(1) if failed else '?'}" if done.returncode != 0 else ""

    def oracle(self, area):
        """What the randomised oracle finds: jobs that fail and the kinds of failures seen most."""
        script, *rest = AREAS[area][1]
        try:
            done = subprocess.run(["/usr/bin/python3", str(self.root / "tests/oracle" / script), *rest], cwd=self.root,
                                  capture_output=True, text=True, errors="replace", timeout=2 * LIMIT,
                                  env=self.environment)
        except subprocess.TimeoutExpired:
            return "does not end"
        if done.returncode == 0:
            return ""
        listed = done.stdout.partition("failures by kind:\n")[2].partition("failed indices")[0]
        kinds = re.findall(r"^ *\d+ (.+)$", listed, re.M)
        number = re.search(r"(\d+) jobs failed", done.stdout)
        told = "; ".join(" ".join(kind.split())[:60] for kind in kinds[:2])
        last_line = (done.stdout + done.stderr).strip().split("\n")[-1][:100]
        return f"{number.group(1) if number else '?'} jobs: {told or last_line}"

    def examine(self, area):
        """(first test that fails, oracle)"""
        oracle = self.oracle(area)
        filters, _, more, ranks = AREAS[area]
        caught = (self.failing_test("unit_tests") or self.failing_test("mpi_tests", filters[0], 1)
                  or self.failing_test("mpi_tests", filters[1], ranks) or ("oracle" if oracle else ""))
        for program, filter_ in more:
            if not caught and program.endswith(".py"):
                caught = self.failing_script(program, filter_)
            elif not caught:
                caught = self.failing_test(program, filter_, ranks=2)
        return caught, oracle

    def row(self, mutant):
        path = self.root / mutant.file
        text = path.read_text()
        try:
            path.write_text(text.replace(mutant.old, mutant.new))
            error = self.make(mutant.area)
            caught, oracle = (f"does not compile: {error}", "") if error else self.examine(mutant.area)
        finally:
            path.write_text(text)
        return f"| {mutant.number} | {mutant.file} | {mutant.what} | {caught or 'SURVIVED'} | {oracle or '-'} |"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("tree", nargs="?", help="a scratch worktree with a configured build")
    parser.add_argument("--build", default="build/dev", help="its build folder")
    parser.add_argument("--jobs", type=int, default=2, help="of the build")
    parser.add_argument("--only", type=int, action="append", help="numbers of mutants")
    parser.add_argument("--list", action="store_true", help="shows the mutants, and whose text is lost")
    parser.add_argument("--skip-check", action="store_true", help="the unbroken tree has passed before")
    options = parser.parse_args()
    root = pathlib.Path(options.tree or pathlib.Path(__file__).resolve().parents[2])
    chosen = [m for m in MUTANTS if not options.only or m.number in options.only]
    lost = [m for m in chosen if (root / m.file).read_text().count(m.old) != 1]
    if options.list or lost or not options.tree:
        for m in chosen:
            print(f"{m.number:3} {'NOT FOUND ONCE ' if m in lost else ''}{m.file}: {m.what}")
        return 1 if lost else 0
    tree = Tree(options.tree, options.build, options.jobs)
    for area in [] if options.skip_check else sorted({m.area for m in chosen}):
        complaint = tree.make(area) or "; ".join(filter(None, tree.examine(area)))
        if complaint:
            sys.exit(f"The unbroken tree fails ({area}): {complaint}")
    print("| | file | mutant | caught first by | by the randomised oracle alone |\n|---|---|---|---|---|", flush=True)
    for m in chosen:
        begin = time.monotonic()
        print(tree.row(m), flush=True)
        print(f"{m.number}: {time.monotonic() - begin:.0f} s", file=sys.stderr, flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
