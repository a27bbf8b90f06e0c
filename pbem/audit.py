"""Plays a game again from its records with the rules as they are now, and finds the first difference (replay)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import zip_longest
from typing import Any

from pbem.adjudicator import Adjudicator
from pbem.dice import ChainDice, check_link, step_key
from pbem.engine import Recorded, RulesDiffer, Session, advance, begin
from pbem.ledger import Ledger, State, Turn
from pbem.protocol import Event, Roll
from pbem.record import event_records, roll_record

NOT_OF_THE_RULES = ("order_lapsed", "order_unused", "standing_fired", "standing_over", "standing_passed")
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
    state = ledger.state()  # not the game's: it may be one that cannot be resumed with these rules
    if state is None:
        return
    yield from _altered(ledger, state)
    for n in range(1, state.adjudication + 1):
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
    if session is not None:
        yield from _compare_end(state, recorded, session)


def _altered(ledger: Ledger, state: State) -> Iterator[Difference]:
    """Yield every turn file that is not the one on which the adjudication after it was made."""
    for n in range(1, state.adjudication + 1):
        named = ledger.public_turn(n + 1)["previous"] if n < state.adjudication else state.digest
        if named != ledger.turn_digest(n):
            after = f"adjudication {n + 1}" if n < state.adjudication else "the game"
            yield Difference(n, f"the turn file was altered: it is not the one that {after} goes on from")


def _compare_end(state: State, recorded: Turn, session: Session[Any]) -> Iterator[Difference]:
    """Yield what the game asks now, or how it ended, if that differs."""
    asked = [{"side": decision.side, "kind": decision.kind} for decision in session.waiting]
    if recorded.waiting != asked:
        yield Difference(state.adjudication, f"waiting for {_asked(recorded.waiting)} recorded, now {_asked(asked)}")
    if state.result != session.result:
        yield Difference(state.adjudication, f"result {state.result} recorded, now {session.result}")


def _asked(waiting: Sequence[Mapping[str, str]]) -> str:
    return ", ".join(f"{each['kind']} of {each['side']}" for each in waiting) or "nothing"


def _compare(n: int, recorded: Turn, rolls: list[Roll], events: list[Event]) -> Iterator[Difference]:
    """Yield the first roll and the first event that differ."""
    for number, (old, new) in enumerate(zip_longest(recorded.rolls, rolls), 1):
        if old != new:
            yield Difference(n, f"roll {number}, {_of_roll(number, old, new)}")
            return
    of_the_rules = [event for event in recorded.events if event.kind not in NOT_OF_THE_RULES]
    pairs = zip_longest(event_records(of_the_rules), event_records(events))
    for number, (old_event, new_event) in enumerate(pairs, 1):
        if old_event != new_event:
            yield Difference(n, f"event {number}: recorded {_said(old_event)}, now {_said(new_event)}")
            return


def _of_roll(number: int, old: Roll | None, new: Roll | None) -> str:
    """Say what is odd about a roll that is not the recorded one."""
    if old is None or new is None:
        which, is_there = (new, "now rolled, not recorded") if old is None else (old, "recorded, not rolled now")
        assert which is not None
        return f"{which.name}: {is_there}, rule {which.rule}"
    before, after = roll_record(number, old), roll_record(number, new)
    odd = next(key for key in before | after if before.get(key) != after.get(key))
    return f"{old.name}: {odd} recorded {before.get(odd)}, now {after.get(odd)}, rule {new.rule}"


def _said(record: dict[str, Any] | None) -> str:
    if record is None:
        return "nothing"
    facts = ", ".join(f"{key} {value}" for key, value in record.items() if key != "kind")
    return f"{record['kind']} ({facts})"
