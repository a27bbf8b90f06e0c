"""A game's git repo: turn files, positions, history.

The repo is bare, and everything is read from the tree of a commit: there is no work tree that a crash could leave
out of step. Paths follow a fixed grammar, and text of players stands only inside files, so that no letter can reach
git's own files.

A commit is one pack (`repo.git.formats`): its pack and index are written beside their places, synced, renamed, and the
folder synced; only then `refs/heads/main` is replaced under git's own lock, by a rename that is synced as well. So a
process that dies leaves the commit before or the commit after; and when `commit` has returned, a power cut
leaves it too, as far as the file system and the disk keep to what they say of fsync.

The date of the committer counts commits (the n-th is n seconds after 1970). That of the author is the same, but in a
commit that a letter has made: there it is the time at which the letter came.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from datetime import datetime
from pathlib import Path
from re import compile as pattern
from threading import Lock
from types import TracebackType
from typing import Final, NamedTuple

from pbem.atomic import sync_folder, write
from pbem.repo.git.formats import (
    FILE,
    FOLDER,
    BadPath,
    Changes,
    Commit,
    Dates,
    GitObject,
    TreeEntry,
    commit_object,
    git_object,
    nested,
    numbered,
    pack_objects,
    path_parts,
    split_signature,
    tree_object,
)
from pbem.repo.git.locks import LOCK, NO_WAITING, Busy, GameLock, Moved, RefLock
from pbem.repo.git.objects import FileChange, Objects, StoreError, TooLarge, changed_files, read_plain, require_small

__all__ = [
    "BadPath",
    "Busy",
    "CommitChanges",
    "GameExists",
    "GameRepo",
    "KeptRepos",
    "Logged",
    "Moved",
    "NoSuchGame",
    "StoreError",
    "numbered",
    "tip_of",
]

REF: Final = "refs/heads/main"
"""The one branch of a game."""
_CONFIG: Final = b"""\
[core]
\trepositoryformatversion = 0
\tfilemode = false
\tbare = true
\tlogallrefupdates = false
\thooksPath = /dev/null
[gc]
\tauto = 0
"""
AUTHOR: Final = "pbem <pbem@localhost>"
PATIENCE: Final = 10.0
"""Seconds to wait for a lock."""
TIDY_EVERY: Final = 128
"""The number of commits between two repacks, which take about 100 ms and are made when the lock is released."""
MOST_KEPT: Final = 48
"""So many repos are kept; of more, those that were used last."""

_OID: Final = pattern(r"[0-9a-f]{40}")
_EMPTY: Final = tree_object({}).oid


class NoSuchGame(StoreError):
    """There is no game's repo at a path."""


class GameExists(StoreError):
    """A new game would overwrite another."""


class Logged(NamedTuple):
    """One commit of the history; `when` counts the commits before it."""

    sha: str
    message: str
    when: int


class CommitChanges(NamedTuple):
    """The files that a commit changes, and the author's date, in seconds since 1970."""

    files: tuple[FileChange, ...]
    author: int


class _Tip(NamedTuple):
    oid: bytes
    tree: bytes
    when: int


def tip_of(path: Path) -> str | None:
    """Return the commit of main of the repo at a path; `git gc` may have moved it to packed-refs. None: there is none.

    Nothing else of the repo is read.
    """
    with suppress(FileNotFoundError):
        fd = os.open(path / REF, os.O_RDONLY | NO_WAITING)
        try:
            return os.read(fd, 40).decode("ascii")
        finally:
            os.close(fd)
    if os.path.lexists(packed := path / "packed-refs"):
        for line in read_plain(packed).decode("utf-8", "replace").splitlines():
            if line.endswith(f" {REF}"):
                return line.split(" ")[0]
    return None


def heads_changed(games: Path) -> Iterator[tuple[str, int]]:
    """Yield the games in a folder, and when the folder of the ref of each has changed last, as it does by a commit."""
    where = os.path.dirname(REF)
    for name in os.listdir(games):
        if name.endswith(".git"):
            with suppress(OSError):
                yield name.removesuffix(".git"), os.stat(f"{games}/{name}/{where}").st_mtime_ns


class GameRepo:
    """A game's repo, as it stood when it was opened, locked, or last committed to through this object.

    Use it as a context manager, or call `close`: it may keep git processes to read through.
    """

    def __init__(self, path: Path) -> None:
        """Call `GameRepo.open` or `GameRepo.create` instead."""
        self.path = path.absolute()
        self._objects = Objects(self.path)
        self._ref = self.path / REF
        self._packs = self.path / "objects" / "pack"
        self._drafts = self._packs / "tmp_pbem_pack", self._packs / "tmp_pbem_idx", self._ref.with_name("main.new.lock")
        self._ref_lock = RefLock(self._ref, self.path / LOCK, self._drafts)
        self._lock = GameLock(self.path / LOCK, path.stem, self._ref_lock.recover)
        self._depth = 0
        self._in_transaction = False
        self._due = False
        self._tip: _Tip | None = None
        self.sign: Callable[[bytes], bytes] | None = None
        """What signs the commits; None: they are not signed."""
        self.letter_time: datetime | None = None
        """When the letter came whose changes are committed: the author's date. None: they come of no letter."""

    @classmethod
    def create(
        cls, path: Path, files: Mapping[str, bytes], message: str, sign: Callable[[bytes], bytes] | None = None
    ) -> GameRepo:
        """Make a repo with its first commit, whole or not at all, and open it."""
        changes = nested(files)
        if os.path.lexists(path):
            raise GameExists(f"{path} exists already; a new game needs another name")
        os.makedirs(path.parent, exist_ok=True)
        draft = path.with_name(f".{path.name}.{os.getpid()}")
        shutil.rmtree(draft, ignore_errors=True)
        try:
            lay_out(draft)
            with cls(draft) as repo, repo.lock():
                repo.sign = sign
                repo._commit(changes, message)
            os.rename(draft, path)
        except BaseException:
            shutil.rmtree(draft, ignore_errors=True)
            raise
        sync_folder(path.parent)
        made = cls.open(path)
        made.sign = sign
        return made

    @classmethod
    def open(cls, path: Path) -> GameRepo:
        """Open an existing repo."""
        repo = cls(path)
        repo.reopen()
        return repo

    def reopen(self) -> None:
        """Read where the game stands now, and forget what was to be the signature and the date of commits."""
        if not (self.path / "HEAD").is_file() or not (self.path / "objects").is_dir():
            raise NoSuchGame(f"there is no game at {self.path}; `pbem new` makes one")
        self.sign, self.letter_time = None, None
        try:
            self._refresh()
        except BaseException:
            self.close()
            raise

    def slim(self) -> None:
        """Forget most of what is kept in memory of the repo, if that is much."""
        self._objects.slim()

    def close(self) -> None:
        """End the git processes that this object reads through, if there are any."""
        self._objects.close()

    def __enter__(self) -> GameRepo:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.close()

    # ------------------------------------------------------------------------------------------ reading

    @property
    def head(self) -> str:
        """The id of the commit that is read."""
        return self._standing.oid.hex()

    def read(self, path: str, at: str | None = None) -> bytes | None:
        """Return a file as of the head, or as of the commit `at`; None if it is not there."""
        entry = self._find(path, at)
        if entry is None or entry.mode == FOLDER:
            return None
        try:
            return self._objects.blob(entry.oid)
        except TooLarge as huge:
            raise huge.named(path) from None

    def listdir(self, path: str = "", at: str | None = None) -> list[str]:
        """Return the names in a folder, sorted; nothing if it is not there."""
        if not path:
            return sorted(self._objects.tree(self._root(at)))
        entry = self._find(path, at)
        return sorted(self._objects.tree(entry.oid)) if entry is not None and entry.mode == FOLDER else []

    def history(self, limit: int | None = None, at: str | None = None) -> Iterator[Logged]:
        """Yield the commits from the head back, or from the commit `at`, at most `limit` of them."""
        oid: bytes | None = self._standing.oid if at is None else bytes.fromhex(at)
        while oid is not None and (limit is None or limit > 0):
            commit = self._objects.commit(oid)
            yield Logged(oid.hex(), commit.message, commit.dates.committer)
            oid = commit.parent
            limit = None if limit is None else limit - 1

    def changes(self, sha: str) -> CommitChanges:
        """Return the files that a commit changes, and its dates."""
        commit = self._objects.commit(bytes.fromhex(sha))
        before = None if commit.parent is None else self._objects.commit(commit.parent).tree
        return CommitChanges(tuple(changed_files(self._objects, before, commit.tree)), commit.dates.author)

    def require_small(self) -> None:
        """Raise StoreError, which names the file, if an object is larger than what is read of a repo."""
        require_small(self._objects, lambda: self._standing.oid)

    def signed(self, sha: str) -> tuple[bytes, bytes]:
        """Return a commit as it was signed, and its signature; that is empty if there is none."""
        return split_signature(self._objects.raw_commit(bytes.fromhex(sha)))

    @property
    def _standing(self) -> _Tip:
        if self._tip is None:
            raise StoreError(f"{self.path} holds no commit on {REF}")
        return self._tip

    def _root(self, at: str | None) -> bytes:
        if at is None:
            return self._standing.tree
        if not _OID.fullmatch(at):
            raise StoreError(f"{at!r} is no commit id: 40 digits of 0-9 and a-f")
        return self._objects.commit(bytes.fromhex(at)).tree

    def _find(self, path: str, at: str | None) -> TreeEntry | None:
        entry: TreeEntry | None = TreeEntry(FOLDER, self._root(at))
        for name in path_parts(path):
            if entry is None or entry.mode != FOLDER:
                return None
            entry = self._objects.tree(entry.oid).get(name)
        return entry

    def _refresh(self) -> None:
        oid = self._read_ref()
        if oid is None:
            self._tip = None
        elif self._tip is None or oid != self._tip.oid:
            commit = self._objects.commit(oid)
            self._tip = _Tip(oid, commit.tree, commit.dates.committer)

    def _read_ref(self) -> bytes | None:
        tip = tip_of(self.path)
        if tip is not None and not _OID.fullmatch(tip):
            raise StoreError(f"{self.path}: {REF} is damaged: it must hold the id of a commit, and nothing else")
        return None if tip is None else bytes.fromhex(tip)

    # ------------------------------------------------------------------------------------------ writing

    @contextmanager
    def lock(self, timeout: float = PATIENCE) -> Iterator[None]:
        """Hold the game's lock, and read where the game stands now; raise `Busy` if another process keeps it."""
        with self._held(timeout):
            if self._depth == 1:
                self._refresh()
            yield

    @contextmanager
    def transaction(self, timeout: float = PATIENCE) -> Iterator[None]:
        """Hold the game's lock, and write what is committed meanwhile at the end: all of it or nothing.

        The commits are the same as without a transaction, but they are written to disk once.
        """
        with self.lock(timeout):
            if self._in_transaction:
                yield
                return
            before = self._tip
            self._in_transaction = True
            try:
                yield
                if self._tip is not None and self._tip != before:
                    self._publish(self._objects.unwritten, before.oid if before else None, self._tip.oid)
            except BaseException:
                self._tip = before
                raise
            finally:
                self._in_transaction = False
                self._objects.unwritten = {}

    def commit(self, files: Mapping[str, bytes | None], message: str) -> str:
        """Commit some files (None: take the file out) and return the commit's id.

        Takes the lock if it is not held. Raises `Moved` if somebody committed since this object last looked.
        """
        changes = nested(files)
        with self._held(PATIENCE):
            return self._commit(changes, message)

    def tidy(self) -> None:
        """Merge packs, so that git stays quick; call it with the lock held. Needs git 2.32."""
        self._objects.repack(self._lock.descriptor)

    def _commit(self, changes: Changes, message: str) -> str:
        tip = self._tip
        made: dict[bytes, GitObject] = {}
        tree = self._splice(tip.tree if tip else None, changes, made)
        when = tip.when + 1 if tip else 0
        came = when if self.letter_time is None else max(0, int(self.letter_time.timestamp()))
        written = Commit(tree, tip.oid if tip else None, Dates(came, when), message)
        commit = commit_object(written, AUTHOR, self.sign)
        made[commit.oid] = commit
        if self._in_transaction:
            self._objects.unwritten |= made
        else:
            self._publish(made, tip.oid if tip else None, commit.oid)
        self._tip = _Tip(commit.oid, tree, when)
        self._due = self._due or when % TIDY_EVERY == TIDY_EVERY - 1
        return commit.oid.hex()

    def _splice(self, old: bytes | None, changes: Changes, made: dict[bytes, GitObject]) -> bytes:
        """Apply changes to a tree and return the new one; new objects go to `made`. Other trees are not read."""
        entries = dict(self._objects.tree(old)) if old is not None else {}
        for name, change in changes.items():
            before = entries.get(name)
            if before is not None and (before.mode == FOLDER) != isinstance(change, dict):
                raise BadPath(f"{name} is a {'folder' if before.mode == FOLDER else 'file'} in this game already")
            if isinstance(change, dict):
                oid = self._splice(before.oid if before else None, change, made)
                if oid == _EMPTY:
                    entries.pop(name, None)
                else:
                    entries[name] = TreeEntry(FOLDER, oid)
            elif change is None:
                entries.pop(name, None)
            else:
                blob = git_object("blob", change)
                if before is None or before.oid != blob.oid:
                    made[blob.oid] = blob
                    entries[name] = TreeEntry(FILE, blob.oid)
        tree = tree_object(entries)
        if tree.oid != old:
            made[tree.oid] = tree
            self._objects.keep(tree.oid, entries)
        return tree.oid

    def _publish(self, made: Mapping[bytes, GitObject], old: bytes | None, new: bytes) -> None:
        """Write objects, and then the ref that needs them. Draft names are fixed: those of a dead writer are reused."""
        packed = pack_objects(list(made.values()))
        pack, index, ref = self._drafts
        self._ref_lock.take(PATIENCE / 10)
        try:
            if self._read_ref() != old:
                raise Moved(f"{self.path.stem} has moved on since it was read; nothing was committed. Read it again.")
            write({pack: packed.pack, index: packed.index, ref: f"{new.hex()}\n".encode()})
            self._ref_lock.require()
            os.rename(pack, self._packs / f"{packed.name}.pack")
            os.rename(index, self._packs / f"{packed.name}.idx")  # makes git see the pack
            sync_folder(self._packs)
            self._ref_lock.require()
            os.rename(ref, self._ref)
        finally:
            self._ref_lock.release()
        sync_folder(self._ref.parent)
        self._objects.keep_written(made.values())

    @contextmanager
    def _held(self, timeout: float) -> Iterator[None]:
        if self._depth == 0:
            self._lock.acquire(timeout)
        self._depth += 1
        try:
            yield
            if self._depth == 1 and self._due:
                from git.exc import GitCommandError

                self._due = False
                with suppress(GitCommandError):  # nothing is lost by it, and the next one makes up for it
                    self.tidy()
        finally:
            self._depth -= 1
            if self._depth == 0:
                self._lock.release()


def lay_out(path: Path) -> None:
    """Make an empty bare repo."""
    folders = [path, *(path / name for name in ("objects", "objects/info", "objects/pack", "refs", "refs/heads"))]
    for folder in folders:
        os.mkdir(folder)
    write({path / "HEAD": f"ref: {REF}\n".encode(), path / "config": _CONFIG})
    for folder in folders:
        sync_folder(folder)


class KeptRepos:
    """The repos that nobody uses at the moment, with what was read of them, for who opens them again and again.

    Each is lent to one borrower at a time, until `close`. No git process is kept, and no lock. An object of git has the
    digest of its content for a name, so what was read of it stays true whatever becomes of the repo. Threads may share
    it.
    """

    def __init__(self) -> None:
        self._idle: dict[Path, _Kept] = {}
        """In the order in which they were given back."""
        self._lock = Lock()

    def open(self, path: Path) -> GameRepo:
        """Open a repo as `GameRepo.open` does. Raises NoSuchGame."""
        with self._lock:
            repo = self._idle.pop(path.absolute(), None)
        if repo is None:
            repo = _Kept(path)
        repo.keeper = self
        repo.reopen()
        return repo

    def keep(self, repo: _Kept) -> None:
        """Take a repo back."""
        repo.slim()
        with self._lock:
            self._idle.pop(repo.path, None)
            self._idle[repo.path] = repo
            if len(self._idle) > MOST_KEPT:
                del self._idle[next(iter(self._idle))]


class _Kept(GameRepo):
    """A repo that goes back to its keeper when it is closed."""

    keeper: KeptRepos | None = None
    """Whom it goes back to, while it is lent."""

    def close(self) -> None:
        """End the git process that it is read through, and give it back, once; nobody uses this object any more."""
        super().close()
        keeper, self.keeper = self.keeper, None
        if keeper is not None:
            keeper.keep(self)
