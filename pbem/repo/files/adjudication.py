"""An adjudication on record: what reseeded its dice, what happened in it, its two files, and its commit.

The turn file is public. The sealed record beside it keeps the rest: all answers, the hidden draws, and which sides may
read an event.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from re import compile as pattern
from typing import Any, Final, NamedTuple

from pbem.crypto.closing import Circumstances
from pbem.engine.session import Answer
from pbem.protocol import Draw, Event, Record, Roll
from pbem.repo.files.records import (
    answer_record,
    draw_record,
    event_records,
    public_answer,
    read_answer,
    read_events,
    read_roll,
    roll_record,
    whole_draw,
)
from pbem.repo.git import Logged

_SUBJECT: Final = pattern(r"[^:]+: adjudication (\d+)(?:$|[^\d])")
"""The first line of the message of a commit that made an adjudication."""


class Seed(NamedTuple):
    """The seed of an adjudication.

    `previous` is the digest of the turn file before, `stated` what the turn file says of the inputs, `inputs` their
    digest, and `key` the key of the dice. `texts` are the digests of the sheets with their remarks, which turn no dice.
    """

    previous: str
    link: str
    stated: Record
    inputs: str
    key: bytes
    texts: Record


@dataclass(frozen=True, slots=True)
class Adjudication:
    """All that happened in one adjudication, public or not."""

    n: int
    answers: Sequence[Answer]
    rolls: Sequence[Roll]
    draws: Sequence[Draw]
    events: Sequence[Event]
    open_decisions: Sequence[Mapping[str, str]]
    """The decisions that are open after it, by side and kind."""
    at: Circumstances
    act: Record | None = None
    """The act of the game master, if this is no play: its kind, its reason, and what belongs to it."""
    whole: Record | None = None
    """The part of the act that stays in the sealed record."""

    @property
    def readers(self) -> dict[str, list[str]]:
        """The sides that may read an event, by its place; an event that is not named is public."""
        return {str(at): list(event.to) for at, event in enumerate(self.events) if event.to is not None}


def sealed_record(adjudication: Adjudication) -> dict[str, object]:
    """Return the sealed record of an adjudication, from which `read_adjudication` reads it again."""
    return {
        "answers": [answer_record(answer) for answer in adjudication.answers],
        "draws": [whole_draw(draw) for draw in adjudication.draws],
        "events": event_records(adjudication.events),
        "readers": adjudication.readers,
        **({} if adjudication.whole is None else {"act": dict(adjudication.whole)}),
    }


def public_record(
    adjudication: Adjudication, seed: Seed, *, renewal: str | None, span: Sequence[Answer] | None
) -> dict[str, Any]:
    """Return what a turn file says of an adjudication, but for the result and the position.

    `renewal` is the tip of a new chain if one begins. `span` are the answers since the last checkpoint, which are
    published when the next one is reached; None: it is not.
    """
    readers = adjudication.readers
    public: dict[str, Any] = {"adjudication": adjudication.n, "previous": seed.previous, **adjudication.at.record()}
    public |= {"link": seed.link, **seed.stated, "inputs": seed.inputs}
    if renewal is not None:
        public["renewal"] = renewal
    if seed.texts:
        public["texts"] = seed.texts
    if span is not None:
        public["answers"] = [public_answer(answer_record(answer)) for answer in span if not answer.secret]
    if adjudication.rolls:
        public["rolls"] = [roll_record(number, roll) for number, roll in enumerate(adjudication.rolls, 1)]
    if adjudication.draws:
        public["draws"] = [draw_record(number, draw) for number, draw in enumerate(adjudication.draws, 1)]
    records = event_records(adjudication.events)
    public["events"] = [record for at, record in enumerate(records) if str(at) not in readers]
    public["open_decisions"] = list(adjudication.open_decisions)
    return public


def read_adjudication(n: int, public: Record, sealed: Record) -> Adjudication:
    """Return the adjudication that a turn file and its sealed record were made of."""
    rolls = [read_roll(roll) for roll in public.get("rolls", ())]
    readers = {int(at): sides for at, sides in sealed["readers"].items()}
    return Adjudication(
        n,
        [read_answer(answer) for answer in sealed["answers"]],
        rolls,
        [Draw(**draw) for draw in sealed["draws"]],
        read_events(sealed["events"], rolls, readers),
        public["open_decisions"],
        Circumstances.of(public),
        public.get("act"),
        sealed.get("act"),
    )


def charter_message(game: str) -> str:
    """Return the message of the first commit of a game."""
    return f"{game}: the charter"


def adjudication_message(game: str, made: Adjudication) -> str:
    """Return the message of the commit of an adjudication, with nothing in it that is not public."""
    if made.act is not None:
        return f"{game}: adjudication {made.n}, {made.act['kind']}"
    waiting = ", ".join(f"{each['side']}: {each['kind']}" for each in made.open_decisions)
    return f"{game}: adjudication {made.n}" + (f"\n\nwaiting for {waiting}" if waiting else "\n\nthe game is over")


def commits_of_adjudications(history: Iterable[Logged]) -> dict[int, str]:
    """Return the commit that made each adjudication."""
    found = ((_SUBJECT.match(commit.message), commit.sha) for commit in history)
    return {int(subject[1]): sha for subject, sha in found if subject is not None}


def commit_of_adjudication(history: Iterable[Logged], n: int) -> str | None:
    """Return the commit that made an adjudication, looked for from the head back; None: there is none."""
    for commit in history:
        subject = _SUBJECT.match(commit.message)
        if subject is not None and int(subject[1]) <= n:
            return commit.sha if int(subject[1]) == n else None
    return None
