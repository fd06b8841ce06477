#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""Reads a state of a Lanczos run from its checkpoint: psi[up string][down string], and the strings in their order.

    psi, up, dn = read_vector("out/a.checkpoint.h5", "ground-state")

Several states (run.states) are basis-0, basis-1, ...; one spin component has a subspace for every number of particles
in the upper half of its sites: ground-state-0, ground-state-1, ...
"""

import itertools
import sys

import h5py
import numpy as np


def strings(sites, particles):
    """All bit strings in numerical order."""
    return np.sort([sum(1 << i for i in occupied) for occupied in itertools.combinations(range(sites), particles)])


def read_vector(path, name="ground-state"):
    """Throws OSError for a file that is not HDF5, ValueError for one without this vector."""
    with h5py.File(path) as file:
        state = file["state"] if "state" in file else {}
        vectors = [array for array in state if "dim_up" in state[array].attrs]
        if name not in vectors:
            names = ", ".join(vectors[:8]) + (f" and {len(vectors) - 8} more" if len(vectors) > 8 else "")
            found = f"it has {names}" if vectors else "it is no checkpoint of a Lanczos run"
            raise ValueError(f"{path} has no vector {name}: {found}")
        data = state[name]
        fact = {key: int(value) for key, value in data.attrs.items() if key != "meaning"}
        numbers = data[:].view(np.float32 if fact["bytes_per_number"] == 4 else np.float64)
    blocks = numbers.reshape(len(numbers), -1, 16, 32)
    psi = blocks.transpose(0, 2, 1, 3).reshape(16 * len(numbers), -1)
    if fact["complex"]:
        psi = psi[:, 0::2] + 1j * psi[:, 1::2]
    return (psi[:fact["dim_up"], :fact["dim_down"]], strings(fact["up_sites"], fact["up_particles"]),
            strings(fact["down_sites"], fact["down_particles"]))


def main():
    if len(sys.argv) not in (2, 3) or sys.argv[1].startswith("-"):
        asked = sys.argv[1:2] in (["-h"], ["--help"])
        print(__doc__, file=sys.stdout if asked else sys.stderr)
        return 0 if asked else 2
    try:
        psi, up, dn = read_vector(*sys.argv[1:3])
    except ValueError as reason:
        print(f"{reason}.", file=sys.stderr)
        return 4
    except (OSError, RuntimeError) as reason:
        print(f"{sys.argv[1]} could not be read: {reason}.", file=sys.stderr)
        return 4
    for place in np.argsort(-abs(psi), axis=None)[:10]:
        u, d = np.unravel_index(place, psi.shape)
        print(f"{psi[u, d]: .6f}  up {up[u]:b}  dn {dn[d]:b}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
