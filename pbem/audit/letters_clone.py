"""What a clone says that letters can be compared with: its commits, turns, sheets and closings."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from hashlib import sha256
from typing import NamedTuple

from pbem.audit.findings import Place
from pbem.game import yaml as yamlio
from pbem.game.plain import Record
from pbem.protocol import Side
from pbem.render.receipt import ClosedSheets
from pbem.repo.git.history import Past, PastRepo
from pbem.repo.layout import BEACON, REVEALED, SHEETS, turn_path


class ClonedTurn(NamedTuple):
    """A turn file as it is in the clone: the commit that brought it, its digest and its content."""

    at: int
    commit: str
    digest: str
    content: Record

    def sheets(self, side: Side) -> Mapping[str, str]:
        """Return the sheets of a side that it used, by path, with their salted digests."""
        by_side = self.content.get("sheets")
        found = by_side.get(side) if isinstance(by_side, dict) else None
        return found if isinstance(found, dict) else {}

    @property
    def round(self) -> int | None:
        """The round of the beacon that decided it; None: none did."""
        share = self.content.get("beacon")
        return _whole(share.get("round")) if isinstance(share, dict) else None


class Clone(NamedTuple):
    """What the clone says: the place of each commit, the turns, and the commit that brought each sheet."""

    commits: Mapping[str, int]
    head: str
    turns: Mapping[int, ClonedTurn]
    sheets: Mapping[str, tuple[int, str]]
    closings: Sequence[tuple[ClosedSheets, str]]
    """The closings of sheets, each with the commit that brought it."""
    identity: str = ""
    """The key of the game, which opens sealed orders; empty: it is not revealed."""

    @property
    def last(self) -> int:
        """The number of the last turn."""
        return max(self.turns, default=0)

    def place(self, n: int) -> Place:
        """Return the place of a turn, also of one that is not there."""
        turn = self.turns.get(n)
        return Place(turn.at if turn else len(self.commits), n, file=turn_path(n), commit=turn.commit if turn else None)

    def brought(self, n: int) -> str:
        """Return which turn file there is, by digest and commit."""
        turn = self.turns[n]
        return f"{turn.digest}, brought by commit {turn.commit}"


def read_clone(repo: PastRepo, commits: Sequence[Past]) -> Clone:
    """Return what the commits of a repo say."""
    brought: dict[str, tuple[int, str, bytes]] = {}
    closings: dict[ClosedSheets, str] = {}
    for commit in commits:
        for change in commit.changes:
            if change.new is not None:
                brought[change.path] = (commit.at, commit.sha, change.new)
            if change.new is not None and change.path == BEACON:
                closed = _closing(_content(repo.blob(change.new)))
                closings.setdefault(closed, commit.sha)  # a version of it that has the signature is the same closing
    turns: dict[int, ClonedTurn] = {}
    while (file := brought.get(turn_path(len(turns) + 1))) is not None:
        content = repo.blob(file[2])
        turns[len(turns) + 1] = ClonedTurn(file[0], file[1], sha256(content).hexdigest(), _content(content))
    sheets = {path: (at, sha) for path, (at, sha, _) in brought.items() if path.startswith(SHEETS)}
    places = {commit.sha: commit.at for commit in commits}
    revealed = brought.get(REVEALED)
    identity = "" if revealed is None else str(_content(repo.blob(revealed[2])).get("identity", ""))
    return Clone(places, commits[-1].sha, turns, sheets, list(closings.items()), identity)


def _closing(said: Record) -> ClosedSheets:
    return ClosedSheets(_whole(said.get("adjudication")) or 0, _whole(said.get("round")) or 0, str(said.get("closed")))


def _whole(value: object) -> int | None:
    return value if isinstance(value, int) else None


def _content(raw: bytes) -> Record:
    """Return the content of a file; nothing if it cannot be read, which is blamed elsewhere."""
    try:
        value = yamlio.read(raw, name="file").value
    except yamlio.Unreadable:
        return {}
    return value if isinstance(value, dict) else {}
