"""Records: answers, rolls, events and decisions as plain data, and back."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from pbem.engine.session import Answer, Queued
from pbem.game import plain
from pbem.game import yaml as yamlio
from pbem.protocol import Decision, Draw, Event, Order, Record, Result, Roll

RESERVED = ("kind", "rule", "roll")
"""Keys of an event's record that no fact may have."""


def answer_record(answer: Answer) -> Record:
    """Return a whole answer, for the sealed record from which a game is resumed."""
    record = {
        "side": answer.side,
        "kind": answer.kind,
        "rule": answer.rule,
        "facts": as_plain(answer.facts),
        "order": as_plain(answer.order),
        "by": answer.by,
        **_about(answer.about),
    }
    return {**record, "secret": True} if answer.secret else record


def read_answer(record: Record) -> Answer:
    """Return the answer that `answer_record` recorded."""
    return Answer(**record)


def public_answer(record: Record) -> Record:
    """Return what a published turn file says of an answer that is not secret.

    It does not say which of a side's standing orders answered: the number would tell that those before it did not fit.
    The keys of an order stand in the sequence of its sheet. Without a sheet to compare with they are sorted; otherwise
    whoever writes the turn file could choose its digest by their sequence.
    """
    by = "standing" if record["by"].startswith("standing ") else record["by"]
    order = record["order"] if by.startswith("sheet ") else _sorted(record["order"])
    about = _about(record.get("about", ""))
    return {"side": record["side"], "kind": record["kind"], **about, "order": order, "by": by}


def _sorted(value: object) -> object:
    if isinstance(value, Mapping):
        return {key: _sorted(value[key]) for key in sorted(value)}
    return [_sorted(item) for item in value] if isinstance(value, list) else value


def queued_record(queued: Queued) -> Record:
    """Return an order that waits for its decision."""
    return {**order_record(queued.order), "by": queued.by}


def read_queued(record: Record) -> Queued:
    """Return the order that `queued_record` recorded."""
    return Queued(read_order(record), record["by"])


def order_record(order: Order) -> Record:
    """Return an order as plain data."""
    return {"kind": order.kind, **_about(order.about), "order": as_plain(order.body)}


def read_order(record: Record) -> Order:
    """Return the order that `order_record` recorded."""
    return Order(record["kind"], record["order"], record.get("about", ""))


def _about(word: str) -> Record:
    """Return the word that tells an answer from its like, if there is one."""
    return {"about": word} if word else {}


def roll_record(n: int, roll: Roll) -> Record:
    """Return a roll under its running number within the adjudication."""
    record: dict[str, object] = {"number": n, "name": roll.name, "faces": list(roll.faces)}
    if roll.sides != 6:
        record["sides"] = roll.sides
    if roll.modifiers:
        record["modifiers"] = dict(roll.modifiers)
    record["total"] = roll.total
    if roll.need is not None:
        record["need"] = roll.need
        record["success"] = roll.success
    return {**record, "rule": roll.rule}


def read_roll(record: Record) -> Roll:
    """Return the roll that `roll_record` recorded."""
    return Roll(
        record["name"],
        list(record["faces"]),
        dict(record.get("modifiers", {})),
        record["total"],
        record.get("need"),
        record.get("success", True),
        record["rule"],
        record.get("sides", 6),
    )


def draw_record(n: int, draw: Draw) -> Record:
    """Return what is public of a hidden draw: its running number, its name, and of how many items."""
    return {"number": n, "name": draw.name, "of": len(draw.items)}


def whole_draw(draw: Draw) -> Record:
    """Return a whole hidden draw, for the sealed record."""
    return {"name": draw.name, "items": as_plain(draw.items), "order": as_plain(draw.order)}


def event_records(events: Sequence[Event]) -> Sequence[Record]:
    """Return events in order; a roll is given by its number among the rolls of the adjudication."""
    records, rolls = [], 0
    for event in events:
        record: dict[str, object] = {"kind": event.kind}
        if event.roll is not None:
            rolls += 1
            record["roll"] = rolls
        elif event.rule is not None:
            record["rule"] = event.rule
        if clash := [word for word in RESERVED if word in event.facts]:
            raise ValueError(f"event {event.kind} has a fact called {clash[0]}")
        records.append({**record, **as_plain(event.facts)})
    return records


def read_events(records: Sequence[Record], rolls: Sequence[Roll], readers: Mapping[int, Sequence[str]]) -> list[Event]:
    """Return the events of an adjudication; `readers` are the sides that alone may read an event, by its place."""
    events = []
    for at, record in enumerate(records):
        facts = {word: value for word, value in record.items() if word not in RESERVED}
        roll = rolls[record["roll"] - 1] if "roll" in record else None
        to = tuple(readers[at]) if at in readers else None
        events.append(Event(record["kind"], facts, roll.rule if roll else record.get("rule"), to, roll))
    return events


def decision_record(decision: Decision) -> Record:
    """Return a decision with all its facts, as its side may know it."""
    record: dict[str, object] = {"side": decision.side, "kind": decision.kind, "rule": decision.rule}
    record |= _about(decision.about)
    record["facts"] = as_plain(decision.facts)
    if decision.default is not None:
        record["default"] = as_plain(decision.default)
    return record


def read_decision(record: Record) -> Decision:
    """Return the decision that `decision_record` recorded."""
    about = record.get("about", "")
    return Decision(record["kind"], record["side"], record["rule"], record["facts"], record.get("default"), about=about)


def result_in(record: Record) -> Result | None:
    """Return how the game ended, as a turn file or a state says; None: it goes on."""
    found = record.get("result")
    return Result.read(found) if isinstance(found, Mapping) else None


def as_plain(value: object) -> Any:
    """Return a value with mappings as dicts and sequences as lists, all the way down."""
    if isinstance(value, Mapping):
        return {key: as_plain(item) for key, item in value.items()}
    return [as_plain(item) for item in value] if isinstance(value, (list, tuple)) else value


def reached_checkpoint(turn: Record) -> bool:
    """Tell by its turn file whether an adjudication reached a checkpoint from which the game is played on."""
    if "act" in turn and turn["act"].get("what") == "patch":
        return True
    return "answers" in turn and "result" not in turn


def yaml_of(value: object) -> bytes:
    """Return a typed value as a public file has it."""
    return yamlio.dump(plain.encode(value)).encode()


def without_remarks(sheet: bytes) -> bytes:
    """Return what a sheet says, written in the one way in which its digest goes into the dice: no remark counts."""
    try:
        return yamlio.dump(yamlio.read(sheet, name="sheet").value).encode()
    except (yamlio.Unreadable, TypeError, ValueError):  # no such sheet is accepted, but one may be on record
        return sheet
