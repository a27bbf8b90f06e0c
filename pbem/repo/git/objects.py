"""The objects of a repo, read through git processes that stay open. Trees that were read are kept.

git unpacks an object before anybody could stop it, and a stranger may have packed a gigabyte into a megabyte. So the
size is always asked first. Before git 2.36 no process answered both questions: then there are two.

Everything else that is asked of git goes through GitPython. These questions are asked by every command, and to import
GitPython for them took longer than the rest of a command such as `pbem status`.

No object above `LARGEST` is read, for the repo may be a stranger's clone. What a game writes is far smaller.
"""

from __future__ import annotations

import os
import stat
import subprocess
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from typing import IO, TYPE_CHECKING, Final, NamedTuple, TypeVar

from pbem.protocol import PbemError
from pbem.repo.git.formats import FILE, FOLDER, Commit, GitObject, TreeEntry, git_object, read_commit, read_tree

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
_SIZES: Final = "--batch-check"
_CONTENTS: Final = "--batch"
_BOTH: Final = "--batch-command"
_COMMANDS: Final = {_SIZES: "info", _CONTENTS: "contents"}
_UNKNOWN_OPTION: Final = 129
"""The exit code of git when it does not know an option."""


_DEEPEST: Final = 20
"""The most folders in each other: a game has three."""
_NOTHING: Final[Mapping[str, TreeEntry]] = {}


class _Running(NamedTuple):
    process: subprocess.Popen[bytes]
    questions: IO[bytes]
    answers: IO[bytes]


class Size(NamedTuple):
    """An object before it is read: its id, its kind, and its size in bytes."""

    oid: str
    kind: str
    size: int


class CatFile:
    """The `git cat-file` of one repo."""

    _answers_both = True
    """Whether git answers both questions in one process, as far as is known."""

    def __init__(self, path: Path, environment: Mapping[str, str]) -> None:
        self._path = path
        self._environment = environment
        self._processes: dict[str, _Running] = {}

    def size(self, oid: str) -> Size:
        """Return the size of an object by its id. Raises ValueError if there is none, OSError without git."""
        return self._ask(_SIZES, oid)[1]

    def read(self, oid: str) -> tuple[str, bytes]:
        """Return kind and content of an object by its id. Raises ValueError if there is none, OSError without git.

        Ask for its size first.
        """
        answers, found = self._ask(_CONTENTS, oid)
        return found.kind, _content_behind(answers, found)

    def sizes(self) -> Iterator[Size]:
        """Yield every object of the repo, in any order. Raises ValueError where git fails."""
        for _, found in self._every(_SIZES):
            yield found

    def contents(self) -> Iterator[tuple[Size, bytes]]:
        """Yield every object of the repo with its content, in any order. Raises ValueError where git fails."""
        for answers, found in self._every(_CONTENTS):
            yield found, _content_behind(answers, found)

    def close(self) -> None:
        """End the processes; the next question starts others."""
        processes, self._processes = self._processes, {}
        for running in processes.values():
            for end in (running.questions, running.answers):
                with suppress(OSError):  # it has ended before; what was still to be written to it is not missed
                    end.close()
        for running in processes.values():
            running.process.wait()

    def __del__(self) -> None:
        self.close()

    def _ask(self, question: str, oid: str) -> tuple[IO[bytes], Size]:
        """Ask for one object; return what git says of it, and where its content can be read if that was asked for."""
        if self._answers_both:
            asked = self._running(_BOTH)
            with suppress(BrokenPipeError):  # it has ended, and the empty answer says so
                asked.questions.write(f"{_COMMANDS[question]} {oid}\n".encode())
                asked.questions.flush()
            if (answer := asked.answers.readline()) or asked.process.wait() != _UNKNOWN_OPTION:
                return asked.answers, _parsed_size(answer)
            type(self)._answers_both = False
            self.close()
        for each in (_SIZES, _CONTENTS):  # both at once, so that they start at the same time
            self._running(each)
        asked = self._running(question)
        asked.questions.write(f"{oid}\n".encode())
        asked.questions.flush()
        return asked.answers, _parsed_size(asked.answers.readline())

    def _running(self, mode: str) -> _Running:
        if mode not in self._processes:
            self._processes[mode] = self._start(mode)
        return self._processes[mode]

    def _every(self, question: str) -> Iterator[tuple[IO[bytes], Size]]:
        """Ask for every object, in a process of its own that may be left before its end."""
        process, questions, answers = self._start(question, "--batch-all-objects", "--unordered", "--buffer")
        try:
            questions.close()
            while line := answers.readline():
                yield answers, _parsed_size(line)
            if process.wait():
                raise ValueError("git cat-file failed")
        finally:
            answers.close()
            process.kill()
            process.wait()

    def _start(self, *words: str) -> _Running:
        process = subprocess.Popen(
            ["git", "cat-file", *words],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            cwd=self._path,
            env={**os.environ, **self._environment},
        )
        assert process.stdin is not None
        assert process.stdout is not None
        return _Running(process, process.stdin, process.stdout)


def _parsed_size(line: bytes) -> Size:
    """Return what a line of git says of an object. Raises ValueError if it says something else."""
    found = line.decode("utf-8", "replace").split()
    if len(found) != 3:
        raise ValueError(f"git answered {' '.join(found) or 'nothing'}")
    return Size(found[0], found[1], int(found[2]))


def _content_behind(answers: IO[bytes], found: Size) -> bytes:
    """Return the content that follows its line, without the line end after it."""
    content = answers.read(found.size + 1)[:-1]
    if len(content) != found.size:
        raise ValueError(f"git broke off in the middle of {found.oid}")
    return content


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


def read_plain(path: Path) -> bytes:
    """Return the content of one of a repo's own files. Raises StoreError for a pipe, a device or a large file."""
    try:
        state = path.lstat()
        if not stat.S_ISREG(state.st_mode) or state.st_size > LARGEST:
            raise StoreError(f"{path} is no plain file, or too large")
        return path.read_bytes()
    except OSError as wrong:
        raise StoreError(f"{path} cannot be read: {wrong.strerror}") from None


def require_plain(objects: Path) -> None:
    """Raise StoreError unless all below a folder of objects is plain, so that git waits for no pipe and no device.

    Objects that lie elsewhere (`info/alternates`) are refused, too: a game's repo has its own.
    """
    folders = [objects]
    while folders:
        with os.scandir(folders.pop()) as entries:
            for entry in entries:
                if entry.is_dir(follow_symlinks=False):
                    folders.append(Path(entry.path))
                elif not entry.is_file(follow_symlinks=False):
                    raise StoreError(f"{entry.path} is no plain file")
                elif entry.name == "alternates":
                    raise StoreError(f"{entry.path}: the repo borrows objects from elsewhere")


class FileChange(NamedTuple):
    """A change that a commit makes to a file: the ids of its content before and after; None: not there."""

    path: str
    old: bytes | None
    new: bytes | None
    plain: bool
    """Whether it is a plain file: no program, no link, no repo within the repo."""


class Objects:
    """The objects of a bare repo, by id. Nobody else's settings of git are heeded."""

    def __init__(self, path: Path, settings: Path | None = None) -> None:
        """Read no object yet. `settings` is the folder whose settings of git count, and whose main; None: the repo."""
        self._path = path
        own = settings or path
        self._environment = {**ENVIRONMENT, "GIT_DIR": str(own), "GIT_OBJECT_DIRECTORY": str(path / "objects")}
        self._reader = CatFile(own, self._environment)
        self._trees: dict[bytes, dict[str, TreeEntry]] = {}
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

    def tree(self, oid: bytes) -> dict[str, TreeEntry]:
        """Return the entries of a folder; do not change them."""
        if (kept := self._trees.pop(oid, None)) is None:
            self.keep(oid, read_tree(self._read(oid, "tree")))
        else:
            self._trees[oid] = kept
        return self._trees[oid]

    def keep(self, oid: bytes, entries: dict[str, TreeEntry]) -> None:
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


def require_small(objects: Objects, head: Callable[[], bytes]) -> None:
    """Raise TooLarge, which names the file, if an object of a repo is too large to be read.

    `head` returns the commit to look for names from; it may raise StoreError.
    """
    huge = objects.too_large()
    if huge is not None:
        oid = bytes.fromhex(huge.found.oid)
        path = next((path for path, each in _every_path(objects, head()) if each == oid), None)
        raise huge if path is None else huge.named(path)


def _every_path(objects: Objects, head: bytes) -> Iterator[tuple[str, bytes]]:
    """Yield path and id of every file and folder of every commit, each folder once; what cannot be read is skipped."""
    seen: set[bytes] = set()
    commit: bytes | None = head
    while commit is not None:
        try:
            found = objects.commit(commit)
        except StoreError:
            return
        folders = [("", found.tree)]
        while folders:
            folder, oid = folders.pop()
            if oid in seen:
                continue
            seen.add(oid)
            try:
                entries = objects.tree(oid)
            except (StoreError, ValueError):
                continue
            for name, entry in entries.items():
                yield f"{folder}{name}", entry.oid
                if entry.mode == FOLDER:
                    folders.append((f"{folder}{name}/", entry.oid))
        commit = found.parent


def changed_files(objects: Objects, old: bytes | None, new: bytes | None, folder: str = "") -> Iterator[FileChange]:
    """Yield what differs between two trees, by path; what is the same is not read. Raises StoreError."""
    if old == new:
        return
    before, after = _entries(objects, old), _entries(objects, new)
    for name in sorted(before.keys() | after.keys()):
        was, now = before.get(name), after.get(name)
        if was == now:
            continue
        path = f"{folder}{name}"
        if path.count("/") > _DEEPEST:
            raise StoreError(f"{path[:80]}: folders lie deeper in each other than those of a game")
        was_folder, now_folder = (each is not None and each.mode == FOLDER for each in (was, now))
        if was_folder or now_folder:
            old_folder = was.oid if was and was_folder else None
            yield from changed_files(objects, old_folder, now.oid if now and now_folder else None, f"{path}/")
        if (was and not was_folder) or (now and not now_folder):
            old_file = was.oid if was and not was_folder else None
            new_file = now.oid if now and not now_folder else None
            yield FileChange(path, old_file, new_file, now is None or now_folder or now.mode == FILE)


def _entries(objects: Objects, oid: bytes | None) -> Mapping[str, TreeEntry]:
    if oid is None:
        return _NOTHING
    try:
        return objects.tree(oid)
    except ValueError as wrong:
        raise StoreError(f"the folder {oid.hex()} cannot be read: {wrong}") from None
