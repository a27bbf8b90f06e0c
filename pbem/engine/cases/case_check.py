"""The check of a case before it is played: every word that it uses is one of the game, at a place where it can be."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import TypeAlias

from pbem.engine.cases.case import Case
from pbem.engine.cases.game_words import GameWords
from pbem.game.wording import did_you_mean
from pbem.protocol import Path, Record

Finding: TypeAlias = tuple[str, Path]
"""A sentence, and where in the case it belongs."""
CHECKPOINT = "checkpoint"
"""The stop at the first checkpoint after the last order."""
OBSERVER = "observer"


def faults_of_case(case: Case, words: GameWords, position: type[object] | None) -> Iterator[Finding]:
    """Yield every word of a case that the game does not know. `position` is the type of positions; None: any data."""
    told, expect = case.told, case.told["expect"]
    yield from _check_orders(case, words)
    yield from _check_position(words, position, told.get("with", {}), ("with",), removes=False)
    yield from _check_position(words, position, expect.get("position", {}), ("expect", "position"), removes=True)
    for at, sight in as_list(expect.get("sees", [])):
        if sight["side"] not in (None, OBSERVER):
            yield from _check_side(words, sight["side"], ("expect", "sees", *at, "side"))
        place = ("expect", "sees", *at, "position")
        yield from _check_position(words, position, sight["position"], place, removes=True)
    yield from _check_events(expect, words)
    for word in ("waiting", "asks"):
        for at, question in as_list(expect.get(word, [])):
            yield from _check_question(words, question, ("expect", word, *at))
    yield from _check_stop(told.get("stop"), words)


def as_list(written: str | Record | Sequence[Record]) -> Iterator[tuple[Path, Record]]:
    """Yield each of one or several mappings, with its place; a word stands for none."""
    if isinstance(written, Mapping):
        yield (), written
    elif not isinstance(written, str):
        yield from (((at,), one) for at, one in enumerate(written))


def _check_orders(case: Case, words: GameWords) -> Iterator[Finding]:
    """Yield orders of sides and kinds that the game does not have, and faults of orders that there are not."""
    given = case.orders()
    for one in given:
        place: Path = ("play", one.number - 1)
        yield from _check_side(words, one.side, place)
        yield from _check_known("order", one.order.kind, words.forms, place)
    for at, fault in enumerate(case.told["expect"].get("faults", ())):
        if fault.get("order", 1) > len(given):
            yield f"there is no order {fault['order']}; there are {len(given)}", ("expect", "faults", at, "order")


def _check_position(
    words: GameWords, position: type[object] | None, written: Record, place: Path, *, removes: bool
) -> Iterator[Finding]:
    """Yield which dotted paths cannot be any of the position, and what of their values cannot stand there."""
    for dotted, value in written.items():
        slot = words.slot(position, dotted)
        if isinstance(slot, str):
            yield slot, (*place, dotted)
        elif value is not None:
            for fault in words.faults(slot, value, removes=removes):
                inner = "".join(f".{step}" for step in fault.path)
                yield f"{dotted}{inner}: {fault.reason}", (*place, dotted, *fault.path)


def _check_events(expect: Record, words: GameWords) -> Iterator[Finding]:
    """Yield kinds of events that the game does not have."""
    for word in ("events", "no_events"):
        for number, expected in enumerate(expect.get(word, ())):
            kind = expected if isinstance(expected, str) else next(iter(expected))
            if (reason := words.event_fault(kind)) is not None:
                yield reason, ("expect", word, number)


def _check_question(words: GameWords, question: Record, place: Path) -> Iterator[Finding]:
    """Yield the words of an expected question that none can have."""
    if "side" in question:
        yield from _check_side(words, question["side"], (*place, "side"))
    if "kind" not in question:
        return
    kind = question["kind"]
    yield from _check_known("order", kind, words.forms, (*place, "kind"))
    if kind in words.forms:
        known = {*words.forms[kind].facts, "side", "kind"}
        for fact in question.keys() - known:
            yield f"{kind} has no fact {fact}{did_you_mean(fact, known)}", (*place, fact)


def _check_stop(stop: str | Record | None, words: GameWords) -> Iterator[Finding]:
    """Yield what is wrong with the place at which a case stops."""
    if isinstance(stop, str):
        yield from _check_known("order or event", stop, {*words.forms, *words.events, CHECKPOINT}, ("stop",))
    elif isinstance(stop, Mapping) and "event" in stop:
        if (reason := words.event_fault(stop["event"])) is not None:
            yield reason, ("stop", "event")
        if len(stop) > 1:
            yield "a stop is at an event or at a question, not both", ("stop",)
    elif stop is not None:
        yield from _check_question(words, stop, ("stop",))


def _check_side(words: GameWords, side: object, place: Path) -> Iterator[Finding]:
    yield from _check_known("side", side, words.sides, place)


def _check_known(what: str, word: object, known: Collection[str] | Iterable[str], place: Path) -> Iterator[Finding]:
    known = list(known)
    if word not in known:
        yield f"no {what} is called {word}{did_you_mean(str(word), known)}", place
