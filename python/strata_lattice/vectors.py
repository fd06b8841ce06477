# SPDX-License-Identifier: BSD-3-Clause
"""Vectors of exact diagonalization, read from checkpoints: psi[up string][down string], and the strings in their order.

    psi, up, dn = read_vector("out/a.checkpoint.h5", "ground-state")

Several states (run.states) are basis-0, basis-1, ...; one spin component has a subspace for every number of particles
in the upper half of its sites: ground-state-0, ground-state-1, ... Of a sector of lattice symmetries only
representatives are stored; what is returned are all amplitudes, with one spin component those of all sites, as up
strings.
"""

import itertools

import numpy as np

from .digest import StrataFileError, readable_file


def strings(sites, particles, parity=-1):
    """All bit strings with so many particles, with -1 those with a parity, with both -1 all, in numerical order."""
    if particles < 0:
        every = np.arange(1 << sites)
        return every if parity < 0 else every[[bin(s).count("1") % 2 == parity for s in every]]
    return np.sort([sum(1 << i for i in occupied) for occupied in itertools.combinations(range(sites), particles)])


def moved(image, string_list, fermions, inverts, hole_signs):
    """The strings after a permutation of the sites, and the sign of ordering their operators again. Where occupied and
    empty sites are exchanged, each occupied site, after the permutation, also has its sign of hole_signs."""
    occupied = [string_list >> i & 1 for i in range(len(image))]
    result = sum((occupied[i] ^ inverts) << to for i, to in enumerate(image))
    sign = np.ones(len(string_list), int)
    for j in range(len(image) if fermions else 0):
        for i in range(j):
            if image[i] > image[j]:
                sign *= 1 - 2 * (occupied[i] & occupied[j])
    for i, to in enumerate(image if inverts and hole_signs is not None else ()):
        sign *= np.where(occupied[i], hole_signs[to], 1)
    return result, sign


def orbits(elements, all_strings, fermions, hole_signs, order=None):
    """Smallest strings of their orbits, [element][representative] its images and their signs, and how many elements
    leave it unchanged. Strings are compared with site i as bit order[i]."""
    order = np.arange(len(elements[0][0])) if order is None else order
    images = [moved(image, all_strings, fermions, inverts, hole_signs)[0] for image, inverts, _ in elements]
    compared = [sum((i >> site & 1) << bit for site, bit in enumerate(order)) for i in images]
    smallest = np.unique(np.min(compared, axis=0))
    first = sum((smallest >> bit & 1) << site for site, bit in enumerate(order))
    images, signs = np.transpose([moved(image, first, fermions, inverts, hole_signs)
                                  for image, inverts, _ in elements], (1, 0, 2))
    return first, images, signs, np.sum(images == first, axis=0)


def unfold(numbers, fact, up, dn):
    """All amplitudes psi[up][down] from the numbers of representatives, [row][column]: psi(T_g u, T_g d) = chi(g)
    psi(u, d)."""
    sites, order, fermions = fact["up_sites"], fact["symmetries"], fact["fermions"]
    chi = np.exp(2j * np.pi * fact["turn"] / fact["turns"])
    elements = list(zip(fact["images"].reshape(order, sites), fact["inverts_spins"], chi))
    signs = fact.get("sublattice_signs")
    hole_signs = None if signs is None else signs * (-1) ** np.arange(sites)
    rows, row_images, row_signs, row_stabilisers = orbits(elements, up, fermions, hole_signs, fact.get("bit_of_site"))
    of_rows = numbers[:len(rows)] * np.sqrt(row_stabilisers / order)[:, None]
    if fact["down_sites"] == 0:
        of_rows = of_rows[:, :1]
    else:  # column ((o / n) |G| + h) n + o % n is the image T_h o, n representatives o to a line of 32 bytes
        columns, images, signs, stabilisers = orbits(elements, dn, fermions, hole_signs)
        line = 32 // fact["bytes_per_number"] // (2 if fact["complex"] else 1)
        o = np.arange(len(columns))
        of_images = [of_rows[:, (o // line * order + h) * line + o % line] for h in range(order)]
        of_rows = np.zeros((len(rows), len(dn)), numbers.dtype)
        for h in range(order):
            of_rows[:, np.searchsorted(dn, images[h])] = of_images[h] * (signs[h] * np.sqrt(stabilisers))
    real = not fact["complex"] and np.all(2 * fact["turn"] % fact["turns"] == 0)
    psi = np.zeros((len(up), len(dn)), numbers.dtype if real else np.result_type(numbers, np.complex64))
    for g, (image, inverts, character) in enumerate(elements):
        to, sign = moved(image, dn, fermions, inverts, hole_signs) if fact["down_sites"] else (dn, np.ones(1, int))
        values = of_rows * row_signs[g][:, None] * (sign * (character.real if real else character))
        psi[np.searchsorted(up, row_images[g])[:, None], np.searchsorted(dn, to)] = values
    return psi


def read_vector(path, name="ground-state"):
    """Throws StrataFileError for a file that cannot be read, ValueError for one without this vector."""
    with readable_file(path) as file:
        state = file["state"] if "state" in file else {}
        vectors = [array for array in state if "dim_up" in state[array].attrs]
        if name not in vectors:
            names = ", ".join(vectors[:8]) + (f" and {len(vectors) - 8} more" if len(vectors) > 8 else "")
            found = f"it has {names}" if vectors else "it is no checkpoint of a Lanczos run"
            raise StrataFileError(f"{path} has no vector {name}: {found}.")
        data = state[name]
        fact = {key: value if np.ndim(value) else int(value) for key, value in data.attrs.items() if key != "meaning"}
        numbers = data[:].view(np.float32 if fact["bytes_per_number"] == 4 else np.float64)
    if "codes" in fact:
        raise ValueError(f"{path} has sites of {fact['bits_per_site']} bits, whose bit strings are not read here")
    symmetries = fact.get("symmetries")
    if symmetries and "images" not in fact:
        raise ValueError(f"{path} was written by an older version, without the group of the sector's {symmetries} "
                         "symmetries")
    if symmetries and not fact["down_sites"]:
        panel = numbers.shape[1] // 16  # one number; older files pad it to 32 bytes
    else:
        panel = 32 // fact["bytes_per_number"] * symmetries if symmetries else 32
    blocks = numbers.reshape(len(numbers), -1, 16, panel)
    psi = blocks.transpose(0, 2, 1, 3).reshape(16 * len(numbers), -1)
    if fact["complex"]:
        psi = psi[:, 0::2] + 1j * psi[:, 1::2]
    up, dn = (strings(fact[of + "_sites"], fact[of + "_particles"], fact.get(of + "_parity", -1))
              for of in ("up", "down"))
    psi = psi[:fact["dim_up"], :fact["dim_down"]]
    return (unfold(psi, fact, up, dn) if symmetries else psi), up, dn


def spin_amplitudes(path, name="ground-state"):
    """[("uddu", amplitude)] of a state of XXZ spins, spin 0 first, normalised; all its subspaces together.

    Throws ValueError for a state of fermions, and as read_vector does."""
    with readable_file(path) as file:
        state = file["state"] if "state" in file else {}
        parts = sorted(n for n in state if n.rpartition("-")[0] == name and n.rpartition("-")[2].isdigit()) or [name]
        facts = {n: dict(state[n].attrs) for n in parts if n in state}
    found = []
    for part in parts:
        psi, upper, lower = read_vector(path, part)
        fact = facts[part]
        if fact["up_first"] != fact["down_sites"] or fact.get("fermions"):
            raise ValueError(f"{path} holds a state of fermions: it is no state of XXZ spins")
        for u, d in zip(*np.nonzero(psi)):
            bits = int(lower[d]) | int(upper[u]) << int(fact["up_first"])
            letters = "".join("u" if bits >> i & 1 else "d" for i in range(int(fact["up_first"] + fact["up_sites"])))
            found.append((letters, psi[u, d]))
    norm = np.sqrt(sum(abs(value) ** 2 for _, value in found))
    return [(letters, complex(value / norm)) for letters, value in found]
