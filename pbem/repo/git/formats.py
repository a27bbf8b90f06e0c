"""Git's own formats as bytes: blobs, trees, commits and packs, and the paths in a game's trees.

The grammar of paths is narrow, so that none can reach git's own files.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha1
from itertools import accumulate
from re import compile as pattern
from struct import pack as binary
from sys import intern
from typing import Final, NamedTuple, TypeAlias
from zlib import compress, crc32

from pbem.protocol import PbemError

FILE: Final = b"100644"
FOLDER: Final = b"40000"
_MODES: Final = {mode: mode for mode in (FILE, FOLDER)}
_KINDS: Final = {"commit": 1, "tree": 2, "blob": 3}
_PATH: Final = pattern(r"(?:[a-z0-9_][a-z0-9_.-]{0,63}/){0,7}[a-z0-9_][a-z0-9_.-]{0,63}")

Changes: TypeAlias = "dict[str, bytes | Changes | None]"
"""Folders as nested mappings; files as bytes, or None to remove one."""


class GitObject(NamedTuple):
    """A blob, tree or commit, with the name that its content gives it."""

    oid: bytes
    kind: str
    content: bytes


class TreeEntry(NamedTuple):
    """One entry of a tree."""

    mode: bytes
    oid: bytes


class Dates(NamedTuple):
    """The two dates of a commit, in seconds since 1970, UTC."""

    author: int
    committer: int


class Commit(NamedTuple):
    """The parts of a commit that are used here."""

    tree: bytes
    parent: bytes | None
    dates: Dates
    message: str


def git_object(kind: str, content: bytes) -> GitObject:
    """Return an object with its name."""
    return GitObject(sha1(b"%b %d\0%b" % (kind.encode(), len(content), content)).digest(), kind, content)


def tree_object(entries: Mapping[str, TreeEntry]) -> GitObject:
    """Return a folder; git sorts its names as if those of folders ended in a slash."""
    order = sorted(entries.items(), key=lambda item: item[0] + "/" if item[1].mode == FOLDER else item[0])
    return git_object("tree", b"".join(b"%b %b\0%b" % (e.mode, name.encode(), e.oid) for name, e in order))


def read_tree(content: bytes) -> dict[str, TreeEntry]:
    """Return the entries of a tree object, by name."""
    entries = {}
    at = 0
    while at < len(content):
        end = content.index(b"\0", at)
        mode, name = content[at:end].split(b" ", 1)
        at = end + 21
        # The same names and modes stand in tree after tree: each is kept once.
        entries[intern(name.decode())] = TreeEntry(_MODES.get(mode, mode), content[end + 1 : at])
    return entries


def commit_object(commit: Commit, author: str, sign: Callable[[bytes], bytes] | None = None) -> GitObject:
    """Return a commit as git keeps it. `sign` returns the armoured signature of a content."""
    tree, parent, dates, message = commit
    lines = [f"tree {tree.hex()}"]
    if parent is not None:
        lines.append(f"parent {parent.hex()}")
    lines += [f"author {author} {dates.author} +0000", f"committer {author} {dates.committer} +0000"]
    text = message.replace("\0", "").strip() + "\n"
    head, body = "\n".join(lines).encode(), b"\n\n" + text.encode()
    if sign is None:
        return git_object("commit", head + body)
    signature = b"\ngpgsig " + sign(head + body).replace(b"\n", b"\n ")
    return git_object("commit", head + signature + body)


def split_signature(content: bytes) -> tuple[bytes, bytes]:
    """Return a commit as it was signed, and its signature; that is empty if there is none."""
    head, blank, body = content.partition(b"\n\n")
    before, found, after = head.partition(b"\ngpgsig ")
    if not found:
        return content, b""
    lines = after.split(b"\n")
    length = next((at for at, line in enumerate(lines) if at and not line.startswith(b" ")), len(lines))
    signature = b"\n".join([lines[0], *(line[1:] for line in lines[1:length])])
    rest = b"".join(b"\n" + line for line in lines[length:])
    return before + rest + blank + body, signature


def read_commit(content: bytes) -> Commit:
    """Return the parts of a commit, also of one that another program made."""
    head, _, message = content.decode("utf-8", "replace").partition("\n\n")
    lines = [line.split(" ", 1) for line in head.split("\n") if " " in line and not line.startswith(" ")]
    words: dict[str, str] = {}
    for key, value in lines:
        words.setdefault(key, value)
    parent = bytes.fromhex(words["parent"]) if "parent" in words else None
    dates = Dates(*(int(words[who].split()[-2]) for who in Dates._fields))
    return Commit(bytes.fromhex(words["tree"]), parent, dates, message.rstrip("\n"))


@dataclass(frozen=True, slots=True)
class Pack:
    """A pack file and its index, and the name that both carry."""

    name: str
    pack: bytes
    index: bytes


def pack_objects(objects: Sequence[GitObject]) -> Pack:
    """Return a pack (version 2) of objects that are all different, and its index (version 2).

    Nothing is compressed: that would take time, and the next repack stores most objects as differences.
    """
    body = bytearray(binary(">4sII", b"PACK", 2, len(objects)))
    places = []
    for thing in objects:
        entry = _entry_head(_KINDS[thing.kind], len(thing.content)) + compress(thing.content, 0)
        places.append((thing.oid, crc32(entry), len(body)))
        body += entry
    checksum = sha1(body).digest()
    places.sort()
    starts = [0] * 256
    for oid, _, _ in places:
        starts[oid[0]] += 1
    n = len(places)
    index = b"".join(
        [
            binary(">4sI256I", b"\377tOc", 2, *accumulate(starts)),
            b"".join(oid for oid, _, _ in places),
            binary(f">{n}I", *(crc for _, crc, _ in places)),
            binary(f">{n}I", *(at for _, _, at in places)),
            checksum,
        ]
    )
    return Pack(f"pack-{checksum.hex()}", bytes(body) + checksum, index + sha1(index).digest())


def _entry_head(kind: int, size: int) -> bytes:
    """Return the kind and size of a packed object: four bits of the size first, then seven by seven."""
    byte, size = kind << 4 | size & 15, size >> 4
    head = bytearray()
    while size:
        head.append(byte | 0x80)
        byte, size = size & 0x7F, size >> 7
    head.append(byte)
    return bytes(head)


class BadPath(PbemError, ValueError):
    """A path is not of the kind that may stand in a game's repo."""


def numbered(folder: str, n: int) -> str:
    """Return the path of the n-th file of a folder, a hundred to a subfolder: `turns/000/0042.yaml`."""
    return f"{folder}/{n // 100:03}/{n:04}.yaml"


def path_parts(path: str) -> list[str]:
    """Return the names that a path goes through. Raises BadPath."""
    if not _PATH.fullmatch(path):
        raise BadPath(
            f"{path!r} cannot stand in a game's repo: names of a-z, 0-9, '_', '-' and '.' (not '-' or '.' first), "
            f"64 letters at most, joined by '/', 8 deep at most"
        )
    return path.split("/")


def nested(files: Mapping[str, bytes | None]) -> Changes:
    """Return changes by folder; refuse a name that is to be a file and a folder at once."""
    changes: Changes = {}
    for path, content in files.items():
        *folders, name = path_parts(path)
        level = changes
        for folder in folders:
            below = level.setdefault(folder, {})
            if not isinstance(below, dict):
                raise BadPath(f"{path}: {folder} would be a file and a folder at once")
            level = below
        if isinstance(level.get(name), dict):
            raise BadPath(f"{path} would be a file and a folder at once")
        level[name] = content
    return changes
