"""The objects of a repo, read through git processes that stay open. Trees that were read are kept.

No object above `LARGEST` is read, for the repo may be a stranger's clone. What a game writes is far smaller.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Final, TypeVar

from pbem.protocol import PbemError
from pbem.repo.git.cat_file import CatFile, Size
from pbem.repo.git.formats import Commit, Entry, GitObject, git_object, read_commit, read_tree

if TYPE_CHECKING:
    from git.cmd import Git

T = TypeVar("T")
ENVIRONMENT: Final = {
    "GIT_CONFIG_NOSYSTEM": "1",
    "GIT_CONFIG_GLOBAL": os.devnull,
    "GIT_ALLOW_PROTOCOL": "none",
    "GIT_TERMINAL_PROMPT": "0",
    "GIT_NO_REPLACE_OBJECTS": "1",
    "LC_ALL": "C",
}
LARGEST: Final = 4 * 1024 * 1024
"""The most bytes of an object that is read."""
_MOST_AT_ONCE: Final = 64 * 1024 * 1024
"""The most bytes of objects that are kept by `read_all`."""
_SMALL: Final = 64 * 1024
_ROOM_FOR_BLOBS: Final = 8 * 1024 * 1024
"""So many bytes of small files are kept."""
_SLIM: Final = 128 * 1024
"""So many bytes of small files are kept of a repo that is not in use."""
_FEW_COMMITS, _FEW_ENTRIES = 32, 400
"""So many commits are kept of a repo that is not in use, and folders with so many entries together."""
_MOST_TREES: Final = 512
_MOST_COMMITS: Final = 4096


class StoreError(PbemError):
    """A game's repo cannot be used as asked."""


class TooLarge(StoreError):
    """An object is larger than what is read of a repo."""

    def __init__(self, repo: Path, found: Size, path: str = "") -> None:
        self.repo, self.found = repo, found
        name = path or f"{'file' if found.kind == 'blob' else found.kind} {found.oid}"
        super().__init__(
            f"{repo}: {name} has {_megabytes(found.size)} MB, and more than {_megabytes(LARGEST)} MB is never read"
        )

    def named(self, path: str) -> TooLarge:
        """Return the error with the path of the file."""
        return TooLarge(self.repo, self.found, path)


def _megabytes(size: int) -> str:
    return f"{size / 1024 / 1024:.3g}" if size < 1000 * 1024 * 1024 else str(size // 1024 // 1024)


def _slim(kept: dict[bytes, T], most: int, size: Callable[[T], int]) -> None:
    """Forget the first of what is kept, until the sizes of the rest come to so much at most."""
    total = sum(map(size, kept.values()))
    while total > most:
        total -= size(kept.pop(next(iter(kept))))


class Objects:
    """The objects of a bare repo, by id. Nobody else's settings of git are heeded."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._environment = {**ENVIRONMENT, "GIT_DIR": str(path), "GIT_OBJECT_DIRECTORY": str(path / "objects")}
        self._reader = CatFile(path, self._environment)
        self._trees: dict[bytes, dict[str, Entry]] = {}
        self._commits: dict[bytes, Commit] = {}
        self._blobs: dict[bytes, bytes] = {}
        self._room = _ROOM_FOR_BLOBS
        self.unwritten: dict[bytes, GitObject] = {}
        """Objects that are read as if they were in the repo already."""

    def close(self) -> None:
        """End the git process; the next read starts another."""
        self._reader.close()

    def _git(self) -> Git:
        from git.cmd import Git

        git = Git(self._path)
        git.update_environment(**self._environment)
        return git

    def blob(self, oid: bytes) -> bytes:
        """Return the content of a file. Small ones are kept: most files stay the same from commit to commit."""
        if (kept := self._blobs.pop(oid, None)) is not None:
            self._blobs[oid] = kept  # as the one used last
            return kept
        content = self._read(oid, "blob")
        self._keep_blob(oid, content)
        return content

    def _keep_blob(self, oid: bytes, content: bytes) -> None:
        if len(content) > _SMALL or oid in self._blobs:
            return
        self._room -= len(content)
        if self._room < 0:
            self._blobs.clear()
            self._room = _ROOM_FOR_BLOBS - len(content)
        self._blobs[oid] = content

    def keep_written(self, made: Iterable[GitObject]) -> None:
        """Keep files and commits that were just written, so that they need not be read; `keep` does it with trees."""
        for each in made:
            if each.kind == "blob":
                self._keep_blob(each.oid, each.content)
            elif each.kind == "commit":
                self._keep_commit(each.oid, each.content)

    def slim(self) -> None:
        """Forget the files, the folders and the commits that are kept, but those used last."""
        while _ROOM_FOR_BLOBS - self._room > _SLIM:
            self._room += len(self._blobs.pop(next(iter(self._blobs))))
        _slim(self._commits, _FEW_COMMITS, lambda commit: 1)
        _slim(self._trees, _FEW_ENTRIES, len)

    def commit(self, oid: bytes) -> Commit:
        """Return a commit."""
        if (kept := self._commits.pop(oid, None)) is None:
            self._keep_commit(oid, self._read(oid, "commit"))
        else:
            self._commits[oid] = kept
        return self._commits[oid]

    def _keep_commit(self, oid: bytes, content: bytes) -> None:
        if len(self._commits) >= _MOST_COMMITS:
            self._commits.clear()
        self._commits[oid] = read_commit(content)

    def raw_commit(self, oid: bytes) -> bytes:
        """Return a commit as git keeps it."""
        return self._read(oid, "commit")

    def tree(self, oid: bytes) -> dict[str, Entry]:
        """Return the entries of a folder; do not change them."""
        if (kept := self._trees.pop(oid, None)) is None:
            self.keep(oid, read_tree(self._read(oid, "tree")))
        else:
            self._trees[oid] = kept
        return self._trees[oid]

    def keep(self, oid: bytes, entries: dict[str, Entry]) -> None:
        """Keep a tree that is about to be written, so that it need not be read."""
        if len(self._trees) >= _MOST_TREES:
            self._trees.clear()
        self._trees[oid] = entries

    def check(self) -> list[str]:
        """Return what git itself finds wrong with the repo: objects, packs and their indices, line by line."""
        words = ["git", "fsck", "--full", "--strict", "--no-dangling", "--no-reflogs", "--no-progress"]
        status, said, blamed = self._git().execute(words, with_extended_output=True, with_exceptions=False)
        lines = [line for line in f"{said}\n{blamed}".splitlines() if line and not line.startswith("notice:")]
        return lines or ([f"git fsck ends with {status}"] if status else [])

    def read_all(self) -> None:
        """Read the objects at once, as if they were yet to be written: much quicker than one by one.

        Of a very large repo the rest is left to be read one by one. Call `too_large` first. Raises StoreError if one is
        damaged.
        """
        room = _MOST_AT_ONCE
        try:
            for found, content in self._reader.contents():
                thing = git_object(found.kind, content)
                if thing.oid.hex() != found.oid:
                    raise StoreError(f"{self._path}: {found.kind} {found.oid} is damaged")
                room -= len(content)
                if room < 0:
                    break
                self.unwritten[thing.oid] = thing
        except ValueError as wrong:
            raise StoreError(f"{self._path} cannot be read: {wrong}") from None

    def too_large(self) -> TooLarge | None:
        """Return the error for an object that is too large to be read; None: there is none in the repo."""
        try:
            found = next((each for each in self._reader.sizes() if each.size > LARGEST), None)
        except ValueError as wrong:
            raise StoreError(f"{self._path} cannot be read: {wrong}") from None
        return None if found is None else TooLarge(self._path, found)

    def repack(self, lock: int) -> None:
        """Make few packs of many; the objects and their ids stay. Needs git 2.32.

        git inherits the descriptor `lock`, and with it the game's lock: it keeps it until it is done, even where
        whoever called it is killed meanwhile.
        """
        words = ["git", "repack", "-d", "-n", "-q", "--geometric=2"]
        self._git().execute(words, pass_fds=(lock,))
        self.close()  # it would keep the old packs on the disk

    def _read(self, oid: bytes, kind: str) -> bytes:
        if oid in self.unwritten and self.unwritten[oid].kind == kind:
            return self.unwritten[oid].content
        try:
            found, content = self._within_limits(oid)
        except (ValueError, OSError):
            self.close()  # the git process may have been killed; a new one finds what is there
            try:
                found, content = self._within_limits(oid)
            except (ValueError, OSError) as wrong:
                raise StoreError(f"{self._path}: {kind} {oid.hex()} cannot be read: {wrong}") from None
        if found != kind:
            raise StoreError(f"{self._path}: {oid.hex()} is a {found}, not a {kind}")
        if git_object(kind, content).oid != oid:  # git itself does not look when it reads from a pack
            raise StoreError(f"{self._path}: {kind} {oid.hex()} is damaged; restore the repo from a copy")
        return content

    def _within_limits(self, oid: bytes) -> tuple[str, bytes]:
        """Return kind and content of an object, unless it is too large."""
        size = self._reader.size(oid.hex())
        if size.size > LARGEST:
            raise TooLarge(self._path, size)
        return self._reader.read(oid.hex())
