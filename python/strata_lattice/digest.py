# SPDX-License-Identifier: BSD-3-Clause
"""Result files that are checked before anything is read of them: the digest that the program wrote over all names and
values (src/io/content_digest.cpp) is computed again.

The hash is xxh64 (https://github.com/Cyan4973/xxHash, doc/xxhash_spec.md) of the library libxxhash or, where this
machine has none, of this module, at some ten megabytes per second.
"""

import contextlib
import ctypes
import ctypes.util
import struct

import h5py
import numpy as np

PIECE = 1 << 16  # elements that are hashed at a time, as in the program
MOST_TEXT = 64 << 20  # largest row or element in bytes
DEEPEST = 8  # nesting of groups
REFERENCES = ("DIMENSION_LIST", "REFERENCE_LIST")  # between coordinates and datasets: no value depends on them
KINDS = {"i": 0, "u": 0, "f": 1, "S": 3}  # classes of types as HDF5 numbers them
MASK = (1 << 64) - 1
P1, P2, P3, P4, P5 = (11400714785074694791, 14029467366897019727, 1609587929392839161, 9650029242287828579,
                      2870177450012600261)


class StrataFileError(ValueError):
    """A file that is no result of Strata or is damaged, as one sentence."""


def rotated(x, by):
    return (x << by | x >> (64 - by)) & MASK


def merged(h, lane):
    return ((h ^ rotated(lane * P2 & MASK, 31) * P1 & MASK) * P1 + P4) & MASK


class Xxh64:
    """xxh64 with the seed 0 of bytes that come in parts."""

    def __init__(self):
        self.lanes, self.rest, self.length = [(P1 + P2) & MASK, P2, 0, -P1 & MASK], b"", 0

    def update(self, data):
        self.length += len(data)
        data = self.rest + data
        whole = len(data) // 32 * 32
        self.rest = data[whole:]
        words = np.frombuffer(data, "<u8", whole // 8) * np.uint64(P2)  # wraps around at 64 bits
        for lane in range(4):
            v = self.lanes[lane]
            for x in words[lane::4].tolist():
                v = v + x & MASK
                v = (v << 31 | v >> 33) * P1 & MASK
            self.lanes[lane] = v

    def digest(self):
        h = P5
        if self.length >= 32:
            h = sum(rotated(v, by) for v, by in zip(self.lanes, (1, 7, 12, 18))) & MASK
            for v in self.lanes:
                h = merged(h, v)
        h, rest = h + self.length & MASK, self.rest
        while len(rest) >= 8:
            h ^= rotated(int.from_bytes(rest[:8], "little") * P2 & MASK, 31) * P1 & MASK
            h, rest = (rotated(h, 27) * P1 + P4) & MASK, rest[8:]
        if len(rest) >= 4:
            h ^= int.from_bytes(rest[:4], "little") * P1 & MASK
            h, rest = (rotated(h, 23) * P2 + P3) & MASK, rest[4:]
        for byte in rest:
            h = rotated(h ^ byte * P5 & MASK, 11) * P1 & MASK
        h = (h ^ h >> 33) * P2 & MASK
        h = (h ^ h >> 29) * P3 & MASK
        return h ^ h >> 32


class LibraryXxh64:
    """The same by libxxhash."""

    def __init__(self, library):
        self.library, self.state = library, ctypes.c_void_p(library.XXH64_createState())
        library.XXH64_reset(self.state, ctypes.c_uint64(0))

    def update(self, data):
        self.library.XXH64_update(self.state, data, ctypes.c_size_t(len(data)))

    def digest(self):
        return self.library.XXH64_digest(self.state)

    def __del__(self):
        self.library.XXH64_freeState(self.state)


def new_hash():
    try:
        library = ctypes.CDLL(ctypes.util.find_library("xxhash") or "libxxhash.so.0")
        library.XXH64_createState.restype, library.XXH64_digest.restype = ctypes.c_void_p, ctypes.c_uint64
        return LibraryXxh64(library)
    except (OSError, AttributeError):
        return Xxh64()


def number(value):
    return struct.pack("<Q", value)


def name_of(name):
    return number(len(name)) + name


class Walk:
    """All objects of a file in the order of their creation, as the program walks over them."""

    def __init__(self, file):
        self.hash, self.bytes = new_hash(), file.id.get_filesize()
        self.group(file["/"], 0)

    def text(self):
        return f"{self.hash.digest():016x}"

    def group(self, group, depth):
        if depth > DEEPEST:
            raise StrataFileError("its groups lie too deep")
        self.attributes(group.id, b"digest" if depth == 0 else None)
        found, names = [], []
        group.id.links.iterate(found.append, order=h5py.h5.ITER_NATIVE)  # any other order crashes in damaged groups
        for name in found:
            link = group.id.links.get_info(name)
            if link.type != h5py.h5l.TYPE_HARD:
                raise StrataFileError("it has a link to elsewhere")
            names.append((link.corder if link.corder_valid else 0, name))
        for _, name in sorted(names):
            child = group[name]
            is_group = isinstance(child, h5py.Group)
            self.hash.update(name_of(name) + number(is_group))
            if is_group:
                self.group(child, depth + 1)
            elif isinstance(child, h5py.Dataset):
                self.dataset(child)
            else:
                raise StrataFileError("it has an object that is neither a group nor a dataset")
        self.hash.update(number(0))

    def memory_type(self, kept):
        """The type in which values are hashed; adds its class."""
        if kept.kind not in KINDS or kept.kind == "S" and kept.itemsize > MOST_TEXT:
            raise StrataFileError("it has a type that strata does not write")
        self.hash.update(number(KINDS[kept.kind]))
        return {"f": np.dtype("<f8"), "S": kept}.get(kept.kind, np.dtype("<i8"))

    def attributes(self, where, besides):
        names = []
        for number_of in range(h5py.h5a.get_num_attrs(where)):
            attribute = h5py.h5a.open(where, index=number_of)
            info = h5py.h5a.get_info(where, attribute.name)
            names.append((info.corder if info.corder_valid else 0, attribute.name))
        for _, name in sorted(names):
            if name == besides or name.decode(errors="replace") in REFERENCES:
                continue
            attribute = h5py.h5a.open(where, name)
            if int(np.prod(attribute.shape)) != 1 or attribute.get_storage_size() > MOST_TEXT:
                raise StrataFileError("it has an attribute that is not one value")
            kind = self.memory_type(attribute.dtype)
            value = np.empty(attribute.shape, kind)
            attribute.read(value)
            self.hash.update(name_of(name) + value.tobytes())
        self.hash.update(number(0))

    def dataset(self, data):
        self.attributes(data.id, None)
        kind = self.memory_type(data.dtype)
        layout = data.id.get_create_plist()
        if (data.external or data.is_virtual or layout.get_nfilters() or data.ndim > 2
                or data.size * data.dtype.itemsize > min(data.id.get_storage_size(), self.bytes)):
            raise StrataFileError("it has a dataset that is not stored as strata stores it")
        rows, row = (*data.shape, 1, 1)[:2] if data.ndim else (1, 1)
        self.hash.update(number(data.size) + (number(row) if data.ndim == 2 else b""))
        if row * kind.itemsize > MOST_TEXT:
            raise StrataFileError("it has rows that are too long")
        step = max(1, PIECE // max(1, row))
        for first in range(0, rows, step):
            part = np.asarray(data[first:first + step] if data.ndim else data[()])
            self.hash.update(part.astype(kind, copy=False).tobytes())


def reason_of(error):
    """What an exception says, as the end of a sentence."""
    words = " ".join(str(error.args[0] if error.args else error).split()).rstrip(".")
    return words or type(error).__name__


@contextlib.contextmanager
def readable_file(path):
    """An open h5py.File. Raises StrataFileError with one sentence where it cannot be opened, and for whatever does not
    fit while it is read within the context."""
    try:
        file = h5py.File(path)
    except (OSError, RuntimeError, ValueError, MemoryError) as error:
        raise StrataFileError(f"{path} could not be read: {reason_of(error)}.") from error
    try:
        with file:
            yield file
    except StrataFileError:
        raise
    except (ArithmeticError, AttributeError, LookupError, MemoryError, OSError, RuntimeError, TypeError,
            ValueError) as error:
        raise StrataFileError(f"{path} is damaged or of another version of strata: {reason_of(error)}.") from error


@contextlib.contextmanager
def checked_file(path):
    """The same of a result or a scan, whose content fits its digest."""
    with readable_file(path) as file:
        check(file, path)
        yield file


def check(file, path):
    """Raises StrataFileError unless the file is a result or scan that is as it was written."""
    kind = file.attrs.get("format", b"")
    if kind not in (b"strata-result", b"strata-scan"):
        raise StrataFileError(f"{path} is neither a result nor a scan of Strata.")
    try:
        fits = Walk(file).text() == file.attrs["digest"].decode()
    except StrataFileError as reason:
        raise StrataFileError(f"{path} is damaged: {reason}.") from reason
    if not fits:
        raise StrataFileError(f"{path} does not fit its digest: it is damaged, or was changed after it was written.")
