"""Comparisons of a case: events, faults and positions with what is expected, and sentences about the differences."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TypeVar

from pbem.engine.session import Session
from pbem.game.wording import on_one_line
from pbem.protocol import Decision, Event, Fault, Path, Record

S = TypeVar("S")


def change(plain: dict[str, object], dotted: str, value: object) -> str | None:
    """Set or delete the value at a dotted path; return why it cannot be done."""
    *way, last = dotted.split(".")
    slot: object = plain
    for key in way:
        if isinstance(slot, list) and key.isdecimal() and int(key) < len(slot):
            slot = slot[int(key)]
        elif isinstance(slot, dict):
            slot = slot.setdefault(key, {})
        else:
            return f"there is nothing called {key} in {dotted}"
    if isinstance(slot, dict):
        if value is None:
            slot.pop(last, None)
        else:
            slot[last] = value
    elif isinstance(slot, list) and last.isdecimal() and int(last) < len(slot):
        if value is None:
            del slot[int(last)]
        else:
            slot[int(last)] = value
    else:
        return f"there is nothing called {last} in {dotted}"
    return None


def look_up(plain: object, dotted: str) -> object:
    """Return the value at a dotted path; None if there is none."""
    for key in dotted.split("."):
        if isinstance(plain, list) and key.isdecimal() and int(key) < len(plain):
            plain = plain[int(key)]
        elif isinstance(plain, dict):
            plain = plain.get(key)
        else:
            return None
    return plain


def same_value(expected: object, actual: object) -> bool:
    """Compare plain values; in a mapping a missing key equals null, 0, false and an empty value."""
    if isinstance(expected, Mapping) and isinstance(actual, Mapping):
        return all(same_value(expected.get(key), actual.get(key)) for key in expected.keys() | actual.keys())
    if isinstance(expected, (list, tuple)) and isinstance(actual, (list, tuple)):
        return len(expected) == len(actual) and all(map(same_value, expected, actual))
    if not expected and not actual:
        return True
    return bool(expected == actual) and isinstance(expected, bool) == isinstance(actual, bool)


def within(expected: Record, actual: Record) -> bool:
    """Tell whether everything expected is there; there may be more. What is expected to be null is there, as null."""
    return all(key in actual and same_value(value, actual[key]) for key, value in expected.items())


def kind_and_facts(expected: str | Record) -> tuple[str, Record]:
    """Return the kind of an expected event, and those of its facts that are expected."""
    if isinstance(expected, str):
        return expected, {}
    ((kind, facts),) = expected.items()
    return kind, facts or {}


def is_event(event: Event, expected: str | Record) -> bool:
    """Tell whether an event is the one described by its kind, or by its kind and facts."""
    kind, facts = kind_and_facts(expected)
    return event.kind == kind and within(facts, event_facts(event))


def is_expected_decision(decision: Decision, expected: Record) -> bool:
    """Tell whether a decision is the one described by its side, kind and any of its facts; null: that is not told."""
    actual = {**decision.facts, "side": decision.side, "kind": decision.kind}
    return all(same_value(value, actual.get(key)) for key, value in expected.items())


def event_facts(event: Event) -> dict[str, object]:
    """Return the facts of an event, for a roll also its name and its faces."""
    if event.roll is None:
        return event.facts
    roll = event.roll
    named = {word: getattr(roll, word) for word in ("name", "faces", "modifiers", "total", "need", "success", "rule")}
    return {**event.facts, **named}


def is_fault(fault: Fault, expected: Record) -> bool:
    """Tell whether a fault is the expected one."""
    return (
        tuple(expected["path"]) == fault.path
        and ("rule" not in expected or expected["rule"] == fault.rule)
        and expected.get("says", "") in fault.reason
    )


def wanted_text(expected: str | Record) -> str:
    """Return an expected event as one line of text."""
    if isinstance(expected, str):
        return expected
    kind, facts = kind_and_facts(expected)
    return f"{kind} {on_one_line(facts)}"


def event_text(event: Event) -> str:
    """Return an event as one line of text."""
    roll = event.roll
    if roll is None:
        return f"{event.kind} {on_one_line(event.facts)}"
    modifiers = "".join(f" {value:+d} {reason}" for reason, value in roll.modifiers.items())
    need = f" (needs {roll.need})" if roll.need else ""
    return f"roll {roll.name}: {on_one_line(roll.faces)}{modifiers} = {roll.total}{need}"


def fault_text(fault: Fault) -> str:
    """Return a fault as one line of text."""
    rule = f" (rule {fault.rule})" if fault.rule else ""
    return f"{dotted_text(fault.path)}: {fault.reason}{rule}"


def dotted_text(path: Path) -> str:
    """Return a path as it is written in a case."""
    return on_one_line(list(path))


def waits_text(session: Session[S]) -> str:
    """Return a sentence about what a game is waiting for, or how it ended."""
    if session.result is not None:
        return f"is over: {on_one_line(session.result.record())}"
    return f"waits on {asked_text(session.open_decisions)}" if session.open_decisions else "rests at a checkpoint"


def asked_text(decisions: Iterable[Decision]) -> str:
    """Return open decisions as one line of text."""
    return "; ".join(f"{one.side}: {one.kind} {on_one_line(one.facts)}" for one in decisions) or "nothing"
