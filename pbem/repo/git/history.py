"""The history of a game's repo: every commit as it is, right or wrong, for verification.

The repo may be the game's own, a clone from anywhere, bare, or a checkout. Nothing is written to it. Whoever made it
may be hostile: no setting of its own counts, and none of its files is opened before it is known to be a plain one.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import AbstractContextManager, suppress
from itertools import islice
from pathlib import Path
from re import compile as pattern
from stat import S_ISREG
from tempfile import TemporaryDirectory
from types import TracebackType
from typing import Final, NamedTuple, Self

from pbem.repo.git import AUTHOR, REF, NoSuchGame, StoreError
from pbem.repo.git.formats import (
    Commit,
    Dates,
    GitObject,
    commit_object,
    git_object,
    read_commit,
    split_signature,
)
from pbem.repo.git.locks import LOCK, undisturbed
from pbem.repo.git.objects import LARGEST, FileChange, Objects, changed_files, read_plain, require_plain, require_small

_HEAD: Final = f"ref: {REF}\n".encode()
_LOOSE: Final = pattern(r"([0-9a-f]{40})\n")
_PACKED: Final = pattern(r"# pack-refs with:.*|\^[0-9a-f]{40}|([0-9a-f]{40}) (refs/\S+)")
_MOST_CHANGES: Final = 100_000
"""Of one commit: folders that hold the same folder again and again would never end."""


class Past(NamedTuple):
    """One commit: the number of those before it, the signed bytes, the signature, and the changes."""

    at: int
    sha: str
    message: str
    own_form: bool
    """Whether it is written as this store writes commits: author, date, nothing else in it."""
    signed: bytes
    signature: bytes
    changes: tuple[FileChange, ...]
    author: int = 0
    """The author's date, in seconds since 1970: when the letter came that made it, or when it was made."""


class PastRepo:
    """A repo whose history is read. Use it as a context manager: it keeps a git process to read through."""

    def __init__(self, path: Path) -> None:
        """Find the repo at a path. Raises NoSuchGame if there is none."""
        path = path.absolute()
        path = path.parent if path.name == ".git" else path
        checkout = (path / ".git").is_dir()
        self.path = path / ".git" if checkout else path
        self.checkout = path if checkout else None
        """The folder of the checked out files; None: the repo is bare."""
        self.name = path.name
        if not (self.path / "HEAD").exists() or not (self.path / "objects").is_dir():
            raise NoSuchGame(f"there is no repo of a game at {path}")
        self._settings = TemporaryDirectory(prefix="pbem-")
        self._objects = Objects(self.path, self._own_settings())

    def _own_settings(self) -> Path:
        """Return a folder that git takes for the repo: with main as it stands there, and no setting of anybody."""
        own = Path(self._settings.name)
        (own / "objects").mkdir()
        (own / REF).parent.mkdir(parents=True)
        (own / "HEAD").write_bytes(_HEAD)
        with suppress(StoreError):  # raised again where the head is read
            (own / REF).write_text(f"{self.head().hex()}\n", "utf-8")
        return own

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self._objects.close()
        self._settings.cleanup()

    def blob(self, oid: bytes) -> bytes:
        """Return the content of a file. Raises StoreError if it cannot be read or is damaged."""
        return self._objects.blob(oid)

    def damage(self) -> Iterator[str]:
        """Yield the damage of the repo's own files, as git reports it. Raises TooLarge for a file too large to read."""
        self._require_readable()
        if self.checkout is None and read_plain(self.path / "HEAD") != _HEAD:
            yield f"HEAD does not say {_HEAD.decode().strip()!r}"
        for line in self._objects.check():
            yield line.replace(f"{self.path.as_posix()}/", "")

    def _require_readable(self) -> None:
        """Raise StoreError for what would keep git waiting, or fill the memory."""
        require_plain(self.path / "objects")
        require_small(self._objects, self.head)

    def undisturbed(self) -> AbstractContextManager[None]:
        """Keep the repo from being repacked while `damage` and `commits` read it, where it is somebody's live game."""
        return undisturbed(self.path / LOCK)

    def head(self) -> bytes:
        """Return the commit that main stands at. Raises StoreError if there is none, or the ref is damaged."""
        loose = self.path / REF
        if os.path.lexists(loose):
            found = _LOOSE.fullmatch(read_plain(loose).decode("latin-1"))
            if found is None:
                raise StoreError(f"{REF} is damaged: it must hold the id of a commit, and nothing else")
            return bytes.fromhex(found[1])
        packed = self.path / "packed-refs"
        for line in read_plain(packed).decode("latin-1").splitlines() if os.path.lexists(packed) else ():
            read = _PACKED.fullmatch(line)
            if read is None:
                raise StoreError(f"packed-refs is damaged: {line[:80]!r}")
            if read[2] == REF:
                return bytes.fromhex(read[1])
        raise StoreError(f"{self.path} holds no commit on {REF}")

    def commits(self) -> list[Past]:
        """Return the commits, the oldest first. Raises StoreError where one cannot be read."""
        self._require_readable()
        self._objects.read_all()
        contents: list[tuple[bytes, bytes]] = []
        oid: bytes | None = self.head()
        while oid is not None:
            content = self._objects.raw_commit(oid)
            contents.append((oid, content))
            oid = _parsed(content, oid).parent
        found: list[Past] = []
        before: bytes | None = None
        for at, (oid, content) in enumerate(reversed(contents)):
            commit = _parsed(content, oid)
            signed, signature = split_signature(content)
            changes = tuple(islice(changed_files(self._objects, before, commit.tree), _MOST_CHANGES + 1))
            if len(changes) > _MOST_CHANGES:
                raise StoreError(f"the commit {oid.hex()} changes more than {_MOST_CHANGES} files")
            before = commit.tree
            own_form = _own_form(commit, at, signature).oid == oid
            found.append(Past(at, oid.hex(), commit.message, own_form, signed, signature, changes, commit.dates.author))
        return found

    def strays(self) -> Iterator[str]:
        """Yield the checked out files that are not as main has them."""
        if self.checkout is None:
            return
        for change in changed_files(self._objects, None, _parsed(self._objects.raw_commit(self.head()), b"").tree):
            content = _checked_out(self.checkout / change.path)
            if content is None:
                yield change.path
                continue
            texts = (content, content.replace(b"\r\n", b"\n"))  # git may write line ends as the machine likes them
            if all(git_object("blob", text).oid != change.new for text in texts):
                yield change.path


def _checked_out(path: Path) -> bytes | None:
    """Return the content of a checked out file; None: it is no plain file, too large, or cannot be read."""
    try:
        state = path.lstat()
        return path.read_bytes() if S_ISREG(state.st_mode) and state.st_size <= 2 * LARGEST else None
    except OSError:
        return None


def _parsed(content: bytes, oid: bytes) -> Commit:
    try:
        return read_commit(content)
    except (KeyError, ValueError, IndexError):
        raise StoreError(f"the commit {oid.hex()} is not written as git writes commits") from None


def _own_form(commit: Commit, at: int, signature: bytes) -> GitObject:
    """Return the commit as this store would have written it; the author's date is as stated."""
    sign = (lambda _: signature) if signature else None
    return commit_object(commit._replace(dates=Dates(commit.dates.author, at)), AUTHOR, sign)
