#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Prints a state of a Lanczos run from its checkpoint.

    jobs/read_vector.py out/a.checkpoint.h5 [ground-state]               the largest amplitudes
    jobs/read_vector.py --spins out/a.checkpoint.h5 [ground-state] > psi.txt

The second form writes a state of spins as the lines "uddu re im" that a job of trotter reads (state.initial = file).
From Python: strata_lattice.read_vector, in ../python.
"""

import pathlib
import sys

from packages import require

require("numpy", "h5py")

import numpy as np  # noqa: E402

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "python"))
from strata_lattice.vectors import read_vector, spin_amplitudes  # noqa: E402


def print_largest(path, name="ground-state"):
    psi, up, dn = read_vector(path, name)
    for place in np.argsort(-abs(psi), axis=None)[:10]:
        u, d = np.unravel_index(place, psi.shape)
        print(f"{psi[u, d]: .6f}  up {up[u]:b}  dn {dn[d]:b}")


def print_spins(path, name="ground-state"):
    for letters, value in spin_amplitudes(path, name):
        print(letters, repr(value.real), *([repr(value.imag)] if value.imag else []))


def main():
    spins = sys.argv[1:2] == ["--spins"]
    arguments = sys.argv[2:] if spins else sys.argv[1:]
    if len(arguments) not in (1, 2) or arguments[0].startswith("-"):
        asked = sys.argv[1:2] in (["-h"], ["--help"])
        print(__doc__, file=sys.stdout if asked else sys.stderr)
        return 0 if asked else 2
    try:
        (print_spins if spins else print_largest)(*arguments)
    except ValueError as reason:
        print(f"{str(reason).rstrip('.')}.", file=sys.stderr)
        return 4
    except (OSError, RuntimeError) as reason:
        print(f"{arguments[0]} could not be read: {reason}.", file=sys.stderr)
        return 4
    return 0


if __name__ == "__main__":
    sys.exit(main())
