"""Plays a game again from its records with the rules as they are now, and finds the first difference (replay)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from pbem.adjudicator import Adjudicator
from pbem.dice import ChainDice, check_link, step_key
from pbem.engine import Recorded, RulesDiffer, Session, advance, begin
from pbem.ledger import Turn
from pbem.protocol import Event, Roll
from pbem.record import event_records, roll_record

NOT_OF_THE_RULES = ("order_lapsed", "order_unused", "standing_fired")
"""Events that tell of sheets, not of the game."""


@dataclass(slots=True)
class Difference:
    """Where a replay leaves the record: the adjudication and what differs, as a person would say it."""

    adjudication: int
    text: str


def replay(game: Adjudicator) -> Iterator[Difference]:
    """Yield every difference between a game's records and what its answers come to now.

    After a question that has changed nothing more can be compared, and the replay ends.
    """
    ledger = game.ledger
    dice = ChainDice(b"", ledger.keys.hidden)
    session: Session[Any] | None = None
    previous = game.charter.dice.tip
    for n in range(1, game.adjudication + 1):
        public, recorded = ledger.public_turn(n), ledger.turn(n)
        if not check_link(public["link"], previous):
            yield Difference(n, "the link opened does not follow from the one before")
        previous = public["link"]
        key = step_key(public["link"], game.name, n, public["inputs"])
        try:
            if session is None:
                outcome = begin(game.rules, game.charter.scenario, key, dice)
            else:
                outcome = advance(session, key, dice, answers := Recorded(recorded.answers))
                if answers.left:
                    left = answers.left[0]
                    yield Difference(n, f"{left.kind} of {left.side} is recorded, but is not asked now")
                    return
        except RulesDiffer as differs:
            yield Difference(n, str(differs))
            return
        session = outcome.session
        yield from _compare(n, recorded, outcome.rolls, outcome.events)


def _compare(n: int, recorded: Turn, rolls: list[Roll], events: list[Event]) -> Iterator[Difference]:
    """Yield the first roll and the first event that differ."""
    for number, (old, new) in enumerate(zip(recorded.rolls, rolls, strict=False), 1):
        if old != new:
            before, after = roll_record(number, old), roll_record(number, new)
            odd = next(key for key in before | after if before.get(key) != after.get(key))
            yield Difference(
                n, f"roll {number}, {old.name}: {odd} recorded {before.get(odd)}, now {after.get(odd)}, rule {new.rule}"
            )
            return
    if len(recorded.rolls) != len(rolls):
        yield Difference(n, f"{len(recorded.rolls)} rolls recorded, now {len(rolls)}")
    of_the_rules = [event for event in recorded.events if event.kind not in NOT_OF_THE_RULES]
    for old_event, new_event in zip(event_records(of_the_rules), event_records(events), strict=False):
        if old_event != new_event:
            yield Difference(n, f"recorded {_said(old_event)}, now {_said(new_event)}")
            return
    if len(of_the_rules) != len(events):
        yield Difference(n, f"{len(of_the_rules)} events recorded, now {len(events)}")


def _said(record: dict[str, Any]) -> str:
    facts = ", ".join(f"{key} {value}" for key, value in record.items() if key != "kind")
    return f"{record['kind']} ({facts})"
