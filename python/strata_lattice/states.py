# SPDX-License-Identifier: BSD-3-Clause
"""States of checkpoints as numpy arrays: spins of the Ising and Potts models, amplitudes of spins 1/2, matrix product
states. Vectors of exact diagonalization: vectors.read_vector."""

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


def sectors_of_bonds(numbers):
    """[bond] sectors {(up, down): range of states} from the list of numbers of a checkpoint."""
    at, bonds = 0, []
    while at < len(numbers):
        count = int(numbers[at])
        sectors, first = {}, 0
        for up, down, states in np.asarray(numbers[at + 1:at + 1 + 3 * count], int).reshape(-1, 3):
            sectors[int(up), int(down)] = range(first, first + states)
            first += states
        bonds.append(sectors)
        at += 1 + 3 * count
    return bonds


def sum_of(bond, site, sign):
    """The charge of a bond plus or minus that of a site. Bit 32 of the first number is a parity."""
    parity = 1 << 32
    return (bond[0] % parity + sign * (site[0] % parity) | (bond[0] ^ site[0]) & parity, bond[1] + sign * site[1])


def matrix_product_state(path, name=""):
    """Tensors of a checkpoint of dmrg, one of every site: A[state of the left bond, state of the site, state of the
    right bond]; the amplitude of a product state is the product of its matrices. States of a site: of electrons empty,
    up, down, both (of t-J the first three), of particles empty and occupied, of spins m = -S to S. The order of
    fermions is that of the sites, up before down. `name`: "found-0", "found-1", ... for the states before the last one
    of run.states > 1."""
    prefix = name + "-" if name else ""
    numbers, facts, _ = array_of(path, "dmrg", prefix + "bonds")
    if "site_charges" not in facts:
        raise StrataFileError(f"{path} was written by a version that does not store the charges of a site.")
    bonds = sectors_of_bonds(numbers.ravel())
    charges = [tuple(charge) for charge in facts["site_charges"].reshape(-1, 2)]
    centre, complex_site = int(facts["centre"]), int(facts["complex_site"])
    tensors = []
    for site in range(len(bonds) - 1):
        elements = array_of(path, "dmrg", f"{prefix}tensor-{site}")[0].ravel()
        if site == complex_site:
            elements = elements + 1j * array_of(path, "dmrg", prefix + "imaginary")[0].ravel()
        tensors.append(tensor_of(elements, bonds[site], bonds[site + 1], charges, site <= centre))
    last = tensors[-1]
    if last.shape[2] == 2:  # of a complex H (Re psi, Im psi), or (psi, -i psi) / sqrt(2)
        tensors[-1] = (last[:, :, :1] + 1j * last[:, :, 1:]) / (1 if complex_site < 0 else np.sqrt(2))
    return tensors


def tensor_of(elements, left, right, charges, is_left):
    """The dense tensor of a site. For every sector of the bond towards the centre there is a matrix, column by column;
    its rows are (state of the site, sector of the other bond, state in it)."""
    tensor = np.zeros([sum(map(len, left.values())), len(charges), sum(map(len, right.values()))], elements.dtype)
    kept, other = (right, left) if is_left else (left, right)
    at = 0
    for charge, columns in kept.items():
        segments = []
        for state, of_site in enumerate(charges):
            rows = other.get(sum_of(charge, of_site, -1 if is_left else 1))
            if rows is not None:
                segments.append((state, rows))
        count = sum(len(rows) for _, rows in segments)
        matrix = elements[at:at + count * len(columns)].reshape(len(columns), count)
        at += matrix.size
        first = 0
        for state, rows in segments:
            block = matrix[:, first:first + len(rows)]
            first += len(rows)
            if is_left:
                tensor[rows.start:rows.stop, state, columns.start:columns.stop] = block.T
            else:
                tensor[columns.start:columns.stop, state, rows.start:rows.stop] = block
    return tensor
