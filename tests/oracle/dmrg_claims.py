# SPDX-License-Identifier: BSD-3-Clause
"""The claims of dmrg about its energies: the fixed jobs of dmrg_known.py one after another, and the statistics of true
over claimed errors of random jobs."""

import collections
import multiprocessing

import dmrg_hard
import program
from dmrg_known import KNOWN
from dmrg_sectors import DENSE, SPARSE, Sector

DIGITS = 6e-6  # of references that are given with few digits


class KnownJob:
    def __init__(self, name, keys, levels, lines=None, sites=0):
        self.name, self.levels = name, levels
        self.job = program.Job("dmrg")
        for key, value in {**keys, "backend.threads": 1}.items():
            self.job.set(key, value)
        if lines is not None:
            self.job.set("lattice.file", "bonds.txt")
            self.job.set("lattice.type", "file")
            self.job.files["bonds.txt"] = "".join(" ".join(map(str, (*line[:3],
                                                                     *((0, line[3]) if len(line) > 3 else ())))) + "\n"
                                                  for line in lines)
        self.sector, self.states = Sector(self.job.keys, lines, sites), int(keys.get("run.states", 1))

    def found(self):
        """Levels by diagonalisation, or None."""
        return self.sector.lowest(self.states)

    def run(self):
        cheap = self.levels is None or self.sector.count <= DENSE
        levels = self.found() if cheap else self.levels
        self.sector.spread()
        rounding = 1e-12 * self.sector.largest + (1e-12 if cheap else 5e-9 if self.sector.count <= SPARSE else DIGITS)
        tolerance = None if "run.schedule" in self.job.keys else float(self.job.keys.get("run.tolerance", 1e-8))
        return levels, dmrg_hard.Answer(program.run(self.job), levels, rounding, tolerance)


def line_of(entry):
    case = KnownJob(*entry)
    try:
        levels, got = case.run()
    except Exception as problem:  # noqa: BLE001  (reported as a line)
        return "oracle", f"{case.name:28} the oracle itself: {problem!r}"
    true, claim = max(got.errors, default=(float("nan"),) * 2)
    text = f"{case.name:28} {got.energy:17.10f} {levels[0]:17.10f} {true:9.2g} {claim:9.2g} {got.code:4} {got.word}"
    return got.word, text + (f"\n    {got.sentence}" if got.code else "".join("\n    " + s for s in got.sentences))


def run_known(options):
    """One line for each job; 1 if an answer is wrong."""
    if options.exact:
        return verify()
    words = collections.Counter()
    print(f"{'job':28} {'energy':>17} {'exact':>17} {'off by':>9} {'claimed':>9} code verdict")
    with multiprocessing.Pool(options.workers) as pool:
        for word, text in pool.imap(line_of, KNOWN):
            words[word] += 1
            print(text, flush=True)
    print(", ".join(f"{number} {word}" for word, number in sorted(words.items())))
    return 1 if words["WRONG"] or words["oracle"] else 0


def verify():
    """The levels of the list against those of the sectors."""
    failed = 0
    for entry in KNOWN:
        case = KnownJob(*entry)
        found = case.found()
        apart = None if found is None or case.levels is None else max(abs(a - b) for a, b in zip(found, case.levels))
        failed += apart is not None and apart > DIGITS
        text = "-" if found is None else ", ".join(f"{level:.12f}" for level in found)
        print(f"{case.name:28} {case.sector.count:12} states  {text}"
              + ("" if apart is None else f"  off by {apart:.1e}"), flush=True)
    return 1 if failed else 0


def run_claims(options):
    """A table for tests/README.md, what was refused, and the jobs that are wrong."""
    options.count = options.claims
    verdicts = program.run_all(dmrg_hard.claims_examine, options)
    pairs, notes = collections.defaultdict(list), collections.Counter()
    for v in verdicts:
        notes.update(v.notes)
        pairs[v.task] += v.extra or []
    print(dmrg_hard.histogram(pairs))
    for what, number in sorted(notes.items()):
        print(f"{number:5} {what}")
    for v in (v for v in verdicts if v.failures):
        print(f"index {v.index} ({v.task}): {v.failures[0]}")
        if options.only:
            print(v.text)
    missed = sum(true > max(claim, dmrg_hard.SEEN) for some in pairs.values() for true, claim in some)
    answers = sum(map(len, pairs.values()))
    print(f"{len(verdicts)} jobs, {answers} energies, {missed} of them further off than claimed")
    return 1 if 100 * missed > answers else 0
