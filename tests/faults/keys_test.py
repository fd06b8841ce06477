# SPDX-License-Identifier: BSD-3-Clause
"""Every key of lanczos, and those of parallel tempering, in jobs that use them and in jobs that do not."""

import re
import unittest

from program import ProgramTest


class KeysThatSayNothing(ProgramTest):
    """A key is refused where the chosen task, lattice or model does not use it, and taken where it does."""

    RING = {"lattice.extents": "4", "sector.up": "2", "sector.down": "2"}
    ONE = {"lattice.extents": "4", "sector.up": "2", "model.type": "fermions"}
    XXZ = {"lattice.extents": "4", "model.type": "heisenberg"}
    XYZ = {"lattice.extents": "4", "model.type": "xyz", "model.jx": "1", "model.jy": "1"}
    ISING = {"lattice.extents": "4", "model.type": "ising", "model.jz": "1"}
    DIPOLES = {"lattice.type": "all", "lattice.extents": "4", "model.type": "dipolar"}
    PAIRS = {"lattice.type": "all", "lattice.extents": "4", "model.type": "xx"}
    PLACES = {"lattice.type": "all", "lattice.geometry": "positions", "lattice.positions": "places.txt",
              "model.type": "xx"}
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
    COMMON = set("run.seed run.wall-time run.stall-warning run.stall-abort backend.device backend.gpu-aware "
                 "backend.threads backend.simd output.directory output.name output.overwrite checkpoint.interval "
                 "checkpoint.keep scan.together scan.file scan.average scan.seeds scan.ranks-per-point".split())
    EVERYWHERE = {
        "lanczos": set("model.type model.terms sector.up run.task backend.arithmetic backend.precision "
                       "backend.exchange".split()) | COMMON - {"run.seed"},
        "swendsen-wang": set("lattice.extents lattice.boundaries model.opposite-bonds model.field model.states "
                             "model.coupling model.temperature model.beta run.tempering run.exchange-every run.overlap "
                             "run.update run.sweeps run.thermalization run.target-error run.measure-every "
                             "run.correlations run.start run.merge scan.start".split()) | COMMON}

    def setUp(self):
        super().setUp()
        self.write("edges.txt", "".join(f"{i} {(i + 1) % 4} 1\n" for i in range(4)))
        self.write("places.txt", "".join(f"{i} {i * i} 0\n" for i in range(4)))
        self.write("terms.txt", "1 Sx 0 Sx 1\n1 Sy 0 Sy 1\n1 Sz 1 Sz 2\n1 Sz 3\n")

    def lanczos(self, job):
        return self.write("a.ini",
                          "application = lanczos\n" + "".join(f"{key} = {value}\n" for key, value in job.items()))

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
        self.refused("run", job("1,2", "[model]", "temperature = 2"),
                     says=["model.temperature", "run.tempering", "exclude each other"])
        for line in ("thermalization = auto", "target-error = 0.1", "correlations = 4"):
            self.refused("run", job("1,2", line),
                         says=["run." + line.split()[0], "is for one temperature; with run.tempering give"])
        self.refused("run", job("1,2", "[scan]", "model.field = 0,1", "start = previous"),
                     says=["scan.start", "all start alike"])
        self.refused("run", job("1,2", "sweeps = 3e9"), says=["2^31 sweeps", "run.tempering"])
        self.refused("run", job("none", "exchange-every = 5", "[model]", "beta = 1"),
                     says=["run.exchange-every", "give run.tempering"])
        self.refused("run", job("none", "overlap = yes", "[model]", "beta = 1"),
                     says=["run.overlap", "give run.tempering"])
        self.refused("run", job("1,2", "overlap = yes", "[model]", "states = 3"),
                     says=["run.overlap", "is for the Ising model"])
        self.refused("run", job("1,2"), ranks=6, says=["6 ranks are more than the 2 tile layers", "of 2 replicas",
                                                       "at most 4 ranks"])

    def test_the_table_is_whole(self):
        self.assertEqual(self.keys("lanczos"),
                         {**dict.fromkeys(self.EVERYWHERE["lanczos"], False), **dict.fromkeys(self.CONDITIONAL, True)})
        self.assertEqual(self.keys("swendsen-wang"),
                         {**dict.fromkeys(self.EVERYWHERE["swendsen-wang"], False), "model.disorder-seed": True,
                          "run.target": True, "run.clusters-per-sweep": True})

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
        """All of a job at once: none of these keys decides where another one belongs, and every one has its
        sentence."""
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
                          ({**self.RING, "run.vectors": "no", "run.degeneracy": "yes"},
                           ["run.vectors", "run.degeneracy"]),
                          ({**self.RING, "run.vectors": "no", "run.density-matrix": "yes"},
                           ["run.vectors", "run.density-matrix"]),
                          ({**self.RING, "backend.precision": "single", "run.tolerance": "9e-7"},
                           ["run.tolerance", "1e-6"]),
                          ({**self.XXZ, "sector.up": "3"}, ["sector.up = 3 counts electrons", "sector.sz = 1."]),
                          ({**self.XXZ, "sector.sz": "1/2"},
                           ["sector.sz = 0.5", "4 sites", "a whole number", "nearest is 0"]),
                          ({**self.XXZ, "sector.sz": "3"}, ["sector.sz = 3", "from -2 to 2"]),
                          ({**self.XXZ, "model.species": "1"}, ["model.species is now model.type"]),
                          ({**self.RING, "model.epsilon": "1"}, ["model.epsilon is now model.potential"]),
                          ({**self.XXZ, "model.jxy": "1"}, ["model.jxy is now model.j."]),
                          ({**self.XXZ, "model.type": "xxz"}, ["model.type = xxz is missing model.jz"]),
                          ({**self.XYZ, "model.jy": "0.5"}, ["model.jx and model.jy differ", "application = trotter"]),
                          ({**self.DIPOLES, "lattice.type": "ring"}, ["it needs lattice.type = all"]),
                          ({**self.RING, "run.density-matrix": "yes", "run.block": "2"},
                           ["run.block", "run.states >= 2"])):
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
        for job, text, says in ((xxz, "0 1 1 0.5\n", ["edges.txt:1", "imaginary", "weight"]),
                                (bonds, "", ["0 1 0 0 1 0.5", "imaginary"]),
                                (self.FILE, "0 1 1\n0 1 x\n", ["edges.txt:2", "an edge is"]),
                                (self.FILE, "0 1 1 -\n", ["edges.txt:1"]),
                                (self.FILE, "# none\n", ["holds no edge"]),
                                (self.FILE, "0 1 1\0\n", ["lattice.file", "NUL"]),
                                (self.FILE, "#" * (1 << 20) + "\n", ["lattice.file", "1 MiB"]),
                                ({**self.FILE, "lattice.file": "missing.txt"}, "",
                                 ["a.ini:3: lattice.file = missing.txt", "No such file"]),
                                ({**self.FILE, "lattice.file": "."}, "", ["not a regular file"])):
            self.write("edges.txt", text)
            for verb in ("run", "plan"):
                self.refused(verb, self.lanczos(job), says=says)


if __name__ == "__main__":
    unittest.main(verbosity=2)
