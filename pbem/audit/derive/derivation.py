"""The derivation of a game: every commit made again from what was handed in, and compared with the record.

What `pbem.audit.derive.again` commits must be what is on record: clear files and messages byte by byte, sealed files by
path, length and content. The views that are sealed to keys of the players are compared by their places alone. Where a
commit differs, the derivation goes on from the record.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from itertools import zip_longest
from typing import Final, TypeAlias

from pbem.audit.derive.again import Engine, Files, NotDerived, RecordedCommit
from pbem.audit.record.evidence import Evidence
from pbem.audit.record.findings import Place
from pbem.audit.record.rules_pinned import RulesHere
from pbem.audit.record.sealed import SealedFiles
from pbem.crypto.keys import Keys, Secrets
from pbem.crypto.seal import CannotOpen, unpadded
from pbem.game import yaml as yamlio
from pbem.game.boxes.shelf import Loaded
from pbem.game.wording import counted
from pbem.repo.files.layout import OFFICE, PLAYERS, SEALED, VIEWS, sealed_path, turn_path
from pbem.repo.git.history import Past
from pbem.repo.memory import MemoryRepo

Progress: TypeAlias = Callable[[int, int], None]
"""Is told how many commits of how many were derived."""
_LONGEST: Final = 120
_NOTHING: Final = object()


class _Closed(CannotOpen):
    """A sealed file of the record cannot be opened, which is blamed where all of them are opened."""


class Derivation:
    """The derivation of one game, as far as the rules here made it."""

    def __init__(self, evidence: Evidence, files: SealedFiles, rules: RulesHere) -> None:
        self._history = evidence.history
        self._turn_at = {at: n for n, at in evidence.history.turns.items()}
        self._read = evidence.read
        self._books = evidence.books
        self._findings = evidence.findings
        self._files = files
        self._rules = rules
        charter, opened = evidence.charter, files.opened
        self._sealed = {path for path in OFFICE if not files.can_open(path)}
        self._repo = MemoryRepo(charter.game, self._as_of)
        self._adopt(self._history.commits[0])
        self._keys = Keys(charter.game, Secrets(b"", opened.hidden, opened.identity, ""), charter.dice.length)
        self._engine: tuple[Loaded, Engine] | None = None
        """The engine at work, and its rules."""

    def run(self, progress: Progress | None = None) -> None:
        """Derive all commits that the rules here made, and blame what is otherwise on record."""
        commits = self._history.commits
        derived = others = 0
        for commit in commits[1:]:
            kind = self._history.kinds.get(commit.at)
            loaded = self._rules.of(commit.at)
            if kind is None or loaded is None:
                others += kind is not None
                self._adopt(commit)
                self._forget()
                continue
            try:
                recorded = RecordedCommit(kind, self._recorded(commit), commit.author, self._turn_at.get(commit.at))
                self._engine_with(loaded).make(recorded)
                self._compare(commit, recorded.files)
                derived += 1
            except _Closed:
                self._go_on(commit)
            except Exception as wrong:  # what stands on record may be anything, and the rules may choke on it
                self._findings.blame(self._place(commit), f"it cannot be derived: {_why(wrong)}")
                self._go_on(commit)
            if progress is not None:
                progress(commit.at + 1, len(commits))
        self._findings.check("derived", f"{counted(derived, 'commit')} made again from what was handed in")
        if others:
            text = f"{counted(others, 'commit')} of other rules: a version of pbem with those makes them again"
            self._findings.leave_open("derived", text)

    def _engine_with(self, loaded: Loaded) -> Engine:
        """Return the engine with some rules; where they change, another one reads the game from its repo."""
        if self._engine is None or self._engine[0] is not loaded:
            self._engine = loaded, Engine(self._repo, self._keys, self._books, loaded, self._sealed)
        return self._engine[1]

    def _forget(self) -> None:
        """Have the game read from its repo again: the repo has been put where the record is."""
        if self._engine is not None:
            self._engine[1].forget()

    def _content(self, path: str, oid: bytes) -> bytes:
        """Return a file of the record: a sealed one opened, as far as the secrets at hand open it."""
        if path.endswith(SEALED) and not path.startswith(VIEWS) and path != PLAYERS and path not in self._sealed:
            try:
                return self._files.padded(path, oid)
            except CannotOpen as wrong:
                raise _Closed(str(wrong)) from None
        return self._read(oid)

    def _recorded(self, commit: Past) -> Files:
        return {each.path: None if each.new is None else self._content(each.path, each.new) for each in commit.changes}

    def _adopt(self, commit: Past) -> None:
        """Take a commit as it is on record."""
        files: dict[str, bytes | None] = {}
        for change in commit.changes:
            try:
                files[change.path] = None if change.new is None else self._content(change.path, change.new)
            except _Closed:
                continue
        self._repo.commit(files, commit.message)
        self._repo.keep()

    def _as_of(self, path: str, commits: int) -> bytes | None:
        """Return a file of the record as of its first so many commits."""
        oid = self._history.before(path, commits)
        return None if oid is None else self._content(path, oid)

    def _go_on(self, commit: Past) -> None:
        """Go on from the record in place of what was derived."""
        self._repo.undo()
        self._adopt(commit)
        self._forget()

    def _place(self, commit: Past) -> Place:
        """Return the place of a commit, or of the turn that it brings."""
        return Place(commit.at, self._turn_at.get(commit.at), commit=commit.sha)

    def _compare(self, commit: Past, recorded: Files) -> None:
        """Compare what was made again with the record; where they differ, go on from the record."""
        made = self._repo.new
        if len(made) != 1:
            self._findings.blame(self._place(commit), "nothing that was handed in makes such a commit")
            self._go_on(commit)
            return
        ((message, files),) = made
        reasons = list(self._differences(files, recorded))
        for path, reason in reasons:
            self._findings.blame(*self._blamed(commit, path, reason))
        if message != commit.message:
            reason = f"its message is {commit.message!r}; what was handed in makes it {message!r}"
            self._findings.blame(Place(commit.at, commit=commit.sha), reason)
        if reasons or message != commit.message:
            self._go_on(commit)
        else:
            self._repo.keep()

    def _blamed(self, commit: Past, path: str, reason: str) -> tuple[Place, str]:
        """Return the place of a file that differs, and the reason: with its name, if the place does not say it."""
        n = self._turn_at.get(commit.at)
        if n is None:
            return Place(commit.at, commit=commit.sha), f"{path}, {reason}"
        what = {turn_path(n): "", sealed_path(turn_path(n)): "its sealed record, "}.get(path, f"{path}, ")
        return Place(commit.at, n, file=path), what + reason

    def _differences(self, made: Files, recorded: Files) -> Iterator[tuple[str, str]]:
        """Yield the files that differ, each with what differs."""
        for path in sorted(made.keys() | recorded.keys(), key=_public_first):
            if path not in recorded:
                if made[path] != self._repo.before(path):
                    yield path, "it is not changed, but what was handed in changes it"
            elif path not in made:
                yield path, "it is changed, and nothing that was handed in changes it"
            elif not path.startswith(VIEWS) and path not in (PLAYERS, *self._sealed) and made[path] != recorded[path]:
                yield path, first_difference(path, recorded[path] or b"", made[path] or b"")


def first_difference(path: str, recorded: bytes, made: bytes) -> str:
    """Return a sentence that says where a recorded file first differs from the derived one.

    Both are the plain bytes; those of a sealed file still have their padding.
    """
    try:
        here, there = _parsed_value(path, recorded), _parsed_value(path, made)
    except (ValueError, CannotOpen) as wrong:
        return f"it is not the file that follows from what was handed in: {wrong}"
    found = _first_in(here, there, "")
    if found is None:
        room = "; its padding has another length" if len(recorded) != len(made) else ""
        return f"it says what follows from what was handed in, but is written otherwise{room}"
    at, one, other = found
    return f"{at}: on record is {_value_said(one)}; what was handed in makes it {_value_said(other)}"


def _parsed_value(path: str, content: bytes) -> object:
    if not path.endswith(SEALED):
        return yamlio.read(content, name=path).value
    return json.loads(unpadded(path, content))


def _first_in(here: object, there: object, at: str) -> tuple[str, object, object] | None:
    """Return the place of the first difference between two plain values, and what stands there in each."""
    if isinstance(here, dict) and isinstance(there, dict):
        for key in dict.fromkeys((*there, *here)):
            if found := _first_in(here.get(key, _NOTHING), there.get(key, _NOTHING), f"{at}.{key}" if at else key):
                return found
        return None if list(here) == list(there) else (at or "its words", list(here), list(there))
    if isinstance(here, list) and isinstance(there, list):
        return _in_lists(here, there, at)
    same = type(here) is type(there) and here == there
    return None if same else (at or "it", here, there)


def _in_lists(here: Sequence[object], there: Sequence[object], at: str) -> tuple[str, object, object] | None:
    pairs = enumerate(zip_longest(here, there, fillvalue=_NOTHING), 1)
    found = (_first_in(one, other, f"{at} {number}") for number, (one, other) in pairs)
    return next((each for each in found if each is not None), None)


def _value_said(value: object) -> str:
    if value is _NOTHING:
        return "nothing"
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST - 3]}..."


def _public_first(path: str) -> tuple[bool, bool, str]:
    """Sort the files of a commit: the turn file, its sealed record, the others; those in clear first."""
    return not path.startswith("turns/"), path.endswith(SEALED), path


def _why(wrong: Exception) -> str:
    text = str(wrong).partition("\n")[0]
    return text if isinstance(wrong, NotDerived) else f"{type(wrong).__name__}: {text}"
