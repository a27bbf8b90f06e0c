"""The contents of a report: what its text, its page and its post for a forum have in common, worked out once."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Generic

from pbem.game.box import Box
from pbem.game.summary import Section, Summary
from pbem.protocol import Event, Rules, S
from pbem.render.common_messages import UNUSED
from pbem.render.form import Choices, choices
from pbem.render.messages import Said, Sentences, sentences
from pbem.render.phrases import SeenEvent
from pbem.render.report_request import ReportRequest


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
    def said(self) -> Sequence[Said]:
        """What happened, as lines."""
        return list(self.say.tell(events_told(self.request)))

    @cached_property
    def choices(self) -> Sequence[Choices]:
        """What the form says of each decision of the reader."""
        return [choices(self.rules, self.box, self.request.view, each) for each in self.request.own]


def events_told(request: ReportRequest[S]) -> list[SeenEvent]:
    """Return what happened as its reader may know it, as a report tells it."""
    return list(_together([each for each in request.events if each.event.to is None or request.side in each.event.to]))


def _together(events: Sequence[SeenEvent]) -> Iterator[SeenEvent]:
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
