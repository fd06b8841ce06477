# SPDX-License-Identifier: BSD-3-Clause
"""Conditions of all keys, each fulfilled and broken, and values that would be ignored: of lanczos and of parallel
tempering."""

import itertools
import re
import unittest

from program import ProgramTest

APPLICATIONS = ("swendsen-wang", "lanczos", "kronecker", "dmrg", "trotter")


def satisfies(text, condition):
    """Whether the value of a key has one of the values of a condition or is in its range."""
    if "values" in condition:
        return (text or "") in condition["values"]
    try:
        number = float(text)
    except (TypeError, ValueError):  # no default, or a word
        return False
    lower, upper, with_lower, with_upper = condition["range"].values()
    above = lower is None or number > lower or (with_lower and number == lower)
    return above and (upper is None or number < upper or (with_upper and number == upper))


def applies(keys, values, name):
    """Whether all conditions of a list of the key hold where `values` are given and all others have their defaults."""
    def holds(condition):
        key = condition["key"]
        return satisfies(values.get(key, default_of(keys, values, key)), condition) and applies(keys, values, key)
    return not keys[name]["conditions"] or any(all(map(holds, each)) for each in keys[name]["conditions"])


def default_of(keys, values, name):
    """Terms name their sites where no lattice is given."""
    return "none" if name == "lattice.type" and values.get("model.type") == "terms" else keys[name]["default"]


def jobs_with(keys, wanted, values=()):
    """Values with which conditions have the `wanted` truth, [(condition, truth)], and every given key applies."""
    values = dict(values)
    if not wanted:
        yield values
        return
    (condition, truth), *rest = wanted
    name = condition["key"]
    for value in [values[name]] if name in values else candidates(keys[name], condition):
        if satisfies(value, condition) == truth:
            for needed in keys[name]["conditions"] or [[]]:
                yield from jobs_with(keys, [*((each, True) for each in needed), *rest], {**values, name: value})


def candidates(key, condition):
    """The choices of a key, or numbers in its range at the ends of that of a condition and beyond them."""
    if "values" in condition:
        return key["choices"] or [*condition["values"], "1"]
    ends = [end for end in (condition["range"]["lower"], condition["range"]["upper"]) if end is not None]
    left_out = [] if key["default"] else [""]
    return [str(end + away) for end in ends for away in (0, 1, -1) if satisfies(end + away, key)] + left_out


def jobs_of(keys):
    """For every condition of every key a job in which it fails (alone, if another one does not need it), and one in
    which all of its list hold."""
    jobs = []
    for name, key in keys.items():
        for conditions in key["conditions"]:
            for broken in (None, *range(len(conditions))):
                wanted = [(condition, place != broken) for place, condition in enumerate(conditions)]
                alone = [pair for pair in wanted if not pair[1]] or wanted
                job = next(itertools.chain(jobs_with(keys, wanted), jobs_with(keys, alone)), None)
                assert job is not None, f"{name}: no job for {wanted}"
                assert broken is not None or applies(keys, job, name), f"{name}: {job}"
                if job not in jobs:
                    jobs.append(job)
    return jobs


def some_value(key):
    """A value that the key takes."""
    others = {"time": "1min", "file": "a.txt", "text": "1", "terms": "1 n 0"}
    least = key["range"] and key["range"]["lower"]
    return key["default"] or others.get(key["type"]) or [*key["choices"], "1" if least is None else str(least)][0]


class Conditions(ProgramTest):
    def keys_of(self, application, *settings):
        """With one name of the user's own in the place of all."""
        keys = super().keys_of(application, *settings)
        return {name.replace(".NAME", ".mine"): key for name, key in keys.items()}

    def options(self, values):
        return [f"--{name}={value}" for name, value in values.items() if value != ""]

    def check(self, application):
        keys, refused = self.keys_of(application), set()
        conditions = [each for key in keys.values() for all_of in key["conditions"] for each in all_of]
        excluding = {each["key"] for each in conditions if each.get("values") == [""]}  # others need them left out
        for job in jobs_of(keys):
            right = {name for name in keys if applies(keys, job, name)}
            self.assertEqual(set(self.keys_of(application, *self.options(job))), right, job)
            given = {name: some_value({**keys[name], "default": default_of(keys, job, name)})
                     for name in sorted(right - excluding)}
            self.taken(application, keys, {**given, **job})
            if (wrong := frozenset(keys.keys() - right)) and wrong not in refused:
                refused.add(wrong)
                self.refused_together(application, job, {name: some_value(keys[name]) for name in sorted(wrong)}, keys)
        return len(refused)

    def taken(self, application, keys, given):
        """Every key may be given where it applies; one that has no default may decide where others do."""
        while wrong := [name for name in given if not applies(keys, given, name)]:
            given = {name: value for name, value in given.items() if name not in wrong}
        self.keys_of(application, *self.options(given))

    def refused_together(self, application, job, wrong, keys):
        """Every key has a sentence, unless it follows from another one that is refused."""
        text = "".join(f"{name} = {value}\n" for name, value in {**job, **wrong}.items())
        err = self.refused("run", self.write("a.ini", f"application = {application}\n{text}"))
        reasons = "belongs to .* is .* here|does not apply to .*; leave it out"
        sentence = rf"(?m)^(?:strata:| +) .*/a\.ini:\d+: (\S+) = .* (?:{reasons})\.$"
        named = re.findall(sentence, err)
        self.assertEqual(len(named), len(set(named)), err)
        self.assertEqual(len(named), sum(" is missing: " not in line for line in err.splitlines()), err)
        self.assertLessEqual(set(named), set(wrong), err)
        for name in wrong.keys() - set(named):
            others = {condition["key"] for each in keys[name]["conditions"] for condition in each}
            self.assertTrue(others & wrong.keys(), f"{name}\n{err}")

    def test_every_condition_is_one_that_counts(self):
        for application in APPLICATIONS:
            with self.subTest(application):
                least = 0 if application == "kronecker" else 2  # its keys always apply
                self.assertGreaterEqual(self.check(application), least)


class KeysThatSayNothing(ProgramTest):
    """Values that a job would ignore are refused."""

    RING = {"lattice.extents": "4", "sector.up": "2", "sector.down": "2"}
    XXZ = {"lattice.extents": "4", "model.type": "heisenberg"}
    XYZ = {"lattice.extents": "4", "model.type": "xyz", "model.jx": "1", "model.jy": "1"}
    DIPOLES = {"lattice.type": "all", "lattice.extents": "4", "model.type": "dipolar"}
    FILE = {"lattice.type": "file", "lattice.file": "edges.txt", "sector.up": "2", "sector.down": "2"}
    CUSTOM = {**RING, "lattice.type": "custom", "lattice.extents": "2,1", "lattice.cell-bonds": "0 1 0 0 1; 1 0 1 0 1"}
    BOARD = {**RING, "lattice.type": "checkerboard", "lattice.extents": "2,2"}

    def setUp(self):
        super().setUp()
        self.write("edges.txt", "".join(f"{i} {(i + 1) % 4} 1\n" for i in range(4)))

    def lanczos(self, job):
        return self.write("a.ini",
                          "application = lanczos\n" + "".join(f"{key} = {value}\n" for key, value in job.items()))

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

    def test_values_that_would_be_ignored(self):
        self.write("raises.txt", "a = 1 Sz 0\na = 0.5 S+ 0 Sz 1\n")
        self.write("energy.txt", "energy = 1 Sz 0\n")
        self.write("raise.txt", "a = 1 S+ 0\n")
        self.write("mixed.txt", "a = 1 S+ 0\nb = 1 Sz 0\n")
        self.write("lists.txt", "a = 1 Sz {i}\nb = 1 Sz 0\n")
        self.write("flips.txt", "0.3 {<i,j>} S+ {i} S- {j}\n")
        self.write("one.txt", "a = 1 S+ 0 S- 1\n")
        self.write("parities.txt", "a = 1 Sz {i}\nb = 1 Sz {i} Sz {i+1}\n")
        self.write("two.txt", "a = 1 Sz 0\nb = 1 Sz 1\n")
        self.write("pairs.txt", "a = 1 Sz {i} Sz {j}\n")
        self.write("list.txt", "a = 1 n {i}\n")
        self.write("edges.txt", "0 1 1\n1 2 1\n")
        own = {**self.XXZ, "run.task": "spectrum", "spectrum.operator": "observable"}
        certified = {**self.RING, "backend.precision": "certified"}
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
                          ({**certified, "run.task": "thermal"}, ["backend.precision = certified", "run.task"]),
                          ({**certified, "run.states": "2"}, ["backend.precision = certified", "run.states = 1"]),
                          ({**certified, "run.vectors": "no"}, ["backend.precision = certified", "run.vectors"]),
                          ({**certified, "run.degeneracy": "no"}, ["certified", "run.degeneracy = yes"]),
                          ({**certified, "sector.momentum": "all"}, ["certified", "sector.momentum = all"]),
                          ({**certified, "backend.device": "cuda"}, ["certified", "backend.device = auto or cpu"]),
                          ({**certified, "backend.exchange": "transpose"}, ["certified", "use auto or rows"]),
                          ({**self.XXZ, "backend.hops": "computed"},
                           ["backend.hops = computed", "sectors of lattice symmetries", "use stored"]),
                          ({**self.RING, "sector.momentum": "0", "backend.hops": "computed"},
                           ["backend.hops = computed", "a table for each spin"]),
                          ({**self.XXZ, "sector.parity": "even", "backend.hops": "computed",
                            "backend.precision": "certified"}, ["backend.hops = computed", "reads tables"]),
                          ({**self.XXZ, "sector.parity": "even", "backend.hops": "computed",
                            "backend.device": "cuda"}, ["backend.hops = computed", "devices need tables"]),
                          ({**self.XXZ, "sector.up": "3"}, ["sector.up = 3 counts electrons", "sector.sz = 1."]),
                          ({**self.XXZ, "sector.sz": "1/2"},
                           ["sector.sz = 0.5", "4 sites", "a whole number", "nearest is 0"]),
                          ({**self.XXZ, "sector.sz": "3"}, ["sector.sz = 3", "from -2 to 2"]),
                          ({**self.XXZ, "model.species": "1"}, ["model.species is now model.type"]),
                          ({**self.RING, "model.epsilon": "1"}, ["model.epsilon is now model.potential"]),
                          ({**self.XXZ, "model.jxy": "1"}, ["model.jxy is now model.j."]),
                          ({**self.XXZ, "model.type": "xxz"}, ["model.type = xxz is missing model.jz"]),
                          ({**self.XYZ, "model.jy": "0.5", "sector.sz": "0"},
                           ["sector.sz = 0", "the term S+ 0 S+ 1 changes it", "sector.number-parity"]),
                          ({**self.XYZ, "model.field-x": "0.5", "sector.number-parity": "even"},
                           ["sector.number-parity = even", "the term S+ 0 changes it", "all states are taken"]),
                          ({**self.XYZ, "model.field-x": "1,1,1,2", "sector.momentum": "0"},
                           ["sector.momentum is not possible", "changes the term S+ 0"]),
                          ({**self.RING, "run.task": "levels", "sector.up": "2", "sector.numbers": "all"},
                           ["sector.up = 2 does not apply", "sector.numbers = all"]),
                          ({**self.XXZ, "run.states": "2", "sector.numbers": "all"},
                           ["run.states = 2", "sector.numbers = all"]),
                          ({**self.XXZ, "sector.numbers": "all", "sector.momentum": "auto"},
                           ["sector.momentum = auto", "sector.numbers = all"]),
                          ({**self.XXZ, "run.task": "levels", "backend.precision": "single"},
                           ["backend.precision = single", "all levels"]),
                          ({**self.XXZ, "run.task": "thermal", "sector.numbers": "all",
                            "thermal.chemical-potential": "1"}, ["thermal.chemical-potential = 1", "of spins"]),
                          ({**self.RING, "run.task": "levels", "lattice.extents": "18"},
                           ["23409 states", "at most 20000", "sector.momentum = all"]),
                          ({**self.XYZ, "sector.number-parity": "even"}, ["sector.number-parity", "leave it out"]),
                          ({**self.XYZ, "observables.file": "raises.txt"},
                           ["raises.txt:2", "changes Sz by 1 and leaves the sector: its expectation value is 0"]),
                          ({**self.XYZ, "observables.file": "energy.txt"}, ["has the name energy", "my-energy"]),
                          ({**self.XYZ, "observables.file": "energy.txt", "run.vectors": "no"}, ["energy.txt:1"]),
                          (own, ["spectrum.operator = observable needs the operator's definition", "observables.file"]),
                          ({**own, "observables.file": "raises.txt"},
                           ["raises.txt:2", "S+ 0 Sz 1 changes Sz by 1, and Sz 0 changes Sz by 0", "two names"]),
                          ({**own, "observables.file": "raise.txt", "sector.sz": "2"},
                           ["changes Sz by 1, and no such state exists beside 4 spins up on 4 sites"]),
                          ({**own, "observables.file": "raise.txt", "sector.momentum": "0"},
                           ["this operator is not possible in this sector", "a list over the sites {i}"]),
                          ({**own, "observables.file": "one.txt", "sector.momentum": "0"},
                           ["this operator is not possible in this sector", "a list over the sites {i}"]),
                          ({**own, "observables.file": "parities.txt", "sector.momentum": "0", "spectrum.second": "a",
                            "sector.spin-inversion": "even"},
                           ["spectrum.second = a and b of wave vector 0 lead to two sectors", "is 0"]),
                          ({**self.XXZ, "run.task": "evolution", "evolution.start": "ground-state",
                            "evolution.operator": "a", "observables.file": "one.txt", "sector.momentum": "0"},
                           ["evolution.operator = a is not possible in this sector", "sum it over the sites"]),
                          ({**own, "observables.file": "two.txt", "spectrum.second": "c"},
                           ["spectrum.second = c is no name in observables.file = two.txt"]),
                          ({**own, "observables.file": "mixed.txt", "spectrum.second": "a"},
                           ["spectrum.second = a changes Sz by 1, and b changes Sz by 0", "is 0"]),
                          ({**own, "observables.file": "lists.txt", "spectrum.second": "a"},
                           ["spectrum.second = a and b must both be lists over {i}"]),
                          ({**self.RING, "sector.up": "2", "sector.down": "2", "sector.particle-hole": "even",
                            "model.terms": "flips.txt"}, ["hops and interactions of pairs alone", "leave it out"]),
                          ({**self.XXZ, "run.task": "thermal", "thermal.method": "low-temperature"},
                           ["thermal.method = low-temperature", "[observables] alone", "random-vectors"]),
                          ({**own, "observables.file": "two.txt", "spectrum.second": "a", "spectrum.steps": "1"},
                           ["spectrum.steps = 1 is too few with spectrum.second"]),
                          ({**self.XXZ, "run.task": "spectrum", "spectrum.operator": "addition"},
                           ["spectrum.operator = addition acts on particles", "'lower = 1 S- {i}'"]),
                          ({**own, "observables.file": "two.txt"}, ["that of one operator", "two.txt has 2 names"]),
                          ({**own, "observables.file": "pairs.txt"}, ["pairs.txt has a list over pairs or bonds"]),
                          ({**own, "observables.file": "one.txt", "spectrum.momenta": "1"},
                           ["spectrum.momenta = 1 does not apply"]),
                          ({**own, "observables.file": "one.txt", "backend.arithmetic": "real"},
                           ["the operator of the spectrum is not Hermitian"]),
                          ({**own, "observables.file": "one.txt", "spectrum.operator": "spin"},
                           ["observables.file", "spectrum.operator = observable"]),
                          ({**self.FILE, "run.task": "spectrum", "spectrum.operator": "observable",
                            "observables.file": "list.txt"}, ["needs a lattice with momenta"]),
                          ({**self.XYZ, "model.field-x": "1", "run.task": "spectrum",
                            "spectrum.operator": "removal"}, ["spectrum.operator = removal"]),
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
