#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""The recipes in packages/, without network: they parse, name the dependencies, versions and options of the CMake
files, and leave Debian's packages to setup.sh; the module file is written for its prefix and is Tcl."""

import ast
import json
import pathlib
import re
import shutil
import subprocess
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[1]
PACKAGES = ROOT / "packages"
# What CMake asks for -> its name in Debian, Spack, EasyBuild and conda; empty where the compilers bring it, or no
# recipe needs it.
NAMES = {
    "cmake": ("cmake", "cmake", "CMake", "cmake"),
    "Threads": ("g++", "cxx", "foss", "compiler_cxx"),
    "OpenMP": ("g++", "cxx", "foss", "compiler_cxx"),
    "RANDOM123_INCLUDE_DIR": ("librandom123-dev", "random123", "random123", "random123"),
    "MPI": ("libopenmpi-dev", "mpi", "foss", "openmpi"),
    "HDF5": ("libhdf5-openmpi-dev", "hdf5", "HDF5", "hdf5"),
    "LAPACK": ("libopenblas-dev", "lapack", "foss", "liblapack"),
    "Boost": ("libboost-program-options-dev", "boost", "Boost", "libboost-devel"),
    "nlohmann_json": ("nlohmann-json3-dev", "nlohmann-json", "nlohmann_json", "nlohmann_json"),
    "XXHASH_INCLUDE_DIR": ("libxxhash-dev", "xxhash", "xxHash", "xxhash"),
    "XXHASH_LIBRARY": ("libxxhash-dev", "xxhash", "xxHash", "xxhash"),
    "GTest": ("libgtest-dev", "googletest", "", ""),
}


def text(path):
    return (ROOT / path).read_text(encoding="utf-8")


def version():
    return re.search(r"project\(strata VERSION ([\d.]+)", text("CMakeLists.txt"))[1]


def required():
    """What CMake asks for -> its least version, or nothing."""
    found = {"cmake": re.search(r"cmake_minimum_required\(VERSION ([\d.]+)\)", text("CMakeLists.txt"))[1]}
    pattern = r"find_(?:package|path|library)\((\w+)(?: ([\d.]+))?[^)]*\bREQUIRED\b"
    return {**found, **dict(re.findall(pattern, text("cmake/StrataPackages.cmake")))}


def spack():
    """The calls of the recipe: function -> lists of its texts."""
    (path,) = PACKAGES.glob("spack/spack_repo/strata/packages/strata_lattice/package.py")
    calls = {}
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
            texts = [argument.value for argument in node.args if isinstance(argument, ast.Constant)]
            calls.setdefault(node.func.id, []).append(texts)
    return calls


def easybuild():
    """The variables of the easyconfig."""
    (path,) = PACKAGES.glob("easybuild/*.eb")
    values = {"SYSTEM": "system", "SOURCE_TAR_GZ": "source"}
    exec(compile(path.read_text(encoding="utf-8"), path, "exec"), values)
    return path, values


def conda():
    """The conda recipe, with what its templates stand for."""
    import yaml
    recipe = text("packages/conda/meta.yaml")
    values = dict(re.findall(r'\{% set (\w+) = "(.*)" %\}\n', recipe))
    recipe = re.sub(r"\{%.*?%\}", "", recipe)
    recipe = re.sub(r"\{\{ (\w+)\('(\w+)'\) \}\}", r"\1_\2", recipe)
    return yaml.safe_load(re.sub(r"\{\{ (\w+) \}\}", lambda name: values[name[1]], recipe))


def joined(path):
    """The lines of a file, those that end in a backslash with the next."""
    return text(path).replace("\\\n", " ").splitlines()


class Recipes(unittest.TestCase):
    def named(self, column, given, has_version):
        """given: name -> its version, as the recipe writes it."""
        needs = required()
        self.assertEqual(set(needs), set(NAMES), "CMake asks for other packages than the table NAMES of this test")
        for need, least in needs.items():
            if name := NAMES[need][column]:
                self.assertIn(name, given)
                self.assertTrue(not least or has_version(given[name], least),
                                f"{name} {given[name]}: CMake wants {least}")

    def test_debian(self):
        listed = re.search(r"^packages=\((.*?)\)", text("setup.sh"), re.M | re.S)[1].split()
        self.named(0, dict.fromkeys(listed), lambda given, least: True)
        self.assertTrue({"dpkg-dev", "file"} <= set(listed))  # cpack looks for the libraries of a program by both

    def test_spack(self):
        calls = spack()
        specs = {re.match(r"[\w-]+", spec)[0]: spec for (spec,) in calls["depends_on"]}
        self.named(1, specs, lambda spec, least: f"@{least}:" in spec)
        cuda = re.search(r"VERSION_LESS (\d+)\.0\)\n +strata_without_cuda", text("cmake/StrataCuda.cmake"))[1]
        for name, part in ("hdf5", "+mpi+hl"), ("boost", "+program_options"), ("cuda", f"@{cuda}:"):
            self.assertIn(part, specs[name])
        released = "not yet released" not in text("CHANGELOG.md").split(f"\n## {version()}")[1].split("\n")[0]
        self.assertEqual([version()] in calls["version"], released)
        self.assertIn(["main"], calls["version"])
        self.assertIn("namespace: strata\n", text("packages/spack/spack_repo/strata/repo.yaml"))

    def test_easybuild(self):
        path, values = easybuild()
        chain = values["toolchain"]
        self.assertEqual(path.name, f"{values['name']}-{values['version']}-{chain['name']}-{chain['version']}.eb")
        self.assertEqual(values["version"], version())
        given = {name: number for name, number, *_ in values["dependencies"] + values["builddependencies"]}
        numbers = lambda number: [int(part) for part in number.split(".")]  # noqa: E731
        self.named(2, {**given, chain["name"]: ""}, lambda given, least: numbers(given) >= numbers(least))
        for file in values["sanity_check_paths"]["files"][1:]:
            self.assertTrue((ROOT / file.replace("share/strata/", "")).exists(), file)

    def test_conda(self):
        try:
            recipe = conda()
        except ImportError:
            self.skipTest("python3-yaml is not installed: the conda recipe is not parsed")
        self.assertEqual(recipe["package"]["version"], version())
        needs = recipe["requirements"]
        given = dict((*word.split(" ", 1), "")[:2] for word in needs["build"] + needs["host"])
        given |= {source["folder"]: "" for source in recipe["source"] if "folder" in source}
        self.named(3, given, lambda given, least: given == f">={least}")
        self.assertIn("mpi_openmpi", given["hdf5"])
        self.assertIn("strata selftest", recipe["test"]["commands"])

    def test_versions_agree(self):
        for path, pattern in (("python/pyproject.toml", r'^version = "(.*)"'), ("CITATION.cff", r"^version: (.*)"),
                              ("packages/easybuild/" + easybuild()[0].name, r"\bstrata-(\d+\.\d+\.\d+)"),
                              ("docs/install.md", r"\bstrata[-_/](\d+\.\d+\.\d+)")):
            self.assertEqual(set(re.findall(pattern, text(path), re.M)), {version()}, path)

    def test_descriptions_of_the_project_agree(self):
        """Title, licence and authors in the files that catalogues read."""
        zenodo, citation = json.loads(text(".zenodo.json")), text("CITATION.cff")
        self.assertIn(f'title: "{zenodo["title"]}"', citation)
        self.assertIn(f"license: {zenodo['license']}", citation)
        for creator in zenodo["creators"]:
            self.assertIn(f'- name: "{creator["name"]}"', citation)
        cited = set(re.findall(r"@(\w+)[\];]", text("docs/paper/paper.md")))
        self.assertEqual(cited, set(re.findall(r"^@\w+\{(\w+),", text("docs/paper/paper.bib"), re.M)))
        for path in re.findall(r"`((?:docs|perf|tests)/[\w./-]+)`", text("docs/paper/paper.md")):
            self.assertTrue((ROOT / path).exists(), path)

    def test_options_exist(self):
        cmake = text("CMakeLists.txt") + text("cmake/StrataCuda.cmake")
        for path in ("packages/conda/build.sh", "packages/easybuild/" + easybuild()[0].name,
                     "packages/spack/spack_repo/strata/packages/strata_lattice/package.py"):
            options = set(re.findall(r"STRATA_\w+", text(path)))
            self.assertIn("STRATA_WERROR", options, path)  # other compilers have other warnings
            for option in options:
                self.assertRegex(cmake, rf"(option|set)\({option} ", path)

    def test_containers_leave_packages_to_setup(self):
        docker, apptainer = joined("packages/Dockerfile"), joined("packages/strata.def")
        self.assertEqual([line.split()[1] for line in docker if line.startswith("FROM")],
                         [line.split()[1] for line in apptainer if line.startswith("From:")])
        self.assertTrue({"build*", "out"} <= set(joined(".dockerignore")))
        for lines in docker, apptainer:
            self.assertEqual(sum(bool(re.match(r"(RUN|   ) ?/source/setup\.sh package$", line)) for line in lines), 1)
            self.assertEqual(sum(bool(re.match(r"(RUN|   ) ?strata selftest$", line)) for line in lines), 1)
            installed = re.findall(r"apt-get install((?: \S+)+?)(?= +&&|$)", "\n".join(lines), re.M)
            words = [word for line in installed for word in line.split() if not word.startswith("-")]
            self.assertEqual(len(words), 1, words)
            self.assertRegex(words[0], r"/strata[_*]*\.deb$")

    def test_shell_parses(self):
        docker = [line[4:] for line in joined("packages/Dockerfile") if line.startswith("RUN ")]
        parts = re.split(r"^%(\w+).*\n|^Bootstrap: .*\n(?:\w+: .*\n)*", text("packages/strata.def"), flags=re.M)
        sections = [body for name, body in zip(parts[1::2], parts[2::2]) if name in ("post", "test", "runscript")]
        self.assertEqual((len(docker), len(sections)), (3, 4))
        for script in [*docker, *sections, text("packages/conda/build.sh")]:
            done = subprocess.run(["bash", "-n"], input=script, capture_output=True, text=True)
            self.assertEqual(done.stderr, "", script)

    def test_every_recipe_is_described(self):
        links = tuple(re.findall(r"\]\(\.\./(packages/[\w./-]+)\)", text("docs/install.md")))
        for path in filter(pathlib.Path.is_file, PACKAGES.rglob("*")):
            self.assertTrue(str(path.relative_to(ROOT)).startswith(links) or path.suffix in (".pyc", ".gz"), path)


class Modulefile(unittest.TestCase):
    def test_written_for_the_prefix(self):
        with tempfile.TemporaryDirectory(prefix="strata-module-") as folder:
            project = "\n".join(["cmake_minimum_required(VERSION 3.25)",
                                 'project(strata VERSION 9.8.7 DESCRIPTION "Two words" LANGUAGES NONE)',
                                 "set(CMAKE_INSTALL_BINDIR bin)", "set(CMAKE_INSTALL_DATADIR share)",
                                 f"include([[{ROOT}/cmake/StrataModulefile.cmake]])"])
            pathlib.Path(folder, "CMakeLists.txt").write_text(project, encoding="utf-8")
            prefix = f"{folder}/a prefix"
            for command in (["-S", folder, "-B", f"{folder}/build"],
                            ["--install", f"{folder}/build", "--prefix", prefix]):
                subprocess.run(["cmake", *command], check=True, capture_output=True)
            path = pathlib.Path(prefix, "share/modulefiles/strata/9.8.7")
            self.assertTrue(path.read_text(encoding="utf-8").startswith("#%Module"))
            self.assertNotIn("@", path.read_text(encoding="utf-8"))
            if not shutil.which("tclsh"):
                self.skipTest("tclsh is not installed: the module file is not read")
            reader = ("foreach name {module-whatis conflict prepend-path} {proc $name args {puts $args}}; "
                      "source [lindex $argv 0]")
            pathlib.Path(folder, "reader.tcl").write_text(reader, encoding="utf-8")
            done = subprocess.run(["tclsh", f"{folder}/reader.tcl", path], check=True, capture_output=True, text=True)
            self.assertEqual(done.stdout.splitlines(), [
                "{Two words}", "strata", f"PATH {{{prefix}/bin}}", f"CMAKE_PREFIX_PATH {{{prefix}}}",
                f"PYTHONPATH {{{prefix}/share/strata/python}}"])


if __name__ == "__main__":
    unittest.main(verbosity=2)
