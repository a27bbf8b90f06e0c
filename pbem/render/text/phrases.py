"""Phrases: sentences with the events that they tell, and which of the events in a row a phrase fits."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, groupby
from typing import Any, Final, Protocol, TypeAlias

from pbem.protocol import Event, Roll

Facts: TypeAlias = Mapping[str, Any]
"""The facts of an event, a roll or a decision, by name."""

ROLL: Final = "roll"
"""The word by which the key of a sentence means a roll."""


class SeenEvent(Protocol):
    """One event of one adjudication, with the number of its roll in it if it is one."""

    @property
    def adjudication(self) -> int: ...
    @property
    def event(self) -> Event: ...
    @property
    def roll(self) -> int | None: ...


@dataclass(frozen=True, slots=True)
class FactSlot:
    """The place of a fact in a sentence."""

    sign: str
    path: tuple[str, ...]
    form: str
    otherwise: str | None


@dataclass(frozen=True, slots=True)
class OptionalPart:
    """A part of a sentence that is left out if anything in it is empty."""

    inside: tuple[Node, ...]


Node: TypeAlias = str | FactSlot | OptionalPart


@dataclass(frozen=True, slots=True)
class Phrase:
    """A sentence and the events that it tells: for each the kinds it may be of, and whether it may repeat."""

    pattern: tuple[tuple[tuple[str, ...], bool], ...]
    depth: int
    nodes: tuple[Node, ...]


def kinds_of(event: Event) -> set[str]:
    """Return the words by which the key of a phrase may mean an event."""
    if event.roll is None:
        return {event.kind}
    first, last = _ends_of_roll(event.roll)
    return {f"{ROLL}/{first}/{last}", f"{ROLL}/{first}"}


def _ends_of_roll(roll: Roll) -> tuple[str, str]:
    """Return the first and the last word of a roll's name, without a number that tells it from its like."""
    words = roll.name.split("/")
    return words[0], re.sub(r"[-.]\d+$", "", words[-1])


def key_of_roll(roll: Roll, known: Collection[str]) -> str:
    """Return the key of the sentence for what a roll is for: its first word and its last, or else the first alone."""
    first, last = _ends_of_roll(roll)
    return narrow if (narrow := f"{first}/{last}") in known else first


def runs_of(phrase: Phrase, told: Sequence[SeenEvent], at: int) -> list[Sequence[SeenEvent]] | None:
    """Return the events under each kind of a phrase, if what was told from a place on is what it tells."""
    runs: list[Sequence[SeenEvent]] = []
    for kinds, many in phrase.pattern:
        start = at
        differs: str | None = None
        while at < len(told) and not kinds_of(told[at].event).isdisjoint(kinds):
            if at > start:
                odd = _only_difference(told[at - 1].event, told[at].event)
                if odd is None or differs not in (None, odd):
                    break
                differs = odd
            at += 1
            if not many:
                break
        if at == start:
            return None
        runs.append(told[start:at])
    return runs


def _only_difference(one: Event, other: Event) -> str | None:
    """Return the only fact in which two events differ; None if they differ in none or in several."""
    odd = [key for key in one.facts.keys() | other.facts.keys() if one.facts.get(key) != other.facts.get(key)]
    return odd[0] if len(odd) == 1 else None


def gathered(told: Sequence[SeenEvent], kinds: Collection[str]) -> Iterator[SeenEvent]:
    """Yield what was told; of some kinds, those in a row that one phrase can tell stand together.

    They are of the same kind and adjudication, and differ in one fact.
    """
    for _, row in groupby(told, key=lambda each: (each.adjudication, each.event.kind in kinds)):
        runs: list[list[SeenEvent]] = []
        for each in row:
            run = next((run for run in runs if _continues(run, each.event)), None) if each.event.kind in kinds else None
            if run is None:
                runs.append([each])
            else:
                run.append(each)
        yield from chain.from_iterable(runs)


def _continues(run: Sequence[SeenEvent], event: Event) -> bool:
    """Tell whether an event can be told with a run of others."""
    odd = _only_difference(run[-1].event, event)
    known = _only_difference(run[0].event, run[1].event) if len(run) > 1 else odd
    return run[0].event.kind == event.kind and odd is not None and odd == known


def phrase_facts(phrase: Phrase, runs: Sequence[Sequence[SeenEvent]]) -> Facts:
    """Return the facts that a phrase may name: those of the first event that has them, and of each kind by its name."""
    facts: Facts = {}
    by_kind: dict[str, Facts] = {}
    for (kinds, _), run in zip(phrase.pattern, runs, strict=True):
        own = dict(run[0].event.facts)
        if len(run) > 1:
            odd = _only_difference(run[0].event, run[1].event)
            assert odd is not None
            own[odd] = [each.event.facts.get(odd) for each in run]
        facts = {**own, **facts}
        by_kind.setdefault(kinds[0], own)
    return {**facts, **by_kind}
