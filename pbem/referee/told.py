"""The events of adjudications, as one side or an observer may read them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from pbem.protocol import Event, Side
from pbem.repo.adjudication import Adjudication


@dataclass(slots=True)
class Told:
    """One event of one adjudication, with the number of its roll if it is one."""

    adjudication: int
    event: Event
    roll: int | None = None


def events_for(side: Side | None, adjudications: Iterable[tuple[int, Adjudication]]) -> Iterator[Told]:
    """Yield the events of adjudications that a side, or without one an observer, may read; each has its number."""
    for n, made in adjudications:
        rolls = 0
        for event in made.events:
            rolls += event.roll is not None
            if event.to is None or side in event.to:
                yield Told(n, event, rolls if event.roll is not None else None)
