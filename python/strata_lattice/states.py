# SPDX-License-Identifier: BSD-3-Clause
"""States of checkpoints as numpy arrays: spins of the Ising and Potts models, amplitudes of spins 1/2. Vectors of exact
diagonalization: vectors.read_vector."""

import json

import numpy as np

from .digest import StrataFileError, readable_file


def array_of(path, application, name):
    """An array of the state, its attributes, and the keys of the job, as text."""
    with readable_file(path) as file:
        header = json.loads(file["header"][:].tobytes()) if "header" in file else {}
        if header.get("application") != application or name not in file.get("state", {}):
            raise StrataFileError(f"{path} is no checkpoint of {application} with {name}.")
        data = file["state"][name]
        lines = (line.split("\t") for line in header["job"].splitlines())
        return data[:], dict(data.attrs), {line[0]: line[1] for line in lines}


def sites_of_tiles(words, extents):
    """Bits of tile words as an array [y, x] or [z, y, x]: a word is a tile of 8 x 8 sites (bit x + 8 y) or 4 x 4 x 4
    (bit x + 4 y + 16 z); tiles are numbered x first."""
    dimensions = len(extents)
    edge = 8 if dimensions == 2 else 4
    tiles = [-(-extent // edge) for extent in extents]
    bits = np.unpackbits(words.reshape(-1, 1).astype("<u8").view(np.uint8), axis=1, bitorder="little")
    shape = tiles[::-1] + [edge] * dimensions  # [tile z, tile y, tile x, z, y, x]
    order = [axis for pair in zip(range(dimensions), range(dimensions, 2 * dimensions)) for axis in pair]
    sites = bits.reshape(shape).transpose(order).reshape([t * edge for t in tiles[::-1]])
    return sites[tuple(slice(extent) for extent in extents[::-1])]


def extents_of(keys):
    return [int(x) for x in keys["lattice.extents"].split(",")]


def ising_spins(path, replica=None):
    """Spins +1 and -1 of a checkpoint of swendsen-wang, [y, x] or [z, y, x]; of parallel tempering those of a replica,
    from 0."""
    words, _, keys = array_of(path, "swendsen-wang", "spins" if replica is None else f"replica-{replica}-spins")
    return 2 * sites_of_tiles(words, extents_of(keys)).astype(np.int8) - 1


def potts_states(path):
    """States 0 .. q - 1 of a checkpoint of swendsen-wang with model.states = q > 2, [y, x] or [z, y, x]."""
    words, _, keys = array_of(path, "swendsen-wang", "states-0")
    digits = range((int(keys["model.states"]) - 1).bit_length())
    arrays = [words, *(array_of(path, "swendsen-wang", f"states-{digit}")[0] for digit in digits[1:])]
    return sum(sites_of_tiles(of, extents_of(keys)).astype(np.uint8) << digit for digit, of in zip(digits, arrays))


def spin_state(path):
    """Amplitudes of a checkpoint of trotter, [basis state]: bit j of a basis state is 1 if spin j is down. States that
    evolve at once (run.concurrent) are rows, [state, basis state]."""
    rows, facts, _ = array_of(path, "trotter", "psi")
    amplitudes = rows.reshape(-1, 1 << int(facts["spins"]))
    return amplitudes[0] if len(amplitudes) == 1 else amplitudes
