"""Makes what is derived of a game again, from the last commit of which it is known, by the commits since.

The engine is given again what came from outside, and what it commits must be what is on record, byte by byte where that
is in clear; otherwise the rules or the program here are not those that made it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import NamedTuple

from pbem.crypto.seal import open_padded
from pbem.game import yaml as yamlio
from pbem.game.boxes.shelf import Loaded
from pbem.protocol import Record
from pbem.referee.again.differences import differences
from pbem.referee.again.engine import Again, Known, RecordedCommit
from pbem.referee.game.open_game import OpenGame
from pbem.repo.files import layout
from pbem.repo.files.commit_kinds import TURN, kind_of, layout_path
from pbem.repo.files.layout import OFFICE, PLAYERS, SEALED, VIEWS
from pbem.repo.git import CommitChanges, GameRepo, Logged
from pbem.repo.ledger import Ledger, NotDerived

Loads = Callable[[Mapping[str, bytes]], Loaded]
"""Returns the rules of a game with the corrected files of its box that it keeps as of some commit, by path."""


class _Base(NamedTuple):
    """A commit of which the state is known, and the commits since, the last first."""

    sha: str
    state: Record | None
    since: list[tuple[Logged, CommitChanges]]


class Remaker:
    """Makes what is derived of one game again, and puts it into the `derived` of its ledger."""

    def __init__(self, game: OpenGame, repo: GameRepo, loads: Loads) -> None:
        self._game, self._repo, self._loads = game, repo, loads
        self._ledger: Ledger = game.ledger
        self._again: Again | None = None
        self._before: Remaker | None = None
        """What makes earlier ones again while a commit is made that needs them."""

    def __call__(self, sha: str) -> None:
        """Make it as of a commit. Raises NotDerived where a commit comes out otherwise here than it is on record."""
        base = self._base(sha)
        if self._again is None or self._again.at != base.sha:
            self._again = self._begin(base)
        for logged, changes in reversed(base.since):
            try:
                self._make(self._again, logged, changes)
            except NotDerived:
                self._again = None
                raise
            except Exception as wrong:  # rules that are not those of the record may do anything with it
                self._again = None
                text = str(wrong).partition("\n")[0]
                raise NotDerived(f"{self._said(logged)} cannot be made again here ({text}); {self._made_by}") from wrong

    def _base(self, sha: str) -> _Base:
        """Return the last commit, up to one, from which the game can go on."""
        since: list[tuple[Logged, CommitChanges]] = []
        before: Record | None = None
        for logged in self._repo.history(at=sha):
            state = before or self._ledger.derived.state(logged.sha)
            if state is not None or logged.when == 0:
                return _Base(logged.sha, state, since)
            changes = self._repo.changes(logged.sha)
            since.append((logged, changes))
            if any(each.path == layout.STATE for each in changes.files):
                committed = self._ledger.committed_state(logged.sha)
                before = None if committed is None else committed.state
        raise NotDerived(f"{self._game.name}: {sha[:12]} is not among its commits")

    def _begin(self, base: _Base) -> Again:
        keys = self._ledger.keys
        known = Known(keys, _TurnFiles(self._repo), () if keys.office else OFFICE)
        again = Again(self._game.name, _Opened(self._ledger, self._repo), known, base.sha)
        again.ledger.make_again = self._earlier
        if base.state is not None:
            again.derived.put(base.sha, base.state)
        return again

    def _earlier(self, sha: str) -> None:
        """Get what is derived as of an earlier commit, as for a rollback, or for the record of a game that is over."""
        derived, again = self._ledger.derived, self._again
        assert again is not None
        if derived.turn(sha) is None:
            self._before = self._before or Remaker(self._game, self._repo, self._loads)
            self._before(sha)
        again.derived.take(sha, derived, lasting=False)

    def _make(self, again: Again, logged: Logged, changes: CommitChanges) -> None:
        """Make one commit again, and compare it with the record."""
        sides = list(self._game.charter.players)
        sorts = {change.path: layout_path(change.path, sides) for change in changes.files}
        kind = None if None in sorts.values() else kind_of({known.sort for known in sorts.values() if known})
        if kind is None:
            raise NotDerived(f"{self._said(logged)} is no commit of a game: somebody else has made it")
        turns = [known.n for known in sorts.values() if known is not None and known.sort == TURN]
        opened = _Opened(self._ledger, self._repo)
        files = {change.path: opened.read(change.path, logged.sha) for change in changes.files}
        again.make(
            RecordedCommit(kind, files, changes.author, max(turns, default=None)), self._rules(opened, logged.sha)
        )
        if [message for message, _ in again.store.made] != [logged.message]:
            raise NotDerived(f"{self._said(logged)} is not made by what was handed in; {self._made_by}")
        for path, reason in differences(again.store, files, again.sealed):
            raise NotDerived(f"{self._said(logged)} comes out otherwise here ({path}, {reason}); {self._made_by}")
        again.keep(logged.sha)
        self._ledger.derived.take(logged.sha, again.derived, lasting=logged.sha == self._repo.head)

    def _rules(self, opened: _Opened, sha: str) -> Loaded:
        """Return the rules that are here, with the corrected files of the box that the game kept as of a commit."""
        return self._loads({path: opened.read(path, sha) or b"" for path in opened.below(layout.BOX.rstrip("/"), sha)})

    def _said(self, logged: Logged) -> str:
        return f"{logged.sha[:12]} ({logged.message.partition(chr(10))[0]})"

    @property
    def _made_by(self) -> str:
        """The program that the game was begun with, and that of its last state on record, as the end of a sentence."""
        committed = self._ledger.committed_state(self._repo.head)
        later = f"; its last state on record is of pbem {committed.version}" if committed else ""
        return f"the game was begun with {self._game.charter.made_by}{later}"


class _Opened:
    """The record of a game whose keys are at hand, with the sealed files open."""

    def __init__(self, ledger: Ledger, repo: GameRepo) -> None:
        self._keys, self._repo = ledger.keys, repo

    def read(self, path: str, at: str) -> bytes | None:
        """Return a file as of a commit; None if it is not there. Raises CannotOpen."""
        content = self._repo.read(path, at)
        if content is None or not path.endswith(SEALED) or path.startswith(VIEWS) or path == PLAYERS:
            return content
        if path not in OFFICE:
            return open_padded(self._keys.identity, path, content)
        return open_padded(self._keys.office, path, content) if self._keys.office else content

    def listdir(self, path: str, at: str) -> list[str]:
        """Return the names in a folder as of a commit, sorted; nothing if it is not there."""
        return self._repo.listdir(path, at)

    def history(self, at: str) -> Iterator[Logged]:
        """Yield the commits from one back."""
        return self._repo.history(at=at)

    def below(self, folder: str, at: str) -> Iterator[str]:
        """Yield the paths of all files in a folder and those below it, as of a commit."""
        for name in self.listdir(folder, at):
            path = f"{folder}/{name}"
            if inside := list(self.below(path, at)):
                yield from inside
            else:
                yield path


class _TurnFiles(Mapping[int, Record]):
    """The turn files of a game, each read when it is asked for."""

    def __init__(self, repo: GameRepo) -> None:
        self._repo = repo
        self._last: tuple[int, Record] = 0, {}

    def __getitem__(self, n: int) -> Record:
        if self._last[0] != n:
            content = self._repo.read(layout.turn_path(n))
            if content is None:
                raise KeyError(n)
            self._last = n, yamlio.read(content, name=layout.turn_path(n)).value
        return self._last[1]

    def __iter__(self) -> Iterator[int]:
        n = 1
        while n in self:
            yield n
            n += 1

    def __len__(self) -> int:
        return sum(1 for _ in self)
