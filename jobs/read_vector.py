#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""Reads a state of a Lanczos run from its checkpoint: psi[up string][down string], and the strings in their order.

    psi, up, dn = read_vector("out/a.checkpoint.h5", "ground-state")

Several states (run.states) are basis-0, basis-1, ...; one spin component has a subspace for every number of particles
in the upper half of its sites: ground-state-0, ground-state-1, ...

    jobs/read_vector.py --spins out/a.checkpoint.h5 [ground-state] > psi.txt

writes a state of XXZ spins as the lines "uddu re im" that a job of trotter reads (state.initial = file).
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
        if "symmetries" in fact:
            raise ValueError(f"{path} holds a state of a sector of {fact['symmetries']} lattice symmetries, of which only one row of every "
                             "orbit is stored; run the job without sector.momentum and sector.parity to read all of it")
        numbers = data[:].view(np.float32 if fact["bytes_per_number"] == 4 else np.float64)
    blocks = numbers.reshape(len(numbers), -1, 16, 32)
    psi = blocks.transpose(0, 2, 1, 3).reshape(16 * len(numbers), -1)
    if fact["complex"]:
        psi = psi[:, 0::2] + 1j * psi[:, 1::2]
    return (psi[:fact["dim_up"], :fact["dim_down"]], strings(fact["up_sites"], fact["up_particles"]),
            strings(fact["down_sites"], fact["down_particles"]))


def spin_amplitudes(path, name="ground-state"):
    """[("uddu", amplitude)] of a state of XXZ spins, spin 0 first, normalised; all its subspaces together.

    Throws ValueError for a state of fermions with two spin components, and as read_vector does."""
    with h5py.File(path) as file:
        state = file["state"] if "state" in file else {}
        parts = sorted(n for n in state if n.rpartition("-")[0] == name and n.rpartition("-")[2].isdigit()) or [name]
        facts = {n: dict(state[n].attrs) for n in parts if n in state}
    found = []
    for part in parts:
        psi, upper, lower = read_vector(path, part)
        fact = facts[part]
        if fact["up_first"] != fact["down_sites"]:
            raise ValueError(f"{path} has two spin components: it is no state of XXZ spins")
        for u, d in zip(*np.nonzero(psi)):
            bits = int(lower[d]) | int(upper[u]) << int(fact["up_first"])
            letters = "".join("u" if bits >> i & 1 else "d" for i in range(int(fact["up_first"] + fact["up_sites"])))
            found.append((letters, psi[u, d]))
    norm = np.sqrt(sum(abs(value) ** 2 for _, value in found))
    return [(letters, complex(value / norm)) for letters, value in found]


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
        print(f"{reason}.", file=sys.stderr)
        return 4
    except (OSError, RuntimeError) as reason:
        print(f"{arguments[0]} could not be read: {reason}.", file=sys.stderr)
        return 4
    return 0


if __name__ == "__main__":
    sys.exit(main())
