#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""README.md and the guides in docs/: their commands run, the numbers that they quote come out, their keys and links
exist, every job is named and accepted; the Python package reads what they wrote.

A block ```ini, ```text or ```python whose first line is '# NAME' becomes the file NAME. Of a block ```sh, lines run
that begin with strata, mpirun, python3 or jobs/read_vector.py; strata plot must be given a file that was written. A
number is checked by a comment

    <!-- check out/NAME.h5 QUANTITY VALUE TOLERANCE -->      or VALUE alone, such as -3.741(52), for a value and its
    error

where VALUE must also stand in the text. QUANTITY is a result (energy, energies[1], energy.reference) or a path
(series/sz-0[-1]).
"""

import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

import h5py

ROOT = pathlib.Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "python"))
import strata_lattice  # noqa: E402

GALLERY = ROOT / "docs/gallery.md"  # whose pictures are drawn, too
GUIDES = sorted((ROOT / "docs").glob("*.md"))
PAGES = [ROOT / "README.md", *GUIDES]
APPLICATIONS = ("swendsen-wang", "lanczos", "kronecker", "dmrg", "trotter")
RUN = re.compile(r"strata (?!plot)|mpirun |jobs/read_vector\.py |python3 ")
SECTIONS = ("lattice|model|sector|run|state|drive|echo|spectrum|thermal|evolution|initial-model|scan|output|checkpoint|"
            "backend")


def blocks(text, kinds):
    return [body for kind, body in re.findall(r"^```(\w*)\n(.*?)^```", text, re.M | re.S) if kind in kinds]


def anchors(page):
    """The names of a page's headings in links."""
    headings = re.findall(r"^#+ (.*)$", page.read_text(encoding="utf-8"), re.M)
    return {re.sub(r"[^\w -]", "", heading.lower()).replace(" ", "-") for heading in headings}


def reduced(picture, copy):
    """Copies a picture with 256 colours."""
    from PIL import Image  # which matplotlib has brought
    Image.open(picture).convert("RGB").quantize(256, dither=Image.Dither.NONE).save(copy, optimize=True)


def value_of(path, quantity, error=False):
    name, part, index = re.fullmatch(r"([^.\[]+)(?:\.(\w+))?(?:\[(-?\d+)\])?", quantity).groups()
    column = name + "_error" * error if "/" in name else f"results/{name}/{'error' if error else part or 'value'}"
    with h5py.File(path) as file:
        return file[column][int(index or 0)]


def plain(name):
    """The name of a quantity as the guides write it: without the numbers of sites, states and momenta."""
    name = re.sub(r"^step-error-(?!state$|rate$).*", "step-error-NAME", name)
    name = re.sub(r"(-before|-state-\d+|-sublattice-\d+)$", "", name)
    return re.sub(r"(?<!magnetisation)(?<!cluster)(-\d+)+$", "", name)


class InFolder(unittest.TestCase):
    """A folder with jobs, from which commands run as they stand in the text."""

    @classmethod
    def setUpClass(cls):
        cls.directory = pathlib.Path(tempfile.mkdtemp(prefix="strata-docs-"))
        for folder in ("jobs", "python"):
            shutil.copytree(ROOT / folder, cls.directory / folder)
        (cls.directory / "bin").mkdir()
        os.symlink(os.environ["STRATA_PROGRAM"], cls.directory / "bin/strata")
        os.symlink(sys.executable, cls.directory / "bin/python3")
        os.symlink(shutil.which(os.environ.get("STRATA_MPIEXEC", "mpirun")), cls.directory / "bin/mpirun")
        cls.environment = {**os.environ, "PATH": f"{cls.directory}/bin:{os.environ['PATH']}",
                           "PYTHONPATH": f"{cls.directory}/python", "OPENBLAS_NUM_THREADS": "1"}

    @classmethod
    def tearDownClass(cls):
        shutil.rmtree(cls.directory, ignore_errors=True)

    @classmethod
    def run_line(cls, line):
        done = subprocess.run(["bash", "-c", line], cwd=cls.directory, env=cls.environment, capture_output=True,
                              text=True, timeout=300)
        return done.returncode, done.stdout, done.stdout[-1500:] + done.stderr[-1500:]

    def run_blocks(self, page, pattern):
        """Runs the lines of a page's blocks that match a pattern. Returns its text without comments, and with them."""
        text = page.read_text(encoding="utf-8")
        for block in blocks(text, ("ini", "text", "python")):
            if name := re.match(r"# ([\w-]+\.\w+)\n", block):
                (self.directory / name[1]).write_text(block)
        for line in "".join(blocks(text, ("sh",))).replace("\\\n", " ").splitlines():
            if pattern.match(line):
                code, _, output = self.run_line(line)
                self.assertEqual(code, 0, f"{page.name}: {line}\n{output}")
            elif file := re.match(r"strata plot (?:--\S+ )*(\S+)", line):
                self.assertTrue((self.directory / file[1]).exists(), f"{page.name}: {line}")
        return re.sub(r"<!--.*?-->", "", text, flags=re.S), text

    def check_names(self):
        """The guides name every quantity of the files that were written but the user's own, and the Python package
        gives them dimensions."""
        for path in (self.directory / "out").glob("*.h5"):
            with h5py.File(path) as file:
                if "format" in file.attrs:
                    self.labels_fit(path)
                if "results" not in file:
                    continue
                application = file["job"].attrs["application"]
                application = application.decode() if isinstance(application, bytes) else application
                if application == "kronecker":  # has no guide
                    continue
                text = (ROOT / f"docs/{application}.md").read_text(encoding="utf-8")
                lines = file["job/files/observables.file"].asstr()[()] if "job/files/observables.file" in file else ""
                keys = [key.partition(".")[2] for key in file["job/keys"].attrs if key.startswith("observables.")]
                own = "|".join([*keys, *re.findall(r"^([\w-]+) =", lines, re.M)]) or "$"
                for name in {plain(name) for name in [*file["results"], *file["series"]]}:
                    if re.fullmatch(rf"({own})(-\d+|-imaginary|-step|-error)*", name):
                        continue
                    self.assertTrue(re.search(rf"`{name}(-[A-Z]\d?)*`", text), f"{application}.md does not name {name}")

    def labels_fit(self, path):
        """The Python package gives every dimension of a file one length."""
        result = strata_lattice.open_result(path)
        for table in ("results", "series", "averages"):
            lengths = {}
            for name, quantity in result.table(table).items():
                self.assertEqual(len(quantity.dimensions), quantity.value.ndim, f"{path.name}: {name}")
                for dimension, length in zip(quantity.dimensions, quantity.value.shape):
                    self.assertEqual(lengths.setdefault(dimension, length), length,
                                     f"{path.name}: {dimension} of {name}")


class Gallery(InFolder):
    """The commands of the gallery run and make its pictures, which STRATA_PICTURES=FOLDER keeps, with fewer colours. Of
    pictures that are not kept, the longest runs have fewer sweeps and smaller lattices than in the text. Every job of
    jobs/ runs here or in a test that compares its numbers."""

    # in tests that compare their numbers (use_test, scan_test, dmrg_test, ...), or too long for a test
    ELSEWHERE = {"aklt-ring", "dmrg-transverse-ising", "heisenberg-ladder", "hubbard-conductivity", "hubbard-current",
                 "hubbard-ring-20",
                 "hubbard-thermal", "ising-3d-critical", "ising-ramp", "kitaev-honeycomb", "scan-energy-per-site",
                 "scan-ising-replicas", "t-j-ladder"}

    SHORTER = {"scan-ising-2d-exponents.ini --run.sweeps=60000": "scan-ising-2d-exponents.ini --run.sweeps=6000",
               "heisenberg-spectrum.ini": "heisenberg-spectrum.ini --lattice.extents=16",
               "ising-tempering.ini": "ising-tempering.ini --run.sweeps=2000",
               "scan-binder-crossing.ini --run.sweeps=10000": "scan-binder-crossing.ini --run.sweeps=2000",
               "scan-ladder-gap.ini": "scan-ladder-gap.ini --scan.lattice.extents='4,2; 6,2; 8,2'",
               "scan-central-charge.ini --scan.lattice.extents='16; 24; 32; 48'":
                   "scan-central-charge.ini --scan.lattice.extents='12; 16; 20; 24'",
               "dmrg-spectrum.ini --lattice.extents=32": "dmrg-spectrum.ini --lattice.extents=12",
               "dmrg-haldane-gap.ini --lattice.extents=20": "dmrg-haldane-gap.ini --lattice.extents=12"}

    @classmethod
    def run_line(cls, line):
        for long, short in cls.SHORTER.items():
            if "STRATA_PICTURES" not in os.environ:
                line = line.replace(f"strata run jobs/{long}", f"strata run jobs/{short}")
        return super().run_line(line)

    def test_pictures(self):
        for long in self.SHORTER:
            self.assertIn(f"strata run jobs/{long}", GALLERY.read_text(encoding="utf-8"))
        self.run_blocks(GALLERY, re.compile(RUN.pattern + r"|strata plot "))
        self.check_names()
        jobs = {path.stem for path in (ROOT / "jobs").glob("*.ini") if not path.stem.startswith("kronecker")}
        self.assertEqual(jobs - {path.stem for path in (self.directory / "out").glob("*.h5")}, self.ELSEWHERE)
        # that of the whole space, 1.66e8 states (shown by a prototype without symmetries)
        self.assertAlmostEqual(value_of(self.directory / "out/hubbard-4x4.h5", "energy"), -13.621854821, delta=2e-9)
        text = "".join(page.read_text(encoding="utf-8") for page in PAGES)
        pictures = re.findall(r"\]\((?:docs/)?pictures/([\w-]+\.png)\)", text)
        self.assertGreater(len(pictures), 20)
        for name in pictures:
            self.assertTrue((self.directory / "out" / name).exists(), name)
            if folder := os.environ.get("STRATA_PICTURES"):
                reduced(self.directory / "out" / name, pathlib.Path(folder) / name)

    def test_pictures_are_small(self):
        sizes = [path.stat().st_size for path in (ROOT / "docs/pictures").iterdir()]
        self.assertLess(max(sizes), 60_000)
        self.assertLess(sum(sizes), 1_000_000)


class Guides(InFolder):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        listed = json.loads(cls.run_line("strata keys --json")[1])["applications"]
        cls.keys = {application: set(listed[application]["keys"]) for application in APPLICATIONS}

    def test_commands_numbers_and_names(self):
        for guide in PAGES:
            if guide == GALLERY:
                continue
            visible, text = self.run_blocks(guide, RUN)
            for path, quantity, quoted, tolerance in re.findall(r"<!-- check (\S+) (\S+) (\S+)(?: (\S+))? -->", text):
                with self.subTest(guide=guide.name, file=path, quantity=quantity):
                    self.assertTrue(quoted in visible, f"{quoted} is not in the text")
                    number, error = re.fullmatch(r"([^(]+)(?:\((\d+)\))?", quoted).groups()
                    unit = 10.0 ** -len(number.partition(".")[2])  # of the last digit
                    self.assertAlmostEqual(value_of(self.directory / path, quantity), float(number),
                                           delta=float(tolerance or 0.51 * unit))
                    if error:
                        self.assertAlmostEqual(value_of(self.directory / path, quantity, error=True), int(error) * unit,
                                               delta=0.51 * unit)
        self.check_names()

    def test_keys_are_declared(self):
        for guide in GUIDES:
            keys = self.keys.get(guide.stem) or set().union(*self.keys.values())
            for code in re.findall(r"`([^`\n]+)`", guide.read_text(encoding="utf-8")):
                for key in re.findall(rf"(?<![\w./-])((?:{SECTIONS})\.[a-z][\w-]*)", code):
                    self.assertIn(key, keys, f"{guide.name}: no such key")

    def test_links_lead_to_files(self):
        for page in [*PAGES, ROOT / "jobs/README.md"]:
            for link, section in re.findall(r"\]\(([^)#:\s]+)(?:#([^)]*))?\)", page.read_text(encoding="utf-8")):
                self.assertTrue((page.parent / link).exists(), f"{page.name}: {link}")
                if section:
                    self.assertIn(section, anchors(page.parent / link), f"{page.name}: {link}")

    def test_jobs_are_named_and_accepted(self):
        text = "".join(page.read_text(encoding="utf-8") for page in PAGES)
        named = set(re.findall(r"\((?:\.\./)?(jobs/[\w-]+\.ini)\)", text))
        self.assertEqual(named, {f"jobs/{job.name}" for job in (ROOT / "jobs").glob("*.ini")})
        commands = {f"strata plan {job}" for job in named}
        commands |= {f"strata plan {job}{options}" for job, options in
                     re.findall(r"strata (?:run|plan) +(jobs/[\w-]+\.ini)((?: --[\w.-]+=(?:'[^']*'|[^\s`']+))*)", text)}
        commands |= {f"strata {' '.join(words)}" for words in re.findall(r"strata (keys|example) ([\w-]+)", text)}
        for command in sorted(commands):
            if "--state.file" not in command:  # needs a file that another run writes: docs/models.md runs it
                code, _, output = self.run_line(command)
                self.assertEqual(code, 0, f"{command}\n{output}")


if __name__ == "__main__":
    unittest.main()
