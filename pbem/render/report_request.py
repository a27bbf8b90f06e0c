"""The request for a report: its reader, what the reader may know, and what the game waits for."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Generic

from pbem.crypto.player_chains import PlayerChain
from pbem.protocol import Decision, Result, S, Side
from pbem.render.phrases import SeenEvent


@dataclass(frozen=True)
class ReportRequest(Generic[S]):
    """What a report is written from: its reader, what the reader may know, and what the game waits for.

    Events that other sides alone have seen and decisions of other sides are left out of the report.
    """

    game: str
    adjudication: int
    side: Side | None
    """The reader; None: an observer."""
    view: S
    """The position as the reader may know it."""
    events: Sequence[SeenEvent] = ()
    """What happened since the reader's last report."""
    waiting: Sequence[Decision] = ()
    """The decisions that are open."""
    others: Sequence[Side] = ()
    """The sides that the game waits for; the reader may be one of them."""
    deadline: str = ""
    """The sentence that tells the reader until when an answer is in time."""
    result: Result | None = None
    filed: Sequence[Mapping[str, Any]] = ()
    """The reader's standing orders in force, as a sheet would have them."""
    list_filed: bool = False
    """Whether the report lists those standing orders."""
    language: str = "en"
    chain: PlayerChain | None = None
    """The reader's own dice chain; None: there is none."""
    rulings: Sequence[str] = ()
    """Sentences about rulings of the game master that are in force."""
    time: str = ""
    """The sentence that tells how much time each side has used; empty: the game has no clock."""
    sheets: tuple[int, int] = (0, 0)
    """How many sheets of the reader went in since the last report, and how many there are in all."""
    before: S | None = None
    """The position as the reader last knew it: the report then says what has changed. None: how all things stand."""
    late: str = ""
    """What follows if the reader gives no answer in time: the word of the clock's terms; empty: the default counts."""
    ruled: bool = False
    """Whether a ruling says which answer counts if the reader gives none in time."""
    key: str = ""
    """The word in the form that shows who sends it back."""

    @cached_property
    def own(self) -> Sequence[Decision]:
        """The open decisions of the reader."""
        return [decision for decision in self.waiting if self.side is not None and decision.side == self.side]
