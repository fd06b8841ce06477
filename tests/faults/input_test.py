# SPDX-License-Identifier: BSD-3-Clause
"""Bad input: one sentence per fault, exit code 2 (3 if it does not fit), and nothing created."""

import os
import re
import resource
import subprocess
import unittest

from program import ProgramTest


class BadInput(ProgramTest):
    def bad_job(self, text, *says, code=2):
        return self.refused("run", self.write("a.ini", text), says=says, code=code)

    def test_no_or_wrong_words(self):
        self.refused(says=["strata --help"])
        self.refused("rum", "a.ini", says=["Did you mean run?"])
        self.refused("run", says=["needs a job file"])
        self.refused("run", self.job(), "b.ini", says=["one word too many"])
        self.refused("run", self.job(), "--run.sweep=3", says=["run.sweep is not a key of swendsen-wang. Did you mean run.sweeps?"])
        self.refused("run", self.job(), "--run.s=3", says=["run.s is not a key of swendsen-wang."])
        self.refused("keys", "swendsen", says=["not an application", "Did you mean swendsen-wang?"])
        self.refused("help", "shwo", says=["neither a verb nor an application", "Did you mean show?"])
        self.refused("keys", "swendsen-wang", "sweps", says=["No key of swendsen-wang has 'sweps'", "Did you mean sweeps?"])
        self.refused("keys", "swendsen-wang", "sweeps", "a", says=["one word too many"])
        self.refused("example", "swendsen", says=["not an application"])
        self.refused("example", says=["needs an application"])

    def test_suggestions_are_keys_of_the_application(self):
        """What is suggested is a key, or a choice, of this job; a number is never answered by another."""
        dmrg = self.write("dmrg.ini", "application = dmrg\n[lattice]\nextents = 8\n[model]\ntype = heisenberg\n")
        spins = self.write("spins.ini", "application = trotter\n[lattice]\ntype = chain\nextents = 6\n[model]\ntype = heisenberg\n")
        for job, option, meant in ((self.job(), "lattice.L=32", "lattice.extents"), (dmrg, "run.m=100", "run.max-states"),
                                   (spins, "run.t-max=3", "run.steps"), (spins, "model.h=1", "model.field"),
                                   (self.job(), "model.T=2", "model.temperature"), (dmrg, "model.type=hubard", "hubbard"),
                                   (dmrg, "lattice.type=torus", "ring"), (dmrg, "model.mu=1", "model.potential"),
                                   (dmrg, "sector.magnetisation=1", "sector.sz")):
            self.refused("plan", job, f"--{option}", says=[f"Did you mean {meant}?"])
        for job, option in ((self.job(), "model.q=3"), (dmrg, "model.spin=5/2"), (self.job(), "run.foo=1")):
            self.assertNotIn("Did you mean", self.refused("plan", job, f"--{option}"))
        out, _ = self.strata("plan", dmrg, "--model.spin=3/2", "--run.max-states=2e2")
        self.assertIn("at most 200 until", out)

    def test_output_that_is_lost_is_an_error(self):
        self.strata("run", self.job())
        for words in (["show", "out/a.h5"], ["show", "out/a.h5", "--json"], ["keys", "lanczos"], ["plan", "a.ini"], ["help"]):
            with open("/dev/full", "w", encoding="utf-8") as full:
                done = subprocess.run(self.command(None, *words), cwd=self.directory, stdout=full, stderr=subprocess.PIPE,
                                      text=True, timeout=60)
            self.assertEqual(done.returncode, 4, words)
            self.assertIn("could not be written", done.stderr)
            early = subprocess.run(["bash", "-o", "pipefail", "-c", '"$@" | true', "-", *self.command(None, *words)],
                                   cwd=self.directory, capture_output=True, timeout=60)
            self.assertEqual((early.returncode, early.stderr), (0, b""), words)  # a reader that has seen enough

    def test_a_series_that_does_not_fit_is_refused(self):
        err = self.refused("run", self.job(extents="8,8"), "--run.sweeps=1e11", code=3, says=["raise run.measure-every to"])
        every = re.search(r"run.measure-every to (\d+)", err)[1]
        out, _ = self.strata("plan", "a.ini", "--run.sweeps=1e11", f"--run.measure-every={every}")
        self.assertIn("GiB", re.search(r"series, on rank 0 +(.*)", out)[1])
        self.refused("run", self.write("b.ini", "application = trotter\n[lattice]\ntype = chain\nextents = 6\n[model]\ntype = heisenberg\n"),
                     "--run.steps=1e12", code=3, says=["raise run.measure-every to"])
        self.refused("run", self.write("c.ini", "application = lanczos\n[lattice]\ntype = ring\nextents = 8\n[sector]\nup = 1\n"
                                       "down = 1\n[run]\ntask = evolution\n[evolution]\nup = 0\ndown = 1\nsteps = 1e9\n"),
                     code=3, says=["lower evolution.steps to"])

    def test_files_that_are_no_job(self):
        self.refused("run", "missing.ini", says=["missing.ini", "No such file"])
        self.refused("run", str(self.directory), says=["not a regular file"])
        os.mkfifo(self.directory / "fifo")
        self.refused("run", "fifo", says=["not a regular file"])
        self.bad_job(b"", "application")
        self.bad_job(b"\0" * 1000, "NUL")
        self.bad_job(os.urandom(100000))
        self.bad_job(b"#" * (1 << 21), "1 MiB")
        self.bad_job(b"[run]\nsweeps = " + b"1" * 100000 + b"\n", "16384")

    def test_the_root_cannot_hide_an_unreadable_file(self):
        if os.geteuid() == 0:
            self.skipTest("root reads everything")
        path = self.job()
        path.chmod(0)
        self.refused("run", path, says=["Permission denied"])

    def test_every_fault_is_told_at_once(self):
        err = self.bad_job("application = swendsen-wang\n[latice]\nextents = 4,4\n[run]\nsweeps = 1e3x\nseed = -1\nseed = 2\n;x\n"
                           "[backend]\ndevice = gpu\n")
        for words in ("a.ini:3: latice.extents is not a key", "Did you mean lattice.extents?", "a.ini:5: run.sweeps = 1e3x must be an integer",
                      "a.ini:6: run.seed = -1", "a.ini:7: run.seed is given twice", "a.ini:8: comments begin with #", "a.ini:10: backend.device = gpu"):
            self.assertIn(words, err)

    def test_lattices_and_temperatures(self):
        for extents in ("1,4", "4", "2,2,2,2", "0,4", "-4,4", "4,", "4;4", "4294967296,4294967296", "99999999999999999999,2"):
            self.refused("run", self.job(extents=extents), says=["lattice.extents"])
        for beta in ("-1", "nan", "inf", "", "x", "0.1:0.2", "0.1:0.2:0", "0:1:1e-9"):
            self.refused("run", self.job(beta=beta))
        self.refused("run", self.job(), "--model.temperature=2", says=["exclude each other"])
        self.refused("run", self.job(), "--model.states=257", says=["model.states"])
        self.refused("run", self.job(), "--model.coupling=0", says=["model.coupling"])
        self.refused("run", self.job(), "--backend.gpu-aware=maybe", says=["auto, on or off"])
        text = self.job().read_text().replace("beta = 0.44", "")
        self.bad_job(text, "model.temperature or model.beta is missing")

    def test_more_ranks_than_layers(self):
        err = self.refused("run", self.job(extents="8,16"), ranks=3)
        self.assertEqual(err.count("tile layers"), 1)
        self.assertIn("at most 2 ranks", err)

    def test_what_does_not_fit_is_said_before_allocating(self):
        self.refused("run", self.job(extents="300000,60000"), code=3, says=["per rank"])
        self.refused("run", self.job(extents="4000000,4000000"), code=3, says=["2^32 - 1 labels"])

    def test_sectors_of_64_sites_are_counted_and_not_built(self):
        job = "application = lanczos\n[lattice]\ntype = square\nextents = 8,8\n[model]\ntype = {}\n[sector]\n{}"
        one = self.write("one.ini", job.format("fermions", "up = 32\n"))
        two = self.write("two.ini", job.format("hubbard", "up = 32\ndown = 32\n"))
        few = self.write("few.ini", job.format("hubbard", "up = 4\ndown = 4\n"))
        for ranks in ("--ranks=1", "--ranks=64"):
            self.refused("plan", one, ranks, code=3, says=["129024480 states", "64 sites", "67108864"])
            self.refused("plan", two, ranks, code=3, says=["32 particles on 64 sites", "1832624140942590534", "67108864"])
            out, _ = self.strata("plan", few, ranks)
            self.assertIn("dimension 635376 x 635376", out)
        self.assertIn("at most", out)
        ring = self.write("ring.ini", "application = lanczos\n[lattice]\ntype = ring\nextents = 56\n"
                                      "[model]\ntype = heisenberg\n[sector]\nsz = 0\n")
        out, _ = self.strata("plan", ring, "--ranks=64")
        self.assertIn("dimension 7.649e+15", out)

    def test_existing_output_is_kept(self):
        job = self.job()
        self.strata("run", job)
        before = {p: (self.directory / p).read_bytes() for p in self.files()}
        self.refused("run", job, says="out/a.h5 exists")
        self.assertEqual(before, {p: (self.directory / p).read_bytes() for p in self.files()})
        self.strata("run", job, "--output.overwrite=yes")

    def test_names_are_names(self):
        self.refused("run", self.job(), "--output.name=../x", says=["plain file name"])
        self.refused("run", self.job(), "--output.name=..", says=["plain file name"])

    def test_strange_directories_are_taken_literally(self):
        for name in ("a b", "$(touch x)", "quo'te", 'dou"ble', "ü"):
            self.strata("run", self.job(), f"--output.directory={name}")
            self.assertTrue((self.directory / name / "a.h5").exists())
        self.assertFalse((self.directory / "x").exists())

    def test_other_systems_text_files_work(self):
        text = self.job().read_text()
        self.strata("run", self.write("b.ini", b"\xef\xbb\xbf" + text.replace("\n", "\r\n").replace(" = ", "\t=\t").encode()[:-2]))

    def test_extreme_temperatures_run(self):
        for key in ("temperature", "beta"):
            text = self.job().read_text().replace("beta = 0.44\n", "") + f"[scan]\nmodel.{key} = 0,1e-300,1e300\n"
            self.strata("run", self.write(f"{key}.ini", text))


class KeysThatSayNothing(ProgramTest):
    """A key is refused where the chosen task, lattice or model does not use it, and taken where it does."""

    RING = {"lattice.extents": "4", "sector.up": "2", "sector.down": "2"}
    ONE = {"lattice.extents": "4", "sector.up": "2", "model.type": "fermions"}
    XXZ = {"lattice.extents": "4", "model.type": "heisenberg"}
    XYZ = {"lattice.extents": "4", "model.type": "xyz", "model.jx": "1", "model.jy": "1"}
    ISING = {"lattice.extents": "4", "model.type": "ising", "model.jz": "1"}
    DIPOLES = {"lattice.type": "all", "lattice.extents": "4", "model.type": "dipolar"}
    PAIRS = {"lattice.type": "all", "lattice.extents": "4", "model.type": "xx"}
    PLACES = {"lattice.type": "all", "lattice.geometry": "positions", "lattice.positions": "places.txt", "model.type": "xx"}
    TERMS = {"model.type": "terms", "model.terms": "terms.txt"}
    MORE_TERMS = {**TERMS, "run.seed": "2"}
    CHAIN = {**RING, "lattice.type": "chain"}
    XXZ_CHAIN = {**XXZ, "lattice.type": "chain"}
    FILE = {"lattice.type": "file", "lattice.file": "edges.txt", "sector.up": "2", "sector.down": "2"}
    CUSTOM = {**RING, "lattice.type": "custom", "lattice.extents": "2,1", "lattice.cell-bonds": "0 1 0 0 1; 1 0 1 0 1"}
    BOARD = {**RING, "lattice.type": "checkerboard", "lattice.extents": "2,2"}
    SQUARE = {**RING, "lattice.type": "square", "lattice.extents": "3,3"}
    SEVERAL = {**RING, "run.states": "3"}
    SPECTRUM = {**RING, "run.task": "spectrum"}
    THERMAL = {**RING, "run.task": "thermal"}
    EVOLUTION = {**RING, "run.task": "evolution", "evolution.up": "0,1", "evolution.down": "0,1"}
    XXZ_SPECTRUM = {**XXZ, "run.task": "spectrum", "spectrum.operator": "spin"}
    XXZ_THERMAL = {**XXZ, "run.task": "thermal"}
    XXZ_EVOLUTION = {**XXZ, "run.task": "evolution", "evolution.up": "0,1"}
    # key: (value, jobs that it belongs to, jobs that it does not)
    CONDITIONAL = {
        "lattice.type": ("ring", [RING], [TERMS]),
        "lattice.extents": ("4", [RING, XXZ, PAIRS], [FILE, PLACES, MORE_TERMS]),
        "lattice.geometry": ("ring", [PAIRS, DIPOLES], [RING, FILE]),
        "lattice.positions": ("places.txt", [PLACES], [RING, PAIRS]),
        "lattice.cell-bonds": ("0 1 0 0 1; 1 0 1 0 1", [CUSTOM], [RING, FILE, BOARD]),
        "lattice.cell-positions": ("0 0; 0.5 0", [CUSTOM], [RING, FILE, BOARD]),
        "lattice.file": ("edges.txt", [FILE], [RING, CUSTOM]),
        "model.t": ("2", [RING, ONE, CUSTOM, BOARD, FILE], [XXZ]),
        "model.t2": ("0.5", [RING, ONE, CHAIN], [XXZ, FILE, BOARD]),
        "model.phase": ("0.7", [BOARD], [RING, FILE, CUSTOM, XXZ]),
        "model.u": ("4", [RING, FILE], [ONE, XXZ]),
        "model.v": ("1", [RING, ONE, FILE], [XXZ, TERMS]),
        "model.flux": ("0.7", [RING, BOARD, CUSTOM, XXZ], [CHAIN, FILE, MORE_TERMS]),
        "model.potential": ("0.3", [RING, ONE, FILE], [XXZ, ISING]),
        "model.spin": ("0.5", [XXZ, XYZ, PAIRS, TERMS], [RING, ONE]),
        "model.j": ("1", [XXZ, PAIRS, DIPOLES], [RING, ONE, XYZ, ISING, TERMS]),
        "model.jx": ("1", [XYZ], [RING, ONE, XXZ, ISING]),
        "model.jy": ("1", [XYZ], [RING, ONE, XXZ, ISING]),
        "model.jz": ("1", [XXZ, XYZ, ISING], [RING, ONE, PAIRS]),
        "model.j2": ("0.4", [XXZ, XXZ_CHAIN], [RING, XYZ, PAIRS]),
        "model.range": ("3", [PAIRS, PLACES], [RING, XXZ, DIPOLES]),
        "model.direction": ("0,1,1", [DIPOLES], [RING, PAIRS]),
        "model.field": ("0.3", [XXZ, XYZ, ISING, PLACES], [RING, ONE]),
        "model.disorder": ("0.3", [ISING, PLACES], [RING, ONE]),
        "sector.sz": ("0", [XXZ, XYZ, ISING, TERMS], [RING, ONE]),
        "sector.down": ("2", [RING, FILE], [ONE, XXZ]),
        "sector.momentum": ("0", [RING, ONE, XXZ, SPECTRUM, THERMAL, EVOLUTION], [CHAIN, FILE, MORE_TERMS]),
        "sector.parity": ("even", [CHAIN, XXZ_CHAIN, THERMAL, EVOLUTION], [FILE]),
        "sector.rotation": ("2/4", [SQUARE], [RING, CHAIN, FILE]),
        "sector.reflection": ("odd", [SQUARE], [RING, CHAIN, FILE]),
        "sector.spin-inversion": ("even", [XXZ_CHAIN, XXZ_SPECTRUM, XXZ_THERMAL, XXZ_EVOLUTION],
                                  [ONE, RING, CHAIN, FILE, SPECTRUM, THERMAL, EVOLUTION]),
        "run.seed": ("2", [RING, SPECTRUM, THERMAL], [EVOLUTION]),
        "run.states": ("1", [RING, SPECTRUM], [THERMAL, EVOLUTION]),
        "run.block": ("2", [SEVERAL], [RING, SPECTRUM, THERMAL, EVOLUTION]),
        "run.basis": ("30", [SEVERAL], [RING, SPECTRUM, THERMAL, EVOLUTION]),
        "run.max-steps": ("9", [RING, SEVERAL, SPECTRUM], [THERMAL, EVOLUTION]),
        "run.tolerance": ("1e-8", [RING, SEVERAL, SPECTRUM], [THERMAL, EVOLUTION]),
        "run.allow-unconverged": ("yes", [RING, SEVERAL], [SPECTRUM, THERMAL, EVOLUTION]),
        "run.degeneracy": ("yes", [RING, SPECTRUM], [SEVERAL, THERMAL, EVOLUTION]),
        "run.vectors": ("no", [RING, SEVERAL], [SPECTRUM, THERMAL, EVOLUTION]),
        "run.density-matrix": ("yes", [RING], [SEVERAL, SPECTRUM, THERMAL, EVOLUTION]),
        "run.sublattices": ("separate", [BOARD, CUSTOM], [RING, FILE, {**BOARD, "run.task": "thermal"}]),
        "spectrum.operator": ("spin", [SPECTRUM], [RING, THERMAL, EVOLUTION]),
        "spectrum.momenta": ("1", [SPECTRUM], [RING, THERMAL, EVOLUTION]),
        "spectrum.omega": ("1", [SPECTRUM], [RING, THERMAL, EVOLUTION]),
        "spectrum.broadening": ("0.2", [SPECTRUM], [RING, THERMAL, EVOLUTION]),
        "spectrum.steps": ("9", [SPECTRUM], [RING, THERMAL, EVOLUTION]),
        "thermal.temperatures": ("1", [THERMAL], [RING, SPECTRUM, EVOLUTION]),
        "thermal.samples": ("9", [THERMAL], [RING, SPECTRUM, EVOLUTION]),
        "thermal.steps": ("9", [THERMAL], [RING, SPECTRUM, EVOLUTION]),
        "evolution.up": ("0,2", [EVOLUTION, XXZ_EVOLUTION], [RING, SPECTRUM, THERMAL]),
        "evolution.down": ("0,2", [EVOLUTION], [RING, SPECTRUM, THERMAL, XXZ_EVOLUTION]),
        "evolution.step": ("0.2", [EVOLUTION], [RING, SPECTRUM, THERMAL]),
        "evolution.steps": ("9", [EVOLUTION], [RING, SPECTRUM, THERMAL]),
        "evolution.krylov": ("9", [EVOLUTION], [RING, SPECTRUM, THERMAL]),
    }
    WITHOUT_VECTORS = {"run.vectors": "no"}
    COMMON = {"run.seed", "run.wall-time", "run.stall-warning", "run.stall-abort", "backend.device", "backend.gpu-aware",
              "backend.threads", "backend.simd", "output.directory", "output.name", "output.overwrite", "checkpoint.interval",
              "checkpoint.keep", "scan.together", "scan.file", "scan.average", "scan.seeds", "scan.ranks-per-point"}
    EVERYWHERE = {"lanczos": {"model.type", "model.terms", "sector.up", "run.task", "backend.arithmetic",
                              "backend.precision", "backend.exchange"} | COMMON - {"run.seed"},
                  "swendsen-wang": {"lattice.extents", "lattice.boundaries", "model.opposite-bonds", "model.field", "model.states", "model.coupling", "model.temperature", "model.beta", "run.tempering", "run.exchange-every", "run.overlap",
                                    "run.update", "run.sweeps", "run.thermalization", "run.target-error", "run.measure-every", "run.correlations", "run.start",
                                    "run.merge", "scan.start"} | COMMON}

    def setUp(self):
        super().setUp()
        self.write("edges.txt", "".join(f"{i} {(i + 1) % 4} 1\n" for i in range(4)))
        self.write("places.txt", "".join(f"{i} {i * i} 0\n" for i in range(4)))
        self.write("terms.txt", "1 Sx 0 Sx 1\n1 Sy 0 Sy 1\n1 Sz 1 Sz 2\n1 Sz 3\n")

    def lanczos(self, job):
        return self.write("a.ini", "application = lanczos\n" + "".join(f"{key} = {value}\n" for key, value in job.items()))

    def keys(self, application):
        """Every key that `strata keys` prints, and whether a condition is printed with it."""
        out, _ = self.strata("keys", application)
        found, section, key = {}, "", ""
        for line in out.split("Example job")[0].splitlines():
            if line.startswith("["):
                section = line.strip("[]")
            elif section and line.startswith("  ") and line[2] != " ":
                key = f"{section}.{line.split()[0]}"
                found[key] = False
            elif line.strip().startswith("Only with "):
                found[key] = True
        return found

    def test_parallel_tempering(self):
        def job(tempering, *more):
            text = "application = swendsen-wang\n[lattice]\nextents = 16,16\n[run]\ntempering = " + tempering + "\n"
            return self.write("a.ini", text + "".join(line + "\n" for line in more))
        self.strata("plan", job("1:2:0.1", "exchange-every = 5"))
        for tempering in ("1", "2,1", "1,1", "1:2:0.0001"):
            self.refused("run", job(tempering), says=["2 to 1024 temperatures in ascending order"])
        self.refused("run", job("0,1"), says=["run.tempering"])
        self.refused("run", job("1,2", "[model]", "temperature = 2"), says=["model.temperature", "run.tempering", "exclude each other"])
        for line in ("thermalization = auto", "target-error = 0.1", "correlations = 4"):
            self.refused("run", job("1,2", line), says=["run." + line.split()[0], "is for one temperature; with run.tempering give"])
        self.refused("run", job("1,2", "[scan]", "model.field = 0,1", "start = previous"), says=["scan.start", "all start alike"])
        self.refused("run", job("1,2", "sweeps = 3e9"), says=["2^31 sweeps", "run.tempering"])
        self.refused("run", job("none", "exchange-every = 5", "[model]", "beta = 1"), says=["run.exchange-every", "give run.tempering"])
        self.refused("run", job("none", "overlap = yes", "[model]", "beta = 1"), says=["run.overlap", "give run.tempering"])
        self.refused("run", job("1,2", "overlap = yes", "[model]", "states = 3"), says=["run.overlap", "is for the Ising model"])
        self.refused("run", job("1,2"), ranks=6, says=["3 ranks are more than the 2 tile layers"])

    def test_the_table_is_whole(self):
        self.assertEqual(self.keys("lanczos"),
                         {**dict.fromkeys(self.EVERYWHERE["lanczos"], False), **dict.fromkeys(self.CONDITIONAL, True)})
        self.assertEqual(self.keys("swendsen-wang"),
                         {**dict.fromkeys(self.EVERYWHERE["swendsen-wang"], False), "model.disorder-seed": True, "run.target": True})

    def keys_of_jobs(self, belongs):
        """For every job of the table, the keys that belong to it, or those that do not, with their values."""
        jobs = {}
        for key, (value, right, wrong) in self.CONDITIONAL.items():
            for job in right if belongs else wrong:
                jobs.setdefault(tuple(job.items()), {})[key] = value
        return [(dict(job), keys) for job, keys in jobs.items()]

    def test_every_key_where_it_belongs(self):
        for job, keys in self.keys_of_jobs(belongs=True):
            contradicts = keys.keys() & self.WITHOUT_VECTORS.keys()  # run.vectors = no excludes two others
            self.strata("plan", self.lanczos({**job, **{key: keys[key] for key in keys.keys() - contradicts}}))
            if contradicts:
                self.strata("plan", self.lanczos({**job, **self.WITHOUT_VECTORS}))

    def test_every_key_where_it_does_not(self):
        """All of a job at once: none of these keys decides where another one belongs, and every one has its sentence."""
        for job, keys in self.keys_of_jobs(belongs=False):
            _, err = self.strata("run", self.lanczos({**job, **keys}), code=2)
            lines = err.splitlines()
            self.assertEqual(len(lines), len(keys), err)
            for key, value in keys.items():
                sentence = rf"^(strata:| +) .*/a.ini:\d+: {key} = {value} belongs to .*; \S+ is \S+ here\.$"
                self.assertEqual(sum(re.match(sentence, line) is not None for line in lines), 1, f"{key}\n{err}")
            self.assertEqual(self.files(), ["a.ini", "edges.txt", "places.txt", "terms.txt"])

    def test_values_that_would_be_ignored(self):
        board = {**self.BOARD, "sector.up": "1", "sector.down": "1"}
        for job, says in (({**self.RING, "model.t": "1,5,9"}, ["model.t", "3 values", "1 hopping"]),
                          ({**board, "model.t": "1,2,3,4"}, ["model.t", "4 values", "3 hopping"]),
                          ({**self.RING, "model.flux": "0,0.7"}, ["model.flux", "1 direction"]),
                          ({**self.CUSTOM, "model.flux": "0,0,1"}, ["model.flux", "2 directions"]),
                          ({**self.RING, "run.vectors": "no", "run.degeneracy": "yes"}, ["run.vectors", "run.degeneracy"]),
                          ({**self.RING, "run.vectors": "no", "run.density-matrix": "yes"}, ["run.vectors", "run.density-matrix"]),
                          ({**self.RING, "backend.precision": "single", "run.tolerance": "9e-7"}, ["run.tolerance", "1e-6"]),
                          ({**self.XXZ, "sector.up": "3"}, ["sector.up = 3 counts electrons", "sector.sz = 1."]),
                          ({**self.XXZ, "sector.sz": "1/2"}, ["sector.sz = 0.5", "4 sites", "a whole number", "nearest is 0"]),
                          ({**self.XXZ, "sector.sz": "3"}, ["sector.sz = 3", "from -2 to 2"]),
                          ({**self.XXZ, "model.species": "1"}, ["model.species is now model.type"]),
                          ({**self.RING, "model.epsilon": "1"}, ["model.epsilon is now model.potential"]),
                          ({**self.XXZ, "model.jxy": "1"}, ["model.jxy is now model.j."]),
                          ({**self.XXZ, "model.type": "xxz"}, ["model.type = xxz is missing model.jz"]),
                          ({**self.XYZ, "model.jy": "0.5"}, ["model.jx and model.jy differ", "application = trotter"]),
                          ({**self.DIPOLES, "lattice.type": "ring"}, ["it needs lattice.type = all"]),
                          ({**self.RING, "run.density-matrix": "yes", "run.block": "2"}, ["run.block", "run.states >= 2"])):
            self.refused("run", self.lanczos(job), says=says)
        for job in ({**board, "model.t": "1,2,3"}, {**board, "model.flux": "0.1"}, {**board, "model.flux": "0.1,0.2"},
                    {**self.RING, "run.vectors": "no", "run.degeneracy": "no", "run.density-matrix": "no"},
                    {**self.RING, "run.vectors": "no"},
                    {**self.RING, "backend.precision": "single", "run.tolerance": "1e-6"}):
            self.strata("plan", self.lanczos(job))

    def test_edges_and_their_file(self):
        xxz = {"lattice.type": "file", "lattice.file": "edges.txt", "model.type": "heisenberg"}
        bonds = {**self.CUSTOM, "lattice.cell-bonds": "0 1 0 0 1 0.5", "model.type": "heisenberg"}
        del bonds["sector.up"], bonds["sector.down"]
        for job, text, says in ((xxz, "0 1 1 0.5\n", ["edges.txt:1", "imaginary", "weight"]), (bonds, "", ["0 1 0 0 1 0.5", "imaginary"]),
                                (self.FILE, "0 1 1\n0 1 x\n", ["edges.txt:2", "an edge is"]), (self.FILE, "0 1 1 -\n", ["edges.txt:1"]),
                                (self.FILE, "# none\n", ["holds no edge"]), (self.FILE, "0 1 1\0\n", ["lattice.file", "NUL"]),
                                (self.FILE, "#" * (1 << 20) + "\n", ["lattice.file", "1 MiB"]),
                                ({**self.FILE, "lattice.file": "missing.txt"}, "", ["a.ini:3: lattice.file = missing.txt", "No such file"]),
                                ({**self.FILE, "lattice.file": "."}, "", ["not a regular file"])):
            self.write("edges.txt", text)
            for verb in ("run", "plan"):
                self.refused(verb, self.lanczos(job), says=says)


class Surroundings(ProgramTest):
    def test_limits_of_the_process_count_as_memory(self):
        def limit():
            resource.setrlimit(resource.RLIMIT_AS, (3 << 30, 3 << 30))
        done = subprocess.run(self.command(None, "run", self.job(extents="40000,32000")), cwd=self.directory, capture_output=True,
                              text=True, timeout=180, preexec_fn=limit)
        self.assertEqual(done.returncode, 3, done.stderr)
        self.assertIn("free there", done.stderr)

    def test_environment_changes_nothing(self):
        self.strata("run", self.job())
        odd = {"LANG": "de_DE.UTF-8", "LC_ALL": "de_DE.UTF-8", "TZ": "Pacific/Chatham", "HOME": "/nonexistent", "OMP_STACKSIZE": "128k",
               "OMP_DYNAMIC": "true", "OMP_NUM_THREADS": "3"}
        self.strata("run", self.job(), "--output.name=b", environment=odd, ranks=2)
        self.assertEqual(self.result("a")["observables"], self.result("b")["observables"])
        self.assertEqual(self.result("a")["state_hash"], self.result("b")["state_hash"])


class BadCheckpoint(ProgramTest):
    def test_resume_refuses_what_is_none(self):
        self.write("x.checkpoint.h5", b"no HDF5 here")
        _, err = self.strata("resume", "x.checkpoint.h5", code=4)
        self.assertIn("No good checkpoint", err)
        self.strata("resume", "missing.checkpoint.h5", code=4)
        self.refused("resume", "result.h5", says="NAME.checkpoint.h5")
        self.strata("run", self.job())
        _, err = self.strata("show", "out/a.checkpoint.h5", code=4)
        self.assertIn("out/a.checkpoint.h5 is a checkpoint, not a result; that is out/a.h5", err)

    def test_resume_changes_no_physics(self):
        self.strata("run", self.job())
        for key in ("run.seed=6", "model.beta=0.3", "lattice.extents=32,32", "run.thermalization=1"):
            self.refused("resume", "out/a.checkpoint.h5", f"--{key}", says="would change what the run computes")
        self.refused("resume", "out/a.checkpoint.h5", "--run.sweeps=20", says="steps already")

    def test_a_list_where_one_number_is_expected_names_the_scan(self):
        self.refused("run", self.job(beta="0.4,0.5"), says="write model.beta = 0.4,0.5 in [scan]")


if __name__ == "__main__":
    unittest.main(verbosity=2)
