"""An adjudication between play and commit: its record, its files, and the private notices.

Nothing here changes anything; `Adjudicator` commits what these functions return.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final, TypeAlias

from pbem.crypto.closing import Circumstances, Closing
from pbem.crypto.player_chains import last_links
from pbem.engine.advance import Outcome
from pbem.engine.answers import Sources
from pbem.engine.session import Answer, Session, Step
from pbem.game import yaml as yamlio
from pbem.game.contract import Rules
from pbem.orders.sheet import STANDING, shortened
from pbem.orders.standing import LONGEST_REASON, MOST_REASONS, MOST_TOLD, FiledOrder, InForce
from pbem.protocol import Event, Record, Side
from pbem.referee.game.home_check import home
from pbem.referee.game.open_game import Now, OpenGame
from pbem.repo.files.adjudication import Adjudication, Seed
from pbem.repo.files.layout import turn_path
from pbem.repo.files.records import decision_record, event_records
from pbem.repo.files.state import State
from pbem.repo.ledger import After

ORDER_EXPIRED: Final = "order_expired"
"""The kind of the event for an order that has become illegal."""
ORDER_UNUSED: Final = "order_unused"
"""The kind of the event for an order that was not needed."""
ExpiredStanding: TypeAlias = Sequence[tuple[Side, FiledOrder]]
"""The standing orders that have expired, each with its side."""


def of_the_beacon(n: int, closing: Closing | None) -> Iterator[Event]:
    """Yield the event about the beacon, for all sides, in the first adjudication that a round decides."""
    if closing is not None and closing.adjudication == n:
        if closing.missing is None:
            yield Event("beacon_round", {"round": closing.round})
        else:
            yield Event("beacon_missing", {"round": closing.round, "reason": closing.missing})


def private_notices(
    answers: Sequence[Answer], sources: Sources, standing: InForce, expired: Iterable[tuple[Side, FiledOrder]]
) -> Iterator[Event]:
    """Yield the notices of an adjudication; `expired` are the standing orders whose time is over."""
    yield from _fired(answers)
    yield from standing.notices()
    told: Counter[Side] = Counter()
    for side, queued, faults in sources.expired:
        told[side] += 1
        most = MOST_REASONS if told[side] <= MOST_TOLD else 1  # the room of the record holds so many
        reasons = [shortened(fault.reason.removesuffix("?"), LONGEST_REASON) for fault in faults[:most]]
        kind = ORDER_EXPIRED if reasons else ORDER_UNUSED
        yield Event(kind, {"order": queued.order.kind, "by": queued.by, "reasons": reasons}, None, (side,))
    for side, each in expired:
        yield Event("standing_expired", {"order": each.kind, "by": each.by, "until": each.until}, None, (side,))


def _fired(answers: Sequence[Answer]) -> Iterator[Event]:
    """Yield one notice for each side about all its standing orders that answered: in a battle they are many."""
    times = Counter((each.side, each.kind, each.by) for each in answers if each.by.startswith(STANDING))
    told: dict[Side, list[str]] = {}
    for (side, kind, by), count in times.items():
        often = f", {count} times" if count > 1 else ""
        told.setdefault(side, []).append(f"{kind} ({by.removeprefix(STANDING).strip()}{often})")
    for side, answered in told.items():
        yield Event("standing_fired", {"answered": answered}, None, (side,))


@dataclass(frozen=True, slots=True)
class Played:
    """An adjudication that has been played and is not committed yet: what went in, and what came out."""

    state: State
    """The state before it."""
    at: Circumstances
    seed: Seed
    outcome: Outcome[Any]
    sources: Sources
    standing: InForce
    act: Record | None = None
    """The act of the game master, if this is no play."""
    whole: Record | None = None
    """The part of the act that stays in the sealed record."""
    beacon: Closing | None = None
    """The closing of the sheets, with the beacon round that decided; None: the game has no beacon."""


def adjudication_of(played: Played, expired: ExpiredStanding) -> Adjudication:
    """Return the record of an adjudication."""
    n, outcome = played.state.adjudication + 1, played.outcome
    return Adjudication(
        n,
        outcome.answers,
        outcome.rolls,
        outcome.draws,
        [
            *of_the_beacon(n, played.beacon),
            *(Event("new_player", {"side": side}) for side, replaced in played.state.newcomers.items() if replaced),
            *outcome.events,
            *private_notices(outcome.answers, played.sources, played.standing, expired),
        ],
        awaited_decisions(outcome.session),
        played.at,
        played.act,
        played.whole,
    )


def awaited_decisions(session: Session[Any]) -> list[dict[str, str]]:
    """Return the decisions that a game waits for, by side and kind, as a turn file names them.

    Where it waits for none of them, they are those that the next adjudication answers at once.
    """
    asked = [each for each in session.open_decisions if each.waits] or session.open_decisions
    return [{"side": each.side, "kind": each.kind} for each in asked]


def published_span(played: Played) -> list[Answer] | None:
    """Return the answers since the last checkpoint, if the game has reached the next one or its end; else None."""
    outcome = played.outcome
    if outcome.checkpoint is None and outcome.session.result is None:
        return None
    return [*(answer for step in played.state.steps for answer in step.answers), *outcome.answers]


def advanced(rules: Rules[Any], played: Played, expired: ExpiredStanding, requests: dict[str, object]) -> State:
    """Return the state of the game after an adjudication; `requests` are those after it."""
    state, outcome, session, key = played.state, played.outcome, played.outcome.session, played.seed.key
    n, standing = state.adjudication + 1, dict(state.standing)
    for side in {side for side, _ in expired}:
        gone = [each.record() for of, each in expired if of == side]
        standing[side] = [record for record in standing[side] if record not in gone]
    after = replace(
        state,
        adjudication=n,
        steps=[*state.steps, Step(key, outcome.answers)],
        pending={side: queue for side, queue in played.sources.sheets.items() if queue},
        new_sheets={},
        new_texts={},
        standing=standing,
        standing_digests=dict(state.standing_digests),
        open_decisions=[decision_record(decision) for decision in session.open_decisions],
        result=session.result,
        links={**last_links(played.seed.stated.get("player_chains", {}), state.links), **_new_chains(played.seed)},
        new_links={},
        inputs=played.seed.inputs,
        day=played.at.day,
        requests=requests,
        newcomers={},
    )
    if outcome.checkpoint is not None:
        after.checkpoint, after.steps = rules.encode(outcome.checkpoint), [Step(key)]
    if outcome.answers:
        after.opened, after.defaults = n, {}
    return after


def _new_chains(seed: Seed) -> dict[Side, str]:
    """Return the tips of the chains that begin with an adjudication: their links are opened from the next one on."""
    return {side: said["chain"]["tip"] for side, said in seed.stated.get("joined", {}).items() if "chain" in said}


def files_of(game: OpenGame, now: Now, made: Adjudication, played: Played) -> dict[str, bytes]:
    """Return the files of an adjudication: its turn file, the public position, what is sealed to the sides.

    The last one publishes the secrets, and all adjudications as a whole.
    """
    assert now.session is not None
    assert now.state is not None
    rules, position, ledger = game.rules, now.session.position, game.ledger
    seen = yamlio.dump(rules.encode(rules.view(position, None))).encode()
    after = After(seen, rules.encode(position), now.state.result)
    files = ledger.turn_files(made, played.seed, published_span(played), after)
    public = len(seen) + len(files[turn_path(made.n)])
    for side in rules.sides:
        if ledger.joined(side).key is not None:
            events = [event for event in made.events if event.to is None or side in event.to]
            files |= ledger.side_files(side, {**home(game, now, side), "events": event_records(events)}, public)
    return files if after.result is None else files | ledger.revealed_files() | ledger.record_files(made)
