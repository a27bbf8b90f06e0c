"""The public record of a game as the site shows it: what `pbem publish` gives, read without any key.

All of it is what an observer may know. A game whose rules are not here, or are others now, keeps its turns and its
dice; then it has no map.
"""

from __future__ import annotations

import logging
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Final

from pbem.game import yaml as yamlio
from pbem.game.board.scene import Scene
from pbem.game.boxes import shelf
from pbem.game.boxes.shelf import Loaded
from pbem.protocol import Event, Record, Result
from pbem.repo.files.adjudication import commits_of_adjudications
from pbem.repo.files.charter import Charter
from pbem.repo.files.layout import CHARTER, POSITION, turn_path
from pbem.repo.files.records import read_events, read_roll, result_in
from pbem.repo.git import GameRepo, StoreError
from pbem.repo.public import charter_in, corrections_in

_LOG: Final = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class PublicEvent:
    """An event that everybody may read, with the number of its roll if it is one."""

    adjudication: int
    event: Event
    roll: int | None


@dataclass(frozen=True)
class RecordedTurn:
    """One adjudication: its turn file, and the position after it as an observer may know it."""

    n: int
    text: str
    """The turn file."""
    turn: Record
    view: object | None = None
    """None: the rules here cannot read the position."""

    @cached_property
    def events(self) -> Sequence[PublicEvent]:
        """What happened, as far as everybody may know it."""
        rolls = [read_roll(record) for record in self.turn.get("rolls", ())]
        records = self.turn["events"]
        events = read_events(records, rolls, {})
        pairs = zip(events, records, strict=True)
        return [PublicEvent(self.n, event, record.get("roll")) for event, record in pairs]

    @property
    def result(self) -> Result | None:
        """How the game ended; None: it goes on."""
        return result_in(self.turn)


@dataclass(frozen=True)
class GameRecord:
    """The public record of one game."""

    charter: Charter
    charter_text: str
    loaded: Loaded
    played: Sequence[RecordedTurn]

    @property
    def game(self) -> str:
        return self.charter.game

    def scene(self, each: RecordedTurn) -> Scene | None:
        """Return what there is to draw after an adjudication; None: nothing can be drawn."""
        if each.view is None:
            return None
        try:
            return self.loaded.rules.scene(each.view, [told.event for told in each.events])
        except Exception as wrong:  # a slip in a drawing must not hold a page back
            _LOG.error("%s: the map after adjudication %d cannot be drawn", self.game, each.n)
            _LOG.debug("why it cannot be drawn", exc_info=wrong)
            return None


def read_record(path: Path, folders: Sequence[str | Path] = ()) -> GameRecord:
    """Return the public record of the game at a path. Raises StoreError, NotInTheBox, BrokenBox."""
    with GameRepo.open(path) as repo:
        charter = charter_in(repo)
        kept = corrections_in(repo)
        loaded = shelf.load(charter.rules, edition=charter.edition, options=charter.options, folders=folders, kept=kept)
        return GameRecord(
            charter, (repo.read(CHARTER) or b"").decode("utf-8"), loaded, list(_turn_played(repo, loaded))
        )


def _turn_played(repo: GameRepo, loaded: Loaded) -> Iterator[RecordedTurn]:
    commits = commits_of_adjudications(repo.history())
    n = 1
    while (raw := repo.read(turn_path(n))) is not None:
        try:
            turn = yamlio.read(raw, name=turn_path(n)).value
        except yamlio.Unreadable as wrong:
            raise StoreError(f"{repo.path}: {wrong}") from None
        yield RecordedTurn(n, raw.decode("utf-8"), turn, _view(repo, loaded, commits.get(n, "")))
        n += 1


def _view(repo: GameRepo, loaded: Loaded, commit: str) -> object | None:
    """Return the position after an adjudication as an observer may know it; None: it cannot be read."""
    raw = repo.read(POSITION, commit) if commit else None
    if raw is None:
        return None
    try:
        rules = loaded.rules
        view: object = rules.view(rules.decode(yamlio.read(raw, name=POSITION).value), None)
        return view
    except (yamlio.Unreadable, ValueError, TypeError, LookupError):
        return None
