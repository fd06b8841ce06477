#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""The shape of the sources: no module depends on itself through others, where a module is a header with its sources,
the folders of an application include only those before them, no file in C++ and no script has more than 400 lines, no
line of a script more than 120 columns, loops over threads are in kernels, and every mutant's text is found."""

import collections
import pathlib
import re
import sys
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[1]
# and the folder that includes begin in
FOLDERS = {"src": "src", "comm": "", "kernels": "", "include/strata": "include"}
SCRIPTS = ["tests", "python", "jobs", "perf", "docs"]  # folders of scripts
SCRIPTS_OF_ROOT = ["setup.sh", ".ci/run"]
MOST_LINES, MOST_COLUMNS = 400, 120
MOST_LOOPS = 5  # over OpenMP threads outside of kernels
# Examples of CONTRIBUTING.md: section, a word that each file has, largest number of files, and the files; those of an
# application are beside its folder. A key is declared in three files, and used, defined and tested in three others.
EXAMPLES = [
    ("an observable", "participation", 6, """src/trotter/job/observables.hpp src/trotter/run/observation.cpp
        docs/trotter.md tests/oracle/spin_half.py tests/oracle/trotter_jobs.py"""),
    ("an observable", "largest.cluster", 6, """src/swendsen_wang/state/observation.hpp docs/swendsen-wang.md
        src/swendsen_wang/state/observation.cpp src/swendsen_wang/run/results.cpp tests/oracle/ising_states.py
        jobs/plot_labels.py"""),
    ("a key", "chemical.potential", 6, """src/dmrg/job/keys.cpp src/dmrg/job/config.hpp src/dmrg/job/config.cpp
        src/dmrg/run/thermal_results.cpp docs/dmrg.md tests/oracle/tensor_thermal.py"""),
    ("a lattice", "kagome", 6, """src/models/unit_cell.cpp tests/oracle/lattices.py docs/models.md
        tests/unit/positions_test.cpp jobs/plot_labels.py"""),
    ("a task of lanczos", "evolution", 8, """src/lanczos/job/config.hpp src/lanczos/job/keys.cpp
        src/lanczos/job/config.cpp src/lanczos/run/evolution.cpp src/lanczos/run/evolution.hpp
        src/lanczos/run/task.hpp docs/lanczos.md tests/mpi/lanczos_tasks_test.cpp"""),
    ("a kernel", "flip_sums", 7, """kernels/trotter/flip_sums.hpp kernels/trotter/flip_sums_cpu.cpp
        kernels/trotter/pass_kernels.hpp kernels/trotter/pass_cpu.cpp kernels/README.md
        tests/unit/trotter_flip_sums_test.cpp tests/kernels/CMakeLists.txt"""),
    ("an application", "chain", 3, "tests/toy/applications.cpp tests/toy/chain.ini tests/toy/toy_test.py"),
]
ORDER = ["job", "physics", "state", "run"]  # folders of an application, each with the folders before it


def sources():
    return [path for folder in FOLDERS
            for path in sorted((ROOT / folder).rglob("*")) if path.suffix in (".hpp", ".cpp", ".cu", ".h")]


def scripts():
    return [path for folder in SCRIPTS for path in sorted((ROOT / folder).rglob("*"))
            if path.suffix in (".py", ".sh", ".sbatch")] + [ROOT / name for name in SCRIPTS_OF_ROOT]


def dependencies():
    """Module -> modules that its header or its source includes."""
    modules = {path.relative_to(ROOT).with_suffix("").as_posix() for path in sources()}
    found = collections.defaultdict(set)
    for path in sources():
        module = path.relative_to(ROOT).with_suffix("").as_posix()
        for name in re.findall(r'#include "([^"]+)\.(?:hpp|h)"', path.read_text(encoding="utf-8")):
            here = [f"{begin}/{name}".lstrip("/") for begin in set(FOLDERS.values())]
            found[module].update(other for other in here if other in modules and other != module)
    return found


def circle(found):
    """A path from a module to itself, or nothing."""
    finished, path = set(), []

    def visit(module):
        if module in path:
            return [*path[path.index(module):], module]
        if module in finished:
            return []
        path.append(module)
        for other in sorted(found[module]):
            if around := visit(other):
                return around
        finished.add(path.pop())
        return []

    for module in sorted(found):
        if around := visit(module):
            return around
    return []


def against_order(found, applications):
    """Dependencies of an application's folder on a later one, of a shared folder on an application, or of one
    application on another."""
    wrong = []
    for module, others in found.items():
        for other in others:
            here, there = module.split("/"), other.split("/")
            if there[:1] != ["src"] or there[1] not in applications or len(here) < 3:
                continue  # sources directly in src list the applications
            if here[1] != there[1] or ORDER.index(here[2]) < ORDER.index(there[2]):
                wrong.append(f"{module} -> {other}")
    return sorted(wrong)


class Layout(unittest.TestCase):
    def test_no_module_depends_on_itself(self):
        found = dependencies()
        self.assertGreater(sum(map(len, found.values())), 1000)  # the includes were understood
        self.assertEqual(circle(found), [])
        self.assertEqual(circle({"a": {"b"}, "b": {"c"}, "c": {"b"}}), ["b", "c", "b"])

    def test_folders_of_an_application_are_in_order(self):
        registered = [path.parent for path in sorted((ROOT / "src").glob("*/CMakeLists.txt"))
                      if "strata_application(" in path.read_text(encoding="utf-8")]
        self.assertGreaterEqual(len(registered), 5)
        outside = [str(path.relative_to(ROOT)) for folder in registered for path in sorted(folder.rglob("*.?pp"))
                   if path.relative_to(folder).parts[0] not in ORDER]
        self.assertEqual(outside, [])
        self.assertEqual(against_order(dependencies(), {folder.name for folder in registered}), [])
        wrong = {"src/a/job/x": {"src/a/run/y"}, "src/b/run/x": {"src/a/job/x"}, "src/a/run/y": {"src/a/job/x"}}
        self.assertEqual(against_order(wrong, {"a", "b"}), ["src/a/job/x -> src/a/run/y", "src/b/run/x -> src/a/job/x"])

    def test_no_file_is_too_long(self):
        others = [path for folder in ("tests", "perf") for path in (ROOT / folder).rglob("*.?pp")]
        long = {str(path.relative_to(ROOT)): lines for path in [*sources(), *others, *scripts()]
                if (lines := path.read_text(encoding="utf-8").count("\n")) > MOST_LINES}
        self.assertEqual(long, {})

    def test_no_line_of_a_script_is_too_long(self):
        found = scripts()
        self.assertGreater(len(found), 80)
        long = [f"{path.relative_to(ROOT)}:{number}" for path in found
                for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1)
                if len(line) > MOST_COLUMNS]
        self.assertEqual(long, [])

    def test_hot_loops_are_in_kernels(self):
        loops = [str(path.relative_to(ROOT)) for path in sources() if path.is_relative_to(ROOT / "src")
                 for _ in re.findall(r"#pragma omp.*\bfor\b", path.read_text(encoding="utf-8"))]
        self.assertLessEqual(len(loops), MOST_LOOPS, loops)

    def test_a_change_touches_the_files_that_contributing_names(self):
        sections = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8").split("\n## Adding ")[1:]
        sections = {name: text.partition("\n## ")[0] for name, _, text in (each.partition("\n") for each in sections)}
        for section, word, most, files in EXAMPLES:
            self.assertLessEqual(len(files.split()), most)
            for file in files.split():
                with self.subTest(section, file=file):
                    self.assertRegex(file + (ROOT / file).read_text(encoding="utf-8"), f"(?i){word}")
                    self.assertIn(file if section != "an application" else "tests/toy", sections[section])

    def test_mutants_find_their_texts_once(self):
        sys.path.insert(0, str(ROOT / "tests/mutants"))
        from mutants import MUTANTS
        self.assertGreater(len(MUTANTS), 150)
        self.assertEqual(len({mutant.number for mutant in MUTANTS}), len(MUTANTS))
        lost = [f"{mutant.number}: {mutant.file}" for mutant in MUTANTS
                if (ROOT / mutant.file).read_text(encoding="utf-8").count(mutant.old) != 1]
        self.assertEqual(lost, [])


if __name__ == "__main__":
    unittest.main()
