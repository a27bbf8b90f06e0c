"""The packs of a repo, read without git: most objects stand in them, and to start a git process takes far longer.

What is not found here, or is damaged, or too large, is left to git (`pbem.repo.git.cat_file`), which says what is wrong
with it. Nothing above a limit is unpacked: the repo may be a stranger's clone.
"""

from __future__ import annotations

import os
import zlib
from functools import cached_property, lru_cache
from pathlib import Path
from struct import error, unpack_from
from typing import Final, NamedTuple

_KINDS: Final = {1: "commit", 2: "tree", 3: "blob", 4: "tag"}
_FROM_PLACE: Final = 6
"""An object that is stored as the difference from one that stands before it in the same pack."""
_FROM_OID: Final = 7
"""An object that is stored as the difference from one with an id."""
_MOST_DIFFERENCES: Final = 60
"""So many differences follow from each other at most; git makes chains of fifty."""
_MOST_INDEX: Final = 8 * 1024 * 1024
_SMALL_INDEX: Final = 4096
"""The size of an index that is kept for the next time that its repo is opened: that of a commit is smaller."""
_MOST_KEPT: Final = 4096
_HEAD: Final = 64
"""The most bytes that stand before what is compressed."""
_NAMES: Final = 1032
"""Where in an index the ids begin."""
_INDEX: Final = b"\377tOc\0\0\0\2"


class _Entry(NamedTuple):
    """What stands at a place in a pack."""

    kind: int
    content: bytes
    """The object, or the difference by which it is made."""
    base: bytes | int
    """The id or the place of what it is the difference from."""


class _Index:
    """The index of a pack, which is read when it is needed first."""

    def __init__(self, path: str, changed: int, size: int) -> None:
        self.path = path
        self._changed = changed
        self._size = size

    @cached_property
    def content(self) -> bytes:
        """What it says; of one that is left to git, nothing."""
        if self._size <= _SMALL_INDEX:
            return _small_index(self.path, self._changed, self._size)
        return _read_index(self.path) if self._size <= _MOST_INDEX else b""


@lru_cache(maxsize=_MOST_KEPT)
def _small_index(path: str, changed: int, size: int) -> bytes:
    """Return a small index. The post opens the same games again and again, and a game has up to a hundred packs."""
    return _read_index(path)


def _read_index(path: str) -> bytes:
    with open(path, "rb", buffering=0) as file:
        content = file.read(_MOST_INDEX)
    return content if content.startswith(_INDEX) else b""


class Packs:
    """The packs in a folder. They are listed anew when an object is not found, for each commit brings another."""

    def __init__(self, folder: Path, largest: int) -> None:
        """`largest` is the size in bytes above which no object is read."""
        self._folder = folder
        self._largest = largest
        self._found: list[_Index] = []

    def read(self, oid: bytes) -> tuple[str, bytes] | None:
        """Return kind and content of an object; None: ask git. Whether the content fits the id is not checked."""
        for _ in range(2):
            try:
                return self._read(oid, _MOST_DIFFERENCES)
            except FileNotFoundError:  # somebody has made few packs of many
                self._found = []
            except (OSError, ValueError, IndexError, error, zlib.error):
                break
        return None

    def _read(self, oid: bytes, depth: int) -> tuple[str, bytes]:
        """Return kind and content of an object. Raises ValueError if it is not found, or too large."""
        place = self._find(oid)
        if place is None:
            self._list()
            place = self._find(oid)
        if place is None:
            raise ValueError("no such object")
        return self._unpacked(*place, depth)

    def _unpacked(self, path: str, at: int, depth: int) -> tuple[str, bytes]:
        if depth < 0:
            raise ValueError("too many differences")
        entry = self._entry(path, at)
        if entry.kind in _KINDS:
            return _KINDS[entry.kind], entry.content
        if isinstance(entry.base, int):
            kind, base = self._unpacked(path, entry.base, depth - 1)
        else:
            kind, base = self._read(entry.base, depth - 1)
        return kind, _patched(base, entry.content, self._largest)

    def _list(self) -> None:
        """List the packs, the latest first: what is asked for is mostly of the latest commits."""
        with os.scandir(self._folder) as folder:
            found = [(each.stat(), each.path) for each in folder if each.name.endswith(".idx")]
        found.sort(key=lambda each: each[0].st_mtime_ns, reverse=True)
        self._found = [_Index(path, about.st_mtime_ns, about.st_size) for about, path in found]

    def _find(self, oid: bytes) -> tuple[str, int] | None:
        """Return the pack that an object stands in, and where."""
        for each in self._found:
            if (at := _place_in(each.content, oid)) is not None:
                return f"{each.path[:-4]}.pack", at
        return None

    def _entry(self, path: str, at: int) -> _Entry:
        """Return what stands at a place in a pack. Raises ValueError if it is too large."""
        with open(path, "rb", buffering=0) as file:
            head = os.pread(file.fileno(), _HEAD, at)
            kind, size, start = _entry_head(head)
            if size > self._largest:
                raise ValueError("too large")
            base: bytes | int = 0
            if kind == _FROM_PLACE:
                back, start = _offset(head, start)
                base = at - back
                if not 0 < base < at:
                    raise ValueError("a difference from nothing")
            elif kind == _FROM_OID:
                base, start = head[start : start + 20], start + 20
            elif kind not in _KINDS:
                raise ValueError("no such kind")
            packed = os.pread(file.fileno(), size + size // 1000 + _HEAD, at + start)
        content = zlib.decompressobj().decompress(packed, size + 1)
        if len(content) != size:
            raise ValueError("not of the size that it should have")
        return _Entry(kind, content, base)


def _place_in(index: bytes, oid: bytes) -> int | None:
    """Return where an object stands in the pack of an index; None: it does not."""
    if not index:
        return None
    (whole,) = unpack_from(">I", index, _NAMES - 4)
    first = oid[0]
    (high,) = unpack_from(">I", index, 8 + 4 * first)
    (low,) = unpack_from(">I", index, 4 + 4 * first) if first else (0,)
    while low < high:
        middle = (low + high) // 2
        found = index[_NAMES + 20 * middle : _NAMES + 20 * middle + 20]
        if found == oid:
            (at,) = unpack_from(">I", index, _NAMES + 24 * whole + 4 * middle)
            if at >> 31:  # it stands behind the first two gigabytes
                raise ValueError("a pack that is left to git")
            return int(at)
        if found < oid:
            low = middle + 1
        else:
            high = middle
    return None


def _entry_head(head: bytes) -> tuple[int, int, int]:
    """Return kind and size of a packed object, and where what follows begins."""
    byte, at = head[0], 1
    kind, size, shift = byte >> 4 & 7, byte & 15, 4
    while byte & 0x80:
        byte = head[at]
        size |= (byte & 0x7F) << shift
        at, shift = at + 1, shift + 7
    return kind, size, at


def _offset(head: bytes, at: int) -> tuple[int, int]:
    """Return how far back the base of a difference stands, and where what follows begins."""
    byte = head[at]
    back = byte & 0x7F
    while byte & 0x80:
        at += 1
        byte = head[at]
        back = (back + 1) << 7 | byte & 0x7F
    return back, at + 1


def _patched(base: bytes, difference: bytes, largest: int) -> bytes:
    """Return what a difference makes of its base. Raises ValueError if that is too large, or does not fit."""
    before, at = _size(difference, 0)
    after, at = _size(difference, at)
    if before != len(base) or after > largest:
        raise ValueError("a difference from something else, or too large")
    made = bytearray()
    while at < len(difference):
        word = difference[at]
        at += 1
        if word & 0x80:  # a part of the base: where it begins, and its length, in as many bytes as the word says
            numbers = [0, 0]
            for bit in range(7):
                if word >> bit & 1:
                    numbers[bit // 4] |= difference[at] << 8 * (bit % 4)
                    at += 1
            start, length = numbers[0], numbers[1] or 0x10000
            made += base[start : start + length]
        elif word:
            made += difference[at : at + word]
            at += word
        else:
            raise ValueError("a difference of an unknown kind")
        if len(made) > after:
            break
    if len(made) != after:
        raise ValueError("not of the size that it should have")
    return bytes(made)


def _size(difference: bytes, at: int) -> tuple[int, int]:
    size, shift = 0, 0
    while True:
        byte = difference[at]
        size |= (byte & 0x7F) << shift
        at, shift = at + 1, shift + 7
        if not byte & 0x80:
            return size, at
