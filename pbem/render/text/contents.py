"""The contents of a report: what is asked for, and what its text, its page and its post have in common."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Generic

from pbem.crypto.player_chains import PlayerChain
from pbem.game.board.summary import Section, Summary
from pbem.game.boxes.box import Box
from pbem.game.contract import Rules
from pbem.protocol import Decision, Event, Result, S, Side
from pbem.render.text.form import Choices, choices
from pbem.render.text.messages import UNUSED, ReportLine, SeenEvent, Sentences, sentences

# ---- The request for a report: its reader, what the reader may know, and what the game waits for


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


# ---- The contents of a report: what its text, its page and its post for a forum have in common, worked out once


class Contents(Generic[S]):
    """What there is to say in answer to a request for a report, by the rules and the box of its game."""

    def __init__(self, rules: Rules[S], box: Box, request: ReportRequest[S]) -> None:
        self.rules = rules
        self.box = box
        self.request = request

    @property
    def say(self) -> Sentences:
        """The sentences of the box in the language of the reader."""
        return sentences(self.box, self.request.language)

    @cached_property
    def stands(self) -> Summary:
        """How things stand."""
        return self.rules.summary(self.request.view) or Summary("")

    @cached_property
    def known(self) -> Summary | None:
        """How things stood as the reader last knew it; None: the report says how all things stand."""
        view, before = self.request.view, self.request.before
        if before is None:
            return None
        return self.stands if before == view else self.rules.summary(before) or Summary("")

    @cached_property
    def about(self) -> Sequence[Section]:
        """The parts of the position that the decisions of the reader are about."""
        return [part for each in self.request.own for part in self.rules.close_up(self.request.view, each)]

    @cached_property
    def said(self) -> Sequence[ReportLine]:
        """What happened, as lines."""
        return list(self.say.tell(events_told(self.request)))

    @cached_property
    def choices(self) -> Sequence[Choices]:
        """What the form says of each decision of the reader."""
        return [choices(self.rules, self.box, self.request.view, each) for each in self.request.own]


def events_told(request: ReportRequest[S]) -> list[SeenEvent]:
    """Return what happened as its reader may know it, as a report tells it."""
    return list(
        _joined_events([each for each in request.events if each.event.to is None or request.side in each.event.to])
    )


def _joined_events(events: Sequence[SeenEvent]) -> Iterator[SeenEvent]:
    """Yield events; those of orders that were not needed become one, where the last of them stands."""
    unused = [each for each in events if each.event.kind == UNUSED]
    for each in events:
        if len(unused) < 2 or each.event.kind != UNUSED:
            yield each
        elif each is unused[-1]:
            orders = [one.event.facts["order"] for one in unused]
            yield _Seen(each.adjudication, Event("orders_unused", {"orders": orders}, None, each.event.to))


@dataclass(frozen=True, slots=True)
class _Seen:
    """An event as a report tells it."""

    adjudication: int
    event: Event
    roll: int | None = None
