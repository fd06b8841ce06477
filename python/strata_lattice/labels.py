# SPDX-License-Identifier: BSD-3-Clause
"""Names of the dimensions of lists and of numbered columns.

A result file has lists of numbers and columns sz-0, sz-1, ... without names for what they run over; these follow from
the name of the quantity. A list whose length is not that of the other lists over the same dimension gets a dimension of
its own, NAME-number.
"""

import re

DIMENSIONS = {
    "site": "site-x site-y site-z occupation occupation-up occupation-down density density-up density-down "
            "double-occupancy sx sy sz "
            "spin-correlation density-correlation pair-correlation",
    "k": "weight wave-vector-x wave-vector-y wave-vector-z momentum-distribution momentum-distribution-up "
         "momentum-distribution-down "
         "spin-structure-factor density-structure-factor structure-factor",
    "state": "energies residuals measured-energies truncation-errors states degeneracies",
    "gap": "gaps",
    "cut": "entropies",
    "bond": "bond-energies",
    "patch": "patch-rows patch-columns patch-flops",
    "pair": "correlations-x correlations-y correlations-z",
    **{f"wave-number-{axis}": f"structure-factor-{axis}" for axis in "xyz"},
    **{f"distance-{axis}": f"plane-correlation-{axis}" for axis in "xyz"},
}
DIMENSION_OF = {name: dimension for dimension, names in DIMENSIONS.items() for name in names.split()}
# [site, other site]
SQUARES = {"spin-correlations", "spin-flip-correlations", "density-correlations", "pair-correlations"}
# A single number of these is a list with one member, of others a number.
ALWAYS_LISTS = {"energies", "gaps", "entropies"}
# Quantities that are coordinates of others along their dimension.
COORDINATES = ("time", "omega", "temperature", "site-x", "site-y", "site-z", "wave-vector-x", "wave-vector-y",
               "wave-vector-z",
               "momentum-x", "momentum-y", "momentum-z", "momentum-wave-vector-x", "momentum-wave-vector-y")


def stem_of(name):
    """The name of a list without what tells states, sublattices, earlier bond dimensions and errors of the time step
    apart."""
    return re.sub(r"(-before|-state-\d+|-sublattice-\d+)+$", "", name.removeprefix("step-error-"))


def dimension_of(name):
    stem = stem_of(name)
    if stem.startswith("momentum-") and stem not in DIMENSION_OF:
        return "momentum"  # in the order of momentum-x, which is not that of wave-vector-x
    return DIMENSION_OF.get(stem, f"{stem}-number")


class Labels:
    """Dimensions of the lists of one file."""

    def __init__(self, lengths, uniform=True):
        """`lengths` are those of all lists by name. `uniform`: no point of a scan has other lengths, which would pad
        its rows."""
        self._lengths = {}
        self._sites = (max((n for name, n in lengths.items() if dimension_of(name) == "site"), default=0) if uniform
                       else 0)
        self._cuts = lengths.get("entropies", 0) if uniform else 0
        self._temperatures = lengths.get("temperature", 0)

    def of(self, name, count):
        """Shape and names of the dimensions of a list of `count` numbers."""
        stem = stem_of(name)
        if stem in SQUARES and self._sites and count == self._sites**2:
            return (self._sites, self._sites), ("site", "other-site")
        if stem == "entanglement-spectrum" and self._cuts and count % self._cuts == 0:
            return (self._cuts, count // self._cuts), ("cut", "weight-number")
        dimension = dimension_of(name)
        if dimension not in DIMENSIONS and count == self._temperatures:
            dimension = "temperature"
        if self._lengths.setdefault(dimension, count) != count:
            dimension = f"{name}-number"
        return (count,), (dimension,)


def families(names):
    """Columns that are one array: name of the array -> (columns in their order, labels of the columns). One number
    counts from 0; wave numbers (momentum-2, momentum-0--1) and pairs of sites (correlations-z-0-1) may be any."""
    found = {}
    for name in names:
        if match := re.fullmatch(r"(.+?)((?:--?\d+)+)(-sublattice-\d+)?", name):
            stem = match[1] + (match[3] or "")
            found.setdefault(stem, ([], []))
            found[stem][0].append(name)
            found[stem][1].append(",".join(re.findall(r"-(-?\d+)", match[2])))
    return {stem: of for stem, of in found.items() if stem not in names and (
        stem_of(stem) == "momentum" or dimension_of(stem) == "pair" or
        len(of[1]) > 1 and of[1] == [str(i) for i in range(len(of[1]))])}
